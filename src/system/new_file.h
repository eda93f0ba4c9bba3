/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_NEW_FILE_H
#define SYSTEM_NEW_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/output.h"
#include "system/door.h"

/**
 * A file that the user requested, while it is written.
 *
 * Links to files are not followed, and existing files are not written into. A plain file is
 * replaced only on demand and as a whole. A program that reads or maps the old file keeps the old
 * bytes. The file has another name until it is complete, so a killed program leaves no incomplete
 * file under the requested name. A device or a pipe is written in place.
 */
struct new_file {
	FILE *stream;
	const char *path;	/* borrowed */
	bool exists;		/* the file was not opened because the name exists */
	/*
	 * path of the file that is written, in the directory of `path`; empty: a device or a pipe
	 */
	char draft[DOOR_TEXT];
	bool replace;
	bool brokered;
	uint32_t handle;	/* number of the file at the broker */
};

/**
 * Create the file `path`. With `replace` a plain file of this name is overwritten by
 * new_file_close; links to files are refused.
 */
enum error_code
new_file_open(struct new_file *file, const char *path, bool replace, struct error *error);

/** An output to the file; new_file_close() reports errors. */
struct output
new_file_output(const struct new_file *file);

/** Give the file its name before it is complete, for the record of a session. */
enum error_code
new_file_show(struct new_file *file, struct error *error);

/** Close the file. Remove it if `keep` is false or the file is incomplete. */
enum error_code
new_file_close(struct new_file *file, bool keep, struct error *error);

/** Files and directories that a run has made, oldest first, so that it can remove them again. */
struct new_files {
	struct arena arena;
	const char **paths;
	size_t count, capacity;
};

/** Add a path. If out of memory, the path is not added, so its file will stay. */
void
new_files_note(struct new_files *files, const char *path);

/** Make a directory and note it; with `fresh`, an existing directory is an error. */
enum error_code
new_files_directory(struct new_files *files, const char *path, bool fresh, struct error *error);

/** Write a file and note it; with `over`, an existing file is replaced and not noted. */
enum error_code
new_files_write(struct new_files *files, const char *path, const void *bytes, size_t size,
		bool over, struct error *error);

/** Remove all noted paths; a directory that has other files by now stays. */
void
new_files_remove(struct new_files *files);

void
new_files_free(struct new_files *files);

/**
 * Open a draft for writing in the directory of `path`, and return its name in `draft`. A device or
 * a pipe is opened directly, and `draft` is empty; a pipe is waited for until it has a reader. The
 * broker calls this, too, and ends the wait if its `client` has ended; -1: none. -1 with errno:
 * EEXIST if `path` exists and may not be replaced, ENOTSUP if it is not a plain file.
 */
int
new_file_draft(char draft[DOOR_TEXT], const char *path, bool replace, int client);

/** Give the draft its name, or remove it; false, with errno, on failure. */
bool
new_file_settle(const char *draft, const char *path, bool replace, bool keep);

#endif
