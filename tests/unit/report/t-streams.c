/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include "tests/unit/report/scene.h"

/* The dump of the scene, or another one. */
struct dump {
	struct crash crash;
	uint8_t *bytes;
	struct arena arena;
	struct row row;
	struct output_string text;
};

static void
open_dump(struct dump *dump, struct synth *synth)
{
	struct error error;
	size_t size;

	dump->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&dump->crash, "/crashes/test.dmp", dump->bytes, size, 0, &error);
	arena_init(&dump->arena, 0);
	row_init(&dump->row, &dump->arena);
	output_string_init(&dump->text, &dump->arena);
}

static void
close_dump(struct dump *dump)
{
	crash_free(&dump->crash);
	free(dump->bytes);
	arena_free(&dump->arena);
}

static const char *
row_of(struct dump *dump, const struct listing *listing, size_t index)
{
	row_clear(&dump->row);
	listing_fill(listing, index, 80, &dump->row);
	return row_text(&dump->row);
}

static struct synth *
describe_linux(void)
{
	const uint64_t registers[17] = { 0 };
	static const uint8_t stack[40] = { 0xde, 0xad, 'A', 0x1b };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	char bytes[65];

	synth_thread(synth, 0xbf4, registers, 0x7000, stack, sizeof(stack));
	synth_module(synth, 0x400000, 0x1000, "/bin/app", NULL, NULL);
	synth_stream(synth, 0x47670007, "SECRET=hunter2", 14);
	synth_stream(synth, 0x47670009, "00400000-00401000 r-xp 00000000 fe:00 7 /bin/app\n", 49);
	synth_stream(synth, 10, "first line\nsecond \033[31m line\nz", 30);
	synth_memory(synth, 0x9000, memset(bytes, 'm', 64), 64, false);
	synth_memory(synth, 0xa000, memset(bytes, 'n', 65), 65, false);
	synth_stream(synth, 0x47671234, "who knows", 9);
	synth_stream(synth, 0x47670006, "app\0-x\ty", 8);
	return synth;
}

enum { HEX = 1, REDACTED = 2, JSON = 4, BRIEF = 8, PRETTY = 16 };

/* The print of all streams, or of one of them (`stream`), has these words, or lacks those after "!". */
static const struct {
	unsigned form;
	const char *stream, *words;
} printed[] = {
	{ 0, NULL, "header  minidump, little endian\n" },
	{ 0, NULL, "directory: 9 streams\n" },
	{ 0, NULL, "0x47671234 unknown (Google)         Google " },
	{ 0, NULL, "\n    thread_id                   = 0xbf4\n" },
	{ 0, NULL, "  (stack)                     = 40 bytes\n" },
	{ 0, NULL, "!de ad 41" },
	{ 0, NULL, "  00400000-00401000 r-xp 00000000 fe:00 7 /bin/app\n" },
	{ 0, NULL, "  comment =\n    first line\n    second \\x1b[31m line\n    z\n" },
	{ 0, NULL, "  SECRET = \"hunter2\"\n" },
	{ HEX, NULL, " de ad 41 1b 00 00 00 00 00 00 00 00 00 00 00 00  ..A............." },
	{ HEX, NULL, " 00 00 00 00 00 00 00 00                          ........\n" },
	{ HEX, "unknown (Google)", "= 77686f206b6e6f7773\n" },
	{ HEX, "MemoryList", "  mmmmmmmmmmmmmmmm\n\n" },
	{ JSON, NULL, "\"value\":\"6d6d6d6d" },
	{ JSON, NULL, "\"value\":null" },
	{ JSON, NULL, "!6e6e6e6e" },
	{ JSON | HEX, NULL, "\"value\":\"6e6e6e6e" },
	{ REDACTED, NULL, "!hunter2" },
	{ REDACTED | HEX, NULL, "!de ad 41" },
	{ REDACTED, NULL, "  SECRET = " CRASH_REDACTED "\n" },
	{ 0, "linuxMAPS", "\nLinuxMaps  stream " },
	{ 0, "linuxMAPS", "!ThreadList" },
	{ 0, "linuxMAPS", "!header" },
	{ 0, "linuxMAPS", "!\n    " },
	{ 0, "LinuxCmdLine", "\n  argument[0] = \"app\"\n  argument[1] = \"-x y\"\n" },
	{ BRIEF, NULL, "directory" },
	{ BRIEF, NULL, "!thread_id" },
	{ BRIEF, "linuxMAPS", "directory: 9 streams\n" },
	{ BRIEF, "linuxMAPS", "!SystemInfo" },
	{ JSON, NULL, "{\"format\":\"minidump\",\"byte_order\":\"little\",\"header\":[{" },
	{ JSON, NULL, "{\"name\":\"thread_id\",\"value\":\"0x00000bf4\",\"offset\":" },
	{ JSON, NULL, "{\"record\":\"mapping\",\"index\":0,\"offset\":" },
	{ JSON, NULL, "\"name\":\"stack\",\"value\":\"dead411b000000000000" },
	{ JSON, NULL, "\"name\":\"SECRET\",\"value\":\"hunter2\"" },
	{ JSON | REDACTED, NULL, "!hunter2" },
	{ JSON | REDACTED | PRETTY, NULL, "!dead41" },
	{ JSON | REDACTED, NULL, "\"name\":\"SECRET\",\"value\":\"" CRASH_REDACTED "\"" },
	{ JSON, "linuxMAPS", "!\"name\":\"ThreadList\",\"records\"" },
};

