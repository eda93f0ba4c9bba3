/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/url.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* The host in a URL, without the user's name and password: where it begins and ends. */
static void
find_host(const char *url, size_t *scheme, size_t *begin, size_t *end)
{
	const char *slashes = strstr(url, "://");

	*scheme = slashes == NULL ? 0 : (size_t)(slashes - url) + 3;
	*end = *scheme + strcspn(url + *scheme, "/?#");
	*begin = *scheme;
	for (size_t i = *scheme; i < *end; i++)
		if (url[i] == '@')
			*begin = i + 1;
}

void
url_show(const char *url, char *buffer, size_t size)
{
	size_t scheme, begin, end;

	find_host(url, &scheme, &begin, &end);
	snprintf(buffer, size, "%.*s%.*s", (int)scheme, url, (int)strcspn(url + begin, "?#"),
		 url + begin);
}

void
url_host(const char *url, char *buffer, size_t size)
{
	size_t scheme, begin, end;

	find_host(url, &scheme, &begin, &end);
	text_printable(buffer, size, (struct text){ url + begin, end - begin });
}
