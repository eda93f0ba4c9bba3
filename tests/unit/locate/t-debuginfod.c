/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include "base/limits.h"
#include "tests/lib/folder.h"

/* The requests and the cache; tests/batch/debuginfod.t has the answers of servers. */

#define ID "0123456789abcdef"

TEST(ids)
{
	static const struct {
		const char *id;
		bool taken;
	} cases[] = {
		{ "3cb5c356c6dd1a2f1211e753916f2fbbb324dc75", true }, { "3CB5C356C6DD1A2F1211E753916F2FBBB324DC75", true },
		{ "0123456789abcdef", true }, { "0123456789abcde", false }, { "0123456789abcd", false },
		{ "0000000000000000000000000000000000000000", false }, { "", false },
		{ "../../../../../../../../../../etc/passwd", false }, { "3cb5c356c6dd1a2f1211e753916f2fbbb324dc7 ", false },
		{ "3cb5c356c6dd1a2f1211e753916f2fbbb324dc7\n", false }, { "0x3cb5c356c6dd1a2f1211e753916f2fbbb324dc", false },
		{ "3cb5c356%2f%2e1a2f1211e753916f2fbbb324dc", false },
	};
	char longest[2 * LIMIT_BUILD_ID + 3];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		ok(debuginfod_takes(cases[i].id) == cases[i].taken, "'%s' is %s", cases[i].id,
		   cases[i].taken ? "a build id" : "not requested");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ok(!debuginfod_takes(longest), "a build id may be too long");
	longest[2 * LIMIT_BUILD_ID] = '\0';
	ok(debuginfod_takes(longest), "a build id may have LIMIT_BUILD_ID bytes");
}

/* A client writes a file to the cache, or an empty file if no server has it. */
TEST(cache)
{
	if (!ok(folder_make(), "a folder for the test"))
		return;
	ok(debuginfod_state(root, ID "/executable") == DEBUGINFOD_UNKNOWN, "an empty cache knows nothing");
	debuginfod_mark(root, ID "/executable", true);
	ok(debuginfod_state(root, ID "/executable") == DEBUGINFOD_MISSED &&
	   debuginfod_state(root, ID "/debuginfo") == DEBUGINFOD_UNKNOWN,
	   "a miss is noted for one file");
	put_text("cache_miss_s", "0\n");
	ok(debuginfod_state(root, ID "/executable") == DEBUGINFOD_UNKNOWN, "as long as the cache says");
	put_text(ID "/executable", "x");
	ok(debuginfod_state(root, ID "/executable") == DEBUGINFOD_KEPT, "a file is kept");
	debuginfod_mark(root, ID "/executable", false);
	ok(debuginfod_state(root, ID "/executable") == DEBUGINFOD_UNKNOWN, "or removed");
	put_text("executable", "x");
	debuginfod_mark(root, ID "/../executable", false);
	debuginfod_mark(root, "executable", false);
	ok(debuginfod_state(root, "executable") == DEBUGINFOD_KEPT, "a file that is not named by an ID stays");
	folder_remove();
}

/* Names as elfutils 0.192 makes them; the hash of "/a" is (5381 * 33 + '/') * 33 + 'a'. */
TEST(sources)
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
	ok(debuginfod_path(path, "/d", kept) && strcmp(path, "/d/" ID "/source-005970b5-#a") == 0, "it is written in the cache");
	ok(!debuginfod_path(path, "/d", ID "/source-../../x") &&
	   !debuginfod_path(path, "/d", ID "/source"), "another name is not");
}

TEST(urls)
{
	struct arena arena = { 0 };

	if (!ok(folder_make(), "a folder for the test"))
		return;
	is_text(debuginfod_read_urls(root, &arena), "", "no file has no URL");
	for (const char *name = "b.urls\0a.urls\0c.txt\0"; *name != '\0'; name += strlen(name) + 1) {
		const char url[] = { 'h', 't', 't', 'p', ':', '/', '/', *name, '\n' };

		put_bytes(name, url, sizeof(url));
	}
	is_text(debuginfod_read_urls(root, &arena), "http://a\n\nhttp://b\n\n", "the files are read in the order of their names");
	folder_remove();
	arena_free(&arena);
}
