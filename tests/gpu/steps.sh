# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The steps of run.sh, and their order; sourced. Each is a function step_NAME that runs in a process
# of its own, ends with 0, 77 (cannot be done here, its last line says why) or anything else, and
# leaves figures in $STATE/values. They share $CARRY, $OUT, $BUILD and $STATE, and depend on the files
# there alone.

ROOT=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
export ROOT

# Name, limit in seconds, and whether it needs a CUDA device. The order is that of importance, since
# the time may run out: what only a GPU can tell comes first, what is proven elsewhere last.
# shellcheck disable=SC2034 # it is run.sh that goes through them
steps=(
  "machine 20 host" "unpack 60 host" "blst 60 host" "configure 60 host" "build 280 host"
  "stages 60 gpu" "prove_pinned 60 gpu" "facts_default 30 gpu" "facts_callback 30 gpu"
  "lookalike 30 host" "record_default 40 gpu" "record_callback 40 gpu" "record_prover 60 gpu"
  "rates_msm 45 gpu" "rates_transform 45 gpu" "record_graphs 40 gpu"
  "prove_pageable 40 gpu" "prove_evaluated 40 gpu" "prove_streamed 40 gpu"
  "rates_ones 40 gpu" "rates_copies 20 gpu" "overhead 40 gpu" "sanitizer 60 gpu"
  "emulation 60 host"
)

# Of the recordings that are kept, together; and of each.
RECORDINGS_MIB_MAX=12
RECORDING_MIB_MAX=8

# What is on the device: a domain of 2^18 for each partition, two jobs in flight.
MERKLE_LEVELS=4
JOBS=2
PARTITIONS=6
KIND=cuda
RATES=tests/gpu/gpu_rates
TRANSFORM_SIZES="16 24" SUM_SIZES="16 22" COPY_SIZES="10 24"
LAUNCHES=100000

# A rehearsal goes the same ways without a device: the cpu device proves, kernels' bodies run on the
# host, and the look-alike of CUPTI records. Its figures mean nothing.
if [ -n "${REHEARSAL:-}" ]; then
  MERKLE_LEVELS=1
  PARTITIONS=2
  KIND=cpu
  RATES=tests/unit/gpu_rates_emulated
  TRANSFORM_SIZES="2 5" SUM_SIZES="2 4" COPY_SIZES="2 6"
  LAUNCHES=600
fi

skip() {
  echo "$*"
  exit 77
}

fail() {
  echo "$*"
  exit 1
}

# Tools by path: what is carried comes first, each program with its own libraries.
use_carried() {
  local root=$STATE/carry/root libraries
  [ -d "$root" ] || return 0
  libraries=$root/usr/lib/$(uname -m)-linux-gnu
  export PATH=$STATE/bin:$PATH
  export CARRIED_LIBRARIES=$libraries
  export PKG_CONFIG=$STATE/bin/pkg-config PKG_CONFIG_SYSROOT_DIR=$root
  export PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$root/usr/lib/pkgconfig:$root/usr/share/pkgconfig
  export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
  export LTTNG_CONSUMERD64_BIN=$libraries/lttng/libexec/lttng-consumerd LTTNG_CONSUMERD64_LIBDIR=$libraries
  export LTTNG_SESSION_CONFIG_XSD_PATH=$root/usr/share/xml/lttng
  export BABELTRACE_PLUGIN_PATH=$libraries/babeltrace2/plugins
}

# The toolkit that nvcc is of; nothing when there is none.
toolkit() {
  local nvcc
  nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) || return 0
  dirname "$(dirname "$(realpath "$nvcc")")"
}

