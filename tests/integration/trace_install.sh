#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is installed works: the library for C and C++ programs, by pkg-config and by CMake, on and off, wherever it is moved,
# and every program with its pages and profiles.
set -euo pipefail
build=$(realpath "${1:?usage: $0 BUILD_FOLDER}")
work=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
for tool in cmake pkg-config cc c++; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
if grep -q '^GAPTRACE_SANITIZE:STRING=.' "$build/CMakeCache.txt"; then
  echo "skipped: a sanitized library needs sanitized programs"
  exit 77
fi

cat >"$work/program.c" <<'END'
#include <gaptrace/gaptrace.h>
#include <stdio.h>

int main(void)
{
	struct gaptrace_mutex mutex;
	struct gaptrace_work work = GAPTRACE_NO_WORK;
	struct gaptrace_span span;

	if (gaptrace_mutex_init(&mutex, "mutex") != 0) {
		return 1;
	}
	span = gaptrace_span_begin("phase", work);
	gaptrace_mutex_lock(&mutex);
	gaptrace_mutex_unlock(&mutex);
	gaptrace_span_end(&span);
	printf("%s %d\n", gaptrace_is_on() ? "on" : "off", (int)mutex.acquire_count);
	return 0;
}
END
sed 's/<stdio.h>/<cstdio>/' "$work/program.c" >"$work/program.cc"
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(gaptrace 0.1 REQUIRED)
foreach(library gaptrace gaptrace_off)
  add_executable(c_${library} program.c)
  add_executable(cxx_${library} program.cc)
  target_link_libraries(c_${library} PRIVATE gaptrace::${library})
  target_link_libraries(cxx_${library} PRIVATE gaptrace::${library})
endforeach()
END

cmake --install "$build" --prefix "$work/first" --component library >/dev/null
mv "$work/first" "$work/moved"
folder=$(dirname "$(find "$work/moved" -name libgaptrace.so)")
export PKG_CONFIG_PATH=$folder/pkgconfig LD_LIBRARY_PATH=$folder
[ -e "$folder/libgaptrace-lttng.so" ] || { echo "FAILED: the provider is not installed"; exit 1; }

expect() {
  local got
  got=$("$1")
  [ "$got" = "$2" ] || { echo "FAILED: $1 prints '$got', not '$2'"; exit 1; }
}

for library in gaptrace gaptrace-off; do
  word=on
  [ "$library" = gaptrace ] || word=off
  read -r -a flags <<<"$(pkg-config --cflags --libs "$library")"
  cc -Wall -Wextra -Werror "$work/program.c" -o "$work/by_pkg_config" "${flags[@]}"
  expect "$work/by_pkg_config" "$word 1"
  c++ -Wall -Wextra -Werror "$work/program.cc" -o "$work/by_pkg_config" "${flags[@]}"
  expect "$work/by_pkg_config" "$word 1"
done

cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build "$work/build" >/dev/null
for language in c cxx; do
  expect "$work/build/${language}_gaptrace" "on 1"
  expect "$work/build/${language}_gaptrace_off" "off 1"
done
echo "installed, moved, found by pkg-config and CMake, from C and C++"

root=$(realpath "$(dirname "$0")/../..")
cmake --install "$build" --prefix "$work/all" >/dev/null
is_installed() {
  [ -n "$(find "$work/all" -path "*/$1")" ] || { echo "FAILED: $1 is not installed"; exit 1; }
}
for page in "$root"/docs/man/*; do
  is_installed "man/man${page##*.}/${page##*/}"
done
for profile in "$root"/prover/profiles/*.conf; do
  is_installed "share/gaptrace/prover/${profile##*/}"
done
for profile in "$root"/trace/profiles/*.conf; do
  is_installed "share/gaptrace/profiles/${profile##*/}"
done
while IFS= read -r page; do
  is_installed "share/doc/gaptrace/${page#docs/}"
done < <(grep -oh 'docs/[a-z]*\.md' "$root"/docs/man/* | sort -u)
is_installed share/doc/gaptrace/ci/gate.sh
is_installed share/gaptrace/report.schema.json
is_installed babeltrace2/plugins/babeltrace-plugin-gaptrace.so
for program in bin/gaptrace bin/prove sbin/proverd; do
  is_installed "$program"
  env -u LD_LIBRARY_PATH "$work/all/$program" --version
done
echo "every program, page and profile is installed"
