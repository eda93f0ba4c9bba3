/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/dwarf_operation.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"

/* Operations by code. The operations litN, regN and bregN have only a row for N = 0. */
static const struct dwarf_operation operations[UINT8_MAX + 1] = {
#define OPERATION(id, code, name, operands, pops, pushes, does, postfix) \
	[code] = { code, name, operands, pops, pushes, DWARF_DOES_##does, postfix },
#include "frame_table/dwarf_operation.def"
#undef OPERATION
};

/* The operation of a code, or NULL. Sets `*number` to N for litN, regN and bregN, else to 0. */
static const struct dwarf_operation *
dwarf_operation_of(uint8_t code, uint64_t *number)
{
	const bool numbered = code >= DWARF_OP_LIT && code < DWARF_OP_BREG + 32;

	*number = numbered ? (code - DWARF_OP_LIT) % 32u : 0;
	const struct dwarf_operation *operation = &operations[code - *number];
	return operation->name != NULL ? operation : NULL;
}

static bool
read_leb(const struct reader *code, uint64_t *at, bool is_signed, uint64_t *value)
{
	uint8_t byte = 0x80;
	unsigned shift = 0;

	*value = 0;
	for (; (byte & 0x80) != 0; shift += 7) {
		if (!reader_u8(code, (*at)++, &byte))
			return false;
		if (shift < 64)
			*value |= (uint64_t)(byte & 0x7f) << shift;
	}
	if (is_signed && shift < 64 && (byte & 0x40) != 0)
		*value |= UINT64_MAX << shift;
	return true;
}

static bool
read_fixed(const struct reader *code, uint64_t *at, unsigned size, bool is_signed, uint64_t *value)
{
	if (!reader_unsigned(code, *at, size, value))
		return false;
	*at += size;
	if (is_signed)
		*value = checked_extend(*value, 8 * size);
	return true;
}

static bool
read_block(const struct reader *code, uint64_t *at, uint64_t size, struct reader *block)
{
	if (!reader_window(code, *at, size, block))
		return false;
	*at += size;
	return true;
}

static bool
read_operand(const struct dwarf_expression *expression, char letter, uint64_t *at,
	     uint64_t *value, struct reader *block)
{
	const struct reader *code = &expression->code;

	switch (letter) {
	case '1':
	case '2':
	case '4':
	case '8':
		return read_fixed(code, at, (unsigned)(letter - '0'), false, value);
	case 'b':
		return read_fixed(code, at, 1, true, value);
	case 'h':
		return read_fixed(code, at, 2, true, value);
	case 'w':
		return read_fixed(code, at, 4, true, value);
	case 'd':
		return read_fixed(code, at, 8, true, value);
	case 'a':
		return read_fixed(code, at, expression->word, false, value);
	case 'o':		/* DWARF 2 writes references as addresses */
		return read_fixed(code, at, expression->version < 3 ? expression->word
								    : expression->offset_size,
				  false, value);
	case 'k':
		return read_leb(code, at, false, value) && read_block(code, at, *value, block);
	case 't':
		return read_fixed(code, at, 1, false, value) && read_block(code, at, *value, block);
	default:
		return read_leb(code, at, letter == 's', value);
	}
}

const struct dwarf_operation *
dwarf_operation_read(const struct dwarf_expression *expression, uint64_t *at,
		     struct dwarf_operands *operands)
{
	size_t count = 0;
	uint8_t code;

	*operands = (struct dwarf_operands){ .known = true };
	if (!reader_u8(&expression->code, (*at)++, &code))
		return NULL;
	const struct dwarf_operation *operation = dwarf_operation_of(code, &operands->numbers[0]);
	operands->known = operation != NULL;
	if (operation == NULL)
		return NULL;
	if (operation->code == DWARF_OP_BREG)
		count = 1;
	for (const char *letter = operation->operands; *letter != '\0'; letter++, count++)
		if (!read_operand(expression, *letter, at, &operands->numbers[count],
				  &operands->block))
			return NULL;
	return operation;
}

/* Maximum number of levels of nested expressions that are written as text. */
#define NESTED 2u

static const char *
write_expression(const struct dwarf_expression *expression, const struct arch *arch,
		 unsigned depth, struct arena *arena);

static const char *
write_operation(const struct dwarf_operation *operation, const struct dwarf_operands *operands,
		const struct dwarf_expression *expression, const struct arch *arch, unsigned depth,
		struct arena *arena)
{
	const size_t count = strlen(operation->operands);
	const int64_t first = (int64_t)operands->numbers[0], second = (int64_t)operands->numbers[1];
	struct dwarf_expression inner = *expression;

	switch (operation->code) {
	case DWARF_OP_LIT:
	case DWARF_OP_REG:
		return arena_format(arena, "%s%" PRId64, operation->name, first);
	case DWARF_OP_BREG:
		return arena_format(arena, "%s%" PRId64 " %" PRId64, operation->name, first,
				    second);
	case DWARF_OP_ENTRY_VALUE:
	case DWARF_OP_GNU_ENTRY_VALUE:
		inner.code = operands->block;
		return arena_format(
			arena, "%s (%s)", operation->name,
			text_or_empty(write_expression(&inner, arch, depth - 1, arena)));
	default:
		return count == 0   ? operation->name
		       : count == 1 ? arena_format(arena, "%s %" PRId64, operation->name, first)
				    : arena_format(arena, "%s %" PRId64 " %" PRId64,
						   operation->name, first, second);
	}
}

/* The name of the register whose complete value an operation uses, or NULL. */
static const char *
register_name(const struct dwarf_operation *operation, const struct dwarf_operands *operands,
	      const struct arch *arch, struct arena *arena)
{
	const uint64_t number = operands->numbers[0];

	if (operation == NULL || number > INT32_MAX ||
	    (operation->code != DWARF_OP_REG && operation->code != DWARF_OP_REGVAL_TYPE &&
	     operation->code != DWARF_OP_GNU_REGVAL_TYPE))
		return NULL;
	const int reg = arch_dwarf_register(arch, (int)number);
	const struct arch_wide wide = arch_wide(arch, number);

	if (reg != ARCH_NO_REGISTER)
		return arch_spelled(arch, reg);
	return wide.bank != NULL ? arena_format(arena, "$%s", arch_wide_label(wide).text) : NULL;
}

#define MOST_TEXT 400u

static const char *
write_expression(const struct dwarf_expression *expression, const struct arch *arch,
		 unsigned depth, struct arena *arena)
{
	const char *text = "";
	struct dwarf_operands operands;
	uint64_t at = 0;

	if (depth == 0)
		return "...";
	while (text != NULL && at < expression->code.size) {
		const struct dwarf_operation *operation =
			dwarf_operation_read(expression, &at, &operands);
		const char *more = register_name(operation, &operands, arch, arena);

		if (more == NULL)
			more = operation != NULL && strlen(text) < MOST_TEXT
				       ? write_operation(operation, &operands, expression, arch,
							 depth, arena) : "...";
		if (more == NULL)
			return NULL;
		text = arena_format(arena, "%s%s%s", text, *text != '\0' ? "; " : "", more);
		if (operation == NULL || (text != NULL && strlen(text) >= MOST_TEXT))
			break;
	}
	return text;
}

const char *
dwarf_operation_text(const struct dwarf_operation *operation, const struct dwarf_operands *operands,
	       const struct dwarf_expression *expression, const struct arch *arch,
	       struct arena *arena)
{
	return write_operation(operation, operands, expression, arch, NESTED, arena);
}

const char *
dwarf_expression_text(const struct dwarf_expression *expression, const struct arch *arch,
	      struct arena *arena)
{
	return write_expression(expression, arch, NESTED, arena);
}
