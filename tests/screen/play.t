#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Playing a script on the screen: random keys, what a play must not do. tests/scenes/play has the rest.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

make_keys=$builddir/tests/screen/make-keys
[ -x "$make_keys" ] || skip_all 'tests/screen/make-keys is not built; make check builds it'

crash=$srcdir/data/crashes/inlines-amd64
case_of() { screen_case "$1" "$2" --ascii --no-config "$crash/crash.dmp" "$crash/symbols"; }

# A session of random keys: going back to a line shows the same screen as before. Some sessions end the program soon.
for size in 80x24 200x50; do
	seed=0
	steps=0
	while [ "$steps" -lt 25 ] && [ $seed -lt 40 ]; do
		seed=$((seed + 1))
		"$make_keys" $seed 200 | grep -v '^resize\|^C-z\|^ZZ\|^Z$\|^Q$\|^q$\|quit' >"$scratch/random"
		rm -f "$scratch/recorded"
		(cd "$scratch" && "$UNSPOOL" --script random --size $size --ascii --no-config \
			--record recorded "$crash/crash.dmp" "$crash/symbols" >/dev/null 2>&1 </dev/null)
		steps=$(grep -cv '^# ' "$scratch/recorded")
	done
	{
		echo ":play $scratch/recorded"
		i=0
		while [ $i -lt "$steps" ]; do
			printf ':save-screen --attributes %d\nSpace\n' $i
			i=$((i + 1))
		done
		while [ $i -gt 0 ]; do
			i=$((i - 1))
			printf 'S\n:save-screen --attributes back-%d\n' $i
		done
	} >"$scratch/both-ways"
	case_of "a record of random keys is played at $size" $size <"$scratch/both-ways"
	i=0
	while [ $i -lt "$steps" ]; do
		cmp -s "$screen_folder/$i" "$screen_folder/back-$i" || echo "before step $i"
		i=$((i + 1))
	done >"$scratch/differ"
	t 'the record has steps' test "$steps" -ge 25
	none 'stepping back shows the same screens' "$(cat "$scratch/differ")"
done

printf 'say \033[2Jred \302\233 \342\200\256 end\nframe 1\n' >"$scratch/hostile"
case_of 'a card shows control characters escaped' 80x24 <<KEYS
:play $scratch/hostile
Space
:save-screen card
KEYS
expect_text card '^   .x1b\[2Jred .u009b .u202e end'

$AWK 'BEGIN { for (i = 0; i < 100000; i++) printf "try "; print "view eval" }' >"$scratch/tries"
"$UNSPOOL" --plain --no-config --play "$scratch/tries" "$crash/crash.dmp" >"$scratch/out" 2>"$scratch/err" </dev/null
is 'a line of many tries does not exhaust the stack' "$?$(cat "$scratch/err")" \
	"1unspool: $scratch/tries:1: try runs a command, not another try"

# Every command that names a file, including future ones.
sed -n 's/^[A-Z]*([A-Z_]*, "\([^"]*\) FILE".*/\1 taken.txt/p' "$srcdir/ui/request/request.def" >"$scratch/writers"
{
	echo ":play $scratch/writers"
	$AWK '{ print "Space\n:save-screen refused-" NR }' "$scratch/writers"
} >"$scratch/turns"
case_of 'a play has each command that names a file' 80x24 <"$scratch/turns"
t 'the play has more than 100 such commands' test "$(wc -l <"$scratch/writers")" -gt 15
is 'each such command is refused' "$(grep -l "^writers:[0-9]*: a file may not run '.* taken.txt'" "$screen_folder"/refused-* | wc -l)" \
	"$(wc -l <"$scratch/writers")"

plain() { "$UNSPOOL" --no-config "$@" "$crash/crash.dmp" "$crash/symbols" 2>&1 </dev/null; }
printf 'say hello\n' >"$scratch/hello"
is 'say prints in a script' "$(plain --script "$scratch/hello")" hello
t '--play cannot be combined with --script and --record' sh -c '! "$@"' sh "$UNSPOOL" --play "$scratch/hello" \
	--record "$scratch/x" "$crash/crash.dmp"

done_testing
