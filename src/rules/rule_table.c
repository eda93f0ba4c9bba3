/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"

static const struct rule_cell unsaid;

void
rule_tables_init(struct rule_tables *tables, struct arena *arena, const struct arch *arch,
		 uint64_t first, uint64_t last)
{
	*tables = (struct rule_tables){ .arena = arena, .arch = arch, .first = first,
					.last = last };
}

void
rule_tables_begin(struct rule_tables *tables, const char *name)
{
	struct rule_table *list = arena_grow(tables->arena, tables->tables, tables->count,
					     &tables->capacity, sizeof(*list));

	tables->failed = tables->failed || list == NULL;
	if (list == NULL)
		return;
	tables->tables = list;
	list[tables->count++] = (struct rule_table){ .source = name };
}

static bool
says_anything(const struct rule_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].kind != RULE_ROW_NOTHING || table->rows[i].message != NULL)
			return true;
	return false;
}

void
rule_tables_add(struct rule_tables *tables, const struct rule_source *source)
{
	const size_t before = tables->count;

	rule_tables_begin(tables, source->name);
	if (tables->count == before)
		return;
	source->fill(source, tables);
	if (!says_anything(&tables->tables[before]))
		tables->count = before;
}

/* Rows ------------------------------------------------------------------------------------------ */

static struct rule_row *
add_row(struct rule_tables *tables, struct rule_row row)
{
	struct rule_table *table =
		tables->count > 0 ? &tables->tables[tables->count - 1] : NULL;

	if (table == NULL)
		return NULL;
	tables->cells += row.cell_count;
	table->full = table->full || table->count == LIMIT_TABLE_ROWS ||
		      tables->cells > LIMIT_TABLE_CELLS;
	if (table->full)
		return NULL;
	struct rule_row *rows = arena_grow(tables->arena, table->rows, table->count,
					   &table->capacity, sizeof(*rows));
	tables->failed = tables->failed || rows == NULL;
	if (rows == NULL)
		return NULL;
	table->rows = rows;
	row.order = table->count;
	rows[table->count++] = row;
	return &rows[table->count - 1];
}

static size_t
find_column(const struct rule_tables *tables, const struct rule_column *wanted)
{
	size_t i = 0;

	while (i < tables->column_count &&
	       !(tables->columns[i].kind == wanted->kind && tables->columns[i].reg == wanted->reg &&
		 (wanted->kind != RULE_COLUMN_OTHER ||
		  text_equal(tables->columns[i].name, wanted->name))))
		i++;
	return i;
}

/* The number of a column, made where it is new; COLUMNS where there are too many. */
#define COLUMNS (LIMIT_RULES + ARCH_REGISTERS)

static size_t
column_of(struct rule_tables *tables, struct rule_column column)
{
	const size_t at = find_column(tables, &column);

	if (at < tables->column_count || at == COLUMNS)
		return at;
	struct rule_column *columns =
		arena_grow(tables->arena, tables->columns, tables->column_count,
			   &tables->column_capacity, sizeof(*columns));
	tables->failed = tables->failed || columns == NULL;
	if (columns == NULL)
		return COLUMNS;
	tables->columns = columns;
	columns[tables->column_count++] = column;
	return at;
}

/*
 * The conventions' rules name pc and sp where records have `.ra` and `.cfa`: what is a caller's
 * stack pointer is a CFA.
 */
static struct rule_column
column_for(const struct arch *arch, const struct rule_set *set, const struct rule *rule)
{
	const bool bare = set->cfa < 0 && set->return_address < 0;
	struct rule_column column = { .reg = ARCH_NO_REGISTER };

	if (rule->target == RULE_CFA || (bare && rule->target == RULE_REGISTER &&
					 rule->reg == arch->sp))
		column.kind = RULE_COLUMN_CFA, column.name = text_of("CFA");
	else if (rule->target == RULE_RETURN_ADDRESS ||
		 (bare && rule->target == RULE_REGISTER && rule->reg == arch->pc))
		column.kind = RULE_COLUMN_RETURN_ADDRESS, column.name = text_of("ra");
	else if (rule->target == RULE_REGISTER)
		column = (struct rule_column){
			RULE_COLUMN_REGISTER, rule->reg,
			text_of(arch->registers[rule->reg].label) };
	else
		column.kind = RULE_COLUMN_OTHER, column.name = rule->name;
	return column;
}

/* The form of the rule that says where the CFA is. */
static struct linear
cfa_form(const struct rule_tables *tables, const struct rule_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (column_for(tables->arch, set, &set->rules[i]).kind == RULE_COLUMN_CFA)
			return linear_of(set->rules[i].program, NULL);
	return (struct linear){ .known = false };
}

