/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of minidumps: if a limit is reached, all entries are there and no message mentions it; if
 * it is exceeded by one, a message does, and the rest is there. Layouts: minidumpapiset.h. */
#include "base/limits.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

#define HEADER 32u
#define ENTRY 12u
/* The size of an empty string with a count, which follows the header and the directory. */
#define NAME 8u

/* A dump with this number of entries in its directory, followed by `more` bytes. */
static struct opened
begin(uint32_t streams, size_t more)
{
	const size_t size = HEADER + (size_t)streams * ENTRY + NAME + more;
	struct opened dump = { .bytes = calloc(1, size), .size = size };

	if (dump.bytes == NULL)
		abort();
	memcpy(dump.bytes, "MDMP\x93\xa7", 6);
	put_le(dump.bytes + 8, streams, 4);
	put_le(dump.bytes + 12, HEADER, 4);
	return dump;
}

static void
fill_module(uint8_t *entry, uint64_t number)
{
	put_le(entry, (number + 1) * 0x1000, 8);
	put_le(entry + 8, 0x1000, 4);
	put_le(entry + 20, HEADER + ENTRY, 4);
}

static void
fill_thread(uint8_t *entry, uint64_t number)
{
	put_le(entry, number, 4);
}

static void
fill_region(uint8_t *entry, uint64_t number)
{
	put_le(entry, (number + 1) * 16, 8);
	put_le(entry + 8, 8, 4);
	put_le(entry + 12, 0, 4);
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
	{ "unloaded modules", 14, 12, 24, LIMIT_MODULES, offsetof(struct crash, unloaded_count), fill_module },
	{ "memory regions", 5, 4, 16, LIMIT_REGIONS, offsetof(struct crash, region_count), fill_region },
};

TEST_EACH(lists, lists)
{
	for (uint32_t more = 0; more < 2; more++) {
		const uint32_t head = lists[i].head, entry = lists[i].entry;
		const uint32_t entries = lists[i].limit + more;
		const size_t stream = head + (size_t)entries * entry;
		struct opened dump = begin(1, stream);
		uint8_t *start = dump.bytes + HEADER + ENTRY + NAME;
		size_t count;

		put_le(dump.bytes + HEADER, lists[i].type, 4);
		put_le(dump.bytes + HEADER + 4, stream, 4);
		put_le(dump.bytes + HEADER + 8, (uint64_t)(start - dump.bytes), 4);
		/* The head is a count, or its size, the size of an entry and a count. */
		put_le(start, head == 4 ? entries : head, 4);
		if (head != 4) {
			put_le(start + 4, entry, 4);
			put_le(start + 8, entries, 4);
		}
		for (uint32_t k = 0; k < entries; k++)
			lists[i].fill(start + head + (size_t)k * entry, k);
		open_again(&dump);
		memcpy(&count, (const char *)&dump.crash + lists[i].count, sizeof(count));
		is_u64(count, lists[i].limit, "%u more %s than allowed", more, lists[i].name);
		ok((dump.crash.messages.seen[MESSAGE_LIMIT] > 0) == (more > 0), "a message reports that the limit is exceeded");
		close_synth(&dump);
	}
}

TEST_BOTH(streams, more)
{
	struct opened dump = begin(LIMIT_STREAMS + more, 0);

	open_again(&dump);
	is_u64(dump.crash.stream_count, LIMIT_STREAMS, "%u more streams than allowed", more);
	is_u64(dump.crash.messages.seen[MESSAGE_LIMIT], more, "each stream over the limit is reported");
	close_synth(&dump);
}

enum {
	LIST = HEADER + ENTRY + NAME, MODULE = LIST + 4, MODULE_SIZE = 108,
	BEHIND_MODULE = MODULE + MODULE_SIZE,
};

