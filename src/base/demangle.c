/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/demangle_library.h"
#include "base/demangle_msvc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/policy_rows.h"

/* The name without the underscore that Mac and 32-bit Windows add to every name. */
static struct text
without_prefix(struct text name)
{
	if (name.length > 2 && name.start[0] == '_' && name.start[1] == '_')
		return (struct text){ name.start + 1, name.length - 1 };
	return name;
}

/* The linker's name in the name of a stub: "NAME@plt", "LIBRARY!NAME (import thunk)". */
static struct text
within_stub(struct text name)
{
	static const struct {
		const char *end;
		bool library;
	} ends[] = {
		{ "@plt", false }, { "@got", false }, { " (stub)", false },
		{ " (import thunk)", true }, { " (import slot)", true },
	};

	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		struct text bare = name;

		if (!text_drop_suffix(&bare, ends[i].end))
			continue;
		const char *bang = ends[i].library ? memchr(bare.start, '!', bare.length) : NULL;
		const size_t before = bang != NULL ? (size_t)(bang + 1 - bare.start) : 0;
		return (struct text){ bare.start + before, bare.length - before };
	}
	return name;
}

bool
demangle_looks_mangled(struct text name)
{
	/* Mangled names begin with _ or ?, if no library precedes them. */
	if (name.length == 0 || (name.start[0] != '_' && name.start[0] != '?' &&
				 memchr(name.start, '!', name.length) == NULL))
		return false;
	name = without_prefix(within_stub(name));
	if (msvc_looks_mangled(name) || text_equal(name, text_of("_Dmain")))
		return true;
	if (name.length < 3 || name.start[0] != '_')
		return false;
	const unsigned char next = (unsigned char)name.start[2];
	return name.start[1] == 'D' ? isdigit(next) != 0
				    : strchr("ZR", name.start[1]) != NULL && isalnum(next) != 0;
}

size_t
demangle_most(size_t length)
{
	return length < (LIMIT_SHOWN_NAME - LIMIT_SHOWN_FREE) / LIMIT_SHOWN_RATIO
		       ? LIMIT_SHOWN_FREE + LIMIT_SHOWN_RATIO * length : LIMIT_SHOWN_NAME;
}

/* The demangled form of a name without prefix and stub, in `scratch`; empty if unknown. */
static struct text
demangled_in(struct text bare, struct arena *scratch)
{
	struct text shown = text_of("");

	if (bare.start[0] == '?') {
		msvc_demangle(bare, MSVC_LLVM, scratch, &shown);
		return shown;
	}
	const char *mangled = text_copy(scratch, bare);
	const size_t most = demangle_most(bare.length);
	char *room = arena_alloc(scratch, most);
	if (mangled != NULL && room != NULL)
		shown = (struct text){ room, demangle_into(mangled, room, most) };
	return shown;
}

/* Whether a mangled name, or the beginning of one, can be demangled. */
static bool
demangles(struct text name)
{
	struct arena scratch = { 0 };
	const bool does = name.length <= LIMIT_MANGLED_NAME &&
			  demangled_in(without_prefix(name), &scratch).length > 0;

	arena_free(&scratch);
	return does;
}

/* Limit on the dots that are tried in a name: gcc writes fewer than ten. */
#define MOST_DOTS 32u

size_t
demangle_suffixes_at(struct text name)
{
	const char *dot = name.length > 1 ? memchr(name.start + 1, '.', name.length - 1) : NULL;
	const size_t first = dot != NULL ? (size_t)(dot - name.start) : name.length;
	size_t at = first;

	if (!demangle_looks_mangled(name))
		return first;
	for (unsigned i = 0; i < MOST_DOTS && at < name.length; i++) {
		if (demangles((struct text){ name.start, at }))
			return at;
		for (at++; at < name.length && name.start[at] != '.';)
			at++;
	}
	return demangles(name) ? name.length : first;
}

size_t
demangle_clone_at(struct text name)
{
	static const char *const words[] = { ".cold", ".part", ".isra", ".constprop" };
	const size_t first = demangle_suffixes_at(name);

	for (size_t at = first, length; at < name.length; at += length) {
		for (length = 1; at + length < name.length && name.start[at + length] != '.';)
			length++;
		for (size_t i = 0; i < ARRAY_COUNT(words); i++)
			if (text_is((struct text){ name.start + at, length }, words[i]))
				return first;
	}
	return name.length;
}