TEST(printed)
{
	for (size_t i = 0; i < ARRAY_COUNT(printed); i++) {
		const unsigned form = printed[i].form;
		const bool absent = printed[i].words[0] == '!';
		struct dump dump;

		open_dump(&dump, describe_linux());
		if ((form & REDACTED) != 0)
			crash_redact(&dump.crash, true);
		size_t chosen[1] = { printed[i].stream != NULL ? streams_named(&dump.crash, printed[i].stream, 0) : 0 };
		const struct streams_options options = { .hex = (form & HEX) != 0, .brief = (form & BRIEF) != 0,
			.chosen = printed[i].stream != NULL ? chosen : NULL, .chosen_count = printed[i].stream != NULL };
		if ((form & JSON) != 0)
			streams_json(&dump.text.output, &dump.crash, &options, (form & PRETTY) != 0);
		else
			streams_text(&dump.text.output, &dump.crash, &options);
		ok((strstr(dump.text.text, printed[i].words + absent) != NULL) != absent, "form %u has%s %s", form,
		   absent ? " no" : "", printed[i].words + absent);
		close_dump(&dump);
	}
}

TEST(names)
{
	struct dump dump;

	open_dump(&dump, describe_linux());
	is_u64(streams_named(&dump.crash, "0x3", 0), streams_named(&dump.crash, "ThreadList", 0),
	       "the type of a stream is a name for it");
	is_u64(streams_named(&dump.crash, "3", 0), streams_named(&dump.crash, "ThreadList", 0),
	       "the type of a stream is a name in decimal, too");
	ok(streams_named(&dump.crash, "ThreadList#2", 0) == STREAMS_NONE, "a name with the number 2 needs a second stream");
	is_u64(streams_named(&dump.crash, "ThreadList#1", 0),
	       streams_named(&dump.crash, "ThreadList", 0),
	       "a name with the number 1 leads to the first stream");
	ok(streams_named(&dump.crash, "#1", 0) == STREAMS_NONE &&
	   streams_named(&dump.crash, "ThreadList#x", 0) == STREAMS_NONE &&
	   streams_named(&dump.crash, "4294967299", 0) == STREAMS_NONE,
	   "invalid names find no stream");
	close_dump(&dump);
}

TEST(directory)
{
	struct dump dump;

	open_dump(&dump, describe_linux());
	struct listing directory = streams_directory(&dump.crash, &dump.arena);
	size_t list = streams_named(&dump.crash, "ThreadList", 0);
	size_t at = 0;

	while (at < directory.count && streams_directory_stream(&directory, at) != list)
		at++;
	is_u64(directory.count, 7 + dump.crash.stream_count, "the header has seven fields");
	ok(strstr(row_of(&dump, &directory, at), "ThreadList") != NULL, "each stream has a row in the directory");
	ok(streams_directory_stream(&directory, 0) == STREAMS_NONE, "the rows of the header have no stream");
	struct target target = listing_target(&directory, at);
	ok(target.kind == TARGET_PLACE &&
	   target.place.offset == dump.crash.streams[list].place.offset,
	   "the row of a stream leads to the bytes of its entry");
	is_str(row_of(&dump, &directory, 0), " signature             0x504d444d  MDMP", "a field shows what it means");
	close_dump(&dump);
}

TEST(listing)
{
	struct dump dump;

	open_dump(&dump, describe_linux());
	size_t stream = streams_named(&dump.crash, "ThreadList", 0);
	struct listing listing =
		streams_listing(&dump.crash, stream, STREAMS_NONE, &dump.arena);
	is_str(row_of(&dump, &listing, 0), " thread_count  1", "values of a stream come first");
	is_str(row_of(&dump, &listing, 1), " thread[0]", "a record has a title");
	is_str(row_of(&dump, &listing, 2), "   thread_id                    0xbf4", "the rows of its fields follow");
	ok(listing_target(&listing, 2).kind == TARGET_THREAD, "a thread's id leads to the thread");
	struct target target = listing_target(&listing, 7);
	ok(target.kind == TARGET_MEMORY && target.address == 0x7000, "an address leads to memory");
	ok(listing_target(&listing, 3).kind == TARGET_PLACE, "a number leads to its bytes");
	ok(streams_record(&listing, 2) == STREAMS_NONE, "a stream of one record is not folded");
	listing = streams_listing(&dump.crash, 99, 0, &dump.arena);
	is_u64(listing.count, 1, "a missing stream is reported in one row");
	listing = streams_listing(&dump.crash, streams_named(&dump.crash, "ModuleList", 0), STREAMS_NONE, &dump.arena);
	ok(listing_target(&listing, 1).kind == TARGET_MODULE, "a module's record leads to it");
	close_dump(&dump);
}

