/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "binary/binary.h"
#include "debug_info/file_symbols.h"
#include "lint/lint_internal.h"

/*
 * Whether the records are of the module that the file names: by its identifiers, by the registers
 * of the rules, and by the binary where one is given. Identifiers can be copied, so it is compared
 * where functions begin: in the binary's symbol table and in the table of .eh_frame_hdr, which
 * stripped files have as well. What is wrong with the whole file is one finding.
 */

enum {
	CODE_ID_WORD = 13,		/* "INFO CODE_ID " */
	GUID = 32,			/* digits */
	HEADER_SIZE = 12,		/* of .eh_frame_hdr before its table */
	HEADER_ENCODING = 0x3b,		/* of the table: signed, 4 bytes, from the section */
	FEWEST = 4,			/* functions that prove anything */
	MOST_TRIES = 1 << 14,		/* distances that are tried */
	SAMPLE = 64,
};

void
lint_code_id(struct lint_reading *reading)
{
	const struct text record = reading->record, id = reading->module_id;
	struct text code = { record.start + CODE_ID_WORD, record.length - CODE_ID_WORD };
	char digits[128], guid[BINARY_DEBUG_ID];
	const char *end = memchr(code.start, ' ', code.length);

	code.length = end != NULL ? (size_t)(end - code.start) : code.length;
	/* Code identifiers of PE and Mach-O files are no longer forms of the debug identifier. */
	if (!reading->build_ids || code.length < GUID || code.length >= sizeof(digits) ||
	    id.length < GUID)
		return;
	memcpy(digits, code.start, code.length);
	digits[code.length] = '\0';
	binary_guid(digits, guid);
	if (strncasecmp(guid, id.start, GUID) != 0)
		lint_report(reading, LINT_CODE_ID, CODE_ID_WORD, code.length, "%.*s", GUID, guid);
}

/* Another architecture that has a register of this name. */
static const struct arch *
arch_with(const struct arch *not, struct text name)
{
	for (int id = 0; id < ARCH_COUNT; id++) {
		const struct arch *arch = arch_by_id((enum arch_id)id);

		if (arch != not && arch->register_count > 0 && arch->symbol_names != NULL &&
		    arch_register(arch, name, ARCH_NAMES_EXACT) != ARCH_NO_REGISTER)
			return arch;
	}
	return NULL;
}

static bool
is_foreign(enum lint_code code)
{
	return code == LINT_CFI_UNKNOWN_NAME || code == LINT_CFI_UNKNOWN_REGISTER;
}

void
lint_architecture(struct lint_reading *reading)
{
	struct lint *lint = reading->lint;
	const struct arch *other = NULL;
	struct text name = { 0 };
	size_t kept = 0;

	if (lint->counts[LINT_CFI_UNKNOWN_NAME] < reading->inits.count / 2 + FEWEST ||
	    !reading->module_seen)
		return;
	for (size_t i = 0; i < lint->finding_count && other == NULL; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const size_t skip = finding->place.column - 1;

		if (finding->code != LINT_CFI_UNKNOWN_NAME || skip > finding->record.length)
			continue;
		name = (struct text){ finding->record.start + skip, finding->place.length };
		other = arch_with(reading->arch, name);
	}
	if (other == NULL)
		return;
	for (size_t i = 0; i < lint->finding_count; i++)
		if (!is_foreign(lint->findings[i].code))
			lint->findings[kept++] = lint->findings[i];
	lint->finding_count = kept;
	lint_report_at(reading, LINT_MODULE_OTHER_ARCHITECTURE, reading->module_offset,
		       reading->module_line, "%zu expressions read registers such as '%.*s' of %s",
		       lint->counts[LINT_CFI_UNKNOWN_NAME], (int)name.length, name.start,
		       other->name);
	lint->counts[LINT_CFI_UNKNOWN_NAME] = lint->counts[LINT_CFI_UNKNOWN_REGISTER] = 0;
}

