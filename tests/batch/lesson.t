#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lessons: their files are checked, the course is listed. tests/lesson has two small ones.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

lessons=$srcdir/tests/lesson
lint() { "$UNSPOOL" lesson --lint "$@" >"$scratch/out" 2>"$scratch/err"; }
# make LINE...: write a lesson to the scratch directory
make() {
	mkdir -p "$scratch/made"
	{ printf 'title T\nopen bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols\n'
	  printf '%s\n' "$@"; } >"$scratch/made/lesson"
	lint "$scratch/made"
}

# Lint -------------------------------------------------------------------------------------------

lint "$lessons/by-size"
is 'lint accepts a lesson without a fault' "$?$(cat "$scratch/out" "$scratch/err")" 0
lint --no-sandbox "$lessons/by-size"
is 'without the sandbox, too' "$?$(cat "$scratch/out" "$scratch/err")" 0
make 'say x' 'tusk y'
is 'a file that cannot be read is reported with line and column' "$?$(cat "$scratch/err")" "3unspool: lesson:4:1: unknown directive 'tusk'"
make 'say {{frame 0 rule $xmm0}}' "say {{frame 99 rule .cfa}}"
is 'a query without an answer is a finding' "$?$(cat "$scratch/out")" \
	'1lesson:3:7: no answer: frame 0 has no rule $xmm0
lesson:4:7: no answer: no frame 99; the outermost one is 7'
make 'say An [[unwonder]]'
is 'a word that is missing in the glossary is a finding' "$(cat "$scratch/out")" "lesson:3:10: the glossary has no 'unwonder'"
long=$(i=0; while [ $i -lt 60 ]; do printf 'twelve bytes '; i=$((i + 1)); done)
make "say $long"
is 'a text that fits no pane is a finding' "$(cat "$scratch/out")" 'lesson:3:5: 10 lines of 78 columns, 6 fit'
make 'at frame 0; set blind rule' 'say The CFA is {{frame 0 rule .cfa}}.' 'task a' '  ask Which?' '  right x' \
	'  check value frame 0 rule .cfa'
is 'an answer on an earlier card is a finding' "$(cat "$scratch/out")" 'lesson:4:5: the answer can be read here: 0x7ffde1b672f0'
make 'at frame 0; set blind rule' 'task a' '  ask Not 140728390284016?' '  check value frame 0 rule .cfa' \
	'  hint it is 7FFDE1B672F0' '  right x'
is 'the solution in the question or a hint is a finding, in decimal too' "$(cut -d: -f2- "$scratch/out")" \
	'5:7: the answer can be read here: 0x7ffde1b672f0
7:8: the answer can be read here: 0x7ffde1b672f0'
# By hand: rsp is 7ffde1b672c0, and the rule is $rsp 48 +. The step from frame 0 has the CFA in its evidence.
make 'at frame 0; view stack' 'task a' '  ask Which?' '  check value frame 0 rule .cfa' '  right x'
is 'an answer in a view that the card does not open is a finding' \
	"$?$(grep -c '^lesson:6:15: the answer can be read in [[]evidence[]]: .*7ffde1b672f0' "$scratch/out")" 11
make 'at frame 0; view stack; set blind walk' 'task a' '  ask How many bytes?' '  check value 0x30' '  right x' \
	'task b' '  ask And $rsp 48 +?' '  check value $rsp + 0x30' '  right x'
is 'a distance is found in a sum of a view, but not a sum of the card itself' "$(cut -c 1-70 "$scratch/out")" \
	'lesson:6:15: the answer can be read in [evidence]:   rule .cfa: $rsp 4'
make 'at frame 0; set blind step' 'task a' '  ask Which?' '  check rule frame 0 rule .cfa' '  right x'
is 'a rule that blind mode shows is a finding' "$(grep -c 'the answer can be read in .*rsp 48 +' "$scratch/out")" 1
make 'at frame 0; set blind rule' 'task a' '  ask Which?' '  check rule frame 0 rule .cfa' '  right x'
is 'a rule that blind mode hides is not a finding' "$?$(cat "$scratch/out")" 0
make 'task a' '  ask Which?' '  check choice method frame 0' '  option stack-cfi : 1' '  option two : 2' '  right x' \
	'  wrong two : No.' '  wrong three : No.'