static void
narrow(const struct arch *arch, struct linear *linear)
{
	if (arch->word_size == 4)
		linear->offset = (int32_t)(uint32_t)linear->offset;
}

static bool
is_plain(const struct linear *linear)
{
	return linear->known && linear->offset == 0 && !linear->dereference &&
	       !linear->parameters;
}

/* A lone name that nothing explains is how a rule says "no value" (".undef"). */
static bool
is_undefined(const struct program *program)
{
	return program->token_count == 1 && program->tokens[0].operation == OPERATION_NAME &&
	       program->names[0].reg == ARCH_NO_REGISTER &&
	       !text_equal(program->names[0].text, text_of(".cfa"));
}

static struct rule_cell
cell_of(const struct rule_tables *tables, const struct rule *rule, const struct rule_column *column,
	const struct linear *cfa)
{
	struct rule_cell cell = {
		.kind = RULE_CELL_RULE,
		.linear = linear_of(rule->program, column->kind == RULE_COLUMN_CFA ? NULL : cfa),
		.text = rule->program->text,
		.place = rule->program->place,
		.record = rule->record,
		.edited = rule->edited,
	};

	narrow(tables->arch, &cell.linear);
	if (is_undefined(rule->program))
		cell.kind = RULE_CELL_UNDEFINED;
	else if (column->kind == RULE_COLUMN_REGISTER && is_plain(&cell.linear) &&
		 cell.linear.base == column->reg)
		cell.kind = RULE_CELL_SAME;
	return cell;
}

/* That the stack pointer becomes the CFA is what every caller's does. */
static bool
goes_without_saying(const struct rule_tables *tables, const struct rule_set *set,
		    const struct rule *rule)
{
	return rule->target == RULE_REGISTER && rule->reg == tables->arch->sp && set->cfa >= 0 &&
	       text_equal(rule->program->text, text_of(".cfa"));
}

/* Cells in the order in which columns were found; finishing puts them right. */
static const struct rule_cell *
cells_of(struct rule_tables *tables, const struct rule_set *set, size_t room)
{
	const struct linear cfa = cfa_form(tables, set);
	struct rule_cell *cells = arena_array(tables->arena, room, sizeof(*cells));

	tables->failed = tables->failed || cells == NULL;
	for (size_t i = 0; cells != NULL && i < set->count; i++) {
		const struct rule_column column =
			column_for(tables->arch, set, &set->rules[i]);
		const size_t at = goes_without_saying(tables, set, &set->rules[i])
					  ? COLUMNS
					  : column_of(tables, column);

		if (at != COLUMNS)
			cells[at] = cell_of(tables, &set->rules[i], &column, &cfa);
	}
	return cells;
}

struct rule_row *
rule_tables_row(struct rule_tables *tables, uint64_t address, struct place record,
		const struct rule_set *set)
{
	const size_t room = tables->column_count + set->count + 1;
	const bool nothing = set->problem != NULL && set->count == 0;

	return add_row(tables, (struct rule_row){
		.kind = RULE_ROW_RULES, .address = address < tables->first ? tables->first : address,
		.record = record, .cells = nothing ? NULL : cells_of(tables, set, room),
		.cell_count = room, .message = set->problem, .broken = set->problem != NULL });
}

struct rule_row *
rule_tables_nothing(struct rule_tables *tables, uint64_t address, const char *message)
{
	return add_row(tables, (struct rule_row){ .kind = RULE_ROW_NOTHING, .address = address,
						  .message = message });
}

struct rule_row *
rule_tables_record(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *message)
{
	return add_row(tables, (struct rule_row){ .kind = RULE_ROW_RECORD, .address = address,
						  .record = place, .message = message,
						  .broken = true });
}

void
rule_tables_outermost(struct rule_tables *tables, struct rule_row *row)
{
	const size_t at = column_of(tables, (struct rule_column){
		RULE_COLUMN_RETURN_ADDRESS, ARCH_NO_REGISTER, text_of("ra") });
	struct rule_cell *cells =
		arena_array(tables->arena, tables->column_count + 1, sizeof(*cells));

	tables->failed = tables->failed || cells == NULL;
	if (row == NULL || cells == NULL || at == COLUMNS)
		return;
	for (size_t i = 0; row->cells != NULL && i < row->cell_count && i < tables->column_count; i++)
		cells[i] = row->cells[i];
	cells[at] = (struct rule_cell){ .kind = RULE_CELL_UNDEFINED, .text = text_of("undefined"),
					.place = row->record, .record = row->record };
	row->cells = cells;
	row->cell_count = tables->column_count;
}

