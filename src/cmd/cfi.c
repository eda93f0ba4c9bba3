/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/demangle.h"
#include "cmd/subject.h"
#include "report/step/rule_listing.h"
#include "walk/frame_rules.h"

/* `unspool cfi`: tables of functions' unwind rules, as in the explorer. */

struct cfi_options {
	struct cmd_options common;
	struct cmd_list at;		/* addresses */
	const char *function;
	bool rules;			/* rules in postfix, not in short form */
};

struct printing {
	struct subject *subject;
	const struct cfi_options *options;
	struct json *json;		/* NULL: text */
	size_t printed, missing, contradicted;
};

static void
print_rows(const struct printing *printing, const struct rule_view *view, const char *module)
{
	const struct output *output = &cmd_output;
	struct arena arena = { 0 };

	const struct listing listing = rule_listing(view, &arena);
	if (printing->printed > 0)
		output_format(output, "\n");
	if (view->run->named) {
		output_text(output, view->run->function.name);
		output_format(output, "   ");
	}
	output_text(output, text_of(module));
	output_format(output, "   %" PRIx64 "-%" PRIx64 "\n", view->run->first + view->bias,
		      view->run->last + view->bias);
	cmd_print_listing(listing);
	arena_free(&arena);
}

static enum cmd_status
print_functions(struct printing *printing, struct json *json);

#define FACTS "cmd/facts/cfi_facts.def"
#include "document/describe_facts.h"

static void
print_view(struct printing *printing, struct rule_view *view, const char *module)
{
	view->form = printing->options->rules ? RULE_FORM_POSTFIX : RULE_FORM_SHORT;
	if (printing->json != NULL)
		FACTS_WRITE(printing->json, NULL, cfi_function, view, module);
	else
		print_rows(printing, view, module);
	printing->printed++;
}

/* Names of unwind sections, for a file whose table is unusable. */
static const char *const table_sections[] = {
	".eh_frame", ".debug_frame", ".sframe", ".ARM.exidx", ".pdata", "__unwind_info",
};

/* The reason why a file has no rules for an address; NULL: none to report. */
static const char *
why_nothing(const struct subject *subject, size_t sources, uint64_t address, struct arena *arena)
{
	const struct binary *binary = subject->binary;

	if (binary == NULL)
		return NULL;
	if (sources > 0)
		return binary->segment_count > 0 && binary_segment(binary, address) == NULL
			       ? "the file has no code there" : "no entry covers the address";
	if (binary->format == BINARY_PE && !binary_arch(binary)->pe_unwind &&
	    binary_section(binary, 0, ".eh_frame") == NULL &&
	    binary_section(binary, 0, ".debug_frame") == NULL)
		return "the file has no .eh_frame or .debug_frame; .pdata is read only for x64, "
		       "ARM64 and ARM";
	for (size_t i = 0; i < ARRAY_COUNT(table_sections); i++) {
		const struct binary_section *section =
			binary_section(binary, 0, table_sections[i]);

		if (section != NULL && !section->no_bits && section->size > 0)
			return arena_format(arena, "the file's %s cannot be read",
					    table_sections[i]);
	}
	if (binary->format == BINARY_PE)
		return "the file has no .pdata, .eh_frame or .debug_frame";
	if (binary->sections_inferred || binary->section_count == 0)
		return "the file has no section table; it may be truncated";
	return binary->debug_only
		       ? "a debug file without code has none; name the program"
	       : binary->format == BINARY_MACH
		       ? "the file has no __unwind_info, .eh_frame or .debug_frame"
		       : "the file has no .eh_frame, .debug_frame, .sframe or .ARM.exidx";
}

static void
print_place(struct printing *printing, const struct subject_place *place, bool marked)
{
	struct rule_module module = subject_module(printing->subject, place->module);
	const char *name = subject_module_name(printing->subject, place->module);
	struct rule_tables tables;
	struct rule_run run;
	struct arena arena = { 0 };

	rule_run_at(&module, place->address, &arena, &run);
	run.function.name = demangle_shown(module.policy, run.function.name, &arena);
	rule_tables_init(&tables, &arena, module.arch, run.first, run.last);
	if (printing->subject->kind != SUBJECT_SYMBOLS)
		tables.windows = printing->subject->input.crash.system.os == CRASH_OS_WINDOWS;
	const size_t count = rule_tables_add_all(&tables, &module);
	if (tables.count == 0) {
		const char *why = why_nothing(printing->subject, count, place->address, &arena);

		printing->missing++;
		cmd_say("nothing has unwind rules for %s+0x%" PRIx64 "%s%s", name, place->address,
			why != NULL ? ": " : "", why != NULL ? why : "");
	} else {
		struct rule_view view = { .tables = &tables, .run = &run, .marked = marked,
					  .address = place->address, .in_force = SIZE_MAX };

		/* Show linked addresses, as other tools for ELF and Mach-O do. */
		if (printing->subject->binary != NULL)
			view.bias = printing->subject->binary->linked_base -
				    binary_section_bias(printing->subject->binary);
		if (marked)
			view.in_force = rule_tables_obeyed(&tables, place->address);
		print_view(printing, &view, name);
		printing->contradicted += tables.contradicted;
	}
	arena_free(&arena);
}

