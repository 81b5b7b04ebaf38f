#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whatever is missing or goes wrong, the recorded program runs as it would alone, and one line says
# why there are no device records.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/cupti_common.sh
source "$here/cupti_common.sh"
lttng_isolate "$@"
lttng_patient
cd "$WORK"

# off NAME FAULTS PATTERN: the program runs, host tracing goes on, one line says why.
off() {
  run_sample "$1" "$2" return 10
  expect_equal "$code" 0 "exit code of $1"
  expect_said "$1" "$3"
  babeltrace2 "$PWD/$1" >"$1.text"
  expect_line "$1.text" 'state: .*name = "cupti off"'
  expect_no_line "$1.text" 'gaptrace_gpu:kernel'
}

claim "another tool is named"
off busy busy 'Nsight Systems has it: run without that tool'

claim "missing privileges name the driver's switch"
off denied denied 'CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: .*NVreg_RestrictProfilingToAdminUsers=0'

claim "no driver"
off no_driver no_driver 'is there an NVIDIA driver'

claim "a libcupti of another release is not used"
off version version 'libcupti has version [0-9]+, this was built for [0-9]+'

claim "no libcupti, and a library that is none"
library=$GAPTRACE_CUPTI_LIBRARY
GAPTRACE_CUPTI_LIBRARY=/nonexistent/libcupti.so off missing '' '/nonexistent/libcupti.so: .*No such file'
GAPTRACE_CUPTI_LIBRARY=libm.so.6 off strange '' 'libcupti has no cupti'
GAPTRACE_CUPTI_LIBRARY=$library

claim "the real libcupti, where there is one and no driver"
if /sbin/ldconfig -p | grep -c 'libcuda\.so\.1' || ! ls /usr/local/cuda/lib64/libcupti.so.13 >/dev/null 2>&1; then
  echo "left out: it needs CUDA 13 and no driver"
else
  GAPTRACE_CUPTI_LIBRARY='' off real '' 'is there an NVIDIA driver'
fi

claim "kinds that a device lacks are done without"
run_sample few_kinds few_kinds return 10
expect_equal "$code" 0 "exit code"
babeltrace2 "$PWD/few_kinds" >few_kinds.text
expect_equal "$(grep -c gaptrace_gpu:kernel few_kinds.text)" 60 "kernels"

claim "without system thread ids there are kernels, and no calls of strangers"
run_sample strangers no_thread_ids return 10
expect_equal "$code" 0 "exit code"
expect_said strangers 'cuptiSetThreadIdType: CUPTI_ERROR_NOT_COMPATIBLE: calls are left out'
babeltrace2 "$PWD/strangers" >strangers.text
expect_equal "$(grep -c gaptrace_gpu:kernel strangers.text)" 60 "kernels"
expect_no_line strangers.text 'gaptrace_gpu:(api|overhead)'

claim "a graph is its kernels, which share the launch's correlation, or one record for each launch"
run_sample nodes '' graph 10
babeltrace2 "$PWD/nodes" >nodes.text
expect_equal "$(grep -c 'gaptrace_gpu:kernel.*name = "saxpy", graph = [12] ' nodes.text)" 60 "kernels of graphs"
expect_equal "$(grep -c gaptrace_gpu:kernel nodes.text)" 120 "kernels"
GAPTRACE_CUPTI_GRAPH=graph run_sample graphs '' graph 10
babeltrace2 "$PWD/graphs" >graphs.text
expect_equal "$(grep -c 'gaptrace_gpu:kernel.*name = "graph", graph = [12] ' graphs.text)" 20 "launches of graphs"
expect_equal "$(grep -c gaptrace_gpu:kernel graphs.text)" 80 "kernels and launches of graphs"

claim "a variable that does not parse is said and ignored"
GAPTRACE_CUPTI_FLUSH_MS=never run_sample variable '' return 10
expect_said variable 'GAPTRACE_CUPTI_FLUSH_MS=never is ignored'

claim "without --gpu, and without anything that records, the program runs"
expect_status 0 env CUDA_INJECTION64_PATH="$COLLECTOR" GAPTRACE_PROVIDER=off "$SAMPLE" 10 return
expect_equal "$(cat stderr)" "" "standard error"

claim "every record is there however the program exits, and its exit code is handed on"
for end in return quick fork; do
  # The leak check of gcc 12 waits for ever in the child of a process with threads.
  ASAN_OPTIONS=detect_leaks=$([ "$end" = fork ] && echo 0 || echo 1) run_sample "$end" '' "$end" 50
  case $end in
    quick) expect_equal "$code" 8 "exit code" ;;
    *) expect_equal "$code" 0 "exit code" ;;
  esac
  expect_silent "$end"
  babeltrace2 "$PWD/$end" >"$end.text"
  expect_equal "$(grep -c gaptrace_gpu:kernel "$end.text")" 300 "kernels"
done

claim "after abort and _exit there is all that was flushed, and the exit code is the program's"
for end in abort _exit; do
  run_sample "$end" '' "$end" 10
  case $end in
    abort) expect_equal "$code" 134 "exit code" ;;
    *) expect_equal "$code" 7 "exit code" ;;
  esac
  babeltrace2 "$PWD/$end" >"$end.text"
  expect_equal "$(grep -c gaptrace_gpu:kernel "$end.text")" 60 "kernels"
  expect_line "$end.text" 'gaptrace_gpu:watermark'
done

claim "a device that hangs does not keep the program from ending"
run_sample hang hang return 10
expect_equal "$code" 0 "exit code"
expect_said hang 'CUPTI does not answer: the last device records are lost'
