/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dump/described.h"

#include "base/limits.h"

/* Streams of every system, and bytes with wrong counts, sizes and offsets. */

DESCRIBE_TEST(header)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, big_endian);

	synth_stream(synth, 0x1000, "x", 1);
	open_synth(&opened, synth);
	struct image flags = { .big_endian = big_endian };
	put(&flags, 0x45d35f73, 4);
	put(&flags, 0x80000006, 8);
	memcpy(opened.bytes + 20, flags.bytes, 12);
	open_again(&opened);
	const struct describe_sink sink = described_sink(&told);
	describe_header(&opened.crash, &sink);
	is_told(&told, "signature", "0x504d444d");
	is_noted(&told, "signature", "MDMP");
	is_noted(&told, "time_date_stamp", "2007-02-14 19:13:55");
	is_noted(&told, "flags", "full memory, handle data, 0x80000000");
	described_close(&told, &opened);
}

DESCRIBE_TEST(threads)
{
	const uint64_t registers[10] = { 0x401015, 0x12f000, 0x12f008 };
	const uint8_t stack[20] = { 1, 2, 3 };
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, big_endian);

	synth_thread(synth, 0xbf4, registers, 0x12f000, stack, sizeof(stack));
	synth_thread(synth, 0xbf5, NULL, 0x13f000, NULL, 0);
	synth_thread_name(synth, 0xbf4, "worker");
	synth_breakpad(synth, 1, 0xbf5, 0);
	synth_memory(synth, 0x5000, stack, 7, true);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 3);
	is_told(&told, "thread_count", "2");
	are_told(&told, "thread[0]/", "thread_id=0xbf4; name=worker; stack.memory.data_size=0x14");
	is_u64(described_at(&told, "thread[0]/stack")->value.text.length, 20, "the bytes of a stack are a value");
	ok(described_at(&told, "thread[0]/stack")->value.private, "the bytes of a stack are private");
	are_told(&told, "thread[0]/context/", "eip=0x401015; esp=0x12f000");
	is_told(&told, "thread[1]/role", "wrote the dump");
	is_told(&told, "thread[1]/context/eip", "(missing)");
	is_u64(told.broken, 0, "a good thread has no defect");
	described_free(&told);
	described_stream(&told, &opened.crash, 24);
	is_told(&told, "thread_name[0]/name", "worker");
	described_free(&told);
	described_stream(&told, &opened.crash, 9);
	is_told(&told, "region[0]/memory.data_size", "0x7");
	is_u64(described_at(&told, "region[0]/memory")->value.linked, 0x5000, "a region of memory links to its address");
	described_close(&told, &opened);
}

DESCRIBE_TEST(modules)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, big_endian);

	synth_module(synth, 0x400000, 0x3000, "c:\\app.exe", "c:\\app.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_module_version(synth, 0x50001, 0xa280884, 0x44ab9a84);
	synth_module(synth, 0x500000, 0x1000, "c:\\other.dll", NULL, NULL);
	synth_module_record(synth, big_endian ? "11BNabcdef" : "NB11abcdef", 10);
	synth_module_misc(synth, "other.dbg", true);
	synth_unloaded(synth, 0x10000000, 0x2000, "c:\\gone.dll", 1);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 4);
	is_told(&told, "module[0]/base_of_image", "0x400000");
	is_told(&told, "module[0]/code_file", "c:\\app.exe");
	are_told(&told, "module[0]/", "version_info.file_version=0x50001:0xa280884; "
		 "version=5.1.2600.2180; code_identifier=44AB9A843000; debug_identifier=5A9832E5287241C1838ED98914E9B7FF1");
	is_noted(&told, "module[0]/cv_record/cv_signature", "RSDS");
	is_told(&told, "module[0]/cv_record/signature", "5a9832e5-2872-41c1-838e-d98914e9b7ff");
	is_told(&told, "module[0]/cv_record/age", "1");
	is_told(&told, "module[0]/cv_record/pdb_file_name", "c:\\app.pdb");
	is_noted(&told, "module[1]/cv_record/cv_signature", "NB11");
	is_told(&told, "module[1]/cv_record/data", "abcdef");
	is_told(&told, "module[1]/misc_record/data", "other.dbg");
	ok(described_at(&told, "module[1]/module")->value.link == DESCRIBE_LINK_MODULE, "a module's record links to the module");
	described_free(&told);
	described_stream(&told, &opened.crash, 14);
	is_told(&told, "unloaded_module[0]/code_file", "c:\\gone.dll");
	described_close(&told, &opened);
}

