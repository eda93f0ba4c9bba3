#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# `streams` prints all that minidump_dump prints, and nothing is unknown. If MINIDUMP_DUMP
# names Breakpad's program, it is run again; otherwise its recorded answers are compared.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/frame-data-x86/crash.dmp
# facts OPTION...: lines `COUNT name=value`.
facts() { LC_ALL=C $AWK "$@" -f "$srcdir/tests/lib/streams.awk" | LC_ALL=C sort | uniq -c | sed 's/^ *//'; }

# missing ANSWER DUMP: the parts of an answer that the output of `streams` has less often.
missing() {
	timeout 900 "$UNSPOOL" streams "$2" 2>/dev/null | facts -v ours=1 >"$scratch/ours"
	LC_ALL=C $AWK '{ count = $1; sub(/^[0-9]+ /, "") }
		FILENAME == ARGV[1] { ours[$0] = count; next }
		ours[$0] < count' "$scratch/ours" "$1" | sed "s,^,${2##*/}: ,"
}

for answer in "$srcdir"/tests/batch/streams/*.txt; do
	name=${answer##*/}
	t "the facts of ${name%.txt}" test "$(wc -l <"$answer")" -gt 20
	none "all facts that Breakpad prints of ${name%.txt} are printed" \
		"$(missing "$answer" "$srcdir/data/crashes/${name%.txt}/crash.dmp")"
done

# Options ----------------------------------------------------------------------------------------

streams() { "$UNSPOOL" streams "$@" "$crash" 2>"$scratch/err"; }

is 'a stream is chosen by its type' "$(streams --stream 0x4)" "$(streams --stream ModuleList)"
is 'a stream is chosen by its number among others' "$(streams --stream 4)" "$(streams --stream ModuleList#1)"
# A truncated or damaged dump is shown as far as possible.
size=$(wc -c <"$crash")
bad=
for cut in 4 31 32 33 43 44 45 128 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 1)); do
	head -c "$cut" "$crash" >"$scratch/cut.dmp"
	timeout 900 "$UNSPOOL" streams --hex "$scratch/cut.dmp" >"$scratch/out" 2>&1 || bad="$bad $cut"
	grep -q '^directory' "$scratch/out" || bad="$bad $cut"
done
is 'a truncated dump is shown up to its end' "$bad" ''

# Real dumps -------------------------------------------------------------------------------------

corpus=${UNSPOOL_CORPUS:-}
if ! [ -d "$corpus/breakpad/oracle" ]; then
	skip 4 'UNSPOOL_CORPUS names no corpus'
	done_testing
fi
facts <"$corpus/breakpad/oracle/minidump2.dump.out" >"$scratch/theirs"
none 'each field that minidump_dump prints of a real dump is printed' "$(missing "$scratch/theirs" "$corpus/breakpad/minidump2.dmp")"

dumps=$(ls "$corpus"/breakpad/*.dmp "$corpus"/made/*/*.dmp | grep -v microdump)
# One of the dumps has lost some bytes in transfer: the later entries are lost, and a message says so.
is 'the defects of the dumps are reported' "$(for dump in $dumps; do
		"$UNSPOOL" streams "$dump" 2>/dev/null | grep -E '^ +[^ ]+ +! ' | sed "s,^,${dump##*/}:,"
	done)" 'linux_executable_stack.dmp:  entries         ! 1761635328 are claimed, there is space for 0'
none 'no field in the dumps of the corpus is unknown' "$(for dump in $dumps; do
	"$UNSPOOL" streams "$dump" 2>&1 | grep -aE ' unknown( |$)|no layout fits' | sed "s,^,${dump##*/}: ,"
done)"
if [ -x "${MINIDUMP_DUMP:-}" ]; then
	none 'each field that minidump_dump prints of the corpus is printed' "$(for dump in $dumps; do
		"$MINIDUMP_DUMP" "$dump" 2>/dev/null | facts >"$scratch/theirs"
		missing "$scratch/theirs" "$dump"
	done)"
else
	skip 1 'MINIDUMP_DUMP names no program'
fi

done_testing
