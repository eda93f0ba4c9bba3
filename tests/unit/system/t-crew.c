/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/crew.h"

#include <stdatomic.h>

#include "tests/lib/tap.h"

/* Items of several threads are finished one at a time, in their order, and few are begun early. */

#define ITEMS 500u
#define AHEAD 5u

struct run {
	atomic_uint finishing, finished;
	size_t results[AHEAD];
	unsigned early, disordered, together;
};

static void
square(void *context, size_t item)
{
	struct run *run = context;
	volatile size_t sum = 0;

	if (item >= atomic_load(&run->finished) + AHEAD)
		run->early++;
	/* Items take different times: every seventh a long one. */
	for (size_t i = 0; i < (item % 7 == 0 ? 20000u : 10u); i++)
		sum += i;
	(void)sum;
	run->results[item % AHEAD] = item * item;
}

static void
finish(void *context, size_t item)
{
	struct run *run = context;

	run->together += atomic_fetch_add(&run->finishing, 1);
	run->disordered += item != atomic_load(&run->finished) || run->results[item % AHEAD] != item * item;
	atomic_fetch_add(&run->finished, 1);
	atomic_fetch_sub(&run->finishing, 1);
}

int
main(void)
{
	static const size_t members[] = { 1, 2, 7, 64 };

	for (size_t i = 0; i < ARRAY_COUNT(members); i++) {
		struct run run = { .early = 0 };
		ok(crew_run_in_order(members[i], ITEMS, AHEAD, square, finish, &run), "%zu members run", members[i]);
		is_u64(run.finished, ITEMS, "every item is finished once");
		is_u64(run.disordered, 0, "in their order, with their results");
		is_u64(run.together, 0, "one at a time");
		is_u64(run.early, 0, "no item is begun too early");
	}
	return done_testing();
}
