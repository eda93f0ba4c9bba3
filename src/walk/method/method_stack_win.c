/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/error.h"
#include "debug_info/debug_pdb.h"
#include "walk/frame_rules.h"
#include "walk/step.h"

/*
 * A STACK WIN record (x86) has a program that assigns the caller's registers, or only sizes. Sizes
 * are converted to such a program here. A second search then repairs a bad return address or a lost
 * ebp. Source: google/breakpad src/processor/stackwalker_x86.cc, GetCallerByWindowsFrameInfo.
 */

#define SCAN_REFINE 4u	/* words read to refine the start of the search */
#define MOST_SAVED 1024u	/* words searched for the saved ebp; real frames save 3 registers */

struct win {
	struct step *step;
	struct frame *caller;
	struct stack_win record;
	struct stack_win was;		/* record in the file, if `edited` */
	bool edited, program_edited;
	struct place place;
	uint64_t parameters;		/* bytes of arguments for the callee's callee */
	bool parameters_known;
	uint64_t search_start;
	char search_why[160];		/* reason for the search start, for the trace */
	const struct program *program;
	bool recover_ebp;
	uint64_t eip, esp, ebp;
	uint64_t offset;		/* bytes by which a rescan moved the frame */
	enum trust trust;
};

bool
step_stack_win(const struct walk *walk, const struct symfile *symfile, uint64_t relative,
	       struct stack_win *record)
{
	const struct policy *policy = &walk->policy;

	return symfile != NULL && (symfile_stack_win(symfile, policy, 4, relative, record) ||
				   symfile_stack_win(symfile, policy, 0, relative, record));
}

/* The PDB of the callee's module; NULL if it has none, or files are not used. */
static const struct pdb *
pdb_of(const struct step *step)
{
	return step->callee->module == MODULE_NONE || !step_policy(step, POLICY_FRAME_TABLES)
		       ? NULL
		       : debug_info_pdb(step->walk->binaries, (size_t)step->callee->module);
}

/* Finds a record in the PDB if the symbol file has none. */
static bool
find_in_pdb(struct step *step, struct stack_win *record)
{
	const struct pdb *pdb = pdb_of(step);

	return pdb != NULL &&
	       (debug_pdb_stack_win(pdb, 4, step->relative, step_arena(step), record) ||
		debug_pdb_stack_win(pdb, 0, step->relative, step_arena(step), record));
}

/* Finds the record. If a what-if edit changed the record, `*was` is the record in the file. */
static bool
find_record(struct step *step, struct stack_win *record, struct stack_win *was, bool *edited)
{
	*edited = false;
	if (!step_stack_win(step->walk, step->symfile, step->relative, record))
		return find_in_pdb(step, record);
	*edited = record_edit_made_win(step->symfile, record, was);
	return true;
}

int64_t
step_recorded_parameters(struct step *step)
{
	struct stack_win record, was;
	struct function function;
	bool edited;

	if (find_record(step, &record, &was, &edited))
		return record.parameters;
	if (step->symfile != NULL &&
	    symfile_covering_function(step->symfile, &step->walk->policy, step->relative,
				      &function))
		return (int64_t)(uint32_t)function.parameter_size;
	return -1;
}

int64_t
step_parameters(struct step *step)
{
	struct function function;
	int64_t recorded = step_recorded_parameters(step);

	if (recorded >= 0 || step->symfile == NULL ||
	    !step_policy(step, POLICY_PARAMETERS_OF_PUBLIC) ||
	    !symfile_function(step->symfile, &step->walk->policy, step->relative,
			      &function))
		return recorded;
	return (int64_t)(uint32_t)function.parameter_size;
}

static uint64_t
wrap(uint64_t value)
{
	return (uint32_t)value;
}

