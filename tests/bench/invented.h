/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Symbol files of any size, of the shape that a browser's has.
 *
 * A dump_syms of a C++ browser is 1.17 GB: 13.5 M line records, 14.7 M INLINE, 1.1 M
 * INLINE_ORIGIN, 0.55 M FUNC, 0.18 M PUBLIC and 3.3 M STACK CFI of which 0.53 M are INIT, with
 * names of 30 to 300 characters. The same number gives the same file, everywhere. Memory that
 * runs out and files that can't be written end the program.
 */
#ifndef TESTS_BENCH_INVENTED_H
#define TESTS_BENCH_INVENTED_H

#include <stddef.h>
#include <stdint.h>

/** A function, as its records tell of it. */
struct invented_function {
	uint32_t address, size;
	/* Where a frame may stand in it: behind the prologue, before the epilogue. */
	uint32_t body, body_end;
	/* Bytes from the stack pointer there to the caller's; the return address is on top. */
	uint32_t frame;
};

struct invented;

/** Begin a file of `functions` functions that lie from `base` on. */
struct invented *
invented_create(const char *path, uint64_t seed, uint32_t functions, uint32_t base);

/** Number INLINE_ORIGIN and FILE records from here on. */
void
invented_number_from(struct invented *invented, uint32_t origin, uint32_t file);

/** Put bytes into the file as they are. */
void
invented_put(struct invented *invented, const char *bytes, size_t size);

void
invented_files(struct invented *invented);

void
invented_origins(struct invented *invented);

/** The FUNC records from the first to before the last one, with all that is inside them. */
void
invented_functions(struct invented *invented, uint32_t first, uint32_t last);

void
invented_publics(struct invented *invented);

/** The STACK CFI records of these functions. */
void
invented_stack(struct invented *invented, uint32_t first, uint32_t last);

/** What a function is like whose FUNC record is written. */
struct invented_function
invented_function(const struct invented *invented, uint32_t number);

/** Write the rest, close and free it. Returns the file's size. */
uint64_t
invented_finish(struct invented *invented);

/** The next of a row of numbers without any order. */
uint64_t
invented_number(uint64_t *state);

#endif
