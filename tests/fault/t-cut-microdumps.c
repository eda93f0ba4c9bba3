/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled crashes as microdumps walk as the minidumps do. Truncated at every line, one byte
 * before and after and at seeded other places, without single lines, with bytes changed and
 * compressed, they open, report the missing data, and the rest is walked. */
#include <zlib.h>

#include "dump/dump.h"
#include "tests/fault/damage.h"
#include "tests/lib/microtext.h"
#include "tests/lib/tap.h"
#include "walk/walk.h"

#define SEEDED_CUTS 60u
#define MUTATIONS 300u
#define PACKED_MUTATIONS 60u
#define PREFIX "02-25 07:54:01.688 F/google-breakpad(13589): "

struct subject {
	struct bundle bundle;
	uint8_t *dump;
	struct crash minidump;
	char *text;
	size_t size;
	uint64_t messages;		/* their number for the complete microdump */
};

static size_t
crashed_thread(const struct crash *crash)
{
	return crash->requesting_thread >= 0 ? (size_t)crash->requesting_thread : 0;
}

/* True if two crashes give the same frames when both are walked as Breakpad walks them. */
static bool
same_walk(const struct crash *a, size_t thread_a, const struct crash *b, const char *path)
{
	const struct policy policy = policy_column(POLICY_BREAKPAD);
	struct symbols *symbols_a = symbols_create(a->modules, a->module_count, &path, 1);
	struct symbols *symbols_b = symbols_create(b->modules, b->module_count, &path, 1);
	struct walk *walk_a = walk_create(a, symbols_a, NULL, thread_a, &policy);
	struct walk *walk_b = walk_create(b, symbols_b, NULL, 0, &policy);

	walk_run(walk_a, 200);
	walk_run(walk_b, 200);
	bool same = walk_a->count == walk_b->count && walk_a->count > 1;
	for (size_t i = 0; same && i < walk_a->count; i++)
		same = walk_a->frames[i].trust == walk_b->frames[i].trust &&
		       walk_a->frames[i].registers.known == walk_b->frames[i].registers.known &&
		       memcmp(walk_a->frames[i].registers.value, walk_b->frames[i].registers.value,
			      sizeof(walk_a->frames[i].registers.value)) == 0;
	walk_free(walk_a);
	walk_free(walk_b);
	symbols_free(symbols_a);
	symbols_free(symbols_b);
	return same;
}

/* Open bytes and read all of the crash; returns an error, or NULL. */
static const char *
try_bytes(const struct subject *subject, const uint8_t *bytes, size_t size, bool loses)
{
	uint8_t *copy = damage_copy(bytes, size);
	struct error error = { 0 };
	struct crash crash;
	const char *wrong = NULL;

	if (dump_from_memory(&crash, "micro.txt", copy, size, 0, &error) != ERROR_NONE)
		wrong = error.text[0] == '\0' ? "it is refused without a word" : NULL;
	else if (loses && message_total(&crash.messages) <= subject->messages)
		wrong = "no message reports the loss";
	else
		wrong = damage_look(&crash, subject->bundle.symbols, DAMAGE_ALL);
	crash_free(&crash);
	free(copy);
	return wrong;
}

static void
test_cuts(const struct subject *subject)
{
	struct offsets cuts = { 0 };
	uint64_t seed = 11;
	size_t bad = 0;

	for (size_t i = 0; i < subject->size; i++)
		if (subject->text[i] == '\n')
			offsets_around(&cuts, i, subject->size);
	for (unsigned i = 0; i < SEEDED_CUTS; i++)
		offsets_around(&cuts, damage_random(&seed) % subject->size, subject->size);
	offsets_sort(&cuts);
	for (size_t i = 0; i < cuts.count; i++) {
		size_t cut = cuts.values[i];
		/* A missing line feed of the last line is no loss. */
		bool loses = cut + 1 < subject->size && cut > strlen(PREFIX) + 40;

		damage_note(&bad, try_bytes(subject, (const uint8_t *)subject->text, cut, loses), "cut at", cut);
	}
	ok(cuts.count > 50, "%s: cut at many places", subject->bundle.name);
	is_u64(bad, 0, "%s: a cut microdump opens, says so and is walked", subject->bundle.name);
	offsets_free(&cuts);
}

