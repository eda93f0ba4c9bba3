/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_STEP_EXPORT_INTERNAL_H
#define REPORT_STEP_EXPORT_INTERNAL_H

#include "dump/minidump_write.h"
#include "report/step/export_case.h"

/** What the files of a case are made from; private to the files export_*.c. */
struct case_maker {
	struct walk *walk;
	size_t frame;
	const char *directory;
	struct arena arena;
	struct frame caller;
	struct verdict verdict;
	struct registers registers;	/* of the case's frame 0 */
	uint64_t added;			/* bytes of parameters that its stack pointer has more */
	bool unlinked;			/* its link register is left out */
	struct memory_log log;		/* words that were read, by address, each once */
	size_t modules[2];
	size_t module_count;
	struct case_export *result;
	struct error *error;
};

/** A path below the case's directory; NULL with an error when out of memory. */
const char *
export_path(struct case_maker *maker, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** Write a file that is not there yet. */
bool
export_file(struct case_maker *maker, const char *path, const void *bytes, size_t size);

/** Make a directory; one that is there is an error where `fresh`. */
bool
export_directory(struct case_maker *maker, const char *path, bool fresh);

/** symbols/NAME/ID/NAME.sym of each module that has symbols (export_symbols.c). */
bool
export_symbols(struct case_maker *maker);

/** README.md (export_readme.c). */
bool
export_readme(struct case_maker *maker);

#endif
