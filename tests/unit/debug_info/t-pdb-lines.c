/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a PDB that have no line of a file. */
#include "debug_info/debug_info.h"
#include "dump_syms/dump_syms.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define PDB "data/crashes/pdb-x86/binaries/kiosk.pdb"
struct asked {
	uint64_t address, offset;	/* where the row with the line is */
	uint32_t line;
	size_t lines;			/* the function's number of lines */
	bool numbered;			/* a symbol file writes the row's number as its line */
	char name[64];
};

static void
take_address(void *context, const char *name, uint64_t relative)
{
	uint64_t *address = context;

	(void)name;
	if (*address == UINT64_MAX)
		*address = relative;
}

/* The answers of the PDB for the beginning of its first function. */
static bool
ask(const uint8_t *bytes, size_t size, struct asked *asked)
{
	const struct dump_syms_options options = { .threads = 1 };
	struct error error = { 0 };
	struct debug_answer answer;
	struct output_string string;
	struct arena arena = { 0 };
	struct debug_body body;
	struct binary *binary;
	struct dump_syms dump;
	struct crash crash;

	*asked = (struct asked){ .address = UINT64_MAX };
	if (binary_from_memory(&binary, "a.pdb", bytes, size, &error) != ERROR_NONE || !binary_as_crash(binary, "a.pdb", &crash))
		return false;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	debug_info_functions(binaries, 0, DEBUG_NAMES_DWARF, take_address, &asked->address);
	const bool found = debug_info_find(binaries, 0, asked->address, &arena, &answer);
	if (found) {
		asked->line = answer.line.line;
		asked->offset = answer.line.offset;
		strncpy(asked->name, answer.name, sizeof(asked->name) - 1);
	}
	if (debug_info_body(binaries, 0, asked->address, &arena, &body))
		asked->lines = body.line_count;
	if (dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &error) == ERROR_NONE) {
		output_string_init(&string, &arena);
		dump_syms_write(&dump, &string.output);
		dump_syms_free(&dump);
		asked->numbered = strstr(string.text, " 15732480 ") != NULL;
	}
	arena_free(&arena);
	binaries_free(binaries);
	crash_free(&crash);
	return found;
}

int
main(void)
{
	static const uint32_t numbers[] = { 0xf00f00, 0xfeefee };
	struct asked whole, hidden;
	size_t size;

	const char *path = tap_path(PDB);
	uint8_t *bytes = damage_read(path, &size);
	ok(ask(bytes, size, &whole) && whole.line != 0 && whole.offset + 8 <= size, "a function of the PDB begins with a line");
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
		/* The row: u32 of the offset, then 24 bits of the line (CV_Line_t). */
		for (unsigned k = 0; k < 3; k++)
			bytes[whole.offset + 4 + k] = (uint8_t)(numbers[i] >> 8 * k);
		ok(ask(bytes, size, &hidden), "a function whose line is 0x%x is found", numbers[i]);
		is_str(hidden.name, whole.name, "a function with a special line number keeps its name");
		is_u64(hidden.line, 0, "a special line number gives no line");
		is_u64(hidden.lines, whole.lines - 1, "only the row with the special line number is missing");
		ok(hidden.numbered == (i == 0), "only 0xf00f00 is a line number in symbol files");
	}
	free(bytes);
	return done_testing();
}
