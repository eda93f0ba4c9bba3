/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <string.h>

#include "analysis/symbol_fit.h"
#include "walk/location.h"

/*
 * Defects of the inputs that the user can fix: a damaged dump, symbol files in a wrong place or of
 * another build. Every problem has its remedy.
 */

#define FRAMES 64u	/* number of frames whose modules are checked */
#define PROBLEMS 8u

/* Kinds of messages about lost bytes of the dump. */
static const enum message_kind damages[] = {
	MESSAGE_TRUNCATED, MESSAGE_STREAM_BROKEN, MESSAGE_STREAM_DUPLICATE, MESSAGE_ENTRY_BROKEN,
	MESSAGE_STRING_BROKEN, MESSAGE_CONTEXT_BROKEN,
};

/* Kinds of messages about given files that cannot be used. */
static const struct {
	enum message_kind kind;
	const char *remedy;
} useless[] = {
	{ MESSAGE_SYMBOL_ID, "give the symbol file of the build that crashed" },
	{ MESSAGE_SYMBOL_UNREADABLE, "check the path and the file" },
	{ MESSAGE_BINARY_ID, "give the file of the build that crashed" },
	{ MESSAGE_BINARY_UNREADABLE, "check the path and the file" },
};

static void
add_problem(struct explain *explain, const char *text)
{
	struct analysis *out = explain->out;

	if (text != NULL && out->problem_count != PROBLEMS)
		ARENA_ADD(&out->arena, out->problems, out->problem_count, out->problem_capacity,
			  &text);
}

/* The number of defects of a dump that may hide data. If any, missing data proves nothing. */
static uint64_t
analysis_damage(const struct crash *crash)
{
	uint64_t damage = file_truncated(&crash->file);

	for (size_t i = 0; i < ARRAY_COUNT(damages); i++)
		damage += crash->messages.seen[damages[i]];
	return damage;
}

/* The type of the stream with the exception record ([MS-MINIDUMP], MINIDUMP_STREAM_TYPE). */
#define EXCEPTION_STREAM 6u

bool
analysis_reason_lost(const struct crash *crash)
{
	bool listed = crash->core || file_truncated(&crash->file) > 0 ||
		      crash->messages.seen[MESSAGE_TRUNCATED] > 0;

	for (size_t i = 0; i < crash->stream_count; i++)
		listed |= crash->streams[i].type == EXCEPTION_STREAM;
	return listed && crash->invented == NULL && analysis_damage(crash) > 0;
}

const char *
analysis_no_reason(const struct crash *crash)
{
	if (analysis_reason_lost(crash))
		return "unknown: the dump is damaged and has no readable exception record";
	if (crash->invented != NULL)
		return crash->invented;
	/* The first thread's note has the signal. */
	return crash->core && crash->thread_count == 0
		       ? "unknown: the core has no thread that can be shown"
		       : "none: the process was running when the dump was made";
}

/* Adds messages about unusable files; near misses are reported separately. */
static void
look_at_messages(struct explain *explain, const struct message_list *list)
{
	struct arena *arena = &explain->out->arena;

	for (size_t i = 0; list != NULL && i < list->count; i++) {
		const struct message *at = &list->messages[i];

		for (size_t kind = 0; kind < ARRAY_COUNT(useless); kind++)
			if (at->kind == useless[kind].kind)
				add_problem(explain,
					    arena_format(arena, "%s%s%s; %s", at->text,
							 at->hint != NULL ? ", " : "",
							 at->hint != NULL ? at->hint : "",
							 useless[kind].remedy));
	}
}

/* Adds the place of a file that is nearly the symbol file of a module, with a remedy. */
static void
add_near_miss(struct explain *explain, int module, const struct locate_near_miss *miss)
{
	struct analysis *out = explain->out;
	const char *name = place_base_name(explain->crash->modules[module].code_file);
	const char *text = arena_format(&out->arena, "no symbols for %s: %s: %s; %s", name,
					miss->path, miss->what, miss->help);
	/* Report a remedy once for all modules. This text replaces an earlier one on this file. */
	for (size_t i = 0; i < out->problem_count; i++)
		if (strstr(out->problems[i], miss->help) != NULL)
			return;
	for (size_t i = 0; i < out->problem_count; i++)
		if (text != NULL && strstr(out->problems[i], miss->path) != NULL) {
			out->problems[i] = text;
			return;
		}
	add_problem(explain, text);
}

/* Reports why modules on the stack have no symbols or wrong symbols, if the user gave symbols. */
static void
look_for_symbols(struct explain *explain)
{
	const struct walk *walk = explain->walk;
	int seen[FRAMES];
	size_t count = 0;

	for (size_t i = 0; i < walk->count && i < FRAMES; i++) {
		const int module = walk->frames[i].module;
		enum symbols_state state = SYMBOLS_PENDING;
		size_t at = 0;

		while (at < count && seen[at] != module)
			at++;
		if (module == MODULE_NONE || at < count)
			continue;
		seen[count++] = module;
		if (location_has_debug_line(walk, &walk->frames[i]))
			continue;
		const char *misfit = symbol_misfit(walk->binaries, walk->symbols, explain->crash,
						   (size_t)module);
		const char *path = explain->crash->modules[module].code_file;
		if (misfit != NULL)
			add_problem(explain,
				    arena_format(&explain->out->arena,
						 "the symbol file of %s does not belong to it: %s; "
						 "make it from this binary: unspool dump-syms",
						 place_base_name(path), misfit));
		if (symbols_peek(walk->symbols, (size_t)module, &state) != NULL ||
		    state != SYMBOLS_ABSENT)
			continue;
		struct locate_near_list near = { .arena = &explain->out->arena };
		symbols_near_misses(walk->symbols, (size_t)module, &near);
		if (near.count > 0)
			add_near_miss(explain, module, &near.items[0]);
	}
}

void
input_problems_explain(struct explain *explain)
{
	const struct walk *walk = explain->walk;

	explain->out->damage = analysis_damage(explain->crash);
	if (walk == NULL)
		return;
	look_at_messages(explain, symbols_messages(walk->symbols));
	look_at_messages(explain, binaries_messages(walk->binaries));
	if (walk->symbols != NULL && symbols_configured(walk->symbols))
		look_for_symbols(explain);
}
