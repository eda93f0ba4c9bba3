/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/unwind_source.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/sorted.h"
#include "symbols/records.h"
#include "symbols/swar.h"

/*
 * Reads STACK CFI records line by line, in the order of addresses. Many records have equal rules,
 * so each text of rules is read once. INIT records are looked up by address if a line has an
 * unusual form, or if deltas are not in order.
 */

/* Maximum length of a text in the usual form. */
#define MOST_TEXT 1024u
/* Bytes that must be readable from a line's start: the part before the rules is shorter. */
#define LINE_HEAD 64
/* Slots for recent texts: 2^12; LLVM has 1,100 different texts. */
#define GUESSES 4096

/* The rules in the text of a record. */
struct cfi_reading {
	struct text text;
	bool usual;			/* words separated by single spaces */
	const char *problem;
	/* Bit sets: columns with rules; columns whose rules always fail */
	uint64_t mentioned, failing;
	const struct program *cfa;	/* CFA, if it depends on the address; else NULL */
	size_t count;
	struct cfi_said {
		unsigned column;
		struct claim claim;
	} said[];
};

/* The rules of one record, from an address on. */
struct cfi_part {
	uint64_t address, record;
	const struct cfi_reading *reading;
};

struct cfi_state {
	bool by_line;			/* records are looked up by line, else by address */
	struct symfile_inits inits;
	size_t number;			/* next INIT record of `inits` */
	struct claim silence[CLAIM_COLUMNS];	/* claims before an INIT record */
	struct hash readings;		/* keyed by a hash and the length of their text */
	struct cfi_reading *guesses[GUESSES];	/* by a hash of eight bytes of text; NULL: none */
	uint64_t touched;		/* bit set of columns that may differ from `silence` */
	struct arena programs;		/* memory of the text being read */
	struct arena records;		/* memory of the records looked up */
	enum arch_names names;
	uint64_t address;		/* where the search for the next INIT record begins */
	/* The current INIT record and its deltas, ascending; `next`: the next part to apply */
	struct cfi_part *parts;
	size_t count, capacity, next;
	bool open;			/* there is a current INIT record */
	const struct program *cfa;	/* rule of the CFA in force, as a program */
	/* First address of the next row; last address of the current INIT record */
	uint64_t first, last;
	const char *problem;		/* problem of the records in force */
};

static bool
open_source(struct unwind_source *source)
{
	const struct symfile *symfile = source->module->symfile;
	struct cfi_state *state;

	if (symfile_count(symfile, SYMBOL_STACK_CFI_INIT) == 0)
		return false;
	source->state = state = arena_alloc(&source->arena, sizeof(*state));
	if (state == NULL)
		return false;
	state->names = rule_set_names(source->module->policy);
	state->by_line = symfile_inits_plain(symfile, source->module->policy, &state->inits);
	unwind_row_clear(source);
	memcpy(state->silence, source->row.claims, sizeof(state->silence));
	source->entries = state->by_line ? state->inits.count : 0;
	return true;
}

static void
close_source(struct unwind_source *source)
{
	struct cfi_state *state = source->state;

	hash_free(&state->readings);
	arena_free(&state->programs);
	arena_free(&state->records);
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	struct cfi_state *state = source->state;
	uint64_t first, size, offset;

	state->address = address;
	state->open = false;
	if (!state->by_line)
		return;
	BISECT(state->number, state->inits.count,
	       (symfile_inits_at(&state->inits, state->number, &first, &size, &offset),
		first <= address));
	if (state->number == 0)
		return;
	/* The previous record may reach the address. */
	symfile_inits_at(&state->inits, state->number - 1, &first, &size, &offset);
	state->number -= address - first < size;
}

/* Records ------------------------------------------------------------------------------------- */

/* Whether a text consists of words separated by single spaces. */
static bool
is_usual(struct text text)
{
	for (size_t i = 0; i < text.length; i++) {
		const char c = text.start[i];

		if (c < ' ' || c > '~' ||
		    (c == ' ' && (i == 0 || i + 1 == text.length || text.start[i + 1] == ' ')))
			return false;
	}
	return text.length > 0 && text.length <= MOST_TEXT;
}

/* A copy of the CFA's program if the CFA depends on the address; else NULL. */
static const struct program *
cfa_by_address(struct unwind_source *source, const struct program *program)
{
	const struct cfi_state *state = source->state;
	const struct arch *arch = source->module->arch;

	for (size_t i = 0; source->evaluated && i < program->name_count; i++)
		if (program->names[i].reg == arch->pc)
			return program_compile(&source->arena, arch, state->names, program->text,
					       program->place);
	return NULL;
}

