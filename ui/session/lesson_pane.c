/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lesson/course.h"
#include "lesson/progress.h"
#include "ui/request/requests.h"
#include "ui/terminal/prompt.h"
#include "ui/view/view.h"

/* Columns of a card without a screen. */
#define PLAIN_COLUMNS 78u
/* Column where the meaning of an option begins. */
#define OPTION_COLUMN 14

#define NO_LESSON "no lesson is open; :lesson list has those of the course"
#define NO_TASK "this card has no task; , is the next card"
#define PASSED "the task is passed; , is the next card"

/* The lesson --- */

static bool
is_open(const struct session *session)
{
	return session->lesson != NULL && session->lesson->run.states != NULL;
}

static const struct lesson_card *
card_of(const struct session *session)
{
	return is_open(session) ? lesson_run_card(&session->lesson->run) : NULL;
}

static bool
is_task(const struct lesson_card *card)
{
	return card != NULL && card->task.text[0] != '\0';
}

/* Run the commands of a card. Only a failure is shown. */
static void
obey(struct explorer *explorer, const struct lesson_text *text)
{
	struct session *session = &explorer->session;
	char line[256], failure[sizeof(session->notice)] = "";
	const char *commands = text->text;
	struct text command;

	explorer->depth++;
	explorer->asker = &text->place;
	while ((command = lesson_next_command(&commands)).length > 0) {
		snprintf(line, sizeof(line), "%.*s", (int)command.length, command.start);
		requests_command(explorer, line);
		if (session->failed)
			memcpy(failure, session->notice, sizeof(failure));
	}
	explorer->asker = NULL;
	explorer->depth--;
	session->failed = failure[0] != '\0';
	memcpy(session->notice, failure, sizeof(failure));
}

/* The selection as an answer: the edits, a frame, a register, a word of memory, a record. */
static const char *
selected_answer(struct session *session, struct arena *arena)
{
	const enum lesson_check_kind kind = card_of(session)->check.kind;
	const struct row_subject subject = views_subject(session);
	const struct target target =
		session_selected_target(session_view(session, session->look.choice.focus));
	struct place place;

	if (kind == LESSON_CHECK_WALK && edits_overlay(session) != NULL)
		return check_walk_commands(edits_overlay(session), session_walk(session), arena);
	if (kind == LESSON_CHECK_SET && target.kind == TARGET_FRAME)
		return text_or_empty(arena_format(arena, "%zu", target.frame));
	if (kind == LESSON_CHECK_SET && subject.kind == SUBJECT_REGISTER && subject.reg >= 0)
		return session_walk(session)->arch->registers[subject.reg].label;
	if ((kind == LESSON_CHECK_PLACE || kind == LESSON_CHECK_SET) &&
		subject.kind == SUBJECT_WORD)
		return text_or_empty(arena_format(arena, "0x%" PRIx64, subject.address));
	if (kind != LESSON_CHECK_PLACE || views_symbol_place(session, &place) == NULL)
		return "";
	return text_or_empty(
		arena_format(arena, "%s:%" PRIu32, place_base_name(place.input->name), place.line));
}

/*
 * Whether the learner has not moved: frame, event and address are those with which the card
 * began, and the row is the one that the view selects for them.
 */
static bool
is_unmoved(struct session *session)
{
	const struct lesson_pane *pane = session->lesson;
	const struct session_view *view = session_view(session, session->look.choice.focus);
	const enum target_kind kind = session_selected_target(view).kind;
	size_t row;

	if (session->look.stack.frame != pane->frame ||
		session->look.memory.address != pane->address ||
		session->step.view.cursor != pane->event)
		return false;
	return kind == TARGET_FRAME || kind == TARGET_EVENT ||
		(session_selected(view, &row) && row == view->row);
}

/* The edits as an answer, or the selection, if the learner has moved it. */
static const char *
offered_answer(struct session *session, struct arena *arena)
{
	return card_of(session)->check.kind == LESSON_CHECK_WALK || !is_unmoved(session)
		? selected_answer(session, arena) : "";
}

