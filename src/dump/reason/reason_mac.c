/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The processors that Breakpad distinguishes here; the new number of arm64 is not among them. */
#define X86 1u
#define ARM 2u
#define PPC 4u
#define ANY 8u
/* Flag of names that Breakpad lacks; Breakpad prints a number. */
#define MORE 16u

static const struct {
	uint16_t processor;
	unsigned breakpad, family;
} families[] = {
	{ 0, X86, X86 },      { 9, X86, X86 }, { 5, ARM, ARM },	   { 0x8003, ARM, ARM },
	{ 12, 0, ARM },	      { 3, PPC, PPC }, { 0x8002, 0, PPC },
};

/* Codes of one exception: mach/exception_types.h, mach/kern_return.h and mach/<cpu>/exception.h. */
struct mac_code {
	unsigned families;
	uint32_t value;
	const char *name;
};

static const struct mac_code access_codes[] = {
	{ ANY, 1, "KERN_INVALID_ADDRESS" },	{ ANY, 2, "KERN_PROTECTION_FAILURE" },
	{ ANY, 8, "KERN_NO_ACCESS" },		{ ANY, 9, "KERN_MEMORY_FAILURE" },
	{ ANY, 10, "KERN_MEMORY_ERROR" },	{ ANY, 50, "KERN_CODESIGN_ERROR" },
	{ ARM, 0x101, "EXC_ARM_DA_ALIGN" },	{ ARM, 0x102, "EXC_ARM_DA_DEBUG" },
	{ PPC, 0x101, "EXC_PPC_VM_PROT_READ" },	{ PPC, 0x102, "EXC_PPC_BADSPACE" },
	{ PPC, 0x103, "EXC_PPC_UNALIGNED" },	{ X86, 13, "EXC_I386_GPFLT" },
	{ ARM | MORE, 0x103, "EXC_ARM_SP_ALIGN" }, { ARM | MORE, 0x104, "EXC_ARM_SWP" },
	{ ARM | MORE, 0x105, "EXC_ARM_PAC_FAIL" }, { ANY | MORE, 3, "KERN_NO_SPACE" },
	{ ANY | MORE, 4, "KERN_INVALID_ARGUMENT" }, { ANY | MORE, 5, "KERN_FAILURE" },
	{ ANY | MORE, 6, "KERN_RESOURCE_SHORTAGE" },
};

static const struct mac_code instruction_codes[] = {
	{ ARM, 1, "EXC_ARM_UNDEFINED" },	{ PPC, 1, "EXC_PPC_INVALID_SYSCALL" },
	{ PPC, 2, "EXC_PPC_UNIPL_INST" },	{ PPC, 3, "EXC_PPC_PRIVINST" },
	{ PPC, 4, "EXC_PPC_PRIVREG" },		{ PPC, 5, "EXC_PPC_TRACE" },
	{ PPC, 6, "EXC_PPC_PERFMON" },		{ X86, 1, "EXC_I386_INVOP" },
	{ X86, 10, "EXC_I386_INVTSSFLT" },	{ X86, 11, "EXC_I386_SEGNPFLT" },
	{ X86, 12, "EXC_I386_STKFLT" },		{ X86, 13, "EXC_I386_GPFLT" },
	{ X86, 17, "EXC_I386_ALIGNFLT" },
};

static const struct mac_code arithmetic_codes[] = {
	{ PPC, 1, "EXC_PPC_OVERFLOW" },		{ PPC, 2, "EXC_PPC_ZERO_DIVIDE" },
	{ PPC, 3, "EXC_FLT_INEXACT" },		{ PPC, 4, "EXC_PPC_FLT_ZERO_DIVIDE" },
	{ PPC, 5, "EXC_PPC_FLT_UNDERFLOW" },	{ PPC, 6, "EXC_PPC_FLT_OVERFLOW" },
	{ PPC, 7, "EXC_PPC_FLT_NOT_A_NUMBER" },	{ PPC, 8, "EXC_PPC_NOEMULATION" },
	{ PPC, 9, "EXC_PPC_ALTIVECASSIST" },	{ X86, 1, "EXC_I386_DIV" },
	{ X86, 2, "EXC_I386_INTO" },		{ X86, 3, "EXC_I386_NOEXT" },
	{ X86, 4, "EXC_I386_EXTOVR" },		{ X86, 5, "EXC_I386_EXTERR" },
	{ X86, 6, "EXC_I386_EMERR" },		{ X86, 7, "EXC_I386_BOUND" },
	{ X86, 8, "EXC_I386_SSEEXTERR" },	{ ARM | MORE, 0, "EXC_ARM_FP_UNDEFINED" },
	{ ARM | MORE, 1, "EXC_ARM_FP_IO" },	{ ARM | MORE, 2, "EXC_ARM_FP_DZ" },
	{ ARM | MORE, 3, "EXC_ARM_FP_OF" },	{ ARM | MORE, 4, "EXC_ARM_FP_UF" },
	{ ARM | MORE, 5, "EXC_ARM_FP_IX" },	{ ARM | MORE, 6, "EXC_ARM_FP_ID" },
};

