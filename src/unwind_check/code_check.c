/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/code_check.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
#include "debug_info/debug_info.h"
#include "system/crew.h"
#include "unwind_check/code_judge.h"

/* Maximum number of threads; number of parts for each thread; minimum rows of a part. */
#define MOST_THREADS 16u
#define PARTS 16u
#define PART_ROWS 512u
/* Instructions that a thread takes from the budget at a time. */
#define SPENT_AT_ONCE 1024u

/* The code's verdict on a row; ROW_UNREACHED until a function that reaches the row is run. */
enum row_state {
	ROW_UNREACHED,
	ROW_AGREES,
	ROW_CANNOT_SAY,
	ROW_CONTRADICTED,
};

/* Scopes of the checks: before every instruction, or before calls only. */
enum {
	EVERYWHERE,
	AT_CALLS,
	SCOPES,
};

struct code_row {
	uint64_t first, last, begins; /* `begins`: start of the row's entry */
	size_t assembler; /* index in `assemblers` */
	int32_t pushed; /* CFA minus stack pointer; 0: the CFA is based on another register */
	bool own; /* the entry was run as a function; only the verdict of that run counts */
	bool stub; /* in a linkage table: each such row begins a function */
};

/* The verdicts on a row so far: everywhere and at calls. */
struct row_findings {
	/* Verdicts of the current function, and the best of all functions */
	uint8_t now[SCOPES], best[SCOPES];
	uint32_t finder[SCOPES]; /* row of the function that found the difference */
	struct unwind_difference *difference[SCOPES]; /* the first contradiction; NULL: none */
	bool called; /* its address is the target of a call */
};

/* Functions whose entries share a CIE, counted by their rows at return instructions. */
struct assembler {
	size_t number;
	size_t closed, open; /* functions; `open`: a row at a return still describes the frame */
};

/* The rows of a source, and the findings of one thread for some of its functions. */
struct code_check {
	struct flow_module module; /* must be first: callbacks cast a pointer to it */
	const struct unwind_check *check;
	struct unwind_source *source;
	unsigned number;
	struct arena arena;
	struct code_crew *crew;
	struct unwind_check own; /* sources of a helper thread; otherwise empty */
	size_t working; /* index of the current function's first row */
	struct row_findings *states;
	struct assembler *assemblers;
	size_t assembler_count, assembler_capacity;
	struct hash numbers; /* by CIE: its struct assembler, used only for its number */
	struct code_row *rows;
	size_t count, capacity;
	size_t *touched; /* rows of the current function */
	size_t touched_count;
	bool returns, open; /* function returns; a row at a return describes the frame */
	struct flow_function *function;
	uint64_t left; /* instructions that this thread may run before it takes more */
};

/* The threads that run parts of one source's functions. */
struct code_crew {
	const struct crash *crash;
	struct code_check *whole, *helpers;
	size_t parts, rows; /* number of parts; rows of a part (its last entry may go on) */
	_Atomic uint64_t run; /* instructions that the threads took from their budget */
	uint64_t most;
};

static bool
claim_is_sum(const struct claim *claim, int base, int64_t offset)
{
	return claim->kind == CLAIM_RULE && claim->base == base && claim->offset == offset &&
	       !claim->dereference;
}

/* Whether a row fits the first instruction of a function. The return address may be anywhere. */
static bool
is_entry(const struct arch *arch, const struct unwind_row *row)
{
	const int64_t word = arch_pushes_return(arch) ? (int64_t)arch->word_size : 0;
	const struct claim *claims = row->claims;
	const struct claim back = claim_from_cfa(
		arch, CLAIM_RETURN_ADDRESS, &claims[CLAIM_RETURN_ADDRESS], &claims[CLAIM_CFA]);

	if (!claim_is_sum(&row->claims[CLAIM_CFA], arch->sp, word) ||
		(word != 0 &&
			(back.kind != CLAIM_RULE || back.base != LINEAR_CFA ||
				!back.dereference)))
		return false;
	for (int reg = 0; reg < arch->register_count; reg++)
		if (reg != arch->sp && row->claims[CLAIM_REGISTER + reg].kind == CLAIM_RULE &&
			arch->registers[reg].callee_saved)
			return false;
	return true;
}

