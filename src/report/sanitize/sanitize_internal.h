/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_SANITIZE_SANITIZE_INTERNAL_H
#define REPORT_SANITIZE_SANITIZE_INTERNAL_H

#include "base/user_names.h"
#include "report/sanitize/sanitize.h"

/* Limit of a thread's frames that are tried with every method and compared. */
#define SANITIZE_FRAMES 1024u

struct sanitizing {
	const struct sanitize_options *options;
	struct symbols *symbols;
	struct binaries *binaries;
	struct crash logged;		/* the crash; its views of memory log into `used` */
	struct memory_used used;
	struct user_names names;
	struct hash files;		/* paths of modules, by hash_bytes */
	size_t once_from;		/* index of the first thread walked in one way only */
	bool trims;			/* large stacks are cut where nothing was read */
	struct sanitized *out;
	struct error *error;
};

/** One way of walking a thread. */
struct sanitize_way {
	struct policy policy;
	const char *name;		/* "by --compat breakpad" */
	bool demanded;			/* the copy must have the same walk */
	size_t limit;			/* maximum number of frames; 0: no limit */
};

#define SANITIZE_WAYS (METHOD_COUNT + POLICY_COLUMNS)

/**
 * Whether a thread is walked in one way only: threads share stacks, or the threads before it have
 * at least LIMIT_SANITIZE_FRAMES frames. Always false for the crashed thread.
 */
bool
sanitize_walks_once(const struct sanitizing *sanitizing, size_t thread);

/** The ways of walking a thread of the crash. The first way has the policy of the options. */
size_t
sanitize_ways(const struct sanitizing *sanitizing, size_t thread,
	      struct sanitize_way ways[SANITIZE_WAYS]);

/** A text with user names replaced as in the copy, in `arena`; NULL for NULL. */
const char *
sanitize_name(struct sanitizing *sanitizing, const char *text, struct arena *arena);

/**
 * Check that the copy gives the same walks as the crash, and count the comparisons. False: the
 * error describes the first difference.
 */
bool
sanitize_prove(struct sanitizing *sanitizing, const struct crash *copy);

#endif
