/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/check.h"

#include <string.h>

#include "base/compiler.h"
#include "code/call.h"

const struct unwind_code_info unwind_code_table[UNWIND_CODES] = {
	[UNWIND_DIFFERS] = { "rule-differs", "the sources have different rules",
			     "a walk by one of them takes a wrong value from here on" },
	[UNWIND_NOT_SAVED] = { "rule-missing",
			       "one source has a rule, the other leaves the "
			       "register unchanged",
			       "the caller gets the value of its callee" },
	[UNWIND_LATE] = { "rule-late", "a rule begins too late",
			  "frames stopped between the two addresses are unwound wrong" },
	[UNWIND_EARLY] = { "rule-early", "a rule begins too early",
			   "frames stopped between the two addresses are unwound wrong" },
	[UNWIND_CODE] = { "code-contradicts", "the instructions do something else",
			  "frames there are unwound wrong" },
	[UNWIND_HOLE] = { "no-record", "no record, though another source has rules",
			  "frames there are found by frame pointer or scan" },
	[UNWIND_EXTRA] = { "extra-record", "a record, though no other source has rules",
			   "frames there are unwound by rules for other code" },
	[UNWIND_BROKEN] = { "unusable-record", "a record cannot be used",
			    "frames there are found by frame pointer or scan" },
	[UNWIND_MISFIT] = { "wrong-binary", "the symbol file does not belong to the binary",
			    "names, lines and rules are those of other code" },
	[UNWIND_OUTERMOST] = { "outermost-lost",
			       "a return address, though another source says that the function "
			       "has no caller",
			       "a walk may go on beyond the outermost function" },
	[UNWIND_EXPRESSION] = { "expression-lost",
				"an expression that another source lacks, or that cannot "
				"be compared with its rule",
				"the rule may be wrong for some of the addresses" },
};

/* A difference that may continue at the next address. */
struct open_difference {
	bool open;
	struct unwind_difference difference;
};

struct comparing {
	const struct unwind_check *check;
	struct unwind_source *sources[UNWIND_SOURCES];
	struct unwind_totals *totals;
	uint64_t columns;		/* bits of the architecture's columns */
	uint64_t changed;		/* bits of columns changed since the last comparison */
	uint64_t unequal;		/* bits of columns that differed in the last comparison */
	unsigned compared;		/* bits of sources in the last comparison */
	struct open_difference differences[CLAIM_COLUMNS];
	uint64_t open;			/* bits of columns whose difference may continue */
	struct open_difference coverage;	/* a hole, an extra record or a broken record */
	/* Bits of the sources that should cover all code; 0: no symbol file, or no other source */
	unsigned whole;
	bool at_calls;			/* a source has rules for calls only */
	unsigned left;			/* bits of sources with rows left */
	unsigned covering;		/* bits of sources with a row */
	unsigned broken;		/* bits of sources whose row cannot be used */
	/* The first source's previous entry, and the address after it */
	uint64_t before, end;
	bool stopped;
};

static void
tell(struct comparing *comparing, struct open_difference *open)
{
	if (!open->open)
		return;
	open->open = false;
	comparing->stopped = comparing->stopped ||
			    !comparing->check->tell(comparing->check->context, &open->difference);
}

/* Report a column's difference that ends with the previous run. */
static void
flush_column(struct comparing *comparing, unsigned column)
{
	comparing->open &= ~(UINT64_C(1) << column);
	tell(comparing, &comparing->differences[column]);
}

static void
flush_all(struct comparing *comparing)
{
	while (comparing->open != 0)
		flush_column(comparing, (unsigned)__builtin_ctzll(comparing->open));
}

static uint64_t
record_of(const struct unwind_row *row, unsigned column)
{
	return row->records[column] != 0 ? row->records[column] : row->entry;
}

/* One column ----------------------------------------------------------------------------------- */

/* Whether `row` has a sum and `other` has an expression that the format of `row` may lack. */
static bool
is_plain(const struct unwind_row *row, const struct unwind_row *other, unsigned column)
{
	return (row->expressed >> column & 1) == 0 && (other->expressed >> column & 1) != 0 &&
	       (column != CLAIM_CFA || !row->claims[column].dereference);
}

