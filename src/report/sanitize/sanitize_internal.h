/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_SANITIZE_SANITIZE_INTERNAL_H
#define REPORT_SANITIZE_SANITIZE_INTERNAL_H

#include "base/user_names.h"
#include "report/sanitize/sanitize.h"

/* Frames of a thread that are asked of every method, whose steps are compared, and that one method
 * alone is followed for: more are a recursion. */
#define SANITIZE_FRAMES 1024u

/** What a copy is made from. */
struct sanitizing {
	const struct sanitize_options *options;
	struct symbols *symbols;
	struct binaries *binaries;
	struct crash logged;		/* the crash, whose views of memory tell `used` */
	struct memory_used used;
	struct user_names names;
	struct hash files;		/* paths of modules, by hash_bytes */
	size_t once_from;		/* threads from here on are walked in one way */
	bool trims;			/* large stacks are cut where nothing was used */
	struct sanitized *out;
	struct error *error;
};

/** One way of walking a thread. */
struct sanitize_way {
	struct policy policy;
	const char *name;		/* "by --compat breakpad" */
	bool demanded;			/* that it gives the same walk */
	size_t limit;			/* of frames; 0: none */
};

#define SANITIZE_WAYS (METHOD_COUNT + POLICY_COLUMNS)

/**
 * Whether a thread is walked in one way: of threads that share stacks, and of those behind
 * LIMIT_SANITIZE_FRAMES, all but the crashed one.
 */
bool
sanitize_walks_once(const struct sanitizing *sanitizing, size_t thread);

/** The ways of walking a thread of the crash: the one of the options first. */
size_t
sanitize_ways(const struct sanitizing *sanitizing, size_t thread,
	      struct sanitize_way ways[SANITIZE_WAYS]);

/** A text with user names replaced as in the copy, in `arena`; NULL stays NULL. */
const char *
sanitize_name(struct sanitizing *sanitizing, const char *text, struct arena *arena);

/** sanitize_memory.c: what memory the copy has, from the uses; fills ranges. */
bool
sanitize_memory(struct sanitizing *sanitizing, struct minidump_choice *choice);

/** sanitize_read.c: read all that the copy has to have. False when out of memory. */
bool
sanitize_read(struct sanitizing *sanitizing);

/**
 * sanitize_proof.c: whether the copy is walked as the crash is; counts what was compared. The
 * first difference is the error.
 */
bool
sanitize_prove(struct sanitizing *sanitizing, const struct crash *copy);

#endif
