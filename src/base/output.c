/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/user_names.h"

/* Passes formatted text to `write`. When out of memory, passes only the first 1023 bytes. */
static void
write_format(const struct output *output, const char *format, va_list arguments,
	     void (*write)(const struct output *output, struct text text))
{
	ATTRIBUTE_UNINITIALIZED char usual[1024];
	char *longer = NULL;
	va_list again;

	va_copy(again, arguments);
	int length = vsnprintf(usual, sizeof(usual), format, arguments);
	if (length >= (int)sizeof(usual) && vasprintf(&longer, format, again) < 0) {
		longer = NULL;
		length = sizeof(usual) - 1;
	}
	if (length > 0)
		write(output, (struct text){ longer != NULL ? longer : usual, (size_t)length });
	free(longer);
	va_end(again);
}

static void
write_bytes(const struct output *output, struct text text)
{
	output->write(output->context, text.start, text.length);
}

void
output_format(const struct output *output, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_format(output, format, arguments, write_bytes);
	va_end(arguments);
}

void
output_decimal(const struct output *output, uint64_t value)
{
	char text[24], *end = text + sizeof(text), *start = end;

	do {
		*--start = (char)('0' + value % 10);
		value /= 10;
	} while (value != 0);
	output->write(output->context, start, (size_t)(end - start));
}

void
output_plain(const struct output *output, const char *text)
{
	output->write(output->context, text, strlen(text));
}

static void
write_text(const struct output *output, struct text text)
{
	ATTRIBUTE_UNINITIALIZED char buffer[512];

	while (text.length > 0) {
		size_t run = text_plain_length(text);

		if (run > 0)
			output->write(output->context, text.start, run);
		text.start += run;
		text.length -= run;
		if (text.length == 0)
			return;
		uint32_t character;
		size_t bytes = text_decode(text.start, text.length, &character);
		struct text one = { text.start, bytes > 0 ? bytes : 1 };
		output->write(output->context, buffer,
			      text_printable(buffer, sizeof(buffer), one));
		text.start += one.length;
		text.length -= one.length;
	}
}

/* Writes a text through `write`, with user names replaced by their substitutes. */
static void
write_named(const struct output *output, struct text text,
	    void (*write)(const struct output *output, struct text text))
{
	struct user_name_match match;
	size_t from = 0;

	for (; user_names_find(output->names, text, from, &match);
	     from = match.start + match.length) {
		write(output, (struct text){ text.start + from, match.start - from });
		write(output, match.shown);
	}
	write(output, (struct text){ text.start + from, text.length - from });
}

void
output_text(const struct output *output, struct text text)
{
	write_named(output, text, write_text);
}

void
output_line(const struct output *output, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_format(output, format, arguments, output_text);
	va_end(arguments);
	output_plain(output, "\n");
}

static void
write_field(const struct output *output, struct text text)
{
	while (text.length > 0) {
		size_t run = text_plain_length(text);
		const char *bar = memchr(text.start, '|', run);

		/* Most fields contain nothing to replace. */
		if (run == text.length && bar == NULL) {
			output->write(output->context, text.start, run);
			return;
		}
		for (run = 0; run < text.length && text.start[run] != '|' &&
			      text.start[run] != '\n'; run++)
			continue;
		write_text(output, (struct text){ text.start, run });
		if (run < text.length)
			run++;
		text.start += run;
		text.length -= run;
	}
}

void
output_field(const struct output *output, struct text text)
{
	write_named(output, text, write_field);
}

static void
append(void *context, const char *bytes, size_t length)
{
	struct output_string *string = context;

	if (string->length + length + 1 > string->capacity) {
		size_t capacity = (string->length + length + 1) * 2;
		char *text = arena_array(string->arena, capacity, 1);

		if (text == NULL)
			return;
		if (string->length > 0)
			memcpy(text, string->text, string->length);
		string->text = text;
		string->capacity = capacity;
	}
	memcpy(string->text + string->length, bytes, length);
	string->length += length;
	string->text[string->length] = '\0';
}

void
output_string_init(struct output_string *string, struct arena *arena)
{
	*string = (struct output_string){ .output = { .write = append, .context = string },
					    .arena = arena };
	append(string, "", 0);
}
