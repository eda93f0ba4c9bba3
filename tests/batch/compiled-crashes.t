#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Crashes of programs that the test compiles; gdb makes the cores.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/tap.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'the program is for x86_64'
for command in gcc gdb; do
	command -v $command >/dev/null 2>&1 || skip_all "there is no $command"
done
# A handler of a signal overflows the stack that sigaltstack gave it, into read-only memory below: a variable is that stack.
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
	struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK | SA_SIGINFO };

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
t 'the signal whose handler runs is no fault' grep -q 'SIGUSR1 .* was being handled: it interrupted frame' "$scratch/out"
t 'the program did not end itself' sh -c '! grep "process ended itself" "$1"' sh "$scratch/out"
t 'the write below the stack of signal handlers is evidence of its overflow' \
	sh -c '! grep -q "write to read-only" "$1" && grep -q -- "- the program wrote to 0x.*, which is read-only" "$1"' sh "$scratch/out"
# Threads wait for the lock of an object to which a global variable points, and of a global object.
cat >"$scratch/wait.c" <<'END_OF_PROGRAM'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct pool { long size; pthread_mutex_t lock; } *pool, spare;
static void *use(void *held) { pthread_mutex_lock(&pool->lock); return held; }
static void *use_spare(void *held) { pthread_mutex_lock(held); return held; }
int main(void)
{
	pthread_t thread;

	pool = calloc(1, sizeof(*pool));
	pthread_mutex_lock(&pool->lock);
	pthread_mutex_lock(&spare.lock);
	pthread_create(&thread, 0, use, 0);
	pthread_create(&thread, 0, use_spare, &spare.lock);
	usleep(300000);
	abort();
}
END_OF_PROGRAM
gcc -g -O0 -w -pthread -o "$scratch/wait" "$scratch/wait.c" 2>"$scratch/messages"
gdb -batch -ex run -ex "generate-core-file $scratch/core" "$scratch/wait" >"$scratch/gdb" 2>&1
"$UNSPOOL" summary "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
t 'a lock has the name of the variable that leads to it' \
	grep -qE 'waits for the mutex at 0x[0-9a-f]+ \(pool->lock in struct pool, of its frame [0-9]+, use\), which thread [0-2] owns' "$scratch/out"
t 'a lock in a global object has the name of the member and the type of the object' \
	grep -qE 'waits for the mutex at 0x[0-9a-f]+ \(spare.lock in struct pool\), which thread [0-2] owns' "$scratch/out"
# Memory and code that are gone: an object has a pointer to a free chunk; a thread returns to a library after dlclose(). Its
# function is also called by a function that jumps to it, after its arguments were overwritten.
cat >"$scratch/plug.c" <<'END_OF_PROGRAM'
#include <errno.h>
#include <unistd.h>
__thread long rounds = 3;
__attribute__((noipa)) int rest(int row, int seat) { errno = 28; rounds += seat; return usleep(row * 10000) + (int)rounds; }
__attribute__((noipa)) static int half(int row) { return rest(row + 1, 5); }
int plug(int row) { return half(row - 1) + 1; }
END_OF_PROGRAM
cat >"$scratch/gone.c" <<'END_OF_PROGRAM'
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct desk { long id; struct { long *rates, count, fill[30]; } *board; } desk;
static int (*plug)(int);
static void *work(void *unused) { return (void *)(long)plug(43); }
static long use(struct desk *desk) { return *desk->board->rates; }
struct strip { char name[16]; long *count; char rest[40]; };
__attribute__((noipa)) static long label(struct strip *strip, const char *name) { __builtin_strcpy(strip->name, name); return 0; }
int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	pthread_t thread;

	plug = (int (*)(int))dlsym(library, "plug");
	pthread_create(&thread, 0, work, 0);
	usleep(100000);
	if (argc == 3)
		dlclose(library), sleep(9);
	struct strip *strip = calloc(1, sizeof(*strip));
	struct { int (*call)(void); char fill[2000]; } *hook = calloc(1, sizeof(*hook));
	desk.id = (long)malloc(2000);
	free(argc > 4 ? (void *)hook : (void *)desk.id);
	if (argc > 4)
		return hook->call() + argc;
	if (argc > 3)
		return label(strip, "overhead, left, right side low") + *strip->count;
	desk.board = calloc(1, sizeof(*desk.board));
	free(desk.board);
	return use(&desk);
}
END_OF_PROGRAM
gcc -g -O2 -w -fPIC -shared -o "$scratch/plug.so" "$scratch/plug.c" 2>"$scratch/messages"
gcc -g -O1 -w -pthread -o "$scratch/gone" "$scratch/gone.c" -ldl 2>"$scratch/messages"
for argument in close 'write text' 'call free memory' ''; do
	rm -f "$scratch/core"
	gdb -batch -ex "run $scratch/plug.so $argument" -ex "generate-core-file $scratch/core" "$scratch/gone" >"$scratch/gdb" 2>&1
	"$UNSPOOL" summary "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
	[ "$argument" != 'write text' ] || t 'a text that overwrote a pointer is shown with its place' \
		grep -q 'part of 30 characters at 0x[0-9a-f]*: "overhead, left, right side low"' "$scratch/out"
	[ "$argument" != 'call free memory' ] || t 'a jump through a pointer in a free chunk is a use of freed memory' \
		grep -q "rip is 0x[0-9a-f]*, the chunk's first word: the link to the next free chunk" "$scratch/out"
	[ "$argument" != close ] || t 'a return to a library after dlclose() is no overwritten return address' sh -c \
		'grep -q "likely to code that has been unmapped, such as an unloaded library" "$1" && ! grep -q overwritten "$1"' sh "$scratch/out"
