/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/demangle.h"
#include "base/demangle_library.h"
#include "base/limits.h"
#include "dump_syms/dump_syms_internal.h"

/*
 * The name of a function is the linker's name, demangled. Without such a name, it is the name in
 * the source, with its namespaces and types before it. Either name may be in another entry: the
 * declaration, or the original of a copy.
 */

/* Maximum number of entries for one name: a copy, its origin, the declaration. */
#define MOST_STEPS 8u

/* Maximum number of scopes of one name: deeper ones are left out. */
#define MOST_SCOPES 32u

/* Breakpad's words for names that the file lacks. */
#define NO_NAME "<name omitted>"
#define NO_NAMESPACE "(anonymous namespace)"
#define NO_TYPE "{unnamed type}"
#define SEPARATOR "::"

/* The position of the search for a name. */
struct name_chain {
	const struct dwarf_context *context;
	const struct dwarf_scopes *scopes;
	struct other_unit *other;	/* NULL: the current unit */
	struct dwarf_entry entry;
	const char *linkage, *name;
};

static uint32_t
add_text(struct unit_reader *reader, const char *text)
{
	return text_table_add(&reader->found.names, text_of(text));
}

/* Go to an entry. Read its unit if necessary, in place of a remembered unit. */
static bool
go_to(struct unit_reader *reader, struct name_chain *search, const struct dwarf_file *file,
      uint64_t offset)
{
	const struct dwarf_context *context = &reader->context;
	struct dwarf_cursor cursor;
	struct dwarf_entry entry;

	search->context = context;
	search->scopes = &reader->scopes;
	search->other = NULL;
	if (context->unit != NULL && context->file == file && offset >= context->unit->start &&
	    offset < context->unit->end)
		return dwarf_entry_at(context, offset, &search->entry);
	const struct dwarf_unit *unit = dwarf_file_unit(file, offset);
	if (unit == NULL)
		return false;
	struct other_unit *other = &reader->others[(size_t)(unit - file->units) % OTHER_UNITS];
	search->other = other;
	search->context = &other->context;
	search->scopes = &other->scopes;
	if (other->context.unit != unit) {
		other->scopes.count = 0;
		other->scoped = false;
		if (!dwarf_context_begin(&other->context, file, unit, &cursor, &entry)) {
			other->context.unit = NULL;
			return false;
		}
	}
	return dwarf_entry_at(&other->context, offset, &search->entry);
}

/* Follow the references to the origin or declaration until both names are found. */
static void
follow(struct unit_reader *reader, struct name_chain *search)
{
	for (unsigned step = 0; step < MOST_STEPS; step++) {
		const struct dwarf_entry *entry = &search->entry;
		const struct dwarf_file *file;
		uint64_t offset;

		if (search->linkage == NULL)
			search->linkage = dwarf_entry_text(search->context, entry,
							   DWARF_LINKAGE_NAME);
		if (search->name == NULL)
			search->name = dwarf_entry_text(search->context, entry, DWARF_NAME);
		if (search->linkage != NULL && demangle_looks_mangled(text_of(search->linkage)))
			return;
		file = dwarf_entry_reference(search->context, entry, DWARF_ORIGIN, &offset);
		if (file == NULL)
			file = dwarf_entry_reference(search->context, entry, DWARF_SPECIFICATION,
						     &offset);
		if (file == NULL || !go_to(reader, search, file, offset))
			return;
	}
}

/* The demangled name; NAME_NONE: it is not mangled. */
static uint32_t
demangled(struct unit_reader *reader, const char *linkage)
{
	const uint64_t key = (uint64_t)(uintptr_t)linkage;
	struct text text = text_of(linkage);
	uint32_t name = NAME_NONE;

	if (number_map_find(&reader->linkage, key, &name))
		return name;
	if (!reader->source.mangled) {
		text.length = text.length > LIMIT_MANGLED_NAME
				      ? 0 : demangle_into(linkage, reader->shown,
							  demangle_most(text.length));
		text.start = reader->shown;
	}
	if (text.length > 0)
		name = text_table_add(&reader->found.names, text);
	number_map_put(&reader->linkage, key, name);
	return name;
}

