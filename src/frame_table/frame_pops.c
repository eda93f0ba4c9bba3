/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "frame_table/frame_pops.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

/* Each load from a loaded value makes the text longer; compilers nest one or two. */
#define MOST_TEXT 200u

void
frame_pops_begin(struct frame_pops *pops, const struct arch *arch, struct arena *arena)
{
	*pops = (struct frame_pops){ .arch = arch, .arena = arena,
				     .base = arch->registers[arch->sp].name };
}

void
frame_pops_fail(struct frame_pops *pops, const char *why)
{
	if (pops->cannot == NULL)
		pops->cannot = why;
}

const char *
frame_pops_value(const struct frame_pops *pops, int reg)
{
	return pops->values[reg] != NULL ? pops->values[reg] : pops->arch->registers[reg].name;
}

const char *
frame_pops_address(struct frame_pops *pops, int64_t distance)
{
	const int64_t offset = pops->offset + distance;
	const char *text = offset == 0 ? pops->base
			   : arena_format(pops->arena, "%s %" PRId64 " +", pops->base, offset);

	if (text == NULL)
		frame_pops_fail(pops, OUT_OF_MEMORY);
	return text != NULL ? text : "";
}

void
frame_pops_load(struct frame_pops *pops, int reg, int64_t distance)
{
	const char *text =
		arena_format(pops->arena, "%s ^", frame_pops_address(pops, distance));

	if (text == NULL)
		frame_pops_fail(pops, OUT_OF_MEMORY);
	pops->values[reg] = text;
}

void
frame_pops_pop(struct frame_pops *pops, int reg)
{
	frame_pops_load(pops, reg, 0);
	pops->offset += (int64_t)pops->arch->word_size;
}

void
frame_pops_move(struct frame_pops *pops, int reg, int64_t distance)
{
	const char *value = frame_pops_value(pops, reg);

	if (strlen(value) > MOST_TEXT) {
		frame_pops_fail(pops, "the frame needs more loads than any compiler's output");
		return;
	}
	pops->base = value;
	pops->offset = distance;
}

void
frame_pops_rules(struct frame_pops *pops, struct frame_table_row *row)
{
	row->rules = arena_array(pops->arena, ARCH_REGISTERS, sizeof(*row->rules));
	for (int reg = 0; row->rules != NULL && reg < pops->arch->register_count; reg++)
		if (pops->values[reg] != NULL && reg != pops->arch->pc && reg != pops->arch->sp)
			row->rules[row->count++] = (struct frame_table_rule){
				.reg = reg, .expression = pops->values[reg] };
}
