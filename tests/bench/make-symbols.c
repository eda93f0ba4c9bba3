/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * make-symbols REAL MEGABYTES OUTPUT: a real symbol file within an invented large one.
 *
 * All records of the real file keep their meaning: its functions and STACK records are among the invented ones, whose addresses
 * are above all of its own, so that the frames of its crash resolve as before. The size is exact within some per cent.
 */
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "tests/bench/bench.h"
#include "tests/bench/invented.h"

/* Bytes for each function in an invented file of 12 MB; larger files have larger numbers. */
#define FUNCTION_BYTES 1895u
#define MORE_FUNCTION_BYTES 137u

/* The beginnings of the real file's lines, in the order in which dump_syms writes them. */
enum part { HEAD, FILES, ORIGINS, FUNCTIONS, PUBLICS, STACK, PART_COUNT };

static const char *const beginnings[PART_COUNT] = {
	[FILES] = "FILE ",     [ORIGINS] = "INLINE_ORIGIN ", [FUNCTIONS] = "FUNC ",
	[PUBLICS] = "PUBLIC ", [STACK] = "STACK ",
};

struct real {
	char *bytes;
	size_t size, begin[PART_COUNT + 1];
	uint32_t origins, files, end;	/* the first free numbers and address */
};

static void
read_real(struct real *real, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		give_up(path);
	long size = ftell(file);
	rewind(file);
	real->bytes = size < 0 ? NULL : calloc(1, (size_t)size + 1);
	if (real->bytes == NULL || fread(real->bytes, 1, (size_t)size, file) != (size_t)size)
		give_up(path);
	real->size = (size_t)size;
	fclose(file);
}

static void
raise_to(uint32_t *value, unsigned long least)
{
	if (*value < least)
		*value = (uint32_t)least;
}

/* Find the parts of the real file, and the numbers and addresses that it uses. */
static void
divide(struct real *real)
{
	enum part part = HEAD;

	for (char *line = real->bytes; *line != '\0'; line = strchr(line, '\n') + 1) {
		for (unsigned next = part + 1; next < PART_COUNT; next++)
			if (strncmp(line, beginnings[next], strlen(beginnings[next])) == 0)
				while (part < next)
					real->begin[++part] = (size_t)(line - real->bytes);
		char *end = line, *fields = strchr(line, ' ') + 1;
		if (part == FILES)
			raise_to(&real->files, strtoul(fields, NULL, 10) + 1);
		if (part == ORIGINS)
			raise_to(&real->origins, strtoul(fields, NULL, 10) + 1);
		if (part == FUNCTIONS && *line == 'F') {
			unsigned long address = strtoul(fields, &end, 16);
			raise_to(&real->end, address + strtoul(end, NULL, 16));
		}
	}
	while (part < PART_COUNT)
		real->begin[++part] = real->size;
}

static void
put_part(struct invented *invented, const struct real *real, enum part part)
{
	invented_put(invented, real->bytes + real->begin[part], real->begin[part + 1] - real->begin[part]);
}

static uint32_t
function_count(unsigned long megabytes)
{
	unsigned long bytes = FUNCTION_BYTES;

	for (unsigned long size = megabytes; size >= 120; size /= 10)
		bytes += MORE_FUNCTION_BYTES;
	return (uint32_t)(megabytes * 1000000 / bytes);
}

int
main(int argc, char **argv)
{
	struct real real = { 0 };
	unsigned long megabytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;

	if (megabytes == 0 || megabytes > 8000) {
		fprintf(stderr, "usage: make-symbols REAL MEGABYTES OUTPUT\n");
		return 2;
	}
	read_real(&real, argv[1]);
	divide(&real);
	const uint32_t functions = function_count(megabytes);
	struct invented *invented = invented_create(argv[3], megabytes, functions, (real.end + 0xffffu) & ~0xffffu);
	invented_number_from(invented, real.origins, real.files);
	put_part(invented, &real, HEAD);
	put_part(invented, &real, FILES);
	invented_files(invented);
	put_part(invented, &real, ORIGINS);
	invented_origins(invented);
	invented_functions(invented, 0, functions * 2 / 3);
	put_part(invented, &real, FUNCTIONS);
	invented_functions(invented, functions * 2 / 3, functions);
	put_part(invented, &real, PUBLICS);
	invented_publics(invented);
	invented_stack(invented, 0, functions * 2 / 3);
	put_part(invented, &real, STACK);
	invented_stack(invented, functions * 2 / 3, functions);
	printf("%s: %llu bytes\n", argv[3], (unsigned long long)invented_finish(invented));
	free(real.bytes);
	return 0;
}
