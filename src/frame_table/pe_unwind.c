/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/pe_unwind.h"

#include <string.h>

/* Operations of UNWIND_CODE. */
enum {
	PUSH_NONVOL, ALLOC_LARGE, ALLOC_SMALL, SET_FPREG, SAVE_NONVOL, SAVE_NONVOL_FAR,
	EPILOG, SPARE, SAVE_XMM128, SAVE_XMM128_FAR, PUSH_MACHFRAME, OPERATIONS
};

/* Slots of two bytes that each takes; in version 1 the two in the middle saved 8 bytes of xmm. */
static const uint8_t slots[2][OPERATIONS] = {
	{ 1, 2, 1, 1, 2, 3, 2, 3, 2, 3, 1 },
	{ 1, 2, 1, 1, 2, 3, 1, 2, 2, 3, 1 },
};

#define FLAG_CHAINED 4u
#define HEADER_SIZE 4u
#define FUNCTION_SIZE 12u
/* Longest epilogue: lea, fifteen pops of two bytes, vzeroupper, a jump through memory. */
#define EPILOGUE_SIZE 56u

/* Registers by the processor's number, as the architecture's table has them. */
static const int8_t registers[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

static uint32_t
little(const uint8_t *bytes, unsigned size)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint32_t)bytes[i] << 8 * i;
	return value;
}

bool
pe_function_of_bytes(const uint8_t *bytes, struct pe_function *function)
{
	*function = (struct pe_function){ little(bytes, 4), little(bytes + 4, 4),
					  little(bytes + 8, 4) };
	return function->begin < function->end;
}

bool
pe_unwind_read(const struct binary *binary, uint32_t address, struct pe_unwind *unwind)
{
	uint8_t bytes[HEADER_SIZE + sizeof(unwind->codes) + FUNCTION_SIZE];
	const size_t size = binary_read(binary, address, bytes, sizeof(bytes), NULL);

	if (size < HEADER_SIZE)
		return false;
	*unwind = (struct pe_unwind){ .version = bytes[0] & 7, .prologue = bytes[1],
				      .count = bytes[2], .frame_offset = (bytes[3] >> 4) * 16u,
				      .chained = (bytes[0] >> 3 & FLAG_CHAINED) != 0,
				      .frame_register = (bytes[3] & 15) == 0
							? ARCH_NO_REGISTER
							: registers[bytes[3] & 15] };
	/* The array has an even length, and what is chained stands behind it. */
	const size_t chain = HEADER_SIZE + ((size_t)unwind->count + 1) / 2 * 4;
	if (unwind->version < 1 || unwind->version > 2 ||
	    size < HEADER_SIZE + (size_t)unwind->count * 2)
		return false;
	memcpy(unwind->codes, bytes + HEADER_SIZE, (size_t)unwind->count * 2);
	return !unwind->chained || (size >= chain + FUNCTION_SIZE &&
				    pe_function_of_bytes(bytes + chain, &unwind->chain));
}

/* One code with its operands. */
struct unwind_code {
	unsigned offset, operation, info;
	uint32_t operand;		/* 16 or 32 bits, as the slots are */
};

/* The code at slot `*at`, which moves on; false where they end or there is no such operation. */
static bool
next_code(const struct pe_unwind *unwind, unsigned *at, struct unwind_code *code)
{
	const uint8_t *bytes = unwind->codes + *at * 2;

	if (*at >= unwind->count)
		return false;
	*code = (struct unwind_code){ bytes[0], bytes[1] & 15, bytes[1] >> 4, 0 };
	if (code->operation >= OPERATIONS)
		return false;
	unsigned size = slots[unwind->version - 1][code->operation];
	if (code->operation == ALLOC_LARGE && code->info == 1)
		size = 3;
	if (size > unwind->count - *at)
		return false;
	code->operand = little(bytes + 2, (size - 1) * 2);
	*at += size;
	return true;
}

/* What codes so far stand on: a frame register may have no value yet. */
struct undoing {
	struct frame_pops *pops;
	const struct pe_unwind *unwind;
	struct frame_pops frame;	/* the stack pointer that saves are counted from */
	bool machine_frame;
};

