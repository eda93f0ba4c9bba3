/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/stack/walk_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/stack_trust.h"
#include "analysis/thread_state.h"
#include "report/report.h"
#include "walk/fold.h"

#define LINE_WIDTH 80
#define ROW_BYTES 16u
#define INDENT "    "

static void
add_field(const struct output *output, const char *text)
{
	output_plain(output, "|");
	output_field(output, text_of(text != NULL ? text : ""));
}

/* Writes words of the layout and a text of an input. */
static void
add_text(const struct output *output, const char *words, const char *text)
{
	output_plain(output, words);
	output_text(output, text_of(text != NULL ? text : ""));
}

/* Whether the layout is unspool's own, which has more facts than Breakpad's. */
static bool
is_ours(const struct walk_text_options *options)
{
	return !options->machine && !options->breakpad && !options->rust && !options->backtrace;
}

/* Frames --------------------------------------------------------------------------------------- */

/*
 * The address whose offset is printed: the return address on x86 and amd64; the lookup address on
 * other processors, for inlined calls and for rust-minidump.
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

struct walk_print {
	const struct output *output;
	const struct walk_text_options *options;
	struct walk *walk;
	size_t thread;			/* number in Breakpad's count */
	size_t number;			/* number of the next call */
	struct arena arena;
};

