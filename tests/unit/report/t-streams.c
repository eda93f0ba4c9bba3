/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/streams.h"

#include "base/user_names.h"
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
	{ 0, NULL, "header  minidump, little endian\n" }, { 0, NULL, "0x47671234 unknown (Google)         Google " },
	{ 0, NULL, "\n    thread_id                   = 0xbf4\n" }, { 0, NULL, "  00400000-00401000 r-xp 00000000 fe:00 7 /bin/app\n" },
	{ 0, NULL, "  comment =\n    first line\n    second \\x1b[31m line\n    z\n" }, { 0, NULL, "  SECRET = \"hunter2\"\n" },
	{ HEX, NULL, " de ad 41 1b 00 00 00 00 00 00 00 00 00 00 00 00  ..A............." },
	{ HEX, "MemoryList", "  mmmmmmmmmmmmmmmm\n\n" }, { JSON, NULL, "\"value\":\"6d6d6d6d" },
	{ JSON, NULL, "\"value\":null" }, { JSON, NULL, "!6e6e6e6e" },
	{ JSON | HEX, NULL, "\"value\":\"6e6e6e6e" }, { REDACTED, NULL, "!hunter2" }, { REDACTED | HEX, NULL, "!de ad 41" },
	{ REDACTED, NULL, "  SECRET = " CRASH_REDACTED "\n" }, { 0, "linuxMAPS", "\nLinuxMaps  stream " },
	{ 0, "linuxMAPS", "!ThreadList" }, { 0, "linuxMAPS", "!header" }, { 0, "linuxMAPS", "!\n    " },
	{ 0, "LinuxCmdLine", "\n  argument[0] = \"app\"\n  argument[1] = \"-x y\"\n" },
	{ BRIEF, NULL, "!thread_id" }, { BRIEF, "linuxMAPS", "directory: 9 streams\n" }, { BRIEF, "linuxMAPS", "!SystemInfo" },
	{ JSON, NULL, "{\"format\":\"minidump\",\"byte_order\":\"little\",\"header\":[{" },
	{ JSON, NULL, "{\"name\":\"thread_id\",\"value\":\"0x00000bf4\",\"offset\":" },
	{ JSON, NULL, "\"name\":\"stack\",\"value\":\"dead411b000000000000" },
	{ JSON, NULL, "\"name\":\"SECRET\",\"value\":\"hunter2\"" }, { JSON | REDACTED, NULL, "!hunter2" },
	{ JSON | REDACTED | PRETTY, NULL, "!dead41" }, { JSON | REDACTED, NULL, "\"name\":\"SECRET\",\"value\":\"" CRASH_REDACTED "\"" },
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
	is_u64(streams_named(&dump.crash, "0x3", 0), streams_named(&dump.crash, "ThreadList", 0), "the type of a stream is a name for it");
	is_u64(streams_named(&dump.crash, "3", 0), streams_named(&dump.crash, "ThreadList", 0),
	       "the type of a stream is a name in decimal, too");
	ok(streams_named(&dump.crash, "ThreadList#2", 0) == STREAMS_NONE, "a name with the number 2 needs a second stream");
	is_u64(streams_named(&dump.crash, "ThreadList#1", 0), streams_named(&dump.crash, "ThreadList", 0),
	       "a name with the number 1 leads to the first stream");
	ok(streams_named(&dump.crash, "#1", 0) == STREAMS_NONE && streams_named(&dump.crash, "ThreadList#x", 0) == STREAMS_NONE &&
	   streams_named(&dump.crash, "4294967299", 0) == STREAMS_NONE, "invalid names find no stream");
	close_dump(&dump);
}

TEST(listing)
{
	struct dump dump;

	open_dump(&dump, describe_linux());
	size_t stream = streams_named(&dump.crash, "ThreadList", 0);
	struct listing listing = streams_listing(&dump.crash, stream, STREAMS_NONE, &dump.arena);
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
	struct listing listing = streams_listing(&dump.crash, stream, STREAMS_NONE, &dump.arena);
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
	struct listing listing = streams_listing(&dump.crash, streams_named(&dump.crash, "LinuxMaps", 0), STREAMS_NONE, &dump.arena);
	ok(listing.count > 100000 && listing.count < 140000, "a long stream has fewer rows than lines");
	char want[80];
	snprintf(want, sizeof(want), " %zu more lines; 'unspool streams' prints them", 140000 - (listing.count - 1));
	is_str(row_of(&dump, &listing, listing.count - 1), want, "the last row has the number of the others");
	close_dump(&dump);
}

