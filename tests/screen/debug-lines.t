#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Lines and inlined calls from the DWARF of a program that the test compiles, in disassembly and source.
. "$(dirname "$0")/../lib/screen.sh"
. "$srcdir/tests/lib/compiled.sh"

"$UNSPOOL" --version | grep -q 'without capstone' && skip_all 'built without capstone'
compiled_needs gcc

compile inlining -O2 -g <<\END || skip_all 'the compiler does not do it'
volatile int sink;
static inline __attribute__((always_inline)) int inner(int x)
{
	sink = x * 3;
	return x;
}
__attribute__((noinline)) int outer(int x)
{
	return inner(x + 1) ^ sink;
}
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc);
}
END
# shellcheck disable=SC2046
set -- $(compiled_address "$scratch/inlining" outer)
compiled_crash "$scratch/inlining" "$1" >"$scratch/crash"

screen_played 'a crash without a symbol file has names and lines of DWARF' 80x24 --ascii "$scratch/crash" --binaries "$scratch" <<\KEYS
d|^>.* outer +inlining\.c:9$
| inlined inner called at inlining\.c:9$
| inlining\.c:4  +sink = x \* 3;
2|^>=> +9 +return inner\(x \+ 1\)
:identify $rip|^. line +.*/src/inlining\.c:9 
KEYS
done_testing
