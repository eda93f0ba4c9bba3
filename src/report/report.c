/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stack_trust.h"

static const enum role trust_roles[TRUST_COUNT] = {
#define TRUST(id, tag, found_by, role, certainty) [TRUST_##id] = role,
#include "walk/method/method.def"
};

enum role
report_trust_role(enum trust trust)
{
	return trust < TRUST_COUNT ? trust_roles[trust] : ROLE_UNKNOWN;
}

struct target
report_place_target(struct place place)
{
	return place.input != NULL ? TARGET(TARGET_PLACE, .place = place) : TARGET(TARGET_NONE);
}

void
report_add_frame_name(struct row *row, const struct walk *walk, size_t frame, bool always,
		      size_t end)
{
	struct arena arena = { 0 };

	if (end == 0 || end > row->width)
		row_add_name(row, ROLE_CODE, end == 0 ? 0 : end - row->width,
			     location_frame_name(walk, &walk->frames[frame], always, &arena));
	arena_free(&arena);
}

void
report_add_range(struct row *row, enum role role, int digits, uint64_t first, uint64_t last)
{
	row_add(row, role, "%0*" PRIx64 "-%0*" PRIx64, digits, first, digits, last);
}

const char *
report_context_note(const struct walk *walk)
{
	const struct crash_context *other = walk_other_context(walk);

	if (other == NULL)
		return NULL;
	return other->arch->word_size > walk->arch->word_size
		       ? "of the 32-bit code of a WoW64 process; --policy native-context=1 walks "
			 "the 64-bit one"
		       : "of the 64-bit code below a WoW64 process's; --policy native-context=0 "
			 "walks the 32-bit one";
}

unsigned
report_red_zone(const struct crash *crash, const struct arch *arch)
{
	return (arch->red_zone_on >> crash->system.os & 1) != 0 ? arch->red_zone : 0;
}

int
report_digits(const struct arch *arch)
{
	return arch->word_size == 4 ? 8 : 16;
}

struct short_text
report_count(uint64_t count)
{
	struct short_text number = { "" };
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t used = 0;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			number.text[used++] = ',';
		number.text[used++] = digits[i];
	}
	return number;
}

int
report_value_width(unsigned base, unsigned size)
{
	if (base == 10)
		return size == 4 ? 10 : 20;
	return base == 0 ? (int)size + 2 : (int)size * 2;
}

void
report_add_base(struct row *row, enum role role, unsigned base, unsigned size, bool big_endian,
		uint64_t value)
{
	const int width = report_value_width(base, size);
	char text[16];

	if (base == 10) {
		row_add(row, role, "%*" PRIu64, width, value);
	} else if (base != 0) {
		row_add(row, role, "%0*" PRIx64, width, value);
	} else {
		reader_put_number((uint8_t *)text, size, big_endian, value);
		for (unsigned i = 0; i < size; i++)
			text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '.';
		text[size] = '\0';
		row_add(row, ROLE_DATA, " %s ", text);
	}
}

void
report_add_place(struct row *row, struct place place)
{
	place = place_record(place);
	if (place.input == NULL)
		return;
	row_add(row, ROLE_DIM, "   %s", place_format(&place).text);
}

const char *
report_numbers(const size_t *numbers, size_t count, char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0, end; i < count; i = end) {
		char range[64];
		int length;

		for (end = i + 1; end < count && numbers[end] == numbers[end - 1] + 1; end++)
			;
		/* Two numbers are written as a list, not as a range. */
		if (end - i == 2)
			end--;
		length = snprintf(range, sizeof(range), end - i > 1 ? "%s%zu-%zu" : "%s%zu",
				  used > 0 ? ", " : "", numbers[i], numbers[end - 1]);
		if (used + (size_t)length + sizeof(", ...") > size) {
			snprintf(buffer + used, size - used, used > 0 ? ", ..." : "...");
			break;
		}
		memcpy(buffer + used, range, (size_t)length + 1);
		used += (size_t)length;
	}
	return buffer;
}

/* Frames --------------------------------------------------------------------------------------- */

void
shown_frame(const struct walk *walk, const struct frame *frame, size_t *named,
	    struct arena *arena, struct shown_frame *shown)
{
	*shown = (struct shown_frame){ .walk = walk, .frame = frame,
				       .pc = frame->registers.value[walk->arch->pc] };
	location_of_frame(walk, frame, named, arena, &shown->location);
}

const struct call *
shown_call(const struct shown_frame *shown, size_t index)
{
	return &shown->location.calls[index < shown->location.call_count ? index : 0];
}

const struct call *
shown_function(const struct shown_frame *shown)
{
	return &shown->location.calls[shown->location.call_count - 1];
}

struct text
shown_name(const struct shown_frame *shown, const struct call *call, bool always,
	   struct arena *arena)
{
	return location_name(&shown->location, call, shown->pc, always, arena);
}

struct place
shown_record(const struct shown_frame *shown)
{
	const struct symbol *symbol = &shown->location.symbol;

	return symbol->found ? symbol_at_place(shown->location.symfile, symbol->own_file,
					       symbol->function.offset, symbol->function.length)
			     : (struct place){ 0 };
}

const char *
shown_source(const struct call *call, struct arena *arena)
{
	const char *name = text_or_empty(text_printable_copy(arena, text_base_name(call->file)));

	return !call->has_line
		       ? name : text_or_empty(arena_format(arena, "%s:%" PRIu32, name, call->line));
}

struct shown_finding
shown_found(struct walk *walk, size_t number, struct arena *arena)
{
	const enum trust trust = walk->frames[number].trust;
	const char *words = trust_table[trust].found_by;

	if (walk->frames[number].detour)
		words = text_or_empty(arena_format(arena, "%s; the record of frame %zu leads to no "
						   "code", words, number - 1));
	return (struct shown_finding){ words,
				       frame_contradicted(walk, number, arena, NULL),
				       report_trust_role(trust) };
}

struct shown_finding
shown_end(struct walk *walk, struct arena *arena)
{
	return (struct shown_finding){ walk->end.text, stack_end_contradicted(walk, arena, NULL),
				       ROLE_NORMAL };
}
