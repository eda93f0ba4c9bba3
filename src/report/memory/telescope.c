/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_contents.h"
#include "report/memory/telescope.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/memory/frame_drawing.h"
#include "report/memory/telescope_internal.h"
#include "report/report.h"

/* Marks are shown if marks and reading together have at least this many columns. */
#define MARKS_FROM 30u
/* In a view with fewer columns, addresses are shown without their common leading zeros. */
#define NARROW 76u
/* Columns for marks in a narrow view, and in a wide view. */
#define MARKS_COLUMNS 10u
#define MARKS_WIDE_COLUMNS 20u
#define MARKS_WIDE_FROM 52u
/*
 * Distance in bytes up to which memory counts as near a missing address: a truncated stack, a guard
 * page.
 */
#define NEAR_MEMORY (UINT64_C(1) << 20)

/* The number of columns for marks, if `left` columns of a row are free. */
static size_t
marks_columns(const struct row *row, size_t columns)
{
	const size_t left = columns > row->width ? columns - row->width : 0;

	if (columns == 0 || left >= MARKS_WIDE_FROM)
		return MARKS_WIDE_COLUMNS;
	return left >= MARKS_FROM ? MARKS_COLUMNS : 0;
}

/* Whether redaction hides the bytes. It does not hide the bytes of a module's file. */
static bool
is_redacted(const struct telescope *telescope)
{
	return telescope->run != &telescope->file_run &&
		telescope->options.crash->redacted;
}

static int
value_width(const struct telescope *telescope)
{
	return report_value_width(telescope->options.base, telescope->size);
}

static int
address_digits(const struct telescope *telescope, size_t columns)
{
	return columns != 0 && columns < NARROW && telescope->short_addresses ? 12
									      : telescope->digits;
}

static void
add_value(const struct telescope *telescope, uint64_t value, struct row *row)
{
	const int width = value_width(telescope);

	if (is_redacted(telescope))
		row_add(row, ROLE_DIM, "%-*s", width,
			width < (int)strlen(CRASH_REDACTED) ? "redacted" : CRASH_REDACTED);
	else
		report_add_base(row, ROLE_NORMAL, telescope->options.base, telescope->size,
			telescope->options.memory->big_endian, value);
}

static void
fill_word(const struct telescope *telescope, uint64_t address, size_t columns, struct row *row)
{
	const uint64_t value = telescope_word_at(telescope, address);
	const size_t owner = telescope_owner(telescope, address);
	const char sign = telescope_sign(telescope, address);
	char marks[200];

	row_add(row, ROLE_DIM, " %0*" PRIx64 " ", address_digits(telescope, columns), address);
	row_add(row,
		sign == '!'	      ? ROLE_BAD
			: sign == '?' ? ROLE_UNKNOWN
				      : ROLE_CHANGED,
		"%c", sign);
	add_value(telescope, value, row);
	if (owner != SIZE_MAX)
		row_add(row, ROLE_NORMAL, "%*zu", telescope->frame_width, owner);
	else
		row_pad(row, row->width + (size_t)telescope->frame_width);
	row_add(row, ROLE_NORMAL, "  ");
	const size_t begin = row->width, width = marks_columns(row, columns);
	telescope_marks(telescope, address, marks, sizeof(marks));
	if (width > 0) {
		/* Cut marks at commas, from the end, until the rest fits. */
		size_t at = columns == 0 ? 0 : strlen(marks);

		while (at > 0 && strlen(marks) > width - 1)
			if (marks[--at] == ',')
				marks[at] = '\0';
		row_add_cut(row, ROLE_CHANGED, columns == 0 ? 0 : width - 1, false, text_of(marks));
		row_pad(row, begin + width - 1);
		row_add(row, ROLE_NORMAL, " ");
	}
	telescope_add_reading(telescope, address, value, columns, row);
}

static void
add_words(uint64_t count, struct row *row)
{
	row_add(row, ROLE_DIM, "%s word%s", report_count(count).text, plural(count));
}

/* Adds the common properties of the words in a fold. */
static void
fill_fold(const struct telescope *telescope, const struct telescope_place *place, size_t columns,
	struct row *row)
{
	const struct telescope_part *part = place->part;
	const uint64_t last = part->address + (part->count - 1) * telescope->size;
	const uint64_t value = telescope_word_at(telescope, part->address);
	const size_t owner = telescope_owner(telescope, part->address);
	const struct telescope_candidate *candidate = telescope_candidate(telescope, part->address);
	uint64_t at = part->address + telescope->size;
	char letters[8];