DESCRIBE_TEST(exception)
{
	const uint64_t registers[10] = { 0x401015, 0x12f000, 0x12f008 };
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, big_endian);

	synth_thread(synth, 1, registers, 0, NULL, 0);
	synth_exception(synth, 1, 0xc0000005, 0, 0x401015);
	synth_parameter(synth, 1);
	synth_parameter(synth, 0x45);
	synth_parameter_count(synth, 4000000000u);
	synth_exception_registers(synth, registers);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 6);
	is_told(&told, "exception_record.exception_information[1]", "0x45");
	is_told(&told, "exception_record.exception_information[14]", "0x0");
	is_told(&told, "exception_record.exception_information[15]", "(missing)");
	is_u64(told.broken, 1, "a count of parameters that exceeds the array is reported");
	is_told(&told, "crash_address", "0x45");
	is_told(&told, "context/eip", "0x401015");
	described_close(&told, &opened);
}

DESCRIBE_TEST(system)
{
	const uint32_t words[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, big_endian);

	synth_cpu(synth, 6, 0xd08, 2, words);
	synth_system(synth, 5, 1, 2600, "Service Pack 2");
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 7);
	is_noted(&told, "processor_architecture", "x86");
	are_told(&told, "", "cpu_vendor=GenuineIntel; csd_version=Service Pack 2");
	is_noted(&told, "platform_id", "windows nt");
	described_close(&told, &opened);

	put(&image, 9, 2);
	image.size = 56;
	put_text(&image, "WINE", 4);
	PUT32(&image, 3, 16, 25, 31);
	put_text(&image, "wine-9.0\0Linux\0" "6.1", 19);
	synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, big_endian);
	synth_stream(synth, 7, image.bytes, image.size);
	open_synth(&opened, synth);
	const struct describe_sink sink = described_sink(&told);
	for (size_t i = 0; i < opened.crash.stream_count; i++)
		if (opened.crash.streams[i].type == 7 && opened.crash.streams[i].size > 56)
			describe_stream(&opened.crash, i, &sink);
	are_told(&told, "", "wine.build_id=wine-9.0; wine.system_name=Linux; wine.release=6.1");
	described_close(&told, &opened);
}

DESCRIBE_TEST(assertion)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, big_endian);

	synth_assertion(synth, "p != NULL", "main", "main.c", 12, 1);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 0x47670002);
	are_told(&told, "", "expression=p != NULL; line=12");
	is_noted(&told, "type", "invalid parameter passed to library function");
	described_close(&told, &opened);
}

/* A context of an architecture: every field is shown, and `pc` is the name of its pc. */
static void
test_context(enum arch_id arch, enum crash_os os, bool big_endian, const char *pc, uint64_t value)
{
	uint64_t registers[ARCH_REGISTERS];
	struct synth *synth = synth_create(arch, os, big_endian);
	const struct arch *table = arch_by_id(arch);
	struct opened opened;
	struct described told;
	char path[64], want[32];

	for (int i = 0; i < ARCH_REGISTERS; i++)
		registers[i] = 0x1000 + (uint64_t)i;
	registers[table->pc] = value;
	synth_thread(synth, 1, registers, 0, NULL, 0);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 3);
	snprintf(path, sizeof(path), "thread[0]/context/%s", pc);
	snprintf(want, sizeof(want), "0x%" PRIx64, value);
	is_str(described_at(&told, path)->text, want, "the pc of %s is '%s'", table->name, pc);
	ok(described_at(&told, "thread[0]/context/context_flags")->note[0] != '\0', "the flags of a context of %s have names", table->name);
	is_u64(told.broken, 0, "a context of %s has no defect", table->name);
	described_close(&told, &opened);
}

