/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "lint/lint_internal.h"

/*
 * Checks the effect of STACK CFI rules on a frame, from the file alone: the places of the CFA, the
 * return address and the registers, and the positions of records relative to functions. Most
 * conditions hold in every function that a compiler writes. Code that switches to another frame
 * (longjmp, setcontext) sets the CFA from an argument, and is exempt.
 */

/* Bytes below the stack pointer that an ABI allows leaf functions to use. */
#define RED_ZONE 128

enum {
	FEWEST_SHIFTED = 4,		/* fewest records that prove a constant distance */
	SHIFT_BASES = 3,		/* records whose distances are tried */
	SHIFT_SAMPLE = 64,
	LEAST_SHIFT = 16,		/* minimum bytes of a shift if functions have no ends */
	MOST_SHIFT_TRIES = 1 << 16,	/* maximum number of functions compared with a record */
};

struct frame_check {
	struct lint_reading *reading;
	const struct lint_rules *rules;
	size_t skip;		/* offset of its rules in the record */
	uint64_t address;
	bool leaves;		/* the rules switch to another frame */
};

/* Bytes pushed by a call between the stack pointer and the CFA. */
static int64_t
pushed_bytes(const struct arch *arch)
{
	return arch_pushes_return(arch) ? (int64_t)arch->word_size : 0;
}

#define REPORT(check, code, rule, ...) \
	lint_about(lint_report((check)->reading, code, (check)->skip + (rule)->skip, \
			       (rule)->length, __VA_ARGS__), (check)->address, 0)

static const char *
sign_of(int64_t number)
{
	return number < 0 ? "-" : "+";
}

static uint64_t
size_of(int64_t number)
{
	return number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
}

/* Reports a distance that is impossible on an aligned stack. */
static void
check_multiple(const struct frame_check *check, const struct lint_rule *rule)
{
	const unsigned word = check->reading->module.arch->word_size;

	if (size_of(rule->number) % word != 0)
		REPORT(check, LINT_CFI_UNALIGNED, rule, "%" PRId64 " is not a multiple of %u",
		       rule->number, word);
}

static void
check_cfa(const struct frame_check *check, const struct lint_rule *rule)
{
	struct lint_reading *reading = check->reading;
	const struct arch *arch = reading->module.arch;
	const struct arch_register *base =
		rule->kind == VALUE_REGISTER ? &arch->registers[rule->base] : NULL;
	const int64_t least = reading->init.ra.kind == VALUE_SAVED ? pushed_bytes(arch) : 0;

	if (rule->kind == VALUE_NUMBER)
		REPORT(check, LINT_CFI_CFA_FALLS, rule, "it is %" PRId64
		       ", independent of the stack", rule->number);
	if (base == NULL)
		return;
	if (rule->base == arch->sp && rule->number < least)
		REPORT(check, LINT_CFI_CFA_FALLS, rule, "it is the stack pointer %s %" PRIu64,
		       sign_of(rule->number), size_of(rule->number));
	else
		check_multiple(check, rule);
	/* Realigned stacks need a register that holds the CFA. Thumb's frame pointer is r7. */
	if (rule->base != arch->sp && rule->base != arch->fp && rule->number != 0 &&
	    !(base->callee_saved && arch->mode_bit != 0))
		REPORT(check, LINT_CFI_CFA_REGISTER, rule, "%s", base->name);
}

/*
 * Whether the return address is that of a machine frame, which an interrupt pushes: the instruction
 * pointer, code segment, flags and the stack pointer (Intel SDM, volume 3, 6.14.2).
 */
static bool
is_machine_frame(const struct frame_check *check, const struct lint_rule *rule)
{
	const struct lint_init *init = &check->reading->init;
	const struct arch *arch = check->reading->module.arch;

	for (size_t i = 0; i < init->slot_count; i++)
		if (init->slots[i].reg == arch->sp &&
		    init->slots[i].offset == rule->number + 3 * (int64_t)arch->word_size)
			return true;
	return false;
}

