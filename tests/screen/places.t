#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Navigation: what q closes, where Esc leads, and how views scroll.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'
case_of() {
	# shellcheck disable=SC2086
	screen_case "$1" "$2" --ascii $x86
}

case_of 'Esc goes back one place at a time' 80x24 <<\KEYS
:save-screen start
4
f
f
:save-screen there
Esc
:save-screen frame
Esc
:save-screen view
Esc
:save-screen back
Esc
:save-screen nothing
o
o
:save-screen forward
C-o
C-o
:save-screen again
KEYS
expect_text there 'frame 2 -> 3'
expect_text there '\[4 eval\]'
expect_text frame 'frame 1 -> 2'
expect_text frame '\[4 eval\]'
expect_text view 'frame 0 -> 1'
expect_text view '\[4 eval\]'
is 'Esc restores the views of the place' "$(cat "$screen_folder/back")" "$(cat "$screen_folder/start")"
expect_text nothing '^this is where you began; q quits'
expect_text forward 'frame 1 -> 2'
is 'C-o goes back one place' "$(cat "$screen_folder/again")" "$(cat "$screen_folder/start")"

case_of 'rows passed with j and k are one place' 80x24 <<\KEYS
j
j
j
:save-screen there
Esc
:save-screen back
KEYS
expect_text there 'frame 3 -> 4'
expect_text back 'frame 0 -> 1'

case_of 'Esc ends a search first' 80x24 <<\KEYS
5
:search esp
:save-screen found
Esc
:save-screen ended
Esc
:save-screen back
KEYS
expect_text found ' 1 of [0-9]+$'
refuse_text ended ' of [0-9]+$'
expect_text ended '\[5 registers\]'
refuse_text back '\[5 registers\]'

case_of 'q closes what was opened last' 80x24 <<\KEYS
3
]
]
6
?
:save-screen help
q
:save-screen memory
q
:save-screen evidence
q
:save-screen first
KEYS
expect_text help '^-\[help\]'
expect_text memory '\[6 memory\]'
expect_text evidence '\[3 evidence\]'
expect_text evidence 'frame 2 -> 3'
expect_text first '\[1 stack\]'
expect_text first 'frame 0 -> 1'

case_of 'q does not close frames' 80x24 <<\KEYS
3
]
]
q
:save-screen first
KEYS
expect_text first '\[1 stack\]'
expect_text first 'frame 0 -> 1'

# If several views are on the screen, going from one to another opens nothing.
case_of 'q leaves from the first screen' 200x50 <<\KEYS
Tab
Tab
q
:save-screen never
KEYS
t 'at once' test ! -e "$screen_folder/never"

case_of 'leaving asks about unsaved edits' 80x24 <<\KEYS
:set-register ebp 0012ff00
Q
:save-screen asked
n
:save-screen stayed
Q
y
:save-screen never
KEYS
expect_text asked '^1 edit not written; y quits without them, any other key stays'
refuse_text stayed 'not written'
t 'y leaves' test ! -e "$screen_folder/never"

inlines=data/crashes/inlines-amd64
screen_case 'the written patch has the edit' 80x24 --ascii $inlines/crash.dmp $inlines/symbols <<\KEYS
:set-rule .cfa: $rsp 24 +
:write-patch crash.patch
Q
:save-screen never
KEYS
t 'leaving does not ask after the patch was written' test ! -e "$screen_folder/never"

case_of 'pages and rows as in vim and less' 80x24 <<\KEYS
?
:save-screen top
C-f
:save-screen page
C-b
:save-screen back
C-e
C-e
:save-screen line
C-y
:save-screen up
KEYS
first_row() { sed -n 3p "$screen_folder/$1" | cut -c2-40; }
refuse_same() { t "$1" test "$2" != "$3"; }
refuse_same 'C-f shows the next page' "$(first_row page)" "$(first_row top)"
is 'C-b shows the page before' "$(first_row back)" "$(first_row top)"
is 'C-e scrolls by a row' "$(first_row line)" "$(sed -n 5p "$screen_folder/back" | cut -c2-40)"
is 'C-y back' "$(first_row up)" "$(sed -n 4p "$screen_folder/back" | cut -c2-40)"

