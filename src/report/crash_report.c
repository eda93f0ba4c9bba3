/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "report/crash_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stack_trust.h"
#include "analysis/thread_state.h"
#include "base/clock.h"
#include "report/code/disassembly.h"
#include "report/code/source.h"
#include "report/memory/registers.h"
#include "report/memory/telescope.h"
#include "report/report.h"
#include "report/stack/stack.h"
#include "report/stack/summary.h"
#include "report/step/explain.h"
#include "report/value/locals.h"
#include "walk/fold.h"

/* Columns of a function's name in a table with evidence. */
#define NAME_COLUMNS 110u
/* Columns of code and of stack words. Longer rows are cut. */
#define COLUMNS 120u
/* Rows around a source line; rows before and after an instruction; words of the stack. */
#define SOURCE_ROWS 5u
#define CODE_ROWS_BEFORE 14u
#define CODE_ROWS_BEHIND 10u
#define STACK_ROWS 32u
/* Limit of listed threads (equal stacks count once): issue trackers accept at most 64 KiB. */
#define GROUPS_MOST 500u
/* Limit of frames whose source file is searched for. */
#define SOURCE_FRAMES 16u

/* Limits of frames whose variables are listed, and of their rows: trackers accept only 64 KiB. */
#define VARIABLE_FRAMES 16u
#define VARIABLE_ROWS 120u

const char *
crash_report_title(const struct analysis *analysis, struct arena *arena)
{
	const char *reason = analysis->reason == NULL && analysis->damage > 0 ? "Damaged dump"
			     : analysis->reason == NULL			      ? "No crash"
			     : analysis->reason[0] == '\0'		      ? "Crash"
									      : analysis->reason;

	/* Socorro writes "EMPTY: ..." if the stack has no frame to name. */
	return analysis->signature[0] == '\0' || strncmp(analysis->signature, "EMPTY", 5) == 0
		       ? reason : arena_format(arena, "%s in %s", reason, analysis->signature);
}

/* Writes a text with `place` as its evidence (none if the place has no input). */
static void
write_value(struct page *page, enum role role, struct text text, struct place place)
{
	place = place_record(place);
	if (place.input == NULL || text.length == 0) {
		page_text(page, role, text);
		return;
	}
	page_open(page, PAGE_VALUE);
	page_text(page, role, text);
	page_block_format(page, PAGE_EVIDENCE, ROLE_NORMAL, "from %s", place_format(&place).text);
	page_close(page, PAGE_VALUE);
}

