#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# An SQLite history keeps every run whatever happens beside it: other writers, death, a lock, no permission.
set -euo pipefail
# shellcheck source=tests/integration/history_common.sh
source "$(dirname "$0")/history_common.sh"
# Whoever is not root cannot empty a folder that is not writable.
trap 'chmod -R u+w "$WORK" && rm -rf "$WORK"' EXIT
command -v python3 >/dev/null || skip "no python3"

# As somebody whom permissions hold back.
unprivileged() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  else
    "$@"
  fi
}

database=$WORK/history.db
expect 2 'No such file' history "$database" list
parallel_adders_lose_nothing
baseline_feeds_diff
labels_are_only_texts
refusals_leave_it_intact

# Killed at any moment of it, an addition of many runs is there as a whole or not at all. The first is
# left alone and says how long one takes.
reports "$WORK/batch" 1000 80
for i in $(seq 0 7); do
  at=$((1000 + i * 10))
  mapfile -t batch < <(printf "$WORK/batch/%04d.json\n" $(seq $at $((at + 9))))
  before=$(count_runs)
  started=${EPOCHREALTIME/[.,]/}
  "$gaptrace" history "$database" add "${batch[@]}" >/dev/null 2>&1 &
  adder=$!
  if [ "$i" -gt 0 ]; then
    sleep "$(printf '%d.%06d' $((lasts * i / 7 / 1000000)) $((lasts * i / 7 % 1000000)))"
    kill -KILL "$adder" 2>/dev/null || true
  fi
  wait "$adder" 2>/dev/null || true
  [ "$i" -gt 0 ] || lasts=$((${EPOCHREALTIME/[.,]/} - started))
  after=$(count_runs)
  [ "$after" -eq "$before" ] || [ "$after" -eq $((before + 10)) ] || fail "$((after - before)) of 10 runs were added"
done
python3 -c 'import sqlite3, sys
assert sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchone() == ("ok",)' "$database"

# Locked by another: told after the wait, and nothing lost.
before=$(count_runs)
python3 - "$database" "$WORK/locked" <<'PYTHON' &
import pathlib, sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN EXCLUSIVE")
pathlib.Path(sys.argv[2]).touch()
while pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.02)
PYTHON
locker=$!
until [ -e "$WORK/locked" ]; do sleep 0.02; done
expect 2 'is locked' history "$database" add --wait 50ms "$WORK/worse/0020.json"
expect 2 'is locked' history "$database" list --wait 50ms
rm "$WORK/locked"
wait "$locker"
[ "$(count_runs)" -eq "$before" ] || fail "the lock cost runs"

# A reader whose own reader does not read, such as a forgotten pager, keeps nobody from writing.
reports "$WORK/paged" 2000 2
at=2000
for verb in "list --format json" "show $(cat "$WORK/id.1")"; do
  # shellcheck disable=SC2086
  python3 - "$WORK/paged/$at.json" "$gaptrace" history "$database" $verb <<'PYTHON' || fail "$verb holds the lock"
import array, fcntl, subprocess, sys, termios, time
report, *command = sys.argv[1:]
reader = subprocess.Popen(command, stdout=subprocess.PIPE, pipesize=4096)
waiting = array.array("i", [0])
while waiting[0] == 0:
    time.sleep(0.01)
    fcntl.ioctl(reader.stdout, termios.FIONREAD, waiting)
added = subprocess.run([*command[:3], "add", "--wait", "50ms", report])
rest = reader.stdout.read()
assert added.returncode == 0 and reader.wait() == 0 and len(rest) > 4096
PYTHON
  at=$((at + 1))
done
expect 2 'is what is read, and would be lost' history "$database" show "$(cat "$WORK/id.1")" -o "$database"
expect 2 'input 2 of 2 is empty' history "$database" add "$WORK/worse/0020.json" ''
code=0
history "$database" list --format json >/dev/full 2>"$WORK/out" || code=$?
[ "$code" -eq 74 ] || fail "a list that could not be written ended with $code"

