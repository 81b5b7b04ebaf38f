#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A report is right to the nanosecond, says what it could not read, and never looks whole when it is not.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
lttng_setup "$@"
emitter=$BUILD/tests/integration/device_emitter
gaptrace=$BUILD/bin/gaptrace
python=/usr/bin/python3
"$python" -c 'import bt2, jsonschema' 2>/dev/null || skip "python3-bt2 or python3-jsonschema is not installed"

# record NAME OPTION... -- runs both emitters while a session records.
record() {
  local session=$1 first
  shift
  lttng create "$session" --output="$WORK/$session" >/dev/null
  lttng enable-channel -u -s "$session" --subbuf-size=256k --num-subbuf=8 "$@" all >/dev/null
  lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
  lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
  lttng start "$session" >/dev/null
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" "$seed" 0 &
  first=$!
  LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" "$seed" 1
  wait "$first"
  lttng stop "$session" >/dev/null
  lttng destroy "$session" >/dev/null
}

validate() {
  "$python" - "$here/../../docs/report.schema.json" "$1" <<'PYTHON'
import json, sys
import jsonschema
schema, report = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(report, schema)

# Blocks cover the window and sum to the report, to the nanosecond.
blocks, window = report["blocks"], report["window"]
if blocks:
    edges = [block["begin_ns"] for block in blocks] + [blocks[-1]["end_ns"]]
    assert edges[0] == window["begin_ns"] and edges[-1] == window["end_ns"]
    assert edges[1:] == [block["end_ns"] for block in blocks]
    assert sum(block["work"] for block in blocks) == report["work"]["count"]
for place, device in enumerate(report["devices"]):
    parts = [block["devices"][place] for block in blocks]
    assert all(part["uuid"] == device["uuid"] for part in parts)
    assert all(part["gap_ns"] == sum(row["ns"] for row in part["causes"]) for part in parts)
    for key, total in (("gap_ns", device["kernel_gaps"]["total_ns"]), ("gaps", device["kernel_gaps"]["count"]),
                       ("idle_ns", device["gaps"]["all_total_ns"])):
        assert sum(part[key] for part in parts) == total, (key, total)
    for block, part in zip(blocks, parts):
        assert part["busy_ns"] + part["copying_ns"] + part["idle_ns"] == block["end_ns"] - block["begin_ns"]
PYTHON
}

# babeltrace2 itself is not built with a sanitizer: its runtime has to come first.
plugins=$BUILD/lib/babeltrace2/plugins
runtime=$(ldd "$plugins/babeltrace-plugin-gaptrace.so" | grep -o '/[^ ]*lib[at]san[^ ]*' || true)
stock() {
  LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 babeltrace2 --plugin-path="$plugins" "$@"
}

claim "what another reader finds in a recording is in the report, to the nanosecond"
for seed in 1 2; do
  session=$(lttng_session_name report)
  record "$session"
  for threshold in 1ms 10us; do
    "$gaptrace" report --threshold "$threshold" --format json -o "$WORK/report.json" "$WORK/$session"
    "$python" "$here/independent_reader.py" "$WORK/$session" "$WORK/report.json"
    validate "$WORK/report.json"
  done
done
recording=$WORK/$session

claim "buffers for each process, and so a trace for each, give the same kind of report"
session=$(lttng_session_name perpid)
record "$session" --buffers-pid
"$gaptrace" report --format json -o "$WORK/report.json" "$WORK/$session"
"$python" "$here/independent_reader.py" "$WORK/$session" "$WORK/report.json"

claim "the chunks of a rotated session are one recording"
session=$(lttng_session_name rotated)
lttng create "$session" --output="$WORK/$session" >/dev/null
lttng enable-channel -u -s "$session" --subbuf-size=256k --num-subbuf=8 all >/dev/null
lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
lttng start "$session" >/dev/null
LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" 4 1
lttng rotate "$session" >/dev/null
LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" 4 0
lttng stop "$session" >/dev/null
lttng destroy "$session" >/dev/null
expect_equal "$(find "$WORK/$session" -name metadata | wc -l)" 2 "chunks"
"$gaptrace" report --format json -o "$WORK/report.json" "$WORK/$session"
"$python" "$here/independent_reader.py" "$WORK/$session" "$WORK/report.json"

