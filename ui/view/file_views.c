/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/file/messages.h"
#include "report/file/unwind_report.h"
#include "report/file/raw_dump.h"
#include "report/file/raw_symbols.h"
#include "system/config.h"
#include "ui/view/view.h"

/* Files: the source, the bytes of the dump and of symbol files, and their messages. */

static struct listing
make_source(struct session *session, struct session_view *view)
{
	if (session_frame(session) == NULL)
		return listing_message(views_why_nothing(session));
	const struct listing listing =
		source_listing(&session->open.source, session_walk(session),
			       session->look.stack.frame, session->look.call, &view->arena);
	const struct source_shown shown = source_shown(&listing);
	view->row = listing.current;
	/* A request for another source is finished first. */
	session->open.work.source_asked |=
		shown.pending != NULL && !session->open.work.stopped;
	if (shown.pending != NULL)
		loader_ask_source(session->open.loader, shown.pending, shown.missing);
	return listing;
}

static void
title_source(struct session *session, struct row *row)
{
	const struct source_shown shown = source_shown(&session->look.views[LAYOUT_SOURCE].listing);

	if (shown.missing.length > 0)
		row_add(row, ROLE_CHANGED, "Enter says where it is");
	else if (shown.line != 0)
		row_add(row, ROLE_NORMAL, "line %" PRIu32, shown.line);
}

/* Offer a command that replaces the directory of a source file that was not found. */
static bool
offer_map(struct session *session, char *line, size_t size)
{
	const struct text path =
		source_shown(&session_view(session, LAYOUT_SOURCE)->listing).missing;
	size_t length = path.length;
	char directory[400];

	while (length > 0 && path.start[length - 1] != '/' && path.start[length - 1] != '\\')
		length--;
	if (length == 0)
		return false;
	length -= length > 1;
	text_printable(directory, sizeof(directory), (struct text){ path.start, length });
	return (size_t)snprintf(line, size, "source-map %s%c", directory,
				strchr(directory, ' ') != NULL ? '=' : ' ') < size;
}

const struct view_ops view_SOURCE = {
	.make = make_source, .title = title_source, .offer = offer_map, .centered = true,
	.edits_source = true,
};

bool
views_source_path(struct session *session, char *path, size_t size, uint32_t *line)
{
	const struct source_shown shown =
		source_shown(&session_view(session, LAYOUT_SOURCE)->listing);

	*line = shown.line;
	return shown.path != NULL && (size_t)snprintf(path, size, "%s", shown.path) < size;
}

static struct listing
make_raw(struct session *session, struct session_view *view)
{
	const struct place place = session->look.raw.place;
	const struct symfile *symfile = views_symfile(session, place.input);
	struct listing listing;

	if (symfile == NULL) {
		const struct raw_file file = session_raw_file(session, place.input);
		const struct place none = { 0 };
		const bool ours = place.input == file.input;

		listing = raw_dump_listing(&file, ours ? place : none, &view->arena);
		view->row = raw_dump_row(&listing, ours ? place.offset : 0);
		return listing;
	}
	listing = raw_symbols_listing(symfile, place, session->look.raw.open, &view->arena);
	view->row = raw_symbols_row(&listing, place.line);
	return listing;
}

static void
title_raw(struct session *session, struct row *row)
{
	const struct place *at = &session->look.raw.place;
	const struct raw_file file = session_raw_file(session, at->input);
	char text[300];

	row_add_text(row, ROLE_NORMAL,
		text_of(at->input == file.input || at->input == NULL
				? raw_file_describe(
					  &file, at->offset, at->length, text, sizeof(text))
				: place_format(at).text));
}

static uint64_t
stamp_raw(struct session *session, const struct listing *listing)
{
	uint64_t stamp = views_mix(listing->count, (uintptr_t)session->look.raw.place.input);

	return views_mix(views_mix(stamp, session->look.raw.place.offset),
			 session->look.raw.place.line);
}

