/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/reader.h"
#include "base/sorted.h"
#include "binary/binary.h"
#include "frame_table/frame_tables_internal.h"

/*
 * `__unwind_info` of Mach-O files (Apple, mach-o/compact_unwind_encoding.h) is an index of pages. A
 * page lists functions in ascending order. For each function, 32 bits encode the whole frame. The
 * rules hold at calls, not in prologues and epilogues. Pages refer to encodings by number. The
 * shared encodings come first, then the page's own.
 */
#define VERSION 1u
#define PAGE_REGULAR 2u
#define PAGE_COMPRESSED 3u
#define INDEX_ENTRY 12u
/* Fields of an encoding: the mode, and for DWARF modes the offset of the entry in .eh_frame. */
#define MODE(encoding) ((encoding) >> 24 & 15)
#define DWARF_OFFSET 0xffffffu
/* Maximum number of saved registers on x86 and x86-64. */
#define MOST_SAVED 6u

struct compact_frames {
	const struct binary *binary;
	const struct compact_kind *kind;
	struct reader table;
	uint32_t commons, common_count;	/* offset and number of the shared encodings */
	uint32_t index, index_count;	/* offset and number of pages; the last is an end mark */
};

struct compact_entry {
	uint64_t first, last;		/* relative to the module */
	uint32_t encoding;		/* 0: the code has no rules */
	uint64_t offset, size;		/* place of the entry in the section */
};

/* The encoding of frames on one processor. */
struct compact_kind {
	uint16_t machine;		/* as in struct binary */
	unsigned dwarf_mode;
	/* Writes the rules of an encoding to `row`. NULL, or the reason why it has no rules. */
	const char *(*decode)(const struct compact_frames *frames, const struct arch *arch,
			      const struct compact_entry *entry, struct unwind_row *row);
	int8_t saved[MOST_SAVED];	/* indexed by a register's number in encodings minus 1 */
};

/* Pages ---------------------------------------------------------------------------------------- */

static uint32_t
compact_word(const struct compact_frames *frames, uint64_t offset)
{
	uint32_t word = 0;

	reader_u32(&frames->table, offset, &word);
	return word;
}

static uint32_t
index_first(const struct compact_frames *frames, size_t number)
{
	return compact_word(frames, frames->index + (uint64_t)number * INDEX_ENTRY);
}

/* A second-level page. */
struct compact_page {
	uint64_t entries;		/* offset in the section */
	uint32_t count, base;
	bool compressed;
	uint64_t encodings;		/* offset of the page's own encodings */
	uint32_t encoding_count;
};

static bool
open_page(const struct compact_frames *frames, size_t number, struct compact_page *page)
{
	const uint64_t at =
		compact_word(frames, frames->index + (uint64_t)number * INDEX_ENTRY + 4);
	uint16_t entries = 0, count = 0, encodings = 0, own = 0;
	uint32_t kind = 0;

	if (at == 0 || !reader_u32(&frames->table, at, &kind) ||
	    !reader_u16(&frames->table, at + 4, &entries) ||
	    !reader_u16(&frames->table, at + 6, &count) ||
	    (kind != PAGE_REGULAR && kind != PAGE_COMPRESSED))
		return false;
	*page = (struct compact_page){ .entries = at + entries, .count = count,
				       .compressed = kind == PAGE_COMPRESSED };
	if (!page->compressed)
		return true;
	page->base = index_first(frames, number);
	if (!reader_u16(&frames->table, at + 8, &encodings) ||
	    !reader_u16(&frames->table, at + 10, &own))
		return false;
	page->encodings = at + encodings;
	page->encoding_count = own;
	return true;
}

static unsigned
entry_size(const struct compact_page *page)
{
	return page->compressed ? 4 : 8;
}

static uint64_t
entry_first(const struct compact_frames *frames, const struct compact_page *page, size_t number)
{
	const uint32_t word =
		compact_word(frames, page->entries + (uint64_t)number * entry_size(page));

	return page->compressed ? page->base + (uint64_t)(word & DWARF_OFFSET) : word;
}

