/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/frame_rules.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "walk/step.h"

/* Maximum size in bytes of the text of a method's rules; signal frames have the most rules. */
#define METHOD_TEXT 2048u

bool
walk_runs_code(const struct walk *walk)
{
	return binaries_configured(walk->binaries) && !walk_method_is_off(walk, METHOD_CODE);
}

struct rule_module
frame_rules_module(const struct walk *walk, int module)
{
	struct rule_module known = { .arch = walk->arch, .policy = &walk->policy,
				     .parameters = -1 };

	if (module == MODULE_NONE)
		return known;
	known.symfile = walk_symfile(walk, module);
	known.sframe = walk_sframe(walk, module);
	/* Sections of a crash have the process's addresses. */
	known.sframe_bias = walk->crash->modules[module].base;
	known.binaries = walk->binaries;
	known.number = (size_t)module;
	return known;
}

/*
 * Writes as text the rules that an attempt ran; if a rule ran twice, the last run is used. Returns
 * the length; 0: no rules, or the text does not fit.
 */
static size_t
collect(const struct trace *trace, char text[METHOD_TEXT])
{
	size_t length = 0;

	for (uint32_t i = trace_next(trace, TRACE_NONE, EVENT_RULE); i != TRACE_NONE;
	     i = trace_next(trace, i, EVENT_RULE)) {
		const struct event *event = &trace->events[i];

		const int added = snprintf(text + length, METHOD_TEXT - length, "%.*s: %s ",
					   (int)event->name.length, event->name.start,
					   event->text);
		if (added < 0 || (size_t)added >= METHOD_TEXT - length)
			return 0;
		length += (size_t)added;
	}
	return length;
}

static void
add_method(struct rule_tables *tables, const struct trace *trace, enum method_id method,
	   uint64_t address, const struct frame *caller)
{
	const struct rule_set none = { .cfa = -1, .return_address = -1 }, *set = &none;
	const uint32_t result = trace_next(trace, TRACE_NONE, EVENT_RESULT);
	char text[METHOD_TEXT];
	const size_t length = collect(trace, text);

	if (length > 0) {
		char *copy = arena_copy(tables->arena, text, length);

		set = copy == NULL ? NULL
				   : rule_set_text(tables->arena, tables->arch,
						   (struct text){ copy, length },
						   (struct place){ 0 });
	}
	tables->failed = tables->failed || set == NULL;
	struct rule_row *row =
		set == NULL ? NULL : rule_tables_row(tables, address, (struct place){ 0 }, set);
	if (row == NULL)
		return;
	if (length == 0)
		row->cells = NULL;
	row->label = method_name(method);
	for (int reg = 0; reg < tables->arch->register_count; reg++)
		if (!registers_known(&caller->registers, reg))
			row->untracked |= UINT64_C(1) << reg;
	/* The reason why the attempt found nothing. */
	if (result != TRACE_NONE && trace->events[result].detail != VERDICT_TAKEN)
		row->message = arena_format(tables->arena, "%s", trace->events[result].text);
}

/* Tries each method without records by itself, and adds its step. */
static void
add_conventions(struct frame_rules *rules, struct walk *walk, size_t number)
{
	enum method_id methods_here[METHOD_COUNT];
	const size_t count = walk_methods(walk, methods_here);
	struct verdict verdict;
	struct frame caller;
	struct trace trace;

	rule_tables_begin(&rules->tables, "by convention");
	trace_init(&trace);
	for (size_t i = 0; i < count; i++) {
		const enum method_id method = methods_here[i];

		if (methods[method].source == METHOD_BY_RECORDS || walk_method_is_off(walk, method))
			continue;
		trace_reset(&trace);
		unwind_step_by(walk, number, method, &trace, &caller, &verdict);
		if (trace_next(&trace, TRACE_NONE, EVENT_ATTEMPT) != TRACE_NONE)
			add_method(&rules->tables, &trace, method, rules->address,
				   &caller);
	}
	trace_free(&trace);
	const size_t last = rules->tables.count - 1;
	if (rules->tables.count > 0 && rules->tables.tables[last].count > 0)
		rules->conventions = last;
	else if (rules->tables.count > 0)
		rules->tables.count--;
}

