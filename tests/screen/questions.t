#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Questions about a crash are answered by at most three keys, on a small screen and a larger one. A
# typed line counts as one key.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

# answers QUESTION CRASH ANSWER [KEY...]: after the keys a row matches the regular expression ANSWER.
answers() {
	question=$1
	crash=data/crashes/$2
	answer=$3
	shift 3
	t "'$question' takes at most three keys" test $# -le 3
	for size in 80x24 120x40; do
		printf '%s\n' "$@" | sed '/^$/d' >"$scratch/keys"
		echo ':save-screen got' >>"$scratch/keys"
		screen_case "$question $size" $size --ascii "$crash/crash.dmp" \
			"$crash/symbols" <"$scratch/keys"
		expect_text got "$answer"
	done
}

answers 'why did it crash?' inlines-amd64 '^.found +null pointer \(very likely'
answers 'which line?' inlines-amd64 '^.where .*engine::level3 .*\[inline_o2.cc : 21\]'
answers 'which inlined call?' inlines-amd64 '^ +\.b +engine::level2 +inlined +inline_o2.cc:22$'
answers 'what does its source say?' inlines-amd64 '^.=> *21  static inline int level3\(' 2
answers 'what do other threads do?' frame-data-x86 '^>     0 ctx  7c90eb94 ntdll.dll ' t
answers 'is the stack to be trusted?' frame-data-x86 \
	'^.stack +6 frames: 5 exact, 1 by frame pointer; trust frames 0 to 5$'
answers 'why is a caller what it is?' frame-data-x86 '^. 1 STACK WIN +ledger.sym:44 .*taken: ' f 3
answers 'which byte made a register?' frame-data-x86 '^>>000110  48 10 40 00 ' 5 Enter Enter
if lacks capstone; then
	skip 10 'capstone was left out: no code is shown'
else
	answers 'which instruction?' inlines-amd64 '^>=>.* mov +eax, dword ptr \[rax\]' d
	answers 'where is the address from?' inlines-amd64 'reads 4 bytes at 0x0 \(rax\), where nothing'
fi
answers 'what is in memory at a register?' frame-data-x86 '^> 0012fe94  00000000   1 ' 5 j l
answers 'and at one by its name?' frame-data-x86 '^> 0012feac  00320a10   1 ' : 'type memory $ebp' Enter
answers 'which modules are there, of which build?' frame-data-x86 \
	'^c:.ledger.ledger.exe +1\.0\.2\.0 +ledger.pdb 7A1C35E09B2D4F6885C3D1E0F2A4B6C81' 8
answers 'where is a text?' inlines-amd64 '^> *0*7ffde1b68f[0-9a-f]+  stack of thread 0 ' \
	M 'type "PATH=/usr"' Enter

# In this folder paths on the screen have the same length everywhere.
cp -R "$srcdir/data/cores/flights-amd64" "$scratch/f"
# asks QUESTION PLACE ANSWER [KEY...]: after PLACE, where the question arises, as `answers` for a core. The expected values are gdb's.
asks() {
	question=$1
	place=$2
	answer=$3
	shift 3
	t "'$question' takes at most three keys" test $# -le 3
	for size in 80x24 120x40; do
		printf '%s\n' "$place" "$@" ':save-screen got' | sed '/^$/d' >"$scratch/keys"
		screen_case "$question $size" $size --ascii --no-system-binaries --binaries \
			../f/binaries ../f/core.gz ../f/symbols <"$scratch/keys"
		expect_text got "$answer"
	done
}

asks 'what was thrown?' '' '^. +a C\+\+ exception was thrown: no_seats$'
asks 'what did the first of two faults?' '' '^ +an exception found no handler: frame 9, book\('
asks 'what did the second interrupt?' '' 'a signal came first: it interrupted frame 2,' ! z
asks 'which type is this really?' ':goto frame 9' '^ +object +group_fare = .*discount = 15}$' ':p kind'
asks 'what is in this map?' ':goto frame 9' '"OS 91"\] = 108, \["OS 97"\] = 33}$' ':p seats'
asks 'what were the arguments?' '' '^. *argument\[2\] +"OS 87"$' ':cmdline'
asks 'what was the environment?' '' '^. *BOOKING_SERVER +"east-2"$' ':environ'
asks 'which variable is this stack word?' '' '^ +variable +kind +of frame 9$' ':p 0x7ffcb3355fd8'
asks 'which variable does this pointer point to?' ':goto frame 9' '^ +variable +group\._vptr\.fare +of frame 10$' ':p kind'
asks 'which frame does this sentence name?' ':goto frame 0' '^>.* 9 [a-z]+ .*book\(' ! ':search no handler' Enter
asks 'what changed between frames?' ':goto frame 9' '^> +9  cfi  \* 00007ffcb3356090 .*saved by frame 8 at' b

# A program with locks and a freed block; gdb makes its core. The answers follow from the source.
inquires() {
	question=$1
	answer=$2
	shift 2
	t "'$question' takes at most three keys" test $# -le 3
	for size in 80x24 120x40; do
		printf '%s\n' "$@" ':save-screen got' >"$scratch/keys"
		screen_case "$question $size" $size --ascii --binaries ../l ../l/core <"$scratch/keys"
		tr -s '\n ' '  ' <"$screen_folder/got" >"$screen_folder/joined"
		expect_text joined "$answer"
	done
}

