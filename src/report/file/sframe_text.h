/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_FILE_SFRAME_TEXT_H
#define REPORT_FILE_SFRAME_TEXT_H

#include "sframe/sframe.h"
#include "document/facts.h"
#include "unwind_check/to_sframe.h"

/**
 * SFrame sections of all versions in the layout of `readelf --sframe` (binutils 2.46), but without
 * trailing blanks.
 */

/** The functions of a section to show, and their details. */
struct sframe_choice {
	bool rules;		/* add each row's rules in postfix form */
	/** Whether to show a function; NULL: show all. */
	bool (*wanted)(void *context, const struct sframe_function *function);
	/** Returns a function's name, or NULL if it has none. The callback may be NULL. */
	const char *(*name)(void *context, const struct sframe_function *function);
	void *context;
	/** Rows that were left out when the section was made from another source. */
	const struct sframe_refusal *refused;
	size_t refused_count;
};

void
sframe_text_header(const struct output *output, const struct sframe *sframe);

/** Write a function with its rows. `rules`: each row is followed by its rules in postfix form. */
void
sframe_text_function(const struct output *output, const struct sframe_function *function,
		     bool rules);

/**
 * The rules at an address, on one line: "fde 0 fre 1: cfa=sp+16 ra=[cfa-8] fp=same". If `rules` is
 * set, lines with the row's rules in postfix form follow.
 */
void
sframe_text_lookup(const struct output *output, const struct sframe *sframe, uint64_t address,
		   bool rules);

/** Write a row that was refused, on one line: addresses, rules, reason. */
void
sframe_text_refusal(const struct output *output, const struct arch *arch,
		    const struct sframe_refusal *refusal);

/** The section as the members of an open object; `how` says where it was found. */
FACTS_DECLARE(sframe_section, const struct sframe *sframe, const char *how,
	      const struct sframe_choice *choice);

#endif
