/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/dump_syms_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/demangle.h"
#include "base/demangle_msvc.h"
#include "base/sorted.h"
#include "pdb/pdb_module.h"
#include "pdb/pdb_types.h"
#include "symbols/symbols.h"

/*
 * Makes the records of a symbol file from a PDB, as Breakpad's dump_syms does (google/breakpad,
 * src/common/windows/pdb_source_line_writer.cc).
 */

struct pdb_source {
	const struct pdb *pdb;
	struct dump_syms_parts *parts;
	struct found_symbols *found;
	struct pdb_types types;
	struct pdb_scopes scopes;
	struct pdb_mapping mapping;
	struct pdb_chosen {
		struct pdb_chosen_procedure {
			uint32_t address;	/* as linked */
			uint32_t own;		/* number of the procedure's name in found->names */
			uint32_t module, offset;
			bool multiple;		/* other procedures have the same address */
		} *items;
		size_t count, capacity;
	} chosen;			/* the procedure chosen for each address */
	struct pdb_publics {
		struct pdb_public *items;	/* names of code, by address */
		size_t count, capacity;
	} publics;
	struct arena arena, scratch;
};

/* A function's name in a symbol file, and the bytes of its parameters. */
struct pdb_naming {
	const char *name;		/* name in `scratch` */
	uint32_t parameters;
};

/* STACK WIN records: first frame data, then FPO data, each in order of address. */

static void
write_record(struct pdb_source *source, const struct pdb_frame *frame, struct pdb_range range,
	     uint32_t prologue)
{
	struct symbol_text *text = &source->parts->frames;
	const char *program =
		frame->type == 0 ? NULL : pdb_name(source->pdb, frame->program, &source->scratch);
	const uint32_t fields[] = { range.address, range.size, prologue, 0, frame->parameters,
				    frame->saved_registers, frame->locals, frame->max_stack };

	/* Readers refuse a record without its program. */
	if (program != NULL && program[0] == '\0')
		return;
	symbol_text_string(text, "STACK WIN ");
	symbol_text_hex(text, frame->type);
	for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
		symbol_text_string(text, " ");
		symbol_text_hex(text, fields[i]);
	}
	if (program == NULL) {
		symbol_text_string(text, frame->allocates_base_pointer ? " 0 1\n" : " 0 0\n");
	} else {
		symbol_text_string(text, " 1 ");
		symbol_text_name(text, program, strlen(program));
		symbol_text_string(text, "\n");
	}
	source->parts->frame_count++;
}

/* Add a record for each moved part. Prologue and body share a record if they stay adjacent. */
static bool
add_frame(struct pdb_source *source, const struct pdb_frame *frame)
{
	const uint32_t first = frame->prologue < frame->size ? frame->prologue : frame->size;
	const struct pdb_range prologue = { frame->address, first };
	const struct pdb_range body = { frame->address + first, frame->size - first };
	struct pdb_range *before = NULL, *behind = NULL;
	size_t before_count = 0, behind_count = 0;

	if (source->mapping.count == 0) {
		write_record(source, frame, (struct pdb_range){ frame->address, frame->size },
			     frame->prologue);
		return true;
	}
	if ((prologue.size > 0 && !pdb_map_range(&source->mapping, prologue, &source->scratch,
						 &before, &before_count)) ||
	    (body.size > 0 && !pdb_map_range(&source->mapping, body, &source->scratch, &behind,
					     &behind_count)))
		return false;
	if (before_count == 1 && behind_count == 1 &&
	    before->address + before->size == behind->address) {
		write_record(source, frame,
			     (struct pdb_range){ before->address, before->size + behind->size },
			     before->size);
		return true;
	}
	for (size_t i = 0; i < before_count; i++)
		write_record(source, frame, before[i], before[i].size);
	for (size_t i = 0; i < behind_count; i++)
		write_record(source, frame, behind[i], 0);
	return true;
}

SORTED_BY_ALL(compare_frames, struct pdb_frame, SORTED_UP(address) SORTED_UP(offset))

