/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/text.h"
#include "system/door.h"

#define TRIES 3u
/* Milliseconds before the second try; doubled before the third. */
#define PAUSE 250u
/* Milliseconds between checks for a request to stop. */
#define MOMENT 50u
/* Longest wait in seconds that a server may ask for; a server that asks for more has failed. */
#define WAIT_MOST 10u
/* Failures in a row after which a server is not asked again. */
#define FAILURES 3u
#define HOST_SIZE 128u
/* Bytes of an index2.txt; only its existence matters. */
#define INDEX_MOST 65536u

/* Answers ------------------------------------------------------------------------------------- */

/* A URL of a file and its answer, or the URL of a server and its failures. */
struct remembered {
	struct remembered *next;	/* next in the list of all URLs */
	const char *url;
	bool answered;
	enum fetch_answer answer;
	char why[FETCH_REASON_SIZE];
	atomic_uint failures;
};

struct fetch_memory {
	pthread_mutex_t mutex;
	struct arena arena;
	struct remembered *all;
	struct hash by_url;		/* keyed by hash, and by an index among equal hashes */
};

struct fetch_memory *
fetch_memory_create(void)
{
	struct fetch_memory *memory = calloc(1, sizeof(*memory));

	if (memory != NULL && pthread_mutex_init(&memory->mutex, NULL) != 0) {
		free(memory);
		return NULL;
	}
	return memory;
}

void
fetch_memory_free(struct fetch_memory *memory)
{
	if (memory == NULL)
		return;
	hash_free(&memory->by_url);
	arena_free(&memory->arena);
	pthread_mutex_destroy(&memory->mutex);
	free(memory);
}

/* Finds or makes the entry of a URL. The lock is held. NULL: out of memory. */
static struct remembered *
entry_of(struct fetch_memory *memory, const char *url)
{
	const size_t length = strlen(url);
	const uint64_t hash = hash_bytes(HASH_START, url, length);
	struct remembered *entry;
	uint64_t number = 0;

	while ((entry = (struct remembered *)hash_find(&memory->by_url, hash, number)) != NULL &&
	       strcmp(entry->url, url) != 0)
		number++;
	if (entry != NULL || (entry = arena_alloc(&memory->arena, sizeof(*entry))) == NULL)
		return entry;
	entry->url = arena_copy(&memory->arena, url, length);
	if (entry->url == NULL || !hash_put(&memory->by_url, hash, number, entry))
		return NULL;
	atomic_init(&entry->failures, 0);
	entry->next = memory->all;
	memory->all = entry;
	return entry;
}

atomic_uint *
fetch_memory_failures(struct fetch_memory *memory, const char *url)
{
	pthread_mutex_lock(&memory->mutex);
	struct remembered *entry = entry_of(memory, url);
	pthread_mutex_unlock(&memory->mutex);
	return entry == NULL ? NULL : &entry->failures;
}

void
fetch_memory_add(struct fetch_memory *memory, const char *url, enum fetch_answer answer,
		 const char *why)
{
	pthread_mutex_lock(&memory->mutex);
	struct remembered *entry = entry_of(memory, url);
	if (entry != NULL) {
		entry->answered = true;
		entry->answer = answer;
		snprintf(entry->why, sizeof(entry->why), "%s", why);
	}
	pthread_mutex_unlock(&memory->mutex);
}

bool
fetch_memory_find(struct fetch_memory *memory, const char *url, enum fetch_answer *answer,
		  char *why)
{
	pthread_mutex_lock(&memory->mutex);
	const struct remembered *entry = entry_of(memory, url);
	const bool found = entry != NULL && entry->answered;
	if (found) {
		*answer = entry->answer;
		memcpy(why, entry->why, sizeof(entry->why));
	}
	pthread_mutex_unlock(&memory->mutex);
	return found;
}

/* Asking --------------------------------------------------------------------------------------- */

struct fetch_server {
	const char *url;
	char shown[FETCH_PATH_SIZE];	/* URL without parts that may be secret */
	char host[HOST_SIZE];
	atomic_uint *failures;
};

struct fetcher {
	struct fetch_options options;
	struct fetch_server *servers;
	struct arena arena;		/* texts of the options and URLs */
};

