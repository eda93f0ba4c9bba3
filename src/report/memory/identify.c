/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/identify_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/compiler.h"
#include "code/call.h"
#include "code/instruction.h"
#include "inspect/frame_saves.h"
#include "inspect/memory_marks.h"
#include "inspect/reading.h"
#include "report/memory/reading_words.h"
#include "report/report.h"
#include "report/value/value_text.h"
#include "walk/symbol_at.h"

#define TEXT_COLUMN 15u
/* Smaller values are offsets from a null pointer, not addresses. */
#define NULL_BYTES 0x10000u
/* Limit of frames whose registers are compared with the value: a stack may have 100,000 frames. */
#define MOST_FRAMES 1024u
/* Maximum number of shown bytes of a text, and minimum length of a text in bytes. */
#define TEXT_BYTES 60u
#define LEAST_TEXT 4u
/* Maximum number of bytes after memory that is named as near, as in the view of memory. */
#define NEAR_MEMORY (UINT64_C(1) << 20)

struct identify_search {
	struct identification *out;
	struct surroundings *around;
	const struct crash *crash;
	struct walk *walk;		/* NULL: none */
	size_t frame;
	uint64_t value;
	struct reading_source source;
	struct reading reading;
	struct line lost;	/* receives facts when out of memory */
};

/* Adds a fact; `format` must not receive bytes of an input. */
ATTRIBUTE_PRINTF(3, 4) static struct line *
add(struct identify_search *search, const char *name, const char *format, ...)
{
	char text[512];

	TEXT_FORMAT(text, format);
	struct line *line =
		lines_add_format(&search->out->lines, name, ROLE_NORMAL, "%s", text);
	return line != NULL ? line : &search->lost;
}

/* Adds a fact that joins three texts; nothing if a string is NULL, because memory ran out. */
static struct line *
add_text(struct identify_search *search, const char *name, const char *before, struct text text,
	 const char *behind)
{
	if (before == NULL || behind == NULL)
		return &search->lost;
	const size_t first = strlen(before), last = strlen(behind);
	char *copy = arena_array(&search->out->arena, first + text.length + last + 1, 1);
	struct line *line = lines_add(&search->out->lines, name, ROLE_NORMAL, copy);

	if (line == NULL)
		return &search->lost;
	memcpy(copy, before, first);
	if (text.length > 0)
		memcpy(copy + first, text.start, text.length);
	memcpy(copy + first + text.length, behind, last);
	/* The bytes of an input may contain a NUL. */
	line->text.length = first + text.length + last;
	return line;
}

/* The value ------------------------------------------------------------------------------------ */

static void
add_value(struct identify_search *search)
{
	const uint64_t value = search->value;
	const int64_t negative = search->around->arch->word_size == 4 ? (int64_t)(int32_t)value
								       : (int64_t)value;
	char letters[8], text[16] = "", number[32] = "";
	const size_t count = search->reading.kind == READING_TEXT
				     ? reading_letters(&search->source, value, letters) : 0;

	if (count > 0)
		snprintf(text, sizeof(text), "   \"%.*s\"", (int)count, letters);
	if (negative < 0)
		snprintf(number, sizeof(number), "   %" PRId64, negative);
	add(search, "value", "0x%" PRIx64 "   decimal %" PRIu64 "%s%s", value, value, number, text);
	const struct text typed = search->out->typed;
	if (!search->out->expression.plain)
		add_text(search, "read as", "", text_of(search->out->expression.text), "");
	else if (typed.length > 0 && strchr("abcdefABCDEF", typed.start[0]) != NULL)
		add_text(search, "read as", "a hexadecimal number: no variable '", typed,
			 "' is known here");
}

/* Adds facts that follow from the value alone. */
static void
add_kind(struct identify_search *search)
{
	const uint64_t value = search->value;

	if (value == 0)
		add(search, "null", "the null pointer");
	else if (value < NULL_BYTES && !memory_run_of(&search->around->memory, value))
		add(search, "null", "small: a null pointer and an offset of %" PRIu64
		    " byte%s, if it is an address", value, plural(value));
	if (search->reading.kind == READING_PATTERN)
		add(search, "pattern", "%s", search->reading.words);
	if (!arch_canonical(search->around->arch, value))
		add(search, "no address",
		    "not canonical: bits 47 to 63 differ, so that no pointer has this value");
	if (search->crash->cause.text != NULL && value == search->crash->reason_address &&
	    search->crash->cause.address == CRASH_ADDRESS_MEMORY)
		add_text(search, "crash", "the crash address of ",
			 text_of(search->crash->cause.text), "");
}

