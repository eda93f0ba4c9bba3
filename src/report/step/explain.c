/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "inspect/blind.h"
#include "inspect/variable/variable_step.h"
#include "report/lines.h"
#include "report/memory/frame_drawing.h"
#include "report/report.h"
#include "report/value/value_text.h"
#include "report/value/locals.h"
#include "rules/trace.h"

/* The frame's name ----------------------------------------------------------------------------- */

struct name_facts {
	const struct walk *walk;
	struct lines lines;
};

/* Adds a line: a fact in words, and the name of its subject. */
ATTRIBUTE_PRINTF(5, 6) static void
add(struct name_facts *naming, const char *word, struct text name, struct place place,
    const char *format, ...)
{
	char text[512];

	TEXT_FORMAT(text, format);
	struct line *line = lines_add_format(&naming->lines, word, ROLE_NORMAL, "%s%.*s", text,
					     (int)name.length, name.start);
	if (line != NULL)
		line->place = place;
}

static void
add_module(struct name_facts *naming, const struct walk *walk, const struct location *location)
{
	const struct module *module = location->module;

	if (module == NULL) {
		add(naming, "module", text_of(""), (struct place){ 0 },
		    "%#" PRIx64 " lies in no module", location->address);
		return;
	}
	add(naming, "module", text_of(place_base_name(module->code_file)), module->place,
	    "%#" PRIx64 " to %#" PRIx64 "%s: the address is at +%#" PRIx64 " in ", module->base,
	    module->base + module->size - 1, module->unloaded ? ", unloaded" : "",
	    location->address - module->base);
	if (location->symfile == NULL)
		add(naming, "symbols", text_of(place_base_name(module->code_file)),
		    module->identity_place, "%s",
		    location->lacking ? "not read yet: the symbols of "
		    : walk->symbols != NULL && symbols_configured(walk->symbols)
			    ? "no symbol file was found for "
			    : "no symbols were given for ");
}

static struct text
shown(const struct name_facts *naming, struct text name)
{
	return demangle_memo_shown(naming->walk->names, &naming->walk->policy, name);
}

static void
add_function(struct name_facts *naming, const struct location *location, const char *word,
	     const struct function *function)
{
	const char *kind = location->symbol.section != NULL  ? location->symbol.section
			   : function->kind == SYMBOL_FUNC   ? "FUNC"
							     : "PUBLIC";
	char end[32] = "";

	if (function->kind == SYMBOL_FUNC && function->size > 0)
		snprintf(end, sizeof(end), " to %#" PRIx64, function->address + function->size - 1);
	add(naming, word, shown(naming, function->name),
	    symbol_at_place(location->symfile, location->symbol.own_file, function->offset,
			    function->length),
	    "%s %#" PRIx64 "%s%s ", kind, function->address, end, function->multiple ? " (m)" : "");
}

static void
add_symbol(struct name_facts *naming, const struct location *location)
{
	const struct symbol *symbol = &location->symbol;
	const struct source_line *line = &symbol->line;

	if (symbol->found) {
		add_function(naming, location, "chosen", &symbol->function);
		if (symbol->stub)
			add(naming, "stub", text_of(""), (struct place){ 0 },
			    "made by the linker: it only jumps to the function of that name");
		if (symbol->uncertain)
			add(naming, "doubt", text_of(""), (struct place){ 0 },
			    "nothing says that the function reaches that far");
		else if (symbol->evidence != NULL)
			add(naming, "certain", text_of(""), (struct place){ 0 }, "%s",
			    symbol->evidence);
	} else if (symbol->after.name.length > 0) {
		add_function(naming, location, "after", &symbol->after);
		add(naming, "no name", text_of(""), (struct place){ 0 },
		    "%s begins another function at %#" PRIx64, symbol->bound_source, symbol->bound);
	} else {
		add(naming, "no name", text_of(""),
		    (struct place){ .input = &symfile_file(location->symfile)->input },
		    "no FUNC or PUBLIC record covers the address");
	}
	if (symbol->has_line)
		add(naming, "line", line->file,
		    symbol_at_place(location->symfile, line->own_file, line->offset, line->length),
		    "line %" PRIu32 ", %#" PRIx64 " to %#" PRIx64 " of ", line->line, line->address,
		    line->address + line->size - 1);
	if (symbol->own_file == NULL && symbol->inline_count > 0 &&
	    symbol->inlines[0].own_file != NULL)
		add(naming, "inlined", text_of(""), (struct place){ 0 },
		    "the function has no INLINE records, so its inlined calls are those of debug "
		    "information");
	for (size_t i = 0; i < symbol->inline_count; i++) {
		const struct inline_call *call = &symbol->inlines[i];

		add(naming, "inlined", shown(naming, call->name),
		    symbol_at_place(location->symfile, call->own_file, call->offset, call->length),
		    "depth %" PRIu32 ", called at line %" PRIu32 " ", call->depth, call->call_line);
	}
	for (size_t i = 0; i < symbol->shadowed_count; i++)
		add_function(naming, location, "shadowed", &symbol->shadowed[i]);
}

