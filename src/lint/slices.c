/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "lint/lint_internal.h"
#include "system/crew.h"

/*
 * Reads a large file with several threads. Each slice begins with a FUNC or INIT record, so that it
 * rarely depends on earlier slices. If a slice does depend on them, the result is discarded. Lines
 * are counted first, because findings have line numbers.
 */

#define MOST_THREADS 17u

struct lint_slice {
	const char *start, *end;
	uint32_t lines, line;		/* number of lines in the slice; of lines before it */
	struct arena scratch;
	struct lint lint;
	struct lint_reading reading;
};

struct lint_crew {
	struct lint_reading *reading;	/* state after the head was read */
	struct lint_options options;	/* options of each slice, without the caller's progress */
	struct lint_slice *slices;
	size_t count;
	atomic_uint_least64_t done;	/* bytes read so far */
	atomic_bool stopped;
};

/* Finds where a slice may begin: at the first FUNC or INIT record after `at`. */
static const char *
find_cut(const char *at, const char *end)
{
	static const struct {
		const char *word;
		size_t length;
	} words[] = { { "FUNC ", 5 }, { "STACK CFI INIT ", 15 } };

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		at++;
		for (size_t i = 0; i < ARRAY_COUNT(words); i++)
			if ((size_t)(end - at) > words[i].length &&
			    memcmp(at, words[i].word, words[i].length) == 0)
				return at;
	}
	return end;
}

static void
count_slice(void *context, size_t member, size_t item)
{
	const struct lint_crew *crew = context;
	struct lint_slice *slice = &crew->slices[item];
	const struct text text = { slice->start, (size_t)(slice->end - slice->start) };

	(void)member;
	slice->lines = (uint32_t)text_newlines(text);
}

static bool
never_stop(void *context, uint64_t read, uint64_t total)
{
	const struct lint_crew *crew = context;

	(void)read;
	(void)total;
	return !atomic_load_explicit(&crew->stopped, memory_order_relaxed);
}

/* Reads a slice; the first thread also reports progress. */
static void
read_slice(void *context, size_t member, size_t item)
{
	struct lint_crew *crew = context;
	struct lint_slice *slice = &crew->slices[item];
	const struct lint_reading *outer = crew->reading;
	const struct lint_options *options = outer->options;
	struct lint_reading *reading = &slice->reading;

	*reading = (struct lint_reading){
		.lint = &slice->lint, .options = &crew->options, .scratch = &slice->scratch,
		.input = outer->input, .module = outer->module, .line = slice->line,
		.part = { .outer = outer, .start = outer->part.start, .end = slice->end },
		.any_record = true };
	lint_lines(reading, slice->start, false);
	lint_end_function(reading);
	lint_end_init(reading);
	lint_expressions_free(reading);
	lint_numbers_free(reading);
	atomic_fetch_add(&crew->done, (uint64_t)(slice->end - slice->start));
	if (member == 0 && options->progress != NULL &&
	    !options->progress(options->context, atomic_load(&crew->done),
			       (uint64_t)(outer->part.end - outer->part.start)))
		atomic_store(&crew->stopped, true);
}

static void
take_ranges(struct lint_reading *reading, struct lint_ranges *ranges,
	    const struct lint_ranges *more)
{
	const size_t count = ranges->count + more->count;
	struct lint_range *list;

	if (more->count == 0)
		return;
	if (count > ranges->capacity) {
		list = arena_array(reading->scratch, 2 * count, sizeof(*list));
		if (list == NULL) {
			reading->memory_ended = true;
			return;
		}
		if (ranges->count > 0)
			memcpy(list, ranges->list, ranges->count * sizeof(*list));
		ranges->list = list;
		ranges->capacity = 2 * count;
	}
	memcpy(ranges->list + ranges->count, more->list, more->count * sizeof(*more->list));
	ranges->count = count;
}

static void
take_findings(struct lint_reading *reading, const struct lint *from)
{
	struct lint *lint = reading->lint;

	for (size_t i = 0; i < from->finding_count; i++)
		if (!ARENA_ADD(&lint->arena, lint->findings, lint->finding_count,
			       lint->finding_capacity, &from->findings[i])) {
			reading->memory_ended = true;
			return;
		}
	for (int i = 0; i < LINT_CODE_COUNT; i++)
		lint->counts[i] += from->counts[i];
}

