/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/code_check.h"

#include <inttypes.h>
#include <stdlib.h>

#include "code_flow/flow_claim.h"

/* Bytes of arguments that a callee takes off the stack: those of 16 words. */
#define MOST_TAKEN 64

/* What the code says of a row; as long as no function was run that reaches it, nothing. */
enum row_state {
	ROW_UNREACHED,
	ROW_AGREES,
	ROW_CANNOT_SAY,
	ROW_CONTRADICTED,
};

/* Everywhere, or before calls only. */
enum {
	EVERYWHERE,
	AT_CALLS,
	SCOPES,
};

struct code_row {
	uint64_t first, last, begins; /* `begins`: its entry */
	size_t assembler; /* number */
	int32_t pushed; /* the CFA above the stack pointer; 0: by another register */
	bool own; /* its entry is run itself, which decides */
	bool stub; /* of a linkage table: every one of its rows like this begins a function */
	struct {
		uint8_t now, best; /* of the function at work, and of all */
		struct unwind_difference *difference; /* the first contradiction; NULL: none */
	} scopes[SCOPES];
};

/* Functions whose entries have one CIE, by what their rows say where they return. */
struct assembler {
	size_t number;
	size_t closed, open; /* `open`: the frame is still said to be there */
};

struct code_check {
	struct flow_module module; /* first: the code's context is the whole of it */
	const struct unwind_check *check;
	struct unwind_source *source;
	unsigned number; /* of the source */
	struct arena arena;
	struct assembler *assemblers;
	size_t assembler_count, assembler_capacity;
	struct hash numbers; /* of assemblers, by their CIE */
	struct code_row *rows;
	size_t count, capacity;
	size_t *touched; /* rows of the function at work */
	size_t touched_count;
	bool returns, open; /* of the function at work */
	struct flow_function *function;
};

static bool
claim_is(const struct claim *claim, int base, int64_t offset, bool dereference)
{
	return claim->kind == CLAIM_RULE && claim->base == base && claim->offset == offset &&
		claim->dereference == dereference;
}

/* Whether a row says what holds where a function was just called. */
static bool
is_entry(const struct arch *arch, const struct unwind_row *row)
{
	const int64_t word = arch_pushes_return(arch) ? (int64_t)arch->word_size : 0;
	const struct claim *back = &row->claims[CLAIM_RETURN_ADDRESS];

	if (!claim_is(&row->claims[CLAIM_CFA], arch->sp, word, false) ||
		(word != 0 && !claim_is(back, LINEAR_CFA, -word, true)))
		return false;
	for (int reg = 0; reg < arch->register_count; reg++)
		if (reg != arch->sp && row->claims[CLAIM_REGISTER + reg].kind == CLAIM_RULE &&
			arch->registers[reg].callee_saved)
			return false;
	return true;
}

