/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum error_code
fail(const char *path, const char *why, struct error *error)
{
	return error_set(error, ERROR_IO, (struct place){ 0 }, "'%.150s' cannot be written: %s",
			 path, why);
}

enum error_code
new_file_open(struct new_file *file, const char *path, bool replace, struct error *error)
{
	struct stat status;

	*file = (struct new_file){ .path = path };
	const bool over = replace && lstat(path, &status) == 0;
	if (over && !S_ISREG(status.st_mode))
		return fail(path, "it is not a regular file", error);
	const int length = snprintf(file->draft, sizeof(file->draft), "%s%s", path,
				    over ? ".XXXXXX" : "");
	if (length < 0 || (size_t)length >= sizeof(file->draft))
		return fail(path, strerror(ENAMETOOLONG), error);
	/* O_EXCL follows no link, not even one that leads nowhere. */
	const int descriptor =
		over ? mkostemp(file->draft, O_CLOEXEC)
		     : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (descriptor < 0) {
		file->exists = errno == EEXIST;
		return fail(path, strerror(errno), error);
	}
	/* The rights of the file that is replaced; without them it is the user's alone. */
	const bool changed = !over || fchmod(descriptor, status.st_mode & 0777) == 0;
	file->stream = changed ? fdopen(descriptor, "w") : NULL;
	if (file->stream != NULL)
		return ERROR_NONE;
	const int reason = errno;
	close(descriptor);
	unlink(file->draft);
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
	return (struct output){ write_stream, file->stream, NULL };
}

enum error_code
new_file_close(struct new_file *file, bool keep, struct error *error)
{
	const bool failed = fflush(file->stream) != 0 || ferror(file->stream) != 0;
	bool good = fclose(file->stream) == 0 && !failed;

	if (good && keep && strcmp(file->draft, file->path) != 0)
		good = rename(file->draft, file->path) == 0;
	if (good && keep)
		return ERROR_NONE;
	unlink(file->draft);
	return keep ? fail(file->path, "write failed (disk full?)", error) : ERROR_NONE;
}
