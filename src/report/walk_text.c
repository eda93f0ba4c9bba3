/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/walk_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "walk/location.h"

#define LINE_WIDTH 80

size_t
walk_text_threads(const struct crash *crash, struct arena *arena,
		  struct walk_text_thread **threads)
{
	struct walk_text_thread *list = arena_array(arena, crash->thread_count, sizeof(*list));
	size_t count = 0, number = 0;

	*threads = list;
	if (list == NULL)
		return 0;
	for (size_t i = 0; i < crash->thread_count; i++) {
		if (crash->threads[i].wrote_dump)
			continue;
		struct walk_text_thread thread = { i, number++,
						   crash->requesting_thread == (int)i };
		size_t at = count++;
		if (thread.requesting) {
			memmove(list + 1, list, at * sizeof(*list));
			at = 0;
		}
		list[at] = thread;
	}
	return count;
}

/* The requesting thread's number as Breakpad counts, or -1. */
static long
requesting_number(const struct crash *crash)
{
	long number = 0;

	if (crash->requesting_thread < 0)
		return -1;
	for (int i = 0; i < crash->requesting_thread; i++)
		number += !crash->threads[i].wrote_dump;
	return crash->threads[crash->requesting_thread].wrote_dump ? -1 : number;
}

static struct text
base_name(const char *path)
{
	return text_of(place_base_name(path));
}

static bool
is_main(const struct crash *crash, const struct module *module)
{
	return crash->module_count > 0 && crash->modules[0].base == module->base;
}

static void
machine_modules(const struct output *output, const struct crash *crash,
		const struct policy *policy)
{
	struct module_map map;
	struct arena arena;

	arena_init(&arena, 0);
	module_map_build(&map, crash, policy, &arena);
	for (size_t i = 0; i < map.loaded_count; i++) {
		const struct module *module = &crash->modules[map.loaded[i].module];

		output_format(output, "Module|");
		output_field(output, base_name(module->code_file));
		output_format(output, "|");
		output_field(output, text_of(module->version));
		output_format(output, "|");
		output_field(output, base_name(module->debug_file));
		output_format(output, "|");
		output_field(output, text_of(module->debug_id));
		output_format(output, "|0x%08" PRIx64 "|0x%08" PRIx64 "|%d\n", module->base,
			      module->base + module->size - 1, is_main(crash, module));
	}
	arena_free(&arena);
}

static void
machine_head(const struct output *output, const struct crash *crash, const struct policy *policy)
{
	long requesting = requesting_number(crash);

	output_format(output, "OS|");
	output_field(output, text_of(crash->system.os_name));
	output_format(output, "|");
	output_field(output, text_of(crash->system.os_version));
	output_format(output, "\nCPU|");
	output_field(output, text_of(crash->system.cpu_name));
	output_format(output, "|");
	output_field(output, text_of(crash->system.cpu_info));
	output_format(output, "|%" PRIu32 "\nGPU|||\nCrash|", crash->system.cpu_count);
	if (crash->reason != NULL) {
		output_field(output, text_of(crash->reason));
		output_format(output, "|0x%" PRIx64 "|", crash->reason_address);
	} else {
		output_field(output,
			     text_of(crash->assertion != NULL ? crash->assertion : "No crash"));
		output_format(output, "||");
	}
	if (requesting >= 0)
		output_format(output, "%ld", requesting);
	output_format(output, "\n");
	machine_modules(output, crash, policy);
	output_format(output, "\n");
}

