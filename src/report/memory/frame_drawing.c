/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/frame_drawing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "document/page.h"
#include "report/memory/reading_words.h"
#include "report/report.h"

void
frame_end_add(const struct frame_saves *saves, const struct arch *arch, uint64_t end,
	      struct row *row)
{
	static const struct {
		enum role role;
		const char *word;
	} certainties[CERTAINTY_COUNT] = {
		[CERTAINTY_EXACT] = { ROLE_NORMAL, "" },
		[CERTAINTY_FRAME_POINTER] = { ROLE_FRAME_POINTER, "assumed: " },
		[CERTAINTY_CONVENTION] = { ROLE_FRAME_POINTER, "assumed: " },
		[CERTAINTY_GUESSED] = { ROLE_SCAN, "guessed: " },
	};
	const bool is_cfa = saves->has_cfa && saves->cfa == end;

	row_add(row, ROLE_TITLE, "%s of frame %zu: the %s of frame %zu", is_cfa ? "CFA" : "end",
		saves->frame, arch->registers[arch->sp].label, saves->frame + 1);
	if (!is_cfa || saves->certainty != CERTAINTY_EXACT)
		row_add(row, certainties[saves->certainty].role, " (%s%s)",
			certainties[saves->certainty].word, method_name(saves->method));
	if (saves->has_cfa && !is_cfa)
		row_add(row, ROLE_NORMAL, "; its CFA is %0*" PRIx64, report_digits(arch),
			saves->cfa);
}

struct target
frame_end_target(const struct frame_saves *saves, const struct walk *walk)
{
	if (saves->cfa_rule.input != NULL)
		return report_place_target(saves->cfa_rule);
	return (struct target){ .kind = TARGET_REGISTER, .event = TRACE_NONE,
				.thread = walk->thread, .frame = saves->frame + 1,
				.reg = walk->arch->sp };
}

/* Contents of boxes ---------------------------------------------------------------------------- */

/* The word of a slot; false if the dump lacks or hides it, or if the slot is a run. */
static bool
value_of(const struct drawing *drawing, const struct frame_part *slot, uint64_t *value)
{
	return slot->size == drawing->word && !drawing->source.crash->redacted &&
	       memory_read(drawing->options.memory, slot->address, drawing->word, value, NULL);
}

void
drawing_add_value(const struct drawing *drawing, const struct frame_part *slot, struct row *row)
{
	uint64_t value;

	if (value_of(drawing, slot, &value))
		row_add(row, ROLE_NORMAL, "%0*" PRIx64, drawing->digits, value);
	else
		row_add(row, ROLE_DIM, "%-*s", drawing->digits,
			slot->size != drawing->word	     ? "..."
			: drawing->source.crash->redacted ? "redacted"
							     : "absent");
}

struct short_text
drawing_distance(const struct drawing *drawing, const struct frame_part *slot)
{
	const struct frame_saves *saves = &drawing->layout.saves;
	const struct arch *arch = drawing->source.arch;
	const uint64_t from = saves->has_cfa ? saves->cfa : drawing->layout.begin;
	const bool below = slot->address < from;
	struct short_text distance;

	snprintf(distance.text, sizeof(distance.text), "%s %c %" PRIu64,
		saves->has_cfa ? "CFA" : arch->registers[arch->sp].label, below ? '-' : '+',
		below ? from - slot->address : slot->address - from);
	return distance;
}

static void
describe_save(const struct drawing *drawing, const struct frame_part *slot, size_t columns,
	      struct row *row)
{
	const struct walk *walk = drawing->options.step->walk;
	const size_t caller = drawing->layout.saves.frame + 1;

	if (drawing->layout.saves.certainty == CERTAINTY_GUESSED)
		row_add(row, ROLE_SCAN, "guess: ");
	if (!slot->returns) {
		row_add(row, ROLE_STACK, "saved %s of frame %zu",
			walk->arch->registers[slot->save->reg].label, caller);
		return;
	}
	row_add(row, ROLE_CODE, "return address");
	if (caller >= walk->count)
		return;
	row_add(row, ROLE_CODE, ": ");
	report_add_frame_name(row, walk, caller, true, columns);
}

/* Adds the labels of a set of registers after `join`. */
static void
add_registers(const struct drawing *drawing, uint64_t set, const char *join, enum role role,
	      struct row *row)
{
	const struct arch *arch = drawing->source.arch;

	for (int reg = 0; reg < arch->register_count; reg++) {
		if ((set >> reg & 1) == 0)
			continue;
		row_add(row, role, "%s%s", join, arch->registers[reg].label);
		join = ", ";
	}
}

