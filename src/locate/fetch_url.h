/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOCATE_FETCH_URL_H
#define LOCATE_FETCH_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "locate/fetch.h"

/** URLs of symbol files, as Mozilla's Tecken takes them. */

/** Bytes of a URL or a path with its end. */
#define FETCH_PATH_SIZE 4096u

/**
 * `BASE/NAME/ID/STEM.sym`, told by which code file it may be known otherwise, or with `code` the
 * same of the code file. A query of BASE, as a key may stand there, is the URL's. All that comes from `wanted` is escaped but the unreserved characters of
 * RFC 3986. False: FETCH_PATH_SIZE bytes at `url` are too few.
 */
bool
fetch_url_make(char *url, const char *base, const struct fetch_wanted *wanted, bool code);

/** The length of a server's URL without a query and slashes before it. */
size_t
fetch_url_base(const char *url);

/** Whether two URLs are of one server: the same but for slashes at the path's end. */
bool
fetch_url_same(const char *one, const char *other);

/** The length of a debug or code file's name that stands before `.sym` in a directory. */
size_t
fetch_url_stem(const char *name, bool code);

#endif
