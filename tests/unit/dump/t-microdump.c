/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>

#include "crash/memory.h"
#include "dump/describe.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"

#define BEGIN "-----BEGIN BREAKPAD MICRODUMP-----"
#define END "-----END BREAKPAD MICRODUMP-----"
#define ARM_CONTEXT 368

/* The log that a test writes. */
static char text[1 << 16];
static size_t used;

static void
add(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, arguments);
	va_end(arguments);
}

/* minidump_cpu_arm.h: flags, r0 to r15, cpsr, then the floating point state. */
static void
add_arm_context(const char *prefix, uint32_t sp, uint32_t pc, const char *end)
{
	uint32_t words[ARM_CONTEXT / 4] = { 0x40000006 };

	for (uint32_t i = 0; i < 13; i++)
		words[1 + i] = 0x100 + i;
	words[14] = sp;
	words[15] = 0x1001;
	words[16] = pc;
	add("%sC ", prefix);
	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		add("%02X%02X%02X%02X", words[i] & 0xff, words[i] >> 8 & 0xff, words[i] >> 16 & 0xff, words[i] >> 24);
	add("%s", end);
}

static struct crash crash;

static enum error_code
open_log(size_t index)
{
	struct error error = { 0 };
	enum error_code code = dump_from_memory(&crash, "log.txt", text, used, index, &error);

	if (code != ERROR_NONE)
		tap_diag("%s", error.text);
	return code;
}

static bool
has_message(enum message_kind kind, const char *words)
{
	for (size_t i = 0; i < crash.messages.count; i++)
		if (crash.messages.messages[i].kind == kind && strstr(crash.messages.messages[i].text, words) != NULL)
			return true;
	return false;
}

/* The value of an annotation, or "-". */
static const char *
annotation(const char *key)
{
	for (size_t i = 0; i < crash.annotation_count; i++)
		if (strcmp(crash.annotations[i].key, key) == 0)
			return crash.annotations[i].value;
	return "-";
}

/* Write a complete dump for arm with a stack of 16 bytes in two lines. */
static void
add_dump(const char *prefix, const char *end, uint32_t stack)
{
	add("%s" BEGIN "%s", prefix, end);
	add("%sV Shell:1.2.3%s", prefix, end);
	add("%sO A arm 08 aarch64 maker/phone:9/A B%s", prefix, end);
	add("%sP browser%s", prefix, end);
	add("%sR 0000000B SIGSEGV DEADBEEF%s", prefix, end);
	add("%sG ES 3.0|Maker|Chip 5%s", prefix, end);
	add("%sH 00001000 F0000000 0012 00100000 00200000 0C:01%s", prefix, end);
	add("%sS 0 %08X %08X 00000010%s", prefix, stack + 4, stack, end);
	add("%sS %08X 0011223344556677%s", prefix, stack, end);
	add("%sS %08X 8899AABBCCDDEEFF%s", prefix, stack + 8, end);
	add_arm_context(prefix, stack + 4, 0x1234, end);
	add("%sM 00001000 00000000 00002000 DA7778FB66018A4E9B4110ED06E730D00 app%s", prefix, end);
	add("%sM 00008000 00000000 00001000 56B149396A4DAF176E26B4A85DA87BF30 libc.so%s", prefix, end);
	add("%s" END "%s", prefix, end);
}

/* Check the crash of add_dump, whose stack address depends on the test. */
static void
check_dump(const char *title, uint32_t stack)
{
	struct memory_view view;
	struct arena arena = { 0 };
	uint64_t value = 0;

	is_str(crash.format, "microdump", "%s: it is a microdump", title);
	ok(crash.thread_count == 1 && crash.requesting_thread == 0 &&
	   crash.threads[0].context.present, "%s: it has one thread with registers", title);
	is_u64(crash.threads[0].context.registers.value[13], stack + 4, "%s: sp", title);
	is_u64(crash.threads[0].context.registers.value[15], 0x1234, "%s: pc", title);
	ok(crash.region_count == 1 && crash.regions[0].base == stack &&
	   crash.regions[0].available == 16, "%s: the stack's lines are one region", title);
	memory_view_all(&view, &crash, &arena);
	ok(memory_read(&view, stack + 6, 4, &value, NULL) && value == 0x99887766, "%s: a word across two lines is read", title);
	is_u64(crash.module_count, 2, "%s: modules", title);
	is_u64(message_total(&crash.messages), 0, "%s: nothing is wrong", title);
	arena_free(&arena);
}

