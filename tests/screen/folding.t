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

screen_played 'a recursion is one row' 80x24 --ascii "$dump" "$symbols" <<\KEYS
|^>     0 ctx
j|^a cycle of 3 frames, 100 times, frames 1 to 300   fp 300   Enter opens it$
Space|
Space|
Enter|
j ; j ; Space|
KEYS
expect_region 1 1,3 80x8 <<\END
  - thread 0   0x1   crashed
>     0 ctx  00401010 crash                                            deep.c:10
  +   1 fp   to 300   100 x leaf <- middle <- outer                   300 frames
    301 fp   00401110 main                                             deep.c:50
    302 fp   00401150 start                                            deep.c:60
  !   end             return address 0: bottom of the stack
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
  + thread 5   running?            rest                                deep.c:80
END
expect_region 3 1,5 80x4 <<\END
  -   1 fp   to 300   100 x leaf <- middle <- outer                   300 frames
>     1 fp   00401050 leaf                                             deep.c:20
      2 fp   00401090 middle                                           deep.c:30
      3 fp   004010d0 outer                                            deep.c:40
END
same 'Space folds what it opened' 4 2
same 'Enter opens a fold' 5 3
same 'Space in an open fold closes it' 6 2

screen_played 'steps into a recursion open the fold' 80x24 --ascii "$dump" "$symbols" <<\KEYS
f|^> \+   1 fp   to 300   100 x 
|frame 1 -> 2$
f|
:goto frame 300|
f|^>   301 fp   00401110 main
|^  \+   1 fp   to 300   100 x 
F ; k|^> \+   1 fp   to 300   100 x 
k|^>     0 ctx 
KEYS
expect_region 2 1,4 80x4 <<\END
      0 ctx  00401010 crash                                            deep.c:10
      1 fp   00401050 leaf                                             deep.c:20
>     2 fp   00401090 middle                                           deep.c:30
  +   3 fp   to 300   298 frames of leaf <- middle <- outer
END
expect_region 3 1,5 80x3 <<\END
  +   1 fp   to 299   299 frames of leaf <- middle <- outer
>   300 fp   004010d0 outer                                            deep.c:40
    301 fp   00401110 main                                             deep.c:50
END

screen_played 'threads with hidden frames are not one' 80x24 --ascii "$dump" "$symbols" <<\KEYS
:set blind step ; :walk all ; z ; G|^  \+ thread 4 .* hidden
|!  [0-9] x 
KEYS
screen_played 'threads with the same calls are one' 80x24 --ascii "$dump" "$symbols" <<\KEYS
:walk all|6 threads  6 walked  3 different-$
|^6 threads walked, 3 different stacks$
z ; G|
k ; Space|
j ; j ; j ; j|^> \+ 3 more with the same calls: 2-4$
Space|
:fold all|^  \+ thread 0   crashed             crash 
|!thread 3
t ; t|^  - thread 5   0x6   running\?$|^>     0 ctx  004011d0 rest
|!^. . thread [234] 
KEYS
expect_region 2 1,9 80x2 <<\END
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
> + thread 5   running?            rest                                deep.c:80
END

t 'a crash of 106 threads is made' "$maker" "$scratch/many.dmp" "$symbols" 100
screen_played 'a hundred threads are understood without opening one' 80x24 --ascii "$scratch/many.dmp" "$symbols" <<\KEYS
z|106 threads  106 walked  4 different-$
O|4 different  by state-$
|^threads by state$
O|^threads by number$
|!by state
:set order state ; / ; type thread 6 ; Enter|the same calls as 99 more: 7-105
KEYS
expect_region 1 1,8 80x4 <<\END
  !   end             return address 0: bottom of the stack
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
  + thread 5   running?            rest                                deep.c:80
  + thread 6   waiting: sleep?     100 x leaf                          deep.c:20
END
expect_region 2 1,8 80x4 <<\END
  !   end             return address 0: bottom of the stack
  + thread 5   running?            rest                                deep.c:80
  + thread 1   waiting: sleep?     4 x start                           deep.c:60
  + thread 6   waiting: sleep?     100 x leaf                          deep.c:20
END

screen_played 'Esc restores the filter before the prompt' 80x24 --ascii "$dump" "$symbols" <<\KEYS
z ; :filter deep ; & ; type main|filter: main
Esc|filter: deep
KEYS

corpus=${UNSPOOL_CORPUS:-}/made
if [ -f "$corpus/x86_64/deep100k.dmp" ]; then
	screen_played 'a hundred thousand frames are one row' 80x24 --ascii \
		"$corpus/x86_64/deep100k.dmp" "$corpus/symbols/x86_64" <<\KEYS
|^  \+ +1 cfi  to 99999 +99,999 x down$
KEYS
	# Worker n, thread n + 1, waits in the state n % 12, called by n * 3 % 50 recursions.
	screen_case 'each of 65 threads has its state' 80x24 --ascii "$corpus/x86_64/threads64.dmp" "$corpus/symbols/x86_64" <<\KEYS
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
is 'text has the state of threads, once for those with the same state' "$(grep '^State: ' "$scratch/fold" | tr '\n' ' ')" \
	'State: waiting for a time to pass?, in NtDelayExecution State: running? '
"$UNSPOOL" walk --json --pretty "$dump" "$symbols" >"$scratch/json" 2>/dev/null
is 'JSON has the state of threads and the frame to read' \
	"$(sed -n '/"state": {/,/}/{ /waits_for\|waits_in\|certain\|"frame"/s/^ *//p; }' "$scratch/json" |
		sed -n '4,7p' | tr -d '\n')" '"waits_for": "sleep","waits_in": "NtDelayExecution","certain": false,"frame": 1,'
t 'frame numbers go on after a fold' grep -q '^301  deep.exe!main ' "$scratch/fold"

done_testing