/* Write the PDB's STACK WIN records to parts->frames. */
static void
dump_syms_read_stack_win(struct pdb_source *source)
{
	static const unsigned types[] = { 4, 0 };
	bool good = true;

	for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
		const size_t count = pdb_frame_count(source->pdb, types[i]);
		struct pdb_frame *frames = calloc(count + 1, sizeof(*frames));
		const struct pdb_frame *last = NULL;

		good = good && frames != NULL;
		for (size_t j = 0; good && j < count; j++)
			pdb_frame_read(source->pdb, types[i], j, &frames[j]);
		if (good && count > 0)
			SORT(frames, count, compare_frames);
		for (size_t j = 0; good && j < count; last = &frames[j++]) {
			if (last != NULL && last->address == frames[j].address &&
			    last->size == frames[j].size && last->prologue == frames[j].prologue)
				continue;
			good = add_frame(source, &frames[j]);
			arena_reset(&source->scratch);
		}
		free(frames);
	}
	source->parts->frames.failed |= !good;
}

/* Names and sizes of parameters as Breakpad's dump_syms writes them. */

#define REGISTER_EBP 22u
/* The least offset of a parameter from ebp. The saved ebp is at 0, and locals are below it. */
#define FIRST_PARAMETER 4

/* Get the undecorated name. True if the decoration included the size of the parameters. */
static bool
undecorate(struct pdb_source *source, struct text decorated, struct pdb_naming *naming)
{
	struct arena *arena = &source->scratch;
	struct text name = decorated;
	bool sized = false;

	*naming = (struct pdb_naming){ 0 };
	if (source->parts->options.mangled) {
		struct text ignored = decorated;

		sized = pdb_undecorate_c(&ignored, &naming->parameters);
	} else if (!msvc_demangle(decorated, MSVC_BREAKPAD, arena, &name)) {
		/* MinGW compilers use the C++ mangling of other systems. */
		name = demangle(decorated, arena);
		if (name.start == decorated.start)
			sized = pdb_undecorate_c(&name, &naming->parameters);
	}
	naming->name = text_copy(arena, name);
	if (naming->name == NULL || *naming->name == '\0')
		naming->name = SYMBOL_NAME_OMITTED;
	return sized;
}

/* Bytes of the parameters in memory, from the records that DIA shows. */
static uint32_t
parameters_of(struct pdb_source *source, const struct pdb_module *module,
	      const struct pdb_procedure *procedure)
{
	int64_t lowest = INT64_MAX, highest = FIRST_PARAMETER;
	uint32_t at = procedure->offset, type, bits;
	struct pdb_symbol symbol;
	uint16_t reg;

	while (pdb_symbol_next(&module->symbols, &at, procedure->end, &symbol)) {
		if (symbol.kind != S_REGREL32 || !reader_u32(&symbol.data, 0, &bits) ||
		    !reader_u32(&symbol.data, 4, &type) || !reader_u16(&symbol.data, 8, &reg) ||
		    reg != REGISTER_EBP)
			continue;
		const int64_t offset = (int64_t)checked_extend(bits, 32);
		if (offset < FIRST_PARAMETER)
			continue;
		const uint64_t size = pdb_type_size(&source->types, type) & UINT32_MAX;
		const int64_t end = offset + (int64_t)((size + 3) & ~UINT64_C(3));
		lowest = offset < lowest ? offset : lowest;
		highest = end > highest ? end : highest;
	}
	return lowest == INT64_MAX ? 0 : (uint32_t)(highest - lowest);
}

/* Whether an undecorated name is `own`, perhaps followed by parameters. */
static bool
is_named(const char *undecorated, struct text own)
{
	return strncmp(undecorated, own.start, own.length) == 0 &&
	       (undecorated[own.length] == '\0' || undecorated[own.length] == '(');
}

static void
name_by_type(struct pdb_source *source, const struct pdb_procedure *procedure,
	     struct pdb_naming *naming)
{
	const uint32_t type = procedure->id ? pdb_id_type(&source->types, procedure->type)
					    : procedure->type;
	const char *parameters = pdb_type_parameters(&source->types, type, &source->scratch);

	naming->name = arena_format(&source->scratch, "%.*s%s", (int)procedure->name.length,
				    procedure->name.start,
				    source->parts->options.mangled ? "" : parameters);
	if (naming->name == NULL || procedure->name.length == 0)
		naming->name = SYMBOL_NAME_OMITTED;
}

