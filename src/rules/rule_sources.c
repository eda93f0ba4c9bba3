/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/debug_pdb.h"
#include "base/policy_rows.h"
#include "rules/rule_table.h"

size_t
rule_sources(const struct rule_module *module, struct rule_source sources[RULE_SOURCES])
{
	size_t count = 0;

	/* STACK WIN records are for x86 alone; walks of others ignore them. */
	if (module->symfile != NULL && module->arch->stack_win) {
		sources[count++] = (struct rule_source){ "STACK WIN 4", &rule_source_stack_win,
							 module, 4 };
		sources[count++] = (struct rule_source){ "STACK WIN 0", &rule_source_stack_win,
							 module, 0 };
	}
	if (module->arch->stack_win &&
	    debug_pdb_frame_count(debug_info_pdb(module->binaries, module->number)) > 0) {
		sources[count++] = (struct rule_source){ "FrameData", &rule_source_stack_win,
							 module, RULE_SOURCE_PDB | 4 };
		sources[count++] = (struct rule_source){ "FPO data", &rule_source_stack_win, module,
							 RULE_SOURCE_PDB };
	}
	if (module->symfile != NULL)
		sources[count++] = (struct rule_source){ "STACK CFI", &rule_source_stack_cfi,
							 module, 0 };
	if (module->sframe != NULL)
		sources[count++] = (struct rule_source){ "SFrame", &rule_source_sframe, module, 0 };
	for (unsigned i = 0; i < FRAME_TABLES; i++)
		if (frame_tables_file(module->binaries, module->number, i) != NULL)
			sources[count++] = (struct rule_source){
				frame_tables_name(i), &rule_source_frame_table, module, i };
	return count;
}

bool
rule_run_at(const struct rule_module *module, const struct rule_source *sources, size_t count,
	    uint64_t address, struct arena *arena, struct rule_run *run)
{
	struct symbols_policy policy = symbols_policy_of(module->policy);
	struct debug_answer answer;

	policy.public_zero = true;
	*run = (struct rule_run){ .first = address, .last = address };
	run->named = module->symfile != NULL &&
		     symfile_function(module->symfile, &policy, address, &run->function);
	/* Else the function in the module's file; one without a size only gives its name. */
	if ((!run->named || run->function.kind != SYMBOL_FUNC) &&
	    module->policy->value[POLICY_FILE_NAMES] != 0 &&
	    debug_info_find(module->binaries, module->number, address, arena, &answer)) {
		run->named = true;
		run->function = (struct function){
			.kind = address - answer.address < answer.size ? SYMBOL_FUNC
								       : SYMBOL_PUBLIC,
			.address = answer.address, .size = answer.size,
			.name = text_of(answer.name) };
	}
	if (run->named && run->function.kind == SYMBOL_FUNC) {
		run->first = run->function.address;
		run->last = run->function.address + run->function.size - 1;
		return true;
	}
	for (size_t i = 0; i < count; i++)
		if (sources[i].kind->covers(&sources[i], address, &run->first, &run->last))
			return true;
	return run->named;
}
