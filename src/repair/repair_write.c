/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "code_flow/flow_state.h"
#include "frame_table/frame_tables.h"
#include "repair/repair_internal.h"

/*
 * Writes the records of wanted rows, from a function's first address to its last. A line with the
 * wanted result stays unchanged. In other lines, right rules stay, wrong rules are replaced, and
 * missing rules are added. A line without an effect is removed.
 */

struct repair_writing {
	struct repair_work *work;
	struct repair_group *group;
	struct claim now[CLAIM_COLUMNS];	/* result of the records so far */
	/* Bit n: column n of the current line was wrong */
	uint64_t changed;
	/* Index of the last line that was placed; SIZE_MAX: none */
	size_t cursor;
	const char *problem;
};

static bool
is_right(const struct repair_writing *writing, const struct repair_row *row, unsigned column)
{
	return repair_is_right(writing->work, row, column, &writing->now[column]);
}

/* The frame table's expression as a postfix rule; NULL: it cannot be written. */
static const char *
table_rule(const struct repair_writing *writing, const struct repair_row *row, unsigned column)
{
	struct repair_work *work = writing->work;
	const struct rule_module *module = work->repair->module;
	const struct frame_table_question question = {
		.module = module->number,
		.relative = row->first,
		.exact = true,
		.table = row->source < UNWIND_SOURCES ? work->sources[row->source].kind->number : 0
	};
	const char *problem;

	if (row->source == UNWIND_SOURCES)
		return NULL;
	const struct unwind_row *from =
		frame_tables_find(module->binaries, &question, &work->scratch, &problem);
	if (from == NULL)
		return NULL;
	/* The return address is 0 if the function has no caller. */
	const char *expression =
		column == CLAIM_RETURN_ADDRESS && unwind_row_outermost(from)
			? "0"
			: unwind_row_expression(from, work->arch, column, &work->scratch, &problem);
	return expression == NULL ? NULL
				  : arena_format(&work->scratch, "%s: %s",
						 claim_rule_name(work->arch, column), expression);
}

static const char *
file_rule(const struct repair_writing *writing, const struct repair_row *row, unsigned column)
{
	const struct file *file = symfile_file(writing->work->repair->module->symfile);
	const uint64_t offset = row->records[column];
	const char *start = (const char *)file->data + offset;
	const char *name = claim_rule_name(writing->work->arch, column);
	struct rule_span span;
	size_t length = 0;

	while (offset + length < file->size && start[length] != '\n' && start[length] != '\r')
		length++;
	if (!row->in_file || name == NULL ||
	    !rule_span_find((struct text){ start, length }, text_of(name), &span))
		return NULL;
	return arena_format(&writing->work->scratch, "%.*s", (int)(span.end - span.start),
			    start + span.start);
}

/* The rule for a row's claim; NULL if records cannot express it. */
static const char *
wanted_rule(const struct repair_writing *writing, const struct repair_row *row, unsigned column)
{
	const bool known = (row->known >> column & 1) != 0;
	char rule[128];

	if (!known && !row->in_file)
		return table_rule(writing, row, column);
	const char *own = known ? NULL : file_rule(writing, row, column);
	if (own != NULL)
		return own;
	/* An unchanged register also needs a rule, to cancel an earlier rule. */
	claim_postfix(writing->work->arch, column,
		      known ? &row->claims[column] : &row->file[column], rule, sizeof(rule));
	return rule[0] == '\0' ? NULL : arena_format(&writing->work->scratch, "%s", rule);
}

static struct claim
wanted_claim(const struct repair_row *row, unsigned column)
{
	return (row->known >> column & 1) != 0 ? row->claims[column]
	       : row->in_file		       ? row->file[column]
					       : (struct claim){ .kind = CLAIM_EXPRESSION };
}

static const struct rule_set *
read_rules(const struct repair_writing *writing, const struct stack_cfi *record)
{
	return rule_set_of_record(&writing->work->scratch, writing->work->arch,
				  rule_set_names(writing->work->repair->module->policy),
				  record->rules);
}

/* Apply a record to the claims so far; false if the record is malformed. */
static bool
apply(const struct repair_writing *writing, const struct stack_cfi *record,
      struct claim claims[CLAIM_COLUMNS])
{
	const struct arch *arch = writing->work->arch;
	const struct rule_set *set = read_rules(writing, record);
	unsigned column;

