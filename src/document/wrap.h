/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_WRAP_H
#define DOCUMENT_WRAP_H

#include <stddef.h>

#include "base/text.h"

/**
 * Sentences in lines: broken at blanks, and in a word only where it is wider than a line.
 */

/** How many lines `text` makes in `columns`; at least one. */
size_t
wrap_count(struct text text, size_t columns);

/** Line `index` of it, from 0; empty behind the last. */
struct text
wrap_line(struct text text, size_t columns, size_t index);

#endif
