/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LINT_LINT_INTERNAL_H
#define LINT_LINT_INTERNAL_H

#include "base/hash.h"
#include "crash/arch.h"
#include "dwarf/grown.h"
#include "lint/lint.h"
#include "symbols/records.h"

/** Shared by the files of src/lint while a symbol file is read. */

/** One record with addresses, to be compared with others of its kind. */
struct lint_range {
	uint64_t first, last;	/* both included */
	uint64_t offset;	/* offset of its line in the file */
	uint32_t line;
	/* Level of an inlined call; for FUNC and STACK WIN the bytes of parameters */
	uint16_t level;
	bool lost;		/* hidden by another range that it overlaps */
};

struct lint_ranges {
	struct lint_range *list;
	size_t count, capacity;
};

/** The lines that first define each number. */
struct lint_numbers {
	uint64_t first, run;	/* numbers `first` to `first` + `run` - 1 are all defined */
	struct number_map lines;	/* keyed by the number plus 1 */
};

/** Kinds of records with numbers to which other records refer. */
enum lint_numbered { LINT_FILES, LINT_ORIGINS, LINT_NUMBERED };

/** A number that was used before its definition, or without a definition. */
struct lint_use {
	uint64_t number, offset, times;
	uint32_t line, column;
};

struct lint_uses {
	struct lint_numbers index;	/* number to 1 + index in `list` */
	struct lint_use *list;
	size_t count, capacity;
};

/**
 * An inlined range outside its FUNC record, or outside the previous record of the next outer level.
 * Another part of the function, or another record of that level, may contain the range.
 */
struct lint_stray {
	uint64_t first, last;
	uint64_t offset, function;	/* offsets of the INLINE and the FUNC record */
	uint32_t line, function_line;
	uint32_t skip;			/* offset of the range in the record */
	uint32_t count;			/* number of ranges of the record */
	uint32_t level, above;		/* levels of this and of the previous record */
};

struct lint_strays {
	struct lint_stray *list;
	size_t count, capacity;
};

enum { LINT_LEVELS = 512, LINT_SLOTS = 32, LINT_HINT = 64 };

/** The FUNC record whose lines and inlined calls are being read. */
struct lint_function {
	bool open;
	uint64_t first, last;
	bool empty;			/* the function covers no address */
	uint64_t offset;
	uint32_t line;
	struct lint_ranges lines, inlines;
	uint64_t lines_end;		/* the highest last address so far */
	/* the lines are not sorted; there is a gap between lines, or before the first line */
	bool lines_unsorted, lines_apart;
	/* Lines after the function's end: `count` is their number, `last` their last address */
	struct lint_stray beyond;
	bool calls;			/* the function has INLINE records */
	uint32_t last_level, deepest_level;
	struct lint_strays strays;	/* strays of levels above 0, until the function ends */
	struct {
		bool used;
		uint64_t end;		/* the highest last address so far */
		size_t start, count;	/* the last record's part of `inlines` */
	} levels[LINT_LEVELS];
	bool inlines_unsorted;
};

/** The result of an expression if registers are unknown. */
enum lint_value {
	VALUE_NONE,		/* the expression fails */
	VALUE_ANY,
	VALUE_NUMBER,
	VALUE_REGISTER,		/* a register plus a distance */
	VALUE_CFA,		/* the CFA plus a distance */
	VALUE_SAVED,		/* the word at that distance from the CFA */
};

/** The target of a rule that is not a register of the architecture. */
enum { LINT_CFA = -2, LINT_RA = -3 };

struct lint_rule {
	int reg;			/* a register, LINT_CFA, LINT_RA or ARCH_NO_REGISTER */
	enum lint_value kind;
	int base;			/* register of VALUE_REGISTER */
	int64_t number;
	uint32_t skip, length;		/* position of its expression in the rules' text */
};

/** The results of a record's rules if registers are unknown. */
struct lint_rules {
	struct text text;
	bool has_cfa, has_ra;
	struct lint_rule *rules;
	size_t rule_count;
	struct lint_issue {
		enum lint_code code;
		uint32_t skip, length;	/* position in the rules' text */
		const char *text;
	} *issues;
	size_t issue_count;
};