/* Stacks --------------------------------------------------------------------------------------- */

static struct target
frame_target(const struct walk *walk, size_t frame)
{
	return TARGET(TARGET_FRAME, .thread = walk->thread, .frame = frame);
}

/* Adds frames that execute this code, or whose stack begins at this address. */
static void
add_pointers(struct identify_search *search)
{
	const struct walk *walk = search->walk;
	const struct arch *arch = walk->arch;

	for (size_t i = 0; i < walk->count && i < MOST_FRAMES; i++) {
		const struct frame *frame = &walk->frames[i];

		if (registers_known(&frame->registers, arch->pc) &&
		    frame->registers.value[arch->pc] == search->value)
			add(search, "frame", "%s of frame %zu: %s", arch->registers[arch->pc].label,
			    i, frame->interrupted ? "it stopped here"
						  : "it continues here when its callee returns")
				->target = frame_target(walk, i);
		else if (registers_known(&frame->registers, arch->sp) &&
			 frame->registers.value[arch->sp] == search->value)
			add(search, "frame", "%s of frame %zu", arch->registers[arch->sp].label, i)
				->target = frame_target(walk, i);
	}
}

/* Adds other registers of the selected frame that hold the value. */
static void
add_registers(struct identify_search *search)
{
	const struct arch *arch = search->walk->arch;

	if (search->frame >= search->walk->count || search->value == 0)
		return;
	const struct registers *registers = &search->walk->frames[search->frame].registers;
	for (int reg = 0; reg < arch->register_count; reg++) {
		if (reg == arch->pc || reg == arch->sp || !registers_known(registers, reg) ||
		    registers->value[reg] != search->value)
			continue;
		struct line *fact = add(search, "register", "%s of frame %zu",
						 arch->registers[reg].label, search->frame);
		if (search->frame > 0) {
			fact->target.kind = TARGET_REGISTER;
			fact->target.frame = search->frame;
			fact->target.reg = reg;
		}
	}
}

/* Adds the CFA if it equals this address, and the register that the frame's step read there. */
static void
add_saves(struct identify_search *search, size_t frame)
{
	const struct arch *arch = search->walk->arch;
	struct frame_saves saves;

	frame_saves_make(&saves, search->walk, frame);
	if (saves.has_cfa && saves.cfa == search->value)
		add(search, "cfa", "the canonical frame address of frame %zu", frame);
	for (size_t i = 0; i < saves.count; i++) {
		const struct frame_save *save = &saves.saves[i];

		if (save->address != search->value)
			continue;
		struct line *fact =
			save->reg == arch->pc
				? add(search, "saved",
				      "the return address from frame %zu to frame %zu", frame,
				      frame + 1)
				: add(search, "saved", "%s of frame %zu, saved by frame %zu",
				      arch->registers[save->reg].label, frame + 1, frame);
		fact->place = save->rule;
		fact->target = frame_target(search->walk, frame);
	}
}

