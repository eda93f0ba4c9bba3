/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_REPORT_SCENE_H
#define TESTS_UNIT_REPORT_SCENE_H

#include "dump/dump.h"
#include "report/stack/stack.h"
#include "tests/lib/folder.h"
#include "tests/lib/synth.h"

/**
 * A small crash for the tests of listings: three frames, the first with two inlined calls.
 *
 *	0  00401015  crash, which inlines middle, which inlines leaf (inner.h:3)
 *	1  00401110  main (app.c:30)
 *	2  00401205  start, a PUBLIC without lines
 *
 * The stack is 0012f000 to 0012f05f. Threads in the file: a worker, the crashed one, and
 * the one that wrote the dump. The symbol file is written to a folder of its own.
 */
static const char scene_symbols[] =
	"MODULE windows x86 5A9832E5287241C1838ED98914E9B7FF1 app.pdb\n"	/* 1 */
	"FILE 0 c:\\src\\app.c\n"						/* 2 */
	"FILE 1 c:\\src\\inner.h\n"						/* 3 */
	"INLINE_ORIGIN 0 leaf\n"						/* 4 */
	"INLINE_ORIGIN 1 middle\n"						/* 5 */
	"FUNC 1000 40 0 crash\n"						/* 6 */
	"INLINE 0 20 0 1 1010 10\n"						/* 7 */
	"INLINE 1 7 1 0 1014 8\n"						/* 8 */
	"1000 10 18 0\n"							/* 9 */
	"1010 10 3 1\n"								/* 10 */
	"1020 20 22 0\n"							/* 11 */
	"FUNC 1100 40 0 main\n"							/* 12 */
	"1100 40 30 0\n"							/* 13 */
	"FUNC bad\n"								/* 14 */
	"PUBLIC 1200 0 start\n"							/* 15 */
	"STACK CFI INIT 1000 40 .cfa: $ebp 8 + .ra: .cfa 4 - ^ $ebp: $ebp ^\n"	/* 16 */
	"STACK CFI INIT 1100 40 .cfa: $ebp 8 + .ra: .cfa 4 - ^ $ebp: $ebp ^\n";	/* 17 */

static const uint32_t scene_stack[24] = {
	0x64636261,	/* 12f000, esp of 0: the text "abcd" */
	0x00401130,	/* 12f004: looks like code of main */
	0x0012f018,	/* 12f008, ebp of 0: saved ebp */
	0x00401110,	/* 12f00c: return to main + 0x10 */
	0x0012f004,	/* 12f010, esp of 1: points into frame 0 */
	0x00000000,	/* 12f014 */
	0x00000000,	/* 12f018, ebp of 1 */
	0x00401205,	/* 12f01c: return to start + 0x5 */
};

struct scene {
	struct crash crash;
	uint8_t *bytes;
	const char *paths[1];
	struct symbols *symbols;
	struct walk *walk;		/* the complete walk of the crashed thread */
	struct walk *walks[3];
	bool open[3];
	struct stack_state stack;
	struct arena arena;
	struct row row;
};

/** Adds to the crash; NULL: nothing. */
static void (*scene_more)(struct synth *synth);

static inline void
scene_describe(struct synth *synth)
{
	const uint64_t registers[10] = { 0x401015, 0x12f000, 0x12f008 };
	const void *stack = synth_words32(synth, scene_stack, ARRAY_COUNT(scene_stack));

	synth_module(synth, 0x77000000, 0x1000, "c:\\windows\\other.dll", NULL, NULL);
	synth_module(synth, 0x400000, 0x3000, "c:\\app.exe", "c:\\app.pdb", "5A9832E5287241C1838ED98914E9B7FF1");
	synth_unloaded(synth, 0x10000000, 0x2000, "c:\\gone.dll", 1);
	synth_thread(synth, 0x20, registers, 0x13f000, stack, sizeof(scene_stack));
	synth_thread_name(synth, 0x20, "worker");
	synth_thread(synth, 0xbf4, registers, 0x12f000, stack, sizeof(scene_stack));
	synth_thread(synth, 0x30, registers, 0x14f000, stack, sizeof(scene_stack));
	synth_exception(synth, 0xbf4, 0xc0000005, 0, 0x45);
	synth_exception_registers(synth, registers);
	synth_breakpad(synth, 3, 0x30, 0xbf4);
	if (scene_more != NULL)
		scene_more(synth);
}

static inline void
scene_write_symbols(struct scene *scene)
{
	if (!folder_make())
		exit(1);
	scene->paths[0] = put_text("app.sym", scene_symbols);
}

/** Make the crash, its symbols and the walk of its crashed thread. */
static inline void
scene_open(struct scene *scene)
{
	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	struct error error;
	size_t size;

	*scene = (struct scene){ 0 };
	scene_describe(synth);
	scene->bytes = synth_finish(synth, &size);
	synth_free(synth);
	dump_from_memory(&scene->crash, "/crashes/test.dmp", scene->bytes, size, 0, &error);
	scene_write_symbols(scene);
	scene->symbols = symbols_create(scene->crash.modules, scene->crash.module_count, scene->paths, 1);
	scene->walk = walk_create(&scene->crash, scene->symbols, NULL, 1, &policy);
	walk_run(scene->walk, 0);
	scene->walks[1] = scene->walk;
	scene->open[1] = true;
	scene->stack = (struct stack_state){ .crash = &scene->crash, .walks = scene->walks, .open = scene->open, .expand_inlined = true };
	arena_init(&scene->arena, 0);
	row_init(&scene->row, &scene->arena);
}

static inline void
scene_close(struct scene *scene)
{
	stack_state_free(&scene->stack);
	walk_free(scene->walk);
	symbols_free(scene->symbols);
	crash_free(&scene->crash);
	free(scene->bytes);
	arena_free(&scene->arena);
	folder_remove();
}

/** The text of a row; valid until the next call. */
static inline const char *
scene_row(struct scene *scene, const struct listing *listing, size_t index, size_t columns)
{
	row_clear(&scene->row);
	listing_fill(listing, index, columns, &scene->row);
	return row_text(&scene->row);
}

/** The explanation of a row; valid until the next call. */
static inline const char *
scene_explain(struct scene *scene, const struct listing *listing, size_t index)
{
	row_clear(&scene->row);
	listing_explain(listing, index, &scene->row);
	return row_text(&scene->row);
}

/** A row with text at both edges of 80 columns. */
static inline const char *
scene_edges(struct scene *scene, const char *left, const char *right)
{
	return arena_format(&scene->arena, "%-*s%s", 80 - (int)strlen(right), left, right);
}

#endif
