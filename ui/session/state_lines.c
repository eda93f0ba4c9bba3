/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/sorted.h"

/* Edits ----------------------------------------------------------------------------------------*/

/* How a member is written: a number in hexadecimal, a row of a table by its name. */
enum form { FORM_KIND, FORM_NUMBER, FORM_METHOD, FORM_POLICY, FORM_TEXT, FORM_STRING };

static const struct {
	enum form form;
	size_t offset, size;
} members[] = {
#define M(form, member) \
	{ FORM_##form, offsetof(struct overlay_edit, member), \
	  sizeof(((struct overlay_edit *)NULL)->member) }
	M(KIND, kind),		M(NUMBER, thread),	M(NUMBER, frame),
	M(STRING, record.file), M(NUMBER, record.offset), M(NUMBER, record.line),
	M(TEXT, record.was),	M(TEXT, record.now),	M(STRING, row_input),
	M(NUMBER, row_offset),	M(METHOD, method),	M(TEXT, name),
	M(TEXT, expression),	M(TEXT, was),		M(NUMBER, reg),
	M(NUMBER, known),	M(NUMBER, was_known),	M(NUMBER, value),
	M(NUMBER, old),		M(NUMBER, address),	M(POLICY, policy),
#undef M
};

static const char *const kinds[] = {
	[OVERLAY_RECORD] = "record",	   [OVERLAY_RULE] = "rule",
	[OVERLAY_REGISTER] = "register",   [OVERLAY_FORCE] = "force",
	[OVERLAY_FORBID] = "forbid",	   [OVERLAY_CANDIDATE] = "candidate",
	[OVERLAY_POLICY] = "policy",
};

/* The value of a member: a bool, or a number of four or eight bytes. */
static uint64_t
number_of(const void *member, size_t size)
{
	return size == sizeof(bool)	  ? *(const bool *)member
	       : size == sizeof(uint32_t) ? *(const uint32_t *)member
					  : *(const uint64_t *)member;
}

static void
set_number(void *member, size_t size, uint64_t number)
{
	if (size == sizeof(bool))
		*(bool *)member = number != 0;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)member = (uint32_t)number;
	else
		*(uint64_t *)member = number;
}

/* Write a text as a word: '-' if it is empty, %XX for each byte that is not visible ASCII. */
static void
write_word(FILE *file, struct text text)
{
	fputs(text.length == 0 ? " -" : " ", file);
	for (size_t i = 0; i < text.length; i++) {
		const unsigned char c = (unsigned char)text.start[i];

		if (c <= ' ' || c == '%' || c >= 0x7f || (c == '-' && text.length == 1))
			fprintf(file, "%%%02x", c);
		else
			fputc(c, file);
	}
}

void
kept_edit_write(FILE *file, const struct overlay_edit *edit)
{
	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		const void *member = (const char *)edit + members[i].offset;
		const char *string;

		switch (members[i].form) {
		case FORM_KIND:
			write_word(file, text_of(kinds[edit->kind]));
			break;
				case FORM_NUMBER:
			fprintf(file, " %" PRIx64, number_of(member, members[i].size));
			break;
		case FORM_METHOD:
			write_word(file, text_of(edit->method < METHOD_COUNT
							 ? method_name(edit->method) : ""));
			break;
		case FORM_POLICY:
			write_word(file, text_of(policy_table[edit->policy].name));
			break;
		case FORM_TEXT:
			write_word(file, *(const struct text *)member);
			break;
		case FORM_STRING:
			string = *(const char *const *)member;
			write_word(file, text_of(string != NULL ? string : ""));
			break;
		}
	}
}

/* The next word, decoded, or NULL. */
static const char *
read_word(struct arena *arena, const char **words, size_t *length)
{
	const char *start = *words + strspn(*words, " ");
	const size_t size = strcspn(start, " ");
	char *word = arena_alloc(arena, size + 1);

	*words = start + size;
	*length = 0;
	if (word == NULL || size == 0)
		return NULL;
	for (size_t i = 0; i < size && !(size == 1 && start[0] == '-'); i++) {
		unsigned byte;

		if (start[i] != '%') {
			word[(*length)++] = start[i];
		} else if (isxdigit((unsigned char)start[i + 1]) &&
			   isxdigit((unsigned char)start[i + 2])) {
			sscanf(start + i + 1, "%2x", &byte);
			word[(*length)++] = (char)byte;
			i += 2;
		} else {
			return NULL;
		}
	}
	word[*length] = '\0';
	return word;
}

/* Whether the members of an edit that was read are valid. */
static bool
is_sound(const struct overlay_edit *edit, size_t threads)
{
	const bool has_method = edit->kind == OVERLAY_RULE || edit->kind == OVERLAY_FORCE ||
				edit->kind == OVERLAY_FORBID;
	enum policy_row row;
	uint32_t value;
	char policy[128];

	snprintf(policy, sizeof(policy), "%s %" PRIu64, policy_table[edit->policy].name,
		 edit->value);
	if (edit->kind == OVERLAY_POLICY && policy_parse(policy, &row, &value) != NULL)
		return false;
	return (threads == 0 || edit->thread < threads) && edit->frame < LIMIT_FRAMES &&
	       (edit->kind != OVERLAY_RECORD ||
		(edit->record.file != NULL && edit->record.was.length > 0)) &&
	       (!has_method || edit->method < METHOD_COUNT) && edit->reg >= 0 &&
	       edit->reg < ARCH_REGISTERS;
}

