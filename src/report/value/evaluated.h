/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_EVALUATED_H
#define REPORT_VALUE_EVALUATED_H

#include "inspect/expression/value_expression.h"
#include "report/lines.h"

/** What is written of a value, and of what an expression gives. */
struct evaluated {
	const char *type, *how, *value;
	const char *pretty;		/* NULL: no other text than `value` */
	const char *absent;		/* why there is no value; NULL: there is one */
	const char *number, *bytes;	/* NULL: it has none */
	enum variable_location location;
	const struct location_result *result;
	bool has_address;		/* of a reference: the object's */
	uint64_t address;
};

/** What is written of a value that was found. Texts live in `arena`. */
struct evaluated
evaluated_of(const struct variable_value *found, struct arena *arena);

/**
 * Add what an expression gives: its value and type, where that is, its parts, and what it was
 * computed from, each with the dump's bytes that say so.
 */
void
evaluated_add(struct lines *lines, const struct value_expression *expression);

#endif
