/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/compiler.h"
#include "report/step/patch.h"
#include "tests/lib/tap.h"

/* Unified diffs as POSIX (diff, "Diff -u Output Format") and GNU patch define them: three lines of
 * context, one hunk for lines at most six apart, numbers of lines after the earlier hunks. */

#define SEVEN "a\nb\nc\nd\ne\nf\ng\n"
#define MANY SEVEN "h\ni\nj\nk\nl\nm\nn\n"
#define HEAD "--- a/x.sym\t\n+++ b/x.sym\t\n"

static const struct {
	const char *text;
	const char *edits;		/* "d=D;e=": 'd' becomes 'D', 'e' is taken out; '|' divides lines */
	const char *diff;
} cases[] = {
	{ SEVEN, "d=D", "@@ -1,7 +1,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n" }, { SEVEN, "a=A", "@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d\n" },
	{ SEVEN, "b=B", "@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n" }, { SEVEN, "g=G", "@@ -4,4 +4,4 @@\n d\n e\n f\n-g\n+G\n" },
	{ MANY, "e=", "@@ -2,7 +2,6 @@\n b\n c\n d\n-e\n f\n g\n h\n" },
	{ "\nb\nc\n", "b=b|B", "@@ -1,3 +1,4 @@\n \n b\n+B\n c\n" }, { "a\nb\n", "b=b|B", "@@ -1,2 +1,3 @@\n a\n b\n+B\n" },
	/* The old line stays if it is one of the new lines. */
	{ MANY, "e=x|e|y", "@@ -2,7 +2,9 @@\n b\n c\n d\n+x\n e\n+y\n f\n g\n h\n" },
	{ MANY, "e=x|y", "@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+x\n+y\n f\n g\n h\n" },
	{ MANY, "e=e|e", "@@ -2,7 +2,8 @@\n b\n c\n d\n e\n+e\n f\n g\n h\n" },
	{ MANY, "b=B;c=C", "@@ -1,6 +1,6 @@\n a\n-b\n+B\n-c\n+C\n d\n e\n f\n" },
	/* Contexts that touch are in one hunk; a line between them makes two. */
	{ MANY, "d=D;k=K", "@@ -1,14 +1,14 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n h\n i\n j\n-k\n+K\n l\n m\n n\n" },
	{ MANY, "c=x|y;k=", "@@ -1,6 +1,7 @@\n a\n b\n-c\n+x\n+y\n d\n e\n f\n@@ -8,7 +9,6 @@\n h\n i\n j\n-k\n l\n m\n n\n" },
	{ MANY, "a=;i=I;n=", "@@ -1,4 +1,3 @@\n-a\n b\n c\n d\n@@ -6,9 +5,8 @@\n f\n g\n h\n-i\n+I\n j\n k\n l\n m\n-n\n" },
	/* A last line without a line feed. */
	{ "a\nb", "a=A", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n" },
	{ "a\nb", "b=B", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n" },
	{ "a\nb", "b=b|c", "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n" },
	/* Bytes around a record, as a carriage return, stay. */
	{ "a\r\nb\r\n", "b=B|c", "@@ -1,2 +1,3 @@\n a\r\n-b\r\n+B\r\n+c\r\n" },
	{ "a\n  b \n", "b=B", "@@ -1,2 +1,2 @@\n a\n-  b \n+  B \n" },
};

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct file file = { .data = (const uint8_t *)cases[i].text, .size = strlen(cases[i].text) };
		struct record_edit edits[4];
		struct record_edits all = { .edits = edits };
		struct output_string made;
		struct arena arena = { 0 };
		char *rest = arena_string(&arena, cases[i].edits);

		for (char *edit; (edit = strsep(&rest, ";")) != NULL; all.count++) {
			const char *at = strchr(cases[i].text, edit[0]);
			uint32_t line = 1;

			for (const char *before = cases[i].text; before < at; before++)
				line += *before == '\n';
			for (char *bar = edit; (bar = strchr(bar, '|')) != NULL;)
				*bar = '\n';
			edits[all.count] = (struct record_edit){ .file = "x.sym", .offset = (uint64_t)(at - cases[i].text), .line = line,
								 .was = { at, 1 }, .now = text_of(edit + 2) };
		}
		output_string_init(&made, &arena);
		patch_write_file(&made.output, &file, text_of("x.sym"), &all);
		is_text(made.text, arena_format(&arena, HEAD "%s", cases[i].diff), "the patch of '%s'", cases[i].edits);
		arena_free(&arena);
	}
	return done_testing();
}
