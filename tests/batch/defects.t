#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each class of defects of tests/defects/table is planted and found by the sources in the table.
. "$(dirname "$0")/../lib/tap.sh"

command -v python3 >/dev/null 2>&1 || skip_all 'no python3'
crash=$srcdir/data/crashes/sframe-amd64
module=$crash/binaries/parcel
sym=$crash/symbols/parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel.sym
seeds=${UNSPOOL_SEEDS:-1 2}

# Findings as LINE CODE, before and after the change; the new ones are selected.
codes_of() { sed -n 's/^[^ ]*:\([0-9]*\):[0-9]*: .*\[\([a-z-]*\)\]$/\1 \2/p'; }
lint_codes() { "$UNSPOOL" lint --brief --all "$1" 2>/dev/null | codes_of; }
# By the code alone: the binary without its tables.
code_codes() { "$UNSPOOL" unwind-check --code --brief --all "$bare" "$1" 2>/dev/null | codes_of | grep code-contradicts; }
source_codes() { "$UNSPOOL" unwind-check --brief "$module" "$1" 2>/dev/null | codes_of; }
# Codes with more findings than before.
added() { $AWK 'FILENAME == ARGV[1] { count[$2]++; next } { if (--count[$2] < 0) print $2 }' "$1" "$2" | LC_ALL=C sort -u; }
# has CODES WANTED: one of the wanted codes occurs; "-": no certain finding occurs.
has() {
	for wanted in $2; do
		case " $(echo $1) " in *" $wanted "*) return 0 ;; esac
	done
	return 1
}
at_line() { $AWK -v from=$(($1 - 1)) -v to=$(($1 + 1)) '$1 >= from && $1 <= to { found = 1 } END { exit !found }'; }

bare=$scratch/bare/parcel
mkdir "$scratch/bare"
if lacks capstone || ! command -v patch >"$scratch/which" || ! objcopy -R .eh_frame -R .eh_frame_hdr -R .sframe "$module" "$bare" 2>/dev/null; then
	bare=
fi
rows() { grep -v '^[#=]' "$srcdir/tests/defects/table"; }
lint_codes "$sym" >"$scratch/lint"
source_codes "$sym" >"$scratch/sources"
[ -z "$bare" ] || code_codes "$sym" >"$scratch/code"
# shellcheck disable=SC2046
python3 "$srcdir/tests/defects/plant.py" "$sym" "$scratch" $(rows | $AWK -F '|' -v seeds="$seeds" '
	{ for (n = split(seeds, seed, " "); n > 0; n--) print $1, seed[n] }') >"$scratch/planted"
classes=0 unsaid=''
while IFS='|' read -r name what lint sources code repair; do
	case $name in '#'* | '='* | '') continue ;; esac
	classes=$((classes + 1))
	case $repair in yes | -) ;; *) unsaid="$unsaid $name" ;; esac
	planted=0 lint_misses='' source_misses='' code_misses='' away=''
	for seed in $seeds; do
		line=$(sed -n "s/^$name $seed //p" "$scratch/planted")
		[ -n "$line" ] || continue
		file=$scratch/$name-$seed/parcel.sym
		planted=$((planted + 1))
		lint_codes "$file" >"$scratch/lint.new"
		source_codes "$file" >"$scratch/sources.new"
		new=$(added "$scratch/lint" "$scratch/lint.new")
		case $lint in
		'('* | - | '') ;;
		*) has "$new" "$lint" || lint_misses="$lint_misses $seed" ;;
		esac
		# Without its MODULE record the file belongs to no module.
		[ "$name" = form-module-lost ] && continue
		new=$(added "$scratch/sources" "$scratch/sources.new")
		case $sources in
		-) [ -z "$new" ] || source_misses="$source_misses $seed" ;;
		*) has "$new" "$sources" || source_misses="$source_misses $seed" ;;
		esac
		if [ -n "$bare" ]; then
			code_codes "$file" >"$scratch/code.new"
			new=$(added "$scratch/code" "$scratch/code.new")
			case $code in
			'('* | '') ;;
			-) [ -z "$new" ] || code_misses="$code_misses $seed" ;;
			*) has "$new" "$code" || code_misses="$code_misses $seed" ;;
			esac
		fi
		# A missing record has no line.
		[ "$name" = init-lost ] || cat "$scratch/lint.new" "$scratch/sources.new" | at_line "$line" || away="$away $seed:$line"
	done
	t "$name: there is a place for $what" test "$planted" -gt 0
	is "$name: lint finds what the table says" "$lint_misses" ''
	is "$name: the sources find the defects of the table" "$source_misses" ''
	is "$name: the code finds the defects of the table" "$code_misses" ''
	is "$name: the finding has the line of the defect" "$away" ''
done <"$srcdir/tests/defects/table"
if [ -n "$bare" ]; then
	# One of them is in the head of the linkage table, to which no path leads.
	is 'the tables find and repair all defects at random places, the code those that it reaches' \
		"$(python3 "$srcdir/tests/defects/measure.py" "$UNSPOOL" 14 1 "$module" 2>/dev/null | tail -n 2)" \
		'all               5 planted, by tables    5, by code    4
mended: by tables 5, by code 4'
else
	skip 1 'no objcopy or no patch, or capstone was left out'
fi
none 'each says whether it is repaired, which repair.t tries' "$unsaid"
t 'there are forty classes' test "$classes" -ge 40

done_testing
