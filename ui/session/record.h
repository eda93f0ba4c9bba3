/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_SESSION_RECORD_H
#define UI_SESSION_RECORD_H

#include <stdio.h>

#include "base/error.h"
#include "ui/request/keymap.h"

/**
 * What was done, written down as a script that does it again.
 *
 * Every line is a command, so the script means the same with other keys; it knows no times. What
 * moves by pages is written as the row that was reached, so that it means the same on a screen of
 * another size. What could not be done is tried again and may fail again.
 */
struct record {
	FILE *file;		/* NULL: nobody wants a record */
};

/** Begin a record in a file that is not there yet; `dump` and the size go into its first lines. */
enum error_code
record_open(struct record *record, const char *path, const char *dump, int columns, int rows,
	    struct error *error);

/** Write down a request; `failed` where it could not be done. */
void
record_request(struct record *record, enum request request, const char *arguments, bool failed);

/** Write down that row `row` (from 1) of the focused view was selected. */
void
record_row(struct record *record, size_t row);

/** End a record. Harmless where there is none. */
void
record_close(struct record *record);

#endif
