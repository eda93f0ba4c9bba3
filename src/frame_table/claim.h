/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_CLAIM_H
#define FRAME_TABLE_CLAIM_H

#include <stddef.h>
#include <string.h>

#include "crash/arch.h"
#include "frame_table/linear.h"

/**
 * A claim is the rule of one source of unwind rules for one register at one address, in 64 bits.
 *
 * Equal claims have equal bytes, so sources and rows can be compared as memory. If a source does
 * not mention a register that calls preserve, it claims that the register is unchanged. For other
 * registers it is silent.
 */
enum claim_kind {
	CLAIM_SILENT,		/* the source has no rule */
	CLAIM_SAME,		/* the register still holds the caller's value */
	CLAIM_UNDEFINED,	/* the caller's value is lost; for a return address: no caller */
	CLAIM_RULE,		/* base plus offset, or the word there */
	CLAIM_EXPRESSION,	/* anything else; `offset` distinguishes expressions */
};

struct claim {
	uint8_t kind;		/* enum claim_kind */
	bool dereference;	/* the word at base plus offset */
	bool parameters;	/* plus the bytes of the callee's parameters */
	int8_t base;		/* register number, LINEAR_CFA or LINEAR_NONE */
	int32_t offset;		/* of CLAIM_EXPRESSION: a checksum, or its offset in the source */
};

_Static_assert(sizeof(struct claim) == sizeof(uint64_t), "a claim has no bytes between members");

static inline bool
claim_equal(const struct claim *one, const struct claim *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

/** Columns of a row of claims: these two, then register n in column CLAIM_REGISTER + n. */
enum {
	CLAIM_CFA,
	CLAIM_RETURN_ADDRESS,
	CLAIM_REGISTER,
	CLAIM_COLUMNS = CLAIM_REGISTER + ARCH_REGISTERS,
};

static inline unsigned
claim_columns(const struct arch *arch)
{
	return CLAIM_REGISTER + (unsigned)arch->register_count;
}

/** Whether calls preserve a register; `windows`: by the ABI of 64-bit Windows. */
bool
claim_is_kept(const struct arch *arch, bool windows, int reg);

/** "CFA", "return address" or the register's label. */
const char *
claim_column_name(const struct arch *arch, unsigned column);

/** The name of a column's rule: ".cfa", ".ra" or the register's; NULL: it has none. */
const char *
claim_rule_name(const struct arch *arch, unsigned column);

/**
 * A sum as a claim of a column; offsets of 32-bit architectures wrap. A sum of 2 GiB or more, which
 * no frame has, is an expression.
 */
static inline struct claim
claim_sum(const struct arch *arch, unsigned column, int base, int64_t offset, bool dereference)
{
	if (arch->word_size == 4)
		offset = (int32_t)(uint32_t)(uint64_t)offset;
	if (column >= CLAIM_REGISTER && base == (int)column - CLAIM_REGISTER && offset == 0 &&
	    !dereference)
		return (struct claim){ .kind = CLAIM_SAME };
	return (struct claim){
		.kind = offset == (int32_t)offset ? CLAIM_RULE : CLAIM_EXPRESSION,
		.dereference = dereference, .base = (int8_t)base, .offset = (int32_t)offset };
}

/** The claim for an expression that is not a sum, made from the expression's text. */
struct claim
claim_of_text(const char *text, size_t length);

/**
 * Convert a claim relative to the CFA's register to a claim relative to the CFA. Other claims are
 * returned unchanged.
 */
struct claim
claim_from_cfa(const struct arch *arch, unsigned column, const struct claim *claim,
	       const struct claim *cfa);

/** Whether a return address's claim is undefined or 0: its function has no caller. */
bool
claim_is_outermost(const struct claim *claim);

enum claim_verdict {
	CLAIMS_AGREE,
	CLAIMS_DIFFER,
	CLAIMS_CANNOT_SAY,	/* one of the claims is silent, or an expression */
};

/**
 * Compare two claims of a column, each with its own row's claim for the CFA. Claims that are
 * equal relative to the CFA agree even if the CFAs differ.
 */
enum claim_verdict
claims_compare(const struct arch *arch, unsigned column, const struct claim *one,
	       const struct claim *one_cfa, const struct claim *other,
	       const struct claim *other_cfa);

/** A claim as `readelf -wF` writes it: "rsp+16", "c-8", "[rbx+8]", "s", "u", "exp". */
const char *
claim_format(const struct arch *arch, unsigned column, const struct claim *claim, char *buffer,
	     size_t size);

/** A sum in postfix: ".cfa -16 + ^"; "": not a sum, or postfix cannot express the sum. */
const char *
claim_expression(const struct arch *arch, const struct claim *claim, char *buffer, size_t size);

/** A claim as a rule of STACK CFI: "$rbx: .cfa -16 + ^"; "" if STACK CFI cannot express it. */
const char *
claim_postfix(const struct arch *arch, unsigned column, const struct claim *claim, char *buffer,
	      size_t size);

#endif
