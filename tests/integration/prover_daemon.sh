#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# proverd from start to stop: proofs that verify, sockets and ports in use, signals that drain.
set -euo pipefail
# shellcheck source=tests/integration/prover_common.sh
source "$(dirname "$(realpath "$0")")/prover_common.sh" "$@"

small='[jobs]
kinds = squaring
squaring_rows = 100
[gpu]
count = 2'

claim "jobs are proved, verified and written as snarkjs has them"
start_daemon one "$small" --counters "$WORK/counters"
expect_exit 0 '2 of 2 jobs done, 6 partitions' \
  "$PROVE" --socket "$SOCKET" --kind squaring --jobs 2 --partitions 3 --verify -o "$WORK/proofs"
grep -q '6 proofs verified' "$WORK/stdout" || fail "not all proofs were verified"
for job in 1 2; do
  for partition in 0 1 2; do
    for part in proof public; do
      /usr/bin/python3 -m json.tool "$WORK/proofs/job-$job/partition-$partition.$part.json" >/dev/null ||
        fail "partition-$partition.$part.json of job $job is no JSON"
    done
  done
done
snarkjs=$ROOT/.deps/snarkjs/node_modules/snarkjs/build/cli.cjs
if command -v node >/dev/null && [ -f "$snarkjs" ]; then
  claim "snarkjs accepts a downloaded proof, and refuses it for other publics"
  expect_api 200 pi_a GET /jobs/2/partitions/1/proof.json
  cp "$WORK/answer" "$WORK/proof.json"
  expect_api 200 '\[' GET /jobs/2/partitions/1/public.json
  cp "$WORK/answer" "$WORK/public.json"
  expect_api 200 vk_alpha_1 GET /keys/squaring/verification_key.json
  cp "$WORK/answer" "$WORK/verification_key.json"
  node "$snarkjs" groth16 verify "$WORK/verification_key.json" "$WORK/public.json" "$WORK/proof.json" |
    grep -q OK || fail "snarkjs does not accept the proof"
  if node "$snarkjs" groth16 verify "$WORK/verification_key.json" \
    "$WORK/proofs/job-1/partition-0.public.json" "$WORK/proof.json" >/dev/null; then
    fail "snarkjs accepts the proof for another's publics"
  fi
fi

claim "a socket in use is refused, and its daemon not disturbed"
expect_exit 73 'in use by a daemon that runs' \
  "$PROVERD" --config "$WORK/one.conf" --socket "$SOCKET" --state-dir "$WORK/state"
expect_api 200 uptime GET /status
[ "$(curl -s -o "$WORK/answer" -w '%{http_code}' --unix-socket "$SOCKET" -H 'Origin: null' http://any.host/status)" = 403 ] ||
  fail "a browser's request is served: $(cat "$WORK/answer")"
stop_daemon
[ ! -e "$SOCKET" ] || fail "the socket is left behind"
[ ! -e "$SOCKET.lock" ] || fail "the socket's lock is left behind"
/usr/bin/python3 - "$WORK/counters" <<'PYTHON'
import json, sys
counters = json.load(open(sys.argv[1]))
assert counters["prove_start"] == counters["prove_finish"] == counters["malloc_trim"] == 6, counters
assert counters["queue_pop"] == 2 + 3 * 6, counters
assert counters["lock_acquire"] > 100, counters
PYTHON

claim "a socket that a dead daemon left is replaced"
start_daemon one "$small"
kill -KILL "$DAEMON"
wait "$DAEMON" 2>/dev/null || true
[ -S "$SOCKET" ] || fail "the killed daemon left no socket"
start_daemon one "$small"
expect_api 200 uptime GET /status
stop_daemon

claim "a file that is no socket is not removed"
echo precious >"$WORK/precious"
expect_exit 73 'exists and is no socket' \
  "$PROVERD" --config "$WORK/one.conf" --socket "$WORK/precious" --state-dir "$WORK/state"
[ ! -e "$WORK/precious.lock" ] || fail "the lock of a socket that was refused is left behind"
grep -q precious "$WORK/precious" || fail "the file was removed"

claim "a loopback port serves, in use it is refused, and others are never opened"
launch "$WORK/log" --config "$WORK/one.conf" --listen 127.0.0.1:0 --state-dir "$WORK/state"
wait_log 'info: serving' "$WORK/log"
port=$(sed -n 's|.*serving http://127.0.0.1:\([0-9]*\) .*|\1|p' "$WORK/log")
expect_exit 0 '1 of 1 jobs done' "$PROVE" --connect "127.0.0.1:$port" --kind squaring --verify

