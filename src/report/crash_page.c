/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/crash_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stack_trust.h"
#include "inspect/blind.h"
#include "report/step/explain.h"
#include "report/memory/frame_drawing.h"
#include "report/report.h"
#include "report/shown_frame.h"
#include "report/stack/stack.h"
#include "report/stack/summary.h"
#include "locate/symbol_store.h"
#include "walk/fold.h"

/* Columns of a function's name in a table with evidence. */
#define NAME_COLUMNS 110u

const char *
crash_page_title(const struct analysis *analysis, struct arena *arena)
{
	const char *reason = analysis->reason == NULL && analysis->damage > 0 ? "Damaged dump"
			     : analysis->reason == NULL			      ? "No crash"
			     : analysis->reason[0] == '\0'		      ? "Crash"
									      : analysis->reason;

	return analysis->signature[0] == '\0'
		       ? reason : arena_format(arena, "%s in %s", reason, analysis->signature);
}

void
crash_page_value(struct page *page, enum role role, struct text text, struct place place)
{
	char from[512];

	place = place_record(place);
	if (place.input == NULL || text.length == 0) {
		page_text(page, role, text);
		return;
	}
	page_open(page, PAGE_VALUE);
	page_text(page, role, text);
	page_block_format(page, PAGE_EVIDENCE, ROLE_NORMAL, "from %s",
			  place_format(&place, from, sizeof(from)));
	page_close(page, PAGE_VALUE);
}

void
crash_page_summary(struct page *page, const struct analysis *analysis, struct walk *walk)
{
	static const struct page_column columns[] = { { .name = "" }, { .name = "" } };
	struct arena arena = { 0 };

	const struct listing listing = summary_listing(analysis, walk, 0, &arena);
	const struct lines *lines = lines_of(&listing);
	page_table(page, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; lines != NULL && i < lines->count;) {
		page_open(page, PAGE_ROW);
		page_block(page, PAGE_CELL, ROLE_KEY,
			   text_of(text_or_empty(lines->items[i].label)));
		page_open(page, PAGE_CELL);
		/* Lines without a label continue the fact: they go into the same cell. */
		do {
			const struct line *line = &lines->items[i++];

			crash_page_value(page, line->role, text_trimmed(line->text),
					 line->place.input != NULL ? line->place
								   : line->target.place);
			if (i < lines->count && lines->items[i].label == NULL)
				page_break(page);
		} while (i < lines->count && lines->items[i].label == NULL);
		page_close(page, PAGE_CELL);
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
	arena_free(&arena);
}

/* Frames --------------------------------------------------------------------------------------- */

/* Writes how a frame was found or why the stack ends, and the source that contradicts it. */
static void
write_finding(struct page *page, struct shown_finding finding)
{
	page_text(page, finding.role, text_of(finding.words));
	if (finding.doubt == NULL)
		return;
	page_text(page, ROLE_BAD, text_of("; contradicted: "));
	page_text(page, ROLE_NORMAL, text_of(finding.doubt));
}

/* Writes how a frame was found, and its address with its bytes in the stack as evidence. */
static void
write_origin(struct page *page, struct walk *walk, size_t frame, const struct listing *stack,
	     struct arena *arena)
{
	page_block_format(page, PAGE_CELL, ROLE_NORMAL, "%zu", frame);
	page_open(page, PAGE_CELL);
	write_finding(page, shown_found(walk, frame, arena));
	page_close(page, PAGE_CELL);
	page_open(page, PAGE_CELL);
	page_open(page, PAGE_VALUE);
	page_block_format(page, PAGE_NUMBER, ROLE_NORMAL, "%0*" PRIx64, report_digits(walk->arch),
			  walk->frames[frame].registers.value[walk->arch->pc]);
	page_open(page, PAGE_EVIDENCE);
	if (stack != NULL) {
		struct row row = ROW_IN(arena);

		listing_explain(stack, stack_row(stack, walk->thread, frame, 0), &row);
		page_text(page, ROLE_NORMAL, text_of(row_text(&row)));
	}
	page_close(page, PAGE_EVIDENCE);
	page_close(page, PAGE_VALUE);
	page_close(page, PAGE_CELL);
}

/* Writes a name; if it is cut, the full name is its evidence. */
static void
write_name(struct page *page, struct text name, size_t columns)
{
	char cut[4 * NAME_COLUMNS];

	if (columns == 0 || text_width(name) <= columns) {
		page_text(page, ROLE_NORMAL, name);
		return;
	}
	text_cut_name(cut, sizeof(cut), name, columns, "~");
	page_open(page, PAGE_VALUE);
	page_text(page, ROLE_NORMAL, text_of(cut));
	page_block(page, PAGE_EVIDENCE, ROLE_NORMAL, name);
	page_close(page, PAGE_VALUE);
}

static void
write_call(struct page *page, const struct shown_frame *shown, const struct call *call,
	   size_t columns, struct arena *arena)
{
	page_open(page, PAGE_CELL);
	write_name(page, shown_name(shown, call, false, arena), columns);
	if (shown->location.symbol.after.name.length > 0) {
		page_text(page, ROLE_NORMAL, text_of(", "));
		page_text(page, ROLE_NORMAL, location_after(&shown->location, shown->pc, arena));
	}
	page_text(page, ROLE_DIM, text_of(call->inlined != NULL ? " (inlined)" : ""));
	page_close(page, PAGE_CELL);
	page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(shown_source(call, arena)));
}

