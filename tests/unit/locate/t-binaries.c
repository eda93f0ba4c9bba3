/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include "code/call.h"
#include "locate/locate.h"
#include "tests/unit/binary/folder.h"

/* The places at which the modules' files are found, and the files that are refused. */

#define ID "0123456789abcdef1032547698badcfea0b1c2d3"
#define OTHER_ID "ff23456789abcdef1032547698badcfea0b1c2d3"
#define GUID "67452301AB89EFCD1032547698BADCFE0"
static const struct {
	const char *title, *file, *code_file, *code_id, *debug_id;
	uint8_t found;
	enum message_kind kind;
} places_rows[] = {
	{ "a file is found by its name", "a/prog", "/usr/bin/prog", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a file is found by its path below the directory", "b/usr/bin/prog", "/usr/bin/prog", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a file is found by its build ID", "c/.build-id/01/23456789abcdef1032547698badcfea0b1c2d3", "/usr/bin/renamed", ID, "", 1,
	  MESSAGE_KIND_COUNT },
	{ "a file is found in debuginfod's cache", "d/" ID "/executable", "prog", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a file is found in a symbol server's layout", "e/prog/elf-buildid-" ID "/prog", "/bin/prog", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a file is found in Breakpad's layout", "f/prog/" GUID "/prog", "/bin/prog", ID, GUID, 1, MESSAGE_KIND_COUNT },
	{ "another build is refused", "g/prog", "/usr/bin/prog", OTHER_ID, "", 0, MESSAGE_BINARY_ID },
	{ "the first bytes of the build ID match a debug identifier", "h/prog", "prog", "", GUID, 1, MESSAGE_KIND_COUNT },
	{ "a file of another debug identifier is refused", "i/prog", "prog", "",
	  "77452301AB89EFCD1032547698BADCFE0", 0, MESSAGE_BINARY_ID },
	{ "a module without an ID is found by name with a message", "j/prog", "prog", "", "", 1, MESSAGE_BINARY_UNCHECKED },
	{ "an ID of zeros is no ID", "k/prog", "prog", "0000000000000000",
	  "000000000000000000000000000000000", 1, MESSAGE_BINARY_UNCHECKED },
	{ "a missing file gives no message", "l/other", "prog", ID, "", 0, MESSAGE_KIND_COUNT },
	{ "a path does not lead out of the directory", "prog", "/../prog", ID, "", 0, MESSAGE_KIND_COUNT },
	{ "a name does not lead out of the directory", "n/in/x", "/bin/..", ID, "", 0, MESSAGE_KIND_COUNT },
	{ "an ID does not lead out of the directory", "x/prog/prog", "prog", "../../x", "../x", 0, MESSAGE_KIND_COUNT },
	{ "names may differ in case as Windows has it", "p/prog.so", "C:\\bin\\Prog.SO", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a library has also the name that programs load", "q/libm.so.6", "/lib/libm.so.6.0.30", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "another build by that name is refused", "r/libm.so.6", "/lib/libm.so.6.0.30", OTHER_ID, "", 0, MESSAGE_BINARY_ID },
	{ "a library that was deleted while it ran is found by its name", "s/libdel.so",
	  "/lib/libdel.so (deleted)", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a library that was deleted while it ran is found by its path", "t/lib/libdel.so",
	  "/lib/libdel.so (deleted)", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "a library in an archive is found by its own name", "u/libx.so", "/data/base.apk!libx.so", ID, "", 1, MESSAGE_KIND_COUNT },
	{ "another build of it is refused", "v/libx.so", "/data/base.apk!libx.so", OTHER_ID, "", 0, MESSAGE_BINARY_ID },
	{ "the number after .so belongs to it", "w/libm.so", "/lib/libm.so.6", ID, "", 0, MESSAGE_KIND_COUNT },
};

TEST_EACH(places, places_rows)
{
	struct module module = module_of(places_rows[i].code_file, places_rows[i].code_id, places_rows[i].debug_id);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	char directory[3] = { (char)('a' + (int)i), '\0' };
	const char *path = path_in(directory);
	uint8_t byte = 0;

	mkdir(path, 0700);
	put_elf(places_rows[i].file, ID, 1, false);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	size_t got = binaries_read(binaries, BASE + IMAGE_CODE, &byte, 1, NULL);
	const struct message_list *list = binaries_messages(binaries);

	ok(got == places_rows[i].found && byte == places_rows[i].found, "%s", places_rows[i].title);
	is_u64(list->count == 0 ? MESSAGE_KIND_COUNT : list->messages[0].kind, places_rows[i].kind,
	       "%s: the message", places_rows[i].title);
	is_u64(list->count, places_rows[i].kind != MESSAGE_KIND_COUNT, "%s: said once", places_rows[i].title);
	binaries_free(binaries);
}

TEST(debug)
{
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *paths[] = { path_in("stripped"), path_in("whole") };
	uint8_t byte = 0;

	put_elf("stripped/prog", ID, 0xdd, true);
	put_elf("whole/prog", ID, 2, false);
	struct binaries *binaries = binaries_create(&crash, paths, 2);
	ok(binaries_read(binaries, BASE + IMAGE_CODE, &byte, 1, NULL) == 1 && byte == 2,
	   "code is never read from a file that lacks it");
	const struct binary *debug = binaries_load(binaries, 0, LOCATE_DEBUG);
	ok(debug != NULL && debug->debug_only, "a file without code serves for debugging");
	binaries_free(binaries);

	binaries = binaries_create(&crash, &paths[1], 1);
	ok(binaries_load(binaries, 0, LOCATE_DEBUG) == binaries_load(binaries, 0, LOCATE_IMAGE),
	   "the image serves for debugging if there is no debug file");
	binaries_free(binaries);

	put_elf("whole/.build-id/01/23456789abcdef1032547698badcfea0b1c2d3.debug", ID, 0xdd, true);
	binaries = binaries_create(&crash, &paths[1], 1);
	debug = binaries_load(binaries, 0, LOCATE_DEBUG);
	ok(debug != NULL && debug->debug_only, "a debug file is found by the build id");
	ok(binaries_load(binaries, 0, LOCATE_IMAGE) != debug, "a debug file is no image");
	binaries_free(binaries);
}

/* Files given by themselves whose names and IDs lead to no module. */
TEST(unused)
{
	static const struct {
		const char *title, *code_id;
		uint64_t entry;		/* relative to the base; 0: unknown */
		const char *as;		/* NULL: not given so */
		bool used;
		enum message_kind kind;
		size_t unused;
	} cases[] = {
		{ "a program without a known ID is known by its entry point", "", IMAGE_CODE, NULL, true, MESSAGE_BINARY_UNCHECKED, 0 },
		{ "another entry point is that of another program", "", IMAGE_CODE + 4, NULL, false, MESSAGE_BINARY_ID, 1 },
		{ "a module without ID and entry point matches no file", "", 0, NULL, false, MESSAGE_BINARY_ID, 1 },
		{ "an ID decides, not the entry point", OTHER_ID, IMAGE_CODE, NULL, false, MESSAGE_BINARY_ID, 1 },
		{ "the user may name the module", "", 0, "prog", true, MESSAGE_BINARY_UNCHECKED, 0 },
		{ "the user may name the module by its path", "", 0, "/bin/prog", true, MESSAGE_BINARY_UNCHECKED, 0 },
		{ "the user may name a module whose ID differs, with a message", OTHER_ID, 0, "prog", true, MESSAGE_BINARY_UNCHECKED, 0 },
		{ "an equal ID needs no message", ID, 0, "prog", true, MESSAGE_KIND_COUNT, 0 },
		{ "a name of no module is a message", "", 0, "other", false, MESSAGE_BINARY_ID, 0 },
	};

	put_elf("unused/renamed", ID, 5, false);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct module module = module_of("/bin/prog", cases[i].code_id, "");
		struct crash crash = crash_of(&module, CRASH_OS_LINUX);
		const char *path = path_in("unused/renamed"), *as = cases[i].as;

		crash.system.arch = arch_by_id(ARCH_AMD64);
		crash.program.entry = cases[i].entry != 0 ? BASE + cases[i].entry : 0;
		struct binaries *binaries = binaries_create(&crash, &path, as == NULL);
		const struct message_list *list = binaries_messages(binaries);
		if (as != NULL)
			binaries_add_named(binaries, as, path);
		is_u64(binaries_report_unused(binaries), cases[i].unused, "%s: files without use", cases[i].title);
		ok((binaries_load(binaries, 0, LOCATE_IMAGE) != NULL) == cases[i].used, "%s", cases[i].title);
		is_u64(list->count == 0 ? MESSAGE_KIND_COUNT : list->messages[0].kind,
		       cases[i].kind, "%s: the message", cases[i].title);
		is_u64(list->count, cases[i].kind != MESSAGE_KIND_COUNT, "%s: said once", cases[i].title);
		binaries_free(binaries);
	}
}

/* A crash that was made from one image: other given files are its debug files, or are reported. */
TEST(given)
{
	static const struct {
		const char *title, *file_id;
		bool debug, used;
	} rows[] = {
		{ "its debug file", ID, true, true }, { "a debug file of another build", OTHER_ID, true, false },
		{ "a program of another build", OTHER_ID, false, false },
	};
	char want[300];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("/bin/prog", ID, "");
		struct crash crash = crash_of(&module, CRASH_OS_LINUX);
		const char *file = path_in("given/prog.file");
		struct binary *image;

		put_elf("given/prog", ID, 1, false);
		put_elf("given/prog.file", rows[i].file_id, 2, rows[i].debug);
		if (binary_open(&image, path_in("given/prog"), NULL) != ERROR_NONE)
			exit(1);
		struct binaries *binaries = binaries_create(&crash, &file, 1);
		binaries_give(binaries, 0, image);
		is_u64(binaries_report_unused(binaries), !rows[i].used, "%s: files without use", rows[i].title);
		const struct message_list *list = binaries_messages(binaries);
		snprintf(want, sizeof(want), "'%s' is another build than 'prog': its id is " OTHER_ID ", expected " ID, file);
		is_str(list->count == 0 ? NULL : list->messages[0].text, rows[i].used ? NULL : want, "%s: the message", rows[i].title);
		ok(binaries_load(binaries, 0, LOCATE_IMAGE) == image, "%s: the image is the given one", rows[i].title);
		const struct binary *debug = binaries_load(binaries, 0, LOCATE_DEBUG);
		ok(debug != NULL && (debug != image) == rows[i].used, "%s: the debug file", rows[i].title);
		binaries_free(binaries);
	}
}

