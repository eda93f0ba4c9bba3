/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LINT_LINT_H
#define LINT_LINT_H

#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "lint/gather.h"
#include "system/file.h"

/**
 * Everything that is wrong with a symbol file, and what it does to a walk.
 *
 * The loader of src/symbols takes what it can from a file, as fast as it can; this room reads every
 * record to its last field and compares them with each other. It shares the loader's reading of
 * fields, so that both agree on what is malformed, and nothing else.
 *
 * The room: lint.h says what a finding is, code.def what can be found; records.c reads the file a
 * line at a time, functions.c (with lines and inlined calls), stack.c and expressions.c look at
 * what they are named after, ranges.c compares what has been collected; address.c reads the
 * records of one address alone.
 */
enum lint_severity {
	LINT_NOTE,		/* a departure from the format that does no harm by itself */
	LINT_WARNING,		/* names or walks come out wrong */
	LINT_ERROR,		/* records or the whole file are lost */
	LINT_SEVERITIES,
};

enum lint_code {
#define L(id, name, severity, wrong, effect, hint, breakpad, rust, follows) LINT_##id,
#include "lint/code.def"
#undef L
	LINT_CODE_COUNT
};

/** A row of code.def; texts that say nothing are "". `rust` begins with "refuses" where it may. */
struct lint_code_info {
	const char *name;
	enum lint_severity severity;
	const char *wrong, *effect, *hint;
	const char *breakpad, *rust;
	const char *follows;	/* names of codes, separated by blanks */
};

extern const struct lint_code_info lint_code_table[LINT_CODE_COUNT];

/** The code of a name; false where there is none. */
bool
lint_code_named(struct text name, enum lint_code *code);

/** "note", "warning" or "error". */
extern const char *const lint_severity_names[LINT_SEVERITIES];

struct lint_finding {
	enum lint_code code;
	struct place place;		/* of the field or record */
	struct text record;		/* the whole line, borrowed from the file */
	struct text name;		/* of the function that it is about; empty: none */
	bool addressed;
	uint64_t address;		/* that it is about */
	uint32_t other;			/* line of the record that it is at odds with; 0: none */
	uint64_t fingerprint;		/* the same in another run and another build (baseline.c) */
	size_t times;			/* findings of its code that it stands for; 0: itself */
	const char *text;		/* what is wrong here; "" where the code says it all */
};

/** A finding that is known and accepted: by code, and where they are given by address and name. */
struct lint_accept {
	enum lint_code code;
	bool addressed;
	uint64_t address;
	const char *name;		/* a pattern of fnmatch(3) for the function's; NULL: any */
};

struct binary;

/** The findings of an earlier run, by their fingerprints. */
struct lint_baseline {
	struct arena arena;
	uint64_t *list;
	size_t count;
	bool partial;			/* that run did not list all findings */
};

/** Of so many findings of a code one is kept, unless all are: one cause is behind them. */
#define LINT_FOLDED 100u

struct lint_options {
	size_t most;			/* findings kept of a code; 0: all */
	const struct lint_baseline *baseline;	/* findings to leave out; NULL: none */
	const struct binary *binary;	/* that the files should be of; NULL: not known */
	const struct lint_accept *accepts;
	size_t accept_count;
	unsigned slices;		/* read at a time, by threads; 0: as many as it pays */
	/* Called now and then with the bytes read so far; false: stop. NULL: never called. */
	bool (*progress)(void *context, uint64_t read, uint64_t total);
	void *context;
};

struct lint_coverage {
	uint64_t code;			/* bytes of code that functions cover */
	uint64_t unwound;		/* of those with an unwind record */
	size_t functions, whole;	/* functions, and those of which every byte has one */
};

struct lint {
	struct arena arena;
	struct arena *slice_arenas;	/* of findings in slices; in `arena` */
	size_t slice_count;
	struct file file;
	struct text module;		/* what follows MODULE; empty: none */
	struct lint_finding *findings;	/* by line */
	size_t finding_count, finding_capacity;
	size_t counts[LINT_CODE_COUNT];		/* true counts, without what is accepted */
	size_t accepted[LINT_CODE_COUNT];
	size_t unmatched;	/* not compared with all patterns of accepts: LIMIT_ACCEPTED_WORK */
	size_t known;				/* those of the baseline */
	uint64_t lines;
	struct lint_coverage coverage;
	bool stopped;			/* by `progress`: what follows has not been looked at */
	const char *rust_refuses;	/* why rust-minidump refuses the file; NULL: it does not */
	uint32_t rust_line;		/* where */
};

/** Whether a code's defect can make rust-minidump refuse the file. */
static inline bool
lint_may_be_refused(const struct lint_code_info *info)
{
	return strncmp(info->rust, "refuses", strlen("refuses")) == 0;
}

/**
 * Read a symbol file, plain or compressed, and find what is wrong. Fails only where the file can't
 * be read at all or out of memory; lint_free is due in any case.
 */
enum error_code
lint_file(struct lint *lint, const char *path, const struct lint_options *options,
	  struct error *error);

/** lint_file() for bytes that the caller keeps, by the name that places will have. */
enum error_code
lint_bytes(struct lint *lint, const char *name, const void *bytes, size_t size,
	   const struct lint_options *options, struct error *error);

struct symfile;

/**
 * What is wrong with the records of an opened symbol file that cover `address`, counted from the
 * module's base: the FUNC record with its lines and inlined calls, the STACK CFI INIT record with
 * its deltas, STACK WIN records. Reported are warnings and errors that are true whatever else the
 * file has, so not how records of several functions overlap. Reads little of a large file.
 * Findings have their places in the file, which outlives them; lint_free is due in any case.
 * Fails when out of memory.
 */
enum error_code
lint_address(struct lint *lint, const struct symfile *symfile, uint64_t address,
	     struct error *error);

/** Make a file that can't be read into one with that finding; `why` is copied. */
void
lint_unreadable(struct lint *lint, const char *why);

void
lint_free(struct lint *lint);

/**
 * Read files on all processors and `tell` of each in their order, in the caller's thread; what
 * can't be read has that as finding. `options->progress` is called by several threads. False: no
 * memory.
 */
bool
lint_files(const struct gathered_files *paths, const struct lint_options *options,
	   void (*tell)(void *context, size_t index, const struct lint *lint), void *context);

/**
 * Read the fingerprints of a run's JSON or SARIF. Free them with lint_baseline_free in any case.
 */
enum error_code
lint_baseline_read(struct lint_baseline *baseline, const char *path, struct error *error);

bool
lint_baseline_has(const struct lint_baseline *baseline, uint64_t fingerprint);

void
lint_baseline_free(struct lint_baseline *baseline);

/**
 * Read one accepted finding: CODE, CODE@ADDRESS (hexadecimal) or CODE=PATTERN for the names of
 * functions and public symbols. `text` is borrowed. Returns what is wrong with it, or NULL.
 */
const char *
lint_accept_parse(const char *text, struct lint_accept *accept);

#endif
