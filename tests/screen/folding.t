#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Repetition shown once: recursions and threads with the same calls, in the explorer and in
# `walk --fold`. The crash is that of tests/screen/make-recursion.c.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

maker=$builddir/tests/screen/make-recursion
[ -x "$maker" ] || skip_all 'tests/screen/make-recursion is not built; make check builds it'
dump=$scratch/deep.dmp
symbols=$scratch/deep.sym
t 'a recursion is made' "$maker" "$dump" "$symbols"

same() { t "$1" cmp "$screen_folder/$2" "$screen_folder/$3"; }

screen_case 'a recursion is one row' 80x24 --ascii "$dump" "$symbols" <<\KEYS
:save-screen folded
j
:save-screen selected
Space
:save-screen open
Space
:save-screen again
Enter
:save-screen entered
j
j
Space
:save-screen from-within
KEYS
expect_region folded 1,3 80x8 <<\END
  - thread 0   0x1   crashed
>     0 ctx  00401010 crash                                            deep.c:10
  +   1 fp   to 300   100 x leaf <- middle <- outer                   300 frames
    301 fp   00401110 main                                             deep.c:50
    302 fp   00401150 start                                            deep.c:60
  !   end             return address 0: bottom of the stack
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
  + thread 5   running?            rest                                deep.c:80
END
expect_text selected '^a cycle of 3 frames, 100 times, frames 1 to 300   fp 300   Enter opens it$'
expect_region open 1,5 80x4 <<\END
  -   1 fp   to 300   100 x leaf <- middle <- outer                   300 frames
>     1 fp   00401050 leaf                                             deep.c:20
      2 fp   00401090 middle                                           deep.c:30
      3 fp   004010d0 outer                                            deep.c:40
END
same 'Space folds what it opened' again selected
same 'Enter opens a fold' entered open
same 'Space in an open fold closes it' from-within selected

screen_case 'steps into a recursion open the fold' 80x24 --ascii "$dump" "$symbols" <<\KEYS
f
:save-screen first
f
:save-screen second
:goto frame 300
:save-screen last
f
:save-screen behind
F
k
:save-screen back
k
:save-screen above
KEYS
expect_text first '^> \+   1 fp   to 300   100 x '
expect_text first 'frame 1 -> 2$'
expect_region second 1,4 80x4 <<\END
      0 ctx  00401010 crash                                            deep.c:10
      1 fp   00401050 leaf                                             deep.c:20
>     2 fp   00401090 middle                                           deep.c:30
  +   3 fp   to 300   298 frames of leaf <- middle <- outer
END
expect_region last 1,5 80x3 <<\END
  +   1 fp   to 299   299 frames of leaf <- middle <- outer
>   300 fp   004010d0 outer                                            deep.c:40
    301 fp   00401110 main                                             deep.c:50
END
expect_text behind '^>   301 fp   00401110 main'
expect_text behind '^  \+   1 fp   to 300   100 x '
expect_text back '^> \+   1 fp   to 300   100 x '
expect_text above '^>     0 ctx '

screen_case 'threads with hidden frames are not one' 80x24 --ascii "$dump" "$symbols" <<\KEYS
:set blind step
:walk all
z
G
:save-screen hidden
KEYS
expect_text hidden '^  \+ thread 4 .* hidden'
refuse_text hidden '  [0-9] x '
screen_case 'threads with the same calls are one' 80x24 --ascii "$dump" "$symbols" <<\KEYS
:walk all
:save-screen walked
z
G
:save-screen last
k
Space
:save-screen frames
j
j
j
j
:save-screen more
Space
:save-screen members
:fold all
:save-screen none
t
t
:save-screen next
KEYS
expect_text walked '6 threads  6 walked  3 different-$'
expect_text walked '^6 threads walked, 3 different stacks$'
expect_region last 1,9 80x2 <<\END
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
> + thread 5   running?            rest                                deep.c:80
END
expect_region frames 1,9 80x5 <<\END
> - thread 1   0x2   waiting: sleep?
      0 ctx  00401190 NtDelayExecution                                 deep.c:70
      1 fp   00401150 start                                            deep.c:60
  !   end             return address 0: bottom of the stack
  + 3 more with the same calls: 2-4
END
expect_text more '^> \+ 3 more with the same calls: 2-4$'
expect_region members 1,13 80x5 <<\END
> - 3 more with the same calls: 2-4
  + thread 2   waiting: sleep?     start                               deep.c:60
  + thread 3   waiting: sleep?     start                               deep.c:60
  + thread 4   waiting: sleep?     start                               deep.c:60
  + thread 5   running?            rest                                deep.c:80
END
expect_text none '^  \+ thread 0   crashed             crash '
refuse_text none 'thread 3'
expect_text next '^  - thread 5   0x6   running\?$|^>     0 ctx  004011d0 rest'
refuse_text next '^. . thread [234] '

t 'a crash of 106 threads is made' "$maker" "$scratch/many.dmp" "$symbols" 100
screen_case 'a hundred threads are understood without opening one' 80x24 --ascii \
	"$scratch/many.dmp" "$symbols" <<\KEYS
