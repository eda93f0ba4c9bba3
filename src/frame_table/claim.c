/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/unwind_row.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"

bool
claim_is_kept(const struct arch *arch, bool windows, int reg)
{
	const struct arch_register *entry = &arch->registers[reg];

	return reg != arch->sp && reg != arch->pc &&
	       (entry->callee_saved || (windows && entry->saved_on_windows));
}

struct claim
claim_of_text(const char *text, size_t length)
{
	const uint64_t hash = hash_bytes(HASH_START, text, length);

	return (struct claim){ .kind = CLAIM_EXPRESSION,
			       .offset = (int32_t)(uint32_t)(hash ^ hash >> 32) };
}

const char *
claim_column_name(const struct arch *arch, unsigned column)
{
	if (column == CLAIM_CFA)
		return "CFA";
	return column == CLAIM_RETURN_ADDRESS ? "return address"
					      : arch->registers[column - CLAIM_REGISTER].label;
}

const char *
claim_rule_name(const struct arch *arch, unsigned column)
{
	if (column == CLAIM_CFA)
		return ".cfa";
	return column == CLAIM_RETURN_ADDRESS ? ".ra"
					      : arch->registers[column - CLAIM_REGISTER].name;
}

struct claim
claim_from_cfa(const struct arch *arch, unsigned column, const struct claim *claim,
	       const struct claim *cfa)
{
	if (column == CLAIM_CFA || claim->kind != CLAIM_RULE || cfa->kind != CLAIM_RULE ||
	    cfa->dereference || cfa->base < 0 || claim->base != cfa->base ||
	    claim->parameters != cfa->parameters)
		return *claim;
	return claim_sum(arch, column, LINEAR_CFA, (int64_t)claim->offset - cfa->offset,
			 claim->dereference);
}

/* Convert a claim relative to the CFA to a claim relative to the CFA's register. */
static struct claim
by_register(const struct arch *arch, unsigned column, const struct claim *claim,
	    const struct claim *cfa)
{
	if (column == CLAIM_CFA || claim->kind != CLAIM_RULE || claim->base != LINEAR_CFA ||
	    cfa->kind != CLAIM_RULE || cfa->dereference || cfa->parameters)
		return *claim;
	return claim_sum(arch, column, cfa->base, (int64_t)claim->offset + cfa->offset,
			 claim->dereference);
}

bool
claim_is_outermost(const struct claim *claim)
{
	return claim->kind == CLAIM_UNDEFINED ||
	       (claim->kind == CLAIM_RULE && claim->base == LINEAR_NONE && claim->offset == 0 &&
		!claim->dereference && !claim->parameters);
}

enum claim_verdict
claims_compare(const struct arch *arch, unsigned column, const struct claim *one,
	       const struct claim *one_cfa, const struct claim *other,
	       const struct claim *other_cfa)
{
	if (claim_equal(one, other))
		return CLAIMS_AGREE;
	if (one->kind == CLAIM_SILENT || other->kind == CLAIM_SILENT)
		return CLAIMS_CANNOT_SAY;
	if (column == CLAIM_RETURN_ADDRESS && claim_is_outermost(one) && claim_is_outermost(other))
		return CLAIMS_AGREE;
	const struct claim a = claim_from_cfa(arch, column, one, one_cfa);
	const struct claim b = claim_from_cfa(arch, column, other, other_cfa);
	if (claim_equal(&a, &b))
		return CLAIMS_AGREE;
	const struct claim c = by_register(arch, column, one, one_cfa);
	const struct claim d = by_register(arch, column, other, other_cfa);
	if (claim_equal(&c, &d))
		return CLAIMS_AGREE;
	/* The value of an expression is unknown, and so is the size of the callee's parameters. */
	return one->parameters || other->parameters || one->kind == CLAIM_EXPRESSION ||
			       other->kind == CLAIM_EXPRESSION
		       ? CLAIMS_CANNOT_SAY : CLAIMS_DIFFER;
}

const char *
claim_format(const struct arch *arch, unsigned column, const struct claim *claim, char *buffer,
	     size_t size)
{
	static const char *const words[] = { [CLAIM_SILENT] = "-", [CLAIM_SAME] = "s",
					     [CLAIM_UNDEFINED] = "u", [CLAIM_EXPRESSION] = "exp" };
	char sum[64];

	if (claim->kind != CLAIM_RULE) {
		snprintf(buffer, size, "%s", words[claim->kind]);
		return buffer;
	}
	if (claim->base == LINEAR_CFA) {
		snprintf(buffer, size, "%s%+" PRId32, claim->dereference ? "c" : "v",
			 claim->offset);
		return buffer;
	}
	if (claim->base >= 0 && (claim->offset != 0 || column == CLAIM_CFA))
		snprintf(sum, sizeof(sum), "%s%+" PRId32, arch->registers[claim->base].label,
			 claim->offset);
	else if (claim->base >= 0)
		snprintf(sum, sizeof(sum), "%s", arch->registers[claim->base].label);
	else
		snprintf(sum, sizeof(sum), "%" PRId32, claim->offset);
	snprintf(buffer, size, claim->dereference ? "[%s]" : "%s", sum);
	return buffer;
}

const char *
claim_expression(const struct arch *arch, const struct claim *claim, char *buffer, size_t size)
{
	const char *base = claim->base == LINEAR_CFA ? ".cfa"
			   : claim->base >= 0	     ? arch->registers[claim->base].name
						     : NULL;
	const char *read = claim->dereference ? " ^" : "";

	buffer[0] = '\0';
	if (claim->kind != CLAIM_RULE || base == NULL)
		return buffer;
	if (claim->offset == 0)
		snprintf(buffer, size, "%s%s", base, read);
	else
		snprintf(buffer, size, "%s %" PRId32 " +%s", base, claim->offset, read);
	return buffer;
}

const char *
claim_postfix(const struct arch *arch, unsigned column, const struct claim *claim, char *buffer,
	      size_t size)
{
	const char *name = claim_rule_name(arch, column);
	char expression[64];

	claim_expression(arch, claim, expression, sizeof(expression));
	buffer[0] = '\0';
	if (name == NULL)
		return buffer;
	if (claim->kind == CLAIM_SAME)
		snprintf(buffer, size, "%s: %s", name, name);
	else if (expression[0] != '\0')
		snprintf(buffer, size, "%s: %s%s", name, expression,
			 column == CLAIM_CFA && claim->offset == 0 && !claim->dereference
			 ? " 0 +" : "");
	return buffer;
}

const char *
unwind_row_expression(const struct unwind_row *row, const struct arch *arch, unsigned column,
		      struct arena *arena, const char **cannot)
{
	const struct claim *claim = &row->claims[column];
	const char *text;
	char sum[96];

	*cannot = "the row has no rule for the return address";
	if (claim->kind == CLAIM_EXPRESSION && row->expressions != NULL) {
		*cannot = row->expressions[column].cannot;
		text = row->expressions[column].text;
	} else if (claim->kind == CLAIM_RULE) {
		text = claim_expression(arch, claim, sum, sizeof(sum));
	} else {
		return NULL;
	}
	return text != NULL ? arena_string(arena, text) : NULL;
}
