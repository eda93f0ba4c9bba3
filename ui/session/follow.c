/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "inspect/reading.h"
#include "report/report.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"
#include "walk/location.h"

/* Navigation: targets of Enter and :goto, marks, and the trail back. */

struct session_spot
session_here(const struct session *session)
{
	struct session_spot here = {
		.there = true,
		.thread = session->look.stack.thread,
		.frame = session->look.stack.frame,
		.call = session->look.call,
		.by = session->step.by,
		.of_variable = session->step.of_variable,
		.variable = session->step.variable,
		.cursor = session->step.exists ? session->step.view.cursor : 0,
		.view = session->look.choice.focus,
		.row = session->look.views[session->look.choice.focus].selected,
		.raw = session->look.raw.place,
		.details = session->look.details,
		.elsewhere = session->look.addresses.elsewhere,
		.code = session->look.addresses.code,
		.memory = session->look.memory.address,
	};

	memcpy(here.used, session->look.choice.used, sizeof(here.used));
	return here;
}

static void
go_to(struct session *session, const struct session_spot *spot)
{
	if (spot->thread != session->look.stack.thread)
		session_select_thread(session, spot->thread);
	session_select_frame(session, spot->frame, spot->call);
	if (spot->by != METHOD_COUNT)
		session_look_at_method(session, spot->by);
	if (spot->of_variable)
		session_look_at_variable(session, spot->variable);
	session_select_event(session, spot->cursor);
	/* A place from an earlier session has no bytes for the raw view. */
	if (spot->raw.input != NULL)
		session->look.raw.place = spot->raw;
	session->look.details = spot->details;
	session->look.addresses.elsewhere = spot->elsewhere;
	session->look.addresses.code = spot->code;
	session->look.memory.address = spot->memory;
	/* A slot with several views shows the view that it showed when the place was stored. */
	if (spot->used[spot->view] != 0)
		memcpy(session->look.choice.used, spot->used, sizeof(spot->used));
	layout_focus(&session->look.choice, spot->view);
	session_refresh(session);
	struct session_view *view = session_view(session, spot->view);
	if (spot->row < session_rows(view))
		view->selected = spot->row;
}

static void
push(struct session_jumps *jumps, struct session_spot spot)
{
	if (jumps->count == SESSION_SPOTS)
		memmove(jumps->spots, jumps->spots + 1, --jumps->count * sizeof(spot));
	jumps->spots[jumps->count++] = spot;
}

static void
leave(struct session *session, struct session_spot spot, bool opened)
{
	spot.opened = opened;
	push(&session->look.trail.back, spot);
	session->look.trail.forward.count = 0;
	session->look.trail.changes++;
	session->look.trail.moving = false;
}

void
session_remember(struct session *session)
{
	leave(session, session_here(session), true);
}

void
session_remember_before(struct session *session, const struct session_spot *before, bool opened,
			bool moved)
{
	if (before->thread == session->look.stack.thread &&
	    before->frame == session->look.stack.frame &&
	    before->view == session->look.choice.focus)
		return;
	if (!moved || !session->look.trail.moving)
		leave(session, *before, opened);
	session->look.trail.moving = moved;
}

/* Go to the last place of one list, and add the present place to the other. */
static bool
travel(struct session *session, struct session_jumps *from, struct session_jumps *to)
{
	if (from->count == 0)
		return false;
	const struct session_spot spot = from->spots[--from->count];
	struct session_spot here = session_here(session);
	here.opened = spot.opened;
	push(to, here);
	session->look.trail.changes++;
	session->look.trail.moving = false;
	go_to(session, &spot);
	return true;
}

bool
session_go_back(struct session *session, bool opened)
{
	struct session_jumps *back = &session->look.trail.back;
	size_t count = back->count;

	while (opened && count > 0 && !back->spots[count - 1].opened)
		count--;
	if (count == 0)
		return false;
	/* Drop later places: they are only frames selected since the view was opened. */
	back->count = count;
	return travel(session, back, &session->look.trail.forward);
}