static struct code_row *
row_at(const struct code_check *code, uint64_t address)
{
	size_t low = 0, high = code->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (code->rows[middle].first <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address <= code->rows[low - 1].last ? &code->rows[low - 1] : NULL;
}

/* Bytes of arguments that the record says a callee of i386 takes off the stack. */
static uint16_t
taken_by(const struct arch *arch, const struct code_row *call, const struct code_row *next)
{
	const int32_t bytes = call->pushed - next->pushed;

	if (!arch_pushes_return(arch) || arch->word_size != 4 || next->pushed == 0)
		return 0;
	return bytes > 0 && bytes <= MOST_TAKEN && bytes % 4 == 0 ? (uint16_t)bytes : 0;
}

/*
 * What the code does not tell of a call is believed of the record: what a callee in another file takes off the
 * stack, and that it never returns, where the row that begins behind it is for another stack.
 */
static bool
goes_on(void *context, uint64_t address, uint64_t back, const struct flow_state *state,
	struct flow_callee *callee)
{
	const struct code_check *code = context;
	const struct arch *arch = code->check->arch;
	const struct flow_value *sp = &state->registers[arch->sp];
	const struct code_row *call = row_at(code, address), *next = row_at(code, back);
	const struct code_row *const end = code->rows + code->count;

	if (call == NULL || next == NULL)
		return true;
	if (!callee->settled)
		callee->pops = taken_by(arch, call, next);
	const uint64_t from = next->first > back ? next->first : back;
	if (next + 1 < end && next[1].first == next->last + 1 &&
		flow_function_is_idle(code->function, from, next->last))
		next++;
	return next->first < back || next->pushed == 0 || sp->kind != FLOW_STACK ||
		sp->base != 0 || next->pushed == -sp->offset - callee->pops;
}

enum flow_verdict
unwind_code_judge(const struct arch *arch, bool windows, const struct flow_state *state,
	unsigned column, const struct claim *claim)
{
	const int reg = column == CLAIM_RETURN_ADDRESS ? arch->pc : (int)column - CLAIM_REGISTER;
	const int same = reg == arch->pc && !arch_pushes_return(arch) ? arch->lr : reg;
	const struct flow_claim says = { .base = claim->kind == CLAIM_SAME ? same
			: claim->base == LINEAR_CFA			   ? FLOW_CFA
									   : claim->base,
		.offset = claim->kind == CLAIM_SAME ? 0 : claim->offset,
		.dereference = claim->kind == CLAIM_RULE && claim->dereference };

	if (column >= CLAIM_REGISTER && !flow_is_kept(arch, windows, reg))
		return FLOW_AGREES;
	if (claim->kind == CLAIM_SILENT)
		return FLOW_AGREES;
	if ((claim->kind != CLAIM_RULE && claim->kind != CLAIM_SAME) || claim->hash != 0 ||
		says.base == LINEAR_NONE)
		return FLOW_CANNOT_SAY;
	return column == CLAIM_CFA ? flow_claim_of_cfa(arch, state, &says)
				   : flow_claim_of(arch, state, reg, &says);
}

static struct unwind_difference *
note_contradiction(struct code_check *code, const struct code_row *row, unsigned column,
	const struct flow_point *point)
{
	const struct arch *arch = code->check->arch;
	const struct unwind_row *record = &code->source->row;
	const struct claim *claimed = &record->claims[column];
	const struct flow_value *sp = &point->state->registers[arch->sp];
	const struct flow_value *value =
		column > CLAIM_REGISTER ? &point->state->registers[column - CLAIM_REGISTER] : sp;
	struct unwind_difference *difference = arena_alloc(&code->arena, sizeof(*difference));
	char says[64];

	if (difference == NULL)
		return NULL;
	const char *claim = claimed->kind == CLAIM_SAME
		? "unchanged"
		: claim_format(arch, column, claimed, says, sizeof(says));
	const char *name = claim_column_name(arch, column);
	*difference = (struct unwind_difference){ .first = point->instruction->address,
		.last = row->last,
		.code = UNWIND_CODE,
		.column = column,
		.sources = 1u << code->number,
		.guilty = code->number };
	difference->claims[code->number] = *claimed;
	difference->records[code->number] = claimed->kind == CLAIM_SAME ? record->record
		: record->records[column] != 0				? record->records[column]
									: record->entry;
	if (column == CLAIM_CFA && sp->kind == FLOW_STACK && sp->base == 0 && sp->maker != 0)
		difference->problem = arena_format(&code->source->arena,
			"%s: %s, but the code has it at %s%+d since the instruction at 0x%" PRIx32,
			name, claim, arch->registers[arch->sp].label, -sp->offset, sp->maker - 1);
	else if (claimed->kind == CLAIM_SAME && value->maker != 0)
		difference->problem = arena_format(&code->source->arena,
			"%s: %s, but the instruction at 0x%" PRIx32 " has changed it", name, claim,
			value->maker - 1);
	else
		difference->problem = arena_format(&code->source->arena,
			"%s: %s, but the code has something else there", name, claim);
	return difference->problem != NULL ? difference : NULL;
}

/* Hold one instruction against the row that is current. */
static void
judge_point(struct code_check *code, struct code_row *row, const struct flow_point *point)
{
	enum flow_verdict worst = FLOW_AGREES;
	const bool calls = point->instruction->way == FLOW_CALL;
	unsigned at = 0;

	for (unsigned column = 0; column < claim_columns(code->check->arch); column++) {
		const enum flow_verdict verdict = unwind_code_judge(code->check->arch,
			code->source->windows, point->state, column,
			&code->source->row.claims[column]);

		if (verdict > worst) {
			worst = verdict;
			at = column;
		}
		/* Registers are where the CFA is: where that is elsewhere on purpose (longjmp), or not
		 * known, nothing can be said. */
		if (column == CLAIM_CFA && verdict == FLOW_CANNOT_SAY)
			break;
	}
	if (worst == FLOW_CONTRADICTS && point->inferred)
		worst = FLOW_CANNOT_SAY;
	if (row->scopes[EVERYWHERE].now == ROW_UNREACHED)
		code->touched[code->touched_count++] = (size_t)(row - code->rows);
	for (unsigned i = EVERYWHERE; i < (calls ? SCOPES : AT_CALLS); i++) {
		if (worst == FLOW_CONTRADICTS && row->scopes[i].difference == NULL)
			row->scopes[i].difference = note_contradiction(code, row, at, point);
		if (ROW_AGREES + worst > row->scopes[i].now)
			row->scopes[i].now = (uint8_t)(ROW_AGREES + worst);
	}
	if (point->instruction->way != FLOW_RETURN)
		return;
	code->returns = true;
	code->open = code->open || (worst == FLOW_CONTRADICTS && at == CLAIM_CFA);
}

static int
compare_addresses(const void *a, const void *b)
{
	const uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return one < other ? -1 : one > other;
}

/* Make the source's row the one that is listed; they ascend within a function. */
static bool
move_to(struct code_check *code, const struct code_row *row)
{
	struct unwind_source *source = code->source;

	if (source->row.first == row->first)
		return true;
	/* A source begins with the entry that reaches an address, whose first row may be another. */
	if (source->row.begins != row->begins || source->row.first > row->first)
		source->kind->reader->seek(source, row->first);
	while (source->kind->reader->next(source))
		if (source->row.first >= row->first)
			return source->row.first == row->first;
	return false;
}

/* Hold all rows that a function reaches against it. */
static void
judge_function(struct code_check *code, uint64_t begins)
{
	struct flow_point point;
	size_t count = 0;

	while (flow_function_point(code->function, count, &point))
		count++;
	uint32_t *addresses = calloc(count + 1, sizeof(*addresses));
	if (addresses == NULL)
		return;
	for (size_t i = 0; i < count; i++)
		if (flow_function_point(code->function, i, &point))
			addresses[i] = point.instruction->address;
	qsort(addresses, count, sizeof(*addresses), compare_addresses);
	code->touched_count = 0;
	code->returns = code->open = false;
	for (size_t i = 0; i < count; i++) {
		struct code_row *row = row_at(code, addresses[i]);

		/* Another function's own way to its rows decides about them. */
		if (row == NULL || (row->own && row->begins != begins) ||
			!flow_function_at(code->function, addresses[i], &point) ||
			!move_to(code, row))
			continue;
		if (code->source->row.problem == NULL &&
			code->source->row.claims[CLAIM_RETURN_ADDRESS].kind != CLAIM_UNDEFINED)
			judge_point(code, row, &point);
	}
	free(addresses);
	for (size_t i = 0; i < SCOPES * code->touched_count; i++) {
		struct code_row *row = &code->rows[code->touched[i / SCOPES]];
		uint8_t *now = &row->scopes[i % SCOPES].now, *best = &row->scopes[i % SCOPES].best;

		if (*best == ROW_UNREACHED || (*now != ROW_UNREACHED && *now < *best))
			*best = *now;
		*now = ROW_UNREACHED;
	}
	if (code->touched_count < 2 || !code->returns)
		return;
	struct assembler *assembler =
		&code->assemblers[code->rows[code->touched[0]].assembler];
	assembler->open += code->open;
	assembler->closed += !code->open;
}

/*
 * Who made an entry: by its CIE, which linkers share between the files of one assembler. Records of a
 * symbol file have what the table does that they were made from. False when out of memory.
 */
static bool
find_assembler(struct code_check *code, const struct unwind_row *row, size_t *number)
{
	uint64_t common = row->common;

	for (unsigned i = 0; i < code->check->count && common == 0; i++) {
		struct unwind_source *other = &code->check->sources[i];

		if (other == code->source || !other->kind->whole)
			continue;
		other->kind->reader->seek(other, row->begins);
		if (other->kind->reader->next(other) && other->row.begins <= row->begins)
			common = other->row.common;
	}
	const struct assembler *known = hash_find(&code->numbers, common, 0);
	if (known != NULL) {
		*number = known->number;
		return true;
	}
	struct assembler *made = ARENA_PUSH(&code->arena, code->assemblers, code->assembler_count,
		code->assembler_capacity);
	if (made == NULL || !hash_put(&code->numbers, common, 0, made))
		return false;
	*number = code->assembler_count - 1;
	*made = (struct assembler){ .number = *number };
	return true;
}

/* Whether calls lead to where the source's row begins, which is the first of its entry. */
static bool
begins_function(struct code_check *code)
{
	const struct unwind_row *row = &code->source->row;
	uint64_t start, end;

	if (code->source->kind->at_calls)
		return flow_module_function(&code->module, row->begins, &start, &end) &&
			start == row->begins;
	return is_entry(code->check->arch, row) &&
		!flow_function_is_idle(code->function, row->first, row->last);
}

/* List the rows; false when out of memory. */
static bool
list_rows(struct code_check *code)
{
	struct unwind_source *source = code->source;
	size_t assembler = 0;
	bool own = false;

	source->kind->reader->seek(source, 0);
	while (source->kind->reader->next(source)) {
		struct code_row *row =
			ARENA_PUSH(&code->arena, code->rows, code->count, code->capacity);

		if (row == NULL)
			return false;
		/* A cold part begins with padding where its first address is that of a pad. */
		if (source->row.first == source->row.begins)
			own = begins_function(code);
		if ((source->row.first == source->row.begins || code->assembler_count == 0) &&
			!find_assembler(code, &source->row, &assembler))
			return false;
		*row = (struct code_row){ .first = source->row.first,
			.last = source->row.last,
			.begins = source->row.begins,
			.assembler = assembler,
			.own = own };
		const struct claim *cfa = &source->row.claims[CLAIM_CFA];
		if (claim_is(cfa, code->check->arch->sp, cfa->offset, false))
			row->pushed = (int32_t)cfa->offset;
		row->stub = !own && (source->row.expressed >> CLAIM_CFA & 1) != 0 &&
			is_entry(code->check->arch, &source->row);
	}
	code->touched = arena_array(&code->arena, code->count + 1, sizeof(*code->touched));
	return code->touched != NULL;
}

/* What stands behind the jump of a stub may be padding. */
static bool
begins_idle(const struct code_check *code)
{
	struct flow_point point;

	return flow_function_point(code->function, 0, &point) && point.instruction->idle;
}

/*
 * Whether another source says that a function has no caller, as symbol files cannot: what is on its
 * stack means nothing.
 */
static bool
is_outermost(const struct code_check *code, uint64_t begins)
{
	for (unsigned i = 0; i < code->check->count; i++) {
		struct unwind_source *other = &code->check->sources[i];

		if (other == code->source || !other->kind->whole)
			continue;
		other->kind->reader->seek(other, begins);
		while (other->kind->reader->next(other) && other->row.begins <= begins)
			if (other->row.claims[CLAIM_RETURN_ADDRESS].kind == CLAIM_UNDEFINED)
				return true;
	}
	return false;
}

/* Count the rows by what the code says of them, and tell those that it contradicts. */
static void
tell_rows(struct code_check *code, struct unwind_code_totals *totals)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct code_row *row = &code->rows[i];
		const struct assembler *assembler = &code->assemblers[row->assembler];
		const bool calls =
			code->source->kind->at_calls || assembler->open > assembler->closed;
		const unsigned scope = calls ? AT_CALLS : EVERYWHERE;
		const uint8_t best = row->scopes[scope].best;

		totals->agree += best == ROW_AGREES;
		totals->contradict += best == ROW_CONTRADICTED;
		if (calls && best == ROW_UNREACHED && row->scopes[EVERYWHERE].best != best)
			totals->uncalled++;
		else if (best == ROW_UNREACHED &&
			flow_function_is_idle(code->function, row->first, row->last))
			totals->padding++;
		else
			totals->cannot_say += best == ROW_UNREACHED || best == ROW_CANNOT_SAY;
		if (best == ROW_CONTRADICTED && row->scopes[scope].difference != NULL &&
			!code->check->tell(code->check->context, row->scopes[scope].difference))
			return;
	}
}

