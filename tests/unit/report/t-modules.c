/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/modules.h"

#include "tests/unit/report/scene.h"

static void
test_rows(struct scene *scene)
{
	struct listing modules =
		modules_listing(&scene->crash, scene->symbols, NULL, &scene->arena);

	is_u64(modules.count, 3, "every module has a row");
	is_str(scene_row(scene, &modules, 0, 80),
	       " 00400000-00402fff  app.exe     symbols   app.sym   1 message",
	       "the lowest one comes first, with its symbol file");
	is_str(scene_row(scene, &modules, 1, 80),
	       " 77000000-77000fff  other.dll   not looked at",
	       "one whose symbols nobody asked for says so");
	is_str(scene_row(scene, &modules, 2, 80), " 10000000-10001fff  gone.dll    unloaded",
	       "unloaded ones come last");
	symbols_load(scene->symbols, 0);
	is_str(scene_row(scene, &modules, 1, 80), " 77000000-77000fff  other.dll   none found",
	       "one without symbols says that");
	is_str(scene_row(scene, &modules, 0, 22), " 00400000-00402fff  a~", "rows are cut");
}

static void
test_targets(struct scene *scene)
{
	struct listing modules = modules_listing(&scene->crash, NULL, NULL, &scene->arena);
	struct target target = modules.target(&modules, 0);

	ok(target.kind == TARGET_MODULE && target.module == 1,
	   "a loaded module's row leads to it");
	is_u64(modules_row(&modules, 1), 0, "and it to its row");
	is_u64(modules_row(&modules, 0), 1, "the other one to the other row");
	ok(modules.target(&modules, 2).kind == TARGET_PLACE,
	   "an unloaded one leads to its entry in the dump");
	ok(strstr(scene_explain(scene, &modules, 0),
		  "app.pdb 5A9832E5287241C1838ED98914E9B7FF1   test.dmp+0x") != NULL,
	   "its id and its entry are explained");
	is_str(scene_row(scene, &modules, 0, 80), " 00400000-00402fff  app.exe     none given",
	       "without any symbols every module has none");
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_rows(&scene);
	test_targets(&scene);
	scene_close(&scene);
	return done_testing();
}
