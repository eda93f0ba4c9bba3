#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Messages name the kind of a file that is not a minidump; names from files never control a terminal.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes

# refused WORDS TITLE FILE: exit status 3, and a line of the messages contains these words.
refused() {
	"$UNSPOOL" walk "$3" >"$scratch/out" 2>"$scratch/err" </dev/null
	is "$2: exit status" $? 3
	t "$2: the message has the kind of the file" grep -qiE -- "$1" "$scratch/err"
	is "$2: nothing is printed" "$(cat "$scratch/out")" ''
}

printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\003\000\076\000\001\000\000\000' >"$scratch/elf"
head -c 200 /dev/zero >>"$scratch/elf"
refused 'ELF' 'a program' "$scratch/elf"
{ printf 'Microsoft C/C++ MSF 7.00\r\n\032DS\000\000\000'; head -c 500 /dev/zero; } >"$scratch/a.pdb"
refused 'PDB' 'a PDB' "$scratch/a.pdb"
printf '\037\213\010\000\000\000\000\000\000\003\003\000\000\000\000\000\000\000\000\000' >"$scratch/a.gz"
refused 'gzip' 'a compressed file' "$scratch/a.gz"
echo 'Dear diary, today nothing crashed at all, for once.' >"$scratch/a.txt"
refused 'text' 'text' "$scratch/a.txt"
refused 'symbol file' 'a symbol file' "$(echo "$crashes"/frame-data-x86/symbols/*/*/ledger.sym)"
: >"$scratch/empty"
{ printf '\317\372\355\376\007\000\000\001\003\000\000\000\002\000\000\000'; head -c 100 /dev/zero; } >"$scratch/mach"
refused 'empty' 'an empty file' "$scratch/empty"
mkdir "$scratch/none"
refused 'directory' 'a directory without a dump' "$scratch/none"
refused 'no such file' 'a file that is not there' "$scratch/missing"
head -c 3 "$crashes/frame-data-x86/crash.dmp" >"$scratch/three"
refused 'unspool: ' 'three bytes of a dump' "$scratch/three"

# Bad paths on the command line: everything that does not need them is printed, and the status is 3.
dump=$crashes/frame-data-x86/crash.dmp
records=$(echo "$crashes"/frame-data-x86/symbols/*/*/ledger.sym)
"$UNSPOOL" walk "$dump" >"$scratch/alone" 2>/dev/null
is 'a walk without symbols exits with 0' $? 0
# useless TITLE PATH ARGUMENT...: a walk with an unusable path.
useless() {
	title=$1 path=$2
	shift 2
	"$UNSPOOL" walk "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	is "$title: exit status" $? 3
	t "$title: the message has the name" grep -qF -- "'$path'" "$scratch/err"
	t "$title: the walk is printed without the input" cmp -s "$scratch/out" "$scratch/alone"
}
useless 'symbols that are not there' "$scratch/missing" "$dump" "$scratch/missing"
useless 'a text as symbols' "$scratch/a.txt" "$dump" "$scratch/a.txt"
useless 'an empty file as symbols' "$scratch/empty" "$dump" "$scratch/empty"
useless 'a device as symbols' /dev/null "$dump" /dev/null
useless 'a text as --symbols-path' "$scratch/a.txt" --symbols-path "$scratch/a.txt" "$dump"
useless 'a Mach-O file' "$scratch/mach" "$dump" "$scratch/mach"

# A file without any record is refused as a symbol file.
printf 'FUNC 1000 10 0 f\n' >"$scratch/headless.sym"
for file in "$scratch/empty" "$scratch/a.txt"; do
	for command in 'lookup FILE 1000' 'cfi FILE --at 1000' 'symdiff FILE RECORDS' 'symdiff RECORDS FILE' \
		'unwind-check FILE' 'step FILE --at 1000'; do
		# shellcheck disable=SC2046
		"$UNSPOOL" $(echo "$command" | sed "s|FILE|$file|; s|RECORDS|$records|") >"$scratch/out" 2>"$scratch/err" </dev/null
		is "$command of $(basename "$file"): exit status" $? 3
		t 'the message about the input has its reason' grep -q 'not a symbol file: it has no MODULE line' "$scratch/err"
	done
done
is 'one record is enough for a symbol file to be recognised' "$("$UNSPOOL" lookup --brief "$scratch/headless.sym" 1004 2>&1 | head -n 1)" f

# Names ------------------------------------------------------------------------------------------

maker=$builddir/tests/lib/make-hostile
if ! [ -x "$maker" ]; then
	skip 14 'tests/lib/make-hostile is not built'
	done_testing
