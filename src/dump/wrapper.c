/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/wrapper.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "base/place.h"
#include "base/reader.h"
#include "base/text.h"
#include "system/inflate.h"

/* Maximum number of parts examined in one file. */
#define MOST_PARTS 10000u
/* Maximum number of bytes to decompress for the check whether a part is a dump. */
#define PART_HEAD (UINT64_C(64) << 10)
/* Maximum number of bytes searched in a line of headers or JSON. */
#define MOST_LINE (UINT64_C(64) << 10)

struct part {
	struct text name;
	uint64_t offset, size;
	enum part_form { PART_PLAIN, PART_DEFLATED, PART_BASE64, PART_UNREADABLE } form;
	uint32_t checksum, plain_size;	/* CRC-32 and size of the uncompressed content */
	const char *obstacle;		/* reason for PART_UNREADABLE; NULL: not a file */
	uint64_t base;			/* added to the archive's offsets; kept between parts */
};

/* The text from an offset up to `end`, or up to the end of the file if `end` is not found. */
static struct text
text_upto(const struct reader *file, uint64_t at, const char *end)
{
	const uint64_t from = at < file->size ? at : file->size;
	const char *start = (const char *)file->data + from;
	const size_t left = (size_t)(file->size - from);
	const char *found = left > 0 ? memmem(start, left, end, strlen(end)) : NULL;

	return (struct text){ start, found != NULL ? (size_t)(found - start) : left };
}

/* The text between `begin` and the next quotation mark; empty if one of them is missing. */
static struct text
quoted_after(struct text in, const char *begin)
{
	const char *found = memmem(in.start, in.length, begin, strlen(begin));

	if (found == NULL)
		return text_of("");
	found += strlen(begin);
	const size_t left = in.length - (size_t)(found - in.start);
	const char *end = memchr(found, '"', left);
	return (struct text){ found, end != NULL ? (size_t)(end - found) : 0 };
}

/* tar (POSIX, pax: ustar Interchange Format) --------------------------------------------------- */

#define TAR_BLOCK 512u
#define TAR_CHECKSUM 148u		/* offset of the 8 bytes that are summed as blanks */

/* A size in octal digits. GNU tar sets bit 7 of the first byte for a big-endian number. */
static uint64_t
tar_size(const uint8_t *digits)
{
	uint64_t size = 0;

	if ((digits[0] & 0x80) != 0) {
		for (size_t i = 4; i < 12; i++)
			size = size << 8 | digits[i];
		return size;
	}
	for (size_t i = 0; i < 12 && digits[i] != '\0'; i++)
		if (digits[i] >= '0' && digits[i] <= '7')
			size = size * 8 + (uint64_t)(digits[i] - '0');
	return size;
}

/* Whether the header's checksum is right. The oldest tar format has no other mark. */
static bool
is_tar(const struct reader *file)
{
	uint64_t sum = 8 * ' ';

	if (file->size < TAR_BLOCK || file->data[0] == '\0')
		return false;
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i - TAR_CHECKSUM < 8 ? 0 : file->data[i];
	return sum == tar_size(file->data + TAR_CHECKSUM) ||
	       memcmp(file->data + 257, "ustar", 5) == 0;
}

