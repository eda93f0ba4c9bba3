#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes recorded/ anew: made-up crashes with Breakpad's answers, for clones without minidump_stackwalk. It
# needs the programs of generated.t; run it in the build's environment:
#
#	srcdir=. builddir=build UNSPOOL_STACKWALK=.../minidump_stackwalk tests/differential/record.sh

set -e
: "${srcdir:?}" "${builddir:?}" "${UNSPOOL_STACKWALK:?}"
builddir=$(cd "$builddir" && pwd)
seed=20

cd "$srcdir/tests/differential"
rm -rf recorded
for kind in $("$builddir/tests/differential/generate" | sed -n 's/^\(small-[^ ]*\) .*/\1/p'); do
	folder=recorded/$kind
	# Many of the main processors, few where only the container of the dump is another.
	case $kind in
	small-x86 | small-amd64 | small-arm64 | small-arm) cases=16 ;;
	small-old-* | small-thread-* | small-mozilla*) cases=3 ;;
	*) cases=8 ;;
	esac
	mkdir -p "$folder"
	"$builddir/tests/differential/generate" "$kind" "$seed" 0 "$cases" "$folder/crash.dmp" \
		"$folder/symbols"
	# Breakpad refuses some dumps: then its answer is empty.
	"$UNSPOOL_STACKWALK" "$folder/crash.dmp" "$folder/symbols" >"$folder/answer.txt" \
		2>/dev/null || [ $? -eq 1 ]
	case $kind in small-x86 | small-amd64) ;; *) continue ;; esac
	"$UNSPOOL_STACKWALK" -m "$folder/crash.dmp" "$folder/symbols" \
		>"$folder/answer.m.txt" 2>/dev/null
done
