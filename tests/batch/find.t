#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `unspool disassemble`: rows of unwind rules, and the bytes of the file. tests/scenes/reports has find and identify.
. "$(dirname "$0")/../lib/tap.sh"

inlined=$srcdir/data/crashes/inlines-amd64

# status WANTED TITLE ARGUMENT...
status() {
	wanted=$1 title=$2
	shift 2
	"$UNSPOOL" "$@" >"$scratch/out" 2>"$scratch/err"
	is "$title" $? "$wanted"
}

# disassemble --------------------------------------------------------------------------------------

status 0 'code is taken apart' disassemble "$inlined/crash.dmp" "$inlined/symbols"
if grep -q 'without capstone' "$scratch/out"; then
	skip 1 'built without capstone'
	done_testing
	exit
fi

# The records of the function that begins at 2780, from the text of the symbol file: a delta's address and the rule of its CFA if that
# is a register and a number. The dump has the code up to 286f; the function is longer.
bias=$(printf '%d' 0x55f654b5c000)
cat "$inlined"/symbols/*/*/*.sym | $AWK '
	$1 " " $2 " " $3 == "STACK CFI INIT" { inside = $4 == "2780"; at = 6 }
	$1 " " $2 == "STACK CFI" && $3 != "INIT" { at = 4 }
	inside && $1 == "STACK" && (at == 6 ? $4 : $3) < "286f" {
		for (i = at; i < NF; i++)
			if ($i == ".cfa:" && $(i + 3) == "+")
				print (at == 6 ? $4 : $3), substr($(i + 1), 2) "+" $(i + 2)
	}' >"$scratch/records"
while read -r offset rule; do
	printf '%x %s\n' $((bias + 0x$offset)) "$rule"
done <"$scratch/records" >"$scratch/expected"
$AWK '$1 == "unwind" && $2 == "CFA" { rule = $3; next }
	rule != "" { for (i = 1; i <= NF; i++) if ($i ~ /^55f654b5[0-9a-f]+$/) {
		print $i, rule; rule = ""; break } }' "$scratch/out" >"$scratch/got"
t 'the function has records' test "$(wc -l <"$scratch/expected")" -gt 5
is 'a row precedes each instruction at which the CFA changes' "$(cat "$scratch/got")" "$(cat "$scratch/expected")"
status 0 'the same is JSON' disassemble --json "$inlined/crash.dmp" "$inlined/symbols"
t 'the row of a CFA has its rules' grep -q '"row":"unwind","address":"0x000055f654b5e780","source":"STACK CFI","rules":\[{"register":"CFA","rule":"rsp+8"}' "$scratch/out"

# objdump gives the boundaries of the function's instructions, from the bytes of the file.
binary=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made/bin/x86_64/inline_o2_dw4
if [ -r "$binary" ] && command -v "$OBJDUMP" >/dev/null 2>&1; then
	"$OBJDUMP" -d --no-show-raw-insn --start-address=0x2780 --stop-address=0x29b8 "$binary" |
		sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >"$scratch/objdump"
	"$UNSPOOL" disassemble --json --pretty --binaries "$(dirname "$binary")" "$inlined/crash.dmp" "$inlined/symbols" |
		$AWK '/"row": "instruction"/ { take = 1 }
			take && /"address":/ { gsub(/[",]/, "", $2); print $2; take = 0 }' >"$scratch/addresses"
	while read -r address; do
		printf '%x\n' $((address - bias))
	done <"$scratch/addresses" >"$scratch/ours"
	t 'objdump finds instructions' test -s "$scratch/objdump"
	is 'instructions begin at the addresses of objdump' "$(cat "$scratch/ours")" "$(cat "$scratch/objdump")"
else
	skip 2 'no objdump, or no made binary'
fi

done_testing
