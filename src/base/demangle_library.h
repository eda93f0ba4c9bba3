/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_DEMANGLE_LIBRARY_H
#define BASE_DEMANGLE_LIBRARY_H

#include <stddef.h>

/**
 * What libiberty makes of a mangled name, in `room` of `size` bytes, not terminated. Returns its
 * length; 0 where it is no mangled name, needs more room, would take too long, or where the library
 * was left out. Its headers and base/compiler.h have macros of the same names.
 */
size_t
demangle_into(const char *mangled, char *room, size_t size);

#endif
