#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Expressions of C and C++ over variables: the values that gdb 13.1 prints for the same cores
# (tests/batch/locals/README.md), and the messages for invalid expressions.
. "$(dirname "$0")/../lib/tap.sh"

folder=$srcdir/tests/batch/locals

# ask CORE FRAME EXPRESSION [OPTION...]
ask() {
	core=$1 frame=$2 expression=$3
	shift 3
	"$UNSPOOL" identify --no-system-binaries "$folder/$core.core.gz" --binaries "$folder/${core%%.*}" \
		--frame "$frame" "$@" "$expression" 2>"$scratch/messages"
}

# row NAME: a row of the answer, without its place.
row() { sed -n "s/^ $1  *//p" | sed 's/   [^ ]*core\.gz+0x[0-9a-f]*$//'; }

# value EXPECTED EXPRESSION: the value in the C program.
value() { is "$2" "$(ask i386.basic.O2 2 "$2" | row value)" "$1"; }

# type EXPECTED EXPRESSION ['CORE FRAME']
type_of() { is "the type of $2" "$(ask ${3:-i386.basic.O2 2} "$2" | row type)" "$1"; }

# wrong EXPECTED EXPRESSION
wrong() { is "wrong: $2" "$(ask i386.basic.O2 2 "$2" | row unknown)" "$1"; }

# Many of them ------------------------------------------------------------------------------------

is 'each of 400 expressions has its value: the budget does not stop normal files' \
	"$($AWK 'BEGIN { for (i = 0; i < 400; i++) print "item.count" }' | ask x86_64.inline.O2dbg 1 - | row value | sort |
		uniq -c | sed 's/^ *//')" '400 1'

# Names of data, by readelf --syms --relocs of basic.O2dw4 -----------------------------------------

is 'variables have names up to their last byte, slots the names of their functions' \
	"$(for address in 40401f 404020 404000 404008; do ask x86_64.basic.O2dw4 0 $address | row data | sed 's/   .*//'; done)" \
	'sink + 0x3
snprintf@got + 0x0'

# Values: t-expressions has more ---------------------------------------------------------------------------

value '40   0x28' 'first.at[1].y'
value '0xff963700' '&first.word'
type_of 'union word *' '&first.word'
type_of 'int (*)(int, char **)' '&main'
type_of 'int [2][3]' 'other' 'x86_64.arrays.O0 3'
type_of 'int [3]' 'other[1]' 'x86_64.arrays.O0 3'
type_of 'int (*)[3]' '&other[1]' 'x86_64.arrays.O0 3'
type_of 'int *' '&other[1][2]' 'x86_64.arrays.O0 3'
is 'a static variable is found from a frame of another module' "$(ask i386.basic.O2 0 sink | row value)" '278   0x116'

value '1' '(-(unsigned short) first.live) < 0'

# Errors have the column and what was expected --------------------------------------------------------

wrong "column 12: union word has no member 'uu'; its members: u, f, byte" 'first.word.uu'
wrong "column 7: struct node has no member 'colors'; did you mean colour" 'first.colors'
is 'text that is not an expression is a finding' "$(ask i386.basic.O2 2 'first.uu' >/dev/null; echo $?)" 1

# Older forms of expressions keep their meaning: digits alone are hexadecimal, $registers are added.
is 'digits alone are hexadecimal' "$(ask i386.basic.O2 2 10 | row value)" '0x10   decimal 16'
is 'a function' "$(ask i386.basic.O2 2 main+4 | row function)" 'main + 0x4   (the file'\''s own symbol)   basic.O2+0x32f7'

