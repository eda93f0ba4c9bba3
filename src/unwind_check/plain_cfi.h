/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_CHECK_PLAIN_CFI_H
#define UNWIND_CHECK_PLAIN_CFI_H

#include "rules/rule_table.h"

/**
 * STACK CFI records as writers write them: each delta after its INIT record, one space between two
 * words, and rules `NAME: BASE`, `NAME: BASE NUMBER +`, or the word there (`^`). They are read
 * without programs, so that nearly all records cost little more than their bytes.
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
	const struct plain_rule *rules;	/* by address; valid until the next call */
	size_t count;
};

/**
 * The records of the module's symbol file, in `arena`. NULL if their order differs, the policy
 * reads them in another way, or out of memory.
 */
struct plain_cfi *
plain_cfi_open(const struct rule_module *module, struct arena *arena);

/** The number of INIT records. */
size_t
plain_cfi_count(const struct plain_cfi *plain);

/** The number of INIT records that begin at or below an address. */
size_t
plain_cfi_upto(const struct plain_cfi *plain, uint64_t address);

/**
 * Read INIT record `number`, in the order of addresses, with its deltas. False if one of them has
 * another form: then `records` has only the code and the offset.
 */
bool
plain_cfi_read(struct plain_cfi *plain, size_t number, struct plain_records *records);

#endif
