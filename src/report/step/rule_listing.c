/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/rule_listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

/* Maximum columns of a postfix cell; a longer one is cut in the middle. */
#define POSTFIX_WIDTH 34u
/* Columns of a row's mark ("=>" or " !") and a blank. */
#define MARGIN 3u

enum line_kind {
	LINE_TITLE,
	LINE_ROW,
	LINE_OTHER,		/* a row of another table; it contradicts the previous row */
};

struct rule_line {
	enum line_kind kind;
	size_t table, row;
};

struct rules {
	struct rule_view view;
	struct rule_line *lines;
	size_t count, capacity;
	bool failed;
	size_t *widths;			/* widths of the columns, without signs */
	size_t left;			/* columns for the address and offset, or for the label */
	size_t right;			/* columns for the record */
	int digits;
};

static const struct rule_row *
row_of(const struct rules *rules, const struct rule_line *line)
{
	return &rules->view.tables->tables[line->table].rows[line->row];
}

/* The place of a record in short form: ":12" (line of a text file), "+0x34" (offset). */
static const char *
format_record(const struct place *place, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (place->input != NULL && place->line != 0)
		snprintf(buffer, size, ":%" PRIu32, place->line);
	else if (place->input != NULL)
		snprintf(buffer, size, "+0x%" PRIx64, place->offset);
	return buffer;
}

/* The text of a cell in the notation of the view. It may contain bytes of the file. */
static struct text
cell_text(const struct rules *rules, const struct rule_row *row, size_t column, char *buffer,
	  size_t size)
{
	const struct rule_cell *cell = &row->cells[column];
	const bool said = rule_cell_is_said(cell);

	if (said && rules->view.form == RULE_FORM_POSTFIX)
		return cell->text;
	if (said && rules->view.form == RULE_FORM_RECORD && cell->record.input != NULL)
		return text_of(format_record(&cell->record, buffer, size));
	return text_of(rule_cell_format(rules->view.tables, row, column, buffer, size));
}

/* Making --------------------------------------------------------------------------------------- */

static void
add_line(struct rules *rules, struct arena *arena, enum line_kind kind, size_t table, size_t row)
{
	rules->failed |= !ARENA_ADD(arena, rules->lines, rules->count, rules->capacity,
				    &(struct rule_line){ kind, table, row });
}

static bool
any_differs(const struct rules *rules, const struct rule_row *row)
{
	for (size_t i = 0; row->cells != NULL && i < rules->view.tables->column_count; i++)
		if (row->cells[i].differs)
			return true;
	return false;
}

static bool
contradicts(const struct rules *rules, const struct rule_row *one, const struct rule_row *other)
{
	for (size_t i = 0; i < rules->view.tables->column_count; i++)
		if (rule_rows_differ(rules->view.tables, one, other, i))
			return true;
	return false;
}

/* Adds rows of later tables that contradict `row`. Rows of earlier tables already list `row`. */
static void
add_others(struct rules *rules, struct arena *arena, size_t table, const struct rule_row *row)
{
	const struct rule_tables *tables = rules->view.tables;

	for (size_t i = table + 1; i < tables->count; i++) {
		const struct rule_table *other = &tables->tables[i];
		const struct rule_row *at = rule_table_at(other, row->address);

		for (; at != NULL && at < other->rows + other->count && at->address <= row->last;
		     at++)
			if (at->kind == RULE_ROW_RULES && at->label == NULL &&
			    contradicts(rules, row, at))
				add_line(rules, arena, LINE_OTHER, i, (size_t)(at - other->rows));
	}
}

static bool
is_in_force(const struct rules *rules, const struct rule_row *row)
{
	const struct rule_view *view = &rules->view;

	if (row->label != NULL)
		return view->method != NULL && strcmp(row->label, view->method) == 0;
	return view->marked && row->kind != RULE_ROW_RECORD && row->address <= view->address &&
	       view->address <= row->last;
}

static size_t
format_left(const struct rules *rules, const struct rule_row *row, char *buffer, size_t size)
{
	const struct rule_run *run = rules->view.run;

	if (row->label != NULL)
		snprintf(buffer, size, "%s", row->label);
	else if (run->named && row->address >= run->function.address)
		snprintf(buffer, size, "%0*" PRIx64 " +%#" PRIx64, rules->digits,
			 row->address + rules->view.bias, row->address - run->function.address);
	else
		snprintf(buffer, size, "%0*" PRIx64, rules->digits,
			 row->address + rules->view.bias);
	return strlen(buffer);
}

