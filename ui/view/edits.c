/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"
#include "ui/view/view.h"

bool
edits_open(struct session *session)
{
	struct edits *edits = &session->kept.edits;

	edits->history = arena_grow(&edits->arena, NULL, 0, &edits->capacity,
				    sizeof(*edits->history));
	edits->count = 1;
	return edits->history != NULL;
}

void
edits_forget_other(struct session *session)
{
	for (size_t i = 0; session->open.threads != NULL && i < session->open.crash->thread_count;
	     i++) {
		walk_free(session->open.threads[i].other);
		session->open.threads[i].other = NULL;
	}
	session->look.views[LAYOUT_WALKS].fresh = false;
}

const struct overlay *
edits_overlay(const struct session *session)
{
	const struct overlay *overlay = session->kept.edits.history[session->kept.edits.at];

	return overlay != NULL && overlay->count > 0 ? overlay : NULL;
}

/* Show the walks with the edits of state `at` or, if `original`, the walks without edits. */
static void
apply(struct session *session, size_t at, bool original)
{
	struct edits *edits = &session->kept.edits;
	const size_t frame = session->look.stack.frame;

	edits->at = at;
	edits->original = original;
	const struct overlay *wanted = original ? NULL : edits_overlay(session);
	if (wanted == edits->shown)
		return;
	session_drop_step(session);
	session_drop_redone(session);
	/* Exchange the shown walks with the other ones, or replace them by new walks. */
	const bool exchanged = wanted == edits->other_of || edits->shown == NULL;
	if (exchanged && wanted != edits->other_of)
		edits_forget_other(session);
	for (size_t i = 0; i < session->open.crash->thread_count; i++) {
		struct walk **other = &session->open.threads[i].other;
		struct walk *before = session_exchange_walk(session, i, exchanged ? *other : NULL);

		if (exchanged)
			*other = before;
		else
			walk_free(before);
	}
	edits->other_of = exchanged ? edits->shown : NULL;
	edits->shown = wanted;
	session->open.work.walking_all = true;
	for (size_t i = 0; i < LAYOUT_VIEW_COUNT; i++)
		session->look.views[i].shown.key = 0;
	session_select_thread(session, session->look.stack.thread);
	session_select_frame(session, frame, 0);
}

/* Add a state after the present one; undone states are dropped. */
static bool
push(struct session *session, const struct overlay *overlay)
{
	struct edits *edits = &session->kept.edits;
	const struct overlay **history =
		arena_grow(&edits->arena, edits->history, edits->at + 1, &edits->capacity,
			   sizeof(*history));

	if (overlay == NULL || history == NULL) {
		session_fail(session, OUT_OF_MEMORY);
		return false;
	}
	edits->history = history;
	history[edits->at + 1] = overlay;
	edits->count = edits->at + 2;
	apply(session, edits->at + 1, false);
	return true;
}

static void
say_edit(struct session *session, const char *word, const struct overlay_edit *edit)
{
	const struct walk *walk = session_walk(session);
	char text[200];

	if (walk != NULL)
		session_say(session, "%s%s", word,
			    overlay_describe(edit, walk->arch, text, sizeof(text)));
}

void
edits_add(struct session *session, const struct overlay_edit *added, size_t count)
{
	struct edits *edits = &session->kept.edits;
	const struct overlay *overlay = edits_overlay(session);

	for (size_t i = 0; i < count && (i == 0 || overlay != NULL); i++)
		overlay = overlay_with(&edits->arena, overlay, &added[i]);
	if (push(session, overlay))
		say_edit(session, "what if ", added);
}

void
edits_forget_made(struct session *session)
{
	struct edits *edits = &session->kept.edits;
	const struct overlay *before = edits_overlay(session), *overlay = before;
	const bool saved = edits->saved == before;

	for (size_t i = 0; overlay != NULL && i < session->open.crash->module_count; i++) {
		const struct symfile *symfile = symbols_peek(session->open.symbols, i, NULL);

		if (symfile != NULL)
			overlay = overlay_without_made(&edits->arena, overlay,
						       symfile_file(symfile));
	}
	if (overlay == NULL || overlay == before)
		return;
	edits->at = 0;
	edits->count = 1;
	edits->saved = saved ? overlay : edits->saved;
	if (overlay->count > 0)
		push(session, overlay);
	else
		apply(session, 0, false);
}

size_t
edits_replace(struct session *session, const struct overlay_edit *kept, size_t count)
{
	struct edits *edits = &session->kept.edits;
	const struct walk *walk = session_walk(session);
	const struct overlay *overlay = NULL, *with = NULL;

	for (size_t i = 0; walk != NULL && i < count; i++) {
		if (kept[i].reg >= walk->arch->register_count)
			continue;
		with = overlay_with(&edits->arena, overlay, &kept[i]);
		overlay = with != NULL ? with : overlay;
	}
	return overlay != NULL && push(session, overlay) ? overlay->count : 0;
}