/* The message about files without use has the first one's id, the number of others, the remedy. */
TEST(unused_text)
{
	static const char *const notes[] = {
		"not used", "not used, nor is 1 more file", "not used, nor are 2 more files",
	};
	struct module module = module_of("/bin/prog", "", "");
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *const paths[] = {
		path_in("unused/renamed"), path_in("unused/second"), path_in("unused/third"),
	};
	char want[512];

	put_elf("unused/second", OTHER_ID, 5, false);
	put_elf("unused/third", OTHER_ID, 5, false);
	for (size_t count = 1; count <= ARRAY_COUNT(paths); count++) {
		struct binaries *binaries = binaries_create(&crash, paths, count);

		is_u64(binaries_report_unused(binaries), count, "%zu of %zu files are unused", count, count);
		const struct message *message = binaries_messages(binaries)->messages;
		snprintf(want, sizeof(want), "'%s' is used for no module: the dump has neither its "
			 "name nor its id, " ID, paths[0]);
		is_str(message->text, want, "the message about %zu files names the first", count);
		snprintf(want, sizeof(want), "%s; '--as prog=FILE' uses FILE for the module 'prog'", notes[count - 1]);
		is_str(message->hint, want, "its hint counts the others of %zu", count);
		binaries_free(binaries);
	}
}

