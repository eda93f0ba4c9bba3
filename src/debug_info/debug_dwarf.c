/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "debug_info/debug_dwarf.h"

#ifdef HAVE_DWARF

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "debug_info/debug_dwarf_internal.h"

/* Lines and calls of a function that are listed. */
#define MOST_LINES ((size_t)1 << 20)
#define MOST_CALLS ((size_t)1 << 16)

/* Bytes of a name with its scopes, and how often an entry may refer to another one for its name. */
enum { MOST_NAME = 4096, MOST_REFERENCES = 16 };

/* The sections that are read here, directly or by libdw: those of locations are large. */
static const char *const sections[] = { "info", "types", "abbrev", "line", "line_str", "str",
					"str_offsets", "addr", "ranges", "rnglists", NULL };

/* A file with one byte of .debug_info, in this machine's order: its DWARF says nothing. */
static const struct {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[24];
} nothing = {
	.header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_DYN, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
		.e_shoff = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
		.e_shstrndx = 2,
	},
	.sections = {
		[1] = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_size = 1, .sh_addralign = 1,
			.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) },
		[2] = { .sh_name = 13, .sh_type = SHT_STRTAB, .sh_size = 24, .sh_addralign = 1,
			.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) },
	},
	.names = "\0.debug_info\0.shstrtab",
};

/* Give libdw the supplement of a file that names one, for it would open any path by itself. */
static bool
set_supplement(struct debug_dwarf *dwarf, const struct binary *supplement,
	       struct elf_damage *damage)
{
	struct elf_unpacked *unpacked = &dwarf->unpacked_supplement;

	if (binary_section(dwarf->binary, 0, ".gnu_debugaltlink") == NULL &&
	    binary_section(dwarf->binary, 0, ".debug_sup") == NULL)
		return true;
	if (supplement == NULL || !elf_unpack(unpacked, supplement, sections))
		*unpacked = (struct elf_unpacked){ (char *)(uintptr_t)&nothing, sizeof(nothing),
						   0, { 0 } };
	if (damage->binary == NULL)
		*damage = unpacked->damage;
	dwarf->supplement_elf = elf_open(unpacked->data, unpacked->size);
	if (dwarf->supplement_elf != NULL && supplement != NULL &&
	    !debug_dwarf_bound(dwarf->supplement_elf, supplement))
		dwarf->limited = true;
	if (dwarf->supplement_elf != NULL)
		dwarf->supplement = dwarf_begin_elf(dwarf->supplement_elf, DWARF_C_READ, NULL);
	if (dwarf->supplement != NULL)
		dwarf_setalt(dwarf->dwarf, dwarf->supplement);
	else if (supplement != NULL) {
		elf_end(dwarf->supplement_elf);
		elf_unpacked_free(unpacked);
		return set_supplement(dwarf, NULL, damage);
	}
	return dwarf->supplement != NULL;
}

static void
close_dwarf(struct debug_dwarf *dwarf)
{
	debug_dwarf_close_split(dwarf);
	debug_dwarf_close_locations(dwarf);
	if (dwarf->dwarf != NULL)
		dwarf_end(dwarf->dwarf);
	if (dwarf->elf != NULL)
		elf_end(dwarf->elf);
	if (dwarf->supplement != NULL)
		dwarf_end(dwarf->supplement);
	if (dwarf->supplement_elf != NULL)
		elf_end(dwarf->supplement_elf);
	elf_unpacked_free(&dwarf->unpacked);
	elf_unpacked_free(&dwarf->unpacked_supplement);
	arena_free(&dwarf->arena);
	free(dwarf);
}

