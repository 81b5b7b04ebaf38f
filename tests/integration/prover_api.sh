#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The HTTP interface: every page, and every wrong request answered with its code and reason.
set -euo pipefail
# shellcheck source=tests/integration/prover_common.sh
source "$(dirname "$(realpath "$0")")/prover_common.sh" "$@"

start_daemon api '[jobs]
kinds = squaring
squaring_rows = 60
[daemon]
partitions_max = 8
body_bytes_max = 4K'

claim "a job goes from 202 to its proofs"
expect_api 202 '"id":1,"simulated":false' POST /jobs '{"kind": "squaring", "partitions": 2, "priority": "high", "seed": 5}'
wait_json /jobs/1 'page["state"] == "done"'
[ "$(json /jobs/1 'page["priority"], page["partitions_done"], [p["state"] for p in page["partitions"]]')" = \
  "('high', 2, ['done', 'done'])" ] || fail "the job's page is wrong: $(cat "$WORK/answer")"
[ "$(json /jobs/1/proof 'len(page), sorted(page[0])')" = "(2, ['proof', 'public'])" ] || fail "wrong proofs"
[ "$(json /jobs/1/partitions/0/proof.json 'page["protocol"], page["curve"]')" = "('groth16', 'bls12381')" ] ||
  fail "wrong proof.json"
[ "$(json /jobs/1/partitions/0/public.json 'len(page)')" = 1 ] || fail "wrong public.json"
[ "$(json /jobs/1/verification_key.json 'page["nPublic"]')" = 1 ] || fail "wrong verification_key.json"
[ "$(json /jobs 'len(page["jobs"])')" = 1 ] || fail "wrong list of jobs"

claim "equal seeds prove equal publics, given secrets other ones"
expect_api 202 id POST /jobs '{"kind": "squaring", "partitions": 2, "seed": 5}'
expect_api 202 id POST /jobs "{\"kind\": \"squaring\", \"secrets\": [\"$(printf '%064d' 7)\"]}"
wait_json /jobs/3 'page["state"] == "done"'
wait_json /jobs/2 'page["state"] == "done"'
first=$(json /jobs/1/partitions/1/public.json 'page[0]')
[ "$(json /jobs/2/partitions/1/public.json 'page[0]')" = "$first" ] || fail "the seed does not decide"
[ "$(json /jobs/3/partitions/0/public.json 'page[0]')" != "$first" ] || fail "the secret does not decide"

claim "status and metrics tell of it"
[ "$(json /status 'page["counters"]["completed"], page["memory"]["used_bytes"] == page["memory"]["key_bytes"]')" = \
  "(3, True)" ] || fail "wrong status: $(cat "$WORK/answer")"
# Heaps are trimmed behind the jobs, whenever that thread gets to it.
trimmed=$((SECONDS + 300))
until api GET /metrics && grep -q '^proverd_malloc_trims_total 5$' "$WORK/answer"; do
  [ "$SECONDS" -lt "$trimmed" ] || fail "not 5 trims: $(grep malloc_trims "$WORK/answer")"
  sleep 0.1
done
for line in 'proverd_jobs_completed_total\{kind="squaring"\} 3' 'proverd_partitions_completed_total 5' \
  'proverd_prove_starts_total 5' 'proverd_queue_depth\{queue="gpu_queue",index="0"\} 0' \
  'proverd_simulated 0'; do
  grep -Eq "^$line\$" "$WORK/answer" || fail "no '$line' in the metrics"
done
awk '/^# TYPE/ { if (seen[$3]++) { exit 1 } } !/^#/ && !/^[a-z0-9_]+(\{[^}]*\})? [0-9.]+$/ { print; exit 1 }' "$WORK/answer" ||
  fail "the metrics are no Prometheus text"

claim "wrong bodies are answered with 400 and the field's name"
expect_api 400 "body: line 1" POST /jobs '{"kind": '
expect_api 400 "body: must be a JSON object" POST /jobs '[1]'
expect_api 400 "body: line 1" POST /jobs ''
expect_api 400 "field 'kind'" POST /jobs '{}'
expect_api 400 "field 'kind'" POST /jobs '{"kind": "porep"}'
expect_api 400 "field 'partition' is not known" POST /jobs '{"kind": "squaring", "partition": 2}'
expect_api 400 "field 'partitions' must be a whole number" POST /jobs '{"kind": "squaring", "partitions": "2"}'
expect_api 400 "field 'partitions' must be at least 1" POST /jobs '{"kind": "squaring", "partitions": 0}'
expect_api 400 "field 'priority'" POST /jobs '{"kind": "squaring", "priority": 3}'
expect_api 400 "field 'seed'" POST /jobs '{"kind": "squaring", "seed": -1}'
expect_api 400 "field 'secrets'" POST /jobs '{"kind": "squaring", "secrets": ["00"]}'
expect_api 400 "field 'secrets'" POST /jobs '{"kind": "squaring", "partitions": 2, "secrets": ["00"]}'
expect_api 400 "duplicate" POST /jobs '{"kind": "squaring", "kind": "merkle"}'
expect_api 400 "belong to jobs of kind" POST /jobs '{"kind": "squaring", "key": "x"}'

