#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The map of the views, rows without gaps. tests/scenes/layout has every size.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

# All views are on one screen, each next to the question that it answers; Enter opens one.
screen_played 'a key shows the map of the views' 80x30 --ascii \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
|^-\(! summary\)-.* V [0-9]+ more -
6 ; V|^> what is in memory\?|^> .* 6  memory 
:search which file ; Enter|^-.*\[8 modules\]-
V|^> which file is wrong\? 8  modules 
q|
KEYS
for view in $(sed -n 's/^V([A-Z]*,[[:space:]]*"\([^"]*\)",.*/\1/p' "$srcdir/ui/view/view.def"); do
	expect_text 2 "^. .{22}. +$view |^..{22}.  $view "
done
t 'q closes the map' cmp "$screen_folder/3" "$screen_folder/5"

# On a wide screen the eye must not lose the row: no row has a hundred blanks between
# its parts. Title and footer are as wide as the screen.
for crash in frame-data-x86 inlines-amd64; do
	for view in summary stack source evidence eval registers memory raw modules messages dump \
		disassembly history methods table; do
		printf ':view %s\nz\n:save-screen %s\nz\n' $view $view
	done >"$scratch/keys"
	screen_case "the views of $crash on a wide screen" 300x60 --ascii \
		"data/crashes/$crash/crash.dmp" "data/crashes/$crash/symbols" <"$scratch/keys"
	none "$crash has no row with a hundred blanks inside" "$(cd "$screen_folder" &&
		sed -s '1d;$d' ./* | grep -En '[^ ] {100,}[^ ]' | head -n 5)"
done

done_testing