static struct debug_dwarf *
open_dwarf(const struct binary *binary, const struct binary *supplement, struct binaries *binaries,
	   size_t module, struct elf_damage *damage)
{
	struct debug_dwarf *dwarf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	dwarf = calloc(1, sizeof(*dwarf));
	if (dwarf == NULL)
		return NULL;
	dwarf->binary = binary;
	dwarf->binaries = binaries;
	dwarf->module = module;
	if (elf_unpack(&dwarf->unpacked, binary, sections))
		dwarf->elf = elf_open(dwarf->unpacked.data, dwarf->unpacked.size);
	*damage = dwarf->unpacked.damage;
	dwarf->budget = (uint64_t)dwarf->unpacked.size * 4 + LIMIT_QUESTION;
	dwarf->question_budget = (dwarf->unpacked.size + LIMIT_QUESTION) * UINT64_C(8);
	arena_init(&dwarf->arena, LIMIT_DEBUG_MEMORY + 16 * dwarf->unpacked.size);
	dwarf->path_bytes = LIMIT_DEBUG_MEMORY / 2 + 8 * (uint64_t)dwarf->unpacked.size;
	dwarf->limited = dwarf->elf != NULL && !debug_dwarf_bound(dwarf->elf, binary);
	if (dwarf->elf != NULL)
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (dwarf->dwarf == NULL || !set_supplement(dwarf, supplement, damage)) {
		close_dwarf(dwarf);
		return NULL;
	}
	code_ranges_read(&dwarf->code, binary, &dwarf->arena);
	debug_dwarf_read_units(dwarf);
	return dwarf;
}

static size_t
unit_count(const struct debug_dwarf *dwarf)
{
	return dwarf->ranges.count > 0 ? dwarf->unit_count : 0;
}

/* Where byte `at` of a section stands in the file; of a compressed one, where that begins. */
static uint64_t
offset_of(const struct binary *binary, const char *name, uint64_t at)
{
	const struct binary_section *section = binary_section(binary, 0, name);

	if (section == NULL)
		return 0;
	return section->compressed || at >= section->size ? section->offset
							  : section->offset + at;
}

/* Where an entry of a unit stands in its file. */
static uint64_t
entry_offset(const struct debug_dwarf *dwarf, const struct unit *unit, uint64_t entry)
{
	return unit->split != NULL ? unit->split->start + entry
				   : offset_of(dwarf->binary, ".debug_info", entry);
}

/* Entries -------------------------------------------------------------------------------------- */

bool
debug_dwarf_spend(struct debug_dwarf *dwarf)
{
	if (dwarf->budget == 0)
		return false;
	dwarf->budget--;
	return true;
}

uint64_t
debug_dwarf_begin_question(struct debug_dwarf *dwarf)
{
	const uint64_t kept = dwarf->budget, left = dwarf->question_budget;

	dwarf->budget = left < LIMIT_QUESTION_LEAST ? LIMIT_QUESTION_LEAST
			: left < LIMIT_QUESTION	    ? left
						    : LIMIT_QUESTION;
	dwarf->question_budget -= dwarf->budget < left ? dwarf->budget : left;
	return kept;
}

void
debug_dwarf_end_question(struct debug_dwarf *dwarf, uint64_t kept)
{
	dwarf->limited = dwarf->limited || dwarf->budget == 0;
	dwarf->question_budget += dwarf->budget;
	dwarf->budget = kept;
}

bool
debug_tree_enter(struct debug_tree *tree, Dwarf_Die *parent)
{
	if (tree->depth >= DEBUG_DWARF_DEPTH || dwarf_child(parent, &tree->path[tree->depth]) != 0)
		return false;
	if (tree->root.addr == NULL)
		tree->root = *parent;
	tree->depth++;
	return true;
}

/* Take from the budget what libdw read to pass over entries, which all end at or before `end`. */
static void
pay_passed(struct debug_tree *tree, Dwarf_Off end)
{
	const uint64_t entries = (tree->passed_count * end - tree->passed_starts) / 16;
	uint64_t *budget = &tree->dwarf->budget;

	*budget -= entries < *budget ? entries : *budget;
	tree->passed_count = tree->passed_starts = 0;
}

