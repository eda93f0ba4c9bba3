/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/keymap.h"

#include <ctype.h>
#include <string.h>

#include "base/compiler.h"
#include "ui/key.h"

#define ALL KEYMAP_ALL
#define HELP KEYMAP_HELP
#define VIEW(id) KEYMAP_VIEW(LAYOUT_##id)

static const struct keymap_row rows[] = {
#define G(title) { REQUEST_NONE, title, "", ALL | HELP, 0, "", "" },
#define R(id, command, keys, contexts, hints, hint, act, with, help) \
	{ REQUEST_##id, command, keys, contexts, hints, hint, help },
#include "ui/request.def"
#undef R
};

/* The next word of `*text`, which moves behind it; empty at the end. */
static struct text
next_word(const char **text)
{
	const char *start = *text + strspn(*text, " ");
	size_t length = strcspn(start, " ");

	*text = start + length;
	return (struct text){ start, length };
}

static bool
is_argument(struct text word)
{
	return word.length != 0 && isupper((unsigned char)word.start[0]);
}

const struct keymap_row *
keymap_rows(size_t *count)
{
	*count = ARRAY_COUNT(rows);
	return rows;
}

const struct keymap_row *
keymap_row_of(enum request request)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows) && request != REQUEST_NONE; i++)
		if (rows[i].request == request)
			return &rows[i];
	return NULL;
}

struct text
keymap_view_key(enum layout_view view)
{
	static const enum request requests[] = {
#define V(id, name) [LAYOUT_##id] = REQUEST_VIEW_##id,
#include "ui/view.def"
#undef V
	};
	const char *keys = keymap_row_of(requests[view])->keys;

	return next_word(&keys);
}

enum request
keymap_key(int key, unsigned context)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *keys = rows[i].keys;
		struct text name;

		if ((rows[i].contexts & context) == 0)
			continue;
		while ((name = next_word(&keys)).length != 0)
			if (key_parse(name.start, name.length) == key)
				return rows[i].request;
	}
	return REQUEST_NONE;
}

static bool
begins_with(struct text word, struct text beginning)
{
	return word.length >= beginning.length &&
	       memcmp(word.start, beginning.start, beginning.length) == 0;
}

/* How well a typed command fits a row. */
struct fit {
	unsigned words;		/* of the row's name that were typed */
	unsigned exact;		/* of them in full */
	const char *rest;	/* what was typed behind them */
};

static bool
fits(const struct keymap_row *row, const char *typed, struct fit *fit)
{
	const char *name = row->command;

	*fit = (struct fit){ 0, 0, typed };
	for (;;) {
		struct text want = next_word(&name);

		if (is_argument(want))
			return true;
		struct text got = next_word(&typed);
		if (want.length == 0)
			return got.length == 0;
		if (got.length == 0 || !begins_with(want, got))
			return false;
		fit->words++;
		fit->exact += got.length == want.length;
		fit->rest = typed;
	}
}

/* Above 0 where `a` fits better. What is written in full beats what is guessed. */
static int
compare_fits(const struct fit *a, const struct fit *b)
{
	bool a_full = a->words == a->exact, b_full = b->words == b->exact;

	if (a->exact != b->exact)
		return a->exact > b->exact ? 1 : -1;
	if (a_full != b_full)
		return a_full ? 1 : -1;
	return a->words == b->words ? 0 : a->words > b->words ? 1 : -1;
}

enum request
keymap_command(const char *text, const char **arguments)
{
	struct fit best = { 0, 0, text }, fit;
	enum request request = REQUEST_NONE;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (rows[i].request == REQUEST_NONE || !fits(&rows[i], text, &fit))
			continue;
		int order = request == REQUEST_NONE ? 1 : compare_fits(&fit, &best);
		if (order > 0) {
			best = fit;
			request = rows[i].request;
		} else if (order == 0) {
			request = REQUEST_AMBIGUOUS;
		}
	}
	*arguments = best.rest + strspn(best.rest, " ");
	return request;
}

/* The word of a row's name that may stand at byte `start` of `line`; empty: none. */
static struct text
word_at(const struct keymap_row *row, const char *line, size_t start)
{
	const char *name = row->command, *typed = line;

	for (;;) {
		struct text want = next_word(&name);
		struct text got = next_word(&typed);

		if (got.start >= line + start)
			return want;
		if (want.length == 0 || is_argument(want) || !begins_with(want, got))
			return (struct text){ name, 0 };
	}
}

struct text
keymap_complete(const char *line, size_t start, unsigned index)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct text word = word_at(&rows[i], line, start);

		if (rows[i].request != REQUEST_NONE && word.length != 0 && !is_argument(word) &&
		    index-- == 0)
			return word;
	}
	return (struct text){ "", 0 };
}

bool
keymap_wants(const char *line, size_t start, const char *word)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		if (text_equal(word_at(&rows[i], line, start), text_of(word)))
			return true;
	return false;
}

static void
write_help(const struct keymap_row *from, struct row *row)
{
	if (from->request == REQUEST_NONE) {
		row_add(row, ROLE_TITLE, " %s", from->command);
		return;
	}
	row_add(row, ROLE_KEY, "   %s", from->keys);
	row_pad(row, 18);
	row_add(row, ROLE_DIM, ":%s", from->command);
	row_pad(row, row->width < 40 ? 40 : row->width + 1);
	row_add(row, ROLE_NORMAL, "%s", from->help);
}

/* Rows that only this view has, which stand before the others. */
static bool
is_special(const struct keymap_row *row, unsigned context)
{
	return row->request != REQUEST_NONE && (row->contexts & ALL) != ALL &&
	       (row->contexts & context) != 0;
}

bool
keymap_help_row(unsigned context, size_t index, struct row *row)
{
	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
			if (is_special(&rows[i], context) == (pass == 0) && index-- == 0) {
				write_help(&rows[i], row);
				return true;
			}
	return false;
}

static void
add_hint(struct row *row, const struct keymap_row *from)
{
	size_t length = strcspn(from->keys, " ");

	row_add(row, ROLE_NORMAL, "%s", row->width == 0 ? " " : "  ");
	row_add_text(row, ROLE_KEY, (struct text){ from->keys, length });
	row_add(row, ROLE_NOTE, " %s", from->hint);
}

void
keymap_footer(unsigned context, size_t columns, struct row *row)
{
	const struct keymap_row *help = keymap_row_of(REQUEST_HELP);
	size_t last = strcspn(help->keys, " ") + 1 + strlen(help->hint);

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		size_t wanted = 3 + strcspn(rows[i].keys, " ") + strlen(rows[i].hint);

		if ((rows[i].hints & context) != 0 && &rows[i] != help &&
		    row->width + wanted + 2 + last <= columns)
			add_hint(row, &rows[i]);
	}
	if (columns > last + 1) {
		row_pad(row, columns - last - 1);
		row_add_text(row, ROLE_KEY,
			     (struct text){ help->keys, last - 1 - strlen(help->hint) });
		row_add(row, ROLE_NOTE, " %s", help->hint);
	}
}
