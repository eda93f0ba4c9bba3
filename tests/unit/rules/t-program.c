/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "rules/program.h"
#include "tests/differential/chance.h"
#include "tests/lib/tap.h"

/* The postfix language: the effect of each token, the message of each failure, the origin of
 * values. Numbers and failures: Breakpad's postfix_evaluator-inl.h, confirmed by running it. */

#define STACK_BASE 0x1000u

/* The words of memory at STACK_BASE, little-endian. */
static const uint8_t stack_bytes[16] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
					 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x01 };

static const struct memory_region stack_region = { .base = STACK_BASE, .offset = 0x500,
						   .size = sizeof(stack_bytes), .available = sizeof(stack_bytes), .data = stack_bytes };
static const struct memory_run stack_run = { .base = STACK_BASE, .size = sizeof(stack_bytes),
					     .data = stack_bytes, .region = &stack_region };
static const struct crash crash = { .format = "test" };
static const struct memory_view memory = { .crash = &crash, .runs = &stack_run, .count = 1 };

/* The values of names in these tests. */
static const struct {
	const char *name;
	uint64_t value;
} known[] = { { "$esp", STACK_BASE }, { "$rsp", STACK_BASE }, { ".cfa", 0x2000 }, { "$T0", 7 },
	      { "$minus", UINT64_MAX } };

static void
bind(const struct arch *arch, const struct program *program, struct variable *variables)
{
	for (size_t i = 0; i < program->name_count; i++) {
		variables[i] = (struct variable){ .from = TRACE_NONE };
		for (size_t j = 0; j < ARRAY_COUNT(known); j++) {
			if (!text_equal(program->names[i].text, text_of(known[j].name)))
				continue;
			variables[i].value = arch_wrap(arch, known[j].value);
			variables[i].known = true;
			variables[i].from = (uint32_t)(1000 + j);
		}
	}
}

struct run {
	struct arena arena;
	const struct program *program;
	struct variable variables[LIMIT_POSTFIX_VARIABLES];
	struct outcome outcome;
	bool good;
};

static void
run_text(struct run *run, enum arch_id id, enum program_mode mode, struct text text, bool align_unchecked, struct trace *trace)
{
	static const struct input input = { "test.sym" };
	const struct arch *arch = arch_by_id(id);
	const struct environment environment = { .arch = arch, .memory = &memory, .align_unchecked = align_unchecked,
						 .trace = trace, .parent = TRACE_NONE };
	const struct place place = { &input, 100, (uint32_t)text.length, 7, 21 };

	arena_init(&run->arena, 0);
	run->program = program_compile(&run->arena, arch, ARCH_NAMES_EXACT, text, place);
	if (run->program->name_count <= LIMIT_POSTFIX_VARIABLES)
		bind(arch, run->program, run->variables);
	run->good = program_run(run->program, mode, &environment, run->variables, &run->outcome);
}

#define M32 UINT64_C(0xffffffff)

