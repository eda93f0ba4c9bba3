/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A note that is kept. */
struct binaries_entry {
	const struct binaries_layout *layout;	/* NULL: `path` is the whole */
	const char *path;		/* else the directory of the row */
	const char *why;		/* NULL: nothing to say */
	uint8_t way, outcome;
};

void
binaries_note_refuse(struct binaries_note *note, const char *format, ...)
{
	char text[BINARIES_WHY];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	note->outcome = BINARIES_REFUSED;
	text_printable(note->why, sizeof(note->why), text_of(text));
}

/* A copy of a text; a copy that there is no memory for is missed. */
static const char *
copied(struct arena *arena, const char *text, bool *whole)
{
	const char *copy = arena_copy(arena, text, strlen(text));

	*whole = *whole && copy != NULL;
	return copy;
}

void
binaries_note_keep(struct binaries_record *record, struct arena *arena,
		   const struct binaries_note *note)
{
	struct binaries_entry *entries = arena_grow(arena, record->entries, record->count,
						    &record->capacity, sizeof(*entries));
	bool whole = entries != NULL;

	if (whole) {
		record->entries = entries;
		entries[record->count] = (struct binaries_entry){
			.layout = note->layout,
			.path = note->layout != NULL ? note->directory
						     : copied(arena, note->path, &whole),
			.why = note->why[0] != '\0' ? copied(arena, note->why, &whole) : NULL,
			.way = (uint8_t)note->way, .outcome = (uint8_t)note->outcome,
		};
	}
	record->count += whole;
	record->missed += !whole;
}

void
binaries_record_tell(const struct binaries_record *record, enum binaries_kind kind,
		     binaries_visit *visit, void *context)
{
	for (size_t i = 0; i < record->count; i++) {
		const struct binaries_entry *entry = &record->entries[i];
		struct binaries_place place = {
			.kind = kind, .way = (enum binaries_way)entry->way,
			.outcome = (enum binaries_outcome)entry->outcome,
			.path = entry->path, .why = entry->why,
		};
		char *made = NULL;

		if (entry->layout != NULL) {
			place.directory_length = strlen(entry->path);
			place.path = made = binaries_path(&record->subject, entry->path,
							  entry->layout->pattern);
		}
		if (place.path != NULL)
			visit(context, &place);
		free(made);
	}
}

bool
binaries_looked(const struct binaries *binaries, size_t module, enum binaries_kind kind)
{
	return binaries != NULL && module < binaries->crash->module_count &&
	       atomic_load(&binaries->slots[module].done[kind]);
}

size_t
binaries_places(const struct binaries *binaries, size_t module, binaries_visit *visit,
		void *context)
{
	size_t missed = 0;

	for (size_t kind = 0; kind < BINARIES_KINDS; kind++) {
		if (!binaries_looked(binaries, module, (enum binaries_kind)kind))
			continue;
		const struct binaries_record *record = &binaries->slots[module].records[kind];

		binaries_record_tell(record, (enum binaries_kind)kind, visit, context);
		missed += record->missed;
	}
	return missed;
}
