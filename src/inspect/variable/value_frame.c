/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/frame_variables.h"

#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "code/call.h"
#include "debug_info/file_symbols.h"
#include "frame_table/dwarf_operation.h"
#include "inspect/recorded_step.h"
#include "walk/location.h"

/* Maximum depth of queries to callers for registers at a function's entry. */
enum { MOST_CALLERS = 64 };
/* Operations charged for a query of a caller, which looks up its variables. */
enum { CALLER_OPERATIONS = 64 };
enum { MOST_LIBRARIES = 4096 };
/* Free operations of one expression, and the bytes charged for a further one and for a read. */
enum { USUAL_OPERATIONS = 64, DWARF_OP_WORK = 8, READ_WORK = 4 };

/* Making --------------------------------------------------------------------------------------- */

uint64_t
value_frame_lookup(const struct walk *walk, size_t number)
{
	const struct frame *frame = &walk->frames[number];
	const uint64_t pc = frame->registers.value[walk->arch->pc];

	return arch_code(walk->arch, pc) - (frame->lookup != pc ? 1 : 0);
}

/* Finds the code of a function without debug information: the range of a symbol with a size. */
static void
take_symbol(struct value_frame *frame)
{
	struct location location;
	const struct function *function = &location.symbol.function;

	location_of(frame->walk, frame->walk->frames[frame->number].lookup, frame->arena,
		    &location);
	if (!location.symbol.found || location.symbol.uncertain || location.symbol.stub ||
	    function->kind != SYMBOL_FUNC || frame->relative < function->address ||
	    frame->relative - function->address >= function->size)
		return;
	frame->scopes.code = arena_alloc(frame->arena, sizeof(*frame->scopes.code));
	if (frame->scopes.code == NULL)
		return;
	*frame->scopes.code = (struct debug_code){ function->address,
						   function->address + function->size };
	frame->scopes.code_count = 1;
	frame->scopes.function = function->address;
	frame->by_symbol = true;
}

struct value_frame *
value_frame_make(struct walk *walk, const struct memory_view *memory, size_t number,
		 struct arena *arena)
{
	struct value_frame *frame = arena_alloc(arena, sizeof(*frame));
	const struct frame *found = &walk->frames[number];

	if (frame == NULL)
		return NULL;
	*frame = (struct value_frame){ .walk = walk, .memory = memory, .number = number,
				       .arena = arena };
	frame->operations = &frame->own_operations;
	frame->work = &frame->own_work;
	if (found->module == MODULE_NONE)
		return frame;
	frame->relative = value_frame_lookup(walk, number) -
			  walk->crash->modules[found->module].base;
	if (!debug_scopes_at(walk->binaries, (size_t)found->module, frame->relative, arena,
			     &frame->scopes))
		take_symbol(frame);
	return frame;
}

/* Registers ------------------------------------------------------------------------------------ */

const char *
value_register_label(const struct arch *arch, uint64_t number, struct arena *arena)
{
	const int reg = number <= INT32_MAX ? arch_dwarf_register(arch, (int)number)
					    : ARCH_NO_REGISTER;
	const struct arch_wide wide = arch_wide(arch, number);

	if (reg != ARCH_NO_REGISTER)
		return arch->registers[reg].label;
	return text_or_empty(wide.bank != NULL
			? arena_format(arena, "%s", arch_wide_label(wide).text)
			: arena_format(arena, "%" PRIu64 " (of DWARF)", number));
}

