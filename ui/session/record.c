/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/record.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

enum error_code
record_open(struct record *record, const char *path, const char *dump, int columns, int rows,
	    struct error *error)
{
	char name[512];

	record->file = fopen(path, "wxe");
	if (record->file == NULL)
		return error_set(error, ERROR_IO, (struct place){ 0 },
				 "'%s' cannot be written: %s", path, strerror(errno));
	/* One line each, as they happen: a record of a crash ends with what made it. */
	setvbuf(record->file, NULL, _IOLBF, 0);
	text_printable(name, sizeof(name), text_of(dump));
	fprintf(record->file, "# unspool --script THIS --size %dx%d %s\n", columns, rows, name);
	return ERROR_NONE;
}

void
record_request(struct record *record, enum request request, const char *arguments, bool failed)
{
	const struct keymap_row *row = keymap_row_of(request);

	if (record->file == NULL || row == NULL)
		return;
	fprintf(record->file, ":%s%.*s%s%.*s\n", failed ? "try " : "",
		(int)keymap_name_length(row->command), row->command,
		arguments[0] != '\0' ? " " : "", (int)strcspn(arguments, "\n"), arguments);
}

void
record_row(struct record *record, size_t row)
{
	if (record->file != NULL)
		fprintf(record->file, ":row %zu\n", row);
}

void
record_close(struct record *record)
{
	if (record->file != NULL)
		fclose(record->file);
	record->file = NULL;
}
