/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write a minidump whose modules and stacks are at other addresses, for crashes without a recipe.
 *
 *	make-moved DUMP FILE CODE-DISTANCE STACK-DISTANCE
 *
 * Every word of the file that is an address in a module or near a thread's stack moves by the
 * distance (hex). The memory map is text; the copy has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "dump/dump.h"

enum { NEAR = 0x4000, MAPS_STREAM = 0x47670009 };

struct distances {
	uint64_t code, stack;
};

static bool
near_stack(const struct crash *crash, uint64_t address)
{
	for (size_t i = 0; i < crash->thread_count; i++) {
		const struct thread *thread = &crash->threads[i];
		if (thread->stack_size != 0 && address + NEAR >= thread->stack_start &&
		    address < thread->stack_start + thread->stack_size + NEAR)
			return true;
	}
	return false;
}

/* The distance by which a word moves; 0 for other words. Signatures of addresses stay. */
static uint64_t
distance_of(const struct crash *crash, const struct distances *distances, uint64_t word)
{
	const uint64_t address = word & UINT64_C(0xffffffffffff);

	for (size_t i = 0; i < crash->module_count; i++)
		if (address >= crash->modules[i].base && address < crash->modules[i].base + crash->modules[i].size)
			return distances->code;
	return near_stack(crash, address) ? distances->stack : 0;
}

static void
move_words(const struct crash *crash, const struct distances *distances, uint8_t *bytes)
{
	const unsigned size = crash->system.arch->word_size;

	for (uint64_t at = 0; at + size <= crash->file.size;) {
		const uint64_t word = reader_number(bytes + at, size, false);
		const uint64_t distance = distance_of(crash, distances, word);

		for (unsigned i = 0; i < size && distance != 0; i++)
			bytes[at + i] = (uint8_t)((word + distance) >> 8 * i);
		at += distance != 0 ? size : 4;
	}
	for (size_t i = 0; i < crash->stream_count; i++)
		if (crash->streams[i].type == MAPS_STREAM)
			memset(bytes + crash->streams[i].place.offset, 0, 4);
}

int
main(int argc, char **argv)
{
	struct crash crash;
	struct error error;

	if (argc != 5) {
		fprintf(stderr, "usage: make-moved DUMP FILE CODE-DISTANCE STACK-DISTANCE\n");
		return 2;
	}
	if (dump_open(&crash, argv[1], 0, &error) != ERROR_NONE) {
		fprintf(stderr, "make-moved: cannot read %s\n", argv[1]);
		return 1;
	}
	const struct distances distances = { strtoull(argv[3], NULL, 16), strtoull(argv[4], NULL, 16) };
	uint8_t *bytes = malloc(crash.file.size);
	FILE *file = bytes == NULL ? NULL : fopen(argv[2], "wb");
	bool good = file != NULL;
	if (good) {
		memcpy(bytes, crash.file.data, crash.file.size);
		move_words(&crash, &distances, bytes);
		good = fwrite(bytes, 1, crash.file.size, file) == crash.file.size;
		good = fclose(file) == 0 && good;
	}
	if (!good)
		perror(argv[2]);
	free(bytes);
	crash_free(&crash);
	return !good;
}
