#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each lesson of the course in the explorer: its solution passes on a small screen, on a large one and
# without a screen, and no view shows the answer to a prediction before.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"
. "$srcdir/tests/lib/lessons.sh"
export UNSPOOL_DATA="$srcdir/data" XDG_STATE_HOME="$scratch/state"

# script_of LESSON: all cards in order, each saved before its answer.
script_of() {
	number=0
	lesson_cards "$1" | while read -r task kind thread frame answer; do
		number=$((number + 1))
		echo ":save-screen card-$number"
		[ "$kind" != predict ] || echo ":export step step-$number.txt"
		[ "$task" = - ] || echo ":answer $answer"
		echo ':lesson next'
	done
	echo ':save-screen end'
}

# told FILE VALUE: rows that show a value in hexadecimal or decimal. Rows of memory begin with their
# address, because the learner may read words of the stack.
told() {
	grep -vE '^[ >|]*[0-9a-f]{8,16} ' "$1" | tr '[:upper:]' '[:lower:]' | grep -nwE "(0x)?0*$2|$(printf %d "0x$2")"
}

# hidden LESSON: no card and no export shows the answer to its task. An answer that is a register of this frame may be shown.
hidden() {
	number=0
	lesson_cards "$1" | while read -r task kind thread frame answer; do
		number=$((number + 1))
		case $kind$answer in predict*' '*) ;; *) continue ;; esac
		value=$(lesson_value "$srcdir/data" "$1" "$thread" "$frame" "$answer")
		[ ${#value} -ge 3 ] || continue
		for file in "$screen_folder/card-$number" "$screen_folder/step-$number.txt"; do
			[ -e "$file" ] || echo "$task: $file was not saved"
			told "$file" "$value" | sed "s/^/$task $value: /"
		done
	done
}

for lesson in $(lesson_names); do
	tasks=$(grep -c '^task ' "$lessons/$lesson/lesson")
	script_of "$lesson" >"$scratch/steps"
	for size in 80x24 120x40; do
		# shellcheck disable=SC2046
		screen_case "$lesson at $size: the solution passes" "$size" --ascii --no-state \
			--lesson "$lessons/$lesson" $(lesson_opened "$srcdir/data" "$lesson") <"$scratch/steps"
		expect_text end "The lesson is over: $tasks of $tasks"
		none "$lesson at $size: no answer can be read before the prediction" "$(hidden "$lesson")"
	done
	grep -v -e save-screen -e ':export' "$scratch/steps" | sed 's/^://' >"$scratch/plain"
	# shellcheck disable=SC2046
	"$UNSPOOL" --plain --no-state --lesson "$lessons/$lesson" --script "$scratch/plain" \
		$(lesson_opened "$srcdir/data" "$lesson") >"$scratch/out" 2>&1
	t "$lesson without a screen: the solution passes" grep -q "The lesson is over: $tasks of $tasks tasks passed" "$scratch/out"
done

done_testing
