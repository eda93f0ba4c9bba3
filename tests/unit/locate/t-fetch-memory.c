/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include "tests/lib/folder.h"

/* Answers of servers are remembered, by many threads at once. */

#define THREADS 4u
#define URLS 20000u

TEST(answers)
{
	struct fetch_memory *memory = fetch_memory_create();
	enum fetch_answer answer = FETCH_TAKEN;
	char why[FETCH_REASON_SIZE] = "untouched", longest[FETCH_REASON_SIZE * 2];

	ok(!fetch_memory_find(memory, "http://a/x", &answer, why) && answer == FETCH_TAKEN &&
	   strcmp(why, "untouched") == 0, "a URL that was not requested has no answer");
	fetch_memory_add(memory, "http://a/x", FETCH_MISSING, "the server has none (404)");
	fetch_memory_add(memory, "http://a/y", FETCH_FAILED, "loose plug");
	ok(fetch_memory_find(memory, "http://a/x", &answer, why) && answer == FETCH_MISSING,
	   "the answer to a request is remembered");
	is_str(why, "the server has none (404)", "the answer of a server has its reason");
	ok(fetch_memory_find(memory, "http://a/y", &answer, why) && answer == FETCH_FAILED, "each URL has its own answer");
	ok(!fetch_memory_find(memory, "http://a/", &answer, why) &&
	   !fetch_memory_find(memory, "http://a/x?", &answer, why),
	   "a URL that only begins like another is a different one");
	fetch_memory_add(memory, "http://a/x", FETCH_FAILED, "later");
	ok(fetch_memory_find(memory, "http://a/x", &answer, why) && answer == FETCH_FAILED &&
	   strcmp(why, "later") == 0, "the last answer counts");
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	fetch_memory_add(memory, longest, FETCH_FAILED, longest);
	ok(fetch_memory_find(memory, longest, &answer, why) &&
	   strlen(why) == FETCH_REASON_SIZE - 1, "a long reason is cut, the URL is not");
	fetch_memory_free(memory);
	fetch_memory_free(NULL);
}

TEST(failures)
{
	struct fetch_memory *memory = fetch_memory_create();
	enum fetch_answer answer;
	char why[FETCH_REASON_SIZE];
	atomic_uint *one = fetch_memory_failures(memory, "http://a");
	atomic_uint *other = fetch_memory_failures(memory, "http://b");

	ok(one != NULL && other != NULL && one != other && atomic_load(one) == 0, "each server begins without a failure");
	atomic_fetch_add(one, 2);
	ok(fetch_memory_failures(memory, "http://a") == one && atomic_load(one) == 2,
	   "all requests to a server share its failures");
	ok(!fetch_memory_find(memory, "http://a", &answer, why), "the URL of a server has no answer of a file");
	fetch_memory_free(memory);
}

/* A server that cannot be reached: the third failure in a row is reported as the last, debuginfod's first one, too. */
TEST(unreachable)
{
	static const struct {
		enum fetch_service service;
		unsigned before, after;
		const char *hint;	/* NULL: the server is not asked */
	} rows[] = {
		{ FETCH_STORE, 0, 1, "not stored" }, { FETCH_STORE, 2, 3, "the server is not asked again" }, { FETCH_STORE, 3, 3, NULL },
		{ FETCH_DEBUGINFOD, 0, 3, "the server is not asked again" }, { FETCH_DEBUGINFOD, 2, 5, "the server is not asked again" },
		{ FETCH_DEBUGINFOD, 3, 3, NULL },
	};
	static const char *const url = "http://127.0.0.1:1";
	const struct module module = { .code_file = "a", .code_id = "", .debug_file = "a", .debug_id = "AB1", .version = "" };
	const struct locate_subject subject = { .module = &module, .build_id = "0123456789abcdef", .name = "a", .id = "AB1",
						.code_name = "", .code_id = "" };
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	if (!fetch_is_built_in() || fetch_http_refuse(url) != NULL || !folder_make())
		return;
	setenv("no_proxy", "*", 1);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const bool store = rows[i].service == FETCH_STORE;
		struct arena arena = { 0 };
		struct message_list messages = { .arena = &arena };
		struct locate_record record = { .arena = &arena };
		struct fetch_memory *memory = fetch_memory_create();
		struct fetcher *fetcher = fetch_create(&(struct fetch_options){ .service = rows[i].service, .urls = &url,
			.url_count = 1, .directory = root, .memory = memory, .seconds = 60, .most = 1 << 20 }, NULL);

		atomic_store(fetch_memory_failures(memory, url), rows[i].before);
		pthread_mutex_lock(&mutex);
		is_u64(fetch_file(fetcher, &(struct fetch_request){ .kind = store ? LOCATE_SYMBOLS : LOCATE_IMAGE,
			.subject = &subject, .record = &record, .messages = &messages, .mutex = &mutex }), FETCH_MISSING,
		       "row %zu: an unreachable server has no file", i);
		pthread_mutex_unlock(&mutex);
		is_u64(atomic_load(fetch_memory_failures(memory, url)), rows[i].after, "row %zu: failures", i);
		is_str(messages.count == 0 ? NULL : messages.messages[0].hint, rows[i].hint, "row %zu: the message", i);
		ok(record.count == 1 && (strcmp(record.places[0].why, "the server failed and is not asked again") == 0) ==
		   (rows[i].hint == NULL), "row %zu: the server has one answer", i);
		fetch_free(fetcher);
		fetch_memory_free(memory);
		arena_free(&arena);
	}
	folder_remove();
}

/* Add and find each URL; all threads do this at once. */
static void *
remember_all(void *context)
{
	struct fetch_memory *memory = context;
	size_t wrong = 0;

	for (unsigned i = 0; i < URLS; i++) {
		char url[64], said[32], why[FETCH_REASON_SIZE];
		enum fetch_answer answer;

		snprintf(url, sizeof(url), "http://server/%u", i);
		snprintf(said, sizeof(said), "said of %u", i);
		fetch_memory_add(memory, url, FETCH_MISSING, said);
		wrong += !fetch_memory_find(memory, url, &answer, why) || strcmp(why, said) != 0;
		atomic_fetch_add(fetch_memory_failures(memory, "http://server"), 1);
	}
	return wrong == 0 ? context : NULL;
}

TEST(threads)
{
	struct fetch_memory *memory = fetch_memory_create();
	pthread_t threads[THREADS];
	bool good = true;

	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, remember_all, memory);
	for (unsigned i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		good = good && result == memory;
	}
	ok(good, "several threads remember %u URLs at once", URLS);
	is_u64(atomic_load(fetch_memory_failures(memory, "http://server")), THREADS * URLS,
	       "no failure of several threads is lost");
	fetch_memory_free(memory);
}