/* Addresses, counted from the module's base, ascending. */
struct start_list {
	uint64_t *list;
	size_t count, capacity;
};

static void
add_start(struct lint_reading *reading, struct start_list *starts, uint64_t address)
{
	uint64_t *added =
		ARENA_PUSH(reading->scratch, starts->list, starts->count, starts->capacity);

	reading->memory_ended |= added == NULL;
	if (added != NULL)
		*added = address;
}

SORTED_VALUES(compare_starts, uint64_t)

static void
sort_starts(struct start_list *starts)
{
	size_t count = 0;

	if (starts->count > 0)
		qsort(starts->list, starts->count, sizeof(*starts->list), compare_starts);
	for (size_t i = 0; i < starts->count; i++)
		if (count == 0 || starts->list[count - 1] != starts->list[i])
			starts->list[count++] = starts->list[i];
	starts->count = count;
}

static bool
has_start(const struct start_list *starts, uint64_t address)
{
	return starts->count > 0 &&
	       bsearch(&address, starts->list, starts->count, sizeof(address), compare_starts) !=
		       NULL;
}

/* The table of .eh_frame_hdr: LSB, Exception Frames, Binary search table. */
static void
add_table(struct lint_reading *reading, const struct binary *binary, struct start_list *starts)
{
	const struct binary_section *section = binary_section(binary, 0, ".eh_frame_hdr");

	if (section == NULL || section->data == NULL || section->compressed ||
	    section->size < HEADER_SIZE || binary->big_endian || section->data[0] != 1 ||
	    section->data[3] != HEADER_ENCODING)
		return;
	for (uint64_t at = HEADER_SIZE; at + 8 <= section->size; at += 8) {
		const uint8_t *bytes = section->data + at;
		const int32_t distance = (int32_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
						   (uint32_t)bytes[2] << 16 |
						   (uint32_t)bytes[3] << 24);

		add_start(reading, starts,
			  section->address + (uint64_t)(int64_t)distance - binary->linked_base);
	}
}

/* Where the binary has functions. */
static struct start_list
binary_starts(struct lint_reading *reading, const struct binary *binary)
{
	struct start_list starts = { 0 };
	struct file_symbols symbols;

	add_table(reading, binary, &starts);
	file_symbols_read(&symbols, binary);
	for (size_t i = 0; i < symbols.count; i++)
		add_start(reading, &starts,
			  arch_code(reading->arch, symbols.items[i].address) - binary->linked_base);
	file_symbols_free(&symbols);
	sort_starts(&starts);
	return starts;
}

/* Where the file has functions or records of rules. */
static struct start_list
file_starts(struct lint_reading *reading)
{
	const struct lint_ranges *const kinds[] = { &reading->functions, &reading->publics,
						    &reading->inits };
	struct start_list starts = { 0 };

	for (size_t kind = 0; kind < 3; kind++)
		for (size_t i = 0; i < kinds[kind]->count; i++)
			add_start(reading, &starts,
				  arch_code(reading->arch, kinds[kind]->list[i].first));
	sort_starts(&starts);
	return starts;
}

/* Of some functions of a list those that another list has, `move` bytes further. */
static size_t
count_same(const struct start_list *few, const struct start_list *many, uint64_t move,
	   size_t sample, size_t needed)
{
	size_t good = 0;

	for (size_t i = 0; i < sample && good + (sample - i) >= needed; i++)
		good += has_start(many, few->list[i * few->count / sample] + move);
	return good;
}

/* The distance by which all of a list lies elsewhere in another one; 0: there is none. */
static uint64_t
find_move(const struct start_list *few, const struct start_list *many)
{
	const size_t sample = few->count < SAMPLE ? few->count : SAMPLE;
	const size_t needed = sample - sample / 8;

	for (size_t i = 0; sample >= FEWEST && i < many->count && i < MOST_TRIES; i++) {
		const uint64_t move = many->list[i] - few->list[0];

		if (count_same(few, many, move, sample, needed) >= needed)
			return move;
	}
	return 0;
}

