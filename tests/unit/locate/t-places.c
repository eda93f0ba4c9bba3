/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crash/memory.h"
#include "locate/fetch.h"
#include "locate/locate.h"
#include "locate/symbol_store.h"

#include "tests/unit/binary/folder.h"

/* Reports about the places where modules' files were searched. */

#define ID "0123456789abcdef1032547698badcfea0b1c2d3"
#define REST "23456789abcdef1032547698badcfea0b1c2d3"
#define OTHER_ID "ff23456789abcdef1032547698badcfea0b1c2d3"

static char told[8192], reported[512];

/* "KIND OUTCOME PATH: WHY" of each place, with paths relative to the test's folder. */
static void
tell(void *context, const struct locate_place *place)
{
	static const char *const outcomes[] = {
		[LOCATE_NOT_THERE] = "absent", [LOCATE_REFUSED] = "refused",
		[LOCATE_ASIDE] = "aside", [LOCATE_USED] = "used",
	};
	static const char *const kinds[] = { "image", "debug", "mini", "supplement" };
	const size_t at = strlen(told), skip = strlen(root) + 1;
	const bool below = strncmp(place->path, root, skip - 1) == 0;

	(void)context;
	snprintf(told + at, sizeof(told) - at, "%s %s %s%s%s\n", kinds[place->kind],
		 outcomes[place->outcome], place->path + (below ? skip : 0),
		 place->why != NULL ? ": " : "", place->why != NULL ? place->why : "");
}

static const char *
places(const struct binaries *binaries)
{
	told[0] = '\0';
	is_u64(binaries_places(binaries, 0, tell, NULL), 0, "no place is missed");
	return told;
}

/* The report about the search for an executable in one folder, and "no code from PATH: REASON" of a message. */
static const char *
image_places(struct crash *crash, const char *folder)
{
	const char *path = path_in(folder);
	struct binaries *binaries = binaries_create(crash, &path, 1);

	binaries_load(binaries, 0, LOCATE_IMAGE);
	const char *text = places(binaries);
	const struct message_list *list = binaries_messages(binaries);
	snprintf(reported, sizeof(reported), "%s", list->count > 0 ? list->messages[0].text : "");
	for (char *at; (at = strstr(reported, root)) != NULL;)
		memmove(at, at + strlen(root) + 1, strlen(at + strlen(root) + 1) + 1);
	binaries_free(binaries);
	return text;
}

TEST(order)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("order");

	mkdir(path, 0700);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	is_str(places(binaries), "", "files that were not requested have no places");
	ok(!binaries_looked(binaries, 0, LOCATE_IMAGE), "files that were not requested are not marked as searched");
	binaries_load(binaries, 0, LOCATE_SUPPLEMENT);
	ok(binaries_looked(binaries, 0, LOCATE_IMAGE), "a requested file is marked as searched");
	is_str(places(binaries), "image absent order/.build-id/01/" REST "\n"
	       "image absent order/" ID "/executable\n"
	       "image absent order/prog/elf-buildid-" ID "/prog\n"
	       "image absent order/usr/bin/prog\n"
	       "image absent order/prog\n"
	       "debug absent order/.build-id/01/" REST ".debug\n"
	       "debug absent order/" ID "/debuginfo\n"
	       "debug absent order/_.debug/elf-buildid-sym-" ID "/_.debug\n"
	       "debug absent order/usr/bin/prog.debug\n"
	       "debug absent order/prog.debug\n",
	       "every place is reported in the order of the search");
	binaries_free(binaries);
	is_u64(binaries_places(NULL, 0, tell, NULL), 0, "no files, no places");
}

/* An ELF file for a machine; no build ID if `id` is 0 bytes long. */
static void
put_machine(const char *name, uint16_t machine, unsigned id)
{
	static const uint8_t bytes[] = { 0xaa, 0xbb, 0xcc, 0xdd };
	struct image image;

	image_elf(&image, true, false, machine, bytes, id, false);
	put_bytes(name, image.bytes, image.size);
}

