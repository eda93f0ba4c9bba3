/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/overlay.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "walk/step.h"

static bool
is_of_frame(const struct overlay_edit *edit, size_t thread, size_t frame)
{
	return edit->thread == thread && edit->frame == frame;
}

static bool
is_same_row(const struct overlay_edit *edit, const char *input, uint64_t offset)
{
	return edit->row_input != NULL && input != NULL && edit->row_offset == offset &&
	       strcmp(edit->row_input, input) == 0;
}

/* Whether two edits are of one thing, so that the later one replaces the earlier. */
static bool
is_same_thing(const struct overlay_edit *a, const struct overlay_edit *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case OVERLAY_RECORD:
		return a->record.offset == b->record.offset &&
		       strcmp(a->record.file, b->record.file) == 0;
	case OVERLAY_RULE:
		if (!text_equal(a->name, b->name))
			return false;
		return a->row_input == NULL && b->row_input == NULL
			       ? is_of_frame(a, b->thread, b->frame) && a->method == b->method
			       : is_same_row(a, b->row_input, b->row_offset);
	case OVERLAY_REGISTER:
		return is_of_frame(a, b->thread, b->frame) && a->reg == b->reg;
	case OVERLAY_FORBID:
		return is_of_frame(a, b->thread, b->frame) && a->method == b->method;
	case OVERLAY_FORCE:
	case OVERLAY_CANDIDATE:
		return is_of_frame(a, b->thread, b->frame);
	case OVERLAY_POLICY:
		return a->policy == b->policy;
	}
	return false;
}

static bool
copy_text(struct arena *arena, struct text *text)
{
	if (text->length == 0)
		return true;
	text->start = arena_copy(arena, text->start, text->length);
	return text->start != NULL;
}

static bool
copy_string(struct arena *arena, const char **string)
{
	if (*string == NULL)
		return true;
	*string = arena_copy(arena, *string, strlen(*string));
	return *string != NULL;
}

static bool
copy_edit(struct arena *arena, struct overlay_edit *edit)
{
	return copy_string(arena, &edit->record.file) && copy_text(arena, &edit->record.was) &&
	       copy_text(arena, &edit->record.now) && copy_string(arena, &edit->row_input) &&
	       copy_text(arena, &edit->name) && copy_text(arena, &edit->expression) &&
	       copy_text(arena, &edit->was);
}

/* The edits of records in an array of their own, as the rules need them. */
static bool
gather_records(struct arena *arena, struct overlay *overlay)
{
	struct record_edit *records = arena_array(arena, overlay->count + 1, sizeof(*records));

	if (records == NULL)
		return false;
	for (size_t i = 0; i < overlay->count; i++)
		if (overlay->edits[i].kind == OVERLAY_RECORD)
			records[overlay->records.count++] = overlay->edits[i].record;
	overlay->records.edits = records;
	return true;
}

/* What the thing was before the first of its edits. */
static void
keep_origin(struct overlay_edit *edit, const struct overlay_edit *before)
{
	const bool other = !text_equal(before->name, edit->name) ||
			   !text_equal(before->record.was, edit->record.was);

	/* A record may be edited by another of its rules, or have another line since. */
	if (before->kind != OVERLAY_RECORD || !other)
		edit->was = before->was;
	edit->was_known = before->was_known;
	edit->old = before->old;
}

const struct overlay *
overlay_with(struct arena *arena, const struct overlay *overlay, const struct overlay_edit *edit)
{
	struct overlay *made = arena_alloc(arena, sizeof(*made));
	const size_t count = overlay == NULL ? 0 : overlay->count;
	struct overlay_edit *edits = arena_array(arena, count + 1, sizeof(*edits));
	struct overlay_edit added = *edit;

	if (made == NULL || edits == NULL || !copy_edit(arena, &added))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (is_same_thing(&overlay->edits[i], edit))
			keep_origin(&added, &overlay->edits[i]);
		else
			edits[made->count++] = overlay->edits[i];
	}
	edits[made->count++] = added;
	made->edits = edits;
	return gather_records(arena, made) ? made : NULL;
}

