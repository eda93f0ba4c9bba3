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
