#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every size of screen, every bundled crash: nothing is painted outside, nothing fails, and before any
# key the first screen says what crashed, where and in which frame.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crashes=$srcdir/data/crashes

# The words that each first screen must show, from the bundle's README: the reason, the address, and the
# function of frame 0.
first_words() {
	case $1 in
	frame-data-x86) echo 'ACCESS_VIOLATION_READ at 0x8 +frame 0 -> 1$|0 ctx +00401005 balance_of' ;;
	inlines-amd64) echo 'SIGSEGV .*at 0x0 +frame 0 -> 1$|0 ctx +0*55f654b5e7f0 ' ;;
	scan-only-amd64) echo 'SIGSEGV .*at 0x1 +frame 0 -> 1$|0 ctx +0*564295770083 die' ;;
	pac-arm64) echo 'SIGSEGV .*at 0x0 +frame 0 -> 1$|0 ctx +0*550000090c is_even' ;;
	*) echo 'frame 0|0 ctx' ;;
	esac
}

# outside FILE COLUMNSxROWS: print the rows that are too wide, and the number of surplus rows.
outside() {
	LC_ALL=C $AWK -v columns="${2%x*}" -v rows="${2#*x}" '
		length > columns { print FILENAME ":" FNR ": " length " columns: " $0 }
		/[^ -~]/ { print FILENAME ":" FNR ": no ASCII: " $0 }
		END { if (NR != rows) print FILENAME ": " NR " rows" }' "$1"
}

for folder in "$crashes"/*/; do
	crash=$(basename "$folder")
	for size in 80x24 120x40 200x50 79x23 40x6 39x5 1x1 300x100; do
		screen_case "$crash at $size has its layout" $size --ascii "$folder/crash.dmp" "$folder/symbols" <<\KEYS
:save-screen first
4
s
s
:save-screen evaluation
z
f
:save-screen zoomed
z
3
G
:save-screen evidence
?
:save-screen help
q
7
:save-screen raw
9
8
:save-screen modules
KEYS
		none "$crash stays inside $size" "$(cd "$screen_folder" &&
			for screen in *; do outside "$screen" $size; done)"
		case $size in
		39x5 | 1x1) is "$crash at $size says what it needs" \
			"$(head -n 1 "$screen_folder/first")" "$(echo '40x6 needed' | cut -c 1-${size%x*})" ;;
		80x24 | 120x40 | 200x50 | 300x100)
			words=$(first_words "$crash")
			expect_text first "${words%%|*}"
			expect_text first "${words#*|}" ;;
		79x23 | 40x6)
			expect_text first '^-\[! summary\]-'
			expect_text first '^>crash  *[A-Z]' ;;
		esac
	done
done

# The first screen has the reason of the crash, with the source if there is space for both, and as soon
# as the user selects another frame.
for crash in frame-data-x86:12 inlines-amd64:21 scan-only-amd64:6 pac-arm64:5; do
	for size in 80x24 120x40 200x50; do
		screen_case "the source of ${crash%:*} is shown at $size" $size --ascii \
			"data/crashes/${crash%:*}/crash.dmp" "data/crashes/${crash%:*}/symbols" <<\KEYS
:save-screen first
f
F
:save-screen second
KEYS
		expect_text first '\(! summary\)'
		expect_text first '(^|\|).where  *[a-z]'
		# The crash of the dump for arm64 has no address and therefore no finding.
		[ "${crash%:*}" = pac-arm64 ] || expect_text first '(^|\|).found  *[a-z]'
		[ "$size" = 80x24 ] || expect_text first "=> *${crash#*:}  "
		expect_text second "=> *${crash#*:}  "
	done
done

# All views are visible or have a tab, at every size that has room for them
screen_case 'at 120x40 a view has a place or a tab' 120x40 --ascii \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
:save-screen first
KEYS
for view in 1.stack 2.source 3.evidence 4.eval 5.registers 6.memory !.summary; do
	expect_text first "[-([ ]${view}[]) -]"
done
screen_case 'at 200x50 each view has a place' 200x50 --ascii \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
:save-screen first
KEYS
expect_text first '^-\(! summary\)-.*\|-\(3 evidence\)-'
for view in 1.stack 2.source 4.eval 5.registers 6.memory I.frame; do
	expect_text first "(^|\\|)(- $view |-[[(]$view[])])-"
done
expect_text first '^-\(2 source\)- 7 raw  8 modules  9 messages '

# If a name is too long for its row, the function's own name is kept.
cp -R "$crashes/frame-data-x86" "$scratch/long"
chmod -R u+w "$scratch/long"
for symbols in "$scratch"/long/symbols/ledger.pdb/*/ledger.sym; do
	sed 's/ balance_of$/ ledger::Book<std::map<int, ledger::Account>, std::less<int> >::balance_of(int)/' \
		"$symbols" >"$scratch/new"
	cp "$scratch/new" "$symbols"
