#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The mouse of a real terminal: requested at the start, released by F8. The effect of
# clicks is tested in tests/scenes/mouse.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tty.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
crash=$srcdir/data/crashes/frame-data-x86

# event BUTTON COLUMN ROW: the bytes of a terminal of the type `screen`; button 3 is a release.
event() {
	printf '\033[M\\%03o\\%03o\\%03o' $((32 + $1)) $((32 + $2)) $((32 + $3)) |
		{ read -r bytes; printf '%b' "$bytes"; }
}
mouse() { tui_keys -l "$(event "$@")"; }

# The bytes of a click may arrive in parts on a busy machine: none of them is an Escape key.
tui_start 80 24 env ESCDELAY=2000 "$UNSPOOL" --ascii "$crash/crash.dmp" "$crash/symbols"
# A click has an effect only after a frame is shown.
tui_reach '^. !  *end'
is 'the mouse is on at the start' "$(tui_mode mouse_any_flag)" 1
# Over a slow line the press arrives with the release.
tui_keys -l "$(event 0 20 6)$(event 3 20 6)"
t 'a click selects a frame' tui_wait '^>     2 win .*read_ledger'
# The last click must be older than the time limit of a double click.
sleep 0.5
# One call of tmux, because on a busy machine two calls exceed the limit of a double click.
tui_keys -l "$(event 0 20 6)" \; run-shell 'sleep 0.05' \; send-keys -l "$(event 3 20 6)" \; \
	run-shell 'sleep 0.05' \; send-keys -l "$(event 0 20 6)" \; run-shell 'sleep 0.05' \; \
	send-keys -l "$(event 3 20 6)"
t 'a second click soon after it opens the frame' tui_wait '\[3 evidence\]'
mouse 65 20 5
t 'the wheel scrolls a pane' tui_wait '^>     5 fp'
mouse 0 40 11
mouse 3 40 14
lower_title() { tui_screen | sed -n 14p | grep -q '^-.*3 evidence'; }
t 'a border is dragged' tui_until lower_title
tui_keys F8
t 'F8 gives the mouse to the terminal' tui_wait 'the mouse belongs to the terminal'
is 'the terminal has the mouse' "$(tui_mode mouse_any_flag)" 0
tui_keys F8
t 'F8 takes the mouse again' tui_wait 'the mouse selects and scrolls, with Shift it selects text'
is 'and gets it' "$(tui_mode mouse_any_flag)" 1
tui_keys Q
t 'the program exits with 0' tui_ended

done_testing
