/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "report/memory/frame_drawing_internal.h"

/* The drawing of a frame as SVG 1.1: black text on white with light boxes, fit for printing. */

/* Columns and heights in pixels; a character of the monospaced font is about 7.2 wide. */
enum {
	WIDTH = 900, MARGIN = 16, BOX = 156, BOX_WIDTH = 156, DISTANCE = 326, TEXT = 424,
	LINE_HEIGHT = 20, BOX_HEIGHT = 24, RUN_HEIGHT = 40, BASELINE = 16,
	TEXT_COLUMNS = 62, LINE_COLUMNS = 118
};

struct svg {
	const struct output *output;
	struct row row;
	unsigned y;
};

static void
write_escaped(const struct output *output, const char *text)
{
	static const struct {
		char character;
		const char *entity;
	} entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" } };

	while (*text != '\0') {
		const size_t plain = strcspn(text, "&<>\"");

		output->write(output->context, text, plain);
		text += plain;
		for (size_t i = 0; i < ARRAY_COUNT(entities) && *text != '\0'; i++)
			if (*text == entities[i].character) {
				output_plain(output, entities[i].entity);
				text++;
				break;
			}
	}
}

/* Writes the text of the row, and empties the row. */
static void
write_text(struct svg *svg, unsigned x, const char *class, bool ends)
{
	output_format(svg->output, "<text class=\"%s\" x=\"%u\" y=\"%u\"%s>", class, x,
		      svg->y + BASELINE, ends ? " text-anchor=\"end\"" : "");
	write_escaped(svg->output, row_text(&svg->row));
	output_plain(svg->output, "</text>\n");
	row_clear(&svg->row);
}

static void
write_slot(struct svg *svg, const struct drawing *drawing, const struct frame_part *slot)
{
	const bool run = slot->size != drawing->word;
	const unsigned height = run ? RUN_HEIGHT : BOX_HEIGHT;
	char distance[48];

	output_format(svg->output,
		      "<rect class=\"%s\" x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\"/>\n",
		      slot->outside	   ? "outside"
		      : slot->returns	   ? "return"
		      : slot->save != NULL ? "saved"
					   : "other",
		      BOX, svg->y, BOX_WIDTH, height);
	row_add(&svg->row, ROLE_DIM, "%0*" PRIx64, drawing->digits, slot->address);
	write_text(svg, BOX - 8, "address", true);
	drawing_add_value(drawing, slot, &svg->row);
	write_text(svg, BOX + 12, "word", false);
	row_add(&svg->row, ROLE_NORMAL, "%s",
		drawing_distance(drawing, slot, distance, sizeof(distance)));
	write_text(svg, DISTANCE, "address", false);
	drawing_describe(drawing, slot, TEXT_COLUMNS, &svg->row);
	row_cut(&svg->row, TEXT_COLUMNS);
	write_text(svg, TEXT, "word", false);
	svg->y += height;
}

static void
write_end(struct svg *svg, const struct drawing *drawing)
{
	output_format(svg->output,
		      "<line class=\"end\" x1=\"%d\" y1=\"%u\" x2=\"%d\" y2=\"%u\"/>\n", MARGIN,
		      svg->y + 4, WIDTH - MARGIN, svg->y + 4);
	svg->y += 6;
	if (drawing->layout.settled)
		row_add(&svg->row, ROLE_DIM, "%0*" PRIx64, drawing->digits, drawing->layout.end);
	else
		row_add(&svg->row, ROLE_DIM, "?");
	write_text(svg, BOX - 8, "address", true);
	drawing_text(drawing, DRAWING_END, TEXT_COLUMNS, &svg->row);
	write_text(svg, BOX + 12, "title", false);
	svg->y += LINE_HEIGHT + 6;
}

static void
write_row(struct svg *svg, const struct drawing *drawing, const struct drawing_row *at)
{
	if (at->kind == DRAWING_SLOT) {
		write_slot(svg, drawing, at->slot);
	} else if (at->kind == DRAWING_END) {
		write_end(svg, drawing);
	} else if (at->kind != DRAWING_EDGE) {
		const bool grows = at->kind == DRAWING_GROWTH;

		drawing_text(drawing, at->kind, LINE_COLUMNS, &svg->row);
		row_cut(&svg->row, LINE_COLUMNS);
		write_text(svg, grows ? BOX + 12 : MARGIN,
			   at->kind == DRAWING_TITLE ? "title" : "word", false);
		svg->y += LINE_HEIGHT;
	}
}

static unsigned
height_of(const struct drawing *drawing)
{
	unsigned height = 2 * MARGIN;

	for (size_t i = 0; i < drawing->count; i++) {
		const struct drawing_row *at = &drawing->rows[i];

		if (at->kind == DRAWING_SLOT)
			height += at->slot->size != drawing->word ? RUN_HEIGHT : BOX_HEIGHT;
		else if (at->kind == DRAWING_END)
			height += LINE_HEIGHT + 12;
		else if (at->kind != DRAWING_EDGE)
			height += LINE_HEIGHT;
	}
	return height;
}

void
frame_drawing_svg(const struct frame_drawing_options *options, bool inside,
		  const struct output *output)
{
	struct arena arena = { 0 };
	const struct drawing *drawing = drawing_make(options, &arena);
	struct svg svg = { .output = output, .row = ROW_IN(&arena), .y = MARGIN };

	if (drawing == NULL) {
		arena_free(&arena);
		return;
	}
	output_plain(output, inside ? "" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	output_format(output,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		      "height=\"%u\" viewBox=\"0 0 %d %u\">\n<title>",
		      WIDTH, height_of(drawing), WIDTH, height_of(drawing));
	drawing_text(drawing, DRAWING_TITLE, 0, &svg.row);
	write_escaped(output, row_text(&svg.row));
	row_clear(&svg.row);
	output_plain(output,
		     "</title>\n<style>text { font: 12px monospace; white-space: pre; }\n"
		     ".address { fill: #555; } .title { font-weight: bold; }\n"
		     "rect { fill: #fff; stroke: #000; }\n.page { stroke: none; }\n"
		     ".return { fill: #cfe0ff; } .saved { fill: #dff0d4; }\n"
		     ".outside { fill: #eee; stroke-dasharray: 4 3; }\n"
		     ".end { stroke: #000; stroke-width: 3; }</style>\n"
		     "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	for (size_t i = 0; i < drawing->count; i++)
		write_row(&svg, drawing, &drawing->rows[i]);
	output_plain(output, "</svg>\n");
	arena_free(&arena);
}
