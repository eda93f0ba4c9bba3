/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/sorted.h"
#include "binary/debug_dwarf.h"

#ifdef HAVE_DWARF

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/*
 * Units are listed by the code that they cover when the file is opened; the functions of a unit
 * when somebody first asks for an address in it. Both are then searched by address.
 */

/* Code of a unit or of a function. */
struct range {
	uint64_t low, high;		/* as linked; `high` is behind it */
	size_t unit;
	Dwarf_Off entry;		/* of the function */
};

struct ranges {
	struct range *items;
	size_t count, capacity;
};

/* An entry of a type, namespace or function that is within another one. */
struct scope {
	Dwarf_Off entry, parent;
};

struct unit {
	Dwarf_Off entry;
	bool read;
	struct ranges functions;	/* by address */
	Dwarf_Lines *lines;		/* by address; NULL: none */
	size_t line_count;
	const char *directory;		/* that paths of files count from; NULL: not said */
	Dwarf_Files *files;		/* NULL: none */
	const char **paths;		/* of files, whole ones; NULL: not asked for yet */
	size_t file_count;
	struct scope *scopes;		/* by entry */
	size_t scope_count, scope_capacity;
};

struct debug_dwarf {
	const struct binary *binary;
	Elf *elf;
	Dwarf *dwarf;
	Elf *supplement_elf;		/* NULL: the file wants none */
	Dwarf *supplement;
	struct arena arena;
	struct unit *units;
	size_t unit_count, unit_capacity;
	struct ranges ranges;		/* of units, by address */
	/* Entries and ranges that are still looked at: no honest file has more than it has bytes,
	 * and in others siblings turn back and lists of ranges are shared. */
	uint64_t budget;
};

/* Deeper than that scopes don't nest. */
enum { MOST_DEPTH = 64 };

/* Entries of one function that are looked at for inlined calls, so that each question ends. */
#define MOST_ENTRIES ((uint64_t)1 << 20)

/* How far back a range that covers an address may begin before others that do not. */
enum { MOST_OVERLAPS = 16 };

/* Bytes of a name with its scopes, and how often an entry may refer to another one for its name. */
enum { MOST_NAME = 4096, MOST_REFERENCES = 16 };

/* Ranges --------------------------------------------------------------------------------------- */

static int
compare(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	if (one->low != other->low)
		return one->low < other->low ? -1 : 1;
	if (one->high != other->high)
		return one->high > other->high ? -1 : 1;
	return one->entry < other->entry ? -1 : one->entry > other->entry;
}

static bool
spend(struct debug_dwarf *dwarf)
{
	if (dwarf->budget == 0)
		return false;
	dwarf->budget--;
	return true;
}

/* Add the code of an entry, which may be in several parts. */
static void
add_ranges(struct debug_dwarf *dwarf, Dwarf_Die *die, size_t unit, struct ranges *ranges)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (spend(dwarf) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		struct range *items = arena_grow(&dwarf->arena, ranges->items, ranges->count,
						 &ranges->capacity, sizeof(*items));

		if (items == NULL)
			return;
		ranges->items = items;
		if (low < high)
			items[ranges->count++] = (struct range){
				.low = low, .high = high, .unit = unit,
				.entry = dwarf_dieoffset(die) };
	}
}

static void
sort_ranges(struct ranges *ranges)
{
	if (ranges->count > 1)
		qsort(ranges->items, ranges->count, sizeof(*ranges->items), compare);
}

/* The range that covers an address and begins last. */
static const struct range *
range_at(const struct ranges *ranges, uint64_t address)
{
	size_t low = sorted_upto(SORTED(ranges->items, ranges->count, low), address);

	for (size_t i = 0; i < MOST_OVERLAPS && i < low; i++)
		if (address < ranges->items[low - 1 - i].high)
			return &ranges->items[low - 1 - i];
	return NULL;
}

