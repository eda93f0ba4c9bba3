#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Inputs of bombs.py, whose users read shared data again and again: each command ends within 300 MB of address
# space, and a message or a count says what a limit left out. The limits count operations, bytes and entries
# (base/limits.h), not processor time; the time limit here only ends endless work. Some rows show that a limit
# does not affect real inputs.
. "$(dirname "$0")/../lib/tap.sh"

command -v python3 >"$scratch/which" || skip_all 'python3 is not there'
(ulimit -v 300000; "$UNSPOOL" --version) >"$scratch/out" 2>&1 ||
	skip_all 'the program does not start with little memory'
cd "$scratch" || exit 99
mkdir binaries made
# bomb NAME BYTES FILE: make an input; rows that use the same one share it.
bomb() {
	[ -e "made/$1-$2" ] || python3 "$srcdir/tests/fault/bombs.py" "$1" "$2" "made/$1-$2" || return 1
	cp "made/$1-$2" "$3"
}
bomb crash 8000 crash
bomb many 600000 many
bomb identified 8000 identified
bomb deep 992000 deep
bomb spread 992000 spread
bomb crash 25000 repeating
$AWK 'BEGIN {
	print "MODULE Linux x86_64 0A0000000000000000000000000000000 a"
	for (i = 4096; i < 20480; i += 16) printf "FUNC %x 10 0 f\nSTACK CFI INIT %x 10 .cfa: $rsp 8 +\n", i, i }' >symbols
printf 'f\ns\n:view memory\n:view modules\n:view raw\nQ\n' >script

# bounded COMMAND...: run it with little memory and time.
bounded() {
	(
		ulimit -v 300000
		ulimit -t 120
		ulimit -f 400000
		"$UNSPOOL" "$@" >out 2>err
	)
	status=$?
	[ $status -le 4 ] || { tail -n 3 err; return 1; }
}

# NAME|BYTES|COMMAND|PATTERN of a line of its messages; no pattern: no message is required. @ is the bomb; for commands
# with `binaries` the bomb is the program of the crash. `many` is a crash of many threads; symbol files are for `many`,
# `identified`, `deep`, which has 62,000 frames, and `spread`, whose frames all have other addresses; `repeating` is a crash with many frames of few functions.
while IFS='|' read -r name bytes command message; do
	bomb "$name" "$bytes" bomb || exit 99
	cp bomb binaries/a
	rm -f binaries/a.dwp
	[ "$name" != package ] || cp bomb binaries/a.dwp
	case $command in *' other') sed '$d' bomb >other 2>&1 ;; esac
	case $command in *other-name*) bomb "$name" "$((bytes - 128))" other-name ;; esac
	rm -f copy
	# shellcheck disable=SC2046
	t "$name: $command stays within the limits" bounded $(echo "$command" | sed 's,@,bomb,g')
	if [ -n "$message" ]; then
		t "$name: $command names the omitted data" grep -q "$message" err
	fi
