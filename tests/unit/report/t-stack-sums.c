/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of stacks, compared walks, summaries and register histories of all recorded and bundled
 * crashes, in every state and in many widths: their texts, roles, targets and explanations go into
 * a checksum for each crash, which is compared with tests/unit/report/stacks.txt
 * (UNSPOOL_ACCEPT=1 writes it anew).
 */
#include <config.h>

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "dump/dump.h"
#include "analysis/analysis.h"
#include "report/stack/stack.h"
#include "report/stack/summary.h"
#include "report/stack/versus.h"
#include "tests/lib/accepted.h"

#define ACCEPTED "tests/unit/report/stacks.txt"

/* Libraries that affect the output: instructions and demangled names. */
#if defined(HAVE_CAPSTONE) && defined(HAVE_DEMANGLER)
#define LIBRARIES CAPSTONE_NAME ", " DEMANGLER_NAME
#else
#define LIBRARIES "those of this build"
#endif

#define MOST_THREADS 64u
#define MOST_FRAMES 200u

static const size_t widths[] = { 0, 1, 12, 24, 30, 36, 44, 60, 80, 132 };

/* One crash, walked. */
struct walked {
	char directory[1100];		/* where its symbols are; they are read on demand */
	struct crash crash;
	struct symbols *symbols;
	struct walk *walks[MOST_THREADS];
	bool open[MOST_THREADS];
	size_t count;			/* 0: it has too many threads */
};

static void
add_row(uint64_t *sum, const struct row *row)
{
	char span[64];

	if (row->text != NULL)
		*sum = hash_bytes(*sum, row->text, row->length);
	for (size_t i = 0; i < row->span_count; i++) {
		const int length = snprintf(span, sizeof(span), "%zu %d ", row->spans[i].length,
					    (int)row->spans[i].role);

		*sum = hash_bytes(*sum, span, (size_t)length);
	}
}

static void
add_listing(uint64_t *sum, const struct listing *listing)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);
	char target[96];

	for (size_t w = 0; w < ARRAY_COUNT(widths); w++) {
		row_clear(&row);
		if (listing->head != NULL)
			listing_head(listing, widths[w], &row);
		add_row(sum, &row);
		for (size_t i = 0; i < listing->count && i < 120; i++) {
			row_clear(&row);
			listing_fill(listing, i, widths[w], &row);
			add_row(sum, &row);
		}
	}
	for (size_t i = 0; i < listing->count && i < 120; i++) {
		const struct target at = listing_target(listing, i);
		const int length = snprintf(target, sizeof(target), "%d %zu %zu %zu", (int)at.kind,
					    at.thread, at.frame, at.call);

		*sum = hash_bytes(*sum, target, (size_t)length);
		row_clear(&row);
		listing_explain(listing, i, &row);
		add_row(sum, &row);
	}
	arena_free(&arena);
}

static void
open_crash(struct walked *walked, const char *path)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const char *paths[] = { walked->directory };
	struct error error = { 0 };

	*walked = (struct walked){ .count = 0 };
	snprintf(walked->directory, sizeof(walked->directory), "%.*s/symbols",
		 (int)(strrchr(path, '/') - path), path);
	if (!ok(dump_open(&walked->crash, path, 0, &error) == ERROR_NONE, "a crash is opened"))
		return;
	walked->symbols =
		symbols_create(walked->crash.modules, walked->crash.module_count, paths, 1);
	if (walked->crash.thread_count > MOST_THREADS)
		return;
	for (size_t i = 0; i < walked->crash.thread_count; i++, walked->count++) {
		walked->walks[i] = walk_create(&walked->crash, walked->symbols, NULL, i, &policy);
		/* Some walks stop after their first frame. */
		walk_run(walked->walks[i], i % 3 == 2 ? 1 : MOST_FRAMES);
		walked->open[i] = i % 2 == 0;
	}
}

static void
close_crash(struct walked *walked)
{
	for (size_t i = 0; i < walked->count; i++)
		walk_free(walked->walks[i]);
	symbols_free(walked->symbols);
	crash_free(&walked->crash);
}

/* Add each state of the stack view. */
static void
add_stacks(uint64_t *sum, struct walked *walked)
{
	for (unsigned state = 0; state < 32 && walked->count > 0; state++) {
		struct arena arena = { 0 };
		struct stack_state stack = {
			.crash = &walked->crash, .walks = walked->walks, .open = walked->open,
			.expand_inlined = (state & 1) != 0, .expand_runs = (state & 2) != 0,
			.expand_groups = (state & 4) != 0,
			.order = (state & 8) != 0 ? STACK_BY_STATE : STACK_BY_NUMBER,
		};
		size_t counted[2] = { 0 };
		char text[64];

		if ((state & 16) != 0) {
			stack_listing(&stack, &arena);
			stack_state_toggle(&stack, 0, 0);
			stack_state_toggle_run(&stack, 0, 1);
			stack_state_toggle_group(&stack, 0);
		}
		const struct listing listing = stack_listing(&stack, &arena);
		add_listing(sum, &listing);
		counted[0] = stack_state_different(&stack, &counted[1]);
		for (size_t i = 0; i < walked->count; i++) {
			const int length = snprintf(
				text, sizeof(text), "%zu %d %zu", counted[i % 2],
				stack_state_is_hidden(&stack, i), stack_row(&listing, i, 1, 0));

			*sum = hash_bytes(*sum, text, (size_t)length);
		}
		stack_state_free(&stack);
		arena_free(&arena);
	}
}