# A name in the debug information wins over a number with its letters: a copy of a program whose `zero` is called `face`.
mkdir "$scratch/named"
LC_ALL=C sed 's/zero\x00/face\x00/g' "$folder/x86_64/own.O2" >"$scratch/named/own.O2"
named() {
	"$UNSPOOL" identify --no-system-binaries "$folder/x86_64.own.O2.core.gz" --binaries "$scratch/named" "$@" | row value
}
is 'a variable with hexadecimal letters is the variable' "$(named face)" '11   0xb'
is 'the sums of a variable are as in C' "$(named 'face + 10')" '21   0x15'
is 'a number with 0x stays a number' "$(named 0xface)" '0xface   decimal 64206'
is 'letters that no name has are hexadecimal' "$(named fade)" '0xfade   decimal 64222'
is 'a frame outside of every module knows the static variables of the program' \
	"$(ask arm64.signal.O2 1 'sizeof stack' | row value)" '8192   0x2000'

# Evidence --------------------------------------------------------------------------------------------

ask i386.basic.O2 2 'first.next->name[1]' >"$scratch/out"
is 'each pointer on the way has its place' "$(sed -n '/^ from/,$p' "$scratch/out" | sed 's/{.*}/{}/')" \
	" from          first = {next = 0xff9636a8, name = 0x56595015 \"first\", colour = G...  [memory at .cfa 68 -]   i386.basic.O2.core.gz+0x416dc
               first.next = 0xff9636a8  [memory at ff9636dc, 4 bytes]   i386.basic.O2.core.gz+0x416dc
               first.next->name = 0x5659500e \"second\"  [memory at ff9636ac, 4 bytes]   i386.basic.O2.core.gz+0x416ac"

# Optimised code.
is 'a guessed caller has no entry values' "$(ask x86_64.optimised.O2 1 gone --methods stack-scan | row value)" \
	'<entry value not known: the caller was not found by a record>'
is 'a register has no address' "$(ask x86_64.optimised.O2 1 '&doubled' | row unknown)" \
	'column 1: the value is not in memory: register rsi, so it has no address'

# Variables of the chosen inlined call come before those of its callers.
inlined() { ask x86_64.inline.O2dbg 1 "$2" --call "$1"; }
is 'a variable of the innermost call' "$(inlined 0 factor | row value)" 5
is 'a variable of the function itself is marked as such' "$(inlined 0 f | sed -n 's/^ from *\(.*\)$/\1/p' | grep -c 'a variable of')" 1
is "the mark is left out in the function's own call" "$(inlined 2 f | grep -c 'a variable of')" 0

# Input is hostile -------------------------------------------------------------------------------------

deep=$($AWK 'BEGIN { while (i++ < 500) printf "("; print "first.live" }')
is 'parentheses do not nest without end' "$(ask i386.basic.O2 2 "$deep" | row unknown)" \
	'column 129: the expression is nested too deeply'
long=$($AWK 'BEGIN { printf "first.live"; while (i++ < 900) printf "+1"; print "" }')
is 'a long sum does not count as nesting' "$(ask i386.basic.O2 2 "$long" | row value)" '901   0x385'
for text in '$' '&' "'" "'\\" '(' 'first->' 'first..' '::' 'first::' '(struct' 'sizeof(' 'sizeof' 'static_cast<' \
	'first.at[' '0x' '1e' '!!!!' '*&*&' '(int)' 'first.at[-9999999999]' 'first.at[0x7fffffffffffffff].x' '@' \
	'first@' 'first@0' 'first@99999999999' '-9223372036854775807 - 1 / -1 * first.live'; do
	ask i386.basic.O2 2 "$text" >/dev/null
	status=$?
	[ "$status" -le 1 ] || is "hostile: $text" "$status" 1
done
ask i386.basic.O2 2 'first.at[1].y' --redact >"$scratch/out"
is '--redact prints no value' "$(row value <"$scratch/out")" '(redacted)'
none '--redact prints no bytes and no parts of a value' "$(grep -E '^ (bytes|parts)|40|0x28' "$scratch/out")"
ask i386.basic.O2 2 'first.at[1].y' --json >"$scratch/out"
t 'JSON has it' grep -q '"evaluated":{"type":"int","location":"memory","value":"40","pretty":null,"absent":null,"note":null,"number":"40","address":"0xff9636f4","bytes":"28000000","from":\[{"text":"first",' "$scratch/out"
done_testing
