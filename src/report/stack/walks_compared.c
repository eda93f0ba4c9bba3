/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walks_compared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define NO_FRAME UINT32_MAX

struct pair {
	uint32_t left, right;	/* frames; NO_FRAME: this side has none */
	char sign;
};

struct pairs {
	struct walks_side sides[2];
	struct pair *pairs;
	size_t count;		/* without the last row, which says how both end */
	struct walks_counts counts;
	bool same_end;
};

static uint64_t
value_of(const struct walk *walk, size_t frame, int reg)
{
	return walk->frames[frame].registers.value[reg];
}

/* Whether two frames are one: where they stand, and how they were found. */
static bool
is_same(const struct walk *left, size_t i, const struct walk *right, size_t j)
{
	const struct arch *arch = left->arch;

	return value_of(left, i, arch->pc) == value_of(right, j, arch->pc) &&
	       value_of(left, i, arch->sp) == value_of(right, j, arch->sp) &&
	       left->frames[i].trust == right->frames[j].trust;
}

static void
add_pair(struct pairs *pairs, size_t left, size_t right, char sign)
{
	if (sign == ' ') {
		pairs->counts.same++;
	} else {
		if (pairs->counts.first == SIZE_MAX) {
			pairs->counts.first = pairs->count;
			sign = '!';
		}
		pairs->counts.different++;
	}
	pairs->pairs[pairs->count++] = (struct pair){
		left == SIZE_MAX ? NO_FRAME : (uint32_t)left,
		right == SIZE_MAX ? NO_FRAME : (uint32_t)right, sign };
}

/* Both sides by their stack pointers, which go up. */
static void
align(struct pairs *pairs)
{
	const struct walk *left = pairs->sides[0].walk, *right = pairs->sides[1].walk;
	const size_t lefts = left != NULL ? left->count : 0;
	const size_t rights = right != NULL ? right->count : 0;
	size_t i = 0, j = 0;

	while (i < lefts || j < rights) {
		const uint64_t a = i < lefts ? value_of(left, i, left->arch->sp) : UINT64_MAX;
		const uint64_t b = j < rights ? value_of(right, j, right->arch->sp) : UINT64_MAX;

		if (i < lefts && j < rights && (a == b || i + j == 0)) {
			add_pair(pairs, i, j, is_same(left, i, right, j) ? ' ' : '~');
			i++;
			j++;
		} else if (j == rights || (i < lefts && a < b)) {
			add_pair(pairs, i++, SIZE_MAX, '<');
		} else {
			add_pair(pairs, SIZE_MAX, j++, '>');
		}
	}
}

static const char *
end_of(const struct walks_side *side)
{
	if (side->walk == NULL)
		return side->why;
	return side->walk->complete ? side->walk->end.text : "more follow";
}

/* Columns of one side: half of what there is. */
static size_t
side_width(size_t columns)
{
	return columns == 0 ? 60 : columns > 8 ? (columns - 5) / 2 : 2;
}

static void
head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct pairs *pairs = listing->context;
	const size_t width = side_width(columns);

	row_add(row, ROLE_DIM, "  ");
	row_add_cut(row, ROLE_TITLE, width, false, text_of(pairs->sides[0].name));
	row_pad(row, width + 2);
	row_add(row, ROLE_DIM, " | ");
	row_add_cut(row, ROLE_TITLE, width, false, text_of(pairs->sides[1].name));
}

/* A frame in `width` columns: number, how it was found, what it is called. */
static void
add_frame(struct row *row, const struct walk *walk, size_t frame, size_t width, enum role role)
{
	const struct frame *at = &walk->frames[frame];
	const size_t start = row->width;

	row_add(row, role, "%3zu ", frame);
	row_add(row, report_trust_role(at->trust), "%-4s ", frame_tag(at));
	const size_t used = row->width - start;
	report_add_frame_name(row, role, walk, frame, false, width > used ? width - used : 1);
}

static enum role
role_of(char sign)
{
	return sign == '!' ? ROLE_BAD : sign == ' ' ? ROLE_NORMAL : ROLE_CHANGED;
}

