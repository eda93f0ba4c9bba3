/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/role.h"

static const struct role_look looks[] = {
#define R(id, name, mono, style, colour8, colour256, background256, mark) \
	[ROLE_##id] = { name, mono, style, colour8, colour256, background256, mark },
#include "document/role.def"
#undef R
};

const struct role_look *
role_look(enum role role)
{
	return &looks[role < ROLE_COUNT ? role : ROLE_NORMAL];
}
