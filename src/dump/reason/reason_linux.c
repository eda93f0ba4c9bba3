/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason/reason.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Codes of signals, first those in Breakpad's tables (Linux, uapi/asm-generic/siginfo.h). */
static const struct meaning ill_codes[] = {
	{ 1, "ILL_ILLOPC" }, { 2, "ILL_ILLOPN" }, { 3, "ILL_ILLADR" },
	{ 4, "ILL_ILLTRP" }, { 5, "ILL_PRVOPC" }, { 6, "ILL_PRVREG" },
	{ 7, "ILL_COPROC" }, { 8, "ILL_BADSTK" }, { 9, "ILL_BADIADDR" },
};

static const struct meaning trap_codes[] = {
	{ 1, "TRAP_BRKPT" },  { 2, "TRAP_TRACE" }, { 3, "TRAP_BRANCH" },
	{ 4, "TRAP_HWBKPT" }, { 5, "TRAP_UNK" },   { 6, "TRAP_PERF" },
};

static const struct meaning bus_codes[] = {
	{ 1, "BUS_ADRALN" },	{ 2, "BUS_ADRERR" },	{ 3, "BUS_OBJERR" },
	{ 4, "BUS_MCEERR_AR" }, { 5, "BUS_MCEERR_AO" },
};

static const struct meaning fpe_codes[] = {
	{ 1, "FPE_INTDIV" }, { 2, "FPE_INTOVF" }, { 3, "FPE_FLTDIV" }, { 4, "FPE_FLTOVF" },
	{ 5, "FPE_FLTUND" }, { 6, "FPE_FLTRES" }, { 7, "FPE_FLTINV" }, { 8, "FPE_FLTSUB" },
};

static const struct meaning segv_codes[] = {
	{ 1, "SEGV_MAPERR" },  { 2, "SEGV_ACCERR" },  { 3, "SEGV_BNDERR" },  { 4, "SEGV_PKUERR" },
	{ 5, "SEGV_ACCADI" },  { 6, "SEGV_ADIDERR" }, { 7, "SEGV_ADIPERR" },
	{ 8, "SEGV_MTEAERR" }, { 9, "SEGV_MTESERR" }, { 10, "SEGV_CPERR" },
};

static const struct meaning sys_codes[] = {
	{ 1, "SYS_SECCOMP" }, { 2, "SYS_USER_DISPATCH" },
};

static const struct meaning any_codes[] = {
	{ 0, "SI_USER" },
	{ 0x80, "SI_KERNEL" },
	{ (uint32_t)-1, "SI_QUEUE" },
	{ (uint32_t)-2, "SI_TIMER" },
	{ (uint32_t)-3, "SI_MESGQ" },
	{ (uint32_t)-4, "SI_ASYNCIO" },
	{ (uint32_t)-5, "SI_SIGIO" },
	{ (uint32_t)-6, "SI_TKILL" },
	{ (uint32_t)-7, "SI_DETHREAD" },
	{ (uint32_t)-60, "SI_ASYNCNL" },
};

#define BUS_ADRERR 2u
#define SI_USER 0u
#define SI_KERNEL 0x80u
#define SI_QUEUE ((uint32_t)-1)
#define SI_TKILL ((uint32_t)-6)
#define DUMP_REQUESTED UINT32_MAX
/* Limit of process IDs (PID_MAX_LIMIT). */
#define PROCESS_MOST 0x400000u

#define CODES(table, known) table, ARRAY_COUNT(table), known

