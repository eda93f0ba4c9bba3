/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/url.h"

#include <string.h>

#include "tests/lib/tap.h"

/* URLs as shown: without secrets and without control sequences. */

static void
test_shown(void)
{
	static const struct {
		const char *url, *shown, *host;
	} cases[] = {
		{ "http://h:80/x", "http://h:80/x", "h:80" },
		{ "https://user:secret@h/x", "https://h/x", "h" },
		{ "https://user:se@cret@h/x?a=b@c", "https://h/x", "h" },
		{ "https://h/x@y", "https://h/x@y", "h" },
		{ "http://[::1]:8080?key=secret", "http://[::1]:8080", "[::1]:8080" },
		{ "user:secret@h/x", "h/x", "h" },
		{ "http://h#secret", "http://h", "h" },
	};
	char shown[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		url_show(cases[i].url, shown, sizeof(shown));
		is_str(shown, cases[i].shown, "the shown form of '%s'", cases[i].url);
		url_host(cases[i].url, shown, sizeof(shown));
		is_str(shown, cases[i].host, "and of its host");
	}
	url_host("http://\x1b[2Jh/", shown, sizeof(shown));
	ok(strchr(shown, '\x1b') == NULL, "a host is printable");
}

int
main(void)
{
	test_shown();
	return done_testing();
}
