/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_DEBUGINFOD_H
#define LOCATE_DEBUGINFOD_H

#include "locate/fetch.h"

/**
 * Programs and debug files from debuginfod servers, by build id (debuginfod(8)).
 *
 * elfutils' client does it: it reads DEBUGINFOD_URLS and the other variables of
 * debuginfod-client-config(7), asks all servers at once, and keeps what comes, and what no server
 * has, in a cache of its own. What comes is not checked here. Where no server can be reached
 * they are not asked again, and nothing is asked twice that was answered with no.
 */
struct debuginfod;

struct debuginfod_options {
	const char *urls;	/* what DEBUGINFOD_URLS says; copied */
	const char *directory;	/* the client's cache; NULL: not known; copied */
	unsigned seconds;	/* without bytes after which servers are given up; 0: never */
	uint64_t most;		/* bytes of one file */
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
 * once. `*path`, where it is FETCH_TAKEN, is in the client's cache, and to be freed; `why` is
 * printable.
 */
enum fetch_answer
debuginfod_ask(struct debuginfod *servers, enum locate_kind kind, const char *build_id,
	       fetch_progress *progress, void *context, char **path, char why[DEBUGINFOD_WHY]);

/** What came from debuginfod_ask is not what was asked for: take it out of the client's cache. */
void
debuginfod_forget(enum locate_kind kind, const char *build_id, const char *path);

/**
 * The service of the broker that asks the servers of `options`, of which only `seconds` and
 * `most` are those of `argument`, or takes a file out of their cache: debuginfod_ask and
 * debuginfod_forget of a process in the sandbox. To be run in a process of its own, which needs
 * the network, the cache and no file but those of the libraries.
 */
int
debuginfod_serve(int socket, const char *argument, const struct debuginfod_options *options);

/** What a kind of file is called in URLs, behind the build id. */
const char *
debuginfod_name(enum locate_kind kind);

#endif