/* Add a note to the card. Refusals, and without a pane all notes, also go to the status line. */
static void
note(struct explorer *explorer, enum lesson_note_kind kind, const char *text)
{
	struct session *session = &explorer->session;
	struct lesson_pane *pane = session->lesson;
	struct lesson_note *added =
		ARENA_PUSH(&pane->arena, pane->notes, pane->note_count, pane->note_capacity);

	text = text_or_empty(text);
	if (added != NULL)
		*added = (struct lesson_note){
			text_or_empty(arena_string(&pane->arena, text)), kind
		};
	session->look.views[LAYOUT_LESSON].fresh = false;
	if (kind == LESSON_NOTE_REFUSAL)
		session_fail(session, "%s", text);
	else if (explorer->print.plain || !layout_shows(&explorer->layout, LAYOUT_LESSON))
		session_say(session, "%s", text);
}

/* Remove the reply to the previous answer, so that the question stays visible. */
static void
forget_reply(struct lesson_pane *pane)
{
	size_t kept = 0;

	for (size_t i = 0; i < pane->note_count; i++)
		if (pane->notes[i].kind == LESSON_NOTE_HINT)
			pane->notes[kept++] = pane->notes[i];
	pane->note_count = kept;
}

/* Go to the place of the current card. */
static void
enter(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct lesson_pane *pane = session->lesson;
	const struct lesson_card *card = card_of(session);

	pane->note_count = 0;
	/* A card with a place starts there, and hides only the values that it names. */
	if (card != NULL && card->at.text[0] != '\0') {
		explorer->depth++;
		requests_command(explorer, "set blind off");
		explorer->depth--;
		obey(explorer, &card->at);
	}
	session->look.views[LAYOUT_LESSON].fresh = false;
	session->look.views[LAYOUT_LESSON].selected = session->look.views[LAYOUT_LESSON].top = 0;
	for (size_t i = 0; card != NULL && i < lesson_run_state(&pane->run)->hints; i++)
		note(explorer, LESSON_NOTE_HINT, lesson_run_fill(&pane->run, &card->hints[i]));
	pane->frame = session->look.stack.frame;
	pane->event = session->step.view.cursor;
	pane->address = session->look.memory.address;
	if (explorer->print.plain)
		session_focus(session, LAYOUT_LESSON);
}

enum error_code
lesson_pane_open(struct explorer *explorer, const char *directory, struct error *error)
{
	struct session *session = &explorer->session;
	struct lesson_pane *pane = arena_alloc(&session->arena, sizeof(*pane));
	const struct walk *walk = session_walk(session);

	if (pane == NULL)
		return error_memory(error);
	session->lesson = pane;
	const enum error_code code = lesson_read(&pane->lesson, directory, error);
	if (code != ERROR_NONE)
		return code;
	if (walk == NULL)
		return error_plain(error, ERROR_NOT_FOUND, "%s",
				 views_why_nothing(session));
	if (!lesson_scene_open(&pane->scene, &session->look.addresses.around, &session->policy,
			       walk->thread) ||
	    !lesson_run_open(&pane->run, &pane->lesson, &pane->scene))
		return error_memory(error);
	/* A generated script (`script_text`) runs from the lesson's beginning, without progress. */
	if (session->open.options->script_text == NULL)
		pane->progress = progress_path(&pane->arena);
	if (pane->progress != NULL)
		progress_resume(pane->progress, &pane->run);
	session->look.choice.lesson = true;
	enter(explorer);
	if (lesson_run_passed(&pane->run) > 0)
		session_say(session,
			"%zu of %zu tasks passed before; :lesson back shows the cards "
			"before, 'unspool lesson --reset %s' begins anew",
			lesson_run_passed(&pane->run), lesson_task_count(&pane->lesson),
			pane->lesson.name);
	return ERROR_NONE;
}

void
lesson_pane_close(struct explorer *explorer)
{
	struct lesson_pane *pane = explorer->session.lesson;

	if (pane == NULL)
		return;
	lesson_run_close(&pane->run);
	lesson_scene_close(&pane->scene);
	lesson_free(&pane->lesson);
	arena_free(&pane->arena);
	explorer->session.lesson = NULL;
	explorer->session.look.choice.lesson = false;
}

