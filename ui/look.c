/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/look.h"

#include <errno.h>
#include <stdlib.h>

#include "ui/session.h"
#include "ui/views.h"

bool
look_open(struct session *session)
{
	return surroundings_init(&session->look.around, session->crash, session->symbols,
				 session->options->binaries, &session->policy,
				 session->stack.walks);
}

void
look_close(struct session *session)
{
	disassembly_free(session->look.disassembly);
	whatis_free(session->look.whatis);
	session->look.disassembly = NULL;
	session->look.whatis = NULL;
	surroundings_free(&session->look.around);
}

/* Symbols come in the background, and then the view is made anew. */
void
look_want_symbols(struct session *session, uint64_t address)
{
	const int module = module_map_find(&session->look.around.modules, address);

	if (module != MODULE_NONE && session->loader != NULL && !session->stopped)
		loader_ask(session->loader, (size_t)module);
}

struct listing
look_disassembly(struct session *session, struct arena *arena, size_t *row)
{
	struct look *look = &session->look;
	const struct disassembly_options options = {
		.around = &look->around,
		.walk = session_walk(session),
		.frame = session->frame,
		.of_frame = !look->elsewhere,
		.address = look->elsewhere ? look->code : 0,
		.source = &session->source,
	};

	(void)arena;
	if (!look->elsewhere && (options.walk == NULL || options.frame >= options.walk->count))
		return listing_message(views_why_nothing(session));
	look->around.policy = session->policy;
	if (look->elsewhere)
		look_want_symbols(session, look->code);
	if (!disassembly_serves(look->disassembly, &options)) {
		disassembly_free(look->disassembly);
		look->disassembly = disassembly_create(&options);
	}
	if (look->disassembly == NULL)
		return listing_message("memory ran out");
	*row = disassembly_row(look->disassembly, disassembly_address(look->disassembly));
	return disassembly_listing(look->disassembly);
}

void
look_up(struct session *session, const char *text)
{
	struct look *look = &session->look;
	struct whatis *found = whatis_create(&look->around, session_walk(session), session->frame,
					     text_of(text));

	if (found == NULL)
		return;
	look_want_symbols(session, found->value);
	session_remember(session);
	whatis_free(look->whatis);
	look->whatis = found;
	layout_focus(&session->choice, LAYOUT_WHATIS);
	session_refresh(session);
	session->views[LAYOUT_WHATIS].selected = 0;
}

struct listing
look_whatis(struct session *session)
{
	return session->look.whatis != NULL
		       ? whatis_listing(session->look.whatis)
		       : listing_message("nothing was asked for: p asks what an address is");
}

void
look_at_code(struct session *session, uint64_t address)
{
	session_remember(session);
	session->look.elsewhere = true;
	session->look.code = address;
	layout_focus(&session->choice, LAYOUT_DISASSEMBLY);
	session_refresh(session);
}

bool
look_address(struct session *session, const char *text, uint64_t *address)
{
	char *end;

	errno = 0;
	*address = strtoull(text, &end, 16);
	if (errno == 0 && end != text && *end == '\0' && *text != '-')
		return true;
	return surroundings_find(&session->look.around, text_of(text), address);
}
