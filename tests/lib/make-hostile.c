/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write a dump whose names contain terminal control: escape sequences, carriage returns, C1
 * controls, characters that change the direction of text, and characters without width.
 *
 *	make-hostile FILE
 */
#include <stdio.h>

#include "tests/lib/synth.h"

#define NASTY "\033[31m\r\xc2\x9b" "2J\xe2\x80\xae"
/* A zero-width space and a tag character; both are invisible. */
#define UNSEEN "\xe2\x80\x8b\xf3\xa0\x81\x81"

int
main(int argc, char **argv)
{
	static const uint8_t stack[64] = { 0x34, 0x12, 0x40 };
	uint64_t registers[ARCH_REGISTERS] = { [7] = 0x7000, [16] = 0x401010 };

	if (argc != 2) {
		fprintf(stderr, "usage: make-hostile FILE\n");
		return 2;
	}
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	synth_system(synth, 10, 0, 1, "Pack " NASTY);
	synth_module(synth, 0x400000, 0x2000, "c:\\" NASTY UNSEEN ".exe", "evil.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_module(synth, 0x500000, 0x2000, "other" NASTY, "other" NASTY ".pdb", "5A9832E5287241C1838ED98914E9B7FF2");
	synth_thread(synth, 1, registers, 0x7000, stack, sizeof(stack));
	synth_thread_name(synth, 1, "worker" NASTY UNSEEN);
	synth_exception(synth, 1, 0xc0000005, 0, 0x401010);
	bool good = synth_write(synth, argv[1]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
