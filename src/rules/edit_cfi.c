/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/limits.h"
#include "rules/edit.h"
#include "symbols/records.h"

/* STACK CFI records of a symbol file as it is with edits. */

struct edited_file {
	const struct record_edits *edits;
	const struct symfile *symfile;
	const struct symbols_policy *policy;
	struct arena *arena;
	struct stack_cfi *deltas;	/* by address */
	size_t count, capacity;
	bool failed;
};

static bool
is_edited(const struct edited_file *edited, uint64_t offset)
{
	for (size_t i = 0; i < edited->edits->count; i++)
		if (edited->edits->edits[i].offset == offset &&
		    record_edit_holds(&edited->edits->edits[i], symfile_file(edited->symfile)))
			return true;
	return false;
}

/* The STACK CFI records of all edits that hold, one after the other; false behind the last. */
static bool
next_made(const struct edited_file *edited, size_t *at, struct text *lines,
	  struct stack_cfi *record)
{
	const struct record_edits *edits = edited->edits;

	for (;; ++*at) {
		for (struct text line; record_edit_line(lines, &line);) {
			const struct record_edit *edit = &edits->edits[*at - 1];

			if (!record_stack_cfi(line, false, record))
				continue;
			record->offset = edit->offset;
			record->length = (uint32_t)edit->was.length;
			return true;
		}
		if (*at == edits->count)
			return false;
		*lines = (struct text){ 0 };
		if (record_edit_holds(&edits->edits[*at], symfile_file(edited->symfile)))
			*lines = edits->edits[*at].now;
	}
}

static bool
covers(const struct stack_cfi *init, uint64_t address)
{
	return init->init && address - init->address < init->size;
}

/* Add a delta by its address; of deltas with one address the last of the file counts. */
static void
add(struct edited_file *edited, const struct stack_cfi *init, const struct stack_cfi *delta)
{
	if (!covers(init, delta->address))
		return;
	if (ARENA_PUSH(edited->arena, edited->deltas, edited->count, edited->capacity) == NULL) {
		edited->failed = true;
		return;
	}
	size_t at = edited->count - 1;
	for (; at > 0; at--) {
		const struct stack_cfi *before = &edited->deltas[at - 1];

		if (before->address < delta->address ||
		    (before->address == delta->address && before->offset <= delta->offset))
			break;
		edited->deltas[at] = *before;
	}
	edited->deltas[at] = *delta;
}

/* Whether an INIT record of the file was changed, so that it may shadow others no more. */
static bool
has_edited_init(const struct edited_file *edited)
{
	struct stack_cfi was;

	for (size_t i = 0; i < edited->edits->count; i++)
		if (record_stack_cfi(edited->edits->edits[i].was, false, &was) && was.init)
			return true;
	return false;
}

/*
 * Where the file's own INIT record was changed, others that it shadowed count: the one that
 * reaches an address or is the first above.
 */
static bool
find_shadowed(const struct edited_file *edited, uint64_t address, struct stack_cfi *init)
{
	const char *data = (const char *)symfile_file(edited->symfile)->data;
	struct stack_cfi record;
	uint64_t offset;
	uint32_t length;
	bool found = false;

	for (size_t i = 0; symfile_record(edited->symfile, SYMBOL_STACK_CFI_INIT, i, &offset,
					  &length); i++) {
		if (!record_stack_cfi((struct text){ data + offset, length }, false, &record) ||
		    record.size == 0 || record.address + (record.size - 1) < address ||
		    (found && record.address >= init->address) || is_edited(edited, offset))
			continue;
		*init = record;
		init->offset = offset;
		init->length = length;
		found = true;
	}
	return found;
}

/*
 * The INIT record that covers an address: the file's, unless it was changed, or one that was
 * made.
 */
static bool
find_init(const struct edited_file *edited, uint64_t address, struct stack_cfi *init)
{
	struct text lines = { 0 };
	struct stack_cfi *deltas, made;
	size_t count, at = 0;

	if (symfile_stack_cfi(edited->symfile, edited->policy, address, edited->arena, init,
			      &deltas, &count) && !is_edited(edited, init->offset))
		return true;
	while (next_made(edited, &at, &lines, &made))
		if (covers(&made, address)) {
			*init = made;
			return true;
		}
	return has_edited_init(edited) && find_shadowed(edited, address, init) &&
	       covers(init, address);
}

