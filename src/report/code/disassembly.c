/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/code/disassembly.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "code/call.h"
#include "report/code/disassembly_internal.h"
#include "report/report.h"
#include "walk/frame_rules.h"
#include "walk/location.h"
#include "walk/symbol_at.h"

/* Bytes shown before and after an address whose function is unknown. */
#define BEFORE 96u
#define BEHIND 256u
/* Limit of disassembled bytes: a larger function is cut to the bytes around the address. */
#define MOST_BYTES 0x20000u
/* Bytes decoded before the first shown byte to find an instruction boundary. */
#define SETTLING 64u

/* Rows that the arrow of a jump may span. */
#define ARROW_ROWS 256u

/* State while rows are planned: the position in the function's lines, calls and rules. */
struct sweep {
	struct disassembly *out;
	size_t line, call, rule;		/* indices of the next line, call and rule */
	uint32_t shown_line;			/* last line that has a row; 0: none */
	struct text shown_file;
	uint32_t stack[LIMIT_INLINE_DEPTH];	/* inlined calls around the address */
	size_t depth;
	uint32_t innermost;			/* innermost call that has a row */
};

static bool
runs_thumb(const struct disassembly *out, uint64_t address)
{
	const struct arch *arch = out->around->arch;
	const enum arch_thumb thumb = arch_thumb(arch, &out->frame.registers);

	if ((address & arch->mode_bit) != 0)
		return true;
	if (out->has_frame && thumb != ARCH_THUMB_UNTOLD)
		return thumb == ARCH_THUMB_YES;
	if (out->has_frame && out->frame.interrupted)
		return location_is_thumb(out->options.walk, &out->frame.registers, address);
	return arch->mode_bit != 0 && out->has_frame &&
	       call_find(arch, &out->around->memory, out->around->binaries, address | 1).answer ==
		       CALL_YES;
}

bool
disassembly_decode(const struct disassembly *out, uint64_t address,
		   struct instruction *instruction)
{
	/* The code of modules is shown even if the crash is redacted. */
	if (out->around->crash->redacted &&
	    module_map_find(&out->around->modules, address) == MODULE_NONE)
		return false;
	return instruction_at(instruction, out->around->arch, &out->around->memory,
			      out->around->binaries, out->thumb, address);
}

bool
disassembly_other(const struct disassembly *out, uint64_t address, size_t length, uint8_t *bytes,
		  struct place *place)
{
	uint8_t here[INSTRUCTION_WINDOW];
	size_t ours = memory_copy(&out->around->memory, address, here, length, NULL);
	size_t theirs = binaries_read(out->around->binaries, address, bytes, length, place);

	return ours == length && theirs == length && memcmp(here, bytes, length) != 0;
}

static bool
add_row(struct disassembly *out, enum disassembly_kind kind, uint64_t address, uint64_t length,
	uint32_t item)
{
	return ARENA_ADD(
		&out->arena, out->rows, out->count, out->capacity,
		&(struct disassembly_row){
			.address = address, .length = length, .item = item, .kind = kind });
}

/* Distance in bytes between addresses where an instruction can begin. */
static unsigned
unit(const struct disassembly *out)
{
	return out->thumb ? 2 : out->around->arch->code_unit;
}

/* Length of an instruction that capstone cannot decode (AVX-512, for example); unknown: 1 unit. */
static unsigned
unknown_length(const struct disassembly *out, uint64_t address)
{
	const struct arch *arch = out->around->arch;
	uint8_t bytes[INSTRUCTION_WINDOW];
	unsigned length = 0;

	if (arch_pushes_return(arch) && arch->word_size == 8 && !out->around->crash->redacted)
		length = x86_length(bytes, surroundings_read(out->around, address, bytes,
							     sizeof(bytes), NULL, NULL));
	return length > 0 ? length : unit(out);
}

/*
 * Find an instruction boundary about BEFORE bytes before `known`. Decode from each address. If a
 * decoding reaches `known`, each of its instructions gets votes: the number of instructions since
 * the last one that compilers never emit. (x86 decoded from a wrong start recovers after a few
 * instructions.) Then go back from `known`, each time to the instruction with the most votes.
 */
