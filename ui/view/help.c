/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "report/glossary.h"
#include "document/wrap.h"
#include "ui/request/questions.h"
#include "ui/request/requests.h"

/* The help, shown over the views: the keys, or what a word of the field means. */

enum { WIDEST = 76 };		/* columns of a text that is to be read */

static void
fill_keys(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct explorer *explorer = listing->context;
	const unsigned short *entries = explorer->page.entries;
	size_t line = 0;

	(void)columns;
	while (line < index && entries[index - line - 1] == entries[index])
		line++;
	keymap_help_row(entries[index], line, explorer->page.width,
			explorer->help_view.filter[0] != '\0', row);
}

static void
fill_terms(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct glossary_entry *entry = glossary_at(index);

	(void)columns;
	(void)listing;
	row_add(row, ROLE_KEY, " %s", entry->term);
	row_pad(row, 26);
	for (const char *c = entry->also; *c != '\0'; c++)
		row_add(row, ROLE_NORMAL, *c == '|' ? ", " : "%c", *c);
}

static void
fill_text(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct explorer *explorer = listing->context;
	const struct glossary_entry *entry = explorer->page.term;
	const size_t lines = listing->count - 4;

	(void)columns;
	if (index == 0) {
		row_add(row, ROLE_TITLE, " %s", entry->term);
		for (const char *c = entry->also; *c != '\0'; c++)
			row_add(row, ROLE_DIM, c == entry->also ? ", %c" : *c == '|' ? ", " : "%c",
				*c);
	} else if (index >= 2 && index < 2 + lines) {
		row_add(row, ROLE_NORMAL, "   ");
		row_add_text(row, ROLE_NORMAL,
			     wrap_line(text_of(entry->text), explorer->page.width, index - 2));
	} else if (index == listing->count - 1) {
		row_add(row, ROLE_DIM, " :help words lists what else is explained");
	}
}

static void
fill_notes(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct explorer *explorer = listing->context;

	(void)columns;
	notes_fill(&explorer->session.notes.items[index], row);
}

static void
make(struct explorer *explorer)
{
	struct session_view *view = &explorer->help_view;
	struct help_page *page = &explorer->page;
	struct listing *listing = &view->listing;
	const size_t columns = explorer->columns > 8 ? (size_t)explorer->columns - 5 : 4;
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	size_t lines;

	*listing = listing_message("");
	listing->context = explorer;
	listing->count = 0;
	switch (page->kind) {
	case HELP_TERM:
		page->width = columns < WIDEST ? columns : WIDEST;
		listing->fill = fill_text;
		listing->count = 4 + wrap_count(text_of(page->term->text), page->width);
		break;
	case HELP_TERMS:
		listing->fill = fill_terms;
		while (glossary_at(listing->count) != NULL)
			listing->count++;
		break;
	case HELP_NOTES:
		listing->fill = fill_notes;
		listing->count = explorer->session.notes.count;
		break;
	case HELP_KEYS:
		listing->fill = fill_keys;
		page->width = columns + 3;
		for (unsigned short entry = 0;
		     (lines = keymap_help_row(entry, 0, page->width, false, &row)) > 0; entry++) {
			for (; lines > 0 && listing->count < ARRAY_COUNT(page->entries); lines--)
				page->entries[listing->count++] = entry;
			row_clear(&row);
		}
		arena_free(&arena);
		break;
	}
	page->columns = explorer->columns;
	page->number++;
	view->fresh = true;
	session_filter_rows(view, 0);
	if (view->selected >= session_rows(view))
		view->selected = 0;
}

void
help_open(struct explorer *explorer, enum help_kind kind)
{
	struct session_view *view = &explorer->help_view;

	explorer->help = true;
	explorer->page.kind = kind;
	session_set_filter(view, "", false);
	view->selected = view->top = view->left = 0;
	make(explorer);
}

/* Open the help with what a word of the glossary means. False where it is none. */
static bool
open_term(struct explorer *explorer, const char *word)
{
	/* What is shown now may be of the arena, and is not needed any more. */
	arena_reset(&explorer->help_view.arena);
	explorer->page.term = glossary_explain(text_of(word), &explorer->help_view.arena);
	if (explorer->page.term != NULL)
		help_open(explorer, HELP_TERM);
	else
		explorer->page.kind = HELP_KEYS;
	return explorer->page.term != NULL;
}

bool
help_follow(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	const struct session_view *view = &explorer->help_view;
	size_t row;

	if (!session_selected(view, &row))
		return false;
	const struct glossary_entry *entry =
		explorer->page.kind == HELP_TERMS ? glossary_at(row) : NULL;
	const enum request answer = explorer->page.kind == HELP_KEYS
					    ? questions_answer(explorer->page.entries[row])
					    : REQUEST_NONE;
	if (entry != NULL)
		return open_term(explorer, entry->term);
	if (answer != REQUEST_NONE) {
		explorer->help = false;
		requests_do(explorer, answer, "");
		return true;
	}
	if (explorer->page.kind != HELP_NOTES)
		return false;
	explorer->help = false;
	if (!notes_go(session, &session->notes.items[row]))
		session_fail(session, "the noted place no longer exists");
	return true;
}

void
help_fit(struct explorer *explorer)
{
	if (explorer->help &&
	    (explorer->page.columns != explorer->columns || !explorer->help_view.fresh))
		make(explorer);
}

/* What is no term may be part of a command; else the word that was meant is said. */
static void
find_in_help(struct explorer *explorer, const char *word)
{
	const struct text near = glossary_near(text_of(word));

	help_open(explorer, HELP_KEYS);
	requests_search(explorer, word);
	if (!explorer->session.failed)
		return;
	explorer->help = false;
	session_fail(&explorer->session, near.length > 0
					 ? "'%s' is not explained; did you mean '%.*s'?"
					 : "'%s' is not explained; ':help words' lists what is",
		     word, (int)near.length, near.start);
}

void
request_help(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;

	if (call->text[0] == '\0' && explorer->help && explorer->page.kind == HELP_KEYS)
		explorer->help = false;
	else if (call->text[0] == '\0')
		help_open(explorer, HELP_KEYS);
	else if (strcmp(call->text, "words") == 0)
		help_open(explorer, HELP_TERMS);
	else if (!open_term(explorer, call->text))
		find_in_help(explorer, call->text);
}
