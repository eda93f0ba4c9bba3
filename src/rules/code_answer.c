/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/code_answer.h"

/* The bytes of the instruction that made a rule, in the module's file or in the dump. */
static struct place
place_of(const struct code_source *source, const struct flow_rule *rule)
{
	const uint64_t address = source->crash->modules[source->module].base + rule->maker;
	struct place place = { 0 };
	uint64_t value;
	uint8_t byte;

	if (!rule->made)
		return place;
	if (binaries_read(source->binaries, address, &byte, 1, &place) == 0 && source->view != NULL)
		memory_read(source->view, address, 1, &value, &place);
	if (place.input != NULL)
		place.length = rule->length;
	return place;
}

static struct rule_part
part_of(const struct code_source *source, const char *name, const struct flow_rule *rule)
{
	return (struct rule_part){ .name = text_of(name),
		.expression = text_of(rule->expression[0] != '\0' ? rule->expression : ".undef"),
		.record = place_of(source, rule) };
}

struct code_answer
code_answer(
	const struct code_source *source, const struct flow_question *question, struct arena *arena)
{
	const struct arch *arch = source->crash->system.arch;
	struct rule_part parts[ARCH_REGISTERS + 2];
	struct code_answer answer = { .row = NULL };
	struct flow_module module;
	size_t count = 0;

	flow_module_init(&module, source->crash, source->binaries, source->view, source->module);
	const struct flow_row *row = flow_row_find(&module, question, arena, &answer.problem);
	flow_module_free(&module);
	answer.row = row;
	if (row == NULL)
		return answer;
	parts[count++] = part_of(source, ".cfa", &row->cfa);
	parts[count++] = part_of(source, ".ra", &row->return_address);
	for (size_t i = 0; i < row->count; i++)
		parts[count++] =
			part_of(source, arch->registers[row->rules[i].reg].name, &row->rules[i]);
	answer.set = rule_set_parts(arena, arch, parts, count);
	return answer;
}