TEST(refused)
{
	static const struct {
		const char *given, *text;	/* the text follows the outcome */
	} rows[] = {
		{ "ra", "refused ra/prog: another build, an ELF file: expected id " ID ", found " OTHER_ID },
		{ "rb", "refused rb/prog: another build, an ELF file for arm64: expected id " ID ", found aabbccdd" },
		{ "rc", "refused rc/prog: not an ELF file, Mach-O file, PE file or PDB" },
		{ "rd", "absent rd/prog: a directory has this name" }, { "re", "refused re/prog: Too many levels of symbolic links" },
		{ "rf", "refused rf/prog: not a regular file" }, { "ri", "refused ri/prog: a system file" },
		{ "rx", "refused rx: No such file or directory" },
		{ "rc/prog", "refused rc/prog: not an ELF file, Mach-O file, PE file or PDB" },
	};
	struct module module = module_of("prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	char want[300];

	crash.system.arch = arch_by_id(ARCH_AMD64);
	put_elf("ra/prog", OTHER_ID, 1, false);
	put_machine("rb/prog", 183, 4);
	put_bytes("rc/prog", "#!/bin/sh\n", 10);
	put_bytes("rd/prog/x", "", 0);
	for (const char *folder = "re\0rf\0ri\0"; *folder != '\0'; folder += 3)
		mkdir(path_in(folder), 0700);
	ok(symlink("prog", path_in("re/prog")) == 0 && mkfifo(path_in("rf/prog"), 0600) == 0 &&
	   symlink("/proc/self/status", path_in("ri/prog")) == 0, "links and a pipe, which is not waited for, are made");
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (strcmp(rows[i].given, "ri") == 0 && access("/proc/self/status", F_OK) != 0)
			continue;
		snprintf(want, sizeof(want), "image %s\n", rows[i].text);
		ok(strstr(image_places(&crash, rows[i].given), want) != NULL, "a place: %s", rows[i].text);
		const char *path = strchr(rows[i].text, ' ') + 1;
		const int length = (int)strcspn(path, ":");
		snprintf(want, sizeof(want), "no code from '%.*s", length, path);
		const bool silent = strstr(rows[i].text, "another build") != NULL || strstr(rows[i].text, "directory has") != NULL;
		ok(silent || (strncmp(reported, want, strlen(want)) == 0 && strstr(reported, path + length) != NULL), "its message: %s", reported);
	}
	put_bytes("rg/other", "text", 4);
	is_str(image_places(&crash, "rg/other"), "", "a file that is named like no module is not reported");
	module.code_id = "";
	put_machine("rh/prog", 183, 4);
	ok(strstr(image_places(&crash, "rh"), "image refused rh/prog: an ELF file for arm64, expected one for amd64\n") != NULL,
	   "where the dump has no id a file of another machine is no good");
}

