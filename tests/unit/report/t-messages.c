/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/messages.h"

#include "tests/unit/report/scene.h"

/* The first row that contains the text, or the number of rows. */
static size_t
find(struct scene *scene, const struct listing *listing, const char *text)
{
	size_t i = 0;

	while (i < listing->count && strstr(scene_row(scene, listing, i, 0), text) == NULL)
		i++;
	return i;
}

static void
test_sources(struct scene *scene)
{
	const struct messages_sources sources = { .crash = &scene->crash, .symbols = scene->symbols };
	struct listing messages = messages_listing(&sources, 0, &scene->arena);

	size_t note = find(scene, &messages, " note     test.dmp+0x");
	ok(note < messages.count, "a message about the dump is listed with its place");
	size_t warning = find(scene, &messages, " warning  app.sym:14: ");
	ok(warning < messages.count, "a message about a symbol file is listed with its line");
	struct target target = listing_target(&messages, warning);
	ok(target.kind == TARGET_PLACE && target.place.line == 14, "a message leads to its line");
	ok(strncmp(scene_explain(scene, &messages, warning), "symbol-line: ", 13) == 0, "the kind of a message is explained");
}

/* A finding of unwind-check has its own code: the kind would be a second name. */
static void
test_code(struct scene *scene)
{
	struct crash crash = { 0 };
	struct message_list list;
	const struct message_list *more[] = { &list };
	const struct messages_sources sources = { .crash = &crash, .more = more, .more_count = 1 };

	message_list_init(&list, &scene->arena);
	message_add(&list, MESSAGE_UNWIND_DIFFERS, (struct place){ 0 }, "CFA (rule-differs)");
	const struct listing messages = messages_listing(&sources, 0, &scene->arena);
	is_str(scene_explain(scene, &messages, 0), "CFA (rule-differs)", "a finding with a code is explained without its kind");
}

static void
test_lists(struct scene *scene)
{
	struct crash crash = { 0 };
	struct message_list list;
	const struct message_list *more[] = { &list };
	const struct messages_sources sources = { .crash = &crash, .more = more, .more_count = 1 };

	message_list_init(&list, &scene->arena);
	struct listing none = messages_listing(&sources, 80, &scene->arena);
	is_str(scene_row(scene, &none, 0, 80), "no messages: no defects were found", "an empty list has a row that reports it");
	message_add(&list, MESSAGE_TRUNCATED, (struct place){ 0 }, "one two three four\nfive six seven");
	struct listing wrapped = messages_listing(&sources, 30, &scene->arena);
	is_u64(wrapped.count, 2, "a message of 34 columns has two rows of 20 columns");
	is_str(scene_row(scene, &wrapped, 0, 30), " warning  one two three four;", "the first begins with how bad it is");
	is_str(scene_row(scene, &wrapped, 1, 30), "          five six seven", "the next goes on below its text");
	struct listing whole = messages_listing(&sources, 0, &scene->arena);
	is_str(scene_row(scene, &whole, 0, 0), " warning  one two three four; five six seven", "a message without columns has one row");
	for (int i = 0; i < 150; i++)
		message_add(&list, MESSAGE_REGION_OVERLAP, (struct place){ 0 }, "x%d", i);
	whole = messages_listing(&sources, 0, &scene->arena);
	is_u64(whole.count, 102, "100 of 150 messages of a kind are kept, and one more row");
	is_str(scene_row(scene, &whole, 101, 0), " note     50 more of the kind region-overlap", "says how many were not");
}

int
main(void)
{
	struct scene scene;

	scene_open(&scene);
	test_sources(&scene);
	test_code(&scene);
	test_lists(&scene);
	scene_close(&scene);
	return done_testing();
}
