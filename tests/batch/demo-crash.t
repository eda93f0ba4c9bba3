#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Programs of lessons that are compiled and run to their crash: `unspool demo-crash`. tests/scenes/demo has the user's own.
. "$(dirname "$0")/../lib/tap.sh"

lessons=$srcdir/data/lessons
unset UNSPOOL_SYMBOLS UNSPOOL_BINARIES CC
case $UNSPOOL in /*) ;; *) UNSPOOL=$PWD/$UNSPOOL ;; esac
case $lessons in /*) ;; *) lessons=$PWD/$lessons ;; esac
cd "$scratch" || exit 99

demo() { "$UNSPOOL" demo-crash --lessons "$lessons" "$@" >"$scratch/out" 2>"$scratch/err"; }

command -v cc >/dev/null 2>&1 || command -v gcc >/dev/null 2>&1 || {
	skip 1 'no compiler'
	done_testing
}
[ "$(uname -s)" = Linux ] || { skip 1 'no Linux'; done_testing; }
demo basics-01
status=$?
grep -q 'forbids ptrace' "$scratch/err" && { skip 1 'ptrace is forbidden'; done_testing; }
case $(uname -m) in x86_64 | aarch64) ;; *) skip 1 'no program for this machine'; done_testing ;; esac

is 'a kettle is compiled and crashes' $status 0
stack() { sed -n 's/^ *[0-9]*  [a-z]*!\([a-z_]*\).*/\1/p' "$scratch/out" | tr '\n' ' '; }
is 'the stack of the kettle is that of the lesson' "$(stack)" 'pour brew serve main _start '
t 'the commands are printed' grep -q '^\$ cd demo-kettle && .* -o kettle kettle.c$' "$scratch/out"
t 'the source is copied, to be changed' cmp demo-kettle/kettle.c "$lessons/basics-01-frame/source/kettle.c"
is 'dump and symbols are found again' "$("$UNSPOOL" walk -m demo-kettle/crash.dmp demo-kettle/symbols \
	2>/dev/null | grep -c '^0|.*|kettle.c|\|^0|.*kettle\.c|')" 4
is 'the core has the same crash' "$("$UNSPOOL" walk -m demo-kettle/core demo-kettle/symbols \
	2>/dev/null | cut -d '|' -f 1,4 | grep '^0' | tr '\n' ' ')" '0|pour 0|brew 0|serve 0|main 0|_start '

# glibc keeps what it printed before it called abort (malloc/malloc.c, assert/assert.c). The heap check is in the
# library of the process, or in the program if it is linked statically.
if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
	cat >twice.c <<-'END'
		#include <stdlib.h>
		int main(void) { char *volatile p = malloc(20); free(p); free(p); return 0; }
	END
	printf '#undef NDEBUG\n#include <assert.h>\nint main(int n, char **v) { assert(n > 3 && v); return 0; }\n' >claim.c
	for one in 'twice: free(): double free detected in tcache 2' "claim: claim: claim.c:3: main: Assertion \`n > 3 && v' failed."; do
		demo "${one%%:*}.c"
		is "the summary has the message of glibc: ${one%%:*}" \
			"$("$UNSPOOL" summary "demo-${one%%:*}/core" 2>/dev/null | sed -n "s/^ *- glibc's message: //p")" "${one#*: }"
	done
	"$UNSPOOL" sanitize demo-claim/core -o clean >/dev/null 2>&1
	t 'a sanitized copy with the message leads to the same conclusions' test -s clean
fi

# g++ writes what it knows of a thrown exception; the text is in its object (libstdc++, std::runtime_error).
if command -v g++ >/dev/null 2>&1; then
	cat >thrown.c <<-'END'
		#include <stdexcept>
		#include <thread>
		struct seats { virtual ~seats() {} int free = 0; };
		struct full : seats, std::runtime_error { full() : std::runtime_error("no seats left") {} };
		static void book() { try { throw 7; } catch (int) { throw full(); } }
		int main() { std::thread(book).join(); return 0; }
	END
	CC=g++ demo thrown.c
	"$UNSPOOL" summary demo-thrown/core >summary 2>/dev/null
	t 'the summary has the type and the text of an exception' grep -q 'a C++ exception was thrown: full: "no seats left"$' summary
	t 'the summary has the exception that was being handled' grep -q 'another one was being handled before: int: 7$' summary
	"$UNSPOOL" sanitize demo-thrown/core -o clean-thrown >/dev/null 2>&1
	t 'a sanitized copy has no text of an exception' sh -c '! grep -aq "no seats left" clean-thrown && test -s clean-thrown'
else
	skip 3 'no g++'
fi

# A changed source gives another program, with one function fewer.
sed 's/return brew(spoons, guests \* 2)/pour(cup, spoons); return 0/' demo-kettle/kettle.c >changed.c
cp changed.c demo-kettle/kettle.c
demo demo-kettle/kettle.c
is 'the changed source is compiled' "$(stack)" 'pour serve main _start '
t 'the changed source gets a directory of its own' test -f demo-kettle-2/crash.dmp
demo -o demo-kettle basics-01
is 'an existing directory is kept' $? 3
t 'the files of an existing directory are kept' cmp changed.c demo-kettle/kettle.c

if [ -x "${UNSPOOL_STACKWALK:-}" ]; then
	"$UNSPOOL_STACKWALK" -m demo-kettle-2/crash.dmp demo-kettle-2/symbols 2>/dev/null | grep '^0|' | head -n 4 >a
	"$UNSPOOL" walk -m demo-kettle-2/crash.dmp demo-kettle-2/symbols 2>/dev/null | grep '^0|' >b
	t "Breakpad's walker finds the same frames" cmp a b
else
	skip 1 'no minidump_stackwalk (UNSPOOL_STACKWALK)'
fi
if [ "$(uname -m)" = x86_64 ]; then
	demo sframe-02
	is 'a program of two sources; the function after _start is not called _start' "$(stack)" \
		'taste blend with_aligned cook main _start '
	demo inline-01
	is 'inlined calls are in the symbol file' "$(stack)" 'price_of price_of_next reduced pay sell open_shop main _start '
else
	skip 2 'these are for x86_64'
fi

echo 'int main(void) { for (;;); }' >loop.c
demo loop.c
is 'a program that runs too long is killed' $? 1
t 'the end of such a program is reported' grep -q 'did not crash in 10 seconds' "$scratch/err"

# arm64: the sources compile, and an emulator's core has the crash; emulators have no ptrace.
cross=aarch64-linux-gnu-gcc
if command -v $cross >/dev/null 2>&1 && command -v qemu-aarch64 >/dev/null 2>&1; then
	cp "$lessons/basics-01-frame/source/kettle.c" arm.c
	flags=$(sed -n 's,^/\* build: ,,p; s,^ \*	\(-fasy.*\) \*/$,\1,p' arm.c | tr '\n' ' ')
	mkdir arm && cd arm || exit 99
	# shellcheck disable=SC2086
	t 'the kettle compiles for arm64' $cross $flags -g -Wl,--build-id=sha1 -o kettle ../arm.c
	(ulimit -c unlimited && qemu-aarch64 ./kettle) >/dev/null 2>&1
	core=$(echo *.core)
	if [ -f "$core" ]; then
		"$UNSPOOL" walk "$core" >"$scratch/out" 2>/dev/null
		t 'the kettle crashes for arm64 as elsewhere' grep -q '^Crash reason:  SIGSEGV$' "$scratch/out"
	else
		skip 1 'the emulator wrote no core'
	fi
else
	skip 2 'no compiler for arm64, or no qemu-aarch64'
fi
done_testing