claim "the stock babeltrace2 makes the same report with the plugin"
stock "$recording" -c sink.gaptrace.report \
  -p "format=\"json\",path=\"$WORK/stock.json\""
"$gaptrace" report --format json -o "$WORK/ours.json" "$recording"
cmp "$WORK/stock.json" "$WORK/ours.json"

claim "the text is plain, not wider than a terminal, and names every device"
"$gaptrace" report "$recording" >"$WORK/text"
for uuid in test-device-a test-device-b test-device-silent; do
  expect_line "$WORK/text" "$uuid"
done
expect_line "$WORK/text" SILENT
expect_no_line "$WORK/text" '.{101}'
if LC_ALL=C grep -nP '[^\x20-\x7e]' "$WORK/text"; then
  fail "the text holds bytes that are not printable ASCII"
fi

claim "derived events are written by sink.ctf.fs, read back in order, and agree with the report"
stock "$recording" -c filter.gaptrace.gaps -p 'threshold="1ms"' \
  -c sink.ctf.fs -p "path=\"$WORK/derived\"" >/dev/null
babeltrace2 "$WORK/derived" >"$WORK/derived.text"
"$python" - "$WORK/derived" "$WORK/ours.json" <<'PYTHON'
import json, sys
import bt2
derived, report = sys.argv[1], json.load(open(sys.argv[2]))
gaps, parts, last, dashes = {"kernel": {}, "anything": {}}, {}, 0, 0
for message in bt2.TraceCollectionMessageIterator(derived):
    if not isinstance(message, bt2._EventMessageConst):
        continue
    now, event = message.default_clock_snapshot.value, message.event
    assert now >= last, "derived events are out of order"
    last = now
    if event.name == "gaptrace:gap":
        assert now >= event["end_ns"], "a gap was told before it ended"
        gaps[str(event["layer"])].setdefault(str(event["uuid"]), []).append(int(event["duration_ns"]))
    else:
        texts = [str(event[name]) for name in ("cause", "object", "phase", "thread", "holder", "via")]
        assert "" not in texts, texts
        dashes += texts.count("-")
        key = (int(event["device"]), int(event["gap_begin_ns"]))
        parts[key] = parts.get(key, 0) + int(event["duration_ns"])
for device in report["devices"]:
    for layer, name in (("kernel", "kernel_gaps"), ("anything", "gaps")):
        told, table = gaps[layer].get(device["uuid"], []), device[name]
        assert (len(told), sum(told)) == (table["count"], table["total_ns"]), (device["uuid"], name)
total = sum(device["kernel_gaps"]["total_ns"] for device in report["devices"])
assert sum(parts.values()) == total, "parts do not sum to the gaps"
assert dashes > 0, "nothing was without a holder, an object or a chain"
print(len(parts), "kernel gaps with parts")
PYTHON

claim "an output without a name is refused as such"
expect_status 2 "$gaptrace" report -o '' "$recording"
said=$("$gaptrace" report -o '' "$recording" 2>&1 || true)
[[ $said == *"-o needs a file"* ]] || fail "the reason is not said: $said"

claim "an output takes the place of no input, and lies among no streams; an input has a name"
trace=$(dirname "$(find "$recording" -name metadata)")
(cd "$trace" && sha256sum metadata) >"$WORK/metadata.sum"
ln -s "$trace/metadata" "$WORK/to-metadata"
for output in "$trace/metadata" "$WORK/to-metadata" "$trace/report" "$trace/index/report.idx"; do
  expect_status 2 "$gaptrace" report -o "$output" "$recording"
  expect_line "$WORK/stderr" "-o $output is (what is read|among the streams)"