static uint64_t
word_at(struct binaries *binaries, uint64_t address, unsigned size)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value = 0;

	binaries_read(binaries, address, bytes, size, NULL);
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

/* The images' relocation tables list the words at 0x1010 and 0x101f. */
TEST(relocated)
{
	struct module module = module_of("a.dll", "", "");
	struct crash crash = crash_of(&module, CRASH_OS_WINDOWS);
	const char *path = path_in("relocated");
	struct image image;

	module.size = 0x5000;
	module.timestamp = 1;
	image_pe(&image, true, 0x8664, 1, 0x5000);
	put_bytes("relocated/a.dll", image.bytes, image.size);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	is_u64(word_at(binaries, BASE + 0x1010, 8), 0x1716151413121110 + (BASE - 0x140000000),
	       "addresses in code are those of where it was loaded, not where it was linked");
	is_u64(word_at(binaries, BASE + 0x101f, 8), 0x262524232221201f + (BASE - 0x140000000), "all that the table names");
	is_u64(word_at(binaries, BASE + 0x1018, 7), 0x1e1d1c1b1a1918, "other bytes are the file's");
	binaries_free(binaries);

	module.base = 0x10400000;
	image_pe(&image, false, 0x14c, 1, 0x5000);
	put_bytes("relocated/a.dll", image.bytes, image.size);
	binaries = binaries_create(&crash, &path, 1);
	is_u64(word_at(binaries, module.base + 0x1010, 4), 0x13121110 + 0x10000000, "a relocated word of 32 bits is read");
	is_u64(word_at(binaries, module.base + 0x1014, 4), 0x17161514, "a relocation of 32 bits changes only four bytes");
	binaries_free(binaries);

	module.base = 0x400000;
	binaries = binaries_create(&crash, &path, 1);
	is_u64(word_at(binaries, module.base + 0x1010, 4), 0x13121110, "nothing is rewritten at the linked address");
	binaries_free(binaries);
}

