/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_WALK_FILE_H
#define TESTS_LIB_WALK_FILE_H

#include "sframe/sframe.h"
#include "crash/crash.h"

/**
 * A thread written as text: registers, words of memory, and the SFrame section of its code.
 *
 * AArch64 big-endian and s390x have no minidumps; this is how their walks are shown and tested.
 *
 *	sframe: FILE			raw section, beside the walk file
 *	section-address: 0x402000
 *	abi: amd64			aarch64-le, aarch64-be, s390x
 *	reg pc 0x401010			also sp, fp and rN by DWARF number
 *	mem 0x7fff0000 0x401044		a word of 8 bytes
 *
 * Other lines ("what:", "symbols:") are for people. A line "[expect]" ends what is read.
 */
struct walk_file {
	struct crash crash;		/* one thread; one module that holds all addresses */
	enum sframe_abi abi;
	const char *sframe_name;	/* as the file has it; in the crash's arena */
	uint64_t section_address;
};

/** Open a walk file. Free its crash with crash_free, also after a failure. */
enum error_code
walk_file_open(struct walk_file *file, const char *path, struct error *error);

#endif
