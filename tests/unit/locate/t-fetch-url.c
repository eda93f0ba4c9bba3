/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include "tests/lib/tap.h"

/* URLs of symbol files: text from a dump is escaped. */

static struct locate_subject
subject_of(const char *name, const char *id, const char *code_name, const char *code_id)
{
	return (struct locate_subject){ .name = name, .id = id, .code_name = code_name,
					.code_id = code_id };
}

TEST(made)
{
	static const struct {
		const char *title, *base;
		const char *name, *id, *code_name, *code_id;
		bool code;
		const char *url;
	} cases[] = {
		{ "the layout of a store", "http://h", "a.pdb", "ID", "", "", false, "http://h/a.pdb/ID/a.sym" },
		{ "an ELF file's name stays whole", "http://h", "liba.so.1", "ID", "", "", false, "http://h/liba.so.1/ID/liba.so.1.sym" },
		{ "slashes at the end count once", "https://h/sub///", "a", "ID", "", "", false, "https://h/sub/a/ID/a.sym" },
		{ "an address of IPv6", "http://[::1]:80", "a", "ID", "", "", false, "http://[::1]:80/a/ID/a.sym" },
		{ "the code ID is part of the query", "http://h", "a.pdb", "ID", "a.dll", "12ab",
		  false, "http://h/a.pdb/ID/a.sym?code_file=a.dll&code_id=12ab" },
		{ "or asked for, in capitals", "http://h", "a.pdb", "ID", "a.dll", "12ab", true, "http://h/a.dll/12AB/a.sym" },
		{ "of a program with its whole name", "http://h", "", "", "a.exe", "1", true, "http://h/a.exe/1/a.exe.sym" },
		{ "a query follows the path", "http://h/s/?key=1", "a", "ID", "", "", false, "http://h/s/a/ID/a.sym?key=1" },
		{ "a query follows the code ID", "http://h?key=1&b", "a", "ID", "c", "2", false,
		  "http://h/a/ID/a.sym?code_file=c&code_id=2&key=1&b" },
		{ "a fragment is no part of it", "http://h/s#top", "a", "ID", "", "", false, "http://h/s/a/ID/a.sym" },
		{ "an empty query is left out", "http://h/?#x", "a", "ID", "", "", false, "http://h/a/ID/a.sym" },
		{ "text of a dump is escaped", "http://h", "a b\n%?#&=+\x80",
		  "I D", "", "", false, "http://h/a%20b%0A%25%3F%23%26%3D%2B%80/I%20D/a%20b%0A%25%3F%23%26%3D%2B%80.sym" },
	};
	char url[FETCH_PATH_SIZE];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct locate_subject subject = subject_of(
			cases[i].name, cases[i].id, cases[i].code_name, cases[i].code_id);

		ok(fetch_url_make(url, cases[i].base, &subject, &fetch_forms[cases[i].code],
				  false), "%s: the URL is made", cases[i].title);
		is_str(url, cases[i].url, "%s", cases[i].title);
	}
}

TEST(room)
{
	static char base[FETCH_PATH_SIZE * 2], name[FETCH_PATH_SIZE];
	char url[FETCH_PATH_SIZE];
	size_t wrong = 0;

	memset(name, '\x80', 1300);
	for (size_t length = 8; length < FETCH_PATH_SIZE + 100; length++) {
		memset(base, 'a', length);
		memcpy(base, "http://", 7);
		base[length] = '\0';
		const struct locate_subject subject = subject_of("x", "ID", "y", "1");
		const size_t whole = length + strlen("/x/ID/x.sym?code_file=y&code_id=1");
		const bool made = fetch_url_make(url, base, &subject, &fetch_forms[0], false);

		wrong += made != (whole < FETCH_PATH_SIZE) || (made && strlen(url) != whole);
		base[length / 2] = '?';
		wrong += fetch_url_make(url, base, &subject, &fetch_forms[0], false) &&
			 strlen(url) >= sizeof(url);
	}
	is_u64(wrong, 0, "a URL is complete or not made");
	struct locate_subject subject = subject_of(name, "ID", "", "");
	ok(!fetch_url_make(url, "http://h", &subject, &fetch_forms[0], false),
	   "a URL that is too long when it is escaped is not made");
	subject = subject_of("../a", "ID", "", "");
	ok(!fetch_url_make(url, "http://h", &subject, &fetch_forms[0], false), "a name with '..' makes no URL");
	subject = subject_of("a", "..", "", "");
	ok(!fetch_url_make(url, "http://h", &subject, &fetch_forms[0], false), "an identifier '..' makes no URL");
}

/* URLs as shown: without secrets and without control sequences. */
TEST(shown)
{
	static const struct {
		const char *url, *shown, *host;
	} cases[] = {
		{ "http://h:80/x", "http://h:80/x", "h:80" }, { "https://user:secret@h/x", "https://h/x", "h" },
		{ "https://user:se@cret@h/x?a=b@c", "https://h/x", "h" }, { "https://h/x@y", "https://h/x@y", "h" },
		{ "http://[::1]:8080?key=secret", "http://[::1]:8080", "[::1]:8080" }, { "user:secret@h/x", "h/x", "h" },
		{ "http://h#secret", "http://h", "h" },
	};
	char shown[256];

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		fetch_url_show(cases[i].url, shown, sizeof(shown));
		is_str(shown, cases[i].shown, "'%s' is shown without secrets", cases[i].url);
		fetch_url_host(cases[i].url, shown, sizeof(shown));
		is_str(shown, cases[i].host, "'%s' has its host", cases[i].url);
	}
	fetch_url_host("http://\x1b[2Jh/", shown, sizeof(shown));
	ok(strchr(shown, '\x1b') == NULL, "the shown host has no control characters");
}
