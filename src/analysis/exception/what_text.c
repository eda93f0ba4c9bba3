/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <stdlib.h>
#include <string.h>

#include "code_flow/flow_module.h"

/*
 * Finds the result of an exception's own what() by an abstract run of its instructions. If every
 * return gives one address (a constant, or the value of a member of the object), the text is there.
 * Otherwise the text is unknown.
 */

/* Virtual functions of std::exception before what(): two destructors (Itanium C++ ABI 2.5). */
#define WHAT_SLOT 2u
#define WHAT_BYTES 256u /* maximum bytes of a function that only returns a text */

/* The register of a function's result, on the architectures whose code can be run. */
static int
result_register(const struct arch *arch)
{
	static const char *const names[] = { "$rax", "x0" };
	int reg = ARCH_NO_REGISTER;

	for (size_t i = 0; i < ARRAY_COUNT(names) && reg == ARCH_NO_REGISTER; i++)
		reg = arch_register(arch, text_of(names[i]), ARCH_NAMES_EXACT);
	return reg;
}

/* Finds the member that an instruction loads into the result; sets `*at` to its offset. */
static bool
find_member(const struct explain *explain, const struct flow_function *function, uint64_t base,
	const struct flow_value *value, uint64_t *at)
{
	const struct arch *arch = explain->arch;
	const struct arch_arguments *arguments = crash_arguments(explain->crash, arch);
	struct instruction load;
	struct flow_point point;

	if (value->maker == 0 || arguments == NULL ||
		!flow_function_at(function, value->maker - 1, &point) ||
		!instruction_at(&load, arch, &explain->memory, explain->binaries, false,
			base + value->maker - 1))
		return false;
	const struct instruction_access *access = &load.accesses[0];
	if (load.access_count != 1 || access->base == ARCH_NO_REGISTER || !access->read ||
		access->index != ARCH_NO_REGISTER || access->segment || access->opaque ||
		access->size != arch->word_size ||
		(strncmp(load.text, "mov ", 4) != 0 && strncmp(load.text, "ldr ", 4) != 0))
		return false;
	const struct flow_value *from = &point.state->registers[access->base];
	*at = (uint64_t)access->displacement;
	return from->kind == FLOW_INIT && from->reg == arguments->registers[0];
}

/* The address of the text that one return gives; 0: not known. */
static uint64_t
returned_text(const struct explain *explain, const struct flow_function *function, uint64_t base,
	const struct flow_code *code, const struct flow_value *value, uint64_t object)
{
	uint64_t at;

	if (value->kind == FLOW_CONST)
		return ((uint64_t)value->base << 32 | (uint32_t)value->offset) - code->linked +
			base;
	if (!find_member(explain, function, base, value, &at) ||
		!analysis_number(explain, object + at, explain->arch->word_size, &at))
		return 0;
	return at;
}

/* The text that all returns of a function give; 0: not known. */
static uint64_t
run_what(const struct explain *explain, struct flow_module *module, uint64_t base, uint64_t what,
	uint64_t object)
{
	const int result = result_register(explain->arch);
	uint64_t start, end, text = 0;
	struct flow_point point;

	if (result == ARCH_NO_REGISTER ||
		!flow_module_function(module, what - base, &start, &end) ||
		start != what - base || end - start > WHAT_BYTES)
		return 0;
	struct flow_function *function = flow_function_create(&module->code);
	if (function == NULL)
		return 0;
	flow_function_run(function, start, end);
	for (size_t i = 0; flow_function_point(function, i, &point); i++) {
		if (point.instruction->way != FLOW_RETURN)
			continue;
		const uint64_t one = returned_text(explain, function, base, &module->code,
			&point.state->registers[result], object);

		if (one == 0 || (text != 0 && one != text)) {
			text = 0;
			break;
		}
		text = one;
	}
	flow_function_free(function);
	return text;
}

bool
what_text(struct explain *explain, uint64_t type, uint64_t object, uint64_t *text)
{
	const unsigned word = explain->arch->word_size;
	uint64_t table, what;

	*text = 0;
	if (!analysis_number(explain, object, word, &table) ||
		!analysis_number(explain, table + (uint64_t)WHAT_SLOT * word, word, &what))
		return false;
	const int index = module_map_find(&explain->modules, what);
	const char *name = analysis_function(explain, what, false);
	/*
	 * The library's own functions return the text at its known place in the object. A function
	 * without a name is the library's if it is not in the module of the class.
	 */
	if (index == MODULE_NONE || strstr(name, "runtime_error::what") != NULL ||
		strstr(name, "logic_error::what") != NULL ||
		(strstr(name, "::what") == NULL &&
			module_map_find(&explain->modules, type) != index))
		return false;
	struct flow_module *module = calloc(1, sizeof(*module));
	if (module == NULL)
		return false;
	flow_module_init(module, explain->crash, explain->binaries, &explain->memory,
		(size_t)index);
	flow_module_bound(module);
	*text = run_what(explain, module, explain->crash->modules[index].base, what, object);
	flow_module_free(module);
	free(module);
	return true;
}