void
request_travel(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_trail *trail = &session->look.trail;
	const bool back = call->value == -1;

	if (back ? !travel(session, &trail->back, &trail->forward)
		 : !travel(session, &trail->forward, &trail->back))
		session_say(session, back ? "this is where you began"
					  : "no place to go forward to");
}

void
request_mark(const struct request_call *call)
{
	struct session *session = call->session;

	if (call->text[0] == '\0') {
		call->explorer->keys.prefix = (enum request)call->value;
		session_say(session, call->value == REQUEST_MARK ? "mark: a to z names this place"
							     : "go to mark: a to z");
		return;
	}
	int letter = tolower((unsigned char)call->text[0]);
	if (letter < 'a' || letter > 'z') {
		session_fail(session, "marks are letters from a to z");
		return;
	}
	struct session_spot *spot = &session->look.trail.marks[letter - 'a'];
	if (call->value == REQUEST_MARK) {
		*spot = session_here(session);
		session_say(session, "mark %c set", letter);
	} else if (spot->there) {
		session_remember(session);
		go_to(session, spot);
	} else {
		session_fail(session, "no mark %c", letter);
	}
}

size_t
session_resume(struct session *session)
{
	const size_t edits =
		edits_replace(session, session->kept.earlier, session->kept.earlier_count);

	if (edits > 0)
		session->kept.edits.saved = edits_overlay(session);
	if (session->look.trail.left_at.there)
		go_to(session, &session->look.trail.left_at);
	return edits;
}

void
request_resume(const struct request_call *call)
{
	struct session *session = call->session;

	if (!session->look.trail.left_at.there) {
		session_fail(session, "no saved session for this dump");
		return;
	}
	session_remember(session);
	const size_t edits = session_resume(session);
	if (edits > 0)
		session_say(session, "%zu edit%s restored; E lists, u takes back", edits,
			    plural(edits));
}

/* Show an event: a token or rule in the evaluation, any other event in the evidence. */
static void
follow_event(struct session *session, uint32_t event)
{
	const struct event *at = &session->step.view.trace.events[event];
	bool computed = at->kind == EVENT_TOKEN || at->kind == EVENT_RULE;

	session_select_event(session, event);
	layout_focus(&session->look.choice, computed ? LAYOUT_EVALUATION : LAYOUT_EVIDENCE);
	struct session_view *view = session_view(session, session->look.choice.focus);
	size_t row = computed ? step_view_evaluation_row(&view->listing, event)
			      : step_view_evidence_row(&view->listing, event);
	view->selected = session_shown_row(view, row);
}

/* Show where a register of a frame was set, in the step that found the frame. */
static void
follow_register(struct session *session, size_t frame, int reg)
{
	session_select_frame(session, frame - 1, 0);
	uint32_t set =
		session->step.exists ? step_view_register(&session->step.view, reg) : TRACE_NONE;
	if (set == TRACE_NONE)
		return;
	session_select_event(session, set);
	layout_focus(&session->look.choice, LAYOUT_REGISTERS);
	struct session_view *view = session_view(session, LAYOUT_REGISTERS);
	view->selected = session_shown_row(view, registers_row(&view->listing, reg));
}

static void
show_raw(struct session *session, struct place place)
{
	session->look.raw.place = place;
	layout_focus(&session->look.choice, LAYOUT_RAW);
	session_refresh(session);
}

/* Show the word at an address, and unfold it if necessary. */
static void
follow_memory(struct session *session, uint64_t address)
{
	session->look.memory.address = address;
	layout_focus(&session->look.choice, LAYOUT_MEMORY);
	session_refresh(session);
	if (session_selected_target(session_view(session, LAYOUT_MEMORY)).kind == TARGET_FOLD &&
	    telescope_toggle(&session->look.memory.telescope, address))
		session_refresh(session);
}

