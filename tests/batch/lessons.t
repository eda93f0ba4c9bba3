#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The lessons stay right: their texts about crashes have the right answers, their recipes make the same
# bytes, and Breakpad's recorded answers and the true stacks by hand equal those of the walks.
. "$(dirname "$0")/../lib/tap.sh"

. "$srcdir/tests/lib/lessons.sh"
make_crash=$builddir/tests/lib/make-crash
export UNSPOOL_DATA="$srcdir/data"

export XDG_STATE_HOME="$scratch/state"

# The same crashes at other addresses, with the same lessons.
moved=$scratch/moved
mkdir "$moved" && cp -R "$srcdir/data/crashes" "$lessons" "$moved" && chmod -R u+w "$moved"
for dump in "$srcdir"/data/crashes/*/crash.dmp; do
	crash=${dump%/*}
	t "${crash##*/}: the crash can be moved" "$builddir/tests/lib/make-moved" "$dump" \
		"$moved/crashes/${crash##*/}/crash.dmp" 1230000 fffffffffffc0000
done
for recipe in "$lessons"/*/crash.txt; do
	folder=${recipe%/*}
	t "${folder##*/}: the crash can be made at another place" "$make_crash" "$recipe" \
		"$moved/lessons/${folder##*/}/crash.dmp" CODE=20000000 NORTH=20000000 STACK=10000000
done

# Cards ----------------------------------------------------------------------------------------

# literals LESSON: the answers that depend on addresses, with their values here.
literals() {
	lesson_cards "$1" | while read -r task kind thread frame answer; do
		case $kind in value | predict | place) ;; *) continue ;; esac
		here=$(lesson_value "$srcdir/data" "$1" "$thread" "$frame" "$answer")
		there=$(lesson_value "$moved" "$1" "$thread" "$frame" "$answer")
		[ "$here" = "$there" ] || echo "answer $task $here"
	done
}

is 'the course has each folder once' "$(lesson_names | LC_ALL=C sort)" "$(cd "$lessons" && ls -d */ | tr -d / | LC_ALL=C sort)"
# The handbook for lecturers: a row of its table is a session.
sed -n 's/^| [0-9] | \([^|]*\) |.*/\1/p' "$srcdir/doc/course.md" | tr -d ' ' | tr ',' '\n' >"$scratch/sessions"
is 'the sessions of the handbook have each lesson once' "$(LC_ALL=C sort "$scratch/sessions")" "$(lesson_names | LC_ALL=C sort)"
none 'no session has a lesson before one that it needs' "$(while read -r lesson; do
	echo "$lesson" >>"$scratch/given"
	for needed in $(sed -n 's/^needs *//p' "$lessons/$lesson/lesson"); do
		grep -qxF -e "$needed" "$scratch/given" || echo "$lesson: $needed"
	done
done <"$scratch/sessions")"
# The commands that a card tells the learner to type work: a patch of the lesson's record, a program of one's own.
broken=$srcdir/data/crashes/broken-cfi-amd64
t 'the command on the card of the wrong number finds the number' sh -c '
	cd "$1/symbols/till/B5BD3192C5502D1E4E76175E9C24A5EA0" || exit 1
	grep -o "unspool repair till.sym --binary till" "$2/broken-01-number/lesson" || exit 1
	"$UNSPOOL" repair till.sym --binary "$1/binaries/till" | grep "^+STACK CFI 1208 .cfa: .rsp 144 +$"' sh "$broken" "$lessons"
t 'the lesson of a frame has a program that demo-crash compiles' sh -c '
	"$UNSPOOL" demo-crash | grep "^$(grep -o "unspool demo-crash [a-z0-9-]*" "$1/basics-01-frame/lesson" |
		sed "s/.* //") "' sh "$lessons"
none 'cards name no other command of the shell' "$(grep -oh '`unspool [^`]*`' "$lessons"/*/lesson |
	grep -vxF -e '`unspool repair till.sym --binary till`' -e '`unspool demo-crash basics-01-frame`' -e '`unspool lint`')"
