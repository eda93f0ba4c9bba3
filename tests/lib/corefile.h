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
		const uint8_t *bytes;	/* of which `there` are in the file */
		size_t there;
	} memory[16];
	size_t memory_count;
	uint8_t notes[1 << 14];
	size_t note_size;
	bool count_elsewhere;		/* the number of segments stands in section 0 */
	uint8_t bytes[1 << 17];		/* the file, once it is finished */
	size_t size;
};

/** The bytes of a word of the file. */
unsigned
corefile_word(const struct corefile *core);

/** Put a number of `size` bytes at an offset of a buffer, in the file's byte order. */
void
corefile_put(const struct corefile *core, uint8_t *buffer, size_t offset, unsigned size,
	     uint64_t value);

void
corefile_note(struct corefile *core, const char *owner, uint32_t type, const uint8_t *bytes,
	      size_t size);

/** Memory of which the first `there` bytes are in the file; `bytes` must live until the end. */
void
corefile_memory(struct corefile *core, uint64_t address, uint64_t size, uint32_t flags,
		const uint8_t *bytes, size_t there);

/** Lay out the file. */
void
corefile_finish(struct corefile *core);

#endif
