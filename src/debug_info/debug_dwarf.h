/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DEBUG_INFO_DEBUG_DWARF_H
#define DEBUG_INFO_DEBUG_DWARF_H

#include "binary/elf_unpacked.h"
#include "debug_info/debug_info.h"

/** The DWARF of one file; callers see to it that calls never overlap. */
struct debug_dwarf;

/** The reader of DWARF. Where libdw was left out it has no functions. */
struct debug_dwarf_reader {
	/**
	 * NULL where the file has none or out of memory. `supplement` (may be NULL) has what dwz
	 * moved out of the file; for units of split DWARF `binaries` (may be NULL) is asked as
	 * their functions are needed. No other file is opened, whatever the file names. `*damage`
	 * is set where a section of the first two is left out.
	 */
	struct debug_dwarf *(*open)(const struct binary *binary, const struct binary *supplement,
				    struct binaries *binaries, size_t module,
				    struct elf_damage *damage);
	void (*close)(struct debug_dwarf *dwarf);
	/** How many units with code it has. */
	size_t (*unit_count)(const struct debug_dwarf *dwarf);
	/**
	 * As debug_info_find, of one file. False where it names no function there; the line is set
	 * even then, where there is one.
	 */
	bool (*find)(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		     struct debug_answer *answer);
	/** As debug_info_body, of one file. */
	bool (*body)(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		     struct debug_body *body);
	/** The lines alone of a function that only a symbol table names: body->function. */
	void (*lines)(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body);
	/** Tell the name and the first address of every run of a function's code. */
	void (*functions)(struct debug_dwarf *dwarf, debug_info_tell *tell, void *context);
	/** How many units have their functions in another file, which is missing for so many. */
	void (*split)(struct debug_dwarf *dwarf, size_t *count, size_t *missing);
	/** Whether something was left out because it would cost more than the file may. */
	bool (*limited)(const struct debug_dwarf *dwarf);
};

extern const struct debug_dwarf_reader debug_dwarf_reader;

#endif
