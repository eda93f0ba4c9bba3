/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_WRAP_H
#define DOCUMENT_WRAP_H

#include <stddef.h>

#include "base/text.h"

/** Wraps sentences at blanks, and within words that are wider than a line. */

/** The number of lines of `text` in `columns`; at least one. */
size_t
wrap_count(struct text text, size_t columns);

/** Line `index` of the text, from 0; empty after the last. */
struct text
wrap_line(struct text text, size_t columns, size_t index);

#endif
