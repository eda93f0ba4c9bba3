# SPDX-License-Identifier: GPL-3.0-or-later
#
# A shell with job control that runs a program in a terminal: fg continues a stopped program, and the
# shell records the terminal's state after the program. To be sourced by terminal tests. POSIX sh.
#
#	. "$srcdir/tests/lib/shell.sh"
#	start 80 24 "$UNSPOOL" "$dump"
#	tui_keys C-z
#	t 'C-z stops it' tui_until stopped
#	t 'and gives the terminal back' sane
#	go
#	...
#	t 'q ends it' ended
#	is 'it ends well' "$(cat "$scratch/ended")" 0

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tty.sh"

XDG_STATE_HOME=$scratch/state
export XDG_STATE_HOME
case ${LC_ALL:-} in *[Uu][Tt][Ff]*) ;; *) skip_all 'no UTF-8 locale' ;; esac

# A sanitizer would catch faults before the program can handle them.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigbus=0:handle_abort=0
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
export ASAN_OPTIONS

# The shell continues a stopped program with fg when the test creates the file "go". After the program it writes down the terminal's
# modes and the exit status, and stays alive: tmux hides the cursor of a terminal without a process.
cat >"$scratch/shell" <<\END
trap : INT
set -m
folder=$1
shift
modes() { stty -a >"$folder/modes.new" && mv "$folder/modes.new" "$folder/modes"; }
"$@"
status=$?
while jobs >"$folder/jobs"; [ -s "$folder/jobs" ]; do
	modes
	until [ -f "$folder/go" ]; do sleep 0.05; done
	rm -f "$folder/go" "$folder/modes"
	fg >/dev/null
	status=$?
done
modes
echo $status >"$folder/ended.new" && mv "$folder/ended.new" "$folder/ended"
read -r line
END

# start COLUMNS ROWS COMMAND...: end the last program and run a command under the shell.
start() {
	start_size="$1 $2"
	shift 2
	# The shell of the last program waits for a line.
	[ ! -f "$scratch/ended" ] || { tui_keys Enter && tui_ended; }
	rm -f "$scratch/modes" "$scratch/ended"
	# shellcheck disable=SC2086
	tui_start $start_size sh "$scratch/shell" "$scratch" "$@"
}

# process: the process ID of the program, to send it a signal.
process() {
	ps -A -o ppid= -o pid= | $AWK -v parent="$(tui_pid)" '$1 == parent { print $2; exit }'
}
stopped() { case $(ps -o stat= -p "$(process)") in T*) ;; *) return 1 ;; esac; }

# go: let the shell continue a stopped program.
go() { : >"$scratch/go"; }

ended() {
	tui_until test -f "$scratch/ended" && return
	tui_screen
	return 1
}

# sane: the terminal has the state that a shell needs: echo, line mode, main screen, cursor, no mouse.
has_mode() { tr ' ;' '\n\n' <"$scratch/modes" | grep -qx -e "$1"; }
screen_is_plain() {
	[ "$(tui_mode alternate_on)$(tui_mode mouse_any_flag)$(tui_mode cursor_flag)" = 001 ]
}
sane() {
	tui_until test -f "$scratch/modes" && has_mode echo && has_mode icanon && tui_until screen_is_plain && return
	cat "$scratch/modes"
	tui_mode 'alternate_on} #{mouse_any_flag} #{cursor_flag'
	return 1
}

# ends_sanely HOW STATUS: the program, already asked to end, exits so and leaves the terminal sane.
ends_sanely() {
	t "$1 ends it" ended
	is "$1 is what its status says" "$(cat "$scratch/ended")" "$2"
	t "$1 leaves a sane terminal" sane
}
