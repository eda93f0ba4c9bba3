/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many bytes C functions of i386 pop, by their linker names. The addresses are those that
 * llvm-pdbutil dump -publics -section-headers prints for tests/windows/calls.pdb.gz. */
#include <config.h>

#include "debug_info/debug_pdb.h"
#include "tests/lib/tap.h"

#define PDB "tests/windows/calls.pdb.gz"
#define NONE (-1)
#define IMPORTED "__imp__CreateThread@24"
#define IMPORTED_AT 0x2138

static void
check(const struct pdb *pdb, uint64_t address, int32_t wanted, const char *title)
{
	int32_t bytes = NONE;

	if (!debug_pdb_pops(pdb, address, &bytes))
		bytes = NONE;
	ok(bytes == wanted, "%s: the bytes that are popped are %d", title, (int)wanted);
	if (bytes != wanted)
		tap_diag("got %d", (int)bytes);
}

/* Check the file with one name replaced by another of the same length. */
static void
check_renamed(const struct binary *whole, const char *from, const char *to, uint64_t address, int32_t wanted)
{
	struct error error = { 0 };
	struct binary *binary;
	uint8_t *bytes = malloc(whole->file.size);

	if (bytes == NULL)
		exit(1);
	memcpy(bytes, whole->file.data, whole->file.size);
	uint8_t *at = memmem(bytes, whole->file.size, from, strlen(from) + 1);
	if (at == NULL || strlen(from) != strlen(to)) {
		ok(false, "the file contains '%s'", from);
	} else {
		memcpy(at, to, strlen(to));
		if (binary_from_memory(&binary, "a.pdb", bytes, whole->file.size, &error) == ERROR_NONE) {
			check(binary->pdb, address, wanted, to);
			binary_close(binary);
		} else {
			ok(false, "the changed PDB is opened: %s", error.text);
		}
	}
	free(bytes);
}

int
main(void)
{
	static const struct {
		uint64_t address;
		int32_t bytes;
		const char *title;
	} names[] = {
		{ 0x2138, 24, "the word of an import, CreateThread" },
		{ 0x213c, 0, "of one without arguments" }, { 0x156c, 28, "the jump to an import" },
		{ 0x1320, 0, "a function of the program, whose callers remove its arguments" },
		{ 0x11f0, NONE, "a C++ function, whose name has no size of arguments" },
		{ 0x156e, NONE, "within a function" }, { 0x2068, NONE, "a number, __real@40200000" }, { 0x202e, NONE, "text" },
	};
	static const struct {
		const char *name;
		int32_t bytes;
	} others[] = {
		{ "__imp_@CreateThread@24", 16 },	/* two words in registers */
		{ "__imp_@CreateThreads@8", 0 }, { "__imp_@CreateThreads@4", 0 },
		{ "__imp__CreateThread_24", 0 }, { "__imp_?CreateThread@24", NONE },
		{ "__imp_@CreateThread_24", NONE }, { "__imp__CreateThread@2x", NONE },
		{ "__imp__CreateThread24@", NONE }, { "__imp__CreateTh@655361", NONE }, { "__imp__CreateThr@65535", 65535 },
	};
	struct error error = { 0 };
	struct binary *binary;

	check(NULL, 0x1000, NONE, "there is no PDB");
#ifndef HAVE_ZLIB
	skip(1, "zlib was left out");
	return done_testing();
#endif
	const char *path = tap_path(PDB);
	if (binary_open(&binary, path, &error) != ERROR_NONE) {
		ok(false, "%s is read", path);
		return done_testing();
	}
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		check(binary->pdb, names[i].address, names[i].bytes, names[i].title);
	check(binary->pdb, UINT64_C(1) << 32 | names[0].address, NONE, "beyond the image");
	for (size_t i = 0; i < ARRAY_COUNT(others); i++)
		check_renamed(binary, IMPORTED, others[i].name, IMPORTED_AT, others[i].bytes);
	struct debug_pdb *pdb = debug_pdb_open(binary);
	struct debug_answer data = { 0 };
	ok(pdb != NULL && debug_pdb_data(pdb, IMPORTED_AT, &data) && data.address == IMPORTED_AT &&
	   strcmp(data.name, "_imp__CreateThread") == 0, "the word of an import has the name of its public symbol");
	ok(pdb != NULL && !debug_pdb_data(pdb, IMPORTED_AT + 1, &data) && !debug_pdb_data(pdb, 0x1320, &data),
	   "data has a name only at its first byte, and code is no data");
	debug_pdb_close(pdb);
	binary_close(binary);
	return done_testing();
}