TEST(pe)
{
	struct module module = module_of("C:\\Windows\\a.dll", "5ABCDEF05000", GUID);
	struct crash crash = crash_of(&module, CRASH_OS_WINDOWS);
	const char *path = path_in("pe");
	struct image image;
	uint8_t byte = 0;

	module.timestamp = 0x5abcdef0;
	module.size = 0x5000;
	image_pe(&image, true, 0x8664, 0x5abcdef0, 0x5000);
	put_bytes("pe/a.dll/5ABCDEF05000/a.dll", image.bytes, image.size);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	ok(binaries_read(binaries, BASE + 0x1007, &byte, 1, NULL) == 1 && byte == 7,
	   "a PE file is found where symbol servers keep it");
	binaries_free(binaries);

	image_pe(&image, true, 0x8664, 0x5abcdef1, 0x5000);
	put_bytes("pe2/a.dll", image.bytes, image.size);
	path = path_in("pe2");
	binaries = binaries_create(&crash, &path, 1);
	ok(binaries_load(binaries, 0, LOCATE_IMAGE) == NULL &&
	   binaries_messages(binaries)->seen[MESSAGE_BINARY_ID] == 1,
	   "one with another timestamp is refused");
	binaries_free(binaries);
}

/* The places that are searched, and whether a file is expected there. */
TEST(configured)
{
	static const struct {
		const char *title, *given, *place;	/* NULL: none */
		bool is_store, system, configured, expected, has;
		size_t roots;
	} rows[] = {
		{ "nothing", NULL, NULL, false, false, false, false, false, 0 },
		{ "a directory", "a", NULL, false, false, true, true, true, 1 },
		{ "a missing directory", "none", NULL, false, false, true, true, false, 1 },
		{ "a directory for another purpose", NULL, "a", false, false, true, false, true, 1 },
		{ "a store", NULL, "a", true, false, true, true, true, 1 },
		{ "a store that was given", "a", "a", true, false, true, true, true, 1 },
		{ "two stores", "b", "a", true, false, true, true, true, 2 },
		{ "a given directory with another purpose", "a", "a", false, false, true, true, true, 2 },
		{ "the system's directories", NULL, NULL, false, true, true, true, false, 0 },
	};
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *given = rows[i].given != NULL ? path_in(rows[i].given) : NULL;
		struct binaries *binaries = binaries_create(&crash, &given, given != NULL);

		if (rows[i].place != NULL)
			binaries_add_place(binaries, path_in(rows[i].place), rows[i].is_store);
		if (rows[i].system)
			binaries_set(binaries, BINARIES_SYSTEM);
		ok(binaries_configured(binaries) == rows[i].configured && binaries_expected(binaries, 0) == rows[i].expected &&
		   binaries_in_system(binaries) == rows[i].system && !binaries_asks_servers(binaries), "%s: the state", rows[i].title);
		ok(binaries_has(binaries, path_in("b/../a")) == rows[i].has && !binaries_has(binaries, path_in("none")) &&
		   !binaries_has(binaries, "/"), "%s: the directory", rows[i].title);
		is_str(binaries_problem(binaries, path_in("none")), rows[i].given != NULL && strcmp(rows[i].given, "none") == 0
		       ? "No such file or directory" : NULL, "%s: the problem", rows[i].title);
		ok(rows[i].system || binaries->root_count == rows[i].roots, "%s: the places", rows[i].title);
		is_u64(binaries_read(binaries, BASE - 1, &(uint8_t){ 0 }, 1, NULL), 0, "%s: no bytes outside of the module", rows[i].title);
		binaries_free(binaries);
	}
	ok(!binaries_has(NULL, "/") && !binaries_expected(NULL, 0) && !binaries_in_system(NULL) && !binaries_configured(NULL) &&
	   binaries_read(NULL, BASE, &(uint8_t){ 0 }, 1, NULL) == 0 && binaries_load(NULL, 0, LOCATE_IMAGE) == NULL &&
	   binaries_messages(NULL) == NULL, "NULL has no places and no files");
	binaries_free(NULL);
}

