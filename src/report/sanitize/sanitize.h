/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_SANITIZE_SANITIZE_H
#define REPORT_SANITIZE_SANITIZE_H

#include "analysis/signature_rules.h"
#include "crash/memory.h"
#include "document/facts.h"
#include "dump/write/write.h"
#include "walk/walk.h"

/**
 * A dump to give away. It reproduces the walks, steps and explanations of the crash, and has only
 * the memory that these need.
 *
 * Every thread of the crash is walked with the policy of the options, with the policies of Breakpad
 * and rust-minidump, and with each method alone. Every method is tried on every frame. The crash
 * and the states of threads are explained. The views of memory log all reads.
 *
 * The copy has the memory that was read. It has zeros for bytes that were only tested for presence,
 * and for words that scans refused because they point to no code. The rest of stacks is zeros or
 * left out. The copy is accepted only if walking it in the same ways gives equal results. In its
 * paths, the user names of the crash and of the current user are replaced.
 */
struct sanitize_options {
	unsigned parts;			/* further parts to keep: bits of enum copy_part */
	bool absent;			/* omit unused words of stacks; false: write zeros */
	struct policy policy;		/* policy of the walks that must be equal */
	const struct signature_rules *rules;
};

/** Bytes of memory in the copy: their values, or zeros because a scan refused the word. */
struct sanitized_range {
	uint64_t address, size;
	bool refused;
	int thread;			/* thread whose stack contains them, or -1 */
	int module;			/* module that contains them, or MODULE_NONE */
};

/** A stream of the crash and its bytes in the copy. */
struct sanitized_stream {
	const char *name;
	uint64_t size, copied;		/* in bytes; copied 0: dropped */
};

/** A walk that differs in the copy. */
struct sanitized_difference {
	const char *walks;		/* "by --compat breakpad" */
	const char *text;
};

struct sanitized {
	struct arena arena;
	const struct crash *crash;	/* the original */
	struct dump_image image;
	uint64_t size;
	unsigned parts;			/* parts kept, with those added to keep walks equal */
	bool absent;
	struct sanitized_range *ranges;	/* sorted by address */
	size_t range_count, range_capacity;
	uint64_t memory;		/* bytes of memory in the crash */
	uint64_t read, refused;		/* bytes in the copy with values; bytes refused by scans */
	struct sanitized_stream *streams;
	size_t stream_count;
	size_t paths;			/* number of replaced paths */
	size_t walks, frames, steps;	/* numbers of walks, frames and steps found equal */
	size_t once;			/* number of threads walked in one way only */
	/* A difference in another walker's walk; `text` is NULL if all walks are equal */
	struct sanitized_difference different;
};

/** Whether the copy keeps a part of the crash: an enum copy_part. */
static inline bool
sanitized_keeps(const struct sanitized *sanitized, size_t part)
{
	return (sanitized->parts >> part & 1) != 0;
}

/**
 * Make the copy and prove it; `image` is the result. If the copy differs, return ERROR_FORMAT with
 * the difference and no image. Free with sanitized_free, also after a failure.
 */
enum error_code
sanitize(struct sanitized *sanitized, const struct crash *crash, struct symbols *symbols,
	 struct binaries *binaries, const struct sanitize_options *options, struct error *error);

void
sanitized_free(struct sanitized *sanitized);

/** Parse "stacks,paths" into parts. Returns NULL, or the error: a printf format for the list. */
const char *
sanitize_parse_parts(const char *list, unsigned *parts);

/** Write the kept and dropped parts and, with `list`, every kept word. */
void
sanitize_text(const struct sanitized *sanitized, const char *path, bool list,
	      const struct output *output);

FACTS_DECLARE(sanitized, const struct sanitized *sanitized, const char *path);

#endif
