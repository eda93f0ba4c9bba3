/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/stack_trust.h"
#include "inspect/blind.h"
#include "inspect/expression/value_expression.h"
#include "report/report.h"
#include "report/stack/walk_text.h"
#include "report/value/value_text.h"

#define TEXT_COLUMN 14u

/* Maximum number of rows for threads that wait for locks. */
#define MOST_LOCKS 20u

struct summary {
	const struct analysis *analysis;
	struct walk *walk;
	struct lines lines;
};

static struct target
exception_target(const struct summary *summary)
{
	return report_place_target(summary->analysis->crash->exception.place);
}

/* The target of a frame of the crashed thread; none if it has no frames. */
static struct target
frame_target(const struct summary *summary, enum target_kind kind)
{
	return summary->walk != NULL && summary->walk->count > 0
		       ? TARGET(kind, .thread = summary->walk->thread) : TARGET(TARGET_NONE);
}

/* Whether the address is that of an access with a null pointer and an offset. */
static bool
has_null_base(const struct analysis *analysis)
{
	const struct analysis_instruction *at = &analysis->instruction;
	bool found = false;

	for (size_t i = 0; i < at->access_count; i++)
		found |= at->accesses[i].faulted && at->accesses[i].null_pointer &&
			 at->accesses[i].null_register != NULL;
	return found;
}

static void
add_address(struct summary *summary)
{
	const struct analysis *analysis = summary->analysis;
	const struct crash *crash = analysis->crash;
	const bool null = analysis->adjustment == ANALYSIS_NULL_OFFSET;
	struct lines *lines = &summary->lines;
	const char *label = "address", *after = "";
	uint64_t at = analysis->address;

	lines->target = exception_target(summary);
	if (crash->cause.address == CRASH_ADDRESS_SENDER) {
		lines_add_format(
			lines, "sent by", ROLE_NORMAL, "%s", crash_describe_sender(crash).text);
		return;
	}
	if (analysis->adjustment == ANALYSIS_NON_CANONICAL) {
		lines->target = TARGET(TARGET_MEMORY, .address = analysis->adjusted);
		/* Systems report 0 if they cannot determine the address. */
		if (analysis->address == 0)
			after = "none was reported";
		else
			after = arena_format(lines->arena, "reported as 0x%" PRIx64,
					     analysis->address);
		lines_add_format(lines, label, ROLE_NORMAL, "0x%016" PRIx64 ", not canonical (%s)",
				 analysis->adjusted, text_or_empty(after));
		return;
	}
	if (null && analysis->offset != 0) {
		at = analysis->offset;
		after = arena_format(lines->arena, "%s%s",
				     has_null_base(analysis) ? ", a null pointer and an offset"
							     : ", a small number",
				     analysis->has_address && analysis->address == at
					     ? "" : ", by the instruction: the dump has none");
	} else if (analysis->adjustment == ANALYSIS_OF_INSTRUCTION) {
		at = analysis->adjusted;
		after = ", by the instruction: the dump has none";
	} else if (crash->cause.address == CRASH_ADDRESS_PC) {
		at = crash->reason_address;
		label = "stopped at";
	} else if (analysis->has_address) {
		after = null ? ", a null pointer" : "";
	} else {
		if (crash->reason != NULL)
			lines_add(lines, label, ROLE_DIM, "the dump has none");
		return;
	}
	lines->target = TARGET(TARGET_MEMORY, .address = at);
	lines_add_format(lines, label, ROLE_NORMAL, "0x%" PRIx64 "%s", at,
			 text_or_empty(after));
}

