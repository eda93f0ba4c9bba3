#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every system call fails once: no run crashes or hangs, and each one has the normal output or reports an error.
# strace injects the errors. FAIL_CALLS_STEP=1 takes every call; the default takes a few of each kind.
. "$(dirname "$0")/../lib/tap.sh"

command -v python3 >/dev/null || skip_all 'no python3'
# A sanitizer never ends if a call fails while it starts.
(ulimit -v 1000000 && "$UNSPOOL" --version >/dev/null 2>&1) || skip_all 'the program is sanitized'
strace -qq -o /dev/null -e inject=getcwd:error=EIO:when=1 true 2>/dev/null || skip_all 'no strace that makes calls fail'
crash=$srcdir/data/crashes/inlines-amd64
export TMPDIR="$scratch"

fails() {
	title=$1 step=${FAIL_CALLS_STEP:-$2}
	shift 2
	python3 "$srcdir/tests/lib/fail-calls.py" "$step" "$UNSPOOL" "$@" >"$scratch/found" 2>&1
	none "$title: every failed call is reported" "$(grep -v '^[0-9]* runs$' "$scratch/found")"
	diag "$(tail -n 1 "$scratch/found")"
}
fails 'a walk' 9 walk "$crash/crash.dmp" "$crash/symbols"
fails 'a core' 13 walk --json "$srcdir/data/cores/list-amd64/core.gz"
fails 'lint of a directory' 9 lint "$crash/symbols"
fails 'places of symbols' 29 symbols "$crash/crash.dmp" "$crash/symbols"
fails 'a report with sources' 13 report "$crash/crash.dmp" "$crash/symbols"
fails 'the cache' 17 cache
fails 'a session' 17 --plain "$crash/crash.dmp" "$crash/symbols"
done_testing