static void
add_owner(struct identify_search *search)
{
	const struct memory_run *run = memory_run_of(&search->around->memory, search->value);
	const struct walk *walk = search->walk;
	const unsigned zone = report_red_zone(search->crash, walk->arch);
	const int sp = walk->arch->sp;
	struct memory_marks marks;

	if (run == NULL)
		return;
	memory_marks_find(&marks, run, walk, NULL, NULL, &search->out->arena);
	const size_t owner = memory_marks_owner(&marks, search->value);
	if (owner == SIZE_MAX) {
		/* The address is in the walk's stack, below its youngest frame. */
		if (marks.sp.count > 0 && marks.sp.items[0].frame == 0 &&
		    search->value < marks.sp.items[0].address && walk->memory.stack != NULL &&
		    walk->memory.stack->base == run->base)
			add(search, "below", "below the stack pointer: %s",
			    marks.sp.items[0].address - search->value > zone
				    ? "not in use"
				    : "in the red zone, which a leaf function may use");
		return;
	}
	add(search, "in frame", "%zu, at %s + 0x%" PRIx64, owner, walk->arch->registers[sp].label,
	    search->value - walk->frames[owner].registers.value[sp])
		->target = frame_target(walk, owner);
	size_t frame;
	const char *variable = variable_places_name(search->source.variables, search->value,
						    &search->out->arena, &frame);
	if (variable != NULL)
		add_text(search, "variable", "", text_of(variable),
			 arena_format(&search->out->arena, "   of frame %zu", frame))
			->target = frame_target(walk, frame);
	/* If the word is the owner's return address, the step from the owner's callee read it. */
	if (owner > 0)
		add_saves(search, owner - 1);
	add_saves(search, owner);
}

static void
add_thread(struct identify_search *search)
{
	const int owner = crash_stack_owner(search->crash, search->value);

	if (owner < 0)
		return;
	const struct thread *thread = &search->crash->threads[owner];
	const char *name = thread->name != NULL ? thread->name : "";
	struct line *fact = add_text(search, "stack of",
				     arena_format(&search->out->arena,
						  "thread %d (id 0x%" PRIx32 ")%s", owner,
						  thread->id, thread->name != NULL ? " " : ""),
				     text_of(name), "");
	fact->place = thread->place;
	fact->target.kind = TARGET_THREAD;
	fact->target.thread = (size_t)owner;
}

/* Code ----------------------------------------------------------------------------------------- */

static struct line *
add_module(struct identify_search *search, const char *name, const struct module *module,
	   const char *behind)
{
	struct line *fact =
		add_text(search, name,
			 arena_format(&search->out->arena, "0x%" PRIx64 " bytes into ",
				      search->value - module->base),
			 text_of(module->code_file), behind);

	fact->place = module->place;
	return fact;
}

static void
add_section(struct identify_search *search, int index)
{
	const struct binary *binary =
		binaries_load(search->around->binaries, (size_t)index, LOCATE_IMAGE);
	const uint64_t relative = search->value - search->crash->modules[index].base;

	for (size_t i = 0; binary != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];
		const uint64_t base = section->address -
				      (binary->linked_base - binary_section_bias(binary));

		if (section->address != 0 && relative - base < section->size)
			add_text(search, "section", "", text_of(section->name),
				 arena_format(&search->out->arena, " + 0x%" PRIx64 " of %s",
					      relative - base,
					      place_base_name(binary->file.input.name)));
	}
}

/* Adds the source line, and the inlined calls there, innermost first. */
static void
add_lines(struct identify_search *search, const struct surrounding_name *name)
{
	struct arena *arena = &search->out->arena;
	struct symbol symbol;

	surroundings_symbol(search->around, name->module, search->value, arena, &symbol);
	/* Code of an inlined call may have no line. */
	if (symbol.has_line)
		add_text(search, "line", "", symbol.line.file,
			 arena_format(arena, ":%" PRIu32, symbol.line.line))
			->place = symbol_at_place(name->symfile, symbol.line.own_file,
						  symbol.line.offset, symbol.line.length);
	for (size_t i = 0; i < symbol.inline_count; i++) {
		const struct inline_call *call = &symbol.inlines[i];
		const char *file = text_printable_copy(arena, text_base_name(call->call_file));

		add_text(search, "inlined", "", surroundings_shown(search->around, call->name),
			 arena_format(arena, ", called at %s:%" PRIu32, file != NULL ? file : "",
				      call->call_line))
			->place = symbol_at_place(name->symfile, call->own_file, call->offset,
						  call->length);
	}
}

/* Adds the function called by the instruction before a return address. */
static void
add_call(struct identify_search *search)
{
	const struct call_site site =
		call_find(search->around->arch, &search->around->memory, search->around->binaries,
			  search->value);

	if (site.answer != CALL_YES)
		return;
	struct text called = text_of("");
	if (site.direct)
		called = surroundings_describe(search->around, site.target, &search->out->arena);
	if (site.direct && called.length == 0)
		called = text_of("no known function");
	struct line *fact =
		add_text(search, "return to",
			 site.direct ? "after a call of " : "after an indirect call", called, "");
	fact->place = site.place;
	fact->target = TARGET(TARGET_CODE, .address = site.address);
}

