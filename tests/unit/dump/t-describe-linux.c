/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/dump/described.h"

/* Streams of Breakpad, Crashpad, Mozilla and others, in both byte orders. */

/* Describe one stream that is text. */
static void
open_text(struct opened *opened, struct described *told, uint32_t type, const char *text, size_t size)
{
	struct image image = { .big_endian = false };

	put_text(&image, text, size);
	open_image(opened, ARCH_AMD64, CRASH_OS_LINUX, type, &image, NULL, 0);
	described_stream(told, &opened->crash, type);
}

/* Whether the place of each text contains it: a value of a line has the place of the line. */
static bool
has_places(const struct opened *opened, const struct described *told)
{
	for (size_t i = 0; i < told->count; i++) {
		const struct describe_value *value = &told->values[i].value;
		if ((value->kind == DESCRIBE_TEXT || value->kind == DESCRIBE_WORD) &&
		    memmem(opened->bytes + value->place.offset, value->place.length,
			   value->text.start, value->text.length) == NULL)
			return false;
	}
	return true;
}

static void
close_text(struct opened *opened, struct described *told)
{
	ok(has_places(opened, told), "each text of a stream has its place");
	described_free(told);
	close_synth(opened);
}

#define OPEN_TEXT(type, text) open_text(&opened, &told, type, text, sizeof(text) - 1)

TEST(texts)
{
	struct opened opened;
	struct described told;

	OPEN_TEXT(0x47670003, "processor\t: 0\nmodel name\t: A CPU: fast\n\nodd line");
	are_told(&told, "", "processor=0; model name=A CPU: fast; odd line=");
	close_text(&opened, &told);
	OPEN_TEXT(0x47670005, "DISTRIB_ID=\"Some System\"\nDISTRIB_RELEASE=7");
	are_told(&told, "", "DISTRIB_ID=Some System; DISTRIB_RELEASE=7");
	close_text(&opened, &told);
	OPEN_TEXT(0x47670007, "HOME=/home/me\0PATH=/bin:/a=b\0");
	are_told(&told, "", "HOME=/home/me; PATH=/bin:/a=b");
	ok(described_at(&told, "HOME")->value.private, "the environment is private");
	close_text(&opened, &told);
	OPEN_TEXT(0x47670006, "prog\0--flag\0");
	is_told(&told, "argument[1]", "--flag");
	ok(described_at(&told, "argument[0]")->value.private, "the command line is private");
	close_text(&opened, &told);
	OPEN_TEXT(0x4767000d, "0 -> /dev/null\n1 -> pipe:[7]\n");
	is_told(&told, "line[1]", "1 -> pipe:[7]");
	close_text(&opened, &told);
	OPEN_TEXT(0x4d7a0004, "[{\"InitErrors\": 1}]");
	is_told(&told, "text", "[{\"InitErrors\": 1}]");
	close_text(&opened, &told);
	OPEN_TEXT(0xfacedead, "abort: \xff");
	ok(described_at(&told, "bytes")->value.kind == DESCRIBE_BYTES, "bytes that are no text are shown as bytes");
	close_text(&opened, &told);
}

TEST(maps)
{
	struct opened opened;
	struct described told;

	OPEN_TEXT(0x47670009, "00400000-00401000 r-xp 00001000 fe:00 77   /a b (deleted)\n"
		  "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]\n"
		  "no map at all\n7000-8000 rw-p 00000000 00:00 0");
	are_told(&told, "mapping[0]/", "start=0x400000; end=0x401000; permissions=r-xp; "
		 "offset=00001000; device=fe:00; inode=77; path=/a b (deleted)");
	is_told(&told, "mapping[1]/path", "[vsyscall]");
	is_told(&told, "mapping[2]/path", "");
	is_u64(told.broken, 1, "a line that is no mapping costs itself");
	close_text(&opened, &told);
	OPEN_TEXT(0x4d7a0003, "Limit                     Soft Limit           Hard Limit           Units\n"
		  "Max cpu time              unlimited            unlimited            seconds\n"
		  "Max open files            1024                 524288               files \n");
	is_u64(told.records, 2, "the line with the columns' names is no limit");
	are_told(&told, "limit[1]/", "name=Max open files; soft=1024; hard=524288");
	is_told(&told, "limit[0]/unit", "seconds");
	close_text(&opened, &told);
}

