#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Symbol files that change while the explorer uses them. The editor that 'e' runs is a script that
# writes to them, so that they change between two steps of a script.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

bundle=$srcdir/data/crashes/frame-data-x86
folder=ledger.pdb/7A1C35E09B2D4F6885C3D1E0F2A4B6C81
symbols=$scratch/symbols
file=$symbols/$folder/ledger.sym

# case_of TITLE EDIT: in frame 2 the editor runs EDIT on the file; then everything is walked again.
case_of() {
	rm -rf "$symbols"
	mkdir -p "$symbols/$folder"
	cp "$bundle/symbols/$folder/ledger.sym" "$file"
	printf '#!/bin/sh\nfile=%s\n%s\n' "$file" "$2" >"$scratch/editor"
	chmod +x "$scratch/editor"
	VISUAL=$scratch/editor
	export VISUAL
	screen_case "$1" 80x24 --ascii "$bundle/crash.dmp" "$symbols" <<\KEYS
:frame 2
:reload
:save-screen same
2
e
1
:save-screen offered
L
:save-screen reloaded
:frame 0
:save-screen first
KEYS
}

case_of 'a renamed function is read again' \
	'sed "s/balance_of/balance_at/" "$file" >"$file.new" && mv "$file.new" "$file"'
expect_text same '^no file has changed on disk'
expect_text offered '^the symbols of ledger.pdb have changed on disk; L walks again'
expect_text offered ' 0 ctx  00401005 balance_of '
expect_text reloaded '^ \*    0 ctx  00401005 balance_at '
expect_text reloaded '^      1 win  00401048 add_up '
expect_text reloaded '^>     2 win  004010b6 read_ledger '
expect_text reloaded '^1 frame changed *$'
expect_text first '^changed by the reload   frame 0 '

# Written in place, so that the data to which the old walk pointed is gone.
case_of 'an overwritten file is read again' \
	'{ sed 1q "$file"; echo "INFO a new line that moves all others"; sed 1d "$file"; } \
		>"$file.new" && cat "$file.new" >"$file" && rm "$file.new"'
expect_text reloaded '^walked again, every frame is as before'
expect_text reloaded '^>     2 win  004010b6 read_ledger '

# Without STACK WIN records the frame pointer skips balance_of's caller, which has no frame.
case_of 'a file with fewer records is read again' 'grep -v "^STACK WIN" "$file" >"$file.new"; mv "$file.new" "$file"'
expect_text reloaded '^      0 ctx  00401005 balance_of '
# The selected frame is the same, with another number.
expect_text reloaded '^>\*    1 fp   004010b6 read_ledger '
expect_text reloaded '^3 frames changed, 1 gone *$'
refuse_text reloaded ' win '

case_of 'a file with fewer functions is read again' 'sed -n "1,/^FUNC.*add_up/p" "$file" >"$file.new"; mv "$file.new" "$file"'
expect_text reloaded '^ledger.pdb has fewer functions: 2 instead of 6; '

case_of 'a half written file is not read' 'head -c 900 "$file" >"$file.new"; mv "$file.new" "$file"'
expect_text reloaded '^ledger.pdb may be incomplete: its last line has no line feed; '

case_of 'a removed file is reported' 'rm "$file"'
expect_text offered '^the symbols of ledger.pdb have changed on disk'
expect_text reloaded '^ledger.pdb no longer has symbols; '
expect_text reloaded ' 0 ctx  00401005 ledger.exe \+ 0x1005 +no symbols'

# The dump -----------------------------------------------------------------------------------------

# dump_case TITLE EDIT: the same for the dump, after some actions of the user.
dump_case() {
	cp "$bundle/crash.dmp" "$scratch/crash.dmp"
	cp "$bundle/crash.dmp" "$scratch/whole.dmp"
	mkdir -p "$scratch/source"
	cp "$bundle/source/ledger.c" "$scratch/source"
	printf '#!/bin/sh\ncd %s\n%s\n' "$scratch" "$2" >"$scratch/editor"
	chmod +x "$scratch/editor"
	VISUAL=$scratch/editor
	export VISUAL
	screen_case "$1" 80x24 --ascii "$scratch/crash.dmp" <<KEYS
:symbols $bundle/symbols
:set base dec
:frame 1
:note the sum
:set-register ebx 5
2
e
6
:save-screen offered
:try reload
:save-screen reloaded
1
:save-screen stack
E
:save-screen edits
:symbols $bundle/symbols
:save-screen places
2
e
1
:try reload
:save-screen again
KEYS
}

# The word at 12fea4, an argument of add_up, is af and becomes 1af.
dump_case 'a replaced dump can be opened again' \
	'{ head -c 292 whole.dmp; printf "\\257\\001"; tail -c +295 whole.dmp; } >new && mv new crash.dmp'
expect_text offered '^crash.dmp has changed on disk; L reads it again'
expect_text offered '^..0012fea4 +175 '
expect_text reloaded '^the dump was read again'
expect_text reloaded '\[6 memory\]'
expect_text reloaded 'frame 1 -> 2'
expect_text reloaded '^..0012fea4 +431 '
expect_text stack '^> +1 win  00401048 add_up .*#$'
expect_text edits 'ebx = 00000005'
expect_text places 'already in use'
expect_text again '^the dump was read again'

dump_case 'a truncated dump is reported' 'head -c 700 whole.dmp >crash.dmp'
expect_text reloaded '^the dump was read again'
dump_case 'a file that is no longer a dump is reported' 'echo nothing >crash.dmp'
expect_text reloaded '^the dump cannot be read, what was read before is shown: '
expect_text stack '^> +1 win  00401048 add_up '
dump_case 'a removed dump is reported' 'rm -f crash.dmp'
expect_text offered '^crash.dmp has changed on disk; L reads it again'
expect_text reloaded '^the dump cannot be read, what was read before is shown: No such file'

# The dump in the comparison is read again as well: frame 2 returns elsewhere then.
cp "$bundle/crash.dmp" "$scratch/crash.dmp"
cp "$bundle/crash.dmp" "$scratch/other.dmp"
printf '#!/bin/sh\nprintf "\\005\\022\\100\\000" | dd of=%s bs=1 seek=340 conv=notrunc 2>/dev/null\n' \
	"$scratch/other.dmp" >"$scratch/editor"
screen_case 'a change of the dump of --against is reported' 80x24 --ascii --against "$scratch/other.dmp" \
	"$scratch/crash.dmp" "$bundle/symbols" <<\KEYS
v
:save-screen same
2
e
v
:save-screen offered
L
:save-screen reloaded
KEYS
refuse_text same 'only in the second dump'
expect_text offered '^other.dmp has changed on disk; L reads it again$'
expect_text reloaded '^the dump was read again'
expect_text reloaded '\[v versus\]'
expect_text reloaded 'frame 3, only in the second dump'

done_testing