static void
add_code(struct identify_search *search)
{
	const struct surroundings *around = search->around;
	struct surrounding_name name;
	struct instruction instruction;

	if (!surroundings_name(search->around, search->value, &name)) {
		const int index = module_map_find_unloaded(&around->modules, search->value);

		if (index != MODULE_NONE)
			add_module(search, "unloaded", &search->crash->unloaded[index],
				   ", which had been unloaded");
		return;
	}
	struct line *fact =
		add_module(search, "module", &search->crash->modules[name.module], "");
	fact->target.kind = TARGET_MODULE;
	fact->target.module = (size_t)name.module;
	add_section(search, name.module);
	if (name.name.length > 0) {
		fact = add_text(search, name.data ? "data" : "function", "", name.name,
				arena_format(&search->out->arena, " + 0x%" PRIx64 "%s",
					     search->value - name.start,
					     name.data ? ""
					     : name.stub ? "   (a stub, which only jumps there)"
					     : name.symfile == NULL ? "   (the file's own symbol)"
					     : name.size == 0	  ? "   (the nearest name below)"
								  : ""));
		fact->place = name.place;
		fact->target = TARGET(name.data ? TARGET_MEMORY : TARGET_CODE,
				      .address = search->value);
	}
	if (name.data)
		return;
	add_lines(search, &name);
	const struct mapping *mapping = crash_mapping(search->crash, search->value);
	if (name.name.length == 0 && mapping != NULL && !mapping->executable)
		return;
	add_call(search);
	if (instruction_at(&instruction, around->arch, &around->memory, around->binaries, false,
			   search->value)) {
		fact = add(search, "instruction", "%s%s", instruction.text,
			   instruction.from_file ? "   (the file's bytes, not the dump's)" : "");
		fact->place = instruction.place;
		fact->target = TARGET(TARGET_CODE, .address = search->value);
	}
}

/* Memory --------------------------------------------------------------------------------------- */

/* Adds the terminated text at the address, in bytes or in 16-bit units. */
static void
add_string(struct identify_search *search, size_t least)
{
	uint8_t bytes[2 * TEXT_BYTES];
	struct place place = { 0 };
	const size_t count = surroundings_read(search->around, search->value, bytes, sizeof(bytes),
					       NULL, &place);
	const bool big = search->around->memory.big_endian;

	for (unsigned unit = 1; unit <= 2; unit++) {
		char text[TEXT_BYTES + 1];
		size_t length = 0;

		for (; length < TEXT_BYTES && (length + 1) * unit <= count; length++) {
			const uint8_t *at = bytes + length * unit;
			const uint8_t low = unit == 2 && big ? at[1] : at[0];
			const uint8_t high = unit == 1 ? 0 : big ? at[0] : at[1];

			if (low < ' ' || low > '~' || high != 0)
				break;
			text[length] = (char)low;
		}
		const bool ends = (length + 1) * unit <= count && bytes[length * unit] == 0 &&
				  bytes[length * unit + unit - 1] == 0;
		if (length < least || (!ends && length < TEXT_BYTES))
			continue;
		text[length] = '\0';
		place.length = (uint32_t)((length + ends) * unit);
		add(search, "text", "%s\"%s\"%s", unit == 2 ? "UTF-16: " : "", text,
		    ends ? "" : "...")
			->place = place;
	}
}