static void
human_head(const struct output *output, const struct crash *crash,
	   const struct walk_text_options *options)
{
	const struct crash_system *system = &crash->system;

	output_format(output, "Operating system: ");
	output_text(output, text_of(system->os_name));
	output_format(output, "\n                  ");
	output_text(output, text_of(system->os_version));
	output_format(output, "\nCPU: ");
	output_text(output, text_of(system->cpu_name));
	if (system->cpu_info[0] != '\0') {
		output_format(output, "\n     ");
		output_text(output, text_of(system->cpu_info));
	}
	output_format(output, "\n     %" PRIu32 " CPU%s\n\nGPU: UNKNOWN\n\n", system->cpu_count,
		      system->cpu_count == 1 ? "" : "s");
	if (crash->reason != NULL) {
		output_format(output, "Crash reason:  ");
		output_text(output, text_of(crash->reason));
		output_format(output, "\nCrash address: 0x%" PRIx64 "\n", crash->reason_address);
		if (crash->reason_note != NULL && !options->breakpad) {
			output_format(output, "Note: ");
			output_text(output, text_of(crash->reason_note));
			output_format(output, "\n");
		}
	} else {
		output_format(output, "No crash\n");
	}
	if (crash->assertion != NULL) {
		output_format(output, "Assertion: ");
		output_text(output, text_of(crash->assertion));
		output_format(output, "\n");
	}
	uint32_t created = crash->misc.has_times ? crash->misc.create_time : 0;
	if (crash->time != 0 && created != 0 && crash->time >= created)
		output_format(output, "Process uptime: %" PRIu32 " seconds\n",
			      crash->time - created);
	else
		output_format(output, "Process uptime: not available\n");
}

void
walk_text_head(const struct output *output, const struct crash *crash,
	       const struct policy *policy, const struct walk_text_options *options)
{
	if (options->machine)
		machine_head(output, crash, policy);
	else
		human_head(output, crash, options);
}

/* The address that offsets are counted to: on x86 and amd64 the return address itself. */
static uint64_t
reported_address(const struct walk *walk, const struct frame *frame, bool inlined)
{
	const struct arch *arch = walk->arch;

	if (inlined || (arch->id != ARCH_X86 && arch->id != ARCH_AMD64))
		return frame->lookup;
	return frame->registers.value[arch->pc];
}

static void
machine_call(const struct output *output, size_t thread, size_t number,
	     const struct location *location, const struct call *call, uint64_t address)
{
	const struct module *module = location->module;

	output_format(output, "%zu|%zu|", thread, number);
	if (module == NULL) {
		output_format(output, "||||0x%" PRIx64 "\n", address);
		return;
	}
	output_field(output, base_name(module->code_file));
	if (call->name.length == 0) {
		output_format(output, "||||0x%" PRIx64 "\n", address - module->base);
		return;
	}
	output_format(output, "|");
	output_field(output, call->name);
	if (call->file.length == 0) {
		output_format(output, "|||0x%" PRIx64 "\n",
			      address - module->base - call->function_base);
		return;
	}
	output_format(output, "|");
	output_field(output, call->file);
	uint64_t base = call->line_base != 0 || location->symbol.has_line
				? module->base + call->line_base
				: 0;
	output_format(output, "|%" PRIu32 "|0x%" PRIx64 "\n", call->line, address - base);
}

static void
human_call(const struct output *output, size_t number, const struct location *location,
	   const struct call *call, uint64_t address)
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
	output_format(output, " : %" PRIu32 " + 0x%" PRIx64 "]", call->line, address - base);
}

/* On x86 the registers that calls do not keep are printed only where all are known. */
static bool
is_printed(const struct arch *arch, const struct registers *registers, int reg)
{
	const uint64_t all = (UINT64_C(1) << arch->register_count) - 1;

	if (!registers_known(registers, reg))
		return false;
	if (arch->id == ARCH_X86 && reg >= 6)
		return (registers->known & all) == all;
	return arch->registers[reg].name != NULL;
}

static void
print_registers(const struct output *output, const struct arch *arch,
		const struct registers *registers)
{
	size_t column = 0;

	for (const int8_t *reg = arch->report_order; *reg >= 0; reg++) {
		char text[64];

		if (!is_printed(arch, registers, *reg))
			continue;
		int length = snprintf(text, sizeof(text), " %5s = 0x%0*" PRIx64,
				      arch->registers[*reg].label, (int)arch->word_size * 2,
				      registers->value[*reg]);
		if (column + (size_t)length > LINE_WIDTH) {
			output_format(output, "\n ");
			column = 0;
		}
		output_format(output, "%s", text);
		column += (size_t)length;
	}
}

