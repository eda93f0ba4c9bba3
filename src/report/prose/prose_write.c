/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/glossary.h"
#include "report/memory/frame_drawing.h"
#include "report/prose/prose.h"
#include "walk/fold.h"

/* Documents of steps in prose: text, and pages. */

enum { COLUMNS = 78, PARAGRAPH = 2, ITEM = 4, FIGURE = 6 };

/* Tokens of a rule shown on either side of the marked token. */
#define TOKENS_AROUND 24u

/* Values shown of an evaluation stack, from its top. */
#define CELLS 12u

/* Maximum number of steps in a document. Each step has one or two pages. */
#define STEPS_MOST 256u

/* Steps and words ------------------------------------------------------------------------------ */

/* Glossary terms that a document has used so far, in order. */
struct prose_words {
	const struct glossary_entry *items[200];
	size_t count;
};

/* The title of a step, in `arena`: "From frame 0 to frame 1". */
static const char *
step_title(const struct prose *prose, struct arena *arena)
{
	const size_t frame = prose->view->frame;

	return prose->view->verdict.kind == VERDICT_TAKEN
		? arena_format(arena, "From frame %zu to frame %zu", frame, frame + 1)
		: arena_format(arena, "From frame %zu to the end of the stack", frame);
}

/* The entry of a term if this is the term's first use, else NULL. */
static const struct glossary_entry *
meet_word(struct prose_words *words, struct text term)
{
	const struct glossary_entry *entry = term.length > 0 ? glossary_find(term, false) : NULL;

	for (size_t i = 0; i < words->count; i++)
		if (words->items[i] == entry)
			return NULL;
	if (entry != NULL && words->count < ARRAY_COUNT(words->items))
		words->items[words->count++] = entry;
	return entry;
}

/* Text ----------------------------------------------------------------------------------------- */

struct writing {
	const struct output *output;
	struct prose_words words;
	enum prose_kind last;
	size_t steps;
};

static void
write_indented(const struct writing *writing, size_t indent, const char *first, struct text text)
{
	const size_t columns = COLUMNS - indent, count = row_wrap_count(text, columns);

	for (size_t i = 0; i < count; i++) {
		output_format(writing->output, "%*s", (int)indent, i == 0 ? first : "");
		output_text(writing->output, row_wrap_line(text, columns, i));
		output_plain(writing->output, "\n");
	}
}

/* The text with the first use of each term marked. */
static struct text
marked(struct writing *writing, const char *text, struct arena *arena)
{
	struct output_string made;
	struct prose_piece piece;

	output_string_init(&made, arena);
	for (size_t at = 0; prose_next(text, &at, &piece);) {
		const bool first = meet_word(&writing->words, piece.term) != NULL;

		output_plain(&made.output, first ? "_" : "");
		made.output.write(made.output.context, piece.text.start, piece.text.length);
		output_plain(&made.output, first ? "_" : "");
	}
	return text_of(text_or_empty(made.text));
}

static void
write_text_item(struct writing *writing, const struct prose_item *item, struct arena *arena)
{
	const struct text text = marked(writing, item->text, arena);

	if (item->kind != writing->last || item->kind == PROSE_PARAGRAPH)
		output_plain(writing->output, writing->last == PROSE_TITLE ? "" : "\n");
	writing->last = item->kind;
	if (item->kind == PROSE_TITLE) {
		write_indented(writing, 0, "", text);
	} else if (item->kind == PROSE_PARAGRAPH) {
		write_indented(writing, PARAGRAPH, "", text);
	} else if (item->kind == PROSE_ITEM) {
		write_indented(writing, ITEM, "- ", text);
	} else {
		output_format(writing->output, "%*s", FIGURE, "");
		output_text(writing->output, text);
		output_plain(writing->output, "\n");
	}
}

static void
write_heading(struct writing *writing, const char *title)
{
	output_plain(writing->output, writing->steps++ > 0 ? "\n" : "");
	output_format(writing->output, "%s\n", title);
	for (size_t i = strlen(title); i > 0; i--)
		output_plain(writing->output, "=");
	output_plain(writing->output, "\n");
	writing->last = PROSE_PARAGRAPH;
}

