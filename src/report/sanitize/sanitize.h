/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_SANITIZE_SANITIZE_H
#define REPORT_SANITIZE_SANITIZE_H

#include "analysis/signature_rules.h"
#include "crash/memory_used.h"
#include "document/facts.h"
#include "dump/write/minidump_copy.h"
#include "walk/walk.h"

/**
 * A dump that can be given away: it walks, steps and explains as the crash does, and has no memory
 * but what that takes.
 *
 * The crash is walked with a log in its views of memory: every thread by the policy of the
 * options, by the columns of both other walkers and by each method alone; every frame is asked of
 * every method; the crash is explained, and so are the states of threads. Of memory the copy has
 * what was read, zeros for what was only asked whether it is there or refused by scans because it
 * points to no code, and the rest of stacks as zeros or not at all. It is opened and walked in the
 * same ways before it is called one.
 */
struct sanitize_options {
	unsigned parts;			/* kept beside that: bits of enum copy_part */
	bool absent;			/* unused words of stacks are left out; false: zeros */
	struct policy policy;		/* of the walks that have to be equal */
	const struct signature_rules *rules;
};

/** Bytes of memory that the copy has with their values, or as 0 because a scan refused them. */
struct sanitized_range {
	uint64_t address, size;
	bool refused;
	int thread;			/* index of the thread on whose stack they lie, or -1 */
	int module;			/* index of the module that they lie in, or MODULE_NONE */
};

/** A stream of the crash and its bytes in the copy. */
struct sanitized_stream {
	const char *name;
	uint64_t size, copied;		/* copied 0: dropped */
};

/** A walk that is not the same in the copy. */
struct sanitized_difference {
	const char *walks;		/* "by --compat breakpad" */
	const char *text;
};

struct sanitized {
	struct arena arena;
	const struct crash *crash;	/* the original */
	struct dump_image image;
	uint64_t size;			/* of the image */
	unsigned parts;			/* kept, also those that were needed to be the same */
	bool absent;
	struct sanitized_range *ranges;	/* by address */
	size_t range_count, range_capacity;
	uint64_t memory;		/* bytes that the crash has */
	uint64_t read, refused;		/* of the copy: with values, refused by scans */
	struct sanitized_stream *streams;
	size_t stream_count;
	size_t paths;			/* that stand for others */
	size_t walks, frames, steps;	/* that were compared and are the same */
	size_t once;			/* threads that were walked as the options say alone */
	/* Of the walks of another walker; text NULL: none */
	struct sanitized_difference different;
};

/**
 * Make the copy and prove it; `image` is to be saved. ERROR_FORMAT, saying where, if it is not the
 * same; then there is none. Freed with sanitized_free, also after a failure.
 */
enum error_code
sanitize(struct sanitized *sanitized, const struct crash *crash, struct symbols *symbols,
	 struct binaries *binaries, const struct sanitize_options *options, struct error *error);

void
sanitized_free(struct sanitized *sanitized);

/**
 * Parse "stacks,paths" into parts; NULL, or what is wrong with the list, for printf with the
 * list.
 */
const char *
sanitize_parse_parts(const char *list, unsigned *parts);

/** What was kept and what was dropped; `list`: every word that was kept, too. */
void
sanitize_text(const struct sanitized *sanitized, const char *path, bool list,
	      const struct output *output);

FACTS_DECLARE(sanitized, const struct sanitized *sanitized, const char *path);

#endif
