/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_FAULT_DAMAGE_H
#define TESTS_FAULT_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/crash.h"

/**
 * What the tests of damaged files share: the bundled crashes, places to cut, and a look at
 * everything that a crash can show.
 */
struct bundle {
	const char *name;
	char dump[512], symbols[512];	/* paths */
};

#define BUNDLE_COUNT 4

/** Fill in the paths of bundle `index`, below the source folder that the environment names. */
void
bundle_find(struct bundle *bundle, size_t index);

/** The bytes of a file in memory of exactly its size, so that a read behind it is caught. */
uint8_t *
damage_read(const char *path, size_t *size);

/** A copy of the first `size` bytes in memory of exactly that size. */
uint8_t *
damage_copy(const uint8_t *bytes, size_t size);

/** The next number of a sequence that is the same on every machine; `state` is its seed. */
uint32_t
damage_random(uint64_t *state);

/** Values that a field may be given. */
#define DAMAGE_LIMITS 14u

/**
 * Give a little-endian field of `width` bytes value number `which`: 0, 1, -1, 2^15, 2^16-1, 2^31,
 * its own neighbours, the size of the structure that it is in, that of the file, and theirs.
 */
void
damage_field(uint8_t *field, unsigned width, unsigned which, uint32_t size, uint32_t file);

/** Offsets, each once and in order. */
struct offsets {
	size_t *values;
	size_t count, capacity;
};

/** Add an offset and those one byte beside it, where they lie in `size` bytes. */
void
offsets_around(struct offsets *offsets, uint64_t offset, size_t size);

/** Put them in order and take out what stands there twice. */
void
offsets_sort(struct offsets *offsets);

void
offsets_free(struct offsets *offsets);

/**
 * Whether a text has a control character, which would go to the terminal, other than line feeds.
 * Whole outputs of many damaged files are asked for it: eight bytes at a time.
 */
bool
damage_has_control(const char *text, size_t length);

/**
 * Walk every thread of a crash with symbols at `path`, print the walks and explain the step from
 * frame 0, from the last frame and, where `thorough`, from the others. Returns NULL, or what was
 * wrong: that a control character got into the text, that it does not say how a stack ends, or
 * that a step which is recorded finds another caller than the walk did.
 */
const char *
damage_look(const struct crash *crash, const char *path, bool thorough);

#endif
