/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/modules_view.h"

#include "locate/binary_survey.h"

/* Milliseconds that unfolding waits for a module's symbols; what takes longer comes by itself. */
#define PATIENCE 200u

/* Have the symbols and files of what is unfolded looked for. Says whether all is known already. */
static bool
ask(struct session *session, size_t module)
{
	struct binaries *binaries = session->binaries;
	const bool files = !binaries_configured(binaries) ||
			   binaries_surveyed(binaries, module) != NULL;
	enum symbols_state state;

	symbols_peek(session->symbols, module, &state);
	if (state == SYMBOLS_PENDING && !session->stopped)
		loader_ask(session->loader, module);
	if (!files && !session->stopped)
		loader_ask_files(session->loader, module);
	return files && (!symbols_configured(session->symbols) || state == SYMBOLS_LOADED ||
			 state == SYMBOLS_ABSENT);
}

/* Whether the frame is another one than when the rows were made before. */
static bool
frame_changed(struct session *session)
{
	struct session_modules *modules = &session->modules;
	const bool changed = !modules->placed || modules->thread != session->thread ||
			     modules->frame != session->frame;

	modules->placed = true;
	modules->thread = session->thread;
	modules->frame = session->frame;
	return changed;
}

struct listing
modules_view_listing(struct session *session, struct arena *arena, size_t *row)
{
	struct session_modules *modules = &session->modules;
	const struct walk *walk = session_walk(session);
	const struct modules_options options = {
		.crash = session->crash, .symbols = session->symbols,
		.binaries = session->binaries, .state = &modules->state,
		.columns = session->views[LAYOUT_MODULES].columns,
	};

	for (size_t i = 0; i < modules->state.count; i++)
		if (modules->state.reports[i].open)
			ask(session, i);
	struct listing listing = modules_listing(&options, arena);
	if (frame_changed(session) && walk != NULL && session->frame < walk->count &&
	    walk->frames[session->frame].module != MODULE_NONE)
		modules->spot = modules_spot(&listing, modules_row(
			&listing, (size_t)walk->frames[session->frame].module));
	*row = modules_row_of_spot(&listing, modules->spot);
	return listing;
}

bool
modules_view_selected(struct session *session, size_t row)
{
	session->modules.spot = modules_spot(&session->views[LAYOUT_MODULES].listing, row);
	return false;
}

bool
modules_view_fold(struct session *session, bool only_heads)
{
	struct session_modules *modules = &session->modules;
	struct session_view *view = session_view(session, LAYOUT_MODULES);

	if (session_rows(view) == 0)
		return false;
	const size_t row = session_listing_row(view, view->selected);
	const size_t module = modules_module(&view->listing, row);
	const struct modules_spot spot = modules_spot(&view->listing, row);
	if (module >= modules->state.count || (only_heads && spot.line != 0))
		return false;
	struct modules_report *report = &modules->state.reports[module];
	report->open = !report->open;
	modules->spot = (struct modules_spot){ spot.entry, 0 };
	/* Most files are there at once; the rows need not change under their reader's eyes. */
	if (report->open && !ask(session, module))
		loader_wait(session->loader, PATIENCE);
	view->fresh = false;
	return true;
}

void
modules_view_fold_all(struct session *session, bool fold)
{
	struct session_modules *modules = &session->modules;
	size_t left = 0;

	for (size_t i = 0; i < modules->state.count; i++) {
		enum symbols_state state;

		symbols_peek(session->symbols, i, &state);
		left += state == SYMBOLS_PENDING && !modules->state.reports[i].open;
		modules->state.reports[i].open = !fold && (state != SYMBOLS_PENDING ||
							   modules->state.reports[i].open);
	}
	if (fold)
		modules->spot.line = 0;
	else if (left > 0)
		session_say(session, "%zu module%s that nobody has looked at stay%s folded", left,
			    left == 1 ? "" : "s", left == 1 ? "s" : "");
	session->views[LAYOUT_MODULES].fresh = false;
}
