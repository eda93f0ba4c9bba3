/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum error_code
fail(const char *path, const char *why, struct error *error)
{
	return error_plain(error, ERROR_IO, "cannot write '%.150s': %s", path, why);
}

static bool
settle(const struct new_file *file, bool keep)
{
	return file->brokered ? door_settle(file->handle, keep) == 0
			      : new_file_settle(file->draft, file->path, file->replace, keep);
}

/* Whether a pipe or link may be another user's, who would read from there. */
static bool
is_strange(const struct stat *status)
{
	return !S_ISCHR(status->st_mode) && status->st_uid != 0 && status->st_uid != geteuid();
}

static bool
is_device(const struct stat *status)
{
	return !is_strange(status) && (S_ISCHR(status->st_mode) || S_ISFIFO(status->st_mode));
}

/*
 * Open a device or a pipe to write it in place. Follows a link such as /dev/fd/63. Waits until a
 * pipe has a reader, or the client has ended. -1 with errno; 0: the path leads to another kind of
 * file.
 */
static int
open_device(const char *path, int client)
{
	enum { PAUSE = 20 };		/* milliseconds between two attempts */
	struct pollfd ended = { client, 0, 0 };
	struct stat status;
	int descriptor = -1;

	if (stat(path, &status) == 0 && is_device(&status))
		do
			descriptor = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		while (descriptor < 0 && errno == ENXIO && S_ISFIFO(status.st_mode) &&
		       poll(&ended, 1, PAUSE) <= 0);
	else
		errno = 0;
	/* The path may have become another file. */
	if (descriptor < 0 || (fstat(descriptor, &status) == 0 && is_device(&status) &&
			       fcntl(descriptor, F_SETFL, O_WRONLY) == 0))
		return descriptor;
	close(descriptor);
	errno = ENOTSUP;
	return -1;
}

int
new_file_draft(char draft[DOOR_TEXT], const char *path, bool replace, int client)
{
	struct stat status;
	const bool over = lstat(path, &status) == 0;
	int descriptor = -1;

	draft[0] = '\0';
	errno = 0;
	if (over && !S_ISREG(status.st_mode) && !is_strange(&status))
		descriptor = open_device(path, client);
	if (descriptor >= 0 || errno != 0)
		return descriptor;
	errno = over && !replace ? EEXIST : over && !S_ISREG(status.st_mode) ? ENOTSUP : 0;
	/* A draft of a killed program may still have the name. */
	for (unsigned i = 0;
	     i < 100 && (errno == 0 || (i > 0 && errno == EEXIST)) && descriptor < 0; i++) {
		const int length = snprintf(draft, DOOR_TEXT, "%s.%ld-%u", path, (long)getpid(), i);

		errno = ENAMETOOLONG;
		if (length > 0 && length < DOOR_TEXT)
			descriptor = open(
				draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	}
	/* The new file gets the rights of the file that it replaces. */
	if (descriptor < 0 || !over || fchmod(descriptor, status.st_mode & 0777) == 0)
		return descriptor;
	const int reason = errno;
	close(descriptor);
	unlink(draft);
	errno = reason;
	return -1;
}

bool
new_file_settle(const char *draft, const char *path, bool replace, bool keep)
{
	/* A device or a pipe has no draft. */
	if (draft[0] == '\0')
		return true;
	/* link(2) replaces no file. If link(2) fails, check that the name is free, and rename. */
	bool good = keep && (replace ? rename(draft, path) == 0 : link(draft, path) == 0);

	if (keep && !good && !replace && errno != EEXIST && access(path, F_OK) != 0)
		good = rename(draft, path) == 0;
	const int reason = errno;
	unlink(draft);
	errno = reason;
	return good || !keep;
}

enum error_code
new_file_open(struct new_file *file, const char *path, bool replace, struct error *error)
{
	*file = (struct new_file){ .path = path, .replace = replace };
	int descriptor = new_file_draft(file->draft, path, replace, -1);
	if (descriptor < 0 && door_is_guarded() && (errno == EACCES || errno == EPERM)) {
		descriptor = door_draft(path, replace, &file->handle);
		file->brokered = descriptor >= 0;
	}
	if (descriptor < 0) {
		file->exists = errno == EEXIST;
		return fail(path, errno == ENOTSUP ? "it is not a regular file"
						   : door_strerror(errno), error);
	}
	file->stream = fdopen(descriptor, "w");
	if (file->stream != NULL)
		return ERROR_NONE;
	const int reason = errno;
	close(descriptor);
	settle(file, false);
	return fail(path, strerror(reason), error);
}

static void
write_stream(void *context, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, context);
}

struct output
new_file_output(const struct new_file *file)
{
	return (struct output){ .write = write_stream, .context = file->stream };
}

enum error_code
new_file_show(struct new_file *file, struct error *error)
{
	if (settle(file, true))
		return ERROR_NONE;
	const int reason = errno;
	fclose(file->stream);
	return fail(file->path, door_strerror(reason), error);
}

enum error_code
new_file_close(struct new_file *file, bool keep, struct error *error)
{
	const bool failed = fflush(file->stream) != 0 || ferror(file->stream) != 0;
	const bool good = fclose(file->stream) == 0 && !failed;

	if (good && settle(file, keep))
		return ERROR_NONE;
	if (!good)
		settle(file, false);
	return !keep ? ERROR_NONE
		     : fail(file->path, good ? door_strerror(errno) : "write failed (disk full?)",
			    error);
}

void
new_files_note(struct new_files *files, const char *path)
{
	const char *copy = arena_string(&files->arena, path);

	if (copy != NULL)
		ARENA_ADD(&files->arena, files->paths, files->count, files->capacity, &copy);
}

enum error_code
new_files_directory(struct new_files *files, const char *path, bool fresh, struct error *error)
{
	if (door_make_directory(path, 0777) == 0)
		new_files_note(files, path);
	else if (errno != EEXIST || fresh)
		return error_plain(error, ERROR_IO, "cannot make the directory '%.150s': %s", path,
				   door_strerror(errno));
	return ERROR_NONE;
}

enum error_code
new_files_write(struct new_files *files, const char *path, const void *bytes, size_t size,
		bool over, struct error *error)
{
	struct new_file file;

	enum error_code code = new_file_open(&file, path, over, error);
	if (code != ERROR_NONE)
		return code;
	fwrite(bytes, 1, size, file.stream);
	code = new_file_close(&file, true, error);
	if (code == ERROR_NONE && !over)
		new_files_note(files, path);
	return code;
}

void
new_files_remove(struct new_files *files)
{
	while (files->count > 0)
		door_remove(files->paths[--files->count]);
}

void
new_files_free(struct new_files *files)
{
	arena_free(&files->arena);
	*files = (struct new_files){ 0 };
}