static bool
is_source_of(const struct rule_table *table, enum method_id id)
{
	const char *method = method_name(id);
	const size_t length = strlen(method);

	for (unsigned i = 0; id == METHOD_FRAME_TABLE && i < FRAME_TABLES; i++)
		if (strcmp(table->source, frame_tables_name(i)) == 0)
			return true;
	return strncmp(table->source, method, length) == 0 &&
	       (table->source[length] == '\0' || table->source[length] == ' ');
}

/* Finds the table whose rules the step used; for STACK WIN, the first table with rules there. */
static void
find_in_force(struct frame_rules *rules, struct walk *walk, size_t number)
{
	struct verdict verdict;
	struct frame caller;

	unwind_step(walk, number, NULL, &caller, &verdict);
	if (verdict.kind != VERDICT_TAKEN || verdict.method == METHOD_COUNT)
		return;
	rules->method = method_name(verdict.method);
	if (methods[verdict.method].source != METHOD_BY_RECORDS) {
		rules->in_force = rules->conventions;
		return;
	}
	for (size_t i = 0; i < rules->tables.count && rules->in_force == SIZE_MAX; i++) {
		const struct rule_table *table = &rules->tables.tables[i];
		const struct rule_row *row = rule_table_at(table, rules->address);

		if (is_source_of(table, verdict.method) && row != NULL &&
		    row->kind == RULE_ROW_RULES)
			rules->in_force = i;
	}
}

/* Whether there are enough sources with rules for an address to make a comparison. */
static bool
are_compared(const struct walk *walk, const struct unwind_source *sources, size_t count,
	     uint64_t address)
{
	const unsigned least = walk_runs_code(walk) ? 1 : 2;
	uint64_t first, last;
	unsigned covering = 0;

	for (size_t i = 0; i < count && covering < least; i++)
		covering += sources[i].kind->reader->covers(&sources[i], address, &first, &last);
	return covering == least;
}

/*
 * Makes the tables. `whole`: for the function, with conventions; otherwise for the frame's address
 * only. `number` is the frame's number in the walk, or SIZE_MAX if it is not in the walk.
 */
static void
make(struct frame_rules *rules, struct walk *walk, const struct frame *frame, size_t number,
     bool whole, struct arena *arena)
{
	struct rule_module module = frame_rules_module(walk, frame->module);
	struct unwind_source sources[UNWIND_SOURCES];

	*rules = (struct frame_rules){ .in_force = SIZE_MAX, .conventions = SIZE_MAX,
				       .address = frame->lookup };
	if (frame->module != MODULE_NONE) {
		rules->module = &walk->crash->modules[frame->module];
		rules->address -= rules->module->base;
	}
	module.parameters = frame->parameters < 0 ? 0 : frame->parameters;
	module.keeps_ebx = walk->arch->stack_win && registers_known(&frame->registers, 3);
	const size_t count = unwind_sources(&module, sources);
	if (!whole && !are_compared(walk, sources, count, rules->address))
		return;
	if (whole)
		rule_run_at(&module, rules->address, arena, &rules->run);
	else
		rules->run = (struct rule_run){ .first = rules->address, .last = rules->address };
	rules->run.function.name =
		demangle_memo_shown(walk->names, &walk->policy, rules->run.function.name);
	rule_tables_init(&rules->tables, arena, walk->arch, rules->run.first, rules->run.last);
	rules->tables.windows = walk->crash->system.os == CRASH_OS_WINDOWS &&
				walk->policy.value[POLICY_CALLEE_SAVED_WINDOWS] != 0;
	for (size_t i = 0; i < count; i++)
		rule_tables_add(&rules->tables, &sources[i]);
	if (whole && number != SIZE_MAX)
		add_conventions(rules, walk, number);
	rule_tables_finish(&rules->tables);
	if (number != SIZE_MAX)
		find_in_force(rules, walk, number);
	else
		rules->in_force = rule_tables_obeyed(&rules->tables, rules->address);
}

void
frame_rules_make(struct frame_rules *rules, struct walk *walk, size_t number, struct arena *arena)
{
	make(rules, walk, &walk->frames[number], number, true, arena);
}

void
frame_rules_at(struct frame_rules *rules, struct walk *walk, uint64_t address, struct arena *arena)
{
	const struct frame frame = {
		.lookup = address,
		.module = module_map_find(&walk->modules, address),
		.parameters = -1,
	};

	make(rules, walk, &frame, SIZE_MAX, true, arena);
}

void
frame_rules_here(struct frame_rules *rules, struct walk *walk, size_t number, struct arena *arena)
{
	make(rules, walk, &walk->frames[number], number, false, arena);
}