static enum unwind_code
code_of(const struct unwind_source *first, const struct unwind_source *second, unsigned column)
{
	const struct unwind_row *a = &first->row, *b = &second->row;
	const struct claim *one = &a->claims[column], *other = &b->claims[column];

	/* Symbol files are made from tables: a sum in the file is a rule in the table, too. */
	if (first->kind->symbols && (b->expressed >> column & 1) == 0 &&
	    (one->kind == CLAIM_EXPRESSION || one->kind == CLAIM_UNDEFINED ||
	     (a->expressed >> column & 1) != 0))
		return UNWIND_DIFFERS;
	if (one->kind == CLAIM_EXPRESSION || other->kind == CLAIM_EXPRESSION ||
	    is_plain(a, b, column) || is_plain(b, a, column))
		return UNWIND_EXPRESSION;
	if (one->kind == CLAIM_UNDEFINED || other->kind == CLAIM_UNDEFINED)
		return UNWIND_OUTERMOST;
	return one->kind == CLAIM_SAME || other->kind == CLAIM_SAME ? UNWIND_NOT_SAVED
								    : UNWIND_DIFFERS;
}

/* Whether a sum includes the size of the callee's parameters, which only a walk knows. */
static bool
has_parameters(const struct claim *claim)
{
	return claim->kind == CLAIM_RULE && claim->parameters;
}

/* The worst difference between two sources with claims in a column; false if all agree. */
static bool
find_code(const struct comparing *comparing, unsigned column, enum unwind_code *code)
{
	const struct unwind_check *check = comparing->check;
	bool found = false;

	for (unsigned i = 0; i < check->count; i++) {
		for (unsigned j = i + 1; j < check->count; j++) {
			const struct unwind_row *one = &check->sources[i].row;
			const struct unwind_row *other = &check->sources[j].row;
			const unsigned group = check->sources[i].kind->group;

			if ((comparing->covering >> i & comparing->covering >> j & 1) == 0 ||
			    (group != 0 && group == check->sources[j].kind->group))
				continue;
			const enum claim_verdict verdict = claims_compare(
				check->arch, column, &one->claims[column], &one->claims[CLAIM_CFA],
				&other->claims[column], &other->claims[CLAIM_CFA]);
			if (verdict == CLAIMS_AGREE || one->claims[column].kind == CLAIM_SILENT ||
			    other->claims[column].kind == CLAIM_SILENT ||
			    has_parameters(&one->claims[column]) ||
			    has_parameters(&other->claims[column]))
				continue;
			const enum unwind_code now =
				code_of(&check->sources[i], &check->sources[j], column);
			*code = !found || now < *code ? now : *code;
			found = true;
		}
	}
	return found;
}

static void
describe(const struct comparing *comparing, unsigned column, struct unwind_difference *difference)
{
	const struct unwind_check *check = comparing->check;

	for (unsigned i = 0; i < check->count; i++) {
		const struct unwind_row *row = &check->sources[i].row;

		if ((comparing->covering >> i & 1) == 0 || row->claims[column].kind == CLAIM_SILENT)
			continue;
		difference->sources |= 1u << i;
		difference->claims[i] = row->claims[column];
		/* The missing rule belongs in the record that begins to hold here. */
		difference->records[i] = row->claims[column].kind == CLAIM_SAME
						 ? row->record : record_of(row, column);
	}
}

/*
 * Finds whether a difference ended because one source took over the other's unchanged rule. If so,
 * the first source began its rule too late or too early.
 */
static void
judge_end(struct comparing *comparing, unsigned column)
{
	struct unwind_difference *difference = &comparing->differences[column].difference;
	const struct unwind_check *check = comparing->check;
	const struct unwind_row *row = &check->sources[0].row;
	unsigned other = 1;

	while (other < check->count && (difference->sources >> other & 1) == 0)
		other++;
	if ((difference->sources & 1) == 0 || other == check->count ||
	    difference->code > UNWIND_NOT_SAVED || (comparing->covering & 1) == 0 ||
	    (comparing->covering >> other & 1) == 0 || !check->sources[0].kind->symbols)
		return;
	const struct unwind_row *against = &check->sources[other].row;
	const struct claim *was = difference->claims;
	const bool goes_on[2] = { record_of(row, column) == difference->records[0],
				  record_of(against, column) == difference->records[other] };
	if (!goes_on[0] && goes_on[1] && was[other].kind == CLAIM_RULE &&
	    memcmp(&row->claims[column], &was[other], sizeof(*was)) == 0) {
		difference->code = UNWIND_LATE;
		difference->begins = difference->first;
		difference->records[0] = record_of(row, column);
	} else if (goes_on[0] && was[0].kind == CLAIM_RULE &&
		   memcmp(&against->claims[column], &was[0], sizeof(*was)) == 0) {
		difference->code = UNWIND_EARLY;
		difference->begins = difference->last + 1;
	}
}

