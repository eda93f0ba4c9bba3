#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Stepping the unwinder: a crash of Breakpad. tests/scenes/stepping has the others.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

# keys COUNT KEY: a key, COUNT times, as lines of a script.
keys() {
	key_left=$1
	while [ "$key_left" -gt 0 ]; do
		echo "$2"
		key_left=$((key_left - 1))
	done
}

# same TITLE FILE FILE: two screens have the same cells.
same() { t "$1" cmp "$screen_folder/$2" "$screen_folder/$3"; }

# Frame 0 and the record of line 20339, by hand: ebp 0012fe88, [0012fe8c] = 00404200,
# [0012fe88] = 0012ff70, the caller's esp 0012fe90.
sample=${UNSPOOL_CORPUS:-/nonexistent}/breakpad
if ! [ -f "$sample/minidump2.dmp" ]; then
	skip 14 'no minidump2.dmp of Breakpad: UNSPOOL_CORPUS does not name it'
else
	{
		printf '%s\n' 4 ':save-screen --attributes first'
		keys 5 s
		echo ':save-screen five'
		keys 3 s
		echo ':save-screen eight'
		keys 9 s
		echo ':save-screen seventeen'
		keys 13 s
		echo ':save-screen last'
		keys 31 S
		echo ':save-screen --attributes back'
		printf '%s\n' ':step token 3' Enter Enter ':save-screen T0'
		printf '%s\n' C-o C-o ':step token 6' Enter Enter ':save-screen eip'
		printf '%s\n' C-o C-o ':step token 4' Enter Enter ':save-screen ebp'
		printf '%s\n' C-o C-o ':step token 5' Enter ':save-screen esp'
	} >"$scratch/keys"
	screen_case "the crash of Breakpad can be stepped" 80x24 --ascii "$sample/minidump2.dmp" \
		"$sample/symbols" <"$scratch/keys"
	expect_text five '^     2  \$ebp +\$T0 \$ebp \(12fe88\) +ebp of frame 0, minidump2\.dm'
	expect_text eight '^\^    3  = +\$T0 := 12fe88$'
	expect_text eight '^>    8  \^ +\$eip >404200 '
	expect_text eight '^\[12fe8c\] = 404200   minidump2.dmp\+0x21a9   from test_app.sym:20339:59'
	expect_text seventeen '^\^   12  \^ +\$ebp 12ff70 '
	expect_text seventeen '^>   17  \+ +\$esp >12fe90 +12fe88 \+ 8 = 12fe90'
	same 'stepping to the end and back shows the same screen' back first
	expect_text T0 '^offset 0xb7c   .*context, ebp, 4 bytes'
	expect_text eip '^offset 0x21a9   .*stack'
	expect_text ebp '^offset 0x21a5   .*stack'
	expect_text esp '^>   17  \+'
fi

done_testing
