/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/summary.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/stack/walk_text.h"
#include "walk/location.h"

/* Where the words begin behind their label, and the evidence behind the words. */
#define TEXT_COLUMN 14u
#define EVIDENCE_COLUMN 18u
#define LINE_MOST 600u

struct line {
	const char *label;		/* NULL: more of the line before */
	const char *text;
	enum role role;
	size_t column;
	struct target target;
};

struct summary {
	const struct analysis *analysis;
	const struct walk *walk;
	struct arena *arena;
	size_t columns;			/* 0: lines of any length */
	struct line *lines;
	size_t count, capacity;
};

static void
add_line(struct summary *summary, struct line line, const char *text, size_t length)
{
	struct line *lines = arena_grow(summary->arena, summary->lines, summary->count,
					&summary->capacity, sizeof(*lines));

	if (lines == NULL)
		return;
	summary->lines = lines;
	line.text = arena_copy(summary->arena, text, length);
	if (line.text != NULL)
		lines[summary->count++] = line;
}

/* Text in as many lines as its columns need, broken at blanks. */
static void
add_wrapped(struct summary *summary, struct line line, const char *text)
{
	size_t room = summary->columns > line.column + 20 ? summary->columns - line.column : 0;

	while (room != 0 && text_width(text_of(text)) > room) {
		size_t fits = text_fit(text_of(text), room), at = fits;

		while (at > 0 && text[at] != ' ')
			at--;
		if (at == 0)
			at = fits;
		if (at == 0)
			break;
		add_line(summary, line, text, at);
		line.label = NULL;
		text += at;
		while (*text == ' ')
			text++;
	}
	add_line(summary, line, text, strlen(text));
}

static void
add(struct summary *summary, const char *label, enum role role, struct target target,
    const char *format, ...) ATTRIBUTE_PRINTF(5, 6);

static void
add(struct summary *summary, const char *label, enum role role, struct target target,
    const char *format, ...)
{
	struct line line = { label, NULL, role, TEXT_COLUMN, target };
	char text[LINE_MOST];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	add_wrapped(summary, line, text);
}

static struct target
address_target(uint64_t address)
{
	struct target target = report_no_target();

	target.kind = TARGET_MEMORY;
	target.address = address;
	return target;
}

/* What the dump says of the crash itself. */
static struct target
exception_target(const struct summary *summary)
{
	return report_place_target(summary->analysis->crash->exception.place);
}

/* A frame of the crashed thread; none where it has none. */
static struct target
frame_target(const struct summary *summary, enum target_kind kind)
{
	struct target target = report_no_target();

	if (summary->walk != NULL && summary->walk->count > 0) {
		target.kind = kind;
		target.thread = summary->walk->thread;
	}
	return target;
}

/* What conclusions are drawn from: the instruction, or else where it is. */
static struct target
finding_target(const struct summary *summary)
{
	const struct analysis_instruction *at = &summary->analysis->instruction;

	return at->present ? address_target(at->address) : frame_target(summary, TARGET_FRAME);
}

static void
add_address(struct summary *summary)
{
	const struct analysis *analysis = summary->analysis;
	const struct crash *crash = analysis->crash;
	char sender[96];

	if (crash->cause.address == CRASH_ADDRESS_SENDER)
		add(summary, "sent by", ROLE_NORMAL, exception_target(summary), "%s",
		    crash_describe_sender(crash, sender, sizeof(sender)));
	else if (analysis->adjustment == ANALYSIS_NON_CANONICAL)
		add(summary, "address", ROLE_NORMAL, address_target(analysis->adjusted),
		    "0x%016" PRIx64 ", not canonical (reported as 0x%" PRIx64 ")",
		    analysis->adjusted, analysis->address);
	else if (analysis->adjustment == ANALYSIS_NULL_OFFSET && analysis->offset != 0)
		add(summary, "address", ROLE_NORMAL, address_target(analysis->offset),
		    "0x%" PRIx64 ", a null pointer and an offset", analysis->offset);
	else if (analysis->adjustment == ANALYSIS_OF_INSTRUCTION)
		add(summary, "address", ROLE_NORMAL, address_target(analysis->adjusted),
		    "0x%" PRIx64 ", by the instruction: the dump tells none", analysis->adjusted);
	else if (crash->cause.address == CRASH_ADDRESS_PC)
		add(summary, "stopped at", ROLE_NORMAL, address_target(crash->reason_address),
		    "0x%" PRIx64, crash->reason_address);
	else if (analysis->has_address)
		add(summary, "address", ROLE_NORMAL, address_target(analysis->address),
		    "0x%" PRIx64 "%s", analysis->address,
		    analysis->adjustment == ANALYSIS_NULL_OFFSET ? ", a null pointer" : "");
	else if (crash->reason != NULL)
		add(summary, "address", ROLE_DIM, exception_target(summary),
		    "the dump tells none");
}

