/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/source_file.h"

#include <utime.h>

#include "locate/fetch.h"
#include "locate/symbol_store.h"
#include "tests/unit/binary/folder.h"

/* The paths at which a source file is searched, in a folder that is the working directory, and lines of such files. */

#define ID "0123456789abcdef1032547698badcfea0b1c2d3"
#define URL "http://127.0.0.1:1/a"

/* "R:PATH" of each place, separated by blanks: as recorded, M by a map, D next to the dump, C in a cache, S at a server; '+': used. */
static const char *
places_of(const struct source_file *file)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < file->place_count; i++) {
		const struct locate_place *place = &file->places[i];
		const enum locate_way way = place->way;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%c:%s%s", i > 0 ? " " : "",
					 way == LOCATE_SOURCE_AS_RECORDED ? 'R' : way == LOCATE_SOURCE_BY_MAP ? 'M'
					 : way == LOCATE_SOURCE_WITH_DUMP ? 'D' : way == LOCATE_BY_CACHE ? 'C' : 'S',
					 place->path, place->outcome == LOCATE_USED ? "+" : "");
	}
	return text;
}

TEST(folder)
{
	put_text("deep/inner.h", "here");
	put_text("deep/a/b.h", "here");
	put_text("dump/source/inner.h", "here");
	put_text("deep/notes", "here");
	if (chdir(root) != 0)
		exit(1);
}

/* Some texts of records are followed by others in memory: `after` is no part of the path. */
static const struct {
	const char *title, *recorded, *maps, *want, *dump, *after;
} path_rows[] = {
	{ "a map replaces the beginning", "src/inner.h", "src=deep", "M:deep/inner.h+", NULL, NULL },
	{ "a map of the whole path", "w.c", "w.c=deep/inner.h", "M:deep/inner.h+", NULL, NULL },
	{ "a map of a longer path", "src", "src/a=deep", "R:src", NULL, NULL },
	{ "another first letter", "xrc/inner.h", "src=deep", "R:xrc/inner.h", NULL, NULL },
	{ "a separator is no letter", "s/c/inner.h", "src=deep", "R:s/c/inner.h", NULL, NULL },
	{ "a letter is no separator", "sac/inner.h", "s/c=deep", "R:sac/inner.h", NULL, NULL },
	{ "separators are alike", "a\\b/inner.h", "a/b=deep", "M:deep/inner.h+", NULL, NULL },
	{ "an empty map begins each path", "inner.h", "=deep", "M:deep/inner.h+", NULL, NULL },
	{ "a map that ends with a separator", "src/inner.h", "src/=deep", "M:deep/inner.h+", NULL, NULL },
	{ "a map ends at a separator", "srcs/inner.h", "src=/deep", "R:srcs/inner.h", NULL, NULL },
	{ "the map's own separators are not its end", "a/bc/inner.h", "a/b=deep", "R:a/bc/inner.h", NULL, NULL },
	{ "the longest of two maps, if it is last", "src/lib/inner.h", "src=none src/lib=deep", "M:deep/inner.h+", NULL, NULL },
	{ "the longest of two maps, if it is first", "src/lib/inner.h", "src/lib=deep src=none", "M:deep/inner.h+", NULL, NULL },
	{ "the first of equal maps", "src/inner.h", "src=deep src=none", "M:deep/inner.h+", NULL, NULL },
	{ "a text that is not a map", "src/inner.h", "src", "R:src/inner.h", NULL, NULL },
	{ "a drive in another case", "C:/inner.h", "c:=deep", "M:deep/inner.h+", NULL, NULL },
	{ "a drive alone", "C:", "c:=deep/inner.h", "M:deep/inner.h+", NULL, NULL },
	{ "a folder of one letter is not a drive", "c/inner.h", "C=deep", "R:c/inner.h", NULL, NULL },
	{ "a letter is not a drive", "c", "C=deep", "R:c", NULL, ":x" },
	{ "the case of a folder", "c:/A/inner.h", "c:/a=deep", "R:c:/A/inner.h", NULL, NULL },
	{ "the text after a path is not read", "src", "src=deep/inner.h", "M:deep/inner.h+", NULL, "/x" },
	{ "a separator at the end", "src/", "src=deep/inner.h", "M:deep/inner.h+", NULL, NULL },
	{ "several separators", "src/\\/inner.h", "src=deep", "M:deep/inner.h+", NULL, NULL },
	{ "a map to nothing", "src/none.h", "src=", "M:/none.h", NULL, NULL },
	{ "a map to the root", "src/none.h", "src=/", "M:/none.h", NULL, NULL },
	{ "a map to a folder of one letter", "src/x", "src=d", "M:d/x", NULL, NULL },
	{ "a map to a folder with a slash", "src/inner.h", "src=deep/", "M:deep/inner.h+", NULL, NULL },
	{ "a path of Windows below a map", "src\\a\\b.h", "src=deep", "M:deep/a/b.h+", NULL, NULL },
	{ "a path without a map stays", "deep\\inner.h", "", "R:deep\\inner.h", NULL, NULL },
	{ "a file of Mercurial", "hg:host:deep/inner.h:1", "", "R:deep/inner.h+", NULL, NULL },
	{ "a file of Git without a revision", "git:host:deep/inner.h", "", "R:deep/inner.h+", NULL, ":x" },
	{ "a file of S3 under a map", "s3:host:src/inner.h:", "src=deep", "M:deep/inner.h+", NULL, NULL },
	{ "a file of Subversion", "svn:host:deep/inner.h:a:b", "", "R:deep/inner.h+", NULL, NULL },
	{ "a file of CVS", "cvs:host:deep/inner.h:1", "", "R:deep/inner.h+", NULL, NULL },
	{ "an unknown system", "xy:host:deep/inner.h:1", "", "R:xy:host:deep/inner.h:1", NULL, NULL },
	{ "a file without a host", "hg:deep/inner.h", "", "R:hg:deep/inner.h", NULL, ":deep/inner.h" },
	{ "a host without a file", "hg:host:", "", "", NULL, NULL },
	{ "the folder of the dump", "far\\inner.h", "", "R:far\\inner.h D:dump/source/inner.h+", "dump/x.dmp", NULL },
	{ "a bare name next to the dump", "inner.h", "", "R:inner.h D:dump/source/inner.h+", "dump/x.dmp", NULL },
	{ "a name of one letter next to the dump", "far/x", "", "R:far/x D:dump/source/x", "dump/x.dmp", NULL },
	{ "a dump in the working directory", "far/inner.h", "far=none", "M:none/inner.h D:source/inner.h", "x.dmp", NULL },
	{ "a folder has no name next to the dump", "far/", "", "R:far/", "dump/x.dmp", NULL },
	{ "'.' is not a name", "far/.", "", "R:far/.", "dump/x.dmp", NULL },
	{ "'..' is not a name", "far/..", "", "R:far/..", "dump/x.dmp", NULL },
};

