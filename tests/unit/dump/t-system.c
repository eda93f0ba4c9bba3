/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/* "GenuineIntel" in the order ebx, edx, ecx. */
static const uint32_t intel[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };

/* Lines as Breakpad's minidump_stackwalk prints them for such dumps. */
TEST(processors)
{
	static const uint32_t cortex[3] = { 0x410fc083, 0x1047, 0 };
	static const uint32_t strange[3] = { 0x99000010, 0, 0 };
	static const struct {
		enum arch_id arch;
		const uint32_t *words;
		const char *name, *info;
	} cases[] = {
		{ ARCH_X86, intel, "x86", "GenuineIntel family 6 model 13 stepping 8" },
		{ ARCH_AMD64, intel, "amd64", "family 6 model 13 stepping 8" },
		{ ARCH_ARM, cortex, "arm", "ARMv6 ARM Cortex-A8 features: swp,half,thumb,vfpv2,neon" },
		{ ARCH_ARM, strange, "arm", "ARMv6 vendor(0x99) part(0x99000010)" },
		{ ARCH_ARM64, intel, "arm64", "" }, { ARCH_MIPS, intel, "mips", "" },
		{ ARCH_MIPS64, intel, "mips64", "" }, { ARCH_PPC, intel, "ppc", "" },
		{ ARCH_PPC64, intel, "ppc64", "" }, { ARCH_SPARC, intel, "sparc", "" },
		{ ARCH_RISCV, intel, "riscv", "" }, { ARCH_RISCV64, intel, "riscv64", "" }, { ARCH_UNKNOWN, intel, "0xffff", "" },
	};

	for (size_t i = 0; i < 2 * ARRAY_COUNT(cases); i++) {
		size_t row = i / 2;
		struct synth *synth = synth_create(cases[row].arch, CRASH_OS_LINUX, i % 2 != 0);
		struct opened opened;

		synth_cpu(synth, 6, 0x0d08, 3, cases[row].words);
		open_synth(&opened, synth);
		is_str(opened.crash.system.cpu_name, cases[row].name, "the processor has its name");
		is_str(opened.crash.system.cpu_info, cases[row].info, "the processor has its particulars");
		is_u64(opened.crash.system.cpu_count, 3, "the number of processors is read");
		is_u64(opened.crash.system.arch->id, cases[row].arch, "the processor has its architecture");
		is_u64(opened.crash.messages.seen[MESSAGE_UNSUPPORTED_CPU],
		       opened.crash.system.arch->register_count == 0, "one that is unknown is a message");
		close_synth(&opened);
	}
}

static const struct {
	enum crash_os os;
	const char *name;
} platforms[] = {
	{ CRASH_OS_WINDOWS, "Windows NT" }, { CRASH_OS_LINUX, "Linux" }, { CRASH_OS_ANDROID, "Android" },    { CRASH_OS_MAC, "Mac OS X" },
	{ CRASH_OS_IOS, "iOS" },	    { CRASH_OS_SOLARIS, "Solaris" },
	{ CRASH_OS_NACL, "NaCl" },	    { CRASH_OS_FUCHSIA, "Fuchsia" },
	{ CRASH_OS_PS3, "PS3" },	    { CRASH_OS_UNKNOWN, "0x0000ffff" },
};

TEST_EACH(platforms, platforms)
{
	struct synth *synth = synth_create(ARCH_AMD64, platforms[i].os, false);
	struct opened opened;

	synth_system(synth, 5, 1, 2600, i == 0 ? "Service Pack 2" : i == 1 ? "" : NULL);
	open_synth(&opened, synth);
	is_str(opened.crash.system.os_name, platforms[i].name, "the system has its name");
	is_u64(opened.crash.system.os, platforms[i].os, "the system is known");
	is_str(opened.crash.system.os_version, i == 0 ? "5.1.2600 Service Pack 2" : i == 1 ? "5.1.2600 " : "5.1.2600",
	       "its version is written as Breakpad writes it");
	close_synth(&opened);
}

