/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/file.h"
#include "base/limits.h"
#include "system/shortage.h"
#include "tests/lib/tap.h"

static char directory[] = "t-file-XXXXXX";
static char path[64];

/* A file of `size` bytes that begins with `text`. */
static bool
make_file(const char *text, off_t size)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	bool made = descriptor >= 0 && ftruncate(descriptor, size) == 0 &&
		    write(descriptor, text, strlen(text)) == (ssize_t)strlen(text);

	close(descriptor);
	return made;
}

TEST(small)
{
	struct file file;
	struct error error;

	make_file("hello", 5);
	is_u64(file_open(&file, path, &error), ERROR_NONE, "a small file opens");
	ok(file.size == 5 && memcmp(file.data, "hello", 5) == 0, "a small file has its bytes");
	ok(!file.mapped, "a small file is read, not mapped");
	is_str(file.input.name, path, "a file has its name");
	ok(file.modified.tv_sec != 0, "a file has the time of its modification");
	make_file("", 0);
	ok(memcmp(file.data, "hello", 5) == 0 && !file_truncated(&file), "later changes of the file have no effect");
	file_close(&file);
	is_u64(file_open(&file, path, &error), ERROR_NONE, "an empty file opens");
	is_u64(file.size, 0, "an empty file has no bytes");
	file_close(&file);
	file_close(&file);
	ok(file.data == NULL, "closing twice is harmless");
}

TEST(failures)
{
	struct file file;
	struct error error;

	unlink(path);
	is_u64(file_open(&file, path, &error), ERROR_IO, "a missing file does not open");
	is_str(error.text, "No such file or directory", "the error of a missing file is the system's reason");
	is_u64(file_open(&file, directory, &error), ERROR_IO, "a directory does not open");
	ok(strstr(error.text, "is a directory") != NULL, "the error of a directory names its kind");
	ok(file.data == NULL && file.size == 0, "a failure leaves an empty file");
	file_close(&file);
}

TEST(pipe)
{
	struct file file;
	struct error error;
	int ends[2];
	char large[10000];

	memset(large, 'p', sizeof(large));
	if (pipe(ends) != 0 || write(ends[1], large, sizeof(large)) != sizeof(large)) {
		skip(2, "no pipe");
		return;
	}
	close(ends[1]);
	int saved = dup(STDIN_FILENO);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	is_u64(file_open(&file, "-", &error), ERROR_NONE, "standard input opens");
	ok(file.size == sizeof(large) && memcmp(file.data, large, sizeof(large)) == 0, "all of a pipe is read");
	file_close(&file);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

TEST(truncation)
{
	const off_t size = (off_t)LIMIT_READ_WHOLE + 8192;
	char noted[sizeof(path) + 64];
	struct file file;
	struct error error;

	if (!make_file("large", size)) {
		skip(9, "no room for a large sparse file");
		return;
	}
	is_u64(file_open(&file, path, &error), ERROR_NONE, "a large file opens");
	ok(file.mapped && file.size == (uint64_t)size, "a large file is mapped completely");
	ok(!file_truncated(&file), "a file that was not cut is not truncated");
	make_file("large", 4096);
	ok(file_truncated(&file), "a mapped file that was cut is truncated");
	/* qemu-user 7.2 swaps the halves of the address of a fault. */
	if (getenv("UNSPOOL_EMULATED") != NULL) {
		skip(5, "an emulator need not say where a fault is");
		file_close(&file);
		return;
	}
	is_u64(file.data[size - 1], 0, "bytes after the new end read as zero");
	is_u64(file.data[1 << 20], 0, "each lost page reads as zero");
	is_u64(file.data[0], 'l', "bytes before the cut are unchanged");
	ok(shortage_first() == NULL, "no shortage is noted before the file is closed");
	snprintf(noted, sizeof(noted), "'%s': truncated while it was read", path);
	file_close(&file);
	is_str(shortage_first(), noted, "a shortage is noted if lost bytes were read");
}

static uint64_t
three(const uint8_t *head, uint64_t size, uint64_t stored)
{
	return size > 0 && head[0] == 0 && stored == 0 ? UINT64_C(3) << 20 : 0;
}

static uint64_t
none(const uint8_t *head, uint64_t size, uint64_t stored)
{
	(void)head;
	return size > 0 ? stored : 1;
}

/* A device without end. */
TEST(endless)
{
	struct error error = { 0 };
	struct file file;

	is_u64(file_open(&file, "/dev/zero", &error), ERROR_IO, "an endless file is refused");
	is_str(error.text, "too large to be read from a pipe", "the error of an endless file names the pipe");
	is_u64(file_open_most(&file, "/dev/zero", LIMIT_READ_WHOLE, three, &error), ERROR_NONE,
	       "the head of an endless file gives the bytes to read");
	ok(file.size == 3u << 20 && file.cut, "3 MiB are read, and the result reports that the file is longer");
	file_close(&file);
	is_u64(file_open_most(&file, "/dev/zero", LIMIT_READ_WHOLE, none, &error), ERROR_NONE,
	       "an endless file opens if its head is enough");
	ok(file.size == 1u << 20 && file.cut, "only the head is read if it is enough");
	file_close(&file);
}

/* A fault outside of guarded mappings ends the process by SIGBUS, as without guards. */
TEST(other_faults)
{
	const off_t size = (off_t)LIMIT_READ_WHOLE + 8192;
	int status = 0;

	make_file("large", size);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		struct file file;
		int descriptor;

		signal(SIGBUS, SIG_DFL);
		if (file_open(&file, path, NULL) != ERROR_NONE)
			_exit(1);
		descriptor = open(path, O_RDWR);
		volatile char *bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, descriptor, 0);
		if (ftruncate(descriptor, 0) != 0)
			_exit(2);
		_exit(3 + bytes[100]);
	}
	waitpid(child, &status, 0);
	/* A sanitizer's own handler turns the signal into an exit. */
	ok(WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) != 3, "a fault in other memory ends the process");
}

int
main(void)
{
	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(path, sizeof(path), "%s/file", directory);
	run_tests();
	unlink(path);
	rmdir(directory);
	return done_testing();
}
