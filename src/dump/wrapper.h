/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_WRAPPER_H
#define DUMP_WRAPPER_H

#include "base/error.h"
#include "system/file.h"

/**
 * Dumps in files that also have other parts: the body of an upload, a Sentry envelope, a zip or tar
 * archive, an apport report. One part must be a dump, which may be compressed.
 */

/** Bytes of a part's name. */
#define WRAPPED_NAME 96u

struct wrapped_dump {
	const char *kind;		/* the file: "a zip archive" */
	char name[WRAPPED_NAME];	/* name of the part, safe to print; "": none */
	uint64_t offset;		/* offset of the part in the file */
	uint8_t *bytes;			/* the caller frees them */
	uint64_t size;
};

/** Whether bytes are the beginning of a dump that is not compressed. */
typedef bool wrapper_is_dump(const uint8_t *bytes, uint64_t size);

/** Whether a file with these first bytes may contain a dump among other parts. */
bool
wrapper_recognise(const uint8_t *bytes, uint64_t size);

/**
 * Extract the only dump from a file. ERROR_NOT_FOUND: the file has no parts. ERROR_FORMAT, with a
 * hint: the file has no dump or several dumps, or the dump is unreadable.
 */
enum error_code
wrapper_open(const struct file *file, wrapper_is_dump *is_dump, struct wrapped_dump *wrapped,
	     struct error *error);

#endif