done
(cd "$trace" && sha256sum --quiet -c "$WORK/metadata.sum")
[ ! -e "$trace/report" ] || fail "a report lies among the streams"
expect_status 0 "$gaptrace" report -o "$recording/report.txt" "$recording"
rm "$recording/report.txt"
expect_status 2 "$gaptrace" report "$recording" ''
expect_line "$WORK/stderr" "input 2 of 2 is empty"
if [ -w /dev/full ]; then
  for command in report diff history record; do
    full_help() { "$gaptrace" "$command" --help >/dev/full; }
    expect_status 74 full_help
    expect_line "$WORK/stderr" "^gaptrace $command: standard output: No space"
  done
fi

claim "lost events are counted, head the report, and make it one not to trust"
session=$(lttng_session_name lossy)
lttng create "$session" --output="$WORK/$session" >/dev/null
lttng enable-channel -u -s "$session" --subbuf-size=4k --num-subbuf=2 --switch-timer=0 --read-timer=2000000 \
  all >/dev/null
lttng enable-event -u -s "$session" -c all 'gaptrace:*,gaptrace_gpu:*' >/dev/null
lttng add-context -u -s "$session" -c all -t vpid -t vtid >/dev/null
lttng start "$session" >/dev/null
LTTNG_UST_REGISTER_TIMEOUT=60000 "$emitter" 3 0
lttng stop "$session" >/dev/null
lttng destroy "$session" >/dev/null
expect_status 4 "$gaptrace" report --format json "$WORK/$session"
"$python" - "$WORK/stdout" <<'PYTHON'
import json, sys
trust = json.load(open(sys.argv[1]))["trust"]
assert not trust["ok"] and trust["discarded_events"] > 0, trust
assert any("lost" in note for note in trust["notes"]), trust["notes"]
PYTHON
expect_status 4 "$gaptrace" report "$WORK/$session"
head -3 "$WORK/stdout" | grep -c 'NOT TO BE TRUSTED' || fail "lost events do not head the report"

claim "bad input is one line with the place and the mend, and exit code 2"
mkdir "$WORK/empty" "$WORK/no-metadata" "$WORK/no-metadata/trace"
: >"$WORK/no-metadata/trace/metadata"
expect_status 2 "$gaptrace" report "$WORK/none"
expect_line "$WORK/stderr" "$WORK/none: No such file"
expect_status 2 "$gaptrace" report "$WORK/empty"
expect_line "$WORK/stderr" "$WORK/empty: no trace below it .*gaptrace record"
expect_status 2 "$gaptrace" report "$WORK/no-metadata"
expect_line "$WORK/stderr" "no-metadata/trace/metadata: empty.*copy the metadata"
# Babeltrace 2.0 by itself aborts.
cp -r "$recording" "$WORK/bad-index"
printf '\377' | dd of="$(find "$WORK/bad-index" -name '*.idx' | sort | head -1)" bs=1 seek=19 conv=notrunc 2>"$WORK/dd.log"
"$gaptrace" report "$recording" >"$WORK/whole.txt"
expect_status 0 "$gaptrace" report "$WORK/bad-index"
cmp "$WORK/whole.txt" "$WORK/stdout" || fail "a damaged index changes the report"
# A FIFO in the folder, also as an index, and one that a link leads to: nobody writes to it, ever.
cp -r "$recording" "$WORK/pipes"
index=$(find "$WORK/pipes" -name '*.idx' | sort | head -1)
trace=$(dirname "$(dirname "$index")")
rm "$index"
mkfifo "$index" "$trace/fifo" "$trace/index/fifo.idx"
ln -s fifo "$trace/link"
expect_status 0 timeout 600 "$gaptrace" report "$WORK/pipes"
cmp "$WORK/whole.txt" "$WORK/stdout" || fail "a FIFO in the folder changes the report"
# Whole files, or their last packets, that a copy left behind: babeltrace2 reads the rest and says nothing.
for way in rm 'truncate -s 0'; do
  rm -rf "$WORK/left-behind"
  cp -r "$recording" "$WORK/left-behind"
  stream=$(find "$WORK/left-behind" -type f -name 'all_*' ! -name '*.idx' -size +0 | sort | head -1)
  $way "$stream"
  expect_status 4 "$gaptrace" report --format json "$WORK/left-behind"
  expect_line "$WORK/stdout" 'packets that its index has are not there; copy the recording again'
