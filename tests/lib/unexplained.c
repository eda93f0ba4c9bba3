/* SPDX-License-Identifier: GPL-3.0-or-later */
/** unexplained VIEW: print the words and signs in the rows of a view (standard input) that have no
 * explanation, one a line. Numbers are left out. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/glossary.h"

/* Print each word of `text` between two offsets. */
static void
print_words(const char *text, size_t from, size_t to)
{
	while (from < to) {
		size_t length = strcspn(text + from, " \n");
		length = length < to - from ? length : to - from;
		if (length > 0 && !isdigit((unsigned char)text[from]))
			printf("%.*s\n", (int)length, text + from);
		from += length + 1;
	}
}

int
main(int argc, char **argv)
{
	char line[4096];

	while (argc == 2 && fgets(line, sizeof(line), stdin) != NULL) {
		const struct text text = { line, strcspn(line, "\n") };
		struct glossary_hit hit;
		size_t at = 0, before = 0;

		while (glossary_next(text, argv[1], &at, &hit)) {
			print_words(line, before, (size_t)(hit.word.start - line));
			before = at;
		}
		print_words(line, before, text.length);
	}
	return argc != 2;
}
