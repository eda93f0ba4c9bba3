/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/core.h"
#include "dump/describe_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Pieces of text ------------------------------------------------------------------------------- */

/* Take the piece at `*offset` up to `end` or the end of the stream. False: no further pieces. */
static bool
next_piece(const struct reader *window, char end, uint64_t *offset, struct text *piece)
{
	if (*offset >= window->size)
		return false;
	const char *start = (const char *)window->data + *offset;
	size_t room = (size_t)(window->size - *offset);
	const char *stop = memchr(start, end, room);

	*piece = (struct text){ start, stop != NULL ? (size_t)(stop - start) : room };
	*offset += piece->length + 1;
	return true;
}

static struct place
place_of(const struct reader *window, struct text text)
{
	return reader_place(window, (uint64_t)((const uint8_t *)text.start - window->data),
			    text.length);
}

/* Describe "key SEPARATOR value"; a text without a separator is a key without a value. */
static void
tell_pairs(struct describe *describe, const struct reader *window, char end, char separator,
	   bool private)
{
	struct text piece;
	uint64_t offset = 0;

	while (next_piece(window, end, &offset, &piece)) {
		const char *middle = memchr(piece.start, separator, piece.length);
		struct text key = piece, value = { "", 0 };

		if (text_trimmed(piece).length == 0)
			continue;
		if (middle != NULL) {
			key.length = (size_t)(middle - key.start);
			value = text_trimmed((struct text){
				middle + 1, piece.length - key.length - 1 });
		}
		key = text_trimmed(key);
		/* The value of a quoted text (lsb-release) is between the quotes. */
		if (separator == '=' && !private && value.length >= 2 && value.start[0] == '"' &&
		    value.start[value.length - 1] == '"')
			value = (struct text){ value.start + 1, value.length - 2 };
		const char *name = text_copy(&describe->arena, key);
		describe_value(describe, (struct describe_value){
			.name = name != NULL ? name : "", .kind = DESCRIBE_TEXT, .text = value,
			.private = private, .place = place_of(window, piece) });
	}
}

void
linux_colon_pairs_describe(struct describe *describe, const struct reader *window)
{
	tell_pairs(describe, window, '\n', ':', false);
}

void
linux_equal_pairs_describe(struct describe *describe, const struct reader *window)
{
	tell_pairs(describe, window, '\n', '=', false);
}

void
linux_environment_describe(struct describe *describe, const struct reader *window)
{
	tell_pairs(describe, window, '\0', '=', true);
}

static void
tell_pieces(struct describe *describe, const struct reader *window, char end, const char *what,
	    bool private)
{
	struct text piece;
	uint64_t offset = 0, index = 0;

	while (next_piece(window, end, &offset, &piece)) {
		char name[40];

		snprintf(name, sizeof(name), "%s[%" PRIu64 "]", what, index++);
		describe_value(describe, (struct describe_value){
			.name = name, .kind = DESCRIBE_TEXT, .text = piece, .private = private,
			.place = place_of(window, piece) });
	}
}

void
linux_command_line_describe(struct describe *describe, const struct reader *window)
{
	tell_pieces(describe, window, '\0', "argument", true);
}

void
linux_lines_describe(struct describe *describe, const struct reader *window)
{
	tell_pieces(describe, window, '\n', "line", false);
}

void
linux_text_describe(struct describe *describe, const struct reader *window)
{
	struct text bytes = { (const char *)window->data, (size_t)window->size };
	bool is_text = true;

	while (bytes.length > 0 && bytes.start[bytes.length - 1] == '\0')
		bytes.length--;
	/* Text is UTF-8 whose only control characters are blanks and ends of lines. */
	for (size_t i = 0, length; is_text && i < bytes.length; i += length) {
		uint32_t character;

		length = text_decode(bytes.start + i, bytes.length - i, &character);
		is_text = length != 0 &&
			  (character >= ' ' || (character != 0 &&
						strchr("\t\n\r", (int)character) != NULL));
	}
	if (is_text)
		describe_value(describe, (struct describe_value){
			.name = "text", .kind = DESCRIBE_TEXT, .text = bytes,
			.place = place_of(window, bytes) });
	else
		describe_bytes(describe, "bytes", window, 0, window->size);
}

static const struct field build_id_fields[] = { { 0, 4, FIELD_HEX, .name = "build_id" } };

const struct list_layout linux_build_id_layout = { .entry = STRUCTURE(build_id_fields, 4) };

/* Auxiliary vector ----------------------------------------------------------------------------- */