static void
take_slice(struct lint_reading *reading, struct lint_slice *slice)
{
	struct lint_reading *from = &slice->reading;
	const uint64_t address = from->part.first_function.address;

	/*
	 * Report the slice's first function if its address is lower than that of the function
	 * before it. Do so before the slice's findings, because only the first findings are kept.
	 */
	if (from->part.first_function.line != 0 && address < reading->part.last_function)
		lint_about(lint_report_at(
				   reading, LINT_FUNC_UNSORTED, from->part.first_function.offset,
				   from->part.first_function.line, "0x%" PRIx64 " after 0x%" PRIx64,
				   address, reading->part.last_function),
			   address, 0);
	take_findings(reading, &slice->lint);
	if (from->part.first_function.line != 0)
		reading->part.last_function = from->part.last_function;
	take_ranges(reading, &reading->covered.functions, &from->covered.functions);
	take_ranges(reading, &reading->covered.publics, &from->covered.publics);
	take_ranges(reading, &reading->covered.inits, &from->covered.inits);
	take_ranges(reading, &reading->covered.wins[0], &from->covered.wins[0]);
	take_ranges(reading, &reading->covered.wins[1], &from->covered.wins[1]);
	take_ranges(reading, &reading->covered.odd_deltas, &from->covered.odd_deltas);
	take_ranges(reading, &reading->covered.odd_entries, &from->covered.odd_entries);
	for (size_t i = 0; i < from->covered.strays.count; i++)
		lint_add_stray(reading, &reading->covered.strays, from->covered.strays.list[i]);
	for (size_t i = 0; i < from->covered.beyond.count; i++)
		lint_add_stray(reading, &reading->covered.beyond, from->covered.beyond.list[i]);
	for (size_t i = 0; i < from->covered.holes.count; i++)
		lint_add_stray(reading, &reading->covered.holes, from->covered.holes.list[i]);
	lint_take_uses(reading, LINT_FILES, &from->uses[LINT_FILES]);
	lint_take_uses(reading, LINT_ORIGINS, &from->uses[LINT_ORIGINS]);
	reading->memory_ended |= from->memory_ended;
}

static bool
cut(struct lint_crew *crew, const char *at, unsigned count)
{
	const char *end = crew->reading->part.end;
	const size_t size = (size_t)(end - at) / count + 1;

	crew->slices = calloc(count, sizeof(*crew->slices));
	while (crew->slices != NULL && at < end && crew->count < count) {
		struct lint_slice *slice = &crew->slices[crew->count++];

		slice->start = at;
		slice->end = crew->count == count || (size_t)(end - at) <= size
				     ? end : find_cut(at + size - 1, end);
		at = slice->end;
		arena_init(&slice->scratch, 0);
		arena_init(&slice->lint.arena, 0);
	}
	return crew->slices != NULL;
}

static void
put_together(struct lint_crew *crew, uint32_t lines)
{
	struct lint_reading *reading = crew->reading;
	struct lint *lint = reading->lint;

	/* The joined result keeps the arenas of the slices, which hold the texts of findings. */
	lint->slice_arenas = arena_array(&lint->arena, crew->count, sizeof(*lint->slice_arenas));
	if (lint->slice_arenas == NULL) {
		reading->memory_ended = true;
		return;
	}
	for (size_t i = 0; i < crew->count; i++) {
		lint->slice_arenas[lint->slice_count++] = crew->slices[i].lint.arena;
		arena_init(&crew->slices[i].lint.arena, 0);
		take_slice(reading, &crew->slices[i]);
	}
	reading->line = lines;
	reading->any_record = true;	/* true, because each slice begins with a record */
	lint->stopped |= atomic_load(&crew->stopped);
}

bool
lint_slices(struct lint_reading *reading, const char *at, unsigned count)
{
	struct lint_crew crew = { .reading = reading, .options = *reading->options };
	uint32_t lines = reading->line;
	size_t bad = reading->bad;

	lint_end_function(reading);
	lint_end_init(reading);
	crew.options.progress = never_stop;
	crew.options.context = &crew;
	atomic_init(&crew.done, (uint64_t)(at - reading->part.start));
	atomic_init(&crew.stopped, false);
	bool good = cut(&crew, at, count);
	if (good) {
		crew_run(MOST_THREADS, crew.count, count_slice, &crew);
		for (size_t i = 0; i < crew.count; i++) {
			crew.slices[i].line = lines;
			lines += crew.slices[i].lines;
		}
		lines += reading->part.end[-1] != '\n';
		crew_run(MOST_THREADS, crew.count, read_slice, &crew);
		for (size_t i = 0; i < crew.count; i++) {
			good = good && !crew.slices[i].reading.part.unsure;
			bad += crew.slices[i].reading.bad;
		}
		/* Slices cannot find the place of the 101st bad record, which is reported. */
		good = good && bad <= LIMIT_SYMBOL_ERRORS;
	}
	if (good)
		put_together(&crew, lines);
	for (size_t i = 0; i < crew.count; i++) {
		arena_free(&crew.slices[i].scratch);
		arena_free(&crew.slices[i].lint.arena);
	}
	free(crew.slices);
	return good;
}
