/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_MSVC_H
#define BASE_DEMANGLE_MSVC_H

#include "base/text.h"

/**
 * Names of Microsoft's C++ compilers (`?f@C@@QEAAHXZ`) in source form.
 *
 * The grammar has no specification; this reads the output of cl and clang. A name outside this
 * grammar is refused. Hashed names (`??@0123...@`) have no source form.
 */

/** Two spellings of the same name. */
enum msvc_spelling {
	/**
	 * As llvm-undname, without access, `static`, calling convention, return and variable type.
	 */
	MSVC_LLVM,
	/**
	 * As UnDecorateSymbolName with Breakpad's flags (0x87fe): no `class`, no const of methods.
	 */
	MSVC_BREAKPAD,
};

/** Whether a name has the prefix of Microsoft's names. */
bool
msvc_looks_mangled(struct text name);

/**
 * `name` in a spelling, in `arena`. False if it is another kind of name, has unknown parts, or
 * becomes longer than demangle_most() bytes; `shown` is unchanged then.
 */
bool
msvc_demangle(struct text name, enum msvc_spelling spelling, struct arena *arena,
	      struct text *shown);

/**
 * Like msvc_demangle, for a type in a type descriptor, after its '.' (`?AVruntime_error@std@@`,
 * `PEAD`).
 */
bool
msvc_demangle_type(struct text type, enum msvc_spelling spelling, struct arena *arena,
		   struct text *shown);

#endif
