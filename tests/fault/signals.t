#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Signals, resizes and stops at any moment, and a terminal that is closed: files are complete or missing, the
# terminal gets its old state, and a signal that does not end a command has no effect. SIGNAL_ROUNDS is the number
# of moments for each command, SIGNAL_SEED selects them.
. "$(dirname "$0")/../lib/tap.sh"

python3 -c 'import fcntl, pty, termios' 2>/dev/null || skip_all 'no python3 with terminals'
crash=$srcdir/data/crashes/inlines-amd64
export TERM=xterm-256color ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

storm() {
	title=$1 what=$2 rounds=${SIGNAL_ROUNDS:-$3}
	shift 3
	python3 "$srcdir/tests/lib/signal-storm.py" "$what" "${SIGNAL_SEED:-1}" "$rounds" "$@" >"$scratch/found" 2>&1
	none "$title" "$(grep -v '^[0-9]* rounds' "$scratch/found")"
	diag "$(tail -n 1 "$scratch/found")"
}
storm 'a walk ends by a signal, or is the same' batch 16 - "$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols"
storm 'a symbol file is complete or missing' batch 12 "$scratch/made.sym" \
	"$UNSPOOL" dump-syms -o "$scratch/made.sym" "$builddir/tests/lib/region"
storm 'a sanitized dump is complete or missing' batch 16 "$scratch/clean.dmp" \
	"$UNSPOOL" sanitize -o "$scratch/clean.dmp" "$crash/crash.dmp" "$crash/symbols"
storm 'lint of a directory ends by a signal, or is the same' batch 12 - "$UNSPOOL" lint "$crash/symbols"
storm 'the explorer leaves the terminal as it was' explore 12 "$UNSPOOL" "$crash/crash.dmp" "$crash/symbols"
t 'the explorer had drawn on the terminal' grep -q ', [1-9][0-9]* on a screen$' "$scratch/found"
storm 'a lesson leaves the terminal as it was' explore 6 "$UNSPOOL" lesson --lessons "$srcdir/data/lessons" basics-01-frame
storm 'without a terminal the explorer ends' vanish 8 "$UNSPOOL" "$crash/crash.dmp" "$crash/symbols"
storm 'the plain explorer ends without a terminal' vanish 6 "$UNSPOOL" --plain "$crash/crash.dmp" "$crash/symbols"
none 'no draft of a state or history is left' "$(find "$HOME" -name '*.[0-9]*-[0-9]*')"
"$UNSPOOL" --plain "$crash/crash.dmp" "$crash/symbols" </dev/null >"$scratch/out" 2>"$scratch/err"
is 'state and history can be read' "$? $(grep -c damaged "$scratch/out" "$scratch/err" | grep -v ':0$')" '0 '
done_testing
