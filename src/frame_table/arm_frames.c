/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/checked.h"
#include "base/reader.h"
#include "base/sorted.h"
#include "binary/binary.h"
#include "frame_table/frame_pops.h"
#include "frame_table/frame_tables_internal.h"

/*
 * `.ARM.exidx` and `.ARM.extab` (Exception Handling ABI for the Arm Architecture): a sorted
 * table of functions, each with a few bytes that undo its frame. The rules hold only at calls.
 */
#define SECTION_TYPE 0x70000001u	/* SHT_ARM_EXIDX */
#define MACHINE_ARM 40u
#define ENTRY_POINT 24u	/* e_entry of a 32-bit file */
#define ENTRY_SIZE 8u
#define CANTUNWIND 1u
#define COMPACT 0x80000000u
/* Maximum number of codes: three in the first word, four in each of 255 others. */
#define MOST_CODES (3u + 255u * 4u)

enum { SP = 13, LR = 14, PC = 15 };

struct arm_frames {
	const struct binary *binary;
	struct reader table;
	uint64_t address;		/* address of the table, relative to the module */
	uint64_t count;
};

static void *
arm_frames_open(const struct binary *binary, struct elf_damage *damage)
{
	const struct binary_section *section = binary_section(binary, SECTION_TYPE, NULL);
	const struct reader table = binary_section_bytes(binary, section, 0);
	struct arm_frames *frames;

	(void)damage;
	if (binary->format != BINARY_ELF || binary->machine != MACHINE_ARM ||
	    table.size < ENTRY_SIZE)
		return NULL;
	frames = calloc(1, sizeof(*frames));
	if (frames == NULL)
		return NULL;
	*frames = (struct arm_frames){
		.binary = binary, .address = section->address - binary->linked_base,
		.table = table, .count = table.size / ENTRY_SIZE };
	return frames;
}

/* The target of a relative word at `address`: bits 0 to 30 are a signed distance. */
static uint64_t
lead(uint64_t address, uint32_t word)
{
	const uint32_t distance = (word & 0x40000000u) != 0 ? word | COMPACT : word & ~COMPACT;

	return (uint32_t)(address + distance);
}

static uint64_t
function_of(const struct arm_frames *frames, uint64_t index)
{
	uint32_t word = 0;

	reader_u32(&frames->table, index * ENTRY_SIZE, &word);
	return lead(frames->address + index * ENTRY_SIZE, word);
}

/*
 * Finds the entry that covers an address: the last one at or below it. An entry reaches to the next
 * one, the last one to the end of the code. False: none; `last` is set if an entry follows.
 */
static bool
find_entry(const struct arm_frames *frames, uint64_t address, uint64_t *index, uint64_t *last)
{
	const struct binary_segment *segment = binary_segment(frames->binary, address);
	size_t at;

	BISECT(at, (size_t)frames->count, function_of(frames, at) <= address);
	*index = at - 1;
	if (at < frames->count)
		*last = function_of(frames, at) - 1;
	else if (segment != NULL)
		*last = segment->address + segment->size - 1;
	return at > 0 && (at < frames->count || segment != NULL);
}

static const char cannot_unwind[] = "the table marks the function as CANTUNWIND";

/* Maximum size of a program's start code in bytes; glibc's has 56, constants included. */
#define START_BYTES 64u

/*
 * Whether an address in a CANTUNWIND entry is in the start code, which has no caller. If so, cuts
 * the row to the start code. The entry also covers later functions without an entry, which may have
 * callers.
 */
static bool
is_entry_point(const struct arm_frames *frames, uint64_t address, struct unwind_row *row)
{
	const struct reader file = binary_reader(frames->binary);
	uint32_t entry;

	if (!reader_u32(&file, ENTRY_POINT, &entry) || entry == 0)
		return false;
	const uint64_t relative = (entry & ~UINT32_C(1)) - frames->binary->linked_base;
	if (relative < row->first || !checked_contains(relative, START_BYTES, address))
		return false;
	row->first = relative;
	if (row->last - relative >= START_BYTES)
		row->last = relative + START_BYTES - 1;
	return true;
}

/* Every address from the first entry to the end of the code has an entry. */
static void
arm_frames_extent(void *state, uint64_t relative, struct frame_extent *extent)
{
	const struct arm_frames *frames = state;
	uint64_t index;

	*extent = (struct frame_extent){ .first = relative, .last = UINT64_MAX };
	extent->entry = find_entry(frames, relative, &index, &extent->last);
	if (extent->entry)
		extent->first = function_of(frames, index);
}

/* The unwind codes of one function, in the order in which they run. */
struct codes {
	uint8_t bytes[MOST_CODES];
	unsigned count, at;
};

