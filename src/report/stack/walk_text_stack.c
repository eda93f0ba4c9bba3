/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "report/stack/walk_text_internal.h"

#define ROW_BYTES 16u
#define INDENT "    "

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
 * Breakpad knows only the symbols that walks have asked for, by the name of the code file: of a
 * module that is listed twice it knows them for both.
 */
static bool
has_symbols(const struct walk *walk, int module, const struct walk_text_options *options)
{
	const struct crash *crash = walk->crash;
	enum symbols_state state;

	if (module == MODULE_NONE || walk->symbols == NULL)
		return false;
	if (!options->breakpad)
		return true;
	for (size_t i = 0; i < crash->module_count; i++)
		if (strcmp(crash->modules[i].code_file, crash->modules[module].code_file) == 0 &&
		    symbols_peek(walk->symbols, i, &state) != NULL)
			return true;
	return false;
}

static void
print_pointer(const struct output *output, const struct walk *walk, uint64_t slot, uint64_t value,
	      const struct location *location, const struct call *call)
{
	const int digits = (int)walk->arch->word_size * 2;
	uint64_t base = location->symbol.has_line ? location->module->base + call->line_base : 0;
	size_t skip = 0;

	output_format(output, INDENT " *(0x%0*" PRIx64 ") = 0x%0*" PRIx64 " <", digits, slot,
		      digits, value);
	output_text(output, call->name);
	output_format(output, "> [");
	for (size_t i = 0; i < call->file.length; i++)
		if (call->file.start[i] == '/' || call->file.start[i] == '\\')
			skip = i + 1;
	if (call->file.length > 0)
		output_text(output,
			    (struct text){ call->file.start + skip, call->file.length - skip });
	output_format(output, " : %" PRIu32 " + 0x%" PRIx64 "]\n",
		      call->has_line ? call->line : 0, value - base);
}

static void
print_pointers(const struct output *output, struct walk *walk, uint64_t address, uint64_t end,
	       const struct walk_text_options *options, struct arena *arena)
{
	const unsigned size = walk->arch->word_size;

	for (; address < end; address += size) {
		struct location location;
		uint64_t value;

		if (!memory_read(&walk->memory, address, size, &value, NULL) ||
		    !has_symbols(walk, module_map_find(&walk->modules, value), options))
			continue;
		location_of(walk, value, arena, NULL, &location);
		const size_t count = location.module != NULL ? location.call_count : 0;
		/* The function itself comes before the calls that were inlined into it. */
		for (size_t i = 0; i < count; i++) {
			const struct call *call = &location.calls[i == 0 ? count - 1 : i - 1];

			if (call->name.length > 0)
				print_pointer(output, walk, address, value, &location, call);
		}
	}
}

/*
 * Breakpad takes the frame of an inlined call for one with registers and reads what lies behind
 * it: where the caller has inlined calls it mostly prints nothing.
 */
static bool
is_hidden(const struct walk *walk, size_t caller, const struct walk_text_options *options,
	  struct arena *arena)
{
	struct location location;

	if (!options->breakpad)
		return false;
	location_of(walk, walk->frames[caller].lookup, arena, NULL, &location);
	return location.call_count > 1;
}

void
walk_text_stack(const struct output *output, struct walk *walk, size_t number,
		const struct walk_text_options *options, struct arena *arena)
{
	const int sp = walk->arch->sp;

	if (number + 1 >= walk->count)
		return;
	const struct registers *own = &walk->frames[number].registers;
	const struct registers *next = &walk->frames[number + 1].registers;
	uint64_t begin = own->value[sp], end = next->value[sp];

	if (!registers_known(own, sp) || !registers_known(next, sp) || begin == 0 || end == 0 ||
	    is_hidden(walk, number + 1, options, arena))
		return;
	/* Between two stacks lies memory of neither frame. */
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
