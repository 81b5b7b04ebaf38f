#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every header compiles alone; the public ones as C++ too.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=gnu17 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -I. -Itrace/include)
for folder in .deps/blst/bindings /usr/local/cuda/include; do
  [ -d "$folder" ] && flags+=(-isystem "$folder")
done
read -r -a packages <<<"$(pkg-config --cflags babeltrace2 lttng-ust lttng-ctl libmicrohttpd jansson)"
flags+=("${packages[@]}")
checked=0
failed=0
while IFS= read -r header; do
  case $header in
    trace/lttng/*) continue ;; # read several times by LTTng's own header, never alone
    *poison.h) continue ;;     # has nothing but the poison
    trace/cupti/*) [ -f /usr/local/cuda/include/cupti.h ] || continue ;;
  esac
  printf '#include "%s"\nint main(void) { return 0; }\n' "$header" >"$work/one.c"
  if ! cc "${flags[@]}" "$work/one.c"; then
    echo "$header does not compile alone"
    failed=1
  fi
  checked=$((checked + 1))
done < <(find trace prover analysis -name '*.h' | sort)
for header in trace/include/gaptrace/*.h; do
  case $header in *poison.h) continue ;; esac
  printf '#include "%s"\nint main() { return 0; }\n' "$header" >"$work/one.cc"
  if ! c++ -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -I. -Itrace/include "$work/one.cc"; then
    echo "$header does not compile as C++"
    failed=1
  fi
done
echo "$checked headers checked"
exit $failed
