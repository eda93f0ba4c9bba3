/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf_lines.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "dwarf/dwarf_abbrev.h"
#include "dwarf/grown.h"

/* Opcodes (DWARF 5, 7.22). */
enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE_STMT, SET_BASIC_BLOCK,
       CONST_ADD_PC, FIXED_ADVANCE_PC, SET_PROLOGUE_END, SET_EPILOGUE_BEGIN, SET_ISA };
enum { END_SEQUENCE = 1, SET_ADDRESS, DEFINE_FILE };
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY };

/* Maximum number of pairs of content and form for an entry; producers write up to five. */
#define MOST_FORMATS 32u

/* Maximum number of files or directories of a unit; the largest units have some 10,000. */
#define MOST_FILES ((size_t)1 << 20)

struct line_machine {
	struct dwarf_lines *lines;
	const struct code_ranges *code;
	struct dwarf_cursor cursor;
	const uint8_t *section;
	unsigned instruction, operations;	/* bytes of an instruction, operations in it */
	int line_base;
	unsigned line_range, opcode_base;
	uint8_t lengths[256];		/* number of operands of standard opcodes */
	/* Registers. */
	uint64_t address, operation, file, line;
	/* The previous row, whose code ends where the next row begins. */
	struct line_span pending;
	bool is_pending, dropped;	/* dropped: the sequence's code was removed by the linker */
};

static bool
add_file(struct dwarf_lines *lines, const char *name, uint64_t directory)
{
	return lines->files.count < MOST_FILES &&
	       GROWN_ADD(lines->files, &(struct line_file){ name, directory });
}

static bool
add_directory(struct dwarf_lines *lines, const char *name)
{
	return lines->directories.count < MOST_FILES && GROWN_ADD(lines->directories, &name);
}

/* Header --------------------------------------------------------------------------------------- */

/* Read directories and files before DWARF 5: lists of strings, numbered from 1. */
static bool
read_old_files(struct line_machine *machine, struct dwarf_cursor *cursor)
{
	struct dwarf_lines *lines = machine->lines;
	const char *name;

	if (!add_directory(lines, NULL) || !add_file(lines, NULL, 0))
		return false;
	while ((name = dwarf_text(cursor)) != NULL && *name != '\0')
		if (!add_directory(lines, name))
			return false;
	while ((name = dwarf_text(cursor)) != NULL && *name != '\0') {
		const uint64_t directory = dwarf_uleb(cursor);

		dwarf_uleb(cursor);
		dwarf_uleb(cursor);
		if (!add_file(lines, name, directory))
			return false;
	}
	return !cursor->cut;
}

/* Read a list of directories or files of DWARF 5, with the forms of its entries. */
static bool
read_new_list(struct line_machine *machine, const struct dwarf_context *context,
	      struct dwarf_cursor *cursor, bool files)
{
	struct {
		uint64_t content;
		uint16_t form;
	} formats[MOST_FORMATS];
	const unsigned format_count = dwarf_byte(cursor);

	if (format_count > MOST_FORMATS)
		return false;
	for (unsigned i = 0; i < format_count; i++) {
		formats[i].content = dwarf_uleb(cursor);
		formats[i].form = (uint16_t)dwarf_uleb(cursor);
	}
	const uint64_t count = dwarf_uleb(cursor);
	for (uint64_t at = 0; at < count && !cursor->cut; at++) {
		struct line_file file = { 0 };

		for (unsigned i = 0; i < format_count; i++) {
			struct dwarf_value value = { .form = formats[i].form };

			dwarf_form_read(cursor, context->unit, &value);
			if (formats[i].content == CONTENT_PATH && !cursor->cut)
				file.name = dwarf_value_text(context, &value);
			else if (formats[i].content == CONTENT_DIRECTORY)
				file.directory = value.number;
		}
		if (files ? !add_file(machine->lines, file.name, file.directory)
			  : !add_directory(machine->lines, file.name))
			return false;
	}
	return !cursor->cut;
}

