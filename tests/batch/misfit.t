#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A symbol file with a module's identifier and the records of another build: each command with the pair reports it once.
. "$(dirname "$0")/../lib/tap.sh"

command -v python3 >/dev/null 2>&1 || skip_all 'no python3'
crash=$srcdir/data/crashes/sframe-amd64
below=symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0
sym=$crash/$below/parcel.sym
mkdir -p "$scratch/$below" "$scratch/other/$below" "$scratch/few/$below" "$scratch/windows/$below" "$scratch/half/$below"

# All addresses moved by 16 bytes, or each record by another number of bytes.
move() {
	python3 - "$1" "$sym" <<'END'
import re
import sys
moves = sys.argv[1]
for number, line in enumerate(open(sys.argv[2])):
    by = 16 if moves == 'all' else 3 * number + 1 if moves == 'each' or number % 3 == 0 else 0
    print(re.sub(r'^((?:FUNC |PUBLIC |STACK CFI INIT |STACK CFI )?)([0-9a-f]+)(?= )',
                 lambda m: '%s%x' % (m.group(1), int(m.group(2), 16) + by), line.rstrip('\n')))
END
}
move all >"$scratch/$below/parcel.sym"
move each >"$scratch/other/$below/parcel.sym"
move third >"$scratch/half/$below/parcel.sym"
grep -E '^(MODULE|INFO)' "$sym" >"$scratch/few/$below/parcel.sym"
sed -n '/^FUNC/p' "$scratch/$below/parcel.sym" >>"$scratch/few/$below/parcel.sym"
sed '1s/ Linux / windows /' "$sym" >"$scratch/windows/$below/parcel.sym"

run() { "$UNSPOOL" "$@" --binaries "$crash/binaries" 2>/dev/null; }
moved='all records lie 0x10 bytes after their code'

run symbols "$crash/crash.dmp" "$scratch/symbols" >"$scratch/out"
is 'symbols reports once that the file does not belong to the binary' "$(grep 'not belong' "$scratch/out")" \
	"  wrong     ! the symbol file does not belong to the binary: $moved"
t 'symbols names the remedy' grep -q "help .*make the symbol file from this binary with 'unspool dump-syms'" "$scratch/out"
t 'the JSON of symbols has the misfit' sh -c '"$0" symbols --json --binaries "$1" "$2" "$3" 2>/dev/null | grep -q "\"misfit\":\"$4\""' \
	"$UNSPOOL" "$crash/binaries" "$crash/crash.dmp" "$scratch/symbols" "$moved"
run walk "$crash/crash.dmp" "$scratch/symbols" >"$scratch/out"
is 'the walk reports the misfit after the stack' "$(grep 'not belong' "$scratch/out")" \
	"                 the symbol file of parcel does not belong to it: $moved"
t 'the walk trusts no frame that was found by the records' grep -q 'Stack trust: .*; trust frames 0 to 1$' "$scratch/out"
run walk --json "$crash/crash.dmp" "$scratch/symbols" >"$scratch/out"
t 'the walk in JSON names the module of the misfit' grep -q "\"misfits\":\[{\"module\":\"parcel\",\"text\":\"$moved\"}\]" "$scratch/out"
t 'the JSON of the walk has the misfit as a problem of the input' grep -q '"input_problems":\["the symbol file of parcel does not belong' "$scratch/out"
is 'the summary has the misfit' "$(run summary "$crash/crash.dmp" "$scratch/symbols" | grep -c 'not belong')" 1
"$UNSPOOL" unwind-check "$crash/binaries/parcel" "$scratch/symbols" >"$scratch/out" 2>&1
is 'unwind-check ends with 1' $? 1
is 'unwind-check has one finding for the misfit' "$(sed -n '/\[/p' "$scratch/out")" \
	"parcel.sym:1:1: error: the symbol file does not belong to the binary: $moved [wrong-binary]"
"$UNSPOOL" unwind-check --json "$crash/binaries/parcel" "$scratch/symbols" >"$scratch/out" 2>&1
t 'the JSON of unwind-check has the misfit' grep -q '"counts":{"wrong-binary":1}' "$scratch/out"
"$UNSPOOL" unwind-check --sarif "$crash/binaries/parcel" "$scratch/symbols" >"$scratch/out" 2>&1
t 'SARIF has the misfit for scanners' grep -q '"ruleId":"wrong-binary"' "$scratch/out"

# Records without a constant distance; another operating system.
# The symbol table has 12 functions, .eh_frame has two more: the parts of the linkage table.
is 'functions that begin elsewhere show it without a constant distance' \
	"$(run symbols "$crash/crash.dmp" "$scratch/other/symbols" | grep -o 'does not belong.*')" \
	"does not belong to the binary: none of 14 functions begins where the binary's do"
is 'a file for another system does not belong to the binary' \
	"$(run symbols "$crash/crash.dmp" "$scratch/windows/symbols" | grep -o 'does not belong.*')" \
	'does not belong to the binary: the binary is an ELF file, the records are of Windows'
is 'lint --binary reports the misfit' \
	"$("$UNSPOOL" lint --brief --binary "$crash/binaries/parcel" "$scratch/windows/$below/parcel.sym" | grep -c 'wrong-binary')" 1

# Uncertain cases are not reported.
none 'there is no message about the right file' \
	"$(for command in symbols walk summary; do run $command "$crash/crash.dmp" "$crash/symbols"; done | grep -E 'not belong|wrong ')"
none 'a file with a third of wrong records has no such message' \
	"$(run symbols "$crash/crash.dmp" "$scratch/half/symbols" | grep 'not belong')"
none 'a file with a few moved functions has no such message' "$(run symbols "$crash/crash.dmp" "$scratch/few/symbols" | grep 'not belong')"
# SYMBOL_FIT_FEWEST: this number of records is evidence, one less is not.
fewest=$(sed -n 's/^#define SYMBOL_FIT_FEWEST \([0-9]*\)u$/\1/p' "$srcdir/src/analysis/symbol_fit.h")
for count in "$fewest" $((fewest - 1)); do
	mkdir -p "$scratch/count-$count/$below"
	{
		grep -E '^(MODULE|INFO)' "$sym"
		sed -n 's/^STACK CFI INIT \([0-9a-f]*\) .*/\1/p' "$scratch/$below/parcel.sym" | sort -u |
			sed -n "1,${count}s/.*/FUNC & 1 0 f&/p"
	} >"$scratch/count-$count/$below/parcel.sym"
	is "a misfit of $count moved functions is reported if $fewest are enough" \
		"$(grep -c '^FUNC' "$scratch/count-$count/$below/parcel.sym") $(run symbols \
			"$crash/crash.dmp" "$scratch/count-$count/symbols" | grep -c 'not belong')" \
		"$count $([ "$count" -lt "$fewest" ] && echo 0 || echo 1)"
done
none 'a walk without the binary has no such message' \
	"$("$UNSPOOL" walk "$crash/crash.dmp" "$scratch/symbols" 2>/dev/null | grep 'not belong')"

done_testing
