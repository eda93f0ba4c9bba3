/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/modules.h"

#include "tests/unit/report/scene.h"

static void
test_rows(struct scene *scene)
{
	struct modules_state state;
	const struct modules_options options = { .crash = &scene->crash,
						 .symbols = scene->symbols, .state = &state };

	modules_state_init(&state, &scene->crash);
	struct listing modules = modules_listing(&options, &scene->arena);
	is_u64(modules.count, 3, "every module has a row");
	is_str(scene_row(scene, &modules, 0, 80),
	       " + 00400000-00402fff  app.exe     symbols   app.sym   1 message",
	       "the lowest one comes first, with its symbol file");
	is_str(scene_row(scene, &modules, 1, 80),
	       " + 77000000-77000fff  other.dll   not examined",
	       "a module whose symbols were not requested is marked");
	is_str(scene_row(scene, &modules, 2, 80), "   10000000-10001fff  gone.dll    unloaded", "unloaded ones come last");
	symbols_load(scene->symbols, 0);
	is_str(scene_row(scene, &modules, 1, 80), " + 77000000-77000fff  other.dll   none found",
	       "a module without symbols is listed as such");
	is_str(scene_row(scene, &modules, 0, 24), " + 00400000-00402fff  a~", "rows of modules are cut");
	modules_state_free(&state);
}

static void
test_targets(struct scene *scene)
{
	struct modules_state state;
	const struct modules_options options = { .crash = &scene->crash, .state = &state };

	modules_state_init(&state, &scene->crash);
	struct listing modules = modules_listing(&options, &scene->arena);
	struct target target = listing_target(&modules, 0);

	ok(target.kind == TARGET_MODULE && target.module == 1, "a loaded module's row leads to it");
	is_u64(modules_row(&modules, 1), 0, "a module has its row");
	is_u64(modules_row(&modules, 0), 1, "the other module has the other row");
	ok(listing_target(&modules, 2).kind == TARGET_PLACE, "an unloaded one leads to its entry in the dump");
	ok(strstr(scene_explain(scene, &modules, 0),
		  "app.pdb 5A9832E5287241C1838ED98914E9B7FF1   test.dmp+0x") != NULL,
	   "the id and the entry of a module are explained");
	is_str(scene_row(scene, &modules, 0, 80), " + 00400000-00402fff  app.exe     none given",
	       "every module has no symbols if none are given");
	modules_state_free(&state);
}

/* The first row from `row` on that contains a text, or the number of rows. */
static size_t
row_with(struct scene *scene, const struct listing *listing, const char *text)
{
	for (size_t i = 0; i < listing->count; i++)
		if (strstr(scene_row(scene, listing, i, 0), text) != NULL)
			return i;
	return listing->count;
}

static void
test_reports(struct scene *scene)
{
	struct modules_state state;
	struct modules_options options = { .crash = &scene->crash, .symbols = scene->symbols,
					   .state = &state };

	modules_state_init(&state, &scene->crash);
	struct listing modules = modules_listing(&options, &scene->arena);
	is_u64(modules.count, 3, "folded, every module has a row");
	is_str(scene_row(scene, &modules, 0, 30), " + 00400000-00402fff  app.exe~", "folded modules have a sign");
	is_str(scene_row(scene, &modules, 2, 0), "   10000000-10001fff  gone.dll    unloaded",
	       "an unloaded module has nothing to show");
	state.reports[1].open = true;
	modules = modules_listing(&options, &scene->arena);
	is_str(scene_row(scene, &modules, 0, 30), " - 00400000-00402fff  app.exe~", "an unfolded module has another sign");
	is_str(scene_row(scene, &modules, 1, 0),
	       "    debug id  5A9832E5287241C1838ED98914E9B7FF1 of app.pdb",
	       "the debug ID is under the row of an unfolded module");
	const size_t other = modules_row(&modules, 0);
	is_u64(other, modules.count - 2, "the next module follows all of these rows");
	const struct modules_spot spot = modules_spot(&modules, other - 1);
	ok(spot.entry == 0 && spot.line == other - 1, "the rows of a module are its own");
	is_u64(modules_module(&modules, other - 1), 1, "the rows belong to the module");
	is_u64(modules_module(&modules, modules.count - 1), SIZE_MAX, "the last row belongs to no loaded module");
	is_u64(modules_row_of_spot(&modules, (struct modules_spot){ 0, 9999 }), other - 1,
	       "a position after its rows leads to the last of them");
	size_t has = row_with(scene, &modules, "2 FUNC");
	ok(has < other && listing_target(&modules, has).kind == TARGET_MODULE &&
	   listing_target(&modules, has).module == 1,
	   "the file's number of records leads to the module");
	ok(listing_target(&modules, 1).kind == TARGET_PLACE, "the id to the bytes that say it");
	options.columns = 40;
	const size_t whole = modules.count;
	modules = modules_listing(&options, &scene->arena);
	ok(modules.count > whole, "narrow rows are wrapped");
	modules_state_free(&state);
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_rows(&scene);
	test_targets(&scene);
	test_reports(&scene);
	scene_close(&scene);
	return done_testing();
}