/* Moves the start of the search to the first likely return address near it. */
static bool
refine(struct win *win, uint64_t *value)
{
	uint64_t slot;

	if (!step_scan(win->step, win->search_start, 0, SCAN_REFINE, &slot, value))
		return false;
	const size_t length = strlen(win->search_why);
	if (slot != win->search_start && win->step->trace != NULL)
		snprintf(win->search_why + length, sizeof(win->search_why) - length,
			 ", then the first likely return address from there");
	win->search_start = slot;
	return true;
}

/* Whether a word at an address can be the function's return address. */
static bool
holds_return(struct step *step, uint64_t address)
{
	const char *why_not;
	uint64_t value;

	return step_read(step, address, &value) && value != step->pc &&
	       step_looks_like_return(step, value, &why_not);
}

/*
 * Decides whether the sizes include the callee's parameters. Records differ: clang reserves the
 * parameters of some calls among the caller's locals. False: neither place has a return address.
 */
static bool
settle_start(struct win *win)
{
	const uint64_t below = wrap(win->search_start - win->parameters);
	uint64_t slot, value;

	if (holds_return(win->step, win->search_start)) {
		/* The scan records the word; the sizes take precedence over the scan's result. */
		step_scan(win->step, win->search_start, 0, 1, &slot, &value);
		return true;
	}
	if (win->parameters == 0 || !holds_return(win->step, below))
		return false;
	win->search_start = below;
	if (win->step->trace != NULL)
		snprintf(win->search_why, sizeof(win->search_why),
			 "esp %#" PRIx64 " + locals %#" PRIx32 " + saved %#" PRIx32
			 ", with the callee's parameters among the locals", win->step->sp,
			 win->record.locals, win->record.saved_registers);
	return true;
}

/*
 * Finds the return address by the callee's own instructions. Also false if the sizes give the same
 * address. Records do not count bytes pushed for a call. If the called function is unknown, as in a
 * call through a bad pointer or into a library without symbols, only the code shows these bytes.
 * Parameters of the called function may have been pushed; for some calls clang reserves them among
 * the locals. The code shows the right place; the words at both places may look like return
 * addresses.
 */
static bool
start_by_code(struct win *win)
{
	struct step *step = win->step;
	uint64_t cfa;

	if ((win->parameters_known && win->parameters == 0 &&
	     holds_return(step, win->search_start)) ||
	    win->edited || step_is_first(step) || !walk_runs_code(step->walk) ||
	    walk_method_is_off(step->walk, METHOD_CODE) || !method_has_code(step))
		return false;
	const struct code_answer answer = frame_code(step->walk, step->callee, step->trace);
	if (answer.row == NULL || answer.set == NULL || answer.set->cfa < 0 ||
	    !step_value(step, &answer.set->rules[answer.set->cfa], &cfa) ||
	    (win->parameters_known && wrap(cfa - 4) == win->search_start) ||
	    !holds_return(step, wrap(cfa - 4)))
		return false;
	win->search_start = wrap(cfa - 4);
	if (step->trace != NULL)
		snprintf(win->search_why, sizeof(win->search_why),
			 "CFA %#" PRIx64 " of the code - 4: %s", cfa,
			 win->parameters_known ? "the code shows what was pushed for the call"
					       : "the callee's parameters are unknown");
	return true;
}

static void
find_search_start(struct win *win)
{
	struct step *step = win->step;
	const uint64_t start = wrap(step->sp + win->parameters + win->record.locals +
				    win->record.saved_registers);
	char parameters[64] = "";
	uint64_t value;

	win->search_start = start;
	if (win->parameters != 0)
		snprintf(parameters, sizeof(parameters), " + callee's parameters %#" PRIx64,
			 win->parameters);
	if (step->trace != NULL)
		snprintf(win->search_why, sizeof(win->search_why),
			 "esp %#" PRIx64 " + locals %#" PRIx32 " + saved %#" PRIx32 "%s", step->sp,
			 win->record.locals, win->record.saved_registers, parameters);
	if (!step_policy(step, POLICY_RETURN_SEARCH) || start_by_code(win) ||
	    (!step_policy(step, POLICY_PARAMETERS_OF_INNERMOST) && settle_start(win)) ||
	    !refine(win, &value))
		return;
	/* A system call stub leaves its own return address on top: the caller's follows it. */
	if (step_is_first(step) && win->record.type == 0 && win->search_start == start &&
	    value == step->pc) {
		win->search_start = wrap(win->search_start + 4);
		refine(win, &value);
	}
}

