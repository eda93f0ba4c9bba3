/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/debuginfod.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "tests/lib/tap.h"

/* Who is asked for what; how they answer is in tests/batch/debuginfod.t. */

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
		   cases[i].taken ? "a build id" : "none that is asked for");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ok(!debuginfod_takes(longest), "a build id may be too long");
	longest[2 * LIMIT_BUILD_ID] = '\0';
	ok(debuginfod_takes(longest), "and so long it may be");
}

static void
test_hosts(void)
{
	static const struct {
		const char *urls, *hosts;
	} cases[] = {
		{ "http://127.0.0.1:1", "127.0.0.1:1" },
		{ " https://user:secret@one/x\thttp://two http://three ", "one and 2 more" },
		{ "http://\x1b[2J/", "?[2J" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct debuginfod *servers = debuginfod_open(
			&(struct debuginfod_options){ .urls = cases[i].urls });

		if (servers != NULL && strchr(cases[i].urls, '\x1b') == NULL)
			is_str(debuginfod_hosts(servers), cases[i].hosts, "hosts that are named");
		else
			ok(servers != NULL && strchr(debuginfod_hosts(servers), '\x1b') == NULL,
			   "hosts are printable");
		debuginfod_close(servers);
	}
	ok(debuginfod_open(&(struct debuginfod_options){ .urls = "" }) == NULL &&
	   debuginfod_open(&(struct debuginfod_options){ .urls = " \t" }) == NULL,
	   "without a URL there is no server");
	debuginfod_close(NULL);
}

/* An id that is none never gets as far as a library that might put it into a URL or a path. */
static void
test_hostile(void)
{
	struct debuginfod *servers =
		debuginfod_open(&(struct debuginfod_options){ .urls = "http://127.0.0.1:1" });
	char why[DEBUGINFOD_WHY], *path;

	ok(servers != NULL &&
	   debuginfod_ask(servers, LOCATE_IMAGE, "../../etc/passwd", NULL, NULL, &path,
			  why) == FETCH_MISSING && path == NULL,
	   "no server is asked for what is no build id");
	debuginfod_close(servers);
}

/* Only what has the name that its id gives it is taken out of a cache. */
static void
test_forget(void)
{
	char folder[] = P_tmpdir "/unspool-debuginfod.XXXXXX", path[sizeof(folder) + 16];

	if (mkdtemp(folder) == NULL) {
		ok(false, "a folder for the test");
		return;
	}
	snprintf(path, sizeof(path), "%s/executable", folder);
	FILE *file = fopen(path, "w");
	if (file != NULL)
		fclose(file);
	debuginfod_forget(LOCATE_IMAGE, "0123456789abcdef", path);
	file = fopen(path, "r");
	ok(file != NULL, "a file that is not named by the id stays");
	if (file != NULL)
		fclose(file);
	remove(path);
	remove(folder);
}

int
main(void)
{
	test_ids();
	if (!debuginfod_is_built_in()) {
		ok(debuginfod_open(&(struct debuginfod_options){ .urls = "http://x" }) == NULL,
		   "without the library there are no servers");
		return done_testing();
	}
	test_hosts();
	test_hostile();
	test_forget();
	return done_testing();
}
