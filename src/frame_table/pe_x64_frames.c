/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/reader.h"
#include "code/call.h"
#include "frame_table/frame_pops.h"
#include "frame_table/pe_frames.h"

/*
 * `.pdata` and `.xdata` of x64 (Microsoft, x64 exception handling; UNWIND_INFO 1 and 2): a sorted
 * table of functions, each with the codes of its prologue. A function without an entry is a leaf:
 * it does not move the stack pointer and saves nothing. Addresses are image-relative.
 */
#define ENTRY_SIZE 12u
/* Flag: the address of the unwind information is the address of another entry. */
#define INDIRECT 1u
/* Maximum number of chained parts of a function; compilers write one or two. */
#define MOST_PARTS 32u
/* Limit of codes in all parts: compilers write some dozen, but functions may share a chain. */
#define MOST_CODES 1024u

/* Operations of UNWIND_CODE. */
enum {
	PUSH_NONVOL, ALLOC_LARGE, ALLOC_SMALL, SET_FPREG, SAVE_NONVOL, SAVE_NONVOL_FAR,
	EPILOG, SPARE, SAVE_XMM128, SAVE_XMM128_FAR, PUSH_MACHFRAME, OPERATIONS
};

/*
 * Number of two-byte slots by version and operation. Operations 6 and 7 of version 1 save half an
 * xmm register.
 */
static const uint8_t slots[2][OPERATIONS] = {
	{ 1, 2, 1, 1, 2, 3, 2, 3, 2, 3, 1 },
	{ 1, 2, 1, 1, 2, 3, 1, 2, 2, 3, 1 },
};

#define FLAG_CHAINED 4u
#define HEADER_SIZE 4u
/* The version of UNWIND_INFO for processors with registers up to r31. */
#define APX 3u
/* Longest epilogue: lea, fifteen pops of two bytes, vzeroupper, a jump through memory. */
#define EPILOGUE_SIZE 56u

/* Maps the processor's register numbers to indices in the architecture's table. */
static const int8_t registers[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };

/* RUNTIME_FUNCTION. */
struct pe_function {
	uint32_t begin, end;
	uint32_t info;			/* address of the UNWIND_INFO */
};

struct pe_unwind {
	unsigned version;
	unsigned prologue;		/* bytes */
	/* Register of the architecture's table, or ARCH_NO_REGISTER */
	int frame_register;
	unsigned frame_offset;		/* value of that register minus the stack pointer */
	unsigned count;			/* slots of two bytes */
	uint8_t codes[512];
	bool chained;			/* the codes of `chain` apply, too */
	struct pe_function chain;
};

static struct pe_function
function_of(const uint8_t *bytes)
{
	return (struct pe_function){ (uint32_t)reader_number(bytes, 4, false),
				     (uint32_t)reader_number(bytes + 4, 4, false),
				     (uint32_t)reader_number(bytes + 8, 4, false) };
}

static bool
find_function(const struct pe_frames *frames, uint64_t address, struct pe_function *function,
	      uint64_t *index)
{
	*index = pe_frames_after(frames, address);
	if (*index == 0)
		return false;
	*function = function_of(frames->table.data + --*index * ENTRY_SIZE);
	return address < function->end;
}

static const char unreadable[] = "cannot read the unwind info of the function";

static const char *
why_unread(const struct pe_unwind *unwind)
{
	return unwind->version == APX
		       ? "the function's unwind info has version 3 (APX), which is not supported"
		       : unreadable;
}

/*
 * Reads the codes of a function. Follows an entry that only refers to another entry. False if the
 * codes are missing or their version is unknown.
 */
