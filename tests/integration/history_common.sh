# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# What both databases must do; sourced with BUILD_DIR. $database names the one under test.
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
BUILD=$(realpath "$1")
gaptrace=$BUILD/bin/gaptrace
database=
# Other users read here: one who has no rights, and the server's.
umask 022
WORK=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-history.XXXXXX")
chmod 755 "$WORK"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

skip() {
  echo "skipped: $*"
  exit 77
}

history() {
  "$gaptrace" history "$@"
}

# expect CODE PATTERN COMMAND...: the exit code and a line of the output.
expect() {
  local code=$1 pattern=$2 got=0
  shift 2
  "$@" >"$WORK/out" 2>&1 || got=$?
  if [ "$got" -ne "$code" ]; then
    cat "$WORK/out" >&2
    fail "'$*' ended with $got, not $code"
  fi
  if [ "$(grep -c -- "$pattern" "$WORK/out")" -eq 0 ]; then
    cat "$WORK/out" >&2
    fail "'$*' does not say '$pattern'"
  fi
}

# How many runs there are.
count_runs() {
  history "$database" list --format json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["runs"]))'
}

reports() {
  python3 "$here/history_reports.py" "$@"
}

# Six processes, none of which waits for another, make the store and add to it.
parallel_adders_lose_nothing() {
  local pids=() i pid
  reports "$WORK/many" 100 48
  for i in $(seq 0 5); do
    (
      for k in $(seq 0 3); do
        at=$((100 + i * 8 + k * 2))
        history "$database" add --wait 1000s --build "b$i" "$WORK/many/$(printf %04d $at).json" \
          "$WORK/many/$(printf %04d $((at + 1))).json" >/dev/null
      done
    ) &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || fail "an adder failed"
  done
  [ "$(count_runs)" -eq 48 ] || fail "$(count_runs) runs of 48 that were added"
  history "$database" list --format json >"$WORK/list.json"
  python3 - "$WORK/list.json" <<'PYTHON'
import json, sys
runs = json.load(open(sys.argv[1]))["runs"]
assert len({run["id"] for run in runs}) == 48 and len({run["fingerprint"] for run in runs}) == 48
assert all(sum(run["build"] == f"b{i}" for run in runs) == 8 for i in range(6))
PYTHON
}

# A baseline is of good runs of the same kind, the newest ones, and feeds gaptrace diff.
baseline_feeds_diff() {
  local paths like=$WORK/same/0010.json
  reports "$WORK/good" 1 6
  reports "$WORK/same" 10 5
  reports "$WORK/worse" 20 5 80
  for i in 1 2 3 4 5 6; do
    history "$database" add --profile nightly --host gpu1 --build "n$i" --time "@$((1000000000 + i))" \
      "$WORK/good/000$i.json" >"$WORK/id.$i"
  done
  expect 0 'was there already' history "$database" add --profile nightly --host gpu1 --build n6 "$WORK/good/0006.json"
  expect 2 'already, of another' history "$database" add --profile weekly --host gpu1 "$WORK/good/0006.json"
  history "$database" mark bad "$(cat "$WORK/id.6")"
  expect 3 "profile ''" history "$database" baseline --like "$like" --until 2001-09-10 -o "$WORK/none"
  paths=$(history "$database" baseline --like "$like" --profile nightly --count 2 -o "$WORK/base")
  [ "$paths" = "$WORK/base/run-$(cat "$WORK/id.5").json
$WORK/base/run-$(cat "$WORK/id.4").json" ] || fail "the baseline is $paths"
  cmp "$WORK/base/run-$(cat "$WORK/id.5").json" "$WORK/good/0005.json"
  paths=$(history "$database" baseline --like "$like" --profile nightly -o "$WORK/base")
  [ "$(wc -l <<<"$paths")" -eq 5 ] || fail "the baseline is $paths"
  # shellcheck disable=SC2086
  expect 0 . "$gaptrace" diff $paths -- "$WORK"/same/*.json
  # shellcheck disable=SC2086
  expect 1 tracker "$gaptrace" diff $paths -- "$WORK"/worse/*.json
  expect 0 'run-' history "$database" baseline --profile nightly --mark none -o "$WORK/base"
  history "$database" show "$(cat "$WORK/id.1")" | cmp - "$WORK/good/0001.json"
  history "$database" trend --profile nightly --format csv >"$WORK/trend.csv"
  python3 - "$WORK/trend.csv" <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 6 and all(39 < float(row["value"]) < 41 for row in rows), rows
assert [row["time"] for row in rows] == [f"2001-09-09T01:46:4{i}Z" for i in range(1, 7)], rows
assert [row["mark"] for row in rows] == [""] * 5 + ["bad"], rows
PYTHON
  expect 0 'ms per partition' history "$database" trend --profile nightly --metric cause:lock/tracker
  expect 0 'no run here lost time to lock/trakcer' history "$database" trend --profile nightly --metric cause:lock/trakcer
}

# Whatever a label holds is text: to the database, to CSV and JSON, and to a terminal.
labels_are_only_texts() {
  local label=$'a,"b\'; DROP TABLE gaptrace_runs; --\n\e[31m$1'
  reports "$WORK/odd" 40 1
  history "$database" add --build "$label" --host odd - <"$WORK/odd/0040.json" >/dev/null
  history "$database" list --host odd --format csv >"$WORK/odd.csv"
  history "$database" list --build "$label" --format json >"$WORK/odd.json"
  history "$database" list --host odd >"$WORK/odd.text"
  python3 - "$WORK" "$label" <<'PYTHON'
import csv, json, sys
folder, label = sys.argv[1:]
(row,) = csv.DictReader(open(f"{folder}/odd.csv", newline=""))
(run,) = json.load(open(f"{folder}/odd.json"))["runs"]
assert row["build"] == label.replace("\n", " ") and run["build"] == label, (row, run)
assert all(" " <= letter or letter == "\n" for letter in open(f"{folder}/odd.text").read())
PYTHON
}

refusals_leave_it_intact() {
  local before
  before=$(count_runs)
  head -c 300 "$WORK/good/0001.json" >"$WORK/cut.json"
  echo '{"schema": "gaptrace.report/9"}' >"$WORK/newer.json"
  expect 2 'ends too early' history "$database" add "$WORK/worse/0020.json" "$WORK/cut.json"
  expect 2 'report/9' history "$database" add "$WORK/newer.json"
  expect 2 'No such file' history "$database" add "$WORK/absent.json"
  expect 2 'no run 999999' history "$database" mark good "$(cat "$WORK/id.1")" 999999
  expect 2 'is no id' history "$database" mark good "1 OR 1=1"
  expect 2 'one argument too many' history "$database" list now
  expect 2 'is no option of list' history "$database" list -o x
  expect 2 "there is no 'drop'" history "$database" drop
  expect 0 . history "$database" list --host "'; DROP TABLE gaptrace_runs; --"
  [ "$(count_runs)" -eq "$before" ] || fail "a refusal changed the store"
}
