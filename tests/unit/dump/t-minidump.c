/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "base/limits.h"
#include "dump/describe.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static const uint8_t stack[256] = { 1, 2, 3, 4 };

/* Open a dump with one of everything. */
static void
open_whole(struct opened *opened, bool big_endian, void (*adjust)(struct synth *))
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, big_endian);
	uint64_t registers[17] = { [7] = 0x7040, [16] = 0x400123 };

	synth_system(synth, 10, 0, 19041, "Service Pack 1");
	synth_module(synth, 0x400000, 0x2000, "C:\\app\\main.exe", "main.pdb", "5A9832E5287241C1838ED98914E9B7FFa");
	synth_module_misc(synth, "main.dbg", false);
	synth_unloaded(synth, 0x900000, 0x1000, "gone.dll", 0x1234);
	synth_thread(synth, 0x11, registers, 0x7000, stack, sizeof(stack));
	synth_thread(synth, 0x12, registers, 0x8000, NULL, 64);
	synth_exception(synth, 0x11, 0xc0000005, 0, 0x400123);
	synth_parameter(synth, 1);
	synth_parameter(synth, 0x45);
	synth_exception_registers(synth, registers);
	synth_memory(synth, 0x7000, stack, sizeof(stack), false);
	synth_memory(synth, 0x10000, stack, 128, true);
	synth_memory_info(synth, 0x400000, 0x1000, 0x1000, 0x20, 0x1000000);
	synth_thread_name(synth, 0x11, "main");
	synth_misc(synth, 4711, 1234567000);
	synth_breakpad(synth, 3, 0x12, 0x11);
	synth_assertion(synth, "x > 1", "check", "check.c", 12, 1);
	synth_crashpad(synth, -1, "product", "test");
	synth_crashpad(synth, 0, "version", "1.2");
	synth_address_mask(synth, 0xff00000000000000);
	synth_stream(synth, 0x4d7a0004, "[]", 2);
	if (adjust != NULL)
		adjust(synth);
	open_synth(opened, synth);
}

static bool
open_bytes(struct crash *crash, const uint8_t *bytes, size_t size)
{
	struct error error;

	return dump_from_memory(crash, "test.dmp", bytes, size, 0, &error) == ERROR_NONE;
}

TEST_BOTH(frame, big_endian)
{
	const char *order = big_endian ? "big" : "little";
	struct opened opened;
	size_t decoded = 0;

	open_whole(&opened, big_endian, NULL);
	struct crash *crash = &opened.crash;
	ok(open_again(&opened), "a %s-endian dump opens", order);
	ok(crash->reader.big_endian == big_endian, "its byte order is known");
	is_u64(crash->time, 1234567890, "the header's time is read");
	is_str(crash->format, "minidump", "its format is named");
	is_u64(crash->stream_count, 14, "all streams are listed");
	for (size_t i = 0; i < crash->stream_count; i++)
		decoded += crash->streams[i].decoded;
	is_u64(decoded, 13, "all but the one that is not decoded yet are");
	/* A note for the dump thread and a message for the second thread, which has no stack. */
	is_u64(message_total(&crash->messages), 2, "a good dump has no messages but these two");
	is_u64(crash->messages.seen[MESSAGE_DUMP_THREAD], 1, "one of the thread that wrote it");
	is_u64(crash->messages.seen[MESSAGE_NO_STACK], 1, "one of a missing stack");
	is_u64(crash->threads[0].place.length, 48, "a thread has its bytes");
	ok(crash->requesting_thread == 0, "the crashed thread is known");
	crash_free(crash);
	close_synth(&opened);
	ok(crash->threads == NULL, "a crash may be freed twice");
}

static void
pad(struct synth *synth)
{
	synth_style(synth)->pad_lists = true;
}

static void
reverse(struct synth *synth)
{
	synth_style(synth)->reverse = true;
}

static void
add_unused(struct synth *synth)
{
	synth_style(synth)->unused = 3;
}

static const struct {
	void (*adjust)(struct synth *);
	const char *title;
} styles[] = {
	{ pad, "lists may have padding after their count" }, { reverse, "streams may come in any order" },
	{ add_unused, "unused directory entries are no fault" },
};

TEST_EACH(styles, styles)
{
	struct opened opened;

	open_whole(&opened, i == 1, styles[i].adjust);
	ok(opened.crash.thread_count == 2 && opened.crash.module_count == 1 && opened.crash.threads[0].context.present &&
	   opened.crash.region_count == 2 && message_total(&opened.crash.messages) == 2, "%s", styles[i].title);
	is_str(opened.crash.threads[0].name, "main", "the thread has its name: %s", styles[i].title);
	close_synth(&opened);
}

