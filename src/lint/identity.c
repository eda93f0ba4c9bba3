/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/symbol_diff.h"
#include "binary/binary.h"
#include "debug_info/function_starts.h"
#include "lint/lint_internal.h"
#include "locate/layout.h"

/*
 * Checks whether the records belong to the module that the file names: by its identifiers, by the
 * registers of the rules, and by the binary if one is given. Identifiers can be copied. The
 * beginnings of functions are therefore compared with the binary's symbol table, and with the table
 * of .eh_frame_hdr, which stripped files also have. A defect of the complete file is one finding.
 */

enum {
	CODE_ID_FIELD = 1,		/* index in record_forms */
	GUID = GUID_DIGITS,
	AGE = 8,			/* maximum digits of an age */
	MOST_CODE = 127,		/* maximum digits of a compared code identifier */
	FEWEST = 4,			/* fewest rules of another architecture that are a proof */
	FEW_DIFFERENCES = 4,		/* differences of one aspect that a defect may cause */
};

static bool
is_hexadecimal(struct text text)
{
	bool valid = text.length > 0;

	for (size_t i = 0; i < text.length; i++)
		valid &= field_digits[(unsigned char)text.start[i]] != 0;
	return valid;
}

/* Whether MODULE has the GUID that a build ID makes. */
static bool
fits_build_id(const struct lint_reading *reading, struct text code, char guid[BINARY_DEBUG_ID])
{
	char digits[MOST_CODE + 1];

	snprintf(digits, sizeof(digits), "%.*s", TEXT_UPTO(code, MOST_CODE));
	binary_guid(digits, guid);
	return strncasecmp(guid, reading->module.id.start, GUID) == 0;
}

void
lint_code_id(struct lint_reading *reading)
{
	const struct text id = reading->module.id;
	char guid[BINARY_DEBUG_ID];
	struct symbol_record record;

	record_read(SYMBOL_CODE_ID, reading->record, &record);
	const struct text code = record.fields[CODE_ID_FIELD].text;
	const size_t skip = (size_t)(code.start - reading->record.start);
	if (!is_hexadecimal(code)) {
		lint_report(reading, LINT_CODE_ID_INVALID, skip, code.length > 0 ? code.length : 1,
			    code.length > 0 ? "'%.*s'" : "it is missing", TEXT_UPTO(code, 60));
		return;
	}
	/* Code identifiers of PE and Mach-O files are not derived from the debug identifier. */
	if (reading->module.build_ids && code.length >= GUID && code.length <= MOST_CODE &&
	    id.length >= GUID && !fits_build_id(reading, code, guid))
		lint_report(reading, LINT_CODE_ID, skip, code.length, "%.*s", GUID, guid);
}

/* The name of the directory that ends before `at` in a path; empty: none. */
static struct text
directory_before(const char *path, const char *at)
{
	const char *end = at > path ? at - 1 : path, *start = end;

	while (start > path && start[-1] != '/')
		start--;
	return (struct text){ start, (size_t)(end - start) };
}

void
lint_place(struct lint_reading *reading)
{
	const char *path = reading->input->name;
	const struct text id = directory_before(path, place_base_name(path));
	const struct text name = directory_before(path, id.start);
	char guid[BINARY_DEBUG_ID];

	/* Only stores have directories that are named by identifiers. */
	if (!reading->module.seen || reading->module.id.length < GUID || name.length == 0 ||
	    id.length <= GUID || id.length > GUID + AGE || !is_hexadecimal(id))
		return;
	const struct symfile_identity own =
		record_module(lint_line_at(reading, reading->module.offset));
	const struct locate_subject subject = {
		.build_id = "", .code_name = "", .code_id = "",
		.name = text_or_empty(text_copy(reading->scratch, own.name)),
		.id = text_or_empty(text_copy(reading->scratch, own.id)) };
	char *right = layout_path(&subject, "", LAYOUT_SYMBOLS);
	const struct text folders = {
		right, right != NULL ? (size_t)(place_base_name(right) - right) : 0 };
	const struct text given = { name.start, (size_t)(id.start - name.start) + id.length };
	/* Servers also have files in directories named by the build ID. */
	if (right != NULL && strncasecmp(right + 1, given.start, folders.length - 1) != 0 &&
	    !fits_build_id(reading, id, guid))
		lint_report_at(reading, LINT_MODULE_PLACE, reading->module.offset,
			       reading->module.line,
			       "the directories name '%.*s', the record '%.*s'",
			       TEXT_UPTO(given, 200), (int)(folders.length - 2), right + 1);
	free(right);
}

