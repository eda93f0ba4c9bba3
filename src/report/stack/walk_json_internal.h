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
	const struct crash *crash;
	struct symbols *symbols;
	struct binaries *binaries;	/* NULL: none */
	const struct policy *policy;
	const struct walk_json_options *options;
	struct walk *requesting;	/* of the requesting thread; NULL: there is none */
	const struct analysis *analysis;
	bool failed;			/* out of memory: the document is incomplete */
};

/** What caused the crash. */
extern const struct fact crash_info_facts[];

void
crash_info_members(struct json *json, const struct analysis *analysis);

/** What rust-minidump's schema has no place for: conclusions. */
extern const struct fact analysis_facts[];

void
analysis_members(struct json *json, const struct analysis *analysis);

/** Members that are in streams which the model does not hold. */
extern const struct fact walk_streams_facts[];

void
walk_streams_members(struct json *json, const struct crash *crash);

/** The threads with their frames; sets document->failed where memory ends. */
extern const struct fact walk_threads_facts[];

void
walk_threads_members(struct json *json, struct walk_json *document);

#endif
