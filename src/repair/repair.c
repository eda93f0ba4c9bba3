/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "repair/repair.h"

#include "base/output.h"
#include "base/sorted.h"
#include "repair/repair_internal.h"
#include "symbols/records.h"
#include "unwind_check/code_check.h"
#include "unwind_check/slices.h"

/* A function whose records are to be written. */
struct repair_span {
	uint64_t first, last;
};

/* The reported differences, and the functions that contain them. */
struct found {
	struct repair_work *work;
	struct arena arena;
	struct unwind_difference *list;
	size_t count, capacity;
	struct repair_span *spans;
	size_t span_count, span_capacity;
	bool failed;
};

/* Maximum number of earlier INIT records that are checked for reaching an address. */
#define MOST_OVERLAPPING 16u
/* Maximum number of differences. If there are more, the symbol file is of another build. */
#define MOST_DIFFERENCES (UINT32_C(1) << 20)

void
repair_leave(struct repair_work *work, uint64_t first, uint64_t last, const char *why)
{
	struct repair *repair = work->repair;

	ARENA_ADD(&repair->arena, repair->left, repair->left_count, repair->left_capacity,
		  &(struct repair_left){ first, last, why });
}

static bool
note_difference(void *context, const struct unwind_difference *difference)
{
	struct found *found = context;

	if (difference->code > UNWIND_CERTAIN)
		return true;
	found->failed |= found->count >= MOST_DIFFERENCES ||
			 !ARENA_ADD(&found->arena, found->list, found->count, found->capacity,
				    difference);
	return !found->failed;
}

/* INIT records -------------------------------------------------------------------------------- */

SORTED_BY_ALL(compare_inits, struct repair_init,
	      SORTED_UP(record.address) SORTED_UP(record.offset))

static bool
list_inits(struct repair_work *work, struct arena *arena)
{
	const struct symfile *symfile = work->repair->module->symfile;
	const struct file *file = symfile_file(symfile);
	const size_t count = symfile_count(symfile, SYMBOL_STACK_CFI_INIT);
	uint64_t offset;
	uint32_t length;

	work->inits = arena_array(arena, count + 1, sizeof(*work->inits));
	for (size_t i = 0; work->inits != NULL && i < count; i++) {
		struct stack_cfi *record = &work->inits[work->init_count].record;

		if (!symfile_record(symfile, SYMBOL_STACK_CFI_INIT, i, &offset, &length) ||
		    !record_stack_cfi((struct text){ (const char *)file->data + offset, length },
				      false, record) || !record->init || record->size == 0)
			continue;
		record->offset = offset;
		record->length = length;
		work->init_count++;
	}
	if (work->inits != NULL)
		SORT(work->inits, work->init_count, compare_inits);
	return work->inits != NULL;
}

static uint64_t
last_of(const struct stack_cfi *init)
{
	return init->address + (init->size - 1);
}

static uint64_t
overlap(const struct stack_cfi *init, uint64_t first, uint64_t last)
{
	const uint64_t low = init->address > first ? init->address : first;
	const uint64_t high = last_of(init) < last ? last_of(init) : last;

	return low <= high ? high - low + 1 : 0;
}

/* Find the entry of an INIT record: at its address, else the entry with the largest overlap. */
static bool
owner_of(struct repair_work *work, const struct stack_cfi *init, uint64_t *owner)
{
	uint64_t most = 0, first, last;

	for (uint64_t at = init->address; at <= last_of(init); at = last + 1) {
		if (!repair_entry(work, at, &first, &last)) {
			last = at;
			if (at - init->address > 64)
				break;
			continue;
		}
		if (first == init->address) {
			*owner = first;
			return true;
		}
		if (overlap(init, first, last) > most) {
			most = overlap(init, first, last);
			*owner = first;
		}
		if (last >= last_of(init))
			break;
	}
	return most > 0;
}

/* Functions ------------------------------------------------------------------------------------ */

static void
add_span(struct found *found, uint64_t first, uint64_t last)
{
	found->failed |= !ARENA_ADD(&found->arena, found->spans, found->span_count,
				    found->span_capacity, &(struct repair_span){ first, last });
}

