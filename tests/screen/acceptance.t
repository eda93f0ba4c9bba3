#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The promises of the explorer, point by point, on the bundled crashes. Points 1 to 3, first screens without
# colours and of every size, are tests/scenes/layout and golden; point 4, steps forwards and back, is
# tests/scenes/stepping; point 6, signals and terminals that vanish, is tests/tty/explorer.t.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crashes=$srcdir/data/crashes
views=$(sed -n 's/^V([A-Z]*,[[:space:]]*"\([^"]*\)",.*/\1/p' "$srcdir/ui/view/view.def")

# 5. Enter on a value leads to a line of a symbol file, an offset of the dump or a token -----------

# walk_rows CRASH VIEW: press Enter on each row of a view, and on the rows to which that leads.
walk_rows() {
	{
		printf '%s\n' "f" ":view $2" ':write rows'
	} >"$scratch/keys"
	screen_case "5: $1, $2 has rows" 120x40 --ascii "$crashes/$1/crash.dmp" "$crashes/$1/symbols" <"$scratch/keys"
	rows=$(wc -l <"$screen_folder/rows" | tr -d ' ')
	[ "$rows" -gt 60 ] && rows=60
	cp "$screen_folder/rows" "$scratch/rows"
	row=0
	{
		while [ "$row" -lt "$rows" ]; do
			printf '%s\n' ':goto frame 1' ":view $2" ":row $((row + 1))" Enter ":save-screen at$row"
			row=$((row + 1))
		done
	} >"$scratch/keys"
	screen_case "5: $1, Enter on $rows rows of $2" 120x40 --ascii "$crashes/$1/crash.dmp" "$crashes/$1/symbols" <"$scratch/keys"
	row=0
	while [ "$row" -lt "$rows" ]; do
		grep -qE '^nothing more is known' "$screen_folder/at$row" && sed -n "$((row + 1))p" "$scratch/rows" | grep -E '[0-9a-f]{8}'
		row=$((row + 1))
	done >"$scratch/dead"
	none "5: every value of $2 of $1 leads somewhere" "$(cat "$scratch/dead")"
}
for view in registers memory eval evidence summary stack; do
	walk_rows frame-data-x86 $view
done
walk_rows inlines-amd64 registers

# 7. Strings of strangers: hostile.t has those that could change the screen ---------------------------

# Letters of two columns, combining marks and right-to-left letters: in a UTF-8 locale they are shown,
# and the line between two columns of views stays straight.
utf8=$(locale -a 2>/dev/null | grep -iE '^(C|en_US)\.utf-?8$' | head -n 1)
if [ -n "$utf8" ]; then
	cp -R "$crashes/frame-data-x86" "$scratch/world"
	chmod -R u+w "$scratch/world"
	wide='\346\274\242\345\255\227' mark='e\314\201\314\202o\314\210'
	left='\327\251\327\234\327\225\327\235' joined='\330\263\331\204\330\247\331\205'
	name=$(printf "$wide$mark$left$joined$wide$wide$wide$wide$mark$left$joined$wide$wide")
	for symbols in "$scratch"/world/symbols/ledger.pdb/*/ledger.sym; do
		sed "s/ balance_of\$/ $name/; s/ add_up\$/ $name$name/" "$symbols" >"$scratch/new"
		cp "$scratch/new" "$symbols"
	done
	echo "$views" | while read -r view; do
		printf '%s\n' ":view $view" ":save-screen $view" '>' ":save-screen $view-right" '<'
	done >"$scratch/keys"
	LC_ALL=$utf8 screen_case '7: letters of the world in every view' 200x50 --ascii \
		"$scratch/world/crash.dmp" "$scratch/world/symbols" <"$scratch/keys"
	LC_ALL=$utf8 expect_text stack "$(printf "$wide")"
	none '7: the line between columns stays straight' "$(cd "$screen_folder" &&
		# A lesson is next to the other views, which are narrower then.
		for screen in $(ls | grep -v '^lesson'); do
			LC_ALL=$utf8 "$region" 93,2 1x47 "$screen" | grep -vn '^|$' | sed "s/^/$screen row /"
		done | head -n 5)"
else
	skip 3 'no UTF-8 locale'
fi

# 8. A view has the rows that the batch commands print ----------------------------------------------

x86=$crashes/frame-data-x86
screen_case '8: rows are written' 120x40 --ascii "$x86/crash.dmp" "$x86/symbols" <<\KEYS
:view summary
:write summary
:view registers
:write registers
:view stack
:write stack
:view modules
:write modules
:view eval
:step token 1000
:write eval
KEYS
is '8: the summary is what unspool summary prints' "$(tr -s ' \n' ' ' <"$screen_folder/summary")" \
	"$("$UNSPOOL" summary "$x86/crash.dmp" "$x86/symbols" | tr -s ' \n' ' ')"
"$UNSPOOL" explain "$x86/crash.dmp" "$x86/symbols" >"$scratch/explained"
sed 's/ *$//; /^ *+/d' "$screen_folder/registers" | while read -r name rest; do
	grep -qF "$name" "$scratch/explained" && sed -n "s/^ *$name  *//p" "$scratch/explained" |
		tr -s ' ' | grep -qF "$(echo "$rest" | tr -s ' ')" || echo "$name $rest"
done >"$scratch/missing"
none '8: registers are what explain prints' "$(cat "$scratch/missing")"
sed -n 's/^ *[0-9][0-9]*  *\([^ ][^ ]*\)  .*/\1/p' "$screen_folder/eval" | while read -r token; do
	grep -qF -- " $token" "$scratch/explained" || echo "$token"
done >"$scratch/missing"
none '8: tokens of the evaluation are what explain prints' "$(cat "$scratch/missing")"

printf '%s\n' 'set rows 0' 'view registers' 'view stack' 'view modules' 'step token 1000' 'view eval' |
	"$UNSPOOL" --plain "$x86/crash.dmp" "$x86/symbols" 2>/dev/null | cut -c 2- >"$scratch/plain"
for view in registers stack modules eval; do
	sed 's/ *$//' "$screen_folder/$view" | while IFS= read -r row; do
		grep -qxF -- "$row" "$scratch/plain" || echo "$row"
	done >"$scratch/missing"
	none "8: --plain prints the rows of $view" "$(head -n 5 "$scratch/missing")"
done

done_testing
