/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include "binary/elf_unpacked.h"
#include "crash/arch.h"
#include "tests/lib/tap.h"

/* Whether a file is the one that a module was loaded from: by the IDs of each format, with the reasons and messages. */

#define ID "0123456789abcdef1032547698badcfea0b1c2d3"
#define OTHER "ff23456789abcdef1032547698badcfea0b1c2d3"
/* The GUID that Breakpad makes of the ID: its first three numbers have their bytes reversed. */
#define GUID "67452301AB89EFCD1032547698BADCFE"
#define SMALL "67452301ab89efcd1032547698badcfe"
#define ZEROS "000000000000000000000000000000000"
#define BASE 0x400000u

static struct module
module_of(const char *code_file, const char *code_id, const char *debug_file, const char *debug_id)
{
	return (struct module){ .base = BASE, .size = 0x5000, .code_file = code_file, .code_id = code_id,
				.debug_file = debug_file, .debug_id = debug_id, .version = "" };
}

TEST(match)
{
	enum { NO = BINARIES_MATCH_NO, YES = BINARIES_MATCH_YES, UNKNOWN = BINARIES_MATCH_UNCHECKED };
	enum { LINUX = CRASH_OS_LINUX, WINDOWS = CRASH_OS_WINDOWS, MAC = CRASH_OS_MAC };
	static const struct {
		const char *title, *code_id, *debug_id;
		int os;
		uint32_t timestamp;
		enum binary_format format;
		const char *id, *file_debug_id, *image_debug_id;	/* NULL: no image was found */
		int match;
		const char *wanted, *found;
	} rows[] = {
		{ "a build ID", ID, "", LINUX, 0, BINARY_ELF, ID, "", NULL, YES, ID, ID },
		{ "a build ID in capitals", "AB12", "", LINUX, 0, BINARY_ELF, "ab12", "", NULL, YES, "AB12", "ab12" },
		{ "another build ID", ID, GUID "0", LINUX, 0, BINARY_ELF, OTHER, "", NULL, NO, ID, OTHER },
		{ "a file without an ID", ID, "", LINUX, 0, BINARY_ELF, "", "", NULL, NO, ID, "none" },
		{ "a GUID of a build ID", "", GUID "0", LINUX, 0, BINARY_ELF, ID, "", NULL, YES, GUID, SMALL },
		{ "a GUID without an age", "", GUID, LINUX, 0, BINARY_ELF, ID, "", NULL, YES, GUID, SMALL },
		{ "a GUID and zeros", "00", GUID "0", LINUX, 0, BINARY_ELF, ID, "", NULL, YES, GUID, SMALL },
		{ "a GUID and an ID of Windows", ID, GUID "0", WINDOWS, 0, BINARY_ELF, ID, "", NULL, YES, GUID, SMALL },
		{ "another GUID", "", GUID "0", LINUX, 0, BINARY_ELF, "ff", "", NULL, NO, GUID, "000000ff000000000000000000000000" },
		{ "a GUID and a file without an ID", "", GUID "0", LINUX, 0, BINARY_ELF, "", "", NULL, NO, GUID, "none" },
		{ "a short debug ID", "", "67452301AB89EFCD1032547698BADCF", LINUX, 0, BINARY_ELF, ID, "", NULL, UNKNOWN, "", ID },
		{ "a debug ID of zeros", "", ZEROS, LINUX, 0, BINARY_ELF, ID, "", NULL, UNKNOWN, "", ID },
		{ "no ID", "", "", LINUX, 0, BINARY_ELF, "", "", NULL, UNKNOWN, "", "none" },
		{ "a PDB", "", GUID "a", WINDOWS, 1, BINARY_PDB, "", "67452301ab89efcd1032547698badcfeA", NULL, YES, GUID "a",
		  "67452301ab89efcd1032547698badcfeA" },
		{ "a PDB of another age", "", GUID "a", WINDOWS, 1, BINARY_PDB, GUID "a", GUID "b", NULL, NO, GUID "a", GUID "b" },
		{ "a PDB that the program names", "", ZEROS, WINDOWS, 1, BINARY_PDB, "", GUID "1", GUID "1", YES, GUID "1", GUID "1" },
		{ "a PDB of the dump, not of the program", "", GUID "1", WINDOWS, 1, BINARY_PDB, "", GUID "1", GUID "2", YES, GUID "1", GUID "1" },
		{ "a PDB that nothing names", "", "", WINDOWS, 1, BINARY_PDB, "", GUID "1", "", UNKNOWN, "", GUID "1" },
		{ "a program of Windows", "", GUID "1", WINDOWS, 0x5abcdef0, BINARY_PE, "5ABCDEF05000", GUID "2", NULL, YES,
		  "5ABCDEF05000", "5ABCDEF05000" },
		{ "another program", "", GUID "1", WINDOWS, 1, BINARY_PE, "000000025000", GUID "1", NULL, NO, "000000015000", "000000025000" },
		{ "a program of a crash that was made from its PDB", "", GUID "1", WINDOWS, 0, BINARY_PE, "5ABCDEF05000", GUID "1", NULL, YES,
		  GUID "1", GUID "1" },
		{ "another program than the PDB's", "", GUID "1", WINDOWS, 0, BINARY_PE, "5ABCDEF05000", GUID "2", NULL, NO, GUID "1", GUID "2" },
		{ "a program without a time stamp", "", "", WINDOWS, 0, BINARY_PE, "5ABCDEF05000", GUID "1", NULL, UNKNOWN,
		  "000000005000", "5ABCDEF05000" },
		{ "a program that names no PDB", "", GUID "1", WINDOWS, 0, BINARY_PE, "5ABCDEF05000", "", NULL, UNKNOWN,
		  "000000005000", "5ABCDEF05000" },
		{ "a program without texts", "", GUID "1", WINDOWS, 0, BINARY_PE, NULL, NULL, NULL, UNKNOWN, "000000005000", "none" },
		{ "a Mach-O file", "", GUID "0", MAC, 0, BINARY_MACH, "x", GUID "0", NULL, YES, GUID "0", GUID "0" },
		{ "a Mach-O file of unknown build", "", "", MAC, 0, BINARY_MACH, "x", GUID "0", NULL, UNKNOWN, "", GUID "0" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("/bin/prog", rows[i].code_id, "", rows[i].debug_id);
		const struct crash crash = { .system.os = (enum crash_os)rows[i].os, .modules = &module, .module_count = 1 };
		struct binary image = { .debug_id = rows[i].image_debug_id };
		const struct binary_identity build = { .format = rows[i].format, .id = rows[i].id, .debug_id = rows[i].file_debug_id };
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];

		module.timestamp = rows[i].timestamp;
		binaries->slots[0].files[LOCATE_IMAGE] = image.debug_id != NULL ? &image : NULL;
		is_u64(binaries_match(binaries, &module, build, wanted, found), (uint64_t)rows[i].match, "%s", rows[i].title);
		ok(strcmp(wanted, rows[i].wanted) == 0 && strcmp(found, rows[i].found) == 0, "%s: %s and %s", rows[i].title, wanted, found);
		binaries->slots[0].files[LOCATE_IMAGE] = NULL;
		binaries_free(binaries);
	}
}

