#!/usr/bin/env bash
# Proves: bad use and a hostile machine are refused in one clear line, with a code of its own kind,
# before the command runs, and nothing is left behind.
set -euo pipefail
source "$(dirname "$0")/record_common.sh"
lttng_isolate "$@"
cd "$WORK"

# refused CODE PATTERN ARGUMENT...: one line that matches, no folder, no command run, no daemon.
refused() {
  local code=$1 pattern=$2
  shift 2
  rm -rf ran out
  expect_status "$code" "$GAPTRACE" record "$@"
  expect_line stderr "$pattern"
  expect_equal "$(wc -l <stderr)" 1 "lines of error"
  expect_absent ran out
  expect_equal "$(lttng_daemon_pid)" "" "session daemon"
}

claim "bad use"
refused 2 'no command to record' -o out
refused 2 'no command to record' -o out --
refused 2 'no option --wrong' --wrong -- touch ran
refused 2 'option -o needs a value' -o
refused 2 "'a/b' cannot be a session's name" --start a/b
refused 2 '--start takes no command' --start a touch ran
refused 2 'neither -o nor --profile' --stop a -o out
refused 2 'one --start or --stop' --start a --stop b
refused 127 'x.y: no such command' -o out -- $'x\ny'
refused 127 'nosuch: no such command' -o out -- nosuch
refused 127 './nosuch: No such file' -o out -- ./nosuch
touch plain
refused 126 './plain: Permission denied' -o out -- ./plain
refused 126 '/: Is a directory' -o out -- /

claim "an installation without the collector"
mkdir -p alone/bin
cp "$GAPTRACE" alone/bin/gaptrace
GAPTRACE_PROFILE_DIR=$(dirname "$GAPTRACE")/../share/gaptrace/profiles GAPTRACE=alone/bin/gaptrace \
  refused 69 '--gpu: there is no .*libgaptrace-cupti.so' --gpu -o out -- touch ran

claim "bad profiles, with file and line"
profile() {
  printf '%s\n' "$1" >bad.conf
  refused 2 "$2" --profile ./bad.conf -o out -- touch ran
}
refused 2 "no profile 'nosuch' in " --profile nosuch -o out -- touch ran
refused 2 './nosuch.conf: No such file' --profile ./nosuch.conf -o out -- touch ran
refused 2 '/: a folder, not a profile' --profile / -o out -- touch ran
profile $'[channel hot]\nevent = a:b\nsize = 1' "bad.conf:3: no key 'size'"
profile $'[channel hot]\nsubbuffer_size = 3000' 'bad.conf:2: subbuffer_size = 3000: a power of two'
profile $'# nothing' 'bad.conf: no \[channel NAME\] section'
profile $'[channel hot]\nevent = a:b\nsubbuffer_size = 4K' "channel 'hot' has no subbuffer_count"
profile $'[channel hot]\nnonsense' 'bad.conf:2: '
mkdir profiles
GAPTRACE_PROFILE_DIR=$PWD/profiles refused 2 "no profile 'full' in $PWD/profiles" -o out -- touch ran

claim "a profile that never comes can be interrupted"
mkfifo slow
got=0
timeout --signal=TERM --kill-after=30 1 "$GAPTRACE" record --profile ./slow -o out -- touch ran || got=$?
expect_equal "$got" 124 "exit code"
expect_absent out ran

claim "a filter that LTTng does not take"
printf '[channel hot]\nevent = gaptrace:* if ((\nsubbuffer_size = 4K\nsubbuffer_count = 2\n' >filter.conf
rm -rf out
expect_status 2 "$GAPTRACE" record --profile ./filter.conf -o out -- touch ran
expect_line stderr "gaptrace:\*: the session daemon says: "
expect_absent ran out
expect_equal "$(lttng_daemon_pid)" "" "session daemon"

claim "a folder that has something in it, or is a file"
mkdir full
touch full/file
refused 73 'full is not empty' -o full -- touch ran
refused 66 'plain' -o plain -- touch ran
refused 66 'nosuch/deep cannot be made: there is no folder nosuch$' -o nosuch/deep -- touch ran
refused 2 'xxx cannot be made: File name too long$' -o "$(printf 'x%.0s' {1..300})" -- touch ran
refused 66 'plain/deep cannot be made: plain is no folder$' -o plain/deep -- touch ran

claim "no session daemon to be had"
LTTNG_SESSIOND_PATH=$WORK/nosuch refused 69 'install the package lttng-tools' -o out -- touch ran
mkdir bin
ln -s "$(command -v touch)" bin/
got=0
PATH=$WORK/bin "$GAPTRACE" record -o out -- touch ran 2>stderr || got=$?
expect_equal "$got" 69 "exit code"
expect_line stderr 'install the package lttng-tools'

claim "a session daemon that does not start says why"
printf '#!/bin/sh\necho "Error: it is Sunday" >&2\nexit 1\n' >sunday
chmod +x sunday
LTTNG_SESSIOND_PATH=$WORK/sunday refused 69 'does not start: Error: it is Sunday' -o out -- touch ran

claim "folders without permission"
if [ "$(id -u)" -eq 0 ]; then
  command -v setpriv >/dev/null || skip "setpriv is not installed"
  chmod 755 "$WORK"
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups env)
else
  as_user=(env)
fi
mkdir closed
chmod 555 closed
expect_status 77 "${as_user[@]}" HOME="$WORK/closed" LTTNG_HOME= "$GAPTRACE" record -o closed/out -- touch ran
expect_line stderr 'closed/out cannot be made: Permission denied'
mkdir -m 777 open
got=0
(cd open && "${as_user[@]}" HOME="$WORK/closed" LTTNG_HOME= "$GAPTRACE" record -o out -- touch ran) 2>stderr || got=$?
expect_equal "$got" 69 "exit code"
expect_line stderr 'lttng-sessiond does not start: '
expect_absent open/out open/ran

claim "folders where no session daemon can make its sockets"
long=$WORK/open/$(printf '%080d' 0)
for bad in "relative relative/.lttng: LTTNG_HOME or HOME must be an absolute path" "$long set LTTNG_HOME to a shorter path"; do
  got=0
  (cd open && "${as_user[@]}" LTTNG_HOME="${bad%% *}" "$GAPTRACE" record -o out -- touch ran) 2>stderr || got=$?
  expect_equal "$got" 2 "exit code"
  expect_line stderr "${bad#* }"
  expect_absent open/out open/ran
done

claim "a command that turns out to be none leaves no folder"
printf 'no program' >no-program
chmod +x no-program
expect_status 126 "$GAPTRACE" record -o out -- ./no-program
expect_line stderr './no-program: Exec format error'
expect_absent out
printf '#!/no/such/shell\n' >no-program
expect_status 127 "$GAPTRACE" record -o out -- ./no-program
expect_absent out
mkdir out
expect_status 127 "$GAPTRACE" record -o out -- ./no-program
rmdir out || fail "something was left in a folder that was there before"