fi
"$maker" "$scratch/hostile.dmp"
nasty=$(printf '\033]0;owned\007\033[31m\r\302\2332J\342\200\256\342\200\213\363\240\201\201\377\300\200')
{
	echo 'MODULE windows x86_64 5A9832E5287241C1838ED98914E9B7FF1 evil.pdb'
	printf 'FILE 0 c:\\%s.c\n' "$nasty"
	printf 'INLINE_ORIGIN 0 inlined%s\n' "$nasty"
	printf 'FUNC 1000 100 0 function%s\nINLINE 0 7 0 0 1010 10\n1000 100 3 0\n' "$nasty"
	printf 'STACK CFI INIT 1000 100 .cfa: $rsp 8 + .ra: .cfa -8 + %s ^\n' "$nasty"
	printf 'STACK %s\n' "$nasty"
} >"$scratch/evil.sym"

# Bytes that must not reach a terminal: C0 except line feed, DEL, C1; direction marks, zero-width characters and tags
# in UTF-8; and invalid UTF-8.
controls=$(printf '[\001-\011\013-\037\177]|\302[\200-\237]|\342\200[\213-\217\252-\256]|\363\240')
is_utf8() { iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1; }
raw() { LC_ALL=C grep -aqE "$controls" "$1" || ! is_utf8 "$1"; }
for command in 'walk' 'walk -m' 'walk --compat breakpad' 'walk --strict' 'explain' 'explain --register rsp'; do
	# shellcheck disable=SC2086
	"$UNSPOOL" $command "$scratch/hostile.dmp" "$scratch/evil.sym" >"$scratch/out" 2>&1
	t "$command: hostile names are made visible" sh -c "grep -q 'x1b' '$scratch/out' || ! [ -s '$scratch/out' ]"
	if raw "$scratch/out"; then result=raw; else result=safe; fi
	is "$command: no byte of them reaches the output raw" $result safe
done
t 'the function is still named' sh -c "'$UNSPOOL' walk '$scratch/hostile.dmp' '$scratch/evil.sym' 2>&1 | grep -q 'function.*x1b'"
printf 'x' >"$scratch/$(printf 'evil\033[31m')"
"$UNSPOOL" walk "$scratch/$(printf 'evil\033[31m')" >"$scratch/out" 2>&1
if raw "$scratch/out"; then result=raw; else result=safe; fi
is 'the name of the dump has no control characters' $result safe

cr=$(printf '\r')
# Neither from the command line, a script or a file of accepted findings: each argument and each value of an option.
# loud ARGUMENT...: add the arguments without their control characters, and the output, to a file.
loud() {
	{
		printf '## %s\n' "$*" | LC_ALL=C tr -d '\001-\011\013-\037\177-\377'
		cd "$scratch/loud" && XDG_CACHE_HOME="$scratch/loud/$nasty" "$UNSPOOL" "$@"
		cd "$OLDPWD" || exit
	} >>"$scratch/all" 2>&1 </dev/null
}
# The commands since the last call whose output has raw bytes. The headers of the Debug Adapter Protocol end with CR LF.
loud_raw() {
	LC_ALL=C sed "s/^\(Content-Length: [0-9]*\)\{0,1\}$cr\$/\1/" "$scratch/all" >"$scratch/out"
	LC_ALL=C grep -aE "^## |$controls" "$scratch/out" | $AWK '/^## / { command = $0; next } { print command }' | sort -u
	is_utf8 "$scratch/out" || iconv -f UTF-8 -t UTF-8 "$scratch/out" 2>&1 | tail -n 1
	grep -av '^## ' "$scratch/out" | grep -ac x1b >"$scratch/said"
	: >"$scratch/all"
}
mkdir "$scratch/loud"
printf '%s\n' "$nasty" >"$scratch/bad-lines"
printf ':%s\n:save-screen no/%s\n:write no/%s\n:export walk %s\n' "$nasty" "$nasty" "$nasty" "$nasty" >"$scratch/bad-commands"
for command in $(commands); do
	loud "$command" "$nasty"
	loud "$command" "--$nasty" "$scratch/hostile.dmp"
	loud "$command" "$scratch/hostile.dmp" "$nasty" "$nasty"
	for option in $("$UNSPOOL" "$command" --help | sed -n 's/^  .*\(--[a-z-]*\) [A-Z].*/\1/p'); do
		loud "$command" "$option" "$nasty" "$scratch/hostile.dmp"
		loud "$command" "$option=$nasty" "$scratch/hostile.dmp" "$scratch/evil.sym"
	done
done
loud cache
loud export-case --output "$nasty-case" "$scratch/hostile.dmp"
loud lint --accept-file "$scratch/bad-lines" "$scratch/evil.sym"
loud --script "$scratch/bad-lines" "$scratch/hostile.dmp"
for line in 1 2 3 4; do
	sed -n "${line}p" "$scratch/bad-commands" >"$scratch/bad-command"
	loud --script "$scratch/bad-command" "$scratch/hostile.dmp"
	loud --plain --script "$scratch/bad-command" "$scratch/hostile.dmp"
