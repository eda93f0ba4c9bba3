/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"
#include "base/limits.h"
#include "base/message.h"
#include "tests/lib/tap.h"

TEST(list)
{
	const struct input input = { "dump" };
	const struct place place = { .input = &input, .offset = 16 };
	struct message_list list;
	struct arena arena = { 0 };

	message_list_init(&list, &arena);
	message_add(&list, MESSAGE_TRUNCATED, place, "expected %d, found %d\nthe rest is used", 5, 3);
	message_add(&list, MESSAGE_LIMIT, place, "too many");
	is_str(list.messages[0].text, "expected 5, found 3", "the text ends at the line feed");
	is_str(list.messages[0].hint, "the rest is used", "the text after the line feed is the hint");
	is_str(list.messages[1].hint, NULL, "a text without a line feed has no hint");
	is_u64(list.messages[0].place.offset, 16, "a message keeps its place");
	for (unsigned i = 0; i < 3 * LIMIT_MESSAGES_PER_KIND; i++)
		message_add(&list, MESSAGE_ENTRY_BROKEN, place, "entry %u", i);
	is_u64(list.count, 2 + LIMIT_MESSAGES_PER_KIND, "a limited number of messages of a kind is kept");
	is_u64(list.seen[MESSAGE_ENTRY_BROKEN], 3 * LIMIT_MESSAGES_PER_KIND, "all messages of a kind are counted");
	is_u64(message_total(&list), 2 + 3 * LIMIT_MESSAGES_PER_KIND, "the total counts all messages");
	message_add(&list, MESSAGE_NO_STACK, place, "none");
	is_str(list.messages[list.count - 1].text, "none", "a message of another kind is kept");
	arena_free(&arena);
}

TEST(kinds)
{
	is_str(message_table[MESSAGE_STREAM_BROKEN].name, "stream-broken", "kinds have stable names");
	is_u64(message_table[MESSAGE_STREAM_BROKEN].severity, MESSAGE_ERROR, "a kind has a severity");
	is_str(message_severity_names[message_table[MESSAGE_DUMP_THREAD].severity], "note", "a severity has a name");
}

TEST(long_text)
{
	struct message_list list;
	struct arena arena = { 0 };
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	message_list_init(&list, &arena);
	message_add(&list, MESSAGE_LIMIT, (struct place){ .input = NULL }, "%s", text);
	ok(strlen(list.messages[0].text) < sizeof(text) - 1, "a text without end is cut");
	arena_free(&arena);
	struct error error;
	is_u64(error_set(&error, ERROR_IO, (struct place){ .input = NULL }, "%s", text), ERROR_IO,
	       "setting an error returns its code");
	ok(strlen(error.text) == sizeof(error.text) - 1, "the text of an error is cut");
	error_hint(&error, "try %d", 2);
	is_str(error.hint, "try 2", "an error can have a hint");
	is_u64(error_set(NULL, ERROR_FORMAT, (struct place){ .input = NULL }, "x"), ERROR_FORMAT, "an error needs no listener");
}
