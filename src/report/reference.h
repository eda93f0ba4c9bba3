/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_REFERENCE_H
#define REPORT_REFERENCE_H

#include "base/text.h"

/** The section of a document that explains a word or a finding: reference.def. */

enum reference_kind {
	REFERENCE_WORD,			/* a term of the glossary */
	REFERENCE_CODE,			/* a code of lint or its prefix */
};

struct reference {
	const char *page, *section;	/* "symbol-file-format.md", "FUNC" */
};

/** Find the section about `name`. False: none. */
bool
reference_of(enum reference_kind kind, struct text name, struct reference *reference);

#endif