static void
add_thread(struct summary *summary)
{
	const struct analysis *analysis = summary->analysis;
	struct lines *lines = &summary->lines;
	struct walk_text_thread *threads;
	char id[40] = "", number[24] = "?";

	if (analysis->thread < 0)
		return;
	const struct thread *thread = &analysis->crash->threads[analysis->thread];
	const char *name = thread->name;
	/* The thread's number in printed walks; the thread that wrote the dump has none. */
	const size_t count = walk_text_threads(analysis->crash, lines->arena, &threads);
	for (size_t i = 0; i < count; i++)
		if (threads[i].index == (size_t)analysis->thread)
			snprintf(number, sizeof(number), "%zu", threads[i].number);
	/* Microdumps have no ids. The tools of Linux, such as ps, print ids in decimal. */
	if (!analysis->crash->microdump && analysis->crash->system.os == CRASH_OS_LINUX)
		snprintf(id, sizeof(id), " (id 0x%" PRIx32 ", %" PRIu32 ")", thread->id,
			 thread->id);
	else if (!analysis->crash->microdump)
		snprintf(id, sizeof(id), " (id 0x%" PRIx32 ")", thread->id);
	lines->target = TARGET(TARGET_THREAD, .thread = (size_t)analysis->thread);
	lines_add_format(lines, "thread", ROLE_NORMAL, "%s%s%s%s", number, id,
			 name != NULL ? " " : "", text_or_empty(name));
	if (thread->has_last_error && thread->last_error != 0)
		lines_add_format(lines, "last error", ROLE_NORMAL, "%" PRIu32 "%s%s",
				 thread->last_error, thread->last_error_name != NULL ? " " : "",
				 text_or_empty(thread->last_error_name));
	if (summary->walk != NULL)
		lines_add(lines, "context", ROLE_NORMAL, report_context_note(summary->walk));
}

static void
add_place(struct summary *summary)
{
	const struct walk *walk = summary->walk;
	struct shown_frame shown;
	struct arena *arena = summary->lines.arena;
	const char *where = "";

	if (walk == NULL || walk->count == 0)
		return;
	shown_frame(walk, &walk->frames[0], NULL, arena, &shown);
	const struct call *call = shown_call(&shown, 0);
	const char *safe = text_printable_copy(arena, shown_name(&shown, call, true, arena));
	const char *source = text_printable_copy(arena, text_base_name(call->file));
	if (shown.location.module == NULL)
		where = arena_format(arena, ": 0x%" PRIx64, shown.pc);
	if (call->has_line && call->file.length > 0 && source != NULL)
		where = arena_format(arena, " [%.60s : %" PRIu32 "]", source, call->line);
	summary->lines.target =
		frame_target(summary, call->has_line ? TARGET_SOURCE : TARGET_FRAME);
	struct line *line = lines_add_format(&summary->lines, "where", ROLE_CODE, "%s%s",
					     text_or_empty(safe), text_or_empty(where));
	if (line != NULL)
		line->is_name = true;
}

static void
add_access(struct summary *summary, const struct analysis_access *access, const char *label)
{
	static const char *const verbs[] = {
		[ANALYSIS_READ] = "reads",
		[ANALYSIS_WRITE] = "writes",
		[ANALYSIS_READ_WRITE] = "reads and writes",
		[ANALYSIS_EXECUTE] = "executes",
	};
	static const char *const permissions[] = {
		[ANALYSIS_UNKNOWN] = "",
		[ANALYSIS_ALLOWED] = ", which is allowed",
		[ANALYSIS_DENIED] = ", which is not allowed",
		[ANALYSIS_UNMAPPED] = ", where nothing is mapped",
	};
	char size[32] = "", plain[32];

	/* Leave out an operand that only repeats the address. */
	snprintf(plain, sizeof(plain), "0x%" PRIx64, access->address);
	const bool more = access->text[0] != '\0' && strcmp(access->text, plain) != 0;
	if (access->size != 0)
		snprintf(size, sizeof(size), " %" PRIu32 " byte%s at", access->size,
			 plural(access->size));
	summary->lines.target = TARGET(TARGET_MEMORY, .address = access->address);
	lines_add_format(&summary->lines, label, access->faulted ? ROLE_BAD : ROLE_DATA,
			 "%s%s 0x%" PRIx64 "%s%s%s%s%s", verbs[access->kind], size,
			 access->address, more ? " (" : "", more ? access->text : "",
			 more ? ")" : "",
			 access->guard_page ? ", likely a guard page"
					    : permissions[access->permission],
			 access->faulted ? ": this failed" : "");
}

