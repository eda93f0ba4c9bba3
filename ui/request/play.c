/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/output.h"
#include "ui/request/requests.h"

enum {
	CARD_COLUMNS = 100,	/* largest width of a card's lines, for easy reading */
	MARGIN = 2,		/* columns at either side */
	VIEW_ROWS = 12,		/* rows that a card leaves for the views and edges, if possible */
	LONGEST_PAUSE = 3600,	/* seconds */
};

/* Opening -------------------------------------------------------------------------------------- */

/* The request of a step and its arguments; REQUEST_NONE: not a command. */
static enum request
request_of(const struct script_step *step, const char **arguments)
{
	*arguments = "";
	return step->kind == SCRIPT_COMMAND ? keymap_command(step->text, arguments) : REQUEST_NONE;
}

static bool
read_says(struct play *play)
{
	const struct script *script = &play->script;
	const char *text;

	play->says = arena_array(&play->arena, script->count + 1, sizeof(*play->says));
	for (size_t i = 0; play->says != NULL && i < script->count; i++) {
		if (request_of(&script->steps[i], &text) != REQUEST_SAY)
			continue;
		play->says[i] = text_printable_copy(&play->arena, text_trimmed(text_of(text)));
		if (play->says[i] == NULL)
			return false;
	}
	return play->says != NULL;
}

enum error_code
play_open(struct explorer *explorer, const char *path, struct error *error)
{
	struct play *play = &explorer->play;
	enum error_code code;

	*play = (struct play){ .asked = REQUEST_PLAY_NEXT };
	code = script_open(&play->script, path, error);
	if (code == ERROR_NONE && !read_says(play))
		code = error_memory(error);
	play->theme = explorer->settings.theme;
	play->mouse = explorer->settings.mouse;
	play->redact = explorer->settings.redact;
	play->rows_printed = explorer->print.view_rows;
	play->changes = explorer->next.changes != NULL ? ftell(explorer->next.changes) : 0;
	play->on = code == ERROR_NONE;
	return code;
}

void
play_close(struct explorer *explorer)
{
	const bool played = explorer->play.on;

	/* Make the user's next key independent of an unfinished line or key pair of the script. */
	if (played) {
		prompt_key(&(struct term_event){ .key = TERM_KEY_CONTROL('c') });
		explorer->keys.pair = 0;
		explorer->keys.prefix = REQUEST_NONE;
	}
	script_close(&explorer->play.script);
	arena_free(&explorer->play.arena);
	explorer->play = (struct play){ 0 };
}

void
play_begin(struct explorer *explorer)
{
	const struct play *play = &explorer->play;

	explorer->settings.theme = play->theme;
	term_theme(play->theme);
	if (explorer->settings.mouse != play->mouse)
		explorer->settings.mouse = term_mouse(play->mouse);
	explorer->print.view_rows = play->rows_printed;
	explorer->keys.last_step = explorer->keys.prefix = REQUEST_NONE;
	explorer->keys.pair = 0;
	explorer->prompt.open = false;
	explorer->print.said[0] = '\0';
	row_search_set(explorer, "");
}

/* Going ---------------------------------------------------------------------------------------- */

/*
 * Whether step `index` continues the card of the previous step: both are `say`, on adjacent lines.
 */
static bool
continues(const struct play *play, size_t index)
{
	return index > 0 && index < play->script.count && play->says[index] != NULL &&
	       play->says[index - 1] != NULL &&
	       play->script.steps[index].line == play->script.steps[index - 1].line + 1;
}

/* Whether a play that continues to the next card stops after a step. */
static bool
stops_after(const struct play *play, size_t index)
{
	const char *text;

	return play->says[index] != NULL ||
	       request_of(&play->script.steps[index], &text) == REQUEST_PAUSE;
}