/* The name of a procedure, from the public symbol at its address or else from its type. */
static struct pdb_naming
pdb_name_procedure(struct pdb_source *source, const struct pdb_module *module,
		   const struct pdb_procedure *procedure)
{
	const uint32_t address = procedure->part ? procedure->whole : procedure->address;
	struct pdb_naming naming = { 0 };
	bool found = false, sized = false;

	size_t at;
	BISECT(at, source->publics.count, source->publics.items[at].address < address);
	for (size_t i = at;
	     i < source->publics.count && source->publics.items[i].address == address; i++) {
		struct pdb_naming other;

		if (!pdb_public_suits(source->publics.items[i].name, procedure->name))
			continue;
		const bool other_sized = undecorate(source, source->publics.items[i].name, &other);
		if (found && !is_named(other.name, procedure->name))
			continue;
		const bool better = !found || !is_named(naming.name, procedure->name);
		naming = better ? other : naming;
		sized = better ? other_sized : sized;
		found = true;
	}
	/* Linkers replace a name that is too long by a digest ("??@...@"). */
	const bool opaque = found && naming.name[0] == '?' && !source->parts->options.mangled;
	if (!found || (opaque && procedure->name.length > 0))
		name_by_type(source, procedure, &naming);
	if (!sized && source->pdb->machine == PE_MACHINE_X86)
		naming.parameters = parameters_of(source, module, procedure);
	/*
	 * Visual C++ writes a blank before names it cannot spell; readers would see an empty field.
	 */
	naming.name += strspn(naming.name, " ");
	return naming;
}

/* Choice --------------------------------------------------------------------------------------- */

static bool
read_publics(struct pdb_source *source)
{
	const size_t count = pdb_public_count(source->pdb);

	for (size_t i = 0; i < count; i++) {
		struct pdb_public public;

		if (!pdb_public_read(source->pdb, i, &source->arena, &public) || !public.code)
			continue;
		if (!GROWN_ADD(source->publics, &public))
			return false;
	}
	return true;
}

SORTED_BY_ALL(compare_publics, struct pdb_public, SORTED_UP(address) SORTED_UP(offset))
SORTED_BY_ALL(compare_chosen, struct pdb_chosen_procedure, SORTED_UP(address) SORTED_UP(module)
	      SORTED_UP(offset))

static bool
choose_in(struct pdb_source *source, const struct pdb_module *module)
{
	for (size_t i = 0; i < module->procedure_count; i++) {
		const struct pdb_procedure *procedure = &module->procedures[i];

		if (procedure->thunk || procedure->part)
			continue;
		const uint32_t own = text_table_add(&source->found->names, procedure->name);
		const struct pdb_chosen_procedure chosen = { procedure->address, own,
							     (uint32_t)module->number,
							     procedure->offset, false };
		if (own == NAME_NONE || !GROWN_ADD(source->chosen, &chosen))
			return false;
	}
	return true;
}

static struct text
own_name(const struct pdb_source *source, const struct pdb_chosen_procedure *procedure)
{
	const struct known_name *name = &source->found->names.items[procedure->own];

	return (struct text){ name->text, name->length };
}

/* If the linker folded several procedures to one address, choose the name that sorts first. */
static void
choose(struct pdb_source *source)
{
	struct pdb_chosen *chosen = &source->chosen;
	size_t kept = 0;

	SORT(chosen->items, chosen->count, compare_chosen);
	for (size_t i = 0; i < chosen->count; i++) {
		const struct pdb_chosen_procedure *next = &chosen->items[i];
		struct pdb_chosen_procedure *last = &chosen->items[kept > 0 ? kept - 1 : 0];

		if (kept == 0 || last->address != next->address) {
			chosen->items[kept++] = *next;
			continue;
		}
		if (text_order(own_name(source, next), own_name(source, last)) < 0)
			*last = *next;
		last->multiple = true;
	}
	chosen->count = kept;
}

static const struct pdb_chosen_procedure *
chosen_at(const struct pdb_source *source, uint32_t address)
{
	size_t at;

	BISECT(at, source->chosen.count, source->chosen.items[at].address < address);
	return at < source->chosen.count && source->chosen.items[at].address == address
		       ? &source->chosen.items[at] : NULL;
}

/* Records -------------------------------------------------------------------------------------- */

static uint32_t
file_number(struct pdb_source *source, const struct pdb_module *module, uint32_t file)
{
	const char *path = pdb_file(module, file, &source->scratch);

	return text_table_add(&source->found->files, text_of(*path != '\0' ? path
									    : "unknown file"));
}

