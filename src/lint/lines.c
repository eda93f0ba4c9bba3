/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "lint/lint_internal.h"

/*
 * Where lines end, and whether odd bytes are near: with the vector compares of the loader, so that
 * nothing looks at a byte twice to know it. The last bytes of a file are looked at one by one, for
 * the compares read behind what they are asked for.
 */

/* Whole words at `at` that the compares may be given. */
static size_t
whole_words(const char *at, const char *end)
{
	const size_t size = (size_t)(end - at);
	const size_t words = size > CLASSIFY_BEHIND ? (size - CLASSIFY_BEHIND) / CLASSIFY_WORD : 0;

	return words < LINT_FEED_WORDS ? words : LINT_FEED_WORDS;
}

static classify_function *
best_classifier(void)
{
	size_t count;

	return classifiers(&count)[0].run;
}

static bool
has_high(const char *at, size_t length)
{
	uint64_t bits = 0, word;

	for (size_t i = 0; i + sizeof(word) <= length; i += sizeof(word)) {
		memcpy(&word, at + i, sizeof(word));
		bits |= word;
	}
	for (size_t i = length & ~(sizeof(word) - 1); i < length; i++)
		bits |= (uint64_t)(unsigned char)at[i];
	return (bits & UINT64_C(0x8080808080808080)) != 0;
}

/* The last bytes, fewer than a word and what must stand behind it. */
static void
load_tail(struct lint_feeds *feeds)
{
	const size_t length = (size_t)(feeds->end - feeds->start);

	feeds->words = (length + CLASSIFY_WORD - 1) / CLASSIFY_WORD;
	memset(feeds->feeds, 0, feeds->words * sizeof(feeds->feeds[0]));
	for (size_t i = 0; i < length; i++)
		if (feeds->start[i] == '\n')
			feeds->feeds[i / CLASSIFY_WORD] |= UINT64_C(1) << i % CLASSIFY_WORD;
	feeds->odd = (struct lint_odd){
		.nul = memchr(feeds->start, '\0', length) != NULL,
		.ff = memchr(feeds->start, 0xff, length) != NULL,
		.cr = memchr(feeds->start, '\r', length) != NULL };
}

void
lint_feeds_begin(struct lint_feeds *feeds, const char *at, const char *limit)
{
	feeds->classify = best_classifier();
	feeds->limit = limit;
	feeds->before = feeds->start = feeds->end = at;
	feeds->odd = feeds->odd_before = (struct lint_odd){ 0 };
	feeds->word = feeds->words = 0;
	feeds->bits = 0;
}

bool
lint_feeds_load(struct lint_feeds *feeds)
{
	uint64_t events[LINT_FEED_WORDS];

	if (feeds->end == feeds->limit)
		return false;
	feeds->before = feeds->start;
	feeds->odd_before = feeds->odd;
	feeds->start = feeds->end;
	feeds->words = whole_words(feeds->start, feeds->limit);
	if (feeds->words == 0) {
		feeds->end = feeds->limit;
		load_tail(feeds);
	} else {
		const struct classified found = feeds->classify(feeds->start, feeds->words,
								feeds->feeds, events);

		feeds->end = feeds->start + feeds->words * CLASSIFY_WORD;
		feeds->odd = (struct lint_odd){ .nul = (found.odd & CLASSIFY_NUL) != 0,
						.ff = (found.odd & CLASSIFY_FF) != 0,
						.cr = (found.odd & CLASSIFY_RETURN) != 0 };
	}
	feeds->odd.high = has_high(feeds->start, (size_t)(feeds->end - feeds->start));
	feeds->word = 0;
	feeds->bits = feeds->feeds[0];
	return true;
}

struct lint_odd
lint_feeds_odd(const struct lint_feeds *feeds, const char *at)
{
	const struct lint_odd *now = &feeds->odd, *before = &feeds->odd_before;

	if (at >= feeds->start)
		return *now;
	if (at >= feeds->before)
		return (struct lint_odd){ now->nul || before->nul, now->ff || before->ff,
					  now->cr || before->cr, now->high || before->high };
	/* A line longer than what is remembered may have anything. */
	return (struct lint_odd){ true, true, true, true };
}

uint32_t
lint_count_lines(const char *at, const char *end)
{
	uint64_t feeds[LINT_FEED_WORDS], events[LINT_FEED_WORDS];
	classify_function *const classify = best_classifier();
	uint64_t count = 0;

	for (size_t words; (words = whole_words(at, end)) > 0; at += words * CLASSIFY_WORD)
		count += classify(at, words, feeds, events).lines;
	for (; at < end; at++)
		count += *at == '\n';
	return (uint32_t)count;
}
