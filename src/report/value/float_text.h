/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef REPORT_VALUE_FLOAT_TEXT_H
#define REPORT_VALUE_FLOAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of the longest text of a floating-point number, and of the longest number. */
enum { FLOAT_TEXT = 64, FLOAT_BYTES = 16 };

/**
 * Write a floating-point number with the fewest digits that identify it, as gdb does:
 * "0.100000001", "-inf", "nan(0x400000)". `bytes` are `size` of them, least significant first; the
 * type's `name` distinguishes the two formats of two bytes; `x87`: more than eight bytes are an x87
 * number. False if the format is none of these, or the C library lacks it.
 */
bool
float_text(const uint8_t *bytes, size_t size, const char *name, bool x87, char text[FLOAT_TEXT]);

#endif
