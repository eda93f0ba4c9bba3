#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Debug files with compressed sections, as distributions ship them: the answers equal those of the uncompressed file
# and of addr2line. One file is so large that it is mapped, and nothing can be written to it.
. "$(dirname "$0")/../lib/tap.sh"
. "$srcdir/tests/lib/compiled.sh"

compiled_needs gcc addr2line objcopy

compile program -O2 -g -fno-asynchronous-unwind-tables <<\END_C || skip_all 'nothing is compiled'
volatile int sink;
static inline __attribute__((always_inline)) int inner(int x)
{
	sink = x * 3;
	return sink + x;
}
__attribute__((noinline)) int outer(int x)
{
	return inner(x + 1) * inner(x + 2) + sink;
}
int main(int argc, char **argv)
{
	(void)argv;
	return outer(argc);
}
END_C
set -- $(compiled_address "$scratch/program" outer)
at=$((0x$1))
end=$((at + 0x$2))
while [ $at -lt $end ]; do
	printf '%x\n' $at
	at=$((at + 1))
done >"$scratch/addresses"
sed 's/^/0x/' "$scratch/addresses" | addr2line -fi -e "$scratch/program" | sed 's/ (discriminator.*//' >"$scratch/want"
t 'the plain file has inlined calls' grep -q '^inner$' "$scratch/want"

# Expected is the output of addr2line, and the rules of .debug_frame.
looked_up() {
	# shellcheck disable=SC2046
	"$UNSPOOL" lookup --brief "$1" $(cat "$scratch/addresses") 2>/dev/null
}
rules() { "$UNSPOOL" cfi --function outer "$1" 2>/dev/null | grep -c 'rsp+8 '; }
is 'the plain file gives the answers of addr2line' "$(looked_up "$scratch/program" | diff "$scratch/want" -)" ''
plain=$(rules "$scratch/program")
t 'the plain file has rules' test "$plain" -gt 0

for kind in zlib zlib-gnu zstd; do
	if ! objcopy --compress-debug-sections=$kind "$scratch/program" "$scratch/$kind" 2>/dev/null ||
		cmp -s "$scratch/program" "$scratch/$kind"; then
		skip "$kind" 'objcopy does not compress so'
		continue
	fi
	is "$kind: lines and inlined calls are those of the plain file" "$(looked_up "$scratch/$kind" | diff "$scratch/want" -)" ''
	is "$kind: the rules of .debug_frame are those of the plain file" "$(rules "$scratch/$kind")" "$plain"
	head -c 70000000 /dev/zero >"$scratch/pad"
	objcopy --add-section .pad="$scratch/pad" "$scratch/$kind" "$scratch/large"
	is "$kind: a mapped file gives the same answers" "$(looked_up "$scratch/large" | diff "$scratch/want" -)" ''
	is "$kind: a mapped file has the same rules" "$(rules "$scratch/large")" "$plain"
	rm -f "$scratch/pad" "$scratch/large"
done
done_testing