/* The output of rust-minidump's MinidumpSystemInfo::os_parts and SystemInfo::format_os_version. */
static const struct {
	enum crash_os os;
	const char *version, *want;
} versions[] = {
	{ CRASH_OS_LINUX, "0.0.0 Linux 5.4.0-1 #1 SMP Tue x86_64", "5.4.0-1 #1 SMP Tue" },
	{ CRASH_OS_LINUX, "0.0.0 Linux 5.4.0 #1 SMP x86_64 Linux/GNU", "5.4.0 #1 SMP" },
	{ CRASH_OS_LINUX, "0.0.0 Linux 5.4.0 #1 SMP x86_64 GNU/Linux", "5.4.0 #1 SMP x86_64" },
	{ CRASH_OS_LINUX, "0.0.0 Linux 5.4.0", "5.4.0" }, { CRASH_OS_LINUX, "0.0.0 x", "0.0.0 x" },
	{ CRASH_OS_LINUX, "0.0.0 ", "0.0.0" }, { CRASH_OS_LINUX, "0.0.0", "0.0.0" },
	{ CRASH_OS_LINUX, "5.10.28 #1 SMP x86_64", "5.10.28 #1 SMP x86_64" },
	{ CRASH_OS_ANDROID, "0.0.0 Linux 5.4.0 x y", "0.0.0 Linux 5.4.0 x y" },
	{ CRASH_OS_WINDOWS, "6.1.7601 Service Pack 1 ", "6.1.7601 Service Pack 1" },
};

TEST_EACH(versions, versions)
{
	const struct crash_system system = { .os = versions[i].os, .os_version = versions[i].version };
	const struct text got = crash_os_version(&system);

	ok(text_equal(got, text_of(versions[i].want)), "'%s' is version '%s'", versions[i].version, versions[i].want);
}

TEST(misc)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, true);
	struct opened opened;

	synth_misc(synth, 4711, 1234567000);
	open_synth(&opened, synth);
	const struct misc_info *misc = &opened.crash.misc;
	ok(misc->has_process_id && misc->process_id == 4711, "the process id is read");
	ok(misc->has_times && misc->create_time == 1234567000 && misc->user_time == 7 &&
	   misc->kernel_time == 8, "the times of the process are read");
	stream_bytes(&opened, 15)[7] = 0;
	open_again(&opened);
	ok(misc->present && !misc->has_process_id && !misc->has_times, "flags decide");
	close_synth(&opened);
}

TEST(misc_versions)
{
	uint8_t bytes[1364] = { 0 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	bytes[4] = 4;
	bytes[5] = 1;
	memcpy(bytes + 232, "b\0u\0i\0l\0d\0", 10);
	synth_stream(synth, 15, bytes, sizeof(bytes));
	open_synth(&opened, synth);
	is_str(opened.crash.misc.build, "build", "version 5 has a build string");
	close_synth(&opened);
}

TEST(breakpad)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 5, NULL, 0, NULL, 0);
	synth_thread(synth, 6, NULL, 0, NULL, 0);
	synth_breakpad(synth, 3, 5, 6);
	open_synth(&opened, synth);
	ok(opened.crash.threads[0].wrote_dump, "the thread that wrote the dump is marked");
	ok(!opened.crash.threads[1].wrote_dump, "others are not");
	ok(opened.crash.has_requesting_thread && opened.crash.requesting_thread == 1,
	   "the requesting thread comes first if there is no exception");
	stream_bytes(&opened, 0x47670001)[0] = 0;
	open_again(&opened);
	ok(!opened.crash.threads[0].wrote_dump && opened.crash.requesting_thread == -1, "neither counts without its validity bit");
	close_synth(&opened);
}

/* Sentences as Breakpad composes them. */
static const struct {
	uint32_t type, line;
	const char *expression, *function, *file, *sentence;
} assertion_cases[] = {
	{ 1, 12, "x > 1", "main", "a.c", "Invalid parameter passed to library function x > 1 in function main, in file a.c at line 12" },
	{ 2, 0, "", "", "", "Pure virtual function called" },
	{ 7, 3, "", "f", "", "Unknown assertion type 0x00000007 in function f at line 3" },
};

TEST_EACH(assertion, assertion_cases)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, i == 0);
	struct opened opened;

	synth_assertion(synth, assertion_cases[i].expression, assertion_cases[i].function,
			assertion_cases[i].file, assertion_cases[i].line, assertion_cases[i].type);
	open_synth(&opened, synth);
	is_str(opened.crash.assertion, assertion_cases[i].sentence, "an assertion is a sentence");
	close_synth(&opened);
}

TEST(exception)
{
	const uint64_t registers[10] = { 0x1234, 0x5678 };
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 3, NULL, 0, NULL, 0);
	synth_exception(synth, 3, 0xc0000006, 1, 0xffffffff80001000);
	for (uint64_t i = 0; i < 15; i++)
		synth_parameter(synth, i * i);
	synth_parameter_count(synth, 0xffffffff);
	synth_exception_registers(synth, registers);
	open_synth(&opened, synth);
	const struct crash_exception *exception = &opened.crash.exception;
	ok(exception->present && exception->thread_id == 3 && exception->code == 0xc0000006 &&
	   exception->flags == 1 && exception->address == 0xffffffff80001000, "an exception is read as stored");
	is_u64(exception->parameter_count, 15, "never more than 15 parameters are read");
	is_u64(exception->parameters[14], 196, "all 15 are");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 1, "more are a message");
	ok(exception->context.present && exception->context.registers.value[0] == 0x1234, "its context is read");
	close_synth(&opened);
}