static void
check_return(const struct frame_check *check, const struct lint_rule *rule)
{
	const int64_t word = pushed_bytes(check->reading->module.arch);

	if (rule->kind == VALUE_CFA)
		REPORT(check, LINT_CFI_NOT_READ, rule, "the return address is CFA %s %" PRIu64,
		       sign_of(rule->number), size_of(rule->number));
	if (word == 0 || check->leaves)
		return;
	if (rule->kind == VALUE_SAVED && is_machine_frame(check, rule))
		return;
	if (rule->kind == VALUE_SAVED && rule->number != -word)
		REPORT(check, LINT_CFI_RA_ELSEWHERE, rule,
		       "at CFA %s %" PRIu64 ", not at CFA - %" PRId64, sign_of(rule->number),
		       size_of(rule->number), word);
	/* A return address of 0 ends the stack. */
	else if ((rule->kind == VALUE_NUMBER || rule->kind == VALUE_REGISTER) && rule->number != 0)
		REPORT(check, LINT_CFI_RA_ELSEWHERE, rule, "%s", "it is not read from the stack");
	else if (rule->kind == VALUE_REGISTER || rule->kind == VALUE_ANY)
		REPORT(check, LINT_CFI_RA_UNUSUAL, rule, "%s", "");
}

/* Notes the slot of a register; a value other than SAVED frees its slot. */
static void
set_slot(struct lint_init *init, const struct lint_rule *rule)
{
	size_t at = 0;

	while (at < init->slot_count && init->slots[at].reg != rule->reg)
		at++;
	if (rule->kind == VALUE_SAVED && at < LINT_SLOTS) {
		init->slots[at] = (struct lint_slot){ rule->reg, rule->number };
		init->slot_count += at == init->slot_count;
	} else if (rule->kind != VALUE_SAVED && at < init->slot_count) {
		init->slots[at] = init->slots[--init->slot_count];
	}
}

/* Whether a register holds the return address: two names for it may have equal rules. */
static bool
holds_return(const struct arch *arch, int reg)
{
	return reg == LINT_RA || (reg != ARCH_NO_REGISTER && (reg == arch->lr || reg == arch->pc));
}

static void
check_save(const struct frame_check *check, const struct lint_rule *rule)
{
	const struct lint_init *init = &check->reading->init;
	const struct arch *arch = check->reading->module.arch;
	const int64_t pushed = pushed_bytes(arch);

	if (rule->kind == VALUE_CFA && rule->reg != LINT_RA && rule->reg != arch->sp)
		REPORT(check, LINT_CFI_NOT_READ, rule, "its value is CFA %s %" PRIu64,
		       sign_of(rule->number), size_of(rule->number));
	if (rule->kind != VALUE_SAVED || rule->reg == ARCH_NO_REGISTER)
		return;
	check_multiple(check, rule);
	if (check->leaves)
		return;
	if (rule->number > -(int64_t)arch->word_size && !check->reading->module.home_slots &&
	    !(rule->reg == LINT_RA && pushed != 0))
		REPORT(check, LINT_CFI_SLOT_ABOVE, rule, "at CFA + %" PRId64, rule->number);
	for (size_t i = 0; i < init->slot_count; i++) {
		const struct lint_slot *slot = &init->slots[i];
		const struct lint_rule *end = check->rules->rules + check->rules->rule_count;
		bool later = false;

		/*
		 * If the slot's register has a later rule in this record, the pair is compared at
		 * that rule.
		 */
		for (const struct lint_rule *at = rule + 1; at < end; at++)
			later |= at->reg == slot->reg;
		if (slot->reg == rule->reg || slot->offset != rule->number || later ||
		    (holds_return(arch, slot->reg) && holds_return(arch, rule->reg)))
			continue;
		REPORT(check, LINT_CFI_SLOT_SHARED, rule, "%s is there, at CFA %s %" PRIu64,
		       slot->reg == LINT_RA ? "the return address"
					    : arch->registers[slot->reg].label,
		       sign_of(rule->number), size_of(rule->number));
		return;
	}
}

