#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The output of `explain` for a step: the record, every token, every read with its bytes.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
sym=$crash/symbols/ledger.pdb/7A1C35E09B2D4F6885C3D1E0F2A4B6C81/ledger.sym

explain() { "$UNSPOOL" explain "$@" "$crash/crash.dmp" "$crash/symbols"; }

# word OFFSET: four bytes of the dump as a little-endian number.
word() {
	od -An -tu1 -j "$(($1))" -N 4 "$crash/crash.dmp" |
		$AWK '{ printf "%02x%02x%02x%02x", $4, $3, $2, $1 }'
}

explain --frame 2 >"$scratch/two"
is 'explain exits with 0' $? 0

# The program of read_ledger, and its place in the file, found with other tools.
line=$(grep -n '^STACK WIN 4 1080 ' "$sym" | cut -d: -f1)
column=$(grep '^STACK WIN 4 1080 ' "$sym" | $AWK '{ print index($0, "$T0") }')
program=$(grep '^STACK WIN 4 1080 ' "$sym" | sed 's/.*\(\$T0 \.raSearch\)/\1/')
t 'the program is printed as in the record' grep -qF "program: $program" "$scratch/two"
t 'the program has file, line and column of the record' grep -qE "program: .*ledger\.sym:$line:$column\$" "$scratch/two"
# Worked out by hand: S = esp 12feb4 + 8 (parameters of add_up) + 16 + 8 = 12fed4.
reads=$(sed -n 's/^ *read \[\([0-9a-f]*\)\] = \([0-9a-f]*\) *crash\.dmp+\(0x[0-9a-f]*\)$/\1 \2 \3/p' "$scratch/two")
is 'the program reads return address and saved ebp' "$(echo "$reads" | cut -d' ' -f1,2)" \
'12fed4 401105
12fec0 12feec'
echo "$reads" | while read -r address value offset; do
	[ "$(word "$offset")" = "$(printf '%08x' "0x$value")" ] || echo "$address: the dump has $(word "$offset") at $offset"
done >"$scratch/wrong"
none 'each read names its bytes in the dump' "$(cat "$scratch/wrong")"
explain --thread 1 --frame 2 >"$scratch/thread"
t '--thread takes another thread' grep -q 'FUNC 0x1120 to 0x114f autosave' "$scratch/thread"

# A failed check says what is wrong, a passed one what is right.
"$UNSPOOL" explain --frame 5 --methods frame-pointer,stack-scan \
	"$srcdir/data/crashes/sframe-amd64/crash.dmp" "$srcdir/data/crashes/sframe-amd64/symbols" >"$scratch/failed"
t 'a failed check is not written as a true sentence' grep -qF \
	"FAIL  the caller's frame does not lie above the callee's: rbp 0x7fffffffec70 leads to rbp 0x1" "$scratch/failed"
t 'a passed check is written as a true sentence' grep -q '^ ok    the frame pointer is aligned: rbp 0x7fffffffec70' "$scratch/failed"

# A sum has the sign of its rule; rsp of frame 0 is 7fffffffe528.
mkdir "$scratch/signed"
broken=$srcdir/data/crashes/broken-cfi-amd64
sed 's/^\(STACK CFI INIT 11f5 9 .cfa: $rsp\) 8 +/\1 -8 -/' "$broken"/symbols/till/*/till.sym >"$scratch/signed/till.sym"
"$UNSPOOL" explain --frame 0 "$broken/crash.dmp" "$scratch/signed/till.sym" >"$scratch/sum" 2>&1
t 'a negative number keeps its sign when it is subtracted' grep -q '^ *3  -  *7fffffffe530  *7fffffffe528 - -8 = 7fffffffe530$' "$scratch/sum"
t 'a negative amount that is subtracted is added' grep -q '^ *6  +  *7fffffffe528  *7fffffffe530 - 8 = 7fffffffe528$' "$scratch/sum"

# A drawing of a frame. is_even's rules are changed so that they read outside of it: sp is 550281f030, its CFA sp + 60.
pac=$srcdir/data/crashes/pac-arm64
mkdir "$scratch/drawn"
sed '/^STACK CFI [0-9a-f]/d
s/^\(STACK CFI INIT 8d0 60\) .*/\1 .cfa: sp 96 + .ra: .cfa -88 + ^ x19: .cfa 16 + ^ x20: sp -16 + ^/
s/ third$/ third<a \& "b">/' "$pac"/symbols/recursion_pac/*/recursion_pac.sym >"$scratch/drawn/recursion_pac.sym"
draw() { "$UNSPOOL" explain "$@" "$pac/crash.dmp" "$scratch/drawn/recursion_pac.sym"; }
draw --drawing | sed -n 's/^ \([0-9a-f]*\) \([|=]\)[^-+:]*\(.*\)/\1\2\3/p' >"$scratch/boxes"
is 'a frame is drawn with the words that its rules read, also those outside of it' "$(cat "$scratch/boxes")" \
'000000550281f020|- 112  outside the frame: saved x20 of frame 1
000000550281f028|- 104  outside the frame
000000550281f030|- 96   into the stack  <- fp, sp
000000550281f038|- 88   return address: third<a & "b"> + 0x48
000000550281f040|- 80   10 words that no rule names: locals, spills, arguments
000000550281f090=: the sp of frame 1
000000550281f090|+ 0    outside the frame
000000550281f098|+ 8    outside the frame
000000550281f0a0|+ 16   outside the frame: saved x19 of frame 1'
t 'the explanation of a step ends with the drawing' sh -c 'tail -n "$(wc -l <"$1")" "$2" | cmp -s - "$1"' - \
	"$(draw --drawing >"$scratch/drawing"; echo "$scratch/drawing")" "$(draw >"$scratch/whole"; echo "$scratch/whole")"
draw --svg >"$scratch/frame.svg"
boxes=$(draw --drawing | grep -c '|')
sed -i 's/^\(STACK CFI INIT 8d0 60\) .*/\1 .cfa: sp 0 + .ra: x30/' "$scratch/drawn/recursion_pac.sym"
t 'a return address in a register has no box' test \
	"$(draw --drawing | grep -c '|\|the return address is in lr, not on the stack')" = 1
"$UNSPOOL" explain --drawing "$srcdir/data/crashes/scan-only-amd64/crash.dmp" >"$scratch/scan"
t 'the end of a frame that a scan guessed is a guess' \
	grep -q '== end of frame 0: the rsp of frame 1 (guessed: stack scan)$' "$scratch/scan"
t 'the return address of such a frame is a guess' grep -q ' guess: return address: ' "$scratch/scan"

draw --svg >"$scratch/leaf.svg"
if command -v xmllint >/dev/null 2>&1; then
	t 'the drawing as SVG is well-formed' xmllint --noout "$scratch/frame.svg" "$scratch/leaf.svg"
elif command -v python3 >/dev/null 2>&1; then
	t 'the drawing as SVG is well-formed' python3 -c 'import sys, xml.dom.minidom
[xml.dom.minidom.parse(name) for name in sys.argv[1:]]' "$scratch/frame.svg" "$scratch/leaf.svg"
else
	skip 1 'no parser of XML'
fi
t 'names are escaped in it' grep -q '>return address: third&lt;a &amp; &quot;b&quot;&gt; + 0x48<' "$scratch/frame.svg"
none 'the page refers to no other file' "$(grep -E 'href|url\(|@import' "$scratch/frame.svg")"
is 'every box has a rectangle' "$(grep -c '<rect class="[^p]' "$scratch/frame.svg")" "$boxes"

is 'two runs print the same' "$(explain --frame 3)" "$(explain --frame 3)"

done_testing
