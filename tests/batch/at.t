#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Places that one user sends to another: --at opens the place that :at printed.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'

XDG_STATE_HOME=$scratch/state
XDG_CONFIG_HOME=$scratch/config
export XDG_STATE_HOME XDG_CONFIG_HOME

# plain CRASH [OPTION...] <commands: the output of --plain.
plain() {
	folder=$srcdir/data/crashes/$1
	shift
	"$UNSPOOL" --plain "$@" "$folder/crash.dmp" "$folder/symbols" 2>&1
}

has() { t "$1" sh -c 'printf "%s\n" "$1" | grep -qE -- "$2"' sh "$2" "$3"; }

# there_and_back CRASH PLACE COMMAND...: the commands end at the place, and --at leads to it: to the same
# selected row of the same view, which prints the same place.
there_and_back() {
	crash=$1
	place=$2
	shift 2
	printf '%s\n' "$@" >"$scratch/commands"
	went=$(printf '%s\n' at | cat "$scratch/commands" - | plain "$crash" | sed -n 's/^--at //p')
	is "$crash: '$*' is a place" "$went" "$place"
	printf '%s\n' "set rows 2" at | plain "$crash" --at "$place" >"$scratch/opened"
	is 'the place leads to itself' "$(sed -n 's/^--at //p' "$scratch/opened")" "$place"
	is 'the place selects the row again' "$(grep '^>' "$scratch/opened" | tail -1)" \
		"$(plain "$crash" <"$scratch/commands" | grep '^>' | tail -1)"
}

there_and_back inlines-amd64 thread=0,frame=0,view=stack 'view stack'
there_and_back inlines-amd64 thread=0,frame=2,call=1,view=stack 'frame 2' 'row down'
there_and_back inlines-amd64 thread=0,frame=1,token=3,view=eval 'frame 1' 'step token 3'
there_and_back inlines-amd64 thread=0,frame=1,view=evidence,row=9 'frame 1' 'view evidence' 'row 9'
there_and_back inlines-amd64 thread=0,frame=1,token=7,view=registers \
	'frame 1' 'step register' 'step register'
there_and_back inlines-amd64 thread=0,frame=1,view=memory,address=0x7ffde1b67300 \
	'frame 1' 'view memory' 'row down' 'row down'
there_and_back inlines-amd64 thread=0,frame=0,method=sframe,view=evidence \
	'view methods' 'search SFrame' 'open'
there_and_back inlines-amd64 thread=0,frame=3,view=raw,raw=sym:2411:21 'frame 3' 'goto sym:2411:21'
there_and_back inlines-amd64 thread=0,frame=0,view=raw,raw=dump:0x2270 'goto dump:0x2270'
there_and_back inlines-amd64 thread=0,frame=0,view=disassembly,address=0x55f654b5d260 'disassemble 0x55f654b5d260'
there_and_back frame-data-x86 thread=1,frame=1,view=stack 'thread 1' 'frame 1'
there_and_back frame-data-x86 thread=0,frame=0,view=dump,stream=1,row=2 'stream ThreadList' 'row 2'
there_and_back broken-cfi-amd64 thread=0,frame=0,view=modules,row=2 'view modules' 'row 2'

# Missing places ---------------------------------------------------------------------------------

# at PLACE: the first rows that are printed.
at() { plain inlines-amd64 --at "$1" </dev/null; }

out=$(at frame=77)
has 'the outermost frame is shown for a missing frame' "$out" \
	'^no frame 77; the outermost one, 7, is shown'
has 'the outermost frame is selected' "$out" '^> +7 cfi '
has 'the thread that crashed is shown for a missing thread' "$(at thread=5,frame=2)" \
	'^no thread 5 is walked; thread 0 is shown'
has 'the innermost call is shown for a missing inlined call' "$(at frame=1,call=9)" '^no call 9 in frame 1; it has 6'
out=$(at frame=1,token=99)
has 'the beginning of the step is shown for a missing token' "$out" '^the step from frame 1 has no such token'
has 'a missing token is shown in the view of tokens' "$out" '^\[eval\]'
has 'a missing frame is shown in the view that is named' "$(at frame=77,view=registers)" '^\[registers\]'

# refused PLACE REGEX
refused() {
	out=$(at "$1")
	is "'$1' is not a place" $? 2
	has "the message describes the mistake in the place" "$out" "$2"
}
refused '' "^unspool: --at: '' is not a part of a place; expected for example"
refused frame "'frame' is not a part of a place"
refused frame= "'frame=' is not a number"
refused frame=-1 "'frame=-1' is not a number"
refused frame=99999999999999999999 'is not a number'
refused frame=1,view=tape "'view=tape' is not a view"
refused method=magic "'method=magic' is not a method"
refused address=rsp "'address=rsp' is not a hexadecimal address"
refused frame=1, "'' is not a part of a place"

# Edits, reports, going back ---------------------------------------------------------------------

out=$(printf '%s\n' 'set-register rbx 5' at | plain inlines-amd64)
has 'edits are no part of a place' "$out" '^--at thread=0,frame=0,view=[a-z]+ \(without the edits\)'
(cd "$scratch" && printf '%s\n' 'at frame=1,token=3' 'export report here.md' | plain inlines-amd64) >/dev/null
t 'a report names the place of its writer' \
	grep -qF 'thread=0,frame=1,token=3,view=eval' "$scratch/here.md"
none 'a session without notes has no section of them' "$(grep -i '^#.*notes' "$scratch/here.md")"
for form in md html; do
	(cd "$scratch" && printf '%s\n' 'note seen by <alice> in /home/alice/x' "export report noted.$form" |
		plain inlines-amd64 --redact) >/dev/null
done
is 'each form of the report has the notes of the session' "$(cat "$scratch"/noted.* | grep -c 'seen by .*user[0-9].* in /home/user[0-9]/x')" 2
none 'a redacted report replaces the names of users in notes' "$(grep -l alice "$scratch"/noted.*)"
out=$(printf '%s\n' 'frame 3' 'view registers' 'at frame=1,token=3' escape at | plain inlines-amd64)
has 'one step leads back from a place' "$out" '^--at thread=0,frame=3,view=registers'

# Records ----------------------------------------------------------------------------------------

folder=$srcdir/data/crashes/frame-data-x86
printf '%s\n' 's' 's' quit | (cd "$scratch" && UNSPOOL_SYMBOLS="$folder/symbols" "$UNSPOOL" --plain --record a.record \
	--binaries "$scratch" --methods=stack-win --at frame=1,view=eval "$folder/crash.dmp") >"$scratch/recorded"
command=$(sed -n '1s/^# \(.*\)unspool --script THIS/\1"$UNSPOOL" --script a.record/p' "$scratch/a.record")
(cd "$scratch" && eval "$command") >"$scratch/repeated"
is 'the first line of a record repeats the session: symbols, binaries, methods and place' \
	"$(cat "$scratch/repeated")" "$(cat "$scratch/recorded")"
t 'the first line of a record has the symbols of the environment' grep -q '^>.*\$T0\|^> .*ebp' "$scratch/recorded"

done_testing