TEST(fields)
{
	used = 0;
	add_dump("W/google-breakpad( 3745): ", "\n", 0xFFEA6000);
	is_u64(open_log(0), ERROR_NONE, "a microdump opens");
	check_dump("plain", 0xFFEA6000);
	is_str(crash.system.os_name, "Android", "the system");
	is_str(crash.system.os_version, "maker/phone:9/A B", "its version is the rest of the line");
	is_u64(crash.system.arch->id, ARCH_ARM, "the processor is the process's, not the phone's");
	is_str(crash.system.cpu_name, "arm", "the processor has its name");
	is_u64(crash.system.cpu_count, 8, "the processors are counted");
	is_str(annotation("hardware"), "aarch64", "the phone's own processor is kept");
	is_str(crash.system.gpu_version, "ES 3.0", "graphics: version");
	is_str(crash.system.gpu_vendor, "Maker", "graphics: vendor");
	is_str(crash.system.gpu_renderer, "Chip 5", "graphics: renderer");
	is_str(annotation("product"), "Shell:1.2.3", "product");
	is_str(annotation("process type"), "browser", "process type");
	is_str(crash.reason, "SIGSEGV", "the reason");
	is_u64(crash.reason_address, 0xdeadbeef, "the crash address");
	is_u64(crash.exception.code, 11, "the signal's number");
	ok(crash.misc.has_process_id && crash.misc.process_id == 3745, "the process, by the tag");
	is_str(crash.modules[1].code_file, "libc.so", "a module's name");
	is_str(crash.modules[1].debug_id, "56B149396A4DAF176E26B4A85DA87BF30", "its identifier");
	ok(crash.modules[1].base == 0x8000 && crash.modules[1].size == 0x1000, "its range");
	crash_free(&crash);
}

TEST(places)
{
	struct memory_view view;
	struct arena arena = { 0 };
	struct place place;
	uint64_t value;
	char buffer[200];

	used = 0;
	add("some other line\n");
	add_dump("W/google-breakpad( 3745): ", "\n", 0xFFEA6000);
	open_log(0);
	memory_view_all(&view, &crash, &arena);
	memory_read(&view, 0xFFEA6009, 2, &value, &place);
	/* Line 11 of the log; 26 bytes of prefix, "S FFEA6008 " has 11, one byte is skipped. */
	ok(place.line == 11 && place.column == 26 + 11 + 2 + 1 && place.length == 4,
	   "memory has line and column: %s", place_format(&place).text);
	ok(memcmp(text + place.offset, "99AA", 4) == 0, "the place of memory is that of its digits");
	place = crash_register_place(&crash, &crash.threads[0].context, 13);
	ok(place.line == 12 && memcmp(text + place.offset, "0460EAFF", 8) == 0, "a register's digits are there");
	is_str(describe_offset(&crash, place.offset, buffer, sizeof(buffer)),
	       "thread 0x0, context, sp", "an offset is described by what it holds");
	ok(crash.modules[0].place.line == 13 && crash.modules[0].place.column == 29, "a module has its line");
	arena_free(&arena);
	crash_free(&crash);
}

static const struct {
	const char *title, *prefix, *end;
} cases[] = {
	{ "brief", "F/google-breakpad(11976): ", "\n" }, { "time", "01-25 09:57:54.139 F/google-breakpad(23467): ", "\n" },
	{ "threadtime", "01-25 09:57:54.139 23467 23470 F google-breakpad: ", "\n" },
	{ "carriage returns", "W/google-breakpad( 3745): ", "\r\n" }, { "no tag", "", "\n" },
	{ "a prefix of the writer's own", "[child 77] ", "\n" },
};

TEST_EACH(prefixes, cases)
{
	used = 0;
	add("--------- beginning of main\n");
	add("I/ActivityManager(  99): S 0 is no stack: O A\n\n");
	add_dump(cases[i].prefix, cases[i].end, 0x7000);
	add("I/ActivityManager(  99): M too late\n");
	is_u64(open_log(0), ERROR_NONE, "%s: opens", cases[i].title);
	check_dump(cases[i].title, 0x7000);
	crash_free(&crash);
}