static bool
read_header(struct line_machine *machine, const struct dwarf_context *context, uint64_t offset)
{
	struct dwarf_cursor cursor = dwarf_file_at(context->skeletons, DWARF_LINE, offset);
	struct dwarf_unit unit = *context->unit;
	struct dwarf_context own = *context;

	unit.offset_size = 4;
	uint64_t length = dwarf_number(&cursor, 4);
	if (length == UINT32_MAX) {
		unit.offset_size = 8;
		length = dwarf_number(&cursor, 8);
	}
	if (cursor.cut || length > dwarf_left(&cursor))
		return false;
	if (length > machine->lines->budget) {
		machine->lines->exceeded = true;
		return false;
	}
	machine->lines->budget -= length;
	machine->section = cursor.at - (unit.offset_size == 8 ? 12 : 4) - offset;
	cursor.end = cursor.at + length;
	const uint64_t version = dwarf_number(&cursor, 2);
	if (version < 2 || version > 5)
		return false;
	if (version >= 5) {
		unit.address_size = dwarf_byte(&cursor);
		dwarf_byte(&cursor);
	}
	length = dwarf_number(&cursor, unit.offset_size);
	machine->cursor = cursor;
	dwarf_skip(&machine->cursor, length);
	machine->instruction = dwarf_byte(&cursor);
	machine->operations = version >= 4 ? dwarf_byte(&cursor) : 1;
	dwarf_byte(&cursor);
	machine->line_base = (int8_t)dwarf_byte(&cursor);
	machine->line_range = dwarf_byte(&cursor);
	machine->opcode_base = dwarf_byte(&cursor);
	for (unsigned i = 1; i < machine->opcode_base; i++)
		machine->lengths[i] = dwarf_byte(&cursor);
	if (cursor.cut || machine->cursor.cut || machine->line_range == 0 ||
	    machine->operations == 0 || machine->opcode_base == 0)
		return false;
	own.unit = &unit;
	own.file = context->skeletons;
	return version >= 5 ? read_new_list(machine, &own, &cursor, false) &&
				      read_new_list(machine, &own, &cursor, true)
			    : read_old_files(machine, &cursor);
}

/* Program -------------------------------------------------------------------------------------- */

static void
reset(struct line_machine *machine)
{
	machine->address = 0;
	machine->operation = 0;
	machine->file = 1;
	machine->line = 1;
	machine->is_pending = false;
	machine->dropped = false;
}

static void
advance(struct line_machine *machine, uint64_t by)
{
	if (machine->operations == 1) {
		machine->address += by * machine->instruction;
		return;
	}
	by += machine->operation;
	machine->address += machine->instruction * (by / machine->operations);
	machine->operation = by % machine->operations;
}

/* Add a row, and end the code of the previous row. */
static bool
add_row(struct line_machine *machine, const uint8_t *opcode, bool end)
{
	struct line_span *pending = &machine->pending;
	struct line_spans *spans = &machine->lines->spans;

	if (!machine->is_pending)
		machine->dropped = machine->code != NULL &&
				   code_ranges_at(machine->code, machine->address) == NULL;
	if (machine->is_pending && !machine->dropped && machine->address > pending->low) {
		const size_t most = machine->lines->most_spans;
		struct line_span *added =
			most == 0 || spans->count < most ? GROWN_PUSH(*spans) : NULL;

		machine->lines->exceeded |= added == NULL;
		if (added == NULL)
			return false;
		pending->high = machine->address;
		*added = *pending;
	}
	*pending = (struct line_span){
		.low = machine->address, .offset = (uint64_t)(opcode - machine->section),
		.file = machine->file <= UINT32_MAX ? (uint32_t)machine->file : UINT32_MAX,
		.line = machine->line <= INT32_MAX ? (uint32_t)machine->line : 0 };
	machine->is_pending = true;
	if (end)
		reset(machine);
	return true;
}

static bool
run_extended(struct line_machine *machine, const uint8_t *opcode)
{
	struct dwarf_cursor operands = machine->cursor;
	const uint64_t length = dwarf_uleb(&machine->cursor);

	operands.at = machine->cursor.at;
	dwarf_skip(&machine->cursor, length);
	if (machine->cursor.cut || length == 0)
		return !machine->cursor.cut;
	operands.end = machine->cursor.at;
	switch (dwarf_byte(&operands)) {
	case END_SEQUENCE:
		return add_row(machine, opcode, true);
	case SET_ADDRESS:
		machine->address =
			dwarf_number(&operands, length - 1 <= 8 ? (unsigned)length - 1 : 8);
		machine->operation = 0;
		return true;
	case DEFINE_FILE: {
		const char *name = dwarf_text(&operands);

		return add_file(machine->lines, name, dwarf_uleb(&operands));
	}
	default:
		return true;
	}
}

static bool
run_standard(struct line_machine *machine, const uint8_t *at)
{
	struct dwarf_cursor *cursor = &machine->cursor;
	const unsigned opcode = *at;

	switch (opcode) {
	case COPY:
		return add_row(machine, at, false);
	case ADVANCE_PC:
		advance(machine, dwarf_uleb(cursor));
		return true;
	case ADVANCE_LINE:
		machine->line += (uint64_t)dwarf_sleb(cursor);
		return true;
	case SET_FILE:
		machine->file = dwarf_uleb(cursor);
		return true;
	case CONST_ADD_PC:
		advance(machine, (255 - machine->opcode_base) / machine->line_range);
		return true;
	case FIXED_ADVANCE_PC:
		machine->address += dwarf_number(cursor, 2);
		machine->operation = 0;
		return true;
	default:
		for (unsigned i = 0; i < machine->lengths[opcode]; i++)
			dwarf_uleb(cursor);
		return true;
	}
}

