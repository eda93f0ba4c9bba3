/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/packed.h"

#include "base/compiler.h"
#include "rules/fold.h"
#include "rules/rule_set.h"
#include "symbols/swar.h"

/*
 * STACK CFI records as writers write them: each delta behind its INIT record, one space between two
 * words, and rules that are `NAME: BASE`, `NAME: BASE NUMBER +`, or the word there (`^`).
 */

/* Bytes that a rule of that form has at most, with what is read behind it. */
#define MOST_RULE 64

/* Slots for names, a power of two: four for each register. */
#define SLOTS 256u
#define SLOT_BITS 8

#define NO_COLUMN CLAIM_COLUMNS

struct packed_name {
	/* Its characters, the first one lowest; 0: the slot is free */
	uint64_t key;
	uint16_t column;		/* of its rule; NO_COLUMN: it has none */
	int16_t base;			/* as of struct claim; LINEAR_NONE: it cannot be one */
};

struct packed_cfi {
	struct symfile_inits inits;
	struct packed_name names[SLOTS];
	struct claim clear[CLAIM_COLUMNS];	/* before an INIT record */
	struct claim claims[CLAIM_COLUMNS];	/* claims of the row at work */
	const char *end;		/* of the bytes */
	const char *rules;		/* of the delta that the next row begins with */
};

static struct packed_name *
slot_of(struct packed_cfi *state, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS));

	while (state->names[at].key != 0 && state->names[at].key != key)
		at = (at + 1) % SLOTS;
	return &state->names[at];
}

static void
add_name(struct packed_cfi *state, const char *name, unsigned column, int base)
{
	const size_t length = strlen(name);
	uint64_t key = 0;

	/* A longer one does not fit; its rules have no packed form. */
	if (length == 0 || length > 7)
		return;
	for (size_t i = length; i > 0; i--)
		key = key << 8 | (unsigned char)name[i - 1];
	*slot_of(state, key) = (struct packed_name){ key, (uint16_t)column, (int16_t)base };
}

static void
add_names(struct packed_cfi *state, const struct rule_module *module)
{
	const struct arch *arch = module->arch;
	const enum arch_names names = rule_set_names(module->policy);

	add_name(state, ".cfa", CLAIM_CFA, LINEAR_CFA);
	add_name(state, ".ra", CLAIM_RETURN_ADDRESS, LINEAR_NONE);
	for (int reg = 0; reg < arch->register_count; reg++) {
		const char *name = arch->registers[reg].name;

		if (name != NULL && reg != arch->pc &&
		    arch_register(arch, text_of(name), names) == reg)
			add_name(state, name,
				 reg == arch->sp ? NO_COLUMN : CLAIM_REGISTER + (unsigned)reg, reg);
	}
}

static bool
open_side(struct packed_side *side)
{
	struct unwind_source *source = side->source;
	const struct rule_module *module = source->module;
	const struct symbols_policy policy = symbols_policy_of(module->policy);
	struct packed_cfi *state;

	side->state = state = arena_alloc(&source->arena, sizeof(*state));
	if (state == NULL || !symfile_inits_plain(module->symfile, &policy, &state->inits))
		return false;
	state->end = state->inits.data + state->inits.size;
	add_names(state, module);
	unwind_row_clear(source);
	memcpy(state->clear, source->row.claims, sizeof(state->clear));
	side->claims = state->claims;
	side->count = state->inits.count;
	return true;
}

static void
extent(const struct packed_side *side, size_t entry, uint64_t *first, uint64_t *last)
{
	const struct packed_cfi *state = side->state;
	uint64_t offset;

	symfile_inits_at(&state->inits, entry, first, last, &offset);
	*last += *first - 1;
}

/* A word of up to seven characters that stands at `*at`; NULL: it is no known name. */
static ATTRIBUTE_INLINE const struct packed_name *
read_name(struct packed_cfi *state, const char **at, unsigned length)
{
	const uint64_t word = swar_load(*at);

	if (length == 0 || length > 7)
		return NULL;
	const struct packed_name *name = slot_of(state, word & SWAR_FIRST(length));
	*at += length;
	return name->key != 0 ? name : NULL;
}

