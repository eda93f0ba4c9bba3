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
	uint16_t offset[2];		/* offsets for 32 and for 64 bits */
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
	uint64_t value;			/* the value, or the address of a string */
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

/**
 * The chain of exception handlers of a thread of 32-bit Windows. A function with a handler puts a
 * registration on the stack: the address of the next registration, then the address of the handler.
 * fs:[0] in the thread's block leads to the first registration, and ffffffff ends the chain.
 * Handlers are called in this order, and the chain must go up the stack.
 */
#define SEH_LAST UINT32_C(0xffffffff)

/** The data after a registration, which depend on its handler. */
enum seh_kind {
	SEH_OTHER,
	SEH_SCOPES,		/* _except_handler3: a table of scopes, and the current scope */
	SEH_SCOPES_COOKIE,	/* _except_handler4: the cookie hides the table's address */
};

/** One __try, with its filter and handler. The filter of a __finally is 0. */
struct seh_scope {
	uint32_t enclosing;
	uint64_t filter, handler;
};

#define SEH_MOST_SCOPES 16u

struct seh_record {
	uint64_t address, next, handler;
	struct place place;
	enum seh_kind kind;
	uint32_t level;			/* index of the current scope; -1 or -2: none */
	struct seh_scope scopes[SEH_MOST_SCOPES];	/* from the current scope outwards */
	size_t scope_count;
	/* A defect that suggests an overwritten chain. NULL: none. */
	const char *doubt;
	bool unsafe;			/* the module's list of safe handlers lacks the handler */
};

enum seh_end {
	SEH_WHOLE,		/* complete, up to the last registration */
	SEH_NONE,		/* the thread has no handlers */
	SEH_UNREAD,		/* the next registration is not in the dump */
	SEH_ASTRAY,		/* the next registration is lower, unaligned or outside the stack */
	SEH_TOO_LONG,
};

struct seh_chain {
	struct seh_record *records;
	size_t count;
	enum seh_end end;
	uint64_t end_at;		/* address that is not a registration */
	/* The first registration is from fs:[0]; false: from a search of the stack */
	bool from_block;
};

/**
 * Follow the chain of a thread of 32-bit Windows. The chain lives in `arena`. False for other
 * systems, or if the first registration is unknown.
 */
bool
seh_chain_read(struct seh_chain *chain, struct surroundings *around, size_t thread,
	       struct arena *arena);

#endif