/* AT_... (Linux, uapi/linux/auxvec.h and the architectures' asm/auxvec.h) */
static const struct meaning auxv_types[] = {
	{ 0, "AT_NULL" }, { 1, "AT_IGNORE" }, { 2, "AT_EXECFD" }, { 3, "AT_PHDR" },
	{ 4, "AT_PHENT" }, { 5, "AT_PHNUM" }, { 6, "AT_PAGESZ" }, { 7, "AT_BASE" },
	{ 8, "AT_FLAGS" }, { 9, "AT_ENTRY" }, { 10, "AT_NOTELF" }, { 11, "AT_UID" },
	{ 12, "AT_EUID" }, { 13, "AT_GID" }, { 14, "AT_EGID" }, { 15, "AT_PLATFORM" },
	{ 16, "AT_HWCAP" }, { 17, "AT_CLKTCK" }, { 18, "AT_FPUCW" }, { 19, "AT_DCACHEBSIZE" },
	{ 20, "AT_ICACHEBSIZE" }, { 21, "AT_UCACHEBSIZE" }, { 22, "AT_IGNOREPPC" },
	{ 23, "AT_SECURE" }, { 24, "AT_BASE_PLATFORM" }, { 25, "AT_RANDOM" },
	{ 26, "AT_HWCAP2" }, { 27, "AT_RSEQ_FEATURE_SIZE" }, { 28, "AT_RSEQ_ALIGN" },
	{ 29, "AT_HWCAP3" }, { 30, "AT_HWCAP4" }, { 31, "AT_EXECFN" }, { 32, "AT_SYSINFO" },
	{ 33, "AT_SYSINFO_EHDR" }, { 34, "AT_L1I_CACHESHAPE" }, { 35, "AT_L1D_CACHESHAPE" },
	{ 36, "AT_L2_CACHESHAPE" }, { 37, "AT_L3_CACHESHAPE" }, { 40, "AT_L1I_CACHESIZE" },
	{ 41, "AT_L1I_CACHEGEOMETRY" }, { 42, "AT_L1D_CACHESIZE" },
	{ 43, "AT_L1D_CACHEGEOMETRY" }, { 44, "AT_L2_CACHESIZE" }, { 45, "AT_L2_CACHEGEOMETRY" },
	{ 46, "AT_L3_CACHESIZE" }, { 47, "AT_L3_CACHEGEOMETRY" }, { 48, "AT_ADI_BLKSZ" },
	{ 51, "AT_MINSIGSTKSZ" },
};

void
linux_auxv_describe(struct describe *describe, const struct reader *window)
{
	const unsigned word = core_word(describe->crash);
	uint64_t offset = 0, type = 1, value;
	char other[32];

	for (; type != 0 && reader_unsigned(window, offset, word, &type) &&
	       reader_unsigned(window, offset + word, word, &value); offset += 2 * word) {
		const char *name = describe_meaning(describe, VALUES(auxv_types), type);

		snprintf(other, sizeof(other), "AT_%" PRIu64, type);
		describe_value(describe, (struct describe_value){
			.name = name != NULL ? name : other, .kind = DESCRIBE_HEX, .number = value,
			.digits = 2 * word, .linked = value,
			.link = type != 0 ? DESCRIBE_LINK_ADDRESS : DESCRIBE_LINK_NONE,
			.place = reader_place(window, offset, 2 * word) });
	}
	if (type != 0)
		describe_broken(describe, "AT_NULL", reader_place(window, offset, 0),
				"the vector has no end entry");
}

bool
linux_auxv_decode(struct minidump *minidump, const struct stream *stream,
		  const struct reader *window)
{
	struct crash *crash = minidump->crash;
	struct core *core = minidump->core;
	const unsigned word = core_word(crash);
	const struct { uint64_t type; uint64_t *value; } wanted[] = {
		{ 3, &crash->program.headers },
		{ 7, core != NULL ? &core->linker : NULL },
		{ 9, &crash->program.entry },
		{ 31, core != NULL ? &core->program_name : NULL },
		/* AT_SYSINFO is used only on x86. */
		{ 32, crash->system.arch->stack_win ? &crash->system_call : NULL },
		{ 33, core != NULL ? &core->vdso : NULL },
	};
	uint64_t type = 1, value;

	(void)stream;
	for (uint64_t at = 0; type != 0 && reader_unsigned(window, at, word, &type) &&
			      reader_unsigned(window, at + word, word, &value); at += 2 * word)
		for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
			if (wanted[i].type == type && wanted[i].value != NULL)
				*wanted[i].value = value;
	return true;
}

/* Memory map ----------------------------------------------------------------------------------- */

static struct text
take_word(struct text *text)
{
	const char *blank = memchr(text->start, ' ', text->length);
	struct text word = { text->start,
			     blank != NULL ? (size_t)(blank - text->start) : text->length };

	*text = text_trimmed((struct text){ text->start + word.length,
					    text->length - word.length });
	return word;
}

static void
tell_word(struct describe *describe, const struct reader *window, const char *name,
	  struct text word, bool key)
{
	describe_value(describe, (struct describe_value){
		.name = name, .kind = DESCRIBE_WORD, .text = word, .key = key,
		.place = place_of(window, word) });
}