TEST_EACH(paths, path_rows)
{
	const size_t length = strlen(path_rows[i].recorded);
	char words[64], buffer[128];
	const char *maps[3];
	struct source_options options = { .maps = maps, .dump = path_rows[i].dump, .time = 1 };
	struct arena arena = { 0 };
	struct source_file file;

	snprintf(words, sizeof(words), "%s", path_rows[i].maps);
	for (char *rest = words, *word; (word = strsep(&rest, " ")) != NULL && *word != '\0';)
		maps[options.map_count++] = word;
	snprintf(buffer, sizeof(buffer), "%s%s", path_rows[i].recorded, path_rows[i].after != NULL ? path_rows[i].after : "");
	const bool found = source_file_find(&options, NULL, (struct text){ buffer, length }, &arena, &file);
	is_str(places_of(&file), path_rows[i].want, "%s: the places", path_rows[i].title);
	ok(found == (strchr(path_rows[i].want, '+') != NULL) && found == (file.path != NULL) &&
	   (file.map != NULL) == (path_rows[i].want[0] == 'M') && (!found || text_is(file.text, "here")), "%s: the text", path_rows[i].title);
	/* All files here are newer than 1970, but the age of a copy next to the dump has no meaning. */
	ok(file.newer == (found && path_rows[i].dump == NULL) && !file.pending, "%s: the age", path_rows[i].title);
	arena_free(&arena);
}

/* Only plain files are read, and none of the system's. */
TEST(refusals)
{
	static const struct {
		const char *path, *why;
		size_t length;	/* bytes of the path; 0: to its end */
	} rows[] = {
		{ "/dev/null", "not a regular file", 0 }, { "/proc/self/status", "a system file", 0 }, { "deep/link", "a system file", 0 },
		{ "deep/pipe", "not a regular file", 0 }, { "deep", "not a regular file", 0 }, { "deep/big", "larger than 64 MiB", 0 },
		{ "none", "No such file or directory", 0 }, { "deep/inner.h\0.txt", NULL, 17 }, { "", NULL, 0 },
	};

	if (mkfifo("deep/pipe", 0600) != 0 || truncate(put_text("deep/big", ""), (64 << 20) + 1) != 0 ||
	    symlink("/proc/self/environ", "deep/link") != 0)
		exit(1);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const size_t length = rows[i].length != 0 ? rows[i].length : strlen(rows[i].path);
		struct arena arena = { 0 };
		struct source_file file;

		ok(!source_file_find(&(struct source_options){ 0 }, NULL, (struct text){ rows[i].path, length }, &arena, &file),
		   "'%s' is not read", rows[i].path);
		is_str(file.place_count == 0 ? NULL : file.places[0].why, rows[i].why, "the reason");
		arena_free(&arena);
	}
}