static bool
next_in_tar(const struct reader *file, uint64_t *at, struct part *part)
{
	struct reader header;

	if (!reader_window(file, *at, TAR_BLOCK, &header) || header.data[0] == '\0')
		return false;
	const uint8_t type = header.data[156];
	const char *name = (const char *)header.data;
	*part = (struct part){ .name = { name, strnlen(name, 100) }, .offset = *at + TAR_BLOCK,
			       .size = tar_size(header.data + 124),
			       .form = type == '0' || type == '\0' ? PART_PLAIN
								   : PART_UNREADABLE };
	if (!checked_within(part->offset, part->size, file->size))
		part->size = file->size - part->offset;
	*at = part->offset + (part->size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	return true;
}

/* zip (PKWARE, APPNOTE.TXT) -------------------------------------------------------------------- */

#define ZIP_LOCAL 0x04034b50u
#define ZIP_ENTRY 0x02014b50u
#define ZIP_END 0x06054b50u
#define ZIP_END_SIZE 22u
#define ZIP_COMMENT 65535u

/*
 * The central directory's offset, from the record at the file's end; 0: not found. If the archive
 * follows a program, its offsets may count from its own start: add `*base` to them.
 */
static uint64_t
zip_directory(const struct reader *file, uint64_t *base)
{
	uint32_t magic, start, size;

	for (uint64_t back = ZIP_END_SIZE; back <= file->size && back <= ZIP_END_SIZE + ZIP_COMMENT;
	     back++) {
		const uint64_t end = file->size - back;

		if (!reader_u32(file, end, &magic) || magic != ZIP_END ||
		    !reader_u32(file, end + 12, &size) || !reader_u32(file, end + 16, &start))
			continue;
		*base = 0;
		if (reader_u32(file, start, &magic) && magic == ZIP_ENTRY)
			return start;
		if (end < (uint64_t)start + size)
			continue;
		*base = end - size - start;
		if (reader_u32(file, end - size, &magic) && magic == ZIP_ENTRY)
			return end - size;
	}
	return 0;
}

static bool
begins_zip(const struct reader *file)
{
	uint32_t magic;

	return reader_u32(file, 0, &magic) && magic == ZIP_LOCAL;
}

static bool
is_zip(const struct reader *file)
{
	uint64_t base;

	return begins_zip(file) || zip_directory(file, &base) > 0;
}

/* Compression methods (4.4.5). Parts in zstd and xz have the format of .zst and .xz files. */
static const struct zip_method {
	uint16_t number;
	enum part_form form;
	const char *obstacle;
} zip_methods[] = {
	{ 0, PART_PLAIN, NULL }, { 8, PART_DEFLATED, NULL }, { 93, PART_PLAIN, NULL },
	{ 95, PART_PLAIN, NULL }, { 9, PART_UNREADABLE, "compressed with Deflate64" },
	{ 12, PART_UNREADABLE, "compressed with bzip2" },
	{ 14, PART_UNREADABLE, "compressed with LZMA" },
};

/* Set the form of a part whose bytes are in the file. */
static void
set_zip_form(struct part *part, uint16_t flags, uint16_t method)
{
	part->obstacle = "compressed with an unknown method";
	for (size_t i = 0; i < ARRAY_COUNT(zip_methods); i++)
		if (zip_methods[i].number == method) {
			part->form = zip_methods[i].form;
			part->obstacle = zip_methods[i].obstacle;
		}
	if ((flags & 1) != 0) {
		part->form = PART_UNREADABLE;
		part->obstacle = "encrypted";
	}
}

static bool
next_in_zip(const struct reader *file, uint64_t *at, struct part *part)
{
	uint32_t magic, local, size;
	uint16_t flags, method, name, extra, comment, local_name, local_extra;

	if (*at == 0)
		*at = zip_directory(file, &part->base);
	*part = (struct part){ .form = PART_UNREADABLE, .base = part->base };
	if (*at == 0 || !reader_u32(file, *at, &magic) || magic != ZIP_ENTRY ||
	    !reader_u16(file, *at + 8, &flags) || !reader_u16(file, *at + 10, &method) ||
	    !reader_u32(file, *at + 16, &part->checksum) || !reader_u32(file, *at + 20, &size) ||
	    !reader_u32(file, *at + 24, &part->plain_size) || !reader_u16(file, *at + 28, &name) ||
	    !reader_u16(file, *at + 30, &extra) || !reader_u16(file, *at + 32, &comment) ||
	    !reader_u32(file, *at + 42, &local) || !checked_within(*at + 46, name, file->size))
		return false;
	part->name = (struct text){ (const char *)file->data + *at + 46, name };
	*at += 46 + (uint64_t)name + extra + comment;
	const uint64_t header = part->base + local;
	if (!reader_u16(file, header + 26, &local_name) ||
	    !reader_u16(file, header + 28, &local_extra))
		return true;
	part->offset = header + 30 + local_name + local_extra;
	part->size = size;
	if (checked_within(part->offset, part->size, file->size))
		set_zip_form(part, flags, method);
	return true;
}

/* MIME: multipart/form-data (RFC 7578) as crash reporters upload it, or a mail ----------------- */

/* Bytes at the beginning of a request or mail that are searched for the first boundary. */
#define MOST_PREAMBLE (UINT64_C(16) << 10)

static bool
is_boundary(const struct reader *file, uint64_t at)
{
	const struct text line = text_upto(file, at, "\n");
	const uint64_t next = at + line.length + 1;

	return line.length > 2 && line.length < 200 && memcmp(line.start, "--", 2) == 0 &&
	       next + 8 < file->size &&
	       strncasecmp((const char *)file->data + next, "content-", 8) == 0;
}

/* Find the first boundary: at the beginning of the file, or after headers or a preamble. */
static bool
find_boundary(const struct reader *file, uint64_t *begin)
{
	const struct reader head = { .data = file->data, .size = file->size < MOST_PREAMBLE
								 ? file->size : MOST_PREAMBLE };
	uint64_t at = 0;

	while (at < head.size && !is_boundary(file, at))
		at += text_upto(&head, at, "\n").length + 1;
	*begin = at;
	return at < head.size;
}

static bool
is_mime(const struct reader *file)
{
	uint64_t begin;

	return find_boundary(file, &begin);
}

static bool
next_in_mime(const struct reader *file, uint64_t *at, struct part *part)
{
	char boundary[204] = "\n";
	uint64_t begin;

	if (!find_boundary(file, &begin))
		return false;
	const struct text first = text_upto(file, begin, "\n");
	const size_t length = first.length - (first.start[first.length - 1] == '\r');

	memcpy(boundary + 1, first.start, length);
	if (*at == 0)
		*at = begin + first.length + 1;
	if (*at >= file->size)
		return false;
	const uint64_t near = file->size - *at < MOST_LINE ? file->size : *at + MOST_LINE;
	const struct reader head = { .data = file->data, .size = near };
	const struct text crlf = text_upto(&head, *at, "\r\n\r\n");
	const struct text lf = text_upto(&head, *at, "\n\n");
	const bool plain = lf.length < crlf.length;
	const struct text headers = plain ? lf : crlf;
	const uint64_t body = *at + headers.length + (plain ? 2 : 4);
	if (body >= near)
		return false;
	struct text content = text_upto(file, body, boundary);
	const uint64_t end = body + content.length;
	if (content.length > 0 && content.start[content.length - 1] == '\r')
		content.length--;
	const struct text file_name = quoted_after(headers, "filename=\"");
	const bool base64 = memmem(headers.start, headers.length, "base64", 6) != NULL;
	*part = (struct part){ .offset = body, .size = content.length,
			       .form = base64 ? PART_BASE64 : PART_PLAIN,
			       .name = file_name.length > 0 ? file_name
							    : quoted_after(headers, "name=\"") };
	*at = end + 1 + length + text_upto(file, end + 1 + length, "\n").length + 1;
	return true;
}

/* Sentry (develop.sentry.dev, Envelopes): a line of JSON for the file and for each item -------- */

static bool
is_envelope(const struct reader *file)
{
	const struct text line = text_upto(file, 0, "\n");
	const struct text item = text_upto(file, line.length + 1, "\n");

	return line.length > 1 && line.length < MOST_LINE && line.start[0] == '{' &&
	       item.length > 1 && item.length < MOST_LINE && item.start[0] == '{' &&
	       memmem(item.start, item.length, "\"type\"", 6) != NULL;
}

static bool
next_in_envelope(const struct reader *file, uint64_t *at, struct part *part)
{
	static const char key[] = "\"length\":";

	if (*at == 0)
		*at = text_upto(file, 0, "\n").length + 1;
	const struct text line = text_upto(file, *at, "\n");
	if (line.length < 2 || line.length > MOST_LINE || line.start[0] != '{')
		return false;
	*part = (struct part){ .offset = *at + line.length + 1,
			       .name = quoted_after(line, "\"filename\":\"") };
	if (part->offset > file->size)
		return false;
	/* Without a length, the item is one line. */
	const uint64_t left = file->size - part->offset;
	const char *found = memmem(line.start, line.length, key, strlen(key));
	part->size = found != NULL ? 0 : text_upto(file, part->offset, "\n").length;
	for (const char *digit = found != NULL ? found + strlen(key) : "";
	     *digit == ' ' || (*digit >= '0' && *digit <= '9' && part->size <= left); digit++)
		if (*digit != ' ')
			part->size = part->size * 10 + (uint64_t)(*digit - '0');
	if (part->size > left)
		part->size = left;
	*at = part->offset + part->size + 1;
	return true;
}

/* apport (problem_report.py): keys, and values in base64 whose lines begin with a blank -------- */

static bool
is_apport(const struct reader *file)
{
	static const char key[] = "ProblemType: ";

	return file->size > strlen(key) && memcmp(file->data, key, strlen(key)) == 0;
}

static bool
next_in_apport(const struct reader *file, uint64_t *at, struct part *part)
{
	static const char key[] = "\nCoreDump: base64\n";
	const struct text before = text_upto(file, *at, key);

	if (*at > 0 || before.length + strlen(key) >= file->size)
		return false;
	*part = (struct part){ .name = text_of("CoreDump"), .form = PART_BASE64,
			       .offset = before.length + strlen(key) };
	for (*at = part->offset; *at < file->size && file->data[*at] == ' ';)
		*at += text_upto(file, *at, "\n").length + 1;
	if (*at > file->size)
		*at = file->size;
	part->size = *at - part->offset;
	return true;
}

/* All wrappers --------------------------------------------------------------------------------- */

static const struct wrapper_row {
	const char *kind, *advice;
	bool (*recognise)(const struct reader *file);
	/* Find the next part; `*at` is 0 at first. False: no further part. */
	bool (*next)(const struct reader *file, uint64_t *at, struct part *part);
} wrappers[] = {
	{ "a zip archive", "unpack it with 'unzip' and give the dump", is_zip, next_in_zip },
	{ "a tar archive", "unpack it with 'tar -x' and give the dump", is_tar, next_in_tar },
	{ "a MIME body", "copy the dump out of it with 'tail -c +OFFSET'", is_mime, next_in_mime },
	{ "a Sentry envelope", "download the minidump among the attachments of the event",
	  is_envelope, next_in_envelope },
	{ "a report of apport", "unpack it with 'apport-unpack REPORT DIRECTORY' and give CoreDump",
	  is_apport, next_in_apport },
};

static const struct wrapper_row *
row_of(const struct reader *file)
{
	for (size_t i = 0; i < ARRAY_COUNT(wrappers); i++)
		if (wrappers[i].recognise(file))
			return &wrappers[i];
	return NULL;
}

bool
wrapper_recognise(const uint8_t *bytes, uint64_t size)
{
	return row_of(&(struct reader){ .data = bytes, .size = size }) != NULL;
}

/* Decode each line by itself, because each ends with its own padding. Returns the size. */
static uint64_t
decode_base64(const uint8_t *from, uint64_t size, uint8_t *to)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned count = 0;
	uint64_t used = 0;

	for (uint64_t i = 0; i < size; i++) {
		const char *digit = from[i] != '\0' ? strchr(digits, from[i]) : NULL;

		if (digit == NULL) {
			count = 0;
			continue;
		}
		bits = bits << 6 | (uint32_t)(digit - digits);
		count += 6;
		if (count < 8)
			continue;
		count -= 8;
		to[used++] = (uint8_t)(bits >> count);
	}
	return used;
}

