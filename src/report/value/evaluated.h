/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_EVALUATED_H
#define REPORT_VALUE_EVALUATED_H

#include "inspect/expression/value_expression.h"
#include "report/lines.h"

/** The texts about a value or the result of an expression. */
struct evaluated {
	const char *type, *how, *value;
	const char *pretty;		/* NULL: `value` is the only text */
	const char *absent;		/* reason for the missing value; NULL: it has one */
	const char *number, *bytes;	/* each NULL if it has none */
	enum variable_location location;
	const struct location_result *result;
	bool has_address;		/* for a reference: the object's */
	uint64_t address;
};

/** The texts about a value that was found; they live in `arena`. */
struct evaluated
evaluated_of(const struct variable_value *found, struct arena *arena);

/**
 * Add the result of an expression: its value, type and place, its parts, and the values that it was
 * computed from, each with its bytes in the dump.
 */
void
evaluated_add(struct lines *lines, const struct value_expression *expression);

#endif
