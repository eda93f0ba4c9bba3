#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Arguments and local variables of real cores, compared with those that gdb 13.1 read: the same value, or the
# same "optimized out". UNSPOOL_CORES names the unpacked corpus.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

cores=${UNSPOOL_CORES:-}
[ -d "$cores/truth" ] || skip_all 'UNSPOOL_CORES names no corpus of cores'
command -v python3 >/dev/null || skip_all 'there is no python3'

python3 "$srcdir/tests/differential/locals.py" "$UNSPOOL" "$cores" "$scratch/differences" >"$scratch/out"
diag "$(grep '^all ' "$scratch/out")"
count() { sed -n "s/^all .*'$1': \([0-9]*\).*/\1/p" "$scratch/out"; }

# gdb takes registers that calls do not preserve as unchanged: in clang's optimised code it shows 10 values that
# callees have overwritten. The core of basic.O2split is from another run than gdb's output: addresses are moved
# by the distances of program and stack.
same=$(count same)
t 'at least 99 % of the values are the same' [ "${same:-0}" -ge 1670 ]
is 'no variable is missing' "$(count missing)" ''
is 'every variable with a value only in gdb is in a register that calls may change' "$(count absent)" ''

# In the first gdb computes from such a register (the sum is 32); in the second it prints an optimised-out part as
# a pointer; in the third it uses a register that code before a jump has changed.
is 'three values differ from those of gdb, which are wrong' "$(sed -n 's/: wrong:.*//p' "$scratch/differences")" \
	'i386.optimised.O2 frame 3 through long value
x86_64.basic.clangO2 frame 1 visit_one struct point centre
x86_64.optimised.clangO2 frame 1 pieces struct pair pair'
done_testing
