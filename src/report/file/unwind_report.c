/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/policy_rows.h"
#include "report/file/unwind_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/symbol_fit.h"
#include "base/demangle.h"
#include "debug_info/debug_info.h"
#include "lint/lint.h"
#include "report/file/lint_report.h"
#include "report/file/sarif.h"
#include "rules/edit.h"
#include "symbols/records.h"
#include "unwind_check/slices.h"
#include "walk/frame_rules.h"

/* Maximum number of places shown for a finding without --all. */
#define SHOWN 8u

/* Facts ---------------------------------------------------------------------------------------- */

/* Finds the name and start of a function. If no function is found, both stay unchanged. */
static void
find_function(const struct rule_module *module, uint64_t address, struct arena *arena,
	      struct text *name, uint64_t *start)
{
	const struct policy policy = { .value = { [POLICY_PUBLIC_AT_ZERO] = 1 } };
	struct debug_answer answer;
	struct function function;

	if (module->symfile != NULL &&
	    symfile_function(module->symfile, &policy, address, &function)) {
		*name = function.name;
		*start = function.address;
		return;
	}
	if (!debug_info_find(module->binaries, module->number, address, NULL, &answer))
		return;
	*name = text_of(arena != NULL ? arena_string(arena, answer.name) : "");
	*start = answer.address;
}

static uint64_t
unwind_report_function_of(void *context, uint64_t address)
{
	const struct unwind_report *report = context;
	uint64_t start = address;
	struct text name;

	find_function(report->module, address, NULL, &name, &start);
	return start;
}

static struct text
name_at(const struct unwind_report *report, uint64_t address, struct arena *arena)
{
	struct text name = text_of("");
	uint64_t start;

	find_function(report->module, address, arena, &name, &start);
	return name;
}

/* Adds a difference, unless the code makes it harmless. */
static bool
keep_difference(void *context, const struct unwind_difference *difference)
{
	struct unwind_report *report = context;

	return unwind_harmless_is(report->harmless, difference) ||
	       unwind_findings_add(&report->findings, difference);
}

/* The rule in a STACK CFI record, or the complete record if it has no such rule. */
static struct place
rule_place(const struct unwind_report *report, struct place place, unsigned column)
{
	const struct arch *arch = report->module->arch;
	const struct file *file = symfile_file(report->module->symfile);
	const struct text line = { (const char *)file->data + place.offset, place.length };
	const char *name = column < CLAIM_COLUMNS ? claim_rule_name(arch, column) : NULL;
	struct rule_span span;
	struct stack_cfi record;

	if (name == NULL || !record_stack_cfi(line, false, &record) ||
	    !rule_span_find(record.rules, text_of(name), &span))
		return place;
	return place_part(place, record.rules_column - 1u + span.start,
			  (uint32_t)(span.end - span.start));
}

static struct place
record_place(const struct unwind_report *report, const struct unwind_difference *difference,
	     unsigned source)
{
	const struct unwind_source *at = &report->sources[source];
	const struct place place = at->kind->reader->place(at, difference->records[source]);

	return at->kind->symbols ? rule_place(report, place, difference->column) : place;
}

/* The symbol file's MODULE record. A file found by its ID has such a record. */
static struct place
module_place(const struct unwind_report *report)
{
	const struct symfile *symfile = report->module->symfile;
	const struct text module = symfile_identity(symfile).os;
	const char *data = (const char *)symfile_file(symfile)->data;
	const uint64_t inside = module.length > 0 ? (uint64_t)(module.start - data) : 0;
	const uint32_t line = symfile_place(symfile, inside, 0).line;
	uint64_t offset = 0;

	symfile_line_offset(symfile, line, &offset);
	return symfile_place(symfile, offset, (uint32_t)(inside + module.length - offset));
}

