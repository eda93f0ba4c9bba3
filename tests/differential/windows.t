#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Crashes of Windows with PDBs, compared with true stacks, which the programs logged and RtlVirtualUnwind confirmed; the
# names and lines of their frames are compared with llvm-symbolizer.

. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

corpus=${UNSPOOL_CORPUS:-}/windows
made=$corpus/made
[ -d "$made/truth" ] || skip_all 'UNSPOOL_CORPUS names no corpus with crashes of Windows'
lacks capstone && skip_all 'capstone was left out'

# True frames that the walk lacks, and additional frames of the walk, at their addresses.
score() {
	for truth in "$made/truth/i386-windows".*.txt; do
		name=${truth##*/i386-windows.}
		"$UNSPOOL" walk --binaries "$made/bin/i386-windows" "$made/i386-windows/${name%.txt}.dmp" 2>/dev/null |
			"$AWK" '/ eip = 0x/ { sub(/.*eip = 0x/, ""); print $1 }' | LC_ALL=C sort >"$scratch/shown"
		"$AWK" -F '|' '$1 == "FR" && $4 != "I" { sub(/0x/, "", $5); while (length($5) < 8) $5 = "0" $5; print $5 }' \
			"$truth" | LC_ALL=C sort >"$scratch/true"
		LC_ALL=C comm -3 "$scratch/true" "$scratch/shown"
	done | sort | uniq -c | sed 's/^ *//'
}

# doc/walkers-compared.md explains why the truth ends before this frame.
is 'x86: all true frames are shown, and in each thread the caller of the outermost one' "$(score | tr -d '\t')" '13 7bc5d228'
if command -v python3 >/dev/null 2>&1; then
	# The inlined call's line annotations, and the source, have line 60; llvm-symbolizer 14 has the next line, 61.
	is 'names, lines and inlined calls are those of llvm-symbolizer except two lines' \
		"$(python3 "$srcdir/tests/differential/windows-names.py" "$UNSPOOL" "$corpus" 2>&1)" \
		"$(cat <<\END
i386-windows inline3.exe+0x175a
x86_64-windows inline3.exe+0x19f6
598 frames, 2 differ
END
)"
else
	skip 1 'no python3'
fi
done_testing
