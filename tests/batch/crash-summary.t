#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# data/crash-summary, the report of a failed job: the files that are crashes, the report of each, the exit status.
. "$(dirname "$0")/../lib/tap.sh"

unset GITHUB_ACTIONS UNSPOOL_SYMBOLS UNSPOOL_BINARIES
till=$srcdir/data/crashes/broken-cfi-amd64
mkdir -p "$scratch/job/a b" "$scratch/job/src" "$scratch/none"
cp "$till/crash.dmp" "$scratch/job/a b/one.dmp"
cp "$till/source/till.c" "$scratch/job/src"
cp "$till/binaries/till" "$scratch/job"
printf 'no dump' >"$scratch/job/short.dmp.gz"
echo text >"$scratch/job/notes"
cd "$scratch/job" || exit 99
summary() { "$srcdir/data/crash-summary" "$@" >"$scratch/out" 2>"$scratch/err"; }

summary "$scratch/none"
is 'a folder without a crash: exit status' $? 0
none 'nothing is printed for it' "$(cat "$scratch/out")"
summary
is 'no place: exit status' $? 2

summary --symbols "$till/symbols" --annotations github 'a b'
is 'a crash is found: exit status' $? 1
is 'the headings name the file and the cause' "$(grep -E '^#{1,3} ' "$scratch/out")" "# 1 crash
## \`a b/one.dmp\`
### SIGSEGV / SEGV\\_MAPERR in post"
t 'registers and code are folded' sh -c 'sed "1,/^<details>/d" "$1" | grep -q "^#### Registers"' - "$scratch/out"
none 'sections of values are left out with them' "$(grep -E '^#+ (Variables|Words of the stack)' "$scratch/out")"
is 'the annotation names the source line, where the file is in this folder' "$(cat "$scratch/err")" ''
mv src/till.c .
summary --symbols "$till/symbols" --annotations github --copies "$scratch/copies" 'a b'
is 'an annotation of the first frame with a source in this folder' "$(cat "$scratch/err")" \
	'::error file=till.c,line=51::SIGSEGV / SEGV_MAPERR: a null pointer was used, in post'
is 'the copy walks to the same functions' \
	"$("$UNSPOOL" walk -m "$scratch/copies/one.dmp.dmp" "$till/symbols" 2>/dev/null | grep '^0|' | cut -d '|' -f 4)" \
	"$("$UNSPOOL" walk -m "$till/crash.dmp" "$till/symbols" | grep '^0|' | cut -d '|' -f 4)"

printf '^post$\n' >"$scratch/rules"
summary --symbols "$till/symbols" --fail-on "$scratch/rules" 'a b'
is 'a signature that the policy names: exit status' $? 1
printf '^never$\n' >"$scratch/rules"
summary --symbols "$till/symbols" --fail-on "$scratch/rules" 'a b'
is 'another signature: exit status' $? 0

summary .
is 'a file that is not a dump, but has the name of one: exit status' $? 3
t 'the other crash is reported' grep -q '^### SIGSEGV' "$scratch/out"
t 'the file that could not be read is named with the message' grep -q 'short.dmp.gz' "$scratch/out"

done_testing