	while (at <= last && telescope_word_at(telescope, at) == value)
		at += telescope->size;
	row_add(row, ROLE_DIM, " %-*s  %-*s", address_digits(telescope, columns),
		place->open ? "  -" : "  +", value_width(telescope), "...");
	if (owner != SIZE_MAX)
		row_add(row, ROLE_NORMAL, "%*zu", telescope->frame_width, owner);
	else
		row_pad(row, row->width + (size_t)telescope->frame_width);
	row_add(row, ROLE_NORMAL, "  ");
	add_words(part->count, row);
	if (telescope->options.crash->redacted)
		return;
	if (at > last)
		row_add(row, ROLE_DIM, ", all %0*" PRIx64, telescope->digits, value);
	else if (reading_letters(&telescope->source, value, letters) == telescope->size)
		row_add(row, ROLE_DATA, " of text: \"%.*s\"...", (int)telescope->size, letters);
	if (candidate != NULL && telescope_candidate(telescope, last) != NULL)
		row_add(row, ROLE_UNKNOWN, "; refused: %s", candidate->event->text);
}

static void
fill_frame(const struct telescope *telescope, size_t frame, size_t columns, struct row *row)
{
	const struct walk *walk = telescope->options.walk;
	const uint64_t size = telescope_frame_size(telescope, frame);
	char tail[80] = "  end unknown";

	/* In a narrow view the function's name needs the space. */
	if (size != TELESCOPE_ENDLESS && columns != 0 && columns < NARROW)
		snprintf(tail, sizeof(tail), "  %" PRIu64 " bytes", size);
	else if (size != TELESCOPE_ENDLESS)
		snprintf(tail, sizeof(tail), "  %s bytes", text_both_bases(size).text);
	row_add(row, ROLE_TITLE, " -- frame %zu  %s  ", frame, frame_tag(&walk->frames[frame]));
	report_add_frame_name(row, walk, frame, false,
		columns == 0 ? 0 : columns - strlen(tail) - 3);
	row_add(row, ROLE_TITLE, "%s --", tail);
}

static void
telescope_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct telescope *telescope = listing->context;
	const struct telescope_place place = telescope_place(telescope, index);
	const struct arch *arch = telescope->source.arch;

	if (place.word)
		fill_word(telescope, place.address, columns, row);
	else if (place.part->kind == TELESCOPE_FOLD)
		fill_fold(telescope, &place, columns, row);
	else if (place.part->kind == TELESCOPE_FRAME)
		fill_frame(telescope, place.part->frame, columns, row);
	else if (place.part->kind == TELESCOPE_END) {
		row_add(row, ROLE_TITLE, " == ");
		if (!telescope_is_known(telescope, place.part->frame + 1, arch->sp))
			row_add(row, ROLE_DIM, "end of frame %zu: not yet", place.part->frame);
		else
			frame_end_add(telescope_saves(telescope, place.part->frame), arch,
				place.part->address, row);
		row_add(row, ROLE_TITLE, " ==");
	} else if (place.part->kind == TELESCOPE_BELOW) {
		const unsigned zone = report_red_zone(telescope->options.crash, arch);

		row_add(row, ROLE_TITLE, " -- below %s  ", arch->registers[arch->sp].label);
		add_words(place.part->count, row);
		if (zone > 0)
			row_add(row, ROLE_DIM, ", the last %u bytes the red zone", zone);
		row_add(row, ROLE_TITLE, " --");
	} else if (place.part->kind == TELESCOPE_GAP) {
		row_add(row, ROLE_TITLE, " -- ");
		row_add(row, ROLE_UNKNOWN,
			"the dump has no memory from %0*" PRIx64 " to %0*" PRIx64,
			telescope->digits, place.part->address, telescope->digits,
			place.part->address + place.part->count - 1);
		row_add(row, ROLE_TITLE, " --");
	} else {
		row_add(row, ROLE_TITLE, " -- %s --",
			stack_bottom_words(&telescope->options.walk->bottom));
	}
}

