/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_URL_H
#define SYSTEM_URL_H

#include <stddef.h>

/** What people may see of a server's URL. */

/** A URL without what may be secret: the user's name and password, and the query. */
void
url_show(const char *url, char *buffer, size_t size);

/** Only its host and port, printable. */
void
url_host(const char *url, char *buffer, size_t size);

#endif
