#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clang-tidy 14 finds nothing in the product's sources. Takes the build folder for its compile commands.
# The static analyzer takes four fifths of the five processor minutes; GAPTRACE_ANALYZE=0 leaves it out.
set -euo pipefail
build=$1
cd "$(dirname "$0")/../.."
tidy=$(command -v clang-tidy-14 || command -v clang-tidy || true)
if [ -z "$tidy" ]; then
  echo "skipped: no clang-tidy"
  exit 77
fi
if grep -q -- '-fsanitize=' "$build/compile_commands.json"; then
  echo "skipped: once is enough, in a build without sanitizers"
  exit 77
fi
# What this build leaves out, for want of headers, cannot be compiled here either.
mapfile -t files < <(find trace prover analysis -name '*.c' | sort |
  while read -r file; do
    if grep -qF "/$file\"" "$build/compile_commands.json"; then echo "$file"; fi
  done)
[ ${#files[@]} -gt 0 ]
config=$(cat .clang-tidy)
if [ "${GAPTRACE_ANALYZE:-1}" = 0 ]; then
  config=$(sed -e 's/-\*,clang-analyzer-\*,/-*,/' -e '/^ *-clang-analyzer-/d' .clang-tidy)
fi
# One file a run: the analyzer's va_list check remembers across files and then errs.
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 "$tidy" --quiet -p "$build" --config="$config" 2>/dev/null
echo "${#files[@]} files are tidy"