/* Finishing ------------------------------------------------------------------------------------- */

static bool
is_kept(const struct rule_tables *tables, int reg)
{
	const struct arch_register *entry = &tables->arch->registers[reg];

	return entry->callee_saved || (tables->windows && entry->saved_on_windows);
}

/* CFA, ra, registers that calls keep, the others, names; each in the architecture's order. */
static size_t
rank_of(const struct rule_tables *tables, size_t column)
{
	const struct rule_column *at = &tables->columns[column];

	switch (at->kind) {
	case RULE_COLUMN_CFA:
		return 0;
	case RULE_COLUMN_RETURN_ADDRESS:
		return 1;
	case RULE_COLUMN_REGISTER:
		return (size_t)(at->reg + (is_kept(tables, at->reg) ? 2 : 2 + ARCH_REGISTERS));
	default:
		return 2 + 2 * ARCH_REGISTERS + column;
	}
}

/* The old number of each column in the new order. There are few: CFA, ra, registers, names. */
static void
order_columns(struct rule_tables *tables, size_t old[COLUMNS])
{
	struct rule_column sorted[COLUMNS];

	for (size_t i = 0; i < tables->column_count; i++) {
		size_t at = i;

		for (; at > 0 && rank_of(tables, old[at - 1]) > rank_of(tables, i); at--)
			old[at] = old[at - 1];
		old[at] = i;
	}
	for (size_t i = 0; i < tables->column_count; i++)
		sorted[i] = tables->columns[old[i]];
	if (tables->column_count > 0)
		memcpy(tables->columns, sorted, tables->column_count * sizeof(*sorted));
}

static bool
same_form(const struct linear *a, const struct linear *b)
{
	return a->known && b->known && a->base == b->base && a->offset == b->offset &&
	       a->dereference == b->dereference && a->parameters == b->parameters;
}

/*
 * Whether two rows say the same of a column, be it over registers or from their CFAs: where only
 * the CFA is another, it alone differs.
 */
static bool
same_cell(const struct rule_tables *tables, const struct rule_row *one,
	  const struct rule_row *other, size_t column)
{
	const struct rule_cell *a = &one->cells[column], *b = &other->cells[column];
	int64_t distances[2];

	if (a->kind != b->kind || a->kind != RULE_CELL_RULE)
		return a->kind == b->kind;
	if (!a->linear.known && !b->linear.known)
		return text_equal(a->text, b->text);
	if (rule_cell_distance(tables, one, column, &distances[0]) &&
	    rule_cell_distance(tables, other, column, &distances[1]) &&
	    distances[0] == distances[1])
		return true;
	return same_form(&a->linear, &b->linear);
}

static bool
is_unsaid(const struct rule_cell *cell)
{
	return cell->text.start == NULL;
}

/* What a record does not mention is kept or lost by what the ABI says of calls. */
static void
settle(const struct rule_tables *tables, const struct rule_row *row, size_t column,
       struct rule_cell *cell)
{
	const struct rule_column *at = &tables->columns[column];

	if (!is_unsaid(cell))
		return;
	cell->kind = at->kind == RULE_COLUMN_REGISTER && is_kept(tables, at->reg)
			     ? RULE_CELL_KEPT : RULE_CELL_LOST;
	cell->place = cell->record = row->record;
}

static void
arrange_row(struct rule_tables *tables, struct rule_row *row, const size_t old[COLUMNS],
	    const struct rule_row *above)
{
	struct rule_cell *cells =
		arena_array(tables->arena, tables->column_count + 1, sizeof(*cells));

	tables->failed = tables->failed || cells == NULL;
	for (size_t i = 0; cells != NULL && i < tables->column_count; i++) {
		cells[i] = old[i] < row->cell_count ? row->cells[old[i]] : unsaid;
		settle(tables, row, i, &cells[i]);
	}
	row->cells = cells;
	row->cell_count = cells != NULL ? tables->column_count : 0;
	for (size_t i = 0; cells != NULL && above != NULL && i < tables->column_count; i++)
		cells[i].changed = !same_cell(tables, row, above, i);
}

/* By address; at one address what holds, then the records that have no part in it. */
static int
compare_rows(const void *a, const void *b)
{
	const struct rule_row *one = a, *other = b;
	const bool records[2] = { one->kind == RULE_ROW_RECORD, other->kind == RULE_ROW_RECORD };

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	if (records[0] != records[1])
		return records[0] ? 1 : -1;
	return one->order < other->order ? -1 : one->order > other->order;
}

