/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Codes of signals: Linux, uapi/asm-generic/siginfo.h. */
static const struct reason_name ill_codes[] = {
	{ 1, "ILL_ILLOPC" }, { 2, "ILL_ILLOPN" }, { 3, "ILL_ILLADR" }, { 4, "ILL_ILLTRP" },
	{ 5, "ILL_PRVOPC" }, { 6, "ILL_PRVREG" }, { 7, "ILL_COPROC" }, { 8, "ILL_BADSTK" },
};

static const struct reason_name bus_codes[] = {
	{ 1, "BUS_ADRALN" },	{ 2, "BUS_ADRERR" },	{ 3, "BUS_OBJERR" },
	{ 4, "BUS_MCEERR_AR" }, { 5, "BUS_MCEERR_AO" },
};

static const struct reason_name fpe_codes[] = {
	{ 1, "FPE_INTDIV" }, { 2, "FPE_INTOVF" }, { 3, "FPE_FLTDIV" }, { 4, "FPE_FLTOVF" },
	{ 5, "FPE_FLTUND" }, { 6, "FPE_FLTRES" }, { 7, "FPE_FLTINV" }, { 8, "FPE_FLTSUB" },
};

static const struct reason_name segv_codes[] = {
	{ 1, "SEGV_MAPERR" }, { 2, "SEGV_ACCERR" }, { 3, "SEGV_BNDERR" }, { 4, "SEGV_PKUERR" },
};

/* Codes that Breakpad prints as numbers, or not at all. */
static const struct reason_name ill_more[] = { { 9, "ILL_BADIADDR" } };

static const struct reason_name trap_more[] = {
	{ 1, "TRAP_BRKPT" },  { 2, "TRAP_TRACE" }, { 3, "TRAP_BRANCH" },
	{ 4, "TRAP_HWBKPT" }, { 5, "TRAP_UNK" },   { 6, "TRAP_PERF" },
};

static const struct reason_name segv_more[] = {
	{ 5, "SEGV_ACCADI" },  { 6, "SEGV_ADIDERR" }, { 7, "SEGV_ADIPERR" },
	{ 8, "SEGV_MTEAERR" }, { 9, "SEGV_MTESERR" }, { 10, "SEGV_CPERR" },
};

static const struct reason_name sys_more[] = {
	{ 1, "SYS_SECCOMP" }, { 2, "SYS_USER_DISPATCH" },
};

static const struct reason_name any_more[] = {
	{ 0x80, "SI_KERNEL" },
	{ (uint32_t)-2, "SI_TIMER" },
	{ (uint32_t)-3, "SI_MESGQ" },
	{ (uint32_t)-4, "SI_ASYNCIO" },
	{ (uint32_t)-5, "SI_SIGIO" },
	{ (uint32_t)-7, "SI_DETHREAD" },
	{ (uint32_t)-60, "SI_ASYNCNL" },
};

/* Codes of signals that a process sent: siginfo holds the sender where a fault has its address. */
static const struct reason_name sent_codes[] = {
	{ 0, "SI_USER" }, { (uint32_t)-1, "SI_QUEUE" }, { (uint32_t)-6, "SI_TKILL" },
};

#define NAMES(table) table, ARRAY_COUNT(table)