static const struct {
	/* The first server to answer wins: files of one build ID are equal */
	bool first_wins;
	bool kept_unchecked;
	/* number added to the failures if a server sends nothing */
	unsigned silence;
	enum locate_way way;
	const char *names[LOCATE_KINDS];	/* kinds of files, for messages */
} services[FETCH_SERVICES] = {
	[FETCH_STORE] = { .silence = 1, .way = LOCATE_SYMBOLS_BY_SERVER,
			  .names = { [LOCATE_IMAGE] = "program", [LOCATE_DEBUG] = "PDB" } },
	[FETCH_DEBUGINFOD] = { .first_wins = true, .kept_unchecked = true, .silence = FAILURES,
			       .way = LOCATE_BY_SERVER,
			       .names = { [LOCATE_IMAGE] = "program",
					  [LOCATE_DEBUG] = "debug file",
					  [LOCATE_SUPPLEMENT] = "supplement",
					  [LOCATE_SOURCE] = "source file" } },
};

/* The paths of each kind of file on servers, in the order of requests. */
const struct fetch_form fetch_forms[] = {
	{ FETCH_STORE, LOCATE_SYMBOLS, LAYOUT_SYMBOLS, LAYOUT_SYMBOLS, NULL,
	  "code_file=%C&code_id=%D", false },
	{ FETCH_STORE, LOCATE_SYMBOLS, "%C/%K/%R.sym", LAYOUT_SYMBOLS, NULL, NULL, false },
	{ FETCH_STORE, LOCATE_IMAGE, LAYOUT_IMAGE, LAYOUT_IMAGE, LAYOUT_IMAGE_TIER, NULL, false },
	{ FETCH_STORE, LOCATE_IMAGE, LAYOUT_IMAGE_PACKED, LAYOUT_IMAGE, LAYOUT_IMAGE_TIER, NULL,
	  false },
	{ FETCH_STORE, LOCATE_IMAGE, LAYOUT_IMAGE_POINTER, LAYOUT_IMAGE, LAYOUT_IMAGE_TIER, NULL,
	  true },
	{ FETCH_STORE, LOCATE_DEBUG, LAYOUT_PDB, LAYOUT_PDB, LAYOUT_PDB_TIER, NULL, false },
	{ FETCH_STORE, LOCATE_DEBUG, LAYOUT_PDB_PACKED, LAYOUT_PDB, LAYOUT_PDB_TIER, NULL, false },
	{ FETCH_STORE, LOCATE_DEBUG, LAYOUT_PDB_POINTER, LAYOUT_PDB, LAYOUT_PDB_TIER, NULL, true },
	{ FETCH_DEBUGINFOD, LOCATE_IMAGE, "buildid/" LAYOUT_CLIENT_IMAGE, LAYOUT_CLIENT_IMAGE,
	  NULL, NULL, false },
	{ FETCH_DEBUGINFOD, LOCATE_DEBUG, "buildid/" LAYOUT_CLIENT_DEBUG, LAYOUT_CLIENT_DEBUG,
	  NULL, NULL, false },
	{ FETCH_DEBUGINFOD, LOCATE_SUPPLEMENT, "buildid/" LAYOUT_CLIENT_DEBUG, LAYOUT_CLIENT_DEBUG,
	  NULL, NULL, false },
	{ FETCH_DEBUGINFOD, LOCATE_SOURCE, "buildid/%h/source%f", LAYOUT_CLIENT_SOURCE, NULL, NULL,
	  false },
};
const size_t fetch_form_count = ARRAY_COUNT(fetch_forms);

/* A store of two tiers has this file at its root. */
static const struct fetch_form tier_form = { .pattern = "index2.txt" };

/* The requests to all servers for one file. */
struct errand {
	struct fetcher *fetcher;
	const struct fetch_request *request;
	pthread_mutex_t mutex;		/* held while a thread reports progress */
	unsigned leader;		/* index of the server that sent the most bytes */
	uint64_t led;			/* bytes that the leader sent */
	atomic_bool stopped;
	/* Index of the first server that has the file; the number of servers: none yet */
	atomic_uint taken;
};

/* The request to one server. */
struct transfer {
	struct errand *errand;
	unsigned index;
	pthread_t thread;
	bool started;
	struct fetch_server *server;
	char url[FETCH_PATH_SIZE], shown[FETCH_PATH_SIZE];
	struct fetch_part part;
	struct fetch_outcome outcome;
};

const struct fetch_options *
fetch_options_of(const struct fetcher *fetcher)
{
	return &fetcher->options;
}

