/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason.h"

#include <inttypes.h>
#include <stdio.h>

/* Processors as Breakpad tells them apart here: arm64 of the new number is none of them. */
#define X86 1u
#define ARM 2u
#define PPC 4u
#define ANY 8u

static const struct {
	uint16_t processor;
	unsigned family;
} families[] = {
	{ 0, X86 }, { 9, X86 }, { 5, ARM }, { 0x8003, ARM }, { 3, PPC },
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
	{ X86, 8, "EXC_I386_SSEEXTERR" },
};

static const struct mac_code software_codes[] = {
	{ ANY, 0x10002, "SIGABRT" },		{ ANY, 0xdeadc0de, "UNCAUGHT_NS_EXCEPTION" },
	{ ANY, 1, "EXC_PPC_TRAP" },		{ ANY, 0x10100, "EXC_PPC_MIGRATE" },
};

static const struct mac_code breakpoint_codes[] = {
	{ ARM, 0x101, "EXC_ARM_DA_ALIGN" },	{ ARM, 0x102, "EXC_ARM_DA_DEBUG" },
	{ ARM, 1, "EXC_ARM_BREAKPOINT" },	{ PPC, 1, "EXC_PPC_BREAKPOINT" },
	{ X86, 1, "EXC_I386_SGL" },		{ X86, 2, "EXC_I386_BPT" },
};

#define CODES(table) table, ARRAY_COUNT(table)

static const struct {
	uint32_t code;
	bool flags;			/* the name is followed by the flags or their name */
	const char *name;
	const struct mac_code *codes;
	size_t count;
} exceptions[] = {
	{ 1, true, "EXC_BAD_ACCESS / ", CODES(access_codes) },
	{ 2, true, "EXC_BAD_INSTRUCTION / ", CODES(instruction_codes) },
	{ 3, true, "EXC_ARITHMETIC / ", CODES(arithmetic_codes) },
	{ 4, true, "EXC_EMULATION / ", NULL, 0 },
	{ 5, true, "EXC_SOFTWARE / ", CODES(software_codes) },
	{ 6, true, "EXC_BREAKPOINT / ", CODES(breakpoint_codes) },
	{ 7, true, "EXC_SYSCALL / ", NULL, 0 },
	{ 8, true, "EXC_MACH_SYSCALL / ", NULL, 0 },
	{ 9, true, "EXC_RPC_ALERT / ", NULL, 0 },
	{ 11, true, "EXC_RESOURCE / ", NULL, 0 },
	{ 12, true, "EXC_GUARD / ", NULL, 0 },
	{ 0x43507378, false, "Simulated Exception", NULL, 0 },
	{ 0x43506e78, false, "Uncaught NSException", NULL, 0 },
};

#define EXC_BAD_ACCESS 1u
#define EXC_CRASH 10u
#define EXC_RESOURCE 11u
#define EXC_GUARD 12u

/* Codes of EXC_BAD_ACCESS that Breakpad prints as numbers. */
static const struct reason_name access_more[] = {
	{ 5, "KERN_FAILURE" }, { 0x101, "EXC_ARM_DA_ALIGN" }, { 0x102, "EXC_ARM_DA_DEBUG" },
	{ 0x103, "EXC_ARM_SP_ALIGN" }, { 0x104, "EXC_ARM_SWP" }, { 0x105, "EXC_ARM_PAC_FAIL" },
};

/* Kinds in the top three bits of the flags (kern/exc_resource.h, kern/exc_guard.h). */
static const struct reason_name resources[] = {
	{ 1, "CPU" }, { 2, "WAKEUPS" }, { 3, "MEMORY" }, { 4, "IO" }, { 5, "THREADS" },
};

static const struct reason_name guards[] = {
	{ 1, "MACH_PORT" }, { 2, "FD" }, { 3, "USER" }, { 4, "VN" }, { 5, "VIRT_MEMORY" },
	{ 6, "REJECTED_SC" },
};

static void
note_resource(const struct crash_exception *exception, struct reason *reason)
{
	uint64_t code = exception->parameter_count >= 2 ? exception->parameters[1] : 0;
	uint64_t subcode = exception->parameter_count >= 3 ? exception->parameters[2] : 0;
	uint32_t type = exception->flags >> 29;
	const char *name = reason_name(resources, ARRAY_COUNT(resources), type);

	if (name == NULL || exception->parameter_count < 2)
		reason_note(reason, "resource %s", name != NULL ? name : "of an unknown kind");
	else if (type == 1)
		reason_note(reason, "resource CPU: %" PRIu64 "%% used, limit %" PRIu64
			    "%% over %" PRIu64 " s", subcode & 0x7f, code & 0x7f,
			    code >> 7 & 0x1ffffff);
	else if (type == 2)
		reason_note(reason, "resource WAKEUPS: %" PRIu64 " per second seen, %" PRIu64
			    " permitted over %" PRIu64 " s", subcode & 0xfff, code & 0xfff,
			    code >> 20 & 0xfffff);
	else if (type == 3)
		reason_note(reason, "resource MEMORY: limit %" PRIu64 " MiB", code & 0x1fff);
	else
		reason_note(reason, "resource %s: limit %" PRIu64, name, code & 0x7fff);
}

static void
note_hidden(const struct crash_exception *exception, struct reason *reason)
{
	const char *name;

	if (exception->code == EXC_CRASH) {
		reason_note(reason, "EXC_CRASH: the process ended by a signal");
	} else if (exception->code == EXC_RESOURCE) {
		note_resource(exception, reason);
	} else if (exception->code == EXC_GUARD) {
		name = reason_name(guards, ARRAY_COUNT(guards), exception->flags >> 29);
		reason_note(reason, "guard %s", name != NULL ? name : "of an unknown kind");
	} else if (exception->code == EXC_BAD_ACCESS) {
		name = reason_name(access_more, ARRAY_COUNT(access_more), exception->flags);
		if (name != NULL)
			reason_note(reason, "the code is %s", name);
	}
}

void
reason_mac(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;
	unsigned family = ANY;
	const char *name = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(families); i++)
		if (families[i].processor == minidump->processor)
			family |= families[i].family;
	for (size_t i = 0; i < ARRAY_COUNT(exceptions); i++) {
		if (exceptions[i].code != exception->code)
			continue;
		for (size_t j = 0; name == NULL && j < exceptions[i].count; j++)
			if ((exceptions[i].codes[j].families & family) != 0 &&
			    exceptions[i].codes[j].value == exception->flags)
				name = exceptions[i].codes[j].name;
		if (exceptions[i].flags)
			reason_with_flags(reason, exceptions[i].name, name, exception->flags);
		else
			snprintf(reason->text, sizeof(reason->text), "%s", exceptions[i].name);
	}
	if (name == NULL)
		note_hidden(exception, reason);
}