void
crash_report_summary(struct page *page, const struct analysis *analysis, struct walk *walk)
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

			write_value(page, line->role, text_trimmed(line->text),
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

/* Writes how a frame was found or why the stack ends, and which source contradicts this. */
static void
write_finding(struct page *page, struct shown_finding finding)
{
	page_text(page, finding.role, text_of(finding.words));
	if (finding.doubt == NULL)
		return;
	page_text(page, ROLE_BAD, text_of("; contradicted: "));
	page_text(page, ROLE_NORMAL, text_of(finding.doubt));
}

struct frames_page {
	struct page *page;
	struct walk *walk;
	const struct listing *stack;	/* all frames and calls; NULL: no evidence */
	size_t columns;			/* columns after which a name is cut; 0: not cut */
	size_t *named;			/* bytes of long names so far; NULL: no limit */
	struct arena arena;		/* arena for one frame */
};

/* Writes how a frame was found, and its address. The address's bytes in the stack are evidence. */
static void
write_origin(struct frames_page *table, size_t frame)
{
	const struct listing *stack = table->stack;
	struct walk *walk = table->walk;
	struct page *page = table->page;

	page_block_format(page, PAGE_CELL, ROLE_NORMAL, "%zu", frame);
	page_open(page, PAGE_CELL);
	write_finding(page, shown_found(walk, frame, &table->arena));
	page_close(page, PAGE_CELL);
	page_open(page, PAGE_CELL);
	page_open(page, PAGE_VALUE);
	page_block_format(page, PAGE_NUMBER, ROLE_NORMAL, "%0*" PRIx64, report_digits(walk->arch),
			  walk->frames[frame].registers.value[walk->arch->pc]);
	page_open(page, PAGE_EVIDENCE);
	if (stack != NULL) {
		struct row row = ROW_IN(&table->arena);

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
write_call(struct frames_page *table, const struct shown_frame *shown, const struct call *call)
{
	struct arena *arena = &table->arena;
	struct page *page = table->page;

	page_open(page, PAGE_CELL);
	write_name(page, shown_name(shown, call, false, arena), table->columns);
	if (shown->location.symbol.after.name.length > 0) {
		page_text(page, ROLE_NORMAL, text_of(", "));
		page_text(page, ROLE_NORMAL, location_after(&shown->location, shown->pc, arena));
	}
	page_text(page, ROLE_DIM, text_of(call->inlined != NULL ? " (inlined)" : ""));
	page_close(page, PAGE_CELL);
	page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(shown_source(call, arena)));
}

static void
write_frame(struct frames_page *table, size_t frame)
{
	struct page *page = table->page;
	struct shown_frame shown;

	shown_frame(table->walk, &table->walk->frames[frame], table->named, &table->arena, &shown);
	for (size_t call = 0; call < shown.location.call_count; call++) {
		page_open(page, PAGE_ROW);
		if (call == 0)
			write_origin(table, frame);
		for (size_t i = 0; i < 3 && call > 0; i++)
			page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(""));
		write_call(table, &shown, &shown.location.calls[call]);
		page_close(page, PAGE_ROW);
	}
}

/*
 * Writes a thread's frames as a table. `stack` is a listing of all frames and calls, or NULL. If it
 * is set, frames have evidence, long names are cut, and repeated frames are listed once.
 */
static void
write_frames(struct page *page, struct walk *walk, const struct listing *stack, size_t *named)
{
	const bool brief = stack != NULL;
	/* A table with evidence may cut names, because the evidence has the full names. */
	struct frames_page table = { .page = page, .walk = walk, .stack = stack, .named = named,
				     .columns = brief ? NAME_COLUMNS : 0 };
	static const struct page_column columns[] = {
		{ .name = "frame", .right = true }, { .name = "found by" }, { .name = "address" },
		{ .name = "function", .breaks = true }, { .name = "source" },
	};
	struct fold fold = { 0 };

	if (brief)
		fold_update(&fold, walk);
	page_table(page, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < walk->count; i++) {
		const struct fold_run *run = fold_run_of(&fold, i);

		write_frame(&table, i);
		arena_reset(&table.arena);
		if (run == NULL || i + 1 != run->first + run->length)
			continue;
		/* Only one turn of a cycle is listed. This row has the number of turns. */
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
	arena_free(&table.arena);
}

void
crash_report_thread(struct page *page, struct walk *walk, const struct walk_text_thread *thread,
		  const struct listing *stack, size_t *named)
{
	const struct crash *crash = walk->crash;
	const char *name = crash->threads[walk->thread].name;
	struct stack_trust trust;
	struct arena arena = { 0 };

	page_block_format(page, PAGE_SECTION, ROLE_NORMAL, "Thread %zu%s%s%s", thread->number,
			  !thread->requesting	  ? ""
			  : crash->reason != NULL ? " (crashed)"
						  : " (requested the dump)",
			  name != NULL ? " - " : "", text_or_empty(name));
	write_frames(page, walk, stack, named);
	if (walk->count > 0) {
		stack_trust_of(walk, &trust);
		const char *text = stack_trust_text(&trust, 0, trust.trusted - 1, &arena);
		const char *help = stack_trust_help(&trust, walk, &arena);
		page_block_format(page, PAGE_PARAGRAPH, ROLE_NORMAL, "Stack trust: %s%s%s",
				  text_or_empty(text), help != NULL ? "; " : "",
				  text_or_empty(help));
	}
	if (walk->complete) {
		page_open(page, PAGE_PARAGRAPH);
		page_text(page, ROLE_NORMAL, text_of("End of the stack: "));
		write_finding(page, shown_end(walk, &arena));
		page_close(page, PAGE_PARAGRAPH);
	}
	arena_free(&arena);
}

/* The kind of file that gives a loaded module's names, if one was opened; "": none. */
static const char *
names_source(const struct symbols *symbols, const struct binaries *binaries, size_t module)
{
	if (symbols != NULL && symbols_peek(symbols, module, NULL) != NULL)
		return "yes";
	return binaries_peek(binaries, module, LOCATE_DEBUG) != NULL ? "own file" : "";
}

void
crash_report_modules(struct page *page, const struct crash *crash, const struct symbols *symbols,
		     const struct binaries *binaries)
{
	static const struct page_column columns[] = {
		{ .name = "address" }, { .name = "module", .breaks = true }, { .name = "version" },
		{ .name = "symbols" },
	};

	page_block(page, PAGE_SECTION, ROLE_NORMAL, text_of("Modules"));
	page_table(page, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];

		page_open(page, PAGE_ROW);
		page_open(page, PAGE_CELL);
		page_block_format(page, PAGE_NUMBER, ROLE_NORMAL, "%0*" PRIx64,
				  report_digits(crash->system.arch), module->base);
		page_close(page, PAGE_CELL);
		page_block(page, PAGE_CELL, ROLE_NORMAL,
			   text_base_name(text_of(module->code_file)));
		page_block(page, PAGE_CELL, ROLE_NORMAL, text_of(module->version));
		page_block(page, PAGE_CELL, ROLE_NORMAL,
			   text_of(names_source(symbols, binaries, i)));
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
}

/* The complete report -------------------------------------------------------------------------- */

struct crash_writer {
	const struct crash_report *report;
	const struct crash *crash;
	struct source_options source;
	struct walk *walk;		/* walk of the thread, or NULL */
	struct walk_text_thread *threads;
	size_t thread_count;
	struct stack_state stack;
	struct listing frames;
	struct page page;
	size_t named;			/* bytes of long names so far; see walk/location.h */
	struct arena arena;
};

static void
begin_section(struct page *page, const char *name)
{
	page_block(page, PAGE_SECTION, ROLE_NORMAL, text_of(name));
}

/* Files and system ----------------------------------------------------------------------------- */

/* Writes a fact of the dump with its bytes as evidence. */
static void
write_fact(struct page *page, const char *label, const char *text, struct place place)
{
	page_open(page, PAGE_ROW);
	page_block(page, PAGE_CELL, ROLE_KEY, text_of(label));
	page_open(page, PAGE_CELL);
	write_value(page, ROLE_NORMAL, text_of(text_or_empty(text)), place);
	page_close(page, PAGE_CELL);
	page_close(page, PAGE_ROW);
}

static void
write_dump(struct crash_writer *writer)
{
	static const struct page_column columns[] = { { .name = "" }, { .name = "" } };
	const struct crash *crash = writer->crash;
	const struct crash_system *system = &crash->system;
	const struct text version = crash_os_version(system);
	struct page *page = &writer->page;
	struct arena *arena = &writer->arena;
	char when[CLOCK_UTC_TEXT], written[CLOCK_UTC_TEXT + 4] = "";

	if (crash->time != 0)
		snprintf(written, sizeof(written), "%s UTC", clock_utc(crash->time, when));
	const char *processor = arena_format(arena, "%s%s%s", system->cpu_name,
					     system->cpu_info[0] != '\0' ? ", " : "",
					     system->cpu_info);
	if (system->cpu_count > 0 && processor != NULL)
		processor = arena_format(arena, "%s, %" PRIu32 " processor%s", processor,
					 system->cpu_count, plural(system->cpu_count));
	begin_section(page, "Dump");
	page_table(page, columns, ARRAY_COUNT(columns));
	page_fact(page, "file", ROLE_NORMAL, text_base_name(text_of(crash->file.input.name)));
	page_fact(page, "written", ROLE_NORMAL, text_of(written));
	write_fact(page, "system",
		   arena_format(arena, "%s%s%.*s", system->os_name,
				version.length > 0 ? " " : "", (int)version.length, version.start),
		   system->place);
	write_fact(page, "processor", processor, system->place);
	page_fact(page, "report by", ROLE_NORMAL, text_of("unspool " PACKAGE_VERSION));
	page_fact(page, "shown at", ROLE_NORMAL, text_of(text_or_empty(writer->report->shown_at)));
	page_fact(page, "invented", ROLE_NOTE, text_of(text_or_empty(crash->invented)));
	if (crash->redacted)
		page_fact(page, "left out", ROLE_NOTE,
			  text_of("environment, command line, memory of the process and names of "
				  "users; "
				  "registers are not"));
	if (writer->report->edited)
		page_fact(page, "what if", ROLE_NOTE,
			  text_of("the stack is that of edited records, registers or policy"));
	page_close(page, PAGE_TABLE);
}

/* Writes the files that contain the code of the thread's frames, in the order of the frames. */
static void
write_modules(struct crash_writer *writer)
{
	static const struct page_column columns[] = {
		{ .name = "module", .breaks = true }, { .name = "version" },
		{ .name = "debug ID", .breaks = true },
		{ .name = "build or code ID", .breaks = true }, { .name = "symbols" },
	};
	const struct crash *crash = writer->crash;
	const struct walk *walk = writer->walk;
	struct page *page = &writer->page;
	bool *seen = arena_array(&writer->arena, crash->module_count + 1, sizeof(*seen));

	if (seen == NULL)
		return;
	begin_section(page, "Modules of these frames");
	page_table(page, columns, ARRAY_COUNT(columns));
	for (size_t i = 0; i < walk->count; i++) {
		const int index = walk->frames[i].module;

		if (index == MODULE_NONE || seen[index])
			continue;
		seen[index] = true;
		const struct module *module = &crash->modules[index];
		const char *names =
			names_source(writer->report->around->symbols,
				     writer->report->around->binaries, (size_t)index);
		page_open(page, PAGE_ROW);
		const struct {
			struct text text;
			struct place place;
		} cells[] = {
			{ text_base_name(text_of(module->code_file)), module->place },
			{ text_of(module->version), module->place },
			{ text_of(module->debug_id), module->identity_place },
			/*
			 * No place: some systems have the code ID in the module's record, others in
			 * its identity.
			 */
			{ text_of(module->code_id), { 0 } },
		};
		for (size_t cell = 0; cell < ARRAY_COUNT(cells); cell++) {
			page_open(page, PAGE_CELL);
			write_value(page, ROLE_NORMAL, cells[cell].text, cells[cell].place);
			page_close(page, PAGE_CELL);
		}
		page_block(page, PAGE_CELL, *names != '\0' ? ROLE_NORMAL : ROLE_UNKNOWN,
			   text_of(*names != '\0' ? names : "none"));
		page_close(page, PAGE_ROW);
	}
	page_close(page, PAGE_TABLE);
}

/* The thread that crashed ---------------------------------------------------------------------- */

/* Writes the lines around the first call whose source file is found on this machine. */
static void
write_source(struct crash_writer *writer)
{
	struct page *page = &writer->page;
	struct arena arena = { 0 };
	char url[2200] = "";

	for (size_t frame = 0; frame < writer->walk->count && frame < SOURCE_FRAMES; frame++) {
		struct shown_frame shown;

		shown_frame(writer->walk, &writer->walk->frames[frame], NULL, &arena, &shown);
		for (size_t call = 0; call < shown.location.call_count; call++) {
			const struct text file = shown.location.calls[call].file,
					  name = text_base_name(file);
			struct source_file found;

			/*
			 * Find the file first: without it, source_listing() searches other frames.
			 */
			if (file.length == 0)
				continue;
			if (!source_file_find(&writer->source, shown.location.module, file,
					      &arena, &found)) {
				const char *known =
					source_url(writer->walk, &shown.location, file, &arena);
				if (known != NULL && url[0] == '\0')
					snprintf(url, sizeof(url),
						 "Source of frame %zu, not requested: %s", frame,
						 known);
				continue;
			}
			struct listing source =
				source_listing(&writer->source, writer->walk, frame, call, &arena);
			const struct source_shown marked = source_shown(&source);

			if (marked.path == NULL || marked.line == 0)
				continue;
			/* Omit the head: a path on this machine does not help other readers. */
			source.head = NULL;
			const size_t row = source.current;
			const size_t first = row > SOURCE_ROWS ? row - SOURCE_ROWS : 1;
			page_block_format(page, PAGE_SECTION, ROLE_NORMAL,
					  "Source of frame %zu: %.*s:%" PRIu32, frame,
					  (int)name.length, name.start, marked.line);
			page_listing(page, &source, first, row - first + SOURCE_ROWS + 1, COLUMNS);
			arena_free(&arena);
			return;
		}
		arena_reset(&arena);
	}
	if (url[0] != '\0')
		page_block_format(page, PAGE_PARAGRAPH, ROLE_NORMAL, "%s", url);
	arena_free(&arena);
}

static void
write_code(struct crash_writer *writer)
{
	const struct disassembly_options options = {
		.around = writer->report->around, .walk = writer->walk, .of_frame = true,
		.source = &writer->source,
	};
	struct disassembly *code = disassembly_create(&options);

	if (code == NULL)
		return;
	const struct listing listing = disassembly_listing(code);
	const size_t row = listing.current;
	const size_t first = row > CODE_ROWS_BEFORE ? row - CODE_ROWS_BEFORE : 0;
	begin_section(&writer->page, "Code of frame 0");
	page_listing(&writer->page, &listing, first, row - first + CODE_ROWS_BEHIND + 1, COLUMNS);
	disassembly_free(code);
}

/* Writes the registers of frame 0 and of its caller, and the words at the top of the stack. */
static void
write_state(struct crash_writer *writer)
{
	struct walk *walk = writer->walk;
	struct telescope_state state = { 0 };
	struct step_view step;
	struct arena arena = { 0 };
	struct memory_view memory;

	memory_view_all(&memory, walk->crash, &arena);
	step_view_make(&step, walk, 0);
	step.cursor = (uint32_t)step.trace.count;
	const struct registers_options registers = {
		.step = &step, .memory = &memory, .binaries = walk->binaries,
		.state = &(struct registers_state){ 0 }, .base = 16,
	};
	const struct telescope_options telescope = {
		.crash = walk->crash, .memory = &memory, .binaries = walk->binaries,
		.walk = walk, .step = &step, .state = &state, .base = 16,
	};
	const struct listing listing = registers_listing(&registers, &arena);
	begin_section(&writer->page, "Registers");
	page_listing(&writer->page, &listing, 0, listing.count, COLUMNS);
	write_code(writer);
	const struct listing words = telescope_listing(&telescope, &arena);
	begin_section(&writer->page, "Words of the stack");
	explain_page_drawing(&writer->page, &step, &memory);
	page_listing(&writer->page, &words, telescope_frame_row(&words, 0), STACK_ROWS, COLUMNS);
	step_view_free(&step);
	telescope_state_free(&state);
	arena_free(&arena);
}

static void
write_variables(struct crash_writer *writer)
{
	struct arena arena = { 0 };
	struct memory_view memory;
	size_t rows = 0;

	memory_view_all(&memory, writer->crash, &arena);
	for (size_t i = 0; i < writer->walk->count && i < VARIABLE_FRAMES && rows < VARIABLE_ROWS;
	     i++) {
		struct arena scratch = { 0 };
		const struct locals *locals =
			locals_of(writer->walk, &memory, i, false, NULL, &scratch);

		if (locals != NULL && locals_any(locals)) {
			const struct listing listing = locals_listing(locals, &scratch);
			const size_t room = VARIABLE_ROWS - rows;
			const size_t count = listing.count < room ? listing.count : room;

			if (rows == 0)
				begin_section(&writer->page, "Variables");
			page_listing(&writer->page, &listing, 0, count, COLUMNS);
			if (count < listing.count)
				page_block_format(&writer->page, PAGE_PARAGRAPH, ROLE_NOTE,
						  "left out of frame %zu: %zu more variable%s", i,
						  listing.count - count,
						  plural(listing.count - count));
			rows += count;
		}
		arena_free(&scratch);
	}
	arena_free(&arena);
}

static void
write_thread(struct crash_writer *writer)
{
	for (size_t i = 0; i < writer->thread_count; i++)
		if (writer->threads[i].index == writer->report->thread)
			crash_report_thread(&writer->page, writer->walk, &writer->threads[i],
					  &writer->frames, &writer->named);
	if (writer->walk->count == 0)
		return;
	write_modules(writer);
	write_source(writer);
	write_variables(writer);
	write_state(writer);
}

/* The other threads ---------------------------------------------------------------------------- */

/* Writes a thread's activity, and its first call that does not wait, else its innermost call. */
static void
write_state_of(struct page *page, struct walk *walk, struct arena *arena)
{
	const struct thread_state state = thread_state_of(walk->crash, walk->thread, walk);
	const bool all_wait = state.frame >= walk->count;
	struct shown_frame shown;

	if (thread_state_tells(&state)) {
		page_open(page, PAGE_VALUE);
		page_format(page, ROLE_KEY, "%s", text_or_empty(thread_state_text(&state, arena)));
		page_block(page, PAGE_EVIDENCE, ROLE_NORMAL,
			   text_of(state.evidence != NULL ? state.evidence
							  : "by the names of its functions"));
		page_close(page, PAGE_VALUE);
		page_text(page, ROLE_NORMAL, text_of(", "));
	}
	shown_frame(walk, &walk->frames[all_wait ? 0 : state.frame], NULL, arena, &shown);
	const struct call *call = shown_call(&shown, all_wait ? 0 : state.call);
	page_text(page, ROLE_NORMAL, shown_name(&shown, call, false, arena));
	if (call->has_line)
		page_format(page, ROLE_DIM, "  %s", shown_source(call, arena));
}

/* Writes a thread, or several with the same calls, as one line that unfolds. */
static void
write_group(struct crash_writer *writer, const struct walk_text_thread *thread,
	    struct walk *walk)
{
	const char *name = writer->crash->threads[thread->index].name;
	struct page *page = &writer->page;
	struct arena arena = { 0 };

	page_open(page, PAGE_FOLD);
	page_open(page, PAGE_FOLD_TITLE);
	if (thread->same != NULL)
		page_format(page, ROLE_NORMAL, "threads %s (%zu): ", thread->same,
			    thread->same_count);
	else
		page_format(page, ROLE_NORMAL, "thread %zu%s%s: ", thread->number,
			    name != NULL ? ", " : "", text_or_empty(name));
	if (walk->count > 0)
		write_state_of(page, walk, &arena);
	else
		page_text(page, ROLE_UNKNOWN, text_of("no frames"));
	page_close(page, PAGE_FOLD_TITLE);
	page_open(page, PAGE_FOLD_BODY);
	/* Threads with the same calls may differ in their numbers of frames and their addresses. */
	if (thread->same != NULL)
		page_block_format(page, PAGE_PARAGRAPH, ROLE_NORMAL,
				  "Frames of thread %zu; the others make the same calls",
				  thread->number);
	write_frames(page, walk, &writer->frames, &writer->named);
	page_close(page, PAGE_FOLD_BODY);
	page_close(page, PAGE_FOLD);
	arena_free(&arena);
}

static void
write_count(struct page *page, size_t count, const char *one, const char *several)
{
	if (count == 0)
		return;
	page_block_format(page, PAGE_PARAGRAPH, ROLE_NOTE, "%zu %s", count,
			  count == 1 ? one : several);
}

static void
write_others(struct crash_writer *writer)
{
	struct walk *const *walks = writer->report->around->walks;
	struct walk_text_thread *others =
		arena_array(&writer->arena, writer->thread_count + 1, sizeof(*others));
	size_t count = 0, missing = 0;

	for (size_t i = 0; others != NULL && i < writer->thread_count; i++) {
		const struct walk_text_thread *thread = &writer->threads[i];

		if (thread->index == writer->report->thread)
			continue;
		if (walks[thread->index] != NULL && walks[thread->index]->complete)
			others[count++] = *thread;
		else
			missing++;
	}
	if (count + missing == 0)
		return;
	begin_section(&writer->page, "Other threads");
	count = walk_text_threads_fold(writer->crash, others, walks, count, &writer->arena);
	for (size_t i = 0; i < count && i < GROUPS_MOST; i++)
		write_group(writer, &others[i], walks[others[i].index]);
	write_count(&writer->page, count > GROUPS_MOST ? count - GROUPS_MOST : 0,
		    "more thread is not listed", "more threads are not listed");
	write_count(&writer->page, missing, "thread was not walked", "threads were not walked");
}

void
crash_report_write(const struct crash_report *report, enum page_form form,
		   const struct output *output)
{
	const struct crash *crash = report->around->crash;
	struct walk *const *walks = report->around->walks;
	struct crash_writer writer = { .report = report, .crash = crash,
				       .source = *report->source };

	writer.source.written = true;

	writer.walk = report->thread < crash->thread_count ? walks[report->thread] : NULL;
	writer.thread_count = walk_text_threads(crash, &writer.arena, &writer.threads);
	writer.stack = (struct stack_state){
		.crash = crash,
		.walks = arena_array(&writer.arena, crash->thread_count + 1, sizeof(struct walk *)),
		.open = arena_array(&writer.arena, crash->thread_count + 1, sizeof(bool)),
		.expand_runs = true, .expand_groups = true,
		.thread = report->thread,
	};
	const bool room = writer.stack.walks != NULL && writer.stack.open != NULL;
	for (size_t i = 0; i < crash->thread_count && room; i++) {
		writer.stack.walks[i] = walks[i];
		writer.stack.open[i] = true;
	}
	writer.frames = room ? stack_listing(&writer.stack, &writer.arena)
			     : listing_out_of_memory();
	const char *title = crash_report_title(report->analysis, &writer.arena);
	page_begin(&writer.page, form, output, text_or_empty(title), PAGE_READ);
	crash_report_summary(&writer.page, report->analysis, writer.walk);
	write_dump(&writer);
	if (report->notes != NULL && report->notes->count > 0) {
		begin_section(&writer.page, "Notes");
		page_listing(&writer.page, report->notes, 0, report->notes->count, 0);
	}
	if (writer.walk != NULL)
		write_thread(&writer);
	write_others(&writer);
	page_end(&writer.page);
	stack_state_free(&writer.stack);
	arena_free(&writer.arena);
}
