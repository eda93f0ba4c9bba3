/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/to_sframe.h"

#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "sframe/sframe_format.h"

/* The report of a refused row. */
struct draft_note {
	uint64_t last;			/* last address of the row, from the function's start */
	bool claimed;
	struct claim cfa, return_address, frame_pointer;
	struct place place;
};

struct sframe_draft {
	struct sframe_function head;
	struct sframe_row *rows;
	struct draft_note *notes;	/* one note for each row */
	size_t count, capacity, note_capacity;
	struct arena arena;
	uint64_t entry;			/* record in the source */
	uint64_t end;			/* end of its last row, from the function's start */
	uint64_t most;			/* maximum number of rows of all functions of a section */
};

/* Handing over --------------------------------------------------------------------------------- */

static bool
refuse_range(struct sframe_making *making, uint64_t first, uint64_t last, const char *why,
	     const struct draft_note *note)
{
	const struct sframe_refusal refusal = {
		.first = first, .last = last, .why = why, .claimed = note->claimed,
		.cfa = note->cfa, .return_address = note->return_address,
		.frame_pointer = note->frame_pointer, .place = note->place,
	};

	making->refused_rows++;
	making->refused_bytes += last - first + 1;
	return making->refuse(making->context, &refusal);
}

static bool
refuse(struct sframe_making *making, size_t first, size_t count, const char *why)
{
	const struct sframe_draft *draft = making->draft;
	bool good = true;

	for (size_t i = first; i < first + count && good; i++)
		good = refuse_range(making, draft->head.address + draft->rows[i].offset,
				    draft->head.address + draft->notes[i].last, why,
				    &draft->notes[i]);
	return good;
}

/* Write rows as one function, from the start of the first row to the end of the last row. */
static bool
write_rows(struct sframe_making *making, size_t first, size_t count, unsigned repeat)
{
	struct sframe_draft *draft = making->draft;
	struct sframe_row *rows = &draft->rows[first];
	struct sframe_function function = draft->head;
	const uint64_t start = rows[0].offset;
	const uint64_t end = draft->notes[first + count - 1].last + 1;
	const char *why = NULL;
	size_t written = count;

	function.address += start;
	function.size = (uint32_t)(end - start);
	function.masked = repeat > 0;
	function.repeat = repeat;
	if (end - start > UINT32_MAX)
		why = "it is larger than 4 GiB";
	/* If rows repeat, only the first block is written. */
	for (written = 0;
	     written < count && (repeat == 0 || rows[written].offset - start < repeat);)
		rows[written++].offset -= start;
	if (why == NULL)
		why = sframe_writer_add(&making->writer, &function, rows, written);
	for (size_t i = 0; i < written; i++)
		rows[i].offset += start;
	return why == NULL || refuse(making, first, count, why);
}

static bool
same_rule(const struct sframe_rule *a, const struct sframe_rule *b)
{
	return a->kind == b->kind && a->base == b->base && a->offset == b->offset &&
	       a->dereference == b->dereference;
}

static bool
same_row(const struct sframe_row *a, const struct sframe_row *b)
{
	return same_rule(&a->cfa, &b->cfa) && same_rule(&a->ra, &b->ra) &&
	       same_rule(&a->fp, &b->fp) && a->outermost == b->outermost &&
	       a->signed_ra == b->signed_ra && a->problem == b->problem;
}

/* Whether rows up to `end` repeat: 2 or more blocks of `block` bytes, each of 2 or more rows. */
static bool
is_repeated(const struct sframe_row *rows, size_t count, uint64_t end, uint64_t block)
{
	const uint64_t start = rows[0].offset;
	size_t each = 0;

	while (each < count && rows[each].offset - start < block)
		each++;
	if (each < 2 || count % each != 0 || count / each < 2 ||
	    end - start != count / each * block)
		return false;
	for (size_t i = each; i < count; i++)
		if (rows[i].offset - rows[i - each].offset != block ||
		    !same_row(&rows[i], &rows[i - each]))
			return false;
	return true;
}

