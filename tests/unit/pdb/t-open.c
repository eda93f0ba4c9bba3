/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PDB of data/crashes/pdb-x86 with changed bytes in its streams, in a container with blocks of 512 bytes: the facts about the
 * whole file. Layouts: microsoft-pdb, PDB/dbi/dbi.h; the contents are those that 'llvm-pdbutil dump' prints. */
#include "base/limits.h"
#include "tests/lib/bytes.h"
#include "tests/lib/msf_image.h"
#include "tests/unit/pdb/kiosk.h"
#include "tests/unit/pdb/records.h"

enum {
	INFO = 1, TYPES, DBI, IDS, EMPTY, PUBLICS = 7, RECORDS, SECTIONS = 10, FRAMES, MODULE,
	NAMES = 14
};
enum { CHANGES = 3 };

#define ID "5927407275412C1C4C4C44205044422E"
#define TWO ID "1 age 1 machine 14c modules 2 sections "
#define WITH_IDS TWO "cddd ids"
#define KEPT 0xfffffffeu		/* the unchanged size */

/* Bytes of one stream, and its size. */
struct change {
	uint32_t stream;		/* 0: the end of the list */
	uint32_t offset;
	const char *data;		/* numbers as in records; NULL: no change */
	uint32_t size;			/* the stream's new size, or KEPT */
};

#define NO_DBI "the PDB's DBI stream cannot be read"
#define NO_STRINGS "; the string table cannot be read"
#define AT(stream, offset, data) { stream, offset, data, KEPT }
#define SIZE(stream, size) { stream, 0, NULL, size }

