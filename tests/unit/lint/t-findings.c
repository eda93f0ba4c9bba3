/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "lint/lint.h"
#include "tests/lib/tap.h"

/* Each detail of findings: place, address, other line and text, and the exact limit at which each finding begins. Breakpad's
 * docs/symbol_files.md, the processor's ABI and lint's manual page have the limits. */

#define LINUX "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\n"
#define MAC "MODULE mac x86_64 000102030405060708090A0B0C0D0E0F0 program\n"
#define WINDOWS "MODULE windows x86 000102030405060708090A0B0C0D0E0F1 program.pdb\n"
#define FILE_0 "FILE 0 a.c\n"
#define ORIGIN_0 "INLINE_ORIGIN 0 inner\n"
#define INIT(address, size) "STACK CFI INIT " address " " size " .cfa: $rsp 8 + .ra: .cfa -8 + ^\n"
#define FUNCTION LINUX "FUNC 1000 20 0 f\n"
#define LINES_10 LINUX FILE_0 "FUNC 1000 10 0 f\n"
#define LINES_20 LINUX FILE_0 "FUNC 1000 20 0 f\n"
#define CALLS LINUX FILE_0 ORIGIN_0 "FUNC 1000 20 0 f\n"
#define LAST_CALLS LINUX FILE_0 ORIGIN_0 "FUNC fffffffffffffff0 10 0 f\n"
#define RECORD LINUX INIT("1000", "20")
#define ID(id) "MODULE Linux x86_64 " id " p\n"
#define PUBLICS "PUBLIC 1000 0 a\nPUBLIC 1120 0 b\nPUBLIC 1260 0 c\nPUBLIC 13f0 0 d\n"
/* Records that begin a byte before functions at 1010, 1120, 1260 and 13f0. */
#define BEFORE INIT("100f", "10") INIT("111f", "20") INIT("125f", "10") INIT("13ef", "10")
#define TEN "xxxxxxxxxx"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define HEX_60 "012345678901234567890123456789012345678901234567890123456789"
#define WIN(sizes) WINDOWS "STACK WIN 4 1000 20 " sizes " 1 $eip $esp ^ = $esp $esp 4 + =\n"
#define FITS "; as a decimal number, 32 = 0x20 would fit\n"
#define WIN_AT(range) "STACK WIN 4 " range " 0 0 0 0 0 0 1 $eip $esp ^ = $esp $esp 4 + =\n"
#define DELTA_16 "STACK CFI 1008 .cfa: $rsp 16 +\n"
#define DELTA(rules) LINUX INIT("1000", "20") "STACK CFI 1004 " rules "\n"

