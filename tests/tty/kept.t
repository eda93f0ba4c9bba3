#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Notes of two sessions at once are kept, a state that cannot be written is reported; the prompt of --plain has a history.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

crash=$srcdir/data/crashes/frame-data-x86
XDG_CONFIG_HOME=$scratch/config
export XDG_CONFIG_HOME
explore() {
	start 80 24 "$UNSPOOL" --ascii "$@" "$crash/crash.dmp" "$crash/symbols"
	tui_reach ' 1 win  00401048 add_up'
}

# Files ------------------------------------------------------------------------------------------

command_line() {
	tui_keys :
	tui_keys -l "$1"
	tui_keys Enter
}
explore
tui_keys f
command_line 'note the sum is wrong here'
tui_reach 'note added'
tui_keys Q
t 'the program exits with 0' ended
kept=$(find "$scratch/state/unspool/dumps" -type f)
t 'the state of the dump is kept in a file' test -f "$kept"
none 'other users cannot read the file' "$(find "$kept" -perm /077)"

# Two at once ------------------------------------------------------------------------------------

explore
mux new-window -d "$UNSPOOL" --ascii "$crash/crash.dmp" "$crash/symbols"
other_shows() { mux capture-pane -p -t :1 | grep -qE -- "$1"; }
tui_until other_shows ACCESS_VIOLATION
command_line 'note of the first'
tui_reach 'note added'
mux send-keys -t :1 ] ] C
mux send-keys -t :1 -l 'of the second'
mux send-keys -t :1 Enter
tui_until other_shows 'note added'
tui_keys Z Z
ended
mux send-keys -t :1 Z Z
other_left() { mux list-panes -t :1 -F '#{pane_dead}' | grep -q 1; }
t 'both leave' tui_until other_left
explore
command_line notes
t 'two sessions at once keep the notes of both' tui_wait 'of the first'
t 'no note of them is lost' tui_wait 'of the second'
t 'the earlier notes are kept' tui_wait 'the sum is wrong here'
tui_keys q :
tui_keys Up Up
t 'the typed lines of both are kept' tui_wait '^:note of the (first|second)'
tui_keys Up
t 'in both' tui_wait '^:note of the (first|second)'
tui_keys Escape
tui_reach '^ [fs] '
tui_keys Q
ended
rm -rf "$scratch/state"
explore --no-state
tui_keys C
tui_keys -l 'nobody keeps this'
tui_keys Enter Q
t 'with --no-state leaving asks about a note' tui_wait '^1 note not written; y quits without them'
tui_keys y
t 'with --no-state the program leaves after the question' ended
none 'with --no-state nothing is kept' "$(find "$scratch/state" -type f 2>/dev/null)"

# A state that cannot be written: its directory is a file.
mkdir -p "$scratch/state/unspool"
: >"$scratch/state/unspool/dumps"
explore
tui_keys C
tui_keys -l 'lost'
tui_keys Enter
t 'a note that cannot be kept is reported' tui_wait "^notes are not kept: cannot write to '.*/state/unspool'"
tui_keys Q
t 'leaving asks about such a note' tui_wait '^1 note not written; y quits without them'
tui_keys y
t 'the program leaves after the question' ended
t 'a message names the lost notes' tui_wait "unspool: .*cannot write to '.*/state/unspool': 1 n"
is 'the exit status reports the loss' "$(cat "$scratch/ended")" 3
rm -rf "$scratch/state"

# Without a screen -------------------------------------------------------------------------------

mkdir -p "$scratch/state/unspool"
printf 'find "a\342\200\256b"\n' >>"$scratch/state/unspool/history-command"
explore --plain
tui_reach '^thread 0 frame 0> *$'
tui_keys Up
t 'direction marks of a history are visible' tui_wait 'find "a\\u202eb"'
tui_keys C-c
tui_keys -l 'goto add_'
tui_keys C-c
t 'C-c clears the line' tui_wait '^thread 0 frame 0> *$'
tui_keys -l 'up'
tui_keys Enter
t 'C-c does not end the program' tui_wait '^thread 0 frame 1> *$'
tui_keys C-d
t 'C-d leaves' ended

# Redaction --------------------------------------------------------------------------------------

type_line() {
	tui_keys "$1"
	tui_keys -l "$2"
	tui_keys Enter
}
explore
type_line / 'secret word'
type_line : 'find "secret word"'
type_line : 'goto frame 2'
tui_reach '^> *2 win'
history=$scratch/state/unspool
t 'typed lines are in the histories' grep -q secret "$history/history-command" "$history/history-find"
type_line : 'set redact on'
t 'redaction reports its effect' tui_wait '^environment, command line, memory and names of users are left out'
none 'redaction removes the lines of this session from the histories' "$(grep -h secret "$history"/history-*)"
t 'redaction keeps the lines of earlier sessions' grep -qx up "$history/history-command"
tui_keys : Up
t 'the prompt has earlier lines, and no line of this session' tui_wait '^:up'
tui_keys C-c Q
t 'the program leaves after redaction' ended

done_testing
