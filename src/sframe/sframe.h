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
 * A section is a header, an array of function descriptors (FDEs) and an area of rows (frame row
 * entries, FREs). A row is valid from its address to that of the next one. It gives the locations
 * of the CFA, the return address and the frame pointer. The reader returns all versions, byte
 * orders and kinds of rows in one form.
 *
 * No byte of a section is trusted: opening checks the header, looking up a function checks the
 * function, reading a row checks the row. A defect affects only its row, function or section.
 * Allocations never exceed the number of entries that fit in the section's bytes.
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
#define SFRAME_FLAG_PCREL 0x4u		/* start addresses are relative to their own field */

#define SFRAME_HEADER_SIZE 28u
#define SFRAME_WORDS 15u		/* largest number of data words of a row */

/** One table: header, descriptors, rows. Linkers that ignore the format write several. */
struct sframe_table {
	struct reader reader;		/* bytes from the header on, in the table's byte order */
	uint64_t address;		/* address of the header in the process or file */
	unsigned version, flags;
	enum sframe_abi abi;
	int fixed_fp, fixed_ra;		/* fixed offsets from the CFA; 0: not fixed */
	unsigned auxiliary_size;
	uint32_t function_count, row_count, row_bytes;
	uint64_t functions_at, rows_at;	/* offsets of descriptors and rows in the table */
	unsigned function_size;		/* bytes of a descriptor: 17, 20 or 16 */
	bool field_relative;		/* start addresses are relative to their own field */
	/* Sorted by start address, as checked for all functions */
	bool sorted;
	size_t first;			/* number of its first function in the section */
};

/** The start of a function, for lookups. */
struct sframe_start {
	uint64_t address;
	uint32_t number;
	bool has_code;			/* its size is not 0 */
};

struct sframe {
	struct arena arena;
	struct sframe_table *tables;
	size_t table_count;
	size_t function_count;
	struct sframe_start *index;	/* sorted by address, then `has_code`, then number */
	struct message_list messages;
	_Atomic uint64_t *looked;	/* rows that look-ups read (LIMIT_SFRAME_LOOKUPS) */
};

/** A range of code addresses, to find the base of start addresses. */
struct sframe_code {
	uint64_t low, high;		/* first and last address */
};

struct sframe_function {
	const struct sframe_table *table;
	uint32_t number;		/* number in the section */
	uint64_t address;
	uint32_t size;
	uint32_t rows_offset;		/* offset of its first row in the area of rows, as stored */
	uint32_t row_count;
	unsigned info, info2;		/* bytes as stored */
	unsigned address_bytes;		/* size of the rows' addresses: 1, 2 or 4 */
	bool masked;			/* PCMASK: the rows repeat every `repeat` bytes */
	unsigned repeat;
	bool key_b;			/* return addresses are signed with key B */
	bool flexible;			/* version 3: rows name registers */
	bool signal;			/* version 3: a signal frame */
	struct place place;
	struct place attribute;		/* version 3: place of the five bytes before the rows */
	uint64_t rows_at;		/* offset of the first row in the table */
	const char *problem;		/* reason why its rows are unusable; NULL: none */
};

enum sframe_rule_kind {
	SFRAME_UNSAVED,		/* the register still has its value */
	SFRAME_FIXED,		/* at a fixed offset from the CFA, given in the header */
	SFRAME_PADDING,		/* a word without information: unsaved, or fixed if `dereference` */
	SFRAME_OFFSET,		/* base plus offset, or the word at that address */
	SFRAME_IN_REGISTER,	/* s390x, version 2: the value is in another register */
};

#define SFRAME_CFA (-1)

/** The location of the CFA, return address or frame pointer. */
struct sframe_rule {
	enum sframe_rule_kind kind;
	int base;		/* DWARF number of a register, or SFRAME_CFA */
	int64_t offset;
	bool dereference;	/* the word at base plus offset; else the sum itself */
	struct place place;	/* place of its data words, or of the header's byte */
};