/* The findings of one code: "LINE:COLUMN+LENGTH @ADDRESS =LINE: text", one line for each. */
static const struct {
	const char *title;
	enum lint_code code;
	const char *text, *said;
} rows[] = {
	/* fields */
	{ "a size of 32 bits in nine digits has too many", LINT_NUMBER_RANGE,
	  LINUX "FUNC 1000 0ffffffff 0 f\n", "2:11+9: field 3 (size) has too many digits\n" },
	{ "a size of 33 bits does not fit", LINT_NUMBER_RANGE, LINUX "FUNC 1000 100000000 0 f\n",
	  "2:11+9: field 3 (size) does not fit into 32 bits\n" },
	{ "an address of 17 digits does not fit", LINT_MALFORMED_RECORD, LINUX "FUNC 10000000000000000 20 0 f\n",
	  "2:6+17: field 2 (address) does not fit into 64 bits as a hexadecimal number: '10000000000000000'\n" },
	{ "60 bytes of a bad field are shown", LINT_MALFORMED_RECORD, LINUX "FUNC 1000 " SIXTY
	  "yz 0 f\n", "2:11+62: field 3 (size) should be a hexadecimal number, not '" SIXTY "'\n" },
	{ "a field of 60 bytes is shown whole", LINT_MALFORMED_RECORD, LINUX "FUNC 1000 " SIXTY
	  " 0 f\n", "2:11+60: field 3 (size) should be a hexadecimal number, not '" SIXTY "'\n" },
	{ "a tab within a field is named", LINT_MALFORMED_RECORD, LINUX "FUNC 1000\t20 0 f\n",
	  "2:6+7: field 2 (address) should be a hexadecimal number, not '1000\t20'; tabs do not separate fields\n" },
	{ "a hexadecimal line number is of the wrong base",
	  LINT_NUMBER_BASE, LINES_20 "1000 20 1a 0\n", "4:9+2: field 3 (line) should be a decimal number, not '1a'; the record is lost\n" },
	{ "a word for a line number is malformed, not of the wrong base",
	  LINT_MALFORMED_RECORD, LINES_20 "1000 20 xa 0\n", "4:9+2: field 3 (line) should be a decimal number, not 'xa'\n" },
	{ "a missing field has its place at the record's end", LINT_MALFORMED_RECORD,
	  LINUX "FUNC 1000 20 0\n", "2:15+1: field 5 (name) is missing\n" },
	{ "the flag of a FUNC record counts as a field", LINT_MALFORMED_RECORD,
	  LINUX "FUNC m 1000 20 0\n", "2:17+1: field 6 (name) is missing\n" },
	{ "spaces before a number are reported as before it", LINT_FIELD_SPACES, LINUX "FUNC 1000  20 0 f\n", "2:11+1: before field 3\n" },
	{ "a second space of a name belongs to it", LINT_FIELD_SPACES, LINUX "FUNC 1000 20 0  f\n",
	  "2:16+1: before field 5, which contains it\n" },
	{ "an INLINE record with one number too many is malformed",
	  LINT_MALFORMED_RECORD, CALLS "INLINE 0 7 0 0 1004 4\nINLINE 0 7 0 0 1010 4 1018\n",
	  "6:1+26: an odd number of addresses and sizes; the file's other calls have 'INLINE depth line file origin (address size)+'\n" },
	{ "INLINE records of the old form have none too many", LINT_MALFORMED_RECORD,
	  CALLS "INLINE 0 7 0 1004 4\nINLINE 0 7 0 1010 4\n", "" },
	/* MODULE */
	{ "an identifier of 32 digits lacks the age", LINT_MODULE_ID,
	  ID("000102030405060708090A0B0C0D0E0F"), "1:21+32: the age is missing: only 32 digits\n" },
	{ "31 digits are too few", LINT_MODULE_ID, ID("000102030405060708090A0B0C0D0E0"), "1:21+31: expected 33 to 40 digits\n" },
	{ "an age has eight digits at most", LINT_MODULE_ID, ID("000102030405060708090A0B0C0D0E0F12345678"), "" },
	{ "41 digits are too many", LINT_MODULE_ID,
	  ID("000102030405060708090A0B0C0D0E0F123456789"), "1:21+41: expected 33 to 40 digits\n" },
	{ "an age may have lower-case letters", LINT_MODULE_ID, ID("000102030405060708090A0B0C0D0E0Fa"), "" },
	{ "the last digit of the identifier must not be in lower case",
	  LINT_MODULE_ID, ID("000102030405060708090A0B0C0D0E0f0"), "1:21+33: lower-case letters: file systems distinguish them\n" },
	{ "a letter after F is not a digit",
	  LINT_MODULE_ID, ID("000102030405060708090A0B0C0D0E0FG"), "1:21+33: it has characters that are not hexadecimal digits\n" },
	{ "an identifier of zeros is reported as missing",
	  LINT_MODULE_ID, ID("000000000000000000000000000000000"), "1:21+33: it is zero, which means that the module has none\n" },
	{ "an identifier with only the last digit other than 0 is valid", LINT_MODULE_ID, ID("000000000000000000000000000000001"), "" },
	{ "a path with backslashes is not a name", LINT_MODULE_NAME,
	  "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 a\\p\n", "1:55+3: \n" },
	{ "60 bytes of an unknown processor are shown", LINT_MODULE_ARCHITECTURE, "MODULE Linux "
	  SIXTY "yz 000102030405060708090A0B0C0D0E0F0 p\n", "1:14+62: '" SIXTY "'\n" },
	{ "MODULE has four fields", LINT_MALFORMED_RECORD, "MODULE Linux x86_64\n", "1:1+19: not 'MODULE os arch id name'\n" },
	{ "the code identifier of a Linux module begins with its identifier",
	  LINT_CODE_ID, LINUX "INFO CODE_ID 03020100050407060809FFFFFFFFFFFF\n", "2:14+32: 00010203040506070809FFFFFFFFFFFF\n" },
	{ "a code identifier of 31 digits is not compared", LINT_CODE_ID, LINUX "INFO CODE_ID 03020100050407060809FFFFFFFFFFF\n", "" },
	{ "a code identifier of 128 digits is not compared", LINT_CODE_ID, LINUX "INFO CODE_ID " HEX_60 HEX_60 "01234567\n", "" },
	{ "a code identifier of 127 digits is compared", LINT_CODE_ID, LINUX "INFO CODE_ID "
	  HEX_60 HEX_60 "0123456\n", "2:14+127: 67452301018945236789012345678901\n" },
	{ "the line after a record without a code identifier is not compared", LINT_CODE_ID,
	  LINUX "INFO CODE_ID\n" TEN TEN TEN TEN " \n", "" },
	{ "a missing code identifier has its place at the record's end", LINT_CODE_ID_INVALID,
	  LINUX "INFO CODE_ID\n" FILE_0, "2:13+1: it is missing\n" },
	{ "spaces are not a code identifier", LINT_CODE_ID_INVALID, LINUX "INFO CODE_ID  \n" FILE_0, "2:15+1: it is missing\n" },
	{ "a file name is not a code identifier", LINT_CODE_ID_INVALID, WINDOWS "INFO CODE_ID  program.exe\n", "2:15+11: 'program.exe'\n" },
	{ "60 bytes of an invalid code identifier are shown", LINT_CODE_ID_INVALID,
	  LINUX "INFO CODE_ID " SIXTY "yz\n", "2:14+62: '" SIXTY "'\n" },
	{ "a code identifier may be in lower case and without a file name", LINT_CODE_ID_INVALID,
	  WINDOWS "INFO CODE_ID 4B2F1D00a000\n", "" },
	{ "a code identifier may be one digit", LINT_CODE_ID_INVALID, WINDOWS "INFO CODE_ID 5\n", "" },
	{ "an INFO record with another key has no code identifier", LINT_CODE_ID_INVALID, LINUX "INFO GENERATOR\n", "" },
	{ "the code identifier of a PE file is of another form", LINT_CODE_ID,
	  WINDOWS "INFO CODE_ID 03020100050407060809FFFFFFFFFFFF\n", "" },
	{ "a carriage return alone is a blank line", LINT_BLANK_LINE, LINUX "\r\nFILE 0 a.c\r\n", "2:1+0: \n" },
	{ "a file may have nothing but a byte order mark", LINT_BYTE_ORDER_MARK, "\xef\xbb\xbf", "1:1+3: \n" },
	/* files of other kinds; some of them differ from text only by a zero byte */
	{ "symbols of .NET are recognised", LINT_OTHER_FILE, "BSJB\n", "1:1+1: it is a portable PDB\n" },
	{ "an archive is recognised", LINT_OTHER_FILE, "!<arch>\nmain.o/\n", "1:1+1: it is an archive of object files\n" },
	{ "a page from a server is recognised", LINT_OTHER_FILE, "<html>\n", "1:1+1: it is a web page\n" },
	{ "the letters MZ alone are not an executable", LINT_OTHER_FILE, "MZ\n", "" },
	{ "the letters MDMP alone are not a minidump", LINT_OTHER_FILE, "MDMP\n", "" },
	{ "the letters MSCF alone are not a cabinet", LINT_OTHER_FILE, "MSCF\n", "" },
	/* words and numbers */
	{ "a word in capitals that names no record is shown", LINT_UNKNOWN_RECORD, LINUX "FUNCTION 1000 20 0 f\n", "2:1+8: 'FUNCTION'\n" },
	{ "a word whose first letter is a hexadecimal digit is shown too", LINT_UNKNOWN_RECORD,
	  LINUX "ADDRESS 1000 20 1 0\n", "2:1+7: 'ADDRESS'\n" },
	{ "columns after a carriage return count from the beginning of the line",
	  LINT_UNKNOWN_RECORD, LINUX "FILE 0 a\rSTRANGE 1 b\nFUNCTION 1\n", "2:10+7: 'STRANGE'\n3:1+8: 'FUNCTION'\n" },
	{ "60 bytes of an unknown word are shown", LINT_UNKNOWN_RECORD, LINUX SIXTY "yz 1\n", "2:1+62: '" SIXTY "'\n" },
	{ "a word after a tab is shown without the tab",
	  LINT_UNKNOWN_RECORD, LINUX "\tPUBLIC 1000 0 f\n", "2:2+6: 'PUBLIC'; a record must start at the beginning of its line\n" },
	{ "a word in lower case is reported as such", LINT_UNKNOWN_RECORD,
	  LINUX "Public 1000 0 f\n", "2:1+6: 'Public'; it must be in capitals\n" },
	{ "a word without fields is reported as such", LINT_UNKNOWN_RECORD, LINUX "FILE\n", "2:1+4: 'FILE'; nothing follows it\n" },
	{ "a word before a tab is reported as such", LINT_UNKNOWN_RECORD, LINUX "FILE\t0 a.c\n",
	  "2:1+4: 'FILE'; tabs do not separate fields\n" },
	{ "a line of code with a large letter of hexadecimal is read as one", LINT_UNKNOWN_RECORD,
	  LINUX FILE_0 "FUNC a000 20 0 f\nA000 20 1 0\n", "" },
	{ "the word after STACK is shown if it is an unknown kind", LINT_STACK_UNKNOWN, LINUX "STACK VAX 1\n", "2:7+5: \n" },
	{ "STACK without a kind at all is one byte", LINT_STACK_UNKNOWN, LINUX "STACK \n", "2:7+1: \n" },
	{ "the last byte of a file may be invalid UTF-8", LINT_NOT_UTF8, LINUX "FILE 0 a\x80", "2:9+1: byte 0x80\n" },
	{ "the last but one byte of a file may be invalid UTF-8", LINT_NOT_UTF8, LINUX "FILE 0 a\x80" "b", "2:9+1: byte 0x80\n" },
	{ "the second definition of a file is the wrong one", LINT_FILE_DUPLICATE,
	  LINUX FILE_0 "FILE 1 b.c\nFILE 0 c.c\n", "4:6+1 =2: number 0, defined on line 2\n" },
	{ "each use of a file that is not defined is counted", LINT_FILE_UNDEFINED,
	  LINES_20 "1000 8 1 7\n1008 8 1 7\n1010 10 1 8\n", "4:10+1: number 7, used 2 times\n6:11+1: number 8, used 1 time\n" },
	{ "a file may be defined too late", LINT_FILE_LATE,
	  FUNCTION "1000 20 1 7\nFILE 7 a.c\n", "3:11+1 =4: number 7, used 1 time before it\n" },
	{ "an origin may be defined too late",
	  LINT_ORIGIN_LATE, LINES_20 "INLINE 0 1 0 7 1000 4\nINLINE_ORIGIN 7 g\n", "4:14+1 =5: number 7, used 1 time before it\n" },
	{ "a file number far from all others is found", LINT_FILE_UNDEFINED,
	  LINUX FILE_0 "FILE 1099511627776 b.c\nFUNC 1000 20 0 f\n1000 20 1 1099511627776\n", "" },
	{ "the old form of a call names no file", LINT_FILE_UNDEFINED, LINUX ORIGIN_0 "FUNC 1000 20 0 f\nINLINE 0 1 0 1000 4\n", "" },
	/* functions and lines */
	{ "a function may end with the last byte of all", LINT_FUNC_WRAPS, LINUX "FUNC fffffffffffffffe 2 0 f\n", "" },
	{ "a function must not extend past the last address", LINT_FUNC_WRAPS,
	  LINUX "FUNC fffffffffffffffe 3 0 f\n", "2:1+27 @fffffffffffffffe: \n" },
	{ "a function before the one before it is out of order", LINT_FUNC_UNSORTED,
	  LINUX "FUNC 1000 10 0 a\nFUNC fff 1 0 b\n", "3:1+14 @fff: 0xfff after 0x1000\n" },
	{ "a function at the address of the previous one is not out of order", LINT_FUNC_UNSORTED,
	  LINUX "FUNC 1000 10 0 a\nFUNC 1000 10 0 b\n", "" },
	{ "functions may touch", LINT_FUNC_OVERLAP, LINUX "FUNC 1000 10 0 a\nFUNC 1010 10 0 b\n", "" },
	{ "the later of two functions that share a byte is lost", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 1f 0 a\nFUNC 101e 10 0 b\n", "3:1+16 @101e =2: 0x101e to 0x102d and 0x1000 to 0x101e of line 2\n" },
	{ "the later of two overlapping functions is lost even if it begins first", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 10 0 a\nFUNC ff2 f 0 b\n", "3:1+14 @ff2 =2: 0xff2 to 0x1000 and 0x1000 to 0x100f of line 2\n" },
	{ "a size that fits as a decimal number is named", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 32 0 a\nFUNC 1020 10 0 b\n", "3:1+16 @1020 =2: 0x1020 to 0x102f and 0x1000 to 0x1031 of line 2" FITS },
	{ "a decimal size that leaves 15 bytes of padding is named", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 32 0 a\nFUNC 102f 10 0 b\n", "3:1+16 @102f =2: 0x102f to 0x103e and 0x1000 to 0x1031 of line 2" FITS },
	{ "a decimal size that leaves 16 bytes of padding is not named", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 32 0 a\nFUNC 1030 10 0 b\n", "3:1+16 @1030 =2: 0x1030 to 0x103f and 0x1000 to 0x1031 of line 2\n" },
	{ "a decimal size that is still too large is not named", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 32 0 a\nFUNC 101f 10 0 b\n", "3:1+16 @101f =2: 0x101f to 0x102e and 0x1000 to 0x1031 of line 2\n" },
	{ "a size with a letter is not named as decimal", LINT_FUNC_OVERLAP,
	  LINUX "FUNC 1000 2a 0 a\nFUNC 1014 10 0 b\n", "3:1+16 @1014 =2: 0x1014 to 0x1023 and 0x1000 to 0x1029 of line 2\n" },
	{ "a line at the function's first byte is in it", LINT_LINE_BEFORE, LINES_10 "1000 10 1 0\n", "" },
	{ "a line one byte before the function is not in it", LINT_LINE_BEFORE,
	  LINES_10 "fff 11 1 0\n", "4:1+10 @fff =3: 0xfff is before the function at 0x1000\n" },
	{ "a line that ends one byte after its function is outside", LINT_LINE_OUTSIDE,
	  LINUX FILE_0 "FUNC 1000 1a 0 f\n1000 1b 1 0\n", "4:1+11 @1000 =3: 0x101a is past the function's end at 0x1019\n" },
	{ "a line after its function is outside", LINT_LINE_OUTSIDE, LINES_10 "1000 10 1 0\n1010 8 1 0\n",
	  "5:1+10 @1010 =3: 1 line from 0x1010 to 0x1017, past the end of the function on line 3\n" },
	{ "lines after a function that covers nothing are outside of it",
	  LINT_LINE_OUTSIDE, LINUX FILE_0 "FUNC 1000 0 0 f\n1000 8 1 0\n1008 8 1 0\n",
	  "4:1+10 @1000 =3: 2 lines from 0x1000 to 0x100f; the function on line 3 covers no address\n" },
	{ "two lines after a function belong to a lost one", LINT_FUNC_LOST, LINES_10 "1000 10 1 0\n1018 8 1 0\n1010 8 1 0\n",
	  "5:1+10 @1018 =3: 2 lines from 0x1018 to 0x101f, past the end of the function on line 3\n" },
	{ "a size of a line that fits as a decimal number is named",
	  LINT_LINE_OVERLAP, LINUX FILE_0 "FUNC 1000 40 0 a\n1000 32 1 0\n1020 20 1 0\n",
	  "5:1+11 @1020 =4: 0x1020 to 0x103f and 0x1000 to 0x1031 of line 4" FITS },
	{ "a size of the last line that fits as a decimal number is named",
	  LINT_LINE_OUTSIDE, LINES_20 "1000 32 1 0\n", "4:1+11 @1000 =3: 0x1031 is past the function's end at 0x101f" FITS },
	{ "a size of an INIT record that fits as a decimal number is named", LINT_CFI_INIT_OVERLAP,
	  LINUX INIT("1000", "32") INIT("1020", "10"), "3:1+54 @1020 =2: 0x1020 to 0x102f and 0x1000 to 0x1031 of line 2" FITS },
	{ "lines may touch", LINT_LINE_OVERLAP, LINES_10 "1000 8 1 0\n1008 8 2 0\n", "" },
	{ "lines that share a byte overlap", LINT_LINE_OVERLAP, LINES_10 "1000 9 1 0\n1008 8 2 0\n",
	  "5:1+10 @1008 =4: 0x1008 to 0x100f and 0x1000 to 0x1008 of line 4\n" },
	{ "a line overlaps the one that reaches furthest", LINT_LINE_OVERLAP,
	  LINUX FILE_0 "FUNC 1000 1f 0 f\n1000 1f 1 0\n1004 4 2 0\n100c 4 3 0\n",
	  "5:1+10 @1004 =4: 0x1004 to 0x1007 and 0x1000 to 0x101e of line 4\n"
	  "6:1+10 @100c =4: 0x100c to 0x100f and 0x1000 to 0x101e of line 4\n" },
	{ "holes between lines are counted together", LINT_LINE_HOLE, LINES_20
	  "1000 8 1 0\n100a 8 1 0\n1014 8 1 0\n", "3:1+16 @1008: 8 bytes, from 0x1008 on\n" },
	{ "a hole within another function is not reported", LINT_LINE_HOLE, LINES_20 "1000 8 1 0\nFUNC 1008 18 0 g\n1008 18 1 0\n", "" },
	{ "a line on the last address of all leaves no hole", LINT_LINE_HOLE,
	  LINUX FILE_0 "FUNC fffffffffffffff0 10 0 f\nfffffffffffffff0 10 1 0\n", "" },
	{ "a function without lines has no holes", LINT_LINE_HOLE, FUNCTION, "" },
	/* inlined calls */
	{ "a call that ends with its function is in it", LINT_INLINE_OUTSIDE, CALLS "INLINE 0 1 0 0 1000 20\n", "" },
	{ "a call that ends after its function is outside",
	  LINT_INLINE_OUTSIDE, CALLS "INLINE 0 1 0 0 1000 21\n", "5:16+1 @1000 =4: 1 of 1 ranges are not within the function\n" },
	{ "the range that is outside is named",
	  LINT_INLINE_OUTSIDE, CALLS "INLINE 0 1 0 0 1000 4 1020 4\n", "5:23+1 @1020 =4: 1 of 2 ranges are not within the function\n" },
	{ "a range in another part of a split function is not counted with one outside", LINT_INLINE_OUTSIDE,
	  LINUX FILE_0 ORIGIN_0 "FUNC 1000 10 0 f\nINLINE 0 1 0 0 1000 4 1010 4 2000 4\n"
	  "FUNC 1010 10 0 f\n", "5:30+1 @2000 =4: 1 of 3 ranges are not within the function\n" },
	{ "ranges of the level above that touch are one", LINT_INLINE_OUTSIDE,
	  CALLS "INLINE 0 1 0 0 1000 4 1004 4\nINLINE 1 1 0 0 1002 4\n", "" },
	{ "a call over a byte between two ranges of its caller is outside",
	  LINT_INLINE_OUTSIDE, CALLS "INLINE 0 1 0 0 1000 4 1005 4\nINLINE 1 1 0 0 1002 4\n",
	  "6:16+1 @1002: 1 of 1 ranges are not within the call of the level above\n" },
	{ "the caller's ranges may touch in any order", LINT_INLINE_OUTSIDE,
	  CALLS "INLINE 0 1 0 0 1008 4 1004 4 1000 4\nINLINE 1 1 0 0 1002 8\n", "" },
	{ "a call may end with the last byte of all", LINT_INLINE_SIZE_ZERO, LAST_CALLS "INLINE 0 1 0 0 fffffffffffffffe 2\n", "" },
	{ "a call must not extend past the last address", LINT_INLINE_SIZE_ZERO, LAST_CALLS
	  "INLINE 0 1 0 0 fffffffffffffffe 3\n", "5:16+1 @fffffffffffffffe: 1 of 1 ranges\n" },
	{ "calls around a call may be two records that touch", LINT_INLINE_OUTSIDE,
	  CALLS "INLINE 0 1 0 0 1000 4\nINLINE 0 2 0 0 1004 4\nINLINE 1 1 0 0 1002 4\n", "" },
	{ "two records with a byte between them are not around it", LINT_INLINE_OUTSIDE,
	  CALLS "INLINE 0 1 0 0 1000 4\nINLINE 0 2 0 0 1005 4\nINLINE 1 1 0 0 1002 4\n",
	  "7:16+1 @1002: 1 of 1 ranges are not within the call of the level above\n" },
	{ "the first call of a function has level 0",
	  LINT_INLINE_LEVEL, CALLS "INLINE 1 1 0 0 1000 4\n", "5:8+1 @1000: the first call of a function must have level 0, not 1\n" },
	{ "a level does not leave one out",
	  LINT_INLINE_LEVEL, CALLS "INLINE 0 1 0 0 1000 4\nINLINE 2 1 0 0 1000 4\n", "6:8+1 @1000: level 2 after level 0\n" },
	{ "calls of one level may touch", LINT_INLINE_OVERLAP, CALLS "INLINE 0 1 0 0 1000 4\nINLINE 0 2 0 0 1004 4\n", "" },
	{ "those that share a byte overlap", LINT_INLINE_OVERLAP,
	  CALLS "INLINE 0 1 0 0 1000 4\nINLINE 0 2 0 0 1003 4\n", "6:1+21 @1003 =5: 0x1003 to 0x1006 and 0x1000 to 0x1003 of line 5\n" },
	{ "calls of two levels share all bytes", LINT_INLINE_OVERLAP, CALLS "INLINE 0 1 0 0 1000 4\nINLINE 1 2 0 0 1000 4\n", "" },
	{ "empty ranges of a call are counted", LINT_INLINE_SIZE_ZERO,
	  CALLS "INLINE 0 1 0 0 1000 4 1004 0 1008 0\n", "5:23+1 @1004: 2 of 3 ranges\n" },
	{ "a range up to the last byte of all is not empty", LINT_INLINE_SIZE_ZERO, LAST_CALLS "INLINE 0 1 0 0 ffffffffffffffff 1\n", "" },
	{ "a call has a range", LINT_MALFORMED_RECORD, CALLS "INLINE 0 1 0 0\n", "5:15+1: no range after field 5\n" },
	{ "a call without fields does not end its function", LINT_INTERLEAVED, LINES_20 "INLINE \n1000 20 1 0\n", "" },
	/* linker symbols */
	{ "a symbol 1 MiB after all code is not far", LINT_PUBLIC_FAR, FUNCTION "PUBLIC 10101f 0 p\n", "" },
	{ "a symbol one byte further after all code is far", LINT_PUBLIC_FAR,
	  FUNCTION "PUBLIC 101020 0 p\n", "3:1+17 @101020: 0x101020\n" },
	{ "a symbol 1 MiB before all code is not far", LINT_PUBLIC_FAR, LINUX "PUBLIC 1000 0 p\nFUNC 101000 20 0 f\n", "" },
	{ "a symbol one byte further before all code is far", LINT_PUBLIC_FAR,
	  LINUX "PUBLIC fff 0 p\nFUNC 101000 20 0 f\n", "2:1+14 @fff: 0xfff\n" },
	{ "between two functions the closer one counts", LINT_PUBLIC_FAR, FUNCTION "PUBLIC 300000 0 p\nFUNC 400000 20 0 g\n", "" },
	{ "a symbol at the first byte of a function names it again", LINT_PUBLIC_INSIDE_FUNC, FUNCTION "PUBLIC 1000 0 p\n", "" },
	{ "a symbol at the last byte of a function is inside", LINT_PUBLIC_INSIDE_FUNC,
	  FUNCTION "PUBLIC 101f 0 p\n", "3:1+15 @101f =2: 0x101f is in 0x1000 to 0x101f\n" },
	{ "a symbol after a function is not inside", LINT_PUBLIC_INSIDE_FUNC, FUNCTION "PUBLIC 1020 0 p\n", "" },
	{ "the second of two symbols at one address is lost", LINT_PUBLIC_DUPLICATE,
	  LINUX "PUBLIC 1000 0 p\nPUBLIC 1000 0 q\n", "3:1+15 @1000 =2: 0x1000 to 0x1000 and 0x1000 to 0x1000 of line 2\n" },
	/* STACK CFI records */
	{ "INIT records in a header are those of the header",
	  LINT_CFI_INIT_AT_ZERO, LINUX INIT("10", "1a") INIT("29", "10"), "3:1+52 @29 =2: 0x29 to 0x38 and 0x10 to 0x29 of line 2\n" },
	{ "the header of an ELF file has 52 bytes", LINT_CFI_INIT_AT_ZERO, LINUX INIT("33",
	  "10") INIT("33", "20"), "3:1+52 @33 =2: 0x33 to 0x52 and 0x33 to 0x42 of line 2\n" },
	{ "a record at the 53rd byte is not in the header", LINT_CFI_INIT_AT_ZERO, LINUX INIT("33", "10") INIT("34", "10"), "" },
	{ "a record of the first byte of all ends at the second",
	  LINT_CFI_DELTA_AT_END, LINUX INIT("0", "1") "STACK CFI 1 .cfa: $rsp 16 +\n", "3:1+27 @1 =2: 0x1 ends the range of line 2\n" },
	{ "a delta on the last byte is in its record", LINT_CFI_DELTA_AT_END, RECORD "STACK CFI 101f .cfa: $rsp 16 +\n", "" },
	{ "a delta right after the record's last byte ends its range",
	  LINT_CFI_DELTA_AT_END, RECORD "STACK CFI 1020 .cfa: $rsp 16 +\n", "3:1+30 @1020 =2: 0x1020 ends the range of line 2\n" },
	{ "a delta further after the record is in no range", LINT_CFI_DELTA_OUTSIDE,
	  RECORD "STACK CFI 1021 .cfa: $rsp 16 +\n", "3:1+30 @1021: 0x1021\n" },
	{ "a delta before the record is in no range", LINT_CFI_DELTA_OUTSIDE,
	  RECORD "STACK CFI fff .cfa: $rsp 16 +\n", "3:1+29 @fff: 0xfff\n" },
	{ "a delta may be in an earlier record", LINT_CFI_DELTA_APART, LINUX INIT("1000",
	  "20") INIT("1020", "10") DELTA_16, "4:1+30 @1008 =2: 0x1008 is covered by line 2\n" },
	{ "a delta may precede its record in the file", LINT_CFI_DELTA_BEFORE_INIT,
	  LINUX DELTA_16 INIT("1000", "20"), "2:1+30 @1008 =3: 0x1008 is covered by line 3\n" },
	{ "deltas go up", LINT_CFI_DELTA_UNSORTED, RECORD
	  DELTA_16 "STACK CFI 1007 .cfa: $rsp 16 +\n", "4:1+30 @1007: 0x1007 after 0x1008\n" },
	{ "two at one address are one too many", LINT_CFI_DELTA_DUPLICATE, RECORD DELTA_16
	  "STACK CFI 1008 $rbx: .cfa -16 + ^\n", "4:1+33 @1008 =3: 0x1008, as on line 3\n" },
	{ "two deltas at one address are found with another one between them",
	  LINT_CFI_DELTA_DUPLICATE, RECORD DELTA_16 "STACK CFI 100c .cfa: $rsp 24 +\n"
	  "STACK CFI 1008 $rbx: .cfa -16 + ^\n", "5:1+33 @1008 =3: 0x1008, as on line 3\n" },
	{ "a delta may begin with its record", LINT_CFI_DELTA_DUPLICATE, RECORD "STACK CFI 1000 $rbx: $rbx\n", "" },
	/* rules */
	{ "a vector register has two digits at most", LINT_CFI_UNTRACKED_REGISTER,
	  DELTA("$xmm15: .cfa -24 + ^"), "3:16+6 @1004: '$xmm15' on amd64\n" },
	{ "a vector register has one digit at least, which may be 0", LINT_CFI_UNTRACKED_REGISTER,
	  DELTA("$xmm0: .cfa -24 + ^"), "3:16+5 @1004: '$xmm0' on amd64\n" },
	{ "a vector register with three digits is unknown", LINT_CFI_UNKNOWN_REGISTER,
	  DELTA("$xmm100: .cfa -24 + ^"), "3:16+7 @1004: '$xmm100' on amd64\n" },
	{ "a vector register without a number is unknown", LINT_CFI_UNKNOWN_REGISTER,
	  DELTA("$xmm: .cfa -24 + ^"), "3:16+4 @1004: '$xmm' on amd64\n" },
	{ "60 bytes of an unknown register are shown", LINT_CFI_UNKNOWN_REGISTER, DELTA("$" SIXTY
	  ": .cfa -24 + ^"), "3:16+61 @1004: '$xxxxxxxxx" TEN TEN TEN TEN TEN "' on amd64\n" },
	{ "a number is no name of a register", LINT_CFI_COLON, DELTA("$rbx: .cfa -16: + ^"), "3:27+4 @1004: \n" },
	{ "numbers with a colon between them are a name", LINT_CFI_UNKNOWN_REGISTER,
	  DELTA("8:9: .cfa -16 + ^"), "3:16+3 @1004: '8:9' on amd64\n" },
	{ "an operator is not the name of a register", LINT_CFI_COLON, DELTA("$rbx: .cfa -16 +: ^"), "3:31+2 @1004: \n" },
	{ "a number too large is named so", LINT_CFI_UNKNOWN_NAME, DELTA("$rbx: .cfa -99999999999999999999 + ^"),
	  "3:27+21 @1004: '-99999999999999999999', a number too large for the processor's words\n" },
	{ "a hexadecimal one, too", LINT_CFI_UNKNOWN_NAME, DELTA("$rbx: .cfa 0x10 - ^"),
	  "3:27+4 @1004: '0x10'; numbers are decimal and whole\n" },
	{ "a word is only a word", LINT_CFI_UNKNOWN_NAME, DELTA("$rbx: .cfa x - ^"), "3:27+1 @1004: 'x'\n" },
	{ "80 bytes of it are shown", LINT_CFI_UNKNOWN_NAME,
	  DELTA("$rbx: .cfa " SIXTY TEN TEN "yz - ^"), "3:27+82 @1004: '" SIXTY TEN TEN "'\n" },
	{ ".cfa is not known in its own rule", LINT_CFI_UNKNOWN_NAME, DELTA(".cfa: .cfa 8 +"), "3:22+4 @1004: '.cfa' in its own rule\n" },
	{ ".ra is no register", LINT_CFI_UNKNOWN_NAME, DELTA("$rbx: .ra"), "3:22+3 @1004: '.ra', which is not a register\n" },
	{ "a name without an expression is at its end", LINT_CFI_SYNTAX,
	  DELTA("$rbx: .cfa -16 + ^ $rbp:"), "3:35+5 @1004: a name without an expression\n" },
	{ "a name without an expression is found between others", LINT_CFI_SYNTAX,
	  DELTA("$rbp: $rbx: .cfa -16 + ^"), "3:16+5 @1004: a name without an expression\n" },
	{ "an expression without a name is the first word", LINT_CFI_SYNTAX,
	  DELTA("$rbx .cfa -16 + ^"), "3:16+4 @1004: an expression without a name\n" },
	{ "a rule before another one is found", LINT_CFI_RULE_TWICE,
	  DELTA("$rbx: .cfa -16 + ^ $rbx: .cfa -24 + ^"), "3:35+5 @1004: '$rbx'\n" },
	{ "the end of another name is no rule", LINT_CFI_RULE_TWICE, DELTA(".ra: .cfa -8 + ^ ra: .cfa -8 + ^"), "" },
	{ "an operator has two operands", LINT_CFI_EXPRESSION, DELTA("$rbx: 8 +"), "3:24+1 @1004: the operator has too few operands\n" },
	{ "a single value must be left", LINT_CFI_EXPRESSION, DELTA("$rbx: .cfa 8"), "3:27+1 @1004: more than one value is left\n" },
	{ "an assignment leaves none", LINT_CFI_EXPRESSION, DELTA("$rbx: $T0 8 ="), "3:28+1 @1004: no value is left\n" },
	{ "the divisor is a value, not the dividend", LINT_CFI_DIVISION, DELTA("$rbx: 0 $rsp /"), "" },
	{ "the remainder has a divisor, too", LINT_CFI_DIVISION, DELTA("$rbx: $rsp 0 %"), "3:29+1 @1004: the divisor is 0\n" },
	{ "the word at a constant address is not the frame's", LINT_CFI_CONSTANT_READ,
	  DELTA("$rbx: .cfa -24 ^ +"), "3:31+1 @1004: address -24\n" },
	{ "a constant address has the sign of a word of 32 bits", LINT_CFI_CONSTANT_READ,
	  "MODULE Linux x86 000102030405060708090A0B0C0D0E0F0 program\n"
	  "STACK CFI INIT 1000 20 .cfa: $esp 4 + .ra: .cfa -4 + ^ $ebx: -4 ^\n", "2:65+1 @1000: address -4\n" },
	{ "a constant address has all 64 bits", LINT_CFI_CONSTANT_READ, DELTA("$rbx: 4294967300 ^"), "3:33+1 @1004: address 4294967300\n" },
	{ "a constant may be computed", LINT_CFI_CONSTANT_READ, DELTA("$rbx: 16 8 + ^"), "3:29+1 @1004: address 24\n" },
	{ "the word at a distance from a register is the frame's", LINT_CFI_CONSTANT_READ, DELTA("$rbx: -24 .cfa + ^ .ra: $rsp ^"), "" },
	{ "1 is a power of two", LINT_CFI_ALIGNMENT, DELTA("$rbx: $rsp 1 @"), "" },
	{ "3 is not", LINT_CFI_ALIGNMENT, DELTA("$rbx: $rsp 3 @"), "3:29+1 @1004: the second value is not a power of two\n" },
	{ "a negative number is not", LINT_CFI_ALIGNMENT, DELTA("$rbx: $rsp -8 @"),
	  "3:30+1 @1004: the second value is not a power of two\n" },
	/* frames: the System V ABI of x86-64 puts the return address below the CFA */
	{ "the CFA is at a higher address than the return address", LINT_CFI_CFA_FALLS, DELTA(".cfa: $rsp 8 +"), "" },
	{ "the CFA is not within the return address", LINT_CFI_CFA_FALLS, DELTA(".cfa: $rsp 7 +"),
	  "3:22+8 @1004: it is the stack pointer + 7\n" },
	{ "a CFA below the stack pointer is reported", LINT_CFI_CFA_FALLS, DELTA(".cfa: $rsp 16 -"),
	  "3:22+9 @1004: it is the stack pointer - 16\n" },
	{ "a CFA that is a number is reported", LINT_CFI_CFA_FALLS, DELTA(".cfa: 8 16 +"),
	  "3:22+6 @1004: it is 24, independent of the stack\n" },
	{ "numbers are added from either side", LINT_CFI_UNALIGNED, DELTA(".cfa: 17 $rsp +"), "3:22+9 @1004: 17 is not a multiple of 8\n" },
	{ "a difference is not", LINT_CFI_UNALIGNED, DELTA(".cfa: 17 $rsp -"), "" },
	{ "registers are saved at multiples of a word", LINT_CFI_UNALIGNED,
	  DELTA("$rbx: .cfa -17 + ^"), "3:22+12 @1004: -17 is not a multiple of 8\n" },
	{ "the CFA itself may be in any register", LINT_CFI_CFA_REGISTER, DELTA(".cfa: $r10 0 +"), "" },
	{ "a distance to another than the frame's is odd", LINT_CFI_CFA_REGISTER, DELTA(".cfa: $r10 8 +"), "3:22+8 @1004: $r10\n" },
	{ "the return address is read", LINT_CFI_NOT_READ, DELTA(".ra: .cfa -8 +"), "3:21+9 @1004: the return address is CFA - 8\n" },
	{ "a register must be read", LINT_CFI_NOT_READ, DELTA("$rbx: .cfa 8 +"), "3:22+8 @1004: its value is CFA + 8\n" },
	{ "the caller's stack pointer is a value", LINT_CFI_NOT_READ, DELTA("$rsp: .cfa 0 +"), "" },
	{ "the return address is a word below the CFA", LINT_CFI_RA_ELSEWHERE,
	  DELTA(".ra: .cfa -16 + ^"), "3:21+12 @1004: at CFA - 16, not at CFA - 8\n" },
	{ "the return address of a machine frame is 24 bytes below its stack pointer",
	  LINT_CFI_RA_ELSEWHERE, DELTA(".cfa: $rsp 64 + $rsp: .cfa -24 + ^ .ra: .cfa -48 + ^"), "" },
	{ "a stack pointer elsewhere makes no machine frame", LINT_CFI_RA_ELSEWHERE,
	  DELTA(".cfa: $rsp 64 + $rsp: .cfa -16 + ^ .ra: .cfa -48 + ^"), "3:56+12 @1004: at CFA - 48, not at CFA - 8\n" },
	{ "0 ends the stack", LINT_CFI_RA_ELSEWHERE, DELTA(".ra: 0"), "" },
	{ "a number other than 0 is no return address", LINT_CFI_RA_ELSEWHERE, DELTA(".ra: 1"),
	  "3:21+1 @1004: it is not read from the stack\n" },
	{ "the caller's frame begins at the CFA", LINT_CFI_SLOT_ABOVE, DELTA("$rbx: .cfa 0 + ^"), "3:22+10 @1004: at CFA + 0\n" },
	{ "a word below it is this frame's", LINT_CFI_SLOT_ABOVE, DELTA("$rbx: .cfa -8 + ^"), "" },
	{ "the word of the return address is its own", LINT_CFI_SLOT_SHARED,
	  DELTA("$rbx: .cfa -8 + ^"), "3:22+11 @1004: the return address is there, at CFA - 8\n" },
	{ "the word of another register is its own",
	  LINT_CFI_SLOT_SHARED, DELTA("$rbx: .cfa -16 + ^ $rbp: .cfa -16 + ^"), "3:41+12 @1004: rbx is there, at CFA - 16\n" },
	{ "registers reach as far as the red zone", LINT_CFI_SAVED_BELOW, DELTA("$rbx: .cfa -136 + ^"), "" },
	{ "registers are not saved below the red zone", LINT_CFI_SAVED_BELOW,
	  DELTA("$rbx: .cfa -144 + ^"), "3:16+19 @1004: 144 bytes below the CFA, which is 8 above the stack pointer\n" },
	/* STACK WIN */
	{ "a prologue may be all code", LINT_WIN_SIZES, WIN("20 20 0 0 0 0"), "" },
	{ "a prologue is not longer than the code", LINT_WIN_SIZES, WIN("21 0 0 0 0 0"),
	  "2:21+2 @1000: prologue_size: 0x21 is more than 0x20\n" },
	{ "an epilogue is not longer than the code", LINT_WIN_SIZES, WIN("0 21 0 0 0 0"),
	  "2:23+2 @1000: epilogue_size: 0x21 is more than 0x20\n" },
	{ "a return removes up to 0xffff bytes", LINT_WIN_SIZES, WIN("0 0 fffc 0 0 0"), "" },
	{ "a return removes no more than 0xffff bytes", LINT_WIN_SIZES, WIN("0 0 10000 0 0 0"),
	  "2:25+5 @1000: parameter_size: 0x10000 is more than 0xffff\n" },
	{ "64 bytes of registers are saved at most", LINT_WIN_SIZES, WIN("0 0 0 40 0 0"), "" },
	{ "68 are too many", LINT_WIN_SIZES, WIN("0 0 0 44 0 0"), "2:27+2 @1000: saved_register_size: 0x44 is more than 0x40\n" },
	{ "locals have 16 MiB", LINT_WIN_SIZES, WIN("0 0 0 0 1000000 0"), "" },
	{ "locals have no more than 16 MiB", LINT_WIN_SIZES, WIN("0 0 0 0 1000004 0"),
	  "2:29+7 @1000: local_size: 0x1000004 is more than 0x1000000\n" },
	{ "the stack has words of four bytes", LINT_WIN_SIZES, WIN("0 0 0 0 6 0"),
	  "2:29+1 @1000: local_size: 0x6 is not a multiple of 0x4\n" },
	{ "a record that overlaps only lost ones is kept", LINT_WIN_OVERLAP, WINDOWS
	  WIN_AT("1008 10") WIN_AT("1000 10") WIN_AT("1004 8") WIN_AT("1000 8"),
	  "3:1+63 @1000 =2: 0x1000 to 0x100f and 0x1008 to 0x1017 of line 2\n"
	  "4:1+62 @1004 =2: 0x1004 to 0x100b and 0x1008 to 0x1017 of line 2\n" },
	{ "the address of a result is four bytes of parameters", LINT_WIN_PARAMETERS,
	  WINDOWS "FUNC 1000 20 8 f\nSTACK WIN 0 1000 20 0 0 4 0 0 0 0 0\n", "" },
	{ "eight more are others", LINT_WIN_PARAMETERS, WINDOWS "FUNC 1000 20 8 f\nSTACK WIN 0 1000 20 0 0 10 0 0 0 0 0\n",
	  "3:1+36 @1000 =2: 0x10 bytes, but 0x8 in the FUNC record on line 2\n" },
	{ "a record within a function is not the function's", LINT_WIN_PARAMETERS,
	  WINDOWS "FUNC 1000 20 8 f\nSTACK WIN 0 1004 10 0 0 10 0 0 0 0 0\n", "" },
	{ "type 4 is the last", LINT_WIN_TYPE, WINDOWS "STACK WIN 5 1000 20 0 0 0 0 0 0 0 0\n", "2:11+1 @1000: 5\n" },
	{ "a program belongs to type 4", LINT_WIN_PROGRAM_TYPE, WINDOWS
	  "STACK WIN 4 1000 20 0 0 0 0 0 0 0 0\n", "2:11+1 @1000: type 4 without a program\n" },
	{ "a letter is not one digit",
	  LINT_NUMBER_BASE, WINDOWS "STACK WIN 0 1000 20 0 0 0 0 0 0 a 0\n", "2:33+1: field 12 (has_program_string) is not one digit\n" },
	{ "9 is a digit", LINT_NUMBER_BASE, WINDOWS "STACK WIN 4 1000 20 0 0 0 0 0 0 9 $eip $esp ^ = $esp $esp 4 + =\n", "" },
	/* coverage */
	{ "a byte without unwind records is counted", LINT_CODE_WITHOUT_UNWIND,
	  FUNCTION INIT("1000", "1f"), "2:1+16 @101f: 1 of 32 bytes, from 0x101f on\n" },
	{ "bytes on both sides are counted together", LINT_CODE_WITHOUT_UNWIND,
	  FUNCTION INIT("1004", "10"), "2:1+16 @1000: 16 of 32 bytes, from 0x1000 on\n" },
	{ "records may touch", LINT_CODE_WITHOUT_UNWIND, FUNCTION INIT("1000", "10") INIT("1010", "10"), "" },
	{ "functions without any record are one finding", LINT_NO_UNWIND, FUNCTION "FUNC 2000 20 0 g\n", "2:1+16: 2 functions\n" },
	{ "a record whose last byte is a function's is about it", LINT_UNWIND_WITHOUT_CODE, FUNCTION INIT("ff1", "10"), "" },
	{ "a record before it is about nothing", LINT_UNWIND_WITHOUT_CODE, FUNCTION INIT("ff0", "10"), "3:1+53 @ff0: 0xff0 to 0xfff\n" },
	{ "a linker symbol on its last byte names it", LINT_UNWIND_WITHOUT_CODE, LINUX "PUBLIC 100f 0 p\n" INIT("1000", "10"), "" },
	{ "a linker symbol before a function names it in walks", LINT_UNWIND_WITHOUT_CODE,
	  LINUX "PUBLIC fff 0 p\n" INIT("1000", "10"), "3:1+54 @1000 =2: 0x1000 to 0x100f, named by 0xfff of line 2\n" },
	{ "a linker symbol before another function names nothing", LINT_UNWIND_WITHOUT_CODE,
	  FUNCTION "PUBLIC 800 0 p\n" INIT("3000", "10"), "4:1+54 @3000: 0x3000 to 0x300f\n" },
	{ "a symbol at a function's start names nothing after the function",
	  LINT_UNWIND_WITHOUT_CODE, LINUX "FUNC 1000 10 0 f\nPUBLIC 1000 0 p\n" INIT("3000", "10"), "4:1+54 @3000: 0x3000 to 0x300f\n" },
	/* records that are displaced from their functions */
	{ "records 16 bytes from linker symbols are moved", LINT_CFI_SHIFTED, LINUX PUBLICS INIT("1010",
	  "10") INIT("1130", "10") INIT("1270", "10") INIT("1400", "10"), "6:1+54 @1010: functions begin 0x10 bytes before them\n" },
	{ "15 bytes are an instruction that is left out", LINT_CFI_SHIFTED, LINUX
	  PUBLICS INIT("100f", "10") INIT("112f", "10") INIT("126f", "10") INIT("13ff", "10"), "" },
	{ "records that leave out the first instruction and end with the code are not moved",
	  LINT_CFI_SHIFTED, LINUX PUBLICS INIT("1004", "1c") INIT("1124", "c") INIT("1264", "1c") INIT("13f4", "1c"), "" },
	{ "three records prove nothing", LINT_CFI_SHIFTED, LINUX PUBLICS INIT("1010", "10") INIT("1130", "10") INIT("1270", "10"), "" },
	{ "records shortly before functions are reported as moved", LINT_CFI_SHIFTED,
	  LINUX "FUNC 1010 10 0 a\nFUNC 1120 20 0 b\nFUNC 1260 10 0 c\nFUNC 13f0 10 0 d\n" BEFORE,
	  "6:1+54 @100f: functions begin 0x1 byte after them\n" },
	{ "functions of other sizes do not match the records", LINT_CFI_SHIFTED, LINUX
	  "FUNC 1010 11 0 a\nFUNC 1120 21 0 b\nFUNC 1260 11 0 c\nFUNC 13f0 11 0 d\n" BEFORE, "" },
	{ "three of four records prove it", LINT_CFI_SHIFTED,
	  LINUX "FUNC 1010 10 0 a\nFUNC 1120 20 0 b\nFUNC 1260 10 0 c\nFUNC 13f0 11 0 d\n" BEFORE,
	  "6:1+54 @100f: functions begin 0x1 byte after them\n" },
	{ "two of four records do not prove it", LINT_CFI_SHIFTED, LINUX
	  "FUNC 1010 10 0 a\nFUNC 1120 20 0 b\nFUNC 1260 11 0 c\nFUNC 13f0 11 0 d\n" BEFORE, "" },
	{ "a STACK WIN record with two other functions", LINT_WIN_FUNCTIONS,
	  WINDOWS "FUNC 1000 10 0 a\nFUNC 1010 10 0 b\nFUNC 1020 10 0 c\n"
	  "STACK WIN 4 33 71b0 7 0 8 0 0 0 1 $eip $esp ^ = $esp $esp 4 + =\n", "5:1+63 @33: 0x33 to 0x71e2\n" },
	{ "a STACK WIN record of a function and a part of the next one", LINT_WIN_FUNCTIONS,
	  WINDOWS "FUNC 1000 10 0 a\nFUNC 1010 10 0 b\nFUNC 1020 10 0 c\n"
	  "STACK WIN 4 1000 28 7 0 8 0 0 0 1 $eip $esp ^ = $esp $esp 4 + =\n", "" },
	{ "a function begins with the CFA of a call",
	  LINT_CFI_ENTRY, LINUX "FUNC 1000 10 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 9 + .ra: .cfa -8 + ^\n", "3:1+54 @1000 =2: \n" },
	{ "a record of macOS without deltas may be an encoding, which is true at calls only",
	  LINT_CFI_ENTRY, MAC "FUNC 1000 10 0 f\nFUNC 1010 10 0 g\n"
	  "STACK CFI INIT 1000 10 .cfa: $rbp 16 + .ra: .cfa -8 + ^\n"
	  "STACK CFI INIT 1010 10 .cfa: $rbp 16 + .ra: .cfa -8 + ^\n", "" },
	{ "a record of macOS with deltas begins with the CFA of a call", LINT_CFI_ENTRY,
	  MAC "FUNC 1000 10 0 f\nSTACK CFI INIT 1000 10 .cfa: $rsp 9 + .ra: .cfa -8 + ^\n"
	  "STACK CFI 1001 .cfa: $rsp 16 +\n", "3:1+54 @1000 =2: \n" },
	{ "a record within a function may begin with any CFA",
	  LINT_CFI_ENTRY, LINUX "FUNC 1000 10 0 f\n" INIT("1000", "4") "STACK CFI INIT 1004 c .cfa: $rsp 16 + .ra: .cfa -8 + ^\n", "" },
};

static void
tell(char *said, size_t room, const struct lint *lint, enum lint_code code)
{
	size_t used = 0;

	*said = '\0';
	for (size_t i = 0; i < lint->finding_count && used < room; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		char about[64] = "";

		if (finding->code != code)
			continue;
		if (finding->addressed)
			snprintf(about, sizeof(about), " @%" PRIx64, finding->address);
		if (finding->other != 0)
			snprintf(about + strlen(about), sizeof(about) - strlen(about), " =%" PRIu32, finding->other);
		used += (size_t)snprintf(said + used, room - used, "%u:%u+%u%s: %s\n", (unsigned)finding->place.line,
					 (unsigned)finding->place.column, (unsigned)finding->place.length, about, finding->text);
	}
}

/* True if the record of each finding is its line without the line end. */
static bool
has_records(const struct lint *lint, const char *text)
{
	for (size_t i = 0; i < lint->finding_count; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const char *line = text;

		for (uint32_t number = 1; number < finding->place.line; number++)
			line += strcspn(line, "\n") + (line[strcspn(line, "\n")] != '\0');
		/* A finding about the kind of file belongs to no record. */
		const bool whole = finding->code == LINT_OTHER_FILE || finding->code == LINT_BYTE_ORDER_MARK;
		const size_t length = whole ? 0 : strcspn(line, "\r\n");
		if (!text_equal(finding->record, (struct text){ line, length })) {
			tap_diag("line %u: '%.*s'", (unsigned)finding->place.line, (int)finding->record.length, finding->record.start);
			return false;
		}
	}
	return true;
}

/* A text with line ends of Windows. */
static const char *
with_returns(const char *text, char *copy)
{
	char *at = copy;

	for (; *text != '\0'; text++) {
		if (*text == '\n')
			*at++ = '\r';
		*at++ = *text;
	}
	*at = '\0';
	return copy;
}

/* Line ends of Windows change nothing. */
TEST_BOTH(each_row, windows)
{
	static const struct lint_options all = { .most = 0 };
	static char copy[1 << 16];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const bool returns = strchr(rows[i].text, '\r') != NULL;
		const char *text = rows[i].text, *kind = windows ? " in lines of Windows" : "";
		struct error error;
		struct lint lint;
		char said[2000];

		if (windows && (returns || rows[i].code == LINT_OTHER_FILE || strlen(text) > sizeof(copy) / 2))
			continue;
		if (windows)
			text = with_returns(text, copy);
		lint_bytes(&lint, "row.sym", text, strlen(text), &all, &error);
		tell(said, sizeof(said), &lint, rows[i].code);
		is_str(said, rows[i].said, "%s%s: %s", lint_code_table[rows[i].code].name, kind, rows[i].title);
		ok((returns && !windows) || has_records(&lint, text), "each finding%s has its record", kind);
		lint_free(&lint);
	}
}