/* The view --- */

struct lesson_row {
	enum role role;
	size_t indent;
	size_t lesson; /* number of a lesson in the list; 0: none */
	struct text text;
};

struct lesson_rows {
	const struct lesson_card *card;	/* NULL: the lesson is over */
	struct lesson_row *rows;
	size_t count, capacity;
	size_t columns;
	size_t lesson; /* number of the lesson whose rows are being added; 0: none */
	const char *how;		/* possible actions on the card */
	struct arena *arena;
};

/* Add a text as rows. NULL (out of memory) adds none. */
static void
add_rows(struct lesson_rows *rows, enum role role, size_t indent, const char *text)
{
	struct text line;

	for (size_t i = 0;
	     text != NULL && operand_filled_line(text, rows->columns - indent, i, &line); i++)
		ARENA_ADD(rows->arena, rows->rows, rows->count, rows->capacity,
			  &(struct lesson_row){ role, indent, rows->lesson, text_trimmed(line) });
}

/* The next glossary term that the card marks in `text`; if none, an empty text at its end. */
static struct text
next_word(const struct lesson_card *card, struct text text)
{
	struct text found = { text.start + text.length, 0 };
	struct lesson_text rest = card != NULL ? card->say : (struct lesson_text){ .text = "" };
	struct lesson_piece piece;

	while (lesson_next_piece(&rest, &piece)) {
		if (piece.kind != LESSON_WORD || piece.text.length == 0)
			continue;
		const char *where =
			memmem(text.start, text.length, piece.text.start, piece.text.length);
		if (where != NULL && where < found.start)
			found = (struct text){ where, piece.text.length };
	}
	return found;
}

static void
lesson_pane_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct lesson_rows *rows = listing->context;
	const struct lesson_row *at = &rows->rows[index];
	struct text rest = at->text;

	(void)columns;
	row_pad(row, at->indent);
	while (at->role == ROLE_NORMAL && rest.length > 0) {
		const struct text word = next_word(rows->card, rest);
		const size_t before = (size_t)(word.start - rest.start);

		row_add_text(row, ROLE_NORMAL, (struct text){ rest.start, before });
		row_add_text(row, ROLE_TITLE, word);
		rest.start += before + word.length;
		rest.length -= before + word.length;
	}
	row_add_text(row, at->role, rest);
}

static void
lesson_pane_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct lesson_rows *rows = listing->context;

	(void)index;
	row_add(row, ROLE_NORMAL, "%s", rows->how);
}

/* The course in the directory that the open lesson's directory is in; else the installed course. */
static enum error_code
read_course(const struct session *session, struct course *course, struct error *error)
{
	struct arena arena = { 0 };
	enum error_code code = ERROR_IO;

	const char *parent = !is_open(session) ? NULL
		: arena_format(&arena, "%s/..", session->lesson->lesson.directory);
	if (parent != NULL)
		code = course_read(course, parent, error);
	arena_free(&arena);
	if (code != ERROR_IO)
		return code;
	arena_free(&course->arena);
	*error = (struct error){ 0 };
	return course_read_installed(course, error);
}

static void
add_course(const struct session *session, struct lesson_rows *rows)
{
	struct course course = { 0 };
	struct progress progress = { 0 };
	struct error error = { 0 };

	const char *path = progress_path(rows->arena);
	if (path != NULL)
		progress_read(&progress, path, &error);
	if (read_course(session, &course, &error) != ERROR_NONE)
		add_rows(rows, ROLE_BAD, 0, arena_format(rows->arena, "%s", error.text));
	for (size_t i = 0; i < course.lesson_count; i++) {
		const struct course_lesson *one = &course.lessons[i];
		struct lesson lesson;

		if (i == 0 || one->track != one[-1].track)
			add_rows(rows, ROLE_TITLE, 0,
				 arena_format(rows->arena, "%s", course.tracks[one->track].title));
		const enum error_code code = lesson_read(&lesson, one->directory, &error);
		rows->lesson = i + 1;
		add_rows(rows, ROLE_NORMAL, 1,
			arena_format(rows->arena, "%2zu %s: %s%s", i + 1, one->name,
				code == ERROR_NONE ? lesson.title.text : error.text,
				progress_summary(&progress, &lesson, rows->arena)));
		rows->lesson = 0;
		lesson_free(&lesson);
	}
	arena_free(&progress.arena);
	arena_free(&course.arena);
}