static void
measure_row(struct rules *rules, const struct rule_row *row)
{
	char buffer[128];

	row_widen(&rules->left, format_left(rules, row, buffer, sizeof(buffer)), SIZE_MAX);
	row_widen(&rules->right, strlen(format_record(&row->record, buffer, sizeof(buffer))),
		  SIZE_MAX);
	for (size_t i = 0; row->cells != NULL && i < rules->view.tables->column_count; i++) {
		row_widen(&rules->widths[i],
			  text_width(cell_text(rules, row, i, buffer, sizeof(buffer))),
			  POSTFIX_WIDTH);
	}
}

/* Columns -------------------------------------------------------------------------------------- */

/* The register columns that fit: `first` to `end` - 1. */
struct window {
	size_t first, end;
};

/* Columns of a cell: a blank, its sign, its value. */
static size_t
cell_width(const struct rules *rules, size_t column)
{
	return rules->widths[column] + 2;
}

/* The columns that fit next to the address column. The selected column is one of them. */
static struct window
window_of(const struct rules *rules, size_t columns)
{
	const size_t count = rules->view.tables->column_count;
	struct window window = { 0, count };
	size_t used = MARGIN + rules->left + rules->right + 2;

	if (columns == 0)
		return window;
	for (window.end = 0; window.end < count; window.end++) {
		used += cell_width(rules, window.end);
		while (used > columns && window.first < rules->view.column &&
		       window.first < window.end)
			used -= cell_width(rules, window.first++);
		if (used > columns && window.end > rules->view.column)
			break;
	}
	return window;
}

static void
add_cell(const struct rules *rules, const struct rule_row *row_made, size_t column,
	 struct row *row)
{
	const struct rule_cell *cell = &row_made->cells[column];
	const size_t at = row->width;
	char buffer[128];

	const bool unknown = cell->kind == RULE_CELL_LOST || cell->kind == RULE_CELL_UNDEFINED ||
			     cell->kind == RULE_CELL_UNKNOWN;
	const enum role role = cell->differs   ? ROLE_BAD
			       : cell->changed ? ROLE_CHANGED
			       : unknown       ? ROLE_UNKNOWN : ROLE_DIM;
	row_add(row, role, " %c", cell->edited ? '=' : cell->differs ? '!' : cell->changed ? '*'
											   : ' ');
	row_add_cut(row, role, rules->widths[column], true,
		    cell_text(rules, row_made, column, buffer, sizeof(buffer)));
	row_pad(row, at + cell_width(rules, column));
}

static void
add_margin(const struct rules *rules, const struct rule_line *line, struct row *row)
{
	const struct rule_row *at = row_of(rules, line);
	const bool bad = at->broken || line->kind == LINE_OTHER || any_differs(rules, at);

	/* The thin arrow marks the row in force of a source that the step did not use. */
	if (line->kind == LINE_ROW && is_in_force(rules, at))
		row_add(row, ROLE_TITLE, "%s", rules->view.in_force == line->table ||
					       rules->view.in_force == SIZE_MAX ? "=>" : "->");
	else
		row_add(row, bad ? ROLE_BAD : ROLE_NORMAL, bad ? " !" : "  ");
	row_pad(row, MARGIN);
}

static void
fill_table_row(const struct rules *rules, const struct rule_line *line, size_t columns,
	       struct row *row)
{
	const struct rule_row *at = row_of(rules, line);
	const struct window window = window_of(rules, columns);
	char buffer[64];

	add_margin(rules, line, row);
	if (line->kind == LINE_OTHER)
		row_add_cut(row, ROLE_BAD, rules->left, false,
			    text_of(rules->view.tables->tables[line->table].source));
	else if (format_left(rules, at, buffer, sizeof(buffer)) > 0)
		row_add(row, at->kind == RULE_ROW_RULES ? ROLE_CODE : ROLE_DIM, "%s", buffer);
	row_pad(row, MARGIN + rules->left);
	for (size_t i = window.first; at->cells != NULL && i < window.end; i++)
		add_cell(rules, at, i, row);
	if (at->cells != NULL || at->kind == RULE_ROW_RECORD)
		row_add(row, ROLE_DIM, "  %s",
			format_record(&at->record, buffer, sizeof(buffer)));
	else if (at->message == NULL)
		row_add(row, ROLE_DIM, "  no rules from here on");
	if (at->message != NULL)
		row_add(row, at->broken ? ROLE_BAD : ROLE_DIM, "  %s", at->message);
}