static void
add_instruction(struct summary *summary)
{
	const struct analysis_instruction *at = &summary->analysis->instruction;

	if (at->present) {
		summary->lines.target = TARGET(TARGET_MEMORY, .address = at->address);
		lines_add_format(&summary->lines, "instruction", ROLE_CODE,
				 "%s   (at 0x%" PRIx64 ", from %s)", at->text, at->address,
				 at->source);
	}
	for (size_t i = 0; i < at->access_count; i++)
		add_access(summary, &at->accesses[i],
			   at->present || i > 0 ? NULL : "instruction");
	summary->lines.target = TARGET(TARGET_MEMORY, .address = at->next_pc);
	if (at->present && at->has_next_pc)
		lines_add_format(&summary->lines, NULL, ROLE_DATA, "continues at 0x%" PRIx64 "%s",
				 at->next_pc,
				 at->next_pc_canonical ? "" : ", which is not canonical");
}

static bool
number_after(const char *text, const char *word, unsigned base, uint64_t *number)
{
	const char *at = strstr(text, word);

	if (at == NULL)
		return false;
	struct text rest = text_of(at + strlen(word));
	return text_take_number(&rest, base, number);
}

/* The target of a sentence: its first thread, else its first frame, else its first address. */
static struct target
sentence_target(const struct summary *summary, const char *text)
{
	const struct walk *walk = summary->walk;
	uint64_t number, frame;

	if (number_after(text, "thread ", 10, &number) &&
	    number < summary->analysis->crash->thread_count)
		return number_after(text, "its frame ", 10, &frame)
			       ? TARGET(TARGET_FRAME, .thread = (size_t)number,
					.frame = (size_t)frame)
			       : TARGET(TARGET_THREAD, .thread = (size_t)number);
	if (walk != NULL && number_after(text, "frame ", 10, &number) && number < walk->count)
		return TARGET(TARGET_FRAME, .thread = walk->thread, .frame = (size_t)number);
	return number_after(text, "0x", 16, &number) ? TARGET(TARGET_MEMORY, .address = number)
						     : TARGET(TARGET_NONE);
}

static void
add_finding(struct summary *summary, const struct finding *finding, bool first)
{
	const struct analysis_instruction *at = &summary->analysis->instruction;
	struct lines *lines = &summary->lines;
	/* The title leads to the instruction or, if it is unknown, to the frame. */
	const struct target title = at->present ? TARGET(TARGET_MEMORY, .address = at->address)
						: frame_target(summary, TARGET_FRAME);

	lines->target = title;
	lines_add_format(lines, first ? "found" : "", ROLE_TITLE, "%s (%s)",
			 finding_words[finding->kind].title,
			 analysis_confidence_name(finding->confidence));
	for (size_t i = 0; i <= finding->evidence_count; i++) {
		const char *text = i == 0 ? finding->text : finding->evidence[i - 1];

		lines->target = sentence_target(summary, text);
		if (lines->target.kind == TARGET_NONE)
			lines->target = title;
		lines_add_format(lines, NULL, i == 0 ? ROLE_NORMAL : ROLE_DIM, "  %s%s",
				 i == 0 ? "" : "  - ", text);
	}
}

/* Limits: frames searched for the description of a type; bytes shown of an object. */
enum { TYPE_FRAMES = 16, OBJECT_SHOWN = 400 };

/* Whether a type has members of its own, not only members of its bases. */
static bool
has_members(const struct debug_type *type, struct arena *arena)
{
	struct debug_member *members;
	const size_t count = type->kind == DEBUG_TYPE_STRUCTURE
				     ? debug_type_members(type, arena, &members) : 0;
	bool found = false;

	for (size_t i = 0; i < count; i++)
		found |= !members[i].base && !members[i].is_static &&
			 strncmp(members[i].name, "_vptr", 5) != 0;
	return found;
}

