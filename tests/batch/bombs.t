#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Small files that would take all memory and time, for they share what is read for each of its users.
. "$(dirname "$0")/../lib/tap.sh"

maker=$builddir/tests/lib/make-bombs
[ -x "$maker" ] || skip_all 'tests/lib/make-bombs is not built'

# Bytes of addresses, of which a sanitized program takes more than there are.
room=300000
(ulimit -v $room; "$UNSPOOL" --version) >"$scratch/out" 2>&1 ||
	skip_all 'the program does not start with little memory'

# bounded COMMAND...: it ends by itself in little memory and time; what it wrote is in out and err.
bounded() {
	(
		# Of a program that is killed the shell says so.
		ulimit -v $room
		ulimit -t 10
		ulimit -f 100000
		"$UNSPOOL" "$@" >"$scratch/out" 2>"$scratch/err"
	)
	status=$?
	[ $status -le 4 ] || { cat "$scratch/err"; return 1; }
}
# says PATTERN: a line of the last command.
says() { cat "$scratch/err" "$scratch/out"; grep -q "$1" "$scratch/err"; }

if lacks libdw; then
	skip 20 'libdw is not built in'
else
	while read -r kind count size; do
		file=$scratch/$kind
		"$maker" "$kind" "$count" "$size" "$file"
		t "$kind: looked up in bounds" bounded lookup "$file" 0x1010
		t "$kind: a message says what is left out" says 'too much time or memory for its size'
		t "$kind: symbols are written in bounds" bounded dump-syms "$file"
	done <<-'END'
		abbrevs 20000 60000
		tables 20000 60000
		files 10000 50000
		rows 10000 300000
		ranges 100000 30000
	END
	"$maker" abbrevs 2000 200 "$scratch/fewer"
	t 'units may share abbreviations' bounded lookup "$scratch/fewer" 0x1010
	is 'and nothing is left out' "$(cat "$scratch/err")" ''
	"$maker" packed 1 600 "$scratch/packed"
	t 'a section that becomes too large is left out' bounded lookup "$scratch/packed" 0x1010
	t 'a message says so' says 'cannot be decompressed to 629145600 bytes'
	t 'also where symbols are written' bounded dump-syms "$scratch/packed"
fi
done_testing
