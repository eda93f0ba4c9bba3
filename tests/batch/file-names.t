#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names from modules' own files for modules without a symbol file: those of the symbol table in the bundled crash.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64

# The functions of the program's frames.
functions() {
	sed -n '/^Thread 0/,/^$/p' "$1" | sed -n 's/^ *[0-9]*  parcel!\([^ ]*\).*/\1/p'
}

"$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols" >"$scratch/symbols" 2>/dev/null
"$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/file" 2>/dev/null
is 'the file has the names of the symbol file' "$(functions "$scratch/file")" "$(functions "$scratch/symbols")"
t 'the file names seven functions' test "$(functions "$scratch/file" | wc -l)" -eq 7

"$UNSPOOL" walk --policy file-names=0 --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
is 'a policy row switches the names of the file off' "$(functions "$scratch/out")" ''
"$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" "$crash/symbols" >"$scratch/out" 2>/dev/null
is 'names of a symbol file come first' "$(cat "$scratch/out")" "$(cat "$scratch/symbols")"
"$UNSPOOL" explain --binaries "$crash/binaries" --frame 0 "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
t 'the evidence names the file and the table with the name' \
	grep -Eq '^ chosen +\.(symtab|dynsym) 0x[0-9a-f]+ to 0x[0-9a-f]+ label_length +parcel\+0x[0-9a-f]+$' "$scratch/out"

# Functions, files and lines of a program's frames, and the calls inlined into them.
lines() {
	sed -n '/^Thread 0/,/^$/p' "$1" | sed -n "s/^ *[0-9]*  $2!\\(.* : [0-9]*\\) +.*/\\1/p"
}

made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
for name in recursion nofp sigaltstack; do
	if ! [ -d "$made/bin/x86_64" ]; then
		skip 1 "$name: the corpus has no programs"
		continue
	fi
	"$UNSPOOL" walk "$made/x86_64/$name.dmp" "$made/symbols/x86_64" >"$scratch/symbols" 2>/dev/null
	"$UNSPOOL" walk --binaries "$made/bin/x86_64" "$made/x86_64/$name.dmp" >"$scratch/file" 2>/dev/null
	lines "$scratch/symbols" "$name" >"$scratch/want"
	lines "$scratch/file" "$name" >"$scratch/got"
	t "$name: the file has the functions and lines that its symbol file has" \
		sh -c 'test -s "$1" && cmp "$1" "$2"' sh "$scratch/want" "$scratch/got"
done

# Exported names, limited by the unwind rules of the symbol file or of the module's own file.
if [ -d "$made/symbols/i386-nocfi" ]; then
	"$UNSPOOL" walk "$made/i386/abort_terminate.dmp" "$made/symbols/i386" >"$scratch/out" 2>/dev/null
	t 'a STACK CFI INIT record takes the name from the function after an exported one' \
		grep -Fq ' 8  libgcc_s.so.1 + 0x1caf8 (after _Unwind_GetTextRelBase + 0x1d38)' "$scratch/out"
	t 'a function that is exported has its name' grep -Fq ' 3  libc.so.6!abort + 0xed' "$scratch/out"
	t 'the signature has no name of another function' grep -q '^signature  *libc.so.6@0x8a407 | middle$' <<-END
	$("$UNSPOOL" summary "$made/i386/abort_terminate.dmp" "$made/symbols/i386" 2>/dev/null)
	END
	# readelf: FDEs 1150..119a and 11a0..11b8, sections .text 1050 and .fini 1200.
	file=$made/bin/i386/libplugin_stripped.so
	sed -n 1,2p "$made"/symbols/i386/libplugin_stripped.so/*/*.sym >"$scratch/plugin.sym"
	printf 'PUBLIC 1150 0 early\nPUBLIC 11f0 0 late\n' >>"$scratch/plugin.sym"
	is 'a frame table and a section limit a name' \
		"$("$UNSPOOL" lookup "$file" "$scratch/plugin.sym" 1190 11a4 1208 2>&1 | grep -E '^  (early|late|after)')" \
'  early + 0x40   PUBLIC   plugin.sym:3
  after early + 0x54   .eh_frame begins another function at 0x11a0   plugin.sym:3
  after late + 0x18   section begins another function at 0x1200   plugin.sym:4'
else
	skip 4 'the corpus has no symbols without STACK records'
fi
done_testing
