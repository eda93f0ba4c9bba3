/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef INSPECT_THREAD_BLOCK_H
#define INSPECT_THREAD_BLOCK_H

#include "inspect/surroundings.h"

/**
 * The data of Windows about a thread and its process, if the dump has that memory: the thread
 * environment block (TEB), the process environment block (PEB) and the start parameters of the
 * process.
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
	VALUE_ERROR,		/* a number from winerror.h */
	VALUE_STATUS,		/* a number from ntstatus.h */
	VALUE_STRING,		/* UNICODE_STRING */
	VALUE_SECRET,		/* UNICODE_STRING, left out of redacted output */
};

/** A row of thread_block.def. */
struct block_field {
	const char *key, *label, *help;
	enum block_kind block;
	enum block_value_kind kind;
	uint16_t offset[2];		/* for 32 and for 64 bits */
	uint8_t size;			/* 0: size of a pointer */
};

#define F(block, kind, key, label, narrow, wide, size, help) BLOCK_FIELD_##key,
enum {
#include "inspect/thread_block.def"
	BLOCK_FIELDS
};

extern const struct block_field block_fields[BLOCK_FIELDS];

struct block_value {
	bool known;			/* the dump has it */
	uint64_t value;			/* for strings, their address */
	const char *text;		/* text of a string, or name of an error; NULL: none */
	struct place place;
};

/** Slots of TlsAlloc in the TEB itself. */
#define BLOCK_SLOTS 64u

struct thread_block {
	unsigned word;			/* bytes of a pointer */
	uint64_t at[BLOCK_KINDS];	/* addresses of the blocks; 0: unknown */
	bool there[BLOCK_KINDS];	/* the dump has its memory */
	struct block_value values[BLOCK_FIELDS];
	uint64_t slots[BLOCK_SLOTS];	/* 0 if unknown */
};

/** Read the blocks of a thread; texts live in `arena`. On other systems nothing is known. */
void
thread_block_read(struct thread_block *block, const struct surroundings *around, size_t thread,
		  struct arena *arena);

#endif
