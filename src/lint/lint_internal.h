/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LINT_LINT_INTERNAL_H
#define LINT_LINT_INTERNAL_H

#include "base/hash.h"
#include "crash/arch.h"
#include "lint/lint.h"
#include "symbols/records.h"

/** What the files of this room share while a symbol file is read. */

/** One record that covers addresses, to be compared with others of its kind. */
struct lint_range {
	uint64_t first, last;	/* both included */
	uint64_t offset;	/* of its line in the file */
	uint32_t line;
	/* Of an inlined call's; of FUNC and STACK WIN the parameters' bytes */
	uint16_t level;
	bool lost;		/* to another one that it overlaps */
};

struct lint_ranges {
	struct lint_range *list;
	size_t count, capacity;
};

/** Which line defined a number first. */
struct lint_numbers {
	uint64_t first, run;	/* numbers without a gap: nearly all are asked for these alone */
	struct lint_number {
		uint64_t number;
		uint32_t line;	/* 0: empty */
	} *table;		/* by hash, half empty at least */
	size_t count, room;
};

/** Records that others name by a number. */
enum lint_numbered { LINT_FILES, LINT_ORIGINS, LINT_NUMBERED };

/** A number that was used before it was defined, or is never. */
struct lint_use {
	uint64_t number, offset, times;
	uint32_t line, column;
};

struct lint_uses {
	struct lint_numbers index;	/* number to 1 + position in `list` */
	struct lint_use *list;
	size_t count, capacity;
};

/**
 * A range of an inlined call that is not in its function: a part of it may be elsewhere; or not in
 * the record of the level above before it: other records may be around it.
 */
struct lint_stray {
	uint64_t first, last;
	uint64_t offset, function;	/* of the INLINE and of the FUNC record */
	uint32_t line, function_line;
	uint32_t skip;			/* of the range in the record */
	uint32_t count;			/* ranges of the record */
	uint32_t level, above;		/* of the record and of the one before it */
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
	bool empty;			/* it covers nothing */
	uint64_t offset;
	uint32_t line;
	struct lint_ranges lines, inlines;
	uint64_t lines_end;		/* the highest last address so far */
	bool lines_unsorted, lines_apart;	/* apart: addresses between them, or before */
	/* Lines behind the function: `count` of them, `last` their end */
	struct lint_stray beyond;
	bool calls;			/* it has INLINE records */
	uint32_t last_level, deepest_level;
	struct lint_strays strays;	/* of levels above 0, until the function ends */
	struct {
		bool used;
		uint64_t end;		/* the highest last address so far */
		size_t start, count;	/* of the last record's ranges in `inlines` */
	} levels[LINT_LEVELS];
	bool inlines_unsorted;
};

/** What an expression leaves, whatever the registers are. */
enum lint_value {
	VALUE_NONE,		/* it fails */
	VALUE_ANY,
	VALUE_NUMBER,
	VALUE_REGISTER,		/* a register and a distance */
	VALUE_CFA,		/* the CFA and a distance */
	VALUE_SAVED,		/* the word that far from the CFA */
};

/** What a rule is for, where it is no register of the architecture. */
enum { LINT_CFA = -2, LINT_RA = -3 };

struct lint_rule {
	int reg;			/* or LINT_CFA, LINT_RA, ARCH_NO_REGISTER */
	enum lint_value kind;
	int base;			/* of VALUE_REGISTER */
	int64_t number;
	uint32_t skip, length;		/* of its expression, in the rules' text */
};

