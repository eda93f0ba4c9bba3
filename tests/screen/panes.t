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
# The stack has nine rows including its title; the next pane begins with its own title.
t 'the lower title is two rows lower' sh -c 'sed -n 13p "$1" | grep -q "^-(! summary)"' sh \
	"$screen_folder/taller"
t 'and is back' sh -c 'sed -n 11p "$1" | grep -q "^-(! summary)"' sh "$screen_folder/before"
t 'the lower title is five rows lower' sh -c 'sed -n 16p "$1" | grep -q "^-(! summary)"' sh "$screen_folder/five"
t 'the pane shrinks to its former size' cmp "$screen_folder/before" "$screen_folder/after"
expect_text none 'this pane has no border to move'

# Signs in the margin show that rows are out of sight, and the title counts those further down.
case_of 'the title counts the rows below a pane' 80x24 <<\KEYS
:save-screen first
1
:row 8
:save-screen last
f
4
:save-screen eval
G
:save-screen end
K
:save-screen words
KEYS
expect_text first '^-\[1 stack\]-.*-1 row below--2 threads  2 walked-$'
expect_text first '^v !   end '
expect_text first '^>     0 ctx'
refuse_text first '^\^'
refuse_text last 'row below--2 threads'
expect_text last '^\^     0 ctx'
expect_text last '^> !   end '
expect_text eval '^v    8  \^'
refuse_text end 'row.* below--token'
expect_text end '^>   36  ='
expect_text words '^v'

# The most needed tabs keep their place.
screen_case 'the count of rows uses the room after the tabs' 80x24 --ascii \
	data/crashes/scan-only-amd64/crash.dmp data/crashes/scan-only-amd64/symbols <<\KEYS
:save-screen first
4
:save-screen eval
KEYS
expect_text first '^-\(! summary\)- 2 source  3 evidence  4 eval  5 registers  V [0-9]+ more -+v[0-9]+--$'
expect_text eval '^-.*4 eval[])]-.*V [0-9]+ more -+(v[0-9]+-+)?frame 1 found from 0  7 tokens-$'

# The legend of a pane has precedence over the number of rows.
case_of 'a legend is complete if rows are not counted' 80x24 <<\KEYS
6
:save-screen memory
KEYS
expect_text memory '\* read  \+ taken  \? refused  ! crash-$'

# A stack of a thread, one frame and its end leaves its unused rows to others.
screen_case 'a short stack is a small pane' 120x40 --ascii data/crashes/broken-cfi-amd64/crash.dmp <<\KEYS
:save-screen short
1
:filter main
:save-screen filtered
KEYS
t 'the summary begins below the last row' sh -c 'sed -n "$(($(grep -n "^[v ] !   end" "$1" |
	cut -d: -f1) + 1))p" "$1" | grep -q "^-(! summary)"' sh "$screen_folder/short"
t 'a filter does not change sizes' sh -c '[ "$(grep -n "summary" "$1" | cut -d: -f1)" = "$(grep -n "summary" "$2" |
	cut -d: -f1)" ]' sh "$screen_folder/short" "$screen_folder/filtered"

case_of 'a column can be widened' 200x50 <<\KEYS
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

case_of 'a hidden pane returns with the key of its view' 80x24 <<\KEYS
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
expect_text unwind '\|-.*\(3 evidence\)- .*V .*frame 1 found from 0'

# Every layout at its smallest size, and at a size that is larger than any layout needs.
for size in 40x6 80x24 110x24 110x32 160x44 240x50 300x100; do
	for layout in auto three-columns two-columns one-column code unwind stacked single; do
		case_of "$layout is painted at $size" $size <<KEYS
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
