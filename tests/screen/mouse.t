#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The mouse: clicks, double clicks, the wheel, titles, footer, borders. Columns and rows in a script
# count from 1.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'

case_of() {
	title=$1
	size=$2
	# shellcheck disable=SC2086
	screen_case "$title" "$size" --ascii $x86
}

case_of 'a click selects a row and gives the focus' 80x24 <<\KEYS
click 20,5
:save-screen frame
click 5,14
:save-screen below
KEYS
# Row 3 is the thread, row 4 frame 0.
expect_text frame '^>     1 win  00401048 add_up'
expect_text frame 'frame 1 -> 2$'
expect_text below '^-\[2 source\]-|-\[2 source\]-'
expect_text below '^- 1 stack -'

case_of 'a second click opens, a third does not' 80x24 <<\KEYS
click 20,6
:save-screen once
click 20,6
:save-screen twice
KEYS
expect_text once '^-\[1 stack\]-'
expect_text once '^>     2 win'
expect_text twice '-\[3 evidence\]-'

case_of 'a click on the last row of the evaluation selects no token' 80x24 <<\KEYS
:step token 2
click 10,22
:save-screen foot
click 10,21
:save-screen row
KEYS
expect_text foot '^>    2  '
expect_text foot '^  frame 1 so far  '
expect_text row '^>    8  '

case_of 'two clicks on different rows open nothing' 80x24 <<\KEYS
click 20,6
click 20,5
:save-screen got
KEYS
expect_text got '^-\[1 stack\]-'
expect_text got '^>     1 win'

case_of 'the wheel scrolls the pane below it' 80x24 <<\KEYS
wheel-down 20,5
:save-screen stack
3
1
wheel-down 20,15
wheel-down 20,15
:save-screen evidence
wheel-up 20,15
wheel-up 20,15
:save-screen up
KEYS
expect_text stack '^>     3 win'
expect_text evidence '-\[3 evidence\]-'
expect_text evidence '^>     3 win'
expect_text up '^> 1 STACK WIN'

# Row 11 is the title of the lower pane: "-(! summary)- 2 source  3 evidence  4 eval".
case_of 'clicks on tabs and on their count work' 80x24 <<\KEYS
click 17,11
:save-screen source
click 5,11
:save-screen summary
:
C-u
Esc
KEYS
expect_text source '-\[2 source\]-'
expect_text summary '^-\[! summary\]-'
more=$($AWK 'NR == 11 { print index($0, " more ") }' "$screen_folder/summary")
case_of 'the count lists the views' 80x24 <<KEYS
click $more,11
:save-screen more
click 30,8
click 30,8
:save-screen evidence
:try view nonsense
:save-screen wrong
KEYS
expect_text more '^> who called\?  *1  stack '
expect_text more '^  is it true\?  *3  evidence '
expect_text evidence '-\[3 evidence\]-'
expect_text wrong "^unknown view 'nonsense'"

case_of 'a click on the footer runs its key' 80x24 <<\KEYS
:save-screen first
click 3,24
:save-screen frame
click 75,24
:save-screen help
click 75,24
:save-screen closed
click 50,1
:save-screen nothing
KEYS
expect_text first '^ f frame'
expect_text frame 'frame 1 -> 2$'
expect_text help '^-\[help\]-'
refuse_text closed '^-\[help\]-'
t 'a click on the header does nothing' cmp "$screen_folder/closed" "$screen_folder/nothing"

case_of 'dragging moves borders' 200x50 <<\KEYS
click 93,20
release 104,20
:save-screen wider
click 30,16
release 30,21
:save-screen taller
click 93,20
release 93,20
:save-screen still
KEYS
expect_text wider '^.{103}\|-'
t 'a dragged title follows the pointer' sh -c 'sed -n 21p "$1" | grep -q "^-.*1 stack"' sh \
	"$screen_folder/taller"
expect_text still '^.{103}\|-'

case_of 'a click does not disturb typing' 80x24 <<\KEYS
:
type goto
click 20,6
wheel-down 20,6
:save-screen got
KEYS
expect_text got '^:goto'
expect_text got '^>     0 ctx'

# The prompt has ":goto frme 2" in the last row: a click before the m adds the letter.
case_of 'a click moves the cursor in the typed line' 80x24 <<\KEYS
:
type goto x frme 2
click 11,24
type a
click 7,24
Delete
Delete
:save-screen line
click 20,5
Enter
:save-screen done
KEYS
expect_text line '^:goto frame 2'
expect_text done 'frame 2 -> 3$'

case_of 'a click cancels a question' 80x24 <<\KEYS
:set-register ebp 0012ff00
Q
click 20,5
y
:save-screen stays
KEYS
expect_text stays '^>     1 win  00401048 add_up'

done_testing