static void
fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct pairs *pairs = listing->context;
	const size_t width = side_width(columns);

	for (int side = 0; side < 2; side++) {
		const struct pair *pair = index < pairs->count ? &pairs->pairs[index] : NULL;
		const char sign = pair != NULL ? pair->sign : pairs->same_end ? ' ' : '~';

		if (side == 0)
			row_add(row, role_of(sign), "%c ", sign);
		else
			row_add(row, ROLE_DIM, " | ");
		const size_t start = row->width;
		const uint32_t frame = pair == NULL ? NO_FRAME
				       : side == 0  ? pair->left
						    : pair->right;
		if (pair == NULL)
			row_add_cut(row, ROLE_DIM, columns == 0 && side == 1 ? 0 : width, false,
				    text_of(end_of(&pairs->sides[side])));
		else if (frame != NO_FRAME)
			add_frame(row, pairs->sides[side].walk, frame,
				  columns == 0 && side == 1 ? 400 : width, role_of(sign));
		if (side == 0)
			row_pad(row, start + width);
	}
}

static struct target
target(const struct listing *listing, size_t index)
{
	const struct pairs *pairs = listing->context;
	struct target target = report_no_target();

	if (index < pairs->count && pairs->pairs[index].right != NO_FRAME) {
		target.kind = TARGET_FRAME;
		target.thread = pairs->sides[1].walk->thread;
		target.frame = pairs->pairs[index].right;
	}
	return target;
}

static void
explain_side(const struct walks_side *side, uint32_t frame, struct row *row)
{
	const struct arch *arch = side->walk != NULL ? side->walk->arch : NULL;

	row_add(row, ROLE_NORMAL, "%s: ", side->name);
	if (frame == NO_FRAME) {
		row_add(row, ROLE_NORMAL, "no frame there");
		return;
	}
	row_add(row, ROLE_NORMAL, "%s %0*" PRIx64 " %s %0*" PRIx64, arch->registers[arch->pc].label,
		report_digits(arch), value_of(side->walk, frame, arch->pc),
		arch->registers[arch->sp].label, report_digits(arch),
		value_of(side->walk, frame, arch->sp));
}

static void
explain(const struct listing *listing, size_t index, struct row *row)
{
	const struct pairs *pairs = listing->context;

	if (index >= pairs->count) {
		row_add(row, ROLE_NORMAL, "%s: %s; %s: %s", pairs->sides[0].name,
			end_of(&pairs->sides[0]), pairs->sides[1].name, end_of(&pairs->sides[1]));
		return;
	}
	const struct pair *pair = &pairs->pairs[index];
	explain_side(&pairs->sides[1], pair->right, row);
	if (pair->sign != ' ') {
		row_add(row, ROLE_NORMAL, "   ");
		explain_side(&pairs->sides[0], pair->left, row);
	}
}

struct listing
walks_listing(const struct walks_side *left, const struct walks_side *right, struct arena *arena)
{
	const size_t most = (left->walk != NULL ? left->walk->count : 0) +
			    (right->walk != NULL ? right->walk->count : 0);
	struct pairs *pairs = arena_alloc(arena, sizeof(*pairs));

	if (pairs == NULL || (pairs->pairs = arena_array(arena, most + 1,
							 sizeof(*pairs->pairs))) == NULL)
		return listing_out_of_memory();
	pairs->sides[0] = *left;
	pairs->sides[1] = *right;
	pairs->counts.first = SIZE_MAX;
	align(pairs);
	pairs->same_end = strcmp(end_of(left), end_of(right)) == 0;
	return (struct listing){ .count = pairs->count + 1, .head = head, .fill = fill,
				 .target = target, .explain = explain, .context = pairs };
}

struct walks_counts
walks_counts(const struct listing *listing)
{
	const struct pairs *pairs = listing->context;

	if (listing->fill != fill)
		return (struct walks_counts){ .first = SIZE_MAX };
	return pairs->counts;
}

size_t
walks_row(const struct listing *listing, size_t frame)
{
	const struct pairs *pairs = listing->context;
	size_t found = 0;

	for (size_t i = 0; listing->fill == fill && i < pairs->count; i++)
		if (pairs->pairs[i].right != NO_FRAME && pairs->pairs[i].right <= frame)
			found = i;
	return found;
}
