/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/dynamic_type.h"

#include <string.h>

#include "base/demangle.h"
#include "crash/module_map.h"
#include "walk/symbol_at.h"

/* Maximum depth of first bases that are searched for the virtual table pointer. */
enum { DEEPEST_BASE = 16 };
/* Words before the functions of a table: offset to the complete object, and type of the object. */
enum { TABLE_HEAD = 2 };

static const char table_of[] = "vtable for ";
/* The name of a table of Visual C++, which may continue with "{for `BASE'}". */
static const char before_class[] = "const ", after_class[] = "::`vftable'";

struct text
value_symbol(const struct value_frame *frame, uint64_t address, uint64_t *distance)
{
	const struct walk *walk = frame->walk;
	const int module = module_map_find(&walk->modules, address);
	struct symbol symbol;

	if (module == MODULE_NONE)
		return text_of("");
	walk_symbol_own(walk, module, address, &symbol);
	*distance = address - walk->crash->modules[module].base - symbol.function.address;
	return demangle_memo_shown(walk->names, &walk->policy, symbol.function.name);
}

/* Whether objects of a type begin with a pointer to a virtual table, perhaps in a base. */
static bool
has_table(const struct debug_type *type, struct arena *arena)
{
	struct debug_member *members;

	for (unsigned depth = 0; type->kind == DEBUG_TYPE_STRUCTURE && depth < DEEPEST_BASE;
	     depth++) {
		const size_t count = debug_type_members(type, arena, &members);
		const struct debug_member *first = NULL;

		for (size_t i = 0; i < count && first == NULL; i++)
			if (!members[i].is_static && members[i].has_offset &&
			    members[i].offset == 0)
				first = &members[i];
		if (first == NULL || !first->base)
			return first != NULL && strncmp(first->name, "_vptr", 5) == 0;
		type = first->type;
	}
	return false;
}

/* The class in the name of an Itanium ABI table. `*above` is the table's offset in the object. */
static struct text
itanium_class(const struct typed_value *pointer, struct text name, uint64_t table,
	      uint64_t distance, uint64_t *above)
{
	const unsigned word = pointer->frame->walk->arch->word_size;
	const unsigned unused = 64 - 8 * word;
	uint64_t top;

	if (!text_drop_prefix(&name, table_of) || distance < (uint64_t)TABLE_HEAD * word ||
	    !value_read_number(pointer->frame, table - (uint64_t)TABLE_HEAD * word, word, &top))
		return text_of("");
	/* The distance is negative, or 0. */
	*above = -(uint64_t)((int64_t)(top << unused) >> unused);
	return name;
}

/*
 * The class in the name of a Visual C++ table. The word before the table leads to a Complete Object
 * Locator, whose second number is the table's offset in the object (rttidata.h).
 */
static struct text
msvc_class(const struct typed_value *pointer, struct text name, uint64_t table, uint64_t distance,
	   uint64_t *above)
{
	const unsigned word = pointer->frame->walk->arch->word_size;
	uint64_t locator;

	if (!text_drop_prefix(&name, before_class) || distance != 0 ||
	    !value_read_number(pointer->frame, table - word, word, &locator) ||
	    !value_read_number(pointer->frame, locator + 4, 4, above))
		return text_of("");
	const char *end = memmem(name.start, name.length, after_class, sizeof(after_class) - 1);
	return end != NULL ? (struct text){ name.start, (size_t)(end - name.start) } : text_of("");
}

bool
dynamic_type_of(const struct typed_value *pointer, struct arena *arena, struct dynamic_type *found)
{
	struct value_frame *frame = pointer->frame;
	const struct debug_type *target = debug_type_target(pointer->type, arena);
	const unsigned word = frame->walk->arch->word_size;
	uint64_t object, table, above = 0, distance = 0;
	struct debug_named named;

	if (target == NULL || target->kind != DEBUG_TYPE_STRUCTURE ||
	    (frame->walk->crash->system.os != CRASH_OS_WINDOWS && !has_table(target, arena)) ||
	    value_number(pointer, &object) != NULL ||
	    !value_read_number(frame, object, word, &table))
		return false;
	const struct text name = value_symbol(frame, table, &distance);
	struct text class = text_of("");
	if (frame->walk->crash->system.os == CRASH_OS_WINDOWS)
		class = msvc_class(pointer, name, table, distance, &above);
	if (class.length == 0 && has_table(target, arena))
		class = itanium_class(pointer, name, table, distance, &above);
	if (class.length == 0 || above > INT32_MAX)
		return false;
	*found = (struct dynamic_type){ .name = text_copy(arena, class),
					.address = object - above };
	if (found->name != NULL && frame->scopes.count > 0 &&
	    debug_named(&frame->scopes, DEBUG_WANTED_TYPE, DEBUG_TYPE_UNKNOWN, found->name, arena,
			&named))
		found->type = debug_type_here(&named.entry, arena);
	return found->name != NULL;
}