static uint32_t
entry_encoding(const struct compact_frames *frames, const struct compact_page *page, size_t number)
{
	const uint64_t at = page->entries + (uint64_t)number * entry_size(page);

	if (!page->compressed)
		return compact_word(frames, at + 4);
	const uint32_t index = compact_word(frames, at) >> 24, own = index - frames->common_count;
	if (index < frames->common_count)
		return compact_word(frames, frames->commons + (uint64_t)index * 4);
	return own < page->encoding_count ? compact_word(frames, page->encodings + own * 4u) : 0;
}

/* The entry, or the gap, around an address. */
static struct compact_entry
compact_entry_at(const struct compact_frames *frames, uint64_t relative)
{
	struct compact_entry entry = { .last = UINT64_MAX };
	struct compact_page page;
	size_t number, at;

	BISECT(number, (size_t)frames->index_count, index_first(frames, number) <= relative);
	if (number < frames->index_count)
		entry.last = (uint64_t)index_first(frames, number) - 1;
	if (number == 0)
		return entry;
	entry.first = index_first(frames, number - 1);
	if (number == frames->index_count || !open_page(frames, number - 1, &page))
		return entry;
	BISECT(at, (size_t)page.count, entry_first(frames, &page, at) <= relative);
	if (at < page.count && entry_first(frames, &page, at) <= entry.last)
		entry.last = entry_first(frames, &page, at) - 1;
	if (at == 0)
		return entry;
	entry.first = entry_first(frames, &page, at - 1);
	entry.size = entry_size(&page);
	entry.offset = page.entries + (at - 1) * entry.size;
	entry.encoding = entry_encoding(frames, &page, at - 1);
	return entry;
}

/* Encodings ------------------------------------------------------------------------------------ */

static const char unknown_mode[] = "the mode of the compact encoding is unknown";
static const char small_frame[] = "the frame of the compact encoding has no room for its registers";

static void
save_at(struct unwind_row *row, const struct arch *arch, int reg, int64_t distance)
{
	row->claims[CLAIM_REGISTER + reg] =
		claim_sum(arch, CLAIM_REGISTER + (unsigned)reg, LINEAR_CFA, distance, true);
}

/* Set the CFA to `base` plus `size`, and the return address to the word below the CFA. */
static void
set_frame(struct unwind_row *row, const struct arch *arch, int base, int64_t size)
{
	const int64_t word = arch->word_size;

	row->claims[CLAIM_CFA] = claim_sum(arch, CLAIM_CFA, base, size, false);
	row->claims[CLAIM_RETURN_ADDRESS] =
		claim_sum(arch, CLAIM_RETURN_ADDRESS, LINEAR_CFA, -word, true);
}

/* With a frame pointer, the encoding has the lowest place of a register and up to 5 registers. */
static const char *
decode_x86_frame(const struct compact_kind *kind, const struct arch *arch, uint32_t encoding,
		 struct unwind_row *row)
{
	const int64_t word = arch->word_size;
	int64_t at = -2 * word - word * (int64_t)(encoding >> 16 & 0xff);

	set_frame(row, arch, arch->fp, 2 * word);
	save_at(row, arch, arch->fp, -2 * word);
	for (uint32_t left = encoding & 0x7fff; left != 0; left >>= 3, at += word) {
		const uint32_t reg = left & 7;

		if (reg > MOST_SAVED)
			return "the compact encoding has an unknown register";
		if (reg > 0 && at >= -2 * word)
			return small_frame;
		if (reg > 0 && kind->saved[reg - 1] != arch->fp)
			save_at(row, arch, kind->saved[reg - 1], at);
	}
	return NULL;
}

/*
 * Without a frame pointer, up to 6 registers are directly below the return address, the lowest
 * first. Their order is encoded as a number. Each digit is a register's rank among the remaining
 * registers, and the last digit has base 7 - count.
 */
