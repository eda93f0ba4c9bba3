/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "report/memory/reading_words.h"
#include "report/report.h"
#include "report/memory/identify_internal.h"

/* Bytes of a text that are shown, and the least that are one. */
#define TEXT_BYTES 60u
#define LEAST_TEXT 4u

static struct target
memory_target(uint64_t address)
{
	struct target target = report_no_target();

	target.kind = TARGET_MEMORY;
	target.address = address;
	return target;
}

static void
add_mapping(struct identify_search *search)
{
	const struct mapping *mapping = crash_mapping(search->crash, search->value);

	if (mapping == NULL && search->crash->mapping_count > 0) {
		identify_add(search->out, "memory map", "nothing is mapped here");
		return;
	}
	if (mapping == NULL)
		return;
	const char *what = arena_format(&search->out->arena, "%" PRIx64 "-%" PRIx64 "  %s  ",
					mapping->base, mapping->base + mapping->size - 1,
					mapping->text);
	struct identify_fact *fact =
		what == NULL ? NULL
			     : identify_add_text(search->out, "memory map", what,
					       text_of(mapping->name),
					       mapping->guard ? "  guard page" : "");
	if (fact != NULL)
		fact->place = mapping->place;
}

/* A run of letters with its end at the address, as bytes or as 16-bit units. */
static void
add_string(struct identify_search *search, size_t least)
{
	uint8_t bytes[2 * TEXT_BYTES];
	struct place place = { 0 };
	bool from_file;
	const size_t count = surroundings_read(search->around, search->value, bytes, sizeof(bytes),
					       &from_file, &place);
	const bool big = search->around->memory.big_endian;

	for (unsigned unit = 1; unit <= 2; unit++) {
		char text[TEXT_BYTES + 1];
		size_t length = 0;

		for (; length < TEXT_BYTES && (length + 1) * unit <= count; length++) {
			const uint8_t *at = bytes + length * unit;
			const uint8_t low = unit == 2 && big ? at[1] : at[0];
			const uint8_t high = unit == 1 ? 0 : big ? at[0] : at[1];

			if (low < ' ' || low > '~' || high != 0)
				break;
			text[length] = (char)low;
		}
		const bool ends = (length + 1) * unit <= count && bytes[length * unit] == 0 &&
				  bytes[length * unit + unit - 1] == 0;
		if (length < least || (!ends && length < TEXT_BYTES))
			continue;
		text[length] = '\0';
		struct identify_fact *fact = identify_add(search->out, "text", "%s\"%s\"%s",
						      unit == 2 ? "UTF-16: " : "", text,
						      ends ? "" : "...");
		if (fact != NULL)
			fact->place = place;
	}
}

/* The word that stands there, and what it can be read as. */
static enum reading_kind
add_word(struct identify_search *search)
{
	const size_t size = search->around->arch->word_size;
	uint8_t bytes[8];
	struct place place = { 0 };
	const struct reader reader = { .data = bytes, .size = size,
				       .big_endian = search->around->memory.big_endian };
	bool from_file;
	uint64_t value = 0;
	struct row row;

	if (surroundings_read(search->around, search->value, bytes, size, &from_file, &place) !=
	    size)
		return READING_NUMBER;
	reader_unsigned(&reader, 0, (unsigned)size, &value);
	const struct reading reading = reading_of(&search->source, value);
	row_init(&row, &search->out->arena);
	reading_add(&search->source, &reading, 0, &row);
	reading_add_chain(&search->source, &reading, &row);
	const char *word = arena_format(&search->out->arena, "%0*" PRIx64 "%s", (int)(2 * size),
					value, row.length > 0 ? "  " : "");
	struct identify_fact *fact =
		word == NULL ? NULL
			     : identify_add_text(search->out, "holds", word,
					       text_of(row_text(&row)),
					       from_file ? "   (the file's bytes, not the "
							   "dump's)" : "");
	if (fact == NULL)
		return reading.kind;
	place.length = (uint32_t)size;
	fact->place = place;
	fact->target = memory_target(search->value);
	return reading.kind;
}

/* What lies before and behind an address where there is nothing. */
static void
add_neighbours(struct identify_search *search)
{
	const struct memory_view *memory = &search->around->memory;
	const struct module_map *modules = &search->around->modules;
	const struct memory_run *before = NULL;

	for (size_t i = 0; i < memory->count && memory->runs[i].base <= search->value; i++)
		before = &memory->runs[i];
	if (before != NULL && search->value - before->base - before->size < 0x100000)
		identify_add(search->out, "near", "0x%" PRIx64 " bytes past memory of the dump "
							       "that ends at %" PRIx64, search->value - before->base - before->size,
			   before->base + before->size - 1);
	for (size_t i = 0; i < modules->loaded_count; i++) {
		const struct module_range *range = &modules->loaded[i];

		if (search->value > range->last && search->value - range->last < 0x100000)
			identify_add_text(search->out, "near",
					arena_format(&search->out->arena,
						     "0x%" PRIx64 " bytes past the end of ",
						     search->value - range->last - 1),
					text_of(place_base_name(
						search->crash->modules[range->module].code_file)),
					"");
	}
}

void
identify_memory(struct identify_search *search)
{
	const struct memory_run *run = memory_run_of(&search->around->memory, search->value);

	add_mapping(search);
	if (run != NULL) {
		struct identify_fact *fact =
			identify_add(search->out, "in the dump", "%" PRIx64 "-%" PRIx64 ", %" PRIu64
				   " bytes", run->base, run->base + run->size - 1, run->size);

		if (fact != NULL) {
			fact->place = crash_memory_place(search->crash, run->region, search->value, 1);
			fact->target = memory_target(search->value);
		}
	}
	if (search->crash->redacted) {
		if (run != NULL)
			identify_add(search->out, "holds", "%s", CRASH_REDACTED);
		return;
	}
	/* The bytes of a pointer may be letters by chance. */
	const enum reading_kind kind = add_word(search);
	add_string(search, kind >= READING_CODE ? search->around->arch->word_size + 1u : LEAST_TEXT);
	if (run == NULL && crash_mapping(search->crash, search->value) == NULL)
		add_neighbours(search);
}
