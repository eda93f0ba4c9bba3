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
#include "base/limits.h"
#include "base/reader.h"
#include "base/sorted.h"
#include "binary/elf_unpacked.h"
#include "frame_table/cfa_register.h"
#include "frame_table/cfi_rows.h"
#include "frame_table/dwarf_fold.h"

/*
 * Rows of .eh_frame and .debug_frame, in ELF files and in what MinGW makes: libdw runs the
 * instructions, and what it says of a register becomes postfix. Where an entry stands is looked
 * up here, by the table that linkers sort for it, else in one made here: linkers make such a
 * table for .eh_frame alone, and not always (LSB 5.0, chapter 10.6; DWARF 5, 6.4.1).
 */

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
	struct cfi_table index;	/* its entries */
	bool indexed;		/* they are listed */
	uint64_t left;		/* bytes of entries that look-ups may still run */
};

/* Expressions of one entry that are left out to find a row. */
enum { MOST_EXPRESSIONS = 64 };

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
	cfi_table_free(&frames->index);
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
		/*
		 * What is loaded is never packed (gABI); a file that says so is not given to
		 * libdw.
		 */
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
	frames->binary = binary;
	frames->table = table;
	frames->eh = eh;
	open_elf(frames);
	*damage = frames->file.damage;
	open_cfi(frames);
	if (frames->cfi == NULL) {
		elf_frames_close(frames);
		return NULL;
	}
	find_section(frames);
	frames->left = LIMIT_FRAME_LOOKUPS + 16 * binary->file.size;
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

/* The entry that covers an address, or the first one above it; `*covers` says which. */
static const struct cfi_entry *
indexed_entry(struct elf_frames *frames, uint64_t address, bool *covers)
{
	struct cfi_table *index = &frames->index;

	if (!frames->indexed)
		cfi_table_read(index, &frames->section, frames->address, frames->eh,
			       frames->binary->word_size);
	frames->indexed = true;
	const size_t behind = sorted_upto(SORTED(index->entries, index->count, first), address);
	*covers = behind > 0 && address <= index->entries[behind - 1].last;
	if (*covers)
		return &index->entries[behind - 1];
	return behind < index->count ? &index->entries[behind] : NULL;
}

/*
 * .eh_frame_hdr, which has a sorted table of pairs, each relative to the header itself (LSB 5.0,
 * chapter 10.6.2; what else it may look like no linker writes). False where it is not there.
 */
static bool
read_header(const struct elf_frames *frames, struct reader *reader, uint64_t *address,
	    uint32_t *count)
{
	const struct binary *binary = frames->binary;
	const struct binary_section *header = binary_section(binary, 0, ".eh_frame_hdr");

	if (!frames->eh || header == NULL || header->data == NULL)
		return false;
	*reader = (struct reader){ .input = &binary->file.input, .data = header->data,
				   .size = header->size, .big_endian = binary->big_endian };
	*address = header->address;
	return header->size >= 12 && header->data[1] == 0x1b && header->data[2] == 0x03 &&
	       header->data[3] == 0x3b && reader_u32(reader, 8, count) &&
	       *count <= (header->size - 12) / 8;
}

/* The offset in .eh_frame of the entry to which the header leads from an address. */
static bool
sorted_entry(const struct elf_frames *frames, uint64_t address, uint64_t *offset)
{
	uint32_t count, start, entry;
	struct reader reader;
	uint64_t header;
	size_t at;

	if (!read_header(frames, &reader, &header, &count))
		return false;
	const int64_t wanted = (int64_t)(address - header);
	BISECT(at, count, reader_u32(&reader, 12 + (uint64_t)at * 8, &start) &&
				  (int32_t)start <= wanted);
	if (at == 0 || !reader_u32(&reader, 12 + (uint64_t)(at - 1) * 8 + 4, &entry))
		return false;
	*offset = header + (uint64_t)(int64_t)(int32_t)entry - frames->address;
	return *offset < frames->section.size;
}

/* Whether unwinders find an entry: the header leads to it, or there is none. */
static bool
is_led_to(const struct elf_frames *frames, const struct cfi_entry *entry)
{
	struct reader reader;
	uint64_t header, offset;
	uint32_t count;

	return sorted_entry(frames, entry->first, &offset)
		       ? offset == entry->offset
		       : !read_header(frames, &reader, &header, &count);
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
		const struct cfi_entry *entry = indexed_entry(frames, address, &covers);

		offset = covers ? entry->offset : 0;
		length = covers ? entry->length : 0;
	}
	if (!frames->compressed) {
		place.offset += offset;
		place.length = length;
	}
	return place;
}