static enum reading_kind
add_word(struct identify_search *search)
{
	const size_t size = search->around->arch->word_size;
	uint8_t bytes[8];
	struct place place = { 0 };
	const struct reader reader = { .data = bytes, .size = size,
				       .big_endian = search->around->memory.big_endian };
	bool from_file;
	uint64_t value = 0;
	struct row row = ROW_IN(&search->out->arena);

	if (surroundings_read(search->around, search->value, bytes, size, &from_file, &place) !=
	    size)
		return READING_NUMBER;
	reader_unsigned(&reader, 0, (unsigned)size, &value);
	const struct reading reading = reading_of(&search->source, value);
	reading_add(&search->source, &reading, 0, &row);
	reading_add_chain(&search->source, &reading, &row);
	struct line *fact =
		add_text(search, "holds",
			 arena_format(&search->out->arena, "%0*" PRIx64 "%s", (int)(2 * size),
				      value, row.length > 0 ? "  " : ""),
			 text_of(row_text(&row)),
			 from_file ? "   (the file's bytes, not the dump's)" : "");
	fact->place = place;
	fact->target = TARGET(TARGET_MEMORY, .address = search->value);
	return reading.kind;
}

/* Adds the memory and the modules that end shortly below an address, counted from the last byte. */
static void
add_neighbours(struct identify_search *search)
{
	const struct memory_view *memory = &search->around->memory;
	const struct module_map *modules = &search->around->modules;
	const struct memory_run *before = NULL;

	for (size_t i = 0; i < memory->count && memory->runs[i].base <= search->value; i++)
		before = &memory->runs[i];
	const uint64_t last = before != NULL ? before->base + (before->size - 1) : 0;
	if (before != NULL && search->value - last <= NEAR_MEMORY)
		add(search, "near",
		    "0x%" PRIx64 " bytes past memory of the dump that ends at %" PRIx64,
		    search->value - last, last);
	for (size_t i = 0; i < modules->loaded_count; i++) {
		const struct module_range *range = &modules->loaded[i];
		const struct module *module = &search->crash->modules[range->module];

		if (search->value > range->last && search->value - range->last <= NEAR_MEMORY)
			add_text(search, "near",
				 arena_format(&search->out->arena,
					      "0x%" PRIx64 " bytes past the last one of ",
					      search->value - range->last),
				 text_of(place_base_name(module->code_file)), "");
	}
}

static void
add_memory(struct identify_search *search)
{
	const struct crash *crash = search->crash;
	const uint64_t value = search->value;
	const struct memory_run *run = memory_run_of(&search->around->memory, value);
	const struct mapping *mapping = crash_mapping(crash, value);

	if (mapping != NULL)
		add_text(search, "memory map",
			 arena_format(&search->out->arena, "%" PRIx64 "-%" PRIx64 "  %s  ",
				      mapping->base, mapping->base + mapping->size - 1,
				      mapping->text),
			 text_of(mapping->name), mapping->guard ? "  guard page" : "")
			->place = mapping->place;
	else if (run == NULL && crash_is_unmapped(crash, value))
		add(search, "memory map", "nothing is mapped here");
	if (run != NULL) {
		struct line *fact =
			add(search, "in the dump", "%" PRIx64 "-%" PRIx64 ", %" PRIu64 " bytes",
			    run->base, run->base + run->size - 1, run->size);

		fact->place = memory_place(&search->around->memory, value, 1);
		fact->target = TARGET(TARGET_MEMORY, .address = value);
	}
	if (crash->redacted) {
		if (run != NULL)
			add(search, "holds", "%s", CRASH_REDACTED);
		return;
	}
	/* The bytes of a pointer may look like letters. */
	const bool pointer = add_word(search) >= READING_CODE;
	add_string(search, pointer ? search->around->arch->word_size + 1u : LEAST_TEXT);
	if (run == NULL && mapping == NULL)
		add_neighbours(search);
}

/* Heap ----------------------------------------------------------------------------------------- */

/* Adds the list of a free chunk, and whether its second word is still the key that free() wrote. */
static void
add_heap_list(struct identify_search *search, const struct heap *heap,
	      const struct heap_chunk *chunk)
{
	const struct heap_free *free_chunk = chunk->free;
	const uint64_t second = heap_user(heap, chunk->address) + heap->word;
	const uint64_t key = heap_key_of(heap, free_chunk);
	struct place place;
	uint64_t value;

	struct line *fact = add(search, "heap list", "%s %" PRIu32 " of %s at %" PRIx64
				", position %" PRIu32 " of its list",
				free_chunk->state == HEAP_FAST ? "fastbin" : "bin", free_chunk->bin,
				free_chunk->state == HEAP_TCACHE ? "the cache" : "the arena",
				free_chunk->list, free_chunk->position);
	fact->target = TARGET(TARGET_MEMORY, .address = free_chunk->list);
	if (free_chunk->state != HEAP_TCACHE || key == 0 ||
	    !memory_read(heap->memory, second, heap->word, &value, &place))
		return;
	fact = add(search, "heap key", value == key
		   ? "the second word is the key that free() writes"
		   : "the second word is not the key that free() wrote: the program has "
		     "overwritten it since");
	fact->place = place;
}