	for (size_t i = 0; set != NULL && i < set->count; i++)
		if (claim_column_of(arch, &set->rules[i], &column))
			claims[column] = claim_of_program(arch, column, set->rules[i].program);
	return set != NULL;
}

static bool
is_all_right(const struct repair_writing *writing, const struct repair_row *row)
{
	for (unsigned column = 0; column < claim_columns(writing->work->arch); column++)
		if (!is_right(writing, row, column))
			return false;
	return true;
}

/* Append a rule to the rules of a line. NULL: either is NULL, or out of memory. */
static const char *
with_rule(const struct repair_writing *writing, const char *rules, const char *rule)
{
	if (rules == NULL || rule == NULL)
		return NULL;
	return arena_format(&writing->work->scratch, "%s%s%s", rules, *rules != '\0' ? " " : "",
			    rule);
}

/* The rules of a line, with its wrong rules corrected. */
static const char *
mend_rules(struct repair_writing *writing, const struct repair_row *row,
	   const struct stack_cfi *record)
{
	const struct arch *arch = writing->work->arch;
	const struct rule_set *set = read_rules(writing, record);
	const char *rules = "";
	uint64_t done = 0;

	for (size_t i = 0; set != NULL && rules != NULL && i < set->count; i++) {
		const struct rule *rule = &set->rules[i];
		unsigned column;

		if (!claim_column_of(arch, rule, &column) || (done >> column & 1) != 0)
			continue;
		const struct claim claim = claim_of_program(arch, column, rule->program);
		done |= UINT64_C(1) << column;
		if (repair_is_right(writing->work, row, column, &claim)) {
			/* A claim in force needs no rule. */
			if (memcmp(&writing->now[column], &claim, sizeof(claim)) == 0)
				continue;
			writing->now[column] = claim;
			rules = with_rule(writing, rules, arena_format(
				&writing->work->scratch, "%.*s: %.*s", (int)rule->name.length,
				rule->name.start, (int)rule->program->text.length,
				rule->program->text.start));
			continue;
		}
		writing->changed |= UINT64_C(1) << column;
		if (is_right(writing, row, column))
			continue;
		rules = with_rule(writing, rules, wanted_rule(writing, row, column));
		writing->now[column] = wanted_claim(row, column);
	}
	return rules;
}

/* The rules that change the current claims to those of a row. */
static const char *
make_rules(struct repair_writing *writing, const struct repair_row *row,
	   const struct stack_cfi *record)
{
	const char *rules = record != NULL ? mend_rules(writing, row, record) : "";
	const bool begins = row->first == writing->group->first;

	for (unsigned column = 0; column < claim_columns(writing->work->arch); column++) {
		const bool needed = begins && column < CLAIM_REGISTER &&
				    writing->now[column].kind == CLAIM_SILENT;
		const bool expressed = !row->in_file && (row->expressed >> column & 1) != 0;

		if (is_right(writing, row, column) && !needed && !expressed)
			continue;
		writing->changed |= UINT64_C(1) << column;
		rules = with_rule(writing, rules, wanted_rule(writing, row, column));
		writing->now[column] = wanted_claim(row, column);
	}
	return rules;
}

static const char *
in_words(const struct arch *arch, unsigned column, const struct claim *claim, char *buffer,
	 size_t size)
{
	return claim->kind == CLAIM_SILENT ? "nothing"
	       : claim->kind == CLAIM_SAME
		       ? "unchanged" : claim_format(arch, column, claim, buffer, size);
}

/* Describes a defect: "CFA: rsp+96, .eh_frame has rsp+144". */
static const char *
explain(const struct repair_writing *writing, const struct repair_row *row,
	const struct claim *before, bool extent)
{
	struct repair_work *work = writing->work;
	const char *source = row->source < UNWIND_SOURCES ? work->sources[row->source].kind->name
							  : "the code";
	const char *why = extent ? arena_format(&work->scratch, "the code goes from 0x%" PRIx64
						" to 0x%" PRIx64, writing->group->first,
						writing->group->last)
				 : "";
	unsigned more = 0;

	for (unsigned column = 0; column < claim_columns(work->arch); column++) {
		char was[64], now[64];

		if ((writing->changed >> column & 1) == 0)
			continue;
		if (more++ == 3)
			return arena_format(&work->scratch, "%s, and more", why);
		why = arena_format(&work->scratch, "%s%s%s: %s, %s has %s", why,
				   *why != '\0' ? "; " : "", claim_column_name(work->arch, column),
				   in_words(work->arch, column, &before[column], was, sizeof(was)),
				   source, in_words(work->arch, column, &writing->now[column], now,
						    sizeof(now)));
		if (why == NULL)
			return OUT_OF_MEMORY;
	}
	return *why != '\0' ? why : "it changes nothing here";
}

