#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The command line: options, exit statuses, where symbols come from.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
dump=$crash/crash.dmp

# status WANTED TITLE ARGUMENT...: run the program; $scratch/out and $scratch/err get its output.
status() {
	status_want=$1
	status_title=$2
	shift 2
	"$UNSPOOL" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	is "$status_title: exit status" $? "$status_want"
}

status 0 'help' --help
is 'help has each command in one group' "$(sed -n 's/^  //p' "$scratch/out" | tr ' ' '\n' | sort)" "$(commands | sort)"
cp "$dump" "$scratch/summry"
(cd "$scratch" && "$UNSPOOL" summry --script /dev/null) >/dev/null 2>"$scratch/err"
none 'an existing file is opened' "$(grep 'did you mean' "$scratch/err")"

escape=$(printf '\033')
is 'the text is the same without the escapes' \
	"$("$UNSPOOL" summary --color=always "$dump" "$crash/symbols" | sed "s/$escape\[[0-9;]*m//g")" \
	"$("$UNSPOOL" summary "$dump" "$crash/symbols")"

many=${UNSPOOL_CORPUS:-/nonexistent}/made/x86_64/threads64.dmp
if [ -f "$many" ]; then
	is 'the number of a thread does not depend on the order of the output' \
		"$("$UNSPOOL" stack --json --thread 3 "$many" 2>/dev/null | grep -o '"thread":[0-9]*' | head -n 1)" '"thread":3'
else
	skip 1 'the corpus with a dump of 65 threads is missing'
fi
# Options of other walkers ------------------------------------------------------------------------

status 0 'with a server' walk --offline --symbols-url http://127.0.0.1:1/ --symbols-cache "$scratch/kept" "$dump"
t 'a directory with a server has no such message' sh -c '! cat "$1/err" "$1/out" | grep -q "is not used"' sh "$scratch"
is 'the JSON of --brief has the thread that --thread selects' "$("$UNSPOOL" walk --json --brief --thread 1 "$dump" | grep -c '"frames":\[{')" 1
for command in '' explore $(commands); do
	"$UNSPOOL" $command --help >"$scratch/out"
	none "help of '$command' fits on a screen" "$($AWK 'length > 80 { print NR ": " $0 }
		END { if (NR > 24) print NR " lines" }' "$scratch/out")"
	none "the help of '$command' has each option once, in columns" "$($AWK '
		/^  (-.,|   ) --/ { if (seen[substr($0, 7, 22)]++ || substr($0, 29, 1) != " ") print }
		' "$scratch/out")"
done
# Symbols ----------------------------------------------------------------------------------------

"$UNSPOOL" walk -m "$dump" "$crash/symbols" >"$scratch/want"
is 'a dump comes from standard input' "$("$UNSPOOL" walk -m - "$crash/symbols" <"$dump")" "$(cat "$scratch/want")"
cat "$dump" | "$UNSPOOL" walk -m - "$crash/symbols" >"$scratch/out"
is 'a dump comes from a pipe' "$(cat "$scratch/out")" "$(cat "$scratch/want")"
is 'UNSPOOL_SYMBOLS names symbols' "$(UNSPOOL_SYMBOLS=$crash/symbols "$UNSPOOL" walk -m "$dump")" "$(cat "$scratch/want")"
UNSPOOL_SYMBOLS=$scratch/none:$crash/symbols "$UNSPOOL" walk -m "$dump" >"$scratch/out" 2>"$scratch/err"
is 'UNSPOOL_SYMBOLS may be a list' "$(cat "$scratch/out")" "$(cat "$scratch/want")"
UNSPOOL_SYMBOLS=$crash/symbols "$UNSPOOL" walk -m "$dump" "$scratch" >"$scratch/out"
t 'the command line precedes UNSPOOL_SYMBOLS' sh -c '! cmp -s "$1" "$2"' sh "$scratch/out" "$scratch/want"
cp "$crash"/symbols/ledger.pdb/*/ledger.sym "$scratch/any.name.sym"
is 'a single symbol file is used by its id' "$("$UNSPOOL" walk -m "$dump" "$scratch/any.name.sym")" "$(cat "$scratch/want")"

# Nothing reads the output.
{ "$UNSPOOL" walk "$srcdir/data/crashes/pac-arm64/crash.dmp"; echo $? >"$scratch/status"; } 2>"$scratch/err" | head -n 1 >/dev/null
is 'a closed pipe is not an error' "$(cat "$scratch/status")" 0
is 'a closed pipe has no message' "$(cat "$scratch/err")" ''

done_testing
