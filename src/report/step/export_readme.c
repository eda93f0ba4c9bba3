/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/export_internal.h"

#include <inttypes.h>
#include <string.h>

#include "report/report.h"
#include "base/output.h"

/* What a case is, for who gets it and for who sends it. */

static void
write_frame(const struct output *output, struct case_maker *maker, const struct frame *frame)
{
	output_text(output, location_frame_name(maker->walk, frame, false, &maker->arena));
}

static void
write_value(const struct output *output, const struct arch *arch, const struct registers *registers,
	    int reg)
{
	if (reg < 0)
		return;
	output_format(output, "    %-6s ", arch->registers[reg].label);
	if (registers_known(registers, reg))
		output_format(output, "%0*" PRIx64 "\n", report_digits(arch),
			      registers->value[reg]);
	else
		output_plain(output, "unknown\n");
}

static void
write_answer(const struct output *output, struct case_maker *maker)
{
	const struct arch *arch = maker->walk->arch;
	const struct case_export *result = maker->result;

	if (maker->verdict.kind == VERDICT_TAKEN) {
		output_format(output, "With the rules of %s the caller is\n\n    ",
			      method_name(maker->verdict.method));
		write_frame(output, maker, &maker->caller);
		output_plain(output, "\n");
		write_value(output, arch, &maker->caller.registers, arch->pc);
		write_value(output, arch, &maker->caller.registers, arch->sp);
		write_value(output, arch, &maker->caller.registers, arch->fp);
	} else {
		output_plain(output, "The stack ends here:\n\n    ");
		output_text(output, text_of(maker->verdict.text));
		output_plain(output, "\n");
	}
	output_plain(output, "\n");
	if (result->same) {
		output_plain(output, "The case was walked after writing and gives exactly this.\n");
		return;
	}
	output_plain(output, "**The case gives another result**: ");
	output_text(output, text_of(result->found));
	output_plain(output, ". The step also depends on code, an SFrame section, or the "
			     "frames\nbelow this one.\n");
}

/* What had to be changed so that the frame can be a thread's first one. */
static void
write_changes(const struct output *output, const struct case_maker *maker)
{
	const struct walk *walk = maker->walk;
	const struct arch *arch = walk->arch;
	const struct frame *frame = &walk->frames[maker->frame];

	if (frame->lookup != frame->registers.value[arch->pc])
		output_format(output,
			      "- %s is %" PRIu64 " less than the return address was, so that it "
			      "lies in the call.\n",
			      arch->registers[arch->pc].label,
			      frame->registers.value[arch->pc] - frame->lookup);
	if (maker->added > 0)
		output_format(output,
			      "- %s is %" PRIu64 " more: the parameters of the frame's callee, "
			      "which is not here.\n",
			      arch->registers[arch->sp].label, maker->added);
	if (maker->unlinked)
		output_format(output, "- %s is left out: it has no meaning after a call.\n",
			      arch->registers[arch->lr].label);
	for (int reg = 0; reg < arch->register_count; reg++)
		if (arch->registers[reg].callee_saved && !registers_known(&frame->registers, reg))
			output_format(output, "- %s was unknown and is 0 here.\n",
				      arch->registers[reg].label);
	if (walk->overlay != NULL)
		output_plain(output, "- What-if edits of records are in the symbol file.\n");
}

bool
export_readme(struct case_maker *maker)
{
	const struct frame *frame = &maker->walk->frames[maker->frame];
	struct output_string text;
	const struct output *output = &text.output;
	const struct walk *walk = maker->walk;
	const int digits = report_digits(walk->arch);

	output_string_init(&text, &maker->arena);
	output_format(output, "# One step of an unwinder\n\nFrame %zu of a crash, ", maker->frame);
	write_frame(output, maker, frame);
	output_format(output, ", as the first frame of a thread "
			      "(%s).\n\n", maker->walk->arch->name);
	write_answer(output, maker);
	output_plain(output, "\n```\nunspool explain crash.dmp symbols\n"
			     "minidump_stackwalk crash.dmp symbols\n```\n\n");
	write_changes(output, maker);
	output_plain(output, "\n");
	output_plain(output,
		     "## What is in it\n\nThe case contains only the registers of this frame, the "
		     "names of its modules without\ntheir paths, the names of two "
		     "functions, the records in `symbols`, and these words of memory:\n\n");
	for (size_t i = 0; i < maker->log.count; i++) {
		const struct memory_word *word = &maker->log.words[i];
		uint64_t value = 0;

		memory_read(&walk->memory, word->address, word->size, &value, NULL);
		output_format(output, "    %0*" PRIx64 "  %0*" PRIx64 "\n", digits, word->address,
			      (int)word->size * 2, value);
	}
	if (maker->log.count == 0)
		output_plain(output, "    none: the rules use registers alone\n");
	output_plain(output, "\nRegisters and words may be private. Check them before you send "
			     "this. Zeros between the\nwords of the stack replace omitted "
			     "memory.\n");
	const char *path = export_path(maker, "README.md");
	return path != NULL && text.text != NULL &&
	       export_file(maker, path, text.text, text.length);
}
