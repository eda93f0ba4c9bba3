#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The step by SFrame: its descriptor, the rows of its function, the bytes and their meaning. The expected
# values come from the file itself: `od -A d -t x1 -j 8560 -N 192` of the program and the layout of
# version 1 (a header of 28 bytes, descriptors of 17), worked out by hand.
#
#	section at 0x2170: e2 de 01 01 03 00 f8 00, 6 functions, 17 rows, 55 bytes of rows at 0x66
#	descriptor 2 at 0x2170 + 28 + 2 * 17 = 0x21ae: d5efffff 73000000 03000000 03000000 00
#	its rows at 0x2170 + 28 + 0x66 + 3 = 0x21f5: 00 03 08, 07 23 40 01, 72 03 08
#	linked at 0x2170, so it begins at 0x2170 - 0x102b = 0x1145; loaded at 0x555555554000
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

crash=data/crashes/sframe-amd64
folder=$srcdir/$crash/binaries
bytes() { od -A n -v -t x1 -j "$(($1))" -N "$2" "$folder/parcel" | tr -s ' \n' ' ' | sed 's/^ //; s/ $//'; }

is 'the file has the descriptor at its offset' "$(bytes 0x21ae 17)" \
	'd5 ef ff ff 73 00 00 00 03 00 00 00 03 00 00 00 00'
is 'the file has the rows at their offset' "$(bytes 0x21f5 10)" '00 03 08 07 23 40 01 72 03 08'

screen_case 'the step from frame 1 is shown by SFrame alone' 80x24 --binaries "$folder" --methods sframe \
	"$crash/crash.dmp" <<'END'
f
:view evidence
:save-screen step
:search sp+320
Enter
:save-screen row
:jump back
:search next
:save-screen word
Enter
:save-screen bytes
:view modules
:save-screen modules
END
expect_region step 1,13 80x1 <<'END'
▸ 1 SFrame          parcel+0x21ae            taken: rip 00005555555551d9
END
expect_text step '^  record function descriptor 2 covers 0x555555555145 to 0x5555555551b7'
expect_region step 1,15 80x8 <<'END'
          (0x73) bytes; 3 rows   parcel+0x21ae
  record row 1, from 0x55555555514c on   parcel+0x21f8
  rule .cfa: $rsp 320 +   = 7fffffffec10   parcel+0x21fa
  rule .ra: .cfa -8 + ^   = 5555555551d9   parcel+0x2176
  rule $rsp: .cfa   = 7fffffffec10   parcel+0x21fa
    STARTPC           CFA       FP        RA
    0000555555555145  sp+8      u         f         parcel+0x21f5
▾ > 000055555555514c  sp+320    u         f         parcel+0x21f8
END
expect_text row '>0021f0  00 00 00 03 08 00 03 08 07 23 40 01 72 03 08 00'
expect_text row '  parcel   SFrame row 1 of function 2$'
expect_region row 35,19 12x1 <<'END'
^^ ^^ ^^ ^^
END
expect_text word '▸ bytes 40 01       CFA: sp\+320   parcel\+0x21fa'
expect_text bytes '  parcel   SFrame row 1 of function 2, CFA: sp\+320$'
expect_region bytes 41,19 6x1 <<'END'
^^ ^^
END
expect_text modules 'file parcel   SFrame: section .sframe'

screen_case 'a large screen shows the step completely' 120x40 --binaries "$folder" --methods sframe \
	"$crash/crash.dmp" <<'END'
f
:view evidence
:zoom
:save-screen step
:search row addresses
Enter
:save-screen bytes
END
expect_region step 1,10 120x12 <<'END'
    STARTPC           CFA       FP        RA
    0000555555555145  sp+8      u         f         parcel+0x21f5
  > 000055555555514c  sp+320    u         f         parcel+0x21f8
    00005555555551b7  sp+8      u         f         parcel+0x21fc
  bytes d5 ef ff ff start: 0x555555555145, -4139 from the section   parcel+0x21ae
  bytes 73 00 00 00 size: 115 bytes   parcel+0x21b2
  bytes 03 00 00 00 its rows begin 3 bytes into the rows   parcel+0x21b6
  bytes 03 00 00 00 rows: 3   parcel+0x21ba
  bytes 00          info: row addresses of 1 byte, not repeating (PCINC)   parcel+0x21be
  bytes 07          start: 0x55555555514c, 7 bytes into the function   parcel+0x21f8
  bytes 23          info: CFA from sp, 1 data word of 2 bytes   parcel+0x21f9
  bytes 40 01       CFA: sp+320   parcel+0x21fa
END
expect_text bytes '>0021b0 '
expect_text bytes 'SFrame function descriptor 2, info: row addresses of 1 byte'

# Methods are chosen in the explorer, which walks again in place.
screen_case ':methods chooses methods' 80x24 --binaries "$folder" "$crash/crash.dmp" \
	"$crash/symbols" <<'END'
f
:save-screen before
:methods sframe
:save-screen chosen
:try methods nothing
:save-screen wrong
:methods
:save-screen after
END
expect_text before '1 cfi  555555555151 print_label'
expect_text chosen '▸     1 sfr  555555555151 print_label'
expect_text chosen '6 sfr  5555555552ad main'
expect_text chosen '^walked by SFrame alone$'
expect_text wrong "^'nothing' is not a method"
expect_text wrong '1 sfr '
expect_text after '▸     1 cfi  555555555151 print_label'
expect_text after '^walked by all methods$'
done_testing