/* Deltas in the lines behind an INIT record's, but for those that the file's own record covers. */
static void
add_behind(struct edited_file *edited, const struct stack_cfi *init, const struct stack_cfi *file)
{
	const struct file *bytes = symfile_file(edited->symfile);
	uint64_t at = init->offset + init->length;
	struct stack_cfi delta;

	for (unsigned i = 0; i < LIMIT_TABLE_ROWS; i++) {
		struct text line = { 0 };

		while (at < bytes->size && (bytes->data[at] == '\n' || bytes->data[at] == '\r'))
			at++;
		line.start = (const char *)bytes->data + at;
		while (at + line.length < bytes->size && line.start[line.length] != '\n' &&
		       line.start[line.length] != '\r')
			line.length++;
		const bool good = record_stack_cfi(line, false, &delta);
		if (!is_edited(edited, at)) {
			if (!good || delta.init)
				return;
			delta.offset = at;
			delta.length = (uint32_t)line.length;
			if (file == NULL || !covers(file, delta.address))
				add(edited, init, &delta);
		}
		at += line.length;
	}
}

/* Deltas that stand behind the line that an INIT record is, or stands at. */
static void
add_own(struct edited_file *edited, const struct stack_cfi *init)
{
	const char *data = (const char *)symfile_file(edited->symfile)->data;
	struct stack_cfi file, own, *deltas;
	size_t count;

	/* The file's own record may be shadowed where it ends. */
	if (!record_stack_cfi((struct text){ data + init->offset, init->length }, false, &file) ||
	    !file.init || file.size == 0 ||
	    !symfile_stack_cfi(edited->symfile, edited->policy, file.address + (file.size - 1),
			       edited->arena, &own, &deltas, &count) ||
	    own.offset != init->offset) {
		add_behind(edited, init, NULL);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (!is_edited(edited, deltas[i].offset))
			add(edited, init, &deltas[i]);
	if (!covers(&file, init->address) || !covers(&file, init->address + (init->size - 1)))
		add_behind(edited, init, &file);
}

bool
record_edits_stack_cfi(const struct record_edits *edits, const struct symfile *symfile,
		       const struct symbols_policy *policy, uint64_t address, struct arena *arena,
		       struct stack_cfi *init, struct stack_cfi **deltas, size_t *count)
{
	struct edited_file edited = { .edits = edits, .symfile = symfile, .policy = policy,
				      .arena = arena };
	struct text lines = { 0 };
	struct stack_cfi made;
	size_t at = 0;

	if (edits == NULL || edits->count == 0)
		return symfile_stack_cfi(symfile, policy, address, arena, init, deltas, count);
	if (!find_init(&edited, address, init))
		return false;
	add_own(&edited, init);
	while (next_made(&edited, &at, &lines, &made))
		if (!made.init)
			add(&edited, init, &made);
	while (edited.count > 0 && edited.deltas[edited.count - 1].address > address)
		edited.count--;
	*deltas = edited.deltas;
	*count = edited.count;
	return !edited.failed;
}

bool
record_edits_stack_cfi_from(const struct record_edits *edits, const struct symfile *symfile,
			    const struct symbols_policy *policy, uint64_t address,
			    struct arena *arena, struct stack_cfi *init,
			    struct stack_cfi **deltas, size_t *count)
{
	const struct edited_file edited = { .edits = edits, .symfile = symfile, .policy = policy,
					    .arena = arena };
	struct text lines = { 0 };
	struct stack_cfi made;
	size_t at = 0;

	if (edits == NULL || edits->count == 0)
		return symfile_stack_cfi_from(symfile, policy, address, arena, init, deltas, count);
	bool found = symfile_stack_cfi_from(symfile, policy, address, arena, init, deltas, count);
	if (found ? is_edited(&edited, init->offset) : has_edited_init(&edited))
		found = find_shadowed(&edited, address, init);
	while (next_made(&edited, &at, &lines, &made))
		if (made.init && made.size > 0 && made.address + (made.size - 1) >= address &&
		    (!found || made.address < init->address)) {
			*init = made;
			found = true;
		}
	return found && record_edits_stack_cfi(edits, symfile, policy,
					       init->address + (init->size - 1), arena, init,
					       deltas, count);
}

bool
record_edits_stack_cfi_change(const struct record_edits *edits, const struct symfile *symfile,
			      const struct symbols_policy *policy, uint64_t address,
			      uint64_t *change)
{
	const struct edited_file edited = { .edits = edits, .symfile = symfile, .policy = policy };
	bool found = symfile_stack_cfi_change(symfile, policy, address, change);
	struct text lines = { 0 };
	struct stack_cfi made;
	size_t at = 0;

	while (edits != NULL && next_made(&edited, &at, &lines, &made)) {
		if (made.address <= address || (found && made.address >= *change))
			continue;
		*change = made.address;
		found = true;
	}
	return found;
}

bool
record_edit_made(const struct symfile *symfile, const struct stack_cfi *record,
		 struct stack_cfi *was)
{
	const char *data = (const char *)symfile_file(symfile)->data;

	if (record->rules.start == data + record->offset + record->rules_column - 1)
		return false;
	if (!record_stack_cfi((struct text){ data + record->offset, record->length }, false, was) ||
	    was->init != record->init || was->address != record->address)
		was->rules = (struct text){ 0 };
	return true;
}