/* Of rows that hold from one address on the last counts. A label makes a row its own. */
static bool
is_replaced(const struct rule_table *table, size_t row)
{
	const struct rule_row *this = &table->rows[row];
	const struct rule_row *next = row + 1 < table->count ? this + 1 : NULL;

	return next != NULL && this->kind != RULE_ROW_RECORD && next->kind != RULE_ROW_RECORD &&
	       this->label == NULL && this->address == next->address;
}

static void
arrange_table(struct rule_tables *tables, struct rule_table *table, const size_t old[COLUMNS])
{
	const struct rule_row *above = NULL;
	uint64_t last = tables->last;
	size_t kept = 0;

	if (table->count > 0)
		qsort(table->rows, table->count, sizeof(*table->rows), compare_rows);
	for (size_t i = 0; i < table->count; i++)
		if (!is_replaced(table, i))
			table->rows[kept++] = table->rows[i];
	table->count = kept;
	for (size_t i = 0; i < table->count; i++) {
		struct rule_row *row = &table->rows[i];

		table->record_count += row->kind == RULE_ROW_RULES;
		if (row->cells != NULL)
			arrange_row(tables, row, old, row->label == NULL ? above : NULL);
		if (row->kind != RULE_ROW_RECORD)
			above = row->cells != NULL ? row : NULL;
		row->holder = row->kind != RULE_ROW_RECORD || i == 0 ? i : row[-1].holder;
	}
	for (size_t i = table->count; i-- > 0;) {
		struct rule_row *row = &table->rows[i];

		row->last = row->kind == RULE_ROW_RECORD ? row->address : last;
		if (row->kind != RULE_ROW_RECORD && row->label == NULL)
			last = row->address > 0 ? row->address - 1 : 0;
	}
}

bool
rule_rows_differ(const struct rule_tables *tables, const struct rule_row *one,
		 const struct rule_row *other, size_t column)
{
	const struct rule_cell *a = &one->cells[column], *b = &other->cells[column];
	const bool silent[2] = { a->kind == RULE_CELL_KEPT || a->kind == RULE_CELL_LOST,
				 b->kind == RULE_CELL_KEPT || b->kind == RULE_CELL_LOST };
	const bool same[2] = { silent[0] || a->kind == RULE_CELL_SAME,
			       silent[1] || b->kind == RULE_CELL_SAME };

	/* Of the frame pointer every source that there is must speak: silence means unchanged. */
	if (tables->columns[column].kind == RULE_COLUMN_REGISTER &&
	    tables->columns[column].reg == tables->arch->fp && (silent[0] || silent[1]))
		return !(same[0] && same[1]);
	return !silent[0] && !silent[1] && !same_cell(tables, one, other, column);
}

/* Mark the cells of a row that a row of another source contradicts. */
static void
mark_row(struct rule_tables *tables, struct rule_row *row, const struct rule_table *other)
{
	struct rule_cell *cells = (struct rule_cell *)row->cells;

	for (const struct rule_row *at = rule_table_at(other, row->address);
	     at != NULL && at < other->rows + other->count && at->address <= row->last; at++)
		for (size_t i = 0; at->kind == RULE_ROW_RULES && at->cells != NULL &&
				   i < tables->column_count; i++)
			cells[i].differs = cells[i].differs || rule_rows_differ(tables, row, at, i);
}

static void
mark_differences(struct rule_tables *tables, const struct rule_table *table,
		 const struct rule_table *other)
{
	for (size_t i = 0; i < table->count; i++) {
		struct rule_row *row = &table->rows[i];

		if (row->kind == RULE_ROW_RULES && row->cells != NULL && row->label == NULL &&
		    other->count > 0 && other->rows[0].label == NULL)
			mark_row(tables, row, other);
	}
}

void
rule_tables_finish(struct rule_tables *tables)
{
	size_t old[COLUMNS];

	order_columns(tables, old);
	for (size_t i = 0; i < tables->count; i++)
		arrange_table(tables, &tables->tables[i], old);
	for (size_t i = 0; !tables->failed && i < tables->count; i++)
		for (size_t j = 0; j < tables->count; j++)
			if (i != j)
				mark_differences(tables, &tables->tables[i], &tables->tables[j]);
}

const struct rule_row *
rule_table_at(const struct rule_table *table, uint64_t address)
{
	size_t low = sorted_upto(SORTED(table->rows, table->count, address), address);

	if (low == 0)
		return NULL;
	const struct rule_row *row = &table->rows[table->rows[low - 1].holder];
	return row->kind != RULE_ROW_RECORD ? row : NULL;
}