/* Add the low `count` bytes of a word, the highest byte first. */
static void
add_codes(struct codes *codes, uint32_t word, unsigned count)
{
	while (count-- > 0 && codes->count < MOST_CODES)
		codes->bytes[codes->count++] = (uint8_t)(word >> 8 * count);
}

static bool
word_at(const struct arm_frames *frames, uint64_t address, uint32_t *word)
{
	uint8_t bytes[4];
	const struct reader reader = { .data = bytes, .size = sizeof(bytes),
				       .big_endian = frames->binary->big_endian };

	return binary_read(frames->binary, address, bytes, sizeof(bytes), NULL) == sizeof(bytes) &&
	       reader_u32(&reader, 0, word);
}

static bool
add_words(const struct arm_frames *frames, uint64_t address, unsigned count, struct codes *codes)
{
	uint32_t word;

	for (unsigned i = 0; i < count; i++) {
		if (!word_at(frames, address + 4u * i, &word))
			return false;
		add_codes(codes, word, 4);
	}
	return true;
}

/*
 * Read an entry of .ARM.extab. A compact entry has personality 0 and three codes, or personality 1
 * or 2 and a count of words with codes. A generic entry begins with the address of a personality,
 * which defines the rest. All personalities in use begin the rest with a count and codes, too.
 */
static const char *
read_extab(const struct arm_frames *frames, uint64_t address, struct codes *codes)
{
	static const char unreadable[] = "cannot read the unwind codes of the function";
	uint32_t word;

	if (!word_at(frames, address, &word))
		return unreadable;
	if ((word & COMPACT) == 0) {
		address += 4;
		if (!word_at(frames, address, &word))
			return unreadable;
		add_codes(codes, word, 3);
		return add_words(frames, address + 4, word >> 24, codes) ? NULL : unreadable;
	}
	const unsigned personality = word >> 24 & 15;
	if (personality == 0) {
		add_codes(codes, word, 3);
		return NULL;
	}
	if (personality > 2)
		return "the function's personality is unknown";
	add_codes(codes, word, 2);
	return add_words(frames, address + 4, word >> 16 & 0xff, codes) ? NULL : unreadable;
}

static uint8_t
next(struct codes *codes)
{
	/* After the last code every code is `finish`. */
	return codes->at < codes->count ? codes->bytes[codes->at++] : 0xb0;
}

static void
pop_mask(struct frame_pops *pops, unsigned mask, int first)
{
	bool stack_pointer = false;

	for (int reg = first; mask != 0; reg++, mask >>= 1) {
		if ((mask & 1) != 0)
			frame_pops_pop(pops, reg);
		stack_pointer |= (mask & 1) != 0 && reg == SP;
	}
	if (stack_pointer)
		frame_pops_move(pops, SP, 0);
}

/* Pop vector registers, but note only the place of the requested register. */
static void
pop_vectors(struct frame_pops *pops, unsigned first, unsigned range)
{
	const unsigned from = first + (range >> 4), count = (range & 15) + 1;

	if (pops->wanted.bank != NULL && pops->wanted.index - from < count) {
		pops->wanted_base = pops->base;
		pops->wanted_offset = pops->offset + (int64_t)(pops->wanted.index - from) * 8;
	}
	pops->offset += (int64_t)count * 8;
}

static const char spare[] = "an unwind code is reserved";

/* Undo a code from b1 to bf, which pops no core registers, or only the lowest four. */
static void
undo_b(struct codes *codes, unsigned code, struct frame_pops *pops)
{
	unsigned operand;
	uint64_t value = 0;

	switch (code) {
	case 0xb1:
		operand = next(codes);
		if (operand == 0 || operand > 15)
			frame_pops_fail(pops, spare);
		else
			pop_mask(pops, operand, 0);
		break;
	case 0xb2:
		operand = 0x80;		/* in ULEB128 */
		for (unsigned shift = 0; shift < 35 && (operand & 0x80) != 0; shift += 7) {
			operand = next(codes);
			value |= (uint64_t)(operand & 0x7f) << shift;
		}
		pops->offset += 0x204 + (int64_t)(value * 4);
		break;
	case 0xb3:	/* FSTMFDX: one word in addition to the registers */
		pop_vectors(pops, 0, next(codes));
		pops->offset += 4;
		break;
	case 0xb4:	/* the return address's authentication code */
		pops->offset += 4;
		break;
	case 0xb5:	/* pointer authentication uses the stack pointer as modifier */
		break;
	default:
		if (code < 0xb8)
			frame_pops_fail(pops, spare);
		pop_vectors(pops, 8, code & 7);
		pops->offset += 4;
		break;
	}
}