# A run in which no work ended is kept, and is no baseline.
python3 - "$WORK/good/0001.json" "$WORK/idle.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
report["work"]["count"] = 0
report["blocks"] = []
json.dump(report, open(sys.argv[2], "w"))
PYTHON
expect 0 '^[0-9]*$' history "$database" add --profile idle "$WORK/idle.json"
expect 3 "profile 'idle'" history "$database" baseline --profile idle -o "$WORK/none"

# Where there is no run to take the kind from, only what was asked for is told.
expect 3 "devices 'nothing', host '\*', profile '\*', work \*, threshold \*$" history "$database" baseline --devices nothing -o "$WORK/none"

# Not writable: it can be read, and is not changed.
mkdir "$WORK/readonly"
cp "$database" "$WORK/readonly/"
cp "$gaptrace" "$WORK/gaptrace"
cp "$WORK/worse/0020.json" "$WORK/readonly/"
chmod 444 "$WORK/readonly/history.db"
chmod 555 "$WORK/readonly"
sum=$(sha256sum <"$WORK/readonly/history.db")
expect 0 nightly unprivileged "$WORK/gaptrace" history "$WORK/readonly/history.db" list
expect 2 'must be writable' unprivileged "$WORK/gaptrace" history "$WORK/readonly/history.db" add "$WORK/readonly/0020.json"
expect 2 'unable to open' unprivileged "$WORK/gaptrace" history "$WORK/readonly/new.db" add "$WORK/readonly/0020.json"
[ "$(sha256sum <"$WORK/readonly/history.db")" = "$sum" ] || fail "a file without write permission was changed"

# A writer died and left its half behind: who may only read is told who can help, and who may write undoes it.
mkdir "$WORK/died"
cp "$database" "$WORK/died/"
python3 - "$WORK/died/history.db" 2>/dev/null <<'PYTHON' || true
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA cache_size = 2")
database.execute("BEGIN IMMEDIATE")
database.execute("UPDATE gaptrace_runs SET host = 'half'")
os.kill(os.getpid(), signal.SIGKILL)
PYTHON
[ -s "$WORK/died/history.db-journal" ] || fail "the writer left nothing behind"
chmod 444 "$WORK/died"/*
expect 2 'whoever may write' unprivileged "$WORK/gaptrace" history "$WORK/died/history.db" list
chmod 644 "$WORK/died"/*
[ "$(history "$WORK/died/history.db" list --host half | tail -n 1 | cut -d ' ' -f 1)" = 0 ] || fail "a half-way change is there"

# A newer gaptrace's, another program's, and no database at all: refused, byte for byte as before.
cp "$database" "$WORK/newer.db"
python3 -c 'import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("UPDATE gaptrace_meta SET value = 7")
database.commit()
other = sqlite3.connect(sys.argv[2])
other.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER)")
other.commit()' "$WORK/newer.db" "$WORK/other.db"
echo "not a database, but a text that is long enough to be looked at" >"$WORK/text.db"
head -c 5000 "$database" >"$WORK/cut.db"
for name in newer other text cut; do
  sum=$(sha256sum <"$WORK/$name.db")
  expect 2 "gaptrace history: " history "$WORK/$name.db" add "$WORK/worse/0020.json"
  expect 2 "gaptrace history: " history "$WORK/$name.db" list
  [ "$(sha256sum <"$WORK/$name.db")" = "$sum" ] || fail "$name.db was changed"
done
expect 2 'newer gaptrace' history "$WORK/newer.db" list
expect 2 'another program' history "$WORK/other.db" list
# A device's name is the recorded machine's: it reaches no terminal raw.
sed 's/"made up"/"\\u001b[31mred"/' "$WORK/worse/0020.json" >"$WORK/red.json"
expect 3 'no good run to compare with: devices .*red' history "$database" baseline --like "$WORK/red.json" -o "$WORK/none"
[ "$(LC_ALL=C grep -c $'\x1b' "$WORK/out")" -eq 0 ] || fail "an escape sequence reached the terminal"
echo "sqlite: $(count_runs) runs kept"