static void
test_lost_lines(const struct subject *subject)
{
	uint8_t *bytes = damage_copy((const uint8_t *)subject->text, subject->size);
	size_t start = 0, bad = 0, lines = 0;

	while (start < subject->size) {
		const char *feed = memchr(subject->text + start, '\n', subject->size - start);
		size_t next = (size_t)(feed - subject->text) + 1;

		memcpy(bytes, subject->text, start);
		memcpy(bytes + start, subject->text + next, subject->size - next);
		damage_note(&bad, try_bytes(subject, bytes, subject->size - (next - start), false), "without the line at", start);
		start = next;
		lines++;
	}
	is_u64(bad, 0, "%s: each of %zu lines may be lost", subject->bundle.name, lines);
	free(bytes);
}

static void
test_mutations(const struct subject *subject)
{
	uint8_t *bytes = damage_copy((const uint8_t *)subject->text, subject->size);
	uint64_t seed = 5;
	size_t bad = 0;

	for (unsigned i = 0; i < MUTATIONS; i++) {
		size_t at = damage_random(&seed) % subject->size;
		uint8_t old = bytes[at];

		bytes[at] = (uint8_t)damage_random(&seed);
		damage_note(&bad, try_bytes(subject, bytes, subject->size, false), "changed at", at);
		bytes[at] = old;
	}
	is_u64(bad, 0, "%s: any byte may be changed", subject->bundle.name);
	free(bytes);
}

static void
test_packed(const struct subject *subject)
{
	uLongf room = compressBound((uLong)subject->size) + 64;
	uint8_t *packed = malloc(room);
	z_stream stream = { .zalloc = Z_NULL };
	uint64_t seed = 3;
	size_t bad = 0;

	if (packed == NULL || deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, 0) != Z_OK)
		abort();
	stream.next_in = (Bytef *)subject->text;
	stream.avail_in = (uInt)subject->size;
	stream.next_out = packed;
	stream.avail_out = (uInt)room;
	deflate(&stream, Z_FINISH);
	size_t size = stream.total_out;
	deflateEnd(&stream);
	for (unsigned i = 0; i < PACKED_MUTATIONS; i++) {
		size_t at = damage_random(&seed) % size;
		uint8_t old = packed[at];

		damage_note(&bad, try_bytes(subject, packed, at, at > size / 2), "compressed and cut at", at);
		packed[at] ^= (uint8_t)(1 + damage_random(&seed) % 255);
		damage_note(&bad, try_bytes(subject, packed, size, at > size / 2), "compressed and changed at", at);
		packed[at] = old;
	}
	is_u64(bad, 0, "%s: a damaged compressed microdump shows what is left of it", subject->bundle.name);
	free(packed);
}

static void
test_subject(struct subject *subject)
{
	struct error error = { 0 };
	struct crash crash;

	ok(dump_from_memory(&crash, "micro.txt", subject->text, subject->size, 0, &error) == ERROR_NONE,
	   "%s opens as a microdump", subject->bundle.name);
	subject->messages = message_total(&crash.messages);
	ok(same_walk(&subject->minidump, crashed_thread(&subject->minidump), &crash, subject->bundle.symbols),
	   "%s walks as the minidump does", subject->bundle.name);
	crash_free(&crash);
	test_cuts(subject);
	test_lost_lines(subject);
	test_mutations(subject);
	test_packed(subject);
}

int
main(void)
{
	for (size_t i = 0; i < BUNDLE_COUNT; i++) {
		struct subject subject = { .text = NULL };
		struct error error = { 0 };
		size_t size;

		bundle_find(&subject.bundle, i);
		subject.dump = damage_read(subject.bundle.dump, &size);
		if (dump_from_memory(&subject.minidump, "crash.dmp", subject.dump, size, 0, &error) == ERROR_NONE)
			subject.text = microtext_from(&subject.minidump, crashed_thread(&subject.minidump), PREFIX, &subject.size);
		if (ok(subject.text != NULL, "%s can be written as a microdump", subject.bundle.name))
			test_subject(&subject);
		free(subject.text);
		crash_free(&subject.minidump);
		free(subject.dump);
	}
	return done_testing();
}
