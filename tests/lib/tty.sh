# SPDX-License-Identifier: GPL-3.0-or-later
#
# Terminal tests, for behaviour that needs a real terminal (resize, suspend, mouse, paste, a crash). To be
# sourced. POSIX sh. Without tmux and ps the test is skipped.
#
#	. "$srcdir/tests/lib/tty.sh"
#	tui_start 80 24 "$UNSPOOL" "$dump"
#	t 'the program draws' tui_wait 'frame 0'
#	tui_keys q
#	t 'q leaves' tui_ended
#	is 'it ends well' "$(tui_status)" 0
#	done_testing
#
# Waits poll the screen: only a wait that fails takes all of its time.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

for tui_need in tmux ps; do
	command -v $tui_need >/dev/null 2>&1 || skip_all "$tui_need is not installed"
done

# Seconds until a wait fails. Sanitized programs on busy machines are slow.
: "${TUI_PATIENCE:=120}"

# A tmux server for this test only, without the user's configuration and sessions.
mux() { tmux -u -S "$scratch/tmux" -f "$scratch/tmux.conf" "$@"; }

cat >"$scratch/tmux.conf" <<\END
set -g default-terminal screen-256color
set -g status off
set -g remain-on-exit on
set -g remain-on-exit-format ''
set -s escape-time 0
END

tap_cleanup() {
	mux kill-server 2>/dev/null
	rm -rf "$scratch"
}

# tmux 3.3 may lose the exit status of a short command, so a shell around it writes it down. The shell
# ignores signals from the keyboard; the command gets them.
tui_wrapper='trap : INT QUIT
"$@"
echo $? >"$0.new" && mv "$0.new" "$0"'

# tui_start COLUMNS ROWS COMMAND...: end the last command and run another in a terminal of that size.
tui_start() {
	mux kill-server 2>/dev/null
	rm -f "$scratch/status"
	tui_columns=$1
	tui_rows=$2
	shift 2
	# The last server may still be ending, and the new session would end with it.
	tui_tries=0
	while [ $tui_tries -lt 40 ]; do
		(unset TMUX && mux new-session -d -x "$tui_columns" -y "$tui_rows" \
			sh -c "$tui_wrapper" "$scratch/status" "$@" 2>/dev/null) && return 0
		tui_tries=$((tui_tries + 1))
		sleep 0.05
	done
	echo 'Bail out! tmux did not start'
	exit 1
}

# tui_pid: the process ID of the command, to send it a signal.
tui_pid() {
	tui_shell=$(mux display-message -p '#{pane_pid}')
	ps -A -o ppid= -o pid= | $AWK -v parent="$tui_shell" '$1 == parent { print $2 }'
}

# tui_keys KEY...: press keys, by tmux's names (Enter, C-z, PageUp); tui_keys -l TEXT: type TEXT.
tui_keys() { mux send-keys "$@"; }

# tui_paste TEXT: paste it as a terminal does, in brackets if the program asked for them.
tui_paste() { printf '%s' "$1" | mux load-buffer - && mux paste-buffer -p; }

tui_resize() { mux resize-window -x "$1" -y "$2"; }

# tui_screen: the rows of the screen; -e keeps colours and attributes as escape sequences.
tui_screen() { mux capture-pane -p "$@" 2>&1; }

# tui_until COMMAND...: repeat until it succeeds or TUI_PATIENCE has passed.
tui_until() {
	tui_tries=$((TUI_PATIENCE * 20))
	while [ $tui_tries -gt 0 ]; do
		"$@" && return 0
		tui_tries=$((tui_tries - 1))
		sleep 0.05
	done
	return 1
}

tui_shows() { tui_screen | grep -qE -- "$1"; }
tui_hides() { ! tui_shows "$1"; }
tui_is_dead() { [ -f "$scratch/status" ]; }

# tui_wait REGEX, tui_wait_gone REGEX: wait until a row of the screen matches, or until none matches.
tui_wait() {
	tui_until tui_shows "$1" && return 0
	printf 'the screen never showed: %s\n' "$1"
	tui_screen
	return 1
}
tui_wait_gone() {
	tui_until tui_hides "$1" && return 0
	printf 'the screen went on to show: %s\n' "$1"
	tui_screen
	return 1
}

# tui_reach REGEX: wait until a row matches, before the next keys are pressed; a test that failed if none does.
tui_reach() { tui_until tui_shows "$1" || t "a row of the screen matches '$1'" tui_missing; }
tui_missing() { tui_screen && return 1; }

# tui_ended: wait until the command has ended. tui_status: its exit status, or 128 and the number of the signal that killed it.
tui_ended() {
	tui_until tui_is_dead && return 0
	printf 'the program still runs\n'
	tui_screen
	return 1
}
tui_status() { cat "$scratch/status"; }

# tui_mode FLAG: 1 or 0, a mode of the terminal by tmux's name: alternate_on, mouse_any_flag, cursor_flag, keypad_flag.
tui_mode() { mux display-message -p "#{$1}"; }
