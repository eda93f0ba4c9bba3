/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/source.h"

#include "code/call.h"

/*
 * Finds calls, for sources that are true only at calls: steps through a function's code from its
 * beginning by the lengths of its instructions.
 */

/* Bytes of one function that are searched; later calls are not found. */
#define MOST_BYTES 0x10000u

/* Lengths in Thumb, which has halfwords: the upper bits decide (Arm ARM, F3.1). */
static unsigned
length_of(const uint8_t *bytes, bool big_endian)
{
	const unsigned half = (unsigned)bytes[big_endian ? 0 : 1] << 8 | bytes[big_endian ? 1 : 0];

	return half >= 0xe800 ? 4 : 2;
}

/* Whether the code is A32: most words have the condition that nearly all its instructions have. */
static bool
has_words(const uint8_t *bytes, size_t size, bool big_endian)
{
	size_t words = 0, always = 0;

	for (size_t at = 0; at + 4 <= size; at += 4) {
		words++;
		always += bytes[at + (big_endian ? 0 : 3)] >> 4 == 0xe;
	}
	return words > 0 && always * 4 >= words * 3;
}

bool
unwind_has_call(const struct rule_module *module, uint64_t begins, uint64_t first, uint64_t last)
{
	const struct arch *arch = module->arch;
	const struct binary *binary = binaries_load(module->binaries, module->number, LOCATE_IMAGE);
	uint8_t bytes[1024];
	uint64_t at = begins;
	bool modes = arch->mode_bit != 0, known = false;

	if (binary == NULL || begins > first || last - begins > MOST_BYTES)
		return false;
	while (at <= last) {
		const size_t size = binary_read(binary, at, bytes, sizeof(bytes), NULL);
		size_t used = 0;

		if (!known && modes)
			modes = begins % 4 != 0 ||
				!has_words(bytes,
					   (size_t)(last - begins < size ? last - begins + 1
									 : size),
					   binary->big_endian);
		known = true;
		while (used + CALL_WINDOW <= size && at + used <= last) {
			const unsigned length = modes ? length_of(bytes + used, binary->big_endian)
						      : arch->code_unit;
			const uint64_t behind = at + used + length;

			used += length;
			if (behind - arch->call_step < first || behind - arch->call_step > last)
				continue;
			if (call_before(arch, binary->big_endian, bytes + used - length, length,
					modes ? behind | arch->mode_bit : behind)
				    .answer == CALL_YES)
				return true;
		}
		if (used == 0)
			return false;
		at += used;
	}
	return false;
}
