/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_INTERNAL_H
#define LOCATE_FETCH_INTERNAL_H

#include <stdatomic.h>
#include <stdio.h>

#include "locate/fetch.h"

/** What the parts of fetching share: what was answered, URLs, downloads, one question by HTTP. */

/** Bytes of a URL or a path with its end. */
#define FETCH_PATH_SIZE 4096u

/* Answers ------------------------------------------------------------------------------------- */

/** Bytes of what is said about an answer. */
#define FETCH_REASON_SIZE 256u

/**
 * How often a server failed, running: zero at first. It lives as long as the memory. NULL when
 * out of memory.
 */
atomic_uint *
fetch_memory_failures(struct fetch_memory *memory, const char *url);

/** Note that a URL was not answered with a file. */
void
fetch_memory_add(struct fetch_memory *memory, const char *url, enum fetch_answer answer,
		 const char *why);

/** Find the answer of a URL; `why` has FETCH_REASON_SIZE bytes. False: it was not asked for. */
bool
fetch_memory_find(struct fetch_memory *memory, const char *url, enum fetch_answer *answer,
		  char *why);

/* Forms and URLs ------------------------------------------------------------------------------- */

/** How servers have files of a kind: in this order. Patterns are those of layout.h. */
struct fetch_form {
	enum fetch_service service;
	enum locate_kind kind;
	const char *pattern;		/* after the server's URL */
	const char *kept;		/* in the directory */
	/* Comes before `pattern` on servers with two tiers; NULL: such servers do not have it */
	const char *tier;
	const char *query;		/* NULL: none */
	bool pointer;			/* it is a file.ptr */
};

extern const struct fetch_form fetch_forms[];
extern const size_t fetch_form_count;

/** Whether a server has a file in the form at all: the subject has what the pattern is made of. */
bool
fetch_form_applies(const struct fetch_form *form, const struct locate_subject *subject);

/**
 * BASE, `tier`, the pattern made of `subject`, the query of the form and that of BASE, which may
 * hold a key. All that comes from `subject` is escaped but the unreserved characters of
 * RFC 3986. False: FETCH_PATH_SIZE bytes at `url` are too few.
 */
bool
fetch_url_make(char *url, const char *base, const struct locate_subject *subject,
	       const struct fetch_form *form, bool tiers);

/** The length of a server's URL without a query and slashes before it. */
size_t
fetch_url_base(const char *url);

/** Whether two URLs are of one server: the same but for slashes at the path's end. */
bool
fetch_url_same(const char *one, const char *other);

/* Downloads ------------------------------------------------------------------------------------ */

/** Bytes of what names a version of a file. */
#define FETCH_VALIDATOR_SIZE 256u

/**
 * A download: its bytes so far, in a file with a name that no search uses, in the directory where
 * the complete file will be. A second file names the URL's version of these bytes, so that another
 * run adds the rest, but never that of another version. One process at a time has the download; a
 * second process uses a temporary file.
 */
struct fetch_part {
	char path[FETCH_PATH_SIZE];
	char about[FETCH_PATH_SIZE];	/* the file with the version; empty: it is not kept */
	FILE *file;			/* NULL: it could not be opened */
	uint64_t bytes;			/* in the file */
	uint64_t total;			/* of the complete file; 0: unknown */
	/* What If-Range takes (RFC 9110, 13.1.5): empty where nothing can be added to the bytes. */
	char validator[FETCH_VALIDATOR_SIZE];
};

/**
 * Go on with what is in the directory for a URL, or begin. False: it can't be written to. Of this
 * and all that follows `errno` says why.
 */
bool
fetch_part_open(struct fetch_part *part, const char *directory, const char *url);

/** Another version comes: what is there is thrown away. False: it can't be written. */
bool
fetch_part_begin(struct fetch_part *part, const char *validator, uint64_t total);

/** False: it can't be written. */
bool
fetch_part_add(struct fetch_part *part, const void *bytes, size_t length);

/** Nothing is added any more: what is there may be changed, and is not gone on with. */
bool
fetch_part_end(struct fetch_part *part);