static const struct mac_code software_codes[] = {
	{ ANY, 0x10002, "SIGABRT" },		{ ANY, 0xdeadc0de, "UNCAUGHT_NS_EXCEPTION" },
	{ ANY, 1, "EXC_PPC_TRAP" },		{ ANY, 0x10100, "EXC_PPC_MIGRATE" },
	{ ANY | MORE, 0x10000, "SIGSYS" },	{ ANY | MORE, 0x10001, "SIGPIPE" },
	{ ANY | MORE, 0x10003, "EXC_SOFT_SIGNAL" },
};

static const struct mac_code breakpoint_codes[] = {
	{ ARM, 0x101, "EXC_ARM_DA_ALIGN" },	{ ARM, 0x102, "EXC_ARM_DA_DEBUG" },
	{ ARM, 1, "EXC_ARM_BREAKPOINT" },	{ PPC, 1, "EXC_PPC_BREAKPOINT" },
	{ X86, 1, "EXC_I386_SGL" },		{ X86, 2, "EXC_I386_BPT" },
};

#define CODES(table) table, ARRAY_COUNT(table)

static const struct mac_exception {
	uint32_t code;
	bool breakpad;			/* Breakpad has this name, too */
	bool flags;			/* the name is followed by the flags or their name */
	const char *name;
	enum crash_fault fault;
	const struct mac_code *codes;
	size_t count;
} exceptions[] = {
	{ 1, true, true, "EXC_BAD_ACCESS", CRASH_FAULT_MEMORY, CODES(access_codes) },
	{ 2, true, true, "EXC_BAD_INSTRUCTION", CRASH_FAULT_INSTRUCTION,
	  CODES(instruction_codes) },
	{ 3, true, true, "EXC_ARITHMETIC", CRASH_FAULT_OTHER, CODES(arithmetic_codes) },
	{ 4, true, true, "EXC_EMULATION", CRASH_FAULT_OTHER, NULL, 0 },
	{ 5, true, true, "EXC_SOFTWARE", CRASH_FAULT_OTHER, CODES(software_codes) },
	{ 6, true, true, "EXC_BREAKPOINT", CRASH_FAULT_BREAKPOINT, CODES(breakpoint_codes) },
	{ 7, true, true, "EXC_SYSCALL", CRASH_FAULT_OTHER, NULL, 0 },
	{ 8, true, true, "EXC_MACH_SYSCALL", CRASH_FAULT_OTHER, NULL, 0 },
	{ 9, true, true, "EXC_RPC_ALERT", CRASH_FAULT_OTHER, NULL, 0 },
	{ 10, false, true, "EXC_CRASH", CRASH_FAULT_OTHER, NULL, 0 },
	{ 11, true, true, "EXC_RESOURCE", CRASH_FAULT_OTHER, NULL, 0 },
	{ 12, true, true, "EXC_GUARD", CRASH_FAULT_OTHER, NULL, 0 },
	{ 13, false, true, "EXC_CORPSE_NOTIFY", CRASH_FAULT_OTHER, NULL, 0 },
	{ 0x43507378, true, false, "Simulated Exception", CRASH_FAULT_OTHER, NULL, 0 },
	{ 0x43506e78, true, false, "Uncaught NSException", CRASH_FAULT_ABORT, NULL, 0 },
};

#define EXC_CRASH 10u
#define EXC_RESOURCE 11u
#define EXC_GUARD 12u

/* A flavor and its type. The type is the top three bits of a code. */
struct flavor {
	uint32_t type, flavor;
	const char *name;
};