/* Another architecture with a register of this name. */
static const struct arch *
arch_with(const struct arch *not, struct text name)
{
	for (int id = 0; id < ARCH_COUNT; id++) {
		const struct arch *arch = arch_by_id((enum arch_id)id);

		if (arch != not && arch->register_count > 0 && arch->symbol_names != NULL &&
		    arch_register(arch, name, ARCH_NAMES_EXACT) != ARCH_NO_REGISTER)
			return arch;
	}
	return NULL;
}

void
lint_architecture(struct lint_reading *reading)
{
	struct lint *lint = reading->lint;
	const struct arch *other = NULL;
	struct text name = { 0 };
	size_t kept = 0;

	if (lint->counts[LINT_CFI_UNKNOWN_NAME] < reading->covered.inits.count / 2 + FEWEST ||
	    !reading->module.seen)
		return;
	for (size_t i = 0; i < lint->finding_count && other == NULL; i++) {
		const struct lint_finding *finding = &lint->findings[i];
		const size_t skip = finding->place.column - 1;

		if (finding->code != LINT_CFI_UNKNOWN_NAME || skip > finding->record.length)
			continue;
		name = (struct text){ finding->record.start + skip, finding->place.length };
		other = arch_with(reading->module.arch, name);
	}
	if (other == NULL)
		return;
	for (size_t i = 0; i < lint->finding_count; i++)
		if (lint->findings[i].code != LINT_CFI_UNKNOWN_NAME &&
		    lint->findings[i].code != LINT_CFI_UNKNOWN_REGISTER)
			lint->findings[kept++] = lint->findings[i];
	lint->finding_count = kept;
	lint_report_at(reading, LINT_MODULE_OTHER_ARCHITECTURE, reading->module.offset,
		       reading->module.line, "%zu expressions read registers such as '%.*s' of %s",
		       lint->counts[LINT_CFI_UNKNOWN_NAME], (int)name.length, name.start,
		       other->name);
	lint->counts[LINT_CFI_UNKNOWN_NAME] = lint->counts[LINT_CFI_UNKNOWN_REGISTER] = 0;
}

/* Adds the beginnings of the file's functions or, without any, of its INIT records. */
static void
add_file_starts(struct lint_reading *reading, struct function_starts *starts)
{
	const struct lint_ranges *const kinds[] = { &reading->covered.functions,
						    &reading->covered.publics,
						    &reading->covered.inits };

	for (size_t kind = 0; kind < 3; kind++)
		for (size_t i = 0; i < kinds[kind]->count; i++)
			function_starts_add(starts, arch_code(reading->module.arch,
							      kinds[kind]->list[i].first));
	function_starts_sort(starts);
}

static void
report_wrong(struct lint_reading *reading, enum lint_code code, const char *before,
	     const struct starts_compared *at)
{
	lint_report_at(reading, code, reading->module.offset, reading->module.line,
		       "%s%zu of %zu functions begin where the binary's do", before, at->same,
		       at->compared);
}

/* Reports records outside the binary's code. */
static void
check_bounds(struct lint_reading *reading, const struct binary *binary)
{
	const struct lint_ranges *const kinds[] = { &reading->covered.functions,
						    &reading->covered.inits };

	for (size_t kind = 0; kind < 2 && binary->segment_count > 0; kind++) {
		for (size_t i = 0; i < kinds[kind]->count; i++) {
			const struct lint_range *range = &kinds[kind]->list[i];
			const struct binary_segment *first = binary_segment(binary, range->first);
			const struct binary_segment *last = binary_segment(binary, range->last);

			if (first != NULL && first->executable && last == first)
				continue;
			lint_about(lint_report_at(reading, LINT_OUTSIDE_BINARY, range->offset,
						  range->line, "0x%" PRIx64 " to 0x%" PRIx64,
						  range->first, range->last), range->first, 0);
		}
	}
}

