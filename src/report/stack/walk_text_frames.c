/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "inspect/fold.h"
#include "report/stack/walk_text_internal.h"

#define LINE_WIDTH 80

static struct text
base_name(const char *path)
{
	return text_of(place_base_name(path));
}

/*
 * The address that offsets are counted to: on x86 and amd64 the return address itself, but for
 * rust-minidump, which counts to the call everywhere.
 */
static uint64_t
reported_address(const struct walk *walk, const struct frame *frame, bool inlined,
		 const struct walk_text_options *options)
{
	const struct arch *arch = walk->arch;

	if (inlined || options->rust || !arch_pushes_return(arch))
		return frame->lookup;
	return frame->registers.value[arch->pc];
}

static void
machine_call(const struct output *output, size_t thread, size_t number,
	     const struct location *location, const struct call *call, uint64_t address)
{
	const struct module *module = location->module;

	output_decimal(output, thread);
	output_plain(output, "|");
	output_decimal(output, number);
	output_plain(output, "|");
	if (module == NULL) {
		output_plain(output, "||||");
	} else {
		output_field(output, base_name(module->code_file));
		output_plain(output, "|");
		output_field(output, call->name);
		output_plain(output, "|");
		address -= module->base;
		if (call->name.length != 0 && call->file.length != 0) {
			const bool has_line =
				call->line_base != 0 || location->symbol.has_line;

			output_field(output, call->file);
			output_plain(output, "|");
			output_decimal(output, call->line);
			output_plain(output, "|");
			address = has_line ? address - call->line_base
					   : address + module->base;
		} else {
			output_plain(output, "||");
			address -= call->name.length != 0 ? call->function_base : 0;
		}
	}
	output_hex(output, address);
	output_plain(output, "\n");
}

static void
human_call(const struct output *output, size_t number, const struct location *location,
	   const struct call *call, uint64_t address, bool offset)
{
	const struct module *module = location->module;

	output_format(output, "%2zu  ", number);
	if (module == NULL) {
		output_format(output, "0x%" PRIx64, address);
		return;
	}
	output_text(output, base_name(module->code_file));
	if (call->name.length == 0) {
		output_format(output, " + 0x%" PRIx64, address - module->base);
		return;
	}
	output_format(output, "!");
	output_text(output, call->name);
	if (call->file.length == 0) {
		output_format(output, " + 0x%" PRIx64,
			      address - module->base - call->function_base);
		return;
	}
	size_t skip = 0;
	for (size_t i = 0; i < call->file.length; i++)
		if (call->file.start[i] == '/' || call->file.start[i] == '\\')
			skip = i + 1;
	output_format(output, " [");
	output_text(output, (struct text){ call->file.start + skip, call->file.length - skip });
	uint64_t base = location->symbol.has_line ? module->base + call->line_base : 0;
	if (offset)
		output_format(output, " : %" PRIu32 " + 0x%" PRIx64 "]", call->line,
			      address - base);
	else
		output_format(output, " : %" PRIu32 "]", call->line);
}

/* On x86 the registers that calls do not keep are printed only where all are known. */
static bool
is_printed(const struct arch *arch, const struct registers *registers, int reg)
{
	const uint64_t all = (UINT64_C(1) << arch->register_count) - 1;

	if (!registers_known(registers, reg))
		return false;
	return !arch->stack_win || reg < 6 || (registers->known & all) == all;
}

/* Breakpad prints the flags as efl, rust-minidump as eflags. */
static const char *
register_label(const struct arch_register *reg, const struct walk_text_options *options)
{
	return options->rust && strcmp(reg->label, "efl") == 0 ? "eflags" : reg->label;
}

static void
print_registers(const struct output *output, const struct arch *arch,
		const struct registers *registers, const struct walk_text_options *options)
{
	size_t column = 0;

	for (int i = 0; i < arch->report_count; i++) {
		const int reg = arch->report_order != NULL ? arch->report_order[i] : i;
		char text[64];

		if (!is_printed(arch, registers, reg))
			continue;
		uint64_t value = registers->value[reg];
		if (arch->report_size == 4)
			value = (uint32_t)value;
		int length = snprintf(text, sizeof(text), " %*s = 0x%0*" PRIx64,
				      options->rust ? 6 : 5,
				      register_label(&arch->registers[reg], options),
				      (int)arch->report_size * 2, value);
		if (column + (size_t)length > LINE_WIDTH) {
			output_format(output, "\n ");
			column = 0;
		}
		output_format(output, "%s", text);
		column += (size_t)length;
	}
}

