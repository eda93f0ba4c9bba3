/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_FAULT_DAMAGE_H
#define TESTS_FAULT_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/crash.h"

/** Shared by the tests of damaged files: the bundled crashes, places to cut, and a reader of all data that a crash has. */
struct bundle {
	const char *name;
	char dump[512], symbols[512];	/* paths */
};

#define BUNDLE_COUNT 4

/** Fill in the paths of bundle `index`, in the source folder that the environment names. */
void
bundle_find(struct bundle *bundle, size_t index);

/** A file in an allocation of exactly its size, so that a read past the end is caught. */
uint8_t *
damage_read(const char *path, size_t *size);

/** A copy of the first `size` bytes, in an allocation of exactly that size. */
uint8_t *
damage_copy(const uint8_t *bytes, size_t size);

/** The next number of a sequence that is equal on every machine; `state` is its seed. */
uint32_t
damage_random(uint64_t *state);

/** The distance between tried places of many: 1 if UNSPOOL_THOROUGH is set (.ci/run), else 5. */
unsigned
damage_stride(void);

/** How many values damage_field can write. */
#define DAMAGE_LIMITS 14u

/** Write value number `which` to a little-endian field of `width` bytes: 0, 1, -1, 2^15, 2^16-1,
 * 2^31, the field's value plus or minus 1, `size` or `file`, or one of these plus or minus 1. */
void
damage_field(uint8_t *field, unsigned width, unsigned which, uint32_t size, uint32_t file);

/** Offsets, each once and in order. */
struct offsets {
	size_t *values;
	size_t count, capacity;
};

/** Add an offset and those one byte before and after it, if they are less than `size`. */
void
offsets_around(struct offsets *offsets, uint64_t offset, size_t size);

/** Sort the offsets and remove duplicates. */
void
offsets_sort(struct offsets *offsets);

void
offsets_free(struct offsets *offsets);

/** True if a text has a control character other than a line feed. The terminal would obey it. Tests
 * scan the outputs of many damaged files, so this reads eight bytes at a time. */
bool
damage_has_control(const char *text, size_t length);

/** Receives output and keeps only its length and whether it has a control character. */
struct damage_sink {
	size_t length;
	bool control;
};

/** Write to a damage_sink, the context of an output. */
void
damage_swallow(void *context, const char *bytes, size_t length);

/** Count what is wrong, if it is not NULL. The first five times print what was done, and where. */
void
damage_note(size_t *count, const char *wrong, const char *done, size_t at);

/** The distance between the places to damage, if at most `most` of `all` are chosen (0: all). */
uint32_t
damage_apart(uint32_t all, unsigned long most);

/** The parts of damage_look(), a set of bits. */
enum {
	DAMAGE_WALKS = 1 << 0,		/* walks of all threads, steps from the first and last frame */
	DAMAGE_TEXT = 1 << 1,		/* streams as text */
	DAMAGE_JSON = 1 << 2,		/* streams as JSON */
	DAMAGE_ROWS = 1 << 3,		/* streams as rows of listings, some offsets described */
	DAMAGE_PARTS = 4,
	DAMAGE_ALL = (1 << DAMAGE_PARTS) - 1,
	DAMAGE_STEPS = 1 << DAMAGE_PARTS,	/* with DAMAGE_WALKS: the steps from all frames */
};

/** Look at these parts of a crash, with symbols at `path`. Returns NULL, or an error: the text has a control character, the walk
 * does not say how a stack ends, or a recorded step finds another caller than the walk. */
const char *
damage_look(const struct crash *crash, const char *path, unsigned parts);

#endif
