/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/entry_arguments.h"

#include <inttypes.h>

#include "base/compiler.h"
#include "inspect/frame_saves.h"
#include "inspect/variable/value_frame.h"

/* Most words of arguments on the stack. */
enum { MOST_WORDS = 32 };

/* The registers for arguments on the crash's system; NULL: none. */
static const struct arch_arguments *
convention_of(const struct crash *crash, const struct arch *arch)
{
	for (size_t i = 0; i < ARRAY_COUNT(arch->arguments); i++)
		if (arch->arguments[i].count > 0 &&
		    (arch->arguments[i].systems >> crash->system.os & 1) != 0)
			return &arch->arguments[i];
	return NULL;
}

static void
find_register(struct value_frame *frame, uint64_t written, struct entry_argument *argument)
{
	const struct walk *walk = frame->walk;
	const struct registers *registers = &walk->frames[frame->number].registers;
	const bool at_entry = frame->number == 0 && frame->relative == frame->scopes.function;

	if ((written >> argument->reg & 1) != 0) {
		argument->why = "may have been written since the function's entry";
		return;
	}
	argument->known = registers_known(registers, argument->reg);
	argument->value = registers->value[argument->reg];
	if (!argument->known && frame->number > 0)
		argument->known = value_frame_unchanged(frame, argument->reg, &argument->value);
	argument->why = !argument->known ? "was not saved across the call"
			: at_entry	 ? "the function has just been entered"
					 : "nothing has written it since the function's entry";
}

static void
find_registers(struct value_frame *frame, struct entry_arguments *arguments)
{
	const struct arch_arguments *convention =
		convention_of(frame->walk->crash, frame->walk->arch);

	if (convention == NULL || frame->scopes.code_count == 0)
		return;
	arguments->items = arena_array(frame->arena, convention->count, sizeof(*arguments->items));
	if (arguments->items == NULL)
		return;
	const uint64_t written = value_frame_written(frame);
	for (size_t i = 0; i < convention->count; i++) {
		struct entry_argument *argument = &arguments->items[arguments->count++];

		argument->reg = convention->registers[i];
		find_register(frame, written, argument);
		arguments->known += argument->known;
	}
}

/* Arguments on the stack follow the return address. */
static void
find_words(struct value_frame *frame, struct entry_arguments *arguments)
{
	struct walk *walk = frame->walk;
	const unsigned word = walk->arch->word_size;
	const size_t caller = frame->number + 1;
	struct frame_saves saves;
	struct step_view step;

	if (caller >= walk->count || walk->frames[caller].parameters < (int64_t)word ||
	    !frame_by_record(&walk->frames[caller]))
		return;
	arguments->words = (uint64_t)walk->frames[caller].parameters / word;
	step_view_make(&step, walk, frame->number);
	frame_saves_of_step(&saves, &step);
	step_view_free(&step);
	const struct frame_save *returns = frame_saves_register(&saves, walk->arch->pc);
	const size_t count = arguments->words < MOST_WORDS ? (size_t)arguments->words : MOST_WORDS;
	arguments->items = arena_array(frame->arena, count, sizeof(*arguments->items));
	for (size_t i = 0; i < count && arguments->items != NULL && returns != NULL; i++) {
		struct entry_argument *argument = &arguments->items[arguments->count++];

		*argument = (struct entry_argument){ .reg = ARCH_NO_REGISTER,
						     .address = returns->address + (i + 1) * word };
		argument->known = memory_read(frame->memory, argument->address, word,
					      &argument->value, NULL);
		argument->why = argument->known ? NULL : "not in the dump";
		arguments->known += argument->known;
	}
}

void
entry_arguments_of(const struct frame_variables *variables, struct entry_arguments *arguments)
{
	struct value_frame *frame = variables->frame;

	*arguments = (struct entry_arguments){ 0 };
	if (frame->walk->arch->stack_win)
		find_words(frame, arguments);
	else
		find_registers(frame, arguments);
}
