#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Questions about a crash that gdb makes are answered by one typed line. tests/scenes/questions has others.
. "${srcdir:-$(dirname "$0")/../..}/tests/lib/screen.sh"

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
	inquires 'who holds this lock?' ' lock +locked by thread [01] .id 0x[0-9a-f]+, [0-9]+. ' ':p pool->lock'
	inquires 'and this one?' ' lock +locked for reading by 1 thread; it does not store which ' ':p cache'
	inquires 'and a critical section?' ' lock +locked by thread [01] .id 0x[0-9a-f]+, [0-9]+. ' ':p section'
	inquires 'who waits for it?' 'thread [01] .id 0x[0-9a-f]+, [0-9]+. waits for the mutex at 0x' ':locks'
	inquires 'is this memory freed?' ' heap +free, in a thread' ':p gone'
	inquires 'what does this pointer point to?' '"pool of connections"' ':p pool->name'
	inquires 'where is it in this range?' '[^0-9]2 found' ':find --all pool->name, +4, "o"'
else
	skip 35 'gdb cannot run a program here'
fi

done_testing
