/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/view/view.h"

enum part_form { FORM_TEXT, FORM_NUMBER, FORM_ADDRESS, FORM_VIEW, FORM_METHOD };

static const struct {
	const char *name;
	enum part_form form;
} parts[SPOT_COUNT] = {
	[SPOT_THREAD] = { "thread=", FORM_TEXT },
	[SPOT_FRAME] = { "frame=", FORM_NUMBER },
	[SPOT_CALL] = { "call=", FORM_NUMBER },
	[SPOT_METHOD] = { "method=", FORM_METHOD },
	[SPOT_VARIABLE] = { "variable=", FORM_TEXT },
	[SPOT_ATTEMPT] = { "attempt=", FORM_NUMBER },
	[SPOT_TOKEN] = { "token=", FORM_NUMBER },
	[SPOT_EVENT] = { "event=", FORM_NUMBER },
	[SPOT_VIEW] = { "view=", FORM_VIEW },
	[SPOT_STREAM] = { "stream=", FORM_NUMBER },
	[SPOT_RECORD] = { "record=", FORM_NUMBER },
	[SPOT_ADDRESS] = { "address=", FORM_ADDRESS },
	[SPOT_RAW] = { "raw=", FORM_TEXT },
	[SPOT_ROW] = { "row=", FORM_NUMBER },
};

const char *
spot_part(size_t index)
{
	return index < ARRAY_COUNT(parts) ? parts[index].name : NULL;
}

/* Reading -------------------------------------------------------------------------------------- */

/* The parts of a parsed place, and their values. */
struct spot {
	bool has[SPOT_COUNT];
	uint64_t number[SPOT_COUNT];
	char text[SPOT_COUNT][64];
	enum layout_view view;
	enum method_id method;
};

static bool
read_value(struct spot *spot, enum spot_part part)
{
	const char *value = spot->text[part];
	const enum part_form form = parts[part].form;

	if (value[0] == '\0')
		return false;
	if (form == FORM_VIEW)
		return layout_view_named(text_of(value), &spot->view);
	if (form == FORM_METHOD)
		return method_named(value, strlen(value), &spot->method);
	if (form == FORM_TEXT)
		return true;
	return text_number(text_of(value), form == FORM_NUMBER ? 10 : 16, &spot->number[part]) &&
	       (form == FORM_ADDRESS || spot->number[part] < SIZE_MAX);
}

static enum error_code
read_part(struct spot *spot, struct text given, struct error *error)
{
	const char *equals = memchr(given.start, '=', given.length);
	const size_t length = equals != NULL ? (size_t)(equals + 1 - given.start) : given.length;
	const struct text name = { given.start, length };
	unsigned part = 0;

	while (part < SPOT_COUNT && !text_is(name, parts[part].name))
		part++;
	if (part == SPOT_COUNT)
		return error_plain(error, ERROR_FORMAT,
				   "'%.*s' is not a part of a place; expected for example "
				   "'thread=0,frame=1,view=eval,token=5'",
				   (int)given.length, given.start);
	const struct text value = { given.start + length, given.length - length };
	spot->has[part] = true;
	if (value.length < sizeof(spot->text[part])) {
		memcpy(spot->text[part], value.start, value.length);
		if (read_value(spot, (enum spot_part)part))
			return ERROR_NONE;
	}
	return error_plain(error, ERROR_FORMAT, "'%.*s' is not a %s", (int)given.length,
			   given.start,
			   parts[part].form == FORM_ADDRESS  ? "hexadecimal address"
			   : parts[part].form == FORM_VIEW   ? "view"
			   : parts[part].form == FORM_METHOD ? "method"
			   : parts[part].form == FORM_TEXT   ? "place"
							     : "number");
}

static enum error_code
read_spot(const char *text, struct spot *spot, struct error *error)
{
	*spot = (struct spot){ 0 };
	for (;;) {
		const struct text given = { text, strcspn(text, ",") };

		const enum error_code code = read_part(spot, text_trimmed(given), error);

		if (code != ERROR_NONE)
			return code;
		text += given.length;
		if (*text == '\0')
			return ERROR_NONE;
		text++;
	}
}

enum error_code
explorer_check_place(const char *text, struct error *error)
{
	struct spot spot;

	return read_spot(text, &spot, error);
}

/* Going ---------------------------------------------------------------------------------------- */

/* Report a part that the crash lacks, unless one was reported already. Returns false. */
static bool
lacks(struct session *session, const char *format, ...)
{
	if (!session->failed)
		TEXT_FORMAT(session->notice, format);
	session->failed = true;
	return false;
}