/* Write rows that may be a PLT: entries of one size, perhaps after an entry of another size. */
static bool
write_blocks(struct sframe_making *making, size_t first, size_t count, bool *whole)
{
	static const unsigned blocks[] = { 16, 32, 64, 8 };
	struct sframe_draft *draft = making->draft;
	const struct sframe_row *rows = &draft->rows[first];
	const uint64_t end = draft->notes[first + count - 1].last + 1;
	const bool any = sframe_versions[making->writer.form.version]
				 .parts[SFRAME_PART_REPEAT].size > 0;

	*whole = false;
	for (size_t b = 0; b < (any ? ARRAY_COUNT(blocks) : 1); b++)
		for (size_t skip = 0; skip < count && rows[skip].offset - rows[0].offset <= 64;
		     skip++) {
			const uint64_t start = draft->head.address + rows[skip].offset;

			/*
			 * Begin at a multiple of the block size: some readers count addresses of
			 * repeated rows from the function, others from the block.
			 */
			if (start % blocks[b] != 0 ||
			    !is_repeated(rows + skip, count - skip, end, blocks[b]))
				continue;
			*whole = true;
			return (skip == 0 || write_rows(making, first, skip, 0)) &&
			       write_rows(making, first + skip, count - skip, blocks[b]);
		}
	return true;
}

/* Write consecutive rows that SFrame can express. */
static bool
write_run(struct sframe_making *making, size_t first, size_t count)
{
	const unsigned size = sframe_versions[making->writer.form.version]
				      .parts[SFRAME_PART_ROW_COUNT].size;
	const size_t most = size == 2 ? UINT16_MAX : UINT32_MAX;
	bool whole;

	if (!write_blocks(making, first, count, &whole))
		return false;
	for (size_t part; !whole && count > 0; first += part, count -= part) {
		part = count < most ? count : most;
		if (!write_rows(making, first, part, 0))
			return false;
	}
	return true;
}

/* Version 3 has a second form of rows, used if a row needs it. */
static void
choose_form(struct sframe_making *making)
{
	struct sframe_draft *draft = making->draft;
	const struct sframe_table *form = &making->writer.form;

	draft->head.flexible = draft->head.flexible && form->version == 3;
	for (size_t i = 0; i < draft->count && form->version == 3; i++)
		if (sframe_row_refused(form, false, &draft->rows[i]) != NULL &&
		    sframe_row_refused(form, true, &draft->rows[i]) == NULL)
			draft->head.flexible = true;
}

static const char *
row_refused(const struct sframe_making *making, size_t number)
{
	const struct sframe_draft *draft = making->draft;

	return sframe_row_refused(&making->writer.form, draft->head.flexible,
				  &draft->rows[number]);
}

/* Write the gathered rows; each row that SFrame cannot express separates two functions. */
static bool
flush(struct sframe_making *making)
{
	struct sframe_draft *draft = making->draft;
	bool good = true;

	choose_form(making);
	for (size_t i = 0, end; good && i < draft->count; i = end) {
		const char *why = row_refused(making, i);

		end = i + 1;
		while (why == NULL && end < draft->count && row_refused(making, end) == NULL)
			end++;
		good = why == NULL ? write_run(making, i, end - i) : refuse(making, i, 1, why);
	}
	draft->count = 0;
	arena_reset(&draft->arena);
	draft->rows = NULL;
	draft->notes = NULL;
	draft->capacity = draft->note_capacity = 0;
	return good && !making->writer.failed;
}

/* Rows of rules -------------------------------------------------------------------------------- */

static int
dwarf_number(const struct arch *arch, int reg)
{
	for (int number = 0; number < ARCH_REGISTERS; number++)
		if (arch_dwarf_register(arch, number) == reg)
			return number;
	return -1;
}

/* Convert a claim to a rule; if SFrame has no such rule, set `*why` to a sentence. */
static struct sframe_rule
rule_of(const struct arch *arch, const struct claim *claim, const char **why)
{
	struct sframe_rule rule = { .kind = SFRAME_OFFSET, .base = SFRAME_CFA,
				    .offset = claim->offset,
				    .dereference = claim->dereference };

	if (claim->kind == CLAIM_EXPRESSION || claim->parameters)
		*why = "a rule is more than a register and an offset";
	else if (claim->base >= 0 && (rule.base = dwarf_number(arch, claim->base)) < 0)
		*why = "a rule names a register that DWARF has no number for";
	else if (claim->base == LINEAR_NONE)
		*why = "a rule is a number";
	return rule;
}

/* Whether the caller's stack pointer is the CFA, or the CFA plus the ABI's constant. */
static bool
is_caller_sp(const struct arch *arch, const struct claim *sp, const struct claim *cfa)
{
	if (sp->kind == CLAIM_SILENT || memcmp(sp, cfa, sizeof(*sp)) == 0)
		return true;
	if (sp->kind != CLAIM_RULE || sp->parameters)
		return false;
	/* s390x functions save the stack pointer like other registers, in memory or a register. */
	return sp->dereference || sp->base != LINEAR_CFA ? arch->cfa_to_sp != 0
							    : sp->offset == arch->cfa_to_sp;
}