static bool
read_info(const struct pe_frames *frames, struct pe_function function, struct pe_unwind *unwind)
{
	uint8_t bytes[HEADER_SIZE + sizeof(unwind->codes) + ENTRY_SIZE];

	unwind->version = 0;
	for (unsigned hops = 0; (function.info & INDIRECT) != 0; hops++) {
		if (hops == MOST_PARTS || binary_read(frames->binary, function.info & ~INDIRECT,
						      bytes, ENTRY_SIZE, NULL) < ENTRY_SIZE)
			return false;
		function = function_of(bytes);
		if (function.begin >= function.end)
			return false;
	}
	const size_t size =
		binary_read(frames->binary, function.info, bytes, sizeof(bytes), NULL);
	if (size < HEADER_SIZE)
		return false;
	*unwind = (struct pe_unwind){ .version = bytes[0] & 7, .prologue = bytes[1],
				      .count = bytes[2], .frame_offset = (bytes[3] >> 4) * 16u,
				      .chained = (bytes[0] >> 3 & FLAG_CHAINED) != 0,
				      .frame_register = (bytes[3] & 15) == 0
							? ARCH_NO_REGISTER
							: registers[bytes[3] & 15] };
	/* The array of codes is padded to an even number of slots; the chained entry follows it. */
	const size_t chain = HEADER_SIZE + ((size_t)unwind->count + 1) / 2 * 4;
	if (unwind->version < 1 || unwind->version > 2 ||
	    size < HEADER_SIZE + (size_t)unwind->count * 2)
		return false;
	memcpy(unwind->codes, bytes + HEADER_SIZE, (size_t)unwind->count * 2);
	if (!unwind->chained)
		return true;
	if (size < chain + ENTRY_SIZE)
		return false;
	unwind->chain = function_of(bytes + chain);
	return unwind->chain.begin < unwind->chain.end;
}

/* The start of the function that a part is chained to. */
static uint32_t
whole_begin(const struct pe_frames *frames, struct pe_function part)
{
	struct pe_unwind unwind;

	for (unsigned parts = 0; parts < MOST_PARTS && read_info(frames, part, &unwind) &&
				 unwind.chained; parts++)
		part = unwind.chain;
	return part.begin;
}

static uint64_t
whole_at(const struct pe_frames *frames, uint64_t index)
{
	return whole_begin(frames, function_of(frames->table.data + index * ENTRY_SIZE));
}

static bool
read_range(const struct pe_frames *frames, uint64_t index, uint64_t *begin, uint64_t *end)
{
	const struct pe_function function =
		function_of(frames->table.data + index * ENTRY_SIZE);

	*begin = function.begin;
	*end = function.end;
	return true;
}

/* Whether undo_epilogue() might accept an instruction as a part of an epilogue. */
static bool
may_leave(const uint8_t *bytes)
{
	switch (bytes[0]) {
	case 0x41:
		return (bytes[1] & 0xf8) == 0x58;
	case 0x48:
	case 0x49:
		return bytes[1] == 0xff || bytes[1] == 0x8d ||
		       ((bytes[1] == 0x83 || bytes[1] == 0x81) && bytes[2] == 0xc4);
	case 0xc5:
		return bytes[1] == 0xf8 && bytes[2] == 0x77;
	case 0xf2:
	case 0xf3:
		return bytes[1] == 0xc3;
	case 0xff:
		return bytes[1] == 0x25;
	default:
		return (bytes[0] & 0xf8) == 0x58 || (bytes[0] & 0xf8) == 0x48 ||
		       bytes[0] == 0xc2 || bytes[0] == 0xc3 || bytes[0] == 0xe9 || bytes[0] == 0xeb;
	}
}

/* Bytes of code that are read at a time. */
#define CODE_WINDOW 256u

/*
 * The next address that may have another row: in prologues and epilogues the next instruction, else
 * the next one that may begin an epilogue.
 */