/* What stands below the line of a call: registers, and how the frame was found. */
static void
human_details(const struct output *output, const struct walk *walk, const struct frame *frame,
	      bool inlined, const struct walk_text_options *options)
{
	if (!inlined || !options->rust)
		output_format(output, "\n ");
	if (!inlined)
		print_registers(output, walk->arch, &frame->registers, options);
	output_format(output, "\n    Found by: %s\n",
		      !inlined	      ? trust_found_by(frame->trust)
		      : options->rust ? "inlining"
				      : trust_found_by(TRUST_INLINE));
}

static void
human_frame(const struct output *output, const struct walk *walk, const struct frame *frame,
	    const struct location *location, size_t *number,
	    const struct walk_text_options *options)
{
	for (size_t i = 0; i < location->call_count; i++) {
		bool inlined = i + 1 < location->call_count;

		human_call(output, (*number)++, location, &location->calls[i],
			   reported_address(walk, frame, inlined, options),
			   !inlined || !options->rust);
		if (options->backtrace)
			output_format(output, "\n");
		else
			human_details(output, walk, frame, inlined, options);
	}
}

static void
machine_frame(const struct output *output, const struct walk *walk, const struct frame *frame,
	      const struct location *location, size_t thread, size_t *number,
	      const struct walk_text_options *options)
{
	for (size_t i = 0; i < location->call_count; i++)
		machine_call(output, thread, (*number)++, location, &location->calls[i],
			     reported_address(walk, frame, i + 1 < location->call_count, options));
}

static void
print_frame(const struct output *output, struct walk *walk, size_t index, size_t thread,
	    size_t *number, const struct walk_text_options *options, struct arena *arena)
{
	const struct frame *frame = &walk->frames[index];
	struct location location;

	location_of(walk, frame->lookup, arena, NULL, &location);
	if (location.module != NULL && !location.module->unloaded)
		options->walked[location.module_index] = true;
	if (options->machine)
		machine_frame(output, walk, frame, &location, thread, number, options);
	else
		human_frame(output, walk, frame, &location, number, options);
	if (options->stack && !options->machine && !options->backtrace)
		walk_text_stack(output, walk, index, options, arena);
	arena_reset(arena);
}

/* Behind the first turn of a cycle: how often it is taken. Returns the last frame of the run. */
static size_t
print_fold(const struct output *output, const struct fold *fold, const struct fold_run *run,
	   size_t *number)
{
	size_t last = run->first + fold_run_frames(run) - 1, first_number = *number;

	for (size_t i = run->first + run->length; i <= last; i++)
		*number += fold->frames[i].calls;
	output_format(output, "    the %zu frame%s above stand%s %zu times, down to frame %zu",
		      run->length, run->length == 1 ? "" : "s", run->length == 1 ? "s" : "",
		      run->times, *number - 1);
	output_format(output, " (%zu are not shown)\n", *number - first_number);
	return last;
}

void
walk_text_frames(const struct output *output, struct walk *walk, size_t thread,
		 const struct walk_text_options *options)
{
	struct output_buffer buffer;
	struct fold fold = { 0 };
	size_t number = 0;
	struct arena arena;

	arena_init(&arena, 0);
	output_buffer_init(&buffer, output);
	if (options->fold && !options->machine)
		fold_update(&fold, walk);
	for (size_t i = 0; i < walk->count; i++) {
		print_frame(&buffer.output, walk, i, thread, &number, options, &arena);
		const struct fold_run *run = i < fold.count ? fold_run_of(&fold, i) : NULL;

		if (run != NULL && i + 1 == run->first + run->length)
			i = print_fold(&buffer.output, &fold, run, &number);
	}
	output_buffer_flush(&buffer);
	fold_free(&fold);
	arena_free(&arena);
}
