/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* Seconds from 1601 to 1970, and the units of FILETIME in a second. */
#define FILETIME_EPOCH 11644473600u
#define FILETIME_SECOND 10000000u

static void
append(char *text, size_t size, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

const char *
describe_meaning(struct describe *describe, const struct meanings *meanings, uint64_t number)
{
	char text[1024] = "", rest[40];
	uint64_t left = number;

	if (!meanings->bits)
		return meaning_text(meanings, number);
	for (size_t i = 0; i < meanings->count; i++) {
		const struct meaning *row = &meanings->rows[i];

		bool valued = (row->value & meanings->mask) != 0 || row->value == 0;
		if (valued ? (number & meanings->mask) != row->value
			   : (number & row->value) == 0)
			continue;
		append(text, sizeof(text), row->text);
		left &= ~row->value;
	}
	if (left != 0) {
		snprintf(rest, sizeof(rest), "0x%" PRIx64, left);
		append(text, sizeof(text), rest);
	}
	return text[0] != '\0' ? arena_string(&describe->arena, text) : NULL;
}

static const char *
time_text(struct describe *describe, uint64_t seconds)
{
	char text[CLOCK_UTC_TEXT];

	return arena_format(&describe->arena, "%s", clock_utc((int64_t)seconds, text));
}

/* The text of a field that is not a plain number (FIELD_PAIR to FIELD_UTF16). */
static const char *
field_text(struct arena *arena, enum field_kind kind, const struct reader *bytes)
{
	uint16_t part[8] = { 0 };
	uint32_t pair[2] = { 0 };
	uint64_t low = 0, high = 0;
	char guid[GUID_TEXT];

	switch (kind) {
	case FIELD_PAIR:
		reader_u32(bytes, 0, &pair[0]);
		reader_u32(bytes, 4, &pair[1]);
		return arena_format(arena, "0x%" PRIx32 ":0x%" PRIx32, pair[0], pair[1]);
	case FIELD_WIDE:
		reader_u64(bytes, bytes->big_endian ? 8 : 0, &low);
		reader_u64(bytes, bytes->big_endian ? 0 : 8, &high);
		return high != 0 ? arena_format(arena, "0x%" PRIx64 "%016" PRIx64, high, low)
				 : arena_format(arena, "0x%" PRIx64, low);
	case FIELD_GUID:
		field_guid(bytes, 0, guid);
		return arena_string(arena, guid);
	case FIELD_DATE:
		/* SYSTEMTIME as minidump_dump writes it: date, (day of the week), time. */
		for (size_t i = 0; i < ARRAY_COUNT(part); i++)
			reader_u16(bytes, 2 * i, &part[i]);
		return arena_format(arena, "%04u-%02u-%02u (%u) %02u:%02u:%02u.%03u", part[0],
				    part[1], part[3], part[2], part[4], part[5], part[6], part[7]);
	default:
		return text_from_utf16(arena, bytes->data, (size_t)bytes->size / 2,
				       bytes->big_endian, true);
	}
}

static void
set_number(struct describe *describe, const struct field *field, const struct reader *bytes,
	   struct describe_value *value)
{
	const uint64_t sign = (uint64_t)1 << (8 * field->size - 1);
	uint64_t number = 0;

	reader_unsigned(bytes, 0, field->size, &number);
	value->number = number;
	value->digits = 2 * field->size;
	value->kind = DESCRIBE_HEX;
	if (field->meanings != NULL)
		value->note = describe_meaning(describe, field->meanings, number);
	if (field->kind == FIELD_DECIMAL || field->kind == FIELD_TICKS)
		value->kind = DESCRIBE_DECIMAL;
	if (field->kind == FIELD_SIGNED)
		value->kind = DESCRIBE_SIGNED;
	if (field->kind == FIELD_SIGNED && (number & sign) != 0)
		value->number = number | ~(sign | (sign - 1));
	if (field->kind == FIELD_SECONDS)
		value->note = time_text(describe, number);
	if (field->kind == FIELD_FILETIME && number / FILETIME_SECOND >= FILETIME_EPOCH) {
		const char *text = time_text(describe, number / FILETIME_SECOND - FILETIME_EPOCH);

		if (text != NULL)
			value->note = arena_format(&describe->arena, "%s.%07u", text,
						   (unsigned)(number % FILETIME_SECOND));
	}
	if (field->kind == FIELD_TICKS)
		value->note = arena_format(&describe->arena, "%.3f s", (double)number / 1e7);
	/* A float of 4 or 8 bytes: `number` holds its bits. */
	if (field->kind == FIELD_REAL && number != 0) {
		const uint32_t half = (uint32_t)number;
		float narrow;
		double wide;

		memcpy(&narrow, &half, sizeof(narrow));
		memcpy(&wide, &number, sizeof(wide));
		value->note = arena_format(&describe->arena, "%.9g",
					   field->size == 4 ? (double)narrow : wide);
	}
	if (field->kind == FIELD_ADDRESS || field->kind == FIELD_THREAD) {
		value->link = field->kind == FIELD_THREAD ? DESCRIBE_LINK_THREAD
							  : DESCRIBE_LINK_ADDRESS;
		value->linked = number;
	}
}

static void
tell_field(struct describe *describe, const struct field *field, const char *name,
	   const struct reader *bytes)
{
	struct describe_value value = {
		.name = name, .key = field->key, .place = reader_place(bytes, 0, bytes->size),
	};

	if (field->kind == FIELD_BYTES) {
		value.kind = DESCRIBE_BYTES;
		value.text = (struct text){ (const char *)bytes->data, (size_t)bytes->size };
	} else if (field->kind >= FIELD_PAIR && field->kind <= FIELD_UTF16) {
		const char *text = field_text(&describe->arena, field->kind, bytes);

		value.kind = field->kind == FIELD_UTF16 ? DESCRIBE_TEXT : DESCRIBE_WORD;
		value.text = text_of(text != NULL ? text : "");
	} else {
		set_number(describe, field, bytes, &value);
	}
	describe_value(describe, value);
}

/* Show a bank of registers as one row if all are 0. False: some registers are not 0. */
static bool
tell_idle_bank(struct describe *describe, const struct field *field, uint32_t stride,
	       const struct reader *window)
{
	const uint64_t size = (uint64_t)field->count * stride;
	struct reader bytes;

	if (field->count < 8 ||
	    (field->kind != FIELD_WIDE && field->kind != FIELD_REAL &&
	     field->kind != FIELD_BYTES) ||
	    !reader_window(window, field->offset, size, &bytes))
		return false;
	for (uint64_t i = 0; i < bytes.size; i++)
		if (bytes.data[i] != 0)
			return false;
	describe_value(describe, (struct describe_value){
		.name = field->name, .kind = DESCRIBE_NONE,
		.note = arena_format(&describe->arena, "all %" PRIu32 " are 0", field->count),
		.place = reader_place(window, field->offset, size) });
	return true;
}

void
describe_fields(struct describe *describe, struct structure fields, const struct reader *window)
{
	for (size_t row = 0; row < fields.count; row++) {
		const struct field *field = &fields.rows[row];
		uint32_t stride = field->stride != 0 ? field->stride : field->size;

		if ((!describe_whole(describe) && !field->key) ||
		    tell_idle_bank(describe, field, stride, window))
			continue;
		for (uint32_t i = 0; i < (field->count != 0 ? field->count : 1); i++) {
			const char *name = field->name;
			struct reader bytes;

			if (!reader_window(window, (uint64_t)field->offset + (uint64_t)i * stride,
					   field->size, &bytes))
				break;
			if (field->count != 0)
				name = arena_format(&describe->arena,
						    field->numbered ? "%s%" PRIu32
								    : "%s[%" PRIu32 "]",
						    name, field->from + i);
			if (name != NULL)
				tell_field(describe, field, name, &bytes);
		}
	}
	/* Strings are keys: they identify structures in a list. */
	for (size_t row = 0; row < fields.count; row++) {
		const struct field *field = &fields.rows[row];
		uint64_t rva;

		if (field->string != NULL &&
		    reader_unsigned(window, field->offset, field->size, &rva))
			describe_string(describe, field->string, rva, 2, true);
	}
}

void
describe_structure(struct describe *describe, struct structure fields,
		   const struct reader *window, uint64_t size)
{
	describe_fields(describe, fields, window);
	if (window->size < size)
		describe_broken(describe, "structure", reader_place(window, 0, 0),
				"%" PRIu64 " bytes, expected %" PRIu64, window->size, size);
}

/* Strings -------------------------------------------------------------------------------------- */

bool
describe_take_text(struct describe *describe, const char *name, struct reader *bytes)
{
	if (bytes->size > LIMIT_STRING)
		bytes->size = LIMIT_STRING;
	if (bytes->size <= describe->left->text) {
		describe->left->text -= bytes->size;
		return true;
	}
	describe_broken(describe, name, reader_place(bytes, 0, 0),
			"skipped: more than %" PRIu64 " bytes of strings",
			describe_budget(describe->crash).text);
	return false;
}

/* The bytes of a string, which follow its length. Describes a malformed string as broken. */
static bool
string_bytes(struct describe *describe, const char *name, uint64_t rva, unsigned unit,
	     struct reader *bytes)
{
	const struct reader *file = &describe->crash->reader;
	uint32_t length;

	if (!reader_u32(file, rva, &length)) {
		describe_broken(describe, name, reader_place(file, rva, 0),
				"the string at 0x%" PRIx64 " lies past the end of the file", rva);
		return false;
	}
	uint64_t room = file->size - rva - 4, usable = length < room ? length : room;
	if (!reader_window(file, rva + 4, usable, bytes) ||
	    !describe_take_text(describe, name, bytes))
		return false;
	bytes->size -= bytes->size % unit;
	if (bytes->size != length)
		describe_broken(describe, name, reader_place(file, rva, 4),
				"the string claims %" PRIu32 " bytes, found %" PRIu64 " usable",
				length, bytes->size);
	return true;
}

void
describe_string(struct describe *describe, const char *name, uint64_t rva, unsigned unit, bool key)
{
	struct reader bytes;

	if (rva == 0 || (!key && !describe_whole(describe)) ||
	    !string_bytes(describe, name, rva, unit, &bytes))
		return;
	struct text text = { (const char *)bytes.data, (size_t)bytes.size };
	if (unit == 2) {
		const char *utf8 = text_from_utf16(&describe->arena, bytes.data,
						   text.length / 2, bytes.big_endian, true);

		text = text_of(utf8 != NULL ? utf8 : "");
	}
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_TEXT, .text = text, .derived = true, .key = key,
		.place = reader_place(&bytes, 0, bytes.size) });
}

const char *
describe_utf8_text(struct describe *describe, uint64_t rva, struct place *place)
{
	struct reader bytes;

	if (rva == 0 || !string_bytes(describe, "text", rva, 1, &bytes))
		return NULL;
	*place = reader_place(&bytes, 0, bytes.size);
	return arena_copy(&describe->arena, (const char *)bytes.data, (size_t)bytes.size);
}
