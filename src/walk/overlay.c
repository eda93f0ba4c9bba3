/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk/overlay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/sorted.h"
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

/* The register or method of a frame's edit, if its kind has one. */
static int
which_of(const struct overlay_edit *edit)
{
	if (edit->kind == OVERLAY_REGISTER)
		return edit->reg;
	return edit->kind == OVERLAY_FORBID ? (int)edit->method : 0;
}

/* Whether two edits change the same thing, so that the later one replaces the earlier. */
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
	case OVERLAY_POLICY:
		return a->policy == b->policy;
	default:
		return is_of_frame(a, b->thread, b->frame) && which_of(a) == which_of(b);
	}
}

static bool
copy_text(struct arena *arena, struct text *text)
{
	if (text->length == 0)
		return true;
	text->start = text_copy(arena, *text);
	return text->start != NULL;
}

static bool
copy_string(struct arena *arena, const char **string)
{
	if (*string == NULL)
		return true;
	*string = arena_string(arena, *string);
	return *string != NULL;
}

/* Keep the state before the first edit of the same thing. */
static void
keep_origin(struct overlay_edit *edit, const struct overlay_edit *before)
{
	const bool other = !text_equal(before->name, edit->name) ||
			   !text_equal(before->record.was, edit->record.was);

	/* This edit may change another rule of the record, or the line may have changed since. */
	if (before->kind != OVERLAY_RECORD || !other)
		edit->was = before->was;
	edit->was_known = before->was_known;
	edit->old = before->old;
}

/* Copy `overlay` without edit `index`; append `added` (or NULL) and drop the edits it replaces. */
static const struct overlay *
rebuild(struct arena *arena, const struct overlay *overlay, size_t index,
	struct overlay_edit *added)
{
	struct overlay *made = arena_alloc(arena, sizeof(*made));
	const size_t count = overlay == NULL ? 0 : overlay->count;
	struct overlay_edit *edits = arena_array(arena, count + 1, sizeof(*edits));
	struct record_edit *records = arena_array(arena, count + 1, sizeof(*records));

	if (made == NULL || edits == NULL || records == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (added != NULL && is_same_thing(&overlay->edits[i], added))
			keep_origin(added, &overlay->edits[i]);
		else if (i != index)
			edits[made->count++] = overlay->edits[i];
	}
	if (added != NULL)
		edits[made->count++] = *added;
	made->edits = edits;
	for (size_t i = 0; i < made->count; i++)
		if (edits[i].kind == OVERLAY_RECORD)
			records[made->records.count++] = edits[i].record;
	made->records.edits = records;
	return made;
}

const struct overlay *
overlay_with(struct arena *arena, const struct overlay *overlay, const struct overlay_edit *edit)
{
	struct overlay_edit added = *edit;

	if (!copy_string(arena, &added.record.file) || !copy_text(arena, &added.record.was) ||
	    !copy_text(arena, &added.record.now) || !copy_string(arena, &added.row_input) ||
	    !copy_text(arena, &added.name) || !copy_text(arena, &added.expression) ||
	    !copy_text(arena, &added.was))
		return NULL;
	return rebuild(arena, overlay, SIZE_MAX, &added);
}

const struct overlay *
overlay_without(struct arena *arena, const struct overlay *overlay, size_t index)
{
	return rebuild(arena, overlay, index, NULL);
}

/* Bytes that `lines` occupy at an offset of a file; 0: the file has other lines there. */
static uint64_t
lines_reach(const struct file *file, uint64_t offset, struct text lines)
{
	const uint64_t start = offset;
	struct text line;

	while (text_take_line(&lines, &line)) {
		if (offset > file->size || line.length > file->size - offset ||
		    memcmp(file->data + offset, line.start, line.length) != 0)
			return 0;
		offset += line.length;
		while (offset < file->size && file->data[offset] == '\r')
			offset++;
		if (offset < file->size && file->data[offset++] != '\n')
			return 0;
	}
	return offset - start;
}

SORTED_POINTERS(compare_offsets, struct overlay_edit, SORTED_UP(record.offset))

static uint32_t
count_lines(struct text lines)
{
	struct text line;
	uint32_t count = 0;

	while (text_take_line(&lines, &line))
		count++;
	return count;
}

/*
 * Visit the edits of a file in its order, with the total length of earlier additions. Mark the
 * edits that the file contains (kind OVERLAY_KINDS), and move the others to their lines.
 */
static bool
settle(struct overlay_edit **edits, size_t count, const struct file *file)
{
	uint64_t shift = 0;
	uint32_t lines = 0;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		struct record_edit *record = &edits[i]->record;
		const uint64_t offset = record->offset + shift;
		const uint64_t now = lines_reach(file, offset, record->now);
		const uint64_t was = lines_reach(file, offset, record->was);

		if (now > 0 || (record->now.length == 0 && was == 0)) {
			const uint64_t end = was > 0 && now > was ? was : record->was.length + 1;

			edits[i]->kind = OVERLAY_KINDS;
			shift += now - end;
			lines += count_lines(record->now) - 1;
			any = true;
		} else if (was > 0 && shift != 0) {
			record->offset = offset;
			record->line += lines;
		}
	}
	return any;
}

