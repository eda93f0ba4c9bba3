#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names from modules' own files where no symbol file is: those of the symbol table in the bundled crash.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

crash=$srcdir/data/crashes/sframe-amd64

# The functions of the program's frames.
functions() {
	sed -n '/^Thread 0/,/^$/p' "$1" | sed -n 's/^ *[0-9]*  parcel!\([^ ]*\).*/\1/p'
}

lacks libelf && skip_all 'libelf was left out: programs are not read'
"$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols" >"$scratch/symbols" 2>/dev/null
"$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/file" 2>/dev/null
is 'the file names the functions that the symbol file names' \
	"$(functions "$scratch/file")" "$(functions "$scratch/symbols")"
t 'and there are seven of them' test "$(functions "$scratch/file" | wc -l)" -eq 7

"$UNSPOOL" walk --policy file-names=0 --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
is 'the policy row switches them off' "$(functions "$scratch/out")" ''
"$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" "$crash/symbols" >"$scratch/out" 2>/dev/null
is 'a symbol file comes first' "$(cat "$scratch/out")" "$(cat "$scratch/symbols")"
"$UNSPOOL" explain --binaries "$crash/binaries" --frame 0 "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
t 'the evidence says which table of which file has the name' \
	grep -Eq '^ chosen +\.(symtab|dynsym) [0-9a-f]+ to [0-9a-f]+ label_length +parcel\+0x[0-9a-f]+$' "$scratch/out"

# Functions, files and lines of a program's frames and the calls inlined there.
lines() {
	sed -n '/^Thread 0/,/^$/p' "$1" | sed -n "s/^ *[0-9]*  $2!\\(.* : [0-9]*\\) +.*/\\1/p"
}

made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
for name in recursion nofp sigaltstack; do
	if ! [ -d "$made/bin/x86_64" ] || lacks libdw; then
		skip 1 "$name: the corpus has no programs, or libdw was left out"
		continue
	fi
	"$UNSPOOL" walk "$made/x86_64/$name.dmp" "$made/symbols/x86_64" >"$scratch/symbols" 2>/dev/null
	"$UNSPOOL" walk --binaries "$made/bin/x86_64" "$made/x86_64/$name.dmp" >"$scratch/file" 2>/dev/null
	lines "$scratch/symbols" "$name" >"$scratch/want"
	lines "$scratch/file" "$name" >"$scratch/got"
	t "$name: the file has the functions and lines that its symbol file has" \
		sh -c 'test -s "$1" && cmp "$1" "$2"' sh "$scratch/want" "$scratch/got"
done
done_testing
