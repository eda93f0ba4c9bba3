/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/reader.h"
#include "tests/lib/tap.h"
#include "tests/unit/dump/open.h"

static struct synth *
make_dump(bool big_endian)
{
	struct synth *synth = synth_create(ARCH_ARM64, CRASH_OS_MAC, big_endian);

	synth_module(synth, 0x1000, 0x1000, "/Applications/Test", "Test", "5A9832E5287241C1838ED98914E9B7FF0");
	synth_module(synth, 0x3000, 0x1000, "/usr/lib/libtest", "libtest", NULL);
	synth_crashpad(synth, -1, "channel", "beta");
	synth_crashpad(synth, -1, "ver", "1.2.3");
	synth_crashpad(synth, 1, "abort_message", "it failed");
	synth_address_mask(synth, 0xffff800000000000);
	return synth;
}

TEST_BOTH(annotations, big_endian)
{
	struct opened opened;

	open_synth(&opened, make_dump(big_endian));
	is_str(value_of(&opened.crash, "crashpad", "channel"), "beta", "simple annotations are read");
	is_str(value_of(&opened.crash, "crashpad", "ver"), "1.2.3", "all of them");
	is_str(value_of(&opened.crash, "crashpad module libtest", "abort_message"), "it failed", "those of modules name their module");
	is_u64(opened.crash.address_mask, 0xffff800000000000, "the address mask is read");
	is_str(value_of(&opened.crash, "crashpad", "report_id"),
	       "00000000-0000-0000-0000-000000000000", "and the ids of report and client");
	is_u64(message_total(&opened.crash.messages), 0, "nothing is wrong");
	close_synth(&opened);
}

/* A module's lists and annotation objects, laid out by hand in a stream of their own. */
TEST(objects)
{
	struct synth *synth = make_dump(false);
	uint8_t raw[128] = { 0 };
	struct opened opened;

	synth_stream(synth, 0x12345678, raw, sizeof(raw));
	open_synth(&opened, synth);
	uint8_t *scratch = stream_bytes(&opened, 0x12345678);
	size_t base = (size_t)(scratch - opened.bytes);
	/* Strings "name" @0, "text" @12, bytes 0a ff @24; list @32; objects @40. */
	put_le(scratch, 4, 4);
	memcpy(scratch + 4, "name", 5);
	put_le(scratch + 12, 4, 4);
	memcpy(scratch + 16, "text", 5);
	put_le(scratch + 24, 2, 4);
	memcpy(scratch + 28, "\x0a\xff", 2);
	put_le(scratch + 32, 1, 4);
	put_le(scratch + 36, base + 12, 4);
	put_le(scratch + 40, 2, 4);
	put_le(scratch + 44, base, 4);
	scratch[48] = 1;
	put_le(scratch + 52, base + 12, 4);
	put_le(scratch + 56, base, 4);
	scratch[61] = 0x80;
	put_le(scratch + 64, base + 24, 4);
	uint8_t *info = stream_bytes(&opened, 0x43500001);
	const uint64_t links = reader_number(info + 48, 4, false);
	const uint64_t module = reader_number(opened.bytes + links + 4 + 8, 4, false);
	put_le(opened.bytes + module + 4, 8, 4);
	put_le(opened.bytes + module + 8, base + 32, 4);
	put_le(opened.bytes + module + 20, 28, 4);
	put_le(opened.bytes + module + 24, base + 40, 4);
	open_again(&opened);
	is_str(value_of(&opened.crash, "crashpad module Test", "[0]"), "text", "lists are numbered");
	size_t named = 0;
	const char *last = NULL;
	for (size_t i = 0; i < opened.crash.annotation_count; i++) {
		if (strcmp(opened.crash.annotations[i].key, "name") == 0) {
			last = opened.crash.annotations[i].value;
			named += strcmp(last, "text") == 0;
		}
	}
	is_u64(named, 1, "an annotation object of type string is text");
	is_str(last, "0aff", "one of a user's own type is shown in hexadecimal");
	close_synth(&opened);
}

TEST(lies)
{
	struct opened opened;

	open_synth(&opened, make_dump(false));
	uint8_t *info = stream_bytes(&opened, 0x43500001);
	const uint64_t rva = reader_number(info + 40, 4, false);
	opened.bytes[rva + 3] = 0xff;
	open_again(&opened);
	is_str(value_of(&opened.crash, "crashpad", "channel"), "beta", "a dictionary that claims 2^32 entries has those that fit");
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 1, "with a message");
	memset(opened.bytes + rva + 4, 0xee, 4);
	open_again(&opened);
	is_str(value_of(&opened.crash, "crashpad", "ver"), "1.2.3", "a key that lies nowhere costs itself");
	memset(info + 36, 0xff, 8);
	memset(info + 44, 0xff, 8);
	open_again(&opened);
	ok(opened.crash.address_mask != 0 && value_of(&opened.crash, "crashpad", "ver") == NULL, "lists that lie nowhere are left out");
	info[0] = 0;
	open_again(&opened);
	is_u64(opened.crash.messages.seen[MESSAGE_ENTRY_BROKEN], 3, "version 0 is a message, too");
	close_synth(&opened);
}

/* crashpad_info.h: version 1 ends with the list of modules; later versions added the mask. */
TEST(sizes)
{
	static const uint32_t sizes[] = { 1, 4, 43, 44, 52, 56, 63, 64 };

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		struct synth *synth = synth_create(ARCH_ARM64, CRASH_OS_MAC, false);
		uint8_t info[64] = { 1 };
		struct opened opened;

		info[60] = 0x80;
		synth_stream(synth, 0x43500001, info, sizes[i]);
		open_synth(&opened, synth);
		is_u64(opened.crash.messages.seen[MESSAGE_STREAM_BROKEN], sizes[i] < 44,
		       "%u bytes are %s", (unsigned)sizes[i], sizes[i] < 44 ? "too few" : "enough");
		is_u64(opened.crash.address_mask, sizes[i] < 64 ? 0 : UINT64_C(0x8000000000),
		       "and the mask is %s", sizes[i] < 64 ? "not there" : "read");
		close_synth(&opened);
	}
}
