/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <string.h>

#include "walk/location.h"

/*
 * A process that ends itself leaves the reason in its stack: the functions between the call that
 * ends it and the program's own function.
 */

#define FRAMES 32u	/* frames searched, so that findings do not depend on the walk's length */
#define GAP 6u		/* frames without a known name allowed between two of one reason */
#define NAMES 16u	/* names of one reason */

static const struct abort_cause {
	const char *reason, *names[NAMES];
} causes[] = {
#define A(reason, ...) { reason, { __VA_ARGS__ } },
#include "analysis/abort_cause.def"
#undef A
};

static bool
is_called(struct text name, const char *pattern)
{
	const size_t length = strcspn(pattern, "*");

	if (name.length < length || memcmp(name.start, pattern, length) != 0)
		return false;
	return pattern[length] == '*' || name.length == length ||
	       memchr("(<. @", name.start[length], 5) != NULL;
}

static const struct abort_cause *
find_cause(struct text name)
{
	text_drop_prefix(&name, "__GI_");
	for (size_t i = 0; i < ARRAY_COUNT(causes); i++)
		for (size_t j = 0; j < NAMES && causes[i].names[j] != NULL; j++)
			if (is_called(name, causes[i].names[j]))
				return &causes[i];
	return NULL;
}

/* The outermost frame that shows why the process ended, and its caller. */
struct abort_place {
	const struct abort_cause *cause;	/* NULL: none */
	size_t frame, caller;			/* caller 0: none */
};

static struct abort_place
find_place(const struct explain *explain)
{
	const struct walk *walk = explain->walk;
	struct abort_place found = { .cause = NULL };
	const struct module *ends = NULL, *module = NULL;
	struct arena scratch = { 0 };

	for (size_t i = 0; walk != NULL && i < walk->count && i < FRAMES &&
			   (found.cause == NULL || i <= found.frame + GAP); i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, &scratch, &location);
		const struct abort_cause *cause =
			location.symbol.uncertain
				? NULL : find_cause(location.calls[location.call_count - 1].name);
		if (cause != NULL) {
			ends = found.cause == NULL ? location.module : ends;
			module = location.module;
			found = (struct abort_place){ cause, i, 0 };
		} else if (found.cause != NULL && found.caller == 0 &&
			   (module != ends || location.module != module)) {
			/* The library that ends the process calls its own helper functions. */
			found.caller = i;
		}
		arena_reset(&scratch);
	}
	arena_free(&scratch);
	/* A statically linked program has no other module. */
	if (found.cause != NULL && found.caller == 0 && found.frame + 1 < walk->count)
		found.caller = found.frame + 1;
	return found;
}

static bool
is_guessed(const struct walk *walk, size_t last)
{
	for (size_t i = 1; i <= last; i++)
		if (trust_table[walk->frames[i].trust].certainty == CERTAINTY_GUESSED)
			return true;
	return false;
}

static const char *
function_of(struct explain *explain, size_t frame)
{
	return analysis_function(explain, explain->walk->frames[frame].lookup, false);
}

void
abort_explain(struct explain *explain)
{
	const struct abort_place place = find_place(explain);
	const struct walk *walk = explain->walk;
	struct finding *finding;

	if (place.cause == NULL)
		finding = finding_add(explain, FINDING_ABORT, 95,
				      "the process ended itself: something in it found that it "
				      "cannot go on");
	else if (place.caller == 0)
		finding = finding_add(explain, FINDING_ABORT, 95, "%s", place.cause->reason);
	else
		finding = finding_add(explain, FINDING_ABORT,
				      is_guessed(walk, place.caller) ? 70 : 95,
				      "%s: frame %zu, %s, %s %s", place.cause->reason,
				      place.caller, function_of(explain, place.caller),
				      place.caller == place.frame + 1 ? "called" : "led to",
				      function_of(explain, place.frame));
	finding_evidence(explain, finding, "the reason is %s", explain->out->reason);
	if (explain->crash->assertion != NULL)
		finding_evidence(explain, finding, "assertion: %s", explain->crash->assertion);
}