/* A PDB has the name in the dump, else in the program, else the program's own. */
TEST(pdb_names)
{
	static const struct {
		const char *code_file, *debug_file, *image_file, *image_id, *pdb, *pdb_id;
		bool linux;
	} rows[] = {
		{ "C:\\a.dll", "C:\\b\\b.pdb", "z.pdb", GUID "2", "b.pdb", GUID "1", false },
		{ "C:\\a.dll", "B.PDB", NULL, NULL, "B.PDB", GUID "1", true }, { "C:\\a.dll", ".pdb", NULL, NULL, NULL, GUID "1", false },
		{ "C:\\a.dll", "c.pdb", NULL, NULL, "c.pdb", GUID "1", false },
		{ "/lib/a.so", "/lib/a.so", NULL, NULL, NULL, GUID "1", true },
		{ "C:\\a.dll", "", "Z:\\z.pdb", GUID "2", "z.pdb", GUID "1", false },
		{ "C:\\a.dll", "", "Z:\\z.pdb", "", "a.pdb", GUID "1", false },
		{ "C:\\d\\a.b.dll", "", NULL, NULL, "a.b.pdb", GUID "1", false },
		{ "C:\\d\\name", "", NULL, NULL, "name.pdb", GUID "1", false }, { "", "", NULL, NULL, NULL, GUID "1", false },
		{ "/bin/a.dll", "", NULL, NULL, NULL, GUID "1", true },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of(rows[i].code_file, "", rows[i].debug_file, GUID "1");
		const struct crash crash = { .system.os = rows[i].linux ? CRASH_OS_LINUX : CRASH_OS_WINDOWS, .modules = &module,
					     .module_count = 1 };
		struct binary image = { .debug_id = rows[i].image_id, .debug_file = rows[i].image_file };
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		struct locate_subject subject = { .pdb = NULL };

		binaries->slots[0].files[LOCATE_IMAGE] = image.debug_id != NULL ? &image : NULL;
		binaries_name_pdb(binaries, &module, &subject);
		is_str(subject.pdb, rows[i].pdb, "the PDB of '%s' with '%s'", rows[i].code_file, rows[i].debug_file);
		is_str(subject.pdb_id, rows[i].pdb_id, "its ID");
		binaries->slots[0].files[LOCATE_IMAGE] = NULL;
		binaries_free(binaries);
	}
	for (enum crash_os os = 0; os <= CRASH_OS_IOS; os++) {
		const struct module module = module_of("", ID, "", ""), zeros = module_of("", "0000", "", "");
		const struct crash crash = { .system.os = os };

		is_str(binaries_build_id(&crash, &module), os == CRASH_OS_WINDOWS || os == CRASH_OS_MAC || os == CRASH_OS_IOS ? "" : ID,
		       "the code ID of system %d is a build ID, or not", (int)os);
		is_str(binaries_build_id(&crash, &zeros), "", "zeros are not a build ID");
	}
}

