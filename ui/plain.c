/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "ui/view/view.h"

/*
 * The explorer without a screen: it reads commands and prints the rows that they show.
 *
 * It serves screen readers, Emacs and pipes. A command that goes to a view prints its rows, with
 * '>' before the selected one. A move within a view prints the row reached. The last line describes
 * that row and names the bytes it comes from. An empty line repeats the last step.
 */

enum {
	COLUMNS = 80,		/* size of an imaginary screen, for moves by pages */
	ROWS = 24,
};

#define NO_ROW " no row matches the filter\n"

/* The place before a command, to see the effect of the command. */
struct before {
	unsigned clock;
	size_t thread, frame;
	uint64_t page;			/* number of the page of help */
};

struct plain {
	struct explorer *explorer;
	const struct output *output;
	struct arena arena;
	struct row row;
};

static void
print_row(struct plain *plain, const char *before)
{
	output_plain(plain->output, before);
	row_write(plain->output, &plain->row);
}

static void
print_listed(struct plain *plain, struct session_view *view, size_t index)
{
	session_fill_row(view, index, 0, &plain->row);
	if (!plain->explorer->help.shown)
		notes_add(&plain->explorer->session, view, index, 0, &plain->row);
	print_row(plain, index == view->selected ? ">" : " ");
}

static void
print_title(struct plain *plain, struct session_view *view)
{
	struct explorer *explorer = plain->explorer;
	const enum layout_view focus = explorer->session.look.choice.focus;

	row_clear(&plain->row);
	if (explorer->help.shown) {
		row_add(&plain->row, ROLE_TITLE, "[help]");
	} else {
		row_add(&plain->row, ROLE_TITLE, "[%s] ", layout_view_name(focus));
		views_title(&explorer->session, focus, &plain->row);
	}
	if (view->filter[0] != '\0') {
		row_add(&plain->row, ROLE_CHANGED, "  filter: ");
		row_add_text(&plain->row, ROLE_CHANGED, text_of(view->filter));
	}
	print_row(plain, "");
	if (view->listing.head == NULL)
		return;
	listing_head(&view->listing, 0, &plain->row);
	print_row(plain, " ");
}

static void
print_view(struct plain *plain)
{
	struct explorer *explorer = plain->explorer;
	struct session_view *view = requests_view(explorer);
	const size_t rows = session_rows(view);
	size_t most = explorer->print.rows != 0 ? explorer->print.rows : explorer->print.view_rows;
	size_t first = 0;

	most = most == 0 || most > rows ? rows : most;
	/* The rows printed contain the selected one. */
	if (explorer->print.from != 0)
		first = explorer->print.from < rows ? explorer->print.from : rows;
	else if (view->selected >= most || views_ops(explorer->session.look.choice.focus)->centered)
		first = view->selected > most / 2 ? view->selected - most / 2 : 0;
	if (explorer->print.from == 0 && first + most > rows)
		first = rows - most;
	const size_t end = rows - first < most ? rows : first + most;
	print_title(plain, view);
	for (size_t i = first; i < end; i++)
		print_listed(plain, view, i);
	if (view->listing.foot != NULL) {
		view->listing.foot(&view->listing, &plain->row);
		print_row(plain, " ");
	}
	if (rows == 0)
		output_plain(plain->output, NO_ROW);
	else if (first > 0 || end < rows)
		output_format(plain->output, "rows %zu to %zu of %zu%s\n", first + 1, end, rows,
			      end < rows ? "; 'more' prints the next" : "");
	explorer->print.rows = explorer->print.from = 0;
	explorer->print.to = end < rows ? end : 0;
}

static void
print_notice(struct plain *plain)
{
	row_clear(&plain->row);
	row_add_text(&plain->row, ROLE_NOTE, text_of(plain->explorer->session.notice));
	if (plain->row.length != 0)
		print_row(plain, "");
}

/* Print the description of the selected row and the source of its bytes. */
static void
print_status(struct plain *plain, enum layout_view which)
{
	row_clear(&plain->row);
	session_explain(&plain->explorer->session, which, &plain->row);
	if (plain->row.length != 0)
		print_row(plain, "");
}

/* Begin a command; the state before it shows its effect. */
static struct before
begin(struct explorer *explorer)
{
	const struct session *session = &explorer->session;
	const struct before before = { session->look.choice.clock, session->look.stack.thread,
				       session->look.stack.frame, explorer->help.page.number };

	explorer->keys.stepped = false;
	explorer->print.done = false;
	return before;
}

/* Run a typed line: a command, a search, or a key's name if no command matches. */
static void
obey_line(struct plain *plain, const char *line)
{
	struct explorer *explorer = plain->explorer;
	const char *arguments;
	enum request request = keymap_command(line, &arguments);
	int first, second;
	const bool keys = binding_parse(line, &first, &second);

	if (line[0] == '\0')
		requests_command(explorer, "repeat");
	else if (line[0] == '/' || line[0] == '&')
		requests_typed_line(explorer, line[0] == '/' ? PROMPT_FIND : PROMPT_FILTER,
				    line + 1);
	else if ((request != REQUEST_NONE && request != REQUEST_AMBIGUOUS) || !keys ||
		 line[0] == ':' || (second != TERM_KEY_NONE && !binding_is_prefix(first, ~0u)))
		requests_command(explorer, line);
	else {
		requests_key(explorer, first);
		if (second != TERM_KEY_NONE)
			requests_key(explorer, second);
	}
}

/*
 * Finish the work of a command and print its result: the view that was opened, else the row that
 * was reached.
 */