/* The number that walks print for the thread; the one that wrote the dump has none. */
static const char *
thread_number(const struct summary *summary)
{
	struct walk_text_thread *threads;
	size_t count = walk_text_threads(summary->analysis->crash, summary->arena, &threads);

	for (size_t i = 0; i < count; i++)
		if (threads[i].index == (size_t)summary->analysis->thread)
			return arena_format(summary->arena, "%zu", threads[i].number);
	return "?";
}

static void
add_thread(struct summary *summary)
{
	const struct analysis *analysis = summary->analysis;
	struct target target = report_no_target();
	const struct thread *thread;
	const char *name;
	char id[24] = "";

	if (analysis->thread < 0)
		return;
	thread = &analysis->crash->threads[analysis->thread];
	name = thread->name != NULL ? text_printable_copy(summary->arena, text_of(thread->name))
				    : NULL;
	target.kind = TARGET_THREAD;
	target.thread = (size_t)analysis->thread;
	/* Microdumps have no ids. */
	if (!analysis->crash->microdump)
		snprintf(id, sizeof(id), " (id 0x%" PRIx32 ")", thread->id);
	add(summary, "thread", ROLE_NORMAL, target, "%s%s%s%s", thread_number(summary), id,
	    name != NULL ? " " : "", name != NULL ? name : "");
	if (thread->has_last_error && thread->last_error != 0)
		add(summary, "last error", ROLE_NORMAL, target, "%" PRIu32 "%s%s",
		    thread->last_error, thread->last_error_name != NULL ? " " : "",
		    thread->last_error_name != NULL ? thread->last_error_name : "");
}

static void
add_place(struct summary *summary)
{
	const struct walk *walk = summary->walk;
	struct location location;
	char where[96] = "";

	if (walk == NULL || walk->count == 0)
		return;
	uint64_t pc = walk->frames[0].registers.value[walk->arch->pc];
	location_of(walk, walk->frames[0].lookup, summary->arena, NULL, &location);
	const struct call *call = &location.calls[0];
	struct text name = location_name(&location, call, pc, true, summary->arena);
	const char *safe = text_printable_copy(summary->arena, name);
	struct text file = text_base_name(call->file);
	const char *source = text_printable_copy(summary->arena, file);
	if (location.module == NULL)
		snprintf(where, sizeof(where), ": 0x%" PRIx64, pc);
	if (call->has_line && file.length > 0 && source != NULL)
		snprintf(where, sizeof(where), " [%.60s : %" PRIu32 "]", source, call->line);
	add(summary, "where", ROLE_CODE,
	    frame_target(summary, call->has_line ? TARGET_SOURCE : TARGET_FRAME), "%s%s",
	    safe != NULL ? safe : "", where);
}

static const char *
permission_text(const struct analysis_access *access)
{
	static const char *const texts[] = {
		[ANALYSIS_UNKNOWN] = "",
		[ANALYSIS_ALLOWED] = ", which is allowed",
		[ANALYSIS_DENIED] = ", which is not allowed",
		[ANALYSIS_UNMAPPED] = ", where nothing is mapped",
	};

	if (access->guard_page)
		return ", likely a guard page";
	return texts[access->permission];
}

static void
add_access(struct summary *summary, const struct analysis_access *access)
{
	static const char *const verbs[] = {
		[ANALYSIS_READ] = "reads",
		[ANALYSIS_WRITE] = "writes",
		[ANALYSIS_READ_WRITE] = "reads and writes",
		[ANALYSIS_EXECUTE] = "executes",
	};
	char size[32] = "", plain[32];

	/* An operand that is nothing but the address says nothing more. */
	snprintf(plain, sizeof(plain), "0x%" PRIx64, access->address);
	const bool more = access->text[0] != '\0' && strcmp(access->text, plain) != 0;
	if (access->size != 0)
		snprintf(size, sizeof(size), " %" PRIu32 " byte%s at", access->size,
			 access->size == 1 ? "" : "s");
	add(summary, NULL, access->faulted ? ROLE_BAD : ROLE_DATA, address_target(access->address),
	    "%s%s 0x%" PRIx64 "%s%s%s%s%s", verbs[access->kind], size, access->address,
	    more ? " (" : "", more ? access->text : "", more ? ")" : "",
	    permission_text(access), access->faulted ? ": this failed" : "");
}

static void
add_instruction(struct summary *summary)
{
	const struct analysis_instruction *at = &summary->analysis->instruction;

	if (at->present) {
		const char *source = text_printable_copy(summary->arena, text_of(at->source));

		add(summary, "instruction", ROLE_CODE, address_target(at->address),
		    "%s   (at 0x%" PRIx64 ", bytes of %s)", at->text, at->address,
		    source != NULL ? source : "?");
	}
	for (size_t i = 0; i < at->access_count; i++)
		add_access(summary, &at->accesses[i]);
	if (at->present && at->has_next_pc)
		add(summary, NULL, ROLE_DATA, address_target(at->next_pc),
		    "goes on at 0x%" PRIx64 "%s", at->next_pc,
		    at->next_pc_canonical ? "" : ", which no pointer has");
}

