/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/reader.h"
#include "crash/memory.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static const uint8_t bytes[64] = { 9, 8, 7, 6 };

TEST_BOTH(lists, big_endian)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, big_endian);
	struct opened opened;

	synth_memory(synth, 0x5000, bytes, 16, false);
	synth_memory(synth, 0x4000, bytes, 32, true);
	synth_memory(synth, 0x3000, bytes, 64, false);
	synth_memory(synth, 0x6000, bytes + 1, 8, true);
	open_synth(&opened, synth);
	const struct memory_region *region = opened.crash.regions;
	is_u64(opened.crash.region_count, 4, "regions of both lists are read");
	ok(region[0].base == 0x3000 && region[1].base == 0x4000 && region[2].base == 0x5000 &&
	   region[3].base == 0x6000, "regions of both lists are sorted by base");
	ok(!region[0].memory64 && region[1].memory64, "a region is marked with its list");
	ok(region[1].size == 32 && region[1].available == 32, "a region has its size");
	is_u64(region[3].data[0], 8, "bytes of the 64-bit list follow each other");
	is_u64(region[3].offset, region[1].offset + 32, "regions of the 64-bit list have consecutive offsets");
	is_u64(message_total(&opened.crash.messages), 0, "good regions have no message");
	close_synth(&opened);
}

TEST(truncation)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_memory(synth, 0x4000, bytes, 16, true);
	synth_memory(synth, 0x5000, bytes, 64, true);
	open_synth(&opened, synth);
	uint8_t *list = stream_bytes(&opened, 9);
	/* Move the data so that the file ends inside the second block. */
	uint64_t base = opened.size - 40;
	put_le(list + 8, base, 8);
	open_again(&opened);
	ok(opened.crash.regions[0].available == 16 && opened.crash.regions[1].available == 24, "a region has only the bytes in the file");
	is_u64(opened.crash.regions[1].size, 64, "a truncated region keeps its full size");
	is_u64(opened.crash.messages.seen[MESSAGE_TRUNCATED], 1, "a truncated region is reported");
	base = UINT64_MAX - 20;
	put_le(list + 8, base, 8);
	open_again(&opened);
	is_u64(opened.crash.region_count, 1, "data beyond 2^64 ends the list");
	is_u64(opened.crash.regions[0].available, 0, "a range past the end of the file has no bytes");
	list[7] = 0x80;
	open_again(&opened);
	is_u64(opened.crash.messages.seen[MESSAGE_STREAM_BROKEN], 1, "a count of 2^63 is cut to the entries in the file");
	close_synth(&opened);
}

TEST(lies)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_memory(synth, 0x4000, bytes, 32, false);
	synth_memory(synth, 0x4010, bytes, 32, false);
	synth_memory(synth, UINT64_MAX - 15, bytes, 16, false);
	synth_memory(synth, UINT64_MAX - 15, bytes, 17, false);
	synth_memory(synth, 0x9000, bytes, 0, false);
	open_synth(&opened, synth);
	is_u64(opened.crash.messages.seen[MESSAGE_REGION_OVERLAP], 1, "regions that overlap with other bytes are reported");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 1, "a region that wraps is reported");
	is_u64(opened.crash.region_count, 3, "a region that ends at 2^64 is read, an empty one is not");
	close_synth(&opened);
}

TEST(shared_bytes)
{
	const uint64_t registers[17] = { 0 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct opened opened;

	synth_thread(synth, 1, registers, 0x4000, bytes, 64);
	synth_memory(synth, 0x4000, bytes, 64, false);
	synth_memory(synth, 0x4020, bytes + 32, 16, false);
	open_synth(&opened, synth);
	uint8_t *list = stream_bytes(&opened, 5);
	put_le(list + 4 + 16 + 12, reader_number(list + 4 + 12, 4, false) + 32, 4);
	open_again(&opened);
	is_u64(opened.crash.messages.seen[MESSAGE_REGION_OVERLAP], 0, "regions with the same bytes of the file do not overlap");
	close_synth(&opened);
}

/* Regions that overlap: the larger one gives the byte at an address, in one run each. */
TEST(larger)
{
	uint8_t ones[64], twos[32], threes[8];
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	struct memory_view view;
	struct opened opened;
	struct arena arena = { 0 };
	uint64_t value;

	memset(ones, 1, sizeof(ones));
	memset(twos, 2, sizeof(twos));
	memset(threes, 3, sizeof(threes));
	synth_memory(synth, 0x1000, twos, 32, false);
	synth_memory(synth, 0x1010, ones, 64, true);
	synth_memory(synth, 0x1008, threes, 8, false);
	synth_memory(synth, 0x1048, twos, 32, true);
	open_synth(&opened, synth);
	memory_view_all(&view, &opened.crash, &arena);
	is_u64(view.count, 3, "regions inside larger ones are left out");
	ok(memory_read(&view, 0x100f, 1, &value, NULL) && value == 2, "a smaller region gives the bytes before a larger one");
	ok(memory_read(&view, 0x1010, 1, &value, NULL) && value == 1, "a smaller region ends where a larger one begins");
	ok(memory_read(&view, 0x104f, 1, &value, NULL) && value == 1, "a larger region has all of its bytes");
	ok(memory_read(&view, 0x1050, 1, &value, NULL) && value == 2, "a smaller region gives the bytes after a larger one");
	ok(!memory_read(&view, 0x1068, 1, &value, NULL), "an address after the last region has no byte");
	arena_free(&arena);
	close_synth(&opened);
}

TEST_BOTH(info, big_endian)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, big_endian);
	struct opened opened;

	synth_memory_info(synth, 0x20000, 0x1000, 0x1000, 0x104, 0x20000);
	synth_memory_info(synth, 0x10000, 0x4000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x30000, 0x9000, 0x10000, 1, 0);
	synth_memory_info(synth, 0x11000, 0x1000, 0x1000, 2, 0);
	open_synth(&opened, synth);
	const struct mapping *mapping = opened.crash.mappings;
	is_u64(opened.crash.mapping_count, 3, "a mapping that begins inside another one is left out");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 1, "a mapping that is left out is reported");
	ok(mapping[0].base == 0x10000 && mapping[0].size == 0x4000, "mappings are sorted");
	ok(mapping[0].readable && !mapping[0].writable && mapping[0].executable, "executable memory is readable and executable");
	is_str(mapping[0].text, "commit, execute-read, image", "a mapping has the words of Windows");
	ok(mapping[1].guard && !mapping[1].readable, "a guard page cannot be read");
	is_str(mapping[1].text, "commit, read-write, guard, private", "a guard page has the word");
	ok(mapping[2].free, "free memory is marked");
	close_synth(&opened);
}
