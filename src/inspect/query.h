/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_QUERY_H
#define INSPECT_QUERY_H

#include "base/error.h"
#include "walk/walk.h"

/**
 * A question in words about a walk and its steps. Lessons, their checks and scripts use queries.
 *
 *	frame N [attempt METHOD] WHAT [ATTRIBUTE]
 *	frames [value|text]
 *
 * Rows of query.def define WHAT, a part of the step from frame N to its caller. The answer is from
 * the attempt that found the caller, or from METHOD's attempt, which is run if the walk has none.
 * Tokens and reads are numbered from 1 in each attempt. The default of ATTRIBUTE is `value`.
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
	bool valued;			/* `value` is set */
	uint64_t value;			/* the value, or the requested address */
	struct place place;		/* place of the bytes that prove it; input NULL: none */
	const char *text;		/* the attribute as text: "0x7ffe10", "$rsp 16 +", "ok" */
};

/** Whether a text begins like a query, valid or not. */
bool
query_is_one(struct text text);

/**
 * The length of the query at the beginning of a text. The query ends with its attribute. If the
 * text has no attribute, the length of the whole text.
 */
size_t
query_length(struct text text);

/**
 * Parse a query. The place in `error` has only the column in `text`, counted from 1. Names of
 * registers are not checked, because they depend on the walk.
 */
enum error_code
query_parse(struct text text, struct query *query, struct error *error);

/**
 * Answer a query about a walk. Adds frames to the walk as needed. The texts of the answer live in
 * `arena`; its places refer to inputs of the walk. If the walk lacks the subject of the query,
 * `error` has a sentence.
 */
enum error_code
query_ask(const struct query *query, struct walk *walk, struct arena *arena,
	  struct query_answer *answer, struct error *error);

#endif