/* Adds the direction in which the stack grows. Rows ascend by address. */
static void
add_growth(const struct telescope *telescope, size_t columns, struct row *row)
{
	static const char *const forms[] = {
		"^ the stack grows to lower addresses", "^ the stack grows", "^ grows",
	};

	for (size_t i = 0; telescope->run == NULL && i < ARRAY_COUNT(forms); i++)
		if (columns == 0 || row->width + 2 + strlen(forms[i]) <= columns) {
			row_add_right(row, ROLE_DIM, columns, "%s", forms[i]);
			return;
		}
}

static void
telescope_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct telescope *telescope = listing->context;

	row_add(row, ROLE_DIM, " %-*s  %-*s%*s  ", address_digits(telescope, columns), "address",
		value_width(telescope), "value", telescope->frame_width, "fr");
	const size_t width = marks_columns(row, columns);
	if (width > 0)
		row_add(row, ROLE_DIM, "%-*s", (int)width, "marks");
	row_add(row, ROLE_DIM, "reading");
	add_growth(telescope, columns, row);
	if (telescope->run == &telescope->file_run)
		row_add(row, ROLE_DIM, ", bytes of the file %s",
			place_base_name(telescope->file.binary->file.input.name));
}

static struct place
word_place(const struct telescope *telescope, uint64_t address)
{
	const struct memory_run *run = telescope_run(telescope, address);

	if (run == NULL)
		return (struct place){ 0 };
	if (run == &telescope->file_run)
		return (struct place){ .input = &telescope->file.binary->file.input,
			.offset = telescope->file.offset + (address - telescope->file.base),
			.length = telescope->size };
	return crash_memory_place(telescope->options.crash, run->region, address, telescope->size);
}

static bool
has_bytes(const struct telescope *telescope, uint64_t address)
{
	struct binary_run run;

	return memory_run_of(telescope->options.memory, address) != NULL ||
		binaries_run(telescope->options.binaries, address, &run);
}

static struct target
word_target(const struct telescope *telescope, uint64_t address)
{
	const struct walk *walk = telescope->options.walk;
	const struct reading reading =
		reading_of(&telescope->source, telescope_word_at(telescope, address));
	size_t frame;
	const struct frame_save *save = telescope_save(telescope, address, &frame);
	/* No view shows the bytes of a module's file. */
	struct target target = telescope->run == &telescope->file_run
		? TARGET(TARGET_NONE)
		: report_place_target(word_place(telescope, address));

	if (save != NULL && save->reg == walk->arch->pc && frame + 1 < walk->count) {
		target.kind = TARGET_FRAME;
		target.thread = walk->thread;
		target.frame = frame + 1;
	} else if (reading.kind == READING_CODE && has_bytes(telescope, reading.value)) {
		target.kind = TARGET_CODE;
		target.address = reading.value;
	} else if (reading.kind > READING_CODE && has_bytes(telescope, reading.value)) {
		target.kind = TARGET_MEMORY;
		target.address = reading.value;
	}
	return target;
}

static struct target
telescope_row_target(const struct listing *listing, size_t index)
{
	const struct telescope *telescope = listing->context;
	const struct telescope_place place = telescope_place(telescope, index);

	if (place.word)
		return word_target(telescope, place.address);
	if (place.part->kind == TELESCOPE_FOLD)
		return TARGET(TARGET_FOLD, .address = place.part->address);
	if (place.part->kind == TELESCOPE_END)
		return frame_end_target(telescope_saves(telescope, place.part->frame),
			telescope->options.walk);
	return place.part->kind != TELESCOPE_FRAME
		       ? TARGET(TARGET_NONE)
		       : TARGET(TARGET_FRAME, .thread = telescope->options.walk->thread,
				.frame = place.part->frame);
}