/* The target of a value. False if the value is not a frame, code or memory of the dump. */
static bool
target_of_value(struct session *session, uint64_t value, struct target *target)
{
	const struct surroundings *around = &session->look.addresses.around;
	const struct walk *walk = session_walk(session);
	const size_t count = walk != NULL ? walk->count : 0;
	const int module = module_map_find(&around->modules, value);
	struct arena arena = { 0 };
	struct reading_source source;
	size_t frame = 1;

	reading_source_init(&source, session->open.crash, &around->memory, session->open.binaries,
			    session_walk(session), &arena);
	const enum reading_kind kind = reading_of(&source, value).kind;
	arena_free(&arena);
	/* The frame of the selected thread to which the value returns. */
	while (frame < count && !(registers_known(&walk->frames[frame].registers, walk->arch->pc) &&
				  walk->frames[frame].registers.value[walk->arch->pc] == value))
		frame++;
	if (frame < count)
		*target =
			TARGET(TARGET_FRAME, .thread = session->look.stack.thread, .frame = frame);
	else if (kind == READING_CODE && module != MODULE_NONE)
		*target = TARGET(TARGET_CODE, .address = value);
	else if (memory_run_of(&around->memory, value) != NULL || module != MODULE_NONE)
		*target = TARGET(TARGET_MEMORY, .address = value);
	else
		return false;
	return true;
}

void
request_follow(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_view *view = requests_view(call->explorer);
	struct target target = session_selected_target(view);
	uint64_t value;

	/* The memory view may show that the word is a return address; its value cannot. */
	if (views_subject(session).kind != SUBJECT_WORD ||
	    (target.kind != TARGET_FRAME && target.kind != TARGET_CODE &&
	     target.kind != TARGET_MEMORY))
		target.kind = TARGET_NONE;
	if (call->explorer->help.shown || !views_value(session, &value))
		session_fail(session, "this row has no value to follow");
	else if (target.kind == TARGET_NONE && !target_of_value(session, value, &target))
		session_fail(session, "%0*" PRIx64 " points to no frame, no code and no memory of "
			     "the dump",
			     report_digits(session->open.crash->system.arch), value);
	else
		session_follow(session, &target);
}

bool
session_follow(struct session *session, const struct target *target)
{
	const struct symfile *symfile;

	if (target->kind == TARGET_NONE ||
	    (target->kind == TARGET_REGISTER && target->frame == 0) ||
	    (target->kind == TARGET_PLACE && !views_show_place(session, target->place.input)))
		return false;
	if (target->kind == TARGET_CODE) {
		addresses_show_code(session, target->address);
		return true;
	}
	session_remember(session);
	switch (target->kind) {
	case TARGET_EVENT:
		follow_event(session, target->event);
		break;
	case TARGET_PLACE:
		show_raw(session, target->place);
		break;
	case TARGET_FRAME:
	case TARGET_SOURCE:
		if (target->thread != session->look.stack.thread)
			session_select_thread(session, target->thread);
		session_select_frame(session, target->frame, target->call);
		layout_focus(&session->look.choice,
			     target->kind == TARGET_FRAME ? LAYOUT_EVIDENCE : LAYOUT_SOURCE);
		break;
	case TARGET_METHOD:
		session_look_at_method(session, target->method);
		layout_focus(&session->look.choice, LAYOUT_EVIDENCE);
		break;
	case TARGET_THREAD:
		session_select_thread(session, target->thread);
		layout_focus(&session->look.choice, LAYOUT_STACK);
		break;
	case TARGET_REGISTER:
		follow_register(session, target->frame, target->reg);
		break;
	case TARGET_MEMORY:
		follow_memory(session, target->address);
		break;
	default:
		/* A module: the first line of its symbols, else its bytes in the dump. */
		symfile = symbols_peek(session->open.symbols, target->module, NULL);
		show_raw(session, symfile != NULL
					  ? symfile_place(symfile, 0, 1)
					  : session->open.crash->modules[target->module].place);
		break;
	}
	return true;
}