/* The record to check first: the symbol file's, unless another source's is malformed. */
static struct place
guilty_place(const struct unwind_report *report, const struct unwind_difference *difference)
{
	unsigned source = difference->guilty;

	if (difference->code == UNWIND_MISFIT)
		return module_place(report);
	while (difference->code != UNWIND_HOLE && source + 1 < report->source_count &&
	       (difference->sources >> source & 1) == 0)
		source++;
	return record_place(report, difference, source);
}

static const char *
severity_of(enum unwind_code code)
{
	return code == UNWIND_MISFIT ? "error" : code <= UNWIND_CERTAIN ? "warning" : "note";
}

/* Sentences ------------------------------------------------------------------------------------ */

static const char *
claim_words(const struct unwind_report *report, const struct unwind_difference *difference,
	    unsigned source, char *buffer, size_t size)
{
	const struct claim *claim = &difference->claims[source];

	if (claim->kind == CLAIM_SAME)
		return "unchanged";
	if (claim->kind == CLAIM_UNDEFINED)
		return "undefined";
	if (claim->kind == CLAIM_EXPRESSION)
		return "an expression";
	return claim_format(report->module->arch, difference->column, claim, buffer, size);
}

static void
say_late(const struct output *sentence, const struct unwind_report *report,
	 const struct unwind_difference *difference)
{
	const bool late = difference->code == UNWIND_LATE;
	const unsigned first = (unsigned)__builtin_ctz(difference->sources);
	const unsigned other = (unsigned)__builtin_ctz(difference->sources & ~(1u << first));
	const uint64_t bytes = difference->last - difference->first + 1;
	char says[64];

	output_format(sentence, "%s: %s says %s %" PRIu64 " byte%s too %s: ",
		      claim_column_name(report->module->arch, difference->column),
		      report->sources[first].kind->name,
		      claim_words(report, difference, late ? other : first, says, sizeof(says)),
		      bytes, plural(bytes), late ? "late" : "early");
	output_format(sentence, "%s says so from 0x%" PRIx64 " on",
		      report->sources[other].kind->name, difference->begins);
}

/* Writes the difference as a sentence without a full stop. */
static void
say_difference(const struct output *sentence, const struct unwind_report *report,
	       const struct unwind_difference *difference)
{
	const char *between = "";
	char says[64];

	switch (difference->code) {
	case UNWIND_LATE:
	case UNWIND_EARLY:
		say_late(sentence, report, difference);
		return;
	case UNWIND_MISFIT:
		output_format(sentence, "the symbol file does not belong to the binary: %s",
			      difference->problem);
		return;
	case UNWIND_HOLE:
		output_format(sentence, "%s has no record for 0x%" PRIx64 " to 0x%" PRIx64 ", ",
			      report->sources[0].kind->name, difference->first, difference->last);
		for (unsigned i = 0; i < report->source_count; i++) {
			if ((difference->sources >> i & 1) == 0)
				continue;
			output_format(sentence, "%s%s", between, report->sources[i].kind->name);
			between = " and ";
		}
		output_plain(sentence, (difference->sources & (difference->sources - 1)) != 0
					       ? " have" : " has");
		return;
	case UNWIND_EXTRA:
		output_format(sentence, "%s alone has rules for 0x%" PRIx64 " to 0x%" PRIx64,
			      report->sources[0].kind->name, difference->first, difference->last);
		return;
	default:
		break;
	}
	if (difference->problem != NULL) {
		output_format(sentence, "%s: %s", report->sources[difference->guilty].kind->name,
			      difference->problem);
		return;
	}
	output_format(sentence, "%s: ",
		      claim_column_name(report->module->arch, difference->column));
	for (unsigned i = 0; i < report->source_count; i++) {
		if ((difference->sources >> i & 1) == 0)
			continue;
		output_format(sentence, "%s%s says %s", between, report->sources[i].kind->name,
			      claim_words(report, difference, i, says, sizeof(says)));
		between = ", ";
	}
}

static const char *
describe(const struct unwind_report *report, const struct unwind_difference *difference,
	 struct arena *arena)
{
	struct output_string string;

