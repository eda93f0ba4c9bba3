#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The view of a function's unwind rules: rows, cells, their targets, sources that disagree.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

inlines='data/crashes/inlines-amd64/crash.dmp data/crashes/inlines-amd64/symbols'
x86='data/crashes/frame-data-x86/crash.dmp data/crashes/frame-data-x86/symbols'
# The arguments of a case are several words.
# shellcheck disable=SC2086
screen_case 'the table has a row for each address and a column for each register' 80x24 --ascii $inlines <<\KEYS
c
:save-screen table
Right
Right
x
:save-screen postfix
Enter
:save-screen raw
C-o
x
:save-screen records
KEYS
expect_text table '^-\[c table\]- .*-frame 1 found from 0  .*__introsort_loop<~>[(]~[)]  11 rows-$'
expect_region table 1,12 80x11 <<\END
    address         [CFA]    ra   rbx   rbp   r12   r13   record
 STACK CFI   11 rows   in use
    00002780 +0      rsp+8   c-8  .     .     .     .     :2397
    00002782 +0x2   *rsp+16  c-8  .     .     .    *c-16  :2398
    00002787 +0x7   *rsp+24  c-8  .     .    *c-24  c-16  :2399
    0000278e +0xe   *rsp+32  c-8  .    *c-32  c-24  c-16  :2400
    0000278f +0xf   *rsp+40  c-8 *c-40  c-32  c-24  c-16  :2401
>=> 00002793 +0x13  *rsp+48  c-8  c-40  c-32  c-24  c-16  :2402
    000029b1 +0x231 *rsp+40  c-8  c-40  c-32  c-24  c-16  :2403
    000029b2 +0x232 *rsp+32  c-8  c-40  c-32  c-24  c-16  :2404
v   000029b3 +0x233 *rsp+24  c-8  c-40  c-32  c-24  c-16  :2405
END
expect_region table 1,23 80x1 <<\END
CFA rsp+48   $rsp 48 +   inline_o2_dw4.sym:2402:22
END
expect_region postfix 1,12 80x1 <<\END
    address        <[rbx]          rbp           r12         > record
END
expect_text postfix '^>=> 00002793 \+0x13 +\.cfa -40 \+ \^  \.cfa -32 \+ \^ '
expect_text raw '^>>2401 STACK CFI 278f '
expect_text raw '^ {28}\^{13}$'
expect_text records '^>=> 00002793 \+0x13 +\*:2402 +:2397 +:2401 +:2400 +:2399 +:2398 '

# shellcheck disable=SC2086
screen_case 'the table has a STACK WIN record and the conventions' 120x40 --ascii $x86 <<\KEYS
]
c
:save-screen table
KEYS
expect_text table 'STACK WIN 4   1 row   in use'
expect_text table '=> 00001020 \+0 +ebp\+8 +c-4 +c-8 +c-20 +:44'
expect_text table 'frame pointer +ebp\+8 +c-4 +c-8 '

# A copy whose record for 11e1 has a wrong CFA: the SFrame section of the program differs.
mkdir -p "$scratch/symbols/parcel"
cp -R "$srcdir"/data/crashes/sframe-amd64/symbols/parcel/* "$scratch/symbols/parcel/"
chmod -R u+w "$scratch/symbols"
for file in "$scratch"/symbols/parcel/*/parcel.sym; do
	sed 's/^STACK CFI 11e1 .cfa: $rbp 16/STACK CFI 11e1 .cfa: $rbp 24/' "$file" >"$file.new"
	mv "$file.new" "$file"
done
screen_case 'the table marks sources that disagree' 80x24 --ascii --binaries "$srcdir/data/crashes/sframe-amd64/binaries" \
	data/crashes/sframe-amd64/crash.dmp "$scratch/symbols" <<\KEYS
]
]
]
]
]
c
:save-screen table
KEYS
expect_text table '^>=> 000011e4 \+0x7 +!rbp\+24 .* :94$'
expect_text table '^  ! SFrame +!rbp\+16 '
expect_text table '^CFA rbp\+24   ! SFrame: rbp\+16 '
screen_case 'a register that SFrame does not track is unknown' 80x24 --ascii --binaries data/crashes/sframe-amd64/binaries \
	data/crashes/sframe-amd64/crash.dmp data/crashes/sframe-amd64/symbols <<\KEYS
:frame 2
c
Right
Right
:row 9
:save-screen table
:methods sframe
5
:save-screen registers
KEYS
expect_text registers '^  rbx +unknown +[.] unknown +SFrame does not restore it'
expect_text table '^rbx unknown: the rules do not track it'

done_testing
