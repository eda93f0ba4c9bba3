#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Playing a script on the screen, line by line: forwards, back, cards, lines that fail.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

make_keys=$builddir/tests/screen/make-keys
[ -x "$make_keys" ] || skip_all 'tests/screen/make-keys is not built; make check builds it'

crash=$srcdir/data/crashes/inlines-amd64
case_of() { screen_case "$1" "$2" --ascii --no-config "$crash/crash.dmp" "$crash/symbols"; }

cat >"$scratch/lesson" <<\END
# A comment is no step.
say The CFA comes first.
say It is 32 bytes above the stack pointer of frame 1, for the function has pushed three registers and was called.
frame 1
view eval
s

say Two tokens more.
s
s
pause
goto frame 99
view registers
END

# Forwards and back ------------------------------------------------------------------------------

case_of 'a script is played' 80x24 <<KEYS
:play $scratch/lesson
:save-screen begin
Space
:save-screen card
n
:save-screen frame
j
:save-screen other
Enter
Space
:save-screen token
,
:save-screen second
,
:save-screen pause
S
:save-screen back
p
Backspace
:save-screen earlier
g
:save-screen first
p
:save-screen none
KEYS
expect_text begin '^-\[play\] lesson  0 of 11  next: a card-'
expect_text begin '^ Space next line  S back  , next card  q stay here *$'
expect_text card '^-\[play\] lesson  2 of 11: a card  next: frame 1-'
expect_region card 1,20 80x3 <<\END
   The CFA comes first.
   It is 32 bytes above the stack pointer of frame 1, for the function has
   pushed three registers and was called.
END
expect_text frame '3 of 11: frame 1  next: view eval-'
expect_text frame 'frame 1 -> 2'
expect_text frame '^   The CFA comes first'
expect_text other "^'j' does nothing while a script is played"
expect_text token 'token 1 of 19'
expect_text second '^   Two tokens more'
refuse_text second 'The CFA comes first'
expect_text second 'token 1 of 19'
expect_text pause 'token 3 of 19'
expect_text pause '9 of 11: pause  next: goto frame 99'
expect_text back '8 of 11: s  next: pause'
expect_text earlier 'token 1 of 19'
is 'going back ends at the beginning' "$(cat "$screen_folder/first")" "$(cat "$screen_folder/begin")"
expect_text none '^this is the beginning'

# A line that fails is reported with its place; the next key continues after it.
case_of 'a failed line is reported' 80x24 <<KEYS
:play $scratch/lesson
G
:save-screen failed
Space
:save-screen behind
Space
:save-screen end
S
S
:save-screen again
S
g
:save-screen first
q
:save-screen left
j
:save-screen moved
KEYS
expect_text failed "^lesson:12: 'frame 99' not found"
expect_text failed '10 of 11: goto frame 99  next: view registers'
expect_text behind '11 of 11: view registers  the end'
expect_text behind '\[5 registers\]'
expect_text end '^this is the end; S goes back, q leaves you here'
refuse_text again 'frame 99. not found'
expect_text first '0 of 11'
expect_text left '^the play ended before step 1 of 11; you are in the explorer'
refuse_text left '\[play\]'
expect_text left '^ .*\? help$'
expect_text moved 'frame 0 -> 1'

# A session of random keys: going back to a line shows the same screen as before. Some sessions end the
# program soon.
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

# Effects that a play does not have --------------------------------------------------------------

mkdir "$scratch/symbols"
cat >"$scratch/sly" <<END
export walk taken.txt
write taken.txt
try save-screen! taken.txt
set copy-command sh -c 'cat >taken.txt'
copy line
bind j quit!
play ../lesson
symbols $crash/symbols
quit!
view eval
END
screen_case 'a play writes nothing and runs no program' 80x24 --ascii --no-config "$crash/crash.dmp" <<KEYS
:play $scratch/sly
Space
:save-screen export
G
:save-screen end
S
S
S
:save-screen before
,
q
:save-screen left
:set copy-command
:save-screen command
j
:save-screen moved
KEYS
expect_text export "^sly:1: a file may not run 'export walk taken.txt'; type it to run it"
expect_text end '10 of 10: view eval  the end'
t 'the play has written no file' test ! -e "$screen_folder/taken.txt"
expect_text command '^copy-command *$'
expect_text moved 'frame [0-9]+ -> '
# The line "symbols" adds no directory, neither during the play nor afterwards.
expect_text before '7 of 10: play '
refuse_text end '_sort'
refuse_text left '_sort'

printf 'say \033[2Jred \302\233 \342\200\256 end\nframe 1\n' >"$scratch/hostile"
case_of 'a card shows control characters escaped' 80x24 <<KEYS
:play $scratch/hostile
Space
:save-screen card
KEYS
expect_text card '^   .x1b\[2Jred .u009b .u202e end'

