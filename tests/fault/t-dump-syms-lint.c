/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two parts of the program agree about one text: in symbol files that dump-syms writes, of complete
 * and of damaged programs and PDBs, lint reports only the findings that the tables below expect. */
#include <config.h>

#include <glob.h>

#include "dump_syms/dump_syms.h"
#include "lint/lint.h"
#include "locate/binaries.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define CHANGES 400u

/* Findings that are true of the program, complete or damaged, and no errors of its symbol file. */
static const enum lint_code of_whole[] = {
	LINT_MODULE_ID,			/* tests/pe: programs without a PDB have no identifier */
	LINT_NO_NAMES,
	LINT_UNWIND_WITHOUT_CODE,	/* stubs and thunks */
	LINT_CFI_RA_UNUSUAL,		/* machine frames of Windows */
	LINT_CFI_CFA_REGISTER,		/* functions that realign their stack */
};

/* Findings that damage causes: dump-syms writes wrong addresses, sizes and rules unchanged. */
static const enum lint_code of_damaged[] = {
	LINT_CFI_CFA_FALLS, LINT_CFI_ENTRY, LINT_CFI_INIT_OVERLAP, LINT_CFI_RA_ELSEWHERE, LINT_CFI_SAVED_BELOW, LINT_CFI_SHIFTED,
	LINT_CFI_SLOT_ABOVE, LINT_CFI_SLOT_SHARED, LINT_CFI_UNALIGNED, LINT_CODE_WITHOUT_UNWIND, LINT_FUNC_OVERLAP, LINT_INLINE_OVERLAP,
	LINT_LINE_HOLE, LINT_LINE_OUTSIDE, LINT_NO_UNWIND, LINT_PUBLIC_FAR, LINT_PUBLIC_INSIDE_FUNC, LINT_PUBLIC_ZERO, LINT_WIN_NO_EIP,
	LINT_WIN_NO_ESP, LINT_WIN_PROGRAM,
};

static bool
is_expected(enum lint_code code, bool whole)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_COUNT(of_whole); i++)
		found |= of_whole[i] == code;
	for (size_t i = 0; !whole && i < ARRAY_COUNT(of_damaged); i++)
		found |= of_damaged[i] == code;
	return found;
}

/* Count the findings in a text that are not expected, and print the first ones. */
static size_t
count_findings(const char *text, size_t size, const char *name, bool whole)
{
	const struct lint_options options = { .most = 3, .slices = 1 };
	struct error error = { 0 };
	struct lint lint;
	size_t count = 0;

	if (lint_bytes(&lint, "made.sym", text, size, &options, &error) != ERROR_NONE)
		return 1;
	for (size_t i = 0; i < lint.finding_count; i++) {
		const struct lint_finding *finding = &lint.findings[i];
		if (is_expected(finding->code, whole) || finding->times > 0)
			continue;
		count++;
		tap_diag("%s: %s: line %u: %s: %.*s", name, lint_code_table[finding->code].name,
			 finding->place.line, finding->text, (int)finding->record.length, finding->record.start);
	}
	lint_free(&lint);
	return count;
}

/* Count the findings in the symbol file of a program of these bytes; 0 if none is written. */
static size_t
check_program(const uint8_t *bytes, size_t size, const char *name, bool whole, size_t *written)
{
	const struct dump_syms_options options = { .threads = 1 };
	struct binary *binary = NULL;
	struct error error = { 0 };
	struct dump_syms dump;
	struct crash crash;
	size_t count = 0;

	if (binary_from_memory(&binary, name, bytes, size, &error) != ERROR_NONE || !binary_as_crash(binary, name, &crash))
		return 0;
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	binaries_give(binaries, 0, binary);
	binaries_set(binaries, BINARIES_INSIDE);
	if (dump_syms_read(&dump, binaries, 0, crash.system.arch, &options, &error) == ERROR_NONE) {
		char *text = dump_syms_text(&dump, &size);
		dump_syms_free(&dump);
		++*written;
		count = count_findings(text, size, name, whole);
		free(text);
	}
	binaries_free(binaries);
	crash_free(&crash);
	return count;
}

static void
test_file(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	size_t size, written = 0, found = 0;
	uint8_t *whole = damage_read(path, &size);
	uint64_t seed = size;

	is_u64(check_program(whole, size, name, true, &written), 0, "lint finds nothing in the symbol file of %s", name);
	for (unsigned i = 0; i < CHANGES && size >= 8; i++) {
		uint8_t *bytes = damage_copy(whole, size);
		for (unsigned k = 0; k < 2; k++) {
			const size_t at = damage_random(&seed) % (size - 4);
			bytes[at] = (uint8_t)damage_random(&seed);
			bytes[at + 3] ^= (uint8_t)(1u << damage_random(&seed) % 8);
		}
		found += check_program(bytes, size, name, false, &written);
		free(bytes);
	}
	is_u64(found, 0, "nor in those of %zu damaged copies", written);
	free(whole);
}

int
main(void)
{
	static const char *const patterns[] = {
		"data/crashes/*/binaries/*", "data/cores/*/binaries/*", "data/lessons/*/binaries/*", "tests/pe/*.dll",
	};

	for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
		glob_t found = { 0 };
		const char *path = tap_path("%s", patterns[i]);
		if (glob(path, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++)
				test_file(found.gl_pathv[k]);
		globfree(&found);
	}
	return done_testing();
}
