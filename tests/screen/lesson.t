#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A lesson in the explorer: its pane, answers, hints, and the effect of blind mode on its cards.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash="$srcdir/data/crashes/inlines-amd64/crash.dmp $srcdir/data/crashes/inlines-amd64/symbols"
XDG_STATE_HOME=$scratch/state
export XDG_STATE_HOME

mkdir "$scratch/blind"
cat >"$scratch/blind/lesson" <<\END
title  Hidden
open   bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols

at     frame 0; view eval; set blind token
say    A [[rule]] is in postfix. {{frame 0 rule .cfa text}} gives {{frame 0 rule .cfa}}, and rsp is
       {{frame 0 register rsp}}.

task   cfa
  ask    Which number is the CFA?
  check  predict frame 0 token 3 value
  wrong  $rsp + 0x48 : 48 in a rule is decimal.
  hint   It is a sum. | $rsp 48 +
  after  view registers

task   word
  ask    Point at the word that has the return address.
  check  place frame 0 rule .ra address

say    The end: {{frame 0 rule .cfa}}.
END

# A hostile card: it uses a file, a directory, the editor, the clipboard, a search path, keys.
mkdir "$scratch/stranger"
cat >"$scratch/stranger/lesson" <<\END
title  Harmless
open   bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols

at     write! taken; export walk taken.txt; frame 1; symbols /; view registers
say    A card.

at     close; close; close; try write! taken; play next one; export-case! taken; edit; copy line; bind j quit!; set copy-command sh -c id; view memory
say    Another card.
END

# lesson_case TITLE SIZE DIRECTORY <script
lesson_case() {
	rm -rf "$XDG_STATE_HOME"
	# shellcheck disable=SC2086
	screen_case "$1" "$2" --ascii --no-state --lesson "$3" $crash
}

lesson_case "forbidden commands of cards are refused" 80x24 "$scratch/stranger" <<\KEYS
:save-screen first
,
:save-screen second
:set copy-command
:save-screen command
KEYS
expect_text first "^lesson:4:8: a file may not run 'symbols /'; type it to run it"
expect_text first '\[5 registers\]'
expect_text second "^lesson:7:8: a file may not run 'set copy-command sh -c id'; type it to run"
expect_text second '\[6 memory\]'
expect_text command '^copy-command *$'
none 'the cards write no file' "$(find "$screen_folder" -name 'taken*')"

lesson_case 'a lesson is shown at 80x24' 80x24 "$scratch/blind" <<\KEYS
:save-screen card
:save-screen --attributes marked
;
:save-screen no-task
,
:save-screen task
:try lesson next
:save-screen early
P
:save-screen asked
type $rsp+0x48
Enter
:save-screen wrong
;
:save-screen hint
:try kettle 48
:save-screen bare
:try answer 1
:save-screen plain-no
:$rsp 48 +
:save-screen right
P
:save-screen predicts
,
6
:goto 7ffde1b672e8
P
:save-screen place
Enter
:save-screen pointed
,
:save-screen end
,
:save-screen over
:lesson back
:save-screen back
KEYS
expect_text card '^- lesson -*, next  1/4-$'
expect_text card '^[> ]A rule is in postfix. .rsp 48 [+] gives \([?]\), and rsp is 0x7ffde1b672c0'
expect_text card '^     1  .rsp     [?] +hidden$'
expect_text task '^- lesson -*P answer  ; hint  2/4-$'
expect_region --attributes marked 1,17 30x1 <<\END
>A {b:rule} is in postfix. $rsp 48 
END
expect_text no-task '^this card has no task; , is the next card'
expect_text task '^[> ]Which number is the CFA[?]'
expect_text early '^the task is not passed: P answers, ; gives a hint, :lesson skip leaves it'
expect_text asked '^:answer'
expect_text asked 'a number, or an expression such as rsp [+] 8'
expect_text wrong '^No. 48 in a rule is decimal[.]'
refuse_text wrong '7ffde1b672f0'
expect_text hint '^[> ]It is a sum[.]'
expect_text bare "^unknown command 'kettle 48'; an answer begins with its command: 'answer kettle"
expect_text plain-no '^[> ]No: 0x1 is another value[.] ; gives a hint'
expect_text right '^- lesson -*passed  , next  2/4-$'
expect_text right '\[5 registers\]'
expect_text predicts '^the task is passed; , is the next card'
expect_text right 'rsp   00007ffde1b672c0 .[*] 00007ffde1b672f0'
expect_text place '^:answer 0x7ffde1b672e8'
expect_text pointed '^[ >]Right'
expect_text end 'The end: 0x7ffde1b672f0'
expect_text over 'The lesson is over: 2 of 2 tasks passed'
expect_text back 'The end:'
is 'progress is kept' "$(grep ' passed ' "$XDG_STATE_HOME/unspool/lessons" | cut -d' ' -f1-5)" \
	'blind cfa passed tries=3 hints=1
