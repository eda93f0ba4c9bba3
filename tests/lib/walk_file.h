/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_WALK_FILE_H
#define TESTS_LIB_WALK_FILE_H

#include "sframe/sframe.h"
#include "crash/crash.h"

/**
 * A thread written as text: registers, words of memory, and the SFrame section of its code.
 *
 * AArch64 big-endian and s390x have no minidumps; tests and documents use walk files for them.
 *
 *	sframe: FILE...			raw sections with the same rules, next to the walk file
 *	section-address: 0x402000
 *	abi: amd64			aarch64-le, aarch64-be, s390x
 *	reg pc 0x401010			also sp, fp and rN by DWARF number
 *	mem 0x7fff0000 0x401044		a word of 8 bytes
 *	mem 0x7fff0008 0x0 12		12 such words
 *
 * Other lines ("what:", "symbols:") are for readers. The line "[expect]" ends the input.
 */
struct walk_file {
	struct crash crash;		/* one thread; one module that holds all addresses */
	enum sframe_abi abi;
	const char *sframe_name;	/* the names, as in the file; in the crash's arena */
	uint64_t section_address;
};

/** Open a walk file. Free its crash with crash_free, also after a failure. */
enum error_code
walk_file_open(struct walk_file *file, const char *path, struct error *error);

#endif
