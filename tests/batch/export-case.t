#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# export-case: one step as a small dump and symbol file that give the same step. The case must give the
# answer of the whole crash; Breakpad's program, if there is one, must agree.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes
stackwalk=${UNSPOOL_STACKWALK:-$(command -v minidump_stackwalk)}

# callers DUMP SYMBOLS FRAME: pc, sp and frame pointer of a frame's caller, from explain.
caller() {
	"$UNSPOOL" explain --frame "$3" "$1" "$2" 2>/dev/null | $AWK '/^frame [0-9]+ .*found by/ { behind = 1 }
			behind && $1 ~ /^(rip|rsp|rbp|eip|esp|ebp|pc|sp|fp)$/ {
				value = length($3) > 1 ? $3 : $4
				if (value ~ /^[0-9a-f]+$/)
					print $1, value }'
}

# case_of CRASH FRAME [REGISTER...]: the case of a step gives the same caller.
case_of() {
	dump=$crashes/$1/crash.dmp
	out=$scratch/$1-$2
	t "$1, frame $2: a case is written" "$UNSPOOL" export-case --frame "$2" -o "$out" "$dump" "$crashes/$1/symbols"
	is "$1, frame $2: its caller is that of the whole crash" "$(caller "$out/crash.dmp" "$out/symbols" 0)" \
		"$(caller "$dump" "$crashes/$1/symbols" "$2")"
	t "$1, frame $2: the case is small" test "$(wc -c <"$out/crash.dmp")" -lt 20000
	if [ -n "$stackwalk" ]; then
		is "$1, frame $2: Breakpad gives the same caller" "$("$stackwalk" "$out/crash.dmp" "$out/symbols" 2>/dev/null |
				sed -n '/^ 1 /,/Found by/s/.*\(rip\|eip\|pc\) = 0x\([0-9a-f]*\).*/\2/p')" \
			"$(caller "$dump" "$crashes/$1/symbols" "$2" | sed -n 's/^\(rip\|eip\|pc\) //p')"
	else
		skip 1 'minidump_stackwalk is not there; UNSPOOL_STACKWALK may name it'
	fi
}
case_of broken-cfi-amd64 0
case_of broken-cfi-amd64 1
case_of inlines-amd64 0
case_of inlines-amd64 3
case_of frame-data-x86 0
case_of frame-data-x86 1
case_of pac-arm64 1
case_of scan-only-amd64 1

# Registers of a core get the layout of a minidump.
core=$srcdir/data/cores/list-amd64
"$UNSPOOL" dump-syms --store "$scratch/core-symbols" "$core"/binaries/* >/dev/null 2>&1
t 'a case is written from a core' "$UNSPOOL" export-case --frame 0 -o "$scratch/core-case" --no-system-binaries \
	"$core/core.gz" "$scratch/core-symbols"
t 'the step of the case finds a caller' test -n "$(caller "$core/core.gz" "$scratch/core-symbols" 0)"
is 'the caller of the case is that of the core' "$(caller "$scratch/core-case/crash.dmp" "$scratch/core-case/symbols" 0)" \
	"$(caller "$core/core.gz" "$scratch/core-symbols" 0)"

out=$scratch/broken-cfi-amd64-1
# The explorer overwrites a case, and nothing else.
mkdir "$scratch/other"
cp "$crashes/broken-cfi-amd64/crash.dmp" "$scratch/other"
echo '# Another' >"$scratch/other/README.md"
printf ':export-case %s\n' "$out" >"$scratch/plain"
printf ':export-case! %s\n' "$out" >"$scratch/over"
printf ':export-case! %s\n' "$scratch/other" >"$scratch/wrong"
for keys in plain over wrong; do
	"$UNSPOOL" --script "$scratch/$keys" "$crashes/broken-cfi-amd64/crash.dmp" \
		"$crashes/broken-cfi-amd64/symbols" >/dev/null 2>"$scratch/$keys.err" </dev/null
	echo "$?" >>"$scratch/statuses"
done
is 'an option overwrites a case, but no other directory' "$(tr '\n' ' ' <"$scratch/statuses")" '1 0 1 '
is 'the case has the step of the shown frame' "$(grep -c '^Frame 0 of a crash' "$out/README.md")" 1
t 'a dump next to another README.md is not changed' cmp -s "$scratch/other/crash.dmp" "$crashes/broken-cfi-amd64/crash.dmp"

# With --redact words that a scan refused are left out; the words that the step needs are kept.
scan=$crashes/inlines-amd64
for redact in '' --redact; do
	"$UNSPOOL" export-case $redact -o "$scratch/scan$redact" "$scan/crash.dmp" >"$scratch/out" 2>&1
	t "a step by a scan ${redact:-as it is}: the case gives the same caller" grep -q 'gives the same caller' "$scratch/out"
	sed -n 's/^    \([0-9a-f]*  [0-9a-f]*\)$/\1/p' "$scratch/scan$redact/README.md" >"$scratch/words$redact"
done
is '--redact lists the same words' "$(cut -d' ' -f1 "$scratch/words--redact")" "$(cut -d' ' -f1 "$scratch/words")"
t 'most words have no value' test "$(grep -c '  0*$' "$scratch/words--redact")" -gt "$(grep -c '  0*$' "$scratch/words")"
t 'the return address has its value' grep -qx "$(tail -n 1 "$scratch/words")" "$scratch/words--redact"

done_testing
