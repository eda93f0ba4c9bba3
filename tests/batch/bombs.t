#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Small files that could take all memory and time, because many users share the same bytes.
. "$(dirname "$0")/../lib/tap.sh"

command -v python3 >"$scratch/which" || skip_all 'python3 is not there'
bomb() { python3 "$srcdir/tests/fault/bombs.py" "$@"; }

# Address space in kB; a sanitized program needs more.
room=300000
(ulimit -v $room; "$UNSPOOL" --version) >"$scratch/out" 2>&1 ||
	skip_all 'the program does not start with little memory'

# bounded COMMAND...: the command ends by itself in little memory; its output is in out and err.
bounded() {
	(
		# The shell reports a killed program.
		ulimit -v $room
		ulimit -t 120
		ulimit -f 400000
		"$UNSPOOL" "$@" >"$scratch/out" 2>"$scratch/err"
	)
	status=$?
	[ $status -le 4 ] || { cat "$scratch/err"; return 1; }
}
# says PATTERN: the last command printed a line that matches.
says() { cat "$scratch/err" "$scratch/out"; grep -q "$1" "$scratch/err"; }

while read -r kind count size complete; do
	file=$scratch/$kind
	bomb "$kind" "$count" "$size" "$file"
	t "$kind: the look-up stays within its limits" bounded lookup "$file" 0x1010
	if [ "$complete" = complete ]; then
		is "$kind: the file is read completely" "$(cat "$scratch/err")" ''
	else
		t "$kind: a message names the omitted data" says 'too much time or memory for its size'
	fi
	t "$kind: writing symbols stays within its limits" bounded dump-syms "$file"
done <<-'END'
	abbrevs 20000 60000 complete
	tables 20000 60000
	files 10000 50000
	rows 10000 300000
	ranges 100000 30000
END
bomb abbrevs 2000 200 "$scratch/fewer"
t 'units may share abbreviations' bounded lookup "$scratch/fewer" 0x1010
is 'no record is lost if units share abbreviations' "$(cat "$scratch/err")" ''
bomb packed 1 600 "$scratch/packed"
t 'a section that decompresses to too much is omitted' bounded lookup "$scratch/packed" 0x1010
t 'a message reports the omitted section' says 'cannot be decompressed to 629145600 bytes'
t 'writing symbols reports the omitted section' bounded dump-syms "$scratch/packed"

# Unwind rules -------------------------------------------------------------------------------------

bomb frames 1 300000 "$scratch/frames"
t 'frames: writing symbols stays within its limits' bounded dump-syms "$scratch/frames"
is 'frames: each entry is run once, and all rows are written' "$(grep -c '^STACK CFI [0-9a-f]* ' "$scratch/out")" 300000
bomb frames 1 9000 "$scratch/frames"
bounded dump-syms "$scratch/frames"
is 'the longest function known has all its rows' "$(grep -c '^STACK CFI [0-9a-f]* ' "$scratch/out")" 9000
bomb sframe 30000 12000 "$scratch/shared"
for command in sframe 'sframe --json'; do
	# shellcheck disable=SC2086
	t "$command: functions that share their rows stay within the limits" bounded $command "$scratch/shared"
	t "$command: a message says how many functions are shown" says 'the functions share their rows; only the first [0-9]* of 30000'
done
bounded sframe --function 29999 "$scratch/shared"
is 'the other functions are shown by number' "$(grep -c 'func idx \[29999\]' "$scratch/out")" 1

# Symbol files of about 1 MB: a line of the table has a name, and a program for awk that writes the file.
while IFS='|' read -r kind text; do
	file=$scratch/$(echo "$kind" | tr " " -).sym
	{
		echo 'MODULE Linux x86_64 111111111111111111111111111111110 a'
		$AWK "BEGIN { $text }"
	} >"$file"
	sed '$d' "$file" >"$file.other"
	for command in lint "lookup @ 0x1010 0x2000" 'cfi @ --at 0x1010' 'step --plain @ --at 1010' "symdiff @ @.other" \
			"symdiff --by-address --lines @ @.other" "repair @"; do
		case $command in *@*) ;; *) command="$command @" ;; esac
		# shellcheck disable=SC2046
		t "$kind: $command" bounded $(echo "$command" | sed "s,@,$file,g")
	done
done <<-'END'
	functions at one address|for (i = 0; i < 50000; i++) printf "FUNC 1000 10 0 f%d\n", i
	functions in functions|for (i = 0; i < 40000; i++) printf "FUNC %x %x 0 f%d\n", 4096 + i, 1000000 - 2 * i, i
	equal ranges of calls|print "INLINE_ORIGIN 0 o\nFUNC 1000 1000000 0 f"; for (i = 0; i < 600; i++) { printf "INLINE 0 1 0 0"; for (j = 0; j < 200; j++) printf " %x 10", 4096 + 16 * j; print "" }
	calls in calls|print "INLINE_ORIGIN 0 o\nFUNC 1000 1000000 0 f"; for (i = 0; i < 30000; i++) printf "INLINE %d 1 0 0 1000 1000000\n", i
	numbers of files|for (i = 0; i < 50000; i++) printf "FILE %.0f f\n", 4294967295 - i
	a line of 1 MB|printf "FUNC 1000 10 0 "; for (i = 0; i < 100000; i++) printf "ffffffffff"; print ""
	deltas|print "FUNC 1000 1000000 0 f\nSTACK CFI INIT 1000 1000000 .cfa: $rsp 8 + .ra: .cfa 8 - ^"; for (i = 1; i < 30000; i++) printf "STACK CFI %x .cfa: $rsp %d +\n", 4096 + i, 8 * i
	registers|print "FUNC 1000 1000000 0 f\nSTACK CFI INIT 1000 1000000 .cfa: $rsp 8 + .ra: .cfa 8 - ^"; for (i = 1; i < 30000; i++) printf "STACK CFI %x r%d: .cfa %d - ^\n", 4096 + i, i, i
	records in records|for (i = 0; i < 20000; i++) printf "STACK CFI INIT %x %x .cfa: $rsp 8 + .ra: .cfa 8 - ^\n", 4096 + i, 1000000 - 2 * i
	STACK WIN that overlap|for (i = 0; i < 10000; i++) printf "STACK WIN 4 %x 1000 0 0 4 0 8 0 1 $T0 $ebp = $eip $T0 4 + ^ = $ebp $T0 ^ = $esp $T0 8 + =\n", 4096 + i
	STACK WIN that doubles|for (i = 0; i < 1500; i++) { printf "STACK WIN 4 %x 10 0 0 4 0 8 0 1 $T0 1 = ", 4096 + 16 * i; for (j = 0; j < 40; j++) printf "$T0 $T0 $T0 + = "; print "$eip $T0 =" }
