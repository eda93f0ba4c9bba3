/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/messages.h"

#include <inttypes.h>

#include "sframe/sframes.h"
#include "report/lines.h"

struct messages {
	struct lines lines;
	uint64_t total;			/* number of messages, including dropped ones */
};

static const enum role severity_roles[] = {
	[MESSAGE_NOTE] = ROLE_NOTE,
	[MESSAGE_WARNING] = ROLE_CHANGED,
	[MESSAGE_ERROR] = ROLE_BAD,
};

static void
add_message(struct messages *messages, const struct message *message)
{
	const struct place at = place_record(message->place);
	const struct text_of_place place = place_format(&at);
	struct line *line = lines_add_format(&messages->lines,
		message_severity_names[message_table[message->kind].severity], ROLE_NORMAL,
		"%s%s%s%s%s", place.text, place.text[0] != '\0' ? ": " : "", message->text,
		message->hint != NULL ? "; " : "", text_or_empty(message->hint));
	if (line == NULL)
		return;
	line->place = message->place;
	const bool coded = message->kind == MESSAGE_UNWIND_DIFFERS ||
			   message->kind == MESSAGE_UNWIND_LOST ||
			   message->kind == MESSAGE_RECORD_WRONG;
	/* The text of a finding already contains its code. */
	line->explanation = arena_format(messages->lines.arena, "%s%s%s",
					 coded ? "" : message_table[message->kind].name,
					 coded ? "" : ": ", message->text);
}

static void
add_list(struct messages *messages, const struct message_list *list, const char *input)
{
	uint64_t kept[MESSAGE_KIND_COUNT] = { 0 };

	messages->total += list != NULL ? message_total(list) : 0;
	for (size_t i = 0; list != NULL && i < list->count; i++)
		kept[list->messages[i].kind]++;
	for (unsigned kind = 0; list != NULL && kind < MESSAGE_KIND_COUNT; kind++) {
		const enum message_severity severity = message_table[kind].severity;

		if (list->seen[kind] == 0)
			continue;
		messages->lines.label_role = severity_roles[severity];
		for (size_t i = 0; i < list->count; i++)
			if (list->messages[i].kind == kind)
				add_message(messages, &list->messages[i]);
		uint64_t missing = list->seen[kind] - kept[kind];
		if (missing > 0) {
			/* Adds a row with the number of messages of a kind that were dropped. */
			struct line *line = lines_add_format(&messages->lines,
				message_severity_names[severity], ROLE_DIM,
				"%s%s%" PRIu64 " more of the kind %s", input,
				input[0] != '\0' ? ": " : "", missing, message_table[kind].name);

			if (line != NULL)
				line->explanation = message_table[kind].name;
		}
	}
}

/* Several modules may share a symbol file, so the file may be listed already. */
static bool
is_listed(const struct messages_sources *sources, const struct symfile *symfile, size_t before)
{
	enum symbols_state state;

	for (size_t i = 0; i < before; i++)
		if (symbols_peek(sources->symbols, i, &state) == symfile)
			return true;
	return false;
}

struct listing
messages_listing(const struct messages_sources *sources, size_t columns, struct arena *arena)
{
	struct messages *messages = arena_alloc(arena, sizeof(*messages));

	if (messages == NULL)
		return listing_out_of_memory();
	messages->lines = (struct lines){ .arena = arena, .label_column = 1, .text_column = 10,
					  .wraps = true, .context = messages };
	add_list(messages, &sources->crash->messages, "the dump");
	if (sources->symbols != NULL) {
		add_list(messages, symbols_messages(sources->symbols), "searching for symbols");
		enum symbols_state state;

		for (size_t i = 0; i < sources->crash->module_count; i++) {
			const struct symfile *symfile = symbols_peek(sources->symbols, i, &state);

			if (symfile == NULL || is_listed(sources, symfile, i))
				continue;
			const char *name = place_base_name(symfile_file(symfile)->input.name);
			add_list(messages, symfile_messages(symfile), name);
			add_list(messages, symfile_strict_messages(symfile), name);
		}
	}
	if (sources->binaries != NULL) {
		add_list(messages, binaries_messages(sources->binaries),
			 "searching for the modules' files");
		add_list(messages, sframes_messages(sources->binaries),
			 "searching for SFrame sections");
		for (size_t i = 0; i < sources->crash->module_count; i++) {
			const struct sframe *sframe = sframes_peek(sources->binaries, i);

			if (sframe != NULL)
				add_list(messages, &sframe->messages,
					 place_base_name(sframe->tables[0].reader.input->name));
		}
	}
	for (size_t i = 0; i < sources->more_count; i++)
		add_list(messages, sources->more[i], "");
	if (messages->lines.count == 0)
		return listing_message("no messages: no defects were found");
	return lines_listing(&messages->lines, columns, arena);
}

uint64_t
messages_total(const struct listing *listing)
{
	const struct lines *lines = lines_of(listing);
	const struct messages *messages = lines != NULL ? lines->context : NULL;

	return messages != NULL ? messages->total : 0;
}
