#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `unspool find`, `unspool identify` and `unspool disassemble`: exploring a dump.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
crash=$srcdir/data/crashes/frame-data-x86
inlined=$srcdir/data/crashes/inlines-amd64

# status WANTED TITLE ARGUMENT...
status() {
	wanted=$1 title=$2
	shift 2
	"$UNSPOOL" "$@" >"$scratch/out" 2>"$scratch/err"
	is "$title" $? "$wanted"
}

# find ---------------------------------------------------------------------------------------------

# tests/lib/make-frame-data.c: 12fe90 has the return address 401048, at offset 110 of the dump.
is 'the dump has the word at the printed place' \
	"$(od -An -tx4 -j $((0x110)) -N 4 "$crash/crash.dmp" | tr -d ' ')" 00401048
status 0 'a value that is there is found' find "$crash/crash.dmp" 0x401048
is 'the word is in one place, the stack' "$($AWK 'NR > 1 { print $1, $2, $3, $4, $5 }' "$scratch/out")" \
	'0012fe90 stack of thread 0'
for pattern in 00401048 '48 10 40 00'; do
	status 0 "$pattern is looked for" find "$crash/crash.dmp" "$pattern"
	t "$pattern is the same place" grep -q '^ 0012fe90 ' "$scratch/out"
done
status 1 'a pattern that occurs nowhere is a finding' find "$crash/crash.dmp" 0x12345678
none 'a pattern that occurs nowhere has no row' "$(grep '^ 0' "$scratch/out")"
status 2 'an invalid pattern is wrong usage' find "$crash/crash.dmp" '"no end'
t 'an invalid pattern is reported' grep -q "unterminated text" "$scratch/err"
status 2 'an unknown register is wrong usage' find "$crash/crash.dmp" '$nosuch'
status 2 'a missing pattern is wrong usage' find "$crash/crash.dmp"
status 1 'nothing is found after the last place' find --from 12fe91 "$crash/crash.dmp" 0x401048
# The environment on the stack of the other crash.
status 0 'text needs no quotes' find "$inlined/crash.dmp" PATH=/usr/bin
is 'the word is found once' "$($AWK 'NR > 1 && /PATH=\/usr\/bin:\/bin/' "$scratch/out" | grep -c 'stack of thread 0')" 1
t 'a message says how the memory was searched' grep -q "'PATH=/usr/bin' is not .*; searched as text$" "$scratch/err"
is 'the JSON has the note about the search' "$("$UNSPOOL" find --json "$inlined/crash.dmp" PATH=/usr/bin 2>/dev/null |
	grep -c '"note":"[^"]*; searched as text"')" 1
status 0 'JSON is written' find --json --pretty "$crash/crash.dmp" 0x401048
is 'find of an address prints its place' "$(sed -n 's/^ *"address": "\(.*\)",/\1/p' "$scratch/out")" 0x0012fe90

# identify -------------------------------------------------------------------------------------------

status 0 'an address is explained' identify "$crash/crash.dmp" "$crash/symbols" 0x401048
t 'a place is found by its function' grep -q '^ function  *add_up + 0x28 ' "$scratch/out"
t 'a place is found by its line' grep -q '^ line  *.*ledger\.c:21 ' "$scratch/out"
t 'a place is found by its frame' grep -q '^ frame  *eip of frame 1' "$scratch/out"
status 0 'several addresses are explained' identify "$crash/crash.dmp" "$crash/symbols" esp 0x401048
is 'an empty row separates the answers for two addresses' "$(grep -c '^$' "$scratch/out")" 1
status 1 'an expression that cannot be read is a finding' identify "$crash/crash.dmp" 'eax +'
status 0 'JSON is written of an address' identify --json --pretty "$crash/crash.dmp" "$crash/symbols" esp
is 'the answer has the typed expression and its value' \
	"$(sed -n 's/^ *"\(typed\|value\)": "\(.*\)",/\2/p' "$scratch/out" | tr '\n' ' ')" \
	'esp 0x0012fe8c '

# disassemble --------------------------------------------------------------------------------------

status 0 'code is taken apart' disassemble "$inlined/crash.dmp" "$inlined/symbols"
if grep -q 'without capstone' "$scratch/out"; then
	skip 1 'built without capstone'
	done_testing
	exit
fi

# The records of the function that begins at 2780, from the text of the symbol file: a delta's address
# and the rule of its CFA if that is a register and a number. The dump has the code up to 286f; the
# function is longer.
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
is 'a row precedes each instruction at which the CFA changes' \
	"$(cat "$scratch/got")" "$(cat "$scratch/expected")"
status 0 'the same is JSON' disassemble --json "$inlined/crash.dmp" "$inlined/symbols"
t 'the row of a CFA has its rules' grep -q '"row":"unwind","address":"0x000055f654b5e780","source":"STACK CFI","rules":\[{"register":"CFA","rule":"rsp+8"}' "$scratch/out"

# objdump gives the boundaries of the function's instructions, from the bytes of the file.
binary=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made/bin/x86_64/inline_o2_dw4
if [ -r "$binary" ] && command -v "$OBJDUMP" >/dev/null 2>&1; then
	"$OBJDUMP" -d --no-show-raw-insn --start-address=0x2780 --stop-address=0x29b8 "$binary" |
		sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' >"$scratch/objdump"
	"$UNSPOOL" disassemble --json --pretty --binaries "$(dirname "$binary")" \
		"$inlined/crash.dmp" "$inlined/symbols" |
		$AWK '/"row": "instruction"/ { take = 1 }
			take && /"address":/ { gsub(/[",]/, "", $2); print $2; take = 0 }' >"$scratch/addresses"
	while read -r address; do
		printf '%x\n' $((address - bias))
	done <"$scratch/addresses" >"$scratch/ours"
	t 'objdump finds instructions' test -s "$scratch/objdump"
	is 'instructions begin at the addresses of objdump' "$(cat "$scratch/ours")" "$(cat "$scratch/objdump")"

	# The first instruction, push r13 (41 55), becomes int3, and its second byte push rbp.
	cp "$inlined/crash.dmp" "$scratch/patched.dmp" && chmod u+w "$scratch/patched.dmp"
	at=$(LC_ALL=C grep -obUaP '\x41\x55\x48\x89\xf0\x41\x54' "$scratch/patched.dmp" | cut -d: -f1)
	printf '\314' | dd of="$scratch/patched.dmp" bs=1 seek="$at" conv=notrunc 2>/dev/null
	"$UNSPOOL" disassemble --binaries "$(dirname "$binary")" "$scratch/patched.dmp" \
		"$inlined/symbols" >"$scratch/out"
	is 'bytes that differ from the file have a row with the bytes of the file' \
		"$(grep -c '^ ! ' "$scratch/out")" 1
	t 'the row of the file follows the instruction of the dump' grep -q '^ ! *other bytes in inline_o2_dw4: 41  *push r13' "$scratch/out"
	grep -B 1 '^ ! ' "$scratch/out" >"$scratch/patched"
	t 'the instruction of the dump is the one that runs' grep -q '55f654b5e780 .*int3' "$scratch/patched"
else
	skip 5 'no objdump, or no made binary'
fi

done_testing
