/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "rules/program.h"
#include "tests/lib/tap.h"

/* The trace is an array in which a cursor moves forwards, backwards and to the enclosing event. */

static uint32_t
add(struct trace *trace, uint32_t parent, enum event_kind kind)
{
	return trace_add(trace, parent, &(struct event){ .kind = kind, .from = TRACE_NONE });
}

/* A step with two attempts; the first has a rule of two tokens, the second nothing. */
TEST(cursor)
{
	struct trace trace;

	trace_init(&trace);
	uint32_t step = add(&trace, TRACE_NONE, EVENT_STEP);
	uint32_t first = add(&trace, step, EVENT_ATTEMPT);
	uint32_t rule = add(&trace, first, EVENT_RULE);
	uint32_t one = add(&trace, rule, EVENT_TOKEN), two = add(&trace, rule, EVENT_TOKEN);
	uint32_t read = add(&trace, two, EVENT_READ);
	trace_close(&trace, two);
	trace_close(&trace, rule);
	trace_close(&trace, first);
	uint32_t second = add(&trace, step, EVENT_ATTEMPT);
	trace_close(&trace, step);

	is_u64(trace_next(&trace, TRACE_NONE, EVENT_STEP), step, "the first event is found");
	is_u64(trace_next(&trace, TRACE_NONE, EVENT_TOKEN), one, "the first token is found");
	is_u64(trace_next(&trace, one, EVENT_TOKEN), two, "the second token comes after the first");
	is_u64(trace_next(&trace, two, EVENT_TOKEN), TRACE_NONE, "there is no token after the last one");
	is_u64(trace_next(&trace, step, EVENT_STEP), TRACE_NONE, "an event is not its own next");
	is_u64(trace_next(&trace, second, EVENT_STEP), TRACE_NONE, "no step follows the last event");
	is_u64(trace_previous(&trace, TRACE_NONE, EVENT_ATTEMPT), second, "the last attempt is found from the end");
	is_u64(trace_previous(&trace, second, EVENT_ATTEMPT), first, "the first attempt is found before the second");
	is_u64(trace_previous(&trace, first, EVENT_ATTEMPT), TRACE_NONE, "no attempt is found before the first");
	is_u64(trace_previous(&trace, read, EVENT_TOKEN), two, "a parent comes before its child");
	is_u64(trace_previous(&trace, 4000000, EVENT_READ), read, "an index past the end counts as the end");
	is_u64(trace_ancestor(&trace, read, EVENT_RULE), rule, "an ancestor is found");
	is_u64(trace_ancestor(&trace, read, EVENT_STEP), step, "an ancestor is found up to the root");
	is_u64(trace_ancestor(&trace, read, EVENT_READ), read, "an event is its own ancestor");
	is_u64(trace_ancestor(&trace, read, EVENT_CHECK), TRACE_NONE, "an event may have no ancestor of a kind");
	is_u64(trace_ancestor(&trace, TRACE_NONE, EVENT_STEP), TRACE_NONE, "no event has no ancestor");
	is_u64(trace.events[first].end, second, "an event ends after its last descendant");
	is_u64(trace.events[one].end, two, "an event without children ends after itself");
	is_u64(trace.events[step].end, trace.count, "a step ends with the trace");
	trace_free(&trace);
	is_u64(trace.count, 0, "a freed trace is empty");
}

TEST(forth_and_back)
{
	struct trace trace;
	unsigned wrong = 0;
	uint32_t at = TRACE_NONE;

	trace_init(&trace);
	for (unsigned i = 0; i < 3000; i++)
		add(&trace, TRACE_NONE, i % 7 == 3 ? EVENT_TOKEN : EVENT_READ);
	for (uint32_t next; (next = trace_next(&trace, at, EVENT_TOKEN)) != TRACE_NONE; at = next)
		wrong += trace_previous(&trace, next, EVENT_TOKEN) != at;
	is_u64(wrong, 0, "previous undoes next, at every token");
	is_u64(at, 2999 - 2999 % 7 + 3 < 3000 ? 2999 - 2999 % 7 + 3 : 2999 - 2999 % 7 - 4, "next reaches the last token");
	trace_free(&trace);
}