static const struct code_row *
row_at(const struct code_check *code, uint64_t address)
{
	size_t at;

	BISECT(at, code->count, code->rows[at].first <= address);
	return at > 0 && address <= code->rows[at - 1].last ? &code->rows[at - 1] : NULL;
}

/*
 * Takes two facts about a callee in another file from records: the bytes that it pops, and whether
 * it returns. It does not return if the row after the call does not fit the stack.
 */
static bool
goes_on(void *context, uint64_t address, uint64_t back, const struct flow_state *state,
	struct flow_callee *callee)
{
	const struct code_check *code = context;
	const struct arch *arch = code->check->arch;
	const struct code_row *call = row_at(code, address), *next = row_at(code, back);
	const struct code_row *const end = code->rows + code->count;

	if (call == NULL || next == NULL)
		return true;
	if (!callee->settled)
		callee->pops = unwind_code_taken(arch, call->pushed, next->pushed);
	const uint64_t from = next->first > back ? next->first : back;
	if (next + 1 < end && next[1].first == next->last + 1 &&
		flow_function_is_idle(code->function, from, next->last))
		next++;
	return next->first < back || unwind_code_is_for(next->pushed, state, callee, arch);
}

/* Charge an instruction to the budget of all threads. */
static bool
spend(void *context)
{
	struct code_check *code = context;
	struct code_crew *crew = code->crew;
	const struct rule_module *module = code->source->module;
	const struct binary *binary;

	if (code->left == 0) {
		const uint64_t run = atomic_fetch_add(&crew->run, SPENT_AT_ONCE);

		if (run < crew->most)
			code->left = SPENT_AT_ONCE;
		else if (run - crew->most < SPENT_AT_ONCE &&
			(binary = binaries_load(module->binaries, module->number,
				 LOCATE_IMAGE)) != NULL)
			binaries_report_limit(module->binaries, binary, "the code", "verdicts");
	}
	if (code->left == 0)
		return false;
	code->left--;
	return true;
}

static struct unwind_difference *
note_contradiction(struct code_check *code, const struct code_row *row, unsigned column,
	const struct flow_point *point)
{
	const struct unwind_row *record = &code->source->row;
	const struct claim *claimed = &record->claims[column];
	struct unwind_difference *difference = arena_alloc(&code->arena, sizeof(*difference));

	if (difference == NULL)
		return NULL;
	*difference = (struct unwind_difference){ .first = point->instruction->address,
		.last = row->last,
		.code = UNWIND_CODE,
		.column = column,
		.sources = 1u << code->number,
		.guilty = code->number,
		.problem = unwind_code_say(code->source, column, point, 0) };
	difference->claims[code->number] = *claimed;
	difference->records[code->number] = claimed->kind == CLAIM_SAME ? record->record
		: record->records[column] != 0				? record->records[column]
									: record->entry;
	return difference->problem != NULL ? difference : NULL;
}

static void
judge_point(struct code_check *code, const struct code_row *row, const struct flow_point *point)
{
	const size_t number = (size_t)(row - code->rows);
	struct row_findings *state = &code->states[number];
	const bool calls = point->instruction->way == FLOW_CALL;
	unsigned at = 0;

	enum flow_verdict worst = unwind_code_judge_row(code->source, point->state, &at);
	if (worst == FLOW_CONTRADICTS && point->inferred)
		worst = FLOW_CANNOT_SAY;
	if (state->now[EVERYWHERE] == ROW_UNREACHED)
		code->touched[code->touched_count++] = number;
	for (unsigned i = EVERYWHERE; i < (calls ? SCOPES : AT_CALLS); i++) {
		if (worst == FLOW_CONTRADICTS && state->difference[i] == NULL) {
			state->difference[i] = note_contradiction(code, row, at, point);
			state->finder[i] = (uint32_t)code->working;
		}
		if (ROW_AGREES + worst > state->now[i])
			state->now[i] = (uint8_t)(ROW_AGREES + worst);
	}
	if (point->instruction->way != FLOW_RETURN)
		return;
	code->returns = true;
	code->open = code->open || (worst == FLOW_CONTRADICTS && at == CLAIM_CFA);
}

SORTED_VALUES(compare_addresses, uint32_t)

