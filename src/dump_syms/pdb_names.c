/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/demangle.h"
#include "base/demangle_msvc.h"
#include "base/sorted.h"
#include "dump_syms/pdb_functions.h"

/* Names and sizes of parameters as Breakpad's dump_syms writes them. */

#define MACHINE_X86 0x14cu
#define REGISTER_EBP 22u
/* The least offset of a parameter from ebp: below it are the locals, at 0 the saved ebp. */
#define FIRST_PARAMETER 4
/* Bytes of parameters that __fastcall passes in registers. */
#define FASTCALL_REGISTERS 8u

/* The first public at or above a linked address. */
static size_t
first_public(const struct pdb_source *source, uint32_t address)
{
	size_t at;

	BISECT(at, source->publics.count, source->publics.items[at].address < address);
	return at;
}

/* "_name@8" and "@name@8" of C functions; "_name" too. A size must not begin with a zero. */
static bool
undecorate_c(struct text *name, uint32_t *parameters)
{
	const char first = name->length > 1 ? name->start[0] : '\0';
	size_t at = name->length;
	uint64_t size = 0;

	if (first != '_' && first != '@')
		return false;
	while (at > 0 && name->start[at - 1] >= '0' && name->start[at - 1] <= '9')
		at--;
	const size_t digits = name->length - at;
	if (at > 1 && name->start[at - 1] == '@' && digits > 0 && digits < 10 &&
	    (name->start[at] != '0' || digits == 1)) {
		for (size_t i = at; i < name->length; i++)
			size = 10 * size + (uint64_t)(name->start[i] - '0');
		if (first == '@')
			size = size > FASTCALL_REGISTERS ? size - FASTCALL_REGISTERS : 0;
		*parameters = (uint32_t)size;
		*name = (struct text){ name->start + 1, at - 2 };
		return true;
	}
	/* Also on x64, whose linkers put none before a name: DIA does so. */
	if (first == '_')
		*name = (struct text){ name->start + 1, name->length - 1 };
	return false;
}

/* The undecorated name; true: it includes the size of the parameters. */
static bool
undecorate(struct pdb_source *source, struct text decorated, struct pdb_naming *naming)
{
	struct arena *arena = &source->scratch;
	struct text name = decorated;
	bool sized = false;

	*naming = (struct pdb_naming){ 0 };
	if (source->parts->options.mangled) {
		struct text ignored = decorated;

		sized = undecorate_c(&ignored, &naming->parameters);
	} else if (!msvc_demangle(decorated, MSVC_BREAKPAD, arena, &name)) {
		/* MinGW compilers mangle C++ as on other systems. */
		name = demangle(decorated, arena);
		if (name.start == decorated.start)
			sized = undecorate_c(&name, &naming->parameters);
	}
	naming->name = arena_copy(arena, name.start, name.length);
	if (naming->name == NULL || *naming->name == '\0')
		naming->name = "<name omitted>";
	return sized;
}

struct pdb_naming
pdb_name_public(struct pdb_source *source, struct text decorated)
{
	struct pdb_naming naming;

	undecorate(source, decorated, &naming);
	return naming;
}

/* The end of the parameters in memory, relative to ebp, from the records that DIA shows. */
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

/* Whether an undecorated name is a procedure's, perhaps with parameters. */
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
		naming->name = "<name omitted>";
}

struct pdb_naming
pdb_name_procedure(struct pdb_source *source, const struct pdb_module *module,
		   const struct pdb_procedure *procedure)
{
	const uint32_t address = procedure->part ? procedure->whole : procedure->address;
	struct pdb_naming naming = { 0 };
	bool found = false, sized = false;

	for (size_t i = first_public(source, address);
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
	/* Linkers shorten names that are too long to a digest ("??@...@"). */
	const bool opaque = found && naming.name[0] == '?' && !source->parts->options.mangled;
	if (!found || (opaque && procedure->name.length > 0))
		name_by_type(source, procedure, &naming);
	if (!sized && source->pdb->machine == MACHINE_X86)
		naming.parameters = parameters_of(source, module, procedure);
	/*
	 * Visual C++ writes a blank before names it cannot spell; readers would see an empty field.
	 */
	naming.name += strspn(naming.name, " ");
	return naming;
}