done <<-'END'
	mips|1000000|walk @|
	mips|1000000|sanitize --keep stacks -o copy @|
	threads|1000000|walk @|the threads share their stacks
	threads|1000000|walk --fold @|the threads share their stacks
	threads|1000000|sanitize -o copy @|
	threads|1000000|--script script --no-state @|
	small-threads|480000|sanitize -o copy @|
	modules|1000000|walk @|the threads share their stacks
	modules|1000000|--script script --no-state @|
	same-calls|1000000|walk spread @|
	same-calls|1000000|walk --compat rust-minidump deep @|
	blank|1000000|walk --compat rust-minidump deep @|
	mangled|30000|walk --fold many @|the threads share their stacks
	mangled|30000|--script script --no-state many @|
	long-calls|25000|walk --fold identified @|
	long-calls|25000|--script script --no-state identified @|
	frames-of-1|1000|walk --json deep @|
	long-name|75000|walk deep @|
	long-name|75000|walk --json deep @|
	long-name|75000|walk --format html deep @|
	frame-lines|1000000|walk spread @|
	deltas|1000000|walk spread @|
	deltas|1000000|walk --compat rust-minidump spread @|
	long-deltas|500000|walk spread @|
	odd-words|1000|stack deep @|
	nested-calls|25000|walk deep @|
	nested-calls|25000|walk --json deep @|
	nested-calls|25000|report deep @|
	long-name|1000000|walk --fold deep @|
	long-name|1000000|--script script --no-state deep @|
	nested-calls|1000000|walk --json deep @|
	nested-calls|1000000|report deep @|
	nested-calls|1000000|--script script --no-state deep @|
	handles|100000|streams @|the streams share their bytes
	handles|100000|streams --json @|the streams share their bytes
	memory-lists|100000|streams --hex @|the streams share their bytes
	memory-lists|1000000|--script script --no-state @|
	environments|100000|streams @|the streams share their bytes
	unknown|100000|streams --hex @|the streams share their bytes
	comments|1000000|walk @|annotations of the rest are skipped
	wide-comments|1000000|summary @|annotations of the rest are skipped
	wide-comments|1000000|streams --json @|the streams share their bytes
	links|1000000|streams --json @|
	annotations|1000000|streams --json @|
	regions|600000|find @ 0x401107|memory regions share their bytes
	regions|600000|export-core -o copy @|memory regions share their bytes
	lines|200000|symdiff --by-address --lines @ other|
	calls|100000|symdiff --by-address --lines @ other|
	enclosing|300000|symdiff --by-address --lines @ other|
	names|400000|symdiff --by-name @ other|
	rule-rows|1000000|symdiff --by-address @ other|
	rule-rows|1000000|symdiff --by-name @ other|
	names|400000|lint @|
	decorated|400000|symdiff --by-name @ other|
	shared-name|600000|dump-syms @|there are more long names than fit a file of this size
	shared-name|600000|lookup @ 0x1010|
	shared-mangled|600000|dump-syms @|there are more long names than fit a file of this size
	shared-megabytes|2300000|summary crash --binaries binaries|
	shared-megabytes|2300000|--script script --no-state repeating --binaries binaries|
	shared-scope|600000|dump-syms @|there are more long names than fit a file of this size
	blocks|200000|walk crash --binaries binaries|would take too much time or memory
	variables|200000|locals crash --binaries binaries|the frames have too many variables
	variables|200000|locals --json crash --binaries binaries|the frames have too many variables
	structures|1000|locals crash --binaries binaries|the frames have too many variables
	structures|1000|locals --json crash --binaries binaries|the frames have too many variables
	arrays|20000|locals crash --binaries binaries|the frames have too many variables
	arrays|20000|locals --json crash --binaries binaries|the frames have too many variables
	arrays-in-arrays|12000|locals --json crash --binaries binaries|
	functions-of-functions|20000|locals --json crash --binaries binaries|the frames have too many variables
	functions-of-functions|20000|locals crash --binaries binaries|the frames have too many variables
	members|200000|locals crash --binaries binaries|the frames have too many variables
	bases|200000|locals --json crash --binaries binaries|the frames have too many variables
	frame-base|1000000|locals crash --binaries binaries|the frames have too many variables
	frame-base-loop|1000000|locals crash --binaries binaries|the frames have too many variables
	loops|1000000|locals crash --binaries binaries|the frames have too many variables
	entry-loops|1000000|locals crash --binaries binaries|the frames have too many variables
	flags|1000000|dump-syms @|debug information.*would take too much time or memory
	flags|1000000|walk crash --binaries binaries|would take too much time or memory
	flags|1000000|locals crash --binaries binaries|would take too much time or memory
	split-self|1000000|walk crash --binaries binaries|
	split-self|1000000|symdiff bomb binaries/a|
	package|3000000|symbols crash --binaries binaries|
	compressed|1000000|dump-syms @|cannot be decompressed
	compressed|1000000|locals crash --binaries binaries|cannot be decompressed
	wrong-sizes|1000000|dump-syms @|cannot be decompressed
	mini|1000000|dump-syms @|cannot be decompressed
	paths|1000000|dump-syms @|
	paths|1000000|walk crash --binaries binaries|
	exports|300000|dump-syms @|
	exports|600000|lookup @ 0x140800000|
	chains|1000000|dump-syms @|
	pdb-nested|9000000|dump-syms @|
	pdb-calls|1000000|dump-syms @|
	pdb-lines|1000000|dump-syms @|
	pdb-lines|1000000|symdiff --by-address --lines @ other|
	pdb-runs|1000000|dump-syms @|
	pdb-modules|1000000|dump-syms @|modules share their streams
	pdb-types|1000000|dump-syms @|
	pdb-arguments|1000000|dump-syms @|
	pdb-arguments|1000000|symdiff --by-address --lines @ other|
	code-calls|1000000|walk crash --binaries binaries|take too much time
	code-pushes|1000000|walk crash --binaries binaries|
	pdb-names|1000000|dump-syms @|there are more long names than fit a file of this size
	pdb-names|1000000|symdiff --by-address @ other-name|compared by beginnings and sizes
	shared-rows|780000|dump-syms @|would take too much time or memory
	shared-rows|780000|sframe --from @ -o copy --force|
	common|500000|walk crash --binaries binaries|
	remembered|500000|walk crash --binaries binaries|
	remembered|500000|repair --force --binary @ -o copy symbols|
	common|500000|repair --force --binary @ -o copy symbols|
	long-rows|1000000|walk repeating --binaries binaries|