static bool
goto_symbol_line(struct session *session, const char *text)
{
	const struct frame *frame = session_frame(session);
	uint64_t line, offset, column = 1;
	struct text rest = text_of(text);

	/* LINE or LINE:COLUMN */
	if (frame == NULL || !text_take_number(&rest, 10, &line) || line > UINT32_MAX)
		return false;
	if (rest.length > 0 && (!text_drop_prefix(&rest, ":") ||
				!text_number(rest, 10, &column) || column == 0))
		return false;
	const struct symfile *symfile = walk_symfile(session_walk(session), frame->module);
	if (symfile == NULL || !symfile_line_offset(symfile, (uint32_t)line, &offset))
		return false;
	session_remember(session);
	if (column > symfile_file(symfile)->size - offset)
		column = 1;
	show_raw(session, symfile_place(symfile, offset + column - 1, 1));
	return true;
}

static bool
goto_dump_offset(struct session *session, const char *text)
{
	uint64_t offset;

	if (!text_number(text_of(text), 16, &offset) || offset >= session->open.crash->file.size)
		return false;
	session_remember(session);
	show_raw(session, (struct place){ .input = &session->open.crash->file.input,
					  .offset = offset,
					  .length = 1 });
	return true;
}

/* Go to the next frame whose function's name contains `name`. Wraps at the last frame. */
static bool
goto_function(struct session *session, const char *name)
{
	struct walk *walk = session_walk(session);
	struct location location;
	struct arena arena = { 0 };
	bool found = false;

	for (size_t i = 1; walk != NULL && i <= walk->count && !found; i++) {
		const size_t frame = (session->look.stack.frame + i) % walk->count;
		size_t call = 0;

		arena_reset(&arena);
		location_of(walk, walk->frames[frame].lookup, &arena, &location);
		for (; call < location.call_count && !found; call += !found) {
			const struct text at = location.calls[call].name;

			found = at.length > 0 &&
				memmem(at.start, at.length, name, strlen(name)) != NULL;
		}
		if (found) {
			session_remember(session);
			session_select_frame(session, frame, call);
			layout_focus(&session->look.choice, LAYOUT_STACK);
		}
	}
	arena_free(&arena);
	return found;
}

void
request_at(const struct request_call *call)
{
	struct session *session = call->session;
	struct session_jumps *back = &session->look.trail.back;
	char text[SPOT_SIZE];

	if (call->text[0] == '\0') {
		spot_write(session, text, sizeof(text));
		session_say(session, "--at %s%s", text,
			    edits_overlay(session) != NULL ? " (without the edits)" : "");
		return;
	}
	session_remember(session);
	const size_t count = back->count;
	spot_go(session, call->text);
	/* Drop the intermediate places from the trail. */
	back->count = count;
}

bool
session_goto_frame(struct session *session, uint64_t number)
{
	struct walk *walk = session_walk(session);

	if (walk == NULL)
		return false;
	if (number < LIMIT_FRAMES)
		walk_run(walk, (size_t)number + 1);
	if (number >= walk->count)
		return false;
	session_remember(session);
	session_select_frame(session, (size_t)number, 0);
	return true;
}

bool
session_goto(struct session *session, const char *place)
{
	uint64_t number;

	if (strncmp(place, "frame ", 6) == 0)
		return text_number(text_of(place + 6), 10, &number) &&
		       session_goto_frame(session, number);
	if (strncmp(place, "sym:", 4) == 0)
		return goto_symbol_line(session, place + 4);
	if (strncmp(place, "dump:", 5) == 0)
		return goto_dump_offset(session, place + 5);
	if (place[0] >= '0' && place[0] <= '9' && text_number(text_of(place), 16, &number)) {
		session_remember(session);
		follow_memory(session, number);
		return true;
	}
	return place[0] != '\0' && goto_function(session, place);
}

void
request_goto(const struct request_call *call)
{
	if (!session_goto(call->session, call->text))
		session_fail(call->session, "'%s' not found", call->text);
}
