/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * time-walk DUMP SYMBOLS: nanoseconds per frame of the engine alone, with loaded symbols.
 *
 *	walk		the walk of the requesting thread, without a cache
 *	print		all its frames in Breakpad's machine form, discarded
 *	again		every step once more
 *	recorded	every step with a recorder; its first use reads the places of records
 *	recorded-again	the recorded steps once more
 *
 * Each line has the median of several runs.
 */
#include <inttypes.h>

#include "base/compiler.h"
#include "dump/dump.h"
#include "report/stack/walk_text.h"
#include "tests/bench/bench.h"

#define RUNS 9

enum figure { WALK, PRINT, AGAIN, RECORDED, RECORDED_AGAIN, FIGURE_COUNT };

static const char *const figures[FIGURE_COUNT] = { "walk", "print", "again", "recorded",
						   "recorded-again" };

struct timing {
	struct crash crash;
	struct symbols *symbols;
	size_t thread, frames, events;
	uint64_t taken[FIGURE_COUNT][RUNS];
};

static void
swallow(void *context, const char *bytes, size_t length)
{
	size_t *written = context;

	(void)bytes;
	*written += length;
}

static void
print_walk(struct timing *timing, struct walk *walk)
{
	size_t written = 0;
	const struct output output = { .write = swallow, .context = &written };
	const struct walk_text_thread thread = { .index = timing->thread, .requesting = true };
	struct walk_text_options options = { .machine = true };

	options.walked = calloc(timing->crash.module_count + 1, sizeof(*options.walked));
	if (options.walked != NULL)
		walk_text_thread(&output, walk, &thread, &options);
	free(options.walked);
}

/* All steps of a walk, each recorded anew if there is a trace. */
static void
step_all(struct timing *timing, struct walk *walk, struct trace *trace)
{
	struct frame caller;
	struct verdict verdict;

	timing->events = 0;
	for (size_t i = 0; i < walk->count; i++) {
		unwind_step(walk, i, trace, &caller, &verdict);
		if (trace != NULL) {
			timing->events += trace->count;
			trace_reset(trace);
		}
	}
}

static void
time_once(struct timing *timing, size_t run, const struct policy *policy)
{
	uint64_t times[FIGURE_COUNT + 1];
	struct trace trace;

	trace_init(&trace);
	times[WALK] = now(CLOCK_PROCESS_CPUTIME_ID);
	struct walk *walk = walk_create(&timing->crash, timing->symbols, NULL, timing->thread, policy);
	if (walk == NULL)
		exit(1);
	walk_run(walk, 0);
	timing->frames = walk->count;
	times[PRINT] = now(CLOCK_PROCESS_CPUTIME_ID);
	print_walk(timing, walk);
	times[AGAIN] = now(CLOCK_PROCESS_CPUTIME_ID);
	step_all(timing, walk, NULL);
	times[RECORDED] = now(CLOCK_PROCESS_CPUTIME_ID);
	step_all(timing, walk, &trace);
	times[RECORDED_AGAIN] = now(CLOCK_PROCESS_CPUTIME_ID);
	step_all(timing, walk, &trace);
	times[FIGURE_COUNT] = now(CLOCK_PROCESS_CPUTIME_ID);
	for (size_t i = 0; i < FIGURE_COUNT; i++)
		timing->taken[i][run] = times[i + 1] - times[i];
	walk_free(walk);
	trace_free(&trace);
}

static int
compare(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

static void
load_symbols(struct timing *timing)
{
	for (size_t i = 0; i < timing->crash.module_count; i++)
		symbols_load(timing->symbols, i);
}

int
main(int argc, char **argv)
{
	static struct timing timing;
	struct error error = { 0 };
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	if (argc != 3) {
		fprintf(stderr, "usage: time-walk DUMP SYMBOLS\n");
		return 2;
	}
	if (dump_open(&timing.crash, argv[1], 0, &error) != ERROR_NONE) {
		fprintf(stderr, "time-walk: %s: %s\n", argv[1], error.text);
		return 1;
	}
	const char *const paths[] = { argv[2] };
	timing.symbols = symbols_create(timing.crash.modules, timing.crash.module_count, paths, 1);
	if (timing.symbols == NULL)
		return 1;
	if (timing.crash.requesting_thread >= 0)
		timing.thread = (size_t)timing.crash.requesting_thread;
	load_symbols(&timing);
	for (size_t run = 0; run < RUNS; run++)
		time_once(&timing, run, &policy);
	printf("frames %zu\nevents %zu\n", timing.frames, timing.events);
	for (size_t i = 0; i < FIGURE_COUNT; i++) {
		qsort(timing.taken[i], RUNS, sizeof(timing.taken[i][0]), compare);
		printf("%s %" PRIu64 "\n", figures[i], timing.taken[i][RUNS / 2] / (timing.frames > 0 ? timing.frames : 1));
	}
	symbols_free(timing.symbols);
	crash_free(&timing.crash);
	return 0;
}