static uint64_t
pe_frames_next(const struct pe_frames *frames, const struct arch *arch, uint64_t relative)
{
	uint8_t bytes[CODE_WINDOW + X86_LONGEST] = { 0 };
	struct pe_function function;
	struct pe_unwind unwind;
	uint64_t index, at = relative;
	unsigned length;

	(void)arch;
	if (!find_function(frames, relative, &function, &index))
		return relative + 1;
	const bool in_prologue = read_info(frames, function, &unwind) &&
				 relative - function.begin < unwind.prologue;
	for (bool each = in_prologue; at < function.end;) {
		const size_t count = binary_read(frames->binary, at, bytes, CODE_WINDOW, NULL);
		const size_t enough = count < CODE_WINDOW ? 1 : X86_LONGEST;
		size_t used = 0;

		for (; used + enough <= count; used += length) {
			if (at + used > relative && (each || may_leave(bytes + used)))
				return at + used;
			each = each || (at + used == relative && may_leave(bytes));
			length = x86_length(bytes + used, count - used);
			if (length == 0)
				break;
		}
		/* Unreadable code: skip one byte of a prologue, else the rest of the function. */
		if (used == 0)
			return in_prologue && at == relative ? relative + 1 : function.end;
		at += used;
		if (each)
			return at;
	}
	return function.end;
}

/* Prologues ------------------------------------------------------------------------------------ */

struct unwind_code {
	unsigned offset, operation, info;
	uint32_t operand;		/* 0, 16 or 32 bits, by the number of slots */
};

/* Read the code at slot `*at` and move on; false at the end or for an unknown operation. */
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
	code->operand = (uint32_t)reader_number(bytes + 2, (size - 1) * 2, false);
	*at += size;
	return true;
}

struct undoing {
	struct frame_pops *pops;
	const struct pe_unwind *unwind;
	struct frame_pops frame;	/* the stack pointer that saves are relative to */
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

/* Whether the frame register is set at `position`. `in_prologue`: that is in the prologue. */
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

/*
 * Undo the codes of a function and of the parts that it is chained to. In a prologue, undo only the
 * codes before `address`. True if the processor pushed the frame.
 */
static bool
undo(const struct pe_frames *frames, struct pe_function function, uint64_t address,
     struct frame_pops *pops)
{
	struct pe_unwind unwind;
	struct unwind_code code;

