/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_REASON_REASON_H
#define DUMP_REASON_REASON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "dump/minidump_internal.h"

/**
 * The reason of a crash, in Breakpad's words and in corrected words.
 *
 * Each large family of systems has a file with its tables; the other systems are in reason.c.
 * `text` is spelled as minidump_stackwalk 0.26.0 prints it, its odd blanks included, because tools
 * match on it. `cause` joins the tables of Breakpad and rust-minidump and the headers of the
 * systems, with errors corrected. If it is empty, `text` is complete. Facts beyond the code go into
 * the note.
 */
struct reason {
	char text[160];			/* empty: the code has no name */
	char cause[320];
	char note[400];
	uint64_t address;		/* address as Breakpad computes it */
	struct crash_cause kind;	/* `text` and `note` are NULL */
};

/** Write prefix, separator and name. NULL name: write the flags as eight hexadecimal digits. */
void
reason_with_flags(struct reason *reason, const char *prefix, const char *separator,
		  const char *name, uint32_t flags);

/** Set `text`, `cause` or `note`, like printf. */
#define reason_text(reason, ...) snprintf((reason)->text, sizeof((reason)->text), __VA_ARGS__)
#define reason_cause(reason, ...) snprintf((reason)->cause, sizeof((reason)->cause), __VA_ARGS__)
#define reason_note(reason, ...) snprintf((reason)->note, sizeof((reason)->note), __VA_ARGS__)

/** Write an exception's name, with the access that its first parameter names; false: unknown. */
bool
reason_windows_exception(uint32_t code, uint64_t access, char *buffer, size_t size);

/**
 * Write the name of a Windows status, HRESULT or last error to `buffer`. A number
 * without a name of its own becomes "FACILITY / ERROR". False: the number is unknown.
 */
bool
reason_windows_number(uint32_t number, char *buffer, size_t size);

/** The name of a signal's si_code on systems that follow POSIX ("SEGV_MAPERR"), or NULL. */
const char *
reason_signal_code(const char *signal, uint32_t code);

/** Write the names of a signal and its si_code, as numbered on most processors. False: unknown. */
bool
reason_signal_name(uint32_t number, uint32_t code, char *buffer, size_t size);

/** The kind of fault of a signal by its name. */
enum crash_fault
reason_signal_fault(const char *signal, uint32_t code);

/** Name a crash of Linux (or a system with its signals), of Windows or of macOS in `reason`. */
void
reason_linux(const struct minidump *minidump, struct reason *reason);

void
reason_windows(const struct minidump *minidump, struct reason *reason);

void
reason_mac(const struct minidump *minidump, struct reason *reason);

/** The number of an exception of macOS by its name ("EXC_BAD_ACCESS"); 0: unknown. */
uint32_t
reason_mac_code(const char *name);

#endif
