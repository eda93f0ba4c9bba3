/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/unwind_check.h"
#include "base/sorted.h"

#include <string.h>

/* STACK CFI ----------------------------------------------------------------------------------- */

static const struct symbols_policy whole_file = { .public_zero = true };

static bool
cfi_change(const struct unwind_source *source, uint64_t address, uint64_t *change)
{
	return symfile_stack_cfi_change(source->table, &whole_file, address, change);
}

static const struct rule_set *
cfi_rules(const struct unwind_source *source, const struct arch *arch, uint64_t address,
	  struct arena *arena, const char **problem)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);

	(void)problem;
	return rule_set_stack_cfi(arena, arch, &policy, source->table, address);
}

struct unwind_source
unwind_source_stack_cfi(const struct symfile *symfile)
{
	return (struct unwind_source){ .name = "STACK CFI", .table = symfile,
				       .change = cfi_change, .rules = cfi_rules };
}

/* SFrame --------------------------------------------------------------------------------------- */

/* Where a row begins to hold. A run without a row begins with no function. */
struct flat_row {
	uint64_t address;	/* of the module */
	uint32_t function;	/* NO_FUNCTION: nothing holds from here on */
	uint32_t row;		/* its number in the function */
	uint64_t at;		/* its offset in the table */
	const char *problem;	/* why nothing holds, where something is wrong */
};

#define NO_FUNCTION UINT32_MAX
/* Blocks of one function whose rows repeat; a PLT of this many entries is a large one. */
#define MOST_BLOCKS 65536u
/* Rows of one section: four times what the largest known program has. */
#define MOST_ROWS (UINT32_C(1) << 24)

struct flat {
	const struct sframe *sframe;
	struct arena *arena;
	struct flat_row *rows;
	size_t count, capacity;
	bool full;
};

static void
put(struct flat *flat, struct flat_row row)
{
	struct flat_row *added = flat->count == MOST_ROWS ? NULL
							  : ARENA_PUSH(flat->arena, flat->rows,
								       flat->count, flat->capacity);

	flat->full |= added == NULL;
	if (added != NULL)
		*added = row;
}

/* One run of a function's rows, from `start` up to `end`. */
static void
put_rows(struct flat *flat, const struct sframe_function *function, uint64_t start, uint64_t end)
{
	struct sframe_cursor cursor;
	struct sframe_row row;
	uint64_t at;

	sframe_rows(function, &cursor);
	for (at = cursor.at; !flat->full && sframe_next_row(&cursor, &row); at = cursor.at)
		if (row.offset < end - start)
			put(flat, (struct flat_row){
				.address = start + row.offset, .function = function->number,
				.row = row.number, .at = at });
	/* What is wrong may lie behind the end; the rows stay in order. */
	if (cursor.problem != NULL)
		put(flat, (struct flat_row){ .address = cursor.previous < end - start
								? start + cursor.previous
								: end,
					     .function = NO_FUNCTION, .problem = cursor.problem });
}

static void
put_function(struct flat *flat, const struct sframe_function *function, uint64_t bias,
	     uint64_t limit)
{
	const uint64_t start = function->address - bias;
	const uint64_t end = limit - start < function->size ? limit : start + function->size;
	const uint64_t block = function->masked ? function->repeat : function->size;
	uint64_t blocks = 0;

	for (uint64_t at = start; block > 0 && at < end && blocks < MOST_BLOCKS && !flat->full;
	     at += block, blocks++)
		put_rows(flat, function, at, end - at < block ? end : at + block);
	put(flat, (struct flat_row){ .address = end, .function = NO_FUNCTION });
}

static const struct flat_row *
flat_at(const struct flat *flat, uint64_t address, size_t *after)
{
	size_t low = sorted_upto(SORTED(flat->rows, flat->count, address), address);

	*after = low;
	return low > 0 ? &flat->rows[low - 1] : NULL;
}

static bool
sframe_change(const struct unwind_source *source, uint64_t address, uint64_t *change)
{
	const struct flat *flat = source->table;
	size_t after;

	flat_at(flat, address, &after);
	if (after == flat->count)
		return false;
	*change = flat->rows[after].address;
	return true;
}

static const struct rule_set *
sframe_rules(const struct unwind_source *source, const struct arch *arch, uint64_t address,
	     struct arena *arena, const char **problem)
{
	const struct flat *flat = source->table;
	struct sframe_function function;
	struct sframe_row row;
	size_t after;
	const struct flat_row *here = flat_at(flat, address, &after);

	if (here == NULL || here->function == NO_FUNCTION) {
		*problem = here != NULL ? here->problem : NULL;
		return NULL;
	}
	sframe_function(flat->sframe, here->function, &function);
	struct sframe_cursor cursor = { .function = &function, .at = here->at,
					.number = here->row };
	if (!sframe_next_row(&cursor, &row) || row.problem != NULL) {
		*problem = cursor.problem != NULL ? cursor.problem : row.problem;
		return NULL;
	}
	if (row.outermost)
		return NULL;
	return rule_set_sframe(arena, arch, &function, &row);
}

bool
unwind_source_sframe(struct unwind_source *source, const struct sframe *sframe, uint64_t bias,
		     struct arena *arena)
{
	struct flat *flat = arena_alloc(arena, sizeof(*flat));
	struct sframe_function function, next;