/* Whether an entry says where its code is, and the part of it that covers an address. */
static bool
covering(struct debug_dwarf *dwarf, Dwarf_Die *die, uint64_t address, struct range *range)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while (spend(dwarf) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (low <= address && address < high) {
			*range = (struct range){ .low = low, .high = high };
			return true;
		}
	return false;
}

static bool
has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Entries -------------------------------------------------------------------------------------- */

/* A walk through the entries below one, each before what is below it. */
struct tree {
	Dwarf_Die path[MOST_DEPTH];
	size_t depth;
};

static bool
tree_enter(struct tree *tree, Dwarf_Die *parent)
{
	if (tree->depth >= MOST_DEPTH || dwarf_child(parent, &tree->path[tree->depth]) != 0)
		return false;
	tree->depth++;
	return true;
}

/* Go on to the entry behind the one that the walk is at; false behind the last one. */
static bool
tree_skip(struct tree *tree)
{
	while (tree->depth > 0) {
		Dwarf_Die *die = &tree->path[tree->depth - 1];

		if (dwarf_siblingof(die, die) == 0)
			return true;
		tree->depth--;
	}
	return false;
}

static Dwarf_Die *
tree_at(struct tree *tree)
{
	return &tree->path[tree->depth - 1];
}

static bool
is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module;
}

/* Remember in what an entry is: entries don't say it themselves. */
static void
add_scope(struct debug_dwarf *dwarf, struct unit *unit, struct tree *tree)
{
	size_t parent = tree->depth - 1;

	while (parent > 0 && !is_scope(dwarf_tag(&tree->path[parent - 1])))
		parent--;
	if (parent == 0)
		return;
	struct scope *scopes = arena_grow(&dwarf->arena, unit->scopes, unit->scope_count,
					  &unit->scope_capacity, sizeof(*scopes));
	if (scopes == NULL)
		return;
	unit->scopes = scopes;
	scopes[unit->scope_count++] =
		(struct scope){ .entry = dwarf_dieoffset(tree_at(tree)),
				.parent = dwarf_dieoffset(&tree->path[parent - 1]) };
}

static int
compare_scopes(const void *a, const void *b)
{
	const struct scope *one = a, *other = b;

	return one->entry < other->entry ? -1 : one->entry > other->entry;
}

static void
read_functions(struct debug_dwarf *dwarf, size_t number)
{
	struct unit *unit = &dwarf->units[number];
	struct tree tree = { .depth = 0 };
	Dwarf_Die parent;

	unit->read = true;
	if (dwarf_offdie(dwarf->dwarf, unit->entry, &parent) == NULL)
		return;
	for (bool more = tree_enter(&tree, &parent); more && spend(dwarf);) {
		Dwarf_Die *die = tree_at(&tree);

		if (dwarf_tag(die) == DW_TAG_subprogram && has_code(die))
			add_ranges(dwarf, die, number, &unit->functions);
		if (is_scope(dwarf_tag(die)))
			add_scope(dwarf, unit, &tree);
		more = tree_enter(&tree, die) || tree_skip(&tree);
	}
	sort_ranges(&unit->functions);
	if (unit->scope_count > 1)
		qsort(unit->scopes, unit->scope_count, sizeof(*unit->scopes), compare_scopes);
	if (dwarf_getsrclines(&parent, &unit->lines, &unit->line_count) != 0)
		unit->line_count = 0;
	if (dwarf_getsrcfiles(&parent, &unit->files, &unit->file_count) != 0)
		unit->file_count = 0;
	unit->paths = arena_array(&dwarf->arena, unit->file_count, sizeof(*unit->paths));
	Dwarf_Attribute attribute;
	unit->directory = dwarf_formstring(dwarf_attr(&parent, DW_AT_comp_dir, &attribute));
}

/* Files ---------------------------------------------------------------------------------------- */

