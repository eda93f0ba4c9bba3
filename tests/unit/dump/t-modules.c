/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "crash/module_map.h"
#include "dump/minidump_internal.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

#define GUID "5A9832E5287241C1838ED98914E9B7FF"

TEST(identifiers)
{
	/* Identifiers in both byte orders, as Breakpad writes them; `id` was given to synth. */
	static const struct {
		enum crash_os os;
		bool nb10;
		const char *id, *debug_file, *code_id;
	} cases[] = {
		{ CRASH_OS_WINDOWS, false, GUID "1f", "c:\\x\\test.pdb", "12345678" "2000" },
		{ CRASH_OS_WINDOWS, true, "3BE4A1C2" "5", "c:\\x\\test.pdb", "12345678" "2000" },
		{ CRASH_OS_LINUX, false, GUID "0", "/usr/lib/libtest.so", "e532985a7228c141838ed98914e9b7ff" },
		{ CRASH_OS_MAC, false, GUID "0", "c:\\x\\test.pdb", GUID },
	};

	for (size_t i = 0; i < 2 * ARRAY_COUNT(cases); i++) {
		size_t row = i / 2;
		struct synth *synth = synth_create(ARCH_AMD64, cases[row].os, i % 2 != 0);
		struct opened opened;

		synth_style(synth)->nb10 = cases[row].nb10;
		synth_module(synth, 0x400000, 0x2000, "/usr/lib/libtest.so", "c:\\x\\test.pdb", cases[row].id);
		synth_module_version(synth, 0x00050001, 0x0a280884, 0x12345678);
		open_synth(&opened, synth);
		const struct module *module = &opened.crash.modules[0];
		is_str(module->debug_id, cases[row].id, "the debug identifier has the form of symbol files");
		is_str(module->debug_file, cases[row].debug_file, "the debug file is named");
		is_str(module->code_id, cases[row].code_id, "the code identifier is that of the system");
		is_str(module->code_file, "/usr/lib/libtest.so", "the code file is named");
		is_str(module->version, "5.1.2600.2180", "the version is four numbers of 16 bits");
		ok(module->base == 0x400000 && module->size == 0x2000 &&
		   module->timestamp == 0x12345678 && !module->unloaded, "a module has base, size and timestamp");
		is_u64(module->identity_place.offset != 0, 1, "the CodeView record has a place");
		is_u64(message_total(&opened.crash.messages), 0, "a good module has no message");
		close_synth(&opened);
	}
}

TEST(build_ids)
{
	static const struct {
		size_t size;
		const char *id, *code_id;
	} cases[] = {
		{ 24, "0403020106050807090A0B0C0D0E0F100", "0102030405060708090a0b0c0d0e0f1011121314" },
		{ 12, "04030201060508070000000000000000" "0", "0102030405060708" }, { 4, "00000000000000000000000000000000" "0", "" },
	};
	uint8_t record[24] = { 'L', 'E', 'p', 'B' };

	for (size_t i = 4; i < sizeof(record); i++)
		record[i] = (uint8_t)(i - 3);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct synth *synth = synth_create(ARCH_ARM64, CRASH_OS_LINUX, false);
		struct opened opened;

		synth_module(synth, 0x1000, 0x1000, "libc.so", "", NULL);
		synth_module_record(synth, record, cases[i].size);
		open_synth(&opened, synth);
		is_str(opened.crash.modules[0].debug_id, cases[i].id, "a build ID is cut or padded to a GUID");
		is_str(opened.crash.modules[0].code_id, cases[i].code_id, "the code identifier is the complete build ID");
		close_synth(&opened);
	}
}

