/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/cfa_register.h"

#include "base/checked.h"

/* Call frame instructions (DWARF 5, 7.24) that make the CFA. */
enum {
	RESTORE_STATE = 0x0b, DEF_CFA = 0x0c, DEF_CFA_REGISTER = 0x0d, DEF_CFA_EXPRESSION = 0x0f,
	DEF_CFA_SF = 0x12,
};

/*
 * What follows an instruction: 'n' a number in LEB128, 'b' one with as many bytes behind it, a
 * digit that many bytes. NULL: unknown, or an address, whose size the entry does not say.
 */
static const char *const operands[0x40] = {
	[0x00] = "", [0x02] = "1", [0x03] = "2", [0x04] = "4", [0x05] = "nn", [0x06] = "n",
	[0x07] = "n", [0x08] = "n", [0x09] = "nn", [0x0a] = "", [RESTORE_STATE] = "",
	[DEF_CFA] = "nn", [DEF_CFA_REGISTER] = "n", [0x0e] = "n", [DEF_CFA_EXPRESSION] = "b",
	[0x10] = "nb", [0x11] = "nn", [DEF_CFA_SF] = "nn", [0x13] = "n", [0x14] = "nn",
	[0x15] = "nn", [0x16] = "nb", [0x1d] = "8", [0x2d] = "", [0x2e] = "n", [0x2f] = "nn",
};

static bool
take_number(const struct reader *code, uint64_t *at, uint64_t *value)
{
	uint8_t byte = 0x80;

	*value = 0;
	for (unsigned shift = 0; (byte & 0x80) != 0; shift += 7) {
		if (!reader_u8(code, (*at)++, &byte))
			return false;
		if (shift < 63)
			*value |= (uint64_t)(byte & 0x7f) << shift;
	}
	return true;
}

/* Go over what follows an instruction; false where it is unknown or leads out of the entry. */
static bool
skip_operands(const struct reader *code, uint8_t opcode, uint64_t *at)
{
	/* The upper two bits: an advance, a register with its offset in a number, one restored. */
	const char *operand = (opcode & 0xc0) == 0x80 ? "n" : (opcode & 0xc0) != 0 ? ""
							    : operands[opcode];
	uint64_t value;

	if (operand == NULL)
		return false;
	for (; *operand != '\0'; operand++) {
		value = (uint64_t)(*operand - '0');
		if ((*operand == 'n' || *operand == 'b') && !take_number(code, at, &value))
			return false;
		if (*operand != 'n' && !checked_within(*at, value, code->size))
			return false;
		*at += *operand != 'n' ? value : 0;
	}
	return true;
}

bool
cfa_register_find(const struct reader *code, uint64_t *start, uint64_t *end)
{
	bool by_expression = false;
	uint8_t opcode;

	for (uint64_t at = 0, begin = 0; reader_u8(code, at, &opcode); begin = at) {
		if (opcode == DEF_CFA_REGISTER && by_expression)
			return true;
		at++;
		if (!skip_operands(code, opcode, &at))
			return false;
		if (opcode == DEF_CFA_EXPRESSION) {
			by_expression = true;
			*start = begin;
			*end = at;
		} else if (opcode == DEF_CFA || opcode == DEF_CFA_SF || opcode == RESTORE_STATE) {
			by_expression = false;
		}
	}
	return false;
}