TEST(files)
{
	struct module module = module_of("prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *paths[] = { path_in("fa"), path_in("fb/renamed") };

	put_elf("fa/prog", ID, 1, true);
	put_elf("fb/renamed", ID, 1, false);
	struct binaries *binaries = binaries_create(&crash, paths, 2);
	binaries_load(binaries, 0, LOCATE_IMAGE);
	const char *text = places(binaries);
	ok(strstr(text, "image aside fa/prog\nimage used fb/renamed\n") != NULL,
	   "a program without its code is kept aside, and one with it is used");
	binaries_free(binaries);
}

/* The bytes of the executable that the dump has: they are one more place, after all files. */
TEST(in_dump)
{
	struct module module = module_of("/usr/bin/prog", ID, "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("dump");
	struct image image;

	mkdir(path, 0700);
	image_elf(&image, true, false, 62, (const uint8_t *)"\x01\x23", 2, false);
	struct memory_run run = { BASE, image.size, image.bytes, NULL };
	crash.runs = &run;
	for (crash.run_count = 0; crash.run_count < 2; crash.run_count++) {
		struct binaries *binaries = binaries_create(&crash, &path, 1);

		binaries_set(binaries, BINARIES_MEMORY);
		const bool found = binaries_load(binaries, 0, LOCATE_IMAGE) != NULL;
		const char *text = places(binaries);
		ok(found == (crash.run_count == 1) &&
		   (strstr(text, "image absent dump/prog\nimage used prog (in the dump)\n") != NULL) ==
			   found,
		   "the image that the dump %s a place", found ? "has is" : "lacks is not");
		binaries_free(binaries);
	}
}

/* 64 places for each of 8192 modules, with reasons, exceed the size of the record. */
TEST(full)
{
	enum { COUNT = 8192 };
	static struct module modules[COUNT];
	struct crash crash = { .system.os = CRASH_OS_LINUX, .modules = modules,
			       .module_count = COUNT };
	const char *path = path_in("full/prog");
	size_t missed = 0;

	put_bytes("full/prog", "text", 4);
	const char *paths[64];
	for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
		paths[i] = path;
	for (size_t i = 0; i < COUNT; i++)
		modules[i] = module_of("prog", ID, "");
	struct binaries *binaries = binaries_create(&crash, paths, ARRAY_COUNT(paths));
	for (size_t i = 0; i < COUNT; i++) {
		binaries_load(binaries, i, LOCATE_IMAGE);
		missed += binaries_places(binaries, i, tell, (told[0] = '\0', NULL));
	}
	ok(missed > 0, "a record that is full says how much it lacks");
	binaries_free(binaries);
}

/* Servers that are not asked (--offline), with files of earlier runs in debuginfod's cache. */
TEST(servers)
{
#define ASKED(kind, name) kind " absent http://127.0.0.1:1/s/buildid/" ID "/" name ": not asked: --offline\n"
	static const struct {
		const char *title, *executable, *debug, *id;	/* IDs of the files in the cache; "": no ELF file; the ID, or NULL: ID */
		bool debug_only, image, found;
		const char *want, *message;
	} rows[] = {
		{ "an empty cache", NULL, NULL, NULL, false, false, false, ASKED("image", "executable") ASKED("debug", "debuginfo"), NULL },
		{ "a program", ID, NULL, NULL, false, true, true, "image used cache/" ID "/executable\n", NULL },
		{ "a program and a debug file", ID, ID, NULL, false, true, true, "image used cache/" ID "/executable\n", NULL },
		{ "a debug file", NULL, ID, NULL, false, false, true, ASKED("image", "executable") "debug used cache/" ID "/debuginfo\n", NULL },
		{ "a debug file in the program's place", ID, NULL, NULL, true, false, true, "image aside cache/" ID "/executable\n", NULL },
		{ "a program of another build", OTHER_ID, NULL, NULL, false, false, false, "image refused cache/" ID "/executable: another build, an ELF "
		  "file: expected id " ID ", found " OTHER_ID "\n" ASKED("debug", "debuginfo"), "not used" },
		{ "a text that is no build ID", NULL, NULL, "../../etc/passwd", false, false, false, "", NULL },
		{ "text in a debug file's place", NULL, "", NULL, false, false, false, ASKED("image", "executable") "debug refused cache/" ID
		  "/debuginfo: not an ELF file, Mach-O file, PE file or PDB\n", "" },
	};
	const char *url = "http://127.0.0.1:1/s/";

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("/bin/prog", rows[i].id != NULL ? rows[i].id : ID, "");
		struct crash crash = crash_of(&module, CRASH_OS_LINUX);
		struct fetch_memory *memory = fetch_memory_create();
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		bool settled = true;

		if (rows[i].executable != NULL)
			put_elf("cache/" ID "/executable", rows[i].executable, 1, rows[i].debug_only);
		if (rows[i].debug != NULL && *rows[i].debug != '\0')
			put_elf("cache/" ID "/debuginfo", rows[i].debug, 1, true);
		else if (rows[i].debug != NULL)
			put_text("cache/" ID "/debuginfo", "text");
		if (binaries_add_fetcher(binaries, &(struct fetch_options){ .service = FETCH_DEBUGINFOD, .urls = &url, .url_count = 1,
			.directory = path_in("cache"), .memory = memory, .offline = true, .seconds = 60, .most = 1 << 20 },
			&(struct error){ 0 }) != ERROR_NONE) {
			skip(1, "no libcurl");
		} else {
			ok(binaries_asks_servers(binaries) && binaries_configured(binaries) && binaries_expected(binaries, 0), "%s: servers", rows[i].title);
			ok(binaries_try(binaries, 0, LOCATE_IMAGE, &settled) == NULL && !settled, "%s: the search is not finished", rows[i].title);
			ok(binaries_ask(binaries, 1, NULL, NULL) && binaries_ask(binaries, 0, NULL, NULL), "%s: the servers have answered", rows[i].title);
			const struct binary *image = binaries_try(binaries, 0, LOCATE_IMAGE, &settled);
			ok(settled && (image != NULL) == rows[i].image && (binaries_load(binaries, 0, LOCATE_DEBUG) != NULL) == rows[i].found,
			   "%s: the files", rows[i].title);
			is_str(places(binaries), rows[i].want, "%s: the places", rows[i].title);
			const struct message_list *list = binaries_messages(binaries);
			ok(list->count == (rows[i].message != NULL) && (list->count == 0 || strcmp(text_or_empty(list->messages[0].hint), rows[i].message) == 0),
			   "%s: the message", rows[i].title);
			ok((access(path_in("cache/" ID "/executable"), F_OK) == 0) == (rows[i].executable != NULL && *rows[i].executable == '0') &&
			   (access(path_in("cache/" ID "/debuginfo"), F_OK) == 0) == (rows[i].debug != NULL && *rows[i].debug == '0'),
			   "%s: wrong files are removed", rows[i].title);
			binaries_settle(binaries, 1);
		}
		binaries_free(binaries);
		fetch_memory_free(memory);
		folder_remove();
		mkdir(root, 0700);
	}
}

/* Near misses: files that a search would find if they differed in one respect. */

#define GUID "11223344556677889900AABBCCDDEEFF"
/* The first three numbers of the GUID have their bytes reversed. */
#define TURNED "44332211665588779900AABBCCDDEEFF"
#define OTHER "FF223344556677889900AABBCCDDEEFF1"
#define PDB_ID GUID "1"
#define FOLDER "ledger.pdb/" PDB_ID
#define DIRECTORY FOLDER "/"
#define MODULE_HELP "; if it is of the same build, its MODULE record and directory should say " PDB_ID "\n"
#define SIMILAR(how, id) "ledger.pdb/" id ": it has " how ": " id MODULE_HELP
#define ANOTHER(id) ": it is for another build, with the id " id "; the symbols must be of the build that crashed\n"
#define EMPTY ": the file is empty; write it again: the program that wrote it was interrupted or found nothing\n"
#define OTHER_NAME ": the right file under another name; move it to " DIRECTORY "ledger.sym below the given directory\n"
#define NOT_SEARCHED ": the right file, but minidump_stackwalk (and therefore '--compat') does not search this place; " \
	"move it to " DIRECTORY "ledger.sym below the given directory\n"

/* "PATH: WHAT; HELP" of each near miss; paths, also in the help, are relative to the folder. */
static const char *
lines_of(const struct locate_near_list *list, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct locate_near_miss *miss = &list->items[i];
		const size_t used = strlen(text);

		snprintf(text + used, size - used, "%s: %s; %s\n", miss->path, miss->what, miss->help);
	}
	for (char *at; (at = strstr(text, root)) != NULL;)
		memmove(at, at + strlen(root) + 1, strlen(at + strlen(root) + 1) + 1);
	return text;
}

