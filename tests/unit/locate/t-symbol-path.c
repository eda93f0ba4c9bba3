/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol path of Windows debuggers, with elements by Microsoft's documents. */
#include "locate/symbol_path.h"

#include "tests/lib/tap.h"

#define MS "https://msdl.microsoft.com/download/symbols"

/* The elements, a word each: d:, s: or u: and the text, for a server its cache after '<'. */
static void
describe(const struct symbol_path *path, char *text, size_t size)
{
	static const char kinds[] = { 'd', 's', 'u' };
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < path->count && used < size; i++) {
		const struct symbol_path_part *part = &path->parts[i];

		used += (size_t)snprintf(text + used, size - used, "%s%c:%s%s%s",
					 i > 0 ? " " : "", kinds[part->kind], part->text,
					 part->cache != NULL ? "<" : "",
					 part->cache != NULL ? part->cache : "");
	}
}

int
main(void)
{
	static const struct {
		const char *title, *path, *parts;
	} cases[] = {
		{ "nothing", "", "" },
		{ "a directory", "/symbols", "d:/symbols" },
		{ "several, with blanks and empty ones", " /a ;; /b/;", "d:/a d:/b/" },
		{ "a server keeps its files in the store before it", "srv*/cache*" MS, "s:/cache u:" MS "</cache" },
		{ "of several stores in the first", "srv*/one*/two*" MS, "s:/one s:/two u:" MS "</one" },
		{ "without a store", "srv*" MS, "u:" MS },
		{ "with the default one", "SRV**" MS, "u:" MS },
		{ "a store alone", "srv*/store", "s:/store" },
		{ "the long form names a library first", "symsrv*symsrv.dll*/c*" MS, "s:/c u:" MS "</c" },
		{ "which may be all of it", "symsrv*symsrv.dll", "" },
		{ "a cache applies to all servers after it",
		  "srv*http://a;cache*/c;srv*http://b;http://d", "u:http://a s:/c u:http://b</c u:http://d</c" },
		{ "also where they have their own", "Cache*/c;srv*/d*http://b", "s:/c s:/d u:http://b</c" },
		{ "an empty cache is the default", "cache*;srv*http://b", "u:http://b" },
		{ "a path of Windows keeps nothing", "srv*C:\\symbols*" MS, "s:C:\\symbols u:" MS },
		{ "nor does a share", "cache*\\\\server\\share;srv*/d*http://b", "s:\\\\server\\share s:/d u:http://b</d" },
		{ "the same counts once", "srv*/c*http://a;/x;srv*/c*http://a;/x", "s:/c u:http://a</c d:/x" },
		{ "a drive has no list of its own", "C:\\a;D:\\b", "d:C:\\a d:D:\\b" },
		{ "home", "srv*~/c*http://a;~/d", "s:/home/x/c u:http://a</home/x/c d:/home/x/d" },
	};
	static const char *const recognised[] = { "srv*x", "SRV*", "symsrv*symsrv.dll*x", "cache*x",
						  "http://x", "HTTPS://x" };
	static const char *const plain[] = { "", "srv", "srv/x", "/a*b", "./srv*", "ftp://x" };
	struct symbol_path path = { 0 };
	struct arena arena = { 0 };
	char text[512];

	setenv("HOME", "/home/x", 1);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		path = (struct symbol_path){ 0 };
		ok(symbol_path_parse(&path, cases[i].path, &arena), "%s: the path is read", cases[i].title);
		describe(&path, text, sizeof(text));
		is_str(text, cases[i].parts, "%s", cases[i].title);
	}
	path = (struct symbol_path){ 0 };
	symbol_path_parse(&path, "/a", &arena);
	symbol_path_parse(&path, "/b;/a", &arena);
	describe(&path, text, sizeof(text));
	is_str(text, "d:/a d:/b", "several paths are joined without duplicates");
	for (size_t i = 0; i < ARRAY_COUNT(recognised); i++)
		ok(symbol_path_recognise(recognised[i]), "'%s' is recognised as a symbol path", recognised[i]);
	for (size_t i = 0; i < ARRAY_COUNT(plain); i++)
		ok(!symbol_path_recognise(plain[i]), "'%s' may be a directory", plain[i]);
	arena_free(&arena);
	return done_testing();
}
