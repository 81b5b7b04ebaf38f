#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# babeltrace2 finds the plugin and its components; hidden symbols would make it skip them in silence.
set -euo pipefail
build=${1:?usage: $0 BUILD_FOLDER}
command -v babeltrace2 >/dev/null || { echo "skipped: babeltrace2 is not installed"; exit 77; }
export BABELTRACE_PLUGIN_PATH=$build/lib/babeltrace2/plugins
# babeltrace2 itself is not built with a sanitizer: its runtime has to come first.
if runtime=$(ldd "$BABELTRACE_PLUGIN_PATH/babeltrace-plugin-gaptrace.so" | grep -o '/[^ ]*lib[at]san[^ ]*'); then
  export LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0
fi
listed=$(babeltrace2 list-plugins)
for name in filter.gaptrace.gaps sink.gaptrace.report \
  source.gaptrace.nsys source.gaptrace.kineto source.gaptrace.cuzk-log; do
  grep -q "'$name'" <<<"$listed" || { echo "FAILED: $name is not listed" >&2; exit 1; }
  babeltrace2 help "$name" | grep -c 'manual page' || { echo "FAILED: $name has no help" >&2; exit 1; }
done
