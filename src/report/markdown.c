/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/markdown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/contradicted.h"
#include "analysis/stack_trust.h"
#include "report/step/explain.h"
#include "report/report.h"
#include "report/stack/summary.h"
#include "locate/symbol_store.h"

static void
write_escaped(void *context, const char *bytes, size_t length)
{
	static const char special[] = "\\`*_[]<>|#&~$";
	const struct output *to = context;

	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != '\0' && strchr(special, bytes[i]) != NULL)
			to->write(to->context, "\\", 1);
		to->write(to->context, &bytes[i], 1);
	}
}

/* Write text so that Markdown shows it as it is, in a paragraph or in the cell of a table. */
static void
markdown_text(const struct output *output, struct text text)
{
	struct output to = *output;
	const struct output escaped = { write_escaped, &to };

	output_text(&escaped, text);
}

void
markdown_summary(const struct output *output, const struct analysis *analysis,
		 struct walk *walk)
{
	struct arena arena = { 0 };

	const struct listing listing = summary_listing(analysis, walk, 0, &arena);
	output_plain(output, "# ");
	markdown_text(output, text_of(analysis->damage > 0 && analysis->reason == NULL ? "Damaged dump"
				      : analysis->reason == NULL	      ? "No crash"
				      : analysis->reason[0] == '\0' ? "Crash"
								    : analysis->reason));
	if (analysis->signature[0] != '\0') {
		output_plain(output, " in ");
		markdown_text(output, text_of(analysis->signature));
	}
	output_plain(output, "\n\n");
	const struct lines *lines = lines_of(&listing);
	if (lines != NULL)
		output_plain(output, "| | |\n|---|---|");
	for (size_t i = 0; lines != NULL && i < lines->count; i++) {
		const struct line *line = &lines->items[i];

		/* What goes on with a fact, as evidence with a finding, is in the same cell. */
		if (line->label != NULL)
			output_format(output, "%s\n| %s | ", i > 0 ? " |" : "", line->label);
		else
			output_plain(output, "<br>");
		markdown_text(output, text_trimmed(line->text));
	}
	if (lines != NULL)
		output_plain(output, lines->count > 0 ? " |\n" : "\n");
	arena_free(&arena);
}

static void
write_call(const struct output *output, struct walk *walk, size_t frame,
	   const struct location *location, size_t index, struct arena *arena)
{
	const struct call *call = &location->calls[index];
	const struct frame *at = &walk->frames[frame];
	const uint64_t pc = at->registers.value[walk->arch->pc];

	const char *doubt = index == 0 ? frame_contradicted(walk, frame, arena, NULL) : NULL;
	if (index == 0) {
		output_format(output, "| %zu | %s", frame, trust_table[at->trust].found_by);
		output_plain(output, doubt != NULL ? "; contradicted: " : "");
		markdown_text(output, text_of(text_or_empty(doubt)));
		output_format(output, " | `%0*" PRIx64 "` | ", report_digits(walk->arch), pc);
	} else {
		output_plain(output, "| | | | ");
	}
	markdown_text(output, location_name(location, call, pc, false, arena));
	if (location->symbol.after.name.length > 0) {
		output_plain(output, ", ");
		markdown_text(output, location_after(location, pc, arena));
	}
	output_plain(output, index + 1 < location->call_count ? " (inlined) | " : " | ");
	markdown_text(output, text_base_name(call->file));
	if (call->has_line)
		output_format(output, ":%" PRIu32, call->line);
	output_plain(output, " |\n");
}

/* How far the stack can be trusted, a paragraph. */
static void
write_trust(const struct output *output, struct walk *walk, struct arena *arena)
{
	struct stack_trust trust;

	stack_trust_of(walk, &trust);
	const char *text = stack_trust_text(&trust, 0, trust.trusted - 1, arena);
	const char *help = stack_trust_help(&trust, walk, arena);
	output_plain(output, "\nStack trust: ");
	markdown_text(output, text_of(text_or_empty(text)));
	output_plain(output, help != NULL ? "; " : "");
	markdown_text(output, text_of(text_or_empty(help)));
	output_plain(output, "\n");
}

