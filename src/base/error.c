/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include "base/text.h"

enum error_code
error_set(struct error *error, enum error_code code, struct place place, const char *format, ...)
{
	if (error == NULL)
		return code;
	error->code = code;
	error->place = place;
	error->hint[0] = '\0';
	TEXT_FORMAT(error->text, format);
	return code;
}

enum error_code
error_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, (struct place){ 0 }, OUT_OF_MEMORY);
}

void
error_hint(struct error *error, const char *format, ...)
{
	if (error == NULL)
		return;
	TEXT_FORMAT(error->hint, format);
}
