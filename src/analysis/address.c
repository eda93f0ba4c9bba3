/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

/*
 * The meaning of the crash address: null with an offset, non-canonical, a guard page, read-only ...
 */

/* Pages that no system maps: 64 KiB on Windows, at least one page elsewhere (mmap_min_addr). */
#define NULL_PAGES_WINDOWS 0x10000u
#define NULL_PAGES 0x1000u
/* Size of the largest usual guard: 1 MiB, which the kernel leaves below main stacks. */
#define GUARD_MOST 0x100000u

enum analysis_permission
analysis_permission(const struct explain *explain, uint64_t address,
		    enum analysis_access_kind kind)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	bool allowed;

	if (explain->crash->mapping_count == 0)
		return ANALYSIS_UNKNOWN;
	if (mapping == NULL || mapping->free)
		return ANALYSIS_UNMAPPED;
	if (kind == ANALYSIS_EXECUTE)
		allowed = mapping->executable;
	else if (kind == ANALYSIS_READ)
		/* On all supported processors, writable or executable memory is also readable. */
		allowed = mapping->readable || mapping->writable || mapping->executable;
	else
		allowed = mapping->writable;
	return allowed && !mapping->guard ? ANALYSIS_ALLOWED : ANALYSIS_DENIED;
}

static bool
is_usable(const struct mapping *mapping)
{
	return mapping != NULL && !mapping->free && !mapping->guard &&
	       (mapping->readable || mapping->writable);
}

bool
analysis_guard_page(const struct explain *explain, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);

	if (mapping == NULL || mapping->free)
		return false;
	if (mapping->guard)
		return true;
	if (mapping->readable || mapping->writable || mapping->executable ||
	    mapping->size > GUARD_MOST)
		return false;
	return is_usable(crash_mapping(explain->crash, mapping->base + mapping->size)) ||
	       (mapping->base > 0 && is_usable(crash_mapping(explain->crash, mapping->base - 1)));
}

bool
analysis_faulted_at(const struct explain *explain, uint64_t *address)
{
	const struct analysis *out = explain->out;

	bool adjusted = out->adjustment == ANALYSIS_NON_CANONICAL ||
			out->adjustment == ANALYSIS_OF_INSTRUCTION;

	*address = adjusted ? out->adjusted : out->address;
	if (out->adjustment == ANALYSIS_NULL_OFFSET)
		*address = out->offset;
	return explain->crash->cause.fault == CRASH_FAULT_MEMORY && (out->has_address || adjusted);
}

static const struct analysis_access *
faulted_access(const struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;

	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].faulted)
			return &at->accesses[i];
	return NULL;
}

bool
analysis_fault_kind(const struct explain *explain, enum analysis_access_kind *kind)
{
	static const enum analysis_access_kind kinds[] = {
		[CRASH_ACCESS_READ] = ANALYSIS_READ,
		[CRASH_ACCESS_WRITE] = ANALYSIS_WRITE,
		[CRASH_ACCESS_EXECUTE] = ANALYSIS_EXECUTE,
	};
	const struct analysis_access *access = faulted_access(explain);

	if (explain->crash->cause.access != CRASH_ACCESS_UNKNOWN) {
		*kind = kinds[explain->crash->cause.access];
		return true;
	}
	if (access != NULL)
		*kind = access->kind;
	return access != NULL;
}

/* If the processor reported no address, takes the instruction's own non-canonical one. */
static void
adjust_non_canonical(struct explain *explain)
{
	struct analysis *out = explain->out;
	const struct analysis_instruction *at = &out->instruction;
	bool untold = explain->crash->cause.address == CRASH_ADDRESS_UNTOLD ||
		      (out->has_address && (out->address == 0 || out->address == UINT64_MAX));

	if (!untold || explain->crash->cause.fault != CRASH_FAULT_MEMORY || !at->present)
		return;
	for (size_t i = 0; i < at->access_count; i++) {
		if (arch_canonical(explain->arch, at->accesses[i].address))
			continue;
		out->adjustment = ANALYSIS_NON_CANONICAL;
		out->adjusted = at->accesses[i].address;
		at->accesses[i].faulted = true;
		finding_evidence(explain,
				 finding_add(explain, FINDING_NON_CANONICAL, 100,
					     "the address is really 0x%016" PRIx64
					     ", which is not a canonical address",
					     out->adjusted),
				 "'%s' uses it as %s", at->text, at->accesses[i].text);
		return;
	}
	if (at->has_next_pc && !at->next_pc_canonical) {
		out->adjustment = ANALYSIS_NON_CANONICAL;
		out->adjusted = at->next_pc;
		jump_explain_return(explain);
		finding_evidence(explain,
				 finding_add(explain, FINDING_NON_CANONICAL, 100,
					     "the program jumped to 0x%016" PRIx64
					     ", which is not a canonical address",
					     out->adjusted),
				 "'%s' leads there", at->text);
	}
}

