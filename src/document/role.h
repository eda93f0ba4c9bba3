/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_ROLE_H
#define DOCUMENT_ROLE_H

/**
 * What the pieces of a row are: the only thing that reports say about looks.
 *
 * A theme turns a role into attributes and colours; plain text forgets it. No
 * meaning hangs on a role alone: what it says is also said by a mark or a word.
 */
enum role {
#define R(id, name, mono, style, colour8, colour256, background256, mark) ROLE_##id,
#include "document/role.def"
#undef R
	ROLE_COUNT
};

/** Attributes that every terminal has words for; a set of bits. */
enum role_style {
	ROLE_STYLE_BOLD = 1 << 0,
	ROLE_STYLE_DIM = 1 << 1,
	ROLE_STYLE_UNDERLINE = 1 << 2,
	ROLE_STYLE_REVERSE = 1 << 3,
};

/** One row of role.def. */
struct role_look {
	const char *name;	/* stable: configuration and tests use it */
	unsigned mono;		/* attributes without colours */
	unsigned style;		/* attributes with colours */
	short colour8;		/* of the first 8; -1: the terminal's own */
	short colour256;
	short background256;
	char mark;		/* says the same as text; 0: words say it */
};

/** The look of a role; never NULL. */
const struct role_look *
role_look(enum role role);

#endif
