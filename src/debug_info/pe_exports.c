/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/pe_exports.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "binary/binary_internal.h"
#include "frame_table/frame_tables_internal.h"
#include "debug_info/pe_symbols.h"

#define DIRECTORY_EXPORTS 0u
/* No function is longer: the same reach as that of PUBLIC records (public-names). */
#define MOST_REACH (1u << 20)

/* Export Directory Table. */
struct directory {
	uint32_t first_ordinal;
	struct reader addresses, names, ordinals;
	uint64_t begin, end;		/* an address in here is the name of another DLL's export */
};

/* `count` entries of `size` bytes at `address`, or those of them that the file has. */
static struct reader
array_at(const struct binary *binary, uint32_t address, uint32_t count, unsigned size)
{
	const struct binary_segment *segment = binary_segment(binary, address);
	const struct reader file = binary_reader(binary);
	struct reader window = { .input = file.input };

	if (segment == NULL)
		return window;
	const uint64_t skip = address - segment->address, left = segment->size - skip;
	const uint64_t wanted = (uint64_t)(count < LIMIT_EXPORTS ? count : LIMIT_EXPORTS) * size;
	reader_window(&file, segment->offset + skip, wanted < left ? wanted : left, &window);
	return window;
}

static bool
read_directory(const struct binary *binary, struct directory *directory)
{
	struct reader table;
	uint32_t begin = 0, addresses = 0, names = 0, at[3] = { 0 };

	if (binary->format != BINARY_PE || !pe_directory(binary, DIRECTORY_EXPORTS, &table) ||
	    !pe_directory_address(binary, DIRECTORY_EXPORTS, &begin) ||
	    !reader_u32(&table, 16, &directory->first_ordinal) ||
	    !reader_u32(&table, 20, &addresses) || !reader_u32(&table, 24, &names))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!reader_u32(&table, 28 + 4 * i, &at[i]))
			return false;
	directory->addresses = array_at(binary, at[0], addresses, 4);
	directory->names = array_at(binary, at[1], names, 4);
	directory->ordinals = array_at(binary, at[2], names, 2);
	directory->begin = begin;
	directory->end = begin + table.size;
	return true;
}

/* The terminated string at `address`, copied; NULL where there is none. */
static const char *
string_at(const struct binary *binary, uint32_t address, struct arena *arena)
{
	const struct binary_segment *segment = binary_segment(binary, address);

	if (segment == NULL)
		return NULL;
	const uint64_t skip = address - segment->address, left = segment->size - skip;
	const char *text = (const char *)binary->file.data + segment->offset + skip;
	const char *end = memchr(text, '\0', left < LIMIT_EXPORT_NAME ? left : LIMIT_EXPORT_NAME);
	return end != NULL && end > text ? arena_copy(arena, text, (size_t)(end - text)) : NULL;
}

/* Export `index` of the address table where it is a function of this file; without a name. */
static bool
read_function(const struct binary *binary, const struct directory *directory, uint64_t index,
	      struct pe_export *export)
{
	uint32_t address = 0;

	if (!reader_u32(&directory->addresses, index * 4, &address) ||
	    (address >= directory->begin && address < directory->end))
		return false;
	const struct binary_segment *segment = binary_segment(binary, address);
	*export = (struct pe_export){
		.address = address, .table = ".edata", .ordinal = directory->first_ordinal + (uint32_t)index,
		.offset = directory->addresses.start + index * 4 };
	return segment != NULL && segment->executable;
}

/* The names that the export table has, one an index of the address table. */
static const char **
read_names(const struct binary *binary, const struct directory *directory, struct arena *arena)
{
	const uint64_t addresses = directory->addresses.size / 4;
	const char **names = arena_array(arena, (size_t)addresses + 1, sizeof(*names));
	uint32_t name = 0;
	uint16_t index = 0;

	for (uint64_t i = 0; names != NULL && reader_u32(&directory->names, i * 4, &name) &&
			     reader_u16(&directory->ordinals, i * 2, &index); i++)
		if (index < addresses && names[index] == NULL)
			names[index] = string_at(binary, name, arena);
	return names;
}

