#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# With -s, -c and -b the human layout equals minidump_stackwalk's as well, on crashes of the corpus. UNSPOOL_STACKWALK names Breakpad's
# program (default: the one in PATH). With -s threads with inlined calls are left out: there Breakpad prints memory of its own process.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

stackwalk=${UNSPOOL_STACKWALK:-$(command -v minidump_stackwalk)}
[ -n "$stackwalk" ] || skip_all 'minidump_stackwalk is not there; UNSPOOL_STACKWALK may name it'
corpus=${UNSPOOL_CORPUS:-}
[ -d "$corpus/breakpad" ] && [ -d "$corpus/made" ] || skip_all 'UNSPOOL_CORPUS names no corpus'

# same OPTION DUMP SYMBOLS: print the difference; nothing if inlined calls make the answer useless.
same() {
	timeout 10 "$stackwalk" "$@" 2>/dev/null | head -c 4000000 >"$scratch/theirs"
	[ "$1" != -s ] || ! grep -q 'Found by: inline record' "$scratch/theirs" || return 0
	[ "$(wc -c <"$scratch/theirs")" -lt 4000000 ] || return 0
	timeout 900 "$UNSPOOL" walk --compat breakpad "$@" >"$scratch/ours" 2>/dev/null
	cmp -s "$scratch/theirs" "$scratch/ours" && return
	echo "$*"
	diff "$scratch/theirs" "$scratch/ours" | head -n 4
}

for option in -s -c -b; do
	for dump in "$corpus"/breakpad/*.dmp; do
		case $dump in *microdump*) continue ;; esac
		same $option "$dump" "$corpus/breakpad/symbols"
	done >"$scratch/different"
	for arch in x86_64 i386 arm64 arm; do
		for name in abort_assert call_null call_wild nofp sig_div sigaltstack tailcall; do
			[ ! -f "$corpus/made/$arch/$name.dmp" ] || same $option "$corpus/made/$arch/$name.dmp" "$corpus/made/symbols/$arch"
		done
	done >>"$scratch/different"
	none "with $option the output is the same" "$(cat "$scratch/different")"
done
done_testing