static bool
compile(struct win *win)
{
	struct step *step = win->step;
	struct arena *arena = step_arena(step);
	bool has_program = win->record.has_program && win->record.program.length > 0;
	struct text text = win->record.program;
	struct place place = { 0 };

	/* Write a record without a program as a program. */
	if (!has_program) {
		const char *formula = rule_set_fpo_program(
			&win->record, registers_known(&step->callee->registers, 3));

		formula = arena_string(arena, formula);
		text = text_of(formula != NULL ? formula : "");
	}
	win->program_edited = win->edited && has_program && !text_equal(text, win->was.program);
	if (win->record.own.input != NULL)
		place = win->record.own_program;
	else if (has_program && !win->program_edited)
		place = place_part(win->place,
				   (win->edited ? win->was : win->record).program_column - 1u,
				   (uint32_t)text.length);
	win->recover_ebp = has_program || win->record.allocates_base_pointer;
	/* In a frame that aligns esp, the return address is found from ebp. */
	if (has_program && memchr(text.start, '@', text.length) != NULL &&
	    registers_known(&step->callee->registers, step->arch->fp)) {
		win->search_start = wrap(step->fp + 4);
		snprintf(win->search_why, sizeof(win->search_why),
			 "ebp + 4: the program aligns esp, which makes it unusable for the search");
	}
	win->program =
		program_compile(arena, step->arch, stack_win_names(step->policy), text, place);
	return win->program != NULL;
}

struct input_value {
	const char *name;
	uint64_t value;
	const char *why;
};

/* Sets the program's names: three registers and the values of the record. */
static void
bind(struct win *win, struct variable *variables)
{
	struct step *step = win->step;
	const struct input_value inputs[] = {
		{ ".cbCalleeParams", win->parameters, "parameter size of the callee" },
		{ ".cbSavedRegs", win->record.saved_registers, "saved registers of the record" },
		{ ".cbLocals", win->record.locals, "locals of the record" },
		{ ".cbParams", win->record.parameters, "parameters of the record" },
		{ ".raSearchStart", win->search_start, win->search_why },
		{ ".raSearch", win->search_start, win->search_why },
	};

	for (size_t i = 0; i < win->program->name_count; i++) {
		const struct program_name *name = &win->program->names[i];

		variables[i] = (struct variable){ .from = TRACE_NONE };
		if (name->reg == step->arch->fp || name->reg == step->arch->sp || name->reg == 3) {
			variables[i].value = step->inputs.value[name->reg];
			variables[i].known = name->reg != 3 ||
					     registers_known(&step->inputs, name->reg);
			if (variables[i].known)
				variables[i].from = step_input(step, name->reg);
		}
		for (size_t j = 0; j < ARRAY_COUNT(inputs); j++) {
			if (!text_is(name->text, inputs[j].name))
				continue;
			variables[i].value = inputs[j].value;
			variables[i].known = true;
			variables[i].from = step_named_input(step, inputs[j].name, inputs[j].value,
							     win->place, "%s", inputs[j].why);
		}
	}
}

