/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/report/scene.h"

#include "report/memory/memory_bytes.h"

/* Memory of a made-up crash, searched and shown; the expected addresses follow from these bytes. */

/* 20000: 32 bytes; 20020: 8 bytes directly after them; 30003: 5 bytes. */
static const uint8_t first[32] = "abc\0hello\0\0\0\x10\x20\x01\x00\x11\x20\x01\x00xyz";
static const uint8_t second[8] = { 'w', 0, 'v', 0, 0xde, 0xad, 0x3d, 0xd8 };
static const uint8_t third[5] = { 0x00, 'a', 'b', 'c', 0x00 };

static uint8_t joined[sizeof(first) + sizeof(second)];	/* both of the memory that adjoins */

static struct scene scene;
static struct surroundings around;

static void
open_memory(bool big_endian)
{
	struct synth *synth = synth_create(big_endian ? ARCH_PPC : ARCH_X86, big_endian ? CRASH_OS_LINUX : CRASH_OS_WINDOWS, big_endian);
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct error error;
	size_t size;

	scene = (struct scene){ 0 };
	synth_memory(synth, 0x20000, first, sizeof(first), false);
	synth_memory(synth, 0x20020, second, sizeof(second), false);
	synth_memory(synth, 0x30003, third, sizeof(third), false);
	synth_memory(synth, 0x40000, "0123456789ABCDEF", 17, false);
	scene.bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&scene.crash, "test.dmp", scene.bytes, size, 0, &error);
	surroundings_init(&around, &scene.crash, NULL, NULL, &policy, NULL);
	arena_init(&scene.arena, 0);
	row_init(&scene.row, &scene.arena);
}

static void
close_memory(void)
{
	arena_free(&scene.arena);
	surroundings_free(&around);
	crash_free(&scene.crash);
	free(scene.bytes);
}

