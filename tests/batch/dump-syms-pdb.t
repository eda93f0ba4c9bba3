#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# unspool dump-syms of a PDB: data/crashes/pdb-x86/binaries/kiosk.pdb; expected is the output of 'llvm-pdbutil dump -all'.
. "$(dirname "$0")/../lib/tap.sh"

pdb=$srcdir/data/crashes/pdb-x86/binaries/kiosk.pdb

dump() {
	"$UNSPOOL" dump-syms "$@" 2>"$scratch/messages"
}
dump "$pdb" >"$scratch/sym"
is 'the check finds no defect' "$(cat "$scratch/messages")" ''
is 'the module, the file and the inlined functions' "$(sed -n 1,5p "$scratch/sym")" \
'MODULE windows x86 5927407275412C1C4C4C44205044422E1 kiosk.pdb
FILE 0 C:\kiosk\kiosk.cpp
INLINE_ORIGIN 0 kiosk::half_price
INLINE_ORIGIN 1 kiosk::roll::roll
INLINE_ORIGIN 2 kiosk::roll::worth'
is 'a function with its lines and inlined calls' "$(sed -n '/^FUNC 1040/,/^FUNC 10a0/p' "$scratch/sym")" \
'FUNC 1040 55 0 kiosk::close_day(kiosk::ticket const *,int)
INLINE 0 55 0 1 104c 14
INLINE 0 59 0 0 106f 15
1040 c 53 0
104c 14 23 0
1060 2 58 0
1062 d 57 0
106f 15 48 0
1084 4 59 0
1088 d 60 0
FUNC 10a0 13 0 start'
is 'the function has its unwind records' "$(grep '^STACK WIN 4 104' "$scratch/sym")" \
'STACK WIN 4 1040 55 4 0 8 0 0 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = 
STACK WIN 4 1041 54 3 0 8 4 0 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = $esi $T0 4 - ^ = 
STACK WIN 4 1044 51 0 0 8 4 38 0 1 $T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = $esi $T0 4 - ^ = '
is 'the PDB gives all unwind records' "$(grep -c '^STACK WIN' "$scratch/sym")" 14
is 'a line is that of the call if inlined calls are left out' \
	"$(dump --no-inlines "$pdb" | $AWK '$1 == "106f" || /^INLINE/')" '106f 15 59 0'
is 'an option writes mangled names' "$(dump --mangled "$pdb" | grep '^FUNC 1040')" 'FUNC 1040 55 0 ?close_day@kiosk@@YAHPBUticket@1@H@Z'
none 'records can be left out' "$(dump --no-cfi --no-publics "$pdb" | grep -E '^(STACK|PUBLIC)')"
is 'the file is stored where symbol servers look' "$(dump --store "$scratch/store" "$pdb")" \
	"$scratch/store/kiosk.pdb/5927407275412C1C4C4C44205044422E1/kiosk.sym"
"$UNSPOOL" lint "$scratch/sym" >"$scratch/lint"
is 'lint finds nothing in it' $? 0

# In the form in which symbol servers keep it: in a cabinet, or with gzip.
gzip -c "$pdb" >"$scratch/kiosk.pdb.gz"
dump "$scratch/kiosk.pdb.gz" | cmp -s - "$scratch/sym"
is 'a compressed PDB gives the same, under its own name' $? 0
cabinet=$builddir/tests/lib/make-cabinet
if [ ! -x "$cabinet" ] || lacks libmspack; then
	skip 6 'libmspack was left out'
else
	for method in mszip lzx; do
		"$cabinet" $method "$scratch/kiosk.pd_" ../KIOSK.PDB "$pdb"
		dump "$scratch/kiosk.pd_" | cmp -s - "$scratch/sym"
		is "a PDB in a cabinet gives the same ($method)" $? 0
	done
	head -c 9000 "$scratch/kiosk.pd_" >"$scratch/cut.pd_"
	dump "$scratch/cut.pd_" >/dev/null
	is 'a truncated cabinet is refused' "$? $(sed 's/.*: //' "$scratch/messages")" '3 the cabinet is truncated'
	"$cabinet" stored "$scratch/two.cab" kiosk.pdb "$pdb" readme.txt "$0"
	dump "$scratch/two.cab" >/dev/null
	is 'a cabinet with several files is refused' "$? $(sed 's/.*: //' "$scratch/messages")" '3 the cabinet has 2 files'
	# CFFILE.uoffFolderStart ([MS-CAB] 2.3) of 1: the library would decompress and drop all before the file.
	printf '\1' | dd of="$scratch/kiosk.pd_" bs=1 seek=48 conv=notrunc 2>/dev/null
	dump "$scratch/kiosk.pd_" >/dev/null
	is 'a cabinet with other data before its file is refused' \
		"$? $(sed 's/.*: //' "$scratch/messages")" '3 its file does not begin its data'
	"$cabinet" mszip "$scratch/text.cab" readme.txt "$0"
	dump "$scratch/text.cab" >/dev/null
	t 'a cabinet with another file is refused' grep -q 'is neither a program nor a library' "$scratch/messages"
fi

head -c 4096 "$pdb" >"$scratch/cut.pdb"
dump "$scratch/cut.pdb" >/dev/null
is 'a PDB without its directory is refused' $? 3
t 'the refusal of a PDB has its reason' grep -q "the PDB's directory, which is in the part that is cut off, cannot be read" "$scratch/messages"
printf 'Microsoft C/C++ program database 2.00\r\n\032JG\0\0\0\0\0\0' >"$scratch/old.pdb"
dump "$scratch/old.pdb" >/dev/null
t 'a PDB in the format of Visual C++ 6 is refused' grep -q 'version 2.0, from before 2002: not supported' "$scratch/messages"
done_testing
