/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "base/error.h"
#include "rules/rule_set.h"

/* Say why a rule cannot be written. */
static const char *
explain(struct arena *arena, const char *name, const char *cannot)
{
	const char *text = arena_format(arena, "cannot follow the expression for %s: %s", name,
					cannot);

	return text != NULL ? text : OUT_OF_MEMORY;
}

const struct rule_set *
rule_set_frame_table(struct arena *arena, const struct arch *arch,
		     const struct frame_table_row *rules)
{
	struct rule_part parts[ARCH_REGISTERS + 2];
	const char *problem = NULL, *note = NULL;
	size_t count = 0;

	const struct {
		const char *name;
		const struct frame_table_rule *rule;
	} needed[] = { { ".cfa", &rules->cfa }, { ".ra", &rules->return_address } };
	for (size_t i = 0; i < ARRAY_COUNT(needed); i++) {
		if (rules->outermost && needed[i].rule->expression == NULL)
			continue;
		if (needed[i].rule->expression == NULL)
			problem = explain(arena, needed[i].name, needed[i].rule->cannot);
		else
			parts[count++] = (struct rule_part){
				.name = text_of(needed[i].name),
				.expression = text_of(needed[i].rule->expression),
				.record = rules->place };
	}
	for (size_t i = 0; i < rules->count; i++) {
		const struct frame_table_rule *rule = &rules->rules[i];
		const char *name = arch->registers[rule->reg].name;

		if (rule->expression == NULL)
			note = explain(arena, name, rule->cannot);
		parts[count++] = (struct rule_part){
			.name = text_of(name),
			.expression = text_of(rule->expression != NULL ? rule->expression : ".undef"),
			.record = rules->place };
	}
	struct rule_set *set = rule_set_parts(arena, arch, parts, count);
	if (set == NULL)
		return NULL;
	set->record = rules->place;
	set->address = rules->first;
	set->size = rules->last - rules->first + 1;
	set->problem = problem;
	set->note = note;
	set->note_place = rules->place;
	return set;
}
