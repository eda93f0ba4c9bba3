/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_LIBRARY_H
#define BASE_DEMANGLE_LIBRARY_H

#include <stddef.h>

/**
 * Demangle a name with libiberty into `room` of `size` bytes, not terminated. Returns the length; 0
 * if it is not mangled, needs more room, would take too long, or if the library was left out of the
 * build. Separate, because its headers and base/compiler.h define the same macros.
 */
size_t
demangle_into(const char *mangled, char *room, size_t size);

#endif