	output_string_init(&string, arena);
	say_difference(&string.output, report, difference);
	return text_or_empty(string.text);
}

/* Making --------------------------------------------------------------------------------------- */

/* A fingerprint of code, sentence and function, without addresses: they differ between builds. */
static uint64_t
fingerprint_of(const struct unwind_report *report, const struct unwind_difference *difference,
	       const char *text)
{
	const char *name = unwind_code_table[difference->code].name;
	struct arena arena = { 0 };
	const struct text function = name_at(report, difference->first, &arena);
	uint64_t print = hash_bytes(HASH_START, name, strlen(name));

	print = hash_bytes(print, text, strlen(text));
	print = hash_bytes(print, function.start, function.length);
	arena_free(&arena);
	return print;
}

/* Leaves out the findings of an earlier run. */
static void
drop_known(struct unwind_report *report)
{
	struct unwind_findings *findings = &report->findings;
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		const struct unwind_finding finding = findings->items[i];
		const struct unwind_difference *first =
			&findings->places[finding.first].difference;
		struct arena arena = { 0 };
		const char *text = describe(report, first, &arena);

		if (text != NULL && lint_baseline_has(report->baseline,
						      fingerprint_of(report, first, text))) {
			findings->codes[first->code] -= finding.count;
			report->known++;
		} else {
			findings->items[kept++] = finding;
		}
		arena_free(&arena);
	}
	findings->count = kept;
}

void
unwind_report_make(struct unwind_report *report)
{
	const struct rule_module *module = report->module;
	const struct unwind_check check = {
		.arch = module->arch, .sources = report->sources,
		.count = report->source_count, .tell = keep_difference,
		.progress = report->progress, .watcher = report->watcher,
		.stop = report->stop, .context = report, .first = report->first,
		.last = report->last != 0 ? report->last : UINT64_MAX };

	report->findings = (struct unwind_findings){ .function = unwind_report_function_of,
						     .context = report };
	if (report->misfit != NULL) {
		unwind_findings_add(&report->findings,
				    &(struct unwind_difference){ .code = UNWIND_MISFIT,
								 .column = CLAIM_COLUMNS,
								 .problem = report->misfit });
		report->crash = NULL;
		return;
	}
	if (report->whose != NULL)
		report->harmless = unwind_harmless_open(report->whose, module->binaries,
							module->number);
	unwind_check_slices(&check, &report->totals);
	if (report->crash != NULL && !unwind_code_run(&check, report->crash, report->code))
		report->crash = NULL;
	unwind_harmless_close(report->harmless);
	report->harmless = NULL;
	if (report->baseline != NULL)
		drop_known(report);
}

/* Text ----------------------------------------------------------------------------------------- */

static void
write_where(const struct unwind_report *report, const struct unwind_difference *difference,
	    const struct output *output)
{
	struct arena arena = { 0 };
	const struct text name = name_at(report, difference->first, &arena);

	output_format(output, "0x%" PRIx64 " to 0x%" PRIx64, difference->first, difference->last);
	if (name.length > 0) {
		output_format(output, ", in ");
		output_text(output, demangle_shown(report->policy, name, &arena));
	}
	arena_free(&arena);
}

static void
write_head(const struct unwind_report *report, const struct unwind_difference *difference,
	   bool brief, const struct output *output)
{
	const struct place place = guilty_place(report, difference);
	struct arena arena = { 0 };
	const char *at = brief && place.line > 0
				 ? arena_format(&arena, "%s:%" PRIu32 ":%" PRIu32,
						place.input->name, place.line, place.column)
				 : place_format(&place).text;

	output_line(output, "%s: %s: %s [%s]", text_or_empty(at), severity_of(difference->code),
		    describe(report, difference, &arena),
		    unwind_code_table[difference->code].name);
	arena_free(&arena);
}