/** Give the file its name; part is closed then. False: it can't, and the bytes are gone. */
bool
fetch_part_finish(struct fetch_part *part, const char *path);

/** Close it; with `keep` what is there stays for another time, if it can be gone on with. */
void
fetch_part_close(struct fetch_part *part, bool keep);

/** Bytes of a value of a header. */
#define FETCH_VALUE_SIZE 64u

/** What the header of a server's answer says (RFC 9110 and 9112). */
struct fetch_header {
	unsigned status;
	char etag[FETCH_VALIDATOR_SIZE];
	char modified[FETCH_VALUE_SIZE], date[FETCH_VALUE_SIZE];
	char type[FETCH_VALUE_SIZE], encoding[FETCH_VALUE_SIZE];
	/* Content-Range, with the first byte and that after the last */
	bool ranged;
	uint64_t begin, end;
	uint64_t total;			/* bytes of the whole file; 0: it is not said */
	unsigned wait;			/* seconds that are asked for by Retry-After */
};

/** Read the value of Content-Range. */
void
fetch_header_range(struct fetch_header *header, const char *value);

/** Whether an answer of status 206 continues the bytes of a part, in the same version. */
bool
fetch_header_goes_on(const struct fetch_header *header, const struct fetch_part *part);

/**
 * The path of a module's file below `directory`, FETCH_PATH_SIZE bytes, and the length of its
 * folder, which is made. False: `errno` says why.
 */
bool
fetch_keep_path(char *path, size_t *folder, const char *directory,
		const struct locate_subject *subject, const struct fetch_form *form);

/** Take the folder away again where nothing is in it. */
void
fetch_keep_tidy(const char *directory, const struct locate_subject *subject,
		const struct fetch_form *form);

/** The file that a part should hold: that of a subject in a form. */
struct fetch_wanted {
	const struct fetch_form *form;
	const struct locate_subject *subject;
	uint64_t most;			/* bytes that it may have, decompressed */
	bool follow;			/* the path in a file.ptr */
};

/** Undo the compression of a download. NULL, or why it failed, in `why` or for ever. */
const char *
fetch_keep_unpack(struct fetch_part *part, uint64_t most, char *why, size_t size);

/**
 * Unpack a download and check that it is a complete file of its kind with the wanted ID. NULL: it
 * is; else why not, in `why` or for ever.
 */
const char *
fetch_keep_check(struct fetch_part *part, const struct fetch_header *header,
		 const struct fetch_wanted *wanted, char *why, size_t size);

/* One question to one server, by libcurl, which is loaded with the first URL ------------------- */

struct fetch_question {
	const char *url;
	unsigned seconds;		/* without bytes after which the server is given up */
	uint64_t most;			/* bytes that are taken */
	/* Where the process that asks puts the file, unchecked (debuginfod.h); NULL: in `part` */
	const char *kept;
	struct fetch_part *part;	/* the download; with `kept` in the sandbox only its size */
	/* How they go there: fetch_part_begin and fetch_part_add, or by way of another process. */
	bool (*begin)(struct fetch_part *part, const char *validator, uint64_t total);
	bool (*add)(struct fetch_part *part, const void *bytes, size_t length);
	bool (*goes_on)(void *context);	/* called all the time; false stops */
	void *context;
};

struct fetch_outcome {
	enum fetch_answer answer;	/* FETCH_TAKEN: all of it is in the part */
	bool again;			/* it may go better another time */
	bool resumable;			/* it broke off, but nothing is wrong with what came */
	bool silent;			/* the server said nothing */
	bool failing;			/* the server failed, independently of the file */
	struct fetch_header header;	/* the last answer has it */
	char why[FETCH_REASON_SIZE];
};

/** Why a URL cannot be asked for; NULL: it can. Call this before the first question. */
const char *
fetch_http_refuse(const char *url);

void
fetch_http_ask(const struct fetch_question *question, struct fetch_outcome *outcome);

/**
 * Ask in a process of the broker (system/broker.h) if this one is in the sandbox, else here: with
 * `kept` by ask_and_keep(), without by fetch_http_ask().
 */
void
fetch_remote_ask(const struct fetch_question *question, struct fetch_outcome *outcome);

#endif
