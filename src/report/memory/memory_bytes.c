/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/memory_bytes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/sorted.h"
#include "report/report.h"

#define ROW_BYTES 16u
/* Columns of a narrow screen, and the digits of its addresses. */
#define NARROW 80u
#define SHORT_DIGITS 12

/* One region: a row with its name, then its bytes. */
struct bytes_part {
	uint64_t base, size;
	const uint8_t *data;
	const struct memory_region *region;	/* NULL: bytes of a module's file */
	uint64_t missing;			/* number of unavailable bytes before it */
	uint64_t row;				/* index of the row with its name */
};

struct dump_of_bytes {
	struct memory_bytes_options options;
	struct bytes_part *parts;
	size_t count;
	struct binary_run file;
	int digits;
};

static const struct bytes_part *
part_of_row(const struct dump_of_bytes *dump, size_t row)
{
	return &dump->parts[sorted_upto(SORTED(dump->parts, dump->count, row), row) - 1];
}

/* The address of a row's first byte, a multiple of 16. The row of the name has the part's base. */
static uint64_t
row_address(const struct bytes_part *part, size_t row)
{
	return row == part->row ? part->base
				: (part->base / ROW_BYTES + (row - part->row - 1)) * ROW_BYTES;
}

static bool
has_byte(const struct bytes_part *part, uint64_t address)
{
	return checked_contains(part->base, part->size, address);
}

/* Adds the owner of a byte: a file, a stack, a mapping or a module. */
static void
add_holder(const struct dump_of_bytes *dump, const struct bytes_part *part, uint64_t address,
	   struct row *row)
{
	const struct crash *crash = dump->options.around->crash;
	const struct mapping *mapping = crash_mapping(crash, address);
	const int module = module_map_find(&dump->options.around->modules, address);

	if (part->region == NULL)
		row_add(row, ROLE_BAD, " of the file %s",
			place_base_name(dump->file.binary->file.input.name));
	const int thread = crash_stack_owner(crash, address);
	if (thread >= 0)
		row_add(row, ROLE_STACK, " stack of thread %d", thread);
	if (mapping != NULL) {
		row_add(row, ROLE_DIM, " %s %s", mapping->text, mapping->name);
	} else if (module != MODULE_NONE) {
		row_add(row, ROLE_CODE, " %s", place_base_name(crash->modules[module].code_file));
	}
}

static void
add_part_name(const struct dump_of_bytes *dump, const struct bytes_part *part, struct row *row)
{
	if (part->missing > 0)
		row_add(row, ROLE_DIM, "0x%" PRIx64 " bytes are not in the dump; ", part->missing);
	row_add(row, ROLE_TITLE, "%" PRIx64 "-%" PRIx64, part->base, part->base + part->size - 1);
	row_add(row, ROLE_TITLE, " %s bytes", report_count(part->size).text);
	add_holder(dump, part, part->base, row);
}

/* Adds one value; blanks if its bytes are outside the part. */
static void
add_value(const struct dump_of_bytes *dump, const struct bytes_part *part, uint64_t address,
	  struct row *row)
{
	const unsigned unit = dump->options.unit;
	const struct reader reader = { .data = part->data, .size = part->size,
				       .big_endian = dump->options.around->memory.big_endian };
	uint64_t value;

	if (address >= part->base &&
	    reader_unsigned(&reader, address - part->base, unit, &value))
		row_add(row, ROLE_NORMAL, "%0*" PRIx64, (int)unit * 2, value);
	else if (has_byte(part, address) || has_byte(part, address + unit - 1))
		row_add(row, ROLE_UNKNOWN, "%.*s", (int)unit * 2, "????????????????");
	else
		row_add(row, ROLE_NORMAL, "%*s", (int)unit * 2, "");
}

static void
memory_bytes_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct dump_of_bytes *dump = listing->context;
	const struct bytes_part *part = part_of_row(dump, index);
	const uint64_t address = row_address(part, index);
	const struct crash *crash = dump->options.around->crash;

	/* With addresses of 12 digits a row fits in 80 columns. */
	const int digits = dump->digits > SHORT_DIGITS && columns > 0 && columns <= NARROW &&
					   (part->base + part->size) >> 4 * SHORT_DIGITS == 0
				   ? SHORT_DIGITS : dump->digits;

	row_add(row, ROLE_NORMAL, " ");
	if (index == part->row) {
		add_part_name(dump, part, row);
	} else {
		row_add(row, ROLE_DIM, "%0*" PRIx64 "  ", digits, address);
		if (part->region != NULL && crash->redacted) {
			row_add(row, ROLE_DIM, "%s", CRASH_REDACTED);
		} else {
			for (unsigned i = 0; i < ROW_BYTES; i += dump->options.unit) {
				add_value(dump, part, address + i, row);
				row_add(row, ROLE_NORMAL, " ");
			}
			if (dump->options.unit > 1)
				row_add(row, ROLE_NORMAL, " ");
			char text[ROW_BYTES + 1] = "";
			for (unsigned i = 0; i < ROW_BYTES; i++) {
				const uint8_t byte = has_byte(part, address + i)
					? part->data[address + i - part->base]
					: ' ';

				text[i] = byte >= ' ' && byte <= '~' ? (char)byte : '.';
			}
			row_add(row, ROLE_DATA, "%s", text);
		}
	}
}

