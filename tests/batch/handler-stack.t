#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A handler of a signal overflows the stack that sigaltstack gave it, into read-only memory below: a variable of the
# program is that stack. gdb makes the core.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'the program is for x86_64'
for command in gcc gdb; do
	command -v $command >/dev/null 2>&1 || skip_all "there is no $command"
done
cat >"$scratch/handler.c" <<'END_OF_PROGRAM'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
static char memory[5 * 4096] __attribute__((aligned(4096)));
static int dive(int depth) { volatile char fill[256] = { 0 }; return depth > 1000 ? fill[3] : dive(depth + 1) + fill[depth % 8]; }
static void handle(int signal) { dive(signal); }
int main(void)
{
	stack_t stack = { .ss_sp = memory + 4096, .ss_size = 4 * 4096 };
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

	mprotect(memory, 4096, PROT_READ);
	sigaltstack(&stack, 0);
	sigaction(SIGUSR1, &action, 0);
	return kill(getpid(), SIGUSR1);
}
END_OF_PROGRAM
gcc -g -O0 -w -o "$scratch/handler" "$scratch/handler.c" 2>"$scratch/messages" &&
	gdb -batch -ex 'handle SIGUSR1 nostop noprint pass' -ex run -ex 'p/x (long)memory + 4096' -ex bt \
		-ex "generate-core-file $scratch/core" "$scratch/handler" >"$scratch/gdb" 2>&1 && [ -s "$scratch/core" ] ||
	skip_all 'gdb cannot run a program here'
"$UNSPOOL" walk "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
is 'the walk comes back from the memory below the stack' \
	"$(grep -c '!dive ' "$scratch/out") $(grep -oE '!(handle|main) |signal handler called' "$scratch/out" | tr '\n' ' ')" \
	"$(grep -c '^#.* dive (' "$scratch/gdb") !handle  signal handler called !main  "
"$UNSPOOL" summary "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
t 'the finding has the stack as sigaltstack was called' \
	grep -q "sigaltstack gave it 16384 bytes at $(sed -n 's/^\$1 = //p' "$scratch/gdb"); the signal interrupted frame" "$scratch/out"
t 'the program did not end itself' sh -c '! grep "process ended itself" "$1"' sh "$scratch/out"
done_testing
