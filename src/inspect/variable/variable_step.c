/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/variable_step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "inspect/frame_saves.h"
#include "inspect/variable/frame_variables.h"

/* Limits of nested rules, words and cells. */
enum { MOST_RULES = 80, MOST_WORDS = 16, MOST_CELLS = 64 };

struct step_maker {
	struct trace *trace;
	struct walk *walk;
	const struct memory_view *memory;
	uint32_t attempt;
	unsigned depth;			/* nesting depth of rules */
	/* Inputs that exist already. */
	struct made_input {
		size_t frame;
		uint64_t reg;
		uint32_t event;
	} *inputs;
	size_t input_count, input_capacity;
};

/* A rule being made, with the stack after its last token. */
struct rule_maker {
	struct step_maker *maker;
	struct value_frame *frame;
	const struct location_result *result;
	uint32_t rule, last;
	const struct location_cell *before;	/* stack after the last operation */
	const struct cell *cells[MOST_CELLS];	/* cells of that stack, lowest first */
	size_t depth;
	uint32_t *made;			/* for each operation: event of its last token */
	uint32_t *sources;		/* for each operation: event that gave its name a value */
};

static struct event
event_of(enum event_kind kind)
{
	return (struct event){ .kind = kind, .reg = ARCH_NO_REGISTER, .from = TRACE_NONE };
}

/* Adds a sentence to the attempt. */
static void
add_record(struct step_maker *maker, const char *text)
{
	struct event event = event_of(EVENT_RECORD);

	event.text = text_or_empty(text);
	trace_add(maker->trace, maker->attempt, &event);
}

/* Registers ------------------------------------------------------------------------------------ */

/* Describes the origin of a general register. */
static void
describe_register(const struct step_maker *maker, size_t frame, int reg, struct event *event)
{
	struct walk *walk = maker->walk;
	const struct frame_origin origin = frame_origin_of(walk, frame, reg);
	const char *text = trace_text(maker->trace, "%s of frame %zu",
				      walk->arch->registers[reg].label, frame);

	event->reg = reg;
	if (origin.kind == ORIGIN_SAVED) {
		text = trace_text(maker->trace, "%s, saved by frame %zu at %" PRIx64, text,
				  origin.frame, origin.address);
		event->place = memory_place(maker->memory, origin.address, walk->arch->word_size);
	} else if (origin.kind == ORIGIN_COMPUTED) {
		text = trace_text(maker->trace, "%s, computed by the step from frame %zu", text,
				  origin.frame);
	} else if (frame > 0) {
		text = trace_text(maker->trace, "%s, as in frame %zu: %s", text, origin.frame,
				  origin.kind == ORIGIN_KEPT
					  ? "no frame between has saved it"
					  : "no code that ran since has written it");
	}
	if (origin.frame == 0 && (origin.kind == ORIGIN_KEPT || origin.kind == ORIGIN_UNWRITTEN))
		event->place = crash_register_place(walk->crash, walk->context, reg);
	event->text = text;
}

static void
describe_wide(const struct step_maker *maker, struct value_frame *frame, uint64_t number,
	      const char *label, struct event *event)
{
	const struct wide_value *value =
		value_frame_wide(frame, arch_wide(maker->walk->arch, number));

	event->text = trace_text(maker->trace, "%s of frame %zu", label, frame->number);
	if (!value->in_memory)
		return;
	event->text = trace_text(maker->trace, "%s, saved by frame %zu at %" PRIx64, event->text,
				 value->by, value->address);
	event->place = memory_place(maker->memory, value->address, value->size);
}

/* Makes the input for a register of a frame, or reuses it. TRACE_NONE: no value. */
static uint32_t
input_of(struct step_maker *maker, struct value_frame *frame, uint64_t number)
{
	const struct arch *arch = maker->walk->arch;
	const int reg = number <= INT32_MAX ? arch_dwarf_register(arch, (int)number)
					    : ARCH_NO_REGISTER;
	struct event event = event_of(EVENT_INPUT);
	uint8_t bytes[VALUE_REGISTER];
	unsigned size = 0;

	for (size_t i = 0; i < maker->input_count; i++)
		if (maker->inputs[i].frame == frame->number && maker->inputs[i].reg == number)
			return maker->inputs[i].event;
	if (value_frame_register(frame, number, bytes, &size) != NULL)
		return TRACE_NONE;
	const char *label = value_register_label(arch, number, &maker->trace->arena);
	const unsigned low = size < 8 ? size : 8;
	const bool big = frame->memory->big_endian;
	event.value = reader_number(big ? bytes + size - low : bytes, low, big);
	event.name = text_of(reg != ARCH_NO_REGISTER ? arch_spelled(arch, reg) : label);
	if (reg != ARCH_NO_REGISTER)
		describe_register(maker, frame->number, reg, &event);
	else
		describe_wide(maker, frame, number, label, &event);
	const uint32_t made = trace_add(maker->trace, maker->attempt, &event);
	ARENA_ADD(&maker->trace->arena, maker->inputs, maker->input_count, maker->input_capacity,
		  &(struct made_input){ frame->number, number, made });
	return made;
}

