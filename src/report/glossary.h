/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_GLOSSARY_H
#define REPORT_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/text.h"

/** A term of the field, explained in three sentences. The table is glossary.def. */
struct glossary_entry {
	const char *term;	/* spelling shown */
	const char *also;	/* other names, separated by '|'; may be "" */
	const char *text;
};

/** The entries in the order of their terms; NULL after the last. */
const struct glossary_entry *
glossary_at(size_t index);

/**
 * The entry whose term or other name is `name`; case is ignored, '-' and '_' count as blanks. Else,
 * if `begun`, the only entry with a name that begins with `name`. NULL: none, or several entries.
 */
const struct glossary_entry *
glossary_find(struct text name, bool begun);

/**
 * Like glossary_find(), but also finds rows of the policy and signs of the views (sign.def). The
 * sentences for these are made in `arena`. NULL: not found, or out of memory.
 */
const struct glossary_entry *
glossary_explain(struct text name, struct arena *arena);

/** A word or sign of a row that has an explanation. */
struct glossary_hit {
	struct text word;		/* bytes of the row */
	const char *term;		/* term of the entry; NULL: a sign of the view */
	const char *text;
};

/**
 * Find the next word or sign of a row of the view `view` from byte `*at` on, and move `*at` past
 * it. False: there is no next word or sign. An operator between two operands is not a sign.
 */
bool
glossary_next(struct text row, const char *view, size_t *at, struct glossary_hit *hit);

/** The name that is closest to a misspelled name; empty: no name is close. */
struct text
glossary_near(struct text name);

/** The kind of the subject that a row of reference.def explains. */
enum reference_kind {
	REFERENCE_WORD,			/* a term of the glossary */
	REFERENCE_CODE,			/* a code of lint or its prefix */
};

/** A section of a document. */
struct reference {
	const char *page, *section;	/* "symbol-file-format", "FUNC" */
};

/** Find the section of a document that explains `name`. False: none. */
bool
reference_of(enum reference_kind kind, struct text name, struct reference *reference);

#endif