/* The place of a row. In a symbol file it is the line itself, not the target of the line. */
static struct place
place_of_line(struct session *session, size_t row)
{
	const struct symfile *symfile = views_symfile(session, session->look.raw.place.input);
	const uint32_t line =
		symfile != NULL ? raw_symbols_line(&session->look.views[LAYOUT_RAW].listing, row)
				: 0;
	uint64_t offset;

	return symfile != NULL && line != session->look.raw.place.line &&
			       symfile_line_offset(symfile, line, &offset)
		       ? symfile_place(symfile, offset, 0)
		       : session->look.raw.place;
}

static const char *
fold_line(struct session *session, size_t row)
{
	if (views_symfile(session, session->look.raw.place.input) == NULL)
		return "only lines of symbol files have fields that open";
	const uint32_t line = raw_symbols_line(&session->look.views[LAYOUT_RAW].listing, row);
	session->look.raw.open = line != session->look.raw.place.line || !session->look.raw.open;
	session->look.raw.place = place_of_line(session, row);
	session_refresh(session);
	return NULL;
}

/* The frame implies the symbol file of a line, because a frame has only one. */
static bool
spot_of_raw(struct session *session, struct spot_text *text)
{
	const struct frame *frame = session_frame(session);
	const struct place raw = session->look.raw.place;

	if (raw.input == &session->open.crash->file.input)
		spot_add(text, SPOT_RAW, "dump:0x%" PRIx64, raw.offset);
	else if (raw.line != 0 && frame != NULL &&
		 views_symfile(session, raw.input) ==
			 walk_symfile(session_walk(session), frame->module))
		spot_add(text, SPOT_RAW, "sym:%" PRIu32 ":%" PRIu32, raw.line, raw.column);
	return false;
}

const struct view_ops view_RAW = {
	.make = make_raw, .title = title_raw, .stamp = stamp_raw, .fold = fold_line,
	.place = place_of_line, .spot = spot_of_raw, .centered = true, .reveals = BLIND_RULE,
};

static struct listing
make_messages(struct session *session, struct session_view *view)
{
	/* While symbols are read, another thread appends to their messages. */
	const bool reading = loader_is_busy(session->open.loader);
	const struct message_list *more[4];
	struct walk *walk = session_walk(session);
	struct session_contradictions *found = &session->look.contradictions;
	size_t more_count = 0;

	/* The search for contradictions is slow, so they are kept until the walk changes. */
	if (!reading && walk != NULL && (found->walk != walk || found->frames != walk->count)) {
		arena_reset(&found->arena);
		message_list_init(&found->messages, &found->arena);
		unwind_report_frames(walk, unwind_report_messages, &found->messages);
		found->walk = walk;
		found->frames = walk->count;
	}
	if (!reading && walk != NULL)
		more[more_count++] = &found->messages;
	if (session->open.options->config != NULL)
		more[more_count++] = &session->open.options->config->messages;
	if (session->open.options->signature_rules != NULL)
		more[more_count++] = &session->open.options->signature_rules->messages;
	if (session->open.analysis != NULL)
		more[more_count++] = &session->open.analysis->messages;
	const struct messages_sources sources = {
		.crash = session->open.crash,
		.symbols = reading ? NULL : session->open.symbols,
		.binaries = reading ? NULL : session->open.binaries,
		.more = more,
		.more_count = more_count,
	};

	return messages_listing(&sources, view->columns, &view->arena);
}

static void
title_messages(struct session *session, struct row *row)
{
	const uint64_t count = messages_total(&session->look.views[LAYOUT_MESSAGES].listing);

	if (session->blind >= BLIND_RULE)
		return;
	row_add(row, ROLE_NORMAL, "%" PRIu64 " message%s", count, plural(count));
}

const struct view_ops view_MESSAGES = {
	.make = make_messages, .title = title_messages, .wraps = true, .reveals = BLIND_RULE,
};