static const struct {
	enum arch_id arch;
	const char *text;
	uint64_t want;
} values[] = {
	{ ARCH_AMD64, "3 4 +", 7 }, { ARCH_AMD64, "3 4 -", UINT64_MAX }, { ARCH_X86, "3 4 -", M32 },
	{ ARCH_AMD64, "3 4 *", 12 }, { ARCH_AMD64, "17 5 /", 3 }, { ARCH_AMD64, "17 5 %", 2 },
	{ ARCH_AMD64, "29 8 @", 24 }, { ARCH_AMD64, "24 8 @", 24 }, { ARCH_X86, "4096 ^", 0x44332211 },
	{ ARCH_X86, "$esp 4 + ^", 0x88776655 }, { ARCH_X86, "4097 ^", 0x55443322 },
	{ ARCH_AMD64, "$rsp ^", UINT64_C(0x8877665544332211) }, { ARCH_X86, "4294967295 1 +", 0 },
	{ ARCH_AMD64, "4294967295 1 +", M32 + 1 }, { ARCH_X86, "65536 65536 *", 0 },
	{ ARCH_AMD64, "18446744073709551615 1 +", 0 }, { ARCH_X86, "0 1 - 2 /", 0x7fffffff },
	{ ARCH_AMD64, "0 1 - 2 /", UINT64_C(0x7fffffffffffffff) }, { ARCH_X86, "-1 8 @", 0xfffffff8 },
	{ ARCH_AMD64, "42", 42 }, { ARCH_AMD64, "010", 10 }, { ARCH_AMD64, "+8", 8 },
	{ ARCH_AMD64, "-8", UINT64_MAX - 7 }, { ARCH_AMD64, "--8", 8 }, { ARCH_AMD64, "-+8", UINT64_MAX - 7 },
	{ ARCH_AMD64, "-0", 0 }, { ARCH_X86, "4294967295", M32 }, { ARCH_X86, "-4294967295", 1 }, { ARCH_AMD64, "4294967296", M32 + 1 },
	{ ARCH_AMD64, "18446744073709551615", UINT64_MAX }, { ARCH_AMD64, ".cfa -8 +", 0x1ff8 },
	{ ARCH_X86, ".cfa -8 +", 0x1ff8 }, { ARCH_X86, "$minus", M32 },
	{ ARCH_AMD64, "\t 3 \v4\f\r\n + ", 7 }, { ARCH_AMD64, "2 3 4 + * 5 -", 9 },
	{ ARCH_AMD64, "$T9 5 = $T9 2 *", 10 }, { ARCH_AMD64, "$T9 5 =$T9", 5 },
};

TEST_EACH(values, values)
{
	struct run run;

	run_text(&run, values[i].arch, PROGRAM_EXPRESSION, text_of(values[i].text), false, NULL);
	ok(run.good && run.outcome.value == values[i].want, "%s: '%s' is 0x%" PRIx64 " (0x%" PRIx64 ")",
	   arch_by_id(values[i].arch)->name, values[i].text, values[i].want, run.outcome.value);
	arena_free(&run.arena);
}

