/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/rule_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "rules/unwind_source.h"

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
	tables->failed |= !ARENA_ADD(tables->arena, tables->tables, tables->count,
				     tables->capacity, &(struct rule_table){ .source = name });
}

void
rule_tables_add(struct rule_tables *tables, const struct unwind_source *source)
{
	const size_t before = tables->count;
	bool says = false;

	rule_tables_begin(tables, source->kind->name);
	if (tables->count == before)
		return;
	source->kind->reader->fill(source, tables);
	const struct rule_table *table = &tables->tables[before];
	for (size_t i = 0; i < table->count; i++) {
		if (source->kind->speaks == UNWIND_MENTIONED)
			table->rows[i].untracked = ~(UINT64_C(1) << tables->arch->fp);
		says |= table->rows[i].kind != RULE_ROW_NOTHING || table->rows[i].message != NULL;
	}
	if (!says)
		tables->count = before;
}

/* Rows ----------------------------------------------------------------------------------------- */

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
	row.order = table->count;
	struct rule_row *added =
		ARENA_PUSH(tables->arena, table->rows, table->count, table->capacity);
	tables->failed = tables->failed || added == NULL;
	if (added != NULL)
		*added = row;
	return added;
}

/* Finds or adds a column, and returns its number. COLUMNS: there are too many columns. */
#define COLUMNS (LIMIT_RULES + ARCH_REGISTERS)

static size_t
column_of(struct rule_tables *tables, struct rule_column wanted)
{
	const size_t count = tables->column_count;
	size_t at = 0;

	while (at < count && !(tables->columns[at].kind == wanted.kind &&
			       tables->columns[at].reg == wanted.reg &&
			       (wanted.kind != RULE_COLUMN_OTHER ||
				text_equal(tables->columns[at].name, wanted.name))))
		at++;
	if (at < count || at == COLUMNS)
		return at;
	if (ARENA_ADD(tables->arena, tables->columns, tables->column_count,
		      tables->column_capacity, &wanted))
		return at;
	tables->failed = true;
	return COLUMNS;
}

/*
 * The conventions' rules name pc and sp, rules of records name `.ra` and `.cfa`. Both have the same
 * columns, because a caller's stack pointer is treated as a CFA.
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

/* In a rule, a lone unknown name means "no value" (".undef"). */
static bool
is_undefined(const struct program *program)
{
	return program->token_count == 1 && program->tokens[0].operation == OPERATION_NAME &&
	       program->names[0].reg == ARCH_NO_REGISTER &&
	       !text_is(program->names[0].text, ".cfa");
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

	struct linear *linear = &cell.linear;
	if (tables->arch->word_size == 4)
		linear->offset = (int32_t)(uint32_t)linear->offset;
	if (is_undefined(rule->program))
		cell.kind = RULE_CELL_UNDEFINED;
	else if (column->kind == RULE_COLUMN_REGISTER && linear->known &&
		 linear->base == column->reg && linear->offset == 0 && !linear->dereference &&
		 !linear->parameters)
		cell.kind = RULE_CELL_SAME;
	return cell;
}

/* Cells in the order in which columns were added; rule_tables_finish() reorders them. */
static const struct rule_cell *
cells_of(struct rule_tables *tables, const struct rule_set *set, size_t room)
{
	struct rule_cell *cells = arena_array(tables->arena, room, sizeof(*cells));
	struct linear cfa = { .known = false };

	/* The CFA's rule as a sum. */
	for (size_t i = set->count; i-- > 0;)
		if (column_for(tables->arch, set, &set->rules[i]).kind == RULE_COLUMN_CFA)
			cfa = linear_of(set->rules[i].program, NULL);
	tables->failed = tables->failed || cells == NULL;
	for (size_t i = 0; cells != NULL && i < set->count; i++) {
		const struct rule *rule = &set->rules[i];
		const struct rule_column column = column_for(tables->arch, set, rule);

		/* The stack pointer of every caller is the CFA: such a rule needs no cell. */
		if (rule->target == RULE_REGISTER && rule->reg == tables->arch->sp &&
		    set->cfa >= 0 && text_is(rule->program->text, ".cfa"))
			continue;
		const size_t at = column_of(tables, column);
		if (at != COLUMNS)
			cells[at] = cell_of(tables, rule, &column, &cfa);
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
				       .kind = RULE_ROW_RULES,
				       .address = address < tables->first ? tables->first : address,
				       .record = record,
				       .cells = nothing ? NULL : cells_of(tables, set, room),
				       .cell_count = room,
				       .message = set->problem,
				       .broken = set->problem != NULL });
}

