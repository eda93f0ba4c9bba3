/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "report/glossary.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/* The help, shown over the views: the keys, a term of the glossary, or the questions. */

enum { MOST_BLANKS = 3 };	/* limit on blanks between two columns of a row */
enum { WIDEST = 76 };		/* columns of running text */
enum { QUESTION_COLUMNS = 22 };	/* columns of a question, next to its views */

static void
add_names(struct row *row, enum role role, const char *names)
{
	for (; *names != '\0'; names++)
		row_add(row, role, *names == '|' ? ", " : "%c", *names);
}

static void
fill_terms(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct glossary_entry *entry = glossary_at(index);

	(void)columns;
	(void)listing;
	row_add(row, ROLE_KEY, " %s", entry->term);
	row_add(row, ROLE_NORMAL, "  ");
	row_pad(row, 26);
	add_names(row, ROLE_NORMAL, entry->also);
}

/* Write a line of word `entry`. The entry after the last word is a hint at more help. */
static size_t
write_word(const struct help_page *page, size_t entry, size_t line, struct row *row)
{
	const struct glossary_entry *word = &page->words[entry];

	if (entry == page->word_count && line == 0)
		row_add(row, ROLE_DIM, " :help words lists what else is explained");
	if (entry >= page->word_count)
		return entry == page->word_count;
	const size_t lines = row_wrap_count(text_of(word->text), page->width);
	if (word->term[0] == '\0') {
		row_add(row, ROLE_NORMAL, " ");
		row_add_text(row, ROLE_DIM, row_wrap_line(text_of(word->text), page->width, line));
		return lines + 1;
	}
	if (line == 0) {
		row_add(row, ROLE_TITLE, " %s", word->term);
		row_add(row, ROLE_DIM, word->also[0] != '\0' ? ", " : "");
		add_names(row, ROLE_DIM, word->also);
	} else if (line <= lines) {
		row_add(row, ROLE_NORMAL, "   ");
		row_add_text(row, ROLE_NORMAL,
			     row_wrap_line(text_of(word->text), page->width, line - 1));
	}
	return lines + 2;
}

/* Write a line of an entry of the page. Returns the entry's number of lines; 0: no such entry. */
static size_t
write_entry(const struct explorer *explorer, size_t entry, size_t line, bool again, struct row *row)
{
	const struct help_page *page = &explorer->help.page;

	return page->kind == HELP_KEYS ? keymap_help_row(entry, line, page->width, again, row)
				       : write_word(page, entry, line, row);
}

static void
help_fill_entry(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct explorer *explorer = listing->context;
	const struct help_page *page = &explorer->help.page;
	size_t line = 0;

	(void)columns;
	while (line < index && page->entries[index - line - 1] == page->entries[index])
		line++;
	write_entry(explorer, page->entries[index], line, explorer->help.view.filter[0] != '\0',
		    row);
}

/* A row of the list of dumps: number and path. '*' marks the open dump. */
static void
fill_dumps(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct explorer_options *options =
		((const struct explorer *)listing->context)->session.open.options;

	(void)columns;
	row_add(row, ROLE_KEY, "%s%4zu ", index == options->dump ? "*" : " ", index + 1);
	row_add_text(row, ROLE_NORMAL, text_of(options->dumps[index]));
}

void
request_dumps(const struct request_call *call)
{
	help_open(call->explorer, HELP_DUMPS);
	call->explorer->help.view.selected = call->session->open.options->dump;
}

/* Add the rows of a page whose entries have several lines. */
static void
add_entries(const struct explorer *explorer, struct help_page *page, struct listing *listing)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	size_t lines;

	listing->fill = help_fill_entry;
	for (unsigned short entry = 0;
	     (lines = write_entry(explorer, entry, 0, false, &row)) > 0; entry++) {
		row_clear(&row);
		for (; lines > 0 && listing->count < ARRAY_COUNT(page->entries); lines--)
			page->entries[listing->count++] = entry;
	}
	arena_free(&arena);
}

/* A row of the map of views: question, view, key, contents. */
static void
fill_views(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const char *question, *above = NULL;

	(void)listing;
	if (index > 0)
		questions_view(index - 1, &above);
	const enum layout_view view = questions_view(index, &question);
	const struct text key = keymap_view_key(view);
	if (question != above)
		row_add(row, ROLE_TITLE, " %s", question != NULL ? question : "other");
	row_pad(row, QUESTION_COLUMNS);
	row_add_text(row, ROLE_KEY, key);
	row_pad(row, QUESTION_COLUMNS + 3);
	row_add(row, ROLE_NORMAL, "%s", layout_view_name(view));
	row_pad(row, QUESTION_COLUMNS + 16);
	row_add(row, ROLE_DIM, "%s", keymap_row_of(keymap_view_request(view))->help);
	if (columns != 0)
		row_cut_sentence(row, columns);
}

