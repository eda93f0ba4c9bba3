#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Panes: layouts by name, larger and smaller, hidden and shown.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'

case_of() {
	title=$1
	size=$2
	# shellcheck disable=SC2086
	screen_case "$title" "$size" --ascii $x86
}

case_of 'a pane grows and shrinks by keys and commands' 80x24 <<\KEYS
)
)
:save-screen taller
(
C-Up
:save-screen before
:resize +5
:save-screen five
:resize -5
:save-screen after
C-Right
:save-screen none
KEYS
# The stack has nine rows with its title; the pane below begins with its own.
t 'the lower title stands two rows lower' sh -c 'sed -n 13p "$1" | grep -q "^-(! summary)"' sh \
	"$screen_folder/taller"
t 'and is back' sh -c 'sed -n 11p "$1" | grep -q "^-(! summary)"' sh "$screen_folder/before"
t 'five rows lower' sh -c 'sed -n 16p "$1" | grep -q "^-(! summary)"' sh "$screen_folder/five"
t 'what grew shrinks to what it was' cmp "$screen_folder/before" "$screen_folder/after"
expect_text none 'this pane has no border to move'

case_of 'a column grows' 200x50 <<\KEYS
C-Right
C-Right
:wider 6
:save-screen wider
:narrower 10
:save-screen back
z
C-Right
:save-screen zoomed
KEYS
expect_text wider '^.{102}\|-'
expect_text back '^.{92}\|-'
expect_text zoomed 'z shows all panes'

case_of 'a pane is hidden, and comes back by the key of a view' 80x24 <<\KEYS
X
:save-screen hidden
X
:save-screen alone
1
:save-screen back
:hide
:show
:save-screen shown
KEYS
expect_text hidden "^'stack' is hidden"
refuse_text hidden '[[(]1 stack[])]'
t 'the other pane has the whole screen' sh -c 'sed -n 2p "$1" | grep -q "^-\[! summary\]"' sh \
	"$screen_folder/hidden"
expect_text alone '^this is the only pane'
expect_text back '^-\[1 stack\]-'
expect_text back '^-\(! summary\)-'
expect_text shown '^- 1 stack -|^-\[1 stack\]-'

case_of 'layouts have names' 120x40 <<\KEYS
:layout
:save-screen names
:layout single
:save-screen single
:layout code
:save-screen code
:layout three-columns
:save-screen three
:try layout nonsense
:save-screen nonsense
:layout auto
:
type layout un
Tab
Enter
:save-screen unwind
KEYS
expect_text names "^the layout is 'one-column', by the screen's size; there are auto, three-columns"
refuse_text single '\|-'
expect_text code '\|- 2 source -'
expect_text three "^'three-columns' needs a larger screen"
expect_text nonsense "^unknown layout 'nonsense'; there are auto"
expect_text unwind '\|- ! summary.*-\(3 evidence\)-|\|-.*-\(3 evidence\)-'

# Every plan at the size that it needs, and one that is wider than any.
for size in 40x6 80x24 110x24 110x32 160x44 240x50 300x100; do
	for layout in auto three-columns two-columns one-column code unwind stacked single; do
		case_of "$layout at $size" $size <<KEYS
:set layout $layout
:save-screen set
Tab
)
C-Right
z
:hide
z
:save-screen got
KEYS
		is "$layout stays inside $size" "$($AWK -v columns="${size%x*}" '
			length > columns { print FNR ": " length } END { print NR }' \
			"$screen_folder/got")" "${size#*x}"
		refuse_text set 'cannot be'
	done
done

done_testing
