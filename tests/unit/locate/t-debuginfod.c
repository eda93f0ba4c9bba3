/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tests/lib/tap.h"

/* The requests and the cache; tests/batch/debuginfod.t has the answers of servers. */

#define ID "0123456789abcdef"

static void
test_ids(void)
{
	static const struct {
		const char *id;
		bool taken;
	} cases[] = {
		{ "3cb5c356c6dd1a2f1211e753916f2fbbb324dc75", true },
		{ "3CB5C356C6DD1A2F1211E753916F2FBBB324DC75", true },
		{ "0123456789abcdef", true },
		{ "0123456789abcde", false },
		{ "0123456789abcd", false },
		{ "0000000000000000000000000000000000000000", false },
		{ "", false },
		{ "../../../../../../../../../../etc/passwd", false },
		{ "3cb5c356c6dd1a2f1211e753916f2fbbb324dc7 ", false },
		{ "3cb5c356c6dd1a2f1211e753916f2fbbb324dc7\n", false },
		{ "0x3cb5c356c6dd1a2f1211e753916f2fbbb324dc", false },
		{ "3cb5c356%2f%2e1a2f1211e753916f2fbbb324dc", false },
	};
	char longest[2 * LIMIT_BUILD_ID + 3];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(debuginfod_takes(cases[i].id) == cases[i].taken, "'%s' is %s", cases[i].id,
		   cases[i].taken ? "a build id" : "not requested");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ok(!debuginfod_takes(longest), "a build id may be too long");
	longest[2 * LIMIT_BUILD_ID] = '\0';
	ok(debuginfod_takes(longest), "a build id may have LIMIT_BUILD_ID bytes");
}

static FILE *
cache_file(const char *folder, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "w");
}

/* A client writes a file to the cache, or an empty file if no server has it. */
static void
test_cache(void)
{
	char folder[] = P_tmpdir "/unspool-debuginfod.XXXXXX", command[sizeof(folder) + 16];
	FILE *file;

	if (mkdtemp(folder) == NULL) {
		ok(false, "a folder for the test");
		return;
	}
	ok(debuginfod_state(folder, ID "/executable") == DEBUGINFOD_UNKNOWN,
	   "an empty cache knows nothing");
	debuginfod_mark(folder, ID "/executable", true);
	ok(debuginfod_state(folder, ID "/executable") == DEBUGINFOD_MISSED &&
	   debuginfod_state(folder, ID "/debuginfo") == DEBUGINFOD_UNKNOWN,
	   "a miss is noted for one file");
	file = cache_file(folder, "cache_miss_s");
	fputs("0\n", file);
	fclose(file);
	ok(debuginfod_state(folder, ID "/executable") == DEBUGINFOD_UNKNOWN,
	   "as long as the cache says");
	file = cache_file(folder, ID "/executable");
	fputs("x", file);
	fclose(file);
	ok(debuginfod_state(folder, ID "/executable") == DEBUGINFOD_KEPT, "a file is kept");
	debuginfod_mark(folder, ID "/executable", false);
	ok(debuginfod_state(folder, ID "/executable") == DEBUGINFOD_UNKNOWN, "or removed");
	file = cache_file(folder, "executable");
	fputs("x", file);
	fclose(file);
	debuginfod_mark(folder, ID "/../executable", false);
	debuginfod_mark(folder, "executable", false);
	ok(debuginfod_state(folder, "executable") == DEBUGINFOD_KEPT,
	   "a file that is not named by an ID stays");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ok(system(command) == 0, "the test leaves nothing");
}

/* Names as elfutils 0.192 makes them; the hash of "/a" is (5381 * 33 + '/') * 33 + 'a'. */
static void
test_sources(void)
{
	char name[LOCATE_SHOWN], path[FETCH_PATH_SIZE], kept[FETCH_PATH_SIZE], longest[300];

	ok(strcmp(debuginfod_source_name("/a", name), "005970b5-#a") == 0, "the name of a source");
	ok(strcmp(debuginfod_source_name("", name), "") == 0, "no path has no name");
	memset(longest, 'x', sizeof(longest));
	memcpy(longest + sizeof(longest) - 5, "/y.c", 5);
	debuginfod_source_name(longest, name);
	ok(strlen(name) == 126 && strcmp(name + 121, "x#y.c") == 0, "a long name keeps its end");
	ok(debuginfod_kept(kept, ID "/source/%61?key=1") &&
	   strcmp(kept, ID "/source-005970b5-#a") == 0, "the name follows from the URL");
	ok(debuginfod_path(path, "/d", kept) && strcmp(path, "/d/" ID "/source-005970b5-#a") == 0,
	   "it is written in the cache");
	ok(!debuginfod_path(path, "/d", ID "/source-../../x") &&
	   !debuginfod_path(path, "/d", ID "/source"), "another name is not");
}

static void
test_urls(void)
{
	char folder[] = P_tmpdir "/unspool-debuginfod.XXXXXX", command[sizeof(folder) + 16];
	struct arena arena = { 0 };

	if (mkdtemp(folder) == NULL) {
		ok(false, "a folder for the test");
		return;
	}
	is_text(debuginfod_read_urls(folder, &arena), "", "no file has no URL");
	for (const char *name = "b.urls\0a.urls\0c.txt\0"; *name != '\0';
	     name += strlen(name) + 1) {
		FILE *file = cache_file(folder, name);

		fprintf(file, "http://%.1s\n", name);
		fclose(file);
	}
	is_text(debuginfod_read_urls(folder, &arena), "http://a\n\nhttp://b\n\n",
		"the files are read in the order of their names");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ok(system(command) == 0, "the test leaves nothing");
	arena_free(&arena);
}

/* Text that is not a build ID is not requested. */
static void
test_hostile(void)
{
	static const char *const urls[] = { "http://127.0.0.1:1" };
	const struct module module = { .code_file = "" };
	const struct locate_subject subject = { .module = &module, .build_id = "../../etc/passwd" };
	struct fetch_memory *memory = fetch_memory_create();
	struct fetcher *fetcher = fetch_create(
		&(struct fetch_options){ .service = FETCH_DEBUGINFOD, .urls = urls, .url_count = 1,
					 .directory = "/nonexistent", .memory = memory }, NULL);
	struct message_list messages = { .arena = NULL };
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	const struct fetch_request request = { .kind = LOCATE_IMAGE, .subject = &subject,
					       .messages = &messages, .mutex = &mutex };

	pthread_mutex_lock(&mutex);
	ok(fetcher != NULL && fetch_file(fetcher, &request) == FETCH_MISSING &&
	   message_total(&messages) == 0, "no server is asked for text that is no build ID");
	pthread_mutex_unlock(&mutex);
	fetch_free(fetcher);
	fetch_memory_free(memory);
}

int
main(void)
{
	test_ids();
	test_cache();
	test_sources();
	test_urls();
	if (fetch_is_built_in())
		test_hostile();
	return done_testing();
}
