/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/modules.h"

#include <unistd.h>

#include "debug_info/binary_survey.h"
#include "tests/unit/report/scene.h"

static void
test_reports(struct scene *scene)
{
	struct modules_state state;
	struct modules_options options = { .crash = &scene->crash, .symbols = scene->symbols, .state = &state };

	modules_state_init(&state, &scene->crash);
	struct listing modules = modules_listing(&options, &scene->arena);
	is_u64(modules.count, 3, "folded, every module has a row");
	is_str(scene_row(scene, &modules, 0, 24), " + 00400000-00402fff  a~", "rows of modules are cut");
	state.reports[1].open = true;
	modules = modules_listing(&options, &scene->arena);
	const size_t other = modules_row(&modules, 0);
	is_u64(other, modules.count - 2, "the next module follows all of these rows");
	const struct modules_spot spot = modules_spot(&modules, other - 1);
	ok(spot.entry == 0 && spot.line == other - 1, "the rows of a module are its own");
	is_u64(modules_module(&modules, other - 1), 1, "the rows belong to the module");
	is_u64(modules_module(&modules, modules.count - 1), SIZE_MAX, "the last row belongs to no loaded module");
	for (size_t line = other; line <= 9999; line += 9999 - other)
		is_u64(modules_row_of_spot(&modules, (struct modules_spot){ 0, line }), other - 1,
		       "a position after its rows leads to the last of them: %zu", line);
	is_u64(modules_row_of_spot(&modules, (struct modules_spot){ 1, 0 }), other, "a position leads to its row");
	is_u64(modules_row_of_spot(&modules, (struct modules_spot){ 3, 0 }), 0, "a position of no module leads to the first row");
	const struct listing none = modules_listing(&(struct modules_options){ .crash = &(const struct crash){ .module_count = 0 } }, &scene->arena);
	is_str(scene_row(scene, &none, 0, 0), "the dump has no modules", "a dump without modules has a message");
	ok(modules_row(&none, 0) == 0 && modules_module(&none, 0) == SIZE_MAX && modules_spot(&none, 0).line == 0 &&
	   modules_row_of_spot(&none, (struct modules_spot){ 1, 1 }) == 0, "a message leads to no module");
	options.columns = 40;
	const size_t whole = modules.count;
	modules = modules_listing(&options, &scene->arena);
	ok(modules.count > whole, "narrow rows are wrapped");
	modules_state_free(&state);
}

/* Each row of a listing and what it leads to, after its explanation; options that need a library are left out. */
static const char *
whole(struct scene *scene, const struct listing *listing, size_t first, bool explained)
{
	struct output_string made;

	output_string_init(&made, &scene->arena);
	for (size_t i = first; i < listing->count; i++) {
		const struct target to = listing_target(listing, i);
		const char *text = scene_row(scene, listing, i, 0), *more = strstr(text, "'--binaries'; ");

		output_format(&made.output, "%.*s|", more != NULL ? (int)(more - text) + 12 : (int)strlen(text), text);
		if (explained)
			output_format(&made.output, "%s|", scene_explain(scene, listing, i));
		if (to.kind == TARGET_MODULE)
			output_format(&made.output, "module %zu", to.module);
		else if (to.kind == TARGET_PLACE)
			output_format(&made.output, "%s %u", place_base_name(to.place.input->name), to.place.length);
		output_plain(&made.output, "\n");
	}
	return made.text;
}

static void
add_modules(struct synth *synth)
{
	synth_module(synth, 0x300000, 0, "c:\\empty.dll", NULL, NULL);
	synth_module_version(synth, 0x00010002, 0x00030004, 0);
	synth_module(synth, 0x200000, 0x1000, "c:\\a-name-of-47-characters-is-cut-at-its-front.dll", NULL, NULL);
	synth_unloaded(synth, 0x8000000, 0x1000, "c:\\early.dll", 1);
}