/* The read-only segment of the file is 0x300 bytes long; the module has 0x2000 bytes. */
TEST(segments)
{
	static const struct {
		uint64_t offset;
		bool found;
		size_t read;
	} rows[] = {
		{ (uint64_t)0 - 1, false, 0 }, { 0, true, 4 }, { 0x2fc, true, 4 }, { 0x2fe, true, 2 }, { 0x2ff, true, 1 }, { 0x300, false, 0 },
		{ 0x1300, false, 0 }, { 0x2000, false, 0 },
	};
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("a");
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	uint8_t bytes[4];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct binary_run run;

		is_u64(binaries_read(binaries, BASE + rows[i].offset, bytes, 4, NULL), rows[i].read, "bytes at offset %#x", (unsigned)rows[i].offset);
		ok(binaries_run(binaries, BASE + rows[i].offset, &run) == rows[i].found &&
		   (!rows[i].found || (run.base == BASE && run.size == 0x300 && run.offset == 0 && run.data[IMAGE_CODE + 2] == 2 &&
				       run.binary == binaries_load(binaries, 0, LOCATE_IMAGE))), "the segment at offset %#x", (unsigned)rows[i].offset);
	}
	bool settled = false;
	ok(binaries_try(binaries, 1, LOCATE_IMAGE, &settled) == NULL && settled && binaries_peek(binaries, 1, LOCATE_IMAGE) == NULL &&
	   !binaries_looked(binaries, 1, LOCATE_IMAGE) && !binaries_find_split(binaries, 1, NULL, NULL), "a module that does not exist has no file");
	ok(binaries_peek(binaries, 0, LOCATE_IMAGE) != NULL && binaries_peek(binaries, 0, LOCATE_DEBUG) == NULL,
	   "a file that was not requested is not known");
	binaries_free(binaries);
}

static unsigned closed;

static void
close_slot(void *slot)
{
	closed += *(uint64_t *)slot == 7;
}