static const char *
read_register(void *context, uint64_t number, uint64_t *value)
{
	struct value_frame *frame = context;
	const struct arch *arch = frame->walk->arch;
	const struct registers *registers = &frame->walk->frames[frame->number].registers;
	const int reg = number <= INT32_MAX ? arch_dwarf_register(arch, (int)number)
					    : ARCH_NO_REGISTER;

	const struct arch_wide wide = arch_wide(arch, number);
	if (frame->jumped)
		return "entry value not known: the registers of the function that jumped are lost";
	if (wide.bank != NULL) {
		const struct wide_value *found = value_frame_wide(frame, wide);
		const bool big = frame->memory->big_endian;

		/* Arithmetic uses the low 8 bytes. */
		*value = 0;
		if (found->why == NULL && found->size <= VALUE_REGISTER)
			*value = reader_number(
				found->bytes + (big && found->size > 8 ? found->size - 8 : 0),
				found->size < 8 ? found->size : 8, big);
		return found->why == NULL && found->size == VALUE_X87
			       ? "the expression computes with an x87 register" : found->why;
	}
	if (registers_known(registers, reg)) {
		*value = registers->value[reg];
		return NULL;
	}
	if (reg != ARCH_NO_REGISTER && value_frame_unchanged(frame, reg, value))
		return NULL;
	const char *label = value_register_label(arch, number, frame->arena);
	return reg == ARCH_NO_REGISTER
		       ? arena_format(frame->arena, "register %s is not followed", label)
	       : frame->number == 0
		       ? arena_format(frame->arena, "register %s is not in the dump", label)
		       : arena_format(frame->arena, "register %s was not saved across the call",
				      label);
}

const char *
value_frame_register(struct value_frame *frame, uint64_t number, uint8_t bytes[VALUE_REGISTER],
		     unsigned *size)
{
	uint64_t value;

	const struct arch_wide wide = arch_wide(frame->walk->arch, number);
	if (wide.bank != NULL && !frame->jumped) {
		const struct wide_value *found = value_frame_wide(frame, wide);

		*size = found->size;
		memcpy(bytes, found->bytes, sizeof(found->bytes));
		return found->why;
	}
	const char *why = read_register(frame, number, &value);
	if (why != NULL)
		return why;
	*size = frame->walk->arch->register_size;
	reader_put_number(bytes, *size, frame->memory->big_endian, value);
	return NULL;
}

/* Memory --------------------------------------------------------------------------------------- */

size_t
value_read(const struct value_frame *frame, uint64_t address, uint8_t *bytes, size_t size)
{
	size_t done = 0, more = 1;

	for (; more > 0 && done < size && done <= UINT64_MAX - address; done += more) {
		const uint64_t at = address + done;

		more = memory_copy(frame->memory, at, bytes + done, size - done, NULL);
		if (more == 0)
			more = binaries_read(frame->walk->binaries, at, bytes + done, size - done,
					     NULL);
	}
	*frame->work += READ_WORK + done;
	return done;
}

const char *
value_unread(uint64_t address, struct arena *arena)
{
	return arena_format(arena, "memory at 0x%" PRIx64 " is not in the dump", address);
}

bool
value_read_number(const struct value_frame *frame, uint64_t address, unsigned size,
		  uint64_t *number)
{
	uint8_t bytes[8];

	*number = 0;
	if (value_read(frame, address, bytes, size) < size)
		return false;
	*number = reader_number(bytes, size, frame->memory->big_endian);
	return true;
}

static const char *
read_memory(void *context, uint64_t address, unsigned size, uint64_t *value)
{
	const struct value_frame *frame = context;

	return value_read_number(frame, address, size, value)
		       ? NULL : value_unread(address, frame->arena);
}

/* The frame ------------------------------------------------------------------------------------ */

/* Computes the CFA by one method. True if the method finds a caller or the end of the stack. */
static bool
cfa_by(struct value_frame *frame, enum method_id method)
{
	struct step_view step;

	step_view_make_by(&step, frame->walk, frame->number, method);
	const bool leads = step.verdict.kind != VERDICT_REFUSED;
	const struct event *rule = step_view_event(
		&step, step_view_cfa(&step.trace, 0, (uint32_t)step.trace.count, TRACE_NONE));
	if (rule != NULL) {
		frame->has_cfa = true;
		frame->cfa = rule->value;
		frame->cfa_rule = text_or_empty(arena_format(frame->arena, "%s", rule->text));
		frame->cfa_place = rule->place;
	}
	step_view_free(&step);
	return leads;
}

