/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason/reason.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

/* The output of minidump_stackwalk 0.26.0 for such dumps (it was run on them), names from the
 * systems' headers, and a word of the expected note; NULL: no note. */
#define LINUX(code, flags, address) CRASH_OS_LINUX, code, flags, address, 0, { 0 }
#define MAC(code, flags) CRASH_OS_MAC, code, flags, 0x99, 0, { 0 }
#define WINDOWS(code, count, ...) CRASH_OS_WINDOWS, code, 0, 0x99, count, { __VA_ARGS__ }

static const struct {
	enum crash_os os;
	uint32_t code, flags;
	uint64_t address;
	unsigned parameter_count;
	uint64_t parameters[3];
	const char *reason, *cause;
	uint64_t reason_address;
	const char *note;
} cases[] = {
	{ LINUX(11, 1, 0x10), "SIGSEGV /SEGV_MAPERR", "SIGSEGV / SEGV_MAPERR", 0x10, NULL },
	{ LINUX(11, 4, 0x10), "SIGSEGV /SEGV_PKUERR", "SIGSEGV / SEGV_PKUERR", 0x10, NULL },
	{ LINUX(11, 0x80, 0), "SIGSEGV /0x00000080", "SIGSEGV / SI_KERNEL", 0, "no address" },
	{ LINUX(11, 8, 0), "SIGSEGV /0x00000008", "SIGSEGV / SEGV_MTEAERR", 0, NULL },
	{ LINUX(11, 99, 0), "SIGSEGV /0x00000063", "SIGSEGV / 0x00000063", 0, NULL },
	{ LINUX(11, 0, 0x45c5), "SIGSEGV /0x00000000", "SIGSEGV", 0x45c5, "17861" },
	{ LINUX(11, 0, 0x3e800000011), "SIGSEGV /0x00000000", "SIGSEGV / SI_USER", 0x3e800000011, NULL },
	{ LINUX(6, 0xfffffffa, 0x3e800000011), "SIGABRT", "SIGABRT / SI_TKILL", 0x3e800000011, NULL },
	{ LINUX(6, 0xffffffff, 0x3e800003465), "SIGABRT", "SIGABRT / SI_QUEUE", 0x3e800003465, NULL },
	{ LINUX(6, 0, 0), "SIGABRT", "SIGABRT", 0, "no sender" },
	{ LINUX(4, 2, 0x99), "SIGILL / ILL_ILLOPN", "SIGILL / ILL_ILLOPN", 0x99, NULL },
	{ LINUX(4, 9, 0x99), "SIGILL / 0x00000009", "SIGILL / ILL_BADIADDR", 0x99, NULL },
	{ LINUX(7, 2, 0x99), "SIGBUS / BUS_ADRERR", "SIGBUS / BUS_ADRERR", 0x99, NULL },
	{ CRASH_OS_ANDROID, 8, 1, 0x99, 0, { 0 }, "SIGFPE / FPE_INTDIV", "SIGFPE / FPE_INTDIV", 0x99, NULL },
	{ LINUX(5, 1, 0x99), "SIGTRAP", "SIGTRAP / TRAP_BRKPT", 0x99, NULL },
	{ LINUX(31, 1, 0x99), "SIGSYS", "SIGSYS / SYS_SECCOMP", 0x99, NULL },
	{ LINUX(32, 1, 0x99), "0x00000020 / 0x00000001", "signal 32 / 0x00000001", 0x99, NULL },
	{ LINUX(0xffffffff, 0, 0), "DUMP_REQUESTED", "DUMP_REQUESTED", 0, "requested" },
	{ WINDOWS(0xc0000005, 0, 0), "EXCEPTION_ACCESS_VIOLATION", NULL, 0x99, NULL },
	{ WINDOWS(0xc0000005, 1, 0), "EXCEPTION_ACCESS_VIOLATION_READ", NULL, 0x99, NULL },
	{ WINDOWS(0xc0000005, 2, 1, 0x45), "EXCEPTION_ACCESS_VIOLATION_WRITE", NULL, 0x45, NULL },
	{ WINDOWS(0xc0000005, 2, 8, 0x45), "EXCEPTION_ACCESS_VIOLATION_EXEC", NULL, 0x45, NULL },
	{ WINDOWS(0xc0000005, 2, 2, 0x45), "EXCEPTION_ACCESS_VIOLATION", NULL, 0x45, NULL },
	{ WINDOWS(0xc0000005, 2, 0, UINT64_MAX), "EXCEPTION_ACCESS_VIOLATION_READ", NULL, UINT64_MAX, "non-canonical" },
	{ WINDOWS(0xc0000006, 3, 0, 0x42, 0xc000009a), "EXCEPTION_IN_PAGE_ERROR_READ / STATUS_INSUFFICIENT_RESOURCES", NULL, 0x42, NULL },
	{ WINDOWS(0xc0000006, 3, 1, 0x42, 0x12345678), "EXCEPTION_IN_PAGE_ERROR_WRITE / 0x12345678", NULL, 0x42, NULL },
	{ WINDOWS(0xc0000409, 1, 0), "EXCEPTION_STACK_BUFFER_OVERRUN",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_LEGACY_GS_VIOLATION", 0x99, "cookie" },
	{ WINDOWS(0xc0000409, 1, 7), "FAST_FAIL_FATAL_APP_EXIT",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_FATAL_APP_EXIT", 0x99, "abort" },
	{ WINDOWS(0xc0000409, 1, 10), "FAST_FAIL_GUARD_ICALL_CHECK_FAILURE",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_GUARD_ICALL_CHECK_FAILURE",
	  0x99, "Control Flow Guard refused the target of an indirect call" },
	{ WINDOWS(0xc0000409, 1, 21), "FAST_FAIL_INVALID_EXCEPTION_CHAIN",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_INVALID_EXCEPTION_CHAIN", 0x99, "chain of exception handlers" },
	{ WINDOWS(0xc0000409, 1, 57), "FAST_FAIL_CONTROL_INVALID_RETURN_ADDRESS",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_CONTROL_INVALID_RETURN_ADDRESS", 0x99, "shadow stack" },
	{ WINDOWS(0xc0000409, 1, 54), "FAST_FAIL_UNHANDLED_LSS_EXCEPTON",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_UNHANDLED_LSS_EXCEPTON", 0x99, "__fastfail" },
	{ WINDOWS(0xc0000409, 1, 71), "EXCEPTION_STACK_BUFFER_OVERRUN",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_ASAN_ERROR", 0x99, "__fastfail" },
	{ WINDOWS(0xc0000409, 1, 76), "EXCEPTION_STACK_BUFFER_OVERRUN",
	  "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_INVALID_EXTENDED_STATE", 0x99, "__fastfail" },
	{ WINDOWS(0xc0000409, 1, 77), "EXCEPTION_STACK_BUFFER_OVERRUN", "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_77", 0x99, NULL },
	{ WINDOWS(0xe06d7363, 0, 0), "Unhandled C++ Exception", NULL, 0x99, NULL },
	{ WINDOWS(0xe06d7363, 3, 0x19930520, 0x12f00, 0x401234), "Unhandled C++ Exception", NULL, 0x99, "0x12f00" },
	{ WINDOWS(0xe06d7363, 3, 0x19930523, 0x12f00, 0x401234), "Unhandled C++ Exception", NULL, 0x99, "may have any meaning" },
	{ WINDOWS(0xe0434352, 1, 0x80070005), "0xe0434352 / 0x00000000",
	  "MANAGED_EXCEPTION_CODE_V4", 0x99, "FACILITY_WIN32 / ERROR_ACCESS_DENIED" },
	{ WINDOWS(0xc0000017, 0, 0), "0xc0000017 / 0x00000000", "STATUS_NO_MEMORY", 0x99, NULL },
	{ WINDOWS(14, 0, 0), "0x0000000e / 0x00000000", "ERROR_OUTOFMEMORY", 0x99, NULL },
	{ WINDOWS(0xc06d007e, 0, 0), "0xc06d007e / 0x00000000", "FACILITY_VISUALCPP / ERROR_MOD_NOT_FOUND", 0x99, NULL },
	{ WINDOWS(0xe1234567, 0, 0), "0xe1234567 / 0x00000000", "unknown 0xe1234567", 0x99, "application-defined" },
	{ MAC(1, 1), "EXC_BAD_ACCESS / KERN_INVALID_ADDRESS", NULL, 0x99, NULL },
	{ MAC(1, 13), "EXC_BAD_ACCESS / EXC_I386_GPFLT", NULL, 0x99, NULL },
	{ MAC(1, 5), "EXC_BAD_ACCESS / 0x00000005", "EXC_BAD_ACCESS / KERN_FAILURE", 0x99, NULL },
	{ CRASH_OS_IOS, 2, 1, 0x99, 0, { 0 }, "EXC_BAD_INSTRUCTION / EXC_I386_INVOP", NULL, 0x99, NULL },
	{ MAC(5, 0x10002), "EXC_SOFTWARE / SIGABRT", NULL, 0x99, NULL },
	/* Signal 6 of an exception 1 whose code was 0x10. */
	{ MAC(10, 0x06100010), "0x0000000a / 0x06100010", "EXC_CRASH / SIGABRT", 0x99, "EXC_BAD_ACCESS with code 0x00010" },
	/* 91 % used of 80 % over 90 s: more than three bits of each. */
	{ CRASH_OS_MAC, 11, 0x24000000, 0x99, 3, { 11, UINT64_C(0x2400000000000000) | 90 << 7 | 80, 91 }, "EXC_RESOURCE / 0x24000000",
	  "EXC_RESOURCE / RESOURCE_TYPE_CPU / FLAVOR_CPU_MONITOR: 91% used, limit 80% over 90 s", 0x99, NULL },
	{ CRASH_OS_MAC, 11, 0x64000000, 0x99, 3, { 11, UINT64_C(0x6400000000000000) | 4096, 0 },
	  "EXC_RESOURCE / 0x64000000", "EXC_RESOURCE / RESOURCE_TYPE_MEMORY / FLAVOR_HIGH_WATERMARK: limit 4096 MiB", 0x99, NULL },
	{ CRASH_OS_MAC, 12, 0x40000001, 0x99, 3, { 12, UINT64_C(0x4000000100000005), 0xabc },
	  "EXC_GUARD / 0x40000001", "EXC_GUARD / GUARD_TYPE_FD / GUARD_EXC_CLOSE: file descriptor 5, guard 0xabc", 0x99, NULL },
	{ CRASH_OS_MAC, 12, 0x20000002, 0x99, 3, { 12, UINT64_C(0x20000002f0000903), 0xabc },
	  "EXC_GUARD / 0x20000002", "EXC_GUARD / GUARD_TYPE_MACH_PORT / GUARD_EXC_MOD_REFS: port 0x903, guard 0xabc", 0x99, NULL },
	/* Without the second code there is no guard. */
	{ CRASH_OS_MAC, 12, 0x40000001, 0x99, 2, { 12, UINT64_C(0x4000000100000005) },
	  "EXC_GUARD / 0x40000001", "EXC_GUARD / GUARD_TYPE_FD / GUARD_EXC_CLOSE: file descriptor 5, guard 0x0", 0x99, NULL },
	{ MAC(0x43506e78, 0), "Uncaught NSException", NULL, 0x99, NULL },
	{ CRASH_OS_FUCHSIA, 0x108, 5, 0x99, 0, { 0 }, "FATAL_PAGE_FAULT / 0x00000005", NULL, 0x99, NULL },
	{ CRASH_OS_SOLARIS, 6, 0, 0x99, 0, { 0 }, "SIGIOT | SIGABRT", NULL, 0x99, NULL },
	{ CRASH_OS_SOLARIS, 11, 1, 0x99, 0, { 0 }, "SIGSEGV", "SIGSEGV / SEGV_MAPERR", 0x99, NULL },
	{ CRASH_OS_PS3, 20, 0, 0x99, 0, { 0 }, "COPRO_HALTINSTR_UNKNOWN", NULL, 0x99, NULL },
	{ CRASH_OS_NACL, 11, 1, 0x99, 0, { 0 }, "0x0000000b / 0x00000001", NULL, 0x99, NULL },
};

TEST_EACH(reasons, cases)
{
	struct synth *synth = synth_create(ARCH_AMD64, cases[i].os, false);
	struct opened opened;

	synth_thread(synth, 0x11, NULL, 0, NULL, 0);
	synth_exception(synth, 0x11, cases[i].code, cases[i].flags, cases[i].address);
	for (unsigned n = 0; n < cases[i].parameter_count; n++)
		synth_parameter(synth, cases[i].parameters[n]);
	open_synth(&opened, synth);
	const char *note = opened.crash.cause.note;
	is_str(opened.crash.reason, cases[i].reason, "code 0x%x has Breakpad's name", cases[i].code);
	is_str(opened.crash.cause.text, cases[i].cause != NULL ? cases[i].cause : cases[i].reason,
	       "code 0x%x has its full name", cases[i].code);
	is_u64(opened.crash.reason_address, cases[i].reason_address, "code 0x%x has its address", cases[i].code);
	if (cases[i].note == NULL)
		is_str(note, NULL, "code 0x%x has no note", cases[i].code);
	else
		ok(note != NULL && strstr(note, cases[i].note) != NULL, "the note says '%s' (%s)", cases[i].note, note != NULL ? note : "");
	close_synth(&opened);
}

/* Names that depend on the processor. */
static const struct {
	enum arch_id arch;
	enum crash_os os;
	uint32_t code, flags;
	const char *cause;
} rows[] = {
	/* Linux: uapi/asm/signal.h of arch/mips/include and arch/sparc/include. */
	{ ARCH_MIPS, CRASH_OS_LINUX, 10, 1, "SIGBUS / BUS_ADRALN" }, { ARCH_MIPS, CRASH_OS_LINUX, 12, 1, "SIGSYS / SYS_SECCOMP" },
	{ ARCH_MIPS, CRASH_OS_LINUX, 7, 1, "SIGEMT / 0x00000001" }, { ARCH_SPARC, CRASH_OS_LINUX, 30, 0x80, "SIGUSR1 / SI_KERNEL" },
	{ ARCH_ARM64, CRASH_OS_LINUX, 7, 1, "SIGBUS / BUS_ADRALN" },
	/* mach/arm/exception.h, mach/ppc/exception.h */
	{ ARCH_ARM64, CRASH_OS_MAC, 1, 0x105, "EXC_BAD_ACCESS / EXC_ARM_PAC_FAIL" },
	{ ARCH_ARM64, CRASH_OS_MAC, 3, 2, "EXC_ARITHMETIC / EXC_ARM_FP_DZ" },
	{ ARCH_ARM64, CRASH_OS_IOS, 6, 1, "EXC_BREAKPOINT / EXC_ARM_BREAKPOINT" },
	{ ARCH_AMD64, CRASH_OS_MAC, 1, 0x105, "EXC_BAD_ACCESS / 0x00000105" },
	{ ARCH_PPC, CRASH_OS_MAC, 1, 0x101, "EXC_BAD_ACCESS / EXC_PPC_VM_PROT_READ" },
	{ ARCH_PPC, CRASH_OS_MAC, 3, 2, "EXC_ARITHMETIC / EXC_PPC_ZERO_DIVIDE" },
};

TEST_EACH(processors, rows)
{
	struct synth *synth = synth_create(rows[i].arch, rows[i].os, false);
	struct opened opened;

	synth_exception(synth, 1, rows[i].code, rows[i].flags, 0x99);
	open_synth(&opened, synth);
	is_str(opened.crash.cause.text, rows[i].cause, "the cause on %s is named", opened.crash.system.cpu_name);
	close_synth(&opened);
}

/* The contents of siginfo if a process sent the signal. */
TEST(sender)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_thread(synth, 0x11, NULL, 0, NULL, 0);
	synth_exception(synth, 0x11, 6, 0xffffffff, 0x3e800003465);
	open_synth(&opened, synth);
	is_str(crash_describe_sender(&opened.crash).text, "process 13413, user id 1000", "SIGABRT of another process has its sender");
	ok(opened.crash.cause.address == CRASH_ADDRESS_SENDER, "the address of such a signal is marked as a sender");
	close_synth(&opened);

	synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, true);
	synth_thread(synth, 0x11, NULL, 0, NULL, 0);
	synth_exception(synth, 0x11, 6, 0xfffffffa, UINT64_C(0x11000003e8));
	open_synth(&opened, synth);
	is_str(crash_describe_sender(&opened.crash).text,
	       "process 17, this process itself, user id 1000", "the sender is read in big endian");
	close_synth(&opened);

	synth = synth_create(ARCH_X86, CRASH_OS_LINUX, false);
	synth_exception(synth, 1, 11, 1, 0x99);
	open_synth(&opened, synth);
	is_str(crash_describe_sender(&opened.crash).text, "", "a fault has no sender");
	ok(opened.crash.cause.fault == CRASH_FAULT_MEMORY, "a fault is one of memory");
	close_synth(&opened);
}

/* The 14th word of the thread environment block is the last error. */
TEST(last_error)
{
	for (int wide = 0; wide < 2; wide++) {
		struct synth *synth = synth_create(wide ? ARCH_AMD64 : ARCH_X86, CRASH_OS_WINDOWS, false);
		uint8_t teb[0x80] = { 0 };
		struct opened opened;

		teb[wide ? 0x68 : 0x34] = 5;
		synth_thread(synth, 0x11, NULL, 0, NULL, 0);
		synth_thread_teb(synth, 0x7ffd0000);
		synth_thread(synth, 0x12, NULL, 0, NULL, 0);
		synth_thread_teb(synth, 0x7ffe0000);
		synth_memory(synth, 0x7ffd0000, teb, sizeof(teb), false);
		open_synth(&opened, synth);
		ok(opened.crash.threads[0].has_last_error, "the last error is read from the TEB");
		is_u64(opened.crash.threads[0].last_error, 5, "the last error is the 14th word of the TEB");
		is_str(opened.crash.threads[0].last_error_name, "ERROR_ACCESS_DENIED", "the last error has its name");
		ok(!opened.crash.threads[1].has_last_error, "without memory of the TEB the last error is unknown");
		close_synth(&opened);
	}
}

/* Writers sign-extend 32-bit addresses. */
static const struct {
	enum arch_id arch;
	uint64_t address;
} narrow[] = {
	{ ARCH_X86, 0xfffffff0 }, { ARCH_ARM, 0xfffffff0 }, { ARCH_PPC, 0xfffffff0 },
	{ ARCH_AMD64, 0xfffffffffffffff0 }, { ARCH_ARM64, 0xfffffffffffffff0 },
};

TEST_EACH(narrow_addresses, narrow)
{
	struct synth *synth = synth_create(narrow[i].arch, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_exception(synth, 1, 11, 1, 0xfffffffffffffff0);
	open_synth(&opened, synth);
	is_u64(opened.crash.reason_address, narrow[i].address,
	       "an address of %s has at most the bits of its words", opened.crash.system.cpu_name);
	is_u64(opened.crash.exception.address, 0xfffffffffffffff0, "the exception keeps the address of the dump");
	close_synth(&opened);
}

TEST(lldb)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	struct opened opened;

	synth_exception(synth, 1, 11, 0, 0x401000);
	synth_stream(synth, 0x4c4c4442, "", 0);
	open_synth(&opened, synth);
	ok(opened.crash.cause.note != NULL && strstr(opened.crash.cause.note, "pc") != NULL, "the note says that LLDB writes the pc");
	ok(opened.crash.cause.address == CRASH_ADDRESS_PC, "the address of an LLDB dump is marked as the pc");
	close_synth(&opened);
}

static const struct {
	uint32_t number;
	const char *name, *title;
} numbers[] = {
	{ 0xc0000001, "STATUS_UNSUCCESSFUL", "the first status of the table" },
	{ 0xc0000374, "STATUS_HEAP_CORRUPTION", "a number in the middle of the table" },
	{ 0xc0210000, "STATUS_FVE_LOCKED_VOLUME", "a status of another facility" }, { 0xdeadbeef, "none", "a number that is no status" },
	{ 1, "ERROR_INVALID_FUNCTION", "the first error of the table" },
	{ 1450, "ERROR_NO_SYSTEM_RESOURCES", "a number in the middle of the table" },
	{ 1722, "RPC_S_SERVER_UNAVAILABLE", "an error without the prefix ERROR_" },
	{ 11004, "WSANO_DATA", "one of the last errors" }, { 0, "ERROR_SUCCESS", "no error" },
	{ 35, "none", "a number that is no error" },
};

TEST_EACH(numbers, numbers)
{
	char name[96] = "none";

	reason_windows_number(numbers[i].number, name, sizeof(name));
	is_str(name, numbers[i].name, "the name of %s is right", numbers[i].title);
}