/** What is known of the rules of a record, whatever the registers are. */
struct lint_rules {
	struct text text;
	bool has_cfa, has_ra;
	struct lint_rule *rules;
	size_t rule_count;
	struct lint_issue {
		enum lint_code code;
		uint32_t skip, length;	/* in the rules' text */
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
	struct lint_ranges deltas;	/* addresses in `first` */
	struct lint_rule cfa, ra;	/* in force; VALUE_NONE: none that works */
	struct lint_slot {
		int reg;
		int64_t offset;		/* from the CFA */
	} slots[LINT_SLOTS];		/* in which registers are saved now */
	size_t slot_count;
};

struct lint_expressions;

struct lint_reading {
	struct lint *lint;
	const struct lint_options *options;
	struct arena *scratch;		/* of what is only needed while the file is read */
	const struct arch *arch;	/* of the MODULE record; ARCH_UNKNOWN's until then */
	struct text module_id, module_os;	/* of the MODULE record; empty: none */
	uint64_t module_offset;		/* of that record, and its line */
	uint32_t module_line;
	bool build_ids;			/* identifiers of this system are made of build IDs */
	bool home_slots;		/* callees of this system save registers above the CFA */
	bool memory_ended;
	const struct input *input;	/* the file in places */
	const struct lint_reading *outer;	/* of a slice: of the head; NULL: none */
	bool unsure;			/* of a slice: what it says depends on one before it */
	const char *start, *end;	/* of the file; `end` of what is to be read */
	struct text record;
	uint64_t offset;		/* of the record */
	uint32_t line;
	uint32_t column;		/* of the record in its line, from 0: behind lone CRs */
	size_t bad;			/* records that Breakpad counts as bad */
	bool module_seen, any_record, nul_seen;
	/* What the present record can be a part of: FUNC, STACK_CFI_INIT, another kind: of nothing;
	 * SYMBOL_MODULE, at first: not known. */
	enum symbol_record_kind whole;
	struct lint_numbers numbers[LINT_NUMBERED];
	struct lint_uses uses[LINT_NUMBERED];
	struct lint_function function;
	struct lint_ranges functions, publics, inits, wins[2];
	struct lint_strays strays;	/* by record, in the order of the file */
	struct lint_strays beyond;	/* lines behind functions, together for each */
	struct lint_ranges odd_deltas;	/* outside of the INIT record before them */
	/* INIT records whose CFA is not that of a function's start */
	struct lint_ranges odd_entries;
	bool shifted;			/* unwind records lie beside functions by one constant */
	/* By a record of these: lines behind it are not of one before */
	bool function_begun;
	uint64_t last_function;
	struct {
		uint64_t address, offset;
		uint32_t line;		/* 0: none can be read */
	} first_function;
	bool init_seen;
	struct lint_init init;
	struct lint_expressions *expressions;
};

/** Whether a record is a line of code or meant as one: no other begins with a small digit. */
static inline bool
lint_is_line(struct text record)
{
	const char first = record.length > 0 ? record.start[0] : ' ';

	return (first >= '0' && first <= '9') || (first >= 'a' && first <= 'f');
}

/** The fingerprint of a finding; `known` counts those of the file that are equal so far. */
uint64_t
lint_fingerprint(const struct lint *lint, const struct lint_finding *finding, struct hash *known);

/** Sort findings by their places. */
void
lint_sort_findings(struct lint *lint);

/** Report a finding at `skip` bytes of the present record; returns it to be added to, or NULL. */
struct lint_finding *
lint_report(struct lint_reading *reading, enum lint_code code, size_t skip, size_t length,
	    const char *format, ...) ATTRIBUTE_PRINTF(5, 6);

/** lint_report() at the record on another line, which begins at `offset`. */
struct lint_finding *
lint_report_at(struct lint_reading *reading, enum lint_code code, uint64_t offset, uint32_t line,
	       const char *format, ...) ATTRIBUTE_PRINTF(5, 6);

/** Report the present record as a whole: about an address, where the code says it all. */
void
lint_report_record(struct lint_reading *reading, enum lint_code code, uint64_t address);

/** Report that records stand between the present one and the one of `whole` that it is part of. */
void
lint_interleaved(struct lint_reading *reading, enum symbol_record_kind whole);

/** Count a record that Breakpad takes for a bad one; of inlined calls it keeps no count. */
void
lint_bad_record(struct lint_reading *reading);

/** Say what a finding is about; harmless on NULL. */
void
lint_about(struct lint_finding *finding, uint64_t address, uint32_t other);

/** The line that begins at an offset, without its end. */
struct text
lint_line_at(const struct lint_reading *reading, uint64_t offset);

/** Where the line behind the one at an offset begins; the file's size where there is none. */
uint64_t
lint_next_line(const struct lint_reading *reading, uint64_t offset);

/** The name in the FUNC or PUBLIC record at an offset. */
struct text
lint_name_at(const struct lint_reading *reading, uint64_t offset);

/** arena_grow of what is needed while the file is read; notes that memory has ended. */
static inline void *
lint_grow(struct lint_reading *reading, void *list, size_t count, size_t *capacity, size_t size)
{
	void *larger = arena_grow(reading->scratch, list, count, capacity, size);

	reading->memory_ended |= larger == NULL;
	return larger;
}

/** Append a range of the present record that neither is empty nor wraps; NULL: no memory. */
static inline struct lint_range *
lint_append_range(struct lint_reading *reading, struct lint_ranges *ranges, uint64_t address,
		  uint64_t size)
{
	struct lint_range *list = ranges->list;

	if (ranges->count == ranges->capacity)
		list = lint_grow(reading, list, ranges->count, &ranges->capacity, sizeof(*list));
	if (list == NULL)
		return NULL;
	ranges->list = list;
	list[ranges->count] = (struct lint_range){ .first = address, .last = address + (size - 1),
						   .offset = reading->offset,
						   .line = reading->line };
	return &list[ranges->count++];
}

/** Append a range; false where it is empty or wraps. */
bool
lint_add_range(struct lint_reading *reading, struct lint_ranges *ranges, uint64_t address,
	       uint64_t size);

/** Report how the fields of a record depart from the format; false where it is lost. */
bool
lint_odd_fields(struct lint_reading *reading, const struct symbol_record *record);

/** Read the present record and report how its fields depart; false where it is lost. */
static ATTRIBUTE_INLINE bool
lint_fields(struct lint_reading *reading, enum symbol_record_kind kind,
	    struct symbol_record *record)
{
	const bool good = record_read(kind, reading->record, record);

