/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason/reason.h"

#include <inttypes.h>
#include <string.h>

void
reason_with_flags(struct reason *reason, const char *prefix, const char *separator,
		  const char *name, uint32_t flags)
{
	if (name != NULL)
		reason_text(reason, "%s%s%s", prefix, separator, name);
	else
		reason_text(reason, "%s%s0x%08" PRIx32, prefix, separator, flags);
}

/* Small families ------------------------------------------------------------------------------- */

/* Fuchsia: zircon/syscalls/exception.h, ZX_EXCP_... */
static const struct meaning fuchsia_codes[] = {
	{ 0x8, "GENERAL / " },		      { 0x108, "FATAL_PAGE_FAULT / " },
	{ 0x208, "UNDEFINED_INSTRUCTION / " }, { 0x308, "SW_BREAKPOINT / " },
	{ 0x408, "HW_BREAKPOINT / " },	      { 0x508, "UNALIGNED_ACCESS / " },
	{ 0x8008, "THREAD_STARTING / " },     { 0x8108, "THREAD_EXITING / " },
	{ 0x8208, "POLICY_ERROR / " },	      { 0x8308, "PROCESS_STARTING / " },
};

/* Solaris: sys/iso/signal_iso.h, sys/signal.h. */
static const struct meaning solaris_codes[] = {
	{ 1, "SIGHUP" },	 { 2, "SIGINT" },     { 3, "SIGQUIT" },	  { 4, "SIGILL" },
	{ 5, "SIGTRAP" },	 { 6, "SIGIOT | SIGABRT" },		  { 7, "SIGEMT" },
	{ 8, "SIGFPE" },	 { 9, "SIGKILL" },    { 10, "SIGBUS" },	  { 11, "SIGSEGV" },
	{ 12, "SIGSYS" },	 { 13, "SIGPIPE" },   { 14, "SIGALRM" },  { 15, "SIGTERM" },
	{ 16, "SIGUSR1" },	 { 17, "SIGUSR2" },   { 18, "SIGCLD | SIGCHLD" },
	{ 19, "SIGPWR" },	 { 20, "SIGWINCH" },  { 21, "SIGURG" },
	{ 22, "SIGPOLL | SIGIO" }, { 23, "SIGSTOP" }, { 24, "SIGTSTP" },  { 25, "SIGCONT" },
	{ 26, "SIGTTIN" },	 { 27, "SIGTTOU" },   { 28, "SIGVTALRM" }, { 29, "SIGPROF" },
	{ 30, "SIGXCPU" },	 { 31, "SIGXFSZ" },   { 32, "SIGWAITING" }, { 33, "SIGLWP" },
	{ 34, "SIGFREEZE" },	 { 35, "SIGTHAW" },   { 36, "SIGCANCEL" }, { 37, "SIGLOST" },
	{ 38, "SIGXRES" },	 { 39, "SIGJVM1" },   { 40, "SIGJVM2" },
};

static const struct meaning ps3_codes[] = {
	{ 0, "UNKNOWN" },	    { 1, "TRAP_EXCEP" },	  { 2, "PRIV_INSTR" },
	{ 3, "ILLEGAL_INSTR" },	    { 4, "INSTR_STORAGE" },	  { 5, "INSTR_SEGMENT" },
	{ 6, "DATA_STORAGE" },	    { 7, "DATA_SEGMENT" },	  { 8, "FLOAT_POINT" },
	{ 9, "DABR_MATCH" },	    { 10, "ALIGN_EXCEP" },	  { 11, "MEMORY_ACCESS" },
	{ 12, "COPRO_ALIGN" },	    { 13, "COPRO_INVALID_COM" },  { 14, "COPRO_ERR" },
	{ 15, "COPRO_FIR" },	    { 16, "COPRO_DATA_SEGMENT" }, { 17, "COPRO_DATA_STORAGE" },
	{ 18, "COPRO_STOP_INSTR" }, { 19, "COPRO_HALT_INSTR" },
	{ 20, "COPRO_HALTINSTR_UNKNOWN" },			  { 21, "COPRO_MEMORY_ACCESS" },
	{ 22, "GRAPHIC" },
};