/*
 * How a frame got its name: the chosen records (FUNC or PUBLIC, line, INLINE) with their lines in
 * the symbol file, and the records that they shadow.
 */
static struct listing
naming_listing(const struct walk *walk, size_t frame, struct arena *arena)
{
	struct name_facts *naming = arena_alloc(arena, sizeof(*naming));
	struct shown_frame shown;

	if (naming == NULL)
		return listing_out_of_memory();
	*naming = (struct name_facts){
		.walk = walk,
		.lines = { .arena = arena, .label_role = ROLE_TITLE, .label_column = 1,
			   .text_column = 10, .shows_places = true },
	};
	shown_frame(walk, &walk->frames[frame], NULL, arena, &shown);
	add_module(naming, walk, &shown.location);
	if (shown.location.symfile != NULL || shown.location.symbol.found)
		add_symbol(naming, &shown.location);
	if (frame == 0 && report_context_note(walk) != NULL)
		add(naming, "context", text_of(""), walk_other_context(walk)->place, "%s",
		    report_context_note(walk));
	return lines_listing(&naming->lines, 0, arena);
}

/* The step ------------------------------------------------------------------------------------- */

static bool
want(bool *wanted, uint32_t event)
{
	if (event == TRACE_NONE || wanted[event])
		return false;
	wanted[event] = true;
	return true;
}

/* Adds the events that an event depends on: the source of its value, its parent and its tokens. */
static bool
draw_in(const struct trace *trace, uint32_t event, bool *wanted)
{
	const struct event *at = &trace->events[event];
	bool more = want(wanted, at->parent);

	more |= want(wanted, at->from);
	if (at->kind == EVENT_TOKEN && at->stack != NULL)
		more |= want(wanted, at->stack->from);
	if (at->kind == EVENT_RULE)
		for (uint32_t i = event; i < at->end; i++)
			more |= want(wanted, i);
	/* A record depends on nothing. */
	if (at->kind == EVENT_ATTEMPT)
		for (uint32_t i = event; i < at->end; i++)
			if (trace->events[i].kind == EVENT_RECORD &&
			    trace->events[i].parent == event)
				wanted[i] = true;
	return more;
}

struct explainer {
	const struct step_view *view;
	const struct output *output;
	struct page *page;		/* NULL: text */
	struct arena arena;
	struct row row;
};

/* Writes the finished line without its trailing blanks; an empty line is a separator. */
static void
end_line(struct explainer *to)
{
	struct text text = text_of(row_text(&to->row));

	if (to->page == NULL) {
		row_write(to->output, &to->row);
		return;
	}
	while (text.length > 0 && text.start[text.length - 1] == ' ')
		text.length--;
	page_block(to->page, PAGE_LINE, ROLE_NORMAL, text);
	row_clear(&to->row);
}

static void
add_listing(struct explainer *to, const struct listing *listing)
{
	if (listing->head != NULL) {
		listing_head(listing, 0, &to->row);
		end_line(to);
	}
	for (size_t i = 0; i < listing->count; i++) {
		listing_fill(listing, i, 0, &to->row);
		end_line(to);
	}
}

