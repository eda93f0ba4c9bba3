/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_SFRAME_MAKE_H
#define CMD_SFRAME_MAKE_H

#include "cmd/subject.h"
#include "unwind_check/to_sframe.h"

/** An SFrame section made from a file: `unspool sframe --from`. */
struct sframe_wish {
	const char *path;		/* an ELF file, a symbol file or a raw section */
	const char *source;		/* name of the source of rules; NULL: the default */
	long version;			/* 0: 2, or that of the input section */
	bool field_relative;		/* start addresses are relative to their own fields */
	bool big_endian;		/* the symbol file's byte order */
	struct cmd_address address;	/* address of the section */
};

struct sframe_made {
	struct sframe_making making;
	struct subject subject;
	struct file raw;
	struct sframe section;		/* the section in `raw` */
	struct input input;		/* for places in the new bytes */
	const uint8_t *bytes;
	size_t size;
	const char *from;		/* name of the source, such as ".eh_frame" */
	const struct arch *arch;
	struct arena arena;
	struct sframe_refusal *refused;
	size_t count, capacity;
};

/** Make the section. Prints what is wrong. */
enum cmd_status
sframe_make(struct sframe_made *made, const struct cmd_options *options,
	    const struct sframe_wish *wish);

/** Print each refused row, and a last line with the numbers. */
void
sframe_make_print(const struct sframe_made *made, const char *path);

void
sframe_make_free(struct sframe_made *made);

#endif