TEST(contexts)
{
	test_context(ARCH_X86, CRASH_OS_WINDOWS, false, "eip", 0x401000);
	test_context(ARCH_AMD64, CRASH_OS_WINDOWS, true, "rip", 0x7ff000000001);
	test_context(ARCH_ARM, CRASH_OS_LINUX, false, "pc", 0x8000);
	test_context(ARCH_ARM64, CRASH_OS_LINUX, false, "pc", 0x8000);
	test_context(ARCH_ARM64, CRASH_OS_MAC, true, "pc", 0x8000);
}

/* Extended state after a context: CONTEXT_EX, and shadow stacks if MiscInfo has them. */
TEST(extended_state)
{
	struct image context = { 0 }, misc = { 0 };
	struct opened opened;
	struct described told;
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);

	context.size = 48;
	PUT32(&context, 0x10005f);
	context.size = 1232;
	PUT32(&context, (uint32_t)-1232, 1392, (uint32_t)-1232, 1232, 80, 80);
	context.size = 1312;
	put(&context, 0x800, 8);
	put(&context, 0x8000000000000800, 8);
	context.size = 1376;
	put(&context, 1, 8);
	put(&context, 0xcbc83fefc8, 8);
	PUT32(&misc, 1364, 0);
	misc.size = 848 + 11 * 8;
	PUT32(&misc, 576, 16);
	misc.size = 1364;
	synth_thread(synth, 1, NULL, 0, NULL, 0);
	synth_context(synth, context.bytes, context.size);
	synth_stream(synth, 15, misc.bytes, misc.size);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 3);
	are_told(&told, "thread[0]/context/", "context_ex.xstate.offset=80; xsave.mask=0x800; cet_u.ssp=0xcbc83fefc8");
	described_close(&told, &opened);
}

/* Lies ----------------------------------------------------------------------------------------- */

static const uint32_t types[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 0x8000, 0x8001, 0x8002, 0x8003, 0x8004,
	0x8005, 0x8006, 0x8007, 0x8008, 0x8009, 0x800a, 0x800b, 0x800c, 0xffff, 0xfff0, 0x47670001, 0x47670002, 0x47670003, 0x47670004,
	0x47670005, 0x47670006, 0x47670007, 0x47670008, 0x47670009, 0x4767000a, 0x4767000b, 0x4767000c, 0x4767000d, 0x43500001, 0x4350ffff,
	0x4b6b0002, 0x4d7a0001, 0x4d7a0002, 0x4d7a0003, 0x4d7a0004, 0x4c4c4442, 0xfacecaf0, 0xfacecafa, 0xfacecafb, 0xfacecafc, 0xfacecafd,
	0xfacecafe, 0xfacecaff, 0xfacecb00, 0xfacecccc, 0xfacedead, 0xface1ca7, 0xface0000, 0xfacee000,
};

TEST(names)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;
	unsigned unknown = 0, unnamed = 0;

	for (size_t i = 0; i < ARRAY_COUNT(types); i++)
		synth_stream(synth, types[i], "12345678", 8);
	open_synth(&opened, synth);
	for (size_t i = 0; i < opened.crash.stream_count; i++) {
		const struct stream *stream = &opened.crash.streams[i];
		unknown += describe_known(stream->type) == DESCRIBE_UNKNOWN || strncmp(stream->name, "unknown", 7) == 0;
		unnamed += describe_vendor(stream->type) == NULL;
	}
	is_u64(unknown, 0, "no type that a specification names is unknown");
	is_u64(unnamed, 0, "each known type has a vendor");
	ok(describe_known(0x4767ffff) == DESCRIBE_UNKNOWN, "an unknown type is unknown");
	is_str(describe_vendor(0x4767ffff), "Google", "an unknown type in a vendor's range has the vendor");
	ok(describe_vendor(0x12345678) == NULL, "a type outside of all ranges has no vendor");
	close_synth(&opened);
}

