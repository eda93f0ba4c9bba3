/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "cmd/cmd.h"
#include "document/page.h"
#include "inspect/variable/variable_step.h"
#include "report/stack/walk_text.h"
#include "report/step/explain.h"
#include "report/value/locals.h"

struct locals_options {
	struct cmd_options common;
	bool globals;			/* also print static variables */
	bool steps;			/* also print the computation of each value */
	const char *variable;		/* name of a single variable, shown token by token */
};

/* Context of the output. `threads` is in the order of the walk (the crashed thread first). */
struct locals_printing {
	const struct cmd_options *options;
	const struct cmd_input *input;
	struct walk_text_thread *threads;
	struct memory_view memory;
	struct locals_budget *budget;
	struct page *page;		/* NULL: text */
};

static const struct locals_options *
own_options_of(const struct cmd_options *options)
{
	return (const struct locals_options *)options;
}

/* Walk a thread if the options choose it. */
static bool
open_thread(void *context, size_t index, struct locals_thread *thread)
{
	const struct locals_printing *printing = context;
	const struct cmd_options *options = printing->options;
	const struct walk_text_thread *own = &printing->threads[index];

	if (options->thread >= 0 ? (size_t)options->thread != own->number
				 : options->frame >= 0 && index > 0)
		return false;
	*thread = (struct locals_thread){ .budget = printing->budget,
					  .memory = &printing->memory,
					  .crashed = own->requesting,
					  .only_frame = options->frame,
					  .globals = own_options_of(options)->globals,
					  .steps = own_options_of(options)->steps };
	thread->walk = cmd_walk_thread(printing->input, options, own->index);
	return thread->walk != NULL;
}

static void
close_thread(void *context, struct locals_thread *thread)
{
	(void)context;
	walk_free(thread->walk);
}

/* Number of frames that are left out for one reason. */
struct left_out {
	const char *why;
	size_t count;
};

#define LEFT_OUT_REASONS 4

static void
count_left_out(struct left_out *list, const char *why)
{
	size_t i = 0;

	if (why == NULL)
		return;
	while (i + 1 < LEFT_OUT_REASONS && list[i].count > 0 && list[i].why != why)
		i++;
	list[i] = (struct left_out){ why, list[i].count + 1 };
}

static void
print_thread(const struct locals_printing *printing, size_t index,
	     const struct locals_thread *thread)
{
	const struct walk_text_thread *own = &printing->threads[index];
	static const struct locals_state steps = { .steps = true };
	struct walk *walk = thread->walk;
	struct left_out left_out[LEFT_OUT_REASONS] = { { NULL, 0 } };

	const char *crashed = own->requesting ? " (crashed)" : "";
	if (printing->page != NULL) {
		page_block_format(printing->page, PAGE_SECTION, ROLE_NORMAL, "Thread %zu%s",
				  own->number, crashed);
	} else {
		if (index > 0)
			cmd_print("%s", "");
		cmd_print("Thread %zu%s", own->number, crashed);
	}
	for (size_t i = 0; i < walk->count && locals_spend(thread->budget, LOCALS_VARIABLE); i++) {
		struct arena arena = { 0 };
		struct locals *locals =
			thread->only_frame < 0 || (size_t)thread->only_frame == i
				? locals_of(walk, thread->memory, i, thread->globals,
					    thread->steps ? &steps : NULL, &arena) : NULL;

		if (locals != NULL)
			locals_limit(locals, thread->budget);
		if (locals != NULL && (locals_any(locals) || thread->only_frame >= 0)) {
			const struct listing listing = locals_listing(locals, &arena);
			locals_spend(thread->budget, listing.count * LOCALS_VARIABLE);
			if (printing->page != NULL)
				page_listing(printing->page, &listing, 0, listing.count, 0);
			else
				cmd_print_listing(listing);
		} else if (locals != NULL) {
			count_left_out(left_out, locals_why_none(locals));
		}
		arena_free(&arena);
	}
	for (size_t i = 0; i < ARRAY_COUNT(left_out) && left_out[i].count > 0; i++) {
		const size_t count = left_out[i].count;

		if (printing->page != NULL)
			page_block_format(printing->page, PAGE_PARAGRAPH, ROLE_NOTE,
					  "%zu frame%s: %s", count, plural(count), left_out[i].why);
		else
			cmd_print(" %zu frame%s: %s", count, plural(count), left_out[i].why);
	}
}

