/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_THREAD_BLOCK_H
#define INSPECT_THREAD_BLOCK_H

#include "inspect/surroundings.h"

/**
 * What Windows keeps in memory of a thread and its process, as far as a dump has that memory: the
 * thread environment block (TEB), the process environment block (PEB) and the parameters that the
 * process was started with.
 */
enum block_kind {
	BLOCK_TEB,
	BLOCK_PEB,
	BLOCK_PARAMETERS,
	BLOCK_KINDS
};

enum block_value_kind {
	VALUE_ADDRESS,
	VALUE_NUMBER,
	VALUE_FLAGS,
	VALUE_BOOL,
	VALUE_ERROR,		/* a number of winerror.h */
	VALUE_STATUS,		/* of ntstatus.h */
	VALUE_STRING,		/* UNICODE_STRING */
	VALUE_SECRET,		/* the same, left out of what is given away */
};

/** A row of thread_block.def. */
struct block_field {
	const char *key, *label, *help;
	enum block_kind block;
	enum block_value_kind kind;
	uint16_t offset[2];		/* on 32 and on 64 bits */
	uint8_t size;			/* 0: that of a pointer */
};

#define F(block, kind, key, label, narrow, wide, size, help) BLOCK_FIELD_##key,
enum {
#include "inspect/thread_block.def"
	BLOCK_FIELDS
};

extern const struct block_field block_fields[BLOCK_FIELDS];

struct block_value {
	bool known;			/* the dump has it */
	uint64_t value;			/* of strings their address */
	const char *text;		/* of strings, and the names of errors; NULL: none */
	struct place place;
};

/** Slots of TlsAlloc that are in the TEB itself. */
#define BLOCK_SLOTS 64u

struct thread_block {
	unsigned word;			/* bytes of a pointer */
	uint64_t at[BLOCK_KINDS];	/* 0: not known */
	bool there[BLOCK_KINDS];	/* the dump has its memory */
	struct block_value values[BLOCK_FIELDS];
	uint64_t slots[BLOCK_SLOTS];	/* those that are not known are 0 */
};

/**
 * Read the blocks of a thread; texts live in `arena`. Nothing is known of other systems' threads.
 */
void
thread_block_read(struct thread_block *block, const struct surroundings *around, size_t thread,
		  struct arena *arena);

#endif
