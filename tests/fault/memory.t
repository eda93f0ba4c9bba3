#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every allocation fails once, alone and with all later ones: no command crashes or hangs, each one has the normal
# output or reports an error, and none leaves an incomplete file. FAIL_MEMORY_DEPTH=0 FAIL_MEMORY_STEP=1 takes every
# allocation; the default takes some of those that are the first from their direct caller.
. "$(dirname "$0")/../lib/tap.sh"

command -v python3 >/dev/null || skip_all 'no python3'
# A sanitizer has its own allocator.
(ulimit -v 1000000 && "$UNSPOOL" --version >/dev/null 2>&1) || skip_all 'the program is sanitized'
# shellcheck disable=SC2086
${CC:-cc} -std=c17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O1 -fPIC -shared -o "$scratch/shim.so" \
	"$srcdir/tests/lib/fail-memory.c" -ldl 2>"$scratch/err" || skip_all 'no C library whose allocator can be replaced'
[ "$(FAIL_MEMORY=after:1 LD_PRELOAD=$scratch/shim.so "$UNSPOOL" --version 2>&1)" != "$("$UNSPOOL" --version)" ] ||
	skip_all 'allocations do not fail here'

cd "$srcdir" || exit 99
crashes=data/crashes
crash="$crashes/inlines-amd64/crash.dmp $crashes/inlines-amd64/symbols"
ledger="$crashes/frame-data-x86/crash.dmp $crashes/frame-data-x86/symbols"
till=$(echo $crashes/broken-cfi-amd64/symbols/*/*/*.sym)
core=data/cores/list-amd64/core.gz
sframe=$crashes/sframe-amd64/binaries/parcel
printf 'f\ns\n:view memory\n:view messages\n:view modules\nQ\n' >"$scratch/script"
mkdir "$scratch/course" && cp -r tests/lesson/by-size "$scratch/course" && printf 'track t T\nlesson by-size\n' >"$scratch/course/course"
# Libraries that crash or exit without memory.
export FAIL_MEMORY_SPARE='libtinfo libncursesw libreadline'

# fails FILE COMMAND...: FILE is the command's output file, or -.
commands=
fails() {
	file=$1
	shift
	commands="$commands $1"
	python3 tests/lib/fail-memory.py "${FAIL_MEMORY_DEPTH:-1}" "${FAIL_MEMORY_STEP:-7}" "$scratch/shim.so" "$file" "$UNSPOOL" "$@" \
		>"$scratch/found" 2>&1
	none "$1: no allocation that fails causes a crash or is not reported" "$(grep -v '^[0-9]* runs$' "$scratch/found")"
	diag "$(tail -n 1 "$scratch/found")"
}
# shellcheck disable=SC2086
{
fails - walk $crash
fails - walk --json $core
fails - walk $ledger
fails - walk $crashes/pdb-x86/crash.dmp $crashes/pdb-x86/symbols
fails - walk --binaries $crashes/sframe-amd64/binaries $crashes/sframe-amd64/crash.dmp
fails - summary $crash
fails - group $crash
fails - report --format html $crash
fails - explain $crash
fails - step --at main+0 $sframe
fails - stack $crash
fails - locals $core
fails - register-history --register rbx $crash
fails - dap $crash
fails - disassemble --binaries data/cores/list-amd64/binaries $core
fails - find $crash 7f
fails - identify $crash rip rsp
fails - teb $ledger
fails - cfi $crash
fails - lookup $till 1000
fails "$scratch/case" export-case -f 0 -o "$scratch/case" $crash
fails "$scratch/clean.dmp" sanitize -o "$scratch/clean.dmp" $crash
fails "$scratch/made.core" export-core -o "$scratch/made.core" ${crash% *}
fails "$scratch/made.dmp" export-minidump -o "$scratch/made.dmp" $core
fails - symbols $crash
fails - streams ${crash% *}
fails - sframe $sframe
fails - unwind-check $sframe $crashes/sframe-amd64/symbols
fails "$scratch/patch" repair -o "$scratch/patch" --binary $crashes/broken-cfi-amd64/binaries/till $till
fails - lint $crashes/inlines-amd64/symbols
fails - symdiff $till $till
fails "$scratch/made.sym" dump-syms --threads 1 -o "$scratch/made.sym" $sframe
fails - eval rsp=16 16:7 '$rsp ^ 8 +'
fails - policy
fails - help cfa
fails - lesson --list
fails "$scratch/pages" lesson --no-sandbox --lessons "$scratch/course" --html "$scratch/pages"
fails - cache
fails - --plain $crash
fails - --script "$scratch/script" --size 80x24 $crash
}
untried=$(commands | while read -r command; do
	case " $commands explore latest demo-crash " in *" $command "*) ;; *) echo "$command" ;; esac
done)
none 'every command is tried, and the explorer with a script' "$untried"
done_testing
