/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "frame_table/frame_tables_internal.h"

#ifdef HAVE_DWARF

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/reader.h"
#include "base/sorted.h"
#include "binary/elf_unpacked.h"
#include "frame_table/cfa_register.h"
#include "frame_table/dwarf_expression.h"

/*
 * Rows of .eh_frame and .debug_frame, in ELF files and in what MinGW makes: libdw runs the instructions, and what it says of a register
 * becomes postfix. Where an entry stands is looked up here, by the table that linkers sort for it, else
 * in one made here: linkers make such a table for .eh_frame alone, and not always (LSB 5.0, chapter
 * 10.6; DWARF 5, 6.4.1).
 */

/* Where an entry stands and what code it is for. */
struct elf_frame_entry {
	uint64_t first, last;		/* addresses of the code, as linked */
	uint64_t offset;		/* of the entry in its section */
	uint32_t length;		/* of the whole entry */
};

/* What the addresses of a CIE's entries look like. */
struct encoding {
	Dwarf_Off of;			/* the CIE's offset */
	int pointer;			/* DW_EH_PE_...; -1: one that is never written for code */
	bool augmented;			/* they have data of an augmentation behind them */
};

struct elf_frames {
	const struct binary *binary;
	const char *table;
	bool eh;		/* .eh_frame, whose `cfi` libdw's caller frees */
	struct elf_unpacked file;
	Elf *elf;
	Dwarf *dwarf;		/* of .debug_frame */
	Dwarf_CFI *cfi;
	Elf_Scn *scn;		/* the section; NULL: not known */
	uint8_t *own;		/* bytes of the section that may be changed; NULL: not needed yet */
	struct reader section;	/* its bytes, unpacked; without data: not known */
	uint64_t address;	/* of the section as linked */
	uint64_t offset;	/* of the section in the file */
	bool compressed;	/* its entries have no places in the file */
	struct arena arena;
	struct elf_frame_entry *entries;	/* by their first address */
	size_t count, capacity;
	bool indexed;		/* the entries are listed */
	struct encoding last;	/* of the entry before: most CIEs have their entries behind */
};

/* Expressions of one entry that are left out to find a row. */
enum { MOST_EXPRESSIONS = 64 };

/* Codes before DWARF has them: what a value of an encoding is counted from. */
#define APPLIED 0x70

