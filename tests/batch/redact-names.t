#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# --redact: no output of any command, in any form, contains a user's name from paths of the dump, of
# symbol files, of sources or of the command line; nor does any view of the explorer.
. "$(dirname "$0")/../lib/screen.sh"

maker=$builddir/tests/lib/make-secrets
[ -x "$maker" ] || skip_all 'the maker of secrets is not built'

# Zoraya's dump; Quillon built the program, and only symbol files and sources name him.
names='zoraya|quillon|7a ?6f ?72 ?61 ?79 ?61|71 ?75 ?69 ?6c ?6c ?6f ?6e|7a 00 6f 00|71 00 75 00'
folder=$scratch/home/zoraya
mkdir -p "$folder/symbols" "$scratch/home/quillon/src" || exit 99
"$maker" "$folder/zoraya.dmp" zoraya || exit 99
inlines=$srcdir/data/crashes/inlines-amd64
cp "$inlines/crash.dmp" "$folder/crash.dmp"
module=$(cd "$inlines/symbols" && find . -name 'inline*.sym')
mkdir -p "$folder/symbols/${module%/*}"
sed 's,/opt/corpus/src/inline_o2,/home/quillon/src/quillon,' "$inlines/symbols/$module" >"$folder/symbols/$module"
printf 'PUBLIC zzz 0 quillon_is_no_number\nPUBLIC 9000 0 quillon_is_one\n' >>"$folder/symbols/$module"
source=$scratch/home/quillon/src/quillon.cc
{
	echo '// by Quillon, for zoraya'
	cat "$inlines"/source/*.cc
} >"$source"
dump=$folder/zoraya.dmp crash=$folder/crash.dmp symbols=$folder/symbols sym=$folder/symbols/$module
sframe=$folder/zoraya.sframe
cp "$srcdir/tests/sframe/v1-aarch64-be-pauth.sframe" "$sframe"
cp "$UNSPOOL" "$folder/zoraya.so"
{
	printf '%s\n' 'FILE 9999 C:\Users\zoraya\new.c'
	sed 's/ main$/ quillon_main/' "$sym"
} >"$folder/second.sym"

# The arguments of each command, one run a line. '-': the command prints nothing about an input.
questions() {
	case $1 in
	walk | summary | group | report | explain | stack | locals | symbols | streams)
		echo "$dump"
		echo "$crash $symbols"
		echo "$folder/none.dmp" ;;
	dap) echo "$crash $symbols" ;;
	disassemble) echo "--source /home/quillon/src=${source%/*} --frame 1 $crash $symbols" ;;
	register-history) echo "-r rsp $dump"; echo "-r rsp $crash $symbols" ;;
	step) echo "--at quillon_is_one $sym"; echo "--at main $sym" ;;
	find) echo "$folder/none.dmp 0x1"; echo "$crash $symbols 0x0" ;;
	identify) echo "$dump 0x500010 0x600010 0x7018"; echo "$crash $symbols 0x401136 0x401500" ;;
	cfi) echo "$crash $symbols"; echo "$sym 0x1500"; echo "$dump" ;;
	lookup) echo "$crash $symbols 0x401500 0x401136"; echo "$sym 1500 1136"; echo "$dump 0x500010" ;;
	sframe) echo "$sframe"; echo "$dump" ;;
	unwind-check) echo "$folder/zoraya.so"; echo "$folder/zoraya.so $sym"; echo "$folder/none.so" ;;
	repair)
		echo "$sym --binary $folder/none.so"
		echo "$srcdir/data/crashes/broken-cfi-amd64/symbols/till/*/till.sym --binary" \
			"$srcdir/data/crashes/broken-cfi-amd64/binaries/till" ;;
	lint) echo "$sym"; echo "$folder/second.sym $folder/none.sym" ;;
	symdiff) echo "$sym $folder/second.sym" ;;
	# The explorer without a terminal prints the walk; its views are tested further down.
	explore) echo "$dump" ;;
	# It finds a dump and then is the explorer.
	latest) echo - ;;
	# These write files for other programs.
	export-case | export-core | export-minidump | sanitize | dump-syms | demo-crash) echo - ;;
	# Its dumps are of Windows: tests/unit/report/t-thread-block.c.
	teb) echo - ;;
	eval | policy | help | lesson | cache) echo - ;;
	*) return 1 ;;
	esac
}

# The forms of a command's output: each option without a value, each word of --format.
forms() {
	"$UNSPOOL" "$1" --help | sed -nE 's/^ +(-., )?(--[a-z-]+)  .*/\2/p' | grep -vE -- '--(help|version|redact|system-binaries)'
	"$UNSPOOL" "$1" --help | grep -qE -- '--json' && echo '--json --pretty'
	"$UNSPOOL" "$1" --help | sed -nE 's/.*--format FORM +//p' | tr -cs '[:lower:]' '\n' |
		grep -E '^(human|machine|json|markdown|html)$' | sed 's/^/--format /'
	echo
}

none 'each command has a case' "$(sed -n 's/^COMMAND(\(.*\))/\1/p' "$srcdir/src/cmd/command.def" |
	tr _ - | while read -r command; do questions "$command" >/dev/null || echo "$command"; done)"
