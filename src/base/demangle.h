/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include "base/policy.h"
#include "base/text.h"

/**
 * Names of linkers as their programmers wrote them: C++ of the Itanium ABI (`_Z`), Rust (`_R`, and
 * `_ZN` with a hash at its end), each with one more underscore where the system puts one, and C++
 * of Microsoft (`?`; demangle_msvc.h).
 *
 * libiberty does the others. A name of 2 KiB can stand for more text than there is memory and
 * take longer than anybody waits, so names that are too long, become too long or repeat
 * themselves in ways that no compiler writes stay as they are.
 */

/** Whether a name begins as mangled names do, or the name in that of a stub does. */
bool
demangle_looks_mangled(struct text name);

/** Bytes that a mangled name of `length` bytes may become; of more it stays as it is. */
size_t
demangle_most(size_t length);

/** `name` as people read it, in `arena`; itself where it is no mangled name or out of memory. */
struct text
demangle(struct text name, struct arena *arena);

/** demangle() if the policy says so, else `name` itself. */
struct text
demangle_shown(const struct policy *policy, struct text name, struct arena *arena);

/**
 * Whether a name is `wanted` as it is or as it is shown, also where only its parameters are left
 * out. Cheap for names that are something else.
 */
bool
demangle_is_called(struct text name, struct text wanted);

/**
 * Where the suffixes of a linker's name begin that say that the code is a part or a copy of the
 * function, made by a compiler: ".cold", ".part.0", ".isra.0", ".constprop.0" and what is before
 * and behind them (".lto_priv.0.cold"). The length of `name` where it has none of these.
 */
size_t
demangle_clone_at(struct text name);

/**
 * A memo of shown names: a deep recursion asks for the same few again and again. Texts that it
 * returns live as long as it does; names that it has no more room for stay as they are.
 */
struct demangle_memo;

/** An empty memo, or NULL when out of memory. */
struct demangle_memo *
demangle_memo_create(void);

void
demangle_memo_free(struct demangle_memo *memo);

/** demangle_shown with a memo. Without one (NULL) `name` itself. */
struct text
demangle_memo_shown(struct demangle_memo *memo, const struct policy *policy, struct text name);

#endif