static uint32_t
cfa_input(struct step_maker *maker, const struct value_frame *frame)
{
	struct event event = event_of(EVENT_INPUT);

	event.name = text_of(".cfa");
	event.value = frame->cfa;
	event.place = frame->cfa_place;
	event.text =
		trace_text(maker->trace, "CFA of frame %zu: %s", frame->number, frame->cfa_rule);
	return trace_add(maker->trace, maker->attempt, &event);
}

/* Tokens --------------------------------------------------------------------------------------- */

static uint32_t
add_token(struct rule_maker *rule, const char *name, unsigned detail)
{
	struct event event = event_of(EVENT_TOKEN);

	event.name = text_of(text_or_empty(name));
	event.detail = detail;
	rule->last = trace_add(rule->maker->trace, rule->rule, &event);
	return rule->last;
}

/* Records the stack after a token. */
static void
end_token(struct rule_maker *rule, uint32_t token, const struct cell *top)
{
	if (token == TRACE_NONE)
		return;
	rule->maker->trace->events[token].stack = top;
	trace_close(rule->maker->trace, token);
}

static const struct cell *
new_cell(struct rule_maker *rule, const struct cell *below, const char *name, uint64_t value,
	 uint32_t from)
{
	struct cell *cell = arena_alloc(&rule->maker->trace->arena, sizeof(*cell));

	if (cell == NULL)
		return NULL;
	*cell = (struct cell){ .below = below, .value = value, .known = true, .from = from };
	if (name != NULL)
		cell->name = text_of(name);
	return cell;
}

static const struct cell *
top_of(const struct rule_maker *rule)
{
	return rule->depth > 0 ? rule->cells[rule->depth - 1] : NULL;
}

/* Takes the stack after an operation; unchanged values keep their cells. */
static void
take_stack(struct rule_maker *rule, const struct location_step *step)
{
	size_t same = 0;

	while (same < rule->depth && same < step->depth &&
	       rule->before[same].made == step->stack[same].made &&
	       rule->before[same].value == step->stack[same].value)
		same++;
	for (size_t i = same; i < step->depth && i < MOST_CELLS; i++)
		rule->cells[i] = new_cell(rule, i > 0 ? rule->cells[i - 1] : NULL, NULL,
					  step->stack[i].value, rule->made[step->stack[i].made]);
	rule->depth = step->depth < MOST_CELLS ? step->depth : MOST_CELLS;
	rule->before = step->stack;
}

/* Adds tokens that add a number to the value on top. */
static void
add_sum(struct rule_maker *rule, const struct cell *top, int64_t added)
{
	struct arena *arena = &rule->maker->trace->arena;
	const bool minus = added < 0;
	const uint64_t number = minus ? 0 - (uint64_t)added : (uint64_t)added;
	const uint32_t token =
		add_token(rule, arena_format(arena, "%" PRIu64, number), OPERATION_NUMBER);

	end_token(rule, token, new_cell(rule, top, NULL, number, token));
	add_token(rule, minus ? "-" : "+", minus ? OPERATION_SUBTRACT : OPERATION_ADD);
}

/* Adds a name, and then the number that the operation adds to it. */
static void
add_name(struct rule_maker *rule, const struct location_step *step, uint32_t source)
{
	const uint32_t token = add_token(rule, step->name, OPERATION_NAME);

	if (step->added == 0 || step->why != NULL)
		return;
	const struct cell *top = new_cell(rule, top_of(rule), step->name, step->named, source);
	end_token(rule, token, top);
	add_sum(rule, top, step->added);
}

