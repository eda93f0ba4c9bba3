/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_APPLE_APPLE_REPORT_H
#define DUMP_APPLE_APPLE_REPORT_H

#include "dump/minidump_internal.h"

/**
 * Shared by the readers of Apple's two forms of crash reports: JSON (.ips) and text (.crash). A
 * report lists the frames of each thread, the registers of one thread, and the images of the
 * process with their UUIDs. It has no memory (Apple, "Examining the fields in a crash report").
 */
struct apple_report {
	struct minidump shared;		/* minidump for messages, annotations and reasons */
	struct crash *crash;
	uint64_t *frames;		/* frames of all threads, in their order */
	size_t frame_count, frame_capacity, thread_capacity, module_capacity;
	size_t line_capacity, record_capacity, stream_capacity;
	/* Fields of the report, as spelled there; NULL: missing. */
	const char *cpu, *os, *build, *path, *process, *faulting, *pid;
	const char *type, *signal, *subtype, *codes;
	const char *note;		/* messages and the reason of the termination */
	struct place exception;
};

/** An image of the process, as the report lists it; NULL: missing. */
struct apple_image {
	const char *name, *path, *uuid;
	uint64_t base, size;
};

/** Read a report in JSON, or in text. The lines of the crash must be set. */
void
apple_ips_read(struct apple_report *report);
void
apple_text_read(struct apple_report *report);

struct place
apple_place(const struct apple_report *report, size_t offset, size_t length);

/** Add a section of the report as a stream, then each of its lines or members as a record. */
void
apple_section(struct apple_report *report, const char *name, size_t offset, size_t size);
void
apple_record(struct apple_report *report, size_t offset, size_t size);

/** Add a thread; NULL at the limit or when out of memory. */
struct thread *
apple_thread(struct apple_report *report, uint64_t id, const char *name, struct place place);

/** Add a frame to the thread that was added last. */
void
apple_frame(struct apple_report *report, uint64_t address);

/** Set a register of a thread by its number; names that the processor lacks are ignored. */
void
apple_register(struct apple_report *report, size_t thread, struct text name, uint64_t value,
	       struct place place);

void
apple_add_image(struct apple_report *report, const struct apple_image *image, struct place place);

/** Set the processor from apple_report.cpu; required before apple_register(). */
void
apple_system(struct apple_report *report);

/** Append a sentence to the note of the crash. */
void
apple_note(struct apple_report *report, const char *what, const char *text, struct place place);

/** The number at the beginning of a text, decimal or hexadecimal with 0x; false: none. */
bool
apple_number(const char *text, uint64_t *number);

#endif