/* Lines of other programs between, and a second process that crashes meanwhile. */
TEST(mixed)
{
	static char one[8192], two[8192];
	const char *first = one, *second = two;

	used = 0;
	add_dump("F/google-breakpad(  1): ", "\n", 0x7000);
	memcpy(one, text, used + 1);
	used = 0;
	add_dump("F/google-breakpad(  2): ", "\n", 0x9000);
	memcpy(two, text, used + 1);
	used = 0;
	while (*first != '\0' && *second != '\0') {
		int a = (int)(strchr(first, '\n') - first) + 1;
		int b = (int)(strchr(second, '\n') - second) + 1;

		add("%.*sD/chatty(  3): : S 12345678 00\n%.*s", a, first, b, second);
		first += a;
		second += b;
	}
	is_u64(open_log(1), ERROR_NONE, "two microdumps in one another: the first opens");
	check_dump("first of two", 0x7000);
	is_u64(crash.dump_count, 2, "both are counted");
	is_u64(crash.dump_index, 1, "it is the first");
	crash_free(&crash);
	is_u64(open_log(2), ERROR_NONE, "the second dump of a log opens");
	check_dump("second of two", 0x9000);
	crash_free(&crash);
	is_u64(open_log(3), ERROR_NOT_FOUND, "there is no third");
	crash_free(&crash);
	is_u64(open_log(0), ERROR_NONE, "the first dump is opened if no number is given");
	ok(crash.dump_index == 1 && has_message(MESSAGE_SEVERAL_DUMPS, "has 2"), "a message says that the log has two dumps");
	crash_free(&crash);
}

TEST(incomplete)
{
	used = 0;
	add("x google-breakpad(1): " BEGIN "\nx google-breakpad(1): O A arm 01 x y\n");
	add_dump("x google-breakpad(1): ", "\n", 0x7000);
	is_u64(open_log(0), ERROR_NONE, "a dump that begins again in another opens");
	is_u64(crash.dump_index, 2, "the whole one is preferred");
	is_u64(crash.module_count, 2, "the preferred dump has its modules");
	crash_free(&crash);
	is_u64(open_log(1), ERROR_NONE, "the first opens too");
	ok(has_message(MESSAGE_TRUNCATED, "no last line"), "its end is missing");
	ok(has_message(MESSAGE_CONTEXT_BROKEN, "no line of registers"), "the registers of the first dump are missing");
	is_u64(crash.module_count, 0, "it takes no lines of the other");
	crash_free(&crash);

	used = 0;
	add("google-breakpad: " BEGIN "\n");
	is_u64(open_log(0), ERROR_NONE, "a first line alone opens");
	ok(has_message(MESSAGE_STREAM_MISSING, "no operating system") &&
		   has_message(MESSAGE_NO_STACK, ""), "all missing parts are reported");
	crash_free(&crash);
}

TEST(broken)
{
	used = 0;
	add("google-breakpad: " BEGIN "\n");
	add("google-breakpad: O A arm 02 x y\n");
	add("google-breakpad: S 0 00007004 00007000 00000020\n");
	add("google-breakpad: S 00007000 00112233\n");
	add("google-breakpad: S 00007010 4455667\n");
	add("google-breakpad: S 00007018 8899zz\n");
	add("google-breakpad: S what 00\n");
	add("google-breakpad: S 00007000\n");
	add("google-breakpad: M 1000 0\n");
	add("google-breakpad: M FFFFFFFFFFFFFFFFF 0 1000 0 a\n");
	add("google-breakpad: R SIGSEGV\n");
	add("google-breakpad: Q what\n");
	add("google-breakpad: C 06000040\n");
	add("google-breakpad: C 06000040\n");
	add("google-breakpad: \ngoogle-breakpad:\ngoogle-breakpad\n");
	add("google-breakpad: " END "\n");
	is_u64(open_log(0), ERROR_NONE, "a microdump of broken lines opens");
	is_u64(crash.region_count, 3, "lost lines leave gaps in the stack, filled with nothing");
	ok(crash.regions[1].base == 0x7010 && crash.regions[1].size == 3 &&
	   crash.regions[1].data[2] == 0x66, "whole bytes of a cut line are used");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "of 7 digits"), "the odd digit is reported");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "of 6 digits"), "a character that is no digit is reported");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "no address or no bytes"), "a line without bytes is reported");
	ok(has_message(MESSAGE_TRUNCATED, "0x20 bytes, 0x9"), "a truncated stack is reported");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "a module line is not"), "a broken module line is reported");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "the reason is"), "a broken reason is reported");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "second line of registers"), "a second line of registers is reported");
	ok(has_message(MESSAGE_CONTEXT_BROKEN, "4 bytes"), "a context that is too short is reported");
	is_u64(crash.module_count, 0, "a broken module is left out");
	ok(crash.threads[0].stack != NULL && crash.threads[0].stack->base == 0x7000, "the stack is where the head says that sp is");
	crash_free(&crash);

	used = 0;
	add("google-breakpad: " BEGIN "\n");
	add("google-breakpad: O L vax 01 x y\n");
	open_log(0);
	ok(has_message(MESSAGE_UNSUPPORTED_CPU, "'vax'"), "an unknown processor is reported");
	is_str(crash.system.os_name, "Linux", "Linux has microdumps too");
	crash_free(&crash);
}