/* Every type with wrong bytes of many lengths: no read leaves them. */
static void
test_lies(uint8_t fill, bool big_endian)
{
	unsigned deepest = 0;
	uint64_t values = 0;

	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		for (size_t size = 0; size < 180; size += 1 + size / 16) {
			struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, big_endian);
			uint8_t bytes[192];
			struct opened opened;
			struct described told;

			for (size_t j = 0; j < sizeof(bytes); j++)
				bytes[j] = fill == 1 ? (uint8_t)(j % 4 == (big_endian ? 0u : 3u))
						     : fill == 2 ? (uint8_t)(j * 37 + size) : fill;
			synth_stream(synth, types[i], bytes, size);
			open_synth(&opened, synth);
			described_stream(&told, &opened.crash, types[i]);
			deepest = told.deepest > deepest ? told.deepest : deepest;
			values += told.count;
			described_close(&told, &opened);
		}
	}
	ok(deepest < DESCRIBE_DEPTH && values > 0, "wrong bytes of kind %u are described within limits (%s endian)",
	   fill, big_endian ? "big" : "little");
}

/* Many entries share one long string: describing them stays within the limit of one stream. */
TEST(shared_string)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	const size_t count = 4000, size = 4 + 12 * count + 4 + 65536;
	uint8_t *bytes = calloc(1, size);
	struct opened opened;
	struct described told;
	uint64_t total = 0;

	put_le(bytes, count, 4);
	put_le(bytes + 4 + 12 * count, 65536, 4);
	memset(bytes + 4 + 12 * count + 4, 'a', 65536);
	synth_stream(synth, 24, bytes, 4 + 12 * count);
	synth_stream(synth, 0x1000, bytes + 4 + 12 * count, 4 + 65536);
	open_synth(&opened, synth);
	uint8_t *list = stream_bytes(&opened, 24);
	uint64_t rva = (uint64_t)(stream_bytes(&opened, 0x1000) - opened.bytes);
	for (size_t i = 0; i < count; i++)
		put_le(list + 4 + 12 * i + 4, rva, 8);
	described_stream(&told, &opened.crash, 24);
	for (size_t i = 0; i < told.count; i++)
		total += told.values[i].value.text.length;
	/* Two bytes of UTF-16 become up to three. */
	ok(2 * total <= 3 * (LIMIT_DESCRIBED_TEXT + 4 * opened.crash.reader.size),
	   "a string that many entries share is described up to a limit");
	ok(told.broken > 0 && strstr(told.values[told.count - 1].note, "skipped") != NULL, "a note reports the skipped text");
	described_close(&told, &opened);
	free(bytes);
}

TEST(messages)
{
	struct image image = { 0 };
	struct opened opened;
	struct described told;

	PUT32(&image, 16, 32, 7, 0);
	open_image(&opened, ARCH_X86, CRASH_OS_WINDOWS, 12, &image, NULL, 0);
	struct message_list messages;
	struct describe_sink sink = described_sink(&told);
	message_list_init(&messages, &told.arena);
	sink.messages = &messages;
	for (size_t i = 0; i < opened.crash.stream_count; i++)
		describe_stream(&opened.crash, i, &sink);
	is_u64(message_total(&messages), 1, "a defect has a message");
	is_str(messages.messages[0].text, "HandleData: entries: 7 are claimed, there is space for 0",
	       "the message names the stream and the field");
	described_close(&told, &opened);
}

TEST(overlaps)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;
	size_t first = 99, third = 0;

	synth_stream(synth, 0x1000, "abcd", 4);
	synth_stream(synth, 0x1001, "efgh", 4);
	open_synth(&opened, synth);
	is_u64(describe_overlaps(&opened.crash, 0, &first), 0, "streams without common bytes do not overlap");
	third = opened.crash.stream_count - 1;
	opened.crash.streams[third].offset = opened.crash.streams[third - 1].offset + 1;
	is_u64(describe_overlaps(&opened.crash, third, &first), 1, "streams with common bytes overlap");
	is_u64(first, third - 1, "the other stream is named");
	for (size_t i = 0; i <= third; i++)
		opened.crash.streams[i].offset = opened.crash.streams[third].offset;
	is_u64(describe_overlaps(&opened.crash, third, &first), 2, "all overlapping streams are counted");
	is_u64(first, 0, "the first of several overlapping streams is named");
	close_synth(&opened);
}

int
main(void)
{
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		for (uint8_t fill = 0; fill < 3; fill++)
			test_lies(fill, big_endian);
		test_lies(0xff, big_endian);
	}
	run_tests();
	return done_testing();
}
