/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_IDENTIFY_INTERNAL_H
#define REPORT_MEMORY_IDENTIFY_INTERNAL_H

#include "inspect/reading.h"
#include "report/memory/identify.h"

/** What is at hand while the facts are collected. */
struct identify_search {
	struct identification *out;
	struct surroundings *around;
	const struct crash *crash;
	struct walk *walk;		/* NULL: none */
	size_t frame;
	uint64_t value;
	struct reading_source source;
	struct reading reading;
};

/** Add a fact; `format` may not get bytes of an input. Returns it, or NULL when out of memory. */
struct identify_fact *
identify_add(struct identification *identify, const char *name, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** The same with a text that may hold any bytes, `before` and `behind` it. */
struct identify_fact *
identify_add_text(struct identification *identify, const char *name, const char *before, struct text text,
		const char *behind);

/** Memory: what may be done there, whose it is, what stands there. */
void
identify_memory(struct identify_search *search);

/** Code: module, section, function, line, instruction. */
void
identify_code(struct identify_search *search);

/** Stacks: whose, which frame's, what was saved there; registers that hold the value. */
void
identify_stack(struct identify_search *search);

#endif
