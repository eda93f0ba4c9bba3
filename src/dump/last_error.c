/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/last_error.h"

#include <string.h>

#include "crash/memory.h"
#include "dump/reason/reason.h"

/* LastErrorValue is the 14th word of a TEB (winternl.h does not name it; 0x34 and 0x68). */
#define LAST_ERROR_WORD 13u
/* The TEB of a 32-bit program lies two pages behind that of the 64-bit layer below it. */
#define WOW64_TEB 0x2000u

static bool
read_teb(const struct memory_view *memory, uint64_t teb, unsigned word, uint64_t *value)
{
	return memory_read(memory, teb + LAST_ERROR_WORD * word, 4, value, NULL);
}

void
last_error_read(struct crash *crash)
{
	unsigned word = crash->system.arch->word_size;
	struct memory_view memory;

	if (crash->system.os != CRASH_OS_WINDOWS)
		return;
	memory_view_all(&memory, crash, &crash->arena);
	for (size_t i = 0; i < crash->thread_count; i++) {
		struct thread *thread = &crash->threads[i];
		uint64_t value;
		char name[96];

		if (thread->teb == 0)
			continue;
		if (thread->context.native != NULL &&
		    read_teb(&memory, thread->teb + WOW64_TEB, 4, &value))
			thread->has_last_error = true;
		else
			thread->has_last_error = read_teb(&memory, thread->teb, word, &value);
		if (!thread->has_last_error)
			continue;
		thread->last_error = (uint32_t)value;
		if (reason_windows_number(thread->last_error, name, sizeof(name)))
			thread->last_error_name = arena_copy(&crash->arena, name, strlen(name));
	}
}
