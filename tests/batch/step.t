#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The unwinder in any function, without a crash: the invented registers and stack fit every row of its rules.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES DEBUGINFOD_URLS

has() { t "$1" sh -c 'printf "%s\n" "$1" | grep -qE -- "$2"' sh "$2" "$3"; }
of_crash() { echo "$srcdir/data/crashes/$1/symbols"/*/*/"$2.sym"; }
step() { "$UNSPOOL" step "$@" 2>&1; }

# A function with a frame pointer, by hand: its rows at 0, 1 and 4 are those that compilers write.
# rbx is pushed at 5 and popped at 20.
cat >"$scratch/f.sym" <<END
MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 f
FUNC 1000 40 0 outer(int)
FUNC 2000 10 0 other
STACK CFI INIT 1000 40 .cfa: \$rsp 8 + .ra: .cfa -8 + ^
STACK CFI 1001 .cfa: \$rsp 16 + \$rbp: .cfa -16 + ^
STACK CFI 1004 .cfa: \$rbp 16 +
STACK CFI 1005 \$rbx: .cfa -24 + ^
STACK CFI 1020 .cfa: \$rbp -8 + ^ 8 +
STACK CFI 1030 .cfa: \$r10 .ra: \$rdx
END
rows='0 1 4 5 20 30'
for row in $rows; do
	step "$scratch/f.sym" --at outer+$row >"$scratch/out"
	caller=$(sed -n 's/^ \(rip\|rsp\|rbp\|rbx\|r12\) *[0-9a-f]* *. \([0-9a-f]*\).*/\1 \2/p' "$scratch/out" | sort)
	is "the caller at +$row is the same" "$caller" 'r12 ca11e00c00000000
rbp ca11e00600000000
rbx ca11e00300000000
rip 0000003ca11e1000
rsp 0000003f57ac0000'
	t 'the caller is found by the rule of the row' grep -q '^attempt 1  STACK CFI  taken' "$scratch/out"
done
out=$(step "$scratch/f.sym" --at 'outer(int)+5')
has 'the caller is described as invented' "$out" \
	'^frame 0   no crash: outer\(int\)\+0x5 with invented registers and stack'
has 'each value of the caller is described as invented' "$out" '\[3f57abffe8\] = ca11e00300000000, invented\+0x'
has 'a saved register has its invented value' "$out" '^ rbx +0e0f000300000000  \* ca11e00300000000'
has 'a register in no slot has its value' "$out" '^ r12 +ca11e00c00000000  = ca11e00c00000000'
has 'a word that no rule reads has its own number' "$out" '10ca1|words that no rule names'
has 'the JSON has the number of such a word' "$(step "$scratch/f.sym" --at outer --json)" \
	'"invented": ?"no crash: outer\+0 with invented registers and stack"'
has 'an address is accepted as a place' "$(step "$scratch/f.sym" --at 1005)" 'no crash: \+0x1005 with invented'

# In the explorer ----------------------------------------------------------------------------------

out=$(printf '%s\n' 'row next' 'row next' 'row previous' 'try row previous' 'try row previous' at bt |
	step --plain --no-config "$scratch/f.sym" --at outer)
has 'the explorer begins at the tokens' "$(echo "$out" | sed -n 2p)" '^\[eval\] '
is 'the explorer goes from row to row' "$(echo "$out" | grep -o '^invented .*outer+[0-9a-fx]*' | sed 's/.*+//' | tr '\n' ' ')" \
	'0 0x1 0x4 0x1 0 '
has 'the explorer goes to the last row' "$out" '^this is the first row'
has 'the caller is in no module, and has no caller' "$out" '^ +1 cfi +0000003ca11e1000 in no module'
has 'a crash has no rows to go to' "$(echo 'row next' | "$UNSPOOL" --plain --no-config \
	"$srcdir/data/crashes/frame-data-x86/crash.dmp" 2>&1)" '^only a function that unspool step'

# Other processors and records -----------------------------------------------------------------------

# invented_caller CRASH FILE FUNCTION RETURN FOUND
invented_caller() {
	step "$(of_crash "$1" "$2")" --at "$3" >"$scratch/out"
	t "$1: $3 has the invented caller" grep -qE "^frame 1  0*$4  found by: $5" "$scratch/out"
}
invented_caller frame-data-x86 ledger balance_of 3ca11000 'call frame info'
invented_caller frame-data-x86 ledger add_up 3ca11000 'call frame info'
for machine in x86:3ca11000 x86_64:3ca11e1000 arm:3ca11000 arm64:3ca11e1000 mips:3ca10ff8 riscv64:3ca11e1000; do
	name=${machine%:*}
	sp='$sp' word=8
	case $name in
	x86) sp='$esp' word=4 ;;
	x86_64) sp='$rsp' ;;
	arm) sp=sp word=4 ;;
	arm64) sp=sp ;;
	mips) word=4 ;;
	riscv64) sp=sp ;;
	esac
	{
		echo "MODULE Linux $name 000102030405060708090A0B0C0D0E0F0 f"
		echo 'FUNC 1000 40 0 f'
		echo "STACK CFI INIT 1000 40 .cfa: $sp 96 + .ra: .cfa -$((2 * word)) + ^"
	} >"$scratch/m.sym"
	step "$scratch/m.sym" --at f+8 >"$scratch/out"
	if grep -q 'unknown\|unsupported' "$scratch/out" && ! grep -q '^frame 1' "$scratch/out"; then
		skip 1 "$name has no name in symbol files"
		continue
	fi
	t "$name: the caller is the invented one" grep -qE "^frame 1  0*${machine#*:}  found by: call frame info" "$scratch/out"
done

# Code without any record.
out=$(step "$scratch/f.sym" --at other)
has 'the frame pointer leads to the caller without records' "$out" '^frame 1  0*3ca11e1000  found by: .*frame pointer'

# Errors -------------------------------------------------------------------------------------------

step "$scratch/f.sym" --at uoter >"$scratch/out"
is 'a missing function is an error' $? 2
is 'a missing function is reported with a near name' "$(cat "$scratch/out")" "unspool: no function 'uoter'; did you mean 'outer'?"
step "$scratch/f.sym" >"$scratch/out"
is 'a call without a function is an error' $? 2
step "$srcdir/data/crashes/frame-data-x86/crash.dmp" --at f >"$scratch/out"
is 'a dump in place of a program is an error' $? 2
t 'the error about a dump names the command for dumps' grep -q 'unspool explain' "$scratch/out"
step "$scratch/nothing" --at f >"$scratch/out"
is 'a missing file is an error' $? 3

done_testing