/* " NUMBER +" where it stands; false where a number is of another form. */
static ATTRIBUTE_INLINE bool
read_offset(const char **at, int32_t *offset)
{
	const char *digits = *at + 1, *end;
	const bool negative = *digits == '-';
	int32_t value = 0;

	*offset = 0;
	if (**at != ' ' || (!negative && (*digits < '0' || *digits > '9')))
		return true;
	digits += negative;
	/* Most have two or three digits. */
	for (end = digits; end - digits < 8 && *end >= '0' && *end <= '9'; end++)
		value = value * 10 + (*end - '0');
	if (end == digits || (*digits == '0' && end - digits > 1) || end[0] != ' ' || end[1] != '+')
		return false;
	*offset = negative ? -value : value;
	*at = end + 2;
	return true;
}

/* Bring the rules up to the end of their line into claims: where the next line begins, or NULL. */
static const char *
take_rules(struct packed_side *side, const char *at)
{
	const struct arch *arch = side->source->module->arch;
	struct packed_cfi *state = side->state;
	int32_t offset;

	for (;;) {
		if (state->end - at < MOST_RULE)
			return NULL;
		const struct packed_name *name =
			read_name(state, &at, swar_before(swar_load(at), ':'));
		if (name == NULL || name->column == NO_COLUMN || at[0] != ':' || at[1] != ' ')
			return NULL;
		at += 2;
		const struct packed_name *base =
			read_name(state, &at, swar_before_break(swar_load(at), true));
		if (base == NULL || base->base == LINEAR_NONE || !read_offset(&at, &offset) ||
		    (name->column == CLAIM_CFA && base->base == LINEAR_CFA))
			return NULL;
		const bool dereference = at[0] == ' ' && at[1] == '^';
		at += dereference ? 2 : 0;
		state->claims[name->column] = claim_sum(arch, name->column, base->base, offset,
							dereference);
		side->changed |= UINT64_C(1) << name->column;
		if (*at == '\n')
			return at + 1;
		if (*at++ != ' ')
			return NULL;
	}
}

/*
 * Find the delta in the line at `at`; false where it is not one as it should be, nor anything
 * else.
 */
static bool
find_delta(struct packed_side *side, uint64_t above, const char *at)
{
	static const char stack[] = "STACK CFI ", init[] = "INIT ";
	struct packed_cfi *state = side->state;
	uint64_t address;

	side->next = UINT64_MAX;
	if (at == state->end)
		return true;
	if (state->end - at < MOST_RULE)
		return false;
	if (memcmp(at, stack, sizeof(stack) - 1) != 0)
		return *at > ' ' && *at != 'S';
	at += sizeof(stack) - 1;
	const size_t digits = swar_hex(at, &address);
	state->rules = at + digits + 1;
	if (digits == 0)
		return memcmp(at, init, sizeof(init) - 1) == 0;
	side->next = address;
	return address > above && address <= side->last;
}

static bool
begin(struct packed_side *side)
{
	static const char head[] = "STACK CFI INIT ";
	struct packed_cfi *state = side->state;
	uint64_t address, size, offset;
	size_t digits;

	symfile_inits_at(&state->inits, side->entry, &address, &size, &offset);
	if (state->inits.size < offset || state->inits.size - offset < MOST_RULE)
		return false;
	const char *at = state->inits.data + offset;
	if (memcmp(at, head, sizeof(head) - 1) != 0)
		return false;
	at += sizeof(head) - 1;
	/* The numbers are those of the index. */
	for (unsigned i = 0; i < 2; i++, at += digits + 1)
		if ((digits = swar_hex(at, &size)) == 0)
			return false;
	memcpy(state->claims, state->clear, sizeof(state->clear));
	side->changed = UINT64_MAX;
	at = take_rules(side, at);
	return at != NULL && state->claims[CLAIM_CFA].kind != CLAIM_SILENT &&
	       state->claims[CLAIM_RETURN_ADDRESS].kind != CLAIM_SILENT &&
	       find_delta(side, address, at);
}

static bool
next(struct packed_side *side)
{
	struct packed_cfi *state = side->state;
	const uint64_t address = side->next;

	side->changed = 0;
	const char *at = take_rules(side, state->rules);
	return at != NULL && find_delta(side, address, at);
}

const struct packed_reader packed_reader_stack_cfi = { open_side, extent, begin, next };
