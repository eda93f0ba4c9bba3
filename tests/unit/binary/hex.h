/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_BINARY_HEX_H
#define TESTS_UNIT_BINARY_HEX_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** Read pairs of hex digits, with or without blanks between them; returns how many bytes. */
static inline size_t
bytes_of(const char *hex, uint8_t *bytes, size_t room)
{
	size_t count = 0;

	while (count < room) {
		char pair[3] = { 0 };

		while (*hex == ' ')
			hex++;
		if (hex[0] == '\0' || hex[1] == '\0')
			break;
		pair[0] = hex[0];
		pair[1] = hex[1];
		bytes[count++] = (uint8_t)strtoul(pair, NULL, 16);
		hex += 2;
	}
	return count;
}

#endif
