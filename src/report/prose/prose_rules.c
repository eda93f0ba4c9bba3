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

/* Arithmetic ----------------------------------------------------------------------------------- */

enum {
	LINE_COLUMNS = 74,
	PARTS = 6,
	OPERAND_LENGTH = 120, /* longer operands are shown as dots */
};

/* An intermediate value as a sum: in names, in numbers, and with the words that were read. */
struct sum {
	struct sum *below;
	const char *words, *numbers, *values;
	bool compound; /* needs parentheses as an operand */
};

/* Converts a postfix rule into sums in usual notation, once with names and once with values. */
struct summing {
	struct prose *prose;
	struct sum *top;
	const char *inside; /* the address and the word that the last '^' read */
};

static const char *
shortened(const char *text)
{
	return text == NULL ? "" : strlen(text) > OPERAND_LENGTH ? "..." : text;
}

static void
push(struct summing *summing, struct sum made)
{
	struct sum *sum = arena_alloc(summing->prose->arena, sizeof(*sum));

	if (sum == NULL)
		return;
	*sum = (struct sum){ summing->top, shortened(made.words), shortened(made.numbers),
		shortened(made.values), made.compound };
	summing->top = sum;
}

static struct sum
pop(struct summing *summing)
{
	static const struct sum none = { NULL, "?", "?", "?", false };
	struct sum *top = summing->top;

	if (top == NULL)
		return none;
	summing->top = top->below;
	return *top;
}

/* "a + b"; a negative operand is subtracted. */
static const char *
joined(struct summing *summing, const struct event *at, const struct sum *left,
	const struct sum *right, const char *a, const char *b)
{
	const bool minus = at->detail == OPERATION_ADD && b[0] == '-' && !right->compound;
	const char *sign = minus ? "-" : at->detail == OPERATION_ALIGN ? "rounded down to" : NULL;
	const bool loose = at->detail != OPERATION_ADD;

	return arena_format(summing->prose->arena, "%s%s%s %.*s %s%s%s",
		left->compound && at->detail > OPERATION_SUBTRACT ? "(" : "", a,
		left->compound && at->detail > OPERATION_SUBTRACT ? ")" : "",
		sign != NULL ? (int)strlen(sign) : (int)at->name.length,
		sign != NULL ? sign : at->name.start, right->compound && loose ? "(" : "",
		minus ? b + 1 : b, right->compound && loose ? ")" : "");
}

static void
operate(struct summing *summing, const struct event *at)
{
	const struct sum right = pop(summing), left = pop(summing);

	push(summing,
		(struct sum){ NULL, joined(summing, at, &left, &right, left.words, right.words),
			joined(summing, at, &left, &right, left.numbers, right.numbers),
			joined(summing, at, &left, &right, left.values, right.values), true });
}

/* A rule's number is decimal in the sum of names, and has the base of addresses in other sums. */
static void
push_number(struct summing *summing, const struct event *at)
{
	struct prose *prose = summing->prose;
	const uint64_t value = at->stack != NULL ? at->stack->value : at->value;
	const uint64_t negated = arch_wrap(prose->view->walk->arch, 0 - value);
	const bool minus = at->name.length > 0 && at->name.start[0] == '-';

	const char *number = arena_format(prose->arena, "%s%s", minus ? "-" : "",
		prose_value(prose, minus ? negated : value));
	push(summing,
	     (struct sum){ NULL, text_copy(prose->arena, at->name), number, number, false });
}

/*
 * Adds a figure: the parts of a line, joined by '=', without equal neighbours. If the line is too
 * long, each further part has a line of its own.
 */
static void
add_line(struct prose *prose, const char *const *all, size_t count)
{
	const char *parts[PARTS] = { all[0], all[1] }, *line = all[0];
	const int indent = (int)strlen(all[0]);
	size_t columns = strlen(all[0]) + strlen(all[1]), used = 2;

	for (size_t i = 2; i < count; i++) {
		if (strcmp(all[i], all[i - 1]) == 0)
			continue;
		columns += strlen(all[i]) + 3;
		parts[used++] = all[i];
	}
	for (size_t i = 1; i < used; i++) {
		const bool breaks = columns > LINE_COLUMNS && i > 1;

		if (breaks)
			prose_add_figure(prose, text_or_empty(line));
		line = arena_format(prose->arena, "%*s = %s", breaks ? indent : 0,
			breaks ? "" : text_or_empty(line), parts[i]);
	}
	prose_add_figure(prose, text_or_empty(line));
}

/* Adds the line of a rule or an assignment. Token `last` produced the value of `at`. */
static void
add_sum(struct summing *summing, const char *name, uint32_t last, const struct event *at)
{
	struct prose *prose = summing->prose;
	const struct sum made = pop(summing);
	const struct event *read =
		prose_event(prose, trace_read_behind(&prose->view->trace, last));
	const char *parts[PARTS] = { name, made.words, made.numbers };
	size_t count = 3;

	parts[count++] = read != NULL ? summing->inside : made.values;
	if (read != NULL)
		parts[count++] = text_or_empty(arena_format(
			prose->arena, "[%s]", prose_value(prose, read->address)));
	const struct text_of_place place = place_format(
		read != NULL && read->status == EVENT_OK ? &read->place : &(struct place){ 0 });
	parts[count++] = read != NULL && read->status != EVENT_OK ? "not in the dump"
		: at->status != EVENT_OK
		? "no value"
		: text_or_empty(arena_format(prose->arena, "%s%s%s", prose_value(prose, at->value),
			  place.text[0] != '\0' ? "   " : "", place.text));
	add_line(prose, parts, count);
}

