#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Hostile names: a dump and a symbol file whose strings are escape sequences, line breaks, tabs,
# characters that change the direction of text, and ten thousand letters. The screen stays intact.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

maker=$builddir/tests/screen/make-names
[ -x "$maker" ] || skip_all 'tests/screen/make-names is not built; make check builds it'

dump=$scratch/names.dmp
t 'the dump is made' "$maker" "$dump"
t 'the dump has control characters in its names' grep -qa AAAAAAAA "$dump"

folder=$scratch/symbols/names.pdb/5A9832E5287241C1838ED98914E9B7FF1
mkdir -p "$folder"
long=$($AWK 'BEGIN { while (n++ < 10000) printf "A" }')
escape=$(printf '\033[2J\033[31m')
turn=$(printf '\342\200\256gpj.exe\342\200\217')
tab=$(printf 'tab\there\bback\rfirst')
cat >"$folder/names.sym" <<END
MODULE windows x86_64 5A9832E5287241C1838ED98914E9B7FF1 names.pdb
INFO CODE_ID $escape $tab $turn
FILE 0 /src/$escape$turn.c
FILE 1 /src/$long.c
FILE 2 /src/$tab.c
INLINE_ORIGIN 0 $escape$tab
INLINE_ORIGIN 1 $turn
INLINE_ORIGIN 2 $long
FUNC 1000 20 0 outer $escape$tab$turn$long
INLINE 0 5 0 0 1000 20
INLINE 1 6 1 1 1000 20
INLINE 2 7 2 2 1000 20
1000 20 12345 0
FUNC 1020 20 0 $long
1020 20 4294967295 1
FUNC 1040 20 0 $turn
1040 20 1 2
PUBLIC 1080 0 $escape
PUBLIC 10a0 0 $long
$escape$long
STACK CFI INIT 1000 100 .cfa: \$rsp 8 + .ra: .cfa 8 - ^
STACK CFI 1010 \$rbx: $escape $turn $long ^ \$rbp: .cfa 16 - ^
STACK CFI INIT 1100 $tab
END

# Each view, its last row and where that leads, and explanations: no text may leave its row.
{
	sed -n 's/^V([A-Z]*,[[:space:]]*"\([^"]*\)",.*/\1/p' "$srcdir/ui/view/view.def" | while read -r view; do
		printf '%s\n' ":view $view" ":save-screen $view" G ":save-screen $view-end" Enter \
			":save-screen $view-entered" ':goto frame 0'
	done
	cat <<\KEYS
1
i
:save-screen inlined
i
j
j
j
:save-screen inner
4
:step token 5
:save-screen evaluation
:step token 1000
:save-screen evaluation-end
6
x
x
:save-screen text
:goto sym:20
Right
Right
:save-screen sideways
Left
Left
:goto dump:0
:save-screen bytes
8
j
:save-screen second
j
j
j
:save-screen long
1
:filter AAAA
:save-screen filtered
Esc
:search AAAAA
:save-screen searched
:try goto sym:99999999999999999999
:save-screen nowhere
?
:save-screen help
KEYS
} >"$scratch/keys"

# tidy SIZE: print the defects of the saved screens: bytes that are not letters of the locale, rows that
# are too wide, too many or too few rows.
tidy() {
	(cd "$screen_folder" && LC_ALL=C $AWK -v columns="${1%x*}" -v rows="${1#*x}" '
		FNR == 1 && NR > 1 && before != rows { print name ": " before " rows" }
		{ before = FNR; name = FILENAME }
		length > columns { print FILENAME ":" FNR ": " length " columns" }
		/[^ -~]/ { print FILENAME ":" FNR ": " $0 }' ./*) | head -n 20
}

for size in 80x24 40x6 120x40 250x60; do
	LC_ALL=C screen_case "names at $size" $size --ascii "$dump" "$scratch/symbols" <"$scratch/keys"
	is "all screens of $size are painted" "$(find "$screen_folder" -type f | wc -l | tr -d ' ')" \
		"$(grep -c save-screen "$scratch/keys")"
	none "no text leaves its row at $size" "$(tidy $size)"
done

LC_ALL=C screen_case 'names are shown for what they are' 120x40 --ascii "$dump" "$scratch/symbols" <"$scratch/keys"
expect_text stack '^> . +0 ctx  0000000000401010 '
expect_text stack 'Windows NT 10\.0\.1 .*\\x1b\[31m\\x0d\\x0a\\x09\\u202e'
expect_text modules '\\x1b\[31m\\x0d\\x0a\\u202e\.exe'
expect_text second '\\x1b\[2J\\x1b\[31m\\x1b\]0;title\\x07'
expect_text long 'AAAA~AAAA'
expect_text messages '.'

# The same in a UTF-8 locale, in which other letters than ASCII are shown.
case ${LC_ALL:-} in
*[Uu][Tt][Ff]*)
	screen_case 'names in UTF-8 are shown' 80x24 "$dump" "$scratch/symbols" <"$scratch/keys"
	none 'names in UTF-8 have no control characters' "$(LC_ALL=C grep -l "$(printf '[\001-\037\177]')" \
		"$screen_folder"/* | sed 's/.*\///')"
	none 'no character changes the direction of text' "$(LC_ALL=C grep -lE \
		"$(printf '\342\200[\216\217\250-\256]|\302[\200-\237]')" "$screen_folder"/*)"
	none 'each row has the width of the screen at most' "$(cd "$screen_folder" &&
		for screen in *; do
			"$region" 1,1 80x24 "$screen" | cmp -s - "$screen" || echo "$screen"
		done)"
	;;
*) skip 4 'no UTF-8 locale' ;;
esac

# As text, to a pipe
t 'walk prints the hostile names' sh -c "$UNSPOOL '$dump' '$scratch/symbols' | cat >'$scratch/walk.txt'"
none 'walk prints no control characters' "$(LC_ALL=C grep -n "$(printf '[\001-\010\013-\037\177]')" "$scratch/walk.txt" | head -n 5)"

done_testing