sed -n 's/^answer \([a-z]*\) \([a-z-]*\)$/\1 \2/p' "$lessons/broken-02-five-files/solution" >"$scratch/defects"
none 'lint finds in the five files the defects that the lesson asks for' "$(while read -r shop code; do
	"$UNSPOOL" lint "$lessons/broken-02-five-files/symbols/$shop"/*/"$shop.sym" | grep -q "\[$code\]" || echo "$shop: $code"
done <"$scratch/defects")"
is 'the five files have one defect each' "$(wc -l <"$scratch/defects" | tr -d ' ')" 5
is 'the course has twenty-six lessons' "$("$UNSPOOL" lesson --list | grep -c '^ *[0-9]')" 26
for lesson in $(lesson_names); do
	folder=$lessons/$lesson
	none "$lesson: queries have answers, words are explained, texts fit, no answer can be read" \
		"$("$UNSPOOL" lesson --lint "$folder" 2>&1)"
	is "$lesson: each task has a solution" "$(sed -n 's/^answer \([^ ]*\) .*/\1/p' "$folder/solution")" \
		"$(sed -n 's/^task *//p' "$folder/lesson")"
	none "$lesson: the solution passes" "$("$UNSPOOL" lesson --answers "$folder/solution" "$folder" |
		grep -v ': right$' | grep -v "^\([0-9]*\) of \1 tasks passed")"
	tasks=$(grep -c '^task ' "$folder/lesson")
	sed -n 's/^answer [^ ]* //p' "$folder/solution" | "$UNSPOOL" lesson --text "$folder" >"$scratch/text"
	is "$lesson: line by line, each answer is right and the lesson ends" "$(grep -c '^Right' "$scratch/text") $(tail -n 1 "$scratch/text")" \
		"$tasks $tasks of $tasks tasks passed"
	"$UNSPOOL" lesson --answers "$folder/wrong" "$folder" >"$scratch/wrong"
	none "$lesson: each misconception is refused with a sentence" \
		"$(grep -v '^0 of [0-9]* tasks passed' "$scratch/wrong" | grep -E ': (no|right)$|^[^w]|: broken: ')"
	is "$lesson: each misconception has its own sentence" \
		"$(sed -n 's/^wrong:[0-9]*: //p' "$scratch/wrong" | LC_ALL=C sort -u | wc -l)" "$(grep -c '^  wrong ' "$folder/lesson")"
	export UNSPOOL_DATA="$moved"
	none "$lesson: elsewhere, the solution passes" "$("$UNSPOOL" lesson --answers "$folder/solution" "$moved/lessons/$lesson" |
			grep -v ': right$' | grep -v "^\([0-9]*\) of \1 tasks passed")"
	export UNSPOOL_DATA="$srcdir/data"
	literals "$lesson" >"$scratch/literals"
	none "$lesson: here, the addresses of the solution pass" \
		"$("$UNSPOOL" lesson --answers "$scratch/literals" "$folder" | grep 'wrong')"
	export UNSPOOL_DATA="$moved"
	none "$lesson: elsewhere, the addresses are refused" \
		"$("$UNSPOOL" lesson --answers "$scratch/literals" "$moved/lessons/$lesson" | grep 'right$')"
	export UNSPOOL_DATA="$srcdir/data"
	cat "$scratch/literals" >>"$scratch/all-literals"
done
t 'many tasks have an address as their answer' test "$(wc -l <"$scratch/all-literals")" -ge 20

# Crashes --------------------------------------------------------------------------------------

# walked DUMP SYMBOLS: all frames with their functions and lines, without addresses.
walked() {
	"$UNSPOOL" walk -m "$1" "$2" 2>/dev/null | grep '^[0-9]'
}
for crash in inlines-amd64 frame-data-x86 scan-only-amd64 sframe-amd64 broken-cfi-amd64 pac-arm64; do
	dump=$srcdir/data/crashes/$crash/crash.dmp
	symbols=$srcdir/data/crashes/$crash/symbols
	is "$crash: at the other place the stack is the same" "$(walked "$moved/crashes/$crash/crash.dmp" "$symbols")" \
		"$(walked "$dump" "$symbols")"
	for copy in "$dump" "$moved/crashes/$crash/crash.dmp"; do
		"$UNSPOOL" walk --thread 0 "$copy" "$symbols" | grep -oE '[re]?(sp|ip|pc) = 0x[0-9a-f]+' | LC_ALL=C sort -u
	done >"$scratch/places"
	none "$crash: at the other place every frame has another address" "$(LC_ALL=C sort "$scratch/places" | uniq -d)"
done

# names LESSON [THREAD] [OPTION...]: the functions of a thread in order.
names() {
	names_lesson=$lessons/$1
	names_thread=${2:-0}
	shift $(($# < 2 ? $# : 2))
	"$UNSPOOL" walk -m --thread "$names_thread" "$@" "$names_lesson/crash.dmp" "$names_lesson/symbols" \
		2>"$scratch/messages" | $AWK -F '|' -v thread="$names_thread" '$1 == thread && NF == 7 { printf "%s ", $4 == "" ? $3 : $4 }'
}

for dump in "$lessons"/*/crash.dmp; do
	folder=${dump%/*}
	lesson=${folder##*/}
	t "$lesson: the recipe works" "$make_crash" "$folder/crash.txt" "$scratch/crash.dmp"
	t "$lesson: the recipe makes the same bytes" cmp "$scratch/crash.dmp" "$dump"
	is "$lesson: --compat breakpad prints the output of Breakpad" \
		"$("$UNSPOOL" walk -m --compat breakpad "$dump" "$folder/symbols" 2>/dev/null)" "$(cat "$folder/breakpad.m.txt")"
	"$UNSPOOL" walk "$dump" "$folder/symbols" >"$scratch/walk" 2>/dev/null
	for file in "$folder/source"/*.c; do
		base=$(basename "$file")
		t "$lesson: frames are in $base" grep -q "\[$base : " "$scratch/walk"
		none "$lesson: lines of $base exist" "$(sed -n "s/.*\[$base : \([0-9]*\) .*/\1/p" "$scratch/walk" |
			$AWK -v lines="$(wc -l <"$file")" '$1 < 1 || $1 > lines')"
	done
	is "$lesson: at the other place the stack is the same" "$(walked "$moved/lessons/$lesson/crash.dmp" "$folder/symbols")" \
		"$(walked "$dump" "$folder/symbols")"
	none "$lesson: at the other place every frame has another address" \
		"$("$UNSPOOL" walk --thread 0 "$moved/lessons/$lesson/crash.dmp" "$folder/symbols" 2>/dev/null |
			grep -E 'r[is]p = 0x0000(5555|7fff)')"