/* Make a gzip file of a deflated part: add a header, the checksum and the size (RFC 1952). */
static uint64_t
frame_gzip(const struct part *part, const uint8_t *from, uint8_t *to)
{
	static const uint8_t header[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };

	memcpy(to, header, sizeof(header));
	memcpy(to + sizeof(header), from, (size_t)part->size);
	for (unsigned i = 0; i < 4; i++) {
		to[sizeof(header) + part->size + i] = (uint8_t)(part->checksum >> 8 * i);
		to[sizeof(header) + part->size + 4 + i] = (uint8_t)(part->plain_size >> 8 * i);
	}
	return sizeof(header) + part->size + 8;
}

/* The bytes of a part, as a plain or compressed file; NULL when out of memory. */
static uint8_t *
part_bytes(const struct reader *file, const struct part *part, uint64_t *size)
{
	const uint8_t *from = file->data + part->offset;
	uint8_t *bytes = malloc((size_t)part->size + 32);

	*size = part->size;
	if (bytes == NULL)
		return NULL;
	if (part->form == PART_BASE64)
		*size = decode_base64(from, part->size, bytes);
	else if (part->form == PART_DEFLATED)
		*size = frame_gzip(part, from, bytes);
	else
		memcpy(bytes, from, (size_t)part->size);
	return bytes;
}

