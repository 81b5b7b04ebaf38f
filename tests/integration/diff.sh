#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# gaptrace diff from the command line: outcomes and exit codes, every format, budgets, bad input.
set -euo pipefail
BUILD=$(realpath "${1:?usage: $0 BUILD_FOLDER}")
here=$(dirname "$(realpath "$0")")
gaptrace=$BUILD/bin/gaptrace
maker=$BUILD/tests/integration/diff_run_maker
WORK=$(mktemp -d "${TMPDIR:-/tmp}/gaptrace-test.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
# shellcheck source=tests/integration/lttng.sh
source "$here/lttng.sh"
python=/usr/bin/python3
"$python" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
cd "$WORK"

validate() {
  "$python" - "$here/../../docs/diff.schema.json" "$1" <<'PYTHON'
import json, sys
import jsonschema
schema, result = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.validate(result, schema)
PYTHON
}

# check JUNIT TESTS FAILURES ERRORS: the counts are those of the elements, and as expected.
check_junit() {
  "$python" - "$@" <<'PYTHON'
import sys
import xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
cases = suite.findall("testcase")
failures = [case for case in cases if case.find("failure") is not None]
errors = [case for case in cases if case.find("error") is not None]
assert int(suite.get("tests")) == len(cases) and cases, suite.attrib
assert int(suite.get("failures")) == len(failures), suite.attrib
assert int(suite.get("errors")) == len(errors), suite.attrib
assert (len(failures) > 0, len(errors)) == (sys.argv[2] == "failures", int(sys.argv[3])), suite.attrib
PYTHON
}

for seed in 1 2 3; do
  "$maker" "$seed" 120 1 >"healthy-$seed.json"
  "$maker" "1$seed" 120 3 >"planted-$seed.json"
done

claim "no change passes, says so, and prints what was compared"
expect_status 0 "$gaptrace" diff healthy-1.json -- healthy-2.json
expect_line stdout '^no regression$'
expect_line stdout '^unchanged$'
expect_line stdout 'all gpus: cpu_phase prep_msm, .* -> .* per partition$'
expect_line stdout 'utilisation, .* % -> .* %'
expect_status 0 "$gaptrace" diff healthy-1.json -- healthy-1.json
expect_line stdout 'both sides are the same runs'
expect_no_line stdout '^worse$'

claim "a planted lock fails, and the first line of what is worse names it"
expect_status 1 "$gaptrace" diff healthy-1.json -- planted-1.json
expect_line stdout '^REGRESSION$'
first=$(awk '/^worse$/ { getline; print; exit }' stdout)
[[ $first == *"gpu "*": lock tracker held for malloc_trim, "*" -> "*" per partition"* ]] || fail "first is: $first"
expect_status 1 "$gaptrace" diff healthy-1.json healthy-2.json healthy-3.json -- planted-1.json planted-2.json planted-3.json
expect_line stdout 'lock tracker held for malloc_trim'

claim "a cure is called better"
expect_status 0 "$gaptrace" diff planted-1.json -- healthy-1.json
first=$(awk '/^better$/ { getline; print; exit }' stdout)
[[ $first == *"lock tracker held for malloc_trim"* ]] || fail "first is: $first"

claim "the formats say the same: JSON by its schema, JUnit XML, Markdown"
for pair in "healthy-2.json 0" "planted-1.json 1"; do
  read -r file code <<<"$pair"
  expect_status "$code" "$gaptrace" diff --format json -o result.json healthy-1.json -- "$file"
  validate result.json
  expect_equal "$("$python" -c 'import json; print(json.load(open("result.json"))["exit_code"])')" "$code"
  expect_status "$code" "$gaptrace" diff --format junit -o result.xml healthy-1.json -- "$file"
  check_junit result.xml "$([ "$code" = 1 ] && echo failures || echo passes)" 0
  expect_status "$code" "$gaptrace" diff --format markdown -o result.md healthy-1.json -- "$file"
  expect_line result.md "^### gaptrace: $([ "$code" = 1 ] && echo REGRESSION || echo 'no regression')$"
done
expect_line result.md '^\| regressed \| gpu [01] \| lock tracker held for malloc\\_trim \|'

claim "what is not comparable is said, is never green, and is an error in JUnit"
"$maker" 21 120 1 name=L4 >other-device.json
"$maker" 22 120 1 unit=kernel >other-work.json
"$maker" 23 120 1 gpus=1 >other-count.json
"$maker" 24 120 1 blocks=no >no-blocks.json
"$maker" 25 6 1 >short.json
sed 's#gaptrace.report/1#gaptrace.report/2#' healthy-2.json >newer.json
sed 's#"threshold_ns": 1000000#"threshold_ns": 10000#g' healthy-2.json >other-threshold.json
for case in "other-device 'H200'.*'L4'" "other-work counts work by partition" "other-count has 2 GPUs" \
  "no-blocks no blocks.*5 runs a side" "short too little work, 6 units" "newer gaptrace.report/2" \
  "other-threshold make both with one --threshold"; do
  expect_status 3 "$gaptrace" diff healthy-1.json -- "${case%% *}.json"
  expect_line stdout '^NOT COMPARABLE$'
  expect_line stdout "^! .*${case#* }"
done
expect_status 3 "$gaptrace" diff --format junit -o result.xml healthy-1.json -- other-device.json
check_junit result.xml passes 2
expect_status 3 "$gaptrace" diff --format json -o result.json healthy-1.json -- newer.json
validate result.json

claim "a recording that is not to be trusted has its own exit code"
"$maker" 26 120 1 trusted=no >lossy.json
expect_status 4 "$gaptrace" diff healthy-1.json -- lossy.json
expect_line stdout '^! lossy.json is not to be trusted: events were lost'

claim "a budget holds with and without a base"
cat >gaptrace.conf <<'CONF'
; what production is held to
[thresholds]
relative = 15%
[limit tracker]
what = idle
cause = lock
object = tracker
unit = partition
at_most = 5ms
[limit longest gap]
what = gap_max
at_most = 2s
CONF
expect_status 0 "$gaptrace" diff --budget gaptrace.conf -- healthy-1.json
expect_line stdout '^within the budget$'
expect_line stdout '  tracker: gpu 0: .* per partition, at most 5.000 ms$'
expect_status 1 "$gaptrace" diff --budget gaptrace.conf -- planted-1.json
expect_line stdout '^OVER THE BUDGET$'
expect_status 1 "$gaptrace" diff --budget gaptrace.conf planted-1.json -- planted-2.json
expect_line stdout '^limits broken$'
expect_line stdout 'and 15 % on'
expect_status 0 "$gaptrace" diff --budget gaptrace.conf healthy-1.json -- healthy-2.json
expect_status 1 "$gaptrace" diff --format junit -o result.xml --budget gaptrace.conf -- planted-1.json
check_junit result.xml failures 0
expect_status 1 "$gaptrace" diff --format json -o result.json --budget gaptrace.conf -- planted-1.json
validate result.json

claim "options overrule the budget file, wherever they stand"
expect_status 0 "$gaptrace" diff --relative 30% --budget gaptrace.conf healthy-1.json -- healthy-2.json
expect_line stdout 'and 30 % on'
expect_status 0 "$gaptrace" diff --absolute 500ms --relative 500% --throughput 500% healthy-1.json -- planted-1.json
expect_line stdout 'a change counts from 500.0 ms per partition'

claim "wrong use and bad input are one line each, and exit code 2"
head -c 3000 healthy-1.json >cut.json
: >empty.json
echo '{"traceEvents": 7}' >foreign.json
echo '[limit' >bad.conf
mkdir folder
expect_refusal() {
  local pattern=$1
  shift
  expect_status 2 "$gaptrace" diff "$@"
  expect_equal "$(wc -l <stderr)" 1 "lines of error"
  expect_line stderr "^gaptrace diff: .*$pattern"
  [ ! -s stdout ] || fail "a refusal printed a result"
}
expect_refusal 'put -- between' healthy-1.json healthy-2.json
expect_refusal 'no new run' healthy-1.json --
expect_refusal 'nothing to compare with' -- healthy-1.json
expect_refusal 'cut.json:1:.*ends too early' healthy-1.json -- cut.json
expect_refusal 'empty.json: the file is empty' healthy-1.json -- empty.json
expect_refusal 'foreign.json' healthy-1.json -- foreign.json
expect_refusal 'missing.json: No such file' missing.json -- healthy-1.json
expect_refusal 'folder' healthy-1.json -- folder
expect_refusal 'healthy-2.json and healthy-2.json are one run' healthy-1.json -- healthy-2.json healthy-2.json
expect_refusal 'on both sides' healthy-1.json healthy-2.json -- healthy-2.json
expect_refusal "'xml' is none" --format xml healthy-1.json -- healthy-2.json
expect_refusal "'ten' is no percentage" --relative ten healthy-1.json -- healthy-2.json
expect_refusal "'9223372036854775808ns' is no duration" --threshold 9223372036854775808ns healthy-1.json -- healthy-2.json
expect_refusal 'no option --nonsense' --nonsense healthy-1.json -- healthy-2.json
expect_refusal 'bad.conf:1' --budget bad.conf -- healthy-1.json
expect_refusal 'missing.conf: No such file' --budget missing.conf -- healthy-1.json
expect_refusal 'folder: it limits nothing|folder: .*directory' --budget folder -- healthy-1.json
printf '[thresholds]\nrelative = 5%%\n' >no-limits.conf
expect_refusal 'no-limits.conf: it limits nothing' --budget no-limits.conf -- healthy-1.json
ln -s loop loop
expect_refusal 'loop: Too many levels' healthy-1.json -- loop
expect_refusal 'input 1 of 1 is empty' healthy-1.json -- ''
# What is read is never written over.
for input in healthy-1.json healthy-2.json no-limits.conf; do
  cp "$input" kept
  expect_refusal "-o $input is what is read" -o "$input" --budget no-limits.conf healthy-1.json -- healthy-2.json
  cmp kept "$input" || fail "$input was written over"
done
expect_status 74 "$gaptrace" diff -o /nowhere/result healthy-1.json -- healthy-2.json

claim "names of the traced program can do no harm in any format"
"$maker" 31 120 1 | sed 's#"malloc_trim"#"<b>|`\\u001b[31m\&\\" @all \#1 http://x www.x"#g' >harm-1.json
"$maker" 32 120 3 | sed 's#"malloc_trim"#"<b>|`\\u001b[31m\&\\" @all \#1 http://x www.x"#g' >harm-2.json
expect_status 1 "$gaptrace" diff harm-1.json -- harm-2.json
[ "$(LC_ALL=C grep -c $'\x1b' stdout)" -eq 0 ] || fail "an escape sequence reached the terminal"
expect_status 1 "$gaptrace" diff --format junit -o result.xml harm-1.json -- harm-2.json
check_junit result.xml failures 0
expect_status 1 "$gaptrace" diff --format json -o result.json harm-1.json -- harm-2.json
validate result.json
expect_status 1 "$gaptrace" diff --format markdown -o result.md harm-1.json -- harm-2.json
[ "$(grep -c '<b>' result.md)" -eq 0 ] || fail "markup reached the Markdown"
[ "$(grep -c 'all \\#&#8203;1 http:&#8203;//x w&#8203;ww.x' result.md)" -gt 0 ] || fail "the name is not there"
[ "$(grep -cE '@[a-z]|#1|://|www' result.md)" -eq 0 ] || fail "a name can call people in the Markdown"
for file in harm-1 harm-2; do
  sed -i 's#"unit": "partition"#"unit": "u\\u001b[31m"#' $file.json
done
expect_status 1 "$gaptrace" diff harm-1.json -- harm-2.json
[ "$(LC_ALL=C grep -c $'\x1b' stdout)" -eq 0 ] || fail "a unit of work brought an escape sequence to the terminal"
expect_status 1 "$gaptrace" diff --format junit -o result.xml harm-1.json -- harm-2.json
check_junit result.xml failures 0

cases=$here/../../../shared/cases/nsys
if [ -d "$cases" ]; then
  claim "a real slow-down is a regression, per unit of work, though its window is as long; a healthy run is silent"
  expect_status 1 "$gaptrace" diff --threshold 10us --work 'kernel:*flash_fwd*' --format json -o result.json \
    "$cases/mfu_2gpu_before.sqlite" -- "$cases/mfu_2gpu_after.sqlite"
  validate result.json
  "$python" - <<'PYTHON'
import json
rows = json.load(open("result.json"))["rows"]
def change(what, gpu):
    row = next(row for row in rows if row["what"] == what and row["gpu"] == gpu)
    return row["new"] / row["base"]
# 34 units of work became 30 on each GPU in the same time.
assert 0.87 < change("throughput", None) < 0.89, change("throughput", None)
assert change("in_call", 0) > 2, change("in_call", 0)
assert change("host_late", 0) > 1.5, change("host_late", 0)
assert any(row["verdict"] == "regressed" and row["what"] == "cause" for row in rows)
PYTHON
  expect_status 0 "$gaptrace" diff --work 'kernel:*' "$cases/healthy_1pct.sqlite" -- "$cases/healthy_1pct.sqlite"
  expect_no_line stdout '^worse$'
else
  echo "no ../shared/cases: the real pair was not compared"
fi