/* Adds the allocator's chunk that contains the address: its state, its arena and the evidence. */
static void
add_heap(struct identify_search *search)
{
	const struct heap *heap = surroundings_heap(search->around);
	const struct module *other = heap_other_allocator(search->crash);
	struct heap_chunk chunk;
	struct line *fact;

	if (heap == NULL || !heap_chunk_at(heap, search->value, &chunk)) {
		const struct heap_part *part =
			heap != NULL ? heap_damaged_at(heap, search->value) : NULL;

		if (part != NULL)
			add(search, "heap", "unknown: the heap is damaged from the chunk at %"
			    PRIx64 " on, whose size is impossible", part->damaged)
				->target = TARGET(TARGET_MEMORY, .address = part->damaged);
		else if (other != NULL && memory_run_of(&search->around->memory, search->value) &&
			 module_map_find(&search->around->modules, search->value) == MODULE_NONE)
			add_text(search, "allocator", "",
				 text_of(place_base_name(other->code_file)),
				 " is loaded; the chunks of its heap are not known");
		return;
	}
	const uint64_t user = heap_user(heap, chunk.address);
	fact = add(search, "heap", "%s: a chunk of %" PRIu64 " bytes at %" PRIx64 ", %" PRIu64
		   " for the program at %" PRIx64, heap_state_words[chunk.state], chunk.size,
		   chunk.address, chunk.size - (chunk.part == NULL ? 2 : 1) * heap->word, user);
	fact->place = memory_place(heap->memory, chunk.address + heap->word, heap->word);
	fact->target = TARGET(TARGET_MEMORY, .address = user);
	if (search->value != user)
		add(search, "heap offset", "%" PRIu64 " bytes %s the program's first byte",
		    search->value > user ? search->value - user : user - search->value,
		    search->value > user ? "after" : "before");
	if (chunk.free != NULL)
		add_heap_list(search, heap, &chunk);
	if (chunk.part == NULL) {
		add(search, "heap check", "the size field has the flag IS_MMAPPED, and the size "
		    "ends at a page of the mapping");
	} else {
		const struct heap_arena *arena = &heap->arenas[chunk.part->arena];

		add(search, "heap arena", "%s at %" PRIx64, chunk.part->arena == 0
		    ? heap->by_symbol ? "main_arena" : "the main arena, found by its 127 bins,"
		    : "an arena of threads", arena->address)
			->target = TARGET(TARGET_MEMORY, .address = arena->address);
		add(search, "heap check", "sizes lead from the first chunk at %" PRIx64 " to %s%"
		    PRIx64, chunk.part->begin, chunk.part->damaged != 0 ?
		    "an impossible one, at " : "the end at ", chunk.part->damaged != 0
		    ? chunk.part->damaged : chunk.part->end);
	}
	add_text(search, "allocator", "", text_of(heap->library),
		 arena_format(&search->out->arena, ", glibc %s%s%s%s",
			      heap_versions(heap).text, heap->version != 0 ? "" : " by its lists",
			      other != NULL ? "; also loaded: " : "",
			      other != NULL ? place_base_name(other->code_file) : ""));
}

/* All facts ------------------------------------------------------------------------------------ */

static void
identify_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct identification *out = lines_of(listing)->context;

	(void)columns;
	row_add(row, ROLE_DIM, " ");
	row_add_text(row, ROLE_TITLE, out->typed);
}

/* Whether a value may be an address. In C, the type or memory at the value decides. */
static bool
has_address(const struct surroundings *around, const struct expression *expression)
{
	uint8_t byte;

	if (expression->typed == NULL)
		return true;
	const struct typed_value *value = &expression->typed->value.value;
	return value->type->kind == DEBUG_TYPE_POINTER ||
	       value->type->kind == DEBUG_TYPE_REFERENCE ||
	       (value->type->kind == DEBUG_TYPE_NUMBER &&
		surroundings_read(around, expression->value, &byte, 1, NULL, NULL) > 0) ||
	       (value->in_memory && value_is_composite(value->type));
}

