/* SPDX-License-Identifier: GPL-3.0-or-later */
/** region [--attributes] COLUMN,ROW WIDTHxHEIGHT FILE: print a region of a saved screen, or of '-'. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/screen_region.h"

int
main(int count, char **arguments)
{
	const bool marked = count == 5 && strcmp(arguments[1], "--attributes") == 0;
	struct region region;
	char *text = NULL;
	size_t size = 0;

	if (count != 4 + marked || !region_parse(&region, arguments[1 + marked], arguments[2 + marked])) {
		fputs("usage: region [--attributes] COLUMN,ROW WIDTHxHEIGHT FILE\n", stderr);
		return 2;
	}
	FILE *file = strcmp(arguments[3 + marked], "-") == 0 ? stdin : fopen(arguments[3 + marked], "r");
	if (file == NULL || (getdelim(&text, &size, '\0', file) < 0 && ferror(file))) {
		perror(arguments[3 + marked]);
		return 2;
	}
	char *rows = region_of(text != NULL ? text : "", region, marked);
	puts(rows);
	free(rows);
	free(text);
	return 0;
}