/* Data that other rooms derive from the files: one reader of a kind, with a slot for each module. */
TEST(readers)
{
	static const struct binaries_reader_kind kind = { .room = BINARIES_SURVEYS, .slot_size = 8, .close = close_slot },
						 other = { .room = BINARIES_SFRAMES, .slot_size = 4 };
	struct module modules[] = { module_of("/bin/prog", ID, GUID), module_of("/bin/b", ID, GUID) };
	const struct crash crash = { .system.os = CRASH_OS_LINUX, .modules = modules, .module_count = 2 };
	const char *const paths[] = { path_in("a"), path_in("b") };
	struct binaries *binaries = binaries_create(&crash, paths, 2);
	struct binaries_reader *reader = binaries_reader(binaries, &kind, 0), *second = binaries_reader(binaries, &other, 1);

	ok(reader != NULL && binaries_reader(binaries, &kind, 1) == reader && second != NULL && second != reader,
	   "each kind has one reader");
	ok(binaries_reader(binaries, &kind, 2) == NULL && binaries_reader(NULL, &kind, 0) == NULL, "a module that does not exist has none");
	ok(((uint64_t *)reader->slots)[0] == 0 && ((uint64_t *)reader->slots)[1] == 0 && reader->crash == &crash && reader->binaries == binaries,
	   "a reader begins with empty slots");
	((uint64_t *)reader->slots)[0] = ((uint64_t *)reader->slots)[1] = 7;
	binaries_add_named(binaries, "b", path_in("none"));
	ok(binaries->root_count == 3 && strcmp(binaries->roots[0].path, path_in("none")) == 0 && strcmp(binaries->roots[1].path, paths[0]) == 0 &&
	   strcmp(binaries->roots[2].path, paths[1]) == 0, "a file for a module is before all other places");
	binaries_ask_again(NULL, "http://a");
	binaries_free(binaries);
	is_u64(closed, 2, "all slots are closed");
}

/* Calls are read from the file if the dump lacks the bytes. */
TEST(calls)
{
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("calls");
	struct memory_view view;
	struct image image;
	struct arena arena = { 0 };
	uint8_t id[20] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x10, 0x32,
			   0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe, 0xa0, 0xb1, 0xc2, 0xd3 };

	image_elf(&image, true, false, 62, id, sizeof(id), false);
	memcpy(image.bytes + IMAGE_CODE + 0x20, "\xe8\x0b\x00\x00\x00", 5);
	memcpy(image.bytes, "\x7f" "ELF", 4);
	put_bytes("calls/prog", image.bytes, image.size);
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	memory_view_all(&view, &crash, &arena);
	struct call_site call = call_find(arch_by_id(ARCH_AMD64), &view, binaries, BASE + IMAGE_CODE + 0x25);
	ok(call.answer == CALL_YES && call.direct, "a call is found in the file");
	is_u64(call.target, BASE + IMAGE_CODE + 0x30, "its target counts from where it was loaded");
	is_u64(call.place.offset, IMAGE_CODE + 0x20, "its place is in the file");
	call = call_find(arch_by_id(ARCH_AMD64), &view, binaries, BASE + IMAGE_CODE + 0x40);
	ok(call.answer == CALL_NO, "an address after other code has no call");
	call = call_find(arch_by_id(ARCH_AMD64), &view, binaries, BASE + 0x1800);
	ok(call.answer == CALL_UNKNOWN, "an address without code has no known call");
	call = call_find(arch_by_id(ARCH_AMD64), &view, binaries, BASE + 3);
	ok(call.answer == CALL_UNKNOWN, "an address after the first three bytes has no known call");
	arena_free(&arena);
	binaries_free(binaries);
}

static void *
load_all(void *argument)
{
	struct binaries *binaries = argument;
	uint8_t byte = 0;

	for (int i = 0; i < 1000; i++)
		binaries_read(binaries, BASE + IMAGE_CODE, &byte, 1, NULL);
	return (void *)(uintptr_t)binaries_load(binaries, 0, LOCATE_DEBUG);
}

