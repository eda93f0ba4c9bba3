/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump_syms/pdb_functions.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "pdb/pdb_body.h"

/* Which ---------------------------------------------------------------------------------------- */

static bool
read_publics(struct pdb_source *source)
{
	const size_t count = pdb_public_count(source->pdb);

	for (size_t i = 0; i < count; i++) {
		struct pdb_public public;

		if (!pdb_public_read(source->pdb, i, &source->arena, &public) || !public.code)
			continue;
		struct pdb_public *added = GROWN_PUSH(source->publics);
		if (added == NULL)
			return false;
		*added = public;
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
		struct pdb_chosen_procedure *added = GROWN_PUSH(source->chosen);
		const uint32_t own = text_table_add(&source->found->names, procedure->name);
		if (added == NULL || own == NAME_NONE)
			return false;
		*added = (struct pdb_chosen_procedure){ procedure->address, own,
							(uint32_t)module->number,
							procedure->offset, false };
	}
	return true;
}

static int
compare_names(struct text a, struct text b)
{
	const int order = memcmp(a.start, b.start, a.length < b.length ? a.length : b.length);

	return order != 0 ? order : a.length < b.length ? -1 : a.length > b.length;
}

static struct text
own_name(const struct pdb_source *source, const struct pdb_chosen_procedure *procedure)
{
	const struct known_name *name = &source->found->names.items[procedure->own];

	return (struct text){ name->text, name->length };
}

/* Linkers fold procedures to one address: the least name is used. */
static void
choose(struct pdb_source *source)
{
	struct pdb_chosen *chosen = &source->chosen;
	size_t kept = 0;

	if (chosen->count > 0)
		qsort(chosen->items, chosen->count, sizeof(*chosen->items), compare_chosen);
	for (size_t i = 0; i < chosen->count; i++) {
		const struct pdb_chosen_procedure *next = &chosen->items[i];
		struct pdb_chosen_procedure *last = &chosen->items[kept > 0 ? kept - 1 : 0];

		if (kept == 0 || last->address != next->address) {
			chosen->items[kept++] = *next;
			continue;
		}
		if (compare_names(own_name(source, next), own_name(source, last)) < 0)
			*last = *next;
		last->multiple = true;
	}
	chosen->count = kept;
}

/* The choice for an address, or NULL. */
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

/* A part of a function that was moved as a whole. */
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
	struct found_line *line = GROWN_PUSH(source->found->lines);
	if (line == NULL || file == NAME_NONE)
		return false;
	*line = (struct found_line){ .offset = (uint32_t)(range.address - function->low),
				     .size = range.size, .line = row->line, .file = file };
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
				       text_of(*name != '\0' ? name : "<name omitted>")),
		/* Always a number: rust-minidump refuses the complete file for a -1. */
		.file = file_number(source, run->module, of->file),
		.line = of->line, .depth = of->depth, .first_range = found->ranges.count };
	struct pdb_range *ranges;
	size_t count;

	for (size_t i = 0; i < of->range_count; i++) {
		if (!pdb_map_range(&source->mapping,
				   (struct pdb_range){ of->ranges[i].address, of->ranges[i].size },
				   &source->scratch, &ranges, &count))
			return false;
		for (size_t j = 0; j < count; j++) {
			struct dwarf_range *range = GROWN_PUSH(found->ranges);

			if (range == NULL)
				return false;
			*range = (struct dwarf_range){ ranges[j].address, ranges[j].address +
						       (uint64_t)ranges[j].size };
			call.range_count++;
		}
	}
	struct found_call *added = GROWN_PUSH(found->calls);
	if (added == NULL || call.name == NAME_NONE)
		return false;
	*added = call;
	run->function->call_count++;
	return true;
}

static bool
add_calls(struct pdb_source *source, const struct function_run *run)
{
	bool good = true;

	run->function->first_call = source->found->calls.count;
	for (size_t i = 0; good && i < run->body->call_count; i++)
		good = add_call(source, run, &run->body->calls[i]);
	return good;
}

/* A function's records: one for each place that its code was moved to. */
static bool
add_function(struct pdb_source *source, const struct pdb_module *module,
	     const struct pdb_procedure *procedure, bool multiple)
{
	const struct pdb_naming naming = pdb_name_procedure(source, module, procedure);
	const uint32_t name = text_table_add(&source->found->names, text_of(naming.name));
	struct pdb_range *ranges;
	struct pdb_body body;
	size_t count;

	/* Lines over a limit are left out. */
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
		if (!add_lines(source, &run) || !add_calls(source, &run))
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

/* Publics at addresses without a procedure; if there are several, the least name. */
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
		if (again && compare_names(public->name, least) >= 0)
			continue;
		const struct pdb_naming naming = pdb_name_public(source, public->name);
		least = public->name;
		last->parameters = naming.parameters;
		last->name = arena_copy(arena, naming.name, strlen(naming.name));
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
	if (source->publics.count > 0)
		qsort(source->publics.items, source->publics.count,
		      sizeof(*source->publics.items), compare_publics);
	if (!read_modules(source, choose_in))
		return false;
	choose(source);
	if ((functions && !read_modules(source, add_module)) ||
	    (!parts->options.no_publics && !add_publics(source)))
		return false;
	if (parts->functions.count > 0)
		qsort(parts->functions.items, parts->functions.count,
		      sizeof(*parts->functions.items), compare_functions);
	if (parts->publics.count > 0)
		qsort(parts->publics.items, parts->publics.count, sizeof(*parts->publics.items),
		      compare_found);
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
	pdb_scopes_open(&source.scopes, pdb);
	const bool good = read_all(&source);
	pdb_types_close(&source.types);
	pdb_scopes_close(&source.scopes);
	free(source.chosen.items);
	free(source.publics.items);
	arena_free(&source.arena);
	arena_free(&source.scratch);
	return good;
}