static struct sframe_rule
return_address_rule(const struct arch *arch, const struct sframe_table *form,
		    const struct claim *claim, const char **why)
{
	if (claim->kind != CLAIM_RULE && claim->kind != CLAIM_EXPRESSION)
		*why = "it has no rule for the return address";
	if (claim->kind == CLAIM_RULE && form->fixed_ra == 0 && claim->base == arch->lr &&
	    claim->offset == 0 && !claim->dereference)
		return (struct sframe_rule){ .kind = SFRAME_UNSAVED };
	struct sframe_rule rule = rule_of(arch, claim, why);
	if (form->fixed_ra != 0 && rule.base == SFRAME_CFA && rule.dereference &&
	    rule.offset == form->fixed_ra)
		rule.kind = SFRAME_FIXED;
	return rule;
}

static struct sframe_row
row_of(const struct sframe_making *making, const struct arch *arch, const struct unwind_row *from)
{
	const struct sframe_table *form = &making->writer.form;
	const struct claim *cfa = &from->claims[CLAIM_CFA];
	const unsigned fp = CLAIM_REGISTER + (unsigned)arch->fp;
	const struct claim ra = claim_from_cfa(arch, CLAIM_RETURN_ADDRESS,
					       &from->claims[CLAIM_RETURN_ADDRESS], cfa);
	const struct claim saved = claim_from_cfa(arch, fp, &from->claims[fp], cfa);
	struct sframe_row row = { .signed_ra = from->signed_ra };
	const char *why = NULL;

	row.outermost = claim_is_outermost(&ra);
	if (!row.outermost) {
		if (cfa->kind != CLAIM_RULE && cfa->kind != CLAIM_EXPRESSION)
			why = "it has no rule for the CFA";
		row.cfa = rule_of(arch, cfa, &why);
		row.ra = return_address_rule(arch, form, &ra, &why);
		if (saved.kind == CLAIM_UNDEFINED)
			why = "the frame pointer is lost, which SFrame cannot say";
		else if (saved.kind != CLAIM_SAME && saved.kind != CLAIM_SILENT)
			row.fp = rule_of(arch, &saved, &why);
		if (why == NULL &&
		    !is_caller_sp(arch, &from->claims[CLAIM_REGISTER + arch->sp], cfa))
			why = "the caller's stack pointer is not the CFA";
	}
	row.problem = from->problem != NULL ? from->problem : why;
	return row;
}

/* Add a row to the current function; false when out of memory. */
static bool
push_row(struct sframe_draft *draft, const struct sframe_row *row, const struct draft_note *note)
{
	size_t count = draft->count;

	return ARENA_ADD(&draft->arena, draft->notes, count, draft->note_capacity, note) &&
	       ARENA_ADD(&draft->arena, draft->rows, draft->count, draft->capacity, row);
}

/* Like push_row(), but extends the last row if SFrame cannot express a change from it. */
static bool
push_or_extend(struct sframe_draft *draft, const struct sframe_row *row,
	       const struct draft_note *note)
{
	const struct sframe_row *last = draft->count > 0 ? &draft->rows[draft->count - 1] : NULL;

	draft->end = note->last + 1;
	if (last == NULL || row->problem != NULL || !same_row(last, row))
		return push_row(draft, row, note);
	draft->notes[draft->count - 1].last = note->last;
	return true;
}

static bool
take_row(struct sframe_making *making, struct unwind_source *source)
{
	struct sframe_draft *draft = making->draft;
	const struct unwind_row *from = &source->row;
	const struct arch *arch = source->module->arch;

	making->rows++;
	making->bytes += from->last - from->first + 1;
	if (draft->count > 0 &&
	    (from->entry != draft->entry ||
	     from->first + making->bias != draft->head.address + draft->end) && !flush(making))
		return false;
	if (draft->count == 0) {
		draft->head = (struct sframe_function){ .address = from->first + making->bias,
							.signal = from->signal,
							.key_b = from->key_b };
		draft->entry = from->entry;
	}
	struct sframe_row row = row_of(making, arch, from);
	row.offset = from->first + making->bias - draft->head.address;
	const struct draft_note note = {
		.last = from->last + making->bias - draft->head.address, .claimed = true,
		.cfa = from->claims[CLAIM_CFA],
		.return_address = from->claims[CLAIM_RETURN_ADDRESS],
		.frame_pointer = from->claims[CLAIM_REGISTER + arch->fp],
		.place = source->kind->reader->place(source, from->record),
	};
	return push_or_extend(draft, &row, &note);
}