/* Where what is below an entry ends: at the next one, or with the unit at most. */
static Dwarf_Off
end_of_entry(Dwarf_Die *die)
{
	const Dwarf_Off start = dwarf_dieoffset(die);
	Dwarf_Off next = 0;
	Dwarf_Die sibling, unit;
	size_t header;

	if (dwarf_siblingof(die, &sibling) == 0)
		return dwarf_dieoffset(&sibling);
	if (dwarf_diecu(die, &unit, NULL, NULL) == NULL ||
	    dwarf_nextcu(dwarf_cu_getdwarf(die->cu), dwarf_dieoffset(&unit) - dwarf_cuoffset(&unit),
			 &next, &header, NULL, NULL, NULL) != 0)
		return start;
	return next > start ? next : start;
}

/*
 * Without DW_AT_sibling libdw reads all that is below an entry to find the one behind it, also
 * where there is none. What it read counts as entries of 16 bytes, once it is known where they
 * end.
 */
bool
debug_tree_skip(struct debug_tree *tree)
{
	while (tree->depth > 0) {
		Dwarf_Die *die = debug_tree_at(tree);

		if (dwarf_haschildren(die) > 0 && !dwarf_hasattr(die, DW_AT_sibling)) {
			if (tree->dwarf->budget < LIMIT_QUESTION_LEAST)
				return false;
			tree->passed_count++;
			tree->passed_starts += dwarf_dieoffset(die);
		}
		if (dwarf_siblingof(die, die) == 0) {
			pay_passed(tree, dwarf_dieoffset(die));
			return true;
		}
		tree->depth--;
	}
	if (tree->passed_count > 0)
		pay_passed(tree, end_of_entry(&tree->root));
	return false;
}

Dwarf_Die *
debug_tree_at(struct debug_tree *tree)
{
	return &tree->path[tree->depth - 1];
}

/* Names ---------------------------------------------------------------------------------------- */