done

# Read from the sources.
is 'basics-01-frame: the stack has three calls from main' "$(names basics-01-frame)" 'pour brew serve main _start '
is 'basics-02-frame-pointers: frame pointers lose the caller of brew' "$(names basics-02-frame-pointers)" 'pour brew main _start '
is 'basics-02-frame-pointers: STACK CFI finds it' "$("$UNSPOOL" walk -m "$lessons/basics-02-frame-pointers/crash.dmp" \
		"$lessons/basics-02-frame-pointers/symbols-cfi" | sed -n 's/^0|[0-9]|twin|\([^|]*\).*/\1/p' |
		tr '\n' ' ')" 'pour brew serve main _start '
for thread in 0 1 2; do
	is "basics-03-cfa: moment $thread is in the same call" "$(names basics-03-cfa $thread)" 'measure main _start '
	"$UNSPOOL" explain --thread $thread --frame 0 --json "$lessons/basics-03-cfa/crash.dmp" \
		"$lessons/basics-03-cfa/symbols" >"$scratch/step"
	t "basics-03-cfa: the CFA of both moments is the same" grep -q '00007fffffffee00' "$scratch/step"
done
is 'inline-01-records: one frame has four calls' "$(names inline-01-records)" \
	'price_of price_of_next reduced pay sell open_shop main _start '
is 'sframe-02-losses: STACK CFI finds the caller of with_aligned' "$(names sframe-02-losses)" 'taste blend with_aligned cook main _start '
is 'sframe-02-losses: SFrame alone does not find it' "$(names sframe-02-losses 0 --methods sframe \
	--binaries "$lessons/sframe-02-losses/binaries")" 'taste blend with_aligned '
for code in 1 0; do
	is "mac-01-compact-unwind: compact unwind leads to the true stack, code=$code" \
		"$(names mac-01-compact-unwind 0 --policy code=$code --binaries "$lessons/mac-01-compact-unwind/binaries")" \
		'weigh load hoist main start '
done

# trusted THREAD: the methods that found the frames of a broken file.
trusted() {
	"$UNSPOOL" walk --thread "$1" "$lessons/broken-02-five-files/crash.dmp" \
		"$lessons/broken-02-five-files/symbols" 2>/dev/null | sed -n 's/.* Stack trust: [^:]*: //p'
}
is 'broken-02-five-files: without INIT a caller is guessed' "$(trusted 0)" '4 exact, 1 guessed; trust frames 0 to 4'
is 'broken-02-five-files: shifted records end the stack early' "$(names broken-02-five-files 1)" 'price_of price_of_next reduced pay sell '
is 'broken-02-five-files: a misspelt register makes a guess' "$(trusted 2)" '4 exact, 1 guessed; trust frames 0 to 4'
is 'broken-02-five-files: all frames after the cut are guessed' "$(trusted 3)" '3 exact, 2 guessed; trust frames 0 to 5'
is 'broken-02-five-files: a wrong level hides an inlined call' "$(names broken-02-five-files 4)" \
	'price_of_next reduced pay sell open_shop main _start '

# found OPTION...: the method that found the caller of sell.
found() {
	"$UNSPOOL" walk "$@" "$lessons/compare-01-walkers/crash.dmp" "$lessons/compare-01-walkers/symbols" |
		sed -n '/!open_shop /,/Found by/s/.*Found by: //p'
}
is 'compare-01-walkers: rules before an error are used' "$(found)" 'call frame info'
is 'compare-01-walkers: one policy row discards them' "$(found --policy delta-keeps-good=0)" 'stack scanning'

printf 'word xyz\n' >"$scratch/bad.txt"
"$make_crash" "$scratch/bad.txt" "$scratch/bad.dmp" 2>"$scratch/err"
is 'a recipe that cannot be read makes no dump' "$?$(ls "$scratch/bad.dmp" 2>/dev/null)" 1
is 'the recipe that cannot be read is named' "$(cat "$scratch/err")" "make-crash: cannot read 'xyz'"

done_testing