/* Adds the type after "ptype " or "whatis "; false: the text begins with neither. */
static bool
identify_type(struct identification *out, const struct expression_scope *scope, struct text text)
{
	static const char *const words[] = { "ptype ", "whatis " };
	struct value_frame *variables = NULL;
	const struct debug_type *type = NULL;
	const char *wrong = "no frame has debug information";
	size_t length = 0;

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		if (text.length > strlen(words[i]) &&
		    memcmp(text.start, words[i], strlen(words[i])) == 0)
			length = strlen(words[i]);
	if (length == 0)
		return false;
	const struct text name = text_trimmed((struct text){ text.start + length,
							     text.length - length });
	if (scope->walk != NULL && scope->frame < scope->walk->count)
		variables = frame_variables_of(scope->walk, &out->around->memory, scope->frame,
					       &out->arena);
	if (variables != NULL)
		type = value_expression_type(variables, scope->call, name, out->around,
					     &out->arena, &wrong);
	out->expression.text = type == NULL ? text_or_empty(wrong) : "";
	if (type == NULL)
		lines_add(&out->lines, "unknown", ROLE_NORMAL, out->expression.text);
	else if (text.start[0] == 'w')
		lines_add(&out->lines, "type", ROLE_NORMAL, type->name);
	else
		type_add(&out->lines, type);
	out->expression.known = type != NULL;
	return true;
}

void
identify_finish(struct identification *out)
{
	out->listing = lines_listing(&out->lines, 0, &out->arena);
	if (lines_of(&out->listing) != NULL)
		out->listing.head = identify_fill_head;
}

struct identification *
identify_begin(struct surroundings *around, struct text typed)
{
	struct identification *out = calloc(1, sizeof(*out));

	if (out == NULL)
		return NULL;
	out->around = around;
	out->lines = (struct lines){ .arena = &out->arena, .label_role = ROLE_DIM,
				     .label_column = 1, .text_column = TEXT_COLUMN,
				     .shows_places = true, .target = TARGET(TARGET_NONE),
				     .context = out };
	const char *copy = text_copy(&out->arena, typed);
	out->typed = copy != NULL ? (struct text){ copy, typed.length } : text_of("");
	return out;
}

struct identification *
identify_create(struct surroundings *around, const struct expression_scope *scope,
		struct text typed)
{
	struct identification *out = identify_begin(around, typed);
	struct identify_search search = { .out = out, .around = around, .crash = around->crash,
					.walk = scope->walk, .frame = scope->frame };

	if (out == NULL)
		return NULL;
	if (identify_type(out, scope, out->typed)) {
		identify_finish(out);
		return out;
	}
	out->expression = expression_in(around, scope, out->typed, &out->arena);
	out->value = search.value = out->expression.value;
	if (out->expression.typed != NULL)
		evaluated_add(&out->lines, out->expression.typed);
	if (out->expression.known && has_address(around, &out->expression)) {
		reading_source_init(&search.source, around->crash, &around->memory,
				    around->binaries, scope->walk, &out->arena);
		search.reading = reading_of(&search.source, search.value);
		if (out->expression.typed == NULL)
			add_value(&search);
		add_kind(&search);
		add_thread(&search);
		if (search.walk != NULL) {
			add_pointers(&search);
			add_registers(&search);
			add_owner(&search);
		}
		add_code(&search);
		add_heap(&search);
		add_memory(&search);
	} else if (out->expression.typed == NULL) {
		add_text(&search, "unknown", "", text_of(out->expression.text), "");
	}
	identify_finish(out);
	return out;
}

void
identify_free(struct identification *identify)
{
	if (identify == NULL)
		return;
	arena_free(&identify->arena);
	free(identify);
}

static const struct fact_names location_names = FACT_NAMES(variable_locations);

#define FACTS "report/memory/identify_facts.def"
#include "document/describe_facts.h"
