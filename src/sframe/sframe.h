/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SFRAME_SFRAME_H
#define SFRAME_SFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/message.h"
#include "base/reader.h"
#include "crash/arch.h"

/**
 * SFrame sections: the stack trace format of GNU binutils, versions 1, 2 and 3.
 *
 * A section is a header, an array of function descriptors (FDEs) and an area of rows (frame
 * row entries, FREs). A row holds from its address to that of the next one and says where the
 * CFA, the return address and the frame pointer are. All versions, byte orders and kinds of
 * rows come out of here in one form.
 *
 * Nothing of a section is trusted: opening checks the header, looking at a function checks the
 * function, reading a row checks the row. What is wrong with one costs that one alone. Nothing
 * is allocated by a count of the section that its bytes do not bear out.
 *
 * Sources: "The SFrame format", versions 1 to 3 (binutils 2.40 to 2.46); erratum 1 of version 2
 * (FDE_FUNC_START_PCREL, s390x) and erratum 2 (rows without offsets).
 */
enum sframe_abi {
	SFRAME_AARCH64_BIG = 1,
	SFRAME_AARCH64 = 2,
	SFRAME_AMD64 = 3,
	SFRAME_S390X = 4,
};

#define SFRAME_FLAG_SORTED 0x1u
#define SFRAME_FLAG_FRAME_POINTER 0x2u	/* all functions keep the frame pointer; not version 3 */
#define SFRAME_FLAG_PCREL 0x4u		/* start addresses count from their own field */

#define SFRAME_HEADER_SIZE 28u
#define SFRAME_WORDS 15u		/* most data words of a row */

/** One table: header, descriptors, rows. A section is one, unless a linker knew no better. */
struct sframe_table {
	struct reader reader;		/* from the header on, in the table's byte order */
	uint64_t address;		/* of the header in the process or file */
	unsigned version, flags;
	enum sframe_abi abi;
	int fixed_fp, fixed_ra;		/* offsets from the CFA; 0: not fixed */
	unsigned auxiliary_size;
	uint32_t function_count, row_count, row_bytes;	/* as the header says */
	uint64_t functions_at, rows_at;	/* offsets of both areas in the table */
	unsigned function_size;		/* bytes of a descriptor: 17, 20 or 16 */
	bool field_relative;		/* start addresses count from their own field */
	bool sorted;			/* by start address, as a look at each of them found */
	bool ordered;			/* sorted, and empty functions before their equals */
	size_t first;			/* number of its first function in the section */
};

/** Where a function begins: what look-up needs where the table itself is in no order. */
struct sframe_start {
	uint64_t address;
	uint32_t size, number;
};

struct sframe {
	struct arena arena;
	struct sframe_table *tables;
	size_t table_count;
	size_t function_count;		/* of all tables */
	struct sframe_start *index;	/* by address, then number; NULL: one table, in order */
	struct message_list messages;
};

/** Addresses that hold code, for telling how start addresses are meant. */
struct sframe_code {
	uint64_t low, high;		/* first and last address */
};

/** A function descriptor. */
struct sframe_function {
	const struct sframe_table *table;
	uint32_t number;		/* in the section */
	uint64_t address;
	uint32_t size;
	uint32_t rows_offset;		/* of its first row in the area of rows, as stored */
	uint32_t row_count;
	unsigned info, info2;		/* as stored */
	unsigned address_bytes;		/* of the rows' addresses: 1, 2 or 4 */
	bool masked;			/* PCMASK: the rows repeat every `repeat` bytes */
	unsigned repeat;
	bool key_b;			/* return addresses are signed with key B */
	bool flexible;			/* version 3: rows name registers */
	bool signal;			/* version 3: a signal frame */
	struct place place;		/* of the descriptor */
	struct place attribute;		/* version 3: of the five bytes before the rows */
	uint64_t rows_at;		/* offset of the first row in the table */
	const char *problem;		/* why its rows cannot be used; NULL: they can */
};

enum sframe_rule_kind {
	SFRAME_UNSAVED,		/* the register has its value still */
	SFRAME_FIXED,		/* at a fixed offset from the CFA, which the header gives */
	SFRAME_PADDING,		/* a word that says nothing: unsaved; fixed where `dereference` */
	SFRAME_OFFSET,		/* base plus offset, or the word there */
	SFRAME_IN_REGISTER,	/* s390x, version 2: in a register */
};

#define SFRAME_CFA (-1)

