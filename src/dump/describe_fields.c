/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

/* Seconds from 1601 to 1970, and the parts of a second that FILETIME counts. */
#define FILETIME_EPOCH 11644473600u
#define FILETIME_SECOND 10000000u

static void
append(char *text, size_t size, const char *separator, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used > 0 ? separator : "", word);
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
		append(text, sizeof(text), ", ", row->text);
		left &= ~row->value;
	}
	if (left != 0) {
		snprintf(rest, sizeof(rest), "0x%" PRIx64, left);
		append(text, sizeof(text), ", ", rest);
	}
	return text[0] != '\0' ? arena_copy(&describe->arena, text, strlen(text)) : NULL;
}

static const char *
time_text(struct describe *describe, uint64_t seconds)
{
	time_t when = (time_t)seconds;
	struct tm parts;
	char text[64];

	if (gmtime_r(&when, &parts) == NULL ||
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts) == 0)
		return NULL;
	return arena_copy(&describe->arena, text, strlen(text));
}

static const char *
filetime_text(struct describe *describe, uint64_t value)
{
	uint64_t seconds = value / FILETIME_SECOND;

	if (seconds < FILETIME_EPOCH)
		return NULL;
	const char *text = time_text(describe, seconds - FILETIME_EPOCH);
	return text == NULL ? NULL
			    : arena_format(&describe->arena, "%s.%07u", text,
					   (unsigned)(value % FILETIME_SECOND));
}

static void
set_text(struct describe_value *value, enum describe_kind kind, const char *text)
{
	value->kind = kind;
	value->text = text_of(text != NULL ? text : "");
}

static void
set_guid(struct describe *describe, const struct reader *bytes, struct describe_value *value)
{
	char text[GUID_TEXT];

	field_guid(bytes, 0, text);
	set_text(value, DESCRIBE_WORD, arena_copy(&describe->arena, text, strlen(text)));
}

/* SYSTEMTIME as minidump_dump writes it: date, (day of the week), time. */
static void
set_date(struct describe *describe, const struct reader *bytes, struct describe_value *value)
{
	uint16_t part[8] = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(part); i++)
		reader_u16(bytes, 2 * i, &part[i]);
	set_text(value, DESCRIBE_WORD,
		 arena_format(&describe->arena, "%04u-%02u-%02u (%u) %02u:%02u:%02u.%03u", part[0],
			      part[1], part[3], part[2], part[4], part[5], part[6], part[7]));
}

static void
set_pair(struct describe *describe, const struct reader *bytes, struct describe_value *value)
{
	uint32_t high = 0, low = 0;

	reader_u32(bytes, 0, &high);
	reader_u32(bytes, 4, &low);
	set_text(value, DESCRIBE_WORD,
		 arena_format(&describe->arena, "0x%" PRIx32 ":0x%" PRIx32, high, low));
}

static void
set_wide(struct describe *describe, const struct reader *bytes, struct describe_value *value)
{
	uint64_t low = 0, high = 0;

	reader_u64(bytes, bytes->big_endian ? 8 : 0, &low);
	reader_u64(bytes, bytes->big_endian ? 0 : 8, &high);
	set_text(value, DESCRIBE_WORD,
		 high != 0 ? arena_format(&describe->arena, "0x%" PRIx64 "%016" PRIx64, high, low)
			   : arena_format(&describe->arena, "0x%" PRIx64, low));
}

static void
set_utf16(struct describe *describe, const struct reader *bytes, struct describe_value *value)
{
	set_text(value, DESCRIBE_TEXT,
		 text_from_utf16(&describe->arena, bytes->data, (size_t)bytes->size / 2,
				 bytes->big_endian, true));
}

/* A float of 4 or 8 bytes; its bits are its number. */
static const char *
real_text(struct describe *describe, unsigned size, uint64_t bits)
{
	uint32_t half = (uint32_t)bits;
	float narrow;
	double wide;

	memcpy(&narrow, &half, sizeof(narrow));
	memcpy(&wide, &bits, sizeof(wide));
	return bits == 0 ? NULL
			 : arena_format(&describe->arena, "%.9g",
					size == 4 ? (double)narrow : wide);
}

static uint64_t
extended(uint64_t number, uint32_t size)
{
	uint64_t sign = (uint64_t)1 << (8 * size - 1);

	return size < 8 && (number & sign) != 0 ? number | ~(sign | (sign - 1)) : number;
}

/* What is not a plain number: made from the field's bytes. */
static void (*const setters[])(struct describe *, const struct reader *,
			       struct describe_value *) = {
	[FIELD_PAIR] = set_pair,
	[FIELD_WIDE] = set_wide,
	[FIELD_GUID] = set_guid,
	[FIELD_DATE] = set_date,
	[FIELD_UTF16] = set_utf16,
	[FIELD_REAL] = NULL,
};

static void
set_number(struct describe *describe, const struct field *field, const struct reader *bytes,
	   struct describe_value *value)
{
	uint64_t number = 0;

