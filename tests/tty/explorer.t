#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The explorer in a terminal: resizing, stopping and continuing, its ends, typing at the prompt, the editor,
# a pipe. tests/unit/ui/t-signals.c has the faults of the program itself.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

crash=$srcdir/data/crashes/frame-data-x86
explore() {
	explore_size="$1 $2"
	shift 2
	# shellcheck disable=SC2086
	start $explore_size "$@" "$UNSPOOL" --ascii "$crash/crash.dmp" "$crash/symbols"
	tui_reach '^      1 win  00401048 add_up'
}

# Sizes: the place stays --------------------------------------------------------------------------

explore 80 24
t 'the first screen has the program, the place of the crash and the frame' tui_wait '^>     0 ctx  00401005 balance_of +ledger\.c:12'
is 'the first screen is on the alternate screen' "$(tui_mode alternate_on)" 1
tui_keys f 4
for token in 1 2 3 4 5 6 7 8; do tui_keys s; done
t 'keys step' tui_wait '^>    8  \^ +\$eip >4010b6'
tui_screen >"$scratch/before"
tui_resize 200 50
t 'a large terminal has two columns' tui_wait '! summary.*\|-.*3 evidence'
t 'a larger terminal keeps the token' tui_wait '\|>    8  \^ +\$eip >4010b6'
tui_resize 30 5
t 'a tiny terminal shows the size that it needs' tui_wait '^40x6 needed'
tui_resize 80 24
t 'a tiny terminal keeps the place' tui_wait '^>    8  \^ +\$eip >4010b6'
tui_screen >"$scratch/after"
is 'the screen is the same cell by cell after resizing' "$(cat "$scratch/after")" "$(cat "$scratch/before")"

mux pipe-pane -O "cat >'$scratch/written'"
# The loop checks for keys once a second.
sleep 2.2
mux pipe-pane
none 'a program that waits for keys writes nothing' "$(cat "$scratch/written")"

# Stopping and going on ---------------------------------------------------------------------------

tui_keys C-z
t 'C-z stops the program' tui_until stopped
t 'the shell has its terminal after C-z' sane
go
t 'fg returns to the place' tui_wait '^>    8  \^ +\$eip >4010b6'
is 'fg returns to the alternate screen' "$(tui_mode alternate_on)" 1
is 'fg takes the mouse' "$(tui_mode mouse_any_flag)" 1
kill -TSTP "$(process)"
t 'SIGTSTP stops the program' tui_until stopped
t 'the shell has its terminal after SIGTSTP' sane
go
t 'SIGCONT returns to the place' tui_wait '^>    8  \^ +\$eip >4010b6'
kill -STOP "$(process)"
t 'SIGSTOP stops it' tui_until stopped
# Meanwhile another program writes over the screen.
tui_resize 80 30
go
t 'SIGCONT paints anew, at the new size' tui_wait '^>    8  \^ +\$eip >4010b6'
bottom_row() { [ -n "$(tui_screen | sed -n "$1p")" ]; }
t 'SIGCONT paints the last row' tui_until bottom_row 30
tui_resize 80 24
tui_reach '^>    8  \^'

# The prompt --------------------------------------------------------------------------------------

tui_keys :
tui_keys -l 'goto f'
tui_keys -l rame
tui_resize 60 20
t 'the line is kept in a smaller window' tui_wait '^:goto frame$'
tui_resize 30 5
t 'the line is kept in a window without room for it' tui_wait '40x6 needed'
tui_keys -l ' 3'
tui_resize 80 24
t 'it goes on' tui_wait '^:goto frame 3$'
tui_keys Enter
t 'and is used' tui_wait 'frame 3 -> 4'
tui_keys /
tui_keys -l 'é漢x'
t 'the prompt accepts UTF-8' tui_wait '^/é漢x'
tui_keys BSpace BSpace
t 'Backspace deletes UTF-8 letter by letter' tui_wait '^/é$'
tui_keys Enter /
tui_keys C-r
tui_keys -l é
t 'C-r searches for letters outside of ASCII' tui_wait '^\(reverse-i-search\)`é'
tui_keys C-c
t 'C-c leaves' tui_wait '^ s token'
tui_paste 'QQQ'
tui_keys C-c
t 'C-c without work says how to leave' tui_wait 'q quits'
tui_keys Q
t 'Q leaves, and a paste of it outside of the prompt does not' ended
is 'well' "$(cat "$scratch/ended")" 0
t 'the terminal is sane' sane
is 'searches are kept' "$(cat "$XDG_STATE_HOME/unspool/history-find")" é
none 'other users cannot read the state' "$(find "$XDG_STATE_HOME" \( -type f ! -perm 600 \) -o \( -type d ! -perm 700 \))"

