#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A lock taken past the trace library, or a bare malloc_trim, does not compile in prover/: the poison works with every
# compiler there is, lets the library's own calls and every header of the prover through, and the build uses it.
set -euo pipefail
build=$(realpath "${1:?usage: $0 BUILD_FOLDER}")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
poison=$PWD/prover/poison.h
failed=0
read -r -a packages <<<"$(pkg-config --cflags libmicrohttpd jansson libcurl inih)"

# compile COMPILER FILE: with what the build gives to a file of prover/.
compile() {
  "$1" -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. -Itrace/include "${packages[@]}" \
    -include "$poison" "$2" 2>"$work/errors"
}

must_compile() {
  if ! compile "$1" "$2"; then
    cat "$work/errors"
    echo "$1: $3 does not compile"
    failed=1
  fi
}

# A call and what it needs around it: all that a forgotten one would look like.
calls=(
  "pthread_mutex_lock(&mutex)" "pthread_mutex_trylock(&mutex)" "pthread_mutex_timedlock(&mutex, &time)"
  "pthread_mutex_unlock(&mutex)" "pthread_rwlock_rdlock(&rwlock)" "pthread_rwlock_wrlock(&rwlock)"
  "pthread_rwlock_tryrdlock(&rwlock)" "pthread_rwlock_trywrlock(&rwlock)" "pthread_rwlock_unlock(&rwlock)"
  "pthread_rwlock_timedrdlock(&rwlock, &time)" "pthread_rwlock_timedwrlock(&rwlock, &time)"
  "pthread_cond_wait(&condition, &mutex)" "pthread_cond_timedwait(&condition, &mutex, &time)"
  "pthread_spin_lock(&spin)" "malloc_trim(0)"
)
program() {
  cat <<END
#include <malloc.h>
#include <pthread.h>
#include <time.h>
int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	pthread_spinlock_t spin = 0;
	struct timespec time = {0};
	(void)mutex, (void)rwlock, (void)condition, (void)spin, (void)time;
	return $1;
}
END
}

compilers=0
for compiler in gcc clang; do
  command -v "$compiler" >/dev/null || continue
  compilers=$((compilers + 1))
  program 0 >"$work/clean.c"
  must_compile "$compiler" "$work/clean.c" "the program without a call"
  for call in "${calls[@]}"; do
    program "$call" >"$work/forgotten.c"
    if compile "$compiler" "$work/forgotten.c"; then
      echo "$compiler: $call compiles"
      failed=1
    elif ! grep -q poison "$work/errors"; then
      cat "$work/errors"
      echo "$compiler: $call does not compile, but not for the poison"
      failed=1
    fi
  done
  cat >"$work/wrapped.c" <<'END'
#include "gaptrace/gaptrace.h"
#include <curl/curl.h>
#include <ini.h>
#include <jansson.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
int main(void)
{
	struct gaptrace_mutex mutex = {.mutex = PTHREAD_MUTEX_INITIALIZER, .name = "mutex"};
	gaptrace_mutex_lock(&mutex);
	gaptrace_mutex_unlock(&mutex);
	return gaptrace_malloc_trim(0);
}
END
  must_compile "$compiler" "$work/wrapped.c" "the wrapped call among the prover's headers"
done

# The build gives the poison to every file of prover/.
python3 - "$build/compile_commands.json" <<'END' || failed=1
import json
import sys

# A test may compile a source of the prover again, into a folder of its own.
commands = [entry for entry in json.load(open(sys.argv[1])) if "/prover/" in entry["file"] and "/tests/" not in entry["file"]
            and " -o tests/" not in entry["command"] and entry["file"].endswith(".c")]
bare = [entry["file"] for entry in commands if "prover/poison.h" not in entry["command"]]
for file in bare:
    print(f"{file} is compiled without prover/poison.h")
print(f"{len(commands) - len(bare)} of {len(commands)} files of prover/ are compiled with the poison")
sys.exit(1 if bare or not commands else 0)
END
echo "$compilers compilers, ${#calls[@]} calls"
[ "$compilers" -gt 0 ] || failed=1
exit $failed
