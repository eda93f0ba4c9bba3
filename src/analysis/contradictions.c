/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>

#include "base/checked.h"

/*
 * Facts of the dump that cannot all be true. Likely causes are the hardware, the writer of the dump
 * or another thread, and only then the program.
 */

/* Adds a conclusion whose evidence is the instruction itself. */
static void
contradict(struct explain *explain, enum finding_kind kind, unsigned confidence, const char *words)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	struct finding *finding = finding_add(explain, kind, confidence, "%s", words);

	finding_evidence(explain, finding, "'%s' at 0x%" PRIx64, at->text, at->address);
}

/*
 * The processor reports no address for a non-canonical access, an unaligned vector access or a
 * privileged instruction. Checks which of the three causes fits the crashing instruction.
 */
static void
check_untold_address(struct explain *explain)
{
	const struct analysis *out = explain->out;
	const struct analysis_instruction *at = &out->instruction;

	if (explain->crash->cause.fault != CRASH_FAULT_MEMORY || explain->arch->address_bits == 0 ||
	    explain->crash->cause.address != CRASH_ADDRESS_UNTOLD || !at->accesses_known ||
	    out->adjustment == ANALYSIS_NON_CANONICAL ||
	    out->adjustment == ANALYSIS_OF_INSTRUCTION)
		return;
	if (at->privileged) {
		contradict(explain, FINDING_PRIVILEGED, 95,
			   "only the kernel may execute the instruction");
		return;
	}
	for (size_t i = 0; i < at->access_count; i++) {
		const struct analysis_access *access = &at->accesses[i];

		if (access->size < 16 || (access->address & (access->size - 1)) == 0)
			continue;
		struct finding *finding =
			finding_add(explain, FINDING_UNALIGNED, 85,
				    "0x%" PRIx64 " is not a multiple of %" PRIu32
				    ", as some vector instructions require", access->address,
				    access->size);
		finding_evidence(explain, finding, "'%s' at 0x%" PRIx64, at->text, at->address);
		return;
	}
	contradict(explain, FINDING_FALSE_ADDRESS, 80,
		   "the reason is a non-canonical address, but the instruction uses none");
}

/* Whether page protection caused the fault, not a protection key, a tag or a truncated file. */
static bool
is_page_fault(const struct crash *crash)
{
	if (crash->system.os == CRASH_OS_WINDOWS)
		return crash->exception.code == 0xc0000005;
	if (crash->system.os == CRASH_OS_LINUX || crash->system.os == CRASH_OS_ANDROID)
		return crash->exception.code == 11 &&
		       (crash->exception.flags == 1 || crash->exception.flags == 2);
	return false;
}

static void
check_access(struct explain *explain)
{
	const struct analysis *out = explain->out;
	enum analysis_access_kind kind;
	uint64_t address;

	if (!is_page_fault(explain->crash) || !analysis_faulted_at(explain, &address) ||
	    out->adjustment == ANALYSIS_NON_CANONICAL || !analysis_fault_kind(explain, &kind) ||
	    analysis_permission(explain, address, kind) != ANALYSIS_ALLOWED)
		return;
	struct finding *finding =
		finding_add(explain, FINDING_ALLOWED_ACCESS, 85,
			    "the %s of 0x%" PRIx64 " is allowed there", analysis_access_names[kind],
			    address);
	analysis_mapping_evidence(explain, finding, crash_mapping(explain->crash, address));
	finding_evidence(explain, finding, "another thread may have mapped it since");
}

/* Checks for a read that the exception record calls a write, or the reverse. */
static void
check_kind(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	const enum crash_access said = explain->crash->cause.access;
	const bool write = said == CRASH_ACCESS_WRITE;
	bool faulted = false;

	if (!at->accesses_known || (!write && said != CRASH_ACCESS_READ))
		return;
	for (size_t i = 0; i < at->access_count; i++) {
		const enum analysis_access_kind kind = at->accesses[i].kind;

		if (!at->accesses[i].faulted)
			continue;
		if (kind != (write ? ANALYSIS_READ : ANALYSIS_WRITE))
			return;
		faulted = true;
	}
	if (faulted)
		contradict(explain, FINDING_OTHER_ACCESS, 80,
			   write ? "the exception record says write, but the instruction only "
				   "reads there"
				 : "the exception record says read, but the instruction only "
				   "writes there");
}

static void
check_address(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	uint64_t address;

	if (!is_page_fault(explain->crash) || !explain->out->has_address || !at->accesses_known ||
	    !analysis_faulted_at(explain, &address) || address == at->address ||
	    explain->out->adjustment == ANALYSIS_NON_CANONICAL)
		return;
	/* A repeated string instruction may have advanced; a long access may span two pages. */
	if ((explain->instruction.kinds & INSTRUCTION_REPEATED) != 0 ||
	    checked_contains(at->address, at->length, address))
		return;
	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].faulted || at->accesses[i].size == 0)
			return;
	struct finding *finding = finding_add(explain, FINDING_NO_SUCH_ACCESS, 80,
					      "the instruction does not use the crash address 0x%"
					      PRIx64, address);
	finding_evidence(explain, finding, "'%s' at 0x%" PRIx64, at->text, at->address);
	for (size_t i = 0; i < at->access_count; i++)
		finding_evidence(explain, finding, "it accesses 0x%" PRIx64,
				 at->accesses[i].address);
}

void
contradictions_explain(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	const struct crash *crash = explain->crash;

	if (explain->arch == NULL || explain->out->reason == NULL)
		return;
	check_access(explain);
	if (!at->present)
		return;
	/* A SIGFPE without a code may not be a division by zero. */
	if (crash->cause.fault == CRASH_FAULT_DIVISION && !at->divides &&
	    (crash->exception.flags != 0 || crash->system.os == CRASH_OS_WINDOWS))
		contradict(explain, FINDING_NO_DIVISION, 90,
			   "the reason is a division by zero, but the instruction does not divide");
	if (crash->cause.fault == CRASH_FAULT_PRIVILEGE && !at->privileged)
		contradict(explain, FINDING_NO_PRIVILEGE, 90,
			   "the reason is a privileged instruction, but the instruction is not "
			   "privileged");
	check_untold_address(explain);
	check_kind(explain);
	check_address(explain);
}
