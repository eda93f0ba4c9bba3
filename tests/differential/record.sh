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

answer() { "$UNSPOOL_STACKWALK" $1 "$folder/crash.dmp" "$folder/symbols" 2>/dev/null || [ $? -eq 1 ]; }

walks() { answer && answer -m && "$builddir/unspool" walk "$folder/crash.dmp" "$folder/symbols" 2>/dev/null; }

# same ROWS: leave so many of the rows below the record of $line; whether the walks are the same.
same() {
	awk -v line="$line" -v rows="$1" '/^(FUNC|PUBLIC|STACK CFI INIT|STACK WIN) / { below = 0 }
		!below || NR <= line + rows
		NR == line { below = 1 }' "$file.long" >"$file"
	[ "$(walks)" = "$before" ]
}

# shorten: of the rows below a record, keep those without which the walks of Breakpad and of unspool would change, and the
# next one, which none of them reads.
shorten() {
	file=$(echo "$folder"/symbols/*/*/*.sym)
	before=$(walks)
	for line in $(grep -nE '^(FUNC|STACK CFI INIT) ' "$file" | cut -d: -f1 | sort -rn); do
		mv "$file" "$file.long"
		rows=0
		until same $rows && { [ $rows -eq 0 ] || same $((rows + 1)); }; do rows=$((rows + 1)); done
		rm "$file.long"
	done
}

cd "$srcdir/tests/differential"
rm -rf recorded
for kind in $("$builddir/tests/differential/generate" | sed -n 's/^\(small-[^ ]*\) .*/\1/p'); do
	folder=recorded/$kind
	# Many of the main processors, few where only the container of the dump is another. This seed of arm64 has frames
	# of all methods.
	seed=20
	case $kind in
	small-x86 | small-amd64 | small-arm) cases=16 ;;
	small-arm64) seed=25 cases=8 ;;
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
