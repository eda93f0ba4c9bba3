/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_INTERNAL_H
#define LOCATE_FETCH_INTERNAL_H

#include <stdatomic.h>
#include <stdio.h>

#include "locate/fetch.h"

/** Declarations shared by the parts of fetching: answers, URLs, downloads, an HTTP request. */

/** Bytes of a URL or a path with its terminator. */
#define FETCH_PATH_SIZE 4096u

/* Answers ------------------------------------------------------------------------------------- */

#define FETCH_REASON_SIZE 256u

/**
 * The counter of a server's successive failures, zero at first. It lives as long as `memory`. NULL
 * when out of memory.
 */
atomic_uint *
fetch_memory_failures(struct fetch_memory *memory, const char *url);

/** Note the answer for a URL that gave no file; `why` is the reason. */
void
fetch_memory_add(struct fetch_memory *memory, const char *url, enum fetch_answer answer,
		 const char *why);

/** Find the answer noted for a URL; `why` has FETCH_REASON_SIZE bytes. False: none is noted. */
bool
fetch_memory_find(struct fetch_memory *memory, const char *url, enum fetch_answer *answer,
		  char *why);

/* Forms and URLs ------------------------------------------------------------------------------- */

/** A path at which servers may have files of a kind. Patterns are those of layout.h. */
struct fetch_form {
	enum fetch_service service;
	enum locate_kind kind;
	const char *pattern;		/* pattern after the server's URL */
	const char *kept;		/* path in the directory of downloads */
	/* prefix of `pattern` on servers with two tiers; NULL: they do not have the form */
	const char *tier;
	const char *query;		/* NULL: none */
	bool pointer;			/* the file is a file.ptr */
};

extern const struct fetch_form fetch_forms[];
extern const size_t fetch_form_count;

/** Whether the subject has every name and ID that the pattern of a form needs. */
bool
fetch_form_applies(const struct fetch_form *form, const struct locate_subject *subject);

/**
 * Make a URL from `base`, the form's tier and pattern, the form's query, and the query of `base`
 * (perhaps a key). Text from `subject` is escaped, except unreserved characters of RFC 3986. False:
 * too long for the FETCH_PATH_SIZE bytes of `url`, or out of memory.
 */
bool
fetch_url_make(char *url, const char *base, const struct locate_subject *subject,
	       const struct fetch_form *form, bool tiers);

/** The length of a server's URL without its query and the slashes before the query. */
size_t
fetch_url_base(const char *url);

/** A URL without parts that may be secret: the user's name and password, and the query. */
void
fetch_url_show(const char *url, char *buffer, size_t size);

/** Only the host and port of a URL, printable. */
void
fetch_url_host(const char *url, char *buffer, size_t size);

/** Whether two URLs belong to one server: they differ only in slashes at the path's end. */
bool
fetch_url_same(const char *one, const char *other);

/* Downloads ------------------------------------------------------------------------------------ */

/** Bytes of a validator, which identifies a version of a file. */
#define FETCH_VALIDATOR_SIZE 256u

/**
 * An unfinished download. A file in the final directory has the bytes so far, under a name that no
 * search uses. A second file has their version, so that another run adds only bytes of the same
 * version. One process at a time uses these files; a second process uses a temporary file.
 */
struct fetch_part {
	char path[FETCH_PATH_SIZE];
	char about[FETCH_PATH_SIZE];	/* path of the file with the version; empty: none is kept */
	FILE *file;			/* NULL: could not be opened */
	uint64_t bytes;
	uint64_t total;			/* bytes of the complete file; 0: unknown */
	/* The value for If-Range (RFC 9110, 13.1.5); empty: the bytes cannot be continued. */
	char validator[FETCH_VALIDATOR_SIZE];
};

/**
 * Continue or begin the download of a URL, in the folder of the final path `whole`. False:
 * unwritable. After a failure of this or a later call, `errno` is the reason.
 */
bool
fetch_part_open(struct fetch_part *part, const char *whole, const char *url);

/** Begin another version: drop the bytes so far. False: unwritable. */
bool
fetch_part_begin(struct fetch_part *part, const char *validator, uint64_t total);

/** Append bytes. False: unwritable. */
bool
fetch_part_add(struct fetch_part *part, const void *bytes, size_t length);

/** End the download. Its bytes may be changed from now on, and it cannot be continued. */
bool
fetch_part_end(struct fetch_part *part);

/** Give the file its name and close the part. False: failed, and the bytes are lost. */
bool
fetch_part_finish(struct fetch_part *part, const char *path);

/** Close a part. `keep`: keep its bytes for another run if the download can be continued. */
void
fetch_part_close(struct fetch_part *part, bool keep);

#define FETCH_VALUE_SIZE 64u
/* Seconds; libcurl has a limit, too, which is higher and differs by version. */
#define FETCH_WAIT_MOST 3600

/**
 * The header of a server's answer (RFC 9110 and 9112). Like struct fetch_outcome it has only
 * members for which every bit pattern is valid, because another process may send it.
 */
struct fetch_header {
	uint32_t status;
	char etag[FETCH_VALIDATOR_SIZE];
	char modified[FETCH_VALUE_SIZE], date[FETCH_VALUE_SIZE];
	char type[FETCH_VALUE_SIZE], encoding[FETCH_VALUE_SIZE];
	/* Content-Range: offsets of the bytes; `end` is exclusive */
	uint8_t ranged;
	uint64_t begin, end;
	uint64_t total;			/* bytes of the complete file; 0: unknown */
	/* seconds to wait, from Retry-After, up to FETCH_WAIT_MOST; 0: none */
	uint32_t wait;
};