static void
human_frame(const struct output *output, const struct walk *walk, const struct frame *frame,
	    const struct location *location, size_t *number)
{
	for (size_t i = 0; i < location->call_count; i++) {
		bool inlined = i + 1 < location->call_count;

		human_call(output, (*number)++, location, &location->calls[i],
			   reported_address(walk, frame, inlined));
		output_format(output, "\n ");
		if (!inlined)
			print_registers(output, walk->arch, &frame->registers);
		output_format(output, "\n    Found by: %s\n",
			      trust_found_by(inlined ? TRUST_INLINE : frame->trust));
	}
}

static void
machine_frame(const struct output *output, const struct walk *walk, const struct frame *frame,
	      const struct location *location, size_t thread, size_t *number)
{
	for (size_t i = 0; i < location->call_count; i++)
		machine_call(output, thread, (*number)++, location, &location->calls[i],
			     reported_address(walk, frame, i + 1 < location->call_count));
}

static void
print_frames(const struct output *output, const struct walk *walk, size_t thread,
	     const struct walk_text_options *options)
{
	size_t number = 0;
	struct arena arena;

	arena_init(&arena, 0);
	for (size_t i = 0; i < walk->count; i++) {
		const struct frame *frame = &walk->frames[i];
		struct location location;

		location_of(walk, frame->lookup, &arena, NULL, &location);
		if (location.module != NULL && !location.module->unloaded)
			options->walked[location.module_index] = true;
		if (options->machine)
			machine_frame(output, walk, frame, &location, thread, &number);
		else
			human_frame(output, walk, frame, &location, &number);
		arena_reset(&arena);
	}
	arena_free(&arena);
}

void
walk_text_thread(const struct output *output, const struct walk *walk,
		 const struct walk_text_thread *thread, const struct walk_text_options *options)
{
	const struct crash *crash = walk->crash;
	const char *name = crash->threads[walk->thread].name;

	if (!options->machine) {
		output_format(output, "\nThread %zu", thread->number);
		if (thread->requesting)
			output_format(output, " (%s)",
				      crash->reason != NULL ? "crashed"
							    : "requested dump, did not crash");
		if (name != NULL && !options->breakpad) {
			output_format(output, " - ");
			output_text(output, text_of(name));
		}
		output_format(output, "\n");
		if (walk->count == 0)
			output_format(output, " <no frames>\n");
	}
	print_frames(output, walk, thread->number, options);
	if (!options->machine && !options->breakpad && walk->complete) {
		output_format(output, "    End of stack: ");
		output_text(output, text_of(walk->end.text));
		output_format(output, "\n");
	}
}

/* What a user who wonders about a frame without a name wants to know of its module. */
static void
module_warning(const struct output *output, const struct module *module,
	       const struct symbols *symbols, size_t index)
{
	enum symbols_state state;
	const struct symfile *symfile =
		symbols != NULL ? symbols_peek(symbols, index, &state) : NULL;

	if (symfile != NULL && !symfile_corrupt(symfile))
		return;
	output_format(output, "  (WARNING: %s symbols, ", symfile == NULL ? "No" : "Corrupt");
	output_text(output, base_name(module->debug_file));
	output_format(output, ", ");
	output_text(output, text_of(module->debug_id));
	output_format(output, ")");
}

void
walk_text_tail(const struct output *output, const struct crash *crash,
	       const struct symbols *symbols, const struct policy *policy,
	       const struct walk_text_options *options)
{
	struct module_map map;
	struct arena arena;

	if (options->machine)
		return;
	arena_init(&arena, 0);
	module_map_build(&map, crash, policy, &arena);
	output_format(output, "\nLoaded modules:\n");
	for (size_t i = 0; i < map.loaded_count; i++) {
		const struct module *module = &crash->modules[map.loaded[i].module];

		output_format(output, "0x%08" PRIx64 " - 0x%08" PRIx64 "  ", module->base,
			      module->base + module->size - 1);
		output_text(output, base_name(module->code_file));
		output_format(output, "  ");
		output_text(output, text_of(module->version[0] != '\0' ? module->version : "???"));
		if (is_main(crash, module))
			output_format(output, "  (main)");
		if (options->walked[map.loaded[i].module])
			module_warning(output, module, symbols, map.loaded[i].module);
		output_format(output, "\n");
	}
	arena_free(&arena);
}