static void
compare_column(struct comparing *comparing, unsigned column, uint64_t first, uint64_t last)
{
	struct open_difference *open = &comparing->differences[column];
	struct unwind_difference now = { .first = first, .last = last, .column = column };

	if (!find_code(comparing, column, &now.code)) {
		if (open->open)
			judge_end(comparing, column);
		flush_column(comparing, column);
		return;
	}
	describe(comparing, column, &now);
	if (open->open && open->difference.last + 1 == first &&
	    open->difference.sources == now.sources &&
	    memcmp(open->difference.claims, now.claims, sizeof(now.claims)) == 0) {
		open->difference.last = last;
		return;
	}
	flush_column(comparing, column);
	open->difference = now;
	open->open = true;
	comparing->open |= UINT64_C(1) << column;
}

/* Coverage ------------------------------------------------------------------------------------- */

/* The defect if only some sources cover the code; UNWIND_CODES: none. */
static enum unwind_code
judge_covering(const struct comparing *comparing)
{
	/* Tables in the binary complement each other; the symbol file should cover all code. */
	const unsigned here = comparing->covering & comparing->whole;

	return here == 1 ? UNWIND_EXTRA : here != 0 && (here & 1) == 0 ? UNWIND_HOLE : UNWIND_CODES;
}

/* The defect of a whole run; UNWIND_CODES: none. `broken`: bits of sources with an unusable row. */
static enum unwind_code
judge_coverage(const struct comparing *comparing, unsigned broken)
{
	const struct unwind_check *check = comparing->check;
	unsigned expressed = 0;

	if (broken == 0)
		return judge_covering(comparing);
	for (unsigned i = 0; i < check->count; i++)
		expressed |= comparing->covering >> i &
			     (unsigned)(check->sources[i].row.expressed >> CLAIM_CFA) & 1;
	return (broken & 1) != 0 && expressed != 0 ? UNWIND_EXPRESSION : UNWIND_BROKEN;
}

static void
note_coverage(struct comparing *comparing, uint64_t first, uint64_t last, unsigned broken)
{
	const struct unwind_check *check = comparing->check;
	struct open_difference *open = &comparing->coverage;
	const unsigned guilty = broken != 0 ? (unsigned)__builtin_ctz(broken) : 0;
	const enum unwind_code code = judge_coverage(comparing, broken);

	if (code == UNWIND_CODES && !open->open)
		return;
	struct unwind_difference now = { .first = first, .last = last, .column = CLAIM_COLUMNS,
					 .code = code, .sources = comparing->covering,
					 .guilty = guilty,
					 .problem = check->sources[guilty].row.problem };
	for (unsigned i = 0; i < check->count; i++)
		now.records[i] = check->sources[i].row.entry;
	/* Blame the entry before a hole if that entry ends too early, else the next entry. */
	if (code == UNWIND_HOLE && first > 0 && comparing->end == first)
		for (unsigned i = 1; i < check->count; i++)
			if ((comparing->covering >> i & 1) != 0 && check->sources[i].kind->whole &&
			    check->sources[i].row.first < first)
				now.records[0] = comparing->before;
	if (open->open && now.code == open->difference.code && open->difference.last + 1 == first &&
	    now.sources == open->difference.sources && now.problem == open->difference.problem) {
		open->difference.last = last;
		return;
	}
	tell(comparing, open);
	open->open = now.code != UNWIND_CODES;
	open->difference = now;
}

/* Calls ---------------------------------------------------------------------------------------- */

/* Bytes of one function that are searched; later calls are not found. */
#define MOST_BYTES 0x10000u

/* The length of a Thumb instruction, by its first halfword (Arm ARM, F3.1). */
static unsigned
length_of(const uint8_t *bytes, bool big_endian)
{
	const unsigned half = (unsigned)bytes[big_endian ? 0 : 1] << 8 | bytes[big_endian ? 1 : 0];

	return half >= 0xe800 ? 4 : 2;
}

