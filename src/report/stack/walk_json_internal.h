/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALK_JSON_INTERNAL_H
#define REPORT_STACK_WALK_JSON_INTERNAL_H

#include "document/facts.h"
#include "report/stack/walk_json.h"

/**
 * What the parts of the document share. Private to walk_json*.c.
 *
 * Members of rust-minidump's schema come first in each object, ours behind them.
 */
struct walk_json {
	struct json json;
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* NULL: none */
	const struct policy *policy;
	const struct walk_json_options *options;
	unsigned digits;		/* hexadecimal digits of an address */
};

/** The part of a path behind its last separator as a string; null where there is none. */
void
walk_json_base_name(struct json *json, const char *key, const char *path);

/** An address at the width of the dump's architecture. */
void
walk_json_address(struct walk_json *document, const char *key, uint64_t address);

/**
 * The members frame_count, frames and, where `ours`, how the walk ended. A frame in the
 * narrow form has rust-minidump's members alone, and registers where it is the first.
 */
void
walk_json_frames(struct walk_json *document, struct walk *walk, bool ours);

/** Members that are in streams which the model does not hold. */
void
walk_json_streams(struct walk_json *document);

/** The member crash_info. */
void
walk_json_crash(struct walk_json *document, const struct analysis *analysis);

/** The member analysis: what rust-minidump's schema has no place for. */
void
walk_json_analysis(struct walk_json *document, const struct analysis *analysis);

#endif
