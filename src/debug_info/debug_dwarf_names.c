/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <string.h>

#include "debug_info/debug_dwarf_internal.h"

/* Bytes of a name with its scopes, and how often an entry may refer to another one for its name. */
enum { MOST_NAME = 4096, MOST_REFERENCES = 16 };

static const char *
string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) != NULL ? dwarf_formstring(&attribute)
								   : NULL;
}

/* Go on to the entry that declares a function, which has its name and is in its scope. */
static void
find_declaration(Dwarf_Die *die)
{
	static const unsigned ways[] = { DW_AT_specification, DW_AT_abstract_origin };

	for (size_t hop = 0, way = 0; hop < MOST_REFERENCES && way < 2; hop++) {
		Dwarf_Attribute attribute;
		Dwarf_Die next;

		for (way = 0; way < 2; way++)
			if (dwarf_attr(die, ways[way], &attribute) != NULL &&
			    dwarf_formref_die(&attribute, &next) != NULL)
				break;
		if (way < 2)
			*die = next;
	}
}

/* The name in the source behind those of its scopes. */
static const char *
scoped_name(struct debug_dwarf *dwarf, Dwarf_Die *die, const char *name)
{
	Dwarf_Die at = *die;

	find_declaration(&at);
	struct scope *scope = debug_dwarf_scope(dwarf, &at);
	if (scope == NULL || scope->name != NULL)
		return scope == NULL ? name : scope->name;
	struct scope *own = scope;
	for (size_t depth = 0; scope != NULL && depth < DEBUG_DWARF_DEPTH &&
			       dwarf_offdie(dwarf->dwarf, scope->parent, &at) != NULL;
	     depth++, scope = debug_dwarf_scope(dwarf, &at)) {
		const char *before = string_of(&at, DW_AT_name);

		if (before == NULL && dwarf_tag(&at) != DW_TAG_namespace)
			continue;
		before = before != NULL ? before : "(anonymous namespace)";
		if (strlen(before) + strlen(name) > MOST_NAME)
			break;
		const char *longer = arena_format(&dwarf->arena, "%s::%s", before, name);
		if (longer == NULL)
			return name;
		name = longer;
	}
	return own->name = name;
}

const char *
debug_dwarf_name(struct debug_dwarf *dwarf, Dwarf_Die *die, bool *written)
{
	const char *name = string_of(die, DW_AT_linkage_name);

	if (name == NULL)
		name = string_of(die, DW_AT_MIPS_linkage_name);
	*written = name == NULL;
	if (name != NULL)
		return name;
	name = string_of(die, DW_AT_name);
	return name != NULL ? scoped_name(dwarf, die, name) : "";
}

uint64_t
debug_dwarf_number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attribute) != NULL &&
			       dwarf_formudata(&attribute, &value) == 0
		       ? value
		       : 0;
}

#endif