static const char *
read_cfa(void *context, uint64_t *value)
{
	struct value_frame *frame = context;

	if (!frame->asked_cfa && !frame->jumped) {
		frame->asked_cfa = true;
		/*
		 * The module's own table gives the CFA that the compiler uses. If its row uses a
		 * lost register (abort() of arm preserves none), the code may give the CFA.
		 */
		if (!cfa_by(frame, METHOD_FRAME_TABLE)) {
			const struct value_frame by_table = *frame;

			if (!cfa_by(frame, METHOD_CODE))
				*frame = by_table;
		}
		if (!frame->has_cfa)
			cfa_by(frame, METHOD_COUNT);
	}
	*value = frame->cfa;
	return frame->has_cfa ? NULL : "the frame's CFA is not known";
}

/* Keeps the expression that answered the last query. */
static void
keep_answer(struct value_frame *asker, struct value_frame *frame,
	    const struct debug_expression *expression, const struct location_result *result)
{
	struct location_answer *answer =
		asker->records ? arena_alloc(asker->arena, sizeof(*answer)) : NULL;

	if (answer != NULL)
		*answer = (struct location_answer){ frame, *expression, result };
	asker->answer = answer;
}

/* Returns the last answer, and forgets it. */
static const struct location_answer *
take_answer(void *context)
{
	struct value_frame *frame = context;
	const struct location_answer *answer = frame->answer;

	frame->answer = NULL;
	return answer;
}

static const char *
read_frame_base(void *context, uint64_t *value, const char **postfix)
{
	struct value_frame *frame = context;
	const struct debug_location location =
		debug_locate(&frame->scopes.entry, DEBUG_FRAME_BASE, frame->relative);
	const struct location_start start = { .records = frame->records };

	if (location.kind != DEBUG_LOCATION_EXPRESSION)
		return "the function has no frame base here";
	if (frame->basing)
		return "the frame base depends on itself";
	frame->basing = true;
	const struct location_result *result =
		value_frame_run(frame, &location.expression, &start, frame->arena);
	frame->basing = false;
	if (result == NULL)
		return "out of memory";
	const struct location_part *part = &result->parts[0];
	*value = part->number;
	*postfix = part->postfix;
	keep_answer(frame, frame, &location.expression, result);
	if (part->kind != LOCATION_REGISTER)
		return part->kind == LOCATION_ABSENT ? part->why
		       : part->kind == LOCATION_MEMORY || part->kind == LOCATION_VALUE
			       ? NULL : "the frame base is not an address";
	/* The register's content is the value. */
	const int reg = arch_dwarf_register(frame->walk->arch, (int)part->number);
	*postfix = reg != ARCH_NO_REGISTER ? arch_spelled(frame->walk->arch, reg) : NULL;
	return read_register(frame, part->number, value);
}

static uint64_t
loaded_at(void *context, const struct debug_home *home, uint64_t linked)
{
	const struct value_frame *frame = context;
	uint64_t linked_base;
	const size_t module = debug_home_module(home, &linked_base);

	return arch_wrap(frame->walk->arch,
			 linked - linked_base + frame->walk->crash->modules[module].base);
}

/* The files of glibc. Its C library describes structures for debuggers (nptl_db/structs.def). */
struct thread_layout {
	const struct binary *library, *linker;
	uint64_t library_bias, linker_bias;
};

/* Finds the C library and the dynamic linker. */
static bool
find_layout(const struct walk *walk, struct thread_layout *layout)
{
	static const char *const names[] = { "libc.so", "libc-2", "ld-linux", "ld-2", "ld.so" };
	uint64_t address;

	*layout = (struct thread_layout){ .library = NULL };
	for (size_t i = 0; i < walk->crash->module_count; i++) {
		const struct module *module = &walk->crash->modules[i];
		const struct binary *binary =
			text_begins(text_of(place_base_name(module->code_file)), names,
				    ARRAY_COUNT(names)) > 0
				? binaries_load(walk->binaries, i, LOCATE_IMAGE) : NULL;

		if (binary == NULL)
			continue;
		const uint64_t bias = module->base - binary->linked_base;
		if (file_symbols_object(binary, "_thread_db_link_map_l_tls_modid", &address, NULL))
			layout->library = binary, layout->library_bias = bias;
		if (file_symbols_object(binary, "_r_debug", &address, NULL))
			layout->linker = binary, layout->linker_bias = bias;
	}
	return layout->library != NULL && layout->linker != NULL;
}