static uint64_t
boundary_before(const struct disassembly *out, uint64_t known)
{
	const unsigned step = unit(out);
	uint8_t lengths[BEFORE + SETTLING] = { 0 };
	bool odd[BEFORE + SETTLING] = { false };
	uint32_t votes[BEFORE + SETTLING + 1] = { 0 };
	const size_t most = known < sizeof(lengths) ? (size_t)known : sizeof(lengths);
	const uint64_t first = known - most / step * step;
	const size_t count = (size_t)(known - first);
	struct instruction instruction;
	size_t at;

	for (size_t i = 0; i < count; i += step) {
		const bool decoded = disassembly_decode(out, first + i, &instruction) &&
				     instruction.length <= count - i;
		const unsigned length = decoded ? instruction.length
						: unknown_length(out, first + i);

		if (decoded || length > step)
			lengths[i] = (uint8_t)length;
		/* Compilers emit no privileged instructions, and zeros are data. */
		odd[i] = lengths[i] != 0 &&
			((instruction.kinds & (INSTRUCTION_PRIVILEGED | INSTRUCTION_TRAP)) != 0 ||
				(instruction.bytes[0] == 0 && instruction.bytes[1] == 0));
	}
	for (size_t i = 0; i < count; i += step) {
		for (at = i; at < count && lengths[at] != 0; at += lengths[at])
			continue;
		uint32_t passed = 0;
		for (size_t j = i; at == count && j < count; j += lengths[j])
			votes[j] += passed = odd[j] ? 0 : passed + 1;
	}
	at = count;
	while (count - at < BEFORE) {
		size_t best = at;

		for (size_t i = at < INSTRUCTION_WINDOW ? 0 : at - INSTRUCTION_WINDOW; i < at; i++)
			if (lengths[i] != 0 && i + lengths[i] == at &&
			    (best == at || votes[i] > votes[best]))
				best = i;
		if (best == at)
			break;
		at = best;
	}
	return first + at;
}

/* Adds a row for the source line at `address` if it differs from the last line shown. */
static bool
add_line(struct sweep *sweep, uint64_t address)
{
	const struct function_body *body = &sweep->out->body;
	const uint64_t relative = address - sweep->out->name.base;

	while (sweep->line < body->line_count &&
	       body->lines[sweep->line].address + body->lines[sweep->line].size - 1 < relative)
		sweep->line++;
	if (sweep->line == body->line_count || body->lines[sweep->line].address > relative)
		return true;
	const struct source_line *line = &body->lines[sweep->line];
	if (line->line == sweep->shown_line && text_equal(line->file, sweep->shown_file))
		return true;
	sweep->shown_line = line->line;
	sweep->shown_file = line->file;
	return add_row(sweep->out, DISASSEMBLY_SOURCE, address, 0, (uint32_t)sweep->line);
}

/* Adds a row where the chain of inlined calls changes. */
static bool
add_calls(struct sweep *sweep, uint64_t address)
{
	const struct function_body *body = &sweep->out->body;
	const uint64_t relative = address - sweep->out->name.base;

	for (; sweep->call < body->call_count && body->calls[sweep->call].address <= relative;
	     sweep->call++) {
		while (sweep->depth > 0) {
			const struct inline_call *top =
				&body->calls[sweep->stack[sweep->depth - 1]];

			if (top->address + top->size - 1 >= body->calls[sweep->call].address)
				break;
			sweep->depth--;
		}
		if (sweep->depth < LIMIT_INLINE_DEPTH)
			sweep->stack[sweep->depth++] = (uint32_t)sweep->call;
	}
	while (sweep->depth > 0 &&
	       body->calls[sweep->stack[sweep->depth - 1]].address +
			       body->calls[sweep->stack[sweep->depth - 1]].size - 1 < relative)
		sweep->depth--;
	const uint32_t innermost =
		sweep->depth > 0 ? sweep->stack[sweep->depth - 1] : DISASSEMBLY_NO_ITEM;
	if (innermost == sweep->innermost)
		return true;
	sweep->innermost = innermost;
	sweep->shown_line = 0;
	return add_row(sweep->out, DISASSEMBLY_CALLS, address, 0, innermost);
}

/* Adds a row if rules change up to `address`; moves `*next` to the first rule after `address`. */
static bool
add_rules(struct disassembly *out, size_t *next, uint64_t address)
{
	const struct rule_table *table = out->rule_table;
	const size_t first = *next;

	if (table == NULL)
		return true;
	/* A rule that begins inside an instruction applies after it. Show only the last rule. */
	for (; *next < table->count && table->rows[*next].address + out->name.base <= address;
	     ++*next)
		continue;
	size_t at = *next;
	while (at > first && table->rows[at - 1].kind == RULE_ROW_RECORD)
		at--;
	return at == first ||
	       add_row(out, DISASSEMBLY_RULES, address, 0, (uint32_t)(at - 1));
}

