/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled dumps, truncated: at both ends of every structure, element and field, one byte before and after, and at seeded
 * other places. All data before the cut is still found, and a message reports that the rest is missing. */
#include "base/checked.h"
#include "dump/describe.h"
#include "dump/dump.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define HEADER_SIZE 32u
/* How many elements at either end of an array have their boundaries cut. */
#define ELEMENTS 24u
#define SEEDED_CUTS 250u

/* True if the first `cut` bytes contain a fact and the directory entry of its stream. */
static bool
reachable(const struct crash *whole, struct place place, size_t cut)
{
	if (place.offset + place.length > cut)
		return false;
	for (size_t i = 0; i < whole->stream_count; i++) {
		const struct stream *stream = &whole->streams[i];
		if (checked_contains(stream->offset, stream->size, place.offset))
			return stream->place.offset + stream->place.length <= cut;
	}
	return true;
}

static const struct memory_region *
region_at(const struct crash *crash, uint64_t base, uint64_t size)
{
	for (size_t i = 0; i < crash->region_count; i++)
		if (crash->regions[i].base == base && crash->regions[i].size == size)
			return &crash->regions[i];
	return NULL;
}

static const char *
lost_memory(const struct crash *whole, const struct crash *crash, size_t cut)
{
	for (size_t i = 0; i < whole->region_count; i++) {
		const struct memory_region *want = &whole->regions[i];
		uint64_t available = want->offset >= cut ? 0 : cut - want->offset;

		if (!reachable(whole, want->place, cut) || available == 0)
			continue;
		if (available > want->available)
			available = want->available;
		const struct memory_region *got = region_at(crash, want->base, want->size);
		if (got == NULL || got->available != available || memcmp(got->data, want->data, available) != 0)
			return "memory before the cut";
	}
	return NULL;
}

static const char *
lost_threads(const struct crash *whole, const struct crash *crash, size_t cut)
{
	for (size_t i = 0; i < whole->thread_count; i++) {
		const struct thread *want = &whole->threads[i];
		if (!reachable(whole, want->place, cut))
			continue;
		if (i >= crash->thread_count || crash->threads[i].id != want->id)
			return "a thread before the cut";
		const struct thread *got = &crash->threads[i];
		if (want->context.present && reachable(whole, want->context.place, cut) &&
		    whole->system.place.offset + whole->system.place.length <= cut &&
		    memcmp(&got->context.registers, &want->context.registers, sizeof(got->context.registers)) != 0)
			return "registers before the cut";
	}
	return NULL;
}

static const char *
lost_modules(const struct crash *whole, const struct crash *crash, size_t cut)
{
	for (size_t i = 0; i < whole->module_count; i++) {
		const struct module *want = &whole->modules[i];
		if (!reachable(whole, want->place, cut))
			continue;
		if (i >= crash->module_count)
			return "a module before the cut";
		const struct module *got = &crash->modules[i];
		if (got->base != want->base || got->size != want->size)
			return "a module before the cut";
		if (want->debug_id[0] != '\0' && want->identity_place.length > 0 &&
		    want->identity_place.offset + want->identity_place.length <= cut &&
		    strcmp(got->debug_id, want->debug_id) != 0)
			return "a module's id before the cut";
	}
	return NULL;
}

/* The first fact of the whole dump that should have survived the cut and did not, or NULL. */
static const char *
lost(const struct crash *whole, const struct crash *crash, size_t cut)
{
	const char *what = lost_memory(whole, crash, cut);

	if (what == NULL)
		what = lost_threads(whole, crash, cut);
	if (what == NULL)
		what = lost_modules(whole, crash, cut);
	if (what == NULL && reachable(whole, whole->system.place, cut) && crash->system.arch != whole->system.arch)
		what = "the system before the cut";
	if (what == NULL && whole->exception.present && !crash->exception.present && reachable(whole, whole->exception.place, cut))
		what = "the exception before the cut";
	return what;
}

/* Where the structures of a dump and their fields begin and end, as `describe` reports them. */
struct boundaries {
	struct offsets offsets;
	size_t size;			/* the dump's size */
	uint64_t end;			/* after the last byte that is described */
	bool fields;			/* the fields of the current record count, too */
};

static void
add_place(struct boundaries *boundaries, struct place place)
{
	if (place.input == NULL || place.length == 0)
		return;
	offsets_around(&boundaries->offsets, place.offset, boundaries->size);
	offsets_around(&boundaries->offsets, place.offset + place.length, boundaries->size);
	if (place.offset + place.length > boundaries->end)
		boundaries->end = place.offset + place.length;
}

