/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/message.h"

#include <string.h>

#include "base/limits.h"
#include "base/text.h"

const struct message_info message_table[MESSAGE_KIND_COUNT] = {
#define M(id, name, severity) [MESSAGE_##id] = { name, severity },
#include "base/message.def"
#undef M
};

void
message_list_init(struct message_list *list, struct arena *arena)
{
	*list = (struct message_list){ .arena = arena };
}

void
message_add(struct message_list *list, enum message_kind kind, struct place place,
	    const char *format, ...)
{
	char text[512];

	if (list->seen[kind]++ >= LIMIT_MESSAGES_PER_KIND)
		return;
	TEXT_FORMAT(text, format);
	char *copy = arena_string(list->arena, text);
	struct message *message =
		copy == NULL ? NULL
			     : ARENA_PUSH(list->arena, list->messages, list->count, list->capacity);
	if (message == NULL)
		return;
	char *hint = strchr(copy, '\n');
	if (hint != NULL)
		*hint++ = '\0';
	*message = (struct message){ .kind = kind, .place = place, .text = copy, .hint = hint };
}

const char *const message_severity_names[MESSAGE_SEVERITIES] = { "note", "warning", "error" };

uint64_t
message_total(const struct message_list *list)
{
	uint64_t total = 0;

	for (size_t kind = 0; kind < MESSAGE_KIND_COUNT; kind++)
		total += list->seen[kind];
	return total;
}

void
message_line_skipped(struct message_list *list, enum message_kind kind, struct place place,
		     const char *what, const char *expected)
{
	char visible[80];

	text_printable(visible, sizeof(visible), text_of(what));
	message_add(list, kind, place, "'%s': expected %s\nthe line is skipped", visible, expected);
}
