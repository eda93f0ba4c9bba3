/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/sorted.h"
#include "code_flow/flow_state.h"
#include "repair/repair_internal.h"
#include "code_flow/flow_row.h"

/* Makes the rows that a function's records should have, from its code. */

bool
repair_run_code(struct repair_work *work, uint64_t first, uint64_t last)
{
	/* Code that no call enters, like the head of a linkage table, may have another stack. */
	if (work->function == NULL || !flow_module_is_entry(&work->code, first) ||
	    !flow_module_mode(&work->code, first)) {
		work->run_first = UINT64_MAX;
		return false;
	}
	if (work->run_first != first)
		flow_function_run(work->function, first, last + 1);
	work->run_first = first;
	return true;
}

enum flow_verdict
repair_ask_code(const struct repair_work *work, uint64_t address, unsigned column,
		const struct claim *claim)
{
	struct flow_point point;

	if (work->function == NULL || work->run_first == UINT64_MAX ||
	    !flow_function_at(work->function, address, &point))
		return FLOW_CANNOT_SAY;
	const enum flow_verdict verdict =
		flow_judge(work->arch, work->repair->windows, point.state, column, claim);
	return verdict == FLOW_CONTRADICTS && point.inferred ? FLOW_CANNOT_SAY : verdict;
}

/* Set a row's claims to those of the code. False: the code does not determine them. */
static bool
ask_all(struct repair_work *work, const struct flow_state *state, struct repair_row *row)
{
	struct flow_row said;

	if (flow_row_make(&work->code.code, state, false, &said) != NULL)
		return false;
	repair_clear(work, row->file);
	for (unsigned column = CLAIM_REGISTER; column < claim_columns(work->arch); column++)
		row->claims[column] = row->file[column];
	for (size_t i = 0; i < said.count; i++) {
		const struct flow_rule *rule = &said.rules[i];

		if (rule->claim.kind != CLAIM_RULE || rule->beyond != 0)
			return false;
		row->claims[rule->column] = rule->claim;
	}
	return true;
}

/*
 * Chooses between true claims for a column. The previous row's claim is best: it needs no record.
 * For the CFA, the frame pointer is the next best base, because it does not move.
 */
static void
prefer_lasting(const struct repair_work *work, const struct flow_state *state, unsigned column,
	       const struct claim *before, struct claim *claim)
{
	const int fp = work->arch->fp;
	struct claim by_fp = { 0 };

	if (fp >= 0 && state->registers[fp].kind == FLOW_STACK && state->registers[fp].base == 0)
		by_fp = claim_sum(work->arch, CLAIM_CFA, fp, -(int64_t)state->registers[fp].offset,
				  false);
	if (before->kind != CLAIM_SILENT &&
	    flow_judge(work->arch, work->repair->windows, state, column, before) == FLOW_AGREES)
		*claim = *before;
	else if (column == CLAIM_CFA && by_fp.kind == CLAIM_RULE)
		*claim = by_fp;
}

/* Copies the previous row's claim for a column, if the file has one record for both rows. */
static bool
carry(const struct repair_row *before, struct repair_row *row, unsigned column)
{
	if (before == NULL || !before->in_file || !row->in_file ||
	    (before->known >> column & 1) == 0 || before->records[column] != row->records[column])
		return false;
	row->claims[column] = before->claims[column];
	row->known |= UINT64_C(1) << column;
	return true;
}

/* Calls carry() for each column in `columns` (bit n: column n). True: all could be carried. */
static bool
carry_columns(const struct repair_work *work, const struct repair_row *before,
	      struct repair_row *row, uint64_t columns)
{
	bool all = true;

	for (unsigned column = 0; column < claim_columns(work->arch); column++)
		if ((columns >> column & 1) != 0)
			all = carry(before, row, column) && all;
	row->covered = row->covered || row->known != 0;
	return all;
}

/* Whether the check of all rows has a finding at an address. True if no check was made. */
static bool
is_found(const struct repair_work *work, uint64_t address)
{
	for (size_t i = 0; i < work->difference_count; i++)
		if (work->differences[i].first <= address && address <= work->differences[i].last)
			return true;
	return work->differences == NULL;
}

/*
 * Set a row's claims from the code: only the wrong ones if the file's rules are usable, else all.
 * False: the code does not show how to repair a wrong rule.
 */
