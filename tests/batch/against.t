#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The same thread of two dumps, compared: walk A --against B, and the view of the explorer.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crashes=$srcdir/data/crashes
x86=$crashes/frame-data-x86
inlines=$crashes/inlines-amd64
scans=$crashes/scan-only-amd64

# A dump compared with itself ---------------------------------------------------------------------

"$UNSPOOL" walk "$x86/crash.dmp" "$x86/symbols" --against "$x86/crash.dmp" >"$scratch/same"
t 'a dump does not differ from itself' grep -q '^   the stacks are equal$' "$scratch/same"
none 'each row of equal dumps has the sign =' "$(grep -n '^ [~<>]' "$scratch/same")"
t 'frames are side by side' \
	grep -qE '^ =    0 ctx  balance_of ledger.c:12 +0 ctx  balance_of ledger.c:12' "$scratch/same"
t 'registers are side by side' grep -qE '^ = eip    00401005 +eip    00401005$' "$scratch/same"

# Two crashes -------------------------------------------------------------------------------------

# The same C library started both programs; the calls in main differ.
"$UNSPOOL" walk "$inlines/crash.dmp" "$inlines/symbols" --against "$scans/crash.dmp" \
	>"$scratch/two" 2>/dev/null
t 'the same function is one row, whatever its number and address' grep -qE \
	'^ =    5 cfi  __libc_start_call_main .* 7 scan __libc_start_call_main ' "$scratch/two"
t 'a function of the first dump alone is marked' grep -qE '^ <    4 cfi  main ' "$scratch/two"
t 'a function of the second dump alone is marked' grep -qE '^ > +0 ctx  tailcall \+ 0x1083$' "$scratch/two"
t 'reasons are compared' grep -qE '^ = SIGSEGV / SEGV_MAPERR +SIGSEGV' "$scratch/two"
t 'signatures are compared' grep -qE '^ ~ engine::level3 ' "$scratch/two"
is 'every frame of the first stack has one row' "$("$UNSPOOL" walk --json "$inlines/crash.dmp" \
	"$inlines/symbols" --against "$scans/crash.dmp" 2>/dev/null |
	grep -o '"first":{"frame":[0-9]*' | sort -u | grep -c .)" 8

"$UNSPOOL" walk "$x86/crash.dmp" --against "$scratch/none" >"$scratch/out" 2>"$scratch/err"
is 'a missing dump is an error' $? 3
t 'the error names the missing dump' grep -q 'none' "$scratch/err"

# The view ----------------------------------------------------------------------------------------

screen_case 'v shows the other dump' 120x40 --ascii "$inlines/crash.dmp" "$inlines/symbols" \
	--against "$scans/crash.dmp" <<\KEYS
v
z
:save-screen beside
:search only
g
:save-screen top
G
k
k
k
Enter
:save-screen followed
KEYS
expect_text beside 'together'
expect_text beside '^.*=    5 cfi  __libc_.* libc_start_call_main.h:58 +7 scan __libc_'
expect_text top '^.*~ engine::level3 '
expect_text followed 'frame 5 -> 6'

screen_case 'v without another dump is an error' 80x24 --ascii "$x86/crash.dmp" "$x86/symbols" <<\KEYS
v
:save-screen none
KEYS
expect_text none 'no second dump: start with .unspool A.dmp --against B.dmp'

screen_case '--thread chooses the thread' 80x24 --ascii "$x86/crash.dmp" "$x86/symbols" \
	--against "$x86/crash.dmp" <<\KEYS
:versus 1
z
:save-screen chosen
KEYS
expect_text chosen 'together'
refuse_text chosen 'the stacks are equal'

done_testing