/* Index of the first INIT record to check at an address: MOST_OVERLAPPING records before it. */
static size_t
first_init(const struct repair_work *work, uint64_t address)
{
	const size_t at = sorted_below(SORTED(work->inits, work->init_count, record.address),
				       address);

	return at > MOST_OVERLAPPING ? at - MOST_OVERLAPPING : 0;
}

/* Add an entry, and the other entries whose INIT records reach into it. */
static void
add_entry(struct found *found, uint64_t first, uint64_t last)
{
	struct repair_work *work = found->work;
	uint64_t owner, own_first, own_last;

	if (found->span_count > 0 && found->spans[found->span_count - 1].first == first)
		return;
	for (size_t i = first_init(work, first);
	     i < work->init_count && work->inits[i].record.address <= last; i++) {
		const struct stack_cfi *init = &work->inits[i].record;

		if (init->address != first && overlap(init, first, last) > 0 &&
		    owner_of(work, init, &owner) && owner != first &&
		    repair_entry(work, owner, &own_first, &own_last))
			add_span(found, own_first, own_last);
	}
	add_span(found, first, last);
}

/* Add the frame-table entries that contain a difference. */
static void
find_entries(struct found *found, const struct unwind_difference *difference)
{
	struct repair_work *work = found->work;
	uint64_t first, last, owner;
	bool any = false;

	for (uint64_t at = difference->first; at <= difference->last; at = last + 1) {
		if (!repair_entry(work, at, &first, &last))
			break;
		any = true;
		add_entry(found, first, last);
		if (last >= difference->last)
			return;
	}
	/* If no entry contains the difference, repair the function of an INIT record that does. */
	for (size_t i = first_init(work, difference->first);
	     !any && i < work->init_count && work->inits[i].record.address <= difference->first;
	     i++) {
		const struct stack_cfi *init = &work->inits[i].record;

		if (last_of(init) < difference->first || !owner_of(work, init, &owner) ||
		    !repair_entry(work, owner, &first, &last))
			continue;
		any = true;
		add_span(found, first, last);
	}
	if (!any)
		repair_leave(work, difference->first, difference->last,
			     difference->code == UNWIND_EXTRA
				     ? "nothing else has rules for it"
				     : "no frame table of the binary has the address");
}

SORTED_BY(compare_spans, struct repair_span, first)

/* Write the records of a group: under its INIT record, or under a new one. */
static bool
write_group(struct repair_work *work, struct repair_group *group)
{
	struct repair *repair = work->repair;
	const size_t before = repair->change_count;

	group->number = work->extent_count;
	group->lines = NULL;
	group->line_capacity = 0;
	const char *why = NULL;
	group->rows = work->by_code
			      ? repair_code_rows(work, group->first, group->last,
						 &group->row_count, &why)
			      : repair_rows(work, group->first, group->last, &group->row_count);
	if (group->rows == NULL && why != NULL) {
		repair_leave(work, group->first, group->last, why);
		return true;
	}
	if (group->rows == NULL || !repair_find_lines(work, group))
		return false;
	if (!repair_write(work, group) || repair->change_count == before)
		return true;
	struct repair_extent *extent = ARENA_PUSH(&repair->arena, work->extents,
						  work->extent_count, work->extent_capacity);
	if (extent == NULL)
		return false;
	*extent = (struct repair_extent){ group->first, group->last, UINT64_MAX, 0, false };
	for (size_t i = before; i < repair->change_count; i++) {
		const uint64_t offset = repair->changes[i].offset;

		extent->low = offset < extent->low ? offset : extent->low;
		extent->high = offset > extent->high ? offset : extent->high;
	}
	repair->functions++;
	return true;
}

/* Write new records where an entry has rules and the symbol file has none. */
static bool
write_holes(struct repair_work *work, uint64_t first, uint64_t last)
{
	size_t count;
	const struct repair_row *rows = repair_rows(work, first, last, &count);

	for (size_t i = 0, next; rows != NULL && i < count; i = next) {
		const bool hole = rows[i].covered && !rows[i].in_file;

		for (next = i + 1;
		     next < count && rows[next].covered && !rows[next].in_file && hole;)
			next++;
		struct repair_group group = { .first = rows[i].first, .last = rows[next - 1].last };
		if (hole && !write_group(work, &group))
			return false;
	}
	return rows != NULL;
}