static bool
are_urls(const struct fetch_options *options, struct error *error)
{
	char shown[FETCH_PATH_SIZE], printable[FETCH_REASON_SIZE / 2];

	for (size_t i = 0; i < options->url_count; i++) {
		const char *why = fetch_http_refuse(options->urls[i]);

		if (why == NULL)
			continue;
		fetch_url_show(options->urls[i], shown, sizeof(shown));
		text_printable(printable, sizeof(printable), text_of(shown));
		error_plain(error, fetch_is_built_in() ? ERROR_FORMAT : ERROR_NOT_FOUND,
			    fetch_is_built_in() ? "'%s' is not the URL of a symbol server: %s"
						: "cannot query '%s': %s",
			    printable, why);
		return false;
	}
	return true;
}

struct fetcher *
fetch_create(const struct fetch_options *options, struct error *error)
{
	if (!are_urls(options, error))
		return NULL;
	struct fetcher *fetcher = calloc(1, sizeof(*fetcher));
	if (fetcher == NULL) {
		error_memory(error);
		return NULL;
	}
	fetcher->options = *options;
	fetcher->options.urls = NULL;
	fetcher->options.directory = arena_string(&fetcher->arena, options->directory);
	fetcher->servers = calloc(options->url_count + 1, sizeof(*fetcher->servers));
	bool good = fetcher->options.directory != NULL && options->memory != NULL &&
		    fetcher->servers != NULL;
	for (size_t i = 0; good && i < options->url_count; i++) {
		struct fetch_server *server = &fetcher->servers[i];

		server->url = arena_string(&fetcher->arena, options->urls[i]);
		good = server->url != NULL;
		if (!good)
			break;
		fetch_url_show(server->url, server->shown, sizeof(server->shown));
		fetch_url_host(server->url, server->host, sizeof(server->host));
		server->failures = fetch_memory_failures(options->memory, server->url);
		good = server->failures != NULL;
	}
	if (good)
		return fetcher;
	fetch_free(fetcher);
	error_memory(error);
	return NULL;
}

void
fetch_free(struct fetcher *fetcher)
{
	if (fetcher == NULL)
		return;
	free(fetcher->servers);
	arena_free(&fetcher->arena);
	free(fetcher);
}

bool
fetch_forget(struct fetcher *fetcher, const char *url)
{
	struct fetch_memory *memory = fetcher->options.memory;
	size_t i = 0;

	while (i < fetcher->options.url_count && !fetch_url_same(fetcher->servers[i].url, url))
		i++;
	if (i == fetcher->options.url_count)
		return false;
	pthread_mutex_lock(&memory->mutex);
	for (struct remembered *entry = memory->all; entry != NULL; entry = entry->next)
		if (fetch_url_is_of(entry->url, fetcher->servers[i].url)) {
			entry->answered = false;
			atomic_store(&entry->failures, 0);
		}
	pthread_mutex_unlock(&memory->mutex);
	return true;
}

static bool
is_given_up(const struct transfer *transfer)
{
	const struct fetch_options *options = &transfer->errand->fetcher->options;

	return atomic_load(&transfer->errand->stopped) ||
	       atomic_load(&transfer->errand->taken) <
		       (services[options->service].first_wins ? options->url_count
							      : transfer->index);
}

/* Report progress; false: stop. */
static bool
note_progress(void *context)
{
	struct transfer *transfer = context;
	struct errand *errand = transfer->errand;
	const uint64_t bytes = transfer->part.bytes;

	if (is_given_up(transfer))
		return false;
	pthread_mutex_lock(&errand->mutex);
	const bool leads = transfer->index == errand->leader || bytes > errand->led;
	if (leads) {
		errand->leader = transfer->index;
		errand->led = bytes;
	}
	if (leads && errand->request->progress != NULL &&
	    !errand->request->progress(errand->request->context, transfer->server->host, bytes,
				       transfer->part.total))
		atomic_store(&errand->stopped, true);
	pthread_mutex_unlock(&errand->mutex);
	return !atomic_load(&errand->stopped);
}

/* Wait before another attempt; false: make no further attempt. */
static bool
pause_before(struct transfer *transfer, unsigned try)
{
	const unsigned wait = transfer->outcome.header.wait;
	unsigned left = PAUSE << try;

	if (wait > WAIT_MOST)
		return false;
	if (wait * 1000 > left)
		left = wait * 1000;
	for (; left > 0 && note_progress(transfer); left -= left < MOMENT ? left : MOMENT)
		nanosleep(&(struct timespec){ .tv_nsec = MOMENT * 1000000L }, NULL);
	return left == 0;
}