/* Move the source to a row, usually the next row. */
static bool
move_to(struct code_check *code, const struct code_row *row)
{
	struct unwind_source *source = code->source;

	if (source->row.first == row->first)
		return true;
	/* seek() goes to the first row of the entry: skip the rows before the wanted row. */
	if (source->row.last + 1 != row->first)
		source->kind->reader->seek(source, row->first);
	while (source->kind->reader->next(source))
		if (source->row.first >= row->first)
			return source->row.first == row->first;
	return false;
}

/* If several functions reach a row, one that agrees is enough. */
static void
add_verdict(uint8_t *best, uint8_t verdict)
{
	if (*best == ROW_UNREACHED || (verdict != ROW_UNREACHED && verdict < *best))
		*best = verdict;
}

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
	SORT(addresses, count, compare_addresses);
	code->touched_count = 0;
	code->returns = code->open = false;
	for (size_t i = 0; i < count; i++) {
		const struct code_row *row = row_at(code, addresses[i]);

		/* If a function is itself run, only that run judges its rows. */
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
		struct row_findings *state = &code->states[code->touched[i / SCOPES]];

		add_verdict(&state->best[i % SCOPES], state->now[i % SCOPES]);
		state->now[i % SCOPES] = ROW_UNREACHED;
	}
	if (code->touched_count < 2 || !code->returns)
		return;
	struct assembler *assembler =
		&code->assemblers[code->rows[code->touched[0]].assembler];
	assembler->open += code->open;
	assembler->closed += !code->open;
}

/*
 * Finds the assembler that made an entry, by the entry's CIE. Only files of one assembler share a
 * CIE. Records of a symbol file have no CIE: use that of another source. False when out of memory.
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

/* Whether a function begins at the source's row, the first row of its entry. */
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

static bool
list_rows(struct code_check *code)
{
	struct unwind_source *source = code->source;
	size_t assembler = 0;
	bool own = false;

	source->kind->reader->seek(source, 0);
	while (source->kind->reader->next(source)) {
		if (source->row.presumed)
			continue;
		struct code_row *row =
			ARENA_PUSH(&code->arena, code->rows, code->count, code->capacity);

		if (row == NULL)
			return false;
		/* A cold part begins with padding if a landing pad would be its first address. */
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
		row->pushed = unwind_code_pushed(code->check->arch, &source->row);
		row->stub = !own && (source->row.expressed >> CLAIM_CFA & 1) != 0 &&
			is_entry(code->check->arch, &source->row);
	}
	return true;
}

/*
 * Whether a function has no caller, so that no return address is on its stack. Symbol files cannot
 * express this, so the function's name or another source decides.
 */
static bool
is_outermost(const struct code_check *code, uint64_t begins)
{
	const struct rule_module *module = code->source->module;
	struct debug_answer answer;

	/* Linkers use this name as the entry point of a program. */
	if (debug_info_find(module->binaries, module->number, begins, NULL, &answer) &&
		answer.address == begins && answer.name != NULL &&
		strcmp(answer.name, "_start") == 0)
		return true;
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

/*
 * A stub jumps to the address in its slot. Before the first call, that is the address after the
 * jump. The code there jumps to the linker through the table's first entry.
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
	/* Padding may follow the jump. */
	if (!flow_function_point(code->function, 0, &jump) || !jump.instruction->idle)
		judge_function(code, row->begins);
}

/* The address after a function. One entry of .ARM.exidx may cover several functions. */
static uint64_t
end_of(struct code_check *code, const struct code_row *last)
{
	uint64_t start, end;

	return code->source->kind->at_calls &&
			flow_module_function(&code->module, last->begins, &start, &end)
		? end
		: last->last + 1;
}

/*
 * Some functions are called although their first row does not fit a call. Run these functions, and
 * judge their rows by the result.
 */
static void
run_called(struct code_check *code)
{
	for (size_t i = 0, next; i < code->count; i = next) {
		const struct code_row *row = &code->rows[i];

		for (next = i + 1; next < code->count && code->rows[next].begins == row->begins;)
			next++;
		if (!code->states[i].called)
			continue;
		code->working = i;
		flow_function_run(code->function, row->first, end_of(code, &code->rows[next - 1]));
		if (!is_outermost(code, row->begins))
			judge_function(code, row->begins);
	}
}

/* Whether other files may call this address: it is exported or is main. */
static bool
is_called_from_outside(const struct code_check *code, uint64_t begins)
{
	const struct rule_module *module = code->source->module;
	struct debug_answer answer;

	return debug_info_find(module->binaries, module->number, begins, NULL, &answer) &&
		answer.address == begins && answer.size != 0 && !answer.stub &&
		(strcmp(answer.section, ".dynsym") == 0 || strcmp(answer.name, "main") == 0);
}