static struct place
row_place(const struct dump_of_bytes *dump, const struct bytes_part *part, uint64_t address)
{
	const uint64_t first = address < part->base ? part->base : address;
	const uint64_t left = part->size - (first - part->base);
	const uint32_t length = left < ROW_BYTES ? (uint32_t)left : ROW_BYTES;

	if (part->region == NULL)
		return (struct place){ .input = &dump->file.binary->file.input,
				       .offset = dump->file.offset + (first - dump->file.base),
				       .length = length };
	return crash_memory_place(dump->options.around->crash, part->region, first, length);
}

static struct target
memory_bytes_row_target(const struct listing *listing, size_t index)
{
	const struct dump_of_bytes *dump = listing->context;
	const struct bytes_part *part = part_of_row(dump, index);

	return report_place_target(row_place(dump, part, row_address(part, index)));
}

static void
memory_bytes_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct dump_of_bytes *dump = listing->context;
	const struct bytes_part *part = part_of_row(dump, index);
	const uint64_t address = row_address(part, index), end = part->base + (part->size - 1);
	const uint64_t first = address < part->base ? part->base : address;
	const uint64_t last = end - address < ROW_BYTES ? end : address + (ROW_BYTES - 1);

	if (index == part->row) {
		add_part_name(dump, part, row);
	} else {
		row_add(row, ROLE_NORMAL, "%" PRIx64 "-%" PRIx64, first, last);
		add_holder(dump, part, first, row);
	}
	report_add_place(row, row_place(dump, part, address));
}

static void
add_part(struct dump_of_bytes *dump, struct bytes_part part, uint64_t *rows)
{
	const struct bytes_part *before = dump->count > 0 ? &dump->parts[dump->count - 1] : NULL;

	if (part.size == 0)
		return;
	part.missing = before == NULL ? 0 : part.base - before->base - before->size;
	part.row = *rows;
	dump->parts[dump->count++] = part;
	*rows += 1 + ((part.base + (part.size - 1)) / ROW_BYTES - part.base / ROW_BYTES + 1);
}

/* Makes a part for each run of the dump. If the dump lacks the address, adds a module's bytes. */
static uint64_t
find_parts(struct dump_of_bytes *dump)
{
	const struct memory_view *memory = &dump->options.around->memory;
	const uint64_t address = dump->options.address;
	bool wants_file = memory_run_of(memory, address) == NULL &&
			  binaries_run(dump->options.around->binaries, address, &dump->file);
	uint64_t rows = 0;

	for (size_t i = 0; i <= memory->count; i++) {
		const struct memory_run *run = i < memory->count ? &memory->runs[i] : NULL;

		if (wants_file && (run == NULL || run->base > address)) {
			/* If the file's run overlaps runs of the dump, use the dump's bytes. */
			const struct memory_run *below = i > 0 ? &memory->runs[i - 1] : NULL;
			uint64_t first = dump->file.base;
			uint64_t last = dump->file.base + (dump->file.size - 1);

			if (below != NULL && below->base + (below->size - 1) >= first)
				first = below->base + below->size;
			if (run != NULL && run->base <= last)
				last = run->base - 1;
			wants_file = false;
			const uint8_t *data = dump->file.data + (first - dump->file.base);
			add_part(dump, (struct bytes_part){ .base = first, .size = last - first + 1,
							    .data = data }, &rows);
		}
		if (run != NULL)
			add_part(dump, (struct bytes_part){ .base = run->base, .size = run->size,
							    .data = run->data,
							    .region = run->region }, &rows);
	}
	return rows;
}

struct listing
memory_bytes_listing(const struct memory_bytes_options *options, struct arena *arena)
{
	struct dump_of_bytes *dump = arena_alloc(arena, sizeof(*dump));
	char text[24];

	if (dump == NULL)
		return listing_out_of_memory();
	dump->options = *options;
	dump->parts = arena_array(arena, options->around->memory.count + 1, sizeof(*dump->parts));
	if (dump->parts == NULL)
		return listing_out_of_memory();
	const uint64_t rows = find_parts(dump);
	if (dump->count == 0)
		return listing_message("the dump has no memory");
	const struct bytes_part *last = &dump->parts[dump->count - 1];
	dump->digits = snprintf(text, sizeof(text), "%" PRIx64, last->base + (last->size - 1));
	return (struct listing){ .count = (size_t)rows,
				 .fill = memory_bytes_fill_row,
				 .target = memory_bytes_row_target,
				 .explain = memory_bytes_explain_row,
				 .context = dump };
}

size_t
memory_bytes_row(const struct listing *listing, uint64_t address)
{
	const struct dump_of_bytes *dump = listing->context;
	const struct bytes_part *part;
	size_t at = 0;

	if (listing->fill != memory_bytes_fill_row)
		return 0;
	while (at + 1 < dump->count &&
	       dump->parts[at].base + (dump->parts[at].size - 1) < address)
		at++;
	part = &dump->parts[at];
	if (!has_byte(part, address))
		return (size_t)part->row;
	return (size_t)(part->row + 1 + address / ROW_BYTES - part->base / ROW_BYTES);
}