static const struct {
	const char *title;
	struct change changes[CHANGES];
	const char *shown;
} cases[] = {
	{ "the file as it is", { { 0 } }, WITH_IDS },
	{ "another age", { AT(DBI, 8, "1a/4") }, ID "1a age 26 machine 14c modules 2 sections cddd ids" },
	{ "another processor", { AT(DBI, 58, "8664/2") }, ID "1 age 1 machine 8664 modules 2 sections cddd ids" },
	{ "another GUID", { AT(INFO, 12, "1234567/4 89ab/2 cdef/2 8877665544332211/8") },
	  "0123456789ABCDEF11223344556677881 age 1 machine 14c modules 2 sections cddd ids" },
	{ "no feature", { AT(INFO, 89, "0/4") }, TWO "cddd" },
	{ "the feature of an older linker", { AT(INFO, 89, "1329141/4") }, WITH_IDS },
	{ "the second of two features is used", { { INFO, 89, "0/4 1329141/4", 97 } }, WITH_IDS },
	{ "a stream in the second word of a table that also lists deleted slots",
	  { { INFO, 28, "7/4 '/names' 1/4 28/4 2/4 0/4 80/4 1/4 ffffffff/4 0/4 e/4 0/4 1329141/4", 83 } }, WITH_IDS },
	{ "a table whose only slot is after its capacity", { { INFO, 28,
	  "7/4 '/names' 1/4 0/4 1/4 1/4 0/4 0/4 e/4 0/4 1329141/4", 79 } }, WITH_IDS NO_STRINGS },
	{ "a stream of SourceLink",
	  { { INFO, 28, "14/4 '/names' 'sourcelink$1' 2/4 2/4 1/4 3/4 0/4 0/4 e/4 7/4 5/4 0/4", 92 } }, TWO "cddd links 1" },
	{ "modules that share a stream of more than half the file",
	  { SIZE(MODULE, 100000), AT(DBI, 202, "c/2") }, WITH_IDS "; modules share their streams" },
	{ "linked fast", { AT(INFO, 89, "494e494d/4") },
	  TWO "cddd minimal; linked with /DEBUG:FASTLINK, which leaves functions and lines in the object files" },
	{ "an info stream that is too short", { SIZE(INFO, 27) }, "the PDB's info stream cannot be read" },
	{ "an info stream without names of streams", { SIZE(INFO, 28) }, TWO "cddd" NO_STRINGS },
	{ "names that end within their table", { SIZE(INFO, 76) }, TWO "cddd" NO_STRINGS },
	{ "features that are cut off", { SIZE(INFO, 92) }, TWO "cddd" },
	{ "a stream that is not a string table", { AT(NAMES, 0, "0/4") }, WITH_IDS NO_STRINGS },
	{ "a stream that is not a DBI stream", { AT(DBI, 0, "0/4") }, NO_DBI },
	{ "a DBI stream with an incomplete header", { SIZE(DBI, 63) }, NO_DBI },
	{ "a DBI stream with a part that ends after it", { AT(DBI, 24, "ffff/4") }, NO_DBI },
	{ "a DBI stream that is a byte too short", { SIZE(DBI, 681) }, NO_DBI },
	{ "a debug header with fewer streams", { AT(DBI, 48, "14/4") }, WITH_IDS },
	{ "no module", { AT(DBI, 24, "0/4 198/4") }, ID "1 age 1 machine 14c modules 0 sections cddd ids" },
	{ "modules that end within one", { AT(DBI, 24, "b0/4 e8/4") },
	  ID "1 age 1 machine 14c modules 1 sections cddd ids; the list of modules ends early" },
	{ "an incomplete module", { AT(DBI, 24, "80/4 118/4") }, ID "1 age 1 machine 14c modules 1 sections cddd ids" },
	{ "a section of data", { AT(SECTIONS, 36, "40000040/4") }, TWO "dddd ids" },
	{ "sections that have code, and that run", { AT(SECTIONS, 76, "20/4"), AT(SECTIONS, 116, "20000000/4") }, TWO "cccd ids" },
	{ "headers that end within one", { SIZE(SECTIONS, 159) }, TWO "cdd ids; the section headers end inside a header" },
	{ "none of them", { SIZE(SECTIONS, 0) }, ID
	  "1 age 1 machine 14c modules 2 sections  ids; the section headers end inside a header" },
	{ "headers of the image as it was linked", { { EMPTY, 0, "0/8 20/4 5000/4 0/8 0/8 0/4 20/4",
	  40 }, AT(DBI, 660 + 20, "5/2") }, TWO "c ids" },
	{ "unwind records that end within one", { SIZE(FRAMES, 447) }, WITH_IDS "; the last unwind record is truncated" },
	{ "unwind records before the base of their addresses", { SIZE(FRAMES, 420) }, WITH_IDS },
	{ "truncated public symbols", { SIZE(PUBLICS, 623) }, WITH_IDS "; the table of public symbols cannot be read" },
	{ "truncated types", { SIZE(TYPES, 767) }, WITH_IDS "; the records of types cannot be read" },
	{ "truncated functions", { SIZE(IDS, 1391) }, WITH_IDS "; the records of functions cannot be read" },
	{ "no types", { SIZE(TYPES, 0) }, WITH_IDS },
	{ "OMAP in one direction alone", { { EMPTY, 0, "1000/4 1000/4 2000/4 3000/4", 16 }, AT(DBI, 660 + 6, "5/2") }, WITH_IDS },
	{ "OMAP in both", { { EMPTY, 0, "1000/4 1000/4 2000/4 3000/4", 16 }, AT(DBI, 660 + 6, "5/2 5/2") }, WITH_IDS " omap 2 2" },
	{ "entries of one address", { { EMPTY, 0, "1000/4 1000/4 1000/4 3000/4", 16 }, AT(DBI, 660
	  + 6, "5/2 5/2") }, WITH_IDS " omap 2 2" },
	{ "OMAP that is not sorted", { { EMPTY, 0, "2000/4 1000/4 1000/4 3000/4", 16 }, AT(DBI, 660 + 6, "5/2 5/2") },
	  WITH_IDS "; an OMAP stream is not sorted; an OMAP stream is not sorted" },
};

static struct file file;
static struct pdb *whole;

