/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/fold.h"

#include "base/compiler.h"

static bool
fold_fail(struct program_fold *fold, enum program_failure failure)
{
	fold->failure = failure;
	return false;
}

/* The value with `below` values above it on the stack. Resolves a bare name. NULL: failure. */
static struct fold_value *
fold_operand(struct program_fold *fold, size_t below)
{
	if (fold->depth <= below) {
		fold_fail(fold, PROGRAM_UNDERFLOW);
		return NULL;
	}
	struct fold_value *value = &fold->stack[fold->depth - 1 - below];
	if (!value->bare)
		return value;
	value->bare = false;
	if (fold->use(fold, value))
		return value;
	fold_fail(fold, PROGRAM_UNKNOWN_NAME);
	return NULL;
}

static bool
fold_push(struct program_fold *fold, const struct token *token)
{
	if (fold->depth == FOLD_DEPTH)
		return fold_fail(fold, PROGRAM_TOO_LONG);
	fold->stack[fold->depth++] = (struct fold_value){
		.linear = linear_sum(LINEAR_NONE, (int64_t)token->value),
		.bare = token->operation == OPERATION_NAME,
		.name = token->name,
		.first = fold->token,
		.last = fold->token,
		.text = { fold->program->text.start + token->skip, token->length },
	};
	return true;
}

static bool
fold_assign(struct program_fold *fold)
{
	const struct fold_value *value = fold_operand(fold, 0);

	if (value == NULL)
		return false;
	if (fold->depth < 2)
		return fold_fail(fold, PROGRAM_UNDERFLOW);
	const struct fold_value *target = value - 1;
	if (fold->assigned == NULL || !target->bare || target->text.start[0] != '$')
		return fold_fail(fold, PROGRAM_BAD_TARGET);
	fold->assigned[target->name] = *value;
	fold->depth -= 2;
	return true;
}

/* Compute a product, quotient or remainder, if both numbers fit in 32 bits. */
static void
fold_numbers(enum operation operation, struct linear *a, const struct linear *b)
{
	a->known = linear_is_number(a) && linear_is_number(b) &&
		   (uint64_t)a->offset <= UINT32_MAX && (uint64_t)b->offset <= UINT32_MAX &&
		   (operation == OPERATION_MULTIPLY ||
		    ((operation == OPERATION_DIVIDE || operation == OPERATION_MODULO) &&
		     b->offset != 0));
	if (!a->known)
		return;
	const uint64_t one = (uint64_t)a->offset, other = (uint64_t)b->offset;
	a->offset = (int64_t)(operation == OPERATION_MULTIPLY ? one * other
			      : operation == OPERATION_DIVIDE ? one / other
							      : one % other);
}

static bool
fold_operate(struct program_fold *fold, const struct token *token)
{
	const bool reads = token->operation == OPERATION_READ;
	const struct fold_value *b = reads ? NULL : fold_operand(fold, 0);
	struct fold_value *a = reads || b != NULL ? fold_operand(fold, reads ? 0 : 1) : NULL;

	if (a == NULL)
		return false;
	if (reads)
		linear_read(&a->linear);
	else if (token->operation == OPERATION_ADD || token->operation == OPERATION_SUBTRACT)
		linear_add(&a->linear, &b->linear, token->operation == OPERATION_SUBTRACT);
	else
		fold_numbers(token->operation, &a->linear, &b->linear);
	a->last = fold->token;
	if (fold->operate != NULL && !fold->operate(fold, token, a, b))
		return fold_fail(fold, PROGRAM_UNKNOWN_NAME);
	fold->depth -= reads ? 0 : 1;
	return true;
}