static void
save(struct undoing *undoing, unsigned number, int64_t distance)
{
	struct frame_pops *frame = &undoing->frame;
	const int reg = registers[number];

	frame_pops_load(frame, reg, distance);
	undoing->pops->values[reg] = frame->values[reg];
	if (frame->cannot != NULL)
		frame_pops_fail(undoing->pops, frame->cannot);
}

static void
undo_code(struct undoing *undoing, const struct unwind_code *code)
{
	const struct pe_unwind *unwind = undoing->unwind;
	struct frame_pops *pops = undoing->pops;

	switch (code->operation) {
	case PUSH_NONVOL:
		frame_pops_pop(pops, registers[code->info]);
		break;
	case ALLOC_LARGE:
		pops->offset += code->info == 0 ? (int64_t)code->operand * 8 : code->operand;
		break;
	case ALLOC_SMALL:
		pops->offset += code->info * 8 + 8;
		break;
	case SET_FPREG:
		if (unwind->frame_register < 0)
			frame_pops_fail(pops, "an unwind code sets a frame register that the "
					      "function does not have");
		else
			frame_pops_move(pops, unwind->frame_register,
					-(int64_t)unwind->frame_offset);
		break;
	case SAVE_NONVOL:
		save(undoing, code->info, (int64_t)code->operand * 8);
		break;
	case SAVE_NONVOL_FAR:
		save(undoing, code->info, code->operand);
		break;
	case PUSH_MACHFRAME:
		pops->offset += code->info == 1 ? 8 : 0;	/* an error code */
		undoing->machine_frame = true;
		break;
	default:	/* epilogues, and registers that are not followed */
		break;
	}
}

/* Whether the frame register has its value: behind the prologue, or past the code that sets it. */
static bool
has_frame(const struct pe_unwind *unwind, bool in_prologue, uint64_t position)
{
	struct unwind_code code;

	if (unwind->frame_register < 0)
		return false;
	if (!in_prologue || unwind->chained)
		return true;
	for (unsigned at = 0; next_code(unwind, &at, &code);)
		if (code.operation == SET_FPREG && code.offset <= position)
			return true;
	return false;
}

bool
pe_unwind_undo(const struct pe_unwind *unwind, const struct pe_function *function,
	       uint64_t address, struct frame_pops *pops)
{
	const uint64_t position = address - function->begin;
	const bool in_prologue = address >= function->begin && position < unwind->prologue;
	struct undoing undoing = { .pops = pops, .unwind = unwind, .frame = *pops };
	struct unwind_code code;
	unsigned at = 0;

	if (has_frame(unwind, in_prologue, position))
		frame_pops_move(&undoing.frame, unwind->frame_register,
				-(int64_t)unwind->frame_offset);
	while (!undoing.machine_frame && next_code(unwind, &at, &code))
		if (!in_prologue || code.offset <= position)
			undo_code(&undoing, &code);
	if (at < unwind->count && !undoing.machine_frame)
		frame_pops_fail(pops, "an unwind code is unknown or truncated");
	return undoing.machine_frame;
}

/* Epilogues ------------------------------------------------------------------------------------ */

/*
 * Whether version 2 says that an epilogue is at `address`. Its first code has the size of all of
 * them and whether one ends the function, the others how far before the end they begin.
 */
static bool
is_listed(const struct pe_unwind *unwind, const struct pe_function *function, uint64_t address)
{
	const uint64_t left = function->end - address;	/* up to the end of the function */
	struct unwind_code code;
	unsigned at = 0, size = 0;

	for (bool first = true; next_code(unwind, &at, &code) && code.operation == EPILOG;
	     first = false) {
		const unsigned start = code.offset | code.info << 8;

		if (first)
			size = code.offset;
		if (first ? (code.info & 1) != 0 && left <= size
			  : start != 0 && left <= start && left + size > start)
			return true;
	}
	return false;
}

/* Bytes of code that are decoded. */
struct decoding {
	const struct pe_epilogue *epilogue;
	const struct pe_function *function;
	uint64_t address;		/* of the first byte */
	const uint8_t *bytes;
	size_t size, at;
};

/* Whether the next bytes are these; they are passed then. */
static bool
take(struct decoding *decoding, const void *bytes, size_t size)
{
	if (size > decoding->size - decoding->at ||
	    memcmp(decoding->bytes + decoding->at, bytes, size) != 0)
		return false;
	decoding->at += size;
	return true;
}

