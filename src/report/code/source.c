/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "debug_info/debug_info.h"
#include "pdb/pdb.h"
#include "report/lines.h"
#include "report/report.h"
#include "locate/source_file.h"

#define TAB 8u
/* Maximum number of callers searched for a frame with a source line. */
#define FRAMES_AROUND 32u
#define NAME_COLUMNS 40u

struct source {
	struct source_file file;
	const uint64_t *starts;		/* offset of each line, then the size; NULL: no file */
	size_t line_count;
	uint32_t line;			/* line of the call; 0: unknown */
	int digits;
	struct place record;		/* record of the line in the symbol file */
	const char *url;		/* URL of the file, from the PDB; NULL: none */
	const char *range;		/* addresses of the line; "" if the call is not innermost */
	const char *how;		/* how the file was found */
	struct lines reasons;		/* shown if the file was not found */
	const struct call *calls;	/* calls of the frame, innermost first */
	size_t call_count, shown;	/* `shown`: an index in `calls` */
	/* Module whose servers may have the source and were not asked; or NULL */
	const struct module *pending;
};

/* Index of the frame's call at `line`, other than the shown call; SIZE_MAX: none. */
static size_t
other_call(const struct source *source, size_t line)
{
	for (size_t i = 0; i < source->call_count; i++)
		if (i != source->shown && source->calls[i].has_line &&
		    source->calls[i].line == line &&
		    text_equal(source->calls[i].file, source->file.recorded))
			return i;
	return SIZE_MAX;
}

/* Adds the line's role in the frame: the call site of an inlined call, or the innermost call. */
static void
add_other(const struct source *source, size_t other, size_t columns, struct row *row)
{
	const bool innermost = other == 0;
	const struct text name = source->calls[innermost ? 0 : other - 1].name;
	const char *before = innermost ? "  in " : "  inlined here: ";

	if (columns != 0 && columns < row->width + strlen(before) + 8)
		return;
	row_add(row, ROLE_NOTE, "%s", before);
	row_add_name(row, ROLE_NOTE, columns == 0 ? 0 : columns - row->width, name);
}

static void
fill_line(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct source *source = listing->context;
	const bool here = index + 1 == source->line;
	const size_t other = here ? SIZE_MAX : other_call(source, index + 1);

	row_add(row, here ? ROLE_CHANGED : ROLE_DIM, "%s",
		here ? "=>" : other != SIZE_MAX ? "->" : "  ");
	row_add(row, ROLE_DIM, "%*zu  ", source->digits, index + 1);
	row_add_source(row, ROLE_NORMAL, source_line_text(source->file.text, source->starts, index),
		       TAB);
	if (here && source->range[0] != '\0' &&
	    (columns == 0 || columns > row->width + text_width(text_of(source->range)) + 1))
		row_add_right(row, ROLE_DIM, columns, "%s", source->range);
	if (other != SIZE_MAX)
		add_other(source, other, columns, row);
}

static void
fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct source *source = listing->context;
	const struct locate_place *found = &source->file.places[source->file.place_count - 1];

	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_TITLE, source->file.recorded);
	if (source->file.newer)
		row_add(row, ROLE_BAD, "   newer than the dump");
	row_add(row, ROLE_DIM, "   read from ");
	/* Keep both ends of a long path. Add how the file was found if there is room. */
	row_add_cut(row, ROLE_DIM, columns > row->width ? columns - row->width : columns, true,
		    text_of(found->path));
	if (columns == 0 || row->width + text_width(text_of(source->how)) + 3 <= columns)
		row_add(row, ROLE_DIM, "   %s", source->how);
}

static struct target
line_target(const struct listing *listing, size_t index)
{
	const struct source *source = listing->context;

	return index + 1 == source->line ? report_place_target(source->record)
					 : TARGET(TARGET_NONE);
}