/* A stream that is only listed is reported like others if the file ends within it. */
TEST(cut_raw_stream)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	uint8_t raw[64] = { 0 };
	struct opened opened;

	synth_stream(synth, 0x4d7a0004, raw, sizeof(raw));
	open_synth(&opened, synth);
	is_u64(message_total(&opened.crash.messages), 0, "a whole stream is no message");
	opened.size -= 10;
	open_again(&opened);
	is_u64(opened.crash.messages.seen[MESSAGE_TRUNCATED], 1, "one that the file cuts is");
	close_synth(&opened);
}

static const struct {
	uint32_t type;
	const char *name;
} names[] = {
	{ 3, "ThreadList" },		{ 24, "ThreadNames" }, { 0x47670009, "LinuxMaps" },	{ 0x4c4c4442, "LLDBGenerated" },
	{ 0x43500001, "CrashpadInfo" },	{ 0x8005, "CeThreadList" }, { 0x4d7a0003, "MozLinuxLimits" }, { 0x47679999, "unknown (Google)" },
	{ 0x43501234, "unknown (Crashpad)" }, { 0x00001234, "unknown (Microsoft)" },
	{ 0x4d7abeef, "unknown (Mozilla)" }, { 0x12345678, "unknown" }, { 0xfacecafd, "FacebookJavaStack" },
};

TEST_EACH(names, names)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_stream(synth, names[i].type, "\0\0\0", 4);
	open_synth(&opened, synth);
	is_str(opened.crash.streams[opened.crash.stream_count - 1].name, names[i].name, "stream 0x%x has its name", names[i].type);
	close_synth(&opened);
}

TEST(duplicates)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_misc(synth, 1, 0);
	synth_misc(synth, 2, 0);
	synth_exception(synth, 1, 0xc0000005, 0, 16);
	synth_exception(synth, 2, 0xc000001d, 0, 32);
	open_synth(&opened, synth);
	const struct crash *crash = &opened.crash;
	is_u64(crash->misc.process_id, 1, "the first of two streams of a type counts");
	is_u64(crash->messages.seen[MESSAGE_STREAM_DUPLICATE], 2, "each repetition is a message");
	is_u64(crash->exception.code, 0xc0000005, "the first of two exceptions counts");
	is_u64(crash->more_exception_count, 1, "the second exception is kept");
	is_u64(crash->more_exceptions[0].thread_id, 2, "the second exception has its thread");
	close_synth(&opened);
}

TEST(missing)
{
	struct crash crash;
	uint8_t bytes[32] = { 'M', 'D', 'M', 'P', 0x93, 0xa7 };

	ok(open_bytes(&crash, bytes, sizeof(bytes)), "a dump without streams opens");
	is_u64(crash.messages.seen[MESSAGE_STREAM_MISSING], 3, "the streams that a walk needs are reported as missing");
	is_u64((uint64_t)(int64_t)crash.requesting_thread, UINT64_MAX, "no thread is named");
	is_str(crash.reason, NULL, "there is no crash");
	is_str(crash.system.cpu_name, "unknown", "the processor is unknown");
	crash_free(&crash);
	bytes[8] = bytes[9] = bytes[10] = bytes[11] = 0xff;
	bytes[12] = 32;
	ok(open_bytes(&crash, bytes, sizeof(bytes)), "a header that promises 2^32 streams opens");
	is_u64(crash.stream_count, 0, "there are as many as there is space for");
	is_u64(crash.messages.seen[MESSAGE_TRUNCATED], 1, "a message reports it");
	crash_free(&crash);
	bytes[4] = 0;
	ok(open_bytes(&crash, bytes, sizeof(bytes)), "another version opens");
	is_u64(crash.messages.seen[MESSAGE_ENTRY_BROKEN], 1, "another version gives a message");
	crash_free(&crash);
}

/* Strings: UTF-16 with a lone surrogate, an odd length, a length beyond everything. */
static const struct {
	const char *patch;
	size_t length;
	const char *name;
	uint64_t messages;
	const char *title;
} strings[] = {
	{ "\x08\0\0\0" "a\0\x00\xd8" "b\0" "c\0", 12, "a\xef\xbf\xbd" "bc", 0, "a lone surrogate becomes U+FFFD" },
	{ "\x07\0\0\0" "a\0b\0c\0d\0", 12, "abc", 1, "an odd length is cut" },
	{ "\x08\0\0\0" "a\0\0\0c\0d\0", 12, "a", 0, "a NUL ends a name" }, { "\0\0\0\0", 4, "", 0, "a name may be empty" },
	{ "\xff\xff\xff\xff", 4, NULL, 1, "a length beyond the file is cut" },
};

