/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/table.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "symbols/span.h"

static size_t
width(const struct table *table)
{
	return table->wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

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
		/* After a failure some columns may be wide: the table can only be freed. */
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
