/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_H
#define LOCATE_FETCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "locate/search.h"

/**
 * Downloads files over HTTP: symbol files as from Mozilla's Tecken (URL/NAME/ID/NAME.sym), PDBs and
 * programs of Windows as from SymSrv (layout.h), ELF files as from debuginfod(8)
 * (URL/buildid/ID/debuginfo).
 *
 * A download is decompressed, checked and put into a directory in the layout of a local store. It
 * gets its name only if it is complete and has the requested ID. Every part of a URL that comes
 * from a dump is percent-escaped. A server that fails three times in a row gets no further
 * requests. No URL is requested again once it was answered. Another run may continue an interrupted
 * download, if the server confirms that the file is the same.
 */
struct fetcher;

/** The servers' answers in this run, shared so that no server is asked for a file twice. */
struct fetch_memory;

/** NULL when out of memory. */
struct fetch_memory *
fetch_memory_create(void);

void
fetch_memory_free(struct fetch_memory *memory);

/** The kinds of servers, one for each row of a table in fetch.c. */
enum fetch_service {
	FETCH_STORE,			/* symbol servers: only a checked download is kept */
	/*
	 * files by build ID; `directory` is the cache of debuginfod's clients (debuginfod.c). The
	 * caller checks the files there, and discards wrong ones (fetch_discard).
	 */
	FETCH_DEBUGINFOD,
	FETCH_SERVICES
};

struct fetch_options {
	enum fetch_service service;
	/* servers, which are asked at the same time; an earlier URL takes precedence */
	const char *const *urls;
	size_t url_count;
	const char *directory;		/* directory of the downloaded files */
	unsigned seconds;		/* seconds without bytes after which a server is given up */
	uint64_t most;			/* maximum size of a file, compressed or not */
	bool follow;			/* use the path in a file.ptr */
	bool offline;			/* send no requests: use earlier downloads only */
	struct fetch_memory *memory;	/* answers, may be shared; NULL: out of memory */
};

enum fetch_answer {
	FETCH_TAKEN,		/* the file is in the directory now */
	FETCH_MISSING,
	FETCH_FAILED,		/* `why` is the reason */
	FETCH_LOST,		/* failed, and the server gets no further requests: reported once */
	FETCH_SILENT,		/* the server gets no requests any more */
	FETCH_STOPPED,
};

/**
 * A request for a module's file. LOCATE_SYMBOLS (a symbol file) is requested by name and ID of the
 * debug file, then of the code file. Each pair is safe in a path, or empty. LOCATE_DEBUG is the PDB
 * or, from debuginfod, the debug file. Other kinds: LOCATE_IMAGE, LOCATE_SUPPLEMENT.
 */
struct fetch_request {
	enum locate_kind kind;
	const struct locate_subject *subject;
	struct locate_record *record;	/* receives the servers' answers, in their order */
	struct message_list *messages;	/* receives the servers' failures */
	pthread_mutex_t *mutex;		/* guards `record` and `messages`; the caller holds it */
	locate_progress *progress;	/* NULL: not wanted */
	void *context;
};

/** Whether anything can be fetched: it needs libcurl. */
bool
fetch_is_built_in(void);

/**
 * Create a fetcher. NULL with `error`: out of memory, or a URL is invalid. The texts of `options`
 * are copied; `options->memory` is borrowed.
 */
struct fetcher *
fetch_create(const struct fetch_options *options, struct error *error);

void
fetch_free(struct fetcher *fetcher);

/** The options, without the URLs. */
const struct fetch_options *
fetch_options_of(const struct fetcher *fetcher);

/** Remove a wrong file that fetch_file() downloaded to a directory of unchecked files. */
void
fetch_discard(struct fetcher *fetcher, const struct fetch_request *request);

/** Forget all answers of the server at `url` in this run; false: there is no such server. */
bool
fetch_forget(struct fetcher *fetcher, const char *url);

/**
 * Request a file from all servers; the lock of the request is released meanwhile. Forms that need
 * an unknown name or ID are skipped. FETCH_TAKEN if the file is in the directory now.
 */
enum fetch_answer
fetch_file(struct fetcher *fetcher, const struct fetch_request *request);

/**
 * A service of the broker: ask one server for one file (fetch_remote.c). `argument` is the request.
 * The bytes go through the socket or into the file `kept`. The service runs in its own process,
 * which needs the network and no files except `kept` and those of libcurl.
 */
int
fetch_serve(int socket, const char *argument, const char *kept);

/** Whether a URL is that of a server, or of a file at the server. */
bool
fetch_url_is_of(const char *url, const char *server);

/** The URL of an argument; NULL: invalid. */
const char *
fetch_serve_url(const char *argument);

/**
 * The URLs in all files `directory`/NAME.urls, separated by blanks; "" without URLs. Login
 * shells set DEBUGINFOD_URLS from /etc/debuginfod in this way. NULL when out of memory.
 */
const char *
debuginfod_read_urls(const char *directory, struct arena *arena);

/**
 * Like fetch_serve(), but write the file to debuginfod's cache in `directory`, and mark files there
 * (debuginfod_mark). Only the servers in `urls` (from DEBUGINFOD_URLS) are asked. The process also
 * needs access to `directory`.
 */
int
fetch_serve_kept(int socket, const char *argument, const char *urls, const char *directory);

#endif
