/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "repair/repair_internal.h"

/* Collects the rules for a run of code: the symbol file's rules, and those of other sources. */

void
repair_clear(const struct repair_work *work, struct claim claims[CLAIM_COLUMNS])
{
	struct unwind_source source = work->sources[0];

	unwind_row_clear(&source);
	memcpy(claims, source.row.claims, sizeof(source.row.claims));
}

static void
seek(struct unwind_source *source, uint64_t address)
{
	if (!unwind_source_from(source, address))
		source->row.first = source->row.last = UINT64_MAX;
}

bool
repair_entry(struct repair_work *work, uint64_t address, uint64_t *first, uint64_t *last)
{
	for (size_t i = 1; i < work->source_count; i++) {
		struct unwind_source *source = &work->sources[i];

		if (!source->kind->whole)
			continue;
		seek(source, address);
		if (source->row.first > address)
			continue;
		*first = source->row.begins;
		do
			*last = source->row.last;
		while (source->kind->reader->next(source) && source->row.begins == *first &&
		       source->row.first == *last + 1);
		return true;
	}
	return false;
}

/* Whether a record can express a source's claim for a column. */
static bool
is_plain(const struct unwind_row *row, unsigned column)
{
	const struct claim *claim = &row->claims[column];

	return (claim->kind == CLAIM_RULE || claim->kind == CLAIM_SAME) && !claim->parameters &&
	       (row->expressed >> column & 1) == 0;
}

static void
take(const struct repair_work *work, struct repair_row *row, unsigned number)
{
	const struct unwind_row *from = &work->sources[number].row;

	row->covered = true;
	row->source = number;
	row->record = from->record != 0 ? from->record : from->entry;
	row->outermost = from->claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_UNDEFINED;
	memcpy(row->claims, from->claims, sizeof(row->claims));
	for (unsigned column = 0; column < claim_columns(work->arch); column++) {
		row->known |= (uint64_t)is_plain(from, column) << column;
		row->expressed |= (uint64_t)(from->claims[column].kind == CLAIM_EXPRESSION ||
					     (from->expressed >> column & 1) != 0)
				  << column;
	}
}

/* Leave a column unchanged if another source disagrees. */
static void
dispute(const struct repair_work *work, struct repair_row *row, const struct unwind_row *other)
{
	for (unsigned column = 0; column < claim_columns(work->arch); column++)
		if (other->claims[column].kind != CLAIM_SILENT &&
		    (row->known >> column & 1) != 0 &&
		    claims_compare(work->arch, column, &row->claims[column],
				   &row->claims[CLAIM_CFA], &other->claims[column],
				   &other->claims[CLAIM_CFA]) == CLAIMS_DIFFER)
			row->known &= ~(UINT64_C(1) << column);
}

/* Set the sources' claims at the row's first address, and end the row where a claim may change. */
static void
fill(struct repair_work *work, struct repair_row *row)
{
	/* Outside `low` to `high`, other sources' rows give no claims. They still end this row. */
	const bool asked = row->first >= work->low && row->first <= work->high;

	for (unsigned i = 0; i < work->source_count; i++) {
		struct unwind_source *source = &work->sources[i];
		const struct unwind_row *from = &source->row;

		while (from->last < row->first)
			if (!source->kind->reader->next(source))
				source->row.first = source->row.last = UINT64_MAX;
		if (from->first > row->first) {
			row->last = from->first - 1 < row->last ? from->first - 1 : row->last;
			continue;
		}
		row->last = from->last < row->last ? from->last : row->last;
		if (i == 0) {
			row->in_file = true;
			row->unusable = from->problem != NULL;
			row->failing = from->failing;
			memcpy(row->file, from->claims, sizeof(row->file));
			memcpy(row->records, from->records, sizeof(row->records));
		} else if (asked && from->problem == NULL && !source->kind->at_calls &&
			   !source->kind->symbols) {
			if (!row->covered)
				take(work, row, i);
			else
				dispute(work, row, from);
		}
	}
}

struct repair_row *
repair_rows(struct repair_work *work, uint64_t first, uint64_t last, size_t *count)
{
	struct repair_row *rows = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < work->source_count; i++)
		seek(&work->sources[i], first);
	for (uint64_t at = first;; at = rows[*count - 1].last + 1) {
		struct repair_row *row = ARENA_PUSH(&work->scratch, rows, *count, capacity);

		if (row == NULL)
			return NULL;
		*row = (struct repair_row){ .first = at, .last = last };
		repair_clear(work, row->file);
		fill(work, row);
		if (row->last == last)
			return rows;
	}
}

bool
repair_is_right(const struct repair_work *work, const struct repair_row *row, unsigned column,
		const struct claim *claim)
{
	const struct claim *wanted = &row->claims[column];
	/* Compare both claims relative to the new CFA. */
	const struct claim *cfa = (row->known & 1) != 0 ? &row->claims[CLAIM_CFA]
							: &row->file[CLAIM_CFA];

	if ((row->known >> column & 1) == 0)
		return !row->in_file || memcmp(claim, &row->file[column], sizeof(*claim)) == 0;
	if (claim->kind == CLAIM_SILENT)
		return column >= CLAIM_REGISTER;
	return claims_compare(work->arch, column, claim, column == CLAIM_CFA ? claim : cfa, wanted,
			      column == CLAIM_CFA ? wanted : cfa) == CLAIMS_AGREE;
}