/* Repeat the request until the file is complete or another attempt would not help. */
static bool
transfer_receive(struct transfer *transfer, uint64_t most, const char *kept)
{
	const unsigned silence = services[transfer->errand->fetcher->options.service].silence;
	const struct fetch_question question = {
		.url = transfer->url, .most = most, .kept = kept,
		.seconds = transfer->errand->fetcher->options.seconds,
		.part = &transfer->part, .begin = fetch_part_begin, .add = fetch_part_add,
		.goes_on = note_progress, .context = transfer,
	};
	struct fetch_outcome *outcome = &transfer->outcome;
	unsigned try = 0;

	do
		fetch_remote_ask(&question, outcome);
	while (outcome->again && ++try < TRIES && pause_before(transfer, try - 1));
	if (is_given_up(transfer) && outcome->answer != FETCH_TAKEN)
		outcome->answer = FETCH_STOPPED;
	if (outcome->answer == FETCH_STOPPED)
		return false;
	if (outcome->silent || outcome->failing) {
		const unsigned more = outcome->silent ? silence : 1;
		const unsigned before = atomic_fetch_add(transfer->server->failures, more);

		if (before < FAILURES && before + more >= FAILURES)
			outcome->answer = FETCH_LOST;
	} else {
		atomic_store(transfer->server->failures, 0);
	}
	return outcome->answer == FETCH_TAKEN;
}

static void
transfer_fail(struct transfer *transfer, const char *why)
{
	transfer->outcome.answer = FETCH_FAILED;
	snprintf(transfer->outcome.why, sizeof(transfer->outcome.why), "%s", why);
}

static void
transfer_fail_to_write(struct transfer *transfer, int reason)
{
	char why[FETCH_REASON_SIZE];

	snprintf(why, sizeof(why), "cannot write to the cache: %s", door_strerror(reason));
	transfer_fail(transfer, why);
}

/* Request the file in one form. A complete, correct file gets its name in the directory. */
static void
transfer_ask(struct transfer *transfer, const struct fetch_form *form)
{
	const struct errand *errand = transfer->errand;
	const struct fetch_options *options = &errand->fetcher->options;
	const struct locate_subject *subject = errand->request->subject;
	const struct fetch_wanted wanted = { form, subject, options->most, options->follow };
	char path[FETCH_PATH_SIZE], why[FETCH_REASON_SIZE];
	struct fetch_part *part = &transfer->part;

	errno = 0;
	if (services[options->service].kept_unchecked) {
		char *kept = layout_path(subject, options->directory, form->kept);

		if (kept != NULL)
			transfer_receive(transfer, options->most, kept);
		free(kept);
		return;
	}
	if (!fetch_keep_path(path, options->directory, subject, form) ||
	    !fetch_part_open(part, path, transfer->shown)) {
		transfer_fail_to_write(transfer, errno);
		return;
	}
	if (!transfer_receive(transfer, options->most, NULL)) {
		/* Keep the bytes for another run, unless an earlier server had the file. */
		fetch_part_close(part, transfer->outcome.resumable &&
				       atomic_load(&errand->taken) >= transfer->index);
		return;
	}
	const char *reason = fetch_keep_check(part, &transfer->outcome.header, &wanted, why,
					      sizeof(why));
	if (reason != NULL) {
		fetch_part_close(part, false);
		transfer_fail(transfer, reason);
	} else if (!fetch_part_finish(part, path)) {
		transfer_fail_to_write(transfer, errno);
	}
}

static bool
make_urls(struct transfer *transfer, const struct fetch_form *form, bool tiers)
{
	const struct locate_subject *subject = transfer->errand->request->subject;
	const struct fetch_server *server = transfer->server;

	if (fetch_url_make(transfer->url, server->url, subject, form, tiers) &&
	    fetch_url_make(transfer->shown, server->shown, subject, form, tiers))
		return true;
	transfer_fail(transfer, "the URL is too long");
	return false;
}

/* Whether a server has a store of two tiers: it has an index2.txt that is not a web page. */
static bool
has_tiers(struct transfer *transfer, const struct fetch_form *form)
{
	const struct errand *errand = transfer->errand;
	const struct fetch_options *options = &errand->fetcher->options;
	char path[FETCH_PATH_SIZE];
	struct fetch_outcome *outcome = &transfer->outcome;
	struct fetch_part *part = &transfer->part;

	if (options->offline || !make_urls(transfer, &tier_form, false))
		return false;
	if (!fetch_memory_find(options->memory, transfer->url, &outcome->answer, outcome->why) &&
	    atomic_load(transfer->server->failures) < FAILURES) {
		if (!fetch_keep_path(path, options->directory, errand->request->subject, form) ||
		    !fetch_part_open(part, path, transfer->shown))
			return false;
		if (transfer_receive(transfer, INDEX_MOST, NULL) &&
		    strncasecmp(outcome->header.type, "text/html", 9) == 0)
			outcome->answer = FETCH_MISSING;
		fetch_part_close(part, false);
		if (outcome->answer != FETCH_STOPPED)
			fetch_memory_add(options->memory, transfer->url, outcome->answer, "");
	}
	return outcome->answer == FETCH_TAKEN;
}

