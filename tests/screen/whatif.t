#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Edits: every kind, the edited walk next to the original, and the way back. The stack of the
# crash is in tests/lib/make-broken-cfi.c; the effects of edits were read from there.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash='data/crashes/broken-cfi-amd64/crash.dmp data/crashes/broken-cfi-amd64/symbols'
x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'

# The callers of frame 1, settle: 7fffffffe588 has a return address into print_receipt, 7fffffffe5b8
# the one into close_day.
# shellcheck disable=SC2086
screen_case 'frame edits' 80x24 --ascii $crash <<\KEYS
f
:set-register rsp 7fffffffe560
:save-screen register
u
:save-screen back
U
:save-screen again
u
:force stack-scan
:save-screen force
u
:forbid stack-cfi
:save-screen forbid
u
:candidate 7fffffffe5b8
:save-screen candidate
E
:save-screen list
Delete
:save-screen deleted
:policy scan-words=3
:forbid stack-cfi
:save-screen policy
:original
:save-screen original
:undo
:undo
:undo
:save-screen none
Q
KEYS
# 7fffffffe560 + 96 is 7fffffffe5c0: the word before it is the return address into close_day.
expect_text register '^      2 cfi  55555555529b close_day'
expect_text register 'EDITED: 1 edit'
expect_text register 'what if rsp = 00007fffffffe560 \(was 00007fffffffe530\) in frame 1'
expect_text back '^      2 cfi  5555555551ef print_receipt'
refuse_text back EDITED
expect_text again '^      2 cfi  55555555529b close_day'
expect_text force '^      2 scan 5555555551ef print_receipt'
expect_text force 'what if frame 1 is unwound only by stack scan'
expect_text forbid '^      2 scan 5555555551ef print_receipt'
expect_text candidate '^      2 scan 55555555529b close_day'
expect_text list 'the scan from frame 1 takes the word at 00007fffffffe5b8'
expect_text deleted '^      2 cfi  5555555551ef print_receipt'
expect_text deleted 'taken back: the scan'
# Three words from 7fffffffe530 on contain no return address.
refuse_text policy 'print_receipt'
expect_text policy 'EDITED: 2 edits'
expect_text original '^      2 cfi  5555555551ef print_receipt'
expect_text original ORIGINAL

# A script reports which of its commands failed, each with its line.
cat >"$scratch/script" <<\KEYS
f
:set-rule .cfa $rsp
:set-rule nothing: 1
:set-register rsp many
:set-register rip ?
:candidate 7fffffffe531
:policy nothing 1
:force nothing
u
:write-patch nothing.patch
:drop-rule rax
Q
KEYS
# shellcheck disable=SC2086
(cd "$srcdir" && "$UNSPOOL" --script "$scratch/script" $crash) >"$scratch/out" 2>"$scratch/err"
is 'invalid edits are refused with a reason' \
	"$(sed 's/^unspool: .*script:\([0-9]*\): \([^;]*\).*/\1 \2/' "$scratch/err")" \
"2 a rule is written NAME: EXPRESSION
3 'nothing' is not a register of amd64
4 'many' is not a hexadecimal number
5 a frame must have its rip
6 a scan from frame 1 reads words from 00007fffffffe530 on
7 unknown policy in 'nothing 1'
8 unknown method 'nothing'
10 no edits to write
11 no record in force has a rule for \$rax"

# While a rule is typed, its result is shown under it, or the wrong token.
# shellcheck disable=SC2086
screen_case 'typing' 80x24 --ascii $crash <<\KEYS
f
c
=
:save-screen table
C-u
s
e
t
-
r
u
l
e
Space
r
b
x
:
Space
f
o
o
:save-screen unknown
Backspace
Backspace
Backspace
.
c
f
a
Space
+
:save-screen underflow
Backspace
Backspace
:save-screen good
Enter
:save-screen added
Q
KEYS
expect_text table '^:set-rule .cfa: \$rsp 96 \+'
expect_text unknown "^ {15}\^ 'foo' is neither a number nor a register"
expect_text underflow "^ {20}\^ '\+' needs 2 values, the stack has fewer"
# The CFA of frame 1: 7fffffffe530 + 96.
expect_text good '^ +-?= 00007fffffffe590'
expect_text added 'what if \$rbx: .cfa \(was .cfa -40 \+ \^\) in till.sym:89'

# shellcheck disable=SC2086
screen_case 'methods' 80x40 --ascii $x86 <<\KEYS
f
w
:save-screen methods
G
k
k
Enter
:save-screen alone
:walk frame-pointer
:save-screen walks
u
3
:set-rule params: 12
:save-screen win
Q
KEYS
expect_text methods '^>\* STACK WIN        taken    004010b6 \+0x20    read_ledger'
expect_text methods '^ = frame pointer    possible 004010b6 \+0x20    read_ledger'
expect_text alone 'by frame pointer alone'
expect_text alone 'rule \$eip: \$ebp 4 \+ \^'
expect_text walks 'original +edited'
expect_text walks 'what if frame 1 is unwound only by frame pointer'
expect_text win 'what if params: 12 \(was [0-9]+\) in ledger.sym'
expect_text win 'edited; was prologue'

# Names are edited like rules: = on a frame or on a line of the file, or a command with completion.
# shellcheck disable=SC2086
screen_case 'records of names can be edited' 80x24 --ascii $crash <<\KEYS
f
=
:save-screen function
Backspace
Backspace
Backspace
Backspace
Backspace
Backspace
p
a
y
Enter
:save-screen renamed
:goto sym:3
=
:save-screen file
C-u
d
r
o
p
-
r
e
c
o
r
d
Enter
1
:save-screen dropped
:
s
e
t
-
r
e
c
o
r
d
Space
s
y
m
:
3
8
Space
Tab
:save-screen completed
C-u
Esc
:try set-record sym:37 FUNC 11fe 5f
:save-screen refused
E
:save-screen list
Q
KEYS
expect_text function '^:set-record till.sym:37 FUNC 11fe 5f 0 settle'
expect_text renamed '^> +1 cfi  55555555522a pay +till.c:62'
expect_text renamed 'what if changed in till.sym:37: FUNC 11fe 5f 0 pay'
expect_text file '^:set-record till.sym:3 FILE 0 /home/shop/till/till.c'
refuse_text dropped 'till.c:62'
expect_text dropped 'EDITED: 2 edits'
expect_text completed '^:set-record sym:38 11fe a 57 0'
expect_text refused "the record is written 'FUNC .m. address size parameter_size name'"
expect_text list '1 patch changed in till.sym:37: FUNC 11fe 5f 0 pay'
expect_text list '2 patch taken out of till.sym:3: FILE 0 /home/shop/till/till.c'
screen_case ':policy without arguments shows the settings that differ' 120x40 --ascii --policy scan-linker=yes \
	data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols <<\KEYS
:policy
:save-screen policy
KEYS
expect_text policy "^the policy is unspool's with scan-linker=yes; 'unspool policy' lists its rows"

done_testing