/* Add its threads, compared with those of another crash and with each other. */
static void
add_versus(uint64_t *sum, const struct walked *walked, const struct walked *other)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < walked->count && i < 6 && other->count > 0; i++) {
		const struct versus_side sides[] = {
			{ .walk = walked->walks[i], .signature = i % 2 == 0 ? "f | g" : NULL },
			{ .walk = other->walks[i % other->count],
			  .signature = i % 3 == 0 ? "f | h" : NULL },
		};
		const struct versus *versus = versus_compare(&sides[0], &sides[1], &arena);

		if (versus == NULL)
			continue;
		const struct listing listing = versus_listing(versus, &arena);
		const size_t parts = listing.current;
		add_listing(sum, &listing);
		*sum = hash_bytes(*sum, &parts, sizeof(parts));
	}
	arena_free(&arena);
}

/*
 * Add the walks of other walkers, compared with unspool's, the summaries, and the register
 * histories.
 */
static void
add_walks(uint64_t *sum, const struct walked *walked)
{
	struct arena arena = { 0 };

	for (size_t i = 0; i < walked->count && i < 4; i++) {
		const struct policy policy =
			policy_column(i % 2 == 0 ? POLICY_BREAKPAD : POLICY_RUST_MINIDUMP);
		struct walk *walk = walk_create(&walked->crash, walked->symbols, NULL, i, &policy);

		walk_run(walk, MOST_FRAMES);
		const struct versus_side sides[] = {
			{ .walk = walk, .name = "theirs", .why = "" },
			{ .walk = walked->walks[i], .name = "ours, with a longer name", .why = "" },
		};
		const struct listing compared =
			versus_listing(versus_compare(&sides[0], &sides[1], &arena), &arena);
		add_listing(sum, &compared);
		struct analysis *analysis = analysis_create(&walked->crash, walk, NULL, NULL);
		for (size_t w = 0; w < ARRAY_COUNT(widths); w++) {
			const struct listing summary =
				summary_listing(analysis, walk, widths[w], &arena);

			add_listing(sum, &summary);
		}
		for (int reg = 0; reg < walk->arch->register_count; reg += 5) {
			const struct listing history = register_history_listing(walk, reg, &arena);

			add_listing(sum, &history);
		}
		analysis_free(analysis);
		walk_free(walk);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

int
main(void)
{
	static const char *const patterns[] = {
		"tests/differential/recorded/*/crash.dmp", "data/crashes/*/crash.dmp",
		"data/lessons/*/crash.dmp",
	};
	const char *srcdir = getenv("srcdir");
	static struct walked walked[2];
	char *said = NULL;
	size_t size, number = 0;
	FILE *out = open_memstream(&said, &size);

	if (!accepted_with(ACCEPTED, LIBRARIES)) {
		fclose(out);
		free(said);
		skip(1, "rows were accepted with other libraries than " LIBRARIES);
		return done_testing();
	}
	fputs(LIBRARIES "\n", out);
	for (size_t i = 0; i < ARRAY_COUNT(patterns); i++) {
		char pattern[1024];
		glob_t found = { 0 };

		snprintf(pattern, sizeof(pattern), "%s/%s", srcdir != NULL ? srcdir : ".",
			 patterns[i]);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t k = 0; k < found.gl_pathc; k++, number++) {
				struct walked *one = &walked[number % 2];
				uint64_t stacks = HASH_START, versus = HASH_START,
					 walks = HASH_START;

				close_crash(one);
				open_crash(one, found.gl_pathv[k]);
				add_stacks(&stacks, one);
				add_versus(&versus, one, one);
				add_versus(&versus, one, &walked[(number + 1) % 2]);
				add_walks(&walks, one);
				fprintf(out, "%016llx %016llx %016llx %s\n",
					(unsigned long long)stacks, (unsigned long long)versus,
					(unsigned long long)walks,
					found.gl_pathv[k] + strlen(srcdir != NULL ? srcdir : ".") +
						1);
			}
		globfree(&found);
	}
	close_crash(&walked[0]);
	close_crash(&walked[1]);
	fclose(out);
	is_as_accepted(said, ACCEPTED);
	free(said);
	return done_testing();
}