/* Writes the record with which the symbol file would agree with another source. */
static void
write_agreeing(const struct unwind_report *report, const struct unwind_difference *difference,
	       const struct output *output)
{
	char rule[128];

	if (!report->sources[0].kind->symbols || (difference->sources & 1) == 0 ||
	    difference->code > UNWIND_NOT_SAVED)
		return;
	for (unsigned i = 1; i < report->source_count; i++) {
		if ((difference->sources >> i & 1) == 0 ||
		    claim_postfix(report->module->arch, difference->column, &difference->claims[i],
				  rule, sizeof(rule))[0] == '\0')
			continue;
		output_format(output, "        = as %s has it: STACK CFI %" PRIx64 " %s\n",
			      report->sources[i].kind->name, difference->first, rule);
		return;
	}
}

/* The line of the symbol file that contains a place; empty for another file. */
static struct text
line_of(const struct unwind_report *report, struct place place)
{
	const uint64_t skip = place.column > 0 ? place.column - 1 : 0;
	size_t length = 0;

	if (place.line == 0)
		return (struct text){ NULL, 0 };
	const struct file *file = symfile_file(report->module->symfile);
	const char *start = (const char *)file->data + place.offset - skip;
	const uint64_t left = file->size - (place.offset - skip);
	while (length < left && start[length] != '\n' && start[length] != '\r')
		length++;
	return (struct text){ start, length };
}

static void
write_notes(const struct unwind_report *report, const struct unwind_difference *difference,
	    const struct output *output)
{
	const struct place guilty = guilty_place(report, difference);

	if (guilty.line > 0)
		lint_write_line(output, line_of(report, guilty), guilty);
	if (difference->code == UNWIND_MISFIT) {
		output_format(output, "        = %s; nothing else was compared\n",
			      unwind_code_table[UNWIND_MISFIT].effect);
		return;
	}
	output_format(output, "        = ");
	write_where(report, difference, output);
	output_format(output, "\n");
	for (unsigned i = 0; i < report->source_count; i++) {
		if ((difference->sources >> i & 1) == 0)
			continue;
		const struct place place = record_place(report, difference, i);

		if (place.input == guilty.input && place.offset == guilty.offset)
			continue;
		output_line(output, "        = %s: %s", report->sources[i].kind->name,
			place_format(&place).text);
	}
	write_agreeing(report, difference, output);
}

static void
write_others(const struct unwind_report *report, const struct unwind_finding *finding, bool all,
	     const struct output *output)
{
	size_t shown = 1;

	if (finding->count == 1)
		return;
	output_format(output, "        = %zu more place%s like it", finding->count - 1,
		      plural(finding->count - 1));
	if (finding->functions > 1)
		output_format(output, ", %zu functions in all", finding->functions);
	output_format(output, ", %" PRIu64 " bytes of code\n", finding->bytes);
	for (size_t i = report->findings.places[finding->first].next; i != SIZE_MAX;
	     i = report->findings.places[i].next) {
		const struct unwind_difference *difference = &report->findings.places[i].difference;
		const struct place place = guilty_place(report, difference);

		if (!all && ++shown > SHOWN) {
			output_format(output, "          ... --all lists them\n");
			return;
		}
		output_format(output, "          ");
		output_text(output, text_of(place_format(&place).text));
		output_format(output, ": ");
		write_where(report, difference, output);
		output_format(output, "\n");
	}
}

