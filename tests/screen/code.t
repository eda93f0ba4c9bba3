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

screen_case 'the code has lines of inlined calls' 80x24 --ascii data/crashes/inlines-amd64/crash.dmp \
	data/crashes/inlines-amd64/symbols <<\KEYS
2
j
:save-screen source
KEYS
expect_text source '^ => 21  static inline int level3'
expect_text source '^>-> 22  static inline int level2'
expect_text source '^inline_o2.cc:22  inlined here: engine::level3'

screen_case 'identify names an address' 80x24 --ascii $parcel/crash.dmp $parcel/symbols <<\KEYS
:identify $rsp
:save-screen register
:identify weigh + 4
:save-screen function
:try identify nosuch
:save-screen unknown
KEYS
expect_text register '^  saved +the return address from frame 0 to frame 1'
expect_text register '^  holds +0000555555555151  print_label \+ 0xc'
expect_text register '^  stack of +thread 0 \(id 0x1267\)'
expect_text function '^  function +weigh \+ 0x4   parcel.sym:27:1'
expect_text function '^  read as +weigh 0x5555555551b8 \+ 0x4'
expect_text unknown "^> unknown +'nosuch' is not a number, a register or a known function"

screen_case 'find finds text in the memory' 80x24 --ascii $parcel/crash.dmp $parcel/symbols <<\KEYS
:find "RIVA"
:save-screen found
Enter
:save-screen opened
B
:save-screen bytes
x
:save-screen wider
:x/8gx $rsp
:save-screen giant
:try find "nothing of this"
:save-screen none
KEYS
expect_region found 1,12 80x2 <<\END
  address           whose memory                  bytes
> 00007fffffffead0  stack of thread 0             RIVA............TE.__libc_ear~
END
expect_text opened '^> 00007fffffffead0  0000000041564952'
expect_text bytes '^  7fffffffeac8-7fffffffecef 552 bytes stack of thread 0'
expect_text bytes '^> 7fffffffead0  52 49 56 41 00 00 00 00 .* RIVA'
expect_text wider '^> 7fffffffead0  4952 4156 0000'
expect_text giant '^> 7fffffffeac0 +0000555555555151'
expect_text none '^>"nothing of this" not found in the 552 bytes of memory that the dump has'

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