/* Notes about the frame's instruction ---------------------------------------------------------- */

/* Maximum number of instructions searched backwards for the last write of a register. */
#define MOST_LOOKED_BACK 512u

static void
add_note(struct disassembly *out, uint64_t address, const char *text, uint64_t memory)
{
	if (text != NULL && ARENA_ADD(&out->arena, out->notes, out->note_count, out->note_capacity,
				      &(struct disassembly_note){ text, memory }))
		add_row(out, DISASSEMBLY_NOTE, address, 0, (uint32_t)out->note_count - 1);
}

/* The state of the memory at the address of an access. */
static const char *
state_of(const struct disassembly *out, const struct instruction_access *access, uint64_t address)
{
	const struct crash *crash = out->around->crash;
	const struct mapping *mapping = crash_mapping(crash, address);
	const bool stored = memory_run_of(&out->around->memory, address) != NULL;

	if (!stored && crash_is_unmapped(crash, address))
		return "nothing is mapped there";
	if (mapping != NULL && access->written && !mapping->writable)
		return "is not writable";
	if (mapping != NULL && access->read && !mapping->readable)
		return "is not readable";
	if (mapping != NULL || stored)
		return stored ? "is in the dump" : "mapped, not in the dump";
	return "not in the dump";
}

static void
note_access(struct disassembly *out, const struct instruction *instruction,
	    const struct instruction_access *access)
{
	const char *verb = access->read && access->written ? "reads and writes"
			   : access->written		     ? "writes"
							     : "reads";
	char operand[96], size[32] = "memory";
	uint64_t address;

	if (access->size != 0)
		snprintf(size, sizeof(size), "%u byte%s", access->size,
			 plural(access->size));
	instruction_operand(access, out->around->arch, operand, sizeof(operand));
	if (!instruction_address(access, &out->frame.registers, &address)) {
		add_note(out, instruction->address,
			 arena_format(&out->arena, "%s %s at %s: the address is not known", verb,
				      size, operand[0] != '\0' ? operand : "a hidden base"), 0);
		return;
	}
	add_note(out, instruction->address,
		 arena_format(&out->arena, "%s %s at %s%s0x%" PRIx64 ": %s", verb, size, operand,
			      operand[0] != '\0' ? " = " : "", address,
			      state_of(out, access, address)), address);
}

/* Notes the nearest preceding instruction that wrote a register used in an address. */
static void
note_writer(struct disassembly *out, const struct instruction *instruction, int reg)
{
	const uint64_t at = instruction->address;
	struct instruction before;
	size_t looked = 0;

	if (reg == ARCH_NO_REGISTER || reg == out->around->arch->pc ||
	    reg == out->around->arch->sp)
		return;
	for (size_t row = out->count; row-- > 0 && looked < MOST_LOOKED_BACK;) {
		if (out->rows[row].kind != DISASSEMBLY_INSTRUCTION ||
		    out->rows[row].address >= at)
			continue;
		looked++;
		if (!disassembly_decode(out, out->rows[row].address, &before))
			return;
		if ((before.writes >> reg & 1) == 0)
			continue;
		add_note(out, at,
			 arena_format(&out->arena, "%s: the nearest write above is at %#" PRIx64
				      ", %s", out->around->arch->registers[reg].label,
				      before.address, before.text), 0);
		return;
	}
}

/* Adds notes about the frame's instruction: its registers, and its memory accesses. */
static void
add_notes(struct disassembly *out, const struct instruction *instruction)
{
	const struct arch *arch = out->around->arch;
	const uint64_t pc = out->frame.registers.value[arch->pc];

	if (!out->has_frame)
		return;
	if (out->called) {
		add_note(out, instruction->address,
			 (instruction->kinds & INSTRUCTION_CALL) != 0
				 ? arena_format(&out->arena, "this call made frame %zu; it returns "
						"to %0*" PRIx64, out->options.frame - 1,
						out->digits, arch_return_address(arch, pc))
				 : arena_format(&out->arena, "not a call, but frame %zu returns "
							     "after it: the frame may be wrong",
						out->options.frame - 1), 0);
		return;
	}
	/* "reads rax 0x0, rcx 0x8" */
	struct output_string reads;

	output_string_init(&reads, &out->arena);
	for (int reg = 0; reg < arch->register_count; reg++) {
		if ((instruction->reads >> reg & 1) == 0 || reg == arch->pc)
			continue;
		output_format(&reads.output, "%s%s ", reads.length > 0 ? ", " : "reads ",
			      arch->registers[reg].label);
		if (registers_known(&out->frame.registers, reg))
			output_format(&reads.output, "0x%" PRIx64,
				      out->frame.registers.value[reg]);
		else
			output_plain(&reads.output, "(lost)");
	}
	if (reads.length > 0)
		add_note(out, instruction->address, reads.text, 0);
	for (size_t i = 0; i < instruction->access_count; i++)
		note_access(out, instruction, &instruction->accesses[i]);
	for (size_t i = 0; i < instruction->access_count; i++)
		if (!instruction->accesses[i].implicit) {
			note_writer(out, instruction, instruction->accesses[i].base);
			note_writer(out, instruction, instruction->accesses[i].index);
		}
}