# The editor --------------------------------------------------------------------------------------

cat >"$scratch/editor" <<END
#!/bin/sh
stty -a | tr ' ' '\n' | grep -x echo >'$scratch/echo'
printf '%s\n' "\$@" >'$scratch/arguments'
END
chmod +x "$scratch/editor"
(cd "$crash" && pwd -P) >"$scratch/folder"
explore 80 24 env EDITOR="$scratch/editor"
tui_keys 2 e
t 'the editor is started' tui_until test -s "$scratch/arguments"
is 'at the line' "$(sed -n 1p "$scratch/arguments")" +12
file=$(sed -n 2p "$scratch/arguments")
t 'the editor opens the source' cmp "$file" "$crash/source/ledger.c"
case $file in /*) absolute=yes ;; *) absolute="no: $file" ;; esac
is 'the editor gets an absolute path' "$absolute" yes
is 'the editor has a terminal that echoes' "$(cat "$scratch/echo")" echo
t 'the screen is painted after the editor' tui_wait '^>=> 12 '
is 'the alternate screen is back after the editor' "$(tui_mode alternate_on)" 1
tui_keys Q
t 'Q leaves' ended

# A record of the symbol file, and an editor that takes places in another form: its file begins with 43
# lines, and the last of them is the record of the frame. A shell could run parts of the file's name.
odd="$scratch/a'b; \$(touch x) +1"
cp -R "$crash" "$odd"
crash=$odd
cp "$scratch/editor" "$scratch/code"
rm -f "$scratch/arguments"
explore 80 24 env EDITOR="$scratch/code --wait"
tui_keys c e
t 'the editor is started for a record' tui_until test -s "$scratch/arguments"
is 'the editor gets its own arguments' "$(sed -n 1,2p "$scratch/arguments" | tr '\n' ' ')" '--wait --goto '
t 'the editor opens the line of the symbol file' grep -q "/a'b; \$(touch x) +1/.*/ledger\.sym:43:[0-9]*$" "$scratch/arguments"
tui_keys Q
t 'Q leaves' ended
crash=$srcdir/data/crashes/frame-data-x86

# The ends ----------------------------------------------------------------------------------------

for signal in TERM:143 HUP:129 INT:130 QUIT:131 BUS:135 ALRM:142 USR1:138 XCPU:152 SEGV:139; do
	explore 80 24
	kill -"${signal%:*}" "$(process)"
	ends_sanely "SIG${signal%:*}" "${signal#*:}"
done
t 'a fault of the program says how to report it' tui_wait '^unspool has crashed'

explore 80 24
pid=$(process)
mux kill-server
gone() { ! kill -0 "$pid" 2>/dev/null; }
t 'a closed terminal ends the program' tui_until gone

# A record --------------------------------------------------------------------------------------

start 100 30 "$UNSPOOL" --ascii --record "$scratch/record" "$crash/crash.dmp" "$crash/symbols"
tui_reach 'frame 0 -> 1'
is 'a record has the size of the terminal' "$(grep -o 'size [0-9x]*' "$scratch/record")" 'size 100x30'
tui_keys Q

# Without a terminal ------------------------------------------------------------------------------

"$UNSPOOL" "$crash/crash.dmp" "$crash/symbols" </dev/null | cat >"$scratch/piped"
is 'into a pipe the program prints the walk' "$(cat "$scratch/piped")" "$("$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols")"
t 'the walk in a pipe has frames' grep -q ' 0  ledger.exe!balance_of' "$scratch/piped"
none 'the walk in a pipe has no escape sequences' "$(LC_ALL=C grep -n "$(printf '\033')" "$scratch/piped")"

done_testing
