/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * make-recursion DUMP SYMBOLS [MORE]: a crash in a recursion, for the tests of folding.
 *
 *	thread 0	crash, then 100 times (leaf, middle, outer), then main, start
 *	threads 1 to 4	NtDelayExecution, then start: the same frames
 *	thread 5	rest, then start
 *	MORE threads	NtDelayExecution, once to seven times (leaf, middle, outer), start
 *
 * Every frame is found by its frame pointer: saved ebp, return address. x86, Windows.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/synth.h"

#define CODE 0x400000u
#define STACK 0x12f000u
#define TURNS 100u

/* Functions are 0x40 bytes apart; the pc of a frame is 0x10 bytes into its function. */
enum function { CRASH, LEAF, MIDDLE, OUTER, MAIN, START, WAIT, REST, FUNCTION_COUNT };

static const char *const names[FUNCTION_COUNT] = { "crash", "leaf", "middle", "outer",
						   "main",  "start", "NtDelayExecution", "rest" };

static uint32_t
inside(enum function function)
{
	return CODE + 0x1000 + 0x40 * (uint32_t)function + 0x10;
}

/* A stack whose frames return to these functions; the last one has no caller. */
static size_t
fill(uint32_t *words, uint64_t base, const enum function *callers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		words[2 * i] = (uint32_t)base + 8 * (uint32_t)(i + 1);
		words[2 * i + 1] = inside(callers[i]);
	}
	words[2 * count] = words[2 * count + 1] = 0;
	return (2 * count + 2) * sizeof(*words);
}

static void
add_thread(struct synth *synth, uint32_t id, uint64_t base, enum function top, const enum function *callers, size_t count)
{
	const uint64_t registers[10] = { inside(top), base, base };
	static uint32_t words[2 * (3 * TURNS + 3)];
	size_t size = fill(words, base, callers, count);

	synth_thread(synth, id, registers, base, words, size);
	if (id == 1) {
		synth_exception(synth, id, 0xc00000fd, 0, inside(top));
		synth_exception_registers(synth, registers);
	}
}

static bool
write_symbols(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL)
		return false;
	fprintf(file, "MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 deep.pdb\n"
		      "FILE 0 c:\\src\\deep.c\n");
	for (unsigned i = 0; i < FUNCTION_COUNT; i++)
		fprintf(file, "FUNC %x 40 0 %s\n%x 40 %u 0\n", 0x1000 + 0x40 * i, names[i], 0x1000 + 0x40 * i, 10 * (i + 1));
	return fclose(file) == 0;
}

int
main(int argc, char **argv)
{
	static const enum function only_start[] = { START };
	static enum function callers[3 * TURNS + 2];

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: make-recursion DUMP SYMBOLS [MORE]\n");
		return 2;
	}
	for (size_t i = 0; i < 3 * TURNS; i++)
		callers[i] = (enum function)(LEAF + i % 3);
	callers[3 * TURNS] = MAIN;
	callers[3 * TURNS + 1] = START;
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	synth_module(synth, CODE, 0x3000, "c:\\deep.exe", "c:\\deep.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	add_thread(synth, 1, STACK, CRASH, callers, 3 * TURNS + 2);
	for (uint32_t i = 2; i <= 5; i++)
		add_thread(synth, i, STACK + 0x10000 * i, WAIT, only_start, 1);
	add_thread(synth, 6, STACK + 0x60000, REST, only_start, 1);
	for (uint32_t i = 0; argc == 4 && i < strtoul(argv[3], NULL, 10); i++) {
		const size_t frames = 3 * (1 + i % 7);
		callers[frames] = START;
		add_thread(synth, 7 + i, STACK + 0x10000 * (7 + i), WAIT, callers, frames + 1);
		callers[frames] = LEAF;
	}
	bool good = synth_write(synth, argv[1]) && write_symbols(argv[2]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
