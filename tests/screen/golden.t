#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every golden screen equals the accepted one, and has the same cells on a terminal without colours, in
# the C locale and with colours switched off.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"
. "$srcdir/tests/screen/goldens"

for name in $golden_names; do
	case " $golden_of_code " in
	*" $name "*)
		lacks capstone && { skip 2 "capstone was left out: $name shows instructions"; continue; }
		;;
	esac
	golden_screen "$name"
	is "$name equals its accepted form (tests/screen/accept)" \
		"$(cat "$screen_folder/screen")" "$(cat "$srcdir/tests/screen/golden/$name")"
	TERM=vt100 NO_COLOR=1 LC_ALL=C golden_screen "$name"
	t "$name is the same on a vt100" \
		cmp "$screen_folder/screen" "$srcdir/tests/screen/golden/$name"
done

# Every view has a golden screen.
for view in $(sed -n 's/^V([A-Z]*,[[:space:]]*"\([^"]*\)",.*/\1/p' "$srcdir/ui/view/view.def" | tr ' ' -); do
	t "$view has a golden screen" test -f "$srcdir/tests/screen/golden/$view"
done

done_testing