/* Instructions --------------------------------------------------------------------------------- */

static bool
add_instruction(struct sweep *sweep, const struct instruction *instruction)
{
	struct disassembly *out = sweep->out;
	const uint64_t address = instruction->address;
	uint8_t other[INSTRUCTION_WINDOW];

	if (!add_calls(sweep, address) || !add_line(sweep, address) ||
	    !add_rules(out, &sweep->rule, address) ||
	    !add_row(out, DISASSEMBLY_INSTRUCTION, address, instruction->length, 0))
		return false;
	if (instruction->length > out->widest)
		out->widest = instruction->length;
	if (instruction->from_file) {
		out->file_bytes += instruction->length;
		out->file = instruction->place.input != NULL ? instruction->place.input->name
							      : NULL;
	} else {
		out->dump_bytes += instruction->length;
		if (disassembly_other(out, address, instruction->length, other, NULL) &&
		    !add_row(out, DISASSEMBLY_PATCHED, address, instruction->length, 0))
			return false;
	}
	if (out->marked && out->address - address < instruction->length)
		add_notes(out, instruction);
	return true;
}

/* Adds a row for missing or undecodable bytes. Returns their number; 0: out of memory. */
static uint64_t
add_other(struct disassembly *out, uint64_t address, uint64_t limit)
{
	uint8_t byte;
	uint64_t next = address + unknown_length(out, address);

	if (surroundings_read(out->around, address, &byte, 1, NULL, NULL) != 0) {
		if (next > limit || next < address)
			next = limit;
		return add_row(out, DISASSEMBLY_BYTES, address, next - address, 0)
			       ? next - address : 0;
	}
	/* The gap ends at the next run of memory, or at `limit`. */
	const struct memory_view *memory = &out->around->memory;
	size_t low = sorted_below(SORTED(memory->runs, memory->count, base), address);
	next = low < memory->count && memory->runs[low].base < limit ? memory->runs[low].base
								     : limit;
	return add_row(out, DISASSEMBLY_GAP, address, next - address, 0) ? next - address
										  : 0;
}

static void
make_rows(struct disassembly *out)
{
	struct sweep sweep = { .out = out, .innermost = DISASSEMBLY_NO_ITEM };
	uint64_t address = out->start;
	struct instruction instruction;

	while (address < out->end) {
		const uint64_t limit = address < out->known ? out->known : out->end;
		uint64_t length;

		/* An instruction must not extend past a known boundary. */
		if (disassembly_decode(out, address, &instruction) &&
		    instruction.length <= limit - address) {
			length = instruction.length;
			if (!add_instruction(&sweep, &instruction))
				return;
		} else {
			length = add_other(out, address, limit);
		}
		if (length == 0)
			return;
		address += length;
	}
}

static void
find_bounds(struct disassembly *out)
{
	if (surroundings_name(out->around, out->address, &out->name) && !out->name.data &&
	    out->name.size != 0 &&
	    out->address - out->name.start < out->name.size) {
		out->whole = true;
		out->start = out->name.start;
		out->end = out->name.size > UINT64_MAX - out->start ? UINT64_MAX
								     : out->start + out->name.size;
		if (out->thumb)
			out->start &= ~UINT64_C(1);
	}
	out->seen = surroundings_symfile(out->around, out->name.module);
	if (out->name.module != MODULE_NONE) {
		const struct symbol_sources sources =
			surroundings_sources(out->around, out->name.module);

		symbol_at_body(&sources, out->address, &out->arena, &out->body);
	}
	for (size_t i = 0; i < out->body.call_count; i++)
		out->body.calls[i].name =
			surroundings_shown(out->around, out->body.calls[i].name);
}

