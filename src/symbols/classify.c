/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/classify.h"

#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#define CLASSIFY_X86
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#define CLASSIFY_NEON
#endif

static bool
is_body_line(const char *line)
{
	return (line[0] >= '0' && line[0] <= '9') || (line[0] >= 'a' && line[0] <= 'f') ||
	       memcmp(line, "INLINE ", 7) == 0;
}

static struct classified
classify_plain(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	struct classified found = { 0 };

	for (size_t word = 0; word < words; word++, bytes += CLASSIFY_WORD) {
		uint64_t newline = 0, event = 0;

		for (size_t i = 0; i < CLASSIFY_WORD; i++) {
			const unsigned char c = (unsigned char)bytes[i];

			if (c == '\n') {
				newline |= UINT64_C(1) << i;
				event |= (uint64_t)!is_body_line(bytes + i + 1) << i;
				found.lines++;
			}
			found.odd |= c == '\r' ? CLASSIFY_RETURN : 0;
			found.odd |= c == '\0' ? CLASSIFY_NUL : 0;
			found.odd |= c == 0xff ? CLASSIFY_FF : 0;
		}
		newlines[word] = newline;
		events[word] = event;
	}
	return found;
}

#ifdef CLASSIFY_X86

#define AVX2 __attribute__((target("avx2,popcnt"), always_inline)) static inline

AVX2 __m256i
load32(const char *bytes)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

AVX2 uint32_t
bits32(__m256i lanes)
{
	return (uint32_t)_mm256_movemask_epi8(lanes);
}

AVX2 __m256i
is32(__m256i bytes, char c)
{
	return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

/* Lanes whose byte is one of the `count` from `first` on. */
AVX2 __m256i
within32(__m256i bytes, char first, char count)
{
	const __m256i from_first = _mm256_sub_epi8(bytes, _mm256_set1_epi8(first));

	return _mm256_cmpeq_epi8(
		_mm256_min_epu8(from_first, _mm256_set1_epi8((char)(count - 1))), from_first);
}

/* Of lines that begin with I and have a space as their seventh byte, those that say INLINE. */
AVX2 uint32_t
inline32(const char *bytes)
{
	const __m256i nl = _mm256_and_si256(is32(load32(bytes + 2), 'N'),
					    is32(load32(bytes + 3), 'L'));
	const __m256i in = _mm256_and_si256(is32(load32(bytes + 4), 'I'),
					    is32(load32(bytes + 5), 'N'));

	return bits32(_mm256_and_si256(_mm256_and_si256(nl, in), is32(load32(bytes + 6), 'E')));
}

/* The events among 32 bytes; `newline` are the lanes with a newline. */
AVX2 uint32_t
events32(const char *bytes, __m256i newline)
{
	const __m256i first = load32(bytes + 1);
	const __m256i hex = _mm256_or_si256(within32(first, '0', 10), within32(first, 'a', 6));
	const __m256i other = _mm256_andnot_si256(hex, newline);
	const __m256i call = _mm256_and_si256(is32(first, 'I'), is32(load32(bytes + 7), ' '));
	const uint32_t events = bits32(other), calls = bits32(call) & events;

	return calls == 0 ? events : events & ~(calls & inline32(bytes));
}

__attribute__((target("avx2,popcnt"))) static struct classified
classify_avx2(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	__m256i returns = _mm256_setzero_si256(), least = _mm256_set1_epi8((char)0xff);
	__m256i most = _mm256_setzero_si256();
	struct classified found = { 0 };

	for (size_t word = 0; word < words; word++, bytes += CLASSIFY_WORD) {
		const __m256i low = load32(bytes), high = load32(bytes + 32);
		const __m256i low_newline = is32(low, '\n'), high_newline = is32(high, '\n');
		const uint64_t newline = bits32(low_newline) | (uint64_t)bits32(high_newline) << 32;

		newlines[word] = newline;
		events[word] = events32(bytes, low_newline) |
			       (uint64_t)events32(bytes + 32, high_newline) << 32;
		found.lines += (uint64_t)__builtin_popcountll(newline);
		returns = _mm256_or_si256(returns, _mm256_or_si256(is32(low, '\r'),
								   is32(high, '\r')));
		least = _mm256_min_epu8(least, _mm256_min_epu8(low, high));
		most = _mm256_max_epu8(most, _mm256_max_epu8(low, high));
	}
	found.odd = (bits32(returns) != 0 ? CLASSIFY_RETURN : 0) |
		    (bits32(is32(least, 0)) != 0 ? CLASSIFY_NUL : 0) |
		    (bits32(is32(most, (char)0xff)) != 0 ? CLASSIFY_FF : 0);
	return found;
}

#define SSE2 __attribute__((target("sse2"), always_inline)) static inline

SSE2 __m128i
load16(const char *bytes)
{
	return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

SSE2 uint32_t
bits16(__m128i lanes)
{
	return (uint32_t)_mm_movemask_epi8(lanes);
}

SSE2 __m128i
is16(__m128i bytes, char c)
{
	return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

SSE2 __m128i
within16(__m128i bytes, char first, char count)
{
	const __m128i from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first));

	return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8((char)(count - 1))),
			      from_first);
}

