/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_INDEX_STORE_H
#define SYMBOLS_INDEX_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The directory of index files. Several programs may use it at once: a file appears and disappears
 * as a whole, and a program that has a removed file open can still read it.
 */

#define INDEX_PATH_SIZE 4096u

struct index_writer {
	char path[INDEX_PATH_SIZE], temporary[INDEX_PATH_SIZE];
	int descriptor;
};

/** The path of the index file of a key; false if it is too long. */
bool
index_store_path(char path[INDEX_PATH_SIZE], const char *directory, uint64_t key);

/** Create a file under a temporary name, and its directory if that is missing. */
bool
index_store_begin(struct index_writer *writer, const char *directory, uint64_t key);

/** Give the file its final name if it is `whole`, else remove it; true: the file exists now. */
bool
index_store_end(struct index_writer *writer, bool whole);

/** Record that a file is used. */
void
index_store_touch(const char *path);

/** Remove the least recently used files, to leave at most `most` bytes. Returns their number. */
size_t
index_store_bound(const char *path, uint64_t most);

#endif
