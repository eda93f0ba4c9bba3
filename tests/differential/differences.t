#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The policy has a reason for each row and a crash on which changing the row changes the walk.
# tests/differential/shown lists these, with tabs:
#
#	POLICY	COLUMN	VALUE	CRASH
#
# A CRASH is a folder of data/, a dump of the corpus (with a blank and `none`: without symbols), or
# the arguments of tests/differential/generate. The walk uses --compat COLUMN and sets the row to VALUE.
# For a row that only a crash within a test shows, the source of the test is named.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
document=$srcdir/doc/walkers-compared.md
shown=$srcdir/tests/differential/shown
generate=$builddir/tests/differential/generate

"$UNSPOOL" policy | sed '1d; /^$/,$d; s/ .*//' >"$scratch/rows"
t 'the policy has rows' test -s "$scratch/rows"
none 'every policy that doc/walkers-compared.md names is a row' "$(
	grep -o '`[a-z][a-z]*-[a-z-]*`' "$document" | sort -u |
	while read -r name; do
		grep -qxF "$(echo "$name" | tr -d '`')" "$scratch/rows" || echo "$name"
	done)"
none 'every row has a reason' "$(while read -r name; do
	"$UNSPOOL" policy "$name" | grep -q '^  why: .' || echo "$name"
done <"$scratch/rows")"
none 'every row is shown by a crash' "$(while read -r name; do
	grep -q "^$name	" "$shown" || echo "$name"
done <"$scratch/rows")"

# crash NAME: set dump and symbols; false if this machine lacks what it needs.
crash() {
	symbols=
	case $1 in
	data/*)
		dump=$srcdir/$1/crash.dmp
		symbols=$srcdir/$1/symbols
		;;
	generate\ *)
		[ -x "$generate" ] || return
		# shellcheck disable=SC2086
		set -- $1
		folder=$("$generate" | $AWK -v kind="$2" '$1 == kind { print $2 }')
		symbols=$scratch/symbols.$2
		dump=$scratch/$2.$3.$4.$5
		[ "$folder" = - ] || symbols=${UNSPOOL_CORPUS:-/nonexistent}/$folder
		[ "$folder" = - ] && mkdir -p "$symbols"
		[ -f "$dump" ] && return
		[ -d "$symbols" ] && "$generate" "$2" "$3" "$4" "$5" "$dump" "$symbols"
		return
		;;
	made/*)
		dump=${UNSPOOL_CORPUS:-/nonexistent}/${1% none}.dmp
		arch=${1#made/}
		symbols=${UNSPOOL_CORPUS:-/nonexistent}/made/symbols/${arch%%/*}
		;;
	breakpad/*)
		dump=${UNSPOOL_CORPUS:-/nonexistent}/${1% none}
		symbols=${UNSPOOL_CORPUS:-/nonexistent}/breakpad/symbols
		;;
	esac
	case $1 in *' none') symbols= ;; esac
	[ -f "$dump" ]
}

tab=$(printf '\t')
while IFS=$tab read -r name column value where; do
	case $name in '' | '#'*) continue ;; esac
	if [ "$column" = - ]; then
		t "$where, which makes a crash for $name, exists" test -f "$srcdir/$where"
		continue
	fi
	if ! crash "$where"; then
		skip 1 "$where is not there"
		continue
	fi
	"$UNSPOOL" walk --compat "$column" "$dump" ${symbols:+"$symbols"} >"$scratch/plain" 2>/dev/null
	"$UNSPOOL" walk --compat "$column" --policy "$name=$value" "$dump" ${symbols:+"$symbols"} >"$scratch/flipped" 2>/dev/null
	t "$name=$value changes the walk of $where as $column walks it" sh -c '! cmp -s "$1" "$2"' sh "$scratch/plain" "$scratch/flipped"
done <"$shown"
done_testing
