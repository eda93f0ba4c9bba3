#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Expressions over the variables of real cores, compared with gdb's print: members, elements, pointers, casts,
# arithmetic. UNSPOOL_CORES names the unpacked corpus.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

cores=${UNSPOOL_CORES:-}
[ -d "$cores/truth" ] || skip_all 'UNSPOOL_CORES names no corpus of cores'
for program in python3 gdb zstd; do
	command -v "$program" >/dev/null || skip_all "there is no $program"
done

python3 "$srcdir/tests/differential/expressions.py" "$UNSPOOL" "$cores" "$scratch/differences" >"$scratch/out"
diag "$(grep '^all ' "$scratch/out")"
count() { sed -n "s/^all .*'$1': \([0-9]*\).*/\1/p" "$scratch/out"; }

same=$(count same)
t 'thousands of values are the same' [ "${same:-0}" -ge 14000 ]
# The bytes after a text are invalid UTF-8, which gdb takes for a truncated sequence.
is 'no value differs' "$(sed -n 's/: wrong:.*//p' "$scratch/differences")" 'i386.inline.O2 frame 4.0 who'
done_testing
