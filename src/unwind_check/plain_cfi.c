/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/plain_cfi.h"

#include "base/compiler.h"
#include "base/sorted.h"
#include "rules/rule_set.h"
#include "symbols/swar.h"

/* Longest rule of that form, including the bytes read after it. */
#define MOST_RULE 64

/* Slots for names, a power of two: four for each register. */
#define SLOTS 256u
#define SLOT_BITS 8

/* Rules of an INIT record with its deltas; a compiler's longest functions have half as many. */
#define MOST_RULES 4096u

#define NO_COLUMN CLAIM_COLUMNS

struct plain_name {
	/* Its characters, the first one lowest; 0: the slot is free */
	uint64_t key;
	uint16_t column;		/* column of its rule, or NO_COLUMN */
	int16_t base;			/* as in struct claim; LINEAR_NONE: not a base */
};

struct plain_cfi {
	const struct arch *arch;
	struct symfile_inits inits;
	struct plain_name names[SLOTS];
	const char *end;		/* end of the bytes */
	struct plain_rule rules[MOST_RULES];	/* rules of the current records */
	size_t count;
};

static struct plain_name *
slot_of(struct plain_cfi *plain, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SLOT_BITS));

	while (plain->names[at].key != 0 && plain->names[at].key != key)
		at = (at + 1) % SLOTS;
	return &plain->names[at];
}

static void
add_name(struct plain_cfi *plain, const char *name, unsigned column, int base)
{
	const size_t length = strlen(name);
	uint64_t key = 0;

	/* A longer name does not fit; its rules have no packed form. */
	if (length == 0 || length > 7)
		return;
	for (size_t i = length; i > 0; i--)
		key = key << 8 | (unsigned char)name[i - 1];
	*slot_of(plain, key) = (struct plain_name){ key, (uint16_t)column, (int16_t)base };
}

static void
add_names(struct plain_cfi *plain, const struct rule_module *module)
{
	const struct arch *arch = module->arch;
	const enum arch_names names = rule_set_names(module->policy);

	add_name(plain, ".cfa", CLAIM_CFA, LINEAR_CFA);
	add_name(plain, ".ra", CLAIM_RETURN_ADDRESS, LINEAR_NONE);
	for (int reg = 0; reg < arch->register_count; reg++) {
		const char *name = arch->registers[reg].name;

		if (name != NULL && reg != arch->pc &&
		    arch_register(arch, text_of(name), names) == reg)
			add_name(plain, name,
				 reg == arch->sp ? NO_COLUMN : CLAIM_REGISTER + (unsigned)reg, reg);
	}
}

struct plain_cfi *
plain_cfi_open(const struct rule_module *module, struct arena *arena)
{
	const struct symbols_policy policy = symbols_policy_of(module->policy);
	struct symfile_inits inits;

	if (!symfile_inits_plain(module->symfile, &policy, &inits))
		return NULL;
	struct plain_cfi *plain = arena_alloc(arena, sizeof(*plain));
	if (plain == NULL)
		return NULL;
	plain->arch = module->arch;
	plain->inits = inits;
	plain->end = inits.data + inits.size;
	add_names(plain, module);
	return plain;
}

size_t
plain_cfi_count(const struct plain_cfi *plain)
{
	return plain->inits.count;
}

size_t
plain_cfi_upto(const struct plain_cfi *plain, uint64_t address)
{
	uint64_t first, size, offset;
	size_t at;

	BISECT(at, plain->inits.count,
	       (symfile_inits_at(&plain->inits, at, &first, &size, &offset), first <= address));
	return at;
}

/* The name in the word at `*at`, of up to seven characters; NULL: no known name. */
static ATTRIBUTE_INLINE const struct plain_name *
read_name(struct plain_cfi *plain, const char **at, unsigned length)
{
	const uint64_t word = swar_load(*at);

	if (length == 0 || length > 7)
		return NULL;
	const struct plain_name *name = slot_of(plain, word & SWAR_FIRST(length));
	*at += length;
	return name->key != 0 ? name : NULL;
}

/* The number of " NUMBER +", or 0 without one; false if a number has another form. */
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

/* Add the rules up to the end of a line; returns where the next line begins, or NULL. */
static const char *
take_rules(struct plain_cfi *plain, uint64_t address, uint64_t record, const char *at)
{
	int32_t offset;

	for (;;) {
		if (plain->end - at < MOST_RULE || plain->count == MOST_RULES)
			return NULL;
		const struct plain_name *name =
			read_name(plain, &at, swar_before(swar_load(at), ':'));
		if (name == NULL || name->column == NO_COLUMN || at[0] != ':' || at[1] != ' ')
			return NULL;
		at += 2;
		const struct plain_name *base =
			read_name(plain, &at, swar_before_break(swar_load(at), true));
		if (base == NULL || base->base == LINEAR_NONE || !read_offset(&at, &offset) ||
		    (name->column == CLAIM_CFA && base->base == LINEAR_CFA))
			return NULL;
		const bool dereference = at[0] == ' ' && at[1] == '^';
		at += dereference ? 2 : 0;
		plain->rules[plain->count++] = (struct plain_rule){
			address, record, name->column,
			claim_sum(plain->arch, name->column, base->base, offset, dereference) };
		if (*at == '\n')
			return at + 1;
		if (*at++ != ' ')
			return NULL;
	}
}

/*
 * Read the delta in the line at `*at`, and go on to the next line; `*above` is the previous line's
 * address. False if the line is not a delta; then `*good` says whether the records may end there.
 */
static bool
read_delta(struct plain_cfi *plain, const char **at, uint64_t *above, uint64_t last, bool *good)
{
	static const char stack[] = "STACK CFI ", init[] = "INIT ";
	const uint64_t record = (uint64_t)(*at - plain->inits.data);
	uint64_t address;

	*good = *at == plain->end;
	if (*good || plain->end - *at < MOST_RULE)
		return false;
	if (memcmp(*at, stack, sizeof(stack) - 1) != 0) {
		*good = **at > ' ' && **at != 'S';
		return false;
	}
	const char *digit = *at + sizeof(stack) - 1;
	const size_t digits = swar_hex(digit, &address);
	*good = digits == 0 && memcmp(digit, init, sizeof(init) - 1) == 0;
	if (digits == 0 || address <= *above || address > last)
		return false;
	*above = address;
	*at = take_rules(plain, address, record, digit + digits + 1);
	return *at != NULL;
}

bool
plain_cfi_read(struct plain_cfi *plain, size_t number, struct plain_records *records)
{
	static const char head[] = "STACK CFI INIT ";
	const struct symfile_inits *inits = &plain->inits;
	uint64_t size;
	bool good;

	plain->count = 0;
	*records = (struct plain_records){ .rules = plain->rules };
	symfile_inits_at(inits, number, &records->first, &size, &records->record);
	records->last = records->first + (size - 1);
	if (size == 0 || inits->size < records->record ||
	    inits->size - records->record < MOST_RULE)
		return false;
	const char *at = inits->data + records->record;
	if (memcmp(at, head, sizeof(head) - 1) != 0)
		return false;
	at += sizeof(head) - 1;
	/* The index has the same numbers. */
	for (unsigned i = 0; i < 2; i++) {
		const size_t digits = swar_hex(at, &size);

		if (digits == 0)
			return false;
		at += digits + 1;
	}
	uint64_t above = records->first;
	at = take_rules(plain, above, records->record, at);
	if (at == NULL)
		return false;
	while (read_delta(plain, &at, &above, records->last, &good))
		continue;
	records->count = plain->count;
	return good;
}
