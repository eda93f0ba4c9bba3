/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walks_compared.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/align.h"
#include "report/report.h"

struct pairs {
	struct walks_side sides[2];
	struct alignment rows;	/* without the last row, which says how both end */
	bool same_end;
};

static uint64_t
value_of(const struct walk *walk, size_t frame, int reg)
{
	return walk->frames[frame].registers.value[reg];
}

/* The innermost frames stand beside each other always, the others by their stack pointers. */
static struct align_side
side_of(const struct walk *walk, struct arena *arena)
{
	const size_t count = walk != NULL ? walk->count : 0;
	struct align_frame *frames = arena_array(arena, count + 1, sizeof(*frames));

	for (size_t i = 0; frames != NULL && i < count; i++) {
		const uint64_t sp = value_of(walk, i, walk->arch->sp);
		const uint64_t where = value_of(walk, i, walk->arch->pc) * 31 + sp;

		frames[i] = (struct align_frame){ i == 0 ? 0 : sp,
						  where * 31 + (uint64_t)walk->frames[i].trust };
	}
	return (struct align_side){ frames, count };
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
walks_compared_head(const struct listing *listing, size_t columns, struct row *row)
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
walks_compared_fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct pairs *pairs = listing->context;
	const size_t width = side_width(columns);

	for (int side = 0; side < 2; side++) {
		const struct align_pair *pair =
			index < pairs->rows.count ? &pairs->rows.pairs[index] : NULL;
		char sign = pair != NULL ? pair->sign : pairs->same_end ? '=' : '~';

		if (sign == '=' || index == pairs->rows.first)
			sign = sign == '=' ? ' ' : '!';

		if (side == 0)
			row_add(row, role_of(sign), "%c ", sign);
		else
			row_add(row, ROLE_DIM, " | ");
		const size_t start = row->width;
		const size_t frame = pair == NULL ? ALIGN_NONE : pair->frame[side];
		if (pair == NULL)
			row_add_cut(row, ROLE_DIM, columns == 0 && side == 1 ? 0 : width, false,
				    text_of(end_of(&pairs->sides[side])));
		else if (frame != ALIGN_NONE)
			add_frame(row, pairs->sides[side].walk, frame,
				  columns == 0 && side == 1 ? 400 : width, role_of(sign));
		if (side == 0)
			row_pad(row, start + width);
	}
}

static struct target
walks_compared_target(const struct listing *listing, size_t index)
{
	const struct pairs *pairs = listing->context;

	if (index >= pairs->rows.count || pairs->rows.pairs[index].frame[1] == ALIGN_NONE)
		return report_no_target();
	return TARGET(TARGET_FRAME, .thread = pairs->sides[1].walk->thread,
		      .frame = pairs->rows.pairs[index].frame[1]);
}

static void
explain_side(const struct walks_side *side, size_t frame, struct row *row)
{
	const struct arch *arch = side->walk != NULL ? side->walk->arch : NULL;

	row_add(row, ROLE_NORMAL, "%s: ", side->name);
	if (frame == ALIGN_NONE) {
		row_add(row, ROLE_NORMAL, "no frame there");
		return;
	}
	row_add(row, ROLE_NORMAL, "%s %0*" PRIx64 " %s %0*" PRIx64, arch->registers[arch->pc].label,
		report_digits(arch), value_of(side->walk, frame, arch->pc),
		arch->registers[arch->sp].label, report_digits(arch),
		value_of(side->walk, frame, arch->sp));
}

static void
walks_compared_explain(const struct listing *listing, size_t index, struct row *row)
{
	const struct pairs *pairs = listing->context;

	if (index >= pairs->rows.count) {
		row_add(row, ROLE_NORMAL, "%s: %s; %s: %s", pairs->sides[0].name,
			end_of(&pairs->sides[0]), pairs->sides[1].name, end_of(&pairs->sides[1]));
		return;
	}
	const struct align_pair *pair = &pairs->rows.pairs[index];
	explain_side(&pairs->sides[1], pair->frame[1], row);
	if (pair->sign != '=') {
		row_add(row, ROLE_NORMAL, "   ");
		explain_side(&pairs->sides[0], pair->frame[0], row);
	}
}

struct listing
walks_listing(const struct walks_side *left, const struct walks_side *right, struct arena *arena)
{
	struct pairs *pairs = arena_alloc(arena, sizeof(*pairs));
	const struct align_side sides[2] = { side_of(left->walk, arena),
					     side_of(right->walk, arena) };

	if (pairs == NULL || sides[0].frames == NULL || sides[1].frames == NULL ||
	    !align_ascending(&pairs->rows, sides, arena))
		return listing_out_of_memory();
	pairs->sides[0] = *left;
	pairs->sides[1] = *right;
	pairs->same_end = strcmp(end_of(left), end_of(right)) == 0;
	return (struct listing){ .count = pairs->rows.count + 1,
				 .head = walks_compared_head,
				 .fill = walks_compared_fill,
				 .target = walks_compared_target,
				 .explain = walks_compared_explain,
				 .context = pairs };
}

struct walks_counts
walks_counts(const struct listing *listing)
{
	const struct pairs *pairs = listing->context;

	if (listing->fill != walks_compared_fill)
		return (struct walks_counts){ 0 };
	return (struct walks_counts){ pairs->rows.count - pairs->rows.different,
				      pairs->rows.different };
}

size_t
walks_row(const struct listing *listing, size_t frame)
{
	const struct pairs *pairs = listing->context;
	size_t found = 0;

	/* ALIGN_NONE is above every frame. */
	for (size_t i = 0; listing->fill == walks_compared_fill && i < pairs->rows.count; i++)
		if (pairs->rows.pairs[i].frame[1] <= frame)
			found = i;
	return found;
}
