/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"

static const struct {
	const char *name;
	enum message_severity severity;
} kinds[] = {
#define M(id, name, severity) [MESSAGE_##id] = { name, severity },
#include "base/message.def"
#undef M
};

void
message_list_init(struct message_list *list, struct arena *arena)
{
	*list = (struct message_list){ .arena = arena };
}

static void
split_hint(struct message *message, char *text)
{
	char *hint = strchr(text, '\n');

	if (hint != NULL) {
		*hint = '\0';
		message->hint = hint + 1;
	}
	message->text = text;
}

void
message_add(struct message_list *list, enum message_kind kind, struct place place,
	    const char *format, ...)
{
	char text[512];
	va_list arguments;

	if (list->seen[kind]++ >= LIMIT_MESSAGES_PER_KIND)
		return;
	struct message *messages = arena_grow(list->arena, list->messages, list->count,
					      &list->capacity, sizeof(*messages));
	if (messages == NULL)
		return;
	list->messages = messages;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	char *copy = arena_copy(list->arena, text, strlen(text));
	if (copy == NULL)
		return;
	struct message *message = &messages[list->count++];
	*message = (struct message){ .kind = kind, .place = place };
	split_hint(message, copy);
}

const char *
message_kind_name(enum message_kind kind)
{
	return kinds[kind].name;
}

enum message_severity
message_kind_severity(enum message_kind kind)
{
	return kinds[kind].severity;
}

const char *
message_severity_name(enum message_severity severity)
{
	static const char *const names[] = { "note", "warning", "error" };

	return names[severity];
}

uint64_t
message_total(const struct message_list *list)
{
	uint64_t total = 0;

	for (size_t kind = 0; kind < MESSAGE_KIND_COUNT; kind++)
		total += list->seen[kind];
	return total;
}
