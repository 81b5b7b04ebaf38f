#!/usr/bin/env bash
# Proves: where /dev/shm is small, as in a container, buffers are made smaller, with a warning, and a
# recording that cannot have any is refused, before anything is started.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"
if [ "$(id -u)" -ne 0 ] || [ -z "${LTTNG_ISOLATED:-}" ]; then
  skip "a small /dev/shm needs root"
fi

# The smallest buffers take 5 x 16 KiB and 20 KiB of each channel for each CPU; half of /dev/shm is used.
cpus=$(($(sed 's/.*[-,]//' /sys/devices/system/cpu/possible) + 1))
smallest_kib=$((cpus * 2 * 100))

claim "half of a small /dev/shm holds smaller buffers"
mount -t tmpfs -o "size=$((smallest_kib * 3))k" none /dev/shm
expect_status 0 "$GAPTRACE" record -o small -- "$APP" 100 1000 0
expect_line stderr 'warning: memory is short, so buffers are smaller'
expect_equal "$(event_count small span_end)" 100 "spans recorded"
umount /dev/shm

claim "too small a one is refused"
mount -t tmpfs -o "size=${smallest_kib}k" none /dev/shm
expect_status 74 "$GAPTRACE" record -o none -- touch ran
expect_line stderr "the smallest buffers take .* for $cpus CPUs.*make /dev/shm larger"
expect_absent none ran
expect_equal "$(lttng_daemon_pid)" "" "session daemon"