static void
write_text_step(struct writing *writing, const struct prose *prose)
{
	struct arena arena = { 0 };

	write_heading(writing, text_or_empty(step_title(prose, &arena)));
	for (size_t i = 0; i < prose->count; i++) {
		if (!prose->items[i].detail)
			write_text_item(writing, &prose->items[i], &arena);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

/* The steps of a page -------------------------------------------------------------------------- */

/*
 * A page of steps in prose. In HTML the reader can step through the page. The sentences of a step
 * come with the stack, the registers, the rule and its evaluation stack. Each element has the
 * number of the step that first shows it (page_steps.c).
 */

/* The items of prose as steps of a page: a step is a token, or a sentence with its sums. */
struct prose_steps {
	const struct prose *prose;
	uint32_t first;			/* number of the first step in the page */
	uint32_t count;
	uint32_t *numbers;		/* step of each item, from 0 */
	uint32_t *events;		/* last event of each step */
};

static bool
is_token(const struct prose *prose, size_t item)
{
	const struct prose_item *at = &prose->items[item];

	return at->detail && prose->view->trace.events[at->event].kind == EVENT_TOKEN;
}

/* Numbers the steps from `first` on. False when out of memory. */
static bool
number_steps(
	struct prose_steps *steps, const struct prose *prose, uint32_t first, struct arena *arena)
{
	struct step_view view = *prose->view;
	bool told = false; /* the step already has its sentence */

	*steps = (struct prose_steps){
		.prose = prose,
		.first = first,
		.numbers = arena_array(arena, prose->count, sizeof(*steps->numbers)),
		.events = arena_array(arena, prose->count, sizeof(*steps->events)),
	};
	if (steps->numbers == NULL || steps->events == NULL)
		return false;
	for (size_t i = 0; i < prose->count; i++) {
		const struct prose_item *item = &prose->items[i];
		const bool sentence = item->kind == PROSE_PARAGRAPH;

		if (i == 0 || item->kind == PROSE_TITLE || is_token(prose, i) ||
			is_token(prose, i - 1) || (sentence && told)) {
			steps->count++;
			told = false;
		}
		told |= sentence;
		steps->numbers[i] = steps->count - 1;
		/* The events of a token end with its read or, for the last token, its rule. */
		view.cursor = item->event;
		steps->events[steps->count - 1] =
			is_token(prose, i) ? step_view_now(&view) : item->event;
	}
	return true;
}

/* The number of the first step that shows the result of an event. */
static uint32_t
since(const struct prose_steps *steps, uint32_t event)
{
	uint32_t step = 0;

	while (step + 1 < steps->count && steps->events[step] < event)
		step++;
	return steps->first + step;
}

/* The stack ------------------------------------------------------------------------------------ */

/* Writes an attribute: the list of the steps that read a word. */
static void
write_reads(
	const struct output *to, const struct prose_steps *steps, uint64_t address, uint64_t size)
{
	const struct trace *trace = &steps->prose->view->trace;
	const char *join = " data-now=\"";

	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *at = &trace->events[i];
		uint32_t step = at->kind == EVENT_CANDIDATE && at->status == EVENT_OK
			? since(steps, i) : 0;

		if (at->address < address || at->address - address >= size)
			continue;
		/* Find the step that explains the token of a read. */
		for (size_t j = steps->prose->count; at->kind == EVENT_READ && j-- > 0;)
			if (steps->prose->items[j].event == at->parent &&
				is_token(steps->prose, j))
				step = steps->first + steps->numbers[j];
		if (step == 0)
			continue;
		output_format(to, "%s%" PRIu32, join, step);
		join = " ";
	}
	output_plain(to, join[1] == '\0' ? "\">" : ">");
}

/* The event that set a register of the caller; TRACE_NONE: none. */
static uint32_t
settled(const struct step_view *view, int reg)
{
	const uint32_t set = step_view_register(view, reg);

	return set != TRACE_NONE ? step_view_settled(view, set) : TRACE_NONE;
}

static void
open_since(struct page *page, const struct prose_steps *steps, uint32_t event)
{
	if (event == TRACE_NONE)
		output_plain(page_raw(page), "<span>");
	else
		output_format(
			page_raw(page), "<span data-since=\"%" PRIu32 "\">", since(steps, event));
}

static void
write_row(struct page *page, struct row *row)
{
	for (size_t i = 0; i < row->span_count; i++)
		page_text(page, row->spans[i].role, row_span_text(row, i));
	row_clear(row);
}

static void
write_slot(struct page *page, const struct prose_steps *steps, const struct drawing *drawing,
	const struct frame_part *slot, struct row *row)
{
	const struct output *to = page_raw(page);
	const struct frame_layout *layout = &drawing->layout;

	output_format(to, "<div class=\"word%s%s%s\"", slot->returns ? " returns" : "",
		slot->save != NULL && !slot->returns ? " saves" : "",
		slot->outside ? " outside" : "");
	write_reads(to, steps, slot->address, slot->size);
	page_block_format(
		page, PAGE_NUMBER, ROLE_NORMAL, "%0*" PRIx64, drawing->digits, slot->address);
	const uint32_t saved =
		slot->save != NULL ? settled(layout->step, slot->save->reg) : TRACE_NONE;
	output_plain(to, "<code class=\"cell\"");
	if (saved != TRACE_NONE)
		output_format(to, " data-since=\"%" PRIu32 "\"", since(steps, saved));
	output_plain(to, ">");
	drawing_add_value(drawing, slot, row);
	write_row(page, row);
	output_plain(to, "</code><span class=\"what\"><span class=\"mark\"></span>");
	open_since(page, steps, layout->saves.has_cfa ? layout->event : TRACE_NONE);
	page_text(page, ROLE_NORMAL, text_of(drawing_distance(drawing, slot).text));
	output_plain(to, "</span> ");
	open_since(page, steps, saved);
	drawing_describe(drawing, slot, 100, row);
	write_row(page, row);
	output_plain(to, "</span></span></div>\n");
}

static void
write_stack(struct page *page, const struct prose_steps *steps, struct arena *arena)
{
	const struct step_view *view = steps->prose->view;
	const struct output *to = page_raw(page);
	struct memory_view *memory = arena_alloc(arena, sizeof(*memory));
	struct row row = ROW_IN(arena);

	if (memory == NULL)
		return;
	memory_view_all(memory, view->walk->crash, arena);
	const struct frame_drawing_options options = {
		.step = view, .memory = memory, .binaries = view->walk->binaries
	};
	const struct drawing *drawing = drawing_make(&options, arena);
	for (size_t i = 0; drawing != NULL && i < drawing->count; i++) {
		const struct drawing_row *at = &drawing->rows[i];

		if (at->kind == DRAWING_SLOT) {
			write_slot(page, steps, drawing, at->slot, &row);
		} else if (at->kind == DRAWING_END) {
			output_plain(to, "<div class=\"edge\">");
			open_since(page, steps, drawing->layout.event);
			page_block_format(page, PAGE_NUMBER, ROLE_NORMAL, "%0*" PRIx64,
				drawing->digits, drawing->layout.end);
			output_plain(to, "</span><span></span><span class=\"what\">");
			open_since(page, steps, drawing->layout.event);
			drawing_text(drawing, DRAWING_END, 0, &row);
			write_row(page, &row);
			output_plain(to, "</span></span></div>\n");
		} else if (at->kind == DRAWING_GROWTH) {
			drawing_text(drawing, DRAWING_GROWTH, 0, &row);
			write_row(page, &row);
		}
	}
}

/* The registers -------------------------------------------------------------------------------- */

static void
write_register(struct page *page, const struct prose_steps *steps, int reg)
{
	const struct step_view *view = steps->prose->view;
	const struct registers *before = &view->walk->frames[view->frame].registers;
	const bool known = registers_known(&view->caller.registers, reg);
	const uint32_t event = settled(view, reg);
	const struct output *to = page_raw(page);

	output_plain(to, "<tr");
	if (event != TRACE_NONE)
		output_format(to, " data-now=\"%" PRIu32 "\"", since(steps, event));
	output_format(to, "><th scope=\"row\"><span class=\"mark\"></span>%s</th><td><code>",
		view->walk->arch->registers[reg].label);
	output_plain(to,
		registers_known(before, reg) ? step_view_value(view, before->value[reg]).text
					     : "unknown");
	output_plain(to, "</code></td><td><code>");
	open_since(page, steps, event != TRACE_NONE ? event : (uint32_t)view->trace.count - 1);
	output_plain(to,
		known ? step_view_value(view, view->caller.registers.value[reg]).text : "unknown");
	output_plain(to, "</span></code></td></tr>\n");
}

static void
write_registers(struct page *page, const struct prose_steps *steps, struct arena *arena)
{
	const struct step_view *view = steps->prose->view;
	const struct output *to = page_raw(page);
	const struct listing registers = step_view_registers(view, 16, arena);

	output_format(to,
		"<table class=\"registers\"><thead><tr><th scope=\"col\">register</th>"
		"<th scope=\"col\">frame %zu</th><th scope=\"col\">frame %zu</th></tr></thead>"
		"<tbody>\n",
		view->frame, view->frame + 1);
	for (size_t i = 0; i < registers.count; i++) {
		const int reg = step_view_register_of_row(&registers, i);

		if (reg != ARCH_NO_REGISTER)
			write_register(page, steps, reg);
	}
	output_plain(to, "</tbody></table>\n");
}

/* Tokens --------------------------------------------------------------------------------------- */

/* Writes a rule with one token marked. A long rule is cut to the tokens near that token. */
static void
write_rule(struct page *page, const struct trace *trace, uint32_t token)
{
	const struct output *to = page_raw(page);
	const uint32_t rule = trace->events[token].parent;
	uint32_t before = 0, after = 0;

	for (uint32_t i = rule; i < token; i++)
		before += trace->events[i].kind == EVENT_TOKEN;
	output_plain(to, "<p class=\"rule\"><code>");
	page_text(page, ROLE_TITLE, trace->events[rule].name);
	output_plain(to, before > TOKENS_AROUND ? ": ..." : ":");
	for (uint32_t i = rule; i < trace->events[rule].end; i++) {
		const struct event *at = &trace->events[i];

		if (at->kind != EVENT_TOKEN || (i < token && before-- > TOKENS_AROUND) ||
			(i > token && ++after > TOKENS_AROUND))
			continue;
		output_plain(to, i == token ? " <mark>" : " ");
		page_text(page, ROLE_NORMAL, at->name);
		output_plain(to, i == token ? "</mark>" : "");
	}
	output_plain(to, after > TOKENS_AROUND ? " ...</code></p>\n" : "</code></p>\n");
}

/* Begins the step of an item. The step of a token shows a rule and the evaluation stack. */
static void
open_step(struct page *page, const struct prose_steps *steps, size_t item)
{
	const bool of_token = is_token(steps->prose, item);
	const struct step_view *view = steps->prose->view;
	const uint32_t token = steps->prose->items[item].event;
	const struct cell *cells[CELLS];
	size_t count = 0;

	output_format(page_raw(page), "<div class=\"step%s\" data-step=\"%" PRIu32 "\">\n",
		of_token ? " token" : "", steps->first + steps->numbers[item]);
	if (!of_token)
		return;
	write_rule(page, &view->trace, token);
	const struct cell *cell = view->trace.events[token].stack;
	for (; cell != NULL && count < CELLS; cell = cell->below)
		cells[count++] = cell;
	output_plain(page_raw(page),
		cell != NULL	     ? "<p class=\"postfix\">stack: ... "
			: count == 0 ? "<p class=\"postfix\">stack: empty"
				     : "<p class=\"postfix\">stack: ");
	while (count-- > 0) {
		output_plain(page_raw(page), "<code>");
		page_text(page, ROLE_NORMAL, cells[count]->name);
		if (cells[count]->known)
			page_format(page, ROLE_NORMAL,
				    cells[count]->name.length > 0 ? " (%s)" : "%s",
				    step_view_cell(view, cells[count]).text);
		output_plain(page_raw(page), "</code>");
	}
	output_plain(page_raw(page), "</p>\n");
}

/* The page ------------------------------------------------------------------------------------- */

struct paging {
	struct page page;
	bool stepped;
	uint32_t steps;
	struct prose_words words;
	enum page_block open; /* block around the last items; PAGE_BLOCK_COUNT: none */
};

/* Closes the open block and opens `block` (PAGE_BLOCK_COUNT: opens none). */
static void
go_into(struct paging *paging, enum page_block block)
{
	if (paging->open == block)
		return;
	if (paging->open != PAGE_BLOCK_COUNT)
		page_close(&paging->page, paging->open);
	if (block != PAGE_BLOCK_COUNT)
		page_open(&paging->page, block);
	paging->open = block;
}

/* Writes a text. Each term is marked at its first use, and gets its glossary entry. */
static void
write_text(struct paging *paging, const char *text)
{
	struct page *page = &paging->page;
	struct prose_piece piece;

	for (size_t at = 0; prose_next(text, &at, &piece);) {
		const struct glossary_entry *entry = meet_word(&paging->words, piece.term);

		if (entry == NULL) {
			page_text(page, ROLE_NORMAL, piece.text);
			continue;
		}
		page_open(page, PAGE_TERM);
		page_text(page, ROLE_NORMAL, piece.text);
		page_block_format(
			page, PAGE_EVIDENCE, ROLE_NORMAL, "%s: %s", entry->term, entry->text);
		page_close(page, PAGE_TERM);
	}
}

static void
write_item(struct paging *paging, const struct prose_item *item)
{
	static const struct {
		enum page_block around, block;
	} blocks[] = {
		[PROSE_TITLE] = { PAGE_BLOCK_COUNT, PAGE_PART },
		[PROSE_PARAGRAPH] = { PAGE_BLOCK_COUNT, PAGE_PARAGRAPH },
		[PROSE_ITEM] = { PAGE_LIST, PAGE_ITEM },
		[PROSE_FIGURE] = { PAGE_CODE, PAGE_LINE },
	};

	go_into(paging, blocks[item->kind].around);
	page_open(&paging->page, blocks[item->kind].block);
	write_text(paging, item->text);
	page_close(&paging->page, blocks[item->kind].block);
}

static void
end_step(struct paging *paging)
{
	go_into(paging, PAGE_BLOCK_COUNT);
	output_plain(page_raw(&paging->page), "</div>\n");
}

static void
write_stepped(struct paging *paging, const struct prose *prose)
{
	struct prose_steps steps;
	struct arena arena = { 0 };

	if (!number_steps(&steps, prose, paging->steps + 1, &arena)) {
		arena_free(&arena);
		return;
	}
	output_plain(page_raw(&paging->page), "<section class=\"told\">\n");
	page_block(&paging->page, PAGE_SECTION, ROLE_NORMAL,
		text_of(text_or_empty(step_title(prose, prose->arena))));
	if (prose->view->verdict.kind == VERDICT_TAKEN) {
		output_plain(page_raw(&paging->page), "<div class=\"stage\">\n");
		write_stack(&paging->page, &steps, &arena);
		write_registers(&paging->page, &steps, &arena);
		output_plain(page_raw(&paging->page), "</div>\n");
	}
	for (size_t i = 0; i < prose->count; i++) {
		if (i == 0 || steps.numbers[i] != steps.numbers[i - 1]) {
			if (i > 0)
				end_step(paging);
			open_step(&paging->page, &steps, i);
		}
		write_item(paging, &prose->items[i]);
	}
	end_step(paging);
	paging->steps += steps.count;
	output_plain(page_raw(&paging->page), "</section>\n");
	arena_free(&arena);
}

static void
write_page_step(struct paging *paging, const struct prose *prose)
{
	if (paging->stepped) {
		write_stepped(paging, prose);
		return;
	}
	page_block(&paging->page, PAGE_SECTION, ROLE_NORMAL,
		text_of(text_or_empty(step_title(prose, prose->arena))));
	for (size_t i = 0; i < prose->count; i++)
		if (!prose->items[i].detail)
			write_item(paging, &prose->items[i]);
	go_into(paging, PAGE_BLOCK_COUNT);
}

static void
write_words(struct paging *paging)
{
	struct page *page = &paging->page;

	if (paging->stepped)
		output_plain(page_raw(page), "<section class=\"words\">\n");
	page_block(page, PAGE_SECTION, ROLE_NORMAL, text_of("Words"));
	page_open(page, PAGE_LIST);
	for (size_t i = 0; i < paging->words.count; i++) {
		page_open(page, PAGE_ITEM);
		page_block(page, PAGE_TERM, ROLE_NORMAL, text_of(paging->words.items[i]->term));
		page_format(page, ROLE_NORMAL, ": %s", paging->words.items[i]->text);
		page_close(page, PAGE_ITEM);
	}
	page_close(page, PAGE_LIST);
	if (paging->stepped)
		output_plain(page_raw(page), "</section>\n");
}

static void
write_repeated(const struct writing *writing, struct paging *paging, const char *text)
{
	if (paging != NULL) {
		page_block(&paging->page, PAGE_PARAGRAPH, ROLE_NORMAL, text_of(text));
		return;
	}
	output_plain(writing->output, "\n");
	write_indented(writing, PARAGRAPH, "", text_of(text));
}

/* Writes each step of the range to `output` as text, or to `page`; the other is NULL. */
static void
write_steps(const struct prose_range *range, struct writing *writing, struct paging *paging)
{
	struct fold fold = { 0 };
	struct prose_told told = { 0 };
	struct arena arena = { 0 };
	struct step_view view;
	char text[160];

	fold_update(&fold, range->walk);
	for (size_t i = range->first, steps = 0; i <= range->last; i++) {
		if (steps++ == STEPS_MOST) {
			snprintf(text, sizeof(text),
				"The steps from frame %zu on are left out; --frame N explains one.",
				i);
			write_repeated(writing, paging, text);
			break;
		}
		step_view_make(&view, range->walk, i);
		const struct prose *prose = prose_of(&view, &told, &arena);
		if (prose != NULL && paging != NULL)
			write_page_step(paging, prose);
		else if (prose != NULL)
			write_text_step(writing, prose);
		step_view_free(&view);
		arena_reset(&arena);
		const struct fold_run *run = fold_run_of(&fold, i);
		/* Only one turn of a cycle is written. A sentence replaces the other turns. */
		if (run == NULL || i + 1 != run->first + run->length || range->first == range->last)
			continue;
		const size_t last = run->first + fold_run_frames(run) - 1;
		snprintf(text, sizeof(text),
			"Frames %zu to %zu are in the same functions as the %zu before them, again "
			"and again; their steps are left out.",
			i + 1, last, run->length);
		write_repeated(writing, paging, text);
		i = last;
	}
	arena_free(&arena);
	fold_free(&fold);
}

void
prose_write(const struct prose_range *range, const struct output *output)
{
	struct writing writing = { .output = output };
	struct arena arena = { 0 };

	write_steps(range, &writing, NULL);
	write_heading(&writing, "Words");
	for (size_t i = 0; i < writing.words.count; i++) {
		const struct glossary_entry *entry = writing.words.items[i];
		/* Write only the first sentence of an entry. */
		const char *end = strstr(entry->text, ". ");
		const char *line = arena_format(&arena, "%s: %.*s", entry->term,
			end != NULL ? (int)(end - entry->text) + 1 : (int)strlen(entry->text),
			entry->text);

		write_indented(&writing, ITEM, "", text_of(text_or_empty(line)));
	}
	write_indented(&writing, PARAGRAPH, "",
		       text_of("'unspool help WORD' prints the whole entry."));
	arena_free(&arena);
}

void
prose_page(const struct prose_range *range, enum page_form form, const struct output *output)
{
	struct paging paging = { .open = PAGE_BLOCK_COUNT };

	page_begin(&paging.page, form, output, "How the stack was unwound", PAGE_STEPPED);
	paging.stepped = paging.page.use == PAGE_STEPPED;
	write_steps(range, NULL, &paging);
	write_words(&paging);
	page_end(&paging.page);
}
