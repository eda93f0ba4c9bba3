#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The explorer under stress: wrong sizes, storms of resizes, more keys than it can show.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

crash=$srcdir/data/crashes/frame-data-x86
explore() {
	explore_size="$1 $2"
	shift 2
	# shellcheck disable=SC2086
	start $explore_size "$@" "$UNSPOOL" --ascii "$crash/crash.dmp" "$crash/symbols"
}

# Terminals without a type, wrong sizes; tests/unit/ui/t-term.c has types ------------------------------

explore 80 24 env -u TERM
t 'the message names --plain' tui_wait 'or use --plain'
t 'a terminal without a type is refused' tui_wait "unsupported terminal type ''"
ended >/dev/null

# Invalid sizes: the terminal's own size is used, or the program reports that it cannot draw.
for size in LINES=abc LINES=0 COLUMNS=-3; do
	explore 80 24 env "$size"
	t "with $size the size of the terminal is used" tui_wait '^>     0 ctx  00401005 balance_of'
	tui_keys Q
	ended >/dev/null
done
explore 80 24 env COLUMNS=99999999 LINES=99999999 ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}allocator_may_return_null=1"
t 'a screen is refused if there is no memory for its cells' tui_wait 'the screen is too large'
t 'the program ends without memory for a screen' ended
is 'the exit status is that of missing memory' "$(cat "$scratch/ended")" 3
# A storm of sizes --------------------------------------------------------------------------------

explore 80 24
# Before the symbols are read, frame 1 is the frame that they make frame 2.
tui_reach '^      1 win  00401048 add_up'
tui_keys f
tui_reach 'frame 1 -> 2'
turn=0
while [ $turn -lt 150 ]; do
	turn=$((turn + 1))
	tui_resize $((41 + turn * 7 % 160)) $((6 + turn * 5 % 50))
done
tui_resize 80 24
t 'hundreds of sizes later the place is kept' tui_wait '^>     1 win  00401048 add_up'
t 'the screen has the last size' tui_wait '^ f frame .* \? help$'

# More keys than screens --------------------------------------------------------------------------

tui_keys 4
tui_keys -N 2000 s
tui_keys -N 2000 S
tui_keys 1 g
t 'type-ahead is handled without delay' tui_wait '^> - thread 0'

# An idle terminal --------------------------------------------------------------------------------

pid=$(process)
ticks() { cut -d ' ' -f 14,15 "/proc/$pid/stat" 2>/dev/null | $AWK '{ print $1 + $2 }'; }
if [ -r "/proc/$pid/stat" ]; then
	before=$(ticks)
	sleep 2
	after=$(ticks)
	t 'an idle program uses no processor time' [ $((after - before)) -le 10 ]
else
	skip 1 'no /proc to look at'
fi
tui_keys Q
t 'Q leaves' ended

done_testing
