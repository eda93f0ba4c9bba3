/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_COREFILE_H
#define TESTS_LIB_COREFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Writes ELF cores: notes in one segment, then memory. Layouts: the gABI, core(5). */
struct corefile {
	bool wide, big_endian;
	uint16_t machine;
	struct corefile_memory {
		uint64_t address, size;
		uint32_t flags;
		const uint8_t *bytes;	/* the first `there` of them are in the file */
		size_t there;
	} memory[16];
	size_t memory_count;
	uint8_t notes[1 << 14];
	size_t note_size;
	bool count_elsewhere;		/* the number of segments is in section 0 */
	uint8_t bytes[1 << 17];		/* the file, after corefile_finish */
	size_t size;
};

/** The size of a word in bytes. */
unsigned
corefile_word(const struct corefile *core);

/** Put a number of `size` bytes at an offset of a buffer, in the file's byte order. */
void
corefile_put(const struct corefile *core, uint8_t *buffer, size_t offset, unsigned size, uint64_t value);

void
corefile_note(struct corefile *core, const char *owner, uint32_t type, const uint8_t *bytes, size_t size);

/** A segment of memory; the file has its first `there` bytes. `bytes` must live until the end. */
void
corefile_memory(struct corefile *core, uint64_t address, uint64_t size, uint32_t flags, const uint8_t *bytes, size_t there);

/** Write the file to `bytes`. */
void
corefile_finish(struct corefile *core);

#endif
