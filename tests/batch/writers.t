#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every command and every request of the explorer that writes a file keeps an existing one, also one that a link leads
# to, and reports it by the exit status. Every option and request that writes is here.
. "$(dirname "$0")/../lib/tap.sh"

crashes=$srcdir/data/crashes
dump=$crashes/inlines-amd64/crash.dmp
broken=$crashes/broken-cfi-amd64
program=$broken/binaries/till
symbols=$(echo "$broken"/symbols/*/*/till.sym)
own=$srcdir/data/cores/list-amd64
lessons=$srcdir/data/lessons
first=$(ls "$lessons" | sed -n '/^basics-01/p')
: >"$scratch/tried"

# kept OPTION STATUS COMMAND...: FILE in the command is an existing file, then a link to one, then a directory.
kept() {
	option=$1 status=$2
	shift 2
	echo "$option" >>"$scratch/tried"
	for way in file link directory; do
		rm -rf "$scratch/there"* "$scratch/aim"
		echo precious >"$scratch/aim"
		for name in there there.md; do
			case $way in
			file) echo precious >"$scratch/$name" ;;
			link) ln -s aim "$scratch/$name" ;;
			directory) mkdir "$scratch/$name" && echo precious >"$scratch/$name/file" ;;
			esac
		done
		(cd "$scratch" && "$UNSPOOL" "$@" >/dev/null 2>err </dev/null)
		got=$?
		case $way in
		file) left=$(cat "$scratch/there" "$scratch/there.md") ;;
		link) left=$(cat "$scratch/aim" "$scratch/aim") && [ -L "$scratch/there" ] && [ -L "$scratch/there.md" ] ;;
		directory) left=$(cat "$scratch/there/file" "$scratch/there.md/file") ;;
		esac
		is "$option: a $way that exists is kept" "$got $left" "$status precious
precious"
		t "$option: a message has the reason" grep -q "^unspool: \|there" "$scratch/err"
	done
}

kept 'dump-syms --output' 3 dump-syms "$program" --output there
kept 'export-case --output' 3 export-case "$broken/crash.dmp" "$broken/symbols" --output there
kept 'export-core --output' 3 export-core "$dump" --output there
kept 'export-minidump --output' 3 export-minidump "$own/core.gz" --output there
kept 'lesson --hand-in' 3 lesson "$first" --answers "$lessons/$first/solution" --hand-in there
kept 'lesson --new' 3 lesson --new there --from "$broken/crash.dmp" "$broken/symbols"
kept 'repair --output' 3 repair "$symbols" --binary "$program" --output there
kept 'sanitize --output' 3 sanitize "$dump" --output there
kept 'sframe --output' 3 sframe --from "$crashes/sframe-amd64/binaries/parcel" --output there
kept 'demo-crash --output' 3 demo-crash "$first" --output there
kept 'explore --record' 3 --script /dev/null --record there "$dump"

missing=
for command in $(commands); do
	for option in $("$UNSPOOL" "$command" --help |
		sed -n 's/^ .*\(--output\|--record\|--hand-in\|--new\) .*/\1/p'); do
		grep -q -x -e "$command $option" "$scratch/tried" || missing="$missing $command $option"
	done
done
is 'every option that names a file to write has a case' "$missing" ''

# asked REQUEST: the same for a request of the explorer.
asked() {
	printf ':%s there.md\n' "$1" >"$scratch/keys"
	kept ":$1" 1 --script keys --plain "$dump" "$crashes/inlines-amd64/symbols"
}
for request in 'export report' 'export walk' 'export step' 'export prose' write write-patch export-case sanitize save-screen; do
	asked "$request"
done
is 'every request that overwrites with a "!" has a case without it' \
	"$(sed -n 's/^[A-Z]([A-Z_]*_OVER, "\([^!"]*\)!\( [a-z]*\)\{0,1\} FILE".*/:\1\2/p' "$srcdir/ui/request/request.def" |
		grep -v hand-in | while read -r request; do
			grep -q -x -e "$request" "$scratch/tried" || echo "$request"
		done)" ''

done_testing
