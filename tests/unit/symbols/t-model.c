/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * All look-ups in a symbol file, compared with a model that keeps all records in a list and checks each of them for each look-up.
 * FUNC and STACK CFI INIT records are stored unless they overlap a stored one (Breakpad's RangeMap), STACK WIN records unless
 * they equal one or overlap it in part (its ContainedRangeMap). Of PUBLIC, FILE and INLINE_ORIGIN records the first for an
 * address or number counts, of deltas the last. Breakpad stops at the 101st bad record, and a PUBLIC that repeats an address is
 * one.
 */
#include "base/limits.h"
#include "symbols/symfile_internal.h"
#include "tests/lib/chance.h"
#include "tests/unit/symbols/symtext.h"

enum {
	ROOM = 400,		/* records */
	LEAST = 0x100, END = 0x300,	/* addresses that are asked for; records begin before END */
	NAMES = 12, WIN_TYPES = 5,
};

/* A record as written; `bad`: Breakpad counts it as bad. */
struct record {
	enum symbol_record_kind kind;
	uint64_t address, size;		/* the address of FILE is its number */
	uint64_t offset;
	uint32_t length;
	unsigned type;			/* STACK WIN's type */
	unsigned name;
	bool bad, stored;
};

struct model {
	char text[ROOM * 80];
	size_t used;
	struct record list[ROOM];
	size_t count;
	uint64_t end;			/* where reading stops */
	bool public_zero;
	const struct record *win[WIN_TYPES][2 * END];	/* in force at each address */
};

static struct record *
add(struct model *model, enum symbol_record_kind kind, uint64_t address, uint64_t size, unsigned type)
{
	static const char *const words[] = { [SYMBOL_FILE] = "FILE", [SYMBOL_INLINE_ORIGIN] = "INLINE_ORIGIN" };
	struct record *record = &model->list[model->count++];
	char *at = model->text + model->used;
	const unsigned name = chance(NAMES);
	int length = 0;

	*record = (struct record){ .kind = kind, .address = address, .size = size, .type = type,
				   .name = name, .offset = model->used };
	if (kind == SYMBOL_FUNC)
		length = sprintf(at, "FUNC %" PRIx64 " %" PRIx64 " 0 n%u\n", address, size, name);
	else if (kind == SYMBOL_PUBLIC)
		length = sprintf(at, "PUBLIC %" PRIx64 " 0 n%u\n", address, name);
	else if (kind == SYMBOL_STACK_CFI_INIT)
		length = sprintf(at, "STACK CFI INIT %" PRIx64 " %" PRIx64 " .cfa: %zu\n", address, size, model->count);
	else if (kind == SYMBOL_STACK_CFI)
		length = sprintf(at, "STACK CFI %" PRIx64 " .cfa: %zu\n", address, model->count);
	else if (kind == SYMBOL_STACK_WIN)
		length = sprintf(at, "STACK WIN %u %" PRIx64 " %" PRIx64 " 0 0 0 0 0 0 0 0\n", type, address, size);
	else
		length = sprintf(at, "%s %" PRIu64 " n%u\n", words[kind], address, name);
	record->length = (uint32_t)length - 1;
	model->used += (size_t)length;
	return record;
}

static void
add_bad(struct model *model)
{
	static const char text[] = "FUNC bad\n";
	struct record *record = &model->list[model->count++];

	*record = (struct record){ .kind = SYMBOL_KIND_COUNT, .bad = true, .offset = model->used };
	strcpy(model->text + model->used, text);
	model->used += strlen(text);
}

/* A file: if `sorted`, in the order of writers, with deltas after their INIT records. */
static void
make(struct model *model, bool sorted, unsigned bad)
{
	const unsigned records = 40 + chance(80), spread = 1 + chance(40);
	uint64_t function = LEAST + chance(32), init = LEAST + chance(32), number = chance(3);

	model->used = model->count = 0;
	for (unsigned i = 0; i < records; i++) {
		const uint64_t size = 1 + chance(spread), any = LEAST - 8 + chance(END - LEAST);
		const unsigned type = chance(WIN_TYPES);

		switch (chance(8)) {
		case 0:
		case 1:
			add(model, SYMBOL_FUNC, sorted ? function : any, chance(20) ? size : 0, 0);
			function += size + chance(3);
			break;
		case 2:
			add(model, SYMBOL_PUBLIC, chance(12) ? any : 0, 0, 0);
			break;
		case 3:
			add(model, SYMBOL_STACK_CFI_INIT, sorted ? init : any, sorted || chance(20) ? size : 0, 0);
			for (uint64_t at = 1 + chance(3); sorted && at < size; at += 1 + chance(4))
				add(model, SYMBOL_STACK_CFI, init + at, 0, 0);
			init += size + chance(3);
			break;
		case 4:
			if (!sorted)
				add(model, SYMBOL_STACK_CFI, any, 0, 0);
			break;
		case 5:
			add(model, SYMBOL_STACK_WIN, any, size * (1 + chance(3)), type);
			break;
		default:
			number = sorted ? number + 1 + (chance(9) == 0) : chance(30);
			add(model, chance(2) ? SYMBOL_FILE : SYMBOL_INLINE_ORIGIN, number, 0, 0);
			break;
		}
		for (unsigned more = bad != 0 ? chance(2 * bad) : 0; more > 0 && model->count < ROOM - 30; more--)
			add_bad(model);
		if (model->count > ROOM - 30)
			break;
	}
}

static bool
counts(const struct model *model, const struct record *record)
{
	return !record->bad && record->offset < model->end;
}

static bool
covers(const struct record *record, uint64_t address)
{
	return address >= record->address && address - record->address < record->size;
}

/* True if a map with these records stores one more. */
static bool
fits(const struct model *model, const struct record *record)
{
	if (record->size == 0)
		return false;
	for (const struct record *other = model->list; other < record; other++) {
		const uint64_t first = other->address, last = first + other->size - 1;
		const uint64_t from = record->address, to = from + record->size - 1;

		if (other->kind != record->kind || other->type != record->type || !other->stored || last < from || to < first)
			continue;
		if (record->kind != SYMBOL_STACK_WIN || (first == from && last == to) ||
		    !((first <= from && to <= last) || (from <= first && last <= to)))
			return false;
	}
	return true;
}

/* The smallest stored STACK WIN record around each address. */
static void
settle_win(struct model *model)
{
	memset(model->win, 0, sizeof(model->win));
	for (size_t i = 0; i < model->count; i++) {
		const struct record *record = &model->list[i];
		if (record->kind != SYMBOL_STACK_WIN || !record->stored)
			continue;
		for (uint64_t at = record->address; at < record->address + record->size; at++) {
			const struct record **inner = &model->win[record->type][at];
			if (*inner == NULL || record->size < (*inner)->size)
				*inner = record;
		}
	}
}

/* Determine the stored records before the end that a policy gives. */
static void
settle(struct model *model, const struct policy *policy)
{
	size_t errors = 0;

	model->end = model->used;
	model->public_zero = policy->value[POLICY_PUBLIC_AT_ZERO] != 0;
	for (size_t i = 0; i < model->count && policy->value[POLICY_SYMBOL_ERROR_LIMIT] == 1; i++) {
		const struct record *record = &model->list[i];
		bool bad = record->bad;

		for (const struct record *other = model->list; other < record; other++)
			bad |= record->kind == SYMBOL_PUBLIC && record->address != 0 &&
			       other->kind == SYMBOL_PUBLIC && other->address == record->address;
		errors += bad;
		if (errors > LIMIT_SYMBOL_ERRORS) {
			model->end = record->offset;
			break;
		}
	}
	for (size_t i = 0; i < model->count; i++) {
		struct record *record = &model->list[i];
		record->stored = counts(model, record) && fits(model, record);
	}
	settle_win(model);
}

/* The stored FUNC or INIT record that covers an address, or NULL. */
static const struct record *
covering(const struct model *model, enum symbol_record_kind kind, uint64_t address)
{
	for (size_t i = 0; i < model->count; i++)
		if (model->list[i].kind == kind && model->list[i].stored && covers(&model->list[i], address))
			return &model->list[i];
	return NULL;
}

/* The record with the greatest address up to this one; of several the first in the file. */
static const struct record *
below(const struct model *model, enum symbol_record_kind kind, uint64_t address)
{
	const struct record *found = NULL;

	for (size_t i = 0; i < model->count; i++) {
		const struct record *record = &model->list[i];
		if (record->kind == kind && counts(model, record) && record->address <= address &&
		    (kind != SYMBOL_FUNC || record->stored) && (found == NULL || record->address > found->address))
			found = record;
	}
	return found;
}

static bool
is_it(const struct record *record, uint64_t offset, uint32_t length)
{
	return record->offset == offset && record->length == length;
}

static bool
same_function(const struct symfile *symfile, const struct policy *policy, const struct model *model, uint64_t address)
{
	const struct record *function = below(model, SYMBOL_FUNC, address);
	const struct record *public = below(model, SYMBOL_PUBLIC, address);
	const struct record *inside = covering(model, SYMBOL_FUNC, address);
	const struct record *shown = inside, *beaten = NULL;
	struct function found;
	struct arena arena = { 0 };
	struct symbol symbol;

	if (public != NULL && public->address == 0 && !model->public_zero)
		public = NULL;
	if (public != NULL && function != NULL && (inside != NULL ? public->address >= inside->address
			    : public->address <= function->address))
		beaten = public;
	else if (inside == NULL)
		shown = public;
	bool same = symfile_function(symfile, policy, address, &found) == (shown != NULL) &&
		    (shown == NULL || (is_it(shown, found.offset, found.length) &&
				       found.kind == shown->kind && found.size == shown->size &&
				       found.address == shown->address));
	same &= symfile_covering_function(symfile, policy, address, &found) == (inside != NULL) &&
		(inside == NULL || is_it(inside, found.offset, found.length));
	same &= symfile_lookup(symfile, policy, address, &arena, &symbol) == (shown != NULL);
	size_t shadowed = beaten != NULL;
	same &= beaten == NULL || (symbol.shadowed_count > 0 && symbol.shadowed[0].offset == beaten->offset);
	for (size_t i = 0; i < model->count; i++) {
		const struct record *record = &model->list[i];
		if (record->kind != SYMBOL_FUNC || !counts(model, record) || record->stored ||
		    !covers(record, address) || shadowed >= SHADOWED_MAX)
			continue;
		same &= shadowed < symbol.shadowed_count && symbol.shadowed[shadowed].offset == record->offset;
		shadowed++;
	}
	same &= symbol.shadowed_count == shadowed || shadowed >= SHADOWED_MAX;
	arena_free(&arena);
	return same;
}

/* The deltas from the start of an INIT record to an address; the last in the file for each. */
static bool
same_deltas(const struct model *model, const struct record *init, uint64_t address, const struct stack_cfi *deltas, size_t count)
{
	size_t next = 0;

	for (uint64_t at = init->address; at <= address; at++) {
		const struct record *last = NULL;
		for (size_t i = 0; i < model->count; i++)
			if (model->list[i].kind == SYMBOL_STACK_CFI && counts(model, &model->list[i]) && model->list[i].address == at)
				last = &model->list[i];
		if (last == NULL)
			continue;
		if (next == count || deltas[next].address != at || !is_it(last, deltas[next].offset, deltas[next].length))
			return false;
		next++;
	}
	return next == count;
}

static bool
same_cfi(const struct symfile *symfile, const struct policy *policy, const struct model *model, uint64_t address)
{
	const struct record *init = covering(model, SYMBOL_STACK_CFI_INIT, address);
	const struct record *from = init, *before = NULL;
	struct stack_cfi_records found;
	struct arena arena = { 0 };
	uint64_t change = UINT64_MAX, got;

	bool same = symfile_stack_cfi(symfile, policy, address, &arena, &found) == (init != NULL) &&
		    (init == NULL || (is_it(init, found.init.offset, found.init.length) && found.init.init &&
		      same_deltas(model, init, address, found.deltas, found.delta_count)));
	same &= symfile_stack_cfi_init(symfile, policy, address, &found.init) == (init != NULL) &&
		(init == NULL || is_it(init, found.init.offset, found.init.length));
	for (size_t i = 0; i < model->count; i++) {
		const struct record *record = &model->list[i];
		const uint64_t end = record->address + record->size;

		if (record->kind == SYMBOL_STACK_CFI && counts(model, record) && record->address > address && record->address < change)
			change = record->address;
		if (record->kind != SYMBOL_STACK_CFI_INIT || !record->stored)
			continue;
		if (record->address > address && record->address < change)
			change = record->address;
		if (end > address && record->address <= address && end < change)
			change = end;
		if (record->address > address && init == NULL && (from == NULL || record->address < from->address))
			from = record;
		if (record->address <= address && (before == NULL || record->address > before->address))
			before = record;
	}
	same &= symfile_stack_cfi_change(symfile, policy, address, &got) == (change != UINT64_MAX) && got == change;
	same &= symfile_stack_cfi_extent(symfile, policy, address, &got) == (init != NULL) &&
		got == (init != NULL ? init->address : before != NULL ? before->address + before->size : 0);
	same &= symfile_stack_cfi_from(symfile, policy, address, &arena, &found) == (from != NULL) &&
		(from == NULL || (is_it(from, found.init.offset, found.init.length) &&
				  same_deltas(model, from, from->address + from->size - 1, found.deltas, found.delta_count)));
	arena_free(&arena);
	return same;
}

static bool
same_win(const struct symfile *symfile, const struct policy *policy, const struct model *model, unsigned type, uint64_t address)
{
	const struct record *record = model->win[type][address];
	struct stack_win win;
	uint64_t change, next = address + 1;

	if (symfile_stack_win(symfile, policy, type, address, &win) != (record != NULL) ||
	    (record != NULL && !is_it(record, win.offset, win.length)))
		return false;
	while (next < 2 * END && model->win[type][next] == record)
		next++;
	return symfile_stack_win_change(symfile, policy, type, address, &change) ==
		       (next < 2 * END) && (next == 2 * END || change == next);
}

/* The records of a kind in the order of the file; STACK WIN records by type first. */
static bool
same_records(const struct symfile *symfile, const struct model *model, enum symbol_record_kind kind)
{
	const unsigned types = kind == SYMBOL_STACK_WIN ? WIN_TYPES : 1;
	struct function function;
	uint64_t offset;
	uint32_t length;
	size_t index = 0;

	for (unsigned type = 0; type < types; type++)
		for (size_t i = 0; i < model->count; i++) {
			const struct record *record = &model->list[i];
			if (record->kind != kind || record->type != type)
				continue;
			if (!symfile_record(symfile, kind, index, &offset, &length) || !is_it(record, offset, length))
				return false;
			if ((kind == SYMBOL_FUNC || kind == SYMBOL_PUBLIC) &&
			    (!symfile_function_at(symfile, kind, index, &function) ||
			     function.kind != kind || function.address != record->address ||
			     function.size != record->size || function.offset != offset))
				return false;
			index++;
		}
	return symfile_count(symfile, kind) == index && !symfile_record(symfile, kind, index, &offset, &length) &&
	       ((kind != SYMBOL_FUNC && kind != SYMBOL_PUBLIC) || !symfile_function_at(symfile, kind, index, &function));
}

/* The first record of a kind with a number. */
static bool
same_numbers(const struct symfile *symfile, const struct model *model, enum symbol_record_kind kind)
{
	for (uint64_t number = 0; number < 80; number++) {
		const struct record *first = NULL;
		uint64_t offset;
		uint32_t length;

		for (size_t i = 0; i < model->count && first == NULL; i++)
			if (model->list[i].kind == kind && model->list[i].address == number)
				first = &model->list[i];
		if (symfile_numbered(symfile, kind, number, &offset, &length) != (first != NULL) ||
		    (first != NULL && !is_it(first, offset, length)))
			return false;
	}
	return true;
}

/* The first FUNC with a name, or else the first PUBLIC. */
static bool
same_names(const struct symfile *symfile, const struct policy *policy, const struct model *model)
{
	for (unsigned name = 0; name <= NAMES; name++) {
		const struct record *first = NULL;
		struct function function;
		char text[20];

		for (size_t i = 0; i < 2 * model->count && first == NULL; i++) {
			const struct record *record = &model->list[i % model->count];
			if (counts(model, record) && record->name == name &&
			    record->kind == (i < model->count ? SYMBOL_FUNC : SYMBOL_PUBLIC))
				first = record;
		}
		snprintf(text, sizeof(text), "n%u", name);
		if (symfile_named(symfile, policy, text_of(text), &function) != (first != NULL) ||
		    (first != NULL && !is_it(first, function.offset, function.length)))
			return false;
	}
	return true;
}

/* The stored INIT records by address; `plain`: whether their deltas follow them directly. */
static bool
same_inits(const struct symfile *symfile, const struct policy *policy, const struct model *model, bool plain)
{
	struct symfile_inits inits;
	uint64_t address, size, offset, above = 0;

	if (!symfile_inits_plain(symfile, policy, &inits))
		return !plain || model->end < model->used;
	for (size_t i = 0; i < inits.count; i++) {
		symfile_inits_at(&inits, i, &address, &size, &offset);
		const struct record *record = covering(model, SYMBOL_STACK_CFI_INIT, address);

		if (record == NULL || record->address != address || record->size != size || record->offset != offset || address < above)
			return false;
		above = address + size;
	}
	for (size_t i = 0; i < model->count; i++)
		inits.count -= model->list[i].kind == SYMBOL_STACK_CFI_INIT && model->list[i].stored;
	return inits.count == 0 && model->end == model->used;
}

static void
compare(struct model *model, bool plain, const struct policy *policy, unsigned wrong[7])
{
	static const enum symbol_record_kind kinds[] = { SYMBOL_FUNC, SYMBOL_PUBLIC,
		SYMBOL_STACK_CFI_INIT, SYMBOL_STACK_WIN, SYMBOL_FILE, SYMBOL_INLINE_ORIGIN };
	struct symfile *symfile = open_bytes(model->text, model->used);

	settle(model, policy);
	for (uint64_t address = LEAST - 16; address < END + 64; address++) {
		wrong[0] += !same_function(symfile, policy, model, address);
		wrong[1] += !same_cfi(symfile, policy, model, address);
		for (unsigned type = 0; type < WIN_TYPES; type++)
			wrong[2] += !same_win(symfile, policy, model, type, address);
	}
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		wrong[3] += !same_records(symfile, model, kinds[i]);
	wrong[4] += !same_numbers(symfile, model, SYMBOL_FILE);
	wrong[4] += !same_numbers(symfile, model, SYMBOL_INLINE_ORIGIN);
	wrong[5] += !same_names(symfile, policy, model);
	wrong[6] += !same_inits(symfile, policy, model, plain);
	symfile_close(symfile);
}

static void
check(const char *what, bool sorted, unsigned bad, unsigned turns)
{
	static const struct policy policies[] = {
		{ .value = { 0 } }, { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } },
		{ .value = { [POLICY_SYMBOL_ERROR_LIMIT] = 1 } } };
	static const char *const titles[7] = {
		"the functions at each address", "the STACK CFI rules at each address", "the STACK WIN records at each address",
		"all records", "the records of each number", "the records of each name", "the INIT records in a row",
	};
	struct model *model = malloc(sizeof(*model));
	unsigned wrong[7] = { 0 };

	for (unsigned turn = 0; model != NULL && turn < turns; turn++) {
		make(model, sorted, bad);
		/* A file with bad records is read again, and its order is not checked. */
		compare(model, sorted && bad == 0, &policies[turn % ARRAY_COUNT(policies)], wrong);
	}
	for (size_t i = 0; i < ARRAY_COUNT(titles); i++)
		is_u64(wrong[i], 0, "%s: %s are those of the model", what, titles[i]);
	free(model);
}

