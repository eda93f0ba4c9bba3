/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/source.h"

#include <fcntl.h>
#include <utime.h>

#include "tests/unit/report/scene.h"

static struct scene scene;
static const char *deep, *path, *pipe_path, *big, *dump;
static char map[256];

/* source/inner.h, a pipe and a huge file, next to a dump that need not exist. */
TEST(make_files)
{
	path = put_text("source/inner.h", "one\n\ttwo\nthree\x1b[2J\r\nfour");
	big = put_text("source/big.c", "");
	deep = path_in("source");
	pipe_path = path_in("source/pipe.c");
	dump = path_in("test.dmp");
	if (mkfifo(pipe_path, 0600) != 0 || truncate(big, (64 << 20) + 1) != 0)
		exit(1);
}

/* The file that is found for a recorded path, or why the last candidate was unusable. */
static const char *
found(const char *recorded, const char *maps, const char *beside)
{
	const char *list[] = { maps, "nonsense", "c:\\=/nowhere" };
	const struct source_options options = { .maps = list + (maps == NULL),
						.map_count = maps == NULL ? 2 : 3,
						.dump = beside };
	struct source_file file;

	if (source_file_find(&options, NULL, text_of(recorded), &scene.arena, &file)) {
		const struct locate_place *used = &file.places[file.place_count - 1];

		ok(used->outcome == LOCATE_USED && (used->way == LOCATE_SOURCE_BY_MAP) ==
			   (file.map != NULL && used->path == file.path && beside == NULL),
		   "a place says whether a map led to it");
		return file.path;
	}
	return file.place_count == 0 ? "" : file.places[file.place_count - 1].why;
}

TEST(finding)
{
	snprintf(map, sizeof(map), "C:\\build/src=%s", deep);
	is_str(found("c:\\build\\src\\inner.h", map, NULL), path,
	       "a map replaces the beginning, separators and the drive's case being alike");
	is_str(found("c:\\build\\srcs\\inner.h", map, NULL), "No such file or directory",
	       "a map replaces only whole parts of a path");
	is_str(found("c:\\Build\\src\\inner.h", map, NULL), "No such file or directory",
	       "a map compares the case of all letters except the drive's");
	is_str(found("hg:hg.example.org/repo:src/inner.h:abc123", NULL, dump), path,
	       "a file of a version control system is found by its path");
	snprintf(map, sizeof(map), "src=%s", deep);
	is_str(found("git:example.org/repo:src/inner.h:abc", map, NULL), path,
	       "maps apply to the path of a file of a version control system");
	is_str(found(path, NULL, NULL), path, "an existing path is used unchanged");
	is_str(found("d:\\far\\away\\inner.h", NULL, dump), path,
	       "the dump's directory is searched by base name");
	is_str(found("d:\\far\\away\\..", NULL, dump), "No such file or directory",
	       "a name that leads out of it is not");
	is_str(found("", NULL, dump), "", "an empty path is not searched");
}

TEST(refusals)
{
	const char *link = path_in("source/link.c");

	is_str(found("/dev/null", NULL, NULL), "not a regular file",
	       "devices are not opened");
	is_str(found("/proc/self/status", NULL, NULL), "a system file",
	       "files of the system are not opened");
	if (symlink("/proc/self/environ", link) == 0)
		is_str(found(link, NULL, NULL), "a system file",
		       "a link to a file of the system is not opened");
	is_str(found(pipe_path, NULL, NULL), "not a regular file", "a pipe is not waited for");
	is_str(found(deep, NULL, NULL), "not a regular file", "a folder is not a source file");
	is_str(found(big, NULL, NULL), "larger than 64 MiB", "a huge file is not read");
	struct source_file file;
	const struct source_options options = { .dump = dump };
	ok(!source_file_find(&options, NULL, (struct text){ "inner.h\0.txt", 12 }, &scene.arena,
			     &file) &&
		   file.place_count == 0,
	   "a name with a NUL is not searched");
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
	is_str(scene_row(&scene, &source, 2, 80),
	       scene_edges(&scene, "=>  3  three\\x1b[2J", "rva 1010-101f, at + 0x5"),
	       "the call's line has a mark and the code that the record gives it");
	is_str(scene_row(&scene, &source, 3, 80), "    4  four", "the last line needs no end");
	is_str(source_shown(&source).path, path, "the listing has its file");
	is_u64(source_shown(&source).line, 3, "the listing has the line of the call");
	row_clear(&scene.row);
	listing_head(&source, 0, &scene.row);
	is_str(row_text(&scene.row),
	       arena_format(&scene.arena, " c:\\src\\inner.h   read from %s   beside the dump",
			    path),
	       "the head says where it was read from");
	ok(listing_target(&source, 2).place.line == 10, "the line leads to its record");
	source = source_listing(&options, scene.walk, 0, 1, &scene.arena);
	is_u64(source.current, 3, "a line past the end of the file has its last row");
	is_u64(listing_target(&source, 6).place.line, 8,
	       "the line of an inlined call's call is said by the INLINE record");
	source = source_listing(&options, scene.walk, 0, STACK_END, &scene.arena);
	is_u64(source.current, 2, "an invalid call number selects the innermost call");
}

TEST(absence)
{
	const struct source_options options = { .dump = dump };

	struct listing source = source_listing(&options, scene.walk, 1, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), " 'c:\\src\\app.c' not found; tried",
	       "a missing source is reported");
	is_str(scene_row(&scene, &source, 1, 0),
	       "   c:\\src\\app.c (as recorded): No such file or directory",
	       "the listing has every path that was tried");
	is_u64(source.count, 3, "the listing has a row for each of two paths");
	ok(source_shown(&source).path == NULL && source.current == 0,
	   "the listing without a source shows no file");
	source = source_listing(&options, scene.walk, 2, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0),
	       "the symbols have no source line for this address",
	       "a function without lines is reported");
	source = source_listing(&options, scene.walk, 99, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "no frame", "a missing frame is reported");
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct walk *bare = walk_create(&scene.crash, NULL, NULL, 1, &policy);
	walk_run(bare, 1);
	source = source_listing(&options, bare, 0, 0, &scene.arena);
	is_str(scene_row(&scene, &source, 0, 0), "there are no symbols for this module",
	       "a module without symbols is reported");
	walk_free(bare);
}

int
main(void)
{
	scene_open(&scene);
	run_tests();
	scene_close(&scene);
	return done_testing();
}
