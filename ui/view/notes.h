/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_NOTES_H
#define UI_VIEW_NOTES_H

#include "document/listing.h"

/**
 * A user's note about a frame, an address or a register, shown at the end of its rows, listed in a
 * view and saved with the dump.
 *
 * A frame's note is found again by program counter and stack pointer, so it stays with its frame
 * when other symbols or edits change the frame numbers.
 */
enum note_kind { NOTE_FRAME, NOTE_ADDRESS, NOTE_REGISTER };

struct note {
	enum note_kind kind;
	uint32_t thread;	/* id of the frame's thread */
	uint64_t address;	/* the frame's program counter, or the address itself */
	uint64_t stack;		/* the frame's stack pointer */
	char name[16];		/* the register's name */
	char text[200];
};

enum { NOTES_MOST = 200 };

struct notes {
	struct note items[NOTES_MOST];
	size_t count;
};

struct session;
struct session_view;

/** Add or change a note; an empty text removes it. False if there are NOTES_MOST already. */
bool
notes_put(struct notes *notes, const struct note *note);

/** Go to the subject of a note. False if it no longer exists. */
bool
notes_go(struct session *session, const struct note *note);

/**
 * Append the note on row `index` of a view, or at least a mark, as far as it fits in `columns` (0:
 * no limit).
 */
void
notes_add(struct session *session, const struct session_view *view, size_t index, size_t columns,
	  struct row *row);

#endif