static uint8_t page[4096];

/* "RESULT|why|message|hint" of a check of a file. */
static const char *
said(const struct binaries *binaries, const struct locate_note *note, bool good)
{
	static char text[1024];
	const struct message_list *list = &binaries->messages;
	const struct message *last = list->count > 0 ? &list->messages[list->count - 1] : NULL;

	snprintf(text, sizeof(text), "%s|%s|%s|%s", good ? "yes" : "no", note->why, last != NULL ? last->text : "",
		 last != NULL ? last->hint : "");
	return text;
}

TEST(modules)
{
	enum { BY_ID = 1, FORCED = 2, ENTRY = 4, ANY_CPU = 8, MEMORY = 16, SHORT = 32, CHANGED = 64 };
#define BUILDS(what) "no|another build, " what ": expected id " ID ", found "
#define MESSAGE(found) "|'/x/prog' is another build of 'prog', expected id " ID ", found " found "|not used"
#define UNCHECKED "yes||the dump has no id of 'prog' to compare with that of '/x/prog', " ID "|used, because "
	static const struct {
		const char *title, *code_id, *debug_id;
		enum binary_format format;
		uint16_t machine;
		const char *id, *debug_id_of_file;
		unsigned flags;
		const char *path, *want;
	} rows[] = {
		{ "this build", ID, "", BINARY_ELF, 62, ID, "", 0, NULL, "yes|||" },
		{ "another build", ID, "", BINARY_ELF, 62, OTHER, "", 0, NULL, BUILDS("an ELF file") OTHER MESSAGE(OTHER) },
		{ "another build in a system directory", ID, "", BINARY_ELF, 62, OTHER, "", BY_ID, NULL, BUILDS("an ELF file") OTHER "||" },
		{ "another build and CPU", ID, "", BINARY_ELF, 183, "", "", 0, NULL, BUILDS("an ELF file for arm64") "none" MESSAGE("none") },
		{ "an unknown CPU", ID, "", BINARY_ELF, 999, "", "", 0, NULL, BUILDS("an ELF file for another machine") "none" MESSAGE("none") },
		{ "an unknown CPU of the crash", ID, "", BINARY_ELF, 183, "", "", ANY_CPU, NULL, BUILDS("an ELF file") "none" MESSAGE("none") },
		{ "a PDB of another build", "", GUID "1", BINARY_PDB, 0x8664, "", "1", 0, NULL, "no|another build, a PDB: expected id " GUID
		  "1, found 1|'/x/prog' is another build of 'prog', expected id " GUID "1, found 1|not used" },
		{ "a PDB of another age", "", GUID "1", BINARY_PDB, 0x8664, "", GUID "12", 0, NULL, "no|another build: the PDB has the same GUID "
		  "but age 12; the image has age 1|'/x/prog' is another build of 'prog', expected id " GUID "1, found " GUID "12|not used" },
		{ "a PDB with an age, and a dump without", "", GUID, BINARY_PDB, 0x8664, "", GUID "1", BY_ID, NULL,
		  "no|another build, a PDB: expected id " GUID ", found " GUID "1||" },
		{ "a Mach-O file of another build", "", GUID "1", BINARY_MACH, 62, "", "", BY_ID, NULL,
		  "no|another build, a Mach-O file: expected id " GUID "1, found none||" },
		{ "a program without a time stamp", "", "", BINARY_PE, 0x8664, ID, "", 0, NULL, UNCHECKED "its name matches" },
		{ "a dump without an ID", "", "", BINARY_ELF, 62, ID, "", 0, NULL, UNCHECKED "its name matches" },
		{ "and a system directory", "", "", BINARY_ELF, 62, ID, "", BY_ID, NULL, "no|the dump has no ID to compare with its ID " ID "||" },
		{ "and another CPU", "", "", BINARY_ELF, 183, ID, "", 0, NULL, "no|an ELF file for arm64, expected one for amd64|"
		  "'/x/prog' is an ELF file for arm64, expected one for amd64 as 'prog'|not used" },
		{ "and an unknown CPU of the crash", "", "", BINARY_ELF, 183, ID, "", ANY_CPU, NULL, UNCHECKED "its name matches" },
		{ "and a name that was given", "", "", BINARY_ELF, 62, ID, "", FORCED, "/x/prog", UNCHECKED "'--as' names it" },
		{ "a file of another build that was given", ID, "", BINARY_ELF, 62, OTHER, "", FORCED, NULL, "yes||'/x/prog' is another build of "
		  "'prog', expected id " ID ", found " OTHER "|used, because '--as' names it" },
		{ "a file of this build that was given", ID, "", BINARY_ELF, 62, ID, "", FORCED, NULL, "yes|||" },
		{ "a file of another CPU that was given", ID, "", BINARY_ELF, 183, OTHER, "", FORCED, NULL, "no|an ELF file for arm64, expected "
		  "one for amd64|'/x/prog' is an ELF file for arm64, expected one for amd64 as 'prog'|not used" },
		{ "another name with the entry point", "", "", BINARY_ELF, 62, ID, "", ENTRY, "/x/other", "yes||the dump has no id of 'prog' to "
		  "compare with that of '/x/other', " ID "|used, because it begins at the process's entry point" },
		{ "the name with the entry point", "", "", BINARY_ELF, 62, ID, "", ENTRY, NULL, UNCHECKED "its name matches" },
		{ "another name without the entry point", "", "", BINARY_ELF, 62, ID, "", 0, "/x/other", "yes||the dump has no id of 'prog' to "
		  "compare with that of '/x/other', " ID "|used, because its name matches" },
		{ "the headers in memory", "", "", BINARY_ELF, 62, ID, "", BY_ID | MEMORY, NULL, UNCHECKED
		  "the process has the same headers in its memory" },
		{ "less than a page of a file", "", "", BINARY_ELF, 62, ID, "", BY_ID | MEMORY | SHORT, NULL,
		  "no|the dump has no ID to compare with its ID " ID "||" },
		{ "another last byte of the page", "", "", BINARY_ELF, 62, ID, "", BY_ID | MEMORY | CHANGED, NULL,
		  "no|the dump has no ID to compare with its ID " ID "||" },
		{ "headers of another format", "", "", BINARY_PE, 0x8664, ID, "", BY_ID | MEMORY, NULL,
		  "no|the dump has no ID to compare with its ID " ID "||" },
	};
	static uint8_t bytes[sizeof(page)];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const unsigned flags = rows[i].flags;
		const char *path = rows[i].path != NULL ? rows[i].path : "/x/prog";
		struct module module = module_of("/bin/prog", rows[i].code_id, "", rows[i].debug_id);
		struct memory_region region = { .base = BASE, .size = sizeof(page), .available = sizeof(page), .data = page };
		const struct crash crash = { .system = { .os = CRASH_OS_LINUX, .arch = (flags & ANY_CPU) != 0 ? NULL : arch_by_id(ARCH_AMD64) },
					     .modules = &module, .module_count = 1, .program.entry = (flags & ENTRY) != 0 ? BASE + 16 : 0,
					     .regions = &region, .region_count = 1 };
		const struct binary binary = { .format = rows[i].format, .machine = rows[i].machine, .word_size = 8, .id = rows[i].id,
					       .debug_id = rows[i].debug_id_of_file, .entry = 16,
					       .file = { .data = bytes, .size = sizeof(bytes) - ((flags & SHORT) != 0) } };
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		struct locate_search search = binaries_search_for(binaries, 0, LOCATE_IMAGE);
		struct locate_note note = { .path = path };

		bytes[sizeof(bytes) - 1] = (flags & CHANGED) != 0;
		if ((flags & MEMORY) != 0)
			memory_view_all(&binaries->memory, &crash, &binaries->arena);
		is_u64(binaries_in_process(binaries, &module), (flags & MEMORY) != 0, "%s: a page is in memory, or not", rows[i].title);
		search.by_id = (flags & BY_ID) != 0;
		search.forced = (flags & FORCED) != 0;
		is_str(said(binaries, &note, binaries_is_of_module(&search, &binary, path, &note)), rows[i].want, "%s", rows[i].title);
		binaries_free(binaries);
	}
}