/* Add the word of a choice, and its meaning in a column of its own. */
static void
add_option(struct lesson_rows *rows, const struct lesson_option *option)
{
	const size_t length = strlen(option->word.text), first = rows->count;
	const size_t column = 2 + (length > OPTION_COLUMN ? length : OPTION_COLUMN);

	if (rows->columns <= column)
		return;
	add_rows(rows, ROLE_NORMAL, column, option->meaning.text);
	if (first == rows->count)
		return;
	struct lesson_row *row = &rows->rows[first];
	const char *line = arena_format(rows->arena, "%-*s%.*s", (int)column - 1,
		option->word.text, (int)row->text.length, row->text.start);
	*row = (struct lesson_row){ row->role, 1, row->lesson, text_of(text_or_empty(line)) };
}

static void
add_card(struct session *session, struct lesson_rows *rows)
{
	const struct lesson_pane *pane = session->lesson;
	const struct lesson_card *card = rows->card;
	struct lesson_scene shown = pane->scene;
	struct walk *walk = session->look.stack.walks[shown.walk->thread];

	/* Values of the crash that blind mode hides are "(?)". */
	if (session->blind != BLIND_OFF && walk != NULL)
		shown.walk = walk;
	if (is_task(card))
		rows->how = text_or_empty(arena_format(rows->arena, "P answers: %s",
						       lesson_pane_how(session)));
	else
		rows->how = card != NULL ? ", is the next card" : "";
	if (card == NULL)
		add_rows(rows, ROLE_NORMAL, 0,
			arena_format(rows->arena,
				"The lesson is over: %zu of %zu tasks passed. "
				", opens the next one, :lesson list has all.",
				lesson_run_passed(&pane->run), lesson_task_count(&pane->lesson)));
	else
		add_rows(rows, ROLE_NORMAL, 0, operand_fill(&card->say, &shown, rows->arena));
	for (size_t i = 0; card != NULL && i < card->option_count; i++)
		add_option(rows, &card->options[i]);
	for (size_t i = 0; i < pane->note_count; i++)
		add_rows(rows, pane->notes[i].kind != LESSON_NOTE_REFUSAL ? ROLE_CHANGED
									: ROLE_BAD, 0,
			 pane->notes[i].text);
}

static struct listing
make_lesson(struct session *session, struct session_view *view)
{
	struct lesson_rows *rows = arena_alloc(&view->arena, sizeof(*rows));

	if (!is_open(session) && !session->look.lists_lessons)
		return listing_message(NO_LESSON);
	if (rows == NULL)
		return listing_out_of_memory();
	*rows = (struct lesson_rows){
		.card = card_of(session),
		.arena = &view->arena,
		.columns = view->columns > 2 ? view->columns - 1 : PLAIN_COLUMNS,
		.how = "Enter opens the lesson",
	};
	if (session->look.lists_lessons)
		add_course(session, rows);
	else
		add_card(session, rows);
	if (!session->look.lists_lessons && session->lesson->note_count > 0)
		view->row = rows->count - 1;
	return (struct listing){ .count = rows->count,
				 .fill = lesson_pane_fill_row,
				 .explain = lesson_pane_explain_row,
				 .context = rows };
}

static void
title_lesson(struct session *session, struct row *row)
{
	const struct lesson_pane *pane = session->lesson;
	const struct lesson_card *card = card_of(session);

	if (card == NULL || session->look.lists_lessons)
		return;
	if (is_task(card) && !lesson_run_state(&pane->run)->passed)
		row_add(row, ROLE_KEY, "P answer  ; hint  ");
	else
		row_add(row, ROLE_KEY, "%s, next  ", is_task(card) ? "passed  " : "");
	row_add(row, ROLE_NORMAL, "%zu/%zu", pane->run.card + 1, pane->lesson.card_count);
}

