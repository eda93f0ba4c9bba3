/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_VIEW_LOOK_H
#define UI_VIEW_LOOK_H

#include "report/code/disassembly.h"
#include "report/memory/memory_bytes.h"
#include "report/memory/memory_find.h"
#include "report/memory/surroundings.h"
#include "report/memory/whatis.h"

struct session;

/**
 * Looking around in the crash, away from the frames: code at any address.
 *
 * What is kept here is made when it is first looked at; all of it follows the selected frame
 * until somebody sends it elsewhere.
 */
struct look {
	struct surroundings around;
	struct disassembly *disassembly;	/* shown last; NULL: none */
	bool elsewhere;				/* the code is that of `code`, not of the frame */
	uint64_t code;
	unsigned unit;				/* of memory as bytes; 0: words */
	struct memory_find *find;		/* made last; NULL: none */
	struct whatis *whatis;			/* asked for last; NULL: nothing yet */
};

/** Make ready; false when out of memory. */
bool
look_open(struct session *session);

void
look_close(struct session *session);

/** Forget what was made with the modules' own files: they have been opened anew. */
void
look_use_binaries(struct session *session);

/** The instructions that the view shows; `*row` is that of the place. */
struct listing
look_disassembly(struct session *session, struct arena *arena, size_t *row);

/** Say what `text` is, with the registers of the selected frame. */
void
look_up(struct session *session, const char *text);

/** What the view of it shows. */
struct listing
look_whatis(struct session *session);

/** Begin to look for something in memory: "[--all] [--from ADDRESS] WHAT". */
void
look_for(struct session *session, const char *text);

/** What the view of it shows. */
struct listing
look_found(struct session *session, struct arena *arena);

/** Search on for a moment; whether there is more to do. */
bool
look_work(struct session *session);

/** Whether a search is under way. */
bool
look_is_searching(const struct session *session);

/** End the search. False where there is none. */
bool
look_stop(struct session *session);

/** Show the code of an address. */
void
look_at_code(struct session *session, uint64_t address);

/** The address that a user means (expression.h). False where it is none, which is said. */
bool
look_address(struct session *session, const char *text, uint64_t *address);

#endif