mkdir "$scratch/l"
cat >"$scratch/l/pool.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct pool { int size; pthread_mutex_t lock; char *name; } *pool;
static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;
static struct { void *DebugInfo; int LockCount, RecursionCount; void *OwningThread; } section = { 0, -2, 1 };	/* RTL_CRITICAL_SECTION */
static void *use(void *held) { pthread_mutex_lock(&pool->lock); return held; }
static void fail(char *gone, int *nowhere) { *nowhere = *gone; }
int main(void)
{
	pthread_t thread;

	pool = calloc(1, sizeof(*pool));
	pool->name = strdup("pool of connections");
	char *gone = malloc(40);
	pthread_mutex_lock(&pool->lock);
	pthread_rwlock_rdlock(&cache);
	pthread_create(&thread, 0, use, 0);
	section.OwningThread = (void *)(long)getpid();
	usleep(300000);
	free(gone);
	fail(gone, 0);
}
END
if [ "$(uname -m)" = x86_64 ] && command -v gcc >/dev/null 2>&1 && command -v gdb >/dev/null 2>&1 &&
	gcc -g -O0 -w -pthread -o "$scratch/l/pool" "$scratch/l/pool.c" 2>"$scratch/messages" &&
	gdb -batch -ex run -ex "generate-core-file $scratch/l/core" "$scratch/l/pool" >"$scratch/messages" 2>&1 &&
	[ -s "$scratch/l/core" ]; then
	inquires 'who holds this lock?' ' lock +locked by thread [01], id [0-9]+ ' ':p pool->lock'
	inquires 'and this one?' ' lock +locked for reading by 1 thread; it does not store which ' ':p cache'
	inquires 'and a critical section?' ' lock +locked by thread [01], id [0-9]+ ' ':p section'
	inquires 'who waits for it?' 'thread [01], id [0-9]+ .0x[0-9a-f]+., waits for the mutex at 0x' ':locks'
	inquires 'is this memory freed?' ' heap +free, in a thread' ':p gone'
	inquires 'what does this pointer point to?' '"pool of connections"' ':p pool->name'
	inquires 'where is it in this range?' '[^0-9]2 found' ':find --all pool->name, +4, "o"'
else
	skip 35 'gdb cannot run a program here'
fi

# learns QUESTION CRASH PLACE ANSWER KEY...: at most three keys after PLACE, where the question arises, the
# text with its lines joined contains the answer, a whole sentence. PLACE is a script; empty: the first screen.
learns() {
	question=$1
	crash=data/crashes/$2
	place=$3
	answer=$4
	shift 4
	binaries=
	[ ! -d "$srcdir/$crash/binaries" ] || binaries=$crash/binaries
	t "'$question' takes at most three keys" test $# -le 3
	for size in 80x24 120x40; do
		printf '%s\n' "$place" "$@" ':save-screen got' | sed '/^$/d' >"$scratch/keys"
		screen_case "$question $size" $size --ascii ${binaries:+--binaries "$binaries"} \
			"$crash/crash.dmp" "$crash/symbols" <"$scratch/keys"
		tr -s '\n ' '  ' <"$screen_folder/got" >"$screen_folder/joined"
		expect_text joined "$answer"
	done
}

# The eight questions of a newcomer.
learns 'what is a CFA?' inlines-amd64 '' \
	"The address from which a function's frame is measured\. By convention it is the caller's stack pointer just before the call, so it stays constant while the function moves its own stack pointer\." 4 K
learns 'where is the return address, and by which rule?' inlines-amd64 '' \
	'rule \.ra: \.cfa -8 \+ \^ = 55f654b5ded2 inline_o2_dw4\.sym:2397:45' 3
learns 'which registers are kept?' inlines-amd64 '' \
	'[*] changed = kept - not kept-.* r14 0+ = 0+ r14 of frame 0' 5
learns 'what does this delta change?' inlines-amd64 '' \
	'=> 00002793 \+0x13 [*]rsp\+48 .*the rule of this register changes here, by a delta; every other rule stays as the INIT record \(the first row\) or an earlier delta has it ' c K
learns 'what does ^ do?' inlines-amd64 '' \
	'\^ reads the word of memory at an address, @ rounds down to a multiple, = assigns a value to a name\.' ':help ^'
learns 'what is .raSearch?' frame-data-x86 '' \
	"The walker adds the sizes of locals, saved registers and the younger frame's parameters to the stack pointer, and may search a few more words from there\." ':help .raSearch'
learns 'what does SFrame lose?' sframe-amd64 '' \
	'It describes the CFA, the return address and the frame pointer, but no other registers: the values that a function saved are lost for its callers\.' ':help SFrame'
learns 'and here?' sframe-amd64 '' 'SFrame 4 rows 000011b8 \+0 rsp\+8 c-8 \? ' f f c
learns 'why is this contradicted?' broken-cfi-amd64 '' \
	'contradicted: CFA: STACK CFI \(line 90\) says rsp\+96, \.eh_frame says rsp\+144 .*another source contradicts the frame, though its record gave a caller that passed every check;' f f K
learns 'why is this a guess?' scan-only-amd64 '' \
	'A frame found by a scan is a guess, and so are all its callers\.' f K

learns 'why .cfa -8 + ^?' inlines-amd64 ':view eval
:search rule .ra' "the last word below the CFA: amd64's rule '.ra: .cfa -8 . \\^' goes 8 bytes down" K
learns 'how do inlined calls nest?' inlines-amd64 ':view stack' \
	'calls nest: each row was called by the row below it' j K
done_testing