/* Adds a read of memory to the last token. */
static void
add_read(struct rule_maker *rule, uint64_t address, unsigned size, uint64_t value, bool there)
{
	struct event event = event_of(EVENT_READ);

	event.address = address;
	event.status = there ? EVENT_OK : EVENT_FAILED;
	event.value = value;
	event.from = top_of(rule) != NULL ? top_of(rule)->from : TRACE_NONE;
	event.place = memory_place(rule->maker->memory, address, size);
	trace_add(rule->maker->trace, rule->last, &event);
}

static const char *
read_word(const struct rule_maker *rule, unsigned size)
{
	return size == rule->maker->walk->arch->word_size
		       ? "^" : text_or_empty(arena_format(&rule->maker->trace->arena, "^%u", size));
}

/* The meaning of an operation that computes nothing. */
static const char *
meaning_of(const struct rule_maker *rule, const struct location_step *step)
{
	static const char *const meanings[][2] = {
		{ "stack_value", "the value itself, not where it is" },
		{ "implicit_value", "the bytes of the value" },
		{ "implicit_pointer", "a pointer to a value that has no address" },
		{ "piece", "a piece of the value, of this many bytes" },
		{ "bit_piece", "a piece of the value, of this many bits" },
	};
	const struct location_step *before = step > rule->result->steps ? step - 1 : NULL;
	const char *text = "";

	for (size_t i = 0; i < ARRAY_COUNT(meanings); i++)
		if (strstr(step->operation, meanings[i][0]) != NULL)
			text = meanings[i][1];
	const bool piece = strstr(step->operation, "piece") != NULL;
	return piece && (before == NULL || strstr(before->operation, "piece") != NULL)
		       ? "that part is optimised out" : text;
}

/* Adds the effect of an operation that the postfix language does not have. */
static void
add_other(struct rule_maker *rule, const struct location_step *step)
{
	struct trace *trace = rule->maker->trace;
	const struct cell *top = top_of(rule);
	const struct cell *below = top != NULL ? top->below : NULL;
	const bool computes = step->did == LOCATION_DID_COMPUTE;
	const char *text = "";

	if (step->did == LOCATION_DID_OTHER)
		text = meaning_of(rule, step);
	else if (computes && below != NULL)
		text = trace_text(trace, "%" PRIx64 " %s %" PRIx64, below->value, step->name,
				  top->value);
	else if (step->did == LOCATION_DID_CHANGE && top != NULL)
		text = trace_text(trace, "%s %" PRIx64, step->name, top->value);
	const uint32_t token = add_token(rule,
					 step->did == LOCATION_DID_OTHER || step->name == NULL
						 ? step->operation
						 : step->name,
					 OPERATION_OTHER);
	if (token != TRACE_NONE)
		trace->events[token].text = text;
}

/* The postfix operator of an operation with two operands. */
static unsigned
operation_of(const char *word)
{
	static const char words[] = "+-*/%";
	const char *found = word[0] != '\0' && word[1] == '\0' ? strchr(words, word[0]) : NULL;

	return found == NULL ? OPERATION_OTHER : OPERATION_ADD + (unsigned)(found - words);
}

/* Adds a rule for a value in a register: the register's name. */
static void
add_register(struct rule_maker *rule, const struct location_step *step, uint32_t source)
{
	struct trace *trace = rule->maker->trace;
	const char *label = value_register_label(rule->maker->walk->arch, (uint64_t)step->reg,
						 &trace->arena);
	const uint32_t token =
		add_token(rule, arena_format(&trace->arena, "$%s", label), OPERATION_NAME);

	if (token == TRACE_NONE)
		return;
	if (source != TRACE_NONE) {
		end_token(rule, token, new_cell(rule, NULL, text_or_empty(arena_format(
							&trace->arena, "$%s", label)),
						trace->events[source].value, source));
		return;
	}
	trace->events[token].status = EVENT_FAILED;
	trace->events[token].text = trace_text(trace, rule->frame->number > 0
						       ? "register %s was not saved across the call"
						       : "register %s is not in the dump", label);
}

static void
add_operation(struct rule_maker *rule, const struct location_step *step, uint32_t source)
{
	struct trace *trace = rule->maker->trace;
	struct arena *arena = &trace->arena;

	switch (step->did) {
	case LOCATION_DID_NUMBER:
		add_token(rule, step->depth == 0 ? step->operation
						 : arena_format(arena, step->top > 0xffff
								? "0x%" PRIx64 : "%" PRIu64,
								step->top), OPERATION_NUMBER);
		break;
	case LOCATION_DID_NAME:
		add_name(rule, step, source);
		break;
	case LOCATION_DID_ADD:
		add_sum(rule, top_of(rule), step->added);
		break;
	case LOCATION_DID_READ:
		add_token(rule, read_word(rule, step->size), OPERATION_READ);
		add_read(rule, step->address, step->size, step->top, step->why == NULL);
		break;
	case LOCATION_DID_COMPUTE:
		if (operation_of(step->name) != OPERATION_OTHER) {
			add_token(rule, step->name, operation_of(step->name));
			break;
		}
		add_other(rule, step);
		break;
	default:
		add_other(rule, step);
	}
}

