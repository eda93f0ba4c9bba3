/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/explore.h"
#include "cmd/subject.h"
#include "inspect/invent.h"
#include "report/step/explain.h"

/* `unspool step`: explore how any function is unwound, without a crash. */

struct step_command {
	struct explore_options explore;
	const char *function;		/* FUNCTION+OFFSET, or an address */
};

/* The pc of the thread; addresses are relative to the module's base. */
struct step_place {
	bool symbols;			/* the place is in a symbol file, else in an executable */
	uint64_t address, function;
	const char *name;		/* NULL: unknown */
	size_t others;			/* number of other functions with the name */
	uint64_t base;			/* base of the open module */
	struct arena arena;
};

static enum cmd_status
open_place(struct cmd_input *input, const struct explore_options *options, struct error *error)
{
	struct step_place *place = options->open_context;
	const char *path = options->common.paths[0];
	const struct cmd_options *common = &options->common;
	struct symfile *symfile = NULL;
	struct binary *binary = NULL;
	enum cmd_status status;

	*input = (struct cmd_input){ 0 };
	const enum error_code code = place->symbols
					     ? cmd_open_symbols(&symfile, path, error)
					     : binary_open(&binary, path, error);
	if (code != ERROR_NONE)
		return CMD_UNREADABLE;
	uint64_t end = binary != NULL && binary->extent > 0 ? binary->extent : UINT32_MAX;
	for (size_t i = 0; binary != NULL && binary->extent == 0 && i < binary->segment_count; i++)
		end = binary->segments[i].address + binary->segments[i].size;
	status = symfile != NULL ? cmd_input_open_symbols(input, common, symfile)
				 : cmd_input_open_binary(input, common, binary, NULL);
	symfile_close(symfile);
	if (status != CMD_DONE)
		return status;
	struct module *module = &input->crash.modules[0];
	if (binary != NULL && end > module->base)
		module->size = end - module->base;
	place->base = module->base;
	char where[300];
	if (place->name != NULL)
		snprintf(where, sizeof(where), "%.250s+%#" PRIx64, place->name,
			 place->address - place->function);
	else
		snprintf(where, sizeof(where), "+%#" PRIx64, place->address);
	const struct invent_options invent = {
		.symbols = input->symbols, .binaries = input->binaries, .policy = &common->policy,
		.pc = module->base + place->address, .where = where,
	};
	return invent_thread(&input->crash, &invent) ? CMD_DONE : cmd_out_of_memory();
}

static void
set_address(void *context, uint64_t pc)
{
	struct step_place *place = context;

	place->address = pc - place->base;
}

/* Finding the function ------------------------------------------------------------------------- */

static void
step_take_function(void *context, const struct subject_place *found)
{
	struct step_place *place = context;

	if (place->others++ == 0)
		place->address = place->function = found->address;
}

static bool
find_function(struct subject *subject, const char *text, struct step_place *place)
{
	const char *plus = strrchr(text, '+');
	char *name = arena_string(&place->arena, text);
	uint64_t offset = 0;

	place->name = name;
	if (name == NULL)
		return false;
	if (subject_functions(subject, name, step_take_function, place) > 0)
		return true;
	if (plus == NULL || !text_number(text_of(plus + 1), 16, &offset))
		return false;
	name[plus - text] = '\0';
	if (subject_functions(subject, name, step_take_function, place) == 0)
		return false;
	place->address += offset;
	return true;
}

static enum cmd_status
find_place(const struct step_command *own, struct subject *subject, struct step_place *place)
{
	struct subject_place found;
	struct arena arena = { 0 };

	if (find_function(subject, own->function, place)) {
		if (place->others > 1)
			cmd_say("%zu functions are called '%s'; the first is stepped, at %#" PRIx64,
				place->others, place->name, place->function);
		return CMD_DONE;
	}
	if (subject_is_address(own->function) &&
	    subject_place_of(subject, own->function, &found)) {
		place->address = found.address;
		place->name = NULL;
		return CMD_DONE;
	}
	const char *near = subject_near_function(subject, text_or_empty(place->name), &arena);
	cmd_say("no function '%s'%s%s%s", text_or_empty(place->name),
		near != NULL ? "; did you mean '" : "", text_or_empty(near),
		near != NULL ? "'?" : "");
	arena_free(&arena);
	return CMD_USAGE;
}

