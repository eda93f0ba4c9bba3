#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every word and sign on the screen without a sentence next to it has an explanation: heads of columns,
# titles, labels, and the signs before rows.
. "$(dirname "$0")/../lib/tap.sh"

unexplained=$builddir/tests/lib/unexplained
XDG_STATE_HOME=$scratch/state
XDG_CONFIG_HOME=$scratch/config
export XDG_STATE_HOME XDG_CONFIG_HOME

# shown CRASH VIEW LINE...: the title, the head, if any, and rows of a view, each after T, H or R.
# One row begins with the cursor's mark, so the line before the rows is the head.
shown() {
	shown_crash=$srcdir/data/crashes/$1
	shown_view=$2
	shift 2
	printf '%s\n' "$@" 'set rows 1' "view $shown_view" 'view messages' 'set rows 0' \
		"view $shown_view" 'view modules' | "$UNSPOOL" --plain \
		--against "$shown_crash/crash.dmp" "$shown_crash/crash.dmp" "$shown_crash/symbols" \
		2>/dev/null | $AWK -v title="[$shown_view]" '
			/^rows [01]$/ { phase++; next }
			/^\[/ {
				inside = phase > 0 && index($0, title) == 1
				at = 0
				if (inside && phase == 1)
					print "T" substr($0, length(title) + 1)
				next
			}
			!inside { next }
			phase == 1 && ++at == 1 && !/^>/ { print "H" $0; head = 1 }
			phase == 2 && ++at > head { print "R" $0 }'
}

# The heads and titles of these views contain names of files, functions and addresses.
named=' source raw dump disassembly table identify versus '

for view in $(sed -n 's/^V([A-Z]*,[[:space:]]*"\([^"]*\)",.*/\1/p' "$srcdir/ui/view/view.def"); do
	for crash in frame-data-x86 inlines-amd64 scan-only-amd64; do
		# An edit, so that the views of edits have rows.
		shown $crash "$view" 'find-memory $sp' 'identify $sp' 'step frame' 'set-register $sp 1' undo redo
		shown $crash "$view" 'find-memory $sp' 'identify $sp' 'step frame'
	done >"$scratch/shown"
	# Registers are named by their processors.
	lacking=$(grep '^[TH]' "$scratch/shown" | cut -c2- | "$unexplained" "$view" |
		grep -vE '^(r[0-9a-z]+|e[a-z]{2}|of|to|lower|the|grows|in|not)$' | sort -u)
	case $named in
	*" $view "*) ;;
	*) none "the title and the head of $view are explained" "$lacking" ;;
	esac
	# Lines of files have signs of their own; box-drawing lines are not signs.
	[ "$view" = source ] || [ "$view" = raw ] ||
		none "the signs before the rows of $view are explained" "$(sed -n 's/^R.//p' "$scratch/shown" |
		grep -oE '(^|  ) ?[^[:alnum:] ]+( |$)' | grep -v '+-*+' | "$unexplained" "$view" | sort -u)"
done

# explained VIEW FILE PATTERN: the labels in a view's source file have explanations.
explained() {
	none "the labels of $1 are explained" "$(grep -oE "$3" "$srcdir/$2" | sed 's/.*"\(.*\)".*/\1/' | "$unexplained" "$1")"
}
explained identify src/report/memory/identify.c 'search, "[a-z ]+"'
explained summary src/report/stack/summary.c 'lines?, "[a-z ]+", ROLE'

done_testing