/** Where one of CFA, return address and frame pointer is. */
struct sframe_rule {
	enum sframe_rule_kind kind;
	int base;		/* DWARF number of a register, or SFRAME_CFA */
	int64_t offset;
	bool dereference;	/* the word at base plus offset; else the sum itself */
	struct place place;	/* of the data words that say so, or of the header's byte */
};

/** Whether the function has not saved what a rule is of: the caller has the same value. */
static inline bool
sframe_is_unsaved(const struct sframe_rule *rule)
{
	return rule->kind == SFRAME_UNSAVED ||
	       (rule->kind == SFRAME_PADDING && !rule->dereference);
}

/** A frame row entry. */
struct sframe_row {
	uint64_t offset;	/* distance from the start of the function or repeat block */
	uint32_t number;	/* in the function */
	bool outermost;		/* no data words: the return address is undefined */
	bool signed_ra;		/* the return address carries an authentication code */
	unsigned info;		/* as stored */
	unsigned word_count, word_size;
	struct sframe_rule cfa, ra, fp;
	struct place place;	/* of the whole row */
	const char *problem;	/* why the row cannot be used; NULL: it can */
	const char *odd;	/* what is strange but harmless; NULL: nothing */
};

/** Reads the rows of a function one after another. */
struct sframe_cursor {
	const struct sframe_function *function;
	uint64_t at;		/* offset of the next row in the table */
	uint32_t number;
	uint64_t previous;	/* address of the last row */
	const char *problem;	/* why it ended before the last row; NULL: it did not */
	struct place place;	/* of what is wrong */
};

/**
 * Open a section of `size` bytes at `bytes`, which are at `offset` of `input` and at `address`
 * of the process or file. `code` lists `code_count` ranges of code, or none: they tell how start
 * addresses are meant where a linker without support for the format put tables together. Bytes and
 * input outlive the section. On failure `error` says what is wrong and `sframe` is empty.
 */
enum error_code
sframe_open(struct sframe *sframe, const struct input *input, const uint8_t *bytes, size_t size,
	    uint64_t offset, uint64_t address, const struct sframe_code *code, size_t code_count,
	    struct error *error);

void
sframe_close(struct sframe *sframe);

/** Function `number` of the section; false where there is none. Look at `problem`. */
bool
sframe_function(const struct sframe *sframe, size_t number, struct sframe_function *function);

/**
 * The function that covers `address`: of those that begin at or before it the one that begins
 * last, if the address is within its size. A function of size 0 covers nothing.
 */
bool
sframe_find(const struct sframe *sframe, uint64_t address, struct sframe_function *function);

/** Function `n` in the order of addresses; false where there is none. */
bool
sframe_ordered(const struct sframe *sframe, size_t n, struct sframe_function *function);

void
sframe_rows(const struct sframe_function *function, struct sframe_cursor *cursor);

/** The next row; false behind the last one and where the cursor's `problem` says why. */
bool
sframe_next_row(struct sframe_cursor *cursor, struct sframe_row *row);

enum sframe_found {
	SFRAME_ROW,		/* the row in force */
	SFRAME_NO_FUNCTION,	/* no function covers the address */
	SFRAME_NO_ROWS,		/* the function has none: nothing is known of it */
	SFRAME_NO_ROW,		/* its rows begin behind the address */
	SFRAME_OUTERMOST,	/* the function has no caller */
	SFRAME_BROKEN,		/* the function or the rows up to here are defective */
};

/**
 * The row in force at `address`. `function` is filled but for SFRAME_NO_FUNCTION, `row` for
 * SFRAME_ROW and for an SFRAME_OUTERMOST that a row says. `problem` (may be NULL) gets the
 * sentence of SFRAME_BROKEN.
 */
enum sframe_found
sframe_lookup(const struct sframe *sframe, uint64_t address, struct sframe_function *function,
	      struct sframe_row *row, const char **problem);

/**
 * Go through all functions and rows and add a message for each defect. Rows that functions
 * share are read again for each of them, but no more rows than the header announces.
 */
void
sframe_check(struct sframe *sframe);

/** DWARF numbers of an ABI's registers. */
struct sframe_registers {
	int sp, fp, ra;
	int64_t cfa_to_sp;	/* the caller's stack pointer is the CFA plus this */
};

const struct sframe_registers *
sframe_registers(enum sframe_abi abi);

/** The table of the architecture that an ABI is of. */
const struct arch *
sframe_arch(enum sframe_abi abi);

/** "AMD64 little-endian" and its like. */
const char *
sframe_abi_name(enum sframe_abi abi);

#endif
