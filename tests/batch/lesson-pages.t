#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The course in a browser (`lesson --html DIR`): its pages need no other files and have no answers that can be
# read; a learner finishes every lesson with the keyboard on a screen of 360 pixels.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

. "$srcdir/tests/lib/lessons.sh"
export UNSPOOL_DATA="$srcdir/data" XDG_STATE_HOME="$scratch/state"

site=$scratch/site
is 'a course is written as pages' "$("$UNSPOOL" lesson --html "$site")" "$site/index.html: $(lesson_names | wc -l | tr -d ' ') lessons"
is 'each lesson has a page' "$(grep -o 'href="[^"]*' "$site/index.html" | sed 's/.*"//; s/.html//')" "$(lesson_names)"
none 'every link leads to a page' "$(cd "$site" && grep -oh 'href="[^"]*' ./*.html | sed 's/.*"//' | sort -u | while read -r page; do
	[ -e "$page" ] || echo "$page"
done)"
none 'words between backticks are code in the cards of a page' "$(grep -h '^<p>[^<]*`' "$site"/*.html | grep -v 'class=')"
none 'no page needs another file' "$(grep -lE '<link|src="|url\(|@import|href="[a-z]*:' "$site"/*.html)"
none 'a task is checked by its page or names the command of the engine' "$(for lesson in $(lesson_names); do
	[ "$(grep -cE '<form class="answer"|Only the engine can check this answer: unspool lesson '"$lesson\W" "$site/$lesson.html")" = \
		"$(grep -c '^task ' "$lessons/$lesson/lesson")" ] || echo "$lesson"
done)"
is 'only programs, repairs and walks need the engine' "$(cat "$site"/*.html | grep -c 'Only the engine')" \
	"$(cat "$lessons"/*/lesson | grep -cE '^  check (program|walk)')"
none 'a long view ends after 400 rows (LIMIT_LESSON_PAGE_ROWS)' "$(cat "$site"/*.html | $AWK '/<pre>/ { rows = 0 }
	{ rows++ } /<\/pre>/ && rows > 402 { print rows }')"
t 'and says that there are more' grep -q 'the explorer has more rows' "$site/arm64-01-link-register.html"
"$UNSPOOL" lesson --html "$site" >"$scratch/out" 2>"$scratch/err"
is 'an existing directory is left as it is' "$?$(sed "s,.*: ,," "$scratch/err")" '3File exists'
"$UNSPOOL" lesson --html cfi >"$scratch/out"
is 'a lesson or track that is named is one page on standard output' "$?$(grep -c '^<html' "$scratch/out")" 01
"$UNSPOOL" lesson --html 'basics-0' >"$scratch/out" 2>"$scratch/err"
is 'a part of several names is neither a lesson nor a directory' "$?$(ls basics-0 2>/dev/null)" 2
"$UNSPOOL" lesson --html "$scratch/for-students" --student >"$scratch/out"
none "students' pages have neither hints nor steps" "$(cd "$scratch/for-students" && grep -lE 'Hint 1|-[0-9]+-[0-9]+\.html' ./*.html; ls ./*-[0-9]*-[0-9].html 2>/dev/null)"

command -v python3 >/dev/null 2>&1 || { skip 3 'no python3'; done_testing; exit; }
none 'browsers accept the scripts: their digests are in the pages' "$(python3 - "$site"/basics-01-frame*.html <<\END
import base64, hashlib, re, sys
for path in sys.argv[1:]:
	page = open(path, encoding="utf-8").read()
	for script in re.findall("<script>(.*?)</script>", page, re.S):
		digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
		if f"'sha256-{digest}'" not in page:
			print(path, digest)
END
)"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -z "$browser" ] || timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$scratch/profile" \
	--dump-dom about:blank 2>/dev/null | grep -q '<html' || browser=
[ -n "$browser" ] || { skip 2 'no Chromium'; done_testing; exit; }

# The answers, with the sentences of misconceptions and the values of right answers: both from the engine.
for lesson in $(lesson_names); do
	sed -n 's/^answer [^ ]* //p' "$lessons/$lesson/solution" | "$UNSPOOL" lesson --text "$lesson" |
		sed -n 's/^\(> \)*Right\(: \)\{0,1\}\(0x[0-9a-f]*\)\{0,1\}.*/\3/p' >"$scratch/values"
	grep '^answer ' "$lessons/$lesson/solution" | paste -d '\t' - "$scratch/values" |
		sed "s/^answer \([^ ]*\) \(.*\)\t/$lesson\t\1\t-\t\2\t/"
	"$UNSPOOL" lesson --answers "$lessons/$lesson/wrong" "$lesson" | sed -n 's/^wrong:\([0-9]*\): [^:]*: wrong: /\1 /p' |
		while read -r line sentence; do
			printf '%s\t%s\n' "$(sed -n "${line}s/^answer \([^ ]*\) /$lesson	\1	/p" "$lessons/$lesson/wrong")" "$sentence"
		done | $AWK -F '\t' -v OFS='\t' '{ print $1, $2, $4, $3, "" }'
done >"$scratch/answers"
timeout 600 python3 "$srcdir/tests/lib/drive-course.py" "$browser" "$scratch/profile" "$site" "$scratch/answers" >"$scratch/out" 2>&1
is 'every lesson is finished in a browser' "$(grep -cE '^[a-z0-9-]+ ([0-9]+) of \1 tasks passed(; [1-9] more in unspool)?$' "$scratch/out")" "$(lesson_names | wc -l | tr -d ' ')"
none 'each answer gets the reply of the engine' "$(grep -v 'tasks passed\(; [1-9] more in unspool\)*$' "$scratch/out")"
is 'the tasks that a page cannot check are counted as such' "$(grep -c 'more in unspool$' "$scratch/out")" \
	"$(grep -lE '^  check (program|walk)' "$lessons"/*/lesson | wc -l | tr -d ' ')"
done_testing
