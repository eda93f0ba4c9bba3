/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_QUERY_H
#define INSPECT_QUERY_H

#include "base/error.h"
#include "walk/walk.h"

/**
 * A question about a walk and its steps, in words, for lessons, their checks and scripts.
 *
 *	frame N [attempt METHOD] WHAT [ATTRIBUTE]
 *	frames [value|text]
 *
 * WHAT is one row of query.def, for the step from frame N to its caller: in the attempt that found
 * the caller, or in METHOD's, which is run now if the walk did not try it. Tokens and reads count
 * from 1 within their attempt, as views show them. The default of ATTRIBUTE is `value`.
 */
enum query_what {
#define WHAT(id, ...) QUERY_##id,
#include "inspect/query.def"
	QUERY_WHATS
};

enum query_attribute {
#define ATTRIBUTE(id, ...) QUERY_OF_##id,
#include "inspect/query.def"
	QUERY_ATTRIBUTES
};

struct query {
	enum query_what what;
	enum query_attribute attribute;
	size_t frame;
	enum method_id method;		/* METHOD_COUNT: the method that found the caller */
	size_t number;			/* number of a token or read */
	struct text name;		/* name of a rule, register, input or check; borrowed */
};

struct query_answer {
	bool valued;			/* there is a value */
	uint64_t value;			/* the value, or the requested address */
	struct place place;		/* place of the bytes that prove it; input NULL: none */
	const char *text;		/* the attribute as text: "0x7ffe10", "$rsp 16 +", "ok" */
};

/** Whether a text begins like a query, valid or not. */
bool
query_is_one(struct text text);

/**
 * The length of a query and its attribute at the beginning of a text; the length of the text if
 * there is no attribute.
 */
size_t
query_length(struct text text);

/**
 * Parse a query. The place in `error` is only the column in `text` (from 1). Names of registers are
 * not checked, because they depend on the walk.
 */
enum error_code
query_parse(struct text text, struct query *query, struct error *error);

/**
 * Answer a query about a walk, which is extended as needed. The texts of the answer live in
 * `arena`; places are in inputs of the walk. Fails with a sentence if the walk lacks the subject of
 * the query.
 */
enum error_code
query_ask(const struct query *query, struct walk *walk, struct arena *arena,
	  struct query_answer *answer, struct error *error);

#endif
