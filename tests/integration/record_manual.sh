#!/usr/bin/env bash
# Proves: the defaults and limits in gaptrace-record(1), in docs/recording.md and in --help are those
# of the code and the profiles.
set -euo pipefail
cd "$(dirname "$0")/../.."
gaptrace=${1:?usage: $0 BUILD_FOLDER}/bin/gaptrace
page=docs/man/gaptrace-record.1
failed=0

# agree WHAT CODE_FILE CODE_PATTERN PAGE PAGE_TEXT: the code says so, and the page does, too.
agree() {
  if ! grep -Eq -- "$3" "$2"; then
    echo "$1: $2 has no line '$3'"
    failed=1
  fi
  if ! tr '\n' ' ' <"$4" | grep -Fc -- "$5"; then
    echo "$1: $4 does not say '$5'"
    failed=1
  fi
}

agree profile analysis/cli/record_options.h 'RECORD_PROFILE_DEFAULT "full"' "$page" 'Default: .Cm full .'
agree 'free space' trace/record/output.h 'OUTPUT_FREE_BYTES_MIN \(64ULL << 20\)' "$page" '64 MiB of free disk space'
agree 'free space' trace/record/output.h 'OUTPUT_FREE_BYTES_MIN \(64ULL << 20\)' docs/recording.md 'Under 64 MiB'
agree 'last space' trace/record/watch.h 'WATCH_FREE_BYTES_MIN \(16ULL << 20\)' "$page" '16 MiB are left'
agree warning trace/record/watch.h 'WATCH_WARN_S 600' "$page" '10 minutes of disk space'
agree 'session name' trace/record/session.h 'SESSION_NAME_BYTES_MAX 128' "$page" 'at most 127'
agree channels trace/record/profile.h 'PROFILE_CHANNEL_COUNT_MAX 4' "$page" 'at most 4'
agree events trace/record/profile.h 'PROFILE_EVENT_COUNT_MAX 64' "$page" 'at most 64'
agree sub-buffers trace/record/profile.c 'SUBBUFFER_BYTES_MAX \(1ULL << 30\)' "$page" 'from 4K to 1G'
agree sub-buffers trace/record/profile.c 'SUBBUFFER_COUNT_MAX 1024ULL' "$page" 'from 2 to 1024'
agree flush trace/record/profile.c 'FLUSH_US_MAX 600000000ULL' "$page" '10ms to 600s'
agree registration analysis/cli/command_record.c 'REGISTER_TIMEOUT_MS "3000"' "$page" 'Set to 3000'
agree metadata trace/record/session.c 'METADATA_FLUSH_US 500000' docs/recording.md '(0.5 s and'
for option in --output --profile --gpu --start --stop; do
  "$gaptrace" record --help | grep -c -- "$option" || { echo "--help does not mention $option"; failed=1; }
  grep -Eq "Fl -${option#--}( |\$)" "$page" || { echo "$page does not mention $option"; failed=1; }
done

# buffers PROFILE: count and size of both channels, as the table of docs/recording.md has them.
buffers() {
  awk -F' = ' '/^subbuffer_size/ {size = $2} /^subbuffer_count/ {print $2, size}' "trace/profiles/$1.conf" | tr '\n' ';'
}
[ "$(buffers full)" = '8 1M;4 64K;' ] || { echo "full.conf has other buffers than docs/recording.md"; failed=1; }
[ "$(buffers minimal)" = '8 256K;4 16K;' ] || { echo "minimal.conf has other buffers than docs/recording.md"; failed=1; }
grep -q 'hot 8 × 1 MiB, state 4 × 64 KiB | hot 8 × 256 KiB, state 4 × 16 KiB' docs/recording.md || {
  echo "docs/recording.md has other buffers than the profiles"
  failed=1
}
exit $failed
