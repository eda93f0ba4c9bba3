/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_GLOSSARY_H
#define REPORT_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/**
 * What the words of the field mean, in three sentences each: a table, glossary.def.
 */
struct glossary_entry {
	const char *term;	/* as it is written */
	const char *also;	/* other names, separated by '|'; may be "" */
	const char *text;
};

/** The entries in the order of their terms; NULL behind the last. */
const struct glossary_entry *
glossary_at(size_t index);

/** The term of an entry; NULL behind the last. */
const char *
glossary_term(size_t index);

/**
 * The entry of a term or of another name of it, in small letters or large, with '-' or '_' for a
 * blank. NULL: there is none.
 */
const struct glossary_entry *
glossary_find(struct text name);

/**
 * glossary_find(), also of a row of the policy or a sign of the views (sign.def), with sentences in
 * `arena`. NULL: there is none (or no memory).
 */
const struct glossary_entry *
glossary_explain(struct text name, struct arena *arena);

/** The only entry that has a name which begins so; NULL: there is none, or several. */
const struct glossary_entry *
glossary_begun(struct text beginning);

/** A word or sign of a row that is explained. */
struct glossary_hit {
	struct text word;		/* in the row */
	const char *term;		/* of its entry; NULL: it is a sign of the view */
	const char *text;
};

/**
 * The next word or sign of a row of the view `view`, from byte `*at` on, which moves behind it.
 * False: nothing more is explained. An operator between two operands is no sign.
 */
bool
glossary_next(struct text row, const char *view, size_t *at, struct glossary_hit *hit);

/** The name that may have been meant by a misspelled one; empty: none. */
struct text
glossary_near(struct text name);

#endif
