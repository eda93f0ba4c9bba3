/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STACK_WALK_JSON_H
#define REPORT_STACK_WALK_JSON_H

#include "analysis/analysis.h"
#include "document/facts.h"
#include "base/output.h"
#include "inspect/surroundings.h"
#include "locate/source_file.h"
#include "walk/walk.h"

/**
 * A crash and its walks as one JSON document.
 *
 * It has every member of rust-minidump's schema with its name and meaning, and additional members.
 * data/unspool-walk.schema.json describes each member. The document is written while the walks are
 * made: only the requesting thread's walk stays in memory. Source: rust-minidump's
 * minidump-processor/json-schema.md and process_state.rs.
 */
struct walk_json_options {
	bool pretty;			/* print one member on each line */
	bool summary;			/* print only the crash and the requesting thread */
	bool fold;			/* print only the first turn of a cycle of frames */
	bool only_requesting;		/* print only frames of the requesting thread */
	long only_thread;		/* print only this thread (Breakpad's number); -1: all */
	/* For a report: walk whose code and variables are added, and its surroundings; or NULL */
	struct walk *reported;
	struct surroundings *around;
	const struct source_options *source;
	const struct signature_rules *signature_rules;	/* NULL: the built-in rules */
	enum policy_column compat;	/* column of policy.def that the policy is based on */
};

extern const struct fact walk_document_facts[];

/** The document of a report: a walk's document, and data of one thread for a bug tracker. */
extern const struct fact report_document_facts[];

/** The document of a summary as facts; its members are as in a walk's document. */
extern const struct fact summary_document_facts[];

/**
 * Write the document. `binaries` are the modules' own files (NULL: none). Symbols are loaded when
 * walks need them. False when out of memory; the document is incomplete then.
 */
bool
walk_json(const struct output *output, const struct crash *crash, struct symbols *symbols,
	  struct binaries *binaries, const struct policy *policy,
	  const struct walk_json_options *options);

#endif