static const char *
decode_x86_order(const struct compact_kind *kind, const struct arch *arch, uint32_t encoding,
		 struct unwind_row *row)
{
	const unsigned count = encoding >> 10 & 7;
	uint32_t order = encoding & 0x3ff, digits[MOST_SAVED] = { 0 };
	unsigned used = 0;

	if (count > MOST_SAVED)
		return "the compact encoding has more than 6 registers";
	for (unsigned i = count; i-- > 0; order /= MOST_SAVED - i)
		digits[i] = order % (MOST_SAVED - i);
	if (order != 0)
		return "the compact encoding has no such order of registers";
	for (unsigned i = 0; i < count; i++) {
		unsigned reg = 0;

		for (uint32_t skip = digits[i]; (used >> reg & 1) != 0 || skip-- > 0; reg++)
			continue;
		used |= 1u << reg;
		save_at(row, arch, kind->saved[reg],
			-(int64_t)arch->word_size * (int64_t)(count + 1 - i));
	}
	return NULL;
}

/* The size of a large frame is the operand of the instruction that makes the frame. */
static bool
read_size(const struct compact_frames *frames, const struct compact_entry *entry, uint32_t *size)
{
	const uint64_t at = entry->first + (entry->encoding >> 16 & 0xff);
	uint8_t bytes[4];

	if (at > entry->last ||
	    binary_read(frames->binary, at, bytes, sizeof(bytes), NULL) < sizeof(bytes))
		return false;
	*size = reader_little(bytes);
	return *size <= INT32_MAX;
}

static const char *
decode_x86(const struct compact_frames *frames, const struct arch *arch,
	   const struct compact_entry *entry, struct unwind_row *row)
{
	const uint32_t encoding = entry->encoding, mode = MODE(encoding);
	uint32_t size = (encoding >> 16 & 0xff) * arch->word_size;

	if (mode == 1)
		return decode_x86_frame(frames->kind, arch, encoding, row);
	if (mode != 2 && mode != 3)
		return unknown_mode;
	if (mode == 3 && !read_size(frames, entry, &size))
		return "cannot read the size of the frame from the code";
	if (mode == 3)
		size += (encoding >> 13 & 7) * arch->word_size;
	if (size < ((encoding >> 10 & 7) + 1) * arch->word_size)
		return small_frame;
	set_frame(row, arch, arch->sp, size);
	return decode_x86_order(frames->kind, arch, encoding, row);
}

/* Pairs of registers are below the frame record or the CFA: x19 to x28, then d8 to d15. */
static const char *
decode_arm64(const struct compact_frames *frames, const struct arch *arch,
	     const struct compact_entry *entry, struct unwind_row *row)
{
	const uint32_t encoding = entry->encoding, mode = MODE(encoding);
	const bool wanted = row->wide.kind == CLAIM_RULE;
	const int vector = row->wide.offset;
	int64_t at = 0;

	(void)frames;
	row->wide = (struct claim){ .kind = CLAIM_SAME };
	if (mode != 2 && mode != 4)
		return unknown_mode;
	if (mode == 4) {
		set_frame(row, arch, arch->fp, 16);
		save_at(row, arch, arch->fp, -16);
		at = -16;
	} else {
		row->claims[CLAIM_CFA] = claim_sum(arch, CLAIM_CFA, arch->sp,
						   (encoding >> 12 & 0xfff) * INT64_C(16), false);
		row->claims[CLAIM_RETURN_ADDRESS] =
			claim_sum(arch, CLAIM_RETURN_ADDRESS, arch->lr, 0, false);
		row->in_register = true;
	}
	for (int pair = 0; pair < 5; pair++)
		for (int reg = 0; (encoding >> pair & 1) != 0 && reg < 2; reg++)
			save_at(row, arch, 19 + 2 * pair + reg, at -= 8);
	for (int pair = 0; pair < 4; pair++)
		for (int reg = 0; (encoding >> (8 + pair) & 1) != 0 && reg < 2; reg++) {
			at -= 8;
			if (wanted && vector == 8 + 2 * pair + reg)
				row->wide = claim_sum(arch, CLAIM_CFA, LINEAR_CFA, at, true);
		}
	return NULL;
}

