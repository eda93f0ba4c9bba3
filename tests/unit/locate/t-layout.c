/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The paths that layouts make: of each letter by the documents of the stores (Breakpad's
 * SimpleSymbolSupplier, SymSrv's two tiers and cabinets, gdb's .build-id, Symbolicator's unified
 * layout), and for all rows that no name of a dump leads out of the directory.
 */
#include "locate/layout.h"

#include "tests/lib/tap.h"

#define GUID "0123456789ABCDEF0123456789ABCDEF"

static const struct module module = {
	.code_file = "/opt/app/Prog.DLL", .timestamp = 0x5a9832e5, .size = 0x1f000,
	.debug_id = GUID "a", .debug_file = "Prog.pdb", .code_id = "",
};

/* A module whose file is named like `file` in all fields, or every name of its own kind. */
static struct locate_subject
subject_of(const char *file)
{
	if (file != NULL)
		return (struct locate_subject){
			.module = &module, .path = file, .build_id = file, .link = file,
			.pdb = file, .pdb_id = file, .bundle = file, .name = file, .id = file,
			.code_name = file, .code_id = file,
		};
	return (struct locate_subject){
		.module = &module, .build_id = "ab12cd34ef", .bundle = "Bundle",
		.link = "/usr/lib/debug/.dwz/old/.dwz/x86/common.debug", .pdb = "Linked.pdb",
		.pdb_id = GUID "1", .source = "/src/a b.c", .name = "Prog.PDB", .id = GUID "0",
		.code_name = "Code.dll", .code_id = "5A9832e51f000",
	};
}

TEST(letters)
{
	static const struct {
		const char *letter, *value;
	} rows[] = {
		{ "%n", "Prog.DLL" }, { "%p", "opt/app/Prog.DLL" }, { "%d", "opt/app" },
		{ "%l", "prog.dll" }, { "%a", "Prog.DL_" }, { "%e", "Pr" }, { "%g", GUID "a" }, { "%c", "5A9832E51f000" },
		{ "%x", "ab" }, { "%y", "12cd34ef" }, { "%h", "ab12cd34ef" }, { "%k", "common.debug" }, { "%z", "x86/common.debug" },
		{ "%q", "usr/lib/debug/.dwz/old/.dwz/x86/common.debug" }, { "%b", "Linked.pdb" }, { "%A", "Linked.pd_" }, { "%E", "Li" },
		{ "%v", GUID "1" }, { "%B", "Bundle" }, { "%f", "/src/a b.c" },
		{ "%N", "Prog.PDB" }, { "%I", GUID "0" }, { "%S", "Prog" },
		{ "%C", "Code.dll" }, { "%D", "5A9832e51f000" }, { "%T", "Code" }, { "%K", "5A9832E51F000" }, { "%R", "Code" },
		{ "%u", "5a" }, { "%U", "9832e51f000" }, { "%i", "01" }, { "%J", "23456789abcdef0123456789abcdef0" },
		{ "%m", "01" }, { "%M", "23456789abcdef0123456789abcdef" },
		/* The row of a program's name with its extension. */
		{ "%W", "Code.dll" },
		/* No version follows the name, as in libm.so.6.1. */
		{ "%s", NULL },
	};
	const struct locate_subject subject = subject_of(NULL);

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char want[128], *path = layout_path(&subject, "/root", rows[i].letter);

		if (rows[i].value != NULL)
			snprintf(want, sizeof(want), "/root/%s", rows[i].value);
		is_str(path, rows[i].value != NULL ? want : NULL, "the path of %s", rows[i].letter);
		free(path);
	}
}