done
is 'no byte of an argument, a script or a file of accepted findings reaches the output raw' "$(loud_raw)" ''
t "control characters of the arguments are shown escaped ($(cat "$scratch/said") times)" test "$(cat "$scratch/said")" -gt 100

# Every command with the dump and the symbol file, as text and as JSON, and with the symbol file alone.
for command in $(commands | grep -vxE 'explore|lesson|demo-crash') \
	'walk --all' 'walk --methods all' 'walk -m' 'report --html' 'cfi --frame 0' 'lookup --at 1000' 'cfi --at 1000' \
	'disassemble --frame 0' 'stack --thread 0' 'identify 0x401010' 'find 0x401010' 'symbols --near' 'locals --frame 0' \
	'register-history rsp' 'help frame' 'export-case -o case' 'sanitize -o copy' 'symdiff --lines' 'lint --all'; do
	for form in '' --json --redact; do
		# shellcheck disable=SC2086
		loud $command $form "$scratch/hostile.dmp" "$scratch/evil.sym"
		# shellcheck disable=SC2086
		loud $command $form "$scratch/evil.sym" "$scratch/evil.sym"
	done
done
is 'no byte of a dump and of a symbol file reaches the output of a command raw' "$(loud_raw)" ''
t "control characters of the inputs are shown escaped ($(cat "$scratch/said") times)" test "$(cat "$scratch/said")" -gt 100

# A dump without threads ---------------------------------------------------------------------------

printf 'MDMP\223\247\0\0\0\0\0\0\040\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$scratch/bare.dmp"
for command in disassemble 'disassemble --json' 'identify --frame 0'; do
	# shellcheck disable=SC2086
	"$UNSPOOL" $command "$scratch/bare.dmp" $([ "${command%% *}" = identify ] && echo 0x10) >"$scratch/out" 2>"$scratch/err"
	is "$command: a missing frame of the thread is a usage error" $? 2
	is "$command: the message has the number of frames" "$(head -n 1 "$scratch/err")" \
		'unspool: no frame 0: the dump has no thread with registers'
done

# A thread without registers ------------------------------------------------------------------------

{
	printf 'MDMP\223\247\0\0\1\0\0\0\040\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	printf '\3\0\0\0\064\0\0\0\054\0\0\0\1\0\0\0\7\0\0\0'
	head -c 44 /dev/zero
} >"$scratch/empty.dmp"
is 'a frame of a thread that has none: the message has the reason' \
	"$(echo 'frame 5' | "$UNSPOOL" --plain --no-config --no-state "$scratch/empty.dmp" 2>"$scratch/err" | tail -1)$(
		grep -c 'no frame' "$scratch/err")" 'CPU unknown: its stacks cannot be walked0'

# Directories of crash reporters ------------------------------------------------------------------

# Crashpad keeps dumps in `pending` and `completed`, sentry-native in folders of runs below a hidden one.
reports=$scratch/reports
mkdir -p "$reports/pending" "$reports/completed" "$reports/.sentry-native/one.run/too/deep"
cp "$dump" "$reports/completed/a.dmp"
touch -d 2026-01-03 "$reports/completed/a.dmp"
echo 'no dump' >"$reports/pending/a.meta"
is 'the only dump below a directory is opened like the dump itself' "$("$UNSPOOL" walk "$reports" 2>/dev/null)" "$(cat "$scratch/alone")"
cp "$crashes/pdb-x86/crash.dmp" "$reports/pending/b.dmp"
gzip -c "$crashes/pdb-x86/crash.dmp" >"$reports/.sentry-native/one.run/c"
cp "$dump" "$reports/.sentry-native/one.run/too/deep/d.dmp"
touch -d 2026-01-02 "$reports/pending/b.dmp"
touch -d 2026-01-01 "$reports/.sentry-native/one.run/c"
"$UNSPOOL" walk "$reports" >"$scratch/out" 2>"$scratch/err"
t 'of several dumps the newest is opened' cmp -s "$scratch/out" "$scratch/alone"
is 'the message names the others, the newest first, down to two levels below the directory' "$(sed 's/^.*warning: //' "$scratch/err")" \
	"this is the newest of 3 dumps in the directory '$reports'; the others, newest first: '$reports/pending/b.dmp', '$reports/.sentry-native/one.run/c'"
touch -d 2026-01-04 "$reports/pending/b.dmp"
is 'a command for files opens the dump of a directory, too' "$("$UNSPOOL" cfi -f 0 "$reports" 2>/dev/null)" \
	"$("$UNSPOOL" cfi -f 0 "$crashes/pdb-x86/crash.dmp" 2>/dev/null)"

done_testing