#define VALUE(arch, text, failure, token, sentence) \
	{ ARCH_##arch, PROGRAM_EXPRESSION, text, PROGRAM_##failure, token, sentence }
#define STEPS(arch, text, failure, token, sentence) \
	{ ARCH_##arch, PROGRAM_ASSIGNMENTS, text, PROGRAM_##failure, token, sentence }

static const struct {
	enum arch_id arch;
	enum program_mode mode;
	const char *text;
	enum program_failure want;
	const char *token;	/* the token that fails; NULL: the end */
	const char *sentence;
} failures[] = {
	VALUE(AMD64, "", EMPTY, NULL, "the expression leaves no value"),
	VALUE(AMD64, "$T9 1 =", EMPTY, NULL, "the expression leaves no value"),
	VALUE(AMD64, "1 2", LEFTOVER, NULL, "values are left on the stack at the end"),
	STEPS(AMD64, "$T9 1 = 2", LEFTOVER, NULL, "values are left on the stack at the end"),
	VALUE(AMD64, "1 +", UNDERFLOW, "+", "'+' needs 2 values, the stack has fewer"),
	VALUE(AMD64, "+", UNDERFLOW, "+", "'+' needs 2 values, the stack has fewer"),
	VALUE(AMD64, "^", UNDERFLOW, "^", "'^' needs 1 value, the stack has fewer"),
	STEPS(AMD64, "1 =", UNDERFLOW, "=", "'=' needs 2 values, the stack has fewer"),
	VALUE(AMD64, "1 foo + 2 +", UNKNOWN_NAME, "+", "'foo' has no value here"),
	VALUE(AMD64, ".undef", UNKNOWN_NAME, NULL, "'.undef' has no value here"),
	VALUE(AMD64, "rsp 8 +", UNKNOWN_NAME, "+", "'rsp' has no value here"),
	VALUE(AMD64, "0x8 1 +", UNKNOWN_NAME, "+", "'0x8' has no value here; numbers in rules are decimal"),
	VALUE(AMD64, "18446744073709551616", UNKNOWN_NAME, NULL, "'18446744073709551616' has no value here"),
	VALUE(X86, "4294967296", UNKNOWN_NAME, NULL, "'4294967296' has no value here"),
	VALUE(AMD64, "---8", UNKNOWN_NAME, NULL, "'---8' has no value here"),
	VALUE(AMD64, "1 8- +", UNKNOWN_NAME, "+", "'8-' has no value here"),
	VALUE(AMD64, "++ 1 +", UNKNOWN_NAME, "+", "'++' has no value here"),
	VALUE(AMD64, "4104 ^", OK, NULL, "succeeded"),
	VALUE(AMD64, "4105 ^", UNREADABLE, "^", "memory at 0x1009 is not in the dump"),
	VALUE(X86, "4095 ^ 1 +", UNREADABLE, "^", "memory at 0xfff is not in the dump"),
	VALUE(X86, "-4 ^", UNREADABLE, "^", "memory at 0xfffffffc is not in the dump"),
	VALUE(AMD64, "1 0 /", DIVISION_BY_ZERO, "/", "'/' divides by zero"),
	VALUE(X86, "1 2 2 - %", DIVISION_BY_ZERO, "%", "'%' divides by zero"),
	VALUE(AMD64, "17 0 @", BAD_ALIGNMENT, "@", "'@' aligns to a value that is not a power of two"),
	VALUE(AMD64, "17 6 @ 1 +", BAD_ALIGNMENT, "@", "'@' aligns to a value that is not a power of two"),
	STEPS(AMD64, "foo 1 =", BAD_TARGET, "=", "'=' assigns to 'foo', which is not a variable"),
	STEPS(AMD64, ".cfa 1 =", BAD_TARGET, "=", "'=' assigns to '.cfa', which is not a variable"),
	STEPS(AMD64, "-5 3 =", BAD_TARGET, "=", "'=' assigns to a number"),
	STEPS(AMD64, "$T1 nothing = $T2 1 =", UNKNOWN_NAME, "=", "'nothing' has no value here"),
	VALUE(AMD64, "1 \033[2J +", UNKNOWN_NAME, "+", "'\\x1b[2J' has no value here"),
};

TEST_EACH(failures, failures)
{
	struct run run;
	char why[160];

	run_text(&run, failures[i].arch, failures[i].mode, text_of(failures[i].text), false, NULL);
	is_u64(run.outcome.failure, failures[i].want, "'%s' has the expected failure or none", failures[i].text);
	is_str(program_explain(run.program, &run.outcome, why, sizeof(why)), failures[i].sentence,
	       "the failure of '%s' is explained", failures[i].text);
	if (failures[i].token != NULL) {
		const struct token *token = &run.program->tokens[run.outcome.token];
		ok(text_equal((struct text){ failures[i].text + token->skip, token->length }, text_of(failures[i].token)),
		   "the failing token of '%s' is '%s'", failures[i].text, failures[i].token);
	}
	arena_free(&run.arena);
}

TEST(unchecked_alignment)
{
	struct run run;

	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of("17 6 @"), true, NULL);
	is_u64(run.outcome.value, 16, "17 6 @ is 16 without the check of the alignment");
	arena_free(&run.arena);
	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of("17 0 @"), true, NULL);
	is_u64(run.outcome.value, 0, "17 0 @ is 0 without the check of the alignment");
	arena_free(&run.arena);
}

static const struct variable *
variable_of(const struct run *run, const char *name)
{
	static const struct variable none = { 0 };

	for (size_t i = 0; i < run->program->name_count; i++)
		if (text_equal(run->program->names[i].text, text_of(name)))
			return &run->variables[i];
	return &none;
}

/* The MSVC program for frame 0 of Breakpad's minidump2.dmp, by hand. */
TEST(assignments)
{
	struct run run;

	run_text(&run, ARCH_X86, PROGRAM_ASSIGNMENTS,
		 text_of("$T0 $esp = $eip $T0 4 + ^ =$ebp $T0 ^ = $esp $T0 8 + = $L $T0 4 - ="), false, NULL);
	ok(run.good, "a program of assignments succeeds");
	is_u64(variable_of(&run, "$eip")->value, 0x88776655, "$eip is assigned the word that the program reads");
	is_u64(variable_of(&run, "$ebp")->value, 0x44332211, "'=$ebp' is '=' and '$ebp'");
	is_u64(variable_of(&run, "$esp")->value, 0x1008, "a name is replaced");
	is_u64(variable_of(&run, "$L")->value, 0xffc, "a name that is no register is a variable");
	ok(variable_of(&run, "$eip")->assigned, "the variable $eip is marked as assigned");
	arena_free(&run.arena);
	run_text(&run, ARCH_X86, PROGRAM_ASSIGNMENTS, text_of("$ebp 3 = $eip 1 ^ = $esp 2 ="), false, NULL);
	ok(!run.good && variable_of(&run, "$ebp")->assigned, "values assigned before the failure stay");
	ok(!variable_of(&run, "$esp")->assigned, "the program is not run after the failure");
	arena_free(&run.arena);
}

