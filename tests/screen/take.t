#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Copies of a value, a row, a frame, a walk, a step; walks and steps in files.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

folder=$srcdir/data/crashes/frame-data-x86
x86="$folder/crash.dmp $folder/symbols"

# case_of TITLE <script: copies go to the file `copied`.
echo 'set copy-command cat >copied' >"$scratch/config"
case_of() {
	title=$1
	cat >"$scratch/keys"
	# shellcheck disable=SC2086
	screen_case "$title" 80x24 --ascii --config "$scratch/config" $x86 <"$scratch/keys"
}
copied() { is "$1" "$(cat "$screen_folder/copied")" "$2"; }

case_of 'a value of the registers is copied' <<\KEYS
5
y
:save-screen got
KEYS
copied 'the copied value is that of the row' 00401048
expect_text got "^'00401048' copied by the command"
case_of 'a register that was computed is copied' <<\KEYS
5
j
y
KEYS
copied 'the copy of a computed register is the result' 0012fe94
case_of 'a word of the stack is copied' <<\KEYS
6
j
y
KEYS
copied 'the copy of a word is its value' 00401048
case_of 'a value of the evaluation is copied' <<\KEYS
s
s
s
y
KEYS
copied 'the copy of a read is the read value' 00401048
case_of 'an address of the stack is copied' <<\KEYS
j
y
KEYS
copied 'the copy of an address is that of the frame' 00401048
case_of 'a row without a value is copied completely' <<\KEYS
!
:copy value
KEYS
copied 'the copy of a row without a value is the row' 'crash         EXCEPTION_ACCESS_VIOLATION_READ'
case_of 'a row is copied with its origin' <<\KEYS
s
s
s
Y
KEYS
t 'the copy has the row and its origin' grep -q '^ *3  ^ .*\[12fe90\] = 401048   crash.dmp+0x110' \
	"$screen_folder/copied"
case_of 'a frame is copied' <<\KEYS
:goto frame 1
:copy frame
KEYS
is 'the copy of a frame has a row and its origin' "$(wc -l <"$screen_folder/copied" | tr -d ' ')" 2
t 'the copy of a frame has its function' grep -q '1 win  00401048 add_up  *ledger.c:21' "$screen_folder/copied"
case_of 'a walk is copied' <<\KEYS
:copy walk
KEYS
# shellcheck disable=SC2086
is 'the copy of a walk is that of walk --backtrace' "$(cat "$screen_folder/copied")" \
	"$("$UNSPOOL" walk --backtrace $x86)"
case_of 'a step is copied' <<\KEYS
:copy step
KEYS
# shellcheck disable=SC2086
is 'the copy of a step is that of explain' "$(cat "$screen_folder/copied")" "$("$UNSPOOL" explain $x86)"
TERM=xterm TMUX='' screen_case 'a terminal that takes none is told of' 80x24 --ascii \
	"$folder/crash.dmp" "$folder/symbols" <<\KEYS
y
:save-screen got
KEYS
expect_text got '^.00401005. copied inside the program'

case_of 'walks and steps are written' <<\KEYS
:export walk w.txt
:save-screen said
:export walk w.md
:export walk w.json
:export step s.txt
:export step s.md
:export step s.json
:export step s.html
:export prose p.txt
:export prose p.md
:export prose p.html
:copy report
@
:save-screen report
:try export report
:save-screen named
:export report r.html
:try export report r.txt
:save-screen text
:try export walk w.txt
:save-screen again
:try export walk w.pdf
:save-screen form
:try export prose p.json
:save-screen prose
KEYS
expect_text said "^written to 'w.txt'"
expect_text again "^'w.txt' exists; ':export! walk' overwrites it"
expect_text form "^unknown file type 'w.pdf': use .txt, .json, .md or .html"
expect_text prose "^unknown file type 'p.json': use .txt, .md or .html"
expect_text report "^written to 'crash.md', with words of memory"
expect_text named "^'crash.md' exists; ':export! report' overwrites it"
expect_text text "^unknown file type 'r.txt': use .md or .html"
is 'a step is written as a drawing' "$(grep -c '<svg ' "$screen_folder/s.html")" 1
t 'a step is written as a page' grep -q '<h1>The step from frame 0</h1>' "$screen_folder/s.html"
# shellcheck disable=SC2086
{
	is 'a walk is written as walk prints it' "$(cat "$screen_folder/w.txt")" "$("$UNSPOOL" walk -t 0 $x86)"
	is 'a walk in Markdown is that of walk --format markdown' "$(cat "$screen_folder/w.md")" \
		"$("$UNSPOOL" walk --format markdown -t 0 $x86)"
	# The explorer also knows the requests of other threads.
	is 'a walk in JSON is that of walk --json' "$(grep -v '"missing_symbols"' "$screen_folder/w.json")" \
		"$("$UNSPOOL" walk --json --pretty -t 0 $x86 | grep -v '"missing_symbols"')"
	is 'a step is written as explain prints it' "$(cat "$screen_folder/s.txt")" "$("$UNSPOOL" explain $x86)"
	is 'a step in sentences is that of explain --prose' "$(cat "$screen_folder/p.txt")" \
		"$("$UNSPOOL" explain --prose --frame 0 $x86)"
	is 'as Markdown' "$(cat "$screen_folder/p.md")" \
		"$("$UNSPOOL" explain --prose --frame 0 --format markdown $x86)"
	is 'a step as a page can be stepped' "$(cat "$screen_folder/p.html")" \
		"$("$UNSPOOL" explain --prose --frame 0 --format html $x86)"
	is 'a step in Markdown is that of explain --markdown' "$(cat "$screen_folder/s.md")" \
		"$("$UNSPOOL" explain --markdown $x86)"
	is 'a report is that of report, with the place of its writer' \
		"$(grep -v '^|.*shown at.* --at thread=0,frame=0,view=[a-z]* *|$' "$screen_folder/crash.md")" \
		"$("$UNSPOOL" report $x86 2>/dev/null)"
	t 'a report is written as a page' grep -q '<h2>Other threads</h2>' "$screen_folder/r.html"
	is 'a step in JSON is that of explain --json' "$(cat "$screen_folder/s.json")" \
		"$("$UNSPOOL" explain --json --pretty $x86)"
}

