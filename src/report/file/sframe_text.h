/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_SFRAME_TEXT_H
#define REPORT_FILE_SFRAME_TEXT_H

#include "sframe/sframe.h"
#include "document/facts.h"
#include "unwind_check/to_sframe.h"

/**
 * SFrame sections in the layout of `readelf --sframe` (binutils 2.46, for all versions), without
 * its trailing blanks.
 */

/** Which functions of a section are shown, and how. */
struct sframe_choice {
	bool rules;		/* each row's rules as postfix */
	/** Whether a function is shown; NULL: all are. */
	bool (*wanted)(void *context, const struct sframe_function *function);
	/** The name of a function, or NULL; NULL: none has one. */
	const char *(*name)(void *context, const struct sframe_function *function);
	void *context;
	/** Of a section that was made of something else: what it could not say. */
	const struct sframe_refusal *refused;
	size_t refused_count;
};

/** Header of a section. */
void
sframe_text_header(const struct output *output, const struct sframe *sframe);

/** One function with its rows; with `rules` each row's rules as postfix below it. */
void
sframe_text_function(const struct output *output, const struct sframe_function *function,
		     bool rules);

/**
 * What holds at an address, on one line: "fde 0 fre 1: cfa=sp+16 ra=[cfa-8] fp=same"; with
 * `rules` the row's rules as postfix on lines below it.
 */
void
sframe_text_lookup(const struct output *output, const struct sframe *sframe, uint64_t address,
		   bool rules);

/** A row that was refused, on one line: addresses, what the rules say, why. */
void
sframe_text_refusal(const struct output *output, const struct arch *arch,
		    const struct sframe_refusal *refusal);

/** The section as the members of an object that is open; `how` says where it was found. */
FACTS_DECLARE(sframe_section, const struct sframe *sframe, const char *how,
	      const struct sframe_choice *choice);

#endif