is 'a wrong choice that no option offers is a finding' "$(cat "$scratch/out")" "lesson:10:9: no option is called 'three'"
make 'task a' '  ask Is it three?' '  check choice method frame 0' '  option stack-cfi : 1' '  option stack-scan : 2' '  right x' \
	'  hint not stack-scan, but stack-cfi' '  hint stack-cfi'
is 'a hint that names only the right option is a finding' "$?$(cat "$scratch/out")" '1lesson:10:8: only the right option is named here: stack-cfi'
make 'task a' '  ask Which?' '  check choice method frame 0' '  option stack-scan : 1' '  option frame-pointer : 2' '  right x'
is 'a choice without a right option is a finding' "$?$(cat "$scratch/out")" '1lesson:5:16: 0 options are right'
make 'task a' '  ask Which?' '  check set sealed 0123456789abcdef'
is 'a task without the reason of its answer is a finding' "$(cat "$scratch/out")" "lesson:3:6: no 'right' says why the answer is right"
# The solutions of tasks whose truth is sealed: the rule of a repair, the members of a set.
printf 'answer r frame 0; set-rule .cfa: $rsp 48 +\nanswer s r14 r15\nanswer t STACK CFI\n' >"$scratch/made/solution"
make 'at frame 0; view stack' 'task r' '  ask Repair.' '  check walk sealed 0123456789abcdef' '  hint $rsp 48 +' '  right x' \
	'task s' '  ask Is it r14 r15?' '  check set sealed 0123456789abcdef' '  right x' \
	'task t' '  ask Which words?' '  check set sealed 0123456789abcdef' '  right x'
is 'the solution of a repair or a set in a view, a hint or a question is a finding' \
	"$(sed -n 's/: the answer can be read in [[]evidence[]].*/ evidence/p; s/: the answer can be read here//p' "$scratch/out")" \
'lesson:7:8: $rsp 48 +
lesson:10:7: r14 r15
lesson:6:14 evidence
lesson:15:13 evidence'
rm "$scratch/made/solution"
# Frame 1 is found by STACK CFI, and without that method by no other.
make 'say See {{command}} `:methods stack-scan` and `rsp`.'
is 'a command that a card quotes has to be run' "$?$(cat "$scratch/out")" "1lesson:3:21: 'shows' does not run ':methods stack-scan'"
make 'task a' '  ask Which?' '  check choice method frame 0' '  option stack-cfi : 1' '  option two : 2' '  right See {{command}} `:methods stack-cfi`.' \
	'shows methods stack-cfi'
is 'its result has to be compared, also in the reason of an answer' "$?$(cat "$scratch/out")" \
	"1lesson:8:25: 'shows' does not compare the result of ':methods stack-cfi'"
make 'say See `:methods frame-pointer`.' 'shows methods frame-pointer; expect-value frame 0 method text STACK CFI'
is 'a command that shows something else is a finding' "$?$(grep -c "^lesson:4:7: a command fails: " "$scratch/out")" 11
make 'say Put the cursor there, {{point}} it. See {{command}} `:x FILE`, or `:y FILE`.'
is 'a key or a command that only the explorer has is a finding' "$?$(cat "$scratch/out")" \
"1lesson:3:13: only the explorer has 'cursor': use a word of place_words.def
lesson:3:71: only the explorer has commands: write {{command}} before it"
make 'say x' "shows export walk $scratch/taken; try export walk $scratch/taken"
is 'lint writes no file for a stranger' "$(grep -c "a lesson may not run '\(try \)*export walk" "$scratch/out")$(ls "$scratch/taken" 2>&1 | grep -c 'No such')" 21
make 'say See {{command}} `:methods stack-cfi`.' 'shows methods stack-cfi; expect-value frame 0 method text STACK CFI'
is 'a command that shows the text of the card is not a finding' "$?$(cat "$scratch/out")" 0
make 'task a' '  ask Which?' '  check value frame 0 rule $rax' '  right x'
is 'a check of something that does not exist is a finding' "$(cat "$scratch/out")" 'lesson:5:15: no answer: frame 0 has no rule $rax'
make 'task a' '  ask Which?' '  check set seal r14 r15' '  right x'
is 'an answer that can be read in the file is a finding' "$(cat "$scratch/out")" \
	"lesson:5:13: the truth can be read in the file; 'unspool lesson --seal' hides it"

