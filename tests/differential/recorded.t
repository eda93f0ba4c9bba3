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
diag "$frames frames compared"
t 'every processor and kind of dump has recorded crashes' test "$tap_run" -eq 23
done_testing
