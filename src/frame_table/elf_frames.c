/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "frame_table/frame_tables_internal.h"

#ifdef HAVE_DWARF

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "base/sorted.h"
#include "frame_table/dwarf_expression.h"
#include "frame_table/elf_frame_index.h"

/*
 * Rows of .eh_frame and .debug_frame: libdw runs the instructions, and what it says of a register
 * becomes postfix. Where an entry stands is looked up here, by the table that linkers sort for it, else
 * in one made here.
 */

struct elf_frames {
	const struct binary *binary;
	const char *table;
	uint8_t *copy;		/* of the file's bytes; NULL: none is needed */
	Elf *elf;
	Dwarf *dwarf;		/* of .debug_frame */
	Dwarf_CFI *cfi;
	bool own;		/* the caller frees `cfi` */
	struct elf_frame_section section;
	uint64_t offset;	/* of the section in the file */
	bool compressed;	/* its entries have no places in the file */
	struct elf_frame_index index;
	bool indexed;
};

/* More operations than that no compiler writes. */
enum { MOST_OPERATIONS = 64 };

static bool
is_compressed(const struct binary *binary)
{
	for (size_t i = 0; i < binary->section_count; i++)
		if (binary->sections[i].compressed)
			return true;
	return false;
}

/*
 * libelf marks sections that it has unpacked in the very bytes that it was given, and the next reader
 * of these takes packed bytes for unpacked ones. So unpacking is done in a copy, where the marks are
 * as the file has them, for debug_dwarf.c may have unpacked sections before.
 */
static Elf *
open_copy(struct elf_frames *frames)
{
	const struct binary *binary = frames->binary;
	GElf_Shdr header;

	frames->copy = malloc((size_t)binary->file.size);
	if (frames->copy == NULL)
		return NULL;
	memcpy(frames->copy, binary->file.data, (size_t)binary->file.size);
	Elf *elf = elf_memory((char *)frames->copy, (size_t)binary->file.size);
	for (size_t i = 0; elf != NULL && i < binary->section_count; i++) {
		const struct binary_section *section = &binary->sections[i];
		Elf_Scn *scn = section->compressed ? elf_getscn(elf, i + 1) : NULL;

		if (gelf_getshdr(scn, &header) == NULL || header.sh_offset != section->offset)
			continue;
		header.sh_flags = section->flags;
		header.sh_size = section->size;
		header.sh_addralign = binary->word_size;
		gelf_update_shdr(scn, &header);
	}
	return elf;
}