/** Whether the function has not saved the rule's register: the caller has the same value. */
static inline bool
sframe_is_unsaved(const struct sframe_rule *rule)
{
	return rule->kind == SFRAME_UNSAVED ||
	       (rule->kind == SFRAME_PADDING && !rule->dereference);
}

struct sframe_row {
	uint64_t offset;	/* offset from the start of the function or repeated block */
	uint32_t number;	/* number in the function */
	bool outermost;		/* no data words: the return address is undefined */
	bool signed_ra;		/* the return address carries an authentication code */
	unsigned info;		/* byte as stored */
	unsigned word_count, word_size;
	struct sframe_rule cfa, ra, fp;
	struct place place;
	const char *problem;	/* reason why the row is unusable; NULL: none */
	const char *odd;	/* harmless oddity; NULL: none */
};

struct sframe_cursor {
	const struct sframe_function *function;
	uint64_t at;		/* offset of the next row in the table */
	uint32_t number;
	uint64_t previous;	/* offset of the previous row, as in struct sframe_row */
	const char *problem;	/* reason for an early end; NULL: none */
	struct place place;
};

/** The bytes of an unopened section. */
struct sframe_bytes {
	const struct input *input;
	const uint8_t *data;
	uint64_t size;
	uint64_t offset;	/* place of the first byte in the input */
	uint64_t address;	/* as linked, or in the process if read from memory */
	const char *how;	/* "section .sframe", "PT_GNU_SFRAME", "raw section" */
};

/**
 * Open a section; `bytes->how` is not used. `code` lists `code_count` ranges of code, or none; they
 * decide the base of start addresses if a linker without SFrame support concatenated tables. Bytes
 * and input must outlive the section. On failure `error` is set and `sframe` is empty.
 */
enum error_code
sframe_open(struct sframe *sframe, const struct sframe_bytes *bytes, const struct sframe_code *code,
	    size_t code_count, struct error *error);

void
sframe_close(struct sframe *sframe);

/** Function `number` of the section. False: no such function. The caller checks `problem`. */
bool
sframe_function(const struct sframe *sframe, size_t number, struct sframe_function *function);

/**
 * The function that covers `address`. Of the functions that begin at or before it, only the last is
 * tried. A function of size 0 covers nothing.
 */
bool
sframe_find(const struct sframe *sframe, uint64_t address, struct sframe_function *function);

/** Function `n` in the order of addresses. False if there is none. */
bool
sframe_ordered(const struct sframe *sframe, size_t n, struct sframe_function *function);

void
sframe_rows(const struct sframe_function *function, struct sframe_cursor *cursor);

/** The next row. False after the last row, or at a defect, which sets the cursor's `problem`. */
bool
sframe_next_row(struct sframe_cursor *cursor, struct sframe_row *row);

enum sframe_found {
	SFRAME_ROW,
	SFRAME_NO_FUNCTION,
	SFRAME_NO_ROWS,		/* the function has no rows: its rules are unknown */
	SFRAME_NO_ROW,		/* the function's rows begin after the address */
	SFRAME_OUTERMOST,
	SFRAME_BROKEN,		/* the function or a row before the address is defective */
};

/**
 * Find the row that applies at `address`. `function` is set except for SFRAME_NO_FUNCTION. `row` is
 * set for SFRAME_ROW, and for SFRAME_OUTERMOST if a row gives it. `problem` gets the reason for
 * SFRAME_BROKEN, and may be NULL.
 */
enum sframe_found
sframe_lookup(const struct sframe *sframe, uint64_t address, struct sframe_function *function,
	      struct sframe_row *row, const char **problem);

/**
 * Check all functions and rows and add a message for each defect. Functions may share rows, and
 * each function's rows are read; the limit is one row for each byte of the table's rows.
 */
void
sframe_check(struct sframe *sframe);

/** DWARF numbers of an ABI's registers. */
struct sframe_registers {
	int sp, fp, ra;
};

const struct sframe_registers *
sframe_registers(enum sframe_abi abi);

const struct arch *
sframe_arch(enum sframe_abi abi);

/** The name of an ABI: "AMD64 little-endian". */
const char *
sframe_abi_name(enum sframe_abi abi);

#endif