/* Adds all events, or those that produced the last value of a register. */
static void
add_events(struct explainer *to, int reg)
{
	const struct step_view *view = to->view;
	bool *wanted = arena_array(&to->arena, view->trace.count + 1, sizeof(*wanted));
	bool more = false;

	if (wanted == NULL)
		return;
	if (reg == ARCH_NO_REGISTER)
		memset(wanted, 1, view->trace.count);
	else
		more = want(wanted, step_view_register(view, reg));
	while (more) {
		more = false;
		for (uint32_t i = (uint32_t)view->trace.count; i-- > 0;)
			if (wanted[i])
				more |= draw_in(&view->trace, i, wanted);
	}
	for (uint32_t i = 0; i < view->trace.count; i++) {
		enum event_kind kind = view->trace.events[i].kind;

		if (!wanted[i] || kind == EVENT_STEP || !step_view_has_row(view, i))
			continue;
		if (kind == EVENT_ATTEMPT && view->variable == NULL)
			end_line(to);
		step_view_event_row(view, i, 0, &to->row);
		end_line(to);
	}
}

/* Adds the caller, or why it is missing. With `all`, adds its registers and the frame's drawing. */
static void
add_outcome(struct explainer *to, bool all)
{
	const struct step_view *view = to->view;
	const struct walk *walk = view->walk;

	end_line(to);
	if (!step_view_is_over(view)) {
		row_add(&to->row, ROLE_TITLE, "frame %zu  ?  " BLIND_WORDS, view->frame + 1);
	} else if (view->verdict.kind == VERDICT_TAKEN) {
		row_add(&to->row, ROLE_TITLE, "frame %zu  %s  found by: %s", view->frame + 1,
			step_view_value(view, view->caller.registers.value[walk->arch->pc]).text,
			trust_table[view->caller.trust].found_by);
	} else {
		row_add(&to->row, ROLE_NORMAL, "end of the stack: ");
		row_add_text(&to->row, ROLE_NORMAL, text_of(view->verdict.text));
		all = false;
	}
	end_line(to);
	if (!all)
		return;
	const struct frame_drawing_options drawn = {
		.step = view, .memory = &walk->memory, .binaries = walk->binaries };
	const struct listing registers = step_view_registers(view, 16, &to->arena);
	const struct listing drawing = frame_drawing_listing(&drawn, &to->arena);
	add_listing(to, &registers);
	end_line(to);
	add_listing(to, &drawing);
}

static void
explain_lines(const struct step_view *view, int reg, const struct output *output,
	      struct page *page)
{
	struct step_view whole = *view;
	struct explainer to = { .view = &whole, .output = output, .page = page };

	whole.cursor = 0;
	row_init(&to.row, &to.arena);
	to.row.names = page == NULL ? output->names : NULL;
	if (view->variable != NULL) {
		add_events(&to, ARCH_NO_REGISTER);
		arena_free(&to.arena);
		return;
	}
	row_add(&to.row, ROLE_TITLE, "frame %zu", view->frame);
	if (view->walk->crash->invented != NULL) {
		row_add(&to.row, ROLE_NOTE, "   ");
		row_add_text(&to.row, ROLE_NOTE, text_of(view->walk->crash->invented));
	}
	end_line(&to);
	if (reg == ARCH_NO_REGISTER) {
		const struct listing naming =
			naming_listing(view->walk, view->frame, &to.arena);

		add_listing(&to, &naming);
	}
	add_events(&to, reg);
	add_outcome(&to, reg == ARCH_NO_REGISTER);
	arena_free(&to.arena);
}

void
explain_step(const struct output *output, const struct step_view *view, int reg)
{
	explain_lines(view, reg, output, NULL);
}

/* As a page ------------------------------------------------------------------------------------ */

void
explain_page_drawing(struct page *page, const struct step_view *view,
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
write_register_table(struct page *page, const struct step_view *view)
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

			page_open(page, PAGE_CELL);
			page_block(page, PAGE_NUMBER, known ? ROLE_NORMAL : ROLE_UNKNOWN,
				text_of(!known ? unknown[i]
					       : step_view_value(view, sides[i]->value[reg]).text));
			page_close(page, PAGE_CELL);
		}
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
}

