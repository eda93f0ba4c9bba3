/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of functions that are inlined across modules: two modules, written by hand from cvinfo.h
 * (CrossScopeId, CrossScopeReferences, LocalIdAndGlobalIdPair). */
#include "pdb/pdb_types.h"
#include "tests/lib/tap.h"

#define BLOCK 4096u
#define NAMED "c:\\az\\b.obj"
#define GONE "c:\\x\\gone.obj"

/* Streams; each is a block of the file, in the order of their numbers here. */
enum { DBI, NAMES, FIRST, SECOND, PARTS };
static const uint16_t stream_of[PARTS] = { 3, 5, 6, 7 };

static uint8_t bytes[PARTS * BLOCK];
static uint8_t blocks[4 * PARTS];
static struct msf_stream streams[8];
static struct pdb_module_info infos[2];

static void
put(int part, size_t at, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		bytes[(size_t)part * BLOCK + at + i] = (uint8_t)(value >> 8 * i);
}

static size_t
put_text(int part, size_t at, const char *text)
{
	memcpy(bytes + (size_t)part * BLOCK + at, text, strlen(text) + 1);
	return at + strlen(text) + 1;
}

static size_t
put_words(int part, size_t at, const uint32_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++, at += 4)
		put(part, at, words[i], 4);
	return at;
}

/* The list of modules: for each a header of 64 bytes, the names of the object and the library. */
static size_t
put_modules(void)
{
	size_t at = put_text(DBI, put_text(DBI, 64 + 64, "A.obj"), "A.lib");

	at = (at + 3) & ~(size_t)3;
	at = put_text(DBI, put_text(DBI, at + 64, "C:\\AZ\\B.obj"), "");
	return (at + 3) & ~(size_t)3;
}

static void
make(struct pdb *pdb, struct file *file)
{
	/* Imports of the first module from two modules, which are given by their names. */
	static const uint32_t imports[] = { 4, 0xf7, 28, 1, 2, 0x80002000, 0x1234, 1 + sizeof(NAMED), 1, 0x1234 };
	static const uint32_t exports[] = { 4, 99, 0xf2, 4, 0, 0xf8, 24, 0x1234, 0x1007, 0x80002000, 0x1009, 0x1234, 0x1fff };

	put(NAMES, 0, 0xeffeeffe, 4);
	put_text(NAMES, 12 + 1, NAMED);
	put_text(NAMES, 12 + 1 + sizeof(NAMED), GONE);
	const size_t ends[PARTS] = { put_modules(), 12 + 64, put_words(FIRST, 0, imports, ARRAY_COUNT(imports)),
				     put_words(SECOND, 0, exports, ARRAY_COUNT(exports)) };
	for (uint32_t i = 0; i < PARTS; i++) {
		streams[stream_of[i]] = (struct msf_stream){ .size = ends[i], .first = i };
		blocks[4 * i] = (uint8_t)i;
	}
	infos[0] = (struct pdb_module_info){ .stream = 6, .symbols = 4, .lines = sizeof(imports) - 4 };
	infos[1] = (struct pdb_module_info){ .stream = 7, .symbols = 4, .old_lines = 4, .lines = sizeof(exports) - 8 };
	*file = (struct file){ .data = bytes, .size = sizeof(bytes) };
	*pdb = (struct pdb){
		.msf = { .file = file, .block_size = BLOCK, .block_count = PARTS, .streams = streams, .stream_count = 8, .blocks = blocks },
		.names = 5, .names_size = 64, .modules = infos, .module_count = 2,
		.modules_size = (uint32_t)ends[DBI] - 64,
	};
}

static void
test_numbers(struct pdb *pdb)
{
	static const struct {
		uint32_t id, global;
		const char *title;
	} cases[] = {
		{ 0x1005, 0x1005, "a number of IPI is unchanged" },
		{ 0x80000001, 0x1007, "a number of another module is replaced by the one it exports" },
		{ 0x80000000, 0x1009, "also where the other module's number looks like one of a scope" },
		{ 0x80000002, 0, "a number right after a scope's list is unknown" },
		{ 0x800fffff, 0, "a number far after a scope's list is unknown" },
		{ 0x80100000, 0, "a number of a module that the PDB lacks is unknown" },
		{ 0x80200000, 0, "a number of a scope after the last one is unknown" },
		{ 0xfff00000, 0, "a number of the highest possible scope is unknown" },
	};
	struct pdb_module module;
	struct pdb_scopes scopes;

	scopes = (struct pdb_scopes){ .pdb = pdb };
	ok(pdb_module_open(&module, pdb, 0), "the module with imports is read");
	for (unsigned again = 0; again < 2; again++)
		for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
			is_u64(pdb_scope_id(&scopes, &module, cases[i].id), cases[i].global, "%s%s",
			       cases[i].title, again > 0 ? ", asked again" : "");
	pdb_module_close(&module);
	ok(pdb_module_open(&module, pdb, 1), "the module without imports is read");
	is_u64(pdb_scope_id(&scopes, &module, 0x80000000), 0, "a number of a scope is unknown in a module without imports");
	pdb_module_close(&module);
	pdb_scopes_close(&scopes);
}

/* Both modules are cut after each word: an answer is right or missing. */
static void
test_cuts(struct pdb *pdb)
{
	size_t wrong = 0, right = 0;

	for (uint32_t cut = 0; cut < 88; cut++) {
		struct pdb_module module;
		struct pdb_scopes scopes;

		infos[0].lines = cut < 40 ? cut : 36;
		infos[1].lines = cut < 40 ? 44 : cut - 40;
		scopes = (struct pdb_scopes){ .pdb = pdb };
		if (pdb_module_open(&module, pdb, 0)) {
			const uint32_t id = pdb_scope_id(&scopes, &module, 0x80000001);
			right += id == 0x1007;
			wrong += id != 0x1007 && id != 0;
			pdb_module_close(&module);
		}
		pdb_scopes_close(&scopes);
	}
	is_u64(wrong, 0, "a truncated module gives no wrong number");
	ok(right > 0, "the complete module gives the right number");
}

int
main(void)
{
	struct pdb pdb;
	struct file file;

	make(&pdb, &file);
	test_numbers(&pdb);
	test_cuts(&pdb);
	return done_testing();
}
