/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "ui/session.h"
#include "ui/views.h"

/* What the edges of the screen say: header, status line, right ends of titles. */

static void
add_reason(const struct crash *crash, size_t columns, struct row *row)
{
	const char *reason = crash->cause.text != NULL ? crash->cause.text : "no crash";
	static const char prefix[] = "EXCEPTION_";

	/* The prefix says nothing where the columns are few. */
	if (columns < 110 && strncmp(reason, prefix, sizeof(prefix) - 1) == 0)
		reason += sizeof(prefix) - 1;
	row_add_text(row, ROLE_TITLE, text_of(reason));
	if (crash->reason != NULL && crash->cause.address == CRASH_ADDRESS_MEMORY)
		row_add(row, ROLE_TITLE, " at 0x%" PRIx64, crash->reason_address);
	else if (crash->cause.has_sender)
		row_add(row, ROLE_TITLE, " by process %" PRIu32, crash->cause.sender_process);
}

/* Linux writers have no version but the kernel's, behind zeros and the system's name. */
static const char *
plain_version(const char *version)
{
	static const char zeros[] = "0.0.0 Linux ";

	return strncmp(version, zeros, sizeof(zeros) - 1) == 0 ? version + sizeof(zeros) - 1
							       : version;
}

static void
add_os(const struct crash *crash, size_t columns, struct row *row)
{
	const struct crash_system *system = &crash->system;
	char version[64];

	row_add_text(row, ROLE_NORMAL, text_of(system->os_name));
	if (system->os == CRASH_OS_WINDOWS || columns >= 110) {
		const char *text = plain_version(system->os_version);
		size_t fit = columns >= 180 ? 48 : columns >= 110 ? 24 : strspn(text, "0123456789");

		if (columns < 110 && text[fit] == '.')
			fit += 1 + strspn(text + fit + 1, "0123456789");
		text_cut(version, sizeof(version), text_of(text), fit, false,
			 columns < 110 ? "" : row->cut_mark);
		row_add(row, ROLE_NORMAL, " ");
		row_add_text(row, ROLE_NORMAL, text_of(version));
	}
	row_add(row, ROLE_NORMAL, "  ");
}

void
session_header(struct session *session, size_t columns, struct row *row)
{
	const struct crash *crash = session->crash;
	struct walk *walk = session_walk(session);

	row_add_cut(row, ROLE_TITLE, columns / 3, true,
		    text_of(place_base_name(crash->file.input.name)));
	row_add(row, ROLE_NORMAL, "  %s  ", crash->system.cpu_name);
	add_os(crash, columns, row);
	add_reason(crash, columns, row);
	if (walk == NULL || walk->count == 0)
		return;
	const char *to = session->has_step && session->step.verdict.kind != VERDICT_TAKEN
				 ? "the end"
				 : NULL;
	if (to != NULL)
		row_add_right(row, ROLE_NORMAL, columns, "frame %zu -> %s", session->frame, to);
	else
		row_add_right(row, ROLE_NORMAL, columns, "frame %zu -> %zu", session->frame,
			      session->frame + 1);
}

void
session_status(struct session *session, size_t columns, struct row *row)
{
	struct session_view *view = session_view(session, session->choice.focus);

	if (session_is_loading(session)) {
		row_add(row, ROLE_NOTE, "reading symbols: %u.%u s; C-c goes on without them",
			loader_age(session->loader) / 1000,
			loader_age(session->loader) / 100 % 10);
		return;
	}
	if (session->notice[0] != '\0') {
		row_add_text(row, ROLE_NOTE, text_of(session->notice));
		return;
	}
	if (session_rows(view) > 0)
		view->listing.explain(&view->listing, session_listing_row(view, view->selected),
				      row);
	if (row->width == 0 && session->has_step)
		step_view_explain(&session->step, session->step.cursor, row);
	if (columns > 0)
		row_cut(row, columns);
}