/* Reports registers saved further below the CFA than the frame reaches. */
static void
check_depth(const struct frame_check *check)
{
	const struct lint_rules *rules = check->rules;
	struct lint_reading *reading = check->reading;
	const struct lint_rule *cfa = &reading->init.cfa;
	int64_t deepest = 0;

	for (size_t i = 0; i < rules->rule_count; i++)
		if (rules->rules[i].kind == VALUE_SAVED && rules->rules[i].number < -deepest)
			deepest = -rules->rules[i].number;
	if (deepest > 0 && cfa->kind == VALUE_REGISTER && cfa->base == reading->module.arch->sp &&
	    deepest > cfa->number + RED_ZONE)
		lint_about(lint_report(reading, LINT_CFI_SAVED_BELOW, check->skip,
				       reading->record.length - check->skip, "%" PRId64
				       " bytes below the CFA, which is %" PRId64
				       " above the stack pointer", deepest, cfa->number),
			   check->address, 0);
}

void
lint_frame(struct lint_reading *reading, const struct lint_rules *rules, size_t skip,
	   uint64_t address, bool begins)
{
	struct frame_check check = { reading, rules, skip, address, false };
	struct lint_init *init = &reading->init;
	const struct arch *arch = reading->module.arch;

	if (begins) {
		init->cfa.kind = init->ra.kind = VALUE_NONE;
		init->slot_count = 0;
	}
	for (size_t i = 0; i < rules->rule_count; i++) {
		const struct lint_rule *rule = &rules->rules[i];

		if (rule->reg == LINT_CFA)
			init->cfa = *rule;
		else if (rule->reg != ARCH_NO_REGISTER)
			set_slot(init, rule);
		if (rule->reg == LINT_RA)
			init->ra = *rule;
	}
	const int base = init->cfa.kind == VALUE_REGISTER ? init->cfa.base : arch->sp;
	check.leaves = base != arch->sp && !arch->registers[base].callee_saved;
	for (size_t i = 0; i < rules->rule_count; i++) {
		const struct lint_rule *rule = &rules->rules[i];

		if (rule->reg == LINT_CFA) {
			check_cfa(&check, rule);
			continue;
		}
		if (rule->reg == LINT_RA)
			check_return(&check, rule);
		check_save(&check, rule);
	}
	check_depth(&check);
	/* Note a CFA that uses another register, or is too high for a function's entry. */
	if (begins && init->open && init->cfa.kind == VALUE_REGISTER &&
	    (init->cfa.base != arch->sp || init->cfa.number > pushed_bytes(arch)))
		lint_add_range(reading, &reading->covered.odd_entries, address, 1);
}

/* Functions next to records ------------------------------------------------------------------ */

static const struct lint_range *
begins_at(const struct lint_ranges *functions, uint64_t address)
{
	const struct lint_range *function = lint_covering(functions, address);

	return function != NULL && function->first == address ? function : NULL;
}

struct shift {
	const struct lint_ranges *inits, *functions;
	size_t sample;		/* number of records compared */
	bool ends;		/* functions have ends */
};

/* Counts records that begin at functions if moved by `move`. Stops if `needed` is out of reach. */
static size_t
count_moved(const struct shift *shift, uint64_t move, size_t needed)
{
	size_t good = 0;

	for (size_t i = 0; i < shift->sample && good + (shift->sample - i) >= needed; i++) {
		const struct lint_range *init =
			&shift->inits->list[i * shift->inits->count / shift->sample];
		const struct lint_range *function = begins_at(shift->functions, init->first + move);

		good += function != NULL &&
			(!shift->ends || move == 0 || function->last == init->last + move);
	}
	return good;
}

