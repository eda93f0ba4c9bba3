/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/compiler.h"
#include "base/sorted.h"
#include "code/call.h"
#include "code/instruction.h"
#include "inspect/frame_saves.h"
#include "inspect/variable/frame_variables.h"
#include "walk/location.h"

/* Reads a function's code to find the registers that it changed before its current instruction. */

/* Maximum size of a function that is read, in instructions and in bytes. */
enum { MOST_INSTRUCTIONS = 4096, MOST_CODE = 32768 };

struct function_step {
	uint64_t address, next;
	uint64_t target;		/* target of a jump; 0: none */
	uint64_t writes;
	unsigned kinds;
	bool anywhere;			/* a jump to an unknown target */
	bool leads;			/* the frame's instruction can be reached from here */
};

struct function_code {
	struct function_step *steps;	/* sorted by address */
	size_t count;
};

#define ALL_REGISTERS UINT64_MAX

/* Maximum length of a called function that is analysed, in instructions. */
enum { MOST_OF_LEAF = 8 };

/*
 * Treats the call of a short leaf function without jumps as one instruction that does all writes of
 * the function. 32-bit x86 code calls such functions to get its own address.
 */
static void
see_through(struct value_frame *frame, bool thumb, struct instruction *call)
{
	struct instruction at = { .address = call->target };
	uint64_t writes = call->writes;

	for (size_t i = 0; call->has_target && i < MOST_OF_LEAF; i++) {
		if (!instruction_at(&at, frame->walk->arch, frame->memory, frame->walk->binaries,
				    thumb, at.address + at.length) || at.length == 0)
			return;
		writes |= at.writes;
		if ((at.kinds & INSTRUCTION_RETURN) != 0) {
			call->writes = writes;
			call->kinds &= ~(unsigned)INSTRUCTION_CALL;
			return;
		}
		if ((at.kinds & (INSTRUCTION_CALL | INSTRUCTION_JUMP | INSTRUCTION_SYSTEM)) != 0)
			return;
	}
}

static bool
read_part(struct value_frame *frame, uint64_t low, uint64_t high, bool thumb,
	  struct function_code *code)
{
	const struct arch *arch = frame->walk->arch;
	struct instruction instruction;

	for (uint64_t at = low; at < high; at += instruction.length) {
		if (code->count == MOST_INSTRUCTIONS ||
		    !instruction_at(&instruction, arch, frame->memory, frame->walk->binaries, thumb,
				    at) || instruction.length == 0)
			return false;
		if ((instruction.kinds & INSTRUCTION_CALL) != 0)
			see_through(frame, thumb, &instruction);
		const bool jumps = (instruction.kinds & INSTRUCTION_JUMP) != 0;
		code->steps[code->count++] = (struct function_step){
			.address = at, .next = at + instruction.length,
			.target = jumps && instruction.has_target ? instruction.target : 0,
			.writes = instruction.writes, .kinds = instruction.kinds,
			.anywhere = jumps && !instruction.has_target };
	}
	return true;
}

SORTED_BY(compare, struct function_step, address)

/* Whether the code jumps out of the analysed range. Control may return from there. */
static bool
jumps_out(const struct function_code *code)
{
	for (size_t i = 0; i < code->count; i++) {
		const uint64_t target = code->steps[i].target;
		const size_t at = sorted_below(SORTED(code->steps, code->count, address), target);

		if (target != 0 && (at == code->count || code->steps[at].address != target))
			return true;
	}
	return false;
}

/* Whether an address is `stop`, or control can reach `stop` from the address. */
static bool
leads(const struct function_code *code, uint64_t address, uint64_t stop)
{
	const size_t at = sorted_below(SORTED(code->steps, code->count, address), address);

	return address == stop || (at < code->count && code->steps[at].address == address &&
				   code->steps[at].leads);
}