/*
 * A stub jumps to where its slot says: at first that is behind the jump, where it goes on to the linker by
 * the first entry of its table.
 */
static void
run_stub(struct code_check *code, const struct code_row *row)
{
	struct flow_point jump;

	flow_function_run(code->function, row->first, row->last + 1);
	judge_function(code, row->begins);
	if (!flow_function_point(code->function, 0, &jump) || jump.state == NULL ||
		jump.instruction->way != FLOW_JUMP || jump.instruction->direct)
		return;
	flow_function_run(code->function,
		(uint64_t)jump.instruction->address + jump.instruction->length, row->last + 1);
	if (!begins_idle(code))
		judge_function(code, row->begins);
}

/* Behind a function whose last row is given: an index has one entry for several that are alike. */
static uint64_t
end_of(struct code_check *code, const struct code_row *last)
{
	uint64_t start, end;

	return code->source->kind->at_calls &&
			flow_module_function(&code->module, last->begins, &start, &end)
		? end
		: last->last + 1;
}

static void
run_source(struct code_check *code, struct unwind_code_totals *totals)
{
	for (size_t i = 0, next; i < code->count; i = next) {
		const struct code_row *row = &code->rows[i];

		for (next = i + 1; next < code->count && code->rows[next].begins == row->begins;)
			next++;
		for (size_t stub = i; stub < next; stub++)
			if (code->rows[stub].stub)
				run_stub(code, &code->rows[stub]);
		if (!row->own || row->first != row->begins ||
			!flow_module_mode(&code->module, row->begins))
			continue;
		flow_function_run(code->function, row->first, end_of(code, &code->rows[next - 1]));
		if (!is_outermost(code, row->begins))
			judge_function(code, row->begins);
	}
	tell_rows(code, totals);
}

bool
unwind_code_asks(const struct unwind_source *source)
{
	return source->kind->whole || source->kind->at_calls;
}

bool
unwind_code_run(const struct unwind_check *check, const struct crash *crash,
	struct unwind_code_totals *totals)
{
	const struct rule_module *module = check->sources[0].module;
	bool known = false;

	for (unsigned i = 0; i < check->count; i++) {
		struct code_check code = {
			.check = check, .source = &check->sources[i], .number = i
		};

		totals[i] = (struct unwind_code_totals){ 0 };
		if (!unwind_code_asks(&check->sources[i]))
			continue;
		flow_module_init(&code.module, crash, module->binaries, NULL, module->number);
		code.module.code.goes_on = goes_on;
		code.function = flow_function_create(&code.module.code);
		known = code.function != NULL;
		if (known && list_rows(&code))
			run_source(&code, &totals[i]);
		flow_function_free(code.function);
		flow_module_free(&code.module);
		hash_free(&code.numbers);
		arena_free(&code.arena);
	}
	return known;
}