/* Enter shows the next card, or opens the lesson of a row of the list. */
static bool
offer_lesson(struct session *session, char *line, size_t size)
{
	const struct session_view *view = session_view(session, LAYOUT_LESSON);
	size_t row;

	if (listing_is_message(&view->listing) || !session_selected(view, &row))
		return false;
	const struct lesson_rows *rows = view->listing.context;
	if (!session->look.lists_lessons)
		snprintf(line, size, "lesson next");
	else
		snprintf(line, size, "lesson %zu", rows->rows[row].lesson);
	return !session->look.lists_lessons || rows->rows[row].lesson != 0;
}

const struct view_ops view_LESSON = {
	.make = make_lesson,
	.title = title_lesson,
	.wraps = true,
	.offer = offer_lesson,
	.runs = true,
};

/* Requests --- */

const char *
lesson_pane_how(const struct session *session)
{
	return is_task(card_of(session)) ? lesson_run_how(&session->lesson->run) : NULL;
}

bool
lesson_pane_ask(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct arena arena = { 0 };

	if (!is_open(session))
		return false;
	if (!is_task(card_of(session)) || lesson_run_state(&session->lesson->run)->passed) {
		session_fail(session, "%s", is_task(card_of(session)) ? PASSED : NO_TASK);
		return true;
	}
	const char *offered = offered_answer(session, &arena);
	if (explorer->print.plain) {
		session_say(session, "'answer TEXT': %s%s%s", lesson_pane_how(session),
			offered[0] != '\0' ? "; selected: " : "", offered);
	} else {
		requests_open_prompt(explorer, PROMPT_COMMAND, "answer ");
		prompt_offer(offered);
	}
	arena_free(&arena);
	return true;
}

/* Make the edits of an accepted answer the edits of the session, and show both walks. */
static void
adopt(struct session *session, const char *answer)
{
	const struct overlay *overlay = NULL;
	struct arena arena = { 0 };
	struct error error = { 0 };
	struct walk *walk = NULL;

	if (check_walk_edited(&session->lesson->scene, text_of(answer), &arena, &walk, &overlay,
		    &error) == ERROR_NONE &&
		overlay != NULL)
		edits_replace(session, overlay->edits, overlay->count);
	walk_free(walk);
	arena_free(&arena);
	session_focus(session, LAYOUT_WALKS);
}

/* Save the last answer or hint. */
static void
keep(struct explorer *explorer, bool passed)
{
	struct lesson_pane *pane = explorer->session.lesson;
	struct error error = { 0 };

	if (pane->progress == NULL ||
		progress_add(pane->progress, &pane->run, passed, &error) == ERROR_NONE)
		return;
	pane->progress = NULL;
	note(explorer, LESSON_NOTE_REFUSAL, error.text);
}

/* Show the value of a passed task. */
static void
pass(const struct request_call *call, const struct lesson_reply *reply)
{
	struct session *session = call->session;
	const struct lesson_card *card = card_of(session);
	char value[32];

	snprintf(value, sizeof(value), "0x%" PRIx64, reply->value);
	/*
	 * Do not reveal the step after every task. After a task about a value, the next task may
	 * ask for its rule. The answer to a choice may be the name of a hidden function.
	 */
	if (card->check.kind > LESSON_CHECK_VALUE && card->check.kind < LESSON_CHECK_PLACE)
		session_blind_reach(session, reply->valued ? value : call->text);
	if (card->check.kind == LESSON_CHECK_WALK && call->text[0] != '\0')
		adopt(session, call->text);
	obey(call->explorer, &card->after);
}

