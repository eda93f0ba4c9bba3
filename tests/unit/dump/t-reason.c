/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "dump/reason.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/*
 * What minidump_stackwalk 0.26.0 prints for such dumps (it was run on them), and a word
 * of the note that says more; NULL: no note.
 */
static const struct {
	enum crash_os os;
	uint32_t code, flags;
	uint64_t address;
	unsigned parameter_count;
	uint64_t parameters[3];
	const char *reason;
	uint64_t reason_address;
	const char *note;
} cases[] = {
	{ CRASH_OS_LINUX, 11, 1, 0x10, 0, { 0 }, "SIGSEGV /SEGV_MAPERR", 0x10, NULL },
	{ CRASH_OS_LINUX, 11, 4, 0x10, 0, { 0 }, "SIGSEGV /SEGV_PKUERR", 0x10, NULL },
	{ CRASH_OS_LINUX, 11, 0x80, 0, 0, { 0 }, "SIGSEGV /0x00000080", 0, "SI_KERNEL" },
	{ CRASH_OS_LINUX, 11, 8, 0, 0, { 0 }, "SIGSEGV /0x00000008", 0, "SEGV_MTEAERR" },
	{ CRASH_OS_LINUX, 11, 0, 0x45c5, 0, { 0 }, "SIGSEGV /0x00000000", 0x45c5, "17861" },
	{ CRASH_OS_LINUX, 6, 0xfffffffa, 0x3e800000011, 0, { 0 }, "SIGABRT", 0x3e800000011,
	  "process id 17, this process itself, and user id 1000" },
	{ CRASH_OS_LINUX, 6, 0, 0, 0, { 0 }, "SIGABRT", 0, "no sender" },
	{ CRASH_OS_LINUX, 4, 2, 0x99, 0, { 0 }, "SIGILL / ILL_ILLOPN", 0x99, NULL },
	{ CRASH_OS_LINUX, 7, 2, 0x99, 0, { 0 }, "SIGBUS / BUS_ADRERR", 0x99, NULL },
	{ CRASH_OS_ANDROID, 8, 1, 0x99, 0, { 0 }, "SIGFPE / FPE_INTDIV", 0x99, NULL },
	{ CRASH_OS_LINUX, 5, 1, 0x99, 0, { 0 }, "SIGTRAP", 0x99, "TRAP_BRKPT" },
	{ CRASH_OS_LINUX, 31, 1, 0x99, 0, { 0 }, "SIGSYS", 0x99, "SYS_SECCOMP" },
	{ CRASH_OS_LINUX, 32, 1, 0x99, 0, { 0 }, "0x00000020 / 0x00000001", 0x99, NULL },
	{ CRASH_OS_LINUX, 0xffffffff, 0, 0, 0, { 0 }, "DUMP_REQUESTED", 0, "asked" },
	{ CRASH_OS_WINDOWS, 0xc0000005, 0, 0x99, 0, { 0 },
	  "EXCEPTION_ACCESS_VIOLATION", 0x99, NULL },
	{ CRASH_OS_WINDOWS, 0xc0000005, 0, 0x99, 1, { 0 }, "EXCEPTION_ACCESS_VIOLATION_READ", 0x99,
	  NULL },
	{ CRASH_OS_WINDOWS, 0xc0000005, 0, 0x99, 2, { 1, 0x45 }, "EXCEPTION_ACCESS_VIOLATION_WRITE",
	  0x45, NULL },
	{ CRASH_OS_WINDOWS, 0xc0000005, 0, 0x99, 2, { 8, 0x45 }, "EXCEPTION_ACCESS_VIOLATION_EXEC",
	  0x45, NULL },
	{ CRASH_OS_WINDOWS, 0xc0000005, 0, 0x99, 2, { 2, 0x45 }, "EXCEPTION_ACCESS_VIOLATION", 0x45,
	  NULL },
	{ CRASH_OS_WINDOWS, 0xc0000005, 0, 0x99, 2, { 0, UINT64_MAX },
	  "EXCEPTION_ACCESS_VIOLATION_READ", UINT64_MAX, "non-canonical" },
	{ CRASH_OS_WINDOWS, 0xc0000006, 0, 0x99, 3, { 0, 0x42, 0xc000009a },
	  "EXCEPTION_IN_PAGE_ERROR_READ / STATUS_INSUFFICIENT_RESOURCES", 0x42, NULL },
	{ CRASH_OS_WINDOWS, 0xc0000006, 0, 0x99, 3, { 1, 0x42, 0x12345678 },
	  "EXCEPTION_IN_PAGE_ERROR_WRITE / 0x12345678", 0x42, NULL },
	{ CRASH_OS_WINDOWS, 0xc0000409, 0, 0x99, 1, { 0 }, "EXCEPTION_STACK_BUFFER_OVERRUN", 0x99,
	  "cookie" },
	{ CRASH_OS_WINDOWS, 0xc0000409, 0, 0x99, 1, { 7 }, "FAST_FAIL_FATAL_APP_EXIT", 0x99,
	  "__fastfail" },
	{ CRASH_OS_WINDOWS, 0xc0000409, 0, 0x99, 1, { 54 },
	  "FAST_FAIL_UNHANDLED_LSS_EXCEPTON", 0x99,
	  "__fastfail" },
	{ CRASH_OS_WINDOWS, 0xe06d7363, 0, 0x99, 0, { 0 }, "Unhandled C++ Exception", 0x99, NULL },
	{ CRASH_OS_WINDOWS, 0xe0434352, 0, 0x99, 0, { 0 }, "0xe0434352 / 0x00000000", 0x99,
	  ".NET" },
	{ CRASH_OS_WINDOWS, 0xc0000017, 0, 0x99, 0, { 0 }, "0xc0000017 / 0x00000000", 0x99,
	  "STATUS_NO_MEMORY" },
	{ CRASH_OS_MAC, 1, 1, 0x99, 0, { 0 }, "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS", 0x99, NULL },
	{ CRASH_OS_MAC, 1, 13, 0x99, 0, { 0 }, "EXC_BAD_ACCESS / EXC_I386_GPFLT", 0x99, NULL },
	{ CRASH_OS_MAC, 1, 0x105, 0x99, 0, { 0 }, "EXC_BAD_ACCESS / 0x00000105", 0x99, "PAC_FAIL" },
	{ CRASH_OS_IOS, 2, 1, 0x99, 0, { 0 }, "EXC_BAD_INSTRUCTION / EXC_I386_INVOP", 0x99, NULL },
	{ CRASH_OS_MAC, 5, 0x10002, 0x99, 0, { 0 }, "EXC_SOFTWARE / SIGABRT", 0x99, NULL },
	{ CRASH_OS_MAC, 10, 0, 0x99, 0, { 0 }, "0x0000000a / 0x00000000", 0x99, "EXC_CRASH" },
	/* 91 % used of 80 % over 90 s. */
	{ CRASH_OS_MAC, 11, 0x20000000, 0x99, 3, { 11, 90 << 7 | 80, 91 },
	  "EXC_RESOURCE / 0x20000000", 0x99, "CPU: 91% used, limit 80% over 90 s" },
	{ CRASH_OS_MAC, 12, 0x40000000, 0x99, 0, { 0 }, "EXC_GUARD / 0x40000000", 0x99, "FD" },
	{ CRASH_OS_MAC, 0x43506e78, 0, 0x99, 0, { 0 }, "Uncaught NSException", 0x99, NULL },
	{ CRASH_OS_FUCHSIA, 0x108, 5, 0x99, 0, { 0 }, "FATAL_PAGE_FAULT / 0x00000005", 0x99, NULL },
	{ CRASH_OS_SOLARIS, 6, 0, 0x99, 0, { 0 }, "SIGIOT | SIGABRT", 0x99, NULL },
	{ CRASH_OS_PS3, 20, 0, 0x99, 0, { 0 }, "COPRO_HALTINSTR_UNKNOWN", 0x99, NULL },
	{ CRASH_OS_NACL, 11, 1, 0x99, 0, { 0 }, "0x0000000b / 0x00000001", 0x99, NULL },
};