#define UNKNOWN "unknown (Google)  stream "
/* The print of streams of `whole`: of 32 and 33 bytes, a comment, and memory, whose bytes are redacted. */
#define WHOLE(bytes, al, al_text, ice, ice_text, ali, ali_text, ce, ce_text, memory) \
	"\n" UNKNOWN "3, type 0x47671234, 32 bytes at 0x198\n  bytes = " bytes "\n\n" \
	UNKNOWN "4, type 0x47671235, 33 bytes at 0x198\n  bytes = 33 bytes\n" \
	"    00000198  00 41 42 7e 7f 80 ff 20 2f 68 6f 6d 65 2f " al "  .AB~... /home/" al_text "\n" \
	"    000001a8  " ice " 2f 20 30 31 32 33 34 35 36 37 38 39 61  " ice_text "/ 0123456789a\n" \
	"    000001b8  00                                               .\n\n" \
	UNKNOWN "5, type 0x47671236, 33 bytes at 0x199\n  bytes = 33 bytes\n" \
	"    00000199  41 42 7e 7f 80 ff 20 2f 68 6f 6d 65 2f " ali "  AB~... /home/" ali_text "\n" \
	"    000001a9  " ce " 2f 20 30 31 32 33 34 35 36 37 38 39 61 00  " ce_text "/ 0123456789a.\n" \
	"    000001b9  41                                               A\n\n" \
	"CommentA  stream 6, type 0xa, 8 bytes at 0x200\n  comment =\n    one\n    \n    two\n\n" \
	"MemoryList  stream 7, type 0x5, 20 bytes at 0x230\n  region_count = 1\n\n  region[0]  at 0x234\n" \
	"    start_of_memory_range = 0x9000\n    memory.data_size      = 0x28\n" \
	"    memory.rva            = 0x208\n    (memory)              = " memory "\n"

/* Streams 3 to 5 share bytes with a path; the name of the user is known from the path of a module. */
static void
open_shared(struct dump *dump)
{
	static const char bytes[] = "\0AB~\x7f\x80\xff /home/alice/ 0123456789abcdefghij";
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_LINUX, false);

	synth_module(synth, 0x400000, 0x1000, "/home/alice/app", NULL, NULL);
	for (uint32_t i = 0; i < 3; i++)
		synth_stream(synth, 0x47671234 + i, bytes, i == 0 ? 32 : 33);
	synth_stream(synth, 10, "one\n\ntwo", 8);
	synth_memory(synth, 0x9000, bytes, 40, false);
	open_dump(dump, synth);
	dump->crash.streams[4].offset = dump->crash.streams[3].offset;
	dump->crash.streams[5].offset = dump->crash.streams[3].offset + 1;
}

TEST(whole)
{
	static const char *const texts[] = {
		"directory: 8 streams\n   #       type name                     vendor        offset      size as\n"
		"   3 0x47671234 unknown (Google)         Google    0x00000198        32 unknown, shares bytes with 4 and others\n"
		"   4 0x47671235 unknown (Google)         Google    0x00000198        33 unknown, shares bytes with 3 and others\n"
		"   5 0x47671236 unknown (Google)         Google    0x00000199        33 unknown, shares bytes with 3 and others\n"
		"   6 0x0000000a CommentA                 Microsoft 0x00000200         8 fields\n"
		"   7 0x00000005 MemoryList               Microsoft 0x00000230        20 fields\n",
		WHOLE("0041427e7f80ff202f686f6d652f616c6963652f203031323334353637383961", "61 6c", "al", "69 63 65", "ice",
		      "61 6c 69", "ali", "63 65", "ce", "40 bytes\n"
		      "      00000208  00 41 42 7e 7f 80 ff 20 2f 68 6f 6d 65 2f 61 6c  .AB~... /home/al\n"
		      "      00000218  69 63 65 2f 20 30 31 32 33 34 35 36 37 38 39 61  ice/ 0123456789a\n"
		      "      00000228  62 63 64 65 66 67 68 69                          bcdefghi"),
		WHOLE("(redacted)", "-- --", "--", "-- -- --", "---", "-- -- --", "---", "-- --", "--", "(redacted)"),
		"\"contents\":[{\"name\":\"region_count\",\"value\":1,\"offset\":560,\"size\":4},"
		"{\"record\":\"region\",\"index\":0,\"offset\":564,\"size\":16,\"contents\":["
		"{\"name\":\"start_of_memory_range\",\"value\":\"0x0000000000009000\",\"offset\":564,\"size\":8},"
		"{\"name\":\"memory.data_size\",\"value\":\"0x00000028\",\"offset\":572,\"size\":4},"
		"{\"name\":\"memory.rva\",\"value\":\"0x00000208\",\"offset\":576,\"size\":4},{\"name\":\"memory\",\"value\":"
		"\"0041427e7f80ff202f686f6d652f616c6963652f2030313233343536373839616263646566676869\","
		"\"derived\":true,\"offset\":520,\"size\":40}]}]}]}\n" };

	for (unsigned form = 0; form < ARRAY_COUNT(texts); form++) {
		static const size_t chosen[] = { 3, 4, 5, 6, 7 };
		const bool json = form == 3;
		const struct streams_options options = { .hex = true, .brief = form == 0, .chosen = chosen + 4 * json,
							 .chosen_count = json ? 1 : 5 };
		struct user_names names = { 0 };
		struct dump dump;

		open_shared(&dump);
		dump.crash.names = &names;
		crash_redact(&dump.crash, form == 2);
		if (json)
			streams_json(&dump.text.output, &dump.crash, &options, false);
		else
			streams_text(&dump.text.output, &dump.crash, &options);
		is_str(json ? strstr(dump.text.text, "\"contents\"") : dump.text.text, texts[form], "form %u is complete", form);
		user_names_free(&names);
		close_dump(&dump);
	}
}

