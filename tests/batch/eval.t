#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The calculator: the stack after every token, values, exit statuses. By hand.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

run() { "$UNSPOOL" eval "$@" >"$scratch/out" 2>"$scratch/err"; }
has() { t "$1" grep -Eq -- "$2" "$scratch/out"; }

run '$rsp=0x7ffe0' 0x7fff0:0x401234 '.ra: .cfa -8 + ^ .cfa: $rsp 24 +'
is "rules that can be evaluated exit with 0" "$?" 0
has 'a name on the stack is shown with its value' '^ +1  \$rsp +\$rsp \(0x7ffe0\) +given$'
has 'the CFA is the result of its own rule' '^ +1  \.cfa +\.cfa \(0x7fff8\) +the result of its rule$'
has 'the stack after a sum is the sum' '^ +3  \+ +0x7fff8$'
has 'a read names the word' '^ +4  \^ +0x401234 +the word at 0x7fff0$'
has 'each rule has its value' '^\.ra = 0x401234  4198964$'

run rsp=0x1000 0x1008:0x42 '$rsp 8 + ^'
has 'a name may be given without its dollar sign' '^= 0x42'
run rsp=1 '$rsp=2' '$rsp'
has 'the name with a dollar sign is preferred' '^= 0x2 '

run '1 2 + +'
is "an expression that fails exits with 1" "$?" 1
has 'the error is next to the token' "^ +4  \+ +! '\+' needs 2 values, the stack has fewer$"

run '$rsp 0x10 +' '$rsp=1'
has 'a hexadecimal number in a rule is a name' "'0x10' has no value here; numbers in rules are decimal"

run --win '$esp=4096' '$esp $esp 4 + =' --json
is "a program can assign" "$?" 0
is "JSON has the assigned variables" "$(sed 's/.*"assigned": *//' "$scratch/out")" \
	'[{"name":"$esp","value":"0x1004"}]}'

run '$rsp=zz' '$rsp'
is "a value that is not a number exits with 2" "$?" 2
is "the message names the value that is not a number" "$(cat "$scratch/err")" \
	"unspool: 'zz' is not a number; numbers are decimal, or hexadecimal after 0x"
run '1' '2'
is "two expressions exit with 2" "$?" 2
run --arch pdp11 1
is "an unknown architecture exits with 2" "$?" 2

run "$(printf 'a\033[31mb')"
t "control characters of an argument are made visible" grep -Fq 'a\x1b[31mb' "$scratch/out"
run '-8 16 +'
is 'an expression may begin with a negative number' "$(tail -n 1 "$scratch/out")" '= 0x8  8'
printf '5\n3 -\n' | "$UNSPOOL" eval - >"$scratch/out" 2>"$scratch/err"
is 'a dash reads the expression from standard input' "$(tail -n 1 "$scratch/out")" '= 0x2  2'
printf '.cfa: $rsp 8 +\n' | "$UNSPOOL" eval 'rsp=16' >"$scratch/out" 2>"$scratch/err"
is 'without an expression standard input is read' "$(tail -n 1 "$scratch/out")" '.cfa = 0x18  24'
"$UNSPOOL" eval </dev/null >"$scratch/out" 2>"$scratch/err"
is 'an empty standard input is reported' "$?" 2
run --arch x86_64 '0 1 -'
t 'architectures may have their names in symbol files' grep -q '^= 0xffffffffffffffff ' "$scratch/out"
done_testing