TEST(late_names)
{
	struct run run;

	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of("$T9 $T9 5 = 1 +"), false, NULL);
	is_u64(run.outcome.value, 6, "a name is looked up when it is popped, not when it is pushed");
	arena_free(&run.arena);
}

TEST(places)
{
	struct run run;

	run_text(&run, ARCH_X86, PROGRAM_ASSIGNMENTS, text_of("$ebx 12 =$eip  3 ="), false, NULL);
	is_u64(run.program->token_count, 6, "'$ebx 12 =$eip  3 =' has six tokens");
	struct place place = program_token_place(run.program, 3);
	is_u64(place.column, 30, "'$eip' after '=' has its own column");
	is_u64(place.length, 4, "'$eip' after '=' has its length");
	is_u64(place.line, 7, "'$eip' after '=' has the line of the text");
	is_u64(place.offset, 109, "'$eip' after '=' has its own offset");
	arena_free(&run.arena);
	run_text(&run, ARCH_X86, PROGRAM_EXPRESSION, text_of("=$eip =$ebx="), false, NULL);
	is_u64(run.program->token_count, 4, "the rest after '=' is one token, not split again");
	arena_free(&run.arena);
}

/* A text repeated `count` times. */
static char *
repeated(const char *text, size_t count)
{
	char *result = malloc(strlen(text) * count + 1);

	if (result == NULL)
		exit(1);
	result[0] = '\0';
	for (size_t i = 0; i < count; i++)
		memcpy(result + i * strlen(text), text, strlen(text) + 1);
	return result;
}

static void
test_limit(const char *text, size_t count, bool want, const char *title)
{
	char *program = repeated(text, count);
	struct run run;

	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of(program), false, NULL);
	ok((run.outcome.failure == PROGRAM_TOO_LONG) == want, "%s", title);
	arena_free(&run.arena);
	free(program);
}

TEST(limits)
{
	char names[LIMIT_POSTFIX_VARIABLES * 8 + 16];
	size_t length = 0;
	struct run run;

	test_limit("1 ", LIMIT_POSTFIX_DEPTH, false, "the stack takes as many values as it may");
	test_limit("1 ", LIMIT_POSTFIX_DEPTH + 1, true, "one value more than the limit fails");
	test_limit("$T9 1 = ", LIMIT_POSTFIX_TOKENS / 3, false, "a long program runs");
	test_limit("$T9 1 = ", LIMIT_POSTFIX_TOKENS / 3 + 1, true, "a program of more tokens than the limit fails");
	test_limit("=1 ", LIMIT_POSTFIX_TOKENS / 2 + 1, true, "a '=' and the text after it count as two tokens");
	for (unsigned i = 0; i <= LIMIT_POSTFIX_VARIABLES; i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "n%u ", i);
	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, (struct text){ names, length }, false, NULL);
	is_u64(run.outcome.failure, PROGRAM_TOO_LONG, "more names than the limit are too many");
	arena_free(&run.arena);
	/* Only the last name is new: the others are looked up. */
	length = (size_t)(strstr(names, "n255 ") - names) + strlen("n255 ");
	memcpy(names + length, "n0 n255", 8);
	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of(names), false, NULL);
	ok(!run.program->too_long && run.program->name_count == LIMIT_POSTFIX_VARIABLES &&
	   run.program->tokens[LIMIT_POSTFIX_VARIABLES].name == 0 &&
	   run.program->tokens[LIMIT_POSTFIX_VARIABLES + 1].name == LIMIT_POSTFIX_VARIABLES - 1,
	   "as many names as the limit are allowed, and each exists once");
	arena_free(&run.arena);
	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of("$rsp 16 +"), false, NULL);
	ok(run.arena.used <= sizeof(*run.program) + 3 * sizeof(*run.program->tokens) +
				     3 * sizeof(*run.program->names) + 3 * sizeof(max_align_t),
	   "a short program takes little memory");
	arena_free(&run.arena);
}