void
markdown_thread(const struct output *output, struct walk *walk,
		const struct walk_text_thread *thread)
{
	const struct crash *crash = walk->crash;
	const char *name = crash->threads[walk->thread].name;
	struct arena arena = { 0 };

	output_format(output, "\n## Thread %zu", thread->number);
	if (thread->requesting)
		output_format(output, " (%s)",
			      crash->reason != NULL ? "crashed" : "requested the dump");
	if (name != NULL) {
		output_plain(output, " - ");
		markdown_text(output, text_of(name));
	}
	output_plain(output, "\n\n| frame | found by | address | function | source |\n"
			     "|---:|---|---|---|---|\n");
	for (size_t i = 0; i < walk->count; i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, &arena, NULL, &location);
		for (size_t call = 0; call < location.call_count; call++)
			write_call(output, walk, i, &location, call, &arena);
		arena_reset(&arena);
	}
	if (walk->count > 0)
		write_trust(output, walk, &arena);
	if (walk->complete) {
		output_plain(output, "\nEnd of the stack: ");
		markdown_text(output, text_of(walk->end.text));
		output_plain(output, "\n");
	}
	arena_free(&arena);
}

void
markdown_modules(const struct output *output, const struct crash *crash,
		 const struct symbols *symbols)
{
	output_plain(output, "\n## Modules\n\n| address | module | version | symbols |\n"
			     "|---|---|---|---|\n");
	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];
		enum symbols_state state;
		const bool found = symbols != NULL && symbols_peek(symbols, i, &state) != NULL;

		output_format(output, "| `%0*" PRIx64 "` | ",
			      report_digits(crash->system.arch), module->base);
		markdown_text(output, text_base_name(text_of(module->code_file)));
		output_plain(output, " | ");
		markdown_text(output, text_of(module->version));
		output_format(output, " | %s |\n", found ? "yes" : "");
	}
}

static void
write_registers(const struct output *output, const struct step_view *view)
{
	const struct arch *arch = view->walk->arch;
	const struct registers *callee = &view->walk->frames[view->frame].registers;
	const bool taken = view->verdict.kind == VERDICT_TAKEN;
	const struct registers *caller = &view->caller.registers;

	output_format(output, "\n| register | frame %zu | frame %zu |\n|---|---|---|\n",
		      view->frame, view->frame + 1);
	for (int reg = 0; reg < arch->register_count; reg++) {
		char before[32] = "unknown", after[32] = "unknown";

		if (registers_known(callee, reg))
			step_view_value(view, callee->value[reg], before, sizeof(before));
		if (taken && registers_known(caller, reg))
			step_view_value(view, caller->value[reg], after, sizeof(after));
		output_format(output, "| %s | `%s` | `%s` |\n", arch->registers[reg].label,
			      before, after);
	}
}

void
markdown_step(const struct output *output, const struct step_view *view)
{
	struct output_string explained;
	struct arena arena = { 0 };

	output_string_init(&explained, &arena);
	explain_step(&explained.output, view, ARCH_NO_REGISTER);
	output_format(output, "# The step from frame %zu\n\n", view->frame);
	if (view->verdict.kind == VERDICT_TAKEN) {
		output_format(output, "Frame %zu was found by: %s\n", view->frame + 1,
			      trust_table[view->caller.trust].found_by);
	} else {
		output_plain(output, "End of the stack: ");
		markdown_text(output, text_of(view->verdict.text));
		output_plain(output, "\n");
	}
	write_registers(output, view);
	if (explained.text != NULL) {
		char fence[64];
		size_t length = 3, run = 0;

		/* Nothing in the text can close a fence that is longer than any run of it. */
		for (const char *at = explained.text; *at != '\0'; at++) {
			run = *at == '`' ? run + 1 : 0;
			length = run + 1 > length ? run + 1 : length;
		}
		length = length < sizeof(fence) ? length : sizeof(fence) - 1;
		memset(fence, '`', length);
		fence[length] = '\0';
		output_format(output, "\n%s\n", fence);
		output_plain(output, explained.text);
		output_format(output, "%s\n", fence);
	}
	arena_free(&arena);
}