void
drawing_describe(const struct drawing *drawing, const struct frame_part *slot, size_t columns,
		 struct row *row)
{
	const struct step_view *step = drawing->options.step;
	const struct registers *registers = &step->walk->frames[step->frame].registers;
	uint64_t value, pointers = 0;

	if (slot->outside)
		row_add(row, ROLE_DIM, "outside the frame%s", slot->save != NULL ? ": " : "");
	if (slot->save != NULL) {
		describe_save(drawing, slot, columns, row);
	} else if (slot->size != drawing->word) {
		row_add(row, ROLE_DIM, "%s%s words that no rule %s: locals, spills, arguments",
			slot->outside ? ": " : "", report_count(slot->size / drawing->word).text,
			step_view_is_whole(step) ? "names" : "has named yet");
	} else if (!slot->outside && value_of(drawing, slot, &value)) {
		const struct reading reading = reading_of(&drawing->source, value);

		reading_add_owner(&drawing->source, slot->address, &reading, row);
		reading_add(&drawing->source, &reading, columns, row);
	}
	/* The frame's own registers that hold the address of the box. */
	for (int reg = 0; reg < step->walk->arch->register_count; reg++)
		if (registers_known(registers, reg) && registers->value[reg] == slot->address)
			pointers |= UINT64_C(1) << reg;
	add_registers(drawing, pointers, "  <- ", ROLE_CHANGED, row);
}

/* Rows without a box --------------------------------------------------------------------------- */

static void
title_text(const struct drawing *drawing, size_t columns, struct row *row)
{
	const struct frame_layout *layout = &drawing->layout;
	const uint64_t size = layout->end - layout->begin;
	char tail[80] = "  end unknown";

	if (!layout->settled && layout->saves.taken)
		snprintf(tail, sizeof(tail), "  end not yet");
	else if (layout->ends)
		snprintf(tail, sizeof(tail), "  %s bytes", text_both_bases(size).text);
	row_add(row, ROLE_TITLE, "frame %zu  ", layout->saves.frame);
	report_add_frame_name(row, drawing->options.step->walk, layout->saves.frame, true,
			      columns == 0 ? 0 : columns - strlen(tail));
	row_add(row, ROLE_TITLE, "%s", tail);
}

static void
rule_text(const struct drawing *drawing, size_t columns, struct row *row)
{
	const struct frame_layout *layout = &drawing->layout;
	const struct trace *trace = &layout->step->trace;
	uint32_t rule = layout->event;

	if (!layout->saves.taken) {
		row_add(row, ROLE_BAD, "no caller: %s", layout->step->verdict.text);
		return;
	}
	if (!layout->settled) {
		row_add(row, ROLE_DIM, "not yet: the rule for the end of the frame");
		return;
	}
	row_add(row, ROLE_NORMAL, "%s", method_name(layout->saves.method));
	if (rule != TRACE_NONE && trace->events[rule].kind == EVENT_SET)
		rule = trace_ancestor(trace, trace->events[rule].from, EVENT_RULE);
	if (rule >= trace->count)
		return;
	row_add(row, ROLE_NORMAL, "  ");
	row_add_text(row, ROLE_TITLE, trace->events[rule].name);
	row_add(row, ROLE_NORMAL, ": %s", trace->events[rule].text);
	if (columns != 0)
		row_cut(row, columns);
	report_add_place(row, trace->events[rule].place);
}

static void
end_text(const struct drawing *drawing, struct row *row)
{
	const struct frame_layout *layout = &drawing->layout;
	const struct arch *arch = drawing->source.arch;

	if (!layout->settled)
		row_add(row, ROLE_DIM, "end of frame %zu: not yet", layout->saves.frame);
	else if (layout->ends)
		frame_end_add(&layout->saves, arch, layout->end, row);
	else
		row_add(row, ROLE_TITLE,
			"end unknown: the %s of frame %zu is elsewhere, %0*" PRIx64,
			arch->registers[arch->sp].label, layout->saves.frame + 1, drawing->digits,
			layout->step->caller.registers.value[arch->sp]);
}

void
drawing_text(const struct drawing *drawing, enum drawing_row_kind kind, size_t columns,
	     struct row *row)
{
	const struct arch *arch = drawing->source.arch;

	if (kind == DRAWING_TITLE)
		title_text(drawing, columns, row);
	else if (kind == DRAWING_RULE)
		rule_text(drawing, columns, row);
	else if (kind == DRAWING_GROWTH)
		row_add(row, ROLE_DIM, "^ the stack grows this way, to lower addresses");
	else if (kind == DRAWING_END)
		end_text(drawing, row);
	else if (kind == DRAWING_LINK)
		row_add(row, ROLE_CODE, "the return address is in %s, not on the stack",
			arch->registers[drawing->layout.link].label);
	else if (kind == DRAWING_KEPT)
		add_registers(drawing, drawing->layout.saves.kept, "unchanged: ", ROLE_NORMAL,
			      row);
	else if (kind == DRAWING_LEGEND)
		row_add(row, ROLE_DIM,
			"words and addresses are hexadecimal, distances from the %s decimal",
			drawing->layout.saves.has_cfa ? "CFA" : arch->registers[arch->sp].label);
}