/* Printing ------------------------------------------------------------------------------------- */

static enum cmd_status
print_step(const struct explore_options *options)
{
	const struct cmd_options *common = &options->common;
	struct error error = { 0 };
	struct cmd_input input;
	struct step_view view;

	enum cmd_status status = open_place(&input, options, &error);
	struct walk *walk = status == CMD_DONE
				    ? walk_create(&input.crash, input.symbols, input.binaries, 0,
						  &common->policy)
				    : NULL;
	if (error.code != ERROR_NONE)
		cmd_print_error(&error, common->paths[0]);
	if (walk != NULL) {
		walk_extend(walk);
		step_view_make(&view, walk, 0);
		if (common->json)
			CMD_DOCUMENT(common, step_document, &view, NULL);
		else
			explain_step(&cmd_output, &view, ARCH_NO_REGISTER);
		step_view_free(&view);
		walk_free(walk);
		status = cmd_answered(&input, common, status);
	} else if (status == CMD_DONE) {
		status = cmd_out_of_memory();
	}
	cmd_input_close(&input);
	return status;
}

static enum cmd_status
step_run(const struct cmd_options *options)
{
	const struct step_command *own = (const struct step_command *)options;
	struct explore_options explore = own->explore;
	struct step_place place = { 0 };
	struct subject subject;

	if (own->function == NULL)
		return cmd_usage(options, "'--at FUNCTION+OFFSET' is missing");
	enum cmd_status status = subject_open(&subject, options);
	if (status != CMD_DONE)
		return status;
	place.symbols = subject.kind == SUBJECT_SYMBOLS;
	if (subject.kind == SUBJECT_DUMP) {
		cmd_say("'%s' is a dump: unspool explain steps its frames", subject.path);
		status = CMD_USAGE;
	} else {
		status = subject_needs_registers(&subject);
	}
	if (status == CMD_DONE)
		status = find_place(own, &subject, &place);
	subject_close(&subject);
	explore.open = open_place;
	explore.open_context = &place;
	explore.set_address = set_address;
	explore.explorer.at = "view=eval";
	explore.explorer.no_state = true;
	if (status == CMD_DONE && (explore.explorer.plain || explore.explorer.script != NULL ||
				   (!options->json && isatty(STDOUT_FILENO))))
		status = cmd_explore_with(&explore);
	else if (status == CMD_DONE)
		status = print_step(&explore);
	arena_free(&place.arena);
	return status;
}

static const struct cmd_option own_options[] = {
#define STORE(kind, member) CMD_STORE(kind, step_command, member)
	{ "--at", 0, "FUNCTION+OFF", "the function, and the hexadecimal offset of a row",
	  STORE(TEXT, function) },
	{ "--ascii", 0, NULL, "", STORE(FLAG, explore.explorer.ascii) },
	{ "--plain", 0, NULL, "no screen: read commands and print rows",
	  STORE(FLAG, explore.explorer.plain) },
	{ "--script", 0, "FILE", "take keys and commands from FILE (--size 80x24)",
	  STORE(TEXT, explore.explorer.script) },
	{ "--size", 0, "COLUMNSxROWS", "", STORE(TEXT, explore.size) },
	{ "--config", 0, "FILE", "", STORE(TEXT, explore.config) },
	{ "--no-config", 0, NULL, "", STORE(FLAG, explore.no_config) },
};

const struct cmd_command cmd_step = {
	.name = "step", .arguments = "FILE [SYMBOLS...]",
	.help = "step the unwinder in any function, without a crash",
	.least = 1, CMD_OWN(own_options, step_command),
	.groups = CMD_GROUP_INPUT | CMD_GROUP_METHODS | CMD_GROUP_NAMES | CMD_GROUP_JSON |
		  CMD_GROUP_SOURCE | CMD_GROUP_REDACT,
	.document = step_document_facts,
	.guard = CMD_GUARD_SESSION, .run_alone = step_run, .interactive = true,
};