TEST(threads)
{
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("calls");
	struct binaries *binaries = binaries_create(&crash, &path, 1);
	pthread_t threads[4];
	void *results[4] = { NULL };
	unsigned same = 0;

	for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
		pthread_create(&threads[i], NULL, load_all, binaries);
	for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
		pthread_join(threads[i], &results[i]);
	for (size_t i = 0; i < ARRAY_COUNT(threads); i++)
		same += results[i] != NULL && results[i] == results[0];
	is_u64(same, ARRAY_COUNT(threads), "threads that ask at once get the same file");
	binaries_free(binaries);
}

static bool
fits_never(void *context, const struct binary *file)
{
	(void)file;
	++*(unsigned *)context;
	return false;
}

static void
count_place(void *context, const struct locate_place *place)
{
	*(size_t *)context += place->kind == LOCATE_SPLIT;
}

static void
note_last(void *context, const struct locate_place *place)
{
	if (place->kind == LOCATE_SPLIT)
		snprintf(context, 600, "%s", place->path);
}

/*
 * Units of split DWARF without a file: packages are searched in four places, each unit in five.
 */
enum { PACKAGES = 4, EACH = 5, KEPT_UNITS = (LIMIT_SPLIT_PLACES - PACKAGES) / EACH };

TEST(split)
{
	static const struct {
		const char *title;
		unsigned units;
		size_t kept, missed;
		uint64_t messages;
	} rows[] = {
		{ "one", 1, PACKAGES + EACH, 0, 1 },
		{ "as many as have a message each", LIMIT_SPLIT_MESSAGES, PACKAGES + LIMIT_SPLIT_MESSAGES * EACH, 0, LIMIT_SPLIT_MESSAGES },
		{ "one more, which the last message reports", LIMIT_SPLIT_MESSAGES + 1,
		  PACKAGES + (LIMIT_SPLIT_MESSAGES + 1) * EACH, 0, LIMIT_SPLIT_MESSAGES + 1 },
		{ "as many as have all their places", KEPT_UNITS, LIMIT_SPLIT_PLACES, 0, LIMIT_SPLIT_MESSAGES + 1 },
		{ "one more, whose places are counted", KEPT_UNITS + 1, LIMIT_SPLIT_PLACES, EACH, LIMIT_SPLIT_MESSAGES + 1 },
	};
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("a");
	char last[200] = "";

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct binaries *binaries = binaries_create(&crash, &path, 1);
		const struct binary *image = binaries_load(binaries, 0, LOCATE_IMAGE);
		unsigned asked = 0;
		size_t kept = 0;

		if (image == NULL)
			break;
		for (unsigned unit = 0; unit < rows[i].units; unit++)
			binaries_find_split(binaries, 0, image, &(struct binaries_split){
				.name = "/none/u.dwo", .id = unit, .fits = fits_never,
				.context = &asked });
		const struct message_list *messages = binaries_messages(binaries);
		const size_t missed = binaries_places(binaries, 0, count_place, &kept);
		is_u64(kept, rows[i].kept, "units without a file, %s: places", rows[i].title);
		is_u64(missed, rows[i].missed, "%s: places that are not kept", rows[i].title);
		is_u64(messages->seen[MESSAGE_BINARY_SPLIT], rows[i].messages, "%s: messages", rows[i].title);
		snprintf(last, sizeof(last), "%s", messages->messages[messages->count - 1].text);
		binaries_free(binaries);
	}
	is_str(last, "more than 4 units of 'prog' have no file", "the last message counts the other units");
}