static bool
fits(void *context, const struct binary *file)
{
	(void)file;
	return context != NULL;
}

/* Supplements and units of split DWARF have IDs of their own. */
TEST(parts)
{
	static const struct {
		const char *title, *id;
		bool fits, object;
		unsigned missing;
		const char *want;
	} rows[] = {
		{ "a supplement", ID, false, false, 0, "yes|||" },
		{ "another supplement", OTHER, false, false, 0, "no|not the file that .gnu_debugaltlink names: expected id " ID ", found " OTHER
		  "|'/x/y' is not the file that .gnu_debugaltlink names, expected id " ID ", found " OTHER "|not used" },
		{ "a supplement without an ID", "", false, false, 0, "no|not the file that .gnu_debugaltlink names: expected id " ID ", found none"
		  "|'/x/y' is not the file that .gnu_debugaltlink names, expected id " ID ", found none|not used" },
		{ "a package without an index", NULL, false, false, 9, "no|it has no .debug_cu_index||" },
		{ "a file with the unit", NULL, true, false, 0, "yes|||" },
		{ "an object file that was changed", NULL, false, true, 0, "no|it is no object file, or was changed after the link||" },
		{ "a file without the unit", NULL, false, false, LIMIT_SPLIT_MESSAGES - 1, "no|it has no unit with the id 00000000000000ff"
		  "|'/x/y' is of another build: it has no unit of DWARF with the id 00000000000000ff|not used" },
		{ "a further file without the unit", NULL, false, false, LIMIT_SPLIT_MESSAGES, "no|it has no unit with the id 00000000000000ff||" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("/bin/prog", ID, "", "");
		const struct crash crash = { .system.os = CRASH_OS_LINUX, .modules = &module, .module_count = 1 };
		const struct binary binary = { .format = BINARY_ELF, .id = rows[i].id, .debug_id = "" };
		const struct binaries_split split = { .id = 0xff, .object = rows[i].object, .fits = fits,
						      .context = rows[i].fits ? &module : NULL };
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		struct locate_search search = binaries_search_for(binaries, 0, LOCATE_SPLIT);
		struct locate_note note = { .path = "/x/y" };

		search.subject.build_id = ID;
		search.split = rows[i].missing == 9 ? NULL : &split;
		search.slot->split_missing = rows[i].missing;
		const bool good = rows[i].id != NULL ? binaries_is_supplement(&search, &binary, "/x/y", &note)
						     : binaries_has_split(&search, &binary, "/x/y", &note);
		is_str(said(binaries, &note, good), rows[i].want, "%s", rows[i].title);
		binaries_free(binaries);
	}
}

/* Messages of the rooms that read the files. */
TEST(reports)
{
	struct module module = module_of("/bin/prog", ID, "", "");
	const struct crash crash = { .system.os = CRASH_OS_LINUX, .modules = &module, .module_count = 1, .reader.size = 400 };
	struct binary binary = { .file.input.name = "/x/y\x1b" };
	struct binaries *binaries = binaries_create(&crash, NULL, 0);
	const struct locate_note note = { .why = "" };

	binaries_report_damage(binaries, &(struct elf_damage){ .section = ".a" });
	is_str(said(binaries, &note, true), "yes|||", "a file without damage has no message");
	binaries_report_damage(binaries, &(struct elf_damage){ &binary, ".a\n", 5000000000 });
	is_str(said(binaries, &note, true), "yes||section .a\\x0a of '/x/y\\x1b' cannot be decompressed to 5000000000 bytes"
	       "|the file is read without it", "a damaged section");
	binaries_report_limit(binaries, &binary, "the table", "functions");
	is_str(said(binaries, &note, true), "yes||the table of '/x/y\\x1b' would take too much time or memory for its size"
	       "|some of its functions are missing", "a limit");
	binaries_report_missing(binaries, (struct place){ 0 }, "no unit");
	ok(strcmp(binaries->messages.messages[2].text, "no unit") == 0, "a missing file");
	binaries_report_place(binaries, "/z", "it is gone");
	is_str(binaries->messages.messages[3].text, "no code from '/z': it is gone", "a place");
	binaries->code_run = LIMIT_CODE_STEPS + 100 - 1;
	ok(binaries_run_code(binaries) && binaries->messages.count == 4, "the last of a quarter of the dump's size and the limit");
	for (unsigned i = 0; i < 2; i++)
		ok(!binaries_run_code(binaries) && binaries->messages.count == 5 && binaries->messages.messages[4].kind == MESSAGE_LIMIT,
		   "the end of the budget is reported once");
	binaries_free(binaries);
}
