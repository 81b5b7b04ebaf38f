#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The sources are formatted as .clang-format says, by the version it is pinned to.
set -euo pipefail
cd "$(dirname "$0")/../.."
formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -z "$formatter" ]; then
  echo "skipped: no clang-format"
  exit 77
fi
if ! "$formatter" --version | grep -c ' 14\.'; then
  echo "skipped: clang-format 14 is wanted, this is $("$formatter" --version)"
  exit 77
fi
mapfile -t files < <(find trace prover analysis bench tests -name '*.[ch]' | sort)
"$formatter" --dry-run --Werror "${files[@]}"
echo "${#files[@]} files are formatted"
