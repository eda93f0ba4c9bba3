#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The parts of ui/ that need a terminal: stopping and continuing, resizing, signals and faults, typing at
# the prompt, pastes, the mouse.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

demo=$builddir/tests/screen/demo-ui
[ -x "$demo" ] || skip_all 'tests/screen/demo-ui is not built; make check builds it'

# Sizes ------------------------------------------------------------------------------------------

start 80 24 "$demo" --ascii
t 'the program paints' tui_wait 'demo  80x24'
is 'the program uses the alternate screen' "$(tui_mode alternate_on)" 1
tui_resize 120 40
t 'a larger terminal has three panes' tui_wait '^-[ (]2 source'
t 'a larger terminal shows all rows' tui_wait 'demo  120x40'
tui_resize 200 50
t 'a large terminal has two columns' tui_wait 'summary.*\|-.*evidence'
tui_resize 30 5
t 'a tiny terminal has a message' tui_wait '^40x6 needed'
tui_resize 80 24
t 'a tiny terminal is painted after it grows' tui_wait '^>main'

# At rest ----------------------------------------------------------------------------------------

mux pipe-pane -O "cat >'$scratch/written'"
# The loop checks for keys once a second.
sleep 2.2
mux pipe-pane
none 'a program that waits for keys writes nothing' "$(cat "$scratch/written")"

# Keys -------------------------------------------------------------------------------------------

tui_keys 2
tui_keys PageDown
t 'the keypad pages' tui_wait '^>row 10 '
tui_keys Down j End
t 'arrows and End move' tui_wait '^>row 999 '
tui_keys Home
tui_reach '^>row 0 '
tui_keys M-q
t 'a key held with Alt is no Esc with a letter' tui_wait "does nothing here"
tui_keys -l "$(printf '\033[1;5A')"
t 'an unknown sequence types nothing' tui_wait '^>row 0 '

# The prompt -------------------------------------------------------------------------------------

tui_keys :
tui_keys -l 'goto 1é漢'
t 'the prompt accepts UTF-8' tui_wait '^:goto 1é漢'
is 'the cursor is after the typed text' "$(mux display-message -p '#{cursor_x},#{cursor_y}')" \
	10,23
tui_keys BSpace BSpace
tui_keys -l 5
tui_keys Left Left
tui_keys -l 2
tui_keys C-e Enter
t 'it edits' tui_wait '^>row 215 '
tui_keys :
tui_keys Up
t 'Up recalls' tui_wait '^:goto 215'
tui_keys Escape
t 'a single Esc leaves the prompt' tui_wait '^cancelled'
tui_keys /
tui_keys -l é
tui_keys Enter
tui_keys /
tui_keys C-r
tui_keys -l é
t 'C-r searches for letters outside of ASCII' tui_wait '^\(reverse-i-search\)`é'
tui_keys C-c
t 'C-c leaves' tui_wait '^cancelled'
tui_keys :
tui_resize 100 30
t 'a resize keeps the prompt' tui_wait 'demo  100x30'
tui_keys -l 'goto 7'
t 'and goes on' tui_wait '^:goto 7'
tui_keys C-c
tui_reach '^cancelled'

tui_keys :
tui_paste 'goto 44
q'
t 'a paste is one line' tui_wait '^:goto 44 q'
tui_keys C-c
tui_reach '^cancelled'
tui_paste 'QQQ'
tui_keys G
t 'a paste outside of the prompt types nothing' tui_wait '^>row 999 '

# The mouse --------------------------------------------------------------------------------------

is 'without an option the terminal has the mouse' "$(tui_mode mouse_any_flag)" 0
tui_keys F8
mouse_is_on() { [ "$(tui_mode mouse_any_flag)" = 1 ]; }
t 'until F8' tui_until mouse_is_on
tui_keys -l "$(printf '\033[<0;5;5M\033[<0;5;5m')"
tui_keys -l "$(printf '\033[M %%%%')"
t 'a click selects a row' tui_wait '^>(ESC|CR)'

# Stopping ---------------------------------------------------------------------------------------

back() { [ "$(tui_mode alternate_on)" = 1 ] && tui_shows 'demo  100x30'; }
tui_keys C-z
t 'C-z stops the program' tui_until stopped
t 'C-z gives the terminal back' sane
go
t 'fg takes the terminal' tui_until back
is 'fg takes the mouse' "$(tui_mode mouse_any_flag)" 1
kill -TSTP "$(process)"
t 'SIGTSTP stops the program' tui_until stopped
t 'SIGTSTP gives the terminal back' sane
go
t 'SIGCONT takes the terminal' tui_until back
kill -STOP "$(process)"
t 'SIGSTOP leaves the terminal as it is' tui_until stopped
go
tui_keys 2 g
t 'SIGCONT after it repaints' tui_wait '^>row 0 '
tui_keys q
t 'q leaves' ended
is 'the program exits with 0' "$(cat "$scratch/ended")" 0
t 'the terminal is sane after it' sane

# The histories
is 'typed lines are kept' "$(tail -n 1 "$XDG_STATE_HOME/unspool/history-command")" 'goto 215'
is 'searches are kept separately' "$(cat "$XDG_STATE_HOME/unspool/history-find")" é
none 'other users cannot read them' \
	"$(find "$XDG_STATE_HOME" \( -type f ! -perm 600 \) -o \( -type d ! -perm 700 \))"
start 80 24 "$demo"
tui_reach 'demo  80x24'
tui_keys :
tui_keys Up
t 'the next program has the kept lines' tui_wait '^:goto 215'
tui_keys C-c
tui_reach '^cancelled'

# The editor -------------------------------------------------------------------------------------

tui_keys q
ended
odd="$scratch/a'b; \$(touch x) +1.c"
printf 'int x;\n' >"$odd"
cat >"$scratch/editor" <<END
#!/bin/sh
printf '%s\n' "\$@" >'$scratch/arguments'
stty -a | tr ' ' '\n' | grep -x echo >'$scratch/echo'
END
chmod +x "$scratch/editor"
start 80 24 env VISUAL="$scratch/editor --wait" \
	DEMO_FILE="$odd" "$demo" --ascii
tui_reach 'demo  80x24'
tui_keys e
t 'the editor is started' tui_wait '^edited'
is 'the editor gets its arguments, the line and the file' "$(cat "$scratch/arguments")" "--wait
+58
$odd"
is 'the editor has a terminal that echoes' "$(cat "$scratch/echo")" echo
is 'the screen is painted after the editor' "$(tui_mode alternate_on)" 1
tui_keys q
ended

# The ends ---------------------------------------------------------------------------------------

for signal in TERM:143 HUP:129 INT:130 QUIT:131 SEGV:139 BUS:135 ALRM:142 USR1:138 XCPU:152; do
	start 80 24 "$demo"
	tui_reach 'demo  80x24'
	tui_keys F8
	tui_until mouse_is_on
	kill -"${signal%:*}" "$(process)"
	ends_sanely "SIG${signal%:*}" "${signal#*:}"
done
for fault in fault:139 overflow:139 abort:134; do
	start 80 24 "$demo"
	tui_reach 'demo  80x24'
	tui_keys :
	tui_keys -l "goto ${fault%:*}"
	tui_keys Enter
	ends_sanely "a fault (${fault%:*})" "${fault#*:}"
	t 'the fault is reported' tui_wait '^demo-ui has crashed'
done

done_testing
