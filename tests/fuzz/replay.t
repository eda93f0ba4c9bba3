#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run every fuzz harness over the seeds, over old findings (found), over changed copies of them, and over copies with systematic
# damage: cut, every 32-bit word at its limits, every line of a text deleted, doubled, swapped with the next one and cut.
#
#	UNSPOOL_FUZZ_CHANGES	changed copies of each input (2)
#	UNSPOOL_FUZZ_DAMAGE	places of each input that are damaged in each way (3); 0: all
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

replay=$builddir/tests/fuzz/replay
[ -x "$replay" ] || skip_all 'tests/fuzz/replay is not built; make check builds it'
: "${UNSPOOL_FUZZ_CHANGES:=2}" "${UNSPOOL_FUZZ_DAMAGE:=3}"
unset UNSPOOL_CORPUS

limit=
command -v timeout >/dev/null 2>&1 && limit='timeout 3600'
LSAN_OPTIONS=suppressions=$srcdir/tests/lib/leaks:print_suppressions=0
TMPDIR=$scratch
export LSAN_OPTIONS TMPDIR

# A file in `found` without a harness would never be run.
none 'every stored finding belongs to a harness' "$(for file in "$srcdir"/tests/fuzz/found/*; do
	[ -f "$file" ] || continue
	"$replay" --list | while read -r name most; do
		case ${file##*/} in "$name"-*) echo yes ;; esac
	done | grep -q yes || echo "${file##*/}"
done)"

t 'each harness gets first inputs' "$srcdir/tests/fuzz/seeds" "$scratch/seeds"
for name in $("$replay" --list | $AWK '{ print $1 }'); do
	t "$name: it has an input" [ -n "$(ls "$scratch/seeds/$name")" ]
	t "$name: reads its inputs and changed copies of them" $limit "$replay" --mutate "$name" \
		"$UNSPOOL_FUZZ_CHANGES" "$scratch/seeds/$name"/*
	t "$name: stands damage by rule" $limit "$replay" --damage "$name" "$UNSPOOL_FUZZ_DAMAGE" "$scratch/seeds/$name"/*
done
none 'the dictionary has printable words' \
	"$(for name in $("$replay" --list | $AWK '{ print $1 }'); do "$replay" --dictionary "$name"; done | LC_ALL=C grep -v '^"[!-~]*"$')"
t 'an unknown harness is an error' eval '! "$replay" nonsense /dev/null 2>/dev/null'

done_testing
