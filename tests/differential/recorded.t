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
	"$UNSPOOL" walk -m --compat breakpad "$folder/crash.dmp" "$folder/symbols" \
		>"$scratch/machine" 2>"$scratch/errors"
	t "the recorded crashes of $kind print Breakpad's machine layout" \
		diff -u "$folder/answer.m.txt" "$scratch/machine"
	frames=$((frames + $(grep -c 'Found by' "$folder/answer.txt")))
done
diag "$frames frames compared"
t 'every processor and kind of dump has recorded crashes' test "$tap_run" -eq 42
done_testing
