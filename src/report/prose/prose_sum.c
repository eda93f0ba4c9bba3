/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/prose/prose.h"

#include <inttypes.h>
#include <string.h>

#include "rules/program.h"

/* Converts postfix rules into sums in usual notation, once with names and once with values. */

enum {
	LINE_COLUMNS = 74,
	PARTS = 6,
	OPERAND_LENGTH = 120, /* longer operands are shown as dots */
};

/* An intermediate value: its sum in names, in numbers, and with the words that were read. */
struct sum {
	struct sum *below;
	const char *words, *numbers, *values;
	bool compound; /* needs parentheses as an operand */
};

struct summing {
	const struct step_view *view;
	struct arena *arena;
	struct sum *top;
	const char *inside; /* of the last '^': the address and the word read there */
};

const char *
prose_number(uint64_t value, struct arena *arena)
{
	return text_or_empty(arena_format(arena, value < 10 ? "%" PRIu64 : "0x%" PRIx64, value));
}

static const char *
shortened(const char *text)
{
	return text == NULL ? "" : strlen(text) > OPERAND_LENGTH ? "..." : text;
}

static void
push(struct summing *summing, struct sum made)
{
	struct sum *sum = arena_alloc(summing->arena, sizeof(*sum));

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

	return arena_format(summing->arena, "%s%s%s %.*s %s%s%s",
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

/* A number of a rule is decimal; in the sum of numbers it has the base of addresses. */
static void
push_number(struct summing *summing, const struct event *at)
{
	const uint64_t value = at->stack != NULL ? at->stack->value : at->value;
	const uint64_t negated = arch_wrap(summing->view->walk->arch, 0 - value);
	const bool minus = at->name.length > 0 && at->name.start[0] == '-';

	const char *number = arena_format(summing->arena, "%s%s", minus ? "-" : "",
		prose_number(minus ? negated : value, summing->arena));
	push(summing,
		(struct sum){ NULL, arena_copy(summing->arena, at->name.start, at->name.length),
			number, number, false });
}

static void
push_name(struct summing *summing, const struct event *at)
{
	const struct cell *cell = at->stack;
	const char *name = arena_copy(summing->arena, at->name.start, at->name.length);

	const char *value =
		cell != NULL && cell->known ? prose_number(cell->value, summing->arena) : name;
	push(summing, (struct sum){ NULL, name, value, value, false });
}

/*
 * Writes the parts of a line, joined by '=', without equal neighbours; in several lines if one
 * would be too long.
 */
static void
write_line(const char *const *all, size_t count, struct arena *arena,
	void (*add)(void *context, const char *line), void *context)
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
			add(context, text_or_empty(line));
		line = arena_format(arena, "%*s = %s", breaks ? indent : 0,
			breaks ? "" : text_or_empty(line), parts[i]);
	}
	add(context, text_or_empty(line));
}

/* The read of a '^', or NULL. */
static const struct event *
read_of(const struct step_view *view, uint32_t token)
{
	const uint32_t next = token + 1;

	return next < view->trace.count && view->trace.events[next].kind == EVENT_READ &&
			view->trace.events[next].parent == token
		? &view->trace.events[next]
		: NULL;
}

/* Writes the line of a rule or an assignment. Token `last` made the value of `at`. */
static void
write_sum(struct summing *summing, const char *name, uint32_t last, const struct event *at,
	void (*add)(void *context, const char *line), void *context)
{
	const struct sum made = pop(summing);
	const struct event *read = last != TRACE_NONE ? read_of(summing->view, last) : NULL;
	const char *parts[PARTS] = { name, made.words, made.numbers };
	char place[400] = "";
	size_t count = 3;

	parts[count++] = read != NULL ? summing->inside : made.values;
	if (read != NULL)
		parts[count++] = text_or_empty(arena_format(
			summing->arena, "[%s]", prose_number(read->address, summing->arena)));
	if (read != NULL && read->status == EVENT_OK)
		place_format(&read->place, place, sizeof(place));
	parts[count++] = read != NULL && read->status != EVENT_OK ? "not in the dump"
		: at->status != EVENT_OK			  ? "no value"
					 : text_or_empty(arena_format(summing->arena, "%s%s%s",
						   prose_number(at->value, summing->arena),
						   place[0] != '\0' ? "   " : "", place));
	write_line(parts, count, summing->arena, add, context);
}

/* Replaces the address on top by the word read there. */
static void
dereference(struct summing *summing, uint32_t token)
{
	const struct sum address = pop(summing);
	const struct event *read = read_of(summing->view, token);
	struct arena *arena = summing->arena;

	summing->inside = shortened(arena_format(arena, "[%s]", address.values));
	push(summing,
		(struct sum){ NULL, arena_format(arena, "[%s]", address.words),
			arena_format(arena, "[%s]", address.numbers),
			read != NULL && read->status == EVENT_OK ? prose_number(read->value, arena)
								 : "?",
			false });
}

void
prose_sums(const struct step_view *view, uint32_t rule, struct arena *arena,
	void (*add)(void *context, const char *line), void *context)
{
	const struct event *events = view->trace.events, *at = &events[rule];
	struct summing summing = { .view = view, .arena = arena };
	uint32_t last = TRACE_NONE;

	for (uint32_t i = rule + 1; i < at->end; i++) {
		const struct event *token = &events[i];

		if (token->kind != EVENT_TOKEN)
			continue;
		if (token->detail == OPERATION_NUMBER) {
			push_number(&summing, token);
		} else if (token->detail == OPERATION_NAME) {
			push_name(&summing, token);
		} else if (token->detail == OPERATION_ASSIGN) {
			const struct sum value = pop(&summing), name = pop(&summing);

			push(&summing, value);
			if (token->status == EVENT_OK)
				write_sum(&summing, name.words, last, token, add, context);
		} else if (token->detail == OPERATION_READ) {
			dereference(&summing, i);
		} else {
			operate(&summing, token);
		}
		last = i;
	}
	/* A rule leaves a value; assignments leave nothing. */
	if (summing.top != NULL && last != TRACE_NONE && events[last].detail != OPERATION_ASSIGN)
		write_sum(&summing,
			text_or_empty(arena_copy(arena, at->name.start, at->name.length)), last, at,
			add, context);
}