static const struct signal {
	uint32_t number;
	const char *name;		/* with what Breakpad puts between it and its code */
	const struct reason_name *codes;	/* NULL: Breakpad prints the name alone */
	size_t code_count;
	const struct reason_name *more;
	size_t more_count;
} signals[] = {
	{ 1, "SIGHUP", NULL, 0, NULL, 0 },
	{ 2, "SIGINT", NULL, 0, NULL, 0 },
	{ 3, "SIGQUIT", NULL, 0, NULL, 0 },
	{ 4, "SIGILL / ", NAMES(ill_codes), NAMES(ill_more) },
	{ 5, "SIGTRAP", NULL, 0, NAMES(trap_more) },
	{ 6, "SIGABRT", NULL, 0, NULL, 0 },
	{ 7, "SIGBUS / ", NAMES(bus_codes), NULL, 0 },
	{ 8, "SIGFPE / ", NAMES(fpe_codes), NULL, 0 },
	{ 9, "SIGKILL", NULL, 0, NULL, 0 },
	{ 10, "SIGUSR1", NULL, 0, NULL, 0 },
	{ 11, "SIGSEGV /", NAMES(segv_codes), NAMES(segv_more) },
	{ 12, "SIGUSR2", NULL, 0, NULL, 0 },
	{ 13, "SIGPIPE", NULL, 0, NULL, 0 },
	{ 14, "SIGALRM", NULL, 0, NULL, 0 },
	{ 15, "SIGTERM", NULL, 0, NULL, 0 },
	{ 16, "SIGSTKFLT", NULL, 0, NULL, 0 },
	{ 17, "SIGCHLD", NULL, 0, NULL, 0 },
	{ 18, "SIGCONT", NULL, 0, NULL, 0 },
	{ 19, "SIGSTOP", NULL, 0, NULL, 0 },
	{ 20, "SIGTSTP", NULL, 0, NULL, 0 },
	{ 21, "SIGTTIN", NULL, 0, NULL, 0 },
	{ 22, "SIGTTOU", NULL, 0, NULL, 0 },
	{ 23, "SIGURG", NULL, 0, NULL, 0 },
	{ 24, "SIGXCPU", NULL, 0, NULL, 0 },
	{ 25, "SIGXFSZ", NULL, 0, NULL, 0 },
	{ 26, "SIGVTALRM", NULL, 0, NULL, 0 },
	{ 27, "SIGPROF", NULL, 0, NULL, 0 },
	{ 28, "SIGWINCH", NULL, 0, NULL, 0 },
	{ 29, "SIGIO", NULL, 0, NULL, 0 },
	{ 30, "SIGPWR", NULL, 0, NULL, 0 },
	{ 31, "SIGSYS", NULL, 0, NAMES(sys_more) },
	{ 0xffffffff, "DUMP_REQUESTED", NULL, 0, NULL, 0 },
};

/* Process and user id of the sender, which siginfo keeps in the place of a fault's address. */
static void
sender_of(const struct crash *crash, uint32_t *process, uint32_t *user)
{
	uint64_t address = crash->exception.address;
	bool wide = crash->system.arch->word_size == 8;

	*process = (uint32_t)(wide && crash->reader.big_endian ? address >> 32 : address);
	*user = (uint32_t)(crash->reader.big_endian ? address : address >> 32);
}

/* Whether an id is that of the crashed process: its threads' or as MiscInfo or /proc say. */
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

static void
note_sender(const struct crash *crash, const struct signal *signal, const char *code,
	    struct reason *reason)
{
	uint32_t process, user;
	char whom[96], owner[48] = "";

	sender_of(crash, &process, &user);
	if (is_own_process(crash, process))
		snprintf(whom, sizeof(whom), "%" PRIu32 ", this process itself", process);
	else
		snprintf(whom, sizeof(whom), "%" PRIu32, process);
	if (crash->system.arch->word_size == 8)
		snprintf(owner, sizeof(owner), ", and user id %" PRIu32, user);
	if (process == 0)
		reason_note(reason, "si_code %s with no sender: the writer may have stored neither",
			    code);
	else if (signal->codes == NULL || is_own_process(crash, process))
		reason_note(reason, "si_code %s: a process sent the signal, so the address is no "
			    "address but the sender's process id %s%s", code, whom, owner);
	else
		reason_note(reason, "si_code %s: if a process sent the signal, the address is its "
			    "process id %s; writers that store no si_code leave 0 too", code, whom);
}

static void
note_code(const struct minidump *minidump, const struct signal *signal, struct reason *reason)
{
	uint32_t flags = minidump->crash->exception.flags;
	const char *code = reason_name(sent_codes, ARRAY_COUNT(sent_codes), flags);

	if (code != NULL) {
		note_sender(minidump->crash, signal, code, reason);
		return;
	}
	if (reason_name(signal->codes, signal->code_count, flags) != NULL)
		return;
	code = reason_name(signal->more, signal->more_count, flags);
	if (code == NULL)
		code = reason_name(any_more, ARRAY_COUNT(any_more), flags);
	if (code == NULL)
		return;
	if (flags == 0x80 && signal->codes != NULL)
		reason_note(reason, "si_code SI_KERNEL: the processor told no address (on amd64 "
			    "often a non-canonical one), so the address says nothing");
	else
		reason_note(reason, "si_code %s", code);
}

void
reason_linux(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;

	for (size_t i = 0; i < ARRAY_COUNT(signals); i++) {
		const struct signal *signal = &signals[i];

		if (signal->number != exception->code)
			continue;
		if (signal->codes == NULL)
			snprintf(reason->text, sizeof(reason->text), "%s", signal->name);
		else
			reason_with_flags(reason, signal->name,
					  reason_name(signal->codes, signal->code_count,
						      exception->flags),
					  exception->flags);
		if (exception->code == UINT32_MAX)
			reason_note(reason, "no crash: somebody asked for this dump");
		else
			note_code(minidump, signal, reason);
		return;
	}
}
