/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "dump/reason/reason.h"

/*
 * Finds an earlier fault if its handler crashed, called abort or raised the signal again. Such a
 * fault has left its description and the interrupted registers in the thread's stack. If there are
 * several earlier faults, only the first one is reported.
 */

/* Maximum number of frames searched, so that findings do not depend on the walk's length. */
#define FRAMES 64u
/* Linux's signals of failures: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV and SIGSYS. */
#define FAILURES (1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 8 | 1u << 11 | 1u << 31)

#define ACCESS_VIOLATION 0xc0000005u
#define IN_PAGE_ERROR 0xc0000006u

struct earlier_fault {
	uint64_t at;			/* address of its siginfo_t or exception record */
	char reason[100];
	bool has_address;
	uint64_t address;		/* the address that was accessed */
	uint32_t number;		/* signal number or exception code */
	bool sent;			/* a process or timer sent the signal */
	bool harmless;			/* the signal is not in FAILURES */
};

/*
 * siginfo_t: signal number, error, code, padding (only on 64 bits), address. Linux writes it only
 * for handlers with SA_SIGINFO; for other handlers the stack has old bytes there.
 */
static bool
read_signal(const struct explain *explain, struct earlier_fault *fault)
{
	const unsigned word = explain->arch->word_size;
	uint64_t values[4] = { 0 };

	for (size_t i = 0; i < (word == 8 ? 4 : 3); i++)
		if (!memory_read(&explain->memory, fault->at + 4 * i, 4, &values[i], NULL))
			return false;
	const uint64_t number = values[0], code = values[2];
	if (values[1] != 0 || values[3] != 0 || number > 31 || !reason_signal_name(
		(uint32_t)number, (uint32_t)code, fault->reason, sizeof(fault->reason)))
		return false;
	fault->number = (uint32_t)number;
	fault->sent = (code >> 31 & 1) != 0 || code == 0;
	fault->harmless = (FAILURES >> number & 1) == 0;
	/* Positive codes below SI_KERNEL describe faults of the processor. */
	fault->has_address = code > 0 && code < 0x80 &&
		(number == SIGNAL_SEGV || number == SIGNAL_BUS) &&
		memory_read(&explain->memory, fault->at + 8 + word, word, &fault->address, NULL);
	return true;
}

/* EXCEPTION_RECORD: code, flags, then three words; the last is the number of parameters. */
static bool
read_exception(const struct explain *explain, struct earlier_fault *fault)
{
	const unsigned word = explain->arch->word_size;
	const uint64_t parameters = fault->at + 8 + 3 * word;
	uint64_t code, count = 0, access;

	if (!memory_read(&explain->memory, fault->at, 4, &code, NULL))
		return false;
	memory_read(&explain->memory, parameters - word, 4, &count, NULL);
	if (count == 0 || !memory_read(&explain->memory, parameters, word, &access, NULL))
		access = UINT64_MAX;
	if (!reason_windows_exception((uint32_t)code, access, fault->reason, sizeof(fault->reason)))
		return false;
	fault->number = (uint32_t)code;
	fault->has_address = (code == ACCESS_VIOLATION || code == IN_PAGE_ERROR) && count >= 2 &&
		memory_read(&explain->memory, parameters + word, word, &fault->address, NULL);
	return true;
}

static void
add_fault(struct explain *explain, const struct earlier_fault *fault, size_t frame)
{
	struct walk *walk = explain->walk;
	const bool windows = explain->crash->system.os == CRASH_OS_WINDOWS;
	char address[32] = "";

	if (fault->has_address)
		snprintf(address, sizeof(address), " at 0x%" PRIx64, fault->address);
	struct finding *finding = finding_add(explain,
		fault->harmless ? FINDING_HANDLED_SIGNAL : FINDING_EARLIER_FAULT, 95,
		"%s%s %s%s: it interrupted frame %zu, %s", fault->reason, address,
		fault->harmless ? "was being handled" : "came ",
		fault->harmless ? "" : walk->count < FRAMES ? "first" : "earlier", frame,
		analysis_call(explain, frame));
	/* Frame `frame` - 1 is the trampoline. */
	if (!windows && frame >= 2)
		finding_evidence(explain, finding, "frame %zu, %s, is the handler of this signal, "
			"or the handler jumped to it", frame - 2,
			analysis_function(explain, walk->frames[frame - 2].lookup, false));
	if (fault->number != 0)
		finding_evidence(explain, finding,
				 "the %s at 0x%" PRIx64 " on the stack describes it",
				 windows ? "EXCEPTION_RECORD" : "siginfo_t", fault->at);
}

void
earlier_fault_explain(struct explain *explain)
{
	const struct crash_cause *cause = &explain->crash->cause;
	const bool windows = explain->crash->system.os == CRASH_OS_WINDOWS;
	struct walk *walk = explain->walk;
	struct earlier_fault first = { .reason = "a signal" };
	size_t frame = 0;

	for (size_t i = 1; walk != NULL && i < walk->count && i < FRAMES; i++) {
		struct earlier_fault fault = { .reason = "a signal" };

		if (walk->frames[i].trust == TRUST_SIGNAL &&
		    walk_signal_information(walk, i, &fault.at) &&
		    ((windows ? read_exception : read_signal)(explain, &fault) || !windows))
			first = fault, frame = i;
	}
	/* The reason for abort may be older than its signal, as in panics of Go. */
	if (frame == 0 || (first.sent && first.number == explain->crash->exception.code &&
				  explain->out->blamed_frame > frame))
		return;
	add_fault(explain, &first, frame);
	abort_explain(explain, frame);
	if (first.number == 0 || !cause->has_sender || !cause->sender_is_self)
		return;
	if (!first.harmless)
		explain->first_fault = frame;
	/* The handler raised the signal again, to end the process. */
	if (explain->crash->exception.code == first.number)
		explain->out->blamed_frame = frame;
}
