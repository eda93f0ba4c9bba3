/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/text.h"

/*
 * Function names cut to a number of columns. Parts are cut in this order: suffixes of clones,
 * template arguments from the innermost outwards, parameters, the text before the function's own
 * name, and the own name.
 */

/* Template arguments nested more deeply than this are cut in one step. */
#define DEEPEST 8u

static bool
begins(struct text name, size_t at, const char *word)
{
	const size_t length = strlen(word);

	return length <= name.length - at && memcmp(name.start + at, word, length) == 0;
}

static bool
is_of_identifier(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

/* The length of the token at `at`. "operator<<" is one token, so its '<' are not brackets. */
static size_t
token_length(struct text name, size_t at)
{
	size_t end = at + strlen("operator");

	if (name.start[at] != 'o' || !begins(name, at, "operator") ||
	    (at > 0 && is_of_identifier(name.start[at - 1])))
		return 1;
	if (begins(name, end, "()"))
		return end + 2 - at;
	while (end < name.length && strchr("<>=-*", name.start[end]) != NULL)
		end++;
	return end - at;
}

/* The index of the bracket that closes the bracket at `open`, or the name's length. */
static size_t
closing(struct text name, size_t open)
{
	static const char opens[] = "<({[`", closes[] = ">)}]'";
	const char *kind = strchr(opens, name.start[open]);
	const char close = closes[kind - opens];
	size_t depth = 0;

	for (size_t i = open; i < name.length; i += token_length(name, i)) {
		const char c = name.start[i];

		if (c == *kind)
			depth++;
		/* The '>' of "->" is not a bracket. */
		else if (c == close && name.start[i - 1] != '-' && --depth == 0)
			return i;
	}
	return name.length;
}

struct folded {
	char *text;
	size_t size, length;
};

static void
add(struct folded *folded, const char *bytes, size_t length)
{
	const size_t room = folded->size - 1 - folded->length;

	length = length < room ? length : room;
	memcpy(folded->text + folded->length, bytes, length);
	folded->length += length;
	folded->text[folded->length] = '\0';
}

/* The nesting depth of template arguments. */
static size_t
deepest(struct text name)
{
	size_t open = 0, most = 0;

	for (size_t i = 0; i < name.length; i += token_length(name, i)) {
		if (name.start[i] == '<' && ++open > most)
			most = open;
		else if (name.start[i] == '>' && open > 0 && name.start[i - 1] != '-')
			open--;
	}
	return most < DEEPEST ? most : DEEPEST;
}

/*
 * The index of the last ']' of the clone suffixes at the blank `at`, as in "f [clone .isra.0]
 * [clone .cold]"; 0: none.
 */
static size_t
clones_end(struct text name, size_t at)
{
	size_t end = 0;

	while (at < name.length && begins(name, at, " [clone ")) {
		end = closing(name, at + 1);
		at = end + 1;
	}
	return end < name.length ? end : 0;
}

/*
 * Writes the name. The mark replaces clone suffixes and template arguments below `depth`. With
 * `parameters`, it also replaces parameters.
 */
static void
fold(struct folded *folded, struct text name, size_t depth, bool parameters, const char *mark)
{
	const size_t width = strlen(mark);
	size_t open = 0, from = 0;

	folded->length = 0;
	for (size_t i = 0, length; i < name.length; i += length) {
		const char c = name.start[i];

		length = token_length(name, i);
		const size_t clones = c == ' ' && open == 0 ? clones_end(name, i) : 0;
		const bool bracket = c == '<' ? open == depth : c == '(' && parameters && open == 0;
		const size_t close = bracket ? closing(name, i) : clones;
		/* Replace a text in brackets only if it is wider than the mark. */
		if (close != 0 && (!bracket || (close < name.length && close - i - 1 > width &&
						!begins(name, i, "(anonymous namespace)")))) {
			add(folded, name.start + from, i + (bracket ? 1 : 2) - from);
			add(folded, mark, width);
			from = close;
			length = close + 1 - i;
			continue;
		}
		if (c == '<')
			open++;
		else if (c == '>' && open > 0 && name.start[i - 1] != '-')
			open--;
	}
	add(folded, name.start + from, name.length - from);
}

/*
 * Returns the beginning of a function's own name, after its return type and scope, and stores its
 * end. A lambda has the name of the function around it.
 */
static size_t
own_name(struct text name, size_t *end)
{
	size_t begin = 0, ends = 0;
	bool called = false;	/* parameters were read; a blank no longer ends a return type */

	for (size_t i = 0, length; i < name.length; i += length) {
		const char c = name.start[i], *next = &name.start[i + 1];

		length = token_length(name, i);
		if (c == ':' && begins(name, i, "::") && i + 2 < name.length) {
			length = 2;
			if (next[1] != '{' && !begins(name, i + 2, "operator()")) {
				begin = i + 2;
				ends = 0;
				called = false;
			}
		} else if (c == ' ' && !called && i + 1 < name.length) {
			/* "f + 0x8", "f (?)", "f [clone .cold]", "f, with 2 inlined calls: g" */
			if (strchr("+([", *next) != NULL || (i > 0 && next[-2] == ','))
				break;
			if (i < 8 || !begins(name, i - 8, "operator")) {
				begin = i + 1;
				ends = 0;
			}
		} else if (strchr("<({[`", c) != NULL) {
			const size_t close = closing(name, i);

			called = called || (c == '(' && i > begin);
			if (ends == 0 && i > begin && c != '`' && c != '{')
				ends = i;
			if (close < name.length)
				length = close + 1 - i;
		}
		*end = ends != 0 ? ends : i + length;
	}
	return begin;
}

size_t
text_cut_name(char *buffer, size_t size, struct text name, size_t columns, const char *mark)
{
	const size_t mark_width = text_width(text_of(mark)), slack = strlen(mark) + 1;
	size_t begin, end = 0;

	if (size <= slack || columns <= mark_width || text_width(name) <= columns)
		return text_cut(buffer, size, name, columns, false, mark);
	/* Leave room in the buffer before the name, so that it can be cut again. */
	struct folded folded = { .text = buffer + slack, .size = size - slack };
	struct text least = { folded.text, 0 };
	const size_t most = deepest(name);
	for (unsigned parameters = 0; parameters < 2; parameters++)
		for (size_t depth = most + 1; depth-- > 0;) {
			fold(&folded, name, depth, parameters, mark);
			least.length = folded.length;
			if (text_width(least) <= columns)
				return text_cut(buffer, size, least, columns, false, mark);
		}
	const size_t kept = columns - mark_width;
	begin = own_name(least, &end);
	const struct text own = { least.start + begin, end - begin };
	const struct text last = { least.start + begin, least.length - begin };
	/* Keep the mark of a guess, "(?)", at the end. */
	const size_t guess = last.length > 3 && begins(last, last.length - 3, "(?)") ? 3 : 0;
	if (guess == 0 && text_width(own) > kept)
		return text_cut(buffer, size, own, columns, true, mark);
	if (text_width(last) > kept)
		return text_cut_before(buffer, size, last, columns, guess, mark);
	return text_cut_before(buffer, size, least, columns,
			       text_width(last) > kept / 2 ? text_width(last) : kept / 2, mark);
}
