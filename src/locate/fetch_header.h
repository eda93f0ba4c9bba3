/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_HEADER_H
#define LOCATE_FETCH_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locate/fetch_part.h"

/** What the header of a server's answer says, a line at a time (RFC 9110 and 9112). */

#define FETCH_VALUE_SIZE 64u

struct fetch_header {
	unsigned status;
	char etag[FETCH_VALIDATOR_SIZE];
	char modified[FETCH_VALUE_SIZE], date[FETCH_VALUE_SIZE];
	char type[FETCH_VALUE_SIZE], encoding[FETCH_VALUE_SIZE];
	uint64_t length;		/* 0: it is not said */
	bool chunked;			/* then `length` says nothing */
	bool ranged;			/* Content-Range, with the first byte and that after the last */
	uint64_t begin, end, total;	/* total 0: it is not said */
	unsigned wait;			/* seconds that are asked for by Retry-After */
};

enum fetch_line {
	FETCH_LINE_TAKEN,
	FETCH_LINE_LAST,		/* the body follows */
};

/** Take one line with its end. A status line forgets all that was there: it is another answer. */
enum fetch_line
fetch_header_take(struct fetch_header *header, const char *line, size_t length);

/** The bytes of the whole file; 0: it is not said. */
uint64_t
fetch_header_total(const struct fetch_header *header);

/** Whether an answer of status 206 goes on behind what is there, with the same version of it. */
bool
fetch_header_goes_on(const struct fetch_header *header, const struct fetch_part *part);

#endif