/* Adds the members of a thrown object, if the debug information of a frame describes its type. */
static void
add_thrown(struct summary *summary)
{
	const struct analysis *analysis = summary->analysis;
	const struct value_text_options options = { .library = true, .most = OBJECT_SHOWN };
	struct arena *arena = summary->lines.arena;
	struct walk *walk = summary->walk;
	struct memory_view memory;

	if (analysis->thrown_type == NULL || walk == NULL || walk->horizon.blind != BLIND_OFF)
		return;
	memory_view_all(&memory, analysis->crash, arena);
	const char *text = text_or_empty(arena_format(arena, "*(%s *)0x%" PRIx64,
						      analysis->thrown_type,
						      analysis->thrown_object));
	for (size_t i = 0; i < walk->count && i < TYPE_FRAMES; i++) {
		struct value_frame *frame = frame_variables_of(walk, &memory, i, arena);

		if (frame == NULL || frame->scopes.count == 0)
			continue;
		const struct value_expression found =
			value_expression_of(frame, 0, text_of(text), NULL, arena);
		if (found.wrong != NULL || found.value.value.why != NULL ||
		    !has_members(found.value.value.type, arena))
			continue;
		summary->lines.target =
			TARGET(TARGET_MEMORY, .address = analysis->thrown_object);
		lines_add_format(&summary->lines, NULL, ROLE_DIM, "    - the object is %s",
				 value_text(&found.value.value, &options, arena));
		return;
	}
}

/* The text of a wait; NULL if an earlier wait for the same lock without owners counts this wait. */
static const char *
wait_text(const struct lock_waits *locks, size_t index, struct arena *arena)
{
	const struct lock_wait *wait = &locks->items[index];
	size_t more = 0;

	if (wait->kind != LOCK_CONDITION && wait->kind != LOCK_SEMAPHORE)
		return wait->text;
	for (size_t i = 0; i < locks->count; i++) {
		if (i == index || locks->items[i].address != wait->address)
			continue;
		if (i < index)
			return NULL;
		more++;
	}
	return more == 0 ? wait->text
			 : arena_format(arena, "%s, as %zu more thread%s", wait->text, more,
					more == 1 ? " does" : "s do");
}

/* Adds the threads that wait for a lock, except threads of a deadlock: these have a finding. */
static void
add_locks(struct summary *summary)
{
	const struct lock_waits *locks = &summary->analysis->locks;
	struct lines *lines = &summary->lines;
	size_t count = 0;

	for (size_t i = 0; i < locks->count; i++) {
		const struct lock_wait *wait = &locks->items[i];
		const char *text = wait->cycle == 0 ? wait_text(locks, i, lines->arena) : NULL;

		lines->target = sentence_target(summary, text_or_empty(text));
		if (text != NULL && count++ < MOST_LOCKS)
			lines_add(lines, count == 1 ? "locks" : NULL, ROLE_NORMAL, text);
	}
	if (count > MOST_LOCKS)
		lines_add_format(lines, NULL, ROLE_DIM, "and %zu more wait%s", count - MOST_LOCKS,
				 plural(count - MOST_LOCKS));
}

/* Adds how far the stack can be trusted, and a remedy. */
static void
add_trust(struct summary *summary)
{
	struct walk *walk = summary->walk;
	struct lines *lines = &summary->lines;
	struct stack_trust trust;

	if (walk == NULL || walk->count == 0)
		return;
	if (walk_is_blind(walk, walk->count - 1)) {
		lines_add_format(lines, "stack", ROLE_NORMAL, "frame %zu is " BLIND_WORDS,
				 walk->count);
		return;
	}
	if (!walk->complete) {
		lines->target = TARGET(TARGET_FRAME, .thread = walk->thread);
		lines_add(lines, "stack", ROLE_DIM, "not walked to its end yet");
		return;
	}
	stack_trust_of(walk, &trust);
	const char *help = stack_trust_help(&trust, walk, lines->arena);
	lines->target = TARGET(TARGET_FRAME, .thread = walk->thread,
			       .frame = trust.trusted < walk->count ? trust.trusted : 0);
	lines_add(lines, "stack", trust.trusted < walk->count ? ROLE_SCAN : ROLE_NORMAL,
		  stack_trust_text(&trust, 0, trust.trusted - 1, lines->arena));
	/* A symbol file that is not the module's is reported with the defects of the inputs. */
	if (help != NULL && trust.misfit_count == 0)
		lines_add(lines, NULL, ROLE_NORMAL, help);
}

