#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program on truncated files: exit statuses, messages, and a screen that works. t-cut-dumps and
# t-cut-symbols make many cuts; these are a few that go through the whole program.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86
sym=$(echo "$crash"/symbols/ledger.pdb/*/ledger.sym)
size=$(wc -c <"$crash/crash.dmp")
symbol_size=$(wc -c <"$sym")
printf 'f\ns\n:view messages\n:view memory\n:save-screen! %s\nQ\n' "$scratch/screen" >"$scratch/script"

# run DUMP SYMBOLS: print the status of walk and of the explorer, and whether it drew a screen.
run() {
	rm -f "$scratch/screen"
	"$UNSPOOL" walk "$1" "$2" >"$scratch/out" 2>"$scratch/err" </dev/null
	run_walk=$?
	"$UNSPOOL" --script "$scratch/script" --size 80x24 "$1" "$2" >/dev/null 2>&1 </dev/null
	run_screen=$?
	run_rows=$(cat "$scratch/screen" 2>/dev/null | wc -l)
}

# A file shorter than the signature is not a dump; with the signature it is one.
for cut in 0 1 3; do
	head -c "$cut" "$crash/crash.dmp" >"$scratch/cut.dmp"
	run "$scratch/cut.dmp" "$crash/symbols"
	is "a dump of $cut bytes is unreadable" "$run_walk $run_screen" '3 3'
	t "a dump of $cut bytes has a message with the reason" test -s "$scratch/err"
done
for cut in 4 31 32 33 43 44 45 128 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 1)); do
	head -c "$cut" "$crash/crash.dmp" >"$scratch/cut.dmp"
	run "$scratch/cut.dmp" "$crash/symbols"
	is "a dump of $cut bytes opens, and draws a screen" "$run_walk $run_screen $((run_rows > 20))" '0 0 1'
	t "a dump of $cut bytes has a message about the loss" grep -qE 'warning|error' "$scratch/err"
done
for cut in 1 5 $((symbol_size / 5)) $((symbol_size / 2)) $((symbol_size - 2)); do
	mkdir -p "$scratch/symbols/ledger.pdb/7A1C35E09B2D4F6885C3D1E0F2A4B6C81"
	head -c "$cut" "$sym" >"$scratch/symbols/ledger.pdb/7A1C35E09B2D4F6885C3D1E0F2A4B6C81/ledger.sym"
	run "$crash/crash.dmp" "$scratch/symbols"
	is "$cut bytes of symbols open, and draw a screen" "$run_walk $run_screen $((run_rows > 20))" '0 0 1'
	t "$cut bytes of symbols have a message about the loss" grep -qE 'ledger\.sym.*(warning|error)' "$scratch/err"
done

done_testing