static void
add_finding(struct summary *summary, const struct finding *finding, bool first)
{
	struct line line = { first ? "found" : "", NULL, ROLE_TITLE, TEXT_COLUMN,
			     finding_target(summary) };
	char text[LINE_MOST];

	snprintf(text, sizeof(text), "%s (%s, %u%%)", finding_title(finding->kind),
		 analysis_confidence_name(finding->confidence), finding->confidence);
	add_wrapped(summary, line, text);
	line.label = NULL;
	line.role = ROLE_NORMAL;
	line.column = TEXT_COLUMN + 2;
	const char *safe = text_printable_copy(summary->arena, text_of(finding->text));
	add_wrapped(summary, line, safe != NULL ? safe : "");
	line.role = ROLE_DIM;
	line.column = EVIDENCE_COLUMN;
	for (size_t i = 0; i < finding->evidence_count; i++) {
		safe = text_printable_copy(summary->arena, text_of(finding->evidence[i]));
		snprintf(text, sizeof(text), "- %s", safe != NULL ? safe : "");
		add_wrapped(summary, line, text);
	}
}

static void
add_text(struct summary *summary, const char *label, enum role role, struct target target,
	 const char *text)
{
	const char *safe =
		text != NULL ? text_printable_copy(summary->arena, text_of(text)) : NULL;

	if (safe != NULL)
		add(summary, label, role, target, "%s", safe);
}

static void
build(struct summary *summary)
{
	const struct analysis *analysis = summary->analysis;

	add_text(summary, "crash", ROLE_TITLE, exception_target(summary),
		 analysis->reason == NULL
			 ? "none: the dump is of a process that was running"
			 : analysis->reason[0] != '\0' ? analysis->reason : "not told");
	add_address(summary);
	add_text(summary, "note", ROLE_NORMAL, exception_target(summary),
		 analysis->crash->cause.note);
	add_text(summary, "assertion", ROLE_NORMAL, exception_target(summary),
		 analysis->crash->assertion);
	add_thread(summary);
	add_place(summary);
	add_text(summary, "signature", ROLE_TITLE, frame_target(summary, TARGET_FRAME),
		 analysis->signature);
	add_instruction(summary);
	for (size_t i = 0; i < analysis->finding_count; i++)
		add_finding(summary, &analysis->findings[i], i == 0);
}

static void
fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct summary *summary = listing->context;
	const struct line *line = &summary->lines[index];

	(void)columns;
	if (line->label != NULL)
		row_add(row, ROLE_KEY, "%s", line->label);
	row_pad(row, line->column);
	row_add_text(row, line->role, text_of(line->text));
}

static struct target
row_target(const struct listing *listing, size_t index)
{
	const struct summary *summary = listing->context;

	return summary->lines[index].target;
}

static void
explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct summary *summary = listing->context;
	const struct line *line = &summary->lines[index];
	char place[300];

	row_add_text(row, ROLE_NORMAL, text_of(line->text));
	if (line->target.kind == TARGET_PLACE)
		row_add(row, ROLE_NOTE, "   said by %s",
			place_format(&line->target.place, place, sizeof(place)));
}

struct listing
summary_listing(const struct analysis *analysis, const struct walk *walk, size_t columns,
		struct arena *arena)
{
	struct summary *summary = arena_alloc(arena, sizeof(*summary));

	if (summary == NULL)
		return listing_out_of_memory();
	*summary = (struct summary){ .analysis = analysis, .walk = walk, .arena = arena,
				     .columns = columns };
	build(summary);
	return (struct listing){ .count = summary->count, .fill = fill_row, .target = row_target,
				 .explain = explain_row, .context = summary };
}

const char *
summary_line(const struct listing *listing, size_t row, const char **text)
{
	const struct summary *summary = listing->context;

	*text = summary->lines[row].text;
	return summary->lines[row].label;
}

void
summary_print(const struct output *output, const struct analysis *analysis,
	      const struct walk *walk)
{
	struct arena arena, line;
	struct row row;

	arena_init(&arena, 0);
	arena_init(&line, 0);
	struct listing listing = summary_listing(analysis, walk, 0, &arena);
	row_init(&row, &line);
	for (size_t i = 0; i < listing.count; i++) {
		row_clear(&row);
		listing_fill(&listing, i, 0, &row);
		output_format(output, "%s\n", row_text(&row));
	}
	arena_free(&line);
	arena_free(&arena);
}
