/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/step.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "walk/overlay.h"
#include "walk/rule_cache.h"
#include "walk/symbol_at.h"

enum verdict_kind
step_refuse(struct step *step, const char *format, ...)
{
	TEXT_FORMAT(step->reason, format);
	return VERDICT_REFUSED;
}

enum verdict_kind
step_end(struct step *step, const char *format, ...)
{
	TEXT_FORMAT(step->reason, format);
	return VERDICT_END;
}

uint32_t
step_event(struct step *step, uint32_t parent, struct event event)
{
	event.reg = ARCH_NO_REGISTER;
	event.from = TRACE_NONE;
	return trace_add(step->trace, parent, &event);
}

uint32_t
step_record(struct step *step, struct event event, const char *format, ...)
{
	char text[512];

	TEXT_FORMAT(text, format);
	event.text = trace_copy(step->trace, text_of(text));
	return step_event(step, step->attempt, event);
}

bool
step_check(struct step *step, enum check_id check, bool passed, const char *format, ...)
{
	const enum event_status status = passed ? EVENT_OK : EVENT_FAILED;
	char text[512];

	/* Most steps have no trace: do not format the text for them. */
	if (step->trace == NULL)
		return passed;
	TEXT_FORMAT(text, format);
	step_event(step, step->attempt,
		   (struct event){ .kind = EVENT_CHECK, .detail = check, .status = status,
				   .text = trace_copy(step->trace, text_of(text)) });
	return passed;
}

/* "rbp of frame 12". Formatted by hand, because nearly every register of every step needs it. */
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
	const char *said =
		trace_copy(step->trace, (struct text){ text + at, sizeof(text) - at });
	const struct overlay_edit *edit =
		overlay_edit_of(step->walk, step->number, OVERLAY_REGISTER, reg);
	if (edit == NULL)
		return said;
	if (!edit->was_known)
		return trace_text(step->trace, "%s, edited, was unknown", said);
	return trace_text(step->trace, "%s, edited, was %#" PRIx64, said, edit->old);
}

uint32_t
step_input(struct step *step, int reg)
{
	if (step->trace == NULL || reg < 0)
		return TRACE_NONE;
	if (step->register_events[reg] != TRACE_NONE)
		return step->register_events[reg];
	/* Registers of the context frame are fields of the dump. */
	const struct place place =
		step->number == 0
			? crash_register_place(step->walk->crash, step->walk->context, reg)
			: (struct place){ 0 };
	step->register_events[reg] = trace_add(
		step->trace, step->attempt,
		&(struct event){ .kind = EVENT_INPUT, .reg = reg, .from = TRACE_NONE,
				 .value = step->inputs.value[reg],
				 .place = place,
				 .name = text_of(arch_spelled(step->arch, reg)),
				 .text = input_text(step, reg) });
	return step->register_events[reg];
}