static void
explain_line(const struct listing *listing, size_t index, struct row *row)
{
	const struct source *source = listing->context;

	row_add_text(row, ROLE_NORMAL, text_base_name(source->file.recorded));
	row_add(row, ROLE_NORMAL, ":%zu", index + 1);
	const size_t other = index + 1 == source->line ? SIZE_MAX : other_call(source, index + 1);
	if (other != SIZE_MAX)
		add_other(source, other, 0, row);
	if (index + 1 != source->line)
		return;
	if (source->range[0] != '\0')
		row_add(row, ROLE_NORMAL, "   %s", source->range);
	if (source->url != NULL)
		row_add(row, ROLE_NORMAL, "   %s", source->url);
	report_add_place(row, source->record);
}

static struct listing
list_lines(struct source *source, struct arena *arena)
{
	char digits[24];

	source->line_count = source_line_starts(source->file.text, arena, &source->starts);
	if (source->starts == NULL)
		return listing_out_of_memory();
	if (source->line_count == 0)
		return listing_message("the source file is empty");
	source->digits = snprintf(digits, sizeof(digits), "%zu", source->line_count);
	if (source->digits < 3)
		source->digits = 3;
	const size_t line = source->line > 0 ? source->line - 1 : 0;
	return (struct listing){ .count = source->line_count, .head = fill_head,
				 .current = line < source->line_count ? line
								      : source->line_count - 1,
				 .fill = fill_line, .target = line_target,
				 .explain = explain_line, .context = source };
}

/* How a path was derived from the directories and substitutions that the user gave. */
static const char *
how(const struct source_file *file, const struct locate_place *place, struct arena *arena)
{
	const char *words = locate_way_words(place->way);

	return place->way == LOCATE_SOURCE_BY_MAP ? arena_format(arena, "%s %s", words, file->map)
						  : words;
}

/*
 * The nearest caller with a source line: "frame 5, do_assert(int)". If `options` is set, its source
 * file must be found, too. "": no caller qualifies, or it is too far away.
 */
static const char *
next_frame(const struct source_options *options, const struct walk *walk, size_t frame,
	   struct arena *arena)
{
	/* Ask servers only for the file of the chosen frame. */
	struct source_options here = options != NULL ? *options : (struct source_options){ 0 };
	struct arena scratch = { 0 };
	const char *text = NULL;

	here.asks = false;
	for (size_t i = frame + 1;
	     text == NULL && i < walk->count && i - frame <= FRAMES_AROUND; i++) {
		struct shown_frame caller;
		struct source_file file;
		char name[4 * NAME_COLUMNS + 1];

		arena_reset(&scratch);
		shown_frame(walk, &walk->frames[i], NULL, &scratch, &caller);
		const struct call *call = shown_call(&caller, 0);
		if (call->file.length == 0 ||
		    (options != NULL &&
		     !source_file_find(&here, caller.location.module, call->file, &scratch, &file)))
			continue;
		text_cut_name(name, sizeof(name), call->name, NAME_COLUMNS, "~");
		text = text_or_empty(arena_format(arena, "frame %zu, %s", i, name));
	}
	arena_free(&scratch);
	return text_or_empty(text);
}

/* Lists the paths that were tried, and why each failed. */
static struct listing
list_reasons(struct source *source, const char *next, struct arena *arena)
{
	const struct source_file *file = &source->file;
	const char *recorded = text_printable_copy(arena, file->recorded);

	source->reasons = (struct lines){ .arena = arena, .text_column = 1, .context = source,
					  .target = report_place_target(source->record) };
	lines_add_format(&source->reasons, NULL, ROLE_DIM, "'%s' not found%s",
			 text_or_empty(recorded), file->place_count > 0 ? "; tried" : "");
	for (size_t i = 0; i < file->place_count; i++)
		lines_add_format(&source->reasons, NULL, ROLE_DIM, "  %s (%s): %s",
				 file->places[i].path, how(file, &file->places[i], arena),
				 file->places[i].why);
	if (source->url != NULL)
		lines_add_format(&source->reasons, NULL, ROLE_DIM,
				 "  %s (in the PDB): not requested", source->url);
	if (source->pending != NULL)
		lines_add_format(&source->reasons, NULL, ROLE_DIM,
				 "  debuginfod servers: asked now");
	if (next[0] != '\0')
		lines_add_format(&source->reasons, NULL, ROLE_DIM,
				 "%s, is the next whose source is found", next);
	return lines_listing(&source->reasons, 0, arena);
}