void
request_undo(const struct request_call *call)
{
	struct session *session = call->session;
	struct edits *edits = &session->kept.edits;
	const bool back = call->value < 0;

	if (back ? edits->at == 0 : edits->at + 1 >= edits->count) {
		session_fail(session, back ? "nothing to undo" : "nothing to redo");
		return;
	}
	apply(session, back ? edits->at - 1 : edits->at + 1, false);
	const struct overlay *overlay = edits_overlay(session);
	const size_t count = overlay != NULL ? overlay->count : 0;
	session_say(session, "%s: %zu edit%s", back ? "undone" : "done again", count,
		    plural(count));
}

void
request_delete_edit(const struct request_call *call)
{
	struct session *session = call->session;
	const struct overlay *overlay = edits_overlay(session);
	const struct row_subject subject = views_subject(session);
	uint64_t number = 0;

	if (call->text[0] == '\0' && subject.kind == SUBJECT_EDIT)
		number = subject.edit + 1;
	else
		text_number(text_of(call->text), 10, &number);
	if (number == 0 || overlay == NULL || number > overlay->count)
		session_fail(session, "no such edit; E lists them");
	else if (push(session, overlay_without(&session->kept.edits.arena, overlay,
						(size_t)number - 1)))
		say_edit(session, "taken back: ", &overlay->edits[number - 1]);
}

void
request_original(const struct request_call *call)
{
	struct session *session = call->session;
	struct edits *edits = &session->kept.edits;

	if (edits_overlay(session) == NULL) {
		session_fail(session, "no edits: this is the original walk");
		return;
	}
	apply(session, edits->at, !edits->original);
	session_say(session, edits->original ? "the original walk; :original shows the edits again"
					     : "the walk with the edits");
}

/* The list -------------------------------------------------------------------------------------*/

struct edit_list {
	const struct overlay *overlay;
	const struct arch *arch;
};

static void
edits_fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct edit_list *list = listing->context;
	const struct overlay_edit *edit = &list->overlay->edits[index];
	const bool record = edit->kind == OVERLAY_RECORD;
	char text[400];

	(void)columns;
	row_add(row, ROLE_DIM, "%2zu ", index + 1);
	row_add(row, record ? ROLE_CHANGED : ROLE_NORMAL, "%s ", record ? "patch" : "     ");
	row_add_text(row, ROLE_NORMAL,
		     text_of(overlay_describe(edit, list->arch, text, sizeof(text))));
}

static struct target
edits_target(const struct listing *listing, size_t index)
{
	const struct edit_list *list = listing->context;
	const struct overlay_edit *edit = &list->overlay->edits[index];

	return edit->kind == OVERLAY_POLICY
		       ? TARGET(TARGET_NONE)
		       : TARGET(TARGET_FRAME, .thread = edit->thread, .frame = edit->frame);
}

static void
edits_explain(const struct listing *listing, size_t index, struct row *row)
{
	const struct edit_list *list = listing->context;
	const struct overlay_edit *edit = &list->overlay->edits[index];

	if (edit->kind != OVERLAY_RECORD) {
		row_add(row, ROLE_NORMAL, "cannot be written in a symbol file: a patch only lists "
					  "it");
		return;
	}
	row_add(row, ROLE_NORMAL, "was ");
	row_add_text(row, ROLE_NORMAL, edit->record.was);
}

static struct listing
edits_make_edits(struct session *session, struct session_view *view)
{
	const struct overlay *overlay = edits_overlay(session);
	const struct walk *walk = session_walk(session);
	struct edit_list *list = arena_alloc(&view->arena, sizeof(*list));

	if (list == NULL)
		return listing_out_of_memory();
	if (overlay == NULL || walk == NULL)
		return listing_message("no edits; = edits the rule, register or word under the "
				       "cursor");
	*list = (struct edit_list){ overlay, walk->arch };
	return (struct listing){ .count = overlay->count, .fill = edits_fill,
				 .target = edits_target, .explain = edits_explain,
				 .context = list };
}

static void
title_edits(struct session *session, struct row *row)
{
	const struct overlay *overlay = edits_overlay(session);

	if (overlay != NULL)
		row_add(row, ROLE_NORMAL, "%zu edit%s", overlay->count,
			plural(overlay->count));
}

static struct row_subject
edit_of_row(const struct listing *listing, size_t row)
{
	(void)listing;
	return (struct row_subject){ .kind = SUBJECT_EDIT, .edit = row };
}

const struct view_ops view_EDITS = {
	.make = edits_make_edits, .title = title_edits, .subject = edit_of_row,
};
