#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Limits of src/base/limits.h, exactly reached and exceeded by one, for inputs that are text; tests/unit/dump/t-limits
# has those of minidumps. Every limit has a test, or tests/fault/limits-untested gives the reason why not.
. "$(dirname "$0")/../lib/tap.sh"

cd "$scratch" || exit 99
header='MODULE Linux x86_64 000000000000000000000000000000000 x'

# bound NAME: its value in limits.h.
bound() {
	expression=$(sed -n "s/^#define $1 (*\\(.*\\)\$/\\1/p" "$srcdir/src/base/limits.h" | tr -d 'ul()')
	# shellcheck disable=SC2004 # an expression, which dash only takes so
	echo $(($expression))
}

# LIMIT_INLINE_DEPTH: nested calls.
depth=$(bound LIMIT_INLINE_DEPTH)
for count in "$depth" $((depth + 1)); do
	$AWK -v count="$count" -v header="$header" 'BEGIN {
		print header; print "FILE 1 a.c"; print "INLINE_ORIGIN 7 inner"; print "FUNC 1000 1000 0 outer"
		for (i = 0; i < count; i++) printf "INLINE %d 10 1 7 1010 10\n", i
		print "1000 1000 5 1" }' >depth.sym
	is "of $count inlined calls $depth are shown" "$("$UNSPOOL" lookup depth.sym 1010 2>/dev/null | grep -c ' inner ')" "$depth"
done

# LIMIT_INLINE_FIELDS: five words before the ranges, and two words for each range.
fields=$(bound LIMIT_INLINE_FIELDS)
ranges=$(((fields - 3) / 2))
$AWK -v header="$header" 'BEGIN {
	print header; print "FILE 1 a.c"; print "INLINE_ORIGIN 7 inner"; print "FUNC 1000 100000 0 outer"
	printf "INLINE 0 10 1 7"; for (i = 0; i < 300; i++) printf " %x 10", 4096 + i * 256
	print "\n1000 100000 5 1" }' >ranges.sym
inlined() { "$UNSPOOL" lookup ranges.sym "$(printf %x $((4096 + ($1 - 1) * 256)))" 2>/dev/null | grep -c ' inner '; }
is "range $ranges of an INLINE record is used, the next one is not" "$(inlined "$ranges") $(inlined $((ranges + 1)))" '1 0'

# LIMIT_SYMBOL_ERRORS: bad records, after which Breakpad stops reading.
errors=$(bound LIMIT_SYMBOL_ERRORS)
for count in "$errors" $((errors + 1)); do
	$AWK -v count="$count" -v header="$header" 'BEGIN {
		print header; for (i = 0; i < count; i++) print "FUNC zz"; print "FUNC 2000 10 0 last" }' >bad.sym
	"$UNSPOOL" lookup --compat breakpad bad.sym 2000 >out 2>/dev/null
	"$UNSPOOL" lint bad.sym >findings 2>/dev/null
	is "after $count bad records Breakpad reads on, or lint reports that it does not" \
		"$(grep -c '^  last ' out) $(grep -c 'error-limit' findings)" "$([ "$count" = "$errors" ] && echo 1 0 || echo 0 1)"
	is "after $count bad records unspool reads on" "$("$UNSPOOL" lookup bad.sym 2000 2>/dev/null | grep -c '^  last ')" 1
done

# LIMIT_PLAIN_FILE: a sparse file with one byte more, which is not read to its end.
echo "$header" >sparse.sym
truncate -s $(($(bound LIMIT_PLAIN_FILE) + 1)) sparse.sym 2>/dev/null && for command in lint 'symdiff sparse.sym' walk; do
	# shellcheck disable=SC2086
	is "$command refuses it" "$(ulimit -t 60; "$UNSPOOL" $command sparse.sym 2>&1 | grep -c 'too large')" 1
done
rm -f sparse.sym