/* Write the records of an entry. It may have no INIT record, one, or one for each part. */
static bool
write_entry(struct repair_work *work, uint64_t first, uint64_t last)
{
	struct repair_init *own = NULL;
	const size_t low = first_init(work, first);
	size_t count = 0;
	uint64_t owner;

	arena_reset(&work->scratch);
	for (size_t i = low; i < work->init_count && work->inits[i].record.address <= last; i++) {
		struct repair_init *init = &work->inits[i];

		if (init->given || overlap(&init->record, first, last) == 0 ||
		    !owner_of(work, &init->record, &owner) || owner != first)
			continue;
		if (own != NULL && own->record.address == init->record.address)
			continue;
		own = init;
		count++;
	}
	if (count == 0)
		return write_holes(work, first, last);
	if (count == 1) {
		struct repair_group group = { .first = first, .last = last, .init = &own->record };

		own->given = true;
		return write_group(work, &group);
	}
	for (size_t i = low; i < work->init_count && work->inits[i].record.address <= last; i++) {
		const struct stack_cfi *init = &work->inits[i].record;
		struct repair_group group = { .first = init->address, .last = last_of(init),
					      .init = init };

		if (init->address < first || last_of(init) > last)
			continue;
		if (!write_group(work, &group))
			return false;
	}
	return write_holes(work, first, last);
}

/* Edits ---------------------------------------------------------------------------------------- */

SORTED_BY_ALL(compare_changes, struct repair_change,
	      SORTED_UP(offset) SORTED_UP(slot) SORTED_UP(order))

/* Append a line, and return its bytes, which are missing when out of memory. */
static size_t
add_record(struct output_string *now, struct text record)
{
	const size_t first = now->length == 0 ? 1 : 0;

	now->output.write(now, &"\n"[first], 1 - first);
	now->output.write(now, record.start, record.length);
	return record.length + 1 - first;
}

static bool
make_edits(struct repair *repair)
{
	const char *file = symfile_file(repair->module->symfile)->input.name;

	struct record_edit *edits = arena_array(&repair->arena, repair->change_count + 1,
						sizeof(*edits));
	repair->edits = (struct record_edits){ .edits = edits };
	if (edits == NULL)
		return false;
	SORT(repair->changes, repair->change_count, compare_changes);
	for (size_t i = 0, next; i < repair->change_count; i = next) {
		const struct repair_change *first = &repair->changes[i];
		struct record_edit *edit = &edits[repair->edits.count++];
		struct output_string now;
		bool instead = false;
		size_t whole = 0;

		output_string_init(&now, &repair->arena);
		for (next = i; next < repair->change_count &&
			       repair->changes[next].offset == first->offset; next++) {
			const struct repair_change *change = &repair->changes[next];

			if (change->slot == REPAIR_BEHIND && !instead)
				whole += add_record(&now, change->was);
			instead = instead || change->slot != REPAIR_BEFORE;
			if (change->now != NULL)
				whole += add_record(&now, text_of(change->now));
		}
		if (!instead)
			whole += add_record(&now, first->was);
		if (now.length != whole)
			return false;
		*edit = (struct record_edit){ .file = file, .offset = first->offset,
					      .line = first->line, .was = first->was,
					      .now = text_of(now.text) };
	}
	return true;
}

/* Proof ---------------------------------------------------------------------------------------- */

static bool
note_failure(void *context, const struct unwind_difference *difference)
{
	bool *differs = context;

	*differs = *differs || difference->code <= UNWIND_CERTAIN;
	return !*differs;
}

/*
 * Read the edited file, and compare the new records with the sources. If the records of a function
 * still differ, leave them unchanged.
 */