END

# Threads that share what is walked -----------------------------------------------------------------

bomb stacks 300 60000 "$scratch/threads"
for command in walk 'walk --json' 'walk --fold' 'walk --compat breakpad' summary report stack locals streams symbols \
		'explain --all-methods' "sanitize -o $scratch/copy"; do
	# shellcheck disable=SC2086
	t "$command: threads that share a stack stay within the limits" bounded $command "$scratch/threads"
done
bounded walk "$scratch/threads"
t 'a message says how many frames there are' says 'the threads share their stacks; the walks of all'
t 'the end of the stack has the number of omitted frames' grep -q 'the limit of frames for threads that share' "$scratch/out"
is 'the crashed thread has all frames' "$(sed -n '/^Thread 0/,/^Thread 1/s/^ *\([0-9][0-9]*\)  .*/\1/p' "$scratch/out" |
	sort -n | tail -n 1)" 30001
bomb stacks 3 60000 "$scratch/few"
bounded walk "$scratch/few"
is 'each of a few threads has all frames' "$(grep -c '^30001  ' "$scratch/out")" 3

mkdir "$scratch/lesson"
cp "$scratch/few" "$scratch/lesson/crash.dmp"
{ printf 'title Deep\nopen crash.dmp\n'; yes 'say x' | head -n 60; } >"$scratch/lesson/lesson"
t 'a lesson with 60 cards about a deep stack is checked within the limits' bounded lesson --lint "$scratch/lesson"
is 'a finding names the rows that were searched' "$(grep -c 'only in rows [0-9]* to [0-9]* of' "$scratch/out")" 1
{ echo 'lesson basics-01-frame 0'; yes 'hint a' | head -n 500000; } >"$scratch/answers"
t 'a file of 500,000 hints is graded within the limits' bounded lesson --lessons "$srcdir/data/lessons" --grade "$scratch/answers"

# Frame N returns to 401117 + 32 (N - 2); identify compares the first 1,024 frames.
for frame in 1023 1024; do
	bounded identify "$scratch/few" "$(printf '%x' $((0x401117 + 32 * (frame - 2))))"
	is "identify with frame $frame" "$(sed -n 's/^ *frame  *\(.*\): it.*/\1/p' "$scratch/out")" \
		"$([ $frame = 1024 ] || echo 'rip of frame 1023')"
done

bomb heap 0 "$scratch/heap"
t 'the search for the first chunk of a heap in a huge mapping ends' bounded identify "$scratch/heap" 7effffff0020

# Compressed and endless inputs --------------------------------------------------------------------

# The first bytes identify a file that is not a dump, before the rest is unpacked.
head -c 1000000 /dev/zero >"$scratch/zeros"
for tool in gzip zstd xz lz4; do
	if ! command -v $tool >"$scratch/which" || { [ $tool = lz4 ] && lacks liblz4; }; then
		skip 6 "$tool is not there"
		continue
	fi
	$tool -c <"$scratch/zeros" >"$scratch/one"
	{ for _ in 1 2 3 4 5 6 7 8; do cat "$scratch/one"; done; } >"$scratch/eight"
	{ for _ in 1 2 3 4 5 6 7 8; do cat "$scratch/eight"; done; } >"$scratch/many"
	{ for _ in 1 2 3 4 5 6 7 8; do cat "$scratch/many"; done; } >"$scratch/bomb"
	t "$tool: 512 MB of zeros are refused within the limits" bounded walk "$scratch/bomb"
	is "$tool: the message has the first bytes" "$status" 3
	t "$tool: the message has words" says 'an unknown kind of file'
	# A core is read up to the end that its headers give.
	gzip -dc "$srcdir"/data/cores/list-amd64/core.gz >"$scratch/core"
	{ $tool -c <"$scratch/core"; cat "$scratch/bomb"; } >"$scratch/longer"
	t "$tool: a core with zeros after it is read" bounded walk "$scratch/longer"
	cp "$scratch/out" "$scratch/got"
	bounded walk "$scratch/core"
	is "$tool: the output is that of the core" "$(diff "$scratch/got" "$scratch/out")" ''
	t "$tool: a file without records is refused" bounded lint "$scratch/bomb"
done
for command in walk lint cfi lookup dump-syms sframe 'find --text a' summary streams; do
	# shellcheck disable=SC2086
	t "$command: a device without end is refused" bounded $command /dev/zero
done
endless() { yes | bounded walk -; }
t 'a pipe without end is refused' endless
t 'a pipe without end is recognised by its first bytes' says 'text, not a minidump'
done_testing
