/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_WHATIS_INTERNAL_H
#define REPORT_MEMORY_WHATIS_INTERNAL_H

#include "report/memory/reading.h"
#include "report/memory/whatis.h"

/** What is at hand while the facts are collected. */
struct whatis_search {
	struct whatis *out;
	struct surroundings *around;
	const struct crash *crash;
	struct walk *walk;		/* NULL: none */
	size_t frame;
	uint64_t value;
	struct reading_source source;
	struct reading reading;
};

/** Add a fact; `format` may not get bytes of an input. Returns it, or NULL when out of memory. */
struct whatis_fact *
whatis_add(struct whatis *whatis, const char *name, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** The same with a text that may hold any bytes, `before` and `behind` it. */
struct whatis_fact *
whatis_add_text(struct whatis *whatis, const char *name, const char *before, struct text text,
		const char *behind);

/** Memory: what may be done there, whose it is, what stands there. */
void
whatis_memory(struct whatis_search *search);

/** Code: module, section, function, line, instruction. */
void
whatis_code(struct whatis_search *search);

/** Stacks: whose, which frame's, what was saved there; registers that hold the value. */
void
whatis_stack(struct whatis_search *search);

#endif
