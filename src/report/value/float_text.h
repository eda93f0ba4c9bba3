/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_FLOAT_TEXT_H
#define REPORT_VALUE_FLOAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of the longest text of a floating-point number, and of the longest number. */
enum { FLOAT_TEXT = 64, FLOAT_BYTES = 16 };

/**
 * Write a floating-point number with as many digits as tell it from any other, as gdb does:
 * "0.100000001", "-inf", "nan(0x400000)". `bytes` are `size` of them, least significant first;
 * `name` is the type's, which tells the two formats of two bytes apart; `x87` says that more than
 * eight bytes hold one of the x87's. False if the format is none of those, or the C library lacks
 * it.
 */
bool
float_text(const uint8_t *bytes, size_t size, const char *name, bool x87, char text[FLOAT_TEXT]);

#endif
