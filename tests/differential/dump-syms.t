#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# dump-syms, compared with Breakpad's dump_syms, which is in the folder of minidump_stackwalk (UNSPOOL_STACKWALK, or in
# PATH): unspool's symbol file has every function and line of Breakpad's, and Breakpad's walker reads it.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
walker=${UNSPOOL_STACKWALK:-$(command -v minidump_stackwalk)}
peer=${walker%/*}/dump_syms
[ -n "$walker" ] && [ -x "$peer" ] || skip_all 'there is no dump_syms of Breakpad'
[ -d "${UNSPOOL_CORPUS:-}/made/bin" ] || skip_all 'UNSPOOL_CORPUS names no folder with programs'
unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES DEBUGINFOD_URLS

# Functions and lines, one a line, with paths in place of numbers.
records() {
	$AWK '$1 == "FILE" { number = $2; sub(/^FILE [0-9]* /, ""); file[number] = $0; next }
		$1 == "FUNC" { print; next }
		/^[0-9a-f]+ [0-9a-f]+ [0-9]+ [0-9]+$/ { print $1, $2, $3, file[$4] }' "$1" | sort
}

for program in "$UNSPOOL_CORPUS"/made/bin/*/*; do
	name=${program#"$UNSPOOL_CORPUS"/made/bin/}
	"$peer" -d "$program" >"$scratch/peer.sym" 2>/dev/null || "$peer" "$program" >"$scratch/peer.sym" 2>/dev/null
	"$UNSPOOL" dump-syms "$program" >"$scratch/own.sym" 2>/dev/null
	# Breakpad writes a function without linkage name as in the source, unspool by its linker symbol.
	records "$scratch/peer.sym" >"$scratch/peer"
	records "$scratch/own.sym" >"$scratch/own"
	is "$name: the module is the same" "$(sed -n 1,2p "$scratch/own.sym")" "$(sed -n 1,2p "$scratch/peer.sym")"
	none "$name: the file has all functions and lines" "$(comm -23 "$scratch/peer" "$scratch/own" |
		grep -Ev '^FUNC .*([^)]|operator\(\))$' | head -5)"
done

for arch in x86_64 i386 arm64 arm; do
	for program in "$UNSPOOL_CORPUS/made/bin/$arch"/*; do
		"$UNSPOOL" dump-syms --store "$scratch/$arch" "$program" >/dev/null 2>&1
	done
	for store in "$UNSPOOL_CORPUS/made/symbols/$arch"/*/*; do
		to=$scratch/$arch/$(basename "$(dirname "$store")")/$(basename "$store")
		[ -e "$to" ] || { mkdir -p "${to%/*}" && ln -s "$store" "$to"; }
	done
	for dump in deep recursion abort_assert inline_o2; do
		dump=$UNSPOOL_CORPUS/made/$arch/$dump.dmp
		[ -e "$dump" ] || continue
		t "$arch/${dump##*/}: Breakpad's walk with these symbols reaches main" \
			sh -c '"$1" -m "$2" "$3" 2>/dev/null | grep -q "^0|[0-9]*|[^|]*|main[|(]"' sh "$walker" "$dump" "$scratch/$arch"
	done
done
done_testing
