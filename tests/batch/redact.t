#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --redact: no output contains text from the environment, the command line or the process's memory.
. "$(dirname "$0")/../lib/tap.sh"

maker=$builddir/tests/lib/make-secrets
[ -x "$maker" ] || skip_all 'the maker of secrets is not built'
"$maker" "$scratch/secret.dmp" || exit 99

# "HUSHHUSH" as text, as bytes, as a word of memory and as words of four bytes.
secret='HUSHHUSH|48 ?55 ?53 ?48|4853554848535548|HSUHHSUH|48535548'

# shows TITLE COMMAND...: without --redact the secret appears, so that its absence is significant.
shows() {
	title=$1
	shift
	"$UNSPOOL" "$@" >"$scratch/out" 2>"$scratch/err"
	t "$title shows the memory" grep -qiE "$secret" "$scratch/out"
}

# hides TITLE COMMAND...: with --redact it does not, and there is still some output.
hides() {
	title=$1
	shift
	"$UNSPOOL" "$@" --redact >"$scratch/out" 2>"$scratch/err"
	is "$title works with --redact" $? 0
	none "$title hides the memory" "$(grep -iE "$secret" "$scratch/out" "$scratch/err")"
	t "$title prints something" test -s "$scratch/out"
}

dump=$scratch/secret.dmp
shows 'streams' streams "$dump"
hides 'streams' streams "$dump"
shows 'streams --hex' streams --hex "$dump"
hides 'streams --hex' streams --hex "$dump"
shows 'streams --json' streams --json "$dump"
hides 'streams --json' streams --json "$dump"
hides 'streams --stream' streams --stream LinuxEnviron "$dump"
shows 'walk --json' walk --json "$dump"
hides 'walk --json' walk --json "$dump"
shows 'walk --stack' walk --stack "$dump"
hides 'walk --stack' walk --stack "$dump"
hides 'walk' walk "$dump"
hides 'walk --machine' walk --machine "$dump"
hides 'summary' summary "$dump"
shows 'report' report "$dump"
hides 'report' report "$dump"
hides 'report --format html' report --format html "$dump"
t 'the message reports the redaction' grep -q 'environment, command line, memory of the process and names of users; registers are not' \
	"$scratch/out"
"$UNSPOOL" walk --redact "$dump" >"$scratch/out"
t 'registers stay' grep -qE 'rsp = 0x[0-9a-f]{16}' "$scratch/out"

# The explorer ----------------------------------------------------------------------------------

. "$srcdir/tests/lib/screen.sh"

# The words of the stack in three forms, the heap, and the secret's bytes in the dump.
offset=$(grep -abo HUSHHUSH "$dump" | sed -n '1s/:.*//p')
printf '%s\n' 6 ':save-screen hex' x ':save-screen decimal' x ':save-screen text' \
	':goto 0x7018' ':save-screen word' ':goto 0x10010' ':save-screen heap' \
	":goto dump:$(printf '0x%x' "$offset")" ':save-screen bytes' >"$scratch/keys"
screen_case 'the explorer shows the memory of the dump' 120x40 "$dump" <"$scratch/keys"
t 'the explorer shows all' grep -qiE "$secret" "$screen_folder/text"
t 'the explorer shows all bytes' grep -qiE "$secret" "$screen_folder/bytes"
screen_case 'the explorer works with --redact' 120x40 --redact "$dump" <"$scratch/keys"
none 'the explorer hides the memory with --redact' "$(grep -iE "$secret" "$screen_folder"/*)"
expect_text text '0000007018  .redacted'
expect_text bytes ' -- -- -- --'

# Switched on while the explorer runs: the secret disappears from views, copies and searches, and from
# everything that is written afterwards.
cat >"$scratch/keys" <<KEYS
:set copy-command cat >copied
6
:find HUSHHUSH
:save-screen found
:memory 0x7018
Y
:copy row
:save-screen shown
:set redact on
:save-screen said
:view found
:save-screen hidden-found
:memory 0x7018
:save-screen hidden-memory
:goto dump:$(printf '0x%x' "$offset")
:save-screen hidden-bytes
:streams
:write hidden-streams
:export report hidden.md
:export report hidden.html
:export walk hidden.txt
:export walk hidden.json
:try find HUSHHUSH
:try export-case hidden-case
:save-screen hidden-case-said
KEYS
screen_case 'redaction is switched on' 120x40 --no-sandbox "$dump" <"$scratch/keys"
t 'the memory is shown before the redaction' grep -qiE "$secret" "$screen_folder/shown"
expect_text said 'left out; the last copy is overwritten'
expect_text said 'redacted *$|  redacted  '
none 'no screen and no export has the memory after the redaction' "$(grep -liE "$secret" "$screen_folder"/hidden* "$screen_folder/said")"
is 'a redacted copy differs' "$(cat "$screen_folder/copied")" '(redacted)'
expect_text hidden-case-said 'words that scans refused are left out'
t 'a case has the words that its step reads' test -s "$screen_folder/hidden-case/crash.dmp"
none 'the case has no other words' "$(grep -rliE "$secret" "$screen_folder/hidden-case")"
# Every view, as its table lists them, and memory in other bases.
{
	echo ':set redact on'
	for view in $(sed -n 's/^V([A-Z]*, "[^"]*", "view \([a-z]*\)".*/\1/p' "$srcdir/ui/view/view.def"); do
		printf '%s\n' ":try view $view" ":write view-$view"
	done
	for base in dec text; do
		printf '%s\n' ":set base $base" ':memory 0x7018' ":write view-memory-$base"
	done
} >"$scratch/keys"
screen_case 'all views are drawn' 120x40 "$dump" <"$scratch/keys"
t 'each view has rows' test -s "$screen_folder/view-registers" -a -s "$screen_folder/view-memory-text"
none 'no view has the memory' "$(grep -liE "$secret" "$screen_folder"/view-*)"
printf '%s\n' ':set redact on' ':set redact off' ':memory 0x7018' ':save-screen again' >"$scratch/keys"
screen_case 'redaction is switched off' 120x40 --redact "$dump" <"$scratch/keys"
t 'the memory is shown after the redaction is switched off' grep -qiE "$secret" "$screen_folder/again"
printf 'set redact off\n' >"$scratch/config"
printf '%s\n' ':memory 0x7018' ':save-screen still' >"$scratch/keys"
screen_case 'a configuration cannot switch off --redact' 120x40 --redact --config "$scratch/config" "$dump" <"$scratch/keys"
none 'memory stays hidden if the command line hides it' "$(grep -iE "$secret" "$screen_folder/still")"

done_testing