const struct overlay *
overlay_without(struct arena *arena, const struct overlay *overlay, size_t index)
{
	struct overlay *made = arena_alloc(arena, sizeof(*made));
	struct overlay_edit *edits = arena_array(arena, overlay->count, sizeof(*edits));

	if (made == NULL || edits == NULL)
		return NULL;
	for (size_t i = 0; i < overlay->count; i++)
		if (i != index)
			edits[made->count++] = overlay->edits[i];
	made->edits = edits;
	return gather_records(arena, made) ? made : NULL;
}

struct text
overlay_record(const struct overlay *overlay, const char *file, uint64_t offset, struct text line)
{
	for (size_t i = 0; overlay != NULL && i < overlay->records.count; i++) {
		const struct record_edit *record = &overlay->records.edits[i];

		if (record->offset == offset && strcmp(record->file, file) == 0 &&
		    text_equal(record->was, line))
			return record->now;
	}
	return line;
}

struct policy
overlay_policy(const struct overlay *overlay, const struct policy *policy)
{
	struct policy edited = *policy;

	for (size_t i = 0; overlay != NULL && i < overlay->count; i++)
		if (overlay->edits[i].kind == OVERLAY_POLICY)
			edited.value[overlay->edits[i].policy] = (uint32_t)overlay->edits[i].value;
	return edited;
}

/* The next edit of a kind of a frame from `*index` on, or NULL. */
static const struct overlay_edit *
next_of_frame(const struct overlay *overlay, size_t *index, enum overlay_kind kind, size_t thread,
	      size_t frame)
{
	while (overlay != NULL && *index < overlay->count) {
		const struct overlay_edit *edit = &overlay->edits[(*index)++];

		if (edit->kind == kind && is_of_frame(edit, thread, frame))
			return edit;
	}
	return NULL;
}

bool
overlay_registers(const struct overlay *overlay, size_t thread, size_t frame,
		  struct registers *registers)
{
	const struct overlay_edit *edit;
	size_t index = 0;
	bool any = false;

	while ((edit = next_of_frame(overlay, &index, OVERLAY_REGISTER, thread, frame)) != NULL) {
		any = true;
		registers_set(registers, edit->reg, edit->value);
		if (!edit->known)
			registers->known &= ~(UINT64_C(1) << edit->reg);
	}
	return any;
}

const struct overlay_edit *
overlay_register(const struct overlay *overlay, size_t thread, size_t frame, int reg)
{
	const struct overlay_edit *edit;
	size_t index = 0;

	do
		edit = next_of_frame(overlay, &index, OVERLAY_REGISTER, thread, frame);
	while (edit != NULL && edit->reg != reg);
	return edit;
}

enum method_id
overlay_forced(const struct overlay *overlay, enum arch_id arch, size_t thread, size_t frame)
{
	const struct overlay_edit *edit;
	uint64_t address;
	size_t index = 0;

	if (overlay_candidate(overlay, thread, frame, &address))
		return method_is_of(arch, METHOD_MIPS_SCAN) ? METHOD_MIPS_SCAN : METHOD_SCAN;
	edit = next_of_frame(overlay, &index, OVERLAY_FORCE, thread, frame);
	return edit != NULL ? edit->method : METHOD_COUNT;
}

bool
overlay_forbids(const struct overlay *overlay, size_t thread, size_t frame, enum method_id method)
{
	const struct overlay_edit *edit;
	size_t index = 0;

	do
		edit = next_of_frame(overlay, &index, OVERLAY_FORBID, thread, frame);
	while (edit != NULL && edit->method != method);
	return edit != NULL;
}

bool
overlay_candidate(const struct overlay *overlay, size_t thread, size_t frame, uint64_t *address)
{
	size_t index = 0;
	const struct overlay_edit *edit =
		next_of_frame(overlay, &index, OVERLAY_CANDIDATE, thread, frame);

	if (edit != NULL)
		*address = edit->address;
	return edit != NULL;
}