/* A list of four bytes claims an entry that it does not have. */
TEST(broken)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct dump dump;

	synth_stream(synth, 5, "\1\0\0\0", 4);
	open_dump(&dump, synth);
	struct listing listing = streams_listing(&dump.crash, streams_named(&dump.crash, "MemoryList", 0), STREAMS_NONE, &dump.arena);
	is_u64(listing.count, 2, "the count and what is wrong with it have rows");
	is_str(row_of(&dump, &listing, 1), " entries       ! 1 are claimed, there is space for 0", "a defect has a mark");
	row_clear(&dump.row);
	listing_explain(&listing, 1, &dump.row);
	is_str(row_text(&dump.row), "entries, 1 are claimed, there is space for 0   test.dmp+0xe8", "a defect has a place");
	streams_text(&dump.text.output, &dump.crash, &(struct streams_options){ 0 });
	ok(strstr(dump.text.text, "\n\nMemoryList  stream 3, type 0x5, 4 bytes at 0xe4\n  region_count = 1\n"
				  "  entries      ! 1 are claimed, there is space for 0\n") != NULL, "a defect is printed with its mark");
	close_dump(&dump);
}

TEST(folding)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct dump dump;
	char name[32];

	for (unsigned i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "/lib/%u.so", i);
		synth_module(synth, 0x10000 * (i + 1), 0x1000, name, NULL, NULL);
		synth_memory(synth, 0x700000 + 0x1000 * i, "word", 4, false);
	}
	open_dump(&dump, synth);
	size_t stream = streams_named(&dump.crash, "ModuleList", 0);
	struct listing listing =
		streams_listing(&dump.crash, stream, STREAMS_NONE, &dump.arena);
	is_u64(listing.count, 10, "many records are one line each");
	is_str(row_of(&dump, &listing, 3), " + module[2]  0x30000  0x1000  \"/lib/2.so\"",
	       "the line of a record distinguishes it from others");
	is_u64(streams_record(&listing, 3), 2, "the line of a record has its number");
	ok(listing_target(&listing, 3).kind == TARGET_MODULE &&
	   listing_target(&listing, 3).module == 2, "the line of a record leads to its module");
	listing = streams_listing(&dump.crash, stream, 2, &dump.arena);
	ok(listing.count > 25, "one record of many may be open");
	is_str(row_of(&dump, &listing, 3), " - module[2]", "the open record is marked");
	ok(strstr(row_of(&dump, &listing, 4), "base_of_image") != NULL, "the fields of the open record follow its line");
	is_u64(streams_record_row(&listing, 2), 3, "the row of the open record is found");
	is_u64(streams_record(&listing, 9), 2, "the number of the open record is found from its fields");
	ok(strstr(row_of(&dump, &listing, streams_record_row(&listing, 3)), "+ module[3]") != NULL, "the next one is folded");
	listing = streams_listing(&dump.crash, streams_named(&dump.crash, "MemoryList", 0), STREAMS_NONE, &dump.arena);
	is_u64(listing_target(&listing, 3).address, 0x702000, "the line of memory leads to its address");
	close_dump(&dump);
}

/* A copy of /proc/PID/maps of 140,000 lines: rows up to the limit, and one about the rest. */
TEST(long)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	static char maps[140000 * 2];
	struct dump dump;

	for (size_t i = 0; i < sizeof(maps); i++)
		maps[i] = i % 2 == 0 ? 'x' : '\n';
	synth_stream(synth, 0x47670009, maps, sizeof(maps));
	open_dump(&dump, synth);
	struct listing listing = streams_listing(&dump.crash, streams_named(&dump.crash, "LinuxMaps", 0),
						 STREAMS_NONE, &dump.arena);
	ok(listing.count > 100000 && listing.count < 140000, "a long stream has fewer rows than lines");
	char want[80];
	snprintf(want, sizeof(want), " %zu more lines; 'unspool streams' prints them",
		 140000 - (listing.count - 1));
	is_str(row_of(&dump, &listing, listing.count - 1), want, "the last row has the number of the others");
	close_dump(&dump);
}