static void
finish(struct plain *plain, struct before before, const struct loop_client *client)
{
	struct explorer *explorer = plain->explorer;
	struct session *session = &explorer->session;
	const bool stepped = explorer->keys.stepped;

	loop_settle(explorer->loop, client);
	const bool went = session->look.stack.thread != before.thread ||
			  session->look.stack.frame != before.frame || explorer->print.frame;
	const enum layout_view focus = session->look.choice.focus;
	explorer->print.frame = false;
	explorer->layout = layout_compute(COLUMNS, ROWS, &session->look.choice);
	if (explorer->prompt.open || explorer->quit || explorer->print.done)
		return;
	explorer->print.help = explorer->help.shown;
	if (explorer->help.shown) {
		struct session_view *page = &explorer->help.view;

		if (explorer->help.page.number != before.page || explorer->print.from != 0)
			print_view(plain);
		else if (session_rows(page) > 0)
			print_listed(plain, page, page->selected);
		explorer->help.shown = false;
	} else if (session->look.choice.clock != before.clock && !stepped) {
		print_view(plain);
		print_status(plain, focus);
	} else if (session->notice[0] == '\0') {
		struct session_view *view = session_view(session, went ? LAYOUT_STACK : focus);

		if (session_rows(view) > 0) {
			print_listed(plain, view, view->selected);
			print_status(plain, went ? LAYOUT_STACK : focus);
		} else {
			output_plain(plain->output, NO_ROW);
		}
	}
	print_notice(plain);
}

static void
take_step(struct plain *plain, const struct script_step *step, const struct loop_client *client)
{
	struct explorer *explorer = plain->explorer;
	const struct before before = begin(explorer);

	if (explorer->play.on)
		play_take(explorer, step);
	else
		loop_take(client, step);
	finish(plain, before, client);
	client->stepped(explorer, step);
}

/* Run the lines of a play. Prints each line before its result, except `say` lines. */
static void
run_play(struct plain *plain, const struct loop_client *client)
{
	struct explorer *explorer = plain->explorer;
	struct play *play = &explorer->play;
	const struct script_step *step;

	play->running = true;
	while (play->on && !explorer->quit && (step = script_next(&play->script)) != NULL) {
		row_clear(&plain->row);
		row_add(&plain->row, ROLE_TITLE, "[play %zu of %zu] ", play->script.next,
			play->script.count);
		row_add_text(&plain->row, ROLE_TITLE, text_of(step->source));
		if (play->says[play->script.next - 1] == NULL)
			print_row(plain, "");
		take_step(plain, step, client);
	}
	play_close(explorer);
}

/* Close the prompt of a command without its words, or of a key. */
static void
say_usage(struct explorer *explorer, const char *line)
{
	const char *command = line + strspn(line, " :"), *tried = keymap_tried(command), *words;
	const enum request request = keymap_command(tried, &words);
	const bool known = request != REQUEST_NONE && request != REQUEST_AMBIGUOUS;

	prompt_key(&(struct term_event){ .key = TERM_KEY_CONTROL('c') });
	session_say(&explorer->session, known ? "usage: :%s" : "type the command of the key '%s'",
		    known ? keymap_row_of(request)->command : line);
	explorer->session.failed = tried == command;
}

static void
run_lines(struct plain *plain, const struct loop_client *client)
{
	struct explorer *explorer = plain->explorer;
	const bool terminal = isatty(STDIN_FILENO);
	char label[64];

	while (!explorer->quit) {
		const struct session *session = &explorer->session;
		char *line = NULL;
		size_t size = 0;

		snprintf(label, sizeof(label), "thread %zu frame %zu> ", session->look.stack.thread,
			 session->look.stack.frame);
		/* A program may wait for the answer before it sends the next line. */
		fflush(stdout);
		if (terminal) {
			line = prompt_ask(label);
		} else if (getline(&line, &size, stdin) < 0) {
			free(line);
			line = NULL;
		}
		if (line == NULL)
			break;
		line[strcspn(line, "\r\n")] = '\0';
		const struct before before = begin(explorer);
		/* Close an open prompt: only scripts type into prompts. */
		prompt_key(&(struct term_event){ .key = TERM_KEY_CONTROL('c') });
		obey_line(plain, line);
		if (explorer->prompt.open)
			say_usage(explorer, line);
		free(line);
		finish(plain, before, client);
		if (!terminal)
			client->stepped(explorer, NULL);
		run_play(plain, client);
	}
}

void
plain_run(struct explorer *explorer, struct script *script, const struct loop_client *client)
{
	struct plain plain = { .explorer = explorer,
			       .output = explorer->session.open.options->output };
	const struct script_step *step;

	row_init(&plain.row, &plain.arena);
	plain.row.names = plain.output->names;
	explorer->print.plain = true;
	explorer->columns = COLUMNS;
	explorer->rows = ROWS;
	loop_settle(explorer->loop, client);
	session_header(&explorer->session, 0, &plain.row);
	print_row(&plain, "");
	explorer->layout = layout_compute(COLUMNS, ROWS, &explorer->session.look.choice);
	print_view(&plain);
	print_status(&plain, explorer->session.look.choice.focus);
	print_notice(&plain);
	if (explorer->play.on) {
		run_play(&plain, client);
	} else if (script == NULL) {
		run_lines(&plain, client);
	} else {
		while (!explorer->quit && (step = script_next(script)) != NULL) {
			take_step(&plain, step, client);
			run_play(&plain, client);
		}
	}
	arena_free(&plain.arena);
}
