#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libgaptrace asks nothing of its host: no link to LTTng, and without provider or LTTng it runs on.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_isolate "$@"
emitter=$BUILD/tests/integration/emitter

runs_silently() {
  expect_status 0 "$@"
  [ ! -s "$WORK/stderr" ] || fail "it says: $(cat "$WORK/stderr")"
}

claim "neither the library nor a program linked to it needs LTTng"
for file in "$emitter" "$BUILD/lib/libgaptrace.so" "$BUILD/lib/libgaptrace-off.so"; do
  ldd "$file" >"$WORK/needed"
  expect_no_line "$WORK/needed" 'lttng|urcu|not found'
done
expect_line <(ldd "$emitter") 'libgaptrace\.so'
expect_line <(ldd "$BUILD/lib/libgaptrace-lttng.so") 'lttng-ust'

claim "only gaptrace_ functions are exported"
for library in gaptrace gaptrace-off; do
  nm -D --defined-only "$BUILD/lib/lib$library.so" | awk '{print $3}' >"$WORK/symbols"
  expect_line "$WORK/symbols" '^gaptrace_mutex_lock$'
  # LTTng's header defines its own weak ones; the sanitizers theirs.
  expect_no_line <(grep -vE '^(lttng_|__lttng|___?[at]san|__odr_|__ubsan|__gcov|__start_|__stop_)' "$WORK/symbols") '^([^g]|g[^a])'
done
diff <(nm -D --defined-only "$BUILD/lib/libgaptrace.so" | awk '$3 ~ /^gaptrace_/ {print $3}' | sort) \
  <(nm -D --defined-only "$BUILD/lib/libgaptrace-off.so" | awk '$3 ~ /^gaptrace_/ {print $3}' | sort) ||
  fail "the two libraries do not have the same functions"

claim "it runs with the provider off, missing, broken, or of no use"
GAPTRACE_PROVIDER=off runs_silently "$emitter" all
GAPTRACE_PROVIDER=/nonexistent/provider.so runs_silently "$emitter" all
echo "no library" >"$WORK/broken.so"
GAPTRACE_PROVIDER=$WORK/broken.so runs_silently "$emitter" all
GAPTRACE_PROVIDER=libc.so.6 runs_silently "$emitter" all
mkdir "$WORK/alone"
cp -L "$BUILD/lib/libgaptrace.so.0" "$WORK/alone/"
LD_LIBRARY_PATH=$WORK/alone runs_silently "$emitter" all

if ! grep -q '^GAPTRACE_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
  claim "it runs with one descriptor besides the standard streams"
  with_descriptors() {
    runs_silently bash -c "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n $1; exec '$emitter' locks 4 100"
  }
  with_descriptors 4

  # LTTng's threads take what is left, and are cancelled at exit, which needs libgcc_s.
  claim "it ends well with a session daemon and no descriptor left"
  lttng_start
  for count in 4 5 6; do
    LTTNG_UST_REGISTER_TIMEOUT=1000 with_descriptors "$count"
  done
  lttng_stop

  claim "it runs where there is no memory for LTTng's threads"
  for kib in 12000 16000 20000; do
    runs_silently bash -c "ulimit -v $kib; exec '$emitter' environment"
  done
fi

claim "a start does not wait for a session daemon, unless its user says so"
export GAPTRACE_PROVIDER=$BUILD/tests/integration/libprovider-probe.so
expect_equal "$("$emitter" environment)" $'while loading: 0\nafter: unset'
expect_equal "$(LTTNG_UST_REGISTER_TIMEOUT=77 "$emitter" environment)" $'while loading: 77\nafter: 77'
unset GAPTRACE_PROVIDER
expect_equal "$("$emitter" environment)" 'after: unset'
expect_equal "$(LTTNG_UST_REGISTER_TIMEOUT=77 "$emitter" environment)" 'after: 77'

claim "a program with more rights than its caller does not load what the caller names"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  cp "$emitter" "$WORK/privileged"
  chmod 4755 "$WORK/privileged"
  chmod 755 "$WORK"
  unprivileged() {
    GAPTRACE_PROVIDER=$BUILD/tests/integration/libprovider-probe.so \
      setpriv --reuid=65534 --regid=65534 --clear-groups "$@" environment
  }
  # Only where the caller can load both, and the file system honours the bit.
  if unprivileged "$emitter" 2>/dev/null | grep -c '^while loading'; then
    unprivileged "$WORK/privileged" >"$WORK/stdout"
    expect_line "$WORK/stdout" '^after: unset'
    expect_no_line "$WORK/stdout" '^while loading'
  fi
fi

if [ -n "${LTTNG_ISOLATED:-}" ]; then
  claim "it runs where shared memory is full"
  mount -t tmpfs -o size=16k none /dev/shm
  head -c 1M /dev/zero >/dev/shm/full 2>/dev/null || true
  runs_silently "$emitter" all
  expect_equal "$("$emitter" environment)" 'after: unset'
  umount /dev/shm

  claim "it runs where LTTng is not installed"
  for library in $(ldconfig -p | sed -n 's/.*=> \(.*liblttng-ust.*\)/\1/p'); do
    mount --bind /dev/null "$(realpath "$library")"
  done
  # The provider cannot be loaded now, which shows that LTTng is gone.
  if /usr/bin/python3 -c "import ctypes; ctypes.CDLL('$BUILD/lib/libgaptrace-lttng.so')" 2>/dev/null; then
    fail "LTTng is still there"
  fi
  runs_silently "$emitter" all
  runs_silently "$emitter" locks 4 100
fi
