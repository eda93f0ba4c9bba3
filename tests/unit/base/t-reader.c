/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/checked.h"
#include "base/reader.h"
#include "tests/lib/tap.h"

static const uint8_t bytes[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88 };

TEST(values)
{
	const struct reader little = { .data = bytes, .size = sizeof(bytes) };
	struct reader big = little;
	uint8_t u8 = 0;
	uint16_t u16 = 0;
	uint32_t u32 = 0;
	uint64_t u64 = 0;

	big.big_endian = true;
	ok(reader_u8(&little, 7, &u8) && u8 == 0x88, "a byte is read");
	ok(reader_u16(&little, 0, &u16) && u16 == 0x0201, "two bytes in little endian are read");
	ok(reader_u16(&big, 0, &u16) && u16 == 0x0102, "two bytes in big endian are read");
	ok(reader_u32(&little, 1, &u32) && u32 == 0x05040302, "four bytes need no alignment");
	ok(reader_u32(&big, 1, &u32) && u32 == 0x02030405, "four bytes in big endian need no alignment");
	ok(reader_u64(&little, 0, &u64) && u64 == 0x8807060504030201, "eight bytes in little endian are read");
	ok(reader_u64(&big, 0, &u64) && u64 == 0x0102030405060788, "eight bytes in big endian are read");
}

TEST(bounds)
{
	const struct reader reader = { .data = bytes, .size = sizeof(bytes) };
	uint32_t u32 = 77;
	uint64_t u64 = 77;

	ok(!reader_u32(&reader, 5, &u32), "a value that passes the end is not read");
	ok(!reader_u64(&reader, 1, &u64), "a value that passes the end by one byte is not read");
	ok(!reader_u32(&reader, UINT64_MAX - 1, &u32), "an offset near the largest does not wrap");
	ok(u32 == 77 && u64 == 77, "the output stays unchanged without a value");
}

TEST(window)
{
	const struct input input = { "dir/dump" };
	const struct reader reader = { .input = &input, .data = bytes, .size = sizeof(bytes), .start = 100 };
	struct reader window, inner;
	uint8_t value = 0;

	ok(reader_window(&reader, 2, 4, &window), "a window that fits is given");
	ok(reader_u8(&window, 3, &value) && value == 0x06, "offsets of a window count from its start");
	ok(!reader_u8(&window, 4, &value), "a byte after the end of a window is not read");
	ok(reader_window(&window, 1, 2, &inner), "windows nest");
	struct place place = reader_place(&inner, 1, 1);
	is_u64(place.offset, 104, "a place in a window is that of the complete input");
	is_str(place_format(&place).text, "dump+0x68", "the place of a window is written");
	ok(!reader_window(&reader, 5, 4, &window), "a window that passes the end is refused");
	ok(!reader_window(&reader, UINT64_MAX, 2, &window), "a window that wraps is refused");
	ok(reader_window(&reader, 8, 0, &window), "an empty window may begin at the end");
}

TEST(checked)
{
	uint64_t result = 0;

	ok(checked_add(UINT64_MAX - 1, 1, &result) && result == UINT64_MAX, "a sum that fits is given");
	ok(!checked_add(UINT64_MAX, 1, &result), "a sum that wraps is refused");
	ok(checked_contains(UINT64_MAX - 3, 4, UINT64_MAX), "a range may end at the last address");
	ok(!checked_contains(8, 4, 12), "the end of a range is not in it");
}
