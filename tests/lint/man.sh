#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The man pages are well-formed, and every program, component and public function has its place in one.
set -euo pipefail
cd "$(dirname "$0")/../.."
failed=0
if command -v mandoc >/dev/null; then
  for page in docs/man/*.[1-9]; do
    if ! mandoc -Tlint -Wwarning "$page"; then
      failed=1
    fi
  done
else
  echo "mandoc is missing: the pages' form was not checked"
fi
while IFS= read -r function; do
  if ! grep -q "\b$function\b" docs/man/gaptrace.3; then
    echo "docs/man/gaptrace.3 does not mention $function"
    failed=1
  fi
done < <(grep -o 'gaptrace_[a-z0-9_]*(' trace/include/gaptrace/gaptrace.h | tr -d '(' | sort -u)
for page in gaptrace.1 gaptrace-record.1 gaptrace-report.1 gaptrace-diff.1 gaptrace-history.1 proverd.8 prove.1 babeltrace2-plugin-gaptrace.7 \
  babeltrace2-source.gaptrace.7; do
  if [ ! -f "docs/man/$page" ]; then
    echo "docs/man/$page is missing"
    failed=1
  fi
done
exit $failed
