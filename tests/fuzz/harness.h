/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The frame of all fuzz harnesses.
 *
 * A harness is a row of harness.def: it takes the bytes of one input, whatever they are, and
 * returns. What must never be seen ends the process (fuzz_fail), as a sanitizer does. `entry.c`
 * makes a libFuzzer program of the table, `replay.c` one that runs the same harnesses over files,
 * for every compiler and for AFL++; `seeds` makes the inputs to begin with, `run` runs all (make
 * fuzz). An input that once was a finding is kept in `found`, named NAME-WHAT.
 */
#ifndef TESTS_FUZZ_HARNESS_H
#define TESTS_FUZZ_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/output.h"

/** Told a word of a dictionary; bytes, which may have zeros. */
typedef void fuzz_word(const void *bytes, size_t size);

struct harness {
	const char *name;
	void (*run)(const uint8_t *bytes, size_t size);
	/*
	 * Change `size` bytes where there is room for `room`; the new size. NULL: bytes as they
	 * come.
	 */
	size_t (*mutate)(uint8_t *bytes, size_t size, size_t room, unsigned seed);
	void (*words)(fuzz_word *tell);	/* of the tables of the program; NULL: none */
	size_t most;			/* bytes of an input */
	const char *what;		/* it enters */
};

extern const struct harness harnesses[];
extern const size_t harness_count;

/** The harness of a name; NULL: none. */
const struct harness *
harness_named(const char *name);

/** Once, before any harness runs: a folder of its own, and nothing of this machine's user. */
void
harness_begin(void);

/** Say what is wrong and end the process. */
_Noreturn void
fuzz_fail(const char *wrong);

/** Files in memory that an input is put into. */
enum fuzz_file { FUZZ_DUMP, FUZZ_SYMBOLS, FUZZ_SCRIPT, FUZZ_FILES };

/** Make these bytes all of a file in memory; its path, which stays the same. */
const char *
fuzz_file(enum fuzz_file which, const void *bytes, size_t size);

/**
 * The path of a file of the source tree; it may be kept. Files that are missing end the process.
 */
const char *
fuzz_path(const char *name);

/** An output that keeps nothing, and fails for a byte that no terminal may get. */
extern const struct output fuzz_output;

/** The first `most` bytes of an input, or what there is, taken off its front. */
static inline const uint8_t *
fuzz_take(const uint8_t **bytes, size_t *size, size_t *most)
{
	const uint8_t *front = *bytes;

	*most = *most < *size ? *most : *size;
	*bytes += *most;
	*size -= *most;
	return front;
}

/* The harnesses, mutators and dictionaries of the table. */
#define HARNESS(name, harness, mutator, dictionary, most, what) \
	void fuzz_##harness(const uint8_t *bytes, size_t size);
#include "tests/fuzz/harness.def"
#undef HARNESS

size_t
mutate_minidump(uint8_t *bytes, size_t size, size_t room, unsigned seed);
size_t
mutate_symbols(uint8_t *bytes, size_t size, size_t room, unsigned seed);
/* mutate_symbols() behind the byte that says which command. */
size_t
mutate_command(uint8_t *bytes, size_t size, size_t room, unsigned seed);
#define mutate_none NULL

#define WORDS(name) void words_##name(fuzz_word *tell)
WORDS(streams);
WORDS(notes);
WORDS(symbols);
WORDS(postfix);
WORDS(options);
WORDS(config);
WORDS(lesson);
WORDS(script);
WORDS(http);
#undef WORDS
#define words_none NULL

/** The command lines of the harness `commands`, which an input's first byte chooses from. */
size_t
fuzz_command_count(void);

#endif
