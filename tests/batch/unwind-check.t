#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# All sources of a module's unwind rules compared: agreement, planted defects, and their places.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64
module=$crash/binaries/parcel
sym=$crash/symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
mkdir "$scratch/changed"

# The file with a defect, made by a sed script.
plant() {
	sed "$1" "$sym" >"$scratch/changed/parcel.sym"
	t "the change '$1' is in the copy" sh -c '! cmp -s "$1" "$2"' sh "$sym" "$scratch/changed/parcel.sym"
	"$UNSPOOL" unwind-check "$module" "$scratch/changed/parcel.sym" >"$scratch/out" 2>"$scratch/err"
	status=$?
}

plant '/^STACK CFI 1026 /s/ $rsp 24 +/ $rsp 24 + $rip 16 % 16 \/ +/'
is 'an expression with the same value at each address is no difference' $status 0
# At 0x11aa .eh_frame changes only the CFA; here the symbol file changes only rbx.
till=$srcdir/data/crashes/broken-cfi-amd64
sed 's/^STACK CFI 11aa .*/STACK CFI 11aa $rbx: .cfa -24 + ^/' "$till"/symbols/till/*/till.sym >"$scratch/changed/till.sym"
"$UNSPOOL" unwind-check "$till/binaries/till" "$scratch/changed/till.sym" >"$scratch/out" 2>"$scratch/err"
t 'the register that only one source changes at an address is compared' \
	grep -q 'till.sym:81:[0-9]*: warning: rbx: STACK CFI says c-24, .eh_frame says c-16 .rule-differs' "$scratch/out"
t 'a register that only the other source changes is compared' \
	grep -q 'warning: CFA: STACK CFI says rsp+16, .eh_frame says rsp+48 .rule-differs' "$scratch/out"

plant '/^STACK CFI 114c /s/ 320 / 312 /'
"$UNSPOOL" cfi --function print_label "$module" "$scratch/changed/parcel.sym" >"$scratch/out" 2>/dev/null
is 'cfi exits with 1 where it marks that sources differ' $? 1
t 'cfi marks the difference in the table' grep -q '^ ! .eh_frame' "$scratch/out"
"$UNSPOOL" cfi --function print_label "$module" "$crash/symbols" >/dev/null 2>&1
is 'cfi exits with 0 if the sources agree' $? 0
"$UNSPOOL" cfi --function _start "$module" "$crash/symbols" >/dev/null 2>&1
is 'a rule that a format cannot express does not differ' $? 0

# A baseline: the findings of an earlier run.
"$UNSPOOL" unwind-check --json "$module" "$scratch/changed/parcel.sym" >"$scratch/known.json" 2>/dev/null
sed '/^STACK CFI 114c /s/ 312 / 304 /' "$scratch/changed/parcel.sym" >"$scratch/again.sym"
"$UNSPOOL" unwind-check --baseline "$scratch/known.json" "$module" "$scratch/again.sym" >"$scratch/out" 2>"$scratch/err"
is 'another rule at that place is a new finding' "$? $(grep -c '\[rule-differs\]' "$scratch/out")" '1 1'
# A file that is large enough for several threads has the same differences in the same order.
{
	cat "$scratch/changed/parcel.sym"
	$AWK 'BEGIN { for (i = 0; i < 120000; i++) printf "FUNC %x 10 0 a_function_far_away_%d\n", 1048576 + i * 16, i }'
} >"$scratch/large.sym"
"$UNSPOOL" unwind-check "$module" "$scratch/large.sym" 2>/dev/null | sed 's/large/parcel/' >"$scratch/large"
"$UNSPOOL" unwind-check "$module" "$scratch/changed/parcel.sym" >"$scratch/out" 2>/dev/null
t 'threads find what one finds' cmp "$scratch/large" "$scratch/out"

# Inputs ------------------------------------------------------------------------------------------

"$UNSPOOL" unwind-check "$scratch/changed/parcel.sym" --binaries "$crash/binaries" >"$scratch/out" 2>&1
is 'the binary of a symbol file is found below --binaries' $? 1
t 'the binary is found by its ID' grep -q 'STACK CFI says rsp+312' "$scratch/out"
"$UNSPOOL" unwind-check "$crash/crash.dmp" "$scratch/changed" --binaries "$crash/binaries" >"$scratch/out" 2>&1
is 'all modules of a dump are compared' $? 1
t 'the modules are compared with their symbols' grep -q 'STACK CFI says rsp+312' "$scratch/out"

# The functions of the frames, with lint's findings in their records.
mkdir -p "$scratch/odd/parcel/56C3B53CDDC62F1A1211E753916F2FBB0"
odd=$scratch/odd/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
sed -e '/^STACK CFI 11e1 /s/$/ $rbx: .cfa 16 + ^/' -e '/^STACK CFI 114c /s/ 320 +/ 320/' \
	-e '/^1129 /s/ 0$/ 7/' -e '/^STACK CFI 1031 /s/$/ $rbx: .cfa 16 + ^/' "$sym" >"$odd"
frames() { "$UNSPOOL" unwind-check --frames --binaries "$crash/binaries" "$crash/crash.dmp" "$@" 2>/dev/null; }
frames --brief "$scratch/odd" >"$scratch/out"
is "a dump's functions of the frames are compared, and a difference exits with 1" $? 1
for found in "$(grep -n '^1129 ' "$odd" | cut -d: -f1):.*number 7.*file-undefined" \
	"$(grep -n '^STACK CFI 114c ' "$odd" | cut -d: -f1):.*cfi-expression" \
	"$(grep -n '^STACK CFI 11e1 ' "$odd" | cut -d: -f1):.*cfi-slot-above"; do
	t "findings of lint are included: ${found##*.}" grep -q "^parcel.sym:$found" "$scratch/out"
done
is 'each equals the finding of lint about the whole file' "$(grep -E 'cfi-expression|cfi-slot-above' "$scratch/out")" \
	"$("$UNSPOOL" lint --brief --all "$odd" | sed 's|^[^:]*/||' | grep -E '^parcel.sym:(8[5-9]|9[0-9]):.*(cfi-expression|cfi-slot-above)')"
none 'records of other functions are left out' "$(grep '^parcel.sym:7' "$scratch/out")"
t 'a difference in the function of a frame is reported' grep -q 'CFA: STACK CFI says an expression, .eh_frame says rsp+320' "$scratch/out"
t 'frames and functions are counted' grep -q '^crash.dmp: 8 frames of thread 0, 5 functions compared$' "$scratch/out"
frames --json "$scratch/odd" >"$scratch/out"
t 'JSON has the same findings' grep -q '"records":\[{"code":"cfi-expression","severity":"warning"' "$scratch/out"
frames "$crash/symbols" >"$scratch/out"
is 'correct records have no difference' "$?:$(cat "$scratch/out")" '0:crash.dmp: 8 frames of thread 0, 5 functions compared'
till=$srcdir/data/crashes/broken-cfi-amd64
is 'two sources are compared: the symbol file and .eh_frame' "$("$UNSPOOL" unwind-check --frames --no-system-binaries \
	--binaries "$till/binaries" "$till/crash.dmp" "$till/symbols" 2>/dev/null | head -n 1)" \
	'till.sym:90:16: warning: CFA: STACK CFI says rsp+96, .eh_frame says rsp+144 [rule-differs]'
"$UNSPOOL" unwind-check --frames --code "$crash/crash.dmp" "$scratch/odd" >/dev/null 2>&1
is 'the code is not compared for frames' $? 2

done_testing
