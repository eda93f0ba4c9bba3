/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "binary/binary.h"
#include "lint/lint.h"
#include "symbols/strict.h"
#include "tests/lib/accepted.h"
#include "tests/lib/folder.h"

/* Every defect that lint finds, inserted into a good file: lint reports it at its place, and
 * nothing else except the findings that code.def allows as consequences. */

#define MODULE "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\n"
#define MODULE_X86 "MODULE windows x86 000102030405060708090A0B0C0D0E0F1 program.pdb\n"
#define FILES "FILE 0 a.c\nFILE 1 b.c\n"
#define ORIGINS "INLINE_ORIGIN 0 inner\nINLINE_ORIGIN 1 outer\n"
#define FUNC "FUNC 1000 20 0 main\n1000 10 1 0\n1010 10 2 0\n"
#define CFI "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\nSTACK CFI 1004 .cfa: $rsp 16 + $rbx: .cfa -16 + ^\n"
#define HEAD MODULE FILES ORIGINS
#define REST FILES ORIGINS FUNC CFI
#define MAIN HEAD "FUNC 1000 20 0 main\n"
#define GOOD MODULE REST
#define BEFORE HEAD FUNC
/* A call with a range in each half of a function that was split at 1010. */
#define SPLIT "INLINE 0 1 0 0 1004 4 1010 4\n"
#define INIT(address, size) "STACK CFI INIT " address " " size " .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
/* Functions at irregular distances, and records that are off by one byte. */
#define ROW_OF_FUNCS MODULE "FUNC 1000 20 0 a\nFUNC 1100 40 0 b\nFUNC 1140 10 0 c\nFUNC 1200 30 0 d\n"
#define SHIFTED(a, b, c, d) INIT(a, "20") INIT(b, "40") INIT(c, "10") INIT(d, "30")
#define WIN_FUNC MODULE_X86 FILES "FUNC 1000 20 0 main\n1000 20 1 0\n"
#define RETURN "$eip $esp ^ = $esp $esp 4 + =\n"
#define WIN "STACK WIN 4 1000 20 0 0 0 0 0 0 1 " RETURN