#define LONG "a-name-of-47-characters-is-cut-at-its-front.dll"
#define CUT "a-name-of-47-charact~ut-at-its-front.dll"
#define BLANKS "                                  "

static void
test_whole(void)
{
	struct modules_state state;
	struct scene scene;

	scene_more = add_modules;
	scene_open(&scene);
	const struct modules_options options = { .crash = &scene.crash, .symbols = scene.symbols, .state = &state };
	modules_state_init(&state, &scene.crash);
	struct listing modules = modules_listing(&options, &scene.arena);
	is_str(whole(&scene, &modules, 0, true),
	       " + 00200000-00200fff  " LONG "   not examined|c:\\" LONG "   no debug id   test.dmp+0xd44|module 3\n"
	       " + 00300000-00300000  empty.dll" BLANKS "not examined|c:\\empty.dll   1.2.3.4   no debug id   test.dmp+0xcd8|module 2\n"
	       " + 00400000-00402fff  app.exe  " BLANKS "symbols   app.sym   1 message|"
	       "c:\\app.exe   app.pdb 5A9832E5287241C1838ED98914E9B7FF1   test.dmp+0xc6c|module 1\n"
	       " + 77000000-77000fff  other.dll" BLANKS "not examined|c:\\windows\\other.dll   no debug id   test.dmp+0xc00|module 0\n"
	       "   08000000-08000fff  early.dll" BLANKS "unloaded|c:\\early.dll   no debug id   test.dmp+0x11a8|test.dmp 24\n"
	       "   10000000-10001fff  gone.dll " BLANKS "unloaded|c:\\gone.dll   no debug id   test.dmp+0x1190|test.dmp 24\n",
	       "loaded modules are listed by address before unloaded ones");
	is_str(scene_row(&scene, &modules, 0, 80), " + 00200000-00200fff  " CUT "   not examined", "a long name is cut in the middle");
	is_u64(modules_row(&modules, 3), 0, "the module with the lowest address has the first row");
	symbols_load(scene.symbols, 0);
	for (size_t i = 0; i < 2; i++)
		state.reports[i].open = true;
	modules = modules_listing(&options, &scene.arena);
	is_str(whole(&scene, &modules, 2, false), arena_format(&scene.arena,
	       " - 00400000-00402fff  app.exe  " BLANKS "symbols   app.sym   1 message|module 1\n"
	       "    debug id  5A9832E5287241C1838ED98914E9B7FF1 of app.pdb|test.dmp 35\n    code id   000000003000 of app.exe|test.dmp 108\n"
	       "    looked at %s|module 1\n                used   the given file|module 1\n    has       2 FUNC|module 1\n"
	       "              1 PUBLIC|module 1\n              2 FILE (lines)|module 1\n              2 INLINE_ORIGIN|module 1\n"
	       "              2 STACK CFI INIT|module 1\n"
	       "    messages  ! 1; 'unspool lint' prints them with their effect on a walk|module 1\n"
	       " - 77000000-77000fff  other.dll" BLANKS "none found|module 0\n"
	       "    debug id  none: the dump has no CodeView record with an ID|\n    code id   000000001000 of other.dll|test.dmp 108\n"
	       "    looked at %s|\n                ! refused   it is for another module, with the id 5A9832E5287241C1838ED98914E9B7FF1|\n"
	       "    help      without an ID symbols cannot be matched|\n"
	       "    help      the module's own file also has names and unwind rules: give it or its directory with '--binaries'|test.dmp 108\n"
	       "   08000000-08000fff  early.dll" BLANKS "unloaded|test.dmp 24\n"
	       "   10000000-10001fff  gone.dll " BLANKS "unloaded|test.dmp 24\n", scene.paths[0], scene.paths[0]),
	       "reports lead to the modules and to their records in the dump");
	modules_state_free(&state);
	scene_close(&scene);
}

#define DEBUG "/b5c356c6dd1a2f1211e753916f2fbbb324dc75"
#define CODE_ID "3cb5c356c6dd1a2f1211e753916f2fbbb324dc75"
#define NONE "                not there   "
#define PLACES " data/crashes/sframe-amd64/binaries|crash.dmp 108\n"