static bool
spot_go_to_thread(struct session *session, const struct spot *spot)
{
	const char *name = spot->text[SPOT_THREAD];
	size_t thread;

	if (!spot->has[SPOT_THREAD] || session->open.crash->thread_count == 0)
		return true;
	thread = session_thread_named(session, name);
	if (thread == SIZE_MAX || session->open.crash->threads[thread].wrote_dump)
		return lacks(session, "no thread %s is walked; thread %zu is shown", name,
			     session->look.stack.thread);
	if (thread != session->look.stack.thread)
		session_select_thread(session, thread);
	return true;
}

static bool
spot_go_to_frame(struct session *session, const struct spot *spot)
{
	const uint64_t frame = spot->number[SPOT_FRAME], call = spot->number[SPOT_CALL];
	const struct walk *walk = session_walk(session);

	if (walk == NULL || walk->count == 0)
		return !spot->has[SPOT_FRAME] ||
		       lacks(session, "no frame %" PRIu64 "; the thread has none", frame);
	session_select_frame(session, (size_t)frame, 0);
	if (session->look.stack.frame != frame)
		return lacks(session, "no frame %" PRIu64 "; the outermost one, %zu, is shown",
			     frame, session->look.stack.frame);
	const size_t calls = session_call_count(walk, (size_t)frame);
	if (call >= calls)
		return lacks(session, "no call %" PRIu64 " in frame %" PRIu64 "; it has %zu", call,
			     frame, calls);
	session_select_frame(session, (size_t)frame, (size_t)call);
	return true;
}

static uint32_t
token_of(const struct step_view *step, uint32_t attempt, uint64_t number)
{
	const struct trace *trace = &step->trace;
	uint32_t token = attempt;

	while ((token = trace_next(trace, token, EVENT_TOKEN)) != TRACE_NONE &&
	       token < trace->events[attempt].end)
		if (step_view_token_number(step, token) == number)
			return token;
	return TRACE_NONE;
}

/* The attempt of a place; TRACE_NONE if the step has no such attempt. */
static uint32_t
attempt_of(const struct step_view *step, const struct spot *spot)
{
	uint32_t attempt = TRACE_NONE;

	if (!spot->has[SPOT_ATTEMPT])
		return step_view_taken(step);
	for (uint64_t i = 0; i < spot->number[SPOT_ATTEMPT]; i++)
		if ((attempt = trace_next(&step->trace, attempt, EVENT_ATTEMPT)) == TRACE_NONE)
			break;
	return attempt;
}

static bool
go_to_event(struct session *session, const struct spot *spot)
{
	const struct step_view *step = &session->step.view;
	const uint64_t token = spot->number[SPOT_TOKEN];
	uint64_t event = spot->number[SPOT_EVENT];

	if (spot->has[SPOT_METHOD] && session_frame(session) != NULL)
		session_look_at_method(session, spot->method);
	if (spot->has[SPOT_VARIABLE] &&
	    !session_look_at_variable_named(session, spot->text[SPOT_VARIABLE]))
		return false;
	if (!spot->has[SPOT_TOKEN] && !spot->has[SPOT_ATTEMPT] && !spot->has[SPOT_EVENT])
		return true;
	if (!session->step.exists)
		return lacks(session, "%s", views_why_nothing(session));
	if (!spot->has[SPOT_EVENT]) {
		const uint32_t attempt = attempt_of(step, spot);

		event = attempt != TRACE_NONE && spot->has[SPOT_TOKEN]
				? token_of(step, attempt, token) : attempt;
	}
	if (event >= step->trace.count)
		return lacks(session, "the step from frame %zu has no such %s; its beginning is "
				      "shown", session->look.stack.frame,
			     spot->has[SPOT_EVENT]   ? "event"
			     : spot->has[SPOT_TOKEN] ? "token"
						     : "attempt");
	session_select_event(session, (uint32_t)event);
	return true;
}

/* Show the stream or record of a place in the view of the dump. */
static bool
go_to_stream(struct session *session, const struct spot *spot)
{
	const uint64_t stream = spot->number[SPOT_STREAM];

	if (!spot->has[SPOT_STREAM])
		return true;
	if (stream >= session->open.crash->stream_count)
		return lacks(session, "no stream %" PRIu64 "; the dump has %zu", stream,
			     session->open.crash->stream_count);
	session->look.details = (struct session_details){
		.stream = (size_t)stream,
		.record = spot->has[SPOT_RECORD] ? (size_t)spot->number[SPOT_RECORD] : SIZE_MAX,
	};
	return true;
}

static bool
go_to_view(struct session *session, const struct spot *spot)
{
	const bool stepped = spot->has[SPOT_TOKEN] || spot->has[SPOT_EVENT] ||
			     spot->has[SPOT_ATTEMPT] || spot->has[SPOT_METHOD] ||
			     spot->has[SPOT_VARIABLE];
	const struct view_ops *ops = spot->has[SPOT_VIEW] ? views_ops(spot->view) : NULL;

	if (spot->has[SPOT_RAW] && !session_goto(session, spot->text[SPOT_RAW]))
		return lacks(session, "'%s' not found", spot->text[SPOT_RAW]);
	if (spot->has[SPOT_ADDRESS] && ops != NULL && ops->show_address != NULL)
		ops->show_address(session, spot->number[SPOT_ADDRESS]);
	else if (spot->has[SPOT_ADDRESS])
		session_follow(session,
			       &TARGET(TARGET_MEMORY, .address = spot->number[SPOT_ADDRESS]));
	if (spot->has[SPOT_VIEW])
		session_focus(session, spot->view);
	else if (stepped)
		session_focus(session, LAYOUT_EVALUATION);
	return true;
}