bool
fold_run(struct program_fold *fold, enum program_mode mode)
{
	const struct program *program = fold->program;

	fold->failure = PROGRAM_OK;
	fold->depth = 0;
	for (fold->token = 0; fold->token < program->token_count; fold->token++) {
		const struct token *token = &program->tokens[fold->token];
		const enum operation operation = token->operation;

		if (!(operation == OPERATION_NUMBER || operation == OPERATION_NAME
			      ? fold_push(fold, token)
			      : operation == OPERATION_ASSIGN ? fold_assign(fold)
							      : fold_operate(fold, token)))
			return false;
	}
	if (program->too_long)
		return fold_fail(fold, PROGRAM_TOO_LONG);
	if (fold->depth > (mode == PROGRAM_ASSIGNMENTS ? 0 : 1))
		return fold_fail(fold, PROGRAM_LEFTOVER);
	if (mode == PROGRAM_ASSIGNMENTS)
		return true;
	return fold->depth == 0 ? fold_fail(fold, PROGRAM_EMPTY) : fold_operand(fold, 0) != NULL;
}

/* Sums ----------------------------------------------------------------------------------------- */

struct linear_names {
	const struct linear *cfa;
	int pc_register;		/* ARCH_NO_REGISTER: a register without a number */
	uint64_t pc;
};

static bool
linear_use(struct program_fold *fold, struct fold_value *value)
{
	const struct program_name *name = &fold->program->names[value->name];
	const struct linear_names *names = fold->context;
	const struct linear *cfa = names->cfa;

	if (name->reg != ARCH_NO_REGISTER && name->reg == names->pc_register) {
		value->linear = linear_sum(LINEAR_NONE, (int64_t)names->pc);
	} else if (name->reg != ARCH_NO_REGISTER) {
		value->linear = linear_sum(name->reg, 0);
	} else if (text_is(name->text, ".cbCalleeParams")) {
		value->linear = linear_sum(LINEAR_NONE, 0);
		value->linear.parameters = true;
	} else if (cfa == NULL || !text_is(name->text, ".cfa")) {
		value->linear.known = false;
	} else {
		value->linear = cfa->known && !cfa->dereference ? *cfa : linear_sum(LINEAR_CFA, 0);
	}
	return true;
}

static struct linear
linear_with(const struct program *program, struct linear_names names)
{
	ATTRIBUTE_UNINITIALIZED struct program_fold fold;

	fold.program = program;
	fold.assigned = NULL;
	fold.use = linear_use;
	fold.operate = NULL;
	fold.context = &names;
	return fold_run(&fold, PROGRAM_EXPRESSION) ? fold.stack[0].linear
						   : (struct linear){ .known = false };
}

struct linear
linear_of(const struct program *program, const struct linear *cfa)
{
	return linear_with(program, (struct linear_names){ cfa, ARCH_NO_REGISTER, 0 });
}

/* A second base of a module, to find sums that depend on the base. A multiple of the page size. */
#define OTHER_BASE UINT64_C(0x5a5ad000)

struct linear
linear_at(const struct program *program, int pc_register, uint64_t pc)
{
	const struct linear_names names = { NULL, pc_register, pc },
				  other = { NULL, pc_register, pc + OTHER_BASE };
	struct linear sum = linear_with(program, names);
	const struct linear there = linear_with(program, other);

	sum.known = sum.known && linear_same(&sum, &there);
	return sum;
}

static bool
always_fails_use(struct program_fold *fold, struct fold_value *value)
{
	const struct program_name *name = &fold->program->names[value->name];

	return name->reg != ARCH_NO_REGISTER || text_is(name->text, ".cfa") ||
	       text_is(name->text, ".ra");
}

bool
fold_always_fails(const struct program *program)
{
	ATTRIBUTE_UNINITIALIZED struct program_fold fold;

	fold.program = program;
	fold.assigned = NULL;
	fold.use = always_fails_use;
	fold.operate = NULL;
	return !fold_run(&fold, PROGRAM_EXPRESSION) && fold.failure != PROGRAM_TOO_LONG &&
	       fold.failure != PROGRAM_BAD_TARGET;
}