/* Whether the code contradicts the changed columns of a row. Sets `*trust` to the evidence. */
static bool
is_contradicted(struct repair_writing *writing, const struct repair_row *row,
		enum repair_trust *trust)
{
	bool silent = false;

	*trust = REPAIR_CODE;
	if (row->source == UNWIND_SOURCES)
		return false;
	for (unsigned column = 0; column < claim_columns(writing->work->arch); column++) {
		if ((writing->changed >> column & 1) == 0 || (row->known >> column & 1) == 0)
			continue;
		const enum flow_verdict verdict = repair_ask_code(
			writing->work, row->first, column, &row->claims[column]);
		if (verdict == FLOW_CONTRADICTS)
			return true;
		silent = silent || verdict == FLOW_CANNOT_SAY;
	}
	*trust = silent || writing->changed == 0 ? REPAIR_TABLE : REPAIR_BOTH;
	return false;
}

static void
add_change(struct repair_writing *writing, const struct repair_row *row,
	   const struct repair_line *at, enum repair_slot slot, const char *now, const char *why)
{
	struct repair_work *work = writing->work;
	struct repair *repair = work->repair;
	struct repair_change *change = ARENA_PUSH(&repair->arena, repair->changes,
						  repair->change_count, repair->change_capacity);
	const bool code = row->source == UNWIND_SOURCES;
	const struct unwind_source *source = code ? NULL : &work->sources[row->source];

	if (change == NULL) {
		writing->problem = OUT_OF_MEMORY;
		return;
	}
	*change = (struct repair_change){ .offset = at->offset,
					  .was = at->text,
					  .slot = slot,
					  .address = row->first,
					  .line = symfile_place(repair->module->symfile, at->offset,
								(uint32_t)at->text.length)
							  .line,
					  .now = now != NULL ? arena_string(&repair->arena, now)
							     : NULL,
					  .why = arena_string(&repair->arena, why),
					  .source_name = code ? "code" : source->kind->name,
					  .group = writing->group->number,
					  .order = repair->change_count };
	if (!code)
		change->source = source->kind->reader->place(source, row->record);
	if (is_contradicted(writing, row, &change->trust))
		writing->problem = "the frame table and the code contradict each other";
	if (change->why == NULL || (now != NULL && change->now == NULL))
		writing->problem = OUT_OF_MEMORY;
}

/* Put a new line after the last placed line. If the next line is to be removed, replace it. */
static void
insert(struct repair_writing *writing, const struct repair_row *row, const char *now,
       const char *why)
{
	struct repair_group *group = writing->group;
	const size_t next = writing->cursor + 1;

	if (group->line_count == 0) {
		add_change(writing, row, &group->anchor,
			   group->behind ? REPAIR_BEHIND : REPAIR_BEFORE, now, why);
	} else if (next < group->line_count && !group->lines[next].kept &&
		   !group->lines[next].placed) {
		group->lines[next].placed = true;
		writing->cursor = next;
		add_change(writing, row, &group->lines[next], REPAIR_INSTEAD, now, why);
	} else if (writing->cursor == SIZE_MAX) {
		add_change(writing, row, &group->lines[0], REPAIR_BEFORE, now, why);
	} else {
		add_change(writing, row, &group->lines[writing->cursor], REPAIR_BEHIND, now, why);
	}
}

/* Whether a delta changes a claim in force. */
static bool
has_effect(const struct repair_writing *writing, const struct repair_line *line)
{
	const struct repair_group *group = writing->group;

	for (size_t i = 1; i < group->row_count; i++)
		if (group->rows[i].first == line->record.address)
			return memcmp(group->rows[i].file, group->rows[i - 1].file,
				      sizeof(group->rows[i].file)) != 0;
	return false;
}

