/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "code/instruction.h"
#include "walk/frame_rules.h"
#include "walk/location.h"
#include "walk/rule_cache.h"
#include "walk/step.h"

/* Finds a caller by the effect of the function's own instructions on stack and registers. */

/* Records the instruction that made each rule: "push rbx" and its address. */
static void
tell_maker(struct step *step, bool thumb, const struct flow_rule *rule)
{
	const uint64_t base = step->walk->crash->modules[step->callee->module].base;
	struct instruction at;

	if (!rule->made ||
		!instruction_at(&at, step->arch, &step->walk->memory, step->walk->binaries, thumb,
			base + rule->maker))
		return;
	step_fact(step, at.place, "%s by '%s' at %#" PRIx64,
		claim_column_name(step->arch, rule->column), at.text, at.address);
}

struct flow_question
frame_code_question(const struct walk *walk, const struct frame *frame)
{
	const struct symfile *symfile = walk_symfile(walk, frame->module);
	const uint64_t base = walk->crash->modules[frame->module].base;
	const uint64_t pc = frame->registers.value[walk->arch->pc];
	struct flow_question question = { .address = arch_code(walk->arch, pc) - base,
		.exact = frame->interrupted,
		.halfwords = (pc & walk->arch->mode_bit) != 0 ||
			(frame->interrupted && location_is_thumb(walk, &frame->registers, pc)) };
	struct function function;

	if (symfile != NULL &&
		symfile_covering_function(
			symfile, &walk->policy, frame->lookup - base, &function)) {
		question.start = function.address;
		question.size = function.size;
	}
	return question;
}

struct code_answer
frame_code(const struct walk *walk, const struct frame *frame, struct trace *trace)
{
	const struct flow_question question = frame_code_question(walk, frame);
	const struct code_source source = { .crash = walk->crash,
		.binaries = walk->binaries,
		.view = &walk->memory,
		.module = (size_t)frame->module };

	return trace != NULL ? code_answer(&source, &question, &trace->arena)
			     : rule_cache_code(walk->cache, &source, &question);
}

enum verdict_kind
method_code(struct step *step, struct frame *caller)
{
	const struct walk *walk = step->walk;
	const uint64_t base = walk->crash->modules[step->callee->module].base;
	const struct code_answer answer = frame_code(walk, step->callee, step->trace);
	const struct flow_row *row = answer.row;
	if (row == NULL)
		return step_refuse(step, "%s", answer.problem);
	step_fact(step, (struct place){ 0 },
		"the instructions from %#" PRIx64 " up to %#" PRIx64 " were run%s",
		row->start + base, row->at + base,
		row->inferred ? ", but no known path leads to the last one" : "");
	if (step->trace != NULL) {
		const bool thumb = frame_code_question(walk, step->callee).halfwords;

		for (size_t i = 0; i < row->count; i++)
			tell_maker(step, thumb, &row->rules[i]);
	}
	return step_run_row(step, answer.set, TRUST_CODE, caller);
}

bool
method_has_code(const struct step *step)
{
	const int module = step->callee->module;

	return module != MODULE_NONE && binaries_expected(step->walk->binaries, (size_t)module);
}
