/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "lint/lint_internal.h"
#include "symbols/classify.h"

/* Which odd bytes are near, so that few lines are looked through for them, and how many lines there are. */

enum {
	BLOCK = 16 << 10,		/* bytes that stay in the cache until their lines are read */
	COUNTED = 256,			/* words that are counted together */
};

static bool
has_high(const char *at, size_t length)
{
	uint64_t bits = 0, words[4];
	size_t at_end = length % sizeof(words);

	for (size_t i = 0; i + sizeof(words) <= length; i += sizeof(words)) {
		memcpy(words, at + i, sizeof(words));
		bits |= words[0] | words[1] | words[2] | words[3];
	}
	for (; at_end > 0; at_end--)
		bits |= (uint64_t)(unsigned char)at[length - at_end];
	return (bits & UINT64_C(0x8080808080808080)) != 0;
}

const char *
lint_block(const char *at, const char *end, struct lint_odd *odd)
{
	const char *newline = end - at > BLOCK
				   ? memchr(at + BLOCK, '\n', (size_t)(end - at - BLOCK)) : NULL;
	const size_t length = (size_t)((newline != NULL ? newline + 1 : end) - at);

	*odd = (struct lint_odd){ .nul = memchr(at, '\0', length) != NULL,
				  .cr = memchr(at, '\r', length) != NULL,
				  .high = has_high(at, length) };
	odd->ff = odd->high && memchr(at, 0xff, length) != NULL;
	return at + length;
}

/* Whole words at `at` that the vector compares may be given: they read behind what they are asked for. */
static size_t
whole_words(const char *at, const char *end)
{
	const size_t size = (size_t)(end - at);
	const size_t words = size > CLASSIFY_BEHIND ? (size - CLASSIFY_BEHIND) / CLASSIFY_WORD : 0;

	return words < COUNTED ? words : COUNTED;
}

uint32_t
lint_count_lines(const char *at, const char *end)
{
	uint64_t newlines[COUNTED], events[COUNTED], count = 0;
	size_t classifier_count;
	classify_function *const classify = classifiers(&classifier_count)[0].run;

	for (size_t words; (words = whole_words(at, end)) > 0; at += words * CLASSIFY_WORD)
		count += classify(at, words, newlines, events).lines;
	for (; at < end; at++)
		count += *at == '\n';
	return (uint32_t)count;
}
