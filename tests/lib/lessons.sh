# SPDX-License-Identifier: GPL-3.0-or-later
#
# Reads the lessons of data/lessons: inputs, cards and solutions. To be sourced after tap.sh. POSIX sh.

lessons=$srcdir/data/lessons

# lesson_names: the lessons of the course, in order.
lesson_names() {
	sed -n 's/^lesson //p' "$lessons/course"
}

# lesson_opened DATA LESSON: the inputs of the lesson, as words of a command line.
lesson_opened() {
	sed -n 's/^open *//p' "$1/lessons/$2/lesson" | tr ' ' '\n' | sed "s,^bundled:,$1/crashes/,
		s,^\\(crash\\|symbols\\|binaries\\)\\(\\.dmp\\)\\{0\\,1\\}\$,$1/lessons/$2/&,"
}

# lesson_cards LESSON: for each card its task or '-', the kind of its check, thread, frame and answer in `solution`.
lesson_cards() {
	$AWK 'function card() { if (cards++) print task, kind, thread + 0, frame + 0, answers[task] }
		FILENAME ~ /solution$/ { if ($1 == "answer") { task = $2
			sub(/^answer [^ ]* /, ""); answers[task] = $0 }; next }
		/^(at|say|task)( |$)/ && pending { card(); pending = 0 }
		/^at / { if (match($0, /thread [0-9]+/)) { frame = 0
				thread = substr($0, RSTART + 7, RLENGTH - 7) }
			if (match($0, /frame [0-9]+/)) frame = substr($0, RSTART + 6, RLENGTH - 6) }
		/^say/ { task = kind = "-" }
		/^task / { task = $2 }
		/^  check / { kind = $2 }
		/^(say|task)( |$)/ { pending = 1; cards += !cards }
		END { card() }' "$lessons/$1/solution" "$lessons/$1/lesson"
}

# lesson_value DATA LESSON THREAD FRAME EXPRESSION: the value in hexadecimal.
lesson_value() {
	# shellcheck disable=SC2046
	"$UNSPOOL" identify --json -t "$3" -f "$4" $(lesson_opened "$1" "$2") "$5" 2>/dev/null |
		sed -n 's/.*"value":"0x0*\([0-9a-f]*\)".*/\1/p' | head -n 1
}