/* Make the files of a row in the current folder: words PATH=ID or PATH=ID,NAME; an empty file has no ID. */
static void
put_files(const char *words)
{
	char copy[1024], text[512];

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *rest = copy, *word; (word = strsep(&rest, " ")) != NULL && *word != '\0';) {
		const char *path = strsep(&word, "="), *id = strsep(&word, ",");

		snprintf(text, sizeof(text), "MODULE windows x86 %s %s\n", id, word != NULL ? word : "ledger.pdb");
		put_text(path, *id != '\0' ? text : "");
	}
}

TEST(near_symbols)
{
	static const struct {
		const char *title, *files, *given, *want;
		const char *debug_file, *debug_id;	/* NULL: "ledger.pdb" and PDB_ID */
		bool compat;
	} rows[] = {
		{ .title = "another age", "ledger.pdb/" GUID "2/x=", ".", SIMILAR("the same GUID with another age", GUID "2") },
		{ .title = "no age", "ledger.pdb/" GUID "/x=", ".", SIMILAR("the id without the age at its end", GUID) },
		{ .title = "swapped bytes", "ledger.pdb/" TURNED "1/x=", ".",
		  SIMILAR("the id with the bytes of the GUID swapped", TURNED "1") },
		{ .title = "swapped bytes without an age", "ledger.pdb/" TURNED "/x=", ".",
		  SIMILAR("the id with the bytes of the GUID swapped, and without its age", TURNED) },
		{ .title = "other builds; four are reported, similar IDs first", "ledger.pdb/1/x= ledger.pdb/2/x= ledger.pdb/3/x= "
		  "ledger.pdb/4/x= ledger.pdb/5= ledger.pdb/" GUID "2/x=", ".",
		  SIMILAR("the same GUID with another age", GUID "2")
		  "ledger.pdb/1" ANOTHER("1") "ledger.pdb/2" ANOTHER("2") "ledger.pdb/3" ANOTHER("3") },
		{ .title = "a file of another build in the right directory", DIRECTORY "x.sym=" OTHER, ".", DIRECTORY "x.sym" ANOTHER(OTHER) },
		{ .title = "a file under another name", DIRECTORY "x=" PDB_ID, ".", DIRECTORY "x" OTHER_NAME },
		{ .title = "a file under its name is no near miss", DIRECTORY "ledger.sym=" PDB_ID, ".", "" },
		{ .title = "an empty file", DIRECTORY "ledger.sym=", ".", DIRECTORY "ledger.sym" EMPTY },
		{ .title = "another directory of this ID", "book.pdb/" PDB_ID "/x=", ".", "book.pdb/" PDB_ID
		  ": the same id under another name; the search expects a directory with the name ledger.pdb\n" },
		{ .title = "the right directory further down", "sub/" DIRECTORY "x=", ".", "sub/" FOLDER
		  ": the right directory, one level further down; use 'sub'\n" },
		{ .title = "a directory that is one level too deep", DIRECTORY "x=", "ledger.pdb", FOLDER
		  ": the right directory, but the given one is one level too deep; use the directory above it\n" },
		{ .title = "a directory that is two levels too deep", DIRECTORY "ledger.sym=" PDB_ID, DIRECTORY ".", DIRECTORY "ledger.sym"
		  ": the right file, but the given directory is two levels too deep; use the directory two levels above it\n" },
		{ .title = "a flat file of another build", "a=" OTHER, ".", "a" ANOTHER(OTHER) },
		{ .title = "flat files with other names", "a=" OTHER ",book.pdb b=" GUID "3,book.pdb", ".",
		  "b: it has the same GUID with another age: " GUID "3" MODULE_HELP },
		{ .title = "in one layout a file in lower case", "ledger.pdb/11223344556677889900aabbccddeeff1/ledger.sym=" PDB_ID, ".",
		  "ledger.pdb/11223344556677889900aabbccddeeff1/ledger.sym" OTHER_NAME, .compat = true },
		{ .title = "a flat file with this ID is searched", "a=" PDB_ID, ".", "" },
		{ .title = "in one layout it is not", "a=" PDB_ID, ".", "a" NOT_SEARCHED, NULL, NULL, true },
		{ .title = "empty flat files by their names", "ledger.debug= LEDGER.PD_= ledger.sym.x= ledger.pd= ledger.pdx= "
		  "ledger.txt= ledgers.sym= edger.sym=", ".", "ledger.debug" EMPTY "LEDGER.PD_" EMPTY "ledger.sym.x" EMPTY },
		{ .title = "empty flat files with the code file's name", "prog.exe= prog.ex_=", ".", "prog.ex_" EMPTY "prog.exe" EMPTY },
		{ .title = "a given file with another age", "a=" GUID "2", "a", "a: it has the same GUID with another age: " GUID "2" MODULE_HELP },
		{ .title = "a given file of another build", "a=" OTHER, "a", "" },
		{ .title = "a given file of this build", "a=" PDB_ID, "a", "" },
		{ .title = "without a debug file, the code file's directory", "prog.exe/C1/x= ledger.pdb= a=C1", ".", "prog.exe/C1/x" EMPTY,
		  "", "" },
		{ .title = "an id that leads out of the directory", "prog.exe/C1/x= ledger.pdb/1/x= a=", ".", "prog.exe/C1/x" EMPTY, NULL, ".." },
		{ .title = "a long id", "a=" OTHER, ".", "a" ANOTHER(OTHER), NULL, GUID GUID GUID GUID GUID },
		{ .title = "a short id", "a=12", ".", "a" ANOTHER("12"), NULL, "1" },
	};
	char text[4096];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("C:\\app\\prog.exe", "C1", rows[i].debug_id != NULL ? rows[i].debug_id : PDB_ID);
		struct arena arena = { 0 };
		struct locate_near_list list = { .arena = &arena };

		module.debug_file = rows[i].debug_file != NULL ? rows[i].debug_file : "C:\\app\\ledger.pdb";
		put_files(rows[i].files);
		const char *given = strcmp(rows[i].given, ".") == 0 ? root : path_in(rows[i].given);
		struct symbols *symbols = symbols_open(&module, 1, &(struct symbols_source){
			.paths = &given, .path_count = 1, .by_code_file = true, .any_layout = !rows[i].compat });
		symbols_near_misses(symbols, 0, &list);
		is_str(lines_of(&list, text, sizeof(text)), rows[i].want, "near misses of symbols: %s", rows[i].title);
		symbols_free(symbols);
		arena_free(&arena);
		folder_remove();
		mkdir(root, 0700);
	}
}

