/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "dump/context/context.h"

/* CONTEXT_EX (winnt.h): offsets count from itself, which is the end of the old context. */
static const struct field extension_fields[] = {
	{ 0, 4, FIELD_SIGNED, .name = "context_ex.all.offset" },
	{ 4, 4, FIELD_DECIMAL, .name = "context_ex.all.length" },
	{ 8, 4, FIELD_SIGNED, .name = "context_ex.legacy.offset" },
	{ 12, 4, FIELD_DECIMAL, .name = "context_ex.legacy.length" },
	{ 16, 4, FIELD_SIGNED, .name = "context_ex.xstate.offset" },
	{ 20, 4, FIELD_DECIMAL, .name = "context_ex.xstate.length" },
};

static const struct field header_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "xsave.mask" },
	{ 8, 8, FIELD_HEX, .name = "xsave.compaction_mask" },
};

#define XSAVE_LEGACY 512u	/* bytes of the area before its header, which are elsewhere */
#define XSAVE_HEADER 64u
#define FEATURE_CET 11u
#define MISC_FEATURES 848u	/* offset of the features in MiscInfo */

static const struct field cet_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "cet_u.msr" },
	{ 8, 8, FIELD_ADDRESS, .name = "cet_u.ssp" },
};

/* Where MiscInfo says that a feature lies, counted from the area's begin. */
static bool
feature_of(const struct crash *crash, uint32_t feature, uint32_t *offset, uint32_t *size)
{
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		uint64_t at = stream->offset + MISC_FEATURES + 8 * (uint64_t)feature;

		if (stream->type == 15 && stream->size >= 1364)
			return reader_u32(&crash->reader, at, offset) &&
			       reader_u32(&crash->reader, at + 4, size) && *size > 0 &&
			       *offset >= XSAVE_LEGACY + XSAVE_HEADER;
	}
	return false;
}

static void
tell_features(struct describe *describe, const struct reader *area)
{
	uint64_t mask = 0;

	describe_fields(describe, FIELDS(header_fields), area);
	reader_u64(area, 0, &mask);
	for (uint32_t i = 2; i < 64; i++) {
		uint32_t offset, size;
		struct reader state;
		char name[24];

		if ((mask >> i & 1) == 0 || !feature_of(describe->crash, i, &offset, &size) ||
		    !reader_window(area, offset - XSAVE_LEGACY, size, &state))
			continue;
		if (i == FEATURE_CET) {
			describe_fields(describe, FIELDS(cet_fields), &state);
			continue;
		}
		snprintf(name, sizeof(name), "xsave.feature[%u]", i);
		describe_bytes(describe, name, &state, 0, state.size);
	}
}

/* What follows the old context: extended processor state where CONTEXT_EX says so, else bytes. */
static void
tell_tail(struct describe *describe, const struct context_layout *layout,
	  const struct reader *bytes)
{
	uint32_t legacy = 0, offset = 0, length = 0, size = layout->size;
	struct reader extension, area;

	if (bytes->size <= size)
		return;
	reader_window(bytes, size, bytes->size - size, &extension);
	reader_u32(&extension, 12, &legacy);
	reader_u32(&extension, 16, &offset);
	reader_u32(&extension, 20, &length);
	if (!layout->xstate || legacy != size || length < XSAVE_HEADER ||
	    !reader_window(&extension, offset, length, &area)) {
		describe_bytes(describe, "rest", &extension, 0, extension.size);
		return;
	}
	describe_fields(describe, FIELDS(extension_fields), &extension);
	tell_features(describe, &area);
}

static void
tell_context(struct describe *describe, const struct context_layout *layout,
	     const struct reader *bytes)
{
	if (layout == NULL) {
		describe_bytes(describe, "bytes", bytes, 0, bytes->size);
		return;
	}
	describe_structure(describe, layout->fields, bytes, layout->size);
	tell_tail(describe, layout, bytes);
}

void
describe_registers(struct describe *describe, const struct reader *bytes, uint32_t size)
{
	const struct context_layout *layout =
		context_choose(describe->crash->system.arch->id, bytes, size);

	if (layout != NULL)
		tell_context(describe, layout, bytes);
}

void
describe_context(struct describe *describe, const char *name, struct location location)
{
	const struct crash *crash = describe->crash;
	struct reader bytes;

	if (location.size == 0 || location.rva == 0 || !describe_whole(describe) ||
	    !describe_window(describe, name, location, &bytes))
		return;
	const struct context_layout *layout =
		context_choose(crash->system.arch->id, &bytes, location.size);
	if (bytes.size < location.size)
		describe_broken(describe, name, reader_place(&bytes, 0, 0),
				"0x%" PRIx64 " of 0x%" PRIx32 " bytes are in the file", bytes.size,
				location.size);
	if (!describe_begin(describe, (struct describe_record){
		    .name = name, .index = DESCRIBE_NO_INDEX,
		    .note = layout != NULL ? layout->name : "no layout fits",
		    .place = reader_place(&bytes, 0, (uint32_t)bytes.size) }))
		return;
	tell_context(describe, layout, &bytes);
	describe_end(describe);
}