/* The name in the source behind those of its scopes. */
static const char *
scoped_name(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die, const char *name)
{
	static const unsigned ways[] = { DW_AT_specification, DW_AT_abstract_origin };
	Dwarf_Die at = *die;

	/* The entry that declares a function has its name and is in its scope. */
	for (size_t hop = 0, way = 0; hop < MOST_REFERENCES && way < 2; hop++) {
		Dwarf_Attribute attribute;
		Dwarf_Die next;

		for (way = 0; way < 2; way++)
			if (dwarf_attr(&at, ways[way], &attribute) != NULL &&
			    dwarf_formref_die(&attribute, &next) != NULL)
				break;
		if (way < 2)
			at = next;
	}
	struct scope *scope = debug_dwarf_scope(dwarf, unit, &at);
	if (scope == NULL || scope->name != NULL)
		return scope == NULL ? name : scope->name;
	struct scope *own = scope;
	for (size_t depth = 0; scope != NULL && depth < DEBUG_DWARF_DEPTH &&
			       dwarf_offdie(unit->dwarf, scope->parent, &at) != NULL;
	     depth++, scope = debug_dwarf_scope(dwarf, unit, &at)) {
		const char *before = debug_dwarf_string(unit, &at, DW_AT_name);

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
debug_dwarf_name(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die, bool *written)
{
	const char *name = debug_dwarf_string(unit, die, DW_AT_linkage_name);

	if (name == NULL)
		name = debug_dwarf_string(unit, die, DW_AT_MIPS_linkage_name);
	*written = name == NULL;
	if (name != NULL)
		return name;
	name = debug_dwarf_string(unit, die, DW_AT_name);
	return name != NULL ? scoped_name(dwarf, unit, die, name) : "";
}

/* Lines ---------------------------------------------------------------------------------------- */

/* Libdw leaves some paths without the directory that the compiler ran in. */
static const char *
path_of(struct debug_dwarf *dwarf, const struct unit *unit, size_t number)
{
	if (unit->paths == NULL || number >= unit->file_count)
		return "";
	if (unit->paths[number] != NULL)
		return unit->paths[number];
	const char *path = dwarf_filesrc(unit->files, number, NULL, NULL);
	const char *whole = path;
	if (path != NULL && path[0] != '/' && unit->directory != NULL)
		whole = arena_format(&dwarf->arena, "%s/%s", unit->directory, path);
	unit->paths[number] = whole != NULL ? whole : "";
	return unit->paths[number];
}

/* How many rows are at or before an address. */
static size_t
rows_until(const struct unit *unit, uint64_t address)
{
	return sorted_upto(SORTED(unit->rows, unit->row_count, address), address);
}

/* Row `index`, up to the one behind it; false where it is no line. */
static bool
line_of(struct debug_dwarf *dwarf, const struct unit *unit, size_t index, struct debug_line *line)
{
	const struct line_row *row = &unit->rows[index];

	if (index + 1 >= unit->row_count || row->line == 0)
		return false;
	*line = (struct debug_line){
		.address = row->address - dwarf->binary->linked_base,
		.size = row[1].address - row->address,
		.file = path_of(dwarf, unit, row->file),
		.line = row->line,
		.offset = offset_of(dwarf->binary, ".debug_line", row->offset) };
	return true;
}

/* The lines of a range of a function, in the order of their addresses. */
static void
list_lines(struct debug_dwarf *dwarf, const struct unit *unit, const struct pc_range *range,
	   struct arena *arena, struct debug_body *body)
{
	const size_t first = rows_until(unit, range->low);
	const size_t last = rows_until(unit, range->high - 1);
	const size_t count = last - (first > 0 ? first - 1 : 0);
	const uint64_t low = range->low - dwarf->binary->linked_base;
	const uint64_t high = low + (range->high - range->low);

	if (count > MOST_LINES)
		return;
	body->lines = arena_array(arena, count, sizeof(*body->lines));
	for (size_t i = last - count; body->lines != NULL && i < last; i++) {
		struct debug_line *line = &body->lines[body->line_count];

		if (!line_of(dwarf, unit, i, line))
			continue;
		/* Leave of it what is in the function. */
		const uint64_t end = line->address + line->size;
		if (line->address < low)
			line->address = low;
		line->size = (end < high ? end : high) - line->address;
		body->line_count += end > line->address && line->address < high;
	}
}

/* Inlined calls -------------------------------------------------------------------------------- */

bool
debug_dwarf_covers(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
		   uint64_t address, struct pc_range *range)
{
	struct debug_ranges at = { 0 };
	Dwarf_Addr low, high;

	while (debug_dwarf_range(dwarf, unit, die, &at, &low, &high))
		if (low <= address && address < high) {
			*range = (struct pc_range){ .low = low, .high = high };
			return true;
		}
	return false;
}

static struct debug_call
call_of(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
	const struct pc_range *range)
{
	const bool has_file = dwarf_hasattr(die, DW_AT_call_file);
	bool written;

	return (struct debug_call){
		.name = debug_dwarf_name(dwarf, unit, die, &written),
		.address = range->low - dwarf->binary->linked_base,
		.size = range->high - range->low,
		.call_file = has_file ? path_of(
						dwarf, unit,
						debug_dwarf_number(die, DW_AT_call_file))
				      : "",
		.call_line = (uint32_t)debug_dwarf_number(die, DW_AT_call_line),
		.offset = entry_offset(dwarf, unit, dwarf_dieoffset(die)),
	};
}

/*
 * Add the calls on the way to the entry where the walk is, which covers an address. Of one that
 * does not, for it tells of another part of its code, the part is that of the entry.
 */
static void
add_calls(struct debug_dwarf *dwarf, const struct unit *unit, struct debug_tree *tree,
	  uint64_t address, struct debug_answer *answer)
{
	struct pc_range last = { 0 }, own;

	debug_dwarf_covers(dwarf, unit, debug_tree_at(tree), address, &last);
	for (size_t i = 0; i < tree->depth && answer->call_count < DEBUG_DWARF_DEPTH; i++) {
		Dwarf_Die *die = &tree->path[i];

		if (dwarf_tag(die) != DW_TAG_inlined_subroutine)
			continue;
		if (!debug_dwarf_covers(dwarf, unit, die, address, &own))
			own = last;
		answer->calls[answer->call_count] = call_of(dwarf, unit, die, &own);
		answer->calls[answer->call_count].depth = (unsigned)answer->call_count;
		answer->call_count++;
	}
}

/*
 * The calls that were inlined at an address of a function, the innermost first: from each that
 * covers the address the walk goes on below it alone. What blocks say of their code decides
 * nothing: in DWARF 2 to 4 a list of ranges that begins with an empty one seems to end there.
 */
static void
find_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
	   uint64_t address, struct arena *arena, struct debug_answer *answer)
{
	struct debug_call calls[DEBUG_DWARF_DEPTH];
	struct debug_answer found = { .calls = calls };
	struct debug_tree tree = { .dwarf = dwarf };
	struct pc_range range;

	const uint64_t budget = debug_dwarf_begin_question(dwarf);
	for (bool more = debug_tree_enter(&tree, function); more && debug_dwarf_spend(dwarf);) {
		Dwarf_Die at = *debug_tree_at(&tree);
		const bool inlined = dwarf_tag(&at) == DW_TAG_inlined_subroutine;

		if (inlined && debug_dwarf_covers(dwarf, unit, &at, address, &range)) {
			add_calls(dwarf, unit, &tree, address, &found);
			tree.depth = 0;
			more = debug_tree_enter(&tree, &at);
		} else {
			more = (((inlined && unit->one_part) ||
				 dwarf_tag(&at) == DW_TAG_lexical_block) &&
				debug_tree_enter(&tree, &at)) || debug_tree_skip(&tree);
		}
	}
	debug_dwarf_end_question(dwarf, budget);
	answer->calls = arena_array(arena, found.call_count, sizeof(*answer->calls));
	for (size_t i = found.call_count; answer->calls != NULL && i > 0; i--)
		answer->calls[answer->call_count++] = calls[i - 1];
}

/* A list of calls while it is made. */
struct call_list {
	struct debug_dwarf *dwarf;
	const struct unit *unit;
	const struct pc_range *range;	/* of the function; calls elsewhere are left out */
	struct arena *arena;
	struct debug_call *items;
	size_t count, capacity;
};

/* Add an inlined call for each part of its code. */
static void
add_call(struct call_list *list, Dwarf_Die *die, unsigned depth)
{
	const struct pc_range *function = list->range;
	struct debug_ranges at = { 0 };
	Dwarf_Addr low, high;

	while (list->count < MOST_CALLS &&
	       debug_dwarf_range(list->dwarf, list->unit, die, &at, &low, &high)) {
		const struct pc_range part = {
			.low = low > function->low ? low : function->low,
			.high = high < function->high ? high : function->high };

		if (part.low >= part.high)
			continue;
		struct debug_call *call =
			ARENA_PUSH(list->arena, list->items, list->count, list->capacity);
		if (call == NULL)
			return;
		*call = call_of(list->dwarf, list->unit, die, &part);
		call->depth = depth;
	}
}

SORTED_BY_ALL(compare_calls, struct debug_call,
	      SORTED_UP(address) SORTED_UP(depth) SORTED_UP(offset))

/* All calls that were inlined into a range of a function, by address, outer ones first. */
static void
list_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
		      const struct pc_range *range, struct arena *arena, struct debug_body *body)
{
	struct call_list list = { .dwarf = dwarf, .unit = unit, .range = range, .arena = arena };
	struct debug_tree tree = { .dwarf = dwarf };

	const uint64_t budget = debug_dwarf_begin_question(dwarf);
	for (bool more = debug_tree_enter(&tree, function); more && debug_dwarf_spend(dwarf);) {
		Dwarf_Die *at = debug_tree_at(&tree);
		const int tag = dwarf_tag(at);
		unsigned depth = 0;

		for (size_t i = 0; tag == DW_TAG_inlined_subroutine && i + 1 < tree.depth; i++)
			depth += dwarf_tag(&tree.path[i]) == DW_TAG_inlined_subroutine;
		if (tag == DW_TAG_inlined_subroutine)
			add_call(&list, at, depth);
		more = ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
			debug_tree_enter(&tree, at)) || debug_tree_skip(&tree);
	}
	debug_dwarf_end_question(dwarf, budget);
	if (list.count > 1)
		qsort(list.items, list.count, sizeof(*list.items), compare_calls);
	body->calls = list.items;
	body->call_count = list.count;
}