/* The addresses of all hits in hexadecimal, or the error; searched in slices of `slice` bytes. */
static const char *
found(const char *pattern, bool everywhere, uint64_t from, uint64_t slice)
{
	static char text[300];
	struct memory_find *find = memory_find_create(&around, NULL, text_of(pattern), everywhere, from);
	size_t used = 0;

	while (memory_find_work(find, slice))
		continue;
	text[0] = '\0';
	if (find->wrong != NULL)
		snprintf(text, sizeof(text), "%s", find->wrong);
	for (size_t i = 0; i < find->count && used < sizeof(text) - 20; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%llx", i > 0 ? " " : "", (unsigned long long)find->hits[i]);
	memory_find_free(find);
	return text;
}

static void
test_patterns(void)
{
	is_str(found("\"abc\"", false, 0, 1000), "20000 30004", "a text is found in every region");
	is_str(found("\"abc\"", false, 0x20001, 1000), "30004", "a text is found from an address on");
	is_str(found("\"abc\"", false, 0, 1), "20000 30004", "slices of a byte find the same");
	is_str(found("\"hello\"", false, 0, 2), "20004", "a text that is longer than a slice is found");
	is_str(found("\"x\"", false, 0, 1000), "20014", "a letter is found once");
	is_str(found("\"zw\"", false, 0, 1000), "", "a text is not made up of what is apart");
	is_str(found("u\"wv\"", false, 0, 3), "20020", "UTF-16 is two bytes a letter");
	is_str(found("u\"wx\"", false, 0, 1000), "", "every letter of UTF-16 is compared");
	is_str(found("\"xy\xff\"", false, 0, 1000), "", "a byte that is not UTF-8 is compared as it is");
	is_str(found("", false, 0, 1000), "expected a value, \"text\", u\"text\" or bytes", "an empty pattern is refused");
	is_str(found("  \"hello\" ", false, 0, 1000), "20004", "blanks around a text are left out");
	is_str(found("u", false, 0, 1000), "", "a letter alone is a text");
	char longest[1030];
	for (int size = 1024; size < 1026; size++) {
		snprintf(longest, sizeof(longest), "\"%0*d\"", size, 0);
		is_str(found(longest, false, 0, 1000), size == 1024 ? "" : "the text is too long: the maximum is 1024 bytes",
		       "a text of %d bytes", size);
		snprintf(longest, sizeof(longest), "u\"%0*d\"", size - 512, 0);
		is_str(found(longest, false, 0, 1000), size == 1024 ? "" : "the text is too long: the maximum is 1024 bytes",
		       "%d letters of UTF-16", size - 512);
		/* U+FFFF takes two bytes, U+10000 four. */
		snprintf(longest, sizeof(longest), "u\"%0*d%s\"", size - 513, 0, size == 1024 ? "\xef\xbf\xbf" : "\xf0\x90\x80\x80");
		is_str(found(longest, false, 0, 1000), size == 1024 ? "" : "the text is too long: the maximum is 1024 bytes",
		       "%d letters of UTF-16 before a last one", size - 513);
	}
	is_str(found("de ad", false, 0, 1000), "20024", "bytes are found by their digits");
	is_str(found("61  62 63", false, 0, 1000), "20000 30004", "several blanks may be between bytes");
	/* 10 20, 00 10 and 61 62 63 are there. */
	is_str(found("10 2", false, 0, 1000), "", "each byte has two digits");
	is_str(found("6162 63", false, 0, 1000), "", "no byte has four digits");
	is_str(found("g0 10", false, 0, 1000), "", "the first digit of bytes is hexadecimal");
	is_str(found("1g 20", false, 0, 1000), "", "the second digit of bytes is hexadecimal");
	is_str(found("12010", false, 0, 1000), "2000c", "a value is a word of the dump's order");
	is_str(found("0x00012011", false, 0, 1000), "20010", "a value is found in any spelling");
	is_str(found("61000120", false, 0, 1000), "", "words are at multiples of their size");
	is_str(found("20110001", false, 0, 1000), "", "words are not found between multiples of their size");
	is_str(found("20110001", true, 0, 1000), "2000e", "words are found at every byte if every byte is searched");
	/* Zeros are at 20009 to 2000b and 20017 to 2001f. */
	is_str(found("00 00 00", false, 0, 1000), "20009 20017 20018 20019 2001a 2001b 2001c 2001d", "hits may be at any address");
	is_str(found("78 79 7a 00 00 00 00 00 00 00 00 00 77 00", false, 0, 5), "20014",
	       "bytes that continue in the next region are found");
	is_str(found("\"abc", false, 0, 1000), "unterminated text: '\"' is missing", "a text without end is wrong");
	is_str(found("\"\"", false, 0, 1000), "no text between the quotes", "a text between adjacent quotes is refused");
	is_str(found("hello", false, 0, 1000), "20004", "a word that is no value is text");
	is_str(found("abc", false, 0, 1000), "", "a number is not text");
	is_str(found("y-z", false, 0, 1000), "", "bytes between the terms of a sum are not text");
	is_str(found("$hello", false, 0, 1000), "there is no register '$hello'", "a name with a $ is a register's");
	is_str(found("$esp + hello", false, 0, 1000), "register '$esp' has no value in this frame",
	       "a text with a register and a sign is a sum");
	is_str(found("hello + $esp", false, 0, 1000), "'hello' is not a number, a register or a known function",
	       "the register of such a sum may come last");
	is_str(found("esp", false, 0, 1000), "register 'esp' has no value in this frame", "a register without value is no text");
}

static void
test_overlap(void)
{
	/* The surrogates DBFF and DFFF are U+10FFFF, D800 and DC00 are U+10000 (Unicode 3.9, D91). */
	static const uint8_t pair[8] = { 0xff, 0xdb, 0xff, 0xdf, 0x00, 0xd8, 0x00, 0xdc };
	static uint8_t same[64];
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct error error;
	size_t size;

	scene = (struct scene){ 0 };
	memset(same, 'x', sizeof(same));
	synth_memory(synth, 0x1000, same, sizeof(same), false);
	synth_memory(synth, 0x2000, pair, sizeof(pair), false);
	scene.bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&scene.crash, "test.dmp", scene.bytes, size, 0, &error);
	surroundings_init(&around, &scene.crash, NULL, NULL, &policy, NULL);
	struct memory_find *find = memory_find_create(&around, NULL, text_of("\"xxxx\""), false, 0);
	memory_find_work(find, UINT64_MAX);
	is_u64(find->count, 61, "hits that overlap are hits");
	memory_find_free(find);
	find = memory_find_create(&around, NULL, text_of("78787878"), false, 0);
	while (memory_find_work(find, 7))
		continue;
	is_u64(find->count, 16, "4-byte words are at every fourth byte");
	memory_find_free(find);
	is_str(found("u\"\xf4\x8f\xbf\xbf\"", false, 0, 1000), "2000", "the last letter of two units is found");
	is_str(found("u\"\xf0\x90\x80\x80\"", false, 0, 1000), "2004",
	       "the first letter of two units is found, in memory that ends with it");
	is_str(found("\"x\"", false, 0x103f, 1000), "103f", "a search from the last byte of memory begins with it");
	close_memory();
}

