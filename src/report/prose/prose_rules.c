/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/prose/prose_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules/program.h"

/* Explains rules, each with its arithmetic and its tokens. */

static const char *const token_words[] = {
#define TOKEN_PROSE(id, text) [OPERATION_##id] = (text),
#include "report/prose/prose.def"
};

/* The source of a rule: "which a delta has at app.sym:12". */
static const char *
origin_of(struct prose *prose, const struct event *rule)
{
	const struct event *attempt = prose_event(prose, rule->parent);

	if (rule->place.input == NULL)
		return "made by the method";
	if ((rule->detail & TRACE_RULE_DELTA) != 0)
		return arena_format(
			prose->arena, "from the delta at %s", prose_place(prose, rule->place));
	return arena_format(prose->arena,
		attempt->detail == METHOD_STACK_CFI ? "from the INIT record at %s" : "from %s",
		prose_place(prose, rule->place));
}

/* The read that gave the value of a rule; NULL: the last token is not '^'. */
static const struct event *
read_by(const struct prose *prose, const struct event *rule)
{
	const uint32_t read = rule->from != TRACE_NONE
		? trace_read_behind(&prose->view->trace, rule->from)
		: TRACE_NONE;
	const struct event *at = prose_event(prose, read);

	return at != NULL && at->status == EVENT_OK ? at : NULL;
}

/* ", 8 bytes below the CFA" for an address; empty if the attempt has no CFA. */
static const char *
distance_of(struct prose *prose, const struct event *rule, uint64_t address)
{
	const uint32_t attempt = rule->parent;

	for (uint32_t i = attempt + 1; i < prose_event(prose, attempt)->end; i++) {
		const struct event *at = prose_event(prose, i);

		if (at->kind != EVENT_RULE || !text_equal(at->name, text_of(".cfa")) ||
			at->status != EVENT_OK)
			continue;
		const bool below = address < at->value;
		return arena_format(prose->arena, ", %" PRIu64 " bytes %s the CFA",
			below ? at->value - address : address - at->value,
			below ? "below" : "above");
	}
	return "";
}

/* Adds each token with its effect. */
static void
tell_tokens(struct prose *prose, uint32_t rule)
{
	const struct step_view *view = prose->view;

	for (uint32_t i = rule + 1; i < prose_event(prose, rule)->end; i++) {
		const struct event *at = prose_event(prose, i);
		char effect[500], origin[400];

		if (at->kind != EVENT_TOKEN)
			continue;
		step_view_effect(view, i, effect, sizeof(effect));
		step_view_origin(view, i, origin, sizeof(origin));
		if (at->detail == OPERATION_NAME && at->stack != NULL && at->stack->known) {
			step_view_origin(view, at->stack->from, origin, sizeof(origin));
			snprintf(effect, sizeof(effect), ": it stands for %s%s%s",
				prose_value(prose, at->stack->value), origin[0] != '\0' ? ", " : "",
				origin);
		} else if (at->detail == OPERATION_NAME) {
			effect[0] = '\0';
		}
		struct prose_item *item = prose_add(prose, PROSE_PARAGRAPH, i,
			prose_expand(prose, token_words[at->detail],
				FACTS_OF({ "name",
						 arena_copy(prose->arena, at->name.start,
							 at->name.length) },
					{ "origin", effect }, { "effect", effect },
					{ "target", at->text },
					{ "value", prose_value(prose, at->value) })));
		if (item != NULL)
			item->detail = true;
	}
}

/* Facts for sentences about a rule. */
struct told_rule {
	uint32_t event, last; /* event of the rule, and the last one within it */
	const struct event *at, *read; /* the rule, and the read that gave its value or NULL */
	struct prose_fact facts[8];
};