static void
explain_word(const struct telescope *telescope, uint64_t address, struct row *row)
{
	const uint64_t value = telescope_word_at(telescope, address);
	size_t frame;
	const struct frame_save *save = telescope_save(telescope, address, &frame);

	row_add(row, ROLE_NORMAL, "[%0*" PRIx64 "] = ", telescope->digits, address);
	if (is_redacted(telescope))
		row_add(row, ROLE_DIM, CRASH_REDACTED);
	else
		row_add(row, ROLE_NORMAL, "%0*" PRIx64, telescope->digits, value);
	report_add_place(row, word_place(telescope, address));
	if (telescope->run != NULL) {
		/* The owner of a word outside every stack. */
		const struct mapping *mapping = crash_mapping(telescope->options.crash, address);

		if (telescope->run == &telescope->file_run)
			row_add(row, ROLE_DIM, " (the file, not the dump)");
		if (mapping != NULL)
			row_add(row, ROLE_DIM, "   %s %s", mapping->text, mapping->name);
	}
	row_add(row, ROLE_NORMAL, "   ");
	telescope_add_reading(telescope, address, value, 0, row);
	if (save != NULL && save->rule.input != NULL) {
		row_add(row, ROLE_DIM, "   from");
		report_add_place(row, place_record(save->rule));
	}
}

static void
telescope_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct telescope *telescope = listing->context;
	const struct telescope_place place = telescope_place(telescope, index);

	if (place.word) {
		explain_word(telescope, place.address, row);
		return;
	}
	if (place.part->kind == TELESCOPE_FOLD) {
		row_add(row, ROLE_NORMAL, "%0*" PRIx64 " to %0*" PRIx64 "; Space %s them",
			telescope->digits, place.part->address, telescope->digits,
			place.part->address + place.part->count * telescope->size - 1,
			place.open ? "folds" : "opens");
	} else if (place.part->kind == TELESCOPE_END) {
		const struct frame_saves *saves = telescope_saves(telescope, place.part->frame);

		row_add(row, ROLE_NORMAL, "%0*" PRIx64 " = ", telescope->digits,
			place.part->address);
		frame_end_add(saves, telescope->source.arch, place.part->address, row);
		report_add_place(row, saves->cfa_rule);
	} else {
		row_add(row, ROLE_NORMAL, "from %0*" PRIx64 " on:", telescope->digits,
			place.part->address);
		telescope_fill_row(listing, index, 0, row);
	}
}

/* A run that contains every frame. */
static const struct memory_run everything = { .size = UINT64_MAX };

static struct telescope *
make(const struct telescope_options *options, struct arena *arena)
{
	struct telescope *telescope = arena_alloc(arena, sizeof(*telescope));

	if (telescope == NULL)
		return NULL;
	telescope->options = *options;
	reading_source_init(&telescope->source, options->crash, options->memory, options->binaries,
		options->walk, arena);
	telescope->size = telescope->source.arch->word_size == 4 ? 4 : 8;
	telescope->digits = (int)telescope->size * 2;
	char text[24];
	int length = snprintf(
		text, sizeof(text), "%zu", options->walk == NULL ? 0 : options->walk->count);
	telescope->frame_width = length + 2 < 4 ? 4 : length + 2;
	telescope_state_select(options->state, options->walk);
	memory_marks_find(&telescope->marks, &everything, options->walk, options->step,
		&options->state->index.pointers, arena);
	if (options->step != NULL)
		telescope_collect_candidates(telescope, arena);
	if (telescope_is_stepping(telescope))
		frame_saves_of_step(&telescope->so_far, options->step);
	return telescope;
}

static struct listing
make_listing(const struct telescope *telescope)
{
	return (struct listing){ .count = telescope->rows,
		.head = telescope_fill_head,
		.fill = telescope_fill_row,
		.target = telescope_row_target,
		.explain = telescope_explain_row,
		.context = telescope };
}

static struct listing
list_stack(struct telescope *telescope, struct arena *arena)
{
	return telescope_place_parts(telescope, arena)
		       ? make_listing(telescope)
		       : listing_message("the dump has no memory where the frames' stack pointers "
					 "point");
}

/* A message: the dump lacks the address. It names nearby memory, if any. */
static struct listing
without_memory(const struct telescope *telescope, const struct memory_view *memory,
	       uint64_t address, struct arena *arena)
{
	static const char map[] = "':memory-map' lists what the process had";
	const struct memory_run *run = memory_nearest(memory, address);
	const bool above = run != NULL && run->base > address;
	const uint64_t last = run != NULL ? run->base + (run->size - 1) : 0;
	const uint64_t distance = above ? run->base - address : address - last;
	const char *text;

	if (run == NULL || distance > NEAR_MEMORY)
		text = arena_format(arena,
				    "the dump has no memory at %0*" PRIx64 " or near to it; %s",
				    telescope->digits, address, map);
	else
		text = arena_format(arena,
				    "the dump has no memory at %0*" PRIx64 "; the nearest %s "
				    "%" PRIu64 " byte%s %s, at %0*" PRIx64 "; %s",
				    telescope->digits, address, above ? "begins" : "ends", distance,
				    plural(distance), above ? "above" : "below", telescope->digits,
				    above ? run->base : last, map);
	return text != NULL ? listing_message(text) : listing_out_of_memory();
}

