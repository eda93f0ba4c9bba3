/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALK_JSON_H
#define REPORT_STACK_WALK_JSON_H

#include "analysis/analysis.h"
#include "document/facts.h"
#include "base/output.h"
#include "walk/walk.h"

/**
 * A crash and its walks as one JSON document.
 *
 * Every member of rust-minidump's schema is there with its name and meaning; what it has no
 * place for is ours. data/unspool-walk.schema.json says what each member is. The document is
 * written as the walks are made: of the walks only that of the requesting thread is kept.
 * Source: rust-minidump's minidump-processor/json-schema.md and process_state.rs.
 */
struct walk_json_options {
	bool pretty;			/* a member a line */
	bool fold;			/* of a cycle of frames only the first turn */
	bool only_requesting;		/* frames of the requesting thread alone */
	long only_thread;		/* frames of this thread alone, by Breakpad's number; -1 */
	const struct signature_rules *signature_rules;	/* NULL: the built-in ones */
	enum policy_column compat;	/* the column that the policy began with */
};

/** The document as facts. */
extern const struct fact walk_document_facts[];

/**
 * Write the document. `binaries` are the modules' own files (NULL: none). Symbols are loaded
 * as walks ask for them. False when out of memory; the document is not whole then.
 */
bool
walk_json(const struct output *output, const struct crash *crash, struct symbols *symbols,
	  struct binaries *binaries, const struct policy *policy,
	  const struct walk_json_options *options);

#endif
