/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/dwarf_number.h"

#include <string.h>

uint64_t
dwarf_number_cut(uint64_t value, enum dwarf_number_kind kind, unsigned size)
{
	const unsigned unused = size >= 8 ? 0 : 64 - 8 * size;

	if (kind == NUMBER_SIGNED)
		return (uint64_t)((int64_t)(value << unused) >> unused);
	return value << unused >> unused;
}

int64_t
dwarf_number_signed(const struct dwarf_number *number)
{
	return (int64_t)dwarf_number_cut(number->value, NUMBER_SIGNED, number->size);
}

static bool
compute_float(const struct dwarf_number *left, const struct dwarf_number *right,
	      uint8_t code, uint64_t *value)
{
	double one, other;
	float narrow;

	if (left->size == 4) {
		uint32_t bits = (uint32_t)left->value, more = (uint32_t)right->value;
		memcpy(&narrow, &bits, 4);
		one = (double)narrow;
		memcpy(&narrow, &more, 4);
		other = (double)narrow;
	} else if (left->size == 8) {
		memcpy(&one, &left->value, 8);
		memcpy(&other, &right->value, 8);
	} else {
		return false;
	}
	switch (code) {
	case DWARF_OP_PLUS:
		one += other;
		break;
	case DWARF_OP_MINUS:
		one -= other;
		break;
	case DWARF_OP_MUL:
		one *= other;
		break;
	case DWARF_OP_DIV:
		one /= other;
		break;
	default:
		return false;
	}
	*value = 0;
	narrow = (float)one;
	memcpy(value, left->size == 4 ? (const void *)&narrow : (const void *)&one, left->size);
	if (left->size == 4) {
		uint32_t bits;
		memcpy(&bits, &narrow, 4);
		*value = bits;
	}
	return true;
}

/* Logical shifts by at least the number's width give 0. */
static uint64_t
shift(const struct dwarf_number *left, const struct dwarf_number *right, uint8_t code)
{
	const uint64_t by = right->value, bits = 8 * (uint64_t)left->size;

	if (code == DWARF_OP_SHRA)
		return (uint64_t)(dwarf_number_signed(left) >> (by < 63 ? by : 63));
	if (by >= bits)
		return 0;
	return code == DWARF_OP_SHL
		       ? left->value << by
		       : dwarf_number_cut(left->value, NUMBER_UNSIGNED, left->size) >> by;
}

static bool
compare(const struct dwarf_number *left, const struct dwarf_number *right, uint8_t code)
{
	const bool is_unsigned = left->kind == NUMBER_UNSIGNED;
	const int64_t one = dwarf_number_signed(left), other = dwarf_number_signed(right);
	const bool less = is_unsigned ? left->value < right->value : one < other;
	const bool equal = dwarf_number_cut(left->value, NUMBER_UNSIGNED, left->size) ==
			   dwarf_number_cut(right->value, NUMBER_UNSIGNED, right->size);

	switch (code) {
	case DWARF_OP_EQ:
		return equal;
	case DWARF_OP_NE:
		return !equal;
	case DWARF_OP_LT:
		return less;
	case DWARF_OP_LE:
		return less || equal;
	case DWARF_OP_GT:
		return !less && !equal;
	default:
		return !less;
	}
}

/* Division is unsigned only for unsigned types; the remainder is signed only for signed types. */
static bool
divide(const struct dwarf_number *left, const struct dwarf_number *right, uint8_t code,
       uint64_t *value)
{
	const int64_t one = dwarf_number_signed(left), other = dwarf_number_signed(right);

	if (dwarf_number_cut(right->value, NUMBER_UNSIGNED, right->size) == 0)
		return false;
	if (code == DWARF_OP_MOD && left->kind != NUMBER_SIGNED)
		*value = dwarf_number_cut(left->value, NUMBER_UNSIGNED, left->size) %
			 dwarf_number_cut(right->value, NUMBER_UNSIGNED, right->size);
	else if (code == DWARF_OP_MOD)
		*value = other == -1 ? 0 : (uint64_t)(one % other);
	else if (left->kind == NUMBER_UNSIGNED)
		*value = left->value / right->value;
	else
		*value = other == -1 ? 0 - (uint64_t)one : (uint64_t)(one / other);
	return true;
}

const char *
dwarf_number_compute(uint8_t code, const struct dwarf_number *right, unsigned word,
			struct dwarf_number *left)
{
	const bool compares = code >= DWARF_OP_EQ && code <= DWARF_OP_NE;
	uint64_t value = 0;

	if (left->kind == NUMBER_FLOAT) {
		if (right->kind != NUMBER_FLOAT || right->size != left->size ||
		    !compute_float(left, right, code, &value))
			return "the expression computes with floating-point numbers";
	} else if (code == DWARF_OP_DIV || code == DWARF_OP_MOD) {
		if (!divide(left, right, code, &value))
			return "the expression divides by zero";
	} else if (compares) {
		value = compare(left, right, code);
	} else {
		value = code == DWARF_OP_PLUS	  ? left->value + right->value
			: code == DWARF_OP_MINUS ? left->value - right->value
			: code == DWARF_OP_MUL	  ? left->value * right->value
			: code == DWARF_OP_AND	  ? left->value & right->value
			: code == DWARF_OP_OR	  ? left->value | right->value
			: code == DWARF_OP_XOR	  ? left->value ^ right->value
						  : shift(left, right, code);
	}
	left->value = value;
	if (compares) {
		left->kind = NUMBER_GENERIC;
		left->size = word;
	}
	return NULL;
}

static double
float_of(const struct dwarf_number *number)
{
	const uint32_t bits = (uint32_t)number->value;
	double wide;
	float narrow;

	memcpy(&wide, &number->value, sizeof(wide));
	memcpy(&narrow, &bits, sizeof(narrow));
	return number->size == 4 ? (double)narrow : wide;
}

static uint64_t
bits_of(double value, unsigned size)
{
	const float narrow = (float)value;
	uint64_t bits = 0;
	uint32_t few;

	memcpy(&few, &narrow, sizeof(few));
	memcpy(&bits, &value, sizeof(bits));
	return size == 4 ? few : bits;
}

uint64_t
dwarf_number_convert(const struct dwarf_number *from, const struct dwarf_number *to)
{
	if (from->kind == NUMBER_FLOAT && to->kind == NUMBER_FLOAT)
		return bits_of(float_of(from), to->size);
	if (to->kind == NUMBER_FLOAT)
		return bits_of(from->kind == NUMBER_SIGNED ? (double)dwarf_number_signed(from)
							   : (double)from->value, to->size);
	if (from->kind != NUMBER_FLOAT)
		return from->value;
	const double value = float_of(from);
	if (value >= 9.2e18)
		return value < 1.8e19 ? (uint64_t)value : UINT64_MAX;
	return value > -9.2e18 ? (uint64_t)(int64_t)value : (uint64_t)INT64_MIN;
}
