#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every view of every bundled crash, in two sizes and at several places, has the accepted cells and
# attributes: tests/screen/sums.txt has a checksum for each crash and size. `UNSPOOL_ACCEPT=1` writes it
# anew. `make outputs-compare BASE=HEAD~1 ONLY=screens` shows the screens that differ.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

accepted=$srcdir/tests/screen/sums.txt
# Screens show instructions and demangled names.
libraries=$("$UNSPOOL" --version | grep -oE 'capstone [0-9.]+|libiberty' | tr '\n' ' ')
[ -n "$UNSPOOL_ACCEPT" ] || [ "$libraries" = "$(head -n 1 "$accepted")" ] ||
	skip_all "the screens were accepted with other libraries than $libraries"

views='summary stack source evidence eval registers memory frame drawing raw modules messages dump disassembly
methods table walks versus teb'

# keys: the steps of a script that saves each view when it opens and after some keys.
keys() {
	for place in ':frame 0' ':frame 1' ':step token 3'; do
		echo "$place"
		for view in $views; do
			name=$view-$(echo "$place" | tr -cd 'a-z0-9')
			printf '%s\n' ":view $view" ":save-screen --attributes $name" j j j \
				":save-screen --attributes $name-3" Enter Space l \
				":save-screen --attributes $name-in" Esc C-f \
				":save-screen --attributes $name-page" ":view stack" "$place"
		done
	done
	for value in '$pc' '$sp' 0x0; do
		printf '%s\n' ":identify $value" ":save-screen --attributes identify-$value"
	done
	printf '%s\n' ':find 0' ':save-screen --attributes found-' ':view registers' j j b \
		':save-screen --attributes history-' ':fold' ':view stack' \
		':save-screen --attributes stack-fold'
	for layout in unwind code single; do
		printf '%s\n' ":layout $layout" ":save-screen --attributes layout-$layout"
	done
}

# sums CRASH SIZE: a line for the screens of all views and the messages; views without a screen go to `missing`.
sums() (
	rm -rf "$screen_folder"
	mkdir "$screen_folder" && cd "$screen_folder" || exit 1
	cp -R "$srcdir/$1/." .
	chmod -R u+w .
	beside=
	[ ! -d symbols ] || beside=symbols
	[ ! -d binaries ] || beside="$beside --binaries binaries --no-system-binaries"
	# The system's headers differ between machines.
	beside="$beside --source /usr/include=/dev/null"
	# shellcheck disable=SC2086
	$screen_limit "$UNSPOOL" --script "$scratch/keys" --size "$2" --ascii --no-cache crash.dmp $beside \
		</dev/null >/dev/null 2>"$scratch/said"
	for view in stack eval versus layout; do
		cat "$view"-* | grep -q . || echo "$1 $2 $view" >>"$scratch/missing"
	done
	{
		sed "s|$scratch/||" "$scratch/said"
		for view in $views identify found history layout; do cat "$view"-*; done
	} | cksum | sed "s|\$| $1 $2|"
)

keys >"$scratch/keys"
{
	echo "$libraries"
	for crash in "$srcdir"/data/crashes/*/ "$srcdir"/data/lessons/*/; do
		[ -e "$crash/crash.dmp" ] || continue
		for size in 80x24 132x43; do
			sums "$(echo "${crash%/}" | sed "s|^$srcdir/||")" "$size"
		done
	done
} >"$scratch/sums"
if [ -n "$UNSPOOL_ACCEPT" ]; then cp "$scratch/sums" "$accepted"; fi
none 'each screen is as it was accepted' "$(diff "$accepted" "$scratch/sums" | head -n 20)"
none 'there are screens of every view' "$(cat "$scratch/missing" 2>/dev/null)"
t 'there are screens of every crash' test "$(wc -l <"$scratch/sums")" -gt 20
done_testing
