/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lines of a symbol file (symbols/symfile_lines.c): each ends at LF, at CR LF, or at a CR before
 * any other byte. Answers are compared with that definition, byte by byte. */
#include "tests/unit/symbols/symtext.h"

#include "symbols/symfile_internal.h"
#include "tests/lib/chance.h"

#define MOST (3 * LINE_BLOCK)

/* For each byte the number and start of its line, and whether the line ends with it. */
struct model {
	char text[MOST];
	uint64_t size;
	uint32_t line[MOST];
	uint64_t start[MOST];
	bool end[MOST];
	uint32_t lines;
};

static void
model_make(struct model *model)
{
	uint64_t start = 0;
	uint32_t line = 1;

	for (uint64_t at = 0; at < model->size; at++) {
		const char c = model->text[at];
		const bool before_newline = at + 1 < model->size && model->text[at + 1] == '\n';

		model->line[at] = line;
		model->start[at] = start;
		model->end[at] = c == '\n' || (c == '\r' && !before_newline);
		if (model->end[at]) {
			line++;
			start = at + 1;
		}
	}
	model->lines = line - (start == model->size);
}

/* The length of the line at `start` without its end, by definition. */
static uint64_t
length_at(const struct model *model, uint64_t start)
{
	uint64_t at = start;

	while (at < model->size && model->text[at] != '\n' && model->text[at] != '\r')
		at++;
	return at - start;
}

static bool
lines_found(const struct model *model, const struct symfile *symfile)
{
	struct line_finder finder = line_finder_at(symfile, 0);
	uint64_t start, length, next = 0;
	uint32_t count = 0;

	while (line_next(&finder, &start, &length)) {
		if (start != next || length != length_at(model, start))
			return false;
		count++;
		for (next = start; next < model->size && !model->end[next];)
			next++;
		next++;
	}
	return count == model->lines && symfile_line_count(symfile) == model->lines;
}

static bool
place_is(const struct model *model, const struct place *place, uint64_t offset)
{
	return place->offset == offset && place->length == 3 && place->line == model->line[offset] &&
	       place->column == offset - model->start[offset] + 1;
}

/* All answers about one byte. */
static bool
byte_right(const struct model *model, const struct symfile *symfile, uint64_t offset)
{
	const struct place place = symfile_place(symfile, offset, 3);
	uint64_t start = UINT64_MAX;

	return symfile_line_start(symfile, offset) == model->start[offset] && place_is(model, &place, offset) &&
	       symfile_line_offset(symfile, model->line[offset], &start) && start == model->start[offset];
}

/* The number of lines that end between two bytes, and the second place computed from the first. */
static bool
bytes_right(const struct model *model, const struct symfile *symfile, uint64_t from, uint64_t to)
{
	const struct place before = symfile_place(symfile, from, 1);
	const struct place place = symfile_place_behind(symfile, &before, to, 3);
	uint64_t ends = 0;

	for (uint64_t at = from; at < to; at++)
		ends += model->end[at];
	return line_ends_between(symfile, from, to) == ends && place_is(model, &place, to);
}

/* Text of few kinds of bytes; `ends` of a hundred are line ends. */
static void
make_text(struct model *model, uint64_t size, uint32_t ends, bool returns)
{
	static const char kinds[] = "\n\r\n\r\r\n";

	model->size = size;
	for (uint64_t at = 0; at < size; at++)
		model->text[at] = chance(100) >= ends ? 'x' : returns	      ? kinds[chance(sizeof(kinds) - 1)] : '\n';
	model_make(model);
}

TEST(short)
{
	static struct model model;
	bool same = true;

	for (unsigned turn = 0; same && turn < 1500; turn++) {
		make_text(&model, 1 + chance(14), 20 + chance(60), turn % 3 != 0);
		struct symfile *symfile = open_bytes(model.text, model.size);

		same = lines_found(&model, symfile);
		for (uint64_t from = 0; same && from < model.size; from++) {
			same = byte_right(&model, symfile, from);
			for (uint64_t to = from; same && to < model.size; to++)
				same = bytes_right(&model, symfile, from, to);
		}
		symfile_close(symfile);
	}
	ok(same, "1500 short texts have the lines of the definition");
}

TEST(long)
{
	static struct model model;
	bool same = true;

	for (unsigned turn = 0; same && turn < 24; turn++) {
		make_text(&model, MOST - chance(9) - (turn % 2 != 0 ? LINE_BLOCK : 0), turn % 3 == 0 ? 30 : turn % 3, turn % 4 != 0);
		struct symfile *symfile = open_bytes(model.text, model.size);

		same = lines_found(&model, symfile);
		for (unsigned i = 0; same && i < 600; i++) {
			const uint64_t near = LINE_BLOCK * (1 + i % 2) - 4 + chance(8);
			const uint64_t from = i % 3 == 0 && near < model.size ? near : chance((uint32_t)model.size);
			uint64_t to = from + chance(i % 5 == 0 ? 5000 : 40);

			to = to < model.size ? to : model.size - 1;
			same = byte_right(&model, symfile, from) && bytes_right(&model, symfile, from, to);
		}
		symfile_close(symfile);
	}
	ok(same, "24 texts of several blocks have the lines of the definition");
}

TEST(borders)
{
	struct symfile *symfile = open_text("a\nbc\n");
	struct place place = symfile_place(symfile, 5, 0);
	const struct place unknown = { .line = 0 }, far = { .line = UINT32_MAX };
	uint64_t offset;

	ok(place.line == 2 && place.column == 4, "the end of a file is after its last line");
	place = symfile_place_behind(symfile, &place, 5, 0);
	ok(place.line == 2 && place.column == 4, "the end of a file is after its last line, from another place");
	place = symfile_place_behind(symfile, &unknown, 2, 2);
	ok(place.line == 2 && place.column == 1, "an unknown place leads to the start");
	place = symfile_place_behind(symfile, &far, 2, 2);
	ok(place.line == 2 && place.column == 1, "a line past the end leads to the same place");
	const struct place later = symfile_place(symfile, 3, 1);
	place = symfile_place_behind(symfile, &later, 0, 1);
	ok(place.line == 1 && place.column == 1, "a place on line 1 is found from a later place");
	ok(!symfile_line_offset(symfile, 0, &offset) && !symfile_line_offset(symfile, 3, &offset),
	   "there is no line 0, and no line after the last one");
	symfile_close(symfile);
	symfile = open_text("");
	place = symfile_place(symfile, 0, 0);
	ok(place.line == 1 && place.column == 1 && symfile_line_count(symfile) == 0 &&
	   !symfile_line_offset(symfile, 1, &offset), "an empty file has no line");
	symfile_close(symfile);
	symfile = open_bytes("a\n\0\0", 4);
	is_u64(symfile_line_count(symfile), 1, "NUL bytes at the end are no line");
	symfile_close(symfile);
}