static void
read_units(struct debug_dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;

	while (spend(dwarf) && dwarf_get_units(dwarf->dwarf, unit, &unit, &version, &type, &die,
					       NULL) == 0) {
		struct unit *units = arena_grow(&dwarf->arena, dwarf->units, dwarf->unit_count,
						&dwarf->unit_capacity, sizeof(*units));

		if (units == NULL)
			break;
		dwarf->units = units;
		units[dwarf->unit_count] = (struct unit){ .entry = dwarf_dieoffset(&die) };
		if (type == DW_UT_compile)
			add_ranges(dwarf, &die, dwarf->unit_count++, &dwarf->ranges);
	}
	sort_ranges(&dwarf->ranges);
}

/* Bytes of a file's DWARF, unpacked ones counted as they are in the file. */
static uint64_t
budget_of(const struct binary *binary)
{
	return (uint64_t)binary->file.size * 16 + MOST_ENTRIES;
}

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
set_supplement(struct debug_dwarf *dwarf, const struct binary *supplement)
{
	const void *data = supplement != NULL ? (const void *)supplement->file.data : &nothing;
	const size_t size = supplement != NULL ? (size_t)supplement->file.size : sizeof(nothing);

	if (binary_section(dwarf->binary, 0, ".gnu_debugaltlink") == NULL &&
	    binary_section(dwarf->binary, 0, ".debug_sup") == NULL)
		return true;
	dwarf->supplement_elf = elf_memory((char *)(uintptr_t)data, size);
	if (dwarf->supplement_elf != NULL)
		dwarf->supplement = dwarf_begin_elf(dwarf->supplement_elf, DWARF_C_READ, NULL);
	if (dwarf->supplement != NULL)
		dwarf_setalt(dwarf->dwarf, dwarf->supplement);
	else if (supplement != NULL) {
		elf_end(dwarf->supplement_elf);
		return set_supplement(dwarf, NULL);
	}
	return dwarf->supplement != NULL;
}

struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement)
{
	struct debug_dwarf *dwarf;

	if (binary->format != BINARY_ELF || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	dwarf = calloc(1, sizeof(*dwarf));
	if (dwarf == NULL)
		return NULL;
	arena_init(&dwarf->arena, 0);
	dwarf->binary = binary;
	dwarf->budget = budget_of(binary);
	dwarf->elf = elf_memory((char *)(uintptr_t)binary->file.data,
				(size_t)binary->file.size);
	if (dwarf->elf != NULL)
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (dwarf->dwarf == NULL || !set_supplement(dwarf, supplement)) {
		debug_dwarf_close(dwarf);
		return NULL;
	}
	read_units(dwarf);
	return dwarf;
}

void
debug_dwarf_close(struct debug_dwarf *dwarf)
{
	if (dwarf == NULL)
		return;
	if (dwarf->dwarf != NULL)
		dwarf_end(dwarf->dwarf);
	if (dwarf->elf != NULL)
		elf_end(dwarf->elf);
	if (dwarf->supplement != NULL)
		dwarf_end(dwarf->supplement);
	if (dwarf->supplement_elf != NULL)
		elf_end(dwarf->supplement_elf);
	arena_free(&dwarf->arena);
	free(dwarf);
}

/* Where byte `at` of a section stands in the file; of a compressed one, where that begins. */
static uint64_t
offset_in_file(const struct binary *binary, const char *name, uint64_t at)
{
	const struct binary_section *section = binary_section(binary, 0, name);

	if (section == NULL)
		return 0;
	return section->compressed || at >= section->size ? section->offset
							  : section->offset + at;
}

/* Answers -------------------------------------------------------------------------------------- */

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

/* The unit of an entry, read; NULL where it is another file's. */
static const struct unit *
unit_of(struct debug_dwarf *dwarf, Dwarf_Die *die)
{
	Dwarf_Die top;

	if (dwarf_cu_getdwarf(die->cu) != dwarf->dwarf ||
	    dwarf_diecu(die, &top, NULL, NULL) == NULL)
		return NULL;
	const Dwarf_Off wanted = dwarf_dieoffset(&top);
	size_t low = sorted_below(SORTED(dwarf->units, dwarf->unit_count, entry), wanted);

	if (low == dwarf->unit_count || dwarf->units[low].entry != wanted)
		return NULL;
	if (!dwarf->units[low].read)
		read_functions(dwarf, low);
	return &dwarf->units[low];
}

/* What an entry is within becomes the entry; false where that is the unit. */
static bool
go_out(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die)
{
	const struct scope key = { .entry = dwarf_dieoffset(die) };
	const struct scope *scope = unit->scope_count == 0
					    ? NULL
					    : bsearch(&key, unit->scopes, unit->scope_count,
						      sizeof(key), compare_scopes);

	return scope != NULL && dwarf_offdie(dwarf->dwarf, scope->parent, die) != NULL;
}

/* The name in the source behind those of its scopes. */
static const char *
scoped_name(struct debug_dwarf *dwarf, Dwarf_Die *die, const char *name)
{
	Dwarf_Die at = *die;

	find_declaration(&at);
	const struct unit *unit = unit_of(dwarf, &at);
	for (size_t depth = 0; unit != NULL && depth < MOST_DEPTH && go_out(dwarf, unit, &at);
	     depth++) {
		const char *scope = string_of(&at, DW_AT_name);

		if (scope == NULL && dwarf_tag(&at) != DW_TAG_namespace)
			continue;
		scope = scope != NULL ? scope : "(anonymous namespace)";
		if (strlen(scope) + strlen(name) > MOST_NAME)
			break;
		const char *longer = arena_format(&dwarf->arena, "%s::%s", scope, name);
		if (longer == NULL)
			break;
		name = longer;
	}
	return name;
}

/* The name that linkers know, which has a C++ function's whole name, else as it was written. */
static const char *
name_of(struct debug_dwarf *dwarf, Dwarf_Die *die, bool *written)
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

static uint64_t
number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attribute) != NULL &&
			       dwarf_formudata(&attribute, &value) == 0
		       ? value
		       : 0;
}

/* The path of a file; libdw leaves some without the directory that the compiler ran in. */
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

static uint64_t
line_address(const struct unit *unit, size_t index)
{
	Dwarf_Addr address = 0;

	dwarf_lineaddr(dwarf_onesrcline(unit->lines, index), &address);
	return address;
}

