/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_QUERY_H
#define INSPECT_QUERY_H

#include "base/error.h"
#include "walk/walk.h"

/**
 * A question to a walk and its steps, written as words: lessons, their checks and scripts ask so.
 *
 *	frame N [attempt METHOD] WHAT [ATTRIBUTE]
 *	frames [value|text]
 *
 * WHAT is one row of query.def, of the step from frame N to its caller: of the attempt that found
 * the caller, or of METHOD's, which is made if the walk did not come to it. Tokens and reads count
 * from 1 within their attempt, as views show them. ATTRIBUTE is `value` if none is given.
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
	enum method_id method;		/* METHOD_COUNT: the one that found the caller */
	size_t number;			/* of a token or read */
	struct text name;		/* of a rule, register, input or check; borrowed */
};

/** What a query found. */
struct query_answer {
	bool valued;			/* it has a value */
	uint64_t value;			/* or the address that was asked for */
	struct place place;		/* of the bytes that say so; no input: none */
	const char *text;		/* the attribute in words: "0x7ffe10", "$rsp 16 +", "ok" */
};

/** Whether a text begins as a query does: it is one, or it is wrong. */
bool
query_is_one(struct text text);

/**
 * How many bytes of a text are a query with its attribute, which more may follow; all of them where
 * there is no attribute.
 */
size_t
query_length(struct text text);

/**
 * Read a query. What is wrong is in `error`, whose place has the column in `text` (from 1) and
 * nothing else. Names of registers are not looked at: they are the walk's.
 */
enum error_code
query_parse(struct text text, struct query *query, struct error *error);

/**
 * Ask a walk, which is extended as far as needed. The texts of the answer live in `arena`; places
 * lie in inputs of the walk. Fails with a sentence where the walk has no such thing.
 */
enum error_code
query_ask(const struct query *query, struct walk *walk, struct arena *arena,
	  struct query_answer *answer, struct error *error);

#endif
