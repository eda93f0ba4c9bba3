#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# One walk in all its forms: JSON and the machine-readable fields have the same calls, and the screen has the rows
# that are printed without one. Tested are the bundled crashes and damaged copies of them.
#
#	UNSPOOL_CASES	damaged copies of each crash (3)
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

replay=$builddir/tests/fuzz/replay
[ -x "$replay" ] || skip_all 'tests/fuzz/replay is not built; make check builds it'
command -v python3 >/dev/null || skip_all 'there is no python3'
: "${UNSPOOL_CASES:=3}"

# differ DUMP SYMBOLS: print the differences between the forms.
differ() { python3 "$srcdir/tests/differential/forms.py" "$UNSPOOL" "$scratch" "$@" 2>&1 | head -n 10; }

for folder in "$srcdir"/data/crashes/*/; do
	crash=$(basename "$folder")
	none "$crash is the same in all forms" "$(differ "${folder}crash.dmp" "${folder}symbols")"
	mkdir -p "$scratch/$crash"
	"$replay" --write minidump "$UNSPOOL_CASES" "${folder}crash.dmp" "$scratch/$crash"
	none "$crash: damaged copies are the same in all forms" "$(for dump in "$scratch/$crash"/*; do
		differ "$dump" "${folder}symbols" | sed "s,^,${dump##*/}: ,"
	done)"
done

done_testing