bool
kept_edit_read(struct arena *arena, const char *words, size_t threads, struct overlay_edit *edit)
{
	*edit = (struct overlay_edit){ .method = METHOD_COUNT };
	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		void *member = (char *)edit + members[i].offset;
		unsigned kind = 0;
		size_t length;
		const char *word = read_word(arena, &words, &length);

		if (word == NULL)
			return false;
		switch (members[i].form) {
		case FORM_KIND:
			while (kind < ARRAY_COUNT(kinds) && strcmp(kinds[kind], word) != 0)
				kind++;
			if (kind == ARRAY_COUNT(kinds))
				return false;
			edit->kind = (enum overlay_kind)kind;
			break;
				case FORM_NUMBER:
			set_number(member, members[i].size, strtoull(word, NULL, 16));
			break;
		case FORM_METHOD:
			if (length > 0 && !method_named(word, length, &edit->method))
				return false;
			break;
		case FORM_POLICY:
			if (!policy_row_named(word, &edit->policy))
				return false;
			break;
		case FORM_TEXT:
			*(struct text *)member = (struct text){ word, length };
			break;
		case FORM_STRING:
			*(const char **)member = length > 0 ? word : NULL;
			break;
		}
	}
	return words[strspn(words, " ")] == '\0' && is_sound(edit, threads);
}

/* Merging --------------------------------------------------------------------------------------*/

/* The key of a line: the words that identify its subject, such as "mark a" or "source OLD". */
static struct text
key_of(struct text line)
{
	static const struct {
		const char *word;
		unsigned words;
	} kinds_of_lines[] = {
		{ "mark ", 2 }, { "frame ", 4 }, { "address ", 2 }, { "register ", 2 },
	};
	unsigned words = 1;
	size_t length = 0;
	struct text rest = line;

	if (text_drop_prefix(&rest, "source ")) {
		const char *end = memchr(line.start, '=', line.length);
		return (struct text){ line.start, end != NULL ? (size_t)(end - line.start)
							      : line.length };
	}
	for (size_t i = 0; i < ARRAY_COUNT(kinds_of_lines); i++)
		if (text_drop_prefix(&rest, kinds_of_lines[i].word))
			words = kinds_of_lines[i].words;
	for (; length < line.length; length++)
		if (line.start[length] == ' ' && --words == 0)
			break;
	return (struct text){ line.start, length };
}

/* The lines of a state, sorted by their keys; lines with one key keep their order. */
struct keyed_lines {
	struct keyed_line {
		struct text key, line;
	} *lines;
	size_t count, capacity;
};

static int
compare_keys(const void *left, const void *right)
{
	const struct keyed_line *a = left, *b = right;
	const int order = text_order(a->key, b->key);

	return order != 0 ? order : a->line.start < b->line.start ? -1 : 1;
}

/* False when out of memory. */
static bool
sort_lines(struct arena *arena, const char *state, struct keyed_lines *sorted)
{
	struct text rest = text_of(state), line;

	*sorted = (struct keyed_lines){ 0 };
	while (text_take_line(&rest, &line))
		if (line.length > 0 &&
		    !ARENA_ADD(arena, sorted->lines, sorted->count, sorted->capacity,
			       &(struct keyed_line){ key_of(line), line }))
			return false;
	SORT(sorted->lines, sorted->count, compare_keys);
	return true;
}

static size_t
first_with(const struct keyed_lines *sorted, struct text key)
{
	size_t at;

	BISECT(at, sorted->count, text_order(sorted->lines[at].key, key) < 0);
	return at;
}

/* The line at an index if it has the key, else an empty text. */
static struct text
line_with(const struct keyed_lines *sorted, size_t at, struct text key)
{
	return at < sorted->count && text_equal(sorted->lines[at].key, key)
		       ? sorted->lines[at].line
		       : (struct text){ 0 };
}

/* Whether two states have the same lines with this key. */
static bool
agree(const struct keyed_lines *a, const struct keyed_lines *b, struct text key)
{
	for (size_t i = first_with(a, key), j = first_with(b, key);; i++, j++) {
		const struct text one = line_with(a, i, key), other = line_with(b, j, key);

		if (one.length == 0 || !text_equal(one, other))
			return text_equal(one, other);
	}
}

static void
write_about(FILE *file, const struct keyed_lines *sorted, struct text key)
{
	struct text line;

	for (size_t i = first_with(sorted, key); (line = line_with(sorted, i, key)).length > 0; i++)
		fprintf(file, "%.*s\n", (int)line.length, line.start);
}

/* Find the next line of `*rest` that is the first one with its key; false after the last one. */
static bool
take_first(const struct keyed_lines *sorted, struct text *rest, struct text *key)
{
	struct text line;

	while (text_take_line(rest, &line)) {
		*key = key_of(line);
		if (line.length > 0 && !text_is(line, "end") &&
		    line_with(sorted, first_with(sorted, *key), *key).start == line.start)
			return true;
	}
	return false;
}

void
state_merge(FILE *file, const char *base, const char *theirs, const char *mine)
{
	struct keyed_lines was, other, own;
	struct arena arena = { 0 };
	struct text rest, key;

	if (base == NULL || theirs == NULL || !sort_lines(&arena, base, &was) ||
	    !sort_lines(&arena, theirs, &other) || !sort_lines(&arena, mine, &own)) {
		arena_free(&arena);
		fputs(mine, file);
		return;
	}
	rest = text_of(theirs);
	while (take_first(&other, &rest, &key))
		write_about(file, agree(&own, &was, key) ? &other : &own, key);
	rest = text_of(mine);
	/* If only `mine` has the key, write its lines unless they equal those of `base`. */
	while (take_first(&own, &rest, &key))
		if (line_with(&other, first_with(&other, key), key).length == 0 &&
		    !agree(&own, &was, key))
			write_about(file, &own, key);
	fprintf(file, "end\n");
	arena_free(&arena);
}
