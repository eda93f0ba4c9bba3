/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The frame of all fuzz harnesses.
 *
 * A harness is a row of harness.def: it takes the bytes of one input, valid or not, and returns. If a check fails, it ends the
 * process (fuzz_fail), as a sanitizer does. `entry.c` makes a libFuzzer program of the table; `replay.c` makes one that runs the
 * same harnesses over files, for every compiler and for AFL++. `seeds` makes the first inputs, `run` runs all harnesses (make
 * fuzz). Old findings are kept in `found`, named NAME-WHAT.
 */
#ifndef TESTS_FUZZ_HARNESS_H
#define TESTS_FUZZ_HARNESS_H

#include "base/output.h"

/** Receives a word of a dictionary; its bytes may contain zeros. */
typedef void fuzz_word(const void *bytes, size_t size);

struct harness {
	const char *name;
	void (*run)(const uint8_t *bytes, size_t size);
	/* Change `size` bytes of a buffer that has `room`; returns the new size. NULL: the fuzzer changes bytes at random. */
	size_t (*mutate)(uint8_t *bytes, size_t size, size_t room, unsigned seed);
	void (*words)(fuzz_word *tell);	/* gives words of the program's tables, or NULL */
	size_t most;			/* the most bytes of an input */
	const char *what;		/* the part of the program that it enters */
};

extern const struct harness harnesses[];
extern const size_t harness_count;

/** The harness with a name, or NULL. */
const struct harness *
harness_named(const char *name);

/** Called once before any harness: make a folder, and hide the files of this machine's user.
 * `one_part`: most inputs get one part of the checks (fuzz_parts), as suits a fuzzer. */
void
harness_begin(bool one_part);

/** The parts of its checks that a harness runs over an input: a set of `count` bits. */
unsigned
fuzz_parts(const uint8_t *bytes, size_t size, unsigned count);

/** Print an error and end the process. */
_Noreturn void
fuzz_fail(const char *wrong);

/** Files in memory that hold an input. */
enum fuzz_file { FUZZ_DUMP, FUZZ_SYMBOLS, FUZZ_SCRIPT, FUZZ_FILES };

/** Replace the contents of a file in memory; returns its path, which stays the same. */
const char *
fuzz_file(enum fuzz_file which, const void *bytes, size_t size);

/** The path of a file of the source tree; it stays valid. A missing file ends the process. */
const char *
fuzz_path(const char *name);

/** Discards output, and fails if it has a byte that must not reach a terminal. */
extern const struct output fuzz_output;

/** Take up to `most` bytes off the front of an input. */
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
/** mutate_symbols() for the bytes after the one that chooses the command. */
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

/** The number of command lines of the harness `commands`; an input's first byte chooses one. */
size_t
fuzz_command_count(void);

#endif