static void
make(struct explorer *explorer)
{
	struct session_view *view = &explorer->help.view;
	struct help_page *page = &explorer->help.page;
	struct listing *listing = &view->listing;
	const size_t columns = explorer->columns > 8 ? (size_t)explorer->columns - 5 : 4;

	*listing = listing_message("");
	listing->context = explorer;
	listing->count = 0;
	switch (page->kind) {
	case HELP_WORDS:
		page->width = columns < WIDEST ? columns : WIDEST;
		add_entries(explorer, page, listing);
		break;
	case HELP_TERMS:
		listing->fill = fill_terms;
		while (glossary_at(listing->count) != NULL)
			listing->count++;
		break;
	case HELP_NOTES:
		*listing = notes_listing(&explorer->session.kept.notes);
		break;
	case HELP_DUMPS:
		listing->fill = fill_dumps;
		listing->count = explorer->session.open.options->dump_count;
		break;
	case HELP_VIEWS:
		listing->fill = fill_views;
		listing->count = LAYOUT_VIEW_COUNT;
		break;
	case HELP_KEYS:
		page->width = columns + 3;
		add_entries(explorer, page, listing);
		break;
	}
	page->columns = explorer->columns;
	page->number++;
	view->fresh = true;
	if (view->filter[0] != '\0')
		session_filter_rows(view, 0);
	if (view->selected >= session_rows(view))
		view->selected = 0;
}

void
help_open(struct explorer *explorer, enum help_kind kind)
{
	struct session_view *view = &explorer->help.view;
	const char *question;

	explorer->help.shown = true;
	explorer->help.page.kind = kind;
	session_set_filter(view, "", false);
	view->selected = view->top = view->left = 0;
	make(explorer);
	if (kind != HELP_VIEWS)
		return;
	while (questions_view(view->selected, &question) != explorer->session.look.choice.focus)
		view->selected++;
}

/* Forget the words of the page; new ones are allocated in its arena. */
static void
begin_words(struct explorer *explorer)
{
	arena_reset(&explorer->help.view.arena);
	explorer->help.page.word_count = 0;
}

static void
open_term(struct explorer *explorer, const struct glossary_entry *entry)
{
	explorer->help.page.words[explorer->help.page.word_count++] = *entry;
	help_open(explorer, HELP_WORDS);
}

/* Add the explanations of the words in a view's text, each once. */
static void
add_words(struct explorer *explorer, struct text text, const char *where)
{
	struct help_page *page = &explorer->help.page;
	struct arena *arena = &explorer->help.view.arena;
	struct glossary_hit hit;
	const char *view = layout_view_name(explorer->session.look.choice.focus);
	size_t at = 0;

	while (page->word_count < ARRAY_COUNT(page->words) &&
	       glossary_next(text, view, &at, &hit)) {
		const char *word = text_copy(arena, hit.word);
		bool there = word == NULL;

		for (size_t i = 0; i < page->word_count; i++)
			there = there || page->words[i].text == hit.text;
		if (there)
			continue;
		const char *also =
			hit.term == NULL || text_is(hit.word, hit.term) ? where : hit.term;
		page->words[page->word_count++] = (struct glossary_entry){ word, also, hit.text };
	}
}

/* Add a sentence about the row's register: whether calls preserve it. */
static void
add_register(struct explorer *explorer)
{
	const struct row_subject subject = views_subject(&explorer->session);
	const struct walk *walk = session_walk(&explorer->session);
	struct help_page *page = &explorer->help.page;

	if (subject.kind != SUBJECT_REGISTER || walk == NULL || subject.reg == walk->arch->pc ||
	    subject.reg == walk->arch->sp || subject.reg < 0 ||
	    subject.reg >= walk->arch->register_count)
		return;
	const struct arch_register *reg = &walk->arch->registers[subject.reg];
	const struct glossary_entry *entry =
		glossary_find(text_of(reg->callee_saved ? "callee-saved" : "caller-saved"), false);
	page->words[page->word_count++] =
		(struct glossary_entry){ reg->label, entry->term, entry->text };
}

/* Add a row in full, with few blanks between its columns. */
static void
add_whole(struct explorer *explorer, const struct row *row)
{
	char *copy = arena_copy(&explorer->help.view.arena, row_text(row), row->length);
	size_t used = 0, blanks = MOST_BLANKS;

	for (const char *c = copy; c != NULL && *c != '\0'; c++) {
		blanks = *c == ' ' ? blanks + 1 : 0;
		if (blanks <= MOST_BLANKS)
			copy[used++] = *c;
	}
	if (used == 0)
		return;
	copy[used] = '\0';
	explorer->help.page.words[explorer->help.page.word_count++] =
		(struct glossary_entry){ "", "", copy };
}

