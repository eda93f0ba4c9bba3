/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/source.h"

#include <fcntl.h>
#include <utime.h>

#include "tests/unit/report/scene.h"

static struct scene scene;
static const char *path, *dump;
static char map[256];

/* source/inner.h next to a dump that need not exist. */
TEST(make_files)
{
	path = put_text("source/inner.h", "one\n\ttwo\nthree\x1b[2J\r\nfour");
	dump = path_in("test.dmp");
}

TEST(rows)
{
	const struct source_options options = { .dump = dump, .time = scene.crash.time };
	struct utimbuf times = { 0, 0 };

	utime(path, &times);
	struct listing source = source_listing(&options, scene.walk, 0, 0, &scene.arena);
	is_u64(source.count, 4, "every line has a row");
	is_u64(source.current, 2, "that of the call is known");
	is_str(scene_row(&scene, &source, 1, 80), "    2          two", "tabs are blanks");
	is_str(scene_row(&scene, &source, 2, 80), scene_edges(&scene, "=>  3  three\\x1b[2J", "rva 1010-101f, at + 0x5"),
	       "the call's line has a mark and the code that the record gives it");
	is_str(scene_row(&scene, &source, 3, 80), "    4  four", "the last line needs no end");
	is_str(source_shown(&source).path, path, "the listing has its file");
	is_u64(source_shown(&source).line, 3, "the listing has the line of the call");
	row_clear(&scene.row);
	listing_head(&source, 0, &scene.row);
	is_str(row_text(&scene.row), arena_format(&scene.arena, " c:\\src\\inner.h   read from %s   with the dump", path),
	       "the head says where it was read from");
	ok(listing_target(&source, 2).place.line == 10, "the line leads to its record");
	source = source_listing(&options, scene.walk, 0, 1, &scene.arena);
	is_u64(source.current, 3, "a line past the end of the file has its last row");
	is_u64(listing_target(&source, 6).place.line, 8, "the line of an inlined call's call is said by the INLINE record");
	source = source_listing(&options, scene.walk, 0, STACK_END, &scene.arena);
	is_u64(source.current, 2, "an invalid call number selects the innermost call");
}

TEST(absence)
{
	const struct source_options options = { .dump = dump };

	struct listing source = source_listing(&options, scene.walk, 1, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), " 'c:\\src\\app.c' not found; tried", "a missing source is reported");
	is_str(scene_row(&scene, &source, 1, 0), "   c:\\src\\app.c (as recorded): No such file or directory",
	       "the listing has every path that was tried");
	is_u64(source.count, 3, "the listing has a row for each of two paths");
	ok(source_shown(&source).path == NULL && source.current == 0, "the listing without a source shows no file");
	source = source_listing(&options, scene.walk, 2, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "the symbols have no source line for this address",
	       "a function without lines is reported");
	source = source_listing(&options, scene.walk, 99, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "no frame", "a missing frame is reported");
	static const struct {
		uint64_t address;
		const char *why;
	} lacks[] = {
		{ 0x10, "the address lies in no module" }, { 0x400010, "the symbols have no function at this address" },
		{ 0x77000010, "there are no symbols for this module" }, { 0x401010, "    1  one" },
	};
	struct frame *frame = &scene.walk->frames[2], was = *frame;
	for (size_t i = 0; i < ARRAY_COUNT(lacks); i++) {
		frame->registers.value[0] = frame->lookup = lacks[i].address;
		frame->module = module_map_find(&scene.walk->modules, lacks[i].address);
		source = source_listing(&options, scene.walk, 2, 0, &scene.arena);
		is_str(scene_row(&scene, &source, 0, 0), lacks[i].why, "the source or its lack at %x", (unsigned)lacks[i].address);
	}
	*frame = was;
	frame = &scene.walk->frames[0];
	was = *frame;
	frame->lookup = 0x400010;
	source = source_listing(&options, scene.walk, 0, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "the symbols have no function at this address; frame 1, main, is the next with a source line",
	       "a caller with a line is named");
	*frame = was;
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *bare = walk_create(&scene.crash, NULL, NULL, 1, &policy);
	walk_run(bare, 1);
	source = source_listing(&options, bare, 0, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "there are no symbols for this module", "a module without symbols is reported");
	walk_free(bare);
}

/* Lines 1 to 1200, each with its number, of inner.h and app.c; leaf is at inner.h:3, its call at inner.h:7, middle's at app.c:20. */
static const char *
numbered(const char *name)
{
	static char text[1200 * 10];
	size_t used = 0;

	for (unsigned i = 1; i <= 1200; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "line %u\n", i);
	return put_text(name, text);
}

#define LEAF "inner.h:3   rva 1010-101f, at + 0x5   app.sym:10"