lint "$lessons/first-frame"
is 'a lesson whose solution passes, and whose wrong answers get their sentences, is accepted' "$?$(cat "$scratch/out")" 0
cp -r "$lessons/first-frame" "$scratch/copy"
printf 'answer cfa rsp\nanswer no-such 1\n' >"$scratch/copy/solution"
printf 'answer cfa $rsp 40 + 8 +\nanswer cfa 1\n' >"$scratch/copy/wrong"
lint "$scratch/copy"
is 'a solution that does not pass, and wrong answers that pass, are findings' "$(cut -c 1-75 "$scratch/out")" \
"solution:1: the answer to 'cfa' is not accepted: That is the lower end of t
solution:2: the answer to 'no-such' is not accepted: the lesson has no such
lesson:11:8: 'solution' does not pass it
lesson:21:8: 'solution' does not pass it
lesson:28:8: 'solution' does not pass it
lesson:34:8: 'solution' does not pass it
lesson:40:8: 'solution' does not pass it
wrong:1: the answer to 'cfa' is accepted
wrong:2: the answer to 'cfa' matches no 'wrong' sentence: 1 is another valu"

make 'at bt; try st t; frame 0; set blind off' 'say x'
is 'shortened commands, and those of other debuggers, are permitted' "$?$(cat "$scratch/out")" 0
make 'at try write! x; set cop sh; play next one; frobnicate; quit; write x' 'say x'
is 'commands that name a file, leave or start a program are findings' "$?$(cut -c 1-59 "$scratch/out")" \
"1lesson:3:4: a lesson may not run 'try write! x'
lesson:3:4: a lesson may not run 'set cop sh'
lesson:3:4: a lesson may not run 'play next one'
lesson:3:4: a lesson may not run 'frobnicate'
lesson:3:4: a lesson may not run 'quit'
lesson:3:4: a lesson may not run 'write x'"

# Seals ------------------------------------------------------------------------------------------

cp -r "$srcdir/data/lessons/broken-01-number" "$scratch/sealed"
sed -i.bak -E 's/ sealed [0-9a-f]{16}/ seal/; s/(set seal)$/\1 2/' "$scratch/sealed/lesson"
rm -f "$scratch/sealed/solution" "$scratch/sealed/wrong"
cp "$scratch/sealed/lesson" "$scratch/before"
"$UNSPOOL" lesson --seal "$scratch/sealed" >"$scratch/out" 2>"$scratch/err"
is 'a walk without a solution is not sealed' "$?$(grep -c "'solution' has no answer to 'repair'" "$scratch/err")" 31
t 'a walk that is not sealed leaves the file as it was' cmp -s "$scratch/before" "$scratch/sealed/lesson"
echo 'answer repair set-rule .cfa: $rsp 128 +' >"$scratch/sealed/solution"
"$UNSPOOL" lesson --seal "$scratch/sealed" >"$scratch/out"
is 'the frames of a sealed walk are printed' "$?$(sed -n '/repair/,$p' "$scratch/out" | sed -n '1,3p')" "0repair is sealed; its truth:
  till+11f5 sp+0 post
  till+122a sp+8 settle"
none 'the file has no readable truth' "$(grep -E 'check.* seal( |$)' "$scratch/sealed/lesson")"
is 'the rest of the file is unchanged' "$(sed -E 's/sealed [0-9a-f]{16}/X/' "$scratch/sealed/lesson")" \
	"$(sed -E 's/check set seal 2$/check set X/; s/check walk seal/check walk X/' "$scratch/before")"
lint "$scratch/sealed"
is 'the sealed task is passed by its solution' "$(grep -c repair "$scratch/out")" 0
"$UNSPOOL" lesson --seal "$scratch/sealed" >"$scratch/out"
is 'sealing a sealed lesson changes nothing' "$?$(cat "$scratch/out")" '0no answer needs to be sealed'

# Paths ------------------------------------------------------------------------------------------

ln -s /etc/passwd "$scratch/made/out"
printf 'title T\nopen out\nsay x\n' >"$scratch/made/lesson"
lint "$scratch/made"
is 'a link does not lead out of the directory' "$?$(cat "$scratch/err")" \
	"3unspool: $scratch/made: the link '$scratch/made/out' leads out of the lesson's directory"
mkdir "$scratch/made-too" && : >"$scratch/made-too/x.dmp"
ln -sf "$scratch/made-too/x.dmp" "$scratch/made/out"
lint "$scratch/made"
is 'a link does not lead into a directory whose name begins with the same letters' "$(cat "$scratch/err")" \
	"unspool: $scratch/made: the link '$scratch/made/out' leads out of the lesson's directory"