claim "what a web page has a browser send is refused, whatever it asks for"
# expect_page CODE PATTERN METHOD PATH HEADER [HEADER]
expect_page() {
  local code=$1 pattern=$2 method=$3 path=$4 got
  shift 4
  got=$(curl -s --noproxy '*' -o "$WORK/answer" -w '%{http_code}' -X "$method" -d '{"kind": "squaring"}' \
    -H "$1" ${2+-H "$2"} "http://127.0.0.1:$port$path") || fail "curl $method $path: $?"
  [ "$got" = "$code" ] || fail "$method $path with $*: code $got, not $code: $(cat "$WORK/answer")"
  grep -q "$pattern" "$WORK/answer" || fail "$method $path with $*: no '$pattern' in: $(cat "$WORK/answer")"
}
expect_page 403 'requests of web pages are refused' POST /jobs 'Origin: https://example.org'
expect_page 403 'has the header Origin: null' POST /jobs 'Origin: null' 'Content-Type: text/plain'
expect_page 403 'requests of web pages are refused' OPTIONS /jobs 'Origin: https://example.org'
for host in example.org "example.org:$port" 127.0.0.1.example.org "localhost:$port.example.org" 10.0.0.1; do
  expect_page 403 "Host: $host is not this host" POST /jobs "Host: $host"
  expect_page 403 "Host: $host is not this host" GET /status "Host: $host"
done
for host in localhost "LOCALHOST:$port" '[::1]' 127.0.0.1:1; do
  expect_page 200 uptime GET /status "Host: $host"