/* A signed number of `size` bytes. */
static bool
take_number(struct decoding *decoding, unsigned size, int64_t *number)
{
	if (size > decoding->size - decoding->at)
		return false;
	const uint32_t value = little(decoding->bytes + decoding->at, size);
	*number = size == 1 ? (int8_t)value : (int32_t)value;
	decoding->at += size;
	return true;
}

/* add rsp, or lea rsp from the frame register: what frees the frame. False: nonsense. */
static bool
take_release(struct decoding *decoding, const struct pe_unwind *unwind, struct frame_pops *pops)
{
	int64_t number = 0;

	if (take(decoding, "\x48\x83\xc4", 3) || take(decoding, "\x48\x81\xc4", 3)) {
		const unsigned size = decoding->bytes[decoding->at - 2] == 0x83 ? 1 : 4;

		if (!take_number(decoding, size, &number))
			return false;
		pops->offset += number;
		return true;
	}
	for (unsigned number_of = 0; unwind->frame_register >= 0 && number_of < 16; number_of++) {
		/* REX.W, with the high bit of the base; 8d; mod 1 or 2, reg rsp, the base. */
		uint8_t lea[4] = { (uint8_t)(0x48 | number_of >> 3), 0x8d,
				   (uint8_t)(0x60 | (number_of & 7)), 0x24 };
		const size_t length = (number_of & 7) == 4 ? 4 : 3;
		const bool near = registers[number_of] == unwind->frame_register &&
				  take(decoding, lea, length);

		lea[2] = (uint8_t)(lea[2] ^ 0xc0);
		if (!near && (registers[number_of] != unwind->frame_register ||
			      !take(decoding, lea, length)))
			continue;
		if (!take_number(decoding, near ? 1 : 4, &number))
			return false;
		frame_pops_move(pops, unwind->frame_register, number);
	}
	return true;
}

static void
take_pops(struct decoding *decoding, struct frame_pops *pops)
{
	while (decoding->at < decoding->size) {
		const uint8_t *bytes = decoding->bytes + decoding->at;
		const bool high = bytes[0] == 0x41 && decoding->at + 1 < decoding->size;

		if ((bytes[high] & 0xf8) != 0x58)
			return;
		frame_pops_pop(pops, registers[(bytes[high] & 7) + (high ? 8 : 0)]);
		decoding->at += high ? 2 : 1;
	}
}

/* The return, or a jump that stands for a call at the end. */
static bool
take_leaving(struct decoding *decoding)
{
	const struct pe_epilogue *epilogue = decoding->epilogue;
	int64_t distance;

	/* Clang's vzeroupper stands behind the pops, though no epilogue may have it. */
	take(decoding, "\xc5\xf8\x77", 3);
	if (take(decoding, "\xc3", 1) || take(decoding, "\xc2", 1) ||
	    take(decoding, "\xf3\xc3", 2) || take(decoding, "\xf2\xc3", 2))
		return true;
	if (take(decoding, "\xff\x25", 2))
		return true;
	const uint8_t *bytes = decoding->bytes + decoding->at;
	if (decoding->size - decoding->at >= 3 && (bytes[0] & 0xf8) == 0x48 && bytes[1] == 0xff &&
	    (bytes[2] & 0x38) == 0x20)
		return true;
	if (!(take(decoding, "\xeb", 1) && take_number(decoding, 1, &distance)) &&
	    !(take(decoding, "\xe9", 1) && take_number(decoding, 4, &distance)))
		return false;
	return epilogue->leaves(epilogue->context, decoding->function,
				decoding->address + decoding->at + (uint64_t)distance);
}

bool
pe_unwind_epilogue(const struct pe_epilogue *epilogue, const struct pe_unwind *unwind,
		   const struct pe_function *function, uint64_t address, struct frame_pops *pops)
{
	uint8_t bytes[EPILOGUE_SIZE];
	struct frame_pops undone = *pops;
	struct decoding decoding = {
		.epilogue = epilogue, .function = function, .address = address, .bytes = bytes,
		.size = binary_read(epilogue->binary, address, bytes, sizeof(bytes), NULL) };

	if (unwind->version == 2 && !is_listed(unwind, function, address))
		return false;
	if (!take_release(&decoding, unwind, &undone))
		return false;
	take_pops(&decoding, &undone);
	if (!take_leaving(&decoding))
		return false;
	*pops = undone;
	return true;
}
