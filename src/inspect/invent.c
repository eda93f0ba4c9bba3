/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/invent.h"

#include "base/checked.h"
#include "base/compiler.h"
#include "crash/memory.h"
#include "inspect/recorded_step.h"

enum {
	BELOW = 1 << 18,	/* bytes of stack below the CFA; larger frames are rare */
	ABOVE = 256,		/* bytes of stack above the CFA, all 0 */
	RED_ZONE = 128,		/* bytes shown below the stack pointer */
	/* distance from the first stack pointer to the CFA */
	FRAME = 0x100,
	POINTER = 0xc0,		/* distance between the targets of two registers */
	TRIALS = 16,
	MOST_WORDS = 128,	/* maximum number of words read by the rules */
	NEAR = 1 << 20,		/* bytes between a register and a value computed from it */
	CALLER_SIZE = 0x10000,	/* bytes of the caller's code */
	CALL_STEP = 16,	/* maximum bytes from a caller's pc to the return address */
	REGISTER = 8,		/* bytes of a register in the made-up file */
};

/* Numbers that are easy to distinguish, for 64-bit and for 32-bit processors. */
static const struct invented_numbers {
	uint64_t stack;		/* the CFA */
	uint64_t caller;	/* address of the caller's code */
	uint64_t kept;		/* caller's value of register 0 */
	uint64_t own;		/* the function's own value of register 0 */
	uint64_t local;		/* a word of the function */
	unsigned shift;		/* position of a register's number in values */
} numbers[] = {
	{ UINT64_C(0x3f57ac0000), UINT64_C(0x3ca11e0000), UINT64_C(0xca11e00000000000),
	  UINT64_C(0x0e0f000000000000), UINT64_C(0x10ca100000000000), 32 },
	{ UINT64_C(0x57ac0000), UINT64_C(0x3ca10000), UINT64_C(0xca100000),
	  UINT64_C(0x0e000000), UINT64_C(0x10ca1000), 12 },
};

struct invention {
	struct crash *crash;
	const struct invent_options *options;
	const struct arch *arch;
	const struct invented_numbers *number;
	struct registers registers;
	uint64_t on_stack;		/* bit n: register n points into the stack */
	uint64_t return_address;
	bool by_record;			/* the rules are a record's */
	uint8_t *bytes;			/* memory from `base` on, then the registers */
	uint64_t base;
	struct memory_region *region;
	struct {
		uint64_t address, value;
	} words[MOST_WORDS];		/* words that rules read */
	size_t word_count;
};

static bool
is_in_stack(const struct invention *invention, uint64_t address)
{
	return address >= invention->base &&
	       address < invention->number->stack + ABOVE;
}

/* Whether an address may be computed from a stack pointer: that of a large frame is far below. */
static bool
is_in_reach(const struct invention *invention, uint64_t address)
{
	return address - invention->base < 2 * (uint64_t)BELOW;
}

static uint64_t
value_of(const struct invention *invention, uint64_t kind, int reg)
{
	return arch_wrap(invention->arch, kind + ((uint64_t)reg << invention->number->shift));
}

/* The register that an address or value was probably computed from, or ARCH_NO_REGISTER. */
static int
register_near(const struct invention *invention, uint64_t value)
{
	uint64_t least = NEAR;
	int found = ARCH_NO_REGISTER;

	for (int reg = 0; reg < invention->arch->register_count; reg++) {
		const uint64_t has = invention->registers.value[reg];
		const uint64_t distance = checked_distance(value, has);

		if (reg != invention->arch->pc && !(invention->on_stack >> reg & 1) &&
		    distance < least) {
			least = distance;
			found = reg;
		}
	}
	return found;
}

/* Writes the current stack and registers. */
static void
write_bytes(struct invention *invention)
{
	const unsigned word = invention->arch->word_size;
	struct crash_context *context = &invention->crash->threads[0].context;
	const bool big = invention->crash->reader.big_endian;
	uint64_t local = invention->number->local;

	for (uint64_t i = BELOW + ABOVE; i >= word; i -= word) {
		const uint64_t at = i - word;

		reader_put_number(invention->bytes + at, word, big, at < BELOW ? local++ : 0);
	}
	for (size_t i = 0; i < invention->word_count; i++)
		reader_put_number(
			invention->bytes + (invention->words[i].address - invention->base), word,
			big, invention->words[i].value);
	for (int reg = 0; reg < invention->arch->register_count; reg++)
		reader_put_number(invention->bytes + BELOW + ABOVE + REGISTER * reg, REGISTER,
				  big, invention->registers.value[reg]);
	context->registers = invention->registers;
}