/* The rules of a text; NULL when out of memory. */
static struct cfi_reading *
read_text(struct unwind_source *source, struct text text)
{
	struct cfi_state *state = source->state;
	const struct arch *arch = source->module->arch;
	const uint64_t key = hash_words(HASH_START, text.start, text.length);
	struct cfi_reading *reading =
		(struct cfi_reading *)(uintptr_t)hash_find(&state->readings, key, text.length);

	if (reading != NULL && memcmp(reading->text.start, text.start, text.length) == 0)
		return reading;
	arena_reset(&state->programs);
	const struct rule_set *set =
		rule_set_of_record(&state->programs, arch, state->names, text);
	const size_t count = set != NULL ? set->count : 0;
	reading = arena_alloc(&source->arena, sizeof(*reading) + count * sizeof(*reading->said));
	if (reading == NULL)
		return NULL;
	reading->text = text;
	reading->usual = set != NULL && is_usual(text);
	reading->problem = set == NULL ? "the rules of the record are malformed" : NULL;
	for (size_t i = 0; i < count; i++) {
		struct cfi_said *said = &reading->said[reading->count];

		if (!claim_column_of(arch, &set->rules[i], &said->column))
			continue;
		const uint64_t bit = UINT64_C(1) << said->column;
		said->claim = claim_of_program(arch, said->column, set->rules[i].program);
		if (said->column == CLAIM_CFA && said->claim.kind == CLAIM_EXPRESSION)
			reading->cfa = cfa_by_address(source, set->rules[i].program);
		reading->mentioned |= bit;
		reading->failing |= fold_always_fails(set->rules[i].program) ? bit : 0;
		reading->count++;
	}
	hash_put(&state->readings, key, text.length, reading);
	return reading;
}

/* Add a record to the current INIT record. */
static ATTRIBUTE_INLINE bool
add_part(struct unwind_source *source, uint64_t address, uint64_t record,
	 const struct cfi_reading *reading)
{
	static const struct cfi_reading no_memory = { .problem = "out of memory" };
	struct cfi_state *state = source->state;
	struct cfi_part *parts = state->parts;

	if (state->count == state->capacity)
		parts = arena_grow(&source->arena, parts, state->count, &state->capacity,
				   sizeof(*parts));
	if (parts == NULL)
		return false;
	state->parts = parts;
	parts[state->count++] = (struct cfi_part){
		address, record, reading != NULL ? reading : &no_memory };
	return true;
}

/* Whether the rest of a line, from `at` on, is the text of `reading`. */
static bool
is_line_of(const struct cfi_reading *reading, const char *at, const char *end)
{
	const size_t length = reading->text.length;

	return (size_t)(end - at) > length && at[length] == '\n' &&
	       memcmp(at, reading->text.start, length) == 0;
}

/*
 * The rules in the rest of a line; NULL: end of the file, or out of memory. Bytes 8 to 15 (they
 * must be readable) select a guess: the CFA's offset and the end of a short text.
 */
static struct cfi_reading *
read_line(struct unwind_source *source, const char *at, const char *end)
{
	struct cfi_state *state = source->state;
	const uint64_t hash = swar_load(at + 8) * UINT64_C(0x9e3779b97f4a7c15);
	struct cfi_reading **guess = &state->guesses[hash >> 52];

	if (*guess == NULL || !is_line_of(*guess, at, end)) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		*guess = newline == NULL ? NULL : read_text(source, (struct text){
			at, (size_t)(newline - at) });
	}
	return *guess;
}

/* Add the record whose rules begin at `at`. Returns the next line; NULL: unusual or unreadable. */
static const char *
add_line(struct unwind_source *source, uint64_t address, uint64_t record, const char *at)
{
	const struct cfi_state *state = source->state;
	const char *end = state->inits.data + state->inits.size;
	const struct cfi_reading *reading = read_line(source, at, end);

	return reading != NULL && reading->usual && add_part(source, address, record, reading)
		       ? at + reading->text.length + 1 : NULL;
}

