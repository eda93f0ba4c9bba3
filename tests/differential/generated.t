#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Two walkers on made-up crashes: `unspool walk --compat breakpad` and Breakpad's minidump_stackwalk print the same, in both layouts.
#
# UNSPOOL_STACKWALK names Breakpad's program (default: the one in PATH), UNSPOOL_CASES is the number of cases (1000), UNSPOOL_SEED
# selects them (1). A difference is shown with the command that makes a dump of its case alone.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

stackwalk=${UNSPOOL_STACKWALK:-$(command -v minidump_stackwalk)}
[ -n "$stackwalk" ] || skip_all 'minidump_stackwalk is not there; UNSPOOL_STACKWALK may name it'
generate=$builddir/tests/differential/generate
[ -x "$generate" ] || skip_all 'tests/differential/generate is not built'
cases=${UNSPOOL_CASES:-1000}
seed=${UNSPOOL_SEED:-1}
batch=100
crashed=0
frames=0

# make FIRST COUNT: the dump of some cases of the kind.
make() { "$generate" "$kind" "$seed" "$1" "$2" "$scratch/dump" "$symbols"; }

# theirs [OPTION]: the output of Breakpad; false if its process dies.
theirs() {
	timeout 120 "$stackwalk" $1 "$scratch/dump" "$symbols" >"$scratch/theirs" 2>/dev/null
	[ $? -lt 124 ]
}

ours() {
	timeout 900 "$UNSPOOL" walk --compat breakpad $1 "$scratch/dump" "$symbols" >"$scratch/ours" 2>"$scratch/errors"
}

# compare FIRST COUNT: true if all answers are equal in both layouts; otherwise print the case that differs.
# If Breakpad dies, each half is tried alone, until the fatal case is found.
compare() {
	make "$1" "$2" || return 1
	if ! theirs || ! { mv "$scratch/theirs" "$scratch/human"; theirs -m; }; then
		if [ "$2" -eq 1 ]; then
			crashed=$((crashed + 1))
			return 0
		fi
		compare "$1" $(($2 / 2)) && compare $(($1 + $2 / 2)) $(($2 - $2 / 2))
		return
	fi
	ours -m
	if cmp -s "$scratch/ours" "$scratch/theirs" && ours &&
		cmp -s "$scratch/ours" "$scratch/human"; then
		frames=$((frames + $(grep -c 'Found by' "$scratch/human")))
		return 0
	fi
	if [ "$2" -gt 1 ]; then
		compare "$1" $(($2 / 2)) && compare $(($1 + $2 / 2)) $(($2 - $2 / 2))
		return
	fi
	ours
	echo "generate $kind $seed $1 1 DUMP $symbols"
	diff -u "$scratch/human" "$scratch/ours"
	return 1
}

# all_of FIRST COUNT: in batches, so that symbols are read once for many cases.
all_of() {
	all_of_at=$1
	all_of_left=$2
	while [ "$all_of_left" -gt 0 ]; do
		all_of_now=$((all_of_left < batch ? all_of_left : batch))
		compare "$all_of_at" "$all_of_now" || return 1
		all_of_at=$((all_of_at + all_of_now))
		all_of_left=$((all_of_left - all_of_now))
	done
}

"$generate" >"$scratch/kinds"
usable=0
while read -r kind folder; do
	if [ "$folder" = - ] || [ -d "${UNSPOOL_CORPUS:-/nonexistent}/$folder" ]; then
		usable=$((usable + 1))
	fi
done <"$scratch/kinds"

share=$(((cases + usable - 1) / usable))
while read -r kind folder; do
	symbols=$UNSPOOL_CORPUS/$folder
	[ "$folder" = - ] && symbols=$scratch/symbols.$kind
	if [ "$folder" != - ] && ! [ -d "$symbols" ]; then
		skip 1 "the symbols of $kind are not there: UNSPOOL_CORPUS names no corpus"
		continue
	fi
	all_of 0 "$share" >"$scratch/report" 2>&1
	tap_result $? "$share made-up crashes of $kind are walked as Breakpad walks them" || head -n 60 "$scratch/report" | sed 's/^/# /'
done <"$scratch/kinds"

diag "$((share * usable)) cases, $frames frames compared;" "$crashed cases left out, since Breakpad's process dies of them"
done_testing
