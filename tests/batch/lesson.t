#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lessons: their files are checked, the course is listed. tests/lesson has two small ones.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

lessons=$srcdir/tests/lesson
lint() { "$UNSPOOL" lesson --lint "$@" >"$scratch/out" 2>"$scratch/err"; }
# make LINE...: a lesson in the scratch directory
make() {
	mkdir -p "$scratch/made"
	{ printf 'title T\nopen bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols\n'
	  printf '%s\n' "$@"; } >"$scratch/made/lesson"
	lint "$scratch/made"
}

# Lint -------------------------------------------------------------------------------------------

lint "$lessons/by-size"
is 'a lesson without a fault' "$?$(cat "$scratch/out" "$scratch/err")" 0
make 'say x' 'tusk y'
is 'a file that cannot be read is told with line and column' "$?$(cat "$scratch/err")" \
	"3unspool: lesson:4:1: unknown directive 'tusk'"
make 'say {{frame 0 rule $xmm0}}' "say {{frame 99 rule .cfa}}"
is 'so is a query without an answer' "$?$(cat "$scratch/out")" \
	'1lesson:3:7: no answer: frame 0 has no rule $xmm0
lesson:4:7: no answer: no frame 99; the walk has 8'
make 'say An [[unwonder]]'
is 'a word that the glossary lacks' "$(cat "$scratch/out")" "lesson:3:10: the glossary has no 'unwonder'"
long=$(i=0; while [ $i -lt 60 ]; do printf 'twelve bytes '; i=$((i + 1)); done)
make "say $long"
is 'a text that fits no pane' "$(cat "$scratch/out")" 'lesson:3:5: 10 lines of 78 columns, 6 fit'
make 'say The CFA is {{frame 0 rule .cfa}}.' 'task a' '  ask Which?' '  check value frame 0 rule .cfa'
is 'an answer that stands on the card before' "$(cat "$scratch/out")" \
	'lesson:3:5: the answer can be read here: 0x7ffde1b672f0'
make 'task a' '  ask Not 140728390284016?' '  check value frame 0 rule .cfa' '  hint it is 7FFDE1B672F0'
is 'or in the question or a hint, in decimal too' "$(cut -d: -f2- "$scratch/out")" \
	'4:7: the answer can be read here: 0x7ffde1b672f0
6:8: the answer can be read here: 0x7ffde1b672f0'
make 'task a' '  ask Which?' '  check value frame 0 rule $rax'
is 'a check that asks for what is not there' "$(cat "$scratch/out")" \
	'lesson:5:15: no answer: frame 0 has no rule $rax'
make 'task a' '  ask Which?' '  check set seal r14 r15'
is 'a truth that can be read in the file' "$(cat "$scratch/out")" \
	"lesson:5:13: the truth can be read in the file; 'unspool lesson --seal' hides it"

# Paths ------------------------------------------------------------------------------------------

ln -s /etc/passwd "$scratch/made/out"
printf 'title T\nopen out\nsay x\n' >"$scratch/made/lesson"
lint "$scratch/made"
is 'a link does not lead out of the directory' "$?$(cat "$scratch/err")" \
	"3unspool: lesson:2:6: the path leads out of the lesson's directory"
printf 'title T\nopen none.dmp\nsay x\n' >"$scratch/made/lesson"
lint "$scratch/made"
is 'a file that is missing is named by its word' "$(cat "$scratch/err")" \
	'unspool: lesson:2:6: the file is not there'

# The course -------------------------------------------------------------------------------------

mkdir -p "$scratch/data/lessons" && ln -s "$srcdir/data/crashes" "$scratch/data/crashes"
cp -r "$lessons"/* "$scratch/data/lessons"
printf '# two\ntrack one The first\nlesson first-frame\ntrack two The second\nlesson by-size\n' >"$scratch/data/lessons/course"
UNSPOOL_DATA=$scratch/data
export UNSPOOL_DATA
is 'the course is listed by tracks' "$("$UNSPOOL" lesson --list)" \
'one: The first
  1  first-frame                  The frame of a sort
two: The second
  2  by-size                      A program of assignments'
lint 2
is 'a lesson has a number' $? 0
lint size
is 'and a name, of which a part will do' $? 0
lint s
is 'a part that several have is none' "$?$(cat "$scratch/err")" \
	"2unspool: no lesson is called 's'; 'unspool lesson --list' lists them"
printf 'lesson x\n' >"$scratch/data/lessons/course"
"$UNSPOOL" lesson --list 2>"$scratch/err"
is 'what is wrong in the course has its line' "$?$(cat "$scratch/err")" \
	'3unspool: course:1: a lesson before the first track'
UNSPOOL_DATA=$scratch/none
"$UNSPOOL" lesson --list 2>"$scratch/err"
is 'without data that is said' "$?$(head -n 1 "$scratch/err")" \
	'3unspool: lessons: the lessons are not installed'
done_testing