static bool
begin_line(struct describe *describe, const struct reader *window, const char *name, size_t index,
	   struct text line)
{
	return describe_begin(describe, (struct describe_record){
		.name = name, .index = index, .line = line, .place = place_of(window, line) });
}

struct mapping_line {
	uint64_t start, end;
	struct text start_text, end_text, permissions, offset, device, inode, path;
};

/* "start-end perms offset device inode path" (proc(5)); the path may contain blanks. */
static bool
parse_mapping(struct text line, struct mapping_line *mapping)
{
	struct text rest = line;

	if (!text_take_number(&rest, 16, &mapping->start) || rest.length == 0 ||
	    rest.start[0] != '-')
		return false;
	mapping->start_text = (struct text){ line.start, line.length - rest.length };
	rest = (struct text){ rest.start + 1, rest.length - 1 };
	mapping->end_text = rest;
	if (!text_take_number(&rest, 16, &mapping->end) || rest.length == 0 || rest.start[0] != ' ')
		return false;
	mapping->end_text.length -= rest.length;
	rest = text_trimmed(rest);
	mapping->permissions = take_word(&rest);
	mapping->offset = take_word(&rest);
	mapping->device = take_word(&rest);
	mapping->inode = take_word(&rest);
	mapping->path = rest;
	return mapping->end >= mapping->start && mapping->permissions.length >= 4;
}

void
linux_maps_describe(struct describe *describe, const struct reader *window)
{
	uint64_t offset = 0;
	struct text line;
	size_t index = 0;

	while (next_piece(window, '\n', &offset, &line)) {
		struct mapping_line mapping;

		if (line.length == 0)
			continue;
		if (!parse_mapping(line, &mapping)) {
			describe_broken(describe, "line", place_of(window, line),
					"it does not have the format of proc(5)");
			continue;
		}
		if (!begin_line(describe, window, "mapping", index++, line))
			continue;
		describe_value(describe, (struct describe_value){
			.name = "start", .kind = DESCRIBE_HEX, .number = mapping.start,
			.key = true, .link = DESCRIBE_LINK_ADDRESS, .linked = mapping.start,
			.place = place_of(window, mapping.start_text) });
		describe_value(describe, (struct describe_value){
			.name = "end", .kind = DESCRIBE_HEX, .number = mapping.end, .key = true,
			.place = place_of(window, mapping.end_text) });
		tell_word(describe, window, "permissions", mapping.permissions, true);
		tell_word(describe, window, "offset", mapping.offset, false);
		tell_word(describe, window, "device", mapping.device, false);
		tell_word(describe, window, "inode", mapping.inode, false);
		describe_value(describe, (struct describe_value){
			.name = "path", .kind = DESCRIBE_TEXT, .text = mapping.path, .key = true,
			.place = place_of(window, mapping.path) });
		describe_end(describe);
	}
}

bool
linux_maps_decode(struct minidump *minidump, const struct stream *stream,
		  const struct reader *window)
{
	struct arena *arena = &minidump->crash->arena;
	struct mapping_line parts;
	struct text line;
	uint64_t offset = 0, file_offset;

	(void)stream;
	while (next_piece(window, '\n', &offset, &line)) {
		const struct place place = place_of(window, line);

		if (line.length == 0)
			continue;
		if (!parse_mapping(line, &parts)) {
			minidump_message(minidump, ENTRY_BROKEN, place,
					 "a line of the memory map does not have the format of "
					 "proc(5)\nit is skipped");
			continue;
		}
		minidump->mappings_from_maps = true;
		if (!text_take_number(&parts.offset, 16, &file_offset))
			file_offset = 0;
		if (!memory_add_mapping(
			    minidump,
			    (struct mapping){
				    .base = parts.start,
				    .size = parts.end - parts.start,
				    .readable = parts.permissions.start[0] == 'r',
				    .writable = parts.permissions.start[1] == 'w',
				    .executable = parts.permissions.start[2] == 'x',
				    .text = text_or_empty(text_copy(arena, parts.permissions)),
				    .name = text_or_empty(text_copy(arena, parts.path)),
				    .file_offset = file_offset,
				    .place = place }))
			break;
	}
	return true;
}

/* Limits --------------------------------------------------------------------------------------- */

/* The columns of /proc/PID/limits (fs/proc/base.c): name, soft and hard limit, unit. */
#define LIMIT_NAME_COLUMNS 26u
#define LIMIT_VALUE_COLUMNS 21u

static struct text
column(struct text line, size_t start, size_t width)
{
	if (start >= line.length)
		return (struct text){ line.start + line.length, 0 };
	size_t room = line.length - start;
	return text_trimmed((struct text){ line.start + start, width < room ? width : room });
}