struct text
demangle(struct text name, struct arena *arena)
{
	const struct text inner = within_stub(name);
	const size_t before = (size_t)(inner.start - name.start);
	const size_t behind = name.length - before - inner.length;
	struct text shown = name;
	struct arena scratch = { 0 };

	if (!demangle_looks_mangled(name) || name.length > LIMIT_MANGLED_NAME ||
	    memchr(name.start, '\0', name.length) != NULL)
		return name;
	const struct text made = demangled_in(without_prefix(inner), &scratch);
	char *copy = made.length == 0 ? NULL
				      : arena_array(arena, before + made.length + behind + 1, 1);
	if (copy != NULL) {
		memcpy(copy, name.start, before);
		memcpy(copy + before, made.start, made.length);
		memcpy(copy + before + made.length, inner.start + inner.length, behind);
		shown = (struct text){ copy, before + made.length + behind };
	}
	arena_free(&scratch);
	return shown;
}

struct text
demangle_shown(const struct policy *policy, struct text name, struct arena *arena)
{
	return policy->value[POLICY_DEMANGLE] != 0 ? demangle(name, arena) : name;
}

static bool
is_called(struct text name, struct text wanted)
{
	if (name.length < wanted.length || memcmp(name.start, wanted.start, wanted.length) != 0)
		return false;
	return name.length == wanted.length ||
	       (wanted.length > 0 && name.start[wanted.length] == '(');
}

/* Classes of std with an abbreviation in linker names: Sa, Sb, Ss, Si, So and Sd (Itanium ABI). */
static bool
has_abbreviation(struct text identifier)
{
	static const char *const classes[] = {
		"allocator", "basic_string", "string", "basic_istream", "istream",
		"basic_ostream", "ostream", "basic_iostream", "iostream",
	};

	for (size_t i = 0; i < ARRAY_COUNT(classes); i++)
		if (text_is(identifier, classes[i]))
			return true;
	return false;
}

/*
 * The last identifier before the parameters: every mangled form of the name contains it. Empty
 * for operators and closures, whose words are not mangled, and for classes with an abbreviation.
 */
static struct text
last_identifier(struct text wanted)
{
	size_t end = 0, start;

	if (memmem(wanted.start, wanted.length, "operator", 8) != NULL ||
	    memchr(wanted.start, '{', wanted.length) != NULL)
		return text_of("");
	while (end < wanted.length && wanted.start[end] != '(' && wanted.start[end] != '<')
		end++;
	for (start = end; start > 0; start--)
		if (!isalnum((unsigned char)wanted.start[start - 1]) &&
		    wanted.start[start - 1] != '_')
			break;
	const struct text last = { wanted.start + start, end - start };
	return has_abbreviation(last) ? text_of("") : last;
}

bool
demangle_is_called(struct text name, struct text wanted)
{
	struct arena arena = { 0 };

	if (is_called(name, wanted))
		return true;
	if (!demangle_looks_mangled(name) || wanted.length == 0)
		return false;
	const struct text part = last_identifier(wanted);
	if (memmem(name.start, name.length, part.start, part.length) == NULL)
		return false;
	const bool called = is_called(demangle(name, &arena), wanted);
	arena_free(&arena);
	return called;
}

/* A name in the file, and the name that is shown; `shown` is empty if both are equal. */
struct demangled {
	struct text name, shown;
};

struct demangle_memo {
	struct arena arena;
	struct hash names;		/* struct demangled, by hash and length of the name */
};

struct demangle_memo *
demangle_memo_create(void)
{
	struct demangle_memo *memo = calloc(1, sizeof(*memo));

	if (memo != NULL)
		arena_init(&memo->arena, LIMIT_DEMANGLED);
	return memo;
}

void
demangle_memo_free(struct demangle_memo *memo)
{
	if (memo == NULL)
		return;
	arena_free(&memo->arena);
	hash_free(&memo->names);
	free(memo);
}

struct text
demangle_memo_shown(struct demangle_memo *memo, const struct policy *policy, struct text name)
{
	if (memo == NULL || policy->value[POLICY_DEMANGLE] == 0 || !demangle_looks_mangled(name))
		return name;
	const uint64_t key = hash_words(HASH_START, name.start, name.length);
	const struct demangled *known = hash_find(&memo->names, key, name.length);
	if (known != NULL && text_equal(known->name, name))
		return known->shown.length > 0 ? known->shown : name;
	struct demangled *kept = arena_alloc(&memo->arena, sizeof(*kept));
	/* The owner of the name may be freed before the memo, so copy it. */
	const char *copy = kept != NULL ? text_copy(&memo->arena, name) : NULL;
	if (copy == NULL)
		return name;
	const struct text shown = demangle(name, &memo->arena);
	*kept = (struct demangled){ .name = { copy, name.length } };
	if (shown.start != name.start)
		kept->shown = shown;
	hash_put(&memo->names, key, name.length, kept);
	return shown;
}
