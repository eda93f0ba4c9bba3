/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rules/rule_set.h"

#include "base/error.h"

/* Most bytes of one expression: a register, a number, two operators. */
#define EXPRESSION 64

/* The rules of one row while they are written. */
struct rule_writer {
	struct arena *arena;
	const struct arch *arch;
	struct rule_part parts[4];	/* CFA, return address, stack and frame pointer */
	size_t count;
	const char *problem;
};

static const char *
name_of(struct rule_writer *writer, int dwarf)
{
	const int reg = arch_dwarf_register(writer->arch, dwarf);
	const char *name = reg >= 0 ? writer->arch->registers[reg].name : NULL;

	if (name == NULL)
		writer->problem = "a rule names a register that the architecture does not have";
	return name != NULL ? name : "";
}

static void
add(struct rule_writer *writer, const char *name, const char *expression, struct place place)
{
	char *copy = arena_copy(writer->arena, expression, strlen(expression));

	if (copy == NULL) {
		writer->problem = OUT_OF_MEMORY;
		return;
	}
	writer->parts[writer->count++] = (struct rule_part){
		.name = text_of(name), .expression = text_of(copy), .record = place };
}

/* "base offset + ^", or as much of it as the rule says. */
static void
add_rule(struct rule_writer *writer, const char *name, const struct sframe_rule *rule)
{
	const char *base = rule->base == SFRAME_CFA ? ".cfa" : name_of(writer, rule->base);
	char expression[EXPRESSION];

	if (rule->kind == SFRAME_IN_REGISTER)
		snprintf(expression, sizeof(expression), "%s", base);
	else
		snprintf(expression, sizeof(expression), "%s %" PRId64 " +%s", base, rule->offset,
			 rule->dereference ? " ^" : "");
	add(writer, name, expression, rule->place);
}

static bool
is_unsaved(const struct sframe_rule *rule)
{
	return rule->kind == SFRAME_UNSAVED ||
	       (rule->kind == SFRAME_PADDING && !rule->dereference);
}

static void
add_return_address(struct rule_writer *writer, const struct sframe_row *row)
{
	const int lr = writer->arch->lr;

	if (!is_unsaved(&row->ra))
		add_rule(writer, ".ra", &row->ra);
	else if (lr == ARCH_NO_REGISTER)
		writer->problem = "the row has no rule for the return address";
	else
		add(writer, ".ra", writer->arch->registers[lr].name, row->place);
}

const struct rule_set *
rule_set_sframe(struct arena *arena, const struct arch *arch,
		const struct sframe_function *function, const struct sframe_row *row)
{
	const struct sframe_registers *numbers = sframe_registers(function->table->abi);
	struct rule_writer writer = { .arena = arena, .arch = arch };
	char expression[EXPRESSION];

	add_rule(&writer, ".cfa", &row->cfa);
	add_return_address(&writer, row);
	snprintf(expression, sizeof(expression), ".cfa %" PRId64 " +", numbers->cfa_to_sp);
	add(&writer, name_of(&writer, numbers->sp), numbers->cfa_to_sp != 0 ? expression : ".cfa",
	    row->cfa.place);
	if (!is_unsaved(&row->fp))
		add_rule(&writer, name_of(&writer, numbers->fp), &row->fp);
	struct rule_set *set = rule_set_parts(arena, arch, writer.parts, writer.count);
	if (set == NULL)
		return NULL;
	set->record = row->place;
	set->problem = writer.problem;
	return set;
}
