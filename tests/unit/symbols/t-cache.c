/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kept indexes are used again, and never if anything is wrong with them. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "base/policy_rows.h"
#include "symbols/index_store.h"
#include "symbols/symfile_internal.h"
#include "tests/lib/folder.h"

static char sym[80], indexes[80];

static void
write_symbols(const char *first, unsigned functions)
{
	FILE *file = fopen(sym, "w");

	fprintf(file, "MODULE Linux x86_64 0123456789ABCDEF0 test\n%s\n", first);
	for (unsigned i = 0; i < functions; i++) {
		fprintf(file, "FUNC %x 10 0 function_number_%u\n%x 10 %u 0\n", 0x1000 + i * 16, i, 0x1000 + i * 16, i);
		/* More bad records than Breakpad reads past. */
		for (unsigned bad = 0; bad < 150 && i == 100 && strcmp(first, "INFO bad") == 0; bad++)
			fprintf(file, "FUNC bad\n");
	}
	/* A function refused for overlap, an empty one, and a bad record. */
	fprintf(file, "FUNC 1008 20 0 refused\nFUNC 5 0 0 empty\nPUBLIC 800 0 p\nFUNC bad\n");
	for (unsigned i = 0; i < 50; i++)
		fprintf(file, "STACK CFI INIT %x 10 .cfa: $rsp 8 +\nSTACK CFI %x .cfa: $rsp 16 +\n"
			"STACK WIN 4 %x 10 0 0 0 0 0 0 1 $eip 4 + ^ =\n", 0x1000 + i * 16, 0x1004 + i * 16, 0x1000 + i * 16);
	fclose(file);
	/* An old modification time: the cache does not keep the index of a new file. */
	const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	utimensat(AT_FDCWD, sym, times, 0);
}

static struct symfile *
open_sym(bool *cached)
{
	const struct symfile_options options = { .index_directory = indexes };
	struct symfile *symfile = NULL;

	symfile_open(&symfile, sym, &options, NULL);
	*cached = symfile != NULL && symfile->index.data != NULL;
	return symfile;
}