/* Open a new session and run it up to step `to`. */
static void
rewind_to(struct explorer *explorer, size_t to)
{
	struct play *play = &explorer->play;
	FILE *changes = explorer->next.changes;

	/* Forget changes that the play's own lines recorded for later sessions. */
	if (changes != NULL && fseek(changes, play->changes, SEEK_SET) == 0) {
		fputc('\0', changes);
		fseek(changes, play->changes, SEEK_SET);
	}
	play->next = 0;
	play->target = play->repeated = to;
	play->ran = false;
	explorer->settings.redact = play->redact;
	explorer->next.afresh = explorer->next.again = explorer->quit = true;
}

/* A card: its `say` steps and its rows on the screen. */
struct play_card {
	size_t first, end;
	size_t rows;		/* rows of the card; 0: no card */
};

/* The card shown before step `next` runs. */
static struct play_card
card_at(const struct play *play, size_t next, size_t columns)
{
	struct play_card card = { 0 };
	size_t at = next;

	while (at > 0 && play->says[at - 1] == NULL)
		at--;
	if (at == 0)
		return card;
	card.first = card.end = at;
	do
		card.first--;
	while (continues(play, card.first));
	for (size_t i = card.first; i < card.end; i++)
		card.rows += row_wrap_count(text_of(play->says[i]), columns);
	/* An empty `say` removes the card. */
	return card.end == card.first + 1 && play->says[card.first][0] == '\0'
		       ? (struct play_card){ 0 } : card;
}

static size_t
card_columns(size_t columns)
{
	columns = columns > 2 * MARGIN + 1 ? columns - 2 * MARGIN : 1;
	return columns < CARD_COLUMNS ? columns : CARD_COLUMNS;
}

/* The number of parts of the shown card on this screen. */
static size_t
parts_of(const struct play *play)
{
	const struct play_card card = card_at(play, play->next, card_columns(play->columns));
	const size_t room = play->taken > 1 ? play->taken - 1 : 1;

	return card.rows <= room ? 1 : (card.rows + room - 1) / room;
}

void
request_play_move(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct play *play = &explorer->play;
	const size_t count = play->script.count;
	const bool back = call->value == -1;
	size_t to = play->next;

	if (!play->on) {
		session_fail(call->session, "no script is being played; :play FILE plays one");
		return;
	}
	play->until = 0;
	if (!back && play->part + 1 < parts_of(play)) {
		play->part++;
	} else if (back && play->part > 0) {
		play->part--;
	} else if (!back && play->target >= count) {
		session_say(call->session, "this is the end; S goes back, q leaves you here");
	} else if (back && to == 0) {
		session_say(call->session, "this is the beginning");
	} else if (!back) {
		play->asked = call->request;
		play->part = 0;
		to = play->target;
		do
			for (to++; continues(play, to);)
				to++;
		while (call->request != REQUEST_PLAY_NEXT && to < count &&
		       (call->request == REQUEST_PLAY_LAST || !stops_after(play, to - 1)));
		play->target = to;
	} else {
		do
			to--;
		while (to > 0 && (continues(play, to) || call->request == REQUEST_PLAY_FIRST));
		play->part = 0;
		rewind_to(explorer, to);
	}
}

void
request_play_stop(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct play *play = &explorer->play;

	if (!play->on) {
		session_fail(call->session, "no script is being played; :play FILE plays one");
		return;
	}
	session_say(call->session, "the play ended before step %zu of %zu; you are in the explorer",
		    play->next + 1, play->script.count);
	if (play->next == play->script.count)
		session_say(call->session, "the play is over; you are in the explorer");
	play_close(explorer);
}

