/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write a dump in which every string could damage a screen, for hostile.t.
 *
 *	make-names FILE
 *
 * Four threads and five modules share the strings. The first module, with code at 400000, has an
 * ordinary debug file and ID, so that a symbol file can belong to it.
 */
#include <string.h>

#include "base/compiler.h"
#include "tests/lib/synth.h"

#define CODE 0x400000u
#define STACK 0x7000u

enum { ESCAPES, BREAKS, TURNS, LONG, NASTY_COUNT };

static char long_name[10001];
static const char *const nasty[NASTY_COUNT] = {
	[ESCAPES] = "\033[2J\033[31m\033]0;title\a",
	[BREAKS] = "one\r\ntwo\tthree\b\v\f",
	[TURNS] = "\xe2\x80\xae" "exe.gpj\xe2\x80\x8f\xc2\x9b" "2J\xe2\x80\xa8\xcc\x81\xcc\x81",
	[LONG] = long_name,
};

/* A stack whose words lead through the first module again and again. */
static void
fill_stack(uint8_t *stack, size_t size)
{
	memset(stack, 0, size);
	for (size_t at = 0; at + 8 <= size / 2; at += 8) {
		stack[at + 1] = 0x10;
		stack[at + 2] = CODE >> 16;
		stack[at] = (uint8_t)(at + 5);
	}
	memcpy(stack + size / 2, nasty[ESCAPES], strlen(nasty[ESCAPES]));
}

static void
add_names(struct synth *synth, const uint64_t *registers)
{
	uint8_t stack[512];

	fill_stack(stack, sizeof(stack));
	synth_module(synth, CODE, 0x2000, "c:\\\033[31m\r\n\xe2\x80\xae.exe", "names.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	for (unsigned i = 0; i < NASTY_COUNT; i++) {
		char path[10100];
		snprintf(path, sizeof(path), "c:\\%s\\%s", i == LONG ? "" : nasty[i], nasty[i]);
		synth_module(synth, CODE + 0x10000 * (i + 1), 0x2000, path, nasty[i], "5A9832E5287241C1838ED98914E9B7FF2");
		synth_thread(synth, i + 1, registers, STACK + 0x1000 * i, stack, sizeof(stack));
		synth_thread_name(synth, i + 1, nasty[i]);
		synth_unloaded(synth, 0x10000000 + 0x10000 * i, 0x1000, nasty[i], 1);
		synth_crashpad(synth, -1, nasty[i], nasty[(i + 1) % NASTY_COUNT]);
		synth_crashpad(synth, 0, nasty[i], nasty[i]);
	}
}

int
main(int argc, char **argv)
{
	uint64_t registers[ARCH_REGISTERS] = { [7] = STACK, [16] = CODE + 0x1010 };

	if (argc != 2) {
		fprintf(stderr, "usage: make-names FILE\n");
		return 2;
	}
	memset(long_name, 'A', sizeof(long_name) - 1);
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	synth_system(synth, 10, 0, 1, "\033[31m\r\n\t\xe2\x80\xae");
	add_names(synth, registers);
	synth_assertion(synth, nasty[ESCAPES], nasty[BREAKS], nasty[TURNS], 1, 0);
	synth_exception(synth, 1, 0xc0000005, 0, CODE + 0x1010);
	bool good = synth_write(synth, argv[1]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