void
request_answer(const struct request_call *call)
{
	struct session *session = call->session;
	struct arena arena = { 0 };

	if (!is_task(card_of(session))) {
		session_fail(session, "%s", is_open(session) ? NO_TASK : NO_LESSON);
		return;
	}
	struct lesson_run *run = &session->lesson->run;
	const bool before = lesson_run_state(run)->passed;
	const char *text = call->text[0] != '\0' ? call->text : offered_answer(session, &arena);
	const struct lesson_reply reply = lesson_run_answer(run, text_of(text));
	const bool right = reply.result == CHECK_RIGHT;
	/* The commands after the task may overwrite the texts of the card. */
	const char *said = lesson_run_say(run, &reply, "; gives a hint");
	said = text_or_empty(arena_string(&arena, said));
	forget_reply(session->lesson);
	if (reply.result <= CHECK_WRONG)
		keep(call->explorer, right && !before);
	if (right && !before)
		pass(call, &reply);
	note(call->explorer, right ? LESSON_NOTE_PRAISE : LESSON_NOTE_REFUSAL, said);
	arena_free(&arena);
}

/* Go to another card and reset the count of its answers. */
static void
go(const struct request_call *call, size_t card)
{
	lesson_run_go(&call->session->lesson->run, card);
	enter(call->explorer);
}

/* Open the lesson `word` with its own crash. NULL: the lesson after the current one. */
static void
open_other(const struct request_call *call, const char *word)
{
	const struct explorer_options *options = call->session->open.options;
	struct course course = { 0 };
	struct error error = { 0 };
	const struct course_lesson *found = NULL;

	if (read_course(call->session, &course, &error) == ERROR_NONE)
		found = course_find(
			&course, word != NULL ? word : call->session->lesson->lesson.name, &error);
	if (found != NULL && word == NULL)
		found = found + 1 < course.lessons + course.lesson_count ? found + 1 : NULL;
	if (found == NULL)
		session_fail(call->session, "%s",
			error.code != ERROR_NONE ? error.text
						 : "this is the last lesson of the course");
	else if (options->next_lesson == NULL)
		session_fail(call->session,
			"'%s' has a crash of its own: 'unspool lesson %s' opens it", found->name,
			found->name);
	else {
		snprintf(options->next_lesson, options->next_lesson_size, "%s", found->directory);
		call->explorer->quit = true;
	}
	arena_free(&course.arena);
}

void
request_lesson(const struct request_call *call)
{
	struct session *session = call->session;
	struct lesson_pane *pane = session->lesson;
	const char *hint;

	if (call->text[0] != '\0') {
		open_other(call, call->text);
		return;
	}
	const bool lists = call->value == LESSON_LIST;

	if (!is_open(session) && !lists) {
		session_fail(session, NO_LESSON);
		return;
	}
	session->look.lists_lessons = lists;
	if (lists)
		session->look.views[LAYOUT_LESSON].selected = 0;
	session->look.views[LAYOUT_LESSON].fresh = false;
	switch ((enum lesson_request)call->value) {
	case LESSON_LIST:
	case LESSON_SHOW:
		session_focus(session, LAYOUT_LESSON);
		break;
	case LESSON_NEXT:
		if (is_task(card_of(session)) && !lesson_run_state(&pane->run)->passed)
			session_fail(session, "the task is not passed: P answers, ; gives a hint, "
					      ":lesson skip leaves it");
		else if (card_of(session) != NULL)
			go(call, pane->run.card + 1);
		else
			open_other(call, NULL);
		break;
	case LESSON_SKIP:
		if (is_task(card_of(session)) && !lesson_run_state(&pane->run)->passed)
			obey(call->explorer, &card_of(session)->after);
		go(call, pane->run.card + 1);
		break;
	case LESSON_BACK:
		go(call, pane->run.card > 0 ? pane->run.card - 1 : 0);
		break;
	case LESSON_AGAIN:
		go(call, pane->run.card);
		break;
	case LESSON_SHOWS:
		if (card_of(session) != NULL)
			obey(call->explorer, &card_of(session)->shows);
		break;
	case LESSON_HINT:
		hint = is_task(card_of(session)) ? lesson_run_hint(&pane->run) : NULL;
		if (hint != NULL) {
			note(call->explorer, LESSON_NOTE_HINT, hint);
			keep(call->explorer, false);
		} else {
			session_fail(session, "%s", is_task(card_of(session))
							    ? "this card has no further hint"
							    : NO_TASK);
		}
		break;
	}
}
