/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/terminal/term.h"

/* Values are numbers: of those with names their place among them. */

static size_t
get_inlined(const struct explorer *explorer)
{
	return explorer->session.stack.expand_inlined ? 0 : 1;
}

static void
set_inlined(struct explorer *explorer, size_t value)
{
	struct session *session = &explorer->session;

	stack_state_expand_all(&session->stack, value == 0);
	session->call = 0;
	session_refresh(session);
}

static const unsigned bases[] = { 16, 10, 0 };

static size_t
get_base(const struct explorer *explorer)
{
	size_t at = 0;

	while (bases[at] != explorer->session.base)
		at++;
	return at;
}

static void
set_base(struct explorer *explorer, size_t value)
{
	struct session *session = &explorer->session;
	const size_t selected = session->views[LAYOUT_MEMORY].selected;

	session->base = bases[value];
	session_refresh(session);
	session_view(session, LAYOUT_MEMORY)->selected = selected;
}

static size_t
get_layout(const struct explorer *explorer)
{
	return explorer->session.choice.plan;
}

static void
set_layout(struct explorer *explorer, size_t value)
{
	requests_layout(explorer, layout_plan_name((unsigned)value));
}

static size_t
get_theme(const struct explorer *explorer)
{
	return explorer->theme;
}

static void
set_theme(struct explorer *explorer, size_t value)
{
	explorer->theme = (enum theme_name)value;
	term_theme(explorer->theme);
}

static size_t
get_mouse(const struct explorer *explorer)
{
	return explorer->mouse ? 1 : 0;
}

static void
set_mouse(struct explorer *explorer, size_t value)
{
	explorer->mouse = !explorer->plain && term_mouse(value != 0);
}

static size_t
get_clipboard(const struct explorer *explorer)
{
	return explorer->clipboard;
}

static void
set_clipboard(struct explorer *explorer, size_t value)
{
	explorer->clipboard = (enum clip_policy)value;
}

/* Texts are set and read as such; they have no numbers. */
static size_t
get_copy_command(const struct explorer *explorer)
{
	(void)explorer;
	return 0;
}

static void
set_copy_command(struct explorer *explorer, size_t value)
{
	(void)explorer;
	(void)value;
}

static size_t
get_regex(const struct explorer *explorer)
{
	return explorer->session.regex ? 1 : 0;
}

static void
set_regex(struct explorer *explorer, size_t value)
{
	explorer->session.regex = value != 0;
}

static size_t
get_rows(const struct explorer *explorer)
{
	return explorer->rows_printed;
}

static void
set_rows(struct explorer *explorer, size_t value)
{
	explorer->rows_printed = value;
}

static const struct {
	struct setting setting;
	size_t (*get)(const struct explorer *explorer);
	void (*set)(struct explorer *explorer, size_t value);
} table[] = {
#define S(function, name, values, help) { { name, values, help }, get_##function, set_##function },
#include "ui/session/setting.def"
};

const struct setting *
settings_at(size_t index)
{
	return index < ARRAY_COUNT(table) ? &table[index].setting : NULL;
}

/* The value at a place among those that have names; empty behind the last. */
static struct text
value_at(const char *values, size_t index)
{
	for (;; index--) {
		size_t length;

		values += strspn(values, " ");
		length = strcspn(values, " ");
		if (index == 0 || length == 0)
			return (struct text){ values, length };
		values += length;
	}
}

static bool
is_number(size_t index)
{
	return strcmp(table[index].setting.values, "NUMBER") == 0;
}

static bool
is_text(size_t index)
{
	return strcmp(table[index].setting.values, "TEXT") == 0;
}

const char *
settings_value(const struct explorer *explorer, size_t index, char *buffer, size_t size)
{
	const size_t value = table[index].get(explorer);
	const struct text name = value_at(table[index].setting.values, value);

	if (is_text(index))
		snprintf(buffer, size, "%s", explorer->copy_command);
	else if (is_number(index))
		snprintf(buffer, size, "%zu", value);
	else
		snprintf(buffer, size, "%.*s", (int)name.length, name.start);
	return buffer;
}

static bool
begins(const char *whole, struct text beginning)
{
	return beginning.length > 0 && strncmp(whole, beginning.start, beginning.length) == 0;
}

/* The only setting whose name begins so, or the one of just this name. */
static size_t
find(struct text name)
{
	size_t found = SIZE_MAX, fitting = 0;

	for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
		if (text_equal(text_of(table[i].setting.name), name))
			return i;
		if (!begins(table[i].setting.name, name))
			continue;
		found = i;
		fitting++;
	}
	return fitting == 1 ? found : SIZE_MAX;
}

/* What a word asks for; SIZE_MAX where it is no value of the setting. */
static size_t
parse_value(const struct explorer *explorer, size_t index, struct text word)
{
	const char *values = table[index].setting.values;
	size_t count = 0;

	if (is_number(index)) {
		char *end;
		unsigned long number = strtoul(word.start, &end, 10);

		return word.start[0] >= '0' && word.start[0] <= '9' &&
				       end == word.start + word.length && number <= 1000000000
			       ? number
			       : SIZE_MAX;
	}
	for (struct text value; (value = value_at(values, count)).length != 0; count++)
		if (begins(value.start, word) && word.length <= value.length)
			return count;
	return begins("toggle", word) ? (table[index].get(explorer) + 1) % count : SIZE_MAX;
}

bool
settings_set(struct explorer *explorer, const char *text, char *wrong, size_t size)
{
	const char *rest = text + strspn(text, " ");
	struct text name = { rest, strcspn(rest, " ") }, word;

	rest += name.length;
	rest += strspn(rest, " ");
	word = (struct text){ rest, strcspn(rest, " ") };
	const size_t index = find(name);
	if (index == SIZE_MAX) {
		size_t length = (size_t)snprintf(wrong, size, "there is no setting '%.*s'; "
						 "expected one of", (int)name.length, name.start);
		for (size_t i = 0; i < ARRAY_COUNT(table) && length < size; i++)
			length += (size_t)snprintf(wrong + length, size - length, "%s %s",
						   i > 0 ? "," : "", table[i].setting.name);
		return false;
	}
	if (is_text(index)) {
		snprintf(explorer->copy_command, sizeof(explorer->copy_command), "%s", rest);
		return true;
	}
	const size_t value = parse_value(explorer, index, word);
	if (value == SIZE_MAX) {
		snprintf(wrong, size, "'%s' cannot be '%.*s'; expected %s", table[index].setting.name,
			 (int)word.length, word.start,
			 is_number(index) ? "a number from 0 up" : table[index].setting.values);
		return false;
	}
	table[index].set(explorer, value);
	return true;
}
