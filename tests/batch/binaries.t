#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The modules' own files: --binaries and UNSPOOL_BINARIES, which file is taken, what is said.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
lacks libelf && skip_all 'libelf was left out'
made=${UNSPOOL_CORPUS:-}/made
[ -d "$made/bin/x86_64" ] || skip_all 'UNSPOOL_CORPUS has no programs'
dump=$made/x86_64/coldpart.dmp
bin=$made/bin/x86_64

# walk DUMP OPTION...: messages in err, the stacks in out.
walk() { "$UNSPOOL" walk "$@" >"$scratch/out" 2>"$scratch/err"; }

t 'the right programs are taken in silence' walk --binaries "$bin" --strict "$dump"
is 'nothing is said of them' "$(cat "$scratch/err")" ''
t 'the option may be given several times' walk --binaries "$scratch" --binaries "$bin" --strict "$dump"
t 'a program may be named itself' walk --binaries "$bin/coldpart" --strict "$dump"

mkdir "$scratch/wrong"
cp "$bin/deep" "$scratch/wrong/coldpart"
walk --binaries "$scratch/wrong" "$dump"
t 'another build is refused, with both ids' grep -qE \
	"warning: '.*/wrong/coldpart' is another build of 'coldpart', expected id [0-9a-f]{40}, found [0-9a-f]{40}; not used" \
	"$scratch/err"
UNSPOOL_BINARIES=$scratch:$scratch/wrong walk "$dump"
t 'UNSPOOL_BINARIES is a list with colons' grep -q 'another build' "$scratch/err"
UNSPOOL_BINARIES=$scratch/wrong walk --binaries "$bin" --strict "$dump"
is 'the option stands in for it' $? 0

walk --binaries "$scratch/none" "$dump"
t 'a directory that is not there is named' grep -q "no code from '.*/none'" "$scratch/err"
walk --binaries "$scratch/none" --strict "$dump"
is 'and counts with --strict' $? 1

walk --compat breakpad -m "$dump" && mv "$scratch/out" "$scratch/without"
walk --compat breakpad -m --binaries "$bin" "$dump"
t 'as Breakpad walks the files change nothing' cmp "$scratch/out" "$scratch/without"

t 'the files of this system count by their ids alone, in silence' \
	walk --system-binaries --strict --binaries "$bin" "$dump"
is 'nothing is said of other builds' "$(cat "$scratch/err")" ''

# Files that debug information was moved to.
functions() { grep -oE 'coldpart!(report|process|driver)' "$scratch/out" | sort -u | wc -l | tr -d ' '; }
if command -v objcopy >"$scratch/which" && command -v xz >"$scratch/which"; then
	mkdir "$scratch/linked" "$scratch/mini" "$scratch/alt"
	objcopy --only-keep-debug "$bin/coldpart" "$scratch/linked/moved.dbg"
	(cd "$scratch/linked" && objcopy -S --add-gnu-debuglink=moved.dbg "$bin/coldpart" coldpart)
	walk -b --binaries "$scratch/linked" "$dump"
	is 'functions come from the file that .gnu_debuglink names' "$(functions)" 3
	t 'lines, too' grep -q 'coldpart.cc : 7' "$scratch/out"

	objcopy --only-keep-debug --strip-debug "$bin/coldpart" "$scratch/symbols"
	xz "$scratch/symbols"
	objcopy -S --add-section .gnu_debugdata="$scratch/symbols.xz" "$bin/coldpart" \
		"$scratch/mini/coldpart"
	walk -b --binaries "$scratch/mini" "$dump"
	is 'functions come from .gnu_debugdata' "$(functions)" 3

	printf '%s\0\001\002\003\004' "$scratch/none" >"$scratch/link"
	objcopy --add-section .gnu_debugaltlink="$scratch/link" "$bin/coldpart" \
		"$scratch/alt/coldpart"
	walk -b --binaries "$scratch/alt" --strict "$dump"
	is 'without its supplement a file says the rest' "$(functions)" 3
else
	skip 4 'objcopy and xz are not there'
fi

done_testing