/* A dump of one module, followed by `size` bytes. */
static struct opened
begin_module(size_t size)
{
	struct opened dump = begin(1, 4 + MODULE_SIZE + size);

	put_le(dump.bytes + HEADER, 4, 4);
	put_le(dump.bytes + HEADER + 4, 4 + MODULE_SIZE, 4);
	put_le(dump.bytes + HEADER + 8, LIST, 4);
	put_le(dump.bytes + LIST, 1, 4);
	fill_module(dump.bytes + MODULE, 0);
	return dump;
}

/* A module's CodeView record with the most bytes, and with one more: PDB 7.0, the path up to the end. */
TEST_BOTH(codeview, more)
{
	const uint32_t size = LIMIT_CODEVIEW + more;
	struct opened dump = begin_module(size);
	const struct crash *crash = &dump.crash;

	put_le(dump.bytes + MODULE + 76, size, 4);
	put_le(dump.bytes + MODULE + 80, BEHIND_MODULE, 4);
	memset(dump.bytes + BEHIND_MODULE, 'a', size - 1);
	memcpy(dump.bytes + BEHIND_MODULE, "RSDS", 4);
	open_again(&dump);
	is_u64(crash->module_count, 1, "the module is read");
	is_u64(crash->module_count == 1 && crash->modules[0].debug_id[0] != '\0', !more,
	       "a CodeView record of %u bytes %s", size, more ? "is not read" : "is read");
	is_u64(crash->messages.seen[MESSAGE_ENTRY_BROKEN], more, "a record over the limit is reported");
	close_synth(&dump);
}

/* A module's path in UTF-16 with the most bytes, and with one character more. */
TEST_BOTH(string, more)
{
	const uint32_t characters = LIMIT_STRING / 2 + more;
	struct opened dump = begin_module(4 + 2 * characters);
	const struct crash *crash = &dump.crash;

	put_le(dump.bytes + MODULE + 20, BEHIND_MODULE, 4);
	put_le(dump.bytes + BEHIND_MODULE, 2 * characters, 4);
	for (uint32_t i = 0; i < characters; i++)
		put_le(dump.bytes + BEHIND_MODULE + 4 + 2 * i, i % 100 == 0 ? '/' : 'a', 2);
	open_again(&dump);
	is_u64(crash->module_count == 1 ? strlen(crash->modules[0].code_file) : 0,
	       LIMIT_STRING / 2, "a path of %u characters has %u", characters, LIMIT_STRING / 2);
	is_u64(crash->messages.seen[MESSAGE_STRING_BROKEN], more, "the cut text is reported");
	close_synth(&dump);
}

/* A core of 64-bit x86 whose only segment has this number of empty notes (System V gABI, Note
 * Section). The program headers are a stream, and so is each note. */
TEST_BOTH(core_notes, more)
{
	const uint32_t count = LIMIT_CORE_NOTES - 1 + more;
	const size_t notes = 64 + 56, size = notes + (size_t)count * 12;
	struct opened core = { .bytes = calloc(1, size), .size = size };
	uint8_t *file = core.bytes;

	if (file == NULL)
		abort();
	memcpy(file, "\177ELF\2\1\1", 7);
	put_le(file + 16, 4, 2);		/* ET_CORE */
	put_le(file + 18, 62, 2);		/* EM_X86_64 */
	put_le(file + 20, 1, 4);
	put_le(file + 32, 64, 8);
	put_le(file + 54, 56, 2);
	put_le(file + 56, 1, 2);
	put_le(file + 64, 4, 4);		/* PT_NOTE */
	put_le(file + 64 + 8, notes, 8);
	put_le(file + 64 + 32, size - notes, 8);
	open_again(&core);
	ok(core.crash.core, "%u notes are a core", count);
	is_u64(core.crash.stream_count, LIMIT_CORE_NOTES, "%u notes are read", LIMIT_CORE_NOTES - 1);
	is_u64(core.crash.messages.seen[MESSAGE_LIMIT], more, "each note over the limit is reported");
	close_synth(&core);
}