static bool
make_variable(const char *name, struct walk *walk, size_t frame,
	      struct arena *arena, struct step_view *view)
{
	struct variable_place place;
	struct memory_view *memory = arena_alloc(arena, sizeof(*memory));

	if (memory == NULL)
		return false;
	memory_view_all(memory, walk->crash, arena);
	/* Values at function entry may need the callers. */
	walk_run(walk, 0);
	struct value_frame *variables = frame_variables_of(walk, memory, frame, arena);
	if (variables != NULL && variables->why == NULL &&
	    variable_place_named(variables, text_of(name), 0, arena,
				 &place) &&
	    variable_step_make(view, walk, memory, frame, place))
		return true;
	cmd_say("frame %zu has no variable '%s'%s%s", frame, name,
		 variables != NULL && variables->why != NULL ? ": " : "",
		 variables != NULL ? text_or_empty(variables->why) : "");
	return false;
}

/* Print the computation of one variable's value. */
static enum cmd_status
print_variable(const struct locals_options *own, struct walk *walk, size_t frame)
{
	struct arena arena = { 0 };
	struct step_view view = { 0 };
	const bool made = make_variable(own->variable, walk, frame, &arena, &view);

	if (made && own->common.json)
		CMD_DOCUMENT(&own->common, variable_document, &view);
	else if (made && own->common.as_page)
		explain_page(&cmd_output, own->common.page, &view);
	else if (made)
		explain_step(&cmd_output, &view, ARCH_NO_REGISTER);
	step_view_free(&view);
	arena_free(&arena);
	return made ? CMD_DONE : CMD_USAGE;
}

static enum cmd_status
locals_run(const struct cmd_options *options, struct cmd_input *input)
{
	struct locals_budget budget = locals_budget(&input->crash);
	struct locals_printing printing = { .options = options, .input = input, .budget = &budget };
	struct arena arena = { 0 };
	size_t frame;

	if (!cmd_find_frame(input->walk, options, &frame))
		return CMD_USAGE;
	if (own_options_of(options)->variable != NULL)
		return print_variable(own_options_of(options), input->walk, frame);
	const size_t count = walk_text_threads(&input->crash, &arena, &printing.threads);
	if (printing.threads == NULL)
		return cmd_out_of_memory();
	memory_view_all(&printing.memory, &input->crash, &arena);
	const struct locals_document document = { count, open_thread, close_thread, &printing };
	const struct locals_options *own = own_options_of(options);
	struct page page;
	if (options->json) {
		CMD_DOCUMENT(options, locals, &document);
	} else {
		printing.page = own->common.as_page ? &page : NULL;
		if (own->common.as_page)
			page_begin(&page, own->common.page, &cmd_output,
				   "Arguments and local variables", PAGE_READ);
		for (size_t i = 0; i < count; i++) {
			struct locals_thread thread;

			if (!open_thread(&printing, i, &thread))
				continue;
			print_thread(&printing, i, &thread);
			close_thread(&printing, &thread);
		}
		if (own->common.as_page)
			page_end(&page);
	}
	if (budget.exceeded)
		cmd_say("the frames have too many variables; those of older frames are left out. "
			"--frame shows one frame");
	arena_free(&arena);
	return CMD_DONE;
}

static const struct cmd_option own_options[] = {
	{ "--format", 0, "FORM", "human, " PAGE_FORM_NAMES, CMD_CALL(cmd_set_page) },
	{ "--frame", 'f', "N", "only frame N, counted without inlined calls",
	  CMD_STORE(NUMBER, cmd_options, frame) },
	{ "--globals", 0, NULL, "also static variables of each frame's source unit",
	  CMD_STORE(FLAG, locals_options, globals) },
	{ "--variable", 0, "NAME", "show how variable NAME is computed, token by token",
	  CMD_STORE(TEXT, locals_options, variable) },
	{ "--steps", 0, NULL, "how each value is computed, operation by operation",
	  CMD_STORE(FLAG, locals_options, steps) },
};

const struct cmd_command cmd_locals = {
	.name = "locals", .arguments = "DUMP [SYMBOLS...]",
	.help = "print arguments and local variables of frames",
	.least = 1, .needs = CMD_NEEDS_WALK, CMD_OWN(own_options, locals_options),
	.groups = CMD_GROUPS_OF_WALK | CMD_GROUP_JSON,
	.document = locals_document_facts, .run = locals_run,
};