TEST(misc_records)
{
	for (int wide = 0; wide < 2; wide++) {
		struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, wide != 0);
		struct opened opened;

		synth_module(synth, 0x1000, 0x1000, "old.dll", "", NULL);
		synth_module_misc(synth, "old.dbg", wide != 0);
		synth_module(synth, 0x3000, 0x1000, "new.dll", "new.pdb", GUID "1");
		synth_module_misc(synth, "new.dbg", wide != 0);
		open_synth(&opened, synth);
		is_str(opened.crash.modules[0].debug_file, "old.dbg", "a misc record names the debug file");
		is_str(opened.crash.modules[0].debug_id, "", "a misc record gives no identifier");
		is_str(opened.crash.modules[1].debug_file, "new.pdb", "a CodeView record is used before a misc record");
		close_synth(&opened);
	}
}

static const struct {
	const char *bytes;
	size_t size;
	uint64_t messages;
	const char *title;
} broken_records[] = {
	{ "RSDSxxxxxxxxxxxxxxxx\1\0\0\0no end", 30, 1, "a path without an end" },
	{ "RSDSxxxxxxxxxxxx", 16, 1, "a record that is too short" }, { "RSDSxxxxxxxxxxxxxxxx\1\0\0\0", 24, 1, "a record without a path" },
	{ "NB10\0\0\0\0xxxxyyyy", 16, 1, "an NB10 record without a path" }, { "RS", 2, 1, "a record without a signature" },
	{ "NB09\0\0\0\0", 8, 0, "an embedded CodeView record, which names nothing" },
};

TEST_EACH(broken_records, broken_records)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_module(synth, 0x1000, 0x1000, "a.dll", "", NULL);
	synth_module_record(synth, broken_records[i].bytes, broken_records[i].size);
	synth_module(synth, 0x3000, 0x1000, "b.dll", "b.pdb", GUID "1");
	open_synth(&opened, synth);
	is_str(opened.crash.modules[0].debug_id, "", "%s gives no identifier", broken_records[i].title);
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], broken_records[i].messages,
	       "%s is counted as broken, or not", broken_records[i].title);
	is_str(opened.crash.modules[1].debug_id, GUID "1", "the module after a broken record is read");
	close_synth(&opened);
}

TEST(broken_entries)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_module(synth, 0x1000, 0, "empty", "", NULL);
	synth_module(synth, UINT64_MAX - 15, 0x20, "wraps", "", NULL);
	synth_module(synth, UINT64_MAX - 15, 0x10, "last", "", NULL);
	synth_module(synth, 0x1000, 0x1000, "good", "", NULL);
	open_synth(&opened, synth);
	is_u64(opened.crash.module_count, 4, "modules of impossible sizes are kept");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 2, "modules that wrap have messages");
	uint8_t *list = stream_bytes(&opened, 4);
	memset(list + 4 + 3 * 108 + 20, 0xee, 4);	/* name of the last one */
	memset(list + 4 + 3 * 108 + 76, 0xee, 8);	/* its CodeView record */
	memset(list + 4 + 3 * 108 + 84, 0xee, 8);	/* its misc record */
	open_again(&opened);
	is_str(opened.crash.modules[3].code_file, "", "a module whose name is outside of the file has none");
	is_u64(opened.crash.modules[3].base, 0x1000, "a module without a name keeps its base");
	is_u64(opened.crash.messages.seen[MESSAGE_STRING_BROKEN], 1, "a name outside of the file is reported");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 4, "records outside of the file are reported");
	close_synth(&opened);
}

/* Breakpad refuses a list whose stream has bytes after the modules, except four for alignment. */
TEST(list_size)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct policy policy = policy_column(POLICY_BREAKPAD);
	struct opened opened;
	struct module_map map;

	synth_module(synth, 0x1000, 0x1000, "one", "", NULL);
	synth_module(synth, 0x3000, 0x1000, "other", "", NULL);
	open_synth(&opened, synth);
	module_map_build(&map, &opened.crash, &policy, &opened.crash.arena);
	is_u64(map.loaded_count, 2, "a list that fills its stream has its modules");
	put_le(stream_bytes(&opened, 4), 1, 4);
	open_again(&opened);
	module_map_build(&map, &opened.crash, &policy, &opened.crash.arena);
	is_u64(map.loaded_count, 0, "a list in a longer stream has none in Breakpad's column");
	policy = policy_column(POLICY_UNSPOOL);
	module_map_build(&map, &opened.crash, &policy, &opened.crash.arena);
	is_u64(map.loaded_count, 1, "and its modules in unspool's");
	close_synth(&opened);
}