/** The STACK CFI INIT record whose deltas are being read. */
struct lint_init {
	bool open;
	uint64_t first, last, previous;
	uint32_t line;
	bool unsorted;
	struct lint_ranges deltas;	/* deltas so far; `first` is their address */
	struct lint_rule cfa, ra;	/* rules in force; VALUE_NONE: no valid rule */
	struct lint_slot {
		int reg;
		int64_t offset;		/* distance from the CFA */
	} slots[LINT_SLOTS];		/* slots with saved registers */
	size_t slot_count;
};

struct lint_expressions;

/** The MODULE record, and what its system and architecture imply. */
struct lint_module {
	bool seen;
	const struct arch *arch;	/* ARCH_UNKNOWN's until the MODULE record is read */
	struct text id, os;		/* empty: none */
	uint64_t offset;
	uint32_t line;
	bool build_ids;			/* the system's identifiers are made from build IDs */
	bool home_slots;		/* the system's callees save registers above the CFA */
	bool call_files;		/* the file's INLINE records have files: the new form */
};

/** The part of the file that a struct lint_reading covers. */
struct lint_part {
	/* Reading of the file's beginning; NULL: this reading */
	const struct lint_reading *outer;
	bool unsure;			/* the findings depend on earlier slices */
	const char *start, *end;	/* start of the file; end of the part to read */
	/* The slice has had a record of this kind, to which later lines belong */
	bool function_begun, init_begun;
	uint64_t last_function;
	struct {
		uint64_t address, offset;
		uint32_t line;		/* 0: unreadable */
	} first_function;
};

/** The addresses that records cover, and the records that do not fit them. */
struct lint_covered {
	struct lint_ranges functions, publics, inits, wins[2];
	struct lint_strays strays;	/* by record, in file order */
	struct lint_strays beyond;	/* lines after functions, one entry for each function */
	struct lint_strays holes;	/* code without a line, in functions that have lines */
	struct lint_ranges odd_deltas;	/* deltas outside the preceding INIT record */
	/* INIT records whose CFA does not fit a function's entry */
	struct lint_ranges odd_entries;
	/* Unwind records lie a constant distance from their functions */
	bool shifted;
};

/** The reading of a file, or of a slice of it. */
struct lint_reading {
	struct lint *lint;
	const struct lint_options *options;
	struct arena *scratch;		/* memory that is freed after reading */
	bool memory_ended;
	const struct input *input;	/* the file, for places */
	struct lint_module module;
	struct lint_part part;
	struct text record;
	uint64_t offset;
	uint32_t line;
	uint32_t column;		/* record's column in its line, from 0; lone CRs count */
	size_t bad;			/* records that Breakpad counts as bad */
	bool any_record, nul_seen;
	/*
	 * The kind of record that the current line may continue: FUNC or STACK_CFI_INIT. Other
	 * kinds are not continued. Initially SYMBOL_MODULE, because the kind is unknown.
	 */
	enum symbol_record_kind whole;
	struct lint_numbers numbers[LINT_NUMBERED];
	struct lint_uses uses[LINT_NUMBERED];
	struct lint_function function;
	struct lint_covered covered;
	struct lint_init init;
	struct lint_expressions *expressions;
};

/** Whether a line seems to be a line record: it begins with a digit or a small letter. */
static inline bool
lint_is_line(struct text record)
{
	const char first = record.length > 0 ? record.start[0] : ' ';

	return (first >= '0' && first <= '9') || (first >= 'a' && first <= 'f');
}

/** The fingerprint of a finding; `known` counts equal fingerprints of the file so far. */
uint64_t
lint_fingerprint(const struct lint *lint, const struct lint_finding *finding, struct hash *known);

/** Sort findings by their places. */
void
lint_sort_findings(struct lint *lint);

/** Report a finding at `skip` bytes of the current record; returns it for additions, or NULL. */
struct lint_finding *
lint_report(struct lint_reading *reading, enum lint_code code, size_t skip, size_t length,
	    const char *format, ...) ATTRIBUTE_PRINTF(5, 6);

