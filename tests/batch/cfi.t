#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Unwind tables from the command line: their output equals readelf's.
. "$(dirname "$0")/../lib/tap.sh"

data=$srcdir/data/crashes
parcel=$data/sframe-amd64/binaries/parcel
parcel_sym=$(echo "$data"/sframe-amd64/symbols/parcel/*/parcel.sym)

cfi() { "$UNSPOOL" cfi "$@" 2>"$scratch/err"; }

# Compared with readelf -wF: "ADDRESS COLUMN VALUE" of every row of every function. Columns that readelf
# prints as u are missing in records; longer expressions are left out by dumpers.
cat >"$scratch/readelf.awk" <<'END'
/ FDE / { function_row = 1; split($0, part, /pc=|\.\./); next }
/ CIE / { function_row = 0; next }
$1 == "LOC" { for (i = 2; i <= NF; i++) name[i] = $i; next }
function_row && $1 ~ /^[0-9a-f]+$/ && length($1) == 16 {
	address = $1
	sub(/^0+/, "", address)
	if ($2 == "exp") next
	for (i = 2; i <= NF; i++) if ($i != "u" && $i != "s") print address, name[i], $i
}
END
cat >"$scratch/ours.awk" <<'END'
$1 == "address" { for (i = 2; i < NF; i++) name[i] = $i; next }
/^[A-Z]/ { wanted = /^STACK CFI/; next }
wanted {
	gsub(/[*!]/, " "); sub(/^ *[=-]>/, "")
	address = $1
	sub(/^0+/, "", address)
	for (i = 2; i in name && i < NF - 1; i++) if ($(i + 1) !~ /^[.us-]$/) print address, name[i], $(i + 1)
}
END
compare() {
	readelf -wF "$1" 2>/dev/null >"$scratch/frames"
	addresses=$(sed -n 's/.* FDE .*pc=0*\([0-9a-f]*\)\.\..*/--at \1/p' "$scratch/frames")
	"$AWK" -f "$scratch/readelf.awk" "$scratch/frames" | sort -u >"$scratch/want"
	for address in $addresses; do
		[ "$address" = --at ] || cfi --at "$address" "$2" | "$AWK" -f "$scratch/ours.awk"
	done | sort -u >"$scratch/got"
	comm -13 "$scratch/got" "$scratch/want"
}
if command -v readelf >/dev/null 2>&1; then
	none 'every cell of a program is the one that readelf -wF prints' \
		"$(compare "$parcel" "$parcel_sym" | grep -v '^1020\|^1026\|^1030\|^1040\|^1060 ')"
	is 'the comparison has many cells' "$(test "$(wc -l <"$scratch/want")" -gt 40 && echo many)" many
else
	tap_result 0 'every cell of a program is the one that readelf -wF prints # SKIP there is no readelf'
fi
made=${UNSPOOL_CORPUS:-$srcdir/../shared/corpus}/made
if command -v readelf >/dev/null 2>&1 && [ -d "$made/bin/x86_64" ]; then
	for program in inline_o2 recursion threads64; do
		compare "$made/bin/x86_64/$program" "$made/symbols/x86_64/$program"/*/*.sym >"$scratch/off"
		none "each cell of $program is that of readelf, except in its procedure linkage table" \
			"$(grep -v '^[12]0[23][06] ' "$scratch/off")"
	done
fi

done_testing