TEST(unloaded)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, true);
	struct opened opened;

	synth_unloaded(synth, 0x900000, 0x1000, "gone.dll", 0xabcdef01);
	synth_unloaded(synth, 0x900000, 0x2000, "gone.dll", 2);
	open_synth(&opened, synth);
	is_u64(opened.crash.unloaded_count, 2, "equal unloaded modules are counted");
	ok(opened.crash.unloaded[0].unloaded && opened.crash.unloaded[1].size == 0x2000, "equal unloaded modules are kept");
	is_str(opened.crash.unloaded[0].code_id, "ABCDEF011000", "an unloaded module has timestamp and size");
	stream_bytes(&opened, 14)[7] = 8;	/* entries of 8 bytes */
	open_again(&opened);
	is_u64(opened.crash.unloaded_count, 0, "unloaded modules of 8 bytes are ignored");
	is_u64(opened.crash.messages.seen[MESSAGE_STREAM_BROKEN], 1, "unloaded modules of 8 bytes are reported");
	close_synth(&opened);
}

/* A name appears in each frame, so one that is longer than file systems allow is cut. */
TEST(long_names)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	static char most[LIMIT_MODULE_NAME + 16], more[LIMIT_MODULE_NAME + 16];
	static const char folder[] = "/folder/";
	const size_t before = sizeof(folder) - 1;
	struct opened opened;

	memset(most, 'a', before + LIMIT_MODULE_NAME);
	memcpy(most, folder, before);
	memset(more, 'a', before + LIMIT_MODULE_NAME + 1);
	memcpy(more, folder, before);
	synth_module(synth, 0x400000, 0x1000, most, "a", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_module(synth, 0x500000, 0x1000, more, "a", "5A9832E5287241C1838ED98914E9B7FF1");
	open_synth(&opened, synth);
	is_str(opened.crash.modules[0].code_file, most, "a name of the largest length is complete");
	is_str(opened.crash.modules[1].code_file, most, "a longer name is cut to the largest length");
	is_u64(opened.crash.messages.seen[MESSAGE_STRING_BROKEN], 1, "a name that is cut is reported");
	close_synth(&opened);
}

/* A code identifier that is a build ID in hexadecimal digits: its bytes. */
TEST(bytes_of_ids)
{
	static const struct {
		const char *id;
		size_t count;
		uint8_t last;
	} rows[] = {
		{ "", 0, 0 }, { "a", 0, 0 }, { "0f", 1, 0x0f }, { "0fA", 0, 0 }, { "0fAb", 2, 0xab },
		{ "0g", 0, 0 }, { "12345678 9", 0, 0 }, { "1234567890abcdef", 8, 0xef },
	};
	char most[2 * LIMIT_BUILD_ID + 3];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct module module = { .code_id = rows[i].id };
		uint8_t id[LIMIT_BUILD_ID] = { 0 };

		is_u64(modules_build_id(&module, id), rows[i].count, "'%s' has the right number of bytes", rows[i].id);
		ok(rows[i].count == 0 || id[rows[i].count - 1] == rows[i].last, "'%s' has the right last byte", rows[i].id);
	}
	for (size_t length = 2 * LIMIT_BUILD_ID; length <= 2 * LIMIT_BUILD_ID + 2; length += 2) {
		const struct module module = { .code_id = most };
		uint8_t id[LIMIT_BUILD_ID];

		memset(most, '7', length);
		most[length] = '\0';
		is_u64(modules_build_id(&module, id), length > 2 * LIMIT_BUILD_ID ? 0 : length / 2,
		       "%zu digits are %s", length, length > 2 * LIMIT_BUILD_ID ? "too many" : "read");
	}
}
