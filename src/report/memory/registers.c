/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/memory/registers.h"

#include <inttypes.h>
#include <string.h>

#include "report/memory/context_state.h"
#include "report/memory/reading_words.h"
#include "report/report.h"

/* The group after the context's groups: the thread's own context, not used by the walk. */
#define GROUP_THREAD CONTEXT_GROUPS
#define GROUPS (CONTEXT_GROUPS + 1)
/* Words shown of the memory that a register points to. */
#define WORDS 4u

enum row_kind {
	ROW_REGISTER, /* register `index` of the step */
	ROW_CALLEE, /* meaning of the callee's value of register `index` */
	ROW_CALLER,
	ROW_WORDS, /* memory that register `index` points to (see newest_value) */
	ROW_MEANING, /* meaning of the bits of register `index` */
	ROW_GROUP,
	ROW_VALUE, /* value `index` of the context */
	ROW_THREAD, /* register `index` of the thread's own context */
};

struct shown_row {
	enum row_kind kind;
	size_t index;
};

struct registers_list {
	struct registers_options options;
	struct reading_source source;
	struct listing step;
	struct registers caller;
	struct context_state context;
	const struct crash_context *thread; /* thread's context; NULL: none, or the walk uses it */
	struct shown_row *rows;
	size_t count, capacity;
	struct arena *arena;
};

static void
add_row(struct registers_list *list, enum row_kind kind, size_t index)
{
	ARENA_ADD(list->arena, list->rows, list->count, list->capacity,
		  &(struct shown_row){ kind, index });
}

static const struct registers *
callee_of(const struct registers_list *list)
{
	const struct step_view *step = list->options.step;

	return &step->walk->frames[step->frame].registers;
}

static bool
has_caller(const struct registers_list *list, int reg)
{
	return registers_known(&list->caller, reg);
}

/* The value to follow into memory: the caller's if the step has set it, else the callee's. */
static uint64_t
newest_value(const struct registers_list *list, int reg)
{
	return has_caller(list, reg) ? list->caller.value[reg] : callee_of(list)->value[reg];
}

/* The context's value with the meaning of a register's bits; NULL: the bits have no meaning. */
static const struct context_value *
meaning_of(const struct registers_list *list, int reg)
{
	const struct step_view *step = list->options.step;
	const struct place place =
		crash_register_place(step->walk->crash, step->walk->context, reg);

	for (size_t i = 0; i < list->context.count && place.input != NULL; i++)
		if (list->context.values[i].place.offset == place.offset &&
			list->context.values[i].note[0] != '\0')
			return &list->context.values[i];
	return NULL;
}

static void
add_register(struct registers_list *list, size_t row)
{
	const int reg = step_view_register_of_row(&list->step, row);

	add_row(list, ROW_REGISTER, row);
	if (reg == ARCH_NO_REGISTER || (list->options.state->open >> reg & 1) == 0)
		return;
	const struct registers *callee = callee_of(list);
	if (registers_known(callee, reg))
		add_row(list, ROW_CALLEE, (size_t)reg);
	if (has_caller(list, reg) &&
		!(registers_known(callee, reg) && callee->value[reg] == newest_value(list, reg)))
		add_row(list, ROW_CALLER, (size_t)reg);
	if (meaning_of(list, reg) != NULL)
		add_row(list, ROW_MEANING, (size_t)reg);
	if ((registers_known(callee, reg) || has_caller(list, reg)) &&
		memory_run_of(list->options.memory, newest_value(list, reg)) != NULL &&
		!list->options.step->walk->crash->redacted)
		add_row(list, ROW_WORDS, (size_t)reg);
}

static void
add_groups(struct registers_list *list)
{
	for (size_t group = 0; group < GROUPS; group++) {
		const bool open = (list->options.state->groups >> group & 1) != 0;
		size_t count = 0;

		for (size_t i = 0; i < list->context.count; i++)
			count += list->context.values[i].group == (enum context_group)group;
		if (group == GROUP_THREAD ? list->thread == NULL : count == 0)
			continue;
		add_row(list, ROW_GROUP, group);
		for (size_t i = 0; open && i < list->context.count; i++)
			if (list->context.values[i].group == (enum context_group)group)
				add_row(list, ROW_VALUE, i);
		for (int reg = 0;
			open && group == GROUP_THREAD && reg < list->thread->arch->register_count;
			reg++)
			if (registers_known(&list->thread->registers, reg))
				add_row(list, ROW_THREAD, (size_t)reg);
	}
}

#define INDENT "       "

static void
fill_reading(const struct registers_list *list, uint64_t value, size_t frame, size_t columns,
	struct row *row)
{
	const int digits = (int)list->source.arch->word_size * 2;
	const struct reading reading = reading_of(&list->source, value);

