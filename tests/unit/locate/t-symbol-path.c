/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symbol path of Windows debuggers, with elements by Microsoft's documents. */
#include "locate/symbol_path.h"

#include "tests/lib/folder.h"

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

TEST(parts)
{
	static const struct {
		const char *title, *path, *parts;
	} cases[] = {
		{ "nothing", "", "" }, { "a directory", "/symbols", "d:/symbols" },
		{ "several, with blanks and empty ones", " /a ;; /b/;", "d:/a d:/b/" },
		{ "a server keeps its files in the store before it", "srv*/cache*" MS, "s:/cache u:" MS "</cache" },
		{ "of several stores in the first", "srv*/one*/two*" MS, "s:/one s:/two u:" MS "</one" },
		{ "without a store", "srv*" MS, "u:" MS }, { "with the default one", "SRV**" MS, "u:" MS },
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
		{ "tabs are blanks, and an element may be of blanks", "\t/a \t; \t ;/b\t;\t", "d:/a d:/b" },
		{ "a blank in a name stays", " srv*/a b*http://c ;d e", "s:/a b u:http://c</a b d:d e" },
		{ "an empty cache leaves the one before it", "cache*/c;cache*;http://a", "s:/c u:http://a</c" },
		{ "a path of Windows leaves it, too", "cache*/c;cache*C:\\d;http://a", "s:/c s:C:\\d u:http://a</c" },
		{ "the second store keeps files for a path of Windows", "srv*C:\\s*/d*http://a", "s:C:\\s s:/d u:http://a</d" },
		{ "a digit before a colon is no drive", "srv*1:/s*http://a", "s:1:/s u:http://a<1:/s" },
		{ "a relative path of a drive", "srv*c:s*http://a", "s:c:s u:http://a" },
		{ "another word of five letters is no cache", "trace*/a;srv*http://b", "s:/a u:http://b" },
		{ "nor is a part of the word", "cac*/a;srv*http://b", "s:/a u:http://b" },
		{ "another word of six letters names no library", "server*/a*http://b", "s:/a u:http://b</a" },
		{ "nor does a part of symsrv", "sym*/a*http://b", "s:/a u:http://b</a" },
		{ "one name may be a store and a directory", "/a;srv*/a;/a", "d:/a s:/a" },
		{ "one slash makes no server", "http:/a;https:/b", "d:http:/a d:https:/b" },
		{ "home", "srv*~/c*http://a;~/d", "s:/home/x/c u:http://a</home/x/c d:/home/x/d" },
	};
	static const char *const recognised[] = { "srv*x", "SRV*", "symsrv*symsrv.dll*x", "cache*x",
						  "http://x", "HTTPS://x" };
	static const char *const plain[] = { "", "srv", "srv/x", "/a*b", "./srv*", "ftp://x", "http:/x",
					      "https:/x", "cachex*", "symsrv" };
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
}

/* The file.ptr of a store: the path in its first line, or the reason why it is not followed. */
TEST(pointers)
{
	static const struct {
		const char *text, *target, *why;	/* NULL: followed */
	} rows[] = {
		{ "PATH:/a/b", "/a/b", NULL }, { "path:  /a b  \r\nPATH:/c", "/a b", NULL }, { "PATH:/a\n", "/a", NULL },
		{ "PATH:/", "/", NULL }, { "MSG: not yet \r\nx", "not yet", "its file.ptr says: not yet" },
		{ "msg:", "", "its file.ptr says: " }, { "", "", "its file.ptr has neither PATH: nor MSG:" },
		{ "PATH", "PATH", "its file.ptr has neither PATH: nor MSG:" },
		{ "MSG", "MSG", "its file.ptr has neither PATH: nor MSG:" },
		{ " PATH:/a", "PATH:/a", "its file.ptr has neither PATH: nor MSG:" },
		{ "PATH:", "", "its file.ptr leads to '', which is no absolute path" },
		{ "PATH:   ", "", "its file.ptr leads to '', which is no absolute path" },
		{ "PATH: a/b", "a/b", "its file.ptr leads to 'a/b', which is no absolute path" },
		{ "PATH: C:/a", "C:/a", "its file.ptr leads to 'C:/a', a path of Windows" },
		{ "PATH:\\\\a\\b", "\\\\a\\b", "its file.ptr leads to '\\\\a\\b', a path of Windows" },
	};
	char target[FILE_POINTER_SIZE], why[256];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const bool good = file_pointer_read(put_text("file.ptr", rows[i].text), true, target, why, sizeof(why));

		ok(good == (rows[i].why == NULL), "the pointer '%s' is followed, or not", rows[i].text);
		is_str(target, rows[i].target, "the path of '%s' has no blanks around it", rows[i].text);
		if (!good)
			is_str(why, rows[i].why, "the reason for '%s'", rows[i].text);
	}
	ok(!file_pointer_read(put_text("file.ptr", "PATH: /a "), false, target, why, sizeof(why)),
	   "a pointer is followed only with the option");
	is_str(why, "its file.ptr leads to '/a'; --follow-pointers would follow it", "the reason names the option");
	ok(!file_pointer_read(path_in("none"), true, target, why, sizeof(why)), "a missing pointer is not followed");
	is_str(why, "its file.ptr cannot be read", "the reason for a missing pointer");
	is_str(target, "", "a missing pointer has no target");
}

FOLDER_MAIN