/* The PDB with changes; the caller frees its bytes. NULL, with the reason, if it is refused. */
static uint8_t *
open_changed(const struct change changes[CHANGES], struct file *changed, struct pdb **pdb, struct error *error)
{
	struct msf_image image;
	size_t size;

	msf_image_read(&image, &whole->msf);
	for (size_t i = 0; i < CHANGES && changes[i].stream != 0; i++) {
		const struct change *change = &changes[i];
		size_t at = change->offset;

		if (change->size != KEPT) {
			image.streams[change->stream] = realloc(image.streams[change->stream], change->size + 64);
			image.sizes[change->stream] = change->size;
		}
		if (change->data != NULL) {
			uint8_t bytes[64];
			size_t length = 0;

			put_data(bytes, &length, change->data);
			/* A change does not write padding to a multiple of 4. */
			while (length > 0 && bytes[length - 1] >= 0xf1 && bytes[length - 1] <= 0xf3)
				length--;
			memcpy(image.streams[change->stream] + at, bytes, length);
		}
	}
	uint8_t *bytes = msf_image_write(&image, &size);
	msf_image_free(&image);
	*changed = (struct file){ .input = { "x.pdb" }, .data = bytes, .size = size };
	pdb_open(pdb, changed, error);
	return bytes;
}

/* "ID age N machine N modules N sections cd ids; the defect". */
static const char *
shown(const struct pdb *pdb)
{
	static char text[600];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s age %u machine %x modules %zu sections ", pdb->id,
				       pdb->age, pdb->machine, pdb->module_count);

	for (size_t i = 0; i < pdb->section_count; i++)
		text[used++] = pdb->sections[i].code ? 'c' : 'd';
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", pdb->has_ids ? " ids" : "", pdb->minimal ? " minimal" : "");
	if (pdb->link_count > 0)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " links %zu", (size_t)pdb->link_count);
	if (pdb->to.count + pdb->from.count > 0)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " omap %zu %zu", pdb->to.count, pdb->from.count);
	for (size_t i = 0; i < pdb->problem_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "; %.*s",
					 (int)strcspn(pdb->problems[i].what, "\n"), pdb->problems[i].what);
	return text;
}

TEST_EACH(cases, cases)
{
	struct error error = { 0 };
	struct file changed;
	struct pdb *pdb;
	uint8_t *bytes = open_changed(cases[i].changes, &changed, &pdb, &error);

	if (pdb != NULL)
		is_str(shown(pdb), cases[i].shown, "%s", cases[i].title);
	else
		ok(strncmp(error.text, cases[i].shown, strlen(cases[i].shown)) == 0, "%s: %s", cases[i].title, error.text);
	pdb_close(pdb);
	free(bytes);
}