# dap reads requests of an editor.
for request in initialize launch threads 'stackTrace","arguments":{"threadId":1},"x":"' disconnect; do
	set -- "{\"seq\":1,\"type\":\"request\",\"command\":\"$request\"}"
	printf 'Content-Length: %d\r\n\r\n%s' ${#1} "$1"
done >"$scratch/requests"

for command in $(sed -n 's/^COMMAND(\(.*\))/\1/p' "$srcdir/src/cmd/command.def" | tr _ -); do
	[ "$(questions "$command")" != - ] || continue
	forms "$command" >"$scratch/forms"
	shown=0 answered=0
	questions "$command" >"$scratch/questions"
	: >"$scratch/found"
	# shellcheck disable=SC2086
	while read -r question; do
		"$UNSPOOL" "$command" $question >"$scratch/out" 2>&1 <"$scratch/requests"
		grep -qiE "$names" "$scratch/out" && shown=$((shown + 1))
		while read -r form; do
			"$UNSPOOL" "$command" --redact $form $question >"$scratch/out" 2>"$scratch/err" <"$scratch/requests"
			! [ -s "$scratch/out" ] && [ "$command" != find ] || answered=$((answered + 1))
			grep -hiE "$names" "$scratch/out" "$scratch/err" |
				head -n 3 | sed "s,^,$command $form $question: ," >>"$scratch/found"
		done <"$scratch/forms"
	done <"$scratch/questions"
	none "$command names no user" "$(head -n 20 "$scratch/found")"
	t "$command shows users without --redact, and works with it" test $shown -gt 0 -a $answered -gt 0
done

# A name has the same placeholder everywhere, and other words stay.
"$UNSPOOL" streams --redact "$dump" >"$scratch/out"
user=$(sed -n 's,.*"C:\\Users\\\(user[0-9]*\)\\y.dll".*,\1,p' "$scratch/out" | head -n 1)
t 'a name has one placeholder' grep -q "\"/tmp/$user-build/$user\"" "$scratch/out"
t 'a name has one placeholder in each encoding and place' grep -q "\"$user's worker\"" "$scratch/out"
"$UNSPOOL" walk --redact --json "$crash" "$symbols" >"$scratch/out"
t 'files are found by their real paths' grep -q '"function":"' "$scratch/out"
HOME=/srv/people/quillon "$UNSPOOL" lookup --redact "$folder/second.sym" 1500 >"$scratch/out"
none 'the home directory of the user who runs the program may have an unusual place' "$(grep -i quillon "$scratch/out")"

# The explorer ----------------------------------------------------------------------------------

views=$(sed -n 's/^V([A-Z]*, "[^"]*", "view \([a-z]*\)".*/\1/p' "$srcdir/ui/view/view.def")
keys() {
	for view in $views; do
		printf '%s\n' ":try view $view" ":save-screen screen-$view" ":write rows-$view"
		printf '%s\n' 'j' 'j' ":save-screen screen-$view-2"
	done
	for name in report walk step prose; do
		for end in txt md html json; do
			echo ":try export $name $name.$end"
		done
	done
	for what in value row line frame step walk report spot; do
		printf '%s\n' ":try copy $what" ":save-screen copied-$what"
	done
	printf '%s\n' ":try symbols $folder" ':save-screen said'
}
for case in "$dump" "$crash $symbols"; do
	keys >"$scratch/keys"
	# shellcheck disable=SC2086
	screen_case "all views of ${case##*/}" 200x50 --source "/home/quillon/src=${source%/*}" $case <"$scratch/keys"
	t "the views have users' names without --redact" grep -qiE "$names" -r "$screen_folder"
	# shellcheck disable=SC2086
	screen_case "all views are shown with --redact" 200x50 --redact --source "/home/quillon/src=${source%/*}" $case <"$scratch/keys"
	none 'views with --redact name no users' "$(grep -riE "$names" "$screen_folder" | head -n 20)"
	{
		printf '%s\n' ':set copy-command cat >copied' ':set redact on'
		cat "$scratch/keys"
	} >"$scratch/keys.on"
	# shellcheck disable=SC2086
	screen_case 'all views are shown after :set redact on' 80x24 --no-sandbox --source "/home/quillon/src=${source%/*}" \
		$case <"$scratch/keys.on"
	none 'no screen, file or copy names users after :set redact on' "$(grep -riE "$names" "$screen_folder" | head -n 20)"
	# shellcheck disable=SC2086
	(cd "$scratch" && sed 's/^:save-screen.*/:view stack/; /^:write/d; /^j$/d' keys | "$UNSPOOL" --plain --redact $case >out 2>&1)
	none 'no output of --plain has the names' "$(grep -iE "$names" "$scratch/out" | head -n 20)"
done

# A byte of a name among raw bytes.
"$UNSPOOL" streams --hex --redact "$dump" | grep -oE '^ +[0-9a-f]{8} ( [-0-9a-f]{2})+' >"$scratch/hex"
t 'bytes of names are --' grep -q -e ' -- -- --' "$scratch/hex"
none "the digits of the names' bytes are not shown" "$(grep -E -e ' (-[0-9a-f]|[0-9a-f]-)' "$scratch/hex")"
done_testing