/* Adds the defects of the inputs; `screen`: for the explorer, which has a view of messages. */
static void
add_problems(struct summary *summary, bool screen)
{
	const struct analysis *analysis = summary->analysis;
	const uint64_t damage = analysis->damage;
	struct lines *lines = &summary->lines;
	const char *label = "input";

	lines->target = TARGET(TARGET_NONE);
	if (damage > 0) {
		lines_add_format(lines, label, ROLE_BAD,
				 "%" PRIu64 " problem%s in the dump%s; it is damaged: if there is "
				 "another copy, use it", damage, plural(damage),
				 screen ? ": view 9" : "");
		label = NULL;
	}
	for (size_t i = 0; i < analysis->problem_count; i++, label = NULL)
		lines_add(lines, label, ROLE_BAD, analysis->problems[i]);
}

static void
add_text(struct summary *summary, const char *label, enum role role, struct target target,
	 const char *text)
{
	summary->lines.target = target;
	lines_add(&summary->lines, label, role, text);
}

struct listing
summary_listing(const struct analysis *analysis, struct walk *walk, size_t columns,
		struct arena *arena)
{
	struct summary *summary = arena_alloc(arena, sizeof(*summary));

	if (summary == NULL)
		return listing_out_of_memory();
	*summary = (struct summary){
		.analysis = analysis, .walk = walk,
		.lines = { .arena = arena, .label_role = ROLE_KEY, .text_column = TEXT_COLUMN,
			   .wraps = true },
	};
	const struct crash *crash = analysis->crash;
	const struct target exception = exception_target(summary);
	const char *reason = analysis->reason;
	if (reason == NULL)
		reason = analysis_no_reason(crash);
	add_text(summary, "crash", ROLE_TITLE, exception, reason[0] != '\0' ? reason : "unknown");
	add_address(summary);
	add_text(summary, "note", ROLE_NORMAL, exception, crash->cause.note);
	add_text(summary, "assertion", ROLE_NORMAL, exception, crash->assertion);
	/* An abort is explained by its caller, not by the instruction that sent the signal. */
	const bool aborted = crash->cause.fault == CRASH_FAULT_ABORT;
	if (!aborted)
		add_place(summary);
	add_problems(summary, columns != 0);
	if (!aborted)
		add_instruction(summary);
	for (size_t i = 0, shown = 0; i < analysis->finding_count; i++) {
		/* The row about the sender already says this. */
		if (!aborted || !crash->cause.sender_is_self ||
		    analysis->findings[i].kind != FINDING_SENT_SIGNAL)
			add_finding(summary, &analysis->findings[i], shown++ == 0);
		if (analysis->findings[i].kind == FINDING_CXX_EXCEPTION ||
		    analysis->findings[i].kind == FINDING_HANDLED_EXCEPTION)
			add_thrown(summary);
	}
	add_locks(summary);
	if (aborted) {
		add_place(summary);
		add_instruction(summary);
	}
	add_thread(summary);
	if (analysis->signature[0] != '\0')
		add_text(summary, "signature", ROLE_TITLE, frame_target(summary, TARGET_FRAME),
			 analysis->signature);
	if (analysis->signature_rules != NULL)
		add_text(summary, NULL, ROLE_DIM, TARGET(TARGET_NONE),
			 arena_format(arena, "by the rules of %s", analysis->signature_rules));
	add_trust(summary);
	return lines_listing(&summary->lines, columns, arena);
}

void
summary_print(const struct output *output, const struct analysis *analysis,
	      struct walk *walk)
{
	struct arena arena = { 0 };

	const struct listing listing = summary_listing(analysis, walk, 0, &arena);
	listing_write(output, &listing, 0, listing.count);
	arena_free(&arena);
}
