/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "walk/fold.h"
#include "report/report.h"
#include "report/stack/walk_text.h"

#define LINE_WIDTH 80
#define ROW_BYTES 16u
#define INDENT "    "

/*
 * The address for offsets: on x86 and amd64 the return address itself, but rust-minidump uses the
 * call's address on every processor.
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
		output_field(output, text_of(place_base_name(module->code_file)));
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
	output_format(output, "0x%" PRIx64 "\n", address);
}

static void
human_call(const struct output *output, size_t number, const struct location *location,
	   const struct call *call, uint64_t address, bool offset, struct arena *arena)
{
	const struct module *module = location->module;

	output_format(output, "%2zu  ", number);
	if (module == NULL) {
		output_format(output, "0x%" PRIx64, address);
		return;
	}
	output_text(output, text_of(place_base_name(module->code_file)));
	if (call->name.length == 0) {
		const struct text after = location_after(location, address, arena);

		output_format(output, " + 0x%" PRIx64, address - module->base);
		if (after.length > 0) {
			output_plain(output, " (");
			output_text(output, after);
			output_plain(output, ")");
		}
		return;
	}
	output_format(output, "!");
	output_text(output, call->name);
	if (call->file.length == 0) {
		output_format(output, " + 0x%" PRIx64 "%s",
			      address - module->base - call->function_base,
			      location->symbol.uncertain ? " (uncertain)" : "");
		return;
	}
	output_format(output, " [");
	output_text(output, text_base_name(call->file));
	uint64_t base = location->symbol.has_line ? module->base + call->line_base : 0;
	if (offset)
		output_format(output, " : %" PRIu32 " + 0x%" PRIx64 "]", call->line,
			      address - base);
	else
		output_format(output, " : %" PRIu32 "]", call->line);
}

static void
print_registers(const struct output *output, const struct arch *arch,
		const struct registers *registers, const struct walk_text_options *options)
{
	const uint64_t all = (UINT64_C(1) << arch->register_count) - 1;
	size_t column = 0;

	for (int i = 0; i < arch->report_count; i++) {
		const int reg = arch->report_order != NULL ? arch->report_order[i] : i;
		char text[64];

		/* On x86 the registers that calls do not keep are printed if all are known. */
		if (!registers_known(registers, reg) ||
		    (arch->stack_win && reg >= 6 && (registers->known & all) != all))
			continue;
		/* Breakpad prints the flags as efl, rust-minidump as eflags. */
		const char *label = arch->registers[reg].label;
		if (options->rust && strcmp(label, "efl") == 0)
			label = "eflags";
		uint64_t value = registers->value[reg];
		if (arch->report_size == 4)
			value = (uint32_t)value;
		int length = snprintf(text, sizeof(text), " %*s = 0x%0*" PRIx64,
				      options->rust ? 6 : 5, label, (int)arch->report_size * 2,
				      value);
		if (column + (size_t)length > LINE_WIDTH) {
			output_format(output, "\n ");
			column = 0;
		}
		output_format(output, "%s", text);
		column += (size_t)length;
	}
}

static void
print_row(const struct output *output, const struct walk *walk, uint64_t address, uint64_t end)
{
	char text[ROW_BYTES + 1];

	output_format(output, "\n" INDENT " %0*" PRIx64, (int)walk->arch->word_size * 2, address);
	for (unsigned i = 0; i < ROW_BYTES; i++, address++) {
		uint64_t byte;

		if (address < end && memory_read(&walk->memory, address, 1, &byte, NULL)) {
			output_format(output, " %02x", (unsigned)byte);
			text[i] = byte >= ' ' && byte < 0x7f ? (char)byte : '.';
		} else {
			output_format(output, "   ");
			text[i] = ' ';
		}
	}
	text[ROW_BYTES] = '\0';
	output_format(output, "  %s", text);
}

/*
 * Breakpad has only symbols that walks loaded, by the name of the code file: of a module that is
 * listed twice, for both entries.
 */
static bool
has_symbols(const struct walk *walk, int module, const struct walk_text_options *options)
{
	const struct crash *crash = walk->crash;

	if (module == MODULE_NONE || walk->symbols == NULL)
		return false;
	if (!options->breakpad)
		return true;
	for (size_t i = 0; i < crash->module_count; i++)
		if (strcmp(crash->modules[i].code_file, crash->modules[module].code_file) == 0 &&
		    symbols_peek(walk->symbols, i, NULL) != NULL)
			return true;
	return false;
}

static void
print_pointers(const struct output *output, struct walk *walk, uint64_t address, uint64_t end,
	       const struct walk_text_options *options, struct arena *arena)
{
	const unsigned size = walk->arch->word_size;
	const int digits = (int)size * 2;

	for (; address < end; address += size) {
		struct location location;
		uint64_t value;

		if (!memory_read(&walk->memory, address, size, &value, NULL) ||
		    !has_symbols(walk, module_map_find(&walk->modules, value), options))
			continue;
		location_of(walk, value, arena, &location);
		const size_t count = location.module != NULL ? location.call_count : 0;
		/* The function itself is written before the calls inlined into it. */
		for (size_t i = 0; i < count; i++) {
			const struct call *call = &location.calls[i == 0 ? count - 1 : i - 1];

			if (call->name.length == 0)
				continue;
			output_format(output, INDENT " *(0x%0*" PRIx64 ") = 0x%0*" PRIx64 " <",
				      digits, address, digits, value);
			output_text(output, call->name);
			output_format(output, "> [");
			if (call->file.length > 0)
				output_text(output, text_base_name(call->file));
			const uint64_t base = location.symbol.has_line
						      ? location.module->base + call->line_base : 0;
			output_format(output, " : %" PRIu32 " + 0x%" PRIx64 "]\n",
				      call->has_line ? call->line : 0, value - base);
		}
	}
}

