/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ANALYSIS_ANALYSIS_INTERNAL_H
#define ANALYSIS_ANALYSIS_INTERNAL_H

#include "analysis/analysis.h"
#include "code/instruction.h"

/**
 * What the files of this room share while a crash is being explained.
 *
 * The steps run in the order of analysis.c's table; each one reads what those before it left in
 * the result and adds its own. When out of memory a step leaves out what it cannot keep.
 */
struct explain {
	struct analysis *out;
	const struct crash *crash;
	struct walk *walk;			/* NULL: none */
	struct binaries *binaries;		/* NULL: none */
	const struct signature_rules *rules;	/* NULL: the built-in ones */
	const struct arch *arch;		/* of the context; NULL: there is none */
	const struct registers *registers;	/* NULL: there are none */
	struct memory_view memory;
	struct module_map modules;
	bool decoded;				/* `instruction` is filled */
	struct instruction instruction;
};

void
opcode_explain(struct explain *explain);

void
address_explain(struct explain *explain);

/** Who sent the signal, and whether the process ended itself. */
void
sender_explain(struct explain *explain);

/** What the parameters of an exception of Windows point at. */
void
exception_data_explain(struct explain *explain);

/** Why a process ended itself, by the functions through which it did. */
void
abort_explain(struct explain *explain);

/** What the pc points at, where it is no code, and how it came there; false: unknown. */
bool
jump_explain(struct explain *explain, uint64_t pc);

/** A return that takes what cannot be an address of code. */
void
jump_explain_return(struct explain *explain);

void
stack_overflow_explain(struct explain *explain);

void
poison_explain(struct explain *explain);

void
bit_flip_explain(struct explain *explain);

void
contradictions_explain(struct explain *explain);

void
left_code_explain(struct explain *explain);

void
signature_explain(struct explain *explain);

void
input_problems_explain(struct explain *explain);

/** Add a finding; NULL when out of memory. Findings are sorted at the end. */
struct finding *
finding_add(struct explain *explain, enum finding_kind kind, unsigned confidence,
	    const char *format, ...) ATTRIBUTE_PRINTF(4, 5);

/** Add what speaks for a finding (may be NULL). */
void
finding_evidence(struct explain *explain, struct finding *finding, const char *format, ...)
	ATTRIBUTE_PRINTF(3, 4);

/** Whether the crash is a memory fault with an address, or adjusted to one. */
bool
analysis_faulted_at(const struct explain *explain, uint64_t *address);

/** What the memory map says of an access of one byte. */
enum analysis_permission
analysis_permission(const struct explain *explain, uint64_t address,
		    enum analysis_access_kind kind);

/** Whether a page is likely a guard: without any permission, small, next to memory in use. */
bool
analysis_guard_page(const struct explain *explain, uint64_t address);

/** The function around an address, perhaps with the distance; else the module with it. */
const char *
analysis_function(struct explain *explain, uint64_t address, bool distance);

/** The length of a word's lower bytes as text, the upper ones being 0; 0: it is none, or short. */
size_t
analysis_text(uint64_t value, char text[9]);

/** What is mapped, by its name if it has one. */
const char *
analysis_mapping_name(const struct mapping *mapping);

/** What the access that faulted did, as far as reason or instruction tell; false: neither. */
bool
analysis_fault_kind(const struct explain *explain, enum analysis_access_kind *kind);

/** What people call a register ("rax"); "the crash address" for ARCH_NO_REGISTER. */
const char *
analysis_register(const struct explain *explain, int reg);

#endif