/* The `size` bytes from `at` on of the memory at 20000 to 20027, searched as bytes or as a word: in slices of some sizes, from
 * and up to each address near the ends of what is there, the hits are those that a comparison at each address finds. */
static bool
finds_all(size_t at, unsigned size, bool word, bool everywhere)
{
	static const uint64_t slices[] = { 1, 3, 1000 }, bounds[] = { 0, 0x1ffff, 0x20000, 0x20001, 0x2001d, 0x2001f, 0x20020,
		0x20021, 0x20025, 0x20027, 0x20028, 0x30003, 0x30006, 0x30007, 0x30008, UINT64_MAX };
	const struct { uint64_t base; const uint8_t *bytes; size_t size; } runs[] = {
		{ 0x20000, joined, 40 }, { 0x30003, third, 5 }, { 0x40000, (const uint8_t *)"0123456789ABCDEF", 17 } };
	char text[40] = "";
	bool good = true;

	for (unsigned i = 0; i < size; i++)
		snprintf(text + strlen(text), 4, word ? "%02x" : "%02x ", joined[word ? at + size - 1 - i : at + i]);
	for (size_t trial = 0; trial < ARRAY_COUNT(slices) * ARRAY_COUNT(bounds) * ARRAY_COUNT(bounds); trial++) {
		const uint64_t slice = slices[trial % ARRAY_COUNT(slices)];
		const uint64_t from = bounds[trial / ARRAY_COUNT(slices) % ARRAY_COUNT(bounds)];
		const uint64_t last = bounds[trial / ARRAY_COUNT(slices) / ARRAY_COUNT(bounds)];
		struct memory_find *find = memory_find_create(&around, NULL, text_of(text), everywhere, from);
		uint64_t looked = 0;
		size_t count = 0;

		find->last = last;
		while (memory_find_work(find, slice))
			continue;
		for (size_t n = 0; n < ARRAY_COUNT(runs); n++) {
			for (uint64_t i = runs[n].base; i < runs[n].base + runs[n].size; i++)
				looked += i >= from && i <= last;
			for (size_t i = 0; i + size <= runs[n].size; i++) {
				const uint64_t address = runs[n].base + i;
				if (address < from || address + size - 1 > last || (word && !everywhere && address % size != 0) ||
				    memcmp(runs[n].bytes + i, joined + at, size) != 0)
					continue;
				good &= count < find->count && find->hits[count] == address;
				count++;
			}
		}
		/* The memory at 20020 is a run of its own. Whole runs count, from the one with the first address on. */
		const uint64_t total = (from < 0x20020 ? 32u : 0) + (from < 0x20028 ? 8u : 0) + (from < 0x30008 ? 5u : 0) +
				       (from < 0x40011 ? 17u : 0);
		good &= count == find->count && !find->stopped && find->total == total;
		if (slice == 1000 && (last < 0x20020 || last > 0x20027))
			good &= find->looked == looked;
		memory_find_free(find);
	}
	return good;
}