/* Section contributions give the module of an address. */
static void
test_modules(const struct pdb *pdb, bool known)
{
	static const struct {
		uint32_t address;
		size_t module;
	} rows[] = {
		{ 0xfff, SIZE_MAX }, { 0x1000, 0 }, { 0x10b2, 0 }, { 0x10b3, SIZE_MAX },
		{ 0x10bf, SIZE_MAX }, { 0x10c0, 0 }, { 0x1102, 0 }, { 0x1103, SIZE_MAX },
		{ 0x2000, 1 }, { 0x2037, 1 }, { 0x2038, 1 }, { 0x2059, 1 }, { 0x205a, SIZE_MAX },
		{ 0x3000, 0 }, { 0x301f, 0 }, { 0x3020, SIZE_MAX }, { 0x4000, 1 }, { 0x4017, 1 },
		{ 0x4018, SIZE_MAX }, { UINT32_MAX, SIZE_MAX },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		is_u64(pdb_module_at(pdb, rows[i].address), known ? rows[i].module : SIZE_MAX,
		       "the module of %x%s is right", rows[i].address, known ? "" : " is unknown");
}

static void
take_name(void *context, size_t number, struct text name)
{
	char *names = context;

	sprintf(names + strlen(names), "%zu %.*s;", number, (int)name.length, name.start);
}

TEST(contents)
{
	static const struct change none[CHANGES] = { { 0 } },
				   fpo[CHANGES] = {
		{ EMPTY, 0, "1000/4 20/4 3/4 2/2 1205/2 1030/4 10/4 0/4 0/4", 32 },
		AT(DBI, 660, "5/2") },
				   unnamed[CHANGES] = { AT(NAMES, 0, "0/4") },
				   odd[CHANGES] = { AT(DBI, 244, "1234567/4") },
				   based[CHANGES] = { SIZE(FRAMES, 420) };
	struct error error = { 0 };
	struct arena arena = { 0 };
	struct pdb_frame frame;
	struct file changed;
	char names[200] = "";
	struct pdb *pdb;
	uint8_t *bytes = open_changed(none, &changed, &pdb, &error);

	test_modules(pdb, true);
	pdb_module_names(pdb, take_name, names);
	is_str(names, "0 C:\\kiosk\\kiosk.obj;1 * Linker *;", "modules have their names in the order of the file");
	is_str(pdb_name(pdb, 0, &arena), "", "the text at offset 0 is empty");
	is_str(pdb_name(pdb, 2, &arena), "$T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = ",
	       "the text at an offset of the string table is read");
	is_str(pdb_name(pdb, 481, &arena), "", "there is no text after the end of the table");
	const struct place place = pdb_name_place(pdb, 2, 3);
	ok(place.length == 3 && memcmp(bytes + place.offset, "$T0", 3) == 0, "a name has its place in the file");
	is_u64(pdb->sections[0].address, 0x1000, "the first section begins at its address");
	is_u64(pdb->sections[0].size, 0x103, "the first section has its virtual size");
	uint32_t address = 0;
	ok(pdb_address(pdb, 1, 0x42, &address) && address == 0x1042 &&
	   pdb_address(pdb, 4, 0, &address) && address == 0x4000, "a section and an offset give an address");
	is_u64(pdb->written, 1, "the information stream gives the number of times that the file was written");
	is_u64(pdb->modules[0].stream, MODULE, "a module has its stream");
	is_u64(pdb->modules[0].symbols, 0x4cc, "a module has the size of its symbols");
	is_u64(pdb->modules[0].old_lines, 0, "a module has the size of the lines of old compilers");
	is_u64(pdb->modules[0].lines, 0x170, "a module has the size of its lines");
	pdb_close(pdb);
	free(bytes);
	/* FPO_DATA: 3 words of locals, 2 of parameters, 2 registers, a prologue of 5 bytes, ebp. */
	bytes = open_changed(fpo, &changed, &pdb, &error);
	is_u64(pdb_frame_count(pdb, 0), 2, "both records of FPO_DATA are counted");
	ok(pdb_frame_read(pdb, 0, 0, &frame) && frame.address == 0x1000 && frame.size == 0x20 && frame.locals == 12 &&
	   frame.parameters == 8 && frame.saved_registers == 8 && frame.prologue == 5 && frame.allocates_base_pointer,
	   "a record of FPO_DATA with all members is read, with words as 4 bytes");
	ok(pdb_frame_read(pdb, 0, 1, &frame) && frame.address == 0x1030 && frame.offset == 16 &&
	   frame.locals == 0 && frame.parameters == 0 && frame.saved_registers == 0 &&
	   frame.prologue == 0 && !frame.allocates_base_pointer, "a record of FPO_DATA with zeros is read");
	ok(pdb_frame_upto(pdb, 0, 0xfff) == 0 && pdb_frame_upto(pdb, 0, 0x1000) == 1 && pdb_frame_upto(pdb, 0, 0x102f) == 1 &&
	   pdb_frame_upto(pdb, 0, 0x1030) == 2, "records of FPO_DATA are found by the address where they begin");
	pdb_close(pdb);
	free(bytes);
	bytes = open_changed(unnamed, &changed, &pdb, &error);
	ok(pdb->problem_count == 1 && pdb->problems[0].place.length == 1 &&
	   memcmp(bytes + pdb->problems[0].place.offset, "\0\0\0\0\1", 5) == 0, "a problem has its place in the file");
	is_str(pdb_name(pdb, 2, &arena), "", "a PDB without a string table has no texts");
	pdb_close(pdb);
	free(bytes);
	bytes = open_changed(odd, &changed, &pdb, &error);
	test_modules(pdb, false);
	pdb_close(pdb);
	free(bytes);
	bytes = open_changed(based, &changed, &pdb, &error);
	is_u64(pdb_frame_count(pdb, 4), 13, "unwind records follow their base");
	ok(pdb_frame_read(pdb, 4, 0, &frame) && frame.offset == 4, "the first record is at offset 4");
	ok(!pdb_frame_read(pdb, 4, 13, &frame) && !pdb_frame_read(pdb, 0, 0, &frame),
	   "there is no record after the last one, and none of the other kind");
	pdb_close(pdb);
	free(bytes);
	arena_free(&arena);
}

/* The container (msf.cpp): invalid words in its header and in the directory. */
TEST(container)
{
	enum { HEADER, DIRECTORY, BLOCKS };
	static const struct {
		const char *title;
		unsigned where;			/* BLOCKS: add 16 times the file's blocks */
		unsigned at;
		uint32_t value;
		const char *error;		/* NULL: it is opened */
	} words[] = {
		{ "blocks of 0 bytes", HEADER, 32, 0, "header" }, { "blocks of 256", HEADER, 32, 256, "header" },
		{ "blocks of 768", HEADER, 32, 768, "header" }, { "blocks of 65536", HEADER, 32, 65536, "header" },
		{ "blocks of 32768", HEADER, 32, 32768, "directory, which is in the part that is cut off," },
		{ "sixteen times as many blocks as there are", BLOCKS, 40, 15, NULL }, { "still more", BLOCKS, 40, 16, "header" },
		{ "fewer than the streams have", HEADER, 40, 4, "directory, which has too few blocks for its streams," },
		{ "a directory of 3 bytes", HEADER, 44, 3, "directory" },
		{ "one that is larger than the file", HEADER, 44, 0x1000000, "directory" },
		{ "one without all of its blocks", HEADER, 44, 100, "directory, which has too few blocks for its streams," },
		{ "one whose list is not in the file", HEADER, 52, 0xffff, "directory" },
		{ "more streams than it has words", DIRECTORY, 0, 0x10000, "list of streams" },
		{ "a stream that is larger than the file", DIRECTORY, 4 + 4 * EMPTY, 0x100000,
		  "directory, which has too few blocks for its streams," },
		{ "a stream that was deleted", DIRECTORY, 4 + 4 * EMPTY, UINT32_MAX, NULL },
	};

	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		struct error error = { 0 };
		struct msf_image image;
		struct pdb *pdb = NULL;
		char wanted[100] = "";
		size_t size;

		msf_image_read(&image, &whole->msf);
		uint8_t *bytes = msf_image_write(&image, &size);
		size_t at = words[i].at + (words[i].where == DIRECTORY ? msf_image_place(&image, image.count, 0) : 0);
		put(bytes, &at, words[i].where == BLOCKS ? 16 * (size / 512) + words[i].value : words[i].value, 4);
		msf_image_free(&image);
		const struct file changed = { .input = { "x.pdb" }, .data = bytes, .size = size };
		pdb_open(&pdb, &changed, &error);
		if (words[i].error != NULL)
			snprintf(wanted, sizeof(wanted), "the PDB's %s cannot be read (", words[i].error);
		ok((pdb != NULL) == (words[i].error == NULL) &&
		   strncmp(error.text, wanted, strlen(wanted)) == 0, "%s: %s", words[i].title, error.text);
		pdb_close(pdb);
		free(bytes);
	}
}