static void
write_counts(const struct unwind_report *report, const struct output *output)
{
	if (report->misfit != NULL) {
		output_line(output,
			    "%s: the symbol file is of another binary; nothing was compared",
			    place_base_name(report->path));
		return;
	}
	const struct unwind_findings *findings = &report->findings;
	const size_t certain = unwind_findings_certain(findings);
	size_t notes = 0;

	for (int code = UNWIND_CERTAIN + 1; code < UNWIND_CODES; code++)
		notes += findings->codes[code];
	output_line(output, "%s: %zu difference%s and %zu note%s in %zu finding%s; %" PRIu64
			    " rows compared over %" PRIu64 " bytes of code",
		    place_base_name(report->path), certain, plural(certain), notes, plural(notes),
		    findings->count, plural(findings->count), report->totals.compared,
		    report->totals.bytes_compared);
	if (report->known > 0)
		output_format(output, "  %zu finding%s in the baseline\n", report->known,
			      plural(report->known));
	for (size_t i = 0; i < report->source_count; i++) {
		const struct unwind_code_totals *code = &report->code[i];

		output_format(output, "  %-12s %8" PRIu64 " rows for %10" PRIu64 " bytes\n",
			      report->sources[i].kind->name, report->totals.rows[i],
			      report->totals.bytes[i]);
		if (report->crash != NULL && report->sources[i].kind->code)
			output_format(output, "    the code agrees with %" PRIu64 ", contradicts %"
					      PRIu64 ", cannot decide %" PRIu64 "\n",
				      code->agree, code->contradict, code->cannot_say);
		if (code->uncalled > 0)
			output_format(output, "    compared only at calls, as the compiler"
					      " intends; %" PRIu64 " rows have no call\n",
				      code->uncalled);
	}
}

void
unwind_report_text(const struct unwind_report *report, const struct unwind_report_style *style,
		   const struct output *output)
{
	for (size_t i = 0; i < report->findings.count; i++) {
		const struct unwind_finding *finding = &report->findings.items[i];
		const struct unwind_difference *first =
			&report->findings.places[finding->first].difference;

		for (size_t j = finding->first; style->brief && j != SIZE_MAX;
		     j = report->findings.places[j].next)
			write_head(report, &report->findings.places[j].difference, true, output);
		if (style->brief)
			continue;
		write_head(report, first, false, output);
		write_notes(report, first, output);
		write_others(report, finding, style->all, output);
	}
	for (size_t i = 0; report->lint != NULL && i < report->lint->finding_count; i++) {
		const struct lint_finding *finding = &report->lint->findings[i];

		lint_write_head(output, finding, place_format(&finding->place).text);
		if (style->brief)
			continue;
		lint_write_line(output, finding->record, finding->place);
		output_format(output, "        = %s\n", lint_code_table[finding->code].effect);
	}
	if (!style->no_counts)
		write_counts(report, output);
}

static const char *
path_of(const struct unwind_report *report, struct place place)
{
	return place.input != NULL ? place.input->name : report->path;
}

void
unwind_report_github(const struct unwind_report *report, bool all, const struct output *output)
{
	for (size_t i = 0; i < report->findings.count; i++) {
		size_t at = report->findings.items[i].first;

		do {
			const struct unwind_place *found = &report->findings.places[at];
			const struct unwind_difference *difference = &found->difference;
			const struct place place = guilty_place(report, difference);
			struct arena arena = { 0 };

			lint_write_github(output, severity_of(difference->code),
					  path_of(report, place), place,
					  unwind_code_table[difference->code].name,
					  describe(report, difference, &arena));
			arena_free(&arena);
			at = found->next;
		} while (all && at != SIZE_MAX);
	}
	if (report->lint != NULL && report->lint->finding_count > 0)
		lint_report_github(report->lint, path_of(report, report->lint->findings[0].place),
				   output);
}

/* Messages about the frames of a walk ---------------------------------------------------------- */

static void
add_difference(const struct unwind_report *report, const struct unwind_difference *difference,
	       struct message_list *messages)
{
	const struct unwind_code_info *info = &unwind_code_table[difference->code];
	struct arena arena = { 0 };

	const char *text = describe(report, difference, &arena);
	if (difference->code == UNWIND_MISFIT) {
		message_add(messages, MESSAGE_SYMBOL_MISFIT, guilty_place(report, difference),
			    "%s\n%s; make it from this binary: unspool dump-syms", text,
			    info->effect);
		arena_free(&arena);
		return;
	}
	const struct text name = demangle_shown(
		report->policy, name_at(report, difference->first, &arena), &arena);
	message_add(messages,
		    difference->code <= UNWIND_CERTAIN ? MESSAGE_UNWIND_DIFFERS
						       : MESSAGE_UNWIND_LOST,
		    guilty_place(report, difference), "%s, from 0x%" PRIx64 " to 0x%" PRIx64
		    " in %.*s (%s)\n%s", text, difference->first, difference->last,
		    (int)name.length, name.start, info->name, info->effect);
	arena_free(&arena);
}