static struct told_rule
told_rule(struct prose *prose, uint32_t rule)
{
	const struct event *at = prose_event(prose, rule), *read = read_by(prose, at);
	const char *name = arena_copy(prose->arena, at->name.start, at->name.length);

	return (struct told_rule){ rule, at->end - 1, at, read,
		{
			{ "rule",
				arena_format(prose->arena, "%.*s: %s", (int)at->name.length,
					at->name.start, at->text) },
			{ "origin", origin_of(prose, at) },
			{ "value", prose_value(prose, at->value) },
			{ "register", at->reg >= 0 ? prose_label(prose, at->reg) : name },
			{ "address", read != NULL ? prose_value(prose, read->address) : "" },
			{ "distance", read != NULL ? distance_of(prose, at, read->address) : "" },
			{ "place", read != NULL ? prose_place(prose, read->place) : "" },
			{ NULL, NULL },
		} };
}

static void
tell_rule_sentence(
	struct prose *prose, const struct told_rule *rule, enum sentence id, uint32_t event)
{
	prose_tell(prose, PROSE_PARAGRAPH, id, event, rule->facts);
}

/* Explains the notation, once in a document. */
static void
explain_rule(struct prose *prose, const struct told_rule *rule)
{
	if ((rule->at->detail & TRACE_RULE_EDITED) != 0)
		prose_go_on(prose, SENTENCE_EDITED, NULL);
	prose_go_on_to_explain(prose, SENTENCE_POSTFIX);
	prose_go_on(prose, SENTENCE_WITH_VALUES, NULL);
}

/* Adds the sum of a rule. */
static void
tell_sum(struct prose *prose, const struct told_rule *rule)
{
	prose->figure_event = rule->last;
	prose_sums(prose->view, rule->event, prose->arena, prose_add_figure, prose);
	for (uint32_t i = rule->event + 1; i < rule->at->end; i++)
		if (prose_event(prose, i)->kind == EVENT_RECORD &&
			prose_event(prose, i)->status == EVENT_FAILED)
			TELL(prose, FAILED_FACT, rule->last,
				{ "text", prose_event(prose, i)->text });
}

static void
tell_cfa(struct prose *prose, const struct told_rule *rule)
{
	const struct walk *walk = prose->view->walk;
	const struct registers *registers = &walk->frames[prose->view->frame].registers;
	const uint64_t sp = registers->value[walk->arch->sp];
	char bytes[TEXT_BOTH_BASES];

	TITLE(prose, CFA_TITLE, rule->event);
	tell_rule_sentence(prose, rule, SENTENCE_CFA_RULE, rule->event);
	explain_rule(prose, rule);
	tell_tokens(prose, rule->event);
	tell_sum(prose, rule);
	if (rule->at->status != EVENT_OK)
		return;
	if (registers_known(registers, walk->arch->sp) && rule->at->value > sp)
		TELL(prose, CFA, rule->last, { "value", prose_value(prose, rule->at->value) },
			{ "bytes",
				arena_format(prose->arena, "%s bytes",
					text_both_bases(rule->at->value - sp, bytes)) });
	else
		tell_rule_sentence(prose, rule, SENTENCE_CFA_PLAIN, rule->last);
	prose_go_on_to_explain(prose, SENTENCE_CFA_WHY);
}

static void
tell_return(struct prose *prose, const struct told_rule *rule, enum sentence id)
{
	TITLE(prose, RETURN_TITLE, rule->event);
	tell_rule_sentence(prose, rule, id, rule->event);
	if (id == SENTENCE_PC_RULE)
		explain_rule(prose, rule);
	tell_tokens(prose, rule->event);
	tell_sum(prose, rule);
	if (rule->at->status == EVENT_OK)
		tell_rule_sentence(prose, rule,
			rule->read != NULL ? SENTENCE_RETURN_READ : SENTENCE_RETURN, rule->last);
}

/* Whether a rule restores a register that does not make the frame. */
static bool
is_saved(const struct prose *prose, const struct event *at)
{
	const struct arch *arch = prose->view->walk->arch;

	return at->kind == EVENT_RULE && at->reg >= 0 && at->reg != arch->pc &&
		at->reg != arch->sp && at->status == EVENT_OK && read_by(prose, at) != NULL;
}