/* Read the INIT record at an offset and its deltas. False: unusual form or order. */
static bool
read_lines(struct unwind_source *source, uint64_t offset)
{
	static const char head[] = "STACK CFI ", init[] = "INIT ";
	const size_t length = sizeof(head) - 1;
	struct cfi_state *state = source->state;
	const char *data = state->inits.data, *end = data + state->inits.size;
	uint64_t above = state->first, record = offset, address;

	state->count = 0;
	if (state->inits.size < LINE_HEAD || offset > state->inits.size - LINE_HEAD ||
	    memcmp(data + offset, head, length) != 0 ||
	    memcmp(data + offset + length, init, sizeof(init) - 1) != 0)
		return false;
	const char *at = data + offset + length + sizeof(init) - 1;
	/* Skip the address and the size; the index has them. */
	for (unsigned i = 0; i < 2; i++) {
		const size_t digits = swar_hex(at, &address);

		if (digits == 0)
			return false;
		at += digits + 1;
	}
	while ((at = add_line(source, above, record, at)) != NULL && end - at >= LINE_HEAD &&
	       memcmp(at, head, length) == 0) {
		const size_t digits = swar_hex(at + length, &address);

		if (digits == 0)
			return memcmp(at + length, init, sizeof(init) - 1) == 0;
		if (address <= above || address > state->last)
			return false;
		above = address;
		record = (uint64_t)(at - data);
		at += length + digits + 1;
	}
	return at == end || (at != NULL && end - at >= LINE_HEAD && *at > ' ' && *at != 'S');
}

/* Look up the next INIT record from `state->address` on, and its deltas. */
static bool
look_up(struct unwind_source *source, uint64_t *offset)
{
	struct cfi_state *state = source->state;
	struct stack_cfi_records cfi;

	state->count = 0;
	arena_reset(&state->records);
	if (!symfile_stack_cfi_from(source->module->symfile, source->module->policy, state->address,
				    &state->records, &cfi))
		return false;
	state->first = cfi.init.address;
	state->last = cfi.init.address + (cfi.init.size - 1);
	*offset = cfi.init.offset;
	bool good = add_part(source, cfi.init.address, cfi.init.offset,
			     read_text(source, cfi.init.rules));
	for (size_t i = 0; good && i < cfi.delta_count; i++)
		good = add_part(source, cfi.deltas[i].address, cfi.deltas[i].offset,
				read_text(source, cfi.deltas[i].rules));
	return good;
}

/* Rows ---------------------------------------------------------------------------------------- */

/* Read the next INIT record with its deltas; false if there is no next record. */
static bool
next_init(struct unwind_source *source, uint64_t *offset)
{
	struct cfi_state *state = source->state;
	uint64_t size = 0;

	while (state->by_line && size == 0) {
		if (state->number == state->inits.count)
			return false;
		symfile_inits_at(&state->inits, state->number++, &state->first, &size, offset);
		state->last = state->first + (size - 1);
		state->address = state->first;
	}
	return (state->by_line && read_lines(source, *offset)) || look_up(source, offset);
}

/* Begin an INIT record: all registers get the claims of unmentioned registers. */
static bool
begin_init(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	const unsigned columns = claim_columns(source->module->arch);
	struct unwind_row *row = &source->row;
	uint64_t record;

	if (!next_init(source, &record))
		return false;
	state->open = true;
	state->next = 0;
	state->problem = NULL;
	for (uint64_t left = state->touched; left != 0; left &= left - 1)
		row->claims[__builtin_ctzll(left)] = state->silence[__builtin_ctzll(left)];
	for (unsigned i = 0; i < columns; i++)
		row->records[i] = record;
	row->record = row->entry = record;
	row->begins = state->first;
	row->changed = state->touched;
	row->failing = 0;
	state->cfa = NULL;
	state->touched = 0;
	return true;
}

static void
apply_part(struct unwind_source *source, const struct cfi_part *part)
{
	const struct cfi_reading *reading = part->reading;
	struct cfi_state *state = source->state;
	struct unwind_row *row = &source->row;

	row->record = part->record;
	if (state->problem == NULL)
		state->problem = reading->problem;
	row->changed |= reading->mentioned;
	state->touched |= reading->mentioned;
	row->failing = (row->failing & ~reading->mentioned) | reading->failing;
	if ((reading->mentioned >> CLAIM_CFA & 1) != 0)
		state->cfa = reading->cfa;
	for (size_t i = 0; i < reading->count; i++) {
		const struct cfi_said *said = &reading->said[i];

		row->claims[said->column] = said->claim;
		row->records[said->column] = part->record;
	}
}