static void
write_frame(struct page *page, struct walk *walk, size_t frame, const struct listing *stack,
	    size_t columns, size_t *named, struct arena *arena)
{
	struct shown_frame shown;

	shown_frame(walk, &walk->frames[frame], named, arena, &shown);
	for (size_t call = 0; call < shown.location.call_count; call++) {
		page_open(page, PAGE_ROW);
		if (call == 0)
			write_origin(page, walk, frame, stack, arena);
		for (size_t i = 0; i < 3 && call > 0; i++)
			page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(""));
		write_call(page, &shown, &shown.location.calls[call], columns, arena);
		page_close(page, PAGE_ROW);
	}
}

void
crash_page_frames(struct page *page, struct walk *walk, const struct listing *stack,
		  size_t *named)
{
	/* A table with evidence is narrow: the evidence has the full names. */
	const bool brief = stack != NULL;
	static const struct page_column columns[] = {
		{ .name = "frame", .right = true }, { .name = "found by" }, { .name = "address" },
		{ .name = "function", .breaks = true }, { .name = "source" },
	};
	struct fold fold = { 0 };
	struct arena arena = { 0 };

	if (brief)
		fold_update(&fold, walk);
	page_table(page, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < walk->count; i++) {
		const struct fold_run *run = i < fold.count ? fold_run_of(&fold, i) : NULL;

		write_frame(page, walk, i, stack, brief ? NAME_COLUMNS : 0, named, &arena);
		arena_reset(&arena);
		if (run == NULL || i + 1 != run->first + run->length)
			continue;
		/* One turn of a cycle is written; this row says how often it repeats. */
		i = run->first + fold_run_frames(run) - 1;
		page_open(page, PAGE_ROW);
		for (size_t cell = 0; cell < ARRAY_COUNT(columns); cell++) {
			page_open(page, PAGE_CELL);
			if (cell == 3)
				page_format(page, ROLE_NOTE, "%s frame%s above: %zu times, down to "
					    "frame %zu", run->length == 1 ? "the" : "the cycle of",
					    plural(run->length), run->times, i);
			page_close(page, PAGE_CELL);
		}
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
	fold_free(&fold);
	arena_free(&arena);
}

/* Writes a paragraph: how far the stack can be trusted. */
static void
write_trust(struct page *page, struct walk *walk, struct arena *arena)
{
	struct stack_trust trust;

	stack_trust_of(walk, &trust);
	const char *text = stack_trust_text(&trust, 0, trust.trusted - 1, arena);
	const char *help = stack_trust_help(&trust, walk, arena);
	page_block_format(page, PAGE_PARAGRAPH, ROLE_NORMAL, "Stack trust: %s%s%s",
			  text_or_empty(text), help != NULL ? "; " : "", text_or_empty(help));
}

void
crash_page_thread(struct page *page, struct walk *walk, const struct walk_text_thread *thread,
		  const struct listing *stack, size_t *named)
{
	const struct crash *crash = walk->crash;
	const char *name = crash->threads[walk->thread].name;
	struct arena arena = { 0 };

	page_block_format(page, PAGE_SECTION, ROLE_NORMAL, "Thread %zu%s%s%s", thread->number,
			  !thread->requesting	  ? ""
			  : crash->reason != NULL ? " (crashed)"
						  : " (requested the dump)",
			  name != NULL ? " - " : "", text_or_empty(name));
	crash_page_frames(page, walk, stack, named);
	if (walk->count > 0)
		write_trust(page, walk, &arena);
	if (walk->complete) {
		page_open(page, PAGE_PARAGRAPH);
		page_text(page, ROLE_NORMAL, text_of("End of the stack: "));
		write_finding(page, shown_end(walk, &arena));
		page_close(page, PAGE_PARAGRAPH);
	}
	arena_free(&arena);
}

/* Modules and steps ---------------------------------------------------------------------------- */

void
crash_page_modules(struct page *page, const struct crash *crash, const struct symbols *symbols)
{
	static const struct page_column columns[] = {
		{ .name = "address" }, { .name = "module", .breaks = true }, { .name = "version" },
		{ .name = "symbols" },
	};

	page_block(page, PAGE_SECTION, ROLE_NORMAL, text_of("Modules"));
	page_table(page, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];
		enum symbols_state state;
		const bool found = symbols != NULL && symbols_peek(symbols, i, &state) != NULL;

		page_open(page, PAGE_ROW);
		page_open(page, PAGE_CELL);
		page_block_format(page, PAGE_NUMBER, ROLE_NORMAL, "%0*" PRIx64,
				  report_digits(crash->system.arch), module->base);
		page_close(page, PAGE_CELL);
		page_block(page, PAGE_CELL, ROLE_NORMAL,
			   text_base_name(text_of(module->code_file)));
		page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(module->version));
		page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(found ? "yes" : ""));
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
}