static const struct signal {
	uint32_t number;
	const char *name;
	const char *separator;		/* Breakpad's text before the code; NULL: no code */
	const struct meaning *codes;
	size_t count, known;		/* the first `known` codes are in Breakpad's table */
	enum crash_fault fault;
} signals[] = {
	{ 1, .name = "SIGHUP" }, { 2, .name = "SIGINT" }, { 3, .name = "SIGQUIT" },
	{ 4, "SIGILL", " / ", CODES(ill_codes, 8), CRASH_FAULT_INSTRUCTION },
	{ 5, "SIGTRAP", NULL, CODES(trap_codes, 0), CRASH_FAULT_BREAKPOINT },
	{ 6, .name = "SIGABRT", .fault = CRASH_FAULT_ABORT },
	{ 7, "SIGBUS", " / ", CODES(bus_codes, 5), CRASH_FAULT_MEMORY },
	{ 8, "SIGFPE", " / ", CODES(fpe_codes, 8), CRASH_FAULT_OTHER },
	{ 9, .name = "SIGKILL" }, { 10, .name = "SIGUSR1" },
	{ 11, "SIGSEGV", " /", CODES(segv_codes, 4), CRASH_FAULT_MEMORY },
	{ 12, .name = "SIGUSR2" }, { 13, .name = "SIGPIPE" }, { 14, .name = "SIGALRM" },
	{ 15, .name = "SIGTERM" }, { 16, .name = "SIGSTKFLT" }, { 17, .name = "SIGCHLD" },
	{ 18, .name = "SIGCONT" }, { 19, .name = "SIGSTOP" }, { 20, .name = "SIGTSTP" },
	{ 21, .name = "SIGTTIN" }, { 22, .name = "SIGTTOU" }, { 23, .name = "SIGURG" },
	{ 24, .name = "SIGXCPU" }, { 25, .name = "SIGXFSZ" }, { 26, .name = "SIGVTALRM" },
	{ 27, .name = "SIGPROF" }, { 28, .name = "SIGWINCH" }, { 29, .name = "SIGIO" },
	{ 30, .name = "SIGPWR" },
	{ 31, "SIGSYS", NULL, CODES(sys_codes, 0), CRASH_FAULT_OTHER },
	{ DUMP_REQUESTED, .name = "DUMP_REQUESTED" },
};

/*
 * Signals whose numbers differ on MIPS and SPARC: the index is the number there, the value is the
 * generic number (Linux, arch/{mips,sparc}/include/uapi/asm/signal.h). 0: other processors lack the
 * signal.
 */
static const uint8_t mips_signals[32] = {
	0, 1, 2, 3, 4, 5, 6, 0, 8, 9, 7, 11, 31, 13, 14, 15,
	10, 12, 17, 30, 28, 23, 29, 19, 20, 18, 21, 22, 26, 27, 24, 25,
};

static const uint8_t sparc_signals[32] = {
	0, 1, 2, 3, 4, 5, 6, 0, 8, 9, 7, 11, 31, 13, 14, 15,
	23, 19, 20, 18, 17, 21, 22, 29, 24, 25, 26, 27, 28, 30, 10, 12,
};

static const struct signal *
signal_numbered(uint32_t number)
{
	for (size_t i = 0; i < ARRAY_COUNT(signals); i++)
		if (signals[i].number == number)
			return &signals[i];
	return NULL;
}

static const struct signal *
signal_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(signals); i++)
		if (strcmp(signals[i].name, name) == 0)
			return &signals[i];
	return NULL;
}

/* The name of one of the first `count` codes of a signal. */
static const char *
code_name(const struct signal *signal, size_t count, uint32_t code)
{
	return meaning_text(&(const struct meanings){ signal->codes, count, false, 0 }, code);
}

const char *
reason_signal_code(const char *name, uint32_t code)
{
	const struct signal *signal = signal_named(name);

	return signal != NULL ? code_name(signal, signal->count, code) : NULL;
}

bool
reason_signal_name(uint32_t number, uint32_t code, char *buffer, size_t size)
{
	const struct signal *signal = signal_numbered(number);
	const char *name = signal != NULL ? code_name(signal, signal->count, code) : NULL;

	if (signal != NULL && name == NULL)
		name = meaning_text(VALUES(any_codes), code);
	if (name != NULL)
		snprintf(buffer, size, "%s / %s", signal->name, name);
	return name != NULL;
}

enum crash_fault
reason_signal_fault(const char *name, uint32_t code)
{
	const struct signal *signal = signal_named(name);

	if (signal == NULL)
		return CRASH_FAULT_OTHER;
	if (signal->codes == ill_codes && (code == 5 || code == 6))
		return CRASH_FAULT_PRIVILEGE;
	if (signal->codes == fpe_codes && code == 1)
		return CRASH_FAULT_DIVISION;
	return signal->fault;
}

/* Whether an ID belongs to the crashed process: a thread, MiscInfo or /proc has it. */
static bool
is_own_process(const struct crash *crash, uint32_t id)
{
	if (crash->misc.has_process_id && crash->misc.process_id == id)
		return true;
	for (size_t i = 0; i < crash->thread_count; i++)
		if (crash->threads[i].id == id)
			return true;
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].source, "process status") == 0 &&
		    strcmp(crash->annotations[i].key, "Pid") == 0)
			return strtoul(crash->annotations[i].value, NULL, 10) == id;
	return false;
}

/*
 * If a process sent the signal, the address holds the sender's IDs, which siginfo stores there.
 * Writers that store no si_code leave 0, the value of SI_USER. So a fault signal counts as sent
 * only if the address is the ID of the crashed process itself.
 */
