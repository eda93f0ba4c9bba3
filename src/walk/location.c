/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/location.h"

#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "base/limits.h"
#include "base/policy_rows.h"

/* Evidence for names --------------------------------------------------------------------------- */

/* Frames of the C library around a system call, from the innermost one outwards. */
#define MOST_CALLERS 8u

#define SIGNAL_ABORT 6u

/* Functions of C libraries by their system call. */
static const struct {
	const char *name;
	int16_t numbers[ARCH_CALLS_COUNT];
} system_calls[] = {
#define S(name, wait, arm, generic) { name, { -1, arm, generic } },
#define F(name, wait)
#define U(name, wait)
#define W(name, wait)
#include "walk/system_call.def"
};

/* Functions that the first code of a process calls (glibc, musl, uClibc; Android's C library). */
static const char *const called_first[] = { "__libc_start_main", "__libc_init" };

/*
 * The public name of a function that has several names in C libraries ("__clock_nanosleep_time64").
 */
static struct text
plain_name(struct text name)
{
	while (name.length > 0 && *name.start == '_')
		name = (struct text){ name.start + 1, name.length - 1 };
	text_drop_prefix(&name, "libc_");
	text_drop_suffix(&name, "_time64");
	return name;
}

/*
 * Whether the thread was stopped in the function's system call. The kernel leaves the call's number
 * in its register, and the number matches the name only if the name is right. abort() is accepted
 * only in the thread that SIGABRT stopped.
 */
static bool
makes_system_call(const struct walk *walk, struct text name)
{
	const struct arch *arch = walk->arch;
	const struct registers *registers = &walk->frames[0].registers;

	if (arch->call_numbers == ARCH_CALLS_UNKNOWN ||
	    !registers_known(registers, arch->call_number) ||
	    (text_is(name, "abort") && ((int)walk->thread != walk->crash->requesting_thread ||
					walk->crash->exception.code != SIGNAL_ABORT)))
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(system_calls); i++)
		if (text_is(name, system_calls[i].name) &&
		    registers->value[arch->call_number] ==
			    (uint64_t)system_calls[i].numbers[arch->call_numbers])
			return true;
	return false;
}

/* Whether the address is in a frame around the thread's system call. */
static bool
is_in_system_call(const struct walk *walk, uint64_t address)
{
	for (size_t i = 0; i < walk->count && i < MOST_CALLERS &&
			   walk->frames[i].module == walk->frames[0].module; i++)
		if (walk->frames[i].lookup == address)
			return true;
	return false;
}

/* Whether the address is in the frame that the process's first code called. */
static bool
is_called_first(const struct walk *walk, uint64_t address, struct text name)
{
	const struct frame *last = walk->frames + walk->count - 1;
	bool listed = false;

	for (size_t i = 0; i < ARRAY_COUNT(called_first); i++)
		listed = listed || text_is(name, called_first[i]);
	return listed && walk->count >= 2 && last[-1].lookup == address &&
	       walk_is_in_start(walk, last->lookup);
}

/*
 * A sentence that proves that the function of `location` contains the address: the process began at
 * the function, the first code of the process called it, or the thread was stopped in one of its
 * system calls. NULL: no evidence. A name needs such evidence if neither a symbol file nor a table
 * of unwind rules has its size.
 */
static const char *
name_evidence(const struct walk *walk, const struct location *location)
{
	const struct function *function = &location->symbol.function;
	const uint64_t begins =
		arch_code(walk->arch, location->module->base + function->address);

	if (walk->count == 0)
		return NULL;
	if (walk->bottom.entry != 0 && begins == arch_code(walk->arch, walk->bottom.entry) &&
	    walk_is_in_start(walk, location->address))
		return "the process began at it";
	if (is_called_first(walk, location->address, function->name))
		return "the first code of the process calls it";
	if (is_in_system_call(walk, location->address) &&
	    makes_system_call(walk, plain_name(function->name)))
		return "the thread was stopped in a system call that it makes";
	return NULL;
}

/* Bytes of the kernel's system call: pushes, two ways into the kernel, pops. */
#define LONGEST_SYSTEM_CALL 32u

/* Names the kernel's system call of x86 by its address in the dump; no symbol file contains it. */
static void
name_of_kernel(const struct walk *walk, struct location *location)
{
	const uint64_t call = walk->crash->system_call;

	if (!walk->policy.value[POLICY_FILE_NAMES] || call == 0 || location->address < call ||
	    location->address - call >= LONGEST_SYSTEM_CALL || call < location->module->base)
		return;
	location->symbol.found = true;
	location->symbol.section = "AT_SYSINFO";
	location->symbol.function = (struct function){ .kind = SYMBOL_PUBLIC,
						       .address = call - location->module->base,
						       .name = text_of("__kernel_vsyscall") };
}