/* Bytes of streams and their places in the file, up to the end of a block. */
TEST(bytes)
{
	static const struct change none[CHANGES] = { { 0 } };
	struct error error = { 0 };
	struct arena arena = { 0 };
	struct reader bytes;
	struct file changed;
	struct pdb *pdb;
	uint8_t *data = open_changed(none, &changed, &pdb, &error);
	uint8_t one[1600], other[1600];

	for (uint32_t stream = 0; stream < 16; stream++) {
		const size_t size = (size_t)msf_size(&whole->msf, stream);
		ok(msf_size(&pdb->msf, stream) == size && msf_read(&whole->msf, stream, 0, one, size) &&
		   msf_read(&pdb->msf, stream, 0, other, size) && memcmp(one, other, size) == 0,
		   "stream %u is the same in blocks of 512", stream);
		ok(!msf_read(&pdb->msf, stream, 1, other, size) && !msf_bytes(&pdb->msf, stream, 0, size + 1, &arena, &bytes),
		   "there is no byte after the end of a stream");
	}
	ok(msf_bytes(&pdb->msf, DBI, 100, 500, &arena, &bytes) && bytes.size == 500 &&
	   msf_read(&whole->msf, DBI, 100, one, 500) && memcmp(bytes.data, one, 500) == 0,
	   "bytes that reach over the end of a block are read");
	ok(msf_bytes(&pdb->msf, DBI, 682, 0, &arena, &bytes) && bytes.size == 0, "no bytes are read at the end of a stream");
	is_u64(msf_size(&pdb->msf, 16), 0, "there is no stream after the last one");
	struct place place = msf_place(&pdb->msf, DBI, 500, 40);
	ok(place.length == 12 && msf_read(&whole->msf, DBI, 500, one, 12) && memcmp(data + place.offset, one, 12) == 0,
	   "the place of bytes in two blocks ends with the first block");
	place = msf_place(&pdb->msf, DBI, 500, 12);
	is_u64(place.length, 12, "the place of bytes in one block has all of them");
	place = msf_place(&pdb->msf, DBI, 682, 1);
	ok(place.input != NULL && place.length == 0 && place.offset == 0, "the end of a stream has no place");
	pdb_close(pdb);
	free(data);
	arena_free(&arena);
}

