/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/request/requests.h"
#include "ui/view/view.h"

/* An empty note on a frame. False if the thread does not have it. */
static bool
note_of_frame(const struct session *session, size_t thread, size_t frame, struct note *note)
{
	const struct walk *walk = thread < session->open.crash->thread_count
					  ? session->look.stack.walks[thread] : NULL;

	if (walk == NULL || frame >= walk->count)
		return false;
	const uint64_t *values = walk->frames[frame].registers.value;
	*note = (struct note){ .kind = NOTE_FRAME, .address = values[walk->arch->pc],
			       .stack = values[walk->arch->sp],
			       .thread = session->open.crash->threads[thread].id };
	return true;
}

/* The subject of a row as an empty note. False if no note can be attached to it. */
static bool
note_of_row(const struct session *session, const struct session_view *view, size_t row,
	    struct note *note)
{
	const struct view_ops *ops = views_ops((enum layout_view)(view - session->look.views));
	const struct target target = listing_target(&view->listing, row);
	const struct walk *walk = session_walk(session);
	struct row_subject subject = { .kind = SUBJECT_NONE };

	if (ops->subject != NULL)
		subject = ops->subject(&view->listing, row);
	/* A note on a word of memory belongs to the word, not to its value. */
	if (subject.kind == SUBJECT_WORD) {
		*note = (struct note){ .kind = NOTE_ADDRESS, .address = subject.address };
		return true;
	}
	const int reg = subject.kind == SUBJECT_REGISTER ? subject.reg
			: target.kind == TARGET_REGISTER ? target.reg
							 : ARCH_NO_REGISTER;
	if (walk != NULL && reg >= 0 && reg < walk->arch->register_count) {
		*note = (struct note){ .kind = NOTE_REGISTER };
		snprintf(note->name, sizeof(note->name), "%s", walk->arch->registers[reg].label);
		return true;
	}
	switch (target.kind) {
	case TARGET_FRAME:
		/* Rows of the summary lead to a frame, but are about other facts. */
		return view != &session->look.views[LAYOUT_SUMMARY] &&
		       note_of_frame(session, target.thread, target.frame, note);
	case TARGET_MEMORY:
	case TARGET_CODE:
		*note = (struct note){ .kind = NOTE_ADDRESS, .address = target.address };
		return true;
	default:
		return false;
	}
}

/* Make an empty note on the subject of the selected row, or on the selected frame. */
static bool
note_here(struct session *session, struct note *note)
{
	const struct session_view *view = session_view(session, session->look.choice.focus);
	size_t row;

	if ((session_selected(view, &row) && note_of_row(session, view, row, note)) ||
	    note_of_frame(session, session->look.stack.thread, session->look.stack.frame, note))
		return true;
	session_fail(session, "no frame, address or register here for a note");
	return false;
}

static bool
is_about(const struct note *note, const struct note *about)
{
	return note->kind == about->kind && note->thread == about->thread &&
	       note->address == about->address && note->stack == about->stack &&
	       strcmp(note->name, about->name) == 0;
}

static struct note *
find_note(struct notes *notes, const struct note *about)
{
	for (size_t i = 0; i < notes->count; i++)
		if (is_about(&notes->items[i], about))
			return &notes->items[i];
	return NULL;
}

bool
notes_put(struct notes *notes, const struct note *note)
{
	struct note *found = find_note(notes, note);

	if (note->text[0] == '\0') {
		if (found != NULL)
			*found = notes->items[--notes->count];
		return true;
	}
	if (found == NULL && notes->count == NOTES_MOST)
		return false;
	if (found == NULL)
		found = &notes->items[notes->count++];
	*found = *note;
	return true;
}

