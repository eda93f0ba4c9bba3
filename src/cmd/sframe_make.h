/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_SFRAME_MAKE_H
#define CMD_SFRAME_MAKE_H

#include "cmd/subject.h"
#include "unwind_check/to_sframe.h"

/**
 * An SFrame section made of what a file has: `unspool sframe --from`.
 */
struct sframe_wish {
	const char *path;		/* an ELF file, a symbol file or a raw section */
	const char *source;		/* name of the source of rules; NULL: the first one */
	long version;			/* 0: 2, or that of the section that is read */
	bool field_relative;		/* start addresses count from their own fields */
	bool big_endian;		/* of a symbol file */
	struct cmd_address address;	/* of the section */
};

struct sframe_made {
	struct sframe_making making;
	struct subject subject;
	struct file raw;
	struct sframe section;		/* of `raw` */
	struct input input;		/* of the bytes that were made */
	const uint8_t *bytes;
	size_t size;
	const char *from;		/* ".eh_frame" */
	const struct arch *arch;
	struct arena arena;
	struct sframe_refusal *refused;
	size_t count, capacity;
};

/** Make the section. Prints what is wrong. */
enum cmd_status
sframe_make(struct sframe_made *made, const struct cmd_options *options,
	    const struct sframe_wish *wish);

/** What was refused as lines, and behind them a line with the numbers. */
void
sframe_make_print(const struct sframe_made *made, const char *path);

void
sframe_make_free(struct sframe_made *made);

#endif