/* The rows ------------------------------------------------------------------------------------- */

static void
add_row(struct drawing *drawing, struct arena *arena, enum drawing_row_kind kind,
	const struct frame_part *slot)
{
	ARENA_ADD(arena, drawing->rows, drawing->count, drawing->capacity,
		  &(struct drawing_row){ kind, slot });
}

/* Whether a line separates two boxes. Two saved registers or two unnamed words have no line. */
static bool
needs_edge(const struct frame_part *above, const struct frame_part *slot)
{
	return above->returns != slot->returns || above->outside != slot->outside ||
	       (above->save == NULL) != (slot->save == NULL) || above->size != slot->size;
}

static void
add_boxes(struct drawing *drawing, struct arena *arena)
{
	const struct frame_layout *layout = &drawing->layout;
	bool ended = false;

	for (size_t i = 0; i < layout->count; i++) {
		const struct frame_part *slot = &layout->slots[i];
		const bool ends = !ended && slot->address >= layout->end;

		if (i == 0 || ends || needs_edge(slot - 1, slot))
			add_row(drawing, arena, DRAWING_EDGE, NULL);
		if (ends) {
			add_row(drawing, arena, DRAWING_END, NULL);
			add_row(drawing, arena, DRAWING_EDGE, NULL);
			ended = true;
		}
		add_row(drawing, arena, DRAWING_SLOT, slot);
	}
	if (layout->count > 0)
		add_row(drawing, arena, DRAWING_EDGE, NULL);
	if (!ended)
		add_row(drawing, arena, DRAWING_END, NULL);
}

const struct drawing *
drawing_make(const struct frame_drawing_options *options, struct arena *arena)
{
	struct drawing *drawing = arena_alloc(arena, sizeof(*drawing));
	struct walk *walk = options->step->walk;

	if (drawing == NULL)
		return NULL;
	*drawing = (struct drawing){ .options = *options };
	frame_layout_make(&drawing->layout, options->step, arena);
	reading_source_init(&drawing->source, walk->crash, options->memory, options->binaries, walk,
			    arena);
	drawing->word = reading_word_size(&drawing->source);
	drawing->digits = report_digits(walk->arch);
	add_row(drawing, arena, DRAWING_TITLE, NULL);
	add_row(drawing, arena, DRAWING_RULE, NULL);
	if (!drawing->layout.saves.taken)
		return drawing;
	if (drawing->layout.count > 0)
		add_row(drawing, arena, DRAWING_GROWTH, NULL);
	add_boxes(drawing, arena);
	if (drawing->layout.link != ARCH_NO_REGISTER)
		add_row(drawing, arena, DRAWING_LINK, NULL);
	if (drawing->layout.saves.kept != 0)
		add_row(drawing, arena, DRAWING_KEPT, NULL);
	if (drawing->layout.count > 0)
		add_row(drawing, arena, DRAWING_LEGEND, NULL);
	return drawing;
}

/* In a view with fewer columns, addresses are shown without their common leading zeros. */
#define NARROW 76u

static int
address_digits(const struct drawing *drawing, size_t columns)
{
	return columns != 0 && columns < NARROW && drawing->layout.end >> 48 == 0 &&
			       drawing->digits == 16
		       ? 12
		       : drawing->digits;
}

/* Shows the word in a box, or the number of words in the box of a run. */
static void
fill_slot(const struct drawing *drawing, const struct frame_part *slot, size_t columns,
	  struct row *row)
{
	row_add(row, ROLE_DIM, " %0*" PRIx64 " ", address_digits(drawing, columns), slot->address);
	row_add(row, ROLE_NORMAL, "| ");
	drawing_add_value(drawing, slot, row);
	row_add(row, ROLE_NORMAL, " | ");
	row_add(row, ROLE_NORMAL, "%-9s  ", drawing_distance(drawing, slot).text);
	drawing_describe(drawing, slot, columns, row);
}