/* Finds where unwind rules change, according to the module's first source that covers the code. */
static void
find_rules(struct disassembly *out)
{
	const struct walk *walk = out->options.walk;
	struct rule_module module = { .arch = out->around->arch, .policy = &out->around->policy,
				      .symfile = out->name.symfile };

	/* Hide the rules while the user is asked to predict them. */
	if (out->name.module == MODULE_NONE || out->end <= out->start ||
	    out->start < out->name.base || (walk != NULL && walk->horizon.blind == BLIND_RULE))
		return;
	if (walk != NULL && out->seen != NULL)
		module = frame_rules_module(walk, out->name.module);
	rule_tables_init(&out->rules, &out->arena, out->around->arch, out->start - out->name.base,
			 out->end - 1 - out->name.base);
	rule_tables_add_all(&out->rules, &module);
	for (size_t i = 0; i < out->rules.count && out->rule_table == NULL; i++)
		if (out->rules.tables[i].count > 0)
			out->rule_table = &out->rules.tables[i];
}

/* Limits the rows to addresses near the instruction if the bounds are unknown or too far apart. */
static void
narrow_bounds(struct disassembly *out)
{
	const uint64_t half = MOST_BYTES / 2;

	if (out->whole && out->end - out->start <= MOST_BYTES)
		return;
	const uint64_t first = out->whole ? out->start : 0;
	const uint64_t last = out->whole ? out->end : UINT64_MAX;
	const uint64_t before = out->whole ? half : BEFORE, behind = out->whole ? half : BEHIND;
	out->start = out->known - first <= before ? first
						    : boundary_before(out, out->known);
	out->end = last - out->known <= behind ? last : out->known + behind;
	out->whole = false;
}

/* Finds the frame's instruction: the one at the pc, or the call before the return address. */
static void
find_mark(struct disassembly *out)
{
	const struct arch *arch = out->around->arch;
	const uint64_t pc = out->frame.registers.value[arch->pc];

	out->marked = true;
	out->known = out->address = arch_code(arch, pc);
	if (out->frame.interrupted || out->frame.trampoline)
		return;
	const struct call_site site = call_find(arch, &out->around->memory,
						out->around->binaries,
						out->thumb ? pc | 1
							   : arch_return_address(arch, pc));
	out->called = true;
	out->address = arch_code(arch, out->frame.lookup);
	if (site.answer == CALL_YES && site.length != 0)
		out->known = out->address = arch_code(arch, site.address);
}

/* Why the code at an address cannot be shown; NULL: it can be shown. */
static const char *
why_nothing(const struct disassembly *out)
{
	uint8_t byte;
	const bool elsewhere =
		module_map_find(&out->around->modules, out->address) == MODULE_NONE;

	if (out->around->crash->redacted && elsewhere)
		return "process memory is omitted (--redact), and no module is here";
	if (surroundings_read(out->around, out->address, &byte, 1, NULL, NULL) == 0)
		return elsewhere ? "the address lies in no module, and the dump has no memory there"
		     : "neither the dump nor a module's file has the code at this address; "
		       "--binaries sets directories with such files";
	return NULL;
}

/* Arrows --------------------------------------------------------------------------------------- */

struct disassembly_jump {
	size_t from, to;		/* rows of the jump and of its target */
	size_t rows;			/* distance between these, in rows */
};

/*
 * Draws the arrows of jumps. Each has its own lane in the rows that it spans; short arrows have
 * inner lanes. A jump without a free lane, or over too many rows, shows only its distance.
 */

SORTED_BY_ALL(compare_jumps, struct disassembly_jump, SORTED_UP(rows) SORTED_UP(from))

static bool
is_free(const struct disassembly *out, const struct disassembly_jump *jump, unsigned lane)
{
	const size_t first = jump->from < jump->to ? jump->from : jump->to;

	for (size_t row = first; row <= first + jump->rows; row++) {
		const struct disassembly_row *at = &out->rows[row];

		if ((at->passing | at->above | at->below) & 1u << lane)
			return false;
	}
	return true;
}

static void
draw(struct disassembly *out, const struct disassembly_jump *jump, unsigned lane)
{
	const size_t first = jump->from < jump->to ? jump->from : jump->to;
	const size_t last = first + jump->rows;

	for (size_t row = first + 1; row < last; row++)
		out->rows[row].passing |= (uint8_t)(1u << lane);
	out->rows[first].above |= (uint8_t)(1u << lane);
	out->rows[last].below |= (uint8_t)(1u << lane);
	out->rows[jump->to].entered = true;
	if (lane + 1 > out->lanes)
		out->lanes = lane + 1;
}

