/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/reader.h"

#include "base/checked.h"

bool
reader_window(const struct reader *reader, uint64_t offset, uint64_t size, struct reader *window)
{
	if (!checked_within(offset, size, reader->size))
		return false;
	*window = *reader;
	window->data += offset;
	window->size = size;
	window->start += offset;
	return true;
}

struct place
reader_place(const struct reader *reader, uint64_t offset, uint64_t length)
{
	return (struct place){
		.input = reader->input,
		.offset = reader->start + offset,
		.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX,
	};
}

bool
reader_unsigned(const struct reader *reader, uint64_t offset, unsigned size, uint64_t *value)
{
	if (!checked_within(offset, size, reader->size))
		return false;
	*value = reader_number(reader->data + offset, size, reader->big_endian);
	return true;
}

#define DEFINE_READ(bits)								\
	bool										\
	reader_u##bits(const struct reader *reader, uint64_t offset, uint##bits##_t *value)	\
	{										\
		uint64_t wide;								\
											\
		if (!reader_unsigned(reader, offset, bits / 8, &wide))			\
			return false;							\
		*value = (uint##bits##_t)wide;						\
		return true;								\
	}

DEFINE_READ(16)
DEFINE_READ(32)
DEFINE_READ(64)
