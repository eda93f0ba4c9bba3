/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_DWARF_H
#define DEBUG_INFO_DEBUG_DWARF_H

#include "debug_info/debug_info.h"
#include "dwarf/dwarf.h"

/** Names, lines and inlined calls from the DWARF of one file; calls must not overlap. */
struct debug_dwarf;

/**
 * NULL where the file has no DWARF or out of memory. `supplement` (may be NULL) has what dwz moved
 * out of the file; for units of split DWARF `binaries` (may be NULL) is asked when their functions
 * are needed. No other file is opened, even if the file names one. `*damage` is set where a
 * section of the first two is left out.
 */
struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement,
		 struct binaries *binaries, size_t module, struct elf_damage *damage);

/** Harmless on NULL. */
void
debug_dwarf_close(struct debug_dwarf *dwarf);

/** How many units with code it has. */
size_t
debug_dwarf_unit_count(const struct debug_dwarf *dwarf);

/**
 * debug_info_find() for one file. False where it names no function there; the line is set even
 * then, where there is one.
 */
bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer);

/** debug_info_body() for one file. */
bool
debug_dwarf_body(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_body *body);

/** The lines alone of a function that only a symbol table names: body->function. */
void
debug_dwarf_lines(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body);

/** Call `tell` with the name and the first address of every range of a function's code. */
void
debug_dwarf_functions(struct debug_dwarf *dwarf, debug_info_tell *tell, void *context);

/** How many units have their functions in another file, which is missing for so many. */
void
debug_dwarf_count_split(struct debug_dwarf *dwarf, size_t *count, size_t *missing);

/** Whether something was left out because it would cost more than the file may. */
bool
debug_dwarf_limited(const struct debug_dwarf *dwarf);

#endif