# LIMIT_TABLE_ROWS: rows of an INIT record and its deltas.
rows=$(bound LIMIT_TABLE_ROWS)
for count in "$rows" $((rows + 1)); do
	$AWK -v count="$count" -v header="$header" 'BEGIN {
		print header; print "FUNC 1000 20000 0 f"
		print "STACK CFI INIT 1000 20000 .cfa: $rsp 8 + .ra: .cfa -8 + ^"
		for (i = 1; i < count; i++) printf "STACK CFI %x .cfa: $rsp %d +\n", 4096 + i, 8 + 8 * (i % 2) }' >rows.sym
	is "a table of $count rows has a message if it has more than $rows" \
		"$("$UNSPOOL" cfi --function f rows.sym 2>/dev/null | grep -c '  65536 rows *! more rows than the limit')" $((count - rows))
done

# LIMIT_MICRODUMPS: microdumps in one log.
dumps=$(bound LIMIT_MICRODUMPS)
$AWK -v count=$((dumps + 1)) 'BEGIN { for (i = 0; i < count; i++) { print "-----BEGIN BREAKPAD MICRODUMP-----"
	print "V P:0.0"; print "O L arm 1 armv7 x"; print "-----END BREAKPAD MICRODUMP-----" } }' >log
"$UNSPOOL" walk --dump-index "$dumps" log >out 2>&1
is "microdump $dumps opens" $? 0
"$UNSPOOL" walk --dump-index $((dumps + 1)) log >out 2>&1
is 'the next microdump does not open, and the last is named' "$? $(grep -c "the last one is $dumps" out)" '3 1'

# LIMIT_LESSON_CARDS, LIMIT_LESSON_LINE.
cards=$(bound LIMIT_LESSON_CARDS)
for count in "$cards" $((cards + 1)); do
	mkdir "lesson-$count"
	{
		printf 'title  Many cards\nopen   bundled:inlines-amd64/crash.dmp\n\nat     frame 0; view memory\n'
		$AWK -v count="$count" 'BEGIN { for (i = 0; i < count; i++) print "say\n    Text.\n" }'
	} >"lesson-$count/lesson"
	UNSPOOL_DATA=$srcdir/data "$UNSPOOL" lesson --lint "lesson-$count" >out 2>&1
	is "a lesson of $count cards is refused if it has more than $cards" \
		"$(grep -c "the lesson has more than $cards cards" out)" $((count - cards))
done

# LIMIT_COURSE_LESSONS.
lessons=$(bound LIMIT_COURSE_LESSONS)
for count in "$lessons" $((lessons + 1)); do
	{ echo 'track t T'; yes 'lesson a' | head -n "$count"; } >course
	is "a course of $count lessons is refused if it has more than $lessons" \
		"$("$UNSPOOL" lesson --lessons . 2>&1 | grep -c "the course has more than $lessons lessons")" $((count - lessons))
done

# LIMIT_BINARIES_NAMES, LIMIT_BINARIES_LISTED: names in a directory, and subdirectories, before a program that has the
# module's ID but another name.
crash=$srcdir/data/crashes/sframe-amd64
near() {
	cp "$crash/binaries/parcel" "$1/z"
	is "$2" "$("$UNSPOOL" symbols --binaries "$1" "$crash/crash.dmp" 2>&1 | grep -c "  near  *$1/z")" "$3"
}
names=$(bound LIMIT_BINARIES_NAMES) listed=$(bound LIMIT_BINARIES_LISTED)
for more in 0 1; do
	mkdir "names-$more" "listed-$more"
	(cd "names-$more" && $AWK "BEGIN { for (i = 1; i < $names + $more; i++) print \"a\" i }" | xargs touch)
	near "names-$more" "file $((names + more)) of a directory is looked into if it is one of $names" $((1 - more))
	(cd "listed-$more" && $AWK "BEGIN { for (i = 1; i < $listed + $more; i++) print \"a\" i }" | xargs mkdir)
	near "listed-$more" "so is a file behind $((listed + more - 1)) directories if it is one of $listed" $((1 - more))
