/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/step.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "walk/overlay.h"

bool
step_is_first(const struct step *step)
{
	return step->callee->trust == TRUST_CONTEXT;
}

uint32_t
step_policy(const struct step *step, enum policy_row row)
{
	return step->policy->value[row];
}

static void
remember(struct step *step, const char *format, va_list arguments)
{
	vsnprintf(step->reason, sizeof(step->reason), format, arguments);
}

enum verdict_kind
step_refuse(struct step *step, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	remember(step, format, arguments);
	va_end(arguments);
	return VERDICT_REFUSED;
}

enum verdict_kind
step_end(struct step *step, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	remember(step, format, arguments);
	va_end(arguments);
	return VERDICT_END;
}

static void
record_check(struct step *step, enum check_id check, enum event_status status, const char *format,
	     va_list arguments)
{
	trace_add(step->trace, step->attempt,
		  (struct event){ .kind = EVENT_CHECK, .reg = ARCH_NO_REGISTER, .from = TRACE_NONE,
				  .status = status, .detail = check,
				  .text = trace_format(step->trace, format, arguments) });
}

bool
step_check(struct step *step, enum check_id check, bool passed, const char *format, ...)
{
	va_list arguments;

	if (step->trace == NULL)
		return passed;
	va_start(arguments, format);
	record_check(step, check, passed ? EVENT_OK : EVENT_FAILED, format, arguments);
	va_end(arguments);
	return passed;
}

void
step_note(struct step *step, enum check_id check, const char *format, ...)
{
	va_list arguments;

	if (step->trace == NULL)
		return;
	va_start(arguments, format);
	record_check(step, check, EVENT_NOTE, format, arguments);
	va_end(arguments);
}

void
step_fact(struct step *step, struct place place, const char *format, ...)
{
	va_list arguments;

	if (step->trace == NULL)
		return;
	va_start(arguments, format);
	trace_add(step->trace, step->attempt,
		  (struct event){ .kind = EVENT_RECORD, .reg = ARCH_NO_REGISTER,
				  .from = TRACE_NONE, .place = place,
				  .text = trace_format(step->trace, format,
									arguments) });
	va_end(arguments);
}

uint32_t
step_repair(struct step *step, const char *format, ...)
{
	va_list arguments;

	if (step->trace == NULL)
		return TRACE_NONE;
	va_start(arguments, format);
	uint32_t event = trace_add(step->trace, step->attempt,
				   (struct event){ .kind = EVENT_REPAIR, .from = TRACE_NONE,
						   .reg = ARCH_NO_REGISTER,
						   .text = trace_format(step->trace, format,
									arguments) });
	va_end(arguments);
	return event;
}

/* Where a register of the callee came from: a field of the dump for the context frame. */
static struct place
register_place(const struct step *step, int reg)
{
	if (step->number != 0)
		return (struct place){ 0 };
	return crash_register_place(step->walk->crash, step->walk->context, reg);
}

/* What stands behind the words of a register that a user has set. */
static const char *
edited_input(struct step *step, int reg, const char *text)
{
	const struct overlay_edit *edit = overlay_register(
		step->walk->overlay, step->walk->thread, step->number, reg);

	if (edit == NULL)
		return text;
	if (!edit->was_known)
		return trace_text(step->trace, "%s, edited, was unknown", text);
	return trace_text(step->trace, "%s, edited, was %" PRIx64, text, edit->old);
}

