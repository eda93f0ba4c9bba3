/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_MSVC_H
#define BASE_DEMANGLE_MSVC_H

#include "base/text.h"

/**
 * Names of Microsoft's C++ compilers (`?f@C@@QEAAHXZ`) as their programmers wrote them.
 *
 * The grammar has no specification; what is read here is what cl and clang write. A name that it
 * does not cover is refused as a whole. Names of hashes (`??@0123...@`) stand for no text.
 */

/** Two spellings of the same name. */
enum msvc_spelling {
	/**
	 * llvm-undname's, without access, `static`, calling convention, return and variable type.
	 */
	MSVC_LLVM,
	/**
	 * UnDecorateSymbolName's with Breakpad's flags (0x87fe): no `class`, no const of methods.
	 */
	MSVC_BREAKPAD,
};

/** Whether a name begins as these do. */
bool
msvc_looks_mangled(struct text name);

/**
 * `name` in a spelling, in `arena`. False where it is no such name, has what is unknown here, or
 * stands for more than demangle_most() bytes; `shown` is then as it was.
 */
bool
msvc_demangle(struct text name, enum msvc_spelling spelling, struct arena *arena,
	      struct text *shown);

/**
 * The same of a type as type descriptors have it behind their '.' (`?AVruntime_error@std@@`,
 * `PEAD`).
 */
bool
msvc_demangle_type(struct text type, enum msvc_spelling spelling, struct arena *arena,
		   struct text *shown);

#endif
