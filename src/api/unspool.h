/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNSPOOL_H
#define UNSPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The library: open a dump, walk its stacks, and read the trace of each step of the unwinder.
 *
 * Nothing here prints, exits or asks a server. Any bytes of a dump or of a symbol file may be
 * wrong. Then a text is empty or a function returns false. Texts are UTF-8 or any bytes of the
 * input, end with NUL, and are never NULL. They live until unspool_close, or until a call that the
 * comment of their function mentions. A handle belongs to one thread at a time.
 */

/** The version of the interface, raised by incompatible changes; also in libunspool.so.N. */
#define UNSPOOL_API 1

/** A number that means "none" or "unknown". */
#define UNSPOOL_NONE SIZE_MAX

/** An open dump. */
struct unspool;

/** A row of a stack: a frame, or a call that was inlined into it. */
struct unspool_frame {
	size_t frame;		/* number of the frame; inlined calls have their frame's */
	bool inlined;
	bool guessed;		/* found by a scan of the stack, so it may be false */
	uint64_t pc, sp;
	const char *trust;	/* method that found it, as in `walk --json`: "cfi", "scan" */
	const char *module;	/* path of the module's file */
	const char *function;	/* with the offset if the line is unknown */
	const char *file;
	uint32_t line;		/* 0: unknown */
};

/** An event of a step; see `unspool explain --json`. */
struct unspool_event {
	const char *kind;	/* "attempt", "rule", "token", "read", "set", ... */
	const char *name;	/* a register, token or variable of the record */
	const char *text;	/* a sentence or an expression */
	bool failed, has_value;
	uint64_t address, value;
	/* Numbers of the enclosing event and of the event that gave the value */
	size_t parent, from;
	const char *input;	/* path of the file with the event's bytes */
	uint64_t offset;
	uint32_t length, line;	/* `length` in bytes; `line` from 1, or 0 in a binary file */
};

/**
 * Open a dump. `places` are symbol files, directories of symbols, and modules' own files. NULL,
 * with the reason in `error`, if it is not a dump.
 */
struct unspool *
unspool_open(const char *dump, const char *const *places, size_t count, char *error, size_t size);

void
unspool_close(struct unspool *unspool);

/** The version of the program that the library belongs to. */
const char *
unspool_version(void);

/** The crash reason in Breakpad's words; empty: no crash. */
const char *
unspool_reason(const struct unspool *unspool);

size_t
unspool_threads(const struct unspool *unspool);

/** The thread that crashed, from 0; UNSPOOL_NONE: none. */
size_t
unspool_crashed(const struct unspool *unspool);

/**
 * Walk a thread. Returns its number of rows; 0: no such thread, no registers or no memory. All
 * texts of the previous walk become invalid.
 */
size_t
unspool_walk(struct unspool *unspool, size_t thread);

/** A row of the walk, innermost first. False: no such row. */
bool
unspool_frame(struct unspool *unspool, size_t row, struct unspool_frame *frame);

/** The reason for the end of the walk. */
const char *
unspool_end(const struct unspool *unspool);

/** A register of a frame of the walk ("rsp"). False: unknown. */
bool
unspool_register(const struct unspool *unspool, size_t frame, const char *name, uint64_t *value);

/**
 * Repeat the step from a frame to its caller and record it. Returns the number of events. Texts of
 * an earlier step become invalid.
 */
size_t
unspool_step(struct unspool *unspool, size_t frame);

/** An event of the recorded step. False: no such event. */
bool
unspool_event(struct unspool *unspool, size_t number, struct unspool_event *event);

/** Name an address of the process: "main + 0x10"; empty: unknown. Lives as long as the walk. */
const char *
unspool_symbol(struct unspool *unspool, uint64_t address);

/** Copy memory of the process. Returns the number of bytes that the dump has from `address` on. */
size_t
unspool_read(const struct unspool *unspool, uint64_t address, void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
