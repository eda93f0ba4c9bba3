/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/raw_dump.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/text.h"
#include "dump/describe.h"
#include "sframe/sframe_field.h"
#include "sframe/sframes.h"

#define ROW_BYTES 16u
/* Limit of rows with carets: more would push the bytes apart. */
#define CARET_ROWS 8u

struct raw_file
raw_file_of_dump(const struct crash *crash, struct binaries *binaries)
{
	return (struct raw_file){ .input = &crash->file.input, .data = crash->file.data,
				  .size = crash->file.size, .crash = crash,
				  .binaries = binaries };
}

bool
raw_file_of_binary(struct raw_file *file, const struct crash *crash, struct binaries *binaries,
		   const struct input *input)
{
	for (size_t i = 0; binaries != NULL && i < crash->module_count; i++)
		for (enum locate_kind kind = 0; kind < LOCATE_OWN_KINDS; kind++) {
			const struct binary *binary = binaries_peek(binaries, i, kind);

			if (binary == NULL || &binary->file.input != input)
				continue;
			*file = (struct raw_file){ .input = input, .data = binary->file.data,
						   .size = binary->file.size, .crash = crash,
						   .binaries = binaries, .binary = binary };
			return true;
		}
	return false;
}

static void
describe_section(const struct binary *binary, uint64_t offset, char *buffer, size_t size)
{
	bool before = true;		/* true if `offset` is before all sections */
	char name[80];

	for (size_t i = 0; i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];

		if (section->no_bits || section->broken || section->size == 0)
			continue;
		before = before && offset < section->offset;
		if (!checked_contains(section->offset, section->size, offset))
			continue;
		text_printable(name, sizeof(name), text_of(section->name));
		snprintf(buffer, size, "section %s + 0x%" PRIx64, name, offset - section->offset);
		return;
	}
	snprintf(buffer, size, before ? "headers of the file" : "between sections");
}

const char *
raw_file_describe(const struct raw_file *file, uint64_t offset, uint64_t length, char *buffer,
		  size_t size)
{
	/* Try the fields of the SFrame sections that were opened for a walk. */
	for (size_t i = 0; i < file->crash->module_count; i++) {
		const struct sframe *sframe = sframes_peek(file->binaries, i);

		if (sframe != NULL && sframe->tables[0].reader.input == file->input &&
		    sframe_describe(sframe, offset, length, buffer, size))
			return buffer;
	}
	if (file->binary == NULL)
		return describe_offset(file->crash, offset, buffer, size);
	describe_section(file->binary, offset, buffer, size);
	return buffer;
}

/* Whether the byte at `offset` must not be shown (see crash_redact). */
static bool
hides(const struct raw_file *file, uint64_t offset)
{
	return file->crash->redacted &&
	       ((file->binary == NULL && crash_redacts_bytes(file->crash, offset, 1)) ||
		crash_redacts_name(file->crash, file->data, file->size, offset));
}

/* Rows ----------------------------------------------------------------------------------------- */

struct bytes {
	struct raw_file file;
	uint64_t start, size;		/* marked bytes; size 0: none */
	uint64_t first_marked;		/* first row of bytes that has marks */
	uint64_t caret_rows;
	int digits;
};

/* The offset of a row's bytes. `*carets`: the row has the carets under these bytes. */
static uint64_t
offset_of(const struct bytes *bytes, uint64_t index, bool *carets)
{
	*carets = false;
	if (index >= bytes->first_marked + 2 * bytes->caret_rows)
		return (index - bytes->caret_rows) * ROW_BYTES;
	if (index < bytes->first_marked)
		return index * ROW_BYTES;
	*carets = (index - bytes->first_marked) % 2 == 1;
	return (bytes->first_marked + (index - bytes->first_marked) / 2) * ROW_BYTES;
}

static bool
is_marked(const struct bytes *bytes, uint64_t offset)
{
	return checked_contains(bytes->start, bytes->size, offset);
}

static void
fill_bytes(const struct bytes *bytes, uint64_t offset, struct row *row)
{
	const struct raw_file *file = &bytes->file;
	bool first = bytes->size > 0 && bytes->start >= offset &&
		     bytes->start - offset < ROW_BYTES;

	row_add(row, ROLE_DIM, "%c%0*" PRIx64 "  ", first ? '>' : ' ', bytes->digits, offset);
	size_t begin = row->width;
	for (uint64_t i = 0; i < ROW_BYTES && offset + i < file->size; i++) {
		enum role role = is_marked(bytes, offset + i) ? ROLE_CHANGED : ROLE_NORMAL;

		if (hides(file, offset + i))
			row_add(row, ROLE_DIM, "--");
		else
			row_add(row, role, "%02x", file->data[offset + i]);
		row_add(row, ROLE_NORMAL, " ");
	}
	row_pad(row, begin + 3 * ROW_BYTES + 1);
	for (uint64_t i = 0; i < ROW_BYTES && offset + i < file->size; i++) {
		bool hidden = hides(file, offset + i);
		uint8_t byte = hidden ? '-' : file->data[offset + i];

		row_add(row, is_marked(bytes, offset + i) ? ROLE_CHANGED : ROLE_DATA, "%c",
			byte >= ' ' && byte <= '~' ? byte : '.');
	}
}

