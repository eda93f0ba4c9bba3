/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_DEBUGINFOD_H
#define LOCATE_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Programs and debug files from debuginfod servers, by build id (debuginfod(8)).
 *
 * elfutils' client does it: it reads DEBUGINFOD_URLS and the other variables of
 * debuginfod-client-config(7), asks all servers at once, and keeps what comes, and what no server
 * has, in a cache of its own. What comes is not checked here. Where no server can be reached
 * nobody is asked again, and nothing is asked twice that was answered with no.
 */
struct debuginfod;

struct debuginfod_options {
	const char *urls;	/* what DEBUGINFOD_URLS says; copied */
	const char *directory;	/* the client's cache; NULL: not known; copied */
	unsigned seconds;	/* without bytes after which servers are given up; 0: never */
	uint64_t most;		/* bytes of one file */
};

/** Which file of a build id. */
enum debuginfod_kind {
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_DEBUGINFO,
	DEBUGINFOD_KINDS
};

/**
 * Told how far it is, once a second at least; false stops. `host` is printable and lives as long
 * as the servers; `total` is 0 where nobody knows it.
 */
typedef bool debuginfod_progress(void *context, const char *host, uint64_t bytes, uint64_t total);

enum debuginfod_answer {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_MISSING,	/* no server has it */
	DEBUGINFOD_FAILED,	/* `why` says what went wrong with this file */
	DEBUGINFOD_LOST,	/* `why` says why nobody is asked again; told once */
	DEBUGINFOD_SILENT,	/* nobody is asked any more */
	DEBUGINFOD_STOPPED,
};

/** Bytes of a reason with its end. */
#define DEBUGINFOD_WHY 160u

/** Whether servers can be asked: it needs libdebuginfod, and libelf to read what comes. */
bool
debuginfod_is_built_in(void);

/** NULL when out of memory, no server is named, or it was not built in. */
struct debuginfod *
debuginfod_open(const struct debuginfod_options *options);

/** Harmless on NULL. */
void
debuginfod_close(struct debuginfod *servers);

/** The server's host, or the first one's and how many more there are; printable. */
const char *
debuginfod_hosts(const struct debuginfod *servers);

/** Whether text is a build id that is worth asking for: hexadecimal, and not all zeros. */
bool
debuginfod_takes(const char *build_id);

/**
 * Ask for the file of a build id that debuginfod_takes. Blocks; any thread may call, several at
 * once. `*path`, where it is DEBUGINFOD_FOUND, is in the client's cache, and to be freed; `why` is
 * printable.
 */
enum debuginfod_answer
debuginfod_ask(struct debuginfod *servers, enum debuginfod_kind kind, const char *build_id,
	       debuginfod_progress *progress, void *context, char **path,
	       char why[DEBUGINFOD_WHY]);

/** What came from debuginfod_ask is not what was asked for: take it out of the client's cache. */
void
debuginfod_forget(struct debuginfod *servers, enum debuginfod_kind kind, const char *build_id,
		  const char *path);

#endif