static void
record_set(struct step *step, int reg, uint64_t value, enum event_status status, uint32_t from,
	   const char *text)
{
	if (step->trace == NULL)
		return;
	trace_add(step->trace, step->attempt,
		  &(struct event){ .kind = EVENT_SET, .reg = reg, .status = status, .from = from,
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

struct environment
step_environment(const struct walk *walk)
{
	return (struct environment){
		.arch = walk->arch,
		.memory = &walk->memory,
		.align_unchecked = walk->policy.value[POLICY_ALIGN_UNCHECKED] != 0,
	};
}

bool
step_value(const struct step *step, const struct rule *rule, uint64_t *value)
{
	const struct environment environment = step_environment(step->walk);
	struct outcome outcome;

	if (!rule_evaluate(rule, &environment, &step->inputs, NULL, NULL, &outcome))
		return false;
	*value = outcome.value;
	return true;
}

/* Runs one rule under an event of its own. */
static bool
run_rule(struct step *step, const struct rule *rule, const struct variable *cfa,
	 struct outcome *outcome)
{
	struct environment environment = step_environment(step->walk);
	const struct program *program = rule->program;
	uint32_t event = TRACE_NONE;
	char why[160];

	for (size_t i = 0; step->trace != NULL && i < program->name_count; i++)
		if (registers_known(&step->inputs, program->names[i].reg))
			step_input(step, program->names[i].reg);
	if (step->trace != NULL)
		event = trace_add(step->trace, step->attempt,
				  &(struct event){ .kind = EVENT_RULE, .reg = rule->reg,
						   .detail = (rule->delta ? TRACE_RULE_DELTA : 0) |
							     (rule->edited ? TRACE_RULE_EDITED : 0),
						   .from = TRACE_NONE,
						   .place = rule->edited ? rule->record
									 : program->place,
						   .name = rule->name,
						   .text = trace_copy(step->trace,
								      program->text) });
	environment.trace = step->trace;
	environment.parent = event;
	bool good = rule_evaluate(rule, &environment, &step->inputs, step->register_events, cfa,
				  outcome);
	/* Only for rules from a file: a method's own rules may read any address. */
	if (!good && outcome->failure == PROGRAM_UNREADABLE && step->absent == 0 &&
	    rule->recorded)
		step->absent = outcome->address;
	if (event == TRACE_NONE)
		return good;
	struct event *at = &step->trace->events[event];
	at->status = good ? EVENT_OK : EVENT_FAILED;
	at->value = outcome->value;
	at->from = outcome->from;
	if (!good) {
		program_explain(program, outcome, why, sizeof(why));
		step_event(step, event,
			   (struct event){ .kind = EVENT_RECORD, .status = EVENT_FAILED,
					   .text = trace_copy(step->trace, text_of(why)) });
	}
	trace_close(step->trace, event);
	return good;
}

static enum verdict_kind
refuse_rule(struct step *step, const struct rule *rule, const struct outcome *outcome)
{
	char why[160];

	return step_refuse(step, "the rule of %.*s fails: %s", (int)rule->name.length,
			   rule->name.start,
			   program_explain(rule->program, outcome, why, sizeof(why)));
}

enum verdict_kind
step_evaluate_set(struct step *step, const struct rule_set *set, struct outcome *outcomes)
{
	struct variable cfa = { .from = TRACE_NONE };

	if (set == NULL)
		return step_refuse(step, OUT_OF_MEMORY);
	if (set->note != NULL)
		step_fact(step, set->note_place, "%s", set->note);
	if (set->problem != NULL)
		return step_refuse(step, "%s", set->problem);
	const int first[] = { set->cfa, set->return_address };
	for (size_t i = 0; i < ARRAY_COUNT(first); i++) {
		if (first[i] < 0)
			continue;
		struct outcome *outcome = &outcomes[first[i]];

		if (!run_rule(step, &set->rules[first[i]], &cfa, outcome))
			return refuse_rule(step, &set->rules[first[i]], outcome);
		if (i == 0)
			cfa = (struct variable){ .value = outcome->value, .from = outcome->from,
						 .known = true };
	}
	for (size_t i = 0; i < set->count; i++)
		if ((int)i != set->cfa && (int)i != set->return_address)
			run_rule(step, &set->rules[i], &cfa, &outcomes[i]);
	return VERDICT_TAKEN;
}

struct arena *
step_arena(struct step *step)
{
	return step->trace != NULL ? &step->trace->arena : &step->walk->scratch;
}

const struct rule_set *
step_edited_rules(struct step *step, const struct rule_set *set)
{
	if (step->walk->overlay == NULL || set == NULL)
		return set;
	return overlay_rules(step->walk, step->number, step->method, set, step_arena(step));
}

enum verdict_kind
step_set_all(struct step *step, const struct rule_set *set, const struct outcome *outcomes,
	     struct frame *caller, const char *unknown)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct rule *rule = &set->rules[i];
		const bool failed = outcomes[i].failure != PROGRAM_OK;

		if (failed && unknown == NULL)
			return refuse_rule(step, rule, &outcomes[i]);
		if (failed && rule->target == RULE_REGISTER)
			step_unknown(step, rule->reg, unknown);
		else if (rule->target == RULE_REGISTER)
			step_set(step, caller, rule->reg, outcomes[i].value, outcomes[i].from,
				 "");
	}
	return VERDICT_TAKEN;
}

enum verdict_kind
step_run_rules(struct step *step, const struct rule_set *set, struct frame *caller)
{
	ATTRIBUTE_UNINITIALIZED struct outcome outcomes[LIMIT_RULES];

	set = step_edited_rules(step, set);
	if (step_evaluate_set(step, set, outcomes) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	return step_set_all(step, set, outcomes, caller, NULL);
}

enum verdict_kind
step_run_row(struct step *step, const struct rule_set *set, enum trust trust, struct frame *caller)
{
	ATTRIBUTE_UNINITIALIZED struct outcome outcomes[LIMIT_RULES];

	set = step_edited_rules(step, set);
	step_begin_caller(step, caller, trust);
	if (step_evaluate_set(step, set, outcomes) != VERDICT_TAKEN)
		return VERDICT_REFUSED;
	step_fill_caller(step, set, outcomes, caller);
	caller->guessed = step_rests_on_guess(step, set);
	if (!registers_known(&caller->registers, step->arch->pc) ||
	    !registers_known(&caller->registers, step->arch->sp))
		return step_refuse(step, "a register that a frame needs has no value");
	step_strip_register(step, caller, step->arch->pc);
	return VERDICT_TAKEN;
}

enum verdict_kind
step_run_text(struct step *step, struct frame *caller, const char *format, ...)
{
	char text[256];
	const struct rule_set *set;

	TEXT_FORMAT(text, format);
	if (step->trace == NULL) {
		set = rule_cache_made(step->walk->cache, step->arch, text);
	} else {
		const char *copy = arena_string(&step->trace->arena, text);

		set = copy == NULL ? NULL
				   : rule_set_text(&step->trace->arena, step->arch, text_of(copy),
						   (struct place){ 0 });
	}
	return set == NULL ? step_refuse(step, OUT_OF_MEMORY) : step_run_rules(step, set, caller);
}

enum verdict_kind
step_run_above(struct step *step, struct frame *caller, uint64_t offset)
{
	const struct arch *arch = step->arch;
	const char *sp = arch->registers[arch->sp].name;

	return step_run_text(step, caller, "%s: %s %" PRIu64 " + ^ %s: %s %" PRIu64 " +",
			     arch->registers[arch->pc].name, sp, offset, sp, sp,
			     offset + arch->word_size);
}

enum verdict_kind
step_run_constant(struct step *step, struct frame *caller, enum trust trust, const char *text)
{
	step_begin_caller(step, caller, trust);
	return step_run_rules(step, rule_cache_text(step->walk->cache, step->arch, text), caller);
}

bool
step_read(const struct step *step, uint64_t address, uint64_t *value)
{
	return memory_read(&step->walk->memory, arch_wrap(step->arch, address),
			   step->arch->word_size, value, NULL);
}

bool
step_function_at(const struct step *step, uint64_t address, bool covering,
		 struct function *function)
{
	const struct walk *walk = step->walk;

	if (walk->symbols == NULL)
		return false;
	const int module = module_map_find(&walk->modules, address);
	const struct symfile *symfile = walk_symfile(walk, module);
	if (symfile == NULL)
		return false;
	const uint64_t base = walk->crash->modules[module].base;
	if (!(covering ? symfile_covering_function(symfile, &walk->policy, address - base,
						   function)
		       : symbol_cache_function(walk->seen, symfile, &walk->policy,
					       address - base, function)))
		return false;
	function->address += base;
	return true;
}

bool
step_has_inlined(struct step *step)
{
	struct symbol symbol = { 0 };

	return step->symfile != NULL &&
	       symfile_lookup(step->symfile, &step->walk->policy, step->relative,
			      &step->walk->scratch, &symbol) &&
	       symbol.inline_count > 0;
}

void
step_aim(struct step *step, const struct frame *callee)
{
	const struct arch *arch = step->arch;
	const uint64_t *values = callee->registers.value;

	step->callee = callee;
	step->inputs = callee->registers;
	step->pc = values[arch->pc];
	step->sp = values[arch->sp];
	step->fp = values[arch->fp];
	step->passed.asked = false;
}

static void
begin_step(struct step *step, struct walk *walk, size_t number, struct trace *trace)
{
	const struct frame *callee = &walk->frames[number];

	*step = (struct step){ .walk = walk, .arch = walk->arch, .policy = &walk->policy,
			       .number = number, .trace = trace, .attempt = TRACE_NONE };
	step_aim(step, callee);
	/* Registers may be wider than addresses: wrap their values to the size of an address. */
	for (int reg = 0; reg < walk->arch->register_count; reg++)
		step->inputs.value[reg] = arch_wrap(walk->arch, step->inputs.value[reg]);
	step->symfile = walk_symfile(walk, callee->module);
	step->bottom = walk_bottom(walk, step->sp);
	if (callee->module != MODULE_NONE)
		step->relative = callee->lookup - walk->crash->modules[callee->module].base;
	step->bare_module = callee->bare_module;
}

static enum verdict_kind
attempt(struct step *step, uint32_t root, enum method_id id, struct frame *caller)
{
	const struct method *method = &methods[id];

	*caller = (struct frame){ .method = id };
	step->method = id;
	step->impossible = false;
	step->reason[0] = '\0';
	for (int reg = 0; reg < ARCH_REGISTERS; reg++)
		step->register_events[reg] = TRACE_NONE;
	step->attempt = step_event(step, root,
				   (struct event){ .kind = EVENT_ATTEMPT, .detail = id,
						   .text = method->name });
	enum verdict_kind kind =
		overlay_edit_of(step->walk, step->number, OVERLAY_FORBID, (int)id) != NULL
			? step_refuse(step, "a what-if edit forbids it for this frame")
			: method->attempt(step, caller);
	if (kind == VERDICT_TAKEN)
		kind = step_check_caller(step, caller);
	if (kind == VERDICT_TAKEN)
		step_compare_call(step, caller);
	if (step->attempt != TRACE_NONE) {
		const enum event_status status = kind == VERDICT_TAKEN ? EVENT_OK : EVENT_FAILED;

		step_event(
			step, step->attempt,
			(struct event){ .kind = EVENT_RESULT,
					.detail = kind,
					.status = status,
					.text = trace_copy(step->trace, text_of(step->reason)) });
		step->trace->events[step->attempt].status = status;
		trace_close(step->trace, step->attempt);
	}
	return kind;
}

/* Sets the caller's lookup address and the values that later steps do not compute again. */
static void
carry_counters(struct step *step, struct frame *caller)
{
	const struct frame *callee = step->callee;

	caller->scanned = callee->scanned;
	caller->inlined = callee->inlined;
	caller->bare_module = step->bare_module;
	caller->doubtful = caller->trust == TRUST_FRAME_POINTER && step->passed_return;
	caller->above_program = step_is_above_program(step);
	caller->parameters = -1;
	caller->parameters_innermost = callee->parameters_innermost;
	if (step->arch->stack_win) {
		caller->parameters = step_parameters(step);
		if (caller->parameters_innermost < 0)
			caller->parameters_innermost = step_recorded_parameters(step);
	}
	const uint64_t *values = caller->registers.value;
	const uint64_t pc = values[step->arch->pc];
	caller->trampoline = !caller->interrupted && step_policy(step, POLICY_SIGNAL_FRAMES) &&
			     step_is_trampoline_at(step, pc, values[step->arch->sp], true);
	const unsigned back = step_policy(step, POLICY_LONG_CALL_STEPS)
				      ? step->arch->long_call_step : step->arch->call_step;
	/* No call precedes a trampoline: the handler returns to the trampoline's first byte. */
	const int length = caller->trampoline ? step_return_step(step) : (int)back;
	caller->lookup = pc;
	if (!caller->interrupted)
		caller->lookup = arch_wrap(step->arch, pc - (uint64_t)(int64_t)length);
}

/* Whether the stack ends before any method is tried. */
static bool
is_at_end(struct step *step)
{
	if (step_policy(step, POLICY_END_OF_STACK) && step_is_outermost(step))
		return true;
	/* Other walkers give up without a stack, although a leaf function may need none. */
	if (!step_policy(step, POLICY_STACK_ONLY) || step->walk->memory.count != 0)
		return false;
	step_explain_end(step);
	return true;
}

/*
 * Whether a method in `list` leads to the stack's bottom; if the stack is damaged, none does. Only
 * other records contradict an end that is possible, such as return address 0. The trials leave no
 * trace and no log.
 */
static bool
finds_detour(const struct step *step, const enum method_id *list, size_t count)
{
	struct walk *walk = step->walk;
	struct memory_log *log = walk->memory.log;
	struct step quiet = *step;
	struct frame caller;
	const bool again = step->number >= walk->detour;
	bool found = again && step->impossible;

	quiet.trace = NULL;
	walk->memory.log = NULL;
	for (size_t i = 0; i < count && !found; i++) {
		if (walk_method_is_off(walk, list[i]) || !methods[list[i]].applies(&quiet) ||
		    (!step->impossible && methods[list[i]].source != METHOD_BY_RECORDS) ||
		    attempt(&quiet, TRACE_NONE, list[i], &caller) != VERDICT_TAKEN)
			continue;
		carry_counters(&quiet, &caller);
		found = again || walk_reaches_bottom(walk, step->number, &caller);
		if (found && !again) {
			walk->detour = step->number;
			walk->detour_method = list[i];
		}
	}
	walk->memory.log = log;
	return found;
}

/*
 * Tries the methods in order until one succeeds or ends the stack. If a record's caller is
 * impossible or ends the stack, it ends, unless another method's caller leads to the bottom.
 */
static enum verdict_kind
try_methods(struct step *step, uint32_t root, struct frame *caller, enum method_id *used)
{
	enum verdict_kind kind = VERDICT_REFUSED;
	enum method_id list[METHOD_COUNT], failed = METHOD_COUNT;
	const size_t count = method_order(step->arch->id, step->policy, list);
	char reason[sizeof(step->reason)];

	for (size_t i = 0; i < count && kind == VERDICT_REFUSED; i++) {
		if (walk_method_is_off(step->walk, list[i]) || !methods[list[i]].applies(step) ||
		    (failed != METHOD_COUNT && step->number == step->walk->detour &&
		     list[i] != step->walk->detour_method))
			continue;
		*used = list[i];
		kind = attempt(step, root, list[i], caller);
		if (kind != VERDICT_END ||
		    !(step->impossible || (step_policy(step, POLICY_END_OF_STACK) &&
					   methods[list[i]].source == METHOD_BY_RECORDS)))
			continue;
		const bool detour = finds_detour(step, list + i + 1, count - i - 1);

		if (failed == METHOD_COUNT && (step->impossible || detour)) {
			memcpy(reason, step->reason, sizeof(reason));
			failed = list[i];
		}
		if (detour)
			kind = VERDICT_REFUSED;
	}
	caller->detour = kind == VERDICT_TAKEN && failed != METHOD_COUNT;
	if (kind == VERDICT_TAKEN || (kind == VERDICT_END && failed == METHOD_COUNT))
		return kind;
	*used = failed;
	step->at_bottom = false;
	if (failed != METHOD_COUNT)
		memcpy(step->reason, reason, sizeof(reason));
	else
		step_explain_end(step);
	return VERDICT_END;
}

/* Tries one method; `*used` is unchanged if the method does not apply to the frame. */
static enum verdict_kind
try_method(struct step *step, uint32_t root, enum method_id id, struct frame *caller,
	   enum method_id *used)
{
	if (!method_is_of(step->arch->id, id))
		return step_refuse(step, "%s has no such method", step->arch->name);
	if (!methods[id].applies(step))
		return step_refuse(step, "%s", methods[id].misfit[0] != '\0' ? methods[id].misfit
				: "it does not apply to this frame");
	*used = id;
	return attempt(step, root, id, caller);
}

/* The only method that what-if edits allow for a frame; METHOD_COUNT: all. */
static enum method_id
forced_method(const struct walk *walk, size_t number)
{
	const struct overlay_edit *edit;

	if (overlay_edit_of(walk, number, OVERLAY_CANDIDATE, 0) != NULL)
		return method_is_of(walk->arch->id, METHOD_MIPS_SCAN) ? METHOD_MIPS_SCAN
								      : METHOD_SCAN;
	edit = overlay_edit_of(walk, number, OVERLAY_FORCE, 0);
	return edit != NULL ? edit->method : METHOD_COUNT;
}

void
unwind_step_by(struct walk *walk, size_t number, enum method_id alone, struct trace *trace,
	       struct frame *caller, struct verdict *verdict)
{
	const enum method_id forced =
		alone == METHOD_COUNT ? forced_method(walk, number) : METHOD_COUNT;
	enum verdict_kind kind = VERDICT_END;
	enum method_id used = METHOD_COUNT;
	char reason[sizeof(verdict->text)];
	struct step step;

	/* When out of memory, a walk has no frames. */
	if (number >= walk->count) {
		*caller = (struct frame){ 0 };
		*verdict = (struct verdict){ .kind = VERDICT_END, .method = METHOD_COUNT,
					     .text = OUT_OF_MEMORY };
		return;
	}
	begin_step(&step, walk, number, trace);
	const uint32_t root = step_event(&step, TRACE_NONE,
					 (struct event){ .kind = EVENT_STEP, .value = number });
	if (alone != METHOD_COUNT || forced != METHOD_COUNT)
		kind = try_method(&step, root, alone != METHOD_COUNT ? alone : forced, caller,
				  &used);
	else if (!is_at_end(&step))
		kind = try_methods(&step, root, caller, &used);
	if (kind == VERDICT_REFUSED && forced != METHOD_COUNT) {
		memcpy(reason, step.reason, sizeof(reason));
		kind = step_end(&step, "only %s is allowed for this frame, and it was refused: "
				       "%.120s", methods[forced].name, reason);
	}
	if (kind == VERDICT_TAKEN)
		carry_counters(&step, caller);
	*verdict = (struct verdict){ .kind = kind, .method = used, .bottom = step.at_bottom };
	memcpy(verdict->text, step.reason, sizeof(verdict->text));
	if (root != TRACE_NONE) {
		struct event *event = &trace->events[root];

		event->status = kind == VERDICT_TAKEN ? EVENT_OK : EVENT_FAILED;
		event->text = trace_copy(trace, text_of(step.reason));
		event->detail = kind;
		trace_close(trace, root);
	}
	arena_reset(&walk->scratch);
}

void
unwind_step(struct walk *walk, size_t number, struct trace *trace, struct frame *caller,
	    struct verdict *verdict)
{
	unwind_step_by(walk, number, METHOD_COUNT, trace, caller, verdict);
}