/* Whether bytes are a dump, which may be compressed. */
static bool
has_dump(const uint8_t *bytes, uint64_t size, wrapper_is_dump *is_dump)
{
	const enum inflate_kind kind = inflate_identify(bytes, size);
	struct inflated inflated;

	if (kind == INFLATE_NONE)
		return is_dump(bytes, size);
	inflate_bytes(kind, bytes, size, PART_HEAD, &inflated);
	const bool found = inflated.data != NULL && is_dump(inflated.data, inflated.size);
	inflate_free(&inflated);
	return found;
}

static bool
is_dump_part(const struct reader *file, const struct part *part, wrapper_is_dump *is_dump)
{
	uint64_t size;

	if (part->form == PART_PLAIN)
		return has_dump(file->data + part->offset, part->size, is_dump);
	uint8_t *bytes = part->form != PART_UNREADABLE ? part_bytes(file, part, &size) : NULL;
	const bool found = bytes != NULL && has_dump(bytes, size, is_dump);
	free(bytes);
	return found;
}

enum error_code
wrapper_open(const struct file *file, wrapper_is_dump *is_dump, struct wrapped_dump *wrapped,
	     struct error *error)
{
	const struct reader reader = { .input = &file->input, .data = file->data,
				       .size = file->size };
	const struct place place = { .input = &file->input };
	const struct wrapper_row *row = row_of(&reader);
	struct part part = { .base = 0 }, found = part, unread = part;
	char name[WRAPPED_NAME];
	/* Parts of a valid archive do not overlap: copy at most `left` bytes of deflated parts. */
	uint64_t at = 0, left = file->size;
	unsigned dumps = 0;

