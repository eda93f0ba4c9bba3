#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The default walk against a debugger's stacks of the same crashes: how many of the true frames it
# finds (recall) and how many of those that it shows are false, both as the mean over dumps, so that
# a stack of 100,000 frames counts no more than one of ten.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

made=${UNSPOOL_CORPUS:-}/made
[ -d "$made/truth" ] || skip_all 'UNSPOOL_CORPUS names no corpus'
scorer=$srcdir/tests/differential/truth.awk

# score ARCH: a line for each dump with true, found, shown and false frames. Dumps whose debugger
# stack is not the whole truth are left out.
score() {
	for truth in "$made/truth/$1".*.txt; do
		name=${truth##*/}
		name=${name%.txt}
		grep -q "^${name}[[:space:]]" "$made/truth/weak.txt" && continue
		timeout 60 "$UNSPOOL" walk "$made/$1/${name#"$1".}.dmp" "$made/symbols/$1" \
			2>/dev/null >"$scratch/walk"
		"$AWK" -v thumb="$([ "$1" = arm ] && echo 1)" -f "$scorer" "$truth" "$scratch/walk"
	done
}

# mean FOUND OF FILE: a percentage of two columns, the mean over lines.
mean() {
	"$AWK" -v part="$1" -v whole="$2" '{ sum += $part / ($whole > 0 ? $whole : 1) }
		END { printf("%.2f\n", (NR > 0) ? 100 * sum / NR : 0) }' "$3"
}

holds() { "$AWK" "BEGIN { exit !($1) }"; }

# What minidump_stackwalk 0.26.0 reaches with the same symbol files, and what we promise.
while read -r arch their_recall their_false least most; do
	score "$arch" >"$scratch/scores"
	recall=$(mean 2 1 "$scratch/scores")
	false=$(mean 4 3 "$scratch/scores")
	diag "$arch: $(wc -l <"$scratch/scores") dumps," \
		"recall $recall % (Breakpad $their_recall %)," \
		"false $false % (Breakpad $their_false %)"
	t "on $arch no fewer true frames are found than Breakpad finds" \
		holds "$recall >= $their_recall"
	t "on $arch fewer of the frames shown are false than Breakpad's" \
		holds "$false < $their_false"
	t "on $arch at least $least % of the true frames are found" holds "$recall >= $least"
	t "on $arch at most $most % of the frames shown are false" holds "$false <= $most"
done <<EOF
x86_64 100.00 19.45 99 2
arm64 93.33 3.33 99 2
i386 90.45 29.92 90.45 2
arm 78.98 25.10 78.98 5
EOF
done_testing
