#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Exploring: code, the meaning of an address, all memory, and searches in it.
. "$(dirname "$0")/../lib/screen.sh"

parcel=data/crashes/sframe-amd64

if lacks capstone; then
	skip 7 'capstone was left out: no code is shown'
else
	screen_case 'the view shows the code of a frame' 80x24 --ascii $parcel/crash.dmp $parcel/symbols \
		--binaries "$srcdir/$parcel/binaries" <<\KEYS
d
:save-screen crashed
f
:save-screen caller
:disassemble weigh
:save-screen function
KEYS
	# The bytes are 48 8b 17, 80 3a 00, 74 0f, as objdump prints them.
	expect_region crashed 1,12 80x8 <<\END
  label_length   555555555129-555555555144   from parcel
        parcel.c:17          const char *at = parcel->label;
        unwind CFA rsp+8  ra c-8  STACK CFI
        555555555129 +0x0   mov    rdx, qword ptr [rdi]
        parcel.c:19          while (*at != '\0')
>=>     55555555512c +0x3   cmp    byte ptr [rdx], 0
            reads rdx 0x0
            reads 1 byte at rdx = 0x0: not in the dump
END
	expect_text crashed '^    /-- 55555555512f \+0x6   je     0x555555555140 <\+0x17>'
	expect_text caller '^>=> .*call   0x555555555129 <label_length>'
	expect_text caller '^ +this call made frame 0; it returns to 0000555555555151'
	expect_text function '^- .*\[d disassembly\].*at 0x5555555551b8-'
	expect_text function '^>  .*5555555551b8 \+0x0 +push   rbx'
fi

# The addresses are those of the answers of gdb 13.1 in tests/batch/locals.
if ! lacks libz; then
	screen_case 'a variable leads to its memory, a pointer to what it points at' 100x24 --ascii --no-system-binaries \
		tests/batch/locals/i386.basic.O2.core.gz --binaries tests/batch/locals/i386 <<-\KEYS
		f
		f
		:memory first
		:save-screen variable
		:memory first.next
		:save-screen pointer
		:
		type identify first.
		Tab
		:save-screen members
	KEYS
	expect_text variable '^> ff9636dc  ff9636a8 +2 +first.next: '
	# By basic.source; the member of a union without a name is one of the structure.
	expect_text members '^ anonymous +at +colour +flags +live +name +next +tail +visit'
	expect_text pointer '^> ff9636a8  00000000 +2 +second.next: 0'
fi
done_testing
