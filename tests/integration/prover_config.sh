#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pages about the configuration and the command lines say what the programs do.
set -euo pipefail
# shellcheck source=tests/integration/prover_common.sh
source "$(dirname "$(realpath "$0")")/prover_common.sh" "$@"

claim "docs/configuration.md and --print-config agree on every key"
/usr/bin/python3 "$ROOT/tests/integration/prover_config.py" "$PROVERD" "$ROOT/docs/configuration.md"

claim "what is printed is a configuration, and reads back as the same"
"$PROVERD" --print-config >"$WORK/printed.conf"
"$PROVERD" --config "$WORK/printed.conf" --print-config >"$WORK/again.conf"
cmp "$WORK/printed.conf" "$WORK/again.conf" || fail "it differs"

claim "the man pages know every option of the programs, and no other"
options() {
  "$1" --help | grep -o -- '--[a-z-]*' | sort -u
}
page_options() {
  grep -oE 'Fl -[a-z-]+' "$ROOT/docs/man/$1" | sed 's/Fl -/--/' | sort -u
}
diff <(options "$PROVERD") <(page_options proverd.8) || fail "proverd.8 and proverd --help differ"
for option in $(page_options prove.1); do
  # A known option takes --nonsense as its argument or complains about that; help ends at once.
  "$PROVE" "$option" --nonsense >/dev/null 2>"$WORK/stderr" || true
  if grep -q "unrecognized option '$option'" "$WORK/stderr"; then
    fail "prove.1 names $option, which prove does not know"
  fi
done
for option in $(options "$PROVE"); do
  page_options prove.1 | grep -cx -- "$option" || fail "prove.1 does not name $option"
done

claim "keys that the man pages name exist"
grep -ohE '\[[a-z]+\] [a-z_]+' "$ROOT"/docs/man/proverd.8 "$ROOT"/docs/man/prove.1 | sort -u |
  while read -r section key; do
    awk -v section="$section" -v key="$key" \
      '/^\[/ { at = $1 } at == section && $1 == key { found = 1 } END { exit !found }' "$WORK/printed.conf" ||
      fail "a man page names $section $key, which there is not"
  done
