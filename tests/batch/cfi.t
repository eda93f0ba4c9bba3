#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Unwind tables from the command line: their output equals readelf's.
. "$(dirname "$0")/../lib/tap.sh"

data=$srcdir/data/crashes
parcel=$data/sframe-amd64/binaries/parcel
parcel_sym=$(echo "$data"/sframe-amd64/symbols/parcel/*/parcel.sym)

cfi() { "$UNSPOOL" cfi "$@" 2>"$scratch/err"; }

# Values by hand: the records are lines 2397 to 2407 of the file.
is 'records add up row by row' "$(cfi --at 2793 "$data"/inlines-amd64/symbols/*/*/*.sym | sed 1d)" \
'   address          CFA     ra   rbx   rbp   r12   r13   record
STACK CFI   11 rows
   00002780 +0      rsp+8   c-8  .     .     .     .     :2397
   00002782 +0x2   *rsp+16  c-8  .     .     .    *c-16  :2398
   00002787 +0x7   *rsp+24  c-8  .     .    *c-24  c-16  :2399
   0000278e +0xe   *rsp+32  c-8  .    *c-32  c-24  c-16  :2400
   0000278f +0xf   *rsp+40  c-8 *c-40  c-32  c-24  c-16  :2401
=> 00002793 +0x13  *rsp+48  c-8  c-40  c-32  c-24  c-16  :2402
   000029b1 +0x231 *rsp+40  c-8  c-40  c-32  c-24  c-16  :2403
   000029b2 +0x232 *rsp+32  c-8  c-40  c-32  c-24  c-16  :2404
   000029b3 +0x233 *rsp+24  c-8  c-40  c-32  c-24  c-16  :2405
   000029b5 +0x235 *rsp+16  c-8  c-40  c-32  c-24  c-16  :2406
   000029b7 +0x237 *rsp+8   c-8  c-40  c-32  c-24  c-16  :2407'
cfi --function sort_and_weigh "$parcel" "$data/sframe-amd64/symbols" >"$scratch/out"
is 'a function of a program has a table for each source' \
	"$(grep -c '^STACK CFI   5 rows$\|^SFrame   4 rows$' "$scratch/out")" 2
none 'sources that agree have no marks' "$(grep '!' "$scratch/out")"
sed 's/^STACK CFI 11e1 .cfa: $rbp 16/STACK CFI 11e1 .cfa: $rbp 24/' "$parcel_sym" >"$scratch/parcel.sym"
# Without the file's own tables, which need a library that some machines lack.
records() { $AWK '/^[.]/ { file = 1; next } /^[^ =-]/ { file = 0 } !file && !/^ ! [.]/'; }
is 'both rows of sources that disagree are marked; the walk uses the first' \
	"$(cfi --at 11e2 "$parcel" "$scratch/parcel.sym" | records | grep -n '!')" \
'6:=> 000011e1 +0x4  !rbp+24  c-8  .     c-16  .     :93
7: ! SFrame         !rbp+16  c-8  ?     c-16  ?     +0x2212
8: ! 000011e4 +0x7  !rbp+24  c-8 *c-32  c-16 *c-24  :94
9: ! SFrame         !rbp+16  c-8  ?     c-16  ?     +0x2212
14:-> 000011e1 +0x4  !rbp+16  c-8  ?     c-16  ?     +0x2212'
# An SFrame row has the CFA, the return address and rbp (SFrame version 2, 'sframe_frame_row_entry'). weigh
# pushes rbx at its first instruction and uses it.
cfi --at 11b9 "$parcel" "$data/sframe-amd64/symbols" | records >"$scratch/out"
is 'rbx of the caller is saved by STACK CFI, and SFrame does not know it' \
	"$(grep -c '^=> 000011b9 +0x1  [*]rsp+16  c-8 [*]c-16  :88$\|^-> 000011b9 +0x1  [*]rsp+16  c-8  ?     +0x2202$' "$scratch/out")" 2
cfi --frame 2 "$data/sframe-amd64/crash.dmp" "$data/sframe-amd64/symbols" >"$scratch/out"
t 'a scan does not know rbx either' grep -q '^ *stack scan  *rsp+16  c-8  ?$' "$scratch/out"

printf '%s\n' 'MODULE Linux x86_64 1 x' 'FUNC 1000 20 0 f' \
	'STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^' \
	'STACK CFI 1004 .cfa: $rsp 16 + $rbx' 'STACK CFI 9000 .cfa: $rsp 24 +' >"$scratch/bad.sym"
t 'a broken record has a row at its address' sh -c '"$1" cfi --at 1000 "$2" | grep -q "^ ! 00001004 +0x4 .* :5  outside the range"' \
	sh "$UNSPOOL" "$scratch/bad.sym"
is '--postfix prints rules as postfix' "$(cfi --rules --at 1001 "$scratch/bad.sym" | grep '^=>')" \
	'=> 00001000 +0    $rsp 8 +        .cfa -8 + ^  :3'
t 'the function of a frame has the rules of the conventions' sh -c '"$1" cfi --frame 1 "$2/crash.dmp" "$2/symbols" >"$3" &&
	grep -q "^STACK WIN 4   1 row   in use$" "$3" && grep -q "^   frame pointer  *ebp+8  *c-4  *c-8" "$3"' \
	sh "$UNSPOOL" "$data/frame-data-x86" "$scratch/out"

# Compared with readelf -wF: "ADDRESS COLUMN VALUE" of every row of every function. Columns that readelf
# prints as u are missing in records; longer expressions are left out by dumpers.
cat >"$scratch/readelf.awk" <<'END'
/ FDE / { function_row = 1; split($0, part, /pc=|\.\./); next }
/ CIE / { function_row = 0; next }
$1 == "LOC" { for (i = 2; i <= NF; i++) name[i] = $i; next }
function_row && $1 ~ /^[0-9a-f]+$/ && length($1) == 16 {
	address = $1
	sub(/^0+/, "", address)
	if ($2 == "exp") next
	for (i = 2; i <= NF; i++) if ($i != "u" && $i != "s") print address, name[i], $i
}
END
cat >"$scratch/ours.awk" <<'END'
$1 == "address" { for (i = 2; i < NF; i++) name[i] = $i; next }
/^[A-Z]/ { wanted = /^STACK CFI/; next }
wanted {
	gsub(/[*!]/, " "); sub(/^ *[=-]>/, "")
	address = $1
	sub(/^0+/, "", address)
	for (i = 2; i in name && i < NF - 1; i++) if ($(i + 1) !~ /^[.us-]$/) print address, name[i], $(i + 1)
}
END
compare() {
	readelf -wF "$1" 2>/dev/null >"$scratch/frames"
	addresses=$(sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\..*/--at \1/p' "$scratch/frames")
	"$AWK" -f "$scratch/readelf.awk" "$scratch/frames" | sort -u >"$scratch/want"
	for address in $addresses; do
		[ "$address" = --at ] || cfi --at "$address" "$2" | "$AWK" -f "$scratch/ours.awk"
	done | sort -u >"$scratch/got"
	comm -13 "$scratch/got" "$scratch/want"
}
if command -v readelf >/dev/null 2>&1; then
	none 'every cell of a program is the one that readelf -wF prints' \
		"$(compare "$parcel" "$parcel_sym" | grep -v '^1020\|^1026\|^1030\|^1040\|^1060 ')"
	is 'the comparison has many cells' "$(test "$(wc -l <"$scratch/want")" -gt 40 && echo many)" many
else
	tap_result 0 'every cell of a program is the one that readelf -wF prints # SKIP there is no readelf'
fi
made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
if command -v readelf >/dev/null 2>&1 && [ -d "$made/bin/x86_64" ]; then
	for program in inline_o2 recursion threads64; do
		compare "$made/bin/x86_64/$program" "$made/symbols/x86_64/$program"/*/*.sym >"$scratch/off"
		none "each cell of $program is that of readelf, except in its procedure linkage table" \
			"$(grep -v '^[12]0[23][06] ' "$scratch/off")"
	done
fi

# The PDB says that the function is const; the FUNC record does not.
pdb=$srcdir/data/crashes/pdb-x86
is 'a FUNC record names the function, also if the PDB does' \
	"$("$UNSPOOL" cfi --rules --frame 0 --binaries "$pdb/binaries" --no-system-binaries "$pdb/crash.dmp" \
		"$pdb/symbols" 2>/dev/null | head -n 1)" 'kiosk::roll::total(int)   kiosk.exe   10c0-1102'

done_testing