static const struct {
	enum lint_code code;
	unsigned line, column;
	const char *text;
} planted[] = {
	{ LINT_EMPTY_FILE, 1, 1, "" }, { LINT_NOT_UTF8, 2, 9, MODULE "FILE 0 a\x80" "c\nFILE 1 b.c\n" ORIGINS FUNC CFI },
	{ LINT_BLANK_LINE, 2, 1, MODULE "\n" REST }, { LINT_NO_FINAL_NEWLINE, 11, 16, GOOD "PUBLIC 1020 0 p" },
	{ LINT_NO_NAMES, 1, 1, MODULE }, { LINT_NO_NAMES, 1, 1, MODULE FILES "INFO CODE_ID 0123\n" },
	{ LINT_OTHER_FILE, 1, 1, "\x7f" "ELF\2\1\1" }, { LINT_OTHER_FILE, 1, 1, "<html>\n<body>404</body>\n</html>\n" },
	{ LINT_MODULE_MISSING, 1, 1, REST }, { LINT_MODULE_LATE, 2, 1, "FILE 0 a.c\n" MODULE "FILE 1 b.c\n" ORIGINS FUNC CFI },
	{ LINT_MODULE_SECOND, 11, 1, GOOD MODULE },
	{ LINT_MODULE_SYSTEM, 1, 8, "MODULE vax x86_64 000102030405060708090A0B0C0D0E0F0 p\n" REST },
	{ LINT_MODULE_ARCHITECTURE, 1, 14, "MODULE Linux vax 000102030405060708090A0B0C0D0E0F0 p\n" REST },
	{ LINT_MODULE_ID, 1, 21, "MODULE Linux x86_64 000102030405060708090a0b0c0d0e0f0 p\n" REST },
	{ LINT_MODULE_ID, 1, 21, "MODULE Linux x86_64 000000000000000000000000000000000 p\n" REST },
	{ LINT_CODE_ID, 2, 14, MODULE "INFO CODE_ID 03020100050407060808090A0B0C0D0E0F program\n" REST },
	{ LINT_CODE_ID_INVALID, 2, 13, MODULE "INFO CODE_ID\n" REST },
	{ LINT_MODULE_OTHER_ARCHITECTURE, 1, 1, "MODULE Linux arm64 000102030405060708090A0B0C0D0E0F0 program\n"
	  FILES FUNC CFI "STACK CFI 1008 .cfa: $rsp 24 +\nSTACK CFI 100c .cfa: $rsp 32 +\n"
	  "STACK CFI 1010 .cfa: $rsp 40 +\n" },
	{ LINT_MODULE_NAME, 1, 55, "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a/p\n" REST },
	{ LINT_UNKNOWN_RECORD, 11, 1, GOOD "FUNCTION 2000 20 0 f\n" }, { LINT_UNKNOWN_RECORD, 11, 1, GOOD "FUNC\t2000 20 0 f\n" },
	{ LINT_UNKNOWN_RECORD, 11, 2, GOOD " PUBLIC 1020 0 f\n" }, { LINT_UNKNOWN_RECORD, 11, 1, GOOD "public 1020 0 f\n" },
	{ LINT_UNKNOWN_RECORD, 11, 1, GOOD "PUBLIC\n" }, { LINT_MALFORMED_RECORD, 9, 14, BEFORE "INLINE 0 1 0 x 1000 4\n" CFI },
	{ LINT_MALFORMED_RECORD, 11, 11, GOOD "FUNC 2000 2g 0 f\n" }, { LINT_MALFORMED_RECORD, 11, 15, GOOD "FUNC 2000 20 0\n" },
	{ LINT_MALFORMED_RECORD, 11, 6, GOOD "FUNC 2000\t20 0 f\n" }, { LINT_NUMBER_BASE, 11, 8, GOOD "PUBLIC 0x1020 0 f\n" },
	{ LINT_NUMBER_BASE, 9, 8, BEFORE "1020 0 1a 0\n" CFI }, { LINT_NUMBER_BASE, 11, 8, GOOD "PUBLIC 20A0 0 f\n" },
	{ LINT_NUMBER_RANGE, 9, 18, BEFORE "STACK CFI INIT 1 123456789 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" },
	{ LINT_NUMBER_RANGE, 8, 9, MAIN "1000 10 1 0\n1010 10 4294967296 0\n" CFI },
	{ LINT_EXTRA_FIELD, 8, 12, MAIN "1000 10 1 0\n1010 10 2 0 7\n" CFI },
	{ LINT_EXTRA_FIELD, 8, 12, MAIN "1000 10 1 0\n1010 10 2 0 \n" CFI },
	{ LINT_EXTRA_FIELD, 9, 22, BEFORE "INLINE 0 1 0 0 1000 4 \n" CFI },
	{ LINT_FIELD_SPACES, 11, 7, GOOD "STACK  CFI 1008 .cfa: $rsp 24 +\n" },
	{ LINT_FIELD_SPACES, 9, 11, BEFORE "STACK CFI   INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n" },
	{ LINT_FIELD_SPACES, 2, 6, MODULE "FILE  0 a.c\nFILE 1 b.c\n" ORIGINS FUNC CFI },
	{ LINT_INTERLEAVED, 9, 1, MAIN "1000 10 1 0\nFILE 2 c.c\n1010 10 2 0\n" CFI },
	{ LINT_INTERLEAVED, 9, 1, MAIN "1000 20 1 0\nINFO x y\nINLINE 0 1 0 0 1000 4\n" CFI },
	{ LINT_INTERLEAVED, 11, 1, BEFORE INIT("1000", "20") "INLINE_ORIGIN 2 other\nSTACK CFI 1004 .cfa: $rsp 16 +\n" },
	{ LINT_NUMBER_RANGE, 11, 11, GOOD "FUNC 2000 000000010 0 f\n" INIT("2000", "10") },
	{ LINT_NUMBER_BASE, 7, 11, WIN_FUNC WIN "STACK WIN 00 1000 20 0 0 0 0 0 0 0 0\n" },
	{ LINT_FILE_DUPLICATE, 4, 6, MODULE FILES "FILE 1 c.c\n" ORIGINS FUNC CFI },
	{ LINT_FILE_UNDEFINED, 7, 11, MAIN "1000 20 1 7\n" CFI }, { LINT_FILE_LATE, 7, 11, MAIN "1000 20 1 7\nFILE 7 c.c\n" CFI },
	{ LINT_ORIGIN_DUPLICATE, 6, 15, HEAD "INLINE_ORIGIN 1 again\n" FUNC CFI },
	{ LINT_ORIGIN_UNDEFINED, 9, 14, BEFORE "INLINE 0 1 0 7 1000 4\n" CFI },
	{ LINT_ORIGIN_LATE, 9, 14, BEFORE "INLINE 0 1 0 7 1000 4\nINLINE_ORIGIN 7 late\n" CFI },
	{ LINT_ORIGIN_OLD_FORM, 6, 17, HEAD "INLINE_ORIGIN 2 1 old\n" FUNC CFI },
	{ LINT_FUNC_SIZE_ZERO, 11, 1, GOOD "FUNC 2000 0 0 f\n" }, { LINT_FUNC_WRAPS, 11, 1, GOOD "FUNC fffffffffffffff0 20 0 f\n" },
	{ LINT_FUNC_DUPLICATE, 11, 1, GOOD "FUNC 1000 20 0 again\n" }, { LINT_FUNC_OVERLAP, 11, 1, GOOD "FUNC 1008 10 0 within\n" },
	/* In a chain of three functions the second one is dropped, so the third one is kept. */
	{ LINT_FUNC_OVERLAP, 11, 1, GOOD "FUNC 1018 10 0 lost\nFUNC 1020 10 0 kept\n" INIT("1020", "10") },
	{ LINT_FUNC_UNSORTED, 9, 1, BEFORE "FUNC 800 10 0 early\n" CFI INIT("800", "10") },
	{ LINT_LINE_WITHOUT_FUNC, 6, 1, HEAD "1000 10 1 0\n" FUNC CFI }, { LINT_LINE_BEFORE, 9, 1, BEFORE "fff 1 3 0\n" CFI },
	{ LINT_LINE_OUTSIDE, 9, 1, BEFORE "1020 1 3 0\n" CFI }, { LINT_LINE_SIZE_ZERO, 9, 1, BEFORE "1010 0 3 0\n" CFI },
	{ LINT_LINE_WRAPS, 9, 1, BEFORE "fffffffffffffff0 20 3 0\n" CFI }, { LINT_LINE_HOLE, 6, 1, MAIN "1004 1c 1 0\n" CFI },
	{ LINT_LINE_HOLE, 6, 1, MAIN "1000 8 1 0\n100c 14 1 0\n" CFI }, { LINT_LINE_HOLE, 6, 1, MAIN "1000 1f 1 0\n" CFI },
	{ LINT_LINE_HOLE, 6, 1, MAIN "1018 8 1 0\n1000 10 2 0\n" CFI },
	{ LINT_FUNC_LOST, 9, 1, BEFORE "1020 8 3 0\n1028 8 4 0\n1030 10 5 0\n" CFI },
	{ LINT_LINE_OUTSIDE, 9, 1, BEFORE "1030 8 3 0\n1038 8 4 0\n" CFI "FUNC 1030 10 0 other\n" INIT("1030", "10") },
	{ LINT_LINE_OVERLAP, 9, 1, BEFORE "100c 8 3 0\n" CFI },
	{ LINT_INLINE_WITHOUT_FUNC, 6, 1, HEAD "INLINE 0 1 0 0 1000 4\n" FUNC CFI },
	{ LINT_INLINE_LEVEL, 9, 8, BEFORE "INLINE 1 1 0 0 1000 4\n" CFI },
	{ LINT_INLINE_LEVEL, 10, 8, BEFORE "INLINE 0 1 0 0 1000 4\nINLINE 2 1 0 0 1000 4\n" CFI },
	{ LINT_INLINE_OUTSIDE, 9, 16, BEFORE "INLINE 0 1 0 0 101e 4\n" CFI },
	{ LINT_INLINE_OUTSIDE, 10, 16, BEFORE "INLINE 0 1 0 0 1000 4\nINLINE 1 1 0 1 1002 4\n" CFI },
	{ LINT_INLINE_OUTSIDE, 8, 23, HEAD "FUNC 1000 10 0 main\n1000 10 1 0\n" SPLIT "FUNC 1010 10 0 other\n1010 10 2 0\n" CFI },
	{ LINT_INLINE_SPLIT, 8, 23, HEAD "FUNC 1000 10 0 main\n1000 10 1 0\n" SPLIT "FUNC 1010 10 0 main\n1010 10 2 0\n" SPLIT CFI },
	{ LINT_INLINE_SPLIT, 11, 16, HEAD "FUNC 1000 10 0 main\n1000 10 1 0\n" SPLIT "FUNC 1010 10 0 main\n1010 10 2 0\n" SPLIT CFI },
	{ LINT_INLINE_OVERLAP, 10, 1, BEFORE "INLINE 0 1 0 0 1000 4\nINLINE 0 2 0 1 1002 4\n" CFI },
	{ LINT_INLINE_SIZE_ZERO, 9, 16, BEFORE "INLINE 0 1 0 0 1000 0 1004 4\n" CFI },
	{ LINT_INLINE_OLD_FORM, 9, 1, BEFORE "INLINE 0 1 0 1000 4\n" CFI },
	{ LINT_PUBLIC_INSIDE_FUNC, 11, 1, GOOD "PUBLIC 1008 0 label\n" },
	{ LINT_PUBLIC_DUPLICATE, 12, 1, GOOD "PUBLIC 1020 0 one\nPUBLIC 1020 0 two\n" },
	{ LINT_PUBLIC_ZERO, 11, 1, GOOD "PUBLIC 0 0 undefined\n" }, { LINT_PUBLIC_FAR, 11, 1, GOOD "PUBLIC 7f000000 0 absolute\n" },
	{ LINT_STACK_UNKNOWN, 11, 7, GOOD "STACK VAX 1000 20\n" }, { LINT_CFI_INIT_SIZE_ZERO, 11, 1, GOOD INIT("1100", "0") },
	{ LINT_CFI_INIT_WRAPS, 11, 1, GOOD INIT("fffffffffffffff0", "20") }, { LINT_CFI_INIT_OVERLAP, 11, 1, GOOD INIT("1010", "10") },
	{ LINT_CFI_INIT_OVERLAP, 11, 1, GOOD INIT("1000", "20") },
	{ LINT_CFI_INIT_OVERLAP, 11, 1, GOOD INIT("1000", "20") "STACK CFI 1004 .cfa: $rsp 24 + $rbx: .cfa -16 + ^\n" },
	{ LINT_CFI_INIT_DUPLICATE, 11, 1, GOOD CFI },
	{ LINT_CFI_INIT_AT_ZERO, 12, 1, GOOD INIT("0", "10") INIT("0", "20") "PUBLIC 8 0 header\n" },
	{ LINT_CFI_NO_CFA, 9, 24, BEFORE "STACK CFI INIT 1000 20 .ra: .cfa -8 + ^\n" },
	{ LINT_CFI_NO_RA, 9, 24, BEFORE "STACK CFI INIT 1000 20 .cfa: $rsp 8 +\n" },
	{ LINT_CFI_DELTA_BEFORE_INIT, 9, 1, BEFORE "STACK CFI 1004 .cfa: $rsp 16 +\n" INIT("1000", "20") },
	{ LINT_CFI_DELTA_APART, 12, 1, GOOD INIT("1020", "10") "STACK CFI 1008 .cfa: $rsp 24 +\nPUBLIC 1020 0 other\n" },
	{ LINT_CFI_DELTA_OUTSIDE, 11, 1, GOOD "STACK CFI 1021 .cfa: $rsp 8 +\n" },
	{ LINT_CFI_DELTA_AT_END, 11, 1, GOOD "STACK CFI 1020 .cfa: $rsp 8 +\n" },
	{ LINT_CFI_DELTA_UNSORTED, 11, 1, GOOD "STACK CFI 1002 .cfa: $rsp 16 +\n" },
	{ LINT_CFI_DELTA_DUPLICATE, 11, 1, GOOD "STACK CFI 1004 $rbp: .cfa -24 + ^\n" },
	{ LINT_CFI_SYNTAX, 11, 16, GOOD "STACK CFI 1008 $rsp 16 + .cfa: $rsp 8 +\n" },
	{ LINT_CFI_SYNTAX, 11, 31, GOOD "STACK CFI 1008 .cfa: $rsp 8 + $rbp:\n" },
	{ LINT_CFI_UNKNOWN_REGISTER, 11, 16, GOOD "STACK CFI 1008 $eax: .cfa -24 + ^\n" },
	{ LINT_CFI_UNTRACKED_REGISTER, 11, 16, GOOD "STACK CFI 1008 $xmm6: .cfa -24 + ^\n" },
	{ LINT_CFI_UNKNOWN_NAME, 11, 22, GOOD "STACK CFI 1008 .cfa: $esp 8 +\n" },
	{ LINT_CFI_UNKNOWN_NAME, 11, 22, GOOD "STACK CFI 1008 $rbx: .ra\n" },
	{ LINT_CFI_RA_ITSELF, 11, 21, GOOD "STACK CFI 1008 .ra: .ra\n" },
	{ LINT_CFI_UNKNOWN_NAME, 11, 27, GOOD "STACK CFI 1008 .cfa: $rsp 0x10 +\n" },
	{ LINT_CFI_RULE_TWICE, 11, 31, GOOD "STACK CFI 1008 .cfa: $rsp 8 + .cfa: $rsp 16 +\n" },
	{ LINT_CFI_EXPRESSION, 11, 29, GOOD "STACK CFI 1008 .cfa: $rsp 8 $rbp\n" },
	{ LINT_CFI_EXPRESSION, 11, 27, GOOD "STACK CFI 1008 .cfa: $rsp +\n" },
	{ LINT_CFI_DIVISION, 11, 38, GOOD "STACK CFI 1008 $rbx: 1 0 / $rbp: 2 0 /\n" },
	{ LINT_CFI_DIVISION, 11, 29, GOOD "STACK CFI 1008 .cfa: $rsp 0 /\n" },
	{ LINT_CFI_ALIGNMENT, 11, 30, GOOD "STACK CFI 1008 .cfa: $rsp 12 @ 8 +\n" },
	{ LINT_CFI_ALIGNMENT, 11, 29, GOOD "STACK CFI 1008 .cfa: $rsp 0 @ 8 +\n" },
	{ LINT_WIN_FUNCTIONS, 8, 1, MODULE_X86 FILES "FUNC 1000 20 0 main\n1000 20 1 0\n"
	  "FUNC 1020 10 0 a\nFUNC 1030 10 0 b\nSTACK WIN 4 0 2000 0 0 0 0 0 0 1 " RETURN },
	{ LINT_CFI_CONSTANT_READ, 11, 31, GOOD "STACK CFI 1008 $rbp: .cfa -16 ^ +\n" },
	{ LINT_CFI_CFA_FALLS, 11, 22, GOOD "STACK CFI 1008 .cfa: $rsp 0 +\n" },
	{ LINT_CFI_CFA_FALLS, 11, 33, GOOD "STACK CFI 1008 $rbx: $rbx .cfa: $rsp 0 +\n" },
	{ LINT_CFI_CFA_FALLS, 11, 22, GOOD "STACK CFI 1008 .cfa: 16\n" },
	{ LINT_CFI_SAVED_BELOW, 11, 16, GOOD "STACK CFI 1008 $rbp: .cfa -256 + ^\n" },
	{ LINT_CFI_RA_ELSEWHERE, 11, 21, GOOD "STACK CFI 1008 .ra: .cfa -16 + ^ $rbx: $rbx\n" },
	{ LINT_CFI_RA_ELSEWHERE, 11, 21, GOOD "STACK CFI 1008 .ra: .cfa 8 + ^\n" },
	{ LINT_CFI_RA_ELSEWHERE, 11, 21, GOOD "STACK CFI 1008 .ra: $rsp 8 +\n" },
	{ LINT_CFI_RA_UNUSUAL, 11, 21, GOOD "STACK CFI 1008 .ra: $rip\n" },
	{ LINT_CFI_RA_UNUSUAL, 11, 21, GOOD "STACK CFI 1008 .ra: $rsp 8 + ^\n" },
	{ LINT_CFI_NOT_READ, 11, 22, GOOD "STACK CFI 1008 $rbp: .cfa -24 +\n" },
	{ LINT_CFI_NOT_READ, 11, 21, GOOD "STACK CFI 1008 .ra: .cfa -8 +\n" },
	{ LINT_CFI_SLOT_ABOVE, 11, 22, GOOD "STACK CFI 1008 $rbp: .cfa 16 + ^\n" },
	{ LINT_CFI_SLOT_ABOVE, 11, 22, GOOD "STACK CFI 1008 $rbp: .cfa 0 + ^\n" },
	{ LINT_CFI_SLOT_SHARED, 11, 22, GOOD "STACK CFI 1008 $rbp: .cfa -16 + ^\n" },
	{ LINT_CFI_SLOT_SHARED, 11, 22, GOOD "STACK CFI 1008 $rbp: .cfa -8 + ^\n" },
	{ LINT_CFI_SLOT_SHARED, 11, 41, GOOD "STACK CFI 1008 $rbp: .cfa -24 + ^ $r12: .cfa -24 + ^\n" },
	{ LINT_CFI_UNALIGNED, 11, 22, GOOD "STACK CFI 1008 .cfa: $rsp 20 +\n" },
	{ LINT_CFI_UNALIGNED, 11, 22, GOOD "STACK CFI 1008 $rbp: .cfa -28 + ^\n" },
	{ LINT_CFI_CFA_REGISTER, 11, 22, GOOD "STACK CFI 1008 .cfa: $rax 16 +\n" },
	{ LINT_CFI_CFA_REGISTER, 11, 22, GOOD "STACK CFI 1008 .cfa: $r15 16 +\n" },
	{ LINT_CFI_ENTRY, 9, 1, BEFORE "STACK CFI INIT 1000 20 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n" },
	{ LINT_CFI_ENTRY, 9, 1, BEFORE "STACK CFI INIT 1000 20 .cfa: $rbp 8 + .ra: .cfa -8 + ^\n" },
	{ LINT_CFI_SHIFTED, 6, 1, ROW_OF_FUNCS SHIFTED("1030", "1130", "1170", "1230") },
	{ LINT_CFI_SHIFTED, 6, 1, ROW_OF_FUNCS SHIFTED("1004", "1104", "1144", "1204") },
	{ LINT_CFI_SHIFTED, 6, 1, ROW_OF_FUNCS SHIFTED("8000", "8100", "8140", "8200") },
	{ LINT_WIN_SIZES, 7, 20, WIN_FUNC WIN "STACK WIN 4 1008 8 9 0 0 0 0 0 1 " RETURN },
	{ LINT_WIN_SIZES, 7, 26, WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 7 0 0 1 " RETURN },
	{ LINT_WIN_SIZES, 7, 28, WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 10000000 0 1 " RETURN },
	{ LINT_WIN_PARAMETERS, 5, 1, MODULE_X86 FILES "FUNC 1000 20 8 main\nSTACK WIN 4 1000 20 0 0 80 0 0 0 1 " RETURN },
	{ LINT_WIN_TYPE, 7, 11, WIN_FUNC WIN "STACK WIN 5 1000 20 0 0 0 0 0 0 1 $eip\n" },
	{ LINT_WIN_TYPE_UNUSED, 7, 11, WIN_FUNC WIN "STACK WIN 2 1000 20 0 0 0 0 0 0 0 0\n" },
	{ LINT_WIN_PROGRAM_TYPE, 7, 11, WIN_FUNC WIN "STACK WIN 0 1000 20 0 0 0 0 0 0 1 " RETURN },
	{ LINT_WIN_PROGRAM_TYPE, 7, 11, WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 0 0 0 1\n" },
	{ LINT_WIN_SIZE_ZERO, 7, 1, WIN_FUNC WIN "STACK WIN 0 1000 0 0 0 0 0 0 0 0 0\n" }, { LINT_WIN_DUPLICATE, 7, 1, WIN_FUNC WIN WIN },
	{ LINT_WIN_OVERLAP, 7, 1, WIN_FUNC WIN "STACK WIN 4 1010 20 0 0 0 0 0 0 1 " RETURN },
	{ LINT_WIN_NO_EIP, 7, 34, WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 0 0 1 $esp $esp 4 + =\n" },
	{ LINT_WIN_NO_ESP, 7, 34, WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 0 0 1 $eip $esp ^ =\n" },
	{ LINT_WIN_ARCHITECTURE, 11, 1, GOOD "STACK WIN 0 1000 20 0 0 0 0 0 0 0 0\n" }, { LINT_NO_UNWIND, 6, 1, BEFORE },
	{ LINT_CODE_WITHOUT_UNWIND, 11, 1, GOOD "FUNC 2000 10 0 bare\n" },
	{ LINT_UNWIND_WITHOUT_CODE, 7, 1, WIN_FUNC WIN "STACK WIN 0 2000 20 0 0 0 0 0 0 0 0\n" },
	{ LINT_UNWIND_WITHOUT_CODE, 7, 1, WIN_FUNC WIN "STACK WIN 4 2000 20 0 0 0 0 0 0 1 " RETURN },
	{ LINT_UNWIND_WITHOUT_CODE, 11, 1, GOOD INIT("3000", "10") },
};

/* Defects and the list of their consequences. */
static const struct {
	enum lint_code code;
	unsigned line, column;
	const char *others, *text;
} bringing[] = {
	{ LINT_BYTE_ORDER_MARK, 1, 1, "module-missing unknown-record", "\xef\xbb\xbf" GOOD },
	{ LINT_BYTE_FF, 2, 9, "not-utf8", MODULE "FILE 0 a\xff" "c\nFILE 1 b.c\n" ORIGINS FUNC CFI },
	{ LINT_LONE_CR, 2, 9, "malformed-record", MODULE "FILE 0 a\rc\nFILE 1 b.c\n" ORIGINS FUNC CFI },
	{ LINT_MALFORMED_RECORD, 11, 11, "cfi-delta-outside", GOOD "STACK CFI 10x8 .cfa: $rsp 24 +\n" },
	{ LINT_MALFORMED_RECORD, 11, 11, "line-without-func", GOOD "FUNC 2000 2g 0 f\n2000 20 1 0\n" },
	{ LINT_MALFORMED_RECORD, 11, 11, "inline-without-func", GOOD "FUNC 2000 2g 0 f\nINLINE 0 1 0 0 2000 4\n" },
	{ LINT_MALFORMED_RECORD, 9, 23, "no-unwind", BEFORE "STACK CFI INIT 1000 20\n" },
	{ LINT_NUMBER_BASE, 11, 11, "number-range func-wraps", GOOD "FUNC 2000 -20 0 f\n" },
	{ LINT_NUMBER_BASE, 11, 6, "code-without-unwind", GOOD "FUNC +2000 20 0 f\n" },
	{ LINT_FUNC_SIZE_ZERO, 11, 1, "line-outside", GOOD "FUNC 2000 0 0 f\n2000 4 1 0\n" },
	{ LINT_FUNC_SIZE_ZERO, 11, 1, "inline-outside", GOOD "FUNC 2000 0 0 f\nINLINE 0 1 0 0 2000 4\n" },
	{ LINT_CFI_INIT_SIZE_ZERO, 9, 1, "no-unwind", BEFORE INIT("1000", "0") },
	{ LINT_CFI_INIT_SIZE_ZERO, 11, 1, "cfi-delta-outside", GOOD INIT("1100", "0") "STACK CFI 1100 .cfa: $rsp 8 +\n" },
	{ LINT_CFI_INIT_OVERLAP, 12, 1, "code-without-unwind", GOOD "FUNC 1020 10 0 f\n" INIT("1018", "18") },
	{ LINT_CFI_COLON, 11, 27, "cfi-expression cfi-cfa-falls", GOOD "STACK CFI 1008 .cfa: $rsp 8: +\n" },
	{ LINT_CFI_COLON, 11, 29, "cfi-expression cfi-syntax", GOOD "STACK CFI 1008 .cfa: $rsp 8 +:\n" },
	{ LINT_CFI_SYNTAX, 9, 24, "cfi-no-cfa cfi-no-ra", BEFORE "STACK CFI INIT 1000 20 $rsp 8 +\n" },
	{ LINT_NUMBER_RANGE, 7, 21, "win-sizes", WIN_FUNC WIN "STACK WIN 0 1000 20 123456789 0 0 0 0 0 0 0\n" },
	{ LINT_WIN_INPUT, 7, 39, "win-no-eip win-no-esp", WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 0 0 1 $esp $esi 4 + = $eip $esp ^ =\n" },
	{ LINT_CFI_CFA_FALLS, 11, 22, "cfi-ra-unusual", GOOD "STACK CFI 1008 .cfa: $rsp -8 + .ra: $rcx\n" },
	{ LINT_WIN_OVERLAP, 8, 1, "code-without-unwind", WIN_FUNC "FUNC 1020 10 0 f\n" WIN "STACK WIN 4 1018 18 0 0 0 0 0 0 1 " RETURN },
	{ LINT_WIN_PROGRAM, 7, 39, "win-no-eip win-no-esp",
	  WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 0 0 1 $eip $T3 ^ = $esp $esp 4 + =\n" },
	{ LINT_WIN_PROGRAM, 7, 72, "", WIN_FUNC WIN "STACK WIN 4 1008 8 0 0 0 0 0 0 1 $eip $esp ^ = $esp $esp 4 + = $T1 1 0 / =\n" },
};

static const struct lint_options all = { .most = 0 };
static bool covered[LINT_CODE_COUNT];	/* codes of planted defects */

/* Whether a word is in a list of words. */
static bool
is_in(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (; list != NULL && *list != '\0'; list += strcspn(list, " ") + (strchr(list, ' ') != NULL))
		if (strcspn(list, " ") == length && memcmp(list, word, length) == 0)
			return true;
	return false;
}

/* True if lint reports the inserted code, the listed others, and nothing else. */
static bool
exactly(const struct lint *lint, enum lint_code code, const char *others)
{
	const char *declared = lint_code_table[code].follows;
	bool good = true;

	for (int i = 0; i < LINT_CODE_COUNT; i++) {
		const char *name = lint_code_table[i].name;
		const bool wanted = i == (int)code || is_in(others, name);

		if ((lint->counts[i] != 0) != wanted) {
			tap_diag("%s brings %s %zu times", lint_code_table[code].name, name, lint->counts[i]);
			good = false;
		}
		if (wanted && i != (int)code && !is_in(declared, name)) {
			tap_diag("%s is no declared consequence of %s", name, lint_code_table[code].name);
			good = false;
		}
	}
	return good;
}

static bool
is_found(const struct lint *lint, enum lint_code code, unsigned line, unsigned column)
{
	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		if (finding->code == code && finding->place.line == line && finding->place.column == column)
			return true;
		tap_diag("%u:%u: %s: %s", (unsigned)finding->place.line,
			 (unsigned)finding->place.column, lint_code_table[finding->code].name, finding->text);
	}
	return false;
}

static bool
check(enum lint_code code, unsigned line, unsigned column, const char *text, size_t size, const char *others)
{
	struct strict_refusal refusal;
	struct error error;
	struct lint lint;
	bool good = lint_bytes(&lint, "planted.sym", text, size, &all, &error) == ERROR_NONE &&
		    is_found(&lint, code, line, column) && exactly(&lint, code, others);

	/* Findings about rust-minidump agree with its reading of the file. */
	good &= strict_read(text, size, NULL, NULL, &refusal) == (lint.rust_refuses == NULL);

	lint_free(&lint);
	return good;
}

/* All findings of a file, one per line; those after the first are indented. */
static void
tell(FILE *out, const char *text)
{
	struct error error;
	struct lint lint;

	if (lint_bytes(&lint, "planted.sym", text, strlen(text), &all, &error) != ERROR_NONE)
		return;
	for (size_t i = 0; i < lint.finding_count; i++) {
		const struct lint_finding *finding = &lint.findings[i];
		fprintf(out, "%s%s %u:%u+%u %.*s", i > 0 ? "  " : "", lint_code_table[finding->code].name,
			(unsigned)finding->place.line, (unsigned)finding->place.column, (unsigned)finding->place.length,
			(int)finding->name.length, finding->name.start);
		if (finding->addressed)
			fprintf(out, " @%" PRIx64, finding->address);
		if (finding->other != 0)
			fprintf(out, " with line %" PRIu32, finding->other);
		fprintf(out, ": %s\n", finding->text);
	}
	lint_free(&lint);
}

/* Files that are unusual but correct. */
static const struct {
	const char *title, *text;
} unusual[] = {
	{ "a function that realigns its stack keeps the CFA in a register",
	  GOOD "STACK CFI 1008 .cfa: $r10 0 +\nSTACK CFI 100c .cfa: $rbp -8 + ^\n" },
	{ "registers saved in another frame are not checked", GOOD
	  "STACK CFI 1008 .cfa: $rdi 0 + .ra: .cfa 56 + ^ $rbp: .cfa 8 + ^ $r12: .cfa 8 + ^\n" },
	{ "a register that was restored leaves its slot", GOOD "STACK CFI 1008 $rbx: $rbx $rbp: .cfa -16 + ^\n" },
	{ "rules for the link register and for .ra may read the same word", "MODULE Linux arm64 000102030405060708090A0B0C0D0E0F0 program\n"
	  "STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: x30\n"
	  "STACK CFI 1004 .cfa: sp 16 + x30: .cfa -8 + ^ .ra: .cfa -8 + ^ x29: .cfa -16 + ^\nPUBLIC 1000 0 f\n" },
	{ "Thumb has another frame pointer", "MODULE Linux arm 000102030405060708090A0B0C0D0E0F0 program\n"
	  "STACK CFI INIT 1000 20 .cfa: sp 0 + .ra: lr\nSTACK CFI 1004 .cfa: r7 8 +\nPUBLIC 1000 0 f\n" },
	{ "functions of 64-bit Windows save registers above their CFA",
	  "MODULE windows x86_64 000102030405060708090A0B0C0D0E0F1 program.pdb\n"
	  "STACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\nSTACK CFI 1004 $rbx: .cfa 0 + ^\nPUBLIC 1000 0 f\n" },
	{ "a part of a split function begins with any frame", MODULE "FUNC 1000 10 0 f\nFUNC 1100 10 0 f\nFUNC 1200 10 0 g.cold\n" INIT(
		  "1000", "10") "STACK CFI INIT 1100 10 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"
				"STACK CFI INIT 1200 10 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n" },
	{ "parameters may include the address of a result", MODULE_X86 FILES "FUNC 1000 20 8 main\n"
	  "STACK WIN 4 1000 20 0 0 c 0 0 0 1 $eip $esp ^ = $esp $esp 4 + =\n" },
	{ "the code identifier is the build ID that MODULE is made of",
	  MODULE "INFO CODE_ID 030201000504070608090A0B0C0D0E0F10111213 program\n" FILES ORIGINS FUNC CFI },
	{ "several calls of the level above may cover a range", BEFORE
	  "INLINE 0 1 0 0 1000 8\nINLINE 1 2 0 1 1004 8\nINLINE 0 3 0 1 1008 8\nINLINE 2 4 0 0 1006 4\n" CFI },
	{ "lines of a function may be in any order", MODULE FILES ORIGINS "FUNC 1000 20 0 main\n1010 10 1 0\n1000 10 2 0\n" CFI },
};

static void
a_good_file(const char *title, const char *text)
{
	struct error error;
	struct lint lint;

	ok(lint_bytes(&lint, "good.sym", text, strlen(text), &all, &error) == ERROR_NONE && lint.finding_count == 0, "%s", title);
	if (lint.finding_count > 0)
		tap_diag("%u: %s", (unsigned)lint.findings[0].place.line, lint_code_table[lint.findings[0].code].name);
	lint_free(&lint);
}

/* Defects that do not fit into a C string. */
/* UTF-16 has a byte order mark, or zeros next to the letters of MODULE. */
TEST(encodings)
{
	static const struct {
		const char bytes[8];
		bool utf16;
	} rows[] = {
		{ "\xff\xfeM\0O\0D", true }, { "\xfe\xff\0M\0O\0", true }, { "M\0O\0D\0U", true },
		{ "\0M\0O\0D\0", true }, { "\0MODULE", false }, { "M\0DULE ", false },
		{ "M\0OD\0U", false }, { "\0M\0D\0U", false }, { "MODULE ", false }, { "\xff\xffM\0O\0", false }, { "A\0O\0D\0", false },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct error error;
		struct lint lint;

		lint_bytes(&lint, "bytes.sym", rows[i].bytes, 7, &all, &error);
		is_u64(lint.counts[LINT_UTF16], rows[i].utf16, "bytes %zu are %sUTF-16", i, rows[i].utf16 ? "" : "not ");
		lint_free(&lint);
	}
	static const char mark[] = "\xff\xfe";
	struct error error;
	struct lint lint;

	lint_bytes(&lint, "bytes.sym", mark, 2, &all, &error);
	is_u64(lint.counts[LINT_UTF16], 1, "a byte order mark alone is enough");
	lint_free(&lint);
}

TEST(odd_bytes)
{
	static const char utf16[] = "\xff\xfeM\0O\0D\0U\0L\0E\0";
	static const char nul[] = MODULE "FILE 0 a\0c\nFILE 1 b.c\n" ORIGINS FUNC CFI;
	char *text = malloc(sizeof(GOOD) + 100000);

	ok(check(LINT_UTF16, 1, 1, utf16, sizeof(utf16), NULL), "utf16 is the only finding of UTF-16");
	ok(check(LINT_NUL_BYTE, 2, 9, nul, sizeof(nul) - 1, NULL), "nul-byte is found");
	covered[LINT_UTF16] = covered[LINT_NUL_BYTE] = true;
	if (text == NULL)
		return;
	size_t length = strlen(strcpy(text, GOOD "PUBLIC 1020 0 "));
	memset(text + length, 'x', 90000);
	strcpy(text + length + 90000, "\n");
	ok(check(LINT_LONG_LINE, 11, 1, text, strlen(text), NULL), "long-line is found");
	covered[LINT_LONG_LINE] = true;
	length = strlen(strcpy(text, GOOD));
	for (int i = 0; i < 101; i++)
		length = strlen(strcat(text + length, "BAD\n")) + length;
	ok(!check(LINT_UNKNOWN_RECORD, 11, 1, text, strlen(text), NULL), "a hundred and one bad records have a further finding");
	struct error error;
	struct lint lint;
	lint_bytes(&lint, "bad.sym", text, strlen(text), &all, &error);
	ok(is_found(&lint, LINT_ERROR_LIMIT, 111, 1), "error-limit is found at the 101st");
	covered[LINT_ERROR_LIMIT] = true;
	lint_free(&lint);
	length = strlen(strcpy(text, MODULE FILES ORIGINS "FUNC 1000 400 0 main\n1000 400 1 0\nINLINE 0 1 0 0"));
	for (unsigned i = 0; i < 256; i++)
		length += (size_t)sprintf(text + length, " %x 1", 0x1000 + 2 * i);
	strcpy(text + length, "\nSTACK CFI INIT 1000 400 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n");
	/* 14 + 254 * 7 bytes and a space precede the 255th range. */
	ok(check(LINT_INLINE_TOO_LONG, 8, 1794, text, strlen(text), NULL), "inline-too-long is found");
	covered[LINT_INLINE_TOO_LONG] = true;
	free(text);
}

/* The findings of a code in a file of these bytes. */
static size_t
findings_of_bytes(enum lint_code code, const unsigned char *bytes, size_t size)
{
	struct error error;
	struct lint lint;
	size_t count = 0;

	if (!folder_make())
		return 0;
	put_bytes("bytes", bytes, size);
	if (lint_file(&lint, path_in("bytes"), &all, &error) == ERROR_NONE)
		count = lint.counts[code];
	lint_free(&lint);
	folder_remove();
	return count;
}

TEST(compressed_files)
{
	/* The beginning of the output of 'printf MODULE... | gzip'; the rest is missing. */
	static const unsigned char cut[] = { 0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3, 0xf3, 0xf5, 0x77, 0x09, 0xf5, 0x71 };
	/* The output of 'printf "\n" | gzip -n', then zeros and another byte. */
	static const unsigned char joined[] = { 0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 3, 0xe3, 0x02,
						0, 0x93, 0x06, 0xd7, 0x32, 1, 0, 0, 0, 0, 0, 'x' };

	is_u64(findings_of_bytes(LINT_COMPRESSED_CUT, cut, sizeof(cut)), 1, "compressed-cut is found");
#ifdef HAVE_ZLIB
	is_u64(findings_of_bytes(LINT_COMPRESSED_EXTRA, joined, sizeof(joined)), 1, "compressed-extra is found");
#endif
	is_u64(findings_of_bytes(LINT_COMPRESSED_EXTRA, joined, sizeof(joined) - 1), 0, "zeros after compressed data are padding");
	covered[LINT_COMPRESSED_CUT] = covered[LINT_COMPRESSED_EXTRA] = true;
}

/* The same file at places of a store: the layout is NAME/ID/NAME.sym, without .pdb at the end. */
TEST(places)
{
#define ID "000102030405060708090A0B0C0D0E0F0"
	static const struct {
		const char *path;
		size_t found;
	} files[] = {
		{ "store/program/" ID "/program.sym", 0 }, { "program/" ID "/program.sym.gz", 0 },
		{ "program/000102030405060708090A0B0C0D0E0F1/program.sym", 1 },
		{ "program/" ID "/older.sym", 0 }, { "store/other/" ID "/other.sym", 1 }, { "store/other/program.sym", 0 },
		/* A build ID with the GUID 00010203-0405-0607-0809-0A0B0C0D0E0F. */
		{ "program/03020100050407060809" "0a0b0c0d0e0f10111213/program.sym", 0 },
	};
	struct error error;
	struct lint lint;

	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		lint_bytes(&lint, files[i].path, GOOD, strlen(GOOD), &all, &error);
		is_u64(lint.counts[LINT_MODULE_PLACE], files[i].found, "%s: wrong places found: %zu", files[i].path, files[i].found);
		lint_free(&lint);
	}
	covered[LINT_MODULE_PLACE] = true;
}

/* Records of many kinds, good and bad, in runs as in real files. */
static size_t
invent(char *text, size_t room, unsigned seed)
{
	static const char *const kinds[] = {
		"%x 8 %u 0\n", "%x 8 %u 9\n", "INLINE 0 7 0 0 %x 4\n", "INLINE 2 1 0 5 %x 4\n", "FUNC %x 20 0 f%u\n", "FUNC %x 20 0 g%u\n",
		"PUBLIC %x 0 p%u\n", "STACK CFI INIT %x 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\n", "STACK CFI %x .cfa: $rsp 16 +\n",
		"STACK CFI %x $rbx: .cfa -16 + ^ $eax: 0\n", "STACK WIN 4 %x 20 0 0 0 0 0 0 1 $eip 4 + ^ =\n", "\n",
	};
	size_t used = strlen(strcpy(text, MODULE FILES ORIGINS));
	unsigned address = 0x1000, kind = 4;
	/* Most files have functions first, then unwind records; some mix everything. */
	const bool mixed = seed % 8 == 0;

	while (used + 200 < room) {
		seed = seed * 1103515245 + 12345;
		if (seed >> 16 & 3)
			kind = mixed ? (seed >> 18) % ARRAY_COUNT(kinds)
			       : used < room / 2 ? (seed >> 18) % 7 : 7 + (seed >> 18) % 5;
		if (!mixed && used < room / 2 && kind == 6)
			used += (size_t)sprintf(text + used, "FUNC %x 20 0 h\n", address);
		/* Sometimes addresses go back. */
		address += (seed >> 24) % 3 * 4;
		if (seed % 64 == 0 && address > 0x1100)
			address -= 0x100;
		used += (size_t)sprintf(text + used, kinds[kind], address, seed >> 20);
	}
	return used;
}

static bool
same_findings(const struct lint *one, const struct lint *other)
{
	bool same = one->finding_count == other->finding_count && one->lines == other->lines &&
		    memcmp(one->counts, other->counts, sizeof(one->counts)) == 0 &&
		    one->coverage.unwound == other->coverage.unwound;

	for (size_t i = 0; same && i < one->finding_count; i++) {
		const struct lint_finding *a = &one->findings[i], *b = &other->findings[i];
		same = a->code == b->code && a->place.line == b->place.line &&
		       a->place.offset == b->place.offset && a->place.column == b->place.column &&
		       a->other == b->other && strcmp(a->text, b->text) == 0 && text_equal(a->name, b->name);
		if (!same)
			tap_diag("%s on line %u, %s on line %u: '%s', '%s'",
				 lint_code_table[a->code].name, (unsigned)a->place.line,
				 lint_code_table[b->code].name, (unsigned)b->place.line, a->text, b->text);
	}
	if (!same)
		tap_diag("%zu and %zu findings, %u and %u lines", one->finding_count,
			 other->finding_count, (unsigned)one->lines, (unsigned)other->lines);
	return same;
}

/* Several readers find the same as one, with any cuts between their parts. */
TEST(in_slices)
{
	enum { ROOM = 40000 };
	char *text = malloc(ROOM);
	unsigned same = 0, all_of_them = 0;

	for (unsigned seed = 1; text != NULL && seed <= 200; seed++) {
		const struct lint_options alone = { .most = seed % 2 * 7, .slices = 1 };
		const struct lint_options several = { .most = seed % 2 * 7, .slices = 2 + seed % 9 };
		size_t size = invent(text, seed % 4 == 0 ? 2000 : ROOM, seed);
		struct error error;
		struct lint one, other;

		lint_bytes(&one, "a.sym", text, size - seed % 5 / 4, &alone, &error);
		lint_bytes(&other, "a.sym", text, size - seed % 5 / 4, &several, &error);
		same += same_findings(&one, &other);
		all_of_them++;
		lint_free(&one);
		lint_free(&other);
	}
	is_u64(same, all_of_them, "several readers find what one reader finds");
	free(text);
}

static bool
is_listed(const struct lint *lint, const struct lint_finding *finding)
{
	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *other = &lint->findings[i];
		if (other->code == finding->code && other->place.offset == finding->place.offset &&
		    other->address == finding->address && strcmp(other->text, finding->text) == 0)
			return true;
	}
	return false;
}

/* A limit restricts the listed findings of each code; all are counted. */
TEST(limited)
{
	enum { ROOM = 4000, MOST = 2 };
	static const struct lint_options some = { .most = MOST };
	char *text = malloc(ROOM);
	unsigned wrong = 0;

	for (unsigned seed = 1; text != NULL && seed <= 40; seed++) {
		const size_t size = invent(text, ROOM, seed);
		size_t listed[LINT_CODE_COUNT] = { 0 };
		struct lint whole, part;
		struct error error;

		lint_bytes(&whole, "a.sym", text, size, &all, &error);
		lint_bytes(&part, "a.sym", text, size, &some, &error);
		wrong += memcmp(whole.counts, part.counts, sizeof(whole.counts)) != 0;
		for (size_t i = 0; i < part.finding_count; i++) {
			wrong += !is_listed(&whole, &part.findings[i]);
			listed[part.findings[i].code]++;
		}
		for (int i = 0; i < LINT_CODE_COUNT; i++) {
			const size_t there = whole.counts[i];
			wrong += listed[i] != (there > LINT_FOLDED ? 1 : there < MOST	   ? there : MOST);
		}
		lint_free(&whole);
		lint_free(&part);
	}
	is_u64(wrong, 0, "a limit bounds the listed findings of a code, and all are counted");
	free(text);
}

TEST(what_is_accepted)
{
	static const char text[] = GOOD "FUNC 2000 10 0 bare\nFUNC 3000 10 0 naked\n";
	struct lint_accept accepts[2];
	const struct lint_options options = { .accepts = accepts, .accept_count = 2 };
	struct error error;
	struct lint lint;

	ok(lint_accept_parse("code-without-unwind=ba*", &accepts[0]) == NULL, "a pattern of names is read");
	ok(lint_accept_parse("code-without-unwind@3000", &accepts[1]) == NULL, "an address is read");
	lint_bytes(&lint, "accepted.sym", text, strlen(text), &options, &error);
	is_u64(lint.accepted[LINT_CODE_WITHOUT_UNWIND], 2, "both findings are accepted");
	is_u64(lint.finding_count, 0, "no accepted finding is reported");
	lint_free(&lint);
}

TEST(an_unreadable_file)
{
	struct error error;
	struct lint lint;

	lint_bytes(&lint, "was.sym", GOOD, strlen(GOOD), &all, &error);
	lint_unreadable(&lint, "permission denied");
	ok(lint.finding_count == 1 && lint.counts[LINT_UNREADABLE] == 1 &&
	   strcmp(lint.findings[0].text, "permission denied") == 0 && lint.findings[0].place.line == 1 &&
	   lint.findings[0].place.column == 1, "a file that can't be read has that as its only finding");
	covered[LINT_UNREADABLE] = true;
	lint_free(&lint);
}

/* Many findings with one cause are reported once. */
TEST(folded)
{
	static const struct lint_options some = { .most = 20 };
	char text[20000];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s", GOOD);
	struct error error;
	struct lint lint;

	for (unsigned i = 0; i <= LINT_FOLDED; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "FUNC %x 10 0 bare%u\n", 0x2000 + 16 * i, i);
	lint_bytes(&lint, "folded.sym", text, used, &some, &error);
	is_u64(lint.finding_count, 1, "more than 100 findings of a code are listed as one");
	is_u64(lint.findings[0].times, LINT_FOLDED + 1, "the listed finding has the number of all of them");
	lint_free(&lint);
	lint_bytes(&lint, "folded.sym", text, used, &all, &error);
	is_u64(lint.finding_count, LINT_FOLDED + 1, "each finding is listed if all are requested");
	lint_free(&lint);
}

/* The only finding, if any, of a file compared with a binary of functions at these addresses. */
static void
compared_with(const char *title, struct binary *binary, const uint16_t *functions, size_t count,
	      enum lint_code code, const char *part, const char *text)
{
	uint8_t table[12 + 8 * 16] = { 1, 0x1b, 3, 0x3b };
	struct binary_section section = { .name = ".eh_frame_hdr", .address = 0x800, .size = 12 + 8 * count, .data = table };
	const struct lint_options options = { .binary = binary };
	struct error error;
	struct lint lint;
	bool good = code == LINT_CODE_COUNT;

	binary->sections = &section;
	binary->section_count = 1;
	for (size_t i = 0; i < count; i++) {
		table[12 + 8 * i] = (uint8_t)(functions[i] - 0x800);
		table[12 + 8 * i + 1] = (uint8_t)((functions[i] - 0x800) >> 8);
	}
	lint_bytes(&lint, "of.sym", text, strlen(text), &options, &error);
	for (size_t i = 0; i < lint.finding_count; i++) {
		const struct lint_finding *finding = &lint.findings[i];
		good = finding->code == code && strstr(finding->text, part) != NULL;
		if (!good)
			tap_diag("%s: %s", lint_code_table[finding->code].name, finding->text);
	}
	ok(good && lint.finding_count == (code != LINT_CODE_COUNT), "%s", title);
	lint_free(&lint);
}

/* A binary with code from 1000 to 1fff and functions at 1000, 1100, 1140, 1200 and 1300. */
static void
with_binary(const char *title, const char *id, enum lint_code code, const char *part, const char *text)
{
	static const uint16_t functions[] = { 0x1000, 0x1100, 0x1140, 0x1200, 0x1300 };
	struct binary_segment segment = { 0x1000, 0x1000, 0x1000, true };
	struct binary binary = { .word_size = 8, .machine = 62, .id = id, .segments = &segment, .segment_count = 1 };

	compared_with(title, &binary, functions, ARRAY_COUNT(functions), code, part, text);
}

#define FIVE(a, b, c, d, e) INIT(a, "20") INIT(b, "40") INIT(c, "10") INIT(d, "30") INIT(e, "10")
#define NAMES(a, b, c, d, e) "PUBLIC " a " 0 a\nPUBLIC " b " 0 b\nPUBLIC " c " 0 c\nPUBLIC " d " 0 d\nPUBLIC " e " 0 e\n"

TEST(binaries)
{
	static const char right[] = MODULE NAMES("1000", "1100", "1140", "1200", "1300")
		FIVE("1000", "1100", "1140", "1200", "1300");
	static const char moved[] = MODULE NAMES("1040", "1140", "1180", "1240", "1340")
		FIVE("1040", "1140", "1180", "1240", "1340");
	static const char other[] = MODULE NAMES("1000", "1108", "1150", "1218", "1308")
		FIVE("1000", "1108", "1150", "1218", "1308");
	static const char id[] = "030201000504070608090a0b0c0d0e0f", not_id[] = "ffff";

	with_binary("a file fits its binary", id, LINT_CODE_COUNT, "", right);
	with_binary("without a build ID the functions decide", "", LINT_CODE_COUNT, "", right);
	with_binary("another build is not the binary's even with its identifier", not_id,
		    LINT_WRONG_BINARY, "it has another identifier, and 1 of 5", other);
	with_binary("even with its identifier", id, LINT_WRONG_BINARY, "1 of 5 functions", other);
	with_binary("moved records are reported with their distance", id, LINT_WRONG_BINARY,
		    "all records lie 0x40 bytes after their code", moved);
	with_binary("fitting records with another identifier are distinguished", not_id, LINT_BINARY_ID, "5 of 5 functions", right);
	with_binary("a file of another architecture is one finding", id, LINT_WRONG_BINARY,
		    "the binary is for amd64, the records are for arm64",
		    "MODULE Linux arm64 000102030405060708090A0B0C0D0E0F0 program\nPUBLIC 1000 0 a\n");
	with_binary("a record outside of the code is named", id, LINT_OUTSIDE_BINARY,
		    "0x2000 to 0x200f", MODULE NAMES("1000", "1100", "1140", "1200", "1300")
		    FIVE("1000", "1100", "1140", "1200", "1300") "PUBLIC 2000 0 f\n"
		    INIT("2000", "10"));
	covered[LINT_WRONG_BINARY] = covered[LINT_BINARY_ID] = covered[LINT_OUTSIDE_BINARY] = true;
}

/* Records compared with those that dump-syms writes for the binary. */
TEST(records_of_a_binary)
{
#define RECORDS(parameters, line, origin, name) \
	MODULE FILES ORIGINS "FUNC 1000 20 " parameters " first\n1000 20 " line " 0\n" \
	"INLINE 0 7 1 " origin " 1008 8\nFUNC 1020 20 0 " name "\n1020 20 9 1\n" INIT("1000", "40")
	static const char good[] = RECORDS("0", "5", "1", "space::second(int)");
	static const struct {
		const char *title, *text;
		enum lint_code code;
		unsigned line;
	} rows[] = {
		{ "equal records are no finding", good, LINT_CODE_COUNT, 0 },
		{ "another name is a finding", RECORDS("0", "5", "1", "third"), LINT_BINARY_NAME, 9 },
		{ "a name without its parameters is no finding", RECORDS("0", "5", "1", "space::second"), LINT_CODE_COUNT, 0 },
		{ "a name without its scope is no finding", RECORDS("0", "5", "1", "second(int)"), LINT_CODE_COUNT, 0 },
		{ "the name of a clone is no finding", RECORDS("0", "5", "1", "space::second(int) [clone .cold]"), LINT_CODE_COUNT, 0 },
		{ "line 0 is a finding", RECORDS("0", "0", "1", "space::second(int)"), LINT_BINARY_LINE, 7 },
		{ "another origin is a finding", RECORDS("0", "5", "0", "space::second(int)"), LINT_BINARY_CALL, 8 },
		{ "another size of parameters is a finding",
		  RECORDS("7fffffff", "5", "1", "space::second(int)"), LINT_BINARY_PARAMETERS, 6 },
	};
	struct binary_segment segment = { 0x1000, 0x1000, 0x1000, true };
	const struct binary binary = { .word_size = 8, .machine = 62, .id = "", .segments = &segment, .segment_count = 1 };
	struct lint_options options = { .binary = &binary };
	struct symfile *expected = NULL;
	struct error error;
	struct lint lint;

	symfile_from_memory(&expected, "expected.sym", good, strlen(good), &error);
	options.expected = expected;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		bool right = true;
		lint_bytes(&lint, "of.sym", rows[i].text, strlen(rows[i].text), &options, &error);
		for (size_t j = 0; j < lint.finding_count; j++)
			right = right && lint.findings[j].code == rows[i].code && lint.findings[j].place.line == rows[i].line;
		ok(right && lint.finding_count == (rows[i].code != LINT_CODE_COUNT), "%s", rows[i].title);
		if (rows[i].code != LINT_CODE_COUNT)
			covered[rows[i].code] = true;
		lint_free(&lint);
	}
	symfile_close(expected);
}

/* Nine of ten functions prove another identifier of the same build, eight do not. */
TEST(nearly_all_functions)
{
	static const uint16_t functions[] = { 0x1000, 0x1010, 0x1030, 0x1060, 0x10a0, 0x10f0, 0x1150, 0x11c0, 0x1240, 0x12d0 };
	struct binary_segment segment = { 0x1000, 0x1000, 0x1000, true };
	struct binary binary = { .word_size = 8, .machine = 62, .id = "ffff", .segments = &segment, .segment_count = 1 };
	struct binary bare = { .word_size = 8, .machine = 62, .id = "" };

	for (unsigned moved = 0; moved <= 2; moved++) {
		char text[2000] = MODULE, part[40];
		size_t used = strlen(text);

		for (size_t i = 0; i < ARRAY_COUNT(functions); i++) {
			const unsigned at = functions[i] + (i < moved ? 8u : 0u);
			used += (size_t)snprintf(text + used, sizeof(text) - used, "PUBLIC %x 0 f\n"
						 INIT("%x", "8"), at, at);
		}
		snprintf(part, sizeof(part), "%u of 10 functions", 10 - moved);
		compared_with(moved < 2 ? "one function may differ" : "two functions may not differ", &binary, functions,
			      ARRAY_COUNT(functions), moved < 2 ? LINT_BINARY_ID : LINT_WRONG_BINARY, part, text);
		if (moved == 0)
			compared_with("four functions prove it", &binary, functions, 4, LINT_BINARY_ID, "4 of 4 functions", text);
		if (moved == 0)
			compared_with("three functions do not prove it", &binary, functions, 3,
				      LINT_WRONG_BINARY, "3 of 3 functions", text);
		if (moved == 0)
			compared_with("a binary without segments has no bounds", &bare, functions,
				      ARRAY_COUNT(functions), LINT_CODE_COUNT, "", text);
	}
}

int
main(void)
{
	char *said = NULL;
	size_t size;
	FILE *out = open_memstream(&said, &size);

	a_good_file("a good file of x86_64 has no findings", GOOD);
	a_good_file("a good file of x86 has no findings", WIN_FUNC WIN);
	a_good_file("lines may end in CR LF", "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\r\n"
		    "FUNC 1000 20 0 main\r\nSTACK CFI INIT 1000 20 .cfa: $rsp 8 + .ra: .cfa -8 + ^\r\n");
	for (size_t i = 0; i < ARRAY_COUNT(unusual); i++)
		a_good_file(unusual[i].title, unusual[i].text);
	for (size_t i = 0; i < ARRAY_COUNT(planted); i++) {
		ok(check(planted[i].code, planted[i].line, planted[i].column, planted[i].text, strlen(planted[i].text), NULL),
			 "%s is found where it is, with what follows alone", lint_code_table[planted[i].code].name);
		covered[planted[i].code] = true;
		tell(out, planted[i].text);
	}
	for (size_t i = 0; i < ARRAY_COUNT(bringing); i++) {
		ok(check(bringing[i].code, bringing[i].line, bringing[i].column, bringing[i].text,
			 strlen(bringing[i].text), bringing[i].others), "%s brings just '%s'",
		   lint_code_table[bringing[i].code].name, bringing[i].others);
		covered[bringing[i].code] = true;
		tell(out, bringing[i].text);
	}
	fclose(out);
	is_as_accepted(said, "tests/unit/lint/planted.txt");
	free(said);
	run_tests();
	for (int i = 0; i < LINT_CODE_COUNT; i++)
		ok(covered[i], "%s has been planted", lint_code_table[i].name);
	return done_testing();
}
