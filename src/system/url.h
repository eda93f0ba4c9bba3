/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SYSTEM_URL_H
#define SYSTEM_URL_H

#include <stddef.h>

/** URLs of servers without secrets. */

/** A URL without parts that may be secret: the user's name and password, and the query. */
void
url_show(const char *url, char *buffer, size_t size);

/** Only the host and port of a URL, printable. */
void
url_host(const char *url, char *buffer, size_t size);

#endif
