/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "locate/fetch_internal.h"
#include "locate/layout.h"

/* Requests the modules' own files from servers. */

/* Kinds of files in the order of requests: a file may name files of later kinds. */
static const enum locate_kind asked[] = { LOCATE_IMAGE, LOCATE_DEBUG, LOCATE_SUPPLEMENT };

/* Finds the file's build ID. True: debuginfod servers can be asked for this ID. */
static bool
has_build_id(struct locate_search *search)
{
	struct locate_subject *subject = &search->subject;
	struct debug_link link;

	binaries_learn_build_id(search);
	if (search->kind == LOCATE_SUPPLEMENT) {
		debug_link_read_supplement(binaries_slot_file(search->slot, LOCATE_DEBUG), &link);
		subject->link = NULL;
		subject->build_id = arena_string(&search->binaries->arena, link.id);
	}
	return subject->build_id != NULL && debuginfod_takes(subject->build_id);
}

/* Whether the file can be requested from Windows symbol servers: a program, or a PDB with an ID. */
static bool
has_store_id(struct locate_search *search)
{
	struct locate_subject *subject = &search->subject;

	if (search->kind == LOCATE_DEBUG)
		binaries_name_pdb(search->binaries, subject->module, subject);
	return search->kind == LOCATE_IMAGE ||
	       (search->kind == LOCATE_DEBUG && !layout_is_zero(subject->pdb_id));
}

static const struct {
	bool (*has_id)(struct locate_search *search);
	enum layout_flag layouts;	/* layouts of the download directory */
} services[FETCH_SERVICES] = {
	[FETCH_STORE] = { has_store_id, LAYOUT_STORE },
	[FETCH_DEBUGINFOD] = { has_build_id, LAYOUT_CLIENT },
};

/*
 * Request the file from the servers of one fetcher, and check the downloaded file. The caller holds
 * the lock, which is released during the request. False: stopped.
 */
static bool
ask_servers(struct locate_search *search, struct fetcher *fetcher, locate_progress *progress,
	    void *context)
{
	const enum locate_kind kind = search->kind;
	const struct fetch_options *options = fetch_options_of(fetcher);
	const struct fetch_request request = {
		.kind = kind, .subject = &search->subject, .record = search->record,
		.messages = &search->binaries->messages, .mutex = &search->binaries->mutex,
		.progress = progress, .context = context,
	};

	if (search->slot->answered[kind] || binaries_is_enough(search->slot, kind) ||
	    !services[options->service].has_id(search))
		return true;
	const enum fetch_answer answer = fetch_file(fetcher, &request);
	/* Another thread may have found the file during the request. */
	if (answer != FETCH_TAKEN || binaries_is_enough(search->slot, kind))
		return answer != FETCH_STOPPED;
	const struct binary *aside = search->slot->stripped;
	struct locate_root kept = { .path = options->directory,
				    .layouts = services[options->service].layouts };
	if (locate_in(search, kept.path, &kept))
		search->slot->files[kind] = search->found;
	else if (search->slot->stripped == aside)
		fetch_discard(fetcher, &request);
	return true;
}

/* Request a file of one kind; false: stopped. */
static bool
ask_for(struct binaries *binaries, size_t module, enum locate_kind kind,
	locate_progress *progress, void *context)
{
	struct locate_search search = binaries_search_for(binaries, module, kind);
	bool go_on = true;

	search.whole = true;
	binaries_load_given(binaries, module, kind);
	for (size_t i = 0; i < binaries->fetcher_count && go_on; i++)
		go_on = ask_servers(&search, binaries->fetchers[i], progress, context);
	/* A downloaded image may name a debug file in the given places. */
	if (kind == LOCATE_IMAGE)
		binaries_find_named(binaries, module);
	return go_on;
}

bool
binaries_ask(struct binaries *binaries, size_t module, locate_progress *progress, void *context)
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

static struct fetcher *
debuginfod_fetcher(const struct binaries *binaries)
{
	for (size_t i = 0; binaries != NULL && i < binaries->fetcher_count; i++)
		if (fetch_options_of(binaries->fetchers[i])->service == FETCH_DEBUGINFOD)
			return binaries->fetchers[i];
	return NULL;
}

/* Finds or makes the entry of a source; NULL: out of memory. */
static struct binaries_source *
source_entry(struct binaries *binaries, size_t module, struct text path)
{
	struct binaries_source *source = binaries->sources;

	while (source != NULL && (source->module != module || !text_is(path, source->path)))
		source = source->next;
	if (source != NULL)
		return source;
	source = arena_alloc(&binaries->arena, sizeof(*source));
	struct locate_record *record = arena_alloc(&binaries->arena, sizeof(*record));
	const char *copy = text_copy(&binaries->arena, path);
	if (source == NULL || record == NULL || copy == NULL)
		return NULL;
	*record = (struct locate_record){ .kind = LOCATE_SOURCE, .arena = &binaries->places };
	*source = (struct binaries_source){ .next = binaries->sources, .module = module,
					    .path = copy, .record = record };
	return binaries->sources = source;
}

const struct binaries_source *
binaries_find_source(struct binaries *binaries, size_t module, struct text path, bool ask,
		     locate_progress *progress, void *context)
{
	struct fetcher *fetcher = debuginfod_fetcher(binaries);

	if (fetcher == NULL || module >= binaries->crash->module_count || path.length == 0 ||
	    path.start[0] != '/' || memchr(path.start, '\0', path.length) != NULL)
		return NULL;
	pthread_mutex_lock(&binaries->mutex);
	struct locate_search search = binaries_search_for(binaries, module, LOCATE_IMAGE);
	struct binaries_source *source =
		has_build_id(&search) ? source_entry(binaries, module, path) : NULL;
	if (source != NULL && ask && !source->asked) {
		const struct fetch_options *options = fetch_options_of(fetcher);
		const struct fetch_request request = {
			.kind = LOCATE_SOURCE, .subject = &search.subject, .record = source->record,
			.messages = &binaries->messages, .mutex = &binaries->mutex,
			.progress = progress, .context = context,
		};

		search.subject.source = source->path;
		const enum fetch_answer answer = fetch_file(fetcher, &request);
		char *kept = NULL;
		if (answer == FETCH_TAKEN)
			kept = layout_path(&search.subject, options->directory,
					   LAYOUT_CLIENT_SOURCE);
		if (kept != NULL)
			source->kept = arena_string(&binaries->arena, kept);
		free(kept);
		source->asked = answer != FETCH_STOPPED;
	}
	pthread_mutex_unlock(&binaries->mutex);
	return source;
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