# libcupti of this machine, else the carried one.
cupti_library() {
  local place
  if [ -n "${REHEARSAL:-}" ]; then
    echo "$BUILD/tests/integration/liblookalike-cuda.so"
    return
  fi
  for place in "$(toolkit)"/lib64/libcupti.so.13 "$(toolkit)"/lib/libcupti.so.13 "$(toolkit)"/extras/CUPTI/lib64/libcupti.so.13 \
    /usr/lib/*/libcupti.so.13 "$STATE"/carry/cupti/lib/libcupti.so.13; do
    if [ -f "$place" ]; then
      realpath "$place"
      return
    fi
  done
}

# A session daemon that other steps have not left half dead.
use_lttng() {
  use_carried
  command -v lttng-sessiond >/dev/null || skip "no LTTng here: run tests/gpu/carry.sh beforehand"
  command -v babeltrace2 >/dev/null || skip "no babeltrace2 here: run tests/gpu/carry.sh beforehand"
  if [ "$(id -u)" -ne 0 ]; then
    export LTTNG_HOME=$STATE/lttng-home
    mkdir -p "$LTTNG_HOME"
  fi
}

# The program that is recorded.
sample_program() {
  if [ -z "${REHEARSAL:-}" ]; then
    echo "$BUILD/tests/gpu/gpu_sample"
    return
  fi
  cat >"$STATE/sample" <<SCRIPT
#!/bin/sh
n=\$2
[ "\$1" = mixed ] || n=100
echo "{\"pauses\": [], \"kernels\": \$((n * 12)), \"graph_kernels\": \$((n * 6)), \"graph_launches\": \$((n * 2)), \"copies\": \$((n * 2)), \"memsets\": \$((n * 2))}"
exec $BUILD/tests/integration/cuda_sample \$n graph
SCRIPT
  chmod +x "$STATE/sample"
  echo "$STATE/sample"
}

need() {
  local file
  for file in "$@"; do
    [ -e "$BUILD/$file" ] || fail "$file was not built"
  done
}

step_machine() {
  local cpu
  cpu=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
  nvidia-smi 2>&1 || true
  "$(toolkit)/bin/nvcc" --version 2>&1 || echo "no nvcc"
  gcc --version 2>&1 | head -n 1
  cmake --version 2>&1 | head -n 1
  df -m /dev/shm "$STATE" 2>&1
  printf '{"cpu": "%s", "cpus": %d, "kernel": "%s", "gpu": "%s", "driver": "%s", "cupti": "%s"}\n' \
    "$cpu" "$(nproc)" "$(uname -r)" \
    "$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)" \
    "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1)" \
    "$(cupti_library)" >"$STATE/values/machine.json"
}

step_unpack() {
  local root=$STATE/carry/root libraries tool
  [ -f "$CARRY/carry.tar.gz" ] || skip "no $CARRY/carry.tar.gz: the system's own libraries are used"
  tar -C "$STATE" -xzf "$CARRY/carry.tar.gz" || fail "the archive cannot be unpacked"
  [ "$(cat "$STATE/carry/machine")" = "$(uname -m)" ] || fail "it was made on another kind of machine"
  libraries=$root/usr/lib/$(uname -m)-linux-gnu
  mkdir -p "$STATE/bin"
  for tool in lttng lttng-sessiond lttng-relayd babeltrace2; do
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$root/usr/bin/$tool" >"$STATE/bin/$tool"
  done
  printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$root/usr/bin/pkgconf" >"$STATE/bin/pkg-config"
  chmod +x "$STATE"/bin/*
  for tool in babeltrace2 lttng pkg-config; do
    "$STATE/bin/$tool" --version | head -n 1 || fail "the carried $tool does not run here"
  done
}

step_blst() {
  [ -d "$STATE/carry/blst" ] || skip "none is carried: the one that the build finds is used"
  cd "$STATE/carry/blst" || exit 1
  ./build.sh -D__BLST_PORTABLE__ || fail "blst does not build"
}

step_configure() {
  local options=() architecture
  use_carried
  architecture=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
  if [ -n "${CARRIED_LIBRARIES:-}" ]; then
    # RPATH, not RUNPATH: what the libraries need themselves is found by it, too.
    options+=("-DPKG_CONFIG_EXECUTABLE=$PKG_CONFIG" "-DCMAKE_BUILD_RPATH=$CARRIED_LIBRARIES"
      "-DCMAKE_PREFIX_PATH=$STATE/carry/root/usr" "-DCMAKE_LIBRARY_PATH=$CARRIED_LIBRARIES"
      "-DBLST_ROOT=$STATE/carry/blst" "-DBLST_LIBRARY=$STATE/carry/blst/libblst.a")
    for kind in EXE SHARED MODULE; do
      options+=("-DCMAKE_${kind}_LINKER_FLAGS=-Wl,--disable-new-dtags -Wl,-rpath-link,$CARRIED_LIBRARIES")
    done
  fi
  if [ -n "$(toolkit)" ]; then
    options+=("-DCUDAToolkit_ROOT=$(toolkit)")
  fi
  if [ -d "$STATE/carry/cupti" ] && [ ! -f "$(toolkit)/include/cupti.h" ] &&
    [ ! -f "$(toolkit)/extras/CUPTI/include/cupti.h" ]; then
    options+=("-DCUPTI_INCLUDE_DIR=$STATE/carry/cupti/include")
  fi
  if [ -f "$STATE/carry/cudart/libcudart_static.a" ] &&
    ! ls "$(toolkit)"/lib*/libcudart_static.a >/dev/null 2>&1; then
    options+=("-DCUDART_STATIC=$STATE/carry/cudart/libcudart_static.a")
  fi
  cmake -S "$ROOT" -B "$BUILD" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGAPTRACE_BENCH=OFF \
    "-DGAPTRACE_CUDA_ARCHITECTURES=${architecture:-90}" "${options[@]}" || fail "it does not configure"
}

