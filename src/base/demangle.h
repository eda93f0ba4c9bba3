/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/policy.h"
#include "base/text.h"

/**
 * Linker names in source form: C++ of the Itanium ABI (`_Z`), Rust (`_R`, or `_ZN` with a hash at
 * the end), and Microsoft's C++ (`?`; demangle_msvc.h). Some systems add an underscore to the first
 * two. libiberty demangles all but Microsoft's. A name of 2 KiB can expand to more text than fits
 * in memory, or take too long. Names stay mangled if they are too long, become too long or repeat
 * themselves in ways that no compiler writes.
 */

/** Whether a name, or the name in a stub's name, has the prefix of a mangled name. */
bool
demangle_looks_mangled(struct text name);

/** The limit on the bytes of a demangled name; a name with a longer form stays mangled. */
size_t
demangle_most(size_t length);

/** `name` demangled, in `arena`; `name` itself if it is not mangled, or when out of memory. */
struct text
demangle(struct text name, struct arena *arena);

/** demangle() if the policy says so, else `name` itself. */
struct text
demangle_shown(const struct policy *policy, struct text name, struct arena *arena);

/**
 * Whether a name is `wanted` in its mangled or shown form, also without its parameters. Fast for
 * names that do not match.
 */
bool
demangle_is_called(struct text name, struct text wanted);

/**
 * The index of the suffixes that a compiler adds to a linker name: the first dot outside its
 * identifiers (those of coroutines may have dots: "_Z1fPZ1fiE10_Z1fi.Frame.actor"). The length of
 * `name` if it has no suffix.
 */
size_t
demangle_suffixes_at(struct text name);

/**
 * The index of the suffixes that mark parts or copies of a function in a linker name: ".cold",
 * ".part.0", ".isra.0", ".constprop.0", with suffixes around them (".lto_priv.0.cold"). The length
 * of `name` if it has none of these.
 */
size_t
demangle_clone_at(struct text name);

/**
 * A memo of shown names: a deep recursion repeats a few of them. Its texts live as long as the
 * memo; names that do not fit stay mangled.
 */
struct demangle_memo;

/** An empty memo, or NULL when out of memory. */
struct demangle_memo *
demangle_memo_create(void);

void
demangle_memo_free(struct demangle_memo *memo);

/** Like demangle_shown, with a memo; `memo` NULL: `name` itself. */
struct text
demangle_memo_shown(struct demangle_memo *memo, const struct policy *policy, struct text name);

#endif