/* Run one code; false after the last code. */
static bool
undo_code(struct codes *codes, struct frame_pops *pops)
{
	const unsigned code = next(codes);
	unsigned mask;

	if (code == 0xb0)
		return false;
	if (code < 0x40) {
		pops->offset += (int64_t)(code & 0x3f) * 4 + 4;
	} else if (code < 0x80) {
		pops->offset -= (int64_t)(code & 0x3f) * 4 + 4;
	} else if (code < 0x90) {
		mask = (code & 15) << 8 | next(codes);
		if (mask == 0)
			frame_pops_fail(pops, cannot_unwind);
		pop_mask(pops, mask, 4);
	} else if (code < 0xa0) {
		if (code == 0x9d || code == 0x9f)
			frame_pops_fail(pops, spare);
		else
			frame_pops_move(pops, (int)(code & 15), 0);
	} else if (code < 0xb0) {
		pop_mask(pops, (1u << ((code & 7) + 1)) - 1, 4);
		if ((code & 8) != 0)
			frame_pops_pop(pops, LR);
	} else if (code < 0xc0) {
		undo_b(codes, code, pops);
	} else if (code == 0xc8 || code == 0xc9) {
		pop_vectors(pops, code == 0xc8 ? 16 : 0, next(codes));
	} else if (code >= 0xd0 && code < 0xd8) {
		pop_vectors(pops, 8, code & 7);
	/* The remaining codes pop coprocessor registers, which only take space. */
	} else if (code < 0xc6) {
		pops->offset += (int64_t)(code & 7) * 8 + 8;
	} else if (code == 0xc6) {
		pops->offset += ((next(codes) & 15) + 1) * 8;
	} else if (code == 0xc7) {
		mask = next(codes);
		if (mask == 0 || mask > 15)
			frame_pops_fail(pops, spare);
		for (; mask != 0; mask >>= 1)
			pops->offset += (mask & 1) * 4;
	} else {
		frame_pops_fail(pops, spare);
	}
	return pops->cannot == NULL;
}

/* The return address is the popped program counter, or the link register if none was popped. */
static const struct unwind_row *
finish(struct frame_pops *pops, struct unwind_row *row, const char **problem)
{
	const int from = frame_pops_has(pops, PC) ? PC : LR;

	row->in_register = !frame_pops_has(pops, from);
	/*
	 * Only the kernel saves the first argument and the stack pointer, so a signal interrupted
	 * the caller.
	 */
	row->signal = frame_pops_has(pops, 0) && frame_pops_has(pops, SP) &&
		      frame_pops_has(pops, PC);
	if (pops->wanted_base.claim.kind == CLAIM_SILENT)
		row->wide.kind = CLAIM_SAME;
	else if (claim_equal(&pops->wanted_base.claim, &pops->base.claim))
		row->wide = claim_sum(pops->arch, CLAIM_CFA, LINEAR_CFA,
				      pops->wanted_offset - pops->offset, true);
	return frame_pops_row(pops, frame_pops_address(pops, 0), frame_pops_value(pops, from), row,
			      problem);
}

static const struct unwind_row *
arm_frames_find(void *state, const struct arch *arch, const struct frame_table_question *question,
		struct arena *arena, const char **problem)
{
	const struct arm_frames *frames = state;
	struct unwind_row *row = arena_alloc(arena, sizeof(*row));
	struct codes codes = { .count = 0 };
	struct frame_pops pops;
	uint64_t index, last;
	uint32_t word;

	if (row == NULL || !arch->arm_index ||
	    !find_entry(frames, question->relative, &index, &last) ||
	    !reader_u32(&frames->table, index * ENTRY_SIZE + 4, &word))
		return NULL;
	row->table = ".ARM.exidx";
	row->place = reader_place(&frames->table, index * ENTRY_SIZE, ENTRY_SIZE);
	row->first = function_of(frames, index);
	row->last = last;
	if (word == CANTUNWIND && is_entry_point(frames, question->relative, row)) {
		row->claims[CLAIM_RETURN_ADDRESS].kind = CLAIM_UNDEFINED;
		return row;
	}
	if (word == CANTUNWIND)
		*problem = cannot_unwind;
	else if ((word & COMPACT) == 0)
		*problem = read_extab(frames, lead(frames->address + index * ENTRY_SIZE + 4, word),
				      &codes);
	else if ((word >> 24 & 0x7f) != 0)
		*problem = "the function's personality has no unwind codes in the table";
	else
		add_codes(&codes, word, 3);
	if (*problem != NULL)
		return NULL;
	frame_pops_begin(&pops, arch, arena);
	pops.wanted = question->wide;
	while (undo_code(&codes, &pops))
		continue;
	return finish(&pops, row, problem);
}

const struct frame_reader arm_frames_reader = { ".ARM.exidx", LOCATE_IMAGE, arm_frames_open,
						arm_frames_find, arm_frames_extent, NULL, NULL,
						free, .presumes = false };
