/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Symbol files of any size, in the shape of a browser's.
 *
 * dump_syms of a C++ browser gives 1.17 GB: 13.5 M line records, 14.7 M INLINE, 1.1 M INLINE_ORIGIN, 0.55 M FUNC, 0.18 M PUBLIC
 * and 3.3 M STACK CFI, 0.53 M of them INIT, with names of 30 to 300 characters. The same number gives the same file everywhere.
 * The program ends if memory runs out or a file cannot be written.
 */
#ifndef TESTS_BENCH_INVENTED_H
#define TESTS_BENCH_INVENTED_H

#include <stddef.h>
#include <stdint.h>

/** A function, by its records. */
struct invented_function {
	uint32_t address, size;
	/* Where the pc of a frame may be: after the prologue, before the epilogue. */
	uint32_t body, body_end;
	/* Bytes from the stack pointer there to the caller's, with the return address. */
	uint32_t frame;
};

struct invented;

/** Begin a file of `functions` functions at addresses from `base` on. */
struct invented *
invented_create(const char *path, uint64_t seed, uint32_t functions, uint32_t base);

/** Number INLINE_ORIGIN and FILE records from these numbers on. */
void
invented_number_from(struct invented *invented, uint32_t origin, uint32_t file);

/** Write bytes unchanged. */
void
invented_put(struct invented *invented, const char *bytes, size_t size);

void
invented_files(struct invented *invented);

void
invented_origins(struct invented *invented);

/** Write the FUNC records from `first` to before `last`, with the records within them. */
void
invented_functions(struct invented *invented, uint32_t first, uint32_t last);

void
invented_publics(struct invented *invented);

/** The STACK CFI records of these functions. */
void
invented_stack(struct invented *invented, uint32_t first, uint32_t last);

/** Describe a function whose FUNC record is written. */
struct invented_function
invented_function(const struct invented *invented, uint32_t number);

/** Write the rest, close the file and free all. Returns the file's size. */
uint64_t
invented_finish(struct invented *invented);

#endif