SORTED_BY_TWO(compare, struct pe_export, address, ordinal)

/* Of functions with one address the first one whose name is no ordinal's. */
static void
keep_one_each(struct pe_exports *exports)
{
	size_t kept = 0;

	for (size_t i = 0; i < exports->count; i++) {
		struct pe_export *last = kept > 0 ? &exports->items[kept - 1] : NULL;

		if (last == NULL || last->address != exports->items[i].address)
			exports->items[kept++] = exports->items[i];
		else if (last->nameless && !exports->items[i].nameless)
			*last = exports->items[i];
	}
	exports->count = kept;
}

static void
read_functions(struct pe_exports *exports, const struct binary *binary,
	       const struct directory *directory)
{
	const uint64_t addresses = directory->addresses.size / 4;
	const char **names = read_names(binary, directory, &exports->arena);

	exports->items =
		arena_array(&exports->arena, (size_t)addresses + 1, sizeof(*exports->items));
	if (names == NULL || exports->items == NULL)
		return;
	for (uint64_t i = 0; i < addresses; i++) {
		struct pe_export *export = &exports->items[exports->count];

		if (!read_function(binary, directory, i, export))
			continue;
		export->name = names[i];
		exports->count++;
	}
	for (size_t i = 0; i < exports->count; i++) {
		struct pe_export *export = &exports->items[i];

		export->nameless = export->name == NULL;
		if (export->nameless)
			export->name = arena_format(&exports->arena, "Ordinal%" PRIu32,
						    export->ordinal);
	}
}

/* Add the symbols that are no exports. */
static void
read_symbols(struct pe_exports *exports, const struct binary *binary)
{
	struct pe_export *symbols, *all;
	const size_t count = pe_symbols_read(binary, &exports->arena, &symbols);

	if (count == 0)
		return;
	all = arena_array(&exports->arena, exports->count + count, sizeof(*all));
	if (all == NULL)
		return;
	if (exports->count > 0)
		memcpy(all, exports->items, exports->count * sizeof(*all));
	memcpy(all + exports->count, symbols, count * sizeof(*all));
	exports->items = all;
	exports->count += count;
}

void
pe_exports_read(struct pe_exports *exports, const struct binary *binary)
{
	struct directory directory;

	*exports = (struct pe_exports){ 0 };
	arena_init(&exports->arena, 0);
	if (read_directory(binary, &directory))
		read_functions(exports, binary, &directory);
	read_symbols(exports, binary);
	if (exports->count == 0)
		return;
	qsort(exports->items, exports->count, sizeof(*exports->items), compare);
	keep_one_each(exports);
	exports->frames = pe_frames_open(binary);
}

void
pe_exports_free(struct pe_exports *exports)
{
	pe_frames_close(exports->frames);
	arena_free(&exports->arena);
	*exports = (struct pe_exports){ 0 };
}

static const struct pe_export *
nearest(const struct pe_exports *exports, uint64_t relative)
{
	size_t low = sorted_upto(SORTED(exports->items, exports->count, address), relative);

	return low > 0 && exports->items[low - 1].name != NULL ? &exports->items[low - 1] : NULL;
}

const struct pe_export *
pe_exports_at(const struct pe_exports *exports, uint64_t relative)
{
	const struct pe_export *export = nearest(exports, relative);
	struct pe_whole extent;

	if (export == NULL || relative - export->address >= MOST_REACH)
		return NULL;
	if (exports->frames == NULL)
		return export;
	/* Parts of a function may be far away from it, before other functions. */
	pe_frames_whole(exports->frames, relative, &extent);
	if (!extent.function)
		return export->address >= extent.begin ? export : NULL;
	export = nearest(exports, extent.begin);
	return export != NULL && export->address == extent.begin && extent.begin <= relative
		       ? export
		       : NULL;
}

uint64_t
pe_exports_size(const struct pe_exports *exports, const struct pe_export *export)
{
	struct frame_extent extent;

	if (exports->frames == NULL)
		return 0;
	pe_frames_extent(exports->frames, export->address, &extent);
	return extent.entry && extent.first == export->address ? extent.last - extent.first + 1 : 0;
}