/* Maximum size of a row whose CFA is evaluated at every byte. */
#define MOST_SPLIT (UINT64_C(1) << 18)

/* Set the CFA at the first address of a row, and end the row where the CFA changes. */
static void
evaluate_cfa(const struct cfi_state *state, const struct arch *arch, struct unwind_row *row)
{
	const struct linear cfa = linear_at(state->cfa, arch->pc, row->first);
	const uint64_t last = row->last;

	row->claims[CLAIM_CFA] = claim_of_linear(arch, CLAIM_CFA, &cfa, state->cfa->text);
	row->changed |= UINT64_C(1) << CLAIM_CFA;
	row->expressed |= UINT64_C(1) << CLAIM_CFA;
	for (row->last = row->first; row->last < last; row->last++) {
		const struct linear after = linear_at(state->cfa, arch->pc, row->last + 1);

		if (after.known != cfa.known || (cfa.known && !linear_same(&cfa, &after)))
			break;
	}
}

static bool
next(struct unwind_source *source)
{
	struct cfi_state *state = source->state;
	struct unwind_row *row = &source->row;

	row->changed = 0;
	if (!state->open && !begin_init(source))
		return false;
	while (state->next < state->count && state->parts[state->next].address <= state->first)
		apply_part(source, &state->parts[state->next++]);
	row->first = state->first;
	row->last = state->next < state->count ? state->parts[state->next].address - 1
					       : state->last;
	row->problem = state->problem;
	if (row->problem == NULL && row->claims[CLAIM_CFA].kind == CLAIM_SILENT)
		row->problem = "no record in force has a rule for .cfa";
	if (row->problem == NULL && row->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_SILENT)
		row->problem = "no record in force has a rule for .ra";
	row->expressed = 0;
	if (state->cfa != NULL && row->last - row->first < MOST_SPLIT)
		evaluate_cfa(state, source->module->arch, row);
	state->first = row->last + 1;
	if (row->last == state->last) {
		state->open = false;
		state->address = row->last + 1;
	}
	return true;
}

static struct place
place(const struct unwind_source *source, uint64_t record)
{
	const struct symfile *symfile = source->module->symfile;
	const struct file *file = symfile_file(symfile);
	uint64_t end = record;

	while (end < file->size && file->data[end] != '\n' && file->data[end] != '\r')
		end++;
	return symfile_place(symfile, record, (uint32_t)(end - record));
}

/* Tables: a row for each INIT record, delta and defect ----------------------------------------- */

/* Limit of lines read after an INIT record. */
#define MOST_LINES LIMIT_TABLE_ROWS

struct cfi_filling {
	const struct rule_module *module;
	struct rule_tables *tables;
	uint64_t low, high;		/* first and last address of the current INIT record */
};

static void
add_change(struct rule_tables *tables, const struct rule_change *change)
{
	const struct rule_row *row = rule_tables_row(tables, change->address, change->record,
						     change->set);

	if (row != NULL && change->note != NULL)
		rule_tables_record(tables, row->address, change->note_place, change->note);
}

/* Moves `*offset` to the next line that is not empty. False at the end of the file. */
static bool
next_line(const struct file *file, uint64_t *offset, struct text *line)
{
	const char *data = (const char *)file->data;
	uint64_t at = *offset;

	while (at < file->size && data[at] != '\n' && data[at] != '\r')
		at++;
	while (at < file->size && (data[at] == '\n' || data[at] == '\r'))
		at++;
	*offset = at;
	while (at < file->size && data[at] != '\n' && data[at] != '\r')
		at++;
	*line = (struct text){ data + *offset, (size_t)(at - *offset) };
	return line->length > 0;
}

/* A record that follows an INIT record, and why it is not used. */
struct follower {
	struct stack_cfi delta;
	uint64_t anchor;		/* address where the line is shown */
	const char *why;
};

/* Whether a line belongs to the INIT record: a good or bad delta, or an unknown record. */
static bool
follows(const struct cfi_filling *filling, struct text line, uint64_t previous,
	struct follower *follower)
{
	const enum symbol_record_kind kind = record_kind(line);
	struct symbol_record record;
	struct stack_win win;

