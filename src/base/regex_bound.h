/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_REGEX_BOUND_H
#define BASE_REGEX_BOUND_H

#include <stddef.h>

/**
 * What an extended regular expression may cost before it is compiled. A C library writes what
 * braces repeat as often as they say, braces within braces multiply, and references back try
 * every way to match.
 */

/** Why matching would take too much time or memory; NULL if it does not. */
const char *
regex_bound_reason(const char *text);

/** States that the expression has, at most some of them more: its bytes times its repetitions. */
size_t
regex_bound_states(const char *text);

#endif