struct listing
telescope_listing(const struct telescope_options *options, struct arena *arena)
{
	struct telescope *telescope = make(options, arena);

	return telescope != NULL ? list_stack(telescope, arena) : listing_out_of_memory();
}

struct listing
telescope_memory(const struct telescope_options *options, uint64_t address, struct arena *arena)
{
	struct telescope *telescope = make(options, arena);

	if (telescope == NULL)
		return listing_out_of_memory();
	if (options->step != NULL && telescope_holds(telescope, address))
		return list_stack(telescope, arena);
	const struct memory_run *run = memory_run_of(options->memory, address);
	if (run == NULL && binaries_run(options->binaries, address, &telescope->file)) {
		telescope->file_run = (struct memory_run){ .base = telescope->file.base,
			.size = telescope->file.size,
			.data = telescope->file.data };
		run = &telescope->file_run;
	}
	/* Rows are aligned to the address, even if it is an odd stack pointer. */
	const uint64_t skip = run == NULL ? 0 : (address - run->base) % telescope->size;
	if (run == NULL || run->size - skip < telescope->size)
		return without_memory(telescope, options->memory, address, arena);
	const uint64_t count = (run->size - skip) / telescope->size;
	telescope->run = run;
	telescope->rows = (size_t)count;
	telescope->words = (struct telescope_part){ .kind = TELESCOPE_WORDS,
		.address = run->base + skip, .count = count };
	return make_listing(telescope);
}

const struct telescope *
telescope_of(const struct listing *listing)
{
	return listing->fill == telescope_fill_row ? listing->context : NULL;
}

bool
telescope_is(const struct listing *listing)
{
	return telescope_of(listing) != NULL && telescope_of(listing)->run == NULL;
}

uint64_t
telescope_address(const struct listing *listing, size_t row)
{
	return telescope_of(listing) != NULL && row < listing->count
		? telescope_place(listing->context, row).address
		: 0;
}

static const struct fact_names telescope_readings = FACT_WORDS(
	[READING_NUMBER] = "number",	[READING_ZERO] = "zero",
	[READING_SMALL] = "small",	[READING_PATTERN] = "pattern",
	[READING_TEXT] = "text",	[READING_CODE] = "code",
	[READING_DATA] = "module-data",	[READING_UNLOADED] = "unloaded-module",
	[READING_STACK] = "stack",	[READING_THREAD] = "other-stack",
	[READING_MEMORY] = "memory",	[READING_MAPPED] = "mapped");

static const struct fact_names telescope_parts = FACT_WORDS(
	[TELESCOPE_WORDS] = "words",	[TELESCOPE_FOLD] = "fold",
	[TELESCOPE_END] = "end",	[TELESCOPE_FRAME] = "frame",
	[TELESCOPE_BELOW] = "below",	[TELESCOPE_BOTTOM] = "bottom",
	[TELESCOPE_GAP] = "gap");

static void
telescope_rows(struct json *json, const struct listing *listing, size_t first, size_t count);

#define FACTS "report/memory/telescope_facts.def"
#include "document/describe_facts.h"

static void
telescope_rows(struct json *json, const struct listing *listing, size_t first, size_t count)
{
	const struct telescope *telescope = listing->context;

	for (size_t i = first; i < listing->count && i - first < count; i++) {
		const struct telescope_place place = telescope_place(telescope, i);
		struct arena arena = { 0 };
		struct row text = ROW_IN(&arena);

		json_object(json, NULL);
		if (place.word) {
			telescope_word_members(json, telescope, place.address, &text);
		} else {
			listing->fill(listing, i, 0, &text);
			telescope_part_members(json, telescope, place.part, &text);
		}
		json_object_end(json);
		arena_free(&arena);
	}
}