static bool
go_to_row(struct session *session, const struct spot *spot)
{
	const enum layout_view focus = session->look.choice.focus;
	const struct session_view *view = session_view(session, focus);
	const uint64_t row = spot->number[SPOT_ROW];

	if (!spot->has[SPOT_ROW])
		return true;
	if (row == 0 || row > view->listing.count)
		return lacks(session, "no row %" PRIu64 " in '%s'; it has %zu", row,
			     layout_view_name(focus), view->listing.count);
	session_select_row(session, focus, session_shown_row(view, (size_t)row - 1));
	return true;
}

void
spot_select_thread(struct session *session, const char *text)
{
	struct spot spot;

	if (read_spot(text, &spot, NULL) == ERROR_NONE)
		spot_go_to_thread(session, &spot);
	session->failed = false;
}

void
spot_go(struct session *session, const char *text)
{
	struct spot spot;
	struct error error = { 0 };

	session->failed = false;
	if (read_spot(text, &spot, &error) != ERROR_NONE) {
		session_fail(session, "%s", error.text);
		return;
	}
	/* If one part is missing, the parts that depend on it are ignored. */
	const bool placed = spot_go_to_thread(session, &spot) &&
			    spot_go_to_frame(session, &spot) && go_to_event(session, &spot);
	if (go_to_stream(session, &spot) && go_to_view(session, &spot) && placed)
		go_to_row(session, &spot);
}

/* Writing -------------------------------------------------------------------------------------- */

struct spot_text {
	char *buffer;
	size_t size, used;
};

void
spot_add(struct spot_text *text, enum spot_part part, const char *format, ...)
{
	char value[64];

	TEXT_FORMAT(value, format);
	const size_t left = text->size - text->used;
	const int length = snprintf(text->buffer + text->used, left, "%s%s%s",
				    text->used > 0 ? "," : "", parts[part].name, value);
	if ((size_t)length < left)
		text->used += (size_t)length;
	else
		text->buffer[text->used] = '\0';
}

/* Add the position of the cursor in the step. */
static void
add_event(const struct session *session, struct spot_text *text)
{
	const struct step_view *step = &session->step.view;
	char name[64];

	if (session->step.by != METHOD_COUNT)
		spot_add(text, SPOT_METHOD, "%s",
			 method_option(session->step.by, name, sizeof(name)));
	if (session->step.of_variable)
		spot_add(text, SPOT_VARIABLE, "%s", step->variable->name);
	if (!session->step.exists || step->cursor == 0 || step->cursor >= step->trace.count)
		return;
	const size_t token = step_view_token_number(step, step->cursor);
	const uint32_t attempt = step_view_attempt(step);
	if (token != 0 && attempt != step_view_taken(step))
		spot_add(text, SPOT_ATTEMPT, "%zu", step_view_attempt_number(step, attempt));
	if (token != 0)
		spot_add(text, SPOT_TOKEN, "%zu", token);
	else
		spot_add(text, SPOT_EVENT, "%" PRIu32, step->cursor);
}

/* Add the view; add its state and its row only if other parts do not imply them. */
static void
add_view(struct session *session, struct spot_text *text)
{
	const enum layout_view focus = session->look.choice.focus;
	const struct session_view *view = session_view(session, focus);
	const struct view_ops *ops = views_ops(focus);
	size_t row;

	spot_add(text, SPOT_VIEW, "%s", layout_view_name(focus));
	const bool follows = ops->spot != NULL && ops->spot(session, text);
	const size_t usual = view->row == SIZE_MAX || ops->own_row ? 0 : view->row;
	if (!follows && session_selected(view, &row) && row != usual)
		spot_add(text, SPOT_ROW, "%zu", row + 1);
}

void
spot_write(struct session *session, char *buffer, size_t size)
{
	struct spot_text text = { .buffer = buffer, .size = size };

	buffer[0] = '\0';
	if (session->open.crash->thread_count > 0)
		spot_add(&text, SPOT_THREAD, "%zu", session->look.stack.thread);
	if (session_frame(session) != NULL)
		spot_add(&text, SPOT_FRAME, "%zu", session->look.stack.frame);
	if (session->look.call != 0)
		spot_add(&text, SPOT_CALL, "%zu", session->look.call);
	add_event(session, &text);
	add_view(session, &text);
}
