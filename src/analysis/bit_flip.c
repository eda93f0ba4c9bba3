/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/sorted.h"

/*
 * Memory sometimes flips a bit. A finding names a bit of the address, or of a register in the
 * address, if the access would succeed with this bit corrected. It lists evidence for and against.
 * Only for 64-bit processors: with 32 bits nearly every address is one bit from a mapped one.
 */

/* Bits below a page's size do not move an address to other memory. */
#define FIRST_BIT 12u
/* Values this close point to the same thing; values below LOW_ADDRESS are common by chance. */
#define NEARBY 0x1000u
#define LOW_ADDRESS (2 * NEARBY)
#define SMALL 0x100000u
#define MOST_FLIPS 32u
/* A flip with less confidence, in percent, stays in the list but does not become a finding. */
#define TELL 40u

/* Weights of the evidence, in percent. */
#define FITS 25u
#define WAS_NON_CANONICAL 50u
#define IS_NULL 40u
#define AGAINST_LOW 50u		/* percent of the confidence that a small address keeps */
#define AGAINST_POISON 30u

static const unsigned nearby_weights[] = { 0, 50, 75, 90, 95 };

struct flips {
	struct explain *explain;
	uint64_t address;		/* faulting address */
	enum analysis_access_kind kind;
	bool poisoned;
	size_t capacity;
};

static unsigned
combine(unsigned confidence, unsigned witness)
{
	return 100 - (100 - confidence) * (100 - witness) / 100;
}

static unsigned
nearby_registers(const struct explain *explain, uint64_t address, uint64_t wrong)
{
	unsigned count = 0;

	for (int reg = 0; reg < explain->arch->register_count; reg++) {
		const uint64_t value = explain->registers->value[reg];
		const uint64_t distance = checked_distance(value, address);

		/* A pointer to the wrong address says nothing about the right one. */
		count += registers_known(explain->registers, reg) && distance <= NEARBY &&
			 distance < checked_distance(value, wrong);
	}
	return count;
}

static unsigned
weigh(const struct flips *flips, const struct analysis_bit_flip *flip, uint64_t wrong)
{
	size_t nearby = flip->nearby_registers;
	unsigned confidence = FITS;

	if (nearby >= ARRAY_COUNT(nearby_weights))
		nearby = ARRAY_COUNT(nearby_weights) - 1;
	if (flip->was_non_canonical)
		confidence = combine(confidence, WAS_NON_CANONICAL);
	if (flip->is_null)
		confidence = combine(confidence, IS_NULL);
	confidence = combine(confidence, nearby_weights[nearby]);
	if (wrong < SMALL)
		confidence = confidence * AGAINST_LOW / 100;
	if (flips->poisoned)
		confidence = confidence * AGAINST_POISON / 100;
	return confidence;
}

/* Whether memory at the corrected address would have allowed the access that failed. */
static bool
would_fit(const struct flips *flips, uint64_t address)
{
	const struct explain *explain = flips->explain;

	if (explain->crash->mapping_count > 0)
		return analysis_permission(explain, address, flips->kind) == ANALYSIS_ALLOWED;
	return memory_run_of(&explain->memory, address) != NULL ||
	       module_map_find(&explain->modules, address) != MODULE_NONE;
}

/* Tries every bit of a wrong value. The address is the sum of this value and `rest`. */
static void
try_value(struct flips *flips, int reg, uint64_t wrong)
{
	struct explain *explain = flips->explain;
	struct analysis *out = explain->out;
	uint64_t rest = flips->address - wrong;

	for (unsigned bit = FIRST_BIT; bit < 64; bit++) {
		struct analysis_bit_flip flip = { .address = wrong ^ UINT64_C(1) << bit,
						  .bit = bit, .reg = reg };

		flip.is_null = flip.address == 0;
		if (!arch_canonical(explain->arch, flip.address) ||
		    (!flip.is_null && !would_fit(flips, flip.address + rest)))
			continue;
		struct analysis_bit_flip *added = ARENA_PUSH(&out->arena, out->bit_flips,
							     out->bit_flip_count, flips->capacity);
		if (added == NULL)
			return;
		flip.was_non_canonical = !arch_canonical(explain->arch, wrong);
		flip.was_low = flip.is_null && wrong <= LOW_ADDRESS;
		if (flip.address > LOW_ADDRESS)
			flip.nearby_registers = nearby_registers(explain, flip.address, wrong);
		flip.poison_registers = out->poison_count > 0;
		flip.confidence = weigh(flips, &flip, wrong);
		*added = flip;
	}
}

