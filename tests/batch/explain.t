#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The drawing of `explain`: its boxes, as text and as SVG. tests/scenes/steps has the text of steps.
. "$(dirname "$0")/../lib/tap.sh"

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
t 'a return address in a register has no box' test "$(draw --drawing | grep -c '|\|the return address is in lr, not on the stack')" = 1
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

done_testing