bool
rule_tables_more(const struct rule_tables *tables)
{
	return !tables->failed && !tables->tables[tables->count - 1].full;
}

void
rule_tables_nothing(struct rule_tables *tables, uint64_t address)
{
	add_row(tables, (struct rule_row){ .kind = RULE_ROW_NOTHING, .address = address });
}

void
rule_tables_defect(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *problem)
{
	add_row(tables, (struct rule_row){ .kind = RULE_ROW_NOTHING, .address = address,
					   .message = problem, .record = place, .broken = true });
}

void
rule_tables_record(struct rule_tables *tables, uint64_t address, struct place place,
		   const char *message)
{
	add_row(tables, (struct rule_row){ .kind = RULE_ROW_RECORD, .address = address,
					   .record = place, .message = message, .broken = true });
}

void
rule_tables_outermost(struct rule_tables *tables, struct rule_row *row)
{
	const size_t at = column_of(tables, (struct rule_column){
		RULE_COLUMN_RETURN_ADDRESS, ARCH_NO_REGISTER, text_of("ra") });
	struct rule_cell *cells =
		arena_array(tables->arena, tables->column_count + 1, sizeof(*cells));

	tables->failed = tables->failed || cells == NULL;
	if (row == NULL)
		return;
	row->message = "outermost function: its return address is undefined";
	if (cells == NULL || at == COLUMNS)
		return;
	for (size_t i = 0; row->cells != NULL && i < row->cell_count && i < tables->column_count;
	     i++)
		cells[i] = row->cells[i];
	cells[at] = (struct rule_cell){ .kind = RULE_CELL_UNDEFINED, .text = text_of("undefined"),
					.place = row->record, .record = row->record };
	row->cells = cells;
	row->cell_count = tables->column_count;
}

/* Finishing ------------------------------------------------------------------------------------ */

static bool
is_kept(const struct rule_tables *tables, int reg)
{
	const struct arch_register *entry = &tables->arch->registers[reg];

	return entry->callee_saved || (tables->windows && entry->saved_on_windows);
}

/* The order of columns: CFA, ra, preserved registers by number, other registers, names. */
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

/* The offset from the CFA of the word that a cell reads; false if the cell reads no such word. */
static bool
find_distance(const struct rule_tables *tables, const struct rule_row *row, size_t column,
	      int64_t *distance)
{
	const struct linear *linear = &row->cells[column].linear;
	/* If there is a column for the CFA, it is the first column. */
	const struct linear *cfa = &row->cells[0].linear;
	uint64_t offset = (uint64_t)linear->offset;

	if (tables->columns[0].kind != RULE_COLUMN_CFA || column == 0 || !linear->known)
		return false;
	if (linear->base != LINEAR_CFA) {
		if (row->cells[0].kind != RULE_CELL_RULE || !cfa->known || cfa->dereference ||
		    cfa->base != linear->base || cfa->base == LINEAR_NONE ||
		    cfa->parameters != linear->parameters)
			return false;
		offset -= (uint64_t)cfa->offset;
		if (tables->arch->word_size == 4)
			offset = (uint64_t)(int64_t)(int32_t)(uint32_t)offset;
	}
	*distance = (int64_t)offset;
	return linear->dereference;
}

