/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"
#include "tests/unit/report/scene.h"

/*
 * By scene.h STACK CFI and the frame pointer give frame 0 the caller 401110 with esp 12f010. A scan
 * finds 401130 first, at 12f004.
 */
static const struct {
	const char *begin, *middle, *wide;	/* wide: with the caller's ebp, and the CFA */
	const char *title;
	enum role role;
} rows[] = {
	{ "* STACK CFI ", "taken    00401110 +0x10    main",
	  "taken    00401110 +0x10    0012f018 0012f010 main", "the walk's method has a role of its own", ROLE_CHANGED },
	{ "= frame pointer ", "possible 00401110 +0x10    main",
	  "possible 00401110 +0x10    0012f018 ?        main",
	  "a method with the same caller has the normal role", ROLE_NORMAL },
	{ "! stack scan ", "possible 00401130 +0x8     main",
	  "possible 00401130 +0x8     0012f008 ?        main",
	  "a method with another caller has the role of a contradiction", ROLE_BAD },
};

static void
test_rows(struct scene *scene, const struct listing *listing)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		size_t at = 0;

		while (at < listing->count && strncmp(scene_row(scene, listing, at, 80),
						      rows[i].begin, strlen(rows[i].begin)) != 0)
			at++;
		if (!ok(at < listing->count, "there is a row '%s'", rows[i].begin))
			continue;
		ok(strstr(row_text(&scene->row), rows[i].middle) != NULL, "'%s' has '%s'",
		   rows[i].begin, rows[i].middle);
		is_u64(scene->row.spans[0].role, rows[i].role, "%s", rows[i].title);
		ok(strstr(scene_row(scene, listing, at, 0), rows[i].wide) != NULL,
		   "a wide row has ebp and CFA of the caller: %s", row_text(&scene->row));
	}
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	const struct listing listing =
		methods_listing(methods_compare(scene.walk, 0, &scene.arena));
	test_rows(&scene, &listing);
	scene_close(&scene);
	return done_testing();
}