void
request_words(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	const enum layout_view focus = session->look.choice.focus;
	const struct session_view *view = session_view(session, focus);
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena), below = ROW_IN(&arena);

	if (call->text[0] != '\0') {
		request_help(call);
		return;
	}
	begin_words(explorer);
	if (session_rows(view) > 0)
		session_fill_row(view, view->selected, 0, &row);
	session_explain(session, focus, &below);
	/* If one of the two texts contains the other, show only the longer one. */
	const char *words = row_text(&row) + strspn(row_text(&row), " ");
	if (row_text(&below)[0] == '\0' || strstr(row_text(&below), words) == NULL)
		add_whole(explorer, &row);
	if (strstr(row_text(&row), row_text(&below)) == NULL)
		add_whole(explorer, &below);
	const size_t whole = explorer->help.page.word_count;
	/* Words in source code are not terms of the glossary. */
	const bool ours = !views_ops(focus)->edits_source;
	if (ours && session_rows(view) > 0) {
		add_register(explorer);
		add_words(explorer, text_of(row_text(&row)), "");
	}
	row_clear(&row);
	if (ours && view->listing.head != NULL) {
		listing_head(&view->listing, 0, &row);
		add_words(explorer, text_of(row_text(&row)), "above the rows");
	}
	row_clear(&row);
	views_title(session, focus, &row);
	add_words(explorer, text_of(row_text(&row)), "in the title");
	arena_free(&arena);
	if (explorer->help.page.word_count == 0) {
		session_say(session,
			    "no word here is explained; ':help words' lists the words that are");
		return;
	}
	help_open(explorer, HELP_WORDS);
	for (size_t i = 0; i < explorer->help.view.listing.count; i++)
		explorer->help.view.selected += explorer->help.page.entries[i] < whole;
}

void
help_follow(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	const struct session_view *view = &explorer->help.view;
	const char *question;
	char number[24];
	size_t row;

	if (!session_selected(view, &row))
		return;
	const struct glossary_entry *entry =
		explorer->help.page.kind == HELP_TERMS ? glossary_at(row) : NULL;
	const enum request answer = explorer->help.page.kind == HELP_KEYS
					    ? questions_answer(explorer->help.page.entries[row])
					    : REQUEST_NONE;
	if (entry != NULL) {
		begin_words(explorer);
		open_term(explorer, entry);
	} else if (answer != REQUEST_NONE) {
		explorer->help.shown = false;
		requests_do(explorer, answer, "");
	} else if (explorer->help.page.kind == HELP_VIEWS) {
		explorer->help.shown = false;
		session_focus(session, questions_view(row, &question));
	} else if (explorer->help.page.kind == HELP_DUMPS) {
		snprintf(number, sizeof(number), "%zu", row + 1);
		explorer->help.shown = false;
		requests_do(explorer, REQUEST_DUMP, number);
	} else if (explorer->help.page.kind == HELP_NOTES) {
		explorer->help.shown = false;
		if (!notes_go(session, &session->kept.notes.items[row]))
			session_fail(session, "the noted place no longer exists");
	}
}

void
help_fit(struct explorer *explorer)
{
	if (explorer->help.shown &&
	    (explorer->help.page.columns != explorer->columns || !explorer->help.view.fresh))
		make(explorer);
}

/* Search the help for a text that is not a term or command; if it is not found, suggest a term. */
static void
find_in_help(struct explorer *explorer, const char *word)
{
	const struct text near = glossary_near(text_of(word));

	help_open(explorer, HELP_KEYS);
	requests_search(explorer, word);
	/* Search to the last row, even if the machine is slow. */
	while (explorer->search.active)
		requests_work(explorer);
	if (!explorer->session.failed)
		return;
	explorer->help.shown = false;
	session_fail(&explorer->session,
		     near.length > 0
			     ? "'%s' is not explained; did you mean '%.*s'?"
			     : "'%s' is not explained; ':help words' lists the words that are",
		     word, (int)near.length, near.start);
}

/* Explain a word: a complete name takes precedence over a prefix. */
static void
explain_word(struct explorer *explorer, const char *word)
{
	const struct glossary_entry *entry;
	size_t command;

	begin_words(explorer);
	entry = glossary_explain(text_of(word), &explorer->help.view.arena);
	if (entry == NULL && keymap_help_entry(text_of(word), &command)) {
		struct help_page *page = &explorer->help.page;
		size_t row = 0;

		help_open(explorer, HELP_KEYS);
		while (row + 1 < explorer->help.view.listing.count && page->entries[row] != command)
			row++;
		requests_select(explorer, row);
		return;
	}
	entry = entry != NULL ? entry : glossary_find(text_of(word), true);
	if (entry != NULL)
		open_term(explorer, entry);
	else
		find_in_help(explorer, word);
}

void
request_help(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;

	if (call->text[0] == '\0' && explorer->help.shown && explorer->help.page.kind == HELP_KEYS)
		explorer->help.shown = false;
	else if (call->text[0] == '\0')
		help_open(explorer, HELP_KEYS);
	else if (strcmp(call->text, "words") == 0)
		help_open(explorer, HELP_TERMS);
	else
		explain_word(explorer, call->text);
}
