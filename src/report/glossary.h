/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_GLOSSARY_H
#define REPORT_GLOSSARY_H

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
 * The same, also of a row of the policy, whose sentences are made in `arena`; else the only one whose
 * name begins so. NULL: there is none (or no memory).
 */
const struct glossary_entry *
glossary_explain(struct text name, struct arena *arena);

/** The name that may have been meant by a misspelled one; empty: none. */
struct text
glossary_near(struct text name);

#endif