/* Reads a member of the structure at an address: a number that the library describes. */
static bool
read_described(const struct value_frame *frame, const struct thread_layout *layout,
	       const char *name, uint64_t structure, uint64_t *value)
{
	uint64_t at, bits, offset;

	return file_symbols_object(layout->library, name, &at, NULL) &&
	       value_read_number(frame, at + layout->library_bias, 4, &bits) &&
	       value_read_number(frame, at + layout->library_bias + 8, 4, &offset) &&
	       (bits == 32 || bits == 64) &&
	       value_read_number(frame, structure + offset, (unsigned)bits / 8, value);
}

/* Finds the number of a library's thread-local data in the dynamic linker's list. */
static bool
find_data_number(const struct value_frame *frame, const struct thread_layout *layout,
		 uint64_t bias, uint64_t *number)
{
	const unsigned word = frame->walk->arch->word_size;
	uint64_t at, map, found;

	if (!file_symbols_object(layout->linker, "_r_debug", &at, NULL) ||
	    !value_read_number(frame, at + layout->linker_bias + word, word, &map))
		return false;
	/* struct link_map (link.h): the bias, the name, the dynamic section, the next member. */
	for (unsigned i = 0; i < MOST_LIBRARIES && map != 0; i++) {
		if (!value_read_number(frame, map, word, &found))
			return false;
		if (found == bias)
			return read_described(frame, layout, "_thread_db_link_map_l_tls_modid", map,
					      number) && *number != 0;
		if (!value_read_number(frame, map + 3 * word, word, &map))
			return false;
	}
	return false;
}

/*
 * Finds a library's thread-local data. glibc's thread control block leads to a vector. It has the
 * number of its elements, then the address of each library's data ("ELF Handling For Thread-Local
 * Storage", 3.1; sysdeps/generic/dl-dtv.h).
 */
static const char *
library_data(const struct value_frame *frame, size_t module, uint64_t block, uint64_t offset,
	     uint64_t *address)
{
	static const char why[] = "thread-local data of a library: its place is not known";
	const struct walk *walk = frame->walk;
	const unsigned word = walk->arch->word_size;
	const struct binary *binary = binaries_load(walk->binaries, module, LOCATE_IMAGE);
	struct thread_layout layout;
	uint64_t number, vector, count, data;

	if (binary == NULL || !find_layout(walk, &layout) ||
	    !find_data_number(frame, &layout,
			      walk->crash->modules[module].base - binary->linked_base, &number) ||
	    !read_described(frame, &layout, "_thread_db_pthread_dtvp", block, &vector) ||
	    !value_read_number(frame, vector - 2 * word, word, &count))
		return why;
	if (number > count)
		return "thread-local: this thread has no data of the library yet";
	if (!value_read_number(frame, vector + 2 * word * number, word, &data))
		return why;
	if (data == 0 || data == arch_wrap(walk->arch, UINT64_MAX))
		return "thread-local: this thread has no data of the library yet";
	*address = data + offset;
	return NULL;
}

/*
 * Finds thread-local data. The program's own data are next to the target of the thread pointer
 * ("ELF Handling For Thread-Local Storage", 3.4.6: variant II). The data of a library are where the
 * dynamic linker put them.
 */
static const char *
thread_local_at(void *context, const struct debug_home *home, uint64_t offset, uint64_t *address)
{
	const struct value_frame *frame = context;
	const struct walk *walk = frame->walk;
	uint64_t linked_base, pointer;
	const size_t module = debug_home_module(home, &linked_base);
	const struct binary *binary = binaries_load(walk->binaries, module, LOCATE_IMAGE);
	struct reader bytes;

	if (walk->crash->system.os == CRASH_OS_WINDOWS)
		return "thread-local data of Windows: its place is not known";
	if (walk->arch->thread_pointer == NULL ||
	    !value_context_field(walk, walk->arch->thread_pointer, 0, walk->arch->word_size,
				 &bytes) ||
	    !reader_unsigned(&bytes, 0, (unsigned)bytes.size, &pointer) || pointer == 0)
		return "thread-local: the dump does not have the thread pointer";
	if (module != 0 || walk->crash->microdump)
		return library_data(frame, module, pointer, offset, address);
	if (binary == NULL || !binary->has_tls || binary->tls_size > UINT32_MAX)
		return "thread-local: the program's file does not give the size of these data";
	const uint64_t unit = binary->tls_alignment > 1 ? binary->tls_alignment : 1;
	if ((unit & (unit - 1)) != 0 || unit > UINT32_MAX)
		return "thread-local: the alignment in the program's file is invalid";
	*address = pointer - ((binary->tls_size + unit - 1) & ~(unit - 1)) + offset;
	return NULL;
}

