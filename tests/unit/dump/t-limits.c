/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits of minidumps: if a limit is reached, all entries are there and no message mentions it; if
 * it is exceeded by one, a message does, and the rest is there. Layouts: minidumpapiset.h.
 */
#include "base/limits.h"
#include "dump/dump.h"
#include "tests/lib/tap.h"

#define HEADER 32u
#define ENTRY 12u
/* The size of an empty string with a count, which follows the header and the directory. */
#define NAME 8u

struct bytes {
	uint8_t *data;
	size_t size;
};

static void
put(uint8_t *at, uint64_t value, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A dump with this number of entries in its directory, followed by `more` bytes. */
static struct bytes
begin(uint32_t streams, size_t more)
{
	const size_t size = HEADER + (size_t)streams * ENTRY + NAME + more;
	struct bytes bytes = { calloc(1, size), size };

	if (bytes.data == NULL)
		abort();
	memcpy(bytes.data, "MDMP\x93\xa7", 6);
	put(bytes.data + 8, streams, 4);
	put(bytes.data + 12, HEADER, 4);
	return bytes;
}

static void
fill_module(uint8_t *entry, uint64_t number)
{
	put(entry, (number + 1) * 0x1000, 8);
	put(entry + 8, 0x1000, 4);
	put(entry + 20, HEADER + ENTRY, 4);
}

static void
fill_unloaded(uint8_t *entry, uint64_t number)
{
	put(entry, (number + 1) * 0x1000, 8);
	put(entry + 8, 0x1000, 4);
	put(entry + 20, HEADER + ENTRY, 4);
}

static void
fill_thread(uint8_t *entry, uint64_t number)
{
	put(entry, number, 4);
}

static void
fill_region(uint8_t *entry, uint64_t number)
{
	put(entry, (number + 1) * 16, 8);
	put(entry + 8, 8, 4);
	put(entry + 12, 0, 4);
}

/* A stream that is a list: the sizes of its head and of its entries. */
static const struct {
	const char *name;
	uint32_t type, head, entry, limit;
	size_t count;			/* offset in struct crash */
	void (*fill)(uint8_t *entry, uint64_t number);
} lists[] = {
	{ "threads", 3, 4, 48, LIMIT_THREADS, offsetof(struct crash, thread_count), fill_thread },
	{ "modules", 4, 4, 108, LIMIT_MODULES, offsetof(struct crash, module_count), fill_module },
	{ "unloaded modules", 14, 12, 24, LIMIT_MODULES, offsetof(struct crash, unloaded_count),
	  fill_unloaded },
	{ "memory regions", 5, 4, 16, LIMIT_REGIONS, offsetof(struct crash, region_count),
	  fill_region },
};

/* Open a list with this number of entries; returns their count and whether a limit was reported. */
static uint64_t
count_list(size_t which, uint32_t entries, bool *told)
{
	const uint32_t head = lists[which].head, entry = lists[which].entry;
	const size_t stream = head + (size_t)entries * entry;
	struct bytes dump = begin(1, stream);
	uint8_t *start = dump.data + HEADER + ENTRY + NAME;
	struct error error;
	struct crash crash;
	size_t count;

	put(dump.data + HEADER, lists[which].type, 4);
	put(dump.data + HEADER + 4, stream, 4);
	put(dump.data + HEADER + 8, (uint64_t)(start - dump.data), 4);
	/* The head is a count, or its size, the size of an entry and a count. */
	put(start, head == 4 ? entries : head, 4);
	if (head != 4) {
		put(start + 4, entry, 4);
		put(start + 8, entries, 4);
	}
	for (uint32_t i = 0; i < entries; i++)
		lists[which].fill(start + head + (size_t)i * entry, i);
	dump_from_memory(&crash, "limits.dmp", dump.data, dump.size, 0, &error);
	memcpy(&count, (const char *)&crash + lists[which].count, sizeof(count));
	*told = crash.messages.seen[MESSAGE_LIMIT] > 0;
	crash_free(&crash);
	free(dump.data);
	return count;
}

TEST(streams)
{
	for (uint32_t more = 0; more < 2; more++) {
		struct bytes dump = begin(LIMIT_STREAMS + more, 0);
		struct error error;
		struct crash crash;

		dump_from_memory(&crash, "limits.dmp", dump.data, dump.size, 0, &error);
		is_u64(crash.stream_count, LIMIT_STREAMS, "%u more streams than allowed", more);
		is_u64(crash.messages.seen[MESSAGE_LIMIT], more,
		       "each stream over the limit is reported");
		crash_free(&crash);
		free(dump.data);
	}
}

enum {
	LIST = HEADER + ENTRY + NAME,
	MODULE = LIST + 4,
	MODULE_SIZE = 108,
	BEHIND_MODULE = MODULE + MODULE_SIZE,
};

/* A dump of one module, followed by `size` bytes. */
static struct bytes
begin_module(size_t size)
{
	struct bytes dump = begin(1, 4 + MODULE_SIZE + size);

	put(dump.data + HEADER, 4, 4);
	put(dump.data + HEADER + 4, 4 + MODULE_SIZE, 4);
	put(dump.data + HEADER + 8, LIST, 4);
	put(dump.data + LIST, 1, 4);
	fill_module(dump.data + MODULE, 0);
	return dump;
}

/*
 * A module's CodeView record with the most bytes, and with one more: PDB 7.0, the path up to the
 * end.
 */
TEST(codeview)
{
	for (uint32_t more = 0; more < 2; more++) {
		const uint32_t size = LIMIT_CODEVIEW + more;
		struct bytes dump = begin_module(size);
		struct error error;
		struct crash crash;

		put(dump.data + MODULE + 76, size, 4);
		put(dump.data + MODULE + 80, BEHIND_MODULE, 4);
		memset(dump.data + BEHIND_MODULE, 'a', size - 1);
		memcpy(dump.data + BEHIND_MODULE, "RSDS", 4);
		dump_from_memory(&crash, "limits.dmp", dump.data, dump.size, 0, &error);
		is_u64(crash.module_count, 1, "the module is read");
		is_u64(crash.module_count == 1 && crash.modules[0].debug_id[0] != '\0', more == 0,
		       "a CodeView record of %u bytes %s", size,
		       more == 0 ? "is read" : "is not read");
		is_u64(crash.messages.seen[MESSAGE_ENTRY_BROKEN], more,
		       "a record over the limit is reported");
		crash_free(&crash);
		free(dump.data);
	}
}

/* A module's path in UTF-16 with the most bytes, and with one character more. */
TEST(string)
{
	for (uint32_t more = 0; more < 2; more++) {
		const uint32_t characters = LIMIT_STRING / 2 + more;
		struct bytes dump = begin_module(4 + 2 * characters);
		struct error error;
		struct crash crash;

		put(dump.data + MODULE + 20, BEHIND_MODULE, 4);
		put(dump.data + BEHIND_MODULE, 2 * characters, 4);
		for (uint32_t i = 0; i < characters; i++)
			put(dump.data + BEHIND_MODULE + 4 + 2 * i, i % 100 == 0 ? '/' : 'a', 2);
		dump_from_memory(&crash, "limits.dmp", dump.data, dump.size, 0, &error);
		is_u64(crash.module_count == 1 ? strlen(crash.modules[0].code_file) : 0,
		       LIMIT_STRING / 2, "a path of %u characters has %u", characters,
		       LIMIT_STRING / 2);
		is_u64(crash.messages.seen[MESSAGE_STRING_BROKEN], more,
		       "the cut text is reported");
		crash_free(&crash);
		free(dump.data);
	}
}

/*
 * A core of 64-bit x86 whose only segment has this number of empty notes (System V gABI, Note
 * Section). The program headers are a stream, and so is each note.
 */
TEST(core_notes)
{
	for (uint32_t more = 0; more < 2; more++) {
		const uint32_t count = LIMIT_CORE_NOTES - 1 + more;
		const size_t notes = 64 + 56, size = notes + (size_t)count * 12;
		uint8_t *file = calloc(1, size);
		struct error error;
		struct crash crash;

		if (file == NULL)
			abort();
		memcpy(file, "\177ELF\2\1\1", 7);
		put(file + 16, 4, 2);		/* ET_CORE */
		put(file + 18, 62, 2);		/* EM_X86_64 */
		put(file + 20, 1, 4);
		put(file + 32, 64, 8);
		put(file + 54, 56, 2);
		put(file + 56, 1, 2);
		put(file + 64, 4, 4);		/* PT_NOTE */
		put(file + 64 + 8, notes, 8);
		put(file + 64 + 32, size - notes, 8);
		dump_from_memory(&crash, "limits.core", file, size, 0, &error);
		ok(crash.core, "%u notes are a core", count);
		is_u64(crash.stream_count, LIMIT_CORE_NOTES, "%u notes are read",
		       LIMIT_CORE_NOTES - 1);
		is_u64(crash.messages.seen[MESSAGE_LIMIT], more,
		       "each note over the limit is reported");
		crash_free(&crash);
		free(file);
	}
}

int
main(void)
{
	run_tests();
	for (size_t i = 0; i < ARRAY_COUNT(lists); i++)
		for (uint32_t more = 0; more < 2; more++) {
			bool told;

			is_u64(count_list(i, lists[i].limit + more, &told), lists[i].limit,
			       "%u more %s than allowed", more, lists[i].name);
			ok(told == (more > 0), "a message reports that the limit is exceeded");
		}
	return done_testing();
}
