/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/policy_rows.h"
#include "lint/lint_internal.h"

/*
 * Checks the records that name and unwind a frame at one address. Reads only these records and
 * looks up the numbers that they use, so that a screen can check a file of any size. A finding is
 * reported only if the rest of the file cannot change it.
 */

/* Maximum bytes to read of a function's lines or of an INIT record's deltas. */
#define MOST_BYTES ((uint64_t)1 << 20)

/* Codes of warnings and errors; notes are left out because they do not affect a walk. */
static const enum lint_code certain_codes[] = {
	LINT_NUL_BYTE, LINT_BYTE_FF, LINT_LONE_CR, LINT_UNKNOWN_RECORD, LINT_MALFORMED_RECORD,
	LINT_NUMBER_BASE, LINT_NUMBER_RANGE, LINT_EXTRA_FIELD, LINT_FILE_UNDEFINED,
	LINT_ORIGIN_UNDEFINED, LINT_FUNC_SIZE_ZERO, LINT_FUNC_WRAPS, LINT_LINE_BEFORE,
	LINT_LINE_WRAPS, LINT_LINE_OVERLAP, LINT_INLINE_LEVEL,
	LINT_INLINE_OVERLAP, LINT_INLINE_TOO_LONG, LINT_STACK_UNKNOWN, LINT_CFI_INIT_SIZE_ZERO,
	LINT_CFI_INIT_WRAPS, LINT_CFI_NO_CFA, LINT_CFI_NO_RA, LINT_CFI_DELTA_DUPLICATE,
	LINT_CFI_SYNTAX, LINT_CFI_COLON, LINT_CFI_UNKNOWN_REGISTER, LINT_CFI_UNKNOWN_NAME,
	LINT_CFI_RULE_TWICE, LINT_CFI_RA_ITSELF, LINT_CFI_EXPRESSION, LINT_CFI_DIVISION,
	LINT_CFI_ALIGNMENT, LINT_CFI_CONSTANT_READ, LINT_CFI_CFA_FALLS, LINT_CFI_RA_ELSEWHERE,
	LINT_CFI_NOT_READ, LINT_CFI_SLOT_ABOVE, LINT_CFI_SLOT_SHARED, LINT_CFI_UNALIGNED,
	LINT_CFI_SAVED_BELOW, LINT_WIN_TYPE, LINT_WIN_PROGRAM_TYPE, LINT_WIN_NO_EIP,
	LINT_WIN_NO_ESP, LINT_WIN_PROGRAM, LINT_WIN_INPUT, LINT_WIN_SIZES, LINT_WIN_PARAMETERS,
};

/* Whether a line belongs to a record of kind `whole`, by the line's kind. */
static bool
is_part(enum symbol_record_kind whole, enum symbol_record_kind kind)
{
	if (whole == SYMBOL_FUNC)
		return kind == SYMBOL_LINE || kind == SYMBOL_INLINE;
	return whole == SYMBOL_STACK_CFI_INIT &&
	       (kind == SYMBOL_STACK_CFI || kind == SYMBOL_STACK || kind == SYMBOL_LINE);
}

/* Reads the record at an offset and the lines that belong to it. */
static void
read_group(struct lint_reading *reading, const struct symfile *symfile, uint64_t offset,
	   enum symbol_record_kind whole)
{
	const char *end = reading->part.end, *start = reading->part.start + offset;
	const char *most = (uint64_t)(end - start) > MOST_BYTES ? start + MOST_BYTES : end;
	const char *at = reading->part.start + lint_next_line(reading, offset);

	while (at < most && is_part(whole, record_kind(lint_line_at(
						   reading, (uint64_t)(at - reading->part.start)))))
		at = reading->part.start +
		     lint_next_line(reading, (uint64_t)(at - reading->part.start));
	/* Drop a group whose end is missing, because missing lines would cause findings. */
	if (at >= most && most < end)
		at = reading->part.start + lint_next_line(reading, offset);
	reading->line = symfile_place(symfile, offset, 0).line - 1;
	reading->part.end = at;
	lint_lines(reading, start, false);
	reading->part.end = end;
	lint_end_function(reading);
	lint_end_init(reading);
}