/* Collects the jumps to other rows that are short enough to draw. */
static struct disassembly_jump *
collect(const struct disassembly *out, struct arena *arena, size_t *count)
{
	struct disassembly_jump *jumps = NULL;
	size_t capacity = 0;
	struct instruction instruction;

	*count = 0;
	for (size_t row = 0; row < out->count; row++) {
		if (out->rows[row].kind != DISASSEMBLY_INSTRUCTION ||
		    !disassembly_decode(out, out->rows[row].address, &instruction) ||
		    (instruction.kinds & INSTRUCTION_JUMP) == 0 || !instruction.has_target)
			continue;
		const size_t to = disassembly_row(out, instruction.target);
		const size_t rows = to > row ? to - row : row - to;
		if (out->rows[to].address != instruction.target || rows == 0 ||
		    rows > ARROW_ROWS)
			continue;
		if (!ARENA_ADD(arena, jumps, *count, capacity,
			       &(struct disassembly_jump){ row, to, rows }))
			break;
	}
	return jumps;
}

static void
draw_jumps(struct disassembly *out)
{
	struct arena arena = { 0 };
	size_t count;

	struct disassembly_jump *jumps = collect(out, &arena, &count);
	SORT(jumps, count, compare_jumps);
	for (size_t i = 0; i < count; i++)
		for (unsigned lane = 0; lane < DISASSEMBLY_LANES; lane++)
			if (is_free(out, &jumps[i], lane)) {
				draw(out, &jumps[i], lane);
				break;
			}
	arena_free(&arena);
}

struct disassembly *
disassembly_create(const struct disassembly_options *options)
{
	struct disassembly *out = calloc(1, sizeof(*out));
	const struct arch *arch = options->around->arch;

	if (out == NULL)
		return NULL;
	out->options = *options;
	out->around = options->around;
	out->has_frame = options->walk != NULL && options->frame < options->walk->count;
	if (out->has_frame)
		out->frame = options->walk->frames[options->frame];
	out->digits = report_digits(arch);
	if (options->of_frame && out->has_frame) {
		out->thumb = runs_thumb(out, out->frame.registers.value[arch->pc]);
		find_mark(out);
	} else {
		out->thumb = runs_thumb(out, options->address);
		out->known = out->address =
			options->address - (out->thumb && (options->address & 1));
	}
	out->why_not = why_nothing(out);
	find_bounds(out);
	narrow_bounds(out);
	if (options->source != NULL)
		out->sources = source_cache_create(
			options->source, out->name.module != MODULE_NONE
				? &out->around->crash->modules[out->name.module] : NULL);
	if (out->why_not == NULL) {
		find_rules(out);
		make_rows(out);
	}
	draw_jumps(out);
	return out;
}

void
disassembly_free(struct disassembly *out)
{
	if (out == NULL)
		return;
	source_cache_free(out->sources);
	arena_free(&out->arena);
	free(out);
}

bool
disassembly_serves(const struct disassembly *out, const struct disassembly_options *options)
{
	const struct disassembly_options *ours = out != NULL ? &out->options : NULL;
	const struct frame *frame = options->walk != NULL && options->frame < options->walk->count
					    ? &options->walk->frames[options->frame] : NULL;

	return ours != NULL && ours->around == options->around && ours->walk == options->walk &&
	       ours->frame == options->frame && ours->of_frame == options->of_frame &&
	       ours->address == options->address && ours->source == options->source &&
	       out->has_frame == (frame != NULL) &&
	       out->seen == surroundings_symfile(options->around, out->name.module) &&
	       (frame == NULL || memcmp(&frame->registers, &out->frame.registers,
					sizeof(frame->registers)) == 0);
}

size_t
disassembly_row(const struct disassembly *out, uint64_t address)
{
	size_t low = sorted_upto(SORTED(out->rows, out->count, address), address);

	while (low > 0 && out->rows[low - 1].kind != DISASSEMBLY_INSTRUCTION &&
	       out->rows[low - 1].kind != DISASSEMBLY_BYTES &&
	       out->rows[low - 1].kind != DISASSEMBLY_GAP)
		low--;
	return low > 0 ? low - 1 : 0;
}

uint64_t
disassembly_address(const struct disassembly *out)
{
	return out->address;
}
