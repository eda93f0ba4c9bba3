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
 * All defects of a symbol file, and their effects on a walk.
 *
 * The loader of src/symbols takes what it can from a file, as fast as it can. Lint reads every
 * record to its last field and compares records with each other. It shares only the parser of
 * fields with the loader, so that both agree on malformed fields.
 *
 * Files: lint.h defines a finding, and code.def lists the codes. records.c reads the file line by
 * line. functions.c (with lines and inlined calls), stack.c and expressions.c check the records
 * that they are named after. ranges.c compares the collected records. address.c checks only the
 * records of one address.
 */
enum lint_severity {
	LINT_NOTE,		/* a departure from the format that does no harm by itself */
	LINT_WARNING,		/* names or walks come out wrong */
	LINT_ERROR,		/* records or the complete file are lost */
	LINT_SEVERITIES,
};

enum lint_code {
#define L(id, name, severity, wrong, effect, hint, breakpad, rust, follows) LINT_##id,
#include "lint/code.def"
#undef L
	LINT_CODE_COUNT
};

/** A row of code.def; texts without content are "". `rust` may begin with "refuses". */
struct lint_code_info {
	const char *name;
	enum lint_severity severity;
	const char *wrong, *effect, *hint;
	const char *breakpad, *rust;
	const char *follows;	/* names of its consequences, separated by blanks */
};

extern const struct lint_code_info lint_code_table[LINT_CODE_COUNT];

/** The code with a name; false: unknown name. */
bool
lint_code_named(struct text name, enum lint_code *code);

/** "note", "warning" or "error". */
extern const char *const lint_severity_names[LINT_SEVERITIES];

struct lint_finding {
	enum lint_code code;
	struct place place;		/* place of the field or record */
	struct text record;		/* complete line, borrowed from the file */
	struct text name;		/* function of the finding; empty: none */
	bool addressed;
	uint64_t address;
	uint32_t other;			/* line of the contradicting record; 0: none */
	uint64_t fingerprint;		/* equal in other runs and builds (baseline.c) */
	/* number of other findings of the same code that this finding represents */
	size_t times;
	const char *text;		/* the defect; "" if the code explains it */
};

/** A finding to accept, identified by its code and optionally by address and name. */
struct lint_accept {
	enum lint_code code;
	bool addressed;
	uint64_t address;
	const char *name;		/* fnmatch(3) pattern for the function's name; NULL: any */
};

struct binary;
struct symfile;

/** The findings of an earlier run, by their fingerprints. */
struct lint_baseline {
	struct arena arena;
	uint64_t *list;
	size_t count;
	bool partial;			/* the earlier run did not list all findings */
	bool of_lint;			/* made by `unspool lint`, not by `unspool unwind-check` */
};

/** This many findings of one code have one cause. Only one is kept, unless all are requested. */
#define LINT_FOLDED 100u

struct lint_options {
	size_t most;			/* maximum number of findings kept of a code; 0: all */
	const struct lint_baseline *baseline;	/* findings to leave out; NULL: none */
	const struct binary *binary;	/* the module's own file; NULL: not given */
	const struct symfile *expected;	/* dump-syms output for `binary`; NULL: none */
	bool of_store;			/* files of other modules are not compared with `binary` */
	const struct lint_accept *accepts;
	size_t accept_count;
	unsigned slices;		/* parts read in parallel; 0: automatic */
	/* Called from time to time with the bytes read so far; false stops the run. May be NULL. */
	bool (*progress)(void *context, uint64_t read, uint64_t total);
	void *context;
};

struct lint_coverage {
	uint64_t code;			/* bytes of code covered by functions */
	uint64_t unwound;		/* bytes of this code that an unwind record covers, too */
	/* Number of functions, and of functions that unwind records cover completely */
	size_t functions, whole;
};

struct lint {
	struct arena arena;
	struct arena *slice_arenas;	/* memory of findings in slices; in `arena` */
	size_t slice_count;
	struct file file;
	struct text module;		/* text after MODULE; empty: none */
	struct lint_finding *findings;	/* sorted by line */
	size_t finding_count, finding_capacity;
	size_t counts[LINT_CODE_COUNT];		/* complete counts, without accepted findings */
	size_t accepted[LINT_CODE_COUNT];
	size_t unmatched;	/* findings not compared with all patterns (LIMIT_ACCEPTED_WORK) */
	size_t known;				/* number of findings in the baseline */
	uint64_t lines;
	struct lint_coverage coverage;
	bool other_module;		/* the binary is of another module: not compared */
	bool stopped;			/* `progress` stopped the run: the rest was not checked */
	const char *rust_refuses;	/* why rust-minidump refuses the file; NULL: it does not */
	uint32_t rust_line;		/* line with the cause */
};

/** Whether the defect of a code can make rust-minidump refuse the file. */
static inline bool
lint_may_be_refused(const struct lint_code_info *info)
{
	return strncmp(info->rust, "refuses", strlen("refuses")) == 0;
}

/**
 * Read a symbol file, plain or compressed, and find its defects. Fails only if the file is
 * unreadable or when out of memory; call lint_free in any case.
 */
enum error_code
lint_file(struct lint *lint, const char *path, const struct lint_options *options,
	  struct error *error);

/** Like lint_file() for bytes that the caller keeps; `name` is the file's name in places. */
enum error_code
lint_bytes(struct lint *lint, const char *name, const void *bytes, size_t size,
	   const struct lint_options *options, struct error *error);

/**
 * The findings about records of an opened symbol file that cover `address`, relative to the
 * module's base: the FUNC record with its lines and inlined calls, the STACK CFI INIT record with
 * its deltas, STACK WIN records. Only warnings and errors that are independent of the rest of the
 * file are reported. Overlaps of functions, for example, are not. Reads little of a large file.
 * Findings have their places in the file, which must outlive them; call lint_free in any case.
 * Fails when out of memory.
 */
enum error_code
lint_address(struct lint *lint, const struct symfile *symfile, uint64_t address,
	     struct error *error);

/** Make the result for an unreadable file, with that finding; `why` is copied. */
void
lint_unreadable(struct lint *lint, const char *why);

void
lint_free(struct lint *lint);

/**
 * Read files on all processors, and pass each result to `tell` in order, in the caller's thread.
 * The result of an unreadable file is a finding. Several threads call `options->progress`. False:
 * out of memory.
 */
bool
lint_files(const struct gathered_files *paths, const struct lint_options *options,
	   void (*tell)(void *context, size_t index, const struct lint *lint), void *context);

/** Read the fingerprints of a run's JSON or SARIF. Call lint_baseline_free in any case. */
enum error_code
lint_baseline_read(struct lint_baseline *baseline, const char *path, struct error *error);

bool
lint_baseline_has(const struct lint_baseline *baseline, uint64_t fingerprint);

void
lint_baseline_free(struct lint_baseline *baseline);

/**
 * Parse one accepted finding: CODE, CODE@ADDRESS (hexadecimal) or CODE=PATTERN for names of
 * functions and public symbols. `text` is borrowed. Returns an error, or NULL.
 */
const char *
lint_accept_parse(const char *text, struct lint_accept *accept);

#endif
