/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/function_starts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/reader.h"
#include "base/sorted.h"
#include "debug_info/file_symbols.h"

enum {
	HEADER_SIZE = 12,		/* bytes of .eh_frame_hdr before its table */
	HEADER_ENCODING = 0x3b,		/* encoding of the table's offsets: signed, 4 bytes */
	MOST_TRIES = 1 << 14,
	SAMPLE = 64,
};

void
function_starts_add(struct function_starts *starts, uint64_t address)
{
	starts->memory_ended |= !ARENA_ADD(starts->arena, starts->list, starts->count,
					   starts->capacity, &address);
}

SORTED_VALUES(compare_starts, uint64_t)

void
function_starts_sort(struct function_starts *starts)
{
	size_t count = 0;

	SORT(starts->list, starts->count, compare_starts);
	for (size_t i = 0; i < starts->count; i++)
		if (count == 0 || starts->list[count - 1] != starts->list[i])
			starts->list[count++] = starts->list[i];
	starts->count = count;
}

bool
function_starts_has(const struct function_starts *starts, uint64_t address)
{
	return starts->count > 0 &&
	       bsearch(&address, starts->list, starts->count, sizeof(address), compare_starts) !=
		       NULL;
}

void
function_starts_of_table(struct function_starts *starts, const struct binary *binary)
{
	const struct binary_section *section = binary_section(binary, 0, ".eh_frame_hdr");

	if (section == NULL || section->data == NULL || section->compressed ||
	    section->size < HEADER_SIZE || binary->big_endian || section->data[0] != 1 ||
	    section->data[3] != HEADER_ENCODING)
		return;
	for (uint64_t at = HEADER_SIZE; at + 8 <= section->size; at += 8) {
		const int32_t distance = (int32_t)reader_little(section->data + at);

		function_starts_add(starts, section->address + (uint64_t)(int64_t)distance -
						    binary->linked_base);
	}
	function_starts_sort(starts);
}

void
function_starts_of_symbols(struct function_starts *starts, const struct binary *binary,
		   const struct arch *arch)
{
	struct file_symbols symbols;

	file_symbols_read(&symbols, binary);
	for (size_t i = 0; i < symbols.count; i++)
		function_starts_add(starts, arch_code(arch, symbols.items[i].address) -
						    binary->linked_base);
	file_symbols_free(&symbols);
	function_starts_sort(starts);
}

/* Count the functions in a sample of `few` that are also in `many`, `move` bytes higher. */
static size_t
count_same(const struct function_starts *few, const struct function_starts *many, uint64_t move,
	   size_t sample, size_t needed)
{
	size_t good = 0;

	for (size_t i = 0; i < sample && good + (sample - i) >= needed; i++)
		good += function_starts_has(many, few->list[i * few->count / sample] + move);
	return good;
}

/* The constant distance from the functions of one list to those of the other; 0: none. */
static uint64_t
find_move(const struct function_starts *few, const struct function_starts *many)
{
	const size_t sample = few->count < SAMPLE ? few->count : SAMPLE;
	const size_t needed = sample - sample / 8;

	for (size_t i = 0; sample >= FUNCTION_STARTS_FEWEST && i < many->count && i < MOST_TRIES;
	     i++) {
		const uint64_t move = many->list[i] - few->list[0];

		if (count_same(few, many, move, sample, needed) >= needed)
			return move;
	}
	return 0;
}

struct starts_compared
function_starts_compare(const struct function_starts *own, const struct function_starts *file)
{
	/* Either list may be short: a file may be stripped, a symbol file may have few records. */
	const struct function_starts *few = own->count < file->count ? own : file;
	const struct function_starts *many = few == own ? file : own;
	struct starts_compared compared = { .compared = few->count };

	compared.same = count_same(few, many, 0, few->count, 0);
	compared.fits = compared.same >= few->count / 2;
	const uint64_t move = compared.fits ? 0 : find_move(few, many);
	compared.behind = few == own ? move : 0 - move;
	return compared;
}

const char *
function_starts_distance(uint64_t behind, char buffer[static FUNCTION_STARTS_TEXT])
{
	const bool before = (int64_t)behind < 0;

	snprintf(buffer, FUNCTION_STARTS_TEXT, "all records lie 0x%" PRIx64 " bytes %s their code",
		 before ? 0 - behind : behind, before ? "before" : "after");
	return buffer;
}
