/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/wrap.h"

/* Cuts the first line off `*rest`. */
static struct text
take_line(struct text *rest, size_t columns)
{
	struct text line = { rest->start, text_fit(*rest, columns > 0 ? columns : 1) };

	if (line.length < rest->length && rest->start[line.length] != ' ') {
		size_t blank = line.length;

		while (blank > 0 && rest->start[blank - 1] != ' ')
			blank--;
		if (blank > 0)
			line.length = blank;
	}
	/* A character wider than a line has its own line. */
	if (line.length == 0)
		line.length = rest->length > 0 ? 1 : 0;
	rest->start += line.length;
	rest->length -= line.length;
	while (rest->length > 0 && rest->start[0] == ' ') {
		rest->start++;
		rest->length--;
	}
	while (line.length > 0 && line.start[line.length - 1] == ' ')
		line.length--;
	return line;
}

size_t
wrap_count(struct text text, size_t columns)
{
	size_t count = 0;

	do {
		take_line(&text, columns);
		count++;
	} while (text.length > 0);
	return count;
}

struct text
wrap_line(struct text text, size_t columns, size_t index)
{
	struct text line = take_line(&text, columns);

	for (; index > 0; index--)
		line = take_line(&text, columns);
	return line;
}
