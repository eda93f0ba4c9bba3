/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ui/request/requests.h"
#include "ui/view/view.h"

static void
changed_inline(struct explorer *explorer)
{
	struct session *session = &explorer->session;

	stack_state_expand_all(&session->look.stack, session->look.stack.expand_inlined);
	session->look.call = 0;
	session_refresh(session);
}

static void
changed_order(struct explorer *explorer)
{
	session_refresh(&explorer->session);
}

static void
changed_base(struct explorer *explorer)
{
	memory_write_again(&explorer->session);
}

static void
changed_layout(struct explorer *explorer)
{
	requests_layout(explorer, layout_plan_name(explorer->session.look.choice.plan));
}

static void
changed_theme(struct explorer *explorer)
{
	term_theme(explorer->settings.theme);
}

static void
changed_mouse(struct explorer *explorer)
{
	explorer->settings.mouse = !explorer->print.plain && term_mouse(explorer->settings.mouse);
}

/* Text shown, copied or typed earlier may hold data that is redacted from now on. */
static void
changed_redact(struct explorer *explorer)
{
	const bool copied = clip_register()[0] != '\0';

	session_redact(&explorer->session, explorer->settings.redact);
	if (!explorer->settings.redact)
		return;
	explorer->print.said[0] = '\0';
	row_search_set(explorer, "");
	prompt_forget();
	if (copied)
		clip_copy(text_of(CRASH_REDACTED), explorer->settings.copy_command,
			  explorer->settings.clipboard);
	session_say(&explorer->session,
		    "environment, command line, memory and names of users are left out%s",
		    copied ? "; the last copy is overwritten" : "");
}

static void
changed_blind(struct explorer *explorer)
{
	static const char *const words[] = {
		[BLIND_OFF] = "everything is shown",
		[BLIND_TOKEN] = "what each token leaves is hidden until it is predicted: P",
		[BLIND_STEP] = "the caller's registers are hidden until they are predicted: P",
		[BLIND_WALK] = "the next frames are hidden until they are predicted: P",
		[BLIND_RULE] = "registers and rules of the caller are hidden until predicted: P",
	};

	session_set_blind(&explorer->session);
	session_say(&explorer->session, "%s", words[explorer->session.blind]);
}

/* Members are booleans, enumerations, numbers or texts. */
static const struct {
	struct setting setting;
	size_t offset, size;		/* offset and size of the member in struct explorer */
	void (*changed)(struct explorer *explorer);
} table[] = {
#define S(member, changed, name, values, help)							\
	{ { name, values }, offsetof(struct explorer, member),					\
	  sizeof(((struct explorer *)NULL)->member), changed },
#include "ui/session/setting.def"
};

const struct setting *
settings_at(size_t index)
{
	return index < ARRAY_COUNT(table) ? &table[index].setting : NULL;
}

/* The value at an index among named values; empty after the last. */
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

/* Whether a setting takes any value of a kind: "NUMBER" or "TEXT". */
static bool
takes(size_t index, const char *kind)
{
	return strcmp(table[index].setting.values, kind) == 0;
}

/* A setting's value as a number; for a named value, the index of the name. */
static size_t
get(const struct explorer *explorer, size_t index)
{
	const char *member = (const char *)explorer + table[index].offset;
	unsigned number;
	size_t value;
	bool on;

	/* With 32-bit pointers two of the types have the same size. */
	if (table[index].size == sizeof(on)) {
		memcpy(&on, member, sizeof(on));
		return on != text_is(value_at(table[index].setting.values, 0), "on");
	}
	if (table[index].size == sizeof(number)) {
		memcpy(&number, member, sizeof(number));
		return number;
	}
	if (table[index].size != sizeof(value))
		return 0;
	memcpy(&value, member, sizeof(value));
	return value;
}

static bool
begins(const char *whole, struct text beginning)
{
	return beginning.length > 0 && strncmp(whole, beginning.start, beginning.length) == 0;
}

/* The setting with this name, or the only one whose name begins with it. */
static size_t
find(struct text name)
{
	size_t found = SIZE_MAX, fitting = 0;

	for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
		if (text_is(name, table[i].setting.name))
			return i;
		if (!begins(table[i].setting.name, name))
			continue;
		found = i;
		fitting++;
	}
	return fitting == 1 ? found : SIZE_MAX;
}

