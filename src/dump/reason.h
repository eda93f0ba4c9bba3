/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_REASON_H
#define DUMP_REASON_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "dump/minidump_internal.h"

/**
 * Why a process crashed, in Breakpad's words.
 *
 * Each family of systems has a file with its tables. Reasons are spelled as
 * minidump_stackwalk 0.26.0 prints them, its odd blanks included, because tools
 * match on them; what that wording leaves out goes into the note.
 */
struct reason {
	char text[160];			/* empty: the code has no name */
	char note[400];
	uint64_t address;
};

struct reason_name {
	uint32_t value;
	const char *name;
};

/** The name of `value` in a table, or NULL. */
const char *
reason_name(const struct reason_name *names, size_t count, uint32_t value);

/** Write "PREFIX NAME", or the flags as eight hexadecimal digits where they have no name. */
void
reason_with_flags(struct reason *reason, const char *prefix, const char *name, uint32_t flags);

/** Set the note. */
void
reason_note(struct reason *reason, const char *format, ...) ATTRIBUTE_PRINTF(2, 3);

/** The name of an NTSTATUS, or NULL. */
const char *
reason_ntstatus(uint32_t status);

void
reason_linux(const struct minidump *minidump, struct reason *reason);

void
reason_windows(const struct minidump *minidump, struct reason *reason);

void
reason_mac(const struct minidump *minidump, struct reason *reason);

void
reason_fuchsia(const struct minidump *minidump, struct reason *reason);

void
reason_solaris(const struct minidump *minidump, struct reason *reason);

void
reason_ps3(const struct minidump *minidump, struct reason *reason);

#endif