/*
 * Writers without a si_code may also lack an address: 0 means none if no instruction accesses it.
 */
static void
adjust_to_instruction(struct explain *explain)
{
	struct analysis *out = explain->out;
	const struct analysis_instruction *at = &out->instruction;
	const struct crash *crash = explain->crash;
	bool posix = crash->system.os == CRASH_OS_LINUX || crash->system.os == CRASH_OS_ANDROID;

	if (!posix || !out->has_address || out->address != 0 || crash->exception.flags != 0 ||
	    !at->accesses_known || out->adjustment != ANALYSIS_AS_REPORTED)
		return;
	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].address == 0)
			return;
	for (size_t i = 0; i < at->access_count; i++) {
		if (at->accesses[i].permission != ANALYSIS_UNMAPPED &&
		    at->accesses[i].permission != ANALYSIS_DENIED)
			continue;
		out->adjustment = ANALYSIS_OF_INSTRUCTION;
		out->adjusted = at->accesses[i].address;
		return;
	}
}

static void
explain_null(struct explain *explain)
{
	struct analysis *out = explain->out;
	const struct analysis_access *access = faulted_access(explain);
	uint64_t pages = explain->crash->system.os == CRASH_OS_WINDOWS ? NULL_PAGES_WINDOWS
								       : NULL_PAGES;
	struct finding *finding;
	uint64_t address;

	if (!analysis_faulted_at(explain, &address) ||
	    out->adjustment == ANALYSIS_NON_CANONICAL)
		return;
	bool low = address < pages, based = access != NULL && access->null_pointer;
	if (!low && !based)
		return;
	out->adjustment = ANALYSIS_NULL_OFFSET;
	out->offset = address;
	if (address == 0)
		finding = finding_add(explain, FINDING_NULL_POINTER,
				      based || access == NULL ? 95 : 80,
				      "a null pointer was used");
	else
		finding = finding_add(explain, FINDING_NULL_POINTER, based ? (low ? 95 : 60) : 75,
				      "a null pointer was used with an offset of 0x%" PRIx64
				      ", as for a member of a structure", out->offset);
	if (based && access->text[0] != '\0' && access->text[0] != '0')
		finding_evidence(explain, finding, "the base register %s is 0", access->text);
	if (low)
		finding_evidence(explain, finding,
				 "the address lies in the first 0x%" PRIx64
				 " bytes, which are never mapped", pages);
}

const char *
analysis_mapping_name(const struct mapping *mapping)
{
	return mapping->name[0] != '\0' ? mapping->name : "unnamed memory";
}

/* Explains an address that is mapped, but whose page the system could not fill. */
static void
explain_no_page(struct explain *explain, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	const int module = module_map_find(&explain->modules, address);
	const char *name = mapping != NULL && !mapping->free ? mapping->name : "";
	uint64_t from = mapping != NULL ? mapping->base : 0;

	if (name[0] == '\0' && module != MODULE_NONE) {
		name = explain->crash->modules[module].code_file;
		from = explain->crash->modules[module].base;
	}
	if (name[0] == '\0' || name[0] == '[' || strncmp(name, "/anon_hugepage", 14) == 0)
		return;
	struct finding *finding =
		finding_add(explain, FINDING_NO_PAGE, 85,
			    "0x%" PRIx64 " lies in a mapped file that has no such page: it was "
			    "truncated after it was mapped, or reading it failed", address);
	finding_evidence(explain, finding, "%s is mapped there, from 0x%" PRIx64 " on", name, from);
}

