/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/split_index.h"
#include "tests/lib/tap.h"

/* The index of a package (DWARF 5, 7.3.5.3) with 4 slots, two units and three sections. The second
 * unit's identifier hashes to the slot of the first; its step is 3, so it is in the slot before. */
enum { SLOTS = 4, UNITS = 2, COLUMNS = 3, HASHES = 16, ROWS = HASHES + 8 * SLOTS,
       SECTIONS = ROWS + 4 * SLOTS, OFFSETS = SECTIONS + 4 * COLUMNS,
       SIZES = OFFSETS + 4 * COLUMNS * UNITS, SIZE = SIZES + 4 * COLUMNS * UNITS };

static const uint64_t first = 0x0000000011111112, second = 0x0000000222222222;

struct index {
	uint8_t *bytes;			/* in an allocation of exactly its size */
	struct reader reader;
};

static void
put(struct index *index, size_t at, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		index->bytes[at + (index->reader.big_endian ? size - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static struct index
make(unsigned version, bool big_endian)
{
	static const uint32_t sections[COLUMNS] = { 1, 3, 8 };
	struct index index = { calloc(1, SIZE), { .size = SIZE, .big_endian = big_endian } };

	if (index.bytes == NULL)
		abort();
	index.reader.data = index.bytes;
	put(&index, 0, version == 5 ? 2 : 4, version);
	put(&index, 4, 4, COLUMNS);
	put(&index, 8, 4, UNITS);
	put(&index, 12, 4, SLOTS);
	put(&index, HASHES + 8 * 2, 8, first);
	put(&index, ROWS + 4 * 2, 4, 1);
	put(&index, HASHES + 8 * 1, 8, second);
	put(&index, ROWS + 4 * 1, 4, 2);
	for (unsigned i = 0; i < COLUMNS; i++) {
		put(&index, SECTIONS + 4 * i, 4, sections[i]);
		for (unsigned unit = 0; unit < UNITS; unit++) {
			put(&index, OFFSETS + 4 * (unit * COLUMNS + i), 4, 100 * (unit + 1) + i);
			put(&index, SIZES + 4 * (unit * COLUMNS + i), 4, 10 * (unit + 1) + i);
		}
	}
	return index;
}

static bool
has(const struct split_index_part *part, uint32_t section, uint32_t offset, uint32_t size)
{
	return part->section == section && part->offset == offset && part->size == size;
}

static void
test_units(unsigned version, bool big_endian)
{
	struct split_index_part parts[SPLIT_INDEX_COLUMNS];
	struct index index = make(version, big_endian);
	const char *order = big_endian ? "big" : "little";

	size_t count = split_index_find(&index.reader, first, parts);
	ok(count == (version == 5 ? 3 : 2) && has(&parts[0], 1, 100, 10) && has(&parts[1], 3, 101, 11),
	   "version %u, %s-endian: the parts of a unit in the slot of its identifier", version, order);
	ok(version == 2 || has(&parts[2], 8, 102, 12), "version %u, %s-endian: section 8 exists only in version 5", version, order);
	count = split_index_find(&index.reader, second, parts);
	ok(count == (version == 5 ? 3 : 2) && has(&parts[0], 1, 200, 20) && has(&parts[1], 3, 201, 21),
	   "version %u, %s-endian: a unit whose slot is taken is in the next one", version, order);
	ok(split_index_find(&index.reader, 2, parts) == 0, "version %u, %s-endian: a missing unit is not found", version, order);
	free(index.bytes);
}

TEST(damage)
{
	static const struct {
		size_t at;
		uint32_t value;
		const char *what;
	} damage[] = {
		{ 0, 3, "a version that does not exist" }, { 4, SPLIT_INDEX_COLUMNS + 1, "more columns than there are sections" },
		{ 8, 0, "a row after the last unit" }, { 12, 0, "no slots" }, { 12, 3, "a number of slots that is no power of two" },
		{ 12, UINT32_C(1) << 31, "more slots than the section has bytes" }, { ROWS + 4 * 2, 0, "an empty slot" },
		{ ROWS + 4 * 2, 3, "a row that the table does not have" },
	};
	struct split_index_part parts[SPLIT_INDEX_COLUMNS];

	for (size_t i = 0; i < ARRAY_COUNT(damage); i++) {
		struct index index = make(5, false);
		put(&index, damage[i].at, 4, damage[i].value);
		ok(split_index_find(&index.reader, first, parts) == 0, "refused: %s", damage[i].what);
		free(index.bytes);
	}
	size_t taken = 0;
	for (size_t size = 0; size < SIZE; size++) {
		struct index index = make(5, false);
		uint8_t *cut = realloc(index.bytes, size > 0 ? size : 1);

		if (cut == NULL)
			abort();
		index.reader.data = cut;
		index.reader.size = size;
		taken += split_index_find(&index.reader, second, parts) > 0;
		free(cut);
	}
	ok(taken == 0, "the last unit is not found in an index that is cut at any byte");
}

/* A table whose slots are all used, so that a search would take long. */
TEST(full)
{
	enum { MANY = 1 << 16 };
	struct split_index_part parts[SPLIT_INDEX_COLUMNS];
	struct index index = { calloc(1, HASHES + 12 * MANY + 36),
			       { .size = HASHES + 12 * MANY + 36 } };

	if (index.bytes == NULL)
		abort();
	index.reader.data = index.bytes;
	put(&index, 0, 4, 5);
	put(&index, 4, 4, COLUMNS);
	put(&index, 8, 4, 1);
	put(&index, 12, 4, MANY);
	for (size_t i = 0; i < MANY; i++)
		put(&index, HASHES + 8 * MANY + 4 * i, 4, 1);
	for (unsigned i = 0; i < COLUMNS; i++)
		put(&index, HASHES + 12 * MANY + 4 * i, 4, i + 1);
	put(&index, HASHES + 8 * 256, 8, UINT64_C(1) << 16);
	put(&index, HASHES + 8 * 255, 8, UINT64_C(2) << 16);
	ok(split_index_find(&index.reader, UINT64_C(2) << 16, parts) == COLUMNS, "a unit that 256 looks find is found");
	ok(split_index_find(&index.reader, UINT64_C(1) << 16, parts) == 0, "one for which more are needed is not looked for further");
	free(index.bytes);
}

int
main(void)
{
	static const unsigned versions[] = { 2, 5 };

	for (size_t i = 0; i < ARRAY_COUNT(versions); i++)
		for (int big = 0; big < 2; big++)
			test_units(versions[i], big != 0);
	run_tests();
	return done_testing();
}
