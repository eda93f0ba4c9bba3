#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names and lines if a PDB has several answers for an address, or none: functions that the linker folded, thunks,
# inlined calls before the first line of their function. The answers are those of tests/pe/folded.cpp;
# doc/walkers-compared.md lists the differences of llvm-symbolizer.
. "$(dirname "$0")/../lib/tap.sh"

command -v xz >/dev/null || skip_all 'no xz'
for kind in msvc mingw; do
	xz -dc "$srcdir/tests/pe/folded-$kind.pdb.xz" >"$scratch/folded-$kind.pdb"
	cp "$srcdir/tests/pe/folded-$kind.dll" "$scratch"
	"$UNSPOOL" dump-syms "$scratch/folded-$kind.pdb" >"$scratch/$kind.sym" 2>"$scratch/messages"
done
at() {
	kind=$1
	shift
	"$UNSPOOL" lookup --brief "$scratch/folded-$kind.dll" "$@" 2>&1 | paste -d ' ' - - | sed 's/ C:\\shop\\folded.cpp:/ /'
}

# weighs and costs share their code, and so do open and hidden, and each function of the two shelves.
is 'one of the folded functions is printed with its own lines' \
	"$(at msvc 0x100010c0 0x100010c4 0x100010cf 0x100010d0 0x100010d9)" 'shop::weighs(int) 31
shop::weighs(int) 31
shop::weighs(int) 31
shop::open(int) 34
shop::open(int) 34'
is 'the name with parameters is that of the printed function' "$(at msvc 0x100011f0)" 'shop::shelf<char *>::put(char *) 15'
is 'a symbol file has the first of the names by the alphabet, with the lines of that function' \
	"$(sed -n '/^FUNC m 10c0/,/^FUNC m 10d0/p' "$scratch/msvc.sym" | $AWK '{ print $1, $1 == "FUNC" ? $6 : $3 }')" \
	'FUNC shop::costs(int)
10c0 32
FUNC shop::hidden(int)'
is 'each function has its own name if the linker folds none' "$(at mingw 0x100011a0 0x100011b0)" 'shop::weighs(int) 31
shop::costs(int) 32'

is 'a thunk has no calls of the functions after it' "$(at mingw 0x100010f0 0x10001122 0x1000119f)" \
	'non-virtual thunk to shop::thing::weight(int) ??:0
non-virtual thunk to shop::thing::weight(int) ??:0
non-virtual thunk to shop::thing::weight(int) ??:0'

# price and tail begin with inlined code.
is 'a call before the first line of its function has no line' "$(at msvc 0x10001000; at mingw 0x100011d0)" \
	'shop::scaled 8
shop::thing::price(int) ??:0
shop::scaled 8
shop::tail(int) ??:0'
"$UNSPOOL" lookup --json "$scratch/folded-msvc.dll" 0x10001000 >"$scratch/json"
t 'a call before the first line has no file in JSON' grep -q '"shop::thing::price(int)","mangled":"?price@thing@shop@@UEAAHH@Z","inlined":false,"file":null,"line":null' "$scratch/json"

is 'no name reaches over the end of its procedure' "$(at msvc 0x10001204)" '?? ??:0'

is 'names of MinGW are readable in symbol files' \
	"$(sed -n 's/^FUNC \(1040\|12e0\|1320\|1360\) [0-9a-f]* 0 //p; s/^PUBLIC 10f0 0 //p' "$scratch/mingw.sym")" \
	'shop::thing::weight(int)
shop::shelf<char*>::shelf()
shop::shelf<int*>::put(int*)
shop::shelf<char*>::~shelf()
non-virtual thunk to shop::thing::weight(int)'
"$UNSPOOL" dump-syms --mangled "$scratch/folded-mingw.pdb" >"$scratch/mangled.sym" 2>/dev/null
t 'names of MinGW are as in the linker on request' grep -qx 'FUNC 1320 14 0 _ZN4shop5shelfIPiE3putES1_' "$scratch/mangled.sym"
done_testing
