/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_INDEX_STORE_H
#define SYMBOLS_INDEX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The directory of index files. Several programs may use it at once: a file appears and goes
 * as a whole, and one that has been removed stays readable for a program that has it open.
 */

#define INDEX_PATH_SIZE 4096u

/* A file that is being written. */
struct index_writer {
	char path[INDEX_PATH_SIZE], temporary[INDEX_PATH_SIZE];
	int descriptor;
};

/** The path of the file of a key; false where it is too long. */
bool
index_store_path(char path[INDEX_PATH_SIZE], const char *directory, uint64_t key);

/** Create a file under a name of its own, and the directory where it is missing. */
bool
index_store_begin(struct index_writer *writer, const char *directory, uint64_t key);

/** Give it its name, or remove it where it is not `whole`; false where it is not there now. */
bool
index_store_end(struct index_writer *writer, bool whole);

/** Note that a file is used. */
void
index_store_touch(const char *path);

/**
 * Remove what was used longest ago until at most `most` bytes are left; how many files that was.
 */
size_t
index_store_bound(const char *path, uint64_t most);

#endif