mkdir "$scratch/made/symbols" && ln -s "$scratch/made-too/x.dmp" "$scratch/made/symbols/x.sym"
printf 'title T\nopen bundled:inlines-amd64/crash.dmp symbols\nsay x\n' >"$scratch/made/lesson"
rm "$scratch/made/out"
lint "$scratch/made"
is 'nor does a link in a directory that is opened' "$(cat "$scratch/err")" \
	"unspool: $scratch/made: the link '$scratch/made/symbols/x.sym' leads out of the lesson's directory"
rm -r "$scratch/made/symbols"

# A pipe in place of a file would wait for a writer.
mkdir "$scratch/piped"
mkfifo "$scratch/piped/lesson"
timeout 10 "$UNSPOOL" lesson --lint "$scratch/piped" >"$scratch/out" 2>"$scratch/err"
is 'a lesson that is a pipe is not opened' "$?$(cat "$scratch/err")" "3unspool: $scratch/piped: its 'lesson' is not a regular file"
rm "$scratch/piped/lesson"
printf 'title T\nopen bundled:inlines-amd64/crash.dmp\nsay x\n' >"$scratch/piped/lesson"
mkfifo "$scratch/piped/solution"
timeout 10 "$UNSPOOL" lesson --lint "$scratch/piped" >"$scratch/out" 2>"$scratch/err"
is 'nor is a lesson with a pipe' "$?$(cat "$scratch/err")" \
	"3unspool: $scratch/piped: '$scratch/piped/solution' is a pipe or device: a lesson has files and directories"
mkfifo "$scratch/piped/course"
timeout 10 "$UNSPOOL" lesson --lessons "$scratch/piped" >"$scratch/out" 2>"$scratch/err"
is 'nor is a course that is a pipe' "$?$(cat "$scratch/err")" "3unspool: $scratch/piped/course: not a regular file"
rm "$scratch/piped/lesson"
mkfifo "$scratch/piped/dump"
printf 'title T\nopen dump\nsay x\n' >"$scratch/piped/lesson"
timeout 10 "$UNSPOOL" lesson --lint "$scratch/piped" >"$scratch/out" 2>"$scratch/err"
is 'a dump that is a pipe is not opened' "$?$(cat "$scratch/err")" '3unspool: lesson:2:6: neither a regular file nor a directory'
printf 'title T\nopen none.dmp\nsay x\n' >"$scratch/made/lesson"
lint "$scratch/made"
is 'a missing file is named by its keyword' "$(cat "$scratch/err")" 'unspool: lesson:2:6: the file does not exist'

# Plain text -------------------------------------------------------------------------------------

XDG_STATE_HOME=$scratch/state
export XDG_STATE_HOME
# learn LESSON LINE...: give answers to a lesson; print from the first result on
learn() {
	name=$1
	shift
	printf '%s\n' "$@" | "$UNSPOOL" lesson "$name" >"$scratch/out" 2>"$scratch/err"
}
# Progress for the list of the course below; tests/scenes/commands has a dialogue.
learn "$lessons/first-frame" rsp 'rsp +' hint hint hint 'help CFA' skip '$rsp 40 + ^' back again quit
# By hand: 7ffde1b672e8 is rsp + 40, a word of the dump, and 7ffde1b672c8 the CFA - 40; numbers of rules are decimal.
mkdir "$scratch/forms"
printf 'title T\nopen bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols\nat frame 0\n' >"$scratch/forms/lesson"
printf 'task %s\n  ask Which?\n  check %s\n' word 'place frame 0 set rip address' saved 'place frame 0 set rbx address' rule 'rule frame 0 rule .cfa' \
	record 'place frame 0 rule .cfa place' frames 'set seal 1 3' >>"$scratch/forms/lesson"
printf 'task %s\n  ask Which?\n  check %s\n' value 'value frame 0 rule .cfa' read 'value frame 0 set rip' size 'value 0x90' symbol 'value 0x27f0' >>"$scratch/forms/lesson"
(XDG_STATE_HOME=$scratch/forms-state && learn "$scratch/forms" 2400 55f654b5ded2 '[rsp+24]' 'rsp + 28' 'RSP + 40' '.cfa - 40' 32 'rsp + 48' 0x30 '$rsp 48 +' 2401 :2401 :2402 \
	'frames 1 and 2' 1 'frames 1 and 3' 'rsp + 30' 'rsp + 16' 'rsp + 48' 7ffde1b672e8 '$rsp 40 + ^' 90 'rsp + 144' main 144 55f654b5e7f0 0x27f0)
