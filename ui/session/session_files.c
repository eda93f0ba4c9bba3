/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/session_files.h"

#include "ui/view/view.h"

/*
 * A set of modules' files opened since the start. It is kept until the end, because places refer to
 * it.
 */
struct reopened {
	struct reopened *next;
	struct binaries *binaries;
};

void
session_free_files(struct session *session)
{
	for (struct reopened *set = session->reopened; set != NULL; set = set->next)
		binaries_free(set->binaries);
}

struct raw_file
session_raw_file(const struct session *session)
{
	const struct crash *crash = session->crash;
	const struct input *input = session->raw.place.input;
	struct raw_file file;

	for (const struct reopened *set = session->reopened; set != NULL; set = set->next)
		if (raw_file_of_binary(&file, crash, set->binaries, input))
			return file;
	if (raw_file_of_binary(&file, crash, session->options->binaries, input))
		return file;
	return raw_file_of_dump(crash, session->binaries);
}

static struct binaries *
open_anew(struct session *session, const struct crash *crash)
{
	const struct explorer_options *options = session->options;
	struct reopened *reopened = arena_alloc(&session->arena, sizeof(*reopened));

	if (reopened == NULL)
		return NULL;
	reopened->binaries = options->open_binaries(options->binaries_context, crash,
						    session->binary_places,
						    session->binary_place_count);
	if (reopened->binaries == NULL)
		return NULL;
	reopened->next = session->reopened;
	session->reopened = reopened;
	return reopened->binaries;
}

bool
session_open_binaries(struct session *session)
{
	const struct explorer_other *other = session->options->other;
	struct binaries *binaries = open_anew(session, session->crash);
	struct binaries *beside = other != NULL ? open_anew(session, other->crash) : NULL;

	if (binaries == NULL || (other != NULL && beside == NULL))
		return false;
	session->binaries = binaries;
	loader_use_binaries(session->loader, binaries);
	symbols_use_binaries(session->symbols, binaries);
	session->other.binaries = beside;
	if (other != NULL)
		symbols_use_binaries(other->symbols, beside);
	analysis_free(session->analysis);
	session->analysis = NULL;
	addresses_forget(session);
	session_refresh(session);
	return true;
}
