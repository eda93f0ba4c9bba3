#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The pretty printers of data/unspool-gdb.py, in gdb.
. "$(dirname "$0")/lib/tap.sh"

command -v gdb >/dev/null 2>&1 || skip_all 'gdb is not there'
gdb -batch -nx -ex 'python print("python")' 2>/dev/null | grep -q python || skip_all 'gdb was built without Python'
program=$builddir/tests/lib/make-values

gdb -batch -nx -ex "source $srcdir/data/unspool-gdb.py" -ex 'set confirm off' -ex 'break shown' \
	-ex run -ex 'echo |\n' -ex 'output registers' -ex 'echo \n' -ex 'output text' \
	-ex 'echo \n' -ex 'output record' -ex 'echo \n' -ex 'output offset' -ex 'echo \n' \
	-ex 'output rules[0]' -ex 'echo \n' -ex 'output set' -ex 'echo \n' -ex 'output unusable' \
	-ex 'echo \n' -ex kill "$program" >"$scratch/gdb.log" 2>&1
grep -q '^|' "$scratch/gdb.log" || skip_all 'gdb cannot run a program here'
grep -q 'unknown type' "$scratch/gdb.log" && skip_all 'the program has no types of variables: it is built with -g1'
sed -n '/^|/,$p' "$scratch/gdb.log" | sed -n '2,$p' >"$scratch/printed"

printed() { sed -n "$1p" "$scratch/printed"; }
is 'registers have the names of the architecture in scope' "$(printed 1)" '{rsp=0x7ffd1000, rip=0x401136}'
is 'text ends at its length, and bad UTF-8 is escaped' "$(printed 2)" '"a\xff name"'
is 'a place in text is a file, a line and a column' "$(printed 3)" 'libc.sym:45:1'
is 'a place in a binary file is a file and an offset' "$(printed 4)" 'libc.sym+0x1f0'
is 'a rule is its expression and its record' "$(printed 5)" '.cfa: $rsp 8 + (libc.sym:45:1)'
is 'a rule set is its rules' "$(printed 6)" '2 rules of libc.sym:45:1 = {.cfa: $rsp 8 +, .ra: .cfa -8 + ^}'
is 'an unusable rule set has its reason' "$(printed 7)" 'unusable: no rule for .cfa'

done_testing