static void
found_function(void *context, const struct subject_place *place)
{
	print_place(context, place, false);
}

/* Print the rules of a frame's function in a dump, and the rules of the conventions. */
static enum cmd_status
print_frame(struct printing *printing)
{
	const struct cmd_options *options = &printing->options->common;
	struct cmd_input *input = &printing->subject->input;
	size_t frame;
	struct frame_rules rules;
	struct arena arena = { 0 };
	size_t thread;

	if (!cmd_find_thread(input, options, &thread))
		return CMD_USAGE;
	struct walk *walk = walk_create(&input->crash, input->symbols, input->binaries, thread,
					&options->policy);
	if (walk == NULL || !cmd_find_frame(walk, options, &frame)) {
		walk_free(walk);
		return CMD_USAGE;
	}
	frame_rules_make(&rules, walk, frame, &arena);
	struct rule_view view = { .tables = &rules.tables, .run = &rules.run, .marked = true,
				  .address = rules.address, .in_force = rules.in_force,
				  .method = rules.method };
	print_view(printing, &view, rules.module != NULL
					    ? place_base_name(rules.module->code_file)
					    : "in no module");
	printing->contradicted += rules.tables.contradicted;
	arena_free(&arena);
	walk_free(walk);
	return CMD_DONE;
}

static enum cmd_status
print_functions(struct printing *printing, struct json *json)
{
	const struct cfi_options *options = printing->options;
	struct subject_place place;

	printing->json = json;
	for (size_t i = 0; i < options->at.count; i++) {
		const char *text = options->at.items[i];

		if (subject_place_of(printing->subject, text, &place)) {
			print_place(printing, &place, true);
			continue;
		}
		printing->missing++;
		cmd_say("'%s' is %s", text,
			subject_is_address(text) ? "in no module" : "not a hexadecimal address");
	}
	if (options->function != NULL &&
	    subject_functions(printing->subject, options->function, found_function, printing) ==
		    0) {
		printing->missing++;
		cmd_say("no function '%s'", options->function);
	}
	return options->at.count == 0 && options->function == NULL ? print_frame(printing)
								   : CMD_DONE;
}

static enum cmd_status
check_subject(struct subject *subject, const struct cfi_options *own)
{
	if (subject->kind == SUBJECT_DUMP)
		return CMD_DONE;
	if (own->at.count == 0 && own->function == NULL)
		return cmd_usage(&own->common, "'--at ADDRESS' or '--function NAME' is missing; "
				 "only a dump has frames");
	return subject_needs_registers(subject);
}

static enum cmd_status
cfi_run(const struct cmd_options *options)
{
	const struct cfi_options *own = (const struct cfi_options *)options;
	struct subject subject;
	enum cmd_status status = subject_open(&subject, options);

	if (status == CMD_DONE)
		status = check_subject(&subject, own);
	if (status == CMD_DONE) {
		struct printing printing = { .subject = &subject, .options = own };

		subject_refuse_others(&subject, options);
		if (options->json)
			CMD_DOCUMENT(options, cfi_document, &printing, &status);
		else
			status = print_functions(&printing, NULL);
		if (status == CMD_DONE && printing.missing + printing.contradicted > 0)
			status = CMD_FINDINGS;
		subject_print_messages(&subject);
	}
	subject_close(&subject);
	return status;
}

static const struct cmd_option own_options[] = {
	{ "--frame", 'f', "N", "the function of frame N (inlined calls not counted)",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--function", 0, "NAME", "every function NAME, NAME(int) or MODULE!NAME",
	  CMD_STORE(TEXT, cfi_options, function) },
	{ "--at", 0, "ADDRESS", "the function at ADDRESS or MODULE+OFFSET (hex)",
	  CMD_STORE(LIST, cfi_options, at) },
	{ "--rules", 0, NULL, "print cells as postfix expressions",
	  CMD_STORE(FLAG, cfi_options, rules) },
};

const struct cmd_command cmd_cfi = {
	.name = "cfi", .arguments = "FILE [SYMBOLS...]",
	.help = "print the table of a function's unwind rules",
	.least = 1, CMD_OWN(own_options, cfi_options),
	.groups = CMD_GROUP_JSON | CMD_GROUP_THREAD | CMD_GROUP_INPUT | CMD_GROUP_NAMES |
		  CMD_GROUP_REDACT,
	.document = cfi_document_facts, .run_alone = cfi_run,
};