	row_add(row, ROLE_DIM, INDENT "frame %zu  ", frame);
	row_add(row, ROLE_NORMAL, "%0*" PRIx64 "  ", digits, value);
	reading_add(&list->source, &reading, columns, row);
	reading_add_chain(&list->source, &reading, row);
	if (reading.kind == READING_NUMBER)
		row_add(row, ROLE_DIM, "not an address in the dump");
}

static void
fill_words(const struct registers_list *list, uint64_t address, struct row *row)
{
	const unsigned size = list->source.arch->word_size == 4 ? 4 : 8;
	uint64_t value;

	row_add(row, ROLE_DIM, INDENT "there  ");
	for (uint64_t i = 0; i < WORDS &&
		memory_read(list->options.memory, address + i * size, size, &value, NULL);
		i++)
		row_add(row, ROLE_DATA, " %0*" PRIx64, (int)size * 2, value);
}

/* Adds the values of a group to one row, as many as fit. */
static void
fill_group(const struct registers_list *list, size_t group, struct row *row)
{
	static const char *const names[] = { "flags", "segments", "floating point",
		"vector registers", "debug registers", "others" };
	const bool open = (list->options.state->groups >> group & 1) != 0;
	size_t count = 0, zero = 0;

	if (group == GROUP_THREAD) {
		row_add(row, ROLE_TITLE,
			" %c the thread's own context, which is not walked: the "
			"exception has one",
			open ? '-' : '+');
		return;
	}
	row_add(row, ROLE_TITLE, " %c %s ", open ? '-' : '+', names[group]);
	for (size_t i = 0; i < list->context.count; i++) {
		const struct context_value *value = &list->context.values[i];

		if (value->group != (enum context_group)group)
			continue;
		count++;
		zero += strspn(value->text, "0") == strlen(value->text);
		if (group == CONTEXT_FLAGS || group == CONTEXT_SEGMENTS) {
			row_add(row, ROLE_DIM, " ");
			row_add(row, ROLE_NORMAL, "%s %s", value->name, value->text);
			row_add_text(row, ROLE_DATA, text_of(value->note[0] != '\0' ? "  " : ""));
			row_add_text(row, ROLE_DATA, text_of(value->note));
		}
	}
	if (group != CONTEXT_FLAGS && group != CONTEXT_SEGMENTS)
		row_add(row, ROLE_DIM, " %zu value%s%s", count, plural(count),
			zero == count ? ", all 0" : "");
}

static void
fill_value(const struct registers_list *list, size_t index, struct row *row)
{
	const struct context_value *value = &list->context.values[index];

	row_add(row, ROLE_NORMAL, "   %s", value->name);
	row_pad(row, 14);
	row_add(row, ROLE_NORMAL, " %s", value->text);
	if (value->note[0] != '\0') {
		row_add(row, ROLE_DIM, value->text[0] != '\0' ? "  " : "");
		row_add_text(row, ROLE_DATA, text_of(value->note));
	}
}

/* Adds a register of the thread's own context: '=' if the exception's is equal, else '*'. */
static void
fill_thread(const struct registers_list *list, int reg, struct row *row)
{
	const struct registers *own = &list->thread->registers;
	const struct registers *walked = &list->options.step->walk->context->registers;
	const bool same = registers_known(walked, reg) && walked->value[reg] == own->value[reg];

	row_add(row, ROLE_NORMAL, "   %-6s ", list->thread->arch->registers[reg].label);
	row_add(row, same ? ROLE_NORMAL : ROLE_CHANGED, "%c %0*" PRIx64, same ? '=' : '*',
		(int)list->thread->arch->register_size * 2, own->value[reg]);
	report_add_place(
		row, crash_register_place(list->options.step->walk->crash, list->thread, reg));
}

static void
registers_fill_row(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct registers_list *list = listing->context;
	const struct shown_row *shown = &list->rows[index];
	const int reg = (int)shown->index;
	const size_t frame = list->options.step->frame;

	switch (shown->kind) {
	case ROW_REGISTER:
		listing_fill(&list->step, shown->index, columns, row);
		break;
	case ROW_CALLEE:
		fill_reading(list, callee_of(list)->value[reg], frame, columns, row);
		break;
	case ROW_CALLER:
		fill_reading(list, newest_value(list, reg), frame + 1, columns, row);
		break;
	case ROW_WORDS:
		fill_words(list, newest_value(list, reg), row);
		break;
	case ROW_MEANING:
		row_add(row, ROLE_DIM, INDENT "bits    ");
		row_add_text(row, ROLE_DATA, text_of(meaning_of(list, reg)->note));
		break;
	case ROW_GROUP:
		fill_group(list, shown->index, row);
		break;
	case ROW_VALUE:
		fill_value(list, shown->index, row);
		break;
	case ROW_THREAD:
		fill_thread(list, reg, row);
		break;
	}
}

static void
registers_fill_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct registers_list *list = listing->context;

	listing_head(&list->step, columns, row);
}