bool
unwind_to_sframe(struct sframe_making *making, struct unwind_source *source)
{
	struct sframe_draft draft = { .count = 0 };
	bool good = true;

	making->draft = &draft;
	source->kind->reader->seek(source, 0);
	while (good && source->kind->reader->next(source))
		good = take_row(making, source);
	good = good && flush(making);
	arena_free(&draft.arena);
	making->draft = NULL;
	return good;
}

/* Rows of SFrame ------------------------------------------------------------------------------- */

const char *
sframe_form_of(struct sframe_table *form, const struct sframe *from, unsigned version)
{
	const struct sframe_table *table = &from->tables[0];
	const char *why = sframe_form(form, version != 0 ? version : table->version, table->abi,
				      table->address);

	if (why != NULL)
		return why;
	form->fixed_fp = table->fixed_fp;
	form->fixed_ra = table->fixed_ra;
	form->flags = table->flags & sframe_versions[form->version].flags;
	if (version == 3 && table->version != 3)
		form->flags |= SFRAME_FLAG_PCREL;
	return NULL;
}

/* Take a function without rows; in version 3 it has no caller. Returns NULL, or the problem. */
static const char *
take_no_rows(struct sframe_making *making, const struct sframe_function *function)
{
	struct sframe_draft *draft = making->draft;
	const unsigned from = function->table->version, to = making->writer.form.version;
	const struct sframe_row outermost = { .outermost = true };
	const struct draft_note note = { .last = function->size - 1, .place = function->place };

	if ((from == 3) == (to == 3) || function->signal || function->flexible)
		return sframe_writer_add(&making->writer, function, NULL, 0);
	if (to == 3)
		return "without rows it would have no caller in version 3";
	return push_row(draft, &outermost, &note) ? NULL : OUT_OF_MEMORY;
}

/* Gather the rows of a function. Returns NULL, or the reason why rows are missing. */
static const char *
gather_rows(struct sframe_making *making, const struct sframe_function *function)
{
	struct sframe_draft *draft = making->draft;
	const uint64_t end = function->masked ? function->repeat : function->size;
	struct sframe_cursor cursor;
	struct sframe_row row;

	sframe_rows(function, &cursor);
	while (sframe_next_row(&cursor, &row)) {
		const struct draft_note note = {
			.last = row.offset < end ? end - 1 : row.offset, .place = row.place };

		if (draft->count == LIMIT_SFRAME_ROWS)
			return "it has too many rows";
		if (making->rows == draft->most)
			return "the functions share too many rows for the size of the section";
		if (draft->count > 0)
			draft->notes[draft->count - 1].last = row.offset - 1;
		making->rows++;
		if (!push_row(draft, &row, &note))
			return OUT_OF_MEMORY;
	}
	/* An unreadable row limits the last row before it. */
	if (cursor.problem != NULL && draft->count > 0)
		draft->rows[draft->count - 1].problem = cursor.problem;
	return draft->count == 0 ? cursor.problem : NULL;
}

static bool
take_function(struct sframe_making *making, const struct sframe_function *function)
{
	const struct sframe_table *form = &making->writer.form, *table = function->table;
	struct sframe_draft *draft = making->draft;
	const struct draft_note note = { .place = function->place };
	const char *why = function->problem;

	draft->head = *function;
	making->bytes += function->size;
	if (table->abi != form->abi || table->fixed_ra != form->fixed_ra ||
	    table->fixed_fp != form->fixed_fp)
		why = "its table has another header than the first one";
	if (why == NULL)
		why = function->row_count == 0 ? take_no_rows(making, function)
					       : gather_rows(making, function);
	if (why == NULL && draft->count == 0)
		return !making->writer.failed;
	choose_form(making);
	if (why == NULL)
		why = sframe_writer_add(&making->writer, &draft->head, draft->rows, draft->count);
	if (why != NULL && !function->masked && draft->count > 0)
		return flush(making);
	draft->count = 0;
	return !making->writer.failed &&
	       (why == NULL ||
		refuse_range(making, function->address,
			     function->address + (function->size > 0 ? function->size - 1 : 0), why,
			     &note));
}

bool
sframe_to_sframe(struct sframe_making *making, const struct sframe *from)
{
	struct sframe_draft draft = {
		.most = LIMIT_SFRAME_WRITTEN +
			(from->table_count > 0 ? from->tables[0].reader.size : 0) };
	struct sframe_function function;
	bool good = true;

	making->draft = &draft;
	for (size_t i = 0; good && sframe_function(from, i, &function); i++)
		good = take_function(making, &function);
	arena_free(&draft.arena);
	making->draft = NULL;
	return good;
}
