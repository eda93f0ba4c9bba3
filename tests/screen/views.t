#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The help has all commands. tests/scenes/each has the places that rows lead to, tests/scenes/marks and views the
# promises of each view.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

# Every key and command of the table is in the help.
{
	echo '?'
	echo ':write help.txt'
} >"$scratch/keys"
screen_case 'help is written' 80x24 --ascii data/crashes/frame-data-x86/crash.dmp <"$scratch/keys"
none 'the help has every command' "$(sed -n -e 's/^[RCED]([A-Z_0-9]*, "\([^"]*\)".*/\1/p' \
	-e 's/^V([A-Z_0-9]*, "[^"]*", "\([^"]*\)".*/\1/p' "$srcdir/ui/request/request.def" \
	"$srcdir/ui/view/view.def" "$srcdir/ui/view/details.def" | while read -r command; do
	grep -qF -- ":$command" "$screen_folder/help.txt" || echo "$command"
done)"

# Every word in capitals has a completion.
for word in $(sed -n 's/^[RCE]F\{0,1\}([A-Z_0-9]*, "\([^"]*\)".*/\1/p' "$srcdir/ui/request/request.def" |
	grep -oE '[A-Z]{2,}' | sort -u); do
	t "completion has the argument $word" grep -q "^A($word," "$srcdir/ui/request/argument.def"
done

done_testing
