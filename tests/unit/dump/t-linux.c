/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static void
open_stream(struct opened *opened, enum arch_id arch, bool big_endian, uint32_t type, const void *bytes, size_t size)
{
	struct synth *synth = synth_create(arch, CRASH_OS_LINUX, big_endian);

	synth_stream(synth, type, bytes, size);
	open_synth(opened, synth);
}

TEST(maps)
{
	static const char maps[] = "7f0000002000-7f0000003000 rw-p 00000000 00:00 0          [stack]\n"
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
	ok(mapping[0].base == 0x400000 && mapping[0].size == 0x2000, "the end of a line is the address after its mapping");
	ok(mapping[0].readable && !mapping[0].writable && mapping[0].executable, "a mapping has its permissions");
	is_str(mapping[0].name, "/usr/bin/with a blank (deleted)", "a path may contain blanks");
	is_str(mapping[0].text, "r-xp", "a mapping has the permissions as the system writes them");
	is_str(mapping[1].name, "", "a mapping need not have a name");
	ok(!mapping[1].readable && !mapping[1].executable, "a mapping without permissions, whose line has no line feed, is read");
	is_str(mapping[2].name, "[stack]", "mappings are sorted by address");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 4, "each bad line is a message");
	is_str(mapping[0].name, "/usr/bin/with a blank (deleted)", "a bad line does not change the others");
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
	is_str(opened.crash.mappings[0].name, "/usr/bin/test", "the memory map with names is preferred");
	close_synth(&opened);
}

#define ENVIRONMENT 0x47670007, "HOME=/root\0EMPTY=\0A=B=C\0ODD", 27, 4, "environment"
#define STATUS 0x47670004, "Name:\ttest\nPid:\t4711\n\n", 22, 2, "process status"
#define ARGUMENTS 0x47670006, "prog\0-x\0two words\0", 18, 3, "command line"
#define WIDE_AUXV 0x47670008, "\t\0\0\0\0\0\0\0\x40\x10\x40\0\0\0\0\0" \
	"\0\0\0\0\0\0\0\0\1\1\1\1\1\1\1\1", 32, 1, "auxiliary vector"
#define BIG_AUXV 0x47670008, "\0\0\0\x21\xff\xff\xe0\0" "\0\0\0\x63\0\0\0\5", 16, 2, "auxiliary vector"
static const struct {
	const char *title;
	enum arch_id arch;		/* ARM: in big endian */
	uint32_t type;
	const char *bytes;
	size_t size, count;		/* bytes of the stream, number of its annotations */
	const char *source, *key, *value;
} streams[] = {
	{ "a variable of the environment has its value", ARCH_AMD64, ENVIRONMENT, "HOME", "/root" },
	{ "a variable of the environment may be empty", ARCH_AMD64, ENVIRONMENT, "EMPTY", "" },
	{ "the first '=' ends the name", ARCH_AMD64, ENVIRONMENT, "A", "B=C" },
	{ "a text without '=' is a name", ARCH_AMD64, ENVIRONMENT, "ODD", "" },
	{ "blanks around a value are removed", ARCH_AMD64, STATUS, "Pid", "4711" },
	{ "arguments are numbered", ARCH_AMD64, ARGUMENTS, "argument[0]", "prog" },
	{ "an argument may contain blanks", ARCH_AMD64, ARGUMENTS, "argument[2]", "two words" },
	{ "cpuinfo is read as names and values", ARCH_AMD64, 0x47670003,
	  "processor\t: 0\nmodel name\t: X\n", 29, 2, "cpu info", "model name", "X" },
	{ "lsb-release is read as names and values", ARCH_AMD64, 0x47670005,
	  "DISTRIB_ID=Debian\n", 18, 1, "release", "DISTRIB_ID", "Debian" },
	{ "a vector of 64 bits is read", ARCH_AMD64, WIDE_AUXV, "AT_ENTRY", "0x401040" },
	{ "a vector of 32 bits in big endian is read", ARCH_ARM, BIG_AUXV, "AT_SYSINFO_EHDR", "0xffffe000" },
	{ "an unknown entry has its number", ARCH_ARM, BIG_AUXV, "AT_99", "0x5" },
};

TEST_EACH(streams, streams)
{
	struct opened opened;

	open_stream(&opened, streams[i].arch, streams[i].arch == ARCH_ARM, streams[i].type, streams[i].bytes, streams[i].size);
	is_str(value_of(&opened.crash, streams[i].source, streams[i].key), streams[i].value, "%s", streams[i].title);
	is_u64(opened.crash.annotation_count, streams[i].count, "empty lines and what follows AT_NULL are no annotations");
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
	is_u64(opened.crash.annotation_count, LIMIT_ANNOTATIONS, "annotations are read up to a limit");
	close_synth(&opened);
	free(text);
}
