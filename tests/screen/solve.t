#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Crashes with known sources, solved by keys alone at three sizes of the screen: each ends at the sentence
# with the cause. The cause was read in the source of the program.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

corpus=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}
[ -d "$corpus/made" ] || skip_all 'there is no corpus'
if lacks capstone; then skip_all 'capstone was left out: no code is decoded'; fi
made=$corpus/made

# solve NAME CAUSE KEYS ARGUMENT...: press keys, separated by blanks; a row then has the cause.
solve() {
	name=$1 cause=$2 keys=$3
	shift 3
	for size in 80x24 120x40 200x50; do
		{
			printf '%s\n' $keys
			echo ':save-screen got'
		} | sed '/^$/d' >"$scratch/keys"
		screen_case "$name $size" $size --ascii "$@" <"$scratch/keys"
		expect_text got "$cause"
	done
}

solve 'an assertion of the program' 'an assertion failed: frame 5, do_assert\(int\), called' '' \
	"$made/x86_64/abort_assert.dmp" "$made/symbols/x86_64"
solve 'a pointer that was freed twice' 'the allocator found a damaged heap or a bad pointer' '' \
	"$made/x86_64/abort_free.dmp" "$made/symbols/x86_64"
solve 'an exception out of a destructor' 'an exception reached a function that must not throw' '' \
	"$made/x86_64/abort_terminate.dmp" "$made/symbols/x86_64"
solve 'a return address that a copy overwrote' 'the return address of frame 6, vuln, is 0x4141414141414141' \
	'! G PgUp' "$made/x86_64/stacksmash_canary.dmp" "$made/symbols/x86_64"
solve 'a null pointer that was called' "'call rax' at 0x[0-9a-f]+ in dispatch" '! G' \
	"$made/x86_64/call_null.dmp" --binaries "$made/bin/x86_64"
solve 'a division by zero' 'the divisor rcx is 0' '! G' "$made/x86_64/sig_div.dmp" "$made/symbols/x86_64"
solve 'a recursion without an end' 'the access hit the gap below the stack' '! G' "$made/x86_64/stack_overflow.dmp" "$made/symbols/x86_64"
solve 'the one of 65 threads that crashed' 'mov +dword ptr \[0xbad\], 1' 'd' "$made/x86_64/threads64.dmp" "$made/symbols/x86_64"
solve 'a string that is too long for its buffer' 'a checked call would have overflowed its buffer' '' \
	"$corpus/breakpad/linux_overflow.dmp" "$corpus/breakpad/symbols"
solve 'a write to the code of the program' 'the program wrote to 0x410000, which is read-only' '! G k k' \
	"$corpus/breakpad/linux_write_to_nonwritable_module.dmp"
solve 'text in a pointer of a core' 'rdi is text: "d-more-n"' '! G' \
	"$srcdir/data/cores/list-amd64/core.gz" --no-system-binaries --binaries "$srcdir/data/cores/list-amd64/binaries"

done_testing