/* Register numbers are those of the tables in crash/arch.def. */
static const struct compact_kind kinds[] = {
	{ 62, 4, decode_x86, { 3, 12, 13, 14, 15, 6 } },	/* x86-64: rbx, r12 to r15, rbp */
	{ 3, 4, decode_x86, { 3, 7, 8, 5, 4, 2 } },		/* ebx, ecx, edx, edi, esi, ebp */
	{ 183, 3, decode_arm64, { 0 } },
};

/* Table ---------------------------------------------------------------------------------------- */

static void *
compact_open(const struct binary *binary, struct elf_damage *damage)
{
	const struct reader table =
		binary_section_bytes(binary, binary_section(binary, 0, "__unwind_info"), 0);
	const struct compact_kind *kind = NULL;
	uint32_t version = 0;

	(void)damage;
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (kinds[i].machine == binary->machine)
			kind = &kinds[i];
	if (binary->format != BINARY_MACH || kind == NULL || table.data == NULL)
		return NULL;
	struct compact_frames *frames = calloc(1, sizeof(*frames));
	if (frames == NULL)
		return NULL;
	*frames = (struct compact_frames){ .binary = binary, .kind = kind, .table = table };
	if (reader_u32(&frames->table, 0, &version) && version == VERSION &&
	    reader_u32(&frames->table, 4, &frames->commons) &&
	    reader_u32(&frames->table, 8, &frames->common_count) &&
	    reader_u32(&frames->table, 20, &frames->index) &&
	    reader_u32(&frames->table, 24, &frames->index_count) && frames->index_count > 0 &&
	    frames->index <= table.size &&
	    frames->index_count <= (table.size - frames->index) / INDEX_ENTRY)
		return frames;
	free(frames);
	return NULL;
}

static void
compact_extent(void *state, uint64_t relative, struct frame_extent *extent)
{
	const struct compact_frames *frames = state;
	const struct compact_entry entry = compact_entry_at(frames, relative);
	const unsigned mode = MODE(entry.encoding);

	*extent = (struct frame_extent){ .entry = mode != 0 && mode != frames->kind->dwarf_mode,
					 .first = entry.first, .last = entry.last };
}

static const struct unwind_row *
compact_find(void *state, const struct arch *arch, const struct frame_table_question *question,
	     struct arena *arena, const char **problem)
{
	const struct compact_frames *frames = state;
	const struct compact_entry entry = compact_entry_at(frames, question->relative);
	struct unwind_row *row = arena_alloc(arena, sizeof(*row));

	if (row == NULL || arch->elf_machine != frames->kind->machine || MODE(entry.encoding) == 0)
		return NULL;
	row->table = "__unwind_info";
	row->first = entry.first;
	row->last = entry.last;
	row->place = reader_place(&frames->table, entry.offset, entry.size);
	row->calls_only = true;
	if (question->wide.bank != NULL)
		row->wide = (struct claim){ .kind = CLAIM_RULE,
					    .offset = (int32_t)question->wide.index };
	if (MODE(entry.encoding) == frames->kind->dwarf_mode)
		*problem = arena_format(arena, "compact encoding 0x%08" PRIx32 ": the rules are in "
					".eh_frame + 0x%" PRIx32, entry.encoding,
					entry.encoding & DWARF_OFFSET);
	else
		*problem = frames->kind->decode(frames, arch, &entry, row);
	row->note = arena_format(arena, "compact encoding 0x%08" PRIx32, entry.encoding);
	return *problem == NULL ? row : NULL;
}

const struct frame_reader compact_frames_reader = { "__unwind_info", LOCATE_IMAGE, compact_open,
						    compact_find, compact_extent, NULL, NULL, free,
						    .presumes = false };
