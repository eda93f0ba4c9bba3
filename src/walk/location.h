/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WALK_LOCATION_H
#define WALK_LOCATION_H

#include "walk/symbol_at.h"
#include "walk/walk.h"

/**
 * The name of a frame: its module, function, line and inlined calls.
 *
 * Names are demangled here, once for each walk, by libiberty. Steps use the names in the file
 * (`main`, `_start`, cold parts).
 *
 * Lines of inlined calls are moved for readers: the innermost call has the line of the address
 * itself. Every other call, and the function at the end, has the line of its call to the
 * entry before it.
 */
struct call {
	struct text name;		/* name as shown; empty: none */
	struct text mangled;		/* name in the file, if it differs */
	struct text file;		/* empty: none */
	uint32_t line;			/* valid with has_line */
	bool has_line;
	uint64_t function_base;		/* relative to the module */
	uint64_t line_base;		/* relative to the module; 0 without a line record */
	const struct inline_call *inlined;	/* NULL for the function itself */
};

struct location {
	uint64_t address;
	const struct module *module;	/* NULL: outside all modules */
	int module_index;		/* index in the crash's loaded or unloaded modules */
	const struct symfile *symfile;	/* NULL: no symbols */
	bool trampoline;		/* a signal handler returns to the frame */
	bool lacking;			/* symbols may be found, but the walk began without them */
	struct symbol symbol;
	struct call *calls;		/* innermost first; the last is the function itself */
	size_t call_count;		/* at least 1 */
	struct call bare;		/* array for `calls` when out of memory */
};

/**
 * Fill the inlined calls of a symbol and its function, symbol->inline_count + 1 calls, with the
 * names in the file.
 */
void
location_turn_calls(const struct symbol *symbol, struct call *calls);

/** Set the shown name of a call; if the old name differs, it becomes `mangled`. */
void
location_show_name(struct call *call, struct text shown);

/** Look up `address` for a walk. Lists live in `arena`; without memory no calls are inlined. */
void
location_of(const struct walk *walk, uint64_t address, struct arena *arena,
	    struct location *location);

/** Whether a frame's line comes from a PDB or DWARF, not from a symbol file. */
bool
location_has_debug_line(const struct walk *walk, const struct frame *frame);

/**
 * Like location_of, for a frame of a document with all frames. `*named` counts the bytes of long
 * names and paths. Over LIMIT_WALK_NAMES, each is cut and its size is appended. NULL: no limit.
 */
void
location_of_frame(const struct walk *walk, const struct frame *frame, size_t *named,
		  struct arena *arena, struct location *location);

/** Appended to the name of a frame that a signal handler returns to, as in debuggers. */
#define LOCATION_HANDLER_CALLED " <signal handler called>"

/**
 * The shown name of a call: its function, with the distance of `pc` from it if the symbols have no
 * line. A call without a name has the module and the distance from its base. `always` adds the
 * distance to every name. LOCATION_HANDLER_CALLED is appended for a trampoline, "(?)" for another
 * uncertain name (struct symbol). Lives in `arena` or with the symbols.
 */
struct text
location_name(const struct location *location, const struct call *call, uint64_t pc, bool always,
	      struct arena *arena);

/**
 * The text for an address of a loaded module: "main + 0x10", or "main" at its beginning. `shown` is
 * the symbol's shown name; if it is empty: "libc.so.6 + 0x1234". Lives in `arena` or with `shown`.
 */
struct text
location_of_symbol(const struct module *module, const struct symbol *symbol, struct text shown,
		   uint64_t address, struct arena *arena);

/**
 * "after NAME + 0x23": the closest name below `pc` if it is another function's; otherwise an empty
 * text. Lives in `arena`.
 */
struct text
location_after(const struct location *location, uint64_t pc, struct arena *arena);

/**
 * The name of a frame's physical function (location_name). Lives in `arena` or with the symbols.
 */
struct text
location_frame_name(const struct walk *walk, const struct frame *frame, bool always,
		    struct arena *arena);

/**
 * Whether a thread that stopped at `pc` with `registers` ran Thumb code of arm, according to cpsr.
 * If a writer left cpsr 0, the evidence is a pc where only a Thumb instruction can begin, a
 * function's line at such an address, or the link register, which leads to the caller's code.
 */
bool
location_is_thumb(const struct walk *walk, const struct registers *registers, uint64_t pc);

#endif