blind word passed tries=1 hints=0'
is 'answers are kept' "$(sed -n 's/ answer [0-9a-f]* / /p' "$XDG_STATE_HOME/unspool/lessons")" \
	'blind cfa $rsp+0x48
blind cfa 1
blind cfa $rsp 48 +
blind word 0x7ffde1b672e8'

lesson_case 'a lesson is shown at 120x40' 120x40 "$scratch/blind" <<\KEYS
:save-screen card
:view lesson
z
:save-screen zoomed
z
X
:save-screen hidden
:lesson
:save-screen shown
:lesson list
:save-screen list
K
:save-screen words
KEYS
expect_text card '^.{80}[|]- lesson -*, next  1/4-$'
expect_text card '^.{80}[|].A rule is in postfix. .rsp 48'
expect_text card '\[4 eval\]'
expect_text zoomed '^-\[lesson\]-{90}'
refuse_text hidden '^.{80}[|]'
expect_text shown '^.{80}[|]-\[lesson\]'
expect_text list 'cfi-01-postfix'

# The lesson without a screen: each card is printed when it comes.
cat >"$scratch/plain" <<\END
lesson next
try answer $rsp + 0x48
lesson hint
answer $rsp 48 +
lesson next
lesson skip
END
rm -rf "$XDG_STATE_HOME"
# shellcheck disable=SC2086
"$UNSPOOL" --plain --no-state --lesson "$scratch/blind" --script "$scratch/plain" $crash \
	>"$scratch/out" 2>"$scratch/err"
is 'a lesson without a screen exits with 0' "$?$(cat "$scratch/err")" 0
t 'without a screen a card is printed' grep -q '^[> ]Which number is the CFA' "$scratch/out"
t 'the card says how to answer' grep -q '^P answers: a number' "$scratch/out"
t 'a misconception gets its sentence' grep -q '^No. 48 in a rule is decimal' "$scratch/out"
t 'a hint is printed' grep -qx 'It is a sum.' "$scratch/out"
t 'the next card follows' grep -q '^[> ]Point at the word' "$scratch/out"
t 'a task can be skipped' grep -q '^[> ]The end: 0x7ffde1b672f0' "$scratch/out"

# Handed-in answers are checked again, like answers in plain text.
cat >>"$scratch/plain" <<END
hand-in $scratch/handed
try hand-in $scratch/handed
END
rm -rf "$XDG_STATE_HOME"
# shellcheck disable=SC2086
"$UNSPOOL" --plain --no-state --lesson "$scratch/blind" --script "$scratch/plain" $crash >"$scratch/out"
t 'answers can be handed in' grep -q "^answers written to '.*/handed'; 1 of 2 tasks passed" "$scratch/out"
t 'handing in overwrites no file' grep -q "handed' exists; ':hand-in!' overwrites it" "$scratch/out"
is 'the file has all tries' "$(sed 1d "$scratch/handed")" 'answer cfa $rsp + 0x48
hint cfa
answer cfa $rsp 48 +'
is 'the file can be graded' "$("$UNSPOOL" lesson "$scratch/blind" --answers "$scratch/handed" | tail -n 2)" \
	'handed:4: cfa: right
