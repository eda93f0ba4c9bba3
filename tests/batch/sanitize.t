#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# sanitize: a minidump that walks and explains as the crash does. t-sanitize.c searches it for secrets.
. "$(dirname "$0")/../lib/tap.sh"

corpus=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}
crashes=$srcdir/data/crashes
copy=$scratch/copy.dmp

# answers DUMP ARGUMENT...: the answers that both files must give: frames, registers, steps, conclusions; without thread
# names, offsets in the file, and the other words of the stack: those that scans refused, and those that were not read.
answers() {
	"$UNSPOOL" walk "$@" 2>/dev/null | sed -n '/^Crash reason/,$p' |
		sed -e 's/(WARNING: No symbols, [^,]*/(WARNING: No symbols, /' -e '/^Thread [0-9]/s/ - .*//'
	for frame in 0 1; do
		"$UNSPOOL" explain --frame $frame "$@" 2>/dev/null
		"$UNSPOOL" explain --all-methods --frame $frame "$@" 2>/dev/null
	done | sed -e 's/[^ ,]*+0x[0-9a-f]*//g' -e 's/ *$//' -e '/^ *word .*in no module$/s/= [0-9a-f]*//' -e '/ | /d'
	# Texts of the program are left out of the copy.
	"$UNSPOOL" summary "$@" 2>/dev/null | sed 's/^\(thread .*(id [0-9a-fx, ]*)\).*/\1/; / is this text, part of /d'
}

# same TITLE DUMP ARGUMENT...: a copy is written and gives the same answers as the crash.
same() {
	title=$1 original=$2
	shift 2
	rm -f "$copy"
	"$UNSPOOL" sanitize -o "$copy" "$original" "$@" >"$scratch/out" 2>"$scratch/err"
	is "$title: a copy is written" $? 0
	answers "$original" "$@" >"$scratch/want"
	answers "$copy" "$@" >"$scratch/got"
	is "$title: the copy has the same walk" "$(diff "$scratch/want" "$scratch/got")" ''
}

for crash in "$crashes"/*-*; do
	same "${crash##*/}" "$crash/crash.dmp" "$crash/symbols"
	same "${crash##*/} without symbols" "$crash/crash.dmp"
done
none 'all columns of the copy are the same' "$(grep '^not the same' "$scratch/out")"

# The dropped and the kept parts of a dump by Breakpad's writer.
dump=$crashes/inlines-amd64/crash.dmp symbols=$crashes/inlines-amd64/symbols
same 'inlines-amd64, with another option' "$dump" "$symbols"
for stream in LinuxEnviron LinuxCmdLine LinuxProcStatus; do
	t "a message names $stream as dropped" grep -q "^  $stream  *[0-9]* bytes$" "$scratch/out"
	none "$stream is dropped" "$("$UNSPOOL" streams "$copy" | grep "$stream")"
done
none 'the map of memory names only modules and the kernel' \
	"$("$UNSPOOL" streams "$copy" | sed -n 's/^  [0-9a-f]*-[0-9a-f]* .* 00:00 0 //p' | grep -v '^[[/]')"
is 'a copy of a copy has the same size' "$("$UNSPOOL" sanitize --json -o "$scratch/again" "$copy" "$symbols" 2>/dev/null |
		sed 's/.*"size":\([0-9]*\),"original_size.*/\1/')" "$(wc -c <"$copy" | tr -d ' ')"
rm -f "$copy"
"$UNSPOOL" sanitize --list -o "$copy" "$dump" "$symbols" >"$scratch/out" 2>/dev/null
sp=$("$UNSPOOL" walk -c "$dump" "$symbols" 2>/dev/null | sed -n 's/.*rsp = 0x\([0-9a-f]*\).*/\1/p' | head -n 1)
t 'words of the stack are listed from the stack pointer on' grep -q "^  $sp  [0-9a-f]*  stack of thread 0" "$scratch/out"

# Options.
rm -f "$copy"
"$UNSPOOL" sanitize --keep environment,command-line -o "$copy" "$dump" "$symbols" >"$scratch/out" 2>/dev/null
t 'the message lists the kept data' grep -q '^kept: the environment$' "$scratch/out"
is 'the existing file is unchanged' "$("$UNSPOOL" streams --stream LinuxEnviron "$copy" | sed 1,/LinuxEnviron/d)" \
	"$("$UNSPOOL" streams --stream LinuxEnviron "$dump" | sed 1,/LinuxEnviron/d)"
rm -f "$copy"
HOME=/opt/corpus "$UNSPOOL" sanitize -o "$copy" "$dump" "$symbols" >/dev/null 2>&1
is 'the home of the user who makes the copy is replaced, wherever it is' \
	"$(grep -ac /opt/corpus/bin "$dump") $(grep -ac /opt/corpus/bin "$copy") $(grep -ac "/opt/user[0-9]/bin" "$copy" | sed 's/^[1-9].*/some/')" \
	"$(grep -ac /opt/corpus/bin "$dump") 0 some"
