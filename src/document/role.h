/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_ROLE_H
#define DOCUMENT_ROLE_H

/**
 * The roles of spans of a row. Reports determine looks only by roles.
 *
 * A theme turns a role into attributes and colours; plain text ignores roles. Everything that a
 * role expresses is also expressed by a mark or a word.
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
	char mark;		/* mark with the same meaning in text; 0: none needed */
};

/** The look of a role; never NULL. */
const struct role_look *
role_look(enum role role);

#endif
