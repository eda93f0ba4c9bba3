#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rows of views lead to places, and the help has all commands.
# tests/scenes/marks and views have the promises of each view.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'

# The arguments of a case are several words.
# shellcheck disable=SC2086
case_of() {
	case_title=$1
	case_size=$2
	case_crash=$3
	shift 3
	screen_case "$case_title" "$case_size" --ascii "$@" $case_crash
}

# Enter leads somewhere from every kind of row ----------------------------------------------------

# steps VIEW ROW: keys for the ROWth row of a view: save its screen, press Enter, save, and go back.
steps() {
	printf '%s\n' "$1" g
	step=1
	while [ $step -lt "$2" ]; do
		echo j
		step=$((step + 1))
	done
	printf '%s\n' ":save-screen $1.$2" Enter ":save-screen $1.$2.there" C-o ":save-screen $1.$2.back"
}
{
	echo f
	for row in 1 2 3 8; do steps 1 $row; done
	printf '%s\n' ':goto frame 1'
	for row in 1 2 3 4 5 6 7 11 12 13 14 15 21; do steps 3 $row; done
	for row in 1 2 3 4 5 6 7 8 9 10; do steps 4 $row; done
	for row in 1 2 3 4; do steps 5 $row; done
	for row in 1 2 3 4 9; do steps 6 $row; done
	printf '%s\n' 8 g Enter
	for row in 2 3 4; do steps 8 $row; done
} >"$scratch/keys"
case_of 'rows lead to places' 80x24 "$x86" <"$scratch/keys"
none 'every row has a target' "$(cd "$screen_folder" && grep -l 'nothing more is known' ./*.there)"
none 'C-o comes back to the row' "$(cd "$screen_folder" && for there in *.there; do
	row=${there%.there}
	# A thread leads to itself, and so does the row that opens it.
	case $row in 1.*) continue ;; esac
	grep '^>' "$row" >row.before
	grep '^>' "$row.back" >row.after
	cmp -s row.before row.after || { echo "$row"; diff row.before row.after; }
done)"
expect_text 1.2.there '\[3 evidence\]'
expect_text 1.8.there '\[3 evidence\]'
expect_text 3.2.there '^>>44 STACK WIN 4 1020 40 '
expect_text 4.3.there '^> ebp .*0012feac .*ebp of frame 0'
expect_text 5.1.there '\[4 eval\]'
expect_text 6.1.there '\[3 evidence\]'
expect_text 6.2.there '^offset 0x10c   ThreadList, thread 0x5d4, stack \+0x0, 4 bytes'
expect_text 8.4.there '^>> 1 MODULE windows x86 7A1C35E09B2D4F6885C3D1E0F2A4B6C81 ledger\.pdb$'

# Every key and command of the table is in the help.
{
	echo '?'
	echo ':write help.txt'
} >"$scratch/keys"
case_of 'help is written' 80x24 "$x86" <"$scratch/keys"
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