const char *
source_url(const struct walk *walk, const struct location *location, struct text file,
	   struct arena *arena)
{
	const size_t module = location->module_index >= 0 ? (size_t)location->module_index
							  : walk->crash->module_count;
	const bool loaded = module < walk->crash->module_count &&
			    location->module == &walk->crash->modules[module];
	const struct pdb *pdb = loaded ? debug_info_pdb(walk->binaries, module) : NULL;

	return pdb != NULL ? pdb_source_url(pdb, file, arena) : NULL;
}

static const char *
why_no_line(const struct location *location)
{
	if (location->module == NULL)
		return "the address lies in no module";
	if (location->lacking)
		return "the symbols of this module have not been read yet";
	if (location->symfile == NULL && !location->symbol.found)
		return "there are no symbols for this module";
	if (location->symbol.own_file != NULL)
		return "the module's file has no source line for this address";
	if (!location->symbol.found)
		return "the symbols have no function at this address";
	return "the symbols have no source line for this address";
}

struct listing
source_listing(const struct source_options *options, const struct walk *walk, size_t frame,
	       size_t number, struct arena *arena)
{
	struct source *source = arena_alloc(arena, sizeof(*source));
	struct shown_frame shown;

	if (source == NULL)
		return listing_out_of_memory();
	if (walk == NULL || frame >= walk->count)
		return listing_message("no frame");
	shown_frame(walk, &walk->frames[frame], NULL, arena, &shown);
	const struct location *location = &shown.location;
	const struct call *call = shown_call(&shown, number);
	if (call->file.length == 0) {
		const char *why = why_no_line(location);
		const char *next = next_frame(NULL, walk, frame, arena);
		const char *both = next[0] == '\0'
			? NULL
			: arena_format(arena, "%s; %s, is the next with a source line", why, next);

		return listing_message(both != NULL ? both : why);
	}
	source->calls = location->calls;
	/* If memory ran out, `calls` is only the call `bare`, and no other calls are marked. */
	source->call_count = location->calls != &location->bare ? location->call_count : 0;
	source->shown = (size_t)(call - location->calls);
	source->line = call->has_line ? call->line : 0;
	source->range = "";
	/* Set the record of the line, and the range of its code if the call is innermost. */
	if (location->symbol.has_line && call != &location->calls[0]) {
		const struct inline_call *inner = call[-1].inlined;

		source->record = symbol_at_place(location->symfile, inner->own_file, inner->offset,
						 inner->length);
	} else if (location->symbol.has_line) {
		const struct source_line *line = &location->symbol.line;
		const uint64_t relative = location->address - location->module->base;
		const char *range =
			arena_format(arena, "rva %" PRIx64 "-%" PRIx64 ", at + %#" PRIx64,
				     line->address, line->address + line->size - 1,
				     relative - line->address);

		source->record = symbol_at_place(location->symfile, line->own_file, line->offset,
						 line->length);
		source->range = range != NULL ? range : "";
	}
	source->url = source_url(walk, location, call->file, arena);
	if (!source_file_find(options, location->module, call->file, arena, &source->file)) {
		source->pending = source->file.pending ? location->module : NULL;
		return list_reasons(source, next_frame(options, walk, frame, arena), arena);
	}
	source->how = how(&source->file, &source->file.places[source->file.place_count - 1], arena);
	if (source->how == NULL)
		return listing_out_of_memory();
	return list_lines(source, arena);
}

struct source_shown
source_shown(const struct listing *listing)
{
	const struct lines *reasons = lines_of(listing);
	const struct source *source = reasons != NULL ? reasons->context : listing->context;

	if (listing->fill == fill_line)
		return (struct source_shown){ .path = source->file.path, .line = source->line };
	if (reasons != NULL && source != NULL)
		return (struct source_shown){ .missing = source->file.recorded,
					      .pending = source->pending };
	return (struct source_shown){ 0 };
}