/* A contiguous part of a function, after its code was moved. */
struct function_run {
	struct found_function *function;
	const struct pdb_body *body;
	const struct pdb_module *module;
};

static bool
add_line(struct pdb_source *source, const struct function_run *run, struct pdb_range range,
	 const struct pdb_row *row)
{
	const struct found_function *function = run->function;

	if (range.size == 0 || range.address < function->low || range.address >= function->high)
		return true;
	const uint32_t file = file_number(source, run->module, row->file);
	const struct found_line line = { .offset = (uint32_t)(range.address - function->low),
					 .size = range.size, .line = row->line, .file = file };
	if (file == NAME_NONE || !GROWN_ADD(source->found->lines, &line))
		return false;
	run->function->line_count++;
	return true;
}

static bool
add_lines(struct pdb_source *source, const struct function_run *run)
{
	struct pdb_range *ranges;
	bool good = true;
	size_t count;

	run->function->first_line = source->found->lines.count;
	for (size_t i = 0; good && i < run->body->row_count; i++) {
		const struct pdb_row *row = &run->body->rows[i];

		good = pdb_map_range(&source->mapping,
				     (struct pdb_range){ row->address, row->size },
				     &source->scratch, &ranges, &count);
		for (size_t j = 0; good && j < count; j++)
			good = add_line(source, run, ranges[j], row);
	}
	return good;
}

static bool
add_call(struct pdb_source *source, const struct function_run *run, const struct pdb_call *of)
{
	struct found_symbols *found = source->found;
	const uint32_t id = pdb_scope_id(&source->scopes, run->module, of->id);
	const char *name = pdb_id_name(&source->types, id, &source->scratch);
	struct found_call call = {
		.name = text_table_add(&found->names,
				       text_of(*name != '\0' ? name : SYMBOL_NAME_OMITTED)),
		/* Never NAME_NONE: rust-minidump refuses the number -1 in a symbol file. */
		.file = file_number(source, run->module, of->file),
		.line = of->line, .depth = of->depth, .first_range = found->ranges.count };
	struct pdb_range *ranges;
	size_t count;

	for (size_t i = 0; i < of->range_count; i++) {
		if (!pdb_map_range(&source->mapping, of->ranges[i], &source->scratch, &ranges,
				   &count))
			return false;
		for (size_t j = 0; j < count; j++) {
			if (!GROWN_ADD(found->ranges,
				       &(struct dwarf_range){ ranges[j].address,
							      ranges[j].address +
								      (uint64_t)ranges[j].size }))
				return false;
			call.range_count++;
		}
	}
	if (call.name == NAME_NONE || !GROWN_ADD(found->calls, &call))
		return false;
	run->function->call_count++;
	return true;
}

