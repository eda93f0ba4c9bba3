/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "locate/folder.h"

/* The modules' own files from servers: debuginfod by build ids, symbol servers of Windows. */

/* In this order: a later one may be named in one before it. */
static const enum binaries_kind asked[] = { BINARIES_IMAGE, BINARIES_DEBUG, BINARIES_SUPPLEMENT };

/* The build id to ask for; false where there is none, or nothing to ask for. Under the lock. */
static bool
wanted_id(struct binaries_search *search, char id[2 * LIMIT_BUILD_ID + 1])
{
	struct locate_subject *subject = &search->search.subject;
	const struct binaries_slot *slot = search->slot;
	struct debug_link link;

	if (slot->answered[search->search.kind] ||
	    binaries_is_enough(slot, (enum binaries_kind)search->search.kind))
		return false;
	binaries_learn_build_id(search);
	if (search->search.kind == LOCATE_SUPPLEMENT) {
		debug_link_read_supplement(binaries_slot_file(slot, BINARIES_DEBUG), &link);
		subject->link = NULL;
		subject->build_id = arena_copy(&search->binaries->arena, link.id, strlen(link.id));
	}
	if (subject->build_id == NULL || !debuginfod_takes(subject->build_id))
		return false;
	snprintf(id, 2 * LIMIT_BUILD_ID + 1, "%s", subject->build_id);
	return true;
}

/* Note that nothing came, and why; what is wrong is a message. Under the lock. */
static void
note_nothing(struct binaries_search *search, enum fetch_answer answer, const char *id,
	     const char *why)
{
	const char *path = debuginfod_name(search->search.kind);
	struct binaries *binaries = search->binaries;
	const char *hosts = debuginfod_hosts(binaries->servers);
	struct locate_note note = { .way = LOCATE_BY_SERVER };
	char url[2 * LIMIT_BUILD_ID + 256], name[LOCATE_SHOWN];

	snprintf(url, sizeof(url), "%s: buildid/%s/%s", hosts, id, path);
	note.path = url;
	if (answer == FETCH_SILENT)
		why = "servers did not answer before";
	if (answer != FETCH_MISSING)
		locate_note_refuse(&note, "%s", why);
	binaries_keep(&search->search, &note);
	locate_shown(name, place_base_name(search->search.subject.module->code_file));
	if (answer == FETCH_FAILED)
		message_add(&binaries->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "no %s of '%s' from debuginfod at %s: %s\nnot used", path, name, hosts,
			    why);
	else if (answer == FETCH_LOST)
		message_add(&binaries->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "nothing from debuginfod at %s: %s\nnot asked again", hosts, why);
}

/* Ask debuginfod servers, without the lock, which is held; false: it was stopped. */
static bool
ask_debuginfod(struct binaries_search *search, binaries_progress *progress, void *context)
{
	struct binaries *binaries = search->binaries;
	struct binaries_slot *slot = search->slot;
	const enum binaries_kind kind = (enum binaries_kind)search->search.kind;
	char id[2 * LIMIT_BUILD_ID + 1], why[DEBUGINFOD_WHY], *path;

	if (binaries->servers == NULL || !wanted_id(search, id))
		return true;
	pthread_mutex_unlock(&binaries->mutex);
	const enum fetch_answer answer = debuginfod_ask(
		binaries->servers, search->search.kind, id, progress, context, &path, why);
	pthread_mutex_lock(&binaries->mutex);
	/* Another thread may have asked meanwhile. */
	if (answer == FETCH_TAKEN && !binaries_is_enough(slot, kind)) {
		struct locate_note note = { .way = LOCATE_BY_SERVER, .path = path };

		slot->files[kind] = locate_look(&search->search, &note) ? search->found : NULL;
		if (note.outcome == LOCATE_REFUSED)
			debuginfod_forget(search->search.kind, id, path);
	} else if (answer != FETCH_TAKEN && answer != FETCH_STOPPED) {
		note_nothing(search, answer, id, why);
	}
	free(path);
	return answer != FETCH_STOPPED;
}

/* A question to symbol servers of Windows. */
struct binaries_errand {
	struct binaries_search *search;
	binaries_progress *progress;
	void *context;
};