void
unwind_report_messages(void *context, const struct unwind_report *report)
{
	struct message_list *messages = context;

	for (size_t i = 0; i < report->findings.place_count; i++)
		add_difference(report, &report->findings.places[i].difference, messages);
	for (size_t i = 0; report->lint != NULL && i < report->lint->finding_count; i++) {
		const struct lint_finding *finding = &report->lint->findings[i];
		const struct lint_code_info *info = &lint_code_table[finding->code];

		message_add(messages, MESSAGE_RECORD_WRONG, finding->place, "%s%s%s (%s)\n%s",
			    info->wrong, finding->text[0] != '\0' ? ": " : "", finding->text,
			    info->name, info->effect);
	}
}

/* Functions of a walk's frames ----------------------------------------------------------------- */

struct stack_check {
	struct walk *walk;
	int number;
	struct rule_module module;
	const char *misfit;
	struct unwind_source *sources;
	size_t source_count;
	void (*tell)(void *context, const struct unwind_report *report);
	void *context;
};

/* Checks a function. False: no symbol file is loaded, and there are fewer than two sources. */
static bool
check_function(const struct stack_check *check, const struct rule_run *run, uint64_t address)
{
	const struct symfile *symfile =
		check->walk->symbols != NULL
			? symbols_peek(check->walk->symbols, (size_t)check->number, NULL) : NULL;
	struct unwind_report report = {
		.path = check->walk->crash->modules[check->number].code_file,
		.module = &check->module, .sources = check->sources,
		.source_count = check->source_count, .policy = &check->walk->policy,
		.whose = check->walk->crash, .misfit = check->misfit, .first = run->first,
		.last = run->last };
	struct error error = { 0 };
	struct lint lint;

	if (check->source_count > 1 || check->misfit != NULL)
		unwind_report_make(&report);
	if (symfile != NULL && check->misfit == NULL) {
		lint_address(&lint, symfile, address, &error);
		report.lint = &lint;
	}
	if (report.findings.count > 0 || (report.lint != NULL && lint.finding_count > 0))
		check->tell(check->context, &report);
	if (report.lint != NULL)
		lint_free(&lint);
	unwind_findings_free(&report.findings);
	return check->source_count > 1 || symfile != NULL;
}

/* Compares the function of each frame in the module. Returns the number of compared functions. */
static size_t
check_frames(struct stack_check *check, size_t frames)
{
	const struct crash *crash = check->walk->crash;
	struct rule_run done[UNWIND_REPORT_FRAMES], *run = done;
	struct arena arena = { 0 };
	size_t functions = 0;

	check->source_count = unwind_sources_open(
		&check->module, crash->system.os == CRASH_OS_WINDOWS, check->sources);
	for (size_t i = 0; i < frames && (check->misfit == NULL || run == done); i++) {
		const struct frame *frame = &check->walk->frames[i];
		const uint64_t address = frame->lookup - crash->modules[check->number].base;
		bool again = false;

		if (frame->module != check->number)
			continue;
		rule_run_at(&check->module, address, &arena, run);
		for (const struct rule_run *other = done; other < run; other++)
			again |= other->first == run->first;
		if (!again)
			functions += check_function(check, run++, address);
	}
	unwind_sources_close(check->sources, check->source_count);
	arena_free(&arena);
	return functions;
}