/* The claim of a cell. A column without a register, CFA or return address is compared by text. */
static struct claim
claim_of_cell(const struct rule_tables *tables, const struct rule_row *row, size_t column)
{
	static const uint8_t kinds[] = {
		[RULE_CELL_KEPT] = CLAIM_SILENT, [RULE_CELL_LOST] = CLAIM_SILENT,
		[RULE_CELL_UNKNOWN] = CLAIM_SILENT,
		[RULE_CELL_SAME] = CLAIM_SAME, [RULE_CELL_UNDEFINED] = CLAIM_UNDEFINED,
	};
	const struct rule_column *at = &tables->columns[column];
	const struct rule_cell *cell = &row->cells[column];
	const unsigned number = at->kind == RULE_COLUMN_CFA ? CLAIM_CFA
				: at->kind == RULE_COLUMN_REGISTER
					? CLAIM_REGISTER + (unsigned)at->reg : CLAIM_RETURN_ADDRESS;

	if (cell->kind != RULE_CELL_RULE)
		return (struct claim){ .kind = kinds[cell->kind] };
	return claim_of_linear(tables->arch, number, &cell->linear, cell->text);
}

static enum claim_verdict
compare_cells(const struct rule_tables *tables, const struct rule_row *one,
	      const struct rule_row *other, size_t column)
{
	const bool has_cfa = tables->columns[0].kind == RULE_COLUMN_CFA;
	const struct claim nothing = { .kind = CLAIM_SILENT };
	const struct claim a = claim_of_cell(tables, one, column);
	const struct claim b = claim_of_cell(tables, other, column);
	const struct claim a_cfa = has_cfa ? claim_of_cell(tables, one, 0) : nothing;
	const struct claim b_cfa = has_cfa ? claim_of_cell(tables, other, 0) : nothing;

	return claims_compare(tables->arch,
			      has_cfa && column == 0 ? CLAIM_CFA : CLAIM_RETURN_ADDRESS, &a, &a_cfa,
			      &b, &b_cfa);
}

static bool
same_cell(const struct rule_tables *tables, const struct rule_row *one,
	  const struct rule_row *other, size_t column)
{
	return one->cells[column].kind == other->cells[column].kind &&
	       compare_cells(tables, one, other, column) == CLAIMS_AGREE;
}

static void
arrange_row(struct rule_tables *tables, struct rule_row *row, const size_t old[COLUMNS],
	    const struct rule_row *above)
{
	struct rule_cell *cells =
		arena_array(tables->arena, tables->column_count + 1, sizeof(*cells));

	tables->failed = tables->failed || cells == NULL;
	for (size_t i = 0; cells != NULL && i < tables->column_count; i++) {
		const struct rule_column *column = &tables->columns[i];

		cells[i] = old[i] < row->cell_count ? row->cells[old[i]] : unsaid;
		if (cells[i].text.start != NULL)
			continue;
		/* The ABI decides whether calls preserve an unmentioned register. */
		cells[i].kind = column->kind != RULE_COLUMN_REGISTER ||
						!is_kept(tables, column->reg)
					? RULE_CELL_LOST
				: (row->untracked >> column->reg & 1) != 0 ? RULE_CELL_UNKNOWN
									   : RULE_CELL_KEPT;
		cells[i].place = cells[i].record = row->record;
	}
	row->cells = cells;
	row->cell_count = cells != NULL ? tables->column_count : 0;
	for (size_t i = 0; cells != NULL && above != NULL && i < tables->column_count; i++)
		cells[i].changed = !same_cell(tables, row, above, i);
}

/* The order of rows: by address; at one address the rules in force, then unused records. */
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