#define DEEPER "it is one directory further down; name './sub' with '--binaries'\n"
#define LEVELS(levels, name) "the given directory is " levels " too deep; name '" name "' with '--binaries'\n"
#define ABOVE(name) LEVELS("one level", name)
#define NAMED ": it has the id under another name; "

TEST(near_binaries)
{
	static const struct {
		const char *title, *files, *given, *want;	/* PATH=d: a debug file, PATH=-: of another build */
		const char *kinds;				/* kinds that are missing */
	} rows[] = {
		{ "a program further down", "sub/prog", ".", "./sub/prog: " DEEPER, "id" },
		{ "a debug file in a tree further down", "sub/.build-id/01/" REST ".debug=d", ".",
		  "./sub/.build-id/01/" REST ".debug: " DEEPER, "id" },
		{ "both further down", "sub/prog sub/prog.debug=d", ".", "./sub/prog: " DEEPER "./sub/prog.debug: " DEEPER, "id" },
		{ "another build further down", "sub/prog=-", ".", "", "id" },
		{ "a debug file under the program's name", "sub/prog=d", ".", "", "id" },
		{ "two directories further down", "a/sub/prog", ".", "", "id" },
		{ "a program under other names", "n/b n/a", "n/", "n/a" NAMED "name the file itself with '--binaries'\n", "id" },
		{ "a debug file under another name", "a=d", ".", "./a" NAMED "rename it to 'prog.debug'\n", "id" },
		{ "a program that is not missing", "a sub/prog", ".", "", "d" },
		{ "a debug file that is not missing", "a=d sub/prog.debug=d", ".", "", "i" },
		{ "neither is missing", "a b=d", ".", "", "" }, { "another build under another name", "a=-", ".", "", "id" },
		{ "a hidden file", ".a", ".", "", "id" },
		{ "a program one level up", "n/prog n/a/x=-", "n/a", "n/prog: " ABOVE("n"), "id" },
		{ "a program two levels up", "n/prog n/a/b/x=-", "n/a/b//", "n/prog: " LEVELS("two levels", "n"), "id" },
		{ "the .build-id directory itself", "n/.build-id/01/" REST ".debug=d", "n/.build-id",
		  "n/.build-id/01/" REST ".debug: " ABOVE("n"), "id" },
		{ "a program three levels up", "n/prog n/a/b/c/x=-", "n/a/b/c", "", "id" },
		{ "the nearer of two", "n/prog n/a/prog n/a/b/x=-", "n/a/b", "n/a/prog: " ABOVE("n/a"), "id" },
		{ "a program above a relative path", "prog a/x=-", "a", "./prog: " ABOVE("."), "id" },
		{ "a file that was given itself", "a sub/prog", "a", "", "id" },
		{ "a missing directory", "a sub/prog", "none/none", "", "id" },
	};
	char text[4096], words[256];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("/bin/prog", ID, "");
		struct crash crash = crash_of(&module, CRASH_OS_LINUX);
		struct locate_near_list list;

		snprintf(words, sizeof(words), "%s", rows[i].files);
		for (char *rest = words, *word; (word = strsep(&rest, " ")) != NULL;) {
			const char *path = strsep(&word, "="), *kind = word != NULL ? word : "";

			put_elf(path, *kind == '-' ? OTHER_ID : ID, 1, *kind == 'd');
		}
		if (chdir(root) != 0)
			exit(1);
		struct binaries *binaries = binaries_create(&crash, &rows[i].given, 1);
		binaries_near_misses(binaries, 0, strchr(rows[i].kinds, 'i') != NULL, strchr(rows[i].kinds, 'd') != NULL, &list);
		is_str(lines_of(&list, text, sizeof(text)), rows[i].want, "near misses of a program: %s", rows[i].title);
		binaries_free(binaries);
		folder_remove();
		mkdir(root, 0700);
	}
}

FOLDER_MAIN
