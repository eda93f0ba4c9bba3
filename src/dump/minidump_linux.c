/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/minidump_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"

/* One line or one string of a stream, without its end. */
struct piece {
	struct text text;
	struct place place;
};

/* Take the piece at `*offset` up to `end` or the end of the stream. False behind the last one. */
static bool
next_piece(const struct reader *window, char end, uint64_t *offset, struct piece *piece)
{
	if (*offset >= window->size)
		return false;
	const char *start = (const char *)window->data + *offset;
	size_t room = (size_t)(window->size - *offset);
	const char *stop = memchr(start, end, room);
	size_t length = stop != NULL ? (size_t)(stop - start) : room;

	piece->text = (struct text){ start, length };
	piece->place = reader_place(window, *offset,
				    length < LIMIT_STRING ? (uint32_t)length : LIMIT_STRING);
	*offset += length + 1;
	return true;
}

static const char *
copy(struct minidump *minidump, struct text text)
{
	size_t length = text.length < LIMIT_STRING ? text.length : LIMIT_STRING;
	const char *result = arena_copy(&minidump->crash->arena, text.start, length);

	return result != NULL ? result : "";
}

/* Annotate "key SEPARATOR value"; without a separator the whole is the key. */
static void
annotate_pair(struct minidump *minidump, const char *source, const struct piece *piece,
	      char separator)
{
	struct text key = piece->text, value = { "", 0 };
	const char *middle = memchr(key.start, separator, key.length);

	if (middle != NULL) {
		key.length = (size_t)(middle - key.start);
		value = (struct text){ middle + 1, piece->text.length - key.length - 1 };
	}
	minidump_annotate(minidump, source, copy(minidump, text_trimmed(key)),
			  copy(minidump, text_trimmed(value)), piece->place);
}

static bool
annotate_all(struct minidump *minidump, const struct reader *window, const char *source, char end,
	     char separator)
{
	struct piece piece;
	uint64_t offset = 0;

	while (minidump->crash->annotation_count < LIMIT_ANNOTATIONS &&
	       next_piece(window, end, &offset, &piece))
		if (text_trimmed(piece.text).length != 0)
			annotate_pair(minidump, source, &piece, separator);
	return true;
}

bool
linux_decode_environment(struct minidump *minidump, const struct stream *stream,
			 const struct reader *window)
{
	(void)stream;
	return annotate_all(minidump, window, "environment", '\0', '=');
}

bool
linux_decode_status(struct minidump *minidump, const struct stream *stream,
		    const struct reader *window)
{
	(void)stream;
	return annotate_all(minidump, window, "process status", '\n', ':');
}

bool
linux_decode_cpu_info(struct minidump *minidump, const struct stream *stream,
		      const struct reader *window)
{
	(void)stream;
	return annotate_all(minidump, window, "cpu info", '\n', ':');
}

bool
linux_decode_release(struct minidump *minidump, const struct stream *stream,
		     const struct reader *window)
{
	(void)stream;
	return annotate_all(minidump, window, "release", '\n', '=');
}

bool
linux_decode_command_line(struct minidump *minidump, const struct stream *stream,
			  const struct reader *window)
{
	struct piece piece;
	uint64_t offset = 0;
	unsigned index = 0;
	char key[32];

	(void)stream;
	while (minidump->crash->annotation_count < LIMIT_ANNOTATIONS &&
	       next_piece(window, '\0', &offset, &piece)) {
		snprintf(key, sizeof(key), "argument %u", index++);
		minidump_annotate(minidump, "command line", copy(minidump, text_of(key)),
				  copy(minidump, piece.text), piece.place);
	}
	return true;
}