/* The last row at or before an address: an earlier one at the same address covers no code. */
static void
find_line(struct debug_dwarf *dwarf, const struct unit *unit, uint64_t address,
	  struct debug_answer *answer)
{
	size_t low = 0, high = unit->line_count;
	bool end = false;
	int number = 0;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (line_address(unit, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || low == unit->line_count)
		return;
	Dwarf_Line *line = dwarf_onesrcline(unit->lines, low - 1);
	if (dwarf_lineendsequence(line, &end) != 0 || end || dwarf_lineno(line, &number) != 0 ||
	    number <= 0)
		return;
	Dwarf_Files *files;
	Dwarf_Die die;
	size_t file;
	if (dwarf_line_file(line, &files, &file) != 0)
		return;
	answer->has_line = true;
	answer->file = path_of(dwarf, unit, file);
	answer->line = (uint32_t)number;
	answer->line_address = line_address(unit, low - 1) - dwarf->binary->linked_base;
	answer->line_size = line_address(unit, low) - line_address(unit, low - 1);
	if (dwarf_offdie(dwarf->dwarf, unit->entry, &die) != NULL)
		answer->line_offset = offset_in_file(dwarf->binary, ".debug_line",
						     number_of(&die, DW_AT_stmt_list));
}

static struct debug_call
call_of(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *die,
	const struct range *range)
{
	const bool has_file = dwarf_hasattr(die, DW_AT_call_file);
	bool written;

	return (struct debug_call){
		.name = name_of(dwarf, die, &written),
		.address = range->low - dwarf->binary->linked_base,
		.size = range->high - range->low,
		.call_file = has_file ? path_of(dwarf, unit, number_of(die, DW_AT_call_file)) : "",
		.call_line = (uint32_t)number_of(die, DW_AT_call_line),
		.offset = offset_in_file(dwarf->binary, ".debug_info", dwarf_dieoffset(die)),
	};
}

/*
 * Calls that were inlined into a function, the outermost first: from each that covers the address
 * the walk goes on below it alone. Blocks without code of their own hold calls, too.
 */
static size_t
find_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
	   uint64_t address, struct debug_call calls[MOST_DEPTH])
{
	struct tree tree = { .depth = 0 };
	size_t count = 0;

	for (bool more = tree_enter(&tree, function); more && spend(dwarf);) {
		Dwarf_Die at = *tree_at(&tree);
		const int tag = dwarf_tag(&at);
		const bool inlined = tag == DW_TAG_inlined_subroutine;
		struct range range;

		if (inlined && covering(dwarf, &at, address, &range)) {
			if (count == MOST_DEPTH)
				break;
			calls[count++] = call_of(dwarf, unit, &at, &range);
			tree.depth = 0;
			more = tree_enter(&tree, &at);
		} else if (tag == DW_TAG_lexical_block &&
			   (!has_code(&at) || covering(dwarf, &at, address, &range))) {
			more = tree_enter(&tree, &at) || tree_skip(&tree);
		} else {
			more = tree_skip(&tree);
		}
	}
	return count;
}

static void
answer_calls(struct debug_dwarf *dwarf, const struct unit *unit, Dwarf_Die *function,
	     uint64_t address, struct arena *arena, struct debug_answer *answer)
{
	struct debug_call calls[MOST_DEPTH];
	const uint64_t budget = dwarf->budget;

	/* Who asks keeps the answer; so what one question costs is bounded, not what all do. */
	dwarf->budget = MOST_ENTRIES;
	const size_t count = find_calls(dwarf, unit, function, address, calls);
	dwarf->budget = budget;
	answer->calls = arena_array(arena, count, sizeof(*answer->calls));
	for (size_t i = 0; answer->calls != NULL && i < count; i++)
		answer->calls[answer->call_count++] = calls[count - 1 - i];
}

bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer)
{
	const uint64_t address = dwarf->binary->linked_base + relative;
	const struct range *covers = range_at(&dwarf->ranges, address);
	Dwarf_Die function;

	if (covers == NULL)
		return false;
	struct unit *unit = &dwarf->units[covers->unit];
	if (!unit->read)
		read_functions(dwarf, covers->unit);
	find_line(dwarf, unit, address, answer);
	const struct range *range = range_at(&unit->functions, address);
	if (range == NULL || dwarf_offdie(dwarf->dwarf, range->entry, &function) == NULL)
		return false;
	answer->section = ".debug_info";
	answer->name = name_of(dwarf, &function, &answer->written);
	answer->address = range->low - dwarf->binary->linked_base;
	answer->size = range->high - range->low;
	answer->offset = offset_in_file(dwarf->binary, ".debug_info", range->entry);
	answer_calls(dwarf, unit, &function, address, arena, answer);
	return *answer->name != '\0';
}

#else

struct debug_dwarf *
debug_dwarf_open(const struct binary *binary, const struct binary *supplement)
{
	(void)binary;
	(void)supplement;
	return NULL;
}

void
debug_dwarf_close(struct debug_dwarf *dwarf)
{
	(void)dwarf;
}

bool
debug_dwarf_find(struct debug_dwarf *dwarf, uint64_t relative, struct arena *arena,
		 struct debug_answer *answer)
{
	(void)dwarf;
	(void)relative;
	(void)arena;
	(void)answer;
	return false;
}

#endif
