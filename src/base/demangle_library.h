/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_LIBRARY_H
#define BASE_DEMANGLE_LIBRARY_H

#include <stddef.h>

/**
 * Demangle a name with libiberty into `room` of `size` bytes, not terminated. Returns the length.
 * 0: the name is not mangled, needs more room or takes too long, or libiberty is left out.
 * This file is separate, because libiberty's headers and base/compiler.h define the same macros.
 */
size_t
demangle_into(const char *mangled, char *room, size_t size);

#endif