static void
test_all(void)
{
	memcpy(joined, first, sizeof(first));
	memcpy(joined + sizeof(first), second, sizeof(second));
	for (unsigned size = 2; size <= 6; size += 2) {
		bool good = true;
		for (size_t at = 0; at + size <= sizeof(joined); at++)
			good &= finds_all(at, size, false, false);
		ok(good, "%u bytes are found wherever they are, from and up to each address", size);
	}
	for (size_t at = 28; at <= 36; at++)
		ok(finds_all(at, 4, true, false) && finds_all(at, 4, true, true),
		   "a word is found at multiples of its size, or wherever it is, %zu", at);
}

/* A search ends after its maximum of hits. */
static void
test_most(void)
{
	static uint8_t zeros[MEMORY_FIND_HITS + 1];

	for (size_t more = 0; more < 2; more++) {
		const struct memory_region region = { .base = 0x5000 };
		const struct memory_run run = { 0x5000, MEMORY_FIND_HITS + more, zeros, &region };
		const struct crash crash = { .threads = NULL };
		struct surroundings made = { .crash = &crash, .memory = { .crash = &crash, .runs = &run, .count = 1 } };
		struct memory_find *find = memory_find_create(&made, NULL, text_of("00 00"), false, 0);

		find->size = 1;
		memory_find_work(find, UINT64_MAX);
		ok(find->count == MEMORY_FIND_HITS && find->stopped == (more == 1) && find->done, "%zu hits more than the maximum", more);
		memory_find_free(find);
	}
}

/* Each part of a text in runs of two, one, one and four bytes that adjoin is found once, at its address. */
static void
test_small_runs(void)
{
	static const uint8_t letters[] = "abcdefgh";
	const struct memory_region region = { .base = 0x1000 };
	const struct memory_run runs[] = { { 0x1000, 2, letters, &region }, { 0x1002, 1, letters + 2, &region },
					   { 0x1003, 1, letters + 3, &region }, { 0x1004, 4, letters + 4, &region } };
	const struct crash crash = { .threads = NULL };
	struct surroundings made = { .crash = &crash, .memory = { .crash = &crash, .runs = runs, .count = 4 } };

	for (int part = 0; part < 64; part++) {
		char text[12];
		const int at = part % 8, size = part / 8 + 1;

		snprintf(text, sizeof(text), "\"%.*s\"", size, (const char *)letters + at);
		struct memory_find *find = memory_find_create(&made, NULL, text_of(text), false, 0);
		while (at + size <= 8 && memory_find_work(find, 1 + (uint64_t)part % 3))
			continue;
		ok(at + size > 8 || (find->count == 1 && find->hits[0] == 0x1000 + (uint64_t)at), "%s is found once", text);
		memory_find_free(find);
	}
}

static void
test_stop(void)
{
	open_memory(false);
	struct memory_find *find = memory_find_create(&around, NULL, text_of("\"abc\""), false, 0);
	memory_find_work(find, 8);
	find->stopped = find->done = true;
	ok(!memory_find_work(find, 1000), "a search that was stopped stays so");
	is_u64(find->count, 1, "a stopped search keeps its results");
	memory_find_free(find);
	crash_redact(&scene.crash, true);
	is_str(found("\"abc\"", false, 0, 1000), "process memory is omitted (--redact)", "redacted memory is not searched");
	close_memory();
}

