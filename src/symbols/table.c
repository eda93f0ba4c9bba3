/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/table.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbols/slice.h"
#include "symbols/span.h"

static size_t
width(const struct table *table)
{
	return table->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

/* Resize a column to `capacity` values and keep its content. */
static bool
resize(void **column, size_t capacity, size_t width)
{
	void *larger = capacity > SIZE_MAX / width ? NULL : realloc(*column, capacity * width);

	if (larger == NULL)
		return false;
	*column = larger;
	return true;
}

static bool
resize_all(struct table *table, size_t capacity)
{
	const size_t each = width(table);

	if (!resize(&table->addresses, capacity, each) ||
	    !resize(&table->offsets, capacity, each) ||
	    (table->ranges && !resize(&table->sizes, capacity, each)))
		return false;
	table->capacity = capacity;
	return true;
}

static bool
widen_column(const struct table *table, void **column)
{
	const uint32_t *narrow = *column;
	uint64_t *wide = malloc((table->capacity + 1) * sizeof(*wide));

	if (wide == NULL)
		return false;
	for (size_t row = 0; row < table->count; row++)
		wide[row] = narrow[row];
	free(*column);
	*column = wide;
	return true;
}

static void
put(const struct table *table, void *column, uint64_t value)
{
	if (table->wide)
		((uint64_t *)column)[table->count] = value;
	else
		((uint32_t *)column)[table->count] = (uint32_t)value;
}

bool
table_add(struct table *table, uint64_t address, uint64_t size, uint64_t offset)
{
	if (!table->wide && (address | size | offset) > UINT32_MAX) {
		/* Out of memory half way the columns differ, so the table can only be freed. */
		if (!widen_column(table, &table->addresses) ||
		    !widen_column(table, &table->offsets) ||
		    (table->ranges && !widen_column(table, &table->sizes))) {
			table->count = 0;
			return false;
		}
		table->wide = true;
	}
	if (table->count == table->capacity &&
	    (table->count >= SPAN_NONE / 2 ||
	     !resize_all(table, table->capacity == 0 ? 64 : table->capacity * 2)))
		return false;
	put(table, table->addresses, address);
	put(table, table->offsets, offset);
	if (table->ranges)
		put(table, table->sizes, size);
	table->count++;
	return true;
}

/* Whether all values of some rows fit in 32 bits. */
static bool
rows_narrow(const struct slice_row *rows, size_t count, uint64_t start)
{
	uint64_t all = 0;

	for (size_t row = 0; row < count; row++)
		all |= rows[row].address;
	return (all | (start + rows[count - 1].offset)) <= UINT32_MAX;
}

static bool
make_room(struct table *table, size_t count)
{
	size_t capacity = table->capacity == 0 ? 64 : table->capacity;

	if (count > SPAN_NONE / 2 - table->count)
		return false;
	while (capacity < table->count + count)
		capacity *= 2;
	return capacity == table->capacity || resize_all(table, capacity);
}

/* Sizes in rows always fit in 32 bits. */
static void
put_narrow(struct table *table, const struct slice_row *rows, size_t count, uint64_t start)
{
	uint32_t *addresses = (uint32_t *)table->addresses + table->count;
	uint32_t *offsets = (uint32_t *)table->offsets + table->count;
	uint32_t *sizes = table->ranges ? (uint32_t *)table->sizes + table->count : NULL;

	for (size_t row = 0; row < count; row++) {
		addresses[row] = (uint32_t)rows[row].address;
		offsets[row] = (uint32_t)start + rows[row].offset;
	}
	for (size_t row = 0; sizes != NULL && row < count; row++)
		sizes[row] = rows[row].size;
	table->count += count;
}

bool
table_add_rows(struct table *table, const struct slice_row *rows, size_t count, uint64_t start)
{
	if (count == 0)
		return true;
	if (!table->wide && rows_narrow(rows, count, start)) {
		if (!make_room(table, count))
			return false;
		put_narrow(table, rows, count, start);
		return true;
	}
	for (size_t row = 0; row < count; row++)
		if (!table_add(table, rows[row].address, rows[row].size,
			       start + rows[row].offset))
			return false;
	return true;
}

void
table_trim(struct table *table)
{
	if (table->count != 0 && table->count < table->capacity)
		resize_all(table, table->count);
}

void
table_free(struct table *table)
{
	if (!table->borrowed) {
		free(table->addresses);
		free(table->sizes);
		free(table->offsets);
	}
	*table = (struct table){ .ranges = table->ranges };
}

size_t
table_rows_before(const struct table *table, uint64_t end)
{
	size_t at;

	BISECT(at, table->count, table_offset(table, at) < end);
	return at;
}
