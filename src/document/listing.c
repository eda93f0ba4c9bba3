/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/listing.h"

#include "base/error.h"

/* A message in one row has its whole text; a wrapped message has one line in each row. */
static void
fill_message(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct text text = text_of(listing->context);

	row_add_cut(row, ROLE_DIM, columns, false,
		    listing->count == 1 || columns == 0 ? text
							: row_wrap_line(text, columns, index));
}

void
listing_head(const struct listing *listing, size_t columns, struct row *row)
{
	listing->head(listing, columns, row);
	if (columns != 0)
		row_cut(row, columns);
}

void
listing_fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	listing->fill(listing, index, columns, row);
	if (columns != 0)
		row_cut(row, columns);
}

struct target
listing_target(const struct listing *listing, size_t index)
{
	return listing->target != NULL ? listing->target(listing, index) : TARGET(TARGET_NONE);
}

void
listing_explain(const struct listing *listing, size_t index, struct row *row)
{
	if (listing->explain != NULL)
		listing->explain(listing, index, row);
}

/* Find the part with row `*row`. Sets `*row` to the row in the part; SIZE_MAX: the headings. */
static const struct listing_part *
part_at(const struct listing *listing, size_t *row)
{
	const struct listing_part *part = listing->context;

	for (;; part++) {
		const size_t head = part->listing.head != NULL;

		if (*row < head + part->count) {
			*row = *row < head ? SIZE_MAX : part->first + *row - head;
			return part;
		}
		*row -= head + part->count;
	}
}

static void
fill_joined(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct listing_part *part = part_at(listing, &index);

	if (index == SIZE_MAX)
		listing_head(&part->listing, columns, row);
	else
		listing_fill(&part->listing, index, columns, row);
}

static struct target
joined_target(const struct listing *listing, size_t index)
{
	const struct listing_part *part = part_at(listing, &index);

	return index == SIZE_MAX ? TARGET(TARGET_NONE) : listing_target(&part->listing, index);
}

static void
explain_joined(const struct listing *listing, size_t index, struct row *row)
{
	const struct listing_part *part = part_at(listing, &index);

	if (index != SIZE_MAX)
		listing_explain(&part->listing, index, row);
}

struct listing
listing_joined(const struct listing_part *parts, size_t count, struct arena *arena)
{
	struct listing_part *joined = arena_array(arena, count, sizeof(*joined));
	size_t rows = 0;

	if (joined == NULL)
		return listing_out_of_memory();
	for (size_t i = 0; i < count; i++) {
		joined[i] = parts[i];
		rows += parts[i].count + (parts[i].listing.head != NULL);
	}
	return (struct listing){ .count = rows, .fill = fill_joined, .target = joined_target,
				 .explain = explain_joined, .context = joined };
}

const struct listing *
listing_part_of(const struct listing *listing, size_t row, size_t *own)
{
	if (listing->fill != fill_joined || row >= listing->count)
		return NULL;
	const struct listing_part *part = part_at(listing, &row);
	*own = row;
	return row == SIZE_MAX ? NULL : &part->listing;
}

struct listing
listing_message(const char *text)
{
	return (struct listing){ .count = 1, .fill = fill_message, .context = text };
}

struct listing
listing_out_of_memory(void)
{
	return listing_message(OUT_OF_MEMORY);
}

bool
listing_is_message(const struct listing *listing)
{
	return listing->fill == fill_message;
}

struct listing
listing_wrapped(struct listing listing, size_t columns)
{
	if (listing.fill == fill_message && columns != 0)
		listing.count = row_wrap_count(text_of(listing.context), columns);
	return listing;
}

void
listing_write(const struct output *output, const struct listing *listing, size_t first,
	      size_t count)
{
	struct arena arena = { 0 };
	struct row row = ROW_IN(&arena);

	row.names = output->names;
	if (listing->head != NULL) {
		listing_head(listing, 0, &row);
		row_write(output, &row);
	}
	for (size_t i = first; i < listing->count && i - first < count; i++) {
		listing_fill(listing, i, 0, &row);
		row_write(output, &row);
	}
	if (listing->foot != NULL) {
		listing->foot(listing, &row);
		row_write(output, &row);
	}
	arena_free(&arena);
}