static void
report_shift(struct lint_reading *reading, uint64_t move)
{
	const struct lint_range *first = &reading->covered.inits.list[0];

	reading->covered.shifted = true;
	lint_about(lint_report_at(reading, LINT_CFI_SHIFTED, first->offset, first->line,
				  "functions begin 0x%" PRIx64 " byte%s %s them",
				  size_of((int64_t)move), plural(size_of((int64_t)move)),
				  (int64_t)move < 0 ? "before" : "after"),
		   first->first, 0);
}

void
lint_shift(struct lint_reading *reading)
{
	const struct lint_ranges *inits = &reading->covered.inits;
	const bool ends = reading->covered.functions.count > 0;
	const struct shift shift = {
		inits, ends ? &reading->covered.functions : &reading->covered.publics,
		inits->count < SHIFT_SAMPLE ? inits->count : SHIFT_SAMPLE, ends };
	const size_t most = shift.sample / 4, needed = shift.sample - most;

	if (inits->count < FEWEST_SHIFTED || shift.functions->count < FEWEST_SHIFTED ||
	    count_moved(&shift, 0, 0) > most)
		return;
	for (size_t base = 0; base < SHIFT_BASES; base++) {
		const struct lint_range *init = &inits->list[base * inits->count / SHIFT_BASES];

		for (size_t i = 0; i < shift.functions->count && i < MOST_SHIFT_TRIES; i++) {
			const uint64_t move = shift.functions->list[i].first - init->first;

			/* Records of assembler functions may leave out the first instruction. */
			if ((ends || size_of((int64_t)move) >= LEAST_SHIFT) &&
			    count_moved(&shift, move, needed) >= needed) {
				report_shift(reading, move);
				return;
			}
		}
	}
}

static uint64_t
hash_name(struct text name)
{
	return hash_bytes(HASH_START, name.start, name.length);
}

/* Adds entry 0 for each name, and entry 1 if several functions (parts of one) share the name. */
static bool
note_names(struct lint_reading *reading, struct hash *names)
{
	const struct lint_ranges *functions = &reading->covered.functions;
	bool good = true;

	for (size_t i = 0; good && i < functions->count; i++) {
		const uint64_t name = hash_name(lint_name_at(reading, functions->list[i].offset));
		const bool again = hash_find(names, name, 0) != NULL;

		good = hash_put(names, name, again, functions);
	}
	return good;
}

/* Whether a record may encode compact unwind info: the system is a Mac and no deltas follow. */
static bool
is_encoding(const struct lint_reading *reading, uint64_t offset)
{
	const struct text os = reading->module.os;
	struct text next = lint_line_at(reading, lint_next_line(reading, offset));

	return os.length == 3 &&
	       (strncasecmp(os.start, "mac", 3) == 0 || strncasecmp(os.start, "ios", 3) == 0) &&
	       (!text_drop_prefix(&next, "STACK CFI ") || text_drop_prefix(&next, "INIT "));
}

void
lint_entries(struct lint_reading *reading)
{
	const struct lint_ranges *odd = &reading->covered.odd_entries;
	const struct lint_ranges *functions = &reading->covered.functions;
	struct hash names = { 0 };

	if (odd->count == 0 || functions->count == 0 || reading->covered.shifted)
		return;
	if (!note_names(reading, &names))
		reading->memory_ended = true;
	for (size_t i = 0; i < odd->count && !reading->memory_ended; i++) {
		const struct lint_range *at = &odd->list[i];

		const struct lint_range *function = begins_at(functions, at->first);
		if (function == NULL)
			continue;
		const struct text name = lint_name_at(reading, function->offset);
		const bool cold = memmem(name.start, name.length, ".cold", 5) != NULL;

		if (cold || is_encoding(reading, at->offset) ||
		    hash_find(&names, hash_name(name), 1) != NULL)
			continue;
		struct lint_finding *finding =
			lint_report_at(reading, LINT_CFI_ENTRY, at->offset, at->line, "%s", "");
		lint_about(finding, at->first, function->line);
		if (finding != NULL)
			finding->name = name;
	}
	hash_free(&names);
}