static bool
want_code(struct repair_work *work, const struct flow_point *point,
	  const struct repair_row *before, struct repair_row *row)
{
	const bool usable = row->in_file && !row->unusable;
	struct repair_row said = { 0 };
	uint64_t wrong = 0, untold = 0;

	row->source = UNWIND_SOURCES;
	for (unsigned column = 0; usable && column < claim_columns(work->arch); column++) {
		const enum flow_verdict verdict =
			point->inferred ? FLOW_CANNOT_SAY
					: flow_judge(work->arch, work->repair->windows,
						     point->state, column, &row->file[column]);
		wrong |= (uint64_t)(verdict == FLOW_CONTRADICTS ||
				    (row->failing >> column & 1) != 0) << column;
		untold |= (uint64_t)(verdict == FLOW_CANNOT_SAY) << column;
	}
	if (wrong != 0 && !is_found(work, point->instruction->address)) {
		/* No call leads to the first address, as in the head of a linkage table. */
		if (before == NULL)
			return false;
		untold |= wrong;
		wrong = 0;
	}
	carry_columns(work, before, row, untold);
	if (usable && wrong == 0)
		return true;
	if (point->inferred || !ask_all(work, point->state, &said))
		return usable && carry_columns(work, before, row, wrong);
	row->known |= wrong;
	for (unsigned column = 0; !usable && column < claim_columns(work->arch); column++)
		row->known |= (uint64_t)(said.claims[column].kind != CLAIM_SILENT) << column;
	for (unsigned column = 0; column < claim_columns(work->arch); column++)
		if (!usable || (wrong >> column & 1) != 0)
			row->claims[column] = said.claims[column];
	for (unsigned column = 0; before != NULL && column < claim_columns(work->arch); column++)
		if (usable ? (wrong >> column & 1) != 0 : (row->known >> column & 1) != 0)
			prefer_lasting(work, point->state, column,
				       (before->known >> column & 1) != 0 ? &before->claims[column]
									  : &before->file[column],
				       &row->claims[column]);
	row->covered = true;
	return true;
}

SORTED_VALUES(compare_addresses, uint64_t)

/* The addresses of the function's reached instructions from `first` to `last`, sorted. */
static uint64_t *
list_addresses(struct repair_work *work, uint64_t first, uint64_t last, size_t *count)
{
	struct flow_point point;
	size_t all = 0;

	while (flow_function_point(work->function, all, &point))
		all++;
	uint64_t *addresses = arena_array(&work->scratch, all + 1, sizeof(*addresses));
	*count = 0;
	for (size_t i = 0; addresses != NULL && i < all; i++)
		if (flow_function_point(work->function, i, &point) && point.state != NULL &&
		    point.instruction->address >= first && point.instruction->address <= last)
			addresses[(*count)++] = point.instruction->address;
	if (addresses != NULL)
		SORT(addresses, *count, compare_addresses);
	return addresses;
}

static bool
is_same_row(const struct repair_row *a, const struct repair_row *b)
{
	return a->known == b->known && a->in_file == b->in_file &&
	       memcmp(a->file, b->file, sizeof(a->file)) == 0 &&
	       memcmp(a->claims, b->claims, sizeof(a->claims)) == 0;
}

struct repair_row *
repair_code_rows(struct repair_work *work, uint64_t first, uint64_t last, size_t *count,
		 const char **why)
{
	size_t file_count, address_count, at = 0, capacity = 0;
	struct repair_row *rows = NULL;
	struct flow_point point;

	*why = "the targets of the calls in the function are not known";
	*count = 0;
	if (!repair_run_code(work, first, last))
		return NULL;
	*why = NULL;
	const struct repair_row *file = repair_rows(work, first, last, &file_count);
	const uint64_t *addresses = list_addresses(work, first, last, &address_count);
	if (file == NULL || addresses == NULL)
		return NULL;
	for (uint64_t from = first, next; from <= last; from = next) {
		struct repair_row row = { 0 };

		while (file[at].last < from)
			at++;
		row = file[at];
		row.first = from;
		size_t i = 0;
		while (i < address_count && addresses[i] <= from)
			i++;
		next = i < address_count ? addresses[i] : last + 1;
		next = next > file[at].last + 1 ? file[at].last + 1 : next;
		row.last = next - 1;
		const bool reached = flow_function_at(work->function, from, &point);
		const struct repair_row *before = *count > 0 ? &rows[*count - 1] : NULL;
		if (reached ? !want_code(work, &point, before, &row)
			    : !row.in_file && before == NULL) {
			*why = "the code does not show it";
			return NULL;
		}
		if (!reached && !row.in_file) {
			/* Padding or unreached code continues the previous row. */
			rows[*count - 1].last = row.last;
			continue;
		}
		if (!reached)
			carry_columns(work, before, &row, UINT64_MAX);
		row.source = UNWIND_SOURCES;
		if (*count > 0 && is_same_row(&rows[*count - 1], &row)) {
			rows[*count - 1].last = row.last;
			continue;
		}
		if (!ARENA_ADD(&work->scratch, rows, *count, capacity, &row))
			return NULL;
	}
	return rows;
}