static bool
prove(struct repair_work *work)
{
	struct repair *repair = work->repair;
	struct rule_module module = *repair->module;
	struct unwind_source sources[UNWIND_SOURCES];
	struct symfile *version;
	size_t kept = 0;

	if (!symfile_version(&version, module.symfile, &repair->edits))
		return false;
	module.symfile = version != NULL ? version : module.symfile;
	const size_t count = unwind_sources_open(&module, repair->windows, sources);
	for (size_t i = 0; i < work->extent_count; i++) {
		struct repair_extent *extent = &work->extents[i];
		struct unwind_totals totals;
		const struct unwind_check check = {
			.arch = work->arch, .sources = sources, .count = count,
			.tell = note_failure, .context = &extent->failed, .first = extent->first,
			.last = extent->last };

		unwind_check_run(&check, &totals);
		repair->functions -= extent->failed;
		if (extent->failed)
			repair_leave(work, extent->first, extent->last,
				     "records for it would differ from the other sources, too");
	}
	unwind_sources_close(sources, count);
	symfile_close(version);
	for (size_t i = 0; i < repair->change_count; i++)
		if (!work->extents[repair->changes[i].group].failed)
			repair->changes[kept++] = repair->changes[i];
	const bool all = kept == repair->change_count;
	repair->change_count = kept;
	return all || make_edits(repair);
}

void
repair_free(struct repair *repair)
{
	arena_free(&repair->arena);
}

static bool
write_all(struct repair_work *work, struct found *found)
{
	const struct repair *repair = work->repair;
	uint64_t before = UINT64_MAX;

	for (size_t i = 0; i < found->count; i++)
		find_entries(found, &found->list[i]);
	SORT(found->spans, found->span_count, compare_spans);
	for (size_t i = 0; i < found->span_count && !found->failed; i++) {
		const struct repair_span *span = &found->spans[i];

		if (repair->progress != NULL &&
		    !repair->progress(repair->context, i, found->span_count))
			return true;
		if (span->first == before)
			continue;
		before = span->first;
		if (!write_entry(work, span->first, span->last))
			return false;
	}
	return !found->failed;
}

static bool
is_contradicted(const struct found *found, uint64_t first, uint64_t last)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].first >= first && found->list[i].first <= last)
			return true;
	return false;
}

/*
 * Without frame tables: write the records of each function that has none, or whose records
 * contradict the code.
 */
static bool
write_by_code(struct repair_work *work, const struct found *found)
{
	const struct symfile *symfile = work->repair->module->symfile;
	struct function function;

	for (size_t i = 0; symfile_function_at(symfile, SYMBOL_FUNC, i, &function); i++) {
		const uint64_t last = function.address + function.size - 1;
		struct repair_group group = { .first = function.address, .last = last };

		if (function.size == 0 || last < function.address)
			continue;
		arena_reset(&work->scratch);
		for (size_t j = first_init(work, function.address);
		     j < work->init_count && work->inits[j].record.address <= last; j++) {
			const struct stack_cfi *init = &work->inits[j].record;

			if (overlap(init, function.address, last) == 0)
				continue;
			work->inits[j].given = true;
			group.init = init;
			group.first = init->address;
			group.last = last_of(init);
		}
		if ((group.init == NULL || is_contradicted(found, group.first, group.last)) &&
		    !write_group(work, &group))
			return false;
	}
	/* INIT records outside all FUNC records */
	for (size_t i = 0; i < work->init_count; i++) {
		const struct stack_cfi *init = &work->inits[i].record;
		struct repair_group group = { .first = init->address, .last = last_of(init),
					      .init = init };

		if (work->inits[i].given || !is_contradicted(found, group.first, group.last))
			continue;
		arena_reset(&work->scratch);
		if (!write_group(work, &group))
			return false;
	}
	return true;
}

/* Note unusable records as differences, even if the code gives no answer. */
static void
note_unusable(struct repair_work *work, struct found *found)
{
	struct unwind_source *source = &work->sources[0];

	source->kind->reader->seek(source, 0);
	while (source->kind->reader->next(source))
		if (source->row.problem != NULL || source->row.failing != 0)
			note_difference(found, &(struct unwind_difference){
				.first = source->row.first, .last = source->row.last,
				.code = UNWIND_BROKEN });
}

