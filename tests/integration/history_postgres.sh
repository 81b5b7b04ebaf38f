#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A history on a PostgreSQL server of our own: writers beside each other, and a server that goes away half-way.
set -euo pipefail
# shellcheck source=tests/integration/history_common.sh
source "$(dirname "$0")/history_common.sh"
user=$(id -un)
export PGCTLTIMEOUT=600
cleanup() {
  if [ -f "$WORK/data/postmaster.pid" ]; then
    as_server "$bin/pg_ctl" -D "$WORK/data" -m immediate -w stop >/dev/null 2>&1 || true
  fi
  rm -rf "$WORK"
}
trap cleanup EXIT

# The server refuses to run as root.
as_server() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
  else
    "$@"
  fi
}

bin=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$bin/initdb" ] || skip "PostgreSQL is not installed (Debian: postgresql)"
command -v psql >/dev/null || skip "psql is not installed"
if [ "$user" = root ]; then
  id postgres >/dev/null 2>&1 || skip "no user postgres to run the server"
  chown postgres "$WORK"
fi
got=$(history "host=$WORK" list 2>&1 || true)
case $got in
  *"without libpq"*) skip "built without libpq" ;;
esac

start() {
  as_server "$bin/pg_ctl" -D "$WORK/data" -w -l "$WORK/log" start >/dev/null || {
    cat "$WORK/log"
    fail "the server does not start"
  }
}

as_server "$bin/initdb" -D "$WORK/data" -A trust -U gaptrace -E UTF8 --no-locale -N >/dev/null
as_server tee -a "$WORK/data/postgresql.conf" >/dev/null <<CONF
listen_addresses = ''
fsync = off
unix_socket_directories = '$WORK'
CONF
start
# How long a busy machine takes to let somebody in is not what --wait is tried for.
patient="host=$WORK dbname=postgres connect_timeout=300"
database="$patient user=gaptrace"
sql() {
  psql -X -A -t -h "$WORK" -U gaptrace -d postgres -c "$1"
}

expect 2 'nothing was ever added' history "$database" list

# Something of the table's name appeared while it was made (42710): tried again, for as long as it is in the way.
sql "CREATE TYPE gaptrace_meta AS ENUM ()" >/dev/null
reports "$WORK/first" 1 1
expect 2 'type "gaptrace_meta" already exists' history "$database" add "$WORK/first/0001.json"
tries=$(grep -c 'type "gaptrace_meta" already exists' "$WORK/log")
[ "$tries" -gt 1 ] || fail "made tables $tries times where another made the same"
sql "DROP TYPE gaptrace_meta" >/dev/null

parallel_adders_lose_nothing
baseline_feeds_diff
labels_are_only_texts
refusals_leave_it_intact
expect 0 nightly history "postgresql://gaptrace@/postgres?host=$WORK" list

# Another changed the same run meanwhile: the server refuses (40001), and the mark is set on the second try.
id=$(cat "$WORK/id.2")
conflicts() {
  grep -c 'could not serialize access' "$WORK/log" || true
}
before=$(conflicts)
coproc OTHER { psql -X -q -A -t -h "$WORK" -U gaptrace -d postgres; }
echo "BEGIN; UPDATE gaptrace_runs SET host = 'moved' WHERE id = $id; SELECT 'updated';" >&"${OTHER[1]}"
read -r answer <&"${OTHER[0]}"
[ "$answer" = updated ] || fail "the other transaction says '$answer'"
"$gaptrace" history "$database" mark --wait 300s good "$id" &
marker=$!
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted")" -gt 0 ]; do
  sleep 0.05
done
other=$OTHER_PID
printf 'COMMIT;\n\\q\n' >&"${OTHER[1]}"
wait "$marker" || fail "a conflict was not tried again"
wait "$other" || true
[ "$(conflicts)" -eq $((before + 1)) ] || fail "there was no conflict"
[ "$(sql "SELECT host, mark FROM gaptrace_runs WHERE id = $id")" = 'moved|good' ] || fail "one of two changes was lost"

# Half-way: the addition waits for a table that another holds, and the server is gone.
before=$(count_runs)
sql "BEGIN; LOCK TABLE gaptrace_runs IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)" >/dev/null 2>&1 &
holder=$!
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'gaptrace_runs'::regclass")" -gt 0 ]; do
  sleep 0.05
done
expect 2 'lock timeout' history "$database" add --wait 100ms "$WORK/worse/0020.json"
"$gaptrace" history "$database" add --wait 300s "$WORK/worse/0020.json" >"$WORK/gone" 2>&1 &
adder=$!
until [ "$(sql "SELECT count(*) FROM pg_locks WHERE NOT granted")" -gt 0 ]; do
  sleep 0.05
done
as_server "$bin/pg_ctl" -D "$WORK/data" -m immediate -w stop >/dev/null
code=0
wait "$adder" || code=$?
wait "$holder" || true
[ "$code" -eq 2 ] || fail "the adder ended with $code: $(cat "$WORK/gone")"
[ "$(grep -c 'went away; nothing was changed' "$WORK/gone")" -eq 1 ] || fail "it says: $(cat "$WORK/gone")"
expect 2 'gaptrace history: ' history "$database" list
start
[ "$(count_runs)" -eq "$before" ] || fail "$(count_runs) runs of $before are left"
expect 0 '^[0-9]' history "$database" add "$WORK/worse/0020.json"

# A server that hangs: the adder is connected and waits for its report when the server's process is stopped.
mkfifo "$WORK/slow"
exec 9<>"$WORK/slow"
"$gaptrace" history "$database" add --wait 1ms - <"$WORK/slow" 9>&- >"$WORK/hung" 2>&1 &
adder=$!
until backend=$(sql "SELECT pid FROM pg_stat_activity WHERE application_name = 'gaptrace' AND state = 'idle'") && [ -n "$backend" ]; do
  sleep 0.05
done
kill -STOP "$backend"
cat "$WORK/worse/0021.json" >&9
exec 9>&-
code=0
wait "$adder" || code=$?
kill -CONT "$backend"
[ "$code" -eq 2 ] || fail "the adder ended with $code: $(cat "$WORK/hung")"
[ "$(grep -c 'does not answer; nothing was changed' "$WORK/hung")" -eq 1 ] || fail "it says: $(cat "$WORK/hung")"
[ "$(count_runs)" -eq $((before + 1)) ] || fail "$(count_runs) runs, not $((before + 1))"

# Who may only read reads; a newer gaptrace's tables are refused.
sql "CREATE ROLE reader LOGIN; GRANT SELECT ON gaptrace_runs, gaptrace_meta TO reader" >/dev/null
expect 0 nightly history "$patient user=reader" list
expect 2 'permission denied' history "$patient user=reader" add "$WORK/same/0010.json"
expect 2 'gaptrace history: ' history "$patient user=stranger" list
expect 2 refused history "postgresql://u:secret@127.0.0.1:1/x" list
[ "$(grep -c secret "$WORK/out")" -eq 0 ] || fail "a password is told"
sql "UPDATE gaptrace_meta SET value = '7'" >/dev/null
expect 2 'newer gaptrace' history "$database" add "$WORK/same/0010.json"
expect 2 'newer gaptrace' history "$database" list
sql "UPDATE gaptrace_meta SET value = '1'" >/dev/null
[ "$(count_runs)" -eq $((before + 1)) ] || fail "$(count_runs) runs, not $((before + 1))"
echo "postgres: $(count_runs) runs kept"