END

# A file of split units is opened once, however many skeletons name it: no limit is reached.
bomb split-self 1000000 bomb
cp bomb binaries/a
bounded walk crash --binaries binaries
none 'a file whose units name the file itself needs little memory' "$(grep 'out of memory' err)"

# Threads that share a context and a stack share them in the copy.
bomb threads 1000000 bomb
rm -f copy
bounded sanitize -o copy bomb
t 'a copy has shared bytes of threads once' [ "$(wc -c <copy)" -lt 1010000 ]

# If the entries of a table are too expensive, another method finds the caller, and the step says why.
bomb remembered 500000 binaries/a
bounded explain --prose crash --binaries binaries
tr -s '\n ' ' ' <out >sentences
t 'the step says that the table is too expensive' grep -q 'the instructions of the table would take too much time' sentences

# LIMIT_SANITIZE_FRAMES: threads are walked in all ways until they have 8,192 frames, later ones in one way.
bomb small-threads 240000 bomb
frames=$("$UNSPOOL" walk -m --thread 1 bomb 2>err | grep -c '^1|')
rm -f copy
bounded sanitize -o copy bomb
is 'threads after the limit of frames are walked once, and the output says so' \
	"$(sed -n 's/^walked only as the options say, .*: \([0-9]*\) threads$/\1/p' out)" \
	$((4900 - (8192 + frames - 1) / frames))

# LIMIT_FRAME_OPERATIONS: 7 expressions of 10,000 operations are the smallest number that exceeds 2^16.
bomb loops 1000 binaries/a
bounded locals --frame 0 crash --binaries binaries
is 'the variables of a frame run operations until the limit, and later variables have a message' \
	"$(grep -c 'runs more than 10000 operations' out) $(grep -c 'too many operations for one frame' out)" \
	"7 $((1000 / 12 - 7))"

# LIMIT_WALK_NAMES, LIMIT_NAME_CUT: 560 names of 60,000 bytes are the smallest number that exceeds 32 MiB.
bomb long-name 75000 bomb
bounded walk -m deep bomb
is 'long names are cut after the limit, with their size' \
	"$($AWK -F'|' 'length($4) == 60000' out | wc -l) $(grep -c '|n\{256\}\.\.\. \[60000 bytes\]|' out)" '560 61441'

# LIMIT_SFRAME_ROWS: a function with 66,660 rows has more than 65,536.
bomb long-rows 400000 binaries/a
bounded walk --json crash --binaries binaries
t 'a row of a function with too many rows is not found, and the method says so' grep -q 'SFrame.*finding the row in all rows' out

# LIMIT_FRAMES: with 250 inlined calls each, 4,178 frames are the fewest that exceed 2^20. Breakpad lists as many.
bomb nested-calls 25000 bomb
bounded walk -m deep bomb
is 'inlined calls count for the limit of frames from the first frame on' "$(grep -c '^0|' out)" $((4178 * 251))

# LIMIT_FRAMES_LEAST: 8,192 frames, and one for each word of 8 bytes of the dump.
bomb frames-of-1 1000 bomb
bounded walk -m deep bomb
is 'frames of one byte end at the limit for the size of the dump' "$(grep -c '^0|' out)" $((8192 + $(wc -c <deep) / 8))

# LIMIT_DESCRIBED_BYTES: 4 MiB and the file's 87,744 bytes fit 142 streams of 30,000 and some 3,000 of the other streams.
bomb unknown 100000 bomb
bounded streams bomb
is 'streams that share bytes are shown until the limit' \
	"$(grep -c '^  bytes = 30000 bytes' out) $(grep -c 'skipped: more than' out)" '142 3858'
