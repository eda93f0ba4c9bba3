#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Blind mode on the screen: questions are marked, predictions are typed and judged, no answer is visible.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash="--ascii data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols"

# Every layout hides the CFA and the return address, except the words of the stack.
{
	echo ':set blind step'
	for layout in three-columns two-columns one-column code unwind stacked single; do
		printf ':layout %s\n:save-screen %s\n' $layout $layout
	done
} >"$scratch/layouts"
# shellcheck disable=SC2086
screen_case 'hidden values are hidden in every layout' 260x60 $crash <"$scratch/layouts"
for layout in three-columns two-columns one-column code unwind stacked single; do
	t "the screen shows $layout" test -s "$screen_folder/$layout"
	none "$layout does not show the hidden value" "$(sed 's/00007ffde1b672f0  000055f66e2c1060//
		s/00007ffde1b672e8  000055f654b5ded2//' "$screen_folder/$layout" | grep -E '7ffde1b672f0|55f654b5ded2')"
done

# The rule of the CFA in frame 1 of the crash is $rsp 320 +, by the record of print_label and by its SFrame row.
{
	echo ':frame 1'
	echo ':set blind rule'
	for view in evidence eval table raw messages summary disassembly registers drawing; do
		printf ':view %s\n:save-screen %s\n' $view $view
	done
	printf '%s\n' ':predict $rsp 320 + -8 + ^' ':reveal' ':set blind off' ':view evidence' ':save-screen shown'
} >"$scratch/views"
screen_case 'rules are hidden with the values' 120x40 --ascii data/crashes/sframe-amd64/crash.dmp \
	data/crashes/sframe-amd64/symbols --binaries data/crashes/sframe-amd64/binaries --methods sframe <"$scratch/views"
for view in evidence eval table raw messages summary disassembly registers drawing; do
	refuse_text $view '[$]rsp 320|sp[+]320|40 01'
done
expect_text evidence 'rule .cfa: [?]'
expect_text table '^> *hidden until it is predicted'
expect_text shown 'rule .cfa: [$]rsp 320'
expect_text shown 'sp[+]320'

done_testing