static void
test_reasons(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct synth *synth = synth_create(ARCH_AMD64, cases[i].os, false);
		struct opened opened;

		synth_thread(synth, 0x11, NULL, 0, NULL, 0);
		synth_exception(synth, 0x11, cases[i].code, cases[i].flags, cases[i].address);
		for (unsigned n = 0; n < cases[i].parameter_count; n++)
			synth_parameter(synth, cases[i].parameters[n]);
		open_synth(&opened, synth);
		const char *note = opened.crash.reason_note;
		is_str(opened.crash.reason, cases[i].reason,
		       "code 0x%x is named as Breakpad names it",
		       cases[i].code);
		is_u64(opened.crash.reason_address, cases[i].reason_address, "with its address");
		if (cases[i].note == NULL)
			is_str(note, NULL, "and nothing to add");
		else
			ok(note != NULL && strstr(note, cases[i].note) != NULL,
			   "the note says '%s' (%s)",
			   cases[i].note, note != NULL ? note : "");
		close_synth(&opened);
	}
}

/* Writers extend the sign of 32-bit addresses. */
static void
test_narrow_addresses(void)
{
	static const struct {
		enum arch_id arch;
		uint64_t address;
	} narrow[] = {
		{ ARCH_X86, 0xfffffff0 }, { ARCH_ARM, 0xfffffff0 }, { ARCH_PPC, 0xfffffff0 },
		{ ARCH_AMD64, 0xfffffffffffffff0 }, { ARCH_ARM64, 0xfffffffffffffff0 },
	};

	for (size_t i = 0; i < ARRAY_COUNT(narrow); i++) {
		struct synth *synth = synth_create(narrow[i].arch, CRASH_OS_LINUX, false);
		struct opened opened;

		synth_exception(synth, 1, 11, 1, 0xfffffffffffffff0);
		open_synth(&opened, synth);
		is_u64(opened.crash.reason_address, narrow[i].address,
		       "an address of %s has as many bits as it can", opened.crash.system.cpu_name);
		is_u64(opened.crash.exception.address, 0xfffffffffffffff0, "the stored one stays");
		close_synth(&opened);
	}
}

static void
test_lldb(void)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_exception(synth, 1, 11, 0, 0x401000);
	synth_stream(synth, 0x4c4c4442, "", 0);
	open_synth(&opened, synth);
	ok(opened.crash.reason_note != NULL && strstr(opened.crash.reason_note, "pc") != NULL,
	   "LLDB's address is the pc");
	close_synth(&opened);
}

static void
test_statuses(void)
{
	is_str(reason_ntstatus(0xc0000001), "STATUS_UNSUCCESSFUL", "the first status of the table");
	is_str(reason_ntstatus(0xc0000374), "STATUS_HEAP_CORRUPTION", "one of its middle");
	is_str(reason_ntstatus(0xc0210000), "STATUS_FVE_LOCKED_VOLUME", "one of another facility");
	is_str(reason_ntstatus(0xdeadbeef), NULL, "and one that is none");
}

int
main(void)
{
	test_reasons();
	test_narrow_addresses();
	test_lldb();
	test_statuses();
	return done_testing();
}