/* A signal's number has 32 bits; after the signal's name comes the address. */
static const struct {
	const char *line;
	bool good;
	uint32_t signal;
	uint64_t address;
} rows[] = {
	{ "R B SIGSEGV 1000", true, 11, 0x1000 }, { "R 0000000B SIGSEGV FFFFFFFFFFFFFFFF", true, 11, UINT64_MAX },
	{ "R FFFFFFFF what 0", true, UINT32_MAX, 0 }, { "R 100000000 what 0", false, 0, 0 },
	{ "R B SIGSEGV", false, 0, 0 }, { "R B SIGSEGV here", false, 0, 0 },
	{ "R what SIGSEGV 1000", false, 0, 0 }, { "R 100000000", false, 0, 0 },
};

TEST_EACH(reasons, rows)
{
	char line[200];

	used = 0;
	snprintf(line, sizeof(line), "google-breakpad: %s\n", rows[i].line);
	add("google-breakpad: " BEGIN "\ngoogle-breakpad: O A arm 02 x y\n");
	add(line);
	add("google-breakpad: " END "\n");
	open_log(0);
	ok(crash.exception.present == rows[i].good && crash.exception.code == rows[i].signal &&
	   crash.exception.address == rows[i].address, "'%s' is %s", rows[i].line, rows[i].good ? "a reason" : "none");
	ok(has_message(MESSAGE_ENTRY_BROKEN, "the reason is not") != rows[i].good,
	   "a %s reason gives %s message", rows[i].good ? "good" : "bad", rows[i].good ? "no" : "a");
	crash_free(&crash);
}

/* Lines of one kind that follow each other are one stream, from the first to the end of the last. */
TEST(streams)
{
	static const struct {
		char letter;
		const char *first, *last;
	} wanted[] = {
		{ 'O', "O A arm", "x y" }, { 'M', "M 1000", "one" }, { 'R', "R B", "2000" },
		{ 'M', "M 3000", "two" }, { 'S', "S 0 ", "44556677" },
	};

	used = 0;
	add("google-breakpad: " BEGIN "\ngoogle-breakpad: O A arm 02 x y\n");
	add("google-breakpad: M 1000 0 1000 000102030405060708090A0B0C0D0E0F0 zero\n");
	add("google-breakpad: M 2000 0 1000 000102030405060708090A0B0C0D0E0F0 one\n");
	add("google-breakpad: R B SIGSEGV 2000\n");
	add("google-breakpad: M 3000 0 1000 000102030405060708090A0B0C0D0E0F0 two\n");
	add("google-breakpad: S 0 00007012 00007000 00000020\n");
	add("google-breakpad: S 00007000 00112233\ngoogle-breakpad: S 00007010 44556677\n");
	add_arm_context("google-breakpad: ", 0x7012, 0x1000, "\n");
	add("google-breakpad: " END "\n");
	is_u64(open_log(0), ERROR_NONE, "a log with a stack in two pieces opens");
	is_u64(crash.stream_count, ARRAY_COUNT(wanted) + 1, "it has so many streams");
	for (size_t i = 0; i < ARRAY_COUNT(wanted) && i < crash.stream_count; i++) {
		const struct stream *stream = &crash.streams[i];
		const char *first = strstr(text, wanted[i].first);
		const char *last = strstr(first, wanted[i].last) + strlen(wanted[i].last);

		ok((char)(stream->type & 0xff) == wanted[i].letter && stream->offset == (uint64_t)(first - text) &&
		   stream->size == (uint64_t)(last - first), "stream %zu has its lines", i);
	}
	ok(crash.threads[0].stack != NULL && crash.threads[0].stack->base == 0x7010,
	   "the thread's stack is the piece around the stack pointer");
	crash_free(&crash);
}
