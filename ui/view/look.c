/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/view/look.h"

#include <string.h>

#include "ui/session/session.h"
#include "ui/view/views.h"

bool
look_open(struct session *session)
{
	return surroundings_init(&session->look.around, session->crash, session->symbols,
				 session->binaries, &session->policy,
				 session->stack.walks);
}

void
look_close(struct session *session)
{
	disassembly_free(session->look.disassembly);
	memory_find_free(session->look.find);
	whatis_free(session->look.whatis);
	session->look.find = NULL;
	session->look.disassembly = NULL;
	session->look.whatis = NULL;
	surroundings_free(&session->look.around);
}

void
look_use_binaries(struct session *session)
{
	struct look *look = &session->look;

	disassembly_free(look->disassembly);
	memory_find_free(look->find);
	whatis_free(look->whatis);
	look->disassembly = NULL;
	look->find = NULL;
	look->whatis = NULL;
	look->around.binaries = session->binaries;
}

/* Symbols come in the background, and then the view is made anew. */
static void
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
		return listing_message("this thread has no frame whose code could be shown; "
				       ":disassemble shows that of an address or function");
	look->around.policy = session->policy;
	if (look->elsewhere)
		look_want_symbols(session, look->code);
	if (!disassembly_serves(look->disassembly, &options)) {
		disassembly_free(look->disassembly);
		look->disassembly = disassembly_create(&options);
	}
	if (look->disassembly == NULL)
		return listing_out_of_memory();
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
	if (!found->expression.known)
		session_fail(session, "%s", found->expression.text);
}

struct listing
look_whatis(struct session *session)
{
	return session->look.whatis != NULL
		       ? whatis_listing(session->look.whatis)
		       : listing_message("nothing was asked for: p asks what an address is");
}

/* Bytes that are searched between two keys. */
#define SLICE_BYTES (UINT64_C(16) << 20)

/* The address behind "--from"; `*text` is what follows. False where there is none. */
static bool
take_from(struct session *session, const char **text, uint64_t *from)
{
	char word[128];
	const size_t length = strcspn(*text, " ");

	if (length >= sizeof(word))
		return false;
	memcpy(word, *text, length);
	word[length] = '\0';
	*text += length + strspn(*text + length, " ");
	return look_address(session, word, from);
}

void
look_for(struct session *session, const char *text)
{
	struct look *look = &session->look;
	struct walk *walk = session_walk(session);
	const struct frame *frame = walk != NULL && session->frame < walk->count
					    ? &walk->frames[session->frame] : NULL;
	bool everywhere = false;
	uint64_t from = 0;

	for (;;) {
		if (strncmp(text, "--all ", 6) == 0) {
			everywhere = true;
			text += 6;
		} else if (strncmp(text, "--from ", 7) == 0) {
			text += 7;
			if (!take_from(session, &text, &from))
				return;
		} else {
			break;
		}
	}
	memory_find_free(look->find);
	look->find = memory_find_create(&look->around, frame, text_of(text), everywhere, from);
	if (look->find == NULL)
		return;
	session_remember(session);
	memory_find_work(look->find, SLICE_BYTES);
	layout_focus(&session->choice, LAYOUT_FOUND);
	session_refresh(session);
	session->views[LAYOUT_FOUND].selected = 0;
	if (look->find->wrong != NULL)
		session_fail(session, "%s", look->find->wrong);
}

struct listing
look_found(struct session *session, struct arena *arena)
{
	return session->look.find != NULL
		       ? memory_find_listing(session->look.find, arena)
		       : listing_message("nothing was looked for: M looks in the dump's memory");
}

bool
look_is_searching(const struct session *session)
{
	return session->look.find != NULL && !session->look.find->done;
}

bool
look_work(struct session *session)
{
	if (!look_is_searching(session))
		return false;
	memory_find_work(session->look.find, SLICE_BYTES);
	session->views[LAYOUT_FOUND].fresh = false;
	return true;
}

bool
look_stop(struct session *session)
{
	if (!look_is_searching(session))
		return false;
	memory_find_stop(session->look.find);
	session->views[LAYOUT_FOUND].fresh = false;
	session_say(session, "the search stopped with %zu found", session->look.find->count);
	return true;
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
	const struct walk *walk = session_walk(session);
	struct arena arena;

	arena_init(&arena, 0);
	const struct expression expression = expression_of(
		&session->look.around,
		walk != NULL && session->frame < walk->count ? &walk->frames[session->frame] : NULL,
		text_of(text), &arena);
	*address = expression.value;
	if (!expression.known)
		session_fail(session, "%s", expression.text);
	arena_free(&arena);
	return expression.known;
}