done
t 'freed memory is found by a pointer in an object, which is named' sh -c 'grep -q "points to the chunk at 0x" "$1" &&
	grep -q -- "- desk.board->rates of frame 0 lies there" "$1"' sh "$scratch/out"
"$UNSPOOL" locals "$scratch/core" --binaries "$scratch" --thread 1 --globals >"$scratch/out" 2>&1
is 'arguments of a function that another one jumped to, and the data of a library in its thread' \
	"$(sed -nE 's/^ +(int|long) (row|seat|rounds) = (-?[0-9]+).*/\2 \3/p' "$scratch/out" | sort -u | tr '\n' ' ')" 'rounds 8 row 43 seat 5 '
is 'errno is that of the thread' "$("$UNSPOOL" identify "$scratch/core" --binaries "$scratch" --thread 1 errno 2>&1 |
	sed -n 's/^ *value *\([0-9]*\).*/\1/p')" 28
# A function with the name, argument, variable and types of Go's runtime (runtime/panic.go, type.go).
cat >"$scratch/go.c" <<'END_OF_PROGRAM'
#include <stdlib.h>
struct interface { const void *type, *data; };
static const struct { long size, pointers; int hash; unsigned char flags, align, field_align, kind; void *equal, *gc; int name; }
	text_type = { 16, 8, 0, 0, 8, 8, 24 }, error_type = { 8, 8, 0, 2, 8, 8, 22, 0, 0, 4 };