/* The events of a trace, in the order of the tokens. */
static const struct event *
token_event(const struct trace *trace, size_t index)
{
	uint32_t at = TRACE_NONE;

	do {
		at = trace_next(trace, at, EVENT_TOKEN);
	} while (index-- > 0);
	return &trace->events[at];
}

static uint32_t
index_of(const struct trace *trace, const struct event *event)
{
	return (uint32_t)(event - trace->events);
}

TEST(provenance)
{
	struct trace trace;
	struct run run;

	trace_init(&trace);
	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of(".cfa -4096 + ^ 1 +"), false, &trace);
	is_u64(trace.count, 7, "each token is an event, and so is the read");
	const struct event *name = token_event(&trace, 0), *plus = token_event(&trace, 2);
	const struct event *caret = token_event(&trace, 3), *last = token_event(&trace, 5);
	is_u64(name->stack->from, 1002, "a name's value comes from where the variable came from");
	ok(text_equal(name->stack->name, text_of(".cfa")), "the value of .cfa is still a name on the stack");
	is_u64(token_event(&trace, 1)->stack->from, index_of(&trace, token_event(&trace, 1)), "a number comes from its own token");
	ok(token_event(&trace, 1)->stack->below == name->stack, "stacks share their cells");
	is_u64(plus->stack->from, index_of(&trace, plus), "a sum comes from its operator");
	ok(plus->stack->below == NULL && plus->stack->name.length == 0 && plus->stack->value == 0x1000, "a sum leaves one value");
	const struct event *read = &trace.events[trace_next(&trace, TRACE_NONE, EVENT_READ)];
	is_u64(read->from, index_of(&trace, plus), "the address of a read comes from the sum");
	is_u64(read->parent, index_of(&trace, caret), "a read belongs to its operator");
	is_u64(read->place.offset, 0x500, "a read has its place in the dump");
	is_u64(read->value, UINT64_C(0x8877665544332211), "a read has its value");
	is_u64(caret->end, index_of(&trace, read) + 1, "the operator's event ends after its read");
	is_u64(run.outcome.from, index_of(&trace, last), "the result comes from the last operator");
	is_u64(last->place.column, 21 + 17, "the place of the last event is that of its token");
	arena_free(&run.arena);
	trace_free(&trace);

	trace_init(&trace);
	run_text(&run, ARCH_AMD64, PROGRAM_ASSIGNMENTS, text_of("$T1 $T0 = $T2 $T1 ="), false, &trace);
	is_u64(variable_of(&run, "$T2")->from, index_of(&trace, token_event(&trace, 5)), "a variable comes from its assignment");
	is_u64(token_event(&trace, 5)->from, index_of(&trace, token_event(&trace, 2)),
	       "the assignment of $T2 leads to the assignment before it");
	is_u64(token_event(&trace, 2)->from, 1003, "the assignment of $T1 leads to the input");
	arena_free(&run.arena);
	trace_free(&trace);
}

TEST(failed_trace)
{
	struct trace trace;
	struct run run;

	trace_init(&trace);
	run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of("1 64 ^ + 2"), false, &trace);
	const struct event *caret = token_event(&trace, 2);
	is_u64(caret->status, EVENT_FAILED, "the token that fails is marked");
	is_str(caret->text, "memory at 0x40 is not in the dump", "the event of the failing token has the reason");
	is_u64(trace_next(&trace, index_of(&trace, caret), EVENT_TOKEN), TRACE_NONE, "no token after the failing token is run");
	is_u64(trace.events[trace_next(&trace, TRACE_NONE, EVENT_READ)].status, EVENT_FAILED, "the read that failed is recorded");
	arena_free(&run.arena);
	trace_free(&trace);
}

