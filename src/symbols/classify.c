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

#define VECTOR __m256i
#define LANES 32
#define WIDTH(name) _mm256_##name
#define WHOLE(name) _mm256_##name##_si256
#define NAME(name) name##_avx2
#define TARGET "avx2,popcnt"
#include "symbols/classify_x86.h"

#define VECTOR __m128i
#define LANES 16
#define WIDTH(name) _mm_##name
#define WHOLE(name) _mm_##name##_si128
#define NAME(name) name##_sse2
#define TARGET "sse2"
#include "symbols/classify_x86.h"

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