size_t
unwind_report_frames(struct walk *walk,
		     void (*tell)(void *context, const struct unwind_report *report), void *context)
{
	const size_t frames = walk->count < UNWIND_REPORT_FRAMES ? walk->count
								 : UNWIND_REPORT_FRAMES;
	struct unwind_source *sources = calloc(UNWIND_SOURCES, sizeof(*sources));
	size_t functions = 0;

	/* A module's sources are opened once, at its first frame. */
	for (size_t i = 0; i < frames && sources != NULL; i++) {
		const int number = walk->frames[i].module;
		size_t before = 0;

		while (before < i && walk->frames[before].module != number)
			before++;
		if (number == MODULE_NONE || before < i)
			continue;
		struct stack_check check = {
			.walk = walk, .number = number,
			.module = frame_rules_module(walk, number),
			.misfit = symbol_misfit(walk->binaries, walk->symbols, walk->crash,
						(size_t)number),
			.sources = sources, .tell = tell, .context = context };

		functions += check_frames(&check, frames);
	}
	free(sources);
	return functions;
}

bool
unwind_report_code(const char *name, const struct output *output)
{
	bool found = false;

	for (size_t i = 0; i < ARRAY_COUNT(unwind_code_table); i++) {
		const struct unwind_code_info *info = &unwind_code_table[i];

		if (name != NULL && strcmp(name, info->name) != 0)
			continue;
		output_format(output, "%s (%s of unwind-check): %s\n        = %s\n", info->name,
			      severity_of((enum unwind_code)i), info->wrong, info->effect);
		found = true;
	}
	return found;
}

/* JSON, and SARIF ------------------------------------------------------------------------------ */

static const struct fact_names unwind_codes = FACT_NAMES_IN(unwind_code_table);

static void
list_counts(struct json *json, const struct unwind_report *report)
{
	for (size_t i = 0; i < ARRAY_COUNT(unwind_code_table); i++)
		if (report->findings.codes[i] > 0)
			json_number(json, unwind_code_table[i].name, report->findings.codes[i]);
}

static const struct fact_names lint_codes = FACT_NAMES_IN(lint_code_table);
static const struct fact_names lint_severities = FACT_NAMES(lint_severity_names);

#define FACTS "report/file/unwind_facts.def"
#include "document/describe_facts.h"

void
unwind_report_sarif_begin(struct json *json, const char *version)
{
	sarif_begin(json, "unspool unwind-check", version);
	for (size_t i = 0; i < ARRAY_COUNT(unwind_code_table); i++)
		sarif_rule(json, unwind_code_table[i].name, unwind_code_table[i].wrong,
			   unwind_code_table[i].effect, severity_of((enum unwind_code)i));
	sarif_results(json);
}

static void
write_location(const struct unwind_report *report, const struct unwind_difference *difference,
	       struct json *json)
{
	const struct place place = guilty_place(report, difference);
	struct arena arena = { 0 };

	sarif_location(json, path_of(report, place),
		       line_of(report, place), place,
		       name_at(report, difference->first, &arena), report->policy);
	arena_free(&arena);
}

/* Maximum number of further places that a log lists for a finding. */
#define RELATED 100u

void
unwind_report_sarif(const struct unwind_report *report, struct json *json)
{
	for (size_t i = 0; i < report->findings.count; i++) {
		const struct unwind_finding *finding = &report->findings.items[i];
		const struct unwind_place *place = &report->findings.places[finding->first];
		const struct unwind_difference *first = &place->difference;
		const char *name = unwind_code_table[first->code].name;
		struct arena arena = { 0 };
		const char *text = describe(report, first, &arena);

		sarif_result(json, name, (size_t)first->code, severity_of(first->code), text);
		json_array(json, "locations");
		write_location(report, first, json);
		json_array_end(json);
		json_array(json, "relatedLocations");
		for (unsigned n = 0; n < RELATED && place->next != SIZE_MAX; n++) {
			place = &report->findings.places[place->next];
			write_location(report, &place->difference, json);
		}
		json_array_end(json);
		sarif_fingerprint(json, fingerprint_of(report, first, text));
		json_number(json, "occurrenceCount", finding->count);
		json_object_end(json);
		arena_free(&arena);
	}
}