/* Adds the tokens of an operation, with the stack after it. */
static void
add_step(struct rule_maker *rule, size_t index)
{
	const struct location_step *step = &rule->result->steps[index];
	struct trace *trace = rule->maker->trace;
	const uint32_t source = rule->sources[index];

	if (step->did == LOCATION_DID_OTHER && step->reg >= 0) {
		add_register(rule, step, source);
		return;
	}
	add_operation(rule, step, source);
	rule->made[index] = rule->last;
	take_stack(rule, step);
	if (rule->last == TRACE_NONE)
		return;
	struct event *token = &trace->events[rule->last];
	if (step->did == LOCATION_DID_NAME && step->added == 0 && rule->depth > 0 &&
	    step->why == NULL) {
		/* A name stays on the stack as a name. */
		const struct cell *named = new_cell(rule, rule->cells[rule->depth - 1]->below,
						    step->name, step->named, source);
		if (named != NULL)
			rule->cells[rule->depth - 1] = named;
	}
	if (step->why != NULL) {
		token->status = EVENT_FAILED;
		token->text = step->why;
	}
	end_token(rule, rule->last, step->why == NULL ? top_of(rule) : NULL);
}

/* Rules ---------------------------------------------------------------------------------------- */

/* Adds a read of the value to the last token, if the value is in memory and has up to 8 bytes. */
static void
add_value(struct rule_maker *rule, const struct variable_value *variable)
{
	const struct debug_type *type = variable->value.type;
	uint64_t value;

	if (!variable->value.in_memory || !type->has_size || type->size == 0 ||
	    type->size > sizeof(value) || value_is_composite(type) || rule->last == TRACE_NONE)
		return;
	const unsigned size = (unsigned)type->size;
	const uint64_t address = variable->value.address;
	const bool there = value_read_number(rule->frame, address, size, &value);
	const uint32_t token = add_token(rule, read_word(rule, size), OPERATION_READ);
	add_read(rule, address, size, value, there);
	if (token == TRACE_NONE)
		return;
	if (!there) {
		rule->maker->trace->events[token].status = EVENT_FAILED;
		rule->maker->trace->events[token].text =
			trace_text(rule->maker->trace, "memory at 0x%" PRIx64 " is not in the dump",
				   address);
	}
	end_token(rule, token, there ? new_cell(rule, NULL, NULL, value, token) : NULL);
}

static void
end_rule(const struct rule_maker *rule)
{
	const struct location_part *part = &rule->result->parts[0];
	struct trace *trace = rule->maker->trace;

	if (rule->rule == TRACE_NONE)
		return;
	struct event *event = &trace->events[rule->rule];
	trace_close(trace, rule->rule);
	if (part->kind == LOCATION_ABSENT)
		event->status = EVENT_FAILED;
	if (rule->result->count > 1 ||
	    (part->kind != LOCATION_MEMORY && part->kind != LOCATION_VALUE))
		return;
	event->from = rule->last;
	event->value = part->number;
}

static uint32_t
add_rule(struct step_maker *maker, struct value_frame *frame,
	 const struct debug_expression *expression, const struct location_result *result,
	 const char *name, const struct variable_value *variable);

/* Finds the inputs and earlier rules that give a rule's names their values. */
static void
find_sources(struct rule_maker *rule)
{
	struct step_maker *maker = rule->maker;

	for (size_t i = 0; i < rule->result->step_count; i++) {
		const struct location_step *step = &rule->result->steps[i];
		const bool named = step->did == LOCATION_DID_NAME && step->name != NULL;
		const struct location_answer *answer = step->answer;

		rule->made[i] = rule->sources[i] = TRACE_NONE;
		/* A frame base that is a register or the CFA needs no rule. */
		if (named && answer != NULL && answer->frame == rule->frame &&
		    answer->result != NULL &&
		    answer->result->parts[0].kind == LOCATION_REGISTER)
			rule->sources[i] = input_of(maker, rule->frame,
						    answer->result->parts[0].number);
		else if (named && answer != NULL && step->name[0] != '$' && step->name[0] != '.' &&
			 answer->result != NULL)
			rule->sources[i] = add_rule(maker, answer->frame, &answer->expression,
						    answer->result, step->name, NULL);
		else if (named && strcmp(step->name, ".cfa") == 0)
			rule->sources[i] = cfa_input(maker, rule->frame);
		else if (step->reg >= 0)
			rule->sources[i] = input_of(maker, rule->frame, (uint64_t)step->reg);
	}
}

