/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <string.h>

#include "base/compiler.h"
#include "locate/debuginfod.h"

/* The modules' own files from servers. */

/* In this order: a file may name a later one. */
static const enum locate_kind asked[] = { LOCATE_IMAGE, LOCATE_DEBUG, LOCATE_SUPPLEMENT };

/* A question to servers. */
struct binaries_errand {
	struct locate_search *search;
	struct fetcher *fetcher;
	binaries_progress *progress;
	void *context;
};

/* Whether debuginfod servers can be asked for the file, whose build ID is learned. */
static bool
has_build_id(struct locate_search *search)
{
	struct locate_subject *subject = &search->subject;
	struct debug_link link;

	binaries_learn_build_id(search);
	if (search->kind == LOCATE_SUPPLEMENT) {
		debug_link_read_supplement(binaries_slot_file(search->slot, LOCATE_DEBUG), &link);
		subject->link = NULL;
		subject->build_id = arena_copy(&search->binaries->arena, link.id, strlen(link.id));
	}
	return subject->build_id != NULL && debuginfod_takes(subject->build_id);
}

/* Whether Windows symbol servers can be asked: for a program, or a PDB with an ID. */
static bool
has_store_id(struct locate_search *search)
{
	struct locate_subject *subject = &search->subject;

	if (search->kind == LOCATE_DEBUG)
		binaries_name_pdb(search->binaries, subject->module, subject);
	return search->kind == LOCATE_IMAGE ||
	       (search->kind == LOCATE_DEBUG && !layout_is_zero(subject->pdb_id));
}

/* Each kind of server, as fetch.c has them. */
static const struct {
	bool (*has_id)(struct locate_search *search);
	enum locate_way way;
	enum layout_flag layouts;	/* rows that search its directory */
	const char *names[LOCATE_KINDS];	/* kinds of files, for messages */
} services[FETCH_SERVICES] = {
	[FETCH_STORE] = { has_store_id, LOCATE_SYMBOLS_BY_SERVER, LAYOUT_STORE,
			  { [LOCATE_IMAGE] = "program", [LOCATE_DEBUG] = "PDB" } },
	[FETCH_DEBUGINFOD] = { has_build_id, LOCATE_BY_SERVER, LAYOUT_CLIENT,
			       { [LOCATE_IMAGE] = "program", [LOCATE_DEBUG] = "debug file",
				 [LOCATE_SUPPLEMENT] = "supplement" } },
};

/* Note a server's answer; a failure is a message. */
static void
note_answer(void *context, const char *url, enum fetch_answer answer, const char *why)
{
	const struct binaries_errand *errand = context;
	struct locate_search *search = errand->search;
	struct binaries *binaries = search->binaries;
	const enum fetch_service service = fetch_service_of(errand->fetcher);
	struct locate_note note = { .way = services[service].way, .path = url };
	char name[LOCATE_SHOWN], shown[LOCATE_SHOWN * 2];

	fetch_note(&note, answer, why);
	pthread_mutex_lock(&binaries->mutex);
	locate_keep(search->record, &note);
	locate_shown(name, place_base_name(search->subject.module->code_file));
	text_printable(shown, sizeof(shown), text_of(url));
	if (answer == FETCH_FAILED || answer == FETCH_LOST)
		message_add(&binaries->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "no %s of '%s' from %s: %s\n%s",
			    services[service].names[search->kind], name, shown, note.why,
			    answer == FETCH_LOST ? "the server is not asked again" : "not used");
	pthread_mutex_unlock(&binaries->mutex);
}

static bool
note_progress(void *context, const char *host, uint64_t bytes, uint64_t total)
{
	const struct binaries_errand *errand = context;

	return errand->progress == NULL ||
	       errand->progress(errand->context, host, bytes, total);
}

/*
 * Ask the servers of one fetcher, and look at the downloaded file. The caller holds the lock, which
 * is released during the request. False: stopped.
 */
static bool
ask_servers(struct binaries_errand *errand)
{
	struct locate_search *search = errand->search;
	struct binaries *binaries = search->binaries;
	const enum locate_kind kind = search->kind;
	const enum fetch_service service = fetch_service_of(errand->fetcher);

	if (search->slot->answered[kind] || binaries_is_enough(search->slot, kind) ||
	    !services[service].has_id(search))
		return true;
	pthread_mutex_unlock(&binaries->mutex);
	const enum fetch_answer answer =
		fetch_file(errand->fetcher, search->kind, &search->subject, note_progress,
			   note_answer, errand);
	pthread_mutex_lock(&binaries->mutex);
	/* Another thread may have found the file during the request. */
	if (answer != FETCH_TAKEN || binaries_is_enough(search->slot, kind))
		return answer != FETCH_STOPPED;
	const struct binary *aside = search->slot->stripped;
	struct locate_root kept = { .path = fetch_directory(errand->fetcher),
				    .layouts = services[service].layouts };
	if (locate_in(search, kept.path, &kept))
		search->slot->files[kind] = search->found;
	else if (search->slot->stripped == aside)
		fetch_discard(errand->fetcher, search->kind, &search->subject);
	return true;
}

/* Ask for one kind; false: it was stopped. */
static bool
ask_for(struct binaries *binaries, size_t module, enum locate_kind kind,
	binaries_progress *progress, void *context)
{
	struct locate_search search = binaries_search_for(binaries, module, kind);
	struct binaries_errand errand = { &search, NULL, progress, context };
	bool go_on = true;

	search.whole = true;
	binaries_load_given(binaries, module, kind);
	for (size_t i = 0; i < binaries->fetcher_count && go_on; i++) {
		errand.fetcher = binaries->fetchers[i];
		go_on = ask_servers(&errand);
	}
	/* A downloaded image may name a debug file in the given places. */
	if (kind == LOCATE_IMAGE)
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
	/* Readers drop data derived from the module's earlier files. */
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
