#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The modules' own files: --binaries and UNSPOOL_BINARIES, which file is taken, what is said.
. "$(dirname "$0")/../lib/tap.sh"

[ -x "$UNSPOOL" ] || skip_all 'the program is not built'
"$UNSPOOL" --version | grep -q 'no libelf' && skip_all 'libelf is not built in'
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

done_testing