/* The value of a word; SIZE_MAX if the setting has no such value. */
static size_t
parse_value(const struct explorer *explorer, size_t index, struct text word)
{
	const char *values = table[index].setting.values;
	size_t count = 0;

	if (takes(index, "NUMBER")) {
		uint64_t number;

		return text_number(word, 10, &number) && number <= 1000000000 ? (size_t)number
									      : SIZE_MAX;
	}
	for (struct text value; (value = value_at(values, count)).length != 0; count++)
		if (begins(value.start, word) && word.length <= value.length)
			return count;
	return begins("toggle", word) ? (get(explorer, index) + 1) % count : SIZE_MAX;
}

/* Run "NAME VALUE"; names and values may be shortened. */
static void
set(struct explorer *explorer, const char *text)
{
	const char *rest = text + strspn(text, " ");
	struct text name = { rest, strcspn(rest, " ") }, word;
	rest += name.length;
	rest += strspn(rest, " ");
	word = (struct text){ rest, strcspn(rest, " ") };
	const size_t index = find(name);
	/* gdb's "set print pretty on" and similar commands. */
	if (index == SIZE_MAX && text_is(name, "print")) {
		session_say(&explorer->session,
			    "p lists each member on a row; Space on a variable opens it");
		return;
	}
	if (index == SIZE_MAX) {
		session_fail(&explorer->session, "unknown setting '%.*s'; expected one of",
			     (int)name.length, name.start);
		for (size_t i = 0; i < ARRAY_COUNT(table); i++)
			session_say_more(&explorer->session, "%s %s", i > 0 ? "," : "",
					 table[i].setting.name);
		return;
	}
	char *member = (char *)explorer + table[index].offset;
	if (takes(index, "TEXT")) {
		snprintf(member, table[index].size, "%s", rest);
		return;
	}
	const char *values = table[index].setting.values;
	const size_t value = parse_value(explorer, index, word);
	if (value == SIZE_MAX) {
		session_fail(&explorer->session, "'%s' cannot be '%.*s'; expected %s",
			     table[index].setting.name, (int)word.length, word.start,
			     takes(index, "NUMBER") ? "a number" : values);
		return;
	}
	const unsigned number = (unsigned)value;
	const bool on = text_is(value_at(values, value), "on");
	if (table[index].size == sizeof(on))
		memcpy(member, &on, sizeof(on));
	else if (table[index].size == sizeof(number))
		memcpy(member, &number, sizeof(number));
	else
		memcpy(member, &value, sizeof(value));
	if (table[index].changed != NULL)
		table[index].changed(explorer);
}

void
request_set(const struct request_call *call)
{
	const struct explorer *explorer = call->explorer;
	struct session *session = call->session;
	char shown[64];

	if (call->text[strcspn(call->text, " ")] == ' ') {
		set(call->explorer, call->text);
		if (explorer->print.plain && call->session->notice[0] == '\0')
			session_say(call->session, "%s", call->text);
		return;
	}
	session->notice[0] = '\0';
	for (size_t i = 0; i < ARRAY_COUNT(table); i++) {
		const size_t value = get(explorer, i);
		const struct text name = value_at(table[i].setting.values, value);

		if (call->text[0] != '\0' && strcmp(table[i].setting.name, call->text) != 0)
			continue;
		if (takes(i, "TEXT"))
			snprintf(shown, sizeof(shown), "%s",
				 (const char *)explorer + table[i].offset);
		else if (takes(i, "NUMBER"))
			snprintf(shown, sizeof(shown), "%zu", value);
		else
			snprintf(shown, sizeof(shown), "%.*s", (int)name.length, name.start);
		session_say_more(session, "%s%s %s", session->notice[0] != '\0' ? ", " : "",
				 table[i].setting.name, shown);
	}
	if (session->notice[0] == '\0')
		session_fail(session, "unknown setting '%s'", call->text);
}

void
request_inline(const struct request_call *call)
{
	set(call->explorer, "inline toggle");
}

void
request_order(const struct request_call *call)
{
	struct session *session = call->session;

	set(call->explorer, "order toggle");
	session_focus(session, LAYOUT_STACK);
	session_say(session, session->look.stack.order == STACK_BY_STATE ? "threads by state"
								   : "threads by number");
}

void
request_mouse(const struct request_call *call)
{
	set(call->explorer, "mouse toggle");
	session_say(call->session, call->explorer->settings.mouse
						? "the mouse selects and scrolls, with Shift it "
						  "selects text; F8 gives it back"
						: "the mouse belongs to the terminal");
}
