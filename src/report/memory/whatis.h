/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_WHATIS_H
#define REPORT_MEMORY_WHATIS_H

#include "report/step/expression.h"
#include "document/json.h"
#include "document/listing.h"

/**
 * What an address is: everything that the crash says of a value, each with what says so.
 */
struct whatis_fact {
	const char *name;	/* stable: "module" */
	struct text text;	/* may hold bytes of an input */
	struct place place;	/* the bytes that say so; none: it follows from others */
	struct target target;	/* where Enter leads */
};

struct whatis {
	struct arena arena;
	struct surroundings *around;
	struct text typed;
	struct expression expression;
	uint64_t value;
	struct whatis_fact *facts;
	size_t count, capacity;
};

/**
 * Say what `typed` is. `walk` and `frame` give registers their values and say which frames come
 * first (NULL: no frames). NULL when out of memory.
 */
struct whatis *
whatis_create(struct surroundings *around, struct walk *walk, size_t frame, struct text typed);

/** Harmless on NULL. */
void
whatis_free(struct whatis *whatis);

/** The facts, a row each; they live as long as `whatis`. */
struct listing
whatis_listing(const struct whatis *whatis);

/** The same as a member `key` (NULL: an element). */
void
whatis_json(struct json *json, const char *key, const struct whatis *whatis);

#endif