static const char *
called_by(void *context, const struct debug_entry *entry, struct debug_expression *expression)
{
	const struct value_frame *frame = context;
	const struct debug_location location =
		debug_locate(entry, DEBUG_LOCATION, frame->relative);

	*expression = location.expression;
	return location.kind == DEBUG_LOCATION_EXPRESSION
		       ? NULL : "the expression calls another one, which has no location";
}

/* Values at the function's entry --------------------------------------------------------------- */

/* The frame that called this frame's function. NULL: unknown, with the reason in `*why`. */
static struct value_frame *
caller_of(struct value_frame *frame, const char **why)
{
	struct walk *walk = frame->walk;
	const size_t number = frame->number + 1;

	if (frame->depth == MOST_CALLERS) {
		*why = "it depends on entry values of more than 64 frames";
		return NULL;
	}
	while (walk->count <= number && walk_extend(walk))
		;
	if (walk->count <= number) {
		*why = "entry value not known: no caller was found";
		return NULL;
	}
	if (!frame_by_record(&walk->frames[number])) {
		*why = "entry value not known: the caller was not found by a record";
		return NULL;
	}
	struct value_frame *caller = value_frame_make(walk, frame->memory, number, frame->arena);
	if (caller != NULL) {
		caller->depth = frame->depth + 1;
		caller->records = frame->records;
		caller->operations = frame->operations;
		caller->work = frame->work;
		*caller->operations += CALLER_OPERATIONS;
	} else {
		*why = "out of memory";
	}
	return caller;
}

/* Runs an expression of a call site in the caller's frame, to get a number. */
static const char *
run_for_number(struct value_frame *asker, struct value_frame *frame,
	       const struct debug_expression *expression, uint64_t *value)
{
	const struct location_start start = { .records = frame->records };
	const struct location_result *result =
		value_frame_run(frame, expression, &start, frame->arena);

	if (result == NULL)
		return "out of memory";
	keep_answer(asker, frame, expression, result);
	const struct location_part *part = &result->parts[0];
	*value = part->number;
	if (result->count > 1 || part->kind == LOCATION_ABSENT)
		return part->why != NULL ? part->why
					 : "entry value not known: it has several parts";
	if (part->kind == LOCATION_REGISTER)
		return read_register(frame, part->number, value);
	return part->kind == LOCATION_MEMORY || part->kind == LOCATION_VALUE
		       ? NULL : "entry value not known: its call site has no number";
}

/*
 * The call of frame `frame` went to the function at `target`. Returns that function if its only
 * tail call leads to the frame's function, else NULL. `*site` becomes the tail call.
 */
static struct value_frame *
jumped_from(struct value_frame *frame, uint64_t target, struct debug_call_site *site)
{
	const struct walk *walk = frame->walk;
	const int module = module_map_find(&walk->modules, target);
	struct value_frame *between = arena_alloc(frame->arena, sizeof(*between));
	struct debug_call_site jump;

	if (module == MODULE_NONE || between == NULL)
		return NULL;
	*between = (struct value_frame){ .walk = frame->walk, .memory = frame->memory,
					 .number = frame->number, .arena = frame->arena,
					 .depth = frame->depth + 1, .records = frame->records,
					 .operations = frame->operations, .work = frame->work,
					 .jumped = true };
	between->relative = target - walk->crash->modules[module].base;
	*frame->operations += CALLER_OPERATIONS;
	if (!debug_scopes_at(walk->binaries, (size_t)module, between->relative, frame->arena,
			     &between->scopes) ||
	    between->scopes.function != between->relative ||
	    !debug_tail_call(walk->binaries, (size_t)module, between->relative, frame->arena,
			     &jump) ||
	    debug_call_fits(&jump, &frame->scopes) != DEBUG_CALLS_IT)
		return NULL;
	*site = jump;
	return between;
}