/* Whether the code is A32, in which most words have the condition "always". */
static bool
has_words(const uint8_t *bytes, size_t size, bool big_endian)
{
	size_t words = 0, always = 0;

	for (size_t at = 0; at + 4 <= size; at += 4) {
		words++;
		always += bytes[at + (big_endian ? 0 : 3)] >> 4 == 0xe;
	}
	return words > 0 && always * 4 >= words * 3;
}

/*
 * Whether a caller's lookup address (an address in a call) is in `first` to `last`. The search goes
 * instruction by instruction from `begins`, the start of the function. False if the code is not
 * available.
 */
static bool
has_call(const struct rule_module *module, uint64_t begins, uint64_t first, uint64_t last)
{
	const struct arch *arch = module->arch;
	const struct binary *binary = binaries_load(module->binaries, module->number, LOCATE_IMAGE);
	uint8_t bytes[1024];
	uint64_t at = begins;
	bool modes = arch->mode_bit != 0, known = false;

	if (binary == NULL || begins > first || last - begins > MOST_BYTES)
		return false;
	while (at <= last) {
		const size_t size = binary_read(binary, at, bytes, sizeof(bytes), NULL);
		size_t used = 0;

		if (!known && modes)
			modes = begins % 4 != 0 ||
				!has_words(bytes,
					   (size_t)(last - begins < size ? last - begins + 1
									 : size),
					   binary->big_endian);
		known = true;
		while (used + CALL_WINDOW <= size && at + used <= last) {
			const bool x86 = arch->code_unit == 1;
			const unsigned length =
				modes ? length_of(bytes + used, binary->big_endian)
				: x86 ? x86_length(bytes + used, size - used) : arch->code_unit;
			const uint64_t behind = at + used + length;

			if (length == 0)
				break;

			used += length;
			if (behind - arch->call_step < first || behind - arch->call_step > last)
				continue;
			/* The second half of an instruction may look like a shorter call. */
			const struct call_site call = call_before(
				arch, binary->big_endian, bytes + used - length, length,
				modes ? behind | arch->mode_bit : behind);
			if (call.answer == CALL_YES && (x86 || call.length == length))
				return true;
		}
		if (used == 0)
			return false;
		at += used;
	}
	return false;
}

/* Runs ----------------------------------------------------------------------------------------- */

/* If a run has no call, leave out sources whose rules hold at calls only. */
static void
keep_calls(struct comparing *comparing, uint64_t first, uint64_t last)
{
	const struct unwind_check *check = comparing->check;
	uint64_t begins = 0;

	for (unsigned i = 0; i < check->count; i++) {
		const struct unwind_source *source = &check->sources[i];

		if ((comparing->covering >> i & 1) == 0)
			continue;
		if (source->row.begins > begins && source->row.begins <= first)
			begins = source->row.begins;
		if (source->kind->at_calls &&
		    ((comparing->covering & ~(1u << i)) == 0 || begins == 0 ||
		     !has_call(source->module, begins, first, last)))
			comparing->covering &= ~(1u << i);
	}
}

/* Compare the claims of sources in the columns that changed since the last comparison. */
static void
compare_claims(struct comparing *comparing, unsigned speaking)
{
	const struct claim *claims = comparing->sources[__builtin_ctz(speaking)]->row.claims;
	uint64_t differing = 0;

	const uint64_t changed = comparing->columns & (speaking == comparing->compared
						       ? comparing->changed : UINT64_MAX);
	for (unsigned others = speaking & (speaking - 1); others != 0; others &= others - 1) {
		const struct claim *other =
			comparing->sources[__builtin_ctz(others)]->row.claims;

		for (uint64_t left = changed; left != 0; left &= left - 1) {
			const unsigned column = (unsigned)__builtin_ctzll(left);

			differing |= (uint64_t)!claim_equal(&claims[column], &other[column])
				     << column;
		}
	}
	comparing->unequal = (comparing->unequal & ~changed) | differing;
	comparing->compared = speaking;
	comparing->changed = 0;
}

