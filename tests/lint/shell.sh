#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The scripts pass shellcheck.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v shellcheck >/dev/null; then
  echo "skipped: no shellcheck"
  exit 77
fi
mapfile -t files < <(
  find scripts .ci -type f
  find tests bench docs -name '*.sh'
)
shellcheck -x -P SCRIPTDIR "${files[@]}"
echo "${#files[@]} scripts checked"