/* Sets a word that rules read. Returns whether its value changed. */
static bool
put_word(struct invention *invention, uint64_t address, uint64_t value)
{
	size_t i = 0;

	if (!is_in_stack(invention, address) ||
	    !is_in_stack(invention, address + invention->arch->word_size - 1))
		return false;
	while (i < invention->word_count && invention->words[i].address != address)
		i++;
	if (i == MOST_WORDS || (i < invention->word_count && invention->words[i].value == value))
		return false;
	invention->word_count += i == invention->word_count;
	invention->words[i].address = address;
	invention->words[i].value = value;
	return true;
}

static bool
set_register(struct invention *invention, int reg, uint64_t value)
{
	if (reg == ARCH_NO_REGISTER || invention->registers.value[reg] == value)
		return false;
	registers_set(&invention->registers, reg, value);
	return true;
}

/* Lets a register point into the stack. The next trial shows the register's distance to the CFA. */
static bool
put_on_stack(struct invention *invention, int reg)
{
	if (reg == ARCH_NO_REGISTER || (invention->on_stack >> reg & 1))
		return false;
	invention->on_stack |= UINT64_C(1) << reg;
	return set_register(invention, reg,
			    invention->registers.value[invention->arch->sp] + POINTER);
}

/* Moves all registers that point into the stack, so that the CFA has its intended address. */
static bool
shift(struct invention *invention, uint64_t by)
{
	for (int reg = 0; reg < invention->arch->register_count; reg++)
		if (invention->on_stack >> reg & 1)
			registers_set(&invention->registers, reg,
				      arch_wrap(invention->arch,
						invention->registers.value[reg] + by));
	invention->word_count = 0;
	return true;
}

/* The last read in the rule that gave the value of `set`; TRACE_NONE: it read nothing. */
static uint32_t
read_of_rule(const struct trace *trace, uint32_t set)
{
	const uint32_t from = trace->events[set].from;
	const uint32_t behind = from < trace->count ? trace_read_behind(trace, from) : TRACE_NONE;

	if (behind != TRACE_NONE || from >= trace->count)
		return behind;
	const uint32_t read = trace_previous(trace, from, EVENT_READ);
	const uint32_t rule = trace_ancestor(trace, from, EVENT_RULE);
	/* A program has many results, each with its own reads. */
	return read != TRACE_NONE && rule != TRACE_NONE && rule < read &&
			       !text_is(trace->events[rule].name, "program")
		       ? read
		       : TRACE_NONE;
}

/* Handles event `set`, in which the rules set the caller's stack pointer. */
static bool
take_stack_pointer(struct invention *invention, const struct trace *trace, uint32_t set)
{
	const uint64_t value = trace->events[set].value, cfa = invention->number->stack;
	const uint32_t read = read_of_rule(trace, set);

	if (value == cfa)
		return false;
	/* The value is a word of the stack plus an offset: change the word, keep the offset. */
	if (read != TRACE_NONE && is_in_stack(invention, trace->events[read].address))
		return put_word(invention, trace->events[read].address,
				cfa - (value - trace->events[read].value));
	if (is_in_reach(invention, value))
		return shift(invention, cfa - value);
	return put_on_stack(invention, register_near(invention, value));
}

/* Handles a register of the caller: puts its value where the rules read it. */
static bool
take_register(struct invention *invention, const struct trace *trace, uint32_t set)
{
	const struct event *event = &trace->events[set];
	const bool is_pc = event->reg == invention->arch->pc;
	const bool returns = is_pc || event->reg == invention->arch->lr;
	const uint32_t read = read_of_rule(trace, set);
	/* Without records, a caller's frame pointer points to its frame, whose words are 0. */
	const uint64_t wanted = returns ? invention->return_address
				: event->reg == invention->arch->fp && !invention->by_record
					? invention->number->stack + ABOVE / 4
				      : value_of(invention, invention->number->kept, event->reg);

	/* The pc of a caller may be a few bytes before the return address. */
	if (read != TRACE_NONE &&
	    trace->events[read].value - event->value <= (is_pc ? CALL_STEP : 0)) {
		/* A value saved on the stack need not stay in the register. */
		bool changed = put_word(invention, trace->events[read].address, wanted);

		if (!returns && !(invention->on_stack >> event->reg & 1))
			changed |= set_register(invention, event->reg,
						value_of(invention, invention->number->own,
							 event->reg));
		return changed;
	}
	if (!is_pc || wanted - event->value <= CALL_STEP)
		return false;
	return set_register(invention, register_near(invention, event->value), wanted);
}