/* A flip in a register is better evidence than the same flip in the address. */
SORTED_BY_ALL(compare_flips, struct analysis_bit_flip,
	      SORTED_DOWN(confidence) SORTED_DOWN(reg) SORTED_UP(bit))

static void
try_registers(struct flips *flips)
{
	struct explain *explain = flips->explain;
	uint64_t tried = 0;

	for (size_t i = 0; i < explain->instruction.access_count; i++) {
		const struct instruction_access *access = &explain->instruction.accesses[i];
		uint64_t address;
		int reg = access->base;

		if (reg == ARCH_NO_REGISTER || reg == explain->arch->pc ||
		    (tried >> reg & 1) != 0 ||
		    !instruction_address(access, explain->registers, &address) ||
		    address != flips->address)
			continue;
		tried |= UINT64_C(1) << reg;
		try_value(flips, reg, explain->registers->value[reg]);
	}
}

static void
add_finding(struct explain *explain)
{
	const struct analysis *out = explain->out;
	const struct analysis_bit_flip *best = &out->bit_flips[0];
	struct finding *finding;

	if (best->confidence < TELL)
		return;
	finding = finding_add(explain, FINDING_BIT_FLIP, best->confidence,
			      "bit %u of %s may have flipped: 0x%" PRIx64 " would have been right",
			      best->bit, analysis_register(explain, best->reg), best->address);
	if (best->is_null)
		finding_evidence(explain, finding, "the right value is a null pointer, which the "
				 "program may have tested for");
	else
		finding_evidence(explain, finding, "memory there allows the access");
	if (best->was_non_canonical)
		finding_evidence(explain, finding, "the wrong value is not a pointer");
	if (best->nearby_registers > 0)
		finding_evidence(explain, finding, "%u other register%s with nearby values",
				 best->nearby_registers,
				 best->nearby_registers == 1 ? " lies" : "s lie");
	if (out->bit_flip_count > 1)
		finding_evidence(explain, finding, "%zu other bit flip%s also possible",
				 out->bit_flip_count - 1,
				 out->bit_flip_count == 2 ? " is" : "s are");
}

static bool
has_finding(const struct analysis *out, enum finding_kind kind)
{
	for (size_t i = 0; i < out->finding_count; i++)
		if (out->findings[i].kind == kind)
			return true;
	return false;
}

/*
 * Uses the first byte of the failed access as the address. Returns whether a flip is likely. If
 * accessible memory is nearer than the access's size, the access only ran over the memory's end.
 * rust-minidump decides the same way (7a3f9fb, dbd6c6e).
 */
static bool
begins_elsewhere(struct flips *flips)
{
	const struct analysis_instruction *at = &flips->explain->out->instruction;
	uint64_t reach = 0;

	for (size_t i = 0; i < at->access_count; i++)
		if (at->accesses[i].faulted) {
			flips->address = at->accesses[i].address;
			reach = at->accesses[i].size > 0 ? at->accesses[i].size - 1 : 0;
			break;
		}
	const uint64_t ends[] = { flips->address - reach, flips->address + reach };

	for (size_t i = 0; i < ARRAY_COUNT(ends); i++)
		if (analysis_permission(flips->explain, ends[i], flips->kind) == ANALYSIS_ALLOWED)
			return false;
	return true;
}

void
bit_flip_explain(struct explain *explain)
{
	struct analysis *out = explain->out;
	struct flips flips = { .explain = explain, .kind = ANALYSIS_READ };

	if (explain->arch == NULL || explain->arch->word_size != 8 ||
	    !analysis_faulted_at(explain, &flips.address) ||
	    out->adjustment == ANALYSIS_NULL_OFFSET || has_finding(out, FINDING_STACK_OVERFLOW) ||
	    has_finding(out, FINDING_WRITE_PROTECTED))
		return;
	analysis_fault_kind(explain, &flips.kind);
	if (!begins_elsewhere(&flips))
		return;
	flips.poisoned = out->poison_count > 0 || has_finding(out, FINDING_TEXT_POINTER);
	try_value(&flips, ARCH_NO_REGISTER, flips.address);
	try_registers(&flips);
	if (out->bit_flip_count == 0)
		return;
	SORT(out->bit_flips, out->bit_flip_count, compare_flips);
	if (out->bit_flip_count > MOST_FLIPS)
		out->bit_flip_count = MOST_FLIPS;
	add_finding(explain);
}