const char types[64] __asm__("runtime.types") = "....\1\12*main.full";
static const struct { const char *text; long length; } text = { "no seats left, and more", 13 };
void panic(struct interface e) __asm__("runtime.gopanic");
void panic(struct interface e) { volatile struct { void *argp; struct interface arg; } p = { 0, { &text_type, &text } }; abort(); }
struct string { const char *str; long len; };
void book(void) { volatile struct string seat = { "row 7, seat 3", 5 }; panic((struct interface){ &error_type, 0 }); }
int main(void) { book(); }
END_OF_PROGRAM
gcc -g -O0 -w -o "$scratch/go" "$scratch/go.c" 2>"$scratch/messages"
gdb -batch -ex run -ex "generate-core-file $scratch/core" "$scratch/go" >"$scratch/gdb" 2>&1
"$UNSPOOL" summary "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
is 'a panic of Go is shown with its message and the type of its value' \
	"$(sed -nE "s/^ +(- )?(the (Go program|panic's message)|its value)(.*)/\2\4/p" "$scratch/out" | sed 's/0x[0-9a-f]*/ADDRESS/')" \
	"the Go program panicked: frame 4, book, called runtime.gopanic
the panic's message at ADDRESS: no seats left
its value has the type main.full"
is 'a string of Go is shown as its text' "$("$UNSPOOL" locals "$scratch/core" --binaries "$scratch" 2>&1 |
	sed -n 's/.* seat = \(.*\)  \[.*/\1/p')" '"row 7"'
# Hand-written code without type, size and unwind rules: its label is its name, and a name may say that it has no caller.
cat >"$scratch/label.c" <<'END_OF_PROGRAM'
long stack[512];
volatile int zero;
__asm__(".text\nother: mov %rsi, %rsp\nand $-16, %rsp\ncall *%rdi\nhlt\nthread_start: mov %rsi, %rsp\nand $-16, %rsp\ncall *%rdi\nhlt\n"
	".type sized, @function\nsized: nop\nwithin: nop\nret\n.size sized, . - sized\n");
extern void other(void (*run)(void), long *top), thread_start(void (*run)(void), long *top);
__attribute__((noinline)) long back(void) { return (long)__builtin_return_address(0); }
void crash(void) { *(volatile int *)(long)zero = 1; }
int main(int argc, char **argv)
{
	for (int i = 0; i < 512; i++)
		stack[i] = back();
	(argc > 1 ? other : thread_start)(crash, stack + 256);
	return argv[0][0];
}
END_OF_PROGRAM
gcc -g -O1 -w -o "$scratch/label" "$scratch/label.c" 2>"$scratch/messages"
for arguments in '' other; do
	rm -f "$scratch/core"
	gdb -batch -ex "run $arguments" -ex "generate-core-file $scratch/core" "$scratch/label" >"$scratch/gdb" 2>&1
	"$UNSPOOL" walk --brief "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
	if [ -z "$arguments" ]; then
		is 'a label is a name, and that of an outermost function ends the stack' \
			"$(sed -n 's/^ *[0-9]* *label!\([a-z_]*\).*/\1/p' "$scratch/out" | tr '\n' ' ')" 'crash thread_start '
	else
		is 'after another label the stack is scanned' \
			"$(sed -n 's/^ *[0-9]* *label!\([a-z_]*\).*/\1/p' "$scratch/out" | sed -n '1,3p' | tr '\n' ' ')" 'crash other main '
	fi
done
is 'a label within a function that has a size is no name' \
	"$("$UNSPOOL" lookup "$scratch/label" "$(nm "$scratch/label" | sed -n 's/ t within$//p')" | sed -n 's/^ *\(sized + 0x1\).*/\1/p')" 'sized + 0x1'
# The code that a handler returns to has no name: that of the function before it, whose size is unknown, is not its own.
cat >"$scratch/restorer.c" <<'END_OF_PROGRAM'
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
__asm__(".text\n.type before, @function\nbefore: ret\n.skip 40, 0x90\n.Lrestorer: mov $15, %eax\nsyscall\n"
	".data\nrestorer: .quad .Lrestorer\n.text\n");
extern void *restorer __attribute__((visibility("hidden")));
static volatile int zero;
static void handle(int number) { *(volatile int *)(long)zero = number; }
int main(void)
{
	struct { void (*handler)(int); unsigned long flags; void *restorer; unsigned long mask; } action = { handle, 0x04000000, restorer, 0 };

	syscall(SYS_rt_sigaction, SIGUSR1, &action, 0, 8);
	return kill(getpid(), SIGUSR1);
}
END_OF_PROGRAM
rm -f "$scratch/core"
gcc -g -O1 -w -o "$scratch/restorer" "$scratch/restorer.c" 2>"$scratch/messages"
gdb -batch -ex 'handle SIGUSR1 nostop noprint pass' -ex run -ex "generate-core-file $scratch/core" "$scratch/restorer" >"$scratch/gdb" 2>&1
"$UNSPOOL" walk --brief "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
is 'a trampoline does not have the name of the function before it' \
	"$(sed -n 's/^ *[0-9]* *\(restorer.*\) + 0x[0-9a-f]* <signal handler called>/\1/p' "$scratch/out")" restorer
# A handler ends the process, after a fault or a system call that a filter of seccomp refuses; an array is larger than the stack.
cat >"$scratch/ended.c" <<'END_OF_PROGRAM'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static struct sock_fprog filter = { 4, (struct sock_filter[]){ BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
	SYS_getppid, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) } };
static void report(int number, siginfo_t *fault, void *context) { abort(); }
static int store(int *to) { return *to = 1; }
static int fill(long size) { volatile char room[size << 20]; return room[size] + room[0]; }
int main(int argc, char **argv)
{
	struct sigaction action = { .sa_sigaction = report, .sa_flags = SA_SIGINFO };

	if (argc == 1) return sigaction(SIGSEGV, &action, 0) + store(0);
	if (argc == 3) return fill(argc * 20);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	return getppid();
}
END_OF_PROGRAM
gcc -g -O0 -w -o "$scratch/ended" "$scratch/ended.c" 2>"$scratch/messages"
ulimit -s 8192
for arguments in '' filter 'large array'; do
	rm -f "$scratch/core"
	[ -n "$arguments" ] && stops=stop || stops='nostop noprint'
	gdb -batch -ex "handle SIGSEGV $stops pass" -ex "run $arguments" -ex "generate-core-file $scratch/core" "$scratch/ended" \
		>"$scratch/gdb" 2>&1
	"$UNSPOOL" summary "$scratch/core" --binaries "$scratch" >"$scratch/out" 2>&1
	[ -n "$arguments" ] || is 'the signature is that of the fault whose handler ended the process' \
		"$(sed -n 's/^signature *//p' "$scratch/out")" store
	[ "$arguments" != 'large array' ] || t 'a function that takes more than the stack is named' \
		grep -qE -- '- frame 0, fill, takes 6291[0-9]{4} bytes of the stack' "$scratch/out"
	[ "$arguments" != filter ] || t 'a refused system call is found, with its number' sh -c \
		'grep -q "a seccomp filter of this process refused a system call" "$1" && grep -q "was in system call 110, .syscall" "$1"' sh "$scratch/out"
