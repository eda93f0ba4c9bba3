/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYMBOLS_INDEX_FILE_H
#define SYMBOLS_INDEX_FILE_H

#include "symbols/symfile_internal.h"

/**
 * Indexes of symbol files, kept in a directory for the next run.
 *
 * An index file is named after the identity of the symbol file: device, inode, size, time of the
 * last change and a digest of its first and last bytes. It contains the whole index without the
 * text of the symbol file, and is mapped. It is written under another name and renamed, so that
 * other programs see a complete file or none. Opening it verifies checksums of all content. That
 * takes some milliseconds for the 29 MB of a symbol file of a gigabyte.
 */

/* Minimum bytes of a symbol file with an index; smaller files are read as fast as an index. */
#define INDEX_FILE_LEAST (UINT64_C(1) << 20)
/* Maximum bytes of all index files; the least recently used files are removed. */
#define INDEX_FILES_MOST (UINT64_C(1) << 30)

/** Set symfile->key to the identity of the unread symbol file. NULL: no index will be saved. */
void
index_file_identify(struct symfile *symfile);

/** Load the index from the directory; false: the directory has no index of this file. */
bool
index_file_load(struct symfile *symfile, const char *directory);

/** Save the index in the directory, and limit the directory's size. A failure leaves no file. */
void
index_file_save(const struct symfile *symfile, const char *directory);

#endif