	return (record->state == 0 || lint_odd_fields(reading, record)) && good;
}

/** Report how one field departs from the format; false where its record is lost. */
bool
lint_field(struct lint_reading *reading, unsigned number, const struct field_form *form,
	   const struct symbol_field *field);

/** The number that messages give field `index` of record_forms: the record's word is the first. */
unsigned
lint_field_number(const struct symbol_record *record, size_t index);

/** Take over the uses of undefined numbers in a slice behind those that are known. */
void
lint_take_uses(struct lint_reading *reading, enum lint_numbered set, const struct lint_uses *more);

/** Define a number; returns the line that had done so before, or 0. */
uint32_t
lint_define(struct lint_reading *reading, enum lint_numbered set, uint64_t number);

/** Note the use of a number by the present record at `skip`, unless it is defined already. */
void
lint_use_unknown(struct lint_reading *reading, enum lint_numbered set, uint64_t number,
		 size_t skip);

/** Use a number; nearly every one is a small one that the head of the file has defined. */
static inline void
lint_use(struct lint_reading *reading, enum lint_numbered set, uint64_t number, size_t skip)
{
	const struct lint_reading *head = reading->outer != NULL ? reading->outer : reading;

	if (number - head->numbers[set].first >= head->numbers[set].run)
		lint_use_unknown(reading, set, number, skip);
}

/** Report what was used but never defined, or only behind. */
void
lint_finish_uses(struct lint_reading *reading, enum lint_numbered set, enum lint_code undefined,
		 enum lint_code late);

/** Every record of the file. */
void
lint_records(struct lint_reading *reading);

/** The lines from `at` to the reading's end; up to the first FUNC where `head` says so. */
const char *
lint_lines(struct lint_reading *reading, const char *at, bool head);

/**
 * Read what is behind the head in slices, by several threads, and put together what they say. False
 * where that would not be what one reader says: all has to be read by one then, from the start.
 */
bool
lint_slices(struct lint_reading *reading, const char *at, unsigned count);

void
lint_func(struct lint_reading *reading);

void
lint_line(struct lint_reading *reading);

void
lint_inline(struct lint_reading *reading);

/** Remember a range of an inlined call that is not in what should be around it. */
void
lint_add_stray(struct lint_reading *reading, struct lint_strays *strays,
	       struct lint_stray stray);

/** The present function has no more records. */
void
lint_end_function(struct lint_reading *reading);

/** Lines behind their functions, once all functions are known and sorted. */
void
lint_finish_lines(struct lint_reading *reading);

/**
 * What to add about a hexadecimal size at `first` that, taken as decimal, would end at `next` or
 * closely before it: a writer's slip. "" where it would not; else in `buffer`.
 */
const char *
lint_if_decimal(char buffer[static LINT_HINT], uint64_t first, uint64_t size, uint64_t next);

/** STACK WIN records whose parameters are not those of their functions. */
void
lint_parameters(struct lint_reading *reading);

/** Ranges of inlined calls outside of their functions, once all functions are known and sorted. */
void
lint_finish_inlines(struct lint_reading *reading);

/** A STACK CFI INIT record, or a delta. */
void
lint_stack_init(struct lint_reading *reading);

void
lint_stack_delta(struct lint_reading *reading);

/** The present INIT record has no more deltas. */
void
lint_end_init(struct lint_reading *reading);

/**
 * Check what the rules of the present record, which begin at `skip`, make of a frame together with
 * those in force before; `init`: the record begins a range.
 */
void
lint_frame(struct lint_reading *reading, const struct lint_rules *rules, size_t skip,
	   uint64_t address, bool init);

/** INIT records that lie beside functions by one constant; sorted ranges. */
void
lint_shift(struct lint_reading *reading);

/** INIT records at the beginning of a function whose CFA is not that of a function's start. */
void
lint_entries(struct lint_reading *reading);

/** The present record, an INFO CODE_ID: whether its identifier is valid and of the module. */
void
lint_code_id(struct lint_reading *reading);

/** Rules that name the registers of another architecture: one finding instead of theirs. */
void
lint_architecture(struct lint_reading *reading);

/** Whether the records are of the binary that the options name. */
void
lint_binary(struct lint_reading *reading);

/** Deltas that lie outside of the INIT record before them. */
void
lint_finish_cfi(struct lint_reading *reading);

void
lint_stack_win(struct lint_reading *reading);

/** The range of sorted ones that begins last at or before `address` if it covers it, or NULL. */
const struct lint_range *
lint_covering(const struct lint_ranges *ranges, uint64_t address);

/** Sort by address, the longer of two first, then by the order in the file. */
void
lint_sort_ranges(struct lint_ranges *ranges);

/** Report two ranges that overlap, at the later of their records. */
void
lint_report_pair(struct lint_reading *reading, enum lint_code code, const struct lint_range *a,
		 const struct lint_range *b);

/** Compare functions, symbols and unwind records with each other. */
void
lint_ranges(struct lint_reading *reading);

/** Free what lint_rules remembers outside of the reading's scratch. */
void
lint_expressions_free(struct lint_reading *reading);

/** What the rules of a STACK CFI record or a STACK WIN program are worth; looks at a text once. */
const struct lint_rules *
lint_rules(struct lint_reading *reading, struct text text, bool win);

#endif
