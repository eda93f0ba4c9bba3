#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rows without gaps. tests/scenes/layout has every size, golden the map of the views.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

# On a wide screen the eye must not lose the row: no row has a hundred blanks between
# its parts. Title and footer are as wide as the screen.
for crash in frame-data-x86 inlines-amd64; do
	for view in summary stack source evidence eval registers memory raw modules messages dump disassembly history methods table; do
		printf ':view %s\nz\n:save-screen %s\nz\n' $view $view
	done >"$scratch/keys"
	screen_case "the views of $crash on a wide screen" 300x60 --ascii \
		"data/crashes/$crash/crash.dmp" "data/crashes/$crash/symbols" <"$scratch/keys"
	none "$crash has no row with a hundred blanks inside" "$(cd "$screen_folder" &&
		sed -s '1d;$d' ./* | grep -En '[^ ] {100,}[^ ]' | head -n 5)"
done

done_testing
