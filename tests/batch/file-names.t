#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Names from modules' own files where no symbol file is: those of the symbol table in the bundled crash.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/shell.sh"

crash=$srcdir/data/crashes/sframe-amd64

# The functions of the program's frames.
functions() {
	sed -n '/^Thread 0/,/^$/p' "$1" | sed -n 's/^ *[0-9]*  parcel!\([^ ]*\).*/\1/p'
}

"$UNSPOOL" walk "$crash/crash.dmp" "$crash/symbols" >"$scratch/symbols" 2>/dev/null
"$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/file" 2>/dev/null
is 'the file names the functions that the symbol file names' \
	"$(functions "$scratch/file")" "$(functions "$scratch/symbols")"
t 'and there are seven of them' test "$(functions "$scratch/file" | wc -l)" -eq 7

"$UNSPOOL" walk --policy file-names=0 --binaries "$crash/binaries" "$crash/crash.dmp" >"$scratch/out" 2>/dev/null
is 'the policy row switches them off' "$(functions "$scratch/out")" ''
"$UNSPOOL" walk --binaries "$crash/binaries" "$crash/crash.dmp" "$crash/symbols" >"$scratch/out" 2>/dev/null
is 'a symbol file comes first' "$(cat "$scratch/out")" "$(cat "$scratch/symbols")"
done_testing