/* The first attempt that ran a rule, else the last attempt. */
static uint32_t
attempt_of(const struct trace *trace)
{
	uint32_t attempt = TRACE_NONE;

	while ((attempt = trace_next(trace, attempt, EVENT_ATTEMPT)) != TRACE_NONE)
		for (uint32_t i = attempt; i < trace->events[attempt].end; i++)
			if (trace->events[i].kind == EVENT_RULE)
				return attempt;
	return trace_previous(trace, TRACE_NONE, EVENT_ATTEMPT);
}

/* Handles a read outside the stack: corrects the register or word that gave its address. */
static bool
take_read(struct invention *invention, const struct trace *trace, uint32_t attempt, uint32_t read)
{
	const uint64_t address = trace->events[read].address;

	if (put_on_stack(invention, register_near(invention, address)))
		return true;
	if (is_in_reach(invention, address))
		return shift(invention, invention->number->stack - invention->arch->word_size -
						address);
	for (uint32_t i = read; i-- > attempt;) {
		const struct event *before = &trace->events[i];

		if (before->kind == EVENT_READ && before->value - address + NEAR <= 2 * NEAR)
			return put_word(invention, before->address, invention->number->stack);
	}
	return false;
}

/* Corrects registers or the stack according to the trace of a trial. False: nothing changed. */
static bool
learn(struct invention *invention, const struct trace *trace)
{
	const uint32_t attempt = attempt_of(trace);
	bool changed = false;

	if (attempt == TRACE_NONE)
		return false;
	const uint32_t record = trace_next(trace, attempt, EVENT_RECORD);
	invention->by_record = record < trace->events[attempt].end;
	const uint32_t end = trace->events[attempt].end;
	for (uint32_t i = attempt; i < end && !changed; i++) {
		const struct event *event = &trace->events[i];

		if (event->kind == EVENT_READ && !is_in_stack(invention, event->address))
			changed = take_read(invention, trace, attempt, i);
		else if (event->kind == EVENT_SET && event->reg == invention->arch->sp &&
			 event->status != EVENT_FAILED)
			changed = take_stack_pointer(invention, trace, i);
	}
	for (uint32_t i = attempt; i < end && !changed; i++) {
		const struct event *event = &trace->events[i];

		if (event->kind == EVENT_SET && event->reg != ARCH_NO_REGISTER &&
		    event->reg != invention->arch->sp && event->status != EVENT_FAILED)
			changed = take_register(invention, trace, i);
	}
	return changed;
}

/* Sets the registers before the first trial: callee-saved ones to the caller's values. */
static void
begin_registers(struct invention *invention)
{
	const struct arch *arch = invention->arch;
	const uint64_t stack = invention->number->stack;

	for (int reg = 0; reg < arch->register_count; reg++)
		registers_set(&invention->registers, reg,
			      value_of(invention,
				       arch->registers[reg].callee_saved ? invention->number->kept
									 : invention->number->own,
				       reg));
	registers_set(&invention->registers, arch->pc, invention->options->pc);
	registers_set(&invention->registers, arch->sp, stack - FRAME);
	invention->on_stack = UINT64_C(1) << arch->sp;
	if (arch->lr != ARCH_NO_REGISTER)
		registers_set(&invention->registers, arch->lr, invention->return_address);
}

/* Makes the mappings, by address: the module, the caller's code, the stack. */
static void
make_mappings(const struct invention *invention, struct mapping *mappings)
{
	struct crash *crash = invention->crash;
	const struct module *module = &crash->modules[0];
	const struct mapping made[] = {
		{ .base = module->base, .size = module->size, .readable = true,
		  .executable = true, .name = module->code_file, .text = "r-xp" },
		{ .base = invention->number->caller, .size = CALLER_SIZE, .readable = true,
		  .executable = true, .name = "[invented caller]", .text = "r-xp" },
		{ .base = invention->base, .size = BELOW + ABOVE, .readable = true,
		  .writable = true, .name = "[invented stack]", .text = "rw-p" },
	};

	crash->mappings = mappings;
	for (size_t i = 0; i < ARRAY_COUNT(made); i++) {
		size_t at = crash->mapping_count;

		/* A mapping that overlaps the module's is left out. */
		if (at > 0 && made[i].base - made[0].base < made[0].size)
			continue;
		for (; at > 0 && mappings[at - 1].base > made[i].base; at--)
			mappings[at] = mappings[at - 1];
		mappings[at] = made[i];
		crash->mapping_count++;
	}
}