static void
fill_title(const struct rules *rules, const struct rule_line *line, struct row *row)
{
	const struct rule_table *table = &rules->view.tables->tables[line->table];

	row_add(row, ROLE_TITLE, "%s", table->source);
	if (table->record_count > 0 && table->rows[0].label == NULL)
		row_add(row, ROLE_DIM, "   %zu row%s", table->record_count,
			plural(table->record_count));
	if (line->table == rules->view.in_force)
		row_add(row, ROLE_TITLE, "   in use");
	if (table->note != NULL)
		row_add(row, ROLE_DIM, "   %s", table->note);
	if (table->full)
		row_add(row, ROLE_BAD, "   ! more rows than the limit");
}

static void
rule_listing_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct rules *rules = listing->context;
	const struct rule_line *line = &rules->lines[index];

	if (line->kind == LINE_TITLE)
		fill_title(rules, line, row);
	else
		fill_table_row(rules, line, columns, row);
}

/* Fills the heading: "[rbx]" is the selected column, "<" and ">" mark hidden columns. */
static void
rule_listing_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct rules *rules = listing->context;
	const struct rule_tables *tables = rules->view.tables;
	const struct window window = window_of(rules, columns);

	row_pad(row, MARGIN);
	row_add(row, ROLE_TITLE, "address");
	row_pad(row, MARGIN + rules->left);
	for (size_t i = window.first; i < window.end; i++) {
		const bool selected = columns != 0 && i == rules->view.column;
		const size_t at = row->width;

		row_add(row, ROLE_TITLE, "%s%s",
			i == window.first && i > 0 ? "<" : " ", selected ? "[" : " ");
		row_add_text(row, ROLE_TITLE, tables->columns[i].name);
		row_add(row, ROLE_TITLE, "%s", selected ? "]" : "");
		row_pad(row, at + cell_width(rules, i));
	}
	row_add(row, ROLE_TITLE, "%s record", window.end < tables->column_count ? ">" : " ");
}

/* Explanations and targets of rows ------------------------------------------------------------- */

static const struct rule_cell *
selected_cell(const struct rules *rules, const struct rule_row *row)
{
	return row->cells != NULL && rules->view.column < rules->view.tables->column_count
		       ? &row->cells[rules->view.column] : NULL;
}

static struct target
rule_listing_row_target(const struct listing *listing, size_t index)
{
	const struct rules *rules = listing->context;
	const struct rule_line *line = &rules->lines[index];

	if (line->kind == LINE_TITLE)
		return TARGET(TARGET_NONE);
	const struct rule_row *row = row_of(rules, line);
	const struct rule_cell *cell = selected_cell(rules, row);
	return report_place_target(cell != NULL && cell->place.input != NULL ? cell->place
									     : row->record);
}

/* Adds the values that contradicting sources have for the selected cell. */
static void
add_contradiction(const struct rules *rules, const struct rule_line *line, struct row *row)
{
	const struct rule_tables *tables = rules->view.tables;
	const struct rule_row *at = row_of(rules, line);
	char buffer[128];

	for (size_t i = 0; i < tables->count; i++) {
		const struct rule_row *other = rule_table_at(&tables->tables[i], at->address);

		if (i == line->table || other == NULL || other->label != NULL ||
		    !rule_rows_differ(tables, at, other, rules->view.column))
			continue;
		row_add(row, ROLE_BAD, "   ! %s: %s", tables->tables[i].source,
			rule_cell_format(tables, other, rules->view.column, buffer,
					 sizeof(buffer)));
	}
}