/* Add a function's records: one for each place that its code was moved to. */
static bool
add_function(struct pdb_source *source, const struct pdb_module *module,
	     const struct pdb_procedure *procedure, bool multiple)
{
	const struct pdb_naming naming = pdb_name_procedure(source, module, procedure);
	const uint32_t name = text_table_add(&source->found->names, text_of(naming.name));
	struct pdb_range *ranges;
	struct pdb_body body;
	size_t count;

	/* Lines beyond a limit are omitted. */
	pdb_body_read(module, procedure, !source->parts->options.no_calls, &source->scratch, &body);
	if (name == NAME_NONE ||
	    !pdb_map_range(&source->mapping,
			   (struct pdb_range){ procedure->address, procedure->size },
			   &source->scratch, &ranges, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct found_function *function = GROWN_PUSH(source->parts->functions);
		const struct function_run run = { function, &body, module };

		if (function == NULL)
			return false;
		*function = (struct found_function){
			.low = ranges[i].address, .high = ranges[i].address +
							  (uint64_t)ranges[i].size,
			.order = procedure->part, .name = name, .multiple = multiple,
			.parameters = naming.parameters };
		if (!add_lines(source, &run))
			return false;
		function->first_call = source->found->calls.count;
		for (size_t call = 0; call < body.call_count; call++)
			if (!add_call(source, &run, &body.calls[call]))
				return false;
	}
	return true;
}

static bool
add_module(struct pdb_source *source, const struct pdb_module *module)
{
	for (size_t i = 0; i < module->procedure_count; i++) {
		const struct pdb_procedure *procedure = &module->procedures[i];
		const struct pdb_chosen_procedure *chosen =
			chosen_at(source, procedure->part ? procedure->whole : procedure->address);

		if (procedure->thunk || chosen == NULL || chosen->module != module->number ||
		    chosen->offset != procedure->offset)
			continue;
		if (!add_function(source, module, procedure, chosen->multiple && !procedure->part))
			return false;
		arena_reset(&source->scratch);
	}
	return true;
}

/* For each address without a procedure, add the public whose name sorts first. */
static bool
add_publics(struct pdb_source *source)
{
	struct found_publics *publics = &source->parts->publics;
	struct arena *arena = &source->parts->names;
	struct text least = { 0 };
	uint32_t moved;

	for (size_t i = 0; i < source->publics.count; i++) {
		const struct pdb_public *public = &source->publics.items[i];
		const bool again = i > 0 && public[-1].address == public->address;

		if (chosen_at(source, public->address) != NULL ||
		    !pdb_moved_address(source->pdb, public->address, &moved))
			continue;
		struct found_public *last =
			again ? &publics->items[publics->count - 1] : GROWN_PUSH(*publics);
		if (last == NULL)
			return false;
		if (!again)
			*last = (struct found_public){ .address = moved };
		last->multiple = again;
		if (again && text_order(public->name, least) >= 0)
			continue;
		struct pdb_naming naming;
		undecorate(source, public->name, &naming);
		least = public->name;
		last->parameters = naming.parameters;
		last->name = arena_string(arena, naming.name);
		arena_reset(&source->scratch);
		if (last->name == NULL)
			return false;
	}
	return true;
}

SORTED_BY_ALL(compare_functions, struct found_function, SORTED_UP(order) SORTED_UP(low)
	      SORTED_UP(high))
SORTED_BY_ALL(compare_found, struct found_public, SORTED_UP(address))

/* Read all modules twice: first for the functions, then for their records. */
static bool
read_modules(struct pdb_source *source, bool (*read)(struct pdb_source *,
						     const struct pdb_module *))
{
	const struct pdb *pdb = source->pdb;
	bool good = true;

	for (size_t i = 0; good && i < pdb->module_count; i++) {
		struct pdb_module module;

		if (!pdb_module_open(&module, pdb, i))
			continue;
		good = read(source, &module);
		if (read == add_module && module.damaged > 0) {
			if (source->parts->damaged++ == 0)
				source->parts->damage =
					msf_place(&pdb->msf, module.stream, module.damage, 1);
		}
		pdb_module_close(&module);
	}
	return good;
}

static bool
read_all(struct pdb_source *source)
{
	struct dump_syms_parts *parts = source->parts;
	const bool functions = !parts->options.no_functions;

	if (!pdb_mapping_build(&source->mapping, source->pdb, &source->arena) ||
	    !read_publics(source))
		return false;
	SORT(source->publics.items, source->publics.count, compare_publics);
	if (!read_modules(source, choose_in))
		return false;
	choose(source);
	if ((functions && !read_modules(source, add_module)) ||
	    (!parts->options.no_publics && !add_publics(source)))
		return false;
	SORT(parts->functions.items, parts->functions.count, compare_functions);
	SORT(parts->publics.items, parts->publics.count, compare_found);
	if (!parts->options.no_frames)
		dump_syms_read_stack_win(source);
	return true;
}

bool
dump_syms_read_pdb(struct dump_syms_parts *parts, const struct pdb *pdb)
{
	struct pdb_source source = { .pdb = pdb, .parts = parts };

	parts->readers = calloc(1, sizeof(*parts->readers));
	if (parts->readers == NULL)
		return false;
	parts->reader_count = 1;
	source.found = &parts->readers[0].found;
	source.found->names.long_ones.most = parts->names_written.most;
	source.found->files.long_ones.most = parts->names_written.most;
	pdb_types_open(&source.types, pdb);
	source.scopes = (struct pdb_scopes){ .pdb = pdb };
	const bool good = read_all(&source);
	pdb_types_close(&source.types);
	pdb_scopes_close(&source.scopes);
	free(source.chosen.items);
	free(source.publics.items);
	arena_free(&source.arena);
	arena_free(&source.scratch);
	return good;
}
