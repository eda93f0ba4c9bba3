/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lint/lint.h"
#include "tests/unit/binary/folder.h"

/* The symbol files in directories, and reports about many files in order. */

#define MODULE "MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 program\n"

static void
put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

/* Gather from paths in the root, and list the found files relative to it, each after a blank. */
static bool
gathered(char *said, size_t room, gather_wanted *wanted, struct gathered_files *files, const char *const *given, size_t count)
{
	const char *paths[4];
	struct arena arena = { 0 };
	size_t used = 0;

	*files = (struct gathered_files){ 0 };
	for (size_t i = 0; i < count; i++)
		paths[i] = path_in(given[i]);
	const bool good = gather_files(&arena, paths, count, wanted, files);
	*said = '\0';
	for (size_t i = 0; i < files->count && used < room; i++)
		used += (size_t)snprintf(said + used, room - used, "%s ", files->list[i] + strlen(root) + 1);
	arena_free(&arena);
	return good;
}

TEST(directories)
{
	static const char *const tree[] = { "tree" }, *const slash[] = { "tree/" };
	static const char *const several[] = { "tree/z.txt", "gone.sym", "tree/a" };
	static const char *const empty[] = { "nothing" }, *const modules[] = { "modules" };
	struct gathered_files files;
	char said[2000];

	put("tree/b.sym", MODULE);
	put("tree/a/z.sym", MODULE);
	put("tree/a/y.sym.gz", MODULE);
	put("tree/a/.sym", MODULE);
	put("tree/a/x.symbols", MODULE);
	put("tree/c.sym.zst", MODULE);
	put("tree/d.sym.xz", MODULE);
	put("tree/e.sym.lz4", MODULE);
	put("tree/f.sym.zip", MODULE);
	put("tree/g.gz", MODULE);
	put("tree/.gz", MODULE);
	put("tree/z.txt", MODULE);
	put("nothing/else.txt", MODULE);
	ok(symlink("b.sym", path_in("tree/link.sym")) == 0 && symlink("..", path_in("tree/a/up")) == 0, "the directory has links");
	ok(gathered(said, sizeof(said), gather_symbol_files, &files, tree, 1), "a tree is gathered");
	is_str(said, "tree/a/y.sym.gz tree/a/z.sym tree/b.sym tree/c.sym.zst tree/d.sym.xz tree/e.sym.lz4 tree/link.sym ",
	       "symbol files are found by name, in its order, and links to directories not followed");
	ok(files.directories, "the symbol files were in a directory");
	gathered(said, sizeof(said), gather_symbol_files, &files, slash, 1);
	ok(strncmp(said, "tree/a/y.sym.gz ", 16) == 0, "a slash at the end is not doubled");
	ok(gathered(said, sizeof(said), gather_symbol_files, &files, several, 3), "files and directories are gathered");
	is_str(said, "tree/z.txt gone.sym tree/a/y.sym.gz tree/a/z.sym ",
	       "files given by name are read regardless of their kind, in the given order");
	ok(files.directories, "one of the inputs was a directory");
	gathered(said, sizeof(said), gather_symbol_files, &files, several, 2);
	ok(!files.directories && files.count == 2, "none of two files was a directory");
	ok(gathered(said, sizeof(said), gather_symbol_files, &files, empty, 1) && files.count == 0, "a directory may have none");
	put_elf("modules/program", "0123456789abcdef", 1, false);
	put("modules/notes.sym", MODULE);
	gathered(said, sizeof(said), gather_modules, &files, modules, 1);
	is_str(said, "modules/program ", "modules are found by their bytes");
}

/* Nested directories, each with one symbol file. */
TEST(deep)
{
	static const char *const top[] = { "d" };
	char name[200] = "d", said[20000];
	struct gathered_files files;

	for (unsigned level = 1; level <= 66; level++) {
		strcpy(name + 2 * level - 1, "/f.sym");
		put(name, MODULE);
		strcpy(name + 2 * level - 1, "/d");
	}
	ok(gathered(said, sizeof(said), gather_symbol_files, &files, top, 1), "a deep directory is gathered");
	is_u64(files.count, 64, "directories are followed 64 deep");
}

struct told {
	size_t next, wrong, unreadable;
};

/* File i has i + 1 blank lines, except that every tenth file is missing. */
static void
tell(void *context, size_t index, const struct lint *lint)
{
	struct told *told = context;

	told->wrong += index != told->next++;
	if (index % 10 == 9)
		told->unreadable += lint->counts[LINT_UNREADABLE] == 1;
	else
		told->wrong += lint->counts[LINT_BLANK_LINE] != index + 1;
}

static void
many(size_t count)
{
	static const struct lint_options options = { .most = 0 };
	const char **list = calloc(count, sizeof(*list));
	struct gathered_files files = { .list = list, .count = count };
	struct told told = { 0 };

	for (size_t i = 0; list != NULL && i < count; i++) {
		char name[32], text[400] = MODULE;
		snprintf(name, sizeof(name), "many/%zu.sym", i);
		list[i] = strdup(path_in(name));
		memset(text + strlen(MODULE), '\n', i + 1);
		if (i % 10 != 9)
			put_bytes(name, text, strlen(MODULE) + i + 1);
	}
	ok(list != NULL && lint_files(&files, &options, tell, &told), "%zu files are read", count);
	is_u64(told.next, count, "each file is reported");
	is_u64(told.wrong, 0, "each file is reported in its turn, with its own findings");
	is_u64(told.unreadable, count / 10, "a missing file is a finding");
	for (size_t i = 0; list != NULL && i < count; i++)
		free((char *)list[i]);
	free(list);
}

int
main(void)
{
	if (!folder_make())
		return 1;
	run_tests();
	many(0);
	many(1);
	many(2);
	many(200);
	folder_remove();
	return done_testing();
}
