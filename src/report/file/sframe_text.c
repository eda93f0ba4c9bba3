/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/file/sframe_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "document/facts.h"
#include "rules/rule_set.h"
#include "sframe/sframe_field.h"

void
sframe_text_header(const struct output *output, const struct sframe *sframe)
{
	static const struct {
		unsigned flag;
		const char *name;
	} flags[] = {
		{ SFRAME_FLAG_SORTED, "SFRAME_F_FDE_SORTED" },
		{ SFRAME_FLAG_FRAME_POINTER, "SFRAME_F_FRAME_POINTER" },
		{ SFRAME_FLAG_PCREL, "SFRAME_F_FDE_FUNC_START_PCREL" },
	};

	for (size_t i = 0; i < sframe->table_count; i++) {
		const struct sframe_table *table = &sframe->tables[i];
		bool any = false;

		output_format(output, "  Header :\n\n    Version: SFRAME_VERSION_%u\n",
			      table->version);
		output_format(output, "    Flags: ");
		for (size_t j = 0; j < ARRAY_COUNT(flags); j++) {
			if ((table->flags & flags[j].flag) == 0)
				continue;
			output_format(output, "%s%s", any ? ",\n           " : "", flags[j].name);
			any = true;
		}
		output_format(output, "%s\n", any ? "" : "NONE");
		if (table->fixed_fp != 0)
			output_format(output, "    CFA fixed FP offset: %d\n", table->fixed_fp);
		if (table->fixed_ra != 0)
			output_format(output, "    CFA fixed RA offset: %d\n", table->fixed_ra);
		output_format(output, "    Num FDEs: %" PRIu32 "\n    Num FREs: %" PRIu32 "\n\n",
			      table->function_count, table->row_count);
	}
	output_format(output, "  Function Index :\n");
}

/* Writes the row as the walker uses it: rules over the architecture's registers. */
static void
write_rules(const struct output *output, const struct sframe_function *function,
	    const struct sframe_row *row)
{
	const struct arch *arch = sframe_arch(function->table->abi);
	struct arena arena = { 0 };

	const struct rule_set *set = rule_set_sframe(&arena, arch, function, row);
	for (size_t i = 0; set != NULL && i < set->count; i++) {
		const struct rule *rule = &set->rules[i];
		char place[64];

		snprintf(place, sizeof(place), "+0x%" PRIx64, rule->record.offset);
		output_format(output, "      %8s  %.*s: %.*s\n", place, (int)rule->name.length,
			      rule->name.start, (int)rule->program->text.length,
			      rule->program->text.start);
	}
	if (set != NULL && set->problem != NULL)
		output_format(output, "                %s\n", set->problem);
	arena_free(&arena);
}

void
sframe_text_function(const struct output *output, const struct sframe_function *function,
		     bool rules)
{
	char text[SFRAME_ROW_TEXT];
	struct sframe_cursor cursor;
	struct sframe_row row;

	output_format(output, "\n    func idx [%" PRIu32 "]: pc = 0x%" PRIx64 ", size = %" PRIu32
			      " bytes",
		      function->number, function->address, function->size);
	if (function->signal || function->flexible)
		output_format(output, ", attr = \"%s%s\"", function->signal ? "S" : "",
			      function->flexible ? "F" : "");
	output_format(output, "%s\n", function->key_b ? ", pauth = B key" : "");
	output_format(output, "    STARTPC%-8s CFA       FP        RA\n",
		      function->masked ? "[m]" : "");
	sframe_rows(function, &cursor);
	while (sframe_next_row(&cursor, &row)) {
		output_format(output, "    %s\n", sframe_row_text(function, &row, text));
		if (rules && row.problem == NULL && !row.outermost)
			write_rules(output, function, &row);
	}
	if (cursor.problem != NULL)
		output_format(output, "    %s\n", cursor.problem);
}

