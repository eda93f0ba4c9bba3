/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum error_code
error_set(struct error *error, enum error_code code, struct place place, const char *format, ...)
{
	va_list arguments;

	if (error == NULL)
		return code;
	error->code = code;
	error->place = place;
	error->hint[0] = '\0';
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
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
	va_list arguments;

	if (error == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(error->hint, sizeof(error->hint), format, arguments);
	va_end(arguments);
}