# What later steps run, and nothing else; what does not build fails those that need it.
step_build() {
  local target targets=() missing=()
  use_carried
  for target in gpu_rates gpu_sample cupti-facts gaptrace_program prove proverd \
    gaptrace-lttng gaptrace-cupti babeltrace-plugin-gaptrace lookalike-cuda cuda_sample \
    test_device_gpu test_device_cuda test_cuda_field test_cuda_points test_cuda_sums test_cuda_vectors \
    test_activity_decode test_activity_buffer test_clock_sync gpu_rates_emulated; do
    # One that is not there would keep all others from being built.
    if ninja -C "$BUILD" -t query "$target" >/dev/null 2>&1; then
      targets+=("$target")
    else
      missing+=("$target")
    fi
  done
  [ ${#targets[@]} -gt 0 ] || fail "there is nothing to build: it was not configured"
  ninja -C "$BUILD" -k 0 -j "$(nproc)" "${targets[@]}" || fail "some of it does not build"
  [ ${#missing[@]} -eq 0 ] || fail "without the toolkit or CUPTI there is no ${missing[*]}"
}

# The kernels' bodies over the host, and the record decoder: what needs no device.
step_emulation() {
  use_carried
  ctest --test-dir "$BUILD" -j "$(nproc)" --no-tests=error \
    -R '^unit\.(cuda_field|cuda_points|cuda_sums|cuda_vectors|device_cuda|gpu_rates_.*|activity_.*|clock_sync)$' ||
    fail "a test failed"
}

# record_sample NAME CLOCK PROGRAM...: into $STATE/recordings/NAME, events and report beside it.
record_sample() {
  local name=$1 clock=$2 code=0 folder=$STATE/recordings/$1
  shift 2
  rm -rf "$folder"
  GAPTRACE_CUPTI_CLOCK=$clock "$BUILD/bin/gaptrace" record --gpu -o "$folder" -- "$@" >"$STATE/$name.truth" ||
    fail "recording ended with $?"
  babeltrace2 "$folder" >"$STATE/$name.events" || fail "babeltrace2 ended with $?"
  "$BUILD/bin/gaptrace" report --format json -o "$STATE/recordings/$name.json" "$folder" || code=$?
  "$BUILD/bin/gaptrace" report -o "$STATE/recordings/$name.txt" "$folder" || true
  # 4: an answer that is not to be trusted, which is one of the things looked for here.
  [ "$code" -eq 0 ] || [ "$code" -eq 4 ] || fail "the report ended with $code"
  tail -n 40 "$STATE/recordings/$name.txt"
}

# A real recording and report of the look-alike's devices: LTTng and the reader work here.
step_lookalike() {
  use_lttng
  need bin/gaptrace lib/libgaptrace-cupti.so lib/libgaptrace-lttng.so
  export GAPTRACE_CUPTI_LIBRARY=$BUILD/tests/integration/liblookalike-cuda.so LOOKALIKE_TRUTH=$STATE/lookalike.kernels
  record_sample lookalike callback "$BUILD/tests/integration/cuda_sample" 50 return
  rm -rf "$STATE/recordings"/lookalike*
  [ "$(grep -c 'gaptrace_gpu:kernel' "$STATE/lookalike.events")" = 300 ] || fail "not the 300 kernels that ran"
}

step_stages() {
  use_carried
  need tests/unit/test_device_gpu
  if [ -n "${REHEARSAL:-}" ]; then
    "$BUILD/tests/unit/test_device_cuda" || fail "a stage differs from the CPU's"
    return
  fi
  "$BUILD/tests/unit/test_device_gpu" || fail "a stage differs from the CPU's"
}

# facts CLOCK: what CUPTI says of an ordinary program, by the probe of ours alone.
facts() {
  local sample
  use_carried
  need tests/gpu/libcupti-facts.so tests/gpu/gpu_sample
  sample=$(sample_program)
  LOOKALIKE_TRUTH=$STATE/lookalike.kernels CUPTI_FACTS_CLOCK=$1 CUPTI_FACTS_OUT=$STATE/values/facts_$1.json GAPTRACE_CUPTI_LIBRARY=$(cupti_library) \
    CUDA_INJECTION64_PATH=$BUILD/tests/gpu/libcupti-facts.so "$sample" mixed 200 ||
    fail "the program ended with $?"
  cat "$STATE/values/facts_$1.json"
  grep -c '"records"' "$STATE/values/facts_$1.json" >/dev/null || fail "the driver did not call the library"
}

step_facts_callback() {
  facts callback
}

step_facts_default() {
  facts default
}

# record_real NAME CLOCK [graphs]: the collector on an ordinary program, held against what that
# program did.
record_real() {
  local sample name=$1 clock=$2
  shift 2
  use_lttng
  need bin/gaptrace lib/libgaptrace-cupti.so tests/gpu/gpu_sample
  GAPTRACE_CUPTI_LIBRARY=$(cupti_library)
  export GAPTRACE_CUPTI_LIBRARY LOOKALIKE_TRUTH=$STATE/lookalike.kernels
  sample=$(sample_program)
  record_sample "sample_$name" "$clock" "$sample" mixed 200
  python3 -c "import json, re" 2>/dev/null || skip "no python3 to compare with: see the report in recordings.tar.gz"
  python3 "$ROOT/tests/gpu/compare.py" sample "$STATE/sample_$name.events" "$STATE/recordings/sample_$name.json" \
    "$STATE/sample_$name.truth" "$clock" "$@" >"$STATE/values/record_$name.json"
}

step_record_callback() {
  record_real callback callback
}

step_record_default() {
  record_real default default
}

# A record for each launch of a graph instead of one for each of its kernels.
step_record_graphs() {
  export GAPTRACE_CUPTI_GRAPH=graph
  record_real graphs default graphs
}

# write_config NAME KIND LINES...: a daemon of two workers on that kind of device.
write_config() {
  local name=$1 kind=$2
  shift 2
  printf '%s\n' "[gpu]" "kind = $kind" "workers_per_device = 2" "[jobs]" "kinds = merkle" \
    "merkle_levels = $MERKLE_LEVELS" "[synthesis]" "workers = 8" "[srs]" "load = start" "$@" >"$STATE/$name.conf"
}

# await_daemon LOG PID: until it serves. Its key is made on the first start.
await_daemon() {
  until [ "$(grep -c 'serving' "$1" 2>/dev/null)" -gt 0 ]; do
    kill -0 "$2" 2>/dev/null || { cat "$1"; fail "proverd ended before it served: $(tail -n 1 "$1")"; }
    sleep 0.1
  done
}

# run_jobs SOCKET NAME: proves, verifies, and leaves the time it took, warm, in values.
run_jobs() {
  local began took
  "$BUILD/bin/prove" --socket "$1" --kind merkle --jobs 1 --partitions 2 --verify || fail "the first job: $?"
  began=$(date +%s%N)
  "$BUILD/bin/prove" --socket "$1" --kind merkle --jobs $JOBS --partitions $PARTITIONS --verify ||
    fail "a job failed, or its proof does not verify: $?"
  took=$(($(date +%s%N) - began))
  printf '{"partitions": %d, "wall_ns": %d, "partition_ns": %d}\n' $((JOBS * PARTITIONS)) "$took" \
    $((took / (JOBS * PARTITIONS))) >"$STATE/values/$2.json"
}

# prove_with NAME KIND LINES...: a daemon, its jobs, its end.
prove_with() {
  local name=$1 pid socket=$STATE/$1.sock
  use_carried
  need bin/proverd bin/prove
  write_config "$@"
  "$BUILD/bin/proverd" --config "$STATE/$name.conf" --socket "$socket" --state-dir "$STATE/prover" \
    --counters "$STATE/values/counters_$name.json" 2>"$STATE/$name.log" &
  pid=$!
  # shellcheck disable=SC2064 # the process is this one's
  trap "kill -KILL $pid 2>/dev/null" EXIT
  await_daemon "$STATE/$name.log" "$pid"
  run_jobs "$socket" "$name"
  kill -TERM "$pid"
  wait "$pid" || fail "proverd ended with $?"
  cat "$STATE/$name.log" "$STATE/values/$name.json"
}

step_prove_pinned() {
  prove_with prove_pinned $KIND "[memory]" "staging = pinned"
}

step_prove_pageable() {
  prove_with prove_pageable $KIND "[memory]" "staging = pageable"
}

# Too little memory for the key's points beside a proof: they come in chunks.
step_prove_streamed() {
  prove_with prove_streamed $KIND "[gpu]" "memory_bytes = 128M"
}

# The witness goes up, and the GPU makes a, b and c of it.
step_prove_evaluated() {
  prove_with prove_evaluated $KIND "[synthesis]" "evaluate = device"
}

# The prover itself under the recorder, held against its own counters.
step_record_prover() {
  local pid socket=$STATE/record_prover.sock folder=$STATE/recordings/prover code=0
  use_lttng
  need bin/gaptrace bin/proverd bin/prove lib/libgaptrace-cupti.so
  write_config record_prover $KIND
  GAPTRACE_CUPTI_LIBRARY=$(cupti_library) "$BUILD/bin/gaptrace" record --gpu -o "$folder" -- \
    "$BUILD/bin/proverd" --config "$STATE/record_prover.conf" --socket "$socket" --state-dir "$STATE/prover" \
    --counters "$STATE/record_prover.counters" 2>"$STATE/record_prover.log" &
  pid=$!
  # shellcheck disable=SC2064 # the process is this one's
  trap "kill -KILL $pid 2>/dev/null" EXIT
  await_daemon "$STATE/record_prover.log" "$pid"
  run_jobs "$socket" record_prover_jobs
  kill -TERM "$pid"
  wait "$pid" || fail "the recording ended with $?"
  cat "$STATE/record_prover.log"
  "$BUILD/bin/gaptrace" report --format json -o "$folder.json" "$folder" || code=$?
  "$BUILD/bin/gaptrace" report -o "$folder.txt" "$folder" || true
  cat "$folder.txt"
  [ "$code" -eq 0 ] || [ "$code" -eq 4 ] || fail "the report ended with $code"
  python3 -c "import json, re" 2>/dev/null || skip "no python3 to compare with: see the report in recordings.tar.gz"
  python3 "$ROOT/tests/gpu/compare.py" prover "$folder.json" "$STATE/record_prover.counters" \
    >"$STATE/values/record_prover.json"
}

# rates MODE FIRST LAST: a line of JSON for each size.
rates() {
  use_carried
  need "$RATES"
  "$BUILD/$RATES" "$@" >"$STATE/values/rates_$1.lines" || {
    cat "$STATE/values/rates_$1.lines"
    fail "a result is wrong, or a call failed"
  }
  cat "$STATE/values/rates_$1.lines"
}

step_rates_transform() {
  # shellcheck disable=SC2086 # two numbers
  rates transform $TRANSFORM_SIZES
}

step_rates_msm() {
  # shellcheck disable=SC2086 # two numbers
  rates msm $SUM_SIZES
}

step_rates_ones() {
  # shellcheck disable=SC2086 # two numbers
  rates ones $SUM_SIZES
}

step_rates_copies() {
  # shellcheck disable=SC2086 # two numbers
  rates copies $COPY_SIZES
}

# Small sums and transforms, with every access to memory looked at.
step_sanitizer() {
  local tool mode
  use_carried
  need "$RATES"
  tool=$(command -v compute-sanitizer || ls "$(toolkit)/bin/compute-sanitizer" 2>/dev/null) || tool=
  if [ -n "${REHEARSAL:-}" ]; then
    tool="env"
  elif [ -z "$tool" ]; then
    skip "no compute-sanitizer here"
  else
    tool+=" --error-exitcode 9"
  fi
  for mode in "msm 1 8" "ones 1 8" "transform 1 10"; do
    # shellcheck disable=SC2086 # words
    $tool "$BUILD/$RATES" $mode || fail "$mode: $?"
  done
}

# Three turns without and with collection, alternating; every one of them is kept.
step_overhead() {
  local turn count=$LAUNCHES sample
  use_lttng
  sample=$(sample_program)
  need bin/gaptrace lib/libgaptrace-cupti.so tests/gpu/gpu_sample
  GAPTRACE_CUPTI_LIBRARY=$(cupti_library)
  export GAPTRACE_CUPTI_LIBRARY LOOKALIKE_TRUTH=$STATE/lookalike.kernels
  rm -f "$STATE"/values/overhead_*.lines
  for turn in 1 2 3; do
    "$sample" launches $count >>"$STATE/values/overhead_without.lines" || fail "without: $?"
    "$BUILD/bin/gaptrace" record --gpu -o "$STATE/overhead_$turn" -- "$sample" launches $count \
      >>"$STATE/values/overhead_with.lines" || fail "with: $?"
    GAPTRACE_CUPTI_API=none "$BUILD/bin/gaptrace" record --gpu -o "$STATE/overhead_no_calls_$turn" -- \
      "$sample" launches $count >>"$STATE/values/overhead_no_calls.lines" || fail "without calls: $?"
    babeltrace2 "$STATE/overhead_$turn" 2>&1 | grep -c 'gaptrace_gpu:kernel' >>"$STATE/values/overhead_kernels.lines"
  done
  tail -n 3 "$STATE"/values/overhead_*.lines
}

# Small recordings and all reports become test data; a large recording is left out, and said so. Not
# one of the steps: it is done after each that records.
step_keep() {
  local folder size
  cd "$STATE/recordings" || exit 1
  for folder in */; do
    [ -d "$folder" ] || continue
    size=$(du -sm "$folder" | cut -f 1)
    if [ "$size" -gt $RECORDING_MIB_MAX ]; then
      echo "$folder has $size MiB and is left out"
      rm -rf "$folder"
    fi
  done
  tar -czf "$STATE/recordings.tar.gz" . || fail "no room for the recordings"
  size=$(($(stat -c %s "$STATE/recordings.tar.gz") >> 20))
  [ "$size" -le $RECORDINGS_MIB_MAX ] || fail "they have $size MiB together, with those of this step"
  cp "$STATE/recordings.tar.gz" "$OUT/recordings.part" && mv "$OUT/recordings.part" "$OUT/recordings.tar.gz"
}