done
# Babeltrace 2.0 by itself waits for ever for the rest of a packet.
cp -r "$recording" "$WORK/cut-metadata"
metadata=$(find "$WORK/cut-metadata" -name metadata | head -1)
truncate -s -1500 "$metadata"
expect_status 2 timeout 600 "$gaptrace" report "$WORK/cut-metadata"
expect_line "$WORK/stderr" "/metadata: the packet at byte [0-9]* is not whole.*copy the metadata"
# A stream of a class that the metadata does not know: babeltrace2 tells the addresses of its objects.
cp -r "$recording" "$WORK/undescribed"
stream=$(find "$WORK/undescribed" -type f -name 'all_*' ! -name '*.idx' -size +0 | sort | head -1)
printf '\011' | dd of="$stream" bs=1 seek=20 conv=notrunc 2>"$WORK/dd.log"
expect_status 2 "$gaptrace" report "$WORK/undescribed"
expect_line "$WORK/stderr" "undescribed/.*: its metadata does not describe all of its streams.*copy the metadata"
expect_no_line "$WORK/stderr" 0x
expect_status 2 "$gaptrace" report "$WORK/derived"
expect_line "$WORK/stderr" "none of gaptrace"
expect_status 2 "$gaptrace" report --threshold 1 "$recording"
expect_line "$WORK/stderr" "'1' is no duration"
expect_status 2 "$gaptrace" report --format xml "$recording"
expect_line "$WORK/stderr" "text and json"
expect_status 2 "$gaptrace" report
expect_equal "$(wc -l <"$WORK/stderr")" 1 "lines on standard error"

claim "an input that is named twice is read once"
"$gaptrace" report "$recording" "$recording" >"$WORK/twice.txt"
cmp "$WORK/whole.txt" "$WORK/twice.txt" || fail "the second name changes the report"

claim "an output that cannot be written leaves nothing behind, and a closed pipe is an error"
expect_status 0 "$gaptrace" report -o /dev/null "$recording"
expect_status 74 "$gaptrace" report -o "$WORK/no-such-folder/report" "$recording"
expect_line "$WORK/stderr" "no-such-folder/report.*not written"
if [ -w /dev/full ]; then
  full() { "$gaptrace" report "$recording" >/dev/full; }
  expect_status 74 full
fi
mkdir "$WORK/output"
limited() { (ulimit -f 1 && exec "$gaptrace" report -o "$WORK/output/report" "$recording" 2>&1 | cat >&2; exit "${PIPESTATUS[0]}"); }
expect_status 74 limited
expect_line "$WORK/stderr" "output/report: File too large; the report was not written"
expect_equal "$(ls "$WORK/output")" "" "files of a report that is too large"
"$gaptrace" report -o "$WORK/output/report" "$recording"
expect_equal "$(ls "$WORK/output")" report "files beside the report"

claim "a truncated stream is read as far as it goes, and the report says so"
cp -r "$recording" "$WORK/truncated"
stream=$(find "$WORK/truncated" -type f -name 'all_*' ! -name '*.idx' -size +8k | sort | head -1)
[ -n "$stream" ] || fail "the recording has no stream to truncate"
truncate --size=$(($(stat -c %s "$stream") - 1000)) "$stream"
expect_status 4 "$gaptrace" report --format json "$WORK/truncated"
"$python" - "$WORK/stdout" "$(basename "$stream")" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["trust"]["unreadable"] > 0 and not report["trust"]["ok"], report["trust"]
assert any(sys.argv[2] in note for note in report["trust"]["notes"]), report["trust"]["notes"]
PYTHON
