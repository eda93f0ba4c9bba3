/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/methods_compared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/step/step_view.h"

/* Columns from which on there is room for frame pointer and CFA, too. */
#define WIDE 110u

/* What the innermost call of a caller is called. */
static struct text
name_of(struct walk *walk, const struct frame *caller, struct arena *arena)
{
	struct location location;

	location_of(walk, caller->lookup, arena, NULL, &location);
	return location_name(&location, &location.calls[0],
			     caller->registers.value[walk->arch->pc], false, arena);
}

/* The value of the rule for `.cfa` in a trace. */
static bool
find_cfa(const struct trace *trace, uint64_t *cfa)
{
	for (uint32_t i = 0; i < trace->count; i++) {
		const struct event *at = &trace->events[i];

		if (at->kind == EVENT_RULE && at->status == EVENT_OK &&
		    text_equal(at->name, text_of(".cfa"))) {
			*cfa = at->value;
			return true;
		}
	}
	return false;
}

static bool
is_same(const struct frame *a, const struct frame *b, int reg)
{
	return registers_known(&a->registers, reg) == registers_known(&b->registers, reg) &&
	       (!registers_known(&a->registers, reg) ||
		a->registers.value[reg] == b->registers.value[reg]);
}

static char
sign_of(const struct methods_compared *compared, const struct methods_answer *answer)
{
	const struct arch *arch = compared->walk->arch;
	const struct frame *walked = &compared->caller;

	if (answer->verdict.kind != VERDICT_TAKEN)
		return ' ';
	if (compared->verdict.kind != VERDICT_TAKEN)
		return '?';
	if (compared->verdict.method == answer->method)
		return '*';
	if (!is_same(walked, &answer->caller, arch->pc) ||
	    !is_same(walked, &answer->caller, arch->sp))
		return '!';
	return arch->fp < 0 || is_same(walked, &answer->caller, arch->fp) ? '=' : '~';
}

static void
ask(struct methods_compared *compared, enum method_id method, struct arena *arena)
{
	struct methods_answer *answer = &compared->answers[compared->count++];
	struct trace trace;

	answer->method = method;
	answer->off = walk_method_is_off(compared->walk, method);
	trace_init(&trace);
	unwind_step_by(compared->walk, compared->frame, method, &trace, &answer->caller,
		       &answer->verdict);
	if (answer->verdict.kind == VERDICT_TAKEN) {
		answer->has_cfa = find_cfa(&trace, &answer->cfa);
		answer->caller.module = module_map_find(&compared->walk->modules,
							answer->caller.lookup);
		answer->name = name_of(compared->walk, &answer->caller, arena);
	}
	trace_free(&trace);
	answer->sign = sign_of(compared, answer);
}

const struct methods_compared *
methods_compare(struct walk *walk, size_t frame, struct arena *arena)
{
	struct methods_compared *compared = arena_alloc(arena, sizeof(*compared));
	enum method_id list[METHOD_COUNT];

	if (compared == NULL)
		return NULL;
	compared->walk = walk;
	compared->frame = frame;
	unwind_step(walk, frame, NULL, &compared->caller, &compared->verdict);
	const size_t count = walk_methods(walk, list);
	for (size_t i = 0; i < count; i++)
		ask(compared, list[i], arena);
	return compared;
}

/* Where a row's columns begin. */
enum { VERDICT_COLUMN = 19, VALUE_COLUMN = 28 };

static void
head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct methods_compared *compared = listing->context;
	const struct arch *arch = compared->walk->arch;
	const int digits = report_digits(arch);
	char sp[24];

	row_add(row, ROLE_DIM, "  method");
	row_pad(row, VERDICT_COLUMN);
	row_add(row, ROLE_DIM, "verdict");
	row_pad(row, VALUE_COLUMN);
	row_add(row, ROLE_DIM, "%-*s ", digits, arch->registers[arch->pc].label);
	snprintf(sp, sizeof(sp), "%s", arch->registers[arch->sp].label);
	row_add(row, ROLE_DIM, "%-8s ", sp);
	if ((columns == 0 || columns >= WIDE) && arch->fp >= 0)
		row_add(row, ROLE_DIM, "%-*s %-*s ", digits, arch->registers[arch->fp].label,
			digits, "cfa");
	row_add(row, ROLE_DIM, "function");
}

