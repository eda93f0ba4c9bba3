#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Makes recorded/ anew: made-up crashes with Breakpad's answers, for clones without minidump_stackwalk. It
# needs unspool and the programs of generated.t; run it in the build's environment:
#
#	srcdir=. builddir=build UNSPOOL_STACKWALK=.../minidump_stackwalk tests/differential/record.sh

set -e
: "${srcdir:?}" "${builddir:?}" "${UNSPOOL_STACKWALK:?}"
builddir=$(cd "$builddir" && pwd)
seed=20

answer() { "$UNSPOOL_STACKWALK" $1 "$folder/crash.dmp" "$folder/symbols" 2>/dev/null || [ $? -eq 1 ]; }

walks() { answer && answer -m && "$builddir/unspool" walk "$folder/crash.dmp" "$folder/symbols" 2>/dev/null; }

# shorten: delete the rows below a record if the walks of Breakpad and of unspool are the same without them.
shorten() {
	file=$(echo "$folder"/symbols/*/*/*.sym)
	kept=$(walks)
	for line in $(grep -nE '^(FUNC|STACK CFI INIT) ' "$file" | cut -d: -f1 | sort -rn); do
		mv "$file" "$file.long"
		awk -v line="$line" '/^(FUNC|PUBLIC|STACK CFI INIT|STACK WIN) / { cut = 0 } !cut
			NR == line { cut = 1 }' "$file.long" >"$file"
		[ "$(walks)" = "$kept" ] || cp "$file.long" "$file"
		rm "$file.long"
	done
}

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
	# tests/unit/cmd/golden/lint-json.txt has the findings in all rows of small-ppc64.
	[ "$kind" = small-ppc64 ] || shorten
	# Breakpad refuses some dumps: then its answer is empty.
	answer >"$folder/answer.txt"
	case $kind in small-x86 | small-amd64) answer -m >"$folder/answer.m.txt" ;; esac
done
