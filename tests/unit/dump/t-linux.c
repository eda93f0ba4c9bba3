/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/* The value of the annotation with a source and a key, or NULL. */
static const char *
value_of(const struct crash *crash, const char *source, const char *key)
{
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].source, source) == 0 &&
		    strcmp(crash->annotations[i].key, key) == 0)
			return crash->annotations[i].value;
	return NULL;
}

static void
open_stream(struct opened *opened, enum arch_id arch, bool big_endian, uint32_t type,
	    const void *bytes, size_t size)
{
	struct synth *synth = synth_create(arch, CRASH_OS_LINUX, big_endian);

	synth_stream(synth, type, bytes, size);
	open_synth(opened, synth);
}

TEST(maps)
{
	static const char maps[] =
		"7f0000002000-7f0000003000 rw-p 00000000 00:00 0          [stack]\n"
		"00400000-00402000 r-xp 00001000 fe:01 1234   /usr/bin/with a blank (deleted)\n"
		"this is no line\n"
		"00500000-00500000 r--p 00000000 00:00 0 \n"
		"00600000-005fffff r--p 00000000 00:00 0 \n"
		"10000000000000000-10000000000000001 r--p 00000000 00:00 0 \n"
		"00700000-00701000 ---p 00000000 00:00 0";
	struct opened opened;

	open_stream(&opened, ARCH_AMD64, false, 0x47670009, maps, sizeof(maps) - 1);
	const struct mapping *mapping = opened.crash.mappings;
	is_u64(opened.crash.mapping_count, 3, "good lines of the memory map are mappings");
	ok(mapping[0].base == 0x400000 && mapping[0].size == 0x2000,
	   "the end of a line is the address after its mapping");
	ok(mapping[0].readable && !mapping[0].writable && mapping[0].executable,
	   "a mapping has its permissions");
	is_str(mapping[0].name, "/usr/bin/with a blank (deleted)", "a path may contain blanks");
	is_str(mapping[0].text, "r-xp", "a mapping has the permissions as the system writes them");
	is_str(mapping[1].name, "", "a mapping need not have a name");
	ok(!mapping[1].readable && !mapping[1].executable,
	   "a mapping without permissions, whose line has no line feed, is read");
	is_str(mapping[2].name, "[stack]", "mappings are sorted by address");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 4, "each bad line is a message");
	is_str(mapping[0].name, "/usr/bin/with a blank (deleted)",
	       "a bad line does not change the others");
	close_synth(&opened);
}

TEST(maps_and_info)
{
	static const char maps[] = "00400000-00402000 r-xp 00001000 fe:01 1234 /usr/bin/test\n";
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_memory_info(synth, 0x400000, 0x1000, 0x1000, 0x20, 0x1000000);
	synth_stream(synth, 0x47670009, maps, sizeof(maps) - 1);
	open_synth(&opened, synth);
	is_u64(opened.crash.mapping_count, 1, "memory info and the memory map make one list");
	is_str(opened.crash.mappings[0].name, "/usr/bin/test",
	       "the memory map with names is preferred");
	close_synth(&opened);
}

TEST(texts)
{
	struct opened opened;

	open_stream(&opened, ARCH_AMD64, false, 0x47670007, "HOME=/root\0EMPTY=\0A=B=C\0ODD", 27);
	is_str(value_of(&opened.crash, "environment", "HOME"), "/root",
	       "a variable of the environment has its value");
	is_str(value_of(&opened.crash, "environment", "EMPTY"), "",
	       "a variable of the environment may be empty");
	is_str(value_of(&opened.crash, "environment", "A"), "B=C", "the first '=' ends the name");
	is_str(value_of(&opened.crash, "environment", "ODD"), "", "a text without '=' is a name");
	close_synth(&opened);
	open_stream(&opened, ARCH_AMD64, false, 0x47670004, "Name:\ttest\nPid:\t4711\n\n", 22);
	is_str(value_of(&opened.crash, "process status", "Pid"), "4711",
	       "blanks around a value are removed");
	is_u64(opened.crash.annotation_count, 2, "empty lines are ignored");
	close_synth(&opened);
	open_stream(&opened, ARCH_AMD64, false, 0x47670006, "prog\0-x\0two words\0", 18);
	is_str(value_of(&opened.crash, "command line", "argument[0]"), "prog",
	       "arguments are numbered");
	is_str(value_of(&opened.crash, "command line", "argument[2]"), "two words",
	       "an argument may contain blanks");
	close_synth(&opened);
	open_stream(&opened, ARCH_AMD64, false, 0x47670003,
		    "processor\t: 0\nmodel name\t: X\n", 29);
	is_str(value_of(&opened.crash, "cpu info", "model name"), "X",
	       "cpuinfo is read as names and values");
	close_synth(&opened);
	open_stream(&opened, ARCH_AMD64, false, 0x47670005, "DISTRIB_ID=Debian\n", 18);
	is_str(value_of(&opened.crash, "release", "DISTRIB_ID"), "Debian",
	       "lsb-release is read as names and values");
	close_synth(&opened);
}

TEST(auxv)
{
	static const uint8_t little64[] = { 9, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x10, 0x40, 0, 0, 0, 0, 0,
					    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint8_t big32[] = { 0, 0, 0, 33, 0xff, 0xff, 0xe0, 0,
					 0, 0, 0, 99, 0,    0,	  0,	5 };
	struct opened opened;

	open_stream(&opened, ARCH_AMD64, false, 0x47670008, little64, sizeof(little64));
	is_str(value_of(&opened.crash, "auxiliary vector", "AT_ENTRY"), "0x401040",
	       "a vector of 64 bits is read");
	is_u64(opened.crash.annotation_count, 1, "AT_NULL ends the vector");
	close_synth(&opened);
	open_stream(&opened, ARCH_ARM, true, 0x47670008, big32, sizeof(big32));
	is_str(value_of(&opened.crash, "auxiliary vector", "AT_SYSINFO_EHDR"), "0xffffe000",
	       "a vector of 32 bits in big endian is read");
	is_str(value_of(&opened.crash, "auxiliary vector", "AT_99"), "0x5",
	       "an unknown entry has its number");
	close_synth(&opened);
}

TEST(many)
{
	size_t size = 4 * (LIMIT_ANNOTATIONS + 10);
	char *text = malloc(size);
	struct opened opened;

	for (size_t i = 0; i < size; i++)
		text[i] = "a=b"[i % 4];
	open_stream(&opened, ARCH_AMD64, false, 0x47670007, text, size);
	is_u64(opened.crash.annotation_count, LIMIT_ANNOTATIONS,
	       "annotations are read up to a limit");
	close_synth(&opened);
	free(text);
}