done
[ "$(curl -s --noproxy '*' "http://127.0.0.1:$port/jobs" | grep -o '"job_id"' | wc -l)" = 1 ] || fail "a page has made a job"
expect_exit 73 'the port is in use' \
  "$PROVERD" --config "$WORK/one.conf" --listen "127.0.0.1:$port" --state-dir "$WORK/state"
stop_daemon
for address in 0.0.0.0:9821 192.168.0.1:9821 127.0.0.1; do
  expect_exit 2 'is no loopback address' "$PROVERD" --listen "$address" --state-dir "$WORK/state"
done
expect_exit 2 "the port '70000' is no number up to 65535" "$PROVERD" --listen 127.0.0.1:70000 --state-dir "$WORK/state"
expect_exit 66 'one.conf/x.sock: no socket can be made there: .*/one.conf is no folder' \
  "$PROVERD" --socket "$WORK/one.conf/x.sock" --state-dir "$WORK/state"

claim "a client says where it found no daemon"
expect_exit 69 'is proverd running there' "$PROVE" --socket "$WORK/nobody.sock" --kind squaring

claim "proofs that could not be kept are not even asked for"
expect_exit 73 'one.conf: exists and is no directory' "$PROVE" --socket "$WORK/nobody.sock" -o "$WORK/one.conf/x"

claim "without options the daemon and its client meet"
launch "$WORK/log" --config "$WORK/one.conf"
wait_log 'info: serving' "$WORK/log"
expect_exit 0 '1 of 1 jobs done' "$PROVE" --kind squaring --verify
[ "$(stat -c %a "$XDG_RUNTIME_DIR/gaptrace/proverd.sock")" = 600 ] || fail "others may connect"
stop_daemon

expect_exit 2 'say --socket PATH' env -i "$PROVE"
expect_exit 69 "$WORK/gaptrace/proverd.sock: No such file" env -i XDG_RUNTIME_DIR="$WORK" "$PROVE"
expect_exit 2 'say --state-dir DIR' env -i "$PROVERD"

claim "a signal that comes while a key is made ends the daemon there and then"
printf '%s\n' '[jobs]' 'kinds = squaring' 'squaring_rows = 500000' >"$WORK/large.conf"
launch "$WORK/large.log" --config "$WORK/large.conf" --socket "$WORK/large.sock" --state-dir "$WORK/large"
wait_log 'making the test key' "$WORK/large.log"
stop_daemon
grep -q 'stopped before it served' "$WORK/large.log" || fail "it does not say why it ends"
if grep -q 'made the test key' "$WORK/large.log"; then
  fail "the signal waited for the key"
fi
[ ! -e "$WORK/large.sock" ] || fail "the socket is left behind"

claim "of two daemons that start at once with one state directory one makes the key"
for name in left right; do
  printf '[jobs]\nkinds = squaring\nsquaring_rows = 61\n' >"$WORK/$name.conf"
  "$PROVERD" --config "$WORK/$name.conf" --socket "$WORK/$name.sock" --state-dir "$WORK/shared-state" \
    2>"$WORK/$name.log" &
  DAEMONS+=("$!")
done
for name in left right; do
  for _ in $(seq 3000); do
    grep -q 'info: serving' "$WORK/$name.log" && break
    sleep 0.1
  done
  expect_exit 0 '1 proofs verified' "$PROVE" --socket "$WORK/$name.sock" --kind squaring --verify
done
[ "$(cat "$WORK/left.log" "$WORK/right.log" | grep -c 'making the test key')" = 1 ] ||
  fail "both made a key: $(cat "$WORK/left.log" "$WORK/right.log")"
kill "${DAEMONS[@]: -2}"

claim "a key that is larger than a limit on files is told, and nothing of it stays"
limited() { (ulimit -f 8 && exec "$PROVERD" --config "$WORK/left.conf" --socket "$WORK/no.sock" --state-dir "$WORK/limited"); }
expect_exit 65 'squaring-chain-61.zkey.*File too large' limited
[ -z "$(ls "$WORK/limited")" ] || fail "left behind: $(ls "$WORK/limited")"

claim "a device that is too small for any proof is told with its key"
printf '[gpu]\nmemory_bytes = 1K\n' >"$WORK/tiny.conf"
expect_exit 71 'device 0 has no memory.*\[gpu\] memory_bytes' "$PROVERD" --config "$WORK/tiny.conf" --socket "$WORK/no.sock" \
  --state-dir "$WORK/state"

claim "counters that cannot be written are told at the start, not at the end"
expect_exit 66 'counters.*cannot be written' \
  "$PROVERD" --config "$WORK/one.conf" --socket "$WORK/no.sock" --counters "$WORK/none/counters"

# start_slow DRAIN_MS [OPTION...]: one whose jobs are modelled and take their time.
start_slow() {
  local drain_ms=$1
  shift
  start_daemon slow "[gpu]
kind = sim
[daemon]
drain_ms = $drain_ms
[sim]
time_scale = 0.05" "$@"
}

claim "SIGHUP is ignored; SIGTERM finishes what was accepted and refuses more"
start_slow 600000
api POST /jobs '{"kind": "squaring", "partitions": 4}'
kill -HUP "$DAEMON"
kill -TERM "$DAEMON"
wait_log 'stopping: no new jobs' "$WORK/log"
expect_api 503 'shutting down' POST /jobs '{"kind": "squaring"}'
wait_json /jobs/1 'page["state"] == "done"'
wait "$DAEMON" || fail "proverd ended with $?"
grep -q 'info: stopped' "$WORK/log" || fail "no orderly end"

claim "a second signal cancels, and the end is as clean"
start_slow 0 --counters "$WORK/counters"
# More than gets done before the second signal, however late that comes.
for _ in $(seq 20); do
  api POST /jobs '{"kind": "squaring", "partitions": 200}'
done
wait_json /status 'page["synthesis"]["active"] > 0'
kill -TERM "$DAEMON"
wait_log 'stopping: no new jobs' "$WORK/log"
kill -TERM "$DAEMON"
wait "$DAEMON" || fail "proverd ended with $?"
grep -q 'the jobs are cancelled' "$WORK/log" || fail "the jobs were not cancelled"

claim "a second signal when all jobs are over cancels nothing, and ends the wait for clients"
start_slow 600000
api POST /jobs '{"kind": "squaring"}'
wait_json /jobs 'page["jobs"][0]["state"] == "done"'
kill -TERM "$DAEMON"
wait_log 'stopping: no new jobs' "$WORK/log"
kill -TERM "$DAEMON"
wait "$DAEMON" || fail "proverd ended with $?"
grep -q 'stopping at once: clients are not waited for any more' "$WORK/log" || fail "the wait was not given up"
[ "$(grep -c 'the jobs are cancelled' "$WORK/log")" = 0 ] || fail "jobs that are done were cancelled"

claim "who waits hears that the job was cancelled, and has no proofs of an earlier one"
start_daemon slow '[gpu]
kind = sim
[daemon]
drain_ms = 600000'
client_of_long_job() {
  local end=$((SECONDS + 300))
  code=0
  cp "$WORK/one.conf" "$WORK/proofs/job-1/partition-0.proof.json"
  "$PROVE" --socket "$SOCKET" --kind squaring --partitions 200 -o "$WORK/proofs" 2>"$WORK/stderr" &
  client=$!
  # The client has heard of its job, not only the daemon of it.
  while [ -e "$WORK/proofs/job-1/partition-0.proof.json" ]; do
    [ "$SECONDS" -lt "$end" ] || fail "proofs of an earlier job stay: $(cat "$WORK/stderr")"
    sleep 0.1
  done
}
client_of_long_job
kill -TERM "$DAEMON"
wait_log 'stopping: no new jobs' "$WORK/log"
kill -TERM "$DAEMON"
wait "$client" || code=$?
[ "$code" = 1 ] || fail "exit code $code: $(cat "$WORK/stderr")"
grep -q 'job 1 cancelled: cancelled: the daemon stops' "$WORK/stderr" || fail "no word of it: $(cat "$WORK/stderr")"
wait "$DAEMON" || fail "proverd ended with $?"
[ -z "$(ls "$WORK/proofs/job-1")" ] || fail "left of an earlier job: $(ls "$WORK/proofs/job-1")"

claim "a daemon that was killed is told from one that never was"
start_daemon slow '[gpu]
kind = sim'
client_of_long_job
kill -KILL "$DAEMON"
wait "$client" || code=$?
[ "$code" = 69 ] || fail "exit code $code: $(cat "$WORK/stderr")"
grep -q 'slow.sock: .*; proverd was there, but no longer answers' "$WORK/stderr" || fail "not told: $(cat "$WORK/stderr")"
[ -z "$(ls "$WORK/proofs/job-1")" ] || fail "left of an earlier job: $(ls "$WORK/proofs/job-1")"

claim "closed streams take no descriptors of files and sockets; a full one, and a daemon of another user, are told"
closed() { "$@" <&- >&- 2>&-; }
"$PROVERD" --config "$WORK/one.conf" --socket "$WORK/closed.sock" --state-dir "$WORK/state" <&- >&- 2>&- &
DAEMON=$!
DAEMONS+=("$DAEMON")
end=$((SECONDS + 300))
until curl -s -o "$WORK/answer" --unix-socket "$WORK/closed.sock" http://proverd/status; do
  [ "$SECONDS" -lt "$end" ] || fail "no answer"
  sleep 0.1
done
expect_exit 74 '' closed "$PROVE" --socket "$WORK/closed.sock" --kind squaring -o "$WORK/closed"
[ -s "$WORK/closed/job-1/partition-0.proof.json" ] || fail "there is no proof"
[ ! -s "$WORK/closed.sock.lock" ] || fail "the log is in the lock: $(cat "$WORK/closed.sock.lock")"
# Root may connect to any socket; nobody may not enter this script's folder.
other() { "$@"; }
[ "$(id -u)" != 0 ] || other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 0 "$WORK/closed.sock"
if other "$PROVE" --version >/dev/null 2>&1; then
  expect_exit 77 'closed.sock: Permission denied; only the user of the daemon may connect' \
    other "$PROVE" --socket "$WORK/closed.sock" --kind squaring
fi
chmod 600 "$WORK/closed.sock"
full() { "$@" >/dev/full; }
expect_exit 74 'prove: standard output: No space' full "$PROVE" --socket "$WORK/closed.sock" --kind squaring
expect_exit 74 'proverd: standard output: No space' full "$PROVERD" --help
stop_daemon

claim "command lines are read exactly"
expect_exit 0 'usage: proverd' "$PROVERD" --help
expect_exit 0 '^proverd [0-9]' "$PROVERD" --version
expect_exit 2 'usage: proverd' "$PROVERD" --nonsense
expect_exit 2 'takes no arguments' "$PROVERD" extra
for option in listen state-dir; do
  expect_exit 2 "$option is empty" "$PROVERD" "--$option" ''
done
expect_exit 2 'exclude each other' "$PROVERD" --socket x --listen 127.0.0.1:1
expect_exit 0 'usage: prove' "$PROVE" --help
expect_exit 0 '^prove [0-9]' "$PROVE" --version
expect_exit 2 "'many' is no number" "$PROVE" --jobs many
expect_exit 2 "jobs 0 asks for no proof" "$PROVE" --jobs 0
expect_exit 2 "partitions 0 asks for no proof" "$PROVE" --partitions 0
expect_exit 2 'connect is empty' "$PROVE" --connect ''
for place in 127.0.0.1 127.0.0.1:65536 http://127.0.0.1:80; do
  expect_exit 2 'is no HOST:PORT' "$PROVE" --connect "$place"
done
expect_exit 2 'kind is no UTF-8' "$PROVE" --kind $'sq\xff'
expect_exit 2 'witness is no UTF-8' "$PROVE" --kind files --key x --witness x --witness $'\xffx'
expect_exit 2 'leaves no numbers' "$PROVE" --seed 9223372036854775807 --jobs 2
expect_exit 2 'output is empty; name a folder' "$PROVE" --output ''
expect_exit 2 'needs a --key and at least one --witness$' "$PROVE" --kind files
expect_exit 2 'needs a --key$' "$PROVE" --kind files --witness x
expect_exit 2 'needs at least one --witness$' "$PROVE" --kind files --key x
expect_exit 2 'belong to --kind files' "$PROVE" --key x
printf '[gpu]\ncuont = 2\n' >"$WORK/bad.conf"
expect_exit 65 "bad.conf:2: unknown key 'cuont' in \[gpu\]; did you mean 'count'\?" \
  "$PROVERD" --config "$WORK/bad.conf" --check-config
expect_exit 66 'No such file' "$PROVERD" --config "$WORK/none.conf" --check-config
for profile in "$ROOT"/prover/profiles/*.conf; do
  expect_exit 0 '' "$PROVERD" --config "$profile" --check-config
done
