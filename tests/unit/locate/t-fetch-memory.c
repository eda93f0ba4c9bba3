/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include "tests/lib/tap.h"

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
