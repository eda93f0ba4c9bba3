/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_header.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number of decimal digits; false: none is there, or it is larger than any. */
static bool
take_number(const char **text, uint64_t *number)
{
	const char *begin = *text;

	for (*number = 0; is_digit(**text); (*text)++) {
		const uint64_t digit = (uint64_t)(**text - '0');

		if (*number > (UINT64_MAX - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return *text != begin;
}

static void
take_length(struct fetch_header *header, const char *value)
{
	/* What is no number that a file can have is more than anybody takes. */
	if (!take_number(&value, &header->length) || *value != '\0')
		header->length = UINT64_MAX;
}

/* "bytes 100-199/200", or with '*' for a total that the server does not know. */
static void
take_range(struct fetch_header *header, const char *value)
{
	uint64_t last = 0;

	header->ranged = false;
	if (strncasecmp(value, "bytes ", 6) != 0)
		return;
	value += 6;
	if (!take_number(&value, &header->begin) || *value++ != '-' ||
	    !take_number(&value, &last) || *value++ != '/' || last < header->begin ||
	    last == UINT64_MAX)
		return;
	header->end = last + 1;
	if (strcmp(value, "*") == 0)
		header->total = 0;
	else if (!take_number(&value, &header->total) || *value != '\0' ||
		 header->total < header->end)
		return;
	header->ranged = true;
}

static void
take_coding(struct fetch_header *header, const char *value)
{
	const size_t length = strlen(value), word = strlen("chunked");

	header->chunked = length >= word && strcasecmp(value + length - word, "chunked") == 0;
}

/* A date is none: what is meant are seconds. */
static void
take_wait(struct fetch_header *header, const char *value)
{
	uint64_t seconds;

	if (take_number(&value, &seconds) && *value == '\0')
		header->wait = seconds > UINT16_MAX ? UINT16_MAX : (unsigned)seconds;
}

/* The value of a line of this name; what is not printable ASCII, or too long, counts as empty. */
static bool
take_value(const char *line, size_t length, const char *name, char *value, size_t size)
{
	const size_t skip = strlen(name);

	if (length <= skip || strncasecmp(line, name, skip) != 0 || line[skip] != ':')
		return false;
	size_t begin = skip + 1, end = length;
	while (begin < end && (line[begin] == ' ' || line[begin] == '\t'))
		begin++;
	while (end > begin && strchr("\r\n \t", line[end - 1]) != NULL)
		end--;
	value[0] = '\0';
	if (end - begin >= size)
		return true;
	for (size_t i = begin; i < end; i++)
		if (line[i] < ' ' || line[i] > '~')
			return true;
	memcpy(value, line + begin, end - begin);
	value[end - begin] = '\0';
	return true;
}

/* "HTTP/1.1 200 OK". */
static void
take_status(struct fetch_header *header, const char *line, size_t length)
{
	const char *space = memchr(line, ' ', length);
	const size_t rest = space == NULL ? 0 : length - (size_t)(space - line);

	*header = (struct fetch_header){ 0 };
	if (rest >= 4 && is_digit(space[1]) && is_digit(space[2]) && is_digit(space[3]))
		header->status = (unsigned)((space[1] - '0') * 100 + (space[2] - '0') * 10 +
					    (space[3] - '0'));
}

enum fetch_line
fetch_header_take(struct fetch_header *header, const char *line, size_t length)
{
	static const struct {
		const char *name;
		void (*take)(struct fetch_header *header, const char *value);
	} read[] = {
		{ "Content-Length", take_length },
		{ "Content-Range", take_range },
		{ "Transfer-Encoding", take_coding },
		{ "Retry-After", take_wait },
	};
	const struct {
		const char *name;
		char *value;
		size_t size;
	} copied[] = {
		{ "ETag", header->etag, sizeof(header->etag) },
		{ "Last-Modified", header->modified, sizeof(header->modified) },
		{ "Date", header->date, sizeof(header->date) },
		{ "Content-Type", header->type, sizeof(header->type) },
		{ "Content-Encoding", header->encoding, sizeof(header->encoding) },
	};
	char value[FETCH_VALUE_SIZE];

	if (length > 0 && (line[0] == '\r' || line[0] == '\n'))
		return FETCH_LINE_LAST;
	if (length > 5 && strncasecmp(line, "HTTP/", 5) == 0) {
		take_status(header, line, length);
		return FETCH_LINE_TAKEN;
	}
	for (size_t i = 0; i < ARRAY_COUNT(read); i++)
		if (take_value(line, length, read[i].name, value, sizeof(value)))
			read[i].take(header, value);
	for (size_t i = 0; i < ARRAY_COUNT(copied); i++)
		take_value(line, length, copied[i].name, copied[i].value, copied[i].size);
	return FETCH_LINE_TAKEN;
}

uint64_t
fetch_header_total(const struct fetch_header *header)
{
	if (header->status == 206)
		return header->total;
	return header->chunked ? 0 : header->length;
}

bool
fetch_header_goes_on(const struct fetch_header *header, const struct fetch_part *part)
{
	/* Without a total nobody could say afterwards whether the end has come. */
	return header->ranged && header->begin == part->bytes && header->total != 0 &&
	       (part->total == 0 || header->total == part->total) &&
	       (header->etag[0] == '\0' || part->validator[0] != '"' ||
		strcmp(header->etag, part->validator) == 0);
}
