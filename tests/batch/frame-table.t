#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Walks by .eh_frame of the program's own file: the same frames and registers as by STACK CFI, which was made from it.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

crash=$srcdir/data/crashes/sframe-amd64


# The registers of each frame of the crashed thread, without names and methods.
frames() {
	sed -n '/^Thread 0/,/^$/p' "$1" |
		$AWK '/^ *[0-9]+  / { frame = $1 } / = 0x/ { for (i = 1; i + 2 <= NF; i += 3) print frame, $i, $(i + 2) }' | LC_ALL=C sort
}

"$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols" >"$scratch/symbols" 2>/dev/null
"$UNSPOOL" walk --methods frame-table --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/table" 2>/dev/null
frames "$scratch/symbols" >"$scratch/want"
frames "$scratch/table" >"$scratch/got"
t 'the comparison has registers' test "$(wc -l <"$scratch/want")" -gt 50
is 'every frame has the registers that STACK CFI finds' "$(diff "$scratch/want" "$scratch/got")" ''
t 'the walk reports how the frames were found' grep -q "Found by: row of the module's frame table" "$scratch/table"

"$UNSPOOL" explain --methods frame-table --binaries "$crash/binaries" --frame 1 "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
t 'a step names the table, the row and the entry in the file' \
	grep -Eq '^ record \.eh_frame: the row for 0x[0-9a-f]+ to 0x[0-9a-f]+   parcel\+0x[0-9a-f]+$' "$scratch/out"
t 'the rules of the table are postfix' grep -Eq '^ rule \.ra: \.cfa -8 \+ \^ ' "$scratch/out"

"$UNSPOOL" walk --policy frame-tables=0 --methods frame-table --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
t 'the policy row switches it off' sh -c '! grep -q "frame table" "$1"' sh "$scratch/out"
done_testing
