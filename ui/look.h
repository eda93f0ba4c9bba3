/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_LOOK_H
#define UI_LOOK_H

#include "report/disassembly.h"
#include "report/surroundings.h"
#include "report/whatis.h"

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
	struct whatis *whatis;			/* asked for last; NULL: nothing yet */
};

/** Make ready; false where memory ends. */
bool
look_open(struct session *session);

void
look_close(struct session *session);

/** The instructions that the view shows; `*row` is that of the place. */
struct listing
look_disassembly(struct session *session, struct arena *arena, size_t *row);

/** Say what `text` is, with the registers of the selected frame. */
void
look_up(struct session *session, const char *text);

/** What the view of it shows. */
struct listing
look_whatis(struct session *session);

/** Have the symbols read of the module that holds an address. */
void
look_want_symbols(struct session *session, uint64_t address);

/** Show the code of an address. */
void
look_at_code(struct session *session, uint64_t address);

/** The address that a user means: hexadecimal digits, or a function's name. False: neither. */
bool
look_address(struct session *session, const char *text, uint64_t *address);

#endif
