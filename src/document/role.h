/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_ROLE_H
#define DOCUMENT_ROLE_H

/**
 * The roles of pieces of a row: reports say nothing else about looks.
 *
 * A theme turns a role into attributes and colours; plain text ignores it. A role never has a
 * meaning of its own: a mark or a word has the same meaning.
 */
enum role {
#define R(id, name, mono, style, colour8, colour256, background256, mark) ROLE_##id,
#include "document/role.def"
#undef R
	ROLE_COUNT
};

/** Attributes that every terminal has; a set of bits. */
enum role_style {
	ROLE_STYLE_BOLD = 1 << 0,
	ROLE_STYLE_DIM = 1 << 1,
	ROLE_STYLE_UNDERLINE = 1 << 2,
	ROLE_STYLE_REVERSE = 1 << 3,
};

/** One row of role.def. */
struct role_look {
	const char *name;	/* stable: used in configuration and tests */
	unsigned mono;		/* attributes without colours */
	unsigned style;		/* attributes with colours */
	short colour8;		/* one of the first 8; -1: terminal's default */
	short colour256;
	short background256;
	char mark;		/* has the same meaning in text; 0: words have it */
};

/** The look of a role; never NULL. */
const struct role_look *
role_look(enum role role);

#endif