/* Adds a rule after the rules it needs; returns its last token. `variable`: the rule locates it. */
static uint32_t
add_rule(struct step_maker *maker, struct value_frame *frame,
	 const struct debug_expression *expression, const struct location_result *result,
	 const char *name, const struct variable_value *variable)
{
	struct arena *arena = &maker->trace->arena;
	const size_t count = result->step_count;
	struct event event = event_of(EVENT_RULE);
	struct rule_maker rule = { .maker = maker, .frame = frame, .result = result,
				   .rule = TRACE_NONE, .last = TRACE_NONE };

	rule.made = arena_array(arena, count + 1, sizeof(*rule.made));
	rule.sources = arena_array(arena, count + 1, sizeof(*rule.sources));
	if (rule.made == NULL || rule.sources == NULL || maker->depth == MOST_RULES)
		return TRACE_NONE;
	maker->depth++;
	find_sources(&rule);
	maker->depth--;
	event.name = text_of(name);
	event.text = text_or_empty(
		dwarf_expression_text(&expression->dwarf, maker->walk->arch, arena));
	if (maker->depth > 0)
		event.text = text_or_empty(arena_format(arena, "%s, for frame %zu", event.text,
							frame->number));
	rule.rule = trace_add(maker->trace, maker->attempt, &event);
	for (size_t i = 0; i < count && rule.rule != TRACE_NONE; i++)
		add_step(&rule, i);
	if (variable != NULL)
		add_value(&rule, variable);
	end_rule(&rule);
	return rule.last;
}

/* Variables ------------------------------------------------------------------------------------ */

/* Adds each word of a value that has several words, with its place in the dump. */
static void
add_words(struct step_maker *maker, const struct typed_value *value)
{
	const struct value_frame *frame = value->frame;
	const unsigned word = maker->walk->arch->word_size;
	const uint64_t size = value->type->size;

	for (uint64_t at = 0; at < size && at / word < MOST_WORDS; at += word) {
		const size_t wanted = size - at < word ? (size_t)(size - at) : word;
		struct event event = event_of(EVENT_FIELD);
		uint8_t bytes[8];

		if (value_read(frame, value->address + at, bytes, wanted) < wanted)
			return;
		event.name = text_of(text_or_empty(text_hex(
			bytes, wanted, arena_alloc(&maker->trace->arena, 2 * wanted + 1))));
		event.text = trace_text(maker->trace, "at %" PRIx64 ", +%" PRIu64,
					value->address + at, at);
		event.place = memory_place(maker->memory, value->address + at, wanted);
		trace_add(maker->trace, maker->attempt, &event);
	}
}

/* Records the variable's value, or the reason why it has none. */
static void
add_outcome(struct step_maker *maker, const struct variable_step *step, uint32_t from)
{
	const struct typed_value *value = &step->value.value;
	struct event event = event_of(EVENT_SET);

	event.name = text_of(step->name);
	event.from = from;
	event.status = value->why == NULL ? EVENT_OK : EVENT_FAILED;
	event.text = value->why != NULL ? value->why : "";
	if (value->why == NULL && value_number(value, &event.value) != NULL) {
		event.text =
			value->in_memory
				? trace_text(maker->trace, "the address of its %" PRIu64 " bytes",
					     value->type->size)
				: trace_text(maker->trace, "%" PRIu64 " bytes", value->type->size);
		event.value = value->in_memory ? value->address : 0;
		event.status = value->in_memory ? EVENT_OK : EVENT_NOTE;
	}
	if (value->why == NULL && value->in_memory &&
	    (value_is_composite(value->type) || value->type->size > sizeof(uint64_t)))
		add_words(maker, value);
	trace_add(maker->trace, maker->attempt, &event);
}