# A line that the script leaves in the prompt, a pair of keys that it begins, and `try` over and over.
printf ':\ntype write! left.txt\n' >"$scratch/typed"
printf 'Z\n' >"$scratch/pair"
for script in typed pair; do
	screen_case "a play of half a line ends: $script" 80x24 --ascii --no-config "$crash/crash.dmp" <<KEYS
:play $scratch/$script
G
q
:save-screen left
Enter
Q
KEYS
	refuse_text left 'left.txt|Z then'
	t 'the next key does not run a half typed line' test ! -e "$screen_folder/left.txt"
done
$AWK 'BEGIN { for (i = 0; i < 100000; i++) printf "try "; print "view eval" }' >"$scratch/tries"
"$UNSPOOL" --plain --no-config --play "$scratch/tries" "$crash/crash.dmp" >"$scratch/out" 2>"$scratch/err" </dev/null
is 'a line of many tries does not exhaust the stack' "$?$(cat "$scratch/err")" \
	"1unspool: $scratch/tries:1: try runs a command, not another try"

# Another script whose name begins with the word of a command.
echo 'write other.txt' >"$scratch/next one"
echo 'play next one' >"$scratch/two"
(cd "$scratch" && "$UNSPOOL" --plain --no-config --play two "$crash/crash.dmp" >out 2>err </dev/null)
t 'a play cannot play another script' test ! -e "$scratch/other.txt"
t 'and says so' grep -q "^two:1: a file may not run 'play next one'; type it to run it" "$scratch/out"

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

# A card that is too large is shown in parts; the same keys turn them.
{
	i=1
	while [ $i -le 30 ]; do
		echo "say row $i"
		i=$((i + 1))
	done
	echo 'frame 1'
} >"$scratch/long"
case_of 'a card is longer than the screen' 80x24 <<KEYS
:play $scratch/long
Space
:save-screen one
Space
:save-screen two
S
:save-screen back
Space
Space
Space
:save-screen behind
resize 40x8
:save-screen small
resize 30x5
:save-screen least
KEYS
expect_text one '30 of 31: a card  part 1 of 3  next: frame 1'
expect_text one '^   row 1$'
expect_text two '^   row 13$'
refuse_text two '^   row 1$'
is 'back shows the part before' "$(cat "$screen_folder/back")" "$(cat "$screen_folder/one")"
expect_text behind '31 of 31: frame 1 '
expect_text small '\[play\]'
expect_text least 'needed'

case_of 'a file that is not a script is refused' 80x24 <<KEYS
:try play $scratch/nowhere
:save-screen nowhere
:try play $scratch/record
:try play
:save-screen usage
:try play next
:save-screen nothing
KEYS
expect_text nowhere 'No such file'
expect_text usage '^usage: :play FILE'
expect_text nothing '^no script is played'
printf 'frame 1\n\nnonsense here\n' >"$scratch/wrong"
case_of 'a script with a wrong line is refused' 80x24 <<KEYS
:try play ../wrong
:save-screen wrong
KEYS
expect_text wrong "^../wrong:3: 'nonsense here' is neither a key nor a command"

# A play does not lose edits and notes that have not been saved.
case_of 'a play can begin anew' 80x24 <<KEYS
frame 2
set-register rbx 5
:try play $scratch/lesson
:save-screen refused
u
view eval
play $scratch/lesson
:save-screen begun
KEYS
expect_text refused '^1 edit would be lost: a play begins anew'
expect_text begun 'frame 0 -> 1'

# Without a screen -------------------------------------------------------------------------------

plain() { "$UNSPOOL" --no-config "$@" "$crash/crash.dmp" "$crash/symbols" 2>&1 </dev/null; }
plain --play "$scratch/lesson" >"$scratch/out"
is 'without a terminal each line is printed before its result' \
	"$(grep -A1 '^\[play' "$scratch/out" | cut -c1-20 | sed 's/ *$//')" "[play 3 of 11] frame
> -   1 cfi  000055f
--
[play 4 of 11] view
[eval] frame 2 found
--
[play 5 of 11] s
>    1  \$rsp
--
[play 7 of 11] s
>    2  32
--
[play 8 of 11] s
>    3  +
--
[play 9 of 11] pause
[play 10 of 11] goto
'frame 99' not found
--
[play 11 of 11] view
[registers] > now  *"
t 'without a terminal the text of a card is printed' grep -qx 'Two tokens more.' "$scratch/out"
t 'a line that fails is reported with its place' grep -q "^unspool: .*/lesson:12: 'frame 99' not found" "$scratch/out"
plain --play "$scratch/sly" >"$scratch/out"
t 'a play without a terminal writes no file' test ! -e taken.txt
printf 'say hello\n' >"$scratch/hello"
is 'say prints in a script' "$(plain --script "$scratch/hello")" hello
t '--play cannot be combined with --script and --record' sh -c '! "$@"' sh "$UNSPOOL" --play "$scratch/hello" \
	--record "$scratch/x" "$crash/crash.dmp"

done_testing