/* Marks the instructions from which control can reach `stop`. Only they can have run before it. */
static void
trace_back(struct function_code *code, uint64_t stop)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = code->count; i-- > 0;) {
			struct function_step *step = &code->steps[i];
			const bool ends = (step->kinds & INSTRUCTION_RETURN) != 0 ||
					  ((step->kinds & INSTRUCTION_JUMP) != 0 &&
					   (step->kinds & INSTRUCTION_CONDITIONAL) == 0);

			if (step->leads ||
			    !(step->anywhere || (!ends && leads(code, step->next, stop)) ||
			      (step->target != 0 && leads(code, step->target, stop))))
				continue;
			step->leads = more = true;
		}
	}
}

/* Reads all parts of a function's code; false if any is unreadable. */
static bool
read_function(struct value_frame *frame, const struct debug_scopes *scopes, uint64_t base,
	      bool thumb, struct function_code *code)
{
	uint64_t size = 0;

	for (size_t i = 0; i < scopes->code_count; i++)
		size += scopes->code[i].high - scopes->code[i].low;
	*code = (struct function_code){ 0 };
	if (scopes->code_count == 0 || size > MOST_CODE)
		return false;
	code->steps = arena_array(frame->arena,
				  size < MOST_INSTRUCTIONS ? (size_t)size : MOST_INSTRUCTIONS,
				  sizeof(*code->steps));
	if (code->steps == NULL)
		return false;
	for (size_t i = 0; i < scopes->code_count; i++)
		if (!read_part(frame, base + scopes->code[i].low, base + scopes->code[i].high,
			       thumb, code))
			return false;
	SORT(code->steps, code->count, compare);
	return true;
}

/* Registers written by all instructions, or only by instructions marked as `leads`. */
static uint64_t
written_by(const struct function_code *code, bool all)
{
	uint64_t changed = 0, any = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct function_step *step = &code->steps[i];

		any |= step->writes;
		if (!step->leads && !all)
			continue;
		if ((step->kinds & (INSTRUCTION_CALL | INSTRUCTION_SYSTEM)) != 0)
			return ALL_REGISTERS;
		changed |= step->writes;
	}
	/* Capstone does not list written registers for every processor. */
	return any != 0 ? changed : ALL_REGISTERS;
}

/* The only address outside a function that its code jumps to; 0: none, or several. */
static uint64_t
jumps_to(const struct function_code *code)
{
	uint64_t found = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct function_step *step = &code->steps[i];
		const size_t at = sorted_below(SORTED(code->steps, code->count, address),
					       step->target);
		const bool inside = at < code->count && code->steps[at].address == step->target;

		if (step->anywhere || (step->target != 0 && !inside && found != 0 &&
				       found != step->target))
			return 0;
		if (step->target != 0 && !inside)
			found = step->target;
	}
	return found;
}

/* Maximum number of tail calls between the caller's call and the frame's function. */
enum { MOST_JUMPS = 4 };

/*
 * Registers that changed between the caller's call and the entry of the frame's function. A direct
 * call changes none. A chain of tail calls changes those that its functions write.
 */
static uint64_t
changed_before(struct value_frame *frame, bool thumb)
{
	struct walk *walk = frame->walk;
	const struct arch *arch = walk->arch;
	const size_t caller = frame->number + 1,
		     module = (size_t)walk->frames[frame->number].module;
	const uint64_t base = walk->crash->modules[module].base;
	struct debug_scopes scopes;
	struct function_code code;
	uint64_t changed = 0;

	if (caller >= walk->count)
		return ALL_REGISTERS;
	const struct call_site call = call_find(
		arch, frame->memory, walk->binaries,
		arch_return_address(arch, walk->frames[caller].registers.value[arch->pc]));
	uint64_t target = arch_code(arch, call.target);
	if (call.answer != CALL_YES || !call.direct)
		return ALL_REGISTERS;
	for (size_t i = 0; target != base + frame->scopes.function; i++) {
		if (i == MOST_JUMPS || target < base ||
		    !debug_scopes_at(walk->binaries, module, target - base, frame->arena,
				     &scopes) ||
		    target != base + scopes.function ||
		    !read_function(frame, &scopes, base, thumb, &code))
			return ALL_REGISTERS;
		changed |= written_by(&code, true);
		target = jumps_to(&code);
	}
	return changed;
}

