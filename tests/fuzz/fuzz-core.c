/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libFuzzer's entry for dumps, ELF cores above all: everything that a crash can show, of one input.
 * CONTRIBUTING.md says how it is built and run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "dump/dump.h"
#include "tests/fault/damage.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct crash crash;
	struct error error = { 0 };

	if (dump_from_memory(&crash, "fuzz", data, size, 0, &error) == ERROR_NONE) {
		const char *wrong = damage_look(&crash, "/nonexistent", false);

		if (wrong != NULL) {
			fprintf(stderr, "%s\n", wrong);
			abort();
		}
	}
	crash_free(&crash);
	return 0;
}
