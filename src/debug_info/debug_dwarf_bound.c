/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#ifdef HAVE_DWARF

#include <string.h>

#include "base/limits.h"
#include "debug_info/debug_dwarf_internal.h"

/*
 * Libdw keeps the abbreviations of each unit that it looks at, up to the last one that the unit
 * uses, also where all units share one table. So small files may take all memory: their units are
 * counted here before libdw sees them, and it is given as many as may be read.
 */

/* What an abbreviation costs beside its bytes: libdw keeps some 80 for each. */
#define ABBREVIATION_COST 15u

/* A table of abbreviations: of a unit, and of the units before that share it. */
struct abbrev_table {
	uint64_t offset, code;
	uint64_t cost, until;		/* of all; of those up to `code` */
};

struct bounding {
	struct reader abbrevs;
	struct abbrev_table table;
	/*
	 * What units may still cost. Those of types (DWARF 5, 3.1.4) share a table by the
	 * hundred, of which libdw reads no more than what is asked for.
	 */
	uint64_t budget, type_budget;
};

struct unit_head {
	uint64_t end, entries, abbrevs;
	bool types;
};

/* Read the header of a unit (DWARF 5, 7.5.1); false where there is none. */
static bool
read_head(const struct reader *info, uint64_t start, bool types, struct unit_head *head)
{
	uint32_t length = 0;
	uint64_t size = 0, at = start + 4;
	uint16_t version = 0;
	uint8_t type = 0;

	if (!reader_u32(info, start, &length))
		return false;
	const unsigned word = length == UINT32_MAX ? 8 : 4;
	size = length;
	if (word == 8 && !reader_u64(info, at, &size))
		return false;
	at += word == 8 ? 8 : 0;
	if (size > info->size - at || size == 0 || !reader_u16(info, at, &version))
		return false;
	head->end = at + size;
	at += 2;
	if (version >= 5) {
		reader_u8(info, at, &type);
		at += 2;
	}
	if (!reader_unsigned(info, at, word, &head->abbrevs))
		return false;
	head->types = types || type == DW_UT_type || type == DW_UT_split_type;
	head->entries = at + word + (version < 5) + (head->types ? 8 + word : 0) +
			(type == DW_UT_skeleton || type == DW_UT_split_compile ? 8 : 0);
	return true;
}

/* Skip one abbreviation, and count its attributes without bytes; false at the end of its table. */
static bool
skip_abbrev(const struct reader *abbrevs, uint64_t *at, uint64_t *code, uint64_t *empty)
{
	uint64_t name, form;

	*code = debug_dwarf_leb(abbrevs, at, false);
	if (*code == 0)
		return false;
	debug_dwarf_leb(abbrevs, at, false);
	++*at;
	*empty = 0;
	do {
		name = debug_dwarf_leb(abbrevs, at, false);
		form = debug_dwarf_leb(abbrevs, at, false);
		*empty += form == DW_FORM_flag_present || form == DW_FORM_implicit_const;
		if (form == DW_FORM_implicit_const)
			debug_dwarf_leb(abbrevs, at, true);
	} while (name != 0 || form != 0);
	return true;
}

/* Find out what a table costs, up to what is left to spend. */
static void
read_table(struct bounding *bounding, uint64_t offset, uint64_t wanted)
{
	struct abbrev_table *table = &bounding->table;
	const uint64_t most = bounding->budget > bounding->type_budget ? bounding->budget
								       : bounding->type_budget;
	uint64_t at = offset, code, empty;

	if (table->offset == offset && table->code == wanted)
		return;
	*table = (struct abbrev_table){ .offset = offset, .code = wanted, .until = UINT64_MAX };
	while (table->cost <= most && skip_abbrev(&bounding->abbrevs, &at, &code, &empty)) {
		/* Each entry of such a kind has a byte, and libdw reads all of its attributes. */
		table->cost += empty <= LIMIT_EMPTY_ATTRIBUTES ? ABBREVIATION_COST : most + 1;
		if (code == wanted && table->until == UINT64_MAX)
			table->until = table->cost + at - offset;
	}
	table->cost += at < offset ? 0 : at - offset;
	if (table->until > table->cost)
		table->until = table->cost;
}

static bool
spend(uint64_t *budget, uint64_t cost)
{
	const bool enough = cost <= *budget;

	*budget -= enough ? cost : *budget;
	return enough;
}

/* How many bytes of a section's units may be read. */
static uint64_t
affordable(struct bounding *bounding, const struct reader *info, bool types)
{
	struct unit_head head;
	uint64_t start = 0;

	for (; read_head(info, start, types, &head); start = head.end) {
		uint64_t at = head.entries;
		const uint64_t code = debug_dwarf_leb(info, &at, false);

		read_table(bounding, head.abbrevs, code);
		if (head.types ? !spend(&bounding->budget, bounding->table.until) ||
					 !spend(&bounding->type_budget, bounding->table.cost)
			       : !spend(&bounding->budget, bounding->table.cost))
			return start;
	}
	return info->size;
}

/*
 * Make a section end at `size`, for libdw and for us. Libdw refuses a file whose section is empty,
 * so it keeps the beginning of a unit.
 */
static void
cut_section(Elf *elf, const char *name, uint64_t size)
{
	enum { LEAST = 4 };

	Elf_Scn *scn;
	Elf_Data *data = debug_dwarf_section_data(elf, name, &scn);
	Elf_Data *raw = elf_rawdata(scn, NULL);

	data->d_size = size > LEAST ? (size_t)size : LEAST;
	if (raw != NULL)
		raw->d_size = data->d_size;
}