/* Public symbols by address, and invalid records. */
TEST(publics)
{
	static const struct {
		uint32_t address, offset;
		const char *name;
	} publics[] = {
		{ 0x1000, 52, "?evening@kiosk@@YGHABVroll@1@HH@Z" },
		{ 0x1040, 0, "?close_day@kiosk@@YAHPBUticket@1@H@Z" }, { 0x10a0, 144, "_start" },
		{ 0x10c0, 100, "?total@roll@kiosk@@QBEHH@Z" },
	};
	static const struct {
		const char *title;
		struct change changes[CHANGES];
		uint32_t address;	/* the second symbol's; 0 if that is invalid */
		bool code;
	} changes[] = {
		{ "as it is", { { 0 } }, 0x1040, true }, { "of another kind", { AT(RECORDS, 2, "110f/2") }, 0, false },
		{ "too short for a name", { AT(RECORDS, 0, "c/2") }, 0, false },
		{ "with one character", { AT(RECORDS, 0, "d/2") }, 0x1040, true },
		{ "of no section", { AT(RECORDS, 12, "0/2") }, 0, false },
		{ "of a section that does not exist", { AT(RECORDS, 12, "5/2") }, 0, false },
		{ "of a section of data", { AT(RECORDS, 12, "2/2") }, 0x2040, false },
		{ "of the last", { AT(RECORDS, 12, "4/2") }, 0x4040, false },
		{ "at an address after all sections", { AT(RECORDS, 8, "fffff000/4") }, 0, false },
		{ "at the last address", { AT(RECORDS, 8, "ffffefff/4") }, UINT32_MAX, true },
	};
	struct arena arena = { 0 };
	struct pdb_public public;
	size_t above = 0;

	is_u64(pdb_public_count(whole), ARRAY_COUNT(publics), "the four public symbols are counted");
	for (uint32_t address = 0xfff; address < 0x10d0; address++) {
		above += above < 4 && publics[above].address == address;
		if (pdb_public_above(whole, address) != above)
			ok(false, "public symbols up to %x are counted", address);
	}
	for (size_t i = 0; i < ARRAY_COUNT(publics); i++)
		ok(pdb_public_read(whole, i, &arena, &public) &&
		   public.address == publics[i].address && public.offset == publics[i].offset &&
		   public.section == 1 && public.code && text_equal(public.name, text_of(publics[i].name)),
		   "the public symbol %s has its address and its place", publics[i].name);
	ok(!pdb_public_read(whole, 4, &arena, &public), "there is no public symbol after the last one");
	for (size_t i = 0; i < ARRAY_COUNT(changes); i++) {
		struct error error = { 0 };
		struct file changed;
		struct pdb *pdb;
		uint8_t *bytes = open_changed(changes[i].changes, &changed, &pdb, &error);

		ok(pdb_public_read(pdb, 1, &arena, &public) == (changes[i].address != 0) &&
		   (changes[i].address == 0 || (public.address == changes[i].address && public.code == changes[i].code)),
		   "a second public symbol %s is valid, invalid or data", changes[i].title);
		pdb_close(pdb);
		free(bytes);
	}
	arena_free(&arena);
}

