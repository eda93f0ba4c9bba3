/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bundled dumps, cut short: at both ends of every structure, of every element and field, one
 * byte either side, and at seeded other places. What lies before the cut is still there, and
 * something says that the rest is not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "dump/dump.h"
#include "tests/fault/damage.h"
#include "tests/lib/tap.h"

#define HEADER_SIZE 32u
/* Of arrays the boundaries of so many elements at either end. */
#define ELEMENTS 24u
#define SEEDED_CUTS 250u

/* Whether a fact can be found in the first `cut` bytes: it and the entry of its stream. */
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
		if (got == NULL || got->available != available ||
		    memcmp(got->data, want->data, available) != 0)
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
		    memcmp(&got->context.registers, &want->context.registers,
			   sizeof(got->context.registers)) != 0)
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

/* What of the whole dump should be there and is not; NULL: nothing. */
static const char *
lost(const struct crash *whole, const struct crash *crash, size_t cut)
{
	const char *what = lost_memory(whole, crash, cut);

	if (what == NULL)
		what = lost_threads(whole, crash, cut);
	if (what == NULL)
		what = lost_modules(whole, crash, cut);
	if (what == NULL && reachable(whole, whole->system.place, cut) &&
	    crash->system.arch != whole->system.arch)
		what = "the system before the cut";
	if (what == NULL && whole->exception.present && !crash->exception.present &&
	    reachable(whole, whole->exception.place, cut))
		what = "the exception before the cut";
	return what;
}

/* The offset behind the last byte that anything names. */
static size_t
named_size(const struct crash *whole)
{
	uint64_t end = 0;

	for (size_t i = 0; i < whole->span_count; i++)
		if (whole->spans[i].offset + whole->spans[i].size > end)
			end = whole->spans[i].offset + whole->spans[i].size;
	return (size_t)end;
}

static void
add_span(struct offsets *cuts, const struct crash_span *span, size_t size)
{
	uint64_t elements = span->stride > 0 ? span->size / span->stride : 0;

	offsets_around(cuts, span->offset, size);
	offsets_around(cuts, span->offset + span->size, size);
	for (uint64_t i = 0; i < elements; i++)
		if (i < ELEMENTS || i + ELEMENTS >= elements)
			offsets_around(cuts, span->offset + i * span->stride, size);
	for (size_t i = 0; i < span->field_count; i++)
		offsets_around(cuts, span->offset + span->fields[i].offset, size);
}

static struct offsets
choose_cuts(const struct crash *whole, size_t size)
{
	struct offsets cuts = { 0 };
	uint64_t seed = 20230817;

	for (size_t i = 0; i < whole->span_count; i++)
		add_span(&cuts, &whole->spans[i], size);
	for (unsigned i = 0; i < SEEDED_CUTS; i++)
		offsets_around(&cuts, damage_random(&seed) % size, size);
	offsets_sort(&cuts);
	return cuts;
}

struct findings {
	size_t refused, lost, silent, wrong;
};

static void
note(size_t *count, const char *what, size_t cut)
{
	if ((*count)++ < 5)
		tap_diag("cut at %zu: %s", cut, what);
}

static void
try_cut(const struct bundle *bundle, const struct crash *whole, size_t named, size_t cut,
	bool thorough, struct findings *findings)
{
	uint8_t *bytes = damage_copy(whole->file.data, cut);
	struct error error = { 0 };
	struct crash crash;

	if (dump_from_memory(&crash, "cut.dmp", bytes, cut, &error) != ERROR_NONE) {
		if (cut >= HEADER_SIZE || error.text[0] == '\0')
			note(&findings->refused, error.text, cut);
	} else {
		const char *what = lost(whole, &crash, cut);

		if (what != NULL)
			note(&findings->lost, what, cut);
		if (cut < named &&
		    message_total(&crash.messages) <= message_total(&whole->messages))
			note(&findings->silent, "no message", cut);
		what = damage_look(&crash, bundle->symbols, thorough);
		if (what != NULL)
			note(&findings->wrong, what, cut);
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

	if (!ok(dump_from_memory(&whole, "whole.dmp", bytes, size, &error) == ERROR_NONE,
		"%s opens", bundle->name)) {
		crash_free(&whole);
		free(bytes);
		return;
	}
	struct offsets cuts = choose_cuts(&whole, size);
	tap_diag("%s: %zu bytes, %zu cuts", bundle->name, size, cuts.count);
	for (size_t i = 0; i < cuts.count; i++)
		try_cut(bundle, &whole, named_size(&whole), cuts.values[i], i % 64 == 0,
			&findings);
	ok(cuts.count > 400, "%s is cut at many places", bundle->name);
	is_u64(findings.refused, 0, "%s: what has a header opens, what has none says why",
	       bundle->name);
	is_u64(findings.lost, 0, "%s: everything before the cut is there", bundle->name);
	is_u64(findings.silent, 0, "%s: a loss is said", bundle->name);
	is_u64(findings.wrong, 0, "%s: what is left is walked, printed and explained",
	       bundle->name);
	offsets_free(&cuts);
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
