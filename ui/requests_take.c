/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "ui/clip.h"
#include "ui/editor.h"
#include "ui/requests.h"
#include "ui/term.h"
#include "ui/views.h"

/* Taking away: copies, the editor, files. */

static void
say_copied(struct explorer *explorer, enum clip_result result)
{
	static const char *const words[] = {
		[CLIP_COMMAND] = "copied",
		[CLIP_SENT] = "copied to the terminal's clipboard",
		[CLIP_KEPT] = "this terminal takes no copies; kept inside the program",
	};

	session_say(&explorer->session, "%s", words[result]);
}

void
request_copy(struct explorer *explorer, const char *arguments, int line)
{
	struct session_view *view = requests_view(explorer);
	struct arena arena;
	struct row text, why;

	(void)arguments;
	if (session_rows(view) == 0)
		return;
	size_t row = session_listing_row(view, view->selected);
	arena_init(&arena, 0);
	row_init(&text, &arena);
	row_init(&why, &arena);
	view->listing.fill(&view->listing, row, 0, &text);
	view->listing.explain(&view->listing, row, &why);
	const char *all = line ? arena_format(&arena, "%s   %s", row_text(&text), row_text(&why))
			       : row_text(&text);
	if (all != NULL)
		say_copied(explorer, clip_copy(text_of(all), NULL, CLIP_AUTO));
	arena_free(&arena);
}

void
request_edit(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	char path[4096];
	uint32_t line;

	(void)arguments;
	(void)value;
	if (!views_source_path(session, path, sizeof(path), &line)) {
		session_say(session, "there is no source file to edit here");
		return;
	}
	struct error error = { 0 };
	if (editor_open(path, line, NULL, &error) != ERROR_NONE)
		session_say(session, "%s", error.text);
}

void
request_write(struct explorer *explorer, const char *arguments, int value)
{
	struct session_view *view = requests_view(explorer);
	struct arena arena;
	struct row row;

	(void)value;
	FILE *file = arguments[0] != '\0' ? fopen(arguments, "wx") : NULL;
	if (file == NULL) {
		session_say(&explorer->session, "'%s' can't be written (or is there already)",
			    arguments);
		return;
	}
	arena_init(&arena, 0);
	row_init(&row, &arena);
	size_t count = session_rows(view);
	for (size_t i = 0; i < count; i++) {
		row_clear(&row);
		view->listing.fill(&view->listing, session_listing_row(view, i), 0, &row);
		fprintf(file, "%s\n", row_text(&row));
	}
	arena_free(&arena);
	bool good = fclose(file) == 0;
	session_say(&explorer->session,
		    good ? "%zu rows written to %s" : "%zu rows, but %s is not whole", count,
		    arguments);
}

void
request_save_screen(struct explorer *explorer, const char *arguments, int value)
{
	static const char option[] = "--attributes ";
	bool attributes = strncmp(arguments, option, strlen(option)) == 0;
	struct error error = { 0 };

	(void)value;
	if (term_save(attributes ? arguments + strlen(option) : arguments, attributes, &error) !=
	    ERROR_NONE)
		session_say(&explorer->session, "%s", error.text);
}
