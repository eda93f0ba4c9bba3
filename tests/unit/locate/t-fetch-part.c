/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/lib/folder.h"

/* Partial downloads: never used as complete files, and continued only if the file is unchanged. */

#define URL "http://server/a.sym"

static void
read_file(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	const size_t length = file == NULL ? 0 : fread(text, 1, size - 1, file);

	text[length] = '\0';
	if (file != NULL)
		fclose(file);
}

/* Count the files of the folder; `path` is that of the last one. */
static size_t
count_files(char *path)
{
	DIR *directory = opendir(root);
	struct dirent *entry;
	size_t count = 0;

	while ((entry = readdir(directory)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			snprintf(path, 400, "%s/%s", root, entry->d_name);
			count++;
		}
	closedir(directory);
	return count;
}

static void
clear(void)
{
	char path[400];

	while (count_files(path) != 0)
		if (remove(path) != 0)
			exit(99);
}

/* Begin a version and write text to it. */
static void
begin(struct fetch_part *part, const char *validator, uint64_t total, const char *text)
{
	fetch_part_open(part, path_in("whole"), URL);
	fetch_part_begin(part, validator, total);
	fetch_part_add(part, text, strlen(text));
}

TEST(whole)
{
	struct fetch_part part;
	struct stat status;
	char text[64], path[400];

	umask(022);
	ok(fetch_part_open(&part, path_in("whole"), URL) && part.bytes == 0, "a new part has no bytes");
	ok(access(path_in("a.sym"), F_OK) != 0, "an unfinished part does not have its final name");
	ok(fetch_part_begin(&part, "", 0) && fetch_part_add(&part, "MODULE", 6) &&
	   part.bytes == 6, "bytes are appended to a part");
	ok(fetch_part_finish(&part, path_in("a.sym")) && part.file == NULL, "a finished part has its final name");
	read_file(path_in("a.sym"), text, sizeof(text));
	is_str(text, "MODULE", "a finished part has its bytes");
	is_u64(count_files(path), 1, "a finished part leaves no other file");
	stat(path_in("a.sym"), &status);
	is_u64(status.st_mode & 0777, 0644, "other users may read a finished file");
	clear();
}

TEST(kept)
{
	struct fetch_part part;
	char path[400];

	begin(&part, "\"one\"", 12, "MODULE");
	fetch_part_close(&part, true);
	is_u64(count_files(path), 2, "a part that can be continued is kept, with its version");
	ok(fetch_part_open(&part, path_in("whole"), URL) && part.bytes == 6 && part.total == 12,
	   "a part is continued after its bytes");
	is_str(part.validator, "\"one\"", "a continued part has its version");
	fetch_part_close(&part, true);
	struct fetch_part other;
	ok(fetch_part_open(&other, path_in("whole"), "http://other/a.sym") && other.bytes == 0,
	   "the part of another server is not continued");
	fetch_part_close(&other, false);
	fetch_part_open(&part, path_in("whole"), URL);
	fetch_part_begin(&part, "\"two\"", 9);
	ok(part.bytes == 0 && part.total == 9, "another version begins with no bytes");
	fetch_part_close(&part, true);
	is_u64(count_files(path), 0, "a part without bytes is removed");
	for (unsigned way = 0; way < 3; way++) {
		begin(&part, way == 0 ? "" : "\"one\"", 12, "MODULE");
		if (way == 1)
			fetch_part_end(&part);
		fetch_part_close(&part, way < 2);
		is_u64(count_files(path), 0, "a part that %s is removed",
		       way == 0 ? "has no version" : way == 1 ? "has ended" : "is not to be kept");
	}
}

/* The note next to a partial file decides whether the download may continue. */
TEST(about)
{
	static const struct {
		const char *title, *about;
	} cases[] = {
		{ "empty", "" }, { "cut", "\"one\"\n12\n" }, { "of another kind", "\"one\"\n12\nunspool part 2\n" },
		{ "without a version", "\n12\nunspool part 1\n" }, { "for a complete part", "\"one\"\n6\nunspool part 1\n" },
		{ "for a shorter part", "\"one\"\n5\nunspool part 1\n" },
	};
	struct fetch_part part;
	char about[FETCH_PATH_SIZE], outside[80], text[64];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		begin(&part, "\"one\"", 12, "MODULE");
		memcpy(about, part.about, sizeof(about));
		fetch_part_close(&part, true);
		FILE *file = fopen(about, "w");
		fputs(cases[i].about, file);
		fclose(file);
		fetch_part_open(&part, path_in("whole"), URL);
		ok(part.bytes == 0 && part.validator[0] == '\0', "a note that is %s is ignored", cases[i].title);
		fetch_part_close(&part, false);
	}
	snprintf(outside, sizeof(outside), "%s.outside", root);
	FILE *file = fopen(outside, "w");
	fputs("outside", file);
	fclose(file);
	if (symlink(outside, about) != 0)
		tap_diag("no link");
	begin(&part, "\"one\"", 12, "MODULE");
	read_file(outside, text, sizeof(text));
	is_str(text, "outside", "nothing is written through a link");
	fetch_part_close(&part, false);
	mkfifo(about, 0600);
	begin(&part, "\"one\"", 12, "MODULE");
	ok(part.bytes == 6, "a pipe in the place of the note does not block");
	fetch_part_close(&part, true);
	clear();
	unlink(outside);
}