1 of 2 tasks passed'

# The selection answers a task of the kind set.
cat >"$scratch/blind/lesson" <<\END
title  A frame
open   bundled:inlines-amd64/crash.dmp bundled:inlines-amd64/symbols

at     frame 4; view stack
task   main
  ask    Which frame is main?
  check  set sealed 0123456789abcdef
END
lesson_case 'the selected value is offered as an answer' 80x24 "$scratch/blind" <<\KEYS
P
:save-screen unmoved
Esc
k
P
:save-screen frame
Esc
5
P
:save-screen register
KEYS
expect_text unmoved '^:answer *$'
expect_text frame '^:answer 3$'
expect_text register '^:answer rip$'

echo 'title' >"$scratch/blind/lesson"
lesson_case 'a lesson that cannot be read is reported' 80x24 "$scratch/blind" <<\KEYS
:save-screen got
KEYS
expect_text got '^lesson:1:[0-9]+: '
expect_text got '1 stack'
# An accepted repair is an edit. By hand: the word below rsp+144 follows the call of settle in close_day.
lessons=$srcdir/data/lessons
crash="$srcdir/data/crashes/broken-cfi-amd64/crash.dmp $srcdir/data/crashes/broken-cfi-amd64/symbols"
lesson_case 'a task takes a typed repair' 120x40 "$lessons/broken-01-number" <<\KEYS
:lesson skip
:lesson skip
:lesson skip
P
:save-screen place
Esc
:try answer
:save-screen empty
:lesson skip
:try answer set-rule .cfa: $rsp 8 +
:save-screen wrong
:try answer set-rule .cfa: $rsp 144 +
:save-screen right
E
:save-screen edits
:write-patch patch
1
:save-screen stack
:undo
:save-screen undone
KEYS
refuse_text place 'till.sym:90$'
expect_text empty 'an answer is missing'
expect_text wrong 'No: the stack would be'
expect_text wrong 'post, settle, '
expect_text right 'Right: post, settle, close_day, main,'
expect_text edits '^> 1 patch .cfa: [$]rsp 144 [+]'
expect_text stack '2 cfi +55555555529b close_day'
refuse_text stack '00005555555551ef'
expect_text undone '2 cfi +5555555551ef print_receipt'
t 'the patch of the repair changes the record' grep -qx -- '+STACK CFI 1208 .cfa: .rsp 144 +' "$screen_folder/patch"

# A second sitting begins at the open task, with the hints that were given.
crash="$srcdir/data/lessons/basics-01-frame/crash.dmp $srcdir/data/lessons/basics-01-frame/symbols"
lesson_case 'a first sitting keeps its progress' 80x24 "$lessons/basics-01-frame" <<\KEYS
:save-screen first
:view lesson
Enter
:save-screen entered
,
,
:try answer $rsp 24 +
:save-screen passed
,
;
:save-screen hint
KEYS
expect_text first '^ P answer  ; hint  , next card '
expect_text entered 'next  2/8'
expect_text passed '^[ >]Right: 0x7fffffffed98[.]'
# shellcheck disable=SC2086
screen_case 'a second sitting begins at the first open task' 80x24 --ascii --no-state --lesson "$lessons/basics-01-frame" $crash <<\KEYS
:save-screen resumed
:lesson back
,
:save-screen over
:lesson list
:save-screen list
j
:try open
:save-screen other
KEYS
expect_text resumed 'P answer  ; hint  5/8'
expect_text resumed 'Go on from pour'
expect_text over 'hint  5/8'
expect_text list 'basics-01-frame: A frame is words you can point at  [(]1 of 3[)]'
expect_text other "^'basics-01-frame' has a crash of its own: 'unspool lesson basics-01-frame' opens"

done_testing
