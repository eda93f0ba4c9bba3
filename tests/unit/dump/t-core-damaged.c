/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defects in the headers of an ELF core (the gABI): each gives a message with its place, and the rest of the core is read. */
#include "dump/dump.h"
#include "tests/lib/corefile.h"
#include "tests/lib/tap.h"

static uint8_t memory[64];

/* A core of x86-64 with one thread and three pieces of memory. */
static void
make(struct corefile *core, bool wide, bool big_endian)
{
	uint8_t status[336] = { 0 };

	*core = (struct corefile){ .wide = wide, .big_endian = big_endian,
				   .machine = wide ? 62 : 8 };
	corefile_note(core, "CORE", 1, status, wide ? 336 : 256);
	corefile_memory(core, 0x1000, 64, 6, memory, 64);
	corefile_memory(core, 0x3000, 0x1000, 5, memory, 16);
	corefile_memory(core, wide ? 0xfffffffffffff000 : 0xfffff000, 0x1000, 4, memory, 64);
	corefile_finish(core);
}

static const struct {
	const char *title;
	bool wide;
	unsigned at, size;		/* the replaced field */
	uint64_t value;
	enum message_kind kind;
	const char *text;		/* NULL: no message */
	unsigned offset;		/* the message's place */
	size_t regions;
} rows[] = {
	{ "a core of 64 bits", true, 0, 1, 0x7f, MESSAGE_LIMIT, NULL, 0, 3 },
	{ "one of 32 bits", false, 0, 1, 0x7f, MESSAGE_LIMIT, NULL, 0, 3 },
	{ "another size of program headers", true, 54, 2, 57, MESSAGE_STREAM_BROKEN,
	  "e_phentsize is 57, program headers have 56 bytes", 54, 3 },
	{ "another size in 32 bits", false, 42, 2, 33, MESSAGE_STREAM_BROKEN, "e_phentsize is 33, program headers have 32 bytes", 42, 3 },
	{ "fewer program headers", true, 56, 2, 3, MESSAGE_LIMIT, NULL, 0, 2 },
	{ "one program header", true, 56, 2, 1, MESSAGE_LIMIT, NULL, 0, 0 },
	{ "no program header", true, 56, 2, 0, MESSAGE_LIMIT, NULL, 0, 0 },
	{ "a wrong size without program headers", true, 54, 4, 57, MESSAGE_LIMIT, NULL, 0, 0 },
	{ "a last byte at the end of all addresses", true, 64 + 3 * 56 + 40, 8, 0x1000, MESSAGE_LIMIT, NULL, 0, 3 },
};

static const struct message *
message_of(const struct crash *crash, enum message_kind kind)
{
	for (size_t i = 0; i < crash->messages.count; i++)
		if (crash->messages.messages[i].kind == kind)
			return &crash->messages.messages[i];
	return NULL;
}

TEST(each_row)
{
	static struct corefile core;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct crash crash;
		struct error error;

		make(&core, rows[i].wide, !rows[i].wide);
		corefile_put(&core, core.bytes, rows[i].at, rows[i].size, rows[i].value);
		dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
		const struct message *message = message_of(&crash, rows[i].kind);
		if (rows[i].text == NULL)
			ok(message == NULL && message_of(&crash, MESSAGE_STREAM_BROKEN) == NULL,
			   "%s: the header is as it should be", rows[i].title);
		else
			ok(message != NULL && strncmp(message->text, rows[i].text, strlen(rows[i].text)) == 0 &&
			   message->place.offset == rows[i].offset, "%s: it is a message", rows[i].title);
		is_u64(crash.region_count, rows[i].regions, "%s: so much memory is read", rows[i].title);
		crash_free(&crash);
	}
}

/* More program headers than fit into the file: those that fit are read. */
TEST(too_many)
{
	static struct corefile core;
	struct crash crash;
	struct error error;
	char text[200];

	make(&core, true, false);
	const uint64_t room = (core.size - 64) / 56;
	corefile_put(&core, core.bytes, 56, 2, 60000);
	dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
	snprintf(text, sizeof(text), "the header claims 60000 segments, the file has room for %u", (unsigned)room);
	const struct message *message = message_of(&crash, MESSAGE_TRUNCATED);
	bool found = false;
	for (size_t i = 0; i < crash.messages.count; i++)
		found |= strncmp(crash.messages.messages[i].text, text, strlen(text)) == 0;
	ok(message != NULL && found, "the message says how many there is room for");
	crash_free(&crash);
}

/* A file of 1 MB could have 12,000 segments with the same 500 threads. */
TEST(shared_notes)
{
	enum { HEADERS = 64, HEADER = 56, OFFSET = 8, FILE_SIZE = 32 };
	static struct corefile core;
	struct crash crash;
	struct error error;
	uint64_t at = 0;

	make(&core, true, false);
	memcpy(&at, core.bytes + HEADERS + OFFSET, sizeof(at));
	for (unsigned i = 1; i < 4; i++) {
		uint8_t *header = core.bytes + HEADERS + i * HEADER;
		memcpy(header, core.bytes + HEADERS, HEADER);
		corefile_put(&core, header, FILE_SIZE, 8, core.size - at);
	}
	dump_from_memory(&crash, "core", core.bytes, core.size, 0, &error);
	const struct message *message = message_of(&crash, MESSAGE_LIMIT);
	ok(message != NULL && strncmp(message->text, "the PT_NOTE segments share bytes", 32) == 0,
	   "a segment of notes that were read before has a message");
	is_u64(message != NULL ? message->place.offset : 0, HEADERS + HEADER, "the message is at the first segment that is skipped");
	is_u64(crash.thread_count, 1, "each note is read once");
	crash_free(&crash);
}