# The word at 12fe90 is the return address of frame 0. The word at 12feac, at 12c of the dump, holds the
# address 320a10, for which the dump has no memory.
case_of 'Enter follows a value, or shows its origin' 80x24 <<\KEYS
:goto 12fe90
Enter
:save-screen bytes
C-o
l
:save-screen frame
:frame 0
5
j
j
l
:save-screen memory
:goto 12feac
:try follow
:save-screen nowhere
1
l
:save-screen code
:goto 12fe90
p
:save-screen asked
Enter
:save-screen explained
1
l
:goto 12fe90
p
type $esp
:save-screen replaced
C-c
p
End
type +8
:save-screen kept
C-c
KEYS
expect_text replaced '^:identify \$esp$'
expect_text kept '^:identify [0-9a-f]{8}[+]8$'
expect_text bytes '\[7 raw\]'
expect_text bytes '^>>000110  48 10 40 00'
expect_text frame 'frame 1 -> 2'
expect_text memory '\[6 memory\]'
expect_text memory '^> 0012feac '
expect_text nowhere '^00320a10 points to no frame, no code and no memory of the dump'
expect_text code '\[d disassembly\].*at (0x)?401005'
expect_text asked '^:identify 00401048$'
expect_text explained 'add_up \+ 0x28'

# The words of frame 4 are folded.
case_of 'going to a word opens the fold that hides it' 80x24 <<\KEYS
6
:save-screen folded
:goto 12ff00
:save-screen there
KEYS
refuse_text folded '^..0012ff00 '
expect_text there '^> 0012ff00 '

case_of 'the help pages with Space and b' 80x24 <<\KEYS
?
:save-screen top
Space
Space
:save-screen page
b
b
:save-screen back
KEYS
refuse_same 'Space shows the next page of help' "$(cat "$screen_folder/page")" "$(cat "$screen_folder/top")"
is 'b goes back' "$(cat "$screen_folder/back")" "$(cat "$screen_folder/top")"

# A place that another user sent.
x86_at=thread=0,frame=1,token=4,view=eval
screen_case 'the explorer opens at a place' 80x24 --ascii --at $x86_at \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
:save-screen opened
:at
:save-screen said
:try at thread=1,frame=9
:save-screen missing
KEYS
expect_text opened 'frame 1 -> 2'
expect_text opened '\[4 eval\].*token 4 of'
expect_text opened '^>    4 '
expect_text said "^--at $x86_at\$"
expect_text missing '^no frame 9; the outermost one, [0-9]+, is shown'

# The sources are in another folder than at compile time, whose name may have a blank.
mkdir "$scratch/moved"
cp "$srcdir/data/crashes/frame-data-x86/crash.dmp" "$scratch/moved"
mkdir -p "$scratch/new here"
cp "$srcdir/data/crashes/frame-data-x86/source/ledger.c" "$scratch/new here"
screen_case 'sources are mapped while the explorer runs' 80x24 --ascii "$scratch/moved/crash.dmp" \
	data/crashes/frame-data-x86/symbols <<\KEYS
2
:save-screen missing
Enter
:save-screen offer
type nowhere
Enter
:save-screen still
Enter
type ../new here
Enter
:save-screen found
:try source-map c:\ledger
:save-screen usage
KEYS
expect_text missing "'c:.ledger.ledger.c' not found"
expect_text missing 'Enter says where it is-$'
expect_text offer '^:source-map c:.ledger *$'
expect_text still '^still not found; the view says what was tried'
expect_text still 'nowhere/ledger.c'
expect_text found '^source read from \.\./new here/ledger.c'
expect_text found 'return account->credit'
expect_text usage '^usage: :source-map OLD NEW'
done_testing