/* The address to which the call in a frame returns. */
static uint64_t
return_address(const struct walk *walk, size_t number)
{
	return arch_return_address(walk->arch,
				   walk->frames[number].registers.value[walk->arch->pc]);
}

/*
 * Finds the call site of this frame's function. It is the call in `*caller`, if that fits. Else it
 * is the tail call in the called function, and `*caller` becomes the frame of that function.
 */
static const char *
check_called(struct value_frame *frame, struct value_frame **caller, struct debug_call_site *site)
{
	const struct walk *walk = frame->walk;
	const struct module *module = &walk->crash->modules[walk->frames[frame->number].module];
	const uint64_t function = module->base + frame->scopes.function;
	struct call_site call = { .direct = false };
	struct value_frame *between;
	uint64_t target;

	switch (debug_call_fits(site, &frame->scopes)) {
	case DEBUG_CALLS_IT:
		return NULL;
	case DEBUG_CALLS_ANOTHER:
		if (walk->frames[(*caller)->number].module == walk->frames[frame->number].module)
			call = call_find(walk->arch, frame->memory, walk->binaries,
					 return_address(walk, (*caller)->number));
		/* The call site may give another name of the function. */
		if (call.direct && call.target == function)
			return NULL;
		between = call.direct ? jumped_from(frame, call.target, site) : NULL;
		if (between != NULL) {
			*caller = between;
			return NULL;
		}
		return arena_format(frame->arena,
				    "entry value not known: frame %zu calls %s, which "
				    "jumped to another function",
				    (*caller)->number,
				    *site->name != '\0' ? site->name : "another function");
	default:
		break;
	}
	if (site->target.dwarf.code.size == 0 ||
	    run_for_number(frame, *caller, &site->target, &target) != NULL)
		return arena_format(frame->arena, "entry value not known: the call in frame %zu is "
				    "indirect", (*caller)->number);
	return arch_code(walk->arch, target) == function
		       ? NULL : "entry value not known: the call was of another function";
}

/* Whether an expression is a register, read as a value of some type (regval_type). */
static bool
is_register(const struct debug_expression *expression, uint64_t *number)
{
	struct dwarf_operands operands;
	uint64_t at = 0;
	const struct dwarf_operation *operation =
		dwarf_operation_read(&expression->dwarf, &at, &operands);

	*number = operands.numbers[0];
	return operation != NULL && at == expression->dwarf.code.size &&
	       (operation->does == DWARF_DOES_REGISTER ||
		operation->code == DWARF_OP_REGVAL_TYPE ||
		operation->code == DWARF_OP_GNU_REGVAL_TYPE);
}

/* Finds the register through which an expression reads a word: "breg5 0; deref". */
static bool
reads_through(const struct debug_expression *expression, uint64_t *number)
{
	struct dwarf_operands operands, unused;
	uint64_t at = 0;
	const struct dwarf_operation *operation =
		dwarf_operation_read(&expression->dwarf, &at, &operands);

	*number = operands.numbers[0];
	if (operation == NULL || operation->code != DWARF_OP_BREG || operands.numbers[1] != 0)
		return false;
	operation = dwarf_operation_read(&expression->dwarf, &at, &unused);
	return operation != NULL && operation->code == DWARF_OP_DEREF &&
	       at == expression->dwarf.code.size;
}

/* Finds the call site's entry for the register or memory that an expression reads. */
static const struct debug_expression *
argument_of(const struct debug_call_site *site, const struct debug_expression *expression)
{
	uint64_t reg, passed;
	const bool direct = is_register(expression, &reg);

	if (!direct && !reads_through(expression, &reg))
		return NULL;
	for (size_t i = 0; i < site->count; i++) {
		const struct debug_call_argument *argument = &site->arguments[i];
		const struct debug_expression *found = direct ? &argument->value : &argument->data;

		if (found->dwarf.code.size > 0 && is_register(&argument->location, &passed) &&
		    passed == reg)
			return found;
	}
	return NULL;
}

