/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_PLAIN_CFI_H
#define UNWIND_CHECK_PLAIN_CFI_H

#include "rules/rule_table.h"

/**
 * STACK CFI records as writers write them: each delta after its INIT record, one space between two
 * words, and rules that are `NAME: BASE`, `NAME: BASE NUMBER +`, or the word there (`^`). They are
 * read without programs, so that nearly all records cost little more than their bytes.
 */
struct plain_cfi;

/** One rule, from an address on. */
struct plain_rule {
	uint64_t address;
	uint64_t record;		/* offset of its record */
	unsigned column;
	struct claim claim;
};

/** The records of an INIT record and its deltas. */
struct plain_records {
	uint64_t first, last;		/* the code of the INIT record */
	uint64_t record;		/* its offset */
	const struct plain_rule *rules;	/* by address; good up to the next call */
	size_t count;
};

/**
 * Records of the module's symbol file, in `arena`; NULL if its records are in another order, its
 * policy reads them in another way or out of memory.
 */
struct plain_cfi *
plain_cfi_open(const struct rule_module *module, struct arena *arena);

/** How many INIT records there are. */
size_t
plain_cfi_count(const struct plain_cfi *plain);

/** How many INIT records begin at or below an address. */
size_t
plain_cfi_upto(const struct plain_cfi *plain, uint64_t address);

/**
 * Read INIT record `number`, in the order of addresses, with its deltas. False if one of them has
 * another form: then `records` has the code and the offset alone.
 */
bool
plain_cfi_read(struct plain_cfi *plain, size_t number, struct plain_records *records);

#endif
