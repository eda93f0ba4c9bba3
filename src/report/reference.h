/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_REFERENCE_H
#define REPORT_REFERENCE_H

#include "base/text.h"

/** Where the documents tell more of a word or a finding: reference.def. */

enum reference_kind {
	REFERENCE_WORD,			/* a term of the glossary */
	REFERENCE_CODE,			/* a code of lint, or its beginning */
};

struct reference {
	const char *page, *section;	/* "symbol-file-format.md", "FUNC" */
};

/** Where more stands of a name. False: nowhere. */
bool
reference_of(enum reference_kind kind, struct text name, struct reference *reference);

#endif
