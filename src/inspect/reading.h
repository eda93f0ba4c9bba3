/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_READING_H
#define INSPECT_READING_H

#include "locate/binaries.h"
#include "code/call.h"
#include "crash/memory.h"
#include "inspect/variable/variable_places.h"
#include "walk/walk.h"

/**
 * The possible meaning of a value: code, a pointer with its target, a small number, a fill pattern.
 *
 * A reading is guessed from the value alone. Callers may have better evidence, for example that a
 * word is the return address of a frame. A reading uses loaded symbols, and loads none.
 */
enum reading_kind {
	READING_NUMBER, /* nothing known */
	READING_ZERO,
	READING_SMALL, /* a small number, perhaps negative */
	READING_PATTERN, /* `words`: meaning of the pattern */
	READING_TEXT,
	READING_CODE, /* in code of `module`; `call` is set */
	READING_DATA, /* in `module`, not code */
	READING_UNLOADED, /* in unloaded module `module` */
	READING_STACK, /* in the walked thread's stack */
	READING_THREAD, /* in the stack of another thread, `thread` */
	READING_MEMORY, /* in other memory that the dump has */
	READING_MAPPED, /* in `mapping`, whose memory the dump lacks */
};

struct reading {
	enum reading_kind kind;
	uint64_t value;
	int module;
	enum call_answer call; /* whether a call precedes the address */
	size_t thread; /* index in crash->threads */
	const struct mapping *mapping; /* NULL: unknown */
	const char *words;
};

struct reading_source {
	const struct crash *crash;
	const struct arch *arch;
	const struct memory_view *memory;
	struct binaries *binaries; /* NULL: none */
	struct walk *walk; /* walk with the stack and symbols; NULL: none */
	bool shared; /* other threads use the walked stack's memory, too */
	struct variable_places *variables; /* variables on the walk's stack; NULL: unknown */
};

/** Smaller numbers are probably counts or offsets, not addresses: no system maps them. */
#define READING_SMALLER 0x10000u
/** Minimum length of a text in characters. */
#define READING_LEAST_TEXT 4u
/** Maximum number of pointers to follow from one value. */
#define READING_HOPS 3u

/** Prepare `source`. Its lists live in `arena`. */
void
reading_source_init(struct reading_source *source, const struct crash *crash,
	const struct memory_view *memory, struct binaries *binaries, struct walk *walk,
	struct arena *arena);

/** The reading of a value. */
struct reading
reading_of(const struct reading_source *source, uint64_t value);

/**
 * Whether a value is a pointer or a fill pattern. Long lists give such a value a row of its own.
 * Much faster than reading_of.
 */
bool
reading_is_telling(const struct reading_source *source, uint64_t value);

/** Copy the characters of a value whose bytes are text. Returns their number; 0: no text. */
size_t
reading_letters(const struct reading_source *source, uint64_t value, char letters[8]);

/** Bytes of a word: 4 or 8. */
unsigned
reading_word_size(const struct reading_source *source);

/**
 * The text for a value in a module (location_of_symbol). The function or data around the value is
 * looked up in the loaded symbols or the module's file. `*named` (may be NULL) says whether it was
 * found. The text lives in `arena` or with the walk's names.
 */
struct text
reading_name(const struct reading_source *source, const struct reading *reading, bool *named,
	struct arena *arena);

#endif