/* Take the fields of the first element of an array; of the others only the last byte. */
static enum describe_detail
begin_record(void *context, const struct describe_record *record)
{
	struct boundaries *boundaries = context;

	boundaries->fields = record->index == 0 || record->index == DESCRIBE_NO_INDEX;
	if (record->index < ELEMENTS || record->index == DESCRIBE_NO_INDEX)
		add_place(boundaries, record->place);
	return DESCRIBE_ALL;
}

static void
add_value(void *context, const struct describe_value *value)
{
	struct boundaries *boundaries = context;

	if (boundaries->fields)
		add_place(boundaries, value->place);
	else if (value->place.offset + value->place.length > boundaries->end)
		boundaries->end = value->place.offset + value->place.length;
}

static void
end_record(void *context)
{
	struct boundaries *boundaries = context;

	boundaries->fields = true;
}

static struct boundaries
choose_cuts(const struct crash *whole, size_t size)
{
	struct boundaries cuts = { .size = size, .fields = true };
	const struct describe_sink sink = { .begin = begin_record, .value = add_value, .end = end_record, .context = &cuts };
	uint64_t seed = 20230817;

	describe_header(whole, &sink);
	describe_directory(whole, &sink);
	for (size_t i = 0; i < whole->stream_count; i++) {
		offsets_around(&cuts.offsets, whole->streams[i].offset, size);
		offsets_around(&cuts.offsets, whole->streams[i].offset + whole->streams[i].size, size);
		describe_stream(whole, i, &sink);
	}
	for (unsigned i = 0; i < SEEDED_CUTS; i++)
		offsets_around(&cuts.offsets, damage_random(&seed) % size, size);
	offsets_sort(&cuts.offsets);
	return cuts;
}

struct findings {
	size_t refused, lost, silent, wrong;
};

static void
try_cut(const struct bundle *bundle, const struct crash *whole, size_t named, size_t cut,
	bool thorough, struct findings *findings)
{
	uint8_t *bytes = damage_copy(whole->file.data, cut);
	struct error error = { 0 };
	struct crash crash;

	if (dump_from_memory(&crash, "cut.dmp", bytes, cut, 0, &error) != ERROR_NONE) {
		if (cut >= HEADER_SIZE || error.text[0] == '\0')
			damage_note(&findings->refused, error.text, "cut at", cut);
	} else {
		damage_note(&findings->lost, lost(whole, &crash, cut), "cut at", cut);
		if (cut < named && message_total(&crash.messages) <= message_total(&whole->messages))
			damage_note(&findings->silent, "no message", "cut at", cut);
		damage_note(&findings->wrong, damage_look(&crash, bundle->symbols,
					DAMAGE_ALL | (thorough ? DAMAGE_STEPS : 0)), "cut at", cut);
	}
	crash_free(&crash);
	free(bytes);
}

static void
test_bundle(const struct bundle *bundle)
{
	struct findings findings = { 0 };
	struct error error = { 0 };
	struct crash whole;
	size_t size;
	uint8_t *bytes = damage_read(bundle->dump, &size);

	if (!ok(dump_from_memory(&whole, "whole.dmp", bytes, size, 0, &error) == ERROR_NONE, "%s opens", bundle->name)) {
		crash_free(&whole);
		free(bytes);
		return;
	}
	struct boundaries cuts = choose_cuts(&whole, size);
	tap_diag("%s: %zu bytes, %zu cuts", bundle->name, size, cuts.offsets.count);
	for (size_t i = 0; i < cuts.offsets.count; i += damage_stride())
		try_cut(bundle, &whole, (size_t)cuts.end, cuts.offsets.values[i], i % 64 == 0, &findings);
	ok(cuts.offsets.count > 400, "%s is cut at many places", bundle->name);
	is_u64(findings.refused, 0, "%s: what has a header opens, what has none says why", bundle->name);
	is_u64(findings.lost, 0, "%s: everything before the cut is there", bundle->name);
	is_u64(findings.silent, 0, "%s: a loss is said", bundle->name);
	is_u64(findings.wrong, 0, "%s: what is left is walked, printed and explained", bundle->name);
	offsets_free(&cuts.offsets);
	crash_free(&whole);
	free(bytes);
}

int
main(void)
{
	for (size_t i = 0; i < BUNDLE_COUNT; i++) {
		struct bundle bundle;
		bundle_find(&bundle, i);
		test_bundle(&bundle);
	}
	return done_testing();
}