TEST(forms)
{
	static const struct {
		const char *title, *file, *pattern, *value;
	} rows[] = {
		{ "a library is found by the name that programs load", "/lib/libm.so.6.1", "%s", "/libm.so.6" },
		{ "a name without a second number is that name", "/lib/libm.so.6", "%s", NULL },
		{ "a name in lower case has no second path", "prog", "%l", NULL }, { "a bare name is not a path", "prog", "%p", NULL },
		{ "a bare name has no folder", "prog", "%d", NULL }, { "a path without '.dwz' has no part below it", "/a/b", "%z", NULL },
		{ "an extension of two letters is not packed", "lib.so", "%a", NULL },
		{ "a name of four bytes is not packed", ".dll", "%a", NULL }, { "one of five bytes is", "a.dll", "%a", "/a.dl_" },
		{ "a build ID has at least four digits", "abc", "%h", NULL },
		{ "a build ID of four digits has two in the folder", "abcd", "%x/%y", "/ab/cd" },
		{ "a build ID has hexadecimal digits", "abcg", "%x", NULL }, { "a build ID has small letters", "ABCD", "%x", NULL },
		{ "the unified layout needs more than a folder's digits", "ab", "%u", NULL },
		{ "the unified layout needs hexadecimal digits", "abcx", "%U", NULL },
		{ "an equal code ID makes no second path", "abc", "%i", NULL },
		{ "a debug ID with an age is no ID of Mach-O", GUID "1", "%m", NULL },
		{ "equal names make no second path", "a.exe", "%C", NULL }, { "the name '.pdb' stays whole", ".pdb", "%S", "/.pdb" },
		{ "all letters of a pattern are needed", "abcd", "%x/%s", NULL },
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct locate_subject subject = subject_of(rows[i].file);
		char *path = layout_path(&subject, "", rows[i].pattern);

		is_str(path, rows[i].value, "%s", rows[i].title);
		free(path);
	}
	const struct locate_subject subject = subject_of(NULL);
	char *path = layout_path(&subject, "/root/", "a/%n");
	is_str(path, "/root/a/Prog.DLL", "a slash at the directory's end is not doubled");
	free(path);
	path = layout_url(&subject, "http://x/", "%f");
	is_str(path, "http://x//src/a%20b.c", "a URL has the slashes of a source, and escapes");
	free(path);
	path = layout_url(&(struct locate_subject){ .module = &module, .build_id = "",
						    .path = "/x/a+b~\xc3\xa4?" }, "http://x", "%n");
	is_str(path, "http://x/a%2Bb~%C3%A4%3F", "other bytes than RFC 3986's are escaped");
	free(path);
}

/* Whether a path has no part that is empty, "." or "..", beyond the directory's own. */
static bool
stays_below(const char *path, const char *directory)
{
	const size_t skip = strlen(directory);

	if (strncmp(path, directory, skip) != 0 || path[skip] != '/')
		return false;
	for (const char *part = path + skip; *part != '\0'; part += strcspn(part, "/")) {
		const size_t length = strcspn(++part, "/");

		if (length == 0 || (length == 2 && memcmp(part, "..", 2) == 0))
			return false;
	}
	return true;
}

TEST(hostile)
{
	static const char *const files[] = {
		"", ".", "..", "/", "//", "../x", "/../x", "a/..", "a/../b", "/a/b/../../..", "..\\x",
		"a\\..\\b", "\\", "../..", "/.dwz/../x", "/.dwz/a/../../x", "x.so.6.1/..",
	};
	size_t left = 0, made = 0;

	for (size_t i = 0; i < ARRAY_COUNT(files); i++)
		for (size_t row = 0; row < layout_count; row++) {
			const struct locate_subject subject = subject_of(files[i]);
			char *path = layout_path(&subject, "/root", layout_rows[row].pattern);

			if ((layout_rows[row].flags & LAYOUT_LISTED) == 0 && path != NULL) {
				made++;
				left += !stays_below(path, "/root");
				if (!stays_below(path, "/root"))
					tap_diag("'%s' makes %s", files[i], path);
			}
			free(path);
		}
	is_u64(left, 0, "no row makes a path that leaves the directory");
	ok(made > 0, "some rows make paths of these names");
}