/* The name of a scope. A copy of a function has the name of its origin. */
static const char *
scope_name(const struct dwarf_context *context, uint64_t offset)
{
	struct dwarf_entry entry;

	for (unsigned step = 0; step < MOST_STEPS; step++) {
		if (!dwarf_entry_at(context, offset, &entry))
			return NO_TYPE;
		const char *name = dwarf_entry_text(context, &entry, DWARF_NAME);

		if (name != NULL)
			return name;
		if (dwarf_entry_reference(context, &entry, DWARF_ORIGIN, &offset) == NULL &&
		    dwarf_entry_reference(context, &entry, DWARF_SPECIFICATION, &offset) == NULL)
			break;
	}
	return entry.abbrev->kind == DWARF_NAMESPACE ? NO_NAMESPACE : NO_TYPE;
}

/* Put the names of scopes before a name. */
static uint32_t
scoped(struct unit_reader *reader, const struct name_chain *search)
{
	const char *parts[MOST_SCOPES + 1] = { search->name };
	const struct dwarf_context *context = search->context;
	size_t count = 1, length = 0;
	uint32_t scope = dwarf_scopes_around(search->scopes,
				  (uint32_t)(search->entry.offset - context->unit->start));

	for (; scope != DWARF_NO_SCOPE && count < ARRAY_COUNT(parts); count++) {
		const struct dwarf_scope *span = &search->scopes->items[scope];

		parts[count] = scope_name(context, context->unit->start + span->start);
		if (dwarf_name_has_scope(parts[count - 1], parts[count]))
			break;
		scope = span->parent;
	}
	while (count-- > 0) {
		const size_t more = strlen(parts[count]);

		if (more + sizeof(SEPARATOR) > LIMIT_SHOWN_NAME - length)
			break;
		memcpy(reader->shown + length, parts[count], more);
		length += more;
		if (count > 0) {
			memcpy(reader->shown + length, SEPARATOR, sizeof(SEPARATOR) - 1);
			length += sizeof(SEPARATOR) - 1;
		}
	}
	const uint32_t name =
		text_table_add(&reader->found.names, (struct text){ reader->shown, length });
	if (name != NAME_NONE)
		reader->found.names.items[name].written = true;
	return name;
}

/* List the scopes of another unit, for functions without a linker's name. */
static void
scope_other(struct other_unit *other)
{
	struct dwarf_cursor cursor;
	struct dwarf_entry entry;

	other->scoped = true;
	if (dwarf_context_begin(&other->context, other->context.file, other->context.unit, &cursor,
				&entry))
		dwarf_scopes_read(&other->scopes, &other->context, NULL, NULL);
}

static uint32_t
find_name(struct unit_reader *reader, const struct dwarf_file *file, uint64_t offset)
{
	struct name_chain search = { 0 };

	if (!go_to(reader, &search, file, offset))
		return add_text(reader, NO_NAME);
	/* If a copy of a function has only a linker's name, use this name. */
	const bool copy = dwarf_entry_has(&search.entry, DWARF_LINKAGE_NAME) &&
			  !dwarf_entry_has(&search.entry, DWARF_NAME) &&
			  !dwarf_entry_has(&search.entry, DWARF_SPECIFICATION);
	follow(reader, &search);
	if (search.linkage != NULL &&
	    (reader->source.mangled || demangle_looks_mangled(text_of(search.linkage)))) {
		const uint32_t name = demangled(reader, search.linkage);

		if (name != NAME_NONE)
			return name;
	}
	if (search.name == NULL || *search.name == '\0' || copy)
		return add_text(reader, search.linkage != NULL && *search.linkage != '\0'
						? search.linkage : NO_NAME);
	if (search.other != NULL && !search.other->scoped)
		scope_other(search.other);
	return scoped(reader, &search);
}

uint32_t
unit_name(struct unit_reader *reader, const struct dwarf_file *file, uint64_t offset)
{
	const bool own = file == reader->context.file && reader->context.unit != NULL &&
			 offset - reader->context.unit->start <
				 reader->context.unit->end - reader->context.unit->start;
	struct number_map *known = own ? &reader->names : &reader->other_names;
	const uint64_t key = own || file == reader->source.file ? 2 * offset : 2 * offset + 1;
	uint32_t name;

	if (number_map_find(known, key, &name))
		return name;
	name = find_name(reader, file, offset);
	number_map_put(known, key, name);
	return name;
}