static void
arrange_table(struct rule_tables *tables, struct rule_table *table, const size_t old[COLUMNS])
{
	const struct rule_row *above = NULL;
	uint64_t last = tables->last;
	size_t kept = 0;

	SORT(table->rows, table->count, compare_rows);
	/* Keep all records and labelled rows; of other rows at one address keep the last. */
	for (size_t i = 0; i < table->count; i++) {
		const struct rule_row *row = &table->rows[i];

		if (i + 1 == table->count || row->kind == RULE_ROW_RECORD || row->label != NULL ||
		    row[1].kind == RULE_ROW_RECORD || row->address != row[1].address)
			table->rows[kept++] = *row;
	}
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
	/* The row of a gap has no cells. */
	if (one->cells == NULL || other->cells == NULL)
		return false;
	const struct rule_cell *a = &one->cells[column], *b = &other->cells[column];
	const bool silent[2] = { !rule_cell_is_said(a), !rule_cell_is_said(b) };
	const bool same[2] = { silent[0] || a->kind == RULE_CELL_SAME,
			       silent[1] || b->kind == RULE_CELL_SAME };
	const struct rule_column *at = &tables->columns[column];

	/* Every source should mention the frame pointer. */
	if (at->kind == RULE_COLUMN_REGISTER && (silent[0] || silent[1]) &&
	    (at->reg == tables->arch->fp ||
	     (is_kept(tables, at->reg) && a->kind != RULE_CELL_UNKNOWN &&
	      b->kind != RULE_CELL_UNKNOWN)))
		return !(same[0] && same[1]);
	return !silent[0] && !silent[1] && !same_cell(tables, one, other, column);
}

static void
mark_cell(struct rule_tables *tables, struct rule_cell *cell, const struct rule_row *row,
	  const struct rule_row *other, size_t column)
{
	const struct rule_cell *against = &other->cells[column];

	if (!rule_rows_differ(tables, row, other, column))
		return;
	cell->differs = true;
	/* A format may be unable to express another format's expression or undefined value. */
	tables->contradicted |= cell->kind != RULE_CELL_UNDEFINED &&
				against->kind != RULE_CELL_UNDEFINED &&
				(cell->kind != RULE_CELL_RULE || cell->linear.known) &&
				(against->kind != RULE_CELL_RULE || against->linear.known);
}

/* Mark the cells that a row of another source contradicts. */
static void
mark_differences(struct rule_tables *tables, const struct rule_table *table,
		 const struct rule_table *other)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct rule_row *row = &table->rows[i];
		struct rule_cell *cells = (struct rule_cell *)row->cells;

		if (row->kind != RULE_ROW_RULES || cells == NULL || row->label != NULL ||
		    other->count == 0 || other->rows[0].label != NULL)
			continue;
		for (const struct rule_row *at = rule_table_at(other, row->address);
		     at != NULL && at < other->rows + other->count && at->address <= row->last;
		     at++)
			for (size_t j = 0; at->kind == RULE_ROW_RULES && at->cells != NULL &&
					   j < tables->column_count; j++)
				mark_cell(tables, &cells[j], row, at, j);
	}
}

void
rule_tables_finish(struct rule_tables *tables)
{
	struct rule_column sorted[COLUMNS];
	size_t old[COLUMNS];

	/* Insertion sort, because columns are few: old[i] is the former number of column i. */
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
	for (size_t i = 0; i < tables->count; i++)
		arrange_table(tables, &tables->tables[i], old);
	for (size_t i = 0; !tables->failed && i < tables->count; i++)
		for (size_t j = 0; j < tables->count; j++)
			if (i != j)
				mark_differences(tables, &tables->tables[i], &tables->tables[j]);
}

