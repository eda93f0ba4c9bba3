/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/telescope_internal.h"

static void
json_word(const struct telescope *telescope, uint64_t address, struct json *json)
{
	const struct memory_run *run;
	const uint64_t value = telescope_word_at(telescope, address, &run);
	const struct reading reading = reading_of(&telescope->source, value);
	const struct telescope_candidate *candidate = telescope_candidate(telescope, address);
	const size_t owner = telescope_owner(telescope, address);
	char marks[200];
	struct arena arena;
	struct row row;
	size_t frame;
	const struct frame_save *save = telescope_save(telescope, address, owner, &frame);

	arena_init(&arena, 0);
	row_init(&row, &arena);
	json_hex(json, "address", address, (unsigned)telescope->digits);
	if (!crash_redacts_memory(telescope->options.crash))
		json_hex(json, "value", value, (unsigned)telescope->digits);
	if (owner != SIZE_MAX)
		json_number(json, "frame", owner);
	json_string(json, "kind", reading_name(reading.kind));
	if (save != NULL) {
		json_string(json, "saved_register",
			telescope->options.walk->arch->registers[save->reg].label);
		json_number(json, "saved_for_frame", frame + 1);
	}
	if (candidate != NULL)
		json_string(json, candidate->event->status == EVENT_OK ? "taken" : "refused",
			candidate->event->text);
	telescope_marks(telescope, address, marks, sizeof(marks));
	if (marks[0] != '\0')
		json_string(json, "marks", marks);
	telescope_add_reading(telescope, address, value, 0, &row);
	json_string(json, "reading", row_text(&row));
	arena_free(&arena);
}

static void
json_part(const struct listing *listing, size_t row, const struct telescope_place *place,
	struct json *json)
{
	static const char *const kinds[] = { "words", "fold", "frame", "below", "bottom", "gap" };
	const struct telescope *telescope = listing->context;
	const bool has_words =
		place->part->kind == TELESCOPE_FOLD || place->part->kind == TELESCOPE_BELOW;
	struct arena arena;
	struct row text;

	arena_init(&arena, 0);
	row_init(&text, &arena);
	json_hex(json, "address", place->part->address, (unsigned)telescope->digits);
	json_string(json, "kind", kinds[place->part->kind]);
	if (place->part->kind == TELESCOPE_FRAME) {
		json_number(json, "frame", place->part->frame);
		if (telescope_frame_size(telescope, place->part->frame) != 0)
			json_number(
				json, "size", telescope_frame_size(telescope, place->part->frame));
	} else if (place->part->kind != TELESCOPE_BOTTOM) {
		json_number(json, has_words ? "words" : "bytes", place->part->count);
	}
	listing_fill(listing, row, 0, &text);
	json_string(json, "reading", row_text(&text));
	arena_free(&arena);
}

void
telescope_json(const struct listing *listing, size_t first, size_t count, struct json *json)
{
	for (size_t i = first; i < listing->count && i - first < count; i++) {
		const struct telescope_place place = telescope_place(listing->context, i);

		json_object(json, NULL);
		if (place.word)
			json_word(listing->context, place.address, json);
		else
			json_part(listing, i, &place, json);
		json_object_end(json);
	}
}