	reader_unsigned(bytes, 0, field->size, &number);
	value->number = number;
	value->digits = 2 * field->size;
	value->kind = DESCRIBE_HEX;
	if (field->meanings != NULL)
		value->note = describe_meaning(describe, field->meanings, number);
	if (field->kind == FIELD_DECIMAL || field->kind == FIELD_TICKS)
		value->kind = DESCRIBE_DECIMAL;
	if (field->kind == FIELD_SIGNED) {
		value->kind = DESCRIBE_SIGNED;
		value->number = extended(number, field->size);
	}
	if (field->kind == FIELD_SECONDS)
		value->note = time_text(describe, number);
	if (field->kind == FIELD_FILETIME)
		value->note = filetime_text(describe, number);
	if (field->kind == FIELD_TICKS)
		value->note = arena_format(&describe->arena, "%.3f s", (double)number / 1e7);
	if (field->kind == FIELD_REAL)
		value->note = real_text(describe, field->size, number);
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
		.name = name, .key = field->key,
		.place = reader_place(bytes, 0, (uint32_t)bytes->size),
	};

	if (field->kind == FIELD_BYTES) {
		value.kind = DESCRIBE_BYTES;
		value.text = (struct text){ (const char *)bytes->data, (size_t)bytes->size };
	} else if (field->kind < ARRAY_COUNT(setters) && setters[field->kind] != NULL) {
		setters[field->kind](describe, bytes, &value);
	} else {
		set_number(describe, field, bytes, &value);
	}
	describe_value(describe, value);
}

/* Whether a field is a bank of registers that are all 0: one row says so. */
static bool
is_idle_bank(const struct field *field, uint32_t stride, const struct reader *window)
{
	struct reader bytes;

	if (field->count < 8 ||
	    (field->kind != FIELD_WIDE && field->kind != FIELD_REAL &&
	     field->kind != FIELD_BYTES) ||
	    !reader_window(window, field->offset, (uint64_t)field->count * stride, &bytes))
		return false;
	for (uint64_t i = 0; i < bytes.size; i++)
		if (bytes.data[i] != 0)
			return false;
	return true;
}

static void
tell_idle_bank(struct describe *describe, const struct field *field, uint32_t stride,
	       const struct reader *window)
{
	describe_value(describe, (struct describe_value){
		.name = field->name, .kind = DESCRIBE_NONE,
		.note = arena_format(&describe->arena, "all %" PRIu32 " are 0", field->count),
		.place = reader_place(window, field->offset, field->count * stride) });
}

/* The string that a field points to, which tells structures of a list apart. */
static void
tell_string(struct describe *describe, const struct field *field, const struct reader *window)
{
	uint64_t rva;

	if (field->string != NULL && reader_unsigned(window, field->offset, field->size, &rva))
		describe_string(describe, field->string, rva, true);
}

void
describe_fields(struct describe *describe, struct structure fields, const struct reader *window)
{
	for (size_t row = 0; row < fields.count; row++) {
		const struct field *field = &fields.rows[row];
		uint32_t stride = field->stride != 0 ? field->stride : field->size;

		if (!describe_whole(describe) && !field->key)
			continue;
		if (is_idle_bank(field, stride, window)) {
			tell_idle_bank(describe, field, stride, window);
			continue;
		}
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
	for (size_t row = 0; row < fields.count; row++)
		tell_string(describe, &fields.rows[row], window);
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
	if (bytes->size <= describe->text_left) {
		describe->text_left -= bytes->size;
		return true;
	}
	describe_broken(describe, name, reader_place(bytes, 0, 0),
			"skipped: more than %u bytes of strings", LIMIT_DESCRIBED_TEXT);
	return false;
}

/* The bytes of a string behind its length; says what is wrong with it. */
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
describe_string(struct describe *describe, const char *name, uint64_t rva, bool key)
{
	struct reader bytes;

	if (rva == 0 || (!key && !describe_whole(describe)) ||
	    !string_bytes(describe, name, rva, 2, &bytes))
		return;
	const char *text = text_from_utf16(&describe->arena, bytes.data, (size_t)bytes.size / 2,
					   bytes.big_endian, true);
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_TEXT, .text = text_of(text != NULL ? text : ""),
		.derived = true, .key = key,
		.place = reader_place(&bytes, 0, (uint32_t)bytes.size) });
}

const char *
describe_utf8_text(struct describe *describe, uint64_t rva, struct place *place)
{
	struct reader bytes;

	if (rva == 0 || !string_bytes(describe, "text", rva, 1, &bytes))
		return NULL;
	*place = reader_place(&bytes, 0, (uint32_t)bytes.size);
	return arena_copy(&describe->arena, (const char *)bytes.data, (size_t)bytes.size);
}

void
describe_utf8(struct describe *describe, const char *name, uint64_t rva, bool key)
{
	struct reader bytes;

	if (rva == 0 || (!key && !describe_whole(describe)) ||
	    !string_bytes(describe, name, rva, 1, &bytes))
		return;
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_TEXT, .derived = true, .key = key,
		.text = { (const char *)bytes.data, (size_t)bytes.size },
		.place = reader_place(&bytes, 0, (uint32_t)bytes.size) });
}
