/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A dump with a secret word in every place that --redact leaves out: environment,
 * command line, stack, other memory.
 *
 *	make-secrets FILE
 */
#include <stdio.h>
#include <string.h>

#include "tests/lib/synth.h"

#define SECRET "HUSHHUSH"

int
main(int argc, char **argv)
{
	static const char environment[] = "PATH=/bin\0TOKEN=" SECRET "\0";
	static const char command[] = "tool\0--password=" SECRET "\0";
	static const char heap[] = "in the heap there is " SECRET " as well, and " SECRET;
	uint64_t registers[ARCH_REGISTERS] = { [6] = 0x7000, [7] = 0x7000, [16] = 0x401010 };
	uint8_t stack[512] = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: make-secrets FILE\n");
		return 2;
	}
	/* Two frames by their frame pointers, and text between them. */
	memcpy(stack, "\x80\x70", 2);
	memcpy(stack + 8, "\x34\x12\x40", 3);
	memcpy(stack + 0x18, SECRET, strlen(SECRET));
	memcpy(stack + 0x40, SECRET, strlen(SECRET));
	memcpy(stack + 0x88, "\x56\x12\x40", 3);
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	synth_module(synth, 0x400000, 0x2000, "/bin/tool", "tool",
		     "5A9832E5287241C1838ED98914E9B7FF0");
	synth_thread(synth, 1, registers, 0x7000, stack, sizeof(stack));
	synth_exception(synth, 1, 11, 1, 0x10);
	synth_stream(synth, 0x47670006, command, sizeof(command));
	synth_stream(synth, 0x47670007, environment, sizeof(environment));
	synth_memory(synth, 0x10000, heap, sizeof(heap), false);
	bool good = synth_write(synth, argv[1]);
	if (!good)
		perror(argv[1]);
	synth_free(synth);
	return !good;
}