size_t
rule_tables_add_all(struct rule_tables *tables, const struct rule_module *module)
{
	struct unwind_source sources[UNWIND_SOURCES];
	const size_t count = unwind_sources(module, sources);

	for (size_t i = 0; i < count; i++)
		rule_tables_add(tables, &sources[i]);
	rule_tables_finish(tables);
	return count;
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

size_t
rule_tables_obeyed(const struct rule_tables *tables, uint64_t address)
{
	for (size_t i = 0; tables->count > 1 && i < tables->count; i++) {
		const struct rule_row *row = rule_table_at(&tables->tables[i], address);

		if (row != NULL && row->kind == RULE_ROW_RULES && !row->broken)
			return i;
	}
	return SIZE_MAX;
}

/* Text of cells: in readelf's notation, and in words ------------------------------------------- */

/* "rbp+16+p": register, offset and the callee's parameters. */
static void
format_sum(const struct rule_tables *tables, const struct linear *linear, char *buffer, size_t size)
{
	const char *base = linear->base >= 0 ? tables->arch->registers[linear->base].label
			   : linear->base == LINEAR_CFA ? "cfa" : "";
	const char *parameters = linear->parameters ? "+p" : "";

	if (linear->offset == 0 && *base != '\0')
		snprintf(buffer, size, "%s%s", base, parameters);
	else if (*base != '\0')
		snprintf(buffer, size, "%s%+" PRId64 "%s", base, linear->offset, parameters);
	else
		snprintf(buffer, size, "%" PRId64 "%s", linear->offset, parameters);
}

static const char *
format_rule(const struct rule_tables *tables, const struct rule_row *row, size_t column,
	    char *buffer, size_t size)
{
	const struct linear *linear = &row->cells[column].linear;
	char sum[64];
	int64_t distance;

	if (!linear->known)
		snprintf(buffer, size, "exp");
	else if (find_distance(tables, row, column, &distance))
		snprintf(buffer, size, "c%+" PRId64, distance);
	else if (linear->base == LINEAR_CFA && !linear->dereference && column > 0)
		snprintf(buffer, size, "v%+" PRId64, linear->offset);
	else if (column == 0 && linear->base >= 0 && linear->offset == 0 && !linear->dereference)
		snprintf(buffer, size, "%s+0%s", tables->arch->registers[linear->base].label,
			 linear->parameters ? "+p" : "");
	else {
		format_sum(tables, linear, sum, sizeof(sum));
		snprintf(buffer, size, linear->dereference ? "[%s]" : "%s", sum);
	}
	return buffer;
}

const char *
rule_cell_format(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		 char *buffer, size_t size)
{
	static const char *const signs[] = {
		[RULE_CELL_KEPT] = ".", [RULE_CELL_LOST] = "-", [RULE_CELL_SAME] = "s",
		[RULE_CELL_UNDEFINED] = "u", [RULE_CELL_UNKNOWN] = "?",
	};
	const enum rule_cell_kind kind = row->cells[column].kind;

	if (kind == RULE_CELL_RULE)
		return format_rule(tables, row, column, buffer, size);
	snprintf(buffer, size, "%s", signs[kind]);
	return buffer;
}

const char *
rule_cell_explain(const struct rule_tables *tables, const struct rule_row *row, size_t column,
		  char *buffer, size_t size)
{
	static const char *const words[] = {
		[RULE_CELL_KEPT] = "unchanged: no record mentions it, and calls preserve it",
		[RULE_CELL_LOST] = "no value: no record mentions it",
		[RULE_CELL_UNKNOWN] = "unknown: the rules do not track it",
		[RULE_CELL_SAME] = "unchanged by a record",
		[RULE_CELL_UNDEFINED] = "undefined: its rule is a name without a value",
	};
	const struct rule_cell *cell = &row->cells[column];
	char sum[64];
	int64_t distance;

	if (cell->kind != RULE_CELL_RULE) {
		snprintf(buffer, size, "%s", words[cell->kind]);
	} else if (!cell->linear.known) {
		snprintf(buffer, size, "a longer expression");
	} else if (find_distance(tables, row, column, &distance)) {
		snprintf(buffer, size, "the word at the CFA %s %" PRIu64,
			 distance < 0 ? "less" : "plus",
			 distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance);
	} else {
		format_sum(tables, &cell->linear, sum, sizeof(sum));
		snprintf(buffer, size, "%s%s%s", cell->linear.dereference ? "the word at " : "",
			 sum,
			 cell->linear.parameters ? ", p the bytes of its callee's parameters" : "");
	}
	return buffer;
}