static bool
is_thumb(const struct value_frame *frame)
{
	const struct walk *walk = frame->walk;
	const struct frame *found = &walk->frames[frame->number];
	const uint64_t pc = found->registers.value[walk->arch->pc];

	return frame->number > 0 && !found->interrupted
		       ? (pc & walk->arch->mode_bit) != 0
		       : location_is_thumb(walk, &found->registers, pc);
}

/*
 * The registers that the frame's function may have written since its entry: bit n for register n.
 * All bits if unknown.
 */
static uint64_t
value_frame_written(struct value_frame *frame)
{
	struct walk *walk = frame->walk;
	const struct arch *arch = walk->arch;
	const struct frame *found = &walk->frames[frame->number];
	const uint64_t pc = found->registers.value[arch->pc];
	const bool called = frame->number > 0 && !found->interrupted;
	struct function_code code;

	if (frame->scopes.code_count == 0)
		return ALL_REGISTERS;
	const uint64_t base = walk->crash->modules[found->module].base;
	if (!called && arch_code(arch, pc) == base + frame->scopes.function)
		return 0;
	if (instruction_unsupported(arch) != NULL)
		return ALL_REGISTERS;
	if (!read_function(frame, &frame->scopes, base, is_thumb(frame), &code) ||
	    (frame->by_symbol && jumps_out(&code)))
		return ALL_REGISTERS;
	/* In a frame that made a call, execution is at the call. */
	uint64_t stop = arch_code(arch, pc);
	for (size_t i = 0; called && i < code.count; i++)
		if (code.steps[i].next == arch_code(arch, pc))
			stop = code.steps[i].address;
	trace_back(&code, stop);
	/* No path leads from the function's beginning to an exception handler. */
	return leads(&code, base + frame->scopes.function, stop) ? written_by(&code, false)
								 : ALL_REGISTERS;
}

static uint64_t
find_changed(struct value_frame *frame)
{
	if (frame->scopes.code_count == 0 || instruction_unsupported(frame->walk->arch) != NULL)
		return ALL_REGISTERS;
	const uint64_t before = changed_before(frame, is_thumb(frame));
	return before == ALL_REGISTERS ? before : before | value_frame_written(frame);
}

/* Number of addresses for which a walk caches the changed registers. */
enum { MEMO = 64 };

/* Results cached for a walk, because the frames of a recursion repeat the same few addresses. */
struct changed_memo {
	struct changed_answer {
		uint64_t pc, caller;
		bool called, known;
		uint64_t changed;
	} answers[MEMO];
	/* Result of the last query for each register */
	struct unchanged_answer {
		size_t frame;		/* 0: none */
		bool found;
		uint64_t value;
	} last[ARCH_REGISTERS];
};

/*
 * Registers that the function of frame `number` may have changed before the frame's position. Bit n
 * is for register n. All bits are set if its code cannot be analysed.
 */
static uint64_t
changed_in(struct value_frame *frame, size_t number)
{
	struct walk *walk = frame->walk;
	const int counter = walk->arch->pc;
	const struct frame *found = &walk->frames[number];
	const struct changed_answer asked = {
		.pc = found->registers.value[counter], .known = true,
		.caller = number + 1 < walk->count ? found[1].registers.value[counter] : 0,
		.called = number > 0 && !found->interrupted };
	struct changed_answer *answer =
		&walk->changed->answers[(asked.pc + 31 * asked.caller) % MEMO];

	if (answer->known && answer->pc == asked.pc && answer->caller == asked.caller &&
	    answer->called == asked.called)
		return answer->changed;
	struct value_frame *at = value_frame_make(walk, frame->memory, number, frame->arena);
	if (at == NULL)
		return ALL_REGISTERS;
	*answer = asked;
	return answer->changed = find_changed(at);
}

static bool
find_unchanged(struct value_frame *frame, int reg, uint64_t *value)
{
	const struct walk *walk = frame->walk;
	const struct unchanged_answer *last = &walk->changed->last[reg];

	for (size_t i = frame->number; i > 0; i--) {
		const struct registers *younger = &walk->frames[i - 1].registers;

		if (i == last->frame) {
			*value = last->value;
			return last->found;
		}
		if ((changed_in(frame, i - 1) >> reg & 1) != 0)
			return false;
		if (registers_known(younger, reg)) {
			*value = younger->value[reg];
			return true;
		}
	}
	return false;
}