/* The upper half of the addresses is the kernel's; negative numbers point to the last page. */
static void
explain_kernel_half(struct explain *explain, uint64_t address)
{
	const struct analysis *out = explain->out;
	const struct analysis_access *access = faulted_access(explain);
	struct finding *finding;

	if (explain->arch->kernel_from == 0 || address < explain->arch->kernel_from ||
	    out->adjustment == ANALYSIS_NULL_OFFSET || out->adjustment == ANALYSIS_NON_CANONICAL ||
	    analysis_permission(explain, address, ANALYSIS_READ) == ANALYSIS_ALLOWED ||
	    (access == NULL && explain->crash->cause.address == CRASH_ADDRESS_UNTOLD))
		return;
	if (address >= 0 - (uint64_t)NULL_PAGES)
		finding = finding_add(explain, FINDING_KERNEL_ADDRESS, 75,
				      "the address is %" PRId64 ", a small negative number such as "
				      "an error code, used as a pointer", (int64_t)address);
	else
		finding = finding_add(explain, FINDING_KERNEL_ADDRESS, 90,
				      "0x%" PRIx64 " lies in the kernel's half of the address "
				      "space, where a program has no memory", address);
	finding_evidence(explain, finding, "addresses from 0x%" PRIx64 " on are the kernel's",
			 explain->arch->kernel_from);
	if (access != NULL && access->text[0] != '\0')
		finding_evidence(explain, finding, "'%s' uses it as %s", out->instruction.text,
				 access->text);
}
static void
explain_access(struct explain *explain, uint64_t address)
{
	const struct mapping *mapping = crash_mapping(explain->crash, address);
	enum analysis_access_kind kind;
	struct finding *finding;

	if (analysis_guard_page(explain, address)) {
		finding = finding_add(explain, FINDING_GUARD_PAGE, 80,
				      "0x%" PRIx64 " lies in what is likely a guard page, so "
				      "something ran over the end of its memory", address);
		finding_evidence(explain, finding,
				 "0x%" PRIx64 " bytes from 0x%" PRIx64 " that no access is allowed "
								       "to, "
				 "next to memory in use", mapping->size, mapping->base);
	} else if (analysis_fault_kind(explain, &kind) && mapping != NULL && !mapping->free &&
		   kind != ANALYSIS_READ && kind != ANALYSIS_EXECUTE && mapping->readable &&
		   !mapping->writable) {
		finding = finding_add(explain, FINDING_WRITE_PROTECTED, 95,
				      "the program wrote to 0x%" PRIx64 ", which is read-only",
				      address);
		finding_evidence(explain, finding, "the memory map says %s for %s", mapping->text,
				 analysis_mapping_name(mapping));
	}
}

/* Division: the divisor is the operand that is not part of the dividend. */
static void
explain_division(struct explain *explain)
{
	const struct analysis_instruction *at = &explain->out->instruction;
	struct finding *finding;

	if (explain->crash->cause.fault != CRASH_FAULT_DIVISION || !at->present || !at->divides)
		return;
	finding = finding_add(explain, FINDING_DIVISION, 95,
			      "the instruction divides integers, by zero or with a result "
			      "too large");
	finding_evidence(explain, finding, "'%s' at the crash", at->text);
	for (size_t i = 0; i < at->access_count; i++) {
		const struct analysis_access *access = &at->accesses[i];
		uint64_t value;

		if (access->size >= 1 && access->size <= 8 &&
		    memory_read(&explain->memory, access->address, access->size, &value, NULL) &&
		    value == 0)
			finding_evidence(explain, finding, "the divisor in memory at %s is 0",
					 access->text);
	}
	for (int reg = 0; at->access_count == 0 && reg < explain->arch->register_count; reg++) {
		const char *name = explain->arch->registers[reg].label;
		bool dividend = strcmp(name + 1, "ax") == 0 || strcmp(name + 1, "dx") == 0;

		if ((explain->instruction.reads >> reg & 1) != 0 && !dividend &&
		    registers_known(explain->registers, reg) &&
		    explain->registers->value[reg] == 0)
			finding_evidence(explain, finding, "the divisor %s is 0", name);
	}
}

void
address_explain(struct explain *explain)
{
	struct analysis_instruction *at = &explain->out->instruction;
	uint64_t address;

	sender_explain(explain);
	if (explain->out->reason == NULL)
		return;
	adjust_non_canonical(explain);
	adjust_to_instruction(explain);
	const bool faulted = analysis_faulted_at(explain, &address);
	for (size_t i = 0; faulted && i < at->access_count; i++) {
		struct analysis_access *access = &at->accesses[i];

		access->faulted |= checked_contains(
			access->address, access->size != 0 ? access->size : 1, address);
	}
	explain_division(explain);
	if (explain->crash->cause.fault != CRASH_FAULT_MEMORY || explain->arch == NULL)
		return;
	for (size_t i = 0; i < at->access_count; i++) {
		if (at->accesses[i].kind == ANALYSIS_EXECUTE && !explain->crash->cause.no_page) {
			jump_explain(explain, at->address);
			return;
		}
	}
	if (!faulted)
		return;
	if (!at->present && at->address == address && explain->crash->mapping_count == 0 &&
	    jump_explain(explain, address))
		return;
	explain_null(explain);
	explain_access(explain, address);
	explain_kernel_half(explain, address);
	if (explain->crash->cause.no_page)
		explain_no_page(explain, address);
}