/* kern/exc_resource.h */
static const struct flavor resource_flavors[] = {
	{ 1, 1, "FLAVOR_CPU_MONITOR" },	      { 1, 2, "FLAVOR_CPU_MONITOR_FATAL" },
	{ 2, 1, "FLAVOR_WAKEUPS_MONITOR" },   { 3, 1, "FLAVOR_HIGH_WATERMARK" },
	{ 3, 2, "FLAVOR_DIAG_MEMLIMIT" },     { 4, 1, "FLAVOR_IO_PHYSICAL_WRITES" },
	{ 4, 2, "FLAVOR_IO_LOGICAL_WRITES" }, { 5, 1, "FLAVOR_THREADS_HIGH_WATERMARK" },
	{ 6, 1, "FLAVOR_PORT_SPACE_FULL" },
};

static const char *const resource_types[] = {
	NULL, "CPU", "WAKEUPS", "MEMORY", "IO", "THREADS", "PORTS", NULL,
};

/* kern/exc_guard.h, mach/port.h, sys/guarded.h. */
static const char *const guard_types[] = {
	NULL, "MACH_PORT", "FD", "USER", "VN", "VIRT_MEMORY", "REJECTED_SC", NULL,
};

static const struct flavor guard_flavors[] = {
	{ 1, 1, "GUARD_EXC_DESTROY" },	     { 1, 2, "GUARD_EXC_MOD_REFS" },
	{ 1, 4, "GUARD_EXC_SET_CONTEXT" },   { 1, 8, "GUARD_EXC_UNGUARDED" },
	{ 1, 16, "GUARD_EXC_INCORRECT_GUARD" }, { 1, 32, "GUARD_EXC_IMMOVABLE" },
	{ 1, 64, "GUARD_EXC_STRICT_REPLY" }, { 1, 128, "GUARD_EXC_MSG_FILTERED" },
	{ 1, 1 << 8, "GUARD_EXC_INVALID_RIGHT" }, { 1, 1 << 9, "GUARD_EXC_INVALID_NAME" },
	{ 1, 1 << 10, "GUARD_EXC_INVALID_VALUE" },
	{ 1, 1 << 11, "GUARD_EXC_INVALID_ARGUMENT" },
	{ 1, 1 << 12, "GUARD_EXC_RIGHT_EXISTS" }, { 1, 1 << 13, "GUARD_EXC_KERN_NO_SPACE" },
	{ 1, 1 << 14, "GUARD_EXC_KERN_FAILURE" }, { 1, 1 << 15, "GUARD_EXC_KERN_RESOURCE" },
	{ 1, 1 << 16, "GUARD_EXC_SEND_INVALID_REPLY" },
	{ 2, 1, "GUARD_EXC_CLOSE" },	     { 2, 2, "GUARD_EXC_DUP" },
	{ 2, 4, "GUARD_EXC_NOCLOEXEC" },     { 2, 8, "GUARD_EXC_SOCKET_IPC" },
	{ 2, 16, "GUARD_EXC_FILEPORT" },     { 2, 32, "GUARD_EXC_MISMATCH" },
	{ 2, 64, "GUARD_EXC_WRITE" },	     { 4, 1, "GUARD_EXC_RENAME_TO" },
	{ 4, 2, "GUARD_EXC_RENAME_FROM" },   { 4, 4, "GUARD_EXC_UNLINK" },
	{ 4, 8, "GUARD_EXC_WRITE_OTHER" },   { 4, 16, "GUARD_EXC_TRUNC_OTHER" },
	{ 4, 32, "GUARD_EXC_LINK" },	     { 4, 64, "GUARD_EXC_EXCHDATA" },
	{ 5, 1, "GUARD_EXC_DEALLOC_GAP" },
};

/* macOS's signal numbers, for EXC_CRASH. */
static const struct meaning signals[] = {
	{ 1, "SIGHUP" },   { 2, "SIGINT" },   { 3, "SIGQUIT" },	 { 4, "SIGILL" },
	{ 5, "SIGTRAP" },  { 6, "SIGABRT" },  { 7, "SIGEMT" },	 { 8, "SIGFPE" },
	{ 9, "SIGKILL" },  { 10, "SIGBUS" },  { 11, "SIGSEGV" }, { 12, "SIGSYS" },
	{ 13, "SIGPIPE" }, { 14, "SIGALRM" }, { 15, "SIGTERM" }, { 24, "SIGXCPU" },
	{ 25, "SIGXFSZ" }, { 30, "SIGUSR1" }, { 31, "SIGUSR2" },
};