void
request_play(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;
	struct error error = { 0 };
	char unsaved[64];

	requests_say_unsaved(explorer, unsaved, sizeof(unsaved));
	if (call->text[0] == '\0') {
		session_fail(call->session, "usage: :play FILE");
	} else if (explorer->record != NULL) {
		session_fail(call->session, "a session that is recorded cannot play another one");
	} else if (!explorer->print.plain && explorer->state == NULL && unsaved[0] != '\0') {
		session_fail(call->session,
			     "%s would be lost, because a play restarts the session", unsaved);
	} else if (play_open(explorer, call->text, &error) != ERROR_NONE) {
		if (error.place.line != 0)
			session_fail(call->session, "%s:%" PRIu32 ": %s", call->text,
				     error.place.line, error.text);
		else
			session_fail(call->session, "no script from '%s': %s", call->text,
				     error.text);
		/* The error's place refers to the script's input. */
		play_close(explorer);
	} else if (!explorer->print.plain) {
		rewind_to(explorer, 0);
	} else if (explorer->state != NULL) {
		/* Save the state once; on a screen the end of this session does that. */
		state_write(call->session, explorer->state, true);
		explorer->state = NULL;
	}
}

/* Running -------------------------------------------------------------------------------------- */

/* Check the result of the last line once its work is done. */
static void
look_at_result(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct play *play = &explorer->play;
	const struct script_step *step = &play->script.steps[play->next - 1];
	char told[sizeof(session->notice)];

	play->ran = false;
	if (!session->failed || step->kind != SCRIPT_COMMAND)
		return;
	memcpy(told, session->notice, sizeof(told));
	session_say(session, "%s:%u: %s", place_base_name(play->script.input.name), step->line,
		    told);
	if (play->next > play->repeated)
		play->target = play->next;
	play->until = 0;
}

bool
play_is_due(const struct explorer *explorer)
{
	const struct play *play = &explorer->play;

	return play->on && !explorer->quit && !explorer->print.plain &&
	       (play->ran || play->next < play->target);
}

void
play_take(struct explorer *explorer, const struct script_step *step)
{
	const struct place place = { .input = &explorer->play.script.input, .line = step->line };

	explorer->asker = &place;
	loop_take(explorer->client, step);
	explorer->asker = NULL;
}

bool
play_work(struct explorer *explorer)
{
	struct play *play = &explorer->play;

	if (!play_is_due(explorer))
		return false;
	if (play->ran)
		look_at_result(explorer);
	if (play->next >= play->target)
		return false;
	const struct script_step *step = &play->script.steps[play->next++];
	/* The effect of a line may depend on the layout, so arrange the screen first. */
	paint_arrange(explorer);
	play->running = play->ran = true;
	/* A terminal cannot be resized; a headless screen can. */
	if (step->kind != SCRIPT_KEY || step->key != TERM_KEY_RESIZE ||
	    explorer->loop->script != NULL)
		play_take(explorer, step);
	play->running = false;
	return true;
}

bool
play_tick(struct explorer *explorer)
{
	struct play *play = &explorer->play;

	if (!play->on || play->until == 0 || clock_milliseconds() < play->until)
		return false;
	play->until = 0;
	requests_do(explorer, play->asked, "");
	return true;
}

bool
play_takes_key(struct explorer *explorer, const struct term_event *event)
{
	struct session *session = &explorer->session;
	const struct binding *binding;
	char name[KEY_NAME_SIZE];

	if (!explorer->play.on || explorer->play.running)
		return false;
	if (event->key > TERM_KEY_LAST && event->key < TERM_KEY_PASTE)
		return false;
	binding = binding_find(event->key, 0, KEYMAP_PLAY);
	session->notice[0] = '\0';
	session->failed = false;
	if (binding != NULL)
		requests_do(explorer, binding->request, binding->arguments);
	else if (event->key < TERM_KEY_LAST)
		session_say(session,
			    "'%s' does nothing while a script is played; q ends it",
			    key_label(event->key, name));
	return true;
}