bool
notes_go(struct session *session, const struct note *note)
{
	const struct crash *crash = session->open.crash;

	session_remember(session);
	if (note->kind == NOTE_REGISTER) {
		layout_focus(&session->look.choice, LAYOUT_REGISTERS);
		return true;
	}
	if (note->kind == NOTE_ADDRESS)
		return session_follow(session, &TARGET(TARGET_MEMORY, .address = note->address));
	for (size_t thread = 0; thread < crash->thread_count; thread++) {
		if (crash->threads[thread].id != note->thread || crash->threads[thread].wrote_dump)
			continue;
		if (thread != session->look.stack.thread)
			session_select_thread(session, thread);
		const struct walk *walk = session_walk(session);
		for (size_t i = 0; walk != NULL && i < walk->count; i++) {
			struct note about;

			if (!note_of_frame(session, thread, i, &about) || !is_about(note, &about))
				continue;
			session_select_frame(session, i, 0);
			layout_focus(&session->look.choice, LAYOUT_STACK);
			return true;
		}
	}
	return false;
}

void
notes_add(struct session *session, const struct session_view *view, size_t index, size_t columns,
	  struct row *row)
{
	struct note about;
	const struct note *note = NULL;

	if (session->kept.notes.count > 0 &&
	    note_of_row(session, view, session_listing_row(view, index), &about))
		note = find_note(&session->kept.notes, &about);
	if (note == NULL)
		return;
	if (columns == 0 || row->width + 4 < columns) {
		row_add(row, ROLE_NOTE, "  # ");
		row_add_text(row, ROLE_NOTE, text_of(note->text));
		if (columns > 0)
			row_cut(row, columns);
	} else {
		row_add_right(row, ROLE_NOTE, columns, "#");
	}
}

static void
fill_notes(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct note *note = &((const struct notes *)listing->context)->items[index];

	(void)columns;
	if (note->kind == NOTE_FRAME)
		row_add(row, ROLE_NORMAL, " frame of thread 0x%" PRIx32 " at %#" PRIx64,
			note->thread, note->address);
	else if (note->kind == NOTE_REGISTER)
		row_add(row, ROLE_NORMAL, " register %s", note->name);
	else
		row_add(row, ROLE_NORMAL, " address %#" PRIx64, note->address);
	row_add(row, ROLE_NORMAL, "  ");
	row_pad(row, 44);
	row_add_text(row, ROLE_NOTE, text_of(note->text));
}

struct listing
notes_listing(const struct notes *notes)
{
	struct listing listing = listing_message("");

	listing.context = notes;
	listing.count = notes->count;
	listing.fill = fill_notes;
	return listing;
}

/* Notes are saved at once, because a terminal may be closed at any time. */
static void
keep(const struct request_call *call)
{
	struct explorer *explorer = call->explorer;

	explorer->unsaved_notes = explorer->state == NULL ||
				  !state_write(call->session, explorer->state, false);
	if (explorer->unsaved_notes && explorer->state != NULL)
		session_fail(call->session, "notes are not kept: cannot write to '%s'",
			     explorer->state);
}

void
request_note(const struct request_call *call)
{
	struct session *session = call->session;
	struct note note;

	if (!note_here(session, &note))
		return;
	if (call->text[0] == '\0') {
		const struct note *before = find_note(&session->kept.notes, &note);
		char line[256];

		snprintf(line, sizeof(line), "note %s", before != NULL ? before->text : "");
		requests_open_prompt(call->explorer, PROMPT_COMMAND, line);
		return;
	}
	snprintf(note.text, sizeof(note.text), "%s", call->text);
	if (!notes_put(&session->kept.notes, &note))
		session_fail(session, "the maximum of %d notes is reached; :unnote removes "
				      "one", NOTES_MOST);
	else
		session_say(session, "note added; :notes lists all");
	if (!session->failed)
		keep(call);
}

void
request_unnote(const struct request_call *call)
{
	struct session *session = call->session;
	struct note note;

	if (!note_here(session, &note) || find_note(&session->kept.notes, &note) == NULL) {
		session_fail(session, "no note here");
		return;
	}
	notes_put(&session->kept.notes, &note);
	keep(call);
}

void
request_notes(const struct request_call *call)
{
	if (call->session->kept.notes.count == 0)
		session_say(call->session, "no notes; C adds one");
	else
		help_open(call->explorer, HELP_NOTES);
}