done
# The own what() of an exception returns a constant or a member; no text is shown if it computes one.
if command -v g++ >/dev/null 2>&1; then
	cat >"$scratch/thrown.cc" <<'END_OF_PROGRAM'
#include <cstdio>
#include <stdexcept>
#include <string>
struct constant : std::exception { const char *what() const noexcept override { return "no seats left"; } };
struct member : std::exception { long row = 7; const char *text = "row 7 is taken"; const char *what() const noexcept override { return text; } };
struct computed : std::runtime_error { char text[32]; using runtime_error::runtime_error;
	const char *what() const noexcept override { sprintf(const_cast<char *>(text), "code %d", 5); return text; } };
struct inherited : std::runtime_error { using runtime_error::runtime_error; };
namespace mine { struct exception : std::exception { int row = 3; }; }
struct holder : mine::exception { std::runtime_error error{"no such row"}; const char *what() const noexcept override { return error.what(); } };
struct effect { virtual int play() { return 1; } virtual ~effect() {} };
struct strip { char label[16] = "electric bass 1"; effect first; } strip;
__attribute__((noipa)) static int play(effect *what) { return what->play() + 1; }
int main(int argc, char **)
{
	if (argc == 1) throw constant();
	if (argc == 2) throw member();
	if (argc == 3) throw computed("the base's text");
	if (argc == 5) throw holder();
	/* The lowest byte of the pointer changes, so that the first function is null. */
	for (strip.label[15] = '6'; argc == 6; ++*(unsigned char *)&strip.first)
		if (*(long *)&strip.first % 8 == 0 && **(long **)&strip.first == 0) return play(&strip.first);
	throw inherited("the disk is full");
}
END_OF_PROGRAM
	for level in 0 2; do
		g++ -g -O$level -o "$scratch/thrown" "$scratch/thrown.cc" 2>"$scratch/messages"
		: >"$scratch/thrown.out"
		for arguments in '' a 'a b' 'a b c' 'a b c d' 'a b c d e'; do
			rm -f "$scratch/core"
			gdb -batch -ex "run $arguments" -ex "generate-core-file $scratch/core" "$scratch/thrown" >"$scratch/gdb" 2>&1
			"$UNSPOOL" summary "$scratch/core" --binaries "$scratch" 2>&1 |
				sed -nE 's/.*exception was thrown: //p; s/.* its member at offset [0-9]+ is an exception with/&/p; s/.*- the object is (.* row = )/\1/p
					s/^ *(- )?((the )?(pointer|text) .* (overwritten|before it))$/\2/p' |
				sed 's/^ *- its/its/; s/0x[0-9a-f]*/ADDRESS/' >>"$scratch/thrown.out"
		done
		is "texts of exceptions, and an overwritten pointer to a virtual table, -O$level" "$(cat "$scratch/thrown.out")" 'constant: "no seats left"
member: "row 7 is taken"
{<std::exception> = <incomplete type>, row = 7, text = ADDRESS "row 7 is taken"}
computed
inherited: "the disk is full"
holder
its member at offset 16 is an exception with the text "no such row"
{<mine::exception> = {<std::exception> = <incomplete type>, row = 3}, error = <incomplete type>}
the pointer to the virtual table of the object at ADDRESS was overwritten
the text "electric bass 16" ends directly before it'
	done
fi
# Maps of Go: buckets up to 1.23, groups and tables since then. The program deletes "b", and key 7 * i has value i.
if command -v go >/dev/null; then
	cat >"$scratch/maps.go" <<'END_OF_PROGRAM'
package main

func crash(few map[string]int, many map[int]int, none map[string]bool, at *int) int { return *at + few["a"] + many[7] + len(none) }
func main() {
	few, many := map[string]int{"a": 1, "b": 2}, map[int]int{}
	for i := 0; i < 3000; i++ {
		many[7*i] = i
	}
	delete(few, "b")
	crash(few, many, nil, nil)
}
END_OF_PROGRAM
	(cd "$scratch" && HOME=$scratch GOCACHE=$scratch/go-cache GO111MODULE=off GOPROXY=off GOTOOLCHAIN=local \
		go build -gcflags='-N -l' -o maps maps.go) >"$scratch/messages" 2>&1
	gdb -nx -batch -ex run -ex "generate-core-file $scratch/maps.core" "$scratch/maps" >"$scratch/gdb" 2>&1
	is 'maps of Go have their elements' "$("$UNSPOOL" identify "$scratch/maps.core" --binaries "$scratch" --frame 0 few none \
		'many[7 * 2999]' 2>&1 | sed -n 's/ *[^ ]*maps.core+.*//; s/^ value  *//p')" 'map[string]int with 1 element = {["a"] = 1}
map[string]bool with 0 elements (nil)
2999   0xbb7'
fi
done_testing