/** Like lint_report() for the record on another line, which begins at `offset`. */
struct lint_finding *
lint_report_at(struct lint_reading *reading, enum lint_code code, uint64_t offset, uint32_t line,
	       const char *format, ...) ATTRIBUTE_PRINTF(5, 6);

/** Report the current record with an address, but without a text of its own. */
void
lint_report_record(struct lint_reading *reading, enum lint_code code, uint64_t address);

/** Report records between the current one and its record of kind `whole`. */
void
lint_interleaved(struct lint_reading *reading, enum symbol_record_kind whole);

/** Count a record that Breakpad counts as bad; inlined calls are not counted. */
void
lint_bad_record(struct lint_reading *reading);

/** Set the address and the other line of a finding; accepts NULL. */
void
lint_about(struct lint_finding *finding, uint64_t address, uint32_t other);

/** The line at an offset, without its end. */
struct text
lint_line_at(const struct lint_reading *reading, uint64_t offset);

/** The offset of the line after the one at an offset; the file's size after the last line. */
uint64_t
lint_next_line(const struct lint_reading *reading, uint64_t offset);

/** The name in the FUNC or PUBLIC record at an offset. */
struct text
lint_name_at(const struct lint_reading *reading, uint64_t offset);

/** Append a range of the current record that is not empty and does not wrap; NULL: no memory. */
static inline struct lint_range *
lint_append_range(struct lint_reading *reading, struct lint_ranges *ranges, uint64_t address,
		  uint64_t size)
{
	struct lint_range *added = ranges->count < ranges->capacity
					   ? &ranges->list[ranges->count++]
					   : ARENA_PUSH(reading->scratch, ranges->list,
							ranges->count, ranges->capacity);

	reading->memory_ended |= added == NULL;
	if (added != NULL)
		*added = (struct lint_range){ .first = address, .last = address + (size - 1),
					      .offset = reading->offset, .line = reading->line };
	return added;
}

/** Append a range; false if it is empty or wraps. */
bool
lint_add_range(struct lint_reading *reading, struct lint_ranges *ranges, uint64_t address,
	       uint64_t size);

/** Report departures of a record's fields from the format; false if the record is lost. */
bool
lint_odd_fields(struct lint_reading *reading, const struct symbol_record *record);

/** Read the current record and report departures of its fields; false if it is lost. */
static ATTRIBUTE_INLINE bool
lint_fields(struct lint_reading *reading, enum symbol_record_kind kind,
	    struct symbol_record *record)
{
	const bool good = record_read(kind, reading->record, record);

	return (record->state == 0 || lint_odd_fields(reading, record)) && good;
}

/** Report departures of one field from the format; false if its record is lost. */
bool
lint_field(struct lint_reading *reading, unsigned number, const struct field_form *form,
	   const struct symbol_field *field);

/** The number that messages give to field `index` of record_forms; the record's word is 1. */
unsigned
lint_field_number(const struct symbol_record *record, size_t index);

/** Add a later slice's uses of undefined numbers to those of the reading. */
void
lint_take_uses(struct lint_reading *reading, enum lint_numbered set, const struct lint_uses *more);

/** Define a number; returns the line of an earlier definition, or 0. */
uint32_t
lint_define(struct lint_reading *reading, enum lint_numbered set, uint64_t number);

/** Note the use of a number by the current record at `skip`, unless the number is defined. */
void
lint_use_unknown(struct lint_reading *reading, enum lint_numbered set, uint64_t number,
		 size_t skip);

/** Use a number; most are small and defined at the head of the file. */
static inline void
lint_use(struct lint_reading *reading, enum lint_numbered set, uint64_t number, size_t skip)
{
	const struct lint_reading *head =
		reading->part.outer != NULL ? reading->part.outer : reading;

	if (number - head->numbers[set].first >= head->numbers[set].run)
		lint_use_unknown(reading, set, number, skip);
}

