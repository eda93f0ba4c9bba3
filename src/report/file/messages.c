/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/messages.h"

#include <inttypes.h>

#include "sframe/sframes.h"
#include "report/report.h"

/* Columns before the text of a message: a blank, its severity, two blanks. */
#define TEXT_COLUMN 10u
/* Columns of text below which nothing is wrapped. */
#define LEAST_TEXT 16u

/* One row: a message or a part of it, or how many of its kind were not kept. */
struct line {
	const struct message *message;	/* NULL: the rest of a kind */
	enum message_kind kind;
	uint64_t missing;		/* of a kind */
	struct text text;		/* shown in this row */
	bool first;			/* of its message */
};

struct messages {
	struct arena *arena;
	size_t width;			/* of the text; 0: not wrapped */
	struct line *lines;
	size_t count, capacity;
	uint64_t total;			/* of messages, also those that were not kept */
};

static const enum role severity_roles[] = {
	[MESSAGE_NOTE] = ROLE_NOTE,
	[MESSAGE_WARNING] = ROLE_CHANGED,
	[MESSAGE_ERROR] = ROLE_BAD,
};

static void
add_line(struct messages *messages, struct line line)
{
	struct line *lines = arena_grow(messages->arena, messages->lines, messages->count,
					&messages->capacity, sizeof(*lines));

	if (lines == NULL)
		return;
	messages->lines = lines;
	lines[messages->count++] = line;
}

/* The bytes of `text` that make a row: up to the last blank that fits. */
static size_t
wrap(struct text text, size_t width)
{
	size_t fitting = text_fit(text, width);

	if (fitting == text.length)
		return fitting;
	for (size_t i = fitting; i > fitting / 2; i--)
		if (text.start[i] == ' ')
			return i;
	return fitting == 0 ? text.length : fitting;
}

static void
add_wrapped(struct messages *messages, struct line line, const char *string)
{
	const char *safe = text_printable_copy(messages->arena, text_of(string));
	struct text rest = text_of(safe != NULL ? safe : "");

	line.first = true;
	do {
		size_t length = messages->width == 0 ? rest.length
						     : wrap(rest, messages->width);

		line.text = (struct text){ rest.start, length };
		add_line(messages, line);
		line.first = false;
		while (length < rest.length && rest.start[length] == ' ')
			length++;
		rest.start += length;
		rest.length -= length;
	} while (rest.length > 0);
}

static void
add_message(struct messages *messages, const struct message *message)
{
	char place[512];

	struct place at = report_record_place(message->place);
	place_format(&at, place, sizeof(place));
	const char *text =
		arena_format(messages->arena, "%s%s%s%s%s", place, place[0] != '\0' ? ": " : "",
			     message->text, message->hint != NULL ? "; " : "",
			     message->hint != NULL ? message->hint : "");
	if (text != NULL)
		add_wrapped(messages, (struct line){ .message = message, .kind = message->kind },
			    text);
}

static void
add_list(struct messages *messages, const struct message_list *list, const char *input)
{
	uint64_t kept[MESSAGE_KIND_COUNT] = { 0 };

	messages->total += list != NULL ? message_total(list) : 0;
	for (size_t i = 0; list != NULL && i < list->count; i++)
		kept[list->messages[i].kind]++;
	for (size_t kind = 0; list != NULL && kind < MESSAGE_KIND_COUNT; kind++) {
		if (list->seen[kind] == 0)
			continue;
		for (size_t i = 0; i < list->count; i++)
			if (list->messages[i].kind == kind)
				add_message(messages, &list->messages[i]);
		uint64_t missing = list->seen[kind] - kept[kind];
		const char *text =
			missing == 0 ? NULL
				     : arena_format(messages->arena,
						    "%s%s%" PRIu64 " more of the kind %s",
						    input, input[0] != '\0' ? ": " : "", missing,
						    message_kind_name((enum message_kind)kind));
		if (text != NULL)
			add_wrapped(messages, (struct line){ .kind = (enum message_kind)kind,
							     .missing = missing }, text);
	}
}

/* A symbol file that several modules share is listed once. */
static bool
is_listed(const struct messages_sources *sources, const struct symfile *symfile, size_t before)
{
	enum symbols_state state;

	for (size_t i = 0; i < before; i++)
		if (symbols_peek(sources->symbols, i, &state) == symfile)
			return true;
	return false;
}

static void
add_symfiles(struct messages *messages, const struct messages_sources *sources)
{
	enum symbols_state state;

	for (size_t i = 0; i < sources->crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(sources->symbols, i, &state);

		if (symfile == NULL || message_total(symfile_messages(symfile)) == 0 ||
		    is_listed(sources, symfile, i))
			continue;
		add_list(messages, symfile_messages(symfile),
			 place_base_name(symfile_file(symfile)->input.name));
	}
}

/* Of the SFrame sections that were opened. */
static void
add_sframes(struct messages *messages, const struct messages_sources *sources)
{
	struct sframes *sframes = binaries_sframes(sources->binaries);

	add_list(messages, sframes_messages(sframes), "looking for SFrame sections");
	for (size_t i = 0; i < sources->crash->module_count; i++) {
		const struct sframe *sframe = sframes_peek(sframes, i);

		if (sframe != NULL)
			add_list(messages, &sframe->messages,
				 place_base_name(sframe->tables[0].reader.input->name));
	}
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct messages *messages = listing->context;
	const struct line *line = &messages->lines[index];
	enum message_severity severity = message_kind_severity(line->kind);

	(void)columns;
	if (line->first)
		row_add(row, severity_roles[severity], " %s", message_severity_name(severity));
	row_pad(row, TEXT_COLUMN);
	row_add_text(row, line->message != NULL ? ROLE_NORMAL : ROLE_DIM, line->text);
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct messages *messages = listing->context;
	const struct message *message = messages->lines[index].message;

	return message != NULL ? report_place_target(message->place) : report_no_target();
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct messages *messages = listing->context;
	const struct line *line = &messages->lines[index];

	row_add(row, ROLE_NORMAL, "%s", message_kind_name(line->kind));
	if (line->message != NULL) {
		row_add(row, ROLE_NORMAL, ": ");
		row_add_text(row, ROLE_NORMAL, text_of(line->message->text));
		report_add_place(row, line->message->place);
	}
}

struct listing
messages_listing(const struct messages_sources *sources, size_t columns, struct arena *arena)
{
	struct messages *messages = arena_alloc(arena, sizeof(*messages));

	if (messages == NULL)
		return listing_out_of_memory();
	messages->arena = arena;
	if (columns >= TEXT_COLUMN + LEAST_TEXT)
		messages->width = columns - TEXT_COLUMN;
	add_list(messages, &sources->crash->messages, "the dump");
	if (sources->symbols != NULL) {
		add_list(messages, symbols_messages(sources->symbols), "looking for symbols");
		add_symfiles(messages, sources);
	}
	if (sources->binaries != NULL) {
		add_list(messages, binaries_messages(sources->binaries),
			 "looking for the modules' files");
		add_sframes(messages, sources);
	}
	for (size_t i = 0; i < sources->more_count; i++)
		add_list(messages, sources->more[i], "");
	if (messages->count == 0)
		return listing_message("no messages: nothing was found wrong");
	return (struct listing){ .count = messages->count, .fill = fill_row,
				 .target = row_target, .explain = explain_row,
				 .context = messages };
}

uint64_t
messages_total(const struct listing *listing)
{
	const struct messages *messages = listing->fill == fill_row ? listing->context : NULL;

	return messages != NULL ? messages->total : 0;
}