static void
raw_dump_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct bytes *bytes = listing->context;
	bool carets;
	uint64_t offset = offset_of(bytes, index, &carets);

	(void)columns;
	if (carets) {
		size_t begin = (size_t)bytes->digits + 3;

		for (size_t i = 0; i < ROW_BYTES; i++)
			if (is_marked(bytes, offset + i)) {
				row_pad(row, begin + 3 * i);
				row_add(row, ROLE_CHANGED, "^^");
			}
	} else {
		fill_bytes(bytes, offset, row);
	}
}

static void
raw_dump_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct bytes *bytes = listing->context;
	char text[256];

	(void)columns;
	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_TITLE,
		     text_of(place_base_name(bytes->file.input->name)));
	if (bytes->size > 0) {
		row_add(row, ROLE_DIM, "   ");
		row_add_text(row, ROLE_DIM, text_of(raw_file_describe(&bytes->file, bytes->start,
						       bytes->size, text, sizeof(text))));
	}
}

/* The byte that a row is about: its first marked byte, or else its first byte. */
static uint64_t
subject(const struct bytes *bytes, size_t index)
{
	bool carets;
	uint64_t offset = offset_of(bytes, index, &carets);

	for (uint64_t i = 0; i < ROW_BYTES; i++)
		if (is_marked(bytes, offset + i))
			return offset + i;
	return offset;
}

static struct target
raw_dump_row_target(const struct listing *listing, size_t index)
{
	const struct bytes *bytes = listing->context;
	const struct crash *crash = bytes->file.crash;
	uint64_t offset = subject(bytes, index), address;
	bool found = false;

	for (size_t i = 0; bytes->file.binary == NULL && i < crash->region_count && !found; i++)
		found = crash_memory_address(&crash->regions[i], offset, &address);
	for (size_t i = 0; bytes->file.binary == NULL && i < crash->thread_count && !found; i++)
		found = crash->threads[i].stack != NULL &&
			crash_memory_address(crash->threads[i].stack, offset, &address);
	return found ? TARGET(TARGET_MEMORY, .address = address) : TARGET(TARGET_NONE);
}

static void
raw_dump_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct bytes *bytes = listing->context;
	uint64_t offset = subject(bytes, index);
	char text[256];

	row_add(row, ROLE_NORMAL, "offset 0x%" PRIx64 "   ", offset);
	raw_file_describe(&bytes->file, offset, 1, text, sizeof(text));
	row_add_text(row, ROLE_NORMAL, text_of(text));
	if (is_marked(bytes, offset))
		row_add(row, ROLE_NORMAL, ", %" PRIu64 " byte%s", bytes->size,
			plural(bytes->size));
}

struct listing
raw_dump_listing(const struct raw_file *file, struct place marked, struct arena *arena)
{
	struct bytes *bytes = arena_alloc(arena, sizeof(*bytes));
	char digits[24];

	if (bytes == NULL)
		return listing_out_of_memory();
	if (file->size == 0)
		return listing_message("the file is empty");
	bytes->file = *file;
	bytes->digits = snprintf(digits, sizeof(digits), "%" PRIx64, file->size);
	if (bytes->digits < 6)
		bytes->digits = 6;
	bytes->first_marked = UINT64_MAX / 4;
	/* The marked bytes, cut at the end of the file. */
	if (marked.input != NULL && marked.offset < file->size) {
		const uint64_t left = file->size - marked.offset;

		bytes->start = marked.offset;
		bytes->size = marked.length > 0 ? marked.length : 1;
		if (bytes->size > left)
			bytes->size = left;
		bytes->first_marked = marked.offset / ROW_BYTES;
		bytes->caret_rows =
			(marked.offset + bytes->size - 1) / ROW_BYTES - bytes->first_marked + 1;
		if (bytes->caret_rows > CARET_ROWS)
			bytes->caret_rows = CARET_ROWS;
	}
	uint64_t count = (file->size - 1) / ROW_BYTES + 1 + bytes->caret_rows;
	return (struct listing){ .count = (size_t)count,
				 .head = raw_dump_fill_head,
				 .fill = raw_dump_fill_row,
				 .target = raw_dump_row_target,
				 .explain = raw_dump_explain_row,
				 .context = bytes };
}

size_t
raw_dump_row(const struct listing *listing, uint64_t offset)
{
	const struct bytes *bytes = listing->context;
	uint64_t row = offset / ROW_BYTES;

	if (listing->fill != raw_dump_fill_row)
		return 0;
	if (row >= bytes->first_marked + bytes->caret_rows)
		row += bytes->caret_rows;
	else if (row > bytes->first_marked)
		row += row - bytes->first_marked;
	return row < listing->count ? (size_t)row : listing->count - 1;
}
