#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The helpers of the other tests: a helper that cannot fail would make them all worthless.
. "$(dirname "$0")/lib/tap.sh"

# Shell assertions --------------------------------------------------------------------------------

# verdict COMMAND...: what an assertion says, run in a shell of its own.
verdict() { (tap_run=0 tap_failed=0; "$@") | sed -n 1p; }

is 't passes when its command succeeds' "$(verdict t title true)" 'ok 1 - title'
is 't fails when its command fails' "$(verdict t title false)" 'not ok 1 - title'
is 'is fails when two texts differ' "$(verdict is title a b)" 'not ok 1 - title'
is 'none fails if its text is not empty' "$(verdict none title a)" 'not ok 1 - title'
is 'a title cannot become a directive' "$(verdict t 'a # SKIP b' true)" 'ok 1 - a \# SKIP b'

finished() { (tap_run=$1 tap_failed=$2; trap - EXIT; done_testing >/dev/null); }
t 'a test without a failure exits with 0' finished 2 0
t 'a test with a failure exits with 1' eval '! finished 2 1'
t 'a test without an assertion exits with 1' eval '! finished 0 0'

# Regions of saved screens ------------------------------------------------------------------------

region=$builddir/tests/lib/region
if [ -x "$region" ]; then
	cat >"$scratch/plain" <<\END
first row
a漢b é|  end
   last   
END
	is 'a region is cut by column and row' "$("$region" 2,1 4x1 "$scratch/plain")" 'irst'
	is 'a wide character counts two columns' "$("$region" 4,2 1x1 "$scratch/plain")" 'b'
	is 'half a wide character is a blank' "$("$region" 3,2 2x1 "$scratch/plain")" ' b'
	is 'a wide character at the edge is a blank' "$("$region" 1,2 2x1 "$scratch/plain")" 'a '
	is 'blanks at the end of a row are ignored' "$("$region" 1,3 20x1 "$scratch/plain")" '   last'
	is 'a region has no rows past the end' "$("$region" 1,4 20x2 "$scratch/plain")" ''
	t 'a missing file is an error' eval '! "$region" 1,1 1x1 "$scratch/absent"'

	cat >"$scratch/marked" <<\END
ab{r:cd{b:ef}gh}ij \{r:\}
{1:red}{1:der} {u:  }
END
	cut() { "$region" --attributes "$1" "$2" "$scratch/marked"; }
	is 'groups are flattened' "$(cut 1,1 10x1)" 'ab{r:cd}{rb:ef}{r:gh}ij'
	is 'a region opens and closes attributes at its edges' "$(cut 4,1 3x1)" '{r:d}{rb:ef}'
	is 'an escaped brace is text' "$(cut 11,1 20x1)" ' \{r:\}'
	is 'equal neighbours are joined' "$(cut 1,2 6x1)" '{1:redder}'
	is 'blanks with an attribute are kept' "$(cut 7,2 9x1)" ' {u:  }'
else
	skip 12 'tests/lib/region is not built; make check builds it'
fi

# A real terminal ---------------------------------------------------------------------------------

if command -v tmux >/dev/null 2>&1; then
	. "$srcdir/tests/lib/tty.sh"
	tui_start 40 8 sh -c 'echo begun; read -r line; echo "got $line"; exit 3'
	t 'the screen shows the output of a program' tui_wait '^begun'
	t 'a wait for missing text fails' eval '! TUI_PATIENCE=1 tui_wait never'
	tui_keys -l hello
	tui_keys Enter
	t 'keys reach the program' tui_wait 'got hello'
	t 'the end of the program is noticed' tui_ended
	is 'its exit status is known' "$(tui_status)" 3
	tui_start 40 8 sleep 100
	t 'the process of a program is known' tui_until eval '[ -n "$(tui_pid)" ] && kill "$(tui_pid)"'
	t 'a killed program is noticed' tui_ended
	is 'the signal of a killed program is known' "$(tui_status)" 143
	tui_start 40 8 sh -c 'trap "echo interrupted; exit 4" INT; echo begun; read -r line'
	tui_wait begun >"$scratch/begun"
	tui_keys C-c
	t 'an interrupt reaches the program' tui_wait interrupted
	t 'an interrupt does not hide the end of the program' tui_ended
	is 'an interrupt does not hide the exit status' "$(tui_status)" 4
else
	skip 11 'tmux is not installed'
fi

done_testing