/** Free the numbers that were defined or used. */
void
lint_numbers_free(struct lint_reading *reading);

/** Report used numbers that are never defined, or only after their use. */
void
lint_finish_uses(struct lint_reading *reading, enum lint_numbered set, enum lint_code undefined,
		 enum lint_code late);

/** Check every record of the file. */
void
lint_records(struct lint_reading *reading);

/** Read the lines from `at` to the reading's end; with `head`, only up to the first FUNC. */
const char *
lint_lines(struct lint_reading *reading, const char *at, bool head);

/**
 * Read the rest after the head in slices, by several threads, and join their results. False if the
 * result would depend on the slices; then one reader must read everything again.
 */
bool
lint_slices(struct lint_reading *reading, const char *at, unsigned count);

void
lint_func(struct lint_reading *reading);

void
lint_line(struct lint_reading *reading);

void
lint_inline(struct lint_reading *reading);

/** Remember a range that is outside its function or the call around it. */
void
lint_add_stray(struct lint_reading *reading, struct lint_strays *strays,
	       struct lint_stray stray);

void
lint_end_function(struct lint_reading *reading);

/** Check lines after their functions, when all functions are known and sorted. */
void
lint_finish_lines(struct lint_reading *reading);

/**
 * A hint in `buffer` that a size was written in decimal instead of hexadecimal: with the decimal
 * size, the range at `first` ends at `next` or shortly before it. "" if that is not the case.
 */
const char *
lint_if_decimal(char buffer[static LINT_HINT], uint64_t first, uint64_t size, uint64_t next);

/** Check the parameter sizes of STACK WIN records against their functions. */
void
lint_parameters(struct lint_reading *reading);

/** Check inlined calls outside their functions, when all functions are known and sorted. */
void
lint_finish_inlines(struct lint_reading *reading);

/** Check a STACK CFI INIT record, or a delta. */
void
lint_stack_init(struct lint_reading *reading);

void
lint_stack_delta(struct lint_reading *reading);

void
lint_end_init(struct lint_reading *reading);

/**
 * Check the frame after adding the current record's rules, which begin at `skip`, to the rules in
 * force. `init`: the record begins a range.
 */
void
lint_frame(struct lint_reading *reading, const struct lint_rules *rules, size_t skip,
	   uint64_t address, bool init);

/** Find INIT records at a constant distance from their functions; ranges are sorted. */
void
lint_shift(struct lint_reading *reading);

/** Check the CFA of INIT records at the beginning of functions. */
void
lint_entries(struct lint_reading *reading);

/** Check that the identifier of an INFO CODE_ID record is valid and belongs to the module. */
void
lint_code_id(struct lint_reading *reading);

/** Check for rules with registers of another architecture. Reports one finding instead of many. */
void
lint_architecture(struct lint_reading *reading);

/** Check that directories NAME/ID of a store are those of the MODULE record. */
void
lint_place(struct lint_reading *reading);

/** Check whether the records belong to the binary in the options. */
void
lint_binary(struct lint_reading *reading);

/** Check deltas outside the preceding INIT record. */
void
lint_finish_cfi(struct lint_reading *reading);

void
lint_stack_win(struct lint_reading *reading);

/** The last of sorted ranges that begins at or before `address`; NULL if it ends earlier. */
const struct lint_range *
lint_covering(const struct lint_ranges *ranges, uint64_t address);

/** Sort by address, then by length with the longest first, then by order in the file. */
void
lint_sort_ranges(struct lint_ranges *ranges);

/** Report two overlapping ranges at the later of their records. */
void
lint_report_pair(struct lint_reading *reading, enum lint_code code, const struct lint_range *a,
		 const struct lint_range *b);

/** Compare functions, symbols and unwind records with each other. */
void
lint_ranges(struct lint_reading *reading);

/** Free results of lint_rules that are not in the reading's scratch. */
void
lint_expressions_free(struct lint_reading *reading);

/** The results of a STACK CFI record's rules or a STACK WIN program; equal texts run once. */
const struct lint_rules *
lint_rules(struct lint_reading *reading, struct text text, bool win);

#endif
