/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_HTTP_H
#define LOCATE_FETCH_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "locate/fetch.h"
#include "locate/fetch_header.h"
#include "locate/fetch_memory.h"
#include "locate/fetch_part.h"

/**
 * One question to one server over HTTP, by libcurl, which nothing else knows of. It is loaded when
 * the first URL is given (system/library.h).
 */

struct fetch_question {
	const char *url;
	unsigned seconds;		/* without bytes after which the server is given up */
	uint64_t most;			/* bytes that are taken */
	struct fetch_part *part;	/* where they go, behind those that are there */
	bool (*goes_on)(void *context);	/* asked all the time; false stops */
	void *context;
};

struct fetch_outcome {
	enum fetch_answer answer;	/* FETCH_TAKEN: all of it is in the part */
	bool again;			/* it may go better another time */
	bool resumable;			/* it broke off, but nothing is wrong with what came */
	bool silent;			/* the server said nothing */
	bool failing;			/* what is wrong is the server's, whatever file is wanted */
	struct fetch_header header;	/* of the last answer */
	char why[FETCH_REASON_SIZE];
};

/** Why a URL is none that can be asked for; NULL: it is one. */
const char *
fetch_http_refuse(const char *url);

/** Before the first question and after the last one. */
void
fetch_http_begin(void);

void
fetch_http_end(void);

void
fetch_http_ask(const struct fetch_question *question, struct fetch_outcome *outcome);

#endif