static void
frame_drawing_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct drawing *drawing = listing->context;
	const struct drawing_row *at = &drawing->rows[index];
	const int digits = address_digits(drawing, columns);
	char dashes[24];

	if (at->kind == DRAWING_SLOT) {
		fill_slot(drawing, at->slot, columns, row);
	} else if (at->kind == DRAWING_EDGE) {
		memset(dashes, '-', sizeof(dashes));
		row_add(row, ROLE_NORMAL, " %*s +%.*s+", digits, "", drawing->digits + 2,
			dashes);
	} else if (at->kind == DRAWING_END) {
		if (drawing->layout.settled)
			row_add(row, ROLE_DIM, " %0*" PRIx64 " ", digits, drawing->layout.end);
		else
			row_add(row, ROLE_DIM, " %-*s ", digits, "?");
		row_add(row, ROLE_TITLE, "== ");
		drawing_text(drawing, at->kind, columns, row);
	} else {
		row_add(row, ROLE_NORMAL, " %*s",
			at->kind == DRAWING_GROWTH ? digits + 1 : 0, "");
		drawing_text(drawing, at->kind, columns, row);
	}
}

static struct target
frame_drawing_row_target(const struct listing *listing, size_t index)
{
	const struct drawing *drawing = listing->context;
	const struct drawing_row *at = &drawing->rows[index];
	const struct frame_saves *saves = &drawing->layout.saves;

	if (at->kind == DRAWING_SLOT && at->slot->returns)
		return TARGET(TARGET_FRAME, .thread = drawing->options.step->walk->thread,
			      .frame = saves->frame + 1);
	if (at->kind == DRAWING_SLOT)
		return TARGET(TARGET_MEMORY, .address = at->slot->address);
	if (drawing->layout.settled && (at->kind == DRAWING_END || at->kind == DRAWING_RULE))
		return frame_end_target(saves, drawing->options.step->walk);
	return TARGET(TARGET_NONE);
}

static void
frame_drawing_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct drawing *drawing = listing->context;
	const struct drawing_row *at = &drawing->rows[index];
	struct place place = { 0 };
	uint64_t value;

	if (at->kind == DRAWING_SLOT) {
		row_add(row, ROLE_NORMAL, "[%0*" PRIx64 "]", drawing->digits, at->slot->address);
		if (value_of(drawing, at->slot, &value))
			row_add(row, ROLE_NORMAL, " = %0*" PRIx64, drawing->digits, value);
		memory_read(drawing->options.memory, at->slot->address, drawing->word, &value,
			    &place);
		report_add_place(row, place);
		row_add(row, ROLE_NORMAL, "   ");
		drawing_describe(drawing, at->slot, 0, row);
		if (at->slot->save != NULL && at->slot->save->rule.input != NULL) {
			row_add(row, ROLE_DIM, "   from");
			report_add_place(row, at->slot->save->rule);
		}
	} else if (at->kind != DRAWING_EDGE) {
		drawing_text(drawing, at->kind, 0, row);
		if (at->kind == DRAWING_END)
			report_add_place(row, drawing->layout.saves.cfa_rule);
	}
}

struct listing
frame_drawing_listing(const struct frame_drawing_options *options, struct arena *arena)
{
	const struct drawing *drawing = drawing_make(options, arena);

	if (drawing == NULL)
		return listing_out_of_memory();
	return (struct listing){ .count = drawing->count,
				 .fill = frame_drawing_fill_row,
				 .target = frame_drawing_row_target,
				 .explain = frame_drawing_explain_row,
				 .context = drawing };
}

/* SVG 1.1: black text on white with light boxes, fit for printing ------------------------------ */

/* Columns and heights in pixels. A monospaced character is about 7.2 pixels wide. */
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

/* Writes the text of the row, and empties the row. */
static void
write_text(struct svg *svg, unsigned x, const char *class, bool ends)
{
	output_format(svg->output, "<text class=\"%s\" x=\"%u\" y=\"%u\"%s>", class, x,
		      svg->y + BASELINE, ends ? " text-anchor=\"end\"" : "");
	page_write_escaped(svg->output, text_of(row_text(&svg->row)));
	output_plain(svg->output, "</text>\n");
	row_clear(&svg->row);
}

static void
write_slot(struct svg *svg, const struct drawing *drawing, const struct frame_part *slot)
{
	const bool run = slot->size != drawing->word;
	const unsigned height = run ? RUN_HEIGHT : BOX_HEIGHT;

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
	row_add(&svg->row, ROLE_NORMAL, "%s", drawing_distance(drawing, slot).text);
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
	page_write_escaped(output, text_of(row_text(&svg.row)));
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

/* JSON ----------------------------------------------------------------------------------------- */

static const struct fact_names frame_certainties = FACT_WORDS(
	[CERTAINTY_EXACT] = "exact",
	[CERTAINTY_FRAME_POINTER] = "frame-pointer",
	[CERTAINTY_CONVENTION] = "convention",
	[CERTAINTY_GUESSED] = "guessed");

#define FACTS "report/memory/frame_layout_facts.def"
#include "document/describe_facts.h"