static struct elf_frames *
open_elf(const struct binary *binary, const char *table, bool unpacks)
{
	struct elf_frames *frames;

	if (binary->format != BINARY_ELF || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	frames = calloc(1, sizeof(*frames));
	if (frames == NULL)
		return NULL;
	frames->binary = binary;
	frames->table = table;
	frames->elf = unpacks && is_compressed(binary)
			      ? open_copy(frames)
			      : elf_memory((char *)(uintptr_t)binary->file.data,
					   (size_t)binary->file.size);
	return frames;
}

/* The bytes of the table, which libdw has decompressed by now where they were compressed. */
static void
find_section(struct elf_frames *frames)
{
	const struct binary_section *section = binary_section(frames->binary, 0, frames->table);
	Elf_Scn *scn = NULL;
	size_t names = 0;
	GElf_Shdr header;

	if (section == NULL || elf_getshdrstrndx(frames->elf, &names) != 0)
		return;
	frames->offset = section->offset;
	frames->compressed = section->compressed;
	frames->section = (struct elf_frame_section){
		.ident = (const unsigned char *)elf_getident(frames->elf, NULL),
		.address = section->address, .word_size = frames->binary->word_size,
		.big_endian = frames->binary->big_endian, .eh = frames->own };
	while ((scn = elf_nextscn(frames->elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &header) != NULL
					   ? elf_strptr(frames->elf, names, header.sh_name) : NULL;
		const Elf_Data *data = name != NULL && strcmp(name, frames->table) == 0 &&
						       header.sh_type != SHT_NOBITS
					       ? elf_rawdata(scn, NULL) : NULL;

		if (data == NULL)
			continue;
		frames->section.data = data->d_buf;
		frames->section.size = data->d_buf != NULL ? data->d_size : 0;
		return;
	}
}

/* The frames, if there is a table; else what was opened for it is closed. */
static void *
opened(struct elf_frames *frames)
{
	if (frames->cfi != NULL) {
		find_section(frames);
		return frames;
	}
	elf_frames_close(frames);
	return NULL;
}

void *
elf_frames_open_eh(const struct binary *binary)
{
	struct elf_frames *frames = open_elf(binary, ".eh_frame", false);

	if (frames == NULL)
		return NULL;
	if (frames->elf != NULL)
		frames->cfi = dwarf_getcfi_elf(frames->elf);
	frames->own = true;
	return opened(frames);
}

void *
elf_frames_open_debug(const struct binary *binary)
{
	struct elf_frames *frames = NULL;

	/* Most files have none, and libdw would unpack all their DWARF to find that out. */
	if (binary_section(binary, 0, ".debug_frame") != NULL ||
	    binary_section(binary, 0, ".zdebug_frame") != NULL)
		frames = open_elf(binary, ".debug_frame", true);
	if (frames == NULL)
		return NULL;
	if (frames->elf != NULL)
		frames->dwarf = dwarf_begin_elf(frames->elf, DWARF_C_READ, NULL);
	if (frames->dwarf != NULL)
		frames->cfi = dwarf_getcfi(frames->dwarf);
	return opened(frames);
}

void
elf_frames_close(void *state)
{
	struct elf_frames *frames = state;

	if (frames->indexed)
		elf_frame_index_free(&frames->index);
	if (frames->own && frames->cfi != NULL)
		dwarf_cfi_end(frames->cfi);
	if (frames->dwarf != NULL)
		dwarf_end(frames->dwarf);
	if (frames->elf != NULL)
		elf_end(frames->elf);
	free(frames->copy);
	free(frames);
}

/* The entry that covers an address, or the first one above it; `*covers` says which. */
static const struct elf_frame_entry *
indexed_entry(struct elf_frames *frames, uint64_t address, bool *covers)
{
	const struct elf_frame_index *index = &frames->index;

	if (!frames->indexed)
		elf_frame_index_build(&frames->index, &frames->section);
	frames->indexed = true;
	const size_t behind = sorted_upto(SORTED(index->entries, index->count, first),
					  address);
	*covers = behind > 0 && address <= index->entries[behind - 1].last;
	if (*covers)
		return &index->entries[behind - 1];
	return behind < index->count ? &index->entries[behind] : NULL;
}

/*
 * The offset of a function's entry in .eh_frame: .eh_frame_hdr has a sorted table of pairs, each
 * relative to the header itself (LSB 5.0, chapter 10.6.2; what else it may look like no linker
 * writes).
 */
static bool
sorted_entry(const struct elf_frames *frames, uint64_t address, uint64_t *offset)
{
	const struct binary *binary = frames->binary;
	const struct binary_section *header = binary_section(binary, 0, ".eh_frame_hdr");
	uint32_t count, start, entry;

	if (!frames->own || header == NULL || header->data == NULL)
		return false;
	const struct reader reader = { .input = &binary->file.input, .data = header->data,
				       .size = header->size, .big_endian = binary->big_endian };
	if (header->size < 12 || header->data[1] != 0x1b || header->data[2] != 0x03 ||
	    header->data[3] != 0x3b || !reader_u32(&reader, 8, &count))
		return false;
	const int64_t wanted = (int64_t)(address - header->address);
	uint32_t low = 0, high = count;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (!reader_u32(&reader, 12 + (uint64_t)middle * 8, &start))
			return false;
		if ((int32_t)start <= wanted)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !reader_u32(&reader, 12 + (uint64_t)(low - 1) * 8 + 4, &entry))
		return false;
	*offset = header->address + (uint64_t)(int64_t)(int32_t)entry - frames->section.address;
	return *offset < frames->section.size;
}

static struct place
place_at(const struct elf_frames *frames, uint64_t offset, uint32_t length)
{
	if (frames->compressed)
		return (struct place){ .input = &frames->binary->file.input,
				       .offset = frames->offset };
	return (struct place){ .input = &frames->binary->file.input,
			       .offset = frames->offset + offset, .length = length };
}

/* Where the entry of a function stands. */
static struct place
entry_place(struct elf_frames *frames, uint64_t address)
{
	const struct reader entries = { .data = frames->section.data, .size = frames->section.size,
					.big_endian = frames->binary->big_endian };
	const struct elf_frame_entry *entry;
	uint32_t length = 0;
	uint64_t offset;
	bool covers = false;

	if (sorted_entry(frames, address, &offset)) {
		const bool whole = reader_u32(&entries, offset, &length) &&
				   length < entries.size - offset;

		return place_at(frames, offset, whole ? length + 4 : 0);
	}
	entry = indexed_entry(frames, address, &covers);
	return covers ? place_at(frames, entry->offset, entry->length) : place_at(frames, 0, 0);
}

/* Without a section table libdw finds the entries by a program header: then a row is all. */
static void
row_extent(struct elf_frames *frames, uint64_t address, struct frame_extent *extent)
{
	const uint64_t linked = frames->binary->linked_base;
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr first, end;
	bool signal;

	if (dwarf_cfi_addrframe(frames->cfi, address, &frame) != 0)
		return;
	dwarf_frame_info(frame, &first, &end, &signal);
	free(frame);
	if (first > address || end <= address)
		return;
	*extent = (struct frame_extent){ .entry = true, .first = first - linked,
					 .last = end - 1 - linked };
}

void
elf_frames_extent(void *state, uint64_t relative, struct frame_extent *extent)
{
	struct elf_frames *frames = state;
	const uint64_t linked = frames->binary->linked_base;
	bool covers;

	if (frames->section.data == NULL) {
		*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
		row_extent(frames, linked + relative, extent);
		return;
	}
	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	const struct elf_frame_entry *entry = indexed_entry(frames, linked + relative, &covers);
	extent->entry = covers;
	if (covers)
		extent->first = entry->first - linked, extent->last = entry->last - linked;
	else if (entry != NULL)
		extent->last = entry->first - linked - 1;
}

static struct frame_table_rule
rule_of(const struct arch *arch, int reg, const Dwarf_Op *ops, size_t count, bool is_value,
	struct arena *arena)
{
	struct dwarf_operation operations[MOST_OPERATIONS];
	struct frame_table_rule rule = { .reg = reg };

	if (count > MOST_OPERATIONS) {
		rule.cannot = "it is longer than any compiler's output";
		return rule;
	}
	for (size_t i = 0; i < count; i++)
		operations[i] = (struct dwarf_operation){ ops[i].atom, ops[i].number,
							  ops[i].number2 };
	rule.expression = dwarf_expression_postfix(arch, operations, count, is_value, arena,
						   &rule.cannot);
	return rule;
}

/* What the row says of one register. */
enum said { SAID_NOTHING, SAID_UNDEFINED, SAID_SAME, SAID_RULE };

static enum said
ask(Dwarf_Frame *frame, const struct arch *arch, int number, int reg, struct arena *arena,
    struct frame_table_rule *rule)
{
	Dwarf_Op memory[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0)
		return SAID_NOTHING;
	if (count == 0)
		return ops == memory ? SAID_UNDEFINED : SAID_SAME;
	*rule = rule_of(arch, reg, ops, count, false, arena);
	return SAID_RULE;
}

static void
ask_return_address(Dwarf_Frame *frame, const struct arch *arch, int column, struct arena *arena,
		   struct frame_table_row *rules)
{
	switch (ask(frame, arch, column, arch->pc, arena, &rules->return_address)) {
	case SAID_UNDEFINED:
		rules->outermost = true;
		break;
	case SAID_SAME:
	case SAID_NOTHING:
		rules->in_register = true;
		rules->return_address = (struct frame_table_rule){
			.reg = arch->pc,
			.expression = arch->lr >= 0 ? arch->registers[arch->lr].name : NULL,
			.cannot = "the row has no rule for the return address" };
		break;
	case SAID_RULE:
		break;
	}
}

/*
 * A register that the row does not mention counts as the ABI has it. Whether one that libdw calls
 * undefined was mentioned is unknown (its defaults of x86-64 name rax for rbx): only rules count.
 */
static void
ask_registers(Dwarf_Frame *frame, const struct arch *arch, int column, struct arena *arena,
	      struct frame_table_row *rules)
{
	rules->rules = arena_array(arena, ARCH_REGISTERS, sizeof(*rules->rules));
	for (int number = 0; rules->rules != NULL && number < ARCH_REGISTERS; number++) {
		const int reg = arch_dwarf_register(arch, number);
		struct frame_table_rule rule;

		if (reg < 0 || arch->registers[reg].name == NULL || number == column ||
		    reg == arch->pc)
			continue;
		if (ask(frame, arch, number, reg, arena, &rule) == SAID_RULE)
			rules->rules[rules->count++] = rule;
	}
}

const struct frame_table_row *
elf_frames_find(void *state, const struct arch *arch, const struct frame_table_question *question,
		struct arena *arena, const char **problem)
{
	struct elf_frames *frames = state;
	const uint64_t linked = frames->binary->linked_base, relative = question->relative;
	struct frame_table_row *rules = arena_alloc(arena, sizeof(*rules));
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr first, end;
	Dwarf_Op *ops;
	size_t count;

	if (rules == NULL || dwarf_cfi_addrframe(frames->cfi, linked + relative, &frame) != 0)
		return NULL;
	const int column = dwarf_frame_info(frame, &first, &end, &rules->signal);
	if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count == 0) {
		*problem = "the table has no rule for the frame";
		free(frame);
		return NULL;
	}
	rules->table = frames->table;
	rules->first = first - linked;
	rules->last = end - 1 - linked;
	rules->place = entry_place(frames, linked + relative);
	rules->cfa = rule_of(arch, ARCH_NO_REGISTER, ops, count, true, arena);
	ask_return_address(frame, arch, column, arena, rules);
	ask_registers(frame, arch, column, arena, rules);
	free(frame);
	return rules;
}

#endif
