/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"

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

/* Advances `*rest` past the next line with this key. Returns the line, or an empty text. */
static struct text
next_about(struct text *rest, struct text key)
{
	struct text line;

	while (text_take_line(rest, &line))
		if (line.length > 0 && text_equal(key_of(line), key))
			return line;
	return (struct text){ 0 };
}

/* Whether two states have the same lines with this key. */
static bool
agree(struct text a, struct text b, struct text key)
{
	struct text one, other;

	do {
		one = next_about(&a, key);
		other = next_about(&b, key);
	} while (one.length > 0 && text_equal(one, other));
	return text_equal(one, other);
}

static void
write_about(FILE *file, struct text state, struct text key)
{
	struct text line;

	while ((line = next_about(&state, key)).length > 0)
		fprintf(file, "%.*s\n", (int)line.length, line.start);
}

/* Whether a line is the first one of `state` with its key. */
static bool
is_first(struct text state, struct text line)
{
	return line.length > 0 && !text_is(line, "end") &&
	       next_about(&state, key_of(line)).start == line.start;
}

void
state_merge(FILE *file, const char *base, const char *theirs, const char *mine)
{
	if (base == NULL || theirs == NULL) {
		fputs(mine, file);
		return;
	}
	const struct text was = text_of(base), other = text_of(theirs), own = text_of(mine);
	struct text rest = other, line;

	while (text_take_line(&rest, &line)) {
		const struct text key = key_of(line);

		if (is_first(other, line))
			write_about(file, agree(own, was, key) ? other : own, key);
	}
	rest = own;
	while (text_take_line(&rest, &line)) {
		const struct text key = key_of(line);
		struct text theirs_left = other;

		/* If only `mine` has the key, write its lines unless they equal those of `base`. */
		if (is_first(own, line) && next_about(&theirs_left, key).length == 0 &&
		    !agree(own, was, key))
			write_about(file, own, key);
	}
	fprintf(file, "end\n");
}