static bool
run_program(struct line_machine *machine)
{
	struct dwarf_cursor *cursor = &machine->cursor;
	bool good = true;

	reset(machine);
	while (good && cursor->at < cursor->end) {
		const uint8_t *at = cursor->at;
		const unsigned opcode = dwarf_byte(cursor);

		if (opcode >= machine->opcode_base) {
			const unsigned step = opcode - machine->opcode_base;

			advance(machine, step / machine->line_range);
			machine->line += (uint64_t)(int64_t)(machine->line_base +
							     (int)(step % machine->line_range));
			good = add_row(machine, at, false);
		} else {
			good = opcode == 0 ? run_extended(machine, at) : run_standard(machine, at);
		}
	}
	return good && !cursor->cut;
}

SORTED_BY(compare, struct line_span, low)

/* Sort the spans; if two overlap, cut the later one to begin after the earlier one. */
static void
order(struct line_spans *spans)
{
	size_t kept = 0, at;

	for (at = 1; at < spans->count && spans->items[at - 1].high <= spans->items[at].low; at++)
		;
	if (at >= spans->count)
		return;
	SORT(spans->items, spans->count, compare);
	for (at = 0; at < spans->count; at++) {
		struct line_span span = spans->items[at];

		if (kept > 0 && span.low < spans->items[kept - 1].high)
			span.low = spans->items[kept - 1].high;
		if (span.low < span.high)
			spans->items[kept++] = span;
	}
	spans->count = kept;
}

void
dwarf_lines_none(struct dwarf_lines *lines)
{
	lines->files.count = 0;
	lines->directories.count = 0;
	lines->spans.count = 0;
}

bool
dwarf_lines_read(struct dwarf_lines *lines, const struct dwarf_context *context, uint64_t offset,
		 const struct code_ranges *code)
{
	struct line_machine machine = { .lines = lines, .code = code };

	dwarf_lines_none(lines);
	const bool good = read_header(&machine, context, offset) && run_program(&machine);
	order(&lines->spans);
	return good;
}

size_t
dwarf_lines_upto(const struct dwarf_lines *lines, uint64_t address)
{
	return sorted_upto(SORTED(lines->spans.items, lines->spans.count, low), address);
}

/* Paths ---------------------------------------------------------------------------------------- */

/* Maximum size in bytes of a path's directory or name; no system opens longer ones. */
#define PART_MOST 4096u

/* A directory or name. If it is long, cut it and append its size: many files may share it. */
static struct text
part_of(const char *name, char buffer[TEXT_CUT_ROOM])
{
	const struct text part = text_of(name);

	return part.length <= PART_MOST ? part : text_cut_sized(part, buffer);
}

/* Make a path in `arena`: `path`, or `base` and `path` if `path` is relative. */
static struct text
join(struct text base, const char *path, struct arena *arena)
{
	const bool absolute = *path == '/' || *path == '\\' ||
			      (path[0] != '\0' && path[1] == ':' &&
			       (path[2] == '\\' || path[2] == '/'));
	char buffer[TEXT_CUT_ROOM];
	const struct text part = part_of(path, buffer);
	const size_t before = absolute ? 0 : base.length;
	const bool slash = before > 0 && base.start[before - 1] != '/';
	char *joined = arena_alloc(arena, before + 1 + part.length);

	if (joined == NULL)
		return text_of("");
	if (before > 0)
		memcpy(joined, base.start, before);
	if (slash)
		joined[before] = '/';
	memcpy(joined + before + slash, part.start, part.length);
	return (struct text){ joined, before + slash + part.length };
}

struct text
dwarf_lines_path(const struct dwarf_lines *lines, uint64_t number, const char *directory,
		 struct arena *arena)
{
	const struct line_directories *directories = &lines->directories;
	char buffer[TEXT_CUT_ROOM];
	struct text base = part_of(directory != NULL ? directory : "", buffer);

	if (number >= lines->files.count || lines->files.items[number].name == NULL)
		return text_of("");
	const struct line_file *file = &lines->files.items[number];
	/* Directory 0 is the directory of the compilation. */
	if (file->directory > 0 && file->directory < directories->count &&
	    directories->items[file->directory] != NULL)
		base = join(base, directories->items[file->directory], arena);
	else if (base.length == 0 && directories->count > 0 && directories->items[0] != NULL)
		base = part_of(directories->items[0], buffer);
	return join(base, file->name, arena);
}

void
dwarf_lines_free(struct dwarf_lines *lines)
{
	free(lines->files.items);
	free((void *)lines->directories.items);
	free(lines->spans.items);
}