	for (unsigned parts = 0, codes = 0; parts < MOST_PARTS && codes < MOST_CODES; parts++) {
		if (!read_info(frames, function, &unwind)) {
			frame_pops_fail(pops, why_unread(&unwind));
			return false;
		}
		codes += unwind.count;
		const uint64_t position = address - function.begin;
		const bool in_prologue = address >= function.begin && position < unwind.prologue;
		struct undoing undoing = { .pops = pops, .unwind = &unwind, .frame = *pops };
		unsigned at = 0;
		if (has_frame(&unwind, in_prologue, position))
			frame_pops_move(&undoing.frame, unwind.frame_register,
					-(int64_t)unwind.frame_offset);
		while (!undoing.machine_frame && next_code(&unwind, &at, &code))
			if (!in_prologue || code.offset <= position)
				undo_code(&undoing, &code);
		if (undoing.machine_frame)
			return true;
		if (at < unwind.count)
			frame_pops_fail(pops, "an unwind code is unknown or truncated");
		if (!unwind.chained || pops->cannot != NULL)
			return false;
		function = unwind.chain;
	}
	frame_pops_fail(pops, "the chain of the function's unwind information is too long");
	return false;
}

/* Epilogues ------------------------------------------------------------------------------------ */

/*
 * Whether UNWIND_INFO 2 lists an epilogue around `address`. `*into`: bytes from the epilogue's
 * start. The first code has the size of all epilogues. Its low bit is set if an epilogue ends the
 * function. Each other code has the distance from an epilogue's start to the function's end.
 */
static bool
is_listed(const struct pe_unwind *unwind, const struct pe_function *function, uint64_t address,
	  uint64_t *into)
{
	const uint64_t left = function->end - address;	/* bytes up to the end of the function */
	struct unwind_code code;
	unsigned at = 0, size = 0;

	for (bool first = true; next_code(unwind, &at, &code) && code.operation == EPILOG;
	     first = false) {
		const unsigned start = code.offset | code.info << 8;

		if (first)
			size = code.offset;
		*into = (first ? size : start) - left;
		if (first ? (code.info & 1) != 0 && left <= size
			  : start != 0 && left <= start && left + size > start)
			return true;
	}
	return false;
}

/*
 * Undo the rest of a listed epilogue whose code is not in the file. The epilogue pops the pushed
 * registers. A pop has 1 byte of code, or 2 bytes for r8 and up.
 */
static void
undo_pushes(const struct pe_unwind *unwind, uint64_t into, struct frame_pops *pops)
{
	struct unwind_code code;
	unsigned at = 0;
	uint64_t done = 0;

	while (next_code(unwind, &at, &code)) {
		if (code.operation != PUSH_NONVOL)
			continue;
		if (done >= into)
			frame_pops_pop(pops, registers[code.info]);
		done += code.info < 8 ? 1 : 2;
	}
}

/* Whether a jump leaves the function as a tail call. */
static bool
leaves(const struct pe_frames *frames, const struct pe_function *function, uint64_t target)
{
	struct pe_function other;
	uint64_t index;

	const uint32_t whole = whole_begin(frames, *function);
	if (target == whole)
		return true;
	if (target >= function->begin && target < function->end)
		return false;
	return !find_function(frames, target, &other, &index) ||
	       whole_begin(frames, other) != whole;
}

struct decoding {
	uint8_t bytes[EPILOGUE_SIZE];
	size_t size, at;
};

/* Skips the next bytes if they equal `bytes`. Returns whether they do. */
static bool
take(struct decoding *decoding, const void *bytes, size_t size)
{
	if (size > decoding->size - decoding->at ||
	    memcmp(decoding->bytes + decoding->at, bytes, size) != 0)
		return false;
	decoding->at += size;
	return true;
}

static bool
take_number(struct decoding *decoding, unsigned size, int64_t *number)
{
	if (size > decoding->size - decoding->at)
		return false;
	const uint32_t value =
		(uint32_t)reader_number(decoding->bytes + decoding->at, size, false);
	*number = size == 1 ? (int8_t)value : (int32_t)value;
	decoding->at += size;
	return true;
}

/* Takes the instruction that frees the frame, if any: add rsp, or lea rsp. False: truncated. */
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

/* Takes the end of an epilogue: the jump of a tail call, or a return that may free arguments. */
static bool
take_leaving(struct decoding *decoding, const struct pe_frames *frames,
	     const struct pe_function *function, uint64_t address, unsigned *arguments)
{
	int64_t distance;

	/* Clang puts vzeroupper after the pops, though no epilogue may have it. */
	take(decoding, "\xc5\xf8\x77", 3);
	if (take(decoding, "\xc2", 1)) {
		if (decoding->size - decoding->at < 2)
			return false;
		*arguments = (uint32_t)reader_number(decoding->bytes + decoding->at, 2, false);
		return true;
	}
	if (take(decoding, "\xc3", 1) || take(decoding, "\xf3\xc3", 2) ||
	    take(decoding, "\xf2\xc3", 2) ||
	    take(decoding, "\xff\x25", 2))
		return true;
	const uint8_t *bytes = decoding->bytes + decoding->at;
	if (decoding->size - decoding->at >= 3 && (bytes[0] & 0xf8) == 0x48 && bytes[1] == 0xff &&
	    (bytes[2] & 0x38) == 0x20)
		return true;
	if (!(take(decoding, "\xeb", 1) && take_number(decoding, 1, &distance)) &&
	    !(take(decoding, "\xe9", 1) && take_number(decoding, 4, &distance)))
		return false;
	return leaves(frames, function, address + decoding->at + (uint64_t)distance);
}

/*
 * Undoes the rest of the epilogue around `address`. False: the address is not in an epilogue.
 * Epilogues consist of a few kinds of instructions.
 */
static bool
undo_epilogue(const struct pe_frames *frames, const struct pe_unwind *unwind,
	      const struct pe_function *function, uint64_t address, struct frame_pops *pops,
	      unsigned *arguments)
{
	struct frame_pops undone = *pops;
	struct decoding decoding = { .at = 0 };
	uint64_t into;

	decoding.size = binary_read(frames->binary, address, decoding.bytes,
				    sizeof(decoding.bytes), NULL);
	if (unwind->version == 2 && !is_listed(unwind, function, address, &into))
		return false;
	if (unwind->version == 2 && decoding.size == 0) {
		undo_pushes(unwind, into, pops);
		return true;
	}
	if (!take_release(&decoding, unwind, &undone))
		return false;
	while (decoding.at < decoding.size) {
		const uint8_t *bytes = decoding.bytes + decoding.at;
		const bool high = bytes[0] == 0x41 && decoding.at + 1 < decoding.size;

		if ((bytes[high] & 0xf8) != 0x58)
			break;
		frame_pops_pop(&undone, registers[(bytes[high] & 7) + (high ? 8 : 0)]);
		decoding.at += high ? 2 : 1;
	}
	if (!take_leaving(&decoding, frames, function, address, arguments))
		return false;
	*pops = undone;
	return true;
}

/* Rows ----------------------------------------------------------------------------------------- */

/* The row after the codes were undone; NULL with `*problem` if that failed. */
static const struct unwind_row *
make_row(struct frame_pops *pops, bool machine_frame, unsigned arguments, struct unwind_row *row,
	 const char **problem)
{
	const int pc = pops->arch->pc, sp = pops->arch->sp;

	/* The processor pushed rip, cs, rflags, rsp and ss of a machine frame. */
	row->table = ".pdata";
	row->signal = machine_frame;
	frame_pops_load(pops, pc, 0);
	if (machine_frame)
		frame_pops_load(pops, sp, 24);
	return frame_pops_row(pops,
			      machine_frame ? pops->values[sp]
					    : frame_pops_address(pops, 8 + (int64_t)arguments),
			      pops->values[pc], row, problem);
}

static const struct unwind_row *
pe_frames_find(const struct pe_frames *frames, const struct arch *arch,
	       const struct frame_table_question *question, struct arena *arena,
	       const char **problem)
{
	struct unwind_row *row = arena_alloc(arena, sizeof(*row));
	struct pe_function function;
	struct pe_unwind unwind;
	struct frame_pops pops;
	unsigned arguments = 0;
	uint64_t index;

	if (row == NULL)
		return NULL;
	frame_pops_begin(&pops, arch, arena);
	if (!find_function(frames, question->relative, &function, &index))
		return pe_frames_leaf(frames, question, row, problem)
			       ? make_row(&pops, false, 0, row, problem) : NULL;
	if (!read_info(frames, function, &unwind)) {
		*problem = why_unread(&unwind);
		return NULL;
	}
	row->place = reader_place(&frames->table, index * ENTRY_SIZE, ENTRY_SIZE);
	row->first = function.begin + unwind.prologue;
	row->last = (uint64_t)function.end - 1;
	const bool in_prologue = question->relative < row->first;
	/* A function may return early, so that its prologue contains an epilogue. */
	const bool in_epilogue = question->exact &&
				 undo_epilogue(frames, &unwind, &function, question->relative,
					       &pops, &arguments);
	if (in_prologue || in_epilogue)
		row->first = row->last = question->relative;
	return make_row(&pops,
			!in_epilogue && undo(frames, function, question->relative, &pops),
			arguments, row, problem);
}

const struct pe_frames_kind pe_x64_frames = {
	PE_MACHINE_AMD64, ENTRY_SIZE, UINT32_MAX, NULL, pe_frames_find, read_range, pe_frames_next,
	whole_at,
};