/* The rows of a listing from `first` on, their explanations and their streams or records. */
static const char *
rows_of(struct dump *dump, const struct listing *listing, size_t first)
{
	struct output_string rows;

	output_string_init(&rows, &dump->arena);
	row_clear(&dump->row);
	listing_head(listing, 80, &dump->row);
	output_format(&rows.output, "%s\n", row_text(&dump->row));
	for (size_t i = first; i < listing->count; i++) {
		const size_t stream = streams_directory_stream(listing, i), record = streams_record(listing, i);
		row_clear(&dump->row);
		listing_fill(listing, i, 0, &dump->row);
		output_format(&rows.output, "%s |", row_text(&dump->row));
		row_clear(&dump->row);
		listing_explain(listing, i, &dump->row);
		output_format(&rows.output, "%s|", row_text(&dump->row));
		if (stream != STREAMS_NONE || record != STREAMS_NONE)
			output_format(&rows.output, "%zu", stream != STREAMS_NONE ? stream : record);
		output_plain(&rows.output, "\n");
	}
	return rows.text;
}

TEST(rows)
{
	static const char *const texts[] = {
		" minidump, little endian, 8 streams\n"
		" flags                 0x0 |flags: 0x0   test.dmp+0x18|\n"
		"    0  0x00000007  SystemInfo                  Microsoft 0x000000c8         56 |0x38 bytes at 0xc8, shown as fields   test.dmp+0x20|0\n"
		"    1  0x00000003  ThreadList                  Microsoft 0x00000100          4 |0x4 bytes at 0x100, shown as fields   test.dmp+0x2c|1\n"
		"    2  0x00000004  ModuleList                  Microsoft 0x00000128        112 |0x70 bytes at 0x128, shown as fields   test.dmp+0x38|2\n"
		"    3  0x47671234  unknown (Google)            Google    0x00000198         32  shares bytes with 4 "
		"|0x20 bytes at 0x198, shown as unknown   test.dmp+0x44|3\n"
		"    4  0x47671235  unknown (Google)            Google    0x00000198         33  shares bytes with 3 and others "
		"|0x21 bytes at 0x198, shown as unknown   test.dmp+0x50|4\n"
		"    5  0x47671236  unknown (Google)            Google    0x000001b8         33  shares bytes with 4 "
		"|0x21 bytes at 0x1b8, shown as unknown   test.dmp+0x5c|5\n"
		"    6  0x0000000a  CommentA                    Microsoft 0x00000200          8 |0x8 bytes at 0x200, shown as fields   test.dmp+0x68|6\n"
		"    7  0x00000005  MemoryList                  Microsoft 0x00000230         20 |0x14 bytes at 0x230, shown as fields   test.dmp+0x74|7\n",
		" CommentA   type 0xa, 8 bytes at 0x200\n comment   |comment   test.dmp+0x200|\n"
		"   one |one   test.dmp+0x200|\n    |   test.dmp+0x200|\n   two |two   test.dmp+0x200|\n",
		" MemoryList   type 0x5, 20 bytes at 0x230\n region_count  1 |region_count: 1   test.dmp+0x230|\n"
		" region[0] |region[0]   test.dmp+0x234|\n"
		"   start_of_memory_range  0x9000 |start_of_memory_range: 0x9000   test.dmp+0x234|\n"
		"   memory.data_size       0x28 |memory.data_size: 0x28   test.dmp+0x23c|\n"
		"   memory.rva             0x208 |memory.rva: 0x208   test.dmp+0x240|\n"
		"   memory                 40 bytes |memory: 40 bytes   test.dmp+0x208|\n",
	};
	struct dump dump;

	open_shared(&dump);
	dump.crash.streams[5].offset = dump.crash.streams[3].offset + 32;
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		const struct listing listing = i == 0 ? streams_directory(&dump.crash, &dump.arena)
						      : streams_listing(&dump.crash, 5 + i, STREAMS_NONE, &dump.arena);

		is_str(rows_of(&dump, &listing, i == 0 ? 6 : 0), texts[i], "the rows of listing %zu", i);
		if (i > 0)
			continue;
		is_str(row_of(&dump, &listing, 0), " signature             0x504d444d  MDMP", "a field shows what it means");
		const struct target target = listing_target(&listing, 7 + 3);
		ok(target.kind == TARGET_PLACE && target.place.offset == dump.crash.streams[3].place.offset,
		   "the row of a stream leads to the bytes of its entry");
	}
	close_dump(&dump);
	open_dump(&dump, describe_linux());
	const struct listing threads = streams_listing(&dump.crash, streams_named(&dump.crash, "ThreadList", 0), STREAMS_NONE, &dump.arena);
	is_str(row_of(&dump, &threads, 13), "   context  amd64", "a record in a record is indented");
	is_str(row_of(&dump, &threads, 14), "     p1_home                  0x0", "its fields are indented more");
	close_dump(&dump);
}