claim "too much is answered with 413"
expect_api 413 "9 partitions are more than the 8" POST /jobs '{"kind": "squaring", "partitions": 9}'
[ "$(curl -s -o "$WORK/answer" -w '%{http_code}' --unix-socket "$SOCKET" -X POST -H 'Content-Length: 99999999999' \
  http://proverd/jobs)" = 413 ] || fail "what is announced to be too large is waited for"
grep -q "larger than the 4096 bytes" "$WORK/answer" || fail "wrong reason: $(cat "$WORK/answer")"
expect_api 413 "larger than the 4096 bytes" POST /jobs "{\"kind\": \"squaring\", \"x\": \"$(printf '%05000d' 0)\"}"

claim "what is not there is answered with 404, what is not allowed with 405"
expect_api 404 "jobs of kind 'merkle' are not served here" POST /jobs '{"kind": "merkle"}'
expect_api 404 "jobs of kind 'files' are not served here" POST /jobs '{"kind": "files", "key": "k", "witnesses": ["w"]}'
expect_api 404 "there is no job 99" GET /jobs/99
expect_api 404 "there is no job 99" GET /jobs/99/proof
expect_api 404 "has no partition 7" GET /jobs/1/partitions/7/proof.json
expect_api 404 "there is no /nowhere" GET /nowhere
expect_api 404 "there is no /jobs/" GET /jobs/
expect_api 404 "there is no /jobs/1x" GET /jobs/1x
expect_api 404 "there is no /jobs/99999999999999999999" GET /jobs/99999999999999999999
expect_api 404 "no built-in key 'merkle'" GET /keys/merkle/verification_key.json
expect_api 404 "there is no /\?" GET /%ff
expect_api 404 "there is no /\?" GET /%0a
expect_api 405 "it allows GET" POST /status ''
expect_api 405 "it allows POST, GET" PUT /jobs ''
expect_api 405 "it allows GET" DELETE /jobs/1
stop_daemon

claim "more jobs than allowed are answered with 429"
start_daemon full '[gpu]
kind = sim
[daemon]
queue_max = 2
drain_ms = 0
[sim]
time_scale = 0.02'
# The first keeps the second waiting longer than any machine takes to ask.
expect_api 202 '"simulated":true' POST /jobs '{"kind": "squaring", "partitions": 256}'
expect_api 202 id POST /jobs '{"kind": "squaring", "partitions": 8}'
expect_api 429 "2 jobs are queued or running already" POST /jobs '{"kind": "squaring"}'
expect_api 409 "it has no proof yet" GET /jobs/2/proof
kill -TERM "$DAEMON"
wait_log 'stopping: no new jobs' "$WORK/log"
stop_daemon

claim "the client that is answered so waits and gets through"
start_daemon full '[gpu]
kind = sim
[daemon]
queue_max = 2
[sim]
time_scale = 0.02'
expect_exit 0 '5 of 5 jobs done' "$PROVE" --socket "$SOCKET" --kind squaring --jobs 5

claim "a simulation says so everywhere and has no proofs"
expect_api 404 "was simulated: it has no proofs" GET /jobs/1/proof
expect_api 200 '"simulated":true' GET /jobs/1
expect_api 200 '"simulated":true' GET /status
expect_api 200 '^proverd_simulated 1$' GET /metrics
expect_exit 69 'the daemon simulates: there are no proofs' "$PROVE" --socket "$SOCKET" --kind squaring --verify
old=$WORK/proofs/job-$(json /status 'page["counters"]["submitted"] + 1')
mkdir -p "$old"
touch "$old"/{proofs,verification_key,partition-0.proof,partition-10.public,note}.json "$old/partition-0.proof.json.new"
expect_exit 0 "there are no proofs, and none were written to $WORK/proofs" \
  "$PROVE" --socket "$SOCKET" --kind squaring -o "$WORK/proofs"
[ "$(ls "$old")" = note.json ] || fail "left of an earlier job: $(ls "$old")"
stop_daemon

claim "a job that can never fit is answered with 413 and the figures"
start_daemon tight '[gpu]
kind = sim
[memory]
budget_bytes = 50G'
expect_api 413 'but the budget is 53687091200; raise \[memory\] budget_bytes' POST /jobs '{"kind": "squaring"}'
[ "$(json /status 'page["memory"]["used_bytes"]')" = 0 ] || fail "a refused job holds memory"
stop_daemon
