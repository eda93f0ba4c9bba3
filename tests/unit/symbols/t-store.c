/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The directory of index files (symbols/index_store.h), promise by promise. */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/hash.h"
#include "symbols/index_store.h"
#include "symbols/symbols.h"
#include "tests/lib/folder.h"

/* A file of this size, last changed this long before the test began. */
static void
put(const char *name, size_t bytes, long seconds, long nanoseconds)
{
	FILE *file = fopen(path_in(name), "w");
	static struct timespec began;
	struct timespec times[2];

	if (began.tv_sec == 0)
		clock_gettime(CLOCK_REALTIME, &began);
	for (size_t i = 0; i < bytes; i++)
		fputc('x', file);
	fclose(file);
	times[1] = (struct timespec){ began.tv_sec - seconds, nanoseconds };
	times[0] = times[1];
	utimensat(AT_FDCWD, path_in(name), times, 0);
}

static bool
is_there(const char *name)
{
	return access(path_in(name), F_OK) == 0;
}

static void
remove_all(void)
{
	folder_remove();
	mkdir(root, 0700);
}

/* The store ------------------------------------------------------------------------------------ */

/* In the directory only plain files with names of indexes are counted. */
TEST(names)
{
	static const struct {
		const char *name;
		bool counted;
	} names[] = {
		{ "0123456789abcdef.index", true }, { "x.index", true }, { ".index", false },
		{ "index", false }, { "x.indexes", false }, { "x.index2", false }, { "x.inde", false },
		{ "x.INDEX", false }, { "new-Aa0Aa0", false },
		/* 63 bytes are as many as a name may have */
		{ "234567890123456789012345678901234567890123456789012345678.index", true },
		{ "2345678901234567890123456789012345678901234567890123456789.index", false },
	};
	uint64_t bytes;
	size_t count;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		put(names[i].name, 3, 10, 0);
		symbols_measure_indexes(root, &count, &bytes);
		ok(count == names[i].counted && bytes == (names[i].counted ? 3u : 0u),
		   "'%s' is %s", names[i].name, names[i].counted ? "an index" : "no index");
		is_u64(symbols_clear_indexes(root), names[i].counted, "'%s' is%s removed", names[i].name, names[i].counted ? "" : " not");
		is_u64(is_there(names[i].name), !names[i].counted, "'%s' does%s exist after the removal",
		       names[i].name, names[i].counted ? " not" : "");
		remove_all();
	}
	put("kept", 5, 10, 0);
	mkdir(path_in("folder.index"), 0700);
	ok(symlink(path_in("kept"), path_in("link.index")) == 0, "a link is made");
	symbols_measure_indexes(root, &count, &bytes);
	ok(count == 0 && bytes == 0, "a directory and a link are no index");
	ok(symbols_clear_indexes(root) == 0 && is_there("kept") && is_there("folder.index") &&
	   is_there("link.index"), "a directory and a link stay");
	remove_all();
}

/* An unfinished file of a writer is removed after an hour, by any process. */
TEST(abandoned)
{
	put("new-old", 1, 3700, 0);
	put("new-young", 1, 3500, 0);
	put("other-old", 1, 3700, 0);
	put("ne", 1, 3700, 0);
	is_u64(index_store_bound(root, 1000), 0, "no index is removed");
	ok(!is_there("new-old"), "a file begun more than an hour ago is removed");
	ok(is_there("new-young"), "a file begun within the last hour stays");
	ok(is_there("other-old") && is_there("ne"), "files with other names stay");
	remove_all();
}

/* The files that were used longest ago are removed first, by seconds, nanoseconds and names. */
TEST(bound)
{
	static const struct {
		const char *name;
		long seconds, nanoseconds;
	} files[] = {			/* the oldest first */
		{ "f.index", 500, 999999999 }, { "d.index", 400, 1 }, { "e.index", 400, 2 },
		{ "g.index", 400, 3 }, { "b.index", 300, 7 }, { "c.index", 300, 7 }, { "a.index", 200, 0 },
	};
	const size_t count = ARRAY_COUNT(files);

	for (size_t left = 0; left <= count; left++)
		for (unsigned spare = 0; spare < 2; spare++) {
			/* Written in another order than used. */
			for (size_t i = 0; i < count; i++)
				put(files[i * 3 % count].name, 10, files[i * 3 % count].seconds, files[i * 3 % count].nanoseconds);
			const uint64_t most = left * 10 + spare * 9;
			bool right = index_store_bound(root, most) == count - left;
			for (size_t i = 0; i < count; i++)
				right = right && is_there(files[i].name) == (i >= count - left);
			ok(right, "a limit of %zu bytes keeps the %zu files that were used last", (size_t)most, left);
			remove_all();
		}
	put("a.index", 10, 100, 0);
	put("b.index", 10, 50, 0);
	index_store_touch(path_in("a.index"));
	index_store_bound(root, 10);
	ok(is_there("a.index") && !is_there("b.index"), "a file that is touched was used last");
	remove_all();
	put("a.index", 1, 100, 0);
	put("b.index", 0, 100, 0);
	is_u64(symbols_clear_indexes(root), 2 - 1, "an index of one byte is removed");
	ok(!is_there("a.index"), "the removed index of one byte does not exist");
	remove_all();
	is_u64(index_store_bound(path_in("missing"), 0), 0, "no index is removed from a missing directory");
}

/* A file gets its name after it is complete. */
TEST(writing)
{
	char deep[512], path[INDEX_PATH_SIZE], buffer[8];
	struct index_writer writer;
	struct stat status;

	ok(index_store_path(path, root, 0x1fe) && strcmp(path, path_in("00000000000001fe.index")) == 0, "a file is named after its key");
	snprintf(deep, sizeof(deep), "%s/deep", root);
	ok(index_store_begin(&writer, deep, 1), "the directory is made");
	ok(stat(deep, &status) == 0 && (status.st_mode & 0777) == 0700, "the directory is accessible to its owner alone");
	ok(access(writer.path, F_OK) != 0 && access(writer.temporary, F_OK) == 0, "an index has another name while it is written");
	ok((fcntl(writer.descriptor, F_GETFD) & FD_CLOEXEC) != 0, "no other program inherits the descriptor of an index");
	ok(write(writer.descriptor, "whole", 5) == 5 && index_store_end(&writer, true), "a complete index is kept");
	ok(access(writer.path, F_OK) == 0 && access(writer.temporary, F_OK) != 0, "a complete index has its name alone");
	const int old = open(writer.path, O_RDONLY);
	index_store_begin(&writer, deep, 1);
	ok(write(writer.descriptor, "again", 5) == 5 && index_store_end(&writer, true) && pread(old, buffer, 5, 0) == 5 &&
	   memcmp(buffer, "whole", 5) == 0, "another index takes its place, and an open descriptor keeps the old one");
	close(old);
	index_store_begin(&writer, deep, 2);
	ok(!index_store_end(&writer, false) && access(writer.path, F_OK) != 0 &&
	   access(writer.temporary, F_OK) != 0, "an incomplete index is removed");
	index_store_begin(&writer, deep, 3);
	mkdir(writer.path, 0700);
	ok(!index_store_end(&writer, true) && access(writer.temporary, F_OK) != 0, "an index that cannot have its name is removed");
	rmdir(writer.path);
	symbols_clear_indexes(deep);
	rmdir(deep);
	put("file", 1, 0, 0);
	ok(!index_store_begin(&writer, path_in("file"), 1), "a file cannot be the directory of an index");
	remove_all();
}

FOLDER_MAIN