static void
test_auxv(enum arch_id arch, unsigned word, bool big_endian)
{
	struct image image = { .big_endian = big_endian };
	struct opened opened;
	struct described told;

	put(&image, 9, word);
	put(&image, 0x401000, word);
	put(&image, 3000, word);
	put(&image, 5, word);
	put(&image, 33, word);
	put(&image, 0x7fff0000, word);
	put(&image, 0, word);
	put(&image, 0, word);
	put(&image, 9, word);		/* after the end */
	put(&image, 1, word);
	describe_image(&told, &opened, arch, CRASH_OS_LINUX, 0x47670008, &image, NULL, 0);
	are_told(&told, "", "AT_ENTRY=0x401000; AT_3000=0x5; AT_SYSINFO_EHDR=0x7fff0000");
	is_u64(told.count, 4, "AT_NULL ends the vector");
	described_close(&told, &opened);
}

static void
test_dso(enum arch_id arch, unsigned word, bool big_endian)
{
	const uint32_t head = word == 8 ? 40 : 24, link = word == 8 ? 24 : 12;
	struct image image = { .big_endian = big_endian };
	struct opened opened;
	struct described told;

	PUT32(&image, 1, head, 2);
	if (word == 8)
		PUT32(&image, 0xcccccccc);
	put(&image, 0x555000, word);
	put(&image, 0x7000000, word);
	put(&image, 0x600000, word);
	for (uint32_t i = 0; i < 2; i++) {
		put(&image, 0x10000 * (i + 1), word);
		PUT32(&image, i == 0 ? 0 : head + 2 * link);
		if (word == 8)
			PUT32(&image, 0xcccccccc);
		put(&image, 0x20000 * (i + 1), word);
	}
	put_string(&image, "/lib/x.so");
	const uint32_t rvas[] = { 4, head + link + word };
	describe_image(&told, &opened, arch, CRASH_OS_LINUX, 0x4767000a, &image, rvas, 2);
	are_told(&told, "", "dso_count=2; ldbase=0x7000000");
	are_told(&told, "link_map[0]/", "addr=0x10000; name=(missing)");
	are_told(&told, "link_map[1]/", "name=/lib/x.so; ld=0x40000");
	described_close(&told, &opened);
}

DESCRIBE_TEST(crashpad)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_MAC, big_endian);

	synth_module(synth, 0x1000, 0x1000, "/app/main", NULL, NULL);
	synth_crashpad(synth, -1, "product", "Thing");
	synth_crashpad(synth, 0, "gpu", "none");
	synth_address_mask(synth, 0xff00000000000000);
	open_synth(&opened, synth);
	described_stream(&told, &opened.crash, 0x43500001);
	is_told(&told, "simple_annotations/product", "Thing");
	is_told(&told, "address_mask", "0xff00000000000000");
	is_told(&told, "module[0]/code_file", "/app/main");
	bool found = false;
	for (size_t i = 0; i < told.count; i++)
		found = found || (strncmp(told.values[i].path, "module[0]/", 10) == 0 && strcmp(told.values[i].text, "none") == 0);
	ok(found, "a module's annotation is in its record");
	described_close(&told, &opened);
}

