/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/linear.h"

static bool
linear_can_add(const struct linear *sum, const struct linear *term, bool subtract)
{
	return sum->known && term->known && !sum->dereference && !term->dereference &&
	       (term->base == LINEAR_NONE || (!subtract && sum->base == LINEAR_NONE)) &&
	       (!term->parameters || (!subtract && !sum->parameters));
}

void
linear_add(struct linear *sum, const struct linear *term, bool subtract)
{
	const uint64_t offset = (uint64_t)sum->offset, more = (uint64_t)term->offset;

	sum->known = linear_can_add(sum, term, subtract);
	sum->parameters = sum->parameters || term->parameters;
	if (term->base != LINEAR_NONE)
		sum->base = term->base;
	sum->offset = (int64_t)(subtract ? offset - more : offset + more);
}

bool
linear_same(const struct linear *a, const struct linear *b)
{
	return a->known && b->known && a->base == b->base && a->offset == b->offset &&
	       a->dereference == b->dereference && a->parameters == b->parameters;
}