/* Functions ------------------------------------------------------------------------------------ */

/* What is said of a function; false where it has no name. */
static bool
describe_function(struct debug_dwarf *dwarf, const struct unit *unit, const struct pc_range *range,
		  Dwarf_Die *function, struct debug_answer *answer)
{
	answer->section = unit->split != NULL ? ".debug_info.dwo" : ".debug_info";
	if (unit->split != NULL)
		answer->input = &unit->split->binary->file.input;
	answer->name = debug_dwarf_name(dwarf, unit, function, &answer->written);
	answer->address = range->low - dwarf->binary->linked_base;
	answer->size = range->high - range->low;
	answer->offset = entry_offset(dwarf, unit, range->entry);
	return *answer->name != '\0';
}

static bool
find_function(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer)
{
	const uint64_t address = dwarf->binary->linked_base + relative;
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	Dwarf_Die function;

	if (unit == NULL)
		return false;
	/* The last row at or before the address: an earlier one at the same covers no code. */
	const size_t rows = rows_until(unit, address);
	if (rows > 0)
		line_of(dwarf, unit, rows - 1, &answer->line);
	const struct pc_range *range = debug_dwarf_function(unit, address);
	if (range == NULL || dwarf_offdie(unit->dwarf, range->entry, &function) == NULL)
		return false;
	if (arena != NULL)
		find_calls(dwarf, unit, &function, address, arena, answer);
	return describe_function(dwarf, unit, range, &function, answer);
}