/* The file of a program without symbols, and the places where its files were searched. */
static void
test_own_file(void)
{
	const char *folder = "data/crashes/sframe-amd64/binaries";
	struct scene scene = { 0 };
	struct modules_state state;

	row_init(&scene.row, &scene.arena);
	if (chdir(getenv("srcdir")) != 0 || dump_open(&scene.crash, "data/crashes/sframe-amd64/crash.dmp", 0, NULL) != ERROR_NONE)
		exit(1);
	scene.symbols = symbols_create(scene.crash.modules, scene.crash.module_count, NULL, 0);
	struct binaries *binaries = binaries_create(&scene.crash, &folder, 1);
	const struct modules_options options = { &scene.crash, scene.symbols, binaries, &state, 0 };
	modules_state_init(&state, &scene.crash);
	state.reports[0].open = true;
	struct listing modules = modules_listing(&options, &scene.arena);
	ok(strstr(whole(&scene, &modules, 0, false), "    binary    not searched yet|crash.dmp 108\n") != NULL, "a listing searches no file");
	binaries_survey(binaries, 0);
	modules = modules_listing(&options, &scene.arena);
	is_str(scene_explain(&scene, &modules, 0), "/home/postal/parcel/parcel   file parcel   SFrame: section .sframe   "
	       "parcel 56C3B53CDDC62F1A1211E753916F2FBB0   crash.dmp+0x8d8", "the explanation names the file");
	is_str(scene_explain(&scene, &modules, 1), "56C3B53CDDC62F1A1211E753916F2FBB0 of parcel   from crash.dmp+0x870",
	       "a row of a report has its explanation");
	is_str(whole(&scene, &modules, 0, false), " - 0000555555554000-0000555555558fff  parcel      own file  parcel|module 0\n"
	       "    debug id  56C3B53CDDC62F1A1211E753916F2FBB0 of parcel|crash.dmp 24\n    code id   " CODE_ID " of parcel|crash.dmp 108\n"
	       "    looked at no symbol file: no symbol path was given|crash.dmp 24\n"
	       "    gives     unwind rules of .eh_frame, SFrame (section .sframe)|parcel 1\n"
	       "              12 functions in .symtab   the binary|parcel 1\n"
	       "    help      no DWARF, so no lines and no inlined calls: install its debug file, or give a directory that has "
	       "'.build-id/3c" DEBUG ".debug' with '--binaries'|crash.dmp 108\n"
	       "    binary   " PLACES NONE ".build-id/3c" DEBUG "|crash.dmp 108\n" NONE CODE_ID "/executable|crash.dmp 108\n"
	       NONE "parcel/56C3B53CDDC62F1A1211E753916F2FBB0/parcel|crash.dmp 108\n"
	       NONE "parcel/elf-buildid-" CODE_ID "/parcel|crash.dmp 108\n" NONE "home/postal/parcel/parcel|crash.dmp 108\n"
	       "                used   parcel   by its name|parcel 1\n    debug    " PLACES
	       NONE ".build-id/3c" DEBUG ".debug|crash.dmp 108\n" NONE CODE_ID "/debuginfo|crash.dmp 108\n"
	       NONE "_.debug/elf-buildid-sym-" CODE_ID "/_.debug|crash.dmp 108\n"
	       NONE "home/postal/parcel/parcel.debug|crash.dmp 108\n" NONE "parcel.debug|crash.dmp 108\n"
	       " + 00007ffff7dd3000-00007ffff7fa7fff  libc.so.6   none given|module 1\n",
	       "the report leads to the file, and to the records in the dump");
	binaries_free(binaries);
	modules_state_free(&state);
	symbols_free(scene.symbols);
	crash_free(&scene.crash);
	arena_free(&scene.arena);
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_reports(&scene);
	scene_close(&scene);
	test_whole();
	test_own_file();
	return done_testing();
}