TEST(shared)
{
	struct fetch_part first, second;
	char text[64], path[400];

	begin(&first, "\"one\"", 6, "MOD");
	ok(fetch_part_open(&second, path_in("whole"), URL) && second.bytes == 0 &&
	   strcmp(first.path, second.path) != 0,
	   "a second download of a file has a part of its own");
	fetch_part_begin(&second, "\"two\"", 6);
	fetch_part_add(&second, "LATER", 5);
	fetch_part_add(&first, "ULE", 3);
	ok(fetch_part_finish(&first, path_in("a.sym")), "the first of two downloads is finished");
	read_file(path_in("a.sym"), text, sizeof(text));
	is_str(text, "MODULE", "the first of two downloads has its own bytes");
	fetch_part_close(&second, true);
	is_u64(count_files(path), 1, "the second of two downloads leaves no file");
	clear();
}

/* Many processes at once write different letters to files of the same name. */
TEST(processes)
{
	char text[5000], path[400];
	bool good = true;
	int status;

	for (char letter = 'a'; letter < 'a' + 8; letter++)
		if (fork() == 0) {
			struct fetch_part part;

			for (int i = 0; i < 50; i++) {
				fetch_part_open(&part, path_in("whole"), URL);
				fetch_part_begin(&part, "\"one\"", 4000);
				for (int j = 0; j < 4000; j++)
					fetch_part_add(&part, &letter, 1);
				if (i % 3 == 2)
					fetch_part_close(&part, true);
				else if (!fetch_part_finish(&part, path_in("a.sym")))
					_exit(1);
			}
			_exit(0);
		}
	while (wait(&status) > 0)
		good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	ok(good, "several processes download a file at once");
	read_file(path_in("a.sym"), text, sizeof(text));
	ok(strlen(text) == 4000 && strspn(text, (char[]){ text[0], '\0' }) == 4000,
	   "the file has all bytes of a single process");
	ok(count_files(path) <= 3, "at most one part that can be continued is left");
	clear();
}

TEST(failures)
{
	char path[400], text[2000] = { 0 };
	struct fetch_part part;
	struct rlimit before;

	ok(!fetch_part_open(&part, path_in("nowhere/whole"), URL) && errno == ENOENT && part.file == NULL,
	   "a part in a missing directory is an error");
	begin(&part, "\"one\"", 12, "MODULE");
	ok(!fetch_part_finish(&part, path_in("nowhere/a.sym")) && errno == ENOENT, "a final name in a missing directory is an error");
	is_u64(count_files(path), 0, "a part that cannot get its name is removed");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	const struct rlimit small = { 1000, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	fetch_part_open(&part, path_in("whole"), URL);
	fetch_part_begin(&part, "\"one\"", 4000);
	ok(!fetch_part_add(&part, text, sizeof(text)) && errno == EFBIG, "bytes over the size limit of files are an error");
	fetch_part_close(&part, true);
	is_u64(count_files(path), 0, "a part with such an error is removed");
	setrlimit(RLIMIT_FSIZE, &before);
}

/* The part of a file that an answer contains, also for wrong headers. */

static const struct {
	const char *range;
	bool ranged;
	uint64_t begin, end, total;
} range_cases[] = {
	{ "bytes 100-199/200", true, 100, 200, 200 }, { "BYTES 0-0/1", true, 0, 1, 1 },
	{ "bytes 100-199/*", true, 100, 200, 0 },
	{ "bytes */200", false, 0, 0, 0 }, { "bytes 199-100/200", false, 0, 0, 0 }, { "bytes 100-299/200", false, 0, 0, 0 },
	{ "bytes 0-18446744073709551615/5", false, 0, 0, 0 }, { "bytes 0-18446744073709551616/5", false, 0, 0, 0 },
	{ "bytes -5/200", false, 0, 0, 0 }, { "lines 1-2/3", false, 0, 0, 0 }, { "bytes 100-199/200x", false, 0, 0, 0 },
	{ "bytes", false, 0, 0, 0 },
};

TEST_EACH(range, range_cases)
{
	struct fetch_header header = { .status = 206 };

	fetch_header_range(&header, range_cases[i].range);
	ok(header.ranged == range_cases[i].ranged &&
	   (!header.ranged || (header.begin == range_cases[i].begin &&
			       header.end == range_cases[i].end &&
			       header.total == range_cases[i].total)),
	   "the range '%s' is read, or refused", range_cases[i].range);
}

static const struct {
	const char *title, *range, *etag;
	uint64_t total;		/* that came with the first part */
	bool goes_on;
} going_on_cases[] = {
	{ "the rest of a file continues", "bytes 100-199/200", "", 200, true },
	{ "the same version continues", "bytes 100-199/200", "\"one\"", 200, true },
	{ "another version begins anew", "bytes 100-199/200", "\"two\"", 200, false },
	{ "a file of another length begins anew", "bytes 100-299/300", "", 200, false },
	{ "another offset begins anew", "bytes 99-199/200", "", 200, false },
	{ "an answer without a range begins anew", "", "", 200, false },
	{ "a length in the second answer is used", "bytes 100-199/200", "", 0, true },
	{ "without a length the file begins anew", "bytes 100-199/*", "", 0, false },
};

TEST_EACH(going_on, going_on_cases)
{
	struct fetch_header header = { .status = 206 };
	const struct fetch_part part = { .bytes = 100, .total = going_on_cases[i].total,
					 .validator = "\"one\"" };

	fetch_header_range(&header, going_on_cases[i].range);
	snprintf(header.etag, sizeof(header.etag), "%s", going_on_cases[i].etag);
	is_u64(fetch_header_goes_on(&header, &part), going_on_cases[i].goes_on, "%s", going_on_cases[i].title);
}

FOLDER_MAIN