/* The explanation of a hit ends with its place in the file, where the searched bytes are. */
static void
test_places(void)
{
	struct memory_find *find = memory_find_create(&around, NULL, text_of("\"abc\""), false, 0);
	size_t right = 0;

	memory_find_work(find, UINT64_MAX);
	const struct listing listing = memory_find_listing(find, &scene.arena);
	for (size_t i = 0; i < listing.count; i++) {
		const char *text = scene_explain(&scene, &listing, i);
		const char *place = strstr(text, "test.dmp+0x");

		right += text[0] == '1' + (char)i && strncmp(text + 1, " of 2   000", 11) == 0 && place != NULL &&
			 memcmp(scene.bytes + strtoul(place + 9, NULL, 16), "abc", 3) == 0;
	}
	is_u64(right, 2, "the place of each hit has the bytes that were searched");
	row_clear(&scene.row);
	listing_head(&listing, 0, &scene.row);
	is_str(row_text(&scene.row), " address   whose memory                  bytes", "the columns have names");
	is_str(scene_row(&scene, &listing, 0, 0),
	       " 00020000  memory                        abc.hello.... ... ..xyz.........", "a hit has 32 bytes");
	is_str(scene_row(&scene, &listing, 1, 0), " 00030004  memory                        abc.",
	       "a hit at the end of memory has its bytes");
	is_u64(listing_target(&listing, 1).address, 0x30004, "a hit leads to its memory");
	memory_find_free(find);
}

static const char *
shown(unsigned unit, uint64_t address)
{
	const struct memory_bytes_options options = { .around = &around, .address = address, .unit = unit };
	const struct listing listing = memory_bytes_listing(&options, &scene.arena);

	return scene_row(&scene, &listing, memory_bytes_row(&listing, address), 0);
}

static void
test_bytes(void)
{
	const struct memory_bytes_options options = { .around = &around, .unit = 1 };

	open_memory(false);
	const struct listing listing = memory_bytes_listing(&options, &scene.arena);
	is_u64(listing.count, 4 + 2 + 1 + 1 + 2, "each region has a row of its own and the rows of its bytes");
	/* After the row of a region, those of its bytes have the next 16 or the rest. */
	unsigned long next = 0, end = 0, low, last, at;
	for (size_t i = 0; i < listing.count; i++) {
		const bool head = strstr(scene_explain(&scene, &listing, i), " bytes") != NULL;
		const char *text = row_text(&scene.row), *place = strstr(text, "test.dmp+0x");

		if (strstr(text, "dump; ") != NULL)
			text = strstr(text, "dump; ") + 6;
		sscanf(text, "%lx-%lx", &low, &last);
		at = place != NULL ? strtoul(place + 11, NULL, 16) : 0;
		ok(head || (low == next && last == ((low | 15) < end ? low | 15 : end)), "row %zu: %s", i, text);
		const struct target target = listing_target(&listing, i);
		is_u64(target.place.offset, at, "row %zu leads to its place", i);
		ok(head || target.place.length == last - low + 1, "the place of row %zu has its bytes", i);
		next = head ? low : last + 1;
		end = head ? last : end;
	}
	is_str(shown(1, 0x20000), " 20000  61 62 63 00 68 65 6c 6c 6f 00 00 00 10 20 01 00 abc.hello.... ..",
	       "bytes are shown with their letters");
	is_str(shown(4, 0x20000), " 20000  00636261 6c6c6568 0000006f 00012010  abc.hello.... ..", "words are those of the dump's order");
	/* 30003 is the second byte of its value, 30007 the last byte of the memory. */
	is_str(shown(2, 0x30004), " 30000       ???? 6261 0063                         .abc.        ",
	       "a value with missing bytes is not a hit");
	is_str(shown(1, 0x20030), " 0xffdb bytes are not in the dump; 30003-30007 5 bytes",
	       "an address between two regions is in the hole");
	close_memory();
}

int
main(void)
{
	open_memory(false);
	test_patterns();
	test_all();
	test_places();
	close_memory();
	test_overlap();
	test_most();
	test_small_runs();
	test_stop();
	test_bytes();
	open_memory(true);
	is_str(found("10200100", false, 0, 1000), "2000c", "the highest byte is the first in a big-endian dump");
	is_str(found("u\"\xe6\x85\xa2\"", false, 0, 1000), "20000 30004", "UTF-16 has the byte order of the dump: U+6162");
	is_str(shown(4, 0x20000), " 20000  61626300 68656c6c 6f000000 10200100  abc.hello.... ..",
	       "memory of a big-endian dump is shown in its order");
	close_memory();
	return done_testing();
}