/* A rule in words: "sp+16", "[cfa-8]", "same". */
static const char *
value_text(const struct sframe_table *table, const struct sframe_rule *rule, const char *unsaved,
	   char *buffer, size_t size)
{
	char number[8];
	const char *name = rule->base == SFRAME_CFA
				   ? "cfa" : sframe_register_name(table, rule->base, number);

	if (rule->kind == SFRAME_UNSAVED || (rule->kind == SFRAME_PADDING && !rule->dereference))
		return unsaved;
	if (rule->kind == SFRAME_IN_REGISTER)
		snprintf(buffer, size, "r%d", rule->base);
	else
		snprintf(buffer, size, "%s%s%+" PRId64 "%s", rule->dereference ? "[" : "", name,
			 rule->offset, rule->dereference ? "]" : "");
	return buffer;
}

void
sframe_text_lookup(const struct output *output, const struct sframe *sframe, uint64_t address,
		   bool rules)
{
	struct sframe_function function;
	struct sframe_row row;
	const char *problem = NULL;
	const enum sframe_found found =
		sframe_lookup(sframe, address, &function, &row, &problem);

	output_format(output, "0x%" PRIx64 " -> ", address);
	if (found == SFRAME_NO_FUNCTION)
		output_format(output, "none (no FDE covers it)");
	else if (found == SFRAME_NO_ROWS)
		output_format(output, "fde %" PRIu32 " has no FREs", function.number);
	else if (found == SFRAME_NO_ROW)
		output_format(output, "fde %" PRIu32 ": no FRE covers it", function.number);
	else if (found == SFRAME_BROKEN)
		output_format(output, "fde %" PRIu32 ": %s", function.number, problem);
	else if (found == SFRAME_ROW) {
		const struct sframe_table *table = function.table;
		char cfa[32], ra[32], fp[32];

		output_format(output, "fde %" PRIu32 " fre %" PRIu32 ": cfa=%s ra=%s fp=%s",
			      function.number, row.number,
			      value_text(table, &row.cfa, "", cfa, sizeof(cfa)),
			      value_text(table, &row.ra, "unsaved", ra, sizeof(ra)),
			      value_text(table, &row.fp, "same", fp, sizeof(fp)));
		if (row.signed_ra)
			output_format(output, " ra-signed(key %c)", function.key_b ? 'B' : 'A');
	} else if (function.row_count == 0)
		output_format(output, "fde %" PRIu32
			      " has no FREs (v3 default FDE: outermost frame)", function.number);
	else
		output_format(output, "fde %" PRIu32 " fre %" PRIu32 ": RA undefined (outermost)",
			      function.number, row.number);
	output_format(output, "\n");
	if (found == SFRAME_ROW && rules)
		write_rules(output, &function, &row);
}

void
sframe_text_refusal(const struct output *output, const struct arch *arch,
		    const struct sframe_refusal *refusal)
{
	const unsigned fp = refusal->claimed ? CLAIM_REGISTER + (unsigned)arch->fp : 0;
	char cfa[64], ra[64], saved[64];

	output_format(output, "0x%" PRIx64 "-0x%" PRIx64 ": ", refusal->first, refusal->last);
	if (refusal->claimed)
		output_format(
			output, "cfa=%s ra=%s %s=%s: ",
			claim_format(arch, CLAIM_CFA, &refusal->cfa, cfa, sizeof(cfa)),
			claim_format(arch, CLAIM_RETURN_ADDRESS, &refusal->return_address, ra,
				     sizeof(ra)),
			claim_column_name(arch, fp),
			claim_format(arch, fp, &refusal->frame_pointer, saved, sizeof(saved)));
	output_format(output, "%s\n", refusal->why);
}

/* JSON ----------------------------------------------------------------------------------------- */

static bool
is_wanted(const struct sframe *sframe, size_t index, const struct sframe_choice *choice)
{
	struct sframe_function function;

	sframe_function(sframe, index, &function);
	return choice->wanted == NULL || choice->wanted(choice->context, &function);
}

#define FACTS "report/file/sframe_facts.def"
#include "document/describe_facts.h"