/* A page has only text of files that are sources by their names, or that a map of the user names. */
TEST(options)
{
	static const struct {
		const char *title, *recorded;
		uint32_t time;
		char use;	/* v: a view, p: a page, l: a lesson */
		bool found, newer;
	} rows[] = {
		{ "a file older than the dump", "deep/inner.h", 1001, 'v', true, false },
		{ "a file as old as the dump", "deep/inner.h", 1000, 'v', true, false },
		{ "a newer file", "deep/inner.h", 999, 'v', true, true },
		{ "a dump without a time", "deep/inner.h", 0, 'v', true, false },
		{ "a page with a header", "deep/inner.h", 0, 'p', true, false },
		{ "a page with other text", "deep/notes", 0, 'p', false, false },
		{ "a view of other text", "deep/notes", 0, 'v', true, false },
		{ "a page with other text that a map names", "src/notes", 0, 'p', true, false },
		{ "a source that a lesson's symbols name", "deep/inner.h", 0, 'l', false, false },
		{ "a lesson's source that a map names", "src/notes", 0, 'l', true, false },
	};
	const char *map = "src=deep";

	utime("deep/inner.h", &(struct utimbuf){ 1000, 1000 });
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct source_options options = { .maps = &map, .map_count = 1, .time = rows[i].time, .written = rows[i].use == 'p',
							.enclosed = rows[i].use == 'l' };
		struct arena arena = { 0 };
		struct source_file file;

		ok(source_file_find(&options, NULL, text_of(rows[i].recorded), &arena, &file) == rows[i].found &&
		   file.newer == rows[i].newer, "%s", rows[i].title);
		is_str(file.places[0].why, rows[i].found ? NULL : rows[i].use == 'l' ? "not in the lesson's directory; :source-map OLD NEW gives it"
		       : "not the name of a source file; --source OLD=NEW gives it", "%s: the reason", rows[i].title);
		arena_free(&arena);
	}
}

/* Servers that are not asked (--offline), and debuginfod's cache of their earlier answers. */
TEST(servers)
{
	static const struct {
		const char *title, *path, *code_id;
		size_t servers;
		bool asks, unknown, pending;
		const char *want;
	} rows[] = {
		{ "a server that is not asked yet", "/none/a.c", ID, 1, false, false, true, "R:/none/a.c" },
		{ "a server", "/none/b.c", ID, 1, true, false, false, "R:/none/b.c S:" URL "/buildid/" ID "/source/none/b.c" },
		{ "a file in the cache", "/none/a.c", ID, 1, true, false, false, "R:/none/a.c C:cache/" ID "/source-%s+" },
		{ "a file that no server had a short time ago", "/none/c.c", ID, 1, true, false, false, "R:/none/c.c S:cache" },
		{ "a relative path", "none/a.c", ID, 1, true, false, false, "R:none/a.c" },
		{ "a module without an ID", "/none/a.c", "", 1, true, false, false, "R:/none/a.c" },
		{ "an unknown module", "/none/a.c", ID, 1, true, true, false, "R:/none/a.c" },
		{ "no server", "/none/a.c", ID, 0, true, false, false, "R:/none/a.c" },
		{ "ten places of twelve servers", "/none/b.c", ID, 12, true, false, false, NULL },
	};
	const char *urls[12], *empty = root;
	char want[1024], name[LOCATE_SHOWN], kept[200];

	for (size_t i = 0; i < ARRAY_COUNT(urls); i++)
		urls[i] = URL;
	for (const char *path = "/none/a.c\0/none/c.c\0"; *path != '\0'; path += strlen(path) + 1) {
		snprintf(kept, sizeof(kept), "cache/" ID "/source-%s", debuginfod_source_name(path, name));
		put_text(kept, path[6] == 'a' ? "here" : "");
	}
	debuginfod_source_name("/none/a.c", name);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct module module = module_of("/bin/prog", rows[i].code_id, "");
		struct crash crash = crash_of(&module, CRASH_OS_LINUX);
		struct fetch_memory *memory = fetch_memory_create();
		struct binaries *binaries = binaries_create(&crash, &empty, 1);
		struct symbols *symbols = symbols_create(&module, 1, NULL, 0);
		struct source_options options = { .symbols = symbols, .time = 1, .asks = rows[i].asks };
		struct arena arena = { 0 };
		struct source_file file;

		if (rows[i].servers > 0 && binaries_add_fetcher(binaries, &(struct fetch_options){ .service = FETCH_DEBUGINFOD,
			.urls = urls, .url_count = rows[i].servers, .directory = "cache", .memory = memory, .offline = true,
			.seconds = 60, .most = 1 << 20 }, &(struct error){ 0 }) != ERROR_NONE) {
			skip(1, "no libcurl");
		} else {
			symbols_use_binaries(symbols, binaries);
			source_file_find(&options, rows[i].unknown ? NULL : &module, text_of(rows[i].path), &arena, &file);
			snprintf(want, sizeof(want), rows[i].want != NULL ? rows[i].want : "R:/none/b.c", name);
			for (size_t j = 0; rows[i].want == NULL && j < 10; j++)
				strcat(want, " S:" URL "/buildid/" ID "/source/none/b.c");
			is_str(places_of(&file), want, "%s", rows[i].title);
			ok(file.pending == rows[i].pending && !file.newer, "%s: the state", rows[i].title);
		}
		symbols_free(symbols);
		binaries_free(binaries);
		fetch_memory_free(memory);
		arena_free(&arena);
	}
}