/* During a play the card is shown by play_fill; otherwise print or report the text. */
void
request_say(const struct request_call *call)
{
	const struct explorer_options *options = call->session->open.options;

	if (call->explorer->play.on && !call->explorer->print.plain)
		return;
	if (options->output == NULL || (!call->explorer->print.plain && options->script == NULL)) {
		session_say(call->session, "%s", call->text);
		return;
	}
	struct arena arena = { 0 };
	output_format(options->output, "%s\n",
		      text_or_empty(text_printable_copy(&arena, text_of(call->text))));
	arena_free(&arena);
	call->explorer->print.done = true;
}

/* Only a play on a screen waits. */
void
request_pause(const struct request_call *call)
{
	struct play *play = &call->explorer->play;
	uint64_t seconds = 0;

	if (call->text[0] != '\0' &&
	    (!text_number(text_of(call->text), 10, &seconds) || seconds > LONGEST_PAUSE))
		session_fail(call->session, "'%s' is not a number of seconds up to %d", call->text,
			     LONGEST_PAUSE);
	else if (call->text[0] != '\0' && play->running && play->next == play->target)
		play->until = clock_milliseconds() + (int64_t)seconds * 1000;
	call->explorer->print.done = !call->session->failed;
}

/* Showing -------------------------------------------------------------------------------------- */

int
play_rows(struct explorer *explorer, int columns, int rows)
{
	struct play *play = &explorer->play;
	const size_t room = rows > VIEW_ROWS + 2 ? (size_t)(rows - VIEW_ROWS) : 2;
	size_t most = 0;

	if (!play->on)
		return 0;
	/* All cards get the same height, so that the views do not jump. */
	if (play->columns != (size_t)columns) {
		play->columns = (size_t)columns;
		for (size_t i = 1; i <= play->script.count; i++) {
			if (play->says[i - 1] == NULL || continues(play, i))
				continue;
			const struct play_card card = card_at(play, i, card_columns(play->columns));
			most = card.rows > most ? card.rows : most;
		}
		play->rows = most + 1;
		play->part = 0;
	}
	play->taken = play->rows < room ? play->rows : room;
	if (rows - (int)play->taken < LAYOUT_LEAST_ROWS)
		play->taken = 0;
	return (int)play->taken;
}

static void
add_step(const struct play *play, size_t index, struct row *row)
{
	if (play->says[index] != NULL)
		row_add(row, ROLE_NORMAL, "a card");
	else
		row_add_cut(row, ROLE_NORMAL, 32, false, text_of(play->script.steps[index].source));
}

static void
fill_title(struct explorer *explorer, size_t columns, struct row *row)
{
	const struct play *play = &explorer->play;
	const size_t parts = parts_of(play);

	row_add(row, ROLE_TITLE, "[play] ");
	row_add_cut(row, ROLE_NORMAL, columns / 3, true,
		    text_of(place_base_name(play->script.input.name)));
	row_add(row, ROLE_NORMAL, "  %zu of %zu", play->next, play->script.count);
	if (play->next > 0) {
		row_add(row, ROLE_NORMAL, ": ");
		add_step(play, play->next - 1, row);
	}
	if (parts > 1)
		row_add(row, ROLE_NOTE, "  part %zu of %zu", play->part + 1, parts);
	row_add(row, ROLE_KEY, play->next < play->script.count ? "  next: " : "  the end");
	if (play->next < play->script.count)
		add_step(play, play->next, row);
	row_cut(row, columns);
}

void
play_fill(struct explorer *explorer, size_t index, size_t columns, struct row *row)
{
	const struct play *play = &explorer->play;
	const size_t width = card_columns(play->columns);
	const struct play_card card = card_at(play, play->next, width);

	if (index == 0) {
		fill_title(explorer, columns, row);
		return;
	}
	index += play->part * (play->taken - 1) - 1;
	for (size_t i = card.first; i < card.end; i++) {
		const struct text text = text_of(play->says[i]);
		const size_t lines = row_wrap_count(text, width);

		if (index < lines) {
			row_pad(row, MARGIN);
			row_add_text(row, ROLE_NORMAL, row_wrap_line(text, width, index));
			return;
		}
		index -= lines;
	}
}