TEST_EACH(strings, strings)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_MAC, false);
	struct opened opened;

	synth_module(synth, 0x1000, 0x1000, "abcd", "", NULL);
	open_synth(&opened, synth);
	uint8_t *string = memmem(opened.bytes, opened.size, "\x08\0\0\0a\0b\0", 8);
	memcpy(string, strings[i].patch, strings[i].length);
	open_again(&opened);
	const char *name = opened.crash.modules[0].code_file;
	if (strings[i].name != NULL)
		is_str(name, strings[i].name, "%s", strings[i].title);
	else
		ok(strncmp(name, "abcd", 4) == 0, "%s", strings[i].title);
	is_u64(opened.crash.messages.seen[MESSAGE_STRING_BROKEN], strings[i].messages,
	       "the messages are as expected: %s", strings[i].title);
	close_synth(&opened);
}

/* Every cut of a dump opens or is refused; no read passes its end (checked by sanitizers). */
TEST_BOTH(cuts, big_endian)
{
	size_t opened = 0, described = 0;
	struct opened whole;
	char text[128];

	open_whole(&whole, big_endian, NULL);
	for (size_t cut = 0; cut <= whole.size; cut++) {
		/* A copy of its own, so that a sanitizer sees a read past its end. */
		uint8_t *copy = malloc(cut + 1);
		struct crash crash;

		memcpy(copy, whole.bytes, cut);
		uint8_t *exact = realloc(copy, cut > 0 ? cut : 1);
		opened += open_bytes(&crash, exact, cut);
		for (size_t i = 0; i < crash.region_count; i++)
			described += crash.regions[i].available <= crash.regions[i].size;
		describe_offset(&crash, cut / 2, text, sizeof(text));
		crash_free(&crash);
		free(exact);
	}
	is_u64(opened, whole.size + 1 - 4, "all cuts with a signature open (%s endian)", big_endian ? "big" : "little");
	ok(described > 0, "no region has more bytes than its size");
	close_synth(&whole);
}

/* Any single byte changed: no read leaves the file. */
TEST(damage)
{
	struct opened dump;
	size_t opened = 0;

	open_whole(&dump, false, NULL);
	for (size_t i = 0; i < dump.size; i++) {
		uint8_t saved = dump.bytes[i];
		dump.bytes[i] = (uint8_t)(i % 3 == 0 ? 0xff : saved ^ 0x80);
		opened += open_again(&dump);
		dump.bytes[i] = saved;
	}
	is_u64(opened, dump.size - 4, "a damaged byte never keeps a dump from opening");
	close_synth(&dump);
}

/* Many entries that share one long string would exceed the memory limit of a dump. */
TEST(greed)
{
	const uint32_t count = 4000;
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	char *name = malloc(32768);
	struct opened opened;

	memset(name, 'n', 32767);
	name[32767] = '\0';
	synth_thread_name(synth, 1, name);
	for (uint32_t i = 2; i <= count; i++)
		synth_thread_name(synth, i, "n");
	synth_thread(synth, 1, NULL, 0, NULL, 0);
	open_synth(&opened, synth);
	uint8_t *list = stream_bytes(&opened, 24);
	for (uint32_t i = 1; i < count; i++)
		memcpy(list + 4 + 12 * i + 4, list + 4 + 4, 8);
	ok(open_again(&opened), "a greedy dump opens");
	ok(opened.crash.arena.used <= LIMIT_DUMP_MEMORY + 32 * opened.size, "a greedy dump stays within its memory limit");
	ok(opened.crash.thread_count == 1, "the thread of a greedy dump is read");
	close_synth(&opened);
	free(name);
}

TEST(file)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	char path[] = "t-minidump-XXXXXX";
	struct error error;
	struct crash crash;
	int descriptor = mkstemp(path);

	ok(descriptor >= 0 && synth_write(synth, path), "a dump can be written to a file");
	is_u64(dump_open(&crash, path, 0, &error), ERROR_NONE, "a dump that was written to a file opens");
	is_str(crash.system.cpu_name, "x86", "a dump that was written to a file has its processor");
	crash_free(&crash);
	close(descriptor);
	unlink(path);
	is_u64(dump_open(&crash, path, 0, &error), ERROR_IO, "a file that is gone is an error");
	crash_free(&crash);
	synth_free(synth);
}