done

if command -v python3 >found; then
	# LIMIT_EXPORT_NAME: bytes of a name with its terminating 0.
	name=$(bound LIMIT_EXPORT_NAME)
	for length in $((name - 1)) "$name"; do
		python3 "$srcdir/tests/fault/bombs.py" export-name "$length" export
		is "an export's name of $length bytes is used if it ends within $name" \
			"$("$UNSPOOL" dump-syms export 2>err | sed -n 's/^PUBLIC 800000 0 \(a*\)$/\1/p' | tr -d '\n' |
				wc -c | tr -d ' ')" "$([ "$length" -lt "$name" ] && echo "$length" || echo 0)"
	done

	# LIMIT_EMPTY_ATTRIBUTES: attributes of one kind of entry.
	empty=$(bound LIMIT_EMPTY_ATTRIBUTES)
	for count in "$empty" $((empty + 1)); do
		python3 "$srcdir/tests/fault/bombs.py" few-flags "$count" flags
		"$UNSPOOL" lookup flags 1010 >out 2>err
		is "entries with $count attributes without bytes are read if they have no more than $empty" \
			"$(grep -c ' f + 0x10' out) $(grep -c 'too much time or memory' err)" \
			"$([ "$count" = "$empty" ] && echo 1 0 || echo 1 1)"
	done

	# LIMIT_FRAME_STATES: remembered states of one entry of .eh_frame at one time.
	states=$(bound LIMIT_FRAME_STATES)
	for count in "$states" $((states + 1)); do
		python3 "$srcdir/tests/fault/bombs.py" remembered "$count" remembered
		"$UNSPOOL" dump-syms remembered >out 2>err
		is "an entry that remembers $count states is run if it has no more than $states" \
			"$? $(grep -c '^STACK CFI INIT' out) $(grep -c 'too much time or memory' err)" \
			"$([ "$count" = "$states" ] && echo 0 1 0 || echo 0 0 1)"
	done
else
	skip 6 'python3 is not there'
fi

# LIMIT_LESSON_ANSWER: bytes of one answer.
answer=$(bound LIMIT_LESSON_ANSWER)
for length in "$answer" $((answer + 1)); do
	{ printf 'answer return-of-pour '; printf "%${length}s\n" '' | tr ' ' 1; } >answers
	is "an answer of $length bytes is too long if it has more than $answer" \
		"$(UNSPOOL_DATA=$srcdir/data "$UNSPOOL" lesson "$srcdir/data/lessons/basics-01-frame" --answers answers 2>&1 |
			grep -c 'the answer is too long')" $((length - answer))
done

# LIMIT_LESSON_ANSWERS: bytes of a file of answers; its last line has an answer.
bytes=$(bound LIMIT_LESSON_ANSWERS)
last='answer return-of-pour $rsp 24 +'
for size in "$bytes" $((bytes + 1)); do
	{
		$AWK -v count=$((bytes / 64 - 1)) 'BEGIN { for (i = 0; i < count; i++) printf "#%062d\n", i }'
		printf "#%$((size - bytes + 63 - 1 - ${#last}))s\n%s" '' "$last"
	} >answers
	UNSPOOL_DATA=$srcdir/data "$UNSPOOL" lesson "$srcdir/data/lessons/basics-01-frame" --answers answers >out 2>&1
	is "a file of answers of $size bytes is read if it has no more than $bytes, else refused" \
		"$(grep -c '^1 of 3 tasks passed' out) $(grep -c 'has more than 4 MB' out)" "$((1 - (size - bytes))) $((size - bytes))"
done

