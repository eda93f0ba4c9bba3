/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>

#include "report/value/value_text.h"

/* Limits: members or enumerators listed; pointers followed to reach a structure. */
enum { MOST_LISTED = 2000, MOST_POINTERS = 4 };

/* A base has the name of its type. */
static const char *
member_name(const struct debug_member *member)
{
	if (member->base)
		return "(base)";
	return *member->name != '\0' ? member->name : "(unnamed)";
}

static void
add_members(struct lines *lines, const struct debug_type *type)
{
	struct arena *arena = lines->arena;
	struct debug_member *members;
	const size_t count = debug_type_members(type, arena, &members);
	uint64_t end = 0;

	for (size_t i = 0; i < count && i < MOST_LISTED; i++) {
		const struct debug_member *member = &members[i];
		const char *name = member_name(member);
		const char *label = i == 0 ? "members" : NULL;

		if (member->is_static || !member->has_offset) {
			lines_add_format(lines, label, ROLE_NORMAL, "%s  %s %s",
					 member->is_static ? "static  " : "computed",
					 member->type->name, name);
			continue;
		}
		if (!member->is_bits && type->kind == DEBUG_TYPE_STRUCTURE && end > 0 &&
		    member->offset > end)
			lines_add_format(lines, NULL, ROLE_DIM, "+0x%-6" PRIx64 "  %" PRIu64
					 " byte%s without a member", end, member->offset - end,
					 plural(member->offset - end));
		if (member->is_bits)
			lines_add_format(lines, label, ROLE_NORMAL,
					 "+0x%-6" PRIx64 "  %s %s   %" PRIu64 " bit%s from bit %"
					 PRIu64, member->bit_offset / 8, member->type->name, name,
					 member->bits, plural(member->bits),
					 member->bit_offset % 8);
		else
			lines_add_format(lines, label, ROLE_NORMAL,
					 "+0x%-6" PRIx64 "  %s %s   %" PRIu64 " byte%s",
					 member->offset, member->type->name, name,
					 member->type->size, plural(member->type->size));
		const uint64_t last = member->is_bits
					      ? (member->bit_offset + member->bits + 7) / 8
					      : member->offset + member->type->size;
		end = last > end ? last : end;
	}
}

void
type_add(struct lines *lines, const struct debug_type *type)
{
	struct arena *arena = lines->arena;
	struct debug_enumerator *all;

	lines_add(lines, "type", ROLE_NORMAL, type->name);
	for (unsigned i = 0; i < MOST_POINTERS && (type->kind == DEBUG_TYPE_POINTER ||
						   type->kind == DEBUG_TYPE_REFERENCE ||
						   type->kind == DEBUG_TYPE_ARRAY); i++) {
		const struct debug_type *target = debug_type_target(type, arena);

		if (target == NULL)
			break;
		lines_add_format(lines, type->kind == DEBUG_TYPE_ARRAY ? "elements" : "target",
				 ROLE_NORMAL, "%s", target->name);
		type = target;
	}
	if (type->has_size)
		lines_add_format(lines, "size", ROLE_NORMAL, "%" PRIu64 " (0x%" PRIx64 ") bytes",
				 type->size, type->size);
	if (type->declared)
		lines_add(lines, "members", ROLE_UNKNOWN, "only declared, not defined here");
	else if (type->kind == DEBUG_TYPE_STRUCTURE || type->kind == DEBUG_TYPE_UNION)
		add_members(lines, type);
	const size_t count = type->kind == DEBUG_TYPE_ENUMERATION
				     ? debug_type_enumerators(type, arena, &all) : 0;
	for (size_t i = 0; i < count && i < MOST_LISTED; i++)
		lines_add_format(lines, i == 0 ? "values" : NULL, ROLE_NORMAL, "%s = %" PRId64,
				 all[i].name, all[i].value);
}