static void
rule_listing_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct rules *rules = listing->context;
	const struct rule_line *line = &rules->lines[index];
	char buffer[160];

	if (line->kind == LINE_TITLE) {
		fill_title(rules, line, row);
		return;
	}
	const struct rule_row *at = row_of(rules, line);
	const struct rule_cell *cell = selected_cell(rules, at);
	if (at->message != NULL && (cell == NULL || at->broken || at->label != NULL)) {
		row_add_text(row, at->broken ? ROLE_BAD : ROLE_NORMAL, text_of(at->message));
		report_add_place(row, at->record);
		return;
	}
	if (cell == NULL)
		return;
	row_add_text(row, ROLE_TITLE, rules->view.tables->columns[rules->view.column].name);
	row_add(row, ROLE_NORMAL, " %s",
		rule_cell_explain(rules->view.tables, at, rules->view.column, buffer,
				  sizeof(buffer)));
	add_contradiction(rules, line, row);
	if (cell->edited)
		row_add(row, ROLE_CHANGED, "   edited");
	if (cell->text.length > 0) {
		row_add(row, ROLE_DIM, "   ");
		row_add_text(row, ROLE_NORMAL, cell->text);
	}
	report_add_place(row, cell->place);
	if (line->kind == LINE_OTHER)
		row_add(row, ROLE_DIM, "   Enter proposes a record that agrees");
}

struct listing
rule_listing(const struct rule_view *view, struct arena *arena)
{
	struct rules *rules = arena_alloc(arena, sizeof(*rules));

	if (rules == NULL)
		return listing_out_of_memory();
	if (view->tables->count == 0)
		return listing_message("no source has unwind rules for this code");
	rules->view = *view;
	if (rules->view.column >= view->tables->column_count)
		rules->view.column = 0;
	rules->widths = arena_array(arena, view->tables->column_count + 1,
				    sizeof(*rules->widths));
	if (rules->widths == NULL || view->tables->failed)
		return listing_out_of_memory();
	const struct rule_tables *tables = rules->view.tables;
	size_t in_force = 0;

	rules->digits = tables->last + rules->view.bias > UINT32_MAX ? 16 : 8;
	rules->right = strlen("record");
	/* A column has room for its name in brackets. */
	for (size_t i = 0; i < tables->column_count; i++)
		rules->widths[i] = text_width(tables->columns[i].name) + 1;
	for (size_t i = 0; i < tables->count; i++)
		for (size_t j = 0; j < tables->tables[i].count; j++)
			measure_row(rules, &tables->tables[i].rows[j]);
	for (size_t i = 0; i < view->tables->count; i++) {
		const struct rule_table *table = &view->tables->tables[i];

		add_line(rules, arena, LINE_TITLE, i, 0);
		for (size_t j = 0; j < table->count; j++) {
			if (is_in_force(rules, &table->rows[j]) &&
			    (in_force == 0 || rules->view.in_force == i))
				in_force = rules->count;
			add_line(rules, arena, LINE_ROW, i, j);
			if (any_differs(rules, &table->rows[j]))
				add_others(rules, arena, i, &table->rows[j]);
		}
	}
	if (rules->failed)
		return listing_out_of_memory();
	return (struct listing){ .count = rules->count, .current = in_force,
				 .head = rule_listing_fill_head,
				 .fill = rule_listing_fill_row,
				 .target = rule_listing_row_target,
				 .explain = rule_listing_explain_row,
				 .context = rules };
}

bool
rule_listing_contradicts(const struct listing *listing, size_t row, uint64_t *address)
{
	const struct rules *rules = listing->context;

	if (listing_is_message(listing) || rules->lines[row].kind != LINE_OTHER)
		return false;
	*address = row_of(rules, &rules->lines[row])->address;
	return true;
}

size_t
rule_listing_records(const struct rule_tables *tables)
{
	size_t count = 0;

	for (size_t i = 0; i < tables->count; i++)
		if (tables->tables[i].count > 0 && tables->tables[i].rows[0].label == NULL)
			count += tables->tables[i].record_count;
	return count;
}

/* JSON ----------------------------------------------------------------------------------------- */

static const char *const rule_cell_words[] = {
	[RULE_CELL_SAME] = "same",
	[RULE_CELL_UNDEFINED] = "undefined",
	[RULE_CELL_RULE] = "rule",
};
static const struct fact_names rule_cell_kinds = FACT_NAMES(rule_cell_words);

static const char *const rule_row_words[] = {
	[RULE_ROW_RULES] = "rules",
	[RULE_ROW_NOTHING] = "nothing",
	[RULE_ROW_RECORD] = "record",
};
static const struct fact_names rule_row_kinds = FACT_NAMES(rule_row_words);

#define FACTS "report/step/rule_facts.def"
#include "document/describe_facts.h"