/* Locations ------------------------------------------------------------------------------------ */

static void
find_module(const struct walk *walk, struct location *location)
{
	const struct crash *crash = walk->crash;

	location->module_index = module_map_find(&walk->modules, location->address);
	if (location->module_index != MODULE_NONE) {
		location->module = &crash->modules[location->module_index];
		location->symfile = walk_symfile(walk, location->module_index);
		location->lacking = walk_lacks_symbols(walk, location->module_index);
		return;
	}
	location->module_index = module_map_find_unloaded(&walk->modules, location->address);
	if (location->module_index != MODULE_NONE)
		location->module = &crash->unloaded[location->module_index];
}

void
location_turn_calls(const struct symbol *symbol, struct call *calls)
{
	const struct text leaf = symbol->has_line ? symbol->line.file : text_of("");
	struct text file = leaf;
	uint32_t line = symbol->line.line;
	bool has_line = symbol->has_line;

	for (size_t i = 0; i <= symbol->inline_count; i++) {
		const struct inline_call *inlined =
			i < symbol->inline_count ? &symbol->inlines[i] : NULL;

		calls[i] = (struct call){
			.name = inlined != NULL ? inlined->name : symbol->function.name,
			.file = file,
			.line = line,
			.has_line = has_line,
			.function_base = inlined != NULL ? inlined->address
							 : symbol->function.address,
			.line_base = symbol->has_line ? symbol->line.address : 0,
			.inlined = inlined,
		};
		if (inlined == NULL)
			break;
		/*
		 * Breakpad uses the leaf's file if a record has no usable call file; a PDB without
		 * the line of a call has no file either.
		 */
		has_line = inlined->own_file == NULL || inlined->call_line != 0;
		file = inlined->call_file.length > 0 || !has_line ? inlined->call_file : leaf;
		line = inlined->call_line;
	}
}

void
location_show_name(struct call *call, struct text shown)
{
	if (shown.start != call->name.start)
		call->mangled = call->name;
	call->name = shown;
}

void
location_of(const struct walk *walk, uint64_t address, struct arena *arena,
	    struct location *location)
{
	*location = (struct location){ .address = address };
	find_module(walk, location);
	if (location->module != NULL && !location->module->unloaded) {
		const struct symbol_sources sources =
			walk_symbol_sources(walk, location->module_index);

		symbol_at(&sources, address, arena, &location->symbol);
		if (location->symbol.uncertain)
			location->symbol.evidence = name_evidence(walk, location);
		location->symbol.uncertain &= location->symbol.evidence == NULL;
		if (!location->symbol.found && crash_is_kernels(location->module))
			name_of_kernel(walk, location);
		location->symbol.after.name = demangle_memo_shown(
			walk->names, &walk->policy, location->symbol.after.name);
	}
	location->call_count = location->symbol.inline_count + 1;
	location->calls = arena_array(arena, location->call_count, sizeof(*location->calls));
	if (location->calls == NULL) {
		location->calls = &location->bare;
		location->call_count = 1;
		return;
	}
	location_turn_calls(&location->symbol, location->calls);
	/* The walk keeps names, because they outlive a location. */
	for (size_t i = 0; i < location->call_count; i++)
		location_show_name(&location->calls[i],
				   demangle_memo_shown(walk->names, &walk->policy,
						       location->calls[i].name));
}

/* Counts a long text, or cuts it if the document has reached its limit. */
static void
count_text(struct text *text, size_t *named, struct arena *arena)
{
	char cut[TEXT_CUT_ROOM];

	if (text->length <= LIMIT_NAME_CUT)
		return;
	if (*named < LIMIT_WALK_NAMES) {
		*named += text->length;
		return;
	}
	const struct text shorter = text_cut_sized(*text, cut);
	const char *copy = text_copy(arena, shorter);
	if (copy != NULL)
		*text = (struct text){ copy, shorter.length };
}

void
location_of_frame(const struct walk *walk, const struct frame *frame, size_t *named,
		  struct arena *arena, struct location *location)
{
	location_of(walk, frame->lookup, arena, location);
	location->trampoline = frame->trampoline;
	/* A handler returns to a trampoline's first byte: a lower symbol is not its name. */
	if (frame->trampoline && location->symbol.uncertain) {
		location->symbol = (struct symbol){ .found = false };
		location->calls = &location->bare;
		location->call_count = 1;
	}
	for (size_t i = 0; named != NULL && i < location->call_count; i++) {
		count_text(&location->calls[i].name, named, arena);
		count_text(&location->calls[i].mangled, named, arena);
		count_text(&location->calls[i].file, named, arena);
	}
}

