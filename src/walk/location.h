/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_LOCATION_H
#define WALK_LOCATION_H

#include "walk/walk.h"

/**
 * The name of a frame: its module, function, line and inlined calls.
 *
 * Names are demangled here, once for a walk, by libiberty. Steps decide by the names in the file
 * (`main`, `_start`, cold parts).
 *
 * Inlined calls are turned the way people read them: the innermost one has the line that
 * the address itself has, each next one the place where the one before it is called, and
 * the function has the place where the outermost inlined call is made.
 */
struct call {
	struct text name;		/* as it is shown; empty: none */
	struct text mangled;		/* as the file has it, where that is another */
	struct text file;		/* empty: none */
	uint32_t line;			/* counts only with has_line */
	bool has_line;
	uint64_t function_base;		/* relative to the module */
	uint64_t line_base;		/* relative to the module; 0 without a line record */
	const struct inline_call *inlined;	/* NULL for the function itself */
};

struct location {
	uint64_t address;		/* that was looked up */
	const struct module *module;	/* NULL: in no module */
	int module_index;		/* in the crash's loaded or unloaded modules */
	const struct symfile *symfile;	/* NULL: no symbols */
	bool lacking;			/* they are there or may come, but the walk began without */
	struct symbol symbol;
	struct call *calls;		/* innermost first; the last one is the function itself */
	size_t call_count;		/* at least 1 */
	struct call bare;		/* what `calls` points at when out of memory */
};

/**
 * Fill the inlined calls of a symbol and its function, symbol->inline_count + 1 of them, with names
 * as their file has them.
 */
void
location_turn_calls(const struct symbol *symbol, struct call *calls);

/** The name of a call becomes `shown`, the mangled one is kept where that is another. */
void
location_show_name(struct call *call, struct text shown);

/**
 * The place of `length` bytes at `offset`, as the function, line and calls of location->symbol have
 * them: in the module's `own_file`, or in the symbol file where that is NULL.
 */
struct place
location_place(const struct location *location, const struct input *own_file, uint64_t offset,
	       uint32_t length);

/** Look up `address` for a walk. Lists live in `arena`; without memory there are none inlined. */
void
location_of(const struct walk *walk, uint64_t address, struct arena *arena,
	    struct location *location);

/**
 * location_of for a frame of a document that has all frames. `*named` counts the bytes of its long
 * names and paths; behind LIMIT_WALK_NAMES they are cut, with their sizes behind them. NULL: none
 * is cut.
 */
void
location_of_frame(const struct walk *walk, const struct frame *frame, size_t *named,
		  struct arena *arena, struct location *location);

/**
 * What a call is called: its function, with the distance of `pc` from it where the symbols
 * have no line; else the module and the distance. `always` adds the distance to every
 * name. A name that is a guess (struct symbol's `uncertain`) has "(?)" behind it. Lives in `arena`
 * or with the symbols.
 */
struct text
location_name(const struct location *location, const struct call *call, uint64_t pc, bool always,
	      struct arena *arena);

/**
 * "after NAME + 0x23": the closest name below `pc` where that is another function's; else empty.
 * Lives in `arena`.
 */
struct text
location_after(const struct location *location, uint64_t pc, struct arena *arena);

/**
 * The name of the function itself that a frame is in (location_name). A name from a list of the
 * look-up lives in `arena`.
 */
struct text
location_frame_name(const struct walk *walk, const struct frame *frame, bool always,
		    struct arena *arena);

/**
 * Whether the code at `pc`, where a thread was stopped with `registers`, is Thumb code of arm. cpsr
 * tells; where a writer has left it 0, an address at which no other instruction can begin, a line
 * of the function at such an address, or else the link register, which leads to the caller's code.
 */
bool
location_is_thumb(const struct walk *walk, const struct registers *registers, uint64_t pc);

#endif