TEST(calls)
{
	static const struct {
		size_t call, row, columns;
		const char *text, *explained;
		uint32_t record;	/* its line in the symbol file; 0: none */
	} rows[] = {
		{ 0, 0, 80, "     1  line 1", "inner.h:1", 0 }, { 0, 2, 0, "=>   3  line 3  rva 1010-101f, at + 0x5", LEAF, 10 },
		{ 0, 2, 38, "=>   3  line 3", LEAF, 10 }, { 0, 2, 39, "=>   3  line 3  rva 1010-101f, at + 0x5", LEAF, 10 },
		{ 0, 6, 0, "->   7  line 7  inlined here: leaf", "inner.h:7  inlined here: leaf", 0 },
		{ 0, 6, 38, "->   7  line 7  inlined here: leaf", "inner.h:7  inlined here: leaf", 0 },
		{ 0, 6, 37, "->   7  line 7", "inner.h:7  inlined here: leaf", 0 },
		{ 1, 2, 0, "->   3  line 3  in leaf", "inner.h:3  in leaf", 0 },
		{ 1, 2, 27, "->   3  line 3  in leaf", "inner.h:3  in leaf", 0 }, { 1, 2, 26, "->   3  line 3", "inner.h:3  in leaf", 0 },
		{ 1, 6, 0, "=>   7  line 7", "inner.h:7   app.sym:8", 8 }, { 2, 19, 0, "=>  20  line 20", "app.c:20   app.sym:7", 7 },
		{ 2, 2, 0, "     3  line 3", "app.c:3", 0 }, { 2, 1199, 0, "  1200  line 1200", "app.c:1200", 0 },
	};
	const char *maps[] = { map };
	const struct source_options options = { .maps = maps, .map_count = 1 };
	const char *inner = numbered("numbered/inner.h");

	numbered("numbered/app.c");
	snprintf(map, sizeof(map), "c:\\src=%s", path_in("numbered"));
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct listing source = source_listing(&options, scene.walk, 0, rows[i].call, &scene.arena);
		is_u64(source.count, 1200, "each line has a row: %zu", i);
		is_str(scene_row(&scene, &source, rows[i].row, rows[i].columns), rows[i].text, "row %zu of call %zu in %zu columns",
		       rows[i].row, rows[i].call, rows[i].columns);
		is_str(scene_explain(&scene, &source, rows[i].row), rows[i].explained, "row %zu is explained", rows[i].row);
		is_u64(listing_target(&source, rows[i].row).place.line, rows[i].record, "the record of row %zu", rows[i].row);
	}
	struct listing source = source_listing(&options, scene.walk, 0, 0, &scene.arena);
	const char *head = arena_format(&scene.arena, " c:\\src\\inner.h   read from %s   map %s", inner, map);
	for (size_t columns = strlen(head) - 1; columns <= strlen(head); columns++) {
		row_clear(&scene.row);
		listing_head(&source, columns, &scene.row);
		is_u64(strlen(row_text(&scene.row)), columns == strlen(head) ? columns : strlen(head) - strlen(map) - 7,
		       "the head has the map if there is room");
		ok(strncmp(row_text(&scene.row), head, strlen(row_text(&scene.row))) == 0, "the head names file and path");
	}
	row_clear(&scene.row);
	listing_head(&source, 40, &scene.row);
	ok(strncmp(row_text(&scene.row), head, 30) == 0 && strcmp(row_text(&scene.row) + strlen(row_text(&scene.row)) - 5, "ner.h") == 0,
	   "both ends of a path are kept: %s", row_text(&scene.row));
	if (remove(inner) != 0)
		exit(1);
	source = source_listing(&options, scene.walk, 0, 0, &scene.arena);
	is_u64(source.count, 3, "a missing file has three rows");
	is_str(scene_row(&scene, &source, 0, 0), " 'c:\\src\\inner.h' not found; tried", "it is named");
	is_str(scene_row(&scene, &source, 1, 0), arena_format(&scene.arena, "   %s (map %s): No such file or directory", inner, map),
	       "the path that was tried is named");
	is_str(scene_row(&scene, &source, 2, 0), " frame 1, main, is the next whose source is found", "a caller is named");
	ok(source_shown(&source).missing.length == 14 && source_shown(&source).path == NULL, "the file is missing");
	put_text("numbered/inner.h", "");
	source = source_listing(&options, scene.walk, 0, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "the source file is empty", "an empty file is reported");
	put_text("numbered/inner.h", "\n");
	source = source_listing(&options, scene.walk, 0, 0, &scene.arena);
	is_u64(source.count, 1, "a file of one empty line has a row");
	is_str(scene_row(&scene, &source, 0, 0), "    1  ", "numbers have three columns");
}

int
main(void)
{
	scene_open(&scene);
	run_tests();
	scene_close(&scene);
	return done_testing();
}