/* The read that made a value: "$T0 4096 ^ =", "$T1 $T0 =", and values that were not read. */
TEST(reads)
{
	static const struct event events[] = {
		{ .kind = EVENT_RULE, .from = TRACE_NONE }, { .kind = EVENT_TOKEN, .detail = OPERATION_NAME, .from = TRACE_NONE },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_NUMBER, .from = TRACE_NONE },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_READ, .from = TRACE_NONE }, { .kind = EVENT_READ, .from = 2 },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_ASSIGN, .from = 3 },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_NAME, .from = TRACE_NONE },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_ASSIGN, .from = 5 },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_ASSIGN, .from = TRACE_NONE }, { .kind = EVENT_READ, .from = TRACE_NONE },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_ASSIGN, .from = 10 },
		{ .kind = EVENT_TOKEN, .detail = OPERATION_READ, .from = TRACE_NONE },
	};
	static const uint32_t parents[] = { TRACE_NONE, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0 };
	static const struct {
		uint32_t event, read;
		const char *what;
	} cases[] = {
		{ 0, TRACE_NONE, "a rule has no read" }, { 2, TRACE_NONE, "a number has no read" },
		{ 3, 4, "the operator '^' has its read" }, { 4, 4, "a read has itself" }, { 5, 4, "an assigned value has its read" },
		{ 7, 4, "a value that is assigned again has the first read" },
		{ 8, TRACE_NONE, "an assignment of a value without an origin has no read" },
		{ 10, TRACE_NONE, "an assignment that names itself has no read" }, { 11, TRACE_NONE, "the last event has no read" },
		{ 12, TRACE_NONE, "the index after the last event has no read" }, { TRACE_NONE, TRACE_NONE, "no event has no read" },
	};
	struct trace trace;

	trace_init(&trace);
	/* Remains of an earlier step after the last event do not count. */
	for (size_t i = 0; i < 2 * ARRAY_COUNT(events); i++)
		add(&trace, 11, EVENT_READ);
	trace_reset(&trace);
	for (size_t i = 0; i < ARRAY_COUNT(events); i++)
		trace_add(&trace, parents[i], &events[i]);
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		is_u64(trace_read_behind(&trace, cases[i].event), cases[i].read, "%s", cases[i].what);
	is_u64(trace_next(&trace, 11, EVENT_READ), TRACE_NONE, "there is no next event after the last one");
	is_u64(trace_ancestor(&trace, 12, EVENT_READ), TRACE_NONE, "the index after the last event has no ancestor");
	is_u64(trace_previous(&trace, 12, EVENT_TOKEN), 11, "the last token is found from the end");
	trace_free(&trace);
}

TEST(texts)
{
	struct trace trace;
	char large[2000];

	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	trace_init(&trace);
	is_str(trace_text(&trace, "%d of %s", 3, "four"), "3 of four", "texts are formatted");
	ok(strlen(trace_text(&trace, "%s", large)) < sizeof(large), "a text that is too long is cut");
	uint32_t event = add(&trace, TRACE_NONE, EVENT_STEP);
	is_str(trace.events[event].text, "", "an event without a text has an empty one");
	trace_free(&trace);
}

TEST(limit)
{
	struct trace trace;
	uint32_t last = TRACE_NONE;

	trace_init(&trace);
	for (unsigned i = 0; i < LIMIT_TRACE_EVENTS; i++)
		last = add(&trace, TRACE_NONE, EVENT_TOKEN);
	is_u64(last, LIMIT_TRACE_EVENTS - 1, "a trace takes as many events as it may");
	ok(!trace.full, "a trace with as many events as it may is not full");
	is_u64(add(&trace, 0, EVENT_TOKEN), TRACE_NONE, "an event after the last that fits is refused");
	ok(trace.full, "a trace that refused an event is marked as full");
	trace_close(&trace, TRACE_NONE);
	is_u64(trace.count, LIMIT_TRACE_EVENTS, "recorded events stay");
	trace_free(&trace);

	trace_init(&trace);
	trace.arena.limit = 200000;
	for (unsigned i = 0; i < 100000; i++)
		add(&trace, TRACE_NONE, EVENT_TOKEN);
	ok(trace.full && trace.count > 100, "a trace is full when out of memory: %zu events", trace.count);
	for (unsigned i = 0; i < 100000 && trace_text(&trace, "%400d", 5)[0] != '\0'; i++)
		continue;
	is_str(trace_text(&trace, "%400d", 5), "", "a trace has no room for a text when out of memory");
	trace_free(&trace);
	is_u64(trace_add(NULL, TRACE_NONE, &(struct event){ .kind = EVENT_STEP }), TRACE_NONE, "a NULL trace takes no event");
}
