#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# dump-syms of PDBs, compared with the symbol files that Breakpad's dump_syms for Windows made from them: pdb/, next to
# the corpus of UNSPOOL_CORPUS, has both.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
pdbs=${UNSPOOL_CORPUS:-}/pdb
[ -d "$pdbs" ] || skip_all 'UNSPOOL_CORPUS has no folder pdb'

# Records, one a line. Lines have paths in place of numbers, and empty lines are left out. If a name was made from a
# type, the words that an older DIA wrote before it are left out, as current versions of Breakpad do.
records() {
	tr -d '\r' <"$1" | $AWK '
		$1 == "FILE" { number = $2; sub(/^FILE [0-9]* /, ""); file[number] = $0; next }
		$1 == "FUNC" {
			at = index($0, " static ")
			if (at > 0) {
				name = substr($0, at + 8); head = substr(name, 1, index(name, "(") - 1)
				rest = substr(name, index(name, "("))
				if (head !~ /`/) sub(/.* /, "", head)
				sub(/^ */, "", head)
				$0 = substr($0, 1, at) head rest
			}
			print; next
		}
		$1 == "PUBLIC" || $1 == "MODULE" || /^STACK WIN/ { print; next }
		/^[0-9a-f]+ [0-9a-f]+ [0-9]+ [0-9]+$/ && $2 != "0" { print $1, $2, $3, file[$4] }' | sort
}

for symbols in "$pdbs"/*.sym; do
	name=$(basename "$symbols" .sym)
	[ -e "$pdbs/$name.pdb" ] || continue
	"$UNSPOOL" dump-syms --no-inlines "$pdbs/$name.pdb" >"$scratch/own.sym" 2>"$scratch/messages"
	# The unwind rules of x64 are in the PE file, as the message says.
	is "$name: dump-syms exits with 0" "$(grep -v ' no unwind rules: ' "$scratch/messages")" ''
	records "$symbols" >"$scratch/peer"
	records "$scratch/own.sym" >"$scratch/own"
	for kind in MODULE FUNC PUBLIC 'STACK WIN' '[0-9a-f]* [0-9a-f]* [0-9]* '; do
		is "$name: records '$kind' are the same" "$(grep "^$kind" "$scratch/own" | cksum)" \
			"$(grep "^$kind" "$scratch/peer" | cksum)"
	done
	none "$name: the file has no other record" "$(comm -3 "$scratch/own" "$scratch/peer" | head -5)"
done
done_testing
