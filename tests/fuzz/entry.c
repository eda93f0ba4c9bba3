/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libFuzzer's entry: UNSPOOL_FUZZ names the harness. CONTRIBUTING.md says how to build and run. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/harness.h"

int
LLVMFuzzerInitialize(int *count, char ***arguments);
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

static const struct harness *harness;

int
LLVMFuzzerInitialize(int *count, char ***arguments)
{
	const char *name = getenv("UNSPOOL_FUZZ");

	(void)count;
	(void)arguments;
	harness = harness_named(name != NULL ? name : "");
	if (harness == NULL)
		fuzz_fail("UNSPOOL_FUZZ names no harness");
	harness_begin(true);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size <= harness->most)
		harness->run(data, size);
	return 0;
}

/* If the harness has a mutator, half of the changes follow the format. While a finding is
 * minimised, `room` may be smaller than the input. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	size = size < room ? size : room;
	return harness->mutate != NULL && seed % 2 == 0 ? harness->mutate(data, size, room, seed / 2)
		       : LLVMFuzzerMutate(data, size, room);
}
