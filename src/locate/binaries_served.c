/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"

/* What debuginfod servers have of a module's files, asked for behind all that was given. */

/* In this order: a later one may be named in one before it. */
static const enum binaries_kind asked[] = { BINARIES_IMAGE, BINARIES_DEBUG, BINARIES_SUPPLEMENT };

static bool
has_debug_info(const struct binary *binary)
{
	static const char *const names[] = { ".debug_info", ".zdebug_info" };

	for (size_t i = 0; binary != NULL && i < ARRAY_COUNT(names); i++) {
		const struct binary_section *section = binary_section(binary, 0, names[i]);

		if (section != NULL && section->data != NULL)
			return true;
	}
	return false;
}

bool
binaries_is_enough(const struct binaries_slot *slot, enum binaries_kind kind)
{
	const struct binary *debug = binaries_slot_file(slot, BINARIES_DEBUG);
	struct debug_link link;

	switch (kind) {
	case BINARIES_IMAGE:
		return slot->files[BINARIES_IMAGE] != NULL;
	case BINARIES_DEBUG:
		return slot->files[BINARIES_DEBUG] != NULL || has_debug_info(debug);
	case BINARIES_SUPPLEMENT:
		return slot->files[BINARIES_SUPPLEMENT] != NULL || debug == NULL ||
		       !debug_link_read_supplement(debug, &link);
	default:
		return true;
	}
}

/* The build id to ask for; false where there is none, or nothing to ask for. Under the lock. */
static bool
wanted_id(struct binaries_search *search, char id[2 * LIMIT_BUILD_ID + 1])
{
	const struct binaries_slot *slot = search->slot;
	struct debug_link link;

	if (slot->answered[search->search.kind] ||
	    binaries_is_enough(slot, (enum binaries_kind)search->search.kind))
		return false;
	binaries_learn_build_id(search);
	if (search->search.kind == LOCATE_SUPPLEMENT) {
		debug_link_read_supplement(binaries_slot_file(slot, BINARIES_DEBUG), &link);
		search->search.subject.link = NULL;
		search->search.subject.build_id =
			arena_copy(&search->binaries->arena, link.id, strlen(link.id));
	}
	if (search->search.subject.build_id == NULL || !debuginfod_takes(search->search.subject.build_id))
		return false;
	snprintf(id, 2 * LIMIT_BUILD_ID + 1, "%s", search->search.subject.build_id);
	return true;
}

/* An image that came may name a debug file among those that were given. Under the lock. */
static void
find_linked(struct binaries *binaries, size_t module)
{
	struct binaries_slot *slot = &binaries->slots[module];

	if (slot->files[BINARIES_IMAGE] != NULL && slot->searched[BINARIES_DEBUG] &&
	    !atomic_load(&slot->done[BINARIES_DEBUG]))
		slot->files[BINARIES_DEBUG] = binaries_find_linked(
			binaries_search_for(binaries, module, BINARIES_DEBUG));
}

/* The file that came, where it is what was asked for; else it is not kept. Under the lock. */
static void
take(struct binaries_search *search, const char *id, const char *path)
{
	struct locate_note note = { .way = LOCATE_BY_SERVER, .path = path };
	struct binary *binary = binaries_look_at(search, &note);

	if (note.outcome == LOCATE_REFUSED)
		debuginfod_forget(search->search.kind, id, path);
	search->slot->files[search->search.kind] = binary;
}

/* Note that nothing came, and why; what is wrong is a message. Under the lock. */
static void
note_nothing(const struct binaries_search *search, enum fetch_answer answer, const char *id,
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
	locate_record_keep(search->record, &binaries->places, &note);
	locate_shown(name, place_base_name(search->search.subject.module->code_file));
	if (answer == FETCH_FAILED)
		message_add(&binaries->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "no %s of '%s' from debuginfod at %s: %s\nnot used", path, name, hosts,
			    why);
	else if (answer == FETCH_LOST)
		message_add(&binaries->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "nothing from debuginfod at %s: %s\nnot asked again", hosts, why);
}

/* Ask for one kind without the lock, which is held; false: it was stopped. */
static bool
ask_for(struct binaries *binaries, size_t module, enum binaries_kind kind,
	binaries_progress *progress, void *context)
{
	struct binaries_search search = binaries_search_for(binaries, module, kind);
	search.whole = true;
	char id[2 * LIMIT_BUILD_ID + 1], why[DEBUGINFOD_WHY], *path;

	binaries_load_given(binaries, module, kind);
	if (!wanted_id(&search, id))
		return true;
	pthread_mutex_unlock(&binaries->mutex);
	const enum fetch_answer answer = debuginfod_ask(
		binaries->servers, search.search.kind, id, progress, context, &path, why);
	pthread_mutex_lock(&binaries->mutex);
	/* Another thread may have asked meanwhile. */
	if (answer == FETCH_TAKEN && !binaries_is_enough(search.slot, kind))
		take(&search, id, path);
	else if (answer != FETCH_TAKEN && answer != FETCH_STOPPED)
		note_nothing(&search, answer, id, why);
	free(path);
	if (kind == BINARIES_IMAGE)
		find_linked(binaries, module);
	return answer != FETCH_STOPPED;
}

/* What readers have made of a module's files is old. */
static void
tell_readers(struct binaries *binaries, size_t module)
{
	const struct binaries_readers *readers = binaries->readers;

	for (size_t i = 0; i < BINARIES_READERS; i++) {
		void *made = atomic_load(&readers->made[i]);

		if (made != NULL && readers->kinds[i]->served != NULL)
			readers->kinds[i]->served(made, module);
	}
}

bool
binaries_ask(struct binaries *binaries, size_t module, binaries_progress *progress, void *context)
{
	bool go_on = true;

	if (binaries == NULL || binaries->servers == NULL ||
	    module >= binaries->crash->module_count)
		return true;
	pthread_mutex_lock(&binaries->mutex);
	for (size_t i = 0; go_on && i < ARRAY_COUNT(asked); i++) {
		go_on = ask_for(binaries, module, asked[i], progress, context);
		binaries->slots[module].answered[asked[i]] |= go_on;
		binaries_load_given(binaries, module, asked[i]);
	}
	pthread_mutex_unlock(&binaries->mutex);
	tell_readers(binaries, module);
	return go_on;
}

void
binaries_settle(struct binaries *binaries, size_t module)
{
	if (binaries == NULL || binaries->servers == NULL ||
	    module >= binaries->crash->module_count)
		return;
	pthread_mutex_lock(&binaries->mutex);
	for (size_t i = 0; i < ARRAY_COUNT(asked); i++)
		binaries->slots[module].answered[asked[i]] = true;
	pthread_mutex_unlock(&binaries->mutex);
}
