/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/shortage.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* The thread that sets `claimed` writes the text. Others read it after `told` is set. */
static char first[4096 + 256];
static atomic_bool claimed, told;

void
shortage_note_text(const char *what, const char *text)
{
	if (atomic_exchange(&claimed, true))
		return;
	if (what != NULL)
		snprintf(first, sizeof(first), "'%.4095s': %.200s", what, text);
	else
		snprintf(first, sizeof(first), "%.200s", text);
	atomic_store(&told, true);
}

bool
shortage_note(int reason, const char *what)
{
	const bool lacks = reason == EMFILE || reason == ENFILE || reason == ENOMEM ||
			   reason == EIO;

	if (lacks) {
		shortage_note_text(what, reason == ENOMEM ? OUT_OF_MEMORY : strerror(reason));
		errno = reason;
	}
	return lacks;
}

const char *
shortage_first(void)
{
	return atomic_load(&told) ? first : NULL;
}
