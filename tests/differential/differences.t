#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# doc/differences.md has the policy as the program has it.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
document=$srcdir/doc/differences.md

# The lines of `unspool policy` as rows of a table.
rows() {
	"$UNSPOOL" policy | "$AWK" 'NR > 1 {
		sentence = $0
		sub(/^[^ ]+ +[0-9]+ +[0-9]+ +[0-9]+ +/, "", sentence)
		print "| `" $1 "` | " $2 " | " $3 " | " $4 " | " sentence " |"
	}'
}

is 'the table of doc/differences.md is that of unspool policy' \
	"$(grep '^| `' "$document")" "$(rows)"
none 'every policy that the text names is in the table' "$(
	grep -v '^|' "$document" | grep -o '`[a-z][a-z]*-[a-z-]*`' | sort -u |
	while read -r name; do
		grep -q "^| $name |" "$document" || echo "$name"
	done)"
done_testing