static bool
is_assigned(const struct program *program, const struct variable *variables, int reg, size_t *index)
{
	for (size_t i = 0; i < program->name_count; i++) {
		if (program->names[i].reg == reg && variables[i].assigned) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* Sets registers from number `first` on to the program's values; others are kept or unknown. */
static void
take_registers(struct win *win, const struct variable *variables, int first)
{
	struct step *step = win->step;

	for (int reg = first; reg <= 5; reg++) {	/* eip esp ebp ebx esi edi */
		size_t index;

		if (is_assigned(win->program, variables, reg, &index))
			step_set(step, win->caller, reg, variables[index].value,
				 variables[index].from, "");
		else if (reg == step->arch->fp)
			step_set(step, win->caller, reg, step->callee->registers.value[reg],
				 step_input(step, reg), "carried over, the program string sets "
							"none");
		else if (!step_policy(step, POLICY_WIN_KEEPS_SAVED) ||
			 !step_keep(step, win->caller, reg, "unchanged, the program string sets "
							    "none"))
			step_unknown(step, reg, "the program string does not set it");
	}
	for (int reg = 6; reg < step->arch->register_count; reg++)
		step_unknown(step, reg, "not kept across calls");
	win->eip = win->caller->registers.value[0];
	win->esp = win->caller->registers.value[1];
	win->ebp = win->caller->registers.value[2];
}

/*
 * Breakpad's fallback for a program that fails: the first likely return address. Values that the
 * program assigned before it failed are kept.
 */
static bool
scan_instead(struct win *win, const struct variable *variables)
{
	struct step *step = win->step;
	uint64_t slot, value;

	if (!step_policy(step, POLICY_WIN_FAILURE_SCANS) || !step_may_scan(step))
		return false;
	step_repair(step, "%s: scanning from esp instead", step->reason);
	if (!step_scan(step, step->sp, 0, step_scan_words(step), &slot, &value))
		return false;
	win->trust = TRUST_SCAN;
	step_set(step, win->caller, 0, value, TRACE_NONE, "found by the scan");
	step_set(step, win->caller, 1, slot + 4, TRACE_NONE, "after the word that was found");
	take_registers(win, variables, 2);
	return true;
}

static bool
run_program(struct win *win)
{
	struct step *step = win->step;
	struct environment environment = step_environment(step->walk);
	struct variable variables[LIMIT_POSTFIX_VARIABLES];
	struct outcome outcome;
	uint32_t event = TRACE_NONE;
	size_t index;
	char why[160];

	bind(win, variables);
	if (step->trace != NULL)
		event = trace_add(step->trace, step->attempt,
				  &(struct event){ .kind = EVENT_RULE, .reg = ARCH_NO_REGISTER,
						   .from = TRACE_NONE,
						   .detail = win->program_edited ? TRACE_RULE_EDITED
										 : 0,
						   .place = win->program_edited
								    ? win->place
								    : win->program->place,
						   .name = text_of("program"),
						   .text = trace_copy(step->trace,
								      win->program->text) });
	environment.trace = step->trace;
	environment.parent = event;
	bool good = program_run(win->program, PROGRAM_ASSIGNMENTS, &environment, variables,
				&outcome);
	if (event != TRACE_NONE)
		step->trace->events[event].status = good ? EVENT_OK : EVENT_FAILED;
	trace_close(step->trace, event);
	if (good && is_assigned(win->program, variables, 0, &index) &&
	    is_assigned(win->program, variables, 1, &index)) {
		take_registers(win, variables, 0);
		return true;
	}
	if (good)
		step_refuse(step, "the program does not set both $eip and $esp");
	else
		step_refuse(step, "the program string fails: %s",
			    program_explain(win->program, &outcome, why, sizeof(why)));
	return scan_instead(win, variables);
}

/* If a return address is outside all modules, looks for a likely one above the search start. */
static void
repair_eip(struct win *win)
{
	struct step *step = win->step;
	const uint64_t from = wrap(win->search_start + 4);
	uint64_t slot, value;

	if (module_map_find(&step->walk->modules, win->eip) != MODULE_NONE || !step_may_scan(step))
		return;
	step_repair(step, "eip %08" PRIx64 " is in no module: looking from %08" PRIx64 " on",
		    win->eip, from);
	if (!step_scan(step, from, 0, step_scan_words(step), &slot, &value))
		return;
	win->eip = value;
	win->esp = wrap(slot + 4);
	win->offset = wrap(slot - from);
	win->trust = TRUST_CFI_SCAN;
	step_set(step, win->caller, 0, win->eip, TRACE_NONE, "found by the second search");
	step_set(step, win->caller, 1, win->esp, TRACE_NONE, "after the word that was found");
}

/* If ebp cannot be a frame pointer, looks for a better one where this frame saved registers. */
static void
repair_ebp(struct win *win)
{
	struct step *step = win->step;
	uint64_t ignored, candidate;

	if (!win->recover_ebp ||
	    (win->trust == TRUST_CFI && !step_policy(step, POLICY_WIN_REPAIRS_EBP)))
		return;
	bool skipped = win->trust != TRUST_CFI && win->ebp <= win->search_start + win->offset;
	if (!skipped && step_read(step, win->ebp, &ignored))
		return;
	const uint64_t low = wrap(step->callee->registers.value[1] + win->parameters);
	step_repair(step,
		    "ebp %08" PRIx64 " cannot be the caller's: looking where registers are saved",
		    win->ebp);
	uint64_t at = wrap(low + win->record.saved_registers + win->offset);
	for (unsigned i = 0; i < MOST_SAVED && at >= low; i++, at -= 4) {
		if (!step_read(step, at, &candidate))
			break;
		if (step_read(step, candidate, &ignored)) {
			win->ebp = candidate;
			step_set(step, win->caller, 2, candidate, TRACE_NONE,
				 "found among the saved registers");
			return;
		}
		if (at < 4)
			break;
	}
}

static void
tell_sizes(struct win *win, const char *first, const struct stack_win *record)
{
	step_fact(win->step, win->place,
		"%sprologue %s  epilogue %s  params %s  saved %s  locals %s", first,
		text_both_bases(record->prologue).text, text_both_bases(record->epilogue).text,
		text_both_bases(record->parameters).text,
		text_both_bases(record->saved_registers).text,
		text_both_bases(record->locals).text);
}

static void
describe_record(struct win *win)
{
	const struct stack_win *record = &win->record;

	if (win->edited)
		tell_sizes(win, "edited; was ", &win->was);
	step_fact(win->step, win->place, "type %u, covers %#" PRIx64 " to %#" PRIx64 ", %s bytes",
		record->type, record->address, record->address + record->size - 1,
		text_both_bases(record->size).text);
	tell_sizes(win, "", record);
	if (!record->has_program)
		step_fact(win->step, win->place,
			  "no program: the sizes determine the frame; base pointer %s",
			  record->allocates_base_pointer ? "used for something else" : "untouched");
}

enum verdict_kind
method_stack_win(struct step *step, struct frame *caller)
{
	const struct frame *callee = step->callee;
	struct win win = { .step = step, .caller = caller, .trust = TRUST_CFI };

	if (!find_record(step, &win.record, &win.was, &win.edited))
		return step_refuse(step, "no STACK WIN record covers the address");
	win.place = win.record.own.input != NULL
			    ? win.record.own
			    : symfile_place(step->symfile, win.record.offset, win.record.length);
	describe_record(&win);
	int64_t parameters = step_policy(step, POLICY_PARAMETERS_OF_INNERMOST)
				     ? callee->parameters_innermost
				     : callee->parameters;
	win.parameters_known = parameters >= 0;
	win.parameters = parameters < 0 ? 0 : (uint64_t)parameters;
	find_search_start(&win);
	if (!compile(&win))
		return step_refuse(step, OUT_OF_MEMORY);
	step_begin_caller(step, caller, TRUST_CFI);
	if (!run_program(&win))
		return VERDICT_REFUSED;
	if (step_policy(step, POLICY_WIN_RESCANS) && (win.eip != 0 || win.ebp != 0)) {
		repair_eip(&win);
		repair_ebp(&win);
	}
	caller->trust = win.trust;
	return VERDICT_TAKEN;
}

bool
method_has_stack_win(const struct step *step)
{
	return step->symfile != NULL || debug_pdb_frame_count(pdb_of(step)) > 0;
}