static void
machine_call(struct walk_print *print, const struct location *location, const struct call *call,
	     uint64_t address)
{
	const struct output *output = print->output;
	const struct module *module = location->module;

	output_decimal(output, print->thread);
	output_plain(output, "|");
	output_decimal(output, print->number++);
	if (module == NULL) {
		output_plain(output, "|||||");
	} else {
		add_field(output, place_base_name(module->code_file));
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
human_call(struct walk_print *print, const struct location *location, const struct call *call,
	   uint64_t address, bool offset)
{
	const struct output *output = print->output;
	const struct module *module = location->module;

	output_format(output, "%2zu  ", print->number++);
	if (module == NULL) {
		output_format(output, "0x%" PRIx64, address);
		return;
	}
	output_text(output, text_of(place_base_name(module->code_file)));
	if (call->name.length == 0) {
		const struct text after = location_after(location, address, &print->arena);

		output_format(output, " + 0x%" PRIx64, address - module->base);
		if (after.length > 0) {
			output_plain(output, " (");
			output_text(output, after);
			output_plain(output, ")");
		}
		return;
	}
	output_format(output, "!");
	row_role(output, ROLE_CODE);
	output_text(output, call->name);
	row_role_end(output, ROLE_CODE);
	if (call->file.length == 0) {
		output_format(output, " + 0x%" PRIx64 "%s",
			      address - module->base - call->function_base,
			      location->symbol.uncertain ? " (uncertain)" : "");
		return;
	}
	output_format(output, " [");
	output_text(output, text_base_name(call->file));
	uint64_t base = location->symbol.has_line ? module->base + call->line_base : 0;
	/* rust-minidump counts from the beginning of the call that is inlined into the function. */
	if (print->options->rust && call->inlined == NULL && location->call_count > 1)
		base = module->base + location->calls[location->call_count - 2].function_base;
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

		/* x86 registers not kept by calls are printed only if every register is known. */
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
 * Whether a module has symbols. Breakpad has only the symbols that walks loaded. Breakpad finds
 * symbols by the code file's name, so all modules with this name have them.
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
	 * Breakpad expects registers in an inlined call's frame, and reads past the frame's end. If
	 * the caller has inlined calls, Breakpad mostly prints nothing.
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
print_frame(struct walk_print *print, size_t index)
{
	const struct output *output = print->output;
	const struct walk_text_options *options = print->options;
	struct walk *walk = print->walk;
	struct arena *arena = &print->arena;
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
			machine_call(print, location, call, address);
			continue;
		}
		human_call(print, location, call, address, !inlined || !options->rust);
		if (location->module != NULL && location->module->unloaded &&
		    !options->breakpad && !options->rust)
			output_plain(output, " (unloaded)");
		if (location->trampoline)
			output_plain(output, LOCATION_HANDLER_CALLED);
		if (options->backtrace) {
			output_format(output, "\n");
			continue;
		}
		if (!inlined || !options->rust)
			output_format(output, "\n ");
		if (!inlined)
			print_registers(output, walk->arch, &frame->registers, options);
		struct shown_finding found = { .words = found_by(frame, call, options) };
		if (!inlined && is_ours(options))
			found = shown_found(walk, index, arena);
		output_format(output, "\n    Found by: %s\n", found.words);
		if (found.doubt != NULL) {
			output_plain(output, "    ");
			row_role(output, ROLE_BAD);
			output_plain(output, "Contradicted: ");
			output_text(output, text_of(found.doubt));
			row_role_end(output, ROLE_BAD);
			output_plain(output, "\n");
		}
	}
	if (options->stack && !options->machine && !options->backtrace)
		print_stack(output, walk, index, options, arena);
	arena_reset(arena);
}

/* Writes all frames of a walk, without the facts about the thread. */
static void
write_frames(const struct output *output, struct walk *walk, size_t thread,
	     const struct walk_text_options *options)
{
	struct walk_print print = { .output = output, .options = options, .walk = walk,
				    .thread = thread };
	struct fold fold = { 0 };

	if (options->fold && !options->machine)
		fold_update(&fold, walk);
	for (size_t i = 0; i < walk->count; i++) {
		print_frame(&print, i);
		const struct fold_run *run = fold_run_of(&fold, i);

		if (run == NULL || i + 1 != run->first + run->length)
			continue;
		/* One turn of a cycle is written. This line says how often the cycle repeats. */
		const size_t shown = print.number;
		while (++i < run->first + fold_run_frames(run))
			print.number += fold.frames[i].calls;
		i--;
		output_format(output,
			      "    the %zu frame%s above appear%s %zu times, down to frame %zu"
			      " (%zu are not shown)\n", run->length, plural(run->length),
			      run->length == 1 ? "s" : "", run->times, print.number - 1,
			      print.number - shown);
	}
	fold_free(&fold);
	arena_free(&print.arena);
}

/* The crash and its threads -------------------------------------------------------------------- */

static bool
is_main(const struct crash *crash, const struct module *module)
{
	/* If a core lacks the program's addresses, its first module may be the vDSO. */
	return !crash->microdump && crash->module_count > 0 &&
	       crash->modules[0].base == module->base &&
	       !(crash->core && crash_is_kernels(module));
}

static void
machine_head(const struct output *output, const struct crash *crash, const struct policy *policy)
{
	const struct crash_system *system = &crash->system;
	const int requesting = crash->requesting_thread;
	struct module_map map;
	struct arena arena = { 0 };
	long number = 0;

	output_plain(output, "OS");
	add_field(output, system->os_name);
	add_field(output, system->os_version);
	output_plain(output, "\nCPU");
	add_field(output, system->cpu_name);
	add_field(output, system->cpu_info);
	output_format(output, "|%" PRIu32 "\nGPU", system->cpu_count);
	add_field(output, system->gpu_version);
	add_field(output, system->gpu_vendor);
	add_field(output, system->gpu_renderer);
	output_plain(output, "\nCrash");
	if (crash->reason != NULL) {
		add_field(output, crash->reason);
		output_format(output, "|0x%" PRIx64 "|", crash->reason_address);
	} else {
		add_field(output, crash->assertion != NULL ? crash->assertion : "No crash");
		output_plain(output, "||");
	}
	/* Breakpad does not count the thread that wrote the dump. */
	for (int i = 0; i < requesting; i++)
		number += !crash->threads[i].wrote_dump;
	if (requesting >= 0 && !crash->threads[requesting].wrote_dump)
		output_format(output, "%ld", number);
	output_plain(output, "\n");
	module_map_build(&map, crash, policy, &arena);
	for (size_t i = 0; i < map.loaded_count; i++) {
		const struct module *module = &crash->modules[map.loaded[i].module];

		output_plain(output, "Module");
		add_field(output, place_base_name(module->code_file));
		add_field(output, module->version);
		add_field(output, place_base_name(module->debug_file));
		add_field(output, module->debug_id);
		output_format(output, "|0x%08" PRIx64 "|0x%08" PRIx64 "|%d\n", module->base,
			      module->base + module->size - 1, is_main(crash, module));
	}
	arena_free(&arena);
	output_plain(output, "\n");
}

/* Breakpad prints "Crash address" even if the number is not an address of memory. */
static void
human_reason(const struct output *output, const struct crash *crash,
	     const struct walk_text_options *options)
{
	const struct crash_cause *cause = &crash->cause;
	bool breakpad = options->breakpad || options->rust || cause->text == NULL;

	add_text(output, "Crash reason:  ", breakpad		     ? crash->reason
					    : cause->text[0] != '\0' ? cause->text
								      : "unknown");
	if (options->rust)
		output_format(output, "\nCrash address: 0x%0*" PRIx64,
			      (int)crash->system.arch->word_size * 2, crash->reason_address);
	else if (breakpad || cause->address == CRASH_ADDRESS_MEMORY)
		output_format(output, "\nCrash address: 0x%" PRIx64, crash->reason_address);
	else if (cause->address == CRASH_ADDRESS_SENDER)
		output_format(output, "\nSent by:       %s", crash_describe_sender(crash).text);
	else if (cause->address == CRASH_ADDRESS_PC)
		output_format(output, "\nStopped at:    0x%" PRIx64, crash->reason_address);
	output_format(output, "\n");
	if (cause->note != NULL && !breakpad) {
		add_text(output, "Note: ", cause->note);
		output_plain(output, "\n");
	}
}

static void
human_head(const struct output *output, const struct crash *crash,
	   const struct walk_text_options *options)
{
	const struct crash_system *system = &crash->system;

	add_text(output, "Operating system: ", system->os_name);
	/* A core contains no system version and no processor name. */
	if (!crash->core)
		output_plain(output, "\n                  ");
	output_text(output, options->rust ? crash_os_version(system) : text_of(system->os_version));
	add_text(output, "\nCPU: ", system->cpu_name);
	if (system->cpu_info[0] != '\0')
		add_text(output, "\n     ", system->cpu_info);
	if (!crash->core)
		output_format(output, "\n     %" PRIu32 " CPU%s", system->cpu_count,
			      plural(system->cpu_count));
	output_plain(output, "\n\n");
	if (!options->rust && (system->gpu_version == NULL || system->gpu_version[0] == '\0')) {
		output_plain(output, "GPU: UNKNOWN\n\n");
	} else if (!options->rust) {
		add_text(output, "GPU: ", system->gpu_version);
		add_text(output, "\n     ", system->gpu_vendor);
		add_text(output, "\n     ", system->gpu_renderer);
		output_plain(output, "\n\n");
	}
	if (crash->reason != NULL)
		human_reason(output, crash, options);
	else if (!options->breakpad && !options->rust && analysis_reason_lost(crash))
		output_format(output, "Crash reason:  %s\n", analysis_no_reason(crash));
	else
		output_format(output, "No crash\n");
	if (crash->assertion != NULL) {
		add_text(output, "Assertion: ", crash->assertion);
		output_plain(output, "\n");
	}
	uint32_t created = crash->misc.has_times ? crash->misc.create_time : 0;
	if (crash->time != 0 && created != 0 && crash->time >= created)
		output_format(output, "Process uptime: %" PRIu32 " seconds\n",
			      crash->time - created);
	else
		output_format(output, "Process uptime: not available\n");
	if (options->rust)
		output_format(output, "\n");
}

void
walk_text_head(const struct output *output, const struct crash *crash,
	       const struct policy *policy, const struct walk_text_options *options)
{
	if (options->machine)
		machine_head(output, crash, policy);
	else if (!options->backtrace)
		human_head(output, crash, options);
}

/* Adds how far the thread's frames can be trusted. Counts frames as this layout does. */
static void
add_trust(const struct output *output, struct walk *walk)
{
	struct stack_trust trust;
	size_t inlined = 0, last = 0;
	struct arena arena = { 0 };

	stack_trust_of(walk, &trust);
	for (size_t i = 0; i < walk->count; i++) {
		struct shown_frame shown;

		shown_frame(walk, &walk->frames[i], NULL, &arena, &shown);
		inlined += shown.location.call_count - 1;
		if (i + 1 == trust.trusted)
			last = i + inlined;
		arena_reset(&arena);
	}
	add_text(output, "    Stack trust: ", stack_trust_text(&trust, inlined, last, &arena));
	output_plain(output, "\n");
	const char *help = stack_trust_help(&trust, walk, &arena);
	if (help != NULL) {
		add_text(output, "                 ", help);
		output_plain(output, "\n");
	}
	arena_free(&arena);
}

/* Adds the thread's state. The crashed thread has its state in its heading. */
static void
add_state(const struct output *output, struct walk *walk)
{
	const struct thread_state state = thread_state_of(walk->crash, walk->thread, walk);
	struct shown_frame waits;
	struct arena arena = { 0 };

	if (!thread_state_tells(&state))
		return;
	add_text(output, "State: ", thread_state_text(&state, &arena));
	if (state.kind == THREAD_STATE_WAITING) {
		shown_frame(walk, &walk->frames[state.waits_frame], NULL, &arena, &waits);
		output_plain(output, ", in ");
		output_text(output, shown_call(&waits, state.waits_call)->name);
	}
	output_plain(output, "\n");
	arena_free(&arena);
}

void
walk_text_thread(const struct output *output, struct walk *walk,
		 const struct walk_text_thread *thread, const struct walk_text_options *options)
{
	const struct crash *crash = walk->crash;
	const char *name = crash->threads[walk->thread].name;

	if (!options->machine) {
		output_plain(output, options->backtrace || options->rust ? "" : "\n");
		row_role(output, ROLE_TITLE);
		output_format(output, "Thread %zu", thread->number);
		row_role_end(output, ROLE_TITLE);
		if (options->rust)
			add_text(output, " ", name);
		if (thread->requesting)
			output_format(output, " (%s)",
				      crash->reason != NULL ? "crashed"
							    : "requested dump, did not crash");
		if (name != NULL && !options->breakpad && !options->rust)
			add_text(output, " - ", name);
		if (options->rust)
			output_format(output, " - tid: %" PRIu32, crash->threads[walk->thread].id);
		output_format(output, "\n");
		if (thread->same != NULL)
			output_format(output, "Threads %s: %zu with the same calls\n",
				      thread->same, thread->same_count);
		const char *context = is_ours(options) ? report_context_note(walk) : NULL;
		if (context != NULL)
			output_format(output, "Context: %s\n", context);
		if (is_ours(options))
			add_state(output, walk);
		if (walk->count == 0)
			output_format(output, " <no frames>\n");
	}
	write_frames(output, walk, thread->number, options);
	if (is_ours(options) && walk->count > 0)
		add_trust(output, walk);
	if (is_ours(options) && walk->complete) {
		struct arena arena = { 0 };
		const struct shown_finding end = shown_end(walk, &arena);

		add_text(output, "    End of stack: ", end.words);
		if (end.doubt != NULL)
			add_text(output, "\n    End contradicted: ", end.doubt);
		output_plain(output, "\n");
		arena_free(&arena);
	}
	if (!options->machine && options->rust && thread->requesting)
		output_format(output, "\n");
}

static void
add_range(const struct output *output, const struct module *module)
{
	output_format(output, "0x%08" PRIx64 " - 0x%08" PRIx64, module->base,
		      module->base + module->size - 1);
	add_text(output, "  ", place_base_name(module->code_file));
}

/* Whether Breakpad has no list of modules: the dump has none, or Breakpad refuses it. */
static bool
breakpad_lacks_modules(const struct crash *crash, const struct module_map *map)
{
	enum { MODULE_LIST = 4 };	/* MD_MODULE_LIST_STREAM */
	bool lacks = !crash->microdump;

	for (size_t i = 0; i < crash->stream_count; i++)
		lacks = lacks && crash->streams[i].type != MODULE_LIST;
	return map->loaded_count == 0 &&
	       (lacks || crash->modules_misfit || crash->module_count > 0);
}

void
walk_text_tail(const struct output *output, const struct crash *crash,
	       const struct symbols *symbols, const struct policy *policy,
	       const struct walk_text_options *options)
{
	struct module_map map;
	struct arena arena = { 0 };

	if (options->machine || options->brief || options->backtrace)
		return;
	module_map_build(&map, crash, policy, &arena);
	if (!options->breakpad || !breakpad_lacks_modules(crash, &map))
		output_format(output, "\nLoaded modules:\n");
	for (size_t i = 0; i < map.loaded_count; i++) {
		const struct module *module = &crash->modules[map.loaded[i].module];

		add_range(output, module);
		add_text(output, "  ", module->version[0] != '\0' ? module->version : "???");
		if (is_main(crash, module))
			output_format(output, "  (main)");
		/* A module with frames but without good symbols gets a warning. */
		const size_t index = map.loaded[i].module;
		const struct symfile *symfile =
			symbols != NULL ? symbols_peek(symbols, index, NULL) : NULL;
		const struct binary *debug =
			binaries_peek(options->binaries, index, LOCATE_DEBUG);
		const bool named = symfile == NULL && is_ours(options) && debug != NULL &&
				   !binary_is_stripped(debug);
		if (options->walked[index] && !options->rust && !named &&
		    (symfile == NULL || symfile_corrupt(symfile))) {
			output_format(output, "  (WARNING: %s symbols",
				      symfile == NULL ? "No" : "Corrupt");
			add_text(output, ", ", place_base_name(module->debug_file));
			add_text(output, ", ", module->debug_id);
			output_plain(output, ")");
		}
		output_format(output, "\n");
	}
	if (options->rust)
		output_plain(output, "\nUnloaded modules:\n");
	for (size_t i = 0; options->rust && i < crash->unloaded_count; i++) {
		add_range(output, &crash->unloaded[i]);
		output_plain(output, "\n");
	}
	arena_free(&arena);
}
