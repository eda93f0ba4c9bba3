/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_CONTEXT_STATE_H
#define REPORT_MEMORY_CONTEXT_STATE_H

#include "crash/crash.h"

/**
 * The parts of a context that a walk does not use: flags, segments, floating point and vector
 * registers, debug registers. Values are as stored in the dump, with their meaning.
 */
enum context_group {
	CONTEXT_FLAGS,
	CONTEXT_SEGMENTS,
	CONTEXT_FLOAT,
	CONTEXT_VECTOR,
	CONTEXT_DEBUG,
	CONTEXT_OTHER,
	CONTEXT_GROUPS
};

struct context_value {
	enum context_group group;
	const char *name; /* "eflags", "xmm3" */
	const char *text; /* digits of the value; "": `note` has the value */
	const char *note; /* meaning of the value; "": none */
	struct place place;
};

struct context_state {
	struct context_value *values; /* values in the order of the context */
	size_t count, capacity;
};

/** Find the values of a context; they live in `arena`. When out of memory, values are missing. */
void
context_state_find(struct context_state *state, const struct crash *crash,
	const struct crash_context *context, struct arena *arena);

/**
 * The 16 bytes of a vector register as numbers: as doubles or floats if their values are ordinary,
 * else as text or as integers of 32 bits. Returns `buffer`.
 */
const char *
context_vector_text(const uint8_t bytes[16], bool big_endian, char *buffer, size_t size);

/** An x87 number: 64 bits of mantissa, then exponent and sign, little endian. */
const char *
context_x87_text(const uint8_t bytes[10], char *buffer, size_t size);

#endif