/*
 * Prints the part of the stack that belongs to frame `number`, and the words in it that point into
 * named code. (Breakpad's PrintStackContents, stackwalk_common.cc.)
 */
static void
print_stack(const struct output *output, struct walk *walk, size_t number,
		const struct walk_text_options *options, struct arena *arena)
{
	const int sp = walk->arch->sp;

	if (number + 1 >= walk->count)
		return;
	const struct registers *own = &walk->frames[number].registers;
	const struct registers *next = &walk->frames[number + 1].registers;
	uint64_t begin = own->value[sp], end = next->value[sp];
	struct shown_frame caller;

	if (!registers_known(own, sp) || !registers_known(next, sp) || begin == 0 || end == 0)
		return;
	/*
	 * Breakpad reads the frame of an inlined call as one with registers, past its end: if the
	 * caller has inlined calls, it mostly prints nothing.
	 */
	if (options->breakpad) {
		shown_frame(walk, &walk->frames[number + 1], NULL, arena, &caller);
		if (caller.location.call_count > 1)
			return;
	}
	/* The memory between two stacks belongs to neither frame. */
	const struct memory_run *run = memory_run_of(&walk->memory, begin);
	if (!options->breakpad && (run == NULL || end < begin || end - run->base > run->size))
		return;
	if (walk->crash->redacted) {
		output_format(output, "\n" INDENT "Stack contents: " CRASH_REDACTED "\n\n");
		return;
	}
	output_format(output, "\n" INDENT "Stack contents:");
	for (uint64_t at = begin; at < end; at += ROW_BYTES)
		print_row(output, walk, at, end);
	output_format(output, "\n" INDENT "Possible instruction pointers:\n");
	print_pointers(output, walk, begin, end, options, arena);
	output_format(output, "\n");
}

static const char *
found_by(const struct frame *frame, const struct call *call,
	 const struct walk_text_options *options)
{
	if (call->inlined == NULL)
		return trust_table[frame->trust].found_by;
	if (options->rust)
		return "inlining";
	return call->inlined->own_file != NULL ? "inlined call of debug information"
					       : trust_table[TRUST_INLINE].found_by;
}

static void
print_frame(const struct output *output, struct walk *walk, size_t index, size_t thread,
	    size_t *number, const struct walk_text_options *options, struct arena *arena)
{
	const struct frame *frame = &walk->frames[index];
	struct shown_frame shown;
	const struct location *location = &shown.location;

	shown_frame(walk, frame, options->named, arena, &shown);
	if (location->module != NULL && !location->module->unloaded)
		options->walked[location->module_index] = true;
	for (size_t i = 0; i < location->call_count; i++) {
		const struct call *call = &location->calls[i];
		const bool inlined = i + 1 < location->call_count;
		const uint64_t address = reported_address(walk, frame, inlined, options);

		if (options->machine) {
			machine_call(output, thread, (*number)++, location, call, address);
			continue;
		}
		human_call(output, (*number)++, location, call, address,
			   !inlined || !options->rust, arena);
		if (location->module != NULL && location->module->unloaded && !options->breakpad &&
		    !options->rust)
			output_plain(output, " (unloaded)");
		if (options->backtrace) {
			output_format(output, "\n");
			continue;
		}
		if (!inlined || !options->rust)
			output_format(output, "\n ");
		if (!inlined)
			print_registers(output, walk->arch, &frame->registers, options);
		struct shown_finding found = { .words = found_by(frame, call, options) };
		if (!inlined && !options->breakpad && !options->rust)
			found = shown_found(walk, index, arena);
		output_format(output, "\n    Found by: %s\n", found.words);
		if (found.doubt != NULL) {
			output_plain(output, "    Contradicted: ");
			output_text(output, text_of(found.doubt));
			output_plain(output, "\n");
		}
	}
	if (options->stack && !options->machine && !options->backtrace)
		print_stack(output, walk, index, options, arena);
	arena_reset(arena);
}

void
walk_text_frames(const struct output *output, struct walk *walk, size_t thread,
		 const struct walk_text_options *options)
{
	struct fold fold = { 0 };
	size_t number = 0;
	struct arena arena = { 0 };

	if (options->fold && !options->machine)
		fold_update(&fold, walk);
	for (size_t i = 0; i < walk->count; i++) {
		print_frame(output, walk, i, thread, &number, options, &arena);
		const struct fold_run *run = fold_run_of(&fold, i);

		if (run == NULL || i + 1 != run->first + run->length)
			continue;
		/* One turn of a cycle is written; this says how often it repeats. */
		const size_t shown = number;
		while (++i < run->first + fold_run_frames(run))
			number += fold.frames[i].calls;
		i--;
		output_format(output,
			      "    the %zu frame%s above appear%s %zu times, down to frame %zu"
			      " (%zu are not shown)\n", run->length, plural(run->length),
			      run->length == 1 ? "s" : "", run->times, number - 1, number - shown);
	}
	fold_free(&fold);
	arena_free(&arena);
}