/* A name without its brackets: template arguments, parameters and the names of lambdas differ. */
static void
leave_out_brackets(const char *name, char *out, size_t size)
{
	size_t depth = 0, used = 0;

	for (; *name != '\0' && used + 1 < size; name++) {
		if (strchr("<({", *name) != NULL)
			depth++;
		else if (strchr(">)}", *name) != NULL)
			depth -= depth > 0;
		else if (depth == 0)
			out[used++] = *name;
	}
	out[used] = '\0';
}

/* Whether a name ends with parameters. */
static bool
has_parameters(const char *name)
{
	static const char call[] = "operator()";
	const size_t length = strlen(name), plain = sizeof(call) - 1;

	return length > 0 && name[length - 1] == ')' &&
	       (length < plain || strcmp(name + length - plain, call) != 0);
}

/*
 * Whether two names belong to one function, although one writer adds scopes, parameters or the
 * suffix of a clone and the other does not. A writer without parameters spells template arguments
 * as the source does, the other one as linker symbols do.
 */
static bool
is_same_function(const char *one, const char *other)
{
	char plain[2][256];

	if (has_parameters(one) != has_parameters(other)) {
		leave_out_brackets(one, plain[0], sizeof(plain[0]));
		leave_out_brackets(other, plain[1], sizeof(plain[1]));
		one = plain[0];
		other = plain[1];
	}
	const char *longer = strlen(one) > strlen(other) ? one : other;
	const char *shorter = longer == one ? other : one;
	const size_t length = strlen(shorter), more = strlen(longer) - length;

	if (memcmp(longer, shorter, length) == 0)
		return more == 0 || strchr(". (", longer[length]) != NULL;
	return more > 0 && longer[more - 1] == ':' && strcmp(longer + more, shorter) == 0;
}

/* Reports a difference of a record, unless only the spelling differs. */
static void
report_difference(struct lint_reading *reading, enum lint_code code,
		  const struct symbol_diff_run *run)
{
	const char *own = run->says[0], *expected = run->says[1];

	if (own == NULL || expected == NULL ||
	    (code == LINT_BINARY_NAME && is_same_function(own, expected)))
		return;
	lint_about(lint_report_at(reading, code, run->places[0].offset, run->places[0].line,
				  "'%.200s', not '%.200s', from 0x%" PRIx64 " to 0x%" PRIx64, own,
				  expected, run->first, run->last), run->first, 0);
}

/* Maximum number of files whose wrong paths are reported. */
#define WRONG_PATHS 8u

/*
 * Reports a line record with the right line but another base name of its file. Each file is
 * reported once: in a program of one file, a wrong FILE record changes every line.
 */
static void
report_path(struct lint_reading *reading, const struct symbol_diff_run *run,
	    struct text reported[WRONG_PATHS])
{
	const char *own = run->says[0], *expected = run->says[1];
	const char *line = own != NULL ? strrchr(own, ':') : NULL;
	const char *other = expected != NULL ? strrchr(expected, ':') : NULL;
	size_t i = 0;

	if (line == NULL || other == NULL || strcmp(line, other) != 0 ||
	    strcmp(place_base_name(own), place_base_name(expected)) == 0)
		return;
	const struct text path = { own, (size_t)(line - own) };
	while (i < WRONG_PATHS && reported[i].length > 0 && !text_equal(reported[i], path))
		i++;
	if (i == WRONG_PATHS || reported[i].length > 0)
		return;
	reported[i] = path;
	report_difference(reading, LINT_BINARY_LINE, run);
}

/*
 * Reports the records that dump-syms writes differently for the binary. Writers have conventions of
 * their own: if more than a twentieth of the functions differ in one aspect, the difference is a
 * convention and proves no defect.
 */