/* How far the stack pointer goes up, which tells more than where it is. */
static void
add_distance(struct row *row, const struct methods_compared *compared, const struct frame *caller)
{
	const int sp = compared->walk->arch->sp;
	const uint64_t before = compared->walk->frames[compared->frame].registers.value[sp];
	const uint64_t after = caller->registers.value[sp];
	char text[32];

	snprintf(text, sizeof(text), "%c0x%" PRIx64, after >= before ? '+' : '-',
		 after >= before ? after - before : before - after);
	row_add(row, ROLE_NORMAL, "%-8s ", text);
}

static void
add_known(struct row *row, int digits, bool known, uint64_t value)
{
	if (known)
		row_add(row, ROLE_NORMAL, "%0*" PRIx64 " ", digits, value);
	else
		row_add(row, ROLE_UNKNOWN, "%-*s ", digits, "?");
}

static void
add_caller(struct row *row, const struct methods_compared *compared,
	   const struct methods_answer *answer, bool wide)
{
	const struct arch *arch = compared->walk->arch;
	const int digits = report_digits(arch);
	const struct registers *registers = &answer->caller.registers;

	add_known(row, digits, true, registers->value[arch->pc]);
	add_distance(row, compared, &answer->caller);
	if (wide && arch->fp >= 0) {
		add_known(row, digits, registers_known(registers, arch->fp),
			  registers->value[arch->fp]);
		add_known(row, digits, answer->has_cfa, answer->cfa);
	}
	row_add_text(row, ROLE_NORMAL, answer->name);
}

/* The last row: what the walk itself made of it. */
static void
fill_walk(const struct methods_compared *compared, struct row *row)
{
	const struct verdict *verdict = &compared->verdict;

	if (verdict->kind == VERDICT_TAKEN)
		row_add(row, ROLE_NORMAL, "  the walk takes %s", method_name(verdict->method));
	else
		row_add(row, ROLE_NORMAL, "  the walk ends here: %s", verdict->text);
}

static enum role
role_of(char sign)
{
	return sign == '!' ? ROLE_BAD : sign == '*' ? ROLE_CHANGED : ROLE_NORMAL;
}

static void
fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct methods_compared *compared = listing->context;

	if (index >= compared->count) {
		fill_walk(compared, row);
	} else {
		const struct methods_answer *answer = &compared->answers[index];
		const bool tried = answer->verdict.method != METHOD_COUNT;
		const enum verdict_kind kind = answer->verdict.kind;

		row_add(row, role_of(answer->sign), "%c %s", answer->sign,
			method_name(answer->method));
		row_pad(row, VERDICT_COLUMN);
		row_add(row, kind == VERDICT_TAKEN ? ROLE_NORMAL : ROLE_DIM, "%s",
			!tried		     ? "none"
			: kind == VERDICT_END ? "end"
			: kind == VERDICT_TAKEN && answer->sign != '*' ? "answers"
					      : step_view_verdict(kind));
		row_pad(row, VALUE_COLUMN);
		if (kind == VERDICT_TAKEN)
			add_caller(row, compared, answer, columns == 0 || columns >= WIDE);
		else
			row_add_text(row, ROLE_DIM, text_of(answer->verdict.text));
		if (answer->off)
			row_add(row, ROLE_DIM, "  (switched off)");
	}
}