/* Replaces the address on top by the word read there. */
static void
dereference(struct summing *summing, uint32_t token)
{
	struct prose *prose = summing->prose;
	const struct sum address = pop(summing);
	const struct event *read =
		prose_event(prose, trace_read_behind(&prose->view->trace, token));

	summing->inside = shortened(arena_format(prose->arena, "[%s]", address.values));
	push(summing,
		(struct sum){ NULL, arena_format(prose->arena, "[%s]", address.words),
			arena_format(prose->arena, "[%s]", address.numbers),
			read != NULL && read->status == EVENT_OK ? prose_value(prose, read->value)
								 : "?",
			false });
}

void
prose_sums(struct prose *prose, uint32_t rule)
{
	const struct event *events = prose->view->trace.events, *at = &events[rule];
	struct summing summing = { .prose = prose };
	uint32_t last = TRACE_NONE;

	for (uint32_t i = rule + 1; i < at->end; i++) {
		const struct event *token = &events[i];
		const struct cell *cell = token->stack;

		if (token->kind != EVENT_TOKEN)
			continue;
		if (token->detail == OPERATION_NUMBER) {
			push_number(&summing, token);
		} else if (token->detail == OPERATION_NAME) {
			const char *name = text_copy(prose->arena, token->name);
			const char *value = cell != NULL && cell->known
				? prose_value(prose, cell->value)
				: name;

			push(&summing, (struct sum){ NULL, name, value, value, false });
		} else if (token->detail == OPERATION_ASSIGN) {
			const struct sum value = pop(&summing), name = pop(&summing);

			push(&summing, value);
			if (token->status == EVENT_OK)
				add_sum(&summing, name.words, last, token);
		} else if (token->detail == OPERATION_READ) {
			dereference(&summing, i);
		} else {
			operate(&summing, token);
		}
		last = i;
	}
	/* A rule leaves a value; assignments leave nothing. */
	if (summing.top != NULL && last != TRACE_NONE && events[last].detail != OPERATION_ASSIGN)
		add_sum(&summing, text_or_empty(text_copy(prose->arena, at->name)), last, at);
}

/* Sentences ------------------------------------------------------------------------------------ */

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

		if (at->kind != EVENT_RULE || !text_is(at->name, ".cfa") || at->status != EVENT_OK)
			continue;
		const bool below = address < at->value;
		return arena_format(prose->arena, ", %" PRIu64 " bytes %s the CFA",
			below ? at->value - address : address - at->value,
			below ? "below" : "above");
	}
	return "";
}

static void
tell_tokens(struct prose *prose, uint32_t rule)
{
	const struct step_view *view = prose->view;

	for (uint32_t i = rule + 1; i < prose_event(prose, rule)->end; i++) {
		const struct event *at = prose_event(prose, i);

		if (at->kind != EVENT_TOKEN)
			continue;
		struct step_text effect = step_view_effect(view, i);
		if (at->detail == OPERATION_NAME && at->stack != NULL && at->stack->known) {
			const struct step_text origin = step_view_origin(view, at->stack->from);
			snprintf(effect.text, sizeof(effect.text), ": it stands for %s%s%.400s",
				 prose_value(prose, at->stack->value),
				 origin.text[0] != '\0' ? ", " : "", origin.text);
		} else if (at->detail == OPERATION_NAME) {
			effect.text[0] = '\0';
		}
		struct prose_item *item = prose_add(
			prose, PROSE_PARAGRAPH, i,
			prose_expand(prose, token_words[at->detail],
				     FACTS_OF({ "name", text_copy(prose->arena, at->name) },
					      { "origin", effect.text }, { "effect", effect.text },
					      { "target", at->text },
					      { "value", prose_value(prose, at->value) })));
		if (item != NULL)
			item->detail = true;
	}
}

struct told_rule {
	uint32_t event, last; /* event of the rule, and the last event within the rule */
	const struct event *at, *read; /* the rule; the read that gave its value, or NULL */
	struct prose_fact facts[8];
};

static struct told_rule
told_rule(struct prose *prose, uint32_t rule)
{
	const struct event *at = prose_event(prose, rule), *read = read_by(prose, at);
	const char *name = text_copy(prose->arena, at->name);

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

static void
tell_sum(struct prose *prose, const struct told_rule *rule)
{
	prose->figure_event = rule->last;
	prose_sums(prose, rule->event);
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
					text_both_bases(rule->at->value - sp).text) });
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

/* Whether a rule restores a register that is not needed to find the frame. */
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
	/* Only a rule that a record contains shows that the function saved these registers. */
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
		if (text_is(at->name, ".cfa")) {
			tell_cfa(prose, &rule);
		} else if (text_is(at->name, ".ra")) {
			tell_return(prose, &rule, SENTENCE_RETURN_RULE);
		} else if (text_is(at->name, "program")) {
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