rm -f "$copy"
t 'an option leaves words out' "$UNSPOOL" sanitize --unused absent -o "$copy" "$dump" "$symbols"
none 'without words no region of memory has 1000 bytes' \
	"$("$UNSPOOL" streams --stream MemoryList "$copy" | grep 'data_size *= 0x[0-9a-f]\{4\}')"
answers "$dump" "$symbols" >"$scratch/want"
answers "$copy" "$symbols" >"$scratch/got"
is 'the rest of the walk is the same' "$(diff "$scratch/want" "$scratch/got")" ''

refuses() {
	title=$1 code=$2 message=$3
	shift 3
	"$UNSPOOL" sanitize "$@" >"$scratch/out" 2>"$scratch/err"
	is "$title: exit status" $? "$code"
	t "$title: the message" grep -q "$message" "$scratch/err"
}
refuses 'parts have names' 2 'stacks scanned locals' --keep heap -o "$scratch/none" "$dump"
none 'no file is written of a bad dump' "$(ls "$scratch/none" 2>/dev/null)"

# In the explorer, which does not overwrite an existing file.
printf ':sanitize %s\n' "$scratch/asked.dmp" >"$scratch/keys"
t ':sanitize writes the copy' "$UNSPOOL" --script "$scratch/keys" "$dump" "$symbols"
answers "$scratch/asked.dmp" "$symbols" >"$scratch/got"
is 'the command has the message of sanitize' "$(diff "$scratch/want" "$scratch/got")" ''
"$UNSPOOL" --script "$scratch/keys" "$dump" "$symbols" >/dev/null 2>"$scratch/err"
is ':sanitize overwrites nothing' $? 1

# A core becomes a minidump without the contents of its memory.
own=$srcdir/data/cores/list-amd64
gzip -dc "$own/core.gz" >"$scratch/core"
same 'a core' "$scratch/core" --no-system-binaries --binaries "$own/binaries"
# MINIDUMP_THREAD_LIST of one MINIDUMP_THREAD: 4 + 48 bytes. MINIDUMP_EXCEPTION_STREAM: 168.
is 'a note of a core is listed with the size of the stream that it becomes' \
	"$("$UNSPOOL" sanitize -o "$scratch/of-core" "$scratch/core" | sed -n 's/^  NT_\(PRSTATUS\|SIGINFO\) .*, //p')" \
	'52 in the copy
168 in the copy'
t 'the core is much smaller' test "$(wc -c <"$copy")" -lt "$(($(wc -c <"$scratch/core") / 4))"

# Damaged dumps: a copy, if one is written, gives the same answers.
size=$(wc -c <"$dump")
for part in 5 11 17 23 29 31; do
	head -c $((size * part / 32)) "$dump" >"$scratch/cut.dmp"
	rm -f "$copy"
	"$UNSPOOL" sanitize -o "$copy" "$scratch/cut.dmp" "$symbols" >"$scratch/out" 2>"$scratch/err"
	code=$?
	if [ $code = 0 ]; then
		is "$part parts of 32 of a dump: the same frames" "$("$UNSPOOL" walk -m "$copy" "$symbols" 2>/dev/null | grep '^[0-9]')" \
			"$("$UNSPOOL" walk -m "$scratch/cut.dmp" "$symbols" 2>/dev/null | grep '^[0-9]')"
	else
		is "$part parts of 32 of a dump: refused with a message" "$code $(grep -c "would not be the same" "$scratch/err")" "3 1"
	fi
done

if [ -d "$corpus/made" ]; then
	for dump in x86_64/threads64 x86_64/sig_div i386/tailcall arm64/recursion_pac arm/threads64; do
		[ -r "$corpus/made/$dump.dmp" ] && same "$dump" "$corpus/made/$dump.dmp" "$corpus/made/symbols/${dump%/*}"
	done
	for dump in "$corpus"/windows/*/*.dmp "$corpus"/breakpad/tiny-exe*.dmp "$corpus"/breakpad/minidump2.dmp; do
		[ -r "$dump" ] && same "${dump##*/}" "$dump"
	done
else
	skip 1 'the corpus is not there'
fi
"$UNSPOOL" sanitize -o "$scratch/report.dmp" "$srcdir/tests/apple/crane.ips" 2>"$scratch/err"
is 'no copy is made of a crash report' "$? $(ls "$scratch"/report.dmp 2>/dev/null)" '3 '
t 'because it has no memory' grep -q 'a crash report has no memory' "$scratch/err"
done_testing
