#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A script plays on a real terminal: keys, pauses that end, a terminal of another size.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tty.sh"

crash=$srcdir/data/crashes/frame-data-x86
XDG_STATE_HOME=$scratch/state
XDG_CONFIG_HOME=$scratch/config
export XDG_STATE_HOME XDG_CONFIG_HOME
play() { tui_start 80 24 "$UNSPOOL" --ascii --play "$scratch/script" "$crash/crash.dmp" "$crash/symbols"; }

cat >"$scratch/script" <<END
say Look at frame 1.
frame 1
resize 120x40
pause 1
view eval
:
type goto frame 2
pause
Enter
END

play
t 'the play waits for a key' tui_wait '0 of 9  next: a card'
tui_keys Space
t 'a card is shown' tui_wait '^   Look at frame 1'
tui_keys Space Space
t 'a line for another size of the screen changes nothing' tui_wait '3 of 9: resize 120x40'
is 'the screen keeps its rows' "$(tui_screen | wc -l)" 24
tui_keys Space
t 'a pause ends without a key' tui_wait '5 of 9: view eval'
tui_resize 100 30
t 'a terminal may change its size' tui_wait '\[4 eval\]'
tui_keys ,
t 'a prompt is typed into' tui_wait '^:goto frame 2 *$'
tui_keys S
t 'keys in the prompt do not control the play' tui_wait '7 of 9: type goto frame 2'
tui_keys G
t 'the script ends its line' tui_wait 'frame 2 -> 3'
tui_keys q
t 'the user continues after the end' tui_wait '^the play is over; you are in the explorer'
tui_keys F
t 'the keys of the explorer work after the end' tui_wait 'frame 1 -> 2'
tui_keys : 'play ' Enter
tui_keys Q
t 'and leaves' tui_ended
is 'the program exits with 0' "$(tui_status)" 0
t 'a play keeps no state' test ! -d "$scratch/state/unspool/dumps"

# Without a screen, too, the lines of a stranger's script become neither history nor state.
printf ':\ntype goto frame 3\nEnter\nset-register esp 1234\nmark a\n' >"$scratch/planted"
tui_start 80 24 "$UNSPOOL" --plain "$crash/crash.dmp" "$crash/symbols"
t 'rows are printed in a terminal' tui_wait '^thread 0 frame 0>'
tui_keys -l "play $scratch/planted"
tui_keys Enter
t 'a script is played without a screen' tui_wait 'play 5 of 5'
tui_keys C-d
t 'the session ends' tui_ended
is 'its history has only the line of the user' "$(cat "$scratch/state/unspool/history-command")" "play $scratch/planted"
none 'its state has no edit and no mark of the script' "$(grep -rhE '^(edit|mark)' "$scratch/state/unspool/dumps")"

done_testing
