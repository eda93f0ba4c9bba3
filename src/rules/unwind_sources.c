/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rules/unwind_source.h"

#include <string.h>

#include "base/compiler.h"
#include "base/policy_rows.h"
#include "binary/binary.h"
#include "debug_info/debug_info.h"
#include "frame_table/frame_tables.h"

/* The second source of a group is less exact, and is used only if the first has no rules. */
static const struct unwind_source_kind kinds[] = {
	{ "STACK CFI", &unwind_reader_stack_cfi, UNWIND_ALL, 4, .whole = true, .code = true,
	  .symbols = true },
	{ "STACK WIN 4", &unwind_reader_stack_win, UNWIND_MENTIONED, 0, .symbols = true,
	  .number = 4, .group = 1 },
	{ "STACK WIN 0", &unwind_reader_stack_win, UNWIND_MENTIONED, 1, .symbols = true,
	  .number = 0, .group = 1 },
	{ "FrameData", &unwind_reader_stack_win, UNWIND_MENTIONED, 2, .number = UNWIND_PDB | 4,
	  .group = 2 },
	{ "FPO data", &unwind_reader_stack_win, UNWIND_MENTIONED, 3, .number = UNWIND_PDB,
	  .group = 2 },
	{ ".eh_frame", &unwind_reader_dwarf, UNWIND_ALL, 7, .whole = true, .code = true,
	  .number = FRAME_TABLE_EH },
	{ ".debug_frame", &unwind_reader_dwarf, UNWIND_ALL, 8, .whole = true, .code = true,
	  .number = FRAME_TABLE_DEBUG },
	{ ".pdata", &unwind_reader_frames, UNWIND_ALL, 9, .code = true,
	  .number = FRAME_TABLE_PDATA },
	{ ".ARM.exidx", &unwind_reader_frames, UNWIND_ALL, 10, .at_calls = true, .code = true,
	  .number = FRAME_TABLE_EXIDX },
	{ "__unwind_info", &unwind_reader_frames, UNWIND_ALL, 6, .at_calls = true, .code = true,
	  .delegates = true, .number = FRAME_TABLE_COMPACT },
	{ "SFrame", &unwind_reader_sframe, UNWIND_MENTIONED, 5, .code = true },
};

_Static_assert(ARRAY_COUNT(kinds) == UNWIND_SOURCES, "every source has room");

size_t
unwind_sources(const struct rule_module *module, struct unwind_source sources[UNWIND_SOURCES])
{
	const struct unwind_source_kind *walked[UNWIND_SOURCES];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		walked[kinds[i].walked] = &kinds[i];
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		sources[count] =
			(struct unwind_source){ .kind = walked[i], .module = module };
		count += walked[i]->reader->exists(&sources[count]);
	}
	return count;
}

bool
unwind_source_open(struct unwind_source *source, const struct unwind_source_kind *kind,
		   const struct rule_module *module, bool windows)
{
	*source = (struct unwind_source){ .kind = kind, .module = module, .windows = windows };
	if (!kind->reader->exists(source))
		return false;
	const struct binary *image = binaries_load(module->binaries, module->number, LOCATE_IMAGE);
	source->go = image != NULL && image->go;
	if (kind->reader->open(source)) {
		kind->reader->seek(source, 0);
		return true;
	}
	unwind_sources_close(source, 1);
	return false;
}

size_t
unwind_sources_open(const struct rule_module *module, bool windows,
		    struct unwind_source sources[UNWIND_SOURCES])
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		count += unwind_source_open(&sources[count], &kinds[i], module, windows);
	return count;
}

bool
unwind_sources_share(const struct unwind_source *of, size_t count,
		     struct unwind_source sources[UNWIND_SOURCES])
{
	bool good = true;

	for (size_t i = 0; i < count; i++)
		good = unwind_source_open(&sources[i], of[i].kind, of[i].module, of[i].windows) &&
		       good;
	return good;
}

void
unwind_sources_close(struct unwind_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sources[i].state != NULL && sources[i].kind->reader->close != NULL)
			sources[i].kind->reader->close(&sources[i]);
		arena_free(&sources[i].arena);
		sources[i].state = NULL;
	}
}

bool
unwind_source_from(struct unwind_source *source, uint64_t address)
{
	source->kind->reader->seek(source, address);
	while (source->kind->reader->next(source))
		if (source->row.last >= address)
			return true;
	return false;
}

uint64_t
unwind_code_end(const struct rule_module *module)
{
	const struct binary *binary = binaries_load(module->binaries, module->number, LOCATE_IMAGE);
	uint64_t end = 0;

	for (size_t i = 0; binary != NULL && i < binary->segment_count; i++)
		if (binary->segments[i].executable)
			end = binary->segments[i].address + binary->segments[i].size;
	return end;
}

const struct unwind_source_kind *
unwind_source_kind_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

/* Whether a register that a source does not mention is unchanged. */
static bool
silence_keeps(const struct unwind_source *source, int reg)
{
	const struct arch *arch = source->module->arch;

	return !source->go &&
	       (reg == arch->fp || (source->kind->speaks == UNWIND_ALL &&
				    claim_is_kept(arch, source->windows, reg)));
}

void
unwind_row_clear(struct unwind_source *source)
{
	const struct arch *arch = source->module->arch;

	source->row = (struct unwind_row){ .changed = UINT64_MAX };
	for (int reg = 0; reg < arch->register_count; reg++)
		if (silence_keeps(source, reg))
			source->row.claims[CLAIM_REGISTER + reg].kind = CLAIM_SAME;
}

bool
rule_run_at(const struct rule_module *module, uint64_t address, struct arena *arena,
	    struct rule_run *run)
{
	struct unwind_source sources[UNWIND_SOURCES];
	struct policy policy = *module->policy;
	struct debug_answer answer;

	policy.value[POLICY_PUBLIC_AT_ZERO] = 1;
	*run = (struct rule_run){ .first = address, .last = address };
	run->named = module->symfile != NULL &&
		     symfile_function(module->symfile, &policy, address, &run->function);
	/* No FUNC: use the function in the module's file. If it has no size, use only its name. */
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
	const size_t count = unwind_sources(module, sources);
	for (size_t i = 0; i < count; i++)
		if (sources[i].kind->reader->covers(&sources[i], address, &run->first, &run->last))
			return true;
	return run->named;
}
