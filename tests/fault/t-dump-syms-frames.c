/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * STACK CFI records that dump-syms writes by one run through each entry of .eh_frame, and by a look-up
 * of each row, are the same: of programs, and of copies whose entries have changed bytes.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "dump_syms/dump_syms.h"
#include "locate/binaries.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define CHANGES 1000u

struct program {
	const char *name;
	uint8_t *bytes;
	size_t size;
};

/* The records of a program; NULL: none can be written. */
static char *
records_of(const struct program *program, bool row_by_row)
{
	const struct dump_syms_options options = { .threads = 1, .no_functions = true,
						   .no_publics = true, .row_by_row = row_by_row };
	struct binary *binary = NULL;
	struct error error = { 0 };
	struct dump_syms dump;
	struct crash crash;
	char *text = NULL;
	size_t size;

	if (binary_from_memory(&binary, program->name, program->bytes, program->size, &error) !=
		    ERROR_NONE || !binary_as_crash(binary, program->name, &crash))
		return NULL;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	binaries_stay_inside(binaries);
	if (dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &error) == ERROR_NONE) {
		text = dump_syms_text(&dump, &size);
		dump_syms_free(&dump);
	}
	binaries_free(binaries);
	crash_free(&crash);
	return text;
}

/* Whether both ways write the same; what is written, to be freed, in `*text`. */
static bool
is_same(const struct program *program, char **text)
{
	char *rows = records_of(program, true);

	*text = records_of(program, false);
	const bool same = rows != NULL && *text != NULL && strcmp(rows, *text) == 0;
	free(rows);
	return same;
}

/* Change up to three bytes of entries at a time. */
static void
test_changes(struct program *program, uint64_t start, size_t length, const char *whole)
{
	uint8_t *entries = program->bytes + start, *kept = damage_copy(entries, length);
	unsigned others = 0, made = 0;
	uint64_t seed = length;

	for (unsigned i = 0; i < CHANGES; i++) {
		char *text;

		for (unsigned changes = 1 + i % 3; changes > 0; changes--) {
			const uint32_t choice = damage_random(&seed);

			entries[damage_random(&seed) % length] =
				(uint8_t)(choice % 2 == 0 ? choice >> 8 & 0x1f : choice >> 8);
		}
		if (!is_same(program, &text) && others++ < 3)
			tap_diag("%s: change %u", program->name, i);
		made += text != NULL && strcmp(text, whole) != 0;
		free(text);
		memcpy(entries, kept, length);
	}
	is_u64(others, 0, "%s: changed entries have the same records in both ways", program->name);
	ok(made > CHANGES / 4, "%u changes make other records", made);
	free(kept);
}

static void
test_program(const char *path)
{
	const char *srcdir = getenv("srcdir");
	struct program program = { .name = strrchr(path, '/') + 1 };
	struct binary *binary;
	char *whole, *place;

	if (asprintf(&place, "%s/data/%s", srcdir != NULL ? srcdir : ".", path) < 0)
		exit(99);
	program.bytes = damage_read(place, &program.size);
	free(place);
	ok(is_same(&program, &whole), "%s has the same records in both ways", program.name);
	ok(whole != NULL && strstr(whole, "\nSTACK CFI INIT") != NULL, "it has some");
	if (binary_from_memory(&binary, program.name, program.bytes, program.size, NULL) ==
	    ERROR_NONE) {
		const struct binary_section *section = binary_section(binary, 0, ".eh_frame");
		const uint64_t start = section->offset;
		const size_t length = (size_t)section->size;

		binary_close(binary);
		test_changes(&program, start, length, whole);
	}
	free(whole);
	free(program.bytes);
}

int
main(void)
{
#ifdef HAVE_ELF
	static const char *const programs[] = {
		"crashes/sframe-amd64/binaries/parcel", "cores/list-amd64/binaries/list",
		"lessons/sframe-02-losses/binaries/mixer", "crashes/broken-cfi-amd64/binaries/till",
	};

	for (size_t i = 0; i < ARRAY_COUNT(programs); i++)
		test_program(programs[i]);
#else
	skip(1, "built without libelf");
#endif
	return done_testing();
}