/* Open the sources of the module; false: the symbol file has no STACK CFI records. */
static bool
open_work(struct repair_work *work, struct error *error)
{
	const struct rule_module *module = work->repair->module;

	work->arch = module->arch;
	work->run_first = work->high = UINT64_MAX;
	work->source_count = unwind_sources_open(module, work->repair->windows, work->sources);
	if (work->source_count == 0 || work->sources[0].kind->reader != &unwind_reader_stack_cfi) {
		error_plain(error, ERROR_NOT_FOUND,
			    "the symbol file has no STACK CFI records to repair");
		unwind_sources_close(work->sources, work->source_count);
		return false;
	}
	work->by_code = true;
	for (size_t i = 1; i < work->source_count; i++)
		work->by_code = work->by_code && !work->sources[i].kind->whole;
	flow_module_init(&work->code, work->repair->crash, module->binaries, NULL, module->number);
	flow_module_bound_by_file(&work->code);
	work->function = flow_function_create(&work->code.code);
	return true;
}

static void
close_work(struct repair_work *work)
{
	flow_function_free(work->function);
	flow_module_free(&work->code);
	unwind_sources_close(work->sources, work->source_count);
	arena_free(&work->scratch);
}

enum error_code
repair_make(struct repair *repair, struct error *error)
{
	struct repair_work work = { .repair = repair };
	struct found found = { .work = &work };
	struct unwind_code_totals said[UNWIND_SOURCES];
	struct unwind_totals totals;
	bool good = false;

	if (!open_work(&work, error))
		return ERROR_NOT_FOUND;
	const struct unwind_check check = {
		.arch = work.arch, .sources = work.sources, .count = work.source_count,
		.tell = note_difference, .context = &found, .last = UINT64_MAX };
	if (list_inits(&work, &found.arena)) {
		if (!work.by_code)
			unwind_check_slices(&check, &totals);
		else
			unwind_code_run(&check, repair->crash, said);
		if (work.by_code)
			note_unusable(&work, &found);
		work.differences = found.list;
		work.difference_count = found.count;
		good = (work.by_code ? write_by_code(&work, &found) : write_all(&work, &found)) &&
		       make_edits(repair) && prove(&work);
	}
	close_work(&work);
	const bool full = found.count > MOST_DIFFERENCES;
	arena_free(&found.arena);
	if (full)
		return error_plain(error, ERROR_FORMAT,
				   "more than %u differences: make the symbol file anew with "
				   "unspool dump-syms",
				   MOST_DIFFERENCES);
	return good ? ERROR_NONE : error_memory(error);
}

enum error_code
repair_row(struct repair *repair, uint64_t address, struct error *error)
{
	struct repair_work work = { .repair = repair };
	struct repair_group group = { .first = address, .last = address };
	struct arena arena = { 0 };
	struct stack_cfi init;
	size_t count;
	bool good;

	if (!open_work(&work, error))
		return ERROR_NOT_FOUND;
	const struct repair_row *row = repair_rows(&work, address, address, &count);
	bool covered = row != NULL && row->covered;
	good = list_inits(&work, &arena);
	if (symfile_stack_cfi_init(repair->module->symfile, repair->module->policy, address, &init))
		group.init = &init;
	if (covered && group.init != NULL) {
		work.low = work.sources[row->source].row.first;
		work.high = work.sources[row->source].row.last;
	} else if (covered) {
		repair_entry(&work, address, &group.first, &group.last);
	} else {
		work.by_code = covered = flow_module_function(&work.code, address, &group.first,
							      &group.last);
		group.last--;
	}
	if (covered && group.init != NULL) {
		group.first = init.address;
		group.last = last_of(&init);
	}
	good = good && (!covered || (write_group(&work, &group) && make_edits(repair)));
	close_work(&work);
	arena_free(&arena);
	if (!covered)
		return error_plain(error, ERROR_NOT_FOUND,
				   "no frame table of the binary and no known "
				   "function contains 0x%llx",
				   (unsigned long long)address);
	if (good && repair->left_count > 0)
		return error_plain(error, ERROR_FORMAT, "%s", repair->left[0].why);
	return good ? ERROR_NONE : error_memory(error);
}