/* The target of a value: the bytes that it points to, if they are available. */
static struct target
value_target(const struct registers_list *list, uint64_t value)
{
	struct binary_run run;

	return memory_run_of(list->options.memory, value) != NULL ||
			binaries_run(list->options.binaries, value, &run)
		? TARGET(TARGET_MEMORY, .address = value)
		: TARGET(TARGET_NONE);
}

static struct target
registers_row_target(const struct listing *listing, size_t index)
{
	const struct registers_list *list = listing->context;
	const struct shown_row *shown = &list->rows[index];
	struct target target = TARGET(TARGET_NONE);

	switch (shown->kind) {
	case ROW_REGISTER:
		return listing_target(&list->step, shown->index);
	case ROW_CALLEE:
		return value_target(list, callee_of(list)->value[shown->index]);
	case ROW_CALLER:
	case ROW_WORDS:
		return value_target(list, newest_value(list, (int)shown->index));
	case ROW_MEANING:
		return report_place_target(meaning_of(list, (int)shown->index)->place);
	case ROW_VALUE:
		return report_place_target(list->context.values[shown->index].place);
	case ROW_THREAD:
		return report_place_target(crash_register_place(
			list->options.step->walk->crash, list->thread, (int)shown->index));
	default:
		target.kind = TARGET_FOLD;
		return target;
	}
}

static void
registers_explain_row(const struct listing *listing, size_t index, struct row *row)
{
	const struct registers_list *list = listing->context;
	const struct shown_row *shown = &list->rows[index];

	if (shown->kind == ROW_REGISTER) {
		listing_explain(&list->step, shown->index, row);
		return;
	}
	registers_fill_row(listing, index, 0, row);
	if (shown->kind == ROW_VALUE)
		report_add_place(row, list->context.values[shown->index].place);
}

struct listing
registers_listing(const struct registers_options *options, struct arena *arena)
{
	struct registers_list *list = arena_alloc(arena, sizeof(*list));
	struct walk *walk = options->step->walk;

	if (list == NULL)
		return listing_out_of_memory();
	list->options = *options;
	list->arena = arena;
	list->step = step_view_registers(options->step, options->base, arena);
	step_view_caller(options->step, &list->caller);
	reading_source_init(
		&list->source, walk->crash, options->memory, options->binaries, walk, arena);
	if (options->step->frame == 0) {
		context_state_find(&list->context, walk->crash, walk->context, arena);
		/* The thread's own context is shown if the walk uses the exception's. */
		const struct crash_context *own = &walk->crash->threads[walk->thread].context;
		if (own->present && own->arch == walk->arch &&
			own->place.offset != walk->context->place.offset)
			list->thread = own;
	}
	for (size_t i = 0; i < list->step.count; i++)
		add_register(list, i);
	add_groups(list);
	return (struct listing){ .count = list->count,
		.head = registers_fill_head,
		.fill = registers_fill_row,
		.target = registers_row_target,
		.explain = registers_explain_row,
		.context = list };
}

size_t
registers_row(const struct listing *registers, int reg)
{
	const struct registers_list *list = registers->context;

	for (size_t i = 0; registers->fill == registers_fill_row && i < list->count; i++)
		if (list->rows[i].kind == ROW_REGISTER &&
			step_view_register_of_row(&list->step, list->rows[i].index) == reg)
			return i;
	return 0;
}

void
registers_legend(const struct listing *registers, struct row *row)
{
	const struct registers_list *list = registers->context;

	if (registers->fill == registers_fill_row)
		step_view_registers_legend(&list->step, row);
}

int
registers_reg(const struct listing *registers, size_t row)
{
	const struct registers_list *list = registers->context;

	if (registers->fill != registers_fill_row || row >= list->count)
		return ARCH_NO_REGISTER;
	switch (list->rows[row].kind) {
	case ROW_REGISTER:
		return step_view_register_of_row(&list->step, list->rows[row].index);
	case ROW_GROUP:
	case ROW_VALUE:
	case ROW_THREAD:
		return ARCH_NO_REGISTER;
	default:
		return (int)list->rows[row].index;
	}
}

bool
registers_toggle(struct registers_state *state, const struct listing *registers, size_t row)
{
	const struct registers_list *list = registers->context;
	const int reg = registers_reg(registers, row);

	if (registers->fill != registers_fill_row || row >= list->count)
		return false;
	const struct shown_row *shown = &list->rows[row];
	if (shown->kind == ROW_GROUP)
		state->groups ^= 1u << shown->index;
	else if (shown->kind == ROW_VALUE)
		state->groups ^= 1u << list->context.values[shown->index].group;
	else if (shown->kind == ROW_THREAD)
		state->groups ^= 1u << GROUP_THREAD;
	else if (reg != ARCH_NO_REGISTER)
		state->open ^= UINT64_C(1) << reg;
	else
		return false;
	return true;
}

void
registers_open_all(struct registers_state *state, bool open)
{
	state->open = open ? UINT64_MAX : 0;
	state->groups = open ? UINT32_MAX : 0;
}
