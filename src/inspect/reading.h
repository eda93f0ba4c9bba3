/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_READING_H
#define INSPECT_READING_H

#include "locate/binaries.h"
#include "code/call.h"
#include "crash/memory.h"
#include "walk/walk.h"

/**
 * What a value can be read as: code, a pointer and what it points at, a small number, a
 * fill pattern.
 *
 * All of it is guessed from the value alone; callers that have better evidence (a word is the
 * return address of a frame) say so themselves. Nothing is loaded for a reading: symbols count
 * once they are there.
 */
enum reading_kind {
	READING_NUMBER, /* nothing that is known */
	READING_ZERO,
	READING_SMALL, /* a number as people write them, perhaps a negative one */
	READING_PATTERN, /* `words`: what the pattern means */
	READING_TEXT, /* its own bytes are text */
	READING_CODE, /* `module`, `call` */
	READING_DATA, /* in `module`, no code */
	READING_UNLOADED, /* in `module` of the unloaded ones */
	READING_STACK, /* of the walked thread */
	READING_THREAD, /* in the stack of `thread`, another one */
	READING_MEMORY, /* in other memory that the dump has */
	READING_MAPPED, /* in memory that the dump only lists: `mapping` */
};

struct reading {
	enum reading_kind kind;
	uint64_t value;
	int module;
	enum call_answer call; /* of the bytes before it */
	size_t thread; /* index in crash->threads */
	const struct mapping *mapping; /* NULL: none is known */
	const char *words;
};

/** The stack of a thread. */
struct reading_stack {
	uint64_t base, size;
	size_t thread;
};

/** What readings are made from. */
struct reading_source {
	const struct crash *crash;
	const struct arch *arch;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
	const struct walk *walk; /* whose stack and symbols count; NULL: none */
	const struct reading_stack *stacks; /* of all threads, by base */
	size_t stack_count;
};

/** Numbers below are more likely a count or an offset than an address: no system maps them. */
#define READING_SMALLER 0x10000u
/** Characters that make bytes a text. */
#define READING_LEAST_TEXT 4u
/** Pointers that are followed from one value, at most. */
#define READING_HOPS 3u

/** Prepare `source`, whose lists will live in `arena`. */
void
reading_source_init(struct reading_source *source, const struct crash *crash,
	const struct memory_view *memory, struct binaries *binaries, const struct walk *walk,
	struct arena *arena);

/** What a value is. */
struct reading
reading_of(const struct reading_source *source, uint64_t value);

/**
 * Whether a value is worth a row of its own among many: it points somewhere, or it is a pattern.
 * Much cheaper than a reading.
 */
bool
reading_is_telling(const struct reading_source *source, uint64_t value);

/** The bytes of a value that is text from its first byte on, in memory's order; 0: none. */
size_t
reading_letters(const struct reading_source *source, uint64_t value, char letters[8]);

/** Bytes of a word: 4 or 8. */
unsigned
reading_word_size(const struct reading_source *source);

/** The function of `module` that covers a value, by the symbols that are there. */
bool
reading_function(const struct reading_source *source, int module, uint64_t value,
	struct function *function);

#endif