/* Entries of the auxiliary vector (Linux, uapi/linux/auxvec.h). */
static const struct {
	uint64_t type;
	const char *name;
} auxv_names[] = {
	{ 3, "AT_PHDR" },	{ 4, "AT_PHENT" },    { 5, "AT_PHNUM" },     { 6, "AT_PAGESZ" },
	{ 7, "AT_BASE" },	{ 8, "AT_FLAGS" },    { 9, "AT_ENTRY" },     { 11, "AT_UID" },
	{ 12, "AT_EUID" },	{ 13, "AT_GID" },     { 14, "AT_EGID" },     { 15, "AT_PLATFORM" },
	{ 16, "AT_HWCAP" },	{ 17, "AT_CLKTCK" },  { 23, "AT_SECURE" },
	{ 24, "AT_BASE_PLATFORM" }, { 25, "AT_RANDOM" }, { 26, "AT_HWCAP2" },
	{ 31, "AT_EXECFN" },	{ 32, "AT_SYSINFO" }, { 33, "AT_SYSINFO_EHDR" },
	{ 51, "AT_MINSIGSTKSZ" },
};

static const char *
auxv_name(struct minidump *minidump, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_COUNT(auxv_names); i++)
		if (auxv_names[i].type == type)
			return auxv_names[i].name;
	return arena_format(&minidump->crash->arena, "AT_%" PRIu64, type);
}

bool
linux_decode_auxv(struct minidump *minidump, const struct stream *stream,
		  const struct reader *window)
{
	unsigned word = minidump->crash->system.arch->word_size;
	uint64_t type, value;

	(void)stream;
	for (uint64_t offset = 0; reader_unsigned(window, offset, word, &type) && type != 0 &&
				  reader_unsigned(window, offset + word, word, &value) &&
				  minidump->crash->annotation_count < LIMIT_ANNOTATIONS;
	     offset += 2 * word)
		minidump_annotate(minidump, "auxiliary vector", auxv_name(minidump, type),
				  arena_format(&minidump->crash->arena, "0x%" PRIx64, value),
				  reader_place(window, offset, 2 * word));
	return true;
}

/* A hexadecimal number at the start of `text`, which moves behind it. */
static bool
take_hex(struct text *text, uint64_t *value)
{
	size_t digits = 0;

	*value = 0;
	for (; digits < text->length; digits++) {
		char c = text->start[digits];
		unsigned digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned)(c - 'a' + 10);
		else
			break;
		if (*value >> 60 != 0)
			return false;
		*value = *value << 4 | digit;
	}
	*text = (struct text){ text->start + digits, text->length - digits };
	return digits > 0;
}

static bool
take_character(struct text *text, char c)
{
	if (text->length == 0 || text->start[0] != c)
		return false;
	*text = (struct text){ text->start + 1, text->length - 1 };
	return true;
}

static struct text
take_word(struct text *text)
{
	const char *blank = memchr(text->start, ' ', text->length);
	size_t length = blank != NULL ? (size_t)(blank - text->start) : text->length;
	struct text word = { text->start, length };

	*text = text_trimmed((struct text){ text->start + length, text->length - length });
	return word;
}

/* "start-end perms offset device inode path" (proc(5)); the path may hold blanks. */
static bool
parse_map(struct minidump *minidump, struct text line, struct mapping *mapping)
{
	uint64_t end;

	if (!take_hex(&line, &mapping->base) || !take_character(&line, '-') ||
	    !take_hex(&line, &end) || !take_character(&line, ' ') || end < mapping->base)
		return false;
	mapping->size = end - mapping->base;
	struct text permissions = take_word(&line);
	if (permissions.length < 4)
		return false;
	mapping->readable = permissions.start[0] == 'r';
	mapping->writable = permissions.start[1] == 'w';
	mapping->executable = permissions.start[2] == 'x';
	mapping->text = copy(minidump, permissions);
	for (unsigned column = 0; column < 3; column++)
		take_word(&line);
	mapping->name = copy(minidump, line);
	return true;
}

bool
linux_decode_maps(struct minidump *minidump, const struct stream *stream,
		  const struct reader *window)
{
	struct piece piece;
	uint64_t offset = 0;

	(void)stream;
	while (next_piece(window, '\n', &offset, &piece)) {
		struct mapping mapping = { .place = piece.place };

		if (piece.text.length == 0)
			continue;
		if (!parse_map(minidump, piece.text, &mapping)) {
			minidump_message(minidump, ENTRY_BROKEN, piece.place,
					 "a line of the memory map is not as proc(5) says"
					 "\nit is left out");
			continue;
		}
		minidump->mappings_from_maps = true;
		if (!memory_add_mapping(minidump, mapping))
			break;
	}
	return true;
}