	*wrapped = (struct wrapped_dump){ .bytes = NULL };
	if (row == NULL)
		return ERROR_NOT_FOUND;
	for (unsigned i = 0; i < MOST_PARTS && dumps < 2 && row->next(&reader, &at, &part); i++) {
		if (part.form == PART_DEFLATED && part.size > left)
			break;
		left -= part.form == PART_DEFLATED ? part.size : 0;
		if (unread.obstacle == NULL && part.obstacle != NULL)
			unread = part;
		if (!is_dump_part(&reader, &part, is_dump))
			continue;
		dumps++;
		found = dumps == 1 ? part : found;
	}
	if (dumps == 1) {
		wrapped->kind = row->kind;
		wrapped->offset = found.offset;
		text_printable(wrapped->name, sizeof(wrapped->name), found.name);
		wrapped->bytes = part_bytes(&reader, &found, &wrapped->size);
		return wrapped->bytes != NULL ? ERROR_NONE : error_memory(error);
	}
	/* Many programs end with an archive. Do not report these programs as archives. */
	if (dumps == 0 && row->recognise == is_zip && !begins_zip(&reader))
		return ERROR_NOT_FOUND;
	text_printable(name, sizeof(name), unread.name);
	if (dumps > 0 || unread.obstacle == NULL)
		error_set(error, ERROR_FORMAT, place, "%s %s", row->kind,
			  dumps == 0 ? "without a dump that can be read" : "with several dumps");
	else
		error_set(error, ERROR_FORMAT, place,
			  "%s without a dump that can be read: its part %s is %s", row->kind, name,
			  unread.obstacle);
	error_hint(error, "%s", row->advice);
	return ERROR_FORMAT;
}