static void
add_variable(struct step_maker *maker, struct value_frame *variables,
	     const struct debug_variable *variable, const struct variable_step *step)
{
	const struct variable_value *value = &step->value;
	const struct debug_location location =
		debug_locate(&variable->entry, DEBUG_LOCATION, variables->relative);
	struct arena *arena = &maker->trace->arena;
	uint32_t last = TRACE_NONE;

	const char *declared = variable->line == 0 ? ""
			       : arena_format(arena, ", declared in line %" PRIu32, variable->line);

	add_record(maker, arena_format(arena, "%s %s of type %s%s",
				       variable->argument ? "argument" : "variable", step->name,
				       value->value.type->name, text_or_empty(declared)));
	if (value->how != NULL)
		add_record(maker, arena_format(arena, "location: %s", value->how));
	if (value->result != NULL)
		last = add_rule(maker, variables, &location.expression, value->result,
				step->name, value);
	add_outcome(maker, step, last);
}

/* Removes all values of a redacted crash from a trace; facts from files stay. */
static void
hide_values(struct trace *trace)
{
	for (size_t i = 0; i < trace->count; i++) {
		struct event *event = &trace->events[i];

		event->stack = NULL;
		event->from = TRACE_NONE;
		event->value = event->address = 0;
		if (event->kind == EVENT_TOKEN) {
			event->detail = OPERATION_OTHER;
			event->text = "";
		} else if (event->kind == EVENT_FIELD || event->kind == EVENT_READ ||
			   event->kind == EVENT_INPUT) {
			event->kind = EVENT_RECORD;
			event->text = "a word of memory or a register: redacted";
		}
	}
}

/* The variable at a place; NULL: none. */
static const struct debug_variable *
variable_at(struct value_frame *variables, struct variable_place place,
	    struct arena *arena)
{
	const struct debug_scopes *scopes = &variables->scopes;
	struct debug_variable *list = NULL;
	size_t count = 0;

	if (place.call < scopes->count) {
		list = scopes->items[place.call].variables;
		count = scopes->items[place.call].count;
	} else if (place.call == scopes->count) {
		count = frame_variables_globals(variables, arena, &list);
	}
	return place.number < count ? &list[place.number] : NULL;
}

bool
variable_place_named(struct value_frame *variables, struct text name, size_t from,
		     struct arena *arena, struct variable_place *place)
{
	const size_t calls = variables->scopes.count + 1;
	const struct debug_variable *variable;

	for (size_t i = 0; i < calls; i++) {
		*place = (struct variable_place){ .call = (from + i) % calls };
		for (; (variable = variable_at(variables, *place, arena)) != NULL; place->number++)
			if (text_is(name, variable->name))
				return true;
	}
	return false;
}

bool
variable_step_make(struct step_view *view, struct walk *walk, const struct memory_view *memory,
		   size_t frame, struct variable_place place)
{
	struct step_maker maker = { .trace = &view->trace, .walk = walk, .memory = memory };
	struct event event = event_of(EVENT_STEP);

	*view = (struct step_view){ .walk = walk, .frame = frame, .reach = TRACE_NONE,
				    .asked = TRACE_NONE, .asked_register = ARCH_NO_REGISTER,
				    .verdict.kind = VERDICT_REFUSED };
	trace_init(&view->trace);
	struct arena *arena = &view->trace.arena;
	struct variable_step *step = arena_alloc(arena, sizeof(*step));
	struct value_frame *variables = frame_variables_of(walk, memory, frame, arena);
	const struct debug_variable *variable =
		variables != NULL ? variable_at(variables, place, arena) : NULL;
	if (variable == NULL || step == NULL)
		return false;
	variables->records = true;
	*step = (struct variable_step){
		.name = *variable->name != '\0' ? variable->name : "(unnamed)",
		.argument = variable->argument };
	if (!variable_value_of(variables, variable, arena, &step->value))
		return false;
	view->variable = step;
	const uint32_t whole = trace_add(maker.trace, TRACE_NONE, &event);
	event = event_of(EVENT_ATTEMPT);
	event.text = text_or_empty(arena_format(arena, "%s", step->name));
	event.status = step->value.value.why == NULL ? EVENT_OK : EVENT_FAILED;
	maker.attempt = trace_add(maker.trace, whole, &event);
	add_variable(&maker, variables, variable, step);
	trace_close(maker.trace, maker.attempt);
	trace_close(maker.trace, whole);
	if (walk->crash->redacted)
		hide_values(maker.trace);
	step_view_count(view);
	return true;
}