static void
explain(const struct listing *listing, size_t index, struct row *row)
{
	static const struct {
		char sign;
		const char *words;
	} signs[] = {
		{ '*', "the walk takes this caller" },
		{ '=', "the same caller as the walk's" },
		{ '~', "the same caller, but another frame pointer" },
		{ '!', "another caller than the walk's" },
		{ '?', "for the walk the stack ends here" },
		{ ' ', "no caller" },
	};
	const struct methods_compared *compared = listing->context;

	if (index >= compared->count) {
		fill_walk(compared, row);
		return;
	}
	const struct methods_answer *answer = &compared->answers[index];
	row_add(row, ROLE_NORMAL, "%s: ", method_name(answer->method));
	for (size_t i = 0; i < ARRAY_COUNT(signs); i++)
		if (signs[i].sign == answer->sign)
			row_add(row, ROLE_NORMAL, "%s", signs[i].words);
	if (answer->verdict.kind != VERDICT_TAKEN && answer->verdict.text[0] != '\0')
		row_add(row, ROLE_NORMAL, ": %s", answer->verdict.text);
}

static struct target
target(const struct listing *listing, size_t index)
{
	struct target target = report_no_target();

	target.method = methods_of_row(listing, index);
	if (target.method != METHOD_COUNT)
		target.kind = TARGET_METHOD;
	return target;
}

struct listing
methods_listing(const struct methods_compared *compared)
{
	if (compared == NULL)
		return listing_out_of_memory();
	return (struct listing){ .count = compared->count + 1, .head = head, .fill = fill,
				 .target = target, .explain = explain, .context = compared };
}

enum method_id
methods_of_row(const struct listing *listing, size_t row)
{
	const struct methods_compared *compared = listing->context;

	return listing->fill == fill && row < compared->count ? compared->answers[row].method
							      : METHOD_COUNT;
}

size_t
methods_row_taken(const struct listing *listing)
{
	const struct methods_compared *compared = listing->context;
	size_t row = 0;

	if (listing->fill != fill)
		return 0;
	while (row < compared->count && compared->answers[row].sign != '*')
		row++;
	return row;
}

static void
answer_json(struct json *json, const struct walk *walk, const struct methods_answer *answer)
{
	static const char *const verdicts[] = { "answers", "refused", "end" };
	static const struct {
		char sign;
		const char *word;
	} agreements[] = { { '*', "taken" }, { '=', "same" }, { '~', "same-but-frame-pointer" },
			   { '!', "other" }, { '?', "stack-ends" } };
	const struct arch *arch = walk->arch;
	const struct registers *registers = &answer->caller.registers;
	const unsigned digits = (unsigned)report_digits(arch);
	const bool tried = answer->verdict.method != METHOD_COUNT;

	json_object(json, NULL);
	json_string(json, "method", method_name(answer->method));
	json_bool(json, "switched_off", answer->off);
	json_string(json, "verdict", tried ? verdicts[answer->verdict.kind] : "none");
	if (answer->verdict.kind != VERDICT_TAKEN) {
		json_string(json, "reason", answer->verdict.text);
	} else {
		for (size_t i = 0; i < ARRAY_COUNT(agreements); i++)
			if (agreements[i].sign == answer->sign)
				json_string(json, "agreement", agreements[i].word);
		json_hex(json, "pc", registers->value[arch->pc], digits);
		json_hex(json, "sp", registers->value[arch->sp], digits);
		if (arch->fp >= 0 && registers_known(registers, arch->fp))
			json_hex(json, "fp", registers->value[arch->fp], digits);
		if (answer->has_cfa)
			json_hex(json, "cfa", answer->cfa, digits);
		json_text(json, "function", answer->name);
	}
	json_object_end(json);
}

void
methods_json(struct json *json, const struct methods_compared *compared)
{
	const struct verdict *verdict = &compared->verdict;
	const bool taken = verdict->kind == VERDICT_TAKEN;

	json_number(json, "frame", compared->frame);
	json_string(json, "taken", taken ? method_name(verdict->method) : NULL);
	json_string(json, "end", taken ? NULL : verdict->text);
	json_array(json, "methods");
	for (size_t i = 0; i < compared->count; i++)
		answer_json(json, compared->walk, &compared->answers[i]);
	json_array_end(json);
}
