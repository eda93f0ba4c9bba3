/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <strings.h>

#include "debug_info/binary_survey.h"
#include "ui/request/requests.h"
#include "ui/view/view.h"

/* Milliseconds that unfolding waits for symbols; if they load later, the rows are made anew. */
#define PATIENCE 200u

/* Start to load symbols and files of unfolded modules. True if all of them are loaded. */
static bool
ask(struct session *session, size_t module)
{
	struct binaries *binaries = session->open.binaries;
	const bool files = !binaries_configured(binaries) ||
			   binaries_surveyed(binaries, module) != NULL;
	enum symbols_state state;

	symbols_peek(session->open.symbols, module, &state);
	if (state == SYMBOLS_PENDING)
		loader_ask(session->open.loader, module, false);
	if (!files)
		loader_ask(session->open.loader, module, true);
	return files && (!symbols_configured(session->open.symbols) ||
			 symbols_settled(session->open.symbols, module));
}

static struct listing
make_modules(struct session *session, struct session_view *view)
{
	struct session_modules *modules = &session->look.modules;
	const struct frame *frame = session_frame(session);
	const struct modules_options options = {
		.crash = session->open.crash, .symbols = session->open.symbols,
		.binaries = session->open.binaries, .state = &modules->state,
		.columns = view->columns,
	};

	for (size_t i = 0; i < modules->state.count; i++)
		if (modules->state.reports[i].open)
			ask(session, i);
	struct listing listing = modules_listing(&options, &view->arena);
	/* Whether the previous rows were made for a frame other than the selected one. */
	const bool changed = !modules->placed || modules->thread != session->look.stack.thread ||
			     modules->frame != session->look.stack.frame;
	modules->placed = true;
	modules->thread = session->look.stack.thread;
	modules->frame = session->look.stack.frame;
	if (changed && frame != NULL && frame->module != MODULE_NONE)
		modules->spot = modules_spot(&listing,
					     modules_row(&listing, (size_t)frame->module));
	view->row = modules_row_of_spot(&listing, modules->spot);
	return listing;
}

/* Remember the selected module, because rows before it come and go. */
static bool
select_module(struct session *session, size_t row)
{
	session->look.modules.spot =
		modules_spot(&session->look.views[LAYOUT_MODULES].listing, row);
	return false;
}

/* Fold or unfold the module of a row. False if the row belongs to no module. */
static bool
toggle(struct session *session, size_t row)
{
	struct session_modules *modules = &session->look.modules;
	struct session_view *view = &session->look.views[LAYOUT_MODULES];
	const size_t module = modules_module(&view->listing, row);
	const struct modules_spot spot = modules_spot(&view->listing, row);

	if (module >= modules->state.count)
		return false;
	struct modules_report *report = &modules->state.reports[module];
	report->open = !report->open;
	modules->spot = (struct modules_spot){ spot.entry, 0 };
	/*
	 * Most symbols load at once, so wait briefly. Otherwise the rows would soon change again.
	 */
	if (report->open && !ask(session, module))
		loader_wait(session->open.loader, PATIENCE);
	view->fresh = false;
	return true;
}

static const char *
fold_module(struct session *session, size_t row)
{
	return toggle(session, row) ? NULL
				    : "nothing folds here: only loaded modules have symbols";
}

/* Enter on a module's first row folds or unfolds it; on its other rows it goes to the target. */
static bool
open_module(struct session *session, size_t row)
{
	const struct listing *listing = &session->look.views[LAYOUT_MODULES].listing;

	return modules_spot(listing, row).line == 0 && toggle(session, row);
}

static void
fold_all_modules(struct session *session, bool fold)
{
	struct session_modules *modules = &session->look.modules;
	size_t left = 0;

	for (size_t i = 0; i < modules->state.count; i++) {
		enum symbols_state state;

		symbols_peek(session->open.symbols, i, &state);
		left += state == SYMBOLS_PENDING && !modules->state.reports[i].open;
		modules->state.reports[i].open = !fold && (state != SYMBOLS_PENDING ||
							   modules->state.reports[i].open);
	}
	if (fold)
		modules->spot.line = 0;
	else if (left > 0)
		session_say(session, "%zu module%s stay%s folded: not examined yet", left,
			    plural(left), left == 1 ? "s" : "");
	session->look.views[LAYOUT_MODULES].fresh = false;
}

/* The module with a name or address that the user typed. SIZE_MAX: none; a message is shown. */
static size_t
module_named(struct session *session, const char *name)
{
	const struct crash *crash = session->open.crash;
	const size_t length = strlen(name);
	size_t found = SIZE_MAX;
	uint64_t address;

	for (size_t i = 0; i < crash->module_count; i++) {
		const char *file = place_base_name(crash->modules[i].code_file);

		if (strncasecmp(file, name, length) != 0)
			continue;
		if (file[length] == '\0')
			return i;
		/* WinDbg's module names lack the extension of the file. */
		if (found == SIZE_MAX || file[length] == '.')
			found = i;
	}
	if (found != SIZE_MAX)
		return found;
	const int module =
		addresses_parse(session, name, &address)
			? module_map_find(&session->look.addresses.around.modules, address)
			: MODULE_NONE;
	if (module == MODULE_NONE)
		session_fail(session, "no module '%s'; expected a name or an address in one", name);
	return module == MODULE_NONE ? SIZE_MAX : (size_t)module;
}

void
request_module(const struct request_call *call)
{
	struct session *session = call->session;
	const size_t module =
		call->text[0] == '\0' ? SIZE_MAX : module_named(session, call->text);

	session_focus(session, LAYOUT_MODULES);
	if (module == SIZE_MAX)
		return;
	struct session_view *view = session_view(session, LAYOUT_MODULES);
	if (!session->look.modules.state.reports[module].open)
		toggle(session, modules_row(&view->listing, module));
	view = session_view(session, LAYOUT_MODULES);
	session_select_row(session, LAYOUT_MODULES,
			   session_shown_row(view, modules_row(&view->listing, module)));
}

static void
title_modules(struct session *session, struct row *row)
{
	const size_t count = session->open.crash->module_count;

	row_add(row, ROLE_NORMAL, "%zu module%s", count, plural(count));
}

const struct view_ops view_MODULES = {
	.make = make_modules, .title = title_modules, .select = select_module, .fold = fold_module,
	.open = open_module, .fold_all = fold_all_modules, .own_row = true, .wraps = true,
};