/* A trace that becomes full while a program runs: its events stay, and the value is the same. */
TEST(full_trace)
{
	enum { ROOM = 128, EVENTS = 5 };

	for (unsigned free_events = 0; free_events <= EVENTS; free_events++) {
		struct trace trace;
		struct run run;

		trace_init(&trace);
		trace.arena.limit = ROOM * sizeof(struct event);
		for (unsigned i = 0; i < ROOM - free_events; i++)
			trace_add(&trace, TRACE_NONE, &(struct event){ .kind = EVENT_STEP });
		run_text(&run, ARCH_AMD64, PROGRAM_EXPRESSION, text_of("$rsp ^ 1 +"), false, &trace);
		is_u64(run.outcome.value, UINT64_C(0x8877665544332212),
		       "a program has its value with room for %u of its events", free_events);
		is_u64(trace.full, free_events < EVENTS, "the trace counts the missing events with room for %u events", free_events);
		is_u64(trace.count, ROOM, "the trace has as many events as fit with room for %u events", free_events);
		if (free_events == 2) {
			ok(trace.events[ROOM - 1].detail == OPERATION_READ && trace.events[ROOM - 1].stack == NULL,
			   "a token whose value was not kept shows no value");
			ok(trace.events[ROOM - 2].stack != NULL, "the token before the full trace's last one shows its value");
		}
		arena_free(&run.arena);
		trace_free(&trace);
	}
}

/* Random tokens, so that most programs fail somewhere. */
static struct text
random_program(struct chance *chance, char *buffer, size_t size)
{
	static const char *const tokens[] = { "+", "-", "*", "/", "%", "@", "^", "=", "$T1", "$T0",
					      "$rsp", ".cfa", "foo", "0", "1", "8", "-8", "4096",
					      "4100", "$T2", "=$T1", "4104", "$rsp", "2" };
	size_t length = 0, count = 1 + (size_t)chance_below(chance, 14);

	for (size_t i = 0; i < count; i++)
		length += (size_t)snprintf(buffer + length, size - length, "%s ", tokens[chance_below(chance, ARRAY_COUNT(tokens))]);
	return (struct text){ buffer, length };
}

static bool
same_variables(const struct run *a, const struct run *b)
{
	for (size_t i = 0; i < a->program->name_count; i++) {
		const struct variable *x = &a->variables[i], *y = &b->variables[i];
		if (x->known != y->known || x->assigned != y->assigned || x->value != y->value)
			return false;
	}
	return true;
}

static bool
same_outcome(const struct run *a, const struct run *b)
{
	return a->good == b->good && a->outcome.failure == b->outcome.failure &&
	       a->outcome.token == b->outcome.token && a->outcome.value == b->outcome.value &&
	       a->outcome.address == b->outcome.address && text_equal(a->outcome.name, b->outcome.name) && same_variables(a, b);
}

TEST(random)
{
	struct chance chance = chance_of(1, 1);
	unsigned different = 0, dangling = 0, good = 0;
	char text[256];

	for (unsigned i = 0; i < 20000; i++) {
		struct text program = random_program(&chance, text, sizeof(text));
		enum program_mode mode = i % 2 == 0 ? PROGRAM_EXPRESSION : PROGRAM_ASSIGNMENTS;
		enum arch_id arch = i % 3 == 0 ? ARCH_X86 : ARCH_AMD64;
		struct run plain, traced;
		struct trace trace;

		trace_init(&trace);
		run_text(&plain, arch, mode, program, i % 5 == 0, NULL);
		run_text(&traced, arch, mode, program, i % 5 == 0, &trace);
		different += !same_outcome(&plain, &traced);
		good += plain.good;
		for (size_t j = 0; j < trace.count; j++)
			dangling += trace.events[j].from != TRACE_NONE &&
				    trace.events[j].from >= j && trace.events[j].from < 1000;
		trace_free(&trace);
		arena_free(&plain.arena);
		arena_free(&traced.arena);
	}
	is_u64(different, 0, "20,000 random programs have one outcome with and without a trace");
	is_u64(dangling, 0, "no event comes from itself or from a later one");
	ok(good > 100, "%u of the random programs succeed", good);
}