static void
transfer_ask_by(struct transfer *transfer, const struct fetch_form *form, bool tiers)
{
	struct fetch_memory *memory = transfer->errand->fetcher->options.memory;
	struct fetch_outcome *outcome = &transfer->outcome;

	if (!make_urls(transfer, form, tiers))
		return;
	if (transfer->errand->fetcher->options.offline) {
		outcome->answer = FETCH_MISSING;
		snprintf(outcome->why, sizeof(outcome->why), "not asked: --offline");
	} else if (atomic_load(transfer->server->failures) >= FAILURES) {
		outcome->answer = FETCH_SILENT;
		snprintf(outcome->why, sizeof(outcome->why), "the server failed and is not asked "
							     "again");
	} else if (!fetch_memory_find(memory, transfer->url, &outcome->answer, outcome->why)) {
		transfer_ask(transfer, form);
		if (outcome->answer == FETCH_MISSING || outcome->answer == FETCH_FAILED)
			fetch_memory_add(memory, transfer->url, outcome->answer, outcome->why);
	}
}

static bool
is_form_of(const struct fetch_form *form, const struct fetcher *fetcher, enum locate_kind kind)
{
	return form->kind == kind && form->service == fetcher->options.service;
}

static void *
transfer_run(void *argument)
{
	struct transfer *transfer = argument;
	struct fetch_outcome *outcome = &transfer->outcome;
	struct errand *errand = transfer->errand;
	bool tiers = false, asked = false, may_have = true;

	outcome->answer = FETCH_MISSING;
	for (size_t i = 0; i < fetch_form_count && may_have; i++) {
		if (!is_form_of(&fetch_forms[i], errand->fetcher, errand->request->kind) ||
		    !fetch_form_applies(&fetch_forms[i], errand->request->subject))
			continue;
		if (!asked && fetch_forms[i].tier != NULL)
			tiers = has_tiers(transfer, &fetch_forms[i]);
		asked = true;
		if (outcome->answer != FETCH_STOPPED && outcome->answer != FETCH_LOST)
			transfer_ask_by(transfer, &fetch_forms[i], tiers);
		/* Try another form after 403, too: storage services send it for missing files. */
		may_have = outcome->answer == FETCH_MISSING ||
			   (outcome->answer == FETCH_FAILED && outcome->header.status == 403);
	}
	if (outcome->answer == FETCH_TAKEN) {
		unsigned first = atomic_load(&errand->taken);

		while (transfer->index < first &&
		       !atomic_compare_exchange_weak(&errand->taken, &first, transfer->index))
			;
	}
	return NULL;
}

/* Ask all servers at once; without threads, one after the other. */
static void
transfer_run_all(struct transfer *transfers, size_t count)
{
	for (size_t i = 1; i < count; i++)
		transfers[i].started = pthread_create(&transfers[i].thread, NULL, transfer_run,
						      &transfers[i]) == 0;
	transfer_run(&transfers[0]);
	for (size_t i = 1; i < count; i++)
		if (transfers[i].started)
			pthread_join(transfers[i].thread, NULL);
		else
			transfer_run(&transfers[i]);
}

/* The name of a file in a directory of unchecked files, to be freed; NULL: none. */
static char *
unchecked_name(const struct fetcher *fetcher, const struct fetch_request *request)
{
	for (size_t i = 0; i < fetch_form_count; i++)
		if (services[fetcher->options.service].kept_unchecked &&
		    is_form_of(&fetch_forms[i], fetcher, request->kind)) {
			char *path = layout_path(request->subject, "", fetch_forms[i].kept);

			if (path != NULL)
				memmove(path, path + 1, strlen(path));
			return path;
		}
	return NULL;
}

void
fetch_discard(struct fetcher *fetcher, const struct fetch_request *request)
{
	char *name = unchecked_name(fetcher, request);

	if (name != NULL)
		debuginfod_mark(fetcher->options.directory, name, false);
	free(name);
}