	*follower = (struct follower){ .anchor = previous };
	if (kind == SYMBOL_LINE && !record_may_be_line(line)) {
		follower->why = "unknown record";
		return true;
	}
	if ((kind != SYMBOL_STACK && kind != SYMBOL_STACK_CFI && kind != SYMBOL_STACK_CFI_INIT &&
	     kind != SYMBOL_STACK_WIN) || record_stack_win(line, false, &win))
		return false;
	if (kind == SYMBOL_STACK_WIN || !record_read(kind, line, &record)) {
		follower->why = "malformed: expected STACK CFI address rules";
		return true;
	}
	if (kind == SYMBOL_STACK_CFI_INIT)
		return false;
	follower->delta = record_as_cfi(&record);
	if ((record.fields[DELTA_ADDRESS].state & FIELD_BAD) != 0)
		follower->why = "the address is not a hexadecimal number";
	else if (follower->delta.address < filling->low || follower->delta.address > filling->high)
		follower->why = "outside the range of its INIT record, where it never applies";
	else
		follower->anchor = follower->delta.address;
	return true;
}

static void
add_defect(struct cfi_filling *filling, const struct follower *follower, uint64_t offset,
	   size_t length)
{
	const struct place place =
		symfile_place(filling->module->symfile, offset, (uint32_t)length);

	if (follower->anchor >= filling->tables->first && follower->anchor <= filling->tables->last)
		rule_tables_record(filling->tables, follower->anchor, place, follower->why);
}

/* Add the unusable deltas in the order of the file; the usable ones have rows already. */
static void
add_defects(struct cfi_filling *filling, uint64_t offset)
{
	const struct file *file = symfile_file(filling->module->symfile);
	struct follower follower, before = { .anchor = filling->low };
	uint64_t before_offset = 0;
	size_t before_length = 0;
	struct text line;

	for (uint32_t i = 0; i < MOST_LINES && next_line(file, &offset, &line) &&
			     follows(filling, line, before.anchor, &follower); i++) {
		if (follower.why != NULL) {
			add_defect(filling, &follower, offset, line.length);
			continue;
		}
		/* The last of several deltas with one address is used. */
		if (before_length > 0 && before.delta.address == follower.delta.address) {
			before.why = "replaced: the next record is for the same address";
			add_defect(filling, &before, before_offset, before_length);
		}
		before = follower;
		before_offset = offset;
		before_length = line.length;
	}
}

/* The address where the next INIT record begins; false if none is in the run. */
static bool
init_after(const struct cfi_filling *filling, uint64_t address, uint64_t *next)
{
	struct stack_cfi init;
	bool found = false;

	for (unsigned i = 0; i < LIMIT_TABLE_ROWS && !found; i++) {
		if (!symfile_stack_cfi_change(filling->module->symfile, filling->module->policy,
					      address, next) ||
		    *next > filling->tables->last)
			break;
		address = *next;
		found = symfile_stack_cfi_init(filling->module->symfile, filling->module->policy,
					       address, &init);
	}
	return found;
}

static bool
covers(const struct unwind_source *source, uint64_t address, uint64_t *first, uint64_t *last)
{
	struct stack_cfi init;

	if (!symfile_stack_cfi_init(source->module->symfile, source->module->policy, address,
				    &init))
		return false;
	*first = init.address;
	*last = init.address + init.size - 1;
	return true;
}

static void
show(const struct unwind_source *source, struct rule_tables *tables)
{
	const struct rule_module *module = source->module;
	const struct rule_records records = { tables->arch, module->policy, module->symfile,
					      NULL };
	struct cfi_filling filling = { .module = module, .tables = tables };
	uint64_t at = tables->first;
	struct rule_change change;
	struct stack_cfi init;

	while (rule_tables_more(tables)) {
		if (!symfile_stack_cfi_init(module->symfile, module->policy, at, &init)) {
			rule_tables_nothing(tables, at);
			if (!init_after(&filling, at, &at))
				break;
			continue;
		}
		filling.low = init.address;
		filling.high = init.address + init.size - 1;
		const uint64_t last = filling.high < tables->last ? filling.high : tables->last;
		struct rule_rows *rows = rule_rows_open(tables->arena, &records, at, last);
		while (rows != NULL && rule_tables_more(tables) && rule_rows_next(rows, &change))
			add_change(tables, &change);
		add_defects(&filling, init.offset);
		if (last == tables->last)
			break;
		at = last + 1;
	}
}

static bool
exists(const struct unwind_source *source)
{
	return source->module->symfile != NULL;
}

const struct unwind_reader unwind_reader_stack_cfi = {
	exists, open_source, seek, next, place, close_source, covers, show,
};