const struct rule_set *
overlay_rules(const struct overlay *overlay, struct arena *arena, const struct arch *arch,
	      size_t thread, size_t frame, enum method_id method, const struct rule_set *set)
{
	struct rule_part changes[LIMIT_RULES];
	size_t count = 0;

	for (size_t i = 0; overlay != NULL && i < overlay->count && count < LIMIT_RULES; i++) {
		const struct overlay_edit *edit = &overlay->edits[i];
		const char *input = set->record.input != NULL ? set->record.input->name : NULL;
		const bool mine = edit->kind == OVERLAY_RULE && edit->method == method &&
				  (edit->row_input != NULL
					   ? is_same_row(edit, input, set->record.offset)
					   : is_of_frame(edit, thread, frame));

		if (mine)
			changes[count++] = (struct rule_part){ .name = edit->name,
							       .expression = edit->expression,
							       .record = set->record };
	}
	return count == 0 ? set : rule_set_changed(arena, arch, set, changes, count);
}

static const char *
describe_rule(struct text name, struct text now, struct text was, const char *where, char *buffer,
	      size_t size)
{
	char names[64], texts[120], before[120];

	text_printable(names, sizeof(names), name);
	text_printable(texts, sizeof(texts), now);
	text_printable(before, sizeof(before), was);
	snprintf(buffer, size, "%s: %s (was %s) %s", names,
		 now.length > 0 ? texts : "taken out", was.length > 0 ? before : "not there",
		 where);
	return buffer;
}

static const char *
describe_register(const struct overlay_edit *edit, const struct arch *arch, char *buffer,
		  size_t size)
{
	char now[32] = "unknown", was[32] = "unknown";

	if (edit->known)
		snprintf(now, sizeof(now), "%0*" PRIx64, (int)arch->word_size * 2, edit->value);
	if (edit->was_known)
		snprintf(was, sizeof(was), "%0*" PRIx64, (int)arch->word_size * 2, edit->old);
	snprintf(buffer, size, "%s = %s (was %s) in frame %zu", arch->registers[edit->reg].label,
		 now, was, edit->frame);
	return buffer;
}

const char *
overlay_describe(const struct overlay_edit *edit, const struct arch *arch, char *buffer,
		 size_t size)
{
	char where[200];

	switch (edit->kind) {
	case OVERLAY_RECORD:
		snprintf(where, sizeof(where), "in %s:%" PRIu32,
			 place_base_name(edit->record.file), edit->record.line);
		return describe_rule(edit->name, edit->expression, edit->was, where, buffer, size);
	case OVERLAY_RULE:
		if (edit->row_input != NULL)
			snprintf(where, sizeof(where), "in %s+0x%" PRIx64,
				 place_base_name(edit->row_input), edit->row_offset);
		else
			snprintf(where, sizeof(where), "of the %s in frame %zu",
				 method_name(edit->method), edit->frame);
		return describe_rule(edit->name, edit->expression, edit->was, where, buffer, size);
	case OVERLAY_REGISTER:
		return describe_register(edit, arch, buffer, size);
	case OVERLAY_FORCE:
		snprintf(buffer, size, "frame %zu is unwound only by %s", edit->frame,
			 method_name(edit->method));
		break;
	case OVERLAY_FORBID:
		snprintf(buffer, size, "frame %zu is not unwound by %s", edit->frame,
			 method_name(edit->method));
		break;
	case OVERLAY_CANDIDATE:
		snprintf(buffer, size, "the scan from frame %zu takes the word at %0*" PRIx64,
			 edit->frame, (int)arch->word_size * 2, edit->address);
		break;
	case OVERLAY_POLICY:
		snprintf(buffer, size, "policy %s = %" PRIu64 " (was %" PRIu64 ")",
			 policy_table[edit->policy].name, edit->value, edit->old);
		break;
	}
	return buffer;
}
