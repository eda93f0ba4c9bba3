#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The sandbox around the whole program: commands run in it, and its visible effects. tests/unit/system/t-sandbox.c shows what a process
# in it cannot do, tests/unit/cmd/t-guard.c what a command keeps; all other tests show that every command works in it.
. "$(dirname "$0")/../lib/tap.sh"

[ -r /proc/self/status ] || skip_all 'no /proc'
"$UNSPOOL" --version | grep -q '^sandbox: Landlock .*seccomp' || skip_all 'this kernel has no Landlock or no seccomp'
crash=$srcdir/data/crashes/inlines-amd64
unset UNSPOOL_SANDBOX UNSPOOL_SYMBOLS UNSPOOL_BINARIES
cd "$scratch" || exit 99

# until_restricted: wait until the process has a filter of system calls, or `most` times.
most=100
until_restricted() {
	tries=$most
	until [ "$(sed -n "s/^Seccomp:[[:space:]]*//p" /proc/$process/status)" = 2 ] || [ $tries = 0 ]; do
		sleep 0.05
		tries=$((tries - 1))
	done
}

# status_of FIELD COMMAND...: a field of the process's status while it waits for input, and of its children's.
status_of() {
	field=$1
	shift
	rm -f pipe
	mkfifo pipe
	"$@" <pipe >out 2>err &
	process=$!
	exec 9>pipe
	until_restricted
	sed -n "s/^$field:[[:space:]]*//p" /proc/$process/status
	children=$(cat /proc/$process/task/$process/children 2>/dev/null)
	exec 9>&-
	wait $process
}
is 'a command that reads an input makes few system calls' "$(status_of Seccomp "$UNSPOOL" walk -)" 2
is 'a command that reads an input gets no rights from programs' "$(status_of NoNewPrivs "$UNSPOOL" streams -)" 1
is 'the explorer gets no rights from programs' "$(status_of Seccomp "$UNSPOOL" --plain "$crash/crash.dmp")" 2
status_of Seccomp "$UNSPOOL" walk - >/dev/null
gone=0
for child in $children; do
	tries=40
	while [ -d "/proc/$child" ] && grep -q unspool "/proc/$child/cmdline" && [ $tries -gt 0 ]; do
		sleep 0.05
		tries=$((tries - 1))
	done
	[ $tries -gt 0 ] && gone=$((gone + 1))
done
is 'the broker of the explorer ends with it' "$gone" 1

# kept COMMAND...: the process keeps its rights.
kept() {
	most=6
	status_of Seccomp "$@"
}
is '--no-sandbox keeps all rights' "$(kept "$UNSPOOL" walk --no-sandbox -)" 0
is 'UNSPOOL_SANDBOX=off keeps all rights' "$(UNSPOOL_SANDBOX=off kept "$UNSPOOL" walk -)" 0
echo 'sandbox off' >config
is 'a line of the configuration file turns the sandbox off' "$(kept "$UNSPOOL" --plain --config config "$crash/crash.dmp")" 0

# Options, the variable and the configuration: the more specific one is used.
is '--sandbox required keeps no rights' "$(status_of Seccomp "$UNSPOOL" walk --sandbox required -)" 2
is 'UNSPOOL_SANDBOX=required keeps no rights' "$(UNSPOOL_SANDBOX=required status_of Seccomp "$UNSPOOL" walk -)" 2
is 'the option precedes the variable' "$(UNSPOOL_SANDBOX=off status_of Seccomp "$UNSPOOL" walk --sandbox=required -)" 2
is 'the option precedes the configuration file' \
	"$(status_of Seccomp "$UNSPOOL" --plain --sandbox required --config config "$crash/crash.dmp")" 2

# Kernels that lack a half, or both; strace makes their calls fail.
# A sanitizer cannot look for leaks under strace.
lacks() { ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 strace -qq -o /dev/null -e "$@"; }
landlock=inject=landlock_create_ruleset:error=ENOSYS seccomp=inject=seccomp:error=ENOSYS
if lacks $landlock -e $seccomp true 2>/dev/null; then
	lacks $landlock "$UNSPOOL" walk --json "$crash/crash.dmp" "$crash/symbols" >json 2>err
	is 'a run without Landlock has a message, not only on a terminal' "$?$(grep sandbox err)" \
		'0unspool: sandbox: only seccomp: this kernel has no Landlock'
	is 'the JSON of a run without Landlock has the message' "$(grep -o '"sandbox":"[a-z]*"' json)" '"sandbox":"seccomp"'
	lacks $seccomp "$UNSPOOL" walk --json "$crash/crash.dmp" >json 2>err
	is 'the JSON of a run without seccomp has the message' "$(grep -o '"sandbox":"[a-z]*"' json)" '"sandbox":"landlock"'
	lacks $landlock -e $seccomp "$UNSPOOL" walk --json "$crash/crash.dmp" >json 2>err
	is 'the JSON of a run without both has the message' "$(grep -o '"sandbox":"[a-z]*"' json)" '"sandbox":"none"'
	lacks inject=clone,clone3,fork:error=EAGAIN "$UNSPOOL" walk "$crash/crash.dmp" >out 2>err
	t 'a broker that cannot be started is reported' grep -q "^unspool: cannot start the sandbox's broker: " err
fi
none 'JSON does not mention a complete sandbox' "$("$UNSPOOL" walk --json "$crash/crash.dmp" 2>err | grep '"sandbox"')"

# Files that were not named: symbols are readable because of their kind, a key is not.
mkdir -p other/.ssh "$HOME/.ssh"
cp -R "$crash/symbols" other/symbols
echo secret >"$HOME/.ssh/key"
"$UNSPOOL" --plain "$crash/crash.dmp" >out 2>err <<KEYS
:symbols $scratch/other/symbols
:wait
:try play $HOME/.ssh/key
:export walk $scratch/other/walk.txt
:try export walk $HOME/.ssh/walk.txt
:set copy-command cat >$scratch/stolen
:copy row
KEYS
t 'a session reads symbols that were not given' grep -q 'inlines.c\|main' other/walk.txt
t 'a hidden file is refused, and the message names the sandbox' grep -q 'refused by the sandbox (--allow PATH or :allow PATH)' out err
t 'no file is written to the hidden directory' test ! -e "$HOME/.ssh/walk.txt"
t 'a typed command is not run' test ! -e stolen
t 'the refused command is reported' grep -q 'the sandbox runs only the copy-command' out err
echo "set copy-command cat >$scratch/copied" >config
printf ':copy row\n' | "$UNSPOOL" --plain --config config "$crash/crash.dmp" >out 2>err
t 'the command of the configuration file is run' test -s copied

# A path that the user allows is read and written, also a hidden one. No terminal: no question.
setsid "$UNSPOOL" --plain --no-config --allow "$HOME/.ssh" "$crash/crash.dmp" >out 2>err <<KEYS
:export walk $HOME/.ssh/walk.txt
:try write .rows.md
:try allow .rows.md
KEYS
t 'a path of --allow is written' test -s "$HOME/.ssh/walk.txt"
t 'hidden names outside of it are refused' test ! -e .rows.md
t 'without an answer on the terminal nothing is allowed' grep -q "not allowed: no 'yes' was typed" out err
if [ -w /var/tmp ]; then
	kept=/var/tmp/unspool-test.$$
	printf ':write %s.md\n:write! %s.md\n' $kept $kept | "$UNSPOOL" --plain --no-config "$crash/crash.dmp" >out 2>err
	is 'a session writes files in /var/tmp, again and again' "$? $(grep -c . $kept.md)" "0 $(grep -c . $kept.md)"
	rm -f $kept.md
fi

# A working directory that is / or has the home in it gives no files.
for folder in / "${HOME%/*}"; do
	printf ':try play /etc/group\n:try write /.unspool-test\n:try write /etc/unspool-test.md\n' >script
	(cd "$folder" && "$UNSPOOL" --plain --no-config --script "$scratch/script" "$crash/crash.dmp" >"$scratch/out" 2>&1)
	is "$folder: files of the system are refused" "$(grep -c "refused by the sandbox\|Permission denied\|Read-only" out)" 3
	rm -f /.unspool-test /etc/unspool-test.md 2>err
done

# Outputs outside of the working directory, and those that are devices.
mkdir -p store/here
program=$srcdir/data/crashes/broken-cfi-amd64/binaries/till
(cd store/here && "$UNSPOOL" dump-syms --store ../new/deeper "$program" >../out 2>err)
t 'a store that is not in the working directory is made' test -s "store/here/$(cat store/out)"
"$UNSPOOL" dump-syms -o /dev/null "$program" >out 2>err
is 'symbols can be written to a device' "$? $(cat out)" '0 '
"$UNSPOOL" walk "$crash/crash.dmp" given >out 2>err
t 'an argument that is not an output gives no right to write' test ! -e given
(cd store && "$UNSPOOL" dump-syms --store ./a//b/./c/ "$program" >out 2>err)
t 'a store is made if its path has empty parts' test -s "store/$(cat store/out)"
mkdir gone
is 'a working directory that was removed does not end a run' \
	"$(cd gone && rmdir ../gone && timeout 20 "$UNSPOOL" walk missing.dmp 2>/dev/null; echo $?)" 3

# A symbol file names any file as a source: a report contains it only if it has the name of a source.
cp -R "$crash/symbols" named
echo 'line of a diary' >diary
for i in 1 2 3 4 5; do cat diary diary >more && mv more diary; done
cp diary diary.cc
cp "$crash/crash.dmp" named.dmp
for name in diary diary.cc; do
	sed "s|^FILE 0 .*|FILE 0 $scratch/$name|" "$crash"/symbols/inline_o2_dw4/*/*.sym >symbols.txt
	cat symbols.txt >"$(echo named/inline_o2_dw4/*/*.sym)"
	"$UNSPOOL" report named.dmp named >"$name.md" 2>err
	"$UNSPOOL" report --source "$scratch=$scratch" named.dmp named >"$name.mapped.md" 2>err
	printf ':view source\n' | "$UNSPOOL" --plain --no-config named.dmp named >"$name.screen" 2>err
done
t 'a source is quoted in a report' grep -q 'line of a diary' diary.cc.md
t 'another file is not quoted' sh -c '! grep -q "line of a diary" diary.md'
t 'a file in a named directory is quoted' grep -q 'line of a diary' diary.mapped.md
t 'the screen shows the quoted file' grep -q 'line of a diary' diary.screen

# Only the named servers are asked, not others whose names begin alike.
if ! "$UNSPOOL" --version | grep -q 'built without libcurl'; then
	"$UNSPOOL" walk --no-sandbox --symbols-timeout 1 --symbols-url http://127.0.0.1:1 "$crash/crash.dmp" >out 2>free
	"$UNSPOOL" walk --symbols-timeout 1 --symbols-url http://127.0.0.1:1 "$crash/crash.dmp" >out 2>err
	t 'a server is asked by another process' grep -q "no symbols from http://127.0.0.1:1/" err
	is 'the messages of the other process are printed' "$(sort err)" "$(sort free)"
fi

# The program is given without a path: through a pipe of the shell.
t 'a pipe is read' sh -c 'cat "$1" | "$2" walk /dev/stdin >out' sh "$crash/crash.dmp" "$UNSPOOL"
if command -v bash >/dev/null; then
	t 'a substituted process is read' bash -c '"$2" walk <(cat "$1") >out' bash "$crash/crash.dmp" "$UNSPOOL"
fi
done_testing