/* Finds the call site's entry for a parameter without a register of its own. */
static const struct debug_expression *
parameter_of(const struct debug_call_site *site, const struct debug_entry *parameter)
{
	for (size_t i = 0; i < site->count; i++)
		if (site->arguments[i].parameter.home != NULL &&
		    site->arguments[i].parameter.unit == parameter->unit &&
		    site->arguments[i].parameter.offset == parameter->offset)
			return &site->arguments[i].value;
	return NULL;
}

/* Finds the call of this frame's function, in frame `*by`. Returns the reason if it cannot. */
static const char *
find_call(struct value_frame *frame, struct value_frame **by, struct debug_call_site *site)
{
	const char *why = NULL;
	struct value_frame *caller = *by = caller_of(frame, &why);

	if (caller == NULL)
		return why;
	const struct walk *walk = frame->walk;
	const struct frame *found = &walk->frames[caller->number];
	const int module = found->module;
	if (module == MODULE_NONE || caller->scopes.count == 0)
		return arena_format(frame->arena, "entry value not known: frame %zu has no debug "
				    "information", caller->number);
	const uint64_t returns = arch_code(walk->arch, return_address(walk, caller->number)) -
				 walk->crash->modules[module].base;
	if (!debug_call_site_at(walk->binaries, (size_t)module, caller->relative, returns,
				frame->arena, site))
		return arena_format(frame->arena,
				    "entry value not known: frame %zu has no call site "
				    "for this call",
				    caller->number);
	return check_called(frame, by, site);
}

const char *
value_frame_through(struct value_frame *frame)
{
	struct debug_call_site site;
	struct value_frame *caller;

	return frame->why == NULL && find_call(frame, &caller, &site) == NULL && caller->jumped
		       ? caller->scopes.items[caller->scopes.count - 1].written : NULL;
}

/* Reads a register or parameter as it was at this frame's entry, from the caller's call site. */
static const char *
read_argument(void *context, const struct debug_expression *expression,
	      const struct debug_entry *parameter, uint64_t *value)
{
	struct value_frame *frame = context;
	struct debug_call_site site;
	struct value_frame *caller;
	const char *why = find_call(frame, &caller, &site);

	if (why != NULL)
		return why;
	const struct debug_expression *argument =
		parameter != NULL ? parameter_of(&site, parameter)
				  : argument_of(&site, expression);
	if (argument == NULL)
		return arena_format(frame->arena,
				    "entry value not known: the call site in frame %zu "
				    "does not give it",
				    caller->number);
	return run_for_number(frame, caller, argument, value);
}

/* Frames --------------------------------------------------------------------------------------- */

const struct location_result *
value_frame_run(struct value_frame *frame, const struct debug_expression *expression,
		const struct location_start *start, struct arena *arena)
{
	const struct location_source source = {
		.arch = frame->walk->arch, .context = frame, .reg = read_register,
		.memory = read_memory, .cfa = read_cfa, .frame_base = read_frame_base,
		.entry = read_argument, .thread_local = thread_local_at, .loaded = loaded_at,
		.call = called_by, .answer = take_answer,
	};
	struct location_result *result = arena_alloc(arena, sizeof(*result));

	if (result == NULL)
		return NULL;
	if (*frame->operations >= LIMIT_FRAME_OPERATIONS) {
		result->count = 1;
		result->parts[0] = (struct location_part){
			.kind = LOCATION_ABSENT, .why = "too many operations for one frame" };
		return result;
	}
	location_run(expression, &source, start, arena, result);
	*frame->operations += result->operations;
	if (result->operations > USUAL_OPERATIONS)
		*frame->work += (result->operations - USUAL_OPERATIONS) * DWARF_OP_WORK;
	return result;
}

struct value_frame *
frame_variables_of(struct walk *walk, const struct memory_view *memory, size_t number,
		   struct arena *arena)
{
	struct value_frame *frame = value_frame_make(walk, memory, number, arena);

	if (frame != NULL && walk->frames[number].module == MODULE_NONE)
		frame->why = "the frame is in no module";
	else if (frame != NULL && frame->scopes.count == 0)
		frame->why = "no debug information about variables";
	return frame;
}
