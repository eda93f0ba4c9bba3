/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_drawing.h"

#include <inttypes.h>

void
frame_end_add(const struct frame_saves *saves, const struct arch *arch, uint64_t end,
	      struct row *row)
{
	static const struct {
		enum role role;
		const char *word;
	} certainties[CERTAINTY_COUNT] = {
		[CERTAINTY_EXACT] = { ROLE_NORMAL, "" },
		[CERTAINTY_FRAME_POINTER] = { ROLE_FRAME_POINTER, "assumed: " },
		[CERTAINTY_CONVENTION] = { ROLE_FRAME_POINTER, "assumed: " },
		[CERTAINTY_GUESSED] = { ROLE_SCAN, "guessed: " },
	};
	const bool is_cfa = saves->has_cfa && saves->cfa == end;

	row_add(row, ROLE_TITLE, "%s of frame %zu: the %s of frame %zu", is_cfa ? "CFA" : "end",
		saves->frame, arch->registers[arch->sp].label, saves->frame + 1);
	if (!is_cfa || saves->certainty != CERTAINTY_EXACT)
		row_add(row, certainties[saves->certainty].role, " (%s%s)",
			certainties[saves->certainty].word, method_name(saves->method));
	if (saves->has_cfa && !is_cfa)
		row_add(row, ROLE_NORMAL, "; its CFA is %0*" PRIx64, (int)arch->word_size * 2,
			saves->cfa);
}
