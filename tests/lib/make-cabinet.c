/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write a cabinet in the form in which Windows symbol servers keep files:
 *
 *	make-cabinet stored|mszip|lzx|quantum CABINET NAME FILE [NAME FILE]...
 *
 * NAME is the name of FILE in the cabinet.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/cabinet.h"

static void *
read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	long length = -1;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0)
		return NULL;
	void *bytes = malloc((size_t)length + 1);
	rewind(file);
	*size = fread(bytes, 1, (size_t)length, file);
	fclose(file);
	return bytes;
}

int
main(int count, char **arguments)
{
	static const char *const methods[CABINET_METHODS] = { "stored", "mszip", "lzx", "quantum" };
	struct cabinet_file files[8] = { 0 };
	size_t method = 0, given = 0, size;

	while (count > 4 && method < CABINET_METHODS && strcmp(arguments[1], methods[method]) != 0)
		method++;
	if (count < 5 || count > 18 || count % 2 == 0 || method == CABINET_METHODS)
		return 2;
	for (int at = 3; at < count; at += 2, given++) {
		files[given].name = arguments[at];
		files[given].bytes = read_whole(arguments[at + 1], &files[given].size);
		if (files[given].bytes == NULL)
			return 1;
	}
	uint8_t *made = cabinet_make((enum cabinet_method)method, files, given, &size);
	FILE *out = fopen(arguments[2], "wb");
	const bool good = out != NULL && fwrite(made, 1, size, out) == size && fclose(out) == 0;
	for (size_t i = 0; i < given; i++)
		free((void *)(uintptr_t)files[i].bytes);
	free(made);
	return good ? 0 : 1;
}
