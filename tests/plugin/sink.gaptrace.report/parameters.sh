#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Parameters that are wrong are refused with what is wrong, and no output is left behind.
set -euo pipefail
# shellcheck source=tests/plugin/refuse.sh
source "$(dirname "$0")/../refuse.sh"
setup "$@"
refuse sink.gaptrace.report 'format="xml"' "there are text and json"
refuse sink.gaptrace.report 'format=5' "must be a string"
refuse sink.gaptrace.report 'threshold="1"' "'1' is no duration"
refuse sink.gaptrace.report 'threshold=1' "must be a string"
refuse sink.gaptrace.report 'colour="red"' "no parameter"
refuse sink.gaptrace.report 'path=["a"]' "must be a string"
refuse sink.gaptrace.report 'work="gpu:0"' "is no unit"
refuse sink.gaptrace.report 'work="event:nothing"' "there is no event 'nothing'"