static bool
judge_sender(const struct crash *crash, const struct signal *signal, struct reason *reason)
{
	const char *code = meaning_text(VALUES(any_codes), crash->exception.flags);
	const uint64_t address = crash->exception.address;
	const bool wide = crash->system.arch->word_size == 8, big = crash->reader.big_endian;
	struct crash_cause *kind = &reason->kind;
	struct crash_cause sender = {
		.has_sender = true, .has_sender_user = wide,
		.sender_process = (uint32_t)(wide && big ? address >> 32 : address),
		.sender_user = (uint32_t)(big ? address : address >> 32),
	};

	sender.sender_is_self = is_own_process(crash, sender.sender_process);
	bool fault = crash->exception.flags == SI_USER && signal->separator != NULL &&
		     !sender.sender_is_self;
	if (fault && (sender.sender_process == 0 || sender.sender_process > PROCESS_MOST)) {
		reason_note(reason, "the dump has no si_code");
		kind->address = address == 0 ? CRASH_ADDRESS_MISSING : kind->address;
		return false;
	}
	if (sender.sender_process == 0) {
		reason_note(reason, "si_code %s with no sender: the dump may lack both",
			    code);
		kind->address = CRASH_ADDRESS_UNTOLD;
		return false;
	}
	if (fault) {
		kind->may_be_sent = true;
		reason_note(reason, "si_code %s: if a process sent the signal, the address is its "
			    "process id %" PRIu32 "; writers that store no si_code leave 0 too",
			    code, sender.sender_process);
		return false;
	}
	reason_cause(reason, "%s / %s", signal->name, code);
	sender.fault = kind->fault == CRASH_FAULT_ABORT ? kind->fault : CRASH_FAULT_OTHER;
	sender.address = CRASH_ADDRESS_SENDER;
	*kind = sender;
	return true;
}

static void
name_signal(const struct crash *crash, const struct signal *signal, struct reason *reason)
{
	uint32_t flags = crash->exception.flags;
	bool sent = flags == SI_USER || flags == SI_QUEUE || flags == SI_TKILL;
	const char *code = code_name(signal, signal->count, flags);

	reason->kind.fault = reason_signal_fault(signal->name, flags);
	reason->kind.no_page = signal->codes == bus_codes && flags == BUS_ADRERR;
	/* A SIGFPE without a code is nearly always an integer division. */
	if (flags == SI_USER && signal->codes == fpe_codes)
		reason->kind.fault = CRASH_FAULT_DIVISION;
	if (code == NULL)
		code = meaning_text(VALUES(any_codes), flags);
	if (sent && judge_sender(crash, signal, reason))
		return;
	if (flags == SI_USER)
		reason_cause(reason, "%s", signal->name);
	else if (code != NULL)
		reason_cause(reason, "%s / %s", signal->name, code);
	else
		reason_cause(reason, "%s / 0x%08" PRIx32, signal->name, flags);
	/* A general protection fault and a breakpoint have no address. */
	if (flags == SI_KERNEL && crash->exception.address == 0) {
		reason->kind.address = CRASH_ADDRESS_UNTOLD;
		if (signal->fault == CRASH_FAULT_MEMORY)
			reason_note(reason, "the processor reported no address (on amd64 often a "
				    "non-canonical one)");
	}
}

void
reason_linux(const struct minidump *minidump, struct reason *reason)
{
	const struct crash *crash = minidump->crash;
	const struct crash_exception *exception = &crash->exception;
	const struct arch *arch = crash->system.arch;
	const struct signal *signal = signal_numbered(exception->code);
	uint32_t code = exception->code;

	/* Breakpad uses the generic numbers for all processors. */
	if (signal != NULL && signal->separator == NULL)
		reason_text(reason, "%s", signal->name);
	else if (signal != NULL)
		reason_with_flags(reason, signal->name, signal->separator,
				  code_name(signal, signal->known, exception->flags),
				  exception->flags);
	if (arch->linux_signals == ARCH_SIGNALS_MIPS && code < ARRAY_COUNT(mips_signals))
		code = mips_signals[code];
	else if (arch->linux_signals == ARCH_SIGNALS_SPARC &&
		 code < ARRAY_COUNT(sparc_signals))
		code = sparc_signals[code];
	signal = signal_numbered(code);
	if (exception->code == DUMP_REQUESTED)
		reason_note(reason, "no crash: the dump was requested");
	else if (signal != NULL)
		name_signal(crash, signal, reason);
	else if (exception->code == 7)
		reason_cause(reason, "SIGEMT / 0x%08" PRIx32, exception->flags);
	else
		reason_cause(reason, "signal %" PRIu32 " / 0x%08" PRIx32, exception->code,
			     exception->flags);
}
