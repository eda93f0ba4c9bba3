#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Without memory or descriptors a walk is incomplete, and its exit status shows that.
. "$(dirname "$0")/../lib/tap.sh"

crash=$srcdir/data/crashes/inlines-amd64

# Symbol files so large that they are mapped; each keeps its descriptor.
cp -r "$crash/symbols" "$scratch/symbols"
find "$scratch/symbols" -name '*.sym' | while read -r file; do
	$AWK 'BEGIN { for (i = 0; i < 12000; i++) printf "PUBLIC %x 0 padding_%d\n", 117440512 + i * 16, i }' >>"$file"
done
walk() { "$UNSPOOL" walk $sandbox --no-system-binaries "$crash/crash.dmp" "$scratch/symbols"; }
sandbox=
walk >"$scratch/whole" 2>"$scratch/err"
is 'a walk with all its files exits with 0' $? 0

# lacking LIMIT NUMBER: walk within a limit of the shell.
lacking() {
	(
		exec >"$scratch/out" 2>"$scratch/err" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
		ulimit "$1" "$2" && walk
	) 2>"$scratch/shell"
	status=$?
}

sandbox=
lacking -n 4
t 'a program without descriptors for the sandbox reads no input' test "$status" != 0
sandbox=--no-sandbox
lacking -n 4
if cmp -s "$scratch/out" "$scratch/whole"; then
	skip 3 'a file needs no descriptor here'
else
	is 'a walk that lacks a file because of missing descriptors fails' "$status" 4
	t 'the message names the file' grep -q "^unspool: error: no symbols from '.*libc.so.6.sym': " "$scratch/err"
	t 'the message says that the walk lacks a file' grep -q "^unspool: the output may be incomplete: '.*libc.so.6.sym': " "$scratch/err"
fi
sandbox=
lacking -n 20
is 'a walk with enough descriptors is complete' "$status" 0

# With any amount of memory the walk is the same, or the status is another one.
wrong= short=0
for room in $($AWK 'BEGIN { for (kb = 9000; kb < 60000; kb += 800) print kb }'); do
	lacking -v "$room"
	[ "$status" != 4 ] || short=$((short + 1))
	[ "$status" != 0 ] || cmp -s "$scratch/out" "$scratch/whole" || wrong="$wrong $room"
done
is 'a walk that lacks data because of missing memory fails' "$wrong" ''
[ $short -gt 0 ] || diag 'no limit left a walk with less'

"$UNSPOOL" walk "$scratch/no-such-file" >"$scratch/out" 2>&1
is 'a missing file is not a shortage' $? 3
"$UNSPOOL" walk "$crash/crash.dmp" "$scratch" >"$scratch/out" 2>&1
is 'missing symbols are not a shortage' $? 0
done_testing
