/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/session/settings.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/terminal/term.h"
#include "ui/view/view.h"

static void
changed_inline(struct explorer *explorer)
{
	struct session *session = &explorer->session;

	stack_state_expand_all(&session->stack, session->stack.expand_inlined);
	session->call = 0;
	session_refresh(session);
}

static void
changed_base(struct explorer *explorer)
{
	memory_write_again(&explorer->session);
}

static void
changed_layout(struct explorer *explorer)
{
	requests_layout(explorer, layout_plan_name(explorer->session.choice.plan));
}

static void
changed_theme(struct explorer *explorer)
{
	term_theme(explorer->theme);
}

static void
changed_mouse(struct explorer *explorer)
{
	explorer->mouse = !explorer->plain && term_mouse(explorer->mouse);
}

/* Members are booleans, enumerations and numbers; texts are set and read as such. */
static const struct {
	struct setting setting;
	size_t offset, size;		/* of the member of struct explorer */
	void (*changed)(struct explorer *explorer);
} table[] = {
#define S(member, changed, name, values, help)							\
	{ { name, values, help }, offsetof(struct explorer, member),				\
	  sizeof(((struct explorer *)NULL)->member), changed },
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

/* The number of a setting's value: of those with names its place among them. */
static size_t
get(const struct explorer *explorer, size_t index)
{
	const char *member = (const char *)explorer + table[index].offset;
	unsigned number;
	size_t value;
	bool on;

	switch (table[index].size) {
	case sizeof(on):
		memcpy(&on, member, sizeof(on));
		return on != text_equal(value_at(table[index].setting.values, 0), text_of("on"));
	case sizeof(number):
		memcpy(&number, member, sizeof(number));
		return number;
	case sizeof(value):
		memcpy(&value, member, sizeof(value));
		return value;
	default:
		return 0;
	}
}

static void
set(struct explorer *explorer, size_t index, size_t value)
{
	char *member = (char *)explorer + table[index].offset;
	const unsigned number = (unsigned)value;
	const bool on = text_equal(value_at(table[index].setting.values, value), text_of("on"));

	if (table[index].size == sizeof(on))
		memcpy(member, &on, sizeof(on));
	else if (table[index].size == sizeof(number))
		memcpy(member, &number, sizeof(number));
	else
		memcpy(member, &value, sizeof(value));
	if (table[index].changed != NULL)
		table[index].changed(explorer);
}

const char *
settings_value(const struct explorer *explorer, size_t index, char *buffer, size_t size)
{
	const size_t value = get(explorer, index);
	const struct text name = value_at(table[index].setting.values, value);

	if (is_text(index))
		snprintf(buffer, size, "%s", (const char *)explorer + table[index].offset);
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
	return begins("toggle", word) ? (get(explorer, index) + 1) % count : SIZE_MAX;
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
		size_t length = (size_t)snprintf(wrong, size, "unknown setting '%.*s'; expected "
							      "one of", (int)name.length, name.start);
		for (size_t i = 0; i < ARRAY_COUNT(table) && length < size; i++)
			length += (size_t)snprintf(wrong + length, size - length, "%s %s",
						   i > 0 ? "," : "", table[i].setting.name);
		return false;
	}
	if (is_text(index)) {
		snprintf((char *)explorer + table[index].offset, table[index].size, "%s", rest);
		return true;
	}
	const size_t value = parse_value(explorer, index, word);
	if (value == SIZE_MAX) {
		snprintf(wrong, size, "'%s' cannot be '%.*s'; expected "
				      "%s", table[index].setting.name,
			 (int)word.length, word.start,
			 is_number(index) ? "a number" : table[index].setting.values);
		return false;
	}
	set(explorer, index, value);
	return true;
}
