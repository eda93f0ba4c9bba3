/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/requests.h"

#include "ui/view/views.h"

/* What one asks of the words of a stack and of registers. */

static struct session_view *
words_view(struct explorer *explorer)
{
	return session_view(&explorer->session, LAYOUT_MEMORY);
}

/* The rows are other ones now: select that of the address. */
static void
show_again(struct explorer *explorer, uint64_t address, bool first)
{
	struct session_view *view;

	explorer->session.views[LAYOUT_MEMORY].fresh = false;
	view = words_view(explorer);
	size_t row = telescope_row(&view->listing, address);
	if (first && row > 0 && telescope_address(&view->listing, row - 1) == address)
		row--;
	view->selected = session_shown_row(view, row);
}

void
requests_fold_words(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = words_view(explorer);

	if (!telescope_is(&view->listing) || session_rows(view) == 0) {
		session_say(session, "only words of the selected thread's stack fold");
		return;
	}
	const size_t row = session_listing_row(view, view->selected);
	const uint64_t address = telescope_address(&view->listing, row);
	const bool whole = view->listing.target(&view->listing, row).kind == TARGET_FOLD;
	if (telescope_toggle(&session->telescope, address))
		show_again(explorer, address, whole);
	else
		session_say(session, "nothing folds here: this word says something of its own");
}

void
requests_fold_all_words(struct explorer *explorer, bool fold)
{
	struct session_view *view = words_view(explorer);
	uint64_t address = 0;

	if (telescope_is(&view->listing) && session_rows(view) > 0)
		address = telescope_address(
			&view->listing, session_listing_row(view, view->selected));
	telescope_open_all(&explorer->session.telescope, !fold);
	show_again(explorer, address, false);
}

void
requests_fold_register(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = session_view(session, LAYOUT_REGISTERS);

	if (session_rows(view) == 0)
		return;
	const size_t row = session_listing_row(view, view->selected);
	const int reg = registers_reg(&view->listing, row);
	const size_t selected = view->selected;
	if (!registers_toggle(&session->registers, &view->listing, row)) {
		session_say(session, "nothing more is known of this row");
		return;
	}
	view->fresh = false;
	view = session_view(session, LAYOUT_REGISTERS);
	/* What was folded from within is left for the row that stands for it. */
	view->selected = reg != ARCH_NO_REGISTER
				 ? session_shown_row(view, registers_row(&view->listing, reg))
				 : selected < session_rows(view) ? selected
								 : session_rows(view) - 1;
}

/* The register that is selected, or the one that the step sets where the cursor stands. */
static int
selected_register(struct explorer *explorer)
{
	struct session *session = &explorer->session;
	struct session_view *view = session_view(session, LAYOUT_REGISTERS);
	const struct event *at = &session->step.trace.events[session->step.cursor];

	if (session->choice.focus == LAYOUT_REGISTERS && session_rows(view) > 0)
		return registers_reg(&view->listing, session_listing_row(view, view->selected));
	return at->kind == EVENT_SET ? at->reg : ARCH_NO_REGISTER;
}

void
request_way(struct explorer *explorer, const char *arguments, int value)
{
	struct session *session = &explorer->session;
	int reg;

	(void)value;
	if (!session->has_step) {
		session_say(session, "%s", views_why_nothing(session));
		return;
	}
	const struct arch *arch = session_walk(session)->arch;
	if (arguments[0] != '\0')
		reg = arch_register(arch, text_of(arguments), ARCH_NAMES_ALIASES);
	else
		reg = selected_register(explorer);
	if (reg == ARCH_NO_REGISTER && arguments[0] != '\0') {
		session_fail(session, "%s has no register '%s'", arch->name, arguments);
		return;
	}
	if (reg != ARCH_NO_REGISTER)
		session->way = reg + 1;
	session->views[LAYOUT_WAY].fresh = false;
	requests_focus(explorer, LAYOUT_WAY);
}
