/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_MEMORY_IDENTIFY_H
#define REPORT_MEMORY_IDENTIFY_H

#include "inspect/expression.h"
#include "document/facts.h"
#include "document/listing.h"

/**
 * What an address is: everything that the crash says of a value, each with what says so.
 */
struct identify_fact {
	const char *name;	/* stable: "module" */
	struct text text;	/* may hold bytes of an input */
	struct place place;	/* the bytes that say so; none: it follows from others */
	struct target target;	/* where Enter leads */
};

struct identification {
	struct arena arena;
	struct surroundings *around;
	struct text typed;
	struct expression expression;
	uint64_t value;
	struct identify_fact *facts;
	size_t count, capacity;
};

/**
 * Say what `typed` is. `walk` and `frame` give registers their values and say which frames come
 * first (NULL: no frames). NULL when out of memory.
 */
struct identification *
identify_create(struct surroundings *around, struct walk *walk, size_t frame, struct text typed);

/** Harmless on NULL. */
void
identify_free(struct identification *identify);

/** The facts, a row each; they live as long as `identify`. */
struct listing
identify_listing(const struct identification *identify);

/** The facts as the members of an object that is open. */
void
identification_members(struct json *json, const struct identification *found);

extern const struct fact identification_facts[];

#endif