/* Compare in a run of addresses in which no source changes. */
static void
compare_run(struct comparing *comparing, uint64_t first, uint64_t last)
{
	struct unwind_totals *totals = comparing->totals;
	const uint64_t size = last - first + 1;

	if (comparing->at_calls)
		keep_calls(comparing, first, last);
	const unsigned covering = comparing->covering;
	const unsigned broken = covering & comparing->broken;
	for (unsigned left = covering; left != 0; left &= left - 1)
		totals->bytes[__builtin_ctz(left)] += size;
	const unsigned speaking = comparing->covering = covering & ~broken;
	if ((speaking & (speaking - 1)) != 0) {
		totals->compared++;
		totals->bytes_compared += size;
		compare_claims(comparing, speaking);
		for (uint64_t left = comparing->unequal | comparing->open; left != 0;
		     left &= left - 1)
			compare_column(comparing, (unsigned)__builtin_ctzll(left), first, last);
	} else {
		flush_all(comparing);
	}
	comparing->covering = covering;
	note_coverage(comparing, first, last, broken);
	if ((covering & 1) != 0) {
		comparing->before = comparing->sources[0]->row.entry;
		comparing->end = last + 1;
	}
}

static ATTRIBUTE_INLINE void
advance(struct comparing *comparing, unsigned source)
{
	struct unwind_source *at = comparing->sources[source];
	const struct unwind_row *row = &at->row;

	if (!at->kind->reader->next(at)) {
		comparing->left &= ~(1u << source);
		return;
	}
	comparing->changed |= row->changed;
	if (row->first <= comparing->check->last && row->last >= comparing->check->first) {
		comparing->totals->rows[source]++;
		if (source == 0)
			comparing->totals->entries += row->first == row->begins;
	}
}

/* The end of the run that begins at `first`. Also sets the sources that cover the run. */
static uint64_t
end_of_run(struct comparing *comparing, uint64_t first)
{
	uint64_t last = comparing->check->last;
	unsigned covering = 0, broken = 0;

	for (unsigned left = comparing->left; left != 0; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left), bit = 1u << i;
		const struct unwind_row *row = &comparing->sources[i]->row;

		while ((comparing->left & bit) != 0 && row->last < first)
			advance(comparing, i);
		if ((comparing->left & bit) == 0)
			continue;
		const bool covers = row->first <= first;
		covering |= covers ? bit : 0;
		broken |= covers && row->problem != NULL ? bit : 0;
		const uint64_t end = covers ? row->last : row->first - 1;
		last = end < last ? end : last;
	}
	comparing->covering = covering;
	comparing->broken = broken;
	return last;
}

/* Go to the last row of an exhausted source: the row's entry is named if later code is missing. */
static void
return_to_last(struct unwind_source *source)
{
	source->kind->reader->seek(source, 0);
	while (source->kind->reader->next(source))
		continue;
}

/* Number of runs between two calls of the callback `stop`. */
#define STOP_EVERY 64u

static bool
is_stopped(struct comparing *comparing)
{
	const struct unwind_check *check = comparing->check;

	comparing->stopped = comparing->stopped || (check->stop != NULL && check->stop());
	return comparing->stopped;
}

bool
unwind_check_run(const struct unwind_check *check, struct unwind_totals *totals)
{
	const unsigned columns = claim_columns(check->arch);
	struct comparing comparing = { .check = check, .totals = totals,
				       .left = (1u << check->count) - 1,
				       .columns = (UINT64_C(1) << columns) - 1 };
	uint64_t first = check->first;
	bool delegated = false;

	*totals = (struct unwind_totals){ 0 };
	if (check->count == 0)
		return true;
	totals->entry_count = check->sources[0].entries;
	for (unsigned i = 0; i < check->count; i++) {
		const struct unwind_source_kind *kind = check->sources[i].kind;

		comparing.sources[i] = &check->sources[i];
		check->sources[i].evaluated = true;
		comparing.whole |= (unsigned)kind->whole << i;
		comparing.at_calls = comparing.at_calls || kind->at_calls;
		delegated |= kind->delegates;
		kind->reader->seek(&check->sources[i], first);
		advance(&comparing, i);
	}
	if (delegated || (comparing.whole & 1) == 0 || comparing.whole == 1 ||
	    !check->sources[0].kind->symbols)
		comparing.whole = 0;
	if ((comparing.left & 1) == 0 && check->sources[0].kind->whole)
		return_to_last(&check->sources[0]);
	for (unsigned run = 0; comparing.left != 0; run++) {
		if (run % STOP_EVERY == 0 && is_stopped(&comparing))
			break;
		const uint64_t end = end_of_run(&comparing, first);
		if (comparing.left == 0)
			break;
		if (comparing.covering != 0)
			compare_run(&comparing, first, end);
		if (end == check->last)
			break;
		first = end + 1;
	}
	flush_all(&comparing);
	tell(&comparing, &comparing.coverage);
	return !comparing.stopped;
}
