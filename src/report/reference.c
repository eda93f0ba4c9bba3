/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/reference.h"

#include <string.h>

#include "base/compiler.h"

static const struct {
	enum reference_kind kind;
	const char *names;
	struct reference to;
} rows[] = {
#define R(kind, names, page, section) { REFERENCE_##kind, names, { page, section } },
#include "report/reference.def"
};

bool
reference_of(enum reference_kind kind, struct text name, struct reference *reference)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *at = rows[i].names;
		bool more = rows[i].kind == kind;

		while (more) {
			const struct text one = { at, strcspn(at, "|") };
			const struct text begun = { name.start, one.length };

			if (kind == REFERENCE_WORD
				    ? text_equal(one, name)
				    : one.length <= name.length && text_equal(one, begun)) {
				*reference = rows[i].to;
				return true;
			}
			more = at[one.length] == '|';
			at += one.length + more;
		}
	}
	return false;
}
