/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/keymap.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "ui/explorer.h"

#define ALL KEYMAP_ALL
#define HELP KEYMAP_HELP
#define PLAYING KEYMAP_PLAY
#define LEARN KEYMAP_LEARN
#define VIEW(id) KEYMAP_VIEW(LAYOUT_##id)

static const struct keymap_row rows[] = {
#define G(title) { REQUEST_NONE, title, "", ALL | HELP, 0, "", "", false },
#define R(id, command, keys, contexts, hints, hint, act, with, help) \
	{ REQUEST_##id, command, keys, contexts, hints, hint, help, false },
#define RF(id, command, keys, contexts, hints, hint, act, with, help) \
	{ REQUEST_##id, command, keys, contexts, hints, hint, help, true },
#include "ui/request/request.def"
#undef R
};

static const struct keymap_alias aliases[] = {
#define A(words, id, whose) { words, REQUEST_##id, whose, NULL },
#define W(words, id, whose, with) { words, REQUEST_##id, whose, with },
#include "ui/request/alias.def"
};

/* Largest number of words in a command. */
#define MOST_WORDS 4u

/*
 * Take the next word of `*text` and advance `*text`. Empty at the end. A command is compared with
 * all words of the table; for such short words a loop is faster than strcspn(3).
 */
static struct text
next_word(const char **text)
{
	const char *start = *text, *end;

	while (*start == ' ')
		start++;
	for (end = start; *end != ' ' && *end != '\0';)
		end++;
	*text = end;
	return (struct text){ start, (size_t)(end - start) };
}

static bool
is_argument(struct text word)
{
	return word.length != 0 && isupper((unsigned char)word.start[0]);
}

/* The next typed word. A '/' also ends it ("x/8gx"), and '~' is a word of its own ("~3 s"). */
static struct text
typed_word(const char **text)
{
	struct text word = next_word(text);
	size_t length = word.length;

	if (length > 1)
		length = word.start[0] == '~' ? 1 : 1 + strcspn(word.start + 1, "/ ");
	*text = word.start + length;
	return (struct text){ word.start, length };
}

/* A command that can be typed: a row's own command, or an alias. */
struct name {
	const char *words;
	const struct keymap_row *row;
	const struct keymap_alias *alias;	/* NULL: the row's own command */
};

static bool
name_at(size_t index, struct name *name)
{
	if (index < ARRAY_COUNT(rows)) {
		*name = (struct name){ rows[index].command, &rows[index], NULL };
		return true;
	}
	index -= ARRAY_COUNT(rows);
	if (index >= ARRAY_COUNT(aliases))
		return false;
	*name = (struct name){ aliases[index].words, keymap_row_of(aliases[index].request),
			       &aliases[index] };
	return true;
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

enum request
keymap_view_request(enum layout_view view)
{
	static const enum request requests[] = {
#define V(id, name, command, keys, handler, help) [LAYOUT_##id] = REQUEST_VIEW_##id,
#include "ui/view/view.def"
	};

	return requests[view];
}

struct text
keymap_view_key(enum layout_view view)
{
	static char keys[LAYOUT_VIEW_COUNT][64];

	binding_keys(keymap_view_request(view), keys[view], sizeof(keys[view]));
	return (struct text){ keys[view], strcspn(keys[view], " ") };
}

/* Neither is empty. A word that ends with '!' is only matched by a typed one that ends with '!'. */
static bool
begins_with(struct text word, struct text beginning)
{
	const bool over = word.start[word.length - 1] == '!';

	if (over != (beginning.start[beginning.length - 1] == '!'))
		return false;
	beginning.length -= over;
	return word.length >= beginning.length &&
	       memcmp(word.start, beginning.start, beginning.length) == 0;
}

/* How well a typed command matches a row. */
struct fit {
	unsigned words;		/* number of words of the row's name that were typed */
	unsigned exact;		/* number of these words that were typed in full */
	const char *rest;	/* the typed text after them */
};

static bool
fits(const struct name *name, const char *typed, struct fit *fit)
{
	const char *words = name->words;

	*fit = (struct fit){ 0, 0, typed };
	for (;;) {
		struct text want = name->alias != NULL ? typed_word(&words) : next_word(&words);

		if (is_argument(want) || (name->alias != NULL && want.length == 0))
			return true;
		struct text got = typed_word(&typed);
		if (want.length == 0)
			return got.length == 0;
		if (got.length == 0 || !begins_with(want, got))
			return false;
		fit->words++;
		fit->exact += got.length == want.length;
		fit->rest = typed;
	}
}

/* Positive if `a` is the better match. Full words take precedence over abbreviations. */
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

/* Like keymap_command; `*with` is the argument of the alias, or NULL. */
static enum request
find_command(const char *text, const char **arguments, const char **with)
{
	struct fit best = { 0, 0, text }, fit;
	enum request request = REQUEST_NONE;
	struct name name;

	*with = NULL;
	for (size_t i = 0; name_at(i, &name); i++) {
		if (name.row->request == REQUEST_NONE || !fits(&name, text, &fit))
			continue;
		int order = request == REQUEST_NONE ? 1 : compare_fits(&fit, &best);
		if (order > 0) {
			best = fit;
			request = name.row->request;
			*with = name.alias != NULL ? name.alias->with : NULL;
		} else if (order == 0 && request != name.row->request) {
			request = REQUEST_AMBIGUOUS;
		}
	}
	*arguments = best.rest + strspn(best.rest, " ");
	return request;
}

enum request
keymap_command(const char *text, const char **arguments)
{
	const char *with;

	return find_command(text, arguments, &with);
}

enum request
keymap_line(const char *text, char *buffer, size_t size, const char **arguments)
{
	const char *with;
	const enum request request = find_command(text, arguments, &with);
	const size_t length = with != NULL ? strlen(with) : 0;

	if (with == NULL)
		return request;
	snprintf(buffer, size, "%s%s", with,
		 length > 0 && with[length - 1] == ' ' ? *arguments : "");
	*arguments = buffer;
	return request;
}

const char *
keymap_tried(const char *line)
{
	const char *command = line + strspn(line, " :");
	const bool tries = keymap_command(command, &line) == REQUEST_TRY;

	return tries ? line + strspn(line, " :") : command;
}

/* The settings, and whether files may change them. */
static const struct {
	const char *name;
	bool of_files;
} settings[] = {
#define S(member, changed, name, values, help) { name, false },
#define SF(member, changed, name, values, help) { name, true },
#include "ui/session/setting.def"
};

bool
keymap_of_files(enum request request, const char *arguments)
{
	const struct keymap_row *row = keymap_row_of(request);
	const size_t length = strcspn(arguments, " ");
	bool permitted = row != NULL && row->of_files && (request != REQUEST_SET || length > 0);

	/* The name may be shortened, so every setting that it could mean must be permitted. */
	for (size_t i = 0; request == REQUEST_SET && i < ARRAY_COUNT(settings); i++)
		if (strncmp(settings[i].name, arguments, length) == 0)
			permitted = permitted && settings[i].of_files;
	return permitted;
}

bool
explorer_permits(const char *line)
{
	char buffer[1024];
	const char *arguments;
	const enum request request =
		keymap_line(keymap_tried(line), buffer, sizeof(buffer), &arguments);

	return request != REQUEST_TRY && keymap_of_files(request, arguments);
}

struct text
keymap_near(const char *text)
{
	struct text_near near = text_near(typed_word(&text));
	struct text found = { "", 0 };
	struct name name;

	/* Try the first words of all commands first: they are the likelier matches. */
	for (size_t at = 0; at < MOST_WORDS; at++)
		for (size_t i = 0; name_at(i, &name); i++) {
			const char *words = name.words;
			struct text word = next_word(&words);

			for (size_t k = 0; k < at && !is_argument(word); k++)
				word = next_word(&words);
			if (name.row->request != REQUEST_NONE && word.length > 0 &&
			    !is_argument(word) && text_near_offer(&near, word))
				found = (struct text){ name.words, keymap_name_length(name.words) };
		}
	return found;
}

/* The name's word that could be typed at byte `start` of `line`; empty: none. */
static struct text
word_at(const char *words, const char *line, size_t start)
{
	const char *typed = line;

	for (;;) {
		struct text want = next_word(&words);
		struct text got = typed_word(&typed);

		if (got.start >= line + start)
			return want;
		if (want.length == 0 || is_argument(want) || !begins_with(want, got))
			return (struct text){ words, 0 };
	}
}

void
keymap_complete(const char *line, struct completion *completion)
{
	const bool anything = line[strspn(line, " ")] == '\0';
	struct name name;

	for (size_t i = 0; name_at(i, &name); i++) {
		struct text word = word_at(name.words, line, completion->from);

		/* There are many aliases, so they are offered only once a letter is typed. */
		if (name.row->request != REQUEST_NONE && !is_argument(word) &&
		    !(name.alias != NULL && anything))
			completion_add(completion, word);
	}
}

struct text
keymap_argument(const char *line, size_t *from)
{
	const char *rest;
	enum request request = keymap_command(line, &rest);
	const struct keymap_row *row = keymap_row_of(request);
	struct text want = { "", 0 };

	*from = (size_t)(rest - line);
	if (row == NULL || (rest > line && rest[-1] != ' ' && rest[-1] != '~'))
		return want;
	for (const char *words = row->command; !is_argument(want = next_word(&words));)
		if (want.length == 0)
			return want;
	const char *words = want.start + want.length;
	/* The last argument extends to the end of the line. */
	for (struct text next; (next = next_word(&words)).length != 0; want = next) {
		struct text got = next_word(&rest);

		if (got.start + got.length == line + strlen(line))
			return want;
		*from = (size_t)(rest + strspn(rest, " ") - line);
	}
	return want;
}

/* Questions ------------------------------------------------------------------------------------ */

enum {
	QUESTION_COUNT = 0
#define Q(question) + 1
#define A(id, word)
#include "ui/view/question.def"
};

/* Questions about a crash, with the views and keys that answer them. */
static const struct {
	const char *question; /* NULL: another answer to the previous question */
	enum request request;
	const char *word; /* the answer in one word */
} questions[] = {
#define Q(question) { question, REQUEST_NONE, NULL },
#define A(id, word) { NULL, REQUEST_##id, word },
#include "ui/view/question.def"
};

/* The column where answers begin, and the width of an answer. */
enum { ANSWER_COLUMN = 22, ANSWER_COLUMNS = 14 };

/* The row of question `index`; the number of rows if no question has this index. */
static size_t
question_row_of(size_t index)
{
	size_t at = 0;

	while (at < ARRAY_COUNT(questions) && (questions[at].question == NULL || index-- > 0))
		at++;
	return at;
}

enum request
questions_answer(size_t index)
{
	const size_t at = question_row_of(index);

	return at < ARRAY_COUNT(questions) ? questions[at + 1].request : REQUEST_NONE;
}

enum layout_view
questions_view(size_t index, const char **question)
{
	unsigned asked = 0, view;	/* bits of the views that answer questions */

	*question = NULL;
	for (size_t i = 0; i < ARRAY_COUNT(questions); i++) {
		if (questions[i].question != NULL)
			*question = questions[i].question;
		for (view = 0; view < LAYOUT_VIEW_COUNT; view++) {
			if (keymap_view_request((enum layout_view)view) != questions[i].request)
				continue;
			asked |= 1u << view;
			if (index-- == 0)
				return (enum layout_view)view;
		}
	}
	*question = NULL;
	for (view = 0; (asked & 1u << view) != 0 || index-- > 0;)
		view++;
	return (enum layout_view)view;
}

/* The user's first key for a request. False if it has none. */
static bool
first_key(enum request request, char *key, size_t size)
{
	binding_keys(request, key, size);
	key[strcspn(key, " ")] = '\0';
	return key[0] != '\0';
}

/*
 * Write line `line` of question `index`: answers with their keys. With `again`, each line repeats
 * the question. Returns the number of lines at this width; 0: no such question.
 */
static size_t
questions_fill(size_t index, size_t line, size_t columns, bool again, struct row *row)
{
	size_t at = question_row_of(index), column = ANSWER_COLUMN, lines = 0;
	char keys[64];

	if (at == ARRAY_COUNT(questions))
		return 0;
	if (line == 0 || again)
		row_add(row, ROLE_TITLE, " %s", questions[at].question);
	for (at++; at < ARRAY_COUNT(questions) && questions[at].question == NULL; at++) {
		/* The user may have unbound the key. */
		if (!first_key(questions[at].request, keys, sizeof(keys)))
			continue;
		const size_t width = text_width(text_of(keys)) + 1 + strlen(questions[at].word);
		if (column > ANSWER_COLUMN && column + width > columns) {
			column = ANSWER_COLUMN;
			lines++;
		}
		if (lines == line) {
			row_pad(row, column);
			row_add(row, ROLE_KEY, "%s", keys);
			row_add(row, ROLE_NORMAL, " %s", questions[at].word);
		}
		column += ANSWER_COLUMNS * (1 + width / ANSWER_COLUMNS);
	}
	return lines + 1;
}

/* The help ------------------------------------------------------------------------------------- */

/* Write a row about a user's binding of a command with arguments, which has no row in the table. */
static bool
write_own(size_t *index, struct row *row)
{
	const struct binding *binding;
	char keys[BINDING_NAME_SIZE];
	bool any = false;

	for (size_t i = 0; (binding = binding_at(i)) != NULL; i++) {
		if (binding->arguments[0] == '\0')
			continue;
		if (!any && (*index)-- == 0) {
			row_add(row, ROLE_TITLE, " your keys");
			return true;
		}
		any = true;
		if ((*index)-- != 0)
			continue;
		const char *command = keymap_row_of(binding->request)->command;
		row_add(row, ROLE_KEY, "   %s", binding_label(binding, keys));
		row_pad(row, 18);
		row_add(row, ROLE_DIM, ":%.*s ", (int)keymap_name_length(command), command);
		row_add_text(row, ROLE_DIM, text_of(binding->arguments));
		return true;
	}
	return false;
}

static bool
write_alias(size_t index, struct row *row)
{
	if (index == 0)
		row_add(row, ROLE_TITLE, " words of gdb, lldb, pwndbg and WinDbg");
	if (index == 0 || index > ARRAY_COUNT(aliases))
		return index == 0;
	const struct keymap_alias *alias = &aliases[index - 1];
	row_pad(row, 18);
	row_add(row, ROLE_DIM, ":%s", alias->words);
	row_pad(row, 40);
	row_add(row, ROLE_NORMAL, "%s: %s", alias->whose, keymap_row_of(alias->request)->command);
	if (alias->with != NULL && alias->with[0] != '\0')
		row_add(row, ROLE_DIM, "  %s", alias->with);
	return true;
}

/* The column where sentences of the help begin, and the minimum width of a sentence. */
enum { SENTENCE_COLUMN = 40, SENTENCE_LEAST = 24 };

size_t
keymap_help_row(size_t index, size_t line, size_t columns, bool again, struct row *row)
{
	char keys[64];

	if (index < QUESTION_COUNT)
		return questions_fill(index, line, columns, again, row);
	index -= QUESTION_COUNT;
	if (index-- == 0) {
		row_add(row, ROLE_DIM,
			" Enter goes to the first answer. :help WORD explains a word. "
			"All keys follow.");
		return true;
	}
	if (index >= ARRAY_COUNT(rows)) {
		index -= ARRAY_COUNT(rows);
		return write_own(&index, row) || write_alias(index, row);
	}
	const struct keymap_row *from = &rows[index];
	if (from->request == REQUEST_NONE) {
		row_add(row, ROLE_TITLE, " %s", from->command);
		return true;
	}
	const size_t wide = 18 + 2 + strlen(from->command);
	const size_t column = wide > SENTENCE_COLUMN ? wide : SENTENCE_COLUMN;
	const size_t room = columns < column + SENTENCE_LEAST ? SIZE_MAX : columns - column;

	if (line == 0 || again) {
		row_add(row, ROLE_KEY, "   %s", binding_keys(from->request, keys, sizeof(keys)));
		row_pad(row, 18);
		row_add(row, ROLE_DIM, ":%s", from->command);
	}
	row_pad(row, column);
	row_add_text(row, ROLE_NORMAL, row_wrap_line(text_of(from->help), room, line));
	return row_wrap_count(text_of(from->help), room);
}

bool
keymap_help_entry(struct text name, size_t *entry)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	struct name at;
	size_t best = 0, own = 0;

	for (size_t line = 0; line = own, write_own(&line, &row); own++)
		row_clear(&row);
	arena_free(&arena);
	for (size_t i = 0; best < 2 && name_at(i, &at); i++) {
		const size_t length = keymap_name_length(at.words);
		const bool begins = at.row->request != REQUEST_NONE && length >= name.length &&
				    memcmp(at.words, name.start, name.length) == 0 &&
				    (length == name.length || at.words[name.length] == ' ');

		if (!begins || (best > 0 && length != name.length))
			continue;
		best = length == name.length ? 2 : 1;
		/* Aliases follow a title and the user's bindings. */
		*entry = QUESTION_COUNT + 1 + i + (at.alias != NULL ? own + 1 : 0);
	}
	return best > 0;
}

size_t
keymap_name_length(const char *command)
{
	size_t length = 0;

	for (const char *words = command;;) {
		struct text word = next_word(&words);

		if (word.length == 0 || is_argument(word))
			return length;
		length = (size_t)(word.start + word.length - command);
	}
}

enum request
keymap_footer(unsigned context, size_t columns, struct row *row, size_t x)
{
	enum request found = REQUEST_NONE;
	const struct keymap_row *help = keymap_row_of(REQUEST_HELP);
	char key[64];
	const bool helps = (help->contexts & context) != 0;
	size_t last = helps && first_key(REQUEST_HELP, key, sizeof(key))
			      ? text_width(text_of(key)) + 1 + strlen(help->hint)
			      : 0;

	for (size_t n = 0; n < 2 * ARRAY_COUNT(rows); n++) {
		const size_t i = n % ARRAY_COUNT(rows);
		const unsigned wanted_by = n == i ? context & LEARN : context & ~LEARN;

		if ((rows[i].hints & wanted_by) == 0 || &rows[i] == help ||
			!first_key(rows[i].request, key, sizeof(key)))
			continue;
		size_t wanted = 3 + text_width(text_of(key)) + strlen(rows[i].hint);
		if (row->width + wanted + 2 + last > columns)
			continue;
		row_add(row, ROLE_NORMAL, "%s", row->width == 0 ? " " : "  ");
		if (x >= row->width && x < row->width + wanted - 2)
			found = rows[i].request;
		row_add(row, ROLE_KEY, "%s", key);
		row_add(row, ROLE_NOTE, " %s", rows[i].hint);
	}
	if (helps && columns > last + 1 && first_key(REQUEST_HELP, key, sizeof(key))) {
		row_pad(row, columns - last - 1);
		if (x >= row->width)
			found = REQUEST_HELP;
		row_add(row, ROLE_KEY, "%s", key);
		row_add(row, ROLE_NOTE, " %s", help->hint);
	}
	return found;
}
