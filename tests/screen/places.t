#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Going and coming back: what q closes, where Esc goes, and how views scroll.
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
is 'with the views of before' "$(cat "$screen_folder/back")" "$(cat "$screen_folder/start")"
expect_text nothing '^this is where you began; q quits'
expect_text forward 'frame 1 -> 2'
is 'C-o does the same' "$(cat "$screen_folder/again")" "$(cat "$screen_folder/start")"

case_of 'rows that are walked through are one place' 80x24 <<\KEYS
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

case_of 'frames are not closed' 80x24 <<\KEYS
3
]
]
q
:save-screen first
KEYS
expect_text first '\[1 stack\]'
expect_text first 'frame 0 -> 1'

# Where several views are on the screen, to go to another one of them opens nothing.
case_of 'q leaves from the first screen' 200x50 <<\KEYS
Tab
Tab
q
:save-screen never
KEYS
t 'at once' test ! -e "$screen_folder/never"

case_of 'a change that would be lost is asked about' 80x24 <<\KEYS
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
screen_case 'a patch has the edit' 80x24 --ascii $inlines/crash.dmp $inlines/symbols <<\KEYS
:set-rule .cfa: $rsp 24 +
:write-patch crash.patch
Q
:save-screen never
KEYS
t 'so nothing is asked' test ! -e "$screen_folder/never"

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
is 'C-b the one before' "$(first_row back)" "$(first_row top)"
is 'C-e scrolls by a row' "$(first_row line)" "$(sed -n 5p "$screen_folder/back" | cut -c2-40)"
is 'C-y back' "$(first_row up)" "$(sed -n 4p "$screen_folder/back" | cut -c2-40)"

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
refuse_same 'Space goes on' "$(cat "$screen_folder/page")" "$(cat "$screen_folder/top")"
is 'b goes back' "$(cat "$screen_folder/back")" "$(cat "$screen_folder/top")"
done_testing