# Existing files stay unchanged, unless a command with '!' overwrites them; links are never followed
cp -R "$folder" "$scratch/mine"
chmod u+w "$scratch/mine" "$scratch/mine/crash.dmp"
printf 'precious\n' >"$scratch/kept"
cp "$scratch/kept" "$scratch/target"
cp "$scratch/kept" "$scratch/edits"
chmod 640 "$scratch/kept"
ln -s target "$scratch/link"
ln -s made "$scratch/dangling"
screen_case 'an existing file is not overwritten' 80x24 "$scratch/mine/crash.dmp" "$folder/symbols" <<KEYS
:try save-screen $scratch/mine/crash.dmp
:save-screen dump
:try save-screen $scratch/link
:try save-screen! $scratch/link
:save-screen link
:try save-screen $scratch/dangling
:try save-screen! $scratch/dangling
:try write $scratch/dangling
:try write! /dev/null
:save-screen device
:try save! $scratch/kept
:try write $scratch/kept
:save-screen kept
KEYS
expect_text dump "exists; ':save-screen!' overwrites it"
expect_text link "cannot write '.*': it is not a regular file"
expect_text device "rows written to '/dev/null'"
expect_text kept "exists; ':write!' overwrites it"
t 'the open dump is unchanged' cmp -s "$scratch/mine/crash.dmp" "$folder/crash.dmp"
is 'no link was followed' "$(cat "$scratch/target"; ls "$scratch/made" 2>&1 | grep -c made)" 'precious
1'
t 'a device stays a device' test -c /dev/null
screen_case "a command with '!' overwrites" 80x24 "$scratch/mine/crash.dmp" "$folder/symbols" <<KEYS
:save-screen! $scratch/kept
:write! $scratch/target
:save-screen! $scratch/mine/crash.dmp
:goto frame 1
:save-screen! new
:export walk again.txt
:export! walk again.txt
:export! step $scratch/target.txt
KEYS
t 'a file becomes the screen' grep -q 'ledger' "$scratch/kept"
is 'the file keeps its rights' "$(ls -l "$scratch/kept" | cut -c1-10)" '-rw-r-----'
t 'a missing file is made' grep -q 'add_up' "$screen_folder/new"
# shellcheck disable=SC2086
is 'a step is written' "$(cat "$scratch/target.txt")" \
	"$("$UNSPOOL" explain --frame 1 $x86)"
is 'no draft is left next to the files' "$(find "$scratch" -name '*.??????' |
	grep -cE '(kept|target|crash.dmp|new|again.txt)\.[^.]{6}$')" 0

# Impossible commands fail a script ---------------------------------------------------------------

cp "$folder/crash.dmp" "$scratch/fails.dmp"
for command in 'export walk w.pdf' 'export walk nowhere/w.txt' 'write nowhere/w.txt' 'view moods' 'layout moods' \
	'memory moods' 'disassemble moods' 'identify moods' 'goto mark z' 'mark 1' 'stream moods' 'register-history moods' \
	'methods moods' 'hit next' 'find-memory $moods'; do
	echo ":$command" >"$scratch/fails"
	(cd "$scratch" && "$UNSPOOL" --script fails fails.dmp >/dev/null 2>said </dev/null)
	is "a script with a refused command fails: $command" "$? $(sed -n 's/^unspool: fails:1: .*/said/p' \
		"$scratch/said")" '1 said'
done

done_testing
