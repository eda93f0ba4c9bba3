/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/prose/prose_internal.h"

#include <inttypes.h>
#include <string.h>

#include "report/report.h"

static const char *const method_words[METHOD_COUNT] = {
#define METHOD(id, name, function, policy, applies, misfit, source, architectures, text) \
	[METHOD_##id] = (text),
#include "walk/method/method.def"
};

static const char *const certainty_words[CERTAINTY_COUNT] = {
#define CERTAINTY_PROSE(id, text) [CERTAINTY_##id] = (text),
#include "report/prose/prose.def"
};

static const char *const check_words[CHECK_COUNT] = {
#define C(id, passed, failed, text) [CHECK_##id] = (text),
#include "walk/check.def"
#undef C
};

enum {
	CERTAINTY_SENTENCES = 0
#define CERTAINTY_PROSE(id, text) +1
#include "report/prose/prose.def"
};
_Static_assert((int)CERTAINTY_SENTENCES == (int)CERTAINTY_COUNT, "a certainty has no sentence");

/* Beginning and result of the step ------------------------------------------------------------- */

#define NAME_COLUMNS 100u

/* "at +0x27f0 in app, in function main (main.c:21)". */
static const char *
location_text(struct prose *prose, const struct frame *frame, struct shown_frame *shown)
{
	struct arena *arena = prose->arena;
	char name[4 * NAME_COLUMNS];

	shown_frame(prose->view->walk, frame, NULL, arena, shown);
	const struct module *module = shown->location.module;
	const bool found = shown->location.symbol.found;
	if (module == NULL)
		return "which lies in no module";
	const struct call *inner = shown_call(shown, 0);
	const char *source = inner->has_line ? shown_source(inner, arena) : "";
	if (found)
		text_cut_name(name, sizeof(name),
			shown_name(shown, shown_function(shown), false, arena), NAME_COLUMNS,
			"...");
	return arena_format(arena, "at +0x%" PRIx64 " in %s%s%s%s%s%s",
		frame->lookup - module->base, place_base_name(module->code_file),
		found ? ", in " : "", found ? name : "",
		source[0] != '\0' ? " (" : "", source, source[0] != '\0' ? ")" : "");
}

static void
tell_inlined(struct prose *prose, const struct shown_frame *shown)
{
	char name[4 * NAME_COLUMNS];
	const size_t count = shown->location.call_count - 1;

	if (count == 0)
		return;
	text_cut_name(name, sizeof(name),
		shown_name(shown, shown_call(shown, 0), false, prose->arena), NAME_COLUMNS, "...");
	TELL(prose, INLINED, 0, COUNTED(prose, count), { "name", name });
	prose_go_on_to_explain(prose, SENTENCE_INLINED_WHY);
}

static void
tell_where(struct prose *prose)
{
	const struct walk *walk = prose->view->walk;
	const struct frame *frame = &walk->frames[prose->view->frame];
	struct shown_frame shown;
	const char *text = location_text(prose, frame, &shown);
	const char *pc = prose_value(prose, shown.pc);

	TITLE(prose, WHERE_TITLE, 0);
	const enum sentence id = prose->view->frame == 0 ? SENTENCE_STOPPED
		: frame->interrupted			 ? SENTENCE_INTERRUPTED
							 : SENTENCE_CALLED;
	prose_tell(prose, PROSE_PARAGRAPH, id, 0, FACTS_OF({ "pc", pc }, { "location", text }));
	if (id == SENTENCE_CALLED)
		prose_go_on_to_explain(prose, SENTENCE_CALLED_WHY);
	tell_inlined(prose, &shown);
	prose_explain(prose, SENTENCE_TASK, 0);
}

/* The first guessed frame from frame 0 to the step's frame; SIZE_MAX: none. */
static size_t
guess_before(const struct prose *prose)
{
	const struct walk *walk = prose->view->walk;

	for (size_t i = 0; i <= prose->view->frame && i < walk->count; i++)
		if (trust_table[walk->frames[i].trust].certainty == CERTAINTY_GUESSED)
			return i;
	return SIZE_MAX;
}

static void
tell_caller(struct prose *prose)
{
	const struct step_view *view = prose->view;
	const struct arch *arch = view->walk->arch;
	const struct frame *caller = &view->caller;
	const uint32_t last = (uint32_t)view->trace.count - 1;
	struct shown_frame shown;
	const char *text = location_text(prose, caller, &shown);

	TITLE(prose, CALLER_TITLE, last);
	TELL(prose, CALLER, last, { "pc", prose_value(prose, shown.pc) }, { "location", text },
		{ "sp", prose_value(prose, caller->registers.value[arch->sp]) });
	prose_add(prose, PROSE_PARAGRAPH, last,
		prose_expand(prose, certainty_words[trust_table[caller->trust].certainty],
			FACTS_OF({ "", "" })));
	if (guess_before(prose) != SIZE_MAX)
		TELL(prose, RESTS, last,
			{ "guess", arena_format(prose->arena, "%zu", guess_before(prose)) });
	if (view->frame + 1 >= view->walk->count)
		return;
	const struct shown_finding found =
		shown_found(view->walk, view->frame + 1, prose->arena);
	if (found.doubt != NULL)
		TELL(prose, CONTRADICTED, last, { "text", found.doubt });
}

/* Inputs of the attempt ------------------------------------------------------------------------ */

static void
tell_record(struct prose *prose, const struct event *attempt, uint32_t record, bool first)
{
	const struct event *at = prose_event(prose, record);
	const struct event *before = prose_event(prose, record - 1);
	const bool again = !first && before->kind == EVENT_RECORD &&
		before->place.input == at->place.input && before->place.offset == at->place.offset;
	const enum sentence id = at->status == EVENT_FAILED    ? SENTENCE_FAILED_FACT
		: at->place.input == NULL		       ? SENTENCE_FACT
		: again					       ? SENTENCE_SAYS_TOO
		: first && attempt->detail == METHOD_STACK_CFI ? SENTENCE_STACK_CFI_RECORD
		: first && attempt->detail == METHOD_STACK_WIN ? SENTENCE_STACK_WIN_RECORD
							       : SENTENCE_SAYS;

	prose_tell(prose, PROSE_PARAGRAPH, id, record,
		FACTS_OF({ "place", prose_place(prose, at->place) }, { "text", at->text }));
}

/* Adds the records, rows, bytes and inputs of an attempt in their order, then explains deltas. */
static void
tell_sources(struct prose *prose, uint32_t attempt)
{
	const struct event *whole = prose_event(prose, attempt);
	bool first = true, bytes = false, delta = false;

	for (uint32_t i = attempt + 1; i < whole->end; i++) {
		const struct event *at = prose_event(prose, i);

		delta |= at->kind == EVENT_RULE && (at->detail & TRACE_RULE_DELTA) != 0;
		if (at->kind == EVENT_RECORD && at->parent == attempt) {
			tell_record(prose, whole, i, first);
			first = false;
		} else if (at->kind == EVENT_ROW && at->status == EVENT_OK) {
			TELL_PLAIN(prose, ROW, i);
			prose->figure_event = i;
			prose_add_figure(prose, at->text);
		} else if (at->kind == EVENT_FIELD) {
			if (!bytes)
				TELL_PLAIN(prose, BYTES, i);
			bytes = true;
			prose->figure_event = i;
			prose_add_figure(prose,
				arena_format(prose->arena, "%-14.*s %s", (int)at->name.length,
					at->name.start, at->text));
		} else if (at->kind == EVENT_INPUT && at->reg == ARCH_NO_REGISTER) {
			TELL(prose, INPUT, i, { "name", text_copy(prose->arena, at->name) },
			     { "value", prose_value(prose, at->value) }, { "text", at->text });
		}
	}
	if (delta)
		prose_explain(prose, SENTENCE_DELTAS, attempt);
}

/* The number of scanned words refused for this word's reason; 0: the word is already counted. */
static size_t
count_like(const struct prose *prose, uint32_t attempt, uint32_t word)
{
	const struct event *at = prose_event(prose, word);
	size_t count = 0;

	for (uint32_t i = attempt + 1; i < prose_event(prose, attempt)->end; i++) {
		const struct event *other = prose_event(prose, i);

		if (other->kind != EVENT_CANDIDATE || other->status == EVENT_OK ||
			strcmp(other->text, at->text) != 0)
			continue;
		if (i < word)
			return 0;
		count++;
	}
	return count;
}

static void
tell_candidates(struct prose *prose, uint32_t attempt)
{
	const uint32_t end = prose_event(prose, attempt)->end;
	const struct event *first = NULL, *taken = NULL, *last = NULL;
	uint32_t last_event = attempt;
	size_t count = 0;

	for (uint32_t i = attempt + 1; i < end; i++) {
		const struct event *at = prose_event(prose, i);

		if (at->kind != EVENT_CANDIDATE)
			continue;
		first = first == NULL ? at : first;
		taken = at->status == EVENT_OK ? at : taken;
		last = at;
		last_event = i;
		count++;
	}
	if (count == 0)
		return;
	TITLE(prose, SCAN_TITLE, last_event);
	if (count > 1)
		TELL(prose, SCANNED, last_event, COUNTED(prose, count),
			{ "first", prose_value(prose, first->address) },
			{ "last", prose_value(prose, last->address) });
	for (uint32_t i = attempt + 1; i < end; i++) {
		const struct event *at = prose_event(prose, i);
		const size_t like = at->kind == EVENT_CANDIDATE && at->status != EVENT_OK
			? count_like(prose, attempt, i)
			: 0;

		prose->figure_event = last_event;
		if (like > 0)
			prose_add_figure(prose,
				arena_format(prose->arena, "%3zu refused: %s", like, at->text));
	}
	if (taken != NULL)
		TELL(prose, SCAN_TAKEN, last_event,
			{ "address", prose_value(prose, taken->address) },
			{ "value", prose_value(prose, taken->value) },
			{ "place", prose_place(prose, taken->place) }, { "text", taken->text });
}

/* Registers without a rule --------------------------------------------------------------------- */

/* Whether a register of the caller keeps the callee's value. */
static bool
is_kept(const struct prose *prose, const struct event *set)
{
	const struct event *from = prose_event(prose, set->from);

	return set->status == EVENT_OK && from != NULL && from->kind == EVENT_INPUT &&
		from->reg == set->reg;
}

/* Whether two registers have their values for the same reason. */
static bool
is_alike(const struct prose *prose, const struct event *a, const struct event *b)
{
	return a->kind == EVENT_SET && b->kind == EVENT_SET && a->status == b->status &&
		strcmp(a->text, b->text) == 0 && is_kept(prose, a) == is_kept(prose, b) &&
		(a->status != EVENT_OK || is_kept(prose, a) || a->value == b->value);
}

/* Adds a sentence for the register at `set` and all later registers like it. */
static void
tell_alike(struct prose *prose, uint32_t set, uint32_t end)
{
	const struct event *at = prose_event(prose, set);
	const bool kept = is_kept(prose, at);
	struct prose_names names = { 0 };
	uint32_t last = set;
	bool preserved = true;

	for (uint32_t i = set; i < end; i++)
		if (is_alike(prose, at, prose_event(prose, i))) {
			const int reg = prose_event(prose, i)->reg;

			prose_names_add(&names, prose_label(prose, reg), prose->arena);
			preserved &= prose->view->walk->arch->registers[reg].callee_saved;
			last = i;
		}
	const struct prose_fact facts[] = { { "list", prose_names_text(&names, prose->arena) },
		{ "have", names.count == 1 ? "has" : "have" },
		{ "are", names.count == 1 ? "is" : "are" },
		{ "value", prose_value(prose, at->value) }, { "reason", at->text },
		{ NULL, NULL } };
	prose_tell(prose, PROSE_PARAGRAPH,
		kept				 ? SENTENCE_KEPT
			: at->status == EVENT_OK ? SENTENCE_GIVEN
						 : SENTENCE_LOST,
		last, facts);
	if (kept && preserved &&
		trust_table[prose->view->caller.trust].certainty == CERTAINTY_EXACT)
		prose_go_on_to_explain(prose, SENTENCE_KEPT_WHY);
	else if (at->status != EVENT_OK && !preserved)
		prose_go_on_to_explain(prose, SENTENCE_LOST_WHY);
}

/* Adds a sentence if the stack pointer is the CFA by convention. */
static void
tell_stack_pointer(struct prose *prose, uint32_t attempt)
{
	const int sp = prose->view->walk->arch->sp;
	const struct event *cfa = NULL;

	for (uint32_t i = attempt + 1; i < prose_event(prose, attempt)->end; i++) {
		const struct event *at = prose_event(prose, i);

		if (at->kind == EVENT_RULE && text_is(at->name, ".cfa"))
			cfa = at;
		/* The rule of the stack pointer has a sentence already. */
		if (at->kind == EVENT_RULE && at->reg == sp)
			return;
		if (at->kind == EVENT_SET && at->reg == sp && cfa != NULL &&
			at->status == EVENT_OK && at->from == cfa->from && at->from != TRACE_NONE)
			TELL(prose, SP_CFA, i, { "value", prose_value(prose, at->value) });
	}
}

static void
tell_registers(struct prose *prose, uint32_t attempt)
{
	const uint32_t end = prose_event(prose, attempt)->end;

	TITLE(prose, OTHERS_TITLE, attempt);
	const size_t before = prose->count;
	tell_stack_pointer(prose, attempt);
	for (uint32_t i = attempt + 1; i < end; i++) {
		const struct event *at = prose_event(prose, i);
		bool told = at->kind != EVENT_SET || at->text[0] == '\0';

		for (uint32_t j = attempt + 1; j < i && !told; j++)
			told = is_alike(prose, prose_event(prose, j), at);
		if (!told)
			tell_alike(prose, i, end);
		if (at->kind == EVENT_REPAIR)
			TELL(prose, REPAIR, i, { "text", at->text });
		const struct event *from =
			at->kind == EVENT_SET ? prose_event(prose, at->from) : NULL;
		if (from != NULL && from->kind == EVENT_REPAIR)
			TELL(prose, REPAIRED, i, { "list", prose_label(prose, at->reg) },
				{ "value", prose_value(prose, at->value) });
	}
	if (prose->count == before && before > 0)
		prose->count--;
}

/* Attempts ------------------------------------------------------------------------------------- */

static void
tell_checks(struct prose *prose, uint32_t attempt)
{
	const uint32_t end = prose_event(prose, attempt)->end;
	size_t passed = 0;

	for (uint32_t i = attempt + 1; i < end; i++)
		passed += prose_event(prose, i)->kind == EVENT_CHECK &&
			prose_event(prose, i)->status == EVENT_OK;
	if (passed == 0)
		return;
	TITLE(prose, CHECKS_TITLE, end - 1);
	const size_t before = prose->count;
	const struct prose_fact *count = FACTS_OF(COUNTED(prose, passed));
	prose_explain(prose, SENTENCE_CHECKS_WHY, end - 1);
	if (prose->count > before)
		prose_go_on(prose, SENTENCE_CHECKS, count);
	else
		prose_tell(prose, PROSE_PARAGRAPH, SENTENCE_CHECKS, end - 1, count);
	for (uint32_t i = attempt + 1; i < end; i++) {
		const struct event *at = prose_event(prose, i);

		const bool passes = at->status == EVENT_OK;

		if (at->kind != EVENT_CHECK)
			continue;
		const char *words = check_words[at->detail];
		/* Add the reason for a check only once in a document. */
		const char *why = passes && prose_first(prose, words)
			? arena_format(prose->arena, ". %s", words)
			: ".";
		prose_tell(prose, passes ? PROSE_ITEM : PROSE_PARAGRAPH,
			passes				   ? SENTENCE_CHECK
				: at->status == EVENT_NOTE ? SENTENCE_CHECK_DOUBT
							   : SENTENCE_CHECK_FAILED,
			end - 1,
			FACTS_OF({ "meaning", check_table[at->detail][passes] },
				{ "text", at->text }, { "why", why }));
	}
}

/* A description of the method; NULL if the document already has it. */
static const char *
how_of(struct prose *prose, const struct event *attempt)
{
	const char *how = method_words[attempt->detail];

	return prose_first(prose, how) ? prose_expand(prose, how, FACTS_OF({ "", "" })) : NULL;
}

static void
tell_refused(struct prose *prose, uint32_t attempt, size_t tried)
{
	const struct event *at = prose_event(prose, attempt),
			   *result = prose_event(prose, at->end - 1);

	if (tried == 0)
		TITLE(prose, REFUSED_TITLE, attempt);
	TELL(prose, TRIED, at->end - 1, { "method", at->text },
		{ "order", tried == 0 ? "first" : "next" });
	const char *how = how_of(prose, at);
	if (how != NULL)
		prose_go_on_with(prose, how);
	prose_go_on(prose, SENTENCE_REFUSED, FACTS_OF({ "reason", result->text }));
	prose->figure_event = at->end - 1;
	for (uint32_t i = trace_next(&prose->view->trace, attempt, EVENT_RULE), rules = 0;
		i < at->end; i = trace_next(&prose->view->trace, i, EVENT_RULE), rules++) {
		if (rules == 0)
			TELL_PLAIN(prose, TRIED_RULES, at->end - 1);
		prose_sums(prose, i);
	}
	for (uint32_t i = attempt + 1; i < at->end; i++) {
		const struct event *check = prose_event(prose, i);

		if (check->kind == EVENT_CHECK && check->status == EVENT_FAILED)
			TELL(prose, CHECK_FAILED, at->end - 1,
				{ "meaning", check_table[check->detail][0] },
				{ "text", check->text });
	}
}

/* Describes the attempt that found the caller. */
static void
tell_attempt(struct prose *prose, uint32_t attempt)
{
	const struct event *at = prose_event(prose, attempt);

	prose_tell(prose, PROSE_TITLE, SENTENCE_METHOD_TITLE, attempt,
		FACTS_OF({ "method", at->text }));
	const char *how = how_of(prose, at);
	if (how != NULL)
		prose_add(prose, PROSE_PARAGRAPH, attempt, how);
	tell_sources(prose, attempt);
	tell_candidates(prose, attempt);
	prose_tell_rules(prose, attempt);
	tell_registers(prose, attempt);
	tell_checks(prose, attempt);
}

const struct prose *
prose_of(const struct step_view *view, struct prose_told *told, struct arena *arena)
{
	struct prose *prose = arena_alloc(arena, sizeof(*prose));
	const bool taken = view->verdict.kind == VERDICT_TAKEN;
	struct prose_told nothing = { 0 };
	size_t tried = 0;

	if (prose == NULL)
		return NULL;
	*prose = (struct prose){
		.view = view, .arena = arena, .told = told != NULL ? told : &nothing
	};
	tell_where(prose);
	for (uint32_t i = trace_next(&view->trace, TRACE_NONE, EVENT_ATTEMPT); i != TRACE_NONE;
		i = trace_next(&view->trace, i, EVENT_ATTEMPT)) {
		const struct event *result = prose_event(prose, prose_event(prose, i)->end - 1);

		if (result->kind == EVENT_RESULT && result->detail == VERDICT_REFUSED)
			tell_refused(prose, i, tried);
		else
			tell_attempt(prose, i);
		tried++;
	}
	if (taken) {
		tell_caller(prose);
	} else {
		const uint32_t last = view->trace.count > 0 ? (uint32_t)view->trace.count - 1 : 0;

		TITLE(prose, END_TITLE, last);
		TELL(prose, END, last, { "text", view->verdict.text });
		const struct shown_finding end = view->frame + 1 == view->walk->count
			? shown_end(view->walk, prose->arena)
			: (struct shown_finding){ 0 };
		if (end.doubt != NULL)
			TELL(prose, END_CONTRADICTED, last, { "text", end.doubt });
	}
	prose->told = NULL;
	return prose;
}
