# SPDX-License-Identifier: GPL-3.0-or-later
#
# Test Anything Protocol for shell tests; to be sourced. POSIX sh.
#
#	. "$srcdir/tests/lib/tap.sh"
#	t 'the sum is right' test $((1 + 1)) -eq 2
#	is 'the name is kept' "$got" "$want"
#	done_testing
#
# A title is a sentence that is true if the test passes. make check sets the environment (srcdir,
# builddir, UNSPOOL, ...); for a test that is run by hand the lines below set it.

: "${srcdir:=$(cd "$(dirname "$0")" && until test -f configure.ac || test "$PWD" = /; do cd ..; done
	pwd)}"
: "${builddir:=$srcdir/build}" "${UNSPOOL:=$builddir/unspool}"
: "${AWK:=awk}" "${NM:=nm}" "${OBJDUMP:=objdump}"
export srcdir builddir UNSPOOL

# The other helpers source this file too; the rest runs only once.
[ -z "${tap_run:-}" ] || return 0
tap_run=0
tap_failed=0
tap_program=$(cd "$(dirname "$0")" && pwd)/${0##*/}

# If the kernel lacks a part of the sandbox, every run says so: tests without a sandbox have the expected messages.
case $("$UNSPOOL" --version 2>/dev/null) in
*'sandbox: Landlock '*', seccomp'*) ;;
*) export UNSPOOL_SANDBOX="${UNSPOOL_SANDBOX:-off}" ;;
esac

# A folder for this test only; it is removed at the end.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/unspool-test.XXXXXX") || exit 99
HOME=$scratch/home
unset XDG_CACHE_HOME UNSPOOL_SYMBOLS UNSPOOL_BINARIES UNSPOOL_SYMBOLS_URL DEBUGINFOD_URLS
mkdir "$HOME" && export HOME
# Tests remove permissions of folders.
tap_cleanup() { rm -rf "$scratch" 2>/dev/null || { chmod -R u+rwx "$scratch" && rm -rf "$scratch"; }; }
trap 'tap_cleanup' EXIT
trap 'exit 99' HUP INT TERM

# tap_show: lines as comments, and the number of those that are too many.
tap_show() {
	$AWK 'NR <= 200 { print "# " $0 } END { if (NR > 200) print "# (and " NR - 200 " more lines)" }'
}

tap_escaped() { printf '%s' "$1" | tr '\n' ' ' | sed 's/[\\#]/\\&/g'; }

# diag TEXT: a comment in the output.
diag() { printf '%s\n' "$*" | sed 's/^/# /'; }

# tap_result STATUS TITLE
tap_result() {
	tap_run=$((tap_run + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' $tap_run "$(tap_escaped "$2")"
	else
		tap_failed=$((tap_failed + 1))
		printf 'not ok %d - %s\n' $tap_run "$(tap_escaped "$2")"
	fi
	return "$1"
}

# t TITLE COMMAND...: the command succeeds. If it fails, its output is shown.
t() {
	tap_title=$1
	shift
	if "$@" >"$scratch/t.out" 2>&1; then
		tap_result 0 "$tap_title"
	else
		tap_result 1 "$tap_title"
		diag "failed: $*"
		tap_show <"$scratch/t.out"
		return 1
	fi
}

# is TITLE GOT WANT: two texts are equal. If they are not, the difference is shown.
is() {
	if [ "$2" = "$3" ]; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		printf '%s\n' "$2" >"$scratch/is.got"
		printf '%s\n' "$3" >"$scratch/is.want"
		echo '# --- expected'
		echo '# +++ got'
		diff -u "$scratch/is.want" "$scratch/is.got" | sed 1,2d | tap_show
		return 1
	fi
}

# none TITLE [FINDINGS]: a search found nothing. If it did, the findings are shown.
none() {
	if [ -z "$2" ]; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		printf '%s\n' "$2" | tap_show
		return 1
	fi
}

# skip COUNT REASON
skip() {
	tap_left=$1
	while [ "$tap_left" -gt 0 ]; do
		tap_run=$((tap_run + 1))
		tap_left=$((tap_left - 1))
		printf 'ok %d # SKIP %s\n' $tap_run "$(tap_escaped "$2")"
	done
}

# skip_all REASON: the whole test needs something that this machine does not have.
skip_all() {
	printf '1..0 # SKIP %s\n' "$(tap_escaped "$1")"
	exit 0
}

# The scripts of these folders run the program.
case $tap_program in
*/batch/* | */fault/* | */screen/* | */tty/*) [ -x "$UNSPOOL" ] || skip_all 'the program is not built' ;;
esac

# lacks LIBRARY: the program was built without it.
lacks() { "$UNSPOOL" --version | grep -qE "(no|without) $1 [(]"; }

# commands: the names of all commands, one a line.
commands() { "$UNSPOOL" help | sed -n '/^Commands /,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'; }

# python_with_jsonschema: the path of a Python that has the module, or nothing.
python_with_jsonschema() {
	for python in /usr/bin/python3 python3; do
		"$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null || continue
		echo "$python"
		return
	done
}

# done_testing: the plan, and after a failure the command that runs the test again.
done_testing() {
	printf '1..%d\n' "$tap_run"
	if [ "$tap_failed" -gt 0 ]; then
		diag "$tap_failed of $tap_run failed"
		diag "run again: srcdir='$srcdir' builddir='$builddir' UNSPOOL='$UNSPOOL' $tap_program"
	fi
	[ "$tap_run" -gt 0 ] && [ "$tap_failed" -eq 0 ]
	exit
}