	*source = (struct unwind_source){ .name = "SFrame", .change = sframe_change,
					  .rules = sframe_rules, .table = flat };
	if (flat == NULL)
		return false;
	flat->sframe = sframe;
	flat->arena = arena;
	for (size_t i = 0; !flat->full && sframe_ordered(sframe, i, &function); i++) {
		const bool more = sframe_ordered(sframe, i + 1, &next);

		/* Of functions that overlap the one that begins later counts. */
		put_function(flat, &function, bias, more ? next.address - bias : UINT64_MAX);
	}
	return !flat->full;
}

/* Comparison ----------------------------------------------------------------------------------- */

struct table_comparison {
	const struct arch *arch;
	const struct unwind_source *sources;
	void (*tell)(void *context, const struct unwind_difference *difference);
	void *context;
	struct unwind_totals *totals;
	struct unwind_difference open[LINEAR_WHATS];	/* that may go on */
	bool is_open[LINEAR_WHATS];
	char texts[LINEAR_WHATS][2][128];	/* of open differences; the arena is gone by then */
};

static void
flush(struct table_comparison *comparison, enum linear_what what)
{
	if (!comparison->is_open[what])
		return;
	comparison->totals->differences++;
	comparison->tell(comparison->context, &comparison->open[what]);
	comparison->is_open[what] = false;
}

/* Keep a rule's text for as long as its difference is open. */
static struct linear_rule
keep(struct table_comparison *comparison, enum linear_what what, unsigned which,
     const struct linear_rule *rule)
{
	char *copy = comparison->texts[what][which];
	const size_t room = sizeof(comparison->texts[what][which]);
	const size_t length = rule->text.length < room ? rule->text.length : room;
	struct linear_rule kept = *rule;

	memcpy(copy, rule->text.start, length);
	kept.text = (struct text){ copy, length };
	return kept;
}

static void
compare(struct table_comparison *comparison, enum linear_what what, const struct linear_rule *one,
	const struct linear_rule *other, uint64_t from, uint64_t to)
{
	struct unwind_difference *open = &comparison->open[what];

	if (linear_equal(one, other)) {
		flush(comparison, what);
		return;
	}
	if (comparison->is_open[what] && open->to + 1 == from &&
	    open->rules[0].record.offset == one->record.offset &&
	    open->rules[1].record.offset == other->record.offset) {
		open->to = to;
		return;
	}
	flush(comparison, what);
	*open = (struct unwind_difference){
		.from = from, .to = to, .what = what,
		.rules = { keep(comparison, what, 0, one), keep(comparison, what, 1, other) } };
	comparison->is_open[what] = true;
}

/* One run of addresses in which neither source changes. */
static void
compare_run(struct table_comparison *comparison, uint64_t from, uint64_t to, struct arena *arena)
{
	struct unwind_totals *totals = comparison->totals;
	const struct rule_set *sets[2];
	struct linear_rule rules[2][LINEAR_WHATS];

	for (unsigned i = 0; i < 2; i++) {
		const struct unwind_source *source = &comparison->sources[i];
		const char *problem = NULL;

		sets[i] = source->rules(source, comparison->arch, from, arena, &problem);
		if (sets[i] != NULL && sets[i]->problem != NULL) {
			problem = sets[i]->problem;
			sets[i] = NULL;
		}
		totals->problems[i] += problem != NULL;
		if (sets[i] != NULL)
			linear_rules(comparison->arch, sets[i], rules[i]);
	}
	if (sets[0] == NULL || sets[1] == NULL) {
		for (unsigned what = 0; what < LINEAR_WHATS; what++)
			flush(comparison, (enum linear_what)what);
		for (unsigned i = 0; i < 2; i++)
			totals->bytes_one[i] += sets[i] != NULL ? to - from + 1 : 0;
		return;
	}
	totals->compared++;
	totals->bytes_both += to - from + 1;
	for (unsigned what = 0; what < LINEAR_WHATS; what++)
		compare(comparison, (enum linear_what)what, &rules[0][what], &rules[1][what], from,
			to);
}

void
unwind_check(const struct arch *arch, const struct unwind_source sources[2],
	     void (*tell)(void *context, const struct unwind_difference *difference),
	     void *context, struct unwind_totals *totals)
{
	struct table_comparison comparison = { .arch = arch, .sources = sources, .tell = tell,
					 .context = context, .totals = totals };
	struct arena arena = { 0 };
	uint64_t from = 0, next;

	*totals = (struct unwind_totals){ 0 };
	for (bool more = true; more;) {
		more = false;
		next = UINT64_MAX;
		for (unsigned i = 0; i < 2; i++) {
			uint64_t change;

			if (!sources[i].change(&sources[i], from, &change))
				continue;
			more = true;
			next = change < next ? change : next;
		}
		if (more)
			compare_run(&comparison, from, next - 1, &arena);
		arena_reset(&arena);
		from = next;
	}
	for (unsigned what = 0; what < LINEAR_WHATS; what++)
		flush(&comparison, (enum linear_what)what);
	arena_free(&arena);
}

const char *const unwind_what_names[LINEAR_WHATS] = {
	[LINEAR_OF_CFA] = "CFA",
	[LINEAR_OF_RETURN_ADDRESS] = "return address",
	[LINEAR_OF_FRAME_POINTER] = "frame pointer",
};