/* The places of a unit's file and what its absence means. The place where it was compiled is last, if it can be one. */
TEST(split_places)
{
#define NO_UNIT(name) "no '" name "' with the unit 00000000000000ff of 'prog'|its names and inlined calls are missing; " \
	"give the directory of the file, or a package, with '--binaries'"
	static const struct {
		const char *name, *directory, *last, *message;
		bool object, inside;
	} rows[] = {
		{ "u.dwo", "/none/d", "/none/d/u.dwo", NO_UNIT("u.dwo"), false, false },
		{ "u.dwo", "/none/d", NULL, NO_UNIT("u.dwo"), false, true }, { "u.dwo", "d", NULL, NO_UNIT("u.dwo"), false, false },
		{ "u.dwo", NULL, NULL, NO_UNIT("u.dwo"), false, false },
		{ "/none/u.dwo", "/d", "/none/u.dwo", NO_UNIT("/none/u.dwo"), false, false },
		{ "/dev/u.dwo", NULL, NULL, NO_UNIT("/dev/u.dwo"), false, false },
		{ "/device/u.dwo", NULL, "/device/u.dwo", NO_UNIT("/device/u.dwo"), false, false },
		{ "self/u.dwo", "/proc", NULL, NO_UNIT("self/u.dwo"), false, false },
		{ "u.dwo", "/process", "/process/u.dwo", NO_UNIT("u.dwo"), false, false },
		{ "/sys/u.dwo", NULL, NULL, NO_UNIT("/sys/u.dwo"), false, false },
		{ "/system/u.dwo", NULL, "/system/u.dwo", NO_UNIT("/system/u.dwo"), false, false },
		{ NULL, NULL, NULL, NO_UNIT(".dwo file"), false, false },
		{ "/none/u.o", NULL, "/none/u.o", "no object file '/none/u.o' that was not changed after the link of 'prog'|its lines and inlined calls "
		  "are missing; give its directory with '--binaries', or the dSYM that dsymutil makes of the program", true, false },
	};
	struct module module = module_of("/bin/prog", ID, GUID);
	struct crash crash = crash_of(&module, CRASH_OS_LINUX);
	const char *path = path_in("a");
	char last[600], text[400];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct binaries *binaries = binaries_create(&crash, &path, 1);
		unsigned asked = 0;

		binaries_set(binaries, rows[i].inside ? BINARIES_INSIDE : 0);
		ok(!binaries_find_split(binaries, 0, binaries_load(binaries, 0, LOCATE_IMAGE), &(struct binaries_split){ .name = rows[i].name,
			.directory = rows[i].directory, .id = 0xff, .object = rows[i].object, .fits = fits_never, .context = &asked }), "row %zu: no file", i);
		binaries_places(binaries, 0, note_last, last);
		const bool below = strncmp(last, root, strlen(root)) == 0;
		is_str(below ? NULL : last, rows[i].last, "row %zu: the place where it was compiled", i);
		const struct message *message = binaries_messages(binaries)->messages;
		snprintf(text, sizeof(text), "%s|%s", message->text, message->hint);
		is_str(text, rows[i].message, "row %zu: the message", i);
		binaries_free(binaries);
	}
}

/* A module whose dump has no ID, as of a program of Go, and the system's directories. */
TEST(headers)
{
	static uint8_t bytes[8192], loaded[4096];
	struct image image;

	image_elf(&image, true, false, 62, bytes, 20, false);
	memcpy(bytes, image.bytes, image.size < sizeof(bytes) ? image.size : sizeof(bytes));
	put_bytes("prog", bytes, sizeof(bytes));
	memcpy(loaded, bytes, sizeof(loaded));
	for (unsigned different = 0; different < 2; different++) {
		struct module module = module_of(path_in("prog"), "", "");
		struct crash crash = crash_of(&module, CRASH_OS_LINUX);
		struct memory_region region = { .base = BASE, .size = sizeof(loaded),
						.available = sizeof(loaded), .data = loaded };

		loaded[sizeof(loaded) - 1] ^= (uint8_t)different;
		crash.regions = &region;
		crash.region_count = 1;
		struct binaries *binaries = binaries_create(&crash, NULL, 0);
		binaries_set(binaries, BINARIES_SYSTEM | BINARIES_MEMORY);
		const struct binary *used = binaries_load(binaries, 0, LOCATE_IMAGE);
		/* Else the image in the dump is used. */
		ok(used != NULL && (strcmp(used->file.input.name, module.code_file) == 0) == !different,
		   "the file at the path of a module without an ID is used if the process has the "
		   "same headers: %u bytes differ", different);
		binaries_free(binaries);
	}
}

FOLDER_MAIN
