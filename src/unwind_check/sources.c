/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind_check/source.h"

#include <string.h>

#include "base/compiler.h"
#include "binary/binary.h"
#include "frame_table/frame_tables.h"

/* Only the first type of STACK WIN records with rules is used; the other one is rougher. */
static const struct unwind_source_kind kinds[] = {
	{ "STACK CFI", &unwind_reader_stack_cfi, UNWIND_ALL, .whole = true, .code = true,
	  .symbols = true },
	{ "STACK WIN 4", &unwind_reader_table, UNWIND_MENTIONED, .symbols = true, .number = 4,
	  .group = 1 },
	{ "STACK WIN 0", &unwind_reader_table, UNWIND_MENTIONED, .symbols = true, .number = 0,
	  .group = 1 },
	{ "FrameData", &unwind_reader_table, UNWIND_MENTIONED, .number = 4, .group = 2 },
	{ "FPO data", &unwind_reader_table, UNWIND_MENTIONED, .number = 0, .group = 2 },
	{ ".eh_frame", &unwind_reader_dwarf, UNWIND_ALL, .whole = true, .code = true,
	  .number = FRAME_TABLE_EH },
	{ ".debug_frame", &unwind_reader_dwarf, UNWIND_ALL, .whole = true, .code = true,
	  .number = FRAME_TABLE_DEBUG },
	{ ".pdata", &unwind_reader_table, UNWIND_ALL, .code = true, .number = FRAME_TABLE_PDATA },
	{ ".ARM.exidx", &unwind_reader_table, UNWIND_ALL, .at_calls = true, .code = true,
	  .number = FRAME_TABLE_EXIDX },
	{ "SFrame", &unwind_reader_sframe, UNWIND_MENTIONED, .code = true },
};

_Static_assert(ARRAY_COUNT(kinds) <= UNWIND_SOURCES, "every source has room");

void
unwind_source_init(struct unwind_source *source, const struct unwind_source_kind *kind,
		   const struct rule_module *module, bool windows)
{
	const struct binary *image = binaries_load(module->binaries, module->number, LOCATE_IMAGE);

	*source = (struct unwind_source){ .kind = kind, .module = module, .windows = windows,
					  .go = image != NULL && image->go };
}

size_t
unwind_sources_open(const struct rule_module *module, bool windows,
		    struct unwind_source sources[UNWIND_SOURCES])
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		struct unwind_source *source = &sources[count];

		unwind_source_init(source, &kinds[i], module, windows);
		if (kinds[i].reader->open(source)) {
			kinds[i].reader->seek(source, 0);
			count++;
		} else {
			unwind_sources_close(source, 1);
		}
	}
	return count;
}

bool
unwind_sources_share(const struct unwind_source *of, size_t count,
		     struct unwind_source sources[UNWIND_SOURCES])
{
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		const struct unwind_reader *reader = of[i].kind->reader;

		sources[i] = (struct unwind_source){ .kind = of[i].kind, .module = of[i].module,
						     .windows = of[i].windows, .go = of[i].go };
		good = (reader->share != NULL ? reader->share(&sources[i], &of[i])
					      : reader->open(&sources[i])) && good;
	}
	return good;
}

void
unwind_sources_close(struct unwind_source *sources, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (sources[i].state != NULL && sources[i].kind->reader->close != NULL)
			sources[i].kind->reader->close(&sources[i]);
		arena_free(&sources[i].arena);
	}
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