static bool
find_body(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_body *body)
{
	const uint64_t address = dwarf->binary->linked_base + relative;
	const struct unit *unit = debug_dwarf_unit(dwarf, address);
	const struct pc_range *range = unit != NULL ? debug_dwarf_function(unit, address) : NULL;
	Dwarf_Die function;

	if (range == NULL || dwarf_offdie(unit->dwarf, range->entry, &function) == NULL ||
	    !describe_function(dwarf, unit, range, &function, &body->function))
		return false;
	list_lines(dwarf, unit, range, arena, body);
	list_calls(dwarf, unit, &function, range, arena, body);
	return true;
}

static void
tell_functions(struct debug_dwarf *dwarf, debug_info_tell *tell, void *context)
{
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		const struct unit *unit = debug_dwarf_read_unit(dwarf, i);

		for (size_t j = 0; j < unit->functions.count; j++) {
			const struct pc_range *range = &unit->functions.items[j];
			Dwarf_Die function;
			bool written;

			if (dwarf_offdie(unit->dwarf, range->entry, &function) != NULL)
				tell(context, debug_dwarf_name(dwarf, unit, &function, &written),
				     range->low - dwarf->binary->linked_base);
		}
	}
}

static void
count_split(struct debug_dwarf *dwarf, size_t *count, size_t *missing)
{
	*count = *missing = 0;
	for (size_t i = 0; i < dwarf->unit_count; i++)
		if (dwarf->units[i].skeleton) {
			++*count;
			*missing += debug_dwarf_read_unit(dwarf, i)->split == NULL;
		}
}

static void
find_lines(struct debug_dwarf *dwarf, struct arena *arena, struct debug_body *body)
{
	const uint64_t low = dwarf->binary->linked_base + body->function.address;
	const struct pc_range range = { .low = low, .high = low + body->function.size };
	const struct unit *unit = debug_dwarf_unit(dwarf, low);

	if (unit != NULL && range.high > range.low)
		list_lines(dwarf, unit, &range, arena, body);
}

static bool
is_limited(const struct debug_dwarf *dwarf)
{
	return dwarf->limited;
}

const struct debug_dwarf_reader debug_dwarf_reader = {
	open_dwarf, close_dwarf, unit_count, find_function, find_body, find_lines, tell_functions,
	count_split, is_limited,
};

#else

const struct debug_dwarf_reader debug_dwarf_reader = { .open = NULL };

#endif