/* Write the rules that begin at a row. `line` is the file's line for the row, or NULL. */
static void
write_row(struct repair_writing *writing, const struct repair_row *row, struct repair_line *line)
{
	const struct repair_group *group = writing->group;
	const bool init = row->first == group->first;
	const bool extent = line != NULL && init &&
			    (line->record.address != group->first ||
			     line->record.size != group->last - group->first + 1);
	struct claim before[CLAIM_COLUMNS], after[CLAIM_COLUMNS];
	const char *head;

	memcpy(before, writing->now, sizeof(before));
	writing->changed = 0;
	if (line != NULL) {
		memcpy(after, before, sizeof(after));
		const bool good = apply(writing, &line->record, after);
		const bool moved = !init && memcmp(before, after, sizeof(after)) == 0 &&
				   has_effect(writing, line);

		memcpy(writing->now, after, sizeof(after));
		writing->cursor = (size_t)(line - group->lines);
		if (good && !extent && !moved && is_all_right(writing, row))
			return;
		memcpy(writing->now, before, sizeof(before));
	} else if (!init && is_all_right(writing, row)) {
		return;
	}
	const char *rules = make_rules(writing, row, line != NULL ? &line->record : NULL);
	const char *why = explain(writing, row, line != NULL ? after : before, extent);
	if (rules == NULL) {
		writing->problem = "records cannot say what the frame table says";
		return;
	}
	if (init)
		head = arena_format(&writing->work->scratch, "STACK CFI INIT %" PRIx64 " %" PRIx64,
				    group->first, group->last - group->first + 1);
	else
		head = arena_format(&writing->work->scratch, "STACK CFI %" PRIx64, row->first);
	const char *now =
		*rules != '\0' ? arena_format(&writing->work->scratch, "%s %s", head, rules) : NULL;
	if (line != NULL)
		add_change(writing, row, line, REPAIR_INSTEAD, now, why);
	else if (now != NULL)
		insert(writing, row, now, why);
}

/* Remove the lines that are neither kept nor replaced. */
static void
take_out_rest(struct repair_writing *writing)
{
	struct repair_group *group = writing->group;
	const struct repair_row *row = &group->rows[0];

	writing->changed = 0;
	for (size_t i = 0; i < group->line_count; i++) {
		const struct repair_line *line = &group->lines[i];

		if (!line->kept && !line->placed)
			add_change(writing, row, line, REPAIR_INSTEAD, NULL,
				   !line->good ? "a malformed record"
				   : line->record.init
					   ? "a record without code"
					   : "outside of the code of its INIT record, or "
					     "out of order");
	}
}

/* The next kept delta from index `*from` on, at `address` or above; NULL: none. */
static struct repair_line *
next_delta(const struct repair_group *group, size_t *from, uint64_t address)
{
	for (; *from < group->line_count; ++*from) {
		struct repair_line *line = &group->lines[*from];

		if (line->kept && !line->record.init && line->record.address >= address)
			return line;
	}
	return NULL;
}

bool
repair_write(struct repair_work *work, struct repair_group *group)
{
	struct repair_writing writing = { .work = work, .group = group, .cursor = SIZE_MAX };
	const size_t first_change = work->repair->change_count;
	size_t from = 0;

	repair_clear(work, writing.now);
	repair_run_code(work, group->first, group->last);
	if (group->init_line != SIZE_MAX && group->init_line > 0)
		writing.cursor = group->init_line - 1;
	for (size_t i = 0; i < group->row_count && writing.problem == NULL; i++) {
		struct repair_row row = group->rows[i];

		for (struct repair_line *line = next_delta(group, &from, row.first);;) {
			struct repair_line *own =
				row.first == group->first && group->init_line != SIZE_MAX
					? &group->lines[group->init_line]
				: line != NULL && line->record.address == row.first ? line : NULL;

			write_row(&writing, &row, own);
			/* A delta in the middle of a row splits the row. */
			if (row.first == row.last || writing.problem != NULL)
				break;
			line = next_delta(group, &from, row.first + 1);
			if (line == NULL || line->record.address > row.last)
				break;
			row.first = line->record.address;
		}
	}
	if (writing.problem == NULL && work->repair->change_count > first_change)
		take_out_rest(&writing);
	if (writing.problem == NULL)
		return true;
	work->repair->change_count = first_change;
	repair_leave(work, group->first, group->last, writing.problem);
	return false;
}