# The limit for a progress file, whose last lines count most.
line='basics-01-frame * reset'
for size in "$bytes" $((bytes + 1)); do
	mkdir -p "state-$size/unspool"
	{
		$AWK -v count=$((bytes / 64 - 1)) 'BEGIN { for (i = 0; i < count; i++) printf "#%062d\n", i }'
		printf "#%$((size - bytes + 63 - 1 - ${#line}))s\n%s" '' "$line"
	} >"state-$size/unspool/lessons"
	XDG_STATE_HOME=$scratch/state-$size "$UNSPOOL" lesson --lessons "$srcdir/data/lessons" --progress >out 2>&1
	is "progress of $size bytes is read if it has no more than $bytes, else refused" \
		"$? $(grep -c 'has more than 4 MB' out)" "$([ "$size" = "$bytes" ] && echo 0 0 || echo 3 1)"
done

# LIMIT_PROMPT_LINE: bytes of a typed search; the plain explorer has the same limit.
bytes=$(bound LIMIT_PROMPT_LINE)
dump=$srcdir/data/crashes/inlines-amd64/crash.dmp
for size in "$bytes" $((bytes + 1)); do
	beyond=$((size - bytes))
	printf ':\ntype say %0*d\nEnter\nQ\n' $((size - 4)) 7 >typing
	"$UNSPOOL" --script typing --no-state "$dump" >out 2>err
	is "a typed line of $size bytes is cut to $bytes, with a message" \
		"$? $(grep -c '^unspool: typing:2: the line is full' err) $(tail -n 1 out | wc -c)" "$beyond $beyond $((bytes - 4 + 1))"
	"$UNSPOOL" --plain --script typing --no-state "$dump" >out 2>err
	is "the plain explorer cuts the same line" "$? $(grep -c '^unspool: typing:2: the line is full' err) $(tail -n 1 out | wc -c)" \
		"$beyond $beyond $((bytes - 4 + 1))"
done
printf ':\ntype %0*d\n:save-screen full\nBackspace\n:save-screen shorter\nQ\n' $((bytes + 1)) 7 >typing
rm -f full shorter
"$UNSPOOL" --script typing --no-state "$dump" >out 2>&1
is 'the screen shows that the line is full until a key is removed' \
	"$(grep -c 'the line is full: what would make it longer than' full) $(grep -c 'the line is full' shorter)" '1 0'

# LIMIT_FOLDER_ENTRIES: entries of a directory that are searched for dumps.
entries=$(bound LIMIT_FOLDER_ENTRIES)
mkdir many
(cd many && $AWK -v count="$((entries - 2))" 'BEGIN { for (i = 0; i < count; i++) printf "a%04d\n", i }' | xargs touch)
cp "$dump" many/b
is 'a directory of fewer entries is searched completely' "$("$UNSPOOL" walk many 2>&1 >/dev/null | grep -c 'directory')" 0
touch many/a many/aa
is 'the rest of a larger directory is not searched, and the error says so' \
	"$("$UNSPOOL" walk many 2>&1)" "unspool: many: is a directory, too large to be searched as a whole, without a dump in it or two levels below
  the dump is the first argument, directories of symbols follow"

# Every bound ------------------------------------------------------------------------------------

untested=$(sed -n 's/^\(LIMIT_[A-Z_]*\) .*/\1/p' "$srcdir/tests/fault/limits-untested")
missing= needless=
for name in $(sed -n 's/^#define \(LIMIT_[A-Z_]*\).*/\1/p' "$srcdir/src/base/limits.h"); do
	found=$(grep -rlwE "$name" "$srcdir/tests" --include='*.[ch]' --include='*.t' --include='*.def' | head -n 1)
	case " $(echo $untested) " in
	*" $name "*) [ -z "$found" ] || needless="$needless $name" ;;
	*) [ -n "$found" ] || missing="$missing $name" ;;
	esac
done
is 'every bound is named by a test, or has a reason why none is' "$missing" ''
is 'no reason is given for a bound that is tested' "$needless" ''
none 'every reason is for an existing bound' "$(for name in $untested; do
	grep -qw "$name" "$srcdir/src/base/limits.h" || echo "$name"; done)"
done_testing
