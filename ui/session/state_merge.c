/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/state_merge.h"

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/text.h"

/* A line, and the words at its beginning that identify its thing. */
struct state_line {
	struct text text, key;
};

struct state_lines {
	struct state_line *items;
	size_t count;
};

/* The words that identify a line's thing; for a map, its OLD path. */
static struct text
key_of(struct text line)
{
	static const struct {
		const char *word;
		unsigned words;
	} kinds[] = { { "mark ", 2 }, { "frame ", 4 }, { "address ", 2 }, { "register ", 2 } };
	unsigned words = 1;
	size_t length = 0;

	if (line.length > 7 && memcmp(line.start, "source ", 7) == 0) {
		const char *end = memchr(line.start, '=', line.length);

		return (struct text){ line.start, end != NULL ? (size_t)(end - line.start)
							      : line.length };
	}
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (line.length > strlen(kinds[i].word) &&
		    memcmp(line.start, kinds[i].word, strlen(kinds[i].word)) == 0)
			words = kinds[i].words;
	for (; length < line.length; length++)
		if (line.start[length] == ' ' && --words == 0)
			break;
	return (struct text){ line.start, length };
}

static bool
split(struct arena *arena, const char *text, struct state_lines *lines)
{
	size_t count = 1;

	for (const char *c = text; *c != '\0'; c++)
		count += *c == '\n';
	lines->items = arena_array(arena, count, sizeof(*lines->items));
	if (lines->items == NULL)
		return false;
	while (*text != '\0') {
		const struct text line = { text, strcspn(text, "\n") };

		text += line.length + (text[line.length] == '\n');
		if (line.length > 0)
			lines->items[lines->count++] = (struct state_line){ line, key_of(line) };
	}
	return true;
}

/* The next line of a thing from `*at` on, which is advanced past it. */
static const struct state_line *
next_of(const struct state_lines *lines, struct text key, size_t *at)
{
	while (*at < lines->count)
		if (text_equal(lines->items[(*at)++].key, key))
			return &lines->items[*at - 1];
	return NULL;
}

/* Whether both say the same about a thing. */
static bool
agree(const struct state_lines *a, const struct state_lines *b, struct text key)
{
	size_t at_a = 0, at_b = 0;

	for (;;) {
		const struct state_line *one = next_of(a, key, &at_a);
		const struct state_line *other = next_of(b, key, &at_b);

		if (one == NULL || other == NULL)
			return one == other;
		if (!text_equal(one->text, other->text))
			return false;
	}
}

static void
write_thing(FILE *file, const struct state_lines *lines, struct text key)
{
	const struct state_line *line;

	for (size_t at = 0; (line = next_of(lines, key, &at)) != NULL;)
		fprintf(file, "%.*s\n", (int)line->text.length, line->text.start);
}

/* Whether a line is the first one about its thing. */
static bool
is_first(const struct state_lines *lines, size_t index)
{
	size_t at = 0;

	return next_of(lines, lines->items[index].key, &at) == &lines->items[index];
}

bool
state_merge(FILE *file, const char *base, const char *theirs, const char *mine)
{
	const struct text last = text_of("end");
	struct state_lines was = { 0 }, other = { 0 }, own = { 0 };
	struct arena arena = { 0 };
	const bool good = split(&arena, base, &was) && split(&arena, theirs, &other) &&
			  split(&arena, mine, &own);

	for (size_t i = 0; good && i < other.count; i++) {
		const struct text key = other.items[i].key;

		if (is_first(&other, i) && !text_equal(key, last))
			write_thing(file, agree(&own, &was, key) ? &other : &own, key);
	}
	for (size_t i = 0; good && i < own.count; i++) {
		const struct text key = own.items[i].key;
		size_t at = 0;

		/* What only this one has is new, or has been removed by the other. */
		if (is_first(&own, i) && next_of(&other, key, &at) == NULL &&
		    !text_equal(key, last) && !agree(&own, &was, key))
			write_thing(file, &own, key);
	}
	if (good)
		fprintf(file, "end\n");
	arena_free(&arena);
	return good;
}