static void
tell_saved_group(struct prose *prose, uint32_t first, uint32_t end)
{
	struct prose_names names = { 0 };

	for (uint32_t i = first; i < end; i++)
		if (is_saved(prose, prose_event(prose, i)))
			prose_names_add(&names, prose_label(prose, prose_event(prose, i)->reg),
				prose->arena);
	/* A function saves registers before it uses them; only records of functions prove that. */
	const bool recorded = prose_event(prose, first)->place.input != NULL;
	prose_tell(prose, PROSE_TITLE, recorded ? SENTENCE_SAVED_TITLE : SENTENCE_READ_TITLE, first,
		NULL);
	const size_t before = prose->count;
	const struct prose_fact *facts = FACTS_OF(
		COUNTED(prose, names.count), { "list", prose_names_text(&names, prose->arena) });
	if (recorded)
		prose_explain(prose, SENTENCE_SAVED_WHY, first);
	if (prose->count > before)
		prose_go_on(prose, SENTENCE_SAVED, facts);
	else
		prose_tell(prose, PROSE_PARAGRAPH, recorded ? SENTENCE_SAVED : SENTENCE_READ, first,
			facts);
}

static void
tell_register_rule(struct prose *prose, const struct told_rule *rule)
{
	const struct arch *arch = prose->view->walk->arch;
	const bool saved = is_saved(prose, rule->at);
	const struct event *from = prose_event(prose, rule->at->from);

	if (from != NULL && from->kind == EVENT_INPUT && from->reg == rule->at->reg &&
		rule->at->status == EVENT_OK && rule->at->reg != arch->sp) {
		tell_rule_sentence(prose, rule, SENTENCE_KEPT_ONE, rule->last);
		return;
	}
	if (rule->at->reg == arch->sp) {
		tell_rule_sentence(prose, rule, SENTENCE_SP_RULE, rule->event);
		tell_tokens(prose, rule->event);
	} else {
		tell_tokens(prose, rule->event);
		tell_rule_sentence(prose, rule,
			rule->at->status != EVENT_OK ? SENTENCE_RULE_FAILS
				: saved		     ? SENTENCE_SAVED_ONE
						     : SENTENCE_COMPUTED_ONE,
			rule->last);
		/* If a list names the register, its line of arithmetic is enough. */
		if (prose->count > 0)
			prose->items[prose->count - 1].detail = saved;
	}
	tell_sum(prose, rule);
}

static void
tell_program(struct prose *prose, const struct told_rule *rule)
{
	TITLE(prose, PROGRAM_TITLE, rule->event);
	tell_rule_sentence(prose, rule,
		rule->at->place.input != NULL ? SENTENCE_PROGRAM : SENTENCE_PROGRAM_MADE,
		rule->event);
	prose_go_on_to_explain(prose, SENTENCE_PROGRAM_WHY);
	tell_tokens(prose, rule->event);
	tell_sum(prose, rule);
	if (rule->at->status == EVENT_OK)
		prose_explain(prose, SENTENCE_PROGRAM_DONE, rule->last);
}

void
prose_tell_rules(struct prose *prose, uint32_t attempt)
{
	const uint32_t end = prose_event(prose, attempt)->end;
	bool grouped = false;

	for (uint32_t i = attempt + 1; i < end; i++) {
		const struct event *at = prose_event(prose, i);

		if (at->kind != EVENT_RULE)
			continue;
		const struct told_rule rule = told_rule(prose, i);
		if (text_equal(at->name, text_of(".cfa"))) {
			tell_cfa(prose, &rule);
		} else if (text_equal(at->name, text_of(".ra"))) {
			tell_return(prose, &rule, SENTENCE_RETURN_RULE);
		} else if (text_equal(at->name, text_of("program"))) {
			tell_program(prose, &rule);
		} else if (at->reg == prose->view->walk->arch->pc) {
			tell_return(prose, &rule, SENTENCE_PC_RULE);
		} else {
			if (is_saved(prose, at) && !grouped)
				tell_saved_group(prose, i, end);
			grouped |= is_saved(prose, at);
			tell_register_rule(prose, &rule);
		}
	}
}