z
:save-screen number
O
:save-screen state
O
:save-screen back
:set order state
/
type thread 6
Enter
:save-screen explained
KEYS
expect_region number 1,8 80x4 <<\END
  !   end             return address 0: bottom of the stack
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
  + thread 5   running?            rest                                deep.c:80
  + thread 6   waiting: sleep?     100 x leaf                          deep.c:20
END
expect_text number '106 threads  106 walked  4 different-$'
expect_region state 1,8 80x4 <<\END
  !   end             return address 0: bottom of the stack
  + thread 5   running?            rest                                deep.c:80
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
  + thread 6   waiting: sleep?     100 x leaf                          deep.c:20
END
expect_text state '4 different  by state-$'
expect_text state '^threads by state$'
expect_text back '^threads by number$'
refuse_text back 'by state'
expect_text explained 'the same calls as 99 more: 7-105'

screen_case 'everything opens and folds at once' 120x40 --ascii "$dump" "$symbols" <<\KEYS
z
+
:save-screen open
-
:save-screen folded
KEYS
expect_text open '^      9 fp   004010d0 outer'
expect_text folded '^  \+   1 fp   to 300   100 x leaf <- middle <- outer .*300 frames$'

screen_case 'Esc restores the filter before the prompt' 80x24 --ascii "$dump" "$symbols" <<\KEYS
z
:filter deep
&
type main
:save-screen typed
Esc
:save-screen left
KEYS
expect_text typed 'filter: main'
expect_text left 'filter: deep'

corpus=${UNSPOOL_CORPUS:-}/made
if [ -f "$corpus/x86_64/deep100k.dmp" ]; then
	screen_case 'a hundred thousand frames are one row' 80x24 --ascii \
		"$corpus/x86_64/deep100k.dmp" "$corpus/symbols/x86_64" <<\KEYS
:save-screen got
KEYS
	expect_text got '^  \+ +1 cfi  to 99999 +99,999 x down$'
	# Worker n, thread n + 1, waits in the state n % 12, called by n * 3 % 50 recursions.
	screen_case 'each of 65 threads has its state' 80x24 --ascii \
		"$corpus/x86_64/threads64.dmp" "$corpus/symbols/x86_64" <<\KEYS
z
:save-screen got
KEYS
	expect_region got 1,10 80x13 <<\END
  + thread 0   waiting: join       main + 0x168                         no lines
  + thread 1   waiting: condition  6 x block              condition_variable:102
  + thread 2   waiting: sleep      6 x block                     threads64.cc:25
  + thread 3   waiting: read       6 x block                     threads64.cc:26
  + thread 4   waiting: poll       5 x block                     threads64.cc:27
  + thread 5   waiting: poll       5 x block                     threads64.cc:28
  + thread 6   waiting: receive    5 x block                     threads64.cc:29
  + thread 7   waiting: semaphore  5 x recurse                   threads64.cc:38
  + thread 8   waiting: barrier    5 x recurse                   threads64.cc:38
  + thread 9   waiting: signal     6 x recurse                   threads64.cc:38
  + thread 10  running             5 x block                     threads64.cc:33
  + thread 12  waiting: sleep      5 x block              this_thread_sleep.h:80
  + thread 21  waiting: lock       4 x block                     threads64.cc:32
END
else
	skip 5 'the corpus is not there'
fi

# In text -----------------------------------------------------------------------------------------

"$UNSPOOL" walk "$dump" "$symbols" >"$scratch/whole" 2>/dev/null
"$UNSPOOL" walk --fold "$dump" "$symbols" >"$scratch/fold" 2>/dev/null
is 'walk prints every frame' "$(grep -c '!leaf ' "$scratch/whole")" 100
is 'walk prints every thread' "$(grep -c '^Thread ' "$scratch/whole")" 6
is '--fold prints one turn of a recursion' "$(grep -c '!leaf ' "$scratch/fold")" 1
t '--fold prints the number of turns' grep -q '3 frames above appear 100 times, down to frame 300' "$scratch/fold"
is '--fold prints one of the threads with the same calls' "$(grep -c '^Thread ' "$scratch/fold")" 3
t '--fold prints the numbers of these threads' grep -qx 'Threads 1-4: 4 with the same calls' "$scratch/fold"
is 'text has the state of threads, once for those with the same state' \
	"$(grep '^State: ' "$scratch/fold" | tr '\n' ' ')" \
	'State: waiting for a time to pass?, in NtDelayExecution State: running? '
"$UNSPOOL" walk --json --pretty "$dump" "$symbols" >"$scratch/json" 2>/dev/null
is 'JSON has the state of threads and the frame to read' \
	"$(sed -n '/"state": {/,/}/{ /waits_for\|waits_in\|certain\|"frame"/s/^ *//p; }' "$scratch/json" |
		sed -n '4,7p' | tr -d '\n')" \
	'"waits_for": "sleep","waits_in": "NtDelayExecution","certain": false,"frame": 1,'
t 'frame numbers go on after a fold' grep -q '^301  deep.exe!main ' "$scratch/fold"

done_testing
