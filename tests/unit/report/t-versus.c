/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/versus.h"

#include "report/report.h"
#include "tests/unit/walk/scene.h"

/* One dump with two symbol files: the differences that make a frame another one, and the others. */

#define FUNCTIONS "FILE 0 /one/a.c\nFILE 1 /two/a.c\nFILE 2 b.c\n"
#define MAIN "FUNC 1fc0 20 0 main\n1fc0 20 30 0\n"
#define CFI "STACK CFI INIT 2170 10 .cfa: $rsp 16 + .ra: .cfa -8 + ^\n"

static const struct {
	const char *title, *first, *second;
	const char *signs;		/* the signs of both frames */
} cases[] = {
	{ "two frames with the same symbols are equal", "FUNC 2170 10 0 leaf\n2170 10 7 0\n", "FUNC 2170 10 0 leaf\n2170 10 7 0\n", "==" },
	{ "another line of the function is a changed frame", "FUNC 2170 10 0 leaf\n2170 10 7 0\n",
	  "FUNC 2170 10 0 leaf\n2170 10 8 0\n", "~=" },
	{ "a source file of the same name in another folder makes no difference", "FUNC 2170 10 0 leaf\n2170 10 7 0\n",
	  "FUNC 2170 10 0 leaf\n2170 10 7 1\n", "==" },
	{ "another source file is a changed frame", "FUNC 2170 10 0 leaf\n2170 10 7 0\n", "FUNC 2170 10 0 leaf\n2170 10 7 2\n", "~=" },
	{ "another function is another frame", "FUNC 2170 10 0 leaf\n2170 10 7 0\n", "FUNC 2170 10 0 twig\n2170 10 7 0\n", "<>=" },
	{ "functions without lines are equal at the same distance", "FUNC 2170 10 0 leaf\n", "FUNC 2170 10 0 leaf\n", "==" },
	{ "functions without lines are changed at another distance", "FUNC 2170 10 0 leaf\n", "FUNC 2174 c 0 leaf\n", "~=" },
	{ "frames without a name are equal at the same place", "", "", "==" },
};

static void
play(struct staged *staged, const char *records)
{
	char symbols[512];
	const struct scene scene = {
		ARCH_AMD64, CRASH_OS_LINUX, .registers = "rip=402178 rsp=8000", .stack = 0x8000,
		.memory = "8008=401fcf", .modules = { { 0x400000, 0x4000, "app", symbols } },
	};

	snprintf(symbols, sizeof(symbols), FUNCTIONS MAIN "%s" CFI, records);
	scene_play_limited(staged, &scene, POLICY_UNSPOOL, 2);
}

static void
test_case(size_t index)
{
	struct staged staged[2];
	struct arena arena = { 0 };
	char signs[8] = "";

	play(&staged[0], cases[index].first);
	play(&staged[1], cases[index].second);
	const struct versus *versus = versus_compare(&(struct versus_side){ .walk = staged[0].walk },
						     &(struct versus_side){ .walk = staged[1].walk }, &arena);
	for (size_t i = 0; versus != NULL && i < versus->frames.count && i < 7; i++)
		signs[i] = versus->frames.pairs[i].sign;
	is_str(signs, cases[index].signs, "%s", cases[index].title);
	ok(versus != NULL && !versus->cut, "all frames are compared");
	arena_free(&arena);
	scene_close(&staged[0]);
	scene_close(&staged[1]);
}

/* Threads of one dump and their counterparts in another. */
static void
test_threads(void)
{
	static const char worker[] = "worker", idle[] = "idle";
	struct thread first[] = { { .id = 1, .name = worker }, { .id = 2, .name = idle },
				  { .id = 3 }, { .id = 4 } };
	struct thread second[] = { { .id = 3 }, { .id = 9, .name = worker },
				   { .id = 2, .name = worker }, { .id = 8, .name = idle } };
	struct crash one = { .threads = first, .thread_count = 4, .requesting_thread = -1 };
	struct crash other = { .threads = second, .thread_count = 4, .requesting_thread = -1 };
	size_t found = 99;

	ok(versus_thread(&one, 1, &other, &found) && found == 3, "a name that one thread of either dump has leads to it");
	ok(versus_thread(&one, 2, &other, &found) && found == 0, "a thread without a counterpart of its name is paired by its id");
	ok(!versus_thread(&one, 0, &other, &found), "a name that two threads have leads nowhere, nor does an id that none has");
	ok(!versus_thread(&one, 3, &other, &found), "a thread without a name has no counterpart if its id has none");
	one.requesting_thread = 0;
	ok(versus_thread(&one, 1, &other, &found) && found == 3 && !versus_thread(&one, 0, &other, &found),
	   "the crashed thread of one dump alone decides nothing");
	other.requesting_thread = 2;
	ok(versus_thread(&one, 0, &other, &found) && found == 2, "crashed threads are paired, even if their names differ");
	ok(versus_thread(&one, 1, &other, &found) && found == 3, "another thread than the crashed one is not paired with it");
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++)
		test_case(i);
	test_threads();
	return done_testing();
}