/* Note the entries that a helper's functions call. */
static void
note_called(struct code_check *whole, struct code_check *helper)
{
	for (size_t i = 0; i < whole->count; i++) {
		const struct code_row *row = &whole->rows[i];

		if (!row->own && row->first == row->begins &&
			(hash_find(&helper->module.callees, row->begins, 0) != NULL ||
				(whole == helper && is_called_from_outside(whole, row->begins))))
			whole->states[i].called = true;
	}
}

static bool
is_stopped(const struct code_check *code)
{
	return code->check->stop != NULL && code->check->stop();
}

/* Run the functions whose entries begin in rows `from` to `end` - 1. */
static void
run_rows(struct code_check *code, size_t from, size_t end)
{
	for (size_t i = from, next; i < end; i = next) {
		const struct code_row *row = &code->rows[i];

		for (next = i + 1; next < code->count && code->rows[next].begins == row->begins;)
			next++;
		code->working = i;
		/* An entry that began in the previous part is run there. */
		if (i > 0 && code->rows[i - 1].begins == row->begins)
			continue;
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
}

static void
run_part(void *context, size_t member, size_t part)
{
	struct code_crew *crew = context;
	struct code_check *code = member == 0 ? crew->whole : &crew->helpers[member - 1];
	const struct unwind_check *check = code->check;
	const size_t from = part * crew->rows;

	if (is_stopped(code))
		return;
	run_rows(code, from, part + 1 < crew->parts ? from + crew->rows : code->count);
	if (check->progress != NULL && member == 0)
		check->progress(check->watcher, part + 1, crew->parts);
}

/* Open a thread's code analysis; false when out of memory, or if the code cannot be run. */
static bool
open_machine(struct code_check *code, const struct crash *crash)
{
	const struct rule_module *module = code->source->module;

	flow_module_init(&code->module, crash, module->binaries, NULL, module->number);
	code->module.code.goes_on = goes_on;
	code->module.code.spend = spend;
	code->function = flow_function_create(&code->module.code);
	return code->function != NULL;
}

/* Allocate memory that a thread writes; pages from calloc take no memory until they are used. */
static bool
open_states(struct code_check *code)
{
	code->states = calloc(code->count + 1, sizeof(*code->states));
	code->touched = calloc(code->count + 1, sizeof(*code->touched));
	return code->states != NULL && code->touched != NULL;
}

static void
close_machine(struct code_check *code)
{
	flow_function_free(code->function);
	flow_module_free(&code->module);
	free(code->states);
	free(code->touched);
	unwind_sources_close(code->own.sources, code->own.count);
	free(code->own.sources);
}

/* Open the check of a helper thread that works on `whole`; false when out of memory. */
static bool
open_helper(struct code_check *code, const struct code_check *whole)
{
	const struct unwind_check *check = whole->check;

	*code = (struct code_check){ .check = &code->own, .number = whole->number,
		.crew = whole->crew, .own = *check, .rows = whole->rows,
		.count = whole->count, .assembler_count = whole->assembler_count };
	code->own.count = 0;
	code->own.sources = calloc(UNWIND_SOURCES, sizeof(*code->own.sources));
	code->assemblers = arena_array(
		&code->arena, whole->assembler_count + 1, sizeof(*code->assemblers));
	if (code->own.sources == NULL || code->assemblers == NULL)
		return false;
	code->own.count = check->count;
	if (!unwind_sources_share(check->sources, check->count, code->own.sources))
		return false;
	code->source = &code->own.sources[code->number];
	return open_states(code) && open_machine(code, whole->crew->crash);
}

/* Merge a helper's findings into the whole, in the order of a run with one thread. */
static void
take_states(struct code_check *whole, struct code_check *helper)
{
	note_called(whole, helper);
	for (size_t i = 0; i < whole->assembler_count; i++) {
		whole->assemblers[i].open += helper->assemblers[i].open;
		whole->assemblers[i].closed += helper->assemblers[i].closed;
	}
	for (size_t i = 0; i < SCOPES * whole->count; i++) {
		const struct row_findings *from = &helper->states[i / SCOPES];
		struct row_findings *to = &whole->states[i / SCOPES];
		const size_t scope = i % SCOPES;
		struct unwind_difference *more = from->difference[scope];

		add_verdict(&to->best[scope], from->best[scope]);
		if (more == NULL || (to->difference[scope] != NULL &&
					    to->finder[scope] < from->finder[scope]))
			continue;
		struct unwind_difference *copy = arena_alloc(&whole->arena, sizeof(*copy));
		if (copy == NULL)
			continue;
		*copy = *more;
		copy->problem = arena_string(&whole->source->arena, more->problem);
		if (copy->problem == NULL)
			continue;
		to->difference[scope] = copy;
		to->finder[scope] = from->finder[scope];
	}
}

/* Run all functions, on all processors. */
static void
run_source(struct code_check *code)
{
	const size_t parts = 1 + code->count / PART_ROWS;
	struct code_crew *crew = code->crew;
	const size_t threads =
		crew_size(parts < MOST_THREADS ? (unsigned)parts : MOST_THREADS);

	crew->parts = parts < PARTS * threads ? parts : PARTS * threads;
	crew->rows = (code->count + crew->parts - 1) / crew->parts;
	crew->whole = code;
	crew->helpers = calloc(threads, sizeof(*crew->helpers));
	size_t opened = 0;
	while (crew->helpers != NULL && opened + 1 < threads &&
		open_helper(&crew->helpers[opened], code))
		opened++;
	crew_run(1 + opened, crew->parts, run_part, crew);
	note_called(code, code);
	/* If opening a helper failed, it is open in part: close it, too. */
	for (size_t i = 0; crew->helpers != NULL && i < threads; i++) {
		if (i < opened)
			take_states(code, &crew->helpers[i]);
		close_machine(&crew->helpers[i]);
		arena_free(&crew->helpers[i].arena);
	}
	free(crew->helpers);
	if (!is_stopped(code))
		run_called(code);
}

/* Count the rows by verdict, and report the contradicted ones. */
static void
tell_rows(struct code_check *code, struct unwind_code_totals *totals)
{
	/* After a stop, rows of functions that were not run have no verdict. */
	const bool stopped = is_stopped(code);

	for (size_t i = 0; i < code->count; i++) {
		const struct code_row *row = &code->rows[i];
		const struct assembler *assembler = &code->assemblers[row->assembler];
		const bool calls =
			code->source->kind->at_calls || assembler->open > assembler->closed;
		const unsigned scope = calls ? AT_CALLS : EVERYWHERE;
		const struct row_findings *state = &code->states[i];
		const uint8_t best = state->best[scope];

		totals->agree += best == ROW_AGREES;
		totals->contradict += best == ROW_CONTRADICTED;
		if (calls && best == ROW_UNREACHED && state->best[EVERYWHERE] != best)
			totals->uncalled++;
		else if (best == ROW_UNREACHED &&
			flow_function_is_idle(code->function, row->first, row->last))
			totals->padding++;
		else if (best != ROW_UNREACHED || !stopped)
			totals->cannot_say += best == ROW_UNREACHED || best == ROW_CANNOT_SAY;
		if (best == ROW_CONTRADICTED && state->difference[scope] != NULL &&
			!code->check->tell(code->check->context, state->difference[scope]))
			return;
	}
}

bool
unwind_code_run(const struct unwind_check *check, const struct crash *crash,
	struct unwind_code_totals *totals)
{
	bool known = false;

	for (unsigned i = 0; i < check->count; i++) {
		const struct rule_module *module = check->sources[i].module;
		const struct binary *binary =
			binaries_load(module->binaries, module->number, LOCATE_IMAGE);
		struct code_crew crew = { .crash = crash,
			.most = LIMIT_CODE_CHECKED + (binary != NULL ? binary->file.size : 0) };
		struct code_check code = { .check = check,
			.source = &check->sources[i],
			.number = i,
			.crew = &crew };

		totals[i] = (struct unwind_code_totals){ 0 };
		if (!check->sources[i].kind->code)
			continue;
		known = open_machine(&code, crash);
		if (known && list_rows(&code) && open_states(&code)) {
			run_source(&code);
			tell_rows(&code, &totals[i]);
		}
		close_machine(&code);
		hash_free(&code.numbers);
		arena_free(&code.arena);
	}
	return known;
}
