/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tap.h"

/* Files of the user that are replaced as a whole, under a lock. */

static void
write_text(void *context, FILE *file)
{
	fputs(context, file);
}

/* A write that fails: the descriptor of the stream is closed. */
static void
write_badly(void *context, FILE *file)
{
	(void)context;
	fputs("part", file);
	close(fileno(file));
	fflush(file);
}

/* An error in the middle, after which the stream closes well: reading from a stream for writing. */
static void
write_partly(void *context, FILE *file)
{
	(void)context;
	fputs("part", file);
	fgetc(file);
}

static bool
has(const char *path, const char *expected)
{
	char text[80] = "";
	FILE *file = fopen(path, "r");
	const size_t length = file == NULL ? 0 : fread(text, 1, sizeof(text) - 1, file);

	if (file != NULL)
		fclose(file);
	return file != NULL && length == strlen(expected) && strcmp(text, expected) == 0;
}

TEST(write)
{
	struct stat status;

	ok(state_file_write("state/u/file", write_text, "one") && has("state/u/file", "one"),
	   "a file is written with the directories above it");
	ok(stat("state/u/file", &status) == 0 && (status.st_mode & 0777) == 0600 &&
	   stat("state/u", &status) == 0 && (status.st_mode & 0777) == 0700, "only the user may read the file and its directory");
	ok(state_file_write("state/u/file", write_text, "two") && has("state/u/file", "two"), "a file is replaced");
	ok(!state_file_write("state/u/file", write_badly, NULL) && has("state/u/file", "two"),
	   "a file whose replacement cannot be written stays as it was");
	ok(!state_file_write("state/u/file", write_partly, NULL) && has("state/u/file", "two"),
	   "a file whose replacement fails after some bytes stays as it was");
	char draft[64];
	snprintf(draft, sizeof(draft), "state/u/file.%ld", (long)getpid());
	ok(symlink("file", draft) == 0 && state_file_write("state/u/file", write_text, "three") &&
	   has("state/u/file", "three"), "the draft of a killed process with the same ID does not prevent a write");
	ok(unlink("state/u/file") == 0 && rmdir("state/u") == 0, "no draft is left in the directory");
}

TEST(lock)
{
	const int lock = state_file_lock("state/u");
	const int other = open("state/u/lock", O_RDWR);

	ok(lock >= 0 && flock(other, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK,
	   "another program cannot lock the directory while it is locked");
	close(lock);
	ok(flock(other, LOCK_EX | LOCK_NB) == 0, "closing the descriptor ends the lock");
	const int late = state_file_lock("state/u");
	ok(late >= 0, "a lock that another program keeps is waited for only for a moment");
	close(late);
	close(other);
	ok(state_file_lock("state/u/lock/below") < 0, "without a directory the lock fails");
	ok(unlink("state/u/lock") == 0 && rmdir("state/u") == 0 && rmdir("state") == 0, "the lock is a file in the directory");
}

int
main(void)
{
	char folder[] = "unspool-state-file.XXXXXX";

	if (mkdtemp(folder) == NULL || chdir(folder) != 0)
		return 99;
	umask(022);
	run_tests();
	ok(chdir("..") == 0 && rmdir(folder) == 0, "nothing is left in the directory");
	return done_testing();
}