/* The bytes of an entry or its CIE: with a length of 64 bits some large number. */
static uint64_t
record_size(const struct elf_frames *frames, uint64_t offset)
{
	uint32_t length = 0;

	reader_u32(&frames->section, offset, &length);
	return length < frames->section.size ? length : frames->section.size;
}

/*
 * What running a record costs, in bytes: for DW_CFA_remember_state libdw copies all rules, which
 * takes as long as four other instructions, and keeps them, so that only so many may be run. A byte
 * of an operand counts as if it were one.
 */
static uint64_t
record_cost(const struct elf_frames *frames, uint64_t offset)
{
	const uint64_t size = record_size(frames, offset), all = frames->section.size;
	const uint64_t here = offset < all ? (size < all - offset ? size : all - offset) : 0;
	uint64_t remembered = 0;

	for (uint64_t i = 0; i < here; i++)
		remembered += frames->section.data[offset + i] == DW_CFA_remember_state;
	return remembered > LIMIT_FRAME_STATES ? UINT64_MAX / 2 : size + 3 * remembered;
}

/*
 * Take what libdw runs for an address from what look-ups may run: for each it begins with the first
 * instruction of the CIE.
 */
static bool
take_entry(struct elf_frames *frames, uint64_t address)
{
	uint64_t offset;
	uint32_t common = 0;
	bool covers = true;

	if (frames->section.data == NULL)
		return true;
	if (!sorted_entry(frames, address, &offset)) {
		const struct cfi_entry *entry = indexed_entry(frames, address, &covers);

		offset = covers ? entry->offset : 0;
	}
	reader_u32(&frames->section, offset + 4, &common);
	const uint64_t cost = !covers ? 0 : record_cost(frames, offset) +
			      record_cost(frames, frames->eh ? offset + 4 - common : common);
	if (cost > frames->left)
		return false;
	frames->left -= cost;
	return true;
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
		const struct cfi_entry *entry = indexed_entry(frames, address, &covers);

		if (covers)
			*extent = (struct frame_extent){
				true, entry->first - linked, entry->last - linked, entry->offset,
				is_led_to(frames, entry) };
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
		*extent = (struct frame_extent){ true, first - linked, end - 1 - linked, 0, true };
}

/* Rows ----------------------------------------------------------------------------------------- */

static struct frame_table_rule
rule_of(const struct arch *arch, int reg, const Dwarf_Op *ops, size_t count, bool is_value,
	struct arena *arena)
{
	const struct dwarf_fold_start start = { .is_address = !is_value, .arena = arena };
	struct dwarf_folded folded;

	dwarf_fold_decoded(ops, count, arch, &start, &folded);
	return (struct frame_table_rule){ .reg = reg, .expression = folded.text,
					  .cannot = folded.cannot };
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

/*
 * Where the return address is. If the entry has no rule for its return address column and that is
 * not the register in which calls leave it (x15 in glibc's rawmemchr for AArch64), libdw reports
 * the ABI's default, undefined; but the address is in that register.
 */
static void
ask_return_address(Dwarf_Frame *frame, const struct arch *arch, int column, struct arena *arena,
		   struct frame_table_row *row)
{
	const int named = arch_dwarf_register(arch, column);
	const int reg = named < 0 || named == arch->pc ? arch->lr : named;
	const enum said said = ask(frame, arch, column, arch->pc, arena, &row->return_address);

	row->outermost = said == SAID_UNDEFINED && reg == arch->lr;
	row->in_register = said != SAID_RULE && !row->outermost;
	if (row->in_register)
		row->return_address = (struct frame_table_rule){
			.reg = arch->pc,
			.expression = reg >= 0 ? arch->registers[reg].name : NULL,
			.cannot = "the row has no rule for the return address" };
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

/*
 * Give libdw bytes of the section that may be changed: it takes them raw or as they are in
 * memory.
 */
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
find_code(const struct elf_frames *frames, const struct cfi_entry *entry, struct reader *code)
{
	return entry->code != 0 && reader_window(&frames->section, entry->offset + entry->code,
						 entry->length - entry->code, code);
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

	const struct cfi_entry *entry = indexed_entry(frames, address, &covers);
	if (!covers || !find_code(frames, entry, &code) ||
	    !cfa_register_find(&code, &start, &end) || !own_section(frames) ||
	    frames->cfi == NULL || !find_code(frames, entry, &code))
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

const char frame_table_expensive[] =
	"the instructions of the table would take too much time or memory for the size of the file";

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
	if (!take_entry(frames, linked + relative)) {
		*problem = frame_table_expensive;
		return NULL;
	}
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
	ask_return_address(frame, arch, column, arena, rules);
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