void
linux_limits_describe(struct describe *describe, const struct reader *window)
{
	uint64_t offset = 0;
	struct text line;
	size_t index = 0;

	while (next_piece(window, '\n', &offset, &line)) {
		const size_t soft = LIMIT_NAME_COLUMNS, hard = soft + LIMIT_VALUE_COLUMNS;

		/* The first line names the columns. */
		if (text_trimmed(line).length == 0 ||
		    (line.length > 5 && memcmp(line.start, "Limit ", 6) == 0))
			continue;
		if (!begin_line(describe, window, "limit", index++, line))
			continue;
		tell_word(describe, window, "name", column(line, 0, LIMIT_NAME_COLUMNS), true);
		tell_word(describe, window, "soft", column(line, soft, LIMIT_VALUE_COLUMNS), true);
		tell_word(describe, window, "hard", column(line, hard, LIMIT_VALUE_COLUMNS), true);
		tell_word(describe, window, "unit",
			  column(line, hard + LIMIT_VALUE_COLUMNS, line.length), true);
		describe_end(describe);
	}
}

/* Shared objects ------------------------------------------------------------------------------- */

/* MDRawDebug32, MDRawDebug64: fields after dso_count are aligned to words of the process. */
#define DEBUG(member) INTO(struct linux_debug, member)
#define LINK(member) INTO(struct linux_link, member)
#define DSO_FIELDS(word)									\
	{ 0, 4, FIELD_DECIMAL, .name = "version", DEBUG(version) },			\
	{ 4, 4, FIELD_HEX, .name = "map", DEBUG(map) },					\
	{ 8, 4, FIELD_DECIMAL, .name = "dso_count", DEBUG(count) },			\
	{ 8 + word, word, FIELD_ADDRESS, .name = "brk", DEBUG(brk) },			\
	{ 8 + 2 * word, word, FIELD_ADDRESS, .name = "ldbase", DEBUG(ldbase) },		\
	{ 8 + 3 * word, word, FIELD_ADDRESS, .name = "dynamic", DEBUG(dynamic) }

#define LINK_FIELDS(word)									\
	{ 0, word, FIELD_ADDRESS, .name = "addr", .key = true, LINK(address) },		\
	{ word, 4, FIELD_HEX, .name = "name_rva", .string = "name", LINK(name) },	\
	{ 2 * word, word, FIELD_ADDRESS, .name = "ld", LINK(dynamic) }

static const struct field dso_32_fields[] = { DSO_FIELDS(4) };
static const struct field dso_64_fields[] = { DSO_FIELDS(8) };
static const struct field link_32_fields[] = { LINK_FIELDS(4) };
static const struct field link_64_fields[] = { LINK_FIELDS(8) };

static const struct dso_layout {
	struct structure head;
	struct list_layout links;
} dso_layouts[] = {
	{ STRUCTURE(dso_32_fields, 24),
	  { .name = "link_map", .entry = STRUCTURE(link_32_fields, 12) } },
	{ STRUCTURE(dso_64_fields, 40),
	  { .name = "link_map", .entry = STRUCTURE(link_64_fields, 24) } },
};

void
linux_dso_debug_describe(struct describe *describe, const struct reader *window)
{
	const struct dso_layout *layout =
		&dso_layouts[describe->crash->system.arch->word_size == 8];
	const struct structure head = layout->head;
	struct list list = { .entry_size = layout->links.entry.size,
			     .claimed = fields_number(head, "dso_count", window) };

	describe_structure(describe, head, window, head.size);
	if (window->size > head.size)
		describe_bytes(describe, "dynamic_section", window, head.size,
			       window->size - head.size);
	if (list.claimed == 0)
		return;
	describe_clip(describe, &describe->crash->reader, fields_number(head, "map", window),
		      &list);
	describe_entries(describe, &list, &layout->links);
}

bool
linux_debug_read(const struct crash *crash, struct linux_debug *debug)
{
	const struct dso_layout *layout = &dso_layouts[crash->system.arch->word_size == 8];
	struct reader window;

	*debug = (struct linux_debug){ .count = 0 };
	return !crash->core && crash_stream_bytes(crash, LINUX_DSO_DEBUG, &window) &&
	       fields_read(&layout->head, &window, debug) &&
	       reader_window(&window, layout->head.size, window.size - layout->head.size,
			     &debug->section);
}

bool
linux_debug_link(const struct crash *crash, const struct linux_debug *debug, uint32_t index,
		 struct linux_link *link)
{
	const struct structure *entry =
		&dso_layouts[crash->system.arch->word_size == 8].links.entry;
	struct reader window;

	return index < debug->count &&
	       reader_window(&crash->reader, debug->map + (uint64_t)index * entry->size,
			     entry->size, &window) &&
	       fields_read(entry, &window, link);
}
