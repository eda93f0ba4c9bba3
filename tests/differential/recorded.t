#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Made-up crashes with recorded answers of Breakpad's minidump_stackwalk 0.26.0, so that every clone can
# check whether --compat breakpad still walks as Breakpad does. record.sh makes them.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

frames=0
for folder in "$srcdir"/tests/differential/recorded/*/; do
	folder=${folder%/}
	kind=${folder##*/}
	"$UNSPOOL" walk --compat breakpad "$folder/crash.dmp" "$folder/symbols" \
		>"$scratch/human" 2>"$scratch/errors"
	t "the recorded crashes of $kind print Breakpad's human layout" \
		diff -u "$folder/answer.txt" "$scratch/human"
	frames=$((frames + $(grep -c 'Found by' "$folder/answer.txt")))
done
# The machine layout writes the facts of each frame in the same way for every processor of a width.
for answer in "$srcdir"/tests/differential/recorded/*/answer.m.txt; do
	folder=${answer%/*}
	"$UNSPOOL" walk -m --compat breakpad "$folder/crash.dmp" "$folder/symbols" \
		>"$scratch/machine" 2>"$scratch/errors"
	t "the recorded crashes of ${folder##*/} print Breakpad's machine layout" \
		diff -u "$answer" "$scratch/machine"
done
# The list of modules is the directory's third entry: at 0x38, with 4 + 3 * 108 bytes at 0x9c0. minidump_stackwalk has
# no heading without a list, and with a list that it refuses because a module has no bytes.
heading() {
	cp "$srcdir/data/crashes/frame-data-x86/crash.dmp" "$scratch/list.dmp" && chmod u+w "$scratch/list.dmp"
	printf "$2" | dd of="$scratch/list.dmp" bs=1 seek=$(($1)) conv=notrunc 2>/dev/null
	"$UNSPOOL" walk --compat breakpad "$scratch/list.dmp" 2>/dev/null | grep -c '^Loaded modules:$'
}
is 'a list of modules has a heading if Breakpad has one' \
	"present $(heading 0x38 '\004'), absent $(heading 0x38 '\102'), a module of 0 bytes $(heading 0x9cc '\0\0\0\0')" \
	'present 1, absent 0, a module of 0 bytes 0'
diag "$frames frames compared"
t 'every processor and kind of dump has recorded crashes' test "$tap_run" -eq 24
done_testing
