#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Patches that the explorer writes: patch(1) makes files of them whose plain walk is right. The right walk comes
# from the crash's source. tests/scenes/repair finds the record and edits its rule by keys.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

lacks capstone && skip_all 'capstone was left out: no call gives a wrong frame away'
crash=data/crashes/broken-cfi-amd64
symbols=symbols/till/B5BD3192C5502D1E4E76175E9C24A5EA0/till.sym

# functions FOLDER: the names of the program's frames in the plain walk with the symbols of a folder.
functions() {
	"$UNSPOOL" walk -b "$srcdir/$crash/crash.dmp" "$1" | sed -n 's/^ *[0-9]*  till!\([a-z_]*\) .*/\1/p' | tr '\n' ' '
}
is 'the walk before the repair has a false frame' "$(functions "$srcdir/$crash/symbols")" 'post settle print_receipt close_day main '

# The symbols are in the folder of the session, so that the patch has their relative path.
screen_case 'repair' 80x24 --ascii "$crash/crash.dmp" "$srcdir/$crash/symbols" <<\KEYS
f
:set-rule .cfa: $rsp 144 +
:write-patch till.patch
Q
KEYS

if command -v patch >/dev/null 2>&1; then
	mkdir -p "$scratch/mended"
	cp -R "$srcdir/$crash/symbols" "$scratch/mended/"
	chmod -R u+w "$scratch/mended"
	t 'patch(1) applies the patch' patch -s "$scratch/mended/$symbols" "$screen_folder/till.patch"
	is 'one line has changed' "$(diff "$srcdir/$crash/$symbols" "$scratch/mended/$symbols")" \
'90c90
< STACK CFI 1208 .cfa: $rsp 96 +
---
> STACK CFI 1208 .cfa: $rsp 144 +'
	is 'the plain walk with the patched file has the true frames' "$(functions "$scratch/mended/symbols")" 'post settle close_day main '

	# A file from Windows keeps its line ends, and paths stay relative if they were given so.
	mkdir -p "$scratch/crlf"
	sed 's/$/\r/' "$srcdir/$crash/$symbols" >"$scratch/crlf/till.sym"
	(
		cd "$scratch/crlf" || exit 1
		cat >keys <<\KEYS
f
:set-rule .cfa: $rsp 144 +
:set-rule $rbx: .cfa -40 + ^
:drop-rule $r13
:set-register rbp 10
:write-patch edits
Q
KEYS
		"$UNSPOOL" --script keys "$srcdir/$crash/crash.dmp" till.sym
		cp till.sym before.sym
		patch -s -p1 <edits
	)
	is 'each line of a file keeps its carriage return' "$(diff "$scratch/crlf/before.sym" "$scratch/crlf/till.sym" | tr '\r' '#')" \
'86c86
< STACK CFI 1200 $r13: .cfa -16 + ^ .cfa: $rsp 16 +#
---
> STACK CFI 1200 .cfa: $rsp 16 +#
90c90
< STACK CFI 1208 .cfa: $rsp 96 +#
---
> STACK CFI 1208 .cfa: $rsp 144 +#'
	# Records are added, changed and removed; with the patched file the list has no edits any more.
	mkdir -p "$scratch/lines"
	cp "$srcdir/$crash/$symbols" "$scratch/lines/till.sym"
	chmod u+w "$scratch/lines/till.sym"
	printf '#!/bin/sh\npatch -s -p1 <edits\n' >"$scratch/lines/editor"
	chmod +x "$scratch/lines/editor"
	(
		cd "$scratch/lines" || exit 1
		cat >keys <<\KEYS
f
:drop-record till.sym:90
:add-record till.sym:89 STACK CFI 1208 .cfa: $rsp 144 +
:set-record till.sym:96 STACK CFI 1256 .cfa: $rsp 144 +
:add-record till.sym:110 STACK CFI INIT 2000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^
:write-patch edits
E
:save-screen list
2
e
:try reload
E
:save-screen reloaded
Q
KEYS
		cp till.sym before.sym
		VISUAL=./editor "$UNSPOOL" --script keys "$srcdir/$crash/crash.dmp" till.sym
	)
	is 'a patch adds lines and removes others' "$(diff "$scratch/lines/before.sym" "$scratch/lines/till.sym")" \
'90c90
< STACK CFI 1208 .cfa: $rsp 96 +
---
> STACK CFI 1208 .cfa: $rsp 144 +
96c96
< STACK CFI 1255 .cfa: $rsp 144 +
---
> STACK CFI 1256 .cfa: $rsp 144 +
110a111
> STACK CFI INIT 2000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^'
	screen_folder=$scratch/lines
	expect_text list '1 patch taken out of till.sym:90: STACK CFI 1208 .cfa: .rsp 96'
	expect_text list '2 patch added at till.sym:89: STACK CFI 1208 .cfa: .rsp 144'
	expect_text list '3 patch changed in till.sym:96: STACK CFI 1256 '
	expect_text list '4 patch added at till.sym:110: STACK CFI INIT 2000 10 '
	expect_text reloaded 'no edits; ='
	refuse_text reloaded EDITED
	is 'adjacent lines share a hunk' "$(grep -c '^@@' "$scratch/crlf/edits")" 1
	t 'an edit that no record can express is named' grep -q 'rbp = 0000000000000010 (was 0000000000000002) in frame 1, thread 0' \
		"$scratch/crlf/edits"
else
	skip 13 'there is no patch'
fi

# Rows before and after the frame's are wrong, too: they stay unchanged.
sed -e '/^STACK CFI 1204 /s/rsp 40/rsp 56/' -e '/^STACK CFI 124e /s/rsp 40/rsp 56/' "$srcdir/$crash/$symbols" >"$scratch/three.sym"
screen_case ':repair takes one of three wrong rows' 80x24 --ascii --binaries "$srcdir/$crash/binaries" "$crash/crash.dmp" \
	"$scratch/three.sym" <<\KEYS
f
:take-row
:write-patch three.patch
Q
KEYS
is 'only the row of the frame is taken' "$(grep '^[-+]STACK' "$screen_folder/three.patch")" \
'-STACK CFI 1208 .cfa: $rsp 96 +
+STACK CFI 1208 .cfa: $rsp 144 +'
done_testing