static void
check_records(struct lint_reading *reading)
{
	static const struct {
		enum symbol_diff_what what;
		enum lint_code code;
	} aspects[] = {
		{ SYMBOL_DIFF_NAME, LINT_BINARY_NAME },
		{ SYMBOL_DIFF_LINE, LINT_BINARY_LINE },
		{ SYMBOL_DIFF_INLINE, LINT_BINARY_CALL },
		{ SYMBOL_DIFF_PARAMETERS, LINT_BINARY_PARAMETERS },
	};
	const struct symbol_diff_options options = { .lines = true };
	struct text reported[WRONG_PATHS] = { { 0 } };
	const size_t most = FEW_DIFFERENCES + reading->covered.functions.count / 20;
	const struct file *file = &reading->lint->file;
	struct symfile *own = NULL;
	struct symbol_diff diff;
	struct error error = { 0 };

	if (reading->options->expected == NULL ||
	    symfile_from_memory(&own, file->input.name, file->data, (size_t)file->size, &error) !=
		    ERROR_NONE)
		return;
	const struct symfile *const files[2] = { own, reading->options->expected };
	symbol_diff_make(&diff, reading->module.arch, files, &options);
	reading->memory_ended |= diff.memory_ended;
	for (size_t i = 0; i < diff.count; i++)
		for (size_t j = 0; j < ARRAY_COUNT(aspects); j++) {
			if (aspects[j].what != diff.runs[i].what)
				continue;
			if (diff.totals[aspects[j].what] <= most)
				report_difference(reading, aspects[j].code, &diff.runs[i]);
			else if (aspects[j].code == LINT_BINARY_LINE)
				report_path(reading, &diff.runs[i], reported);
		}
	symbol_diff_free(&diff);
	symfile_close(own);
}

/* Whether the MODULE record has the binary's file name, or the name that dump-syms writes. */
static bool
has_name_of(const struct lint_reading *reading, const char *file)
{
	const struct symfile *expected = reading->options->expected;
	const struct text names[] = { text_of(file),
				      expected != NULL ? symfile_identity(expected).name
						       : (struct text){ "", 0 } };
	const struct text module = reading->lint->module;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (names[i].length > 0 && module.length > names[i].length &&
		    module.start[module.length - names[i].length - 1] == ' ' &&
		    memcmp(module.start + module.length - names[i].length, names[i].start,
			   names[i].length) == 0)
			return true;
	return false;
}

void
lint_binary(struct lint_reading *reading)
{
	const struct binary *binary = reading->options->binary;

	if (binary == NULL || !reading->any_record)
		return;
	const struct text id = reading->module.id;
	char guid[BINARY_DEBUG_ID];
	const bool mach = binary->format == BINARY_MACH;
	if (mach)
		snprintf(guid, sizeof(guid), "%s", binary->debug_id);
	else
		binary_guid(binary->id, guid);
	/* The identifier of a PE file is in the PDB and is not compared. */
	const bool other_id = (mach || reading->module.build_ids) && binary->id[0] != '\0' &&
			      (id.length < GUID || strncasecmp(guid, id.start, GUID) != 0);

	reading->lint->other_module = other_id && reading->options->of_store &&
				      !has_name_of(reading, place_base_name(binary->plain_name));
	if (reading->lint->other_module)
		return;
	char target[BINARY_OTHER_TARGET];
	if (binary_other_target(binary, reading->module.os, reading->module.arch, target) != NULL) {
		lint_report_at(reading, LINT_WRONG_BINARY, reading->module.offset,
			       reading->module.line, "%s", target);
		return;
	}
	struct function_starts own = { .arena = reading->scratch };
	struct function_starts file = { .arena = reading->scratch };
	function_starts_of_table(&own, binary);
	function_starts_of_symbols(&own, binary, reading->module.arch);
	add_file_starts(reading, &file);
	reading->memory_ended |= own.memory_ended || file.memory_ended;
	const struct starts_compared at = function_starts_compare(&own, &file);

	const bool same = at.compared >= FUNCTION_STARTS_FEWEST &&
			  at.same >= at.compared - at.compared / 10;
	char distance[FUNCTION_STARTS_TEXT];

	if (at.behind != 0)
		lint_report_at(reading, LINT_WRONG_BINARY, reading->module.offset,
			       reading->module.line, "%s",
			       function_starts_distance(at.behind, distance));
	else if (other_id ? !same : at.compared >= FUNCTION_STARTS_FEWEST && !at.fits)
		report_wrong(reading, LINT_WRONG_BINARY,
			     other_id ? "it has another identifier, and "
				      : "although their identifiers do not differ, ", &at);
	else if (other_id)
		report_wrong(reading, LINT_BINARY_ID, "", &at);
	if (other_id ? same : at.fits) {
		check_bounds(reading, binary);
		check_records(reading);
	}
}
