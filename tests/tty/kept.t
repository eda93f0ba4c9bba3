#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Marks, notes, edits and the place are kept for the next session; the prompt of --plain has a history.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'

crash=$srcdir/data/crashes/frame-data-x86
XDG_CONFIG_HOME=$scratch/config
export XDG_CONFIG_HOME
explore() {
	start 80 24 "$UNSPOOL" --ascii "$@" "$crash/crash.dmp" "$crash/symbols"
	tui_reach 'ACCESS_VIOLATION'
}

# Notes ------------------------------------------------------------------------------------------

explore
tui_keys 1 f C
t 'C asks for a note' tui_wait '^:note'
tui_keys -l 'the sum is wrong here'
tui_keys Enter
t 'a note without room is a sign on its frame' tui_wait '^> +1 win .* #$'
tui_keys 6 j j
tui_keys m
t 'a mark asks for its letter' tui_wait 'a to z'
tui_keys a
tui_keys C
tui_keys -l 'a word'
tui_keys Enter
t 'a mark is set at an address' tui_wait '# a word'
tui_keys Q
t 'the program exits with 0' ended
kept=$(find "$scratch/state/unspool/dumps" -type f)
t 'the state of the dump is kept in a file' test -f "$kept"
none 'other users cannot read the file' "$(find "$kept" -perm /077)"

explore
t 'the next start reports the kept notes and marks' tui_wait ":resume returns to frame 1 in 'memory'; :notes lists 2 notes"
t 'the next start shows the sign of the note' tui_wait '^ +1 win .* #$'
tui_keys :
tui_keys -l notes
tui_keys Enter
t ':notes lists all' tui_wait 'frame of thread 0x5d4 at 0x401048 +the sum is wrong here'
tui_keys Enter
t 'Enter on a note leads to its place' tui_wait 'frame 1 -> 2'
tui_keys :
tui_keys -l resume
tui_keys Enter
t ':resume goes to the last place' tui_wait '\[6 memory\]'
tui_keys 1 "'" a
t 'a mark is kept' tui_wait '\[6 memory\]'

# Leaving ----------------------------------------------------------------------------------------

command_line() {
	tui_keys :
	tui_keys -l "$1"
	tui_keys Enter
}
command_line 'set-register ebp 0012ff00'
t 'an edit is listed' tui_wait 'what if ebp'
tui_keys Q
t 'Q asks about it' tui_wait '^1 edit not written; y quits \(:resume brings them back\), any other'
tui_keys n
t 'another key does not leave' tui_wait_gone 'not written'
command_line q
t ':q asks about an edit' tui_wait '^1 edit not written'
tui_keys y
t 'y leaves' ended
explore
t 'the start reports the kept edit' tui_wait ':resume returns to frame 1 in .* with 1 edit'
tui_keys Q
t 'leaving does not ask about an unchanged edit' ended
explore
command_line resume
t ':resume restores it' tui_wait '^1 edit restored'
tui_keys E
t 'the restored edit is listed' tui_wait 'ebp .*0012ff00'
tui_keys Q
t 'leaving does not ask about a kept edit' ended
explore
command_line resume
tui_reach '^1 edit restored'
tui_keys u
t 'undo removes the restored edit' tui_wait '^undone: 0 edits'
command_line 'set-register ebp 0012fe00'
tui_reach 'what if ebp'
tui_keys Z Q
t 'ZQ does not ask' ended
explore
t 'ZQ does not keep the change' tui_wait ':resume .* with 1 edit'
command_line resume
tui_reach '^1 edit restored'
tui_keys u
tui_reach '^undone'
command_line wq
t ':wq keeps the notes and edits' ended
explore
tui_reach ':notes lists 2'
t ':wq removes an undone edit' tui_hides 'with 1 edit'
tui_keys Q
ended

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
printf 'nonsense\n' >"$kept"
explore
t 'damaged lines are reported and left out' tui_wait 'the saved state of this dump is damaged'
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

explore --plain
t 'the prompt has the place' tui_wait '^thread 0 frame 0> *$'
tui_keys -l 'up'
tui_keys Enter
t 'the prompt has the new place' tui_wait '^thread 0 frame 1> *$'
tui_keys Up Enter
t 'Up brings the last command back' tui_wait '^thread 0 frame 2> *$'
tui_keys -l 'goto add_'
tui_keys Tab
t 'Tab completes in the plain explorer' tui_wait '> goto add_up'
tui_keys C-c
t 'C-c clears the line' tui_wait '^thread 0 frame 2> *$'
tui_keys -l 'frame'
tui_keys Enter
t 'C-c does not end the program' tui_wait '^thread 0 frame 2> frame$'
tui_reach '^thread 0 frame 2> *$'
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
t 'the prompt has earlier lines, and no line of this session' tui_wait '^:frame'
tui_keys C-c Q
t 'the program leaves after redaction' ended

# The files of 200 dumps are kept: 199 others leave room for this one, of 200 the oldest goes.
dumps=$scratch/state/unspool/dumps
seq 1 198 | sed "s,^,$dumps/," | xargs touch -d '2020-01-01 00:00:01.5'
touch -d '2020-01-01 00:00:01.4' "$dumps/oldest"
explore
tui_keys Q
t 'the program leaves again' ended
t '200 files of state are kept' test -e "$dumps/oldest"
touch "$dumps/newest"
explore
tui_keys Q
t 'the program leaves a third time' ended
is 'the oldest of 201 files is removed' "$(cd "$dumps" && ls oldest newest 1 198 2>/dev/null | tr '\n' ' ')" '1 198 newest '

done_testing