SSE2 uint32_t
inline16(const char *bytes)
{
	const __m128i nl = _mm_and_si128(is16(load16(bytes + 2), 'N'),
					 is16(load16(bytes + 3), 'L'));
	const __m128i in = _mm_and_si128(is16(load16(bytes + 4), 'I'),
					 is16(load16(bytes + 5), 'N'));

	return bits16(_mm_and_si128(_mm_and_si128(nl, in), is16(load16(bytes + 6), 'E')));
}

SSE2 uint32_t
events16(const char *bytes, __m128i newline)
{
	const __m128i first = load16(bytes + 1);
	const __m128i hex = _mm_or_si128(within16(first, '0', 10), within16(first, 'a', 6));
	const __m128i call = _mm_and_si128(is16(first, 'I'), is16(load16(bytes + 7), ' '));
	const uint32_t events = bits16(_mm_andnot_si128(hex, newline));
	const uint32_t calls = bits16(call) & events;

	return calls == 0 ? events : events & ~(calls & inline16(bytes));
}

__attribute__((target("sse2"))) static struct classified
classify_sse2(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	__m128i returns = _mm_setzero_si128(), least = _mm_set1_epi8((char)0xff);
	__m128i most = _mm_setzero_si128();
	struct classified found = { 0 };

	for (size_t word = 0; word < words; word++) {
		uint64_t newline = 0, event = 0;

		for (unsigned part = 0; part < CLASSIFY_WORD; part += 16, bytes += 16) {
			const __m128i here = load16(bytes), fed = is16(here, '\n');

			newline |= (uint64_t)bits16(fed) << part;
			event |= (uint64_t)events16(bytes, fed) << part;
			returns = _mm_or_si128(returns, is16(here, '\r'));
			least = _mm_min_epu8(least, here);
			most = _mm_max_epu8(most, here);
		}
		newlines[word] = newline;
		events[word] = event;
		found.lines += (uint64_t)__builtin_popcountll(newline);
	}
	found.odd = (bits16(returns) != 0 ? CLASSIFY_RETURN : 0) |
		    (bits16(is16(least, 0)) != 0 ? CLASSIFY_NUL : 0) |
		    (bits16(is16(most, (char)0xff)) != 0 ? CLASSIFY_FF : 0);
	return found;
}

#endif /* CLASSIFY_X86 */

#ifdef CLASSIFY_NEON

static inline uint8x16_t
load_neon(const char *bytes)
{
	return vld1q_u8((const uint8_t *)bytes);
}

static inline uint8x16_t
is_neon(uint8x16_t bytes, char c)
{
	return vceqq_u8(bytes, vdupq_n_u8((uint8_t)c));
}