/** Read the value of Content-Range. */
void
fetch_header_range(struct fetch_header *header, const char *value);

/** Whether an answer of status 206 continues the bytes of a part, in the same version. */
bool
fetch_header_goes_on(const struct fetch_header *header, const struct fetch_part *part);

/**
 * Make the path of a module's file below `directory`, and the file's folder. `path` has
 * FETCH_PATH_SIZE bytes. False: `errno` is the reason.
 */
bool
fetch_keep_path(char *path, const char *directory, const struct locate_subject *subject,
		const struct fetch_form *form);

/** Remove the folder that fetch_keep_path made, if it is empty. */
void
fetch_keep_tidy(const char *directory, const struct locate_subject *subject,
		const struct fetch_form *form);

/** The file that a download should be: a file of `subject` in the form `form`. */
struct fetch_wanted {
	const struct fetch_form *form;
	const struct locate_subject *subject;
	uint64_t most;			/* maximum size of the decompressed file, in bytes */
	bool follow;			/* use the path in a file.ptr */
};

/** Decompress a download. Returns NULL, or why it failed (a text in `why` or a constant). */
const char *
fetch_keep_unpack(struct fetch_part *part, uint64_t most, char *why, size_t size);

/**
 * Unpack a download and check that it is a complete file of its kind with the wanted ID. Returns
 * NULL, or why it is not (a text in `why` or a constant).
 */
const char *
fetch_keep_check(struct fetch_part *part, const struct fetch_header *header,
		 const struct fetch_wanted *wanted, char *why, size_t size);

/* The cache of debuginfod ---------------------------------------------------------------------- */

/**
 * The cache of debuginfod's clients (debuginfod-client-config(7)), which unspool shares with them:
 *
 *	DIRECTORY/ID/executable, DIRECTORY/ID/debuginfo		a file, by its build ID
 *	DIRECTORY/ID/source-NAME	a source file, also by its path (debuginfod_source_name)
 *	the same paths, empty					no server had the file at that time
 *	DIRECTORY/cache_miss_s					seconds that an empty file is valid
 *
 * A process in the sandbox can only read the cache. The service DOOR_DEBUGINFOD writes to it.
 */

/** Whether a text can be requested as a build ID: hexadecimal, not all zeros. */
bool
debuginfod_takes(const char *build_id);

/** A cache's name for the file that servers have at buildid/PATH. False: it is too long. */
bool
debuginfod_kept(char kept[FETCH_PATH_SIZE], const char *path);

/** The path of the name `kept` in a cache; false: not a name of the cache. */
bool
debuginfod_path(char path[FETCH_PATH_SIZE], const char *directory, const char *kept);

enum debuginfod_state {
	DEBUGINFOD_UNKNOWN,
	DEBUGINFOD_KEPT,
	DEBUGINFOD_MISSED,		/* no server had it a short time ago */
};

/** The state of the file `kept` (ID/NAME) in a cache. */
enum debuginfod_state
debuginfod_state(const char *directory, const char *kept);

/** Remove a wrong file or, with `missed`, note that no server has the file. */
void
debuginfod_mark(const char *directory, const char *kept, bool missed);

/** Prefixes of DOOR_DEBUGINFOD's arguments for debuginfod_mark; no prefix: a download. */
#define DEBUGINFOD_FORGET "forget "
#define DEBUGINFOD_MISS "miss "

/* One request to one server. libcurl is loaded for the first URL. ------------------------------ */

struct fetch_question {
	const char *url;
	/* seconds without bytes after which the request is given up */
	unsigned seconds;
	uint64_t most;			/* maximum size accepted, in bytes */
	/* path of the complete, unchecked file; NULL: the bytes stay in `part` */
	const char *kept;
	struct fetch_part *part;	/* download; with `kept`, the sandbox sets only its size */
	/* fetch_part_begin and fetch_part_add, or functions that send the bytes to a process */
	bool (*begin)(struct fetch_part *part, const char *validator, uint64_t total);
	bool (*add)(struct fetch_part *part, const void *bytes, size_t length);
	bool (*goes_on)(void *context);	/* called regularly; false stops */
	void *context;
};

struct fetch_outcome {
	uint32_t answer;		/* enum fetch_answer; FETCH_TAKEN: the part is complete */
	uint8_t again;			/* another try may succeed */
	/* The connection broke off, but the bytes so far are good */
	uint8_t resumable;
	uint8_t silent;			/* the server sent nothing */
	uint8_t failing;			/* the server failed, independently of the file */
	struct fetch_header header;	/* header of the last answer */
	char why[FETCH_REASON_SIZE];
};

/** Why a URL cannot be requested; NULL: it can. Call this before the first request. */
const char *
fetch_http_refuse(const char *url);

void
fetch_http_ask(const struct fetch_question *question, struct fetch_outcome *outcome);

/**
 * Send the request. In the sandbox, a process of the broker (system/broker.h) sends it. Otherwise
 * ask_and_keep() sends it if `kept` is set, else fetch_http_ask().
 */
void
fetch_remote_ask(const struct fetch_question *question, struct fetch_outcome *outcome);

#endif