/* The lists of one module, made here: list, dictionary, objects of three types. */
DESCRIBE_TEST(crashpad_objects)
{
	PUT32(&image, 1, 0x11223344, 0x55667788, 0, 0, 0, 0, 0, 0, 0, 0, 16, 52);
	PUT32(&image, 1, 9, 28, 68);			/* 52: link to module 9 */
	PUT32(&image, 1, 8, 96, 0, 0, 40, 104);		/* 68: module */
	PUT32(&image, 1, 144);				/* 96: list of texts */
	PUT32(&image, 3);				/* 104: objects */
	put(&image, 156, 4);
	put(&image, 1, 2);
	put(&image, 0, 2);
	put(&image, 164, 4);
	put(&image, 156, 4);
	put(&image, 0x8001, 2);
	put(&image, 0, 2);
	put(&image, 164, 4);
	put(&image, 156, 4);
	put(&image, 0, 2);
	put(&image, 0, 2);
	put(&image, 0, 4);				/* no value */
	put_utf8(&image, "listed");			/* 144, 11 bytes */
	image.size = 156;
	put_utf8(&image, "key");			/* 156, 8 bytes */
	put_utf8(&image, "value");			/* 164 */
	const uint32_t rvas[] = { 48, 64, 76, 92, 100, 108, 116, 120, 128, 132 };
	describe_image(&told, &opened, ARCH_AMD64, CRASH_OS_MAC, 0x43500001, &image, rvas, 10);
	is_told(&told, "report_id", big_endian ? "11223344-5566-7788-0000-000000000000" : "11223344-7788-5566-0000-000000000000");
	is_told(&told, "module[0]/list_annotations/[0]", "listed");
	is_told(&told, "module[0]/annotation_objects/key", "value");
	ok(strstr(described_at(&told, "module[0]/minidump_module_list_index")->text, "9") != NULL, "the module's index is shown");
	is_u64(told.broken, 2, "a module that is not there is wrong, and an object without value");
	bool found = false;
	for (size_t i = 0; i < told.count; i++)
		found = found || (told.values[i].value.kind == DESCRIBE_BYTES && strcmp(told.values[i].note, "type 0x8001") == 0);
	ok(found, "an object of a type of the writer's own is bytes");
	described_close(&told, &opened);
}

DESCRIBE_TEST(mozilla)
{
	static const char strings[] = "/usr/lib/x.dylib\0assertion failed\0sig\0trace\0more";

	PUT32(&image, 0x4d7a0001, 1, 40, 40 + sizeof(strings), 172);
	image.size = 172;
	put(&image, 0x4d7a0001, 8);
	put(&image, 5, 8);
	put(&image, 0x1703, 8);
	put(&image, 0, 8);
	put(&image, 9, 8);
	put_text(&image, strings, sizeof(strings));
	describe_image(&told, &opened, ARCH_ARM64, CRASH_OS_MAC, 0x4d7a0001, &image, (const uint32_t[]){ 16 }, 1);
	are_told(&told, "record[0]/", "thread=0x1703; abort_cause=0x9; "
		 "module_path=/usr/lib/x.dylib; message=assertion failed; message2=more");
	described_close(&told, &opened);
	image.size = 0;
	PUT32(&image, 0x4d7a0002);
	put(&image, 0, 8);
	put_string(&image, "-v debug");
	open_image(&opened, ARCH_ARM64, CRASH_OS_MAC, 0x4d7a0002, &image, NULL, 0);
	uint8_t *bytes = stream_bytes(&opened, 0x4d7a0002);
	struct image rva = { .big_endian = big_endian };
	put(&rva, (uint64_t)(bytes - opened.bytes) + 12, 8);
	memcpy(bytes + 4, rva.bytes, 8);
	open_again(&opened);
	described_stream(&told, &opened.crash, 0x4d7a0002);
	is_told(&told, "bootargs", "-v debug");
	described_close(&told, &opened);
}

DESCRIBE_TEST(numbers)
{
	PUT32(&image, 0x1234);
	describe_image(&told, &opened, ARCH_ARM, CRASH_OS_ANDROID, 0xfacecafb, &image, NULL, 0);
	is_told(&told, "build_id", "0x1234");
	described_close(&told, &opened);
	image.size = 0;
	PUT32(&image, 3, 0x30, 0xbf4);
	describe_image(&told, &opened, ARCH_X86, CRASH_OS_WINDOWS, 0x47670001, &image, NULL, 0);
	is_noted(&told, "validity", "dump thread, requesting thread");
	is_told(&told, "requesting_thread_id", "0xbf4");
	ok(described_at(&told, "dump_thread_id")->value.link == DESCRIBE_LINK_THREAD, "a thread's id leads to it");
	described_close(&told, &opened);
}

int
main(void)
{
	run_tests();
	test_auxv(ARCH_AMD64, 8, false);
	test_auxv(ARCH_ARM, 4, false);
	test_auxv(ARCH_PPC, 4, true);
	test_auxv(ARCH_PPC64, 8, true);
	test_dso(ARCH_AMD64, 8, false);
	test_dso(ARCH_X86, 4, false);
	test_dso(ARCH_PPC, 4, true);
	test_dso(ARCH_PPC64, 8, true);
	return done_testing();
}