/* Makes the thread, its memory and the code of its caller; all empty. */
static bool
begin_crash(struct invention *invention)
{
	struct crash *crash = invention->crash;
	const size_t size = BELOW + ABOVE + REGISTER * (size_t)ARCH_REGISTERS;
	struct mapping *mappings = arena_array(&crash->arena, 3, sizeof(*mappings));

	crash->threads = arena_array(&crash->arena, 1, sizeof(*crash->threads));
	crash->regions = arena_array(&crash->arena, 1, sizeof(*crash->regions));
	invention->bytes = arena_array(&crash->arena, size, 1);
	if (mappings == NULL || crash->threads == NULL || crash->regions == NULL ||
	    invention->bytes == NULL ||
	    !file_borrow(&crash->file, "invented", invention->bytes, size))
		return false;
	/* Pointer authentication codes are above the address bits of user programs. */
	if (invention->arch->signs_pointers)
		crash->address_mask = UINT64_C(0xffff000000000000);
	make_mappings(invention, mappings);
	crash->reader.input = &crash->file.input;
	crash->reader.data = crash->file.data;
	crash->reader.size = crash->file.size;
	crash->format = "invented";
	crash->requesting_thread = 0;
	crash->thread_count = crash->region_count = 1;
	invention->region = &crash->regions[0];
	*invention->region = (struct memory_region){
		.base = invention->base, .size = BELOW + ABOVE, .available = BELOW + ABOVE,
		.data = invention->bytes };
	crash->threads[0].stack = invention->region;
	crash->threads[0].name = "invented";
	struct crash_context *context = &crash->threads[0].context;
	context->present = true;
	context->arch = invention->arch;
	context->layout = "invented";
	context->place = (struct place){ .input = &crash->file.input, .offset = BELOW + ABOVE };
	for (int reg = 0; reg < invention->arch->register_count; reg++)
		context->register_offset[reg] = BELOW + ABOVE + REGISTER * (uint64_t)reg;
	memory_index(crash);
	return true;
}

/* Drops the memory below the stack pointer, except the red zone. */
static void
trim(struct invention *invention)
{
	struct memory_region *region = invention->region;
	struct thread *thread = &invention->crash->threads[0];
	const uint64_t sp = invention->registers.value[invention->arch->sp];
	const uint64_t skip = sp >= invention->base + RED_ZONE && is_in_stack(invention, sp)
				      ? (sp - invention->base - RED_ZONE) & ~UINT64_C(15) : 0;

	region->base += skip;
	region->data += skip;
	region->offset += skip;
	region->size -= skip;
	region->available = region->size;
	region->place = (struct place){ .input = &invention->crash->file.input,
					.offset = region->offset };
	thread->stack_start = region->base;
	thread->stack_size = region->size;
	invention->crash->run_count = 0;
	memory_index(invention->crash);
}

bool
invent_thread(struct crash *crash, const struct invent_options *options)
{
	const struct arch *arch = crash->system.arch;
	struct invention invention = {
		.crash = crash, .options = options, .arch = arch,
		.number = &numbers[arch->word_size == 8 ? 0 : 1],
	};
	bool changed = true;

	invention.base = invention.number->stack - BELOW;
	invention.return_address = invention.number->caller + 0x1000;
	begin_registers(&invention);
	if (!begin_crash(&invention))
		return false;
	for (unsigned trial = 0; trial < TRIALS && changed; trial++) {
		struct step_view step;

		write_bytes(&invention);
		struct walk *walk = walk_create(crash, options->symbols, options->binaries, 0,
						options->policy);
		if (walk == NULL)
			return false;
		step_view_make(&step, walk, 0);
		changed = learn(&invention, &step.trace);
		step_view_free(&step);
		walk_free(walk);
	}
	write_bytes(&invention);
	trim(&invention);
	crash->invented = arena_format(
		&crash->arena, "no crash: %s with invented registers and stack", options->where);
	return crash->invented != NULL;
}