TEST(lines)
{
	static const struct {
		const char *text, *lines;	/* '|' after each line */
	} rows[] = {
		{ "", "" }, { "a", "a|" }, { "a\n", "a|" }, { "\n\n", "||" }, { "a\r\n\r\r\nb", "a||b|" }, { "\n a \nb\rc", "| a |b\rc|" },
	};
	static char longest[65536 + 3];
	struct arena arena = { 0 };
	const uint64_t *starts;
	char got[64];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const size_t count = source_line_starts(text_of(rows[i].text), &arena, &starts);

		got[0] = '\0';
		for (size_t line = 0; line < count; line++) {
			const struct text text = source_line_text(text_of(rows[i].text), starts, line);

			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s|", (int)text.length, text.start);
		}
		is_str(got, rows[i].lines, "the lines of text %zu", i);
		is_u64(starts[count], strlen(rows[i].text), "the end of text %zu", i);
	}
	for (size_t length = 65535; length <= 65537; length++) {
		memset(longest, 'a', length);
		longest[length] = '\n';
		source_line_starts((struct text){ longest, length + 1 }, &arena, &starts);
		is_u64(source_line_text((struct text){ longest, length + 1 }, starts, 0).length, length < 65536 ? length : 65536,
		       "at most 65536 bytes of a line of %zu bytes are shown", length);
	}
	arena_free(&arena);
}

/* A cache has the lines of 64 files; a file that was read once is not read again. */
TEST(cache)
{
	static const struct {
		const char *file;
		uint32_t line;
		const char *want;
	} rows[] = {
		{ "c/01", 0, "" }, { "c/01", 1, "c/01" }, { "c/01", 2, "two" }, { "c/01", 3, "" }, { "", 1, "" }, { "c/none", 1, "" },
		{ "c/02", 1, "c/02" }, { "c/02", 2, "two" }, { "c/01", 2, "two" },
	};
	struct source_cache *cache = source_cache_create(&(struct source_options){ 0 }, NULL);
	static char names[65][8];
	char text[32], got[32];
	size_t known = 0;

	for (unsigned i = 1; i <= 64; i++) {
		snprintf(names[i], sizeof(names[i]), "c/%02u", i % 100);
		snprintf(text, sizeof(text), "%s\ntwo\n", names[i]);
		put_text(names[i], text);
	}
	for (unsigned again = 0; again < 2; again++)
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			const struct text line = source_cache_line(cache, text_of(rows[i].file), rows[i].line);

			snprintf(got, sizeof(got), "%.*s", (int)line.length, line.start);
			is_str(got, rows[i].want, "line %u of '%s'%s", rows[i].line, rows[i].file, again ? ", removed meanwhile" : "");
			if (i + 1 == ARRAY_COUNT(rows) && remove("c/01") != 0)
				tap_diag("c/01 is not there");
		}
	/* Three files are cached already, c/none is one of them. */
	for (unsigned i = 3; i <= 64; i++)
		known += text_is(source_cache_line(cache, text_of(names[i]), 1), names[i]);
	is_u64(known, 61, "the cache has 64 files");
	is_u64(source_cache_line(NULL, text_of("c/02"), 1).length, 0, "without a cache there is no line");
	source_cache_free(cache);
	source_cache_free(NULL);
}

FOLDER_MAIN