/* The path of the only index. */
static void
index_path(char *path, size_t size)
{
	DIR *directory = opendir(indexes);
	struct dirent *entry;

	path[0] = '\0';
	while (directory != NULL && (entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			snprintf(path, size, "%s/%s", indexes, entry->d_name);
	if (directory != NULL)
		closedir(directory);
}

static size_t
index_count(void)
{
	uint64_t bytes;
	size_t count;

	symbols_measure_indexes(indexes, &count, &bytes);
	return count;
}

static bool
same_message(const struct message *a, const struct message *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0 &&
	       strcmp(text_or_empty(a->hint), text_or_empty(b->hint)) == 0 &&
	       a->place.offset == b->place.offset && a->place.length == b->place.length &&
	       a->place.line == b->place.line && a->place.column == b->place.column;
}

static bool
same_answers(const struct symfile *a, const struct symfile *b, const struct policy policy)
{
	const struct message_list *left = symfile_messages(a), *right = symfile_messages(b);
	bool same = symfile_line_count(a) == symfile_line_count(b) &&
		    symfile_corrupt(a) == symfile_corrupt(b) && left->count == right->count &&
		    text_equal(symfile_identity(a).name, symfile_identity(b).name);

	for (size_t i = 0; same && i < left->count; i++)
		same = same_message(&left->messages[i], &right->messages[i]);
	/* Messages that are only counted, too. */
	same = same && memcmp(left->seen, right->seen, sizeof(left->seen)) == 0;
	/* Places in every block of lines, up to the last. */
	for (uint64_t offset = 0; same && offset <= symfile_file(a)->size; offset += 997) {
		const uint64_t at = offset + 997 > symfile_file(a)->size ? symfile_file(a)->size - 2 : offset;
		const struct place one = symfile_place(a, at, 1), other = symfile_place(b, at, 1);

		same = one.line == other.line && one.column == other.column;
	}
	for (uint64_t address = 0x7f0; same && address < 0x2000; address += 3) {
		struct symbol one, other;
		struct stack_cfi_records cfi[2];
		struct stack_win win[2] = { 0 };
		struct arena arena = { 0 };

		same = symfile_lookup(a, &policy, address, &arena, &one) == symfile_lookup(b, &policy, address, &arena, &other) &&
		       one.function.offset == other.function.offset && one.shadowed_count == other.shadowed_count &&
		       symfile_stack_cfi(a, &policy, address, &arena, &cfi[0]) ==
			       symfile_stack_cfi(b, &policy, address, &arena, &cfi[1]) &&
		       cfi[0].delta_count == cfi[1].delta_count && symfile_stack_win(a, &policy, 4, address, &win[0]) ==
			       symfile_stack_win(b, &policy, 4, address, &win[1]) && win[0].offset == win[1].offset;
		arena_free(&arena);
	}
	return same;
}

static bool
same_file(const struct symfile *a, const struct symfile *b)
{
	return same_answers(a, b, (struct policy){ .value = { 0 } }) &&
	       same_answers(a, b, (struct policy){ .value = { [POLICY_SYMBOL_ERROR_LIMIT] = 1 } });
}

/* The index of a file that Breakpad stops reading has both views of the file. */
TEST(stop)
{
	static const struct policy breakpad = { .value = { [POLICY_SYMBOL_ERROR_LIMIT] = 1 } };
	struct symfile *cached_file, *plain;
	struct function function;
	bool cached;

	symbols_clear_indexes(indexes);
	write_symbols("INFO bad", 40000);
	symfile_close(open_sym(&cached));
	cached_file = open_sym(&cached);
	symfile_open(&plain, sym, NULL, NULL);
	ok(cached && same_file(plain, cached_file), "an index has the place at which Breakpad stops");
	ok(symfile_function(cached_file, &breakpad, 0x1000 + 50 * 16, &function) &&
	   !symfile_function(cached_file, &breakpad, 0x1000 + 200 * 16, &function),
	   "an index has the records before the place at which Breakpad stops");
	symfile_close(cached_file);
	symfile_close(plain);
	symbols_clear_indexes(indexes);
}

TEST(reuse)
{
	bool cached;
	struct symfile *first, *second, *plain;

	write_symbols("INFO one", 40000);
	first = open_sym(&cached);
	ok(first != NULL && !cached, "a file is read the first time");
	symfile_close(first);
	is_u64(index_count(), 1, "the index of a file is kept");
	second = open_sym(&cached);
	ok(second != NULL && cached, "the index of a file is used the second time");
	symfile_open(&plain, sym, NULL, NULL);
	ok(second != NULL && same_file(plain, second), "an index gives the same answers as its file");
	symfile_close(second);
	symfile_close(plain);
}

TEST(change)
{
	bool cached;
	struct stat status;
	struct symfile *symfile;

	write_symbols("INFO two", 40000);
	symfile = open_sym(&cached);
	ok(symfile != NULL && !cached, "a file that begins differently is read again");
	symfile_close(symfile);
	stat(sym, &status);
	const struct timespec times[2] = { status.st_atim, { status.st_mtim.tv_sec, 1 } };
	utimensat(AT_FDCWD, sym, times, 0);
	symfile = open_sym(&cached);
	ok(symfile != NULL && !cached, "a file whose modification time differs by 1 ns is read again");
	symfile_close(symfile);
	utimensat(AT_FDCWD, sym, NULL, 0);
	size_t before = index_count();
	symfile = open_sym(&cached);
	symfile_close(symfile);
	is_u64(index_count(), before, "no index is kept for a file that has just changed");
	write_symbols("INFO small", 10);
	before = index_count();
	symfile = open_sym(&cached);
	symfile_close(symfile);
	is_u64(index_count(), before, "no index is kept for a small file");
}

/* Replace a byte and keep the file's modification time. */
static void
replace_byte(off_t at, char byte)
{
	struct stat status;
	const int fd = open(sym, O_RDWR);

	stat(sym, &status);
	const struct timespec times[2] = { status.st_atim, status.st_mtim };
	if (fd < 0 || pwrite(fd, &byte, 1, at) != 1)
		tap_diag("cannot write");
	close(fd);
	utimensat(AT_FDCWD, sym, times, 0);
}

/* A file of this size: a head, functions from `base` on, and a long record. */
static void
write_sized(off_t size, unsigned long long base)
{
	const struct timespec times[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	FILE *file = fopen(sym, "w");

	fprintf(file, "MODULE Linux x86_64 0123456789ABCDEF0 test\n");
	for (unsigned i = 0; i < 100; i++)
		fprintf(file, "FUNC %llx 10 0 function_%u\nSTACK CFI INIT %llx 10 .cfa: $rsp 8 +\n"
			"STACK WIN 4 %llx 10 0 0 0 0 0 0 1 $eip 4 + ^ =\n", base + i * 16, i, base + i * 16, base + i * 16);
	fprintf(file, "INFO ");
	for (off_t at = ftell(file); at < size - 1; at++)
		fputc(at % 1000 == 0 ? '\n' : '0', file);
	fputc('\n', file);
	fclose(file);
	utimensat(AT_FDCWD, sym, times, 0);
}

/* The first and the last 4096 bytes of a file identify it. */
TEST(ends)
{
	const off_t size = 1 << 20;
	const struct {
		off_t at;
		bool counts;
	} bytes[] = {
		{ 0, true }, { 1, true }, { 4095, true }, { 4096, false }, { size / 2, false },
		{ size - 4097, false }, { size - 4096, true }, { size - 1, true },
	};
	bool cached;

	for (size_t i = 0; i < ARRAY_COUNT(bytes); i++) {
		symbols_clear_indexes(indexes);
		write_sized(size, 0x1000);
		symfile_close(open_sym(&cached));
		replace_byte(bytes[i].at, '+');
		symfile_close(open_sym(&cached));
		is_u64(cached, !bytes[i].counts, "byte %lld of %lld is %s of the identity",
		       (long long)bytes[i].at, (long long)size, bytes[i].counts ? "a part" : "no part");
	}
}

/* The files that get an index, and addresses of more than 32 bits in one. */
static const struct {
	off_t size;
	unsigned long long base;
	bool kept;
} files[] = {
	{ (1 << 20) - 1, 0x1000, false }, { 1 << 20, 0x1000, true }, { 1 << 20, 0x123456789000, true }, { 3 << 20, 0xfffffff0, true },
};

TEST_EACH(sizes, files)
{
	struct symfile *plain, *second;
	bool cached, same = true;

	symbols_clear_indexes(indexes);
	write_sized(files[i].size, files[i].base);
	symfile_close(open_sym(&cached));
	is_u64(index_count(), files[i].kept, "the index of a file of %lld bytes is%s kept",
	       (long long)files[i].size, files[i].kept ? "" : " not");
	second = open_sym(&cached);
	symfile_open(&plain, sym, NULL, NULL);
	for (unsigned address = 0; same && address <= 1600; address += 7) {
		const struct policy policy = { 0 };
		struct function one = { 0 }, other = { 0 };
		struct stack_win win[2] = { 0 };
		const uint64_t at = files[i].base + address;

		same = symfile_function(plain, &policy, at, &one) == (address < 1600) &&
		       symfile_function(second, &policy, at, &other) == (address < 1600) &&
		       one.address == other.address && one.size == other.size && one.offset == other.offset &&
		       symfile_stack_win(plain, &policy, 4, at, &win[0]) == symfile_stack_win(second, &policy, 4, at, &win[1]) &&
		       win[0].offset == win[1].offset;
	}
	ok(cached == files[i].kept && same, "a file of %lld bytes with functions from %llx is read from its index, if kept",
	   (long long)files[i].size, files[i].base);
	symfile_close(second);
	symfile_close(plain);
}

/* Every checked byte counts: change some of them. */
TEST(damage)
{
	char path[400];
	bool cached, believed = false, noted = true, wrong = false;
	size_t dropped = 0;
	struct symfile *symfile, *plain;
	struct stat status;

	symbols_clear_indexes(indexes);
	write_symbols("INFO three", 40000);
	symfile_close(open_sym(&cached));
	symfile_open(&plain, sym, NULL, NULL);
	index_path(path, sizeof(path));
	stat(path, &status);
	for (off_t at = 3; at < status.st_size; at += at < 6000 ? 97 : status.st_size / 23) {
		int fd = open(path, O_RDWR);
		char byte = 0;

		/* The gaps between parts belong to no part. */
		if (pread(fd, &byte, 1, at) != 1)
			byte = 0;
		byte = (char)(byte ^ 0x10);
		if (pwrite(fd, &byte, 1, at) != 1)
			byte = 0;
		close(fd);
		symfile = open_sym(&cached);
		wrong = wrong || !(cached ? same_file(plain, symfile) : true);
		believed = believed || (cached && at < 1400);
		noted = noted && (cached || symfile_messages(symfile)->seen[MESSAGE_INDEX_FILE] == 1);
		symfile_close(symfile);
		dropped += !cached;
		if (cached) {
			symbols_clear_indexes(indexes);
			symfile_close(open_sym(&cached));
		}
	}
	ok(!believed, "a damaged index is not believed");
	ok(!wrong, "a damaged index changes no answer");
	ok(dropped > 30, "an index is dropped for a byte of any list");
	ok(noted, "a message reports a removed index");
	for (off_t size = 0; size < status.st_size; size += status.st_size / 7 + 1) {
		if (truncate(path, size) != 0)
			tap_diag("cannot be truncated");
		symfile = open_sym(&cached);
		believed = believed || cached;
		symfile_close(symfile);
	}
	ok(!believed, "a truncated index is not believed");
	symfile = open_sym(&cached);
	ok(cached && symfile_messages(symfile)->seen[MESSAGE_INDEX_FILE] == 0, "the next index is complete and causes no message");
	symfile_close(symfile);
	symfile_close(plain);
}

TEST(store)
{
	char path[INDEX_PATH_SIZE];
	struct stat status;

	symbols_clear_indexes(indexes);
	is_u64(index_count(), 0, "all indexes can be removed");
	for (uint64_t key = 0; key < 5; key++) {
		struct index_writer writer;
		/* Seconds count more than nanoseconds, and both more than names. */
		struct timespec times[2] = { { .tv_sec = 1000 },
					     { .tv_sec = 2000 - (long)key, .tv_nsec = (long)key } };

		index_store_begin(&writer, indexes, key);
		if (ftruncate(writer.descriptor, 1000) != 0)
			tap_diag("no room");
		index_store_end(&writer, true);
		utimensat(AT_FDCWD, writer.path, times, 0);
	}
	index_store_path(path, indexes, 0);
	index_store_touch(path);
	is_u64(index_store_bound(indexes, 5000), 0, "indexes of exactly the limit's size are kept");
	index_store_bound(indexes, 2500);
	is_u64(index_count(), 2, "the limit leaves two indexes");
	ok(stat(path, &status) == 0, "the index that was used last is kept");
	index_store_path(path, indexes, 1);
	ok(stat(path, &status) == 0, "the index that was used before the last is kept");
	symbols_clear_indexes(indexes);
}

/* A mapped file that is cut while it is open: its records are read one after another. */
TEST(lost)
{
	enum { MANY = 400000 };
	struct error error = { 0 };
	struct function function;
	struct symfile *symfile;
	size_t count = 0, named = 0;

	const char *path = path_in("lost.sym");
	FILE *file = fopen(path, "w");
	if (file == NULL)
		return;
	fputs("MODULE Linux x86_64 000000000000000000000000000000000 x\n", file);
	for (unsigned i = 0; i < MANY; i++)
		fprintf(file, "PUBLIC %x 0 a_name_of_some_length_%u\n", i * 16, i);
	fclose(file);
	ok(symfile_open(&symfile, path, NULL, &error) == ERROR_NONE &&
	   symfile_count(symfile, SYMBOL_PUBLIC) == MANY, "a large file is open");
	ok(truncate(path, 0) == 0, "the open file is truncated");
	tap_bound_work(300);
	for (; symfile_function_at(symfile, SYMBOL_PUBLIC, count, &function); count++)
		named += function.name.length > 0;
	ok(count == MANY && named < MANY, "records of a truncated file are read in bounded time");
	symfile_close(symfile);
	unlink(path);
}

/* All index files are found, except one whose path is too long. */
TEST(many)
{
	enum { MANY = 300 };
	char path[INDEX_PATH_SIZE], directory[INDEX_PATH_SIZE + 1];
	uint64_t bytes;
	size_t count;

	symbols_clear_indexes(indexes);
	for (uint64_t key = 0; key < MANY; key++) {
		struct index_writer writer;
		index_store_begin(&writer, indexes, key);
		if (ftruncate(writer.descriptor, 10) != 0)
			tap_diag("no room");
		index_store_end(&writer, true);
	}
	symbols_measure_indexes("/nowhere/at/all", &count, &bytes);
	ok(count == 0 && bytes == 0, "a missing directory has no indexes");
	symbols_measure_indexes(indexes, &count, &bytes);
	ok(count == MANY && bytes == 10 * MANY, "all indexes are counted with their bytes");
	is_u64(symbols_clear_indexes(indexes), MANY, "all counted indexes are removed");
	memset(directory, 'd', sizeof(directory));
	directory[INDEX_PATH_SIZE - 24] = '\0';
	ok(index_store_path(path, directory, 1), "a path has room for 16 digits and a suffix");
	directory[INDEX_PATH_SIZE - 24] = 'd';
	directory[INDEX_PATH_SIZE - 23] = '\0';
	ok(!index_store_path(path, directory, 1), "a directory name with one more byte is refused");
}

TEST(processes)
{
	bool cached, good = true;
	int status;

	write_symbols("INFO four", 40000);
	for (unsigned child = 0; child < 6; child++)
		if (fork() == 0) {
			struct symfile *symfile = open_sym(&cached);
			struct function function;
			const struct policy policy = { .value = { 0 } };
			const bool found = symfile != NULL && symfile_function(symfile, &policy, 0x1025, &function);

			symfile_close(symfile);
			_exit(found ? 0 : 1);
		}
	while (wait(&status) > 0)
		good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	ok(good, "several processes use the directory at once");
	is_u64(index_count(), 1, "several processes leave one index");
	struct symfile *symfile = open_sym(&cached);
	ok(cached, "the index that several processes leave is complete");
	symfile_close(symfile);
}

int
main(void)
{
	if (!folder_make())
		return 1;
	snprintf(sym, sizeof(sym), "%s/test.sym", root);
	snprintf(indexes, sizeof(indexes), "%s/deep/indexes", root);
	run_tests();
	folder_remove();
	return done_testing();
}