/* Texts of 300 bytes, of as many as the limit allows, and of one more. */
TEST(long_names)
{
	struct arena arena = { 0 };

	for (unsigned n = 0; n < 3; n++) {
		const uint32_t length = n == 0 ? 300 : LIMIT_PDB_TEXT - 2 + n, size = 2 + length + 1;
		struct error error = { 0 };
		struct msf_image image;
		struct pdb *pdb;
		size_t total;

		msf_image_read(&image, &whole->msf);
		uint8_t *names = image.streams[NAMES] = realloc(image.streams[NAMES], 12 + size);
		image.sizes[NAMES] = 12 + size;
		put_le(names + 8, size, 4);
		names[12] = names[13] = names[12 + size - 1] = 0;
		memset(names + 12 + 2, 'a', length);
		uint8_t *bytes = msf_image_write(&image, &total);
		msf_image_free(&image);
		struct file changed = { .input = { "x.pdb" }, .data = bytes, .size = total };
		ok(pdb_open(&pdb, &changed, &error) == ERROR_NONE, "a PDB with a long text in the string table opens");
		is_u64(strlen(pdb_name(pdb, 2, &arena)), n < 2 ? length : 0,
		       "a text of %u bytes %s", length, n < 2 ? "is read" : "is not read");
		pdb_close(pdb);
		free(bytes);
	}
	arena_free(&arena);
}

/* A linker name can be that of a procedure if it has the procedure's last identifier. */
TEST(suits)
{
	static const struct {
		const char *linkers, *procedures;
		bool suits;
	} names[] = {
		{ "?close_day@kiosk@@YAHPBUticket@1@H@Z", "kiosk::close_day", true },
		{ "?open_day@kiosk@@YAHPBUticket@1@H@Z", "kiosk::close_day", false },
		{ "_main", "main", true }, { "_a_b@4", "a_b", true }, { "_ab@4", "a_b", false },
		{ "_f$1", "f$1", true }, { "_f1", "f$1", false }, { "??4S@@QAEAAU0@ABU0@@Z", "S::operator=", true },
		{ "??$f@H@@YAXXZ", "f<int>", true }, { "??$g@H@@YAXXZ", "f<int>", false }, { "?f@?$C@H@@QAEXXZ", "C<int>::f", true },
		{ "?f@?$D@H@@QAEXXZ", "C<int>::f", false }, { "_any", "", true },
	};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		is_u64(pdb_public_suits(text_of(names[i].linkers), text_of(names[i].procedures)),
		       names[i].suits, "the linker name '%s' is that of '%s', or not", names[i].linkers, names[i].procedures);
}

/* _NAME of __cdecl, _NAME@BYTES of __stdcall, @NAME@BYTES of __fastcall, with 8 in registers. */
static const struct {
	const char *linkers, *name;
	bool sized;
	uint32_t parameters;
} undecorated_names[] = {
	{ "_f@8", "f", true, 8 }, { "_f@0", "f", true, 0 }, { "@f@20", "f", true, 12 },
	{ "@f@8", "f", true, 0 }, { "_f@199", "f", true, 199 }, { "_f@08", "f@08", false, 0 },
	{ "_f@", "f@", false, 0 }, { "_f8", "f8", false, 0 }, { "@f", "@f", false, 0 },
	{ "f@8", "f@8", false, 0 }, { "_", "_", false, 0 }, { "_f@1234567890", "f@1234567890", false, 0 },
};

TEST_EACH(undecorated, undecorated_names)
{
	struct text name = text_of(undecorated_names[i].linkers);
	uint32_t parameters = 0;

	ok(pdb_undecorate_c(&name, &parameters) == undecorated_names[i].sized &&
		   text_equal(name, text_of(undecorated_names[i].name)) && parameters == undecorated_names[i].parameters,
	   "the linker name %s is that of %s", undecorated_names[i].linkers, undecorated_names[i].name);
}

int
main(void)
{
	if (open_kiosk(&file, &whole))
		run_tests();
	pdb_close(whole);
	file_close(&file);
	return done_testing();
}
