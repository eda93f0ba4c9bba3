/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/classify.h"

#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define CLASSIFY_X86
#endif

static bool
is_body_line(const char *line)
{
	return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f') ||
	       memcmp(line, "INLINE ", 7) == 0;
}

/* The odd bytes of a run: the inner loop becomes vector instructions. */
static unsigned
odd_bytes(const char *bytes, size_t words)
{
	uint8_t returns = 0, nuls = 0, ones = 0;

	for (size_t word = 0; word < words; word++, bytes += CLASSIFY_WORD)
		for (size_t i = 0; i < CLASSIFY_WORD; i++) {
			returns |= bytes[i] == '\r';
			nuls |= bytes[i] == '\0';
			ones |= (uint8_t)bytes[i] == 0xff;
		}
	return (returns != 0 ? CLASSIFY_RETURN : 0u) | (nuls != 0 ? CLASSIFY_NUL : 0u) |
	       (ones != 0 ? CLASSIFY_FF : 0u);
}

static struct classified
classify_plain(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	const char *at = bytes, *end = bytes + words * CLASSIFY_WORD;
	struct classified found = { .odd = odd_bytes(bytes, words) };

	for (size_t word = 0; word < words; word++)
		newlines[word] = events[word] = 0;
	while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		const size_t offset = (size_t)(at++ - bytes);
		const uint64_t bit = UINT64_C(1) << offset % CLASSIFY_WORD;

		newlines[offset / CLASSIFY_WORD] |= bit;
		events[offset / CLASSIFY_WORD] |= is_body_line(at) ? 0 : bit;
		found.lines++;
	}
	return found;
}

#ifdef CLASSIFY_X86

#define TARGET __attribute__((target("avx2,popcnt")))
#define INLINE __attribute__((target("avx2,popcnt"), always_inline)) static inline

INLINE __m256i
load(const char *bytes)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

INLINE uint32_t
lane_bits(__m256i lanes)
{
	return (uint32_t)_mm256_movemask_epi8(lanes);
}

INLINE __m256i
lanes_of(__m256i bytes, char c)
{
	return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

/* Lanes whose byte is one of the `count` from `first` on. */
INLINE __m256i
lanes_within(__m256i bytes, char first, char count)
{
	const __m256i from_first = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first));
	const __m256i most = _mm256_set1_epi8((char)(count - 1));

	return _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, most), from_first);
}

/* The lines that begin with INLINE, among those with I first and a space as seventh byte. */
INLINE uint32_t
inlined(const char *bytes)
{
	uint32_t lines = UINT32_MAX;

	for (unsigned i = 1; i < 6; i++)
		lines &= lane_bits(lanes_of(load(bytes + 1 + i), "INLINE"[i]));
	return lines;
}

/* The events among the lanes; `newline` are those with a newline. */
INLINE uint32_t
lane_events(const char *bytes, __m256i newline)
{
	const __m256i first = load(bytes + 1);
	const __m256i hex =
		_mm256_or_si256(lanes_within(first, '0', 10), lanes_within(first, 'a', 6));
	const __m256i call =
		_mm256_and_si256(lanes_of(first, 'I'), lanes_of(load(bytes + 7), ' '));
	const uint32_t events = lane_bits(_mm256_andnot_si256(hex, newline));
	const uint32_t calls = lane_bits(call) & events;

	return calls == 0 ? events : events & ~(calls & inlined(bytes));
}

/* Twice as fast as plain C. */
TARGET static struct classified
classify_avx2(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	__m256i returns = _mm256_setzero_si256(), most = _mm256_setzero_si256();
	__m256i least = _mm256_set1_epi8((char)0xff);
	struct classified found = { 0 };

	for (size_t word = 0; word < words; word++) {
		uint64_t newline = 0, event = 0;

		for (unsigned part = 0; part < CLASSIFY_WORD; part += 32, bytes += 32) {
			const __m256i here = load(bytes), fed = lanes_of(here, '\n');

			newline |= (uint64_t)lane_bits(fed) << part;
			event |= (uint64_t)lane_events(bytes, fed) << part;
			returns = _mm256_or_si256(returns, lanes_of(here, '\r'));
			least = _mm256_min_epu8(least, here);
			most = _mm256_max_epu8(most, here);
		}
		newlines[word] = newline;
		events[word] = event;
		found.lines += (uint64_t)__builtin_popcountll(newline);
	}
	found.odd = (lane_bits(returns) != 0 ? CLASSIFY_RETURN : 0u) |
		    (lane_bits(lanes_of(least, 0)) != 0 ? CLASSIFY_NUL : 0u) |
		    (lane_bits(lanes_of(most, (char)0xff)) != 0 ? CLASSIFY_FF : 0u);
	return found;
}

#endif /* CLASSIFY_X86 */

const struct classifier *
classifiers(size_t *count)
{
	static const struct classifier all[] = {
#ifdef CLASSIFY_X86
		{ "avx2", classify_avx2 },
#endif
		{ "plain", classify_plain },
	};
	size_t first = 0;

#ifdef CLASSIFY_X86
	first = __builtin_cpu_supports("avx2") ? 0 : 1;
#endif
	*count = ARRAY_COUNT(all) - first;
	return &all[first];
}