static void
name_alone(const struct meanings *names, const struct minidump *minidump, struct reason *reason)
{
	const char *name = meaning_text(names, minidump->crash->exception.code);

	if (name != NULL)
		reason_text(reason, "%s", name);
}

static void
reason_fuchsia(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;
	const char *name = meaning_text(VALUES(fuchsia_codes), exception->code);

	if (name != NULL)
		reason_with_flags(reason, name, "", NULL, exception->flags);
	if (exception->code == 0x108)
		reason->kind.fault = CRASH_FAULT_MEMORY;
	else if (exception->code == 0x208)
		reason->kind.fault = CRASH_FAULT_INSTRUCTION;
	else if (exception->code == 0x308 || exception->code == 0x408)
		reason->kind.fault = CRASH_FAULT_BREAKPOINT;
}

static void
reason_solaris(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;

	name_alone(VALUES(solaris_codes), minidump, reason);
	/* The codes of faults are those of POSIX, and have the numbers of Linux. */
	reason->kind.fault = reason_signal_fault(reason->text, exception->flags);
	const char *code = reason_signal_code(reason->text, exception->flags);
	if (code != NULL)
		reason_cause(reason, "%s / %s", reason->text, code);
}

static void
reason_ps3(const struct minidump *minidump, struct reason *reason)
{
	name_alone(VALUES(ps3_codes), minidump, reason);
}

/* The reason of a crash ------------------------------------------------------------------------ */

/* The words for a platform ID; IDs without a row have numbers only. */
static const struct {
	uint32_t platform;
	void (*find)(const struct minidump *minidump, struct reason *reason);
} families[] = {
	{ 1, reason_windows },	    { 2, reason_windows },    { 0x8101, reason_mac },
	{ 0x8102, reason_mac },	    { 0x8201, reason_linux }, { 0x8202, reason_solaris },
	{ 0x8203, reason_linux },   { 0x8204, reason_ps3 },   { 0x8206, reason_fuchsia },
};

/* Processors with 32-bit addresses, which some writers sign-extend (Breakpad masks them, too). */
static const uint16_t narrow_processors[] = { 0, 1, 3, 4, 5, 10 };

void
reason_find(struct minidump *minidump)
{
	struct crash *crash = minidump->crash;
	const struct crash_exception *exception = &crash->exception;
	struct reason reason = { .address = exception->address };

	if (!exception->present)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(families); i++)
		if (minidump->has_system && families[i].platform == minidump->platform)
			families[i].find(minidump, &reason);
	if (reason.text[0] == '\0')
		reason_text(&reason, "0x%08" PRIx32 " / 0x%08" PRIx32, exception->code,
			    exception->flags);
	for (size_t i = 0; i < ARRAY_COUNT(narrow_processors); i++)
		if (minidump->has_system && narrow_processors[i] == minidump->processor)
			reason.address &= UINT32_MAX;
	for (size_t i = 0; i < crash->stream_count; i++) {
		if (strcmp(crash->streams[i].name, "LLDBGenerated") != 0)
			continue;
		reason.kind.address = CRASH_ADDRESS_PC;
		reason_note(&reason, "written by LLDB: the address is the thread's pc, "
			    "not what it accessed");
	}
	const char *cause = reason.cause[0] != '\0' ? reason.cause : reason.text;
	crash->reason = arena_string(&crash->arena, reason.text);
	crash->reason_address = reason.address;
	crash->cause = reason.kind;
	crash->cause.text = arena_string(&crash->arena, cause);
	if (reason.note[0] != '\0')
		crash->cause.note = arena_string(&crash->arena, reason.note);
}