void
explain_page(const struct output *output, enum page_form form, const struct step_view *view)
{
	struct step_view whole = *view;
	struct memory_view memory;
	struct arena arena = { 0 };
	struct page page;
	char title[64];

	whole.cursor = 0;
	snprintf(title, sizeof(title),
		 view->variable != NULL ? "A variable of frame %zu" : "The step from frame %zu",
		 view->frame);
	page_begin(&page, form, output, title, PAGE_READ);
	if (view->variable == NULL) {
		page_open(&page, PAGE_PARAGRAPH);
		if (!step_view_is_over(&whole))
			page_format(&page, ROLE_NORMAL, "Frame %zu: " BLIND_WORDS, view->frame + 1);
		else if (view->verdict.kind == VERDICT_TAKEN)
			page_format(&page, ROLE_NORMAL, "Frame %zu was found by: %s",
				    view->frame + 1, trust_table[view->caller.trust].found_by);
		else
			page_format(&page, ROLE_NORMAL, "End of the stack: %s", view->verdict.text);
		page_close(&page, PAGE_PARAGRAPH);
		write_register_table(&page, &whole);
		memory_view_all(&memory, view->walk->crash, &arena);
		explain_page_drawing(&page, &whole, &memory);
	}
	page_open(&page, PAGE_CODE);
	explain_lines(&whole, ARCH_NO_REGISTER, output, &page);
	page_close(&page, PAGE_CODE);
	page_end(&page);
	arena_free(&arena);
}

/* JSON ----------------------------------------------------------------------------------------- */

static const char *const event_kind_words[] = {
	[EVENT_STEP] = "step",	       [EVENT_ATTEMPT] = "attempt",
	[EVENT_RECORD] = "record",     [EVENT_INPUT] = "input",
	[EVENT_RULE] = "rule",	       [EVENT_TOKEN] = "token",
	[EVENT_READ] = "read",	       [EVENT_SET] = "set",
	[EVENT_CANDIDATE] = "candidate", [EVENT_CHECK] = "check",
	[EVENT_REPAIR] = "repair",     [EVENT_ROW] = "row",
	[EVENT_FIELD] = "field",       [EVENT_RESULT] = "result",
};
static const struct fact_names event_kinds = FACT_NAMES(event_kind_words);

const char *
explain_event_kind(enum event_kind kind)
{
	return event_kind_words[kind];
}

static const char *const event_state_words[] = {
	[EVENT_OK] = "ok", [EVENT_FAILED] = "failed", [EVENT_NOTE] = "note",
	[EVENT_HIDDEN] = "hidden",
};
static const struct fact_names location_names = FACT_NAMES(variable_locations);
static const struct fact_names event_states = FACT_NAMES(event_state_words);

bool
explain_event_has_value(const struct event *event)
{
	/* A program assigns its results to names and has no value of its own. */
	const bool made = event->kind == EVENT_INPUT || event->kind == EVENT_READ ||
			  event->kind == EVENT_SET ||
			  (event->kind == EVENT_RULE && event->from != TRACE_NONE);

	/* A word that the dump lacks has no place. */
	return (event->kind == EVENT_CANDIDATE && event->place.input != NULL) ||
	       (made && event->status == EVENT_OK);
}

static const char *const prose_kind_words[] = {
	[PROSE_TITLE] = "title", [PROSE_PARAGRAPH] = "paragraph",
	[PROSE_ITEM] = "item",	 [PROSE_FIGURE] = "figure",
};
static const struct fact_names prose_kinds = FACT_NAMES(prose_kind_words);

static void
write_words(struct json *json, const char *text, struct arena *arena)
{
	struct prose_piece piece;

	for (size_t at = 0; prose_next(text, &at, &piece);)
		if (piece.term.length > 0)
			json_string(json, NULL, text_or_empty(text_copy(arena, piece.term)));
}

#define FACTS "report/step/step_facts.def"
#include "document/describe_facts.h"