/* Note what one of them answered; what is wrong is a message. */
static void
note_answer(void *context, const char *url, enum fetch_answer answer, const char *why)
{
	const struct binaries_errand *errand = context;
	struct binaries_search *search = errand->search;
	struct binaries *binaries = search->binaries;
	struct locate_note note = { .way = LOCATE_SYMBOLS_BY_SERVER, .path = url };
	char name[LOCATE_SHOWN], shown[LOCATE_SHOWN * 2];

	if (answer == FETCH_FAILED)
		locate_note_refuse(&note, "%s", why);
	else if (answer == FETCH_TAKEN)
		note.outcome = LOCATE_FETCHED;
	else
		snprintf(note.why, sizeof(note.why), "%s", why);
	pthread_mutex_lock(&binaries->mutex);
	binaries_keep(&search->search, &note);
	locate_shown(name, place_base_name(search->search.subject.module->code_file));
	text_printable(shown, sizeof(shown), text_of(url));
	if (answer == FETCH_FAILED)
		message_add(&binaries->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "no %s of '%s' from %s: %s\nnot used",
			    search->search.kind == LOCATE_DEBUG ? "PDB" : "program", name, shown,
			    note.why);
	pthread_mutex_unlock(&binaries->mutex);
}

static bool
note_progress(void *context, const char *host, uint64_t bytes, uint64_t total)
{
	const struct binaries_errand *errand = context;

	return errand->progress == NULL ||
	       errand->progress(errand->context, host, bytes, total);
}

/* Ask symbol servers of Windows, until one has the file: then it is in its store. */
static bool
ask_stores(struct binaries_search *search, binaries_progress *progress, void *context)
{
	struct binaries_errand errand = { search, progress, context };
	struct binaries *binaries = search->binaries;
	struct binaries_slot *slot = search->slot;
	const enum locate_kind kind = search->search.kind;
	enum fetch_answer answer = FETCH_MISSING;

	if (kind == LOCATE_DEBUG)
		binaries_name_pdb(binaries, search->search.subject.module,
				  &search->search.subject);
	if ((kind != LOCATE_DEBUG && kind != LOCATE_IMAGE) ||
	    slot->answered[kind] ||
	    (kind == LOCATE_DEBUG && layout_is_zero(search->search.subject.pdb_id)))
		return true;
	for (size_t i = 0; i < binaries->fetcher_count && answer != FETCH_STOPPED &&
			   !binaries_is_enough(slot, (enum binaries_kind)kind);
	     i++) {
		struct fetcher *fetcher = binaries->fetchers[i];

		pthread_mutex_unlock(&binaries->mutex);
		answer = fetch_file(fetcher, kind, &search->search.subject, note_progress,
				    note_answer, &errand);
		pthread_mutex_lock(&binaries->mutex);
		if (answer != FETCH_TAKEN || binaries_is_enough(slot, (enum binaries_kind)kind))
			continue;
		struct locate_root kept = { .path = fetch_directory(fetcher), .store = true };
		slot->files[kind] = locate_in(&search->search, kept.path, &kept) ? search->found
										 : NULL;
		folder_free(kept.names);
	}
	return answer != FETCH_STOPPED;
}

/* Ask for one kind; false: it was stopped. */
static bool
ask_for(struct binaries *binaries, size_t module, enum binaries_kind kind,
	binaries_progress *progress, void *context)
{
	struct binaries_search search = binaries_search_for(binaries, module, kind);

	search.whole = true;
	binaries_load_given(binaries, module, kind);
	const bool go_on = ask_debuginfod(&search, progress, context) &&
			   ask_stores(&search, progress, context);
	/* An image that came may name a debug file among those that were given. */
	if (kind == BINARIES_IMAGE)
		binaries_find_named(binaries, module);
	return go_on;
}

bool
binaries_ask(struct binaries *binaries, size_t module, binaries_progress *progress, void *context)
{
	bool go_on = true;

	if (!binaries_asks_servers(binaries) ||
	    module >= binaries->crash->module_count)
		return true;
	pthread_mutex_lock(&binaries->mutex);
	for (size_t i = 0; go_on && i < ARRAY_COUNT(asked); i++) {
		go_on = ask_for(binaries, module, asked[i], progress, context);
		binaries->slots[module].answered[asked[i]] |= go_on;
		binaries_load_given(binaries, module, asked[i]);
	}
	pthread_mutex_unlock(&binaries->mutex);
	/* What readers have made of a module's files is old. */
	for (size_t i = 0; i < BINARIES_ROOMS; i++) {
		struct binaries_reader *made = atomic_load(&binaries->readers->made[i]);

		if (made != NULL && made->kind->served != NULL)
			made->kind->served(made, module);
	}
	return go_on;
}

void
binaries_settle(struct binaries *binaries, size_t module)
{
	if (!binaries_asks_servers(binaries) ||
	    module >= binaries->crash->module_count)
		return;
	pthread_mutex_lock(&binaries->mutex);
	for (size_t i = 0; i < ARRAY_COUNT(asked); i++)
		binaries->slots[module].answered[asked[i]] = true;
	pthread_mutex_unlock(&binaries->mutex);
}