/* The bytes of the table as libdw has them. */
static void
find_section(struct elf_frames *frames)
{
	const struct binary_section *section = binary_section(frames->binary, 0, frames->table);
	Elf_Scn *scn = NULL;
	size_t names = 0;
	GElf_Shdr header;

	frames->section.big_endian = frames->binary->big_endian;
	if (section == NULL || elf_getshdrstrndx(frames->elf, &names) != 0)
		return;
	frames->offset = section->offset;
	frames->compressed = section->compressed;
	frames->address = section->address + binary_section_bias(frames->binary);
	while ((scn = elf_nextscn(frames->elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &header) != NULL
					   ? elf_strptr(frames->elf, names, header.sh_name) : NULL;
		const Elf_Data *data = name != NULL && strcmp(name, frames->table) == 0 &&
						       header.sh_type != SHT_NOBITS
					       ? elf_rawdata(scn, NULL) : NULL;

		if (data == NULL)
			continue;
		frames->scn = scn;
		frames->section.data = data->d_buf;
		frames->section.size = data->d_buf != NULL ? data->d_size : 0;
		return;
	}
}

static void
close_cfi(struct elf_frames *frames)
{
	if (frames->eh && frames->cfi != NULL)
		dwarf_cfi_end(frames->cfi);
	if (frames->dwarf != NULL)
		dwarf_end(frames->dwarf);
	frames->cfi = NULL;
	frames->dwarf = NULL;
}

static void
open_cfi(struct elf_frames *frames)
{
	if (frames->elf != NULL && frames->eh)
		frames->cfi = dwarf_getcfi_elf(frames->elf);
	else if (frames->elf != NULL)
		frames->dwarf = dwarf_begin_elf(frames->elf, DWARF_C_READ, NULL);
	if (frames->dwarf != NULL)
		frames->cfi = dwarf_getcfi(frames->dwarf);
}

static void
elf_frames_close(void *state)
{
	struct elf_frames *frames = state;

	close_cfi(frames);
	if (frames->elf != NULL)
		elf_end(frames->elf);
	arena_free(&frames->arena);
	elf_unpacked_free(&frames->file);
	free(frames->own);
	free(frames);
}

/* The file with the table as libelf reads it. */
static void
open_elf(struct elf_frames *frames)
{
	static const char *const sections[] = { "frame", NULL };
	const struct binary *binary = frames->binary;
	const struct binary_section *section = binary_section(binary, 0, frames->table);
	bool made = false;

	if (!frames->eh) {
		made = elf_unpack(&frames->file, binary, sections);
	} else if (binary->format == BINARY_PE && section != NULL && section->data != NULL) {
		const struct elf_part part = { frames->table, section->data, section->size,
					       section->address + binary_section_bias(binary) };

		made = elf_make(&frames->file, binary, &part, 1);
	} else if (binary->format == BINARY_ELF && (section == NULL || !section->compressed)) {
		/* What is loaded is never packed (gABI); a file that says so is not given to libdw. */
		frames->elf = elf_open(binary->file.data, (size_t)binary->file.size);
	}
	if (made)
		frames->elf = elf_open(frames->file.data, frames->file.size);
}

static void *
open_table(const struct binary *binary, const char *table, bool eh, struct elf_damage *damage)
{
	if ((binary->format != BINARY_ELF && binary->format != BINARY_PE) ||
	    elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	struct elf_frames *frames = calloc(1, sizeof(*frames));
	if (frames == NULL)
		return NULL;
	arena_init(&frames->arena, 0);
	frames->binary = binary;
	frames->table = table;
	frames->eh = eh;
	frames->last = (struct encoding){ UINT64_MAX, -1, false };
	open_elf(frames);
	*damage = frames->file.damage;
	open_cfi(frames);
	if (frames->cfi == NULL) {
		elf_frames_close(frames);
		return NULL;
	}
	find_section(frames);
	return frames;
}

static void *
open_eh(const struct binary *binary, struct elf_damage *damage)
{
	return open_table(binary, ".eh_frame", true, damage);
}

static void *
open_debug(const struct binary *binary, struct elf_damage *damage)
{
	/* Most files have none, and libdw would unpack all their DWARF to find that out. */
	return binary_section(binary, 0, ".debug_frame") != NULL ||
			       binary_section(binary, 0, ".zdebug_frame") != NULL
		       ? open_table(binary, ".debug_frame", false, damage)
		       : NULL;
}

/* Index ---------------------------------------------------------------------------------------- */

/* The entry at an offset of the section, as dwarf_next_cfi. */
static int
next_entry(const struct elf_frames *frames, Dwarf_Off at, Dwarf_Off *next, Dwarf_CFI_Entry *entry)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(frames->elf, NULL);
	Elf_Data data = { .d_buf = (void *)(uintptr_t)frames->section.data,
			  .d_size = (size_t)frames->section.size, .d_type = ELF_T_BYTE,
			  .d_version = EV_CURRENT };

	return dwarf_next_cfi(ident, &data, frames->eh, at, next, entry);
}

/* Bytes that a value takes; 0 where its length is not fixed or it is none. */
static unsigned
size_of(const struct elf_frames *frames, int pointer)
{
	static const uint8_t sizes[8] = { [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4,
					  [DW_EH_PE_udata8] = 8 };

	/* Signed ones have one bit more. */
	return (pointer & 7) == DW_EH_PE_absptr ? frames->binary->word_size : sizes[pointer & 7];
}

/* The encoding of addresses that the augmentation of a CIE says (LSB 5.0, 10.6.1.1.1). */
static int
encoding_of(const struct elf_frames *frames, const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	size_t at = 0;

	if (!frames->eh || cie->augmentation[0] != 'z' || data == NULL)
		return DW_EH_PE_absptr;
	for (const char *c = cie->augmentation + 1; *c != '\0'; c++) {
		if (at >= cie->augmentation_data_size)
			return DW_EH_PE_absptr;
		if (*c == 'R')
			return data[at];
		if (*c == 'L')
			at++;
		else if (*c == 'P')
			at += 1 + size_of(frames, data[at]);
		else if (*c != 'S' && *c != 'B' && *c != 'G')
			break;
	}
	return DW_EH_PE_absptr;
}

static int
encoding_at(struct elf_frames *frames, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (frames->last.of == offset)
		return frames->last.pointer;
	frames->last = (struct encoding){ offset, -1, false };
	if (offset < frames->section.size && next_entry(frames, offset, &next, &entry) == 0 &&
	    dwarf_cfi_cie_p(&entry)) {
		frames->last.pointer = encoding_of(frames, &entry.cie);
		frames->last.augmented = entry.cie.augmentation[0] == 'z';
	}
	return frames->last.pointer;
}

/* The code that the entry is for; false where it is for none or it is unknown. */
static bool
read_code(struct elf_frames *frames, const Dwarf_FDE *fde, struct elf_frame_entry *entry)
{
	const int pointer = encoding_at(frames, fde->CIE_pointer);
	const uint64_t at = (uint64_t)(fde->start - frames->section.data);
	uint64_t size;

	if (pointer < 0 || (pointer & DW_EH_PE_indirect) != 0)
		return false;
	const unsigned width = size_of(frames, pointer);
	if (width == 0 || !reader_unsigned(&frames->section, at, width, &entry->first) ||
	    !reader_unsigned(&frames->section, at + width, width, &size) || size == 0)
		return false;
	if ((pointer & DW_EH_PE_signed) != 0)
		entry->first = checked_extend(entry->first, 8 * width);
	if ((pointer & APPLIED) == DW_EH_PE_pcrel)
		entry->first += frames->address + at;
	else if ((pointer & APPLIED) != DW_EH_PE_absptr)
		return false;
	if (frames->binary->word_size == 4)
		entry->first &= UINT32_MAX;
	entry->last = entry->first + size - 1;
	return entry->last >= entry->first;
}

SORTED_BY_ALL(compare, struct elf_frame_entry, SORTED_UP(first) SORTED_UP(offset))

/* List the section's entries. Those that are damaged or for no code are left out. */
static void
build_index(struct elf_frames *frames)
{
	const uint64_t size = frames->section.size;
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	frames->indexed = true;
	for (Dwarf_Off at = 0; at < size; at = next) {
		struct elf_frame_entry found = { .offset = at };

		next = at;
		const int result = next_entry(frames, at, &next, &entry);
		if (result > 0 || next <= at)
			break;
		const uint64_t length = (next < size ? next : size) - at;
		found.length = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
		if (result != 0 || dwarf_cfi_cie_p(&entry) ||
		    !read_code(frames, &entry.fde, &found))
			continue;
		struct elf_frame_entry *kept = ARENA_PUSH(&frames->arena, frames->entries,
							  frames->count, frames->capacity);
		if (kept == NULL)
			break;
		*kept = found;
	}
	if (frames->count > 0)
		qsort(frames->entries, frames->count, sizeof(*frames->entries), compare);
}

/* The entry that covers an address, or the first one above it; `*covers` says which. */
static const struct elf_frame_entry *
indexed_entry(struct elf_frames *frames, uint64_t address, bool *covers)
{
	if (!frames->indexed)
		build_index(frames);
	const size_t behind = sorted_upto(SORTED(frames->entries, frames->count, first), address);
	*covers = behind > 0 && address <= frames->entries[behind - 1].last;
	if (*covers)
		return &frames->entries[behind - 1];
	return behind < frames->count ? &frames->entries[behind] : NULL;
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

	if (!frames->eh || header == NULL || header->data == NULL)
		return false;
	const struct reader reader = { .input = &binary->file.input, .data = header->data,
				       .size = header->size, .big_endian = binary->big_endian };
	if (header->size < 12 || header->data[1] != 0x1b || header->data[2] != 0x03 ||
	    header->data[3] != 0x3b || !reader_u32(&reader, 8, &count) ||
	    count > (header->size - 12) / 8)
		return false;
	const int64_t wanted = (int64_t)(address - header->address);
	size_t at;
	BISECT(at, count, reader_u32(&reader, 12 + (uint64_t)at * 8, &start) &&
				  (int32_t)start <= wanted);
	if (at == 0 || !reader_u32(&reader, 12 + (uint64_t)(at - 1) * 8 + 4, &entry))
		return false;
	*offset = header->address + (uint64_t)(int64_t)(int32_t)entry - frames->address;
	return *offset < frames->section.size;
}

/* Where the entry of a function stands. */
static struct place
entry_place(struct elf_frames *frames, uint64_t address)
{
	struct place place = { .input = &frames->binary->file.input, .offset = frames->offset };
	uint64_t offset = 0;
	uint32_t length = 0;
	bool covers;

	if (sorted_entry(frames, address, &offset)) {
		const bool whole = reader_u32(&frames->section, offset, &length) &&
				   length < frames->section.size - offset;

		length = whole ? length + 4 : 0;
	} else {
		const struct elf_frame_entry *entry = indexed_entry(frames, address, &covers);

		offset = covers ? entry->offset : 0;
		length = covers ? entry->length : 0;
	}
	if (!frames->compressed) {
		place.offset += offset;
		place.length = length;
	}
	return place;
}

static void
elf_frames_extent(void *state, uint64_t relative, struct frame_extent *extent)
{
	struct elf_frames *frames = state;
	const uint64_t linked = frames->binary->linked_base, address = linked + relative;
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr first, end;
	bool covers, signal;

	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	if (frames->section.data != NULL) {
		const struct elf_frame_entry *entry = indexed_entry(frames, address, &covers);

		if (covers)
			*extent = (struct frame_extent){ true, entry->first - linked,
							 entry->last - linked, entry->offset };
		else if (entry != NULL)
			extent->last = entry->first - linked - 1;
		return;
	}
	/* Without a section table libdw finds entries by a program header: then a row is all. */
	if (dwarf_cfi_addrframe(frames->cfi, address, &frame) != 0)
		return;
	dwarf_frame_info(frame, &first, &end, &signal);
	free(frame);
	if (first <= address && end > address)
		*extent = (struct frame_extent){ true, first - linked, end - 1 - linked, 0 };
}

/* Rows ----------------------------------------------------------------------------------------- */

static struct frame_table_rule
rule_of(const struct arch *arch, int reg, const Dwarf_Op *ops, size_t count, bool is_value,
	struct arena *arena)
{
	struct frame_table_rule rule = { .reg = reg };

	rule.expression =
		dwarf_expression_postfix(arch, ops, count, is_value, arena, &rule.cannot);
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

/* What the row says of a floating-point or vector register, by each number that it may have. */
static void
ask_wide(Dwarf_Frame *frame, struct arch_wide wide, struct frame_table_row *row)
{
	const int first[] = { wide.bank->first + (int)wide.index,
			      wide.bank->half_first + 2 * (int)wide.index };
	Dwarf_Op memory[3], *ops;
	size_t count;

	row->wide = FRAME_WIDE_UNSAID;
	for (size_t i = 0; i < (wide.bank->half_first > 0 ? 2 : 1); i++) {
		if (dwarf_frame_register(frame, first[i], memory, &ops, &count) != 0 ||
		    (count == 0 && ops != memory))
			continue;
		const bool saved = count > 0 && count <= 2 &&
				   ops[0].atom == DW_OP_call_frame_cfa &&
				   (count == 1 || ops[1].atom == DW_OP_plus_uconst);
		row->wide = saved ? FRAME_WIDE_SAVED : FRAME_WIDE_UNTOLD;
		row->wide_offset = saved && count == 2 ? (int64_t)ops[1].number : 0;
		return;
	}
}

/* Run an entry's instructions up to an address; NULL where they make no CFA, or none is for it. */
static Dwarf_Frame *
run(struct elf_frames *frames, uint64_t address, bool *entry, Dwarf_Op **ops, size_t *count)
{
	Dwarf_Frame *frame = NULL;

	*entry = dwarf_cfi_addrframe(frames->cfi, address, &frame) == 0;
	if (!*entry || (dwarf_frame_cfa(frame, ops, count) == 0 && *count != 0))
		return *entry ? frame : NULL;
	free(frame);
	return NULL;
}

/* Give libdw bytes of the section that may be changed: it takes them raw or as they are in memory. */
static bool
own_section(struct elf_frames *frames)
{
	if (frames->own != NULL)
		return true;
	Elf_Data *raw = elf_rawdata(frames->scn, NULL), *data = elf_getdata(frames->scn, NULL);
	frames->own = raw != NULL && data != NULL ? malloc((size_t)frames->section.size) : NULL;
	if (frames->own == NULL)
		return false;
	memcpy(frames->own, frames->section.data, (size_t)frames->section.size);
	close_cfi(frames);
	frames->section.data = frames->own;
	raw->d_buf = frames->own;
	data->d_buf = frames->own;
	open_cfi(frames);
	return true;
}

/* The instructions of an entry; false where they cannot be told from what stands before them. */
static bool
find_code(struct elf_frames *frames, const struct elf_frame_entry *at, struct reader *code)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;
	uint64_t skip;

	if (next_entry(frames, at->offset, &next, &entry) != 0 || dwarf_cfi_cie_p(&entry))
		return false;
	const int pointer = encoding_at(frames, entry.fde.CIE_pointer);
	if (pointer < 0)
		return false;
	skip = 2 * (uint64_t)size_of(frames, pointer);
	/* A length of up to 127: those that assemblers write have at most an address behind it. */
	if (frames->last.augmented && skip < (uint64_t)(entry.fde.end - entry.fde.start))
		skip += 1 + (uint64_t)(entry.fde.start[skip] & 0x7f);
	return reader_window(&frames->section,
			     (uint64_t)(entry.fde.start - frames->section.data) + skip,
			     (uint64_t)(entry.fde.end - entry.fde.start) - skip, code);
}

/*
 * A row for which libdw gives no CFA, since an instruction that changes a register follows an
 * expression: without the expression, as long as that is why. Then the entry is put back, for the
 * expression counts in the rows before.
 */
static Dwarf_Frame *
run_without_expressions(struct elf_frames *frames, uint64_t address, Dwarf_Op **ops, size_t *count)
{
	Dwarf_Frame *frame = NULL;
	uint64_t start, end;
	struct reader code;
	bool covers;

	const struct elf_frame_entry *entry = indexed_entry(frames, address, &covers);
	if (!covers || !find_code(frames, entry, &code) || !cfa_register_find(&code, &start, &end) ||
	    !own_section(frames) || frames->cfi == NULL || !find_code(frames, entry, &code))
		return NULL;
	uint8_t *saved = malloc((size_t)code.size);
	uint8_t *bytes = frames->own + (code.data - frames->section.data);
	if (saved == NULL)
		return NULL;
	memcpy(saved, bytes, (size_t)code.size);
	for (unsigned i = 0; frame == NULL && i < MOST_EXPRESSIONS &&
			     cfa_register_find(&code, &start, &end); i++) {
		memset(bytes + start, 0, (size_t)(end - start));	/* DW_CFA_nop */
		frame = run(frames, address, &covers, ops, count);
	}
	memcpy(bytes, saved, (size_t)code.size);
	free(saved);
	return frame;
}

static const struct frame_table_row *
elf_frames_find(void *state, const struct arch *arch, const struct frame_table_question *question,
		struct arena *arena, const char **problem)
{
	struct elf_frames *frames = state;
	const uint64_t linked = frames->binary->linked_base, relative = question->relative;
	struct frame_table_row *rules = arena_alloc(arena, sizeof(*rules));
	Dwarf_Addr first, end;
	Dwarf_Op *ops;
	size_t count;
	bool covers;

	if (rules == NULL || frames->cfi == NULL)
		return NULL;
	Dwarf_Frame *frame = run(frames, linked + relative, &covers, &ops, &count);
	if (frame == NULL && covers) {
		frame = run_without_expressions(frames, linked + relative, &ops, &count);
		rules->note = "the register of the CFA after an expression: with the offset "
			      "before it, as readelf and gdb do";
	}
	if (frame == NULL) {
		*problem = covers ? "the table has no rule for the frame" : NULL;
		return NULL;
	}
	const int column = dwarf_frame_info(frame, &first, &end, &rules->signal);
	rules->table = frames->table;
	rules->first = first - linked;
	rules->last = end - 1 - linked;
	rules->place = entry_place(frames, linked + relative);
	rules->cfa = rule_of(arch, ARCH_NO_REGISTER, ops, count, true, arena);
	const enum said said = ask(frame, arch, column, arch->pc, arena, &rules->return_address);
	rules->outermost = said == SAID_UNDEFINED;
	rules->in_register = said == SAID_SAME || said == SAID_NOTHING;
	if (rules->in_register)
		rules->return_address = (struct frame_table_rule){
			.reg = arch->pc,
			.expression = arch->lr >= 0 ? arch->registers[arch->lr].name : NULL,
			.cannot = "the row has no rule for the return address" };
	ask_registers(frame, arch, column, arena, rules);
	if (question->wide.bank != NULL)
		ask_wide(frame, question->wide, rules);
	free(frame);
	return rules;
}

#define BY_LIBDW(open) open, elf_frames_find, elf_frames_extent, NULL, elf_frames_close
#else
#define BY_LIBDW(open) NULL, NULL, NULL, NULL, NULL
#endif

const struct frame_reader elf_frames_eh = { ".eh_frame", BINARIES_IMAGE, BY_LIBDW(open_eh) };
const struct frame_reader elf_frames_debug = { ".debug_frame", BINARIES_DEBUG,
					       BY_LIBDW(open_debug) };