/* The code. Some writers store it after the exception's type, others only its upper half. */
static uint64_t
full_code(const struct crash_exception *exception)
{
	if (exception->parameter_count >= 2)
		return exception->parameters[1];
	return (uint64_t)exception->flags << 32;
}

static uint64_t
full_subcode(const struct crash_exception *exception)
{
	return exception->parameter_count >= 3 ? exception->parameters[2] : 0;
}

static const char *
type_name(const char *const *names, uint32_t type)
{
	return names[type & 7] != NULL ? names[type & 7] : "unknown";
}

static const char *
flavor_name(const struct flavor *flavors, size_t count, uint32_t type, uint32_t flavor)
{
	for (size_t i = 0; i < count; i++)
		if (flavors[i].type == type && flavors[i].flavor == flavor)
			return flavors[i].name;
	return "unknown flavor";
}

static void
name_resource(const struct crash_exception *exception, struct reason *reason)
{
	uint64_t code = full_code(exception), subcode = full_subcode(exception);
	uint32_t type = exception->flags >> 29, flavor = (uint32_t)(code >> 58 & 7);
	const char *kind = type_name(resource_types, type);
	const char *name = flavor_name(CODES(resource_flavors), type, flavor);
	char fields[120] = "";

	reason->kind.address = CRASH_ADDRESS_UNTOLD;
	if (exception->parameter_count < 2) {
		reason_cause(reason, "EXC_RESOURCE / RESOURCE_TYPE_%s", kind);
		return;
	}
	if (type == 1)
		snprintf(fields, sizeof(fields), ": %" PRIu64 "%% used, limit %" PRIu64
			 "%% over %" PRIu64 " s", subcode & 0x7f, code & 0x7f,
			 code >> 7 & 0x1ffffff);
	else if (type == 2)
		snprintf(fields, sizeof(fields), ": %" PRIu64 " wakeups per second, %" PRIu64
			 " permitted, over %" PRIu64 " s", subcode & 0xfff, code & 0xfff,
			 code >> 20 & 0xfffff);
	else if (type == 3)
		snprintf(fields, sizeof(fields), ": limit %" PRIu64 " MiB", code & 0x1fff);
	else if (type == 4)
		snprintf(fields, sizeof(fields), ": %" PRIu64 " MiB written, limit %" PRIu64
			 " MiB over %" PRIu64 " s", subcode & 0x7fff, code & 0x7fff,
			 code >> 15 & 0x1ffff);
	else if (type == 5)
		snprintf(fields, sizeof(fields), ": limit %" PRIu64 " threads", code & 0x7fff);
	else
		snprintf(fields, sizeof(fields), ": code 0x%" PRIx64, code);
	reason_cause(reason, "EXC_RESOURCE / RESOURCE_TYPE_%s / %s%s", kind, name, fields);
}

static void
name_guard(const struct crash_exception *exception, struct reason *reason)
{
	uint64_t code = full_code(exception), subcode = full_subcode(exception);
	uint32_t type = exception->flags >> 29, flavor = (uint32_t)(code >> 32 & 0x1fffffff);
	const char *kind = type_name(guard_types, type);
	const char *name = flavor_name(CODES(guard_flavors), type, flavor);
	char fields[120] = "";

	reason->kind.address = type == 5 ? CRASH_ADDRESS_MEMORY : CRASH_ADDRESS_UNTOLD;
	if (exception->parameter_count < 2)
		fields[0] = '\0';
	else if (type == 1)
		snprintf(fields, sizeof(fields), ": port 0x%" PRIx64 ", guard 0x%" PRIx64,
			 code & 0xfffffff, subcode);
	else if (type == 2)
		snprintf(fields, sizeof(fields), ": file descriptor %" PRIu64 ", guard 0x%" PRIx64,
			 code & UINT32_MAX, subcode);
	else if (type == 3)
		snprintf(fields, sizeof(fields), ": namespace %" PRIu64 ", guard 0x%" PRIx64,
			 code & UINT32_MAX, subcode);
	else if (type == 4)
		snprintf(fields, sizeof(fields), ": process %" PRIu64 ", guard 0x%" PRIx64,
			 code & UINT32_MAX, subcode);
	else if (type == 6)
		snprintf(fields, sizeof(fields), ": system call %" PRIu64 " of kind %" PRIu64,
			 subcode & UINT32_MAX, code & UINT32_MAX);
	reason_cause(reason, "EXC_GUARD / GUARD_TYPE_%s / %s%s", kind, name, fields);
}