static inline uint8x16_t
within_neon(uint8x16_t bytes, char first, uint8_t count)
{
	return vcltq_u8(vsubq_u8(bytes, vdupq_n_u8((uint8_t)first)), vdupq_n_u8(count));
}

/* One bit for each lane of 64, all of them 0 or 0xff. */
static inline uint64_t
bits_neon(const uint8x16_t lanes[4])
{
	static const uint8_t weights[16] = { 1, 2, 4, 8, 16, 32, 64, 128,
					     1, 2, 4, 8, 16, 32, 64, 128 };
	const uint8x16_t bit = vld1q_u8(weights);
	const uint8x16_t low = vpaddq_u8(vandq_u8(lanes[0], bit), vandq_u8(lanes[1], bit));
	const uint8x16_t high = vpaddq_u8(vandq_u8(lanes[2], bit), vandq_u8(lanes[3], bit));
	const uint8x16_t both = vpaddq_u8(low, high);

	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
}

static inline uint8x16_t
inline_neon(const char *bytes, uint8x16_t first)
{
	const uint8x16_t nl = vandq_u8(is_neon(load_neon(bytes + 2), 'N'),
				       is_neon(load_neon(bytes + 3), 'L'));
	const uint8x16_t in = vandq_u8(is_neon(load_neon(bytes + 4), 'I'),
				       is_neon(load_neon(bytes + 5), 'N'));
	const uint8x16_t e = vandq_u8(is_neon(load_neon(bytes + 6), 'E'),
				      is_neon(load_neon(bytes + 7), ' '));

	return vandq_u8(vandq_u8(nl, in), vandq_u8(e, is_neon(first, 'I')));
}

static struct classified
classify_neon(const char *bytes, size_t words, uint64_t *newlines, uint64_t *events)
{
	uint8x16_t returns = vdupq_n_u8(0), least = vdupq_n_u8(0xff), most = vdupq_n_u8(0);
	struct classified found = { 0 };

	for (size_t word = 0; word < words; word++) {
		uint8x16_t newline[4], event[4];

		for (size_t part = 0; part < 4; part++, bytes += 16) {
			const uint8x16_t here = load_neon(bytes), first = load_neon(bytes + 1);
			const uint8x16_t body =
				vorrq_u8(vorrq_u8(within_neon(first, '0', 10),
						  within_neon(first, 'a', 6)),
					 inline_neon(bytes, first));

			newline[part] = is_neon(here, '\n');
			event[part] = vbicq_u8(newline[part], body);
			returns = vorrq_u8(returns, is_neon(here, '\r'));
			least = vminq_u8(least, here);
			most = vmaxq_u8(most, here);
		}
		newlines[word] = bits_neon(newline);
		events[word] = bits_neon(event);
		found.lines += (uint64_t)__builtin_popcountll(newlines[word]);
	}
	found.odd = (vmaxvq_u8(returns) != 0 ? CLASSIFY_RETURN : 0u) |
		    (vminvq_u8(least) == 0 ? CLASSIFY_NUL : 0u) |
		    (vmaxvq_u8(most) == 0xff ? CLASSIFY_FF : 0u);
	return found;
}

#endif /* CLASSIFY_NEON */

const struct classifier *
classifiers(size_t *count)
{
	static const struct classifier all[] = {
#ifdef CLASSIFY_X86
		{ "avx2", classify_avx2 },
		{ "sse2", classify_sse2 },
#endif
#ifdef CLASSIFY_NEON
		{ "neon", classify_neon },
#endif
		{ "plain", classify_plain },
	};
	size_t first = 0;

#ifdef CLASSIFY_X86
	if (!__builtin_cpu_supports("avx2"))
		first = __builtin_cpu_supports("sse2") ? 1 : 2;
#endif
	*count = ARRAY_COUNT(all) - first;
	return &all[first];
}
