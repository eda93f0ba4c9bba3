/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/keymap.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

void
completion_begin(struct completion *completion, const char *line)
{
	const char *blank = strrchr(line, ' ');

	*completion = (struct completion){ .line = line };
	completion->from = blank == NULL ? 0 : (size_t)(blank + 1 - line);
}

struct text
completion_typed(const struct completion *completion)
{
	return text_of(completion->line + completion->from);
}

/* Cut the common prefix where `word` differs from it. */
static void
share(struct completion *completion, struct text word)
{
	size_t length = 0;

	if (completion->common == NULL) {
		completion->common = strndup(word.start, word.length);
		return;
	}
	while (length < word.length && completion->common[length] == word.start[length])
		length++;
	/* Do not cut a UTF-8 character. */
	while (length > 0 && (completion->common[length] & 0xc0) == 0x80)
		length--;
	completion->common[length] = '\0';
}

void
completion_add(struct completion *completion, struct text word)
{
	const struct text typed = completion_typed(completion);

	if (word.length == 0 || word.length < typed.length ||
	    memcmp(word.start, typed.start, typed.length) != 0 ||
	    text_printable_length(word) != word.length)
		return;
	for (size_t i = 0; completion->count < COMPLETION_MOST && i < completion->count; i++)
		if (text_is(word, completion->words[i]))
			return;
	completion->total++;
	share(completion, word);
	if (completion->count == COMPLETION_MOST)
		return;
	if (completion->words == NULL)
		completion->words = calloc(COMPLETION_MOST, sizeof(*completion->words));
	char *copy = strndup(word.start, word.length);
	if (completion->words == NULL || copy == NULL) {
		free(copy);
		return;
	}
	completion->words[completion->count++] = copy;
}

static int
completion_compare(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void
completion_sort(struct completion *completion)
{
	SORT(completion->words, completion->count, completion_compare);
}

void
completion_free(struct completion *completion)
{
	for (size_t i = 0; i < completion->count; i++)
		free(completion->words[i]);
	free(completion->words);
	free(completion->common);
	*completion = (struct completion){ 0 };
}
