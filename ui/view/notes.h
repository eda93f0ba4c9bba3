/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_NOTES_H
#define UI_VIEW_NOTES_H

#include "document/listing.h"

/**
 * What a user writes beside a frame, an address or a register: shown at the end of its rows,
 * listed, and kept with the dump.
 *
 * A note of a frame is found again by the frame's program counter and stack pointer, so it stays
 * with its frame where other symbols or edits change the numbers.
 */
enum note_kind { NOTE_FRAME, NOTE_ADDRESS, NOTE_REGISTER };

struct note {
	enum note_kind kind;
	uint32_t thread;	/* id; of a frame */
	uint64_t address;	/* the frame's program counter, or the address itself */
	uint64_t stack;		/* the frame's stack pointer */
	char name[16];		/* of a register */
	char text[200];
};

enum { NOTES_MOST = 200 };

struct notes {
	struct note items[NOTES_MOST];
	size_t count;
};

struct session;
struct session_view;

/** Write, change or (with an empty text) remove a note. False where there are too many. */
bool
notes_put(struct notes *notes, const struct note *note);

/** Go to what a note is about. False where it is not there any more. */
bool
notes_go(struct session *session, const struct note *note);

/** One line: what the note is about, and its text. */
void
notes_fill(const struct note *note, struct row *row);

/**
 * Add the note on row `index` of those that a view shows to its end, as far as `columns` have room
 * (0: all), or a mark at least.
 */
void
notes_add(struct session *session, const struct session_view *view, size_t index, size_t columns,
	  struct row *row);

#endif