/* Note a server's answer. A failure adds a message. */
static void
note_answer(const struct fetcher *fetcher, const struct fetch_request *request, const char *url,
	    enum fetch_answer answer, const char *why)
{
	const enum fetch_service service = fetcher->options.service;
	const bool lost = answer == FETCH_LOST, symbols = request->kind == LOCATE_SYMBOLS;
	struct locate_note note = { .way = services[service].way, .path = url };
	char name[LOCATE_SHOWN], shown[LOCATE_SHOWN * 2];

	if (answer == FETCH_TAKEN)
		note.outcome = LOCATE_FETCHED;
	else if (answer == FETCH_MISSING)
		snprintf(note.why, sizeof(note.why), "%s", why);
	else
		locate_note_refuse(&note, "%s", why);
	locate_keep(request->record, &note);
	if (!lost && answer != FETCH_FAILED)
		return;
	text_printable(shown, sizeof(shown), text_of(url));
	if (symbols)
		message_add(request->messages, MESSAGE_SYMBOL_SERVER, (struct place){ 0 },
			    "no symbols from %s: %s\n%s", shown, note.why,
			    lost ? "the server is not asked again" : "not stored");
	else
		message_add(request->messages, MESSAGE_BINARY_SERVER, (struct place){ 0 },
			    "no %s of '%s' from %s: %s\n%s",
			    services[service].names[request->kind],
			    locate_shown(name,
					 place_base_name(request->subject->module->code_file)),
			    shown, note.why,
			    lost ? "the server is not asked again" : "not used");
}

/* Ask all servers at once and note their answers; `*missed`: all servers lack the file. */
static enum fetch_answer
ask_all(struct errand *errand, bool *missed)
{
	struct fetcher *fetcher = errand->fetcher;
	const size_t count = fetcher->options.url_count;
	struct transfer *transfers = calloc(count + 1, sizeof(*transfers));

	if (transfers == NULL || count == 0 || pthread_mutex_init(&errand->mutex, NULL) != 0) {
		free(transfers);
		return FETCH_MISSING;
	}
	atomic_init(&errand->stopped, false);
	atomic_init(&errand->taken, (unsigned)count);
	for (size_t i = 0; i < count; i++) {
		transfers[i].errand = errand;
		transfers[i].index = (unsigned)i;
		transfers[i].server = &fetcher->servers[i];
	}
	transfer_run_all(transfers, count);
	*missed = true;
	pthread_mutex_lock(errand->request->mutex);
	for (size_t i = 0; i < count; i++) {
		const struct fetch_outcome *outcome = &transfers[i].outcome;

		*missed = *missed && outcome->answer == FETCH_MISSING;
		if (outcome->answer != FETCH_STOPPED)
			note_answer(fetcher, errand->request, transfers[i].shown, outcome->answer,
				    outcome->why);
	}
	pthread_mutex_unlock(errand->request->mutex);
	pthread_mutex_destroy(&errand->mutex);
	free(transfers);
	if (atomic_load(&errand->taken) < count)
		return FETCH_TAKEN;
	return atomic_load(&errand->stopped) ? FETCH_STOPPED : FETCH_MISSING;
}

enum fetch_answer
fetch_file(struct fetcher *fetcher, const struct fetch_request *request)
{
	struct errand errand = { .fetcher = fetcher, .request = request };
	const struct fetch_options *options = &fetcher->options;
	char *name = unchecked_name(fetcher, request);
	const enum debuginfod_state state =
		name == NULL ? DEBUGINFOD_UNKNOWN : debuginfod_state(options->directory, name);
	enum fetch_answer answer = FETCH_MISSING;
	bool missed = false;

	if (state == DEBUGINFOD_MISSED)
		note_answer(fetcher, request, options->directory, answer,
			    "no server had it a short time ago");
	pthread_mutex_unlock(request->mutex);
	if (state == DEBUGINFOD_KEPT)
		answer = FETCH_TAKEN;
	else if (state != DEBUGINFOD_MISSED)
		answer = ask_all(&errand, &missed);
	if (name != NULL && missed && !options->offline)
		debuginfod_mark(options->directory, name, true);
	for (size_t i = 0; name == NULL && answer != FETCH_TAKEN && i < fetch_form_count; i++)
		if (is_form_of(&fetch_forms[i], fetcher, request->kind))
			fetch_keep_tidy(options->directory, request->subject, &fetch_forms[i]);
	free(name);
	pthread_mutex_lock(request->mutex);
	return answer;
}