bounded streams --stream '0x10000#4000' bomb
is 'an omitted stream is shown alone' "$(grep -c '^  bytes = 30000 bytes' out) $(cat err)" '1 '
# LIMIT_SYMBOL_NAMES, LIMIT_SYMBOL_NAMES_RATIO: names of 60,000 bytes are written until they have 8 MiB and 8 times the file's bytes.
bomb shared-name 600000 bomb
bounded dump-syms bomb
whole=$(((8388608 + 8 * $(wc -c <bomb) + 59999) / 60000))
is 'names of symbols are cut after the limit, with their size' \
	"$($AWK 'length($4) == 60000' out | wc -l) $(grep -c ' n\{256\}\.\.\. \[60000 bytes\]$' out)" "$whole $((22500 - whole))"

# LIMIT_DESCRIBED_BYTES and the file's own bytes have room for five comments.
bomb comments 1000000 bomb
bounded walk --json bomb
is 'comments are annotations until their streams have too many bytes' "$(grep -o '"source":"comment"' out | wc -l)" \
	$(((4194304 + $(wc -c <bomb)) / 940000))

# A script does not paint steps that nothing shows; a screen that it saves is complete all the same.
printf ':view memory\n:save-screen short\nQ\n' >steps
bounded --script steps --no-state crash
{
	yes ':view memory' | head -n 30000
	printf ':save-screen long\nQ\n'
} >steps
t 'a long script stays within the limits' bounded --script steps --no-state crash
is 'a long script saves the screen of a short one' "$(cat long)" "$(cat short)"
{
	yes ':view memory' | head -n 30000
	printf ':\ntype view modules\nEnter\n:nonsense\n:try save-screen later\nQ\n'
} >steps
bounded --script steps --no-state crash
is 'a long script with a failed command saves the same screen' "$(grep -c "unknown command 'nonsense'" later) $(grep -c 'modules\]' later)" '1 1'

# A long typed line, in which each key once copied all earlier ones.
$AWK 'BEGIN { printf ":\ntype "; for (i = 0; i < 20000; i++) printf "%050d", i; print "\nEsc\nQ" }' >steps
t 'a script that types a long line stays within the limits' bounded --script steps --no-state crash
t 'the message says that the line is too long for the prompt' grep -q 'steps:2: the line is full' err

# LIMIT_ACCEPTED_WORK: patterns of 1 MB for a name of 60,000 bytes, and for the names of 30,000 functions. Each pattern
# counts 4 and a comparison with the name 64 and its bytes:
$AWK 'BEGIN {
	print "MODULE Linux x86_64 0A0000000000000000000000000000000 a"
	printf "FUNC 1000 10 0 "; for (i = 0; i < 6000; i++) printf "nnnnnnnnnn"
	print "\nFUNC 2000 10 0 g\nSTACK CFI INIT 2000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^" }' >long.sym
$AWK 'BEGIN {
	print "MODULE Linux x86_64 0A0000000000000000000000000000000 a"
	for (i = 0; i < 30000; i++) printf "FUNC %x 10 0 function%d\n", 4096 + 16 * i, i
	print "FUNC 900000 10 0 g\nSTACK CFI INIT 900000 10 .cfa: $rsp 8 + .ra: .cfa -8 + ^" }' >many.sym
patterns() { $AWK -v count="$1" 'BEGIN {
	for (i = 1; i < count; i++) print "code-without-unwind=*x" i; print "code-without-unwind=*n" }'; }
patterns 40000 >patterns
for file in long many; do
	t "lint of $file names and 1 MB of patterns stays within the limits" bounded lint --accept-file patterns $file.sym
	t 'a message says that not all names were compared' grep -q 'too many findings and patterns of --accept' err
done
allowed=$(((268435456 + 64 * $(wc -c <long.sym) - 60000) / (4 + 64 + 60000)))
for count in $allowed $((allowed + 1)); do
	patterns "$count" >patterns
	bounded lint --accept-file patterns long.sym
	is "with $count patterns the last one is compared, if the limit allows it" \
		"$(grep -c 'too many findings' err) $(grep -c 'code-without-unwind' out)" \
		"$((count - allowed)) $((count - allowed))"
done
yes x | head -n 500000 >wrong
bounded lint --accept-file wrong long.sym
is '100 wrong lines are listed, and the number of the others' \
	"$(grep -c 'line [0-9]* of wrong' err) $(grep -c '499900 more lines of wrong are wrong' err)" '100 1'
done_testing