done
for size in 80x24 120x40 200x50; do
	screen_case "a long name of a function at $size" $size --ascii "$scratch/long/crash.dmp" \
		"$scratch/long/symbols" <<\KEYS
:save-screen first
KEYS
	expect_text first '0 ctx  00401005 ledger::Book<.*>::balance_of\(int\) +ledger.c:12'
	expect_text first '(^|\|).where  *ledger::Book<.*>::balance_of\(int\) \+ 0x5 \[ledger.c : 12\]'
done

# All views are on one screen, each next to the question that it answers; Enter opens one.
screen_case 'a key shows the map of the views' 80x30 --ascii \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
:save-screen first
6
V
:save-screen map
:search which file
Enter
:save-screen modules
V
:save-screen again
q
:save-screen closed
KEYS
expect_text first '^-\(! summary\)-.* V [0-9]+ more -'
expect_text map '^> what is in memory\?|^> .* 6  memory '
for view in $(sed -n 's/^V([A-Z]*,[[:space:]]*"\([^"]*\)",.*/\1/p' "$srcdir/ui/view/view.def"); do
	expect_text map "^. .{22}. +$view |^..{22}.  $view "
done
expect_text modules '^-.*\[8 modules\]-'
expect_text again '^> which file is wrong\? 8  modules '
t 'q closes the map' cmp "$screen_folder/modules" "$screen_folder/closed"

# The reason and the address are complete, even if other text is cut.
cp "$crashes/frame-data-x86/crash.dmp" "$scratch/a-crash-of-the-ledger-on-monday.dmp"
for size in 80x24 60x20 50x10 40x6; do
	screen_case "a long name at $size" $size --ascii "$scratch/a-crash-of-the-ledger-on-monday.dmp" <<\KEYS
:save-screen first
KEYS
	case $size in
	80x24) header='^a-crash-~day.dmp  x86  Windows NT 5.1  ACCESS_VIOLATION_READ at 0x8 frame 0 -> 1$' ;;
	60x20) header='^a-cras~y.dmp  x86  ACCESS_VIOLATION_READ at 0x8 frame 0 -> 1$' ;;
	50x10) header='^a-crash~day.dmp  x86  ACCESS_VIOLATION_READ at 0x8$' ;;
	40x6) header='^ACCESS_VIOLATION_READ at 0x8$' ;;
	esac
	expect_text first "$header"
done

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

# Zoom gives a view all rows at any size, and gives them back.
screen_case 'zoom' 120x40 --ascii \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
6
:save-screen --attributes before
z
:save-screen zoomed
z
:save-screen --attributes after
z
Esc
:save-screen --attributes escaped
KEYS
expect_text zoomed '^-.*\[6 memory\]-.*! crash-$'
expect_region zoomed 1,38 20x1 <<\END
v -- frame 4  win  m
END
t 'z again restores the sizes' cmp "$screen_folder/before" "$screen_folder/after"
t 'Esc restores the sizes' cmp "$screen_folder/before" "$screen_folder/escaped"

done_testing