bool
debug_dwarf_bound(Elf *elf, const struct binary *binary)
{
	static const char *const names[] = { ".debug_info", ".debug_types" };
	struct bounding bounding = {
		.abbrevs = debug_dwarf_section(elf, binary, ".debug_abbrev"),
		.table.offset = UINT64_MAX };
	bool all = true;

	const uint64_t size = bounding.abbrevs.size;
	bounding.budget = LIMIT_ABBREVIATIONS + 8 * size;
	bounding.type_budget = LIMIT_ABBREVIATIONS + 8 * size;
	for (size_t i = 0; i < 2; i++) {
		const struct reader info = debug_dwarf_section(elf, binary, names[i]);

		bounding.budget += 8 * info.size;
		bounding.type_budget += 64 * info.size;
		const uint64_t read = affordable(&bounding, &info, i == 1);
		if (read < info.size)
			cut_section(elf, names[i], read);
		all = all && read == info.size;
	}
	return all;
}

/* Paths of files ------------------------------------------------------------------------------- */

/* The lists of directories and files of a line program's header (DWARF 5, 6.2.4). */
struct file_lists {
	const struct reader *header;
	uint64_t at;
	unsigned word;			/* bytes of an offset */
	struct reader strings, line_strings;
	uint64_t longest;		/* directory */
	uint64_t cost, most;		/* bytes of paths */
};

/* Bytes of the text at an offset of a section, up to `most`. */
static uint64_t
text_size(const struct reader *section, uint64_t at, uint64_t most)
{
	if (at >= section->size)
		return 0;
	const uint64_t left = section->size - at;

	return strnlen((const char *)section->data + at, (size_t)(left < most ? left : most));
}

static uint64_t
take_number(struct file_lists *lists, unsigned size)
{
	uint64_t value = 0;

	if (reader_unsigned(lists->header, lists->at, size, &value))
		lists->at += size;
	else
		lists->at = lists->header->size;
	return value;
}

static uint64_t
take_text(struct file_lists *lists)
{
	const uint64_t size = text_size(lists->header, lists->at, lists->header->size);

	lists->at += size + 1 < lists->header->size - lists->at ? size + 1
								: lists->header->size - lists->at;
	return size;
}

static void
pass(struct file_lists *lists, uint64_t size)
{
	const uint64_t left = lists->header->size - lists->at;

	lists->at += size < left ? size : left;
}

static void
add_name(struct file_lists *lists, bool files, uint64_t size)
{
	if (files)
		lists->cost += size + lists->longest;
	else if (size > lists->longest)
		lists->longest = size;
}

/* Read a value, and the size if it is a text; false where the form is unknown. */
static bool
take_value(struct file_lists *lists, uint64_t form, uint64_t *size)
{
	*size = 0;
	switch (form) {
	case DW_FORM_string:
		*size = take_text(lists);
		return true;
	case DW_FORM_line_strp:
		*size = text_size(&lists->line_strings, take_number(lists, lists->word),
				  lists->most);
		return true;
	case DW_FORM_strp:
		*size = text_size(&lists->strings, take_number(lists, lists->word), lists->most);
		return true;
	case DW_FORM_udata:
		debug_dwarf_leb(lists->header, &lists->at, false);
		return true;
	case DW_FORM_block:
		pass(lists, debug_dwarf_leb(lists->header, &lists->at, false));
		return true;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_data16:
		pass(lists, form == DW_FORM_data1   ? 1
			    : form == DW_FORM_data2 ? 2
			    : form == DW_FORM_data4 ? 4
			    : form == DW_FORM_data8 ? 8
						    : 16);
		return true;
	default:
		return false;
	}
}

/* Directories or files of DWARF 5; false: they cannot be read, or take too much. */
static bool
read_list(struct file_lists *lists, bool files)
{
	const uint64_t formats = take_number(lists, 1), start = lists->at;

	for (uint64_t i = 0; i < 2 * formats; i++)
		debug_dwarf_leb(lists->header, &lists->at, false);
	const uint64_t count = debug_dwarf_leb(lists->header, &lists->at, false);
	for (uint64_t i = 0; i < count && formats > 0 && lists->at < lists->header->size; i++) {
		uint64_t format = start, size;

		for (uint64_t j = 0; j < formats; j++) {
			const uint64_t content = debug_dwarf_leb(lists->header, &format, false);
			const uint64_t form = debug_dwarf_leb(lists->header, &format, false);

			if (!take_value(lists, form, &size))
				return false;
			if (content == DW_LNCT_path)
				add_name(lists, files, size);
		}
		if (lists->cost > lists->most)
			return false;
	}
	return true;
}

/* The same lists before DWARF 5: texts up to an empty one. */
static bool
read_old_lists(struct file_lists *lists)
{
	uint64_t size;

	while ((size = take_text(lists)) > 0)
		add_name(lists, false, size);
	while (lists->cost <= lists->most && (size = take_text(lists)) > 0) {
		add_name(lists, true, size);
		for (unsigned i = 0; i < 3; i++)
			debug_dwarf_leb(lists->header, &lists->at, false);
	}
	return lists->cost <= lists->most;
}

/* Libdw makes the path of each file of a unit, whose names and directories they may share. */
bool
debug_dwarf_bound_files(struct debug_dwarf *dwarf, const struct reader *header, uint64_t at,
			unsigned version, unsigned word)
{
	struct file_lists lists = {
		.header = header, .at = at, .word = word,
		.strings = debug_dwarf_section(dwarf->elf, dwarf->binary, ".debug_str"),
		.line_strings = debug_dwarf_section(dwarf->elf, dwarf->binary, ".debug_line_str"),
		.most = dwarf->path_bytes };
	const bool fit = version < 5 ? read_old_lists(&lists)
				     : read_list(&lists, false) && read_list(&lists, true);

	dwarf->path_bytes -= fit ? lists.cost : 0;
	return fit;
}

#endif