bool
value_frame_unchanged(struct value_frame *frame, int reg, uint64_t *value)
{
	struct walk *walk = frame->walk;

	if (walk->changed == NULL)
		walk->changed = arena_alloc(&walk->arena, sizeof(*walk->changed));
	if (walk->changed == NULL)
		return false;
	struct unchanged_answer answer = { .frame = frame->number };
	answer.found = find_unchanged(frame, reg, &answer.value);
	walk->changed->last[reg] = answer;
	*value = answer.value;
	return answer.found;
}

/* Arguments at the entry ----------------------------------------------------------------------- */

/* Maximum number of words of arguments on the stack. */
enum { MOST_WORDS = 32 };

static void
find_register(struct value_frame *frame, uint64_t written, struct entry_argument *argument)
{
	const struct walk *walk = frame->walk;
	const struct registers *registers = &walk->frames[frame->number].registers;
	const bool at_entry = frame->number == 0 && frame->relative == frame->scopes.function;

	if ((written >> argument->reg & 1) != 0) {
		argument->why = "may have been written since the function's entry";
		return;
	}
	argument->known = registers_known(registers, argument->reg);
	argument->value = registers->value[argument->reg];
	if (!argument->known && frame->number > 0)
		argument->known = value_frame_unchanged(frame, argument->reg, &argument->value);
	argument->why = !argument->known ? "was not saved across the call"
			: at_entry	 ? "the function has just been entered"
					 : "nothing has written it since the function's entry";
}

static void
find_registers(struct value_frame *frame, struct entry_arguments *arguments)
{
	const struct arch_arguments *convention =
		crash_arguments(frame->walk->crash, frame->walk->arch);

	if (convention == NULL || frame->scopes.code_count == 0)
		return;
	arguments->items = arena_array(frame->arena, convention->count, sizeof(*arguments->items));
	if (arguments->items == NULL)
		return;
	const uint64_t written = value_frame_written(frame);
	for (size_t i = 0; i < convention->count; i++) {
		struct entry_argument *argument = &arguments->items[arguments->count++];

		argument->reg = convention->registers[i];
		find_register(frame, written, argument);
		arguments->known += argument->known;
	}
}

/* Arguments on the stack follow the return address. */
static void
find_words(struct value_frame *frame, struct entry_arguments *arguments)
{
	struct walk *walk = frame->walk;
	const unsigned word = walk->arch->word_size;
	const size_t caller = frame->number + 1;
	struct frame_saves saves;

	if (caller >= walk->count || walk->frames[caller].parameters < (int64_t)word ||
	    !frame_by_record(&walk->frames[caller]))
		return;
	arguments->words = (uint64_t)walk->frames[caller].parameters / word;
	frame_saves_make(&saves, walk, frame->number);
	const struct frame_save *returns = frame_saves_register(&saves, walk->arch->pc);
	const size_t count = arguments->words < MOST_WORDS ? (size_t)arguments->words : MOST_WORDS;
	arguments->items = arena_array(frame->arena, count, sizeof(*arguments->items));
	for (size_t i = 0; i < count && arguments->items != NULL && returns != NULL; i++) {
		struct entry_argument *argument = &arguments->items[arguments->count++];

		*argument = (struct entry_argument){ .reg = ARCH_NO_REGISTER,
						     .address = returns->address + (i + 1) * word };
		argument->known = memory_read(frame->memory, argument->address, word,
					      &argument->value, NULL);
		argument->why = argument->known ? NULL : "not in the dump";
		arguments->known += argument->known;
	}
}

void
entry_arguments_of(struct value_frame *frame, struct entry_arguments *arguments)
{
	*arguments = (struct entry_arguments){ 0 };
	if (frame->walk->arch->stack_win)
		find_words(frame, arguments);
	else
		find_registers(frame, arguments);
}
