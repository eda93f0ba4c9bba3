/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Which words belong to a platform id; ids without a row have numbers only. */
static const struct {
	uint32_t platform;
	void (*find)(const struct minidump *minidump, struct reason *reason);
} families[] = {
	{ 1, reason_windows },	    { 2, reason_windows },    { 0x8101, reason_mac },
	{ 0x8102, reason_mac },	    { 0x8201, reason_linux }, { 0x8202, reason_solaris },
	{ 0x8203, reason_linux },   { 0x8204, reason_ps3 },   { 0x8206, reason_fuchsia },
};

/* Processors with 32-bit addresses, whose sign some writers extend (Breakpad masks these). */
static const uint16_t narrow_processors[] = { 0, 1, 3, 4, 5, 10 };

void
reason_with_flags(struct reason *reason, const char *prefix, const char *name, uint32_t flags)
{
	if (name != NULL)
		reason_text(reason, "%s%s", prefix, name);
	else
		reason_text(reason, "%s0x%08" PRIx32, prefix, flags);
}

void
reason_find(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	const struct crash_exception *exception = &crash->exception;
	struct reason reason = { .address = exception->address };

	if (!exception->present)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(families); i++)
		if (minidump->has_system && families[i].platform == minidump->platform)
			families[i].find(minidump, &reason);
	if (reason.text[0] == '\0')
		reason_text(&reason, "0x%08" PRIx32 " / 0x%08" PRIx32, exception->code,
			    exception->flags);
	for (size_t i = 0; i < ARRAY_COUNT(narrow_processors); i++)
		if (minidump->has_system && narrow_processors[i] == minidump->processor)
			reason.address &= UINT32_MAX;
	for (size_t i = 0; i < crash->stream_count; i++) {
		if (strcmp(crash->streams[i].name, "LLDBGenerated") != 0)
			continue;
		reason.kind.address = CRASH_ADDRESS_PC;
		reason_note(&reason, "written by LLDB: the address is the thread's pc, "
			    "not what it accessed");
	}
	const char *cause = reason.cause[0] != '\0' ? reason.cause : reason.text;
	crash->reason = arena_copy(&crash->arena, reason.text, strlen(reason.text));
	crash->reason_address = reason.address;
	crash->cause = reason.kind;
	crash->cause.text = arena_copy(&crash->arena, cause, strlen(cause));
	if (reason.note[0] != '\0')
		crash->cause.note = arena_copy(&crash->arena, reason.note, strlen(reason.note));
}