void
crash_page_drawing(struct page *page, const struct step_view *view,
		   const struct memory_view *memory)
{
	const struct frame_drawing_options options = {
		.step = view, .memory = memory, .binaries = view->walk->binaries,
	};

	page_open(page, PAGE_DRAWING);
	if (page_raw(page) != NULL)
		frame_drawing_svg(&options, true, page_raw(page));
	page_close(page, PAGE_DRAWING);
}

static void
write_registers(struct page *page, const struct step_view *view)
{
	const struct arch *arch = view->walk->arch;
	const struct registers *sides[] = { &view->walk->frames[view->frame].registers,
					    &view->caller.registers };
	const bool taken = view->verdict.kind == VERDICT_TAKEN;
	const char *const unknown[] = { "unknown", step_view_is_over(view) ? "unknown" : "?" };
	char callee[32], caller[32];
	const struct page_column columns[] = { { .name = "register" }, { .name = callee },
					       { .name = caller } };

	snprintf(callee, sizeof(callee), "frame %zu", view->frame);
	snprintf(caller, sizeof(caller), "frame %zu", view->frame + 1);
	page_table(page, columns, ARRAY_COUNT(columns));
	for (int reg = 0; reg < arch->register_count; reg++) {
		page_open(page, PAGE_ROW);
		page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(arch->registers[reg].label));
		for (size_t i = 0; i < ARRAY_COUNT(sides); i++) {
			const bool known = (i == 0 || taken) && registers_known(sides[i], reg);
			char value[32];

			page_open(page, PAGE_CELL);
			page_block(page, PAGE_NUMBER, known ? ROLE_NORMAL : ROLE_UNKNOWN,
				   text_of(!known ? unknown[i]
						  : step_view_value(view, sides[i]->value[reg],
								    value, sizeof(value))));
			page_close(page, PAGE_CELL);
		}
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
}

/* Writes the result of a step: the caller, the registers of both frames, a drawing of the frame. */
static void
write_step(struct page *page, const struct step_view *whole, struct arena *arena)
{
	struct memory_view memory;

	page_open(page, PAGE_PARAGRAPH);
	if (!step_view_is_over(whole))
		page_format(page, ROLE_NORMAL, "Frame %zu: " BLIND_WORDS, whole->frame + 1);
	else if (whole->verdict.kind == VERDICT_TAKEN)
		page_format(page, ROLE_NORMAL, "Frame %zu was found by: %s", whole->frame + 1,
			    trust_table[whole->caller.trust].found_by);
	else
		page_format(page, ROLE_NORMAL, "End of the stack: %s", whole->verdict.text);
	page_close(page, PAGE_PARAGRAPH);
	write_registers(page, whole);
	memory_view_all(&memory, whole->walk->crash, arena);
	crash_page_drawing(page, whole, &memory);
}

/* Writes a line of the prose of the step without its trailing blanks. */
static void
write_line(void *context, struct row *row)
{
	struct text text = text_of(row_text(row));

	while (text.length > 0 && text.start[text.length - 1] == ' ')
		text.length--;
	page_block(context, PAGE_LINE, ROLE_NORMAL, text);
}

void
crash_page_step(const struct output *output, enum page_form form, const struct step_view *view)
{
	struct step_view whole = *view;
	struct arena arena = { 0 };
	struct page page;
	char title[64];

	whole.cursor = 0;
	snprintf(title, sizeof(title),
		 view->variable != NULL ? "A variable of frame %zu" : "The step from frame %zu",
		 view->frame);
	page_begin(&page, form, output, title);
	if (view->variable == NULL)
		write_step(&page, &whole, &arena);
	page_open(&page, PAGE_CODE);
	explain_lines(&whole, ARCH_NO_REGISTER, NULL, write_line, &page);
	page_close(&page, PAGE_CODE);
	page_end(&page);
	arena_free(&arena);
}
