/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/memory/identify_internal.h"

/* Columns of the names of facts. */
#define NAME_COLUMNS 13u
/* Values below this are no addresses but offsets from a null pointer. */
#define NULL_BYTES 0x10000u

static struct identify_fact *
append(struct identification *out, const char *name, struct text text)
{
	struct identify_fact *facts = arena_grow(&out->arena, out->facts, out->count,
					       &out->capacity, sizeof(*facts));

	if (facts == NULL)
		return NULL;
	out->facts = facts;
	facts[out->count] = (struct identify_fact){ .name = name, .text = text,
						  .target = report_no_target() };
	return &facts[out->count++];
}

struct identify_fact *
identify_add(struct identification *out, const char *name, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	const char *copy = arena_copy(&out->arena, text, strlen(text));
	return copy == NULL ? NULL : append(out, name, text_of(copy));
}

struct identify_fact *
identify_add_text(struct identification *out, const char *name, const char *before, struct text text,
		const char *behind)
{
	const size_t first = strlen(before), last = strlen(behind);
	char *copy = arena_array(&out->arena, first + text.length + last + 1, 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, before, first);
	if (text.length > 0)
		memcpy(copy + first, text.start, text.length);
	memcpy(copy + first + text.length, behind, last);
	return append(out, name, (struct text){ copy, first + text.length + last });
}

/* The value itself, as every kind of reader has it. */
static void
add_value(struct identify_search *search)
{
	const unsigned bits = search->around->arch->word_size * 8;
	const uint64_t value = search->value;
	const int64_t negative = bits == 32 ? (int64_t)(int32_t)value : (int64_t)value;
	char letters[8], text[16] = "";
	const size_t count = search->reading.kind == READING_TEXT
				     ? reading_letters(&search->source, value, letters) : 0;

	if (count > 0)
		snprintf(text, sizeof(text), "   \"%.*s\"", (int)count, letters);
	if (negative < 0)
		identify_add(search->out, "value", "0x%" PRIx64 "   %" PRIu64 "   %" PRId64 "%s", value,
			   value, negative, text);
	else
		identify_add(search->out, "value", "0x%" PRIx64 "   %" PRIu64 "%s", value, value, text);
	if (!search->out->expression.plain)
		identify_add_text(search->out, "read as", "", text_of(search->out->expression.text), "");
}

/* What the value alone gives away. */
static void
add_kind(struct identify_search *search)
{
	const struct arch *arch = search->around->arch;
	const uint64_t value = search->value;

	if (value == 0)
		identify_add(search->out, "null", "the null pointer");
	else if (value < NULL_BYTES)
		identify_add(search->out, "null", "small: a null pointer and an offset of %" PRIu64
			   " bytes, if it is an address", value);
	if (search->reading.kind == READING_PATTERN)
		identify_add(search->out, "pattern", "%s", search->reading.words);
	if (!arch_canonical(arch, value))
		identify_add(search->out, "no address", "not canonical: bits 47 to 63 differ, so that "
			   "no pointer has this value");
	if (search->crash->cause.text != NULL && value == search->crash->reason_address &&
	    search->crash->cause.address == CRASH_ADDRESS_MEMORY)
		identify_add_text(search->out, "crash", "the crash address of ",
				text_of(search->crash->cause.text), "");
}

struct identification *
identify_create(struct surroundings *around, struct walk *walk, size_t frame, struct text typed)
{
	struct identification *out = calloc(1, sizeof(*out));
	struct identify_search search = { .out = out, .around = around, .crash = around->crash,
					.walk = walk, .frame = frame };

	if (out == NULL)
		return NULL;
	arena_init(&out->arena, 0);
	out->around = around;
	const char *copy = arena_copy(&out->arena, typed.start, typed.length);
	out->typed = copy != NULL ? (struct text){ copy, typed.length } : text_of("");
	out->expression = expression_of(around, walk != NULL && frame < walk->count
							? &walk->frames[frame] : NULL,
					out->typed, &out->arena);
	out->value = search.value = out->expression.value;
	if (!out->expression.known) {
		identify_add_text(out, "unknown", "", text_of(out->expression.text), "");
		return out;
	}
	reading_source_init(&search.source, around->crash, &around->memory, around->binaries, walk,
			    &out->arena);
	search.reading = reading_of(&search.source, search.value);
	add_value(&search);
	add_kind(&search);
	identify_stack(&search);
	identify_code(&search);
	identify_memory(&search);
	return out;
}

void
identify_free(struct identification *identify)
{
	if (identify == NULL)
		return;
	arena_free(&identify->arena);
	free(identify);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct identification *out = listing->context;
	const struct identify_fact *fact = &out->facts[index];
	char place[300];

	row_add(row, ROLE_DIM, " %-*s ", (int)NAME_COLUMNS, fact->name);
	row_add_cut(row, ROLE_NORMAL, columns > row->width ? columns - row->width : 0, true,
		    fact->text);
	if (fact->place.input != NULL) {
		place_format(&fact->place, place, sizeof(place));
		if (columns == 0 || row->width + 3 + text_width(text_of(place)) <= columns) {
			row_add(row, ROLE_NORMAL, "   ");
			row_add_text(row, ROLE_DIM, text_of(place));
		}
	}
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct identification *out = listing->context;

	(void)columns;
	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_TITLE, out->typed);
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct identification *out = listing->context;
	const struct identify_fact *fact = &out->facts[index];

	return fact->target.kind != TARGET_NONE ? fact->target : report_place_target(fact->place);
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct identification *out = listing->context;

	row_add_text(row, ROLE_NORMAL, out->facts[index].text);
	report_add_place(row, out->facts[index].place);
}

struct listing
identify_listing(const struct identification *identify)
{
	return (struct listing){ .count = identify->count, .head = fill_head, .fill = fill_row,
				 .target = row_target, .explain = explain_row,
				 .context = identify };
}

#define FACTS "report/memory/identify_facts.def"
#include "document/describe_facts.h"