/* The signal that ended the process and the exception before it (XNU: kern_exit.c). */
static void
name_crash(const struct crash_exception *exception, struct reason *reason)
{
	uint32_t code = exception->flags, before = code >> 20 & 0xf;
	const char *signal = meaning_text(VALUES(signals), code >> 24);
	const char *first = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(exceptions); i++)
		if (before != 0 && exceptions[i].code == before)
			first = exceptions[i].name;
	if (signal == NULL)
		return;
	reason_cause(reason, "EXC_CRASH / %s", signal);
	reason->kind.fault = reason_signal_fault(signal, 0);
	reason->kind.address = CRASH_ADDRESS_UNTOLD;
	if (first != NULL)
		reason_note(reason, "it began as %s with code 0x%05" PRIx32, first,
			    code & 0xfffff);
}

static const struct mac_code *
code_of(const struct mac_exception *exception, unsigned family, uint32_t value)
{
	for (size_t i = 0; i < exception->count; i++) {
		const struct mac_code *code = &exception->codes[i];

		if (code->value == value && (code->families & family & ~MORE) != 0 &&
		    ((code->families & MORE) == 0 || (family & MORE) != 0))
			return code;
	}
	return NULL;
}

static void
name_plain(const struct mac_exception *kind, uint32_t flags, unsigned family,
	   struct reason *reason)
{
	const struct mac_code *code = code_of(kind, family | ANY | MORE, flags);

	reason->kind.fault = kind->fault;
	if (!kind->flags)
		reason_cause(reason, "%s", kind->name);
	else if (code != NULL)
		reason_cause(reason, "%s / %s", kind->name, code->name);
	else
		reason_cause(reason, "%s / 0x%08" PRIx32, kind->name, flags);
	if (code == NULL)
		return;
	if (strcmp(code->name, "EXC_I386_DIV") == 0 ||
	    strcmp(code->name, "EXC_PPC_ZERO_DIVIDE") == 0)
		reason->kind.fault = CRASH_FAULT_DIVISION;
	else if (strcmp(code->name, "SIGABRT") == 0)
		reason->kind.fault = CRASH_FAULT_ABORT;
	else if (strcmp(code->name, "EXC_I386_GPFLT") == 0 &&
		 kind->fault == CRASH_FAULT_INSTRUCTION)
		reason->kind.fault = CRASH_FAULT_PRIVILEGE;
	else if (strcmp(code->name, "EXC_I386_GPFLT") == 0 && reason->address == 0)
		reason->kind.address = CRASH_ADDRESS_UNTOLD;
	if (reason->kind.address == CRASH_ADDRESS_UNTOLD)
		reason_note(reason, "the processor reported no address (often a non-canonical "
				    "one)");
}

uint32_t
reason_mac_code(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(exceptions); i++)
		if (strcmp(exceptions[i].name, name) == 0)
			return exceptions[i].code;
	return 0;
}

void
reason_mac(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;
	const struct mac_exception *kind = NULL;
	unsigned breakpad = ANY, family = 0;

	for (size_t i = 0; i < ARRAY_COUNT(families); i++) {
		if (families[i].processor != minidump->processor)
			continue;
		breakpad |= families[i].breakpad;
		family |= families[i].family;
	}
	for (size_t i = 0; i < ARRAY_COUNT(exceptions); i++)
		if (exceptions[i].code == exception->code)
			kind = &exceptions[i];
	if (kind == NULL)
		return;
	name_plain(kind, exception->flags, family, reason);
	if (exception->code == EXC_RESOURCE)
		name_resource(exception, reason);
	else if (exception->code == EXC_GUARD)
		name_guard(exception, reason);
	else if (exception->code == EXC_CRASH)
		name_crash(exception, reason);
	const struct mac_code *code = code_of(kind, breakpad, exception->flags);
	if (kind->breakpad && kind->flags)
		reason_with_flags(reason, kind->name, " / ", code != NULL ? code->name : NULL,
				  exception->flags);
	else if (kind->breakpad)
		reason_text(reason, "%s", kind->name);
}