const struct overlay *
overlay_without_made(struct arena *arena, const struct overlay *overlay, const struct file *file)
{
	struct overlay_edit *edits = arena_array(arena, overlay->count + 1, sizeof(*edits));
	struct overlay_edit **of_file = arena_array(arena, overlay->count + 1, sizeof(*of_file));
	struct overlay all = { .edits = edits };
	size_t count = 0;

	if (edits == NULL || of_file == NULL)
		return NULL;
	for (size_t i = 0; i < overlay->count; i++) {
		edits[i] = overlay->edits[i];
		if (edits[i].kind == OVERLAY_RECORD &&
		    strcmp(edits[i].record.file, file->input.name) == 0)
			of_file[count++] = &edits[i];
	}
	qsort(of_file, count, sizeof(struct overlay_edit *), compare_offsets);
	if (!settle(of_file, count, file))
		return overlay;
	for (size_t i = 0; i < overlay->count; i++)
		if (edits[i].kind != OVERLAY_KINDS)
			edits[all.count++] = edits[i];
	return rebuild(arena, &all, SIZE_MAX, NULL);
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

const struct overlay_edit *
overlay_edit_of(const struct walk *walk, size_t frame, enum overlay_kind kind, int which)
{
	const struct overlay *overlay = walk->overlay;

	for (size_t i = 0; overlay != NULL && i < overlay->count; i++) {
		const struct overlay_edit *edit = &overlay->edits[i];

		if (edit->kind == kind && is_of_frame(edit, walk->thread, frame) &&
		    which_of(edit) == which)
			return edit;
	}
	return NULL;
}

const struct rule_set *
overlay_rules(const struct walk *walk, size_t frame, enum method_id method,
	      const struct rule_set *set, struct arena *arena)
{
	const char *input = set->record.input != NULL ? set->record.input->name : NULL;
	struct rule_part changes[LIMIT_RULES];
	size_t count = 0;

	for (size_t i = 0; i < walk->overlay->count && count < LIMIT_RULES; i++) {
		const struct overlay_edit *edit = &walk->overlay->edits[i];
		const bool mine = edit->kind == OVERLAY_RULE && edit->method == method &&
				  (edit->row_input != NULL
					   ? is_same_row(edit, input, set->record.offset)
					   : is_of_frame(edit, walk->thread, frame));

		if (mine)
			changes[count++] = (struct rule_part){ .name = edit->name,
							       .expression = edit->expression,
							       .record = set->record };
	}
	return count == 0 ? set : rule_set_changed(arena, walk->arch, set, changes, count);
}

/* Describe an edit of a rule of a symbol file's record, of an SFrame row or of a method. */
static void
describe_rule(const struct overlay_edit *edit, char *buffer, size_t size)
{
	char name[64], now[120], was[120], where[200];

	text_printable(name, sizeof(name), edit->name);
	text_printable(now, sizeof(now), edit->expression);
	text_printable(was, sizeof(was), edit->was);
	if (edit->kind == OVERLAY_RECORD)
		snprintf(where, sizeof(where), "in %s:%" PRIu32,
			 place_base_name(edit->record.file), edit->record.line);
	else if (edit->row_input != NULL)
		snprintf(where, sizeof(where), "in %s+0x%" PRIx64,
			 place_base_name(edit->row_input), edit->row_offset);
	else
		snprintf(where, sizeof(where), "of the %s in frame %zu", method_name(edit->method),
			 edit->frame);
	snprintf(buffer, size, "%s: %s (was %s) %s", name,
		 edit->expression.length > 0 ? now : "taken out",
		 edit->was.length > 0 ? was : "not there", where);
}

/* Describe an edit of a symbol file's line: lines added, replaced or removed. */
static void
describe_lines(const struct record_edit *record, char *buffer, size_t size)
{
	struct text lines = record->now, line, made = { 0 };
	char now[160], was[160];
	bool kept = false;
	size_t more = 0;

	while (text_take_line(&lines, &line)) {
		if (text_equal(line, record->was))
			kept = true;
		else if (more++ == 0)
			made = line;
	}
	text_printable(now, sizeof(now), made);
	text_printable(was, sizeof(was), record->was);
	const char *what = more == 0 ? "taken out of" : kept ? "added at" : "changed in";
	snprintf(buffer, size, "%s %s:%" PRIu32 ": %s%s%s%s%s", what, place_base_name(record->file),
		 record->line, more == 0 ? was : now, more > 1 ? " and more" : "",
		 more > 0 && !kept ? " (was " : "", more > 0 && !kept ? was : "",
		 more > 0 && !kept ? ")" : "");
}

static bool
is_of_one_rule(const struct overlay_edit *edit)
{
	struct text lines = edit->record.now, line;

	return edit->name.length > 0 && text_take_line(&lines, &line) && lines.length == 0;
}

static void
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
}

const char *
overlay_describe(const struct overlay_edit *edit, const struct arch *arch, char *buffer,
		 size_t size)
{
	switch (edit->kind) {
	case OVERLAY_RECORD:
		if (is_of_one_rule(edit))
			describe_rule(edit, buffer, size);
		else
			describe_lines(&edit->record, buffer, size);
		break;
	case OVERLAY_RULE:
		describe_rule(edit, buffer, size);
		break;
	case OVERLAY_REGISTER:
		describe_register(edit, arch, buffer, size);
		break;
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
		snprintf(buffer, size, "policy %s = %s (was %s)", policy_table[edit->policy].name,
			 policy_say(edit->policy, edit->value).text,
			 policy_say(edit->policy, edit->old).text);
		break;
	case OVERLAY_KINDS:
		break;
	}
	return buffer;
}
