/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/symbol_store_internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/place.h"
#include "locate/binaries.h"
#include "crash/crash.h"

/* Servers are asked for a module's file, and what each of them answered is noted. */

/* Note what a server answered; the first of a list stands at its head. */
static void
note_served(void *context, const char *url, enum fetch_answer answer, const char *why)
{
	const struct store_reading *reading = context;
	struct symbols *symbols = reading->symbols;
	struct served **end = &symbols->slots[reading->module].served;
	char shown_url[LOCATE_SHOWN * 2], shown_why[LOCATE_SHOWN * 2];

	pthread_mutex_lock(&symbols->cache->mutex);
	struct served *served = arena_alloc(&symbols->arena, sizeof(*served));
	while (*end != NULL)
		end = &(*end)->next;
	if (served != NULL) {
		*served = (struct served){
			.url = arena_copy(&symbols->arena, url, strlen(url)),
			.why = arena_copy(&symbols->arena, why, strlen(why)), .answer = answer,
		};
		if (served->url != NULL && served->why != NULL)
			*end = served;
	}
	text_printable(shown_url, sizeof(shown_url), text_of(url));
	text_printable(shown_why, sizeof(shown_why), text_of(why));
	if (answer == FETCH_FAILED)
		message_add(&symbols->messages, MESSAGE_SYMBOL_SERVER, (struct place){ 0 },
			    "no symbols from %s: %s\nnot stored", shown_url, shown_why);
	pthread_mutex_unlock(&symbols->cache->mutex);
}

static bool
note_fetching(void *context, const char *host, uint64_t bytes, uint64_t total)
{
	const struct store_reading *reading = context;

	atomic_store(&reading->symbols->slots[reading->module].host, host);
	return store_note_progress(context, bytes, total);
}

/* What servers are asked for: only what a search finds again among the downloads. */
static struct locate_subject
asked_of(const struct symbols *symbols, const struct locate_subject *subject)
{
	const bool debug = layout_safe_name(subject->name) && layout_safe_name(subject->id);
	const bool code = layout_safe_name(subject->code_name) &&
			  layout_safe_name(subject->code_id) && (debug || symbols->any_layout);

	return (struct locate_subject){
		.module = subject->module, .build_id = "",
		.name = debug ? subject->name : "", .id = debug ? subject->id : "",
		.code_name = code ? subject->code_name : "", .code_id = code ? subject->code_id : "",
	};
}

/* Fetching goes without the lock that is held. */
static void
begin_fetching(const struct store_reading *reading)
{
	struct slot *slot = &reading->symbols->slots[reading->module];

	pthread_mutex_unlock(&reading->symbols->cache->mutex);
	atomic_store(&slot->bytes, 0);
	atomic_store(&slot->total, 0);
	atomic_store(&slot->begun, (uint64_t)clock_milliseconds());
}

/* The last progress that was shown is taken back. */
static void
end_fetching(struct store_reading *reading)
{
	struct slot *slot = &reading->symbols->slots[reading->module];

	atomic_store(&slot->host, NULL);
	store_note_progress(reading, 0, 0);
	atomic_store(&slot->begun, 0);
	pthread_mutex_lock(&reading->symbols->cache->mutex);
}

/* Ask servers for a module's file; true: it is here now. */
static bool
fetch(struct symbols *symbols, struct fetcher *fetcher, size_t module, bool *stopped)
{
	const struct locate_subject subject =
		symbol_search_subject(symbols, &symbols->modules[module]);
	const struct locate_subject asked = asked_of(symbols, &subject);
	struct store_reading reading = { symbols, module,
					 asked.name[0] != '\0' ? asked.name : asked.code_name };

	if (asked.name[0] == '\0' && asked.code_name[0] == '\0')
		return false;
	begin_fetching(&reading);
	const enum fetch_answer answer =
		fetch_symbols(fetcher, &asked, note_fetching, note_served, &reading);
	end_fetching(&reading);
	*stopped = answer == FETCH_STOPPED;
	return answer == FETCH_TAKEN;
}

bool
store_ask_servers(struct symbols *symbols, size_t module, bool *stopped)
{
	bool here = false;

	symbols->slots[module].served = NULL;
	for (size_t i = 0; i < symbols->fetcher_count && !here && !*stopped; i++)
		here = fetch(symbols, symbols->fetchers[i], module, stopped);
	return here;
}

void
store_ask_for_own_files(struct symbols *symbols, size_t module, bool has_symbols, bool *stopped)
{
	struct store_reading reading = { symbols, module, symbols->modules[module].code_file };

	if (has_symbols) {
		binaries_settle(symbols->binaries, module);
	} else if (symbols->binaries != NULL) {
		begin_fetching(&reading);
		*stopped = !binaries_ask(symbols->binaries, module, note_fetching, &reading);
		end_fetching(&reading);
	}
}