/* Defines the used numbers that the rest of the file defines. */
static void
define_used(struct lint_reading *reading, const struct symfile *symfile)
{
	static const enum symbol_record_kind kinds[LINT_NUMBERED] = {
		[LINT_FILES] = SYMBOL_FILE, [LINT_ORIGINS] = SYMBOL_INLINE_ORIGIN };
	uint64_t offset;
	uint32_t length;

	for (unsigned set = 0; set < LINT_NUMBERED; set++)
		for (size_t i = 0; i < reading->uses[set].count; i++)
			if (symfile_numbered(symfile, kinds[set], reading->uses[set].list[i].number,
					     &offset, &length))
				lint_define(reading, (enum lint_numbered)set,
					    reading->uses[set].list[i].number);
	lint_finish_uses(reading, LINT_FILES, LINT_FILE_UNDEFINED, LINT_FILE_LATE);
	lint_finish_uses(reading, LINT_ORIGINS, LINT_ORIGIN_UNDEFINED, LINT_ORIGIN_LATE);
}

static void
read_address(struct lint_reading *reading, const struct symfile *symfile, uint64_t address)
{
	static const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	const struct text os = symfile_identity(symfile).os;
	struct function function;
	struct stack_cfi init;
	struct stack_win win;

	if (os.length > 0) {
		const uint64_t inside = (uint64_t)(os.start - reading->part.start);
		uint64_t offset = 0;

		symfile_line_offset(symfile, symfile_place(symfile, inside, 0).line, &offset);
		read_group(reading, symfile, offset, SYMBOL_MODULE);
	}
	if (symfile_covering_function(symfile, &policy, address, &function))
		read_group(reading, symfile, function.offset, SYMBOL_FUNC);
	if (symfile_stack_cfi_init(symfile, &policy, address, &init))
		read_group(reading, symfile, init.offset, SYMBOL_STACK_CFI_INIT);
	for (unsigned type = 0; type <= 4; type += 4)
		if (symfile_stack_win(symfile, &policy, type, address, &win) &&
		    win.own.input == NULL)
			read_group(reading, symfile, win.offset, SYMBOL_STACK_WIN);
	define_used(reading, symfile);
	lint_sort_ranges(&reading->covered.functions);
	lint_parameters(reading);
}

enum error_code
lint_address(struct lint *lint, const struct symfile *symfile, uint64_t address,
	     struct error *error)
{
	static const struct lint_options options = { .most = 0 };
	const struct file *file = symfile_file(symfile);
	struct arena scratch = { 0 };
	struct lint_reading *reading = arena_alloc(&scratch, sizeof(*reading));
	size_t kept = 0;

	*lint = (struct lint){ 0 };
	if (reading == NULL)
		return error_memory(error);
	*reading = (struct lint_reading){
		.lint = lint, .options = &options, .scratch = &scratch,
		.module.arch = arch_by_id(ARCH_UNKNOWN), .input = &file->input,
		.part.start = (const char *)file->data,
		.part.end = (const char *)file->data + file->size };
	read_address(reading, symfile, address);
	const bool ended = reading->memory_ended;
	lint_expressions_free(reading);
	lint_numbers_free(reading);
	arena_free(&scratch);
	memset(lint->counts, 0, sizeof(lint->counts));
	for (size_t i = 0; i < lint->finding_count; i++) {
		bool certain = false;

		for (size_t j = 0; j < ARRAY_COUNT(certain_codes); j++)
			certain |= certain_codes[j] == lint->findings[i].code;
		lint->counts[lint->findings[i].code] += certain;
		if (certain)
			lint->findings[kept++] = lint->findings[i];
	}
	lint->finding_count = kept;
	lint_sort_findings(lint);
	return ended ? error_memory(error) : ERROR_NONE;
}
