#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fails a build that keeps its GPUs waiting longer than the last good builds did: records a command,
# holds the reports against the baseline of a history, says what is worse as text, Markdown and JUnit
# XML, and keeps good runs for the next time.
#
#   docs/ci/gate.sh [OPTION...] -- COMMAND [ARGUMENT...]
#
#   --history DB     where good runs are kept, as of gaptrace-history(1) (default: gaptrace-runs.db)
#   --profile NAME   the label of what is run; only runs of one label are compared (default: ci)
#   --build NAME     the label of the build (default: git's short name of HEAD, if any)
#   --runs N         how often COMMAND is run (default: 5)
#   --base N         how many of the last good runs it is held against (default: 10)
#   --budget FILE    limits and thresholds, as of gaptrace-diff(1)
#   --first          there is no history yet: keep the runs, compare nothing
#   -o DIR           recordings, reports, gaptrace.md and gaptrace.xml (default: gaptrace-ci)
#
# The exit code is that of gaptrace-diff(1): 0 no regression, 1 regression, 2 bad use or input, 3 not
# comparable (no baseline among them), 4 not to be trusted; 5: COMMAND or its recording failed.
set -euo pipefail

gaptrace=${GAPTRACE:-gaptrace}
history="gaptrace-runs.db"
profile=ci
build=$(git rev-parse --short HEAD 2>/dev/null || true)
runs=5
base=10
budget=()
is_first=no
out="gaptrace-ci"

usage() {
  sed -n '3,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
  exit 2
}

while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    --first)
      is_first=yes
      shift
      continue
      ;;
    --history | --profile | --build | --runs | --base | --budget | -o) [ $# -ge 2 ] || usage ;;
    *) usage ;;
  esac
  case $1 in
    --history) history=$2 ;;
    --profile) profile=$2 ;;
    --build) build=$2 ;;
    --runs) runs=$2 ;;
    --base) base=$2 ;;
    --budget) budget=(--budget "$2") ;;
    -o) out=$2 ;;
  esac
  shift 2
done
if [ $# -lt 2 ] || ! [[ $runs =~ ^[1-9][0-9]?$ && $base =~ ^[1-9][0-9]?$ ]]; then
  usage
fi
shift
# Said before hours of recording. A server is asked later on.
if [ "$is_first" = no ] && [[ $history != *=* && $history != *://* ]] && ! [ -e "$history" ]; then
  echo "gate: $history does not exist, so there is nothing to compare with; --first makes it" >&2
  exit 3
fi
# What an earlier job left here would be taken for this one's; what is another's stays.
rm -rf "$out"/recording-* "$out"/new-*.json "$out/base" "$out/baseline" "$out"/gaptrace.{md,xml,json,txt}
mkdir -p "$out"

new=()
worst=0
for i in $(seq "$runs"); do
  echo "== run $i of $runs"
  "$gaptrace" record -o "$out/recording-$i" -- "$@" || {
    echo "gate: '$1' ended with $?, and nothing was compared" >&2
    exit 5
  }
  status=0
  "$gaptrace" report --format json -o "$out/new-$i.json" "$out/recording-$i" || status=$?
  # 4: not to be trusted. The comparison says so, too, and which recording it is.
  if [ "$status" -ne 0 ] && [ "$status" -ne 4 ]; then
    echo "gate: recording $i cannot be explained, and nothing was compared" >&2
    exit 5
  fi
  worst=$((status > worst ? status : worst))
  new+=("$out/new-$i.json")
done

keep() {
  "$gaptrace" history "$history" add --profile "$profile" --build "$build" "${new[@]}" >/dev/null
  echo "gate: kept ${#new[@]} runs in $history"
}

if [ "$is_first" = yes ]; then
  "$gaptrace" report "$out/recording-1" || true
  if [ "$worst" -ne 0 ]; then
    echo "gate: a recording is not to be trusted, and nothing was kept" >&2
    exit "$worst"
  fi
  keep
  echo "gate: nothing was compared; run without --first from now on"
  exit 0
fi

status=0
"$gaptrace" history "$history" baseline --like "${new[0]}" --profile "$profile" --count "$base" \
  -o "$out/base" >"$out/baseline" || status=$?
if [ "$status" -ne 0 ]; then
  echo "gate: no baseline to compare with; --first makes one" >&2
  exit "$status"
fi
mapfile -t old <"$out/baseline"
for format in markdown:gaptrace.md junit:gaptrace.xml json:gaptrace.json text:gaptrace.txt; do
  status=0
  "$gaptrace" diff --format "${format%%:*}" -o "$out/${format#*:}" "${budget[@]}" \
    "${old[@]}" -- "${new[@]}" || status=$?
done
[ -f "$out/gaptrace.txt" ] && cat "$out/gaptrace.txt"
# A pull request of GitHub's shows what is written here.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$out/gaptrace.md" ]; then
  cat "$out/gaptrace.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [ "$status" -eq 0 ]; then
  keep
fi
exit "$status"
