# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of components share; sourced, never run.

setup() {
  build=${1:?usage: $0 BUILD_FOLDER}
  command -v babeltrace2 >/dev/null || { echo "skipped: babeltrace2 is not installed"; exit 77; }
  export BABELTRACE_PLUGIN_PATH=$build/lib/babeltrace2/plugins
  local runtime
  if runtime=$(ldd "$BABELTRACE_PLUGIN_PATH/babeltrace-plugin-gaptrace.so" | grep -o '/[^ ]*lib[at]san[^ ]*'); then
    export LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0
  fi
}

# refuse COMPONENT PARAMETERS TEXT: the component's creation fails with that text.
refuse() {
  local component=$1 parameters=$2 text=$3 got=0 output
  local graph=(-c "$component" -p "$parameters")
  case $component in
  filter.*) graph+=(-c sink.utils.dummy) ;;
  esac
  # source.text.dmesg reads what it is given and needs no recording.
  output=$(babeltrace2 -c source.text.dmesg "${graph[@]}" 2>&1 </dev/null) || got=$?
  if [ "$got" -ne 1 ] || ! grep -qF -- "$text" <<<"$output"; then
    echo "$output" >&2
    echo "FAILED: $component -p $parameters: exit code $got, or no '$text'" >&2
    exit 1
  fi
}
