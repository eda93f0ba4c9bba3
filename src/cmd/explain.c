/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cmd/cmd.h"
#include "report/memory/frame_drawing.h"
#include "report/prose/prose.h"
#include "report/step/explain.h"

struct explain_command {
	struct cmd_options common;
	const char *reg;
	bool all_methods;		/* compare all methods of the frame */
	bool drawing, svg;		/* draw the frame on the stack instead */
	bool prose;			/* explain in sentences: one step or all */
};

static enum cmd_status
print_methods(const struct cmd_options *options, struct walk *walk, size_t frame)
{
	enum cmd_status status = CMD_DONE;
	struct arena arena = { 0 };

	const struct methods_compared *compared = methods_compare(walk, frame, &arena);
	if (compared == NULL) {
		status = cmd_out_of_memory();
	} else if (options->json) {
		CMD_DOCUMENT(options, methods_document, compared);
	} else {
		cmd_print("caller of frame %zu", frame);
		cmd_print_listing(methods_listing(compared));
	}
	arena_free(&arena);
	return status;
}

static void
print_drawing(const struct step_view *view, bool svg)
{
	struct arena arena = { 0 };
	const struct frame_drawing_options options = { .step = view,
						       .memory = &view->walk->memory,
						       .binaries = view->walk->binaries };

	if (svg)
		frame_drawing_svg(&options, false, &cmd_output);
	else
		cmd_print_listing(frame_drawing_listing(&options, &arena));
	arena_free(&arena);
}

static enum cmd_status
print_prose(const struct explain_command *own, struct walk *walk, size_t frame)
{
	/* Contradictions by other sources are known only after the whole walk. */
	walk_run(walk, 0);
	const bool one = own->common.frame >= 0;
	const struct prose_range range = {
		.walk = walk, .first = frame, .last = one ? frame : walk->count - 1,
	};

	if (own->common.as_page)
		prose_page(&range, own->common.page, &cmd_output);
	else
		prose_write(&range, &cmd_output);
	return CMD_DONE;
}

static enum cmd_status
cmd_explain_run(const struct cmd_options *options, struct cmd_input *input)
{
	const struct explain_command *own = (const struct explain_command *)options;
	int reg = ARCH_NO_REGISTER;
	struct walk *walk = input->walk;
	struct arena told = { 0 };
	struct step_view view;
	size_t frame;

	if (own->reg != NULL && !cmd_find_register(walk, own->reg, &reg))
		return CMD_USAGE;
	if (!cmd_find_frame(walk, options, &frame))
		return CMD_USAGE;
	if (own->all_methods)
		return print_methods(options, walk, frame);
	if (own->prose && !options->json)
		return print_prose(own, walk, frame);
	/* The drawing needs the caller's name. */
	walk_extend(walk);
	step_view_make(&view, walk, frame);
	if (options->json)
		CMD_DOCUMENT(options, step_document, &view,
			     own->prose ? prose_of(&view, NULL, &told) : NULL);
	else if (own->drawing || own->svg)
		print_drawing(&view, own->svg);
	else if (own->common.as_page)
		explain_page(&cmd_output, own->common.page, &view);
	else
		explain_step(&cmd_output, &view, reg);
	step_view_free(&view);
	arena_free(&told);
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--format", 0, "FORM", "human, " PAGE_FORM_NAMES ": one page, with the drawing",
	  CMD_CALL(cmd_set_page) },
	/* Former name of `--format markdown`; Markdown is the default form of a page. */
	{ "--markdown", 0, NULL, "", CMD_STORE(FLAG, cmd_options, as_page) },
	{ "--frame", 'f', "N", "the step from frame N (inlined calls not counted)",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--register", 'r', "NAME", "only the value of register NAME",
	  CMD_STORE(TEXT, explain_command, reg) },
	{ "--drawing", 0, NULL, "draw the frame: its words, the CFA, saved registers",
	  CMD_STORE(FLAG, explain_command, drawing) },
	{ "--svg", 0, NULL, "draw it as SVG", CMD_STORE(FLAG, explain_command, svg) },
	{ "--prose", 0, NULL, "describe all steps, or that of --frame, in prose",
	  CMD_STORE(FLAG, explain_command, prose) },
	{ "--all-methods", 0, NULL, "show what each method finds, even unneeded ones",
	  CMD_STORE(FLAG, explain_command, all_methods) },
};

const struct cmd_command cmd_explain = {
	.name = "explain", .arguments = "DUMP [SYMBOLS...]",
	.help = "print one step of the unwinder: records, rules, tokens, checks",
	.least = 1, .needs = CMD_NEEDS_WALK, CMD_OWN(own_options, explain_command),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON, .document = explain_document_facts,
	.run = cmd_explain_run,
};