is 'answers are understood as students write them' "$(grep -E "^(No|Right|a r|rsp|0x90|')" "$scratch/out" | sed "s/[.] 'hint'.*//")" \
"No: 0x2400 is another place.
No: 0x55f654b5ded2 is the content of the right word: type the word's address.
'[rsp+24]' is no sum; postfix reads a word and multiplies: \$rsp 24 + ^, 3 8 *
rsp + 0x28 is right, but a number without 0x is decimal
Right: 0x7ffde1b672e8.
Right: 0x7ffde1b672c8.
No: it gives 0x20, which is another value.
a rule has values first, with blanks between: \$rsp 8 + or \$rsp 8 + ^
'0x30' has no value here; numbers in rules are decimal
Right: it gives 0x7ffde1b672f0.
a record is a line of a file: FILE:LINE, or :LINE
No: :2401 is another place.
Right: :2402.
No.
No.
Right: frames 1 and 3.
rsp + 0x30 is right, but a number without 0x is decimal
No: 0x7ffde1b672d0 = rsp + 16 is another value.
Right: 0x7ffde1b672f0 = rsp + 48.
No: that is the address of the word: read the word there.
Right: 0x55f654b5ded2 = \$rsp 40 + ^.
0x90 is right, but a number without 0x is decimal
No: the answer is only the number of bytes: leave out the register.
No: that is an address; the answer is a small number.
Right: 0x90, 144 in decimal.
No: that is the address in the process: subtract the start of the module.
Right: 0x27f0."
# By hand: at 7ffde1b67308 of frame 1 lies the return address; frame 3 has rbx 7ffde1b67558 at CFA - 56 and, by chance, at its CFA.
printf 'title T\nopen bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols\nat frame 3\ntask rbx\n  ask It lies at {{frame 3 rule $rbx text}}. Which value?\n  check value frame 3 set rbx\n' \
	>"$scratch/forms/lesson"
(XDG_STATE_HOME=$scratch/shown-state && learn "$scratch/forms" '.cfa -56 + ^' 'cfa - 56' '$rsp 288 + ^' '$rsp 232 + ^')
is 'the expression of the question is no answer, nor a word with the same value' "$(grep -A 1 -E '^(that|No|Right)' "$scratch/out" | grep -v '^--')" \
"that is the expression of the card: type its value
No: that is the address of the word: read the word there.
No: the word at 0x7ffde1b67440 has this value by chance; the answer is another
word.
Right: 0x7ffde1b67558 = \$rsp 232 + ^.
1 of 1 tasks passed"
printf 'answer s 1 9 11 13\n' >"$scratch/forms/solution"
printf 'title T\nopen bundled:scan-only-amd64/crash.dmp bundled:scan-only-amd64/symbols --compat breakpad\ntask s\n  ask Which?\n  check set seal 1 9 11 13\n' >"$scratch/forms/lesson"
"$UNSPOOL" lesson --seal "$scratch/forms" >"$scratch/out"
(XDG_STATE_HOME=$scratch/set-state && learn "$scratch/forms" '1 9 11' '1 2 9' 2 '1 9 11 13')
is 'a wrong set is answered with the number of its right members' "$(grep -E '^(No|Right)' "$scratch/out")" \
"No: this is right, but it is not all.
No: 2 of these 3 are right.
No.
Right: 1 9 11 13."
printf 'title T\nopen bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols\nat frame 99\ntask v\n  ask Which?\n  check value 0x90\n' >"$scratch/forms/lesson"
(XDG_STATE_HOME=$scratch/none-state && learn "$scratch/forms" main 144)
is 'the frame of a card may be missing' "$(grep -cE '^(No: that is an address|Right: 0x90)' "$scratch/out")" 2
(XDG_STATE_HOME=$scratch/program-state && learn win-02-program skip skip skip skip skip '$eip $ebp 4 + ^ = $ebp $ebp ^ = $esp $ebp 8 + = $ebx $ebp 12 - ^ =')
t 'a wrong program is answered with the registers that come out wrong' grep -q '^No: [$]esp, [$]ebx come out wrong[.]' "$scratch/out"
mkdir "$scratch/choice"
printf 'title T\nopen bundled:scan-only-amd64/crash.dmp bundled:scan-only-amd64/symbols\ntask check\n  ask Which?\n  check choice check frame 0\n' \
	>"$scratch/choice/lesson"
learn "$scratch/choice" outermost-check sp-progress FP_ALIGNED
is 'the options of a check are the checks of the step' "$(sed -n '/^Answer/,$p' "$scratch/out" | cut -c 1-60)" \
"Answer: fp-aligned, pc-floor, sp-progress, pc-code, stack-bo
answer with one of the words
No.
Right: fp-aligned.
1 of 1 tasks passed"
learn "$lessons/first-frame" 'show registers'
is 'a view of the explorer is shown, with its values hidden' "$(grep -A 2 '^[[]registers' "$scratch/out" | tail -n 1)" \
	'> rip   000055f654b5e7f0    not yet'
(XDG_STATE_HOME=$scratch/top-state && learn cfi-02-deltas show)
t 'a view that the card opens at its first row is shown from there' grep -q '^ *55f654b5e780 +0x0 ' "$scratch/out"
(XDG_STATE_HOME=$scratch/options-state && learn cfi-03-registers skip skip)
is 'the meaning of a choice has a column of its own' "$(grep -A 1 '^  lost ' "$scratch/out")" \
'  lost                   visit lost it, so the walker kept the last value that
                         it had'
(XDG_STATE_HOME=$scratch/filled-state && learn cfi-01-postfix 'show eval' 'rsp+8-8' 'show eval')
is 'a view shows what a right answer found' "$(grep '^>* *1  [$]rsp ' "$scratch/out" | tr -s ' ' | cut -d' ' -f 2-5)" \
'1 $rsp ? hidden
1 $rsp >$rsp (7ffde1b672c0)'
none 'a text names no key of the explorer' "$(sed '/^\[/,/^(/d' "$scratch/out" | grep -E 'press P|`t`|cursor')"
learn "$lessons/by-size" "$(printf 'esp\033[2J')"
is 'no control character of an answer is printed' "$(tr -d '\n[:print:]' <"$scratch/out" | wc -c | tr -d ' ')" 0

# Lessons of one's own, and pages ----------------------------------------------------------------

inlines=$srcdir/data/crashes/inlines-amd64
"$UNSPOOL" lesson --new "$scratch/own" --from "$inlines/crash.dmp" --frame 1 "$inlines/symbols" >"$scratch/out"
is 'the solution of the made lesson passes' "$("$UNSPOOL" lesson "$scratch/own" --answers "$scratch/own/solution" | tail -n 1)" \
	'4 of 4 tasks passed'
# By hand, frame 1: explain -f 1 prints CFA 7ffde1b67310, return address 55f654b5df97 at 7ffde1b67308.
printf 'answer cfa 7ffde1b67310\nanswer where 7ffde1b67308\nanswer return-address 55f654b5df97\n' >"$scratch/by-hand"
is 'the solution has the numbers of the step' "$("$UNSPOOL" lesson "$scratch/own" --answers "$scratch/by-hand" | tail -n 1)" \
	'3 of 4 tasks passed'
"$UNSPOOL" lesson --new "$scratch/own" --from "$inlines/crash.dmp" "$inlines/symbols" >"$scratch/out" 2>&1
is 'an existing directory is not changed' $? 3
"$UNSPOOL" lesson --new "$scratch/outermost" --frame 7 --from "$inlines/crash.dmp" "$inlines/symbols" 2>"$scratch/err"
is 'the outermost frame has no caller to ask for' "$?$(sed 's,.*: ,,' "$scratch/err")$(ls "$scratch/outermost" 2>/dev/null)" '3frame 7 has no caller to ask for'
end=$srcdir/data/lessons/end-01-last-frame
"$UNSPOOL" lesson --new "$scratch/whole" --stack --thread 1 --from "$end/crash.dmp" "$end/symbols" >/dev/null
lint "$scratch/whole"
is 'a lesson of a whole stack has no fault, and tasks for each frame' \
	"$?$(cat "$scratch/out")$(sed -n 's/^task *where-//p' "$scratch/whole/lesson" | tr '\n' ' ')" '00 1 2 '
# crash.txt: the words that lead back into watch, keep_cellar and enter_cellar.
printf 'answer where-0 555555556fa8\nanswer where-1 555555556ff8\nanswer where-2 555555557008\n' >"$scratch/by-hand"
is 'the tasks are about the chosen thread' "$("$UNSPOOL" lesson "$scratch/whole" --answers "$scratch/by-hand" | grep -c ': right$')" 3
pac=$srcdir/data/crashes/pac-arm64
"$UNSPOOL" lesson --new "$scratch/deep" --stack --from "$pac/crash.dmp" "$pac/symbols" >/dev/null
is 'a deep stack has tasks for its first frames (LIMIT_LESSON_MADE_FRAMES)' "$(grep -c '^task *cfa-' "$scratch/deep/lesson")" 12
for crash in "$srcdir"/data/crashes/*/; do
	name=$(basename "$crash")
	binaries=
	[ ! -d "$crash/binaries" ] || binaries=$crash/binaries
	UNSPOOL_BINARIES=$binaries "$UNSPOOL" lesson --new "$scratch/of-$name" ${binaries:+--stack} --from "$crash/crash.dmp" \
		"$crash/symbols" >/dev/null 2>&1
	lint "$scratch/of-$name"
	is "a lesson of $name has no fault" "$?$(cat "$scratch/out" "$scratch/err")" 0
done

"$UNSPOOL" lesson --html "$lessons/first-frame" >"$scratch/page"
is 'a lesson is written as a page' "$?$(grep -c '<h2>.*Task ' "$scratch/page")" 05
none 'the page has no scripts and no other files' "$(grep -oE '<script|<link|src=|href="http' "$scratch/page")"
is 'the page has a drawing of the frame' "$(grep -c '<svg' "$scratch/page")" 1
"$UNSPOOL" lesson --html --student "$lessons/first-frame" >"$scratch/student"
none "a student's page has no drawing, no hint and no answer" "$(grep -E '<svg|Hint 1|Right' "$scratch/student")"
"$UNSPOOL" lesson --html --teacher "$lessons/first-frame" >"$scratch/teacher"
is "a teacher's page has the answer and each misconception" "$(grep -c 'Right[.:]' "$scratch/teacher") $(grep -c 'Wrong:' "$scratch/teacher")" \
	"5 $(grep -c '^  wrong ' "$lessons/first-frame/lesson")"
# The last card of the lesson shows the CFA after all tasks are passed.
none 'no answer is outside of the folded parts' "$(sed -e 's/<details/\n<details/g; s,</details>,\n&,g' "$scratch/page" |
	$AWK '/Task 5/ { exit } /<details/ { depth++ } depth == 0 { print } /<\/details>/ { depth-- }' |
	grep -E '7ffde1b672f0|140728390284016|40 \+ \^|:2401')"

# A file of lessons that is too long is refused, not cut.
mkdir -p "$scratch/long/lessons/first" && ln -s "$srcdir/data/crashes" "$scratch/long/crashes"
head -c 300000 /dev/zero | tr '\0' '#' >"$scratch/long/lessons/course"
UNSPOOL_DATA=$scratch/long "$UNSPOOL" lesson --list >"$scratch/out" 2>"$scratch/err"
t 'a course of more than 64 KiB is refused' grep -q 'the course is longer than 64 KiB' "$scratch/err"
# The course -------------------------------------------------------------------------------------

mkdir -p "$scratch/data/lessons" && ln -s "$srcdir/data/crashes" "$scratch/data/crashes"
cp -r "$lessons"/* "$scratch/data/lessons"
printf '# two\ntrack one The first\nlesson first-frame\ntrack two The second\nlesson by-size\n' >"$scratch/data/lessons/course"
UNSPOOL_DATA=$scratch/data
export UNSPOOL_DATA
lint 2
is 'a lesson is found by its number' $? 0
lint size
is 'a lesson is found by a part of its name' $? 0
lint s
is 'a part of several names finds no lesson' "$?$(cat "$scratch/err")" \
	"2unspool: 's' is part of the names of 2 lessons: first-frame, by-size"

# Progress, and answers that are handed in --------------------------------------------------------

is 'the list has the lessons that were passed' "$("$UNSPOOL" lesson --list | grep first-)" \
	'  1  first-frame              The frame of a sort  (1 of 5)'
sed 's/^answer [a-z-]* //' "$lessons/by-size/solution" >"$scratch/typed"
"$UNSPOOL" lesson by-size --hand-in "$scratch/ann.answers" <"$scratch/typed" >"$scratch/out"
is 'a lesson is passed' "$?$(tail -n 1 "$scratch/out")" '02 of 2 tasks passed'
"$UNSPOOL" lesson by-size --hand-in "$scratch/ann.answers" <"$scratch/typed" >"$scratch/out" 2>"$scratch/err"
is 'handing in overwrites no file' $? 3
is 'the answers are handed in' "$(sed 1d "$scratch/ann.answers")" "$(cat "$lessons/by-size/solution")"
printf 'lesson by-size 0\nanswer sum 1\nlesson first-frame 0\nanswer sum 12fed4\nanswer kept r14 r15\n' >"$scratch/two.answers"
is 'answers belong to the lesson that is named before them' "$("$UNSPOOL" lesson --grade "$scratch/two.answers" | sed 1d)" \
'by-size                      0 of 2 passed
  - sum                      1 try, 0 hints: 1
first-frame                  1 of 5 passed
  + kept                     1 try, 0 hints: r14 r15'
"$UNSPOOL" lesson by-size --answers "$lessons/by-size/wrong" >"$scratch/out"
is 'a file of answers can be tried' "$?$(sed -n 1p "$scratch/out")" \
	'1wrong:1: sum: wrong: The parameters of the callee lie above, too: 8 bytes more.'
echo '# another version' >>"$scratch/data/lessons/by-size/lesson"
is 'the progress of a changed lesson is reported as such' "$("$UNSPOOL" lesson --list | grep size)" \
	'  2  by-size                  A program of assignments  (passed, older version)'
"$UNSPOOL" lesson --reset by-size
is 'an option begins a lesson anew' "$("$UNSPOOL" lesson --list | sed '$d; s/.*  //' | tr '\n' ' ')" \
	"one: The first (1 of 5) two: The second A program of assignments "
is 'beginning anew only adds lines to the file of progress' "$(cut -d ' ' -f 1-3 "$scratch/state/unspool/lessons")" \
'first-frame cfa answer
first-frame cfa hint
first-frame cfa hint
first-frame return-address answer
first-frame return-address passed
choice check answer
choice check answer
choice check passed
by-size sum answer
by-size sum passed
by-size program answer
by-size program passed
by-size sum answer
by-size program answer
by-size * reset'
"$UNSPOOL" lesson --reset by-size
printf 'quit\n' | "$UNSPOOL" lesson by-size >"$scratch/out"
t 'a lesson that is begun anew has no answers' grep -q '^0 of 2 tasks passed' "$scratch/out"
"$UNSPOOL" lesson --reset
is 'all lessons can be begun anew' "$("$UNSPOOL" lesson --progress --json | grep -c '"passed":true')" 0
printf 'answer a\nansver b c\n' >"$scratch/bad.answers"
"$UNSPOOL" lesson --grade "$scratch/bad.answers" 2>"$scratch/err"
is 'a file of answers with a fault is refused' "$?$(sed 's,.*/bad,bad,' "$scratch/err")" \
	"3unspool: bad.answers:2: expected 'student', 'lesson', 'answer' or 'hint'"
printf 'lesson x\n' >"$scratch/data/lessons/course"
"$UNSPOOL" lesson --list 2>"$scratch/err"
is 'a fault of the course has its line' "$?$(cat "$scratch/err")" '3unspool: course:1: a lesson before the first track'
printf 'track a A\nlesson none\nlesson by-size\n' >"$scratch/data/lessons/course"
is 'the progress has the lessons that can be read, and names the others' \
	"$("$UNSPOOL" lesson --progress 2>&1 | sed 's,.*/,,'; "$UNSPOOL" lesson --progress >/dev/null 2>&1 || echo $?)" \
'none: No such file or directory
by-size                      0 of 2 passed
3'
is 'the list has a row for a lesson that cannot be read' "$("$UNSPOOL" lesson --list 2>/dev/null || echo $?)" 'a: A
  1  none                     (cannot be read)
  2  by-size                  A program of assignments
Begin with '"'unspool lesson 1'"'. A lesson continues at its first open task.
3'
UNSPOOL_DATA=$scratch/none
"$UNSPOOL" lesson --list 2>"$scratch/err"
is 'missing data are reported' "$?$(head -n 1 "$scratch/err")" '3unspool: lessons: the lessons are not installed'
done_testing
