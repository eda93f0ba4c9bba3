/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/kept_edits.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"

/* The form of a member: numbers in hexadecimal, rows of tables by their names. */
enum form { FORM_KIND, FORM_SIZE, FORM_64, FORM_32, FORM_REGISTER, FORM_BOOL, FORM_METHOD,
	    FORM_POLICY, FORM_TEXT, FORM_STRING };

static const struct {
	enum form form;
	size_t offset;
} members[] = {
#define M(form, member) { FORM_##form, offsetof(struct overlay_edit, member) }
	M(KIND, kind),		M(SIZE, thread),	M(SIZE, frame),
	M(STRING, record.file),	M(64, record.offset),	M(32, record.line),
	M(TEXT, record.was),	M(TEXT, record.now),	M(STRING, row_input),
	M(64, row_offset),	M(METHOD, method),	M(TEXT, name),
	M(TEXT, expression),	M(TEXT, was),		M(REGISTER, reg),
	M(BOOL, known),		M(BOOL, was_known),	M(64, value),
	M(64, old),		M(64, address),		M(POLICY, policy),
#undef M
};

static const char *const kinds[] = {
	[OVERLAY_RECORD] = "record",	   [OVERLAY_RULE] = "rule",
	[OVERLAY_REGISTER] = "register",   [OVERLAY_FORCE] = "force",
	[OVERLAY_FORBID] = "forbid",	   [OVERLAY_CANDIDATE] = "candidate",
	[OVERLAY_POLICY] = "policy",
};

/* Bytes as a word: all but visible ASCII as %XX, no bytes as '-'. */
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
		case FORM_SIZE:
			fprintf(file, " %zx", *(const size_t *)member);
			break;
		case FORM_64:
			fprintf(file, " %" PRIx64, *(const uint64_t *)member);
			break;
		case FORM_32:
			fprintf(file, " %" PRIx32, *(const uint32_t *)member);
			break;
		case FORM_REGISTER:
			fprintf(file, " %x", (unsigned)edit->reg);
			break;
		case FORM_BOOL:
			fprintf(file, " %d", *(const bool *)member);
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
		} else if (i + 2 < size && isxdigit((unsigned char)start[i + 1]) &&
			   isxdigit((unsigned char)start[i + 2]) &&
			   sscanf(start + i + 1, "%2x", &byte) == 1) {
			word[(*length)++] = (char)byte;
			i += 2;
		} else {
			return NULL;
		}
	}
	word[*length] = '\0';
	return word;
}

/* Only edits that can be made by hand. */
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
		const uint64_t number = strtoull(word, NULL, 16);
		switch (members[i].form) {
		case FORM_KIND:
			while (kind < ARRAY_COUNT(kinds) && strcmp(kinds[kind], word) != 0)
				kind++;
			if (kind == ARRAY_COUNT(kinds))
				return false;
			edit->kind = (enum overlay_kind)kind;
			break;
		case FORM_SIZE:
			*(size_t *)member = (size_t)number;
			break;
		case FORM_64:
			*(uint64_t *)member = number;
			break;
		case FORM_32:
			*(uint32_t *)member = (uint32_t)number;
			break;
		case FORM_REGISTER:
			edit->reg = number < ARCH_REGISTERS ? (int)number : -1;
			break;
		case FORM_BOOL:
			*(bool *)member = number != 0;
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