/* Joins a name and a distance. The name may hold any byte, so it is copied, not formatted. */
static struct text
with_distance(struct text name, uint64_t distance, const char *behind, struct arena *arena)
{
	const struct text end =
		text_of(text_or_empty(arena_format(arena, " + 0x%" PRIx64 "%s", distance, behind)));
	char *whole = arena_array(arena, name.length + end.length + 1, 1);

	if (whole == NULL)
		return name;
	memcpy(whole, name.start, name.length);
	memcpy(whole + name.length, end.start, end.length);
	return (struct text){ whole, name.length + end.length };
}

struct text
location_name(const struct location *location, const struct call *call, uint64_t pc, bool always,
	      struct arena *arena)
{
	const struct module *module = location->module;

	if (module == NULL)
		return text_of(location->trampoline ? "in no module" LOCATION_HANDLER_CALLED
						    : "in no module");
	if (call->name.length == 0)
		return with_distance(text_of(place_base_name(module->code_file)),
				     pc - module->base,
				     module->unloaded	    ? " (unloaded)"
				     : location->trampoline ? LOCATION_HANDLER_CALLED : "",
				     arena);
	if (call->file.length != 0 && !always && !location->trampoline)
		return call->name;
	return with_distance(call->name, pc - module->base - call->function_base,
			     location->trampoline	  ? LOCATION_HANDLER_CALLED
			     : location->symbol.uncertain ? " (?)" : "", arena);
}

struct text
location_of_symbol(const struct module *module, const struct symbol *symbol, struct text shown,
		   uint64_t address, struct arena *arena)
{
	const struct location location = { .address = address, .module = module,
					   .symbol.uncertain = symbol->uncertain };
	const struct call call = { .name = shown, .function_base = symbol->function.address };

	if (shown.length > 0 && address == module->base + symbol->function.address)
		return shown;
	return location_name(&location, &call, address, true, arena);
}

struct text
location_after(const struct location *location, uint64_t pc, struct arena *arena)
{
	const struct function *after = &location->symbol.after;

	if (after->name.length == 0)
		return text_of("");
	return text_of(text_or_empty(arena_format(arena, "after %.*s + 0x%" PRIx64,
		TEXT_UPTO(after->name, 4096), pc - location->module->base - after->address)));
}

struct text
location_frame_name(const struct walk *walk, const struct frame *frame, bool always,
		    struct arena *arena)
{
	struct location location;

	location_of_frame(walk, frame, NULL, arena, &location);
	return location_name(&location, &location.calls[location.call_count - 1],
			     frame->registers.value[walk->arch->pc], always, arena);
}

/* Whether the function at `pc`, or one of its lines, begins where only Thumb code can. */
static bool
has_thumb_lines(const struct walk *walk, uint64_t pc)
{
	const int module = module_map_find(&walk->modules, pc);
	struct function_body body = { 0 };
	struct arena arena = { 0 };
	bool found = false;

	if (module == MODULE_NONE)
		return false;
	const struct symbol_sources sources = walk_symbol_sources(walk, module);
	if (symbol_at_body(&sources, pc, &arena, &body))
		found = ((body.function.address | body.function.size) & 2) != 0;
	for (size_t i = 0; i < body.line_count && !found; i++)
		found = (body.lines[i].address & 2) != 0;
	arena_free(&arena);
	return found;
}

bool
location_is_thumb(const struct walk *walk, const struct registers *registers, uint64_t pc)
{
	const struct arch *arch = walk->arch;
	const enum arch_thumb told = arch_thumb(arch, registers);

	if (arch->mode_bit == 0 || (pc & 3) != 0)
		return arch->mode_bit != 0;
	if (told != ARCH_THUMB_UNTOLD)
		return told == ARCH_THUMB_YES;
	return has_thumb_lines(walk, pc) ||
	       (registers_known(registers, arch->lr) &&
		(registers->value[arch->lr] & arch->mode_bit) != 0);
}

bool
location_has_debug_line(const struct walk *walk, const struct frame *frame)
{
	struct arena arena = { 0 };
	struct location location;

	location_of(walk, frame->lookup, &arena, &location);
	const bool found = location.symfile == NULL &&
			   location.calls[location.call_count - 1].has_line;
	arena_free(&arena);
	return found;
}
