#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What a user expects: names complete, the prompt of --plain has a history, marks,
# notes and the place are kept for the next time.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'

crash=$srcdir/data/crashes/frame-data-x86
XDG_CONFIG_HOME=$scratch/config
export XDG_CONFIG_HOME
explore() {
	start 80 24 "$UNSPOOL" --ascii "$@" "$crash/crash.dmp" "$crash/symbols"
	tui_wait 'ACCESS_VIOLATION' >/dev/null
}

# Completion -------------------------------------------------------------------------------------

explore
tui_keys :
tui_keys -l 'goto read_l'
tui_keys Tab
t 'a function completes' tui_wait '^:goto read_ledger$'
tui_keys C-u
tui_keys -l 'set ba'
tui_keys Tab
t 'and a setting' tui_wait '^:set base$'
tui_keys -l 'd'
tui_keys Tab
t 'and its value' tui_wait '^:set base dec$'
tui_keys C-u
tui_keys -l 'bind F5 view ta'
tui_keys Tab
t 'and a command that is an argument' tui_wait '^:bind F5 view ta'
tui_keys C-u
tui_keys -l 'help call'
tui_keys Tab
t 'several are listed with their number' tui_wait ' [0-9]* of [0-9]* '
tui_keys Escape
t 'Esc leaves' tui_wait '^ f frame'

# Notes ------------------------------------------------------------------------------------------

tui_keys 1 f C
t 'C asks for a note' tui_wait '^:note'
tui_keys -l 'the sum is wrong here'
tui_keys Enter
t 'which leaves a sign on its frame where there is no room' tui_wait '^> +1 win .* #$'
tui_keys 6 j j
tui_keys m
t 'a mark asks for its letter' tui_wait 'a to z'
tui_keys a
tui_keys C
tui_keys -l 'a word'
tui_keys Enter
t 'or beside an address' tui_wait '# a word'
tui_keys q
t 'the program leaves' ended
kept=$(find "$scratch/state/unspool/dumps" -type f)
t 'a file is kept of the dump' test -f "$kept"
none 'that others may not read' "$(find "$kept" -perm /077)"

explore
t 'the next time it says what there is' tui_wait ':notes lists your notes \(2\); :resume'
t 'and the sign stands on its frame' tui_wait '^ +1 win .* #$'
tui_keys :
tui_keys -l notes
tui_keys Enter
t 'all are listed' tui_wait 'frame of thread 0x5d4 at 401048 +the sum is wrong here'
tui_keys Enter
t 'and lead to what they are about' tui_wait 'frame 1 -> 2'
tui_keys :
tui_keys -l resume
tui_keys Enter
t 'resume goes to where one was' tui_wait '\[6 memory\]'
tui_keys 1 "'" a
t 'a mark is kept, too' tui_wait '\[6 memory\]'
tui_keys q
ended
printf 'nonsense\n' >"$kept"
explore
t 'what is damaged is told and left out' tui_wait 'the saved state of this dump is damaged'
tui_keys q
ended
rm -rf "$scratch/state"
explore --no-state
tui_keys C
tui_keys -l 'nobody keeps this'
tui_keys Enter q
t 'without state the program leaves as well' ended
none 'and keeps nothing' "$(find "$scratch/state" -type f 2>/dev/null)"

# Without a screen -------------------------------------------------------------------------------

explore --plain
t 'the prompt says where one is' tui_wait '^thread 0 frame 0> *$'
tui_keys -l 'up'
tui_keys Enter
t 'and where one went' tui_wait '^thread 0 frame 1> *$'
tui_keys Up Enter
t 'Up brings the last command back' tui_wait '^thread 0 frame 2> *$'
tui_keys -l 'goto add_'
tui_keys Tab
t 'Tab completes' tui_wait '> goto add_up'
tui_keys C-c
t 'C-c gives the line up' tui_wait '^thread 0 frame 2> *$'
tui_keys -l 'frame'
tui_keys Enter
t 'and not the program' tui_wait '^thread 0 frame 2> frame$'
tui_keys C-d
t 'C-d leaves' ended

done_testing
