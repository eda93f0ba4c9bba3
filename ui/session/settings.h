/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_SETTINGS_H
#define UI_SESSION_SETTINGS_H

#include "ui/request/requests.h"

/**
 * Settings: a table of names, each with the values that it may have.
 */
struct setting {
	const char *name;
	const char *values;	/* separated by blanks; "NUMBER": any from 0 up */
	const char *help;
};

/** The settings in their order; NULL behind the last. */
const struct setting *
settings_at(size_t index);

/** The present value of setting `index`, written to `buffer`, which is returned. */
const char *
settings_value(const struct explorer *explorer, size_t index, char *buffer, size_t size);

/**
 * Obey "NAME VALUE"; names and values may be shortened. On failure false, and `wrong` has a
 * sentence that says what was expected.
 */
bool
settings_set(struct explorer *explorer, const char *text, char *wrong, size_t size);

#endif
