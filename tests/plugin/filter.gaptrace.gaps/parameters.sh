#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Parameters that are wrong are refused with what is wrong.
set -euo pipefail
# shellcheck source=tests/plugin/refuse.sh
source "$(dirname "$0")/../refuse.sh"
setup "$@"
refuse filter.gaptrace.gaps 'threshold="fast"' "'fast' is no duration"
refuse filter.gaptrace.gaps 'threshold=1' "must be a string"
refuse filter.gaptrace.gaps 'format="json"' "no parameter"