/* "rbp of frame 12": made for nearly every register of every step, so by hand. */
static const char *
input_text(struct step *step, int reg)
{
	static const char words[] = " of frame ";
	const char *label = step->arch->registers[reg].label;
	char text[64];
	size_t at = sizeof(text), number = step->number, length = strnlen(label, 16);

	do {
		text[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	at -= strlen(words);
	memcpy(text + at, words, strlen(words));
	at -= length;
	memcpy(text + at, label, length);
	return edited_input(step, reg,
			    trace_copy(step->trace, (struct text){ text + at, sizeof(text) - at }));
}

uint32_t
step_input(struct step *step, int reg)
{
	if (step->trace == NULL || reg < 0)
		return TRACE_NONE;
	if (step->register_events[reg] != TRACE_NONE)
		return step->register_events[reg];
	const struct arch_register *entry = &step->arch->registers[reg];
	step->register_events[reg] = trace_add(
		step->trace, step->attempt,
		(struct event){ .kind = EVENT_INPUT, .reg = reg, .from = TRACE_NONE,
				.value = step->inputs.value[reg],
				.place = register_place(step, reg),
				.name = text_of(entry->name != NULL ? entry->name : entry->label),
				.text = input_text(step, reg) });
	return step->register_events[reg];
}

uint32_t
step_named_input(struct step *step, const char *name, uint64_t value, struct place place,
		 const char *format, ...)
{
	va_list arguments;

	if (step->trace == NULL)
		return TRACE_NONE;
	va_start(arguments, format);
	uint32_t event = trace_add(step->trace, step->attempt,
				   (struct event){ .kind = EVENT_INPUT, .reg = ARCH_NO_REGISTER,
						   .from = TRACE_NONE, .value = value,
						   .place = place, .name = text_of(name),
						   .text = trace_format(step->trace, format,
									arguments) });
	va_end(arguments);
	return event;
}

static void
record_set(struct step *step, int reg, uint64_t value, enum event_status status, uint32_t from,
	   const char *text)
{
	if (step->trace == NULL)
		return;
	trace_add(step->trace, step->attempt,
		  (struct event){ .kind = EVENT_SET, .reg = reg, .status = status, .from = from,
				  .value = value, .text = text,
				  .name = text_of(step->arch->registers[reg].label) });
}

void
step_set(struct step *step, struct frame *caller, int reg, uint64_t value, uint32_t from,
	 const char *text)
{
	registers_set(&caller->registers, reg, arch_wrap_register(step->arch, value));
	record_set(step, reg, caller->registers.value[reg], EVENT_OK, from, text);
}

void
step_unknown(struct step *step, int reg, const char *text)
{
	record_set(step, reg, 0, EVENT_FAILED, TRACE_NONE, text);
}

void
step_begin_caller(struct step *step, struct frame *caller, enum trust trust)
{
	const struct frame *callee = step->callee;

	caller->registers = (struct registers){ 0 };
	caller->trust = trust;
	caller->interrupted = false;
	if (step_policy(step, POLICY_STALE_REGISTERS)) {
		caller->registers = callee->registers;
		caller->registers.stale |= callee->registers.known;
		caller->registers.known = 0;
	}
}

bool
step_keep(struct step *step, struct frame *caller, int reg, const char *text)
{
	if (!registers_known(&step->callee->registers, reg))
		return false;
	step_set(step, caller, reg, step->callee->registers.value[reg], step_input(step, reg),
		 text);
	return true;
}

void
step_keep_all(struct step *step, struct frame *caller, const char *text)
{
	for (int reg = 0; reg < step->arch->register_count; reg++)
		if (!registers_known(&caller->registers, reg))
			step_keep(step, caller, reg, text);
}

/* Record the registers that a rule mentions as inputs. */
static void
record_inputs(struct step *step, const struct program *program)
{
	for (size_t i = 0; step->trace != NULL && i < program->name_count; i++)
		if (registers_known(&step->inputs, program->names[i].reg))
			step_input(step, program->names[i].reg);
}

static void
record_failure(struct step *step, uint32_t event, const struct rule *rule,
	       const struct outcome *outcome)
{
	char why[160];

	program_explain(rule->program, outcome, why, sizeof(why));
	trace_add(step->trace, event,
		  (struct event){ .kind = EVENT_RECORD, .status = EVENT_FAILED,
				  .reg = ARCH_NO_REGISTER, .from = TRACE_NONE,
				  .text = trace_copy(step->trace, text_of(why)) });
}

static unsigned
rule_marks(const struct rule *rule)
{
	return (rule->delta ? TRACE_RULE_DELTA : 0) | (rule->edited ? TRACE_RULE_EDITED : 0);
}

/* Run one rule under an event of its own. */
static bool
run_rule(struct step *step, const struct rule *rule, const struct variable *cfa,
	 struct outcome *outcome)
{
	const struct environment environment = {
		.arch = step->arch,
		.memory = &step->walk->memory,
		.align_unchecked = step_policy(step, POLICY_ALIGN_UNCHECKED) != 0,
	};
	uint32_t event = TRACE_NONE;

	record_inputs(step, rule->program);
	if (step->trace != NULL)
		event = trace_add(step->trace, step->attempt,
				  (struct event){ .kind = EVENT_RULE, .reg = rule->reg,
						  .detail = rule_marks(rule), .from = TRACE_NONE,
						  .place = rule->edited ? rule->record
									: rule->program->place,
						  .name = rule->name,
						  .text = trace_copy(step->trace,
								     rule->program->text) });
	bool good = rule_evaluate(rule, &environment, &step->inputs, step->register_events, cfa,
				  outcome, step->trace, event);
	/* The architecture's own rules, which come from no file, may follow any register. */
	if (!good && outcome->failure == PROGRAM_UNREADABLE && step->absent == 0 &&
	    rule->recorded)
		step->absent = outcome->address;
	if (event != TRACE_NONE) {
		struct event *at = &step->trace->events[event];

		at->status = good ? EVENT_OK : EVENT_FAILED;
		at->value = outcome->value;
		at->from = outcome->from;
		if (!good)
			record_failure(step, event, rule, outcome);
		trace_close(step->trace, event);
	}
	return good;
}

bool
step_evaluate_set(struct step *step, const struct rule_set *set, struct outcome *outcomes)
{
	const int first[] = { set->cfa, set->return_address };
	struct variable cfa = { .from = TRACE_NONE };
	char why[160];

	for (size_t i = 0; i < ARRAY_COUNT(first); i++) {
		if (first[i] < 0)
			continue;
		const struct rule *rule = &set->rules[first[i]];
		struct outcome *outcome = &outcomes[first[i]];

		if (!run_rule(step, rule, &cfa, outcome)) {
			step_refuse(step, "the rule of %.*s fails: %s", (int)rule->name.length,
				    rule->name.start,
				    program_explain(rule->program, outcome, why, sizeof(why)));
			return false;
		}
		if (i == 0)
			cfa = (struct variable){ .value = outcome->value, .from = outcome->from,
						 .known = true };
	}
	for (size_t i = 0; i < set->count; i++)
		if ((int)i != set->cfa && (int)i != set->return_address)
			run_rule(step, &set->rules[i], &cfa, &outcomes[i]);
	return true;
}

const struct rule_set *
step_edited_rules(struct step *step, const struct rule_set *set)
{
	struct arena *arena = step->trace != NULL ? &step->trace->arena : &step->scratch;

	if (step->walk->overlay == NULL || set == NULL)
		return set;
	return overlay_rules(step->walk->overlay, arena, step->arch, step->walk->thread,
			     step->number, step->method, set);
}

bool
step_run_rules(struct step *step, const struct rule_set *set, struct frame *caller)
{
	struct outcome outcomes[LIMIT_RULES];
	char why[160];

	set = step_edited_rules(step, set);
	if (set == NULL) {
		step_refuse(step, OUT_OF_MEMORY);
		return false;
	}
	if (!step_evaluate_set(step, set, outcomes))
		return false;
	for (size_t i = 0; i < set->count; i++) {
		const struct rule *rule = &set->rules[i];

		if (outcomes[i].failure != PROGRAM_OK) {
			step_refuse(step, "the rule of %.*s fails: %s", (int)rule->name.length,
				    rule->name.start,
				    program_explain(rule->program, &outcomes[i], why,
						    sizeof(why)));
			return false;
		}
		if (rule->target == RULE_REGISTER)
			step_set(step, caller, rule->reg, outcomes[i].value, outcomes[i].from,
				 "");
	}
	return true;
}

bool
step_run_text(struct step *step, struct frame *caller, const char *format, ...)
{
	char text[128];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(text)) {
		step_refuse(step, "the rules of the method are too long");
		return false;
	}
	struct arena *arena = step->trace != NULL ? &step->trace->arena : &step->scratch;
	const char *copy = arena_copy(arena, text, strlen(text));
	const struct rule_set *set =
		copy == NULL ? NULL
			     : rule_set_text(arena, step->arch, text_of(copy), (struct place){ 0 });
	if (set == NULL) {
		step_refuse(step, OUT_OF_MEMORY);
		return false;
	}
	return step_run_rules(step, set, caller);
}

bool
step_read(const struct step *step, uint64_t address, uint64_t *value)
{
	return memory_read(&step->walk->memory, arch_wrap(step->arch, address),
			   step->arch->word_size, value, NULL);
}

/* Everything a step needs to know of its callee. */
static void
begin_step(struct step *step, struct walk *walk, size_t number, struct trace *trace)
{
	const struct frame *callee = &walk->frames[number];

	*step = (struct step){ .walk = walk, .arch = walk->arch, .policy = &walk->policy,
			       .callee = callee, .number = number, .trace = trace,
			       .attempt = TRACE_NONE, .inputs = callee->registers };
	arena_init(&step->scratch, 0);
	/* Where registers are wider than addresses their values are still computed in 32 bits. */
	for (int reg = 0; reg < walk->arch->register_count; reg++)
		step->inputs.value[reg] = arch_wrap(walk->arch, step->inputs.value[reg]);
	step->symfile = walk_symfile(walk, callee->module);
	if (callee->module != MODULE_NONE)
		step->relative = callee->lookup - walk->crash->modules[callee->module].base;
	step->bare_module = callee->bare_module;
}

static bool
is_forbidden(const struct step *step, enum method_id id)
{
	return step->walk->overlay != NULL &&
	       overlay_forbids(step->walk->overlay, step->walk->thread, step->number, id);
}

static enum verdict_kind
attempt(struct step *step, uint32_t root, enum method_id id, struct frame *caller)
{
	const struct method *method = &methods[id];

	*caller = (struct frame){ .method = id };
	step->method = id;
	step->reason[0] = '\0';
	for (int reg = 0; reg < ARCH_REGISTERS; reg++)
		step->register_events[reg] = TRACE_NONE;
	step->attempt = trace_add(step->trace, root,
				  (struct event){ .kind = EVENT_ATTEMPT, .detail = id,
						  .reg = ARCH_NO_REGISTER, .from = TRACE_NONE,
						  .text = method->name });
	enum verdict_kind kind =
		is_forbidden(step, id)
			? step_refuse(step, "a what-if edit forbids it for this frame")
			: method->attempt(step, caller);
	if (kind == VERDICT_TAKEN)
		kind = step_check_caller(step, caller);
	if (kind == VERDICT_TAKEN)
		step_compare_call(step, caller);
	if (step->attempt != TRACE_NONE) {
		trace_add(step->trace, step->attempt,
			  (struct event){ .kind = EVENT_RESULT, .detail = kind,
					  .reg = ARCH_NO_REGISTER, .from = TRACE_NONE,
					  .status = kind == VERDICT_TAKEN ? EVENT_OK
									  : EVENT_FAILED,
					  .text = trace_copy(step->trace, text_of(step->reason)) });
		step->trace->events[step->attempt].status =
			kind == VERDICT_TAKEN ? EVENT_OK : EVENT_FAILED;
		trace_close(step->trace, step->attempt);
	}
	return kind;
}

static unsigned
call_step(const struct step *step)
{
	return step_policy(step, POLICY_LONG_CALL_STEPS) ? step->arch->long_call_step
							 : step->arch->call_step;
}

/* What the caller inherits from the frames below it, so that no step looks back over them. */
static void
carry_counters(struct step *step, struct frame *caller)
{
	const struct frame *callee = step->callee;

	caller->scanned = callee->scanned;
	caller->inlined = callee->inlined;
	caller->bare_module = step->bare_module;
	caller->parameters = -1;
	caller->parameters_innermost = callee->parameters_innermost;
	if (step->arch->stack_win) {
		caller->parameters = step_parameters(step);
		if (caller->parameters_innermost < 0)
			caller->parameters_innermost = step_recorded_parameters(step);
	}
	uint64_t pc = caller->registers.value[step->arch->pc];
	caller->lookup = caller->interrupted
				 ? pc
				 : arch_wrap(step->arch, pc - call_step(step));
}

static void
finish_step(struct step *step, uint32_t root, enum verdict_kind kind, enum method_id method,
	    struct verdict *verdict)
{
	*verdict = (struct verdict){ .kind = kind, .method = method };
	snprintf(verdict->text, sizeof(verdict->text), "%s", step->reason);
	if (root != TRACE_NONE) {
		struct event *event = &step->trace->events[root];

		event->status = kind == VERDICT_TAKEN ? EVENT_OK : EVENT_FAILED;
		event->text = trace_copy(step->trace, text_of(step->reason));
		event->detail = kind;
		trace_close(step->trace, root);
	}
	arena_free(&step->scratch);
}

/* Whether the stack ends here, whatever a method would find. */
static bool
is_at_end(struct step *step)
{
	if (step_policy(step, POLICY_END_OF_STACK) && step_is_outermost(step))
		return true;
	/* Other walkers give up without a stack, though leaf functions may need none. */
	if (!step_policy(step, POLICY_STACK_ONLY) || step->walk->memory.count != 0)
		return false;
	step_explain_end(step);
	return true;
}

/* The methods in order until one is not refused. */
static enum verdict_kind
try_methods(struct step *step, uint32_t root, struct frame *caller, enum method_id *used)
{
	enum verdict_kind kind = VERDICT_REFUSED;
	enum method_id list[METHOD_COUNT];
	const size_t count = method_order(step->arch->id, step->policy, list);

	for (size_t i = 0; i < count && kind == VERDICT_REFUSED; i++) {
		if (walk_method_is_off(step->walk, list[i]) || !methods[list[i]].applies(step))
			continue;
		*used = list[i];
		kind = attempt(step, root, list[i], caller);
	}
	if (kind == VERDICT_REFUSED) {
		*used = METHOD_COUNT;
		step_explain_end(step);
	}
	return kind;
}

/* One method alone; `*used` stays where it makes no sense for the frame. */
static enum verdict_kind
try_method(struct step *step, uint32_t root, enum method_id id, struct frame *caller,
	   enum method_id *used)
{
	if (!method_is_of(step->arch->id, id)) {
		step_refuse(step, "%s has no such method", step->arch->name);
		return VERDICT_REFUSED;
	}
	if (!methods[id].applies(step)) {
		step_refuse(step, "%s", methods[id].misfit[0] != '\0' ? methods[id].misfit
				: "it does not apply to this frame");
		return VERDICT_REFUSED;
	}
	*used = id;
	return attempt(step, root, id, caller);
}

static uint32_t
begin_trace(struct trace *trace, size_t number)
{
	return trace_add(trace, TRACE_NONE,
			 (struct event){ .kind = EVENT_STEP, .from = TRACE_NONE,
					 .reg = ARCH_NO_REGISTER, .value = number });
}

/* The step by the one method that a what-if edit forces. */
static enum verdict_kind
take_forced(struct step *step, uint32_t root, enum method_id forced, struct frame *caller,
	    enum method_id *used)
{
	char reason[sizeof(step->reason)];
	enum verdict_kind kind = try_method(step, root, forced, caller, used);

	if (kind == VERDICT_REFUSED) {
		memcpy(reason, step->reason, sizeof(reason));
		return step_end(step, "only %s is allowed for this frame, and it was refused: "
				      "%.120s",
				methods[forced].name, reason);
	}
	return kind;
}

void
unwind_step(struct walk *walk, size_t number, struct trace *trace, struct frame *caller,
	    struct verdict *verdict)
{
	struct step step;
	enum verdict_kind kind;
	enum method_id used = METHOD_COUNT, forced = METHOD_COUNT;

	begin_step(&step, walk, number, trace);
	uint32_t root = begin_trace(trace, number);
	if (walk->overlay != NULL)
		forced = overlay_forced(walk->overlay, walk->arch->id, walk->thread, number);
	if (forced != METHOD_COUNT)
		kind = take_forced(&step, root, forced, caller, &used);
	else if (is_at_end(&step))
		kind = VERDICT_END;
	else
		kind = try_methods(&step, root, caller, &used);
	if (kind == VERDICT_REFUSED)
		kind = VERDICT_END;
	if (kind == VERDICT_TAKEN)
		carry_counters(&step, caller);
	finish_step(&step, root, kind, used, verdict);
}

void
unwind_step_by(struct walk *walk, size_t number, enum method_id method, struct trace *trace,
	       struct frame *caller, struct verdict *verdict)
{
	struct step step;
	enum method_id used = METHOD_COUNT;

	begin_step(&step, walk, number, trace);
	uint32_t root = begin_trace(trace, number);
	enum verdict_kind kind = try_method(&step, root, method, caller, &used);
	if (kind == VERDICT_TAKEN)
		carry_counters(&step, caller);
	finish_step(&step, root, kind, used, verdict);
}