/* Places that are found from an earlier place equal those counted from the start. */
static void
places(void)
{
	enum { LINES = 400 };
	static char text[LINES * 30];
	size_t used = 0;
	unsigned wrong = 0;

	for (unsigned i = 0; i < LINES; i++)
		used += (size_t)sprintf(text + used, "FILE %u %.*s%s", i, (int)chance(12), "some_name.cc",
					chance(3) ? "\n" : chance(2) ? "\r\n" : "\r");
	struct symfile *symfile = open_bytes(text, used);
	for (unsigned turn = 0; turn < 5000; turn++) {
		const uint64_t first = chance((uint32_t)used);
		const uint64_t behind = chance(4) ? first + chance(3000) : chance((uint32_t)used + 9);
		const struct place before = symfile_place(symfile, first, 1);
		const struct place one = symfile_place(symfile, behind, 2);
		const struct place other = symfile_place_behind(symfile, &before, behind, 2);

		wrong += one.line != other.line || one.column != other.column ||
			 one.offset != other.offset || other.length != 2 || one.input != other.input;
	}
	is_u64(wrong, 0, "a place is the same from any earlier place");
	symfile_close(symfile);
}

int
main(void)
{
	check("files as writers write them", true, 0, 60);
	check("files in any order", false, 0, 60);
	check("files in any order with bad records", false, 4, 30);
	check("files with bad records", true, 4, 30);
	places();
	return done_testing();
}
