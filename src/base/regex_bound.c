/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/regex_bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

/* The larger number of the first pair of braces; 1 where it has none. */
static unsigned long
repetitions(const char *text)
{
	const char *brace = strchr(text, '{');
	unsigned long least, most = 0;
	char *end;

	if (brace == NULL)
		return 1;
	least = strtoul(brace + 1, &end, 10);
	if (*end == ',')
		most = strtoul(end + 1, &end, 10);
	most = most > least ? most : least;
	return most > 0 ? most : 1;
}

const char *
regex_bound_reason(const char *text)
{
	const char *brace = strchr(text, '{');

	if (brace != NULL && strchr(brace + 1, '{') != NULL)
		return "more than one repetition in braces";
	if (repetitions(text) > LIMIT_REGEX_REPETITIONS)
		return "more than 255 repetitions";
	for (const char *c = text; (c = strchr(c, '\\')) != NULL && c[1] != '\0'; c += 2)
		if (c[1] >= '1' && c[1] <= '9')
			return "a reference back";
	return NULL;
}

size_t
regex_bound_states(const char *text)
{
	return strlen(text) * repetitions(text);
}