static bool
same_id(const struct lint_reading *reading, const struct binary *binary)
{
	char guid[BINARY_DEBUG_ID];

	binary_guid(binary->id, guid);
	return reading->module_id.length >= GUID &&
	       strncasecmp(guid, reading->module_id.start, GUID) == 0;
}

static void
report_wrong(struct lint_reading *reading, enum lint_code code, const char *format, uint64_t a,
	     uint64_t b)
{
	char text[200];

	snprintf(text, sizeof(text), format, a, b);
	lint_report_at(reading, code, reading->module_offset, reading->module_line, "%s", text);
}

/* Records where the binary has no code. */
static void
check_bounds(struct lint_reading *reading, const struct binary *binary)
{
	const struct lint_ranges *const kinds[] = { &reading->functions, &reading->inits };

	for (size_t kind = 0; kind < 2 && binary->segment_count > 0; kind++) {
		for (size_t i = 0; i < kinds[kind]->count; i++) {
			const struct lint_range *range = &kinds[kind]->list[i];
			const struct binary_segment *first = binary_segment(binary, range->first);
			const struct binary_segment *last = binary_segment(binary, range->last);

			if (first != NULL && first->executable && last == first)
				continue;
			lint_about(lint_report_at(reading, LINT_OUTSIDE_BINARY, range->offset,
						  range->line, "0x%" PRIx64 " to 0x%" PRIx64,
						  range->first, range->last), range->first, 0);
		}
	}
}

void
lint_binary(struct lint_reading *reading)
{
	const struct binary *binary = reading->options->binary;

	if (binary == NULL || !reading->any_record)
		return;
	if (binary_arch(binary) != reading->arch && arch_known(reading->arch)) {
		lint_report_at(reading, LINT_WRONG_BINARY, reading->module_offset,
			       reading->module_line, "the binary is for %s, the records are for %s",
			       binary_arch(binary)->name, reading->arch->name);
		return;
	}
	/* A stripped file names few functions, a small symbol file has few records. */
	const struct start_list own = binary_starts(reading, binary), file = file_starts(reading);
	const struct start_list *few = own.count < file.count ? &own : &file;
	const struct start_list *many = few == &own ? &file : &own;
	const size_t good = count_same(few, many, 0, few->count, 0);
	const bool fits = good >= few->count / 2;
	const uint64_t move = fits ? 0 : find_move(few, many);
	const uint64_t behind = few == &own ? move : 0 - move;

	/* A PE file has its identifier in its PDB; so little as a few functions proves nothing. */
	const bool other_id = reading->build_ids && binary->id[0] != '\0' &&
			      !same_id(reading, binary);
	const bool same = few->count >= FEWEST && good >= few->count - few->count / 10;

	if (move != 0)
		report_wrong(reading, LINT_WRONG_BINARY,
			     (int64_t)behind < 0
				     ? "all records lie 0x%" PRIx64 " bytes before their code"
				     : "all records lie 0x%" PRIx64 " bytes behind their code",
			     (int64_t)behind < 0 ? 0 - behind : behind, 0);
	else if (other_id ? !same : few->count >= FEWEST && !fits)
		report_wrong(reading, LINT_WRONG_BINARY, other_id
			     ? "it has another identifier, and %" PRIu64 " of %" PRIu64
			       " functions begin where the binary's do"
			     : "although their identifiers do not differ, %" PRIu64 " of %" PRIu64
			       " functions begin where the binary's do", good, few->count);
	else if (other_id)
		report_wrong(reading, LINT_BINARY_ID,
			     "%" PRIu64 " of %" PRIu64 " functions begin where the binary's do",
			     good, few->count);
	if (other_id ? same : fits)
		check_bounds(reading, binary);
}