TEST(absent_thread)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 3, NULL, 0, NULL, 0);
	synth_exception(synth, 4, 0xc0000005, 0, 0);
	open_synth(&opened, synth);
	ok(opened.crash.requesting_thread == -1, "an exception may name a missing thread");
	is_str(opened.crash.reason, "EXCEPTION_ACCESS_VIOLATION", "it still says what happened");
	is_u64(opened.crash.messages.seen[MESSAGE_STREAM_MISSING], 1, "an exception of a missing thread is a message");
	close_synth(&opened);
}

TEST(comments)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_stream(synth, 10, "by hand", 7);
	synth_stream(synth, 11, "w\0i\0d\0e\0\0\0x\0", 12);
	open_synth(&opened, synth);
	is_u64(opened.crash.annotation_count, 2, "comments are annotations");
	is_str(opened.crash.annotations[0].value, "by hand", "a comment needs no NUL at its end");
	is_str(opened.crash.annotations[1].value, "wide", "a comment ends at a NUL");
	close_synth(&opened);
}

/* Without system information the size and flags of a context name the processor (winnt.h). */
TEST(processor_of_contexts)
{
	static const struct {
		bool has_system, in_thread;
		const char *name;
	} cases[] = {
		{ false, true, "amd64" }, { false, false, "amd64" }, { true, true, "0xffff" },
	};
	const uint64_t registers[17] = { [16] = 0x401000 };

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, i % 2 != 0);
		struct opened opened;

		if (cases[i].in_thread)
			synth_thread(synth, 3, registers, 0, NULL, 0);
		synth_exception(synth, 3, 11, 1, 0);
		synth_exception_registers(synth, registers);
		open_synth(&opened, synth);
		is_u64(opened.crash.messages.seen[MESSAGE_UNSUPPORTED_CPU], 0, "a dump with a SystemInfo stream needs no context");
		memset(stream_bytes(&opened, 7), 0xff, cases[i].has_system ? 2 : 0);
		for (size_t at = 0; !cases[i].has_system && at < opened.crash.stream_count; at++)
			if (opened.crash.streams[at].type == 7)
				memset(opened.bytes + opened.crash.streams[at].place.offset, 0xfe, 4);
		open_again(&opened);
		is_u64(opened.crash.system.arch->id, ARCH_AMD64, "the processor of a context replaces an unknown one");
		is_str(opened.crash.system.cpu_name, cases[i].name, "a number that is in the dump stays what is printed");
		is_u64(opened.crash.messages.seen[MESSAGE_UNSUPPORTED_CPU], 1, "a message reports the unknown processor");
		close_synth(&opened);
	}
}

/* Streams that are too small for their structures. */
TEST(short_streams)
{
	static const uint32_t types[] = { 6, 7, 15, 0x47670001, 0x47670002, 0x43500001, 3, 4, 5, 9, 14, 16, 24, 8 };

	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
		struct opened opened;
		uint64_t broken = 0;

		/* The reader takes the first stream of a type; make it this one. */
		synth_style(synth)->reverse = true;
		synth_stream(synth, types[i], "\1", 1);
		open_synth(&opened, synth);
		broken = opened.crash.messages.seen[MESSAGE_STREAM_BROKEN];
		is_u64(broken, 1, "stream %s of one byte is broken", opened.crash.streams[0].name);
		ok(!opened.crash.streams[0].decoded, "stream %s of one byte is not decoded", opened.crash.streams[0].name);
		close_synth(&opened);
	}
}

/* MINIDUMP_EXCEPTION_STREAM: parameters begin at byte 40; a short stream has some of them. */
TEST(short_exceptions)
{
	for (unsigned size = 8; size <= 72; size++) {
		struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
		uint8_t bytes[72] = { 0x11 };
		struct opened opened;

		bytes[8] = 5;		/* the code */
		bytes[32] = 3;		/* parameters */
		for (unsigned i = 0; i < 4; i++)
			bytes[40 + 8 * i] = (uint8_t)(0x60 + i);
		synth_stream(synth, 6, bytes, size);
		open_synth(&opened, synth);
		const struct crash_exception *exception = &opened.crash.exception;
		const unsigned whole = size < 48 ? 0 : size >= 64 ? 3 : (size - 40) / 8;
		ok(exception->present == (size >= 16) && exception->parameter_count == whole &&
		   (whole == 0 || exception->parameters[whole - 1] == 0x60 + whole - 1),
		   "an exception of %u bytes has %u parameters", size, whole);
		close_synth(&opened);
	}
}
